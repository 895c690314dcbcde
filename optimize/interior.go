package optimize

import (
	"math"

	"halfspace/linalg"
)

// interior is the state of a primal-dual interior point method for a penalised quadratic: x = u₀ − u₁ with
// u > 0, beside the slacks z₀ = l1 + g and z₁ = l1 − g > 0 of the derivatives g of all but the lasso, where each product
// uz is pressed to 0. Newton's step for these has the matrix A + l2 + 1/D with D = u₀/z₀ + u₁/z₁: ten to twenty factors
// lead to the minimum, however nearly dependent columns are. (Mehrotra's predictor and corrector: Nocedal & Wright,
// Numerical Optimization, 2006, §16.6.)
type interior struct {
	*faces
	x, at, b, q []float64 // q = A(x − at) − b

	set     []int     // the coordinates with a curvature; all that follows is by these
	side    [2]inner  // of those with a lasso
	d, over []float64 // D, and 1/D; 0 without a lasso
	sign    []float64 // of the minimum, as far as it shows
	step    []float64 // of x, by all coordinates
	turn    []float64 // A·step

	steps, halved int     // made, and when one has last halved
	least         float64 // the sum of the products
}

// inner has the u and z of a side, the steps of these, by how much z is short of the slack, and what uz is to change by.
type inner struct{ u, z, du, dz, short, by []float64 }

// mostInterior bounds the steps, of which the products are halved by one in mostIdle at least: beyond that is rounding.
const mostInterior, mostIdle = 60, 5

// enter returns the start of a run for the minimum of ½dᵀAd − bᵀd + P(x) with d = x − at: x is 0 but where there is no
// curvature, and slacks are what they were if derivatives were 0. The products are of the size of what the objective may
// fall by along a coordinate.
func (s *faces) enter(x, at, b []float64) *interior {
	n := len(x)
	p := &interior{faces: s, x: linalg.Clone(x), at: at, b: b, least: math.Inf(1),
		q: make([]float64, n), step: make([]float64, n), turn: make([]float64, n)}
	for j := range x {
		if _, l2 := s.pen.Weights(j); s.a.At(j, j)+l2 > 0 {
			p.set, p.x[j] = append(p.set, j), 0
		}
	}
	p.differ()
	room := linalg.Zeros(15, len(p.set))
	p.d, p.over, p.sign = room.Row(0), room.Row(1), room.Row(2)
	for k := range p.side {
		first := 3 + 6*k
		p.side[k] = inner{room.Row(first), room.Row(first + 1), room.Row(first + 2), room.Row(first + 3), room.Row(first + 4), room.Row(first + 5)}
	}
	gain := 0.0
	for _, j := range p.set {
		l1, l2 := s.pen.Weights(j)
		more := max(0, math.Abs(p.q[j])-l1)
		gain += more * more / (s.a.At(j, j) + l2) / float64(len(p.set))
	}
	for i, j := range p.set {
		if l1, _ := s.pen.Weights(j); l1 > 0 {
			for _, a := range p.side {
				a.u[i], a.z[i] = gain/l1, l1
			}
		}
	}
	return p
}

// differ finds q.
func (p *interior) differ() {
	d := linalg.Clone(p.x)
	if p.at != nil {
		linalg.Axpy(d, -1, p.at)
	}
	linalg.MulVec(p.q, p.a, d, p.workers)
	linalg.Axpy(p.q, -1, p.b)
}

// advance makes a step and reports whether it could, and should.
func (p *interior) advance() bool {
	total := p.measure()
	p.steps++
	if total < p.least/2 {
		p.least, p.halved = total, p.steps
	}
	if !(total > 0) || p.steps > mostInterior || p.steps-p.halved > mostIdle || p.work.Done() {
		return false
	}
	factor, _ := p.factor(p.set, 1, p.over)
	if factor != nil {
		p.correct(factor, total)
	}
	return factor != nil
}

