package logistic

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

// stretch walks a two-class path by stretches of several λ that share their
// passes over the rows and one Hessian H.
//
// A stretch begins at the fit of the last λ, with its gradient. The minimisers of
// the quadratic model there foretell the fits of the next λ; one pass makes the
// exact gradients at all of them; each is corrected by the minimiser of its own
// model, and so on until the certificate, which looks at all features, holds.
//
// H may be old: as the fit grows the curvatures p(1−p) of the rows shrink, and
// most along the path. A model has H times the ratio of the sums of curvatures,
// changed by the rule of Broyden, Fletcher, Goldfarb and Shanno (Nocedal & Wright,
// Numerical Optimization, 2nd ed., eq. 6.19) so that it says of the step between
// two neighbouring fits what their exact gradients say. H is made anew when the
// corrections beyond the first have cost as much.
//
// H is on a working set: the features that are not zero and those that may move
// before the stretch ends, by their gradients continued along the path (cf. the
// strong rule of Tibshirani et al., J. R. Stat. Soc. B 74, 2012). Passes look at
// some more, near these, of which those join that the penalty clearly does not
// hold; once the certificate holds for them, a pass over all features decides, but
// those that bounds tell of.
type stretch struct {
	*pathWalk
	f    *byFeature
	set  []int // working set: intercept first, then in the order of f
	in   []bool
	near int    // features that a pass looks at, those of the set first
	past []*try // the last fits

	h         *linalg.Dense
	bentSum   float64       // the sum of the rows' curvatures where h was made
	overrun   float64       // multiplications spent since then on corrections beyond the first
	vectors   [][]float64   // of forgotten fits
	residuals *linalg.Dense // of the tries, by row
	foretold  *linalg.Dense // their gradients, as bounds have them
	idle      []*batchSums

	size   int     // λ in the next stretch
	rounds int     // evaluations of a λ before it is left to the general solver
	slack  float64 // how far gradients of the set may stray, in units of the stretch's change of λ
}

const (
	longestStretch = 8   // λ: a tile of the products' kernel
	stretchRatio   = 0.4 // least ratio of the λ at its ends
	stretchRounds  = 40
	usualRounds    = 3 // a stretch that takes more is followed by a shorter one
	widestSet      = 3000
	nearSlack      = 0.5 // as stretch.slack, of the features near those in use
	leastAim       = 0.1 // of the tolerance
	enters         = 2   // a feature enters by a residual that is so many times those of the set
	fewDoubts      = 16  // features are worth moving to the near ones where one in so many is in doubt
)

// try is the fit of one λ on its way.
type try struct {
	lambda    float64
	theta, g  []float64
	r         []float64 // residuals of the rows, where theta was last evaluated
	value     float64   // of the likelihood
	curvature float64   // sum of the rows'
	cert      float64
	rounds    int  // evaluations
	stalls    int  // corrections that did not lower the certificate
	holds     bool // the certificate, as far as the features looked at go
	done      bool // it holds for all
	given     bool // up
}

func newStretch(w *pathWalk) *stretch {
	first := &try{theta: slices.Clone(w.null), g: slices.Clone(w.g)}
	rounds := stretchRounds
	if w.o.MaxIter > 0 {
		rounds = min(rounds, w.o.MaxIter)
	}
	first.lambda = w.lambdaMax(&w.o.Options)
	slack := 0.1
	if w.n < w.p {
		slack = 0 // models cost more than passes
	}
	return &stretch{pathWalk: w, f: newByFeature(w.f.SubHessian.(*binary)), in: make([]bool, len(w.null)),
		past: []*try{first}, residuals: linalg.Zeros(longestStretch, w.n), foretold: linalg.Zeros(longestStretch, w.p), size: longestStretch, rounds: rounds, slack: slack}
}

func (s *stretch) last() *try { return s.past[len(s.past)-1] }

// walk fits one stretch after the other and returns how many λ it did: fewer than
// all if one needs the general solver.
func (s *stretch) walk() (done int, end bool, err error) {
	for done < len(s.lambdas) {
		size := 1
		for size < s.size && done+size < len(s.lambdas) && s.lambdas[done+size] >= stretchRatio*min(s.last().lambda, s.lambdas[done]) {
			size++
		}
		tries := s.solve(s.lambdas[done : done+size])
		points, errs := make([]Point, size), make([]error, size)
		linalg.For(len(tries), 1, s.workers, func(i, _ int) {
			if t := tries[i]; t.done {
				points[i], errs[i] = s.point(t.lambda, t.theta, s.report(t))
			}
		})
		slowest := 0
		for i, t := range tries {
			if !t.done {
				return done, false, nil
			}
			if errs[i] != nil {
				return done, true, errs[i]
			}
			end, err := s.add(points[i], t.theta)
			done++
			if end || err != nil {
				return done, true, err
			}
			slowest = max(slowest, t.rounds)
		}
		s.keep(tries)
		if slowest > usualRounds+1 {
			s.size = max(1, s.size/2)
		} else if slowest <= usualRounds {
			s.size = min(longestStretch, 2*s.size)
		}
	}
	return done, true, nil
}

