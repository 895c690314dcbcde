package hyperplane_test

import (
	"math"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// A class of weight 3 moves the plane three times as far, counts three times in the criterion,
// and its mistakes count three times for the pocket.
func TestClassWeightsOfThePerceptron(t *testing.T) {
	x, err := linalg.FromRows([][]float64{{2}, {-1}})
	if err != nil {
		t.Fatal(err)
	}
	var steps [][]float64
	var criteria []float64
	o := &hyperplane.PerceptronOptions{ClassWeights: []float64{3, 1}, MaxEpochs: 2, Trace: func(s optimize.Step) error {
		steps, criteria = append(steps, append([]float64(nil), s.X...)), append(criteria, s.Objective)
		return nil
	}}
	// Row 2 of class 0 first: (0, 0) − 3·(1, 2), then row −1 of class 1 has f = −3 + 6 > 0.
	if _, err := hyperplane.FitPerceptron(x, []int{0, 1}, o); err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "the plane after an epoch", steps[1], []float64{-3, -6}, 0)
	o.Start, err = hyperplane.NewPlane([]float64{1}, 0) // f = 2 of class 0 and −1 of class 1: both wrong
	if err != nil {
		t.Fatal(err)
	}
	criteria = nil
	if _, err := hyperplane.FitPerceptron(x, []int{0, 1}, o); err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "the criterion of the start", criteria[0], 3*2+1, 0)
	// The pocket has the least weight of mistakes of all planes met.
	x, y := linalgtest.LabeledRows(200, 2, 2)
	for i := range y {
		if i%4 == 0 {
			y[i] = 1 - y[i]
		}
	}
	w := []float64{1, 3}
	cost := func(scores func(row []float64) float64) (c float64) {
		for i := range y {
			if sign := float64(2*y[i] - 1); !(sign*scores(x.Row(i)) > 0) {
				c += w[y[i]]
			}
		}
		return c
	}
	least := math.Inf(1)
	m, _ := hyperplane.FitPerceptron(x, y, &hyperplane.PerceptronOptions{ClassWeights: w, Pocket: true, MaxEpochs: 50, EveryUpdate: true, Trace: func(s optimize.Step) error {
		least = min(least, cost(func(row []float64) float64 { return s.X[0] + linalg.Dot(s.X[1:], row) }))
		return nil
	}})
	linalgtest.Close(t, "the weight of the mistakes", cost(m.Plane().Value), least, 0)
}
