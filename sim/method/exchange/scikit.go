package exchange

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"halfspace/sim/method"
)

// scikitFile is a file of the snippet.
type scikitFile struct {
	Version string     `json:"scikit-learn"`
	Model   *estimator `json:"model"`
}

// ReadScikit reads what the Python snippet of the package's documentation wrote: one of
//
//	LogisticRegression LogisticRegressionCV SGDClassifier                          logistic
//	LinearSVC SVC NuSVC (kernel="linear") RidgeClassifier RidgeClassifierCV PassiveAggressiveClassifier  svc
//	Perceptron                                    perceptron, svc for K ≥ 3 classes
//	LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis        lda, rrlda, qda
//	LinearRegression Ridge RidgeCV Lasso LassoCV ElasticNet ElasticNetCV   ols, ridge, lasso
//	LinearSVR SVR NuSVR (kernel="linear") SGDRegressor                     svr
//
// alone, found by a search over settings (GridSearchCV, RandomizedSearchCV …), or at the end of a
// Pipeline of Pipelines, SimpleImputer, StandardScaler, OneHotEncoder and a ColumnTransformer of
// these. Columns have the names of the data frame that was fitted, or
// are x1, x2, ….
//
// Errors have the line and column of what is no JSON, else the estimator and its attribute.
func ReadScikit(r io.Reader) (*method.Model, error) {
	var file scikitFile
	size, err := decode(r, &file)
	if err == nil && file.Model == nil {
		err = errors.New("no \"model\"")
	}
	if err != nil {
		return nil, fmt.Errorf("exchange: scikit-learn model: %w", err)
	}
	m, err := file.Model.read(size)
	if err != nil {
		return nil, fmt.Errorf("exchange: scikit-learn model: %w", err)
	}
	return m, nil
}

// read makes a model of an estimator or pipeline of at most so many features.
func (e *estimator) read(most int) (*method.Model, error) {
	steps, last, err := e.split()
	if err != nil {
		return nil, err
	}
	in, err := newInputs(e, append(slices.Clone(steps), last), most)
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		if err := in.step(s); err != nil {
			return nil, s.wrong(err)
		}
	}
	columns, place, err := in.arranged()
	if err != nil {
		return nil, err
	}
	names, fit, err := last.model(place)
	if err != nil {
		return nil, last.wrong(err)
	}
	schema, chain, err := in.finish(columns, place, names)
	if err != nil {
		return nil, err
	}
	m, err := method.New(schema, chain, fit)
	if err == nil {
		m, err = m.WithObjective(last.objective(m.Method))
	}
	if err != nil {
		return nil, last.wrong(err)
	}
	return m, nil
}
