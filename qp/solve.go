package qp

import (
	"fmt"
	"slices"

	"halfspace/optimize"
)

const (
	rough     = 1e-6 // gap at which Polish takes over from InteriorPoint
	widest    = 4000 // columns of A up to which InteriorPoint is worth its equations
	smoEffort = 1e9  // gradient entries that SMO may touch after InteriorPoint and Polish have failed
)

// Solve chooses: [InteriorPoint] followed by [Polish] where Q is [Factored] with
// at most half as many columns as variables, [SMO] followed by Polish otherwise
// and where that fails. The report's iterations are the steps of all of them;
// MaxIter caps each.
func Solve(p *Problem, o *Options) (*Result, error) {
	st, err := prepare(p, o)
	if err != nil {
		return nil, fmt.Errorf("qp: %w", err)
	}
	bytes := defaultCache
	if o != nil && o.CacheBytes > 0 {
		bytes = o.CacheBytes
	}
	var r outcome
	if st.f != nil && 2*st.f.Rank() <= st.m && st.f.Rank() <= widest {
		if r = st.interior(p.Sum); r.err == nil || st.final(r) {
			return r.res, r.err
		}
		st = st.at(r.res)
		if st.maxIter == 0 {
			st.maxIter = max(1000, smoEffort/st.m)
		}
	}
	r = newSMO(st, bytes).run(r.iterations())
	if !st.final(r) {
		r = newPolisher(st.at(r.res), p.Sum, r.res.Multiplier).run(r.iterations())
	}
	return r.res, r.err
}

func (r outcome) iterations() int {
	if r.res == nil {
		return 0
	}
	return r.res.Report.Iterations
}

// final reports whether the caller has ended the work, by the trace or a cap.
func (st *state) final(r outcome) bool {
	s := r.res.Report.Status
	return s == optimize.Stopped || s == optimize.MaxIterations && st.maxIter > 0
}

// at returns a state of the same problem at r's point.
func (st *state) at(r *Result) *state {
	c := *st
	c.alpha, c.grad, c.v = slices.Clone(r.Alpha), slices.Clone(r.Gradient), slices.Clone(r.V)
	return &c
}

// interior runs the interior-point method to a rough gap and polishes; if that is
// not enough, it goes on to the tolerance and polishes again.
func (st *state) interior(sum float64) outcome {
	w := newIPM(st, sum)
	w.enter()
	it := 0
	for until := max(st.tol, rough); ; until = st.tol {
		r := w.run(until, it)
		if st.final(r) {
			return r
		}
		it = r.iterations()
		polished := newPolisher(st.at(r.res), sum, r.res.Multiplier).run(it)
		if polished.err == nil || st.final(polished) || until == st.tol {
			return polished
		}
	}
}
