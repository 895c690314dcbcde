package discriminant_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// The excess of an audit of indicator functions is how far half their residual sum of squares,
// with its penalty, is above that of the fit, summed row by row.
func TestAuditOfIndicatorsIsTheirExcess(t *testing.T) {
	x, y := linalgtest.LabeledRows(80, 3, 3)
	for i := range x.Rows {
		x.Set(i, 1, 50+x.At(i, 1))
	}
	for _, ridge := range []float64{0, 0.5} {
		o := &discriminant.Options{Ridge: ridge}
		fit, err := discriminant.FitIndicator(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		half := func(m *discriminant.Indicator) (s float64) {
			coef, intercept := m.Coef()
			for k := range 3 {
				for i := range x.Rows {
					f := intercept[k] + linalg.Dot(coef.Row(k), x.Row(i))
					if y[i] == k {
						f--
					}
					s += f * f / 2
				}
				s += 80 * ridge / 2 * linalg.Dot(coef.Row(k), coef.Row(k))
			}
			return s
		}
		coef, intercept := fit.Coef()
		for k := range 3 {
			coef.Set(k, k, coef.At(k, k)+0.01)
			intercept[k] -= 0.2 * float64(k)
		}
		other, err := discriminant.NewIndicator([]int{0, 1, 2}, coef, intercept)
		if err != nil {
			t.Fatal(err)
		}
		a, err := other.Audit(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		least, value := half(fit), half(other)
		linalgtest.Close(t, "objective", a.Report.Objective(), value, 1e-9*value)
		linalgtest.Close(t, "minimum", a.Minimum, least, 1e-9*least)
		linalgtest.Close(t, "gap", a.Own.Value, (value-least)/value, 1e-9)
		if a, err := fit.Audit(x, y, o); err != nil || a.Own.Value > 1e-12 {
			t.Errorf("the fit itself: %v, %v", a, err)
		}
	}
}

// indicatorGap returns half the residual sum of squares of functions of x, and how far it is above the least, relative to it,
// in 320 bits.
func indicatorGap(t *testing.T, f *discriminant.Indicator, x *linalg.Dense, y []int) (value, gap float64) {
	t.Helper()
	origin, coef, intercept := f.CoefAbout()
	sum, excess := new(big.Float), new(big.Float)
	for k, class := range f.Classes() {
		z := make([]float64, len(y))
		for i, c := range y {
			if c == class {
				z[i] = 1
			}
		}
		one := linalgtest.Affine{Coef: coef.RowRange(k, k+1), At: intercept[k : k+1], Origin: origin}
		at, least, err := linalgtest.SquaredLeast(linalgtest.Fit{X: x}, z, one)
		if err != nil {
			t.Fatal(err)
		}
		sum.Add(sum, at)
		excess.Add(excess, at.Sub(at, least))
	}
	value, _ = sum.Float64()
	gap, _ = excess.Quo(excess, sum).Float64()
	return value, gap
}

// An audit of indicator functions of columns that nearly coincide never says less than how far they are above the least:
// neither of a fit nor of functions that are wrong along the difference of the columns.
func TestAuditOfIndicatorsOfNearCopies(t *testing.T) {
	for _, difference := range []float64{0x1p-10, 0x1p-20, 0x1p-27, 0x1p-34} {
		for seed := range uint64(4) {
			r := rand.New(rand.NewPCG(seed, 5))
			x, y := linalg.Zeros(30, 2), make([]int, 30)
			for i := range y {
				y[i] = i % 2
				x.Set(i, 0, float64(r.IntN(64)-32)/8)
				x.Set(i, 1, x.At(i, 0)+difference*float64(r.IntN(5)-2))
			}
			fit := must[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, nil))
			coef := linalgtest.Rows(t, []float64{-1 / difference, 1 / difference}, []float64{1 / difference, -1 / difference})
			wrong := must[*discriminant.Indicator](t)(discriminant.NewIndicator([]int{0, 1}, coef, []float64{0.5, 0.5}))
			for name, f := range map[string]*discriminant.Indicator{"fit": fit, "wrong": wrong} {
				a, err := f.Audit(x, y, nil)
				if err != nil {
					t.Fatal(err)
				}
				value, gap := indicatorGap(t, f, x, y)
				linalgtest.Close(t, "objective of the "+name, a.Report.Objective(), value, 1e-6*value)
				if v := a.Own.Value; v < gap || v > gap+2e-3 || name == "fit" && difference > 1e-7 && v > 1e-12 {
					t.Errorf("%s, difference %.2g, seed %d: gap %.3g, audited as %.3g", name, difference, seed, gap, v)
				}
			}
		}
	}
}

// The mean that a regression of indicators is about is not its rounding, which is far from it where values are far from 0,
// also where the columns nearly coincide but for that.
func TestIndicatorIsAboutTheMean(t *testing.T) {
	far, y := linalgtest.LabeledRows(60, 2, 3)
	near := linalg.Zeros(60, 2)
	for i := range y {
		far.Set(i, 0, 1e8+1e-3*far.At(i, 0))
		v, off := float64(i*i%61)/8, 0x1p-28*float64(i%5+y[i])
		near.Set(i, 0, 1e6+v)
		near.Set(i, 1, v+off-1e6)
	}
	for name, x := range map[string]*linalg.Dense{"far": far, "near-copies": near} {
		f := must[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, nil))
		_, gap := indicatorGap(t, f, x, y)
		a, err := f.Audit(x, y, nil)
		if gap > 1e-13 || err != nil || a.Own.Value > 1e-10 {
			t.Errorf("%s: the fit is %.3g above the least: %v, %v", name, gap, a, err)
		}
	}
}

