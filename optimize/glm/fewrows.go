package glm

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize/loss"
)

// fewCorrections is the number of residuals that the bound of a fit with too many
// parameters for a Hessian changes; no more than twice the root of the rows, so that the
// products of all pairs cost some two passes.
const fewCorrections = 96

// fewestCorrections is how many it changes first, for each class: enough for the intercepts,
// and for the features where the fit leaves them derivatives that are small beside the ridge.
const fewestCorrections = 8

// allCorrections is the number of residuals up to which all are changed where that bound is
// above the tolerance: it is then the bound by the Hessian.
const allCorrections = 1200

// mostCopied is the number of values up to which sparse rows are copied to dense ones for a bound by rows.
const mostCopied = 1 << 23

// leastChance is the probability from which on a residual is changed: rounding of the change
// is large beside a smaller one.
const leastChance = 0x1p-60

// fewRows is the dual point of a ridge that changes the residuals of a few rows alone: by
// C·s for their factors C of the curvature V = CCᵀ, so that their sum is that of the
// gradient by the intercepts, and the derivatives by the features become small.
type fewRows struct {
	o       *Objective
	x       *linalg.Dense   // √w(1, x)
	inner   *linalg.Dense   // xR⁻¹xᵀ
	c, ct   []*linalg.Dense // K×K, and transposed
	p       []float64       // probabilities, or curvatures of one score
	weights []float64
}

// boundByRows is the bound by a dual point that changes at most so many residuals, evenly spaced; their rows are
// copied. Where they may not be, or of sparse rows the copy had more than 64 MB, it proves nothing. found has the sizes of the
// terms at θ, by a pass; where it is nil, the sizes of the columns bound the rounding of sums of residuals of at most 1.
func (o *Objective) boundByRows(theta []float64, most int, found *reach) (Bound, error) {
	if rows := 1 + most/o.k; linalg.CheckCopy(o.Rows(), rows, o.Dim()) != nil || o.Sparse() && float64(rows)*float64(o.Dim()) > mostCopied {
		return unproven(), nil
	}
	r, err := o.takeRows(theta, most)
	if err != nil {
		return Bound{}, o.keep(err)
	}
	g := o.byFunction(o.memo.g)
	s, level := r.solve(g)
	if s == nil {
		return unproven(), nil
	}
	return r.bound(theta, g, s, level, found), nil
}

// bound is the bound by the corrections s of the residuals, with what it costs to change the
// derivatives by the intercepts that they and rounding leave.
func (r *fewRows) bound(theta, g, s []float64, level leveling, found *reach) Bound {
	o, dim, squares, lost, off := r.o, r.o.Dim(), linalg.Dot(s, s), 0.0, 0.0
	left, moved, sizes := make([]float64, dim), make([]float64, dim), o.sizes
	functions, relative := o.functions(theta), 2*o.roundingOfSums(o.k)
	for a := range o.k {
		copy(left, g[a*dim:])
		r.leave(left, moved, s, a)
		if found != nil {
			sizes = found.sizes[a*dim:]
		}
		for j, v := range left {
			e := relative * (sizes[j] + moved[j])
			if j < o.Intercept {
				off = math.Hypot(off, math.Abs(v)+e)
				continue
			}
			e += 4 * unit * o.Ridge[j] * math.Abs(functions[a*dim+j])
			squares += v * v / o.Ridge[j]
			lost += e * e / o.Ridge[j]
		}
	}
	nu := math.Sqrt(squares) + math.Sqrt(lost) + off*level.length + o.lostInScores(nil, theta, found)
	return o.proven(nu, r.largest(s)+off*level.turn)
}

// takeRows takes evenly spaced rows with their curvatures at theta.
func (o *Objective) takeRows(theta []float64, most int) (*fewRows, error) {
	step := design.CoprimeTo30((o.N*o.k + most - 1) / most)
	part, err := o.rowsEvery(step)
	if err != nil {
		return nil, err
	}
	r := &fewRows{o: o, weights: part.Weights, p: part.curvatureAt(theta)}
	if r.x, err = part.Weighted(); part.keepIf(err) != nil || part.failed != nil {
		return nil, part.failed
	}
	k := o.k
	for i := range part.N {
		c := linalg.Zeros(k, k)
		p := r.p[i*k : (i+1)*k]
		if k == 1 {
			c.Data[0] = math.Sqrt(p[0] / max(part.Weight(i), math.SmallestNonzeroFloat64))
		} else {
			for b, v := range p {
				if v < leastChance {
					continue
				}
				for a, q := range p {
					c.Set(a, b, -q*math.Sqrt(v))
				}
				c.Set(b, b, others(p, b)*math.Sqrt(v))
			}
		}
		r.c, r.ct = append(r.c, c), append(r.ct, c.Transposed())
	}
	return r, nil
}

