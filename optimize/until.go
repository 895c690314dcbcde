package optimize

import "context"

// Until returns a Trace that stops a fit, a path or a cross-validation once ctx is
// done: with the deadline or the cancellation as its cause. The model so far comes
// back beside the error, which wraps [ErrNotConverged] and context.Cause(ctx).
func Until(ctx context.Context) func(Step) error {
	return func(Step) error { return context.Cause(ctx) }
}
