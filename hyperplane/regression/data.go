package regression

import (
	"math"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// cloud is the training data of a regression, checked, and its centre: without
// the intercept, which is never penalised and follows from the rest, least
// squares is about x−c and z−m alone.
type cloud struct {
	x       *linalg.Dense
	z       []float64 // y less the offset
	w       []float64 // nil is all ones
	total   float64   // Σw
	origin  []float64 // c, the weighted mean of the rows; nil without intercept
	mean    float64   // m, the weighted mean of z; 0 without intercept
	spread  float64   // Σw(z−m)²
	norms   []float64 // ‖√w(x−c)‖, by column
	workers int
}

// newCloud checks the training data and the options that all regressions share.
func newCloud(x *linalg.Dense, y []float64, o *Options) (*cloud, error) {
	n, _, err := sample.Dims(x, len(y), "responses")
	if err != nil {
		return nil, err
	}
	c := &cloud{x: x, w: o.Weights}
	if c.workers, err = sample.Count("Workers", o.Workers, 0); err != nil {
		return nil, err
	}
	if c.total, err = sample.Weights(o.Weights, n); err != nil {
		return nil, err
	}
	if err := x.CheckFinite(); err != nil {
		return nil, err
	}
	if c.z, err = response(y, o.Offset); err != nil {
		return nil, err
	}
	if !o.NoIntercept {
		c.centre()
	}
	return c, c.measureColumns()
}

// response returns y − offset.
func response(y, offset []float64) ([]float64, error) {
	if err := linalg.CheckFinite("y", y); err != nil {
		return nil, err
	}
	if offset == nil {
		return y, nil
	}
	if len(offset) != len(y) {
		return nil, &linalg.ShapeError{Want: len(y), WantOf: "rows", Got: len(offset), GotOf: "offsets"}
	}
	if err := linalg.CheckFinite("offset", offset); err != nil {
		return nil, err
	}
	z := make([]float64, len(y))
	for i, v := range y {
		z[i] = v - offset[i]
	}
	return z, linalg.CheckFinite("y less the offset", z)
}

func (c *cloud) weight(i int) float64 {
	if c.w == nil {
		return 1
	}
	return c.w[i]
}

// centre finds the weighted means in two rounds: the mean of what the first one
// leaves corrects it to the last place.
func (c *cloud) centre() {
	p := c.x.Cols
	c.origin = make([]float64, p)
	first := 0
	for c.weight(first) == 0 {
		first++
	}
	copy(c.origin, c.x.Row(first))
	c.mean = c.z[first]
	for range 2 {
		sum := c.reduce(p+1, func(s *partial, lo, hi int) {
			w := s.r[:hi-lo]
			for k := range w {
				var z float64
				w[k], z = c.response(lo + k)
				s.sum[p] += w[k] * z
			}
			linalg.MulTVecAdd(s.sum[:p], c.block(s.block, lo, hi), w)
		})
		linalg.Axpy(c.origin, 1/c.total, sum[:p])
		c.mean += sum[p] / c.total
	}
}

// partial is one goroutine's share of a sum over the rows.
type partial struct {
	sum   []float64
	block *linalg.Dense // rows less the origin
	r     []float64     // a value for each of them
}

// reduce returns the sum of what add adds to partial sums of the given length for
// rows lo ≤ i < hi, in blocks that a cache holds: with the same bits for any
// number of workers.
func (c *cloud) reduce(length int, add func(s *partial, lo, hi int)) []float64 {
	p := c.x.Cols
	sum := make([]float64, length)
	rows := max(8, (1<<13)/p)
	linalg.Reduce(c.x.Rows, 8*rows, c.workers,
		func() *partial {
			return &partial{make([]float64, length), linalg.Zeros(rows, p), make([]float64, rows)}
		},
		func(s *partial, lo, hi int) {
			clear(s.sum)
			for ; lo < hi; lo += rows {
				add(s, lo, min(lo+rows, hi))
			}
		},
		func(s *partial) { linalg.Axpy(sum, 1, s.sum) })
	return sum
}

// moved returns z − m as a column.
func (c *cloud) moved() *linalg.Dense {
	y := linalg.Zeros(len(c.z), 1)
	for i := range y.Data {
		_, y.Data[i] = c.response(i)
	}
	return y
}

// row sets dst to xᵢ − c.
func (c *cloud) row(dst []float64, i int) {
	copy(dst, c.x.Row(i))
	if c.origin != nil {
		linalg.Axpy(dst, -1, c.origin)
	}
}

// fit is what one pass over the rows says about coefficients.
type fit struct {
	rss      float64   // Σw·r², r = z − m − β·(x−c)
	cross    float64   // Σw·r·(z−m)
	gradient []float64 // Σw·r·(x−c), by column
	size     float64   // ‖z−m‖ + Σ‖xⱼ‖·|βⱼ|, which bounds what r is a difference of
}

// residuals measures beta by one pass over the rows. O(np).
func (c *cloud) residuals(beta []float64) *fit {
	p := c.x.Cols
	sum := c.reduce(p+2, func(s *partial, lo, hi int) {
		r := s.r[:hi-lo]
		block := c.block(s.block, lo, hi)
		linalg.MulVec(r, block, beta, 1)
		for k, v := range r {
			w, z := c.response(lo + k)
			v = z - v
			s.sum[p] += w * v * v
			s.sum[p+1] += w * v * z
			r[k] = w * v
		}
		linalg.MulTVecAdd(s.sum[:p], block, r)
	})
	f := &fit{gradient: sum[:p], rss: sum[p], cross: sum[p+1], size: math.Sqrt(c.spread)}
	for j, b := range beta {
		f.size += c.norms[j] * math.Abs(b)
	}
	return f
}

// block returns rows lo ≤ i < hi less the origin, in buffer where they change.
// Rows of weight 0 are 0, whatever stands there.
func (c *cloud) block(buffer *linalg.Dense, lo, hi int) *linalg.Dense {
	if c.origin == nil && c.w == nil {
		return c.x.RowRange(lo, hi)
	}
	b := buffer.RowRange(0, hi-lo)
	for k := range b.Rows {
		if c.weight(lo+k) == 0 {
			clear(b.Row(k))
		} else {
			c.row(b.Row(k), lo+k)
		}
	}
	return b
}

// response returns the weight of row i and z−m, 0 for a weight of 0.
func (c *cloud) response(i int) (w, z float64) {
	if w = c.weight(i); w == 0 {
		return 0, 0
	}
	return w, c.z[i] - c.mean
}

// measureColumns sets norms to ‖√w(xⱼ−cⱼ)‖ and spread to Σw(z−m)². Error:
// *[linalg.RangeError] where one overflows, or underflows though not all it sums is 0:
// what is left could not be told from nothing.
func (c *cloud) measureColumns() error {
	p := c.x.Cols
	sum := c.reduce(2*p+1, func(s *partial, lo, hi int) {
		block := c.block(s.block, lo, hi)
		squares, sums := s.sum[:p], s.sum[p:2*p]
		for k := range hi - lo {
			w, z := c.response(lo + k)
			for j, v := range block.Row(k)[:len(squares)] {
				squares[j] += w * v * v
				sums[j] += w * v
			}
			s.sum[2*p] += w * z * z
		}
	})
	c.spread, c.norms = sum[2*p], sum[:p]
	row := make([]float64, p)
	for j, v := range c.norms {
		column := func(i int) float64 { c.row(row, i); return row[j] }
		if v-v != 0 || v < leastSpread && c.varies(column) {
			return &linalg.RangeError{Column: j}
		}
		if c.origin != nil {
			// A mean between two floating-point numbers is not c: 1 and 1+5ulp have a spread of 2.5ulp.
			v = max(0, v-sum[p+j]/c.total*sum[p+j])
		}
		c.norms[j] = math.Sqrt(v)
	}
	response := func(i int) float64 { return c.z[i] - c.mean }
	if c.spread-c.spread != 0 || c.spread < leastSpread && c.varies(response) {
		return &linalg.RangeError{What: "y"}
	}
	return nil
}

// leastSpread is the sum of squares below which those that underflowed could matter.
const leastSpread = 1e-305

// varies reports whether a value of a row of positive weight is not 0.
func (c *cloud) varies(value func(i int) float64) bool {
	for i := range c.z {
		if c.weight(i) > 0 && value(i) != 0 {
			return true
		}
	}
	return false
}

// normalResidual returns max |Σw·r·(xⱼ−cⱼ) − λuⱼγⱼ| relative to the sizes of what
// it is the difference of, ‖xⱼ‖·size + λuⱼ‖γ‖, for a ridge penalty λ/2·‖γ‖², γⱼ =
// uⱼβⱼ: 0 at the solution of the normal equations, a few roundings at a good answer
// whatever the condition of x.
func (c *cloud) normalResidual(f *fit, lambda float64, unit, gamma []float64) float64 {
	worst := 0.0
	for j, g := range f.gradient {
		size := c.norms[j] * f.size
		if lambda > 0 {
			g -= lambda * unit[j] * gamma[j]
			size += lambda * unit[j] * linalg.Norm(gamma)
		}
		if r := math.Abs(g) / size; size > 0 && !(r <= worst) {
			worst = r
		}
	}
	return worst
}

// units returns what each coefficient is multiplied by before it is penalised:
// the standard deviation of its column, also where there is no intercept, or 1.
func (c *cloud) units(standardize bool) []float64 {
	unit := make([]float64, len(c.norms))
	norms := c.norms
	if standardize && c.origin == nil {
		about := *c
		about.centre()
		if about.measureColumns() == nil {
			norms = about.norms
		}
	}
	for j, s := range norms {
		unit[j] = 1
		if standardize && s > 0 {
			unit[j] = s / math.Sqrt(c.total)
		}
	}
	return unit
}

// rows returns √w(x−c).
func (c *cloud) rows() *linalg.Dense {
	a := linalg.Zeros(c.x.Dims())
	for i := range a.Rows {
		if w := c.weight(i); w > 0 {
			c.row(a.Row(i), i)
			linalg.Scale(a.Row(i), math.Sqrt(w))
		}
	}
	return a
}

// newModel returns the model f(x) = m + β·(x−c) on the cloud.
//
// Errors: *[linalg.NonFiniteError] where the coefficients overflow,
// *[linalg.RangeError] where sums over the rows do.
func (c *cloud) newModel(beta []float64, o *Options, df float64, f *fit, r optimize.Report) (*Model, error) {
	p, err := hyperplane.NewPlaneAt(beta, c.origin, c.mean)
	if err != nil {
		return nil, err
	}
	m := &Model{plane: p, lambda: o.Lambda, l1Ratio: o.L1Ratio, df: df, report: r}
	if c.spread > 0 {
		m.r2 = 1 - f.rss/c.spread
	}
	if bad := m.r2 + m.df; bad-bad != 0 { // weights of 1e308 on ordinary rows get so far
		return nil, &linalg.RangeError{What: "weights"}
	}
	return m, nil
}
