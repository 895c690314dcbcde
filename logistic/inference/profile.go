package inference

import (
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/linalg/tail"
	"halfspace/optimize"
)

// Profile returns the interval of the values of one term that the likelihood ratio test
// does not reject: with the other parameters refitted, twice the loss of log-likelihood
// is at most the quantile of χ² with one degree of freedom. It covers the truth with
// probability level, strictly between 0 and 1: 0.95 is usual, there is no default. term
// is an index into Terms. An end may be infinite.
//
// The search for an end takes some ten refits, each of a few passes over the rows. The
// intercept's profile is that at 0: where the rows are far from there, its refits may
// not converge.
//
// Errors: *[linalg.ShapeError] for an index that is not a term, *[sample.OptionError] for
// a level that is not between 0 and 1, and that of a refit that did not converge.
func (inf *Inference) Profile(term int, level float64) (lo, hi float64, err error) {
	if inf.data == nil {
		return 0, 0, errNoRows
	}
	if term < 0 || term >= len(inf.Terms) {
		return 0, 0, wrap(&linalg.ShapeError{Want: len(inf.Terms), WantOf: "terms", Got: term, GotOf: "is the term asked for"})
	}
	if !(level > 0 && level < 1) {
		return 0, 0, wrap(&sample.OptionError{Name: "level", Value: level, Want: "between 0 and 1"})
	}
	e := inf.data
	if inf.Terms[term].Column < 0 && linalg.NormInf(e.Origin) > 0 {
		// The plain intercept is a coordinate only where the origin is 0.
		if e, err = e.about(make([]float64, e.P)); err != nil {
			return 0, 0, fmt.Errorf("inference: profile of the intercept at 0, which is far from the rows: %w", err)
		}
	}
	unit := 1.0
	if j := inf.Terms[term].Column; j >= 0 {
		unit = e.Unit[j]
	}
	p := profile{fitted: e, term: term, goal: tail.NormalQuantile((1 - level) / 2), se: inf.SE[term] * unit}
	if lo, err = p.end(-1); err == nil {
		hi, err = p.end(1)
	}
	if err != nil {
		err = fmt.Errorf("inference: profile of %s: %w", inf.name(inf.Terms[term], nil, nil), err)
	}
	return lo / unit, hi / unit, err
}

// profile is the search for the ends of one interval, in units.
type profile struct {
	*fitted
	term     int
	goal, se float64
}

// end returns the end of the interval in one direction: the root of the excess,
// which is near linear in the parameter, between the estimate and a point beyond.
func (p *profile) end(sign float64) (float64, error) {
	excess := p.excess()
	in := optimize.Sample{X: p.theta[p.term], F: -p.goal}
	for step, tries := sign*p.goal*p.se, 0; tries <= 40; tries++ {
		out := optimize.Sample{X: in.X + step}
		var err error
		if out.F, err = excess(out.X); err != nil {
			return 0, err
		}
		if out.F >= 0 {
			return optimize.Root(excess, in, out, 1e-11*p.se, 1e-10)
		}
		in, step = out, 1.5*step
	}
	return math.Inf(int(sign)), nil
}

// excess returns the function whose root is an end: the root of twice the loss of
// log-likelihood where the term has a value, less that allowed.
func (p *profile) excess() func(b float64) (float64, error) {
	var free []int
	for c := range p.theta {
		if c != p.term {
			free = append(free, c)
		}
	}
	r, at := p.over(p.theta, free), make([]float64, len(p.theta))
	// The other coordinates start where the quadratic approximation has them.
	line := make([]float64, len(p.theta))
	line[p.term] = 1
	p.factor.Solve(line)
	return func(b float64) (float64, error) {
		copy(at, p.theta)
		linalg.Axpy(at, (b-p.theta[p.term])/line[p.term], line)
		at[p.term] = b
		r.Hold(at)
		_, value, err := p.minimize(r, free)
		return math.Sqrt(math.Max(0, 2*(value-p.value))) - p.goal, err
	}
}
