package logistic_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

func TestScales(t *testing.T) {
	x, y := lt.Heart(t, "tobacco ldl famhist=Present age")
	m := lt.MustFit(t, x, y, nil)
	scaled := x.Clone()
	scales := []float64{1e-12, 1e12, 1e-6, 1e6}
	for i := range scaled.Rows {
		for j, s := range scales {
			scaled.Set(i, j, s*x.At(i, j))
		}
	}
	want, got := lt.Intercepted(m), lt.Intercepted(lt.MustFit(t, scaled, y, nil))
	for j, s := range scales {
		got[j+1] *= s
	}
	linalgtest.CloseSlice(t, "coef", got, want, 1e-9)
	for _, s := range []float64{1e-120, 1e120} {
		for i := range scaled.Rows {
			scaled.Set(i, 0, s*x.At(i, 0))
		}
		got := lt.MustFit(t, scaled, y, nil)
		for i := range scaled.Rows {
			linalgtest.Close(t, "log-odds", got.LogOdds(scaled.Row(i)), m.LogOdds(x.Row(i)), 1e-8)
		}
	}
	// Numbers whose products no float64 holds are refused by name.
	for _, s := range []float64{1e-150, 1e150, 1e-310} {
		for i := range scaled.Rows {
			scaled.Set(i, 0, s*x.At(i, 0))
		}
		for _, o := range []*logistic.Options{nil, {Lambda: 1, Standardize: true}, {Lambda: 1, L1Ratio: 1}} {
			m, err := logistic.Fit(scaled, y, o)
			var e *linalg.RangeError
			if !errors.As(err, &e) || e.Column != 0 || e.What != "x" || m != nil {
				t.Errorf("%g: %v, %v", s, m, err)
			}
		}
	}
	// The lasso with standardising does not notice units.
	lasso := lt.MustFit(t, x, y, &logistic.Options{L1Ratio: 1, Lambda: 3, Standardize: true, Tol: 1e-11})
	for i := range scaled.Rows {
		scaled.Set(i, 0, 1e-12*x.At(i, 0))
	}
	same := lt.MustFit(t, scaled, y, &logistic.Options{L1Ratio: 1, Lambda: 3, Standardize: true, Tol: 1e-11})
	linalgtest.Close(t, "objective", same.Report().Objective(), lasso.Report().Objective(), 1e-12)
}

func TestLargeMeans(t *testing.T) {
	x, y := lt.IrisPair(t)
	m := lt.MustFit(t, x, y, &logistic.Options{Lambda: 0.1})
	shifted := x.Clone()
	for i := range shifted.Data {
		shifted.Data[i] = math.Round(x.Data[i]*10)/10*1024 + 1e8
	}
	back := x.Clone()
	for i := range back.Data {
		back.Data[i] = shifted.Data[i] - 1e8
	}
	far, near := lt.MustFit(t, shifted, y, &logistic.Options{Lambda: 0.1}), lt.MustFit(t, back, y, &logistic.Options{Lambda: 0.1})
	for i := range x.Rows {
		linalgtest.Close(t, "log-odds", far.LogOdds(shifted.Row(i)), near.LogOdds(back.Row(i)), 1e-7)
	}
	if m.Report().Objective() == 0 || far.Origin()[0] < 1e8 {
		t.Error("no origin")
	}
	mustCertify(t, far, shifted, y, 0.1, 1e-8)
}

// The functions of a lasso on several classes do not sum to 0, and what they have
// in common may not cost the digits in which they differ.
func TestLargeMeansOfSeveralClasses(t *testing.T) {
	x := linalgtest.Normal(12, 60, 2)
	far, y := x.Clone(), make([]int, 60)
	for i := range y {
		y[i] = i % 3
		for j := range 2 {
			x.Set(i, j, math.Round(8*x.At(i, j)+float64(4*y[i]*j))/8)
			far.Set(i, j, x.At(i, j)+0x1p40)
		}
	}
	o := &logistic.Options{Lambda: 1, L1Ratio: 1, Tol: 1e-12}
	m, want := lt.MustFit(t, far, y, o), lt.MustFit(t, x, y, o)
	for i := range y {
		linalgtest.CloseSlice(t, "probabilities", m.Proba(nil, far.Row(i)), want.Proba(nil, x.Row(i)), 1e-9)
	}
	common := 0.0
	coef, intercept := m.Coef()
	for k := range 3 {
		common += coef.At(k, 1)
	}
	if math.Abs(common) < 1e-3 {
		t.Errorf("coefficients %v sum to 0: these data show nothing", coef.Data)
	}
	if s := lt.Sum(intercept); !(math.Abs(s) <= 1e-15*math.Abs(intercept[0])) {
		t.Errorf("intercepts %v sum to %g", intercept, s)
	}
}

// An offset that is the same for all rows moves the intercept by as much.
func TestLargeOffset(t *testing.T) {
	x, y := lt.IrisPair(t)
	offset := make([]float64, len(y))
	for i := range offset {
		offset[i] = 1e4
	}
	want := lt.Intercepted(lt.MustFit(t, x, y, nil))
	want[0] -= 1e4
	m := lt.MustFit(t, x, y, &logistic.Options{Offset: offset})
	linalgtest.CloseSlice(t, "two classes", lt.Intercepted(m), want, 1e-7)
	x, y = lt.Several(t, "iris")
	offset = make([]float64, 3*len(y))
	for i := range y {
		offset[3*i], offset[3*i+1] = 1e4, x.At(i, 0)
	}
	m, plain := lt.MustFit(t, x, y, &logistic.Options{Offset: offset}), lt.MustFit(t, x, y, nil)
	c, b := m.Coef()
	c0, b0 := plain.Coef()
	linalgtest.CloseSlice(t, "intercepts", b, []float64{b0[0] - 1e4, b0[1], 0}, 1e-7)
	linalgtest.CloseSlice(t, "three classes", c.Data, []float64{c0.At(0, 0), c0.At(1, 0) - 1, 0}, 1e-7)
}

