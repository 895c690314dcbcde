package path

import (
	"math"
	"slices"

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

// df counts the features with a non-zero coefficient.
func (p *Problem) df(theta []float64) int {
	df, dim := 0, p.Dim()
	for j := p.Intercept; j < dim; j++ {
		for at := j; at < len(theta); at += dim {
			if theta[at] != 0 {
				df++
				break
			}
		}
	}
	return df
}

// held is a fit that others follow: the coefficients that are not 0, for a path is no place for
// many vectors of all parameters.
type held struct {
	lambda float64
	at     []int // ascending
	value  []float64
}

func hold(lambda float64, theta []float64) held {
	count := 0
	for _, v := range theta {
		if v != 0 {
			count++
		}
	}
	h := held{lambda, make([]int, 0, count), make([]float64, 0, count)}
	for j, v := range theta {
		if v != 0 {
			h.at, h.value = append(h.at, j), append(h.value, v)
		}
	}
	return h
}

// coefficient returns that of parameter j.
func (h held) coefficient(j int) float64 {
	if i, ok := slices.BinarySearch(h.at, j); ok {
		return h.value[i]
	}
	return 0
}

// farthest bounds how many times the distance between two fits the line through
// them is followed.
const farthest = 2.01

// extrapolate moves a point, the fit at the last λ, to where the line through it and a fit before comes
// to at the next one, and returns it; coefficients that would change sign, or are 0, are 0. Without a fit
// before the last one it stays.
func extrapolate(next []float64, before held, lambda, last, oneBefore float64) []float64 {
	if !(oneBefore > last) {
		return next
	}
	t := (last - lambda) / (oneBefore - last)
	if t > farthest {
		return next
	}
	for i, j := range before.at {
		if v, b := next[j], before.value[i]; v*b > 0 {
			if next[j] = v + t*(v-b); next[j]*v <= 0 {
				next[j] = 0
			}
		}
	}
	return next
}

// foretell returns where the last fits lead to at the next λ: along the line through two, or of one score
// where the path is no line by λ but a curve, along the parabola by log λ through three. (That of three
// classes is a tenth slower by the parabola.)
func (w *walk) foretell(past []held, lambda float64) []float64 {
	a := past[0]
	next := w.spread(a.at, a.value)
	if len(past) == 1 {
		return next
	}
	b := past[1]
	if w.ConstantHessian() || w.Scores() > 1 {
		return extrapolate(next, b, lambda, a.lambda, b.lambda)
	}
	l, la, lb := math.Log(lambda), math.Log(a.lambda), math.Log(b.lambda)
	extrapolate(next, b, l, la, lb)
	if len(past) == 2 {
		return next
	}
	c, lc := past[2], math.Log(past[2].lambda)
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
