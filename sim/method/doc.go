// Package method names the models: one registry that the command, the experiments
// and cross-validation share, and the models with the meaning of their columns.
//
// # Fitting
//
// [Named] finds a [Method], whose Fit takes a table and [Options]. An option that the
// method does not take is refused, here as everywhere. Options.Steps are transforms that
// are fitted with the model and that rows go through first: gaps filled, scales,
// quantiles, polynomials, a user's own. Options.Trace hears of each iteration and can
// stop a fit. Errors of the packages below speak of columns and classes by number; those of
// a Method have their names.
// [Gather] and [MergeParts] make moments of a table that no machine holds whole,
// which [Method.FitMoments] takes. [Method.Path] fits a sequence of models.
//
// # Using
//
// A [Model] is columns, steps and a fit. It takes rows of the schema's features, on the
// scale of the data, which [Model.Encoder] and [Model.Row] make of cells: text or values,
// levels and gaps. [New] makes one of a model of the packages below. [Model.Classifier] or
// [Model.Regressor], and [Model.For] for a table with an offset, which predictions
// add. [Model.Formula], [Model.Notes] and [Model.Infer] describe it as plain data: sim/method/report prints that, sim/method/codegen writes it as Go
// source, sim/method/draw makes pictures.
//
// [Model.Save] and [Load], or encoding/json, keep it as versioned JSON with a checksum:
// the fitted model bit for bit, with its columns, labels and steps. Files of earlier
// versions load. A program that only loads models holds no solver.
//
// # Choosing
//
// [Grid] makes points from option=value lists, [Folds] deals the rows, and
// [Method.CrossValidate] measures each point on each fold; [CV.At] has the options of
// a point, with which Fit makes its model.
//
// # Adding a method
//
// A method is one entry of the registry: its name, its options, and a value with
// its code (the interface entry in method.go, with the optional ones below it).
//
// # Files, in reading order
//
// options.go (the settings of all methods), formula.go (models as plain data), method.go
// (the interfaces of an entry, and errors with names), train.go (a table before a fit), moments.go
// (parts of a table), discriminants.go, logistic.go, planes.go and regressions.go (the entries), registry.go,
// adapters.go (models behind steps or an offset), model.go (fit, use), save.go, path.go, crossvalidate.go.
//
// # The life of one fit
//
// [Method.Fit] refuses options and data of the wrong kind, fits the steps, the last of
// which standardises where that is asked for, and calls the entry, which turns [Options]
// into those of the model's package and fits. The model comes back with its [Method], the
// schema of the table and the fitted steps.
package method
