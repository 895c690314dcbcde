package method

import (
	"math"

	"halfspace/linalg"
	"halfspace/sim"
	"halfspace/sim/dataset"
)

// Notes are the numbers that a method reports of a fitted model beside its formula.
type Notes struct {
	Priors  []float64   // K, of models of the classes' densities
	Means   [][]float64 // K×p class means, of those without coefficients
	Figures []Figure
}

// Figure is a number that a method adds to the summary of a model.
type Figure struct {
	Key   string // in JSON
	Name  string // in print
	Value any    // int or float64
}

// Notes returns the numbers that the method reports of the model beside its formula.
func (m *Model) Notes() Notes {
	coef, _, _ := m.Coef()
	return m.Method.entry.notes(m.fit, coef)
}

// df returns the degrees of freedom of the model: the model's own if it counts them,
// otherwise the non-zero coefficients; NaN for a model without coefficients.
func (m *Model) df() float64 {
	if own, ok := m.fit.(interface{ DF() float64 }); ok {
		return own.DF()
	}
	if l, ok := m.fit.(sim.Linear); ok {
		coef, _ := l.Coef()
		return nonZero(coef)
	}
	return math.NaN()
}

// nonZero counts the coefficients that are not 0.
func nonZero(coef *linalg.Dense) (count float64) {
	for i := range coef.Rows {
		for _, b := range coef.Row(i) {
			if b != 0 {
				count++
			}
		}
	}
	return count
}

// noNotes is part of the entries that add nothing.
type noNotes struct{}

func (noNotes) notes(fitted, *linalg.Dense) Notes { return Notes{} }

// Inference says how well the coefficients of a fit without a penalty are known.
type Inference struct {
	Terms        []Term
	Deviance     float64 // −2 log-likelihood
	DF           float64 // rows less coefficients
	NullDeviance float64 // of the fit of the intercept alone
	NullDF       float64
	AIC, BIC     float64
}

// Term is a coefficient with its standard error.
type Term struct {
	Class    int // position in the schema's names
	Column   int // position in the schema's features, −1 for the intercept
	Estimate float64
	SE       float64
	Z        float64 // Estimate/SE
	P        float64 // of |Z| or more where the coefficient is 0
}

// Infer returns the inference of a model that was fitted to d with options o, nil
// where the method has none and for a fit that has a penalty or did not converge.
func (m *Model) Infer(d *dataset.Data, o *Options) (*Inference, error) {
	e, ok := m.Method.entry.(inferenceEntry)
	if !ok {
		return nil, nil
	}
	return e.infer(m.fit, d, o)
}
