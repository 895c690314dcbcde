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
	r, err := CrossValidate([][]int{folds}, 1, nil, meanTrial(y, []float64{0, 1}))
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

func sq(v float64) float64 { return v * v }

func TestCrossValidateIsTheSameOnAnyWorkers(t *testing.T) {
	y := linalgtest.Normal(1, 200, 1).Data
	folds, err := RepeatedFolds(make([]int, 200), 10, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	calls, last := 0, 0
	progress := func(done, of int) {
		calls, last = calls+1, done
		if of != 30 {
			t.Errorf("%d trials", of)
		}
	}
	trial := meanTrial(y, []float64{0, .5, 1})
	one, err := CrossValidate(folds, 1, progress, trial)
	if err != nil {
		t.Fatal(err)
	}
	if calls != 30 || last != 30 {
		t.Errorf("progress was heard %d times, last %d", calls, last)
	}
	for _, workers := range []int{0, 2, 7} {
		more, err := CrossValidate(folds, workers, nil, trial)
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
		c, err := CrossValidate(folds[r:r+1], 1, nil, trial)
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
		if _, err := CrossValidate(folds, 0, nil, ok); !errors.As(err, &shape) || !strings.HasPrefix(err.Error(), "validate: ") {
			t.Errorf("folds %v: %v", folds, err)
		}
	}
	bad := errors.New("bad fit")
	_, err := CrossValidate([][]int{{0, 1, 2}}, 0, nil, func(train, test []int) ([]float64, error) {
		if test[0] > 0 {
			return nil, fmt.Errorf("%w on %v", bad, train)
		}
		return []float64{1}, nil
	})
	if !errors.Is(err, bad) || err.Error() != "validate: fold 2: bad fit on [0 2]" {
		t.Error(err)
	}
	_, err = CrossValidate([][]int{{0, 1}}, 0, nil, func(train, test []int) ([]float64, error) { return make([]float64, 1+test[0]), nil })
	if !errors.As(err, &shape) {
		t.Errorf("grids of different lengths: %v", err)
	}
}

func TestChoice(t *testing.T) {
	c := &CV{Mean: []float64{.5, .31, .30, .25, .40}, SE: []float64{.1, .1, .1, .06, .1}}
	if c.Best() != 3 || c.OneSE(nil) != 1 {
		t.Errorf("best %d, one standard error %d; want 3, 1", c.Best(), c.OneSE(nil))
	}
	if s := c.Slice(2, 5); s.Best() != 1 || s.OneSE(nil) != 0 {
		t.Errorf("slice: best %d, one standard error %d", s.Best(), s.OneSE(nil))
	}
	nan := math.NaN()
	for what, k := range map[string]struct {
		complexity []float64
		want       int
	}{
		"from complex to simple":         {[]float64{5, 4, 3, 2, 1}, 3},
		"the best is the simplest":       {[]float64{1, 1, 1, 0, 0}, 3},
		"one that is not as good":        {[]float64{0, 2, 1, 3, 0}, 2},
		"equally simple, the best of it": {[]float64{0, 2, 2, 3, 0}, 2},
		"all equally simple":             {make([]float64, 5), 3},
		"not known but of one":           {[]float64{nan, 7, nan, nan, nan}, 1},
		"not known":                      {[]float64{nan, nan, nan, nan, nan}, 3},
	} {
		if got := c.OneSE(k.complexity); got != k.want {
			t.Errorf("%s: %d, want %d", what, got, k.want)
		}
	}
	c = &CV{Mean: []float64{nan, math.Inf(1), 2}, SE: []float64{nan, nan, nan}}
	if c.Best() != 2 || c.OneSE(nil) != 2 {
		t.Errorf("with points that cannot be fitted: %d, %d", c.Best(), c.OneSE(nil))
	}
	if c = c.Slice(0, 1); c.Best() != -1 || c.OneSE(nil) != -1 {
		t.Error("nothing to choose from")
	}
}
