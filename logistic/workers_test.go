package logistic_test

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

// The bits of a fit do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	linalgtest.SkipEmulated(t)
	n, p := 20000, 12
	if testing.Short() {
		n = 6000
	}
	x := linalgtest.Normal(6, n, p)
	y, three := make([]int, n), make([]int, n)
	for i := range y {
		f := x.At(i, 0) - 0.5*x.At(i, 1) + 2*math.Sin(float64(i*i%1000))
		if f > 0 {
			y[i] = 1
		}
		three[i] = y[i]
		if x.At(i, 2)+math.Cos(float64(i%777)) > 0 {
			three[i] = 2
		}
	}
	for name, fit := range map[string]func(workers int) []float64{
		"likelihood": func(w int) []float64 { return parameters(t, x, y, &logistic.Options{Workers: w}) },
		"ridge":      func(w int) []float64 { return parameters(t, x, y, &logistic.Options{Lambda: 3, Workers: w}) },
		"elastic net": func(w int) []float64 {
			return parameters(t, x, y, &logistic.Options{Lambda: 30, L1Ratio: 0.5, Standardize: true, Workers: w})
		},
		"multinomial": func(w int) []float64 { return parameters(t, x, three, &logistic.Options{Lambda: 3, Workers: w}) },
		"three, lasso": func(w int) []float64 {
			return parameters(t, x, three, &logistic.Options{Lambda: 30, L1Ratio: 1, Workers: w})
		},
		"path": func(w int) []float64 {
			path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Workers: w}, Count: 12})
			if err != nil {
				t.Fatal(err)
			}
			var all []float64
			for _, p := range path.Points {
				all = append(all, lt.Intercepted(p.Model)...)
			}
			return all
		},
	} {
		one := fit(1)
		for _, w := range []int{2, 3, 16} {
			if got := fit(w); !slices.Equal(got, one) {
				t.Errorf("%s: %d workers differ from one", name, w)
			}
		}
	}
}

// The bits of what many rows and parameters lead to do not depend on the workers.
func TestWorkersWithManyParameters(t *testing.T) {
	linalgtest.SkipEmulated(t)
	for _, c := range []struct{ n, p, k int }{{12000, 100, 2}, {6000, 40, 6}} {
		x, y := linalgtest.LabeledRows(c.n, c.p, c.k)
		one, _ := lt.MustFit(t, x, y, &logistic.Options{Lambda: 1, Workers: 1}).Coef()
		for _, workers := range []int{3, 2, 16}[:linalgtest.Rounds(3, 3)] {
			more, _ := lt.MustFit(t, x, y, &logistic.Options{Lambda: 1, Workers: workers}).Coef()
			if !slices.Equal(one.Data, more.Data) {
				t.Errorf("%d classes: %d workers come to other bits", c.k, workers)
			}
		}
	}
}

// The bits of a path do not depend on the number of workers.
func TestPathWorkers(t *testing.T) {
	x, y := linalgtest.LabeledRows(700, 60, 2)
	var want *logistic.Path
	for _, workers := range []int{1, 2, 5} {
		path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Standardize: true, Workers: workers}, Count: 40})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = path
		}
		for k, p := range path.Points {
			linalgtest.CloseSlice(t, "coefficients", lt.Intercepted(p.Model), lt.Intercepted(want.Points[k].Model), 0)
		}
	}
}
