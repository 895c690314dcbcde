package rounds

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/qp/separation"
)

// Options are the settings of a fit, those of the same names in package logistic.
type Options struct {
	Lambda      float64 `json:"lambda"`
	Standardize bool    `json:"standardize,omitempty"`
	NoIntercept bool    `json:"no_intercept,omitempty"`
	Balanced    bool    `json:"balanced,omitempty"` // every class gets the same total weight, by class weights
	Tol         float64 `json:"tol,omitempty"`
	MaxIter     int     `json:"max_iter,omitempty"` // 0 is 100
}

// State is a point at which all parts are to be evaluated, and what is known of the way
// there. Its fields are for files; [Begin] and [State.Next] make them.
type State struct {
	Options    Options       `json:"options"`
	All        *Counts       `json:"counts"`
	Prior      *Prior        `json:"prior,omitempty"`
	Theta      record.Packed `json:"theta"`          // the point, parameters of the functions in units
	Base       record.Packed `json:"base,omitempty"` // where the step to it began; nil at the start
	Value      float64       `json:"value"`          // the objective there
	Slope      float64       `json:"slope"`          // its derivative along the step
	Iteration  int           `json:"iteration"`      // steps taken
	Round      int           `json:"round"`          // 1 for the first point
	Reaching   *glm.Sums     `json:"reaching,omitempty"`
	Attempts   int           `json:"attempts,omitempty"` // at a bound by the reach
	Separating bool          `json:"separating,omitempty"`

	sumTo0 bool // also without a penalty: the functions of several classes sum to 0
}

// halves is how many shorter steps an answer tries.
const halves = 8

// Begin returns the state of the first round for all rows, and for a prior that stands for
// earlier ones; nil is none. The options of a fit with a prior are Tol and MaxIter: the others
// are those of the earlier fit.
//
// Errors: *[sample.OptionError], *[linalg.ClassError] for a class without rows and for fewer
// than two, *[linalg.RangeError] for a ridge that is none, *[linalg.ShapeError] for a prior of
// other columns or classes, *[linalg.SizeError].
func Begin(all *Counts, o Options, prior *Prior) (*State, error) {
	if err := o.check(); err != nil {
		return nil, wrap(err)
	}
	if all.Total() == 0 {
		return nil, wrap(&linalg.ShapeError{Want: 1, WantOf: "row of positive weight needed", Got: 0, GotOf: "such rows in all parts"})
	}
	if len(all.Classes) < 2 {
		return nil, wrap(&linalg.ClassError{Class: 0, Reason: "is the only one in all parts"})
	}
	if err := CheckSize(len(all.Classes), len(all.Mean)); err != nil {
		return nil, err
	}
	if prior != nil {
		return prior.begin(all, o)
	}
	for k, w := range all.Classes {
		if !(w > 0) {
			return nil, wrap(&linalg.ClassError{Class: k, Reason: "has no row in any part"})
		}
	}
	s := &State{Options: o, All: all, Round: 1}
	d := s.coordinates()
	f, err := s.objective(d)
	if err != nil {
		return nil, wrap(err)
	}
	start := make([]float64, f.Scores()*d.Dim())
	for c := range f.Scores() * d.Intercept {
		share := all.Classes[c] / all.Total()
		if f.Scores() == 1 {
			share = all.Classes[1] / all.Classes[0]
		}
		if !o.Balanced {
			start[c*d.Dim()] = math.Log(share)
		}
	}
	s.Theta = f.ThetaOf(start)
	return s, nil
}

// check refuses options out of range, and class weights with a ridge of standardized columns.
func (o *Options) check() error {
	if err := sample.NonNegative("Lambda", o.Lambda); err != nil {
		return err
	}
	if _, err := sample.Positive("Tol", o.Tol, 0); err != nil {
		return err
	}
	if _, err := sample.Count("MaxIter", o.MaxIter, 0); err != nil {
		return err
	}
	if o.Balanced && o.Standardize && o.Lambda > 0 {
		return fmt.Errorf("standard deviations with class weights need another pass, after the classes are counted: standardize before, or not")
	}
	return nil
}

// classWeight returns that of class k.
func (s *State) classWeight(k int) float64 {
	if !s.Options.Balanced {
		return 1
	}
	return s.All.Total() / (float64(len(s.All.Classes)) * s.All.Classes[k])
}

// weights returns those of the rows of a part, with those of their classes.
func (s *State) weights(t *Table) ([]float64, error) {
	if !s.Options.Balanced {
		return t.Weights, nil
	}
	if _, err := sample.Weights(t.Weights, len(t.Labels)); err != nil {
		return nil, err
	}
	w := make([]float64, len(t.Labels))
	for i, k := range t.Labels {
		w[i] = sample.WeightAt(t.Weights, i) * s.classWeight(k)
	}
	return w, nil
}

