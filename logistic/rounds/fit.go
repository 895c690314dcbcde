package rounds

import (
	"fmt"

	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/optimize"
)

// Fit carries out all rounds on one table, with a prior that stands for earlier rows, or nil.
// The certificate is that of the objective of the rows and the prior: as a fit of the earlier
// rows too it is an approximation, the better the less the later rows move the point.
//
// Errors: those of [Survey], [Begin], [State.Answer] and [State.Next].
func Fit(t *Table, classes int, o Options, prior *Prior) (*logistic.Model, error) {
	c, err := Survey(t, classes)
	if err != nil {
		return nil, err
	}
	s, err := Begin(c, o, prior)
	for err == nil {
		var a *Answer
		if a, err = s.Answer(t); err != nil {
			break
		}
		next, m, err := s.Next(a)
		if next == nil {
			return m, err
		}
		s = next
	}
	return nil, err
}

// Approximate returns the Gaussian that stands for the rows of a fit with the options given,
// to the labels 0 … K−1, and for the prior that it had itself, or nil. Two passes and the sums
// at the model, O(nq²).
//
// Errors: [optimize.ErrNotConverged] for a model that is no minimum, an error for one that was
// fitted with a lasso part or Firth's correction, and those of [Survey], [Begin] and
// [State.Answer].
func Approximate(m *logistic.Model, t *Table, o Options, earlier *Prior) (*Prior, error) {
	switch {
	case m.Method() != logistic.MaximumLikelihood && m.Method() != logistic.Ridge:
		return nil, wrap(fmt.Errorf("a Gaussian stands for fits by likelihood or with a ridge, not for %q", m.Method()))
	case !m.Report().Certificate().Holds():
		return nil, wrap(fmt.Errorf("a Gaussian stands for a minimum: %w", optimize.ErrNotConverged))
	}
	classes := len(m.Classes())
	c, err := Survey(t, classes)
	if err != nil {
		return nil, err
	}
	s, err := Begin(c, o, earlier)
	if err != nil {
		return nil, err
	}
	s.sumTo0 = true
	if err := s.moveTo(m); err != nil {
		return nil, wrap(err)
	}
	a, err := s.Answer(t)
	if err != nil {
		return nil, err
	}
	f, err := s.knowing(s.Theta, a.Sums)
	if err != nil {
		return nil, wrap(err)
	}
	q := len(s.Theta)
	h := linalg.Zeros(q, q)
	f.Hess(h, make([]float64, q), s.Theta)
	p := &Prior{Rows: c.Rows, Classes: classes, NoIntercept: s.Options.NoIntercept, Extent: c.Extent, Theta: s.Theta, Hessian: linalg.PackLower(h)}
	if earlier != nil {
		p.Rows += earlier.Rows
		p.Extent = earlier.Extent
	}
	return p, p.Check()
}

// moveTo sets the point to the functions of a model.
func (s *State) moveTo(m *logistic.Model) error {
	d := s.coordinates()
	coef, _ := m.Coef()
	if coef.Cols != d.P {
		return &linalg.ShapeError{Want: coef.Cols, WantOf: "features in the model", Got: d.P, GotOf: "here"}
	}
	levels := m.Scores(nil, d.Origin)
	if coef.Rows == 1 {
		levels = []float64{m.LogOdds(d.Origin)}
	}
	functions := make([]float64, coef.Rows*d.Dim())
	for c, level := range levels {
		f := functions[c*d.Dim() : (c+1)*d.Dim()]
		if d.Intercept == 1 {
			f[0] = level
		}
		for j, u := range d.Unit {
			f[j+d.Intercept] = coef.At(c, j) * u
		}
	}
	f, err := s.objective(d)
	if err != nil {
		return err
	}
	s.Theta = f.ThetaOf(functions)
	return nil
}
