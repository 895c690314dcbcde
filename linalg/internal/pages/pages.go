// Package pages asks the operating system for large pages of memory.
//
// A table of 100 MB is 25,000 pages of 4 kB. At the first touch of each the system has to find
// one, and a processor that goes through the table has to look each up: where it offers pages of
// 2 MB to those who ask, as most Linux systems do, asking saves both. (NumPy does the same.)
package pages

const (
	// large is the size in bytes of a large page on most processors.
	large = 1 << 21
	// Worthwhile is how many values an array should have to be asked for: two large pages of float64.
	Worthwhile = 2 * large / 8
)

// inside returns the large pages that lie wholly inside size bytes at from.
func inside(from, size uintptr) (lo, hi uintptr) {
	return (from + large - 1) &^ (large - 1), (from + size) &^ (large - 1)
}
