package path

import (
	"cmp"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/exact"
)

// centered is a step d by the coordinates without a penalty, but for rounding the Newton step, and
// what is known of it.
type centered struct {
	d         []float64 // by these coordinates; nil is 0
	decrement float64   // dᵀHd
	reach     float64   // the largest uᵢₖ, at least
	slope     float64   // of likelihoods |(Hd)ⱼ| is at most so many times the size of column j, where it is not subtracted
	misfit    func() (float64, error)
	copied    bool // scores are those of a copy of the features about their origin, also where rows are stored about 0
	sumLength int  // additions by which a row comes into a derivative; 0 is those of passes over blocks

	inverse *linalg.Dense // H⁻¹ by those coordinates; nil without such
	roots   []float64     // √Hⱼⱼ
	above   *above        // in the place of these where the coordinates are very many intercepts
	weak    float64       // H is off by at most this share of itself
	left    []float64     // of the derivatives by those coordinates, by a pass; nil before it
	summed  bool          // but for the errors of residuals these were right to the last digit before Hd was subtracted
	sums    []float64     // Σ wᵢ|rᵢxᵢⱼ| by coordinate; nil where they were not measured
	largest float64       // the largest sum of the sizes of a score's terms; 0 where it was not measured

	moved float64   // what rounding moves a derivative by at most, in the gap last found by the step
	exact []float64 // derivatives by coordinates with a penalty which the step makes what they are, its errors and all, else NaN; nil is none
}

// blur bounds how far derivatives are from those known: by rounding errors, which are
// proportional to Σ wᵢ|rᵢxᵢⱼ|, by a slope in the sizes of columns, and by a step of a
// length along the coordinates without a penalty, by which the scores of likelihoods turn. As the residuals of classes are at most 1, and at most the
// loss of their row, the sum is at most min(Σ wᵢ|xᵢⱼ|, √(Σ wᵢLᵢ·Σ wᵢxᵢⱼ²)) where it is not known itself.
type blur struct {
	p                      *Problem
	relative, slope, along float64
	turn                   float64   // of likelihoods the largest change of a score along the step
	residuals              float64   // their length √Σ wᵢrᵢ², at least
	sums                   []float64 // by coordinate; nil where they are not known
	plain                  bool      // residuals are at most 1
	exact                  []float64 // see centered
}

// blur returns that of derivatives alone, where the loss is about value, by so many additions.
//
//go:noinline // a program would have a dozen copies
func (p *Problem) blur(value float64, sumLength int) *blur {
	b := &blur{p: p, relative: p.roundingOfSums(sumLength), residuals: math.Sqrt(value), plain: true}
	if p.ConstantHessian() {
		b.residuals, b.plain = math.Sqrt(2*value), false
	}
	return b
}

// at bounds how far the derivative by a coordinate is off.
func (b *blur) at(j int) float64 {
	if b.exact != nil && b.exact[j] == b.exact[j] {
		return 0
	}
	lean := 0.0
	if b.along > 0 {
		lean = b.p.leans[j]
	}
	return b.by(b.sum(j), b.p.size(j), lean)
}

// by is the bound by a coordinate of such a sum, size and bound on √(Hⱼⱼ).
func (b *blur) by(sum, size, lean float64) float64 {
	lean *= b.along
	if b.turn > 0 && (b.along == 0 || b.turn*sum < lean) {
		lean = b.turn * sum
	}
	return b.relative*sum + b.slope*size + lean
}

// furthest is at least as large as at of any coordinate.
func (b *blur) furthest() float64 {
	sum := math.Inf(1)
	if b.plain {
		sum = b.p.most.size
	}
	if b.p.lengths != nil {
		sum = min(sum, b.residuals*b.p.most.length)
	}
	return b.by(sum, b.p.most.size, b.p.most.lean)
}

// sum bounds Σ wᵢ|rᵢxᵢⱼ|.
func (b *blur) sum(j int) float64 {
	sum := math.Inf(1)
	if b.plain {
		sum = b.p.size(j)
	}
	if b.p.lengths != nil {
		sum = min(sum, b.residuals*b.p.lengths[j])
	}
	if b.sums != nil {
		sum = min(sum, b.sums[j])
	}
	return sum
}

// rounding is what rounding errors do to a gap.
type rounding struct {
	moved  *blur
	length float64 // √(δᵀHδ) of what the step lacks of the Newton step, δ
	turn   float64 // the largest difference of scores along δ

	first  float64 // Σ wᵢ|rᵢₖδᵢₖ| for the errors δ of scores
	second float64 // the divergence between the chances with and without them; of squared error ½Σ wᵢδᵢ²
	square bool
}

