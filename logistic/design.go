package logistic

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// design is the training data as the solvers see it: the columns (1, x) with x
// taken about an origin c and measured in units that are powers of two near the
// columns' spread. A parameter vector θ of the solvers holds, for each function,
// the intercept at c (where there is one) and then βⱼ·unitⱼ, so that all
// coordinates are of one size whatever the features are measured in.
type design struct {
	x         *linalg.Dense
	n, p      int
	intercept int       // 1 with an intercept, else 0
	origin    []float64 // c
	unit      []float64
	asIs      bool // c = 0 and no square of x can overflow: rows are used where they lie
	weights   []float64
	total     float64 // Σ wᵢ
	offset    []float64
	workers   int
	exact     bool // scores are summed in twice the precision
}

const (
	probeRows = 2048 // rows that the origin and the units are estimated from; fewer where rows are long
	blockRows = 128  // rows whose margins are computed at a time
	tiny      = 0x1p-256
)

// newDesign checks the data against the options and chooses origin and units. It
// reads some of the rows; the others are checked by measure.
func newDesign(x *linalg.Dense, rows int, rowsOf string, o *Options) (*design, error) {
	n, p, err := sample.Dims(x, rows, rowsOf)
	if err != nil {
		return nil, err
	}
	if err := o.check(n, p); err != nil {
		return nil, err
	}
	d := &design{x: x, n: n, p: p, intercept: 1, weights: o.Weights, offset: o.Offset, workers: o.Workers}
	if o.NoIntercept {
		d.intercept = 0
	}
	if d.total, err = sample.Weights(o.Weights, n); err != nil {
		return nil, err
	}
	d.probe()
	return d, nil
}

// probe chooses origin and units from at most probeRows rows of positive weight,
// evenly spaced. A mean that is small beside the spread is left alone: moving it would gain less
// than two bits.
func (d *design) probe() {
	most := min(probeRows, max(blockRows, (1<<20)/d.p))
	step := (d.n + most - 1) / most
	var rows [][]float64
	for at := 0; at < d.n; at += step {
		if row := d.counted(at, min(at+step, d.n)); row != nil {
			rows = append(rows, row)
		}
	}
	d.origin, d.unit = make([]float64, d.p), make([]float64, d.p)
	linalg.For(d.p, 1+(1<<16)/len(rows), d.workers, func(from, to int) { d.probeColumns(rows, from, to) })
	d.about(d.origin)
}

// probeColumns chooses origin and unit of columns from ≤ j < to.
func (d *design) probeColumns(rows [][]float64, from, to int) {
	first := rows[0][from:to]
	lo, hi, mean := slices.Clone(first), slices.Clone(first), make([]float64, to-from)
	for _, row := range rows {
		for j, v := range row[from:to] {
			if v < lo[j] {
				lo[j] = v
			}
			if v > hi[j] {
				hi[j] = v
			}
			mean[j] += v - first[j]
		}
	}
	for j := range mean {
		mid := min(max(first[j]+mean[j]/float64(len(rows)), lo[j]), hi[j])
		spread := max(hi[j]-mid, mid-lo[j])
		if d.intercept == 1 && math.Abs(mid) > spread {
			d.origin[from+j] = mid
		} else {
			spread = max(math.Abs(lo[j]), math.Abs(hi[j]))
		}
		d.unit[from+j] = powerOfTwo(spread)
	}
}

// counted returns the first row lo ≤ i < hi of positive weight, nil if there is
// none.
func (d *design) counted(lo, hi int) []float64 {
	for i := lo; i < hi; i++ {
		if d.weight(i) > 0 {
			return d.x.Row(i)
		}
	}
	return nil
}

// powerOfTwo returns the power of two at or below v, 1 for zero, NaN or an
// infinity.
func powerOfTwo(v float64) float64 {
	if v == 0 || v-v != 0 {
		return 1
	}
	_, e := math.Frexp(v)
	return math.Ldexp(1, min(max(e-1, -1021), 1021))
}

// about moves the origin of the first features to that of a model, so that the
// model's functions keep their digits.
func (d *design) about(origin []float64) {
	copy(d.origin, origin)
	d.asIs = true
	for j, u := range d.unit {
		if d.origin[j] != 0 || u < tiny || u > 1/tiny {
			d.asIs = false
		}
	}
}

