package qp

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

// NearestPoints finds the nearest points of the hulls,
//
//	min ‖Σ γᵢpᵢ‖  subject to  Σγ = 1 over each group,  γ ≥ 0,
//
// by Wolfe's algorithm (Math. Programming 11, 1976) with one affine constraint a
// group: a corral of points whose γ is positive, the closest points of their affine
// hulls, a step towards them that drops points as γ reaches 0, and then the point
// beyond the supporting plane that is farthest from it. Points join from a small
// working set while that has any; all points are looked at, by one product, only
// when it has none. O(mp) a round, a few rounds as a rule, and O(pk) a step for k
// points in the corral. MaxIter caps the steps, by default at 10,000 + 100·p.
//
// Of sparse rows of more than 200 columns, the rows of a [Linear], thousands can carry the
// solution. There Wolfe's algorithm ends early where points become many, and the weights are the multipliers of a soft
// margin with prices of slack that none reaches, by the augmented Lagrangian, whose steps MaxIter caps instead. It goes on to
// smaller gaps until the certificate holds. Where multipliers reach every price, as those of hulls that meet do, or no gap
// is small enough, Wolfe's algorithm follows to its end if its steps are affordable; else the points have not converged.
//
// The points are found to rounding, whatever Tol is. With w the difference and M the
// sum of the least products w·pᵢ of the groups, the hulls are M/‖w‖ apart at least
// and ‖Σγp‖ at most, so that M²/‖w‖² ≤ min ‖Σγp‖² ≤ ‖Σγp‖². The certificate is the gap
// of these squares relative to ‖w‖²,
//
//	1 − M²/‖w‖⁴ + |‖Σγp‖² − ‖w‖²|/‖w‖²,
//
// the last term bounded from the published numbers, and 1 for M ≤ 0; its default Tol
// is 1e-8. By prices w is the normal of the plane, of the length ‖Σγp‖, and the last term is
// rounding. Where the hulls meet (Meet), to 1e-10 of the largest point, it is their
// distance relative to that point. The objective is ‖w‖.
//
// Errors: *[linalg.ShapeError], *[sample.OptionError], those of the storage; with
// [optimize.ErrNotConverged] the points are not nil.
func NearestPoints(h *Hulls, o *HullOptions) (*Nearest, error) {
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("qp: %w", err)
	}
	progress, err := o.begin(h.Points.Len(), defaultTol, 10_000+100*h.Points.Rank())
	if err != nil {
		return nil, fmt.Errorf("qp: %w", err)
	}
	if n, err := h.priced(o, progress.Report().Certificate().Tol); err != nil {
		return n, fmt.Errorf("qp: %w", err)
	} else if n != nil {
		return n, nil
	}
	s := &wolfe{Hulls: h, progress: progress}
	progress.End(s.run())
	n := s.nearest()
	if err := failure(h.Points); err != nil {
		return nil, fmt.Errorf("qp: %w", err)
	}
	if err := n.Report.Err(progress.Cause()); err != nil {
		return n, fmt.Errorf("qp: %w", err)
	}
	return n, nil
}

const (
	hullBatch = 24      // points of each group that join the working set at a time
	hullTol   = 2e-15   // violation of the supporting planes, relative to Σ|wⱼ|·extentⱼ, that counts as none
	hullNone  = 0x1p-50 // share of a point, beside all of its group, that is no more than rounding
	ofStep    = 4       // multiplications for each value of the corral
)

// wolfe is the state of Wolfe's algorithm.
type wolfe struct {
	*Hulls
	progress *optimize.Progress

	corral []int       // points with γ > 0
	gamma  []float64   // their γ
	points [][]float64 // their pᵢ
	w      []float64   // Σ γᵢpᵢ
	f      []float64   // w·pᵢ for all points
	work   []int       // points to choose from
	near   [][]float64 // their pᵢ
	radius float64     // largest ‖pᵢ‖ among the points met
	extent []float64   // largest |pᵢⱼ| among them

	qr     growingQR // of the corral's differences from the base of their group
	base   [2]int    // position in the corral of each group's base, −1 without one
	spans  []bool    // by position: the difference is a column of qr
	leaves int       // points that can leave until qr is made anew

	enough     func() bool // asked after each look at all points; nil: never
	multiplied float64     // how often, about, by steps
}

// point returns a copy of pᵢ and keeps the largest norm and extent.
func (s *wolfe) point(i int) []float64 {
	r := make([]float64, s.Points.Rank())
	s.Points.AddRow(r, i, 1)
	s.radius = max(s.radius, linalg.Norm(r))
	for j, v := range r {
		s.extent[j] = max(s.extent[j], math.Abs(v))
	}
	return r
}

