package hyperplane

import (
	"fmt"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// SVCOptions are the choices of [FitSVC]; nil or zero values are the defaults.
type SVCOptions struct {
	// C is the price of a unit of slack, > 0; 0 is 1.
	C float64

	// Weights are frequency weights: a row of weight 2 is the row twice, of 0 the
	// row deleted. nil is 1 for all.
	Weights []float64

	// ClassWeights multiply C for the rows of each class, in the order of the
	// classes; nil is 1 for all.
	ClassWeights []float64

	// Classes fixes the list of classes, so that folds agree; nil is the distinct
	// labels of y.
	Classes []int

	// Multi is how K ≥ 3 classes are told apart.
	Multi Multi

	// NoIntercept puts the plane through 0.
	NoIntercept bool

	Tol     float64 // of the certificate; 0 is 1e-8
	MaxIter int     // cap on the steps of each solver; 0 is its own default
	Workers int     // goroutines; 0 is GOMAXPROCS

	// Trace is called once a step of each machine; Objective is the dual's,
	// to be minimised.
	Trace func(optimize.Step) error
}

// SVC is a soft-margin support vector classifier: for two classes the plane that
// minimises
//
//	½‖β‖² + Σ Cᵢξᵢ,  ξᵢ = max(0, 1 − yᵢf(xᵢ)),  Cᵢ = C·wᵢ·(weight of yᵢ's class)
//
// (ESL 12.8), that is hinge loss with ridge penalty λ = 1/C, its intercept
// unpenalised. It keeps the rows and multipliers of its support, not the data.
type SVC struct {
	machines
	c            float64
	classWeights []float64
	noIntercept  bool
}

// FitSVC fits a soft-margin classifier to the n×p matrix x and n labels.
//
// It solves the dual, max Σα − ½‖Σαᵢyᵢxᵢ‖² subject to 0 ≤ αᵢ ≤ Cᵢ and Σαᵢyᵢ = 0
// (ESL 12.13), to a duality gap of at most Tol·max(1, primal objective): the
// certificate. The objective reported is the primal one. An iteration costs
// O(np²) where p is much smaller than n, else O(np). Memory beyond x: O(n + p²),
// and a copy of two classes at a time for one-vs-one.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError],
// *[linalg.WeightError], *[sample.OptionError]; with [optimize.ErrNotConverged]
// the model is not nil.
func FitSVC(x *linalg.Dense, y []int, o *SVCOptions) (*SVC, error) {
	if o == nil {
		o = &SVCOptions{}
	}
	m, err := fitSVC(x, y, o)
	if err != nil {
		return m, fmt.Errorf("hyperplane: %w", err)
	}
	return m, nil
}

func fitSVC(x *linalg.Dense, y []int, o *SVCOptions) (*SVC, error) {
	l, err := prepareClasses(x, y, o.Classes, o.Weights)
	if err != nil {
		return nil, err
	}
	m := &SVC{classWeights: slices.Clone(o.ClassWeights), noIntercept: o.NoIntercept}
	if m.c, err = sample.Positive("C", o.C, 1); err != nil {
		return nil, err
	}
	price, err := prices(l, m.c, o.Weights, o.ClassWeights)
	if err != nil {
		return nil, err
	}
	list, err := tasks(l, o.Multi)
	if err != nil {
		return nil, err
	}
	m.machines = machines{classes: l.Classes, multi: o.Multi, list: make([]Machine, len(list))}
	s := solver{noIntercept: o.NoIntercept, tol: o.Tol, maxIter: o.MaxIter, workers: o.Workers, trace: o.Trace}
	var failed error
	for k, t := range list {
		c, err := s.softMargin(t.pick(x), t.sign, t.values(price), nil)
		if c.Plane == nil {
			return nil, err
		}
		if err != nil && failed == nil {
			failed = err
		}
		for i, r := range c.Support {
			c.Support[i] = t.row(r)
		}
		m.list[k] = c
	}
	m.name()
	m.gather()
	return m, failed
}

// prepareClasses checks x, y and weights and codes the labels.
func prepareClasses(x *linalg.Dense, y, classes []int, w []float64) (sample.Labels, error) {
	if _, _, err := sample.Dims(x, len(y), "labels"); err != nil {
		return sample.Labels{}, err
	}
	if err := x.CheckFinite(); err != nil {
		return sample.Labels{}, err
	}
	if _, err := sample.Weights(w, len(y)); err != nil {
		return sample.Labels{}, err
	}
	return sample.Code(y, classes, w)
}

// prices returns Cᵢ for each row.
func prices(l sample.Labels, c float64, w, classWeights []float64) ([]float64, error) {
	if classWeights != nil && len(classWeights) != l.K() {
		return nil, &linalg.ShapeError{Want: l.K(), WantOf: "classes", Got: len(classWeights), GotOf: "class weights"}
	}
	for k, v := range classWeights {
		if !(v > 0) || v-v != 0 {
			return nil, &sample.OptionError{Name: fmt.Sprintf("ClassWeights[%d]", k), Value: v, Want: "positive and finite"}
		}
	}
	price := make([]float64, len(l.Code))
	for i, k := range l.Code {
		price[i] = c
		if w != nil {
			price[i] *= w[i]
		}
		if classWeights != nil {
			price[i] *= classWeights[k]
		}
	}
	if err := linalg.CheckFinite("C times weights", price); err != nil {
		return nil, err
	}
	return price, nil
}

// C returns the price of slack that the model was fitted with.
func (m *SVC) C() float64 { return m.c }

// Margin returns 1/‖β‖ of the first machine's plane, the only one for two classes:
// half the width of the slab −1 ≤ f ≤ 1.
func (m *SVC) Margin() float64 { return 1 / m.list[0].Plane.Norm() }

const (
	svcKind    = "halfspace/svc"
	svcVersion = 1
)

type svcRecord struct {
	machinesRecord
	C            float64   `json:"c"`
	ClassWeights []float64 `json:"class_weights,omitempty"`
	NoIntercept  bool      `json:"no_intercept,omitempty"`
}

// MarshalJSON writes a versioned record that UnmarshalJSON reads back bit for bit.
func (m *SVC) MarshalJSON() ([]byte, error) {
	return record.Marshal(svcKind, svcVersion, svcRecord{m.machines.record(), m.c, m.classWeights, m.noIntercept})
}

// UnmarshalJSON replaces m by the model in data; see [record.Unmarshal] for its
// errors.
func (m *SVC) UnmarshalJSON(data []byte) error {
	var r svcRecord
	if _, err := record.Unmarshal(data, svcKind, svcVersion, &r); err != nil {
		return fmt.Errorf("hyperplane: %w", err)
	}
	c, err := r.machines()
	if err == nil && (!(r.C > 0) || r.ClassWeights != nil && len(r.ClassWeights) != len(r.Classes)) {
		err = &record.DamageError{Reason: fmt.Sprintf("C %g, %d class weights", r.C, len(r.ClassWeights))}
	}
	if err != nil {
		return fmt.Errorf("hyperplane: %w", err)
	}
	*m = SVC{c, r.C, r.ClassWeights, r.NoIntercept}
	return nil
}