// roundingAt bounds the rounding errors at a point. Derivatives e that are left by the coordinates
// without a penalty are those of a step δ = H⁻¹e, which moves others within |Hδ|: by at most √(Hⱼⱼ·δᵀHδ), and of
// likelihoods by as many times Σ wᵢ|rᵢxᵢⱼ| as scores change along δ.
//
// Errors: those of the storage.
func (p *Problem) roundingAt(value float64, theta []float64, c *centered) (r *rounding, err error) {
	moved := p.blur(value, c.sumLength)
	r = &rounding{moved: moved, square: p.ConstantHessian()}
	if moved.sums, moved.exact = c.sums, c.exact; !r.square {
		moved.slope = c.slope
	}
	if c.left != nil {
		moved.relative *= 1 + min(1, c.reach) // for the errors of Hd
	}
	if c.d != nil {
		if r.length, r.turn, err = p.turn(c, p.lacking(moved, c)); err != nil {
			return nil, err
		}
	}
	p.addScores(r, value, theta, c)
	if p.Implied() && !c.copied {
		rest, _ := p.RowsAt(theta)
		if err = p.Err(); err != nil {
			return nil, err
		}
		length := math.Sqrt(r.second) + math.Abs(exactSum(rest))/math.Sqrt(2*p.Total)
		r.second = length * length // the level that is implied is not the best
	}
	switch {
	case !r.square:
		if moved.turn = r.turn; p.leans != nil {
			moved.along = r.length / 2 // a coordinate's Hⱼⱼ is at most a quarter of the square of its column
		}
	case c.left == nil:
		moved.along = r.length + math.Sqrt(c.decrement)
	default:
		moved.along = r.length
	}
	return r, nil
}

// exactSum returns Σ rᵢ to all digits.
func exactSum(residuals []float64) float64 {
	var sum exact.Sum
	for _, r := range residuals {
		sum.Add(r, 0)
	}
	return sum.Value()
}

// lacking returns the sizes of the derivatives e that a step leaves, by the coordinates without a penalty.
func (p *Problem) lacking(moved *blur, c *centered) []float64 {
	e, unsolved := make([]float64, len(p.free)), 0.0
	if c.left == nil {
		for i, root := range c.roots {
			unsolved += 2 * c.weak * root * math.Abs(c.d[i])
		}
	}
	relative := moved.relative
	if c.summed {
		relative = 2*float64(p.Scores()+8)*unit + relative*min(1, c.reach)
	}
	for i, j := range p.free {
		if e[i] = relative * moved.sum(j); c.left != nil {
			e[i] += math.Abs(c.left[i])
		} else {
			e[i] += c.roots[i] * unsolved
		}
	}
	return e
}

// turn returns the length √(δᵀHδ) and the largest difference of scores along δ = H⁻¹e, for all e of
// the sizes given: by features in a pass, and by m intercepts in O(m²), for two of them differ by at
// most the sum of their distances from the mean of all. That is at most twice the largest difference.
//
// Errors: those of the storage.
func (p *Problem) turn(c *centered, e []float64) (length, turn float64, err error) {
	if a := c.above; a != nil {
		t := a.share(e)
		return t * math.Sqrt(2*linalg.Dot(a.s, a.z)), 4 * t * linalg.Max(a.z), nil
	}
	most := 0.0
	along := func(row, less []float64) (s float64) {
		for i, v := range row {
			s += math.Abs(v-less[i]) * e[i]
		}
		return s
	}
	none, mean, delta := make([]float64, len(e)), make([]float64, len(e)), make([]float64, len(e))
	for i := range delta {
		linalg.Axpy(mean, 1/float64(len(e)), c.inverse.Row(i))
		delta[i] = along(c.inverse.Row(i), none)
		length += delta[i] * e[i]
		most = max(most, c.inverse.At(i, i))
	}
	length = math.Sqrt(length * 4 / 3) // for H is at least ¾ of itself as it was summed
	off := 2 * c.weak * length * math.Sqrt(most)
	first, second := 0.0, 0.0 // of the distances from the mean
	for i := range delta {
		delta[i] += off
		turn = max(turn, delta[i])
		far := along(c.inverse.Row(i), mean) + off
		first, second = max(first, far), max(second, min(first, far))
	}
	if p.levelsAlone() {
		return length, max(turn, first+second), nil
	}
	turn, err = p.largestTerms(p.scattered(p.free, delta))
	return length, turn * float64(min(2, p.Scores())), err // a difference of two
}

