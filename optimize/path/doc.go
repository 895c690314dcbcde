// Package path fits a model with a lasso or an elastic net for a falling sequence of λ,
//
//	minimise  Σ wᵢL(yᵢ, fᵢ) + λ·(α‖β‖₁ + (1−α)/2·‖β‖²),
//
// for every loss of package optimize/glm: one grid, one stopping rule, one path.
//
// [New] sets up a [Problem]: the objective, the penalty in the units of the design
// ([Measure] makes them standard deviations or 1), and the fit without penalised
// features. [Problem.Fit] minimises at one λ, [Problem.Run] along a path.
//
// For one score a path goes by batches of up to eight λ, which share their passes over
// a copy of the features and one Hessian on a working set; one of sparse rows does so if features are few and many
// values stored. Quadratic models foretell the fits, exact
// gradients correct them, and a last pass checks the features outside the set but those
// that bounds prove inactive. For K scores, and for λ that a batch gives up, the proximal
// Newton method fits one λ after the other: by Hessians, or with sparse rows of more than a few features by descents
// over a copy of their columns, of one score two fits side by side, for each keeps one worker busy. Without a lasso these fits, and those of
// one score with more features than rows, have all features: they are ridges, which follow the plan of
// package glm. Elastic nets on dense rows with more features than rows, of classes or of single fits, go over
// a copy of the columns too, for they may use most coordinates, and so do paths of one score from the fit on
// that uses more features than there are rows.
//
// The Hessian of squared error is constant: its models are exact, and no Hessian is made
// anew. Making that of all features first is no faster. (Measured, processor seconds of a
// path: 0.16 against 0.07 by batches for 20,000 × 100 correlated features, 1.1 against 0.9
// for 10,000 × 1,000.)
//
// The certificate of a fit, single or of a path, is a duality gap relative to the objective F;
// of a loss without a dual that is known it is the largest |rⱼ|/Σ wᵢ|xᵢⱼ| of the shortest
// subgradient r. With the probabilities p, the classes e_y (of rows of several trials the shares of these), g = Σ wᵢ(pᵢ−e_yᵢ)xᵢ, H the Hessian of the loss, U
// the coordinates without a penalty and d their Newton step, d_U = H_UU⁻¹g_U and else 0, for a
// share 0 ≤ s ≤ 1
//
//	F(θ) − min F ≤ Σ wᵢKL(qᵢ‖pᵢ) + Σⱼ [hⱼ(θⱼ) + hⱼ*(−s·cⱼ) + s·cⱼθⱼ],   c = g − Hd,
//	qᵢ = s·pᵢ∘(1−uᵢ) + (1−s)·e_yᵢ,   uᵢₖ = xᵢᵀdₖ − Σₗ pᵢₗxᵢᵀdₗ,
//
// if no qᵢₖ is negative, with hⱼ the penalty of a coefficient and hⱼ* its conjugate: [|z|−λα]₊²/(2λ(1−α)),
// for a lasso 0 for |z| ≤ λα and else +Inf. Proof. Each qᵢ sums to 1, and the derivatives
// by q in the place of p are s·c, which is 0 in U. So q is a point of the dual problem, whose
// objective −Σ wᵢΣₖ qᵢₖ log qᵢₖ − Σⱼ hⱼ*(−s·cⱼ), but for the offsets, is at most min F. Its
// distance from F(θ) is that sum, by the equality log pᵢₖ = fᵢₖ − log Σₗ exp fᵢₗ; every term is
// at least 0, by Gibbs and by Fenchel and Young. ∎ (Boyd & Vandenberghe, Convex Optimization,
// §5.2.3; El Ghaoui, Viallon & Rabbani, Pacific J. Optim. 8, 2012, for the scaling.) The
// lasso's weight is held by s = min(1, λα/max |cⱼ|); with a ridge s = 1 may lose less. Of
// squared error the divergence is ½Σ wᵢ(r″ᵢ−rᵢ)² for the residuals r″ = s·(r − Xd).
//
// No d of float64 leaves c = 0 in U, and no sum tells it exactly. Where it leaves at most e, the dual
// point is that of d + δ, δ = H_UU⁻¹e: dᵀHd, the scores along d and the other derivatives change by
// as much as δ can. The residuals r are those of scores that are rounded. The dual point may have them as
// they are, and its distance from F grows by the divergence between the probabilities of both scores, a
// square: a fit beside offsets of 1e8 is as near its minimum as another.
//
// Next to no penalty the errors of g are as large as λα, and the share that holds them says nothing. Then d may be the
// step by any coordinates V besides, with d_V∪U = H⁻¹(g−z) for whatever derivatives z are wanted: the lines above hold
// with c = z in V. Those that cost nothing are z = −λα·sign θ − λ(1−α)θ where θ is not 0 and, where it is, g as far as
// λα holds it. The excess comes out to the square of g − z, and errors of g count among those that a step leaves.
//
// A batch has no pass to spare for that. It has the residuals and g, so that with the
// intercept alone in U only Hd and the divergence are missing: |(Hd)ⱼ| ≤ |d|·Σ wᵢ|xᵢⱼ|/4, for
// no curvature is above ¼, and [glm.Objective.DivergenceAtMost] bounds the divergence by sums
// over the rows. Allowances for rounding are added to both. A fit goes on, to smaller
// derivatives, until the gap holds.
//
// Names: a candidate is the fit of one λ on its way; a feature is in use if its column
// is at the front of the copy by columns, near if a pass evaluates it; the set are
// coordinates, the intercept first.
//
// The life of a path: grid → null fit → batches (choose the working set, foresee,
// evaluate, certify, correct) → fits handed to the caller, one by one, with the share of
// the deviance that each explains → stop.
//
// Files in reading order: problem.go (penalty, null fit), rounding.go (what it does to a duality gap), gap.go
// (the gap), grid.go (settings, λ, when to stop, lines through fits), fit.go (one λ), walk.go (from fit to
// fit), screen.go (bounds), columns.go (the copy by columns), working.go (the working set and its Hessian),
// batch.go, evaluate.go, model.go, solve.go (a batch), path.go (a path, and its fits
// with their models, one shape for every package), choice.go (cross-validation).
package path
