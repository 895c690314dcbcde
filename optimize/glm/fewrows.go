package glm

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
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

// leastChance is the probability from which on a residual is changed: rounding of the change
// is large beside a smaller one.
const leastChance = 0x1p-60

// fewRows is the dual point of a ridge that changes the residuals of a few rows alone: by
// C·s for their factors C of the curvature V = CCᵀ, so that their sum is that of the
// gradient by the intercepts, and the derivatives by the features become small.
type fewRows struct {
	o       *Objective
	x       *linalg.Dense   // √w(1, x)
	c, ct   []*linalg.Dense // K×K, and transposed
	p       []float64       // probabilities, or curvatures of one score
	weights []float64
}

// boundByFewRows is the bound for a ridge on all features. O(m²p + m³K³) for m rows; in
// doubt all residuals of few rows are changed, with a pass that tells what rounding can do,
// and those of many rows by products with the Hessian.
//
// It is remembered at the last point: a stage that has nothing to do ends where the one before did.
func (o *Objective) boundByFewRows(theta []float64, aim float64) (Bound, error) {
	at := func() bool { return slices.Equal(o.memo.theta, theta) }
	if s := o.memo.byFewRows; s != nil && s.aim == aim && at() {
		return s.bound, nil
	}
	b, err := o.findFewRows(theta, aim)
	if err == nil && at() {
		o.memo.byFewRows = &sparedBound{b, aim}
	}
	return b, err
}

// findFewRows is boundByFewRows at a point that is not remembered.
func (o *Objective) findFewRows(theta []float64, aim float64) (Bound, error) {
	few, all := min(fewCorrections, o.k*int(2*math.Sqrt(float64(o.N))+1)), o.N*o.k
	var r *reach
	var err error
	if o.ConstantHessian() { // derivatives of the loss by scores are of any size
		if r, err = o.reaches(theta, nil, nil, 0); err != nil {
			return Bound{}, err
		}
	}
	for _, most := range []int{min(few, fewestCorrections*o.k), few} {
		if b, err := o.boundByRows(theta, most, r); err != nil || b.Gap <= aim {
			return b, err
		}
	}
	if all > allCorrections {
		return o.boundByProducts(theta, aim)
	}
	if r == nil {
		if r, err = o.reaches(theta, nil, nil, 0); err != nil {
			return Bound{}, err
		}
	}
	return o.boundByRows(theta, all, r)
}

// boundByRows is that bound by so many residuals. Without r, which a pass finds, the sizes of
// the columns bound the rounding of sums of residuals of at most 1.
func (o *Objective) boundByRows(theta []float64, most int, found *reach) (Bound, error) {
	r, err := o.takeRows(theta, most)
	if err != nil {
		return Bound{}, o.keep(err)
	}
	g := o.byFunction(o.memo.g)
	s, shortest := r.solve(g)
	if s == nil {
		return unproven(), nil
	}
	squares, t := linalg.Dot(s, s), r.largest(s)
	left, dim := r.leave(g, s), o.Dim()
	lost, relative := 0.0, o.roundingOfSums(o.k)
	for at, v := range left {
		size := o.sizes[at%dim]
		if found != nil {
			size = found.sizes[at]
		}
		e := 2 * relative * size
		if j := at % dim; j >= o.Intercept {
			e += 4 * unit * o.Ridge[j] * math.Abs(o.full[at])
			squares += v * v / o.Ridge[j]
			lost += e * e / o.Ridge[j]
		} else {
			lost += (math.Abs(v) + e) * (math.Abs(v) + e) * shortest
		}
	}
	nu := math.Sqrt(squares) + math.Sqrt(lost) + o.lostInScores(nil, theta, found)
	return proven(nu, t), nil
}

// takeRows takes evenly spaced rows with their curvatures at theta.
func (o *Objective) takeRows(theta []float64, most int) (*fewRows, error) {
	step := design.CoprimeTo30((o.N*o.k + most - 1) / most)
	part, err := o.Part(step)
	if err != nil {
		return nil, err
	}
	r := &fewRows{o: o, weights: part.Weights, p: part.curvatureAt(theta)}
	if r.x, err = part.Weighted(); err != nil || part.failed != nil {
		return nil, part.failed
	}
	o.expand(o.full, theta)
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
				c.Data[b*k+b] += math.Sqrt(v)
			}
		}
		ct := linalg.Zeros(k, k)
		linalg.Transpose(ct, c)
		r.c, r.ct = append(r.c, c), append(r.ct, ct)
	}
	return r, nil
}

