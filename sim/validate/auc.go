package validate

import (
	"fmt"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/sim"
)

// PRCurve is the precision-recall curve of a two-class model: of the rows that it takes
// for the larger label the share that are of it, and the share of those that it finds,
// as the threshold on f(x) falls.
type PRCurve struct {
	Threshold         []float64 // each distinct f(x), from the largest
	Precision, Recall []float64
	Average           float64 // Σ (Recallₖ − Recallₖ₋₁)·Precisionₖ, the average precision
}

// PrecisionRecall computes the curve of f(x) = s₁ − s₀. O(n(p + log n)).
//
// Errors: those of [ROC].
func PrecisionRecall(m sim.Classifier, x linalg.Rows, y []int) (*PRCurve, error) {
	roc, err := ROC(m, x, y)
	if err != nil {
		return nil, err
	}
	rows, larger, positives := float64(len(y)), m.Classes()[1], 0.0
	for _, label := range y {
		if label == larger {
			positives++
		}
	}
	c, before := &PRCurve{}, 0.0
	for k := 1; k < len(roc.Threshold); k++ {
		hits, others := roc.TPR[k]*positives, roc.FPR[k]*(rows-positives)
		precision := hits / (hits + others)
		c.Threshold = append(c.Threshold, roc.Threshold[k])
		c.Precision, c.Recall = append(c.Precision, precision), append(c.Recall, roc.TPR[k])
		c.Average += (roc.TPR[k] - before) * precision
		before = roc.TPR[k]
	}
	return c, nil
}

// String returns the average precision and the number of thresholds.
func (c *PRCurve) String() string {
	return fmt.Sprintf("precision-recall curve of %d thresholds, average precision %.4g", len(c.Threshold), c.Average)
}

// MarshalJSON writes the points of the curve.
func (c PRCurve) MarshalJSON() ([]byte, error) { return record.Plain(c) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *PRCurve) UnmarshalJSON(data []byte) error { return wrap(record.ReadPlain(data, c)) }

// AUCs returns, for each class, the area under the ROC curve of its probability against
// the rows of all other classes (one against the rest): NaN for a class without rows.
//
// Errors: those of [Brier], *[linalg.ClassError] for a label that the model does not
// know.
func AUCs(m sim.Prober, x linalg.Rows, y []int) ([]float64, error) {
	p, code, err := probabilities(m, x, y)
	if err != nil {
		return nil, wrap(err)
	}
	area := make([]float64, p.Cols)
	for k := range area {
		area[k] = AUC(p.Col(nil, k), equal(code, k))
	}
	return area, nil
}

// MultiAUC returns the M measure of D. J. Hand and R. J. Till (Machine Learning 45,
// 2001): the mean over the pairs of classes of the probability that a row of one has a
// higher probability of it than a row of the other, and the other way round. For two
// classes it is the area under the ROC curve. NaN for a class without rows.
// O(K²·n log n).
//
// Errors: those of [AUCs].
func MultiAUC(m sim.Prober, x linalg.Rows, y []int) (float64, error) {
	p, code, err := probabilities(m, x, y)
	if err != nil {
		return 0, wrap(err)
	}
	return handTill(p, code), nil
}

// handTill returns M of probabilities p, one row of K each, whose classes are code.
func handTill(p *linalg.Dense, code []int) float64 {
	rows := make([][]int, p.Cols)
	for i, k := range code {
		rows[k] = append(rows[k], i)
	}
	against := func(a, b int) float64 { // by the probability of a
		score, of := make([]float64, 0, len(rows[a])+len(rows[b])), make([]bool, 0, len(rows[a])+len(rows[b]))
		for _, k := range []int{a, b} {
			for _, i := range rows[k] {
				score, of = append(score, p.At(i, a)), append(of, k == a)
			}
		}
		return AUC(score, of)
	}
	sum, pairs := 0.0, 0.0
	for a := range rows {
		for b := range a {
			sum += (against(a, b) + against(b, a)) / 2
			pairs++
		}
	}
	return sum / pairs
}

// probabilities returns the probabilities of the rows of x and the positions of their
// classes.
func probabilities(m sim.Prober, x linalg.Rows, y []int) (*linalg.Dense, []int, error) {
	rows, err := checkAll(m, x, y, readable)
	if err != nil {
		return nil, nil, err
	}
	classes := m.Classes()
	code, err := positions(classes, y)
	if err != nil {
		return nil, nil, err
	}
	p, proba := linalg.Zeros(len(y), len(classes)), probaOf(m)
	linalg.For(len(y), scoreChunk, 0, func(lo, hi int) {
		proba.each(rows, lo, hi, nil, func(i int, v []float64) { copy(p.Row(i), v) })
	})
	return p, code, rows.err()
}
