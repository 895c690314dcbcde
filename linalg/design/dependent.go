package design

import (
	"math"
	"math/rand/v2"
	"slices"

	"halfspace/linalg"
)

// Of many columns of sparse rows a factorisation takes O(np²) and a dense copy, and products with
// them a pass. Random vectors c are brought to the null space of A, the products of the columns in
// units of their spread, by conjugate gradients: Ac = 0 for what a solution of Ax = Ac leaves of c.
// The last column with a part in such a vector is determined by those before it. Dependences such as
// that of indicators, which add up to 1, are far from all that columns can nearly be, and some forty
// products find each.

// manyColumns is the number of columns from which on dependences are looked for by products.
const manyColumns = 300

const (
	// mostSteps bounds the conjugate gradients of a vector. All of them are at most one for each column, which
	// cost less than a Hessian.
	mostSteps = 200
	// apart is the share of a vector that is more than rounding.
	apart = 1e-6
	// rounded is the square of the length of what rounding leaves of products with a vector of length 1.
	rounded = 1e-32
	// roundings of the values of a column may hide a dependence, as for [linalg.CheckRank].
	roundings = 0x1p-50
)

// Dependent looks for linear dependence among the intercept and the given columns (nil: all) of
// sparse rows by products with them alone; features ascend. Nil says nothing of rows that are dense,
// fewer than the columns, or of few columns, and proves nothing of others. A product costs two passes
// over the rows, each dependence takes some forty, and there are at most as many as columns. Memory: O(n), and O(p) for
// each dependence.
//
// Errors: a *[linalg.RankError], each of whose columns is determined by columns before it, as
// [linalg.CheckRank] has it, and whose rank is a bound from above: dependences that are nearly others can
// be missed; those of [Design.Spread].
func (d *Design) Dependent(features []int) error {
	p := d.P
	if features != nil {
		p = len(features)
	}
	rows := 0
	for i := range d.N {
		if d.Weight(i) > 0 {
			rows++
		}
	}
	if !d.Sparse() || p < manyColumns || rows < p {
		return nil
	}
	q := &products{d: d, scores: linalg.Zeros(d.N, 1), theta: make([]float64, d.Dim())}
	if q.mean, q.per, q.err = d.Spread(); q.err != nil {
		return q.err
	}
	e := &linalg.RankError{P: p}
	for j, sd := range q.per {
		if d.Intercept == 0 {
			sd, q.mean[j] = math.Hypot(sd, q.mean[j]), 0
		}
		q.per[j] = 0
		if _, in := slices.BinarySearch(features, j); !in && features != nil {
			continue
		}
		if sd == 0 {
			e.Columns = append(e.Columns, j)
		} else {
			q.per[j] = 1 / sd
		}
	}
	q.eliminate(e, q.nullVectors())
	slices.Sort(e.Columns)
	if e.Rank = p - len(e.Columns); q.err == nil && len(e.Columns) > 0 {
		return e
	}
	return q.err
}

// eliminate adds the last columns of the vectors to e, from the last one on.
func (q *products) eliminate(e *linalg.RankError, vectors [][]float64) {
	for j := q.d.P - 1; j >= 0; j-- {
		at := 0
		for i, v := range vectors {
			if math.Abs(v[j]) > math.Abs(vectors[at][j]) {
				at = i
			}
		}
		var pivot []float64
		if at < len(vectors) && math.Abs(vectors[at][j]) > apart {
			pivot = vectors[at]
			vectors = slices.Delete(vectors, at, at+1)
			linalg.Scale(pivot, 1/pivot[j])
			if off := q.off(pivot); off >= 0 {
				e.Columns, e.Left = append(e.Columns, j), max(e.Left, off)
			}
		}
		for _, v := range vectors {
			if pivot != nil {
				linalg.Axpy(v, -v[j], pivot)
			}
			v[j] = 0
		}
	}
}

// products multiplies columns in units of their spread, about their means with an intercept.
type products struct {
	d         *Design
	mean, per []float64 // of the features, and the inverse of their spread; 0 leaves one out
	scores    *linalg.Dense
	theta     []float64
	passes    int
	err       error
}

// apply sets dst to Ac and returns cᵀAc.
func (q *products) apply(dst, c []float64) float64 {
	d, k, square := q.d, q.d.Intercept, 0.0
	clear(q.theta)
	for j, v := range c {
		v *= q.per[j]
		q.theta[k+j] = v
		q.theta[0] -= float64(k) * q.mean[j] * v
	}
	err := d.Margins(q.scores.Data, q.theta)
	for i, f := range q.scores.Data {
		w := d.Weight(i) / d.Total
		square += w * f * f
		q.scores.Data[i] = w * f
	}
	var back []float64
	if err == nil {
		back, err = d.Back(q.scores)
	}
	if q.passes++; err != nil {
		q.err, q.passes = err, d.P
		return 0
	}
	for j := range dst {
		dst[j] = back[k+j] * q.per[j]
	}
	return square
}

// off returns how much of a column the others leave by the combination c; −1 if that is more than
// rounding.
func (q *products) off(c []float64) float64 {
	off, explained := math.Sqrt(q.apply(make([]float64, len(c)), c)), linalg.RankTol
	for _, t := range q.theta[q.d.Intercept:] {
		explained += roundings * math.Abs(t)
	}
	if off <= explained {
		return off
	}
	return -1
}

// nullVectors returns orthonormal vectors c with Ac = 0 but for rounding: a basis of all such, unless
// the passes are used up.
func (q *products) nullVectors() (found [][]float64) {
	random := rand.New(rand.NewPCG(1, 300))
	for {
		c := make([]float64, q.d.P)
		for j, per := range q.per {
			if per > 0 {
				c[j] = random.Float64() - 0.5
			}
		}
		linalg.Scale(c, 1/linalg.Norm(c))
		share := q.project(c, found, 1e6*rounded)
		if share *= q.project(c, found, 1); !(share > apart) {
			return found
		}
		found = append(found, c)
	}
}

// project moves c, of length 1, to the part of the null space that those found leave, by conjugate
// gradients that go on below slow as long as each halves what is left. It returns how long c was before
// it is of length 1 again; 0 if they are too many.
func (q *products) project(c []float64, found [][]float64, slow float64) float64 {
	s := linalg.NewConjugate(make([]float64, len(c)), make([]float64, len(c)), func([]float64) {})
	q.apply(s.Left, c)
	linalg.Scale(s.Left, -1)
	s.Start()
	before := math.Inf(1)
	for steps := 0; s.Size > rounded && (s.Size > slow || s.Size < before/2); steps++ {
		if steps == mostSteps || q.passes >= q.d.P {
			return 0
		}
		before = s.Size
		s.Step(q.apply(s.Image, s.Direction))
	}
	linalg.Axpy(c, 1, s.X)
	for range 2 {
		for _, f := range found {
			linalg.Axpy(c, -linalg.Dot(c, f), f)
		}
	}
	length := linalg.Norm(c)
	linalg.Scale(c, 1/length)
	return length
}
