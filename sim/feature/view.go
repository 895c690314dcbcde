package feature

import (
	"halfspace/linalg"
)

// View returns the images under t of the rows of x as a storage of rows: they are made
// as they are read, and not kept.
//
// Errors: *[linalg.ShapeError].
func View(t Transform, x linalg.Rows) (linalg.Rows, error) {
	if err := takes(t, x); err != nil {
		return nil, err
	}
	return &view{t, x}, nil
}

type view struct {
	t Transform
	x linalg.Rows
}

func (v *view) Dims() (n, p int) {
	n, _ = v.x.Dims()
	return n, v.t.Outputs()
}

func (v *view) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	p := v.t.Outputs()
	var cells []float64
	return v.x.Pass(lo, hi, func(b *linalg.Block) error {
		rows := b.AsDense()
		cells = cells[:0]
		for i := range rows.Rows {
			cells = v.t.Apply(cells, rows.Row(i))
		}
		return visit(&linalg.Block{At: b.At, Dense: &linalg.Dense{Rows: rows.Rows, Cols: p, Stride: p, Data: cells}})
	})
}
