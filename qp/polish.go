package qp

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

const (
	maxFree     = 1500  // free variables for which those equations are worth solving; [thresholds] has those without a factor
	corrections = 1000  // default cap
	idle        = 100   // corrections that may pass without halving the worst violation, and one a variable where there is no haste;
	fewIdle     = 10    // of few variables so many, and one more for each: of 340,000 draws of up to 12 that ended well 99 % took less
	effort      = 1e10  // multiplications in factors, some seconds, after which it gives up
	exactEffort = 2e8   // multiplications in exact factors, 0.1 s, that are spent before it saves
	throughB    = 24    // products of B with a vector that a solution through it takes
	cheapOrder  = 64    // free variables up to which the f³/3 multiplications of a factor take no time
	exactness   = 1e-12 // violation of a reduced gradient, relative to the largest gradient, that counts as none
	lastTries   = 3     // corrections that may pass then without halving it, where the gap is above the tolerance
)

// polisher takes an α near the solution, such as the end of the interior-point method
// or of [SMO], to the solution: it guesses which variables are at which bound, solves
// the equations of the others, and corrects the guess one variable at a time, a
// primal active-set method (Nocedal & Wright, Numerical Optimization, algorithm
// 16.3). A correction costs a product with Q and the equations of f free variables
// ([block]), and those again for each variable that meets a bound on the way; with
// more than 1500 free (3000 where Q has no factor), or where the outcome is no better, the start is what comes back.
type polisher struct {
	*state
	b    float64
	free []int   // variables strictly inside, or let go
	mark []bool  // which are free
	k    *block  // their equations, nil where these are to be made
	work float64 // multiplications so far
	size float64 // the largest |gradient|, the unit of violations
	gap  float64 // of α and b

	maxViolators int     // violations at the start above which it gives up; 0: any number will do
	mostFree     int     // free variables with which it gives up
	most         float64 // multiplications that it may spend
	hasty        bool    // give up where corrections lead nowhere: another method is at hand
}

func newPolisher(st *state, b float64) *polisher {
	return &polisher{state: st, b: b, mark: make([]bool, st.m), mostFree: measured.mostFree, most: effort}
}

// classify puts the variables at bounds that are nearer to them, in units of the
// largest distance from a lower bound (or of their width, if that is less), than
// their reduced gradient is to 0, in units of the largest.
func (w *polisher) classify() {
	unit, extent := 0.0, 0.0
	for i, a := range w.alpha {
		if w.up[i] > w.lo[i] {
			unit = max(unit, math.Abs(w.reduced(i, w.b)))
			extent = max(extent, a-w.lo[i])
		}
	}
	unit = max(unit, math.SmallestNonzeroFloat64)
	for i, a := range w.alpha {
		r, width := w.reduced(i, w.b)/unit, min(w.up[i]-w.lo[i], extent)
		switch {
		case width == 0:
			w.alpha[i] = w.lo[i]
		case a-w.lo[i] < r*width || a == w.lo[i]:
			w.alpha[i] = w.lo[i]
		case w.up[i]-a < -r*width || a == w.up[i]:
			w.alpha[i] = w.up[i]
		default:
			w.mark[i] = true
		}
	}
}

// purify moves free variables of a [Factored] Q to their bounds, at constant Aᵀα and sᵀα, until the rows
// of those that are left are independent: p+1 at most. A solution whose rows lie on the margin in
// hundreds has many α, and the corner among them costs O(p²) a variable or a group of them to find, where the
// equations of all cost O(f³). It leaves guesses of few more than these alone.
func (w *polisher) purify() {
	w.listFree()
	if w.f == nil || len(w.free) < max(cheapOrder+1, 5*w.f.Rank()) {
		return
	}
	for w.purifyGroups() {
	}
	b := newBasis(w.state, w.free)
	order := linalg.Sequence(len(w.free))
	linalg.SortFunc(order, func(a, c int) int { return cmp.Compare(w.room(w.free[c]), w.room(w.free[a])) })
	for _, a := range order {
		if !w.take(b, a) {
			break
		}
	}
}

// room returns the distance of αᵢ from the nearer of its bounds.
func (w *polisher) room(i int) float64 { return min(w.alpha[i]-w.lo[i], w.up[i]-w.alpha[i]) }

