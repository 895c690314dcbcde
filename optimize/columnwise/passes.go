package columnwise

import (
	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize/loss"
)

// data are the rows by columns, and the passes over them.
type data struct {
	*design.Design
	y       []float64
	loss    loss.Batch
	columns *linalg.CSR // P×N, in the coordinates of the design
}

const (
	lossRows    = 1 << 11 // rows of a piece of work
	someColumns = 64      // columns of one
)

// leveled reports whether an intercept follows from the rest: the design's, or that of means
// which its rows are not moved to.
func (d *data) leveled() bool { return d.Intercept == 1 || d.Implied() }

// nonzero returns the features with a coefficient.
func (d *data) nonzero(theta []float64) (features []int) {
	for j, b := range theta[d.Intercept:] {
		if b != 0 {
			features = append(features, j)
		}
	}
	return features
}

// stored returns how many values the columns of some features store.
func (d *data) stored(features []int) (stored int) {
	for _, j := range features {
		index, _ := d.columns.Row(j)
		stored += len(index)
	}
	return stored
}

// fewStored is the share of all values below which scores are summed column by column on
// one goroutine, and not by a pass over the rows.
const fewStored = 3

// along sets f, by row, to θ·(1, x).
func (d *data) along(f, theta []float64) error {
	features := d.nonzero(theta)
	if d.stored(features) > d.columns.Stored()/fewStored {
		return d.Margins(f, theta)
	}
	level := d.LevelAt0(theta)
	for i := range f {
		f[i] = level
	}
	for _, j := range features {
		index, value := d.columns.Row(j)
		linalg.AxpyAt(f, theta[j+d.Intercept], index, value)
	}
	return nil
}

// rowwise are the scores of the rows without offsets, the residuals, the curvatures, and
// the loss.
type rowwise struct {
	f, r, v []float64
	value   float64
}

// look sets all to those at the scores.
func (d *data) look(at *rowwise) {
	at.value = 0
	type part struct {
		value float64
		f     []float64
	}
	linalg.Reduce(d.N, lossRows, d.Workers,
		func() *part { return &part{f: make([]float64, lossRows)} },
		func(q *part, lo, hi int) {
			f := q.f[:hi-lo]
			copy(f, at.f[lo:hi])
			if d.Offset != nil {
				linalg.Axpy(f, 1, d.Offset[lo:hi])
			}
			q.value = d.loss.Rows(at.r[lo:hi], at.v[lo:hi], d.y[lo:hi], f, d.WeightsOf(lo, hi))
		},
		func(q *part) { at.value += q.value })
}

// derivatives sets g to those by the features named, of the loss with residuals r.
func (d *data) derivatives(g, r []float64, features []int) {
	linalg.For(len(features), someColumns, d.Workers, func(lo, hi int) {
		for _, j := range features[lo:hi] {
			index, value := d.columns.Row(j)
			g[j+d.Intercept] = linalg.DotAt(r, index, value)
		}
	})
}
