package discriminant

import (
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

// linear is K linear functions interceptₖ + coefₖ·(x−origin), and the decision by
// them. LDA, its reduced-rank form and the indicator regression embed it.
type linear struct {
	classes   []int
	origin    []float64
	coef      *linalg.Dense // K×p
	intercept []float64     // about the origin
	costs     *linalg.Dense
}

// check returns an error where scores leave the range of floating point.
func (l *linear) check() error {
	for k, b := range l.intercept {
		if err := record.CheckAffine(l.coef.Row(k), l.origin, b); err != nil {
			return err
		}
	}
	return nil
}

// centered copies row − origin to d.
func (l *linear) centered(d, row []float64) {
	copy(d, row)
	linalg.Axpy(d, -1, l.origin)
}

func (l *linear) discriminants(dst, row []float64) {
	mustRow(row, len(l.origin))
	s := scratchPool.Get().(*scratch)
	d := s.take(len(row))
	l.centered(d, row)
	linalg.MulVec(dst, l.coef, d, 1)
	linalg.Axpy(dst, 1, l.intercept)
	scratchPool.Put(s)
}

// predictRows appends the classes of the rows of x, block by block.
func (l *linear) predictRows(dst []int, x linalg.Rows) ([]int, error) {
	p, k := len(l.origin), len(l.classes)
	dst, err := sample.PredictBlocks(dst, x, p, p+k, nil, func() func([]int, *linalg.Dense) {
		var v []float64
		return func(out []int, rows *linalg.Dense) {
			v = slices.Grow(v[:0], rows.Rows*k)[:rows.Rows*k]
			score := &linalg.Dense{Rows: rows.Rows, Cols: k, Stride: k, Data: v}
			linalg.Affine(score, rows, l.origin, l.coef, l.intercept)
			for i := range out {
				byCost(score.Row(i), l.costs)
			}
			linalg.ArgMaxRows(out, score)
			for i, k := range out {
				out[i] = l.classes[k]
			}
		}
	})
	return dst, wrap(err)
}

// Origin returns a copy of the point that the model computes about.
func (l *linear) Origin() []float64 { return slices.Clone(l.origin) }

// Coef returns the coefficients and the intercepts as functions of x itself: for two
// classes one row, of f = δ₁ − δ₀, which is positive where the larger label is
// predicted, and K rows of the δₖ for more. Costs do not enter.
func (l *linear) Coef() (coef *linalg.Dense, intercept []float64) {
	coef, intercept = l.coef.Clone(), slices.Clone(l.intercept)
	if len(l.classes) == 2 {
		f := coef.Row(1)
		linalg.Axpy(f, -1, coef.Row(0))
		coef, _ = linalg.NewDense(1, len(f), f)
		intercept = []float64{intercept[1] - intercept[0]}
	}
	for k := range intercept {
		intercept[k] -= linalg.Dot(coef.Row(k), l.origin)
	}
	return coef, intercept
}

// CoefAbout returns the origin c with the K×p coefficients and K intercepts of
// δₖ(x) = interceptₖ + coefₖ·(x−c), also for two classes: functions that keep all digits
// where x is far from 0.
func (l *linear) CoefAbout() (origin []float64, coef *linalg.Dense, intercept []float64) {
	return slices.Clone(l.origin), l.coef.Clone(), slices.Clone(l.intercept)
}

// boundary returns the hyperplane between the classes labelled class and other.
func (l *linear) boundary(class, other int) (normal []float64, offset float64, err error) {
	k, m, err := positions(l.classes, class, other)
	if err != nil {
		return nil, 0, err
	}
	normal = slices.Clone(l.coef.Row(k))
	linalg.Axpy(normal, -1, l.coef.Row(m))
	return normal, l.intercept[k] - l.intercept[m] - linalg.Dot(normal, l.origin), nil
}
