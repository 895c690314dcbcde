package experiment

import (
	"errors"
	"fmt"
	"math"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim/plot"
)

var perceptron = &Experiment{
	Name:    "perceptron",
	Title:   "The perceptron: many separating planes, and how long it takes to find one",
	Topic:   "Separating planes",
	ESL:     "§4.5.1",
	Formula: "β ← β + ρyx for a row with yf(x) ≤ 0 (4.44)",
	run:     runPerceptron,
}

// separable draws n points of each class from either side of a line through a
// square, and moves them apart until the gap between the sides is at least as
// wide as asked for.
func separable(n int, gap float64, seed uint64) *trainingSet {
	rng := newRand(seed)
	normal := [2]float64{2 / math.Sqrt(5), 1 / math.Sqrt(5)}
	s := &trainingSet{linalg.Zeros(2*n, 2), make([]int, 2*n)}
	for i := range s.y {
		s.y[i] = i % 2
		side := float64(2*s.y[i] - 1)
		for {
			a, b := 4*rng.Float64(), 4*rng.Float64()
			if side*(normal[0]*a+normal[1]*b-2.6) > 0 {
				s.x.Set(i, 0, a+side*gap/2*normal[0])
				s.x.Set(i, 1, b+side*gap/2*normal[1])
				break
			}
		}
	}
	return s
}

func runPerceptron(seed uint64) (*Result, error) {
	r := &Result{}
	s := separable(40, 0.6, seed)
	widest, err := manyPlanes(r, s, seed)
	if err != nil {
		return nil, err
	}
	if err := orders(r, s, seed); err != nil {
		return nil, err
	}
	most, err := updatesByGap(r, seed)
	if err != nil {
		return nil, err
	}
	cycle, wrong, err := inseparable(r)
	if err != nil {
		return nil, err
	}
	r.say("The perceptron stops at the first plane that separates; which one depends on the start and on the order of the points. None of those found here has the margin of the optimal plane, %.3f. "+
		"Logistic regression with a vanishing ridge approaches that plane, but slowly (Rosset, Zhu and Hastie 2004): its margin is %.3f at λ = 10⁻², %.3f at 10⁻⁴ and %.3f at 10⁻⁶. Over all gaps tried, the updates needed were at most %.0f %% of what the convergence theorem allows. "+
		"On five points that no line separates the planes come round again every %d epochs, for ever; the pocket keeps the best plane met, with %d point wrong.",
		widest[3], widest[0], widest[1], widest[2], 100*most, cycle, wrong)
	return r, nil
}

// marginOf returns the geometric margin of a model's plane on s.
func marginOf(p *hyperplane.Plane, s *trainingSet) (float64, error) {
	m, err := p.Margins(s.x, s.y, nil)
	if err != nil {
		return 0, err
	}
	return m.Margin(), nil
}

// coefficients are those of a linear model.
type coefficients interface {
	Coef() (*linalg.Dense, []float64)
}

// planeOf returns the decision plane of a linear model for two classes.
func planeOf(m coefficients) (*hyperplane.Plane, error) {
	coef, intercept := m.Coef()
	beta, b0 := coef.Row(0), intercept[0]
	if coef.Rows == 2 { // scores of each class
		beta = append([]float64{}, coef.Row(1)...)
		linalg.Axpy(beta, -1, coef.Row(0))
		b0 = intercept[1] - intercept[0]
	}
	return hyperplane.NewPlane(beta, b0)
}

// manyPlanes returns the margins of logistic regression as its ridge vanishes, and the
// widest margin after them.
func manyPlanes(r *Result, s *trainingSet, seed uint64) (widest []float64, err error) {
	t := r.table("Planes on one separable set", "method", "margin", "misclassified")
	p := &plot.Plot{Title: "Three perceptrons and three principled planes", X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true}
	add := func(name string, style plot.Style, m coefficients) error {
		plane, err := planeOf(m)
		if err != nil {
			return err
		}
		margins, err := plane.Margins(s.x, s.y, nil)
		if err != nil {
			return err
		}
		t.Add(name, margins.Margin(), margins.Misclassified)
		if style.Width > 0 {
			p.Boundary(name, style, func(x, y float64) float64 { return plane.Value([]float64{x, y}) })
		}
		widest = append(widest, margins.Margin())
		return nil
	}
	for k := range 3 {
		m, err := hyperplane.FitPerceptron(s.x, s.y, &hyperplane.PerceptronOptions{Random: true, Seed: seed + uint64(k)})
		if err != nil {
			return nil, err
		}
		if err := add(fmt.Sprintf("perceptron, start %d", k+1), plot.Style{Color: plot.Sky, Width: 1.5, Dash: plot.Dash(k)}, m); err != nil {
			return nil, err
		}
	}
	ls, err := discriminant.FitIndicator(s.x, s.y, nil)
	if err != nil {
		return nil, err
	}
	hard, err := hyperplane.FitHardMargin(s.x, s.y, nil)
	if err != nil {
		return nil, err
	}
	if err := add("least squares", plot.Style{Color: plot.Purple, Width: 2, Dash: plot.DashDot}, ls); err != nil {
		return nil, err
	}
	widest = nil
	for k, lambda := range []float64{1e-2, 1e-4, 1e-6} {
		lr, err := logistic.Fit(s.x, s.y, &logistic.Options{Lambda: lambda})
		if err != nil {
			return nil, err
		}
		if err := add("logistic, λ = "+[]string{"10⁻²", "10⁻⁴", "10⁻⁶"}[k], plot.Style{Color: plot.Green, Width: []float64{0, 0, 2}[k], Dash: plot.Dashed}, lr); err != nil {
			return nil, err
		}
	}
	if err := add("optimal plane", plot.Style{Width: 2.5}, hard); err != nil {
		return nil, err
	}
	p.Scatter(s.x, 0, 1, s.y, classNames(2))
	r.draw("perceptron-planes", p, "All lines but perhaps that of least squares separate the classes; only one has the widest margin.")
	return widest, nil
}

