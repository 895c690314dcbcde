package logistic

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// maxCopy is the largest copy of a matrix that is made, in values: 4 GB.
const maxCopy = 1 << 29

// asDense returns x as the matrix that the solvers read row by row: x itself, or
// a copy of n·p values, read by p products with unit vectors. Errors:
// *[linalg.ShapeError], *[linalg.SizeError], *[linalg.NonFiniteError].
func asDense(x linalg.Matrix) (*linalg.Dense, error) {
	dense, ok := x.(*linalg.Dense)
	if ok || x == nil {
		return dense, nil
	}
	n, p := x.Dims()
	if need := float64(n) * float64(p); need > maxCopy {
		return nil, &linalg.SizeError{Rows: n, Cols: p, Bytes: 8 * need, Limit: 8 * maxCopy}
	}
	dense, err := linalg.NewDense(n, p, nil)
	if err != nil {
		return nil, err
	}
	return dense, eachColumn(x, n, p, func(j int, col []float64) error {
		for i, v := range col {
			dense.Set(i, j, v)
		}
		return nil
	})
}

// eachColumn calls visit with the columns of x, one after the other. A value of a
// row that is not finite spoils all its products, so the error does not name its
// column. Error: *[linalg.NonFiniteError].
func eachColumn(x linalg.Matrix, n, p int, visit func(j int, col []float64) error) error {
	col, unit := make([]float64, n), make([]float64, p)
	for j := range unit {
		unit[j] = 1
		x.MulVec(col, unit)
		unit[j] = 0
		if err := linalg.CheckFinite("x", col); err != nil {
			return err
		}
		if err := visit(j, col); err != nil {
			return err
		}
	}
	return nil
}

// fitMatrix fits on a matrix that is not dense: two classes with a ridge on every
// feature by products alone, everything else on a copy.
func fitMatrix(x linalg.Matrix, y []int, o *Options) (*Model, error) {
	n, p, err := sample.Dims(x, len(y), "labels")
	if err != nil {
		return nil, err
	}
	if err := o.check(n, p); err != nil {
		return nil, err
	}
	total, err := sample.Weights(o.Weights, n)
	if err != nil {
		return nil, err
	}
	r, err := newResponse(y, o)
	if err != nil {
		return nil, err
	}
	d := &design{n: n, p: p, intercept: 1, total: total, weights: o.Weights, offset: o.Offset, workers: o.Workers,
		origin: make([]float64, p), unit: make([]float64, p)}
	if o.NoIntercept {
		d.intercept = 0
	}
	free := false
	for j := range p {
		free = free || o.factor(j) == 0
	}
	if r.k() == 2 && o.method() == ridge && !free {
		return representable(fitProducts(d, x, r, o))
	}
	dense, err := asDense(x)
	if err != nil {
		return nil, err
	}
	return fit(dense, y, o)
}

// products is binary for a matrix that is known by its products with vectors.
// About the origin c a product is Xb − (c·b)1. It implements
// [optimize.HessianVec].
type products struct {
	*binary
	x         linalg.Matrix
	eta, r, v []float64 // by row: scores, and wᵢ times the derivatives of the loss
	col       []float64 // by feature
	at        []float64 // the point that v belongs to
}

