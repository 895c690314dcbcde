package qp

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

const (
	smoothSteps = 30   // steps after which the interior point has its turn
	zoneRatio   = 8    // by which the zone becomes narrower at a time
	smallStep   = 2    // decrease that a step promises, in units of the gap, below which the zone becomes narrower
	noStep      = 1e-3 // and below which the last zone is left
	farAway     = 1e3  // steps along which the objective falls still lead away from v = 0
	lastZone    = 1.25 // variables in the last zone, in units of the p+1 that can be free: corrections of few cost least
)

// smoother solves a [Factored] Q with finite bounds approximately, by Newton's
// method on the dual problem in (v, b) with its corners rounded. The dual
//
//	min ½‖v‖² − bΔ + Σ max over lᵢ ≤ αᵢ ≤ uᵢ of −αᵢrᵢ,  r = Av + q − b·s,
//
// has a corner at each rᵢ = 0 (for the soft margin it is the primal: ½‖β‖² and the
// hinge losses). With −(ω/2)(αᵢ − mᵢ)²/(uᵢ − lᵢ), m the middle, added to each
// term, α is mᵢ − (uᵢ − lᵢ)rᵢ/ω moved into its bounds, and the sum is quadratic in the
// zone |rᵢ| < ω/2 and linear outside (Huber's loss; see Chapelle, Training a
// support vector machine in the primal, Neural Computation 19, 2007). Newton's
// equations are those of [ipm] over the rows in the zone alone, and as ω
// falls these become few: a step costs O(mp) beside them. The multipliers of the
// last zone go to the polisher.
type smoother struct {
	*state
	b        float64
	omega    float64
	r, dr    []float64 // length m
	center   []float64 // m, the middle of the bounds
	d        []float64 // (uᵢ − lᵢ)/ω in the zone, else 0
	stays    bool      // the zone is as narrow as it is to be, and v about 0
	quiet    int       // steps in a row that promised next to nothing
	step, at []float64 // length p+1: Newton's (−db, dv), and minus the gradient
	inside   []float64 // |r| of those in the zone
	normal   normal
}

// newSmoother begins at v = 0 and b = 0, and overwrites the point of st.
func newSmoother(st *state) *smoother {
	vec := func(n int) []float64 { return make([]float64, n) }
	p := st.f.Rank()
	clear(st.v)
	w := &smoother{state: st, omega: 4 * linalg.NormInf(st.lin), r: linalg.Clone(st.lin), dr: vec(st.m), d: vec(st.m),
		center: vec(st.m), step: vec(p + 1), at: vec(p + 1)}
	for i, lo := range st.lo {
		w.center[i] = (lo + st.up[i]) / 2
	}
	return w
}

// startAt begins at v and b with a zone of width omega instead.
func (w *smoother) startAt(v []float64, b, omega float64) {
	w.b, w.omega = b, omega
	copy(w.v, v)
	w.f.Apply(w.r, v)
	for i, q := range w.lin {
		w.r[i] += q - b*w.sign(i)
	}
}

// run makes steps until the last zone has nothing left to give, and gives up after
// 30 steps or where the equations cannot be solved.
func (w *smoother) run(float64) outcome {
	w.progress.Allow(cmp.Or(w.maxIter, smoothSteps))
	for range smoothSteps {
		w.clip()
		gap := w.residual()
		if f := w.objective(); w.progress.Show(w.alpha, f, gap/max(1, math.Abs(f)), 0) || w.progress.Spent() {
			return w.leave()
		}
		settled, ok := w.newton(gap)
		if !ok {
			return outcome{}
		}
		if settled && (w.stays || !w.narrowZone()) && w.quiet >= 2 {
			w.clip()
			return w.leave()
		}
		w.progress.Count()
	}
	return outcome{}
}

// clip sets α and d from r.
func (w *smoother) clip() {
	for i, r := range w.r {
		w.clipOne(i, r)
	}
}

// clipOne sets αᵢ and dᵢ from a reduced gradient.
func (w *smoother) clipOne(i int, r float64) {
	lo, up := w.lo[i], w.up[i]
	slope := (up - lo) / w.omega
	a, d := w.center[i]-slope*r, 0.0
	switch {
	case a <= lo:
		a = lo
	case a >= up:
		a = up
	default:
		d = slope
	}
	w.alpha[i], w.d[i] = a, d
}

