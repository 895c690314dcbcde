package discriminant_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/moments"
)

// scorer is what all models are.
type scorer interface {
	classifier
	Scores(dst, row []float64) []float64
	Classes() []int
	Features() int
}

// closeModels compares the scores of two models on rows.
func closeModels(t *testing.T, what string, a, b any, x *linalg.Dense, tol float64) {
	t.Helper()
	f, g := a.(scorer), b.(scorer)
	if !slices.Equal(f.Classes(), g.Classes()) || f.Features() != g.Features() {
		t.Errorf("%s: classes %v and %v", what, f.Classes(), g.Classes())
		return
	}
	for i := range x.Rows {
		u, v := f.Proba(nil, x.Row(i)), g.Proba(nil, x.Row(i))
		for k := range u {
			if d := linalgtest.Diff(u[k], v[k]); d > tol {
				t.Errorf("%s: row %d, class %d: %v and %v differ by %.2g > %.2g", what, i, k, u[k], v[k], d, tol)
				return
			}
		}
	}
}

func TestWeightsAreRepeatedRows(t *testing.T) {
	x, y := gaussians(20, 240, 3, 3, 0.7)
	w := make([]float64, x.Rows)
	var rows [][]float64
	var labels []int
	for i := range w {
		w[i] = float64(i % 4)
		for range i % 4 {
			rows, labels = append(rows, x.Row(i)), append(labels, y[i])
		}
	}
	y[4], y[8] = 99, 98 // rows of weight 0 are deleted, whatever they say
	repeated, _ := linalg.FromRows(rows)
	for method, fit := range fits {
		for _, o := range []discriminant.Options{{Alpha: 0.3}, {Divisor: discriminant.MLE, Alpha: 0.6}} {
			b := must[any](t)(fit(repeated, labels, &o))
			o.Weights = w
			closeModels(t, method, must[any](t)(fit(x, y, &o)), b, x, 1e-11)
		}
	}
}

func TestMergedMomentsFitTheWhole(t *testing.T) {
	x, y := gaussians(21, 400, 4, 4, 0.7)
	for i := range x.Data {
		x.Data[i] += 1000
	}
	for _, pooled := range []bool{true, false} {
		merged, _ := moments.New(4, pooled)
		for lo := 0; lo < 400; lo += 100 {
			part, _ := moments.New(4, pooled)
			if err := part.AddRows(x.RowRange(lo, lo+100), y[lo:lo+100], nil, 0); err != nil {
				t.Fatal(err)
			}
			// Parts travel as files.
			b, err := json.Marshal(part)
			if err != nil {
				t.Fatal(err)
			}
			var back moments.ByClass
			if err := json.Unmarshal(b, &back); err != nil {
				t.Fatal(err)
			}
			if err := merged.Merge(&back); err != nil {
				t.Fatal(err)
			}
		}
		o := &discriminant.Options{Alpha: 0.5}
		closeModels(t, "LDA", must[*discriminant.LDA](t)(discriminant.LDAFromMoments(merged, o)),
			must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, o)), x, 1e-12)
		closeModels(t, "reduced rank", must[*discriminant.ReducedRank](t)(discriminant.ReducedRankFromMoments(merged, o)),
			must[*discriminant.ReducedRank](t)(discriminant.FitReducedRank(x, y, o)), x, 1e-12)
		if pooled {
			if _, err := discriminant.QDAFromMoments(merged, nil); err == nil {
				t.Error("QDA from pooled moments")
			}
			if _, err := discriminant.RDAFromMoments(merged, nil); err == nil {
				t.Error("RDA from pooled moments")
			}
			continue
		}
		closeModels(t, "QDA", must[*discriminant.QDA](t)(discriminant.QDAFromMoments(merged, o)),
			must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, o)), x, 1e-12)
		closeModels(t, "RDA", must[*discriminant.QDA](t)(discriminant.RDAFromMoments(merged, o)),
			must[*discriminant.QDA](t)(discriminant.FitRDA(x, y, o)), x, 1e-12)
	}
}

func TestMomentsOfNothing(t *testing.T) {
	empty, _ := moments.New(2, false)
	for _, m := range []*moments.ByClass{nil, empty} {
		_, a := discriminant.LDAFromMoments(m, nil)
		_, b := discriminant.QDAFromMoments(m, nil)
		_, c := discriminant.RDAFromMoments(m, nil)
		_, d := discriminant.ReducedRankFromMoments(m, nil)
		_, _, _, e := discriminant.Decompose(m)
		for _, err := range []error{a, b, c, d, e} {
			if err == nil {
				t.Errorf("%v: a model", m)
			}
		}
	}
}

