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
// # Files, in reading order
//
//	model        options and the fitted model
//	data         the rows of a fit: checked, about their weighted mean, and its sums
//	ols          least squares by QR
//	summary      its table of tests
//	line, normal one column in closed form; the normal equations
//	descent      the textbook's walk down the mean squared error
//	ridge, lasso the paths with a penalty
//	classifier   two classes by regression on ±1
//
// # Names
//
// c is the origin of the rows and m that of the response, both weighted means; z is y
// less the offset. unit is the factor of a coefficient in the penalty, γ = unit·β. A
// fit in data.go is the sums of one pass at a β. FitX checks nil options and wraps the
// error of fitX.
//
// # The life of one FitRidge
//
// ridgePath checks the options, newCloud the rows; residuals at β = 0 gives XᵀWy and
// units the factors of the penalty. decompose makes the singular values, from XᵀX,
// XXᵀ or the rows themselves as the least λ needs. At each λ fit shrinks along them,
// computes the residuals anew, refines the coefficients once where the certificate
// asks for it, and newModel makes the model.
//
// Models are immutable and safe for any number of goroutines; predicting a row
// allocates nothing. A row of the wrong length is a bug of the caller and panics
// with both lengths.
package regression
