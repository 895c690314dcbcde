package logistic

import (
	"errors"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/glm"
)

// Audit judges the coefficients of m, whoever found them, by the objective of [Fit] with the
// given options on the rows of x and their labels y. Of a model whose functions were fitted
// each against the rest ([NewOneVsRest]) it judges each of them.
//
// The certificate is that of the coefficients by themselves, as a fit has it. Where it does not
// hold, a fit, which starts at them if they are near, bounds the minimum from below, and the rows with the
// largest part in the excess are named: wᵢ·KL(p̂ᵢ‖pᵢ) for the probabilities p̂ of the fit. For
// data without a minimum NoMinimum is a *[SeparationError] or a *[linalg.RankError]. Firth's
// likelihood has no bound: its certificate is that of a stationary point.
//
// Errors: those of [Fit] for bad input, *[linalg.ShapeError] and *[linalg.ClassError] for other
// features or classes than the model's; *[sample.OptionError] for Grouped and Start.
func (m *Model) Audit(x linalg.Rows, y []int, o *Options) (*optimize.Audit, error) {
	if o == nil {
		o = &Options{}
	}
	if !m.rest {
		return m.audit(x, y, o)
	}
	own := *o
	if own.Classes == nil {
		own.Classes = m.classes
	}
	_, err := sample.Weights(o.Weights, len(y))
	if err == nil { // of each row by its own class, on whichever side that is
		own.Weights, err = sample.WeighClasses(y, own.Classes, o.Weights, o.ClassWeights)
	}
	var r *response
	if err == nil {
		r, err = newResponse(y, &own)
	}
	if err == nil {
		err = m.checkClasses(r)
	}
	if err != nil {
		return nil, wrap(err)
	}
	own.Classes, own.ClassWeights = nil, nil
	if err := sample.Offsets(o.Offset, len(y), len(m.classes)); err != nil {
		return nil, wrap(err)
	}
	var audits []*optimize.Audit
	for k := range m.classes {
		if o.Offset != nil {
			own.Offset = make([]float64, len(y))
			for i := range own.Offset {
				own.Offset[i] = o.Offset[i*len(m.classes)+k]
			}
		}
		one := newModel([]int{0, 1}, m.coef.Matrix().RowRange(k, k+1).Clone(), m.intercept[k:k+1], m.origin, m.method, m.report)
		binary := make([]int, len(y))
		for i, c := range r.code {
			if c == k {
				binary[i] = 1
			}
		}
		a, err := one.audit(x, binary, &own)
		if err != nil {
			return nil, err
		}
		audits = append(audits, a)
	}
	return optimize.CombineAudits(audits...), nil
}

func (m *Model) audit(x linalg.Rows, y []int, o *Options) (*optimize.Audit, error) {
	if err := sample.Unused(o, "in an audit", "Grouped", "Start"); err != nil {
		return nil, wrap(err)
	}
	own := *o
	if own.Classes == nil {
		own.Classes = m.classes
	}
	a, err := m.certify(x, y, &own)
	if err != nil {
		return nil, wrap(err)
	}
	near := a.Report.Certificate().Value < 0.5 // steps from where all curvatures are rounding errors take long
	return a.Against(func() (optimize.Refit, error) { return m.refit(x, y, own, near) })
}

// certify returns the objective of the options at the coefficients, and their certificate.
func (m *Model) certify(x linalg.Rows, y []int, o *Options) (*optimize.Audit, error) {
	p, err := newProblem(x, y, o)
	if err != nil {
		return nil, err
	}
	if err := m.checkProblem(p); err != nil {
		return nil, err
	}
	if err := p.o.unused(p.r.k()); err != nil {
		return nil, err
	}
	if p.d.Intercept == 1 {
		p.d.MoveOrigin(m.Origin())
	} else if slices.ContainsFunc(m.plain, func(b float64) bool { return b != 0 }) {
		return nil, &sample.OptionError{Name: "NoIntercept", Value: 1, Want: "false for a model with an intercept"}
	}
	switch p.o.method() {
	case Firth:
		return m.stationary(p)
	case ElasticNet:
		q, err := p.elasticNet(false) // a fit finds the evidence
		if err != nil {
			return nil, err
		}
		value, c, err := q.Judge(o.Lambda, m.functions(p), o.tol())
		return optimize.NewAudit(value, c), err
	}
	f, err := p.objective()
	if err != nil {
		return nil, err
	}
	functions := m.functions(p) // in units that the objective has measured
	value, c, err := f.Judge(f.ThetaOf(functions), o.Tol)
	if err == nil && f.Ridge != nil && p.r.k() > 2 {
		// The parameters are of functions that sum to 0. Another mean costs its own penalty.
		common := meanPenalty(functions, f.Ridge)
		c.Value = (c.Value*value + common) / (value + common)
		value += common
	}
	return optimize.NewAudit(value, c), err
}

