package linalg

import (
	"math"
	"slices"
	"sync"
)

// RankTol is the part of a column, relative to its norm, that the other columns must
// leave for it to count as independent. Rounding in a factorisation of some thousand
// columns stays a digit below.
const RankTol = 1e-12

const eps = 0x1p-52

// QR is the Householder factorisation with column pivoting XP = QR of an n×p
// matrix of any shape: R is upper trapezoidal with min(n, p) rows, and Q a
// product of as many reflectors.
//
// At each step the pivot is the column that keeps the greatest part of its own norm,
// so neither the choice nor the rank depends on the units of the
// columns. (Businger & Golub 1965; Golub & Van Loan, Matrix Computations, 4th
// ed., §5.4.2; norms downdated as in LAPACK working note 176.)
type QR struct {
	a     *Dense    // p×n: row j is column perm[j]; R up to j, reflector j behind
	tau   []float64 // Hⱼ = I − τⱼvvᵀ, v[j] = 1
	perm  []int
	scale []float64 // row j of a is column perm[j] times scale[j], a power of two
	rank  int

	once sync.Once
	z    *reflectors // of R's first rank rows, times unit, from the right, for the minimum norm
	unit float64     // a power of two
}

// NewQR factors x, which it does not change. O(np·min(n, p)), and a copy of x.
//
// Errors: *[NonFiniteError].
func NewQR(x *Dense) (*QR, error) { return newQR(x, false) }

// newQR has the longest of the columns that are left as each pivot if R is to be graded, as Businger and
// Golub do: its rows then become shorter whatever the units of the columns are, and the rank is not told.
func newQR(x *Dense, graded bool) (*QR, error) {
	if err := x.Check(); err != nil {
		return nil, err
	}
	if err := x.CheckFinite(); err != nil {
		return nil, err
	}
	n, p := x.Dims()
	m := min(n, p)
	q := &QR{a: x.Transposed(), tau: make([]float64, m), perm: Sequence(p), scale: make([]float64, p), rank: m}
	left := make([]columnLeft, p)
	for j := range p {
		col := q.a.Row(j)
		q.scale[j] = unitScale(NormInf(col))
		Scale(col, q.scale[j])
		norm := math.Sqrt(Dot(col, col))
		left[j] = columnLeft{norm, norm, norm}
		if graded {
			left[j].full = q.scale[j]
		}
	}
	for k := range m {
		q.pivot(left, k)
		v := q.a.Row(k)[k:]
		q.tau[k] = reflector(v)
		if q.rank == m && !(math.Abs(v[0]) > RankTol*left[k].full) {
			q.rank = k
		}
		reflectRows(q.a, k+1, k, q.tau[k], v)
		for j := k + 1; j < p; j++ {
			left[j].shorten(q.a.Row(j)[k:])
		}
	}
	return q, nil
}

// pivot brings the column that keeps the greatest share of its norm to place k.
func (q *QR) pivot(left []columnLeft, k int) {
	best := k
	for j := k + 1; j < len(left); j++ {
		if left[j].share() > left[best].share() {
			best = j
		}
	}
	if best == k {
		return
	}
	swapRows(q.a, k, best)
	left[k], left[best] = left[best], left[k]
	q.scale[k], q.scale[best] = q.scale[best], q.scale[k]
	q.perm[k], q.perm[best] = q.perm[best], q.perm[k]
}

// columnLeft describes the part of a column that the pivots so far leave.
type columnLeft struct {
	norm float64 // of that part
	sure float64 // norm when it was last formed from the elements
	full float64 // norm of the whole column
}

// share returns the part of the norm that is left, 0 for a zero column.
func (c *columnLeft) share() float64 {
	if c.full == 0 {
		return 0
	}
	return c.norm / c.full
}

// shorten takes the first element of u away from the norm, and forms it anew
// where the difference has lost half its digits.
func (c *columnLeft) shorten(u []float64) {
	if c.norm == 0 {
		return
	}
	t := math.Abs(u[0]) / c.norm
	t = max(0, (1-t)*(1+t))
	if r := c.norm / c.sure; t*r*r <= 1e-8 {
		c.norm = math.Sqrt(Dot(u[1:], u[1:]))
		c.sure = c.norm
		return
	}
	c.norm *= math.Sqrt(t)
}

// Rank returns the number of columns that are independent: those for which
// |r[k][k]| > [RankTol]·‖column‖, up to the first that is not.
func (q *QR) Rank() int { return q.rank }

// Perm returns the order of the columns: column j of XP is column Perm()[j] of
// x. It is not a copy.
func (q *QR) Perm() []int { return q.perm }

