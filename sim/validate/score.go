package validate

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/sim"
)

func sameLen(want int, wantOf string, got int, gotOf string) error {
	if want != got {
		return fmt.Errorf("validate: %w", &linalg.ShapeError{Want: want, WantOf: wantOf, Got: got, GotOf: gotOf})
	}
	if want == 0 {
		return fmt.Errorf("validate: %w", &linalg.ShapeError{Want: 1, WantOf: "row needed", Got: 0, GotOf: "rows"})
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

// logProba returns the function of m that appends log-probabilities, or nil.
func logProba(m sim.Classifier) func(dst, row []float64) []float64 {
	switch m := m.(type) {
	case sim.LogProber:
		return m.LogProba
	case sim.Prober:
		return func(dst, row []float64) []float64 {
			n := len(dst)
			dst = m.Proba(dst, row)
			for k, p := range dst[n:] {
				dst[n+k] = math.Log(p)
			}
			return dst
		}
	}
	return nil
}

// scoreChunk is the number of rows that a goroutine takes at a time.
const scoreChunk = 1024

func probabilityScores(prob func(dst, row []float64) []float64, classes []int, x *linalg.Dense, y []int) (logLoss, brier float64) {
	type sums struct {
		logLoss, brier float64
		p              []float64
	}
	linalg.Reduce(x.Rows, scoreChunk, 0, func() *sums { return new(sums) }, func(s *sums, lo, hi int) {
		s.logLoss, s.brier = 0, 0
		for i := lo; i < hi; i++ {
			s.p = prob(s.p[:0], x.Row(i))
			t, _ := slices.BinarySearch(classes, y[i])
			s.logLoss -= s.p[t]
			for k, l := range s.p {
				d := math.Exp(l)
				if k == t {
					d--
				}
				s.brier += d * d
			}
		}
	}, func(s *sums) {
		logLoss += s.logLoss
		brier += s.brier
	})
	n := float64(x.Rows)
	return logLoss / n, brier / n
}

// MSE returns the mean of (predicted − truth)², NaN for no rows.
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
// of the mean; NaN if all the responses are equal.
func R2(predicted, truth []float64) float64 {
	mean := 0.0
	for _, v := range truth {
		mean += v / float64(len(truth))
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
