package experiment

import (
	"fmt"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/sim/plot"
	"halfspace/sim/population"
	"halfspace/sim/validate"
)

var unlabelled = &Experiment{
	Name:    "unlabelled",
	Title:   "Rows without a label help a generative model",
	Topic:   "Classes as Gaussians",
	ESL:     "§4.3, §8.5",
	Formula: "Σ log πₖφ(x; μₖ, Σ) over labelled rows + Σ log Σₖ πₖφ(u; μₖ, Σ) over the others, maximised by EM",
	run:     runUnlabelled,
}

// unlabelledErrors fits LDA to a few labelled rows a class and m rows without labels, for
// many sets, and returns the mean error and its standard error.
func unlabelledErrors(b *discriminant.Bayes, perClass, m, sets int, seed uint64) (mean, se float64, err error) {
	var errs []float64
	for k := range uint64(sets) {
		x, y := population.SampleClasses(b, []int{perClass, perClass}, seed+k*7919)
		var model *discriminant.LDA
		if m == 0 {
			model, err = discriminant.FitLDA(x, y, &discriminant.Options{Divisor: discriminant.MLE})
		} else {
			u, _ := population.Sample(b, m, seed+k*7919+1)
			model, err = discriminant.FitLDAUnlabeled(x, y, u, &discriminant.UnlabeledOptions{Tol: 1e-5})
		}
		if err != nil {
			return 0, 0, err
		}
		plane, err := planeOf(model)
		if err != nil {
			return 0, 0, err
		}
		errs = append(errs, exactError(b, plane))
	}
	mean, se = validate.MeanSE(errs)
	return mean, se, nil
}

func runUnlabelled(seed uint64) (*Result, error) {
	gauss, err := gaussianPair()
	if err != nil {
		return nil, err
	}
	mixture, err := mixturePair()
	if err != nil {
		return nil, err
	}
	r := &Result{}
	t := r.table("Mean error over 60 sets of 6 labelled rows a class", "unlabelled rows", "Gaussian classes", "se", "a mixture", "se")
	var counts, good, bad []float64
	const sets = 60
	for _, m := range []int{0, 20, 60, 200, 600} {
		g, gs, err := unlabelledErrors(gauss, 6, m, sets, seed)
		if err != nil {
			return nil, err
		}
		b, bs, err := unlabelledErrors(mixture, 6, m, sets, seed)
		if err != nil {
			return nil, err
		}
		t.Add(fmt.Sprint(m), g, gs, b, bs)
		counts, good, bad = append(counts, float64(m)), append(good, g), append(bad, b)
	}
	p := &plot.Plot{Title: "Error over the number of unlabelled rows", X: plot.Axis{Label: "unlabelled rows"}, Y: plot.Axis{Label: "mean error", Min: 0}}
	p.Curve("Gaussian classes, one covariance", lineStyles[1], counts, good)
	p.Curve("class 0 a mixture", lineStyles[2], counts, bad)
	r.draw("unlabelled-error", p, "Mean error of LDA fitted by EM to six labelled rows a class and ever more without a label, once for Gaussian classes with one covariance, once with a mixture as class 0.")
	if err := unlabelledLines(r, gauss, seed); err != nil {
		return nil, err
	}
	last := len(counts) - 1
	exact, _ := gauss.ExactError()
	r.say("LDA has a density for x alone, Σπₖφ(x; μₖ, Σ), so that a row says something about the parameters before its label is known; logistic regression has none. With Gaussian classes the mean error falls from %.1f %% with 12 labelled rows to %.1f %% with %g unlabelled ones beside them; there the Bayes rule errs in %.1f %%. "+
		"The gain rests on the model: where class 0 is a mixture, the likelihood of all rows asks for other Gaussians than the classes, and the mean error goes from %.1f %% to %.1f %%.",
		100*good[0], 100*good[last], counts[last], 100*exact, 100*bad[0], 100*bad[last])
	return r, nil
}

func unlabelledLines(r *Result, b *discriminant.Bayes, seed uint64) error {
	x, y := population.SampleClasses(b, []int{6, 6}, seed)
	u, _ := population.Sample(b, 200, seed+1)
	alone, err := discriminant.FitLDA(x, y, nil)
	if err != nil {
		return err
	}
	with, err := discriminant.FitLDAUnlabeled(x, y, u, nil)
	if err != nil {
		return err
	}
	p := &plot.Plot{Title: "Twelve labels, 200 rows without", X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true, Width: 560, Height: 480}
	p.Points("no label", plot.Grey, plot.Circle, u.Col(nil, 0), u.Col(nil, 1))
	p.Boundary("Bayes", plot.Style{Width: 2.5}, function(b))
	p.Boundary("12 labelled rows", plot.Style{Color: plot.Purple, Dash: plot.Dashed, Width: 2}, function(alone))
	p.Boundary("and 200 unlabelled", plot.Style{Color: plot.Green, Width: 2}, function(with))
	p.Scatter(x, 0, 1, y, classNames(2))
	means := with.Means()
	cov := with.Cov()
	for k := range 2 {
		p.Ellipse("", plot.Style{Color: plot.Class(k), Width: 1.5}, [2]float64(means.Row(k)), covariance(cov), chi95)
	}
	r.draw("unlabelled", p, "LDA from twelve rows, and with 200 rows whose labels it is not told; the ellipses hold 95 %% of each class of the fit with both.")
	return nil
}

// covariance returns a 2×2 matrix as an array.
func covariance(m *linalg.Dense) [2][2]float64 {
	return [2][2]float64{{m.At(0, 0), m.At(0, 1)}, {m.At(1, 0), m.At(1, 1)}}
}
