package validate

import (
	"math"

	"halfspace/linalg"
	"halfspace/sim"
)

// Evaluation is how a classifier does on labelled rows. LogLoss and Brier are NaN
// for models without probabilities, AUC for more than two classes.
type Evaluation struct {
	N         int
	Error     float64 // share of rows misclassified
	SE        float64 // √(e(1−e)/n), the standard error of Error
	Confusion *Confusion
	LogLoss   float64 // see [LogLoss]
	Brier     float64 // see [Brier]
	AUC       float64 // see [AUC], of f(x) = s₁ − s₀
}

// Evaluate applies a classifier to the rows of x, whose labels are y.
//
// Errors: *[linalg.ShapeError], *[linalg.ClassError] for a label that the model
// does not know, those of the model.
func Evaluate(m sim.Classifier, x *linalg.Dense, y []int) (*Evaluation, error) {
	if err := sameLen(x.Rows, "rows", len(y), "labels"); err != nil {
		return nil, err
	}
	predicted, err := m.PredictRows(nil, x)
	if err != nil {
		return nil, err
	}
	classes := m.Classes()
	c, err := NewConfusion(classes, predicted, y)
	if err != nil {
		return nil, err
	}
	e := &Evaluation{N: len(y), Error: c.Error(), Confusion: c, LogLoss: math.NaN(), Brier: math.NaN(), AUC: math.NaN()}
	e.SE = math.Sqrt(e.Error * (1 - e.Error) / float64(e.N))
	if p, ok := m.(sim.Prober); ok {
		e.LogLoss, e.Brier = probabilityScores(p, x, y)
	}
	if len(classes) == 2 {
		e.AUC = AUC(decisions(m, x), equal(y, classes[1]))
	}
	return e, nil
}
