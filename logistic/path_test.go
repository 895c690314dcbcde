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
	"halfspace/optimize"
)

func TestPathGrid(t *testing.T) {
	x, y := lt.Heart(t, "")
	path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Standardize: true, Tol: 1e-8}})
	if err != nil {
		t.Fatal(err)
	}
	first := path.Points[0]
	if first.DF != 0 || nonZero(first.Model) != 0 {
		t.Errorf("%g features at λmax", first.DF)
	}
	n1 := 0.0
	for _, v := range y {
		n1 += float64(v)
	}
	_, b := first.Model.Coef()
	linalgtest.Close(t, "log-odds", b[0], math.Log(n1/(float64(len(y))-n1)), 1e-12)
	above, err := logistic.Fit(x, y, &logistic.Options{L1Ratio: 1, Standardize: true, Lambda: first.Penalty * 1.0001})
	if err != nil || nonZero(above) != 0 {
		t.Errorf("above λmax: %v", err)
	}
	below, err := logistic.Fit(x, y, &logistic.Options{L1Ratio: 1, Standardize: true, Lambda: first.Penalty * 0.9999})
	if err != nil || nonZero(below) != 1 {
		t.Errorf("below λmax: %v", err)
	}
	for k, p := range path.Points {
		if k > 0 && !(p.Penalty < path.Points[k-1].Penalty && p.DevRatio >= path.Points[k-1].DevRatio) {
			t.Errorf("point %d: λ %g, deviance ratio %g", k, p.Penalty, p.DevRatio)
		}
		if c := p.Model.Report().Certificate(); !c.Holds() {
			t.Errorf("point %d: certificate %v", k, c)
		}
		single, err := logistic.Fit(x, y, &logistic.Options{L1Ratio: 1, Standardize: true, Lambda: p.Penalty})
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "objective", p.Objective, single.Report().Objective(), 1e-11)
	}
	limited, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Standardize: true}, MaxDF: 3})
	if err != nil || limited.Points[len(limited.Points)-1].DF > 3 || len(limited.Points) >= len(path.Points) {
		t.Errorf("at most 3 features: %d points, %v", len(limited.Points), err)
	}
}

func TestPathStops(t *testing.T) {
	x, y := lt.Heart(t, "")
	stop := errors.New("enough")
	path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Trace: func(s optimize.Step) error {
		if s.Iteration == 7 {
			return stop
		}
		return nil
	}}})
	if !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged) || path == nil || len(path.Points) != 8 {
		t.Errorf("%v", err)
	}
}

// Tall and wide paths have the fits of single λ.
func TestTallAndWidePaths(t *testing.T) {
	linalgtest.SkipSlow(t)
	for _, c := range []struct{ n, p int }{{4000, 10}, {60, 300}, {200, 30}} {
		x := linalgtest.Normal(9, c.n, c.p)
		y := make([]int, c.n)
		for i := range y {
			f := x.At(i, 0) - x.At(i, 1) + 0.5*x.At(i, 2)
			if f+math.Sin(float64(7*i)) > 0 {
				y[i] = 1
			}
		}
		for _, alpha := range []float64{1, 0.5} {
			o := logistic.Options{L1Ratio: alpha, Standardize: true, Tol: 1e-8, PenaltyFactor: make([]float64, c.p)}
			for j := range o.PenaltyFactor {
				o.PenaltyFactor[j] = 0.5 + float64(j%3)
			}
			o.PenaltyFactor[3] = 0
			path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: o, Count: 30})
			if err != nil {
				t.Fatal(err)
			}
			for k := 0; k < len(path.Points); k += 5 {
				p := path.Points[k]
				o.Lambda = p.Penalty
				linalgtest.Close(t, "objective", p.Objective, lt.MustFit(t, x, y, &o).Report().Objective(), 1e-10)
				if c := p.Model.Report().Certificate(); !c.Holds() {
					t.Errorf("%d × %d: certificate %v", x.Rows, x.Cols, c)
				}
			}
		}
	}
}

// The default tolerance falls with the likelihood; one that is given does not.
func TestDefaultToleranceFallsAlongThePath(t *testing.T) {
	x, y := linalgtest.LabeledRows(80, 900, 2)
	o := &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Standardize: true}}
	path, err := logistic.FitPath(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Lambdas = make([]float64, len(path.Points))
	for i, p := range path.Points {
		o.Lambdas[i] = p.Penalty
	}
	loose := 0.0
	for _, tol := range []float64{1e-10, 1e-5} {
		o.Tol = tol
		other, err := logistic.FitPath(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range other.Points {
			if loose = max(loose, p.Model.Report().Certificate().Value); tol == 1e-10 && !(path.Points[i].Objective <= p.Objective*(1+1e-7)) {
				t.Errorf("λ = %g: objective %.12g, want %.12g", p.Penalty, path.Points[i].Objective, p.Objective)
			}
		}
	}
	if loose < 1e-5/2 {
		t.Errorf("certificates up to %g for a tolerance of %g", loose, 1e-5)
	}
}

// At λmax a fit is the null fit to the last bit, wherever it is told to start.
func TestZeroAtLambdaMax(t *testing.T) {
	for _, classes := range []int{2, 3} {
		x, y := linalgtest.LabeledRows(150, 6, classes)
		for _, o := range []logistic.Options{{L1Ratio: 1}, {L1Ratio: 0.3, Standardize: true}, {L1Ratio: 1, Grouped: classes > 2}} {
			path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: o, Count: 1})
			if err != nil {
				t.Fatal(err)
			}
			lines := 1
			if classes > 2 {
				lines = classes
			}
			o.Lambda, o.Start = path.Points[0].Penalty, make([]float64, lines*(x.Cols+1))
			for j := range o.Start {
				o.Start[j] = math.Sin(float64(j + 1))
			}
			if m, err := logistic.Fit(x, y, &o); err != nil || nonZero(m) != 0 || nonZero(path.Points[0].Model) != 0 {
				t.Errorf("%d classes, %+v: %d coefficients at λmax, %v", classes, o, nonZero(m), err)
			}
		}
	}
}

