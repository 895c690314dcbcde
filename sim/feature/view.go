package feature

import (
	"slices"

	"halfspace/linalg"
)

// View returns the images under t of the rows of x as a storage of rows: they are made
// as they are read, and not kept. Sparse blocks stay sparse as in [ApplySparse], and those of
// [linalg.Remote] rows are remote.
//
// Errors: *[linalg.ShapeError].
func View(t Transform, x linalg.Rows) (linalg.Rows, error) {
	if err := takes(t, x); err != nil {
		return nil, err
	}
	v := &view{t, x, AsScale(t)}
	if far, ok := x.(linalg.Remote); ok {
		return struct {
			*view
			linalg.Remote
		}{v, far}, nil
	}
	return v, nil
}

// ApplySparse returns the images of sparse rows under a transform that only divides features, see [AsScale],
// or nil if t does more, for which zeros may have to be stored, is of other columns, or x is nil.
func ApplySparse(t Transform, x *linalg.CSR) *linalg.CSR {
	if by := AsScale(t); by != nil && x != nil && takes(t, x) == nil {
		return divided(x, by)
	}
	return nil
}

func divided(x *linalg.CSR, by *Standardizer) *linalg.CSR {
	return x.Map(func(_ int, j int32, v float64) float64 { return v / by.scale(int(j)) })
}

// AsScale returns t, or the one transform of a chain, if it only divides features, as one of [FitScale] does, and nil
// if it does more. The images of zeros are then zeros.
func AsScale(t Transform) *Standardizer {
	if c, ok := t.(Chain); ok && len(c) == 1 {
		t = c[0]
	}
	s, ok := t.(*Standardizer)
	if !ok || slices.ContainsFunc(s.mean, func(m float64) bool { return m != 0 }) {
		return nil
	}
	return s
}

type view struct {
	t  Transform
	x  linalg.Rows
	by *Standardizer // t where it only divides, else nil
}

func (v *view) Dims() (n, p int) {
	n, _ = v.x.Dims()
	return n, v.t.Outputs()
}

func (v *view) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	p := v.t.Outputs()
	var cells []float64
	return v.x.Pass(lo, hi, func(b *linalg.Block) error {
		if b.CSR != nil && v.by != nil {
			return visit(&linalg.Block{At: b.At, CSR: divided(b.CSR, v.by)})
		}
		rows := b.AsDense()
		cells = cells[:0]
		for i := range rows.Rows {
			cells = v.t.Apply(cells, rows.Row(i))
		}
		return visit(&linalg.Block{At: b.At, Dense: &linalg.Dense{Rows: rows.Rows, Cols: p, Stride: p, Data: cells}})
	})
}
