// Package glm is the objective of generalised linear models and of every other smooth
// loss of linear scores,
//
//	F(θ) = Σ wᵢL(yᵢ, fᵢ) + ½ Σ ridgeⱼθⱼ²,   fᵢ = intercept + β·(xᵢ − c) + offsetᵢ,
//
// on the rows of a design (package linalg/design), and the plan by which it is
// minimised.
//
// A loss of one score is any [loss.Smooth], a user's own among them; K classes have
// [loss.Softmax]. Two classes, K classes, squared error and counts are values of one
// type, [Objective], with Value, Grad, Hess, HessVec and SubHess over one pass of blocks
// that stay in the cache from their scores to their part of the Hessian. It remembers
// the last point, so that two methods that meet there pay for it once.
//
// # Which method
//
// One table ([Objective.Plan] names its row) says which stages solve which problem. The first row that fits is taken:
//
//   - a ridge on many features of sparse rows: Newton's method by conjugate gradients;
//   - a ridge on many features and few rows for each, or one score of more than 128 dense features, and fewer than 100 rows for each, without it: L-BFGS with
//     a model of the Hessian, its diagonal and the directions that lead, or in the coordinates of the rows;
//   - another ridge and one score: L-BFGS with a Hessian of part of the rows;
//   - others of one score: Newton's method, from a fit to part of the rows where there are many;
//   - many parameters of several classes: L-BFGS with models of the Hessian;
//   - the rest: Newton's method.
//
// A stage that creeps is left. Every row ends with a method that gets there: Newton's, by
// systems of as many equations as there are parameters or rows, or by conjugate gradients and a line search.
// Without an intercept, and with a ridge on every feature, rows far from 0 are first turned to
// coordinates in which their means are next to an intercept ([design.Level]), and the row of the table is that of
// the objective there.
// The thresholds stand in plan.go and above the stages that they belong to;
//
//	go test -run Calibrate -calibrate -v ./optimize/glm
//
// measures them again.
//
// # What a fit promises
//
// The certificate of a convex fit is a proven bound on F(θ) − min F at the published
// coefficients, relative to F(θ). With p the probabilities there, V the curvatures, g = ∇F
// with the ridge Λ, H = XᵀVX and d = (H + Λ)⁻¹g, the Newton step:
//
//	F(θ) − min F ≤ κ(t)·ν²,  ν² = gᵀ(H + Λ)⁻¹g,  t = max |xᵢᵀd|,  κ(t) = [t + (1−t)log(1−t)]/t²
//
// if t < 1 (of K scores t = max (eₖ−eₗ)ᵀdᵀxᵢ). Proof. The probabilities q = p∘(1−u) with uᵢₖ = xᵢᵀdₖ
// − Σₗ pᵢₗxᵢᵀdₗ ≤ t are positive and sum to 1. The derivatives of the loss by q in the place
// of p are g − Λθ − Hd = Λ(d − θ): by features without a ridge they are 0, so q is a point of
// the dual problem, whose objective is at most min F. The difference of the two objectives is Σ wᵢKL(qᵢ‖pᵢ) +
// ½Σ λⱼdⱼ², by the equality of Fenchel and Young at θ. KL(q‖p) = Σ pₖ[(1−uₖ)log(1−uₖ) + uₖ]
// ≤ κ(t)Σ pₖuₖ², for κ grows and Σ pₖuₖ = 0; that sums to κ(t)·dᵀHd, and κ ≥ ½. ∎
//
// By the way t < 1 proves that a minimum exists: the wᵢqᵢₖ are Stiemke's multipliers, with
// which no direction separates the classes (Stiemke, Math. Ann. 76, 1915; Boyd &
// Vandenberghe, Convex Optimization, §5.2.3, for the gap). Where classes are separated t ≥ 1
// at every θ. Of squared error κ = ½ exactly, whatever t.
//
// The bound needs no Hessian at θ: any B beneath H + Λ serves, that of an earlier point
// times exp(−δ) where scores have moved by δ, of part of the rows, or Λ with the curvature of
// a few rows. With a ridge on all features but few any d that leaves no derivative by these and the intercepts
// serves in the place of the Newton step: the gap is then at most κ(t)·dᵀHd + ½Σ (g−Hd)ⱼ²/λⱼ,
// and some conjugate gradients make it small. Rν bounds t for R² ≥ xᵢᵀB⁻¹xᵢ, which
// curvatures bound by 1/wᵢvᵢ. Only in doubt a pass finds t and R. To ν are added the lengths
// √(eᵀB⁻¹e) of the rounding errors of gradient and scores. Those of the sums in B are at most γp of its diagonal, which
// relative to B is little, or is taken from the diagonal, as where a small ridge alone tells columns apart. What d leaves of the derivatives by the
// intercepts, at least by rounding, another direction takes away, which adds its length to ν and its
// scores to t. An excess of 1e-14 is one of 1e-7
// in coefficients, relative to their standard errors times √(2F): see [Problem]. Where no
// Hessian is made, 1e-12 of the objective is one of 1e-6 there.
//
// Where rounding hides the proof, as in columns that nearly agree, derivatives are taken in
// a basis of the columns in which the Hessian is near the identity, made in twice the
// precision, and scores are those of the coefficients as published. The dual point may leave
// residuals of rows as they are: those whose class is all but certain. Where float64 cannot hold these well enough the fit has not
// converged, and its bound says how near they are.
//
// A user's own loss has no dual that is known here: its certificate is the largest
// derivative in the sizes of the columns, max |gₖⱼ|/Σ wᵢ|xᵢⱼ−cⱼ|, of Kind gradient.
//
// # Names
//
// θ (theta) are parameters in the units of the design, function by function, the
// intercept first; g the gradient, h the Hessian, r = w∂L/∂f the residuals, v =
// w∂²L/∂f² the curvatures of the rows. K is the number of scores of a row, m that of the
// functions whose parameters θ are: K of them, or K−1 contrasts.
//
// # The life of one fit
//
// [Objective.Minimize] asks the table for a plan, which may fit parts of the rows to
// find a start; [optimize.Run] carries out its stages, counts their iterations and asks
// for the certificate after each; where features have no ridge the last stages ask
// whether a minimum exists.
//
// Files in reading order: objective.go (the type, K functions), outer.go (sums for the Hessian
// of many classes), pass.go (value, gradient and Hessian), curvature.go (products with the Hessian
// and parts of it, sizes of derivatives, independence), subsample.go (starts and models of the
// Hessian from part of the rows), truncated.go (the diagonal of the Hessian, and the methods that need
// no more), rows.go (the space of the rows: systems of as many equations, and its coordinates),
// several.go (many parameters of several classes), plan.go (the table, and the method that gets
// there), bound.go (the bound by a Hessian), fewrows.go (that of very many parameters, by
// some residuals or by the Hessian of some rows), products.go (the same by products with the Hessian, and in
// the coordinates of the rows; an orthonormal basis of the columns), minimize.go (a fit, its
// bound, and its end), jeffreys.go (Firth's objective), sums.go (sums of rows that are read apart).
package glm
