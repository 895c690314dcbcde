// Package discriminant fits classifiers that model each class by a density:
// linear, quadratic, regularised and reduced-rank discriminant analysis, the
// regression of class indicators, and the Bayes rule for densities that are
// known. (Hastie, Tibshirani and Friedman, The Elements of Statistical Learning,
// sections 4.2 and 4.3; equation numbers below are theirs.)
//
// # Fits
//
// Every fit needs one pass over the data, which leaves the moments of the
// classes; what follows is a closed form. [moments.ByClass] can be gathered in
// parts and merged, and [LDAFromMoments] and its siblings start from there.
// Covariances divide by N−K (pooled) and Nₖ−1 (each class) unless
// [Options.Divisor] says otherwise.
//
// # Scores
//
// Scores are the discriminant functions δₖ, up to a term that all classes share,
// so with two classes s[1]−s[0] is the log-odds. Where [Options.Costs] is given,
// they are minus the expected costs. Either way Predict is their argmax, a tie
// goes to the smaller label, and Proba are the posterior probabilities.
//
// # Refusals
//
// Cells and weights are 0 or within 2^±450; a fit names the row and column of one
// that is not ([sample.Range]).
//
// Columns that are constant within the classes, or that the others determine, make
// a covariance singular. A fit says which (*[linalg.RankError], and in the
// quadratic models *[ClassRankError] with the class) instead of dividing by
// nothing. [Options.Ridge], [Options.Shrinkage] and [FitRDA] are the ways out, for
// the caller to choose.
//
// # Certificates
//
// These are closed forms, so Report has status direct; its certificate is the
// relative residual of the defining equations at the published numbers. In the
// quadratic models it is also what the moments' origin, where it is too far from a
// narrow class, may have cost the class's mean.
package discriminant
