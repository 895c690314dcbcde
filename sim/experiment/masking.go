package experiment

import (
	"math"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/sim"
	"halfspace/sim/feature"
	"halfspace/sim/plot"
	"halfspace/sim/population"
	"halfspace/sim/validate"
)

var masking = &Experiment{
	Name:    "masking",
	Title:   "Regression of class indicators hides a class; LDA does not",
	Topic:   "Least squares",
	ESL:     "§4.2",
	Formula: "B̂ = (XᵀX)⁻¹XᵀY, class argmaxₖ f̂ₖ(x) (4.3, 4.4)",
	run:     runMasking,
}

// lineOfThree are centroids of which the middle one is hidden.
var lineOfThree = [][]float64{{-3, -3}, {0, 0}, {3, 3}}

// offTheLine are centroids of which the middle one stands aside: no class is hidden, but
// the planes of indicator regression lie askew.
var offTheLine = [][]float64{{-3, -3}, {-1.4, 1.4}, {3, 3}}

// threeClasses has unit covariance and the given means; 200 points a class are
// for training.
func threeClasses(means [][]float64, seed uint64) (*discriminant.Bayes, *trainingSet, error) {
	b, err := population.Gaussians(means, [][][]float64{{{1, 0}, {0, 1}}}, nil)
	if err != nil {
		return nil, nil, err
	}
	x, y := population.SampleClasses(b, []int{200, 200, 200}, seed)
	return b, &trainingSet{x, y}, nil
}

func runMasking(seed uint64) (*Result, error) {
	r := &Result{}
	t := r.table("Error and log-loss on 50,000 fresh points", "centroids", "model", "error", "log-loss", "recall, middle class")
	panels := &plot.Panels{Columns: 2}
	var lost, found, kept float64
	var bent [2]float64
	for _, c := range []struct {
		name  string
		means [][]float64
	}{
		{"spread", [][]float64{{-2, -1.5}, {2, -1.5}, {0, 2}}},
		{"off the line", offTheLine},
		{"in a line", lineOfThree},
	} {
		b, s, err := threeClasses(c.means, seed)
		if err != nil {
			return nil, err
		}
		plain, err := discriminant.FitIndicator(s.x, s.y, nil)
		if err != nil {
			return nil, err
		}
		soft, err := discriminant.FitIndicator(s.x, s.y, &discriminant.Options{Softmax: true})
		if err != nil {
			return nil, err
		}
		lda, err := discriminant.FitLDA(s.x, s.y, nil)
		if err != nil {
			return nil, err
		}
		x, y := population.Sample(b, 50_000, seed+1000)
		for _, m := range []struct {
			name  string
			model sim.Classifier
		}{{"indicator regression", plain}, {"its softmax", soft}, {"lda", lda}} {
			e, err := validate.Evaluate(m.model, x, y)
			if err != nil {
				return nil, err
			}
			t.Add(c.name, m.name, e.Error, e.LogLoss, e.Confusion.Recall(1))
			if m.model == sim.Classifier(plain) {
				lost, found = e.Error, e.Confusion.Recall(1)
			}
			kept = e.Error
		}
		if c.name == "off the line" {
			bent = [2]float64{lost, kept}
		}
		panels.Plots = append(panels.Plots,
			decisions("Indicator regression, centroids "+c.name, plain, s),
			decisions("LDA, centroids "+c.name, lda, s))
	}
	r.draw("masking", panels, "Three Gaussian classes and the regions that indicator regression and LDA give them, for centroids spread over the plane, off a line, and in a line.")
	r.say("With the centroids in a line, the fitted values of the middle class are nearly constant, so one of the outer two is larger "+
		"almost everywhere: the class is masked, and found in %.1f %% of its rows. On fresh points indicator regression errs in %.1f %% of cases, LDA in %.1f %%. "+
		"The softmax of the fitted values turns them into probabilities, but their order, and so the decisions, stay the same. "+
		"Where the centroids are spread over the plane, nothing is masked. With the middle centroid two off the line nothing is masked either, and yet the planes stand askew: "+
		"%.1f %% for indicator regression, %.1f %% for LDA.", 100*found, 100*lost, 100*kept, 100*bent[0], 100*bent[1])
	return r, fittedIndicators(r, seed)
}

// fittedIndicators draws the indicators of three classes in a line as functions of the
// place along it, fitted by straight lines and by parabolas (ESL figure 4.3).
func fittedIndicators(r *Result, seed uint64) error {
	_, s, err := threeClasses(lineOfThree, seed)
	if err != nil {
		return err
	}
	panels := &plot.Panels{Columns: 2}
	for i, title := range []string{"Straight lines", "Parabolas"} {
		fitted, err := indicatorsAlong(s, i+1)
		if err != nil {
			return err
		}
		p := &plot.Plot{Title: title, X: plot.Axis{Label: "(x₁ + x₂)/√2", Min: -7, Max: 7}, Y: plot.Axis{Label: "fitted indicator", Min: -0.8, Max: 1.8}, Width: 560, Height: 400}
		for k := range 3 {
			p.Func(classNames(3)[k], plot.Style{Color: plot.Class(k), Width: 2.5}, func(v float64) float64 { return fitted(k, v) })
		}
		panels.Plots = append(panels.Plots, p)
	}
	r.draw("masking-fits", panels, "The fitted indicators of three classes in a line. Straight lines: that of the middle class is the highest in a narrow strip at most. Parabolas: it is, between the others (ESL figure 4.3).")
	return nil
}

// indicatorsAlong regresses the indicators on a polynomial of the place along the line, and
// returns the fitted value of class k there.
func indicatorsAlong(s *trainingSet, degree int) (func(k int, at float64) float64, error) {
	along := linalg.Zeros(s.x.Rows, 1)
	for i := range along.Rows {
		along.Set(i, 0, (s.x.At(i, 0)+s.x.At(i, 1))/math.Sqrt2)
	}
	poly, err := feature.NewPolynomial(1, degree, false)
	if err != nil {
		return nil, err
	}
	z, err := poly.ApplyRows(along)
	if err != nil {
		return nil, err
	}
	m, err := discriminant.FitIndicator(z, s.y, nil)
	if err != nil {
		return nil, err
	}
	coef, intercept := m.Coef()
	return func(k int, at float64) float64 {
		return intercept[k] + linalg.Dot(coef.Row(k), poly.Apply(nil, []float64{at}))
	}, nil
}

// decisions draws the regions and boundaries of a model over points of the plane.
func decisions(title string, m sim.Classifier, s *trainingSet) *plot.Plot {
	p := &plot.Plot{Title: title, X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true, Width: 560, Height: 460}
	p.Regions(regions(m))
	p.Scatter(s.x, 0, 1, s.y, classNames(len(m.Classes())))
	p.Decision("boundary", plot.Style{Width: 2}, len(m.Classes()), planeScores(m))
	return p
}
