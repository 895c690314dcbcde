package columnwise

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/penalty"
)

// several is the model of the rows of several scores: their derivatives, and the steps so far.
type several struct {
	o     *glm.Objective
	r, v  []float64 // by row and score: as [loss.Batch] has them
	steps []float64 // s, and
	mean  []float64 // Σ pₗsₗ by row
}

// leastShare is the least curvature of a row relative to the square of its residual: it adds
// to that of rows whose own class has a probability below a fiftieth.
const leastShare = 0.02

// curvatures returns wp and e of a row for the score at an index.
func (m *several) curvatures(i, at int) (wp, extra float64) {
	w, p, r := m.o.Weight(i), m.v[at], m.r[at]
	if wp = w * p; w > 0 {
		extra = max(0, leastShare*r*r/w-wp*(1-p))
	}
	return wp, extra
}

// residual returns that of the model of a row, after the steps so far.
func (m *several) residual(i, at int, wp, extra float64) float64 {
	return m.r[at] + wp*(m.steps[at]-m.mean[i]) + extra*m.steps[at]
}

// step moves the score of a row.
func (m *several) step(i, at int, by float64) {
	m.steps[at] += by
	m.mean[i] += m.v[at] * by
}

// face is the model at z over the coordinates of all scores that are not 0, and the intercepts.
// Turns of one score after the other come to the end slowly where the steps of scores depend on
// each other; once they have found about the right signs, a step on the face goes there.
type face struct {
	*several
	z     []float64
	pen   penalty.ElasticNet
	sizes optimize.Scale // of derivatives, by parameter
	rows  *linalg.CSR    // of the features that some score has on the face
	place []int          // by feature, among those
	on    []coordinate   // the parameters of the face
	g     []float64      // derivatives by these, without the lasso's
}

// coordinate is a parameter of a face, with the second derivative by it and its penalty.
type coordinate struct {
	at        int
	h, l1, l2 float64
}

// add adds a parameter with the second derivative h by it.
func (f *face) add(at int, h float64) {
	l1, l2 := f.pen.Weights(at)
	f.on = append(f.on, coordinate{at, h + l2, l1, l2})
}

// descend moves z to smaller derivatives, down to the limit as far as no coordinate would change
// its sign, and reports whether the model came lower. (Cf. Moré & Toraldo, SIAM J. Optim. 1, 1991.)
func (f *face) descend(limit float64) bool {
	f.g = make([]float64, len(f.on))
	f.through(f.g, f.g, func(i int, s []float64) {
		for c := range s {
			at := i*len(s) + c
			wp, extra := f.curvatures(i, at)
			s[c] = f.residual(i, at, wp, extra)
		}
	})
	for i, c := range f.on {
		f.g[i] += c.l2 * f.z[c.at]
	}
	d := f.conjugates(limit)
	for range 3 {
		f.end(d)
		if f.change(d) < 0 {
			f.move(d)
			return true
		}
		linalg.Scale(d, 0.25)
	}
	return false
}

// cut makes the rows of the features of the face: as a rule a tenth of all, which stay in the
// cache from one product to the next.
func (f *face) cut(columns *linalg.CSR) {
	f.place = slices.Repeat([]int{-1}, f.o.P)
	for _, c := range f.on {
		if j := c.at%f.o.Dim() - f.o.Intercept; j >= 0 {
			f.place[j] = 0
		}
	}
	features := 0
	for j, at := range f.place {
		if at == 0 {
			f.place[j] = features
			features++
		}
	}
	f.rows = columns.TransposedTo(features, f.place, f.o.Workers)
}

