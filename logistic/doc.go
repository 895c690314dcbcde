// Package logistic fits logistic regressions: two classes or more, by maximum
// likelihood or with a ridge, lasso or elastic-net penalty.
//
// # Model
//
// With K classes, labels y and rows x of p features,
//
//	log P(y = k | x) = fₖ(x) − log Σₗ exp fₗ(x),   fₖ(x) = interceptₖ + coefₖ·x.
//
// Two classes have a single f(x) = f₁(x) − f₀(x), the log-odds of the larger
// label (The Elements of Statistical Learning, 2nd ed., eq. 4.17 and 4.18, cited
// as ESL below).
//
// # Objective
//
// [Fit] minimises
//
//	−Σ wᵢ log P(yᵢ | xᵢ) + λ·(α‖β‖₁ + (1−α)/2·‖β‖₂²),
//
// a sum and not a mean, over coefficients and unpenalised intercepts; w are
// frequency weights, λ is Options.Lambda and α is Options.L1Ratio. A ridge is a Gaussian
// prior: for βⱼ ~ N(0, 1/λ) the fit is the mode of the posterior (MAP), not its mean.
//
// # What a fit promises
//
// Status "converged" means that the objective at the published coefficients is proven to be
// within Options.Tol of its minimum, relative to itself: the certificate is that bound, a
// duality gap which package optimize/glm derives. It proves as well that a maximum of the
// likelihood exists. [Likelihood] lets a caller compute it again, about [Model.Origin].
// The excess of the objective is the square of an error of the coefficients: 1e-14 of F is
// one of some √(2e-14·F) standard errors. Firth's likelihood is not convex: its certificate
// has Kind stationary, the largest derivative, and promises no more. The gap of a
// lasso part, of a fit or of a path, is derived in package optimize/path. Where columns nearly
// agree a fit goes on in a basis of them; where float64 coefficients cannot hold the solution well
// enough it says [optimize.ErrNotConverged], with its bound.
//
// Maximum likelihood has no solution where a hyperplane separates the classes,
// and many where columns are collinear. [Fit] returns a *[SeparationError] with
// the separating direction or a *[linalg.RankError] with the columns.
//
// # Methods
//
// This package chooses an objective and describes the result; package optimize/glm holds
// the table that says which solvers a fit without a lasso part gets, and optimize/path
// the lasso and paths, which share passes over the rows among several λ. An elastic net of more features than
// rows has a copy of dense rows by columns, 12 bytes a value, where Hessians by its coefficients would be larger. A fit without
// a lasso to sparse rows of which much is stored has a dense copy, of 64 MB at most: see [design.Design.ForPasses].
// Standard errors, tests, profiles and residuals are those of package logistic/inference.
//
// # Naming
//
// n rows, p features, K classes, λ and α the penalty's weight and its lasso part. A
// function is one of the K linear functions f, or the single f of two classes; its
// parameters θ (theta) are the intercept at the origin and the coefficients in the units
// of the design, as solvers see them. coef and intercept are published numbers, on the
// scale of the data; plain is the intercept at 0. code is the index of a row's class,
// target the share of the larger label in a group of trials, level the intercept of a
// function without features.
//
// # The life of one fit
//
//  1. check: [Fit] refuses bad shapes, options and labels (newProblem); the first pass
//     over the rows refuses numbers out of range.
//  2. design: [design.New] chooses origin and units of the columns.
//  3. objective: loss, ridge and design become a [glm.Objective], with a lasso part a
//     [path.Problem].
//  4. plan: the table of optimize/glm picks the stages that minimise it.
//  5. run: [optimize.Run] carries them out and is the only writer of the report.
//  6. diagnose: where features have no penalty, a stage asks problem.exists whether there
//     is a minimum: the rank of the columns, then a direction that separates the classes.
//  7. model: the parameters become coefficients on the scale of the data ([Model]).
//
// # Files in reading order
//
//	options.go     options and their checks, methods
//	response.go    labels, coded
//	problem.go     checked data, the objective, where it starts
//	separation.go  SeparationError, and the question whether there is one
//	model.go       the model and its predictions
//	record.go      a model as JSON
//	elsewhere.go   New: models of coefficients from elsewhere
//	sparse.go      scores and probabilities of sparse rows
//	fit.go         Fit: smooth objectives, Firth's correction, a lasso part
//	counts.go      FitCounts: grouped data
//	likelihood.go  the likelihood of rows at a model
//	audit.go       Audit: the certificate of coefficients from elsewhere
//	path.go        FitPath
//	crossval.go    CrossValidate, Deviances
package logistic
