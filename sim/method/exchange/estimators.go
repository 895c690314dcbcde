package exchange

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/sim/method"
)

// imported are the estimators that have coefficients and are taken by them.
var imported = []string{"LogisticRegression", "LogisticRegressionCV", "SGDClassifier", "SVC", "NuSVC", "Perceptron", "LinearSVC", "RidgeClassifier", "RidgeClassifierCV",
	"PassiveAggressiveClassifier", "LinearRegression", "Ridge", "RidgeCV", "Lasso", "LassoCV", "ElasticNet", "ElasticNetCV", "LinearSVR", "SVR", "NuSVR", "SGDRegressor"}

// model returns the names of the classes, nil for a regression, and the model of the layer
// below. Feature k of the model is the estimator's feature place[k].
func (e *estimator) model(place []int) (names []string, fit any, err error) {
	switch e.Type {
	case "LinearDiscriminantAnalysis":
		return e.lda(place)
	case "QuadraticDiscriminantAnalysis":
		return e.qda(place)
	}
	if !slices.Contains(imported, e.Type) {
		return nil, nil, errors.New("this estimator cannot be imported")
	}
	coef, err := e.matrix("coef_")
	if err != nil {
		return nil, nil, err
	}
	if coef, err = permuted(coef, place); err != nil {
		return nil, nil, err
	}
	intercept, err := e.vector("intercept_")
	if err != nil {
		return nil, nil, err
	}
	if len(intercept) == 1 && coef.Rows > 1 { // fit_intercept=False
		intercept = slices.Repeat(intercept, coef.Rows)
	}
	switch e.Type {
	case "LinearRegression", "Ridge", "RidgeCV", "Lasso", "LassoCV", "ElasticNet", "ElasticNetCV", "LinearSVR", "SVR", "NuSVR", "SGDRegressor":
		fit, err = e.regression(coef, intercept)
		return nil, fit, err
	}
	if names, err = e.classes(); err != nil {
		return nil, nil, err
	}
	switch e.Type {
	case "LogisticRegression", "LogisticRegressionCV":
		fit, err = e.logistic(names, coef, intercept)
	case "SGDClassifier":
		fit, err = e.descent(names, coef, intercept)
	case "SVC", "NuSVC":
		fit, err = e.machines(names, coef, intercept)
	case "Perceptron":
		if len(names) == 2 && coef.Rows == 1 && len(intercept) == 1 {
			fit, err = hyperplane.NewPerceptron(linalg.Sequence(2), coef.Row(0), intercept[0])
			break
		}
		fallthrough
	default:
		fit, err = e.rest(names, coef, intercept)
	}
	return names, fit, err
}

// permuted returns m with the columns in the order of place.
func permuted(m *linalg.Dense, place []int) (*linalg.Dense, error) {
	if m.Cols != len(place) {
		return nil, &linalg.ShapeError{Want: len(place), WantOf: "features", Got: m.Cols, GotOf: "coefficients"}
	}
	out := linalg.Zeros(m.Rows, m.Cols)
	for i := range m.Rows {
		for j, at := range place {
			out.Set(i, j, m.At(i, at))
		}
	}
	return out, nil
}

// logistic is LogisticRegression: a function of two classes, the softmax of several, or each
// class against the rest. A multinomial fit of two classes has f = −f₀ = f₁.
func (e *estimator) logistic(names []string, coef *linalg.Dense, intercept []float64) (any, error) {
	multi, rest := e.setting("multi_class"), e.setting("solver") == "liblinear"
	switch {
	case multi == "ovr" || rest && multi != "multinomial":
		return logistic.NewOneVsRest(linalg.Sequence(len(names)), coef, intercept)
	case multi == "multinomial" && len(names) == 2:
		coef = coef.Clone()
		linalg.Scale(coef.Data, 2)
		intercept = slices.Clone(intercept)
		linalg.Scale(intercept, 2)
	}
	return logistic.New(linalg.Sequence(len(names)), coef, intercept)
}

