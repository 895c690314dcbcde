// Package linalg holds the dense and sparse linear algebra that linear classification
// needs: a row-major matrix over the caller's slice, vector kernels, Gram
// matrices and factorisations.
//
// # Matrices
//
// [Dense] is an n×p matrix stored by rows; row i starts at Data[i*Stride]. [CSR] is one
// of which some values are stored. Neither copies the caller's slices. Fits take the
// small interface [Rows], which both implement.
//
// # Shapes and panics
//
// Constructors and factorisations return errors that carry numbers
// ([ShapeError], [NonFiniteError], [PivotError], [RankError]); find them with
// [errors.As]. The kernels ([Dot], [Axpy], [MulVec], …) are called in inner
// loops: a vector of the wrong length is a bug of the caller and panics with
// both lengths.
//
// # Kernels
//
// The inner loops are written in Go and, for amd64 (AVX2 with FMA, or AVX-512)
// and arm64 (NEON), again in assembly; the best that the processor supports is
// chosen when the program starts. With the build tag purego there is no
// assembly. Two machines, or two builds, may differ in the last bits of a
// result.
//
// # Parallel work
//
// Functions with a workers argument read 0 as GOMAXPROCS. The rows are cut into
// chunks whose bounds depend on the shape alone and the partial results are
// added in the order of the chunks, so the bits of a result do not depend on
// the number of workers. Small work stays on the calling goroutine.
//
// # Names
//
// x is n×p with rows xᵢ, y holds n responses, w weights, c an origin; nil weights are
// all ones and a nil origin is 0. A destination comes first and is called dst; a
// function that says "adds" leaves room for more, one that says "sets" overwrites.
// lo and hi bound a half-open range of rows.
//
// # Files in reading order
//
//	errors.go       the errors of this package and of those above it
//	dense.go        matrices and their checks
//	packed.go       matrices of few elements, by their places until they are read
//	parallel.go     chunks of rows on goroutines: For, Reduce
//	vector.go       vectors, and products of a matrix with one
//	transpose.go    transposes, windows
//	gram.go         Gram matrices
//	product.go      products of matrices
//	affine.go       K affine functions of a block of rows
//	csr.go          sparse matrices and their checks
//	csrblock.go     their kernels
//	rows.go         matrices that are read in blocks of rows
//	table.go        matrices that are read row by row, in any order
//	softmax.go      exponentials, softmax, arg max
//	scan.go         sizes and sums of columns in one pass
//	cholesky.go     LLᵀ, its updates and solutions
//	conjugate.go    conjugate gradients
//	lower.go        triangles as they are saved
//	pivchol.go      LLᵀ with pivoting, for the rank of a Gram matrix
//	reflector.go    Householder reflections
//	qr.go           QR with column pivoting
//	tallqr.go       QR of many rows, by blocks
//	rank.go         which columns the others determine
//	tridiagonal.go  symmetric matrices to tridiagonal ones
//	ql.go           eigenvalues of small tridiagonal matrices
//	secular.go      roots of the secular equation
//	divide.go       eigenvalues of large ones, by divide and conquer
//	eigen.go        eigenvalues of symmetric matrices
//	symdef.go       eigenvalues of symmetric-definite pairs
//	svd.go          singular values
package linalg