// manyLevels is the number of intercepts from which on their Hessian is known by products. So many, mostProducts, are made for a
// step; where chances are so near 0 and 1 that these do not lead there, it is factored.
const manyLevels, mostProducts = 64, 60

// above bounds the inverse of the Hessian H by the intercepts of K classes but one, of which no element off the
// diagonal is positive: where Hz ≥ s/2 > 0 for a z ≥ 0, no element of H⁻¹ is negative, and H⁻¹|e| ≤ t·H⁻¹s ≤ 2tz for |e| ≤ ts.
// (Berman & Plemmons, Nonnegative Matrices in the Mathematical Sciences, 1994, theorem 6.2.3.)
type above struct{ z, s []float64 }

// share returns the least t with |e| ≤ ts.
func (a *above) share(e []float64) (t float64) {
	for i, s := range a.s {
		t = max(t, math.Abs(e[i])/s)
	}
	return t
}

// levelStep makes c the step by very many intercepts, by conjugate gradients, and reports whether they lead there, and
// rounding leaves no doubt of the bound. O(nK) for each.
func (p *Problem) levelStep(c *centered, g, theta []float64) bool {
	times, sums := p.Levels(theta)
	a := &above{s: sums}
	solve := func(b []float64, share float64) (x []float64, ok bool) {
		x = make([]float64, len(b))
		s := linalg.NewConjugate(x, b, func(z []float64) {
			for i, s := range sums {
				z[i] /= s
			}
		})
		s.Start()
		_, ok = s.Run(mostProducts, times, func(int) bool { return a.share(s.Left) <= share })
		return x, ok
	}
	right, ok := linalg.Clone(sums), false
	if a.z, ok = solve(right, 1./4); !ok {
		return false
	}
	times(right, a.z)
	rounding := 4 * (p.roundingOfSums(0) + p.roundingOfSums(p.N))
	for i, s := range sums {
		if z := a.z[i]; !(z >= 0 && right[i]-rounding*(2*s*z-right[i]) >= s/2) {
			return false
		}
		right[i] = g[p.free[i]]
	}
	if c.d, ok = solve(right, p.roundingOfSums(0)); ok {
		c.above, c.reach = a, max(0, linalg.Max(c.d))-min(0, linalg.Min(c.d))
	}
	return ok
}

// addScores adds the rounding errors of scores: some units in the last place of the terms of each,
// offsets among them. Of likelihoods the divergence is at most twice the largest error δ of a row,
// and for errors of at most 1 at most 2Σₖ |rₖ|δₖ².
func (p *Problem) addScores(r *rounding, value float64, theta []float64, c *centered) {
	terms, all, sums, length := 0, 0.0, 0.0, 0.0
	for j, t := range theta {
		if t == 0 {
			continue
		}
		terms++
		all += math.Abs(t) * p.size(j)
		sums += math.Abs(t) * r.moved.sum(j)
		if r.square {
			length += math.Abs(t) * p.lengths[j]
		}
	}
	relative := float64(min(terms, p.Dim())+4) * unit
	if r.square {
		if p.Implied() && !c.copied {
			length *= 2 // the level at 0 is as large
		}
		length = relative*(length+p.offsets) + 4*unit*p.responses
		r.second = length * length / 2
		return
	}
	offset := relative * p.largestOffset
	r.first = relative*sums + 2*offset*value
	r.second = 2 * relative * all
	if largest := relative * cmp.Or(c.largest, all/p.leastWeight); largest <= 1 {
		r.second = min(r.second, 4*relative*sums*largest)
	}
	if r.second += 8 * offset * offset * value; offset > 1 {
		r.second = math.Inf(1)
	}
}

// divergence adds to that of the dual point, which changes chances by up to a share of themselves,
// what errors of the scores do.
func (r *rounding) divergence(known, share float64) float64 {
	if r.square {
		length := math.Sqrt(known) + math.Sqrt(r.second)
		return length * length
	}
	return known + share*r.first + r.second
}

// largestTerms returns the largest sum of the sizes of the terms of a score at theta, over the
// rows that count.
func (p *Problem) largestTerms(theta []float64) (float64, error) {
	sizes := make([]float64, p.N)
	err := p.TermSizes(sizes, p.FunctionsOf(theta))
	for i := range sizes {
		if !(p.Weight(i) > 0) {
			sizes[i] = 0
		}
	}
	return linalg.Max(sizes), err
}

// size returns Σ wᵢ|xᵢⱼ| by coordinate, which the first pass has found.
//
//go:noinline // a program would have a dozen copies
func (p *Problem) size(j int) float64 {
	sizes, _ := p.Sizes()
	if j >= len(sizes) {
		j %= len(sizes)
	}
	return sizes[j]
}
