package glm

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize/loss"
)

// linearization is a Hessian, or that of part of the rows, as a pass made it.
type linearization struct {
	theta  []float64
	h      *linalg.Dense // nil before the first
	floor  float64       // the least curvature of a row there
	every  int           // h is of one row in so many, each standing for as many
	scores []float64     // of all rows there; nil where all rows are in h
}

// beneath is a factored linearization: B, which but for rounding is at most every times
// the Hessian where it was made.
type beneath struct {
	*linearization
	inverseL *linalg.Dense // L⁻¹ of B = LLᵀ
	spread   []float64     // √(B⁻¹)ⱼⱼ
	zeros    bool          // there are columns of zeros
	weak     float64       // (1−weak)·B is beneath the Hessian whatever the rounding
	shrunk   float64       // B is h less this share of its diagonal
}

// newBeneath factors a linearization; nil where rounding leaves a doubt that it is
// positive definite. Elements of h are off by γ√(hᵢᵢhⱼⱼ), differences by as much more as they are smaller than
// their terms: in all by at most γp of the diagonal, which relative to h is γp times
// the trace of the inverse of its correlations. Where that is much, as where a small ridge alone tells columns apart,
// twice as much is taken from the diagonal, and only the rounding of L⁻¹ is left.
func (o *Objective) newBeneath(l *linearization) *beneath {
	n, h := l.h.Rows, l.h
	b := &beneath{linearization: l, spread: make([]float64, n)}
	for j := range n {
		if h.At(j, j) == 0 {
			if o.sizes[j%o.Dim()] > 0 { // all rows with a value there are too certain to have a curvature
				return nil
			}
			if !b.zeros { // a column of zeros, whose parameter changes nothing
				h, b.zeros = h.Clone(), true
			}
			h.Set(j, j, 1)
		}
	}
	share := 4 * (o.roundingOfSums(o.P*o.k)*(1+2*o.cancelled) + float64(n)*unit) * float64(n)
	trace := b.factor(o, h)
	if b.weak = share * trace; !(b.weak < 0.25) {
		b.shrunk, h = 2*share, h.Clone()
		for j := range n {
			h.Data[j*h.Stride+j] *= 1 - b.shrunk
		}
		trace = b.factor(o, h)
		b.weak = share * math.Sqrt(trace)
	}
	if trace > 0 && b.weak < 0.25 {
		return b
	}
	return nil
}

// factor sets L⁻¹ and the roots, and returns the trace of the inverse of the correlations, 0 of none.
func (b *beneath) factor(o *Objective, h *linalg.Dense) (trace float64) {
	o.Work.Spend(h.Rows, h.Rows, h.Rows)
	factor, err := linalg.NewCholesky(h)
	if err != nil {
		return 0
	}
	clear(b.spread)
	b.inverseL = factor.InverseL(o.Workers)
	for i := range h.Rows {
		for j, v := range b.inverseL.Row(i)[:i+1] {
			b.spread[j] += v * v
		}
	}
	for j, v := range b.spread {
		trace += v * h.At(j, j)
		b.spread[j] = math.Sqrt(v)
	}
	return trace
}

// step returns B⁻¹g and its length √(gᵀB⁻¹g).
func (b *beneath) step(g []float64) (d []float64, length float64) {
	n := len(g)
	half := make([]float64, n)
	for i := range n {
		half[i] = linalg.Dot(b.inverseL.Row(i), g)
	}
	d = make([]float64, n)
	linalg.MulTVecAdd(d, b.inverseL, half)
	return d, linalg.Norm(half)
}

// length returns √(uᵀhu), and what rounding may have taken from it.
func (b *beneath) length(u []float64) float64 {
	s := 0.0
	for i, v := range u {
		if v != 0 {
			s += v * (linalg.Dot(b.h.Row(i), u) + b.shrunk*b.h.At(i, i)*v)
		}
	}
	return math.Sqrt(max(0, s))
}

