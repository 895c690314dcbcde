package qp

import (
	"math"
	"slices"

	"halfspace/linalg"
)

// prox is the weight δ of the proximal term, relative to the mean Qᵢᵢ.
const prox = 1e-11

// mostGathered is the number of values, 128 MB, up to which rows are copied for their products: sparse ones
// can have a million columns.
const mostGathered = 1 << 24

// block is Q on the f free variables with a proximal term that makes their
// equations definite, and where there is an equality its square:
//
//	M = Q + δI + scale·ssᵀ
//
// It factors M, O(f³), and follows where variables leave or join, O(f²) each, or for a
// [Factored] Q of p < f columns keeps B = (A, √scale·s) and solves by
// M⁻¹ = (I − B(BᵀB + δI)⁻¹Bᵀ)/δ, O(fp²), which loses more to rounding.
type block struct {
	*state
	free  []int
	q     *linalg.Dense // Q, or nil:
	b     *linalg.Dense // B, with the column of s also where there is no equality, then 0
	chol  *linalg.Cholesky
	scale float64 // mean Qᵢᵢ, or 1
	delta float64
	work  float64 // multiplications that the equations have taken

	adapted bool // variables have left or joined
}

// newBlock makes the equations of the given variables, through B if asked. It returns
// nil where they cannot be solved.
func newBlock(st *state, free []int, throughB bool) *block {
	k := &block{state: st, free: slices.Clone(free)}
	k.measure()
	k.delta = prox * k.scale
	var m *linalg.Dense
	f := float64(len(free))
	if throughB {
		m = k.outer()
		k.work = f * float64(m.Rows) * float64(m.Rows) / 2
	} else {
		m = k.square()
		k.work = f * f * f / 3
	}
	if !k.factor(m) {
		return nil
	}
	return k
}

// factor factors M, or BᵀB + δI, given without the proximal term, and reports whether it could.
func (k *block) factor(m *linalg.Dense) bool {
	for i := range m.Rows {
		m.Row(i)[i] += k.delta
	}
	var err error
	k.chol, err = linalg.NewCholeskyIn(m, 1)
	return err == nil
}

// sharpen reports whether the equations are as good as new ones, as those are that have not adapted and do not go
// through B. Where solutions of them creep it makes the proximal term ten times smaller, down to the rounding of the
// factor: along directions of less curvature than δ each is a short step. (The proximal point method
// converges the faster the smaller its terms become: Rockafellar, SIAM J. Control Optim. 14, 1976, Theorem 2.)
func (k *block) sharpen(creep bool) bool {
	if k.b != nil || k.adapted {
		return false
	}
	f := float64(len(k.free))
	if !creep || k.delta < 10*0x1p-50*f*k.scale {
		return true
	}
	k.delta /= 10
	k.work += f * f * f / 3
	return k.factor(k.squared())
}

// measure sets scale.
func (k *block) measure() {
	for _, i := range k.free {
		k.scale += k.diag[i]
	}
	if k.scale /= float64(len(k.free)); k.scale == 0 {
		k.scale = 1
	}
}

// square sets q and returns Q + scale·ssᵀ, both with room for variables that join.
func (k *block) square() *linalg.Dense {
	f := len(k.free)
	k.q = withRoom(f)
	if k.f != nil && f*k.f.Rank() <= mostGathered {
		rows := k.gather()
		rows.Cols--
		q := linalg.GramOfRows(rows, nil, nil, 1)
		for a := range f {
			copy(k.q.Row(a), q.Row(a))
		}
	} else {
		for a, i := range k.free {
			k.state.q.Row(k.q.Row(a), i, k.free)
		}
	}
	return k.squared()
}

// squared returns Q + scale·ssᵀ by q.
func (k *block) squared() *linalg.Dense {
	m := withRoom(len(k.free))
	for a, i := range k.free {
		copy(m.Row(a), k.q.Row(a))
		k.addSigns(m.Row(a), i)
	}
	return m
}

// withRoom returns an f×f matrix that can become a larger one.
func withRoom(f int) *linalg.Dense {
	room := f + f/4 + 4
	a := linalg.Zeros(room, room)
	a.Rows, a.Cols = f, f
	return a
}

