package flags

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"halfspace/linalg"
	"halfspace/sim/dataset"
)

// largeTable is the size of a table, in bytes, from which on memory is spared. Beside it the heap
// may grow, between collections, by a share of the table in percent and at least by some bytes:
// more for fits of dense tables, which leave more behind. (Measured: with 2 MB a lasso path of 500 × 10,000
// takes a quarter longer than with 16 MB. Beside 78 MB of sparse rows 1 MB in place
// of 4 costs a path no time, and 4 MB less are resident.)
const (
	largeTable                = 1 << 25
	sparedDense, sparedSparse = 5, 1
	leastDense, leastSparse   = 1 << 24, 1 << 20
)

// leastFile is the size of a file from which on large pages are asked for: a few times its size, but no
// less than leastReserved and no more than mostReserved. (Measured: asking takes 4 ms, and a ridge
// logistic regression of 200 × 5,000, 10,000 values that are not 0, then 6 in place of 12.)
const leastFile, reservedTimes, leastReserved, mostReserved = 1 << 17, 4, 1 << 25, 1 << 30

// LargePages has a program that is to read a file keep it, and what a fit takes beside it, in large
// pages of memory if it is not small: see [linalg.ReserveLarge].
func LargePages(path string) {
	if file, err := os.Stat(path); err == nil && file.Size() >= leastFile {
		linalg.ReserveLarge(int(min(max(leastReserved, reservedTimes*file.Size()), mostReserved)))
	}
}

// SpareMemory has the heap of a program that holds a large table grow by little between
// collections, not to twice its size. The table is most of the heap and has no pointers, so
// that these cost next to nothing. Beside a table of less it grows by leastDense, of which the
// program has asked for large pages. GOGC in the environment has its way. It reports whether the
// table is large.
func SpareMemory(d *dataset.Data) bool {
	h := &heap{least: 100, most: mostGrowth, growth: leastDense}
	switch {
	case d.X != nil:
		h.table = 8 * len(d.X.Data)
	case d.Sparse != nil:
		h.table = 12 * d.Sparse.Stored()
	}
	if h.table < leastFile || os.Getenv("GOGC") != "" {
		return false
	}
	large := h.table >= largeTable
	if large {
		h.least, h.most = 0, 100
		h.growth = max(h.growth, h.table*sparedDense/100)
	}
	if large && d.X == nil {
		h.growth = max(leastSparse, h.table*sparedSparse/100)
		debug.FreeOSMemory() // of the pieces that were read, too small for a copy by columns to lie in
	}
	if last := held.Load(); last == nil || last.table <= h.table {
		held.Store(h)
		h.grow()
	}
	return large
}

// mostGrowth is by how many percent the heap grows at most. (Measured: without a collection, which
// touches memory of its own, a ridge logistic regression of 200 × 5,000 sparse rows takes 7 in place of 17 ms.)
const mostGrowth = 400

// heap is how the heap grows beside a table of so many bytes: by growth, in percent of what is
// alive by no less than least and no more than most.
type heap struct{ table, growth, least, most int }

// held is the heap beside the largest table that was read.
var held atomic.Pointer[heap]

// grow says by how many percent the heap grows until the next collection, after which the finalizer of an
// object that it finds dead says it anew.
func (h *heap) grow() {
	if held.Load() != h {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := 1 + 100*h.growth/max(1, int(live[0].Value.Uint64()))
	debug.SetGCPercent(min(h.most, max(h.least, percent)))
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) { h.grow() })
}
