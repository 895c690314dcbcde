package design

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/exact"
)

// Margins sets dst, n values, to θ·(1, xᵢ) for one function, without offsets. O(np).
func (d *Design) Margins(dst, theta []float64) error {
	f := d.NewFunctions(1)
	f.Set(d, 0, theta)
	return d.EachRow(func() func(*Block) {
		return func(b *Block) {
			b.Along(&linalg.Dense{Rows: b.Len(), Cols: 1, Stride: 1, Data: dst[b.Lo:b.Hi]}, f)
		}
	})
}

// rowWise is work on blocks that sums nothing.
type rowWise struct{ work func(b *Block) }

func (*rowWise) Reset()         {}
func (r *rowWise) Add(b *Block) { r.work(b) }

// EachRow calls functions that fresh makes, one for each goroutine, with all blocks. They
// run at the same time, and must write to different places for different rows.
func (d *Design) EachRow(fresh func() func(b *Block)) error {
	return Reduce(d, 1, func() *rowWise { return &rowWise{fresh()} }, func(*rowWise) {})
}

// Widest returns the largest |θ·(1, xᵢ)| over the rows of positive weight. O(np).
func (d *Design) Widest(theta []float64) (float64, error) {
	f := make([]float64, d.N)
	err := d.Margins(f, theta)
	widest := 0.0
	for i, v := range f {
		if d.Weight(i) > 0 {
			widest = max(widest, math.Abs(v))
		}
	}
	return widest, err
}

// TermSizes sets dst, n values, to the largest sum of absolute terms |θⱼxᵢⱼ| over the
// functions: rounding errors of the scores are measured in it. O(npK).
//
//go:noinline // programs would have it twice
func (d *Design) TermSizes(dst []float64, functions [][]float64) error {
	return d.EachRow(func() func(b *Block) {
		return func(b *Block) {
			for i := range b.Len() {
				columns, values := b.rows().Row(i)
				most := 0.0
				for _, theta := range functions {
					s := math.Abs(d.constant(theta))
					for j, v := range values {
						if columns != nil {
							j = int(columns[j])
						}
						s += math.Abs(theta[j+d.Intercept] * v / d.Unit[j])
					}
					most = max(most, s)
				}
				dst[b.Lo+i] = most
			}
		}
	})
}

// roundoff is the relative error of one rounding.
const roundoff = 0x1p-53

// RoundingNegligible reports whether rounding the functions' parameters moves no row's
// probabilities by more than tol, by the sizes of the columns alone: an O(n + pK) test
// that spares most fits the O(npK) of [Design.Rounding].
//
//go:noinline // a program would have a dozen copies
func (d *Design) RoundingNegligible(functions [][]float64, size []float64, tol float64) bool {
	terms := 0.0
	for _, theta := range functions {
		for j, t := range theta {
			terms += math.Abs(t) * size[j]
		}
	}
	return roundoff*terms <= tol*min(1, d.LeastWeight())
}

// Rounding bounds by how much rounding the functions' parameters moves the
// probabilities of a row: a score moves by up to 2⁻⁵³ of the sum of its absolute terms,
// and its probability the less the surer it is. O(npK).
func (d *Design) Rounding(functions [][]float64) (float64, error) {
	k := len(functions)
	scores, size := linalg.Zeros(k, d.N), make([]float64, d.N)
	for c, theta := range functions {
		if err := d.Margins(scores.Row(c), theta); err != nil {
			return 0, err
		}
	}
	if err := d.TermSizes(size, functions); err != nil {
		return 0, err
	}
	worst, offsets, row := 0.0, d.Offsets(), make([]float64, k)
	for i := range d.N {
		if !(d.Weight(i) > 0) {
			continue
		}
		for c := range row {
			row[c] = scores.At(c, i)
		}
		linalg.Axpy(row[k-offsets:], 1, d.Offset[i*offsets:(i+1)*offsets])
		top, moved := linalg.ArgMax(row), roundoff*size[i]
		lead := row[top]
		row[top] = math.Inf(-1)
		lead = max(0, lead-linalg.Max(row)-2*moved)
		worst = max(worst, moved*min(1, float64(k-1)*math.Exp(-lead)))
	}
	return worst, nil
}