// residual sets at to minus the gradient, (sᵀα − Δ, Aᵀα − v), and returns the gap.
func (w *smoother) residual() float64 {
	w.f.ApplyT(w.at[1:], w.alpha)
	return w.mismatch()
}

// mismatch is residual where at[1:] is Aᵀα.
func (w *smoother) mismatch() (gap float64) {
	linalg.Axpy(w.at[1:], -1, w.v)
	if w.s != nil {
		w.at[0] = linalg.Dot(w.s, w.alpha) - w.sum
	}
	for i, r := range w.r {
		if r > 0 {
			gap += r * (w.alpha[i] - w.lo[i])
		} else {
			gap += r * (w.alpha[i] - w.up[i])
		}
	}
	return gap
}

// newton makes one step of Newton's method. It reports whether the minimum for this
// zone is near enough for a narrower one, and whether there was a step.
func (w *smoother) newton(gap float64) (settled, ok bool) {
	chol, _ := w.normal.factor(w.f, w.s, w.d, 0)
	if chol == nil {
		return false, false
	}
	copy(w.step, w.at)
	chol.Solve(w.step)
	slope := -linalg.Dot(w.step, w.at)
	if !(slope <= 0) {
		return false, false
	}
	w.quiet++
	if -slope >= noStep*gap { // else the slopes along the step are rounding
		w.quiet = 0
	}
	t := w.advance(slope, w.quiet == 0)
	return t == 1 && -slope < smallStep*gap, t > 0
}

// advance goes along the step, on which the slope of the objective is given, to where a
// search ends or else to its end, and returns how far. It stays where v is to be about 0 and is not.
func (w *smoother) advance(slope float64, search bool) float64 {
	w.f.Apply(w.dr, w.step[1:])
	if w.s != nil {
		linalg.Axpy(w.dr, w.step[0], w.s)
	}
	t := 1.0
	switch {
	case w.stays && w.slope(farAway) < 0:
		return 0
	case search:
		t = w.search(slope)
	}
	w.proceed(t)
	return t
}

// proceed goes along the step for t of it.
func (w *smoother) proceed(t float64) {
	linalg.Axpy(w.v, t, w.step[1:])
	linalg.Axpy(w.r, t, w.dr)
	w.b -= t * w.step[0]
}

// search returns a step at which the slope of the objective is at most half of
// what it is at 0, either way: 1 if that will do.
func (w *smoother) search(slope float64) float64 {
	lo, hi, t := 0.0, 1.0, 1.0
	for range 20 {
		switch s := w.slope(t); {
		case s > -slope/2:
			hi = t
		case s < slope/2 && t < 1:
			lo = t
		default:
			return t
		}
		t = lo + (hi-lo)/2
	}
	return t
}

// slope returns the derivative of the objective along the step at t.
func (w *smoother) slope(t float64) float64 {
	v, d := w.step[1:], w.step[0]
	s := linalg.Dot(v, w.v) + t*linalg.Dot(v, v) + d*w.sum
	for i, dr := range w.dr {
		lo, up := w.lo[i], w.up[i]
		a := w.center[i] - (up-lo)/w.omega*(w.r[i]+t*dr)
		s -= min(max(a, lo), up) * dr
	}
	return s
}

// narrowZone lowers ω, but not so far that less than lastZone·(p+1) variables are left
// in the zone, and reports whether that is worth while.
func (w *smoother) narrowZone() bool {
	w.inside = w.inside[:0]
	for i, r := range w.r {
		if a := math.Abs(r); a < w.omega/2 && w.lo[i] < w.up[i] {
			w.inside = append(w.inside, a)
		}
	}
	k := int(lastZone * float64(w.f.Rank()+1))
	if k >= len(w.inside) {
		return false
	}
	slices.Sort(w.inside)
	next := max(w.omega/zoneRatio, 2*w.inside[k])
	if !(next < 0.7*w.omega) {
		return false
	}
	w.omega = next
	return true
}

// leave states α, moved onto the equality, beside v and its gradient: what α is
// exact to in the units of its bounds may be far from it in those of v. The gradient is
// computed anew: steps of 1e14 have left their rounding in r.
func (w *smoother) leave() outcome {
	w.balance()
	w.follow()
	return w.finish(w.b)
}

