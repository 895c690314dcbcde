package regression_test

import (
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Regressions on sparse rows are those on the same rows stored dense, and rows that are too many
// to be moved to their means are refused by their size.
func TestSparseRows(t *testing.T) {
	x := linalgtest.Thinned(11, 200, 12, 0.4)
	y := linalgtest.Numbers(200)
	for i := range y {
		y[i] += 5 + x.At(i, 1) - 2*x.At(i, 3)
		x.Set(i, 5, float64(i%2)) // the column that is empty otherwise, and one of a single value
		x.Set(i, 11, x.At(i, 11)+float64(i%3))
	}
	for name, fit := range map[string]func(linalg.Rows, *regression.Options) (*regression.Model, error){
		"ols": func(x linalg.Rows, o *regression.Options) (*regression.Model, error) {
			return regression.FitOLS(x, y, nil)
		},
		"ridge": func(x linalg.Rows, o *regression.Options) (*regression.Model, error) {
			return regression.FitRidge(x, y, o)
		},
		"lasso": func(x linalg.Rows, o *regression.Options) (*regression.Model, error) {
			o.L1Ratio = 1
			return regression.FitElasticNet(x, y, o)
		},
		"no constant": func(x linalg.Rows, o *regression.Options) (*regression.Model, error) {
			o.NoIntercept = true
			return regression.FitRidge(x, y, o)
		},
	} {
		dense, err := fit(x, &regression.Options{Lambda: 2})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		a := linalgtest.Sparse(x)
		sparse, err := fit(a, &regression.Options{Lambda: 2})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		linalgtest.Close(t, name, sparse.Report().Objective(), dense.Report().Objective(), 1e-10)
		f, err := sparse.PredictRows(nil, a)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range f {
			linalgtest.Close(t, name+", prediction", v, dense.Predict(x.Row(i)), 1e-6)
		}
	}
	linalgtest.SkipSlow(t)
	start := make([]int, 200_001)
	wide, err := linalg.NewCSR(200_000, 200_000, start, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var size *linalg.SizeError
	if m, err := regression.FitRidge(wide, make([]float64, 200_000), &regression.Options{Lambda: 1}); err != nil || m.Report().Objective() != 0 {
		t.Errorf("40 billion zeros: %v", err)
	}
	if _, err := regression.FitOLS(wide, make([]float64, 200_000), nil); !errors.As(err, &size) {
		t.Errorf("40 billion values without a penalty: %v", err)
	}
}

// spread returns the rows of x with so many empty columns between each two of them.
func spread(t *testing.T, x *linalg.Dense, apart int) *linalg.CSR {
	t.Helper()
	start, index, value := []int{0}, []int32(nil), []float64(nil)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if v != 0 {
				index, value = append(index, int32(j*apart)), append(value, v)
			}
		}
		start = append(start, len(value))
	}
	a, err := linalg.NewCSR(x.Rows, x.Cols*apart, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A lasso of sparse rows that are too many to be moved to their means is that of the columns
// that hold anything, stored dense: with weights, units, a ridge part and along a path.
func TestLassoOfRowsThatStaySparse(t *testing.T) {
	linalgtest.SkipSlow(t)
	const n, apart = 1500, 10_000
	x := linalgtest.Thinned(12, n, 40, 0.2)
	y, w := linalgtest.Numbers(n), make([]float64, n)
	for i := range y {
		y[i] += 5 + x.At(i, 1) - 2*x.At(i, 3)
		w[i] = float64(i%4) / 2
		x.Set(i, 7, x.At(i, 7)+3*float64(min(1, i%9))) // far from 0 in most rows
	}
	a := spread(t, x, apart)
	for name, o := range map[string]regression.Options{
		"lasso":       {Lambda: 20, L1Ratio: 1},
		"elastic net": {Lambda: 50, L1Ratio: 0.5, Weights: w, Standardize: true},
	} {
		dense, err := regression.FitElasticNet(x, y, &o)
		if err != nil {
			t.Fatal(err)
		}
		sparse, err := regression.FitElasticNet(a, y, &o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := dense.Report().Objective()
		linalgtest.Close(t, name, sparse.Report().Objective(), want, 1e-7*want)
		b, level := sparse.Coef()
		beta, at0 := dense.Coef()
		linalgtest.Close(t, name+", intercept", level[0], at0[0], 1e-3)
		for j := range x.Cols {
			linalgtest.Close(t, name+", coefficient", b.At(0, j*apart), beta.At(0, j), 1e-3)
		}
		if c := sparse.Report().Certificate(); !c.Holds() || c.Kind != optimize.KindGap {
			t.Errorf("%s: %v", name, c)
		}
	}
	path, err := regression.LassoPath(a, y, []float64{200, 100, 30}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range path.Points {
		dense, err := regression.FitLasso(x, y, &regression.Options{Lambda: q.Penalty})
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "path", q.Objective, dense.Report().Objective(), 1e-6*q.Objective)
	}
}

// counted are rows that count the passes over them.
type counted struct {
	*linalg.CSR
	passes *atomic.Int64
}

func (c counted) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	if lo == 0 {
		c.passes.Add(1)
	}
	return c.CSR.Pass(lo, hi, visit)
}

// A path over columns, and the proof of its fits, reads the rows before the first fit alone, though
// they are not moved to their means.
func TestSparsePathLeavesTheRows(t *testing.T) {
	const n = 300
	x, y := linalgtest.Thinned(14, n, 40, 0.2), linalgtest.Numbers(n)
	for i := range y {
		y[i] += 5 + x.At(i, 1) - 2*x.At(i, 3)
	}
	lambdas := []float64{40, 38, 36, 34, 32, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10}
	var passes [2]int64
	for k := range passes {
		rows := counted{spread(t, x, 40), new(atomic.Int64)}
		if _, err := regression.LassoPath(rows, y, lambdas[:2+14*k], &regression.Options{Workers: 1}); err != nil {
			t.Fatal(err)
		}
		passes[k] = rows.passes.Load()
	}
	if passes[1] > passes[0]+14/2 {
		t.Errorf("%d passes for 2 fits, %d for 16", passes[0], passes[1])
	}
}

// A path holds the coefficients of its models that are not 0, and nothing of the problem.
func TestPathsHoldFewCoefficients(t *testing.T) {
	const n, p = 40, 20_000
	start, index, value, y := []int{0}, []int32{}, []float64{}, make([]float64, n)
	for i := range n {
		y[i] = float64(i%2) + float64(i)/n
		index, value = append(index, int32(i%2), int32(100+i)), append(value, 2, 1)
		start = append(start, len(index))
	}
	x, err := linalg.NewCSR(n, p, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	before := linalgtest.Held()
	path, err := regression.LassoPath(x, y, nil, &regression.Options{Count: 20})
	if after := linalgtest.Held(); err != nil || len(path.Points) != 20 || after > before+8*p {
		t.Fatalf("%d points hold %d bytes of %d features, %v", len(path.Points), after-before, p, err)
	}
	for _, q := range path.Points {
		coef, intercept := q.Model.Coef()
		b, err := json.Marshal(q.Model)
		var back regression.Model
		if err != nil || json.Unmarshal(b, &back) != nil {
			t.Fatal(err)
		}
		if read, level := back.Coef(); !slices.Equal(read.Data, coef.Data) || !slices.Equal(level, intercept) {
			t.Errorf("λ %g: other coefficients", q.Penalty)
		}
		for i := range n {
			if index, value := x.Row(i); q.Model.PredictSparse(index, value) != back.PredictSparse(index, value) {
				t.Errorf("λ %g: another value", q.Penalty)
			}
		}
		if kept, _ := q.Model.Coef(); !slices.Equal(kept.Data, coef.Data) {
			t.Errorf("λ %g: other coefficients once a row was scored", q.Penalty)
		}
	}
}

// A path of sparse rows that are not moved to their means goes by batches where enough values are stored: several
// goroutines prove its fits, and none makes a pass over the rows.
func TestSparsePathsHaveTheBitsOfAnyWorkers(t *testing.T) {
	const n, p = 3000, 40
	x, y := linalgtest.Thinned(15, n, p, 0.25), linalgtest.Numbers(n)
	for i := range y {
		y[i] += 5 + x.At(i, 1) - 2*x.At(i, 3)
	}
	var want []float64
	for workers := range 5 {
		path, err := regression.LassoPath(linalgtest.Sparse(x), y, nil, &regression.Options{Count: 40, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, q := range path.Points {
			got = append(got, q.Objective, q.Report.Certificate().Value)
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d workers: other fits", workers)
		}
	}
}

// A ridge by passes has the tolerance and the cap of iterations that it is given as an elastic net, and one in closed form
// refuses the cap, of which it has no use.
func TestRidgeByPassesHasATolerance(t *testing.T) {
	const n = 510
	x, y := linalgtest.Thinned(14, n, 40, 0.2), linalgtest.Numbers(n)
	wide := spread(t, x, 60)
	m, err := regression.FitElasticNet(wide, y, &regression.Options{Lambda: 0.1, Tol: 1e-3})
	if err != nil || m.Report().Certificate().Tol != 1e-3 {
		t.Errorf("%v, %v", m, err)
	}
	m, err = regression.FitElasticNet(wide, y, &regression.Options{Lambda: 0.1, Tol: 1e-15, MaxIter: 1})
	if m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Report().Iterations() > 1 {
		t.Errorf("%v, %v", m, err)
	}
	var option *sample.OptionError
	if m, err = regression.New(make([]float64, 40), 0, nil); err != nil {
		t.Fatal(err)
	}
	for _, rows := range []linalg.Rows{x, linalgtest.Sparse(x)} {
		if m, err := regression.FitElasticNet(rows, y, &regression.Options{Lambda: 0.1, MaxIter: 1}); !errors.As(err, &option) || option.Name != "MaxIter" {
			t.Errorf("%v, %v", m, err)
		}
		if path, err := regression.ElasticNetPath(rows, y, []float64{0, 1}, &regression.Options{MaxIter: 1}); !errors.As(err, &option) {
			t.Errorf("%v, %v", path, err)
		}
		if a, err := m.Audit(rows, y, &regression.Options{Lambda: 0.1, MaxIter: 1}); !errors.As(err, &option) {
			t.Errorf("%v, %v", a, err)
		}
	}
}
