// Package rounds fits a logistic regression to rows that no machine has all of, in rounds: each
// part of the rows is read apart, its sums are merged, and the merged sums say where to go next.
//
// # The rounds
//
// First [Survey] finds sizes of the columns and counts of the classes of each part, which
// [Merge] adds up and [Begin] turns into a [State]: origin, units, ridge, and the point where
// the iteration begins. Then, round after round, [State.Answer] evaluates one part at the
// state's point, [Answer.Merge] adds up the answers, and [State.Next] returns the state of
// the next round or, at the end, a model. Nothing but the state is kept between rounds.
//
// # Method
//
// It is Newton's method of the objective of package logistic. An answer has value, gradient and
// Hessian at the full step, and the values at halves of it down to 2⁻⁸, of which Armijo's rule
// takes the first that falls enough: a step that is taken whole costs one round, a shorter one
// two. The certificate is the bound of package optimize/glm, of all rows. Where the curvatures of
// the rows do not suffice for it, the next round's answers find the reach of the step as well,
// which merges as a maximum. The published point is then the end of that step.
//
// Where the objective is smaller than overlapping classes have, the answers check in exact
// arithmetic whether the functions reached separate the rows of each part completely. A
// separation that is not complete ends as a fit that has not converged.
//
// # Earlier rows
//
// [Approximate] makes of a fit a [Prior], a Gaussian that stands for its rows beside later ones:
// the objective is then L(θ) + ½(θ−θ₀)ᵀH(θ−θ₀), with L of the later rows, and the bound is that
// of package optimize/glm. With Λ for H there, d = (∇²L + H)⁻¹g and the dual point of its
// proof, the terms of Fenchel and Young of the Gaussian come to ½dᵀHd, so that the gap is at
// most κ(t)·dᵀ∇²Ld + ½dᵀHd ≤ κ(t)·gᵀd. Of the rows that the Gaussian stands for it says nothing.
//
// # Cost
//
// With m functions (K−1 of them for K classes) and q = m(p+1) parameters an answer is q²/2
// numbers, and computing it some passes of O(nq²). [CheckSize] refuses more than 5,000
// parameters: an answer would have 100 MB.
//
// Files in reading order: survey.go (the first round), prior.go (a Gaussian for earlier rows),
// state.go (a point and its answers), next.go (the step), fit.go (all rounds on one machine).
package rounds
