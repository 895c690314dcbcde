package design

import (
	"halfspace/linalg"
)

// Thin returns every step-th row as a design with the same coordinates. Dense rows
// that are near each other are used where they lie; a stride of 16 rows or more
// defeats the processor's prefetching, so such rows are copied. So are those of another
// storage, in one pass; sparse ones stay sparse.
func (d *Design) Thin(step int) (*Design, error) {
	t := *d
	t.spread = new(spread)
	t.N = (d.N + step - 1) / step
	t.Weights, t.Offset = Every(d.Weights, 1, step), Every(d.Offset, d.Offsets(), step)
	t.level = Every(d.level, 1, step)
	t.Total = float64(t.N)
	if t.Weights != nil {
		t.Total = linalg.Sum(t.Weights)
	}
	if x, ok := d.rows.(*linalg.Dense); ok && step < 16 {
		t.rows = &linalg.Dense{Rows: t.N, Cols: d.P, Stride: x.Stride * step, Data: x.Data}
		return &t, nil
	}
	var err error
	if t.rows, err = linalg.EveryRow(d.rows, step); err != nil {
		return nil, err
	}
	return &t, nil
}

// Every returns the k values of every step-th row, nil of nil.
//
//go:noinline // programs would have it six times
func Every[T any](v []T, k, step int) []T {
	if v == nil {
		return nil
	}
	t := make([]T, 0, (len(v)/k+step-1)/step*k)
	for i := 0; i < len(v); i += k * step {
		t = append(t, v[i:i+k]...)
	}
	return t
}

// CoprimeTo30 returns the least stride ≥ step without a common factor with 30, 1 if
// step < 4: rows often come in turns of classes, weeks or months, and a part of the
// rows should not keep step with them.
func CoprimeTo30(step int) int {
	if step < 4 {
		return 1
	}
	for step%2 == 0 || step%3 == 0 || step%5 == 0 {
		step++
	}
	return step
}