// addSigns adds scale·sᵢs to a row of Q, that of variable i.
func (k *block) addSigns(row []float64, i int) {
	if k.s == nil {
		return
	}
	for a, j := range k.free {
		row[a] += k.scale * k.s[i] * k.s[j]
	}
}

// outer sets b and returns BᵀB.
func (k *block) outer() *linalg.Dense {
	k.b = k.gather()
	return linalg.Gram(k.b, nil, nil, 1)
}

// gather returns B.
func (k *block) gather() *linalg.Dense {
	p := k.f.Rank()
	b := linalg.Zeros(len(k.free), p+1)
	for a, i := range k.free {
		row := b.Row(a)
		k.f.AddRow(row[:p], i, 1)
		if k.s != nil {
			row[p] = math.Sqrt(k.scale) * k.s[i]
		}
	}
	return b
}

func (k *block) signs() []float64 {
	s := make([]float64, len(k.free))
	for a, i := range k.free {
		s[a] = k.sign(i)
	}
	return s
}

// solve overwrites r with M⁻¹r.
func (k *block) solve(r []float64) {
	if k.b == nil {
		k.chol.Solve(r)
		return
	}
	// The division by δ enlarges rounding 10¹¹ times; what it leaves is solved again,
	// which gains two digits a round.
	x, left := make([]float64, len(r)), linalg.Clone(r)
	for range 8 {
		if linalg.NormInf(left) <= 1e-15*linalg.NormInf(r) {
			break
		}
		k.invert(left)
		linalg.Axpy(x, 1, left)
		u := k.across(x)
		for a := range left {
			left[a] = r[a] - k.delta*x[a] - linalg.Dot(k.b.Row(a), u)
		}
	}
	copy(r, x)
}

// solveSigns returns M⁻¹s. Of B that is column p of (BBᵀ + δI)⁻¹B = B(BᵀB + δI)⁻¹, where nothing is divided by δ.
func (k *block) solveSigns() []float64 {
	if k.b == nil {
		s := k.signs()
		k.chol.Solve(s)
		return s
	}
	u, s := make([]float64, k.b.Cols), make([]float64, len(k.free))
	u[len(u)-1] = 1 / math.Sqrt(k.scale)
	k.chol.Solve(u)
	for a := range s {
		s[a] = linalg.Dot(k.b.Row(a), u)
	}
	return s
}

// invert overwrites r with (r − B(BᵀB + δI)⁻¹Bᵀr)/δ.
func (k *block) invert(r []float64) {
	u := k.across(r)
	k.chol.Solve(u)
	for a := range r {
		r[a] = (r[a] - linalg.Dot(k.b.Row(a), u)) / k.delta
	}
}

// across returns Bᵀr.
func (k *block) across(r []float64) []float64 {
	u := make([]float64, k.b.Cols)
	for a, v := range r {
		linalg.Axpy(u, v, k.b.Row(a))
	}
	return u
}

// addProduct adds step·Qd to the gradient of the free variables.
func (k *block) addProduct(grad, d []float64, step float64) {
	if k.b == nil {
		for a, i := range k.free {
			grad[i] += step * linalg.Dot(k.q.Row(a), d)
		}
		return
	}
	p := k.b.Cols - 1
	u := k.across(d)[:p]
	for a, i := range k.free {
		grad[i] += step * linalg.Dot(k.b.Row(a)[:p], u)
	}
}

// curvature returns dᵀQd, by |Aᵀd|² where A is at hand: the rounding of products would end a flat direction of
// large rows long before its bound. Without A it is 0 where rounding has left less.
func (k *block) curvature(d []float64) float64 {
	if k.f != nil {
		u := make([]float64, k.f.Rank())
		for a, i := range k.free {
			k.f.AddRow(u, i, d[a])
		}
		return linalg.Dot(u, u)
	}
	product := make([]float64, k.m)
	k.addProduct(product, d, 1)
	sum := 0.0
	for a, i := range k.free {
		sum += d[a] * product[i]
	}
	return max(sum, 0)
}

