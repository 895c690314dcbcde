// Package byhand computes textbook methods step by step, as one would on paper, and returns
// the steps: the perceptron update by update and the hard margin case by case in exact
// fractions, logistic regression by reweighted least squares with p, W and z, and Fisher's
// coordinates with M, W, W^(−1/2), M*, B*, V*. Each prints itself. It is for small data and
// for learning; the packages discriminant, logistic and hyperplane are for use.
//
// # Files, in reading order
//
// fraction.go (fractions and their systems), perceptron.go, margin.go, irls.go, fisher.go,
// all.go (all of them on small data).
package byhand
