package qp

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

// thresholds are the numbers by which [Solve] gives methods their turn. Those that
// decide about speed were measured by
//
//	go test ./qp -run Calibrate -v -calibrate
//
// on soft margins of normal clouds, C = 1, on 2 cores of an AMD EPYC with AVX-512.
type thresholds struct {
	// alwaysThin is the number of columns of A up to which the methods that factor AᵀDA have their turn, and
	// widestThin that up to which they have it for twice as many rows. The interior point took 2 ms where SMO
	// took 9 (150 × 100), 15 where it took 30 (300 × 200), and 0.5 s where it took 0.7 (900 × 800); for twice
	// as many variables 0.2 s where it took 8 (1200 × 600). Above widestThin AᵀDA and its factor are 128 MB
	// each.
	alwaysThin, widestThin int

	// mostProducts is the number of rows up to which their products are computed once, where Q has no thin
	// factor: 128 MB, and as much each for the equations of the interior point and their factor.
	mostProducts int

	// warmViolators is the number of violations at a given start, beside one for two columns, that are left to
	// the polisher, which corrects one at a time. From the solution for a C 1 % apart it took 2 ms, all
	// methods anew 16 (10,000 × 50); where C doubled both took 16.
	warmViolators int

	// fewOfASign is the number of variables of a sign up to which the polisher begins at 0. With 3 of 500 × 2
	// rows on one side, between the others, the interior point leaves hundreds on the margin, from which the
	// polisher took 10 ms; from 0 it takes 0.2.
	fewOfASign int

	// smoothRatio is the number of variables for each of the p+1 that can be free, from which on Newton's
	// method on the smoothed dual has its turn: it took a sixth longer than the interior point at 17 (5000 × 300),
	// three quarters of its time at 25 (5000 × 200), less from there on and nearly twice as long at 10. It works
	// on the rows near the margin alone, of which there must be few.
	smoothRatio float64

	// smoothPrice is Σ(u − l)Qᵢᵢ, in units of the largest |q|, from which on the rounding of Aᵀα, 1e-16 of it,
	// is 1e-4 of the gradients: too much to tell from what Newton's method leaves which variables are at a
	// bound.
	smoothPrice float64

	// interiorGap and smoGap are the relative gaps at which the polisher takes over from the interior point
	// and from SMO. The polisher is right at once where the gap tells which variables are at a bound. For the
	// interior point 1e-4 to 1e-6 differ by less than 1 ms, while at 1e-2 the polisher takes four times as
	// long (3000 × 20). SMO takes 0.16 s to 1e-3, 0.21 s to 1e-6 and 0.28 s to 1e-8 (500 × 1000); at 1e-1 the
	// polisher's guess is right there too, but not on clouds that overlap.
	interiorGap, smoGap float64

	// briefWork are the entries of the gradient, in units of n³, that SMO may touch on the products of n rows
	// before the interior point has its turn: about as long as that takes. SMO took 0.2 to 0.7 s to the
	// solution, where the interior point took 2 (C from 0.01 to 100, 2000 × 2000), but 8 s where it took 0.3
	// (1000 × 3000 on scales from 1e-4 to 1e4), and tubes of 2000 × 2000, where the interior point takes 3 s,
	// not in 14.
	briefWork float64

	// briefRows are the dense rows, in units of np, that the augmented Lagrangian may read before the interior point
	// has its turn: about half as long as that takes. On pairs of images of 2000 × 784 it took 0.04 s (C = 1e-6)
	// to 0.2 (no violations), where the interior point took 0.45; on normal clouds of 5000 × 500 0.06 s (C = 0.001),
	// and was left for C = 1 where they overlap, after 0.3 s. Of sparse rows see augmentSparse.
	briefRows float64

	// spareSteps and spareEntries are the steps that SMO may make after the interior point and the polisher
	// have failed, and the gradient entries that it may touch in them, at most a share of the multiplications of the
	// interior point. That took 3 ms where 2 × 20000 steps took 12, beyond floating point (80 × 9, C = 4e10).
	spareSteps, spareEntries, spareShare float64

	// polishShare is what the polisher may spend once the interior point has had its turn, as a share of the multiplications of its steps.
	// Of 7300 soft margins 98 % of those that it solved took 0.21 of them at most. Where columns with outliers of
	// 1e6 and C = 1e7 leave a rough gap that does not tell which variables are at a bound, it took 45 ms to give
	// up, and the interior point went on to the tolerance in 2. The polisher may always spend leastPolish, 0.1 ms.
	polishShare, leastPolish float64

	// mostFree is the number of free variables up to which the polisher solves their equations where each entry of Q is at hand.
	mostFree int
}

