package discriminant_test

import (
	"encoding/json"
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
	y[4], y[8] = 99, 98 // rows of weight 0 are deleted, with any label
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
		closeModels(t, "LDA", must[*discriminant.LDA](t)(discriminant.LDAFromMoments(merged, taken("lda", o))),
			must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, taken("lda", o))), x, 1e-12)
		closeModels(t, "reduced rank", must[*discriminant.ReducedRank](t)(discriminant.ReducedRankFromMoments(merged, taken("rrlda", o))),
			must[*discriminant.ReducedRank](t)(discriminant.FitReducedRank(x, y, taken("rrlda", o))), x, 1e-12)
		if pooled {
			if _, err := discriminant.QDAFromMoments(merged, nil); err == nil {
				t.Error("QDA from pooled moments")
			}
			if _, err := discriminant.RDAFromMoments(merged, nil); err == nil {
				t.Error("RDA from pooled moments")
			}
			continue
		}
		closeModels(t, "QDA", must[*discriminant.QDA](t)(discriminant.QDAFromMoments(merged, taken("qda", o))),
			must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, taken("qda", o))), x, 1e-12)
		closeModels(t, "RDA", must[*discriminant.QDA](t)(discriminant.RDAFromMoments(merged, taken("rda", o))),
			must[*discriminant.QDA](t)(discriminant.FitRDA(x, y, taken("rda", o))), x, 1e-12)
	}
}

func TestBitsDoNotDependOnWorkers(t *testing.T) {
	linalgtest.SkipEmulated(t)
	x, y := gaussians(22, 6000, 150, 3, 0.7) // several pieces of work, pooled or not
	for method, fit := range fits {
		var want []byte
		for _, workers := range []int{1, 3, 2, 16}[:max(2, linalgtest.Rounds(4, 4))] {
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
	o := &discriminant.Options{Classes: []int{0, 1, 2}, Weights: slices.Repeat([]float64{2}, 120), Priors: []float64{.2, .3, .5}, Costs: costs}
	x0, y0, o0 := x.Clone(), slices.Clone(y), *o
	w0, p0, c0 := slices.Clone(o.Weights), slices.Clone(o.Priors), costs.Clone()
	for method, fit := range fits {
		must[any](t)(fit(x, y, o))
		if !reflect.DeepEqual(x, x0) || !slices.Equal(y, y0) || !slices.Equal(o.Classes, []int{0, 1, 2}) ||
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
			if se := math.Sqrt(variance[i]); !(math.Abs(hits[i]-expected[i]) <= 3*se) {
				t.Errorf("%s: bin %d: %v of %v points, expected %.1f ± %.1f", name, i, hits[i], count[i], expected[i], se)
			}
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