// A number that no fit takes is named with its row and column.
func TestNumbersOutOfRangeAreNamed(t *testing.T) {
	for method, fit := range fits {
		x, y := gaussians(31, 60, 2, 3, 1)
		w := slices.Repeat([]float64{1}, 60)
		for _, v := range []float64{1e200, -1e-200} {
			x.Set(17, 1, v)
			var e *linalg.RangeError
			if _, err := fit(x, y, nil); !errors.As(err, &e) || *e != (linalg.RangeError{What: "x", Row: 17, Column: 1, Value: v}) {
				t.Errorf("%s: %v", method, err)
			}
			x.Set(17, 1, 0.5)
			w[8] = math.Abs(v)
			if _, err := fit(x, y, &discriminant.Options{Weights: w}); !errors.As(err, &e) || *e != (linalg.RangeError{What: "weights", Row: 8, Value: w[8]}) {
				t.Errorf("%s: %v", method, err)
			}
			w[8] = 1
		}
	}
}

func TestBitsDoNotDependOnWorkers(t *testing.T) {
	x, y := gaussians(22, 6000, 150, 3, 0.7) // several pieces of work, pooled or not
	for method, fit := range fits {
		var want []byte
		for _, workers := range []int{1, 2, 3, 16} {
			got, err := json.Marshal(must[any](t)(fit(x, y, &discriminant.Options{Workers: workers, Alpha: 0.5})))
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			} else if string(got) != string(want) {
				t.Errorf("%s: %d workers give other bits", method, workers)
			}
		}
	}
}

func TestInputsAreNotWritten(t *testing.T) {
	x, y := gaussians(23, 120, 3, 3, 0.7)
	costs := linalg.Zeros(3, 3)
	costs.Set(0, 1, 2)
	o := &discriminant.Options{Classes: []int{2, 0, 1}, Weights: slices.Repeat([]float64{2}, 120), Priors: []float64{.2, .3, .5}, Costs: costs}
	x0, y0, o0 := x.Clone(), slices.Clone(y), *o
	w0, p0, c0 := slices.Clone(o.Weights), slices.Clone(o.Priors), costs.Clone()
	for method, fit := range fits {
		must[any](t)(fit(x, y, o))
		if !reflect.DeepEqual(x, x0) || !slices.Equal(y, y0) || !slices.Equal(o.Classes, []int{2, 0, 1}) ||
			!slices.Equal(o.Weights, w0) || !slices.Equal(o.Priors, p0) || !reflect.DeepEqual(costs, c0) || o.Costs != o0.Costs {
			t.Errorf("%s wrote to its input", method)
		}
	}
}

