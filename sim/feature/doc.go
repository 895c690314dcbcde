// Package feature maps rows of features to other features: gaps filled, standardised,
// transformed to quantiles, expanded to polynomials.
//
// A [Step] says which transform is wanted, before there are data: sim/method fits the
// steps of a model to its training rows, within each fold of a cross-validation too. A
// [Transform] is fitted on training data or made, then applied to any row; it is
// immutable and safe for any number of goroutines. Applying it to a row allocates
// nothing when dst has room. A row of the wrong length is the caller's bug and
// panics with both lengths.
//
// Transforms marshal to versioned JSON with a checksum and back, bit for bit;
// [Unmarshal] reads one whose kind is not known beforehand, and a [Chain] several.
//
// # Files, in reading order
//
// transform.go (the interface and the common parts), rank.go (sorted values), impute.go,
// standardize.go, quantile.go, polynomial.go, text.go (documents to sparse rows), chain.go (several transforms, and reading
// one from JSON), view.go (images of rows as a storage), steps.go (transforms that are
// still to be fitted).
package feature