// leveling is what corrections cost that change the derivatives by the intercepts alone, by a length
// of 1: their length in the metric of the bound, and the largest relative change of a probability.
type leveling struct{ length, turn float64 }

// solve returns the s that makes κ = 1 of the bound least: the corrections s of all rows, nil
// where rounding prevents it, and what it costs to change the derivatives that they leave.
func (r *fewRows) solve(g []float64) (s []float64, level leveling) {
	o, k, m := r.o, r.o.k, r.x.Rows
	dim, first := o.Dim(), o.Intercept
	root, under := make([]float64, dim), make([]float64, dim) // 1/√λ, and g/λ of a function
	for j := first; j < dim; j++ {
		root[j] = 1 / math.Sqrt(o.Ridge[j])
	}
	r.inner = linalg.GramOfRows(r.x, nil, root, o.Workers)
	h := linalg.Identity(m * k)
	s = make([]float64, m*k)
	for i := range m {
		for j := range i + 1 {
			for a := range k {
				for b := range k {
					h.Data[(i*k+a)*h.Stride+j*k+b] += r.inner.At(i, j) * linalg.Dot(r.ct[i].Row(a), r.ct[j].Row(b))
				}
			}
		}
	}
	for c := range k {
		for j, v := range g[c*dim : (c+1)*dim] {
			under[j] = v * (root[j] * root[j])
		}
		for i := range m {
			linalg.Axpy(s[i*k:(i+1)*k], linalg.Dot(r.x.Row(i), under), r.c[i].Row(c))
		}
	}
	o.Work.Spend(8*m*k, m*k, m*k) // products of pairs are made one by one
	factor, err := linalg.NewCholesky(h)
	if err != nil {
		return nil, level
	}
	if factor.Solve(s); first == 1 {
		level = r.meet(s, g, factor)
	}
	return s, level
}

// meet changes s by the least in the metric of the factor so that the corrections sum to the
// derivatives by the intercepts, and returns what it costs to change these. Residuals of a row sum
// to 0, so that one class, that of the most curvature, follows the others. The units that are added are
// judged as they are and not by the factor, which rounding spoils where a ridge is small.
func (r *fewRows) meet(s, g []float64, factor *linalg.Cholesky) leveling {
	k, dim, m := r.o.k, r.o.Dim(), r.x.Rows
	follows := r.mostCurved()
	toward := r.toward(follows)
	solved, small := toward.Clone(), linalg.Zeros(k, k)
	factor.SolveMatrix(solved)
	linalg.MulTAdd(small, 1, toward, solved)
	if follows >= 0 {
		small.Set(follows, follows, 1)
	}
	f, err := linalg.NewCholesky(small)
	if err != nil {
		return leveling{math.Inf(1), math.Inf(1)}
	}
	units := linalg.Zeros(k, m*k) // each changes one derivative by 1
	linalg.MulBTAdd(units, 1, f.Inverse(), solved)
	for range 2 {
		left := make([]float64, k)
		linalg.MulTVecAdd(left, toward, s)
		for c, v := range left {
			linalg.Axpy(s, g[c*dim]-v, units.Row(c))
		}
	}
	return r.judge(units, toward, follows)
}

// toward returns the derivatives by the intercepts that corrections of 1 change, but for one.
func (r *fewRows) toward(follows int) *linalg.Dense {
	k := r.o.k
	t := linalg.Zeros(len(r.c)*k, k)
	for i, own := range r.c {
		for a := range k {
			for c := range k {
				if c != follows {
					t.Set(i*k+a, c, r.x.At(i, 0)*own.At(c, a))
				}
			}
		}
	}
	return t
}

// mostCurved returns the class of the most curvature, or -1 where there is one score.
func (r *fewRows) mostCurved() int {
	k := r.o.k
	if k == 1 {
		return -1
	}
	sums := make([]float64, k)
	for at, p := range r.p {
		sums[at%k] += r.x.At(at/k, 0) * r.x.At(at/k, 0) * p * (1 - p)
	}
	return linalg.ArgMax(sums)
}

