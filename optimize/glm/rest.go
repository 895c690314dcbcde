package glm

import (
	"slices"

	"halfspace/linalg"
)

const (
	// pivotFloor is the share of a diagonal element of the Hessian that its Cholesky
	// pivot must keep for the columns to count as independent without a closer look.
	pivotFloor = 1e-10
	// restless is the change of a score that a Newton step may not make at a maximum.
	// Where classes are separated each step changes scores by about 1.
	restless = 0.1
)

// linearize returns the gradient at theta, and the Hessian with a lower bound on the
// curvature of any row: those of the last Hessian, which a solver made near theta.
func (o *Objective) linearize(theta []float64) (g []float64, h *linalg.Dense, floor float64) {
	n := len(theta)
	if o.last.h == nil {
		o.Hess(linalg.Zeros(n, n), make([]float64, n), theta)
	}
	o.evaluate(theta)
	return o.memo.g, o.last.h, o.last.floor
}

// Rest judges a point at which the gradient is small. moving reports whether a Newton
// step H⁻¹g still moves a row's score by more than 0.1, as it does for ever, however
// small the gradient becomes, where the likelihood has no maximum. independent reports
// whether the Hessian's factor shows the columns to be independent beyond doubt.
//
// Σ wᵢvᵢ(movement)² = gᵀH⁻¹g bounds the movement without a pass over the rows; only in
// doubt is it computed. O(np + p³) at most where the Hessian is known.
func (o *Objective) Rest(theta []float64) (moving, independent bool, err error) {
	g, h, floor := o.linearize(theta)
	if o.failed != nil {
		return false, false, o.failed
	}
	factor, pivot := linalg.NewCholesky(h)
	if pivot != nil {
		return true, false, nil
	}
	moving, err = o.moves(g, factor, floor)
	return moving, Independent(h, factor), err
}

func (o *Objective) moves(g []float64, factor *linalg.Cholesky, floor float64) (bool, error) {
	step := slices.Clone(g)
	factor.Solve(step)
	if linalg.Dot(g, step) <= restless*restless*floor {
		return false, nil
	}
	for dim := o.Dim(); len(step) > 0; step = step[dim:] {
		widest, err := o.Widest(step[:dim])
		if err != nil || widest > restless {
			return true, o.keep(err)
		}
	}
	return false, nil
}

// Independent reports whether a Cholesky factor of h shows its columns to be
// independent beyond doubt.
func Independent(h *linalg.Dense, c *linalg.Cholesky) bool {
	l := c.L()
	for j := range l.Rows {
		if d := l.At(j, j); !(d*d > pivotFloor*h.At(j, j)) {
			return false
		}
	}
	return true
}

// Dependent reports whether the last Hessian leaves a doubt that its columns are
// independent.
func (o *Objective) Dependent() bool {
	if o.last.h == nil {
		return false
	}
	factor, err := linalg.NewCholesky(o.last.h)
	return err != nil || !Independent(o.last.h, factor)
}
