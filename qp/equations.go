package qp

import (
	"math"
	"slices"

	"halfspace/linalg"
)

const (
	mostRaised  = 1e-6 // share by which a diagonal is raised at most
	refinements = 30   // steps of conjugate gradients
)

// equations are those of a step of [ipm] in v, which are fewer than those in α,
//
//	(s, A)ᵀD(s, A)(x, dv) + (0, dv) = rhs,  D = Θ⁻¹,
//
// without an equality s = 0 and x = 0 (Ferris & Munson, SIAM J. Optim. 13, 2002).
// v is given in coordinates, which the equations choose.
type equations interface {
	back(dst, r []float64)      // the coordinates of Aᵀr
	along(dst, v []float64)     // A·v
	square(v []float64) float64 // ‖v‖²
	size(v []float64) float64   // a norm of v
	factor(d []float64) bool    // prepares solve; false where rounding makes that impossible
	solve(x []float64)          // overwrites the right-hand side with (x, dv)

	// settle takes from da what rounding has made of Aᵀda + drift − dv and sᵀda − open: a large D has enlarged it,
	// to more than a share of α or less.
	settle(da, dv, drift []float64, open float64, more bool)
}

// factorEquations are those of a thin A, O(mp²). The coordinates of v are v.
type factorEquations struct {
	f      Factored
	s, d   []float64 // s nil: no equality
	normal normal
	chol   *linalg.Cholesky
	raised bool // the diagonal is
}

func (e *factorEquations) back(dst, r []float64)      { e.f.ApplyT(dst, r) }
func (e *factorEquations) along(dst, v []float64)     { e.f.Apply(dst, v) }
func (e *factorEquations) square(v []float64) float64 { return linalg.Dot(v, v) }
func (e *factorEquations) size(v []float64) float64   { return linalg.NormInf(v) }

// settle solves the equations for what is left of them, as iterative refinement does.
func (e *factorEquations) settle(da, dv, drift []float64, open float64, more bool) {
	if !more {
		return
	}
	x, along := make([]float64, len(dv)+1), make([]float64, len(da))
	left := x[1:]
	e.f.ApplyT(left, da)
	for j, v := range left {
		left[j] = dv[j] - drift[j] - v
	}
	if e.s != nil {
		x[0] = open - linalg.Dot(e.s, da)
	}
	e.chol.Solve(x)
	e.f.Apply(along, left)
	if e.s != nil {
		linalg.Axpy(along, x[0], e.s)
	}
	for i, d := range e.d {
		da[i] += d * along[i]
	}
}

func (e *factorEquations) factor(d []float64) bool {
	e.d = d
	e.chol, e.raised = e.normal.factor(e.f, e.s, d, mostRaised)
	return e.chol != nil
}

func (e *factorEquations) solve(x []float64) {
	if !e.raised {
		e.chol.Solve(x)
		return
	}
	rhs, along := linalg.Clone(x), make([]float64, len(e.d))
	e.chol.Solve(x)
	refine(e.chol, x, rhs, func(to, x []float64) {
		e.f.Apply(along, x[1:])
		if e.s != nil {
			linalg.Axpy(along, x[0], e.s)
		}
		for i, d := range e.d {
			along[i] *= d
		}
		e.f.ApplyT(to[1:], along)
		linalg.Axpy(to[1:], 1, x[1:])
		to[0] = x[0]
		if e.s != nil {
			to[0] = linalg.Dot(e.s, along)
		}
	})
}

// normal is the memory of normal equations and of their factor, which the next step takes again.
type normal struct {
	k, l  *linalg.Dense
	ds, h []float64
}

