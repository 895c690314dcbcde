package discriminant_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
)

// A fit refuses the options that it does not use, and only those.
func TestOptionsThatAFitDoesNotUse(t *testing.T) {
	x := linalgtest.Normal(1, 60, 2)
	y := make([]int, 60)
	for i := range y {
		y[i] = i % 3
		x.Row(i)[0] += 2 * float64(y[i])
	}
	costs, err := linalg.NewDense(3, 3, []float64{0, 1, 1, 1, 0, 1, 1, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	options := map[string]discriminant.Options{
		"Priors": {Priors: []float64{0.2, 0.3, 0.5}}, "Uniform": {Uniform: true}, "Costs": {Costs: costs}, "Divisor": {Divisor: discriminant.MLE},
		"Alpha": {Alpha: 0.5}, "Shrinkage": {Shrinkage: 0.5}, "Rank": {Rank: 1}, "Softmax": {Softmax: true}, "Ridge": {Ridge: 0.1},
	}
	for name, fit := range strict {
		for option, o := range options {
			m, err := fit(x, y, &o)
			var bad *sample.OptionError
			refused := errors.As(err, &bad) && bad.Name == option && strings.HasPrefix(err.Error(), "discriminant: "+option+" is ")
			if want := slices.Contains(strings.Fields(unused[name]), option); refused != want || err == nil && fmt.Sprint(m) == "<nil>" {
				t.Errorf("%s with %s: %v", name, option, err)
			}
		}
	}
}
