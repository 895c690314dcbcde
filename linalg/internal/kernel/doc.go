// Package kernel holds the inner loops of linalg: each once in Go, which is the
// specification, and again in assembly where the processor has vectors.
//
// # Levels
//
// A [Level] is one implementation of all kernels. The best one that the
// processor and the operating system support is chosen when the program starts;
// a test can choose another by [Use] and so compare all of them in one binary.
// With the build tag purego, or on a platform without assembly, there is
// [Generic] alone.
//
// Levels differ in the order of their sums and in the use of fused
// multiply-add, so their results differ by rounding. One level always gives the
// same bits for the same operands, wherever they lie in memory.
//
// # The tile
//
// All products of matrices but the affine functions of [Affine] rest on one kernel,
// [Tile]: 8×16 elements of C are held in registers while the products of m pairs of
// short vectors are added,
//
//	C[i][j] += Σₖ A(k, i)·B[k][j],   i < 8, j < 16, k < m.
//
// B is a packed panel, m rows of 16 values side by side, filled up with zeros.
// A is read by two strides, so it can be half of another such panel (AᵀB) or
// eight rows of an ordinary matrix (AB, ABᵀ). (Goto & van de Geijn, Anatomy of
// high-performance matrix multiplication, ACM TOMS 34(3), 2008.)
//
// # Lengths
//
// Lengths are checked here for memory safety alone; the exported functions of linalg
// check the rest. A call into assembly covers a bounded amount of work,
// because a goroutine cannot be stopped inside it.
//
// # Files in reading order
//
//	generic.go         the kernels in Go
//	quarters.go        the tile, four quarters at a time
//	kernel_generic.go  which kernel runs: without assembly
//	kernel_amd64.go    … on amd64, with avx2_amd64.s, avx512_amd64.s, exp_amd64.s
//	kernel_arm64.go    … on arm64, with neon_arm64.s
//	kernel.go          the exported kernels: levels, bounded calls
//	sparse.go          those of sparse rows, with sparse_amd64.go and sparse_amd64.s, sparse_other.go
package kernel

// Sizes of the tile: TileRows rows of C by PanelCols columns.
const (
	TileRows  = 8
	PanelCols = 16
)