// dim returns the number of parameters of one function.
func (d *design) dim() int { return d.p + d.intercept }

// weight returns the weight of row i.
func (d *design) weight(i int) float64 {
	if d.weights == nil {
		return 1
	}
	return d.weights[i]
}

// offsetOf returns value c of the k offsets of row i, 0 without any.
func (d *design) offsetOf(i, c, k int) float64 {
	if d.offset == nil {
		return 0
	}
	return d.offset[i*k+c]
}

// row sets dst to (1, x) of row i, in units.
func (d *design) row(dst []float64, i int) {
	if d.intercept == 1 {
		dst[0] = 1
	}
	for j, v := range d.x.Row(i) {
		dst[j+d.intercept] = (v - d.origin[j]) / d.unit[j]
	}
}

// block returns rows lo ≤ i < hi about the origin: those of x itself, or a copy
// in buf (blockRows·p), in units, where the origin or the range of the numbers
// asks for one. window is filled and returned.
func (d *design) block(window *linalg.Dense, buf []float64, lo, hi int) *linalg.Dense {
	if d.asIs {
		*window = linalg.Dense{Rows: hi - lo, Cols: d.p, Stride: d.x.Stride,
			Data: d.x.Data[lo*d.x.Stride : (hi-1)*d.x.Stride+d.p]}
		return window
	}
	for i := lo; i < hi; i++ {
		to, c, u := buf[(i-lo)*d.p:][:d.p], d.origin[:d.p], d.unit[:d.p]
		for j, v := range d.x.Row(i)[:d.p] {
			to[j] = (v - c[j]) / u[j]
		}
	}
	*window = linalg.Dense{Rows: hi - lo, Cols: d.p, Stride: d.p, Data: buf}
	return window
}

// buffer returns scratch for block.
func (d *design) buffer() []float64 {
	if d.asIs {
		return nil
	}
	return make([]float64, blockRows*d.p)
}

// partSteps are the distances between the rows of parts that foretell the whole,
// the smallest part first: primes, because rows often come in turns.
var partSteps = [...]int{251, 67, 17, 7}

// offBeat returns a number near step without common factors with 30, for rows
// that come in turns of classes, weeks or months; 1 below 4.
func offBeat(step int) int {
	if step < 4 {
		return 1
	}
	for step%2 == 0 || step%3 == 0 || step%5 == 0 {
		step++
	}
	return step
}

// thinned returns every step-th row as a design with the same coordinates.
func (d *design) thinned(step int) *design {
	t := *d
	t.n = (d.n + step - 1) / step
	t.x = &linalg.Dense{Rows: t.n, Cols: d.p, Stride: d.x.Stride * step, Data: d.x.Data}
	if step >= 16 {
		// Rows that far apart are slow to come by.
		t.x = linalg.Zeros(t.n, d.p)
		linalg.For(t.n, blockRows, d.workers, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				copy(t.x.Row(i), d.x.Row(i*step))
			}
		})
	}
	t.weights, t.offset = thin(d.weights, 1, step), thin(d.offset, len(d.offset)/d.n, step)
	t.total = float64(t.n)
	if t.weights != nil {
		t.total = sum(t.weights)
	}
	return &t
}

// thin returns the k values of every step-th row, nil of nil.
func thin[T any](v []T, k, step int) []T {
	if v == nil {
		return nil
	}
	t := make([]T, 0, (len(v)/k+step-1)/step*k)
	for i := 0; i < len(v); i += k * step {
		t = append(t, v[i:i+k]...)
	}
	return t
}

// slopes sets dst to what block's rows are multiplied with, from the parameters
// theta of one function, and returns the intercept at the origin.
func (d *design) slopes(dst, theta []float64) float64 {
	copy(dst, theta[d.intercept:])
	if d.asIs {
		for j, u := range d.unit {
			dst[j] /= u
		}
	}
	if d.intercept == 1 {
		return theta[0]
	}
	return 0
}

// toUnits turns derivatives by what slopes returned into those by the
// parameters.
func (d *design) toUnits(g []float64) {
	if d.asIs {
		for j, u := range d.unit {
			g[j+d.intercept] /= u
		}
	}
}

