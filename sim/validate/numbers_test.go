package validate_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/sim/validate"
)

// onLine returns the classifier of one feature x whose f(x) = x, and a column of such rows.
func onLine(t *testing.T, f ...float64) (*hyperplane.TwoClasses, *linalg.Dense) {
	t.Helper()
	plane, err := hyperplane.NewPlane([]float64{1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := hyperplane.NewTwoClasses([]int{0, 1}, plane, optimize.Report{})
	if err != nil {
		t.Fatal(err)
	}
	return &m, &linalg.Dense{Rows: len(f), Cols: 1, Stride: 1, Data: f}
}

func TestMeanAndStandardError(t *testing.T) {
	mean, se := validate.MeanSE([]float64{1, 2, 6})
	linalgtest.Close(t, "mean", mean, 3, 1e-15)
	linalgtest.Close(t, "standard error", se, math.Sqrt(7./3), 1e-15) // s² = (4+1+9)/2 = 7
	if _, se := validate.MeanSE([]float64{4}); se == se {
		t.Errorf("one value has the standard error %g", se)
	}
}

// Where all scores are one, a sigmoid has no slope, and the log-odds of Platt's mean target.
func TestSigmoidOfEqualScores(t *testing.T) {
	m, x := onLine(t, 2, 2, 2, 2, 2)
	c, err := validate.Calibrate(m, x, []int{0, 1, 1, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	want := (3*4./5 + 2*1./4) / 5 // targets (3+1)/(3+2) and 1/(2+2)
	if p := c.Proba(nil, []float64{-7}); len(c.Maps) != 1 || c.Maps[0].A != 0 {
		t.Errorf("maps %v", c.Maps)
	} else {
		linalgtest.Close(t, "probability", p[1], want, 1e-15)
	}
	if !strings.HasPrefix(c.String(), "calibrated by 1 sigmoids, of\n") {
		t.Error(c)
	}
}

// An isotonic map has the means of adjacent violators, one knot where a block is one score, two
// where it is several; between knots it is linear.
func TestIsotonicMapByHand(t *testing.T) {
	m, x := onLine(t, 1, 2, 3, 4, 5, 5)
	c, err := validate.CalibrateIsotonic(m, x, []int{0, 1, 0, 1, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	// Rows 2 and 3 are pooled at 1/2; row 4 at 1 and the tie at 1/2 are pooled at 2/3.
	if at := c.Maps[0]; !slices.Equal(at.At, []float64{1, 2, 3, 4, 5}) || !slices.Equal(at.P, []float64{0, .5, .5, 2. / 3, 2. / 3}) {
		t.Errorf("%v", at)
	}
	for f, want := range map[float64]float64{0: 0, 1: 0, 1.5: .25, 2.5: .5, 3.5: (.5 + 2./3) / 2, 9: 2. / 3} {
		linalgtest.Close(t, "probability", c.Proba(nil, []float64{f})[1], want, 1e-15)
	}
	if !strings.HasPrefix(c.String(), "calibrated by 1 isotonic maps, of\n") {
		t.Error(c)
	}
}

// Rows of one score are pooled with each other before they are with the scores below, in
// whatever order they come.
func TestIsotonicMapsOfTiesDependOnNoOrder(t *testing.T) {
	m, x := onLine(t, 1, 1, 2, 2, 2, 2)
	for _, y := range [][]int{{0, 1, 0, 1, 1, 1}, {1, 0, 1, 0, 1, 1}, {0, 1, 1, 1, 1, 0}} {
		c, err := validate.CalibrateIsotonic(m, x, y)
		if err != nil {
			t.Fatal(err)
		}
		if at := c.Maps[0]; !slices.Equal(at.At, []float64{1, 2}) || !slices.Equal(at.P, []float64{.5, .75}) {
			t.Errorf("%v: %v", y, at)
		}
	}
}

func TestDamagedMaps(t *testing.T) {
	m, x := onLine(t, 1, 2, 3, 4)
	c, err := validate.CalibrateIsotonic(m, x, []int{0, 1, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]validate.Map{
		"knots":                      {At: []float64{1, 2}, P: []float64{0}},
		"knots that fall":            {At: []float64{2, 1}, P: []float64{0, 1}},
		"probabilities that fall":    {At: []float64{1, 2}, P: []float64{1, 0}},
		"a knot that is no number":   {At: []float64{math.NaN(), 1}, P: []float64{0, 1}},
		"a probability that is none": {At: []float64{1, 2}, P: []float64{math.NaN(), 1}},
		"a probability above 1":      {At: []float64{1, 2}, P: []float64{0, 1.5}},
		"a probability below 0":      {At: []float64{1, 2}, P: []float64{-1, 1}},
		"a slope that is no number":  {A: math.NaN()},
		"a level that is none":       {B: math.NaN()},
	} {
		c.Maps[0] = bad
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(name, err)
		}
		var back validate.Calibrated[*hyperplane.TwoClasses]
		if err := json.Unmarshal(data, &back); !errors.As(err, new(*record.DamageError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The first threshold of a curve is infinite, which JSON writes as null; others come back as
// they are.
func TestCurvesComeBack(t *testing.T) {
	m, x := onLine(t, 1, 2, 3, 4)
	c, err := validate.ROC(m, x, []int{0, 1, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back validate.Curve
	if err := json.Unmarshal(data, &back); err != nil || !slices.Equal(back.Threshold, c.Threshold) || !math.IsInf(back.Threshold[0], 1) {
		t.Errorf("%v became %v, %v", c, back, err)
	}
	if err := json.Unmarshal([]byte(`{"threshold":[3],"tpr":[],"fpr":[],"auc":1}`), &back); err != nil || back.Threshold[0] != 3 {
		t.Errorf("%v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"threshold":[],"tpr":[],"fpr":[],"auc":1}`), &back); err != nil {
		t.Error(err)
	}
}

// A threshold has scores 0 and f − c, behind what dst holds; at the threshold itself the smaller
// label is predicted, and a score that is no number gives two.
func TestThresholdMovesTheScores(t *testing.T) {
	m, _ := onLine(t)
	c := &validate.Threshold[*hyperplane.TwoClasses]{Model: m, At: 2.5}
	if s := c.Scores([]float64{7, 8}, []float64{4}); !slices.Equal(s, []float64{7, 8, 0, 1.5}) {
		t.Error(s)
	}
	for f, want := range map[float64]int{2.4: 0, 2.5: 0, 2.6: 1} {
		if got := c.Predict([]float64{f}); got != want {
			t.Errorf("f = %g: class %d", f, got)
		}
	}
	if s := c.Scores(nil, []float64{math.NaN()}); s[0] == s[0] || s[1] == s[1] {
		t.Error(s)
	}
}

// The best cut has the least weight of errors of all cuts, and of those the widest gap, the first
// of several.
func TestBestCutIsThatOfTrial(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 300 {
		n := 2 + r.IntN(8)
		f, y, w := make([]float64, n), make([]int, n), make([]float64, n)
		for i := range f {
			f[i], y[i], w[i] = float64(r.IntN(6)), r.IntN(2), float64(r.IntN(3))
		}
		y[0], y[1], w[0], w[1] = 0, 1, 1, 1
		errs := func(at float64) (sum float64) {
			for i, v := range f {
				if (v > at) != (y[i] == 1) {
					sum += w[i]
				}
			}
			return sum
		}
		cut, err := validate.BestCut(f, y, w)
		if err != nil {
			t.Fatal(err)
		}
		knots := []float64{-1}
		for i, v := range f {
			if w[i] > 0 {
				knots = append(knots, v)
			}
		}
		slices.Sort(knots)
		knots = slices.Compact(knots)
		best, least, width := 0.0, math.Inf(1), 0.0
		for k, v := range knots {
			at, gap := math.Nextafter(v, math.Inf(1)), 0.0
			switch {
			case k == 0:
				at = -0.5
			case k+1 < len(knots):
				at, gap = (v+knots[k+1])/2, knots[k+1]-v
			}
			if e := errs(at); e < least || e == least && gap > width {
				best, least, width = at, e, gap
			}
		}
		if math.Abs(cut.Error*linalg.Sum(w)-least) > 1e-12 || errs(cut.At) != least || width > 0 && cut.At != best {
			t.Fatalf("scores %v of %v, weights %v: %+v, want %g with %g wrong", f, y, w, cut, best, least)
		}
	}
}

func TestRefusalsNameTheNumber(t *testing.T) {
	m, x := onLine(t, 1, 2, 3)
	var shape *linalg.ShapeError
	if _, err := validate.LogLoss(liar{m, 0.5}, x, []int{0, 1}); !errors.As(err, &shape) || shape.Want != 3 || shape.Got != 2 {
		t.Error(err)
	}
	if err := validate.EachProba(liar{m, 0.5}, linalg.Zeros(2, 3), func(int, []float64) {}); !errors.As(err, &shape) || shape.Got != 3 {
		t.Error(err)
	}
	trial := func(train, test []int) ([]float64, error) { return []float64{0}, nil }
	if _, err := validate.CrossValidate(trial, nil, []int{0, 1, 0}, []int{0, 1}); !errors.As(err, &shape) || shape.Want != 3 || shape.Got != 2 || !strings.Contains(err.Error(), "repeat 2: ") {
		t.Error(err)
	}
	var option *sample.OptionError
	for _, bins := range []int{0, 1e6 + 1} {
		if _, err := validate.Calibration(liar{m, 0.5}, x, []int{0, 1, 0}, bins); !errors.As(err, &option) || option.Value != float64(bins) {
			t.Errorf("%d bins: %v", bins, err)
		}
	}
	for _, bins := range []int{1, 1e6} {
		if _, err := validate.Calibration(liar{m, 0.5}, x, []int{0, 1, 0}, bins); err != nil {
			t.Errorf("%d bins: %v", bins, err)
		}
	}
	if folds, err := validate.RepeatedFolds([]int{0, 1, 0, 1}, 2, 1, 1); err != nil || len(folds) != 1 {
		t.Error(folds, err)
	}
	if _, err := validate.RepeatedFolds([]int{0, 1, 0, 1}, 2, 0, 1); !errors.As(err, &option) {
		t.Error(err)
	}
}

// An evaluation prints the scores that there are.
func TestEvaluationsPrintWhatThereIs(t *testing.T) {
	m, x := onLine(t, -1, 2, 3, -4)
	y := []int{0, 1, 0, 0}
	plain, err := validate.Evaluate(m, x, y)
	if err != nil {
		t.Fatal(err)
	}
	proba, err := validate.Evaluate(liar{m, 0.25}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	if s := plain.String(); !strings.HasPrefix(s, "4 rows, error 0.25 ± 0.22, macro F1 0.7333") || strings.Contains(s, "log-loss") || strings.Contains(s, "NaN") {
		t.Error(s)
	}
	if s := proba.String(); !strings.Contains(s, ", log-loss 0.5623, Brier score 0.1875") {
		t.Error(s)
	}
}

// Large labels and counts stand apart.
func TestConfusionOfLongLabels(t *testing.T) {
	days := []int{20240101, 20240202}
	c, err := validate.NewConfusion(days, days, days)
	if err != nil {
		t.Fatal(err)
	}
	if head := strings.Fields(strings.Split(c.String(), "\n")[0]); !slices.Equal(head, []string{"truth\\taken", "for", "20240101", "20240202"}) {
		t.Errorf("%q", head)
	}
}