// solve returns the s that makes κ = 1 of the bound least: the corrections s of all rows,
// nil where rounding prevents it, and what a unit of the intercepts' derivatives costs.
func (r *fewRows) solve(g []float64) (s []float64, shortest float64) {
	o, k, m := r.o, r.o.k, r.x.Rows
	dim, first := o.Dim(), o.Intercept
	root, under := make([]float64, dim), slices.Clone(g) // 1/√λ, and g/λ
	for j := range dim {
		if j >= first {
			root[j] = 1 / math.Sqrt(o.Ridge[j])
		}
		for c := range k {
			under[c*dim+j] *= root[j] * root[j]
		}
	}
	inner := linalg.GramOfRows(r.x, nil, root, o.Workers)
	h := linalg.Identity(m * k)
	s = make([]float64, m*k)
	for i := range m {
		for j := range i + 1 {
			for a := range k {
				for b := range k {
					h.Data[(i*k+a)*h.Stride+j*k+b] += inner.At(i, j) * linalg.Dot(r.ct[i].Row(a), r.ct[j].Row(b))
				}
			}
		}
		for c := range k {
			along := linalg.Dot(r.x.Row(i), under[c*dim:(c+1)*dim])
			linalg.Axpy(s[i*k:(i+1)*k], along, r.c[i].Row(c))
		}
	}
	factor, err := linalg.NewCholesky(h)
	if err != nil {
		return nil, 0
	}
	factor.Solve(s)
	if first == 0 {
		return s, 0
	}
	return s, r.meet(s, g, factor)
}

// meet changes s by the least in the metric of the factor so that the corrections sum to the
// derivatives by the intercepts.
func (r *fewRows) meet(s, g []float64, factor *linalg.Cholesky) (shortest float64) {
	k, dim, m := r.o.k, r.o.Dim(), r.x.Rows
	toward := linalg.Zeros(m*k, k) // by intercept
	for i := range m {
		for a := range k {
			for c := range k {
				toward.Set(i*k+a, c, r.x.At(i, 0)*r.c[i].At(c, a))
			}
		}
	}
	solved := toward.Clone()
	factor.SolveMatrix(solved)
	small := linalg.Zeros(k, k)
	linalg.MulTAdd(small, 1, toward, solved)
	size := linalg.NormInf(small.Data)
	for a := range small.Data {
		if k > 1 {
			small.Data[a] += size / float64(k) // adding one function to all changes nothing
		}
	}
	f, err := linalg.NewCholesky(small)
	if err != nil {
		return math.Inf(1)
	}
	inverse := f.Inverse()
	for c := range k {
		shortest += inverse.At(c, c)
	}
	mu := make([]float64, k)
	for range 2 {
		for c := range k {
			mu[c] = g[c*dim]
			for i := range m * k {
				mu[c] -= toward.At(i, c) * s[i]
			}
		}
		f.Solve(mu)
		for i := range s {
			s[i] += linalg.Dot(solved.Row(i), mu)
		}
	}
	return shortest
}

// leave returns the derivatives that the corrections leave, by function.
func (r *fewRows) leave(g, s []float64) []float64 {
	k, dim := r.o.k, r.o.Dim()
	left := append([]float64(nil), g...)
	for i, c := range r.c {
		for a := range k {
			linalg.Axpy(left[a*dim:(a+1)*dim], -linalg.Dot(c.Row(a), s[i*k:(i+1)*k]), r.x.Row(i))
		}
	}
	return left
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
	n := len(theta)
	o.Hess(linalg.Zeros(n, n), make([]float64, n), theta)
	under := o.factored(&o.last)
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
	v, least := slices.Clone(o.curvatureAt(theta)), math.Inf(1)
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
	part, err := o.Part(step)
	if err != nil {
		return Bound{}, err
	}
	l := &linearization{theta: theta, h: linalg.Zeros(len(theta), len(theta)), every: step}
	part.Hess(l.h, make([]float64, len(theta)), theta)
	linalg.Scale(l.h.Data, float64(step))
	l.floor, o.cancelled = part.last.floor, part.cancelled
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

// Bound returns a bound on F(θ) − min F that is at most aim if one is within reach. It
// takes the last Hessian that a pass has made near θ, in O(p³) and without a pass, and in
// doubt that at θ, with a pass over the rows for the exact t and, if need be, leverages.
// Errors: those of the storage.
func (o *Objective) Bound(theta []float64, aim float64) (Bound, error) {
	if o.evaluate(theta); o.failed != nil {
		return Bound{}, o.failed
	}
	b := o.quickBound(theta)
	if b.Exists && b.Gap <= aim {
		return b, nil
	}
	surely := o.exactBound
	switch {
	case o.rows != nil:
		surely = o.rows.bound
	case o.spares():
		surely = o.boundByFewRows
	case o.Parameters() > factorable:
		return b, nil
	case o.Wide():
		surely = o.partBound
	}
	exact, err := surely(theta, aim)
	if err == nil && !(b.Exists && b.Gap < exact.Gap) {
		b = exact
	}
	return b, err
}

// spares reports whether the plan is one that makes no Hessian: the bound then makes none
// either.
func (o *Objective) spares() bool {
	s := o.shape()
	if s.scores > 1 {
		return s.ridge && s.parameters > modeledParameters
	}
	return s.ridge && s.dim > manyFeatures && s.rows < manyRows*s.dim
}
