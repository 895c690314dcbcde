package glm

import (
	"encoding/json"
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/record"
)

// Sums are what some of the rows add to an objective and its derivatives at a point, without
// the ridge: those of parts that are read apart, on any number of machines, are added up by
// [Sums.Merge]. The parts' designs have one origin and one set of units.
type Sums struct {
	Rows        int
	Value       float64
	Gradient    []float64     // by parameter
	Hessian     *linalg.Dense // symmetric
	Floor       float64       // the least curvature of a row
	Cancelled   float64       // of the Hessian, the largest sum that was subtracted, relative to the difference
	Sizes       []float64     // Σ wᵢ|xᵢⱼ| by parameter of one function
	LeastWeight float64       // of a row that counts
	Offsets     float64       // Σ wᵢoᵢₖ² of the offsets
	Length      int           // the number of additions by which a row comes into a sum, at most
}

// Sums returns those of the rows of the objective, which has no ridge. O(np²m²), one pass.
//
// Errors: *[linalg.SizeError] for a Hessian of more than 4 GB, *[linalg.NonFiniteError],
// *[linalg.RangeError], those of the storage.
func (o *Objective) Sums(theta []float64) (*Sums, error) {
	if err := linalg.CheckSquare(len(theta)); err != nil {
		return nil, err
	}
	s := &Sums{Rows: o.N, Hessian: linalg.Zeros(len(theta), len(theta)), Gradient: make([]float64, len(theta)),
		LeastWeight: o.leastWeight(), Offsets: o.offsetSquares(), Length: o.sumLength(o.P * o.k)}
	s.Value = o.Hess(s.Hessian, s.Gradient, theta)
	s.Floor, s.Cancelled, s.Sizes = o.last.floor, o.cancelled, linalg.Clone(o.sizes)
	return s, o.failed
}

// Merge adds the sums of other rows.
//
// Error: *[linalg.ShapeError] for sums of another number of parameters.
func (s *Sums) Merge(t *Sums) error {
	if len(s.Gradient) != len(t.Gradient) || len(s.Sizes) != len(t.Sizes) {
		return fmt.Errorf("glm: %w", &linalg.ShapeError{Want: len(s.Gradient), WantOf: "parameters in the first part", Got: len(t.Gradient), GotOf: "in another"})
	}
	s.Rows += t.Rows
	s.Value += t.Value
	linalg.Axpy(s.Gradient, 1, t.Gradient)
	linalg.Axpy(s.Hessian.Data, 1, t.Hessian.Data)
	linalg.Axpy(s.Sizes, 1, t.Sizes)
	s.Offsets += t.Offsets
	s.Floor, s.LeastWeight = min(s.Floor, t.Floor), min(s.LeastWeight, t.LeastWeight)
	s.Cancelled, s.Length = max(s.Cancelled, t.Cancelled), max(s.Length, t.Length)+1
	return nil
}

// sumsJSON is the record of sums; the Hessian is its lower triangle, row by row.
type sumsJSON struct {
	Rows        int           `json:"rows"`
	Value       record.Packed `json:"value"`
	Gradient    record.Packed `json:"gradient"`
	Hessian     record.Packed `json:"hessian"`
	Floor       record.Packed `json:"floor"`
	Cancelled   float64       `json:"cancelled,omitempty"`
	Sizes       record.Packed `json:"sizes"`
	LeastWeight float64       `json:"least_weight"`
	Offsets     float64       `json:"offsets,omitempty"`
	Length      int           `json:"length"`
}

// MarshalJSON writes the sums: some 5.3 bytes for each element of the Hessian.
func (s *Sums) MarshalJSON() ([]byte, error) {
	return json.Marshal(sumsJSON{s.Rows, record.Packed{s.Value}, s.Gradient, linalg.PackLower(s.Hessian), record.Packed{s.Floor}, s.Cancelled, s.Sizes, s.LeastWeight, s.Offsets, s.Length})
}

