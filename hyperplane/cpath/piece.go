package cpath

import (
	"fmt"
	"math"
	"slices"

	"halfspace/hyperplane"
	"halfspace/linalg"
)

// Point is a breakpoint: between it and the next all numbers are linear in C.
type Point struct {
	C         float64
	Beta      []float64
	Intercept float64 // where the elbow is empty it is not unique; then any that is optimal
	Alpha     []float64
	Elbow     []int   // rows with y·f = 1, or |t − f| = ε, from here to the next breakpoint
	Inside    int     // rows with y·f < 1, or |t − f| > ε, there
	Gap       float64 // the larger of the relative gaps here and half-way to the next breakpoint
}

// path is the problem: rows with signs, and the margins that they want. A fit at C returns the
// plane and the rows' multipliers.
type path struct {
	x          *linalg.Dense
	sign, want []float64
	solve      func(c float64) (*hyperplane.Plane, []float64, error)
}

// piece is the solution as a function of C: value + slope·(C − at), up to end.
type piece struct {
	at, end         float64 // of the fit, and of the piece
	start           float64
	beta, dBeta     []float64
	b0, dB0         float64
	alpha, dAlpha   []float64
	elbow           []int
	inside          []int
	margin, dMargin []float64 // y·f
}

// ahead are the distances beyond a breakpoint, relative to C, of the fit that tells the next
// piece: the first at which the fit's elbow makes a piece that goes on from there and is
// certified back to the breakpoint. Closer ones are hard to tell apart in float64, because the gap
// of a wrong elbow is of the order of the distance's square. Breakpoints closer to one another
// than the distance are taken for one.
var ahead = []float64{1e-5, 1e-6, 1e-4, 1e-7, 1e-3}

// certified is the largest relative gap of a piece at its ends.
const certified = 1e-9

// piece returns the piece that begins at c, where the one before it ends.
func (f *path) piece(before *piece, c, most float64) (*piece, error) {
	for _, d := range ahead {
		at := min(c*(1+d), c+(most-c)/2)
		p, err := f.pieceAt(at, most)
		if err != nil {
			return nil, err
		}
		if len(p.elbow) == 0 {
			f.loose(p, c, most)
		}
		if !(p.end > at) {
			if p.end, p.dAlpha, err = f.reach(p, most); err != nil {
				return nil, err
			}
		}
		own := *p
		if p.start = c; before != nil {
			f.join(p, before, c)
		}
		if f.certifies(p, c) {
			return p, nil
		}
		if p = &own; before != nil {
			if p.start = meet(before, p, d*c); f.certifies(p, p.start) {
				return p, nil
			}
		}
	}
	return nil, fmt.Errorf("no fit just beyond C = %g tells the rows on the margin", c)
}

// meet returns where two pieces meet, if that is within reach of where the first ends: an end
// is as exact as the multiplier that comes to its bound there, which need not be unique.
func meet(before, p *piece, reach float64) float64 {
	apart, turn := slices.Clone(p.beta), slices.Clone(p.dBeta)
	linalg.Axpy(apart, -1, before.beta)
	linalg.Axpy(apart, before.at-p.at, before.dBeta)
	linalg.Axpy(turn, -1, before.dBeta)
	at := p.at - linalg.Dot(apart, turn)/linalg.Dot(turn, turn)
	if math.Abs(at-before.end) <= reach {
		return at
	}
	return before.end
}

func (f *path) certifies(p *piece, c float64) bool {
	return max(f.gap(p, c), f.gap(p, (c+p.end)/2), f.gap(p, p.end)) < certified
}

// reach finds how far the slope of a piece goes on where multipliers that are not unique leave
// [0, C] at once: the multipliers go straight to those of a fit further on, if that certifies the
// piece, or half as far, and so on.
func (f *path) reach(p *piece, most float64) (end float64, slope []float64, err error) {
	q := *p
	q.dAlpha = make([]float64, len(p.alpha))
	for step := min(most-p.at, p.at); step > 1e-4*p.at; step /= 2 {
		q.end = p.at + step
		_, alpha, err := f.solve(q.end)
		if alpha == nil {
			return 0, nil, err
		}
		for i, a := range alpha {
			q.dAlpha[i] = (a - p.alpha[i]) / step
		}
		if f.certifies(&q, p.at) {
			break
		}
	}
	return q.end, q.dAlpha, nil
}