func TestCostsMinimiseExpectedCost(t *testing.T) {
	x, y := gaussians(24, 300, 2, 3, 0.6)
	costs, _ := linalg.FromRows([][]float64{{0, 1, 5}, {2, 0, 1}, {1, 3, 0}})
	for _, method := range []string{"lda", "qda", "rda", "rrlda"} {
		m := must[any](t)(fits[method](x, y, &discriminant.Options{Costs: costs})).(scorer)
		plain := must[any](t)(fits[method](x, y, nil)).(scorer)
		rows, err := m.PredictRows(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		changed := 0
		for i := range x.Rows {
			p := m.Proba(nil, x.Row(i))
			linalgtest.CloseSlice(t, "posterior", p, plain.Proba(nil, x.Row(i)), 1e-15)
			best, least := 0, math.Inf(1)
			for g := range 3 {
				cost := 0.0
				for k, v := range p {
					cost += costs.At(k, g) * v
				}
				linalgtest.Close(t, "score", m.Scores(nil, x.Row(i))[g], -cost, 1e-14)
				if cost < least {
					best, least = g, cost
				}
			}
			if m.Predict(x.Row(i)) != best || rows[i] != best {
				t.Fatalf("%s: row %d decided as %d and %d, least cost %d", method, i, m.Predict(x.Row(i)), rows[i], best)
			}
			if best != plain.Predict(x.Row(i)) {
				changed++
			}
		}
		if changed == 0 {
			t.Errorf("%s: the costs changed no decision", method)
		}
	}
}

func TestPredictionsAgreeAndAllocateNothing(t *testing.T) {
	x, y := gaussians(25, 700, 20, 4, 0.3)
	for method, fit := range fits {
		m := must[any](t)(fit(x, y, nil)).(scorer)
		rows, err := m.PredictRows([]int{-1}, x)
		if err != nil || rows[0] != -1 || len(rows) != 701 {
			t.Fatalf("%s: PredictRows does not append: %d, %v", method, len(rows), err)
		}
		scores := make([]float64, 0, 4)
		for i := range x.Rows {
			scores = m.Scores(scores[:0], x.Row(i))
			if c := m.Classes()[linalg.ArgMax(scores)]; c != m.Predict(x.Row(i)) || c != rows[i+1] {
				t.Fatalf("%s: row %d: argmax %d, Predict %d, PredictRows %d", method, i, c, m.Predict(x.Row(i)), rows[i+1])
			}
		}
		if n := testing.AllocsPerRun(100, func() {
			scores = m.Scores(scores[:0], x.Row(3))
			scores = m.Proba(scores[:0], x.Row(3))
			m.Predict(x.Row(3))
		}); n != 0 && !linalgtest.Race {
			t.Errorf("%s: %v allocations a row", method, n)
		}
	}
}

// scikit-learn's eigen solver shrinks as (4.14) does.
func TestShrinkageAgainstScikitLearn(t *testing.T) {
	var g struct {
		Sets []struct {
			Shrinkage float64
			Posterior [][]float64
		}
	}
	linalgtest.Golden(t, "testdata/shrinkage.json", &g)
	x, y := iris(t)
	for _, s := range g.Sets {
		o := &discriminant.Options{Shrinkage: s.Shrinkage, Divisor: discriminant.MLE, Priors: []float64{.2, .3, .5}}
		// scikit-learn weights the class covariances by the priors, not the counts.
		o.Weights = make([]float64, x.Rows)
		for i, k := range y {
			o.Weights[i] = o.Priors[k]
		}
		l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, o))
		for i, want := range s.Posterior {
			linalgtest.CloseSlice(t, "posterior", l.Proba(nil, x.Row(3*i)), want, 1e-9)
		}
	}
}

// Of a million points drawn from a model's own densities, those given posterior
// probabilities in each tenth of [0, 1] belong to the class that often, within 3
// standard errors. (Ten bins of two models: for a random seed one in 20 would be
// beyond somewhere; the seed is fixed.)
func TestPosteriorsAreCalibrated(t *testing.T) {
	if testing.Short() {
		t.Skip("a million points")
	}
	x, y := iris(t)
	o := &discriminant.Options{Ridge: 0.4} // wide classes, so that they overlap
	for name, m := range map[string]interface {
		scorer
		Bayes() *discriminant.Bayes
	}{
		"LDA": must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, o)),
		"QDA": must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, o)),
	} {
		const n = 1000000
		b, r := m.Bayes(), rand.New(rand.NewPCG(1, 1))
		var count, hits, expected, variance [10]float64
		var row, p []float64
		for range n {
			var class int
			row, class = b.Sample(row[:0], r)
			p = m.Proba(p[:0], row)
			v := p[1]
			bin := min(9, int(10*v))
			count[bin]++
			expected[bin] += v
			variance[bin] += v * (1 - v)
			if class == 1 {
				hits[bin]++
			}
		}
		for i := range count {
			if count[i] < 1000 {
				t.Errorf("%s: bin %d holds %v points", name, i, count[i])
			}
			if se := math.Sqrt(variance[i]); math.Abs(hits[i]-expected[i]) > 3*se {
				t.Errorf("%s: bin %d: %v of %v points, expected %.1f ± %.1f", name, i, hits[i], count[i], expected[i], se)
			}
		}
	}
}

