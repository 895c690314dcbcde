package logistic

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize/path"
)

// CV is a path of all rows with the deviance of each of its λ on rows that were left
// out: the mean of −2·log p a row.
type CV = path.Choice[*Model]

// CrossValidate fits a path to all rows and, on its grid, to the rows outside
// each fold; folds[i] names the fold of row i. (ESL §7.10; the one-standard-error
// rule is that of §7.10.1.)
//
// Errors: those of [FitPath]; *[linalg.ShapeError] for folds that do not fit the rows,
// fewer than two folds with rows of positive weight, or a path without a λ;
// *[linalg.ClassError] where the rows outside a fold lack a class. With
// [optimize.ErrNotConverged] the result is not nil, and a λ that some fold has no fit of
// has no loss.
func CrossValidate(x linalg.Rows, y []int, folds []int, o *PathOptions) (*CV, error) {
	if o == nil {
		o = &PathOptions{}
	}
	cv, err := crossValidate(x, y, folds, o)
	return cv, wrap(err)
}

func crossValidate(x linalg.Rows, y []int, folds []int, o *PathOptions) (*CV, error) {
	f, err := path.NewFolds(len(y), folds, o.Weights)
	if err != nil {
		return nil, err
	}
	if err := f.HoldClasses(y, o.Classes); err != nil {
		return nil, err
	}
	inner := *o
	inner.Trace = f.Trace(o.Trace)
	return path.CrossValidate(f, func(w, grid []float64) (*Path, error) {
		if w == nil {
			whole, err := fitPath(x, y, &inner)
			inner = PathOptions{Options: inner.Options}
			if whole != nil && len(whole.Points) > 0 {
				inner.Classes = whole.Points[0].Model.classes
			}
			return whole, err
		}
		inner.Weights, inner.Lambdas = w, grid
		return fitPath(x, y, &inner)
	}, func(p *Path, w []float64) ([]float64, error) { return o.deviances(x, y, w, p.Models()) })
}

// Deviances returns −2Σ w·log p over the rows of x for each of the models of one path, which
// share passes over the rows: +Inf where a label of positive weight is not a model's. Of the
// options it takes Weights, Offset and Workers. O(npK) a model; O(K) a stored value of sparse
// rows.
//
// Errors: *[linalg.ShapeError], *[linalg.WeightError], *[linalg.NonFiniteError] and *[linalg.RangeError] of weights
// and offsets, and of rows whose scores are no numbers, models of several paths, and those of the storage.
func Deviances(models []*Model, x linalg.Rows, y []int, o *Options) ([]float64, error) {
	if len(models) == 0 {
		return nil, nil
	}
	if o == nil {
		o = &Options{}
	}
	functions, features := models[0].coef.Dims()
	n, p, err := sample.Dims(x, len(y), "labels")
	if err == nil && p != features {
		err = &linalg.ShapeError{Want: features, WantOf: "features", Got: p, GotOf: "columns"}
	}
	if err == nil {
		_, err = sample.Weights(o.Weights, n)
	}
	if err == nil {
		err = sample.Offsets(o.Offset, n, functions)
	}
	if err != nil {
		return nil, wrap(err)
	}
	w := o.Weights
	if w == nil {
		w = slices.Repeat([]float64{1}, n)
	}
	for k, m := range models {
		if first := models[0]; m.rest || m.Features() != features || !slices.Equal(m.classes, first.classes) || !slices.Equal(m.origin, first.origin) {
			return nil, wrap(fmt.Errorf("model %d is not of the path of model 0: their classes, features or origins differ", k))
		}
	}
	sums, err := o.deviances(x, y, w, models)
	if err == nil && slices.ContainsFunc(sums, math.IsNaN) {
		err = sample.Range(x, nil, o.Weights)
	}
	if err != nil {
		return nil, wrap(err)
	}
	return sums, nil
}

// deviances returns −2Σ w·log p over the rows of x for each model of a path, of which as many
// share a pass as their coefficients fit in a cache.
func (o *Options) deviances(x linalg.Rows, y []int, w []float64, models []*Model) ([]float64, error) {
	sums := make([]float64, 0, len(models))
	for len(models) > 0 {
		functions, p := models[0].coef.Dims()
		share := min(len(models), max(1, coefficientsHeld/(functions*p)))
		h := newHeldOut(o, y, w, models[:share])
		if err := h.pass(x); err != nil {
			return nil, err
		}
		sums, models = append(sums, h.sums...), models[share:]
	}
	return sums, nil
}

// coefficientsHeld and valuesHeld are the numbers of coefficients and of values of rows that
// are multiplied at a time; heldPieces are the most that a pass is divided into, for each
// reads all coefficients again.
const coefficientsHeld, valuesHeld, heldPieces = 1 << 20, 1 << 17, 16

// heldOut are some models of a path, which have one origin, on rows that they were not fitted
// to.
type heldOut struct {
	o       *Options
	models  []*Model
	each    []*linalg.Dense // the coefficients of the models
	y       []int
	w       []float64
	classes []int
	origin  []float64
	level   []float64     // of all models at the origin, one behind the other
	coef    *linalg.Dense // of all models, one under the other; nil until a dense row comes
	gather  sync.Once     // sets coef
	sums    []float64     // of the deviances, by model
}

