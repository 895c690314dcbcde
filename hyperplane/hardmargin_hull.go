package hyperplane

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/qp"
)

// hulls looks for the nearest points of the convex hulls of two classes,
//
//	min ‖Σ γᵢsᵢxᵢ‖  subject to  Σ₊γ = Σ₋γ = 1,  γ ≥ 0,
//
// or the point nearest to 0 of the hull of all sᵢxᵢ, Σγ = 1, as if they were one class,
// by Wolfe's algorithm (Math. Programming 11, 1976) with one affine constraint a
// class: a corral of points whose γ is positive, the closest points of their
// affine hulls, a step towards them that drops points as γ reaches 0, and then
// the point beyond the supporting plane that is farthest from it. Points are
// picked from a small working set while that has any; all rows are
// looked at, by one matrix-vector product, only when it has none.
type hulls struct {
	q      *qp.Linear // rows sᵢ(xᵢ−c)
	one    bool       // one hull of all sᵢxᵢ, and 0
	weight []float64  // rows of weight 0 count for nothing; nil: all count
	limit  int
	trace  func(optimize.Step) error

	corral []int       // rows with γ > 0
	gamma  []float64   // their γ
	points [][]float64 // their sᵢ(xᵢ−c)
	w      []float64   // Σ γᵢsᵢ(xᵢ−c)
	f      []float64   // sᵢ·w·(xᵢ−c) for all rows
	work   []int       // rows to pick from
	near   [][]float64 // their sᵢ(xᵢ−c)
	radius float64     // largest ‖xᵢ−c‖ among the rows met
	extent []float64   // largest |xᵢⱼ−cⱼ| among them
	steps  int
}

const (
	hullBatch = 24      // rows of each class that join the working set at a time
	hullTouch = 1e-10   // distance of the hulls, relative to the points, at which they meet
	hullTol   = 2e-15   // violation of the supporting planes, relative to Σ|wⱼ|·extentⱼ, that counts as none
	hullNone  = 0x1p-50 // share of a point, beside all of its class, that is no more than rounding
)

type hullStatus uint8

const (
	hullApart   hullStatus = iota // the nearest points are found
	hullMeet                      // they coincide
	hullLimit                     // cap
	hullStopped                   // by the trace
)

// row returns a copy of sᵢ(xᵢ−c) and keeps the largest norm.
func (h *hulls) row(i int) []float64 {
	r := make([]float64, h.q.Rank())
	h.q.AddRow(r, i, 1)
	h.radius = max(h.radius, linalg.Norm(r))
	for j, v := range r {
		h.extent[j] = max(h.extent[j], math.Abs(v))
	}
	return r
}

// class returns the hull that row i belongs to.
func (h *hulls) class(i int) int {
	if h.q.Sign[i] > 0 && !h.one {
		return 1
	}
	return 0
}

func (h *hulls) skipped(i int) bool { return h.weight != nil && h.weight[i] == 0 }

// start puts into the corral the point of each class that is farthest towards the
// mean of the other.
func (h *hulls) start() {
	n := h.q.Len()
	h.w, h.f, h.extent = make([]float64, h.q.Rank()), make([]float64, n), make([]float64, h.q.Rank())
	share := h.f
	var count [2]float64
	for i := range n {
		if !h.skipped(i) {
			count[h.class(i)]++
		}
	}
	for i := range n {
		if !h.skipped(i) {
			share[i] = 1 / count[h.class(i)]
		}
	}
	h.q.ApplyT(h.w, share)
	h.q.Apply(h.f, h.w)
	for _, i := range h.least() {
		if i >= 0 {
			h.join(i, 1)
		}
	}
	h.combine()
}

// join adds row i to the corral.
func (h *hulls) join(i int, gamma float64) {
	h.corral, h.gamma, h.points = append(h.corral, i), append(h.gamma, gamma), append(h.points, h.row(i))
}

// least returns the row of each class with the smallest f, −1 for a class without rows.
func (h *hulls) least() [2]int {
	best := [2]int{-1, -1}
	for i, f := range h.f {
		if c := h.class(i); !h.skipped(i) && (best[c] < 0 || f < h.f[best[c]]) {
			best[c] = i
		}
	}
	return best
}

// combine sets w from the corral.
func (h *hulls) combine() {
	clear(h.w)
	for k, r := range h.points {
		linalg.Axpy(h.w, h.gamma[k], r)
	}
}

// run finds the nearest points; the error is the trace's.
func (h *hulls) run() (hullStatus, error) {
	h.start()
	for {
		if h.meet() {
			return hullMeet, nil
		}
		h.q.Apply(h.f, h.w)
		before := h.steps
		if !h.enlarge() {
			return hullApart, nil
		}
		if s, err := h.settle(); s != hullApart || h.steps == before {
			return s, err
		}
	}
}

// meet reports whether the nearest points coincide.
func (h *hulls) meet() bool { return linalg.Norm(h.w) <= hullTouch*h.radius }

// levels returns the mean of f over the corral of each class: where its
// supporting plane is. Their sum is ‖w‖².
func (h *hulls) levels() (level [2]float64) {
	for k, r := range h.points {
		level[h.class(h.corral[k])] += h.gamma[k] * linalg.Dot(h.w, r)
	}
	return level
}

