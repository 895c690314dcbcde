package logistic

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/optimize/penalty"
)

// stretch walks a two-class path by stretches of several λ that share their
// passes over the rows.
//
// At the ends a and b of a stretch it has the Hessian on a working set; in
// between H is taken to be linear in λ, which leaves an error of second order in
// the length of the stretch. The quadratic model with that Hessian foretells the
// solutions. One pass then makes the exact gradients at all of them, each is
// corrected by the minimum of its model with the exact gradient, and so on until
// the certificate, which looks at all features, holds everywhere. Features enter
// the working set by the strong rule (Tibshirani et al., J. R. Stat. Soc. B 74,
// 2012) or when the certificate finds them.
type stretch struct {
	*pathWalk
	b   *binary
	set []int // working set, in the order in which coordinates came
	in  []bool

	slack float64 // how far the gradients of discarded features may rise, per unit of λ

	narrow *linalg.Dense // the working set's columns, if they are few beside p

	// The end a, then b: a point, its gradient, and the rows' curvatures at the
	// point nearby at which the Hessian was made.
	lambda float64
	theta  []float64
	g      []float64
	ha, hb *linalg.Dense
	va, vb []float64
}

const (
	stretchLength = 8   // λ in a stretch at most: a tile of the products' kernel
	stretchRatio  = 0.4 // least ratio of the λ at its ends
	stretchRounds = 12  // corrections before a λ is left to the general solver
	widestSet     = 3000
)

// try is the state of one λ of a stretch.
type try struct {
	lambda, t     float64 // t: how far from a to b
	theta, g      []float64
	value         float64 // of the likelihood
	cert          float64
	rounds        int
	done, refused bool
}

func newStretch(w *pathWalk) *stretch {
	b := w.f.SubHessian.(*binary)
	s := &stretch{pathWalk: w, b: b, in: make([]bool, len(w.null)), theta: w.null, g: w.g}
	s.lambda = w.elasticNet(1, w.o.L1Ratio).LambdaMax(w.g)
	return s
}

// walk fits the λ from the k-th on and returns how many it did: fewer than all
// if the working set grows beyond bounds, or a λ needs the general solver.
func (s *stretch) walk() (done int, end bool, err error) {
	for done < len(s.lambdas) {
		size := 1
		for size < stretchLength && done+size < len(s.lambdas) && s.lambdas[done+size] >= stretchRatio*min(s.lambda, s.lambdas[done]) {
			size++
		}
		tries, ok := s.solve(s.lambdas[done : done+size])
		for _, t := range tries {
			if t.refused {
				return done, false, nil
			}
			end, err := s.add(t.lambda, t.theta, s.report(t))
			done++
			if end || err != nil {
				return done, true, err
			}
		}
		if !ok {
			return done, false, nil
		}
		last := tries[len(tries)-1]
		s.lambda, s.theta, s.g = last.lambda, last.theta, last.g
		s.ha, s.va = s.hb, s.vb
	}
	return done, true, nil
}

func (s *stretch) report(t *try) optimize.Report {
	return optimize.Report{Status: optimize.Converged, Iterations: t.rounds,
		Objective:   t.value + s.elasticNet(t.lambda, s.o.L1Ratio).Value(t.theta),
		Certificate: optimize.Certificate{Kind: "kkt", Value: t.cert, Tol: s.tol}}
}

// solve fits the given λ; ok is false if the working set is too large.
func (s *stretch) solve(lambdas []float64) (tries []*try, ok bool) {
	last := lambdas[len(lambdas)-1]
	if s.join(s.strong(last)) {
		s.gatherNarrow()
	}
	if len(s.set) > widestSet {
		return nil, false
	}
	s.extend()
	b := &try{lambda: last, t: 1}
	b.theta = s.model(s.theta, s.g, s.ha, last, 0.1)
	b.g = make([]float64, len(s.theta))
	s.evaluate([]*try{b})
	s.vb = slices.Clone(s.b.curvature(b.theta))
	s.hb = s.hessian(s.vb)
	for _, l := range lambdas {
		t := &try{lambda: l, t: 1, g: make([]float64, len(s.theta))}
		if s.lambda > last {
			t.t = (s.lambda - l) / (s.lambda - last)
		}
		tries = append(tries, t)
	}
	linalg.For(len(tries), 1, s.workers, func(lo, _ int) {
		t := tries[lo]
		// The mean Hessian on the way from the nearer end.
		if t.t <= 0.5 {
			t.theta = s.model(s.theta, s.g, s.between(t.t/2), t.lambda, 0.01)
		} else {
			t.theta = s.model(b.theta, b.g, s.between((1+t.t)/2), t.lambda, 0.01)
		}
	})
	s.correct(tries)
	return tries, true
}

