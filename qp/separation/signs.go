package separation

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/linalg/sample"
)

// signs is how a direction does on the rows.
type signs struct {
	strict   int   // rows with a strict inequality
	negative bool  // an inequality is the wrong way round
	ties     []int // rows with an inequality that is an equation
	infinite bool  // the squares of a row have no finite sum
}

// add takes in the signs of the rows that follow.
func (s *signs) add(found *signs) {
	s.strict += found.strict
	s.negative = s.negative || found.negative
	s.infinite = s.infinite || found.infinite
	s.ties = append(s.ties, found.ties...)
}

// fits reports whether the direction is one in float64 for the problem's columns and classes.
func (e *Evidence) fits(d *data) bool {
	_, cols := d.X.Dims()
	return e.Coef != nil && e.Coef.Rows == sample.Functions(d.k) && e.Coef.Cols == cols && len(e.Intercept) == e.Coef.Rows
}

// signsOf takes the signs of a direction in float64 about its origin: in float64 as far as a
// bound on rounding errors allows, that sums in any order are off by (p+4)·2⁻⁵² of |b| +
// ‖β‖·‖x−c‖ at most, then from sums in twice the precision, and in integers. One pass, O(nKp), or
// of the stored values of sparse rows where the origin is 0.
func (e *Evidence) signsOf(d *data, scores []float64) (signs, error) {
	f, total := newPlain(d, e), signs{}
	err := eachStored(d, func() *signs { return &signs{} }, func() func(*signs, *linalg.Block, int) {
		v := plainVisitor{plain: f, s: make([]float64, d.k), size: make([]float64, d.k),
			whole: d.wholeRow(), near: make([]float64, len(f.origin)), scores: scores}
		if f.origin != nil || v.whole != nil {
			v.row = make([]float64, len(d.columns))
		}
		return v.visit
	}, total.add)
	if err == nil && total.infinite {
		err = d.refuse()
	}
	return total, err
}

// plain is the functions of a direction as float64 numbers.
type plain struct {
	d         *data
	origin    []float64 // of the columns in use; nil for 0
	coef      [][]float64
	length    []float64
	intercept []float64
}

// newPlain takes the columns in use; of two classes the function of the first is 0.
func newPlain(d *data, e *Evidence) *plain {
	f := &plain{d: d, coef: make([][]float64, d.k), length: make([]float64, d.k), intercept: make([]float64, d.k)}
	if linalg.NormInf(e.Origin) != 0 {
		for _, j := range d.columns {
			f.origin = append(f.origin, e.Origin[j])
		}
	}
	for c := range e.Coef.Rows {
		to := d.k - e.Coef.Rows + c
		for _, j := range d.columns {
			f.coef[to] = append(f.coef[to], e.Coef.At(c, j))
		}
		f.length[to] = linalg.Norm(f.coef[to])
		if d.first == 1 {
			f.intercept[to] = e.Intercept[c]
		}
	}
	return f
}

// smallSquare is the sum of squares below which some of them may have underflowed.
const smallSquare = 0x1p-960

// plainVisitor takes the signs of one piece of the rows.
type plainVisitor struct {
	*plain
	s, size    []float64
	row, whole []float64 // room for a row that has to be copied
	near       []float64 // and for one less the origin
	scores     []float64 // of all rows, nil where they are not wanted
}

// entries returns the columns in use of a row that count: those stored of a sparse row about
// 0, else all, which nil stands for.
func (v *plainVisitor) entries(b *linalg.Block, i int) (columns []int32, values []float64) {
	if v.origin == nil && v.whole == nil {
		return b.Row(i)
	}
	v.d.pick(v.row, v.whole, b, i)
	return nil, v.row
}

