package regression_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// On paper: points −2, −1, 1, 2 with the larger two positive: Σxy = 6, Σx² = 10,
// f = 0.6x. A positive point moved out to 12 pulls the line down: x̄ = 2.5,
// Sxx = 125, Sxy = 16, so slope 0.128 and intercept −0.32, and the point at 1 is
// lost.
func TestLeastSquaresClassifierOnPaper(t *testing.T) {
	x := lt.Rows(t, []float64{-2}, []float64{-1}, []float64{1}, []float64{2})
	y := []int{0, 0, 7, 7}
	m, err := regression.FitLeastSquares(x, y, nil)
	if err != nil || m.Report().Status() != optimize.Direct {
		t.Fatal(m, err)
	}
	lt.CloseSlice(t, "plane", []float64{m.Plane().Normal()[0], m.Plane().Intercept()}, []float64{.6, 0}, 1e-15)
	if m.Predict([]float64{.1}) != 7 || m.Predict([]float64{-.1}) != 0 {
		t.Error("labels")
	}
	x.Set(3, 0, 12)
	if m, err = regression.FitLeastSquares(x, y, nil); err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "with an outlier", []float64{m.Plane().Normal()[0], m.Plane().Intercept()}, []float64{.128, -.32}, 1e-14)
	if m.Predict([]float64{1}) != 0 {
		t.Error("the outlier turns nothing")
	}
}

// ESL exercise 4.2: the direction is Σ̂⁻¹(μ̂₊−μ̂₋), and for classes of one size the
// boundary halves the way between the means.
func TestLeastSquaresClassifierIsLDA(t *testing.T) {
	for _, n := range [][2]int{{30, 30}, {10, 50}} {
		total := n[0] + n[1]
		x := lt.Normal(5, total, 3)
		y := make([]int, total)
		mean := [2][]float64{make([]float64, 3), make([]float64, 3)}
		for i := range y {
			row := x.Row(i)
			row[1] += .5 * row[0]
			if i >= n[0] {
				y[i] = 1
				linalg.Axpy(row, 1, []float64{1, 0, -2})
			}
			linalg.Axpy(mean[y[i]], 1/float64(n[y[i]]), row)
		}
		within := linalg.Zeros(3, 3)
		for k, lo := range []int{0, n[0]} {
			linalg.Syrk(within, x.RowRange(lo, lo+n[k]), mean[k], nil)
		}
		linalg.Symmetrize(within)
		chol, err := linalg.NewCholesky(within)
		if err != nil {
			t.Fatal(err)
		}
		d := make([]float64, 3)
		for j := range d {
			d[j] = mean[1][j] - mean[0][j]
		}
		chol.Solve(d)
		m, err := regression.FitLeastSquares(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		b := m.Plane().Normal()
		linalg.Scale(b, 1/linalg.Norm(b))
		linalg.Scale(d, 1/linalg.Norm(d))
		lt.CloseSlice(t, "direction", b, d, 1e-13)
		middle := []float64{0, 0, 0}
		linalg.Axpy(middle, .5, mean[0])
		linalg.Axpy(middle, .5, mean[1])
		if f := m.Plane().Value(middle); n[0] == n[1] != (f < 1e-13 && f > -1e-13) {
			t.Errorf("%v rows a class: f = %g between the means", n, f)
		}
	}
}

func TestLeastSquaresClassifierRecordAndRefusals(t *testing.T) {
	x := lt.Rows(t, []float64{1, 2}, []float64{2, 4}, []float64{3, 6})
	var class *linalg.ClassError
	var rank *linalg.RankError
	if m, err := regression.FitLeastSquares(x, []int{0, 1, 2}, nil); m != nil || !errors.As(err, &class) {
		t.Error(m, err)
	}
	if m, err := regression.FitLeastSquares(x, []int{0, 1, 1}, nil); m != nil || !errors.As(err, &rank) {
		t.Error(m, err)
	}
	m, err := regression.FitLeastSquares(x, []int{0, 1, 1}, &regression.LeastSquaresOptions{MinNorm: true, Weights: []float64{1, 2, 0}})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := regression.FitLeastSquares(x.RowRange(0, 2), []int{0, 1}, &regression.LeastSquaresOptions{MinNorm: true, Weights: []float64{1, 2}})
	if err != nil || !m.Plane().Equal(alone.Plane(), 1e-12) {
		t.Errorf("a row of weight 0 counts, or %v", err)
	}
	even, err := regression.FitLeastSquares(x, []int{0, 1, 1}, &regression.LeastSquaresOptions{MinNorm: true})
	if err != nil || m.Plane().Equal(even.Plane(), 1e-3) {
		t.Errorf("weights do not count, or %v", err)
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back regression.LeastSquares
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(*m, back) {
		t.Errorf("%+v became %+v, %v", *m, back, err)
	}
	if err := new(hyperplane.Perceptron).UnmarshalJSON(b); err == nil {
		t.Error("a perceptron read from a least squares model")
	}
}

func ExampleFitLeastSquares() {
	x, _ := linalg.FromRows([][]float64{{-2}, {-1}, {1}, {12}})
	m, err := regression.FitLeastSquares(x, []int{0, 0, 1, 1}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Predict([]float64{1}), "though the row at 1 is of class 1: the one at 12 pulls")
	// Output: 0 though the row at 1 is of class 1: the one at 12 pulls
}
