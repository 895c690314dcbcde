package separation

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/exact"
)

// sampled is some of the rows, copied: the columns in use less the origin, as a rounded
// difference and what rounding left.
type sampled struct {
	d    *data
	rows []int
	at   map[int]int // the place of a row among these
	hi   [][]float64 // (1, x − origin) in units
	lo   [][]float64
}

// add copies the rows that are not there yet and reports whether there were any.
func (s *sampled) add(rows ...int) (bool, error) {
	d, began := s.d, len(s.rows)
	for _, i := range rows {
		if _, known := s.at[i]; !known && d.Code[i] != Left {
			s.at[i], s.rows = len(s.rows), append(s.rows, i)
			s.hi, s.lo = append(s.hi, make([]float64, d.dim)), append(s.lo, make([]float64, d.dim))
		}
	}
	fresh := append([]int(nil), s.rows[began:]...)
	slices.Sort(fresh)
	err := d.rowsOf(fresh, func(i int, row []float64) {
		hi, lo := s.hi[s.at[i]], s.lo[s.at[i]]
		for j, u := range d.unit {
			k := j + d.first
			hi[k], lo[k] = exact.TwoSum(row[j], -d.origin[j])
			hi[k], lo[k] = hi[k]/u, lo[k]/u
		}
		if d.first == 1 {
			hi[0] = 1
		}
	})
	return len(fresh) > 0, err
}

// frame is a basis in which the sampled rows are well conditioned: the columns of the
// matrix with rows z are nearly orthogonal, and z = T·(1, x − origin) in units, where T has
// float64 entries and z was summed in twice the precision and rounded once. Columns that
// differ in the thirteenth digit are as good there as any others.
type frame struct {
	t     [][]float64 // r functions of dim parameters; nil: the columns as they are
	z     [][]float64 // r values a row
	began int         // rows that it was made for
}

const (
	// frameWork is how many products the basis may take; a larger sample keeps the columns as
	// they are, in units.
	frameWork = 2e8
	// steadyShare is the share of a column's square beside the others from which on the columns
	// are kept as they are.
	steadyShare = 0x1p-10
	// cancelled is the share of a column's length below which it is summed anew.
	cancelled = 0x1p-6
	// nothing is the length of a column, relative to that which it began with, at which it
	// counts as a combination of the others.
	nothing = 0x1p-90
)

// newFrame makes the columns of the sample orthogonal, the longest one left first (modified
// Gram–Schmidt; Golub & Van Loan, §5.2.8). Rows far out weigh no more than others. O(mp²).
func newFrame(s *sampled) *frame {
	m, dim := len(s.rows), s.d.dim
	if m <= dim || float64(m)*float64(dim)*float64(dim) > frameWork {
		return &frame{z: s.hi, began: m}
	}
	b := &basisMaker{sampled: s, weight: make([]float64, m)}
	for i, row := range s.hi {
		b.weight[i] = 1 / max(1, linalg.NormInf(row))
	}
	if b.steady() {
		return &frame{z: s.hi, began: m}
	}
	for j := range dim {
		t := make([]float64, dim)
		t[j] = 1
		b.t = append(b.t, t)
		b.column = append(b.column, b.sum(t))
		b.length = append(b.length, linalg.Norm(b.column[j]))
	}
	b.began = linalg.Clone(b.length)
	f := &frame{z: make([][]float64, m), began: m}
	for len(f.t) < dim && b.next() {
		f.t = append(f.t, b.t[b.chosen[len(b.chosen)-1]])
	}
	for i := range f.z {
		f.z[i] = make([]float64, len(f.t))
		for c, j := range b.chosen {
			f.z[i][c] = b.column[j][i] / b.weight[i]
		}
	}
	return f
}

// basisMaker is the columns on their way to orthogonality.
type basisMaker struct {
	*sampled
	weight        []float64 // of a row
	t, column     [][]float64
	length, began []float64 // of the column when it was last summed, and at first
	chosen        []int
}

// steady reports whether the columns are well conditioned as they are: each keeps that share
// of its square beside those before it.
func (b *basisMaker) steady() bool {
	dim := b.d.dim
	x := linalg.Zeros(len(b.rows), dim)
	for i, row := range b.hi {
		linalg.Axpy(x.Row(i), b.weight[i], row)
	}
	gram := linalg.Zeros(dim, dim)
	linalg.MulTAdd(gram, 1, x, x)
	factor, err := linalg.NewCholesky(gram)
	if err != nil {
		return false
	}
	for j := range dim {
		if d := factor.L().At(j, j); !(d*d > steadyShare*gram.At(j, j)) {
			return false
		}
	}
	return true
}

// sum returns the column t·(1, x − origin), weighted.
func (b *basisMaker) sum(t []float64) []float64 {
	z := make([]float64, len(b.rows))
	for i := range z {
		z[i] = b.along(i, t) * b.weight[i]
	}
	return z
}

// along returns t·(1, x − origin) for row i of the sample, rounded once.
func (s *sampled) along(i int, t []float64) float64 {
	var sum exact.Sum
	for j, v := range t {
		if v != 0 {
			p := float64(v * s.hi[i][j])
			sum.Add(p, math.FMA(v, s.hi[i][j], -p)+v*s.lo[i][j])
		}
	}
	return sum.Value()
}

// follow returns the frame with the rows that have joined the sample, a new one where the
// sample has become twice as large.
func (f *frame) follow(s *sampled) *frame {
	if f == nil || len(s.rows) > 2*f.began {
		return newFrame(s)
	}
	if f.t == nil {
		f.z = s.hi
		return f
	}
	for i := len(f.z); i < len(s.rows); i++ {
		z := make([]float64, len(f.t))
		for c, t := range f.t {
			z[c] = s.along(i, t)
		}
		f.z = append(f.z, z)
	}
	return f
}

// next chooses the column that is longest relative to its beginning and makes the others
// orthogonal to it; false where none is left.
func (b *basisMaker) next() bool {
	best, most := -1, nothing
	for j, z := range b.column {
		if slices.Contains(b.chosen, j) || b.began[j] == 0 {
			continue
		}
		if share := linalg.Norm(z) / b.began[j]; share > most {
			best, most = j, share
		}
	}
	if best < 0 {
		return false
	}
	for range 2 { // once more against the columns before, where digits cancelled
		for _, k := range b.chosen {
			b.orthogonalize(best, k)
		}
	}
	norm := linalg.Norm(b.sum(b.t[best]))
	if norm == 0 {
		b.began[best] = 0
		return b.next()
	}
	linalg.Scale(b.t[best], powerOfTwo(math.Sqrt(float64(len(b.rows)))/norm))
	b.column[best] = b.sum(b.t[best])
	b.chosen = append(b.chosen, best)
	for j := range b.column {
		if !slices.Contains(b.chosen, j) {
			b.orthogonalize(j, best)
		}
	}
	return true
}

// orthogonalize takes from column j its part along column k.
func (b *basisMaker) orthogonalize(j, k int) {
	zj, zk := b.column[j], b.column[k]
	c := linalg.Dot(zj, zk) / linalg.Dot(zk, zk)
	if c == 0 || c-c != 0 {
		return
	}
	linalg.Axpy(zj, -c, zk)
	linalg.Axpy(b.t[j], -c, b.t[k])
	if norm := linalg.Norm(zj); norm < cancelled*b.length[j] {
		b.column[j] = b.sum(b.t[j])
		b.length[j] = linalg.Norm(b.column[j])
	}
}
