package hyperplane

import (
	"math"
	"slices"
	"sort"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

// weights are (β₀, β).
type weights struct {
	b0   float64
	beta []float64
}

func (w weights) clone() weights { return weights{w.b0, slices.Clone(w.beta)} }

func (w *weights) set(v weights) { w.b0 = v.b0; copy(w.beta, v.beta) }

func (w weights) equal(v weights) bool { return w.b0 == v.b0 && slices.Equal(w.beta, v.beta) }

// inRange reports whether scores of rows of numbers up to 2⁶⁰ are finite.
func (w weights) inRange() bool { return record.CheckAffine(w.beta, nil, w.b0) == nil }

// finite reports whether the numbers are: no score is then NaN.
func (w weights) finite() bool { return w.b0-w.b0 == 0 && linalg.CheckFinite("", w.beta) == nil }

// vector returns β₀ before β.
func (w weights) vector() []float64 { return append([]float64{w.b0}, w.beta...) }

// add adds rho times (one, row i of x).
func (w *weights) add(rho, one float64, x linalg.Table, i int) {
	w.b0 += rho * one
	x.AddRow(w.beta, i, rho)
}

// standing is how a plane does on all rows.
type standing struct {
	wrong     int     // rows with y·f ≤ 0, or NaN
	criterion float64 // D = −Σ w·y·f over them
	worst     int     // the row with the least y·f
}

// standingOf computes the margins of all rows about the plane w, and sums them up.
func (s *perceptron) standingOf(w weights) standing {
	_ = s.all.Margins(s.f, w.beta) // of rows in memory none fails
	for i := range s.f {
		s.f[i] += w.b0
	}
	return s.standing()
}

// standing makes margins y·f of the scores in f, and sums them up.
func (s *perceptron) standing() standing {
	var d standing
	for i, f := range s.f {
		f *= s.sign[i]
		s.f[i] = f
		if !(f > 0) {
			d.wrong++
			d.criterion -= sample.WeightAt(s.weights, i) * f
		}
		if f < s.f[d.worst] {
			d.worst = i
		}
	}
	return d
}

// pocketPlanes is how many planes are judged in one pass over the rows.
const pocketPlanes = 64

// pocket holds the best plane met, and planes that wait to be judged.
type pocket struct {
	x       linalg.Table
	sign    []float64 // y = ±1
	weights []float64 // of the rows; nil is ones
	workers int

	line   *line         // of one feature, else nil
	beta   *linalg.Dense // a column for each plane that waits
	b0     []float64
	best   weights
	fewest float64 // rows that best has wrong, by their weights
}

func newPocket(x linalg.Table, sign, rowWeights []float64, workers int) *pocket {
	_, cols := x.Dims()
	p := &pocket{x: x, sign: sign, weights: rowWeights, workers: workers, beta: linalg.Zeros(cols, pocketPlanes),
		best: weights{beta: make([]float64, cols)}, fewest: math.Inf(1)}
	if cols == 1 {
		p.line = newLine(x, sign, rowWeights)
	}
	return p
}

// offer has a plane judged.
func (p *pocket) offer(w weights) {
	if p.line != nil && w.finite() {
		if wrong := p.line.wrong(w); wrong < p.fewest {
			p.best.set(w)
			p.fewest = wrong
		}
		return
	}
	for j, b := range w.beta {
		p.beta.Data[j*pocketPlanes+len(p.b0)] = b
	}
	if p.b0 = append(p.b0, w.b0); len(p.b0) == pocketPlanes || p.line != nil {
		p.judge()
	}
}

// take judges the planes that wait and returns the best of all.
func (p *pocket) take() weights {
	p.judge()
	return p.best
}

// judge keeps the first of the waiting planes with the fewest rows wrong if it beats the
// one that is kept. It goes on to further rows while any plane can.
func (p *pocket) judge() {
	if len(p.b0) == 0 {
		return
	}
	const piece, pieces = 256, 16
	wrong := make([]float64, len(p.b0))
	for at := 0; at < len(p.sign) && slices.Min(wrong) < p.fewest; at += piece * pieces {
		end := min(at+piece*pieces, len(p.sign))
		linalg.Reduce(end-at, piece, p.workers, func() *count {
			return &count{linalg.Zeros(piece, len(wrong)), make([]float64, len(wrong))}
		}, func(c *count, lo, hi int) {
			p.count(c, at+lo, at+hi)
		}, func(c *count) {
			for k, n := range c.wrong {
				wrong[k] += n
			}
		})
	}
	if least := slices.Min(wrong); least < p.fewest {
		k := slices.Index(wrong, least)
		p.best.set(weights{p.b0[k], p.beta.Col(nil, k)})
		p.fewest = least
	}
	p.b0 = p.b0[:0]
}

// count is the work on a piece of the rows: the values there of all waiting planes, and
// the weight of the rows that each has wrong, y·f ≤ 0 or NaN.
type count struct {
	f     *linalg.Dense
	wrong []float64
}

func (p *pocket) count(c *count, lo, hi int) {
	clear(c.wrong)
	f, coef := c.f.RowRange(0, hi-lo), *p.beta
	coef.Cols = len(c.wrong)
	for i := range f.Rows {
		copy(f.Row(i), p.b0)
	}
	_ = linalg.Pass(p.x, lo, hi, func(b *linalg.Block) error { // of rows in memory none fails
		b.AddScoresByColumn(f.RowRange(b.At-lo, b.At-lo+b.Len()), &coef)
		return nil
	})
	for i, sign := range p.sign[lo:hi] {
		w := math.Float64bits(sample.WeightAt(p.weights, lo+i))
		for k, v := range f.Row(i) {
			off := w
			if sign*v > 0 { // either way is as likely: a jump would be foreseen half of the time
				off = 0
			}
			c.wrong[k] += math.Float64frombits(off)
		}
	}
}

// line is the values that the one feature has in the rows of the negative and of the positive class, in order.
type line struct {
	x      [2][]float64
	weight [2]float64 // of a row of either
}

// newLine sorts the rows. O(n log n).
func newLine(x linalg.Table, sign, rowWeights []float64) *line {
	l, one := new(line), []float64{1}
	for i, s := range sign {
		c := int(1+s) / 2
		l.x[c] = append(l.x[c], x.Dot(i, one))
		l.weight[c] = sample.WeightAt(rowWeights, i)
	}
	for _, v := range l.x {
		slices.Sort(v)
	}
	return l
}

// wrong returns the weight of the rows with y·f ≤ 0 for finite β, where f is that of [Plane.Value]. Among ascending x it never
// falls, or never rises, also when it is rounded, so that the rows of a class that are right are its last or its first ones.
// O(log n).
func (l *line) wrong(w weights) (sum float64) {
	for c, x := range l.x {
		sign := float64(2*c - 1)
		last := sign*w.beta[0] >= 0
		at := sort.Search(len(x), func(k int) bool {
			return (sign*(float64(w.beta[0]*x[k])+w.b0) > 0) == last // not of one rounding, as a product and a sum may be
		})
		if !last {
			at = len(x) - at
		}
		sum += float64(at) * l.weight[c]
	}
	return sum
}