// measured are the thresholds in use.
var measured = thresholds{
	alwaysThin:    200,
	widestThin:    4000,
	mostProducts:  4000,
	warmViolators: 10,
	fewOfASign:    8,
	smoothRatio:   20,
	smoothPrice:   1e12,
	interiorGap:   1e-5,
	smoGap:        1e-3,
	briefWork:     1.0 / 32,
	briefRows:     1,
	spareSteps:    5e3,
	spareEntries:  5e7,
	spareShare:    0.25,
	polishShare:   0.3,
	leastPolish:   1e5,
	mostFree:      3000,
}

// stage is the turn of one method in [Solve].
type stage struct {
	name  string
	turn  func(*chain) bool
	solve func(*chain) outcome
	trial bool // a result that is not the end is dropped, and the next stage starts where this one did
}

// stages are the methods of [Solve] in the order of their turns. Each but those of sparse rows ends with
// the polisher, and the first whose result satisfies the conditions ends them all.
var stages = []stage{
	{"corners near a neighbour's solution", (*chain).hasNeighbor, (*chain).beside, true},
	{"polisher from the caller's start", (*chain).hasStart, (*chain).polishStart, true},
	{"polisher from 0", (*chain).lopsided, (*chain).polishZero, true},
	{"nearest points of the hulls", (*chain).hulls, (*chain).nearestPoints, true},
	{"products of few rows", (*chain).squares, (*chain).square, false},
	{"Newton on the smoothed dual at 0", (*chain).mostlyOne, (*chain).atZero, true},
	{"Newton on the smoothed dual", (*chain).smooths, (*chain).smooth, true},
	{"dual coordinate descent", (*chain).descends, (*chain).descend, true},
	{"augmented Lagrangian", (*chain).augments, (*chain).augmentSparse, false},
	{"products of few sparse rows", (*chain).crept, (*chain).square, false},
	{"augmented Lagrangian for some steps", (*chain).augmentsBriefly, (*chain).augmentBriefly, true},
	{"SMO for some steps", (*chain).few, (*chain).pairsBriefly, true},
	{"interior point to a rough gap", (*chain).interior, (*chain).interiorRough, false},
	{"interior point to the tolerance", (*chain).interiorGoesOn, (*chain).interiorFine, false},
	{"SMO to a rough gap", (*chain).always, (*chain).pairsRough, false},
	{"SMO to the tolerance", (*chain).pairsGoOn, (*chain).pairsFine, false},
}

// Solve gives methods their turns until the certificate of one holds, those that suit the problem of:
//
//  1. near the solution of a problem that differs little, Newton's method on the variables near a corner;
//  2. from a start of the caller's, and from 0 where few variables can move sᵀα one way, the active-set method;
//  3. for the soft margin of dense rows, and of sparse ones of few columns, the nearest points of the hulls: their weights are
//     the multipliers where the classes are apart and none reaches its price;
//  4. for at most 4000 dense rows of more columns than half of them and than 200 that do not lie far off 0, all of these turns with
//     the products of the rows in the place of the rows: SMO for some steps, and the interior point;
//  5. where Q is [Factored] with few columns beside the variables, Newton's method on the smoothed dual, about v = 0 first
//     where those of one sign can be half of the others at most;
//  6. for sparse rows of more than 200 columns, coordinate descent if they are at most half as many as the columns, and
//     the augmented Lagrangian, which few sparse rows then leave to 4, and dense rows of more than 200 columns have for
//     some steps;
//  7. where Q has at most 200 columns or half as many as there are rows, the interior point;
//  8. [SMO].
//
// All but those of 1 and 6 end with the active-set method. The report's iterations are the steps of all; MaxIter caps
// each run of one.
func Solve(p *Problem, o *Options) (*Result, error) {
	q, p, o := reflected(p, o)
	r, _, err := solve(p, o, measured)
	if q != nil && r != nil {
		r.V = q.restored(r.V, r.Alpha)
	}
	return r, err
}

