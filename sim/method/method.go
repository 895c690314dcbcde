package method

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim/dataset"
)

// Method is a model by name.
type Method struct {
	Name       string
	About      string
	Regression bool     // numeric response; otherwise classes
	Options    []string // names of the options it takes

	weighted bool // it takes weights
	offset   bool // it takes an offset
	scales   bool // it standardises by itself

	// fit fits the rows of x, which are those of d or scaled from them, to the
	// labels or responses of d.
	fit func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error)
	// fromMoments is fit for merged moments; nil if rows are needed.
	fromMoments func(m *moments.ByClass, o *discriminant.Options) (fitted, error)
	// empty returns a model to unmarshal into.
	empty func() fitted
}

// fitted is what every model offers.
type fitted interface {
	Features() int
	Report() optimize.Report
	json.Marshaler
	json.Unmarshaler
}

// some turns the result of a Fit into a fitted, keeping a nil model nil.
func some[M any, P interface {
	*M
	fitted
}](m P, err error) (fitted, error) {
	if m == nil {
		return nil, err
	}
	return m, err
}

var iterative = []string{"tol", "max-iter", "workers"}

// All are the methods, classifiers first.
var All = []*Method{
	{
		Name: "indicator", About: "linear regression of class indicators", weighted: true,
		Options: []string{"workers"},
		fit: func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error) {
			return some(discriminant.FitIndicator(x, d.Labels, o.discriminant(d)))
		},
		empty: func() fitted { return new(discriminant.Indicator) },
	},
	{
		Name: "lda", About: "linear discriminant analysis", weighted: true,
		Options: []string{"priors", "divisor", "workers"},
		fit: func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error) {
			return some(discriminant.FitLDA(x, d.Labels, o.discriminant(d)))
		},
		fromMoments: func(m *moments.ByClass, o *discriminant.Options) (fitted, error) {
			return some(discriminant.LDAFromMoments(m, o))
		},
		empty: func() fitted { return new(discriminant.LDA) },
	},
	{
		Name: "qda", About: "quadratic discriminant analysis", weighted: true,
		Options: []string{"priors", "divisor", "workers"},
		fit: func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error) {
			return some(discriminant.FitQDA(x, d.Labels, o.discriminant(d)))
		},
		fromMoments: func(m *moments.ByClass, o *discriminant.Options) (fitted, error) {
			return some(discriminant.QDAFromMoments(m, o))
		},
		empty: func() fitted { return new(discriminant.QDA) },
	},
	{
		Name: "rda", About: "regularised discriminant analysis, between lda and qda", weighted: true,
		Options: []string{"priors", "divisor", "alpha", "gamma", "workers"},
		fit: func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error) {
			return some(discriminant.FitRDA(x, d.Labels, o.discriminant(d)))
		},
		fromMoments: func(m *moments.ByClass, o *discriminant.Options) (fitted, error) {
			return some(discriminant.RDAFromMoments(m, o))
		},
		empty: func() fitted { return new(discriminant.QDA) },
	},
	{
		Name: "rrlda", About: "reduced-rank linear discriminant analysis", weighted: true,
		Options: []string{"priors", "divisor", "rank", "workers"},
		fit: func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error) {
			return some(discriminant.FitReducedRank(x, d.Labels, o.discriminant(d)))
		},
		fromMoments: func(m *moments.ByClass, o *discriminant.Options) (fitted, error) {
			return some(discriminant.ReducedRankFromMoments(m, o))
		},
		empty: func() fitted { return new(discriminant.ReducedRank) },
	},
	{
		Name: "logistic", About: "logistic regression, unpenalised, ridge, lasso or elastic net", weighted: true, offset: true, scales: true,
		Options: slices.Concat([]string{"lambda", "l1-ratio", "class-weight", "standardize", "no-intercept"}, iterative),
		fit: func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error) {
			lo, err := o.logistic(d)
			if err != nil {
				return nil, err
			}
			return some(logistic.Fit(x, d.Labels, lo))
		},
		empty: func() fitted { return new(logistic.Model) },
	},
	{
		Name: "perceptron", About: "Rosenblatt's perceptron, two classes",
		Options: []string{"rate", "max-epochs", "pocket", "standardize", "seed", "workers"},
		fit: func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error) {
			po := &hyperplane.PerceptronOptions{Rate: o.Rate, MaxEpochs: o.MaxEpochs, Pocket: o.Pocket,
				Classes: codes(d), Seed: o.Seed, Workers: o.Workers}
			if o.Seed != 0 {
				po.Order = hyperplane.Shuffled
			}
			return some(hyperplane.FitPerceptron(x, d.Labels, po))
		},
		empty: func() fitted { return new(hyperplane.Perceptron) },
	},
	{
		Name: "hardmargin", About: "optimal separating hyperplane", weighted: true,
		Options: slices.Concat([]string{"multi", "standardize", "no-intercept"}, iterative),
		fit: func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error) {
			return some(hyperplane.FitHardMargin(x, d.Labels, &hyperplane.HardMarginOptions{Weights: d.Weights, Multi: o.multi(),
				NoIntercept: o.NoIntercept, Classes: codes(d), Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers}))
		},
		empty: func() fitted { return new(hyperplane.HardMargin) },
	},
	{
		Name: "svc", About: "soft-margin support vector classifier", weighted: true,
		Options: slices.Concat([]string{`C`, "multi", "class-weight", "standardize", "no-intercept"}, iterative),
		fit: func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error) {
			w, err := o.rowWeights(d)
			if err != nil {
				return nil, err
			}
			return some(hyperplane.FitSVC(x, d.Labels, &hyperplane.SVCOptions{
				C: o.C, Weights: w, Multi: o.multi(), NoIntercept: o.NoIntercept, Classes: codes(d),
				Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers}))
		},
		empty: func() fitted { return new(hyperplane.SVC) },
	},
	{
		Name: "svr", About: "support vector regression", Regression: true, weighted: true,
		Options: slices.Concat([]string{`C`, "epsilon", "standardize", "no-intercept"}, iterative),
		fit: func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error) {
			return some(hyperplane.FitSVR(x, d.Y, &hyperplane.SVROptions{C: o.C, Epsilon: o.Epsilon, Weights: d.Weights,
				NoIntercept: o.NoIntercept, Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers}))
		},
		empty: func() fitted { return new(hyperplane.SVR) },
	},
	{
		Name: "ols", About: "least squares regression", Regression: true, weighted: true, offset: true,
		Options: []string{"no-intercept", "workers"},
		fit: func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error) {
			return some(regression.FitOLS(x, d.Y, o.regression(d)))
		},
		empty: func() fitted { return new(regression.Model) },
	},
	{
		Name: "ridge", About: "ridge regression", Regression: true, weighted: true, offset: true, scales: true,
		Options: []string{"lambda", "standardize", "no-intercept", "workers"},
		fit: func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error) {
			return some(regression.FitRidge(x, d.Y, o.regression(d)))
		},
		empty: func() fitted { return new(regression.Model) },
	},
	{
		Name: "lasso", About: "lasso regression, elastic net with an l1-ratio", Regression: true, weighted: true, offset: true, scales: true,
		Options: slices.Concat([]string{"lambda", "l1-ratio", "standardize", "no-intercept"}, iterative),
		fit: func(x *linalg.Dense, d *dataset.Data, o *Options) (fitted, error) {
			return some(regression.FitElasticNet(x, d.Y, o.lasso(d)))
		},
		empty: func() fitted { return new(regression.Model) },
	},
}