// keep makes the tries the last fits; the memory of those that are forgotten is
// used again.
func (s *stretch) keep(tries []*try) {
	s.past = append(s.past, tries...)
	old := max(0, len(s.past)-longestStretch-1)
	for _, t := range s.past[:old] {
		s.vectors = append(s.vectors, t.theta, t.g)
	}
	s.past = s.past[old:]
}

// vector returns one by all coordinates, with any values.
func (s *stretch) vector() []float64 {
	k := len(s.vectors) - 1
	if k < 0 {
		return make([]float64, len(s.null))
	}
	v := s.vectors[k]
	s.vectors = s.vectors[:k]
	return v
}

func (s *stretch) report(t *try) optimize.Report {
	return optimize.NewReport(optimize.Converged, t.rounds, t.value+s.elasticNet(t.lambda, s.o.L1Ratio).Value(t.theta),
		optimize.Certificate{Kind: optimize.KindKKT, Value: t.cert, Tol: s.tol})
}

// solve fits the given λ as far as it gets.
func (s *stretch) solve(lambdas []float64) []*try {
	s.choose(s.mobile(lambdas[len(lambdas)-1]))
	if !s.grow() {
		return []*try{{}} // one that is not done
	}
	tries := s.foresee(lambdas)
	for {
		open, full := s.open(tries)
		if len(open) == 0 {
			return tries
		}
		open = s.judge(open, s.look(open, full), full)
		if !s.grow() {
			return tries
		}
		s.correct(tries, open)
	}
}

// open returns the tries to look at next, and whether at all features: when all of
// them hold on the working set, and where that and what is near it are most features.
func (s *stretch) open(tries []*try) (open []*try, full bool) {
	full = true
	for _, t := range tries {
		if !t.done && !t.given {
			open = append(open, t)
			full = full && t.holds
		}
	}
	if full || 2*s.near >= s.p {
		return open, true
	}
	return slices.DeleteFunc(open, func(t *try) bool { return t.holds }), false
}

// look makes the gradients of the tries by the first features of f and returns how
// many. For a full look they are all features but those that bounds prove to be 0,
// where these leave few in doubt.
func (s *stretch) look(open []*try, full bool) (features int) {
	if !full {
		s.evaluate(open, s.near)
		return s.near
	}
	if 2*s.near >= s.p {
		s.evaluate(open, s.p)
		return s.p
	}
	rest := s.doubtful(open)
	if len(rest) > s.p/fewDoubts {
		s.evaluate(open, s.p)
		s.f.bounds.refer(open[max(0, len(open)-2):], s.intercept)
		return s.p
	}
	if len(rest) > 0 {
		used := len(s.set) - s.intercept
		s.near = s.f.gather(used, slices.Concat(s.f.feature[used:s.near], rest))
		s.evaluate(open, s.near)
	}
	return s.near
}

// doubtful returns the features not near the set that a try may need, as far as bounds
// tell; their gradients are those that bounds foretell.
func (s *stretch) doubtful(tries []*try) []int {
	k, rest := s.intercept, make([][]int, len(tries))
	pen := s.elasticNet(1, s.o.L1Ratio)
	linalg.For(len(tries), 1, s.workers, func(i, _ int) {
		t, g := tries[i], s.foretold.Row(i)
		far := s.f.bounds.gradient(g, slices.Clone(t.r))
		for j, v := range g {
			if s.f.row[j] < s.near {
				continue
			}
			t.g[j+k] = v
			if l1, _ := pen.Weights(j + k); !(math.Abs(v)+s.f.bounds.norm[j]*far <= t.lambda*l1) {
				rest[i] = append(rest[i], j)
			}
		}
	})
	all := slices.Concat(rest...)
	slices.Sort(all)
	return slices.Compact(all)
}

