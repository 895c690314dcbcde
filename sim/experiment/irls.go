package experiment

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

var irls = &Experiment{
	Name:    "irls",
	Title:   "Newton's method for logistic regression: quadratic convergence, and a start that only halving saves",
	Topic:   "Logistic regression",
	ESL:     "§4.4.1",
	Formula: "β ← (XᵀWX)⁻¹XᵀWz, z = Xβ + W⁻¹(y − p) (4.26, 4.27)",
	run:     runIRLS,
}

func runIRLS(seed uint64) (*Result, error) {
	b, err := gaussianPair()
	if err != nil {
		return nil, err
	}
	x, y := population.SampleClasses(b, []int{100, 100}, seed)
	start := []float64{0, 12, 12} // far out, where most weights p(1−p) vanish
	full, diverged := fullSteps(x, y, start, 12)

	r := &Result{}
	t := r.table("Deviance by iteration", "start", "iteration", "deviance", "above its minimum", "max |score| / scale", "step length")
	p := &plot.Plot{Title: "Deviance by iteration", X: plot.Axis{Label: "iteration", Min: 0, Max: 10}, Y: plot.Axis{Label: "deviance − minimum + 10⁻¹⁰", Log: true, Min: 1e-11, Max: 1e4}}
	var least float64
	var halved int
	var above []string // from zero
	for _, c := range []struct {
		name  string
		start []float64
		style plot.Style
	}{{"zero", []float64{0, 0, 0}, plot.Style{Color: plot.Green, Width: 2}}, {"far", start, plot.Style{Color: plot.Brown, Width: 2}}} {
		var steps []optimize.Step
		m, err := logistic.Fit(x, y, &logistic.Options{Start: c.start, Trace: func(s optimize.Step) error {
			steps = append(steps, s)
			return nil
		}})
		if err != nil {
			return nil, err
		}
		least = 2 * m.Report().Objective()
		var at, dev []float64
		for _, s := range steps {
			t.Add(c.name, fmt.Sprint(s.Iteration), 2*s.Objective, math.Max(0, 2*s.Objective-least), s.Certificate, s.Length)
			if c.name == "zero" && s.Iteration > 0 {
				above = append(above, fmt.Sprintf("%.2g", math.Max(0, 2*s.Objective-least)))
			}
			at, dev = append(at, float64(s.Iteration)), append(dev, math.Max(2*s.Objective-least, 0)+1e-10)
			if s.Iteration > 0 && s.Length < 1 {
				halved++
			}
		}
		p.Curve("Newton with halving, start "+c.name, c.style, at, dev)
	}
	var at, dev []float64
	for i, d := range full {
		at, dev = append(at, float64(i)), append(dev, math.Max(d-least, 0)+1e-10)
	}
	p.Curve("full steps, start far", plot.Style{Color: plot.Purple, Dash: plot.Dashed, Width: 2}, at, dev)
	r.draw("irls", p, "How far the deviance is above its minimum, from β = 0 and from β = (0, 12, 12) (far), with 10⁻¹⁰ added for the logarithmic axis; a line that leaves the frame upwards diverges. Full steps are iteratively reweighted least squares without a safeguard.")
	if err := sigmoid(r, x, y); err != nil {
		return nil, err
	}
	outcome := fmt.Sprintf("reach a deviance of %.4g after %d iterations", full[len(full)-1], len(full)-1)
	if diverged {
		outcome = fmt.Sprintf("end in numbers that are no longer finite, after the deviance had risen to %.3g", maxFinite(full))
	}
	r.say("From zero the iterations leave the deviance %s above its minimum: a few are spent on the way, then each about squares what is left, to the end of what float64 can tell. At β = (0, 12, 12) the fitted probabilities of %.0f %% of the rows are within 0.01 of 0 or 1, their weights p(1 − p) vanish and the Newton step is far too long: "+
		"full steps %s. Halving the step until the deviance falls (%d steps were shortened) leads to the same minimum, %.4f, as the start at zero.",
		strings.Join(above, ", "), 100*certain(x, start), outcome, halved, least)
	return r, nil
}

// fullSteps returns the deviances of Newton's method without halving (ESL 4.26),
// at most n steps, and whether it came to numbers that are not finite or to a
// singular Hessian.
func fullSteps(x *linalg.Dense, y []int, start []float64, n int) (deviance []float64, diverged bool) {
	beta := append([]float64{}, start...)
	for range n + 1 {
		d, g, h := 0.0, make([]float64, 3), linalg.Zeros(3, 3)
		for i, label := range y {
			row := []float64{1, x.At(i, 0), x.At(i, 1)}
			f := linalg.Dot(beta, row)
			p := linalg.Sigmoid(f)
			d += 2 * (linalg.Log1pExp(f) - float64(label)*f)
			linalg.Axpy(g, float64(label)-p, row)
			for j := range row {
				linalg.Axpy(h.Row(j), p*(1-p)*row[j], row)
			}
		}
		deviance = append(deviance, d)
		c, err := linalg.NewCholesky(h)
		var pivot *linalg.PivotError
		if errors.As(err, &pivot) || linalg.CheckFinite("", g) != nil {
			return deviance, true
		}
		c.Solve(g)
		linalg.Axpy(beta, 1, g)
	}
	return deviance, false
}

// certain returns the share of the rows that coefficients give a probability within 0.01 of 0
// or 1.
func certain(x *linalg.Dense, beta []float64) float64 {
	share := 0.0
	for i := range x.Rows {
		if p := linalg.Sigmoid(beta[0] + linalg.Dot(beta[1:], x.Row(i))); math.Min(p, 1-p) <= 0.01 {
			share += 1 / float64(x.Rows)
		}
	}
	return share
}

func maxFinite(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		if x-x == 0 {
			m = math.Max(m, x)
		}
	}
	return m
}

// sigmoid draws the fitted probability over f and over the plane.
func sigmoid(r *Result, x *linalg.Dense, y []int) error {
	m, err := logistic.Fit(x, y, nil)
	if err != nil {
		return err
	}
	f := function(m)
	p := &plot.Plot{Title: "The sigmoid", X: plot.Axis{Label: "f(x) = β₀ + βᵀx", Min: -8.5, Max: 8.5}, Y: plot.Axis{Label: "P(1 | x) = 1/(1 + e^(−f))", Min: -0.1, Max: 1.1}, Width: 560, Height: 440}
	p.Func("P(1 | x)", plot.Style{Width: 2.5}, linalg.Sigmoid)
	p.VLine("threshold f = 0, P = ½", plot.Style{Dash: plot.Dashed, Width: 1.5}, 0)
	var at, label [2][]float64
	for i, k := range y {
		at[k], label[k] = append(at[k], f(x.At(i, 0), x.At(i, 1))), append(label[k], float64(k))
	}
	for k := range 2 {
		p.Points(classNames(2)[k], plot.Class(k), plot.ClassShape(k), at[k], label[k])
	}
	q := &plot.Plot{Title: "Its level lines", X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true, Width: 560, Height: 440}
	for k, share := range []float64{0.1, 0.5, 0.9} {
		q.Contour(fmt.Sprintf("P = %g", share), plot.Style{Width: 2, Dash: []plot.Dash{plot.Dotted, plot.Solid, plot.Dashed}[k]}, f, math.Log(share/(1-share)))
	}
	q.Scatter(x, 0, 1, y, classNames(2))
	r.draw("irls-sigmoid", &plot.Panels{Columns: 2, Plots: []*plot.Plot{p, q}}, "The sigmoid over f, with the rows at their labels 0 and 1. Its level lines over the plane are parallel lines; P = ½ is the boundary.")
	return nil
}
