package validate_test

import (
	"errors"
	"math"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim"
	"halfspace/sim/validate"
)

// liar is a classifier whose probability of the larger class is any number.
type liar struct {
	sim.Classifier
	p float64
}

func (l liar) Proba(dst, _ []float64) []float64 { return append(dst, 1-l.p, l.p) }

// A probability below 0 or above 1 is an error with its row, one that rounding took there is
// counted with the first or the last bin.
func TestProbabilitiesOutsideTheUnitInterval(t *testing.T) {
	x, y := linalgtest.LabeledRows(40, 2, 2)
	m, err := hyperplane.FitSVC(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []float64{-0.2, 1.5, math.Inf(-1), math.Inf(1)} {
		var bad *validate.ProbabilityError
		if bins, err := validate.Calibration(liar{m, p}, x, y, 10); bins != nil || !errors.As(err, &bad) || bad.Row != 0 || bad.Value != p {
			t.Errorf("%g: %v, %v", p, bins, err)
		}
	}
	for _, p := range []float64{-1e-17, 1 + 0x1p-52} {
		bins, err := validate.Calibration(liar{m, p}, x, y, 10)
		if err != nil || len(bins) != 1 || bins[0].Rows != 40 || bins[0].SE != 0 {
			t.Errorf("%g: %v, %v", p, bins, err)
		}
	}
}

// The smaller probability of a calibrated classifier has all its digits.
func TestSmallCalibratedProbabilitiesKeepTheirDigits(t *testing.T) {
	x := linalg.Zeros(1, 1)
	z, y := linalgtest.LabeledRows(40, 1, 2)
	m, err := hyperplane.FitSVC(z, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &validate.Calibrated[*hyperplane.SVC]{Model: m, Maps: []validate.Map{{A: 1, B: 50}}}
	s := m.Scores(nil, x.Row(0))
	p := c.Proba(nil, x.Row(0))
	linalgtest.Close(t, "1 − p at p = 1 − 1e-22", p[0], linalg.Sigmoid(-50-(s[1]-s[0])), 1e-35)
	if !(p[0] > 0 && p[0] < 1e-15) {
		t.Errorf("probabilities %v", p)
	}
}
