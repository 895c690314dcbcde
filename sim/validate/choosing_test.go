package validate_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/logistic"
	"halfspace/sim"
	"halfspace/sim/feature"
	"halfspace/sim/validate"
)

type choosingGolden struct {
	FGL struct {
		F1, AUCs     []float64
		MacroF1      float64 `json:"macro_f1"`
		HandTill     float64 `json:"hand_till"`
		LogLoss      float64 `json:"log_loss"`
		Brier, Error float64
	}
	Heart struct {
		AveragePrecision  float64 `json:"average_precision"`
		AUC, F1           float64
		Sigmoid, Isotonic []float64
	}
	Logistic, SVC [][]float64
	ElasticNet    [][]float64 `json:"elastic_net"`
	Ridge         [][]float64
}

func choosing(t *testing.T) (g choosingGolden) {
	linalgtest.Golden(t, "testdata/choosing.json", &g)
	return g
}

func fitLDA(t *testing.T, x *linalg.Dense, y []int) *discriminant.LDA {
	t.Helper()
	m, err := discriminant.FitLDA(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Six kinds of glass: the scores of classes are scikit-learn's.
func TestScoresOfManyClassesEqualScikitLearn(t *testing.T) {
	g := choosing(t).FGL
	x, labels, _ := linalgtest.Table(t, "fgl.csv", "type")
	y, names := linalgtest.Codes(labels)
	m := fitLDA(t, x, y)
	e, err := validate.Evaluate(m, x, y)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "error", e.Error, g.Error, 1e-15)
	linalgtest.Close(t, "macro F1", e.MacroF1, g.MacroF1, 1e-15)
	linalgtest.Close(t, "Hand and Till's M", e.AUC, g.HandTill, 1e-14)
	linalgtest.Close(t, "log-loss", e.LogLoss, g.LogLoss, 1e-8)
	linalgtest.Close(t, "Brier score", e.Brier, g.Brier, 1e-8)
	areas, err := validate.AUCs(m, x, y)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "areas", areas, g.AUCs, 1e-14)
	for k := range names {
		linalgtest.Close(t, "F1", e.Confusion.F1(k), g.F1[k], 1e-15)
	}
}

// every returns the rows i with i % of in rest.
func every(x *linalg.Dense, y []int, of int, rest ...int) (*linalg.Dense, []int) {
	return linalgtest.Select(x, y, func(i int) bool { return slices.Contains(rest, i%of) })
}

// Rows of their own calibrate a model as scikit-learn calibrates it, and the model with
// its probabilities comes back from JSON.
func TestCalibrationEqualsScikitLearn(t *testing.T) {
	g := choosing(t).Heart
	x, labels, _ := linalgtest.Table(t, "SAheart.csv", "chd")
	y, _ := linalgtest.Codes(labels)
	train, ty := every(x, y, 2, 0)
	held, hy := every(x, y, 4, 1)
	test, y := every(x, y, 4, 3)
	m := fitLDA(t, train, ty)
	curve, err := validate.PrecisionRecall(m, test, y)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "average precision", curve.Average, g.AveragePrecision, 1e-14)
	e, err := validate.Evaluate(m, test, y)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "AUC", e.AUC, g.AUC, 1e-14)
	linalgtest.Close(t, "F1", e.Confusion.F1(1), g.F1, 1e-15)
	for name, c := range map[string]struct {
		fit  func(*discriminant.LDA, linalg.Rows, []int) (*validate.Calibrated[*discriminant.LDA], error)
		want []float64
		tol  float64
	}{
		"sigmoid":  {validate.Calibrate[*discriminant.LDA], g.Sigmoid, 2e-5}, // its optimizer stops there
		"isotonic": {validate.CalibrateIsotonic[*discriminant.LDA], g.Isotonic, 1e-12},
	} {
		fitted, err := c.fit(m, held, hy)
		if err != nil {
			t.Fatal(err)
		}
		var p sim.Prober = fitted
		for i, want := range c.want {
			got := p.Proba(nil, test.Row(i))
			if math.Abs(got[1]-want) > c.tol || got[0]+got[1] != 1 {
				t.Errorf("%s, row %d: %v, want %v", name, i, got, want)
			}
		}
		data, err := json.Marshal(fitted)
		if err != nil {
			t.Fatal(err)
		}
		var back validate.Calibrated[*discriminant.LDA]
		if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(&back, fitted) {
			t.Errorf("%s: %+v became %+v, %v", name, fitted, back, err)
		}
	}
}

