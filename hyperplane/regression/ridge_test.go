package regression_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// MASS::lm.ridge, which standardises: the ridge of Standardize at the same λ.
func TestRidgeAgainstMASS(t *testing.T) {
	var g struct {
		Cases []struct {
			Set        string
			Lambda, DF float64
			Coef       []float64
		}
	}
	lt.Golden(t, "testdata/ridge.json", &g)
	for _, c := range g.Cases {
		t.Run(fmt.Sprintf("%s/%g", c.Set, c.Lambda), func(t *testing.T) {
			x, y := regressionData(t, c.Set)
			m, err := regression.FitRidge(x, y, &regression.Options{Lambda: c.Lambda, Standardize: true})
			if err != nil {
				t.Fatal(err)
			}
			holds(t, "ridge", m.Report())
			lt.Close(t, "β₀", m.Plane().Intercept(), c.Coef[0], 1e-10)
			lt.CloseSlice(t, "β", m.Plane().Normal(), c.Coef[1:], 1e-10)
			lt.Close(t, "df", m.DF(), c.DF, 1e-11)
		})
	}
}

// One column on paper: x = −1, 1 with y = 0, 4: x·y = 4, x·x = 2, so β = 4/(2+λ)
// and β₀ = 2.
func TestRidgeOnPaper(t *testing.T) {
	x, y := lt.Rows(t, []float64{-1}, []float64{1}), []float64{0, 4}
	path, err := models(regression.RidgePath(x, y, []float64{0, 2, 6}, nil))
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{2, 1, .5} {
		lt.CloseSlice(t, "fit", []float64{path[k].Plane().Normal()[0], path[k].Plane().Intercept(), path[k].DF()}, []float64{want, 2, want / 2}, 1e-15)
	}
	// At λ = 2: residuals −1 and 1, objective ½·2 + 1·1.
	lt.Close(t, "objective", path[1].Report().Objective(), 2, 1e-15)
	lt.Close(t, "R²", path[1].R2(), 1-2./8, 1e-15)
}

// centered returns √w(x−c) and √w(z−m) about the weighted means, unless there is no
// intercept, and the standard deviations of the columns or 1.
func centered(x *linalg.Dense, y []float64, o regression.Options) (rows *linalg.Dense, z, unit []float64) {
	n, p := x.Dims()
	rows, z, unit = linalg.Zeros(n, p+1), make([]float64, n), make([]float64, p)
	weight := func(i int) float64 {
		if o.Weights == nil {
			return 1
		}
		return o.Weights[i]
	}
	total := 0.0
	for i := range n {
		copy(rows.Row(i), x.Row(i))
		rows.Row(i)[p] = y[i]
		if o.Offset != nil {
			rows.Row(i)[p] -= o.Offset[i]
		}
		total += weight(i)
	}
	for j := range p + 1 {
		mean, square := 0.0, 0.0
		for i := range n {
			mean += weight(i) * rows.At(i, j) / total
		}
		for i := range n {
			e := rows.At(i, j) - mean
			square += weight(i) * e * e / total
			if o.NoIntercept {
				e = rows.At(i, j)
			}
			rows.Set(i, j, math.Sqrt(weight(i))*e)
		}
		if j == p {
			break
		}
		if unit[j] = 1; o.Standardize {
			unit[j] = math.Sqrt(square)
		}
	}
	all := make([]int, p)
	for j := range all {
		all[j] = j
	}
	return columns(rows, all), rows.Col(z, p), unit
}

