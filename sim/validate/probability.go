package validate

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/sim"
)

// LogLoss returns the mean of −log p(yᵢ | xᵢ) over the rows of x: +Inf for a label
// that the model does not know, NaN for a model whose probabilities are NaN.
// O(n·cost of a prediction).
//
// Error: *[linalg.ShapeError].
func LogLoss(m sim.Prober, x *linalg.Dense, y []int) (float64, error) {
	if err := checkRows(m, x, y); err != nil {
		return 0, err
	}
	logLoss, _ := probabilityScores(m, x, y)
	return logLoss, nil
}

// Brier returns the mean over the rows of Σₖ(pₖ − 1[k true])² for three classes
// and more, and of half of that, (p − 1[true])² of the larger label's probability,
// for two, as scikit-learn has it: 0 is perfect (G. W. Brier, Monthly Weather
// Review 78, 1950). A label that the model does not know is none of the k.
//
// Error: *[linalg.ShapeError].
func Brier(m sim.Prober, x *linalg.Dense, y []int) (float64, error) {
	if err := checkRows(m, x, y); err != nil {
		return 0, err
	}
	_, brier := probabilityScores(m, x, y)
	return brier, nil
}

// checkRows refuses rows that are not one a label or not as long as the model's.
func checkRows(m sim.Classifier, x *linalg.Dense, y []int) error {
	_, p, err := sample.Dims(x, len(y), "labels")
	if err == nil && p != m.Features() {
		err = &linalg.ShapeError{Want: m.Features(), WantOf: "features", Got: p, GotOf: "columns"}
	}
	if err != nil {
		return fmt.Errorf("validate: %w", err)
	}
	return nil
}

// scoreChunk is the number of rows that a goroutine takes at a time.
const scoreChunk = 1024

// probabilityScores returns the log-loss and the Brier score in one pass.
func probabilityScores(m sim.Prober, x *linalg.Dense, y []int) (logLoss, brier float64) {
	type sums struct {
		logLoss, brier float64
		p              []float64
	}
	classes, logProba := m.Classes(), logProba(m)
	linalg.Reduce(x.Rows, scoreChunk, 0, func() *sums { return new(sums) }, func(s *sums, lo, hi int) {
		s.logLoss, s.brier = 0, 0
		for i := lo; i < hi; i++ {
			s.p = logProba(s.p[:0], x.Row(i))
			t, known := slices.BinarySearch(classes, y[i])
			if known {
				s.logLoss -= s.p[t]
			} else {
				s.logLoss = math.Inf(1)
			}
			for k, l := range s.p {
				d := math.Exp(l)
				if known && k == t {
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
	if len(classes) == 2 {
		brier /= 2
	}
	return logLoss / n, brier / n
}

// logProba returns the function of m that appends log-probabilities.
func logProba(m sim.Prober) func(dst, row []float64) []float64 {
	if m, ok := m.(sim.LogProber); ok {
		return m.LogProba
	}
	return func(dst, row []float64) []float64 {
		n := len(dst)
		dst = m.Proba(dst, row)
		for k, p := range dst[n:] {
			dst[n+k] = math.Log(p)
		}
		return dst
	}
}