// factor returns the Cholesky factor of (s, A)ᵀD(s, A) + diag(0, 1, …, 1), the
// intercept first so that the rest is taken about the weighted mean. Without an
// equality s is nil, and its row and column those of the identity. Where rounding
// makes it indefinite, the diagonal is raised by a share of at most most; nil where
// that does not help. The factor lasts until the next.
func (e *normal) factor(f Factored, s, d []float64, most float64) (chol *linalg.Cholesky, raised bool) {
	p := f.Rank()
	if e.k == nil {
		e.k, e.l, e.ds, e.h = linalg.Zeros(p+1, p+1), linalg.Zeros(p+1, p+1), make([]float64, len(d)), make([]float64, p)
	}
	g, k := f.Gram(d), e.k
	k.Set(0, 0, 1)
	if s != nil {
		total := 0.0
		for i, v := range d {
			e.ds[i] = v * s[i]
			total += v
		}
		f.ApplyT(e.h, e.ds)
		k.Set(0, 0, total)
		for j, v := range e.h {
			k.Set(j+1, 0, v)
		}
	}
	for i := range p {
		copy(k.Row(i + 1)[1:i+2], g.Row(i)[:i+1])
		k.Row(i + 1)[i+1]++
	}
	return raise(e.l, k, most, 1)
}

// raise returns the Cholesky factor of k, in the memory of l. Where rounding makes it indefinite, the diagonal
// is raised by a share of at most most; nil where that does not help. It changes k.
func raise(l, k *linalg.Dense, most float64, workers int) (chol *linalg.Cholesky, raised bool) {
	for share := 1e-15; ; share *= 100 {
		copy(l.Data, k.Data)
		chol, err := linalg.NewCholeskyIn(l, workers)
		switch {
		case err == nil:
			return chol, raised
		case share > most:
			return nil, true
		}
		raised = true
		for i := range k.Rows {
			k.Row(i)[i] *= 1 + share
		}
	}
}

// refine takes x from the solution of the equations with a raised diagonal to that
// of the equations themselves, by conjugate gradients that the raised ones
// precondition: one step for each direction that the raise has changed.
func refine(chol *linalg.Cholesky, x, rhs []float64, apply func(to, x []float64)) {
	whole := linalg.Clone(rhs)
	chol.Solve(whole)
	enough := 1e-24 * linalg.Dot(whole, rhs)
	left := whole
	apply(left, x)
	for i, v := range rhs {
		left[i] = v - left[i]
	}
	c := linalg.NewConjugate(x, left, chol.Solve)
	c.Start()
	c.Run(refinements, apply, func(int) bool { return !(c.Size > enough) })
}

// productEquations are those of the products K of n rows (see [rowProducts]), where A has more
// columns than rows: A = Sᵀ(X−c), with one or more variables a row whose signs S is. The
// coordinates of v = (X−c)ᵀγ are γ, one a row. With W = SDSᵀ, which is diagonal, h = √W
// and the equality's s the signs of the rows, γ and x come from
//
//	B = I + hKhᵀ,  γ = h∘B⁻¹(h⁻¹∘ρ − x·h),  x = (rhs₀ − Σρ + hᵀB⁻¹(h⁻¹∘ρ)) / hᵀB⁻¹h,
//
// where rhs = (rhs₀, (X−c)ᵀρ). No eigenvalue of B is below 1, however large W is, and it takes
// O(n³/3) a step.
type productEquations struct {
	q        *rowProducts
	equality bool
	d, h     []float64
	b, l     *linalg.Dense // B and the memory of its factor
	chol     *linalg.Cholesky
	raised   bool
	unit     []float64 // B⁻¹h
	buf      []float64
}

func newProductEquations(q *rowProducts, equality bool) *productEquations {
	n := q.k.Rows
	return &productEquations{q: q, equality: equality, h: make([]float64, n), b: linalg.Zeros(n, n), l: linalg.Zeros(n, n), unit: make([]float64, n), buf: make([]float64, n)}
}

func (e *productEquations) back(dst, r []float64) { copy(dst, e.q.l.fold(r, true)) }

func (e *productEquations) along(dst, v []float64) {
	e.multiply(dst[:e.q.k.Rows], v)
	e.q.l.unfold(dst)
}

func (e *productEquations) multiply(dst, v []float64) {
	linalg.MulVec(dst, e.q.k, v, e.q.l.Workers)
}

