package path_test

import (
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/optimize/path"
)

// A lasso of squared error with next to no penalty on the levels of many factors, of which a Hessian would be
// too large, goes on where one descent over the columns does not come to the end.
func TestDescentsOverColumnsFollowEachOther(t *testing.T) {
	linalgtest.SkipSlow(t)
	const n, factors, levels = 9000, 12, 300
	r := rand.New(rand.NewPCG(1, 2))
	start, index, y, effect := []int{0}, []int32(nil), make([]float64, n), make([]float64, factors*levels)
	for j := range effect {
		effect[j] = r.NormFloat64()
	}
	for i := range n {
		y[i] = r.NormFloat64()
		for f := range factors {
			u := r.Float64()
			j := f*levels + int(levels*u*u*u)
			index, y[i] = append(index, int32(j)), y[i]+effect[j]
		}
		start = append(start, len(index))
	}
	value := make([]float64, len(index))
	for k := range value {
		value[k] = 1
	}
	x, err := linalg.NewCSR(n, factors*levels, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	d, err := design.New(x, n, "responses", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	d.Intercept = 1
	q, err := path.New(glm.New(d, y, loss.Squared{}, nil), path.Penalty{L1Ratio: 1}, []float64{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, report, err := q.Fit(0.03, nil, &optimize.Control{Tol: 1e-8})
	t.Log(report)
	if err != nil {
		t.Error(report, err)
	}
}

// Columns of sparse rows that have one value each, in the same row, are copies. Sweeps meet smaller subgradients there than
// they leave, and models that were left for these led a hundredth of the way each.
func TestModelsOfCopiesLeadFar(t *testing.T) {
	const n, p = 60, 1500
	r := rand.New(rand.NewPCG(1, 2))
	x, y := linalg.Zeros(n, p), make([]float64, n)
	for j := range p {
		for range 1 + r.IntN(2) {
			x.Set(r.IntN(n), j, r.Float64())
		}
	}
	for i := range y {
		y[i] = float64(1 - 2*(i%2))
	}
	c := task{x: linalgtest.Sparse(x), y: y, objective: one(loss.Logistic{}), standardize: true, penalty: path.Penalty{L1Ratio: 0.5}}
	steps := 0
	for _, f := range run(t, c.problem(t), path.Settings{Count: 60}) {
		steps += f.Report.Iterations()
	}
	if steps > 300 { // 440 of models that were left
		t.Errorf("%d steps", steps)
	}
}
