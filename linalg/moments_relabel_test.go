package linalg_test

import (
	"errors"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

func TestRelabelledPartsMergeToTheWhole(t *testing.T) {
	x := linalgtest.Normal(1, 60, 3)
	y := make([]int, 60)
	for i := range y {
		y[i] = i % 3
	}
	gather := func(lo, hi int, code map[int]int) *linalg.Moments {
		m, err := linalg.NewMoments(3, false)
		if err != nil {
			t.Fatal(err)
		}
		part := make([]int, hi-lo)
		for i := range part {
			part[i] = code[y[lo+i]]
		}
		if err := m.AddRows(x.RowRange(lo, hi), part, nil, 1); err != nil {
			t.Fatal(err)
		}
		return m
	}
	same := map[int]int{0: 0, 1: 1, 2: 2}
	other := map[int]int{0: 2, 1: 0, 2: 1}
	back := map[int]int{2: 0, 0: 1, 1: 2}
	whole, merged := gather(0, 60, same), gather(0, 30, same)
	part, err := gather(30, 60, other).Relabel(func(l int) int { return back[l] })
	if err != nil {
		t.Fatal(err)
	}
	if err := merged.Merge(part); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(merged.Classes(), whole.Classes()) || !slices.Equal(merged.Rows(), whole.Rows()) {
		t.Fatalf("classes %v, rows %v", merged.Classes(), merged.Rows())
	}
	for k := range 3 {
		linalgtest.CloseSlice(t, "mean", merged.Mean(k), whole.Mean(k), 1e-14)
		linalgtest.CloseSlice(t, "scatter", merged.Scatter(k).Data, whole.Scatter(k).Data, 1e-13)
	}
	var ce *linalg.ClassError
	if _, err := whole.Relabel(func(int) int { return 7 }); !errors.As(err, &ce) || ce.Class != 7 {
		t.Errorf("one label for all: %v", err)
	}
}
