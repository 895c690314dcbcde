package regression

import (
	"halfspace/linalg"
	"halfspace/optimize"
)

// GapShare is the share of a fit's tolerance that its first solve has.
const GapShare = gapShare

// GapAt judges coefficients on the scale of the data that no fit has made: the model of
// them, and the lower bound on the objective.
func GapAt(x linalg.Rows, y []float64, o *Options, beta []float64) (m *Model, dual float64, err error) {
	e, err := newElasticNet(x, y, o)
	if err != nil {
		return nil, 0, err
	}
	theta, pen := make([]float64, e.P), e.penalty(o.Lambda)
	e.Parameters(theta, beta, 0)
	value, certificate, err := e.certify(theta, pen)
	if err != nil {
		return nil, 0, err
	}
	m, err = e.model(e.last, o.Lambda, 0, optimize.Report{}.Certify(value, certificate))
	return m, e.last.dual(pen), err
}

// StagesAt returns the solves of one λ.
func StagesAt(x linalg.Rows, y []float64, o *Options) ([]optimize.Stage, error) {
	e, err := newElasticNet(x, y, o)
	if err != nil {
		return nil, err
	}
	return e.stages(o.Lambda), nil
}
