package inference

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/linalg/tail"
	"halfspace/logistic"
)

// Term names a parameter: the coefficient of a feature, or the intercept, of the
// function of a class.
type Term struct {
	Class  int // label; the larger one for two classes
	Column int // feature, from 0; −1 is the intercept
}

// Inference is what maximum likelihood theory says about a fit: an estimate is
// near normal about the truth with the inverse information (XᵀWX)⁻¹ as
// covariance (ESL §4.4.3). Slices and Covariance have the order of Terms: by
// class (the larger of two; all but the reference of more), the intercept first.
//
// Of a fit with Firth's correction the likelihood is the penalised one, also in
// the deviances, tests and profiles. In other units of the columns it differs by a
// constant, and so do its deviances, AIC and BIC. Any number of goroutines may use an
// Inference; it refers to the rows that it was made from.
type Inference struct {
	Terms      []Term
	Estimate   []float64
	SE         []float64     // standard error
	Z          []float64     // Estimate/SE
	P          []float64     // P(|N(0,1)| > |Z|), Wald's test
	Covariance *linalg.Dense // on the data's scale

	LogLikelihood float64
	Deviance      float64 // twice the log-likelihood that is missing to a perfect fit
	NullDeviance  float64 // of the intercepts (and the offset) alone
	DF, NullDF    float64 // residual degrees of freedom
	AIC, BIC      float64
	Pearson       float64 // Pearson's χ², Σ w(t−p)²/(p(1−p))

	data    *fitted
	classes []int // of the model
}

// Of computes standard errors, tests and criteria for a model that was fitted to x and y
// by maximum likelihood or with Firth's correction, with the options o of that fit.
// O(np²K²).
//
// The model holds no rows, so x, y and o have to be those of the fit. Of others it is
// known only whether the gradient of their likelihood is 0 at the model, to 10⁻⁶ of
// Σ wᵢ|xᵢⱼ−cⱼ|; where it is, the result is that of the rows given, as after each row is
// repeated as often. Where it is not, there is an error.
//
// Errors: those of [logistic.Fit] for bad input; *[linalg.ShapeError] and
// *[linalg.ClassError] for other features or classes than the model's; one that wraps
// [ErrNoInference] for a fit with a penalty, whose estimates are biased by design so
// that their spread says nothing of their error, and for a model that does not maximise
// the likelihood of these rows; *[sample.OptionError] for weights whose sum is less than the number
// of coefficients of a function, as they count as repeated rows; *[InformationError] where the
// information has no factor.
func Of(m *logistic.Model, x linalg.Rows, y []int, o *logistic.Options) (*Inference, error) {
	if err := refusePenalty(m); err != nil {
		return nil, err
	}
	f, err := m.Likelihood(x, y, o)
	if err != nil {
		return nil, err
	}
	return of(m, f, x, labels(f))
}

// OfCounts is [Of] for a model that [logistic.FitCounts] fitted. The log-likelihood
// includes the binomial coefficients, and rows, not trials, are counted for DF and BIC.
func OfCounts(m *logistic.Model, x linalg.Rows, successes, trials []float64, o *logistic.Options) (*Inference, error) {
	if err := refusePenalty(m); err != nil {
		return nil, err
	}
	f, err := m.LikelihoodCounts(x, successes, trials, o)
	if err != nil {
		return nil, err
	}
	var weights []float64
	if o != nil {
		weights = o.Weights
	}
	return of(m, f, x, counts(successes, trials, weights))
}

// refusePenalty returns an error for a model of a fit with a penalty.
func refusePenalty(m *logistic.Model) error {
	if method := m.Method(); method == logistic.Ridge || method == logistic.ElasticNet {
		return wrap(fmt.Errorf("%w: a penalty biases the estimates, and standard errors do not measure bias", ErrNoInference))
	}
	return nil
}

