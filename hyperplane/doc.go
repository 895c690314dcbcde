// Package hyperplane puts hyperplanes between classes and through clouds of
// points: the perceptron, support vector machines, and least squares with and
// without a penalty.
//
// # The plane
//
// [Plane] is f(x) = β₀ + β·x = 0: signed distances, projections, and the margins
// of a labelled set (ESL §4.5). Every linear model of the package publishes one;
// [NewPlane] and [SupportPlane] make one by hand.
//
// # Models
//
// Between classes: [FitPerceptron] by Rosenblatt's rule, one separating plane of
// many; [FitKozinec], one whose margin is within a known fraction of the widest;
// [FitHardMargin], the widest; [FitSVC], the soft margin; [FitLeastSquares], the
// naive regression on ±1. Through a cloud: [FitOLS] (and [Summarize], its table of
// tests; [FitLine]; [FitNormalEquations] and [FitDescent] for those who teach
// them), [FitRidge], [FitLasso] and [FitElasticNet] with their paths, and [FitSVR].
//
// # Classes
//
// For two classes the larger label is the positive one, y = +1, and the label of
// a row is the sign of f; f = 0 goes to the smaller label. Every model has
// Classes, Features, Scores (two values whose difference is f), Predict,
// PredictRows and Report.
//
// # Scale
//
// Penalised fits minimise a sum over the rows, not a mean,
//
//	Σ wᵢ·L(yᵢ, f(xᵢ)) + λ·(α‖β‖₁ + (1−α)/2·‖β‖₂²),
//
// and never penalise the intercept. L is ½(y−f)² for regressions and [1−yf]₊ for
// the support vector classifier, whose C is 1/λ.
//
// Models are immutable and safe for any number of goroutines; predicting a row
// allocates nothing where dst has room. A row of the wrong length is a bug of the
// caller and panics with both lengths.
package hyperplane
