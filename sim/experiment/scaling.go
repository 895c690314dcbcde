package experiment

import (
	"errors"
	"math"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/sim/feature"
	"halfspace/sim/plot"
)

var scaling = &Experiment{
	Name:    "scaling",
	Title:   "The perceptron needs features of one size",
	Topic:   "Separating planes",
	ESL:     "§4.5.1",
	Formula: "β ← β + ρyx: a row moves the plane by its own length",
	run:     runScaling,
}

func runScaling(seed uint64) (*Result, error) {
	r := &Result{}
	rng := newRand(seed)
	draw := func(n int) *trainingSet {
		s := &trainingSet{linalg.Zeros(n, 2), make([]int, n)}
		for i := range n {
			a, b := rng.NormFloat64(), rng.NormFloat64()
			if a+b+0.3*rng.NormFloat64() > 0 {
				s.y[i] = 1
			}
			// The same information, on a skew scale of large numbers and a small one.
			s.x.Set(i, 0, 5000*math.Exp(1.3*a))
			s.x.Set(i, 1, 0.01*b)
		}
		return s
	}
	train, test := draw(400), draw(20_000)
	t := r.table("Pocket perceptron, 50 epochs", "features", "training error", "error on 20,000 fresh points")
	panels := &plot.Panels{Columns: 3}
	var errs []float64
	for _, c := range scalings() {
		a, b, err := c.apply(train, test)
		if err != nil {
			return nil, err
		}
		m, err := hyperplane.FitPerceptron(a.x, a.y, &hyperplane.PerceptronOptions{MaxEpochs: 50, Pocket: true})
		if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			return nil, err
		}
		training, err := errorOf(m, a.x, a.y)
		if err != nil {
			return nil, err
		}
		fresh, err := errorOf(m, b.x, b.y)
		if err != nil {
			return nil, err
		}
		t.Add(c.name, training, fresh)
		errs = append(errs, fresh)
		p := &plot.Plot{Title: c.name, X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Width: 460, Height: 420}
		p.Regions(regions(m))
		p.Boundary("perceptron", plot.Style{Width: 2}, function(m))
		p.Scatter(a.x, 0, 1, a.y, classNames(2))
		panels.Plots = append(panels.Plots, p)
	}
	r.draw("scaling", panels, "The same 400 points as they came, standardised, and as quantiles, with the regions of the perceptron fitted to each: as they came one long axis hides everything, as quantiles the points fill the square.")
	r.say("A row's own length is the step that it moves the plane by, so a feature in thousands outweighs one in hundredths: the error is %.1f %% on the raw features, "+
		"%.1f %% after dividing by standard deviations, and %.1f %% after mapping each feature to its quantiles (100 of them, interpolated and clipped), which also takes the skew away.",
		100*errs[0], 100*errs[1], 100*errs[2])
	return r, nil
}

// scalingStep is a way of preparing features.
type scalingStep struct {
	name  string
	apply func(train, test *trainingSet) (a, b *trainingSet, err error)
}

func scalings() []scalingStep {
	return []scalingStep{
		{"as they came", func(train, test *trainingSet) (*trainingSet, *trainingSet, error) { return train, test, nil }},
		{"standardised", func(train, test *trainingSet) (*trainingSet, *trainingSet, error) {
			f, err := feature.FitStandardizer(train.x, nil)
			if err != nil {
				return nil, nil, err
			}
			return transformed(f, train, test)
		}},
		{"quantiles", func(train, test *trainingSet) (*trainingSet, *trainingSet, error) {
			f, err := feature.FitQuantiles(train.x, nil, 100)
			if err != nil {
				return nil, nil, err
			}
			return transformed(f, train, test)
		}},
	}
}

func transformed(f feature.Transform, train, test *trainingSet) (a, b *trainingSet, err error) {
	xa, err := feature.ApplyRows(f, train.x)
	if err != nil {
		return nil, nil, err
	}
	xb, err := feature.ApplyRows(f, test.x)
	return &trainingSet{xa, train.y}, &trainingSet{xb, test.y}, err
}
