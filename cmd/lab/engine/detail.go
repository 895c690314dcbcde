package engine

import (
	"errors"
	"math"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/qp/separation"
	"halfspace/sim"
)

// explain adds the evidence of an error. A final answer multiplies it out once more.
func (f *fit) explain(err error) {
	if e := (*logistic.SeparationError)(nil); errors.As(err, &e) && e.Coef != nil {
		f.Separated = true
		f.scores = logistic.Fitted(f.Labels, e.Coef, e.Intercept, e.Origin, logistic.Elsewhere, optimize.Elsewhere()).Scores
		f.Holds = f.Final && e.Verify(&separation.Problem{X: f.x, Code: f.labels.Code, Classes: len(f.Labels)}) == nil
	} else if e := (*hyperplane.InfeasibleError)(nil); errors.As(err, &e) && !e.Machine.Rest {
		f.Weights = make([]float64, len(f.y))
		for i, row := range e.Positive {
			f.Weights[row] = e.PositiveWeights[i]
		}
		for i, row := range e.Negative {
			f.Weights[row] = e.NegativeWeights[i]
		}
		f.Holds = f.Final && e.Verify(f.x, f.y, nil) == nil
	}
}

// show fills in all that follows from scores.
func (f *fit) show() {
	f.describe()
	var monomials, s []float64
	score := func(dst, point []float64) []float64 {
		monomials = f.expand.Apply(monomials[:0], point)
		return f.scores(dst, monomials)
	}
	alpha := make([]float64, len(f.y))
	if m, ok := f.model.(interface{ Machines() []hyperplane.Machine }); ok {
		for _, machine := range m.Machines() {
			for i, row := range machine.Support {
				alpha[row] += machine.Multipliers[i]
			}
		}
	}
	for i, k := range f.labels.Code {
		s = score(s[:0], f.raw.Row(i))
		own, loss := s[k], linalg.LogSumExp(s)-s[k]
		s[k] = math.Inf(-1)
		f.Table = append(f.Table, own-s[linalg.ArgMax(s)], loss, alpha[i])
	}
	g, point := f.Grid, make([]float64, 2)
	f.Scores = make([]float64, 0, g.Cols*g.Rows*len(f.Labels))
	for i := range g.Cols * g.Rows {
		point[0], point[1] = g.X+float64(i%g.Cols)*g.Step, g.Y+float64(i/g.Cols)*g.Step
		f.Scores = score(f.Scores, point)
	}
	if b, err := f.Population.known(); err == nil && f.Final {
		const draws, seed = 20_000, 1
		f.Test, f.TestSE = b.Error(func(row []float64) int {
			s = score(s[:0], row)
			return f.Labels[linalg.ArgMax(s)]
		}, draws, seed)
		f.Bayes, _ = b.Error(nil, draws, seed)
		if exact, ok := b.ExactError(); ok { // then the draws tell by how much the model is worse
			f.Test, f.Bayes = max(exact, f.Test-f.Bayes+exact), exact
		}
	}
}

// describe adds the numbers and directions of the model's own kind.
func (f *fit) describe() {
	var scaling *linalg.Dense
	switch m := f.model.(type) {
	case *discriminant.LDA:
		scaling, _, _ = m.Scaling() // class means that coincide have no direction
	case *discriminant.ReducedRank:
		scaling = m.Scaling()
	case *hyperplane.Perceptron:
		f.Figures = map[string]float64{"updates": float64(m.Updates()), "misclassified": float64(m.Misclassified())}
		if e := m.Evidence(); e != nil && !e.Separated() {
			_, err := hyperplane.FitHardMargin(f.x, f.y, nil)
			f.explain(err)
		}
	case interface { // a hard or a soft margin
		Conditions(k int, x linalg.Rows, y []int, weights []float64) (*hyperplane.Conditions, error)
	}:
		if c, err := m.Conditions(0, f.x, f.y, nil); err == nil && len(f.Labels) == 2 {
			f.Figures = map[string]float64{"objective, dual": c.Dual, "stationarity": c.Stationarity,
				"feasibility": max(c.PrimalFeasibility, c.DualFeasibility), "complementary slackness": c.ComplementarySlackness}
		}
	}
	for r := 0; scaling != nil && r < min(2, scaling.Cols); r++ {
		f.Directions = append(f.Directions, scaling.Col(nil, r))
	}
	if m, ok := f.model.(sim.Linear); ok {
		coef, intercept := m.Coef()
		for k, b := range intercept {
			f.Coef = append(f.Coef, append([]float64{b}, coef.Row(k)...))
		}
	}
}
