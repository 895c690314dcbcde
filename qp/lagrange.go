package qp

import (
	"cmp"
	"math"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/qp/descent"
)

const (
	lagrangeSteps = 800  // steps of Newton's method after which another has its turn
	innerSteps    = 40   // steps for a center after which the zone becomes wider
	fewSteps      = 3    // steps for a center up to which it narrows by much
	stiffSteps    = 150  // conjugate gradients of a step after which the zone stays as wide as it is
	patientSteps  = 12   // steps for a center after which the equations are solved to another digit
	innerShare    = 0.3  // of the gap that the mismatch of α and v may be when the center moves
	linearShare   = 0.1  // by which conjugate gradients lower the residual of Newton's equations at first,
	leastShare    = 1e-4 // and at last
	fewFailures   = 3    // of them in the rows that are put up with
	checkEvery    = 10   // of them between two looks at the residual of the equations in the columns
	mostNarrow    = 5.0  // by which ω falls,
	lessNarrow    = 2.0  // once a center has taken more than few steps
	wider         = 4.0  // by which it rises
	warmer        = 4    // by which it begins smaller at a start of the caller's
	mostFollowed  = 20   // updates of Aᵀα by the rows that changed before it is summed anew
	fewMoved      = 4    // those rows are fewer than 1/fewMoved of all

	mostPasses = 1000 // of coordinate descent, which took half the time of the augmented Lagrangian for 500 and more
)

// lagrangian solves a [Linear] of rows in memory with finite bounds by the augmented
// Lagrangian of the dual (the proximal point method on α; Yan & Li, An efficient augmented
// Lagrangian method for support vector machine, Optimization Methods and Software 35,
// 2020). It rounds the corners of the dual problem as [smoother] does, by −(ω/2)(αᵢ − cᵢ)²/(uᵢ − lᵢ),
// but with the last α for c in the place of the middle of the bounds: at the solution
// this adds nothing, whatever ω is, so the equations stay well-conditioned where ω need
// not become small.
//
// Newton's equations are those of the variables in the zone alone,
//
//	(diag(0, I) + (s, A)ᵀD(s, A))(−db, dv) = −gradient,
//
// and conjugate gradients solve them, preconditioned by their diagonal, from products
// with the rows of the zone. What b has to be for a v is known, so they are solved in dv alone, with
// the rows about their mean by D: the direction that most rows of texts share, of one sign each, is
// then none of theirs, and α meets its equality. As ω falls D grows, and with it the condition of these
// equations, but not that of the same equations in the moves u = D(−s·db + A·dv) of the
// variables, (D⁻¹ + AAᵀ)u + s·db = A·(Aᵀα − v) with sᵀu given: the steps solve these from
// the first on for which conjugate gradients in the columns take too long. Their diagonal knows
// nothing of columns that most rows have, which can keep these from any end as well: after some
// failures the zone becomes wider again, and centers go on in the columns. A step costs the
// stored values of the rows in the zone for each conjugate gradient, two passes over all
// rows beside, and O(m + p). Of dense rows none is copied.
type lagrangian struct {
	*smoother
	l          *Linear
	newly      int        // steps for this center
	most       int        // conjugate gradients of one of them, or of the prediction
	careful    bool       // a center has taken more than few
	sums, last []float64  // Aᵀα, and the α it is of
	ahead      []float64  // scratch of advance
	moved      []int      // scratch of residual
	stiff      bool       // the equations are solved in the rows
	failures   int        // how often those were not solved
	least      float64    // the ω down to which the zone may narrow, once neither form is solved
	share      float64    // by which conjugate gradients lower the residual of Newton's equations
	gathered   linalg.CSR // the rows of the last zone
	follows    int        // how often the sums have been followed since they were made
	left       *float64   // rows that may still be read
}

func newLagrangian(st *state) *lagrangian {
	endless := math.Inf(1)
	return &lagrangian{smoother: newSmoother(st), l: st.q.(*Linear), share: linearShare, left: &endless,
		sums: make([]float64, st.f.Rank()), ahead: make([]float64, st.f.Rank()), last: make([]float64, st.m)}
}

// startAt makes a point of the caller's the center: α beside the multiplier b, with
// v = Aᵀα and the gradient of st.
func (w *lagrangian) startAt(p *state, b float64) {
	copy(w.v, p.v)
	copy(w.center, p.alpha)
	w.b = b
	w.renew(p.grad)
	w.omega /= warmer
}

// renew makes r that of a gradient.
func (w *lagrangian) renew(gradient []float64) {
	copy(w.r, gradient)
	if w.s != nil {
		linalg.Axpy(w.r, -w.b, w.s)
	}
}

