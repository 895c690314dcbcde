package experiment

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/sim/plot"
)

var descent = &Experiment{
	Name:    "descent",
	Title:   "Walking down to a regression line: gradient descent at three rates, and BFGS",
	Topic:   "Losses and descent",
	ESL:     "§11.4",
	Formula: "w ← w − ρ∇J(w), J = (1/n)Σ(y − w₀ − w₁x)²",
	run:     runDescent,
}

func runDescent(seed uint64) (*Result, error) {
	x, y := noisyLine(40, newRand(seed))
	exact, err := regression.FitOLS(x, y, nil)
	if err != nil {
		return nil, err
	}
	coef, intercept := exact.Coef()
	j := func(w0, w1 float64) float64 {
		s := 0.0
		for i := range y {
			d := y[i] - w0 - w1*x.At(i, 0)
			s += d * d
		}
		return s / float64(len(y))
	}
	best := j(intercept[0], coef.At(0, 0))
	limit, err := divergence(x)
	if err != nil {
		return nil, err
	}
	rates := []float64{0.02, 0.3, 0.95 * limit}
	r := &Result{}
	t := r.table("From w = (−1, −0.5)", "method", "steps", "J", "status")
	walks := &plot.Panels{Columns: 2}
	var lines []walk
	curves := &plot.Plot{Title: "J above its minimum", X: plot.Axis{Label: "step", Min: 0, Max: 60}, Y: plot.Axis{Label: "J − J*", Log: true, Min: 1e-10, Max: 1e3}}
	var steps []int
	for k := range 4 {
		name, o := "BFGS", regression.DescentOptions{BFGS: true}
		if k < 3 {
			name, o = fmt.Sprintf("rate %.2f", rates[k]), regression.DescentOptions{Rate: rates[k]}
		}
		w, err := walkDown(x, y, o, best)
		if err != nil {
			return nil, err
		}
		p := contoursOf(j, best)
		p.Title, p.Width, p.Height = name, 480, 420
		p.Path("iterates", lineStyles[k+1], w.w0, w.w1)
		p.Points("least squares", plot.Ink, plot.Star, intercept, coef.Data)
		walks.Plots, lines = append(walks.Plots, p), append(lines, w)
		curves.Curve(name, lineStyles[k+1], w.at, w.above)
		rep := w.report
		steps = append(steps, rep.Iterations())
		t.Add(name, fmt.Sprint(rep.Iterations()), rep.Objective(), rep.Status().String())
	}
	r.draw("descent", walks, "The first 60 iterates of gradient descent at three rates, and of BFGS, from (−1, −0.5), on contours of J(w₀, w₁) = (1/n)Σ(y − w₀ − w₁x)²; the star is the minimum.")
	r.draw("descent-curves", curves, "How far J is above its minimum after each step, on a logarithmic axis: a straight line is a fall by the same factor at every step.")
	line := linesAlong(x, y, lines[1], intercept[0], coef.At(0, 0))
	r.draw("descent-line", line, "Forty points, the lines ŷ = w₀ + w₁x after 0, 1, 2, 4, 8 and 16 steps (numbered, ever bolder), and the line of least squares.")
	r.say("At a rate of %.2f gradient descent creeps down the valley (%d steps), at %.2f it arrives in %d. At %.2f, just below the %.3f from which it would diverge (2 over the largest eigenvalue of the Hessian), "+
		"it leaps from wall to wall (%d). BFGS learns the curvature on its way and needs %d steps; the closed form needs none.",
		rates[0], steps[0], rates[1], steps[1], rates[2], limit, steps[2], steps[3])
	return r, nil
}

// linesAlong draws the data, the lines of a walk as it goes on, and the line of least squares.
func linesAlong(x *linalg.Dense, y []float64, w walk, w0, w1 float64) *plot.Plot {
	line := &plot.Plot{Title: "Lines along the walk at the second rate", X: plot.Axis{Label: "x"}, Y: plot.Axis{Label: "y"}}
	line.Points("data", plot.Brown, plot.Circle, x.Col(nil, 0), y)
	for _, k := range []int{0, 1, 2, 4, 8, 16} {
		if k = min(k, len(w.at)-1); k >= 0 {
			line.Func("after some steps", plot.Style{Color: plot.Grey, Width: 0.8 + float64(k)/12}, func(v float64) float64 { return w.w0[k] + w.w1[k]*v })
			if k < 4 { // later ones lie too close together
				line.Text(plot.Ink, 1.8, w.w0[k]+w.w1[k]*1.8, fmt.Sprint(k))
			}
		}
	}
	line.Func(fmt.Sprintf("ŷ = %.2f + %.2f·x", w0, w1), plot.Style{Width: 2}, func(v float64) float64 { return w0 + w1*v })
	return line
}

// noisyLine draws n points around the line y = 1 + 2x.
func noisyLine(n int, rng *rand.Rand) (x *linalg.Dense, y []float64) {
	x, y = linalg.Zeros(n, 1), make([]float64, n)
	for i := range n {
		x.Set(i, 0, 2*rng.Float64())
		y[i] = 1 + 2*x.At(i, 0) + 0.5*rng.NormFloat64()
	}
	return x, y
}

// contoursOf returns a plot of J with contours at growing heights above its minimum.
func contoursOf(j func(w0, w1 float64) float64, best float64) *plot.Plot {
	p := &plot.Plot{Title: "J(w₀, w₁) and the walks", X: plot.Axis{Label: "w₀", Min: -1.6, Max: 3.6}, Y: plot.Axis{Label: "w₁", Min: -1, Max: 5.2}}
	var levels []float64
	for k := range 9 {
		levels = append(levels, best+0.04*math.Pow(2.4, float64(k)))
	}
	p.Contour("", plot.Style{Color: plot.Grey, Width: 1}, j, levels...)
	return p
}

// walk holds the first 60 iterates of a descent: where they are, when, and how far J is
// above its minimum.
type walk struct {
	w0, w1, at, above []float64
	report            optimize.Report
}

// walkDown descends from w = (−1, −0.5).
func walkDown(x *linalg.Dense, y []float64, o regression.DescentOptions, least float64) (w walk, err error) {
	o.Start = []float64{-1, -0.5}
	o.MaxIter = 5000
	o.Trace = func(s optimize.Step) error {
		if len(w.at) <= 60 {
			w.w0, w.w1, w.at = append(w.w0, s.X[0]), append(w.w1, s.X[1]), append(w.at, float64(s.Iteration))
			w.above = append(w.above, math.Max(s.Objective-least, 1e-10))
		}
		return nil
	}
	m, err := regression.FitDescent(x, y, &o)
	if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		return w, err
	}
	w.report = m.Report()
	return w, nil
}

// divergence returns the learning rate from which gradient descent on J diverges:
// 2 over the largest eigenvalue of the Hessian (2/n)Σ(1, x)(1, x)ᵀ.
func divergence(x *linalg.Dense) (float64, error) {
	h := linalg.Zeros(2, 2)
	for i := range x.Rows {
		row := []float64{1, x.At(i, 0)}
		for j := range row {
			linalg.Axpy(h.Row(j), 2/float64(x.Rows)*row[j], row)
		}
	}
	values, err := linalg.SymEigenValues(h)
	if err != nil {
		return 0, err
	}
	return 2 / values[1], nil
}
