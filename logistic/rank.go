package logistic

import (
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
// (nil: all) of the rows with positive weight, by a pivoted QR of their
// triangle. It returns a *[linalg.RankError] or nil. O(np²).
func (d *design) rank(columns []int) error {
	x, origin := d.x, d.origin
	if columns != nil {
		x, origin = d.pick(columns), nil
	}
	var ones *linalg.Dense
	if d.intercept == 1 {
		ones = linalg.Zeros(d.n, 1)
		for i := range ones.Data {
			ones.Data[i] = 1
		}
	}
	tall, err := linalg.NewTallQR(x, ones, origin, d.weights, d.workers)
	if err != nil {
		return err
	}
	// The triangle of (1, x), the intercept first so that it is kept.
	p, k := x.Cols, d.intercept
	m := linalg.Zeros(p+k, p+k)
	r := tall.R()
	for i := range p {
		copy(m.Row(i)[k:], r.Row(i))
		if k == 1 {
			m.Set(i, 0, tall.QTY().At(i, 0))
		}
	}
	if k == 1 {
		m.Set(p, 0, tall.Residual(0))
	}
	q, err := linalg.NewQR(m)
	if err != nil {
		return err
	}
	dependent := q.Dependent()
	if len(dependent) == 0 {
		return nil
	}
	e := &linalg.RankError{Rank: q.Rank(), P: p + k}
	for _, j := range dependent {
		switch {
		case j < k:
			e.Columns = append(e.Columns, -1)
		case columns != nil:
			e.Columns = append(e.Columns, columns[j-k])
		default:
			e.Columns = append(e.Columns, j-k)
		}
	}
	return e
}

// pick returns a copy of some columns, about the origin and in units.
func (d *design) pick(columns []int) *linalg.Dense {
	c := linalg.Zeros(d.n, len(columns))
	for i := range d.n {
		row, to := d.x.Row(i), c.Row(i)
		for k, j := range columns {
			to[k] = (row[j] - d.origin[j]) / d.unit[j]
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