// run makes steps until the gap is at most until, relative to the objective.
func (w *lagrangian) run(until float64) outcome {
	w.progress.Allow(cmp.Or(w.maxIter, lagrangeSteps))
	for w.clip(); ; {
		gap := w.residual()
		imbalance, f := w.imbalance(), w.dualObjective()
		if w.progress.Show(w.alpha, f, gap/max(1, math.Abs(f)), 0) {
			return w.end(optimize.Stopped)
		}
		if w.progress.Spent() {
			return w.end(optimize.MaxIterations)
		}
		w.progress.Count()
		if *w.left -= float64(2 * w.l.height()); *w.left < 0 {
			return w.end(optimize.LineSearch)
		}
		if w.small(gap+imbalance, f-gap, until) {
			if r := w.end(optimize.Converged); w.small(r.res.Gap, r.res.Bound, until) {
				return r
			}
			w.follow()
			w.renew(w.grad)
		}
		if imbalance <= innerShare*gap && w.newly+w.most > 0 || w.newly > innerSteps {
			w.moveCenter()
			continue
		}
		if !w.newton(gap) {
			return w.end(optimize.LineSearch)
		}
		if w.newly++; w.newly%patientSteps == 0 {
			w.share = max(leastShare, w.share*linearShare)
		}
	}
}

// dualObjective returns f(α) where v is not yet Aᵀα, but at[1:] is Aᵀα − v.
func (w *lagrangian) dualObjective() float64 {
	s := 0.0
	for j, e := range w.at[1:] {
		s += (w.v[j] + e) * (w.v[j] + e)
	}
	return s/2 + linalg.Dot(w.lin, w.alpha)
}

// imbalance returns ½‖Aᵀα − v‖² and how much it takes about to balance α.
func (w *lagrangian) imbalance() float64 {
	total := 0.0
	for _, d := range w.d {
		total += d
	}
	imbalance := linalg.Dot(w.at[1:], w.at[1:]) / 2
	if w.at[0] != 0 {
		imbalance += w.at[0] * w.at[0] / (2 * total)
	}
	return imbalance
}

// moveCenter moves the center to α and narrows the zone: by much as long as few steps
// lead from one to the next, and then by less, from a point that is predicted. Where the
// steps lead nowhere the center stays and the zone becomes wider.
func (w *lagrangian) moveCenter() {
	if w.newly > fewSteps {
		w.careful = true
	}
	stuck, stiff := w.newly > innerSteps, w.most > stiffSteps
	w.newly, w.most = 0, 0
	switch {
	case stuck:
		w.omega *= wider
		w.clip()
		return
	case stiff || w.omega <= w.least: // a narrower zone would make the equations worse, and centers go on without
	case w.careful:
		w.omega /= lessNarrow
	default:
		w.omega /= mostNarrow
	}
	copy(w.center, w.alpha)
	if w.careful {
		w.predict()
	} else {
		w.clip()
	}
}

// predict goes to where the variables of the last zone would be balanced if none met a
// bound. With the center moved, the point itself foretells moves of α that are too far:
// too many variables would leave the zone, and the next steps be short.
func (w *lagrangian) predict() {
	for i, d := range w.d {
		if d != 0 {
			w.d[i] = (w.up[i] - w.lo[i]) / w.omega
			w.alpha[i] = w.center[i] - w.d[i]*w.r[i]
		}
	}
	gap := w.residual()
	if z := w.zone(); z.rows != nil {
		w.solve(z, math.Abs(gap))
		w.advance(0, false)
	} else {
		w.clip()
	}
}

// residual is that of the smoother, for which Aᵀα follows the rows whose α has changed since it was
// summed, unless they are many.
func (w *lagrangian) residual() float64 {
	w.moved = w.moved[:0]
	for i, a := range w.alpha {
		if a != w.last[i] {
			w.moved = append(w.moved, i)
		}
	}
	if w.follows >= mostFollowed || len(w.moved) > w.m/fewMoved {
		w.follows = 0
		w.f.ApplyT(w.sums, w.alpha)
	} else if len(w.moved) > 0 {
		w.follows++
		n, rows := w.l.height(), make([]int, len(w.moved))
		for k, i := range w.moved {
			rows[k] = i % n
		}
		w.l.addRows(w.sums, w.l.table(), rows, len(rows), func(k int) float64 {
			i := w.moved[k]
			return w.l.Sign[i] * (w.alpha[i] - w.last[i])
		})
	}
	copy(w.last, w.alpha)
	copy(w.at[1:], w.sums)
	return w.mismatch()
}