// measure finds D and what the slacks lack, and returns the sum of all products.
func (p *interior) measure() (total float64) {
	for i, j := range p.set {
		l1, l2 := p.pen.Weights(j)
		g := p.q[j] + l2*p.x[j]
		p.d[i] = 0
		for _, a := range p.side {
			if l1 > 0 {
				a.short[i], a.by[i] = l1+g-a.z[i], -a.u[i]*a.z[i]
				p.d[i] += a.u[i] / a.z[i]
				p.over[i] = 1 / p.d[i]
				total -= a.by[i]
			}
			g = -g
		}
	}
	return total
}

// correct makes a step from where the products have such a sum.
func (p *interior) correct(factor *linalg.Cholesky, total float64) {
	p.direct(factor)
	length, after := p.length(), 0.0
	for _, a := range p.side {
		for i := range a.u {
			after += (a.u[i] + length*a.du[i]) * (a.z[i] + length*a.dz[i])
		}
	}
	share := after / total
	for _, a := range p.side {
		for i := range a.u {
			a.by[i] += share*share*share*total/float64(2*len(p.set)) - a.du[i]*a.dz[i]
		}
	}
	p.direct(factor)
	length = nearBorder * p.length()
	for _, a := range p.side {
		linalg.Axpy(a.u, length, a.du)
		linalg.Axpy(a.z, length, a.dz)
	}
	for i, j := range p.set {
		if p.d[i] > 0 {
			p.x[j] = p.side[0].u[i] - p.side[1].u[i]
		} else {
			p.x[j] += length * p.step[j]
		}
	}
	p.differ()
}

// direct makes the steps that change the products as they are to.
func (p *interior) direct(factor *linalg.Cholesky) {
	right := make([]float64, len(p.set))
	a, b := &p.side[0], &p.side[1]
	for i, j := range p.set {
		_, l2 := p.pen.Weights(j)
		if right[i] = -p.q[j] - l2*p.x[j]; p.d[i] > 0 {
			right[i] = ((a.by[i]-a.u[i]*a.short[i])/a.z[i] - (b.by[i]-b.u[i]*b.short[i])/b.z[i]) / p.d[i]
		}
	}
	factor.Solve(right)
	for i, j := range p.set {
		p.step[j] = right[i]
	}
	linalg.MulVec(p.turn, p.a, p.step, p.workers)
	for i, j := range p.set {
		if p.d[i] == 0 {
			continue
		}
		_, l2 := p.pen.Weights(j)
		a, b, step, turn := a, b, right[i], p.turn[j]+l2*right[i]
		if a.u[i]*b.z[i] < b.u[i]*a.z[i] {
			a, b, step, turn = b, a, -step, -turn
		}
		// The greater u follows from the step, so that the z that falls to 0 does not divide the rounding errors of turn.
		b.dz[i] = b.short[i] - turn
		b.du[i] = (b.by[i] - b.u[i]*b.dz[i]) / b.z[i]
		a.du[i] = step + b.du[i]
		a.dz[i] = (a.by[i] - a.z[i]*a.du[i]) / a.u[i]
	}
}

// nearBorder is the share of a step up to where a u or z would be 0 that is made.
const nearBorder = 0.995

// length returns by how many of the steps, at most as many as make a whole one, no u or z is negative.
func (p *interior) length() float64 {
	most := 1 / nearBorder
	for _, a := range p.side {
		for i, u := range a.u {
			most = min(most, reach(u, a.du[i]), reach(a.z[i], a.dz[i]))
		}
	}
	return most
}

// reach returns how often v can move by d.
func reach(v, d float64) float64 {
	if d < 0 {
		return -v / d
	}
	return math.Inf(1)
}

// settled finds the signs of the minimum, where that of a coordinate is not 0 if its own curvature outweighs 1/D, and reports
// whether they are those of the step before.
func (p *interior) settled() bool {
	same := true
	for i, j := range p.set {
		sign := math.Copysign(1, p.x[j])
		if _, l2 := p.pen.Weights(j); p.over[i] > p.a.At(j, j)+l2 {
			sign = 0
		}
		same = same && sign == p.sign[i]
		p.sign[i] = sign
	}
	return same
}

// leave sets x to the point with the signs of the minimum.
func (p *interior) leave(x []float64) {
	copy(x, p.x)
	for i, j := range p.set {
		if p.sign[i] == 0 {
			x[j] = 0
		}
	}
}
