package experiment

import (
	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/sim"
	"halfspace/sim/feature"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

var quadratic = &Experiment{
	Name:    "quadratic",
	Title:   "Two ways to a curved boundary: LDA on squares and products, and QDA",
	Topic:   "Classes as Gaussians",
	ESL:     "§4.3",
	Formula: "δₖ(x) = −½log|Σₖ| − ½(x−μₖ)ᵀΣₖ⁻¹(x−μₖ) + log πₖ (4.12)",
	run:     runQuadratic,
}

// expanded is a classifier of the expanded features, for rows as they were.
type expanded struct {
	sim.Classifier
	to feature.Transform
}

func (e expanded) Features() int { return e.to.Features() }

func (e expanded) Scores(dst, row []float64) []float64 {
	return e.Classifier.Scores(dst, e.to.Apply(nil, row))
}

func (e expanded) Predict(row []float64) int { return e.Classifier.Predict(e.to.Apply(nil, row)) }

func (e expanded) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	z, err := feature.View(e.to, x)
	if err != nil {
		return nil, err
	}
	return e.Classifier.PredictRows(dst, z)
}

func runQuadratic(seed uint64) (*Result, error) {
	b, err := population.Gaussians([][]float64{{-2, 0}, {1.5, 1.5}, {1, -2}},
		[][][]float64{{{1, 0.6}, {0.6, 1.4}}, {{2, -0.8}, {-0.8, 0.8}}, {{0.5, 0}, {0, 0.6}}}, nil)
	if err != nil {
		return nil, err
	}
	x, y := population.SampleClasses(b, []int{150, 150, 150}, seed)
	poly, err := feature.NewPolynomial(2, 2, false)
	if err != nil {
		return nil, err
	}
	z, err := poly.ApplyRows(x)
	if err != nil {
		return nil, err
	}
	onSquares, err := discriminant.FitLDA(z, y, nil)
	if err != nil {
		return nil, err
	}
	lda := expanded{onSquares, poly}
	qda, err := discriminant.FitQDA(x, y, nil)
	if err != nil {
		return nil, err
	}
	xNew, yNew := population.Sample(b, 200_000, seed+1000)
	rates, err := freshErrors(b, []fitted{{"Bayes", b}, {"lda", lda}, {"qda", qda}}, len(yNew), seed+1000)
	if err != nil {
		return nil, err
	}
	agree := 0
	for i := range yNew {
		if lda.Predict(xNew.Row(i)) == qda.Predict(xNew.Row(i)) {
			agree++
		}
	}
	r := &Result{}
	t := r.table("Error on 200,000 fresh points", "model", "features", "error")
	t.Add("Bayes", "x₁, x₂", rates[0])
	t.Add("lda", "x₁, x₂, x₁², x₁x₂, x₂²", rates[1])
	t.Add("qda", "x₁, x₂", rates[2])
	s := &trainingSet{x, y}
	r.draw("quadratic", &plot.Panels{Columns: 2, Plots: []*plot.Plot{
		decisions("LDA on five features", lda, s), decisions("QDA", qda, s)}},
		"Regions of LDA on the five features x₁, x₂, x₁², x₁x₂ and x₂², and of QDA on two. Far from all rows QDA's decision goes to the class with the widest spread that way, so a region can have a separate part where no rows lie.")
	r.say("LDA in the space of squares and products draws conics in the plane; QDA does so because every class has a covariance of its own. "+
		"They are not the same fit, but here they agree on %.1f %% of fresh points: errors %.2f %% and %.2f %%, Bayes %.2f %%.",
		100*float64(agree)/float64(len(yNew)), 100*rates[1], 100*rates[2], 100*rates[0])
	return r, nil
}