// A classifier of three classes without probabilities gets some, which on rows that
// nothing was fitted to are better than those of the classes' shares.
func TestCalibrateThreeClasses(t *testing.T) {
	x, y := linalgtest.LabeledRows(900, 4, 3)
	train, ty := every(x, y, 3, 0)
	held, hy := every(x, y, 3, 1)
	test, y := every(x, y, 3, 2)
	m, err := hyperplane.FitSVC(train, ty, &hyperplane.SVCOptions{Multi: hyperplane.OneVsRest})
	if err != nil {
		t.Fatal(err)
	}
	for name, fit := range map[string]func(*hyperplane.SVC, linalg.Rows, []int) (*validate.Calibrated[*hyperplane.SVC], error){
		"sigmoid": validate.Calibrate[*hyperplane.SVC], "isotonic": validate.CalibrateIsotonic[*hyperplane.SVC]} {
		c, err := fit(m, held, hy)
		if err != nil {
			t.Fatal(err)
		}
		loss, err := validate.Brier(c, test, y)
		if err != nil {
			t.Fatal(err)
		}
		if loss > 0.9*2/3. {
			t.Errorf("%s: Brier score %g, of equal probabilities %g", name, loss, 2/3.)
		}
		for i := range test.Rows {
			if p := c.Proba([]float64{7}, test.Row(i)); len(p) != 4 || p[0] != 7 || math.Abs(p[1]+p[2]+p[3]-1) > 1e-15 || c.Predict(test.Row(i)) != m.Predict(test.Row(i)) {
				t.Fatalf("%s, row %d: %v", name, i, p)
			}
		}
	}
	if _, err := validate.Calibrate(m, held, slices.Repeat([]int{0}, held.Rows)); err == nil {
		t.Error("a class without rows")
	}
}

