package linalg

import (
	"math"
	"slices"
	"sort"
)

// smallTridiagonal is the order up to which the QL iteration is as fast as
// dividing further.
const smallTridiagonal = 24

// divideTridiagonal overwrites d with the eigenvalues, ascending, of the
// symmetric tridiagonal matrix with diagonal d and subdiagonal e, which it
// destroys, and returns its eigenvectors in the rows of a new matrix. The
// elements must be of a size that squares neither overflow nor all vanish.
//
// The matrix is torn in two, diag(T₁, T₂) + ρvvᵀ, the halves are solved in turn,
// and the eigenproblem D + ρzzᵀ that remains is that of the secular equation.
// Its vectors come from the z for which the computed roots are exact, so they are
// orthogonal to working precision however close the roots are. O(n³) at worst,
// nearly all of it in one product of matrices; clustered values are deflated and
// cost less. (Cuppen 1981; Gu & Eisenstat 1994 and 1995; Golub & Van Loan,
// §8.4.)
func divideTridiagonal(d, e []float64) (*Dense, error) {
	n := len(d)
	t := &divider{d: d, e: e, s: Zeros(n, n), z: make([]float64, n), order: make([]int, n)}
	if n > smallTridiagonal {
		t.old, t.u = Zeros(n, n), make([]float64, n*n)
	}
	if err := t.solve(0, n); err != nil {
		return nil, err
	}
	v, values := Zeros(n, n), Clone(d)
	for k, i := range t.order {
		copy(v.Row(k), t.s.Row(i))
		d[k] = values[i]
	}
	return v, nil
}

// divider holds the eigenproblem while it is put together. In a finished block
// lo ≤ i < hi, row i of s has the vector of d[i] in columns lo to hi, and
// order[lo:hi] lists the rows by ascending value.
type divider struct {
	d, e  []float64
	s     *Dense
	order []int
	z     []float64
	old   *Dense    // the rows of s before a merge, by kind
	u     []float64 // the eigenvectors of D + ρzzᵀ
}

func (t *divider) solve(lo, hi int) error {
	if hi-lo <= smallTridiagonal {
		for i := lo; i < hi; i++ {
			t.s.Set(i, i, 1)
			t.order[i] = i
		}
		err := implicitQL(t.d[lo:hi], t.e[lo:max(lo, hi-1)], t.s.window(lo, hi, lo, hi))
		sort.Slice(t.order[lo:hi], func(a, b int) bool { return t.d[t.order[lo+a]] < t.d[t.order[lo+b]] })
		return err
	}
	mid := lo + (hi-lo)/2
	beta := t.e[mid-1]
	t.d[mid-1] -= math.Abs(beta)
	t.d[mid] -= math.Abs(beta)
	if err := t.solve(lo, mid); err != nil {
		return err
	}
	if err := t.solve(mid, hi); err != nil {
		return err
	}
	t.join(lo, mid, hi, beta)
	return nil
}

// A row before a merge is zero outside the columns of its kind.
const (
	first = iota
	both
	second
	kinds
)

// join makes one block of [lo, mid) and [mid, hi), which were torn by beta.
func (t *divider) join(lo, mid, hi int, beta float64) {
	for i := lo; i < mid; i++ {
		t.z[i] = t.s.At(i, mid-1) / math.Sqrt2
	}
	for i := mid; i < hi; i++ {
		t.z[i] = math.Copysign(1, beta) * t.s.At(i, mid) / math.Sqrt2
	}
	rho := 2 * math.Abs(beta)
	order := t.mergeOrders(lo, mid, hi)
	kept, gone, kind := t.deflate(order, mid, rho)
	k := len(kept)
	if k == 0 {
		copy(t.order[lo:hi], order)
		return
	}
	// New rows lo … lo+k are combinations of the kept ones, packed by kind.
	var count [kinds]int
	for _, i := range kept {
		count[kind[i-lo]]++
	}
	place := make([]int, k) // of kept row j among the packed ones
	at := [kinds]int{0, count[first], count[first] + count[both]}
	for j, i := range kept {
		place[j] = at[kind[i-lo]]
		at[kind[i-lo]]++
	}
	d, z := make([]float64, k), make([]float64, k)
	for j, i := range kept {
		d[j], z[j] = t.d[i], t.z[i]
		copy(t.old.Row(lo + place[j])[lo:hi], t.s.Row(i)[lo:hi])
	}
	for j, i := range gone {
		copy(t.old.Row(lo + k + j)[lo:hi], t.s.Row(i)[lo:hi])
	}
	goneValues := make([]float64, len(gone))
	for j, i := range gone {
		goneValues[j] = t.d[i]
	}
	copy(t.d[lo+k:hi], goneValues)
	u := rankOneVectors(d, z, rho, place, t.u[:k*k])
	copy(t.d[lo:], d)
	for i := lo + k; i < hi; i++ {
		copy(t.s.Row(i)[lo:hi], t.old.Row(i)[lo:hi])
	}
	t.combine(u, count, lo, mid, hi)
	t.sortJoined(lo, lo+k, hi)
}