// leverages returns bounds on (eₖ−eₗ)ᵀxᵢB⁻¹xᵢ(eₖ−eₗ) for the differences of scores of the
// rows of a block: of one score xᵢᵀB⁻¹xᵢ itself. O(m²p²) for each row.
func (b *beneath) leverages(rows *design.Block, dim int) []float64 {
	n, m := b.inverseL.Rows, rows.Len()
	x, by := linalg.Zeros(m, dim), make([]float64, m)
	for i := range by {
		rows.Row(x.Row(i), i)
	}
	for at := 0; at < n; at += dim { // L⁻¹ has zeros above
		part := &linalg.Dense{Rows: n - at, Cols: dim, Stride: b.inverseL.Stride, Data: b.inverseL.Data[at*b.inverseL.Stride+at:]}
		along := linalg.Zeros(m, n-at)
		linalg.MulBTAdd(along, 1, x, part)
		for i := range by {
			by[i] += linalg.Dot(along.Row(i), along.Row(i))
		}
	}
	if n > dim {
		linalg.Scale(by, 2)
	}
	return by
}

// reach is what a pass finds of the rows: the largest difference of scores along a
// direction, the largest leverage, and the sizes of the terms of sums, unless they are known.
type reach struct {
	terms
	known    bool
	o        *Objective
	under    *beneath
	least    float64 // curvature of rows that have a part in the dual point
	widest   float64
	leverage float64
	along    *design.Functions // the direction; nil if there is none
	at       *design.Functions // sizes of the functions at the point; nil where those of scores are not asked for
	room     *linalg.Dense     // for four values of the rows of a block by score
	off      []float64         // Σ wᵢ|rᵢₖ|
}

// terms are the sizes of the terms of sums over the rows at a point.
type terms struct {
	theta  []float64
	sizes  []float64 // Σ wᵢ|rᵢₖxᵢⱼ|, of the gradient by K functions
	scores float64   // Σ wᵢ‖Vᵢ‖·Σₖ(|offsetᵢₖ| + Σⱼ|θₖⱼxᵢⱼ|)²
}

// newReach returns the reach of no rows; least < 0 asks for the sizes of the terms of the gradient alone,
// in its place.
func (o *Objective) newReach(theta, d []float64, under *beneath, least float64) *reach {
	k, dim := o.k, o.Dim()
	if under != nil { // leverages
		o.Work.Spend(o.N, len(theta), len(theta)/2)
	}
	r := &reach{o: o, under: under, least: least, known: slices.Equal(o.terms.theta, theta), off: make([]float64, k)}
	if r.sizes = o.memo.g; least >= 0 || len(r.sizes) != k*dim {
		r.sizes = make([]float64, k*dim)
	}
	if least < 0 {
		o.memo.theta, o.memo.g = nil, nil
		clear(r.sizes)
		return r
	}
	r.at = o.NewFunctions(k)
	if d != nil {
		r.along = o.NewFunctions(k)
		functions := o.functions(d)
		for c := range k {
			r.along.Set(o.Design, c, functions[c*dim:(c+1)*dim])
		}
	}
	functions, f := o.functions(theta), make([]float64, dim)
	for c := range k {
		copy(f, functions[c*dim:])
		makeAbsolute(f)
		for j, from := range o.Origin { // an implied origin then adds to the level
			f[j+o.Intercept] = math.Copysign(f[j+o.Intercept], -from)
		}
		r.at.Set(o.Design, c, f)
	}
	makeAbsolute(r.at.Slopes.Data)
	return r
}

// piece returns the reach of no rows along the same step, with room for the sizes and for a block.
func (r *reach) piece(sizes []float64) *reach {
	s := *r
	s.sizes, s.off = sizes, make([]float64, len(r.off))
	s.room = linalg.Zeros(4*min(linalg.BlockRows, r.o.N), r.o.k)
	return &s
}

