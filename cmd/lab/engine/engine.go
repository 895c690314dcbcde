// Package engine answers the questions of the lab's page, which calls it as WebAssembly:
// it draws points, fits a model to points and says all that the page shows of the fit.
// Reading order: fit.go (the model), detail.go, engine.go (a question and its answer).
package engine

import (
	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/feature"
)

// Query is a model that the page asks for.
type Query struct {
	Method     string
	Degree     int // of polynomial features; 0 and 1 are the coordinates
	Population Population
	// Options of the methods, of which each takes its own.
	Discriminant discriminant.Options
	Logistic     logistic.Options
	Perceptron   hyperplane.PerceptronOptions
	HardMargin   hyperplane.HardMarginOptions
	SVC          hyperplane.SVCOptions
	Draw         int // draw that many points of the population with Seed, and fit nothing
	Seed         uint64
	Final        bool // add the slow parts: error rates on the population, proofs
	Grid         struct {
		X, Y, Step float64
		Cols, Rows int
	}
}

// Population is where the points are from: Heaps Gaussians a class, class after class, and
// their covariances or the one of all. Without Heaps it is not known.
type Population struct {
	Heaps int
	Means [][]float64
	Covs  [][][]float64
}

// Answer is all that the page shows of a fit. Error says why there is no model, or what is
// wrong with it; the scores may then be those of a direction that separates the classes.
type Answer struct {
	Error               string
	Report              optimize.Report
	Separated           bool      // the scores are those of a separating direction
	Holds               bool      // the evidence of a final answer, multiplied out in integers
	Weights             []float64 // of the points in convex combinations of both classes that coincide
	Labels              []int     // of the scores
	Test, TestSE, Bayes float64   // error rates on the population
	Figures             map[string]float64
	Coef, Walk          [][]float64 // intercept and coefficients: of each function; after each step
	Directions          [][]float64 // discriminant directions
	Scores, Table       []float64   `json:"-"` // of the grid, K a node; of the points, Columns each
}

// Columns are the numbers that an answer has of a point: its margin, the score of its class
// less the largest of the others; −log p if the softmax of the scores are probabilities; its
// multiplier. Of drawn points they are coordinates and label.
const Columns = 3

// fit is a model of a query and the points that it is fitted to.
type fit struct {
	*Query
	*Answer
	raw, x *linalg.Dense // the points, and their monomials
	expand *feature.Polynomial
	y      []int
	labels sample.Labels
	model  sim.Classifier                     // nil where there is none
	scores func(dst, row []float64) []float64 // of monomials; nil where there are none
}

// Ask answers a query about points, their coordinates one after the other, and labels.
func Ask(q *Query, xy []float64, y []int) *Answer {
	f := &fit{Query: q, Answer: new(Answer), y: y}
	if err := f.run(xy); err != nil {
		f.Error = err.Error()
		f.explain(err)
	}
	if f.scores != nil {
		f.show()
	}
	return f.Answer
}
