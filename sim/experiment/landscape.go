package experiment

import (
	"math"

	"halfspace/linalg"
	"halfspace/sim/plot"
)

var landscape = &Experiment{
	Name:  "landscape",
	Title: "Squared error of a sigmoid is not convex, cross-entropy is",
	run:   runLandscape,
}

func runLandscape(seed uint64) (*Result, error) {
	rng := newRand(seed)
	var x, y []float64
	for i := range 20 {
		label := float64(i % 2)
		x, y = append(x, 1.5*(2*label-1)+1.2*rng.NormFloat64()), append(y, label)
	}
	x, y = append(x, 6), append(y, 0) // one row far on the wrong side
	squared := func(w0, w1 float64) float64 {
		s := 0.0
		for i := range x {
			d := linalg.Sigmoid(w0+w1*x[i]) - y[i]
			s += d * d
		}
		return s / float64(len(x))
	}
	entropy := func(w0, w1 float64) float64 {
		s := 0.0
		for i := range x {
			f := w0 + w1*x[i]
			s += linalg.Log1pExp(f) - y[i]*f
		}
		return s / float64(len(x))
	}
	r := &Result{}
	panels := &plot.Panels{Columns: 2}
	var broken [2]int
	for k, c := range []struct {
		title  string
		f      func(w0, w1 float64) float64
		levels []float64
	}{
		{"Mean squared error of the sigmoid", squared, []float64{.12, .14, .17, .2, .25, .3, .4, .5, .6}},
		{"Mean cross-entropy", entropy, []float64{.5, .55, .65, .8, 1.2, 2, 3, 5, 8}},
	} {
		p := &plot.Plot{Title: c.title, X: plot.Axis{Label: "w₀", Min: -8, Max: 8}, Y: plot.Axis{Label: "w₁", Min: -6, Max: 8}, Width: 560, Height: 460}
		p.Contour("", plot.Style{Color: plot.Blue, Width: 1.5}, c.f, c.levels...)
		panels.Plots = append(panels.Plots, p)
		broken[k] = midpointViolations(c.f, 10_000, seed)
	}
	r.draw("landscape", panels, "Contours over (w₀, w₁) for 21 rows of one feature.")
	cut := &plot.Plot{Title: "Along w₁ = −4w₀/3", X: plot.Axis{Label: "w₀", Min: -6, Max: 6}, Y: plot.Axis{Label: "mean loss", Min: 0, Max: 3}}
	cut.Func("squared error", plot.Style{Color: plot.Orange, Width: 2}, func(w float64) float64 { return squared(w, -4*w/3) })
	cut.Func("cross-entropy", plot.Style{Color: plot.Blue, Width: 2}, func(w float64) float64 { return entropy(w, -4*w/3) })
	r.draw("landscape-cut", cut, "The same two functions on a line through the origin.")
	t := r.table("Midpoint convexity on 10,000 random segments", "loss", "segments on which f(midpoint) > mean of the ends")
	t.Add("squared error of the sigmoid", broken[0])
	t.Add("cross-entropy", broken[1])
	r.say("A function is convex if no segment has its midpoint above the mean of its ends. Squared error of the sigmoid breaks this on %d of 10,000 random segments: "+
		"it is flat far out, where gradient descent gets stuck. Cross-entropy, the negative log-likelihood, breaks it on %d.", broken[0], broken[1])
	return r, nil
}

// midpointViolations counts random segments in [−8, 8]² on which f is not
// convex, beyond rounding.
func midpointViolations(f func(a, b float64) float64, n int, seed uint64) int {
	rng := newRand(seed + 1)
	draw := func() float64 { return 16*rng.Float64() - 8 }
	count := 0
	for range n {
		a0, a1, b0, b1 := draw(), draw(), draw(), draw()
		ends := (f(a0, a1) + f(b0, b1)) / 2
		if f((a0+b0)/2, (a1+b1)/2) > ends+1e-12*math.Abs(ends) {
			count++
		}
	}
	return count
}
