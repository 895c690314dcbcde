package validate_test

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim/validate"
)

func TestROCByHand(t *testing.T) {
	x, y := byHand()
	// Of the four pairs two are in order, one is tied and one is not.
	r, err := validate.ROC(line{}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "AUC", r.AUC, 0.625, 1e-15)
	linalgtest.CloseSlice(t, "TPR", r.TPR, []float64{0, 0.5, 1, 1}, 1e-15)
	linalgtest.CloseSlice(t, "FPR", r.FPR, []float64{0, 0.5, 0.5, 1}, 1e-15)
	l := math.Log(3)
	linalgtest.CloseSlice(t, "thresholds", r.Threshold[1:], []float64{l, 0, -l}, 1e-15)
	if !math.IsInf(r.Threshold[0], 1) {
		t.Errorf("first threshold %v", r.Threshold[0])
	}
	if _, err := validate.ROC(line{}, x, []int{0, 0, 0, 0}); !as[*linalg.ClassError](err) {
		t.Errorf("one class: %v", err)
	}
	if _, err := validate.ROC(line{}, column(1, math.NaN(), 0, 2), y); !as[*linalg.NonFiniteError](err) {
		t.Errorf("ROC of a NaN: %v", err)
	}
	if _, err := validate.ROC(lost{}, x, y); !as[*linalg.NonFiniteError](err) {
		t.Errorf("ROC of scores that are NaN: %v", err)
	}
	if _, err := validate.ROC(three{}, x, y); !as[*linalg.ShapeError](err) {
		t.Errorf("ROC of three classes: %v", err)
	}
	// Probabilities that round to 1 are ordered by their log-odds.
	if r, err := validate.ROC(line{}, column(60, 50, 40, 70), []int{1, 0, 0, 1}); err != nil || r.AUC != 1 {
		t.Errorf("AUC %v, %v", r, err)
	}
}

// lost has scores and probabilities that are NaN.
type lost struct{ line }

func (lost) Scores(dst, row []float64) []float64 { return append(dst, 0, math.NaN()) }
func (lost) Proba(dst, row []float64) []float64  { return append(dst, math.NaN(), math.NaN()) }

// three has three classes.
type three struct{ line }

func (three) Classes() []int { return []int{0, 1, 2} }

// TestROCEndsAtOne: the rates are quotients of counts, also where 1/n rounds.
func TestROCEndsAtOne(t *testing.T) {
	x, y := linalg.Zeros(98, 1), make([]int, 98)
	for i := range y {
		x.Data[i], y[i] = float64(i*i%17), i/49
	}
	r, err := validate.ROC(line{}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	if last := len(r.TPR) - 1; r.TPR[last] != 1 || r.FPR[last] != 1 {
		t.Errorf("the curve ends at %v, %v", r.FPR[last], r.TPR[last])
	}
}

func TestCalibrationByHand(t *testing.T) {
	x, y := byHand()
	bins, err := validate.Calibration(line{}, x, y, 2)
	if err != nil || len(bins) != 2 {
		t.Fatal(bins, err)
	}
	linalgtest.Close(t, "observed", bins[1].Observed, 2.0/3, 1e-15)
	linalgtest.Close(t, "predicted", bins[1].Predicted, 2.0/3, 1e-15)
	for k, b := range bins {
		if b.Lo != float64(k)/2 || b.Hi != float64(k+1)/2 {
			t.Errorf("bin %d from %g to %g", k, b.Lo, b.Hi)
		}
		variance := 0.0 // of the number of larger labels, if the predictions are right
		for i := range y {
			if v := linalg.Sigmoid(x.At(i, 0)); min(int(2*v), 1) == k {
				variance += v - v*v
			}
		}
		linalgtest.Close(t, "standard error", b.SE, math.Sqrt(variance)/float64(b.Rows), 1e-14)
	}
	for _, n := range []int{0, math.MaxInt} {
		if _, err := validate.Calibration(line{}, x, y, n); err == nil {
			t.Errorf("%d bins", n)
		}
	}
	if _, err := validate.Calibration(line{}, column(1, math.NaN(), 0, 2), y, 2); !as[*linalg.NonFiniteError](err) {
		t.Errorf("calibration of a NaN: %v", err)
	}
	if _, err := validate.Calibration(lost{}, x, y, 2); !as[*linalg.NonFiniteError](err) {
		t.Errorf("calibration of probabilities that are NaN: %v", err)
	}
}