// judge returns what units cost that change the derivatives toward which they go by 1, but
// for rounding, which changes lengths by no more than the reciprocal of 1 less its own. O(m²K²).
// It overwrites the units.
func (r *fewRows) judge(units, toward *linalg.Dense, follows int) leveling {
	m, k := r.x.Rows, r.o.k
	off := linalg.Zeros(k, k)
	linalg.MulAdd(off, 1, units, toward)
	squares, turn := 0.0, 0.0
	for c := range k {
		u := units.Row(c)
		if c != follows {
			off.Data[c*k+c]--
		}
		moves, sizes := linalg.Zeros(m, k), 0.0
		for i, own := range r.c {
			linalg.MulVec(moves.Row(i), own, u[i*k:(i+1)*k], 1)
			sizes += math.Sqrt(r.inner.At(i, i)) * linalg.Norm(moves.Row(i))
		}
		squares += linalg.Dot(u, u) + float64(r.o.P+2*m+8)*unit*sizes*sizes
		bent := linalg.Zeros(m, k)
		linalg.MulAdd(bent, 1, r.inner, moves)
		squares += max(0, linalg.Dot(moves.Data, bent.Data))
		side := r.largest(u)
		linalg.Scale(u, -1)
		turn = math.Hypot(turn, max(side, r.largest(u)))
	}
	share := 1 - linalg.Norm(off.Data) - float64(m*k)*unit*linalg.Norm(units.Data)*linalg.Norm(toward.Data)
	if !(share > 0.5) {
		share = 0
	}
	return leveling{math.Sqrt(squares) / share, turn / share}
}

// leave takes off the derivatives by function a those that the corrections change, and sets moved to
// the sizes of the terms.
func (r *fewRows) leave(left, moved, s []float64, a int) {
	clear(moved)
	for i, c := range r.c {
		sum, size := 0.0, 0.0
		for b, v := range c.Row(a) {
			sum += v * s[i*r.o.k+b]
			size += math.Abs(v * s[i*r.o.k+b])
		}
		for j, x := range r.x.Row(i) {
			left[j] -= sum * x
			moved[j] += size * math.Abs(x)
		}
	}
}

// largest returns t, the largest relative change of a probability.
func (r *fewRows) largest(s []float64) float64 {
	k, worst := r.o.k, 0.0
	for i := range r.c {
		w := 1.0
		if r.weights != nil {
			w = r.weights[i]
		}
		if !(w > 0) {
			continue
		}
		p, own := r.p[i*k:(i+1)*k], s[i*k:(i+1)*k]
		if k == 1 {
			if p[0] > 0 {
				worst = max(worst, math.Abs(own[0])/math.Sqrt(p[0]))
			}
			continue
		}
		mean := 0.0
		for a, q := range p {
			mean += math.Sqrt(q) * own[a]
		}
		for a, q := range p {
			u := -mean
			if q >= leastChance {
				u += own[a] / math.Sqrt(q)
			}
			worst = max(worst, u/math.Sqrt(w))
		}
	}
	return worst
}

// exactBound is the bound by the Hessian at θ.
func (o *Objective) exactBound(theta []float64, aim float64) (Bound, error) {
	under := o.factored(o.hessAt(theta))
	if o.failed != nil || under == nil {
		return unproven(), o.failed
	}
	if b := o.boundBy(under, theta, 0, nil); b.Exists && b.Gap <= aim {
		return b, nil
	}
	if b, err := o.boundInPasses(under, theta, aim, 0); err != nil || b.Exists || o.k > 1 || o.ConstantHessian() {
		return b, err
	}
	return o.uncertainBound(theta, aim)
}

// uncertain is the curvature of a row, relative to its weight, from which on its residual is
// changed by the dual point of uncertainBound.
const uncertain = 1e-9

// uncertainBound is the bound by the Hessian of the rows that are not all but certain, for
// one score. Where the others are almost separated from them, Newton steps move their scores
// long after the objective has come to rest.
func (o *Objective) uncertainBound(theta []float64, aim float64) (Bound, error) {
	v, least := linalg.Clone(o.curvatureAt(theta)), math.Inf(1)
	if o.failed != nil {
		return Bound{}, o.failed
	}
	for i := range v {
		if v[i] < uncertain*o.Weight(i) {
			v[i] = 0
		} else if v[i] > 0 {
			least = min(least, v[i])
		}
	}
	h, err := o.Gram(v)
	if err != nil {
		return Bound{}, o.keep(err)
	}
	for j := range o.Ridge {
		h.Set(j, j, h.At(j, j)+o.Ridge[j])
	}
	under := o.newBeneath(&linearization{theta: theta, h: h, floor: least, every: 1})
	if under == nil || under.zeros {
		return unproven(), nil
	}
	return o.boundInPasses(under, theta, aim, uncertain)
}

