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
// # Data
//
// A fit takes any [linalg.Rows]. Least squares and the ridge factor dense rows: another
// storage is copied once, but a ridge on sparse rows of many features has the equations of the rows, where these are
// few, or passes. Lasso and elastic net read rows in passes, and copy them by columns
// for a path. Numbers whose squares leave the range of a float64 are refused, by name, row
// and column, before anything is fitted.
//
// Models are immutable and safe for any number of goroutines; predicting a row
// allocates nothing. A row of the wrong length is a bug of the caller and panics
// with both lengths.
//
// # Files, in reading order
//
//	options        the options and which fit takes them
//	model          the fitted function and its record
//	problem        the data of a fit, checked and about their means; sums at some
//	               coefficients, and the certificate of closed forms
//	system         the normal equations at one λ, refined
//	refine         refinement of a QR solution in twice the precision
//	ols, summary   least squares by them or by QR; its table of tests
//	normal         one column in closed form; the normal equations
//	path           the fits of many λ
//	passes         the ridge on sparse rows of many features
//	ridge          the ridge for many λ, from one decomposition
//	elasticnet     lasso and elastic net, on all rows and on those outside folds
//	descent        the textbook's walk down the mean squared error
//	audit          the certificate of coefficients from elsewhere
//	classifier     two classes by regression on ±1
//
// # Names
//
// c is the origin of the rows and m that of the response, both weighted means; z is y
// less the offset and m. θ are the coefficients in the units of the design, in which they
// are penalised: θ = unit·β. FitX checks nil options and wraps the error of fitX.
//
// # The life of one FitLasso
//
//	check       the options here, shapes and numbers in newProblem
//	design      the rows about their weighted means, which leaves no intercept to fit
//	objective   ½Σw(z−f)², of package optimize/glm
//	solve       package optimize/path, at falling tolerances until the duality gap at θ holds,
//	            with package optimize/rowwise for few rows of many columns
//	model       β = θ/unit, about c, with the report
//
// [FitOLS] and [FitRidge] have a factorisation in the place of solve (that of the normal
// equations where refinement makes up for their condition, else one of the rows), which
// bounds the excess too.
//
// # The certificate of a closed form
//
// With the gradient g = λθ − XᵀWr at the published coefficients and M = XᵀWX + λ the
// objective is ½gᵀM⁻¹g above its minimum, as it is a parabola. The rows about a rounded origin, and
// the level that is published beside them, leave two more sums, s = XᵀW1 and S = Σwr:
//
//	excess ≤ ½(gᵀM⁻¹g + S²/Σw)/(1 − ρ),  ρ² = sᵀM⁻¹s/Σw,
//
// for in the inner product of the Hessian ρ is the cosine between the level and the columns. From a factor of a
// matrix near M, share²·LLᵀ ≼ M, follows √(gᵀM⁻¹g) ≤ ‖L⁻¹g‖/share. To this length are added those of
// rounding errors: of sums, e, Σ|eⱼ|√(M⁻¹)ⱼⱼ; and of scores, whose errors δ move g by XᵀWδ, no more than ‖√Wδ‖.
// Last comes the rounding of the sum that is the objective. λ alone is beneath M, and serves where no factor does.
//
// The excess is relative to the objective, or to 1e-12 of that without coefficients where a fit is all but exact,
// or to ½Σw(2⁻³⁶(|y| + |offset|))² where the deviations of the response from its mean are nothing but rounding.
// Columns that depend on one another do so up to rounding, of which the minimum makes much: the shortest
// coefficients (MinNorm), and a ridge of next to nothing beside such columns, have the largest
// |xⱼᵀWr − λθⱼ| relative to its terms as their certificate, of Kind residual.
package regression
