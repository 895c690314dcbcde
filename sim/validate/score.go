package validate

import (
	"fmt"
	"math"

	"halfspace/linalg"
)

// sameLen refuses other numbers of labels and of predictions, and none.
func sameLen(labels, predictions int) error {
	if labels != predictions {
		return wrap(&linalg.ShapeError{Want: labels, WantOf: "labels", Got: predictions, GotOf: "predictions"})
	}
	if labels == 0 {
		return wrap(&linalg.ShapeError{Want: 1, WantOf: "row needed", Got: 0, GotOf: "rows"})
	}
	return nil
}

// ErrorRate returns the share of rows whose prediction is not the truth, NaN for
// no rows. It panics if the lengths differ.
func ErrorRate(predicted, truth []int) float64 {
	if len(predicted) != len(truth) {
		panic(fmt.Sprintf("validate: ErrorRate: %d predictions but %d labels", len(predicted), len(truth)))
	}
	wrong := 0
	for i, v := range predicted {
		if v != truth[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(len(truth))
}

// MSE returns the mean of (predicted − truth)², NaN for no rows. It panics if the lengths
// differ.
func MSE(predicted, truth []float64) float64 {
	if len(predicted) != len(truth) {
		panic(fmt.Sprintf("validate: MSE: %d predictions but %d responses", len(predicted), len(truth)))
	}
	s := 0.0
	for i, v := range predicted {
		s += (v - truth[i]) * (v - truth[i])
	}
	return s / float64(len(truth))
}

// R2 returns 1 − Σ(y−f)²/Σ(y−ȳ)²: 1 for predictions without error, 0 for those
// of the mean; NaN if all the responses are equal. It panics if the lengths differ.
func R2(predicted, truth []float64) float64 {
	mean := 0.0 // of the rows so far: that of equal values is the value, without rounding
	for i, v := range truth {
		mean += (v - mean) / float64(i+1)
	}
	total := 0.0
	for _, v := range truth {
		total += (v - mean) * (v - mean)
	}
	if total == 0 {
		return math.NaN()
	}
	return 1 - MSE(predicted, truth)*float64(len(truth))/total
}

// MeanSE returns the mean of v and its standard error s/√n, where s² has divisor
// n−1: NaN for one value.
func MeanSE(v []float64) (mean, se float64) {
	n := float64(len(v))
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		se += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(se / (n - 1) / n)
}