func of(m *logistic.Model, f *logistic.Likelihood, x linalg.Rows, r responses) (*Inference, error) {
	e, err := newFitted(f, x, r, m.Method() == logistic.Firth)
	if err != nil {
		return nil, wrap(err)
	}
	inf := &Inference{data: e, classes: m.Classes()}
	if err := sample.EnoughRows(e.rows*float64(e.Functions()), len(e.theta)); err != nil {
		return nil, wrap(err)
	}
	inf.estimate(m)
	if err := inf.criteria(); err != nil {
		return nil, wrap(err)
	}
	return inf, nil
}

// wrap names the package in an error.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("inference: %w", err)
}

// estimate fills in the terms and what is known of each.
func (inf *Inference) estimate(m *logistic.Model) {
	e := inf.data
	coef, intercept := m.Coef()
	// parameter returns coefficient j of function k, the intercept for −1.
	parameter := func(k, j int) float64 {
		if j < 0 {
			return intercept[k]
		}
		return coef.At(k, j)
	}
	reference := e.Reference()
	for k := range coef.Rows {
		if k == reference {
			continue
		}
		label := inf.classes[len(inf.classes)-coef.Rows+k] // of two classes the larger
		for j := -e.Intercept; j < e.P; j++ {
			zero := 0.0
			if reference >= 0 {
				zero = parameter(reference, j)
			}
			inf.Terms = append(inf.Terms, Term{label, j})
			inf.Estimate = append(inf.Estimate, parameter(k, j)-zero)
		}
	}
	inf.Covariance = e.covariance()
	for i, v := range inf.Estimate {
		se := math.Sqrt(inf.Covariance.At(i, i))
		inf.SE = append(inf.SE, se)
		inf.Z = append(inf.Z, v/se)
		inf.P = append(inf.P, 2*tail.Normal(math.Abs(v/se)))
	}
}

// criteria fills in the likelihood, the deviances and what compares models.
func (inf *Inference) criteria() error {
	e := inf.data
	intercepts := e.intercepts()
	null, err := e.least(e.null, intercepts)
	if err != nil {
		return fmt.Errorf("null model: %w", err)
	}
	least := e.saturated() // of the negative log-likelihood
	inf.LogLikelihood = e.binomial - e.value
	inf.Deviance, inf.NullDeviance = 2*(e.value-least), 2*(null-least)
	observed, parameters := e.rows*float64(e.Functions()), float64(len(e.theta))
	inf.DF, inf.NullDF = observed-parameters, observed-float64(len(intercepts))
	inf.AIC = 2*parameters - 2*inf.LogLikelihood
	inf.BIC = math.Log(e.rows)*parameters - 2*inf.LogLikelihood
	inf.Pearson, err = e.pearson()
	return err
}

// Wald returns the intervals Estimate ± z·SE, z the quantile of the normal distribution
// for which they cover the truth with probability level, if the estimates are normal:
// 0.95 is usual, there is no default. A level below 0 or above 1 makes NaN.
func (inf *Inference) Wald(level float64) (lo, hi []float64) {
	z := tail.NormalQuantile((1 - level) / 2)
	if level < 0 {
		z = math.NaN()
	}
	for i, v := range inf.Estimate {
		lo, hi = append(lo, v-z*inf.SE[i]), append(hi, v+z*inf.SE[i])
	}
	return lo, hi
}

// name returns a term's name: "(Intercept)", the feature's, or x1, x2, … without
// names; after the class if there are several functions.
func (inf *Inference) name(t Term, features, classes []string) string {
	s := "(Intercept)"
	if t.Column >= 0 {
		s = column(t.Column, features)
	}
	if !slices.ContainsFunc(inf.Terms, func(other Term) bool { return other.Class != t.Class }) {
		return s
	}
	if k, ok := slices.BinarySearch(inf.classes, t.Class); ok && k < len(classes) {
		return classes[k] + ":" + s
	}
	return strconv.Itoa(t.Class) + ":" + s
}

func column(j int, names []string) string {
	if j < len(names) {
		return names[j]
	}
	return "x" + strconv.Itoa(j+1)
}