// solve is Solve with thresholds. It also returns the name of the last stage, "" for a start that is the solution.
func solve(p *Problem, o *Options, t thresholds) (r *Result, by string, err error) {
	c, err := newChain(p, o, t)
	if err != nil {
		return nil, "", fmt.Errorf("qp: %w", err)
	}
	c.stages = stages
	// The start can be the solution, as 0 is where a tube holds all rows. Another is none for a gap that bounds alone make small.
	c.progress.End(optimize.Converged)
	if r := c.closed(c.b); r.Gap <= 1e-15*c.least/negligible && (r.Objective == 0 || c.small(r.Gap, r.Bound, c.tol)) && r.Report.Err(nil) == nil {
		return r, "", nil
	}
	c.through()
	if err := failure(p.Q); err != nil {
		return nil, "", fmt.Errorf("qp: %w", err)
	}
	return c.best.res, c.by, c.best.err
}

// through gives the stages their turns and returns the best outcome.
func (c *chain) through() outcome {
	for _, s := range c.stages {
		if !s.turn(c) {
			continue
		}
		c.by = s.name
		r := s.solve(c)
		if c.ends(r) {
			c.keep(r)
			break
		}
		if !s.trial {
			c.keep(r)
		}
	}
	return c.best
}

// chain is the state of a [Solve].
type chain struct {
	*state
	thresholds
	b       float64 // the multiplier of the equality at the start
	started bool    // the start is the caller's
	near    *Result // of a problem near this one; nil of none
	bytes   int     // for the cache of SMO
	left    float64 // rows that the augmented Lagrangian may still read
	ipm     *ipm
	smo     *smo
	stages  []stage // in the order of their turns
	by      string  // of them that had the last word
	best    outcome // of the stages that are not trials, that of the least gap
}

func newChain(p *Problem, o *Options, t thresholds) (*chain, error) {
	if o == nil {
		o = &Options{}
	}
	st, err := prepare(p, o)
	if err != nil {
		return nil, err
	}
	return &chain{state: st, thresholds: t, started: o.Start != nil, near: o.Near,
		bytes: cmp.Or(o.CacheBytes, defaultCache), b: st.multiplier(), left: math.Inf(1)}, nil
}

// ends reports whether r is the end: by its certificate, relative to the objective itself, the conditions, or the caller.
func (c *chain) ends(r outcome) bool {
	if r.res == nil {
		return false
	}
	return r.exact || c.ended(r) || r.err == nil && (!c.bounded || c.small(r.res.Gap, r.res.Bound, c.tol))
}

// ended reports whether the caller has ended the work.
func (c *chain) ended(r outcome) bool {
	s := r.res.Report.Status()
	return s == optimize.Stopped || s == optimize.MaxIterations && c.maxIter > 0
}

// keep makes r the best, unless a stage before it came closer; then its steps count for that one.
func (c *chain) keep(r outcome) {
	if old := c.best.res; old != nil && r.err != nil && !r.exact &&
		r.res.Report.Status() != optimize.Stopped && !(r.res.Gap < old.Gap || old.Gap != old.Gap) {
		old.Report = r.res.Report.Certify(old.Objective, old.Report.Certificate())
		if err := old.Report.Err(nil); err != nil {
			c.best.err = fmt.Errorf("qp: %w", err)
		}
		return
	}
	c.best = r
}

// method is one that can go on to a smaller gap from where it was left.
type method interface {
	// run makes steps until the relative gap is at most until, or as near as it comes. One that gave up has no result.
	run(until float64) outcome
}

// polished runs a method to a gap, or to the tolerance if more, and polishes the result unless the caller ended it.
func (c *chain) polished(m method, gap float64) outcome {
	r := m.run(max(c.tol, gap))
	if r.res == nil || c.ended(r) {
		return r
	}
	w := newPolisher(c.at(r.res), r.res.Multiplier)
	w.mostFree = c.mostFree
	w.hasty = m == method(c.ipm) && !c.ipm.lost
	if c.ipm != nil {
		w.most = min(effort, max(c.leastPolish, c.polishShare*c.ipm.work))
	}
	return w.run()
}

func (c *chain) always() bool { return true }

// sparse returns the kernel of sparse rows about 0, nil where Q is another.
func (c *chain) sparse() *Linear {
	if l, ok := c.q.(*Linear); ok && l.rows().sparse != nil {
		return l
	}
	return nil
}

