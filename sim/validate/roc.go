package validate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/sim"
)

// Curve is the ROC curve of a two-class model: the rates at which it finds the
// rows of the larger label, and takes others for them, as the threshold on f(x)
// falls.
type Curve struct {
	Threshold []float64 // +Inf first, then each distinct f(x), from the largest
	TPR, FPR  []float64 // shares of the larger and of the smaller label at or above it
	AUC       float64   // the area below, see [AUC]
}

// String returns the area and the number of thresholds.
func (c *Curve) String() string {
	return fmt.Sprintf("ROC curve of %d thresholds, area %.4g", len(c.Threshold), c.AUC)
}

// MarshalJSON writes the points of the curve; the infinite threshold is null.
func (c Curve) MarshalJSON() ([]byte, error) { return record.Plain(c) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Curve) UnmarshalJSON(data []byte) error {
	if err := record.ReadPlain(data, c); err != nil {
		return wrap(err)
	}
	if len(c.Threshold) > 0 && c.Threshold[0] != c.Threshold[0] {
		c.Threshold[0] = math.Inf(1)
	}
	return nil
}

// ROC computes the curve of f(x) = s₁ − s₀, the difference of the two scores. Where
// a model's probabilities round to 1 its scores still differ; the probability at a
// threshold is [linalg.Sigmoid] of it if the scores are log-probabilities up to a
// constant. O(n(p + log n)).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError] if
// y lacks a class.
func ROC(m sim.Classifier, x linalg.Rows, y []int) (*Curve, error) {
	rows, larger, err := twoClasses(m, x, y)
	if err != nil {
		return nil, wrap(err)
	}
	score, positive := decisions(m, rows), equal(y, larger)
	for i, f := range score {
		if f != f {
			return nil, wrap(&linalg.NonFiniteError{What: "score", Row: i, Col: -1, Value: f})
		}
	}
	c := &Curve{Threshold: []float64{math.Inf(1)}, TPR: []float64{0}, FPR: []float64{0}, AUC: AUC(score, positive)}
	levels(score, positive, func(f, pos, neg float64) {
		c.Threshold = append(c.Threshold, f)
		c.TPR, c.FPR = append(c.TPR, pos), append(c.FPR, neg)
	})
	pos, neg := c.TPR[len(c.TPR)-1], c.FPR[len(c.FPR)-1]
	for k := range c.TPR {
		c.TPR[k] /= pos
		c.FPR[k] /= neg
	}
	return c, nil
}

// AUC returns the area under the ROC curve: the probability that a positive row
// has a higher score than a negative one, a tie counting half (the Mann–Whitney
// statistic). NaN if one of the two is missing or a score is NaN. O(n log n). It
// panics if the lengths differ.
func AUC(score []float64, positive []bool) float64 {
	if len(score) != len(positive) {
		panic(fmt.Sprintf("validate: AUC: %d scores but %d labels", len(score), len(positive)))
	}
	if slices.ContainsFunc(score, math.IsNaN) {
		return math.NaN()
	}
	var area, above, others float64 // positive and other rows of larger scores
	levels(score, positive, func(_, pos, neg float64) {
		area += (neg - others) * (pos + above) / 2
		above, others = pos, neg
	})
	return area / (above * others)
}

// levels calls visit for each distinct score, from the largest, with the numbers
// of positive and of other rows at or above it.
func levels(score []float64, positive []bool, visit func(score, pos, neg float64)) {
	order := linalg.Sequence(len(score))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	pos, neg := 0.0, 0.0
	for k, i := range order {
		if positive[i] {
			pos++
		} else {
			neg++
		}
		if k+1 == len(order) || score[order[k+1]] != score[i] {
			visit(score[i], pos, neg)
		}
	}
}

// twoClasses returns the rows and the larger label of a two-class model, and refuses
// rows that lack a class.
func twoClasses(m sim.Classifier, x linalg.Rows, y []int) (r rows, larger int, err error) {
	if r, err = checkRows(m, x, y); err != nil {
		return r, 0, err
	}
	classes := m.Classes()
	if err = needTwo(classes); err == nil {
		_, err = sample.Code(y, classes, nil)
	}
	return r, classes[len(classes)-1], err
}

// needTwo refuses another number of classes than two.
func needTwo(classes []int) error {
	if len(classes) != 2 {
		return &linalg.ShapeError{Want: 2, WantOf: "classes needed", Got: len(classes), GotOf: "in the model"}
	}
	return nil
}

// decisions returns f(x) = s₁ − s₀ of a two-class model for each row.
func decisions(m sim.Classifier, x rows) []float64 {
	f, scores := make([]float64, x.Len()), scoresOf(m)
	linalg.For(len(f), scoreChunk, 0, func(lo, hi int) {
		scores.each(x, lo, hi, nil, func(i int, s []float64) { f[i] = s[1] - s[0] })
	})
	return f
}

// equal says of each label whether it is the given one.
func equal(y []int, label int) []bool {
	is := make([]bool, len(y))
	for i, v := range y {
		is[i] = v == label
	}
	return is
}
