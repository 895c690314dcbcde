package path

import (
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// Each model of several classes of sparse rows leaves the coefficients of a feature where a common step of all,
// which changes no probability, lowers the penalty no further.
func TestSeveralClassesAreBalanced(t *testing.T) {
	const n, p, k = 300, 200, 5
	r := rand.New(rand.NewPCG(1, 37))
	x, y := linalg.Zeros(n, p), make([]float64, n)
	for i := range n {
		for range 25 {
			j := int(float64(p) * r.Float64() * r.Float64())
			x.Set(i, j, x.At(i, j)+1)
		}
		y[i] = float64(r.IntN(k))
	}
	d, err := design.New(linalgtest.Sparse(x), n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	q := newMulti(t, d.At(nil, nil), y, loss.Softmax{K: k}, Penalty{L1Ratio: 0.5})
	const lambda = 0.01
	start := q.Null()
	for at := range start {
		if at%q.Dim() > 0 {
			start[at] = 10
		}
	}
	theta, report, err := q.byColumn(lambda, start, &optimize.Control{Tol: 1e-8, MaxIter: 1, Scale: q.scale(lambda)})
	if theta == nil {
		t.Fatal(err)
	}
	pen := q.elasticNet(lambda)
	pen.Balance(theta, k)
	if least := q.f.Value(theta) + pen.Value(theta); report.Objective() > least*(1+1e-9) {
		t.Errorf("objective %v, in balance %v", report.Objective(), least)
	}
}