// The discriminant vectors of an LDA are those of a fit of them.
func TestScalingOfAnLDAIsThatOfReducedRank(t *testing.T) {
	x, y := linalgtest.LabeledRows(90, 4, 3)
	lda, err := discriminant.FitLDA(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := discriminant.FitReducedRank(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	scaling, proportion, err := lda.Scaling()
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "proportion", proportion, r.Proportion(), 1e-12)
	want := r.Scaling()
	for c := range want.Cols {
		sign := math.Copysign(1, want.At(0, c)*scaling.At(0, c))
		for j := range want.Rows {
			linalgtest.Close(t, "scaling", sign*scaling.At(j, c), want.At(j, c), 1e-10)
		}
	}
}

// Means from elsewhere that lie far from 0 on one line, but for their rounding, have one discriminant vector.
func TestScalingOfMeansFarFrom0(t *testing.T) {
	for _, far := range []float64{0, 1e8} {
		means := linalg.Zeros(3, 2)
		for k, at := range []float64{-1.1, 0.3, 2.7} {
			means.Set(k, 0, far+at)
			means.Set(k, 1, far+at/3)
		}
		m := must[*discriminant.LDA](t)(discriminant.NewLDA([]int{0, 1, 2}, []float64{0.25, 0.25, 0.5}, means, linalg.Identity(2)))
		scaling, _, err := m.Scaling()
		if err != nil || scaling.Cols != 1 {
			t.Errorf("means about %g: %v, %v", far, scaling, err)
		}
	}
}

func TestReducedRankNeedsMeansAndVectors(t *testing.T) {
	means := linalgtest.Rows(t, []float64{0, 1}, []float64{2, 3})
	for name, scaling := range map[string]*linalg.Dense{"none": nil, "no column": linalg.Zeros(2, 0), "other features": linalg.Zeros(3, 1)} {
		var shape *linalg.ShapeError
		if m, err := discriminant.NewReducedRank([]int{0, 1}, []float64{.5, .5}, means, scaling); m != nil || !errors.As(err, &shape) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	if _, err := discriminant.NewReducedRank([]int{0, 1}, []float64{.5, .5}, means, linalgtest.Rows(t, []float64{1}, []float64{0})); err != nil {
		t.Error(err)
	}
	for name, means := range map[string]*linalg.Dense{"none": nil, "of three classes": linalg.Zeros(3, 2), "of one class": linalg.Zeros(1, 2), "of no feature": linalg.Zeros(2, 0)} {
		var shape *linalg.ShapeError
		if m, err := discriminant.NewReducedRank([]int{0, 1}, []float64{.5, .5}, means, linalg.Zeros(2, 1)); m != nil || !errors.As(err, &shape) {
			t.Errorf("means %s: %v, %v", name, m, err)
		}
	}
}

// A density or a factor that is missing or cut short is an error.
func TestDensitiesFromElsewhereAreThere(t *testing.T) {
	g := must[*discriminant.Gaussian](t)(discriminant.NewGaussian([]float64{0}, linalg.Identity(1)))
	if m, err := discriminant.NewQDA([]int{0, 1}, []float64{.5, .5}, []*discriminant.Gaussian{g, nil}); m != nil || err == nil {
		t.Errorf("a nil density: %v, %v", m, err)
	}
	for name, l := range map[string]*linalg.Dense{"none": nil, "cut": {Rows: 1, Cols: 1, Stride: 1}} {
		var shape *linalg.ShapeError
		if g, err := discriminant.GaussianOfFactor([]float64{0}, l); g != nil || !errors.As(err, &shape) {
			t.Errorf("factor %s: %v, %v", name, g, err)
		}
	}
}

// Priors that sum to 1 but for rounding are scaled to it.
func TestPriorsAreScaled(t *testing.T) {
	x, y := linalgtest.LabeledRows(60, 2, 2)
	off := 1 + 4e-7
	for _, priors := range [][]float64{{.25, .75}, {.25 * off, .75 * off}} {
		m, err := discriminant.FitLDA(x, y, &discriminant.Options{Priors: priors})
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.CloseSlice(t, "priors", m.Priors(), []float64{.25, .75}, 1e-15)
	}
	for _, bad := range [][]float64{{.25, .75 + 2e-6}, {1, 0}, {.5}, {.5, math.NaN()}} {
		if _, err := discriminant.FitLDA(x, y, &discriminant.Options{Priors: bad}); err == nil {
			t.Errorf("%v are taken", bad)
		}
	}
}
