package engine

import (
	"errors"
	"fmt"
	"slices"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/feature"
	"halfspace/sim/population"
)

// methods fit models to monomials.
var methods = map[string]func(f *fit) (sim.Classifier, error){
	"indicator": func(f *fit) (sim.Classifier, error) {
		return orNil(discriminant.FitIndicator(f.x, f.y, &f.Discriminant))
	},
	"lda": func(f *fit) (sim.Classifier, error) { return orNil(discriminant.FitLDA(f.x, f.y, &f.Discriminant)) },
	"qda": func(f *fit) (sim.Classifier, error) { return orNil(discriminant.FitQDA(f.x, f.y, &f.Discriminant)) },
	"rda": func(f *fit) (sim.Classifier, error) { return orNil(discriminant.FitRDA(f.x, f.y, &f.Discriminant)) },
	"rrlda": func(f *fit) (sim.Classifier, error) {
		return orNil(discriminant.FitReducedRank(f.x, f.y, &f.Discriminant))
	},
	"leastsquares": func(f *fit) (sim.Classifier, error) { return orNil(regression.FitLeastSquares(f.x, f.y, nil)) },
	"logistic":     func(f *fit) (sim.Classifier, error) { return orNil(logistic.Fit(f.x, f.y, &f.Logistic)) },
	"hardmargin":   func(f *fit) (sim.Classifier, error) { return orNil(hyperplane.FitHardMargin(f.x, f.y, &f.HardMargin)) },
	"svc":          func(f *fit) (sim.Classifier, error) { return orNil(hyperplane.FitSVC(f.x, f.y, &f.SVC)) },
	"perceptron":   func(f *fit) (sim.Classifier, error) { return orNil(hyperplane.FitPerceptron(f.x, f.y, &f.Perceptron)) },
	"bayes":        func(f *fit) (sim.Classifier, error) { return orNil(f.Population.known()) },
}

// orNil keeps a nil model nil.
func orNil[M any, P interface {
	*M
	sim.Classifier
}](m P, err error) (sim.Classifier, error) {
	if m == nil {
		return nil, err
	}
	return m, err
}

// known returns the population as the rule of Bayes for it.
func (p *Population) known() (*discriminant.Bayes, error) {
	if p.Heaps < 1 {
		return nil, errors.New("the population of these points is not known")
	}
	if p.Heaps == 1 {
		return population.Gaussians(p.Means, p.Covs, nil)
	}
	var classes []int
	var densities []discriminant.Density
	for heaps := range slices.Chunk(p.Means, p.Heaps) {
		d, err := population.Mixture(slices.Repeat([]float64{1 / float64(len(heaps))}, len(heaps)), heaps, p.Covs)
		if err != nil {
			return nil, err
		}
		classes, densities = append(classes, len(classes)), append(densities, d)
	}
	return discriminant.NewBayes(classes, densities, nil, nil)
}

// draw makes a table of about f.Draw points, as many of each class.
func (f *fit) draw() error {
	b, err := f.Population.known()
	if err != nil {
		return err
	}
	k := len(b.Classes())
	x, y := population.SampleClasses(b, slices.Repeat([]int{max(1, f.Draw/k)}, k), f.Seed)
	for i, label := range y {
		f.Table = append(f.Table, x.At(i, 0), x.At(i, 1), float64(label))
	}
	return nil
}

// run fits the model. Where there is none, f.scores stays nil.
func (f *fit) run(xy []float64) (err error) {
	if f.Draw > 0 {
		return f.draw()
	}
	fit := methods[f.Method]
	if fit == nil {
		return fmt.Errorf("no method %q", f.Method)
	}
	if f.raw, err = linalg.NewDense(len(f.y), 2, xy); err != nil {
		return err
	}
	f.expand, _ = feature.NewPolynomial(2, min(max(1, f.Degree), 6), false) // such degrees exist
	if f.x, err = f.expand.ApplyRows(f.raw); err != nil {
		return err
	}
	if f.labels, err = sample.Code(f.y, nil, nil); err != nil {
		return err
	}
	f.Labels = f.labels.Classes
	f.Logistic.Trace, f.SVC.Trace, f.Perceptron.Trace = f.trace, f.trace, f.trace
	if f.model, err = fit(f); f.model == nil {
		return err
	}
	if !slices.Equal(f.Labels, f.model.Classes()) {
		return fmt.Errorf("the points have the classes %v, the population %v", f.Labels, f.model.Classes())
	}
	f.scores, f.Report = f.model.Scores, f.model.Report()
	return err
}

// trace keeps the first points that a solver of two classes visits, of multipliers the
// coefficients that they make.
func (f *fit) trace(s optimize.Step) error {
	if len(f.Labels) != 2 || len(f.Walk) == 1000 {
		return nil
	}
	at := slices.Clone(s.X)
	if f.Method == "svc" {
		at = make([]float64, 1+f.x.Cols)
		for i, alpha := range s.X {
			linalg.Axpy(at[1:], alpha*float64(2*f.labels.Code[i]-1), f.x.Row(i))
		}
	}
	f.Walk = append(f.Walk, at)
	return nil
}