// coef sets b to the coefficients on the data's scale and returns the intercept
// at the origin. What is too small for a float64 does not become 0, so that
// [representable] sees it.
func (d *design) coef(b, theta []float64) float64 {
	for j, u := range d.unit {
		t := theta[j+d.intercept]
		if t == 0 { // as most are in a sparse model
			b[j] = 0
		} else if b[j] = t / u; b[j] == 0 {
			b[j] = math.SmallestNonzeroFloat64
		}
	}
	if d.intercept == 1 {
		return theta[0]
	}
	return 0
}

// parameters sets theta to the parameters of the function that the caller gives
// as plain intercept (if there is one) and coefficients.
func (d *design) parameters(theta, public []float64) {
	b := public[d.intercept:]
	for j, u := range d.unit {
		theta[j+d.intercept] = b[j] * u
	}
	if d.intercept == 1 {
		theta[0] = public[0] + linalg.Dot(b, d.origin)
	}
}

// public is the inverse of parameters.
func (d *design) public(public, theta []float64) {
	b := public[d.intercept:]
	b0 := d.coef(b, theta)
	if d.intercept == 1 {
		public[0] = b0 - linalg.Dot(b, d.origin)
	}
}

// sizes returns Σ wᵢ|xᵢⱼ|, by parameter of one function: what a partial
// derivative is measured in. It finds NaN and infinities. O(np).
func (d *design) sizes() ([]float64, error) {
	size := make([]float64, d.dim())
	d.sweep(func(s []float64, rows *linalg.Dense, w []float64) { addAbs(s, rows, w) }, size[d.intercept:])
	return size, d.finishSizes(size)
}

// finishSizes turns sums over the blocks' rows into those by the parameters and
// looks for the cause if they are not finite.
func (d *design) finishSizes(size []float64) error {
	d.toUnits(size)
	if d.intercept == 1 {
		size[0] = d.total
	}
	for j, s := range size {
		if s-s != 0 {
			if err := d.x.CheckFinite(); err != nil {
				return err
			}
			return &linalg.RangeError{Column: max(0, j-d.intercept)}
		}
	}
	return nil
}

// addAbs adds Σ wᵢ|xᵢⱼ| to dst; a nil w is all ones.
func addAbs(dst []float64, x *linalg.Dense, w []float64) {
	if w == nil {
		linalg.AddAbs(dst, x)
		return
	}
	for i := range x.Rows {
		for j, v := range x.Row(i)[:len(dst)] {
			dst[j] += w[i] * math.Abs(v)
		}
	}
}

// spread returns the mean and the standard deviation (divisor Σw) of each
// feature, in units. It finds NaN and infinities. Two passes of O(np).
func (d *design) spread() (mean, sd []float64, err error) {
	mean, sd = make([]float64, d.p), make([]float64, d.p)
	d.sweep(func(s []float64, rows *linalg.Dense, w []float64) {
		for i := range rows.Rows {
			wi := 1.0
			if w != nil {
				wi = w[i]
			}
			linalg.Axpy(s, wi, rows.Row(i))
		}
	}, mean)
	linalg.Scale(mean, 1/d.total)
	d.sweep(func(s []float64, rows *linalg.Dense, w []float64) {
		for i := range rows.Rows {
			wi := 1.0
			if w != nil {
				wi = w[i]
			}
			for j, v := range rows.Row(i) {
				e := v - mean[j]
				s[j] += wi * e * e
			}
		}
	}, sd)
	for j := range sd {
		sd[j] = math.Sqrt(sd[j] / d.total)
		if d.asIs {
			mean[j] /= d.unit[j]
			sd[j] /= d.unit[j]
		}
		if sd[j] <= linalg.RankTol*math.Abs(mean[j]) {
			sd[j] = d.narrow(j)
		}
	}
	for j, s := range sd {
		if s-s == 0 {
			continue
		}
		if err := d.x.CheckFinite(); err != nil {
			return nil, nil, err
		}
		return nil, nil, &linalg.RangeError{Column: j}
	}
	return mean, sd, nil
}