func (e *productEquations) square(v []float64) float64 {
	if linalg.NormInf(v) == 0 {
		return 0
	}
	e.multiply(e.buf, v)
	return max(0, linalg.Dot(v, e.buf))
}

func (e *productEquations) size(v []float64) float64 { return math.Sqrt(e.square(v)) }

func (e *productEquations) factor(d []float64) bool {
	e.d = d
	for i, w := range e.q.l.fold(d, false) {
		e.h[i] = math.Sqrt(w)
	}
	for i, h := range e.h {
		row, k := e.b.Row(i)[:i+1], e.q.k.Row(i)
		for j := range row {
			row[j] = h * e.h[j] * k[j]
		}
		row[i]++
	}
	if e.chol, e.raised = raise(e.l, e.b, mostRaised, e.q.l.Workers); e.chol == nil {
		return false
	}
	copy(e.unit, e.h)
	e.invert(e.unit)
	return true
}

// invert overwrites x with B⁻¹x.
func (e *productEquations) invert(x []float64) {
	if !e.raised {
		e.chol.Solve(x)
		return
	}
	rhs, scaled := linalg.Clone(x), make([]float64, len(x))
	e.chol.Solve(x)
	refine(e.chol, x, rhs, func(to, x []float64) {
		for i, h := range e.h {
			scaled[i] = h * x[i]
		}
		e.multiply(to, scaled)
		for i, h := range e.h {
			to[i] = h*to[i] + x[i]
		}
	})
}

func (e *productEquations) solve(x []float64) {
	rho := x[1:]
	total := linalg.Sum(rho)
	for i, h := range e.h {
		if h > 0 { // a row without room has no ρ either
			rho[i] /= h
		}
	}
	e.invert(rho)
	if x[0] -= total - linalg.Dot(e.h, rho); e.equality {
		x[0] /= linalg.Dot(e.h, e.unit)
	} else {
		x[0] = 0
	}
	linalg.Axpy(rho, -x[0], e.unit)
	for i, h := range e.h {
		rho[i] *= h
	}
}

// settle gives the error of a row to the variable of the largest D.
func (e *productEquations) settle(da, dv, drift []float64, _ float64, _ bool) {
	n, sign := e.q.k.Rows, e.q.l.Sign
	for row, to := range dv {
		left, most := to-drift[row], row
		for i := row; i < len(da); i += n {
			left -= sign[i] * da[i]
			if e.d[i] > e.d[most] {
				most = i
			}
		}
		if e.d[most] > 0 {
			da[most] += sign[most] * left
		}
	}
}

const (
	linearSteps  = 500 // conjugate gradients of a step of the augmented Lagrangian
	rowChunk     = 512 // rows that make a piece of work
	momentPieces = 4   // of those for the moments of a zone
	copied       = 0.4 // of the rows are copied where they are in the zone
)

// zone is Newton's equations of the variables in the zone: a copy of their rows where these are sparse
// and a part of all, else the rows as they are stored. Those are in the zone for some steps of few
// conjugate gradients, for which a copy would take as long. A copy by columns does not pay: it
// took as long as 20 products, and the products themselves no less.
type zone struct {
	rows  linalg.Table
	list  []int     // which of the rows; nil: all
	d     []float64 // by position in the list, as all that is by row
	total float64   // Σd
	mean  []float64 // of the rows, weighted by d; nil without an equality
	scale []float64 // 1 by the diagonal of the equations in dv alone
	most  int       // conjugate gradients of a step
	read  int       // rows that products were made with
	l     *Linear
}