// Named returns the method of that name. The error lists the names there are.
func Named(name string) (*Method, error) {
	for _, m := range All {
		if m.Name == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("no method %q; there are %s", name, Names())
}

// Names lists the methods, separated by spaces.
func Names() string {
	names := make([]string, len(All))
	for i, m := range All {
		names[i] = m.Name
	}
	return strings.Join(names, " ")
}

// Takes reports whether the method takes the option, or, under their names,
// weights, an offset or moments in place of rows.
func (m *Method) Takes(option string) bool {
	switch option {
	case "weights":
		return m.weighted
	case "offset":
		return m.offset
	case "moments":
		return m.fromMoments != nil
	}
	return slices.Contains(m.Options, option)
}

// codes are the labels of all classes of the data's schema, so that a subset of
// its rows is fitted for the same classes.
func codes(d *dataset.Data) []int {
	c := make([]int, len(d.Names))
	for k := range c {
		c[k] = k
	}
	return c
}

func (o *Options) discriminant(d *dataset.Data) *discriminant.Options {
	do := &discriminant.Options{Priors: o.Priors, Uniform: o.Uniform, Alpha: o.Alpha, Shrinkage: o.Shrinkage, Rank: o.Rank,
		Weights: d.Weights, Classes: codes(d), Workers: o.Workers}
	if o.Divisor == "n" {
		do.Divisor = discriminant.MLE
	}
	return do
}

// ofMoments are the options for moments of a table with those labels, which have
// its weights in them.
func (o *Options) ofMoments(s *dataset.Schema) *discriminant.Options {
	return o.discriminant(&dataset.Data{Names: s.Names})
}

func (o *Options) rowWeights(d *dataset.Data) ([]float64, error) {
	if o.ClassWeight == "" {
		return d.Weights, nil
	}
	return balanced(d.Labels, d.Weights)
}

func (o *Options) logistic(d *dataset.Data) (*logistic.Options, error) {
	w, err := o.rowWeights(d)
	return &logistic.Options{
		Lambda: o.Lambda, L1Ratio: o.L1Ratio, Standardize: o.Standardize, NoIntercept: o.NoIntercept,
		Weights: w, Offset: d.Offset, Classes: codes(d),
		Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers}, err
}

func (o *Options) multi() hyperplane.Multi {
	if o.Multi == "ovr" {
		return hyperplane.OneVsRest
	}
	return hyperplane.OneVsOne
}

func (o *Options) regression(d *dataset.Data) *regression.Options {
	return &regression.Options{Lambda: o.Lambda, Standardize: o.Standardize, NoIntercept: o.NoIntercept,
		Weights: d.Weights, Offset: d.Offset, Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers}
}

func (o *Options) lasso(d *dataset.Data) *regression.Options {
	ro := o.regression(d)
	ro.L1Ratio = cmp.Or(o.L1Ratio, 1)
	return ro
}
