package regression_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// glmnet at thresh 1e-14: an objective as low or lower, the same coefficients.
func TestElasticNetAgainstGlmnet(t *testing.T) {
	var g struct {
		Cases []struct {
			Set                                     string
			Alpha, SD, Lambda, Intercept, Objective float64
			DevRatio                                float64 `json:"dev_ratio"`
			DF, Max                                 float64
			Standardize                             bool
			Coef                                    []float64
		}
	}
	lt.Golden(t, "testdata/glmnet.json", &g)
	for _, c := range g.Cases {
		t.Run(fmt.Sprintf("%s/%g/%v/%.3g", c.Set, c.Alpha, c.Standardize, c.Lambda), func(t *testing.T) {
			x, y := regressionData(t, c.Set)
			linalg.Scale(y, 1/c.SD)
			o := regression.Options{Lambda: c.Lambda, L1Ratio: c.Alpha, Standardize: c.Standardize, Tol: 1e-12}
			m, err := regression.FitElasticNet(x, y, &o)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, "glmnet", m.Report())
			if got := m.Report().Objective(); got > c.Objective*(1+1e-9) {
				t.Errorf("objective %v, glmnet's %v", got, c.Objective)
			}
			lt.Close(t, "objective", m.Report().Objective(), c.Objective, 1e-9)
			lt.Close(t, "R²", m.R2(), c.DevRatio, 1e-6)
			lt.Close(t, "β₀", m.Plane().Intercept(), c.Intercept, 1e-5)
			lt.CloseSlice(t, "β", m.Plane().Normal(), c.Coef, 1e-5)
			if c.Alpha > 0 {
				if c.Lambda < c.Max*(1-1e-9) { // at λmax rounding decides
					lt.Close(t, "df", m.DF(), c.DF, 0)
				}
				objective, gap := gapFromData(t, m, x, y, o)
				lt.Close(t, "objective from data", m.Report().Objective(), objective, 1e-11)
				if !(gap <= 2e-12) {
					t.Errorf("gap from the data %g", gap)
				}
			}
			if c.Lambda < c.Max*(1-1e-9) {
				return
			}
			path, err := models(regression.ElasticNetPath(x, y, nil, &regression.Options{L1Ratio: c.Alpha, Standardize: c.Standardize}))
			if err != nil {
				t.Fatal(err)
			}
			lt.Close(t, "first λ", path[0].Lambda(), c.Max, 1e-9)
		})
	}
}

// One column on paper: x = −1, 1 with y = 0, 4: x·y = 4, x·x = 2, so
// β = Soft(4, λα)/(2 + λ(1−α)).
func TestLassoOnPaper(t *testing.T) {
	x, y := lt.Rows(t, []float64{-1}, []float64{1}), []float64{0, 4}
	path, err := models(regression.LassoPath(x, y, []float64{4, 3, 1}, nil))
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{0, .5, 1.5} {
		lt.CloseSlice(t, "lasso", []float64{path[k].Plane().Normal()[0], path[k].Plane().Intercept()}, []float64{want, 2}, 1e-8)
	}
	if path[0].Plane().Normal()[0] != 0 || path[0].DF() != 0 || path[1].DF() != 1 {
		t.Error("λmax leaves a coefficient")
	}
	m, err := regression.FitElasticNet(x, y, &regression.Options{Lambda: 2, L1Ratio: .5})
	if err != nil {
		t.Fatal(err)
	}
	lt.Close(t, "elastic net", m.Plane().Normal()[0], 1, 1e-8)
}

// Tall, wide, with all options and both solvers for wide data: the certificate
// recomputed from the data holds for each fit.
func TestElasticNetCertificates(t *testing.T) {
	for k, o := range []regression.Options{{}, {Standardize: true}, {NoIntercept: true}, {Weights: lt.Normal(1, 1, 40).Data}} {
		for j, w := range o.Weights {
			o.Weights[j] = math.Max(0, w)
		}
		for _, p := range []int{1, 5, 39, 40, 41, 120} {
			for _, ratio := range []float64{1, .6, .2, .001} {
				x, y := lt.Normal(uint64(70+k), 40, p), lt.Normal(uint64(80+k), 40, 1).Data
				for i := range y {
					x.Row(i)[0] *= 1000
					y[i] += 3 * x.Row(i)[p-1]
					if !o.NoIntercept {
						y[i] += 100
					}
				}
				o.L1Ratio = ratio
				path, err := models(regression.ElasticNetPath(x, y, []float64{30, 3, .3, 3}, &o))
				if err != nil {
					t.Errorf("%d, p %d, α %g: %v", k, p, ratio, err)
				}
				for _, m := range path {
					objective, gap := gapFromData(t, m, x, y, o)
					lt.Close(t, "objective", m.Report().Objective(), objective, 1e-9)
					if !(gap <= 1.01e-8) {
						t.Errorf("%d, p %d, α %g, λ %g: gap from the data %g, said %g", k, p, ratio, m.Lambda(), gap, m.Report().Certificate().Value)
					}
				}
				if len(path) == 4 {
					a, b := path[1], path[3]
					lt.Close(t, "objective from either side", a.Report().Objective(), b.Report().Objective(), 2e-8)
				}
			}
		}
	}
}

