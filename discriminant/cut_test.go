package discriminant_test

import (
	"math"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg/linalgtest"
)

func TestBestCut(t *testing.T) {
	x, y := gaussians(6, 200, 3, 2, 0.5)
	for i := range y {
		if i%2 == 1 && i < 120 {
			y[i] = 0
		}
	}
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	f, w := make([]float64, x.Rows), make([]float64, x.Rows)
	for i := range f {
		f[i] = math.Round(10*must[float64](t)(l.LogOdds(x.Row(i), 1, 0))) / 10 // ties
		w[i] = float64(i % 4)
	}
	for _, weights := range [][]float64{nil, w} {
		cut := must[discriminant.Cut](t)(discriminant.BestCut(f, y, weights))
		errorAt := func(c float64) float64 {
			wrong, total := 0.0, 0.0
			for i, v := range f {
				wi := 1.0
				if weights != nil {
					wi = weights[i]
				}
				total += wi
				if (v > c) != (y[i] == 1) {
					wrong += wi
				}
			}
			return wrong / total
		}
		linalgtest.Close(t, "error at the cut", cut.Error, errorAt(cut.At), 1e-15)
		for c := -10.0; c < 10; c += 0.03 {
			if errorAt(c) < cut.Error {
				t.Fatalf("error %v at %v, %v at %v", cut.Error, cut.At, errorAt(c), c)
			}
		}
	}
	cut := must[discriminant.Cut](t)(discriminant.BestCut(f, y, nil))
	moved := must[*discriminant.LDA](t)(l.WithCut(cut.At))
	for i := range x.Rows {
		linalgtest.Close(t, "log-odds", must[float64](t)(moved.LogOdds(x.Row(i), 1, 0)), must[float64](t)(l.LogOdds(x.Row(i), 1, 0))-cut.At, 1e-12)
	}
	if m, err := l.WithCut(math.NaN()); err == nil || m != nil {
		t.Error("a cut at NaN was taken")
	}
	one := must[discriminant.Cut](t)(discriminant.BestCut([]float64{1, 2, 5, 6}, []int{3, 3, 9, 9}, nil))
	if one != (discriminant.Cut{At: 3.5}) {
		t.Errorf("cut %+v, want 3.5 without error", one)
	}
	widest := must[discriminant.Cut](t)(discriminant.BestCut([]float64{0, 1, 5, 9}, []int{3, 9, 3, 9}, nil))
	if widest != (discriminant.Cut{At: 7, Error: .25}) {
		t.Errorf("cut %+v, want 7 in the widest gap", widest)
	}
	// Fractional weights leave no rounding where no row is wrong.
	apart := must[discriminant.Cut](t)(discriminant.BestCut([]float64{1, 2, 3, 4, 5}, []int{3, 3, 3, 9, 9}, []float64{.1, .2, .3, .1, .7}))
	if apart != (discriminant.Cut{At: 3.5}) {
		t.Errorf("cut %+v, want 3.5 without error", apart)
	}
	// Neighbouring and extreme scores are still told apart, and one class may take all.
	for _, c := range []struct {
		f     []float64
		y     []int
		wrong float64
	}{
		{[]float64{1, math.Nextafter(1, 2)}, []int{0, 1}, 0},
		{[]float64{math.Nextafter(1, 2), math.Nextafter(1, 3) + 0x1p-52}, []int{0, 1}, 0},
		{[]float64{-math.MaxFloat64, math.MaxFloat64}, []int{0, 1}, 0},
		{[]float64{1e300, 1e300, 1e300}, []int{0, 1, 1}, 1. / 3},
		{[]float64{5, 4, 3, 2}, []int{1, 0, 0, 0}, 0},
		{[]float64{1, 2, 3, 4}, []int{1, 0, 0, 0}, 1. / 4},
	} {
		cut := must[discriminant.Cut](t)(discriminant.BestCut(c.f, c.y, nil))
		wrong := 0.0
		for i, v := range c.f {
			if (v > cut.At) != (c.y[i] == 1) {
				wrong++
			}
		}
		if linalgtest.Close(t, "error", cut.Error, c.wrong, 1e-15); wrong/float64(len(c.f)) != cut.Error {
			t.Errorf("%v: cut at %v errs on %v, not %v", c.f, cut.At, wrong, cut.Error)
		}
	}
	for name, f := range map[string]func() (discriminant.Cut, error){
		"three classes": func() (discriminant.Cut, error) { return discriminant.BestCut([]float64{1, 2, 3}, []int{0, 1, 2}, nil) },
		"one class":     func() (discriminant.Cut, error) { return discriminant.BestCut([]float64{1, 2}, []int{3, 3}, nil) },
		"NaN": func() (discriminant.Cut, error) {
			return discriminant.BestCut([]float64{1, math.NaN()}, []int{0, 1}, nil)
		},
		"labels": func() (discriminant.Cut, error) { return discriminant.BestCut([]float64{1, 2}, []int{0}, nil) },
		"weights": func() (discriminant.Cut, error) {
			return discriminant.BestCut([]float64{1, 2}, []int{0, 1}, []float64{1, -1})
		},
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
