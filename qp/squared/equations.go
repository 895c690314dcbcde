package squared

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/qp"
)

const (
	// mostFactored is the number of equations up to which they are factored at once whatever rows are like, and
	// lastFactored that up to which they are where conjugate gradients take too long, or where the square of
	// their number is at most longRows times the values of a row: a factor then costs less than a hundred products with the
	// active rows. (Measured for 800 to 2,000 equations.)
	mostFactored, lastFactored, longRows = 500, 4000, 2000

	firstShare  = 0.1  // by which conjugate gradients lower the residual at first
	leastShare  = 1e-3 // and at last
	enoughShare = 0.1  // of the tolerance that the residual may be of the excess
	mostSteps   = 400  // of them, after which equations are factored

	refinements = 3 // of the multipliers that a factor gives
)

// factored reports whether the equations of the active rows are factored.
func (m *minimizer) factored() bool {
	k := min(len(m.active), m.p)
	return k > 0 && (k <= mostFactored || k <= lastFactored && (!m.conjugate || k*k <= longRows*m.perRow()))
}

// perRow returns how many values a row has stored, on average.
func (m *minimizer) perRow() int {
	if x, sparse := m.Rows.X.(*linalg.CSR); sparse {
		return x.Stored() / m.n
	}
	return m.p
}

// rows returns the active rows and twice their prices.
func (m *minimizer) rows() (rows *qp.Linear, d []float64) {
	sign := make([]float64, len(m.active))
	d = make([]float64, len(m.active))
	for k, i := range m.active {
		sign[k], d[k] = m.Rows.Sign[i], 2*m.Price[i]
	}
	x := m.Rows.X.(linalg.Table)
	if len(m.active) < m.n {
		x = x.Select(m.active)
	}
	return &qp.Linear{X: x, Origin: m.Rows.Origin, Sign: sign, Workers: m.Rows.Workers}, d
}

// solve returns the minimum of the quadratic of the active rows and their multipliers, which hold until the next call,
// nil where rounding leaves no factor.
func (m *minimizer) solve() (to *point, alpha []float64) {
	to = &m.other
	to.level = 0
	clear(to.beta)
	byRows := len(m.active) <= m.p || m.byColumn != nil && len(m.active) <= mostFactored
	if byRows {
		rows, d := m.rows()
		if alpha = m.byRows(to, rows, d); alpha == nil {
			return nil, nil
		}
	} else if !m.byColumns(to) {
		return nil, nil
	}
	m.evaluate(to)
	if to.value-to.value != 0 {
		return nil, nil
	}
	if !byRows {
		m.priced = slices.Grow(m.priced[:0], len(m.active))
		alpha = m.priced[:len(m.active)]
		for k, i := range m.active {
			alpha[k] = 2 * m.Price[i] * to.slack[i]
		}
	}
	return to, alpha
}

// byRows solves the equations in the multipliers. With H = √D they are
// (I + HKH)u = H(1 − b·s), sᵀHu = 0 and α = Hu: no eigenvalue is below 1, whatever the prices are. The
// largest is near d‖x−o‖², and a solution lacks as many digits as that has. Each of the [refinements] solves
// for what the residuals of the rows, H(1 − s·f) − u, are short of (iterative refinement: Golub & Van Loan, section 3.5.3).
func (m *minimizer) byRows(to *point, rows *qp.Linear, d []float64) []float64 {
	n := len(d)
	k := m.productsOf(rows)
	root := make([]float64, n)
	for i, v := range d {
		root[i] = math.Sqrt(v)
	}
	level := make([]float64, n)
	for i := range n {
		row := k.Row(i)
		for j := range row {
			row[j] *= root[i] * rows.Sign[i] * root[j] * rows.Sign[j]
		}
		row[i]++
		level[i] = root[i] * rows.Sign[i]
	}
	chol, err := linalg.NewCholeskyIn(k, rows.Workers)
	if err != nil {
		return nil
	}
	along := slices.Clone(level)
	chol.Solve(level)
	u, f, rest, step := make([]float64, n), make([]float64, n), slices.Clone(root), make([]float64, m.p)
	for round, before := 0, math.Inf(1); ; round++ {
		chol.Solve(rest)
		change := 0.0
		if !m.NoLevel {
			change = (linalg.Dot(along, u) + linalg.Dot(along, rest)) / linalg.Dot(along, level)
			linalg.Axpy(rest, -change, level)
		}
		size := linalg.Norm(rest)
		if !(size < before/3) { // the factor has no digit of what is missing
			if round == 0 { // or numbers overflow
				return nil
			}
			break
		}
		before = size
		to.level += change
		linalg.Axpy(u, 1, rest)
		for i, h := range root {
			rest[i] *= h
		}
		rows.ApplyT(step, rest)
		linalg.Axpy(to.beta, 1, step)
		if round == refinements {
			break
		}
		rows.Apply(f, to.beta)
		for i, h := range root {
			rest[i] = h*(1-(f[i]+rows.Sign[i]*to.level)) - u[i]
		}
	}
	for i, h := range root {
		u[i] *= h
	}
	return u
}

