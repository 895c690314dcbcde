package experiment

import (
	"fmt"
	"math"

	"halfspace/hyperplane"
	"halfspace/hyperplane/cpath"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

var cost = &Experiment{
	Name:    "cost",
	Title:   "The cost of slack: margin and support vectors over C",
	Topic:   "Separating planes",
	ESL:     "§12.2",
	Formula: "min ½‖β‖² + CΣξᵢ, yᵢf(xᵢ) ≥ 1 − ξᵢ, ξᵢ ≥ 0 (12.8)",
	run:     runCost,
}

// costFit holds the figures of a fit at one C.
type costFit struct {
	c, margin, slack float64 // margin is the half-width, 1/‖β‖
	support, inside  int     // support vectors; rows with a margin below 1
	training         float64
}

// costData draws the overlapping classes of the experiment.
func costData(seed uint64) (*trainingSet, error) {
	b, err := population.Gaussians([][]float64{{-1, -0.7}, {1, 0.7}}, [][][]float64{{{1, 0}, {0, 1}}}, nil)
	if err != nil {
		return nil, err
	}
	x, y := population.SampleClasses(b, []int{50, 50}, seed)
	return &trainingSet{x, y}, nil
}

// fitCost fits one C and draws it if p is not nil.
func fitCost(s *trainingSet, c float64, p *plot.Plot) (*costFit, error) {
	m, err := hyperplane.FitSVC(s.x, s.y, &hyperplane.SVCOptions{C: c})
	if err != nil {
		return nil, err
	}
	k, err := m.Conditions(0, s.x, s.y, nil)
	if err != nil {
		return nil, err
	}
	f := &costFit{c: c, margin: m.Margin(), support: len(m.Support()), training: float64(k.Misclassified) / float64(len(s.y))}
	for _, xi := range k.Slack {
		f.slack += xi
		if xi > 1e-9 {
			f.inside++
		}
	}
	if p != nil {
		drawMargin(p, m, k, s)
	}
	return f, nil
}

// drawMargin draws the plane, its margins, the support vectors, and each slack as
// the way from the row to the margin of its class.
func drawMargin(p *plot.Plot, m *hyperplane.SVC, k *hyperplane.Conditions, s *trainingSet) {
	coef, intercept := m.Coef()
	beta := coef.Row(0)
	p.Margin("plane and margins", plot.Style{Width: 2}, [2]float64{beta[0], beta[1]}, intercept[0])
	norm := math.Hypot(beta[0], beta[1])
	var x0, y0, x1, y1 []float64
	for i, xi := range k.Slack {
		if xi > 1e-9 {
			d := xi / norm * float64(2*s.y[i]-1)
			row := s.x.Row(i)
			x0, y0 = append(x0, row[0]), append(y0, row[1])
			x1, y1 = append(x1, row[0]+d*beta[0]/norm), append(y1, row[1]+d*beta[1]/norm)
		}
	}
	p.Scatter(s.x, 0, 1, s.y, classNames(2))
	p.Segments("slack", plot.Style{Color: plot.Purple, Width: 1.2}, x0, y0, x1, y1)
	var sx, sy []float64
	for _, i := range m.Support() {
		sx, sy = append(sx, s.x.At(i, 0)), append(sy, s.x.At(i, 1))
	}
	p.Rings("support vectors", sx, sy)
}

func runCost(seed uint64) (*Result, error) {
	s, err := costData(seed)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	t := r.table("Soft margins over C", `C`, "half-width 1/‖β‖", "support vectors", "rows inside the margin", "total slack", "training error")
	panels := &plot.Panels{Columns: 2}
	var cs, margins, supports []float64
	var first, last *costFit
	for i := range 9 {
		c := math.Pow(10, float64(i)/2-2)
		var p *plot.Plot
		if i == 0 || i == 8 {
			p = &plot.Plot{Title: fmt.Sprintf("C = %g", c), X: plot.Axis{Label: "x₁", Min: -4, Max: 4}, Y: plot.Axis{Label: "x₂", Min: -4, Max: 4}, Equal: true, Width: 560, Height: 480}
			panels.Plots = append(panels.Plots, p)
		}
		f, err := fitCost(s, c, p)
		if err != nil {
			return nil, err
		}
		t.Add(c, f.margin, f.support, f.inside, f.slack, f.training)
		cs, margins, supports = append(cs, c), append(margins, f.margin), append(supports, float64(f.support))
		if first == nil {
			first = f
		}
		last = f
	}
	r.draw("cost", panels, "The plane, its margins f = ±1 (dashed), the support vectors (rings) and each slack as the way from the row to the margin of its class: at C = 0.01 slack is cheap and the margin wide, at C = 100 it is dear and the margin narrow.")
	curve := &plot.Plot{Title: "Half-width of the margin over C", X: plot.Axis{Label: `C`, Log: true}, Y: plot.Axis{Label: "half-width 1/‖β‖"}}
	curve.Curve("half-width", plot.Style{Color: plot.Ink, Width: 2}, cs, margins)
	r.draw("cost-margin", curve, "The half-width 1/‖β‖ of the soft margin over the cost C of slack. The margin shrinks as slack gets dearer.")
	count := &plot.Plot{Title: "Support vectors over C", X: plot.Axis{Label: `C`, Log: true}, Y: plot.Axis{Label: "support vectors", Min: 0, Max: 100}}
	count.Curve("support vectors of 100 rows", plot.Style{Color: plot.Ink, Width: 2}, cs, supports)
	r.draw("cost-support", count, "How many of the 100 rows are support vectors, over the cost C of slack. Fewer rows carry the plane as slack gets dearer.")
	r.say("From C = %g to C = %g the half-width of the margin goes from %.2f to %.2f, and the number of support vectors from %d to %d of 100: with a wide margin more rows lie inside it, "+
		"and every row inside is a support vector with its multiplier at C. So a low C makes many support vectors, not few, as is sometimes said the other way round. The classes overlap, so even at C = %g slack remains, %.1f in all.",
		first.c, last.c, first.margin, last.margin, first.support, last.support, last.c, last.slack)
	return r, costPath(r, s)
}

// shares returns values of C along a path, twenty a piece, and a row's α/C there; α is linear
// in C within a piece.
func shares(points []cpath.Point, row int) (cs, share []float64) {
	const steps = 20
	for k, a := range points[:len(points)-1] {
		b := points[k+1]
		for t := range steps {
			f := float64(t*t) / (steps * steps) // denser where C is low, as the axis is
			c, alpha := a.C+f*(b.C-a.C), a.Alpha[row]+f*(b.Alpha[row]-a.Alpha[row])
			cs, share = append(cs, c), append(share, alpha/c)
		}
	}
	last := points[len(points)-1]
	return append(cs, last.C), append(share, last.Alpha[row]/last.C)
}

// costPath draws the exact path over C: its breakpoints, and some multipliers.
func costPath(r *Result, s *trainingSet) error {
	path, err := cpath.Fit(s.x, s.y, &cpath.Options{MinC: 0.01, MaxC: 100})
	if err != nil {
		return err
	}
	p := &plot.Plot{Title: "Multipliers over C", X: plot.Axis{Label: `C`, Log: true}, Y: plot.Axis{Label: "α/C"}}
	drawn := 0
	for i := range s.y {
		moves := false
		for _, k := range path.Points {
			moves = moves || k.Alpha[i] > 0 && k.Alpha[i] < k.C
		}
		if moves && drawn < len(lineStyles) {
			at, share := shares(path.Points, i)
			p.Curve(fmt.Sprintf("row %d, class %d", i, s.y[i]), lineStyles[drawn], at, share)
			drawn++
		}
	}
	r.draw("cost-path", p, "The multipliers of the first rows that pass the margin, as shares of C, on the exact path. Between breakpoints α = a + bC, so α/C is drawn as a/C + b. A row inside the margin has the share 1, one outside 0; a row leaves 1 where the margin comes to it.")
	r.say("The fit is piecewise linear in C (Hastie, Rosset, Tibshirani and Zhu 2004). From C = 0.01 to 100 there are %d breakpoints, at which a row comes to the margin or leaves it; between them the plane and all multipliers "+
		"are linear functions of C, and the duality gap is at most %.0e of the objective at the breakpoints and half-way between them.", len(path.Points), path.Gap)
	return nil
}
