// Package optimize minimises smooth and composite functions of a vector, and
// says with a certificate how close it came.
//
// A solver takes the smallest interface it needs ([Function], [Gradient],
// [Hessian], …), a start, and a [Control]; it returns the last finite point and a
// [Report]. Status "converged" means that the certificate, a dimensionless
// number that anyone can recompute at the returned point, is at most the
// tolerance. Small steps or a flat objective never count as convergence.
//
//	[Newton]                   second derivatives and O(p³): the fewest steps
//	[NewtonCG]                 products with the Hessian: many coordinates
//	[BFGS], [LBFGS]            gradients alone: some dozens of steps; LBFGS fewer, with a
//	                           model of the Hessian ([Preconditioned])
//	[GradientDescent]          for teaching: fixed rate, or backtracking
//	[SubgradientDescent]       functions with corners: slow, for teaching and checks
//	[CoordinateDescent]        a quadratic with an elastic net, Gram form
//	[CoordinateDescentColumns] the same in the residual form
//	[ProximalNewton]           a smooth function with an elastic net; [Proximal] for paths
//	[ProximalGradient]         a smooth function with any penalty, group lasso
//
// [Run] makes one fit of several solvers, each a [Stage] that goes on from where the
// last has come to, and judges what they reach by the certificate that is published.
// Methods of other packages count their iterations through [Progress]. Nothing else
// writes a Report: it has no exported fields, and [Report.Certify] holds the rule by
// which a certificate makes a status.
//
// [Restrict] makes a function of some coordinates, the others held; [Root] finds a zero
// of a function of one variable.
//
// What is minimised is put together from the packages below: losses in loss,
// penalties in penalty.
//
// Every solver returns an error exactly when the status is not converged; it
// wraps [ErrNotConverged] and, where the caller's trace stopped it, the trace's
// error too. Wrong arguments (settings that are negative or not finite, lengths
// that differ, a start with a NaN) are other errors, with a nil point. The start
// and the control are never written to, and the trace is called for the start and
// after each iteration.
//
// A function whose evaluation can fail, as a pass over a file does, has a method
// Err() error, keeps its first error, and returns at once from then on: every solver
// asks after each evaluation, and returns that error with a nil point.
//
// A point at which the objective or a derivative is not finite is stepped back
// from, so a function may return NaN or an infinity outside its domain.
package optimize
