package regression_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// responses are the data sets of the regression goldens.
var responses = map[string]string{"iris": "petal_width", "crabs": "CW", "SAheart": "ldl", "birthwt": "lwt"}

func regressionData(t testing.TB, set string) (x *linalg.Dense, y []float64) {
	t.Helper()
	x, labels, _ := lt.Table(t, set+".csv", responses[set])
	y = make([]float64, len(labels))
	for i, l := range labels {
		v, err := strconv.ParseFloat(l, 64)
		if err != nil {
			t.Fatal(err)
		}
		y[i] = v
	}
	return x, y
}

// holds fails the test unless the report's certificate holds.
func holds(t testing.TB, what string, r optimize.Report) {
	t.Helper()
	if !r.Certificate().Holds() {
		t.Errorf("%s: %+v", what, r)
	}
}

// columns returns the listed columns of a.
func columns(a *linalg.Dense, list []int) *linalg.Dense {
	c := linalg.Zeros(a.Rows, len(list))
	for i := range a.Rows {
		for k, j := range list {
			c.Set(i, k, a.At(i, j))
		}
	}
	return c
}

// atOrigin returns f at the point that m is computed about.
func atOrigin(m *regression.Model) float64 { return m.Plane().Value(m.Plane().Origin()) }

// summary(lm) of R on four data sets, in four forms, and of one with weights.
func TestOLSAgainstR(t *testing.T) {
	var g struct {
		Cases []struct {
			Set, Kind                                 string
			Estimate, SE, T, P, Residuals, Covariance []float64
			Quartiles                                 []float64
			Sigma, DF, R2, AdjR2, F, RSS              float64
		}
	}
	lt.Golden(t, "testdata/lm.json", &g)
	for _, c := range g.Cases {
		t.Run(c.Set+"/"+c.Kind, func(t *testing.T) {
			x, y := regressionData(t, c.Set)
			var o regression.Options
			switch c.Kind {
			case "origin":
				o.NoIntercept = true
			case "weights":
				for i := range y {
					o.Weights = append(o.Weights, float64(i%3))
				}
			case "precisions":
				for i := range y {
					o.Weights = append(o.Weights, float64(1+(i+1)%4))
				}
				linalg.Scale(o.Weights, float64(len(y))/linalg.Sum(o.Weights))
			case "offset":
				o.Offset = make([]float64, len(y))
				linalg.Axpy(o.Offset, 0.1, x.Col(nil, 0))
			}
			m, s, err := regression.Summarize(x, y, &o)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, "QR", m.Report())
			for k, term := range s.Terms {
				lt.Close(t, "estimate", term.Estimate, c.Estimate[k], 1e-11)
				lt.Close(t, "se", term.SE, c.SE[k], 1e-11)
				lt.Close(t, "t", term.T, c.T[k], 1e-10)
				lt.Close(t, "p", term.P, c.P[k], 1e-11)
			}
			lt.CloseSlice(t, "covariance", s.Covariance.Row(1), c.Covariance, 1e-10)
			lt.CloseSlice(t, "sigma df r2 adjr2 f rss", []float64{s.Sigma, s.DF, s.R2, s.AdjR2, s.F, s.RSS},
				[]float64{c.Sigma, c.DF, c.R2, c.AdjR2, c.F, c.RSS}, 1e-10)
			if c.Kind != "precisions" { // whose residuals R multiplies by √w
				lt.CloseSlice(t, "quartiles", s.Quartiles[:], c.Quartiles, 1e-10)
			}
			if c.Kind != "weights" && c.Kind != "precisions" {
				lt.CloseSlice(t, "residuals", s.Residuals[:5], c.Residuals, 1e-10)
			}
			n, err := regression.FitNormalEquations(x, y, &o)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, "normal equations", n.Report())
			lt.CloseSlice(t, "normal equations", n.Plane().Normal(), m.Plane().Normal(), 1e-9)
		})
	}
}

