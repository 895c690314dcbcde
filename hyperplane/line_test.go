package hyperplane

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// The rows of one feature are in order, so a plane is judged by where it cuts them: the pocket is that of the same rows
// beside a feature of zeros, whose planes are judged row by row.
func TestPocketOfOneFeatureIsThatBesideZeros(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 12))
		n := 5 + r.IntN(60)
		x, beside, y := linalg.Zeros(n, 1), linalg.Zeros(n, 2), make([]int, n)
		for i := range y {
			v := 2 * r.NormFloat64()
			if seed%2 == 0 {
				v = math.Round(v) // rows on planes, and several in one place
			}
			y[i] = i % 2
			x.Set(i, 0, v+float64(y[i]))
			beside.Set(i, 0, v+float64(y[i]))
		}
		for _, o := range []PerceptronOptions{{}, {Order: Shuffled}, {NoIntercept: true}, {ClassWeights: []float64{1, 2}}, {Start: planeAt([]float64{-3}, nil, 1)}} {
			o.Pocket, o.MaxEpochs = true, 30
			m, err := FitPerceptron(x, y, &o)
			if m == nil {
				t.Fatal(err)
			}
			if o.Start != nil {
				o.Start = planeAt([]float64{-3, 0}, nil, 1)
			}
			want, err := FitPerceptron(beside, y, &o)
			if want == nil {
				t.Fatal(err)
			}
			lt.CloseSlice(t, "plane", append(m.plane.Normal(), m.plane.Intercept()), []float64{want.plane.Normal()[0], want.plane.Intercept()}, 0)
			if m.updates != want.updates || m.misclassified != want.misclassified {
				t.Errorf("seed %d: %d steps and %d rows wrong, not %d and %d", seed, m.updates, m.misclassified, want.updates, want.misclassified)
			}
		}
	}
}

// A cut has the rows wrong that lie on it or on the other side, whichever way the plane turns.
func TestRowsWrongOfACut(t *testing.T) {
	x := &linalg.Dense{Rows: 5, Cols: 1, Stride: 1, Data: []float64{3, 1, 2, 2, 5}}
	l := newLine(x, []float64{1, -1, 1, -1, -1}, []float64{10, 1, 10, 1, 1})
	for _, c := range []struct{ b0, b, want float64 }{
		{-2, 1, 12}, {2, -1, 22}, {-2.5, 1, 11}, {2.5, -1, 12}, {0, 0, 23}, {1, 0, 3}, {-1, 0, 20}, {-6, 1, 20}, {6, -1, 3}, {0, 1, 3}, {0, -1, 20},
		{1, -1. / 3, 12}, // on the plane as its values are rounded
	} {
		lt.Close(t, "weight wrong", l.wrong(weights{c.b0, []float64{c.b}}), c.want, 0)
	}
}
