package qp

import (
	"cmp"
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/optimize"
)

// tau replaces a curvature that is not positive, relative to the diagonal.
const tau = 1e-12

// floor is the decrease of the objective, relative to it, below which a round of
// steps moves α by rounding alone. Near the solution the gap is linear in the
// distance to it and the decrease quadratic, so this is far below 1e-16.
const floor = 1e-28

// SMO solves p two variables at a time (one without an equality). The first of a
// pair violates the KKT conditions most, the second lowers the objective most to
// second order (Fan, Chen & Lin, Working set selection using second order
// information, JMLR 6, 2005, WSS 2). Variables that stay at a bound are set
// aside (shrinking) and all are looked at again before the end. A step costs
// O(active variables) and the rows of Q that the cache does not hold.
//
// The result is not nil beside an [optimize.ErrNotConverged]; other errors say
// what is wrong with p or o, or are those of the storage.
func SMO(p *Problem, o *Options) (*Result, error) {
	st, err := prepare(p, o)
	if err != nil {
		return nil, fmt.Errorf("qp: %w", err)
	}
	bytes := defaultCache
	if o != nil && o.CacheBytes > 0 {
		bytes = o.CacheBytes
	}
	r := newSMO(st, bytes).run(st.tol)
	if err := failure(p.Q); err != nil {
		return nil, fmt.Errorf("qp: %w", err)
	}
	return r.res, r.err
}

type smo struct {
	*state
	c      *cache
	active []int   // c.cols: the variables not set aside
	eps    float64 // violation at which the certificate is looked at
	period int     // steps between shrinkings
	gained float64 // what the steps since the last shrinking took off the objective
}

func newSMO(st *state, bytes int) *smo {
	w := &smo{state: st, c: newCache(st.q, bytes), period: min(max(st.m, 100), 1000)}
	w.active = w.c.cols
	w.eps = 1e-3 * max(linalg.NormInf(st.lin), math.SmallestNonzeroFloat64)
	return w
}

// run makes steps until the gap is at most until.
func (w *smo) run(until float64) outcome {
	w.progress.Allow(cmp.Or(w.maxIter, 100*w.m+1_000_000))
	w.progress.End(w.iterate(until))
	w.unshrink()
	return w.finish(w.multiplier())
}

// iterate makes the steps and returns how they ended.
func (w *smo) iterate(until float64) optimize.Status {
	stuck := false
	for steps := 0; ; steps++ {
		if steps%w.period == 0 {
			if w.stopped() {
				return optimize.Stopped
			}
			if steps > 0 {
				if w.gained <= floor*math.Abs(w.objective()) {
					return optimize.LineSearch
				}
				w.gained = 0
				w.shrink()
			}
		}
		if w.progress.Spent() {
			return optimize.MaxIterations
		}
		i, j, violation := w.choose()
		for violation <= w.eps {
			if w.certified(until) {
				return optimize.Converged
			}
			if i, j, violation = w.choose(); violation == 0 {
				return optimize.LineSearch
			}
			if violation <= w.eps {
				w.eps /= 10
			}
		}
		moved := w.step(i, j)
		if !moved && stuck {
			return optimize.LineSearch
		}
		if stuck = !moved; stuck {
			w.unshrink()
		}
		w.progress.Count()
	}
}

// stopped shows the trace the violation relative to the largest |q|.
func (w *smo) stopped() bool {
	if !w.progress.Traced() {
		return false
	}
	_, _, v := w.choose()
	return w.progress.Show(w.alpha, w.objective(), v/max(1, linalg.NormInf(w.lin)), 0)
}

// certified brings back every variable, recomputes the gradient and reports
// whether the gap is at most until, relative to the objective, or the largest
// violation where there are infinite bounds.
func (w *smo) certified(until float64) bool {
	w.unshrink()
	r := w.result(w.multiplier())
	if !w.bounded {
		return r.Report.Certificate().Value <= until
	}
	return w.small(r.Gap, r.Bound, until)
}