// stationary judges m by the score equations of Firth's likelihood. That is not
// concave, so that the Newton decrement ½gᵀI⁻¹g, relative to the objective, estimates by how
// much a better point is near, and no number bounds the minimum.
func (m *Model) stationary(p *problem) (*optimize.Audit, error) {
	likelihood, scale, err := p.corrected()
	if err != nil {
		return nil, err
	}
	theta := m.functions(p)
	f, g, worst := glm.NewJeffreys(likelihood), make([]float64, len(theta)), 0.0
	value := f.Grad(g, theta)
	if f.Err() != nil || value-value != 0 {
		return optimize.NewAudit(value, optimize.Certificate{Kind: optimize.KindStationary, Value: math.NaN(), Tol: p.o.tol()}), f.Err()
	}
	for j, v := range g {
		worst = max(worst, math.Abs(v)/scale[j])
	}
	step := linalg.Clone(g)
	f.Precondition(step)
	a := optimize.NewAudit(value, optimize.Certificate{Kind: optimize.KindStationary, Value: worst, Tol: p.o.tol()})
	a.Equations = []optimize.Equation{{Name: "score equations", Residual: worst},
		{Name: "Newton decrement", Residual: linalg.Dot(g, step) / 2 / math.Abs(value)}}
	return a, nil
}

// meanPenalty returns ½Σⱼ ridgeⱼ·K·(mean of the K functions)ⱼ².
func meanPenalty(functions, ridge []float64) (sum float64) {
	dim := len(ridge)
	k := float64(len(functions) / dim)
	for j, r := range ridge {
		mean := 0.0
		for at := j; at < len(functions); at += dim {
			mean += functions[at] / k
		}
		sum += r * k * mean * mean / 2
	}
	return sum
}

// refit fits from the coefficients on, if they are near the minimum, and where that does not converge from none.
func (m *Model) refit(x linalg.Rows, y []int, o Options, near bool) (r optimize.Refit, err error) {
	for k, b := range m.plain {
		if !near {
			break
		}
		if !o.NoIntercept {
			o.Start = append(o.Start, b)
		}
		o.Start = append(o.Start, m.coef.Matrix().Row(k)...)
	}
	fit, err := Fit(x, y, &o)
	if near && fit != nil && errors.Is(err, optimize.ErrNotConverged) && fit.report.Status() != optimize.Stopped {
		o.Start = nil
		fit, err = Fit(x, y, &o)
	}
	if fit == nil {
		separated, rank := (*SeparationError)(nil), (*linalg.RankError)(nil)
		if errors.As(err, &separated) || errors.As(err, &rank) {
			return optimize.Refit{NoMinimum: err}, nil
		}
		return r, err
	}
	if fit.report.Status() == optimize.Stopped {
		return r, err
	}
	r.Report = fit.report
	r.Parts, err = m.parts(fit, x, y, &o)
	return r, wrap(err)
}

// parts returns wᵢ·KL(p̂ᵢ‖pᵢ) of the rows, p̂ the probabilities of the fit and p those of m.
func (m *Model) parts(fit *Model, x linalg.Rows, y []int, o *Options) ([]float64, error) {
	weights, err := sample.WeighClasses(y, o.Classes, o.Weights, o.ClassWeights)
	if err != nil {
		return nil, err
	}
	var mine, best []float64
	parts := make([]float64, len(y))
	err = linalg.Pass(x, 0, len(y), func(b *linalg.Block) error {
		for i := range b.Len() {
			mine, best = m.logProbaAt(mine[:0], b, i, o.Offset), fit.logProbaAt(best[:0], b, i, o.Offset)
			for k, l := range best {
				parts[b.At+i] += sample.WeightAt(weights, b.At+i) * math.Exp(l) * (l - mine[k])
			}
		}
		return nil
	})
	return parts, err
}

// logProbaAt is LogProba of row i of a block, with its offsets.
func (m *Model) logProbaAt(dst []float64, b *linalg.Block, i int, offset []float64) []float64 {
	if index, value := b.Row(i); b.CSR != nil {
		dst = m.ScoresSparse(dst, index, value)
	} else {
		dst = m.Scores(dst, value)
	}
	if offset != nil {
		k := len(m.intercept)
		linalg.Axpy(dst[len(dst)-k:], 1, offset[(b.At+i)*k:(b.At+i+1)*k])
	}
	m.toLogProba(dst)
	return dst
}