// augments reports whether the augmented Lagrangian has its turn, whose zone is measured by the largest |q|.
func (c *chain) augments() bool {
	return c.bounded && !c.thin() && c.sparse() != nil && linalg.NormInf(c.lin) > 0
}

// augment runs the augmented Lagrangian, first with prices that are moderate: where no multiplier reaches these the
// solution is that of the prices themselves, of which Newton's equations would be ill-conditioned.
func (c *chain) augment() outcome {
	if moderate, largest := c.moderatePrice(); !c.started && moderate < largest {
		// What is left of a slack costs its price: the gap by the prices themselves is larger.
		e := c.rise(moderate, largest, c.tol/largest/priceStep, func(st *state, b float64) bool {
			end := st.finish(b)
			return end.err == nil && c.small(end.res.Gap, end.res.Bound, c.tol)
		})
		switch {
		case e.ended:
			return e.at.finish(e.b)
		case e.inside:
			return c.lagrangian(c.clone(), e.at, e.b).run(c.tol)
		}
	}
	return c.lagrangian(c.clone(), c.state, c.b).run(c.tol) // prices that are reached make no start
}

// risen is where [chain.rise] came to.
type risen struct {
	at     *state // with the prices of the chain
	b      float64
	inside bool // no multiplier reaches the prices of the last problem
	ended  bool // by the caller, no rows are left to read, or the point is good
}

// rise solves the problem with prices of at most a moderate one, and ten times that while multipliers reach it, it is
// below most and steps are few; and then to smaller gaps, down to depth times the price, until the point is good.
func (c *chain) rise(moderate, most, depth float64, good func(*state, float64) bool) risen {
	e, before := risen{at: c.state, b: c.b}, c.progress.Report().Iterations()
	for ; moderate < most && !e.inside; moderate *= priceStep {
		own := c.clone()
		own.up = linalg.Clone(c.up)
		for i, u := range own.up {
			own.up[i] = min(u, moderate)
		}
		w := c.lagrangian(own, e.at, e.b)
		run := func(gap float64) bool {
			r := w.run(gap)
			e.at, e.b, e.ended = c.at(r.res), r.res.Multiplier, c.ended(r) || c.left < 0
			return !e.ended
		}
		limit := reached * moderate
		e.inside = run(firstGap) && e.at.reaching(limit) <= c.m/mostReaching && run(roughGap) && e.at.reaching(limit) == 0
		for gap := min(c.tol, roughGap/priceStep); e.inside && gap > depth*moderate && !e.ended; gap /= priceStep {
			e.ended = !run(gap) || good(e.at, e.b)
		}
		if e.ended || c.progress.Report().Iterations()-before > mostRising {
			return e
		}
	}
	return e
}

// lagrangian returns the augmented Lagrangian for the problem of st, from a start unless the chain began without one.
func (c *chain) lagrangian(st, start *state, b float64) *lagrangian {
	w := newLagrangian(st)
	w.left = &c.left
	if c.started || start != c.state {
		w.startAt(start, b)
	}
	return w
}

const (
	priceStep  = 10   // by which it rises
	mostRising = 200  // steps after which prices rise no more: no plane is likely to separate the rows
	roughGap   = 1e-3 // to which moderate prices are fitted before their multipliers are looked at,
	firstGap   = 0.3  // and to which before they are counted:
	reached    = 0.95 // of the moderate price is a multiplier that reaches it,

	mostReaching   = 100 // and where more than one in so many does, prices rise at once
	fewCorrections = 60  // from 0, after which another method is as fast
)

// thin reports whether Q has a factor of few columns; of reflected rows, and of sparse ones once a method failed, they may be many.
func (c *chain) thin() bool {
	rows := 0
	switch l, ok := c.q.(*Linear); {
	case !ok:
		rows = c.m
	case l.rows().carried || c.best.res != nil && l.rows().sparse != nil:
		rows = math.MaxInt
	case l.rows().sparse == nil:
		rows = l.height()
	}
	return c.f != nil && c.f.Rank() <= max(c.alwaysThin, min(rows/2, c.widestThin))
}

// squares reports whether Q is that of rows which are few and long.
func (c *chain) squares() bool {
	l, ok := c.q.(*Linear)
	return ok && !c.thin() && l.rows().sparse == nil && l.height() <= c.mostProducts
}

// crept reports whether the augmented Lagrangian has failed on sparse rows that are few enough for their products.
func (c *chain) crept() bool {
	return c.sparse() != nil && c.best.res != nil && c.sparse().height() <= min(c.f.Rank(), c.mostProducts)
}

