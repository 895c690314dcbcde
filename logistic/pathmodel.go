package logistic

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/optimize/penalty"
)

// narrowed returns the working set's values.
func (s *stretch) narrowed(v []float64) []float64 {
	x := make([]float64, len(s.set))
	for i, j := range s.set {
		x[i] = v[j]
	}
	return x
}

// widen sets the working set's values of theta to z.
func (s *stretch) widen(theta, z []float64) {
	for i, j := range s.set {
		theta[j] = z[i]
	}
}

// exchange makes h the Hessian.
func (s *stretch) exchange(h *linalg.Dense) {
	if s.h != nil {
		s.f.put(s.h)
	}
	s.h = h
}

// grow makes the Hessian one on the working set, at the point of the last bend so
// that it stays positive semidefinite, and reports whether that is small enough.
func (s *stretch) grow() bool {
	n, old := len(s.set), 0
	if n > widestSet {
		return false
	}
	if s.h != nil {
		old = s.h.Rows
	}
	if old == n {
		return true
	}
	if n > 2*old {
		s.bend(s.last().theta)
		return true
	}
	h := s.f.take(n, n)
	for i := range old {
		copy(h.Row(i), s.h.Row(i))
	}
	s.f.hessian(&linalg.Dense{Rows: n - old, Cols: n, Stride: n, Data: h.Data[old*n:]}, all(n)[old:], all(n))
	linalg.Symmetrize(h)
	s.exchange(h)
	return true
}

// bend makes the Hessian at theta.
func (s *stretch) bend(theta []float64) {
	n := len(s.set)
	s.f.bend(s.narrowed(theta))
	s.exchange(s.f.take(n, n))
	s.f.hessian(s.h, all(n), nil)
	s.bentSum, s.overrun = sum(s.f.v), 0
}

// between returns, in h, the Hessian kept as it is changed by what is seen between
// two fits, divided by the scale c that the given sum of curvatures has beside its
// own; the Hessian kept and 1 where nothing is seen.
func (s *stretch) between(h *linalg.Dense, a, b *try, curvature float64) (over *linalg.Dense, c float64) {
	n := len(s.set)
	d, y, hd := make([]float64, n), make([]float64, n), make([]float64, n)
	c = curvature / s.bentSum
	for i, j := range s.set {
		y[i] = (b.g[j] - a.g[j]) / c
		if d[i] = b.theta[j] - a.theta[j]; d[i] != 0 {
			linalg.Axpy(hd, d[i], s.h.Row(i))
		}
	}
	dy, dhd := linalg.Dot(d, y), linalg.Dot(d, hd)
	if !(dy > 0 && dhd > 0 && c > 0) {
		return s.h, 1
	}
	for i := range n {
		row := h.Row(i)
		copy(row, s.h.Row(i))
		linalg.Axpy(row, -hd[i]/dhd, hd)
		linalg.Axpy(row, y[i]/dy, y)
	}
	return h, c
}

// foresee returns tries for the given λ: at the middle and the last of them the
// minimisers of the model at the last fit, the others on the lines between.
func (s *stretch) foresee(lambdas []float64) []*try {
	tries := make([]*try, len(lambdas))
	for i, l := range lambdas {
		tries[i] = &try{lambda: l, theta: s.vector(), g: s.vector(), r: s.residuals.Row(i)}
	}
	last, before, h, c := s.last(), s.last(), s.h, 1.0
	if n := len(s.past); n > 1 {
		before = s.past[n-2]
		scratch := s.f.take(len(s.set), len(s.set))
		defer s.f.put(scratch)
		h, c = s.between(scratch, before, last, last.curvature)
	}
	end := len(tries) - 1
	anchors := slices.Compact([]int{end / 2, end})
	at, came := s.narrowed(last.theta), s.narrowed(before.theta)
	linalg.For(len(anchors), 1, s.workers, func(lo, _ int) {
		t := tries[anchors[lo]]
		start := foretell(at, came, t.lambda, last.lambda, before.lambda)
		copy(t.theta, last.theta)
		s.widen(t.theta, s.model(h, c, last, start, t.lambda, s.residual(last, t.lambda)/50))
	})
	from, next := last, 0
	for _, end := range anchors {
		for ; next < end; next++ {
			from.toward(tries[next].theta, tries[end], tries[next].lambda)
		}
		from, next = tries[end], end+1
	}
	return tries
}

// toward sets theta to the point for λ on the line to another fit.
func (t *try) toward(theta []float64, to *try, lambda float64) {
	copy(theta, t.theta)
	if lambda < t.lambda*(1-0x1p-48) { // at λmax, but for rounding, and above all stay 0
		part := (t.lambda - lambda) / (t.lambda - to.lambda)
		for j, v := range to.theta {
			theta[j] += part * (v - theta[j])
		}
	}
}

// residual returns what the certificate of a fit would be at another λ, as far as
// the working set goes.
func (s *stretch) residual(t *try, lambda float64) float64 {
	pen, worst := s.elasticNet(lambda, s.o.L1Ratio), 0.0
	for _, j := range s.set {
		worst = max(worst, math.Abs(pen.ResidualAt(j, t.g[j], t.theta[j]))/s.scale[j])
	}
	return worst
}

// model returns the minimiser on the working set, from start, of the penalised
// quadratic with Hessian c·h at a fit.
func (s *stretch) model(h *linalg.Dense, c float64, t *try, start []float64, lambda, tol float64) []float64 {
	b := s.narrowed(t.g)
	linalg.Scale(b, -1/c)
	pen := penalty.ElasticNet{Lambda: lambda / c, L1Ratio: s.o.L1Ratio, Factors: s.narrowed(s.factors)}
	z, _, _ := optimize.CoordinateDescent(&optimize.Quadratic{A: h, B: b, At: s.narrowed(t.theta)}, start, pen,
		&optimize.Control{Tol: max(s.tol/10, tol) / c, MaxIter: 1000, Scale: s.narrowed(s.scale)})
	if z == nil {
		return start
	}
	return z
}

// correct moves the open ones of the tries to the minimisers of their models.
func (s *stretch) correct(tries, open []*try) {
	if len(open) == 0 {
		return
	}
	s.renew(open)
	next := make([][]float64, len(open))
	var taken []*linalg.Dense
	linalg.Reduce(len(open), 1, s.workers,
		func() *linalg.Dense {
			h := s.f.take(len(s.set), len(s.set))
			taken = append(taken, h)
			return h
		},
		func(h *linalg.Dense, k, _ int) {
			t, i := open[k], slices.Index(tries, open[k])
			before, after := s.last(), tries[min(i+1, len(tries)-1)]
			if i > 0 {
				before = tries[i-1]
			}
			over, c := s.between(h, before, after, t.curvature)
			next[k] = s.model(over, c, t, s.narrowed(t.theta), t.lambda, t.cert/50)
		},
		func(*linalg.Dense) {})
	s.f.put(taken...)
	for i, t := range open {
		s.widen(t.theta, next[i])
	}
}

// renew makes the Hessian anew, in the middle of the open tries, when corrections
// beyond the first have cost as much. What they cost is what was measured, for
// coordinate descent waits for memory.
func (s *stretch) renew(open []*try) {
	n, rows := float64(len(s.set)), float64(s.n)
	for _, t := range open {
		if t.rounds > 1 {
			s.overrun += 2*n*rows + 40*n*n
		}
	}
	if s.overrun > n*n*rows/2 {
		s.bend(open[len(open)/2].theta)
	}
}