// Four points on paper: x = 0, 1, 2, 3, y = 1, 3, 2, 6: x̄ = 1.5, ȳ = 3, Sxy = 7,
// Sxx = 5, so slope 1.4, intercept 0.9, fitted 0.9, 2.3, 3.7, 5.1, RSS 4.2.
func TestSummaryOnPaper(t *testing.T) {
	x, y := lt.Rows(t, []float64{0}, []float64{1}, []float64{2}, []float64{3}), []float64{1, 3, 2, 6}
	m, s, err := regression.Summarize(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "line", []float64{s.Terms[0].Estimate, s.Terms[1].Estimate, s.RSS, s.TSS, 2 * m.Report().Objective()}, []float64{.9, 1.4, 4.2, 14, 4.2}, 1e-14)
	lt.CloseSlice(t, "residuals", s.Residuals, []float64{.1, .7, -1.7, .9}, 1e-14)
	// σ̂² = 2.1, var(slope) = 2.1/5, F = 9.8/2.1 = t².
	lt.CloseSlice(t, "inference", []float64{s.Sigma * s.Sigma, s.Terms[1].SE, s.F, s.Terms[1].T * s.Terms[1].T, s.R2}, []float64{2.1, math.Sqrt(.42), 14. / 3, 14. / 3, .7}, 1e-14)
	lt.Close(t, "p of F", s.FP, s.Terms[1].P, 1e-14)
	lt.Close(t, "df", m.DF(), 1, 0)

	// Two points: exact, and nothing is left for σ².
	_, s, err = regression.Summarize(x.RowRange(0, 2), y[:2], nil)
	if err != nil {
		t.Fatal(err)
	}
	if lt.Close(t, "slope", s.Terms[1].Estimate, 2, 1e-15); s.DF != 0 || s.Sigma == s.Sigma || s.Terms[1].P == s.Terms[1].P {
		t.Errorf("%+v", *s)
	}
}

// Shifting and scaling columns moves coefficients as algebra says, with means of
// 1e8 and units of 1e±12.
func TestOLSAtAnyScale(t *testing.T) {
	x := lt.Normal(21, 60, 3)
	y := lt.Normal(22, 60, 1).Data
	base, err := regression.FitOLS(x, y, nil)
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
	for name, fit := range map[string]func(linalg.Rows, []float64, *regression.Options) (*regression.Model, error){"qr": regression.FitOLS, "normal": regression.FitNormalEquations} {
		m, err := fit(z, y, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		holds(t, name, m.Report())
		for j, u := range unit {
			lt.Close(t, name, m.Plane().Normal()[j]*u, base.Plane().Normal()[j], 1e-7)
		}
		lt.Close(t, name+" objective", m.Report().Objective(), base.Report().Objective(), 1e-7)
	}
}

func TestOLSWeightsRepeatRows(t *testing.T) {
	x, y, w := lt.Normal(23, 30, 3), lt.Normal(24, 30, 1).Data, make([]float64, 30)
	var many [][]float64
	var ys []float64
	for i := range w {
		w[i] = float64(i % 4)
		for range i % 4 {
			many, ys = append(many, x.Row(i)), append(ys, y[i])
		}
	}
	a, errA := regression.FitOLS(x, y, &regression.Options{Weights: w})
	b, errB := regression.FitOLS(lt.Rows(t, many...), ys, nil)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	lt.CloseSlice(t, "β", a.Plane().Normal(), b.Plane().Normal(), 1e-12)
	lt.Close(t, "β₀", a.Plane().Intercept(), b.Plane().Intercept(), 1e-12)
	lt.Close(t, "objective", a.Report().Objective(), b.Report().Objective(), 1e-12)
}

// Collinear columns are named; with MinNorm the fitted values are those of the
// independent columns, and no other solution is shorter.
func TestOLSCollinear(t *testing.T) {
	n := 40
	x := linalg.Zeros(n, 5)
	base := lt.Normal(25, n, 3)
	for i := range n {
		b := base.Row(i)
		copy(x.Row(i), []float64{b[0], b[1], b[0] - 2*b[1], 7, 1e6 * b[2]})
	}
	y := lt.Normal(26, n, 1).Data
	for name, fit := range map[string]func(linalg.Rows, []float64, *regression.Options) (*regression.Model, error){"qr": regression.FitOLS, "normal": regression.FitNormalEquations} {
		var rank *linalg.RankError
		if m, err := fit(x, y, nil); m != nil || !errors.As(err, &rank) || rank.Rank != 3 || !slices.Equal(rank.Columns, []int{2, 3}) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	m, err := regression.FitOLS(x, y, &regression.Options{MinNorm: true})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "minimum norm", m.Report())
	lt.Close(t, "df", m.DF(), 3, 0)
	full, err := regression.FitOLS(columns(x, []int{0, 1, 4}), y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		lt.Close(t, "fitted", m.Predict(x.Row(i)), full.Plane().Value(columns(x, []int{0, 1, 4}).Row(i)), 1e-11)
	}
	// The null space is spanned by (1, −2, −1, 0, 0) and e₄.
	lt.Close(t, "along the null space", m.Plane().Normal()[0]-2*m.Plane().Normal()[1]-m.Plane().Normal()[2], 0, 1e-12)
	lt.Close(t, "constant column", m.Plane().Normal()[3], 0, 1e-12)
	if _, _, err := regression.Summarize(x, y, &regression.Options{MinNorm: true}); err == nil {
		t.Error("a table for collinear columns")
	}
}

// More columns than rows: minimum norm interpolates, βᵀ in the row space.
func TestOLSWide(t *testing.T) {
	x, y := lt.Normal(27, 5, 9), lt.Normal(28, 5, 1).Data
	var rank *linalg.RankError
	if _, err := regression.FitOLS(x, y, nil); !errors.As(err, &rank) || rank.Rank != 4 {
		t.Error(err)
	}
	m, err := regression.FitOLS(x, y, &regression.Options{MinNorm: true})
	if err != nil {
		t.Fatal(err)
	}
	pred, err := m.PredictRows(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "fitted", pred, y, 1e-11)
	s, err := linalg.NewQR(func() *linalg.Dense { // the centred rows
		z := x.Clone()
		for i := range z.Rows {
			linalg.Axpy(z.Row(i), -1, m.Plane().Origin())
		}
		return z
	}())
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, 9)
	z := slices.Clone(y)
	for i := range z {
		z[i] -= atOrigin(m)
	}
	s.SolveMinNorm(want, z)
	lt.CloseSlice(t, "β", m.Plane().Normal(), want, 1e-11)

	// All columns constant: nothing but the mean is left.
	flat, err := regression.FitOLS(lt.Rows(t, []float64{2, 3}, []float64{2, 3}), []float64{1, 5}, &regression.Options{MinNorm: true})
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "flat", append([]float64{flat.Predict([]float64{0, 9}), flat.DF()}, flat.Plane().Normal()...), []float64{3, 0, 0, 0}, 0)
}