func orders(r *Result, s *trainingSet, seed uint64) error {
	t := r.table("Order of the points", "order", "epochs", "updates", "margin")
	for _, o := range []hyperplane.PerceptronOrder{hyperplane.Cyclic, hyperplane.Shuffled, hyperplane.Worst, hyperplane.Batch} {
		po := &hyperplane.PerceptronOptions{Order: o, MaxEpochs: 100_000}
		if o == hyperplane.Shuffled {
			po.Seed = seed
		}
		m, err := hyperplane.FitPerceptron(s.x, s.y, po)
		if err != nil {
			return err
		}
		margin, err := marginOf(m.Plane(), s)
		if err != nil {
			return err
		}
		t.Add(o.String(), m.Report().Iterations(), m.Updates(), margin)
	}
	return nil
}

// updatesByGap draws updates against the gap and returns the largest ratio of
// updates to their bound.
func updatesByGap(r *Result, seed uint64) (most float64, err error) {
	t := r.table("Updates by the gap between the classes", "gap", "updates", "bound")
	var gaps, updates, bounds []float64
	for _, gap := range []float64{2, 1, 0.5, 0.25, 0.12, 0.06, 0.03} {
		s := separable(100, gap, seed)
		m, err := hyperplane.FitPerceptron(s.x, s.y, &hyperplane.PerceptronOptions{MaxEpochs: 1_000_000})
		if err != nil {
			return 0, err
		}
		hard, err := hyperplane.FitHardMargin(s.x, s.y, nil)
		if err != nil {
			return 0, err
		}
		bound, err := hyperplane.UpdateBound(hard.Machines()[0].Plane, s.x, s.y)
		if err != nil {
			return 0, err
		}
		t.Add(gap, m.Updates(), bound)
		gaps, updates, bounds = append(gaps, gap), append(updates, float64(m.Updates())), append(bounds, bound)
		most = math.Max(most, float64(m.Updates())/bound)
	}
	p := &plot.Plot{Title: "Updates until the classes are separated", X: plot.Axis{Label: "gap between the classes", Log: true}, Y: plot.Axis{Label: "updates", Log: true}}
	p.Curve("updates", plot.Style{Color: plot.Green, Width: 2}, gaps, updates)
	p.Curve("bound, R²‖β‖²", plot.Style{Dash: plot.Dashed, Width: 2}, gaps, bounds)
	r.draw("perceptron-gap", p, "Updates in cyclic order, and the bound of the convergence theorem from the optimal plane.")
	return most, nil
}

func inseparable(r *Result) (cycle, wrong int, err error) {
	x, err := linalg.FromRows([][]float64{{2, 1}, {3, 3}, {0, 1}, {2, 0}, {4, 4}})
	if err != nil {
		return 0, 0, err
	}
	y := []int{0, 1, 0, 1, 0}
	var epochs, criterion []float64
	m, err := hyperplane.FitPerceptron(x, y, &hyperplane.PerceptronOptions{MaxEpochs: 30, Trace: func(s optimize.Step) error {
		epochs, criterion = append(epochs, float64(s.Iteration)), append(criterion, s.Objective)
		return nil
	}})
	if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		return 0, 0, err
	}
	pocket, err := hyperplane.FitPerceptron(x, y, &hyperplane.PerceptronOptions{MaxEpochs: 30, Pocket: true})
	if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		return 0, 0, err
	}
	p := &plot.Plot{Title: "The criterion on five points that no line separates", X: plot.Axis{Label: "epoch"}, Y: plot.Axis{Label: "D(β, β₀)"}}
	p.Curve("D", plot.Style{Color: plot.Purple, Width: 2}, epochs, criterion)
	r.draw("perceptron-cycle", p, "On data that cannot be separated the criterion goes round in circles.")
	return m.Cycle(), pocket.Misclassified(), nil
}
