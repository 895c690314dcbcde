// Package hyperplane puts hyperplanes between classes and tubes around points: the
// perceptron and the support vector machines. Package
// [halfspace/hyperplane/regression] has least squares with and without a penalty, package
// [halfspace/hyperplane/zeroone] the plane with the fewest errors, in three dimensions at most,
// package [halfspace/hyperplane/cpath] the exact path of the soft margin, and of the tube, over C.
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
//	Σ wᵢ·L(yᵢ, f(xᵢ)) + λ/2·‖β‖²,
//
// and never penalise the intercept. L is [1−yf]₊ for the support vector classifier,
// its square with [SquaredHinge],
// and [|y−f|−ε]₊ for the regression; their C is 1/λ.
//
// Models are immutable and safe for any number of goroutines; predicting a row
// allocates nothing where dst has room. A row of the wrong length is a bug of the
// caller and panics with both lengths.
//
// # Files, in reading order
//
//	plane       the plane and its JSON, and what all models of one plane share
//	margins     margins of labelled rows; planes from multipliers; the perceptron's bound; the sum of
//	            multipliers by sign, and their second words
//	multi       what the margin classifiers share: machines, and how K classes are divided
//	hulls       nearest points of hulls as a plane, or evidence that there is none; the rows to fit, their
//	            linear kernel, the origin of columns that lie far off; planes of two rows
//	pocket      the best of all planes met
//	perceptron  Rosenblatt's rule
//	kozinec     Kozinec's rule
//	softmargin  options of the margin fits; prices of slack, the soft margin of
//	            two classes, and its gap
//	hardmargin  the widest margin, and its audit
//	svc         the support vector classifier and its path over C
//	proba       its probabilities, by a sigmoid from scores, and the JSON of both
//	svr         support vector regression
//	kkt         the Karush-Kuhn-Tucker conditions of all margins, row by row
//	elsewhere   models of coefficients from elsewhere
//	audit       the certificates of planes that anyone found
//
// # Names
//
// A plane is beta (β), origin (c) and offset: f(x) = offset + β·(x−c). sign is y = ±1,
// price is Cᵢ, alpha the multipliers of all rows; Support and Multipliers list those
// that are not 0. A task is one two-class problem of several, a [Machine] its plane
// with the evidence. FitX checks nil options and wraps the error of fitX. To publish
// is to choose the numbers of a model; to certify is to compute the gap of published
// numbers.
//
// # The life of one FitSVC
//
// fitSVC checks rows, weights and options (prepareClasses, newSolver), prices each
// row's slack (prices) and divides the classes into tasks (divide). For each task
// softMargin poses the dual over a qp.Linear, whose origin is the mean where columns
// lie far off (without an intercept the rows are reflected there), and qp.Solve returns
// multipliers and a plane, or squared.Minimize those of squared slack, closedForm those of
// two rows or of one feature. balance and mend make Σαy = 0, publish chooses the plane, and
// second words for multipliers whose rounding large columns make too much; the certificate
// is the gap between the primal objective of that plane and the dual one of the multipliers. For FitSVCProba platt
// fits five planes more and a sigmoid. combineReports makes one report of all.
package hyperplane