// coordinates returns the design that all parts share, without rows.
func (s *State) coordinates() *design.Design {
	intercept := 1
	if s.Options.NoIntercept {
		intercept = 0
	}
	extent := s.All.Extent
	if s.Prior != nil {
		extent = s.Prior.Extent
	}
	return design.Far(s.All.Rows, s.All.Total(), intercept, extent)
}

// objective returns that of all rows, on the design of none.
func (s *State) objective(d *design.Design) (*glm.Objective, error) {
	var ridge []float64
	if s.Options.Lambda > 0 {
		ridge = make([]float64, d.Dim())
		for j, u := range d.Unit {
			scale := 1 / u
			if sd := s.All.SD[j]; s.Options.Standardize && sd > 0 {
				scale = sd / u
			}
			v := s.Options.Lambda * scale * scale
			if !(v > 0) || math.IsInf(v, 1) {
				return nil, &linalg.RangeError{Column: j}
			}
			ridge[j+d.Intercept] = v
		}
	}
	return s.loss(d, nil, ridge), nil
}

// loss returns the objective of the labels of some rows.
func (s *State) loss(d *design.Design, labels []int, ridge []float64) *glm.Objective {
	y := make([]float64, len(labels))
	k := len(s.All.Classes)
	if k == 2 {
		for i, c := range labels {
			y[i] = float64(2*c - 1)
		}
		return glm.New(d, y, loss.Logistic{}, ridge)
	}
	for i, c := range labels {
		y[i] = float64(c)
	}
	contrast := glm.Against(k, k-1)
	if s.symmetric() {
		contrast = glm.Contrasts(k)
	}
	return glm.NewMulti(d, y, loss.Softmax{K: k}, contrast, ridge)
}

// symmetric reports whether the functions of several classes sum to 0; else the last is 0.
func (s *State) symmetric() bool {
	return s.Options.Lambda > 0 || s.Prior != nil || s.sumTo0
}

// Answer is what a part has to say of a state.
type Answer struct {
	Sums      *glm.Sums     `json:"sums"`
	Values    record.Packed `json:"values,omitempty"` // at ½, ¼, … of the step
	Reach     *glm.Reach    `json:"reach,omitempty"`
	Separated bool          `json:"separated,omitempty"` // by the functions at the point, completely
}

// Answer evaluates a part of the rows. O(nq²) for q parameters, some passes.
//
// Errors: those of [design.New], of [glm.Objective.Sums] and [glm.Objective.Reach].
func (s *State) Answer(t *Table) (*Answer, error) {
	far, classes := s.coordinates(), len(s.All.Classes)
	if err := t.check(classes); err != nil {
		return nil, wrap(err)
	}
	if t.absent() {
		a, err := s.nothing(t)
		return a, wrap(err)
	}
	weights, err := s.weights(t)
	if err != nil {
		return nil, wrap(err)
	}
	d, err := s.design(t, design.Settings{Weights: weights, Offset: t.Offset})
	if err != nil {
		return nil, wrap(err)
	}
	if d = d.At(far.Origin, far.Unit); !slices.Equal(d.Origin, far.Origin) { // zeros that are not stored, in columns that a prior has far from 0
		own := *t
		if own.X, err = linalg.ToDense(t.X); err != nil {
			return nil, wrap(err)
		}
		return s.Answer(&own)
	}
	o := s.loss(d, t.Labels, nil)
	a := new(Answer)
	if s.Reaching != nil {
		all, err := s.knowing(s.Base, s.Reaching)
		if err != nil {
			return nil, wrap(err)
		}
		if a.Reach, err = o.Reach(all); err != nil {
			return nil, wrap(err)
		}
	}
	for share := 0.5; s.Base != nil && len(a.Values) < halves; share /= 2 {
		a.Values = append(a.Values, o.Value(s.between(share)))
	}
	if s.Separating {
		p := &separation.Problem{X: t.X, Code: counted(t.Labels, weights), Classes: classes, ThroughZero: s.Options.NoIntercept, Workers: t.Workers}
		e := s.evidence(d, o)
		if err := e.Check(p, nil); err != nil {
			return nil, wrap(err)
		}
		a.Separated = e.Kind == separation.Complete
	}
	a.Sums, err = o.Sums(s.Theta)
	return a, wrap(err)
}

// design returns that of a part, which has the columns of the others.
func (s *State) design(t *Table, own design.Settings) (*design.Design, error) {
	own.NoIntercept = s.Options.NoIntercept
	d, err := t.design(own)
	if p := s.coordinates().P; err == nil && d.P != p {
		return nil, &linalg.ShapeError{Want: p, WantOf: "columns in the state", Got: d.P, GotOf: "in a part"}
	}
	return d, err
}