// UnmarshalJSON reads what MarshalJSON wrote, and checks that the lengths fit together.
func (s *Sums) UnmarshalJSON(text []byte) error {
	var j sumsJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	q := len(j.Gradient)
	if len(j.Value) != 1 || len(j.Floor) != 1 || len(j.Sizes) == 0 || q%len(j.Sizes) != 0 || j.Rows <= 0 || j.Length <= 0 || !(j.LeastWeight > 0) || !(j.Offsets >= 0) || !(j.Cancelled >= 0) {
		return fmt.Errorf("glm: %w", &record.DamageError{Reason: "sums whose numbers do not fit together"})
	}
	h, err := linalg.UnpackLower(j.Hessian, q)
	if err != nil {
		return fmt.Errorf("glm: %w", err)
	}
	linalg.Symmetrize(h)
	*s = Sums{j.Rows, j.Value[0], j.Gradient, h, j.Floor[0], j.Cancelled, j.Sizes, j.LeastWeight, j.Offsets, j.Length}
	return nil
}

// Know makes the sums of all rows at theta those of the objective, whose design is one of
// [design.Far]: value, derivatives and bounds there then need no pass.
func (o *Objective) Know(theta []float64, s *Sums) {
	o.known, o.sizes, o.cancelled = s, s.Sizes, s.Cancelled
	o.memo = memo{theta: append([]float64(nil), theta...), value: s.Value, g: append([]float64(nil), s.Gradient...)}
	o.last = linearization{theta: o.memo.theta, h: s.Hessian.Clone(), floor: s.Floor, every: 1}
	o.under = factors{}
	o.addRidge(theta)
	o.addRidgeHess(o.last.h)
}

// Reach is what bounds the rows' scores along a Newton step, see the package's documentation:
// that of all rows is merged from those of parts.
type Reach struct {
	Widest   float64   // the largest difference of scores along the step
	Leverage float64   // the largest R² of a row
	Terms    float64   // the sizes of the terms of the scores
	Sizes    []float64 // those of the gradient, by parameter of the K functions
}

// Reach returns that of the rows of the objective along the Newton step of all rows, from the point at
// which all knows their sums (see [Objective.Know]). Where the Hessian there is not positive definite
// beyond doubt there is no such step, and the reach is so far that it bounds nothing. O(np²m²), one pass.
//
// Errors: those of the storage.
func (o *Objective) Reach(all *Objective) (*Reach, error) {
	b := all.factored(&all.last)
	if b == nil {
		return &Reach{Widest: math.MaxFloat64, Leverage: math.MaxFloat64, Sizes: make([]float64, o.k*o.Dim())}, nil
	}
	d, _ := b.step(all.memo.g)
	r, err := o.reaches(all.memo.theta, d, b, 0)
	if err != nil {
		return nil, err
	}
	return &Reach{r.widest, r.leverage, r.scores, r.sizes}, nil
}

// Merge takes in the reach of other rows along the same step.
func (r *Reach) Merge(t *Reach) {
	r.Widest, r.Leverage = max(r.Widest, t.Widest), max(r.Leverage, t.Leverage)
	r.Terms += t.Terms
	linalg.Axpy(r.Sizes, 1, t.Sizes)
}

// KnownBound is the bound at the point of [Objective.Know]; r is the reach of all rows along
// the Newton step there, nil where curvatures are to bound it.
func (o *Objective) KnownBound(r *Reach) Bound {
	b := o.factored(&o.last)
	if b == nil {
		return unproven()
	}
	if r == nil {
		return o.boundBy(b, o.memo.theta, 0, nil)
	}
	return o.boundBy(b, o.memo.theta, 0, &reach{o: o, widest: r.Widest, leverage: r.Leverage,
		terms: terms{sizes: r.Sizes, scores: r.Terms}})
}

// KnownTolerance returns the tolerance of the certificate at the point of [Objective.Know], for
// a caller's tolerance or 0: that of [Objective.Minimize].
func (o *Objective) KnownTolerance(tol float64) float64 {
	return (&ending{o: o, p: Problem{Tol: tol}}).tolerance(o.memo.value)
}
