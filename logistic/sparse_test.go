package logistic_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

// The same fit on the same rows, stored dense and sparse: objectives agree, scores and
// predictions of sparse rows are those of dense ones and allocate nothing.
func TestSparseRowsFitAsDenseOnes(t *testing.T) {
	x := linalgtest.Thinned(7, 300, 40, 0.2)
	for i := range 300 {
		x.Set(i, 0, 1e4+float64(i%3)) // a full column, far from 0
	}
	w := make([]float64, 300)
	for i := range w {
		w[i] = float64(i % 4)
	}
	for _, k := range []int{2, 4} {
		y := make([]int, 300)
		for i := range y {
			y[i] = (i + int(2*x.At(i, 1+i%39))) & 7 % k
		}
		for name, o := range map[string]logistic.Options{
			"ridge": {Lambda: 0.5}, "weighted": {Lambda: 2, Weights: w}, "standardized": {Lambda: 1, Standardize: true},
			"no intercept": {Lambda: 1, NoIntercept: true}, "lasso": {Lambda: 1, L1Ratio: 1}, "elastic net": {Lambda: 2, L1Ratio: 0.4, Standardize: true},
		} {
			o.Tol = 1e-9
			dense, err := logistic.Fit(x, y, &o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			a := linalgtest.Sparse(x)
			sparse, err := logistic.Fit(a, y, &o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			linalgtest.Close(t, name, sparse.Report().Objective(), dense.Report().Objective(), 1e-10)
			labels, err := sparse.PredictRows(nil, a)
			if err != nil {
				t.Fatal(err)
			}
			scores, proba := make([]float64, 0, k), make([]float64, 0, k)
			for i := range 300 {
				index, value := a.Row(i)
				row := x.Row(i)
				scores = sparse.ScoresSparse(scores[:0], index, value)
				linalgtest.CloseSlice(t, name+", scores", scores, sparse.Scores(nil, row), 1e-10)
				proba = sparse.LogProbaSparse(proba[:0], index, value)
				linalgtest.CloseSlice(t, name+", log-probabilities", proba, sparse.LogProba(nil, row), 1e-10)
				proba = sparse.ProbaSparse(proba[:0], index, value)
				linalgtest.CloseSlice(t, name+", probabilities", proba, sparse.Proba(nil, row), 1e-10)
				if got := sparse.PredictSparse(index, value); got != labels[i] || got != sparse.Predict(row) {
					t.Fatalf("%s: row %d is of class %d, %d and %d", name, i, got, labels[i], sparse.Predict(row))
				}
			}
			index, value := a.Row(3)
			if n := testing.AllocsPerRun(10, func() {
				scores = sparse.ScoresSparse(scores[:0], index, value)
				proba = sparse.ProbaSparse(proba[:0], index, value)
				sparse.PredictSparse(index, value)
			}); n > 0 || math.IsNaN(scores[0]) {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	}
}

// A path on sparse rows has the objectives of one on the same rows stored dense, for two
// classes and more.
func TestSparsePathsAreDenseOnes(t *testing.T) {
	x := linalgtest.Thinned(9, 300, 60, 0.15)
	for _, k := range []int{2, 3} {
		y := make([]int, 300)
		for i := range y {
			y[i] = (i + int(3*x.At(i, 1+i%40))) & 15 % k
		}
		o := &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Tol: 1e-8}, Count: 12}
		dense, err := logistic.FitPath(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		sparse, err := logistic.FitPath(linalgtest.Sparse(x), y, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(dense.Points) != len(sparse.Points) || len(sparse.Points) < 8 {
			t.Fatalf("%d points and %d", len(sparse.Points), len(dense.Points))
		}
		for i, p := range sparse.Points {
			linalgtest.Close(t, "objective", p.Objective, dense.Points[i].Objective, 1e-10)
		}
	}
}

// A lasso of many features is saved by what it keeps, and comes back bit for bit.
func TestSparseModelsAreSmall(t *testing.T) {
	const n, p = 60, 12_000
	start, index, value, y := []int{0}, []int32{}, []float64{}, make([]int, n)
	for i := range n {
		y[i] = i % 3
		index, value = append(index, int32(y[i]), int32(100+i)), append(value, 2, 1)
		start = append(start, len(index))
	}
	x, err := linalg.NewCSR(n, p, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 3, L1Ratio: 1})
	if err != nil {
		t.Fatal(err)
	}
	coef, _ := m.Coef()
	b, err := json.Marshal(m)
	if err != nil || len(b) > 1500 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	var back logistic.Model
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if got, _ := back.Coef(); !slices.Equal(got.Data, coef.Data) {
		t.Error("other coefficients")
	}
}

// scarce returns rows of two values, and labels.
func scarce(t *testing.T, n, p int) (*linalg.CSR, []int) {
	t.Helper()
	start, index, value, y := []int{0}, []int32{}, []float64{}, make([]int, n)
	for i := range n {
		y[i] = i % 2
		index, value = append(index, int32(y[i]), int32(100+i)), append(value, 2, 1)
		start = append(start, len(index))
	}
	x, err := linalg.NewCSR(n, p, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	return x, y
}

// A path is its models: it holds their coefficients that are not 0, and nothing of the problem.
func TestPathsHoldFewCoefficients(t *testing.T) {
	const n, p = 40, 20_000
	x, y := scarce(t, n, p)
	before := linalgtest.Held()
	path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1}, Count: 20})
	if after := linalgtest.Held(); err != nil || len(path.Points) != 20 || after > before+8*p {
		t.Fatalf("%d points hold %d bytes of %d features, %v", len(path.Points), after-before, p, err)
	}
	for _, q := range path.Points {
		coef, _ := q.Model.Coef()
		b, err := json.Marshal(q.Model)
		var back logistic.Model
		if err != nil || json.Unmarshal(b, &back) != nil {
			t.Fatal(err)
		}
		for i := range n {
			index, value := x.Row(i)
			if !slices.Equal(q.Model.ScoresSparse(nil, index, value), back.ScoresSparse(nil, index, value)) {
				t.Errorf("λ %g: other scores", q.Penalty)
			}
		}
		read, _ := back.Coef()
		if now, _ := q.Model.Coef(); !slices.Equal(read.Data, coef.Data) || !slices.Equal(now.Data, coef.Data) {
			t.Errorf("λ %g: other coefficients", q.Penalty)
		}
	}
}

// Models are held against sparse rows without a copy of their coefficients.
func TestDeviancesOfSparseRowsCopyNoCoefficients(t *testing.T) {
	const n, p, count = 40, 20_000, 8
	x, y := scarce(t, n, p)
	m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = logistic.Deviances(slices.Repeat([]*logistic.Model{m}, count), x, y, &logistic.Options{Workers: 1})
	runtime.ReadMemStats(&after)
	// The origin of a model is copied once.
	if numbers := (after.TotalAlloc - before.TotalAlloc) / 8; err != nil || numbers > 2*p {
		t.Errorf("%d numbers for %d models of %d features, %v", numbers, count, p, err)
	}
}

// Conjugate gradients that do not come to the end, on sparse rows of which some repeat and with a weak ridge, are
// left for Newton's method by systems of the rows.
func TestSparseRowsThatRepeat(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	x, y := linalg.Zeros(220, 300), make([]int, 220)
	for i := range y {
		if y[i] = r.IntN(3); i > 0 && r.IntN(8) == 0 {
			copy(x.Row(i), x.Row(i-1))
			continue
		}
		for range 4 {
			x.Row(i)[r.IntN(x.Cols)] = r.NormFloat64() * math.Pow(10, float64(r.IntN(3)-1))
		}
	}
	m, err := logistic.Fit(linalgtest.Sparse(x), y, &logistic.Options{Lambda: 1e-3})
	if err != nil || m.Report().Iterations() > 60 {
		t.Error(m.Report(), err)
	}
}

// A coefficient of a column without values that a start has is 0 where there is a lasso, also by descents over columns.
func TestStartAtAColumnWithoutValues(t *testing.T) {
	x, y, start := linalgtest.Thinned(7, 300, 400, 0.05), make([]int, 300), make([]float64, 401)
	for i := range y {
		if y[i] = i % 2; x.At(i, 3)+x.At(i, 4) > 0 {
			y[i] = 1
		}
	}
	start[1+5] = 1 // Thinned leaves column 5 empty
	m := lt.MustFit(t, linalgtest.Sparse(x), y, &logistic.Options{Lambda: 1, L1Ratio: 1, Start: start, MaxIter: 100})
	if coef, _ := m.Coef(); coef.At(0, 5) != 0 || nonZero(m) == 0 {
		t.Errorf("the coefficient of an empty column is %g", coef.At(0, 5))
	}
}

// A ridge of many sparse features of which one has no penalty has no matrix of all features: those that no row has change
// nothing, and the fit is that of the others.
func TestSparseRidgeBesideAnUnpenalizedFeature(t *testing.T) {
	const n, p, few = 60, 30_000, 20
	narrow, y := linalgtest.Thinned(5, n, few, 0.2), make([]int, n)
	start, index, value := []int{0}, []int32{}, []float64{}
	for i := range n {
		y[i] = i * 7 % 5 % 2
		narrow.Set(i, 0, float64(i%3))
		for j, v := range narrow.Row(i) {
			if v != 0 {
				index, value = append(index, int32(j)), append(value, v)
			}
		}
		start = append(start, len(index))
	}
	x, err := linalg.NewCSR(n, p, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	factors := slices.Repeat([]float64{1}, p)
	factors[0] = 0
	m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1, PenaltyFactor: factors})
	if m == nil {
		t.Fatal(err)
	}
	want, failed := logistic.Fit(narrow, y, &logistic.Options{Lambda: 1, PenaltyFactor: factors[:few]})
	if failed != nil {
		t.Fatal(failed)
	}
	linalgtest.Close(t, "objective", m.Report().Objective()/want.Report().Objective(), 1, 1e-11)
	if c := m.Report().Certificate(); c.Holds() != (err == nil) {
		t.Errorf("%v, %v", c, err)
	}
	coef, _ := m.Coef()
	others, _ := want.Coef()
	linalgtest.CloseSlice(t, "coefficients", coef.Data[:few], others.Data, 1e-6)
}
