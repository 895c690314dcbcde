package validate

import (
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/sim"
)

// Bin is a line of a calibration table.
type Bin struct {
	Lo, Hi    float64 // predicted probabilities from Lo up to Hi
	Rows      int
	Predicted float64 // their mean
	Observed  float64 // share of the larger label
	SE        float64 // of Observed if the predictions are right: √Σp(1−p)/Rows
}

// ProbabilityError reports a probability of a model that is not between 0 and 1.
type ProbabilityError struct {
	Row   int
	Value float64
}

func (e *ProbabilityError) Error() string {
	return fmt.Sprintf("a probability of row %d is %g, not between 0 and 1", e.Row, e.Value)
}

// Calibration compares the probabilities that a two-class model predicts for the
// rows of x with how often they come true, in bins of equal width. Bins without
// rows are left out.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], also for a probability
// that is NaN, *[ProbabilityError], *[linalg.ClassError] if y lacks a class, *[sample.OptionError] for a
// number of bins that is not between 1 and 10⁶.
func Calibration(m sim.Prober, x linalg.Rows, y []int, bins int) ([]Bin, error) {
	if bins < 1 || bins > 1e6 {
		return nil, wrap(&sample.OptionError{Name: "bins", Value: float64(bins), Want: "between 1 and 10⁶"})
	}
	rows, larger, err := twoClasses(m, x, y)
	if err != nil {
		return nil, wrap(err)
	}
	table := make([]Bin, bins)
	positive := make([]float64, len(y))
	probaOf(m).each(rows, 0, len(y), nil, func(i int, p []float64) { positive[i] = p[1] })
	for i, label := range y {
		v := positive[i]
		if v != v {
			return nil, wrap(&linalg.NonFiniteError{What: "probability", Row: i, Col: -1, Value: v})
		}
		if !(math.Abs(v-0.5) <= 0.5+1e-9) { // a rounding is no error
			return nil, wrap(&ProbabilityError{Row: i, Value: v})
		}
		v = min(max(v, 0), 1)
		b := &table[min(int(v*float64(bins)), bins-1)]
		b.Rows++
		b.Predicted += v
		b.SE += v * (1 - v)
		if label == larger {
			b.Observed++
		}
	}
	used := table[:0]
	for k, b := range table {
		if b.Rows == 0 {
			continue
		}
		n := float64(b.Rows)
		used = append(used, Bin{float64(k) / float64(bins), float64(k+1) / float64(bins), b.Rows, b.Predicted / n, b.Observed / n, math.Sqrt(b.SE) / n})
	}
	return used, nil
}

// String returns the line: the bin, its rows, the predicted and the observed share.
func (r Bin) String() string {
	return fmt.Sprintf("[%.3g, %.3g]: %d rows, predicted %.4g, observed %.4g ± %.2g", r.Lo, r.Hi, r.Rows, r.Predicted, r.Observed, r.SE)
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (r Bin) MarshalJSON() ([]byte, error) { return record.Plain(r) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *Bin) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, r) }
