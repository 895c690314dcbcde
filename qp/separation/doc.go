// Package separation answers, with proof, how hyperplanes separate classes: completely,
// quasi-completely, or not at all.
//
// # The question
//
// A row x of class y gives K − 1 inequalities f_y(x) ≥ fₖ(x) for linear functions f, z·v ≥ 0
// in their parameters v. Exactly one of these holds (Gordan's and Stiemke's alternatives;
// Schrijver, Theory of Linear and Integer Programming, §7.8):
//
//   - [Complete]: a direction v has z·v > 0 for all z. A hard margin, the nearest points of
//     the hulls and an end of the perceptron exist.
//   - [Quasi]: there is none, for Σ αz = 0 for some α ≥ 0 that are not all 0; but one has
//     z·v ≥ 0 for all z and > 0 for some. Hulls of two classes touch.
//   - [Overlap]: Σ αz = 0 with α > 0 for enough z to span all. A likelihood has a maximum
//     here and nowhere else (Albert & Anderson, Biometrika 71, 1984), one alone if columns
//     are independent.
//
// [Weak] says that a direction has z·v ≥ 0 for all z and > 0 for some, so that a likelihood has
// no maximum, and leaves open whether another has z·v > 0 for all.
//
// [Decide] finds the answer and [Evidence] is its proof: the direction, or the multipliers
// α. Every number in it was multiplied out in integers before, and [Evidence.Verify] does so
// again. A decision that would take too long is [Undecided]. [Settle] answers with a proof in
// float64 where that will do, and makes the integers when they are asked for.
//
// # Rounding
//
// Signs of f_y − fₖ are taken in float64 where a bound on its rounding errors allows, in
// twice the precision where that allows, and else in integers, so that all signs are right
// and few cost anything. The direction need not have float64 coefficients: a tie of two rows
// in R³ can force 104 bits. It is then published in integers.
//
// # Files in reading order
//
//	evidence.go   answers, multipliers, their integers, JSON
//	problem.go    rows about an origin, as integers in units of their columns
//	signs.go      signs of a direction in float64, where rounding allows
//	functions.go  signs of differences of functions
//	scan.go       a pass over the rows: violated inequalities, ties
//	ties.go       equations that all directions satisfy
//	verify.go     evidence multiplied out
//	publish.go    a direction in float64 or in integers
//	frame.go      coordinates in which rows are well conditioned
//	hull.go       the widest margin on some of the rows
//	simplex.go    the decision in integers
//	decide.go     Decide
//	slack.go      an overlap proven in float64, and Settle, which has that do
//	coincident.go rows of two classes that coincide
//	margin.go     the widest margin of two classes
//
// # Names
//
// A pair is one inequality, of a row's own class and another, z its vector. v are parameters
// of functions 1 … K−1, that of class 0 being 0; D of them. An active inequality is one that
// determines the widest margin.
package separation
