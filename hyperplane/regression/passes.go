package regression

import (
	"math"

	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// fewEquations is the number of features up to which a ridge on sparse rows is fitted by
// normal equations: 32 MB, and some two seconds.
const fewEquations = 2000

// vast reports whether the rows are sparse and have so many features that a ridge is fitted
// by the equations of the rows or by passes over their values.
func (p *problem) vast() bool { return p.Sparse() && p.P > fewEquations }

// refuseCap refuses a cap of iterations where the fits up to lambda have closed forms, but without a penalty.
func (p *problem) refuseCap(lambda float64) error {
	if lambda == 0 || p.vast() {
		return nil
	}
	return sample.Unused(p.o, "as this fit has a closed form", "MaxIter")
}

// fitVast fits the ridge of weight lambda > 0 by the equations of the rows where they are few and
// well conditioned, else by passes: Newton's method with conjugate gradients.
func (p *problem) fitVast(lambda float64) (*Model, error) {
	if p.N <= fewRows && p.o.MaxIter == 0 {
		if m, err := p.fitSystem(lambda); m != nil || err != nil {
			return m, err
		}
	}
	return p.fitByPasses(lambda)
}

// fitByPasses fits the ridge of weight lambda > 0 by passes, from the coefficients last
// measured, if any. The degrees of freedom, a trace of p×p matrices, stay unknown.
func (p *problem) fitByPasses(lambda float64) (*Model, error) {
	start, ridge := make([]float64, p.P), make([]float64, p.P)
	if p.last != nil {
		start = p.last.theta
	}
	for j := range ridge {
		ridge[j] = lambda
	}
	o := glm.New(p.Design, p.z, loss.Squared{}, ridge)
	shown := p.At(nil, nil) // Minimize shows coefficients on the data's scale
	theta, report, err := o.Minimize(glm.Problem{Start: start, Given: true, Tol: p.o.Tol, MaxIter: p.o.MaxIter, Trace: p.public(shown)})
	if theta == nil {
		return nil, err
	}
	r, bad := p.at(theta)
	if bad != nil {
		return nil, bad
	}
	ended := report
	if report, bad = p.withRoundedMeans(r, report); bad != nil {
		return nil, bad
	}
	m, bad := p.model(r, lambda, math.NaN(), report)
	if bad != nil {
		return nil, bad
	}
	if ended.Err(nil) == nil {
		err = report.Err(nil)
	}
	return m, err
}

// withRoundedMeans returns the report of a ridge about implied means with what their rounding adds: where
// residuals sum to S, not to 0, the level is off by S/Σw, and the published one is rounded beside it.
func (p *problem) withRoundedMeans(r *residuals, report optimize.Report) (optimize.Report, error) {
	sum, err := p.residualSum(r.theta)
	if err != nil || !p.Implied() {
		return report, err
	}
	return report.Certify(p.roundLevel(report.Objective(), 0, report.Certificate(), math.Abs(sum)/p.Total+math.Abs(p.rounded(r)))), nil
}