// descent is SGDClassifier, which has probabilities of its logistic loss alone; those of
// modified_huber are not imported.
func (e *estimator) descent(names []string, coef *linalg.Dense, intercept []float64) (any, error) {
	if loss := e.setting("loss"); loss == "log_loss" || loss == "log" {
		return logistic.NewOneVsRest(linalg.Sequence(len(names)), coef, intercept)
	}
	return e.rest(names, coef, intercept)
}

// rest are planes of each class against the rest.
func (e *estimator) rest(names []string, coef *linalg.Dense, intercept []float64) (any, error) {
	var through bool
	through = e.param("fit_intercept", &through) == nil && !through
	loss := hyperplane.Hinge
	if e.setting("loss") == "squared_hinge" {
		loss = hyperplane.SquaredHinge
	}
	return hyperplane.NewSVC(linalg.Sequence(len(names)), coef, intercept, &hyperplane.SVCOptions{C: e.number(`C`, 1), Loss: loss, Multi: hyperplane.OneVsRest, NoIntercept: through})
}

// hinges are the losses of scikit-learn by which planes are fitted here too, as the option says them.
var hinges = map[string]string{"hinge": "", "squared_hinge": "squared-hinge"}

// machines are the planes of LIBSVM, that of two classes with the sign changed by
// scikit-learn. Where f is 0, LIBSVM takes the later class.
func (e *estimator) machines(names []string, coef *linalg.Dense, intercept []float64) (any, error) {
	if kernel := e.setting("kernel"); kernel != "linear" {
		return nil, fmt.Errorf("kernel %s: only a linear one has coefficients", quoted(kernel))
	}
	var breaks bool
	if e.param("break_ties", &breaks) == nil && breaks && len(names) > 2 {
		return nil, errors.New("break_ties=True cannot be imported: planes vote, and a tie goes to the first class")
	}
	coef, intercept = coef.Clone(), slices.Clone(intercept)
	linalg.Scale(coef.Data, -1)
	linalg.Scale(intercept, -1)
	sign := -1.0
	if len(names) == 2 {
		slices.Reverse(names)
		sign = 1
	}
	svc, err := hyperplane.NewSVC(linalg.Sequence(len(names)), coef, intercept, &hyperplane.SVCOptions{C: e.number(`C`, 1)})
	if err != nil {
		return nil, err
	}
	a, err := e.vector("probA_")
	if err != nil || len(a) == 0 {
		return svc, nil
	}
	b, err := e.vector("probB_")
	if err != nil || len(b) != len(a) {
		return nil, errors.New("\"probA_\" and \"probB_\" do not agree")
	}
	sigmoids := make([][2]float64, len(a))
	for k := range a {
		sigmoids[k] = [2]float64{a[k], sign * b[k]}
	}
	return hyperplane.NewSVCProba(svc, sigmoids, hyperplane.Scikit)
}

// regression is one of the regressions, with the penalty that it was fitted with on the scale
// of a sum over the rows: that of a mean has λ = α times the rows, which the estimator does
// not keep, and is imported as of one row.
func (e *estimator) regression(coef *linalg.Dense, intercept []float64) (any, error) {
	if coef.Rows != 1 || len(intercept) != 1 {
		return nil, fmt.Errorf("%d responses: want one", coef.Rows)
	}
	alpha := e.number("alpha", 1)
	o := &regression.Options{}
	switch e.Type {
	case "SVR", "NuSVR", "LinearSVR", "SGDRegressor":
		if e.Type != "LinearSVR" && e.Type != "SGDRegressor" && e.setting("kernel") != "linear" {
			return nil, errors.New("only a linear kernel has coefficients")
		}
		return hyperplane.NewSVR(coef.Row(0), intercept[0], &hyperplane.SVROptions{C: e.number(`C`, 1), Epsilon: e.number("epsilon", 0)})
	case "Ridge", "RidgeCV":
		o.Lambda = alpha
	case "Lasso", "LassoCV":
		o.Lambda, o.L1Ratio = alpha, 1
	case "ElasticNet", "ElasticNetCV":
		o.Lambda, o.L1Ratio = alpha, e.number("l1_ratio", 0.5)
	}
	return regression.New(coef.Row(0), intercept[0], o)
}