// Reset forgets all rows.
func (r *reach) Reset() {
	r.widest, r.leverage, r.scores = 0, 0, 0
	clear(r.sizes)
	clear(r.off)
}

// Add takes in the rows of a block that count.
func (r *reach) Add(b *design.Block) {
	o, m := r.o, b.Len()
	f, residuals, v, d := r.room.RowRange(0, m), r.room.RowRange(m, 2*m), r.room.RowRange(2*m, 3*m), r.room.RowRange(3*m, 4*m)
	o.score(f, b)
	o.loss.Rows(residuals.Data, v.Data, o.Y[b.Lo:b.Hi], f.Data, b.Weights())
	if r.along != nil {
		b.AlongAll(d, r.along)
		r.addSteps(b, d, v)
	}
	if !r.known {
		r.addTerms(b, residuals, v, f)
	}
}

// addSteps takes in the steps d of a block along the direction.
func (r *reach) addSteps(b *design.Block, d, v *linalg.Dense) {
	o := r.o
	var by []float64
	if r.under != nil {
		by = r.under.leverages(b, o.Dim())
	}
	for i := range d.Rows {
		leverage := math.Inf(1) // where it is not looked for
		if by != nil {
			leverage = by[i]
		}
		w, bend := o.Weight(b.Lo+i), o.bend(b.Lo+i, v.Row(i))
		if !(w > 0) || bend*leverage < negligible || bend < r.least*w {
			continue // the dual point leaves the residual of such a row as it is
		}
		r.widest, r.leverage = max(r.widest, span(d.Row(i))), max(r.leverage, leverage)
	}
}

// addTerms adds the sizes of the terms of a block, whose rows, residuals and scores are
// overwritten.
func (r *reach) addTerms(b *design.Block, residuals, v, scores *linalg.Dense) {
	makeAbsolute(residuals.Data)
	b.TakeSizes()
	b.AddBack(r.sizes, residuals)
	for i := range residuals.Rows {
		linalg.Axpy(r.off, 1, residuals.Row(i))
	}
	if r.at == nil {
		return
	}
	b.AlongAll(scores, r.at)
	for i := range scores.Rows {
		bend := r.o.bend(b.Lo+i, v.Row(i))
		if bend == 0 {
			continue
		}
		for c, s := range scores.Row(i) {
			s += math.Abs(r.o.OffsetOf(b.Lo+i, c))
			r.scores += bend * s * s
		}
	}
}

// bend returns a bound on the weighted curvature of row i by any of its scores, which v
// tells as the loss has it.
func (o *Objective) bend(i int, v []float64) float64 {
	if o.k == 1 {
		return v[0]
	}
	most := 0.0
	for _, p := range v {
		most = max(most, p*(1-p))
	}
	return 2 * o.Weight(i) * most
}

// negligible is the share of the Hessian, along any direction, below which a row that is all
// but certain is left out of it: rounding of the rest, which is allowed for, is larger.
const negligible = 1e-24

// reaches makes a pass at theta, along a step d (nil: none); rows of less curvature, relative to
// their weight, have no part in the dual point. Leverages are by B; without one they are not
// looked for. The sizes of terms are remembered.
func (o *Objective) reaches(theta, d []float64, under *beneath, least float64) (*reach, error) {
	if d == nil && slices.Equal(o.terms.theta, theta) {
		return &reach{terms: o.terms, o: o}, nil
	}
	total, room := o.newReach(theta, d, under, least), o.room()
	o.moveTo(theta)
	err := design.Reduce(o.Design, o.k, func() *reach { return total.piece(room()) }, func(r *reach) {
		total.widest, total.leverage = max(total.widest, r.widest), max(total.leverage, r.leverage)
		total.scores += r.scores
		linalg.Axpy(total.sizes, 1, r.sizes)
		linalg.Axpy(total.off, 1, r.off)
	})
	if total.known {
		total.terms = o.terms
		return total, o.keepIf(err)
	}
	o.FinishBack(total.sizes, o.k, o.spare[0])
	for j := 0; o.Implied() && j < o.P; j++ {
		for c, v := range total.off {
			total.sizes[c*o.Dim()+o.Intercept+j] += v * math.Abs(o.Origin[j]) / o.Unit[j]
		}
	}
	if total.at != nil {
		o.terms = total.terms
		o.terms.theta = linalg.Clone(theta)
	}
	return total, o.keepIf(err)
}