// square solves the problem with the products of the rows in their place, and states or polishes the multipliers with the rows.
func (c *chain) square() outcome {
	l, own := c.q.(*Linear), *c
	own.state, own.best = c.clone(), outcome{}
	own.q, own.f, own.v = &rowProducts{l, l.Products()}, nil, nil
	own.refresh()
	r := own.through()
	if c.by = own.by; r.res == nil {
		return r
	}
	b, back := r.res.Multiplier, c.at(&Result{Alpha: r.res.Alpha, Gradient: c.grad, V: c.v})
	back.refresh()
	if end := back.finish(b); c.ends(end) || c.ended(r) {
		return end
	}
	end := newPolisher(back, b).run() // products lose the digits of columns beside larger ones
	return outcome{res: end.res, err: end.err}
}

func (c *chain) hasStart() bool { return (c.thin() || c.few()) && c.started }

// lopsided reports whether so few variables can move sᵀα one way that some corrections lead from 0 to the solution.
func (c *chain) lopsided() bool {
	if !(c.thin() || c.few()) || c.sum != 0 || slices.Max(c.lo) > 0 || slices.Min(c.up) < 0 {
		return false
	}
	if c.s == nil {
		return c.m <= c.fewOfASign
	}
	plus, minus := 0, 0
	for i, s := range c.s {
		if max(s*c.lo[i], s*c.up[i]) > 0 {
			plus++
		}
		if min(s*c.lo[i], s*c.up[i]) < 0 {
			minus++
		}
	}
	return min(plus, minus) <= c.fewOfASign
}

// within runs a method from a copy of the point under the lesser of the caller's cap and its own, at which it gave up.
func (c *chain) within(most int, run func(*state) outcome) outcome {
	st := c.clone()
	st.maxIter = min(cmp.Or(c.maxIter, most), most)
	r := run(st)
	if st.maxIter != c.maxIter && r.res.Report.Status() == optimize.MaxIterations {
		return outcome{}
	}
	return r
}

// few reports whether Q is that of the products of few rows.
func (c *chain) few() bool {
	_, ok := c.q.(*rowProducts)
	return ok
}

// pairsBriefly leaves SMO where it does not come to its gap in the time of the interior point.
func (c *chain) pairsBriefly() outcome {
	n := float64(c.q.(*rowProducts).k.Rows)
	return c.within(1+int(c.briefWork*n*n*n/float64(c.m)), func(st *state) outcome {
		r := newSMO(st, c.bytes).run(max(c.tol, c.smoGap))
		if s := r.res.Report.Status(); s == optimize.MaxIterations || s == optimize.Stopped {
			return r
		}
		return newPolisher(st, r.res.Multiplier).run()
	})
}

// interior reports whether the interior point has equations in few coordinates. Those of products take the signs of
// the rows for those of the equality.
func (c *chain) interior() bool {
	q, ok := c.q.(*rowProducts)
	return c.thin() || ok && (c.s == nil || slices.Equal(c.s, q.l.Sign))
}

func (c *chain) interiorRough() outcome {
	c.ipm = newIPM(c.clone())
	c.ipm.enter()
	return c.polished(c.ipm, c.interiorGap)
}

func (c *chain) interiorGoesOn() bool { return c.ipm != nil && !c.ipm.lost && c.tol < c.interiorGap }

func (c *chain) interiorFine() outcome { return c.polished(c.ipm, 0) }

// pairsRough runs SMO from the best point so far, unless the start is as good, and under a cap of its own
// where an interior point has failed, if by products.
func (c *chain) pairsRough() outcome {
	if r := c.best.res; r != nil && r.Objective < c.objective() {
		c.state = c.at(r)
	}
	entries := c.spareEntries
	if c.ipm != nil {
		entries = min(entries, c.spareShare*c.ipm.work)
	}
	if c.ipm != nil || c.squares() {
		c.maxIter = cmp.Or(c.maxIter, max(1000, int(math.Min(c.spareSteps, entries/float64(c.m)))))
	}
	c.smo = newSMO(c.state, c.bytes)
	return c.polished(c.smo, c.smoGap)
}

func (c *chain) pairsGoOn() bool { return c.tol < c.smoGap }

func (c *chain) pairsFine() outcome { return c.polished(c.smo, 0) }