// A constant offset moves the intercept alone, however large it is.
func TestPathOfLargeOffset(t *testing.T) {
	for _, classes := range []int{2, 3} {
		x, y := linalgtest.LabeledRows(200, 5, classes)
		o := &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Tol: 1e-10}, Lambdas: []float64{20, 5, 1}}
		want, err := logistic.FitPath(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		k := 1
		if classes > 2 {
			k = classes
		}
		for range len(y) * k {
			o.Offset = append(o.Offset, 2000-500*float64(len(o.Offset)%k))
		}
		path, err := logistic.FitPath(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range path.Points {
			got, _ := p.Model.Coef()
			coef, _ := want.Points[i].Model.Coef()
			linalgtest.CloseSlice(t, "coefficients", got.Data, coef.Data, 1e-6)
		}
	}
}

// A row of weight 0 is deleted whatever it holds.
func TestDeletedRowIsHuge(t *testing.T) {
	x, _ := linalg.NewDense(7, 1, []float64{1e300, 1, 3, 2, 4, 2.5, 1.5})
	y := []int{0, 0, 0, 1, 1, 0, 1}
	w := []float64{0, 1, 1, 1, 1, 1, 1}
	want := lt.Intercepted(lt.MustFit(t, x.RowRange(1, 7), y[1:], nil))
	linalgtest.CloseSlice(t, "coef", lt.Intercepted(lt.MustFit(t, x, y, &logistic.Options{Weights: w})), want, 1e-12)
}

// Nor does it matter in whatever units the others are: far out of range of theirs a number
// of a deleted row would make scores infinite.
func TestDeletedRowInOtherUnits(t *testing.T) {
	for _, unit := range []float64{1, 1e-10, 1e-120} {
		for _, far := range []float64{0, 1e3} {
			x, _ := linalg.NewDense(10, 1, []float64{1e300, 1, 3, 2, 4, 2.5, 1.5, 0, -1e300, 3.5})
			y := []int{0, 0, 0, 1, 1, 0, 1, 0, 2, 2}
			for i, v := range x.Data {
				if math.Abs(v) < 1e300 {
					x.Data[i] = unit * (v + far)
				}
			}
			for name, o := range map[string]logistic.Options{
				"likelihood": {}, "ridge": {Lambda: unit * unit}, "lasso": {Lambda: 0.1 * unit, L1Ratio: 1},
				"standardized": {Lambda: 0.1, L1Ratio: 0.5, Standardize: true}, "Firth": {Firth: true},
			} {
				want := lt.MustFit(t, x.RowRange(1, 8), y[1:8], &o)
				with := o
				with.Weights = []float64{0, 1, 1, 1, 1, 1, 1, 1, 0, 0}
				got := lt.MustFit(t, x, y, &with)
				for i := 1; i < 8; i++ {
					linalgtest.Close(t, name, got.LogOdds(x.Row(i)), want.LogOdds(x.Row(i)), 1e-6)
				}
				linalgtest.Close(t, name, got.Report().Objective(), want.Report().Objective(), 1e-12)
				if o.Firth {
					continue
				}
				with.Weights = []float64{0, 1, 1, 1, 1, 1, 1, 1, 0, 1} // three classes
				if m := lt.MustFit(t, x, y, &with); !m.Report().Certificate().Holds() {
					t.Errorf("%s of three classes: %v", name, m.Report())
				}
			}
		}
	}
}

// The largest λ of a grid is a number that float64 has.
func TestGridsOfExtremeColumns(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{2, math.MaxFloat64}, {-1, -1}})
	var e *linalg.RangeError
	if _, err := logistic.FitPath(x, []int{1, 0}, nil); !errors.As(err, &e) || e.Column != 1 {
		t.Errorf("a column of 1e308: %v", err)
	}
	x, _ = linalg.FromRows([][]float64{{3}, {3}, {3}})
	path, err := logistic.FitPath(x, []int{1, 0, 1}, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range path.Points {
		if !(p.Penalty > 0) || p.DF != 0 || !p.Model.Report().Certificate().Holds() {
			t.Errorf("a constant column: λ = %g, %g features, %v", p.Penalty, p.DF, p.Model.Report())
		}
	}
}

// A column of 5e-324 is refused by its number, with a ridge and with a lasso.
func TestVanishingColumn(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{-1, 5e-324}, {-1, 5e-324}, {-1, 5e-324}, {-2, 5e-324}})
	for _, ratio := range []float64{0, 0.5} {
		o := logistic.Options{L1Ratio: ratio, NoIntercept: true}
		var e *linalg.RangeError
		if path, err := logistic.FitPath(x, []int{0, 0, 0, 1}, &logistic.PathOptions{Options: o, Lambdas: []float64{100}}); !errors.As(err, &e) || e.Column != 1 {
			t.Errorf("L1Ratio %g: %v, %v", ratio, path, err)
		}
	}
}

// Weights in another unit change no coefficient, however small they make the standard errors.
func TestWeightsOfAnySize(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, y := linalgtest.LabeledRows(2000, 20, k)
		want := lt.Intercepted(lt.MustFit(t, x, y, nil))
		for _, w := range []float64{1e-100, 1e12, 1e20, 1e100} {
			m := lt.MustFit(t, x, y, &logistic.Options{Weights: slices.Repeat([]float64{w}, len(y))})
			linalgtest.CloseSlice(t, "coef", lt.Intercepted(m), want, 1e-9)
		}
	}
}
