package logistic

import (
	"math"
	"sync/atomic"

	"halfspace/linalg"
)

// coefficients are those of a model, a row for each function. A path has a hundred models with
// few that are not 0: they are stored by their places until a row is scored.
type coefficients struct {
	rows, cols int
	at         []int32 // row after row
	value      []float64

	dense atomic.Pointer[linalg.Dense] // nil before it is needed
}

// allOf returns the coefficients of a matrix, which is kept.
func allOf(b *linalg.Dense) *coefficients {
	c := &coefficients{rows: b.Rows, cols: b.Cols}
	c.dense.Store(b)
	return c
}

// packed returns the coefficients of a matrix without gaps, by their places where that takes less memory.
func packed(b *linalg.Dense) *coefficients {
	stored := 0
	for _, v := range b.Data {
		if v != 0 {
			stored++
		}
	}
	if 3*stored >= 2*len(b.Data) || len(b.Data) > math.MaxInt32 {
		return allOf(b)
	}
	c := &coefficients{rows: b.Rows, cols: b.Cols, at: make([]int32, 0, stored), value: make([]float64, 0, stored)}
	for i, v := range b.Data {
		if v != 0 {
			c.at, c.value = append(c.at, int32(i)), append(c.value, v)
		}
	}
	return c
}

// Dims returns the numbers of functions and features, 0 of no model.
func (c *coefficients) Dims() (functions, features int) {
	if c == nil {
		return 0, 0
	}
	return c.rows, c.cols
}

// matrix returns the coefficients, for reading, and keeps them so.
func (c *coefficients) matrix() *linalg.Dense {
	if c == nil {
		return new(linalg.Dense)
	}
	b := c.dense.Load()
	if b == nil {
		c.dense.CompareAndSwap(nil, c.lent())
		b = c.dense.Load()
	}
	return b
}

// lent is matrix for the caller alone, who reads it a while and lets it go.
func (c *coefficients) lent() *linalg.Dense {
	if c == nil || c.dense.Load() != nil {
		return c.matrix()
	}
	b := linalg.Zeros(c.rows, c.cols)
	for k, i := range c.at {
		b.Data[i] = c.value[k]
	}
	return b
}
