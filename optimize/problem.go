package optimize

import "halfspace/linalg"

// Function is an objective to minimise.
type Function interface {
	Value(x []float64) float64
}

// Gradient is a differentiable objective. Grad sets g to ∇f(x) and returns
// f(x): one pass over the data makes both.
type Gradient interface {
	Function
	Grad(g, x []float64) float64
}

// Preconditioned is a differentiable objective with a model M of its Hessian,
// symmetric and positive definite. Precondition overwrites d with M⁻¹d.
type Preconditioned interface {
	Gradient
	Precondition(d []float64)
}

// Hessian is a twice differentiable objective. Hess sets g and the full
// symmetric h and returns f(x).
type Hessian interface {
	Gradient
	Hess(h *linalg.Dense, g, x []float64) float64
}

// HessianVec is a twice differentiable objective whose Hessian is only
// multiplied with. HessVec sets dst to ∇²f(x)·v.
type HessianVec interface {
	Gradient
	HessVec(dst, x, v []float64)
}

// SubHessian is a twice differentiable convex objective whose Hessian is wanted
// for a few coordinates at a time. SubHess sets h to the elements of ∇²f(x) in the
// rows and columns named; nil cols are the rows, and h is then symmetric.
type SubHessian interface {
	Gradient
	SubHess(h *linalg.Dense, x []float64, rows, cols []int)
}
