// Package report prints the results of fits, evaluations, paths and
// cross-validations: for a reader as aligned text, for a pipe with tabs, for a program as JSON.
//
// A [Report] is one of [Summary], [Failure], [Audit], [Classes], [Values], [Path] and [CV]: plain data
// made from a model or result of package method. The command prints its JSON with
// -json; numbers that JSON cannot hold are null, and the JSON reads back.
// [WritePredictions] writes the predictions themselves as CSV.
//
// # Files, in reading order
//
// report.go (the common parts), progress.go (while a fit runs), coef.go (coefficients, of many columns those that are
// not 0), summary.go (of a fit), failure.go and wayout.go (of a fit without a model, and
// the flags that give it one), evaluation.go, path.go, crossvalidation.go, predictions.go,
// audit.go.
package report