// start puts into the corral the point of each group that is farthest towards the
// mean of the other.
func (s *wolfe) start() {
	n, p := s.Points.Len(), s.Points.Rank()
	s.w, s.f, s.extent = make([]float64, p), make([]float64, n), make([]float64, p)
	count := s.count()
	for i := range n {
		if !s.leftOut(i) {
			s.f[i] = 1 / count[s.group(i)]
		}
	}
	s.Points.ApplyT(s.w, s.f)
	s.Points.Apply(s.f, s.w)
	for _, i := range s.lowest(s.f) {
		if i >= 0 {
			s.join(i, 1)
		}
	}
	s.w = s.combination()
}

// join adds point i to the corral.
func (s *wolfe) join(i int, gamma float64) {
	s.corral, s.gamma, s.points = append(s.corral, i), append(s.gamma, gamma), append(s.points, s.point(i))
	if s.leaves > 0 {
		s.span(len(s.corral) - 1)
	}
}

// combination returns Σ γᵢpᵢ.
func (s *wolfe) combination() []float64 {
	sum := make([]float64, s.Points.Rank())
	for k, p := range s.points {
		linalg.Axpy(sum, s.gamma[k], p)
	}
	return sum
}

// run moves to the nearest points and returns how the steps ended.
func (s *wolfe) run() optimize.Status {
	s.start()
	for !s.coincide() {
		s.Points.Apply(s.f, s.w)
		if s.enough != nil && s.enough() {
			return optimize.Stopped
		}
		before := s.progress.Report().Iterations()
		if !s.extendWork() {
			break
		}
		if status := s.exhaustWork(); status != optimize.Converged || s.progress.Report().Iterations() == before {
			return status
		}
	}
	return optimize.Converged
}

// coincide reports whether the nearest points do.
func (s *wolfe) coincide() bool { return linalg.Norm(s.w) <= touching*s.radius }

// levels returns the mean of f over the corral of each group: where its supporting
// plane is. Their sum is ‖w‖².
func (s *wolfe) levels() (level [2]float64) {
	for k, p := range s.points {
		level[s.group(s.corral[k])] += s.gamma[k] * linalg.Dot(s.w, p)
	}
	return level
}

// tolerance is the violation of a supporting plane that rounding explains.
func (s *wolfe) tolerance() float64 {
	size := 0.0
	for j, v := range s.w {
		size += math.Abs(v) * s.extent[j]
	}
	return hullTol * size
}

// extendWork adds to the working set the points of each group that are farthest
// beyond its supporting plane, and reports whether there are any.
func (s *wolfe) extendWork() bool {
	level, tol := s.levels(), s.tolerance()
	var beyond [2][]int
	for i, f := range s.f {
		if g := s.group(i); f < level[g]-tol && s.below(beyond[g], f) && !s.leftOut(i) && !slices.Contains(s.corral, i) {
			beyond[g] = s.insert(beyond[g], i)
		}
	}
	for _, points := range beyond {
		for _, i := range points {
			if !slices.Contains(s.work, i) {
				s.work, s.near = append(s.work, i), append(s.near, s.point(i))
			}
		}
	}
	return len(beyond[0])+len(beyond[1]) > 0
}

// below reports whether a point with w·p = f belongs to the hullBatch least, given those so far.
func (s *wolfe) below(least []int, f float64) bool {
	return len(least) < hullBatch || f < s.f[least[len(least)-1]]
}

// insert puts point i among the hullBatch least so far, which ascend by w·p and then by their index, as i comes.
func (s *wolfe) insert(least []int, i int) []int {
	at, _ := slices.BinarySearchFunc(least, s.f[i], func(k int, f float64) int {
		if s.f[k] <= f {
			return -1
		}
		return 1
	})
	return slices.Insert(least[:min(len(least), hullBatch-1)], at, i)
}

// exhaustWork solves the problem over the working set and the corral.
func (s *wolfe) exhaustWork() optimize.Status {
	for {
		i, violation := s.farthest()
		if i < 0 {
			return optimize.Converged
		}
		length := linalg.Norm(s.w)
		if s.progress.Show(s.w, length, violation/(length*length), 0) {
			return optimize.Stopped
		}
		s.join(i, 0)
		for arrived := false; !arrived; {
			if s.progress.Spent() {
				return optimize.MaxIterations
			}
			s.multiplied += float64(s.Points.Rank() * (ofStep*len(s.corral) + len(s.work)))
			arrived = s.approach()
			s.progress.Count()
		}
		if s.coincide() {
			return optimize.Converged
		}
	}
}

// farthest returns the point of the working set farthest beyond its supporting
// plane, or −1, and how far.
func (s *wolfe) farthest() (point int, violation float64) {
	level := s.levels()
	point, violation = -1, s.tolerance()
	for k, i := range s.work {
		if v := level[s.group(i)] - linalg.Dot(s.w, s.near[k]); v > violation && !slices.Contains(s.corral, i) {
			point, violation = i, v
		}
	}
	return point, violation
}