// nothing is the answer of a part of which no row counts: adding it changes no sum and no least number.
func (s *State) nothing(t *Table) (*Answer, error) {
	d, err := s.design(t, design.Settings{})
	if err != nil {
		return nil, err
	}
	far := s.coordinates()
	o, err := s.objective(far)
	if err != nil {
		return nil, err
	}
	q := len(s.Theta)
	a := &Answer{Separated: s.Separating, Sums: &glm.Sums{Rows: d.N, Gradient: make([]float64, q), Hessian: linalg.Zeros(q, q),
		Floor: math.MaxFloat64, Sizes: make([]float64, far.Dim()), LeastWeight: math.MaxFloat64, Length: 1}}
	if s.Reaching != nil {
		a.Reach = &glm.Reach{Sizes: make([]float64, o.Scores()*far.Dim())}
	}
	if s.Base != nil {
		a.Values = make([]float64, halves)
	}
	return a, nil
}

// counted returns labels with those of weight 0 left out.
func counted(labels []int, weights []float64) []int {
	if weights == nil {
		return labels
	}
	labels = slices.Clone(labels)
	for i, w := range weights {
		if !(w > 0) {
			labels[i] = separation.Left
		}
	}
	return labels
}

// between returns the point at a share t of the step.
func (s *State) between(t float64) []float64 {
	x := slices.Clone(s.Base)
	linalg.Scale(x, 1-t)
	linalg.Axpy(x, t, s.Theta)
	return x
}

// knowing returns the objective with all rows' sums at theta.
func (s *State) knowing(theta []float64, sums *glm.Sums) (*glm.Objective, error) {
	o, err := s.objective(s.coordinates())
	if err != nil {
		return nil, err
	}
	if s.Prior != nil {
		sums = s.Prior.beside(sums, theta)
	}
	o.Know(theta, sums)
	return o, nil
}

// evidence returns the functions at the point as a direction that is yet to be checked.
func (s *State) evidence(d *design.Design, o *glm.Objective) *separation.Evidence {
	coef, intercept := functions(d, o, s.Theta)
	return &separation.Evidence{Origin: d.Origin, Coef: coef, Intercept: intercept}
}

// functions returns coefficients and intercepts at the origin, on the scale of the data.
func functions(d *design.Design, o *glm.Objective, theta []float64) (coef *linalg.Dense, intercept []float64) {
	all := o.FunctionsOf(theta)
	coef, intercept = linalg.Zeros(len(all), d.P), make([]float64, len(all))
	for c, f := range all {
		intercept[c] = d.Coef(coef.Row(c), f)
	}
	return coef, intercept
}

// Merge adds the answer of another part to the same state.
//
// Error: *[linalg.ShapeError] for answers to different states.
func (a *Answer) Merge(b *Answer) error {
	if len(a.Values) != len(b.Values) || (a.Reach == nil) != (b.Reach == nil) {
		return wrap(fmt.Errorf("answers to different states: %w", &linalg.ShapeError{Want: len(a.Values), WantOf: "values in the first", Got: len(b.Values), GotOf: "in another"}))
	}
	if err := a.Sums.Merge(b.Sums); err != nil {
		return wrap(err)
	}
	linalg.Axpy(a.Values, 1, b.Values)
	if a.Reach != nil {
		if len(a.Reach.Sizes) != len(b.Reach.Sizes) {
			return wrap(&linalg.ShapeError{Want: len(a.Reach.Sizes), WantOf: "sizes in the first answer", Got: len(b.Reach.Sizes), GotOf: "in another"})
		}
		a.Reach.Merge(b.Reach)
	}
	a.Separated = a.Separated && b.Separated
	return nil
}

// Check returns an error for a state whose numbers do not fit together.
func (s *State) Check() error {
	if s == nil || s.All.Check() != nil {
		return wrap(errors.New("a state without counts"))
	}
	if s.Prior != nil {
		if err := s.Prior.fits(s.All); err != nil {
			return err
		}
	}
	k, dim := len(s.All.Classes), s.coordinates().Dim()
	q := (k - 1) * dim
	if k < 2 || CheckSize(k, len(s.All.Mean)) != nil || len(s.Theta) != q || s.Base != nil && len(s.Base) != q ||
		s.Reaching != nil && (s.Base == nil || len(s.Reaching.Gradient) != q || len(s.Reaching.Sizes) != dim) || s.Options.check() != nil {
		return wrap(&linalg.ShapeError{Want: q, WantOf: "parameters of the counts", Got: len(s.Theta), GotOf: "in the state"})
	}
	return nil
}

// Check returns an error for counts whose numbers do not fit together.
func (c *Counts) Check() error {
	if c == nil || c.Extent == nil || c.Rows <= 0 || len(c.Mean) == 0 || !(c.LeastWeight > 0) {
		return wrap(errors.New("counts of no rows or columns"))
	}
	for _, v := range [][]float64{c.SD, c.Extent.First, c.Extent.Lo, c.Extent.Hi, c.Extent.Sum} {
		if len(v) != len(c.Mean) {
			return wrap(&linalg.ShapeError{Want: len(c.Mean), WantOf: "columns", Got: len(v), GotOf: "numbers of them"})
		}
	}
	return nil
}

// Check returns an error for an answer without sums.
func (a *Answer) Check() error {
	if a == nil || a.Sums == nil {
		return wrap(errors.New("an answer without sums"))
	}
	return nil
}
