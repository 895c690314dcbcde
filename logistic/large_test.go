package logistic

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// The methods for many parameters arrive where Newton's does.
func TestLarge(t *testing.T) {
	n := 30000
	if testing.Short() {
		n = 4000
	}
	x, y := benchData(n, 40, 6) // 205 parameters
	for j := range x.Rows {
		row := x.Row(j)
		row[3] *= 1e4
		row[4] += 5 * row[5]
	}
	m := mustFit(t, x, y, &Options{Lambda: 1})
	mustCertify(t, m, x, y, 1, 1e-8)
	// The likelihood alone, with its check for separation.
	m = mustFit(t, x, y, nil)
	mustCertify(t, m, x, y, 0, 1e-10)
	stop := errors.New("enough")
	if _, err := Fit(x, y, &Options{Lambda: 1, Trace: func(s optimize.Step) error {
		if s.Iteration == 2 {
			return stop
		}
		return nil
	}}); !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("%v", err)
	}
	if m, err := Fit(x, y, &Options{Lambda: 1, MaxIter: 2, Start: make([]float64, 6*41)}); !errors.Is(err, optimize.ErrNotConverged) || m == nil {
		t.Errorf("%v", err)
	}
}

func TestWide(t *testing.T) {
	x := linalgtest.Normal(2, 120, 1600)
	y := make([]int, x.Rows)
	for i := range y {
		if x.At(i, 0)+x.At(i, 1) > 0 {
			y[i] = 1
		}
		x.Set(i, 2, 1e3*x.At(i, 2)+1e5)
	}
	m := mustFit(t, x, y, &Options{Lambda: 1})
	mustCertify(t, m, x, y, 1, 1e-8)
}

// Many rows start from a part of them and end at the same place.
func TestManyRows(t *testing.T) {
	n := 40000
	if testing.Short() {
		n = 10000
	}
	x, y := benchData(n, 20, 2)
	w := make([]float64, len(y))
	for i := range w {
		w[i] = float64(i % 3)
	}
	for _, o := range []*Options{nil, {Lambda: 5}, {Weights: w}} {
		near := mustFit(t, x, y, o)
		cold := Options{Start: make([]float64, 21)}
		if o != nil {
			cold.Lambda, cold.Weights = o.Lambda, o.Weights
		}
		linalgtest.CloseSlice(t, "coef", intercepted(near), intercepted(mustFit(t, x, y, &cold)), 1e-7)
	}
	// A NaN in a row that the parts do not see.
	x.Set(n-1, 7, math.Inf(1))
	var e *linalg.NonFiniteError
	if _, err := Fit(x, y, nil); !errors.As(err, &e) || e.Row != n-1 || e.Col != 7 {
		t.Errorf("%v", err)
	}
}

// Fits of many rows allocate O(n + p²), not O(np).
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which runs the short tests, empties pools")
	}
	x, y := benchData(40000, 20, 2)
	for name, o := range map[string]*Options{"likelihood": nil, "ridge": {Lambda: 1}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		mustFit(t, x, y, o)
		runtime.ReadMemStats(&after)
		if got, data := int64(after.TotalAlloc-before.TotalAlloc), int64(8*len(x.Data)); got > data/2 {
			t.Errorf("%s: %d bytes allocated for %d of data", name, got, data)
		}
	}
}
