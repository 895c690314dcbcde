package discriminant_test

import (
	"errors"
	"fmt"
	"math"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/moments"
)

// Two classes of three points each, one above the other.
func points() (*linalg.Dense, []int) {
	x, err := linalg.FromRows([][]float64{{0, 0}, {2, 0}, {1, 1}, {0, 3}, {2, 3}, {1, 4}})
	if err != nil {
		panic(err)
	}
	return x, []int{0, 0, 0, 1, 1, 1}
}

func ExampleFitLDA() {
	x, y := points()
	m, err := discriminant.FitLDA(x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	normal, offset, err := m.Boundary(1, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("class %d, probability %.3f\n", m.Predict([]float64{1, 2}), m.Proba(nil, []float64{1, 2})[1])
	fmt.Printf("boundary %.1f·x₁ + %.1f·x₂ %+.1f = 0\n", math.Abs(normal[0]), normal[1], offset)
	fmt.Println(m.Report().Status(), m.Report().Certificate().Holds())
	// Output:
	// class 1, probability 0.818
	// boundary 0.0·x₁ + 9.0·x₂ -16.5 = 0
	// direct true
}

// A column that another determines is refused, with its number; a ridge is one
// way on.
func ExampleFitLDA_collinear() {
	x, err := linalg.FromRows([][]float64{{0, 0}, {1, 2}, {3, 6}, {4, 8}, {5, 10}, {7, 14}})
	if err != nil {
		fmt.Println(err)
		return
	}
	y := []int{0, 0, 0, 1, 1, 1}
	_, err = discriminant.FitLDA(x, y, nil)
	var rank *linalg.RankError
	fmt.Println(err)
	fmt.Println(errors.As(err, &rank) && rank.Columns[0] == 1)
	m, err := discriminant.FitLDA(x, y, &discriminant.Options{Ridge: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict([]float64{4, 8}))
	// Output:
	// discriminant: rank 1 of 2 columns; the others determine columns 1
	// true
	// 1
}

// Moments are gathered where the rows are, and merged where the model is fitted.
func ExampleLDAFromMoments() {
	x, y := points()
	var parts []*moments.ByClass
	for i := range 3 {
		m, err := moments.New(2, true)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := m.AddRows(x.RowRange(2*i, 2*i+2), y[2*i:2*i+2], nil, 0); err != nil {
			fmt.Println(err)
			return
		}
		parts = append(parts, m)
	}
	for _, m := range parts[1:] {
		if err := parts[0].Merge(m); err != nil {
			fmt.Println(err)
			return
		}
	}
	m, err := discriminant.LDAFromMoments(parts[0], nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", m.Means().Data)
	// Output: [1.0000 0.3333 1.0000 3.3333]
}

func ExampleFitReducedRank() {
	x, y := points()
	m, err := discriminant.FitReducedRank(x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	z0, z1 := m.Project(nil, x.Row(0))[0], m.Project(nil, x.Row(5))[0]
	fmt.Printf("%d coordinate, |z₀−z₅| = %.3f\n", len(m.Values()), math.Abs(z0-z1))
	// Output: 1 coordinate, |z₀−z₅| = 6.928
}

func ExampleBayes() {
	cov := linalg.Identity(2)
	a, err := discriminant.NewGaussian([]float64{0, 0}, cov)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := discriminant.NewGaussian([]float64{2, 0}, cov)
	if err != nil {
		fmt.Println(err)
		return
	}
	rule, err := discriminant.NewBayes([]int{0, 1}, []discriminant.Density{a, b}, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, _ := rule.ExactError()
	rate, se := rule.Error(nil, 10000, 1)
	fmt.Printf("exactly %.4f, simulated within 3 standard errors: %v\n", exact, math.Abs(rate-exact) < 3*se)
	// Output: exactly 0.1587, simulated within 3 standard errors: true
}