// correct improves the tries until all certificates hold.
func (s *stretch) correct(tries []*try) {
	for {
		var open []*try
		for _, t := range tries {
			if !t.done && !t.refused {
				open = append(open, t)
			}
		}
		if len(open) == 0 {
			return
		}
		s.evaluate(open)
		var entering []int
		for _, t := range open {
			before := t.cert
			pen := s.elasticNet(t.lambda, s.o.L1Ratio)
			t.cert = s.certify(t, pen, &entering)
			t.done = t.cert <= s.tol
			t.refused = !t.done && (t.rounds == stretchRounds || t.rounds > 2 && !(t.cert < before) || t.cert != t.cert)
			t.rounds++
		}
		if s.join(entering) {
			if len(s.set) > widestSet {
				for _, t := range open {
					t.refused = t.refused || !t.done
				}
				return
			}
			s.gatherNarrow()
			s.extend()
		}
		linalg.For(len(open), 1, s.workers, func(lo, _ int) {
			if t := open[lo]; !t.done && !t.refused {
				t.theta = s.model(t.theta, t.g, s.between(t.t), t.lambda, 1e-3*t.cert)
			}
		})
	}
}

// certify returns the certificate of a try and collects the coordinates outside
// the working set that the penalty does not hold.
func (s *stretch) certify(t *try, pen penalty.ElasticNet, entering *[]int) float64 {
	worst := 0.0
	for j, g := range t.g {
		r := math.Abs(pen.ResidualAt(j, g, t.theta[j])) / s.scale[j]
		if r > worst || r != r {
			worst = r
		}
		if r > s.tol && !s.in[j] {
			*entering = append(*entering, j)
		}
	}
	return worst
}

// strong returns the coordinates that may move before the given λ is reached.
func (s *stretch) strong(last float64) []int {
	var set []int
	floor := last - s.slack*(s.lambda-last)
	first, top := s.design.intercept, 0.0
	for j, g := range s.g {
		l1, _ := s.elasticNet(1, s.o.L1Ratio).Weights(j)
		if s.factors[j] == 0 || s.theta[j] != 0 || l1 == 0 || math.Abs(g) >= l1*floor {
			set = append(set, j)
		}
		if j >= s.design.intercept && math.Abs(g) > top {
			first, top = j, math.Abs(g)
		}
	}
	if len(set) == s.design.intercept {
		set = append(set, first) // a design has a column
	}
	return set
}

// join adds coordinates to the working set and reports whether any were new.
func (s *stretch) join(set []int) bool {
	old := len(s.set)
	for _, j := range set {
		if !s.in[j] {
			s.in[j] = true
			s.set = append(s.set, j)
		}
	}
	if len(s.set) == old {
		return false
	}
	return true
}

// few reports whether the working set is worth a copy of its columns.
func (s *stretch) few() bool { return 2*len(s.set) <= s.p }

// gatherNarrow copies the columns of the working set if they are few.
func (s *stretch) gatherNarrow() {
	if s.narrow = nil; !s.few() {
		return
	}
	s.narrow = linalg.Zeros(s.n, len(s.set))
	linalg.For(s.n, blockRows, s.workers, func(lo, hi int) {
		for ; lo < hi; lo += blockRows {
			end := min(lo+blockRows, hi)
			rows := s.gather(s.narrow.RowRange(lo, end), lo, end, s.set)
			if !s.asIs {
				continue
			}
			for m, j := range s.set {
				if u := s.unitOf(j); u != 1 {
					for i := range rows.Rows {
						rows.Data[i*rows.Stride+m] /= u
					}
				}
			}
		}
	})
}

// extend brings the Hessians to the working set, at the points for which they
// were made.
func (s *stretch) extend() {
	if s.va == nil {
		s.va = slices.Clone(s.b.curvature(s.theta))
	}
	s.ha = s.grow(s.ha, s.va)
	if s.hb != nil {
		s.hb = s.grow(s.hb, s.vb)
	}
}

func (s *stretch) grow(h *linalg.Dense, v []float64) *linalg.Dense {
	if h == nil {
		return s.hessian(v)
	}
	n := len(s.set)
	if h.Rows == n {
		return h
	}
	old := h.Rows
	wide := linalg.Zeros(n, n)
	for i := range old {
		copy(wide.Row(i), h.Row(i))
	}
	added := &linalg.Dense{Rows: n - old, Cols: n, Stride: n, Data: wide.Data[old*n:]}
	s.subGram(added, v, s.set[old:], s.set)
	linalg.Symmetrize(wide)
	return wide
}

// hessian returns the Hessian on the working set for the rows' curvatures v.
func (s *stretch) hessian(v []float64) *linalg.Dense {
	h := linalg.Zeros(len(s.set), len(s.set))
	s.subGram(h, v, s.set, nil)
	return h
}

