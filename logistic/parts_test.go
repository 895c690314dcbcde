package logistic

import (
	"runtime"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// The parts that sparse rows have in an excess are those of the same rows stored dense, and no row is copied to a dense one.
func TestPartsOfSparseRows(t *testing.T) {
	x, y := linalgtest.Thinned(3, 200, 12, 0.3), make([]int, 200)
	for k := 2; k <= 3; k++ {
		functions := k * (k - 1) / 2
		classes, origin := linalg.Sequence(k), make([]float64, 12)
		origin[1], origin[7] = 0.5, -2
		o := &Options{Offset: linalgtest.Numbers(200 * functions)}
		for i := range y {
			y[i] = i % k
		}
		models := make([]*Model, 2)
		for i := range models {
			models[i] = newModel(classes, linalgtest.Normal(uint64(k+i), functions, 12), linalgtest.Numbers(functions), origin, Elsewhere, optimize.Report{})
		}
		want, err := models[0].parts(models[1], x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := models[0].parts(models[1], linalgtest.Sparse(x), y, o)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.CloseSlice(t, "parts", got, want, 1e-12)
	}
	const p = 1 << 20
	wide, err := linalg.NewCSR(2, p, []int{0, 1, 2}, []int32{5, p - 1}, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	m := newModel([]int{0, 1}, linalg.Zeros(1, p), []float64{1}, nil, Elsewhere, optimize.Report{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = m.parts(m, wide, []int{0, 1}, &Options{})
	runtime.ReadMemStats(&after)
	if more := after.TotalAlloc - before.TotalAlloc; err != nil || more > p {
		t.Errorf("the parts of two values take %d bytes, %v", more, err)
	}
}
