package flags

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"halfspace/linalg"
	"halfspace/sim/dataset"
)

// largeTable is the size of a table, in bytes, from which on memory is spared. Beside it the heap
// may grow, between collections, by a share of the table in percent and at least by some bytes:
// more for fits of dense tables, which leave more behind. (Measured: with 2 MB a lasso path of 500 × 10,000
// takes a quarter longer than with 16 MB.)
const (
	largeTable                = 1 << 25
	sparedDense, sparedSparse = 5, 2
	leastDense, leastSparse   = 1 << 24, 1 << 22
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
// that these cost next to nothing. GOGC in the environment has its way. It reports whether the
// table is large.
func SpareMemory(d *dataset.Data) bool {
	bytes, growth := 0, 0
	switch {
	case d.X != nil:
		bytes = 8 * len(d.X.Data)
		growth = max(leastDense, bytes*sparedDense/100)
	case d.Sparse != nil:
		bytes = 12 * d.Sparse.Stored()
		growth = max(leastSparse, bytes*sparedSparse/100)
	}
	if bytes < largeTable || os.Getenv("GOGC") != "" {
		return false
	}
	growBy(growth)
	return true
}

// growBy has the heap grow by so many bytes from one collection to the next, but at most to
// twice what is alive: after each one the finalizer of an object that it finds dead says anew how
// many percent that is.
func growBy(bytes int) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(min(100, 1+100*bytes/max(1, int(live[0].Value.Uint64()))))
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) { growBy(bytes) })
}
