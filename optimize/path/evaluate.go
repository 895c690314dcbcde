package path

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

const (
	fewDoubts  = 16 // features are worth moving to the near ones where one in so many is in doubt
	references = 3  // candidates that bounds are made of
	mostStalls = 2  // corrections of a fit that may leave its certificate as it is
	enters     = 2  // a feature enters by a residual that is so many times those of the set

	// Where the gap is so many times its tolerance, derivatives are to be as many times smaller,
	// within these bounds.
	finer, finest = 0.5, 0.01
)

// evaluateNear makes the gradients of the candidates by the first features of the
// columns and returns how many: those near the set, or for a full look all features but
// those that bounds prove to be 0, where these leave few in doubt. Bounds need the
// residuals of candidates that have not moved since.
//
// Errors: those of the storage.
func (b *batches) evaluateNear(open []*candidate, full bool) (features int, err error) {
	if !full {
		b.evaluate(open, b.near)
		return b.near, b.f.err
	}
	moved := slices.ContainsFunc(open, func(t *candidate) bool { return !t.holds })
	if moved || 2*b.near >= b.P {
		return b.P, b.evaluateAll(open)
	}
	if b.f.bounds == nil {
		if b.f.bounds, err = newBounds(b.Design); err != nil {
			return 0, err
		}
	}
	rest, few := b.doubtful(open)
	if !few {
		err = b.evaluateAll(open)
		b.refer(open[max(0, len(open)-references):])
		return b.P, err
	}
	if len(rest) > 0 {
		used := b.features()
		b.near = b.f.bringNear(used, slices.Concat(b.f.feature[used:b.near], rest))
		b.evaluate(open, b.near)
	}
	return b.near, b.f.err
}

// evaluateAll makes the gradients by all features, by a pass over the rows where not all are held.
//
// Errors: those of the storage.
func (b *batches) evaluateAll(open []*candidate) error {
	if b.f.held == b.P {
		b.evaluate(open, b.P)
		return b.f.err
	}
	b.evaluate(open, b.near)
	m := len(open)
	r := linalg.Zeros(b.N, m)
	for i, t := range open {
		for row, v := range t.r {
			r.Data[row*m+i] = v
		}
	}
	g, err := b.Back(r)
	if err != nil {
		return err
	}
	for i, t := range open {
		copy(t.g[b.Intercept:], g[i*b.Dim()+b.Intercept:])
	}
	return b.f.err
}

// refer makes the bounds those by some candidates.
func (b *batches) refer(fits []*candidate) {
	var points []point
	for _, t := range fits {
		points = append(points, point{t.r, t.g[b.Intercept:]})
	}
	b.f.bounds.refer(points)
}

// doubtful returns the features not near the set that a candidate may need, as far as
// bounds tell, if they are few; their gradients are those that bounds foretell.
func (b *batches) doubtful(fits []*candidate) (features []int, few bool) {
	k, rest, most := b.Intercept, make([][]int, len(fits)), b.P/fewDoubts
	linalg.For(len(fits), 1, b.Workers, func(i, _ int) {
		t, g := fits[i], b.foretold.Row(i)
		t.far = b.f.bounds.gradient(g, b.f.bounds.residuals(t.r))
		l1, norm, factors := t.lambda*b.penalty.L1Ratio, b.f.bounds.norm, b.factors[k:]
		for j, v := range g {
			if b.f.row[j] < b.near {
				continue
			}
			t.g[j+k] = v
			if math.Abs(v)+norm[j]*t.far <= l1*factors[j] {
				continue // as most are
			}
			if rest[i] = append(rest[i], j); len(rest[i]) > most { // too many by this candidate alone
				break
			}
		}
	})
	features = slices.Concat(rest...)
	slices.Sort(features)
	features = slices.Compact(features)
	return features, len(features) <= most
}

// certify measures the derivatives of the candidates, lets the coordinates that these find
// join the working set, asks for the duality gap where they are small, and returns the
// candidates that need a correction.
//
// Errors: those of the storage.
func (b *batches) certify(fits []*candidate, features int, full bool) ([]*candidate, error) {
	entering := make([][]int, len(fits))
	linalg.For(len(fits), 1, b.Workers, func(i, _ int) { entering[i] = b.certifyOne(fits[i], features, full) })
	b.join(slices.Concat(entering...))
	if err := b.prove(holding(fits), features); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(fits), func(t *candidate) bool { return t.holds || t.abandoned }), nil
}

// holding returns the candidates of which the certificate holds, as far as was looked.
func holding(fits []*candidate) []*candidate {
	return slices.DeleteFunc(slices.Clone(fits), func(t *candidate) bool { return !t.holds })
}

