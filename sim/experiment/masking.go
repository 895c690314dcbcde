package experiment

import (
	"halfspace/discriminant"
	"halfspace/sim"
	"halfspace/sim/plot"
	"halfspace/sim/population"
	"halfspace/sim/validate"
)

var masking = &Experiment{
	Name:  "masking",
	Title: "Regression of class indicators hides a class; LDA does not",
	run:   runMasking,
}

// lineOfThree are centroids of which the middle one is hidden.
var lineOfThree = [][]float64{{-3, -3}, {0, 0}, {3, 3}}

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
	t := r.table("Error and log-loss on 200,000 fresh points", "centroids", "model", "error", "log-loss", "recall, middle class")
	panels := &plot.Panels{}
	var lost, found, kept float64
	for _, c := range []struct {
		name  string
		means [][]float64
	}{
		{"spread", [][]float64{{-2, -1.5}, {2, -1.5}, {0, 2}}},
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
		x, y := population.Sample(b, 200_000, seed+1000)
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
		panels.Plots = append(panels.Plots,
			decisions("Indicator regression, centroids "+c.name, plain, s),
			decisions("LDA, centroids "+c.name, lda, s))
	}
	panels.Columns = 2
	r.draw("masking", panels, "Regions of indicator regression (left) and of LDA (right), for centroids spread over the plane and in a line.")
	r.say("With the centroids in a line, the fitted values of the middle class are nearly constant, so one of the outer two is larger "+
		"almost everywhere: the class is masked, and found in %.1f %% of its rows. On fresh points indicator regression errs in %.1f %% of cases, LDA in %.1f %%. "+
		"The softmax of the fitted values turns them into probabilities, but their order, and so the decisions, stay the same. "+
		"Where the centroids are spread over the plane, nothing is masked.", 100*found, 100*lost, 100*kept)
	return r, nil
}

// decisions draws the regions and boundaries of a model over points of the plane.
func decisions(title string, m sim.Classifier, s *trainingSet) *plot.Plot {
	p := &plot.Plot{Title: title, X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true, Width: 560, Height: 460}
	p.Regions(regions(m))
	p.Decision("boundary", plot.Style{Width: 2}, len(m.Classes()), planeScores(m))
	p.Scatter(s.x, 0, 1, s.y, classNames(len(m.Classes())))
	return p
}