// productsOf returns a matrix of the products of the active rows, which may be overwritten. Those
// of all rows are made once where as many have been made for active rows alone.
func (m *minimizer) productsOf(rows *qp.Linear) *linalg.Dense {
	few := m.n > 2*len(m.active) && (m.n > lastFactored || m.made < m.n*m.n)
	if _, dense := m.Rows.X.(*linalg.Dense); !dense || few {
		m.made += len(m.active) * len(m.active)
		return rows.Products()
	}
	all, k := m.Rows.Products(), linalg.Zeros(len(m.active), len(m.active))
	for a, i := range m.active {
		from, row := all.Row(i), k.Row(a)
		for b, j := range m.active {
			row[b] = from[j]
		}
	}
	return k
}

// byColumns solves the ridge regression of the signs on the active rows, about their mean, and reports
// whether it could.
func (m *minimizer) byColumns(to *point) bool {
	q := &m.products
	q.begin(m.n)
	d, pull, total := q.d, q.pull, 0.0
	for _, i := range m.active {
		d[i] = 2 * m.Price[i]
		total += d[i]
	}
	level, mean := 0.0, make([]float64, m.p) // s̄ and m−o
	if !m.NoLevel {
		for _, i := range m.active {
			pull[i] = d[i] / total * m.Rows.Sign[i]
		}
		level = linalg.Sum(pull)
		m.Rows.ApplyT(mean, pull)
	}
	for _, i := range m.active {
		pull[i] = d[i] * (1 - m.Rows.Sign[i]*level)
	}
	m.Rows.ApplyT(to.beta, pull)
	g := m.spread(mean, total)
	for j := range m.p {
		g.Row(j)[j]++
	}
	chol, err := linalg.NewCholeskyIn(g, m.Rows.Workers)
	if err != nil {
		return false
	}
	chol.Solve(to.beta)
	to.level = level - linalg.Dot(mean, to.beta)
	return true
}

// products are sums Σ dᵢ(xᵢ−c)(xᵢ−c)ᵀ that change with the active rows.
type products struct {
	rows   *qp.Linear // about c
	c      []float64  // less o
	sums   *linalg.Dense
	before []float64 // the d of sums
	d      []float64 // those of the active rows, 0 for others
	pull   []float64 // scratch: dᵢ(1 − sᵢs̄)
}

// begin clears what is to be set for the active rows.
func (q *products) begin(n int) {
	if q.d == nil {
		q.before, q.d, q.pull = make([]float64, n), make([]float64, n), make([]float64, n)
	}
	clear(q.d)
	clear(q.pull)
}

