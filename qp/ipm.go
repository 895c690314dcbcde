package qp

import (
	"cmp"
	"math"

	"halfspace/linalg"
	"halfspace/optimize"
)

const (
	ipmIterations = 100
	boundary      = 0.995 // share of the way to the boundary that a step may go
	patience      = 30    // steps that may pass without halving the gap; the first dozen often do
	unsettled     = 1e-12 // of Σ|α| that rounding may add to a step
)

// ipm is the state of Mehrotra's predictor-corrector method for a Q = AAᵀ. With
// a = α − l, t = u − α and their multipliers z, w each step solves
//
//	(AAᵀ + Θ)dα − s·db = ρ,  sᵀdα = Δ − sᵀα,  Θ = z/a + w/t,
//
// through the smaller [equations] of v = Aᵀα (Nocedal & Wright, Numerical Optimization,
// algorithm 16.4). Some 10 to 30 steps reach a gap of 1e-9. The solution is interior: no
// αᵢ is exactly at its bound until the polisher puts it there.
//
// Vectors have length m unless said otherwise.
type ipm struct {
	*state
	eq         equations
	v          []float64 // the coordinates of v ≈ Aᵀα
	drift      []float64 // those of Aᵀα − v
	largest    float64   // the size of v when drift was last computed
	b          float64
	s          []float64 // the signs, 0 without an equality
	a, t, z, w []float64 // slacks and multipliers of the lower and upper bound; t may be +Inf, with w = 0
	ia, it     []float64 // 1/a and 1/t, 0 for a variable without room
	pairs      float64   // number of slacks that are positive and finite
	d          []float64 // 1/Θ, 0 for a variable without room
	rho, da    []float64
	cz, cw     []float64 // second-order terms of the corrector
	rhs        []float64 // of the equations, and their solution
	adv        []float64 // A·dv
	gap        float64   // when it was last measured
	best       incumbent
	work       float64 // multiplications in the equations
	lost       bool    // steps have come to an end
}

// newIPM works on the equations of the factor of Q or, where it has none, on those of the
// products of rows.
func newIPM(st *state) *ipm {
	vec := func(n int) []float64 { return make([]float64, n) }
	m := st.m
	w := &ipm{state: st, s: st.s, a: vec(m), t: vec(m), z: vec(m), w: vec(m), ia: vec(m), it: vec(m),
		d: vec(m), rho: vec(m), da: vec(m), cz: vec(m), cw: vec(m), adv: vec(m), best: incumbent{merit: math.Inf(1)}}
	if w.s == nil {
		w.s = vec(m)
	}
	if st.f != nil {
		w.eq, w.v = &factorEquations{f: st.f, s: st.s}, st.v
	} else {
		q := st.q.(*rowProducts)
		w.eq, w.v = newProductEquations(q, st.s != nil), vec(q.k.Rows)
	}
	w.drift, w.rhs = vec(len(w.v)), vec(len(w.v)+1)
	return w
}

// enter starts in the middle of the box, at the v of the variables without room, which is mostly 0, with multipliers
// of the size of q. That is feasible neither for the equality nor for the dual nor, but where the box is about 0, for
// v = Aᵀα, which takes a third of the steps of starts that are, and no more of them where A is huge. At v = Aᵀl,
// with bounds of −C and C, the rounding of a v so large hid the objective where A was 1e7.
func (w *ipm) enter() {
	level := linalg.NormInf(w.lin)
	if level == 0 {
		level = 1
	}
	for i := range w.a {
		switch width := w.up[i] - w.lo[i]; {
		case math.IsInf(width, 1):
			w.a[i], w.t[i], w.z[i] = 1, width, level
			w.pairs++
		case width > 0:
			w.a[i], w.t[i], w.z[i], w.w[i] = width/2, width/2, level, level
			w.pairs += 2
		}
		w.alpha[i] = w.lo[i] + w.a[i]
	}
	for i, a := range w.a {
		if w.rho[i], w.da[i] = 0, w.alpha[i]; a == 0 { // without room, which no step makes good
			w.rho[i], w.da[i] = w.alpha[i], 0
		}
	}
	w.eq.back(w.v, w.rho)
	w.eq.back(w.drift, w.da)
	w.eq.along(w.grad, w.v)
	linalg.Axpy(w.grad, 1, w.lin)
}

