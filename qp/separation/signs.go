package separation

import (
	"math"

	"halfspace/linalg"
)

// signs is what float64 tells of a direction on the rows.
type signs struct {
	strict   int  // rows with a strict inequality
	negative bool // an inequality is the wrong way round
	unsure   bool // rounding may have changed a sign
}

// plainSigns takes the signs of a direction in float64, as far as a bound on their rounding
// errors allows: by sums in any order, of which each is off by (p+4)·2⁻⁵² of |b| + ‖β‖·‖x−c‖ at
// most. One pass, O(nKp).
func (e *Evidence) plainSigns(p *Problem) (signs, error) {
	total := signs{unsure: e.Coef == nil}
	d, err := unmeasured(p)
	if err != nil || total.unsure {
		return total, err
	}
	if _, cols := p.X.Dims(); e.Coef.Rows != functionsOf(d.k) || e.Coef.Cols != cols || len(e.Intercept) != e.Coef.Rows {
		total.unsure = true // left to those that say what is wrong
		return total, nil
	}
	f := newPlain(d, e)
	err = eachRow(d, func() plainVisitor {
		return plainVisitor{plain: f, s: make([]float64, d.k), size: make([]float64, d.k)}
	},
		(*plainVisitor).visit,
		func(v *plainVisitor) {
			total.strict += v.found.strict
			total.negative = total.negative || v.found.negative
			total.unsure = total.unsure || v.found.unsure
		})
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
	if e.Origin != nil {
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
	s, size []float64
	found   signs
}

func (v *plainVisitor) visit(i int, row []float64) {
	for j, c := range v.origin {
		row[j] -= c
	}
	square := linalg.Dot(row, row)
	length := math.Sqrt(square)
	if square < smallSquare {
		length = float64(len(row)) * linalg.NormInf(row)
	}
	for c, b := range v.coef {
		if b != nil {
			v.s[c] = v.intercept[c] + linalg.Dot(b, row)
			v.size[c] = math.Abs(v.intercept[c]) + v.length[c]*length
		}
	}
	strict := false
	v.d.pairs(i, func(q pair) {
		lead := v.s[q.own] - v.s[q.other]
		sure := math.Abs(lead) > (v.size[q.own]+v.size[q.other])*float64(len(row)+8)*0x1p-52+tiny
		v.found.unsure = v.found.unsure || !sure
		v.found.negative = v.found.negative || lead < 0
		strict = strict || lead > 0
	})
	if strict {
		v.found.strict++
	}
}