// Doubling all rows and λ changes nothing; weights are repeated rows.
func TestLassoScale(t *testing.T) {
	x, y := lt.Normal(91, 30, 6), lt.Normal(92, 30, 1).Data
	var many [][]float64
	var ys []float64
	two := make([]float64, 30)
	for i := range y {
		two[i] = 2
		many, ys = append(many, x.Row(i), x.Row(i)), append(ys, y[i], y[i])
	}
	o := regression.Options{Lambda: 2, L1Ratio: .7, Tol: 1e-13, Standardize: true}
	once, err := regression.FitElasticNet(x, y, &o)
	if err != nil {
		t.Fatal(err)
	}
	o.Lambda = 4
	twice, err := regression.FitElasticNet(lt.Rows(t, many...), ys, &o)
	if err != nil {
		t.Fatal(err)
	}
	o.Weights = two
	weighted, err := regression.FitElasticNet(x, y, &o)
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "rows twice", twice.Plane().Normal(), once.Plane().Normal(), 1e-10)
	lt.CloseSlice(t, "weights 2", weighted.Plane().Normal(), once.Plane().Normal(), 1e-10)
}

func TestLassoAtZeroAndAtAnyScale(t *testing.T) {
	x, y := lt.Normal(93, 50, 3), lt.Normal(94, 50, 1).Data
	ols, err := regression.FitOLS(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, ratio := range []float64{0, .5, 1} {
		path, err := models(regression.ElasticNetPath(x, y, []float64{0}, &regression.Options{L1Ratio: ratio}))
		if err != nil || path[0].L1Ratio() != ratio {
			t.Fatal(path, err)
		}
		m := path[0]
		lt.CloseSlice(t, "λ = 0", m.Plane().Normal(), ols.Plane().Normal(), 1e-12)
	}
	// Standardised, the units and origins of columns do not matter.
	o := regression.Options{Lambda: 2, Standardize: true, Tol: 1e-12}
	base, err := regression.FitLasso(x, y, &o)
	if err != nil {
		t.Fatal(err)
	}
	unit, shift := []float64{1e-12, 1, 1e12}, []float64{1e-4, 1e8, -1e20}
	z := x.Clone()
	for i := range z.Rows {
		for j := range unit {
			z.Set(i, j, x.At(i, j)*unit[j]+shift[j])
		}
	}
	m, err := regression.FitLasso(z, y, &o)
	if err != nil {
		t.Fatal(err)
	}
	for j, u := range unit {
		lt.Close(t, "β", m.Plane().Normal()[j]*u, base.Plane().Normal()[j], 1e-7)
	}
	// So neither does the unit of y.
	linalg.Scale(y, 1e-9)
	o.Lambda *= 1e-9
	if m, err = regression.FitLasso(x, y, &o); err != nil {
		t.Fatal(err)
	}
	for j := range unit {
		lt.Close(t, "β", m.Plane().Normal()[j]*1e9, base.Plane().Normal()[j], 1e-9)
	}
}

func TestLassoPathOfItsOwn(t *testing.T) {
	x, y := lt.Normal(95, 200, 10), lt.Normal(96, 200, 1).Data
	for i := range y {
		y[i] += x.At(i, 0) - 2*x.At(i, 1)
	}
	path, err := models(regression.LassoPath(x, y, nil, nil))
	if err != nil || len(path) < 20 || len(path) == 100 {
		t.Fatalf("%d λ, %v", len(path), err)
	}
	if path[0].DF() != 0 || path[1].DF() == 0 {
		t.Errorf("df %g at λmax, %g after", path[0].DF(), path[1].DF())
	}
	for k := 1; k < len(path); k++ {
		if path[k].R2() < path[k-1].R2() || !path[k].Report().Certificate().Holds() {
			t.Errorf("λ %g: %+v", path[k].Lambda(), path[k].Report())
		}
	}
	flat, err := models(regression.LassoPath(x, make([]float64, 200), nil, nil))
	if err != nil || linalg.NormInf(flat[len(flat)-1].Plane().Normal()) != 0 {
		t.Error(err)
	}
	var a, b []*regression.Model
	if a, err = models(regression.LassoPath(x, y, nil, &regression.Options{Workers: 1})); err == nil {
		b, err = models(regression.LassoPath(x, y, nil, &regression.Options{Workers: 3}))
	}
	if err != nil || !reflect.DeepEqual(a, b) {
		t.Error("workers change the bits", err)
	}
}

// A path of its own ends with the first fit from the fifth on that explains more than
// 0.99901 of the deviance, or gains less than 1e-5 of what is explained: glmnet's rule.
func TestLassoPathEnds(t *testing.T) {
	for _, noise := range []float64{0, 1, 10} {
		x, y := lt.Normal(95, 200, 10), lt.Normal(96, 200, 1).Data
		for i := range y {
			y[i] = noise*y[i] + x.At(i, 0) - 2*x.At(i, 1)
		}
		path, err := models(regression.LassoPath(x, y, nil, nil))
		if err != nil {
			t.Fatal(err)
		}
		for k, m := range path {
			ends := k >= 4 && (m.R2() > 0.99901 || m.R2()-path[k-1].R2() < 1e-5*m.R2())
			if ends != (k == len(path)-1) {
				t.Errorf("noise %g, fit %d of %d explains %g", noise, k+1, len(path), m.R2())
			}
		}
	}
}

// Where a fit fails, the others come in the order asked for, and it is the last.
func TestFailedFitIsLast(t *testing.T) {
	x, y := lt.Normal(99, 15, 60), lt.Normal(98, 15, 1).Data
	path, err := models(regression.LassoPath(x, y, []float64{1e-9, 2, 4, 2}, &regression.Options{MaxIter: 3}))
	if !errors.Is(err, optimize.ErrNotConverged) || len(path) != 4 {
		t.Fatal(len(path), err)
	}
	for k, want := range []float64{2, 4, 2, 1e-9} {
		if m := path[k]; m.Lambda() != want || (m.Report().Err(nil) == nil) != (k < 3) {
			t.Errorf("fit %d: λ = %g, %v", k, m.Lambda(), m.Report())
		}
	}
}

// Where next to nothing is left of the objective, the gap, which is rounding, is measured
// in 1e-12 of that without coefficients.
func TestLassoOfAnExactLine(t *testing.T) {
	x, y := lt.Normal(3, 30, 2), make([]float64, 30)
	for i := range y {
		y[i] = x.At(i, 0)/3 - x.At(i, 1)/7 + 5
	}
	m, err := regression.FitLasso(x, y, &regression.Options{Lambda: 1e-15, Tol: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "line", m.Plane().Normal(), []float64{1. / 3, -1. / 7}, 1e-12)
}

// Of so many features a Hessian is too large: a fit that may need most of them makes none.
func TestElasticNetOfVeryManyFeatures(t *testing.T) {
	lt.SkipSlow(t)
	x, y := lt.Normal(5, 12, 1<<14+3), lt.Normal(6, 12, 1).Data
	for i := range y {
		y[i] += 5*x.At(i, 0) - 3*x.At(i, 1) + 100
	}
	o := regression.Options{Lambda: 40, L1Ratio: .2, Weights: []float64{1, 2, 0, 1, 1, 3, 1, 1, 1, 1, 1, 1}}
	m, err := regression.FitElasticNet(x, y, &o)
	if err != nil {
		t.Fatal(err)
	}
	if objective, gap := gapFromData(t, m, x, y, o); !(gap <= 1.01e-8) || math.Abs(objective/m.Report().Objective()-1) > 1e-9 || m.DF() < 100 {
		t.Errorf("gap %g, objective %g, %g features, %v", gap, objective, m.DF(), m.Report())
	}
}

func TestLassoStops(t *testing.T) {
	x, y := lt.Normal(97, 60, 20), lt.Normal(98, 60, 1).Data
	for _, wide := range []bool{false, true} {
		if wide {
			x = lt.Normal(99, 15, 60)
			y = y[:15]
		}
		stop := errors.New("enough")
		steps := 0
		o := regression.Options{Lambda: .01, Trace: func(s optimize.Step) error {
			if len(s.X) != x.Cols+1 || s.Iteration != steps {
				t.Errorf("step %d has %d coefficients", s.Iteration, len(s.X))
			}
			if steps++; steps == 2 {
				return stop
			}
			return nil
		}}
		m, err := regression.FitLasso(x, y, &o)
		if m == nil || !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged) || m.Report().Status() != optimize.Stopped || steps != 2 {
			t.Errorf("wide %v: %v, %v after %d", wide, m, err, steps)
		}
		path, err := models(regression.LassoPath(x, y, []float64{1, .01, .001}, &regression.Options{MaxIter: 1, Tol: 1e-14}))
		if len(path) == 0 || !errors.Is(err, optimize.ErrNotConverged) || path[len(path)-1].Report().Status() != optimize.MaxIterations {
			t.Errorf("wide %v: %d fits, %v", wide, len(path), err)
		}
	}
}

// The objective that the trace shows is the one reported.
func TestLassoTrace(t *testing.T) {
	x, y := lt.Normal(101, 60, 8), lt.Normal(102, 60, 1).Data
	var last optimize.Step
	m, err := regression.FitLasso(x, y, &regression.Options{Lambda: 3, Standardize: true, Trace: func(s optimize.Step) error {
		last = s
		last.X = append([]float64(nil), s.X...)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	lt.Close(t, "objective", last.Objective, m.Report().Objective(), 1e-12)
	lt.CloseSlice(t, "β₀, β", last.X, append([]float64{m.Plane().Intercept()}, m.Plane().Normal()...), 1e-13)
}

func TestLassoRefuses(t *testing.T) {
	x, y := lt.Rows(t, []float64{1}, []float64{2}), []float64{1, 2}
	var option *sample.OptionError
	for _, o := range []regression.Options{{Lambda: -1}, {Lambda: 1, L1Ratio: .5}, {Lambda: 1, Tol: -1}, {Lambda: 1, MaxIter: -1}, {Lambda: 1, Workers: -1}, {Standardize: true}, {Lambda: 1, MinNorm: true}, {Lambda: 1, Count: 3}} {
		if m, err := regression.FitLasso(x, y, &o); m != nil || !errors.As(err, &option) {
			t.Errorf("%+v: %v, %v", o, m, err)
		}
	}
	for _, ratio := range []float64{-.1, 1.1, math.NaN()} {
		if m, err := regression.FitElasticNet(x, y, &regression.Options{Lambda: 1, L1Ratio: ratio}); m != nil || !errors.As(err, &option) {
			t.Errorf("%v, %v", m, err)
		}
	}
	if path, err := models(regression.LassoPath(x, y, []float64{1, -1}, nil)); path != nil || !errors.As(err, &option) {
		t.Error(path, err)
	}
}

// More λ than 1,048,576 are refused: there may be no memory for their fits.
func TestPathsRefuseTooManyFits(t *testing.T) {
	x, y := lt.Rows(t, []float64{1}, []float64{2}), []float64{1, 2}
	for _, count := range []int{1<<20 + 1, math.MaxInt} {
		for _, ratio := range []float64{0, 0.5, 1} {
			var option *sample.OptionError
			path, err := regression.ElasticNetPath(x, y, nil, &regression.Options{L1Ratio: ratio, Count: count})
			if path != nil || !errors.As(err, &option) || option.Name != "Count" || option.Want != "at most 1048576" {
				t.Errorf("%d fits: %v, %v", count, path, err)
			}
		}
	}
}

func ExampleLassoPath() {
	x, _ := linalg.FromRows([][]float64{{-1}, {1}})
	path, err := regression.LassoPath(x, []float64{0, 4}, []float64{4, 3, 1}, nil)
	if err != nil {
		panic(err)
	}
	for _, m := range path.Models() {
		coef, _ := m.Coef()
		fmt.Printf("λ %g: %.3f, gap below %.0e\n", m.Lambda(), coef.Row(0), m.Report().Certificate().Tol)
	}
	// Output:
	// λ 4: [0.000], gap below 1e-08
	// λ 3: [0.500], gap below 1e-08
	// λ 1: [1.500], gap below 1e-08
}

// λ ≥ λmax leaves nothing, λmax itself included, whatever the processor rounds.
func TestLassoFromLambdaMaxOn(t *testing.T) {
	for seed := range uint64(20) {
		for _, shape := range [][2]int{{40, 6}, {12, 30}, {700, 6}} {
			x, y := lt.Normal(2*seed, shape[0], shape[1]), lt.Normal(2*seed+1, shape[0], 1).Data
			for _, ratio := range []float64{1, .7, .3} {
				o := regression.Options{L1Ratio: ratio, Standardize: seed%2 == 0, NoIntercept: seed%3 == 0, Count: 2}
				path, err := models(regression.ElasticNetPath(x, y, nil, &o))
				if err != nil {
					t.Fatal(err)
				}
				top := path[0].Lambda()
				o.Count = 0
				// Down from a smaller λ, and up to it: the start is not 0.
				path, err = models(regression.ElasticNetPath(x, y, []float64{top, top / 2, top, 1.5 * top, 1e9 * top, .999 * top}, &o))
				if err != nil {
					t.Fatal(err)
				}
				for k, m := range path {
					zero := m.DF() == 0 && linalg.NormInf(m.Plane().Normal()) == 0
					if zero != (m.Lambda() >= top) || zero && (m.Report().Objective() != path[0].Report().Objective() || m.R2() != 0) {
						t.Errorf("seed %d, ratio %g, λ %d: %g of λmax: β %v, R² %g", seed, ratio, k, m.Lambda()/top, m.Plane().Normal(), m.R2())
					}
				}
			}
		}
	}
}

// Where a mean is no floating-point number, deviations about the nearest one make
// a standard deviation that is wrong by percents; the penalty is then another.
func TestLassoOfNeighbouringNumbers(t *testing.T) {
	open := 0
	for _, column := range [][]float64{{1, 1 + 1e-15}, {1, 1 + 1e-15, 1 - 3e-15}, {3e8, 3e8 + 1e-7, 3e8}} {
		x, y := lt.Normal(0, len(column), 1), []float64{-3, 5, 2}[:len(column)]
		copy(x.Data, column)
		for _, no := range []bool{true, false} {
			for _, ratio := range []float64{1, .5} {
				for _, lambda := range []float64{1, 4, 1e5, 1e12, 1e15, 4e15, 1e17} {
					m, err := regression.FitElasticNet(x, y, &regression.Options{Lambda: lambda, L1Ratio: ratio, Standardize: true, NoIntercept: no})
					if errors.Is(err, optimize.ErrNotConverged) {
						open++
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					coef, _ := m.Coef()
					gap := lt.ElasticNetExcess(lt.Fit{X: x, Lambda: lambda, L1Ratio: ratio, Standardize: true, NoIntercept: no}, y,
						lt.Affine{Coef: coef, At: []float64{atOrigin(m)}, Origin: m.Plane().Origin()}, 1e-8)
					if !(gap <= 1e-8) {
						t.Errorf("%v, no intercept %v, ratio %g, λ %g: β %v, recomputed gap %g", column, no, ratio, lambda, m.Plane().Normal(), gap)
					}
				}
			}
		}
	}
	if fits := 3 * 2 * 2 * 7; open > fits/2 {
		t.Errorf("%d of %d fits have not converged", open, fits)
	}
}

// A penalty that vanishes in its product with the ratio leaves a constant column
// without a scale of its own. No duality gap can prove so small a penalty's solution.
func TestElasticNetVanishingPenalty(t *testing.T) {
	x := lt.Rows(t, []float64{1, 1}, []float64{1, 2}, []float64{1, 4})
	m, err := regression.FitElasticNet(x, []float64{1, 2, 3}, &regression.Options{Lambda: 1e-300, L1Ratio: 1e-300})
	if !errors.Is(err, optimize.ErrNotConverged) {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "coefficients", m.Plane().Normal(), []float64{0, 9. / 14}, 1e-9)
}

// Next to no penalty on fewer rows than columns of heavy tails, where rounding keeps the gap
// above its tolerance, ends after some steps: no solver gains anything by hundreds more.
func TestNextToNoPenaltyEndsSoon(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	for seed := range uint64(3) {
		x, y := lt.Normal(seed+1, 6, 159), lt.Normal(seed+10, 6, 1).Data
		for i, v := range x.Data {
			x.Data[i] = math.Exp(3 * v)
		}
		linalg.Scale(y, 100)
		m, err := regression.FitElasticNet(x, y, &regression.Options{Lambda: 1e-11, L1Ratio: 0.5})
		if m == nil || err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			t.Fatal(err)
		}
		if n := m.Report().Iterations(); n > 60 {
			t.Errorf("%d iterations", n)
		}
	}
}

// Fits of few rows with a small share of the lasso use most features, here of 3,000, and make no Hessian by these, which
// has nine million numbers.
func TestElasticNetsOfFewRowsMakeNoHessian(t *testing.T) {
	x, y := lt.Normal(7, 40, 3000), lt.Numbers(40)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := regression.FitElasticNet(x, y, &regression.Options{Lambda: 0.1, L1Ratio: 0.001})
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) / 8; err != nil || m.DF() < 1500 || took > 4_000_000 {
		t.Errorf("%g features take memory for %d numbers, %v", m.DF(), took, err)
	}
}