// fitProducts fits two classes with a ridge on every feature by Newton's method
// with conjugate gradients: p products at the start, which measure the columns, and
// two for each gradient and each conjugate gradient step. O(n + p) memory.
func fitProducts(d *design, x linalg.Matrix, r *response, o *Options) (*Model, error) {
	if err := o.checkVectors(d.n, 1, d.dim()); err != nil {
		return nil, err
	}
	size, sd := make([]float64, d.dim()), make([]float64, d.p)
	size[0] = d.total
	err := eachColumn(x, d.n, d.p, func(j int, col []float64) error {
		var err error
		size[j+d.intercept], sd[j], err = d.measure(j, col)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !o.Standardize {
		sd = nil
	}
	ridges, err := d.ridgesBy(sd, o)
	if err != nil {
		return nil, err
	}
	b := newBinary(d, r.signs(), ridges)
	f := &products{binary: b, x: x, eta: make([]float64, d.n), r: make([]float64, d.n), v: make([]float64, d.n), col: make([]float64, d.p)}
	start := b.cold(r)
	if o.Start != nil {
		d.parameters(start, o.Start)
	}
	c := d.control(size, o, 1)
	c.Trace = d.trace(o.Trace)
	theta, report, notConverged := optimize.NewtonCG(f, start, c)
	if theta == nil {
		return nil, notConverged
	}
	return d.binaryModel(theta, r, ridge, report), notConverged
}

// measure chooses the origin and the unit of column j as probe does, and returns
// Σ wᵢ|xᵢⱼ − cⱼ| and the standard deviation, in units. Error: *[linalg.RangeError].
func (d *design) measure(j int, col []float64) (size, sd float64, err error) {
	lo, hi, mean := math.Inf(1), math.Inf(-1), 0.0
	for i, v := range col {
		if w := d.weight(i); w > 0 {
			lo, hi, mean = min(lo, v), max(hi, v), mean+w/d.total*v
		}
	}
	mean = min(max(mean, lo), hi)
	spread := max(hi-mean, mean-lo)
	if d.intercept == 1 && math.Abs(mean) > spread {
		d.origin[j] = mean
	} else {
		spread = max(math.Abs(lo), math.Abs(hi))
	}
	d.unit[j] = powerOfTwo(spread)
	for i, v := range col {
		w, u := d.weight(i), (v-mean)/d.unit[j]
		size += w * math.Abs((v-d.origin[j])/d.unit[j])
		if w > 0 {
			sd += w / d.total * u * u
		}
	}
	if sd = math.Sqrt(sd); size-size != 0 || sd-sd != 0 {
		err = &linalg.RangeError{Column: j}
	}
	return size, sd, err
}

// times sets dst to the rows' products with theta.
func (f *products) times(dst, theta []float64) {
	b0 := f.design.coef(f.col, theta) - linalg.Dot(f.col, f.origin)
	f.x.MulVec(dst, f.col)
	for i := range dst {
		dst[i] += b0
	}
}

// back sets g to the columns' products with r, and adds the ridge of theta.
func (f *products) back(g, r, theta []float64) {
	total, k := sum(r), f.intercept
	f.x.MulTVec(f.col, r)
	if k == 1 {
		g[0] = total
	}
	for j, v := range f.col {
		g[j+k] = (v-f.origin[j]*total)/f.unit[j] + f.ridge[j+k]*theta[j+k]
	}
}

// pass returns the objective and leaves the derivatives by the scores in r and v.
func (f *products) pass(theta []float64) float64 {
	f.times(f.eta, theta)
	if f.offset != nil {
		linalg.Axpy(f.eta, 1, f.offset)
	}
	total := f.rowLosses(f.r, f.v, f.eta, 0, f.n)
	f.at = append(f.at[:0], theta...)
	for j, r := range f.ridge {
		total += 0.5 * r * theta[j] * theta[j]
	}
	return total
}

// Value returns the objective at theta. One product.
func (f *products) Value(theta []float64) float64 { return f.pass(theta) }

// Grad sets g to the gradient and returns the objective. Two products.
func (f *products) Grad(g, theta []float64) float64 {
	v := f.pass(theta)
	f.back(g, f.r, theta)
	return v
}

// HessVec sets dst to the Hessian's product with u. Two products.
func (f *products) HessVec(dst, theta, u []float64) {
	if !slices.Equal(f.at, theta) {
		f.pass(theta)
	}
	f.times(f.eta, u)
	for i, v := range f.v {
		f.eta[i] *= v
	}
	f.back(dst, f.eta, u)
}
