// Package columnwise minimises
//
//	F(θ) = Σ wᵢL(yᵢ, fᵢ) + Σⱼ (l1ⱼ|θⱼ| + ½·l2ⱼθⱼ²),   fᵢ = θ·(1, xᵢ) + offsetᵢ,
//
// for a smooth loss of one score, or of K classes, on sparse rows, where no matrix of second
// derivatives fits: it is what the proximal Newton method ([optimize.Proximal]) has there in
// the place of a Hessian.
//
// A [Solver] holds the rows once more, column by column. It takes the quadratic model of the
// loss at θ, with residuals r = w∂L/∂f and curvatures v = w∂²L/∂f², and descends on it by
// coordinates over a working set, one coordinate after the other
// (Friedman, Hastie & Tibshirani, J. Stat. Software 33, 2010; Yuan, Ho & Lin, JMLR 13,
// 2012). With t = r + v∘Xδ for the step δ, a coordinate costs Σᵢ xᵢⱼtᵢ and, where it
// moves, t += Δ·v∘xⱼ: two passes over the values that its column stores. The intercept
// is eliminated: with a = Xᵀv, V = Σv it is −(Σr + aᵀδ)/V at every δ, so that columns
// without a mean of 0 do not slow the descent, and each is measured by
// hⱼⱼ = Σv xⱼ² − aⱼ²/V.
//
// Several classes have their turns, one after the other, each with the curvatures of its own
// score and the steps that the others have made. That comes to the end slowly where the steps of
// scores depend on each other: in between a step over all coordinates that are not 0 goes there,
// by conjugate gradients.
//
// [Screened] is the loss of one score over the columns. The strong rule (Tibshirani et al.,
// J. R. Stat. Soc. B 74, 2012) names the columns whose derivatives are looked at on the way
// from one λ to the next; before an end is called one, all are.
//
// Sweeps over the columns are slow along directions that many columns share; a few of them
// tell where they lead to, and the descent goes there (Anderson acceleration).
//
// Files in reading order: passes.go (scores, residuals, derivatives), screened.go (a loss over
// the columns), extrapolate.go (the point to which sweeps lead), model.go (the quadratic model
// of one score and its descent), face.go (that of all scores, where they are not 0), solver.go (the models of all scores).
package columnwise
