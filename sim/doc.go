// Package sim is for experiments with classifiers: populations to draw from,
// splits and folds, scores, cross-validation, tables.
//
// # Models
//
// The interfaces [Classifier], [Prober], [Linear] and [Regressor] are what this
// package asks of a model; those of discriminant, logistic and hyperplane satisfy
// them.
//
// # Randomness
//
// Everything random takes a seed and draws from the PCG generator of
// math/rand/v2: the same seed gives the same rows, splits and folds on every
// platform.
//
// # Scores
//
// [Evaluate] applies a classifier to labelled rows and returns its [Evaluation]:
// error rate, confusion matrix with recall and precision, and where the model has
// probabilities the log-loss, the Brier score and for two classes the area under
// the ROC curve. [McNemar] compares two classifiers on the same rows.
//
// # Choosing
//
// [CrossValidate] runs a trial on each fold of [Folds] or [StratifiedFolds], many
// at a time, and gives the mean loss and its standard error for each point of a
// grid; [CVResult.Best] and [CVResult.OneSE] choose.
package sim