// Exact are K functions whose scores are summed in twice the working precision.
type Exact struct {
	coef   *linalg.Dense // K×p, on the data's scale
	origin []float64     // what leaves the values that a row stores
	base   []exact.Sum   // the value of each function where all of those are 0
}

// Exactly returns the functions with coefficients coef (K×p, not copied) on the data's scale and
// the values levels at the origin. O(K), and O(pK) where the origin is implied.
func (d *Design) Exactly(coef *linalg.Dense, levels []float64) *Exact {
	e := &Exact{coef: coef, origin: d.Origin, base: make([]exact.Sum, len(levels))}
	var zeros []float64
	if d.implied { // a row has a deviation from the mean of a column that it does not store, too
		zeros = make([]float64, d.P)
		e.origin = zeros
	}
	for c, level := range levels {
		e.base[c].Hi = level
		e.base[c].AddProducts(nil, coef.Row(c), zeros, d.Origin)
	}
	return e
}

// ExactScores sets dst (rows × K) to scores and offsets summed in twice the working
// precision and rounded once. (Ogita, Rump & Oishi, SIAM J. Sci. Comput. 26, 2005,
// Algorithm 5.3.) Those of rows of weight 0 are 0. O(pK) a row.
func (b *Block) ExactScores(dst *linalg.Dense, e *Exact) {
	for c, base := range e.base {
		for i := range b.Len() {
			f := 0.0
			if b.d.Weight(b.Lo+i) > 0 {
				columns, values := b.raw.Row(i)
				sum := base
				sum.Add(base.Hi*(b.levels()[i]-1), 0)
				sum.Add(b.d.OffsetOf(b.Lo+i, c), 0)
				sum.AddProducts(columns, e.coef.Row(c), values, e.origin)
				f = sum.Value()
			}
			dst.Set(i, c, f)
		}
	}
}

// ExactBack sets dst (p values) to Σ rᵢ(xᵢ − c), summed in twice the working precision and
// rounded once, on the data's scale; r is the sum of words. O(p) a row whose r is not 0, on the
// calling goroutine.
func (d *Design) ExactBack(dst []float64, words ...[]float64) error {
	sums := make([]exact.Sum, len(dst))
	err := d.EachBlock(func(b *Block) {
		for i := range b.Len() {
			columns, values := b.raw.Row(i)
			for _, r := range words {
				if a := r[b.Lo+i]; a != 0 {
					exact.AddScaled(sums, a, columns, values, d.Origin)
				}
			}
		}
	})
	for j, s := range sums {
		dst[j] = s.Value()
	}
	return err
}

// Turned returns the rows (1, x)·T in units, each sum in twice the working precision and
// rounded once: an n×cols copy. Rows of weight 0 are 0. O(np·cols).
//
// Errors: *[linalg.SizeError] for a copy of more than 4 GB, those of the storage.
func (d *Design) Turned(t *linalg.Dense) (*linalg.Dense, error) {
	if err := linalg.CheckCopy(d.rows, d.N, t.Cols); err != nil {
		return nil, err
	}
	plain, z, columns := *d, linalg.Zeros(d.N, t.Cols), t.Transposed()
	plain.Offset = nil
	slopes, levels := linalg.Zeros(t.Cols, d.P), make([]float64, t.Cols)
	for c := range levels {
		levels[c] = d.Coef(slopes.Row(c), columns.Row(c))
	}
	e := plain.Exactly(slopes, levels)
	err := plain.EachRow(func() func(*Block) {
		return func(b *Block) { b.ExactScores(z.RowRange(b.Lo, b.Hi), e) }
	})
	return z, err
}

// TakeSizes replaces the values of the rows about the origin by their sizes |x|, for the rest of
// the visit.
func (b *Block) TakeSizes() {
	if x := b.rows(); x.CSR != nil {
		b.x.CSR = x.CSR.Map(func(_ int, _ int32, v float64) float64 { return math.Abs(v) })
		return
	}
	x := b.x.Dense
	if x != &b.window {
		b.takeWindow()
	}
	for i := range x.Rows {
		to := b.window.Row(i)
		for j, v := range x.Row(i) {
			to[j] = math.Abs(v)
		}
	}
}
