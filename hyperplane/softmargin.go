package hyperplane

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// prices returns Cᵢ for each row at C = 1.
func prices(l sample.Labels, w, classWeights []float64) ([]float64, error) {
	if classWeights != nil && len(classWeights) != l.K() {
		return nil, &linalg.ShapeError{Want: l.K(), WantOf: "classes", Got: len(classWeights), GotOf: "class weights"}
	}
	for k, v := range classWeights {
		if !(v > 0) || v-v != 0 {
			return nil, &sample.OptionError{Name: fmt.Sprintf("ClassWeights[%d]", k), Value: v, Want: "positive and finite"}
		}
	}
	price := make([]float64, len(l.Code))
	for i, k := range l.Code {
		price[i] = 1
		if w != nil {
			price[i] *= w[i]
		}
		if classWeights != nil {
			price[i] *= classWeights[k]
		}
	}
	return price, nil
}

// maxPrice keeps products of prices and rows within floating point.
const maxPrice = 1e100

// checkPrices refuses prices of slack beyond maxPrice.
func checkPrices(price []float64) error {
	for _, v := range price {
		if !(v <= maxPrice) {
			return &sample.OptionError{Name: "C times the weight of a row", Value: v, Want: "at most 1e100"}
		}
	}
	return nil
}

// softMargin fits the plane between the rows of q with sign −1 and +1, the slack of row i
// costing price[i], and returns all multipliers beside it. The plane is nil
// where the problem could not be posed.
func (s *solver) softMargin(q *qp.Linear, price, start []float64) (Machine, []float64, error) {
	sign := q.Sign
	p := &qp.Problem{Q: q, Linear: make([]float64, len(sign)), Sign: sign, Upper: price}
	for i := range p.Linear {
		p.Linear[i] = -1
	}
	if s.noIntercept {
		p.Sign = nil
	}
	r, err := s.solve(p, start)
	if r == nil {
		return Machine{}, nil, err
	}
	if !s.noIntercept {
		balance(r.Alpha, sign)
	}
	e := publish(newSoftGap(q, price, r.Alpha, s.noIntercept), planeOf(q, r), s.tol)
	m := Machine{Plane: e.plane, Report: certifyGap(r.Report, e.primal, e.dual)}
	for i, a := range r.Alpha {
		if a > 0 {
			m.Support, m.Multipliers = append(m.Support, i), append(m.Multipliers, a)
		}
	}
	if err := m.Plane.inRange(); err != nil {
		return Machine{}, nil, err
	}
	return m, r.Alpha, m.Report.Err(s.cause)
}

// balance scales the multipliers of the heavier side down until Σαy = 0, which a
// solver leaves open by its tolerance: only then is the dual objective a bound on
// the primal one. A nil sign stands for multipliers that carry their own.
func balance(alpha, sign []float64) {
	var plus, minus float64
	signed := func(i int) float64 {
		if sign == nil {
			return alpha[i]
		}
		return sign[i] * alpha[i]
	}
	for i := range alpha {
		plus += max(0, signed(i))
		minus += max(0, -signed(i))
	}
	least := min(plus, minus)
	if max(plus, minus)-least <= 1e-12*least {
		return // rounding; the multipliers at their bounds stay there
	}
	for i := range alpha {
		switch a := signed(i); {
		case a > 0 && plus > least:
			alpha[i] *= least / plus
		case a < 0 && minus > least:
			alpha[i] *= least / minus
		}
	}
}

// softGap is the dual side of a soft margin: the multipliers, in terms of which the
// gap of any plane can be computed.
type softGap struct {
	q     *qp.Linear
	price []float64
	alpha []float64
	dual  float64 // Σα − ½‖Σαᵢyᵢ(xᵢ−c)‖²
	open  float64 // |Σαy|, which rounding leaves of 0; 0 without an intercept
}

func newSoftGap(q *qp.Linear, price, alpha []float64, noIntercept bool) *softGap {
	v := make([]float64, q.Rank())
	q.ApplyT(v, alpha)
	g := &softGap{q: q, price: price, alpha: alpha, dual: -linalg.Dot(v, v) / 2}
	for _, a := range alpha {
		g.dual += a
	}
	if !noIntercept {
		g.open = math.Abs(linalg.Dot(q.Sign, alpha))
	}
	return g
}

// softEvidence is a plane and the objectives between which the minimum lies.
type softEvidence struct {
	plane        *Plane
	margin       []float64 // y·f
	primal, dual float64
}

// evidence returns the evidence that the multipliers are for a plane: the primal objective
// ½‖β‖² + ΣCξ, and the dual one less the worth of Σαy. It changes neither. O(np).
func (g *softGap) evidence(p *Plane) softEvidence {
	e := softEvidence{plane: p, margin: make([]float64, g.q.Len()),
		primal: linalg.Dot(p.beta, p.beta) / 2, dual: g.dual - g.open*math.Max(1, math.Abs(p.offset))}
	g.q.Apply(e.margin, p.beta)
	for i, s := range g.q.Sign {
		e.margin[i] += s * p.offset
		if e.margin[i] < 1 {
			e.primal += g.price[i] * (1 - e.margin[i])
		}
	}
	return e
}

const (
	roundingSlack = 1e-11 // a slack that rounding explains
	scaleMargin   = 1e-14 // by which a plane is scaled up beyond twice such a slack, in which it is rounded itself
)

// publish chooses the plane to publish for the multipliers of g, and returns it with
// its evidence. It is the given plane, unless its gap is above tol for want of
// digits: where C is huge, slacks of 1e-16 of rows that the multipliers hold on the
// margin are a large primal objective. Then it is the plane scaled up by as much as
// makes those slacks 0, if that has the smaller gap.
func publish(g *softGap, p *Plane, tol float64) softEvidence {
	e := g.evidence(p)
	if relativeGap(e.primal, e.dual) <= tol {
		return e
	}
	short := 0.0
	for i, f := range e.margin {
		if slack := 1 - f; slack < roundingSlack && g.alpha[i] < g.price[i] {
			short = max(short, slack)
		}
	}
	if short == 0 {
		return e
	}
	scale := 1 + 2*short + scaleMargin
	up := &Plane{slices.Clone(p.beta), p.origin, p.offset * scale}
	linalg.Scale(up.beta, scale)
	if scaled := g.evidence(up); relativeGap(scaled.primal, scaled.dual) < relativeGap(e.primal, e.dual) {
		return scaled
	}
	return e
}

// relativeGap returns the duality gap relative to max(1, primal objective). A dual
// above the primal is rounding, and measures it.
func relativeGap(primal, dual float64) float64 {
	return math.Abs(primal-dual) / max(1, math.Abs(primal))
}

// certifyGap certifies r by the duality gap.
func certifyGap(r optimize.Report, primal, dual float64) optimize.Report {
	c := r.Certificate()
	c.Value = relativeGap(primal, dual)
	return r.Certify(primal, c)
}
