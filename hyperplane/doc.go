// Package hyperplane puts hyperplanes between classes and tubes around points: the
// perceptron and the support vector machines. Package
// [halfspace/hyperplane/regression] has least squares with and without a penalty.
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
// [FitHardMargin], the widest; [FitSVC], the soft margin. Through a cloud of points:
// [FitSVR], support vector regression.
//
// # Classes
//
// For two classes the larger label is the positive one, y = +1, and the label of
// a row is the sign of f; f = 0 goes to the smaller label. Every classifier has
// Classes, Features, Scores (two values whose difference is f), Predict,
// PredictRows and Report.
//
// # Scale
//
// Penalised fits minimise a sum over the rows, not a mean,
//
//	Σ wᵢ·L(yᵢ, f(xᵢ)) + λ/2·‖β‖₂²,
//
// and never penalise the intercept. L is [1−yf]₊ for the support vector classifier
// and [|y−f|−ε]₊ for the regression; their C is 1/λ.
//
// Models are immutable and safe for any number of goroutines; predicting a row
// allocates nothing where dst has room. A row of the wrong length is a bug of the
// caller and panics with both lengths.
package hyperplane