// newZone gathers the rows whose d is not 0. Their copy takes the room of the one before.
func newZone(l *Linear, d []float64, intercept bool, room *linalg.CSR) *zone {
	z := &zone{l: l, most: linearSteps}
	d = l.fold(d, false)
	for i, v := range d {
		if v != 0 {
			z.list = append(z.list, i)
			z.d = append(z.d, v)
		}
	}
	z.scale = slices.Repeat([]float64{1}, l.Rank())
	if len(z.d) == 0 {
		return z
	}
	z.rows = l.table()
	if sparse := l.rows().sparse; sparse != nil && float64(len(z.d)) <= copied*float64(len(d)) {
		z.rows, z.list = sparse.TakeTo(room, z.list, l.Workers), nil
	}
	z.total = linalg.Sum(z.d)
	mean := z.moments()
	if intercept {
		z.mean = mean
		linalg.Scale(mean, 1/z.total)
		for j, m := range mean {
			z.scale[j] = max(1, z.scale[j]-z.total*m*m)
		}
	}
	for j, v := range z.scale {
		z.scale[j] = 1 / v
	}
	return z
}

// moments adds the squares of the rows to scale, and returns their sum, both weighted by d.
func (z *zone) moments() []float64 {
	p, origin := len(z.scale), z.l.Origin
	sum := make([]float64, p)
	linalg.ReduceWith(1, len(z.d), max(rowChunk, len(z.d)/momentPieces), z.l.Workers,
		func() []float64 { return make([]float64, 2*p) },
		func(both []float64, lo, hi int) {
			clear(both)
			first, second := both[:p], both[p:]
			for k := lo; k < hi; k++ {
				d := z.d[k]
				index, value := z.rows.Entries(z.row(k))
				for j, v := range value {
					if index != nil {
						j = int(index[j])
					}
					if origin != nil {
						v -= origin[j]
					}
					first[j] += d * v
					second[j] += d * v * v
				}
			}
		},
		func(both []float64) {
			linalg.Axpy(sum, 1, both[:p])
			linalg.Axpy(z.scale, 1, both[p:])
		})
	return sum
}

// apply sets to to the product of the equations in dv alone with v, for which it reads each row once:
// the sum of the rows about their mean is 0 when weighted by d, so the mean need not be taken from
// those that are added.
func (z *zone) apply(to, v []float64) {
	copy(to, v)
	level := z.level(v) + z.l.shift(v)
	z.read += 2 * len(z.d)
	z.l.addRows(to, z.rows, z.list, len(z.d), func(k int) float64 {
		return z.d[k] * (z.rows.Dot(z.row(k), v) - level)
	})
}

// level returns the product of the mean with v.
func (z *zone) level(v []float64) float64 {
	if z.mean == nil {
		return 0
	}
	return linalg.Dot(z.mean, v)
}

// row returns where the row at a position is stored.
func (z *zone) row(k int) int {
	if z.list == nil {
		return k
	}
	return z.list[k]
}

// products sets to to the products of the rows with v.
func (z *zone) products(to, v []float64) {
	shift := z.l.shift(v)
	z.read += 2 * len(z.d)
	linalg.For(len(z.d), rowChunk, z.l.Workers, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			to[k] = z.rows.Dot(z.row(k), v) - shift
		}
	})
}

// addRows adds the rows times u to to.
func (z *zone) addRows(to, u []float64) {
	if z.rows != nil {
		z.l.addRows(to, z.rows, z.list, len(u), func(k int) float64 { return u[k] })
	}
}

// solve sets x to an approximate solution for the right-hand side at, by conjugate
// gradients: until the residual, in the norm of the preconditioner, has fallen by
// share or half its squares are at most enough. It returns how many there were, and
// whether they got there.
func (z *zone) solve(x, at []float64, share, enough float64) (steps int, solved bool) {
	r := linalg.Clone(at[1:])
	clear(x)
	if z.rows == nil {
		copy(x[1:], r)
		return 0, true
	}
	if z.mean != nil {
		linalg.Axpy(r, -at[0], z.mean)
	}
	c := linalg.NewConjugate(x[1:], r, func(y []float64) {
		for j, f := range z.scale {
			y[j] *= f
		}
	})
	c.Start()
	whole := c.Size
	steps, solved = c.Run(z.most, z.apply, func(steps int) bool {
		return c.Size <= share*share*whole || steps > 0 && linalg.Dot(r, r)/2 <= enough
	})
	if z.mean != nil {
		x[0] = at[0]/z.total - z.level(x[1:])
	}
	return steps, solved
}