// certifyOne measures the derivatives of a candidate, by the first features of the columns,
// and returns the coordinates outside the working set that the penalty does not hold:
// clearly, while the fit on the set is rough. Where corrections by a Hessian that is exact
// gain nothing, rounding is all that is left, no other method gains more, and Add is left
// to judge.
func (b *batches) certifyOne(t *candidate, features int, full bool) (entering []int) {
	before, corrected := t.cert, t.run.Report().Iterations() > 0 && !t.holds
	tol := b.aim(t)
	t.cert = 0
	b.raise(t, b.set, 0, tol, nil)
	b.raise(t, b.f.feature[b.features():features], b.Intercept, tol, &entering)
	t.run.Count()
	if corrected && !(t.cert < before) {
		t.stalls++
	}
	atRest := b.constant && b.s.Judges && t.stalls > mostStalls
	t.exhausted = atRest && len(entering) == 0
	t.holds = t.cert <= tol || t.exhausted
	t.done = t.holds && full
	t.abandoned = !t.holds && (t.stalls > mostStalls && !atRest || t.run.Spent() || t.cert != t.cert)
	return entering
}

// prove asks of candidates whose derivatives are small whether their duality gap, as far as
// the features looked at go, is at most the tolerance: if not, derivatives have to be smaller
// still, and a fit is done of which all were looked at.
//
// Errors: those of the storage.
func (b *batches) prove(fits []*candidate, features int) error {
	linalg.For(len(fits), 1, b.Workers, func(i, _ int) {
		t := fits[i]
		b.setKnown(t, features)
		t.whole, t.gap = t.value+b.value(t.lambda, t.theta), math.NaN()
	})
	if b.Proves() {
		if err := b.setGaps(fits); err != nil {
			return err
		}
	}
	for _, t := range fits {
		b.conclude(t)
	}
	return nil
}

// setGaps sets the duality gaps of candidates: by what the pass of their last evaluation has
// left behind or, where features lack a penalty, when they are done, by passes of their own.
//
// Errors: those of the storage.
func (b *batches) setGaps(fits []*candidate) (err error) {
	if !b.levelsAlone() {
		for _, t := range fits {
			if t.done && err == nil {
				var gap float64
				_, gap, err = b.gap(t.lambda, t.theta, b.tol, false)
				t.setGap(gap)
			}
		}
		return err
	}
	errs := make([]error, len(fits))
	set := func(i, _ int) {
		t := fits[i]
		if t.gap <= b.tol*t.whole {
			return
		}
		levels := b.center1(t.known[0], t.curvature, func() (float64, error) { return b.misfit(t.r), nil })
		levels.copied = true
		gap, err := b.gapAt(t.lambda, t.value, t.theta, t.known, levels)
		t.setGap(gap)
		errs[i] = err
	}
	linalg.For(len(fits), 1, b.Workers, set)
	wide := slices.ContainsFunc(fits, func(t *candidate) bool { return !(t.gap <= b.tol*t.whole) })
	if wide && b.lengths == nil {
		if err := b.measureLengths(); err != nil {
			return err
		}
		linalg.For(len(fits), 1, b.Workers, set)
	}
	return cmp.Or(errs...)
}

// setGap sets the gap; one that is not a number proves nothing.
func (t *candidate) setGap(gap float64) {
	if t.gap = gap; gap != gap {
		t.gap = math.Inf(1)
	}
}

// leastDerivative is the size of derivatives below which rounding is all that is left; those of squared
// error have other sizes, and its fits find out.
const leastDerivative = 1e-15

// conclude judges a candidate by its gap, or where that is NaN by its derivatives.
func (b *batches) conclude(t *candidate) {
	tol := b.aim(t)
	t.proven = optimize.Certificate{Kind: b.kind(), Value: t.cert, Tol: tol}
	if t.gap == t.gap {
		if t.proven = b.relativeGap(t.whole, t.gap, b.tol); !t.proven.Holds() && !t.exhausted {
			t.finer *= min(finer, max(finest, b.tol*t.whole/t.gap))
			t.holds, t.done = false, false
			t.abandoned = b.aim(t) < leastDerivative && !b.ConstantHessian() || t.run.Spent()
			return
		}
	}
	if !t.done {
		return
	}
	t.run.Show(t.theta, t.whole, t.proven.Value, 1)
	if t.run.End(optimize.Converged); t.cert > tol {
		t.run.End(optimize.LineSearch)
	}
}

// setKnown sets the gradient of a candidate of which so many features were evaluated. The
// others are given 0 while nothing is known of them, and at the end, when bounds prove that
// they are inactive, the largest derivative that these leave.
func (b *batches) setKnown(t *candidate, features int) {
	k, pen := b.Intercept, b.elasticNet(t.lambda)
	copy(t.known, t.g)
	if !t.done {
		clear(t.known[k:])
		for _, j := range b.f.feature[:features] {
			t.known[j+k] = t.g[j+k]
		}
		return
	}
	for _, j := range b.f.feature[features:] {
		l1, _ := pen.Weights(j + k)
		most := min(l1, math.Abs(t.g[j+k])+b.f.bounds.norm[j]*t.far)
		if t.known[j+k] = most; t.g[j+k] < 0 {
			t.known[j+k] = -most
		}
	}
}