// boundInPasses is the bound by B with a pass along its Newton step, and another for the
// leverages where the curvatures of the rows bound them too loosely.
func (o *Objective) boundInPasses(b *beneath, theta []float64, aim, least float64) (Bound, error) {
	d, _ := b.step(o.memo.g)
	linalg.Scale(d, float64(b.every))
	r, err := o.reaches(theta, d, nil, least)
	if err != nil {
		return Bound{}, err
	}
	bound := o.boundBy(b, theta, 0, r)
	if nu := bound.Decrement; bound.Exists && (bound.Gap <= aim || nu*nu/2 > aim) {
		return bound, nil
	}
	if r, err = o.reaches(theta, d, b, least); err != nil {
		return Bound{}, err
	}
	return o.boundBy(b, theta, 0, r), nil
}

// size returns Σ wᵢ|rᵢxᵢⱼ| by a parameter, the sizes of the terms of a derivative.
func (r *reach) size(parameter int) float64 {
	dim := r.o.Dim()
	if r.o.q == nil {
		return r.sizes[parameter]
	}
	s := 0.0
	for c := range r.o.k {
		s += math.Abs(r.o.q.At(c, parameter/dim)) * r.sizes[c*dim+parameter%dim]
	}
	return s
}

// Bound is what is proven about a point: see the package's documentation.
type Bound struct {
	Gap         float64 // F(θ) − min F is at most this; +Inf: nothing is proven
	Decrement   float64 // ν, no less than √(gᵀH⁻¹g)
	Exists      bool    // a minimum exists
	Independent bool    // the columns are independent, whatever the rounding
}

// Proves reports whether the objective has a duality gap: the likelihoods of classes and
// squared error have, a user's own loss has none.
func (o *Objective) Proves() bool { return o.ConstantHessian() || loss.IsCategorical(o.loss) }

// kappa returns [t + (1−t)log(1−t)]/t² for 0 ≤ t ≤ 1, near 0 by Σ tᵏ/((k+1)(k+2)): ½ at 0
// and 1 at 1.
func kappa(t float64) float64 {
	switch {
	case t >= 1:
		return 1
	case t > 0.25:
		return (t + (1-t)*math.Log1p(-t)) / (t * t)
	}
	s, power := 0.0, 1.0
	for k := 1.0; k < 30; k++ {
		s += power / (k * (k + 1))
		power *= t
	}
	return s
}

// leastFloor stands for curvatures below it, which may be 0.
const leastFloor = 1e-200

// unproven is the bound of nothing.
func unproven() Bound { return Bound{Gap: math.Inf(1), Decrement: math.Inf(1)} }

// proven is the bound by a dual point whose probabilities change by up to t of themselves, with a
// ridge or independent columns. Of squared error it is the same whatever t.
func (o *Objective) proven(nu, t float64) Bound {
	if o.ConstantHessian() {
		t = 0
	}
	if nu != nu { // 0·∞, of sums that cannot be judged
		nu = math.Inf(1)
	}
	if !(t < 1) {
		return Bound{Gap: math.Inf(1), Decrement: nu, Independent: true}
	}
	return Bound{Gap: kappa(t) * nu * nu, Decrement: nu, Exists: true, Independent: true}
}