// join lets the multipliers go on from those at the end of the piece before, on the straight way to
// those at the end of this one. Where they are unique it changes nothing.
func (f *path) join(p, before *piece, c float64) {
	from, to := f.point(before, c).Alpha, f.point(p, p.end).Alpha
	slope := make([]float64, len(from))
	for i := range from {
		slope[i] = (to[i] - from[i]) / (p.end - c)
		from[i] += slope[i] * (p.at - c)
	}
	p.alpha, p.dAlpha = from, slope
}

// pieceAt returns the piece that C = at lies in.
func (f *path) pieceAt(at, most float64) (*piece, error) {
	plane, alpha, err := f.solve(at)
	if plane == nil {
		return nil, err
	}
	n := len(f.sign)
	p := &piece{at: at, beta: plane.Normal(), b0: plane.Intercept(), alpha: alpha, margin: make([]float64, n), dMargin: make([]float64, n), dAlpha: make([]float64, n)}
	f.divide(p)
	if err := f.polish(p); err != nil {
		return nil, err
	}
	if err := f.slopes(p); err != nil {
		return nil, err
	}
	f.bound(p, most)
	return p, nil
}

// divide tells the rows on the margin from those inside it and beyond. A fit leaves the product
// of two distances, a multiplier's from its bound and a row's from the margin, and not which of the
// two is 0: that is the smaller one, as a share of C and of the farthest row's.
func (f *path) divide(p *piece) {
	f.settle(p)
	off, farthest := make([]float64, len(f.sign)), 0.0
	for i, want := range f.want {
		rounding := atBound * (math.Abs(want) + p.at*f.pace(p, i))
		off[i] = max(0, math.Abs(p.margin[i]-want)-rounding)
		farthest = max(farthest, off[i])
	}
	for i, a := range p.alpha {
		share := a / p.at
		switch room := min(share, 1-share); {
		case room > atBound && off[i] <= farthest*room:
			p.elbow = append(p.elbow, i)
		case share > 0.5:
			p.inside, p.alpha[i] = append(p.inside, i), p.at
		default:
			p.alpha[i] = 0
		}
	}
}

// pace is the size of the terms that make the slope of a row's margin.
func (f *path) pace(p *piece, i int) float64 {
	return math.Abs(p.dB0) + math.Abs(p.b0)/p.at + (linalg.Norm(p.dBeta)+linalg.Norm(p.beta)/p.at)*linalg.Norm(f.x.Row(i))
}

// still is the slope, relative to its terms, up to which a margin stands still: the rest is rounding.
const still = 1e-9

// loose gives a piece without an elbow an intercept: any is optimal that has the rows
// inside at y·f ≤ d and the others at y·f ≥ d. These bounds on it are linear in C, and the piece ends
// where they meet. It goes from the middle of the range at c to that at the end.
func (f *path) loose(p *piece, c, most float64) {
	inside := make(map[int]bool, len(p.inside))
	for _, i := range p.inside {
		inside[i] = true
	}
	// at returns the range at C, and the rows that bound it.
	at := func(price float64) (lo, hi float64, low, high int) {
		lo, hi, low, high = math.Inf(-1), math.Inf(1), -1, -1
		for i, s := range f.sign {
			row := f.x.Row(i)
			b := s*f.want[i] - linalg.Dot(p.beta, row) - (price-p.at)*linalg.Dot(p.dBeta, row)
			if inside[i] == (s > 0) {
				if b < hi {
					hi, high = b, i
				}
			} else if b > lo {
				lo, low = b, i
			}
		}
		return lo, hi, low, high
	}
	middle := func(price float64) float64 {
		lo, hi, _, _ := at(price)
		switch {
		case math.IsInf(lo, -1) && math.IsInf(hi, 1):
			return p.b0
		case math.IsInf(lo, -1):
			return hi
		case math.IsInf(hi, 1):
			return lo
		}
		return lo + (hi-lo)/2
	}
	p.end = most
	for range len(f.sign) { // the width is concave: its tangents lead to its zero
		lo, hi, low, high := at(p.end)
		if hi >= lo || low < 0 || high < 0 {
			break
		}
		closing := linalg.Dot(p.dBeta, f.x.Row(high)) - linalg.Dot(p.dBeta, f.x.Row(low))
		if !(closing > still*(f.pace(p, high)+f.pace(p, low))) {
			break
		}
		p.end -= (lo - hi) / closing
	}
	start := middle(c)
	p.dB0 = (middle(p.end) - start) / (p.end - c)
	p.b0 = start + p.dB0*(p.at-c)
	for i, s := range f.sign {
		p.margin[i] = s * (p.b0 + linalg.Dot(p.beta, f.x.Row(i)))
		p.dMargin[i] = s * (p.dB0 + linalg.Dot(p.dBeta, f.x.Row(i)))
	}
}

