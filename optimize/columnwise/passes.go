package columnwise

import (
	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize/loss"
)

// data are the rows by columns, and the passes over them.
type data struct {
	rows    *design.Design
	y       []float64
	loss    loss.Batch
	columns *linalg.CSR // P×N, in the coordinates of the design
	longest int         // the most values that one of them stores
}

// nonzero returns the features with a coefficient.
func (d *data) nonzero(theta []float64) (features []int) {
	for j, b := range theta[d.rows.Intercept:] {
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

// fewStored is the share of all values below which scores of sparse rows are summed column by column on
// one goroutine, and not by a pass over the rows. One over dense rows reads, and moves to the origin, all features.
const fewStored = 3

// along sets f, by row, to θ·(1, x).
func (d *data) along(f, theta []float64) error {
	features := d.nonzero(theta)
	if d.rows.Sparse() && d.stored(features) > d.columns.Stored()/fewStored {
		return d.rows.Margins(f, theta)
	}
	level := d.rows.LevelAt0(theta)
	for i := range f {
		f[i] = level
	}
	for _, j := range features {
		d.columns.AddRow(f, j, theta[j+d.rows.Intercept])
	}
	return nil
}

// rowwise are the residuals of the rows, the curvatures, and the loss. The scores f are for one
// evaluation.
type rowwise struct {
	f, r, v []float64
	value   float64
}

// look sets the others to those at the scores f without offsets, which it overwrites. O(n), on one
// goroutine: passes over values cost more.
func (d *data) look(at *rowwise) {
	if d.rows.Offset != nil {
		linalg.Axpy(at.f, 1, d.rows.Offset)
	}
	at.value = d.loss.Rows(at.r, at.v, d.y, at.f, d.rows.Weights)
}

// derivatives sets g to those by the features named, of the loss with residuals r.
func (d *data) derivatives(g, r []float64, features []int) {
	linalg.For(len(features), someColumns, d.rows.Workers, func(lo, hi int) {
		for _, j := range features[lo:hi] {
			g[j+d.rows.Intercept] = d.sum(r, j)
		}
	})
}

// sum returns Σ rᵢxᵢⱼ, of long columns piece by piece: rounding errors grow by the piece.
func (d *data) sum(r []float64, j int) (sum float64) {
	index, value := d.columns.Row(j)
	for lo := 0; lo < len(value); lo += piece {
		hi := min(lo+piece, len(value))
		if len(value) == len(r) { // rows without zeros
			sum += linalg.Dot(r[lo:hi], value[lo:hi])
		} else {
			sum += linalg.DotAt(r, index[lo:hi], value[lo:hi])
		}
	}
	return sum
}

const piece = 512

// additions bounds those by which a row comes into the sum of a column of so many values.
func additions(stored int) int { return min(stored, piece/4+5) + stored/piece }
