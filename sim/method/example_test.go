package method_test

import (
	"fmt"

	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

func Example() {
	m, err := method.Named("lda")
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := m.Fit(dataset.Iris(), new(method.Options))
	if err != nil {
		fmt.Println(err)
		return
	}
	k := model.Classifier().Predict([]float64{5.1, 3.5, 1.4, 0.2})
	fmt.Println(model.Schema.Names[k])
	// Output: setosa
}
