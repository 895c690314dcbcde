package experiment

import (
	"halfspace/optimize/loss"
	"halfspace/sim/plot"
)

var losses = &Experiment{
	Name:    "losses",
	Title:   "What a margin costs: the loss functions",
	Topic:   "Losses and descent",
	ESL:     "§10.6, §12.3.2",
	Formula: "L(y, f) as a function of the margin yf",
	run:     runLosses,
}

func runLosses(uint64) (*Result, error) {
	r := &Result{}
	margins := []float64{-3, -1, 0, 0.5, 1, 2, 4}
	t := r.table("Loss at the margin y·f", "loss", "−3", "−1", "0", "0.5", "1", "2", "4")
	p := &plot.Plot{Title: "Losses of classification", X: plot.Axis{Label: "margin y·f", Min: -3, Max: 4}, Y: plot.Axis{Label: "loss", Min: 0, Max: 5}}
	for k, l := range []struct {
		name  string
		loss  loss.Loss
		scale float64
	}{
		{"0-1", loss.ZeroOne{}, 1},
		{"perceptron", loss.Perceptron{}, 1},
		{"hinge", loss.Hinge{}, 1},
		{"squared, (1 − yf)²", loss.Squared{}, 2},
		{"logistic", loss.Logistic{}, 1},
	} {
		f := func(m float64) float64 { return l.scale * l.loss.Value(1, m) }
		row := []any{l.name}
		for _, m := range margins {
			row = append(row, f(m))
		}
		t.Add(row...)
		if k == 0 { // a step, not a slope
			p.Curve(l.name, lineStyles[k], []float64{-3, 0, 0, 4}, []float64{f(-3), f(0), f(1), f(4)})
			continue
		}
		p.Func(l.name, lineStyles[k], f)
	}
	r.draw("losses", p, "Every loss is a function of the margin y·f for y = ±1. All but the 0-1 loss are convex.")
	h, s := loss.Hinge{}, loss.Squared{}
	r.say("Errors are counted by the 0-1 loss, which is hard to minimise; the others stand in for it. At a margin of 4, far on the right side, hinge and perceptron cost %g and "+
		"the logistic loss %.3f, but the squared loss %g: it punishes what is too right. The perceptron's loss is 0 at f = 0, so f ≡ 0 would please it; the hinge asks for a margin of 1: it costs %g at a margin of 0 and %g from 1 on.",
		h.Value(1, 4), loss.Logistic{}.Value(1, 4), 2*s.Value(1, 4), h.Value(1, 0), h.Value(1, 1))
	return r, nil
}