// atBound is how close to 0 or C a multiplier is that is taken to be there, relative to C. A
// row on the margin whose multiplier is at a bound is no part of the elbow: either the elbow
// holds it there, as where rows coincide, or it leaves.
const atBound = 1e-12

// system is the matrix of the equations of an elbow.
func (f *path) system(elbow []int) *linalg.Dense {
	e := len(elbow)
	k := linalg.Zeros(e+1, e+1)
	for a, i := range elbow {
		for b, j := range elbow {
			k.Set(a, b, f.sign[i]*f.sign[j]*linalg.Dot(f.x.Row(i), f.x.Row(j)))
		}
		k.Set(a, e, f.sign[i])
		k.Set(e, a, f.sign[i])
	}
	return k
}

// polish solves the equations of the elbow for its multipliers, which the fit has to the root
// of its gap only, and sets all that follows from them. Of solutions within [0, C] it takes the
// one nearest to C/2 if that is one: rows that coincide have equal multipliers in it.
func (f *path) polish(p *piece) error {
	fitted := slices.Clone(p.alpha)
	for _, i := range p.elbow {
		p.alpha[i] = p.at / 2
	}
	b0 := p.b0
	if err := f.solveElbow(p); err != nil {
		return err
	}
	for _, i := range p.elbow {
		if !(min(p.alpha[i], p.at-p.alpha[i]) > p.at*atBound) {
			p.alpha, p.b0 = fitted, b0
			return f.solveElbow(p)
		}
	}
	return nil
}

// solveElbow moves the multipliers of the elbow and the intercept as little as its equations allow.
func (f *path) solveElbow(p *piece) error {
	balance, e := f.settle(p), len(p.elbow)
	if e == 0 {
		return nil
	}
	rhs := make([]float64, e+1)
	for a, i := range p.elbow {
		rhs[a] = f.want[i] - p.margin[i]
	}
	rhs[e] = -balance
	change, err := leastNorm(f.system(p.elbow), rhs)
	if err != nil {
		return err
	}
	for a, i := range p.elbow {
		p.alpha[i] += change[a]
	}
	p.b0 += change[e]
	f.settle(p)
	return nil
}

// settle sets β = Σαyx and the margins, and returns Σαy.
func (f *path) settle(p *piece) (balance float64) {
	p.beta = make([]float64, f.x.Cols)
	for i, s := range f.sign {
		linalg.Axpy(p.beta, s*p.alpha[i], f.x.Row(i))
		balance += s * p.alpha[i]
	}
	for i, s := range f.sign {
		p.margin[i] = s * (p.b0 + linalg.Dot(p.beta, f.x.Row(i)))
	}
	return balance
}

// slopes solves the equations of the piece for (μ, v₀), of least norm.
func (f *path) slopes(p *piece) error {
	e := len(p.elbow)
	v := make([]float64, f.x.Cols)
	count := 0.0
	for _, i := range p.inside {
		linalg.Axpy(v, f.sign[i], f.x.Row(i))
		count += f.sign[i]
	}
	p.dBeta = v
	rhs := make([]float64, e+1)
	for a, i := range p.elbow {
		rhs[a] = -f.sign[i] * linalg.Dot(v, f.x.Row(i))
	}
	rhs[e] = -count
	solved, err := leastNorm(f.system(p.elbow), rhs)
	if err != nil {
		return err
	}
	for a, i := range p.elbow {
		p.dAlpha[i] = solved[a]
		linalg.Axpy(v, solved[a]*f.sign[i], f.x.Row(i))
	}
	p.dB0 = solved[e]
	for _, i := range p.inside {
		p.dAlpha[i] = 1
	}
	for i, s := range f.sign {
		p.dMargin[i] = s * (p.dB0 + linalg.Dot(v, f.x.Row(i)))
	}
	return nil
}

