package columnwise

import (
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/optimize/penalty"
)

// Turns of the scores that go up and down, as those of columns that are nearly copies, end before all
// have been made.
func TestTurnsThatLeadNowhereEnd(t *testing.T) {
	const n, p, k = 40, 41, 8
	r := rand.New(rand.NewPCG(1, 33))
	x, y := linalg.Zeros(n, p), make([]float64, n)
	for i := range n {
		row := x.Row(i)
		for j := range row {
			if row[j] = r.NormFloat64(); j%2 == 1 {
				row[j] = row[j-1] + 1e-6*row[j]
			}
		}
		y[i] = float64(i % k)
	}
	d, err := design.New(x, n, "rows", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	o := glm.NewMulti(d, y, loss.Softmax{K: k}, nil, nil)
	q, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	z, set, pen := make([]float64, k*d.Dim()), []int(nil), penalty.ElasticNet{Lambda: 1e-5, L1Ratio: 1}
	for at := range z {
		set, pen.Factors = append(set, at), append(pen.Factors, float64(min(1, at%d.Dim())))
	}
	for _, tol := range []float64{1e-2, 1e-9} {
		clear(z)
		residual, curve := o.RowsAt(z)
		solved := q.Minimize(z, residual, curve, set, pen, &optimize.Control{Tol: tol})
		if ends := tol > 1e-3; solved != ends || q.cycles > 30 {
			t.Errorf("to %g: solved %v in %d cycles", tol, solved, q.cycles)
		}
	}
}
