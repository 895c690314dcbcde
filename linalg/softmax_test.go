package linalg_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/internal/kernel"
)

func near(a, b, tol float64) bool {
	return a == b || a != a && b != b || math.Abs(a-b) <= tol*math.Max(math.Abs(a), math.Abs(b))
}

func TestLogSumExp(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		v    []float64
		want float64
	}{
		{nil, -inf},
		{[]float64{3}, 3},
		{[]float64{0, 0}, math.Ln2},
		{[]float64{1e4, 1e4}, 1e4 + math.Ln2},
		{[]float64{-1e4, -1e4, -1e4}, -1e4 + math.Log(3)},
		{[]float64{-1e308, 1e308}, 1e308},
		{[]float64{-inf, 2}, 2},
		{[]float64{-inf, -inf}, -inf},
		{[]float64{inf, 2}, inf},
		{[]float64{inf, nan}, nan},
		{[]float64{nan, inf}, nan},
	} {
		if got := linalg.LogSumExp(c.v); !near(got, c.want, 1e-15) {
			t.Errorf("LogSumExp(%v) = %v, want %v", c.v, got, c.want)
		}
	}
}

func TestSoftmax(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	e := math.Exp(-1)
	for _, c := range []struct{ v, want []float64 }{
		{[]float64{}, []float64{}},
		{[]float64{-7}, []float64{1}},
		{[]float64{1, 1}, []float64{0.5, 0.5}},
		{[]float64{1e4, 1e4 - 1}, []float64{1 / (1 + e), e / (1 + e)}},
		{[]float64{-1e4, -1e4 + 1}, []float64{e / (1 + e), 1 / (1 + e)}},
		{[]float64{-1e308, 1e308}, []float64{0, 1}},
		{[]float64{0, -745}, []float64{1, math.Exp(-745)}},
		{[]float64{-inf, 0}, []float64{0, 1}},
		{[]float64{nan, 0}, []float64{nan, nan}},
		{[]float64{inf, 0}, []float64{nan, nan}},
	} {
		got := append([]float64(nil), c.v...)
		linalg.Softmax(got)
		for k := range got {
			if !near(got[k], c.want[k], 1e-15) {
				t.Errorf("Softmax(%v) = %v, want %v", c.v, got, c.want)
				break
			}
		}
	}
}

func TestLogisticIsSigmoidAndLog1pExp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	v := []float64{0, 800, -800, 40, -40, math.Inf(1), math.Inf(-1), math.NaN()}
	for range 1000 {
		v = append(v, 30*r.NormFloat64())
	}
	prob, loss, e := make([]float64, len(v)), make([]float64, len(v)), make([]float64, len(v))
	linalg.Logistic(prob, loss, v)
	linalg.Exp(e, v)
	for i, x := range v {
		if p, l := linalg.Sigmoid(x), linalg.Log1pExp(x); !near(prob[i], p, 1e-15) || !near(loss[i], l, 1e-15) {
			t.Errorf("at %v: %v and %v, want %v and %v", x, prob[i], loss[i], p, l)
		}
		if w := math.Exp(x); !near(e[i], w, 1e-15) {
			t.Errorf("exp(%v) = %v, want %v", x, e[i], w)
		}
	}
}

// Rows with many equals, NaN and infinities, of lengths about those of vectors, and
// what lies behind them is larger.
func TestArgMaxRows(t *testing.T) {
	values := []float64{math.NaN(), -math.NaN(), math.Inf(-1), math.Inf(1), 0, math.Copysign(0, -1), 1, -1, 2, -2}
	for _, level := range kernel.Levels() {
		t.Run(level.String(), func(t *testing.T) {
			defer kernel.Use(kernel.Use(level))
			r := rand.New(rand.NewPCG(5, 6))
			for k := range 40 {
				for n := range 12 {
					x := linalg.Zeros(n, k+1)
					for i := range n {
						kinds := 1 + r.IntN(len(values))
						for j := range k {
							x.Set(i, j, values[r.IntN(kinds)])
						}
						x.Set(i, k, math.Inf(1))
					}
					x.Cols, x.Data = k, x.Data[:max(0, (n-1)*(k+1)+k)]
					got := make([]int, n+1)
					got[n] = 77
					linalg.ArgMaxRows(got[:n], x)
					for i := range n {
						if want := linalg.ArgMax(x.Row(i)); got[i] != want {
							t.Fatalf("row %v: %d, want %d", x.Row(i), got[i], want)
						}
					}
					if got[n] != 77 {
						t.Fatal("write behind the end")
					}
				}
			}
		})
	}
}

func TestArgMax(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		v    []float64
		want int
	}{
		{nil, -1}, {[]float64{3}, 0}, {[]float64{1, 2, 2}, 1}, {[]float64{math.Inf(-1), -5}, 1},
		{[]float64{nan, 1, 2}, 2}, {[]float64{1, nan, 0}, 0}, {[]float64{nan, nan}, 0}, {[]float64{nan, math.Inf(-1)}, 1},
		{[]float64{-3, -1e-300, -2}, 1}, {[]float64{math.Copysign(0, -1), 0}, 0}, {[]float64{1, math.Copysign(nan, -1), math.Inf(1)}, 2},
		{[]float64{math.Copysign(nan, -1), -math.MaxFloat64, math.Inf(-1)}, 1},
	} {
		if got := linalg.ArgMax(c.v); got != c.want {
			t.Errorf("ArgMax(%v) = %d, want %d", c.v, got, c.want)
		}
	}
}
