package experiment

import (
	"fmt"

	"halfspace/discriminant"
	"halfspace/linalg/tail"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

var gaussians = &Experiment{
	Name:    "gaussians",
	Title:   "Three Gaussians with one covariance: Bayes lines and LDA's estimate of them",
	Topic:   "Classes as Gaussians",
	ESL:     "§4.3",
	Formula: "δₖ(x) = xᵀΣ⁻¹μₖ − ½μₖᵀΣ⁻¹μₖ + log πₖ (4.10)",
	run:     runGaussians,
}

// chi95 is the 0.95 quantile of χ² with two degrees of freedom: the ellipse at
// this squared distance holds 95 % of a Gaussian in the plane.
var chi95 = tail.ChiSquareQuantile(0.05, 2)

func runGaussians(seed uint64) (*Result, error) {
	means := [][]float64{{-1.2, 0.8}, {1.4, 1.2}, {0.4, -1.6}}
	cov := [][]float64{{1, 0.5}, {0.5, 1}}
	b, err := population.Gaussians(means, [][][]float64{cov}, nil)
	if err != nil {
		return nil, err
	}
	x, y := population.SampleClasses(b, []int{30, 30, 30}, seed)
	lda, err := discriminant.FitLDA(x, y, nil)
	if err != nil {
		return nil, err
	}
	axes := func(title string) *plot.Plot {
		return &plot.Plot{Title: title, X: plot.Axis{Label: "x₁", Min: -4.5, Max: 4.5}, Y: plot.Axis{Label: "x₂", Min: -4.5, Max: 4.5},
			Equal: true, Width: 600, Height: 520}
	}
	truth := axes("The population")
	scores := planeScores(b)
	for k, m := range means {
		truth.Ellipse(fmt.Sprintf("class %d, 95 %%", k), plot.Style{Color: plot.Class(k), Width: 2}, [2]float64(m), [2][2]float64{{1, .5}, {.5, 1}}, chi95)
		truth.Points("", plot.Class(k), plot.Plus, m[:1], m[1:])
	}
	for k := range means {
		for l := k + 1; l < len(means); l++ {
			name := ""
			if k == 0 && l == 1 {
				name = "between two classes"
			}
			var s []float64
			truth.Boundary(name, plot.Style{Color: plot.Grey, Dash: plot.Dashed, Width: 1.5}, func(x, y float64) float64 {
				s = scores(s[:0], x, y)
				return s[k] - s[l]
			})
		}
	}
	truth.Decision("Bayes boundary", plot.Style{Width: 2.5}, 3, scores)

	estimate := axes("30 points a class")
	estimate.Regions(regions(lda))
	estimate.Decision("Bayes", plot.Style{Dash: plot.Dashed, Width: 2}, 3, scores)
	estimate.Decision("LDA", plot.Style{Width: 2.5}, 3, planeScores(lda))
	estimate.Scatter(x, 0, 1, y, classNames(3))

	r := &Result{}
	r.draw("gaussians", &plot.Panels{Columns: 2, Plots: []*plot.Plot{truth, estimate}},
		"The population: means (plus signs), contours that hold 95 %% of each class, the lines on which two classes are equally likely (dashed) and the parts of them that decide (solid). 30 points a class: a sample, the regions and boundary of LDA fitted to it, and the boundary of the Bayes rule (dashed).")
	rates, err := freshErrors(b, []fitted{{"Bayes", b}, {"lda", lda}}, 200_000, seed+1000)
	if err != nil {
		return nil, err
	}
	t := r.table("Error on 200,000 fresh points", "model", "error")
	t.Add("Bayes", rates[0])
	t.Add("lda", rates[1])
	r.say("With one covariance the quadratic terms of the log-densities cancel, so every pair of classes is divided by a straight line (ESL 4.9), "+
		"and the three lines meet in one point. LDA puts estimates for the means and the covariance: from 90 points its error is %.2f %%, that of the Bayes rule %.2f %%.",
		100*rates[1], 100*rates[0])
	return r, nil
}
