package validate_test

import (
	"fmt"
	"log"

	"halfspace/discriminant"
	"halfspace/sim"
	"halfspace/sim/population"
	"halfspace/sim/validate"
)

// Two Gaussian classes, LDA on 70 % of 400 rows, its error on the others beside
// that of the Bayes rule.
func Example() {
	truth, err := population.Gaussians([][]float64{{0, 0}, {2, 2}}, [][][]float64{{{1, .5}, {.5, 1}}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	x, y := population.SampleClasses(truth, []int{200, 200}, 1)
	train, test, err := validate.StratifiedSplit(y, 0.3, 1)
	if err != nil {
		log.Fatal(err)
	}
	lda, err := discriminant.FitLDA(validate.TakeRows(x, train), validate.Take(y, train), nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []sim.Classifier{lda, truth} {
		e, err := validate.Evaluate(m, validate.TakeRows(x, test), validate.Take(y, test))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d of %d wrong, AUC %.3f\n", int(e.Error*float64(e.N)+.5), e.N, e.AUC)
	}
	// Output:
	// 12 of 120 wrong, AUC 0.964
	// 12 of 120 wrong, AUC 0.965
}

// Ten-fold cross-validation of LDA with equal and with estimated priors.
func ExampleCrossValidate() {
	truth, err := population.Gaussians([][]float64{{0, 0}, {1, 1}}, [][][]float64{{{1, 0}, {0, 1}}}, []float64{.8, .2})
	if err != nil {
		log.Fatal(err)
	}
	x, y := population.Sample(truth, 500, 1)
	folds, err := validate.StratifiedFolds(y, 10, 1)
	if err != nil {
		log.Fatal(err)
	}
	grid := []*discriminant.Options{{Uniform: true}, {}}
	cv, err := validate.CrossValidate(func(train, test []int) ([]float64, error) {
		var loss []float64
		for _, o := range grid {
			m, err := discriminant.FitLDA(validate.TakeRows(x, train), validate.Take(y, train), o)
			if err != nil {
				return nil, err
			}
			e, err := validate.Evaluate(m, validate.TakeRows(x, test), validate.Take(y, test))
			if err != nil {
				return nil, err
			}
			loss = append(loss, e.Error)
		}
		return loss, nil
	}, nil, folds)
	if err != nil {
		log.Fatal(err)
	}
	for g, name := range []string{"equal priors", "estimated priors"} {
		fmt.Printf("%-17s %.3f ± %.3f\n", name, cv.Mean[g], cv.SE[g])
	}
	fmt.Println("best:", cv.Best())
	// Output:
	// equal priors      0.220 ± 0.025
	// estimated priors  0.138 ± 0.014
	// best: 1
}

func ExampleMcNemar() {
	truth := []int{0, 0, 0, 0, 1, 1, 1, 1, 1, 1}
	a := []int{0, 0, 0, 0, 1, 1, 1, 1, 1, 0}
	b := []int{1, 1, 0, 0, 1, 0, 0, 0, 1, 1}
	t, err := validate.McNemar(a, b, truth)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("only a wrong: %d, only b wrong: %d, p = %.4f\n", t.OnlyA, t.OnlyB, t.P)
	// Output: only a wrong: 1, only b wrong: 5, p = 0.2188
}
