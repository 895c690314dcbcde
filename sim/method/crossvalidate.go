package method

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/validate"
)

// Setting is a value for an option, as its flag takes it.
type Setting struct{ Name, Value string }

// Grid returns all combinations of the values of several options, the last
// varying fastest. Each axis is "name=v1,v2,…". No axes make one empty point.
func Grid(axes ...string) ([][]Setting, error) {
	points := [][]Setting{nil}
	for _, axis := range axes {
		name, values, ok := strings.Cut(axis, "=")
		if !ok || name == "" || values == "" {
			return nil, fmt.Errorf("grid %q is not name=value,value,…", axis)
		}
		var next [][]Setting
		for _, p := range points {
			for _, v := range strings.Split(values, ",") {
				next = append(next, append(p[:len(p):len(p)], Setting{name, v}))
			}
		}
		points = next
	}
	return points, nil
}

// Folds deals the rows of d to k folds, repeats times: by class where there are
// classes.
func Folds(d *dataset.Data, k, repeats int, seed uint64) ([][]int, error) {
	y := d.Labels
	if y == nil {
		y = make([]int, d.X.Rows)
	}
	return validate.RepeatedFolds(y, k, repeats, seed)
}

// CV is a cross-validated grid. Loss is the error rate of a classifier and the
// mean squared error of a regression.
type CV struct {
	Points [][]Setting
	Loss   *validate.CV
	// LogLoss is NaN for methods without probabilities.
	LogLoss *validate.CV
	// Failed is an error of a fold at a point, whose loss is then +Inf; nil if all were fitted.
	Failed []error
}

// CrossValidate fits the method on the complement of each fold, at each point of
// the grid, with the other options as o has them, and measures the loss on the
// fold; see [validate.CrossValidate] for folds, workers and progress. A fit that did
// not converge counts with the model it reached.
//
// Errors: no points; folds that are not one a row, or fewer than two; an option that
// the method does not take or a value it cannot read; and the fit's error if no
// point of the grid can be fitted.
func (m *Method) CrossValidate(d *dataset.Data, o *Options, points [][]Setting, folds [][]int, workers int, progress func(done, of int)) (*CV, error) {
	if err := m.suits(d); err != nil {
		return nil, err
	}
	if len(points) == 0 {
		return nil, errors.New("a grid with no point")
	}
	for _, fold := range folds {
		if len(fold) != d.X.Rows {
			return nil, &linalg.ShapeError{Want: d.X.Rows, WantOf: "rows", Got: len(fold), GotOf: "folds of rows"}
		}
	}
	settings := make([]Options, len(points))
	for g, p := range points {
		settings[g] = *o
		for _, s := range p {
			if !m.Takes(s.Name) {
				return nil, fmt.Errorf("%s takes no option %q", m.Name, s.Name)
			}
			if err := settings[g].Set(s.Name, s.Value); err != nil {
				return nil, err
			}
		}
		settings[g].Workers = 1 // the folds are the parallel work
	}
	cv := &CV{Points: points, Failed: make([]error, len(points))}
	var mu sync.Mutex
	r, err := validate.CrossValidate(folds, workers, progress, func(train, test []int) ([]float64, error) {
		a, b := subset(d, train), subset(d, test)
		loss := make([]float64, 2*len(points))
		for g := range settings {
			var err error
			loss[g], loss[len(points)+g], err = m.trial(a, b, &settings[g])
			if err != nil {
				mu.Lock()
				// Of several the least text, whichever fold came first.
				if was := cv.Failed[g]; was == nil || err.Error() < was.Error() {
					cv.Failed[g] = err
				}
				mu.Unlock()
			}
		}
		return loss, nil
	})
	if err != nil {
		return nil, err
	}
	if !slices.Contains(cv.Failed, nil) {
		return nil, cv.Failed[0]
	}
	cv.Loss, cv.LogLoss = r.Slice(0, len(points)), r.Slice(len(points), 2*len(points))
	return cv, nil
}

// trial returns the losses on b of a fit to a.
func (m *Method) trial(a, b *dataset.Data, o *Options) (loss, logLoss float64, err error) {
	model, err := m.Fit(a, o)
	if model == nil || err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		return math.Inf(1), math.Inf(1), err
	}
	c, r, x := model.For(b)
	if r != nil {
		v, err := r.PredictRows(nil, x)
		if err != nil {
			return math.Inf(1), math.Inf(1), err
		}
		return validate.MSE(v, b.Y), math.NaN(), nil
	}
	e, err := validate.Evaluate(c, x, b.Labels)
	if err != nil {
		return math.Inf(1), math.Inf(1), err
	}
	return e.Error, e.LogLoss, nil
}

// subset returns a copy of the given rows of d. The classes stay those of d.
func subset(d *dataset.Data, rows []int) *dataset.Data {
	s := *d
	s.X = validate.TakeRows(d.X, rows)
	s.Labels, s.Y = validate.Take(d.Labels, rows), validate.Take(d.Y, rows)
	s.Weights, s.Offset = validate.Take(d.Weights, rows), validate.Take(d.Offset, rows)
	return &s
}
