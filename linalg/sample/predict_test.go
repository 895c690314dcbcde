package sample_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
)

// second predicts a row's second number.
type second struct{}

func (second) Predict(row []float64) float64 { return row[1] }

// sparseSecond predicts its negative where the row is sparse.
type sparseSecond struct{ second }

func (sparseSecond) PredictSparse(index []int32, value []float64) float64 {
	if k := slices.Index(index, 1); k >= 0 {
		return -value[k]
	}
	return 0
}

func TestPredictionsOfAnyStorage(t *testing.T) {
	for _, n := range []int{1, 300, 9000} {
		x := lt.Normal(uint64(n), n, 3)
		want, negative := []float64{7}, []float64{7}
		for i := range n {
			want, negative = append(want, x.At(i, 1)), append(negative, -x.At(i, 1))
		}
		sparse := lt.Sparse(x)
		for name, rows := range map[string]linalg.Rows{"dense": x, "blocks": lt.OddBlocks{X: x}, "sparse": sparse} {
			got, err := sample.PredictRows([]float64{7}, rows, 3, second{})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d rows, %s: %v", n, name, err)
			}
			if _, err := sample.PredictRows(nil, rows, 4, second{}); !errors.As(err, new(*linalg.ShapeError)) {
				t.Errorf("%d rows, %s: %v", n, name, err)
			}
		}
		if got, err := sample.PredictRows([]float64{7}, sparse, 3, sparseSecond{}); err != nil || !slices.Equal(got, negative) {
			t.Errorf("%d rows, by sparse predictions: %v", n, err)
		}
		x.Set(n-1, 2, math.NaN())
		for name, rows := range map[string]linalg.Rows{"dense": x, "blocks": lt.OddBlocks{X: x}} {
			var cell *linalg.NonFiniteError
			got, err := sample.PredictRows([]float64{7}, rows, 3, second{})
			if !errors.As(err, &cell) || cell.Row != n-1 || cell.Col != 2 || !slices.Equal(got, want[:1]) {
				t.Errorf("%d rows, %s: %v, %d predictions", n, name, err, len(got))
			}
		}
	}
}

// Wide rows are predicted in several pieces, which name their rows.
func TestPredictionsOfWideRows(t *testing.T) {
	const n, p = 600, 1200
	x := linalg.Zeros(n, p)
	for i := range n {
		x.Set(i, 1, float64(i))
	}
	for name, rows := range map[string]linalg.Rows{"dense": x, "blocks": lt.OddBlocks{X: x}, "sparse": lt.Sparse(x)} {
		got, err := sample.PredictRows(nil, rows, p, second{})
		if err != nil || !slices.IsSorted(got) || len(got) != n || got[n-1] != n-1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	x.Set(590, p-1, math.Inf(1))
	var cell *linalg.NonFiniteError
	if got, err := sample.PredictRows(nil, x, p, second{}); !errors.As(err, &cell) || cell.Row != 590 || cell.Col != p-1 || len(got) != 0 {
		t.Errorf("%v, %d predictions", err, len(got))
	}
}
