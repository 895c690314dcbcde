package validate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"time"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/population"
	"halfspace/sim/validate"
)

// circle is a population of k classes, Gaussians around a circle.
func circle(k int) *discriminant.Bayes {
	var means [][]float64
	var covs [][][]float64
	for i := range k {
		at := 2 * math.Pi * float64(i) / float64(k)
		means, covs = append(means, []float64{4 * math.Cos(at), 4 * math.Sin(at)}), append(covs, [][]float64{{1, 0}, {0, 1}})
	}
	b, err := population.Gaussians(means, covs, nil)
	if err != nil {
		log.Fatal(err)
	}
	return b
}

// Cross-validate an elastic net, and save the simplest model within one standard error
// under the names of its columns.
func Example_elasticNetToASavedModel() {
	m, err := method.Named("lasso")
	if err != nil {
		log.Fatal(err)
	}
	d, err := dataset.Read("iris.csv", bytes.NewReader(dataset.BuiltIn("iris")), &dataset.Options{Label: "petal_width", Numeric: true})
	if err != nil {
		log.Fatal(err)
	}
	folds, err := validate.Folds(d.Len(), 10, 1)
	if err != nil {
		log.Fatal(err)
	}
	cv, err := m.CrossValidatePath(d, &method.Options{L1Ratio: 0.5, Standardize: true}, 50, folds)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := cv.OneSE().Model.Save(&file); err != nil {
		log.Fatal(err)
	}
	model, err := method.Load(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Schema.Label, "from", model.Schema.Features())
	fmt.Println("simpler than the best:", cv.OneSE().Penalty > cv.Best().Penalty, "and as good within an error:", cv.CV.Mean[cv.CV.OneSE()] <= cv.CV.Mean[cv.CV.Best()]+cv.CV.SE[cv.CV.Best()])
	// Output:
	// petal_width from [sepal_length sepal_width petal_length species=versicolor species=virginica]
	// simpler than the best: true and as good within an error: true
}

// Evaluate a classifier of ten classes on rows that it was not fitted to.
func Example_evaluateTenClasses() {
	x, y := population.Sample(circle(10), 2000, 1)
	train, test, err := validate.StratifiedSplit(y, 0.3, 1)
	if err != nil {
		log.Fatal(err)
	}
	m, err := logistic.Fit(validate.TakeRows(x, train), validate.Take(y, train), &logistic.Options{Lambda: 1})
	if err != nil {
		log.Fatal(err)
	}
	e, err := validate.Evaluate(m, validate.TakeRows(x, test), validate.Take(y, test))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("error %.2f, macro F1 %.2f, log-loss %.2f, Hand and Till's AUC %.2f\n", e.Error, e.MacroF1, e.LogLoss, e.AUC)
	fmt.Printf("class 3: precision %.2f, recall %.2f\n", e.Confusion.Precision(3), e.Confusion.Recall(3))
	// Output:
	// error 0.23, macro F1 0.77, log-loss 0.56, Hand and Till's AUC 0.98
	// class 3: precision 0.73, recall 0.92
}

// Give a support vector classifier probabilities on rows held out for that.
func Example_calibrate() {
	x, y := population.Sample(circle(2), 900, 1)
	train, held, err := validate.StratifiedSplit(y, 0.3, 1)
	if err != nil {
		log.Fatal(err)
	}
	svc, err := hyperplane.FitSVC(validate.TakeRows(x, train), validate.Take(y, train), nil)
	if err != nil {
		log.Fatal(err)
	}
	c, err := validate.Calibrate(svc, validate.TakeRows(x, held), validate.Take(y, held))
	if err != nil {
		log.Fatal(err)
	}
	var m sim.Prober = c // the classifier itself is none
	row := []float64{-0.3, 1}
	fmt.Printf("class %d, probabilities %.2f\n", m.Predict(row), m.Proba(nil, row))
	// Output:
	// class 1, probabilities [0.47 0.53]
}

// Stop a fit when a context ends, and keep the model so far.
func Example_stopByContext() {
	x, y := population.Sample(circle(6), 3000, 1)
	ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	m, err := logistic.Fit(x, y, &logistic.Options{Trace: optimize.Until(ctx)})
	fmt.Println(errors.Is(err, context.DeadlineExceeded), errors.Is(err, optimize.ErrNotConverged), m.Report().Status())
	// Output:
	// true true stopped
}
