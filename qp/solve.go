package qp

import (
	"cmp"
	"fmt"
	"slices"

	"halfspace/optimize"
)

const (
	rough     = 1e-5 // gap at which the polisher takes over from the interior point
	coarse    = 1e-3 // gap at which it takes over from SMO
	narrow    = 200  // columns of A up to which the interior point is always worth its equations
	warm      = 10   // violations at a given start, beside one for two columns, that are left to the polisher
	widest    = 4000 // and up to which it is if there are twice as many variables
	smoEffort = 5e7  // gradient entries that SMO may touch after the interior point and the polisher have failed
	smoSteps  = 2e4  // and steps that it may make
)

// Solve chooses. Where Q is [Factored] with few columns, at most 200 or half as many
// as there are variables: Newton's method on the smoothed dual followed by an
// active-set method; where that fails, or a bound is infinite, an interior-point
// method in the place of Newton's. Else, and where that fails too: [SMO] to a rough
// gap followed by the active-set method, and to the tolerance. A start that is
// nearly right goes to the active-set method at once. The report's iterations are
// the steps of all of them; MaxIter caps each.
func Solve(p *Problem, o *Options) (*Result, error) {
	st, err := prepare(p, o)
	if err != nil {
		return nil, fmt.Errorf("qp: %w", err)
	}
	bytes := defaultCache
	if o != nil && o.CacheBytes > 0 {
		bytes = o.CacheBytes
	}
	// The start can be the solution, as 0 is where a tube holds all rows.
	b := st.multiplier()
	st.progress.End(optimize.Converged)
	if r := st.finish(b); r.err == nil && st.bounded && r.res.Gap <= 1e-15*st.least/negligible {
		return r.res, nil
	}
	var inner outcome
	if st.thin() {
		if o != nil && o.Start != nil {
			w := newPolisher(st.at(&Result{Alpha: st.alpha, Gradient: st.grad, V: st.v}), p.Sum, b)
			w.most = st.f.Rank()/2 + warm
			if r := w.run(); st.done(r) {
				return r.res, r.err
			}
		}
		inner = st.interior(p.Sum)
		if st.done(inner) {
			return inner.res, inner.err
		}
		st = st.at(inner.res)
		st.maxIter = cmp.Or(st.maxIter, max(1000, min(smoSteps, smoEffort/st.m)))
	}
	r := st.pairwise(p.Sum, bytes)
	if inner.res != nil && r.err != nil && r.res.Report.Status() != optimize.Stopped && !(r.res.Gap < inner.res.Gap) {
		inner.res.Report = r.res.Report.Certify(inner.res.Objective, inner.res.Report.Certificate())
		return inner.res, fmt.Errorf("qp: %w", inner.res.Report.Err(nil))
	}
	return r.res, r.err
}

// thin reports whether the interior-point method is the one to use.
func (st *state) thin() bool {
	return st.f != nil && st.f.Rank() <= max(narrow, min(st.m/2, widest))
}

// done reports whether r is what there is to get.
func (st *state) done(r outcome) bool { return r.err == nil || r.exact || st.final(r) }

// final reports whether the caller has ended the work, by the trace or a cap.
func (st *state) final(r outcome) bool {
	s := r.res.Report.Status()
	return s == optimize.Stopped || s == optimize.MaxIterations && st.maxIter > 0
}

// at returns a state of the same problem at r's point.
func (st *state) at(r *Result) *state {
	c := *st
	c.alpha, c.grad, c.v = slices.Clone(r.Alpha), slices.Clone(r.Gradient), slices.Clone(r.V)
	return &c
}

// pairwise runs SMO to a coarse gap and polishes; if that is not enough, it goes on
// to the tolerance and polishes again.
func (st *state) pairwise(sum float64, bytes int) outcome {
	w := newSMO(st, bytes)
	for until := max(st.tol, coarse); ; until = st.tol {
		r := w.run(until)
		if st.final(r) {
			return r
		}
		polished := newPolisher(st.at(r.res), sum, r.res.Multiplier).run()
		if st.done(polished) || until == st.tol {
			return polished
		}
	}
}

// interior runs Newton's method on the smoothed dual and polishes; where that is
// not enough, it runs the interior-point method to a rough gap and polishes, and
// that to the tolerance.
func (st *state) interior(sum float64) outcome {
	r := st.at(&Result{Alpha: st.alpha, Gradient: st.grad, V: st.v}).smooth(sum)
	if r.res != nil && st.done(r) {
		return r
	}
	w := newIPM(st, sum)
	w.enter()
	for until := max(st.tol, rough); ; until = st.tol {
		r := w.run(until)
		if st.final(r) {
			return r
		}
		p := newPolisher(st.at(r.res), sum, r.res.Multiplier)
		p.hasty = !w.lost
		polished := p.run()
		if st.done(polished) || until == st.tol || w.lost {
			return polished
		}
	}
}
