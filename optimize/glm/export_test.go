package glm

import (
	"halfspace/linalg"
	"halfspace/optimize"
)

// The tests of the package from outside count the passes of these methods as well.

func (o *Objective) GradSampled(h *linalg.Dense, g, theta []float64, step int) float64 {
	return o.gradSampled(h, g, theta, step)
}

func (o *Objective) RowsEvery(step int) (*Objective, error) { return o.rowsEvery(step) }

func (o *Objective) HessDiag(dst, theta []float64) { copy(dst, o.diagonalAt(theta)) }

func (o *Objective) CertifyByGradient(theta []float64, tol float64) (float64, optimize.Certificate, error) {
	return o.certifyByGradient(theta, tol)
}
