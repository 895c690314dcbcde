// Package validate measures classifiers and regressions on rows that they were not
// fitted to: splits and folds, cross-validation, scores, tests.
//
// # Splits and folds
//
// [StratifiedSplit] cuts the rows into a training and a test set, [Folds],
// [StratifiedFolds] and [GroupFolds] deal them to folds: one number a row, the name of
// its fold.
// [TakeRows] and [Take] copy the rows of a set. A seed fixes everything random (the
// PCG generator of math/rand/v2): the same seed gives the same sets on every
// platform.
//
// # Choosing
//
// [CrossValidate] runs a trial on each fold, many at a time, and gives the mean
// loss and its standard error for each point of a grid; [path.CV.Best] and
// [path.CV.OneSE] choose.
//
// # Scores
//
// [Evaluate] applies a classifier to labelled rows and returns its [Evaluation]:
// error rate, confusion matrix with recall and precision, and where the model has
// probabilities the log-loss, the Brier score and for two classes the area under
// the ROC curve, for more that of Hand and Till. [LogLoss], [Brier], [ROC],
// [PrecisionRecall], [AUCs] and [Calibration] are there by themselves, [MSE] and [R2]
// for regressions. [McNemar] compares two classifiers on the same rows.
//
// # Judged models
//
// Two types wrap any classifier after rows of their own were seen, and are classifiers
// themselves, which marshal with the model inside: [Calibrated] has probabilities
// ([Calibrate], [CalibrateIsotonic]), [Threshold] decides at another cut-point
// ([AtThreshold], [BestThreshold]).
//
// # Files, in reading order
//
// split.go (rows to sets and folds), crossvalidate.go; rows.go (rows wherever they are); then the scores: score.go (of
// predictions), confusion.go, probability.go (log-loss, Brier), roc.go, auc.go (other
// areas), calibration.go (a table), evaluate.go (all of them), mcnemar.go; then the judged
// models: threshold.go, calibrated.go.
package validate