// take puts the free variable at position a into the basis or, where its row depends on those,
// moves it to a bound or one of them, whose place it takes. It reports whether it could.
func (w *polisher) take(b *basis, a int) bool {
	c := b.coordinates(a)
	if c == nil {
		return b.join(a)
	}
	i := w.free[a]
	step, sign, out := w.up[i]-w.alpha[i], 1.0, -1
	if down := w.alpha[i] - w.lo[i]; down < step {
		step, sign = down, -1
	}
	for e, v := range c {
		if math.Abs(v) <= exactness { // rounding
			continue
		}
		j := w.free[b.list[e]]
		reach := w.alpha[j] - w.lo[j] // αⱼ changes by −sign·v
		if sign*v < 0 {
			reach = w.up[j] - w.alpha[j]
		}
		if math.Abs(v)*step > reach {
			step, out = reach/math.Abs(v), e
		}
	}
	w.shift(i, sign, step, out < 0)
	for e, v := range c {
		w.shift(w.free[b.list[e]], -sign*v, step, e == out)
	}
	if out >= 0 {
		b.replace(out, a)
	}
	return true
}

// shift adds step·d to αᵢ, and takes i out of the free variables where that is to end at a bound.
func (w *polisher) shift(i int, d, step float64, ends bool) {
	w.alpha[i] = min(max(w.alpha[i]+step*d, w.lo[i]), w.up[i])
	if !ends {
		return
	}
	if w.mark[i] = false; d < 0 {
		w.alpha[i] = w.lo[i]
	} else {
		w.alpha[i] = w.up[i]
	}
}

// listFree sets free from mark, in the order of the equations where these could adapt.
func (w *polisher) listFree() {
	if w.k != nil && w.k.adapt(w.mark) {
		w.free = append(w.free[:0], w.k.free...)
		return
	}
	w.k, w.free = nil, w.free[:0]
	for i, f := range w.mark {
		if f {
			w.free = append(w.free, i)
		}
	}
}

// run corrects the guess until it is right, and returns the better of that and the
// start.
func (w *polisher) run() outcome {
	before := w.result(w.b)
	before.Alpha, before.Gradient, before.V = linalg.Clone(w.alpha), linalg.Clone(w.grad), linalg.Clone(w.v)
	w.progress.Allow(cmp.Or(w.maxIter, corrections))
	w.classify()
	w.purify()
	w.refresh()
	status := w.correct()
	exact := status == optimize.Converged
	w.progress.End(status)
	w.snap()
	w.resum(w.multiplier)
	w.b = w.multiplier()
	after := w.finish(w.b)
	after.exact = exact
	if !(after.res.Gap <= before.Gap || exact && after.err == nil && after.res.Gap <= before.Gap+w.noise()) || !w.balanced() {
		copy(w.alpha, before.Alpha)
		copy(w.grad, before.Gradient)
		copy(w.v, before.V)
		return w.finish(before.Multiplier)
	}
	return after
}

// correct releases the variable that violates the conditions most, minimises over
// those that are free, and so on, until none violates them by more than rounding. It
// returns how that ended.
func (w *polisher) correct() optimize.Status {
	halved, last, since, most := math.Inf(1), 0.0, 0, min(idle, fewIdle+w.m)
	for first := true; ; first = false {
		w.listFree()
		if !w.minimize() {
			return optimize.LineSearch
		}
		if !first {
			w.progress.Count()
		}
		if w.f == nil {
			w.refresh()
		} else {
			w.follow()
		}
		if len(w.free) == 0 {
			w.b = w.multiplier()
		}
		worst, violation, count := w.violator()
		if w.maxViolators > 0 && first && count > w.maxViolators {
			return optimize.LineSearch
		}
		if w.progress.Show(w.alpha, w.objective(), violation/w.size, 0) {
			return optimize.Stopped
		}
		if violation < halved/2 {
			halved, since = violation, 0
		} else {
			since++
		}
		switch {
		case since > most && (w.hasty || since > most+w.m), since > fewIdle && w.small(w.gap, w.objective()-w.gap, w.tol):
			return optimize.LineSearch
		case violation <= exactness*w.size && (since > lastTries || w.small(w.gap, w.objective()-w.gap, w.tol)):
			return optimize.Converged
		case w.progress.Spent():
			return optimize.MaxIterations
		}
		w.most -= float64(w.m) * w.width() // a product with Q
		if w.mark[worst] && (w.k == nil || !w.k.sharpen(violation < last)) {
			w.k = nil // rounding in the equations
		}
		last = violation
		w.release(worst)
	}
}