// judge takes the certificates of the tries, lets the coordinates that these find
// join the working set, and returns the tries that need a correction.
func (s *stretch) judge(tries []*try, features int, full bool) []*try {
	entering := make([][]int, len(tries))
	linalg.For(len(tries), 1, s.workers, func(i, _ int) { entering[i] = s.certify(tries[i], features, full) })
	s.join(slices.Concat(entering...))
	var left []*try
	for _, t := range tries {
		if !t.holds && !t.given {
			left = append(left, t)
		}
	}
	return left
}

// certify takes the certificate of a try, by the first features of f, and returns the
// coordinates outside the working set that the penalty does not hold: clearly, while
// the fit on the set is rough.
func (s *stretch) certify(t *try, features int, full bool) (entering []int) {
	pen := s.elasticNet(t.lambda, s.o.L1Ratio)
	before, corrected := t.cert, t.rounds > 0 && !t.holds
	t.cert = 0
	tol := s.aim(t)
	look := func(coordinates []int, shift int) {
		limit := enters * t.cert
		if t.cert <= tol {
			limit = tol
		}
		for _, j := range coordinates {
			j += shift
			if l1, _ := pen.Weights(j); t.theta[j] == 0 && math.Abs(t.g[j]) <= l1 {
				continue // as most are
			}
			r := math.Abs(pen.ResidualAt(j, t.g[j], t.theta[j])) / s.scale[j]
			if r > t.cert || r != r {
				t.cert = r
			}
			if r > limit && !s.in[j] {
				entering = append(entering, j)
			}
		}
	}
	look(s.set, 0)
	look(s.f.feature[len(s.set)-s.intercept:features], s.intercept)
	if t.rounds++; corrected && !(t.cert < before) {
		t.stalls++
	}
	t.holds = t.cert <= tol
	t.done = t.holds && full
	t.given = !t.holds && (t.stalls > 2 || t.rounds >= s.rounds || t.cert != t.cert)
	return entering
}

// aim returns the tolerance for a fit: the caller's, or else one that falls with
// the likelihood, so that the error of the objective stays small beside it.
func (s *stretch) aim(t *try) float64 {
	if s.o.Tol != 0 || !(s.nullValue > 0) {
		return s.tol
	}
	return s.tol * max(leastAim, min(1, math.Sqrt(t.value/s.nullValue)))
}

// mobile returns the coordinates that may move before the given λ is reached, one
// at least, for a design has a column, and the features that may if they stray
// farther than is usual.
func (s *stretch) mobile(end float64) (set, near []int) {
	last, far := s.last(), s.past[0]
	t := 0.0
	if far.lambda > last.lambda {
		t = (last.lambda - end) / (far.lambda - last.lambda)
	}
	floor, low := end-s.slack*(last.lambda-end), end-nearSlack*(last.lambda-end)
	first, top := s.intercept, 0.0
	pen := s.elasticNet(1, s.o.L1Ratio)
	for j, g := range last.g {
		l1, _ := pen.Weights(j)
		if a := math.Abs(g + t*(g-far.g[j])); s.factors[j] == 0 || l1 == 0 || last.theta[j] != 0 || a >= l1*floor {
			set = append(set, j)
		} else {
			if a >= l1*low {
				near = append(near, j-s.intercept)
			}
			if a > top {
				first, top = j, a
			}
		}
	}
	if len(set) == s.intercept {
		set = append(set, first)
		near = slices.DeleteFunc(near, func(j int) bool { return j == first-s.intercept })
	}
	return set, near
}

// choose makes set the working set and carries the Hessian over. The last take the
// places of those that leave, so that few features move.
func (s *stretch) choose(set, near []int) {
	need := make([]bool, len(s.in))
	for _, j := range set {
		need[j] = true
	}
	places := all(len(s.set))
	for i := 0; i < len(places); {
		if s.in[s.set[i]] = need[s.set[i]]; s.in[s.set[i]] {
			i++
			continue
		}
		end := len(places) - 1
		s.set[i], places[i] = s.set[end], places[end]
		s.set, places = s.set[:end], places[:end]
	}
	if s.h != nil && len(places) < s.h.Rows {
		s.shrink(places)
		s.arrange(0)
	}
	s.join(set)
	s.near = s.f.gather(len(s.set)-s.intercept, near)
}

// shrink leaves the given rows and columns of the Hessian.
func (s *stretch) shrink(places []int) {
	h := s.f.take(len(places), len(places))
	for a, i := range places {
		row, from := h.Row(a), s.h.Row(i)
		for b, j := range places {
			row[b] = from[j]
		}
	}
	s.exchange(h)
}