// approach steps towards the closest points of the corral's affine hulls and
// reports whether it got there; else it has dropped a point.
func (s *wolfe) approach() bool {
	d, residual := s.direction()
	step, blocking := 1.0, -1
	for k, v := range d {
		if v < 0 && s.gamma[k] < -v*step {
			step, blocking = s.gamma[k]/-v, k
		}
	}
	for k, v := range d {
		if s.gamma[k] += step * v; s.gamma[k] < hullNone {
			s.gamma[k] = 0
		}
	}
	if blocking >= 0 {
		s.leave(blocking)
	}
	s.normalize()
	if blocking >= 0 {
		s.w = s.combination()
		return false
	}
	s.w = residual
	return true
}

// normalize makes the γ of each group sum to 1 to rounding.
func (s *wolfe) normalize() {
	var sum [2]float64
	for k, i := range s.corral {
		sum[s.group(i)] += s.gamma[k]
	}
	for k, i := range s.corral {
		s.gamma[k] /= sum[s.group(i)]
	}
}

// direction returns d with γ + d the affine minimiser, Σd = 0 over each group and
// ‖w + Σ dₖpₖ‖ least, and that vector. That is least squares in the differences from
// one point of each group, by QR: their inner products would lose twice the digits.
// The vector is w without its part in their span, which is closer to orthogonal to
// them than a sum of long points can be.
func (s *wolfe) direction() (d, residual []float64) {
	if s.leaves <= 0 {
		s.factor()
	}
	d, residual = make([]float64, len(s.corral)), linalg.Clone(s.w)
	e := s.qr.leastSquares(s.w)
	for k, spans := range s.spans {
		if spans {
			d[k] -= e[0]
			d[s.base[s.group(s.corral[k])]] += e[0]
			e = e[1:]
		}
	}
	s.qr.project(residual)
	return d, residual
}

// factor factors the differences of the corral from the point of each group with the
// largest γ. O(pk²), once for about as many points that leave: each adds to rounding.
func (s *wolfe) factor() {
	s.qr, s.spans, s.base, s.leaves = growingQR{}, s.spans[:0], s.bases(), max(8, len(s.corral))
	for k := range s.corral {
		s.span(k)
	}
}

// span adds to the factorisation the difference of the point at position k, which follows
// those that it has. It leaves out one that depends on them, until the next point leaves.
func (s *wolfe) span(k int) {
	base := s.base[s.group(s.corral[k])]
	spans := k != base
	if spans {
		diff := linalg.Clone(s.points[k])
		linalg.Axpy(diff, -1, s.points[base])
		if spans = s.qr.add(diff); !spans {
			s.leaves = 1
		}
	}
	s.spans = append(s.spans, spans)
}

// leave takes the point at position k out of the corral, and out of the factorisation if
// that goes on without it.
func (s *wolfe) leave(k int) {
	if s.leaves--; k == s.base[0] || k == s.base[1] {
		s.leaves = 0
	}
	if s.leaves > 0 {
		column := 0
		for _, spans := range s.spans[:k] {
			if spans {
				column++
			}
		}
		s.qr.drop(column)
	}
	for g, base := range s.base {
		if base > k {
			s.base[g]--
		}
	}
	s.spans = slices.Delete(s.spans, k, k+1)
	s.corral = slices.Delete(s.corral, k, k+1)
	s.gamma = slices.Delete(s.gamma, k, k+1)
	s.points = slices.Delete(s.points, k, k+1)
}

// bases returns the position in the corral of each group's point with the largest γ.
func (s *wolfe) bases() [2]int {
	base := [2]int{-1, -1}
	for k, i := range s.corral {
		if g := s.group(i); base[g] < 0 || s.gamma[k] > s.gamma[base[g]] {
			base[g] = k
		}
	}
	return base
}

// nearest states the points at which the steps ended.
func (s *wolfe) nearest() *Nearest {
	order := make([]int, 0, len(s.corral))
	for k := range s.corral {
		if s.gamma[k] > 0 {
			order = append(order, k)
		}
	}
	linalg.SortFunc(order, func(a, b int) int { return s.corral[a] - s.corral[b] })
	points, weights := make([]int, len(order)), make([]float64, len(order))
	for k, at := range order {
		points[k], weights[k] = s.corral[at], s.gamma[at]
	}
	report := s.progress.Report()
	if report.Status() == optimize.Converged && s.coincide() {
		return s.coincident(points, weights, s.radius, report)
	}
	s.Points.Apply(s.f, s.w)
	n := s.apart(points, weights, s.w, s.f, s.radius)
	square := linalg.Dot(s.w, s.w)
	n.certify(report, square, s.mismatch()/square)
	return n
}

// mismatch bounds | ‖Σ γᵢpᵢ‖² − ‖w‖² |: w is orthogonal to the corral as the sum of γ
// that were rounded is not, and that sum is known no better than to the rounding of
// its terms.
func (s *wolfe) mismatch() float64 {
	sum, bound := s.combination(), 0.0
	for j, v := range s.w {
		terms := 0.0
		for k, p := range s.points {
			terms += s.gamma[k] * math.Abs(p[j])
		}
		d := math.Abs(sum[j]-v) + 0x1p-53*terms
		bound += d * (2*math.Abs(v) + d)
	}
	return bound
}
