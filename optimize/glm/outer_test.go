package glm

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize/loss"
)

// The Hessian of many classes is a difference that cancels where rows are all but certain: the
// bound allows for the rounding of its terms, or proves nothing.
func TestBoundAllowsForCancelledHessians(t *testing.T) {
	const k, each = 20, 5
	x, y := linalg.Zeros(k*each, 1), make([]float64, k*each)
	for i := range y {
		y[i], x.Data[i] = float64(i%k), 1+float64(i/k)/7
	}
	d, err := design.New(x, len(y), "labels", design.Settings{NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	o := NewMulti(d, y, loss.Softmax{K: k}, Against(k, k-1), nil)
	for _, level := range []float64{1, 10, 20, 30} {
		theta := make([]float64, o.Parameters())
		theta[0] = level // rows are all but certain of the first class
		h, g := linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta))
		o.Hess(h, g, theta)
		want := 0.0
		for i, p := 0, o.probabilities(theta); i < p.Rows; i++ {
			u := x.Data[i] / d.Unit[0]
			want += p.At(i, 0) * linalg.Sum(p.Row(i)[1:]) * u * u
		}
		off := math.Abs(h.At(0, 0)/want - 1)
		b := o.newBeneath(&o.last)
		if b != nil && !(off <= b.weak) {
			t.Errorf("at %g the Hessian is off by %.2g, and %.2g is allowed for", level, off, b.weak)
		}
	}
}
