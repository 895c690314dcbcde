package method

import (
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/sim"
	"halfspace/sim/feature"
)

// Formula is a fitted model in plain numbers, for rows on the scale of the data:
// functions of a row, and how a prediction follows from their values.
//
// A linear model has fₖ(x) = Atₖ + Coefₖ·(x−Origin). A quadratic one has no Coef but
// fₖ(x) = Atₖ − ½‖Lₖ⁻¹(x−Origin−Meanₖ)‖². An offset of the data is in neither.
type Formula struct {
	Origin []float64 // p values: features with large means lose no digits about it
	At     []float64 // m values
	Coef   [][]float64
	Mean   [][]float64
	L      [][][]float64 // m lower triangles
	Rule   Rule
	Link   Link
	Platt  [][2]float64 // A and B by function: −(A·f+B) is where its link has f; nil: f itself
	Coarse bool         // as LIBSVM has them: within 1e-7 of 0 and 1 by pair, coupled to 0.005/K
	Pairs  [][2]int     // Votes: where function i is positive class Pairs[i][1] has the vote, else Pairs[i][0]
	Costs  [][]float64  // of deciding for a class, by column, where the truth is that of the row: the least expected cost decides; nil: the Rule
}

// Rule says how the values of the functions become a prediction.
type Rule string

// The rules. Of equal classes the first is taken.
const (
	Value  Rule = ""       // a regression: the value of its one function
	Sign   Rule = "sign"   // two classes: the second where the one function is positive
	Argmax Rule = "argmax" // the class whose function is largest
	Votes  Rule = "votes"  // the class with the most votes, see Formula.Pairs
)

// Link says how the values of the functions become probabilities.
type Link string

// The links.
const (
	None    Link = ""        // there are no probabilities
	Sigmoid Link = "sigmoid" // of the second class: 1/(1+exp(−f))
	Softmax Link = "softmax" // exp(fₖ)/Σ exp(fₗ)
	Clip    Link = "clip"    // fₖ clipped to [0, 1], over their sum

	Sigmoids Link = "sigmoids" // σ(fₖ)/Σ σ(fₗ), σ(f) = 1/(1+exp(−f))
	Coupled  Link = "coupled"  // those whose ratios are closest to σ(f) of the pairs, see [halfspace/hyperplane.SVCProba.Proba]
)

// unscale turns a formula of standardised features about their means into one of
// the features as they came. The sd of a constant feature, 0, counts as 1.
func (f *Formula) unscale(s *feature.Standardizer) {
	origin, sd := s.Mean(), s.SD()
	for j := range sd {
		if sd[j] == 0 {
			sd[j] = 1
		}
		for k := range f.Coef {
			f.Coef[k][j] /= sd[j]
		}
		for k := range f.Mean {
			f.Mean[k][j] = (f.Mean[k][j] + f.Origin[j]) * sd[j]
			linalg.Scale(f.L[k][j], sd[j])
		}
	}
	f.Origin = origin
}

// linearClassifier is a classifier with a function a class, or one for two classes.
type linearClassifier interface {
	sim.Classifier
	sim.Linear
}

// discriminants has a function a class, for two classes too, which are no scores of it where it has costs.
type discriminants interface {
	CoefAbout() (origin []float64, coef *linalg.Dense, intercept []float64)
	Costs() *linalg.Dense
}

// linearFormula returns the formula of m about a point; the link is that of a
// function a class.
func linearFormula(m linearClassifier, about []float64, link Link) *Formula {
	coef, _ := m.Coef()
	f := &Formula{Origin: about, At: m.Scores(nil, about), Rule: Argmax, Link: link}
	if d, ok := m.(discriminants); ok {
		var from []float64
		from, coef, f.At = d.CoefAbout()
		for j, c := range about {
			from[j] = c - from[j]
		}
		for k := range f.At {
			f.At[k] += linalg.Dot(coef.Row(k), from)
		}
		f.Costs = rowsOf(d.Costs())
	}
	f.Coef = rowsOf(coef)
	if coef.Rows == 1 {
		f.Rule, f.At = Sign, []float64{f.At[1] - f.At[0]}
		if link == Softmax {
			f.Link = Sigmoid
		}
	}
	return f
}

// aboutOrigin is linearFormula with the model's origin where no point is given.
func aboutOrigin(m interface {
	linearClassifier
	Origin() []float64
}, about []float64, link Link) *Formula {
	if about == nil {
		about = m.Origin()
	}
	return linearFormula(m, about, link)
}

// valueFormula returns the formula of a regression about a point.
func valueFormula(m interface {
	sim.Regressor
	sim.Linear
}, about []float64) *Formula {
	coef, _ := m.Coef()
	return &Formula{Origin: about, Coef: rowsOf(coef), At: []float64{m.Predict(about)}}
}

// rowsOf returns a copy of d as a list of rows, nil of a nil matrix.
func rowsOf(d *linalg.Dense) [][]float64 {
	if d == nil {
		return nil
	}
	out := make([][]float64, d.Rows)
	for i := range out {
		out[i] = append([]float64(nil), d.Row(i)...)
	}
	return out
}

// Notes are the numbers that a method reports of a fitted model beside its formula.
type Notes struct {
	Priors  []float64   // K, of models of the classes' densities
	Means   [][]float64 // K×p class means, of the models that keep them
	Figures []Figure

	// Of linear discriminant analysis: the discriminant vectors LD1, LD2, … as a row for each
	// feature, of variance 1 within the classes, and the share of each in the variance
	// between the class means.
	Scaling    [][]float64
	Proportion []float64
}

// Figure is a number that a method adds to the summary of a model.
type Figure struct {
	Key   string // in JSON
	Name  string // in print
	Value any    // int or float64
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

// Inference says how well the coefficients of a fit without a penalty are known.
type Inference struct {
	Terms []Term
	DF    float64 // rows less coefficients

	// Of logistic regression; zero for least squares.
	Deviance     float64 // −2 log-likelihood
	NullDeviance float64 // of the fit of the intercept alone, or of f = 0 where there is none
	NullDF       float64
	AIC, BIC     float64
	Score        float64 // Rao's statistic of all features, NaN where it has none

	// Of least squares, see [regression.Summary]; nil for logistic regression. Z and P of
	// its terms are those of Student's t with DF degrees of freedom.
	LeastSquares *regression.Summary
}

// confidence is the level of the intervals.
const confidence = 0.95

// Term is a coefficient with its standard error.
type Term struct {
	Class    int // position in the schema's names
	Column   int // position in the schema's features, −1 for the intercept
	Estimate float64
	SE       float64
	Z        float64 // Estimate/SE
	P        float64 // of |Z| or more where the coefficient is 0
	Lo, Hi   float64 // the interval of confidence 95 %: of Wald, of least squares with Student's t
}
