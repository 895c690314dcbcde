package rounds

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/qp/separation"
)

const (
	armijo = 1e-4 // the share of the decrease foretold by the slope that a step must bring
	// mostAttempts is how often the bound by the reach may fail before rounding counts as the
	// cause.
	mostAttempts = 3
	usualMaxIter = 100
	// priorTol is the default tolerance beside a prior, that of a ridge: that of a likelihood, which may have no
	// minimum, is smaller than the rounding errors of a prior's gradient leave room for.
	priorTol = 1e-14
)

// reduction is one step of the iteration.
type reduction struct {
	*State
	a *Answer
	d *design.Design
	o *glm.Objective // knows all rows' sums at Theta
}

// Next takes the answers of all parts, merged, and returns the state of the next round, or at
// the end the model.
//
// Errors: a *[logistic.SeparationError] for classes that a hyperplane separates completely,
// *[linalg.RankError] for columns that others determine, *[linalg.ShapeError] for answers of
// other rows than were counted; with one that wraps [optimize.ErrNotConverged] the model is
// the last point.
func (s *State) Next(a *Answer) (*State, *logistic.Model, error) {
	if a.Sums.Rows != s.All.Rows || len(a.Sums.Gradient) != len(s.Theta) || s.Base != nil && len(a.Values) != halves {
		return nil, nil, wrap(&linalg.ShapeError{Want: s.All.Rows, WantOf: "rows in the first round", Got: a.Sums.Rows, GotOf: "in the answers, or of other parameters"})
	}
	o, err := s.knowing(s.Theta, a.Sums)
	if err != nil {
		return nil, nil, wrap(err)
	}
	if dim := o.Dim(); len(a.Sums.Sizes) != dim || a.Reach != nil && len(a.Reach.Sizes) != o.Scores()*dim {
		return nil, nil, wrap(&linalg.ShapeError{Want: dim, WantOf: "parameters of a function", Got: len(a.Sums.Sizes), GotOf: "sizes in the answers"})
	}
	r := &reduction{s, a, s.coordinates(), o}
	next, m, err := r.next()
	return next, m, wrap(err)
}

func (r *reduction) next() (*State, *logistic.Model, error) {
	s, value := r.State, r.o.Value(r.Theta)
	iteration := s.Iteration
	if s.Base != nil {
		if t := r.length(value); t < 1 {
			return r.shorter(t), nil, nil
		}
		iteration++
	}
	if s.Separating && r.a.Separated {
		return nil, nil, r.separation()
	}
	if constant := slices.Index(r.a.Sums.Sizes, 0); constant >= 0 && s.Options.Lambda == 0 && s.Prior == nil {
		return nil, nil, r.dependent(constant)
	}
	at, objective, gap := r.gap(value)
	tol := s.Options.Tol
	if s.Prior != nil {
		tol = cmp.Or(tol, priorTol)
	}
	tol = r.o.KnownTolerance(tol)
	certificate := optimize.GapOf(gap, objective, tol)
	limit := cmp.Or(s.Options.MaxIter, usualMaxIter)
	if certificate.Holds() || iteration >= limit || s.Attempts >= mostAttempts {
		return r.end(at, objective, iteration, certificate)
	}
	next := &State{Options: s.Options, All: s.All, Prior: s.Prior, Base: s.Theta, Value: value, Iteration: iteration, Round: s.Round + 1, Attempts: s.Attempts}
	err := r.newton(next)
	switch pivot := (*linalg.PivotError)(nil); {
	case errors.As(err, &pivot) && s.Base == nil:
		return nil, nil, r.dependent(pivot.Pivot)
	case err != nil:
		// The step is not finite, or there is none: the rank was that of the columns in the first round, where
		// curvatures differed little. Now those of rows that are told apart vanish, and say nothing of it.
		return r.end(at, objective, iteration, certificate)
	}
	if nu := -next.Slope; nu/2 <= tol*value {
		next.Reaching = r.a.Sums
		next.Attempts++
	}
	next.Separating = s.Options.Lambda == 0 && s.Prior == nil && value < math.Ln2*r.a.Sums.LeastWeight
	return next, nil, nil
}