// A ridge is least squares with p more rows: √λ·I and zeros, about the centred
// data. Tall, wide, weighted, standardised, without intercept.
func TestRidgeIsLeastSquaresWithMoreRows(t *testing.T) {
	for k, o := range []regression.Options{{}, {Standardize: true}, {NoIntercept: true}, {Weights: lt.Normal(1, 1, 40).Data}, {Offset: lt.Normal(2, 1, 40).Data}} {
		for j, w := range o.Weights {
			o.Weights[j] = math.Abs(w)
		}
		for _, p := range []int{3, 15, 39, 60} {
			x, y := lt.Normal(uint64(40+k), 40, p), lt.Normal(uint64(50+k), 40, 1).Data
			linalg.Scale(x.Data[:p], 30)
			for _, o.Lambda = range []float64{0.7, 1e-3} { // from the Gram matrix, from the rows
				m, err := regression.FitRidge(x, y, &o)
				if err != nil {
					t.Fatal(err)
				}
				holds(t, "ridge", m.Report())
				rows, z, unit := centered(x, y, o)
				more := linalg.Zeros(40+p, p)
				copy(more.Data, rows.Data)
				for j, u := range unit {
					more.Set(40+j, j, math.Sqrt(o.Lambda)*u)
				}
				z = append(z, make([]float64, p)...)
				want, err := regression.FitOLS(more, z, &regression.Options{NoIntercept: true})
				if err != nil {
					t.Fatal(err)
				}
				lt.CloseSlice(t, fmt.Sprintf("%d: β, p = %d", k, p), m.Plane().Normal(), want.Plane().Normal(), 1e-10)
				lt.Close(t, "objective", m.Report().Objective(), want.Report().Objective(), 1e-12)
			}
		}
	}
}

