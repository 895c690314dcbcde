package validate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// meanTrial predicts y by shrink·(mean of the training rows) for each shrink.
func meanTrial(y []float64, grid []float64) Trial {
	return func(train, test []int) ([]float64, error) {
		mean := 0.0
		for _, i := range train {
			mean += y[i] / float64(len(train))
		}
		loss := make([]float64, len(grid))
		for g, shrink := range grid {
			for _, i := range test {
				loss[g] += (y[i] - shrink*mean) * (y[i] - shrink*mean) / float64(len(test))
			}
		}
		return loss, nil
	}
}

func TestCrossValidate(t *testing.T) {
	y := []float64{1, 2, 4, 8, 16}
	folds := []int{0, 0, 1, 2, 2}
	r, err := CrossValidate(meanTrial(y, []float64{0, 1}), nil, folds)
	if err != nil {
		t.Fatal(err)
	}
	// By hand: without the mean the folds lose (1+4)/2, 16, (64+256)/2.
	m := []float64{2.5, 16, 160}
	mean := (2*m[0] + m[1] + 2*m[2]) / 5
	se := math.Sqrt((2*sq(m[0]-mean) + sq(m[1]-mean) + 2*sq(m[2]-mean)) / 5 / 2)
	linalgtest.Close(t, "mean", r.Mean[0], mean, 1e-14)
	linalgtest.Close(t, "standard error", r.SE[0], se, 1e-14)
	// With it, the training means are 28/3, 27/4 and 7/3.
	m = []float64{(sq(1-28./3) + sq(2-28./3)) / 2, sq(4 - 27./4), (sq(8-7./3) + sq(16-7./3)) / 2}
	linalgtest.Close(t, "mean", r.Mean[1], (2*m[0]+m[1]+2*m[2])/5, 1e-14)
}

// A fold's number is a name: numbers between that no row has cost nothing.
func TestFoldsAreNames(t *testing.T) {
	y := []float64{1, 2, 4, 8, 16}
	want, err := CrossValidate(meanTrial(y, []float64{0, 1}), nil, []int{0, 0, 1, 2, 2})
	if err != nil {
		t.Fatal(err)
	}
	r, err := CrossValidate(meanTrial(y, []float64{0, 1}), nil, []int{3, 3, 1 << 20, math.MaxInt, math.MaxInt})
	if err != nil || !slices.Equal(r.Mean, want.Mean) || !slices.Equal(r.SE, want.SE) {
		t.Errorf("%v, %v; want %v", r, err, want)
	}
}

func sq(v float64) float64 { return v * v }

func TestCrossValidateIsTheSameOnAnyWorkers(t *testing.T) {
	y := linalgtest.Normal(1, 200, 1).Data
	folds, err := RepeatedFolds(make([]int, 200), 10, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	calls, last := 0, 0
	progress := func(s optimize.Step) error {
		calls, last = calls+1, s.Iteration
		return nil
	}
	trial := meanTrial(y, []float64{0, .5, 1})
	one, err := CrossValidate(trial, &Options{Workers: 1, Trace: progress}, folds...)
	if err != nil {
		t.Fatal(err)
	}
	if calls != 30 || last != 30 {
		t.Errorf("progress was heard %d times, last %d", calls, last)
	}
	for _, workers := range []int{0, 2, 7} {
		more, err := CrossValidate(trial, &Options{Workers: workers}, folds...)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(one.Mean, more.Mean) || !slices.Equal(one.SE, more.SE) {
			t.Errorf("%d workers: %v, one: %v", workers, more, one)
		}
	}
	// The average over repeats, the error of one.
	var mean, v float64
	for r := range 3 {
		c, err := CrossValidate(trial, nil, folds[r])
		if err != nil {
			t.Fatal(err)
		}
		mean += c.Mean[1] / 3
		v += c.SE[1] * c.SE[1] / 3
	}
	linalgtest.Close(t, "mean of repeats", one.Mean[1], mean, 1e-14)
	linalgtest.Close(t, "error of repeats", one.SE[1], math.Sqrt(v), 1e-14)
}

func TestCrossValidateErrors(t *testing.T) {
	ok := func(train, test []int) ([]float64, error) { return []float64{1}, nil }
	var shape *linalg.ShapeError
	for _, folds := range [][][]int{nil, {{}}, {{0, 0, 0}}, {{1, 1, 1}}, {{0, 1, -1}}, {{0, 1, 1}, {0, 1}}} {
		if _, err := CrossValidate(ok, nil, folds...); !errors.As(err, &shape) || !strings.HasPrefix(err.Error(), "validate: ") {
			t.Errorf("folds %v: %v", folds, err)
		}
	}
	for _, w := range [][]float64{{1, 2}, {1, -1, 1}, {0, 0, 0}, {1, 0, 0}} {
		if cv, err := CrossValidate(ok, &Options{Weights: w}, []int{0, 1, 1}); err == nil {
			t.Errorf("weights %v: %v", w, cv)
		}
	}
	cv, err := CrossValidate(func(_, test []int) ([]float64, error) { return []float64{float64(test[0])}, nil }, &Options{Weights: []float64{3, 1, 0}}, []int{0, 1, 2})
	if err != nil || cv.Mean[0] != 0.25 {
		t.Errorf("a fold without weight: %v, %v", cv, err)
	}
	bad := errors.New("bad fit")
	_, err = CrossValidate(func(train, test []int) ([]float64, error) {
		if test[0] > 0 {
			return nil, fmt.Errorf("%w on %v", bad, train)
		}
		return []float64{1}, nil
	}, nil, []int{0, 1, 2})
	if !errors.Is(err, bad) || err.Error() != "validate: fold 2: bad fit on [0 2]" {
		t.Error(err)
	}
	_, err = CrossValidate(func(train, test []int) ([]float64, error) { return make([]float64, 1+test[0]), nil }, nil, []int{0, 1})
	if !errors.As(err, &shape) {
		t.Errorf("grids of different lengths: %v", err)
	}
}

// An error of the trace stops the trials that have not begun.
func TestCrossValidateStops(t *testing.T) {
	enough, trials := errors.New("enough"), 0
	trial := func(train, test []int) ([]float64, error) { trials++; return []float64{1}, nil }
	stop := func(s optimize.Step) error {
		if s.Iteration == 3 {
			return enough
		}
		return nil
	}
	cv, err := CrossValidate(trial, &Options{Workers: 1, Trace: stop}, []int{0, 1, 2, 3, 4})
	if cv != nil || !errors.Is(err, enough) || trials != 3 || !strings.Contains(err.Error(), "stopped after 3 of 5 fits") {
		t.Errorf("%d trials, %v", trials, err)
	}
}
