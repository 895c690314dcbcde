package path

import (
	"halfspace/linalg"
)

// working is the working set of a path, the coordinates that its fits may move, with
// the Hessian by them. One order is that of the set, of the features in use of the
// columns, and of the rows and columns of the Hessian: choose, join and grow are all
// that change it, and keep the three in step.
//
// The Hessian may be old: as the fit grows the curvatures of the rows shrink, and most
// along the path. It is scaled by the ratio of their sums where it is used (see
// [batches.between]), and made anew when corrections beyond the first have cost as much;
// that of squared error stays as it is.
type working struct {
	f    *columns
	set  []int // the intercept first
	in   []bool
	near int // features that a pass looks at, those of the set first

	widest int // the most coordinates of a set

	h       *linalg.Dense
	sum     float64 // of the rows' curvatures where h was made
	overrun float64 // multiplications spent since then on corrections beyond the first
}

const (
	widestSet = 3000
	// nearSlack is how far the gradient of a feature may stray and still count as near
	// the set, in units of the batch's change of λ; setSlack is that of the set on tall
	// tables. On wide ones a model costs more than a pass, and there is none.
	nearSlack, setSlack = 0.5, 0.1
)

// narrowed returns the working set's values.
func (w *working) narrowed(v []float64) []float64 {
	x := make([]float64, len(w.set))
	for i, j := range w.set {
		x[i] = v[j]
	}
	return x
}

// widen sets the working set's values of theta to z.
func (w *working) widen(theta, z []float64) {
	for i, j := range w.set {
		theta[j] = z[i]
	}
}

// features returns how many features are in use.
func (w *working) features() int { return len(w.set) - w.f.Intercept }

// choose makes set the working set, with the features near it, and carries the Hessian
// over. The last take the places of those that leave, so that few features move.
func (w *working) choose(set, near []int) {
	need := make([]bool, len(w.in))
	for _, j := range set {
		need[j] = true
	}
	places := linalg.Sequence(len(w.set))
	for i := 0; i < len(places); {
		if w.in[w.set[i]] = need[w.set[i]]; w.in[w.set[i]] {
			i++
			continue
		}
		end := len(places) - 1
		w.set[i], places[i] = w.set[end], places[end]
		w.set, places = w.set[:end], places[:end]
	}
	if w.h != nil && len(places) < w.h.Rows {
		w.shrink(places)
		w.arrange(0)
	}
	w.join(set)
	w.near = w.f.bringNear(w.features(), near)
}

// shrink leaves the given rows and columns of the Hessian.
func (w *working) shrink(places []int) {
	h := w.f.matrix(len(places), len(places))
	for a, i := range places {
		row, from := h.Row(a), w.h.Row(i)
		for b, j := range places {
			row[b] = from[j]
		}
	}
	w.exchange(h)
}

// join adds coordinates to the working set.
func (w *working) join(set []int) {
	old := len(w.set)
	for _, j := range set {
		if !w.in[j] {
			w.in[j] = true
			w.set = append(w.set, j)
		}
	}
	w.arrange(old)
	w.near = max(w.near, w.features())
}

// arrange tells the columns of the features from the i-th coordinate of the set on.
func (w *working) arrange(i int) {
	k, features := w.f.Intercept, []int(nil)
	for at := max(i, k); at < len(w.set); at++ {
		features = append(features, w.set[at]-k)
	}
	w.f.need(features)
	for at, j := range features {
		w.f.use(max(i-k, 0)+at, j)
	}
}

// exchange makes h the Hessian.
func (w *working) exchange(h *linalg.Dense) {
	if w.h != nil {
		w.f.release(w.h)
	}
	w.h = h
}

// grow makes the Hessian one on the whole working set, at the point for which it was
// made so that it stays positive semidefinite, or at theta where most of it is missing.
// It reports whether the set is small enough.
func (w *working) grow(theta []float64) bool {
	n, old := len(w.set), 0
	if n > w.widest {
		return false
	}
	if w.h != nil {
		old = w.h.Rows
	}
	if old == n {
		return true
	}
	if n > 2*old {
		w.renew(theta)
		return true
	}
	h := w.f.matrix(n, n)
	for i := range old {
		copy(h.Row(i), w.h.Row(i))
	}
	w.f.hessianRows(h.RowRange(old, n), old)
	linalg.Symmetrize(h)
	w.exchange(h)
	return true
}

// renew makes the Hessian at theta.
func (w *working) renew(theta []float64) {
	n := len(w.set)
	w.f.setCurvature(w.narrowed(theta))
	w.exchange(w.f.matrix(n, n))
	w.f.hessian(w.h, n)
	w.sum, w.overrun = linalg.Sum(w.f.v), 0
}
