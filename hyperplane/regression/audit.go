package regression

import (
	"cmp"
	"errors"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// Audit judges the coefficients of m, whoever found them, by the objective of [FitElasticNet]
// with the given options on the rows of x and their responses y: least squares at λ = 0, a
// ridge at L1Ratio 0. The certificate is a duality gap, in closed form but for a lasso part,
// where a fit bounds the minimum from below. The part of a row in the excess is
// ½wᵢ(f(xᵢ) − f̂(xᵢ))², f̂ the fit.
//
// Errors: those of [FitElasticNet] for bad input; *[linalg.ShapeError] for other features than
// the model's.
func (m *Model) Audit(x linalg.Rows, y []float64, o *Options) (*optimize.Audit, error) {
	if o == nil {
		o = &Options{}
	}
	value, least, c, err := m.certify(x, y, o)
	if err != nil {
		return nil, wrap(err)
	}
	return optimize.NewAudit(value, c).Beside(least).Against(func() (optimize.Refit, error) { return m.refit(x, y, least, o) })
}

// refit fits anew: of dependent columns any coefficients with the least objective do.
func (m *Model) refit(x linalg.Rows, y []float64, least float64, o *Options) (r optimize.Refit, err error) {
	fit, err := FitElasticNet(x, y, o)
	if rank := (*linalg.RankError)(nil); errors.As(err, &rank) {
		own := *o
		own.MinNorm = true
		fit, err = FitElasticNet(x, y, &own)
	}
	if fit == nil || fit.report.Status() == optimize.Stopped {
		return r, err
	}
	value := fit.report.Objective()
	r.Report = fit.report.Certify(value, ofWhole(value, least, fit.report.Certificate()))
	mine, err := m.PredictRows(nil, x)
	if err != nil {
		return r, err
	}
	if r.Parts, err = fit.PredictRows(nil, x); err != nil {
		return r, err
	}
	for i, f := range r.Parts {
		d := mine[i] - f
		r.Parts[i] = sample.WeightAt(o.Weights, i) * d * d / 2
	}
	return r, nil
}

// certify returns the objective at the coefficients, the least one that certificates are relative to, and
// a certificate that is relative to the objective itself. The best
// intercept beside them makes the function the mean response at the mean row; another adds
// ½Σw times the square of the difference.
func (m *Model) certify(x linalg.Rows, y []float64, o *Options) (value, least float64, c optimize.Certificate, err error) {
	if err := cmp.Or(sample.NonNegative("Lambda", o.Lambda), sample.Fraction("L1Ratio", o.L1Ratio), o.single("L1Ratio", "Standardize")); err != nil {
		return 0, 0, c, err
	}
	e, err := newElasticNet(x, y, o)
	if err != nil {
		return 0, 0, c, err
	}
	if e.P != m.Features() {
		return 0, 0, c, &linalg.ShapeError{Want: m.Features(), WantOf: "features", Got: e.P, GotOf: "columns"}
	}
	if o.NoIntercept && m.plane.Intercept() != 0 {
		return 0, 0, c, &sample.OptionError{Name: "NoIntercept", Value: 1, Want: "false for a model with an intercept"}
	}
	theta, ridge := m.plane.Normal(), make([]float64, e.P)
	off := e.above(m.plane)
	for j, u := range e.Unit {
		theta[j] *= u
		ridge[j] = o.Lambda
	}
	if e.q.Intercept == 1 {
		theta, ridge = append([]float64{off}, theta...), append([]float64{0}, ridge...)
	}
	if o.L1Ratio == 0 {
		if err := e.refuseCap(o.Lambda); err != nil {
			return 0, 0, c, err
		}
	}
	tol := cmp.Or(o.Tol, directTol)
	switch {
	case o.Lambda > 0 && o.L1Ratio > 0:
		value, c, err = e.q.Judge(o.Lambda, theta, e.tol)
		c = ofWhole(value, e.q.Least(), c)
	case o.Lambda == 0:
		value, c, err = e.q.Objective.Judge(theta, tol)
	default:
		value, c, err = glm.New(e.q.Design, e.z, loss.Squared{}, ridge).Judge(theta, tol)
	}
	if err == nil && e.Implied() {
		value, c = e.offLevel(value, 0, c, off)
	}
	return value, e.least, c, err
}

// above returns how far a plane is above the mean of the response at those of the columns, to all
// digits wherever its own origin is: 0 without an intercept.
func (p *problem) above(plane *hyperplane.Plane) float64 {
	if p.o.NoIntercept {
		return 0
	}
	var off exact.Sum
	origin := plane.Origin()
	for _, v := range []float64{plane.Value(origin), -p.mean, -p.beyond} {
		off.Add(v, 0)
	}
	for j, b := range plane.Normal() {
		off.AddProduct(b, 0, p.Origin[j], -origin[j])
	}
	return off.Value()
}
