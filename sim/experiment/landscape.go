package experiment

import (
	"math"

	"halfspace/linalg"
	"halfspace/sim/plot"
)

var landscape = &Experiment{
	Name:    "landscape",
	Title:   "Squared error of a sigmoid is not convex, cross-entropy is",
	Topic:   "Losses and descent",
	ESL:     "§11.4, §11.5",
	Formula: "Σ(σ(f) − y)² against −Σ[y log σ(f) + (1−y) log(1 − σ(f))]",
	run:     runLandscape,
}

func runLandscape(seed uint64) (*Result, error) {
	squared, entropy := landscapes(seed)
	r := &Result{}
	panels := &plot.Panels{Columns: 2}
	var broken [2]int
	var ends [2][2]float64
	starts := [2][2]float64{{8, -6}, {0, 0}}
	for k, c := range []struct {
		title  string
		f      func(w0, w1 float64) float64
		levels []float64
	}{
		{"Mean squared error of the sigmoid", squared, []float64{.12, .14, .17, .2, .25, .3, .4, .5, .6}},
		{"Mean cross-entropy", entropy, []float64{.5, .55, .65, .8, 1.2, 2, 3, 5, 8}},
	} {
		p := &plot.Plot{Title: c.title, X: plot.Axis{Label: "w₀", Min: -9, Max: 9}, Y: plot.Axis{Label: "w₁", Min: -7, Max: 8}, Width: 560, Height: 460}
		p.Contour("mean loss", plot.Style{Color: plot.Grey, Width: 1.5, Levels: true}, c.f, c.levels...)
		for i, start := range starts {
			w0, w1 := descend(c.f, start, 10_000)
			last := len(w0) - 1
			ends[k][i] = c.f(w0[last], w1[last])
			p.Path([]string{"10,000 steps from (8, −6)", "10,000 steps from (0, 0)"}[i], lineStyles[i+1], w0, w1)
		}
		panels.Plots = append(panels.Plots, p)
		broken[k] = midpointViolations(c.f, 10_000, seed)
	}
	r.draw("landscape", panels, "Two losses of P = 1/(1 + e^(−w₀−w₁x)) over (w₀, w₁) for 21 rows of one feature, as contours with their levels, and 10,000 steps of gradient descent from two places.")
	stuck := r.table("Gradient descent, 10,000 steps of length 0.5 times the gradient", "loss", "from (8, −6)", "from (0, 0)")
	stuck.Add("squared error of the sigmoid", ends[0][0], ends[0][1])
	stuck.Add("cross-entropy", ends[1][0], ends[1][1])
	cut := &plot.Plot{Title: "Along w₁ = −4w₀/3", X: plot.Axis{Label: "w₀", Min: -6, Max: 6}, Y: plot.Axis{Label: "mean loss", Min: 0, Max: 3}}
	cut.Func("squared error", plot.Style{Color: plot.Purple, Width: 2}, func(w float64) float64 { return squared(w, -4*w/3) })
	cut.Func("cross-entropy", plot.Style{Color: plot.Green, Width: 2}, func(w float64) float64 { return entropy(w, -4*w/3) })
	r.draw("landscape-cut", cut, "The same two losses on a line through the origin, which crosses the plateau of the squared error.")
	t := r.table("Midpoint convexity on 10,000 random segments", "loss", "segments on which f(midpoint) > mean of the ends")
	t.Add("squared error of the sigmoid", broken[0])
	t.Add("cross-entropy", broken[1])
	r.say("A function is convex if no segment has its midpoint above the mean of its ends. Squared error of the sigmoid breaks this on %d of 10,000 random segments: "+
		"it is flat far out, where gradient descent makes next to no progress: 10,000 steps from (8, −6) leave it at %.3f, from (0, 0) they reach %.3f. "+
		"Cross-entropy, the negative log-likelihood, breaks it on %d, and both walks end at the same value, %.4f and %.4f.",
		broken[0], ends[0][0], ends[0][1], broken[1], ends[1][0], ends[1][1])
	return r, nil
}

// landscapes returns the mean squared error of a sigmoid and its mean cross-entropy over
// 21 rows of one feature, as functions of (w₀, w₁).
func landscapes(seed uint64) (squared, entropy func(w0, w1 float64) float64) {
	rng := newRand(seed)
	var x, y []float64
	for i := range 20 {
		label := float64(i % 2)
		x, y = append(x, 1.5*(2*label-1)+1.2*rng.NormFloat64()), append(y, label)
	}
	x, y = append(x, 6), append(y, 0) // one row far on the wrong side
	squared = func(w0, w1 float64) float64 {
		s := 0.0
		for i := range x {
			d := linalg.Sigmoid(w0+w1*x[i]) - y[i]
			s += d * d
		}
		return s / float64(len(x))
	}
	entropy = func(w0, w1 float64) float64 {
		s := 0.0
		for i := range x {
			f := w0 + w1*x[i]
			s += linalg.Log1pExp(f) - y[i]*f
		}
		return s / float64(len(x))
	}
	return squared, entropy
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

// descend walks down f by gradient steps at a rate of 0.5, with central differences, and
// returns the start and the points after 1, 2, 4, … steps and the last.
func descend(f func(a, b float64) float64, start [2]float64, steps int) (w0, w1 []float64) {
	const rate, h = 0.5, 1e-5
	a, b := start[0], start[1]
	w0, w1 = []float64{a}, []float64{b}
	for k := 1; k <= steps; k++ {
		ga, gb := (f(a+h, b)-f(a-h, b))/(2*h), (f(a, b+h)-f(a, b-h))/(2*h)
		a, b = a-rate*ga, b-rate*gb
		if k&(k-1) == 0 || k == steps {
			w0, w1 = append(w0, a), append(w1, b)
		}
	}
	return w0, w1
}