// join adds coordinates to the working set.
func (s *stretch) join(set []int) {
	old := len(s.set)
	for _, j := range set {
		if !s.in[j] {
			s.in[j] = true
			s.set = append(s.set, j)
		}
	}
	s.arrange(old)
	s.near = max(s.near, len(s.set)-s.intercept)
}

// arrange tells f of the features from the i-th of the set on.
func (s *stretch) arrange(i int) {
	for k := s.intercept; i < len(s.set); i++ {
		if i >= k {
			s.f.use(i-k, s.set[i]-k)
		}
	}
}

// batchSums is what one goroutine sums over a piece of the rows, for several points.
type batchSums struct {
	values, curvatures, ones []float64
	g, f, r                  *linalg.Dense // gradients by feature; scores and residuals of a block, by point
	v                        []float64
}

// sums returns sums for m points and the given features. The memory is that of
// sums before, where there are any left over.
func (s *stretch) sums(m, features int) *batchSums {
	q := &batchSums{}
	if k := len(s.idle) - 1; k >= 0 {
		q, s.idle = s.idle[k], s.idle[:k]
	} else {
		q.values, q.curvatures, q.ones = make([]float64, longestStretch), make([]float64, longestStretch), make([]float64, longestStretch)
		q.f, q.r, q.v = linalg.Zeros(longestStretch, blockRows), linalg.Zeros(longestStretch, blockRows), make([]float64, blockRows)
		q.g = linalg.Zeros(0, m)
	}
	q.g = &linalg.Dense{Rows: features, Cols: m, Stride: m, Data: slices.Grow(q.g.Data[:0], features*m)[:features*m]}
	q.f.Rows, q.r.Rows = m, m
	return q
}

func (q *batchSums) reset() {
	clear(q.values)
	clear(q.curvatures)
	clear(q.ones)
	clear(q.g.Data)
}

// evaluate sets value, curvature, residuals and gradient of each try at its theta,
// the gradient by the first features of f.
func (s *stretch) evaluate(tries []*try, features int) {
	m, k := len(tries), s.intercept
	slopes := linalg.Zeros(m, len(s.set)-k)
	for i, t := range tries {
		copy(slopes.Row(i), s.narrowed(t.theta)[k:])
	}
	var used []*batchSums
	take := func() *batchSums {
		used = append(used, s.sums(m, features))
		return used[len(used)-1]
	}
	total := take()
	total.reset()
	linalg.Reduce(len(s.f.blocks), s.f.piece(), s.workers, take,
		func(q *batchSums, lo, hi int) {
			q.reset()
			for b := lo; b < hi; b++ {
				s.addBlock(q, b, tries, slopes)
			}
		},
		func(q *batchSums) {
			linalg.Axpy(total.values, 1, q.values)
			linalg.Axpy(total.curvatures, 1, q.curvatures)
			linalg.Axpy(total.ones, 1, q.ones)
			linalg.Axpy(total.g.Data, 1, q.g.Data)
		})
	linalg.For(m, 1, s.workers, func(i, _ int) {
		t := tries[i]
		t.value, t.curvature = total.values[i], total.curvatures[i]
		copy(t.g[:k], total.ones[i:])
		for row, j := range s.f.feature[:features] {
			t.g[j+k] = total.g.Data[row*m+i]
		}
	})
	s.idle = append(s.idle, used...)
}

// addBlock sums over a block of rows, which stays in the cache from its scores to
// its part of the gradients.
func (s *stretch) addBlock(q *batchSums, b int, tries []*try, slopes *linalg.Dense) {
	a := s.f.blocks[b]
	lo, hi := b*blockRows, b*blockRows+a.Cols
	f, r := firstColumns(q.f, a.Cols), firstColumns(q.r, a.Cols)
	for i, t := range tries {
		s.f.begin(f.Row(i), lo, t.theta[:s.intercept])
	}
	linalg.MulAdd(f, 1, slopes, a.RowRange(0, slopes.Cols))
	for i := range tries {
		q.values[i] += s.f.rowLosses(r.Row(i), q.v[:a.Cols], f.Row(i), lo, hi)
		q.curvatures[i] += sum(q.v[:a.Cols])
		q.ones[i] += sum(r.Row(i))
		copy(tries[i].r[lo:hi], r.Row(i))
	}
	linalg.MulBTAdd(q.g, 1, a.RowRange(0, q.g.Rows), r)
}

// firstColumns returns the first columns of a as a window on it.
func firstColumns(a *linalg.Dense, cols int) *linalg.Dense {
	return &linalg.Dense{Rows: a.Rows, Cols: cols, Stride: a.Stride, Data: a.Data}
}
