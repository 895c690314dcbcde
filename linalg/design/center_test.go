package design_test

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// Means of 1e8 beside deviations of 1 lose no digits: the origin is the mean that exact
// arithmetic gives, rounded once. Whole numbers make it exact.
func TestCenteredAboutLargeMeans(t *testing.T) {
	const n = 5000
	x, w := linalg.Zeros(n, 2), make([]float64, n)
	total, sum, squares := 0.0, [2]float64{}, [2]float64{}
	for i := range n {
		a, b := float64(i*i%97), float64(i%7)
		copy(x.Row(i), []float64{1e8 + a, b - 1e15})
		w[i] = float64(i % 3)
		total += w[i]
		for j, v := range []float64{a, b} {
			sum[j] += w[i] * v
			squares[j] += w[i] * v * v
		}
	}
	for name, rows := range map[string]linalg.Rows{"dense": x, "blocks": linalgtest.OddBlocks{X: x}} {
		d, err := design.New(rows, n, "responses", design.Settings{Weights: w, Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		c, mean, sd, err := d.Centered()
		if err != nil {
			t.Fatal(err)
		}
		for j, shift := range []float64{1e8, -1e15} {
			m := sum[j] / total
			if c.Origin[j] != shift+m || mean[j] != shift+m {
				t.Errorf("%s: mean of column %d is %v, want %v", name, j, c.Origin[j], shift+m)
			}
			linalgtest.Close(t, "sd", sd[j], math.Sqrt(squares[j]/total-m*m), 1e-13)
		}
		if c.Dim() != 2 || d.Dim() != 3 {
			t.Errorf("%s: %d parameters with an intercept, %d without", name, d.Dim(), c.Dim())
		}
	}
}

// A row that hardly counts can hold the origin of the design at 0, far from all others:
// the first mean about it is rounded, the second one is not.
func TestCenteredInTwoRounds(t *testing.T) {
	const n, large = 4096, 4e15
	x, w := linalg.Zeros(n+1, 1), make([]float64, n+1)
	for i := 1; i <= n; i++ {
		x.Set(i, 0, large+float64(i%8))
		w[i] = 1
	}
	w[0] = 0x1p-110
	d, err := design.New(x, n+1, "responses", design.Settings{Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	c, _, sd, err := d.Centered()
	if err != nil {
		t.Fatal(err)
	}
	if c.Origin[0] != large+3.5 || math.Abs(sd[0]-math.Sqrt(5.25)) > 1e-5 {
		t.Errorf("mean %v + %v, deviation %v", large, c.Origin[0]-large, sd[0])
	}
}

// Without an intercept rows stay where they are.
func TestCenteredWithoutIntercept(t *testing.T) {
	x := linalgtest.Rows(t, []float64{1}, []float64{3})
	d, err := design.New(x, 2, "responses", design.Settings{NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	c, mean, sd, err := d.Centered()
	if err != nil {
		t.Fatal(err)
	}
	if c.Origin[0] != 0 || mean[0] != 2 || sd[0] != 1 {
		t.Errorf("origin %v, mean %v, sd %v", c.Origin, mean, sd)
	}
}

// A spread is the check of all values: one out of range is named, unless its row has
// weight 0.
func TestSpreadChecksTheRange(t *testing.T) {
	for _, v := range []float64{1e200, 1e-200, math.NaN()} {
		x := linalgtest.Normal(1, 3000, 2)
		x.Set(1, 1, v)
		w := make([]float64, 3000)
		for i := range w {
			w[i] = float64(i % 2)
		}
		for name, weights := range map[string][]float64{"weight 1": w, "no weights": nil} {
			d, err := design.New(x, 3000, "responses", design.Settings{Weights: weights})
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = d.Spread()
			var out *linalg.RangeError
			var bad *linalg.NonFiniteError
			switch {
			case v == v && !(errors.As(err, &out) && out.What == "x" && out.Row == 1 && out.Column == 1):
				t.Errorf("%s: %v", name, err)
			case v != v && !(errors.As(err, &bad) && bad.Row == 1 && bad.Col == 1):
				t.Errorf("%s: %v", name, err)
			}
		}
		if v != v {
			continue
		}
		w[1] = 0
		d, err := design.New(x, 3000, "responses", design.Settings{Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		_, sd, err := d.Spread()
		if sd := sd[1] * d.Unit[1]; err != nil || !(sd > 0.5 && sd < 2) {
			t.Errorf("a row of weight 0: deviation %v, %v", sd, err)
		}
	}
}

// Numbers of a row of weight 0 may overflow about an origin in small units, and stay
// without effect.
func TestRowOfWeightZeroOverflows(t *testing.T) {
	x := linalgtest.Rows(t, []float64{5}, []float64{math.MaxFloat64}, []float64{7})
	d, err := design.New(x, 3, "responses", design.Settings{Weights: []float64{1, 0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	c := d.At([]float64{6}, []float64{0.5})
	c.Intercept = 0
	h, err := c.Gram(c.Weights)
	if err != nil || h.At(0, 0) != 8 {
		t.Errorf("%v, %v", h, err)
	}
	part := linalg.Zeros(1, 1)
	if err := c.SubGram(part, c.Weights, []int{0}, nil); err != nil || part.At(0, 0) != 8 {
		t.Errorf("one column: %v, %v", part, err)
	}
}

// The mean of a vector is that of its rows of positive weight, to the last place.
func TestMean(t *testing.T) {
	x := linalgtest.Normal(1, 4, 1)
	d, err := design.New(x, 4, "responses", design.Settings{Weights: []float64{0x1p-60, 1, 0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	// A first round, about 2⁷⁰, loses all of the other numbers.
	if m := d.Mean([]float64{0x1p70, 1.5, math.MaxFloat64, 2.5}); m != (1024+4)/2 {
		t.Errorf("mean %v", m)
	}
}
