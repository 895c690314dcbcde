package linalg_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
)

func TestSymDefEigen(t *testing.T) {
	for _, n := range sizes(t) {
		w := withValues(uint64(n), filled(n, func(k int) float64 { return 1 + float64(k%10) }))
		for name, pair := range map[string][2]*linalg.Dense{
			"random":   {symmetric(1, n), w},
			"rank one": {mul(ones(n, 1), ones(1, n)), w},
			"scales":   {onScales(symmetric(2, n)), onScales(w)},
			"zero":     {linalg.Zeros(n, n), w},
			"itself":   {w, w},
		} {
			b, w := pair[0], pair[1]
			e, err := linalg.SymDefEigen(b, w)
			if err != nil {
				t.Fatalf("%s, n = %d: %v", name, n, err)
			}
			v := e.Vectors
			size := max(math.Abs(e.Values[0]), math.Abs(e.Values[n-1]), 1e-300)
			if d := maxDiff(mul(v, w, trans(v)), linalg.Identity(n)); !(d <= 1e-12) {
				t.Errorf("%s, n = %d: VWVᵀ−I is %g", name, n, d)
			}
			if d := maxDiff(mul(v, b, trans(v)), diag(e.Values)); !(d <= 1e-12*size) {
				t.Errorf("%s, n = %d: VBVᵀ−Λ is %g, largest value %g", name, n, d, size)
			}
			for k := range n {
				if v := e.Vectors.Row(k); !slices.Contains(v, linalg.NormInf(v)) {
					t.Errorf("%s, n = %d: vector %d has its largest entry negative", name, n, k)
				}
			}
			if name == "itself" {
				for k, l := range e.Values {
					if !(math.Abs(l-1) <= 1e-13) {
						t.Errorf("value %d of (W, W) is %v", k, l)
					}
				}
			}
		}
	}
}

func TestSymDefEigenErrors(t *testing.T) {
	i3 := linalg.Identity(3)
	var pe *linalg.PivotError
	for _, bad := range []float64{0, -1} {
		w := linalg.Identity(3)
		w.Set(1, 1, bad)
		if _, err := linalg.SymDefEigen(i3, w); !errors.As(err, &pe) || pe.Pivot != 1 {
			t.Errorf("w[1][1] = %g: %v", bad, err)
		}
	}
	var nf *linalg.NonFiniteError
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		m := linalg.Identity(3)
		m.Set(2, 1, bad)
		if _, err := linalg.SymDefEigen(m, i3); !errors.As(err, &nf) {
			t.Error(err)
		}
		if _, err := linalg.SymDefEigen(i3, m); !errors.As(err, &nf) {
			t.Error(err)
		}
	}
	var se *linalg.ShapeError
	for _, pair := range [][2]*linalg.Dense{
		{linalg.Zeros(2, 2), i3}, {linalg.Zeros(3, 2), i3}, {i3, linalg.Zeros(3, 2)}, {i3, nil}, {nil, i3},
	} {
		if _, err := linalg.SymDefEigen(pair[0], pair[1]); !errors.As(err, &se) {
			t.Error(err)
		}
	}
}

// Between-class and within-class scatter of three classes in the plane: the
// ratio of the two is greatest along the last vector.
func ExampleSymDefEigen() {
	b, _ := linalg.FromRows([][]float64{{6, 0}, {0, 2}})
	w, _ := linalg.FromRows([][]float64{{2, 0}, {0, 4}})
	e, err := linalg.SymDefEigen(b, w)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", e.Values)
	fmt.Printf("%.3f\n", e.Vectors.Row(1))
	// Output:
	// [0.500 3.000]
	// [0.707 0.000]
}