// tolerance is the violation of a supporting plane that rounding explains.
func (h *hulls) tolerance() float64 {
	size := 0.0
	for j, v := range h.w {
		size += math.Abs(v) * h.extent[j]
	}
	return hullTol * size
}

// enlarge adds to the working set the rows of each class that are farthest beyond
// its supporting plane, and reports whether there are any.
func (h *hulls) enlarge() bool {
	level, tol := h.levels(), h.tolerance()
	var beyond [2][]int
	for i, f := range h.f {
		if c := h.class(i); f < level[c]-tol && !h.skipped(i) && !slices.Contains(h.corral, i) {
			beyond[c] = append(beyond[c], i)
		}
	}
	for _, rows := range beyond {
		slices.SortFunc(rows, func(a, b int) int { return cmp.Or(cmp.Compare(h.f[a], h.f[b]), a-b) })
		for _, i := range rows[:min(len(rows), hullBatch)] {
			if !slices.Contains(h.work, i) {
				h.work, h.near = append(h.work, i), append(h.near, h.row(i))
			}
		}
	}
	return len(beyond[0])+len(beyond[1]) > 0
}

// settle solves the problem over the working set and the corral.
func (h *hulls) settle() (hullStatus, error) {
	for {
		i, violation := h.pick()
		if i < 0 {
			return hullApart, nil
		}
		if h.trace != nil {
			length := linalg.Norm(h.w)
			if err := h.trace(optimize.Step{Iteration: h.steps, X: h.w, Objective: length,
				Certificate: violation / (length * length)}); err != nil {
				return hullStopped, err
			}
		}
		h.join(i, 0)
		for arrived := false; !arrived; {
			if h.steps == h.limit {
				return hullLimit, nil
			}
			arrived = h.close()
			h.steps++
		}
		if h.meet() {
			return hullMeet, nil
		}
	}
}

// pick returns the row of the working set farthest beyond its supporting plane, or
// −1, and how far.
func (h *hulls) pick() (row int, violation float64) {
	level := h.levels()
	best, most := -1, h.tolerance()
	for k, i := range h.work {
		if v := level[h.class(i)] - linalg.Dot(h.w, h.near[k]); v > most && !slices.Contains(h.corral, i) {
			best, most = i, v
		}
	}
	return best, most
}

// close steps towards the closest points of the corral's affine hulls and reports
// whether it got there; else it has dropped a point.
func (h *hulls) close() bool {
	d, residual := h.direction()
	step, block := 1.0, -1
	for k, v := range d {
		if v < 0 && h.gamma[k] < -v*step {
			step, block = h.gamma[k]/-v, k
		}
	}
	for k, v := range d {
		if h.gamma[k] += step * v; h.gamma[k] < hullNone {
			h.gamma[k] = 0
		}
	}
	if block >= 0 {
		h.corral = slices.Delete(h.corral, block, block+1)
		h.gamma = slices.Delete(h.gamma, block, block+1)
		h.points = slices.Delete(h.points, block, block+1)
	}
	h.normalise()
	if block >= 0 {
		h.combine()
		return false
	}
	h.w = residual
	return true
}

// normalise makes the γ of each class sum to 1 to rounding.
func (h *hulls) normalise() {
	var sum [2]float64
	for k, i := range h.corral {
		sum[h.class(i)] += h.gamma[k]
	}
	for k, i := range h.corral {
		h.gamma[k] /= sum[h.class(i)]
	}
}

// direction returns d with γ + d the affine minimiser, Σ₊d = Σ₋d = 0 and
// ‖w + Σ dₖpₖ‖ least, and that vector. That is least squares in the differences
// from one point of each class, by QR: their inner products would lose twice the
// digits. The vector is w without its part in their span, which is closer to
// orthogonal to them than a sum of long points can be. O(pm²).
func (h *hulls) direction() (d, residual []float64) {
	d, residual = make([]float64, len(h.corral)), slices.Clone(h.w)
	base := h.bases()
	var rest []int
	for k := range h.corral {
		if k != base[0] && k != base[1] {
			rest = append(rest, k)
		}
	}
	if len(rest) == 0 {
		return d, residual
	}
	diff := linalg.Zeros(len(h.w), len(rest))
	for c, k := range rest {
		b := h.points[base[h.class(h.corral[k])]]
		for j, v := range h.points[k] {
			diff.Row(j)[c] = v - b[j]
		}
	}
	qr, err := linalg.NewQR(diff)
	if err != nil {
		return d, residual
	}
	e := make([]float64, len(rest))
	qr.Solve(e, h.w)
	for c, k := range rest {
		d[k] -= e[c]
		d[base[h.class(h.corral[k])]] += e[c]
	}
	for range 2 {
		qr.MulQT(residual)
		clear(residual[:qr.Rank()])
		qr.MulQ(residual)
	}
	return d, residual
}

// bases returns the position in the corral of each class's point with the largest γ.
func (h *hulls) bases() [2]int {
	base := [2]int{-1, -1}
	for k, i := range h.corral {
		if c := h.class(i); base[c] < 0 || h.gamma[k] > h.gamma[base[c]] {
			base[c] = k
		}
	}
	return base
}
