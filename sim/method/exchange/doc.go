// Package exchange reads models that other tools fitted, and writes models for them.
//
// # Reading
//
// [Read] takes a model file of LIBLINEAR (every linear solver), one of LIBSVM with a linear
// kernel, whose support vectors become coefficients. The model that comes back has status
// imported: its numbers are those of the file, and nothing is claimed of them. It predicts as
// the tool does:
//
//   - Its classes stand in the tool's order, of which a tie goes to the first. Of two
//     classes LIBLINEAR and LIBSVM take the second of the file where f(x) is 0; that one is
//     therefore the first here, and f is positive for the other.
//   - Probabilities have the tool's link: the softmax of K scores, or σ(fₖ)/Σ σ(fₗ) where
//     each function was fitted to tell its class from the rest; LIBSVM's pairs are coupled
//     with its own tolerance.
//
// Files are not trusted: sizes are those of numbers that are there, and an error has the line.
//
// # Files, in reading order
//
// tokens.go (lines of a model file), liblinear.go, libsvm.go, read.go (which format a file has).
package exchange