// drop takes the free variable at position a out of the equations and reports
// whether it could; else they have to be made anew. O(f²).
func (k *block) drop(a int) bool {
	if k.b != nil {
		return false
	}
	k.free, k.adapted = slices.Delete(k.free, a, a+1), true
	remove(k.q, a)
	l := k.chol.L()
	x := make([]float64, l.Rows-a-1)
	for i := range x {
		x[i] = l.At(a+1+i, a)
	}
	remove(l, a)
	k.chol.Update(x)
	k.work += k.dropping()
	return true
}

// dropping is about what a drop costs: f²/2 rotations of six operations, which are not vectorised.
func (k *block) dropping() float64 {
	f := float64(len(k.free))
	return 20 * f * f
}

// add takes variable i into the equations, behind the others, and reports whether it could. O(f²), and a row of Q.
func (k *block) add(i int) bool {
	f := len(k.free)
	if k.b != nil || f == k.q.Stride {
		return false
	}
	k.free, k.adapted = append(k.free, i), true
	k.work += float64(f) * (float64(f) + k.width())
	l := k.chol.L()
	old := *l
	for _, a := range []*linalg.Dense{k.q, l} {
		a.Rows, a.Cols = f+1, f+1
	}
	k.state.q.Row(k.q.Row(f), i, k.free)
	for a, v := range k.q.Row(f) {
		k.q.Row(a)[f] = v
	}
	row := l.Row(f)
	copy(row, k.q.Row(f))
	k.addSigns(row, i)
	linalg.SolveLower(&old, row[:f])
	left := row[f] + k.delta - linalg.Dot(row[:f], row[:f])
	row[f] = math.Sqrt(left)
	return left > 0
}

// adapt makes the equations those of the marked variables, one after the other, and reports whether it
// could; else they have to be made anew.
func (k *block) adapt(mark []bool) bool {
	in := make([]bool, len(mark))
	for a := len(k.free) - 1; a >= 0; a-- {
		if i := k.free[a]; mark[i] {
			in[i] = true
		} else if !k.drop(a) {
			return false
		}
	}
	for i, free := range mark {
		if free && !in[i] && !k.add(i) {
			return false
		}
	}
	return true
}

// remove takes row and column a out of the square m, in place.
func remove(m *linalg.Dense, a int) {
	for i := range m.Rows {
		if i > a {
			copy(m.Row(i-1), m.Row(i))
		}
	}
	m.Rows--
	for i := range m.Rows {
		r := m.Row(i)
		copy(r[a:], r[a+1:])
	}
	m.Cols--
}

// dependent is the distance of a row from the span of others, relative to its length, that is
// none.
const dependent = 1e-7

// basis are free variables whose rows (Aᵢ, √scale·sᵢ) are independent, with the vectors w of the span of
// these rows r for which wₑ·rᶠ is 1 where e = f, else 0. A row that joins or leaves changes these by a multiple of
// one, O(p²) (Gauss–Jordan elimination).
type basis struct {
	rows  *linalg.Dense // of all free variables, by their position in free
	list  []int         // positions of the basis
	in    *linalg.Dense // its rows, by place
	dual  *linalg.Dense // the w
	at, d []float64     // scratch: coordinates of a row, and of what they leave
	left  []float64     // what the coordinates leave of a row
	stale bool          // rows have taken the places of others, by which the w lose digits
}

// newBasis returns an empty basis of free variables.
func newBasis(st *state, free []int) *basis {
	k := &block{state: st, free: free}
	k.measure()
	rows := k.gather()
	p := rows.Cols
	b := &basis{rows: rows, in: linalg.Zeros(p, p), dual: linalg.Zeros(p, p), at: make([]float64, p), d: make([]float64, p), left: make([]float64, p)}
	b.in.Rows, b.dual.Rows = 0, 0
	return b
}

// coordinates returns the row at position a as a combination of the basis, nil where it is none. They hold until the next call.
func (b *basis) coordinates(a int) []float64 {
	if !b.spans(a) && (!b.stale || !b.renew() || !b.spans(a)) {
		return nil
	}
	return b.at[:len(b.list)]
}

