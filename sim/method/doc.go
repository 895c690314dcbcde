// Package method names the models: one list that the command, the experiments
// and cross-validation share.
//
// # Fitting
//
// [Named] finds a [Method], whose Fit takes a table and [Options]; an option that
// the method does not take is the caller's to refuse ([Method.Takes]). Where a
// method does not standardise by itself, the columns are standardised before it.
// Errors of a fit name the columns and classes that they speak of by number.
// [Gather] and [MergeParts] make moments of a table that no machine holds whole,
// which [Method.FitMoments] takes.
//
// # Using
//
// A [Model] predicts rows on the scale of the data: [Model.Classifier] or
// [Model.Regressor], and [Model.For] for a table with an offset, which predictions
// add. [Model.Evaluate] scores it on labelled rows, [Model.WritePredictions] writes
// CSV, [Model.Draw] makes a picture, [Model.Generate] a Go file that imports at
// most math.
//
// [Model.Save] and [Load] keep it as versioned JSON with a checksum: the fitted
// model bit for bit, with feature names, labels and scaling.
//
// # Reports
//
// What the command prints is a [Report], text or JSON: [Summary] of a fit,
// [ClassReport] and [ValueReport] of an evaluation, [CVReport], [PathReport].
// Numbers that JSON cannot hold are null.
//
// # Choosing
//
// [Grid] makes points from option=value lists, [Folds] deals the rows, and
// [Method.CrossValidate] measures each point on each fold.
package method