func (w *smo) unshrink() {
	w.c.unshrink()
	w.active = w.c.cols
	w.refresh()
}

// multiplier returns b: the mean of gᵢsᵢ over the free variables, and where there
// is none, the middle of the interval that the others leave.
func (st *state) multiplier() float64 {
	if st.s == nil {
		return 0
	}
	sum, free := 0.0, 0
	below, above := math.Inf(-1), math.Inf(1) // below ≤ b ≤ above
	for i, a := range st.alpha {
		v := st.grad[i] * st.s[i]
		switch {
		case a > st.lo[i] && a < st.up[i]:
			sum += v
			free++
		case st.lo[i] == st.up[i]:
		case a <= st.lo[i] == (st.s[i] > 0): // r ≥ 0 for s = 1, r ≤ 0 for the upper bound and s = −1
			above = min(above, v)
		default:
			below = max(below, v)
		}
	}
	switch {
	case free > 0:
		return sum / float64(free)
	case math.IsInf(below, -1) && math.IsInf(above, 1):
		return 0
	case math.IsInf(below, -1):
		return above
	case math.IsInf(above, 1):
		return below
	}
	return below + (above-below)/2
}

// ulps is how far from a bound, in units of Σ|α| and of the bounds' distance, rounding leaves variables that are at it.
const ulps = 0x1p-46

// snap puts variables at the bounds from which rounding alone keeps them, where none is inside otherwise: the
// multiplier is then the middle of an interval, and no end of it.
func (st *state) snap() {
	total, inside := 0.0, false
	for i, a := range st.alpha {
		total += math.Abs(a)
		inside = inside || a > st.lo[i] && a < st.up[i]
	}
	at := linalg.Clone(st.alpha)
	for i, a := range st.alpha {
		down, up := a-st.lo[i], st.up[i]-a
		if min(down, up) > ulps*min(total, down+up) {
			return
		}
		if at[i] = st.lo[i]; up < down {
			at[i] = st.up[i]
		}
	}
	if inside {
		copy(st.alpha, at)
		st.refresh()
	}
}

// canRise and canFall say whether αᵢ can move so that sᵢαᵢ rises or falls.
func (w *smo) canRise(i int) bool {
	if w.sign(i) > 0 {
		return w.alpha[i] < w.up[i]
	}
	return w.alpha[i] > w.lo[i]
}

func (w *smo) canFall(i int) bool {
	if w.sign(i) > 0 {
		return w.alpha[i] > w.lo[i]
	}
	return w.alpha[i] < w.up[i]
}

// choose returns the pair to move and the violation m(α) − M(α) of the KKT
// conditions over the active variables; i = −1 where there is none. Without an
// equality j is −1.
func (w *smo) choose() (i, j int, violation float64) {
	if w.s == nil {
		return w.chooseOne()
	}
	i, j = -1, -1
	top, bottom := math.Inf(-1), math.Inf(1)
	for _, k := range w.active {
		if v := -w.s[k] * w.grad[k]; v > top && w.canRise(k) {
			top, i = v, k
		}
	}
	if i < 0 {
		return -1, -1, 0
	}
	row, best := w.c.row(i), 0.0
	for pos, k := range w.active {
		if !w.canFall(k) {
			continue
		}
		v := -w.s[k] * w.grad[k]
		bottom = min(bottom, v)
		if gain := top - v; gain > 0 {
			if gain *= gain / w.curvature(i, k, row[pos]); gain > best {
				best, j = gain, k
			}
		}
	}
	if j < 0 {
		return -1, -1, 0
	}
	return i, j, top - bottom
}

// curvature is Qᵢᵢ + Qⱼⱼ − 2sᵢsⱼQᵢⱼ, kept positive.
func (w *smo) curvature(i, j int, qij float64) float64 {
	c := w.diag[i] + w.diag[j] - 2*w.s[i]*w.s[j]*qij
	return max(c, tau*(w.diag[i]+w.diag[j]), math.SmallestNonzeroFloat64/tau)
}

