package exchange

import (
	"testing"

	"halfspace/linalg"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
)

// A feature that is the bias in every row leaves a sparse table sparse, also behind a step that divides; the bias is not divided.
func TestTheBiasIsAColumnOfSparseTables(t *testing.T) {
	const p = 1 << 18
	x, err := linalg.NewCSR(3, p, []int{0, 1, 1, 2}, []int32{5, p - 1}, []float64{2, 3})
	if err != nil {
		t.Fatal(err)
	}
	scale, err := feature.FitScale(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, steps := range []feature.Chain{nil, {}, {scale}} {
		d, err := withBias(steps, &dataset.Data{Sparse: x, Labels: []int{0, 1, 0}}, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		if d.Sparse == nil {
			t.Fatalf("%d steps: a dense copy", len(steps))
		}
		want := 3.0
		if len(steps) > 0 {
			_, scaled := feature.ApplySparse(scale, x).Row(2)
			want = scaled[0]
		}
		index, value := d.Sparse.Row(2)
		if n, q := d.Dims(); n != 3 || q != p+1 || len(value) != 2 || value[0] != want || index[1] != p || value[1] != 0.5 || len(d.Labels) != 3 {
			t.Errorf("%d steps: %d×%d, row 2 has %v at %v", len(steps), n, q, value, index)
		}
	}
}
