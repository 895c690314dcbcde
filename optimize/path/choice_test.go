package path_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/optimize"
	"halfspace/optimize/path"
)

func TestCVByHand(t *testing.T) {
	c := path.NewCV([][]float64{{1, 2}, {4}, {1, 5}}, []float64{1, 2, 1})
	linalgtest.Close(t, "mean", c.Mean[0], 2.5, 0)
	linalgtest.Close(t, "se", c.SE[0], math.Sqrt((1*1.5*1.5+2*1.5*1.5+1*1.5*1.5)/4/2), 1e-15)
	if !math.IsNaN(c.Mean[1]) || !math.IsNaN(c.SE[1]) || c.Best() != 0 || c.OneSE() != 0 {
		t.Errorf("a point without a fit in one fold: %v", c)
	}
}

func TestOneSEIsTheSimplestWithinOneStandardError(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		mean, complexity []float64
		best, one        int
	}{
		{[]float64{5, 3.4, 3.2, 3, 3.1}, nil, 3, 1},
		{[]float64{5, 3.4, 3.2, 3, 3.1}, []float64{5, 4, 3, 2, 1}, 3, 4},
		{[]float64{3, 3, 3}, []float64{2, 1, 3}, 1, 1},
		{[]float64{3, 3.2, 3.1}, []float64{2, 1, 1}, 0, 2},
		{[]float64{3, 3.2}, []float64{2, nan}, 0, 0},
		{[]float64{.5 * 9, .31 * 9, .30 * 9, .25 * 9, .40 * 9}, []float64{0, 2, 2, 3, 0}, 3, 2},
		{[]float64{nan, math.Inf(1), 2}, nil, 2, 2},
		{[]float64{nan, 3, nan}, nil, 1, 1},
		{[]float64{nan, nan}, nil, -1, -1},
		{nil, nil, -1, -1},
	} {
		cv := path.CV{Mean: c.mean, Complexity: c.complexity, SE: make([]float64, len(c.mean))}
		for g := range cv.SE {
			cv.SE[g] = 0.45
		}
		if cv.Best() != c.best || cv.OneSE() != c.one {
			t.Errorf("%v, complexity %v: best %d and %d, want %d and %d", c.mean, c.complexity, cv.Best(), cv.OneSE(), c.best, c.one)
		}
	}
}

// mean is a model: the mean of some rows, shrunk.
type mean struct{ At float64 }

// shrink fits means of y at each penalty.
func shrink(y []float64, stopAt int) func(w, grid []float64) (*path.Path[mean], error) {
	calls := 0
	return func(w, grid []float64) (*path.Path[mean], error) {
		if grid == nil {
			grid = []float64{100, 10, 1}
		}
		sum, n := 0.0, 0.0
		for i, v := range y {
			one := 1.0
			if w != nil {
				one = w[i]
			}
			sum, n = sum+one*v, n+one
		}
		p := &path.Path[mean]{Parameter: "lambda"}
		for _, l := range grid {
			if calls++; calls == stopAt {
				return p, fmt.Errorf("%w: one of them", optimize.ErrNotConverged)
			}
			p.Points = append(p.Points, path.Point[mean]{Penalty: l, Model: mean{sum / (n + l)}})
		}
		return p, nil
	}
}

func squares(y []float64) func(p *path.Path[mean], w []float64) ([]float64, error) {
	return func(p *path.Path[mean], w []float64) ([]float64, error) {
		sum := make([]float64, len(p.Points))
		for k, m := range p.Models() {
			for i, v := range y {
				sum[k] += w[i] * (v - m.At) * (v - m.At)
			}
		}
		return sum, nil
	}
}

func TestCrossValidateFitsOutsideEachFold(t *testing.T) {
	y := []float64{4, 5, 6, 7}
	f, err := path.NewFolds(4, []int{8, 8, 3, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := path.CrossValidate(f, shrink(y, -1), squares(y))
	if err != nil {
		t.Fatal(err)
	}
	a, b := 13.0/3, 9.0/3 // at a penalty of 1 without fold 8 and without fold 3
	want := ((4-a)*(4-a) + (5-a)*(5-a) + (6-b)*(6-b) + (7-b)*(7-b)) / 4
	linalgtest.Close(t, "mean", c.CV.Mean[2], want, 1e-14)
	if best := c.Best(); best.Penalty != 1 || best.Model.At != 22.0/5 {
		t.Errorf("best %+v", best)
	}
	if s := c.String(); !strings.Contains(s, "best") || !strings.Contains(s, "lambda") {
		t.Error(s)
	}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back path.Choice[mean]
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(*c, back) {
		t.Errorf("%s became %+v, %v", data, back, err)
	}
}

// A fit that does not converge leaves its point without a loss, and is told of.
func TestCrossValidateTellsOfFitsThatDidNotConverge(t *testing.T) {
	y := []float64{4, 5, 6, 7}
	f, err := path.NewFolds(4, []int{0, 0, 1, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := path.CrossValidate(f, shrink(y, 9), squares(y)) // the last fit of the last fold
	if !errors.Is(err, optimize.ErrNotConverged) || !strings.Contains(err.Error(), "without fold 1") || c == nil {
		t.Fatal(c, err)
	}
	if len(c.CV.Mean) != 3 || !math.IsNaN(c.CV.Mean[2]) || c.Best().Penalty != 10 {
		t.Errorf("%v", c.CV)
	}
}

// A path whose first fit does not converge has no points, and neither a best one.
func TestCrossValidateOfAPathWithoutPoints(t *testing.T) {
	y := []float64{4, 5, 6, 7}
	f, err := path.NewFolds(4, []int{0, 0, 1, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := path.CrossValidate(f, shrink(y, 1), squares(y))
	if !errors.Is(err, optimize.ErrNotConverged) || c == nil || c.Best() != nil || c.OneSE() != nil {
		t.Fatal(c, err)
	}
	data, err := json.Marshal(c)
	if err != nil || json.Unmarshal(data, c) != nil || !strings.Contains(c.String(), "no fit") {
		t.Errorf("%s: %v, %v", data, c, err)
	}
}

func TestFoldsAreChecked(t *testing.T) {
	var shape *linalg.ShapeError
	for name, c := range map[string]struct{ folds, weights []float64 }{
		"short": {[]float64{0, 1}, nil}, "one": {[]float64{1, 1, 1}, nil}, "one of weight": {[]float64{1, 1, 2}, []float64{1, 1, 0}},
		"weights": {[]float64{0, 1, 1}, []float64{1}},
	} {
		folds := make([]int, len(c.folds))
		for i, v := range c.folds {
			folds[i] = int(v)
		}
		if _, err := path.NewFolds(3, folds, c.weights); !errors.As(err, &shape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The two choices are positions in lists; a file whose lists do not fit has none.
func TestChoiceOfAnotherPathIsDamaged(t *testing.T) {
	for _, text := range []string{
		`{"path":null,"cv":{"mean":[1],"se":[1],"complexity":null}}`,
		`{"path":{"parameter":"lambda","points":[]},"cv":{"mean":[1,2],"se":[1,1],"complexity":null}}`,
		`{"path":null,"cv":{"mean":[],"se":[1],"complexity":null}}`,
		`{"path":null,"cv":{"mean":[],"se":[],"complexity":[1]}}`,
	} {
		var c path.Choice[float64]
		var damaged *record.DamageError
		if err := json.Unmarshal([]byte(text), &c); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", text, err)
		}
	}
	var c path.Choice[float64]
	if data, err := json.Marshal(c); err != nil || json.Unmarshal(data, &c) != nil {
		t.Errorf("the zero value does not come back: %s, %v", data, err)
	}
}
