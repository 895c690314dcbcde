// Package optimize minimises smooth and composite functions of a vector, and
// says with a certificate how close it came.
//
// A solver takes the smallest interface it needs ([Function], [Gradient],
// [Hessian], …), a start, and a [Control]; it returns the last finite point and a
// [Report]. Status "converged" means that the certificate, a dimensionless
// number that anyone can recompute at the returned point, is at most the
// tolerance. Small steps or a flat objective never count as convergence.
//
// Every solver returns an error exactly when the status is not converged; it
// wraps [ErrNotConverged] and, where the caller's trace stopped it, the trace's
// error too.
package optimize