// lda is LinearDiscriminantAnalysis, by the covariance that its solvers "lsqr" and "eigen"
// keep, else by its discriminant vectors.
func (e *estimator) lda(place []int) ([]string, any, error) {
	names, priors, means, err := e.groups(place)
	if err != nil {
		return nil, nil, err
	}
	if cov, err := e.matrix("covariance_"); err == nil && e.setting("solver") != "svd" {
		if cov, err = permuted(cov, place); err != nil {
			return nil, nil, err
		}
		if cov, err = permuted(cov.Transposed(), place); err != nil {
			return nil, nil, err
		}
		fit, err := discriminant.NewLDA(linalg.Sequence(len(names)), priors, means, cov)
		return names, fit, err
	}
	scaling, err := e.matrix("scalings_")
	if err != nil {
		return nil, nil, err
	}
	vectors, err := permuted(scaling.Transposed(), place)
	if err != nil {
		return nil, nil, err
	}
	vectors = vectors.Transposed()
	if most := min(len(names)-1, vectors.Rows); vectors.Cols > most {
		vectors = &linalg.Dense{Rows: vectors.Rows, Cols: most, Stride: vectors.Stride, Data: vectors.Data}
	}
	fit, err := discriminant.NewReducedRank(linalg.Sequence(len(names)), priors, means, vectors)
	return names, fit, err
}

// groups returns names, priors and means of the classes.
func (e *estimator) groups(place []int) (names []string, priors []float64, means *linalg.Dense, err error) {
	if names, err = e.classes(); err != nil {
		return nil, nil, nil, err
	}
	if priors, err = e.vector("priors_"); err != nil {
		return nil, nil, nil, err
	}
	if means, err = e.matrix("means_"); err != nil {
		return nil, nil, nil, err
	}
	means, err = permuted(means, place)
	return names, priors, means, err
}

// singular is a ratio of variances, the squares of singular values, that rounding makes of 0.
const singular = 0x1p-92

// qda is QuadraticDiscriminantAnalysis: Σₖ = R·diag(s)·Rᵀ for the rotations R and scalings s.
func (e *estimator) qda(place []int) ([]string, any, error) {
	names, priors, means, err := e.groups(place)
	if err != nil {
		return nil, nil, err
	}
	var rotations [][][]float64
	var scalings [][]float64
	if err := errors.Join(e.attribute("rotations_", &rotations), e.attribute("scalings_", &scalings)); err != nil {
		return nil, nil, err
	}
	if len(rotations) != means.Rows || len(scalings) != means.Rows {
		return nil, nil, &linalg.ShapeError{Want: means.Rows, WantOf: "classes", Got: min(len(rotations), len(scalings)), GotOf: "rotations and scalings"}
	}
	var densities []*discriminant.Gaussian
	for k, r := range rotations {
		rotation, err := linalg.FromRows(r)
		if err != nil {
			return nil, nil, err
		}
		half, err := permuted(rotation.Transposed(), place)
		if err != nil {
			return nil, nil, err
		}
		if len(scalings[k]) != half.Rows || half.Rows == 0 {
			return nil, nil, &linalg.ShapeError{Want: half.Rows, WantOf: "axes", Got: len(scalings[k]), GotOf: "scalings"}
		}
		least := slices.Max(scalings[k]) * singular
		for i, s := range scalings[k] {
			if 0 < s && s < least {
				return nil, nil, fmt.Errorf("class %q has a singular covariance, with variances of %.3g and %.3g: predictions are rounding errors", names[k], s, slices.Max(scalings[k]))
			}
			if !(s > 0) {
				return nil, nil, fmt.Errorf("a variance of %v in class %d", s, k)
			}
			linalg.Scale(half.Row(i), math.Sqrt(s))
		}
		g, err := densityOfRoot(means.Row(k), half)
		if err != nil {
			return nil, nil, err
		}
		densities = append(densities, g)
	}
	fit, err := discriminant.NewQDA(linalg.Sequence(len(names)), priors, densities)
	return names, fit, err
}