// advance is that of the smoother, and sets α and d. It reads each row once, for its move of r and
// for that of Aᵀα at the end of the step, where most searches stay.
func (w *lagrangian) advance(slope float64, search bool) {
	x, n, dv := w.l.table(), w.l.height(), w.step[1:]
	shift := w.l.shift(dv)
	clear(w.ahead)
	w.l.addRows(w.ahead, x, nil, n, func(row int) (change float64) {
		f := x.Dot(row, dv) - shift
		for i := row; i < w.m; i += n {
			w.dr[i] = w.l.Sign[i] * f
			if w.s != nil {
				w.dr[i] += w.step[0] * w.s[i]
			}
			w.clipOne(i, w.r[i]+w.dr[i])
			change += w.l.Sign[i] * (w.alpha[i] - w.last[i])
		}
		return change
	})
	t := 1.0
	if search {
		t = w.search(slope)
	}
	if w.proceed(t); t < 1 {
		w.clip()
		return
	}
	w.follows++
	linalg.Axpy(w.sums, 1, w.ahead)
	copy(w.last, w.alpha)
}

// newton makes one step of Newton's method and reports whether it could.
func (w *lagrangian) newton(gap float64) bool {
	z := w.zone()
	w.solve(z, gap)
	if z.rows == nil && w.s != nil && w.at[0] != 0 {
		w.step[0] = math.Copysign(2*linalg.NormInf(w.r), w.at[0]) // the search ends it where variables become free
	}
	slope := -linalg.Dot(w.step, w.at)
	if !(slope < 0) && w.stiff { // moves that solve the equations in the rows roughly need not lead down
		w.solve(z, 0)
		slope = -linalg.Dot(w.step, w.at)
	}
	if !(slope < 0) {
		return false
	}
	w.advance(slope, true)
	return true
}

// zone returns the equations of the zone, on which no more rows are read than are left.
func (w *lagrangian) zone() *zone {
	z := newZone(w.l, w.d, w.s != nil, &w.gathered)
	z.most = int(min(linearSteps, 1+*w.left/float64(1+2*len(z.d))))
	return z
}

// solve sets step to the solution of Newton's equations, as near as the gap asks.
func (w *lagrangian) solve(z *zone, gap float64) {
	enough := linearShare * innerShare * gap
	defer func() { *w.left -= float64(z.read) }()
	if !w.stiff {
		steps, solved := z.solve(w.step, w.at, w.share, enough)
		w.most = max(w.most, steps)
		switch {
		case !solved && w.least > 0:
			w.widen()
		case !solved:
			w.stiff = len(z.d) <= len(w.at)
		}
	}
	if w.stiff && !newRowEquations(z, w.at).solve(w.step, w.share, enough) {
		if w.failures++; w.failures > fewFailures {
			w.stiff = false
			w.widen()
		}
	}
}

// widen widens the zone, whose equations were not solved, and keeps it as wide.
func (w *lagrangian) widen() {
	w.omega *= lessNarrow
	w.least = w.omega
}

// end balances the variables inside their bounds and states the result, with a v that is 0 where
// Aᵀα is: in the columns that no row with a multiplier meets. There v is on its way to 0, and who
// takes it for 0 would have another gap.
func (w *lagrangian) end(s optimize.Status) outcome {
	w.progress.End(s)
	own, sums, cleared := *w.smoother, make([]float64, len(w.v)), false
	own.state = w.clone()
	own.spread()
	r := own.leave()
	own.f.ApplyT(sums, own.alpha)
	for j, v := range sums {
		if v == 0 && own.v[j] != 0 {
			own.v[j], cleared = 0, true
		}
	}
	if !cleared {
		return r
	}
	own.follow()
	return own.finish(w.b)
}

// augmentsBriefly reports whether dense rows have so many columns that the equations of the interior point
// cost more than many products with the rows.
func (c *chain) augmentsBriefly() bool {
	l, ok := c.q.(*Linear)
	return ok && c.bounded && c.thin() && l.Rank() > c.alwaysThin && l.rows().dense != nil && linalg.NormInf(c.lin) > 0
}

// augmentBriefly leaves the augmented Lagrangian where it takes longer than about half the time of the interior point.
func (c *chain) augmentBriefly() outcome {
	c.left = c.briefRows * float64(c.f.Rank()) * float64(c.q.(*Linear).height())
	return c.augment()
}

// descends reports whether coordinate descent has its turn.
func (c *chain) descends() bool { return c.augments() && descent.Serves(c.sparse().rows().sparse) }

