package experiment

import (
	"math"
	"slices"

	"halfspace/discriminant"
	"halfspace/sim"
	"halfspace/sim/method"
	"halfspace/sim/plot"
)

var exercise = &Experiment{
	Name:  "exercise",
	Title: "Five classifiers and the Bayes rule on two Gaussian classes",
	run:   runExercise,
}

// twoGaussians is the population of the exercise with the second mean moved by
// the given distance along (1, 1)/√2 from (2, 2).
func twoGaussians(further float64) (*discriminant.Bayes, error) {
	m := 2 + further/math.Sqrt2
	return sim.Gaussians([][]float64{{0, 0}, {m, m}},
		[][][]float64{{{1, .5}, {.5, 1}}, {{1, -.3}, {-.3, 1}}}, nil)
}

// fiveMethods are the classifiers that the exercise compares.
func fiveMethods(seed uint64) []struct {
	name    string
	options method.Options
} {
	return []struct {
		name    string
		options method.Options
	}{
		{"lda", method.Options{}},
		{"qda", method.Options{}},
		{"logistic", method.Options{}},
		{"perceptron", method.Options{MaxEpochs: 100, Pocket: true, Seed: seed}},
		{"svc", method.Options{C: 1}},
	}
}

const fresh = 1_000_000

func runExercise(seed uint64) (*Result, error) {
	population, err := twoGaussians(0)
	if err != nil {
		return nil, err
	}
	x, y := sim.SampleClasses(population, []int{200, 200}, seed)
	train, test, err := sim.StratifiedSplit(y, 0.3, seed)
	if err != nil {
		return nil, err
	}
	d := table(sim.Rows(x, train), sim.Take(y, train), "0", "1")
	xTest, yTest := sim.Rows(x, test), sim.Take(y, test)

	models := []fitted{{"Bayes", population}}
	for _, m := range fiveMethods(seed) {
		f, err := fit(d, m.name, m.options)
		if err != nil {
			return nil, err
		}
		models = append(models, f)
	}
	rates, err := freshErrors(population, models, fresh, seed+1000)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	t := r.table("Error on the 120 test points, and on 1,000,000 fresh ones", "model", "test error", "fresh error", "se")
	p := &plot.Plot{Title: "Decision boundaries over the test points", X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true, Width: 800, Height: 640}
	p.Regions(regions(population))
	for k, m := range models {
		e, err := sim.Evaluate(m.model, xTest, yTest)
		if err != nil {
			return nil, err
		}
		t.Add(m.name, e.Error, rates[k], math.Sqrt(rates[k]*(1-rates[k])/fresh))
		p.Boundary(m.name, lineStyles[k], function(m.model))
	}
	p.Scatter(xTest, 0, 1, yTest, []string{"class 0", "class 1"})
	r.draw("exercise", p, "Regions of the Bayes rule, the boundaries of all models, and the 120 test points.")

	best := 1
	for k := range models {
		if k > 0 && rates[k] < rates[best] {
			best = k
		}
	}
	r.say("Two classes of 200 points each, N((0, 0), [1 .5; .5 1]) and N((2, 2), [1 −.3; −.3 1]); 70 %% are for training. "+
		"The covariances differ, so the Bayes boundary is a conic, and no straight line attains the Bayes error of %.2f %%. "+
		"On fresh points the best of the fitted models is %s with %.2f %%, the worst %s with %.2f %%. "+
		"The 120 test points alone cannot rank them: the standard error of a test error is about %.1f points.",
		100*rates[0], models[best].name, 100*rates[best], models[worst(rates)].name, 100*slices.Max(rates),
		100*math.Sqrt(rates[0]*(1-rates[0])/float64(len(test))))
	return r, nil
}

func worst(rates []float64) int { return slices.Index(rates, slices.Max(rates)) }
