package method_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// A rare class of 5 among 10⁵ rows is found.
func TestRareClass(t *testing.T) {
	linalgtest.SkipSlow(t)
	n := 100_000
	if testing.Short() {
		n = 10_000
	}
	r := rand.New(rand.NewPCG(3, 0))
	d := &dataset.Data{X: linalg.Zeros(n, 2), Labels: make([]int, n), Names: []string{"common", "rare"},
		Schema: &dataset.Schema{Columns: []dataset.Column{{Name: "a"}, {Name: "b"}}, Label: "y", Names: []string{"common", "rare"}}}
	for i := range n {
		row := d.X.Row(i)
		row[0], row[1] = r.NormFloat64(), r.NormFloat64()
		if i%(n/5) == 7 {
			d.Labels[i] = 1
			row[0] += 5
		}
	}
	for _, name := range []string{"lda", "qda", "rda", "rrlda", "indicator", "logistic", "svc"} {
		m, err := method.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		o := methodtest.Options(m)
		model, err := m.Fit(d, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := model.Classifier()
		s := c.Scores(nil, []float64{5, 0})
		z := c.Scores(nil, []float64{0, 0})
		if !(s[1]-s[0] > z[1]-z[0]) {
			t.Errorf("%s: scores %v among the rare, %v among the common", name, s, z)
		}
		if n <= 10_000 {
			for _, f := range recompute(t, model.Method, model.Fitted(), d, o) {
				if !f.holds() {
					t.Errorf("%s: %v", name, f)
				}
			}
		}
	}
}

// Classes that coincide: the evidence of a hard margin that cannot be, of a
// perceptron without end, and a soft margin with a huge price of slack.
func TestDuplicatesWithBothLabels(t *testing.T) {
	x, err := linalg.FromRows([][]float64{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, 1}, {2, 1}, {1, 2}, {2, 2}})
	if err != nil {
		t.Fatal(err)
	}
	y := []int{0, 0, 0, 0, 1, 1, 1, 1}
	var infeasible *hyperplane.InfeasibleError
	if _, err := hyperplane.FitHardMargin(x, y, nil); !errors.As(err, &infeasible) {
		t.Errorf("hard margin: %v", err)
	} else if why := combinations(infeasible, x, y); why != "" {
		t.Errorf("hard margin: %s", why)
	}
	if m, err := hyperplane.FitPerceptron(x, y, nil); m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Misclassified() == 0 {
		t.Errorf("perceptron: %v", err)
	}
	for _, c := range []float64{1, 1e6, 1e12} {
		m, err := hyperplane.FitSVC(x, y, &hyperplane.SVCOptions{C: c})
		if m == nil || err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("C = %g: %v", c, err)
		}
	}
	if m, err := discriminant.FitLDA(x, y, nil); err != nil || m.Predict([]float64{2, 2}) != 1 {
		t.Errorf("lda: %v", err)
	}
}

// combinations checks that two convex combinations coincide, relative to the
// largest row; for planes through 0 their weights sum to 1 together.
func combinations(e *hyperplane.InfeasibleError, x *linalg.Dense, y []int) string {
	point, radius, total := make([]float64, x.Cols), 0.0, 0.0
	for i := range x.Rows {
		radius = max(radius, linalg.Norm(x.Row(i)))
	}
	side := func(rows []int, weights []float64, sign float64, label int) string {
		if !e.ThroughZero {
			total = 0
		}
		for k, i := range rows {
			if label >= 0 && y[i] != label || !(weights[k] >= 0) {
				return fmt.Sprintf("row %d of class %d with weight %v", i, y[i], weights[k])
			}
			total += weights[k]
			linalg.Axpy(point, sign*weights[k], x.Row(i))
		}
		if math.Abs(total-1) > 1e-9 && (sign < 0 || !e.ThroughZero) {
			return fmt.Sprintf("weights sum to %v", total)
		}
		return ""
	}
	negative := e.Machine.Negative
	if e.Machine.Rest {
		negative = -1 // any other class
	}
	if why := side(e.Positive, e.PositiveWeights, 1, e.Machine.Positive) + side(e.Negative, e.NegativeWeights, -1, negative); why != "" {
		return why
	}
	if d := linalg.Norm(point); d > 1e-9*radius {
		return fmt.Sprintf("the combinations are %v apart", d)
	}
	return ""
}