// noise is a gap that the rounding of the reduced gradients explains: an exact
// solution can have it where one inside the bounds, worse in every other way, has
// not.
func (w *polisher) noise() float64 {
	room := 0.0
	for i, u := range w.up {
		room += u - w.lo[i]
	}
	return 1e-14 * w.size * room
}

// balanced reports whether α meets the equality.
func (w *polisher) balanced() bool { return w.missing(1e-12) == 0 }

// inside reports whether αᵢ is strictly between its bounds.
func (w *polisher) inside(i int) bool { return w.alpha[i] > w.lo[i] && w.alpha[i] < w.up[i] }

// violator returns the variable whose reduced gradient violates the conditions
// most, by how much, and the number of those that do; and it sets size and gap.
func (w *polisher) violator() (worst int, violation float64, count int) {
	w.size, w.gap = 0, 0
	for i, a := range w.alpha {
		if w.up[i] == w.lo[i] {
			continue
		}
		r := w.reduced(i, w.b)
		w.size = max(w.size, math.Abs(r), math.Abs(w.lin[i]))
		if r > 0 && a > w.lo[i] || r < 0 && a < w.up[i] {
			count++
			w.gap += max(r*(a-w.lo[i]), r*(a-w.up[i]))
			if v := math.Abs(r); v > violation {
				worst, violation = i, v
			}
		}
	}
	return worst, violation, count
}

// release frees variable i. Where no other is inside to balance the equality, its
// partner is the one that violates most in the other direction.
func (w *polisher) release(i int) {
	w.mark[i] = true
	if w.s == nil || slices.ContainsFunc(w.free, w.inside) {
		return
	}
	rising := w.reduced(i, w.b)*w.s[i] < 0
	partner, most := -1, math.Inf(-1)
	for j, a := range w.alpha {
		v := w.reduced(j, w.b) * w.s[j]
		if !rising {
			v = -v
		}
		can := a > w.lo[j]
		if rising != (w.s[j] > 0) {
			can = a < w.up[j]
		}
		if can && j != i && v > most {
			partner, most = j, v
		}
	}
	if partner >= 0 {
		w.mark[partner] = true
	}
}

// minimize moves the free variables to the minimum of the objective over them,
// fixing those that meet a bound on the way. The gradient of the free variables
// and b are kept up to date; that of the others is not. It reports whether the
// equations could be solved.
func (w *polisher) minimize() bool {
	for len(w.free) > 0 {
		if w.k == nil {
			f := float64(len(w.free))
			if f > float64(w.mostFree) || f > maxFree && w.f != nil {
				return false
			}
			if w.k = newBlock(w.state, w.free, w.saves(f*f*f/3)); w.k == nil {
				return false
			}
		}
		w.work += w.k.work
		if w.k.work = 0; w.work > w.most {
			return false
		}
		d, b, ok := w.direction(w.k)
		if !ok {
			return false
		}
		step, met := w.reach(d, 1)
		w.along(d, step)
		if met < 0 && w.k.delta*linalg.NormInf(d) > exactness*w.size { // gradients −δd are left
			further := w.k.delta * linalg.Dot(d, d) / w.k.curvature(d)
			if end, at := w.reach(d, math.Inf(1)); at >= 0 && further > 1 { // not where no bound ends a flat direction
				if further >= end {
					further, met = end, at
				}
				w.along(d, further)
			}
		}
		if met < 0 {
			w.b = b
			w.fixBounded()
			return true
		}
		i := w.free[met]
		if d[met] < 0 {
			w.alpha[i] = w.lo[i]
		} else {
			w.alpha[i] = w.up[i]
		}
		w.mark[i] = false
		w.free = slices.Delete(w.free, met, met+1)
		if w.saves(w.k.dropping()) || !w.k.drop(met) {
			w.k = nil
		}
	}
	return true
}