// Dependent returns, ascending, the columns of x that the Rank() chosen ones
// determine; nil if there are none.
func (q *QR) Dependent() []int {
	if q.rank == len(q.perm) {
		return nil
	}
	d := slices.Clone(q.perm[q.rank:])
	slices.Sort(d)
	return d
}

// R returns the factor R, min(n, p)×p, upper trapezoidal.
func (q *QR) R() *Dense {
	m := len(q.tau)
	r := Zeros(m, q.a.Rows)
	for j := range q.a.Rows {
		for i := range min(j+1, m) {
			r.Set(i, j, q.a.At(j, i)/q.scale[j])
		}
	}
	return r
}

// MulQT overwrites b (length n) with Qᵀb. O(np).
func (q *QR) MulQT(b []float64) {
	mustLen("QR.MulQT", q.a.Cols, len(b))
	for k, tau := range q.tau {
		q.applyReflector(b, k, tau)
	}
}

// MulQ overwrites b (length n) with Qb. O(np).
func (q *QR) MulQ(b []float64) {
	mustLen("QR.MulQ", q.a.Cols, len(b))
	for k := len(q.tau) - 1; k >= 0; k-- {
		q.applyReflector(b, k, q.tau[k])
	}
}

func (q *QR) applyReflector(b []float64, k int, tau float64) {
	applyReflector(b[k:], tau, q.a.Row(k)[k:])
}

// Solve sets dst (length p) to a minimiser of ‖Xb − y‖₂ and returns ‖Xb − y‖₂.
// The coefficients of [QR.Dependent] columns are 0, so it is the basic solution
// where the rank is below p; y is not changed. O(np).
func (q *QR) Solve(dst, y []float64) float64 {
	mustLen("QR.Solve", len(q.perm), len(dst))
	c := Clone(y)
	q.MulQT(c)
	z := c[:q.rank]
	for i := q.rank - 1; i >= 0; i-- {
		col := q.a.Row(i)
		z[i] /= col[i]
		Axpy(z[:i], -z[i], col[:i])
	}
	clear(dst)
	for i, v := range z {
		dst[q.perm[i]] = v * q.scale[i]
	}
	return Norm(c[q.rank:])
}

// SolveMinNorm sets dst (length p) to the minimiser of ‖Xb − y‖₂ for which
// ‖b‖₂ is least and returns ‖Xb − y‖₂. It needs the complete orthogonal
// factorisation R₁ = [T 0]Zᵀ of R's first rank rows, made at the first call:
// O(p·rank²), then O(np). (Golub & Van Loan, §5.5.2.)
func (q *QR) SolveMinNorm(dst, y []float64) float64 {
	if q.rank == len(q.perm) {
		return q.Solve(dst, y)
	}
	mustLen("QR.SolveMinNorm", len(q.perm), len(dst))
	c := Clone(y)
	q.MulQT(c)
	b := make([]float64, len(dst))
	if q.rank > 0 {
		q.once.Do(func() {
			r := q.R().RowRange(0, q.rank)
			q.unit = unitScale(NormInf(r.Data))
			Scale(r.Data, q.unit)
			q.z = newReflectors(r)
		})
		copy(b, c[:q.rank])
		Scale(b[:q.rank], q.unit)
		q.z.minNorm(b)
	}
	for i, v := range b {
		dst[q.perm[i]] = v
	}
	return Norm(c[q.rank:])
}

// reflectors is the factorisation Aᵀ = QR without pivoting of a matrix A with at
// least as many columns as rows, kept in the rows of A.
type reflectors struct {
	a   *Dense
	tau []float64
}

// newReflectors factors a in place.
func newReflectors(a *Dense) *reflectors {
	f := &reflectors{a, make([]float64, a.Rows)}
	for k := range a.Rows {
		v := a.Row(k)[k:]
		f.tau[k] = reflector(v)
		reflectRows(a, k+1, k, f.tau[k], v)
	}
	return f
}

// minNorm overwrites b, whose first entries are c, with the solution of Ab = c
// of least norm: b = Q R⁻ᵀ c.
func (f *reflectors) minNorm(b []float64) {
	for i := range f.a.Rows {
		row := f.a.Row(i)
		b[i] = (b[i] - Dot(row[:i], b[:i])) / row[i]
	}
	f.mulQ(b)
}

func (f *reflectors) mulQ(b []float64) {
	for k := len(f.tau) - 1; k >= 0; k-- {
		applyReflector(b[k:], f.tau[k], f.a.Row(k)[k:])
	}
}

func swapRows(a *Dense, i, j int) {
	u, v := a.Row(i), a.Row(j)
	for k := range u {
		u[k], v[k] = v[k], u[k]
	}
}