// densityOfRoot returns N(mean, HᵀH): L is the Rᵀ of a QR factorisation of H.
func densityOfRoot(mean []float64, half *linalg.Dense) (*discriminant.Gaussian, error) {
	qr, err := linalg.NewTallQR(half, nil, nil, nil, 1)
	if err != nil {
		return nil, err
	}
	l := qr.R().Transposed()
	for j := range l.Cols {
		if l.At(j, j) < 0 {
			for i := range l.Rows {
				l.Set(i, j, -l.At(i, j))
			}
		}
	}
	return discriminant.GaussianOfFactor(mean, l)
}

// objective returns the options with which the method minimises what the estimator did, but for
// a bias that is penalised; nil where the estimator does not tell, or no option has it.
func (e *estimator) objective(m *method.Method) *method.Options {
	intercept, weight := true, e.setting("class_weight")
	o := &method.Options{ClassWeight: weight}
	if e.param("fit_intercept", &intercept) == nil && !intercept && m.Takes("no-intercept") {
		o.NoIntercept = true
	}
	if _, given := e.Params["class_weight"]; given && weight != "balanced" && string(e.Params["class_weight"]) != "null" {
		return nil
	}
	known := true
	switch e.Type {
	case "LogisticRegression":
		known = e.penalty(o, 1/e.number(`C`, 1), e.setting("multi_class") == "multinomial" && e.functions() == 1)
	case "SGDClassifier":
		var passes, seen float64 // n = (t − 1)/passes
		if e.attribute("n_iter_", &passes) != nil || e.attribute("t_", &seen) != nil || !(passes > 0) || !(seen > 1) {
			return nil
		}
		lambda := e.number("alpha", 1e-4) * math.Round((seen-1)/passes)
		switch loss, hinge := hinges[e.setting("loss")]; {
		case m.Takes("lambda"):
			known = e.penalty(o, lambda, false)
		case hinge && e.setting("penalty") == "l2" && lambda > 0:
			o.C, o.Loss, o.Multi = 1/lambda, loss, "ovr"
		default:
			return nil
		}
	case "SVC":
		o.C = e.number(`C`, 1)
	case "LinearSVC":
		loss, hinge := hinges[e.setting("loss")]
		if known = hinge && e.setting("penalty") != "l1"; known {
			o.C, o.Loss, o.Multi = e.number(`C`, 1), loss, "ovr"
		}
	case "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis":
		_ = e.param("priors", &o.Priors)
		if m.Name == "lda" {
			o.Divisor = "n"
		}
	case "SVR", "LinearSVR":
		o.C, o.Epsilon = e.number(`C`, 1), e.number("epsilon", 0)
	case "Ridge":
		o.Lambda = e.number("alpha", 1)
	case "LinearRegression":
	default:
		return nil
	}
	if !known {
		return nil
	}
	return o
}

// functions returns how many functions the estimator has.
func (e *estimator) functions() int {
	coef, err := e.matrix("coef_")
	if err != nil {
		return 0
	}
	return coef.Rows
}

// penalty sets the penalty of a logistic regression at λ. The functions of a pair are ±f/2
// where it is one of several classes, and their ridge then is that of f at λ/2.
func (e *estimator) penalty(o *method.Options, lambda float64, pair bool) bool {
	if string(e.Params[`C`]) == `"Infinity"` {
		lambda = 0
	}
	kind := e.setting("penalty")
	if kind == "deprecated" { // from version 1.8 on the ratio says it
		kind = "elasticnet"
	}
	switch {
	case kind == "l1":
		o.Lambda, o.L1Ratio = lambda, 1
	case kind == "elasticnet":
		o.Lambda, o.L1Ratio = lambda, e.number("l1_ratio", 0)
	case kind == "l2":
		o.Lambda = lambda
	case kind != "none" && string(e.Params["penalty"]) != "null":
		return false
	}
	if o.Lambda == 0 {
		o.L1Ratio = 0
	}
	if pair && o.L1Ratio > 0 && o.L1Ratio < 1 {
		return false
	} else if pair && o.L1Ratio == 0 {
		o.Lambda /= 2
	}
	return o.Lambda >= 0 && o.Lambda-o.Lambda == 0 && o.L1Ratio >= 0 && o.L1Ratio <= 1
}