// rebase finds how far v has come from Aᵀα, as far as that is more than the
// rounding error of the sum; the next steps make it good.
func (w *ipm) rebase() {
	w.eq.back(w.drift, w.alpha)
	linalg.Axpy(w.drift, -1, w.v)
	noise := 0.0
	for i, a := range w.alpha {
		noise += math.Abs(a) * math.Sqrt(w.diag[i])
	}
	if w.eq.size(w.drift) <= 1e-16*noise {
		clear(w.drift)
	}
	w.largest = w.eq.size(w.v)
}

// adopt makes v Aᵀα itself, where only that is published.
func (w *ipm) adopt() {
	if w.f == nil {
		w.eq.back(w.v, w.alpha)
		clear(w.drift)
		w.refresh()
	}
}

// run makes steps until the gap is at most until.
func (w *ipm) run(until float64) outcome {
	w.progress.Allow(cmp.Or(w.maxIter, ipmIterations))
	w.progress.End(w.iterate(until))
	return w.leave()
}

// iterate makes the steps and returns how they ended.
func (w *ipm) iterate(until float64) optimize.Status {
	halved, since := math.Inf(1), 0
	for {
		gap, f, miss := w.measure()
		if gap <= until && miss <= feasible {
			w.rebase()
			w.adopt()
			gap, f, miss = w.measure()
		}
		if w.progress.Show(w.alpha, f, gap, 0) {
			return optimize.Stopped
		}
		merit := w.gap + miss*math.Abs(f)
		w.best.keep(w.alpha, w.v, w.b, merit)
		switch {
		case gap <= until && miss <= feasible:
			return optimize.Converged
		case w.progress.Spent():
			w.back()
			w.lost = true
			return optimize.MaxIterations
		case merit < halved/2:
			halved, since = merit, 0
		default:
			since++
		}
		// So long without halving the gap: rounding has the last word.
		if since > patience || !w.step() {
			w.back()
			w.lost = true
			return optimize.LineSearch
		}
		w.progress.Count()
	}
}

// back returns to the best point.
func (w *ipm) back() {
	w.b = w.best.b
	copy(w.alpha, w.best.alpha)
	copy(w.v, w.best.v)
}

// incumbent is the best point that steps have passed: rounding can drive them away
// from it.
type incumbent struct {
	merit, b float64
	alpha, v []float64
}

func (p *incumbent) keep(alpha, v []float64, b, merit float64) {
	if merit < p.merit {
		p.merit, p.b = merit, b
		p.alpha, p.v = append(p.alpha[:0], alpha...), append(p.v[:0], v...)
	}
}

// measure returns the relative gap, the objective and how far α misses the
// equality, relative to Σ|α|.
func (w *ipm) measure() (gap, f, miss float64) {
	size, sum := 0.0, 0.0
	for i, x := range w.alpha {
		r := w.grad[i] - w.b*w.s[i]
		sum += w.s[i] * x
		size += math.Abs(x)
		switch {
		case r >= 0:
			gap += r * w.a[i]
		case w.t[i] <= math.MaxFloat64:
			gap -= r * w.t[i]
		default:
			gap += w.a[i] * w.z[i] // an infinite bound: complementarity stands in
		}
	}
	f = w.eq.square(w.v)/2 + linalg.Dot(w.lin, w.alpha)
	gap += w.eq.square(w.drift) / 2
	if w.state.s != nil {
		miss = math.Abs(sum-w.sum) / max(size, math.Abs(w.sum), math.SmallestNonzeroFloat64)
	}
	w.gap = gap
	return gap / max(math.Abs(f-gap), w.least, math.SmallestNonzeroFloat64), f, miss
}

// step makes one predictor-corrector step and reports whether it could.
func (w *ipm) step() bool {
	mu := w.weigh() / w.pairs
	m, p := float64(w.m), float64(len(w.v))
	w.work += p*p*(m+p/3)/2 + m*(6*p+40)
	if !w.eq.factor(w.d) {
		return false
	}
	for i, g := range w.grad {
		w.rho[i] = w.d[i] * (w.b*w.s[i] - g)
	}
	w.direction()
	sigma := math.Pow(max(0, w.foresee(w.reach()))/w.pairs/mu, 3)
	mu *= sigma
	for i, g := range w.grad {
		w.rho[i] = w.d[i] * (w.b*w.s[i] - g + (mu-w.cz[i])*w.ia[i] - (mu-w.cw[i])*w.it[i])
	}
	return w.advance(w.direction(), mu)
}

