package rounds_test

import (
	"fmt"
	"log"

	"halfspace/linalg"
	"halfspace/logistic/rounds"
)

// Two machines have a part each. What goes between them are counts, a state, and sums.
func Example() {
	parts := []*rounds.Table{
		{X: &linalg.Dense{Rows: 4, Cols: 1, Stride: 1, Data: []float64{1, 2, 3, 4}}, Labels: []int{0, 0, 1, 0}},
		{X: &linalg.Dense{Rows: 3, Cols: 1, Stride: 1, Data: []float64{3, 5, 6}}, Labels: []int{0, 1, 1}},
	}
	all := new(rounds.Counts)
	for k, part := range parts {
		counts, err := rounds.Survey(part, 2)
		if err == nil && k > 0 {
			err = all.Merge(counts)
		} else {
			all = counts
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	state, err := rounds.Begin(all, rounds.Options{Lambda: 1}, nil)
	for err == nil {
		var sum *rounds.Answer
		for _, part := range parts {
			answer, bad := state.Answer(part)
			if bad == nil && sum != nil {
				bad = sum.Merge(answer)
			} else {
				sum = answer
			}
			if bad != nil {
				log.Fatal(bad)
			}
		}
		next, model, bad := state.Next(sum)
		if model != nil {
			coef, intercept := model.Coef()
			fmt.Printf("%.4f %.4f, %v\n", coef.Data, intercept, model.Report().Status())
			return
		}
		state, err = next, bad
	}
	log.Fatal(err)
	// Output: [0.8283] [-3.2167], converged
}

// A fit stands for its rows beside later ones, when they are gone.
func ExampleApproximate() {
	earlier := &rounds.Table{X: &linalg.Dense{Rows: 6, Cols: 1, Stride: 1, Data: []float64{1, 2, 3, 4, 5, 6}}, Labels: []int{0, 0, 1, 0, 1, 1}}
	later := &rounds.Table{X: &linalg.Dense{Rows: 2, Cols: 1, Stride: 1, Data: []float64{3, 4}}, Labels: []int{0, 1}}
	first, err := rounds.Fit(earlier, 2, rounds.Options{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	prior, err := rounds.Approximate(first, earlier, rounds.Options{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	model, err := rounds.Fit(later, 2, rounds.Options{}, prior)
	if err != nil {
		log.Fatal(err)
	}
	before, _ := first.Coef()
	after, _ := model.Coef()
	fmt.Printf("%.3f, with the later rows %.3f\n", before.Data, after.Data)
	// Output: [1.214], with the later rows [1.483]
}
