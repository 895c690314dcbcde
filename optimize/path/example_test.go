package path_test

import (
	"fmt"

	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/optimize/path"
)

// The lasso path of a logistic regression: which features come in, and what they explain.
func Example() {
	x, labels := linalgtest.LabeledRows(400, 30, 2)
	y := make([]float64, len(labels))
	for i, c := range labels {
		y[i] = float64(2*c - 1)
	}
	d, err := design.New(x, len(y), "labels", design.Settings{})
	if err != nil {
		panic(err)
	}
	if err := path.Measure(d, true); err != nil {
		panic(err)
	}
	p, err := path.New(glm.New(d, y, loss.Logistic{}, nil), path.Penalty{L1Ratio: 1}, []float64{0}, nil)
	if err != nil {
		panic(err)
	}
	err = p.Run(path.Settings{Count: 8, MinRatio: 0.05, Add: func(f path.Fit) error {
		fmt.Printf("λ %6.2f  %2d features  %4.1f %% of the deviance  %v\n", f.Lambda, f.DF, 100*f.DevRatio, f.Report.Status())
		return nil
	}})
	if err != nil {
		panic(err)
	}
	// Output:
	// λ  42.52   0 features   0.0 % of the deviance  converged
	// λ  27.72   6 features   4.3 % of the deviance  converged
	// λ  18.07   6 features   9.6 % of the deviance  converged
	// λ  11.78  10 features  12.8 % of the deviance  converged
	// λ   7.68  14 features  14.8 % of the deviance  converged
	// λ   5.00  21 features  16.3 % of the deviance  converged
	// λ   3.26  23 features  17.1 % of the deviance  converged
	// λ   2.13  25 features  17.5 % of the deviance  converged
}
