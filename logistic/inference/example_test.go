package inference_test

import (
	"fmt"
	"os"

	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/logistic/inference"
)

func ExampleOf() {
	// Hours of study, and whether the exam was passed.
	x, _ := linalg.NewDense(8, 1, []float64{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4})
	y := []int{0, 0, 1, 0, 1, 0, 1, 1}
	m, err := logistic.Fit(x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	inf, err := inference.Of(m, x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	const hours = 1 // Terms[0] is the intercept
	fmt.Printf("an hour: %.2f, standard error %.2f, p = %.3f\n", inf.Estimate[hours], inf.SE[hours], inf.P[hours])
	lo, hi := inf.Wald(0.95)
	fmt.Printf("95 %% by the estimate's spread:   %.2f to %.2f\n", lo[hours], hi[hours])
	from, to, err := inf.Profile(hours, 0.95)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("95 %% by the likelihood's profile: %.2f to %.2f\n", from, to)
	tests, err := inf.Drop(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("without it: χ² = %.2f, p = %.3f\n", tests[0].Statistic, tests[0].P)
	// Output:
	// an hour: 1.19, standard error 0.86, p = 0.169
	// 95 % by the estimate's spread:   -0.51 to 2.88
	// 95 % by the likelihood's profile: -0.22 to 3.52
	// without it: χ² = 2.64, p = 0.104
}

func ExampleOfCounts() {
	// Beetles killed by carbon disulphide (Bliss 1935), by log₁₀ of the dose.
	dose, _ := linalg.NewDense(8, 1, []float64{1.6907, 1.7242, 1.7552, 1.7842, 1.8113, 1.8369, 1.8610, 1.8839})
	killed := []float64{6, 13, 18, 28, 52, 53, 61, 60}
	beetles := []float64{59, 60, 62, 56, 63, 59, 62, 60}
	m, err := logistic.FitCounts(dose, killed, beetles, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	inf, err := inference.OfCounts(m, dose, killed, beetles, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	inf.WriteSummary(os.Stdout, []string{"log10 dose"}, nil)
	// Output:
	//                Estimate  Std. Error  z value  Pr(>|z|)
	//   (Intercept)   -60.717      5.1807  -11.720    <2e-16 ***
	//   log10 dose     34.270      2.9121   11.768    <2e-16 ***
	// Signif. codes: 0 '***' 0.001 '**' 0.01 '*' 0.05 '.' 0.1 ' ' 1
	//
	//     Null deviance: 284.20 on 7 degrees of freedom
	// Residual deviance: 11.232 on 6 degrees of freedom
	// AIC: 41.430  BIC: 41.589
}
