package logistic

import (
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/optimize"
)

// narrowWalk walks a two-class path on the features that may move before the end
// of a stretch of λ, and those that did before: it fits those λ to these columns
// alone, checks the discarded features for all λ in one pass, and where the check
// finds some goes on with them (the strong rule of Tibshirani et al., J. R. Stat.
// Soc. B 74, 2012, looking several λ ahead).
type narrowWalk struct {
	*stretch
	f          *byFeature
	solver     optimize.Proximal
	before     []float64 // the fit one λ before the last, nil at first
	lastLambda float64   // its λ
}

// narrowRatio is the least ratio of the λ at the ends of a stretch: a longer one
// carries features along that do not move.
const narrowRatio = 0.75

// walk fits all λ.
func (s *narrowWalk) walk() (done int, end bool, err error) {
	s.f = newByFeature(s.b)
	for done < len(s.lambdas) {
		size := 1
		for size < stretchLength && done+size < len(s.lambdas) && s.lambdas[done+size] >= narrowRatio*min(s.lambda, s.lambdas[done]) {
			size++
		}
		stop := done + size
		s.widen(s.strong(s.lambdas[stop-1]))
		for done < stop {
			good, end, err := s.stretchOf(s.lambdas[done:stop])
			done += good
			if end || err != nil {
				return done, true, err
			}
		}
	}
	return done, true, nil
}

// widen adds coordinates to the working set.
func (s *narrowWalk) widen(set []int) {
	k := s.design.intercept
	old := len(s.set)
	s.join(set)
	for i := max(old, k); i < len(s.set); i++ {
		s.f.use(i-k, s.set[i]-k)
	}
}

// stretchOf fits λ on the working set and adds those that all features confirm;
// the features that the first other one lacks join the set.
func (s *narrowWalk) stretchOf(lambdas []float64) (good int, end bool, err error) {
	r := linalg.Zeros(len(lambdas), s.n)
	tries, reports, failed := s.fitNarrow(lambdas, r)
	s.f.gradients(tries, r)
	for i, t := range tries {
		var entering []int
		t.cert = s.certify(t, s.elasticNet(t.lambda, s.o.L1Ratio), &entering)
		if len(entering) > 0 {
			s.widen(entering)
			return good, false, nil
		}
		r := s.report(t)
		r.Status, r.Iterations = reports[i].Status, reports[i].Iterations
		if end, err := s.add(t.lambda, t.theta, r); end || err != nil {
			return good + 1, true, err
		}
		s.before, s.lastLambda = s.theta, s.lambda
		s.lambda, s.theta, s.g = t.lambda, t.theta, t.g
		good++
	}
	if failed != nil {
		return good, true, fmt.Errorf("λ = %g: %w", lambdas[good], failed)
	}
	return good, false, nil
}

// narrowed returns the working set's values.
func (s *narrowWalk) narrowed(theta []float64) []float64 {
	x := make([]float64, len(s.set))
	for i, j := range s.set {
		x[i] = theta[j]
	}
	return x
}

// fitNarrow fits λ after λ to the columns of the working set and sets a row of
// residuals for each.
func (s *narrowWalk) fitNarrow(lambdas []float64, residuals *linalg.Dense) (tries []*try, reports []optimize.Report, err error) {
	f := &remembering{SubHessian: s.f, pinned: -1}
	pen := s.elasticNet(0, s.o.L1Ratio)
	at, scale := s.narrowed(s.theta), s.narrowed(s.scale)
	pen.Factors = s.narrowed(s.factors)
	var before []float64
	if s.before != nil && s.lastLambda > s.lambda {
		before = s.narrowed(s.before)
	}
	last, oneBefore := s.lambda, s.lastLambda
	for _, l := range lambdas {
		pen.Lambda = l
		start := foretell(at, before, l, last, oneBefore)
		before, last, oneBefore = at, l, last
		if oneBefore <= last {
			before = nil
		}
		var r optimize.Report
		at, r, err = s.solver.Minimise(f, start, pen, &optimize.Control{Tol: 0.9 * s.tol, MaxIter: s.o.MaxIter, Scale: scale})
		if err != nil {
			return tries, reports, err
		}
		t := &try{lambda: l, theta: make([]float64, len(s.theta)), g: make([]float64, len(s.theta)), cert: math.NaN()}
		t.value = r.Objective - pen.Value(at)
		copy(residuals.Row(len(tries)), s.f.r)
		for i, j := range s.set {
			t.theta[j] = at[i]
		}
		tries, reports = append(tries, t), append(reports, r)
	}
	return tries, reports, nil
}