const (
	nearShare   = 32    // near a neighbour's solution one variable in so many is taken as near a corner,
	nearFewest  = 16    // but no fewer than so many for each of the p+1 that can be free,
	nearMost    = 8     // and no more than one in so many of all
	nearRounds  = 4     // solutions, while others cross a corner, until another method has its turn
	nearSamples = 2048  // gradients that tell how far off these variables are
	nearExact   = 1e-12 // gap that is left as it is, relative to the objective
)

// hasNeighbor reports whether a problem near this one tells which of many variables are near a corner.
func (c *chain) hasNeighbor() bool { return c.near != nil && c.tall() }

// beside solves the problem from v and b of a problem near it. Most reduced gradients are there so far from 0 that
// they tell at which bound their variables are. It solves the problem of the others, those nearest to a corner, and
// the same about its solution while any variable that was held is then on the other side of its corner. A solution
// costs products with their rows and two with A.
func (c *chain) beside() outcome {
	st, b := c.clone(), c.near.Multiplier
	copy(st.v, c.near.V)
	st.follow()
	st.progress.Allow(cmp.Or(st.maxIter, nearRounds))
	count := max(st.m/nearShare, nearFewest*(st.f.Rank()+1))
	for i, width := 0, st.nearest(b, count); i < st.m; i++ {
		if r := st.reduced(i, b); r > width {
			st.alpha[i] = st.lo[i]
		} else if r < -width {
			st.alpha[i] = st.up[i]
		}
	}
	for nearMost*count <= st.m {
		part := c.corners(st, b, count)
		if part == nil {
			count *= 2
			continue
		}
		b = part.Multiplier
		st.progress.Count()
		across, least := 0, exactness*linalg.NormInf(st.grad)
		for i := range st.alpha {
			if st.astray(i, b, least) {
				across++
			}
		}
		if st.progress.Show(st.alpha, st.objective(), float64(across), 0) {
			return st.finish(b)
		}
		if across == 0 {
			st.progress.End(optimize.Converged)
			end := st.finish(b)
			end.exact = end.res.Gap <= nearExact*math.Abs(end.res.Bound)
			return end
		}
		if st.progress.Spent() {
			break
		}
	}
	return outcome{}
}

// corners moves st, at which v and b tell the reduced gradients, to the solution of the problem of the variables
// nearest to a corner, about so many, and of those that are on the wrong side of theirs. It returns that solution of
// the changes of these, whose prices do not round away what is left of the gradients, nil where there is none.
func (c *chain) corners(st *state, b float64, count int) *Result {
	width, least, in, v := st.nearest(b, count), exactness*linalg.NormInf(st.grad), []int(nil), linalg.Clone(st.v)
	for i, a := range st.alpha {
		if math.Abs(st.reduced(i, b)) <= width || a != st.lo[i] && a != st.up[i] || st.astray(i, b, least) {
			in = append(in, i)
		}
	}
	n := len(in)
	if nearMost*n > 2*st.m { // many lie on a corner, of which the neighbour tells nothing
		return nil
	}
	st.f.ApplyT(st.v, st.alpha)
	rows, vectors := linalg.Zeros(n, st.f.Rank()), linalg.Zeros(4, n)
	p := &Problem{Q: &Linear{X: rows, Sign: slices.Repeat([]float64{1}, n)}, Linear: vectors.Row(0), Sign: vectors.Row(1),
		Lower: vectors.Row(2), Upper: vectors.Row(3), Sum: st.missing(0)}
	for k, i := range in {
		st.f.AddRow(rows.Row(k), i, 1)
		p.Linear[k] = st.lin[i] + linalg.Dot(rows.Row(k), st.v)
		p.Sign[k], p.Lower[k], p.Upper[k] = st.sign(i), st.lo[i]-st.alpha[i], st.up[i]-st.alpha[i]
	}
	if st.s == nil {
		p.Sign = nil
	}
	own, err := newChain(p, &Options{Tol: st.tol, MaxIter: st.maxIter}, c.thresholds)
	if err != nil {
		return nil
	}
	linalg.Axpy(v, -1, st.v)
	near := newSmoother(own.clone())
	near.startAt(v, b, 2*width)
	part := own.polished(near, 0)
	if !part.exact {
		part = own.interiorRough()
	}
	if part.res == nil {
		return nil
	}
	for k, i := range in {
		switch d := part.res.Alpha[k]; d {
		case p.Lower[k]:
			st.alpha[i] = st.lo[i]
		case p.Upper[k]:
			st.alpha[i] = st.up[i]
		default:
			st.alpha[i] += d
		}
	}
	linalg.Axpy(st.v, 1, part.res.V)
	st.follow()
	return part.res
}

