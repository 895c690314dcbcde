package experiment

import (
	"math"
	"math/rand/v2"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/tail"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

var generative = &Experiment{
	Name:    "generative",
	Title:   "A generative model: fit it, then draw from it",
	Topic:   "Classes as Gaussians",
	ESL:     "§4.3",
	Formula: "x | k ~ N(μₖ, Σ), P(k) = πₖ",
	run:     runGenerative,
}

func runGenerative(seed uint64) (*Result, error) {
	truth, err := population.Gaussians([][]float64{{-2.3, 0.4}, {1.4, -0.9}}, [][][]float64{{{1, 0}, {0, 1}}}, nil)
	if err != nil {
		return nil, err
	}
	x, y := population.SampleClasses(truth, []int{100, 100}, seed)
	m, err := discriminant.FitLDA(x, y, &discriminant.Options{Divisor: discriminant.MLE})
	if err != nil {
		return nil, err
	}
	drawn := &trainingSet{linalg.Zeros(200, 2), make([]int, 200)}
	rng := rand.New(rand.NewPCG(seed, 1))
	model := m.Bayes()
	for i := range drawn.y {
		_, drawn.y[i] = model.Sample(drawn.x.Row(i)[:0], rng)
	}
	rates, err := freshErrors(truth, []fitted{{"true boundary", truth}, {"fit", m}}, 200_000, seed+1000)
	if err != nil {
		return nil, err
	}
	exact, _ := truth.ExactError()

	r := &Result{}
	t := r.table("Estimates (maximum likelihood, divisor N)", "", "truth, class 0", "fit, class 0", "truth, class 1", "fit, class 1")
	means, cov := m.Means(), m.Cov()
	t.Add("mean x₁", -2.3, means.At(0, 0), 1.4, means.At(1, 0))
	t.Add("mean x₂", 0.4, means.At(0, 1), -0.9, means.At(1, 1))
	t.Add("variance x₁ (common)", 1.0, cov.At(0, 0), "", "")
	t.Add("variance x₂ (common)", 1.0, cov.At(1, 1), "", "")
	t.Add("covariance (common)", 0.0, cov.At(0, 1), "", "")
	t.Add("error, 200,000 fresh points", rates[0], rates[1], "", "")

	panels := &plot.Panels{Columns: 2}
	for _, c := range []struct {
		title string
		s     *trainingSet
	}{{"The data", &trainingSet{x, y}}, {"Drawn from the fit", drawn}} {
		p := decisions(c.title, m, c.s)
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -6, 5, -5, 4
		for k := range 2 {
			for _, share := range []float64{0.5, 0.05} {
				p.Ellipse("", plot.Style{Color: plot.Class(k), Width: 1.5}, [2]float64(means.Row(k)), covariance(cov), tail.ChiSquareQuantile(share, 2))
			}
		}
		p.Boundary("true boundary", plot.Style{Dash: plot.Dashed, Width: 2}, function(truth))
		panels.Plots = append(panels.Plots, p)
	}
	r.draw("generative", panels, "The data: 100 points of each class with the fitted (solid) and the true boundary (dashed); the ellipses hold 50 %% and 95 %% of each fitted class. Drawn from the fit: 200 points of the fitted model under the same lines.")
	r.say("LDA models the classes themselves, so it can make new data: the points in the second picture were never observed. "+
		"Maximum likelihood divides the pooled covariance by N, here 200, not by N − K. "+
		"The fit errs on %.2f %% of fresh points (standard error %.2f); the least possible, Φ(−Δ/2) for means a Mahalanobis distance Δ apart, is %.2f %%; a count on fresh points may fall below it by chance.",
		100*rates[1], 100*math.Sqrt(rates[1]*(1-rates[1])/200_000), 100*exact)
	return r, nil
}
