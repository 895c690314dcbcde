package logistic

import (
	"fmt"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// line returns a model on one feature, f(x) = x.
func line() *Model {
	return newModel([]int{0, 1}, &linalg.Dense{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1}}, []float64{0}, nil, likelihood, optimize.Report{})
}

func TestScoresByHand(t *testing.T) {
	m := line()
	l := math.Log(3) // probability 3/4
	x, _ := linalg.FromRows([][]float64{{l}, {-l}, {l}, {0}})
	y := []int{1, 0, 0, 1}
	loss, err := m.LogLoss(x, y)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "log-loss", loss, -(2*math.Log(0.75)+math.Log(0.25)+math.Log(0.5))/4, 1e-15)
	brier, err := m.Brier(x, y)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "Brier", brier, (2.0/16+9.0/16+4.0/16)/4, 1e-15)
	// Of the four pairs two are in order, one is tied and one is not.
	r, err := m.ROC(x, y)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "AUC", r.AUC, 0.625, 1e-15)
	linalgtest.CloseSlice(t, "TPR", r.TPR, []float64{0, 0.5, 1, 1}, 1e-15)
	linalgtest.CloseSlice(t, "FPR", r.FPR, []float64{0, 0.5, 0.5, 1}, 1e-15)
	bins, err := m.Calibration(x, y, 2)
	if err != nil || len(bins) != 2 {
		t.Fatal(bins, err)
	}
	linalgtest.Close(t, "observed", bins[1].Observed, 2.0/3, 1e-15)
	linalgtest.Close(t, "predicted", bins[1].Predicted, 2.0/3, 1e-15)
	if _, err := m.ROC(x, []int{0, 0, 0, 0}); !asError[*linalg.ClassError](err) {
		t.Errorf("one class: %v", err)
	}
	if _, err := m.LogLoss(x, y[1:]); !asError[*linalg.ShapeError](err) {
		t.Errorf("labels: %v", err)
	}
	if _, err := m.Calibration(x, y, 0); err == nil {
		t.Error("no bins")
	}
	if _, err := m.Calibration(x, y, math.MaxInt); err == nil {
		t.Error("any number of bins")
	}
	nan, _ := linalg.FromRows([][]float64{{1}, {math.NaN()}, {0}, {2}})
	if _, err := m.Calibration(nan, y, 2); !asError[*linalg.NonFiniteError](err) {
		t.Errorf("calibration of a NaN: %v", err)
	}
	if _, err := m.ROC(nan, y); !asError[*linalg.NonFiniteError](err) {
		t.Errorf("ROC of a NaN: %v", err)
	}
	// Probabilities that round to 1 are ordered by their log-odds.
	sure, _ := linalg.FromRows([][]float64{{60}, {50}, {40}, {70}})
	if r, err := m.ROC(sure, []int{1, 0, 0, 1}); err != nil || r.AUC != 1 {
		t.Errorf("AUC %v, %v", r, err)
	}
	if n := testing.AllocsPerRun(10, func() { m.LogLoss(sure, y) }); n > 3 {
		t.Errorf("%v allocations for the log-loss of 4 rows", n)
	}
	if l, _ := m.LogLoss(x, []int{7, 0, 0, 0}); !math.IsInf(l, 1) {
		t.Errorf("log-loss of an unknown label: %g", l)
	}
	x3, y3 := mnData(t, "iris")
	three := mustFit(t, x3, y3, nil)
	loss, _ = three.LogLoss(x3, y3)
	linalgtest.Close(t, "log-loss of three", loss*float64(len(y3)), three.Report().Objective(), 1e-12)
	if _, err := three.ROC(x3, y3); !asError[*linalg.ShapeError](err) {
		t.Errorf("ROC of three classes: %v", err)
	}
}

func ExampleFit() {
	// Hours of study, and whether the exam was passed.
	x, _ := linalg.NewDense(8, 1, []float64{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4})
	y := []int{0, 0, 1, 0, 1, 0, 1, 1}
	m, err := Fit(x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	coef, intercept := m.Coef()
	fmt.Printf("log-odds = %.3f + %.3f·hours\n", intercept[0], coef.At(0, 0))
	fmt.Printf("after 3 hours: P(pass) = %.3f\n", m.Proba(nil, []float64{3})[1])
	fmt.Println(m.Report().Status())
	// Output:
	// log-odds = -2.673 + 1.188·hours
	// after 3 hours: P(pass) = 0.709
	// converged
}

func ExampleSeparationError() {
	x, _ := linalg.NewDense(4, 1, []float64{1, 2, 3, 4})
	_, err := Fit(x, []int{0, 0, 1, 1}, nil)
	fmt.Println(err)
	// Output:
	// logistic: the classes are completely separated (4 rows strictly) by columns 0: there is no maximum likelihood estimate, but one with a penalty or Firth's correction
}

func ExampleFitPath() {
	// Features come in one after the other as λ falls.
	x, _ := linalg.FromRows([][]float64{
		{1, 0, 1}, {2, 1, 0}, {3, 0, 0}, {4, 1, 1}, {5, 1, 0}, {6, 0, 1}, {7, 0, 0}, {8, 1, 1},
	})
	y := []int{0, 0, 1, 0, 1, 0, 1, 1}
	path, err := FitPath(x, y, &PathOptions{Options: Options{L1Ratio: 1, Standardize: true}, Count: 5, MinRatio: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range path.Points {
		fmt.Printf("λ = %.3f  features %d  deviance explained %.2f\n", p.Lambda, p.DF, p.DevRatio)
	}
	// Output:
	// λ = 2.182  features 0  deviance explained 0.00
	// λ = 1.227  features 2  deviance explained 0.32
	// λ = 0.690  features 2  deviance explained 0.51
	// λ = 0.388  features 2  deviance explained 0.64
	// λ = 0.218  features 3  deviance explained 0.74
}
