package validate

import (
	"cmp"
	"errors"
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
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError].
func LogLoss(m sim.Prober, x linalg.Rows, y []int) (float64, error) {
	rows, err := checkRows(m, x, y)
	if err != nil {
		return 0, wrap(err)
	}
	logLoss, _ := probabilityScores(m, rows, y)
	return logLoss, nil
}

// LogLosses returns −log p(yᵢ | xᵢ) of each row of x, of which [LogLoss] is the mean.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError].
func LogLosses(m sim.Prober, x linalg.Rows, y []int) ([]float64, error) {
	r, err := checkRows(m, x, y)
	if err != nil {
		return nil, wrap(err)
	}
	classes, loss := m.Classes(), make([]float64, len(y))
	logProba(m).each(r, 0, len(y), nil, func(i int, p []float64) {
		loss[i] = math.Inf(1)
		if t, known := slices.BinarySearch(classes, y[i]); known {
			loss[i] = -p[t]
		}
	})
	return loss, nil
}

// Brier returns the mean over the rows of Σₖ(pₖ − 1[k true])² for three classes
// and more, and of half of that, (p − 1[true])² of the larger label's probability,
// for two, as scikit-learn has it: 0 is perfect (G. W. Brier, Monthly Weather
// Review 78, 1950). A label that the model does not know is none of the k.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError].
func Brier(m sim.Prober, x linalg.Rows, y []int) (float64, error) {
	rows, err := checkRows(m, x, y)
	if err != nil {
		return 0, wrap(err)
	}
	_, brier := probabilityScores(m, rows, y)
	return brier, nil
}

// checkRows returns the rows of x. It refuses rows that are not one a label, not as long as
// the model's, or not finite, which have no class unless the model fills gaps and gives
// them scores.
func checkRows(m sim.Classifier, x linalg.Rows, y []int) (r rows, err error) {
	return checkAll(m, x, y, inMemory)
}

// checkAll is checkRows of rows that read returns.
func checkAll(m sim.Classifier, x linalg.Rows, y []int, read func(linalg.Rows) (rows, error)) (r rows, err error) {
	_, _, err = sample.Dims(x, len(y), "labels")
	if err = cmp.Or(err, suits(m, x)); err != nil {
		return r, err
	}
	if r, err = read(x); err == nil && r.dense != nil {
		err = checkScored(m, r.dense)
	}
	return r, err
}

// checkScored refuses a row that is not finite and has no finite scores.
func checkScored(m sim.Classifier, rows *linalg.Dense) error {
	if rows.CheckFinite() == nil {
		return nil
	}
	var scores []float64
	for i := range rows.Rows {
		err := rows.RowRange(i, i+1).CheckFinite()
		if err == nil {
			continue
		}
		if scores = m.Scores(scores[:0], rows.Row(i)); linalg.CheckFinite("scores", scores) == nil {
			continue
		}
		if cell := (*linalg.NonFiniteError)(nil); errors.As(err, &cell) {
			cell.Row = i
		}
		return err
	}
	return nil
}

// scoreChunk is the number of rows that a goroutine takes at a time.
const scoreChunk = 1024

// probabilityScores returns the log-loss and the Brier score in one pass.
func probabilityScores(m sim.Prober, x rows, y []int) (logLoss, brier float64) {
	type sums struct {
		logLoss, brier float64
		p              []float64
	}
	classes, logProba := m.Classes(), logProba(m)
	linalg.Reduce(x.Len(), scoreChunk, 0, func() *sums { return new(sums) }, func(s *sums, lo, hi int) {
		s.logLoss, s.brier = 0, 0
		s.p = logProba.each(x, lo, hi, s.p, func(i int, p []float64) {
			t, known := slices.BinarySearch(classes, y[i])
			if known {
				s.logLoss -= p[t]
			} else {
				s.logLoss = math.Inf(1)
			}
			for k, l := range p {
				d := math.Exp(l)
				if known && k == t {
					d--
				}
				s.brier += d * d
			}
		})
	}, func(s *sums) {
		logLoss += s.logLoss
		brier += s.brier
	})
	n := float64(x.Len())
	if len(classes) == 2 {
		brier /= 2
	}
	return logLoss / n, brier / n
}

// logProba returns the function of m that appends log-probabilities.
func logProba(m sim.Prober) (f rowFunction) {
	if l, ok := m.(sim.LogProber); ok {
		f.dense = l.LogProba
	} else {
		f = probaOf(m).logs()
	}
	if s, ok := m.(sim.SparseLogProber); ok {
		f.sparse = s.LogProbaSparse
	}
	if b, ok := m.(sim.RowsLogProber); ok {
		f.block, f.of = b.LogProbaRows, len(m.Classes())
	}
	return f
}

// logs returns the function that appends the logarithms of the numbers of f.
func (f rowFunction) logs() (g rowFunction) {
	of := func(n int, dst []float64) []float64 {
		for k, v := range dst[n:] {
			dst[n+k] = math.Log(v)
		}
		return dst
	}
	g.dense = func(dst, row []float64) []float64 { return of(len(dst), f.dense(dst, row)) }
	if f.sparse != nil {
		g.sparse = func(dst []float64, index []int32, value []float64) []float64 {
			return of(len(dst), f.sparse(dst, index, value))
		}
	}
	return g
}