// spans finds the coordinates of the row at position a, and reports whether they leave nothing of it.
func (b *basis) spans(a int) bool {
	row, c := b.rows.Row(a), b.at[:len(b.list)]
	copy(b.left, row)
	clear(c)
	for range 2 {
		d := b.d[:len(c)]
		linalg.MulVec(d, b.dual, b.left, 1)
		linalg.Axpy(c, 1, d)
		linalg.Scale(d, -1)
		linalg.MulTVecAdd(b.left, b.in, d)
	}
	return linalg.Norm(b.left) <= dependent*linalg.Norm(row)
}

// renew makes the w anew, and reports whether it could.
func (b *basis) renew() bool {
	n := len(b.list)
	products := linalg.Zeros(n, n)
	linalg.MulBT(products, b.in, b.in, 1)
	chol, err := linalg.NewCholesky(products)
	if err != nil {
		return false
	}
	copy(b.dual.Data, b.in.Data[:n*b.in.Stride])
	chol.SolveMatrix(b.dual)
	b.stale = false
	return true
}

// join adds the row at position a, of which the coordinates just found leave something. It reports whether
// there can be one more.
func (b *basis) join(a int) bool {
	e := len(b.list)
	if e == b.rows.Cols {
		return false
	}
	b.list = append(b.list, a)
	b.in.Rows, b.dual.Rows = e+1, e+1
	copy(b.in.Row(e), b.rows.Row(a))
	w := b.dual.Row(e)
	copy(w, b.left)
	linalg.Scale(w, 1/linalg.Dot(w, w))
	for f, c := range b.at[:e] {
		linalg.Axpy(b.dual.Row(f), -c, w)
	}
	return true
}

// replace makes the row at position a, whose coordinates were just found, that of place e.
func (b *basis) replace(e, a int) {
	b.list[e], b.stale = a, true
	copy(b.in.Row(e), b.rows.Row(a))
	w := b.dual.Row(e)
	linalg.Scale(w, 1/b.at[e])
	for f, c := range b.at[:len(b.list)] {
		if f != e {
			linalg.Axpy(b.dual.Row(f), -c, w)
		}
	}
}

// purifyGroups is [polisher.purify] for groups of the free variables, eight for each column. Those of a group move
// together, by as much of their distances to the nearer bounds, so that all of them meet these at once. It lists those
// that are left free, and reports whether they are an eighth less. O(fp + p³).
func (w *polisher) purifyGroups() bool {
	f, p := len(w.free), w.f.Rank()
	groups := 8 * (p + 1)
	if f < 2*groups {
		return false
	}
	rows, v := linalg.Zeros(groups, p), linalg.Zeros(5, groups)
	g := newPolisher(&state{m: groups, q: w.q, lo: v.Row(0), up: v.Row(1), alpha: v.Row(2), s: v.Row(3), diag: v.Row(4)}, 0)
	for k := range groups {
		g.lo[k], g.up[k], g.mark[k] = -1/exactness, 1, true
		for _, i := range w.free[k*f/groups : (k+1)*f/groups] {
			d := w.toBound(i)
			w.f.AddRow(rows.Row(k), i, d)
			if w.s != nil {
				g.s[k] += w.s[i] * d
			}
			g.lo[k] = max(g.lo[k], 1-(w.up[i]-w.lo[i])/math.Abs(d))
		}
		g.diag[k] = linalg.Dot(rows.Row(k), rows.Row(k))
	}
	g.f = &Linear{X: rows, Sign: slices.Repeat([]float64{1}, groups)}
	g.purify()
	for k, t := range g.alpha {
		for _, i := range w.free[k*f/groups : (k+1)*f/groups] {
			w.move(i, t*w.toBound(i))
			w.mark[i] = w.inside(i)
		}
	}
	w.listFree()
	return len(w.free) < f-f/8
}

// toBound returns what takes free variable i to the nearer of its bounds.
func (w *polisher) toBound(i int) float64 {
	down, up := w.lo[i]-w.alpha[i], w.up[i]-w.alpha[i]
	if -down > up {
		return up
	}
	return down
}
