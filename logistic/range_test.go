package logistic_test

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

// Offsets that scores cannot be told beside are refused by name, small ones count as 0.
func TestOffsetsOutOfRange(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, y := linalgtest.LabeledRows(30, 2, k)
		functions := k
		if k == 2 {
			functions = 1
		}
		offset := make([]float64, functions*len(y))
		offset[7*functions] = 1e-300
		if m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1, Offset: offset}); err != nil || !m.Report().Certificate().Holds() {
			t.Errorf("%d classes, an offset of 1e-300: %v", k, err)
		}
		for _, v := range []float64{1e136, -math.MaxFloat64} {
			offset[7*functions] = v
			for name, o := range map[string]*logistic.Options{"ridge": {Lambda: 1, Offset: offset}, "lasso": {Lambda: 1, L1Ratio: 1, Offset: offset}} {
				m, err := logistic.Fit(x, y, o)
				var e *linalg.RangeError
				if m != nil || !errors.As(err, &e) || e.What != "offset" || e.Row != 7 || e.Value != v {
					t.Errorf("%d classes, %s, an offset of %g: %v", k, name, v, err)
				}
			}
		}
	}
}

// A ridge in which coefficients vanish is refused; a lasso of any λ has its zeros.
func TestPenaltiesOutOfRange(t *testing.T) {
	x, y := lt.IrisPair(t)
	for name, o := range map[string]*logistic.Options{
		"ridge":       {Lambda: 1e300},
		"elastic net": {Lambda: 1e300, L1Ratio: 0.5},
		"factors":     {Lambda: 1e100, PenaltyFactor: []float64{1, 1e100, 1, 0}},
		"no product":  {Lambda: 1e300, L1Ratio: 1, PenaltyFactor: []float64{1, 1e300, 1, 1}},
	} {
		if m, err := logistic.Fit(x, y, o); m != nil || !lt.Is[*sample.OptionError](err) {
			t.Errorf("%s: %v", name, err)
		}
		path := &logistic.PathOptions{Options: *o, Lambdas: []float64{o.Lambda}}
		path.Lambda = 0
		if p, err := logistic.FitPath(x, y, path); p != nil || !lt.Is[*sample.OptionError](err) {
			t.Errorf("path, %s: %v", name, err)
		}
	}
	tiny := x.Clone()
	linalg.Scale(tiny.Data, 0x1p-440)
	if m, err := logistic.Fit(tiny, y, &logistic.Options{Lambda: 1e100}); m != nil || !lt.Is[*linalg.RangeError](err) {
		t.Errorf("a ridge that is infinite in the units of its columns: %v", err)
	}
	m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1e300, L1Ratio: 1})
	if err != nil {
		t.Fatal(err)
	}
	coef, intercept := m.Coef()
	linalgtest.CloseSlice(t, "coef", coef.Data, make([]float64, x.Cols), 0)
	linalgtest.CloseSlice(t, "intercept", intercept, []float64{0}, 1e-15)
}