// raise raises the certificate of a candidate to the largest residual of the given
// coordinates, which are shifted, and appends those to entering that clearly exceed it.
func (b *batches) raise(t *candidate, coordinates []int, shift int, tol float64, entering *[]int) {
	pen := b.elasticNet(t.lambda)
	limit := enters * t.cert
	if t.cert <= tol {
		limit = tol
	}
	l1 := pen.LeastL1()
	for _, j := range coordinates {
		j += shift
		if t.theta[j] == 0 && math.Abs(t.g[j]) <= l1*pen.Factor(j) {
			continue // as most are
		}
		r := math.Abs(pen.ResidualAt(j, t.g[j], t.theta[j])) / t.scale[j]
		if r > t.cert || r != r {
			t.cert = r
		}
		if entering != nil && r > limit && !b.in[j] {
			*entering = append(*entering, j)
		}
	}
}

// aim returns the size of derivatives for a fit; the tolerance of a caller may be one of derivatives.
func (b *batches) aim(t *candidate) float64 {
	aim := b.derivative(b.tol) * t.finer
	if b.s.Tol != 0 {
		return aim
	}
	return aim * b.falling(t.value)
}

// sums returns sums for m points and the given features. The memory is that of
// sums before, where there are any left over.
func (b *batches) sums(m, features int) *batchSums {
	q := &batchSums{}
	if k := len(b.idle) - 1; k >= 0 {
		q, b.idle = b.idle[k], b.idle[:k]
	} else {
		vec := func() []float64 { return make([]float64, longestBatch) }
		q.values, q.curvatures, q.ones = vec(), vec(), vec()
		q.f, q.r, q.v = linalg.Zeros(longestBatch, blockRows), linalg.Zeros(longestBatch, blockRows), make([]float64, blockRows)
		q.g = linalg.Zeros(0, m)
	}
	q.g = &linalg.Dense{Rows: features, Cols: m, Stride: m, Data: slices.Grow(q.g.Data[:0], features*m)[:features*m]}
	q.f.Rows, q.r.Rows = m, m
	return q
}

// evaluate sets value, curvature, residuals and gradient of each candidate at its theta,
// the gradient by the first features of the columns.
func (b *batches) evaluate(fits []*candidate, features int) {
	m, k := len(fits), b.Intercept
	slopes := linalg.Zeros(m, b.features())
	for i, t := range fits {
		copy(slopes.Row(i), b.narrowed(t.theta)[k:])
	}
	var used []*batchSums
	take := func() *batchSums {
		used = append(used, b.sums(m, features))
		return used[len(used)-1]
	}
	total := take()
	total.reset()
	linalg.Reduce(len(b.f.blocks), b.f.piece(), b.Workers, take,
		func(q *batchSums, lo, hi int) {
			q.reset()
			for at := lo; at < hi; at++ {
				b.addBlock(q, at, fits, slopes)
			}
		},
		func(q *batchSums) {
			linalg.Axpy(total.values, 1, q.values)
			linalg.Axpy(total.curvatures, 1, q.curvatures)
			linalg.Axpy(total.ones, 1, q.ones)
			linalg.Axpy(total.g.Data, 1, q.g.Data)
		})
	linalg.For(m, 1, b.Workers, func(i, _ int) {
		t := fits[i]
		t.value, t.curvature = total.values[i], total.curvatures[i]
		copy(t.g[:k], total.ones[i:])
		for row, j := range b.f.feature[:features] {
			t.g[j+k] = total.g.Data[row*m+i]
		}
	})
	b.idle = append(b.idle, used...)
}

// addBlock sums over a block of rows, which stays in the cache from its scores to
// its part of the gradients.
func (b *batches) addBlock(q *batchSums, at int, fits []*candidate, slopes *linalg.Dense) {
	a := b.f.blocks[at]
	lo, hi := at*blockRows, at*blockRows+a.Cols
	f, r, v := firstColumns(q.f, a.Cols), firstColumns(q.r, a.Cols), q.v[:a.Cols]
	for i, t := range fits {
		b.f.startScores(f.Row(i), lo, t.theta[:b.Intercept])
	}
	linalg.MulAdd(f, 1, slopes, a.RowRange(0, slopes.Cols))
	for i, t := range fits {
		q.values[i] += b.f.loss.Rows(r.Row(i), v, b.Y[lo:hi], f.Row(i), b.WeightsOf(lo, hi))
		q.curvatures[i] += linalg.Sum(v)
		q.ones[i] += linalg.Sum(r.Row(i))
		copy(t.r[lo:hi], r.Row(i))
	}
	linalg.MulBTAdd(q.g, 1, a.RowRange(0, q.g.Rows), r)
}

// firstColumns returns the first columns of a as a window on it.
func firstColumns(a *linalg.Dense, cols int) *linalg.Dense {
	return &linalg.Dense{Rows: a.Rows, Cols: cols, Stride: a.Stride, Data: a.Data}
}