// spread returns Σ dᵢ(xᵢ−m)(xᵢ−m)ᵀ for the given m−o and Σd. Where rows that joined or left weigh less than
// half of those that there are, their products alone are added to the sums before, of which rounding is no larger
// then; else all are made anew. Those of dense rows are about their mean at that time, which keeps digits; sparse ones
// stay as they are.
func (m *minimizer) spread(mean []float64, total float64) *linalg.Dense {
	q := &m.products
	change := q.before
	for i, v := range q.d {
		change[i] = v - change[i]
	}
	if q.sums == nil || 2*m.weight(change) > m.weight(q.d) {
		q.rows, q.c = m.Rows, make([]float64, m.p)
		if _, dense := m.Rows.X.(*linalg.Dense); dense {
			copy(q.c, mean)
			at := slices.Clone(mean)
			if m.Rows.Origin != nil {
				linalg.Axpy(at, 1, m.Rows.Origin)
			}
			q.rows = &qp.Linear{X: m.Rows.X, Sign: m.Rows.Sign, Origin: at, Workers: m.Rows.Workers}
		}
		q.sums = q.rows.Gram(q.d)
	} else {
		linalg.Axpy(q.sums.Data, 1, q.rows.Gram(change).Data)
	}
	q.before, q.d = q.d, change
	g, shift := q.sums.Clone(), slices.Clone(mean)
	linalg.Axpy(shift, -1, q.c)
	for j, v := range shift {
		linalg.Axpy(g.Row(j), -total*v, shift)
	}
	return g
}

// weight returns Σ|dᵢ|(1 + ‖xᵢ−o‖²).
func (m *minimizer) weight(d []float64) float64 {
	sum := 0.0
	for i, v := range d {
		sum += math.Abs(v) * (1 + m.squares[i])
	}
	return sum
}

// approximate sets the direction to a step of Newton's method by conjugate gradients,
// preconditioned by the diagonal, which solve
//
//	(diag(0, I) + Σ dᵢ(1, xᵢ−o)(1, xᵢ−o)ᵀ)(db, dβ) = −∇F.
func (m *minimizer) approximate() {
	rows, d := m.rows()
	left, along, x := make([]float64, m.p+1), make([]float64, len(d)), make([]float64, m.p+1)
	left[0] = m.left
	for j, v := range m.back {
		left[j+1] = v - m.beta[j]
	}
	diag := m.diagonal(rows, d)
	c := linalg.NewConjugate(x, left, func(y []float64) {
		for j, v := range diag {
			y[j] /= v
		}
		if m.NoLevel {
			y[0] = 0
		}
	})
	c.Start()
	whole, reach := c.Size, math.Abs(m.level)+1+m.radius*math.Sqrt(2*m.value)
	steps, _ := c.Run(mostSteps, func(to, v []float64) {
		rows.Apply(along, v[1:])
		for i, s := range rows.Sign {
			along[i] = d[i] * (along[i] + s*v[0])
		}
		rows.ApplyT(to[1:], along)
		linalg.Axpy(to[1:], 1, v[1:])
		if !m.NoLevel {
			to[0] = linalg.Dot(rows.Sign, along)
		}
	}, func(int) bool {
		r := linalg.Dot(left[1:], left[1:])/2 + math.Abs(left[0])*reach
		return c.Size <= m.share*m.share*whole || r <= enoughShare*m.tol*m.value
	})
	m.conjugate = m.conjugate && steps < mostSteps
	m.share = max(leastShare, m.share*firstShare)
	m.dir.level = x[0]
	copy(m.dir.beta, x[1:])
}

// diagonal returns that of the equations in the columns. O(|A|p).
func (m *minimizer) diagonal(rows *qp.Linear, d []float64) []float64 {
	diag := make([]float64, m.p+1)
	diag[0] = linalg.Sum(d)
	x := rows.X.(linalg.Table)
	for j := range m.p {
		diag[j+1] = 1
	}
	for i, v := range d {
		columns, values := x.Entries(i)
		for k, u := range values {
			j := k
			if columns != nil {
				j = int(columns[k])
			}
			if rows.Origin != nil {
				u -= rows.Origin[j]
			}
			diag[j+1] += v * u * u
		}
	}
	return diag
}