// move adds d to αᵢ within its bounds. What rounding leaves between it and a bound is none: a
// variable at its bound says nothing about b.
func (w *polisher) move(i int, d float64) {
	rounding := 0x1p-48 * max(math.Abs(w.alpha[i]), math.Abs(d))
	switch a := w.alpha[i] + d; {
	case a-w.lo[i] <= rounding:
		w.alpha[i] = w.lo[i]
	case w.up[i]-a <= rounding:
		w.alpha[i] = w.up[i]
	default:
		w.alpha[i] = a
	}
}

// saves reports whether work more on exact factors is too much, and B is to be had for less.
func (w *polisher) saves(work float64) bool {
	if w.f == nil || w.work+work <= exactEffort {
		return false
	}
	f, p := float64(len(w.free)), w.width()+1
	return f > max(p, cheapOrder) && f*p*(p/2+throughB) < work
}

// fixBounded takes the free variables that came to lie on a bound out of free.
func (w *polisher) fixBounded() {
	for _, i := range w.free {
		w.mark[i] = w.inside(i)
	}
	w.listFree()
}

// direction solves  (K + δI)d − b·s = −g,  sᵀd = Δ − sᵀα  on the free variables.
func (w *polisher) direction(k *block) (d []float64, b float64, ok bool) {
	d = make([]float64, len(w.free))
	for a, i := range w.free {
		d[a] = -w.grad[i]
	}
	k.solve(d)
	if w.s != nil {
		miss, s := w.missing(rounded), k.solveSigns()
		ds, ss := 0.0, 0.0
		for a, i := range w.free {
			ds += w.s[i] * d[a]
			ss += w.s[i] * s[a]
		}
		// The square changes nothing but b, since sᵀd is known.
		t := (miss - ds) / ss
		linalg.Axpy(d, t, s)
		b = t - k.scale*miss
	}
	return d, b, linalg.CheckFinite("", d) == nil
}

// along moves the free variables by step·d.
func (w *polisher) along(d []float64, step float64) {
	for a, i := range w.free {
		w.move(i, step*d[a])
		if w.f != nil {
			w.f.AddRow(w.v, i, step*d[a])
		}
	}
	w.k.addProduct(w.grad, d, step)
}

// reach returns the largest step along d inside the bounds and no longer than most, and the
// position of the variable that stops it, or −1.
func (w *polisher) reach(d []float64, most float64) (step float64, met int) {
	step, met = most, -1
	for a, i := range w.free {
		room := math.Inf(1)
		switch {
		case d[a] < 0:
			room = (w.lo[i] - w.alpha[i]) / d[a]
		case d[a] > 0:
			room = (w.up[i] - w.alpha[i]) / d[a]
		}
		if room < step {
			step, met = max(room, 0), a
		}
	}
	return step, met
}

// scaledUp states the result, where every qᵢ is −1, with v and b so much larger that no variable below its
// upper bound has a reduced gradient below 0: prices of 1e8 make a wide gap of reduced gradients of −1e-16, and
// ½‖v − Aᵀα‖² of the scale is nothing beside it.
func (st *state) scaledUp(b float64) outcome {
	short := 0.0
	for i, a := range st.alpha {
		if st.lin[i] != -1 {
			return st.finish(b)
		}
		if a < st.up[i] {
			short = max(short, -st.reduced(i, b))
		}
	}
	scale := 1 + 2*short + scaleMargin
	linalg.Scale(st.v, scale)
	st.follow()
	return st.finish(b * scale)
}

// scaleMargin exceeds the rounding of the scaled products.
const scaleMargin = 1e-14

func (c *chain) polishStart() outcome {
	w := newPolisher(c.clone(), c.b)
	w.maxViolators = c.warmViolators
	if c.f != nil {
		w.maxViolators += c.f.Rank() / 2
	}
	return w.run()
}

// polishZero makes some corrections from 0. Its result has to hold its certificate, if need be scaled up.
func (c *chain) polishZero() outcome {
	return c.within(fewCorrections, func(st *state) outcome {
		if c.started {
			clear(st.alpha)
			st.refresh()
		}
		r := newPolisher(st, st.multiplier()).run()
		proven := outcome{res: r.res, err: r.err}
		if r.exact && st.f != nil && !c.ends(proven) {
			return st.scaledUp(r.res.Multiplier)
		}
		return proven
	})
}
