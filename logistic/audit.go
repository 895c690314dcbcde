package logistic

import (
	"errors"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Audit judges the coefficients of m, whoever found them, by the objective of [Fit] with the
// given options on the rows of x and their labels y. Of a model whose functions were fitted
// each against the rest ([NewOneVsRest]) it judges each of them.
//
// The certificate is that of the coefficients by themselves, as a fit has it. Where it does not
// hold, a fit that starts at them bounds the minimum from below, and the rows with the
// largest part in the excess are named: wᵢ·KL(p̂ᵢ‖pᵢ) for the probabilities p̂ of the fit. For
// data without a minimum NoMinimum is a *[SeparationError] or a *[linalg.RankError].
//
// Errors: those of [Fit] for bad input, *[linalg.ShapeError] and *[linalg.ClassError] for other
// features or classes than the model's; *[sample.OptionError] for Firth, whose objective has no
// bound, Grouped and Start.
func (m *Model) Audit(x linalg.Rows, y []int, o *Options) (*optimize.Audit, error) {
	if o == nil {
		o = &Options{}
	}
	if !m.rest {
		a, err := m.audit(x, y, o)
		return a, wrap(err)
	}
	var audits []*optimize.Audit
	for k, class := range m.classes {
		one := newModel([]int{0, 1}, m.coef.RowRange(k, k+1).Clone(), m.intercept[k:k+1], m.origin, m.method, m.report)
		binary := make([]int, len(y))
		for i, v := range y {
			if v == class {
				binary[i] = 1
			}
		}
		own := *o
		own.Classes = nil
		a, err := one.audit(x, binary, &own)
		if err != nil {
			return nil, wrap(err)
		}
		audits = append(audits, a)
	}
	return optimize.CombineAudits(audits...), nil
}

func (m *Model) audit(x linalg.Rows, y []int, o *Options) (*optimize.Audit, error) {
	for name, given := range map[string]bool{"Firth": o.Firth, "Grouped": o.Grouped, "Start": o.Start != nil} {
		if given {
			return nil, &sample.OptionError{Name: name, Value: 1, Want: "not given to an audit"}
		}
	}
	own := *o
	if own.Classes == nil {
		own.Classes = m.classes
	}
	value, c, err := m.certify(x, y, &own)
	if err != nil {
		return nil, err
	}
	if c.Holds() {
		return optimize.NewAudit(value, c, optimize.Report{}), nil
	}
	fit, err := m.fitFrom(x, y, own)
	if fit == nil {
		separated, rank := (*SeparationError)(nil), (*linalg.RankError)(nil)
		if !errors.As(err, &separated) && !errors.As(err, &rank) {
			return nil, err
		}
		a := optimize.NewAudit(value, c, optimize.Report{})
		a.NoMinimum = err
		return a, nil
	}
	a := optimize.NewAudit(value, c, fit.report)
	parts, err := m.parts(fit, x, y, &own)
	if err != nil {
		return nil, err
	}
	a.AddRows(len(parts), func(i int) float64 { return parts[i] })
	return a, nil
}

// certify returns the objective of the options at the coefficients, and their certificate.
func (m *Model) certify(x linalg.Rows, y []int, o *Options) (float64, optimize.Certificate, error) {
	var c optimize.Certificate
	p, err := newProblem(x, y, o)
	if err != nil {
		return 0, c, err
	}
	if err := m.checkProblem(p); err != nil {
		return 0, c, err
	}
	if p.Intercept == 1 {
		p.MoveOrigin(m.Origin())
	} else if slices.ContainsFunc(m.plain, func(b float64) bool { return b != 0 }) {
		return 0, c, &sample.OptionError{Name: "NoIntercept", Value: 1, Want: "false for a model with an intercept"}
	}
	if p.o.method() == ElasticNet {
		q, err := p.elasticNet()
		if err != nil {
			return 0, c, err
		}
		return q.Judge(o.Lambda, m.functions(p), o.tol())
	}
	f, err := p.objective()
	if err != nil {
		return 0, c, err
	}
	functions := m.functions(p)
	value, c, err := f.Judge(f.ThetaOf(functions), o.Tol)
	if err == nil && f.Ridge != nil && p.r.k() > 2 {
		// The parameters are of functions that sum to 0. Another mean costs its own penalty.
		common := meanPenalty(functions, f.Ridge)
		c.Value = (c.Value*value + common) / (value + common)
		value += common
	}
	return value, c, err
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

// fitFrom fits from the coefficients on, and where that does not converge from none.
func (m *Model) fitFrom(x linalg.Rows, y []int, o Options) (*Model, error) {
	for k, b := range m.plain {
		if !o.NoIntercept {
			o.Start = append(o.Start, b)
		}
		o.Start = append(o.Start, m.coef.Row(k)...)
	}
	fit, err := Fit(x, y, &o)
	if fit != nil && errors.Is(err, optimize.ErrNotConverged) && fit.report.Status() != optimize.Stopped {
		o.Start = nil
		return Fit(x, y, &o)
	}
	return fit, err
}

// parts returns wᵢ·KL(p̂ᵢ‖pᵢ) of the rows, p̂ the probabilities of the fit and p those of m.
func (m *Model) parts(fit *Model, x linalg.Rows, y []int, o *Options) ([]float64, error) {
	weights, err := sample.WeighClasses(y, o.Classes, o.Weights, o.ClassWeights)
	if err != nil {
		return nil, err
	}
	n, p := x.Dims()
	parts, row := make([]float64, n), make([]float64, p)
	var mine, best []float64
	err = linalg.Pass(x, 0, n, func(b *linalg.Block) error {
		for i := range b.Len() {
			at := b.At + i
			clear(row)
			columns, values := b.Row(i)
			if copy(row, values); columns != nil {
				clear(row)
				for k, j := range columns {
					row[j] = values[k]
				}
			}
			mine, best = m.logProbaAt(mine[:0], row, o.Offset, at), fit.logProbaAt(best[:0], row, o.Offset, at)
			for k, l := range best {
				parts[at] += sample.WeightAt(weights, at) * math.Exp(l) * (l - mine[k])
			}
		}
		return nil
	})
	return parts, err
}

// logProbaAt is LogProba with the offsets of row i.
func (m *Model) logProbaAt(dst, row, offset []float64, i int) []float64 {
	dst = m.Scores(dst, row)
	switch k := len(m.intercept); {
	case offset == nil:
	case k == 1:
		dst[1] += offset[i]
	default:
		linalg.Axpy(dst, 1, offset[i*k:(i+1)*k])
	}
	m.toLogProba(dst)
	return dst
}
