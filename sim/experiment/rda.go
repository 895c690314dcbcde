package experiment

import (
	"slices"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/sim"
	"halfspace/sim/plot"
	"halfspace/sim/population"
	"halfspace/sim/validate"
)

var rda = &Experiment{
	Name:    "rda",
	Title:   "Regularised discriminant analysis: between one covariance and many",
	Topic:   "Classes as Gaussians",
	ESL:     "§4.3.1",
	Formula: "Σ̂ₖ(α) = αΣ̂ₖ + (1−α)Σ̂ (4.13)",
	run:     runRDA,
}

func runRDA(seed uint64) (*Result, error) {
	const p, k, perClass = 10, 4, 25
	b, err := rdaPopulation(p, k)
	if err != nil {
		return nil, err
	}
	x, y := population.SampleClasses(b, slices.Repeat([]int{perClass}, k), seed)
	test := &trainingSet{}
	test.x, test.y = population.Sample(b, 20_000, seed+1000)
	folds, err := validate.StratifiedFolds(y, 10, seed)
	if err != nil {
		return nil, err
	}
	alpha := make([]float64, 51)
	for i := range alpha {
		alpha[i] = float64(i) / 50
	}
	cv, err := discriminant.CrossValidateRDA(x, y, folds, alpha, nil)
	if err != nil {
		return nil, err
	}
	m, err := moments.New(p, false)
	if err != nil {
		return nil, err
	}
	if err := m.AddRows(x, y, nil, 0); err != nil {
		return nil, err
	}
	training, fresh := make([]float64, len(alpha)), make([]float64, len(alpha))
	for i, a := range alpha {
		q, err := discriminant.RDAFromMoments(m, &discriminant.Options{Alpha: a})
		if err != nil {
			return nil, err
		}
		if training[i], err = errorOf(q, x, y); err != nil {
			return nil, err
		}
		if fresh[i], err = errorOf(q, test.x, test.y); err != nil {
			return nil, err
		}
	}
	r := &Result{}
	t := r.table("Error over α", "α", "training", "cross-validated", "20,000 fresh points")
	for i := 0; i < len(alpha); i += 10 {
		t.Add(alpha[i], training[i], cv.CV.Mean[i], fresh[i])
	}
	plt := &plot.Plot{Title: "Error over α: LDA at 0, QDA at 1", X: plot.Axis{Label: "α"}, Y: plot.Axis{Label: "error rate"}}
	plt.Curve("training", plot.Style{Color: plot.Green, Width: 2}, alpha, training)
	plt.Curve("cross-validation", plot.Style{Color: plot.Purple, Dash: plot.Dashed, Width: 2}, alpha, cv.CV.Mean)
	plt.Curve("fresh points", plot.Style{Width: 2.5}, alpha, fresh)
	plt.VLine("chosen α", plot.Style{Color: plot.Grey, Dash: plot.Dashed, Width: 1.5}, alpha[cv.CV.Best()])
	r.draw("rda", plt, "Errors on the training rows, by cross-validation and on fresh points, for four classes of %d points in %d dimensions with different covariances; Σ(α) = αΣₖ + (1−α)Σ. The dashed line is the α that cross-validation takes.", perClass, p)
	best := slices.Index(fresh, slices.Min(fresh))
	r.say("QDA has %d parameters for each covariance and only %d points to estimate them from: on fresh points its error is %.1f %%, against %.1f %% in training. "+
		"LDA, which shares one covariance, has %.1f %%. Between them the least error, %.1f %%, is at α = %.2f; cross-validation chooses α = %.2f, with %.1f %%.",
		p*(p+1)/2, perClass, 100*fresh[len(fresh)-1], 100*training[len(training)-1], 100*fresh[0], 100*fresh[best], alpha[best], alpha[cv.CV.Best()], 100*fresh[cv.CV.Best()])
	return r, nil
}

// rdaPopulation has k classes in p dimensions whose covariances share a part and
// differ in scale along some axes.
func rdaPopulation(p, k int) (*discriminant.Bayes, error) {
	means, covs := make([][]float64, k), make([][][]float64, k)
	for c := range k {
		means[c] = make([]float64, p)
		means[c][c] = 1.8
		covs[c] = make([][]float64, p)
		for i := range p {
			covs[c][i] = make([]float64, p)
			for j := range p {
				covs[c][i][j] = 0.3
			}
			covs[c][i][i] = 1
			if i%k == c {
				covs[c][i][i] = 3
			}
		}
	}
	return population.Gaussians(means, covs, nil)
}

// errorOf returns the share of rows misclassified.
func errorOf(m sim.Classifier, x *linalg.Dense, y []int) (float64, error) {
	labels, err := m.PredictRows(nil, x)
	if err != nil {
		return 0, err
	}
	return validate.ErrorRate(labels, y), nil
}
