package exchange

import (
	"testing"

	"halfspace/linalg"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
)

// A feature that is the bias in every row leaves a sparse table sparse: a dense copy of this one takes 400 MB.
func TestTheBiasIsAColumnOfSparseTables(t *testing.T) {
	const p = 1 << 24
	x, err := linalg.NewCSR(3, p, []int{0, 1, 1, 2}, []int32{5, p - 1}, []float64{2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, steps := range []feature.Chain{nil, {}} {
		d, err := withBias(steps, &dataset.Data{Sparse: x, Labels: []int{0, 1, 0}}, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		index, value := d.Sparse.Row(2)
		if n, q := d.Dims(); n != 3 || q != p+1 || len(value) != 2 || index[1] != p || value[1] != 0.5 || len(d.Labels) != 3 {
			t.Errorf("%d×%d, row 2 has %v at %v", n, q, value, index)
		}
	}
}