// descend minimises by coordinate descent until the published gap is within the tolerance.
func (c *chain) descend() outcome {
	st, l := c.clone(), c.sparse()
	p := &descent.Problem{Rows: l.rows().sparse, Sign: l.Sign, Squares: st.diag, Linear: st.lin,
		Lower: st.lo, Upper: st.up, Balance: st.s, Sum: st.sum, Passes: mostPasses}
	at := &descent.Point{Alpha: st.alpha, V: st.v, Multiplier: c.b}
	st.progress.Allow(cmp.Or(st.maxIter, mostPasses))
	finish := func(s optimize.Status) outcome {
		st.progress.End(s)
		st.spread()
		st.refresh()
		return st.finish(at.Multiplier)
	}
	var r outcome
	if p.Minimize(at, st.tol/2, func(f, gap float64) bool {
		st.progress.Count()
		return st.progress.Show(st.alpha, f, gap/max(1, math.Abs(f)), 0) || st.progress.Spent()
	}, func() bool {
		r = finish(optimize.Converged)
		return c.ends(r)
	}) {
		return r
	}
	return finish(st.progress.Report().Status())
}

// augmentSparse leaves the augmented Lagrangian where sparse rows, or their columns, are few and it has read as many rows
// as about the methods take that have products of these. Where classes overlap, on 100 × 300 to 2000 × 800 at C = 100 and
// 10,000, these took a twentieth to a half of its time, and on 94 × 336 of heavy tails 0.03 s where it took 3.
func (c *chain) augmentSparse() outcome {
	n := float64(c.q.(*Linear).height())
	if least := min(n, float64(c.f.Rank())); least <= float64(c.widestThin) {
		c.left = c.briefRows * n * least * (1 + n*least/float64(stored(c.sparse().table())))
	}
	return c.augment()
}

// reaching returns how many multipliers are at least so large.
func (st *state) reaching(least float64) (n int) {
	for _, a := range st.alpha {
		if a >= least {
			n++
		}
	}
	return n
}

// rowEquations are Newton's equations of a zone in the moves u of its variables.
type rowEquations struct {
	*zone
	at    []float64 // the right-hand side of those in the columns
	diag  []float64 // D⁻¹ and the squares of the rows
	total float64   // Σ 1/diag
	back  []float64 // scratch, by column
	left  []float64 // the residual of u, less
	level float64   // the part of it that the step of the multiplier takes up
}

func newRowEquations(z *zone, at []float64) *rowEquations {
	e := &rowEquations{zone: z, at: at, diag: make([]float64, len(z.d)), back: make([]float64, len(at)-1), left: make([]float64, len(z.d))}
	buf := z.l.buffer()
	for i, d := range z.d {
		_, value := z.rows.Entries(z.row(i))
		if z.l.Origin != nil {
			value = z.l.centered(buf, z.row(i))
		}
		e.diag[i] = 1/d + linalg.Dot(value, value)
		e.total += 1 / e.diag[i]
	}
	return e
}

// apply sets to to the product of the equations with u.
func (e *rowEquations) apply(to, u []float64) {
	e.sum(u)
	e.products(to, e.back)
	for i, d := range e.d {
		to[i] += u[i] / d
	}
}

// sum sets back to Aᵀu.
func (e *rowEquations) sum(u []float64) {
	clear(e.back)
	e.addRows(e.back, u)
}

// solve sets x to (−db, dv) of an approximate solution: until the residual of the equations in
// the columns, AᵀD times that in the rows, has fallen by share or half its squares are at most enough.
// It reports whether they got there.
func (e *rowEquations) solve(x []float64, share, enough float64) bool {
	n := len(e.d)
	u, moves := make([]float64, n), make([]float64, n)
	if e.mean != nil {
		for i, d := range e.diag {
			u[i] = e.at[0] / d / e.total
		}
	}
	e.sum(u)
	for j, v := range e.at[1:] {
		e.back[j] = v - e.back[j]
	}
	e.products(e.left, e.back)
	for i, d := range e.d {
		e.left[i] -= u[i] / d
	}
	c := linalg.NewConjugate(u, e.left, e.precondition)
	c.Start()
	enough = max(enough, share*share*linalg.Dot(e.at[1:], e.at[1:])/2)
	_, solved := c.Run(e.most, e.apply, func(steps int) bool {
		if steps%checkEvery != checkEvery-1 {
			return false
		}
		for i, d := range e.d {
			moves[i] = d * e.left[i]
		}
		e.sum(moves)
		return linalg.Dot(e.back, e.back)/2 <= enough
	})
	e.sum(u)
	for j, v := range e.at[1:] {
		x[j+1] = v - e.back[j]
	}
	x[0] = -e.level
	return solved
}

// precondition divides the residual by the diagonal, less the level that keeps Σu where it is
// if there is an equality. The level is taken from what is left too, whose product with the
// result would be its rounding otherwise, and steps by that would lead away from the solution.
func (e *rowEquations) precondition(r []float64) {
	if e.mean != nil {
		level := 0.0
		for i, d := range e.diag {
			level += r[i] / d / e.total
		}
		e.level += level
		for i := range r {
			e.left[i] -= level
			r[i] -= level
		}
	}
	for i, d := range e.diag {
		r[i] /= d
	}
}