// weigh sets D = Θ⁻¹ and the inverse slacks and returns Σaz + Σtw.
func (w *ipm) weigh() float64 {
	total := 0.0
	for i, a := range w.a {
		if a == 0 {
			continue // without room: d, ia and it stay 0
		}
		t := w.t[i]
		w.ia[i] = 1 / a
		theta := w.z[i] * w.ia[i]
		total += a * w.z[i]
		if t <= math.MaxFloat64 {
			w.it[i] = 1 / t
			theta += w.w[i] * w.it[i]
			total += t * w.w[i]
		}
		w.d[i] = 1 / theta
	}
	return total
}

// direction solves for the right-hand side Dρ in rho: it sets da and A·dv in adv,
// and returns db.
func (w *ipm) direction() (db float64) {
	w.eq.back(w.rhs[1:], w.rho)
	open := w.sum - linalg.Dot(w.s, w.alpha)
	w.rhs[0] = 0
	if w.state.s != nil {
		w.rhs[0] = linalg.Dot(w.s, w.rho) - open
	}
	linalg.Axpy(w.rhs[1:], 1, w.drift)
	w.eq.solve(w.rhs)
	w.eq.along(w.adv, w.rhs[1:])
	db = -w.rhs[0]
	enlarged, size := 0.0, 0.0
	for i, r := range w.rho {
		w.da[i] = r + w.d[i]*(db*w.s[i]-w.adv[i])
		enlarged += w.d[i] * (math.Abs(db) + math.Abs(w.adv[i]))
		size += math.Abs(w.alpha[i])
	}
	w.eq.settle(w.da, w.rhs[1:], w.drift, open, 0x1p-53*enlarged > unsettled*size)
	return db
}

// reach returns the largest step ≤ 1 of the predictor that keeps slacks and
// multipliers non-negative.
func (w *ipm) reach() float64 {
	step := 1.0
	for i, d := range w.da {
		step = limit(step, w.a[i], d)
		step = limit(step, w.t[i], -d)
		step = limit(step, w.z[i], -w.z[i]*(1+d*w.ia[i]))
		step = limit(step, w.w[i], -w.w[i]*(1-d*w.it[i]))
	}
	return step
}

// foresee sets the second-order terms of the predictor and returns what Σaz + Σtw
// would be after a step of that length.
func (w *ipm) foresee(step float64) float64 {
	total := 0.0
	for i, d := range w.da {
		dz, dw := -w.z[i]*(1+d*w.ia[i]), -w.w[i]*(1-d*w.it[i])
		w.cz[i], w.cw[i] = d*dz, -d*dw
		total += (w.a[i] + step*d) * (w.z[i] + step*dz)
		if w.w[i] > 0 {
			total += (w.t[i] - step*d) * (w.w[i] + step*dw)
		}
	}
	return total
}

// limit returns the smaller of step and the distance at which x + step·d is 0.
func limit(step, x, d float64) float64 {
	if d < 0 && x < -d*step {
		return -x / d
	}
	return step
}

// advance takes the corrector's step and reports whether it has a length.
func (w *ipm) advance(db, mu float64) bool {
	step := 1 / boundary
	for i, d := range w.da {
		// cz and cw hold the second-order terms until here; from here dz and dw.
		dz := (mu-w.cz[i]-w.z[i]*d)*w.ia[i] - w.z[i]
		dw := (mu-w.cw[i]+w.w[i]*d)*w.it[i] - w.w[i]
		w.cz[i], w.cw[i] = dz, dw
		step = limit(step, w.a[i], d)
		step = limit(step, w.t[i], -d)
		step = limit(step, w.z[i], dz)
		step = limit(step, w.w[i], dw)
	}
	step *= boundary
	if !(step > 0) || db-db != 0 {
		return false
	}
	for i, d := range w.da {
		w.alpha[i] += step * d
		w.a[i] += step * d
		w.t[i] -= step * d
		w.z[i] += step * w.cz[i]
		w.w[i] += step * w.cw[i]
	}
	linalg.Axpy(w.grad, step, w.adv)
	linalg.Axpy(w.v, step, w.rhs[1:])
	w.b += step * db
	linalg.Scale(w.drift, 1-step)
	// What was lost to rounding when v was large shows when it is small.
	if w.eq.size(w.v) < w.largest/16 {
		w.rebase()
	}
	return true
}

// leave moves α into its bounds, where rounding may have left it outside, and
// states the result.
func (w *ipm) leave() outcome {
	for i := range w.alpha {
		w.alpha[i] = min(max(w.alpha[i], w.lo[i]), w.up[i])
	}
	if w.f == nil {
		w.refresh()
	} else {
		w.follow()
		w.resum(func() float64 { return w.b })
	}
	return w.finish(w.b)
}
