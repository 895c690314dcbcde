// Package linalgtest holds the tools that the tests of all packages share: real data,
// golden numbers, comparisons that print the difference, seeded matrices, and
// certificates.
//
// Certificates are recomputed from the data and the published numbers alone, sharing
// no code with the solvers, in arithmetic of 320 bits. Each such function returns a
// number without a unit that is 0 at the exact solution.
//
// # Files in reading order
//
//	linalgtest.go          tables, goldens, comparisons, random matrices, numbers of cases, derivatives
//	exact.go               sums in 320 bits
//	drawn.go               data on which methods creep
//	thin.go                small tables whose columns nearly agree
//	storage.go             rows in blocks of odd sizes, sparse rows
//	badinput.go            inputs that every fit refuses
//	separable.go           how hyperplanes separate classes, by linear programs in integers
//	certificate.go         penalised fits: gradients, normal equations
//	minimum.go             least negative log-likelihoods, by Newton's method in 320 bits
//	bound.go               how far one, or an elastic net, may be above the least
//	machine.go             support vector machines: gaps, balance, box
//	hardmargin.go          gaps of margins by multipliers in rational numbers
//	groups.go              discriminant analysis: moments, residuals of the closed forms
//	race.go, norace.go     whether the race detector is on
package linalgtest