func (v *plainVisitor) visit(found *signs, b *linalg.Block, i int) {
	columns, values := v.entries(b, i)
	if length := v.measure(columns, values); length-length != 0 {
		found.infinite = true
	}
	if v.scores != nil {
		v.scores[b.At+i] = v.s[1] - v.s[0]
	}
	strict, tie := false, false
	v.d.pairs(b.At+i, func(q pair) {
		sign := v.sign(q, columns, values)
		found.negative = found.negative || sign < 0
		strict, tie = strict || sign > 0, tie || sign == 0
	})
	if strict {
		found.strict++
	}
	if tie {
		found.ties = append(found.ties, b.At+i)
	}
}

// measure sets s to the functions at a row, and size to bounds on their terms. It returns the length of the row.
func (v *plainVisitor) measure(columns []int32, values []float64) float64 {
	about := values
	if v.origin != nil {
		copy(v.near, values)
		linalg.Axpy(v.near, -1, v.origin)
		about = v.near
	}
	square := linalg.Dot(about, about)
	length := math.Sqrt(square)
	if square < smallSquare {
		length = float64(len(about)) * linalg.NormInf(about)
	}
	for c, b := range v.coef {
		if b == nil {
			continue
		}
		if columns == nil {
			v.s[c] = v.intercept[c] + linalg.Dot(b, about)
		} else {
			v.s[c] = v.intercept[c] + linalg.DotAt(b, columns, about)
		}
		v.size[c] = math.Abs(v.intercept[c]) + v.length[c]*length
	}
	return length
}

// sign returns the sign of f_own − f_other at a row.
func (v *plainVisitor) sign(q pair, columns []int32, values []float64) int {
	if v.length[q.own]+v.length[q.other] == 0 && v.intercept[q.own] == v.intercept[q.other] {
		return 0
	}
	lead, size := v.s[q.own]-v.s[q.other], v.size[q.own]+v.size[q.other]
	if math.Abs(lead) > size*float64(len(values)+8)*0x1p-52+tiny {
		return signOf(lead)
	}
	if lead = v.twice(q, columns, values); math.Abs(lead) > twiceError(size, len(values)) {
		return signOf(lead)
	}
	return v.exactly(q, columns, values)
}

// twiceError bounds the rounding error of a difference of two functions of n columns that is summed in twice the precision,
// of absolute terms that sum to size. A sum of m additions leaves m rests of at most 2⁻⁵³·size each, and adding those up rounds
// each again, by at most m·2⁻⁵³ of it: m²·2⁻¹⁰⁶ of size (Ogita, Rump & Oishi, SIAM J. Sci. Comput. 26, 2005), for m of 2n and a few.
func twiceError(size float64, n int) float64 {
	m := float64(n + 10)
	return size*m*m*0x1p-103 + tiny
}

// twice returns f_own − f_other at a row, summed in twice the working precision and rounded.
func (v *plainVisitor) twice(q pair, columns []int32, values []float64) float64 {
	var s [2]exact.Sum
	for k, c := range [2]int{q.own, q.other} {
		s[k].Hi = v.intercept[c]
		if b := v.coef[c]; b != nil {
			s[k].AddProducts(columns, b, values, v.origin)
		}
	}
	s[0].Add(-s[1].Hi, -s[1].Lo)
	return s[0].Value()
}

// exactly returns the sign of f_own − f_other at a row in integers.
func (v *plainVisitor) exactly(q pair, columns []int32, values []float64) int {
	m := 2*len(values) + 1
	left, right := make([]float64, 2*m), make([]float64, 2*m)
	for side, class := range [2]int{q.own, q.other} {
		b, t, coef, sign := left[side*m:], right[side*m:], v.coef[class], float64(1-2*side)
		b[0], t[0] = v.intercept[class], sign
		for k := 0; k < len(values) && coef != nil; k++ {
			j := k
			if columns != nil {
				j = int(columns[k])
			}
			b[2*k+1], t[2*k+1] = coef[j], sign*values[k]
			if v.origin != nil {
				b[2*k+2], t[2*k+2] = coef[j], -sign*v.origin[j]
			}
		}
	}
	z, _ := exact.SumProducts(left, right)
	return z.Sign()
}

func signOf(v float64) int {
	if v > 0 {
		return 1
	}
	return -1
}
