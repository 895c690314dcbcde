package experiment

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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
	if err := distances(r, s, seed); err != nil {
		return nil, err
	}
	cycle, wrong, err := inseparable(r)
	if err != nil {
		return nil, err
	}
	r.say("The perceptron stops at the first plane that separates; which one depends on the start and on the order of the points. None of those found here has the margin of the optimal plane, %.3f. "+
		"Logistic regression approaches that plane as its ridge vanishes (Rosset, Zhu and Hastie 2004), but slowly: in this sample its margin is %.3f at λ = 10⁻², %.3f at 10⁻⁴ and %.3f at 10⁻⁶%s. Over all gaps tried, the updates needed were at most %.0f %% of what the convergence theorem allows. "+
		"Each update lowers ‖b − b*‖² by R² at least, b = (β, β₀), b* the multiple of the optimal plane with y·f ≥ R² and R the length of the longest row (1, x), whatever the start; so there are finitely many. "+
		"On five points that no line separates the planes come round again every %d epochs, for ever; the pocket keeps the best plane met, with %d point wrong.",
		widest[3], widest[0], widest[1], widest[2], steadiness(widest), 100*most, cycle, wrong)
	return r, nil
}

// steadiness says when margins do not rise all the way.
func steadiness(margins []float64) string {
	if slices.IsSorted(margins[:3]) {
		return ""
	}
	return ", not rising all the way"
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
	return hyperplane.NewPlane(coef.Row(0), intercept[0])
}

// manyPlanes returns the margins of logistic regression as its ridge vanishes, and the
// widest margin after them.
func manyPlanes(r *Result, s *trainingSet, seed uint64) (widest []float64, err error) {
	t := r.table("Planes on one separable set", "method", "margin", "misclassified")
	p := &plot.Plot{Title: "Three perceptrons and three principled planes", X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true}
	misclassified := 0
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
		misclassified = margins.Misclassified
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
	wrong := misclassified // of the plane added last
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
	r.draw("perceptron-planes", p, "%s separate the classes; only one has the widest margin.", separating(wrong))
	return widest, nil
}

// separating names the lines that have no row wrong.
func separating(wrong int) string {
	if wrong > 0 {
		return fmt.Sprintf("All lines but that of least squares, with %d rows wrong,", wrong)
	}
	return "All lines"
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
	r.draw("perceptron-gap", p, "Updates until the perceptron has separated the classes, in cyclic order, over the gap between them, and the bound R²‖β‖² of the convergence theorem from the optimal plane. Both axes are logarithmic.")
	return most, nil
}

// distances draws ‖b − b*‖², b = (β, β₀), after each update, from zero and from a random
// start, for the multiple b* of the optimal plane with y·f ≥ R², R the length of the longest
// row: each update then lowers it by R² at least (ESL exercise 4.6).
func distances(r *Result, s *trainingSet, seed uint64) error {
	hard, err := hyperplane.FitHardMargin(s.x, s.y, nil)
	if err != nil {
		return err
	}
	best := hard.Machines()[0].Plane
	longest := 0.0
	for i := range s.y {
		longest = math.Max(longest, 1+linalg.Dot(s.x.Row(i), s.x.Row(i)))
	}
	target, err := best.Scaled(longest)
	if err != nil {
		return err
	}
	to := append([]float64{target.Intercept()}, target.Normal()...)
	t := r.table("Updates from a start, and what each brings", "start", "updates", "bound from that start", "least fall of ‖b − b*‖² / R²", "mean fall / R²")
	p := &plot.Plot{Title: "Every update brings the plane nearer", X: plot.Axis{Label: "update"}, Y: plot.Axis{Label: "‖b − b*‖² / R²"}}
	for k, length := range []float64{0, 0.5} {
		name := []string{"zero", "a random start"}[k]
		start, err := randomPlane(length*linalg.Norm(to), newRand(seed+1))
		if err != nil {
			return err
		}
		at, far, err := walkTowards(s, &hyperplane.PerceptronOptions{Start: start, MaxEpochs: 100_000}, to)
		if err != nil {
			return err
		}
		least := math.Inf(1)
		for i := range far {
			if far[i] /= longest; i > 0 {
				least = math.Min(least, far[i-1]-far[i])
			}
		}
		bound, err := hyperplane.UpdateBoundFrom(start, 1, best, s.x, s.y)
		if err != nil {
			return err
		}
		last := len(far) - 1
		t.Add(name, last, bound, least, (far[0]-far[last])/float64(last))
		p.Curve("from "+name, lineStyles[k+1], at, far)
	}
	r.draw("perceptron-distance", p, "The squared distance from the optimal plane's coefficients, in units of R², after each update: it falls by one at least. The multiple of the plane is that with y·f ≥ R²; another one can give a smaller bound on the updates from a start, and the table has the least.")
	return nil
}

// randomPlane returns a plane with (β, β₀) of a length, in a random direction; nil for 0.
func randomPlane(length float64, rng *rand.Rand) (*hyperplane.Plane, error) {
	if length == 0 {
		return nil, nil
	}
	b := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	linalg.Scale(b, length/linalg.Norm(b))
	return hyperplane.NewPlane(b[1:], b[0])
}

// walkTowards fits a perceptron and returns ‖b − to‖² at the start and after each update.
func walkTowards(s *trainingSet, o *hyperplane.PerceptronOptions, to []float64) (at, far []float64, err error) {
	o.EveryUpdate = true
	o.Trace = func(step optimize.Step) error {
		d := append([]float64{}, step.X...)
		linalg.Axpy(d, -1, to)
		if v := linalg.Dot(d, d); len(far) == 0 || v != far[len(far)-1] { // the end of an epoch moves nothing
			at, far = append(at, float64(len(far))), append(far, v)
		}
		return nil
	}
	_, err = hyperplane.FitPerceptron(s.x, s.y, o)
	return at, far, err
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
	r.draw("perceptron-cycle", p, "The perceptron's criterion D after each pass over five points that no line separates; D = −Σyf over the misclassified rows, ESL (4.41). After the first epochs it comes back to the same values for ever.")
	return m.Cycle(), pocket.Misclassified(), nil
}
