package experiment

import (
	"math"
	"slices"

	"halfspace/discriminant"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/plot"
	"halfspace/sim/population"
	"halfspace/sim/validate"
)

var exercise = &Experiment{
	Name:    "exercise",
	Title:   "Five classifiers and the Bayes rule on two Gaussian classes",
	Topic:   "Classes as Gaussians",
	ESL:     "§2.4, §4.3",
	Formula: "Bayes: argmaxₖ πₖ·fₖ(x); with Σ₀ ≠ Σ₁ the boundary is a conic (4.12)",
	run:     runExercise,
}

// twoGaussians is the population of the exercise with the second mean moved by
// the given distance along (1, 1)/√2 from (2, 2).
func twoGaussians(further float64) (*discriminant.Bayes, error) {
	m := 2 + further/math.Sqrt2
	return population.Gaussians([][]float64{{0, 0}, {m, m}},
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

// pocketPerceptron says which perceptron is meant: the classes overlap, so the plain rule
// never settles.
const pocketPerceptron = "perceptron (pocket, 100 shuffled epochs)"

// fitFive draws the data of the exercise and fits the five models to the training
// rows; the population stands before them.
func fitFive(truth *discriminant.Bayes, seed uint64) (d *dataset.Data, test *trainingSet, models []fitted, err error) {
	x, y := population.SampleClasses(truth, []int{200, 200}, seed)
	train, held, err := validate.StratifiedSplit(y, 0.3, seed)
	if err != nil {
		return nil, nil, nil, err
	}
	d = table(validate.TakeRows(x, train), validate.Take(y, train), "0", "1")
	models = []fitted{{"Bayes", truth}}
	for _, m := range fiveMethods(seed) {
		f, err := fit(d, m.name, m.options)
		if err != nil {
			return nil, nil, nil, err
		}
		models = append(models, f)
	}
	return d, &trainingSet{validate.TakeRows(x, held), validate.Take(y, held)}, models, nil
}

func runExercise(seed uint64) (*Result, error) {
	truth, err := twoGaussians(0)
	if err != nil {
		return nil, err
	}
	d, test, models, err := fitFive(truth, seed)
	if err != nil {
		return nil, err
	}
	rates, err := freshErrors(truth, models, fresh, seed+1000)
	if err != nil {
		return nil, err
	}
	r := &Result{Files: []File{{"exercise.csv", &trainingSet{d.X, d.Labels}}, {"exercise-test.csv", test}}}
	t := r.table("Error on the 120 test points, and on 1,000,000 fresh ones", "model", "test error", "fresh error", "se")
	p := &plot.Plot{Title: "Decision boundaries over the test points", X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true, Width: 800, Height: 640}
	p.Regions(regions(truth))
	for k, m := range models {
		e, err := validate.Evaluate(m.model, test.x, test.y)
		if err != nil {
			return nil, err
		}
		name := m.name
		if name == "perceptron" {
			name = pocketPerceptron
		}
		t.Add(name, e.Error, rates[k], math.Sqrt(rates[k]*(1-rates[k])/fresh))
		p.Boundary(m.name, lineStyles[k], function(m.model))
	}
	p.Scatter(test.x, 0, 1, test.y, []string{"class 0", "class 1"})
	r.draw("exercise", p, "The 120 test points over the regions of the Bayes rule, and the boundaries of all models; those of the Bayes rule and of QDA are curves, and QDA's can come back far from the points.")

	best := 1
	for k := range models {
		if k > 0 && rates[k] < rates[best] {
			best = k
		}
	}
	r.say("Two classes of 200 points each, N((0, 0), [1 .5; .5 1]) and N((2, 2), [1 −.3; −.3 1]); 70 %% are for training. "+
		"The perceptron is not the plain rule, which never settles where the classes overlap: it goes through the rows in a new order 100 times and publishes the best plane met. "+
		"The covariances differ, so the Bayes boundary is a conic, and no straight line attains the Bayes error of %.2f %%. "+
		"On fresh points the best of the fitted models is %s with %.2f %%, the worst %s with %.2f %%. "+
		"The %d test points alone cannot rank them: the standard error of a test error is about %.1f points, and on fresh points the models are within %.1f points of one another.",
		100*rates[0], models[best].name, 100*rates[best], models[worst(rates)].name, 100*slices.Max(rates),
		len(test.y), 100*math.Sqrt(rates[0]*(1-rates[0])/float64(len(test.y))), 100*(slices.Max(rates)-rates[best]))
	r.say("What each assumes, and whether it is so here. LDA: Gaussian classes with one covariance; Gaussian they are, the covariances differ. QDA: Gaussian classes; so it is. " +
		"Logistic regression: log-odds linear in x; here they are quadratic. The perceptron: that a line separates the classes; none does the population. " +
		"The SVC: nothing about the distribution, only that a line is wanted. Least squares for indicators would assume nothing either, and estimate 𝔼(Y | x) by a plane that it is not.")
	r.sayUnconverged(models)
	if err := meansApart(r, seed); err != nil {
		return nil, err
	}
	return r, regularized(r, d, truth, seed, models[3], models[5])
}

// meansApart repeats the fits with the second mean ever further away. Separable
// classes have no maximum likelihood, so logistic regression has a tiny ridge.
func meansApart(r *Result, seed uint64) error {
	distances := []float64{-1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3}
	var curves [6][]float64
	var all []fitted
	names := []string{"Bayes"}
	for _, further := range distances {
		b, err := twoGaussians(further)
		if err != nil {
			return err
		}
		x, y := population.SampleClasses(b, []int{140, 140}, seed)
		models := []fitted{{"Bayes", b}}
		for _, m := range fiveMethods(seed) {
			if m.name == "logistic" {
				m.options.Lambda = 1e-3
			}
			f, err := fit(table(x, y, "0", "1"), m.name, m.options)
			if err != nil {
				return err
			}
			models = append(models, f)
		}
		all = append(all, models...)
		rates, err := freshErrors(b, models, 100_000, seed+1000)
		if err != nil {
			return err
		}
		for k := range models {
			curves[k] = append(curves[k], rates[k])
		}
		names = names[:0]
		for _, m := range models {
			names = append(names, m.name)
		}
	}
	p := &plot.Plot{Title: "Error as the means move apart", X: plot.Axis{Label: "second mean moved along (1, 1)"}, Y: plot.Axis{Label: "error on fresh points"}}
	for k, name := range names {
		p.Curve(name, lineStyles[k], distances, curves[k])
	}
	r.draw("exercise-distance", p, "Errors on 100,000 fresh points as the mean of class 1 moves from (2, 2) along the diagonal: −1 is closer to class 0, 3 farther from it.")
	last := len(distances) - 1
	r.say("As the second mean moves on by %g, the Bayes error falls from %.1f %% to %.2f %%, and the models draw together: the worst of them is then at %.2f %%.",
		distances[last], 100*curves[0][2], 100*curves[0][last], 100*worstAt(curves[1:], last))
	r.sayUnconverged(all)
	return nil
}

func worstAt(curves [][]float64, i int) float64 {
	w := 0.0
	for _, c := range curves {
		w = math.Max(w, c[i])
	}
	return w
}

// regularized sweeps the ridge of logistic regression and the cost of the SVC,
// which are one scale: C = 1/λ. plain and one are the fits without a ridge and at C = 1.
func regularized(r *Result, d *dataset.Data, b *discriminant.Bayes, seed uint64, plain, one fitted) error {
	var lambdas []float64
	var models []fitted
	for i := range 13 {
		lambda := math.Pow(10, float64(i)/2-2)
		lambdas = append(lambdas, lambda)
		for _, m := range []struct {
			name string
			o    method.Options
		}{{"logistic", method.Options{Lambda: lambda}}, {"svc", method.Options{C: 1 / lambda}}} {
			f, err := fit(d, m.name, m.o)
			if err != nil {
				return err
			}
			models = append(models, f)
		}
	}
	rates, err := freshErrors(b, append(slices.Clone(models), plain, one), 100_000, seed+1000)
	if err != nil {
		return err
	}
	var logit, svc []float64
	for i := range lambdas {
		logit, svc = append(logit, rates[2*i]), append(svc, rates[2*i+1])
	}
	p := &plot.Plot{Title: "Error over the regularisation", X: plot.Axis{Label: "λ = 1/C", Log: true}, Y: plot.Axis{Label: "error on fresh points"}}
	p.Curve("logistic, ridge λ", lineStyles[1], lambdas, logit)
	p.Curve("svc, C = 1/λ", lineStyles[2], lambdas, svc)
	r.draw("exercise-regularisation", p, "Errors on 100,000 fresh points over the penalty: λ of a ridge logistic regression, and an SVC of cost C = 1/λ.")
	r.say("With two features and 280 rows regularisation has little to gain: over λ from %g to %g the error of logistic regression stays between %.2f %% and %.2f %% (%.2f %% without a ridge), that of the SVC between %.2f %% and %.2f %% (%.2f %% at C = 1), all on the same 100,000 fresh points.",
		lambdas[0], lambdas[len(lambdas)-1], 100*slices.Min(logit), 100*slices.Max(logit), 100*rates[len(models)], 100*slices.Min(svc), 100*slices.Max(svc), 100*rates[len(models)+1])
	r.sayUnconverged(models)
	return nil
}

func worst(rates []float64) int { return slices.Index(rates, slices.Max(rates)) }
