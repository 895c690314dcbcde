// Package regression fits linear functions of a numeric response by least squares,
// with and without a penalty.
//
// # Models
//
// [FitOLS] is ordinary least squares; [Summarize] adds its table of tests.
// [FitLine] is its closed form for one column, [FitNormalEquations] and
// [FitDescent] are the textbook's ways to the same answer. [FitRidge], [FitLasso]
// and [FitElasticNet] penalise the coefficients, and [RidgePath], [LassoPath] and
// [ElasticNetPath] fit many λ at once. [FitLeastSquares] is the naive classifier of
// two classes: a regression on ±1.
//
// Every regression is a [Model] with Features, Coef, Plane, Predict, PredictRows
// and Report.
//
// # Scale
//
// Fits minimise a sum over the rows, not a mean, with frequency weights w and an
// offset o,
//
//	½Σ wᵢ(yᵢ − oᵢ − f(xᵢ))² + λ·(α‖β‖₁ + (1−α)/2·‖β‖₂²),
//
// and never penalise the intercept.
//
// Models are immutable and safe for any number of goroutines; predicting a row
// allocates nothing. A row of the wrong length is a bug of the caller and panics
// with both lengths.
package regression
