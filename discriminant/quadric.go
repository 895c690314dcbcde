package discriminant

import (
	"slices"

	"halfspace/linalg"
)

// Quadric is the function (x−c)ᵀA(x−c) + b·(x−c) + d: where it is 0 is the
// boundary between two classes of QDA.
type Quadric struct {
	Origin   []float64     // c
	Matrix   *linalg.Dense // A, symmetric
	Linear   []float64     // b
	Constant float64       // d
}

// Value returns the quadric's value at x. O(p²). It panics if x does not have p
// values.
func (q *Quadric) Value(x []float64) float64 {
	mustRow(x, len(q.Origin))
	d := slices.Clone(x)
	linalg.Axpy(d, -1, q.Origin)
	s := q.Constant + linalg.Dot(q.Linear, d)
	for i, v := range d {
		s += v * linalg.Dot(q.Matrix.Row(i), d)
	}
	return s
}

// Boundary returns δ_class − δ_other (4.12) as a quadric about the mean of the
// training rows: positive where class has the larger discriminant. Costs do not
// enter. O(p³).
//
// Error: *[linalg.ClassError] for a label that is not in the model.
func (q *QDA) Boundary(class, other int) (*Quadric, error) {
	k, l, err := positions(q.classes, class, other)
	if err != nil {
		return nil, err
	}
	p := len(q.origin)
	b := &Quadric{slices.Clone(q.origin), linalg.Zeros(p, p), make([]float64, p), q.offset[k] - q.offset[l]}
	q.addQuadratic(b, k, 1)
	q.addQuadratic(b, l, -1)
	return b, nil
}

// addQuadratic adds sign·(−½(x−μₖ)ᵀΣₖ⁻¹(x−μₖ)) to b.
func (q *QDA) addQuadratic(b *Quadric, k int, sign float64) {
	linv, dev := q.density[k].linv, q.dev.Row(k)
	for i := range linv.Rows { // Σ⁻¹ = L⁻ᵀL⁻¹, a sum over the rows of L⁻¹
		v := linv.Row(i)
		for j, u := range v[:i+1] {
			linalg.Axpy(b.Matrix.Row(j)[:i+1], -sign/2*u, v[:i+1])
		}
		m := linalg.Dot(v, dev)
		linalg.Axpy(b.Linear, sign*m, v)
		b.Constant -= sign / 2 * m * m
	}
}
