package validate

import (
	"math"

	"halfspace/linalg"
	"halfspace/sim"
)

// Evaluation is how a classifier does on labelled rows. LogLoss, Brier and AUC
// are NaN for models without probabilities, AUC also for more than two classes.
type Evaluation struct {
	N         int
	Error     float64 // share of rows misclassified
	SE        float64 // √(e(1−e)/n), the standard error of Error
	Confusion *Confusion
	LogLoss   float64 // mean of −log p of the true class
	Brier     float64 // mean of Σₖ(pₖ − 1[k true])²; for two classes twice that of one
	AUC       float64 // two classes: see [AUC]; from the scores if there are no probabilities
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
	if prob := logProba(m); prob != nil {
		e.LogLoss, e.Brier = probabilityScores(prob, classes, x, y)
	}
	if len(classes) == 2 {
		score, positive := make([]float64, len(y)), make([]bool, len(y))
		linalg.For(len(y), scoreChunk, 0, func(lo, hi int) {
			var s []float64
			for i := lo; i < hi; i++ {
				s = m.Scores(s[:0], x.Row(i))
				score[i], positive[i] = s[1]-s[0], y[i] == classes[1]
			}
		})
		e.AUC = AUC(score, positive)
	}
	return e, nil
}
