package logistic

import (
	"errors"
	"math"

	"halfspace/linalg"
)

// pivotFloor is the share of a diagonal element of the Hessian that its Cholesky
// pivot must keep for the columns to count as independent without a closer look.
const pivotFloor = 1e-10

// independent reports whether a Cholesky factor of h shows its columns to be
// independent beyond doubt.
func independent(h *linalg.Dense, c *linalg.Cholesky) bool {
	l := c.L()
	for j := range l.Rows {
		if d := l.At(j, j); !(d*d > pivotFloor*h.At(j, j)) {
			return false
		}
	}
	return true
}

// rank looks for linear dependence among the intercept and the given columns
// (nil: all) of the rows with positive weight. It returns a *[linalg.RankError]
// or nil. O(np²).
func (d *design) rank(columns []int) error {
	x := d.x
	if columns != nil && len(columns) < d.p {
		x = d.pick(columns)
	}
	err := linalg.CheckRank(x, d.weights, d.intercept == 1, d.workers)
	var e *linalg.RankError
	if columns != nil && errors.As(err, &e) {
		for i, j := range e.Columns {
			e.Columns[i] = columns[j]
		}
	}
	return err
}

// pick returns a copy of some columns.
func (d *design) pick(columns []int) *linalg.Dense {
	c := linalg.Zeros(d.n, len(columns))
	for i := range d.n {
		row, to := d.x.Row(i), c.Row(i)
		for k, j := range columns {
			to[k] = row[j]
		}
	}
	return c
}

// widest returns the largest |θ·(1, xᵢ)| over the rows with positive weight.
func (d *design) widest(theta []float64) float64 {
	widest := 0.0
	d.margins(theta, func(_ int, f float64) { widest = max(widest, math.Abs(f)) })
	return widest
}

// margins calls visit with θ·(1, xᵢ) for each row of positive weight, in order.
func (d *design) margins(theta []float64, visit func(i int, f float64)) {
	beta := make([]float64, d.p)
	b0 := d.slopes(beta, theta)
	buf, f := d.buffer(), make([]float64, blockRows)
	var window linalg.Dense
	for lo := 0; lo < d.n; lo += blockRows {
		hi := min(lo+blockRows, d.n)
		linalg.MulVec(f[:hi-lo], d.block(&window, buf, lo, hi), beta, 1)
		for i := lo; i < hi; i++ {
			if d.weight(i) > 0 {
				visit(i, f[i-lo]+b0)
			}
		}
	}
}