// length returns the share of the step that Armijo's rule takes: 1 also where the objective's
// differences are rounding errors, half of the shortest that was tried where none is taken.
func (r *reduction) length(value float64) float64 {
	s := r.State
	if value <= s.Value+armijo*s.Slope || -s.Slope <= s.Value*0x1p-40 && value <= s.Value*(1+0x1p-40) {
		return 1
	}
	t := 1.0
	for _, v := range r.a.Values {
		t /= 2
		if v+r.penalty(s.between(t)) <= s.Value+armijo*t*s.Slope {
			return t
		}
	}
	return t / 2
}

// penalty returns that of a point: by the ridge and the prior.
func (r *reduction) penalty(theta []float64) float64 {
	sum := 0.0
	if r.Prior != nil {
		sum, _, _ = r.Prior.at(theta)
	}
	for j, v := range theta {
		if r.o.Ridge != nil {
			sum += r.o.Ridge[j%r.d.Dim()] * v * v / 2
		}
	}
	return sum
}

// shorter returns the state at a share t of the step.
func (r *reduction) shorter(t float64) *State {
	next := *r.State
	next.Theta = r.between(t)
	next.Slope *= t
	next.Round++
	next.Reaching, next.Separating = nil, false
	return &next
}

// newton sets the point and the slope to those of the Newton step. A *[linalg.PivotError] is of a
// Hessian that is not positive definite.
func (r *reduction) newton(next *State) error {
	n := len(r.Theta)
	g, h := make([]float64, n), linalg.Zeros(n, n)
	r.o.Hess(h, g, r.Theta)
	factor, err := linalg.NewCholesky(h)
	if err != nil {
		return err
	}
	d := slices.Clone(g)
	factor.Solve(d)
	next.Slope = -linalg.Dot(g, d)
	next.Theta = slices.Clone(r.Theta)
	linalg.Axpy(next.Theta, -1, d)
	if math.IsNaN(next.Slope) || math.IsInf(linalg.NormInf(next.Theta), 1) {
		return errors.New("the step is not finite")
	}
	return nil
}

// dependent returns the error of a parameter of a function that others determine.
func (r *reduction) dependent(parameter int) error {
	column := max(0, parameter%r.d.Dim()-r.d.Intercept)
	return &linalg.RankError{Rank: r.d.P - 1, P: r.d.P, Columns: []int{column}}
}

// gap returns the point to publish, the objective there and a bound on its excess: by the curvatures
// of the rows there, or by the reach of the step that led there, whose beginning is published unless
// the objective is smaller at the end.
func (r *reduction) gap(value float64) (at []float64, objective, gap float64) {
	gap = math.Inf(1)
	if b := r.o.KnownBound(nil); b.Exists {
		gap = b.Gap
	}
	if r.Reaching == nil || r.a.Reach == nil {
		return r.Theta, value, gap
	}
	before, err := r.knowing(r.Base, r.Reaching)
	if err != nil {
		return r.Theta, value, gap
	}
	reach := r.a.Reach
	if r.Prior != nil {
		reach = r.Prior.beneath(reach, r.Base)
	}
	if b := before.KnownBound(reach); b.Exists && b.Gap < gap {
		if value <= r.Value {
			return r.Theta, value, b.Gap
		}
		return r.Base, r.Value, b.Gap
	}
	return r.Theta, value, gap
}

// end returns the model at a point.
func (r *reduction) end(theta []float64, value float64, iterations int, c optimize.Certificate) (*State, *logistic.Model, error) {
	run, err := optimize.Begin(nil, theta, &optimize.Control{MaxIter: max(1, iterations)}, optimize.Defaults{Kind: c.Kind, Tol: c.Tol, MaxIter: usualMaxIter})
	if err != nil {
		return nil, nil, err
	}
	for range iterations {
		run.Count()
	}
	run.Done(theta, value, c.Value, 1)
	report := run.Report().Certify(value, c)
	coef, intercept := functions(r.d, r.o, theta)
	method := logistic.MaximumLikelihood
	if r.Options.Lambda > 0 || r.Prior != nil {
		method = logistic.Ridge
	}
	classes := linalg.Sequence(len(r.All.Classes))
	return nil, logistic.Fitted(classes, coef, intercept, r.d.Origin, method, report), report.Err(nil)
}

// separation returns the error of classes that the functions at the point separate.
func (r *reduction) separation() error {
	e := r.evidence(r.d, r.o)
	e.Kind, e.Strict = separation.Complete, int(r.All.Extent.Rows)
	return logistic.Separated(e)
}
