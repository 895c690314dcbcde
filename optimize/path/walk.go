package path

import (
	"math"

	"halfspace/optimize"
)

// walk is the state of a path: the λ that are left, and numbers of the fits before.
type walk struct {
	*Problem
	s         Settings
	lambdas   []float64          // those to come
	tol       float64            // of the certificates
	nullValue float64            // the objective of the intercepts alone
	progress  *optimize.Progress // counts the fits
	devRatio  float64            // of the last fit
}

// fit describes a fit at λ.
func (w *walk) fit(lambda float64, theta []float64, report optimize.Report) Fit {
	f := Fit{Lambda: lambda, Theta: theta, DF: w.df(theta), Objective: report.Objective(), Report: report}
	if w.nullValue > 0 && f.DF > 0 {
		f.DevRatio = 1 - (f.Objective-w.value(lambda, theta))/w.nullValue
	}
	return f
}

// ended gives a fit by columns what their solver knows of its end.
func (p *Problem) ended(f Fit) Fit {
	if p.screened == nil {
		return f
	}
	if e := p.screened.End(f.Theta); e != nil {
		f.Value, f.Gradient = e.Value, e.Gradient
	}
	return f
}

// add hands a fit to the caller and reports whether the path ends with it, or before
// it.
func (w *walk) add(f Fit) (end bool, err error) {
	automatic := w.s.Lambdas == nil
	if automatic && w.s.Stop.tooMany(f) {
		return true, nil
	}
	w.lambdas = w.lambdas[1:]
	if err := w.s.Add(f); err != nil {
		return true, err
	}
	if w.progress.Show(f.Theta, f.Objective, f.Report.Certificate().Value, 1) {
		return true, w.progress.Report().Err(w.progress.Cause())
	}
	w.progress.Count()
	gain := f.DevRatio - w.devRatio
	w.devRatio = f.DevRatio
	return automatic && w.nullValue >= 0 && w.s.Stop.enough(f, gain, w.progress.Report().Iterations()), nil
}

// foretell returns where the last fits lead to at the next λ: along the line through two, or of one score
// where the path is no line by λ but a curve, along the parabola by log λ through three. (That of three
// classes is a tenth slower by the parabola.)
func (w *walk) foretell(past []held, lambda float64) []float64 {
	a := past[0]
	next := w.scattered(a.at, a.value)
	if len(past) == 1 {
		return next
	}
	b := past[1]
	if w.ConstantHessian() || w.Scores() > 1 {
		return extrapolate(next, b, w.factors, lambda, a.lambda, b.lambda)
	}
	l, la, lb := math.Log(lambda), math.Log(a.lambda), math.Log(b.lambda)
	extrapolate(next, b, w.factors, l, la, lb)
	if len(past) == 2 {
		return next
	}
	c, lc := past[2], math.Log(past[2].lambda)
	if !(la < lb && lb < lc) { // the caller gave a λ twice
		return next
	}
	bend := (l - la) * (l - lb) / (la - lc)
	for i, j := range c.at {
		if v := next[j]; v*c.value[i] > 0 {
			atA, atB := a.coefficient(j), b.coefficient(j)
			v += bend * ((atA-atB)/(la-lb) - (atB-c.value[i])/(lb-lc))
			if v*next[j] > 0 {
				next[j] = v
			}
		}
	}
	return next
}
