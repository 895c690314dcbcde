// Package linalg holds the dense linear algebra that linear classification
// needs: a row-major matrix over the caller's slice, vector kernels, Gram
// matrices and factorisations.
//
// # Matrices
//
// [Dense] is an n×p matrix stored by rows; row i starts at Data[i*Stride]. It
// never copies what the caller hands over. Models that only need products take
// the small interface [Matrix] instead.
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
package linalg
