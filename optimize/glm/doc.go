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
// One table ([Objective.Plan] names its row) says which stages solve which problem:
// Newton's method, from a fit to part of the rows where there are many; L-BFGS, with a
// Hessian of part of the rows where there are many, else with its diagonal, where a ridge
// is on many features; models of the Hessian for many parameters of several classes. A
// stage that creeps is left. Every row ends with a method that gets there: Newton's, by
// systems of as many equations as there are parameters or rows, or by conjugate gradients.
// The thresholds stand in plan.go and above the stages that they belong to;
//
//	go test -run Calibrate -calibrate -v ./optimize/glm
//
// measures them again.
//
// # What a fit promises
//
// The certificate is max |gₖⱼ|/Σ wᵢ|xᵢⱼ−cⱼ|, recomputed at the coefficients that are
// published. Without a ridge a fit goes on until no row's score moves, in twice the
// precision where rounding hides derivatives above the tolerance; with one it is not
// called converged where rounding its coefficients can move derivatives by more.
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
// whether a minimum exists and go on until it is certain to the last digit.
//
// Files in reading order: objective.go (the type), contrasts.go (K functions), outer.go
// (sums for the Hessian of many classes), pass.go (value, gradient and Hessian),
// curvature.go (products and parts of the Hessian), certificate.go (sizes, certificate),
// jeffreys.go (Firth's objective), rest.go (do rows still move), rows.go (systems of as
// many equations as rows, the diagonal of the Hessian, and the method that gets there),
// subsample.go (starts and Hessians of part of the rows), scoremodel.go and several.go
// (many parameters of several classes), plan.go (the table), minimize.go (a fit).
package glm