// quickBound is the bound by the last Hessian, or by that of part of the rows.
func (o *Objective) quickBound(theta []float64) Bound {
	rate, pair := o.turning()
	if l := &o.last; l.h != nil {
		b := o.factored(l)
		if b == nil {
			return unproven()
		}
		step := linalg.Clone(theta)
		linalg.Axpy(step, -1, l.theta)
		drift := 0.0
		if moved := b.length(step); rate > 0 && moved > 0 {
			drift = math.Sqrt(pair/max(l.floor, leastFloor)/(1-b.weak)) * moved
		}
		return o.boundBy(b, theta, drift, nil)
	}
	if l := o.part; l != nil && o.memo.drift <= 1 {
		if b := o.factored(l); b != nil {
			return o.boundBy(b, theta, o.memo.drift, nil)
		}
	}
	return unproven()
}

// factored returns the factors of a linearization, those of the last call if they are of
// the same.
func (o *Objective) factored(l *linearization) *beneath {
	if u := &o.under; u.of != l || !slices.Equal(u.theta, l.theta) {
		*u = factors{l, linalg.Clone(l.theta), o.newBeneath(l)}
	}
	return o.under.b
}

// boundBy returns the bound that B allows for a point at which differences of scores are
// up to drift from those where B was made. r is what a pass along the Newton step has found
// there; without one curvatures bound the leverages.
func (o *Objective) boundBy(b *beneath, theta []float64, drift float64, r *reach) Bound {
	rate, pair := o.turning()
	turned := math.Exp(rate * drift)
	share := math.Sqrt(turned * float64(b.every) / (1 - b.weak))
	_, length := b.step(o.memo.g)
	lost := share*(o.lostInSums(b, theta, r)+b.weak*length) + math.Sqrt(turned)*o.lostInScores(b, theta, r)
	nu := share*length + lost
	longest := math.Sqrt(turned * pair / max(b.floor, leastFloor)) // √ of the largest leverage at θ
	t := longest * nu
	if r != nil {
		longest = min(longest, math.Sqrt(float64(b.every)*r.leverage/(1-b.weak)))
		t = min(t, r.widest+longest*lost)
	}
	bound := o.proven(nu, t)
	bound.Independent = !b.zeros
	return bound
}

// lostInSums bounds the length √(eᵀB⁻¹e) of the rounding errors e of the gradient's sums.
func (o *Objective) lostInSums(b *beneath, theta []float64, r *reach) float64 {
	relative, dim, total := o.roundingOfSums(o.k), o.Dim(), 0.0
	for j, s := range b.spread {
		size := o.sizes[j%dim] * float64(min(o.k, 2))
		switch {
		case r != nil:
			size = r.size(j)
		case o.ConstantHessian() && b.every > 1: // part of the rows does not tell how long a column is
			size *= math.Sqrt(2 * o.memo.value / o.leastWeight())
		case o.ConstantHessian():
			size = math.Sqrt(2 * o.memo.value * b.h.At(j, j))
		}
		total += s * relative * size
		if o.Ridge != nil {
			total += s * 4 * unit * o.Ridge[j%dim] * math.Abs(theta[j])
		}
	}
	return total
}

// lostInScores bounds √(Σ wᵢvᵢδᵢ²) for the rounding errors δ of the scores: an error of
// the gradient that no basis makes larger.
func (o *Objective) lostInScores(b *beneath, theta []float64, r *reach) float64 {
	terms, relative := 0.0, float64(o.P+o.k)*unit
	if r != nil {
		return relative * math.Sqrt(r.scores)
	}
	least, bend := o.leastWeight(), 0.5 // √ of the largest curvature: of several scores along their length
	switch {
	case o.ConstantHessian():
		bend = 1
	case o.k > 1:
		bend = math.Sqrt(bend)
	}
	for j, v := range theta {
		size := o.sizes[j%o.Dim()] / math.Sqrt(least) * bend
		if b != nil && b.every == 1 {
			size = math.Sqrt(b.h.At(j, j))
		}
		terms += math.Abs(v) * size
	}
	return relative*terms + unit*math.Sqrt(o.offsetSquares())
}
