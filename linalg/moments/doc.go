// Package moments holds the class moments of labelled rows: counts, weights,
// means and scatter matrices, which are all that discriminant analysis needs of
// its data. They are gathered in one pass, in parts where the rows lie on several
// machines, saved as JSON, and merged.
//
// # Files in reading order
//
//	moments.go   ByClass: rows one at a time, merging, relabelling
//	rows.go      many rows in one pass on several goroutines
//	triangle.go  the QR form, for covariances that are close to singular
//	json.go      the saved form
package moments