// A classifier of K ≥ 3 classes has K maps; one of two has one or two.
func TestDamagedNumberOfMaps(t *testing.T) {
	for k := 2; k <= 4; k++ {
		x, y := linalgtest.LabeledRows(90, 2, k)
		m, err := discriminant.FitLDA(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := validate.Calibrate(m, x, y)
		if err != nil {
			t.Fatal(err)
		}
		one := fitted.Maps[0]
		for maps := 1; maps <= 5; maps++ {
			fitted.Maps = slices.Repeat([]validate.Map{one}, maps)
			data, err := json.Marshal(fitted)
			if err != nil {
				t.Fatal(err)
			}
			var back validate.Calibrated[*discriminant.LDA]
			err = json.Unmarshal(data, &back)
			if right := maps == k || k == 2 && maps == 1; right != (err == nil) || !right && !as[*record.DamageError](err) {
				t.Errorf("%d maps of %d classes: %v", maps, k, err)
			}
		}
	}
}

// folds returns the fold i % k of each of n rows.
func folds(n, k int) []int {
	f := make([]int, n)
	for i := range f {
		f[i] = i % k
	}
	return f
}

// standardized returns the rows in units of their standard deviation.
func standardized(t *testing.T, x *linalg.Dense) *linalg.Dense {
	t.Helper()
	s, err := feature.FitStandardizer(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	z, err := s.ApplyRows(x)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// closeCV compares the means over folds of k·loss with those of folds of equal size.
func closeCV(t *testing.T, what string, mean, se []float64, loss [][]float64, k, tol float64) {
	t.Helper()
	for g, folds := range loss {
		m, e := validate.MeanSE(folds)
		linalgtest.Close(t, what, mean[g]/k, m, tol*max(1, m))
		linalgtest.Close(t, what+": standard error", se[g]/k, e, tol*max(1, m))
	}
}

// Cross-validated paths have, at each penalty, the losses of scikit-learn's fits.
func TestCrossValidatedPathsEqualScikitLearn(t *testing.T) {
	g := choosing(t)
	lambdas := []float64{100, 10, 1, 0.1}
	x, labels, _ := linalgtest.Table(t, "SAheart.csv", "chd")
	y, _ := linalgtest.Codes(labels)
	z, six := standardized(t, x), folds(x.Rows, 6) // 462 rows, folds of 77
	lr, err := logistic.CrossValidate(z, y, six, &logistic.PathOptions{Options: logistic.Options{Tol: 1e-10}, Lambdas: lambdas})
	if err != nil {
		t.Fatal(err)
	}
	closeCV(t, "logistic", lr.CV.Mean, lr.CV.SE, g.Logistic, 2, 1e-9)
	sv, err := hyperplane.CrossValidateSVC(z, y, []float64{0.01, 0.1, 1, 10}, six, nil)
	if err != nil {
		t.Fatal(err)
	}
	closeCV(t, "svc", sv.CV.Mean, sv.CV.SE, g.SVC, 1, 1e-12)
	if sv.Path.Points[0].Penalty != 100 || sv.CV.OneSE() > sv.CV.Best() {
		t.Errorf("%v", sv)
	}
	x, labels, _ = linalgtest.Table(t, "birthwt.csv", "lwt")
	z, seven := standardized(t, x), folds(x.Rows, 7) // 189 rows, folds of 27
	weight := make([]float64, len(labels))
	for i, s := range labels {
		if weight[i], err = strconv.ParseFloat(s, 64); err != nil {
			t.Fatal(err)
		}
	}
	sums := make([]float64, len(lambdas)) // their penalty belongs to a mean over 162 rows
	for k, l := range lambdas {
		sums[k] = l * 162
	}
	for name, c := range map[string]struct {
		ratio float64
		loss  [][]float64
	}{"elastic net": {0.5, g.ElasticNet}, "ridge": {0, g.Ridge}} {
		cv, err := regression.CrossValidate(z, weight, sums, seven, &regression.Options{L1Ratio: c.ratio, Tol: 1e-12})
		if err != nil {
			t.Fatal(err)
		}
		closeCV(t, name, cv.CV.Mean, cv.CV.SE, c.loss, 1, 1e-7)
		if one, best := cv.OneSE(), cv.Best(); one.Penalty < best.Penalty || one.Model.Lambda() != one.Penalty {
			t.Errorf("%s: %v", name, cv)
		}
	}
}

// Groups stay whole, and folds are as equal as they then can be.
func TestGroupFoldsKeepGroups(t *testing.T) {
	groups := []int{7, 7, 7, 7, 1, 1, 2, 2, 3, 9, 9, 9}
	fold, err := validate.GroupFolds(groups, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	size, of := make([]int, 3), map[int]int{}
	for i, g := range groups {
		if f, seen := of[g]; seen && f != fold[i] {
			t.Errorf("group %d is in folds %d and %d", g, f, fold[i])
		}
		of[g] = fold[i]
		size[fold[i]]++
	}
	if !slices.Equal(size, []int{4, 4, 4}) {
		t.Errorf("sizes %v", size)
	}
	again, _ := validate.GroupFolds(groups, 3, 1)
	if !slices.Equal(fold, again) {
		t.Error("the same seed, other folds")
	}
	for _, k := range []int{1, 6} {
		if _, err := validate.GroupFolds(groups, k, 1); err == nil {
			t.Errorf("%d folds of five groups", k)
		}
	}
	for _, k := range []int{2, 5} {
		if _, err := validate.GroupFolds(groups, k, 1); err != nil {
			t.Errorf("%d folds of five groups: %v", k, err)
		}
	}
}

// A model that does not fill gaps refuses rows with them.
func TestEvaluateRefusesRowsThatAreNotFinite(t *testing.T) {
	x, y := linalgtest.LabeledRows(40, 3, 2)
	m := fitLDA(t, x, y)
	for _, v := range []float64{math.NaN(), math.Inf(-1)} {
		x.Set(11, 2, v)
		var cell *linalg.NonFiniteError
		if e, err := validate.Evaluate(m, x, y); !errors.As(err, &cell) || cell.Row != 11 || cell.Col != 2 || e != nil {
			t.Errorf("%v: %v, %v", v, e, err)
		}
	}
}

// A file that fails while it is evaluated is an error, whichever pass it is.
func TestEvaluateReportsRowsThatCannotBeRead(t *testing.T) {
	for k := 2; k <= 3; k++ {
		x, y := linalgtest.LabeledRows(40, 3, k)
		m := fitLDA(t, x, y)
		linalgtest.EachFailure(t, x, 1, func(x linalg.Rows) error {
			_, err := validate.Evaluate(m, linalgtest.Remote{Rows: x}, y)
			return err
		})
	}
}