func TestRegressionRefuses(t *testing.T) {
	x, y := lt.Rows(t, []float64{0, 1}, []float64{1, 0}, []float64{2, 2}, []float64{5, 1}), []float64{0, 1, 1, 2}
	var shape *linalg.ShapeError
	var finite *linalg.NonFiniteError
	var outside *linalg.RangeError
	var option *sample.OptionError
	var weight *linalg.WeightError
	fits := map[string]func(linalg.Rows, []float64, *regression.Options) (*regression.Model, error){
		"ols": regression.FitOLS, "normal": regression.FitNormalEquations,
	}
	for fitName, fit := range fits {
		for name, c := range map[string]struct {
			x  *linalg.Dense
			y  []float64
			o  regression.Options
			as any
		}{
			"nil x":           {nil, nil, regression.Options{}, &shape},
			"responses":       {x, y[:3], regression.Options{}, &shape},
			"x NaN":           {lt.Rows(t, []float64{math.NaN()}), []float64{1}, regression.Options{}, &finite},
			"y Inf":           {x, []float64{1, 2, math.Inf(-1), 0}, regression.Options{}, &finite},
			"weight":          {x, y, regression.Options{Weights: []float64{1, 1, -1, 1}}, &weight},
			"weights":         {x, y, regression.Options{Weights: []float64{1}}, &shape},
			"weight NaN":      {x, y, regression.Options{Weights: []float64{1, 1, math.NaN(), 1}}, &finite},
			"all weights 0":   {x, y, regression.Options{Weights: make([]float64, 4)}, &shape},
			"offsets":         {x, y, regression.Options{Offset: []float64{1}}, &shape},
			"offset Inf":      {x, y, regression.Options{Offset: []float64{1, 2, 3, math.Inf(1)}}, &finite},
			"offset overflow": {x, []float64{1e308, 0, 0, 0}, regression.Options{Offset: []float64{-1e308, 0, 0, 0}}, &outside},
			"workers":         {x, y, regression.Options{Workers: -1}, &option},
			"tolerance":       {x, y, regression.Options{Tol: math.NaN()}, &option},
			"iterations":      {x, y, regression.Options{MaxIter: -1}, &option},
			"count":           {x, y, regression.Options{Count: -1}, &option},
			"l1 ratio":        {x, y, regression.Options{L1Ratio: 2}, &option},
			"lambda":          {x, y, regression.Options{Lambda: -1}, &option},
		} {
			if m, err := fit(c.x, c.y, &c.o); m != nil || !errors.As(err, c.as) || !strings.HasPrefix(err.Error(), "regression: ") {
				t.Errorf("%s, %s: %v, %v", fitName, name, m, err)
			}
		}
	}
	for name, o := range map[string]regression.Options{"lambda": {Lambda: 1}, "standardize": {Standardize: true}, "l1": {L1Ratio: .5}} {
		if m, err := regression.FitOLS(x, y, &o); m != nil || !errors.As(err, &option) {
			t.Errorf("FitOLS with %s: %v, %v", name, m, err)
		}
	}
	if m, err := regression.FitNormalEquations(x, y, &regression.Options{MinNorm: true}); m != nil || !errors.As(err, &option) {
		t.Error(m, err)
	}
}

