package flags_test

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"halfspace/linalg"
	"halfspace/sim/dataset"
	"halfspace/sim/dataset/flags"
)

// Beside a large table the heap grows by less than to twice its size, unless the environment
// says by how much.
func TestMemoryIsSparedBesideLargeTables(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	flags.Forget()
	defer flags.Forget()
	small, large := &dataset.Data{X: linalg.Zeros(10, 10)}, &dataset.Data{X: linalg.Zeros(5000, 1000)}
	t.Setenv("GOGC", "")
	if flags.SpareMemory(small) || !flags.SpareMemory(large) {
		t.Error("a small table is large, or a large one small")
	}
	for stored, spared := range map[int]bool{100: false, 2_800_000: true} { // of 12 bytes each
		if got := flags.SpareMemory(&dataset.Data{Sparse: storing(t, stored)}); got != spared {
			t.Errorf("%d stored values: large %t", stored, got)
		}
	}
	flags.SpareMemory(&dataset.Data{X: linalg.Zeros(500, 100)}) // read beside the large one
	if now := growthWhere(func(percent uint64) bool { return percent < 100 }); now >= 100 {
		t.Errorf("the heap grows by %d %%", now)
	}
	runtime.KeepAlive(large)
	if now := growthWhere(func(percent uint64) bool { return percent == 100 }); now != 100 {
		t.Errorf("without a large table the heap grows by %d %%", now)
	}
	t.Setenv("GOGC", "80")
	if flags.SpareMemory(&dataset.Data{X: linalg.Zeros(5000, 1000)}) {
		t.Error("GOGC in the environment is overruled")
	}
}

// Beside a table that is neither small nor large the heap grows by as much as has large pages.
func TestHeapGrowsFreelyBesideTablesOfSomeSize(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	flags.Forget()
	defer flags.Forget()
	t.Setenv("GOGC", "")
	large := flags.SpareMemory(&dataset.Data{X: linalg.Zeros(200, 100)})
	if now := growthWhere(func(percent uint64) bool { return percent == 400 }); now != 400 || large {
		t.Errorf("200 × 100, large %v: the heap grows by %d %%", large, now)
	}
	x := linalg.Zeros(10_000, 1_000)
	if now := growthWhere(func(percent uint64) bool { return percent == 100 }); now != 100 {
		t.Errorf("beside 80 MB the heap grows by %d %%", now)
	}
	runtime.KeepAlive(x)
}

// growthWhere collects garbage until the growth is as asked, at most 100 times, and returns it.
func growthWhere(asked func(percent uint64) bool) uint64 {
	for range 100 {
		runtime.GC()
		if asked(growth()) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return growth()
}

// growth returns by how many percent the heap may grow until it is collected.
func growth() uint64 {
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(percent)
	return percent[0].Value.Uint64()
}

// Once a large sparse table is read, the memory of what it was read in goes back to the system.
func TestPiecesOfASparseFileAreGivenBack(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	flags.Forget()
	defer flags.Forget()
	t.Setenv("GOGC", "")
	const stored = 3_000_000
	x := storing(t, stored)
	linalg.Zeros(1000, 10_000) // 80 MB
	flags.SpareMemory(&dataset.Data{Sparse: x})
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if kept := m.HeapAlloc + m.HeapIdle - m.HeapReleased; kept > 12*stored+40<<20 {
		t.Errorf("%d MB are kept beside 36", kept>>20)
	}
	runtime.KeepAlive(x)
}

// storing returns a sparse row that stores so many values.
func storing(t *testing.T, stored int) *linalg.CSR {
	t.Helper()
	index := make([]int32, stored)
	for j := range index {
		index[j] = int32(j)
	}
	x, err := linalg.NewCSR(1, stored, []int{0, stored}, index, make([]float64, stored))
	if err != nil {
		t.Fatal(err)
	}
	return x
}