// An invertible affine map of the features, another order of the rows and other
// names of the classes change no probability.
func TestInvariance(t *testing.T) {
	x, y := gaussians(26, 200, 3, 3, 0.6)
	r := rand.New(rand.NewPCG(9, 9))
	a := linalgtest.Normal(27, 3, 3)
	mapped, order := linalg.Zeros(200, 3), r.Perm(200)
	shuffled, sy, flipped := linalg.Zeros(200, 3), make([]int, 200), make([]int, 200)
	for i := range x.Rows {
		linalg.MulVec(mapped.Row(i), a, x.Row(i), 1)
		linalg.Axpy(mapped.Row(i), 1, []float64{10, -20, 30})
		copy(shuffled.Row(i), x.Row(order[i]))
		sy[i], flipped[i] = y[order[i]], -7*y[i]
	}
	for method, fit := range fits {
		o := &discriminant.Options{Alpha: 0.4, Softmax: true}
		m := must[any](t)(fit(x, y, o)).(scorer)
		affine := must[any](t)(fit(mapped, y, o)).(scorer)
		renamed := must[any](t)(fit(x, flipped, o)).(scorer)
		closeModels(t, method+" on shuffled rows", must[any](t)(fit(shuffled, sy, o)), m, x, 1e-12)
		for i := range x.Rows {
			p := m.Proba(nil, x.Row(i))
			linalgtest.CloseSlice(t, method+" after an affine map", affine.Proba(nil, mapped.Row(i)), p, 1e-11)
			slices.Reverse(p)
			linalgtest.CloseSlice(t, method+" with other labels", renamed.Proba(nil, x.Row(i)), p, 1e-12)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	x, y := gaussians(28, 64, 30, 3, 0.6)
	x, y = x.RowRange(0, 63), y[:63]
	for method, fit := range fits {
		m := must[any](t)(fit(x, y, &discriminant.Options{Ridge: 0.5})).(scorer)
		want, err := m.PredictRows(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		file, _ := json.Marshal(m)
		var wg sync.WaitGroup
		for range 64 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				got, err := m.PredictRows(nil, x)
				again, _ := json.Marshal(m)
				if err != nil || !slices.Equal(got, want) || string(again) != string(file) {
					t.Errorf("%s: another answer beside other goroutines", method)
				}
				for i := range x.Rows {
					if c := m.Predict(x.Row(i)); c != want[i] {
						t.Errorf("%s: row %d: %d, want %d", method, i, c, want[i])
					}
				}
			}()
		}
		wg.Wait()
	}
}

// A weight that is the number of means but for rounding leaves no divisor to trust,
// unless there is one row for each; the maximum likelihood divisor is not lost.
func TestLostDivisor(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{0, 1}, {1, 3}, {2, -1}, {4, 1}, {5, 1}, {4, 3}})
	y := []int{0, 0, 0, 1, 1, 1}
	own := &discriminant.Options{Weights: []float64{1, 1, 1, 1, 1e-30, 1e-30}, Alpha: .5}
	both := &discriminant.Options{Weights: []float64{1, 1e-30, 1e-30, 1, 1e-30, 1e-30}}
	var lost *linalg.ClassError
	if m, err := discriminant.FitRDA(x, y, own); m != nil || !errors.As(err, &lost) || lost.Class != 1 || lost.Rows != 3 {
		t.Errorf("RDA: %v", err)
	}
	if m, err := discriminant.FitQDA(x, y, own); m != nil || !errors.As(err, &lost) || lost.Class != 1 {
		t.Errorf("QDA: %v", err)
	}
	if m, err := discriminant.FitLDA(x, y, both); m != nil || !errors.As(err, &lost) {
		t.Errorf("LDA: %v", err)
	}
	if _, err := discriminant.FitLDA(x, y, own); err != nil {
		t.Errorf("LDA with N − K = 2: %v", err)
	}
	both.Divisor, both.Ridge = discriminant.MLE, 1
	if _, err := discriminant.FitLDA(x, y, both); err != nil {
		t.Errorf("divisor N: %v", err)
	}
	if _, err := discriminant.FitRDA(x.RowRange(0, 4), y[:4], &discriminant.Options{Alpha: .5}); err != nil {
		t.Errorf("a class of one row: %v", err)
	}
}

// A column that varies by no more than 1e-12 of its values is constant to every
// model, and one that varies by 1e-11 is not.
func TestSpreadBesideSize(t *testing.T) {
	x, y := linalg.Zeros(40, 2), make([]int, 40)
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		spread float64
		flat   bool
	}{{1e-5, true}, {1e-2, false}} {
		for i := range y {
			y[i] = i % 2
			x.Set(i, 0, r.NormFloat64()+float64(y[i]))
			x.Set(i, 1, 1e9+c.spread*r.NormFloat64())
		}
		_, lda := discriminant.FitLDA(x, y, nil)
		_, qda := discriminant.FitQDA(x, y, nil)
		_, reduced := discriminant.FitReducedRank(x, y, nil)
		for name, err := range map[string]error{"lda": lda, "qda": qda, "reduced": reduced} {
			var rank *linalg.RankError
			if errors.As(err, &rank) != c.flat || c.flat && !slices.Equal(rank.Columns, []int{1}) {
				t.Errorf("%s, spread %g of 1e9: %v", name, c.spread, err)
			}
		}
	}
}