// narrow returns the standard deviation of a feature, in units, whose values differ so
// little that the rounding of their mean counts: 0 where they are equal.
func (d *design) narrow(j int) float64 {
	heaviest := 0 // whose value is nearest to the mean
	for i := range d.weights {
		if d.weights[i] > d.weights[heaviest] {
			heaviest = i
		}
	}
	var sum, squares float64
	about := d.x.Row(heaviest)[j]
	for i := range d.n {
		w, v := d.weight(i), d.x.Row(i)[j]
		if w == 0 {
			continue
		}
		e := (v - about) / d.unit[j]
		sum += w * e
		squares += w * e * e
	}
	return math.Sqrt(max(0, squares/d.total-sum/d.total*(sum/d.total)))
}

// sweep adds to total what add makes of blocks of rows and their weights.
func (d *design) sweep(add func(s []float64, rows *linalg.Dense, w []float64), total []float64) {
	type part struct{ s, buf []float64 }
	linalg.Reduce(d.n, d.chunk(1), d.workers,
		func() *part { return &part{make([]float64, d.p), d.buffer()} },
		func(q *part, lo, hi int) {
			clear(q.s)
			var window linalg.Dense
			for ; lo < hi; lo += blockRows {
				end := min(lo+blockRows, hi)
				add(q.s, d.block(&window, q.buf, lo, end), d.weightsOf(lo, end))
			}
		},
		func(q *part) { linalg.Axpy(total, 1, q.s) })
}

// weightsOf returns the weights of rows lo ≤ i < hi, nil for all ones.
func (d *design) weightsOf(lo, hi int) []float64 {
	if d.weights == nil {
		return nil
	}
	return d.weights[lo:hi]
}

// chunk is the number of rows that make a piece of work for one goroutine, for
// partial sums of m values for each value of a row: an eighth of few rows, and
// all of those that are not worth dividing.
func (d *design) chunk(m int) int {
	rows := max(min((1<<17)/d.p, max(d.n/8, (1<<14)/d.p)), 4*m, blockRows)
	return (rows + blockRows - 1) / blockRows * blockRows
}

// gram returns Σ vᵢxᵢxᵢᵀ over the parameters of one function. O(np²).
func (d *design) gram(v []float64) *linalg.Dense {
	type part struct {
		h   *linalg.Dense
		buf []float64
	}
	h := linalg.Zeros(d.dim(), d.dim())
	linalg.Reduce(d.n, d.chunk(d.p), d.workers,
		func() *part { return &part{linalg.Zeros(d.dim(), d.dim()), d.buffer()} },
		func(s *part, lo, hi int) {
			clear(s.h.Data)
			var window linalg.Dense
			for ; lo < hi; lo += blockRows {
				end := min(lo+blockRows, hi)
				d.addGram(s.h.Data, s.h.Stride, d.block(&window, s.buf, lo, end), v[lo:end])
			}
		},
		func(s *part) { linalg.Axpy(h.Data, 1, s.h.Data) })
	d.finishBlock(h)
	return h
}

// addGram adds to h, the block of a matrix with the given stride, what rows x of
// weights v contribute: the features' lower triangle, and in the first row what
// belongs to the intercept's column.
func (d *design) addGram(h []float64, stride int, x *linalg.Dense, v []float64) {
	k := d.intercept
	linalg.Syrk(&linalg.Dense{Rows: d.p, Cols: d.p, Stride: stride, Data: h[k*(stride+1):]}, x, nil, v)
	if k == 1 {
		h[0] += sum(v)
		linalg.MulTVecAdd(h[1:d.p+1], x, v)
	}
}

// finishBlock completes sums for a symmetric dim×dim block of a Hessian: the
// first row holds those of the first column, the features' lower triangle those
// of the upper; slopes become parameters.
func (d *design) finishBlock(h *linalg.Dense) {
	k := d.intercept
	for i, ui := range d.unit {
		row := h.Data[(i+k)*h.Stride:][:d.dim()]
		if k == 1 {
			row[0] = h.Data[i+1]
		}
		if !d.asIs {
			continue
		}
		if k == 1 {
			row[0] /= ui
		}
		for j, uj := range d.unit[:i+1] {
			row[j+k] /= ui * uj
		}
	}
	linalg.Symmetrize(&linalg.Dense{Rows: d.dim(), Cols: d.dim(), Stride: h.Stride, Data: h.Data})
}