func (w *smo) chooseOne() (i, j int, violation float64) {
	i, best := -1, 0.0
	for _, k := range w.active {
		g := w.grad[k]
		if g > 0 && w.alpha[k] <= w.lo[k] || g < 0 && w.alpha[k] >= w.up[k] {
			continue
		}
		violation = max(violation, math.Abs(g))
		if gain := g * g / max(w.diag[k], math.SmallestNonzeroFloat64/tau); gain > best {
			best, i = gain, k
		}
	}
	return i, -1, violation
}

// step moves sᵢαᵢ up and sⱼαⱼ down by the same t, to the minimum on that line or
// to the first bound, and reports whether a variable changed.
func (w *smo) step(i, j int) bool {
	if i < 0 {
		return false
	}
	if j < 0 {
		g, c := w.grad[i], max(w.diag[i], math.SmallestNonzeroFloat64/tau)
		t := min(math.Abs(g)/c, w.room(i, -g))
		if math.IsInf(t, 1) { // no minimum
			return false
		}
		w.gained += t * (math.Abs(g) - t*c/2)
		return w.shift(i, -math.Copysign(t, g), w.c.row(i))
	}
	rowI, rowJ := w.c.row(i), w.c.row(j)
	pos := w.position(j)
	slope, c := w.s[j]*w.grad[j]-w.s[i]*w.grad[i], w.curvature(i, j, rowI[pos])
	t := min(slope/c, w.room(i, w.s[i]), w.room(j, -w.s[j]))
	if math.IsInf(t, 1) {
		return false
	}
	w.gained += t * (slope - t*c/2)
	a := w.shift(i, w.s[i]*t, rowI)
	b := w.shift(j, -w.s[j]*t, rowJ)
	return a || b
}

// position finds variable k among the active ones, which ascend.
func (w *smo) position(k int) int {
	lo, hi := 0, len(w.active)
	for lo < hi {
		if mid := (lo + hi) / 2; w.active[mid] < k {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// room is how far αᵢ can go in the direction of dir.
func (w *smo) room(i int, dir float64) float64 {
	if dir > 0 {
		return w.up[i] - w.alpha[i]
	}
	return w.alpha[i] - w.lo[i]
}

// shift adds d to αᵢ, exactly to a bound where d reaches it, and updates the
// active gradient.
func (w *smo) shift(i int, d float64, row []float64) bool {
	old := w.alpha[i]
	switch {
	case d > 0 && d >= w.up[i]-old:
		w.alpha[i] = w.up[i]
	case d < 0 && -d >= old-w.lo[i]:
		w.alpha[i] = w.lo[i]
	default:
		w.alpha[i] = old + d
	}
	if d = w.alpha[i] - old; d == 0 {
		return false
	}
	if len(w.active) == w.m {
		linalg.Axpy(w.grad, d, row)
		return true
	}
	for pos, k := range w.active {
		w.grad[k] += d * row[pos]
	}
	return true
}

// shrink sets aside the variables at a bound whose gradient says that they will
// stay there: they violate nothing even against the worst of the others.
func (w *smo) shrink() {
	top, bottom := math.Inf(-1), math.Inf(1)
	for _, k := range w.active {
		v := -w.sign(k) * w.grad[k]
		if w.canRise(k) {
			top = max(top, v)
		}
		if w.canFall(k) {
			bottom = min(bottom, v)
		}
	}
	if w.s == nil {
		top, bottom = 0, 0
	}
	keep := make([]int, 0, len(w.active))
	for pos, k := range w.active {
		v := -w.sign(k) * w.grad[k]
		rise, fall := w.canRise(k), w.canFall(k)
		if rise && fall || rise && !(v < bottom) || fall && !(v > top) {
			keep = append(keep, pos)
		}
	}
	if len(keep) < len(w.active)*9/10 && len(keep) >= 2 {
		w.c.shrink(keep)
		w.active = w.c.cols
	}
}
