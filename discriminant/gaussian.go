package discriminant

import (
	"math"
	"math/rand/v2"

	"halfspace/linalg"
)

// Gaussian is the normal density N(μ, Σ) of p variables. It is immutable.
type Gaussian struct {
	origin []float64     // μ = origin + dev
	dev    []float64     // nil is 0
	l      *linalg.Dense // Σ = LLᵀ
	linv   *linalg.Dense // L⁻¹
	norm   float64       // −½(p·log 2π + log |Σ|)
}

// NewGaussian returns N(mean, cov). It reads the lower triangle of cov and keeps
// copies. O(p³).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.RankError] or
// *[linalg.PivotError] where cov is singular or not positive definite.
func NewGaussian(mean []float64, cov *linalg.Dense) (*Gaussian, error) {
	g, err := newGaussian(mean, cov)
	return g, wrap(err)
}

func newGaussian(mean []float64, cov *linalg.Dense) (*Gaussian, error) {
	if err := cov.Check(); err != nil {
		return nil, err
	}
	if len(mean) != cov.Rows || cov.Rows != cov.Cols {
		got, of := cov.Cols, "columns of the covariance"
		if len(mean) != cov.Rows {
			got, of = cov.Rows, "rows of the covariance"
		}
		return nil, &linalg.ShapeError{Want: len(mean), WantOf: "means", Got: got, GotOf: of}
	}
	if err := linalg.CheckFinite("mean", mean); err != nil {
		return nil, err
	}
	if err := cov.CheckFinite(); err != nil {
		return nil, err
	}
	chol, err := linalg.NewCholesky(cov)
	if err != nil {
		return nil, err
	}
	return gaussianOf(clone(mean), nil, newSPD(chol)), nil
}

// gaussianOf returns N(origin + dev, LLᵀ); it keeps its arguments.
func gaussianOf(origin, dev []float64, f spd) *Gaussian {
	norm := -(float64(len(origin))*math.Log(2*math.Pi) + f.chol.LogDet()) / 2
	return &Gaussian{origin, dev, f.chol.L(), f.linv, norm}
}

// factor returns the factor of Σ.
func (g *Gaussian) factor() spd {
	chol, _ := linalg.CholeskyOf(g.l) // which it was made of
	return spd{chol, g.linv}
}

// Features returns p, the length of a row.
func (g *Gaussian) Features() int { return len(g.origin) }

// Mean returns a copy of μ.
func (g *Gaussian) Mean() []float64 {
	m := clone(g.origin)
	if g.dev != nil {
		linalg.Axpy(m, 1, g.dev)
	}
	return m
}

// MeanAbout returns copies of an origin and of μ less that origin, which hold μ
// without the rounding of their sum.
func (g *Gaussian) MeanAbout() (origin, deviation []float64) {
	deviation = make([]float64, len(g.origin))
	copy(deviation, g.dev)
	return clone(g.origin), deviation
}

// Cov returns Σ.
func (g *Gaussian) Cov() *linalg.Dense { return product(g.l) }

// Factor returns a copy of the lower triangular L with LLᵀ = Σ.
func (g *Gaussian) Factor() *linalg.Dense { return g.l.Clone() }

// product returns LLᵀ.
func product(l *linalg.Dense) *linalg.Dense {
	c := linalg.Zeros(l.Rows, l.Rows)
	for i := range c.Rows {
		for j := range i + 1 {
			c.Set(i, j, linalg.Dot(l.Row(i)[:j+1], l.Row(j)[:j+1]))
		}
	}
	linalg.Symmetrize(c)
	return c
}

// Mahalanobis2 returns (x−μ)ᵀΣ⁻¹(x−μ) = ‖L⁻¹(x−μ)‖². O(p²), no allocation. It
// panics if x does not have p values.
func (g *Gaussian) Mahalanobis2(x []float64) float64 {
	mustRow(x, len(g.origin))
	const step = 16 // a band of L⁻¹, zeros included
	p := len(x)
	s, v := take(p + step)
	d, z := v[:p], v[p:]
	copy(d, x)
	linalg.Axpy(d, -1, g.origin)
	if g.dev != nil {
		linalg.Axpy(d, -1, g.dev)
	}
	q := 0.0
	for i := 0; i < p; i += step {
		end := min(i+step, p)
		s.window = linalg.Dense{Rows: end - i, Cols: end, Stride: g.linv.Stride, Data: g.linv.Data[i*g.linv.Stride:]}
		linalg.MulVec(z[:end-i], &s.window, d[:end], 1)
		q += linalg.Dot(z[:end-i], z[:end-i])
	}
	s.window.Data = nil // a scratch must not keep a model alive
	scratchPool.Put(s)
	return bounded(q, x)
}

// mahalanobis2 sets dst to the squared distances of n rows from the mean of a density
// that has a deviation. x (n×p) holds the rows less the origin and is overwritten;
// work is n×p.
func (g *Gaussian) mahalanobis2(dst []float64, x, work *linalg.Dense) {
	for i := range dst {
		linalg.Axpy(x.Row(i), -1, g.dev)
	}
	clear(work.Data)
	for lo := 0; lo < x.Cols; lo += band { // most zeros of the triangle are skipped
		hi := min(lo+band, x.Cols)
		z := &linalg.Dense{Rows: work.Rows, Cols: hi - lo, Stride: work.Stride, Data: work.Data[lo:]}
		linalg.MulBTAdd(z, 1, window(x, 0, x.Rows, hi), window(g.linv, lo, hi, hi))
	}
	for i := range dst {
		v := work.Row(i)
		dst[i] = bounded(linalg.Dot(v, v), x.Row(i))
	}
}

// farthest is the largest squared distance: rows to be classified may be of any
// size, and their scores stay finite.
const farthest = 1e300

// bounded returns the squared distance q, at most farthest. It is farthest too where
// q is NaN because of an overflow, and NaN where x has one.
func bounded(q float64, x []float64) float64 {
	if q != q && linalg.CheckFinite("", x) == nil {
		return farthest
	}
	return min(q, farthest)
}

// LogDensity returns log φ(x; μ, Σ). O(p²), no allocation. It panics if x does
// not have p values.
func (g *Gaussian) LogDensity(x []float64) float64 { return g.norm - g.Mahalanobis2(x)/2 }

// Sample appends a draw μ + Lz, z standard normal, to dst. O(p²).
func (g *Gaussian) Sample(dst []float64, r *rand.Rand) []float64 {
	dst, x := extend(dst, len(g.origin))
	for i := range x {
		x[i] = r.NormFloat64()
	}
	for i := len(x) - 1; i >= 0; i-- { // from below, as row i needs z₀ … zᵢ
		x[i] = linalg.Dot(g.l.Row(i)[:i+1], x[:i+1])
	}
	if g.dev != nil {
		linalg.Axpy(x, 1, g.dev)
	}
	linalg.Axpy(x, 1, g.origin)
	return dst
}