// What a path cannot give is an error, as it is of a single fit.
func TestPathRefuses(t *testing.T) {
	x, y := linalgtest.LabeledRows(50, 3, 2)
	tiny := x.Clone()
	linalg.Scale(tiny.Data, 1e-310)
	for name, c := range map[string]struct {
		x *linalg.Dense
		o *logistic.PathOptions
	}{
		"coefficients beyond float64": {tiny, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Standardize: true}}},
		"no λ":                        {x, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1}, Lambdas: []float64{}}},
	} {
		path, err := logistic.FitPath(c.x, y, c.o)
		if path != nil || !lt.Is[*linalg.RangeError](err) && !lt.Is[*linalg.ShapeError](err) {
			t.Errorf("%s: %v, %v", name, path, err)
		}
	}
}

// An offset that separates the classes leaves no deviance to explain.
func TestPathWithoutNullDeviance(t *testing.T) {
	x := linalgtest.Normal(3, 40, 3)
	y, offset := make([]int, 40), make([]float64, 40)
	for i := range y {
		y[i] = i % 2
		offset[i] = 1600*float64(y[i]) - 800
	}
	path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Offset: offset}, Count: 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(path.Points) != 5 {
		t.Errorf("%d points", len(path.Points))
	}
	for _, p := range path.Points {
		if p.DevRatio != 0 {
			t.Errorf("λ = %g explains %g of nothing", p.Penalty, p.DevRatio)
		}
	}
}

func TestGroupedLassoTakesWholeFeatures(t *testing.T) {
	linalgtest.SkipSlow(t)
	x, y := pathData(t, "fgl")
	o := &logistic.Options{L1Ratio: 1, Grouped: true, Lambda: 5, Standardize: true}
	m := lt.MustFit(t, x, y, o)
	coef, _ := m.Coef()
	in := 0
	for j := range x.Cols {
		zeros := 0
		for k := range coef.Rows {
			if coef.At(k, j) == 0 {
				zeros++
			}
		}
		if zeros != 0 && zeros != coef.Rows {
			t.Errorf("feature %d has %d zeros of %d", j, zeros, coef.Rows)
		}
		if zeros == 0 {
			in++
		}
	}
	if in == 0 || in == x.Cols {
		t.Errorf("%d of %d features", in, x.Cols)
	}
	path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Grouped: true, Standardize: true, Tol: 1e-8}, Lambdas: []float64{20, 5}})
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "objective", path.Points[1].Objective, m.Report().Objective(), 1e-9)
	if _, err := logistic.Fit(x, y, &logistic.Options{L1Ratio: 0.5, Grouped: true, Lambda: 1}); err == nil {
		t.Error("grouped elastic net")
	}
}

// A lasso of whole features comes to its end where columns are almost the same, or indicators, or on other scales, and
// the penalty is small: steps along the gradient alone crept there.
func TestGroupedLassoOfDependentColumns(t *testing.T) {
	for seed := range uint64(30) {
		n, p, k := 40, 6+int(seed%10), 3+int(seed%3)
		x, y := linalgtest.Normal(seed, n, p), make([]int, n)
		for i := range n {
			y[i] = i % k
			for j := range p {
				switch v := x.At(i, j); (j + int(seed)) % 3 {
				case 0:
					x.Set(i, j, x.At(i, 0)+0.03*v)
				case 1:
					x.Set(i, j, 100+math.Pow(10, float64(j%4)-2)*v)
				default:
					x.Set(i, j, float64(min(max(int(v), 0), 1)))
				}
			}
		}
		options := logistic.Options{L1Ratio: 1, Grouped: true, Tol: 1e-8, Standardize: seed%2 == 0}
		path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: options, Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range []float64{0.1, 1e-3} {
			options.Lambda = share * path.Points[0].Penalty
			if m, err := logistic.Fit(x, y, &options); err != nil {
				t.Errorf("table %d, λ %v of the largest: %v, %v", seed, share, m.Report().Certificate(), err)
			}
		}
	}
}

// Without coefficients nothing is explained, however the sums over the rows are rounded.
func TestNothingIsExplainedAtLambdaMax(t *testing.T) {
	for seed := range uint64(8) {
		x, y := linalgtest.Normal(seed, 300, 350), make([]int, 300)
		for i := range y {
			y[i] = int(10+5*x.At(i, 0)) % 2
		}
		path, err := logistic.FitPath(x, y, &logistic.PathOptions{Count: 1, Options: logistic.Options{L1Ratio: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if f := path.Points[0]; f.DF != 0 || f.DevRatio != 0 {
			t.Errorf("%v features explain %g", f.DF, f.DevRatio)
		}
	}
}

// More λ than there is memory for are refused.
func TestPathRefusesTooManyFits(t *testing.T) {
	x, y := lt.IrisPair(t)
	for _, count := range []int{1<<20 + 1, math.MaxInt} {
		var option *sample.OptionError
		path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1}, Count: count})
		if path != nil || !errors.As(err, &option) || option.Name != "Count" || option.Want != "at most 1048576" {
			t.Errorf("%d fits: %v, %v", count, path, err)
		}
	}
}
