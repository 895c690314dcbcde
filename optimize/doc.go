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
//	[ProximalNewton]           a smooth function with an elastic net; [Proximal] for paths
//	[GroupNewton]              a smooth function with a group lasso
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
// The functions to minimise are put together from the packages below: losses in loss,
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
//
// # How long a run may take
//
// A method that is sure to end may still take minutes: of a hundred classes with outliers and next to no
// penalty, say, each step of the proximal Newton method moves but a little. So a fit has a limit: [Work]
// counts multiplications, which are the same on every machine, whatever the workers, and the run ends
// as at its cap of iterations once they are as many as [WorkOn] allows: with status max_iterations
// and the certificate that its point has. What takes the time is counted by who does it: passes over the
// rows and the Hessians of them, factors, conjugate gradients and sweeps, each by the rate at which it
// runs: the fastest, large products of matrices, by their multiplications, the others by the products
// that could be made instead. Descents over columns and by rows (the packages below) have caps of their own, and
// count the passes alone. Those of 1,000 numbers end within two seconds of a processor with
// AVX-512, and a little more: the step that is being made is finished, and the point is certified. A caller
// who sets MaxIter sets the only limit.
//
// # Reading order
//
// problem.go says what is minimised, under which [Control]; report.go what is said of
// the result, audit.go of coefficients whoever found them; progress.go is the bookkeeping
// of one solver, stages.go that of a fit by several. The solvers: linesearch.go, newton.go
// (with conjugate gradients too), quasinewton.go and descent.go for smooth functions, face.go, interior.go, coordinate.go, proximal.go and
// groups.go with a penalty. restrict.go is for fits within fits.
//
// One run of a solver: [Begin] checks start and settings. Each iteration ends with
// Done, which records the point, shows it to the trace, asks Until, and says whether
// the run is over; then the solver tries points, each shown to Finite, until one is
// better, or says Stuck. Result makes the point, the report and the error of them. A
// fit by several solvers: [Run] gives each stage its turn with the iterations that are
// left, asks certify for the certificate of the point that it came to, and lets
// Certify make the status of both.
//
// Names: x is the point, g the gradient, h the Hessian, d a direction; next and gNext
// belong to a point that is tried; run is the Progress; value is the objective, cert
// the certificate, length that of the last step.
package optimize
