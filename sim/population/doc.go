// Package population makes populations whose densities are known, and draws rows
// from them.
//
// [Gaussians] returns a population of Gaussian classes, which is also the Bayes rule
// for it: no classifier has a lower error. [Mixture] and [Gaussian] return densities;
// [discriminant.NewBayes] makes a population of them. [Sample] draws rows of all classes by the priors,
// [SampleClasses] as many of each class as it is told. The same seed gives the same
// rows on every platform (PCG, math/rand/v2).
package population
