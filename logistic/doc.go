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
// frequency weights, λ is Options.Lambda and α is Options.L1Ratio.
//
// # What a fit promises
//
// Status "converged" means that the certificate, the largest partial derivative
// |gⱼ| of the objective (with a lasso its distance from the subdifferential)
// divided by Σ wᵢ|xᵢⱼ−cⱼ|, was recomputed at the published coefficients and is
// at most Options.Tol. c is [Model.Origin], zero for features whose mean is small
// beside their spread. Where one value dwarfs its column the certificate of a
// likelihood holds early: there the fit goes on until no row's score moves. Where
// terms of a score cancel, as those of columns that nearly agree do, a fit without a
// penalty goes on with scores in twice the precision.
//
// Maximum likelihood has no solution where a hyperplane separates the classes,
// and many where columns are collinear. [Fit] returns a *[SeparationError] with
// the separating direction or a *[linalg.RankError] with the columns.
//
// # Methods
//
// Newton's method for the likelihood and the ridge, from a fit to part of the rows
// where there are many; for a ridge on a hundred features or more then L-BFGS with
// a Hessian of part of the rows; L-BFGS with a model of the Hessian for more than 200
// parameters of several classes, plain L-BFGS for a ridge on more than 1,500
// features; proximal Newton steps for a lasso part; Newton's method with conjugate
// gradients for a ridge on a matrix known by its products alone. [FitPath] shares
// passes over the rows, and a Hessian that gradients keep up to date, among several λ,
// and passes over features that neighbouring fits prove to be 0.
package logistic
