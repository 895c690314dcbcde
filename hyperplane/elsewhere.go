package hyperplane

import (
	"fmt"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// NewSVC returns a classifier whose planes f(x) = intercept + coef·x come from elsewhere: one
// for two classes, positive for the second; for K ≥ 3 one a row in the order of o.Multi, K
// or K(K−1)/2. Classes are ascending. Of the options it reads C, Loss, ClassWeights, Multi
// and NoIntercept, which say what the planes are meant to minimise. Its report has status
// imported, which claims nothing, and it has no support. It keeps copies.
//
// Errors: *[linalg.ClassError] for fewer than two classes or an order that is not ascending,
// *[linalg.ShapeError], *[linalg.NonFiniteError], *[sample.OptionError],
// *[record.DamageError] for coefficients with which scores overflow.
func NewSVC(classes []int, coef *linalg.Dense, intercept []float64, o *SVCOptions) (*SVC, error) {
	if o == nil {
		o = &SVCOptions{}
	}
	c, err := sample.Positive(`C`, o.C, 1)
	if err != nil {
		return nil, wrap(err)
	}
	m, err := machinesElsewhere(classes, coef, intercept, o.Multi)
	if err != nil {
		return nil, wrap(err)
	}
	if o.Loss > SquaredHinge {
		return nil, wrap(&sample.OptionError{Name: "Loss", Value: float64(o.Loss), Want: "Hinge or SquaredHinge"})
	}
	if w := o.ClassWeights; w != nil {
		if _, err := (sample.Labels{Classes: classes}).Weigh(nil, w); err != nil {
			return nil, wrap(err)
		}
	}
	return &SVC{m, c, slices.Clone(o.ClassWeights), o.NoIntercept, o.Loss}, nil
}

// NewHardMargin is [NewSVC] for planes that are meant to be the widest there are: they are
// judged by no price of slack. Of the options it reads Multi.
//
// Errors: those of NewSVC.
func NewHardMargin(classes []int, coef *linalg.Dense, intercept []float64, o *HardMarginOptions) (*HardMargin, error) {
	if o == nil {
		o = &HardMarginOptions{}
	}
	m, err := machinesElsewhere(classes, coef, intercept, o.Multi)
	if err != nil {
		return nil, wrap(err)
	}
	return &HardMargin{m}, nil
}

// machinesElsewhere returns the planes of classifiers that come from elsewhere.
func machinesElsewhere(classes []int, coef *linalg.Dense, intercept []float64, multi Multi) (m machines, err error) {
	if err := sample.CheckClasses(classes); err != nil {
		return m, err
	}
	m = machines{classes: slices.Clone(classes), multi: multi}
	if m.list, err = planesElsewhere(len(classes), coef, intercept, multi); err != nil {
		return m, err
	}
	m.labelSides()
	m.combineReports()
	return m, nil
}

// planesElsewhere returns a machine for each row of coefficients that tell k classes apart.
func planesElsewhere(k int, coef *linalg.Dense, intercept []float64, multi Multi) ([]Machine, error) {
	count, err := multi.planes(k)
	if err != nil {
		return nil, err
	}
	if err := sample.CheckAffine(count, coef, intercept); err != nil {
		return nil, err
	}
	list := make([]Machine, count)
	for i, b := range intercept {
		p, err := newPlane(slices.Clone(coef.Row(i)), nil, b)
		if err != nil {
			return nil, err
		}
		list[i] = Machine{Plane: p, Report: optimize.Elsewhere()}
	}
	return list, nil
}

// NewSVCProba returns m with probabilities P(positive) = 1/(1 + exp(A·f + B)) of the two
// sides of each machine, [A, B] each, which the coupling makes those of the classes.
//
// Errors: *[linalg.ShapeError] for other than a pair a machine, *[linalg.NonFiniteError], *[sample.OptionError].
func NewSVCProba(m *SVC, sigmoids [][2]float64, c Coupling) (*SVCProba, error) {
	if len(sigmoids) != len(m.list) {
		return nil, wrap(&linalg.ShapeError{Want: len(m.list), WantOf: "machines", Got: len(sigmoids), GotOf: "sigmoids"})
	}
	if !c.known() {
		return nil, wrap(&sample.OptionError{Name: "Coupling", Given: true, Want: "Exact, LIBSVM or Scikit"})
	}
	p := &SVCProba{SVC: *m, coupling: c}
	for k, s := range sigmoids {
		if err := linalg.CheckFinite(fmt.Sprintf("sigmoid %d", k), s[:]); err != nil {
			return nil, wrap(err)
		}
		p.platt = append(p.platt, sigmoid{s[0], s[1]})
	}
	return p, nil
}

// NewSVR returns a regression f(x) = intercept + coef·x that comes from elsewhere, with
// status imported. Of the options it reads C and Epsilon. It keeps a copy.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[sample.OptionError],
// *[record.DamageError] for coefficients with which values overflow.
func NewSVR(coef []float64, intercept float64, o *SVROptions) (*SVR, error) {
	if o == nil {
		o = &SVROptions{}
	}
	c, err := sample.Positive(`C`, o.C, 1)
	if err != nil {
		return nil, wrap(err)
	}
	if err := sample.NonNegative("Epsilon", o.Epsilon); err != nil {
		return nil, wrap(err)
	}
	p, err := planeElsewhere(coef, intercept)
	if err != nil {
		return nil, wrap(err)
	}
	return &SVR{plane: p, c: c, epsilon: o.Epsilon, report: optimize.Elsewhere()}, nil
}

// NewPerceptron returns a perceptron of two ascending classes whose plane
// f(x) = intercept + coef·x, positive for the second, comes from elsewhere, with status
// imported. It keeps a copy.
//
// Errors: those of [NewSVC].
func NewPerceptron(classes []int, coef []float64, intercept float64) (*Perceptron, error) {
	p, err := planeElsewhere(coef, intercept)
	if err != nil {
		return nil, wrap(err)
	}
	two, err := NewTwoClasses(slices.Clone(classes), p, optimize.Elsewhere())
	if err != nil {
		return nil, wrap(err)
	}
	return &Perceptron{TwoClasses: two}, nil
}

// planeElsewhere returns the plane of one function that comes from elsewhere.
func planeElsewhere(coef []float64, intercept float64) (*Plane, error) {
	if err := sample.CheckAffine(1, row(coef), []float64{intercept}); err != nil {
		return nil, err
	}
	return newPlane(slices.Clone(coef), nil, intercept)
}
