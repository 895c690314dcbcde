package feature

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

// Quantiles maps each feature to its place in the training data: q₀ ≤ … ≤ q_{m−1}
// are the quantiles at 0, 1/(m−1), …, 1, and x goes to the same numbers, linearly
// interpolated between the quantiles, clipped to [0, 1] outside. A value that
// equals several quantiles goes to the middle of their places, but the least one
// to 0 and the largest to 1, as in scikit-learn: a constant goes to 0. The image of the
// training data is uniform, whatever its scale and tails, where few values are equal.
type Quantiles struct {
	m    int
	knot []float64 // p·m: the quantiles of feature j from j·m on
}

// FitQuantiles computes m quantiles of each column of x, 0 for 100, at most one a
// row; a nil w is all ones, else a row counts as w of them, in units of Σw²/Σw
// where that is below 1. Between order statistics a
// quantile is interpolated (type 7 of R. J. Hyndman and Y. Fan, Sample Quantiles in
// Statistical Packages, The American Statistician 50, 1996). O(pn log n).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError],
// *[sample.OptionError].
func FitQuantiles(x *linalg.Dense, w []float64, m int) (*Quantiles, error) {
	total, err := checkRows(x, w)
	if err != nil {
		return nil, wrap(err)
	}
	if m, err = sample.Count("m", m, 100); err != nil {
		return nil, wrap(err)
	}
	if w != nil {
		rows := 0.0
		for _, v := range w {
			rows += min(1, math.Ceil(v))
		}
		total = max(rows, linalg.Sum(repeats(w)))
	}
	m = int(min(float64(m), total))
	if m < 2 {
		return nil, wrap(&linalg.ShapeError{Want: 2, WantOf: "quantiles needed", Got: m, GotOf: "quantiles"})
	}
	q := &Quantiles{m, make([]float64, x.Cols*m)}
	linalg.For(x.Cols, 1, 0, func(lo, hi int) {
		col := make([]float64, x.Rows)
		for j := lo; j < hi; j++ {
			x.Col(col, j)
			r := rank(col, w)
			for k := range m {
				q.knot[j*m+k] = r.quantile(k, m-1)
			}
		}
	})
	return q, nil
}

// Features returns p, the length of a row.
func (q *Quantiles) Features() int { return len(q.knot) / max(1, q.m) }

// Outputs returns p.
func (q *Quantiles) Outputs() int { return q.Features() }

// Names returns the names as they are.
func (q *Quantiles) Names(features []string) []string { return slices.Clone(features) }

// Knots returns the quantiles of feature j.
func (q *Quantiles) Knots(j int) []float64 { return slices.Clone(q.knots(j)) }

func (q *Quantiles) knots(j int) []float64 { return q.knot[j*q.m : (j+1)*q.m] }

// Apply appends the place of each value; of NaN it is NaN.
func (q *Quantiles) Apply(dst, row []float64) []float64 {
	mustLen(q.Features(), len(row))
	for j, v := range row {
		dst = append(dst, placeOf(v, q.knots(j)))
	}
	return dst
}

// placeOf returns the place of v in [0, 1] between the quantiles.
func placeOf(v float64, knots []float64) float64 {
	last := len(knots) - 1
	switch {
	case v != v:
		return v
	case v <= knots[0]:
		return 0
	case v >= knots[last]:
		return 1
	}
	lo := sort.SearchFloat64s(knots, v) // the first quantile ≥ v
	at := float64(lo)
	if knots[lo] == v {
		hi := lo
		for knots[hi+1] == v {
			hi++
		}
		at = float64(lo+hi) / 2
	} else {
		// Halves keep the difference of huge numbers finite.
		at -= (knots[lo]/2 - v/2) / (knots[lo]/2 - knots[lo-1]/2)
	}
	return at / float64(last)
}

// ApplyRows returns the images of the rows of x.
//
// Errors: *[linalg.ShapeError].
func (q *Quantiles) ApplyRows(x *linalg.Dense) (*linalg.Dense, error) { return ApplyRows(q, x) }

// String returns the number of features.
func (q *Quantiles) String() string {
	return fmt.Sprintf("%d features to their places among %d quantiles", q.Features(), q.m)
}

type quantilesJSON struct {
	Features int       `json:"features"`
	Knots    []float64 `json:"knots"`
}

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it back bit
// for bit.
func (q *Quantiles) MarshalJSON() ([]byte, error) {
	return record.MarshalFitted(quantilesKind, version, q.m > 0, func() any { return quantilesJSON{q.Features(), q.knot} })
}

// UnmarshalJSON reads what MarshalJSON wrote, and checks it.
func (q *Quantiles) UnmarshalJSON(b []byte) error {
	var j quantilesJSON
	if _, err := record.Unmarshal(b, quantilesKind, version, &j); err != nil {
		return wrap(err)
	}
	n, p := len(j.Knots), j.Features
	if err := damaged(p > 0 && n > 0 && n%p == 0 && n/p > 1 && finite(j.Knots, n), fmt.Sprintf("%d quantiles of %d features", n, p)); err != nil {
		return err
	}
	t := Quantiles{n / p, j.Knots}
	for k := range p {
		if err := damaged(slices.IsSorted(t.knots(k)), fmt.Sprintf("the quantiles of feature %d do not ascend", k)); err != nil {
			return err
		}
	}
	*q = t
	return nil
}
