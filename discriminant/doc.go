// Package discriminant fits classifiers that model each class by a density:
// linear, quadratic, regularised and reduced-rank discriminant analysis, the
// regression of class indicators, and the Bayes rule for densities that are
// known. (Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 2nd
// ed., §4.2 and §4.3, cited as ESL below; numbers of equations are its own.)
//
// # Fits
//
// Every fit makes one pass over the data for the moments of the classes, and is a
// closed form of these. Where a covariance is close to singular and the rows are in
// memory, its factor comes from them, in as much time again and a copy.
// [moments.ByClass] can be gathered in parts and merged, and
// [LDAFromMoments] and its siblings start from there.
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
// quadratic models it also bounds the rounding of a class mean that lies far from
// the origin of the moments, relative to the width of the class.
//
// # The life of a fit
//
// FitQDA(x, y, o), and the others alike:
//
//	weighed        checks options, shapes, weights; those of classes into those of the rows
//	refuse         where rows are no more than columns and nothing is added to their covariances
//	momentsOf      one pass: AddRows
//	newProblem     classes, their weights, priors, costs
//	qda            which covariance each class gets; refuses a lost divisor
//	quadratic      for each class, on several goroutines:
//	  ownCovariance    the scatter divided, with the ridge
//	  factor           its Cholesky factor; close to singular by QR of the rows
//	  classDensity     Gaussian and the constant of δₖ
//	  factorResidual   the certificate, with meanRounding
//	directReport   status, objective, certificate
//	wrap           puts "discriminant: " before an error
//
// # Names
//
// pr is the problem of one fit, m its moments, o the options; k and l are positions
// in the ascending list of classes, label or class is a label itself. dev are class
// means less an origin, cov is a covariance, sd its standard deviations, chol and l
// its factor L, linv is L⁻¹. A function that ends in Of makes a value of what it
// names. The exported functions add the package's name to errors, by wrap, and call
// one of the same name in lower case that does not.
//
// # Files in reading order
//
//	options.go     settings, and checking those that need no data
//	problem.go     from rows or moments to the input of a fit
//	decide.go      scores, probabilities and classes from discriminant functions
//	covariance.go  covariances, their factors, residuals and the report
//	linear.go      K linear functions
//	gaussian.go    the normal density
//	bayes.go       mixtures and the Bayes rule of known densities
//	lda.go         linear discriminant analysis, and sphering by it
//	em.go          the same with rows that have no label
//	reduced.go     the same in Fisher's coordinates
//	indicator.go   regression on indicators
//	qda.go         quadratic discriminant analysis and its boundaries
//	rda.go         between the two; cross-validation over α
//	elsewhere.go   models of estimates from elsewhere
//	json.go        saved models
package discriminant
