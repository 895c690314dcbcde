package inference

import (
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/record"
)

// Residuals are those of a fit of two classes, by row; rows of weight 0 have 0.
// With t the share of class 1 among the w trials of a row and p its probability:
type Residuals struct {
	Fitted   []float64 // p
	Pearson  []float64 // (t − p)·√(w/(p(1−p)))
	Deviance []float64 // sign(t − p)·√(2w·(t log t/p + (1−t) log (1−t)/(1−p)))
	Working  []float64 // (t − p)/(p(1−p)): the adjusted response (ESL eq. 4.27) less f
	Leverage []float64 // the diagonal of W^½X(XᵀWX)⁻¹XᵀW^½; it sums to the number of parameters
}

// Residuals computes the residuals of a model of two classes. O(np²).
//
// Errors: *[linalg.ShapeError] for more classes, that of a pass over the rows.
func (inf *Inference) Residuals() (*Residuals, error) {
	if inf.data == nil {
		return nil, errNoRows
	}
	e := inf.data
	if k := len(inf.classes); k != 2 {
		return nil, wrap(&linalg.ShapeError{Want: 2, WantOf: "classes for residuals", Got: k, GotOf: "there"})
	}
	n := e.N
	r := &Residuals{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	row := make([]float64, e.Dim())
	err := e.each(func(b *design.Block, i int, p []float64) {
		t, w, v := e.share[i], e.Weight(i), p[0]*p[1]
		r.Fitted[i] = p[1]
		r.Pearson[i] = math.Sqrt(w) * pearson(t, p)
		r.Deviance[i] = math.Copysign(math.Sqrt(2*w*rowDeviance(t, p)), r.Pearson[i])
		switch t {
		case 0:
			r.Working[i] = -1 / p[0]
		case 1:
			r.Working[i] = 1 / p[1]
		default:
			r.Working[i] = (t - p[1]) / v
		}
		b.Row(row, i-b.Lo)
		linalg.SolveLower(e.factor.L(), row)
		r.Leverage[i] = w * v * linalg.Dot(row, row)
	})
	if err != nil {
		return nil, wrap(err)
	}
	return r, nil
}

// rowDeviance returns t log t/p + (1−t) log (1−t)/(1−p).
func rowDeviance(t float64, p []float64) float64 {
	switch t {
	case 0:
		return minusLog(p[0], p[1])
	case 1:
		return minusLog(p[1], p[0])
	}
	return math.Max(0, t*math.Log(t/p[1])+(1-t)*math.Log((1-t)/p[0]))
}

// minusLog returns −log p, to full accuracy also where p = 1 − q is near 1.
func minusLog(p, q float64) float64 {
	if q < 0.5 {
		return -math.Log1p(-q)
	}
	return -math.Log(p)
}

// String returns the number of rows.
func (r *Residuals) String() string {
	return fmt.Sprintf("residuals of %d rows", len(r.Fitted))
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (r Residuals) MarshalJSON() ([]byte, error) { return record.Plain(r) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *Residuals) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, r) }
