package linalg_test

import (
	"errors"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

func TestLower(t *testing.T) {
	l, err := linalg.UnpackLower([]float64{1, 2, 3, 4, 5, 6}, 3)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "triangle", l.Data, []float64{1, 0, 0, 2, 3, 0, 4, 5, 6}, 0)
	linalgtest.CloseSlice(t, "packed", linalg.PackLower(l), []float64{1, 2, 3, 4, 5, 6}, 0)
	c, err := linalg.CholeskyOf(l)
	if err != nil {
		t.Fatal(err)
	}
	b := []float64{1, 8, 32} // L·(1, 2, 3)ᵀ
	linalg.SolveLower(c.L(), b)
	linalgtest.CloseSlice(t, "solution", b, []float64{1, 2, 3}, 1e-15)
	if _, err := linalg.UnpackLower([]float64{1, 2}, 2); err == nil {
		t.Error("two values unpacked as a 2×2 triangle")
	}
	// 65536·65537/2 is 32768 in 32 bits.
	if _, err := linalg.UnpackLower(make([]float64, 32768), 65536); err == nil {
		t.Error("a short file asked for 32 GB")
	}
	l.Set(1, 1, 0)
	var pivot *linalg.PivotError
	if _, err := linalg.CholeskyOf(l); !errors.As(err, &pivot) || pivot.Pivot != 1 {
		t.Errorf("zero pivot: %v", err)
	}
}
