package linalg

import (
	"math"
	"sync"
)

// Packed is a matrix of which few elements need be other than 0: these are stored by their
// places until one reads it. A path has a hundred models, of which most coefficients are 0. Any number
// of goroutines may read it, nil too, which has no rows.
type Packed struct {
	Rows, Cols int

	at     []int32 // row after row; nil of a matrix that is stored as it is
	value  []float64
	unpack sync.Once
	dense  *Dense // nil before it is needed
}

// Whole returns a matrix as it is, which is kept.
func Whole(b *Dense) *Packed { return &Packed{Rows: b.Rows, Cols: b.Cols, dense: b} }

// Pack returns a matrix without gaps by the places of its elements where that takes less memory.
func Pack(b *Dense) *Packed {
	stored := 0
	for _, v := range b.Data {
		if v != 0 {
			stored++
		}
	}
	if 3*stored >= 2*len(b.Data) || len(b.Data) > math.MaxInt32 {
		return Whole(b)
	}
	c := &Packed{Rows: b.Rows, Cols: b.Cols, at: make([]int32, 0, stored), value: make([]float64, 0, stored)}
	for i, v := range b.Data {
		if v != 0 {
			c.at, c.value = append(c.at, int32(i)), append(c.value, v)
		}
	}
	return c
}

// Dims returns the numbers of rows and columns.
func (c *Packed) Dims() (rows, cols int) {
	if c == nil {
		return 0, 0
	}
	return c.Rows, c.Cols
}

// Matrix returns the matrix, for reading, and keeps it so.
func (c *Packed) Matrix() *Dense {
	if c == nil {
		return new(Dense)
	}
	if c.at != nil {
		c.unpack.Do(func() { c.dense = c.Lent() })
	}
	return c.dense
}

// Lent is Matrix for a caller who reads it a while and lets it go.
func (c *Packed) Lent() *Dense {
	if c == nil || c.at == nil {
		return c.Matrix()
	}
	return c.Copy()
}

// Copy returns a copy of the matrix, which it does not keep.
func (c *Packed) Copy() *Dense {
	if c == nil || c.at == nil {
		return c.Matrix().Clone()
	}
	b := Zeros(c.Rows, c.Cols)
	for k, i := range c.at {
		b.Data[i] = c.value[k]
	}
	return b
}