// leastNorm solves a symmetric system that may be singular, in units that make its
// diagonal 1.
func leastNorm(k *linalg.Dense, rhs []float64) ([]float64, error) {
	n := len(rhs)
	unit := make([]float64, n)
	for i := range unit {
		unit[i] = 1
		if d := math.Abs(k.At(i, i)); d > 0 {
			unit[i] = 1 / math.Sqrt(d)
		}
	}
	scaled := linalg.Zeros(n, n)
	for i := range n {
		for j := range n {
			scaled.Set(i, j, k.At(i, j)*unit[i]*unit[j])
		}
	}
	e, err := linalg.SymEigen(scaled)
	if err != nil {
		return nil, err
	}
	largest := math.Max(math.Abs(e.Values[0]), math.Abs(e.Values[n-1]))
	b, z := make([]float64, n), make([]float64, n)
	for i := range b {
		b[i] = rhs[i] * unit[i]
	}
	for k, value := range e.Values {
		if math.Abs(value) > 1e-11*largest {
			linalg.Axpy(z, linalg.Dot(e.Vectors.Row(k), b)/value, e.Vectors.Row(k))
		}
	}
	for i := range z {
		z[i] *= unit[i]
	}
	return z, nil
}

// bound sets the end of the piece: the first C at which a row comes to the margin or a
// multiplier of the elbow to a bound.
func (f *path) bound(p *piece, most float64) {
	p.end = most
	event := func(room, speed, size float64) {
		if speed > still*size {
			p.end = math.Min(p.end, p.at+math.Max(room, 0)/speed)
		}
	}
	elbow := make(map[int]bool, len(p.elbow))
	for _, i := range p.elbow {
		elbow[i] = true
	}
	for i, a := range p.alpha {
		switch {
		case elbow[i]:
			event(a, -p.dAlpha[i], 1)
			event(p.at-a, p.dAlpha[i]-1, 1)
		case a > 0:
			event(f.want[i]-p.margin[i], p.dMargin[i], f.pace(p, i))
		default:
			event(p.margin[i]-f.want[i], -p.dMargin[i], f.pace(p, i))
		}
	}
}

// point returns the numbers of a piece at c.
func (f *path) point(p *piece, c float64) Point {
	beta, alpha := slices.Clone(p.beta), slices.Clone(p.alpha)
	linalg.Axpy(beta, c-p.at, p.dBeta)
	linalg.Axpy(alpha, c-p.at, p.dAlpha)
	for i, a := range alpha { // rounding
		alpha[i] = math.Max(0, math.Min(c, a))
	}
	return Point{C: c, Beta: beta, Intercept: p.b0 + (c-p.at)*p.dB0, Alpha: alpha, Elbow: slices.Clone(p.elbow), Inside: len(p.inside)}
}

// gap returns the relative gap of a piece at c, plus the imbalance |Σαy| relative to Σα.
func (f *path) gap(p *piece, c float64) float64 {
	k := f.point(p, c)
	primal, dual, balance, total := linalg.Dot(k.Beta, k.Beta)/2, 0.0, 0.0, 0.0
	sum := make([]float64, f.x.Cols)
	for i, s := range f.sign {
		primal += c * math.Max(0, f.want[i]-s*(k.Intercept+linalg.Dot(k.Beta, f.x.Row(i))))
		dual += f.want[i] * k.Alpha[i]
		balance += s * k.Alpha[i]
		total += k.Alpha[i]
		linalg.Axpy(sum, s*k.Alpha[i], f.x.Row(i))
	}
	dual -= linalg.Dot(sum, sum) / 2
	if total == 0 { // all rows are content with β = 0
		return primal
	}
	return math.Abs(primal-dual)/primal + math.Abs(balance)/total
}
