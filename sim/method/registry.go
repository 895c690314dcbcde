package method

import (
	"fmt"
	"slices"
	"strings"
)

var iterative = []string{"tol", "max-iter", "workers"}

// registry lists the methods, classifiers first.
var registry = []*Method{
	{
		Name: "indicator", About: "linear regression of class indicators", weighted: true,
		Options: []string{"class-weight", "workers"},
		entry:   indicator{},
	},
	{
		Name: "lda", About: "linear discriminant analysis", weighted: true,
		Options: []string{"priors", "class-weight", "divisor", "workers"},
		entry:   lda{},
	},
	{
		Name: "qda", About: "quadratic discriminant analysis", weighted: true,
		Options: []string{"priors", "class-weight", "divisor", "workers"},
		entry:   qda{},
	},
	{
		Name: "rda", About: "regularised discriminant analysis, between lda and qda", weighted: true,
		Options: []string{"priors", "class-weight", "divisor", "alpha", "gamma", "workers"},
		entry:   rda{},
	},
	{
		Name: "rrlda", About: "reduced-rank linear discriminant analysis", weighted: true,
		Options: []string{"priors", "class-weight", "divisor", "rank", "workers"},
		entry:   rrlda{},
	},
	{
		Name: "logistic", About: "logistic regression, unpenalised, ridge, lasso or elastic net", weighted: true, offset: true, scales: true, starts: true,
		Options: slices.Concat([]string{"lambda", "l1-ratio", "class-weight", "standardize", "no-intercept", "firth"}, iterative),
		entry:   logisticRegression{},
	},
	{
		Name: "perceptron", About: "Rosenblatt's perceptron, two classes",
		Options: []string{"rate", "max-epochs", "pocket", "class-weight", "standardize", "seed", "workers"},
		entry:   perceptron{},
	},
	{
		Name: "hardmargin", About: "optimal separating hyperplane", weighted: true,
		Options: slices.Concat([]string{"multi", "standardize", "no-intercept"}, iterative),
		entry:   hardMargin{},
	},
	{
		Name: "svc", About: "soft-margin support vector classifier", weighted: true,
		Options: slices.Concat([]string{`C`, "loss", "multi", "class-weight", "standardize", "no-intercept", "probability"}, iterative),
		entry:   svc{},
	},
	{
		Name: "svr", About: "support vector regression", Regression: true, weighted: true,
		Options: slices.Concat([]string{`C`, "epsilon", "standardize", "no-intercept"}, iterative),
		entry:   svr{},
	},
	{
		Name: "ols", About: "least squares regression", Regression: true, weighted: true, offset: true,
		Options: []string{"no-intercept", "workers"},
		entry:   ols{},
	},
	{
		Name: "ridge", About: "ridge regression", Regression: true, weighted: true, offset: true, scales: true,
		Options: []string{"lambda", "standardize", "no-intercept", "workers"},
		entry:   ridge{},
	},
	{
		Name: "lasso", About: "lasso regression, elastic net with an l1-ratio", Regression: true, weighted: true, offset: true, scales: true,
		Options: slices.Concat([]string{"lambda", "l1-ratio", "standardize", "no-intercept"}, iterative),
		entry:   lasso{},
	},
}

// All returns the methods, classifiers first.
func All() []*Method { return slices.Clone(registry) }

// Named returns the method of that name. The error lists the names there are.
func Named(name string) (*Method, error) {
	for _, m := range registry {
		if m.Name == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("method: no method %q; there are %s", name, Names())
}

// Names lists the methods, separated by spaces.
func Names() string { return strings.Join(taking(""), " ") }

// WithPath returns the names of the methods that have a path.
func WithPath() []string { return taking("path") }

// taking returns the names of the methods that take an option; all for "".
func taking(option string) (names []string) {
	for _, m := range registry {
		if option == "" || m.Takes(option) {
			names = append(names, m.Name)
		}
	}
	return names
}
