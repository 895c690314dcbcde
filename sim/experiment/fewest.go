package experiment

import (
	"errors"

	"halfspace/hyperplane"
	"halfspace/hyperplane/zeroone"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/method"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

var fewest = &Experiment{
	Name:    "fewest",
	Title:   "The fewest errors of any line, beside those of the surrogates",
	Topic:   "Losses and descent",
	ESL:     "§4.5, §10.6",
	Formula: "min Σ 1[yᵢf(xᵢ) ≤ 0] over all planes, exactly, in O(n² log n) for two features",
	run:     runFewest,
}

// fewestData draws the overlapping classes of the experiment.
func fewestData(seed uint64) (*trainingSet, *trainingSet, error) {
	b, err := gaussianPair()
	if err != nil {
		return nil, nil, err
	}
	x, y := population.SampleClasses(b, []int{60, 60}, seed)
	fx, fy := population.Sample(b, 100_000, seed+1000)
	return &trainingSet{x, y}, &trainingSet{fx, fy}, nil
}

func runFewest(seed uint64) (*Result, error) {
	s, fresh, err := fewestData(seed)
	if err != nil {
		return nil, err
	}
	least, err := zeroone.Minimize(s.x, s.y, nil)
	if err != nil {
		return nil, err
	}
	if least.Plane == nil {
		return nil, errors.New("the best division has no plane in float64")
	}
	r := &Result{}
	t := r.table("Rows wrong of 120, and error on 100,000 fresh points", "minimises", "rows wrong", "fresh error")
	p := &plot.Plot{Title: "The line with the fewest errors", X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true, Width: 600, Height: 520}
	add := func(name string, style plot.Style, m sim.Classifier) (wrong int, rate float64, err error) {
		p.Boundary(name, style, function(m))
		if wrong, rate, err = wrongAndFresh(m, s, fresh); err == nil {
			t.Add(name, wrong, rate)
		}
		return wrong, rate, err
	}
	exact, err := hyperplane.NewTwoClasses([]int{0, 1}, least.Plane, optimize.Report{})
	if err != nil {
		return nil, err
	}
	_, exactRate, err := add("0-1 loss", lineStyles[0], &exact)
	if err != nil {
		return nil, err
	}
	d := table(s.x, s.y, "0", "1")
	var rates []float64
	for k, c := range []struct {
		name, method string
	}{{"squared error", "indicator"}, {"logistic loss", "logistic"}, {"hinge loss, C = 1", "svc"}} {
		m, err := fit(d, c.method, method.Options{})
		if err != nil {
			return nil, err
		}
		_, rate, err := add(c.name, lineStyles[k+1], m.model)
		if err != nil {
			return nil, err
		}
		rates = append(rates, rate)
	}
	pocket, err := hyperplane.FitPerceptron(s.x, s.y, &hyperplane.PerceptronOptions{Pocket: true, MaxEpochs: 200})
	if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		return nil, err
	}
	met, _, err := add("perceptron, the best of 200 epochs", lineStyles[4], pocket)
	if err != nil {
		return nil, err
	}
	p.Scatter(s.x, 0, 1, s.y, classNames(2))
	r.draw("fewest", p, "The line with the fewest rows on the wrong side, by exact search, and the lines of losses that stand in for that count.")
	r.say("No line has fewer than %g of the 120 rows wrong: all divisions of the points by a line have been tried, in exact arithmetic. The pocket perceptron, which looks for the same, has %d. "+
		"The fewest errors in training are no aim in themselves: on fresh points that line, in this sample, errs in %.2f %% of cases, logistic regression in %.2f %%.",
		least.Errors, met, 100*exactRate, 100*rates[1])
	return r, nil
}

// wrongAndFresh counts the training rows that a model has wrong, and its error on others.
func wrongAndFresh(m sim.Classifier, s, fresh *trainingSet) (wrong int, rate float64, err error) {
	e, err := errorOf(m, s.x, s.y)
	if err != nil {
		return 0, 0, err
	}
	rate, err = errorOf(m, fresh.x, fresh.y)
	return int(e*float64(len(s.y)) + 0.5), rate, err
}