func TestRegressionWorkersAndRecord(t *testing.T) {
	x, y := lt.Normal(31, 5000, 20), lt.Normal(32, 5000, 1).Data
	r := rand.New(rand.NewPCG(1, 1))
	for i := range y {
		y[i] += 3*x.At(i, 0) + r.Float64()
	}
	var first *regression.Model
	for _, workers := range []int{1, 2, 3, 16} {
		m, err := regression.FitOLS(x, y, &regression.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		}
		if !reflect.DeepEqual(m, first) {
			t.Errorf("%d workers change the bits", workers)
		}
	}
	b, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	var back regression.Model
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(*first, back) {
		t.Errorf("%+v became %+v, %v", *first, back, err)
	}
	var damage *record.DamageError
	for name, r := range map[string]map[string]any{
		"valid": {"plane": first.Plane()}, "no plane": {}, "lambda": {"plane": first.Plane(), "lambda": -1.},
		"ratio": {"plane": first.Plane(), "l1_ratio": 2.}, "df": {"plane": first.Plane(), "df": -1.},
	} {
		b, _ := record.Marshal("halfspace/regression", 1, r)
		if err := new(regression.Model).UnmarshalJSON(b); errors.As(err, &damage) == (name == "valid") {
			t.Errorf("%s: %v", name, err)
		}
	}
	few := x.RowRange(0, 100) // many rows are shared out among goroutines
	out := make([]float64, few.Rows)
	if n := testing.AllocsPerRun(5, func() {
		first.Predict(x.Row(0))
		out, _ = first.PredictRows(out[:0], few)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if _, err := first.PredictRows(nil, lt.Normal(1, 2, 3)); err == nil {
		t.Error("three columns for twenty features")
	}
}

func ExampleSummarize() {
	x, _ := linalg.FromRows([][]float64{{0}, {1}, {2}, {3}})
	_, s, err := regression.Summarize(x, []float64{1, 3, 2, 6}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Print(s.Table([]string{"dose"})) // with more rows it starts with the residuals' quartiles
	// Output:
	//                 Estimate   Std. Error   t value   Pr(>|t|)
	// (Intercept)          0.9      1.21244     0.742     0.5352
	// dose                 1.4     0.648074     2.160     0.1633
	//
	// Residual standard error: 1.449 on 2 degrees of freedom
	// Multiple R²: 0.7, adjusted R²: 0.55
	// F-statistic: 4.667 on 1 and 2 DF, p-value: 0.1633
}

func BenchmarkOLS(b *testing.B) {
	x, y := lt.Normal(1, 100_000, 100), lt.Normal(2, 100_000, 1).Data
	for name, fit := range map[string]func(linalg.Rows, []float64, *regression.Options) (*regression.Model, error){"qr": regression.FitOLS, "normal": regression.FitNormalEquations} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := fit(x, y, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The shortest solution among columns of which one is 1e8 times the others still
// solves the equations to the last digits.
func TestMinNormOfUnevenColumns(t *testing.T) {
	x := lt.Rows(t, []float64{.87, 2, 1e8}, []float64{1.1, 1, -.96})
	m, err := regression.FitOLS(x, []float64{.97, .59}, &regression.Options{MinNorm: true, NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "minimum norm", m.Report())
}

// The covariance times XᵀWX/σ̂², with the column of ones, is the identity: whole, as it is symmetric, with an intercept and without.
func TestCovarianceIsTheInverse(t *testing.T) {
	x, y := lt.Normal(3, 30, 4), lt.Normal(4, 30, 1).Data
	w := make([]float64, len(y))
	for i := range w {
		w[i] = float64(i % 4)
		x.Row(i)[1] += 3
	}
	for _, through := range []bool{false, true} {
		_, s, err := regression.Summarize(x, y, &regression.Options{Weights: w, NoIntercept: through})
		if err != nil {
			t.Fatal(err)
		}
		terms := len(s.Terms)
		full := linalg.Zeros(len(y), terms)
		for i := range w {
			full.Row(i)[0] = 1
			copy(full.Row(i)[terms-x.Cols:], x.Row(i))
		}
		product := linalg.Zeros(terms, terms)
		linalg.MulAdd(product, 1/(s.Sigma*s.Sigma), s.Covariance, linalg.Gram(full, nil, w, 1))
		lt.CloseSlice(t, "product", product.Data, linalg.Identity(terms).Data, 1e-12)
	}
}
