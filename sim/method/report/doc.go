// Package report prints what a fit, an evaluation, a path or a cross-validation
// found: for a reader as aligned text, for a pipe with tabs, for a program as JSON.
//
// A [Report] is one of [Summary], [Classes], [Values], [Path] and [CV]: plain data
// made from a model or result of package method. Its JSON is what the command
// prints with -json; numbers that JSON cannot hold are null, and it reads back.
// [WritePredictions] writes the predictions themselves as CSV.
//
// # Files, in reading order
//
// report.go (what all have), summary.go (of a fit), evaluation.go, path.go,
// crossvalidation.go, predictions.go.
package report
