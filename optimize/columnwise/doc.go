// Package columnwise minimises
//
//	F(θ) = Σ wᵢL(yᵢ, fᵢ) + Σⱼ (l1ⱼ|θⱼ| + ½·l2ⱼθⱼ²),   fᵢ = θ·(1, xᵢ) + offsetᵢ,
//
// for a smooth loss of one score on sparse rows, where no matrix of second derivatives
// fits: by coordinate descent over the columns of the rows.
//
// A [Solver] holds the rows once more, column by column. Each iteration makes the
// quadratic model of the loss at θ, with residuals r = w∂L/∂f and curvatures
// v = w∂²L/∂f², and descends on it over a working set, one coordinate after the other
// (Friedman, Hastie & Tibshirani, J. Stat. Software 33, 2010; Yuan, Ho & Lin, JMLR 13,
// 2012). With t = r + v∘Xδ for the step δ, a coordinate costs Σᵢ xᵢⱼtᵢ and, where it
// moves, t += Δ·v∘xⱼ: two passes over the values that its column stores. The intercept
// is eliminated: with a = Xᵀv, V = Σv it is −(Σr + aᵀδ)/V at every δ, so that columns
// without a mean of 0 do not slow the descent, and each is measured by
// hⱼⱼ = Σv xⱼ² − aⱼ²/V.
//
// The working set are the coordinates that are not 0 and those whose derivative exceeds
// their weight l1, or nearly does. The strong rule (Tibshirani et al., J. R. Stat. Soc. B
// 74, 2012) names the columns whose derivatives are looked at on the way from one λ to the
// next; before an end is called one, all are.
//
// Sweeps over the columns are slow along directions that many columns share; a few of them
// tell where they lead to, and the descent goes there (Anderson acceleration).
//
// Files in reading order: passes.go (scores, residuals, derivatives), extrapolate.go (the
// point to which sweeps lead), model.go (the quadratic model and its descent), solver.go (the
// iterations).
package columnwise