// through sets dst to the derivatives by the parameters of what visit makes of the scores along
// d, row by row.
func (f *face) through(dst, d []float64, visit func(i int, s []float64)) {
	n, p := f.rows.Dims()
	k := f.o.Scores()
	slopes, total := linalg.Zeros(p+1, k), linalg.Zeros(p+1, k) // features × scores, with the levels in the last row
	for i, c := range f.on {
		slopes.Data[f.element(c.at)] = d[i]
	}
	levels := slopes.Row(p)
	linalg.Reduce(n, (n/mostPieces/linalg.BlockRows+1)*linalg.BlockRows, f.o.Workers,
		func() *passed { return &passed{linalg.Zeros(p+1, k), linalg.Zeros(linalg.BlockRows, k)} },
		func(q *passed, lo, hi int) {
			clear(q.sums.Data)
			for ; lo < hi; lo += linalg.BlockRows {
				b := linalg.Block{CSR: f.rows.RowRange(lo, min(lo+linalg.BlockRows, hi))}
				scores := q.scores.RowRange(0, b.Len())
				for i := range scores.Rows {
					copy(scores.Row(i), levels)
				}
				b.AddScoresByColumn(scores, slopes.RowRange(0, p))
				for i := range scores.Rows {
					visit(lo+i, scores.Row(i))
					linalg.Axpy(q.sums.Row(p), 1, scores.Row(i))
				}
				b.AddBackByColumn(q.sums.RowRange(0, p), scores)
			}
		},
		func(q *passed) { linalg.Axpy(total.Data, 1, q.sums.Data) })
	for i, c := range f.on {
		dst[i] = total.Data[f.element(c.at)]
	}
}

// mostPieces is how many pieces of work a pass has, at most.
const mostPieces = 8

// passed is what a piece of a pass over rows sums up.
type passed struct{ sums, scores *linalg.Dense }

// element returns where a parameter stands among features × scores, the levels in the last row.
func (f *face) element(at int) int {
	dim := f.o.Dim()
	_, row := f.rows.Dims()
	if j := at%dim - f.o.Intercept; j >= 0 {
		row = f.place[j]
	}
	return row*f.o.Scores() + at/dim
}

// product sets dst to the product of the second derivatives with d.
func (f *face) product(dst, d []float64) {
	f.through(dst, d, func(i int, s []float64) {
		first := i * len(s)
		mean := linalg.Dot(f.v[first:first+len(s)], s)
		for c, sc := range s {
			wp, extra := f.curvatures(i, first+c)
			s[c] = wp*(sc-mean) + extra*sc
		}
	})
	for i, c := range f.on {
		dst[i] += c.l2 * d[i]
	}
}

// change returns that of the model and the penalty along d.
func (f *face) change(d []float64) (sum float64) {
	hd := make([]float64, len(d))
	f.product(hd, d)
	for i, c := range f.on {
		z := f.z[c.at]
		sum += (f.g[i]+hd[i]/2)*d[i] + c.l1*(math.Abs(z+d[i])-math.Abs(z))
	}
	return sum
}

// move adds d to the point, and the scores along it to the steps of the rows.
func (f *face) move(d []float64) {
	f.through(make([]float64, len(d)), d, func(i int, s []float64) {
		for c, by := range s {
			f.step(i, i*len(s)+c, by)
		}
	})
	for i, c := range f.on {
		f.z[c.at] += d[i]
	}
}

// end lets d end at 0 where it would change a sign.
func (f *face) end(d []float64) {
	for i, c := range f.on {
		if f.crosses(i, d[i]) {
			d[i] = -f.z[c.at]
		}
	}
}

func (f *face) crosses(i int, d float64) bool {
	z := f.z[f.on[i].at]
	return f.on[i].l1 > 0 && z*(z+d) < 0
}

const (
	mostConjugates = 60
	lookAfter      = 10       // conjugate gradients, which end
	mostCrossings  = 1. / 500 // of the signs would change by then
)

// conjugates returns a step towards derivatives of the limit, by conjugate gradients with the
// diagonal, as far as few signs change.
func (f *face) conjugates(limit float64) []float64 {
	left := make([]float64, len(f.on))
	for i, c := range f.on {
		left[i] = -f.g[i] - math.Copysign(c.l1, f.z[c.at])
	}
	c := linalg.NewConjugate(make([]float64, len(left)), left, func(z []float64) {
		for i, c := range f.on {
			if c.h > 0 {
				z[i] /= c.h
			}
		}
	})
	c.Start()
	c.Run(mostConjugates, f.product, func(steps int) bool {
		return steps > 0 && (f.small(c.Left, limit) || steps%lookAfter == 0 && !f.keeps(c.X))
	})
	return c.X
}

// small reports whether derivatives are at most the limit.
func (f *face) small(left []float64, limit float64) bool {
	for i, v := range left {
		if !(math.Abs(v) <= limit*f.sizes.At(f.on[i].at)) {
			return false
		}
	}
	return true
}

// keeps reports whether the step changes few signs.
func (f *face) keeps(d []float64) bool {
	changed := 0
	for i, d := range d {
		if f.crosses(i, d) {
			changed++
		}
	}
	return float64(changed) <= mostCrossings*float64(len(d))
}