func newHeldOut(o *Options, y []int, w []float64, models []*Model) *heldOut {
	h := &heldOut{o: o, models: models, y: y, w: w, classes: models[0].classes, origin: models[0].Origin(), sums: make([]float64, len(models))}
	for _, m := range models {
		h.level, h.each = append(h.level, m.intercept...), append(h.each, m.coef.Lent())
	}
	return h
}

// coefficients returns those of all models. Sparse rows are scored by each model's own, so
// that the copy is made for the first dense rows.
func (h *heldOut) coefficients() *linalg.Dense {
	h.gather.Do(func() {
		h.coef = linalg.Zeros(len(h.level), len(h.origin))
		functions := len(h.models[0].intercept)
		for k := range h.level {
			copy(h.coef.Row(k), h.each[k/functions].Row(k%functions))
		}
	})
	return h.coef
}

// pass adds up the deviances of the rows of positive weight.
func (h *heldOut) pass(x linalg.Rows) error {
	n, p := x.Dims()
	var failed error
	linalg.Reduce(n, max(linalg.BlockRows, (n+heldPieces-1)/heldPieces), h.o.Workers,
		func() *heldRows { return newHeldRows(h, min(linalg.BlockRows, 1+valuesHeld/p)) },
		func(s *heldRows, lo, hi int) {
			clear(s.sums)
			s.err = linalg.Pass(x, lo, hi, s.take)
			s.judge()
		},
		func(s *heldRows) {
			failed = cmp.Or(failed, s.err)
			linalg.Axpy(h.sums, 1, s.sums)
		})
	return failed
}

// heldRows collects rows of positive weight until they are as many as are multiplied at a
// time.
type heldRows struct {
	*heldOut
	at           []int         // their numbers
	rows, scores *linalg.Dense // rows is nil until a dense row comes
	prob, sums   []float64
	err          error
}

func newHeldRows(h *heldOut, most int) *heldRows {
	functions := len(h.level)
	return &heldRows{heldOut: h, at: make([]int, 0, most), scores: linalg.Zeros(most, functions),
		prob: make([]float64, functions), sums: make([]float64, len(h.sums))}
}

// take collects the rows of a dense block. Those of a sparse one it judges by their stored
// values, of which there are far fewer than columns.
func (s *heldRows) take(b *linalg.Block) error {
	for i := range b.Len() {
		at := b.At + i
		if s.w[at] == 0 {
			continue
		}
		if b.CSR != nil {
			s.add(s.scoresAt(b.Row(i)), at)
			continue
		}
		if s.rows == nil {
			s.rows = linalg.Zeros(cap(s.at), len(s.origin))
		}
		b.CopyRow(s.rows.Row(len(s.at)), i)
		if s.at = append(s.at, at); len(s.at) == cap(s.at) {
			s.judge()
		}
	}
	return nil
}

// scoresAt returns the scores of a sparse row.
func (s *heldRows) scoresAt(index []int32, value []float64) []float64 {
	f := s.scores.Row(0)[:0]
	for c, m := range s.models {
		for k, level := range m.intercept {
			f = append(f, linalg.AffineAt(level, s.each[c].Row(k), m.origin, m.far, index, value))
		}
	}
	return f
}

// judge adds the deviances of the rows collected.
func (s *heldRows) judge() {
	m := len(s.at)
	if m == 0 {
		return
	}
	scores := s.scores.RowRange(0, m)
	linalg.Affine(scores, s.rows.RowRange(0, m), s.origin, s.coefficients(), s.level)
	for i, at := range s.at {
		s.add(scores.Row(i), at)
	}
	s.at = s.at[:0]
}

// add adds the deviances of a row, whose scores it overwrites.
func (s *heldRows) add(f []float64, at int) {
	s.addOffsets(f, at)
	own, ok := slices.BinarySearch(s.classes, s.y[at])
	switch {
	case !ok:
		for k := range s.sums {
			f[k] = math.Inf(1)
		}
	case len(s.classes) == 2:
		linalg.Scale(f, float64(1-2*own))
		linalg.Logistic(s.prob, f, f)
	default:
		s.losses(f, own)
	}
	linalg.Axpy(s.sums, 2*s.w[at], f[:len(s.sums)])
}

// addOffsets adds those of a row to the scores of each model.
func (s *heldRows) addOffsets(f []float64, row int) {
	if s.o.Offset == nil {
		return
	}
	k := len(f) / len(s.sums)
	for at := 0; at < len(f); at += k {
		linalg.Axpy(f[at:at+k], 1, s.o.Offset[row*k:(row+1)*k])
	}
}

// losses overwrites the scores of the models with their losses −log p by the row's own class.
func (s *heldRows) losses(f []float64, own int) {
	k := len(s.classes)
	for m := range s.sums {
		scores := f[m*k : (m+1)*k]
		f[m] = linalg.LogSumExp(scores) - scores[own]
	}
}
