package path

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/optimize/penalty"
)

const (
	// modelShare is the part of a fit's certificate to which the minimiser of its model
	// is found; modelSweeps bounds the sweeps.
	modelShare, modelSweeps = 1. / 50, 1000
	// sameLambda is how near two λ are that differ by rounding.
	sameLambda = 1 - 0x1p-48
)

// between returns, in h, the Hessian kept as it is changed by what is seen between two
// fits: by the rule of Broyden, Fletcher, Goldfarb and Shanno (Nocedal & Wright,
// Numerical Optimization, 2nd ed., eq. 6.19) it says of the step between them what their
// exact gradients say. It is divided by the scale c that the given sum of curvatures has
// beside that of the Hessian kept, which is returned with 1 where nothing is seen, or
// where it is constant.
func (b *batches) between(h *linalg.Dense, one, other *candidate, curvature float64) (over *linalg.Dense, c float64) {
	if b.constant {
		return b.h, 1
	}
	n := len(b.set)
	d, y, hd := make([]float64, n), make([]float64, n), make([]float64, n)
	c = curvature / b.sum
	for i, j := range b.set {
		y[i] = (other.g[j] - one.g[j]) / c
		if d[i] = other.theta[j] - one.theta[j]; d[i] != 0 {
			linalg.Axpy(hd, d[i], b.h.Row(i))
		}
	}
	dy, dhd := linalg.Dot(d, y), linalg.Dot(d, hd)
	if !(dy > 0 && dhd > 0 && c > 0) {
		return b.h, 1
	}
	for i := range n {
		row := h.Row(i)
		copy(row, b.h.Row(i))
		linalg.Axpy(row, -hd[i]/dhd, hd)
		linalg.Axpy(row, y[i]/dy, y)
	}
	return h, c
}

// foresee returns candidates for the given λ: at the middle and the last of them the
// minimisers of the model at the last fit, the others on the lines between. Where the
// Hessian is constant the model is exact, and the others too are its minimisers.
func (b *batches) foresee(lambdas []float64) ([]*candidate, error) {
	fits := make([]*candidate, len(lambdas))
	for i, l := range lambdas {
		var err error
		if fits[i], err = b.newCandidate(l, b.residuals.Row(i)); err != nil {
			return nil, err
		}
	}
	last, before, h, c := b.last(), b.last(), b.h, 1.0
	if n := len(b.past); n > 1 {
		before = b.past[n-2]
		scratch := b.f.matrix(len(b.set), len(b.set))
		defer b.f.release(scratch)
		h, c = b.between(scratch, before, last, last.curvature)
	}
	end := len(fits) - 1
	anchors := slices.Compact([]int{end / 2, end})
	at, came, factors := b.narrowed(last.theta), hold(before.lambda, b.narrowed(before.theta)), b.narrowed(b.factors)
	linalg.For(len(anchors), 1, b.Workers, func(lo, _ int) {
		t := fits[anchors[lo]]
		start := extrapolate(linalg.Clone(at), came, factors, t.lambda, last.lambda, before.lambda)
		copy(t.theta, last.theta)
		b.widen(t.theta, b.minimizeModel(h, c, last, t, start, b.residual(last, t)*modelShare))
	})
	from, next := last, 0
	for _, end := range anchors {
		for ; next < end; next++ {
			from.toward(fits[next].theta, fits[end], fits[next].lambda)
			fits[next].face = fits[end].face
		}
		from, next = fits[end], end+1
	}
	if b.constant {
		linalg.For(len(fits), 1, b.Workers, func(i, _ int) {
			if t := fits[i]; !slices.Contains(anchors, i) {
				b.widen(t.theta, b.minimizeModel(h, c, last, t, b.narrowed(t.theta), 0))
			}
		})
	}
	return fits, nil
}

// toward sets theta to the point for λ on the line to another fit.
func (t *candidate) toward(theta []float64, to *candidate, lambda float64) {
	copy(theta, t.theta)
	if lambda < t.lambda*sameLambda { // at λmax and above all stay 0
		part := (t.lambda - lambda) / (t.lambda - to.lambda)
		for j, v := range to.theta {
			theta[j] += part * (v - theta[j])
		}
	}
}

// residual returns the certificate that a fit would have at the λ of another one, as far
// as the working set goes.
func (b *batches) residual(at, t *candidate) float64 {
	pen, worst := b.elasticNet(t.lambda), 0.0
	for _, j := range b.set {
		worst = max(worst, math.Abs(pen.ResidualAt(j, at.g[j], at.theta[j]))/t.scale[j])
	}
	return worst
}

// minimizeModel returns the minimiser for a candidate, on the working set and from
// start, of the penalised quadratic with Hessian c·h at a fit. Where the Hessian is
// constant that is the fit itself, to its tolerance.
func (b *batches) minimizeModel(h *linalg.Dense, c float64, at, t *candidate, start []float64, tol float64) []float64 {
	g := b.narrowed(at.g)
	linalg.Scale(g, -1/c)
	usual := b.derivative(b.tol) * t.finer
	tol = max(usual/10, tol)
	if b.constant {
		tol = usual / 4
	}
	pen := penalty.ElasticNet{Lambda: t.lambda / c, L1Ratio: b.penalty.L1Ratio, Factors: b.narrowed(b.factors)}
	z, _, _ := optimize.CoordinateDescent(&optimize.Quadratic{A: h, B: g, At: b.narrowed(at.theta), Near: &t.face, Names: b.set, Workers: 1}, start, pen,
		&optimize.Control{Tol: tol / c, MaxIter: modelSweeps, Scale: b.narrowed(t.scale)})
	if z == nil {
		return start
	}
	return z
}

// correct moves the open ones of the candidates to the minimisers of their models.
func (b *batches) correct(fits, open []*candidate) {
	if len(open) == 0 {
		return
	}
	if !b.constant {
		b.renewWorn(open)
	}
	next := make([][]float64, len(open))
	var taken []*linalg.Dense
	linalg.Reduce(len(open), 1, b.Workers,
		func() *linalg.Dense {
			h := b.f.matrix(len(b.set), len(b.set))
			taken = append(taken, h)
			return h
		},
		func(h *linalg.Dense, k, _ int) {
			t, i := open[k], slices.Index(fits, open[k])
			before, after := b.last(), fits[min(i+1, len(fits)-1)]
			if i > 0 {
				before = fits[i-1]
			}
			over, c := b.between(h, before, after, t.curvature)
			next[k] = b.minimizeModel(over, c, t, t, b.narrowed(t.theta), t.cert*modelShare)
		},
		func(*linalg.Dense) {})
	b.f.release(taken...)
	for i, t := range open {
		b.widen(t.theta, next[i])
	}
}

// renewWorn makes the Hessian anew, in the middle of the open candidates, when corrections
// beyond the first have cost as much. Their costs are those measured, for coordinate
// descent waits for memory.
func (b *batches) renewWorn(open []*candidate) {
	n, rows := float64(len(b.set)), float64(b.N)
	for _, t := range open {
		if t.run.Report().Iterations() > 1 {
			b.overrun += 2*n*rows + 40*n*n
		}
	}
	if b.overrun > n*n*rows/2 {
		b.renew(open[len(open)/2].theta)
	}
}
