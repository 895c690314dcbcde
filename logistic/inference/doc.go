// Package inference says how well a logistic regression without a penalty is known:
// standard errors, Wald, likelihood ratio and score tests, profile intervals, residuals
// and leverages, and the table that R prints.
//
//	m, err := logistic.Fit(x, y, o)
//	inf, err := inference.Of(m, x, y, o)
//
// # Naming
//
// θ are parameters about the model's origin, in the units of its design, as solvers see
// them; Estimate, SE and Covariance are on the scale of the data, the intercept at 0. In
// formulas p are probabilities, t the share of the larger label among the trials of a
// row, w weights, X rows (1, x), W = w·p(1−p), and I = XᵀWX is the information.
//
// # The life of one call
//
//  1. [Of] refuses a model of a fit with a penalty.
//  2. [logistic.Model.Likelihood] checks the data as a fit does and returns the negative
//     log-likelihood with the model's parameters θ on it.
//  3. linearize computes value, gradient and information at θ in one pass, checks that
//     the gradient is 0, and factors the information.
//  4. The inverse of the information, taken to the data's scale, is the covariance.
//  5. A fit of the intercepts alone gives the null deviance, a last pass Pearson's χ².
//  6. Methods that need more refit under constraints (Drop, Profile) or pass over the
//     rows again (Residuals, Score): the [Inference] keeps the rows, the model does not.
//
// # Files in reading order
//
//	likelihood.go  the likelihood at its minimum, its information, passes over the rows
//	inference.go   the type Inference, Of, estimates and criteria, Wald intervals
//	nested.go      likelihood ratio, Drop, Score
//	profile.go     profile intervals
//	residuals.go   residuals and leverages
//	table.go       tables as R prints them
package inference
