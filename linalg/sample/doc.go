// Package sample prepares training rows for a fit: it checks shapes, weights, options
// and the range of all numbers, codes labels as 0 … K−1, and sums weights by class.
//
// Errors here carry numbers but no package name; a model wraps them with its own
// ("logistic: 150 rows but 149 labels").
//
// # Files in reading order
//
//	check.go   shapes, weights, options
//	range.go   the range of cells, responses and weights
//	index.go   distinct labels and their positions
//	labels.go  classes and codes
//	functions.go coefficients from elsewhere
//	predict.go the rows of a prediction
//	describe.go a model in print
package sample