// between returns the Hessian that lies t of the way from a to b.
func (s *stretch) between(t float64) *linalg.Dense {
	h := s.ha.Clone()
	linalg.Scale(h.Data, 1-t)
	linalg.Axpy(h.Data, t, s.hb.Data)
	return h
}

// model returns the minimiser of the penalised quadratic with the gradient g and
// the Hessian h at theta; the coordinates outside the working set stay.
func (s *stretch) model(theta, g []float64, h *linalg.Dense, lambda, tol float64) []float64 {
	n := len(s.set)
	at, b, c := make([]float64, n), make([]float64, n), &optimize.Control{Tol: max(s.tol/10, tol*0.1), MaxIter: 1000, Scale: make([]float64, n)}
	factors := make([]float64, n)
	for i, j := range s.set {
		at[i], c.Scale[i], factors[i] = theta[j], s.scale[j], s.factors[j]
	}
	linalg.MulVec(b, h, at, 1)
	for i, j := range s.set {
		b[i] -= g[j]
	}
	z, _, _ := optimize.CoordinateDescent(&optimize.Quadratic{A: h, B: b}, at, penalty.ElasticNet{Lambda: lambda, L1Ratio: s.o.L1Ratio, Factors: factors}, c)
	next := slices.Clone(theta)
	for i, j := range s.set {
		if z != nil {
			next[j] = z[i]
		}
	}
	return next
}

// batchSums is what one goroutine sums over a chunk of rows, for several points.
type batchSums struct {
	values  []float64
	g, f, r *linalg.Dense // gradients by slopes; scores and residuals of a block, by point
	byRow   *linalg.Dense
	buf     []float64
	window  linalg.Dense
}

// evaluate sets value and gradient of each try at its theta, in one pass.
func (s *stretch) evaluate(tries []*try) {
	m, k := len(tries), s.design.intercept
	slopes, b0 := linalg.Zeros(m, s.p), make([]float64, m)
	few := linalg.Zeros(m, len(s.set))
	for i, t := range tries {
		b0[i] = s.slopes(slopes.Row(i), t.theta)
		for a, j := range s.set {
			if j >= k {
				few.Set(i, a, t.theta[j])
			}
		}
		t.value = 0
		clear(t.g)
	}
	linalg.Reduce(s.n, s.chunk(m), s.workers,
		func() *batchSums {
			return &batchSums{values: make([]float64, m), g: linalg.Zeros(m, s.dim()), f: linalg.Zeros(m, blockRows), r: linalg.Zeros(m, blockRows), byRow: linalg.Zeros(blockRows, m), buf: s.buffer()}
		},
		func(q *batchSums, lo, hi int) {
			clear(q.values)
			clear(q.g.Data)
			for ; lo < hi; lo += blockRows {
				end := min(lo+blockRows, hi)
				x := s.block(&q.window, q.buf, lo, end)
				f, r := firstColumns(q.f, end-lo), firstColumns(q.r, end-lo)
				byRow := q.byRow.RowRange(0, end-lo)
				clear(byRow.Data)
				if s.narrow != nil {
					linalg.MulBTAdd(byRow, 1, s.narrow.RowRange(lo, end), few)
				} else {
					linalg.MulBTAdd(byRow, 1, x, slopes)
				}
				s.start(f, byRow, b0, lo)
				for i := range m {
					q.values[i] += s.b.rowLosses(r.Row(i), nil, f.Row(i), lo, end)
					if k == 1 {
						q.g.Data[i*q.g.Stride] += sum(r.Row(i))
					}
				}
				linalg.MulAdd(&linalg.Dense{Rows: m, Cols: s.p, Stride: q.g.Stride, Data: q.g.Data[k:]}, 1, r, x)
			}
		},
		func(q *batchSums) {
			for i, t := range tries {
				t.value += q.values[i]
				linalg.Axpy(t.g, 1, q.g.Row(i))
			}
		})
	for _, t := range tries {
		s.toUnits(t.g)
	}
}

// start sets f to the scores of a block, by point: those by row, intercepts and
// offsets.
func (s *stretch) start(f, byRow *linalg.Dense, b0 []float64, lo int) {
	for i, b := range b0 {
		row := f.Row(i)
		for c := range row {
			row[c] = b + byRow.Data[c*byRow.Stride+i]
		}
		if s.offset != nil {
			linalg.Axpy(row, 1, s.offset[lo:lo+len(row)])
		}
	}
}

// firstColumns returns the first columns of a as a window on it.
func firstColumns(a *linalg.Dense, cols int) *linalg.Dense {
	return &linalg.Dense{Rows: a.Rows, Cols: cols, Stride: a.Stride, Data: a.Data}
}
