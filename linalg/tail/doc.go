// Package tail holds the tail probabilities and quantiles of the distributions
// that tests are made of: normal, χ², Student's t and Fisher's F, and how tables
// print p-values.
//
// [Normal], [ChiSquare], [Student] and [Fisher] return the upper tail P(X > x) to
// full relative accuracy, however small it is; a two-sided p-value of a symmetric
// statistic is 2·P(X > |x|). The quantiles are their inverses: the x whose upper
// tail is p. They return NaN for arguments that no distribution has.
//
// # Files in reading order
//
//	beta.go      the incomplete beta function
//	tail.go      tail probabilities
//	quantile.go  quantiles
//	text.go      p-values as text
package tail
