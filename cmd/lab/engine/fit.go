package engine

import (
	"fmt"
	"slices"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/optimize/loss"
	"halfspace/sim"
	"halfspace/sim/feature"
)

type classifier = sim.Classifier

// run fits the model. Where there is none, f.scores stays nil.
func (f *fit) run(xy []float64) (err error) {
	if f.Draw > 0 {
		return f.draw()
	}
	var bayes *discriminant.Bayes
	if f.Method == "bayes" {
		f.Degree = 1
		if bayes, err = truth(f.Preset); err != nil {
			return err
		}
		f.Labels = bayes.Classes()
	}
	if f.labels, err = sample.Code(f.y, f.Labels, nil); err != nil {
		return err
	}
	f.Labels = f.labels.Classes
	if f.raw, err = linalg.NewDense(len(f.y), 2, xy); err != nil {
		return err
	}
	if f.expand, err = feature.NewPolynomial(2, max(1, f.Degree), false); err != nil {
		return err
	}
	if f.x, err = f.expand.ApplyRows(f.raw); err != nil {
		return err
	}
	if bayes != nil {
		f.model, f.loss, f.Proba = bayes, loss.Logistic{}, true
	} else if err = f.fit(); f.model == nil {
		return err
	}
	f.scores, f.Report = f.model.Scores, f.model.Report()
	return err
}

// fit fits the method to the monomials.
func (f *fit) fit() (err error) {
	gaussian := &discriminant.Options{Alpha: f.Alpha, Rank: f.Rank}
	switch f.Method {
	case "indicator":
		f.loss = loss.Squared{}
		f.model, err = orNil(discriminant.FitIndicator(f.x, f.y, nil))
	case "leastsquares":
		f.loss = loss.Squared{}
		f.model, err = orNil(regression.FitLeastSquares(f.x, f.y, nil))
	case "perceptron":
		f.loss = loss.Perceptron{}
		f.model, err = orNil(hyperplane.FitPerceptron(f.x, f.y, &hyperplane.PerceptronOptions{Order: hyperplane.PerceptronOrder(f.Order),
			Random: f.Random, Seed: f.Seed, MaxEpochs: f.MaxEpochs, Pocket: f.Pocket, Trace: f.trace}))
	case "hardmargin":
		f.loss = loss.Hinge{}
		f.model, err = orNil(hyperplane.FitHardMargin(f.x, f.y, &hyperplane.HardMarginOptions{Multi: hyperplane.OneVsRest}))
	case "svc":
		f.loss = loss.Hinge{}
		f.model, err = orNil(hyperplane.FitSVC(f.x, f.y, &hyperplane.SVCOptions{C: f.C, Multi: hyperplane.OneVsRest}))
	default:
		f.loss, f.Proba = loss.Logistic{}, true
		switch f.Method {
		case "lda":
			f.model, err = orNil(discriminant.FitLDA(f.x, f.y, nil))
		case "qda":
			f.model, err = orNil(discriminant.FitQDA(f.x, f.y, nil))
		case "rda":
			f.model, err = orNil(discriminant.FitRDA(f.x, f.y, gaussian))
		case "rrlda":
			f.model, err = orNil(discriminant.FitReducedRank(f.x, f.y, gaussian))
		case "logistic":
			f.model, err = orNil(logistic.Fit(f.x, f.y, &logistic.Options{Lambda: f.Lambda, L1Ratio: f.L1Ratio, Trace: f.trace}))
		default:
			return fmt.Errorf("no method %q", f.Method)
		}
	}
	return err
}

// orNil keeps a nil model nil.
func orNil[M any, P interface {
	*M
	classifier
}](m P, err error) (classifier, error) {
	if m == nil {
		return nil, err
	}
	return m, err
}

// trace keeps the first points that a solver of two classes visits.
func (f *fit) trace(s optimize.Step) error {
	if len(f.Labels) == 2 && len(f.Walk) < 1000 {
		f.Walk = append(f.Walk, slices.Clone(s.X))
	}
	return nil
}