// nearest returns the size of reduced gradients below which there are about so many, by a sample.
func (st *state) nearest(b float64, count int) float64 {
	var sample []float64
	for i := 0; i < st.m; i += 1 + st.m/nearSamples {
		sample = append(sample, math.Abs(st.reduced(i, b)))
	}
	slices.Sort(sample)
	return sample[int64(len(sample))*int64(count)/int64(st.m)]
}

// astray reports whether αᵢ is at a bound that its reduced gradient, of more than the least, would have it leave.
func (st *state) astray(i int, b, least float64) bool {
	r := st.reduced(i, b)
	return st.lo[i] < st.up[i] && (st.alpha[i] == st.lo[i] && r < -least || st.alpha[i] == st.up[i] && r > least)
}

const moderately = 10 // a moderate price, in units of 1/Qᵢᵢ

// moderatePrice returns a bound for multipliers that is about what those of well separated rows
// need, and the largest that there is; 0 and 0 for a problem in which not all begin at 0.
func (st *state) moderatePrice() (moderate, largest float64) {
	if st.sum != 0 || slices.Min(st.lo) != 0 || slices.Max(st.lo) != 0 {
		return 0, 0
	}
	total, count := 0.0, 0.0
	for i, d := range st.diag {
		if st.up[i] > 0 {
			total, count, largest = total+d, count+1, max(largest, st.up[i])
		}
	}
	return moderately * count / max(total, math.SmallestNonzeroFloat64), largest
}

// tall reports whether Q has few columns beside the variables, whose bounds are finite.
func (c *chain) tall() bool {
	return c.thin() && c.bounded && float64(c.m) >= c.smoothRatio*float64(c.f.Rank()+1)
}

// smooths reports whether Q is tall, and has bounds whose rounding leaves the gradients digits.
func (c *chain) smooths() bool {
	if !c.tall() {
		return false
	}
	price := 0.0
	for i, d := range c.diag {
		price += (c.up[i] - c.lo[i]) * d
	}
	return price < c.smoothPrice*linalg.NormInf(c.lin)
}

// mostlyOne reports whether Q is tall, as for [chain.smooths], and variables of one sign can be so much less than the
// others that v may be 0 at the solution.
func (c *chain) mostlyOne() bool {
	share, _ := c.rarer()
	return c.s != nil && share > 0 && share <= mostOfFew && slices.Min(c.lin) == slices.Max(c.lin) && c.smooths()
}

// mostOfFew is a share of the room between the bounds of the others, above which that of the rarer sign leaves no weights
// to choose.
const mostOfFew = 0.5

// rarer returns what share of the room of the others the variables of the rarer sign have, and the sign of those.
func (st *state) rarer() (share, others float64) {
	minus, plus := 0.0, 0.0
	for i, u := range st.up {
		if st.sign(i) > 0 {
			plus += u - st.lo[i]
		} else {
			minus += u - st.lo[i]
		}
	}
	if plus > minus {
		return minus / plus, 1
	}
	return plus / minus, -1
}

// atZero solves the problem where v = 0. For the soft margin no plane costs less than none where the mean of the rarer
// class is one of the other's rows too, none of which weighs more than its price. These all lie on the margin then, and
// from a zone far narrower than the tolerance Newton's method finds such weights in 3 to 8 steps.
func (c *chain) atZero() outcome {
	w := newSmoother(c.clone())
	share, others := c.rarer()
	w.stays = true
	w.startAt(w.v, others*c.lin[0], c.tol*share)
	return c.polished(w, 0)
}

func (c *chain) smooth() outcome { return c.polished(newSmoother(c.clone()), 0) }
