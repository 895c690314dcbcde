package logistic

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

// narrowWalk walks a two-class path on the few features that may move before the
// end of a stretch of λ: it fits those λ to a copy of these columns, checks the
// discarded features for all λ in one pass over x, and where the check finds some
// goes on with them (the strong rule of Tibshirani et al., J. R. Stat. Soc. B 74,
// 2012, looking several λ ahead).
type narrowWalk struct {
	*stretch
	before     []float64 // the fit one λ before the last, nil at first
	lastLambda float64   // its λ
}

// narrowRatio is the least ratio of the λ at the ends of a stretch: a longer one
// carries features along that do not move.
const narrowRatio = 0.8

// walk fits λ as long as few features move and returns how many it did.
func (s *narrowWalk) walk() (done int, end bool, err error) {
	for done < len(s.lambdas) {
		size := 1
		for size < 2*stretchLength && done+size < len(s.lambdas) && s.lambdas[done+size] >= narrowRatio*min(s.lambda, s.lambdas[done]) {
			size++
		}
		stop := done + size
		for done < stop {
			s.join(s.strong(s.lambdas[stop-1]))
			if !s.few() {
				return done, false, nil
			}
			good, end, err := s.stretchOf(s.lambdas[done:stop])
			done += good
			if end || err != nil {
				return done, true, err
			}
		}
		s.forget()
	}
	return done, true, nil
}

// forget empties the working set.
func (s *narrowWalk) forget() {
	s.set = nil
	clear(s.in)
}

// stretchOf fits λ on the working set and adds those that all features confirm;
// the features that the first other one lacks join the set.
func (s *narrowWalk) stretchOf(lambdas []float64) (good int, end bool, err error) {
	slices.Sort(s.set)
	s.gatherNarrow()
	tries, reports, failed := s.fitNarrow(lambdas)
	for lo := 0; lo < len(tries); lo += stretchLength {
		s.evaluate(tries[lo:min(lo+stretchLength, len(tries))])
	}
	for i, t := range tries {
		var entering []int
		t.cert = s.certify(t, s.elasticNet(t.lambda, s.o.L1Ratio), &entering)
		if len(entering) > 0 {
			s.join(entering)
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

// fitNarrow fits λ after λ to the columns of the working set.
func (s *narrowWalk) fitNarrow(lambdas []float64) (tries []*try, reports []optimize.Report, err error) {
	sub := *s.design
	columns := s.set[s.design.intercept:]
	sub.p = len(columns)
	sub.x = &linalg.Dense{Rows: s.n, Cols: sub.p, Stride: s.narrow.Stride, Data: s.narrow.Data[s.design.intercept:]}
	sub.origin, sub.unit, sub.asIs = make([]float64, sub.p), make([]float64, sub.p), true
	for j := range sub.unit {
		sub.unit[j] = 1
	}
	f := &remembering{SubHessian: newBinary(&sub, s.b.sign, nil), pinned: -1}
	n := len(s.set)
	at, scale, pen := make([]float64, n), make([]float64, n), s.elasticNet(0, s.o.L1Ratio)
	pen.Factors = make([]float64, n)
	for i, j := range s.set {
		at[i], scale[i], pen.Factors[i] = s.theta[j], s.scale[j], s.factors[j]
	}
	var solver optimize.Proximal
	var before []float64
	if s.before != nil && s.lastLambda > s.lambda {
		before = make([]float64, n)
		for i, j := range s.set {
			before[i] = s.before[j]
		}
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
		at, r, err = solver.Minimise(f, start, pen, &optimize.Control{Tol: s.tol / 2, MaxIter: s.o.MaxIter, Scale: scale})
		if err != nil {
			return tries, reports, err
		}
		t := &try{lambda: l, theta: make([]float64, len(s.theta)), g: make([]float64, len(s.theta)), cert: math.NaN()}
		for i, j := range s.set {
			t.theta[j] = at[i]
		}
		tries, reports = append(tries, t), append(reports, r)
	}
	return tries, reports, nil
}