// Collinear columns share a coefficient; at λ = 0 they are the error of FitOLS.
func TestRidgeCollinear(t *testing.T) {
	x, y := lt.Rows(t, []float64{1, 1, 5}, []float64{2, 2, 5}, []float64{4, 4, 5}), []float64{1, 0, 2}
	path, err := models(regression.RidgePath(x, y, []float64{1e-6, 1}, nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range path {
		holds(t, "ridge", m.Report())
		lt.CloseSlice(t, "β", []float64{m.Plane().Normal()[1], m.Plane().Normal()[2]}, []float64{m.Plane().Normal()[0], 0}, 1e-9)
	}
	var rank *linalg.RankError
	if path, err := models(regression.RidgePath(x, y, []float64{1, 0}, nil)); len(path) != 1 || !errors.As(err, &rank) {
		t.Error(path, err)
	}
	m, err := regression.FitRidge(x, y, &regression.Options{MinNorm: true})
	if err != nil {
		t.Fatal(err)
	}
	lt.Close(t, "minimum norm", m.Plane().Normal()[0], m.Plane().Normal()[1], 1e-12)
}

// The grid of a ridge is that of glmnet, which gives the response the standard deviation 1: λ of a ridge has the
// units of the columns alone, and the same grid serves in all units of the response.
func TestRidgePathOfItsOwn(t *testing.T) {
	x, y := lt.Normal(61, 50, 4), lt.Normal(62, 50, 1).Data
	path, err := models(regression.RidgePath(x, y, nil, nil))
	if err != nil || len(path) != 100 {
		t.Fatal(len(path), err)
	}
	rows, z, _ := centered(x, y, regression.Options{})
	g := make([]float64, 4)
	linalg.MulTVec(g, rows, z, 1)
	top := linalg.NormInf(g) / math.Sqrt(linalg.Dot(z, z)/50)
	lt.Close(t, "first λ", path[0].Lambda(), 1000*top, 1e-12)
	lt.Close(t, "last λ", path[99].Lambda(), 0.1*top, 1e-12)
	for k, m := range path {
		if k > 0 && !(m.DF() > path[k-1].DF() && m.R2() > path[k-1].R2() && m.Report().Status() == optimize.Direct) {
			t.Errorf("λ %g: df %g, R² %g after %g, %g", m.Lambda(), m.DF(), m.R2(), path[k-1].DF(), path[k-1].R2())
		}
	}
	for i := range y {
		y[i] *= 1e6
	}
	large, err := models(regression.RidgePath(x, y, nil, nil))
	if err != nil || len(large) != 100 {
		t.Fatal(len(large), err)
	}
	for k, m := range large {
		lt.Close(t, "λ", m.Lambda(), path[k].Lambda(), 1e-12*m.Lambda())
		lt.Close(t, "df", m.DF(), path[k].DF(), 1e-9*m.DF())
	}
	flat, err := models(regression.RidgePath(x, make([]float64, 50), nil, nil))
	if err != nil || linalg.NormInf(flat[0].Plane().Normal()) != 0 || flat[0].R2() != 0 {
		t.Error(flat[0], err)
	}
}

func TestRidgeRefuses(t *testing.T) {
	x, y := lt.Rows(t, []float64{1}, []float64{2}), []float64{1, 2}
	var option *sample.OptionError
	for _, o := range []regression.Options{{Lambda: -1}, {Lambda: math.NaN()}, {Lambda: math.Inf(1)}, {Lambda: 1, L1Ratio: .5}, {Standardize: true}, {Lambda: 1, MinNorm: true}, {Lambda: 1, Count: 3}} {
		if m, err := regression.FitRidge(x, y, &o); m != nil || !errors.As(err, &option) {
			t.Errorf("%+v: %v, %v", o, m, err)
		}
	}
	if path, err := models(regression.RidgePath(x, y, []float64{1, -1}, nil)); path != nil || !errors.As(err, &option) {
		t.Error(path, err)
	}
	var shape *linalg.ShapeError
	for name, fit := range map[string]func(linalg.Rows, []float64, []float64, *regression.Options) (*regression.Path, error){"ridge": regression.RidgePath, "lasso": regression.LassoPath} {
		if path, err := fit(x, y, []float64{}, nil); path != nil || !errors.As(err, &shape) {
			t.Errorf("%s without a λ: %v, %v", name, path, err)
		}
	}
	if cv, err := regression.CrossValidate(x, y, []float64{}, []int{0, 1}, nil); cv != nil || !errors.As(err, &shape) {
		t.Errorf("cross-validation without a λ: %v, %v", cv, err)
	}
	var finite *linalg.NonFiniteError
	if m, err := regression.FitRidge(lt.Rows(t, []float64{1}, []float64{math.NaN()}), y, nil); m != nil || !errors.As(err, &finite) {
		t.Error(m, err)
	}
}

func ExampleRidgePath() {
	x, _ := linalg.FromRows([][]float64{{-1}, {1}})
	path, err := regression.RidgePath(x, []float64{0, 4}, []float64{0, 2, 6}, nil)
	if err != nil {
		panic(err)
	}
	for _, m := range path.Models() {
		coef, intercept := m.Coef()
		fmt.Printf("λ %g: %.3f %.3f, df %.3f\n", m.Lambda(), intercept, coef.Row(0), m.DF())
	}
	// Output:
	// λ 0: [2.000] [2.000], df 1.000
	// λ 2: [2.000] [1.000], df 0.500
	// λ 6: [2.000] [0.500], df 0.250
}

// A ridge of next to nothing on collinear columns of different scales stays
// the minimum norm solution instead of noise divided by λ.
func TestRidgeOfNextToNothing(t *testing.T) {
	x := linalg.Zeros(20, 4)
	base := lt.Normal(3, 20, 2)
	for i := range 20 {
		b := base.Row(i)
		copy(x.Row(i), []float64{b[0], b[0], 1e-3 * b[1], b[0] - 1e-3*b[1]})
	}
	y := lt.Normal(4, 20, 1).Data
	want, err := regression.FitOLS(x, y, &regression.Options{MinNorm: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := regression.FitRidge(x, y, &regression.Options{Lambda: 1e-300})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "ridge", m.Report())
	lt.Close(t, "objective", m.Report().Objective(), want.Report().Objective(), 1e-9)
}

// One λ is fitted by a factor of the normal equations and many by eigenvalues: coefficients
// and degrees of freedom are the same, on tall and on wide rows.
func TestRidgeOfOneLambdaIsThatOfMany(t *testing.T) {
	for _, p := range []int{5, 30, 90} {
		x, y := lt.Normal(1, 40, p), lt.Normal(2, 40, 1).Data
		lambdas := []float64{100, 50, 20, 10, 5, 2, 1, 0.5, 0.2}
		many, err := models(regression.RidgePath(x, y, lambdas, nil))
		if err != nil {
			t.Fatal(err)
		}
		for k, l := range lambdas {
			one, err := regression.FitRidge(x, y, &regression.Options{Lambda: l})
			if err != nil {
				t.Fatal(err)
			}
			lt.CloseSlice(t, fmt.Sprintf("p = %d: β at %v", p, l), one.Plane().Normal(), many[k].Plane().Normal(), 1e-12)
			lt.Close(t, fmt.Sprintf("p = %d: df at %v", p, l), one.DF(), many[k].DF(), 1e-11)
		}
	}
}

// models returns the models of a path.
func models(p *regression.Path, err error) ([]*regression.Model, error) { return p.Models(), err }

// Where λ is small beside the largest columns a single λ is fitted by a triangle of the rows,
// and many by singular values: coefficients and degrees of freedom agree.
func TestRidgeOfUnevenColumnsIsThatOfSingularValues(t *testing.T) {
	for _, s := range [][2]int{{30, 80}, {60, 40}, {200, 30}} {
		x := lt.Normal(7, s[0], s[1])
		for i := range x.Rows {
			for j := range x.Row(i) {
				x.Row(i)[j] = math.Ldexp(x.At(i, j), j%24-12)
			}
		}
		y := lt.Numbers(s[0])
		lambdas := []float64{9, 8, 7, 6, 5, 4, 3, 2, 1e-2}
		path, err := regression.RidgePath(x, y, lambdas, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range lambdas {
			m, err := regression.FitRidge(x, y, &regression.Options{Lambda: l})
			if err != nil {
				t.Fatal(err)
			}
			want := path.Models()[i]
			lt.Close(t, "degrees of freedom", m.DF(), want.DF(), 1e-8)
			got, _ := m.Coef()
			coef, _ := want.Coef()
			lt.CloseSlice(t, "coefficients", got.Data, coef.Data, 1e-7)
		}
	}
}

// At λ = 0 a path of standardised columns is least squares, also of near-copies, whose equations are refused: in
// the units of the data, with offsets and weights too, and the shortest coefficients of dependent columns.
func TestStandardizedPathsEndAtLeastSquares(t *testing.T) {
	x, y, w, offset := linalg.Zeros(20, 2), make([]float64, 20), make([]float64, 20), make([]float64, 20)
	copies, line := linalg.Zeros(20, 2), make([]float64, 20)
	for i := range y {
		v := float64(i)
		copy(x.Row(i), []float64{v, v + 1e-4*float64(1-2*(i%2))})
		copy(copies.Row(i), []float64{v, 2 * v})
		y[i], w[i], offset[i], line[i] = 3+2*x.At(i, 1), 1+float64(i%3), v*v, 3+5*v
	}
	moved := append([]float64(nil), y...)
	linalg.Axpy(moved, 1, offset)
	for name, c := range map[string]struct {
		x    *linalg.Dense
		y    []float64
		o    regression.Options
		want []float64
	}{
		"near-copies": {x, y, regression.Options{}, []float64{0, 2}},
		"weights":     {x, y, regression.Options{Weights: w}, []float64{0, 2}},
		"offsets":     {x, moved, regression.Options{Weights: w, Offset: offset}, []float64{0, 2}},
		"MinNorm":     {copies, line, regression.Options{MinNorm: true, Weights: w}, []float64{1, 2}},
	} {
		o := c.o
		o.Standardize = true
		path, err := models(regression.RidgePath(c.x, c.y, []float64{1, 0}, &o))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ols, err := regression.FitOLS(c.x, c.y, &c.o)
		if err != nil {
			t.Fatal(name, err)
		}
		end := path[1]
		holds(t, name, end.Report())
		lt.CloseSlice(t, name, end.Plane().Normal(), c.want, 1e-7)
		lt.CloseSlice(t, name+": least squares", end.Plane().Normal(), ols.Plane().Normal(), 1e-9)
		lt.Close(t, name+": intercept", end.Plane().Intercept(), 3, 1e-6)
	}
}
