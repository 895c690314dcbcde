// Package method names the models: one registry that the command, the experiments
// and cross-validation share, and the models with the meaning of their columns.
//
// # Fitting
//
// [Named] finds a [Method], whose Fit takes a table and [Options]; an option that
// the method does not take is the caller's to refuse ([Method.Takes]). Where a
// method does not standardize by itself, the columns are standardized before it.
// Errors of a fit name the columns and classes that they speak of by number.
// [Gather] and [MergeParts] make moments of a table that no machine holds whole,
// which [Method.FitMoments] takes. [Method.Path] fits a sequence of models.
//
// # Using
//
// A [Model] predicts rows on the scale of the data: [Model.Classifier] or
// [Model.Regressor], and [Model.For] for a table with an offset, which predictions
// add. [Model.Formula], [Model.Notes] and [Model.Infer] describe it as plain data: sim/method/report prints that, sim/method/codegen writes it as Go
// source, sim/method/draw makes pictures.
//
// [Model.Save] and [Load] keep it as versioned JSON with a checksum: the fitted
// model bit for bit, with feature names, labels and scaling. A program that only
// loads models holds no solver.
//
// # Choosing
//
// [Grid] makes points from option=value lists, [Folds] deals the rows, and
// [Method.CrossValidate] measures each point on each fold.
//
// # Adding a method
//
// A method is one entry of the registry: its name, its options, and a value with
// its code (the interface entry in method.go, with the optional ones below it).
//
// # Files, in reading order
//
// options.go (the settings of all methods), file.go (bounded reading), formula.go
// (models as plain data), method.go (the interfaces of an entry), names.go (errors with
// names), moments.go (parts of a table), discriminants.go, logistic.go, planes.go and
// regressions.go (the entries), registry.go, adapters.go (models behind a standardizer
// or an offset), model.go (fit, use, save, load), path.go, crossvalidate.go.
//
// # The life of one fit
//
// [Method.Fit] refuses data of the wrong kind, standardizes the columns where that
// is asked for, and calls the entry, which turns [Options] into those of the model's
// package and fits. The model comes back with its [Method], the schema of the table
// and the standardizer.
package method
