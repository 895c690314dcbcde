package sim

import (
	"halfspace/linalg"
	"halfspace/optimize"
)

// Classifier assigns rows to classes.
type Classifier interface {
	// Classes returns the K labels, ascending.
	Classes() []int
	// Features returns p, the length of a row.
	Features() int
	// Scores appends K values; the class of the largest is predicted. For K = 2
	// the second minus the first is f(x).
	Scores(dst, row []float64) []float64
	// Predict returns the label of the largest score, of the smaller label in a
	// tie.
	Predict(row []float64) int
	// PredictRows appends the labels of the rows of x.
	PredictRows(dst []int, x linalg.Rows) ([]int, error)
	// Report says how the fit ended.
	Report() optimize.Report
}

// Prober is a classifier with probabilities.
type Prober interface {
	Classifier
	// Proba appends the K probabilities of the classes.
	Proba(dst, row []float64) []float64
}

// LogProber is a classifier with logarithms of probabilities, which stay finite
// where a probability rounds to 0.
type LogProber interface {
	Classifier
	// LogProba appends the K logarithms.
	LogProba(dst, row []float64) []float64
}

// RowsLogProber is a LogProber that takes many rows in less time than one after the other: it sets dst (n×K) to the
// logarithms of the probabilities of the rows of x (n×p).
type RowsLogProber interface {
	LogProbaRows(dst, x *linalg.Dense)
}

// SparseScorer is a classifier that scores a row by the columns, ascending, and the values
// that are stored of it; the others are 0.
type SparseScorer interface {
	ScoresSparse(dst []float64, index []int32, value []float64) []float64
}

// SparseLogProber is SparseScorer for logarithms of probabilities.
type SparseLogProber interface {
	LogProbaSparse(dst []float64, index []int32, value []float64) []float64
}

// SparseProber is SparseScorer for probabilities.
type SparseProber interface {
	ProbaSparse(dst []float64, index []int32, value []float64) []float64
}

// Linear is a model whose scores are linear in the row: one row of coefficients
// for two classes and for a regression, else one for each class or pair of
// classes.
type Linear interface {
	Coef() (coef *linalg.Dense, intercept []float64)
}

// Regressor predicts a number.
type Regressor interface {
	// Features returns p, the length of a row.
	Features() int
	// Predict returns f(x).
	Predict(row []float64) float64
	// PredictRows appends f of the rows of x.
	PredictRows(dst []float64, x linalg.Rows) ([]float64, error)
	// Report says how the fit ended.
	Report() optimize.Report
}
