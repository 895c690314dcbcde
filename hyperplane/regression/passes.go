package regression

import (
	"math"

	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// fewEquations is the number of features up to which a ridge on sparse rows is fitted by
// normal equations: 32 MB, and some two seconds.
const fewEquations = 2000

// vast reports whether the rows are sparse and have so many features that a ridge is fitted
// by passes over their values: Newton's method with conjugate gradients.
func (p *problem) vast() bool { return p.Sparse() && p.P > fewEquations }

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
	theta, report, err := o.Minimize(glm.Problem{Start: start, Given: true, Trace: p.traced()})
	if theta == nil {
		return nil, err
	}
	r, bad := p.at(theta)
	if bad != nil {
		return nil, bad
	}
	ended := report
	if report, bad = p.withRoundedMeans(r, lambda, report); bad != nil {
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

// withRoundedMeans returns the report of a ridge about implied means with what their rounding adds.
// Residuals that sum to S, not to 0, are off by S·c in the derivatives about the means c, which adds at
// most |S|‖c‖/√(2λ) to the root of the gap, and by S/Σw in the level, beside which the published one is
// rounded.
func (p *problem) withRoundedMeans(r *residuals, lambda float64, report optimize.Report) (optimize.Report, error) {
	sum, err := p.residualSum(r.theta)
	if err != nil || !p.Implied() {
		return report, err
	}
	far := 0.0
	for j, c := range p.Origin {
		far = math.Hypot(far, c/p.Unit[j])
	}
	value, c := report.Objective(), report.Certificate()
	sum = math.Abs(sum)
	root := math.Sqrt(c.Value*value) + sum*far/math.Sqrt(2*lambda) + math.Sqrt(p.Total/2)*(math.Abs(p.rounded(r))+sum/p.Total)
	return report.Certify(value, optimize.GapOf(root*root, value, c.Tol)), nil
}

// traced returns the caller's trace, which sees the intercept before the coefficients.
func (p *problem) traced() func(optimize.Step) error {
	if p.o.Trace == nil {
		return nil
	}
	return func(s optimize.Step) error {
		public := make([]float64, p.P+1)
		public[0] = p.mean + p.LevelAt0(s.X)
		copy(public[1:], s.X)
		s.X = public
		return p.o.Trace(s)
	}
}