// combine sets rows lo … lo+k of s to U times the packed rows. Each half of the
// columns leaves out the rows that are zero in it.
func (t *divider) combine(u *Dense, count [kinds]int, lo, mid, hi int) {
	k, tail := u.Rows, count[first]
	head := tail + count[both]
	For(k, productChunk(k, hi-lo), 0, func(a, b int) {
		for i := a; i < b; i++ {
			clear(t.s.Row(lo + i)[lo:hi])
		}
		if head > 0 {
			MulAdd(t.s.window(lo+a, lo+b, lo, mid), 1, u.window(a, b, 0, head), t.old.window(lo, lo+head, lo, mid))
		}
		if tail < k {
			MulAdd(t.s.window(lo+a, lo+b, mid, hi), 1, u.window(a, b, tail, k), t.old.window(lo+tail, lo+k, mid, hi))
		}
	})
}

// mergeOrders returns the rows of two finished blocks by ascending value.
func (t *divider) mergeOrders(lo, mid, hi int) []int {
	a, b := t.order[lo:mid], t.order[mid:hi]
	m := make([]int, 0, hi-lo)
	for len(a) > 0 && len(b) > 0 {
		if t.d[b[0]] < t.d[a[0]] {
			m, b = append(m, b[0]), b[1:]
		} else {
			m, a = append(m, a[0]), a[1:]
		}
	}
	return append(append(m, a...), b...)
}

// sortJoined sets the order of a block whose rows below cut are in ascending order.
func (t *divider) sortJoined(lo, cut, hi int) {
	for i := lo; i < hi; i++ {
		t.order[i] = i
	}
	rest := t.order[cut:hi]
	sort.Slice(rest, func(a, b int) bool { return t.d[rest[a]] < t.d[rest[b]] })
	copy(t.order[lo:hi], t.mergeOrders(lo, cut, hi))
}

// deflate parts the rows, given by ascending value. The kept ones take part in the
// secular equation; their values ascend and are well apart. The rows that are gone
// are eigenvectors of the whole already: their z is negligible, or a rotation of two
// rows with nearly equal values makes it so. The kind of each row is returned too. (Dongarra & Sorensen 1987, §4.)
func (t *divider) deflate(order []int, mid int, rho float64) (kept, gone []int, kind []int8) {
	lo, n := slices.Min(order), len(order)
	kind = make([]int8, n)
	size := rho
	for _, i := range order {
		if i >= mid {
			kind[i-lo] = second
		}
		size = max(size, math.Abs(t.d[i]))
	}
	tol := 8 * eps * size
	for _, i := range order {
		if rho*math.Abs(t.z[i]) <= tol {
			gone = append(gone, i)
			continue
		}
		if len(kept) == 0 {
			kept = append(kept, i)
			continue
		}
		h := kept[len(kept)-1]
		r := math.Hypot(t.z[h], t.z[i])
		c, s := t.z[i]/r, t.z[h]/r
		if gap := t.d[i] - t.d[h]; math.Abs(gap*c*s) <= tol {
			t.z[i] = r
			rotate(t.s.Row(h)[lo:lo+n], t.s.Row(i)[lo:lo+n], c, s)
			t.d[h], t.d[i] = t.d[h]+gap*s*s, t.d[i]-gap*s*s
			if kind[h-lo] != kind[i-lo] {
				kind[h-lo], kind[i-lo] = both, both
			}
			gone = append(gone, h)
			kept[len(kept)-1] = i
			continue
		}
		kept = append(kept, i)
	}
	return kept, gone, kind
}

// rankOneVectors overwrites d with the eigenvalues of diag(d) + ρzzᵀ, ascending,
// and returns its eigenvectors in rows, in the given storage, element i at place[i].
func rankOneVectors(d, z []float64, rho float64, place []int, data []float64) *Dense {
	k := len(d)
	u := &Dense{k, k, k, data}
	if k == 1 {
		d[0] += rho * z[0] * z[0]
		u.Data[0] = 1
		return u
	}
	// The kept z is a unit vector only together with the deflated one.
	s := Norm(z)
	rho *= s * s
	Scale(z, 1/s)
	roots := make([]float64, k)
	chunk := max(16, (1<<14)/k)
	For(k, chunk, 0, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			roots[j] = secularRoot(j, d, z, rho, u.Row(j))
		}
	})
	lownerZ(d, z, u)
	For(k, chunk, 0, func(lo, hi int) {
		v := make([]float64, k)
		for j := lo; j < hi; j++ {
			row, s := u.Row(j), 0.0
			for i, x := range row {
				x = z[i] / x
				s += x * x
				v[place[i]] = x
			}
			s = 1 / math.Sqrt(s)
			for i, x := range v {
				row[i] = x * s
			}
		}
	})
	copy(d, roots)
	return u
}

// lownerZ replaces z by the vector for which the roots are exact, up to a factor:
//
//	zᵢ² ∝ Πⱼ (λⱼ − dᵢ) / Πⱼ≠ᵢ (dⱼ − dᵢ)
//
// given the differences dᵢ − λⱼ in row j of delta. (Gu & Eisenstat 1994,
// equation 3.3.)
func lownerZ(d, z []float64, delta *Dense) {
	w := make([]float64, len(d))
	for i := range w {
		w[i] = 1
	}
	for j, dj := range d {
		row := delta.Row(j)
		for i := range j {
			w[i] *= row[i] / (d[i] - dj)
		}
		w[j] *= row[j]
		for i := j + 1; i < len(w); i++ {
			w[i] *= row[i] / (d[i] - dj)
		}
	}
	for i, x := range w {
		z[i] = math.Copysign(math.Sqrt(math.Abs(x)), z[i])
	}
}
