package engine

import (
	"cmp"
	"errors"
	"math"
	"math/big"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/qp/separation"
	"halfspace/sim"
)

// Contour is the objective as a function of two coefficients, the intercept being that of
// the solution: Side² values about the solution, row after row, as far as Reach.
type Contour struct {
	Side  int
	Reach float64
	Value []float64
}

// explain adds the evidence of an error. A final answer multiplies it out once more.
func (f *fit) explain(err error) {
	verify := func() error { return nil }
	if e := (*logistic.SeparationError)(nil); errors.As(err, &e) {
		f.separated(&e.Evidence)
		verify = func() error {
			return e.Verify(&separation.Problem{X: f.x, Code: f.labels.Code, Classes: len(f.Labels)})
		}
	} else if e := (*hyperplane.InfeasibleError)(nil); errors.As(err, &e) && !e.Machine.Rest {
		f.coincide(e.Evidence)
		verify = func() error { return e.Verify(f.x, f.y, nil) }
	} else {
		return
	}
	if f.Final {
		f.Proof = "holds"
		if err := verify(); err != nil {
			f.Proof = err.Error()
		}
	}
}

// separated makes a direction the scores of the answer.
func (f *fit) separated(e *separation.Evidence) {
	if e.Coef == nil {
		return
	}
	f.Separated = true
	f.scores = func(dst, row []float64) []float64 {
		for j := range e.Origin {
			row[j] -= e.Origin[j]
		}
		if len(f.Labels) == 2 {
			dst = append(dst, 0)
		}
		for k, b := range e.Intercept {
			dst = append(dst, b+linalg.Dot(e.Coef.Row(k), row))
		}
		return dst
	}
}

// coincide turns multipliers of two classes into convex combinations: those of either
// class divided by their sum.
func (f *fit) coincide(e *separation.Evidence) {
	f.weights, f.Meeting = make([]float64, len(f.y)), make([]float64, 2)
	bits, sum := 0, make([]float64, 2)
	for _, m := range e.Multipliers {
		bits = max(bits, m.Value.BitLen())
	}
	for _, m := range e.Multipliers {
		v := new(big.Float).SetInt(m.Value)
		f.weights[m.Row], _ = v.SetMantExp(v, -bits).Float64()
		sum[f.labels.Code[m.Row]] += f.weights[m.Row]
	}
	for i, k := range f.labels.Code {
		f.weights[i] /= sum[k]
		linalg.Axpy(f.Meeting, f.weights[i]/2, f.raw.Row(i))
	}
	if f.x.Cols > 2 {
		f.Meeting = nil // they coincide among the monomials
	}
}

// show fills in all that follows from scores.
func (f *fit) show() {
	f.describe()
	f.table()
	g := f.Grid
	for i := range g.Cols * g.Rows {
		f.Scores = f.score(f.Scores, []float64{g.X + float64(i%g.Cols)*g.Step, g.Y + float64(i/g.Cols)*g.Step})
	}
	if b, err := truth(f.Preset); err == nil && f.Final {
		const draws, seed = 20_000, 1
		f.Test, f.TestSE = b.Error(func(row []float64) int { return f.Labels[linalg.ArgMax(f.score(nil, row))] }, draws, seed)
		f.Bayes, _ = b.Error(nil, draws, seed)
		if exact, ok := b.ExactError(); ok {
			f.Bayes = exact
		}
	}
	if len(f.Coef) == 1 && f.x.Cols == 2 && f.Final {
		f.contour(f.Coef[0])
	}
}

// table computes the row of each point. The multiplier of a likelihood is the probability
// of the other classes.
func (f *fit) table() {
	alpha := make([]float64, len(f.y))
	if m, ok := f.model.(interface{ Machines() []hyperplane.Machine }); ok {
		for _, machine := range m.Machines() {
			for i, row := range machine.Support {
				alpha[row] += machine.Multipliers[i]
			}
		}
	}
	for i, k := range f.labels.Code {
		s := f.score(nil, f.raw.Row(i))
		own := s[k]
		s[k] = math.Inf(-1)
		margin := own - s[linalg.ArgMax(s)]
		s[k] = own
		l, weight := 0.0, 0.0
		if f.Proba {
			l = linalg.LogSumExp(s) - own
			alpha[i] = -math.Expm1(-l)
		} else {
			l = f.loss.Value(1, margin)
		}
		if f.weights != nil {
			weight = f.weights[i]
		}
		f.Table = append(f.Table, margin, l, alpha[i], weight)
	}
}

// describe adds the numbers and directions of the model's own kind.
func (f *fit) describe() {
	add := func(name string, v float64) { f.Figures = append(f.Figures, Figure{name, v}) }
	var scaling *linalg.Dense
	switch m := f.model.(type) {
	case *discriminant.LDA:
		scaling, _, _ = m.Scaling() // class means that coincide have no direction
	case *discriminant.ReducedRank:
		scaling = m.Scaling()
	case *hyperplane.Perceptron:
		add("updates", float64(m.Updates()))
		add("misclassified", float64(m.Misclassified()))
		if e := m.Evidence(); e != nil && !e.Separated() {
			f.coincide(e)
		}
	case *hyperplane.HardMargin:
		add("margin", m.Margin())
	case *hyperplane.SVC:
		if c, err := m.Conditions(0, f.x, f.y, nil); err == nil && len(f.Labels) == 2 {
			add("half-width 1/‖β‖", m.Margin())
			add("primal objective", c.Primal)
			add("dual objective", c.Dual)
			add("stationarity", c.Stationarity)
			add("feasibility", max(c.PrimalFeasibility, c.DualFeasibility))
			add("complementary slackness", c.ComplementarySlackness)
		}
	}
	for r := range min(2, cmp.Or(scaling, &linalg.Dense{}).Cols) {
		f.Directions = append(f.Directions, scaling.Col(nil, r))
	}
	if m, ok := f.model.(sim.Linear); ok {
		coef, intercept := m.Coef()
		for k, b := range intercept {
			f.Coef = append(f.Coef, append([]float64{b}, coef.Row(k)...))
		}
	}
}

// contour evaluates Σ L(y·f) + λ(α‖β‖₁ + (1−α)/2·‖β‖²), or ½‖β‖² + C·Σ L.
func (f *fit) contour(at []float64) {
	price, ridge, lasso := 1.0, f.Lambda*(1-f.L1Ratio), f.Lambda*f.L1Ratio
	if f.Method == "svc" {
		price, ridge, lasso = cmp.Or(f.C, 1), 1, 0
	}
	c := &Contour{Side: 25, Reach: 0.75 * max(math.Abs(at[1]), math.Abs(at[2]))}
	for _, x := range f.Walk {
		c.Reach = max(c.Reach, 1.1*math.Abs(x[1]-at[1]), 1.1*math.Abs(x[2]-at[2]))
	}
	for i := range c.Side * c.Side {
		a := at[1] + c.Reach*(2*float64(i%c.Side)/float64(c.Side-1)-1)
		b := at[2] + c.Reach*(2*float64(i/c.Side)/float64(c.Side-1)-1)
		v := ridge/2*(a*a+b*b) + lasso*(math.Abs(a)+math.Abs(b))
		for k, code := range f.labels.Code {
			x := f.raw.Row(k)
			v += price * f.loss.Value(float64(2*code-1), at[0]+a*x[0]+b*x[1])
		}
		c.Value = append(c.Value, v)
	}
	f.Contour = c
}