// partRows is the number of rows for each parameter whose Hessian the bound of many
// parameters of several classes tries before that of all rows: it is n/m times as large, which
// a fit's last step makes up for, since a model of the Hessian shrinks the gradient by tens.
const partRows = 10

// partBound is the bound by the Hessian at θ of part of the rows, which is beneath that of
// all: the dual point leaves the residuals of the others as they are. Where that is above the
// aim it is the bound by all.
func (o *Objective) partBound(theta []float64, aim float64) (Bound, error) {
	step := design.CoprimeTo30(o.N / (partRows * len(theta)))
	if step == 1 || o.partTooLarge(step) != nil {
		return o.exactBound(theta, aim)
	}
	part, err := o.rowsEvery(step)
	if err != nil {
		return Bound{}, err
	}
	l := part.hessAt(theta)
	l.every, o.cancelled = step, part.cancelled
	linalg.Scale(l.h.Data, float64(step))
	b := o.newBeneath(l)
	switch {
	case part.failed != nil:
		return Bound{}, o.keep(part.failed)
	case b == nil:
		return o.exactBound(theta, aim)
	}
	bound := o.boundBy(b, theta, 0, nil)
	if !(bound.Exists && bound.Gap <= aim) {
		var err error
		if bound, err = o.boundInPasses(b, theta, aim, 0); err != nil {
			return Bound{}, err
		}
	}
	if bound.Exists && bound.Gap <= aim {
		return bound, nil
	}
	return o.exactBound(theta, aim)
}

// DivergenceAtMost bounds what a point of the dual problem of the loss loses against the one that
// the scores make. Of classes that is Σ wᵢKL(qᵢ‖pᵢ) for the probabilities
//
//	qᵢ = s·pᵢ∘(1−uᵢ) + (1−s)·e_yᵢ,   uᵢₖ = xᵢᵀdₖ − Σₗ pᵢₗxᵢᵀdₗ,
//
// where s is the share, and of squared error ½Σ wᵢ(r″ᵢ−rᵢ)² for r″ = s·(r − Xd). The derivatives by
// such residuals are s·(g − Hd). With dᵀHd the decrement, and gᵀd at most fall, the bound is
//
//	κ(t)·[(1−s)²A + 2s(1−s)·gᵀd + s²·dᵀHd],   t = 1 − s + s·maxᵢₖ uᵢₖ,
//
// or the one by which KL is convex in q; of squared error it is the loss itself. reach is at least the
// largest uᵢₖ, and A = Σ wᵢΣₖ(e_yᵢₖ − pᵢₖ)²/pᵢₖ, that of Misfit. +Inf for reach > 1. The e_y of a row of several trials are the
// shares of its classes. Proof:
// qᵢₖ/pᵢₖ − 1 = (1−s)·(1[k=yᵢ]/pᵢₖ − 1) − s·uᵢₖ ≥ −t, and the squares sum to the brackets.
func (o *Objective) DivergenceAtMost(value, decrement, fall, misfit, reach, share float64) float64 {
	rest := 1 - share
	moved := share * (2*rest*fall + share*decrement)
	if o.ConstantHessian() {
		return rest*rest*value + moved/2
	}
	if !(reach <= 1) {
		return math.Inf(1)
	}
	convex := share*kappa(reach)*decrement + rest*value
	if misfit-misfit != 0 {
		return convex
	}
	return min(convex, kappa(rest+share*reach)*(rest*rest*misfit+moved))
}

// Misfit returns Σ wᵢ(1/pᵢ − 1) for the probabilities p that rows have of their own class,
// of several; +Inf where the loss is another one, or a probability is 0.
//
// Errors: those of the storage.
func (o *Objective) Misfit(theta []float64) (float64, error) {
	if _, several := o.loss.(loss.Softmax); !several {
		return math.Inf(1), nil
	}
	prob, total := o.probabilities(theta), 0.0
	if o.failed != nil {
		return 0, o.failed
	}
	for i, y := range o.Y {
		if w, p := o.Weight(i), prob.Row(i); w > 0 {
			total += w * others(p, int(y)) / p[int(y)]
		}
	}
	return total, nil
}
