package validate

import (
	"fmt"
	"math"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/sim"
)

// Evaluation is how a classifier does on labelled rows. A number that the model or the
// rows do not determine is NaN: LogLoss and Brier without probabilities, AUC for more
// than two classes without them.
type Evaluation struct {
	N         int
	Error     float64 // share of rows misclassified
	SE        float64 // √(e(1−e)/n), the standard error of Error
	Confusion *Confusion
	MacroF1   float64 // see [Confusion.MacroF1]
	LogLoss   float64 // see [LogLoss]
	Brier     float64 // see [Brier]
	AUC       float64 // for two classes see [AUC], of f(x) = s₁ − s₀; for more see [MultiAUC]
}

// Evaluate applies a classifier to the rows of x, whose labels are y.
//
// Errors: *[linalg.ShapeError], *[linalg.ClassError] for a label that the model does not
// know, those of the model, which refuses rows that are not finite unless it fills gaps.
func Evaluate(m sim.Classifier, x linalg.Rows, y []int) (*Evaluation, error) {
	rows, err := checkAll(m, x, y, readable)
	if err != nil {
		return nil, wrap(err)
	}
	predicted, err := m.PredictRows(nil, rows.storage())
	if err != nil {
		return nil, err
	}
	classes := m.Classes()
	c, err := NewConfusion(classes, predicted, y)
	if err != nil {
		return nil, err
	}
	e := &Evaluation{N: len(y), Error: c.Error(), Confusion: c, MacroF1: c.MacroF1(), LogLoss: math.NaN(), Brier: math.NaN(), AUC: math.NaN()}
	e.SE = math.Sqrt(e.Error * (1 - e.Error) / float64(e.N))
	p, hasProba := m.(sim.Prober)
	if hasProba {
		e.LogLoss, e.Brier = probabilityScores(p, rows, y)
	}
	if len(classes) == 2 {
		e.AUC = AUC(decisions(m, rows), equal(y, classes[1]))
	} else if hasProba {
		e.AUC, err = MultiAUC(p, rows.storage(), y)
	}
	if err == nil {
		err = wrap(rows.err())
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// String returns the scores that there are, and the confusion matrix.
func (e *Evaluation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d rows, error %.4g ± %.2g, macro F1 %.4g", e.N, e.Error, e.SE, e.MacroF1)
	for _, s := range []struct {
		name  string
		value float64
	}{{"log-loss", e.LogLoss}, {"Brier score", e.Brier}, {"AUC", e.AUC}} {
		if s.value == s.value {
			fmt.Fprintf(&b, ", %s %.4g", s.name, s.value)
		}
	}
	b.WriteByte('\n')
	if e.Confusion != nil {
		b.WriteString(e.Confusion.String())
	}
	return b.String()
}

// MarshalJSON writes the scores; a number that JSON cannot hold is null.
func (e Evaluation) MarshalJSON() ([]byte, error) { return record.Plain(e) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (e *Evaluation) UnmarshalJSON(data []byte) error { return wrap(record.ReadPlain(data, e)) }
