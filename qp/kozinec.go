package qp

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

// Kozinec finds points of the hulls whose distance is within a known fraction of the
// least, by the rule that Kozinec (1973) gave for one hull and Schlesinger extended
// to two (Franc and Hlaváč, Pattern Recognition 36, 2003). It keeps a point u in
// each hull, at first the mean of the group, and w = Σu. The pᵢ of least w·pᵢ, of the
// group in which that is farther below w·u, pulls its u along the straight line to
// the place where w is shortest. O(mp) a step, O(m + p) memory; the number of steps
// grows like 1/Tol and with the square of diameter over distance. MaxIter caps it,
// by default at 10,000.
//
// With M the sum of the least products w·pᵢ of the groups, the hulls are M/‖w‖ apart
// at least and ‖w‖ at most. The certificate is the gap of these relative to ‖w‖,
// 1 − M/‖w‖²; its default Tol is 0.01. Where the hulls meet (Meet), to 1e-10 of the
// largest point, it is their distance relative to that point. The objective is ‖w‖;
// the trace's X is u of the first group, then of the second, or the only u.
//
// Errors: those of [NearestPoints].
func Kozinec(h *Hulls, o *HullOptions) (*Nearest, error) {
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("qp: %w", err)
	}
	progress, err := o.begin(h.Points.Len(), 0.01, 10_000)
	if err != nil {
		return nil, fmt.Errorf("qp: %w", err)
	}
	s := newKozinec(h)
	s.run(progress)
	n := s.nearest(progress.Report())
	if err := failure(h.Points); err != nil {
		return nil, fmt.Errorf("qp: %w", err)
	}
	if err := n.Report.Err(progress.Cause()); err != nil {
		return n, fmt.Errorf("qp: %w", err)
	}
	return n, nil
}

// kozinec is the state of Kozinec's rule.
type kozinec struct {
	*Hulls

	u      [2][]float64 // the point kept in each hull; nil where there is one hull
	gamma  []float64    // the convex weights that make them
	radius float64      // the largest ‖pᵢ‖
	w      []float64    // Σu
	norm   float64      // ‖w‖
	f      []float64    // w·pᵢ
	lowest [2]int       // the point of least f in each group
}

func newKozinec(h *Hulls) *kozinec {
	m, p := h.Points.Len(), h.Points.Rank()
	s := &kozinec{Hulls: h, gamma: make([]float64, m), w: make([]float64, p), f: make([]float64, m)}
	s.lengths(s.f)
	for i, length := range s.f {
		if !s.leftOut(i) {
			s.radius = max(s.radius, length)
		}
	}
	for g, n := range s.count() {
		if n > 0 {
			s.u[g] = s.mean(g, n)
		}
	}
	return s
}

// lengths sets dst to ‖pᵢ‖: of the rows of a [Matrix] from their stored values, of other points in O(mp).
func (s *kozinec) lengths(dst []float64) {
	if q, ok := s.Points.(Matrix); ok {
		q.Diag(dst)
		for i, square := range dst {
			dst[i] = math.Sqrt(square)
		}
		return
	}
	for i := range dst {
		clear(s.w)
		s.Points.AddRow(s.w, i, 1)
		dst[i] = linalg.Norm(s.w)
	}
}

// mean returns the mean of a group of n points, which get equal weights.
func (s *kozinec) mean(group int, n float64) []float64 {
	member := make([]float64, len(s.gamma))
	for i := range member {
		if !s.leftOut(i) && s.group(i) == group {
			member[i], s.gamma[i] = 1, 1/n
		}
	}
	mean := make([]float64, len(s.w))
	s.Points.ApplyT(mean, member)
	linalg.Scale(mean, 1/n)
	return mean
}

// run makes steps until the certificate holds or the points coincide.
func (s *kozinec) run(progress *optimize.Progress) {
	gap := s.measure()
	for !progress.Done(slices.Concat(s.u[1], s.u[0]), s.norm, gap, 0) {
		if s.coincide() || !s.step() {
			progress.Stuck()
			return
		}
		gap = s.measure()
	}
}

func (s *kozinec) coincide() bool { return s.norm <= touching*s.radius }

// measure sets w, its norm, f and lowest from u and returns the gap.
func (s *kozinec) measure() float64 {
	clear(s.w)
	for _, u := range s.u {
		if u != nil {
			linalg.Axpy(s.w, 1, u)
		}
	}
	s.norm = linalg.Norm(s.w)
	s.Points.Apply(s.f, s.w)
	s.lowest = s.Hulls.lowest(s.f)
	if s.norm == 0 {
		return 1
	}
	reach := s.reach(s.f)
	return math.Max(0, 1-(reach[0]+reach[1])/s.norm/s.norm)
}

// step moves the u whose group has the point farther below it. It reports whether
// anything moved.
func (s *kozinec) step() bool {
	g, farthest := 0, math.Inf(-1)
	for c, u := range s.u {
		if u == nil {
			continue
		}
		if below := linalg.Dot(s.w, u) - s.f[s.lowest[c]]; below >= farthest {
			g, farthest = c, below
		}
	}
	u, i := s.u[g], s.lowest[g]
	d := make([]float64, len(u)) // from u to the point
	s.Points.AddRow(d, i, 1)
	linalg.Axpy(d, -1, u)
	size := linalg.Norm(d)
	if size == 0 {
		return false
	}
	k := math.Min(1, -linalg.Dot(s.w, d)/size/size) // w + k·d is shortest
	if !(k > 0) {
		return false
	}
	linalg.Axpy(u, k, d)
	for m := range s.gamma {
		if s.group(m) == g {
			s.gamma[m] *= 1 - k
		}
	}
	s.gamma[i] += k
	return true
}

// combination returns the points of positive weight, and the weights.
func (s *kozinec) combination() (points []int, weights []float64) {
	for i, v := range s.gamma {
		if v > 0 {
			points, weights = append(points, i), append(weights, v)
		}
	}
	return points, weights
}

// nearest states the points at which the steps ended, as r says.
func (s *kozinec) nearest(r optimize.Report) *Nearest {
	points, weights := s.combination()
	if ended := r.Status() == optimize.Stopped || r.Status() == optimize.NotFinite; s.coincide() && !ended {
		return s.coincident(points, weights, s.radius, r)
	}
	n := s.apart(points, weights, s.w, s.f, s.radius)
	n.Report = r
	return n
}
