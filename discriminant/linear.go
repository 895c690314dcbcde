package discriminant

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// linear is K linear functions interceptₖ + coefₖ·(x−origin), and the decision by
// them. Indicator embeds it, LDA and ReducedRank embed [linearRule].
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
//
//go:noinline // as take
func (l *linear) centered(d, row []float64) {
	copy(d, row)
	linalg.Axpy(d, -1, l.origin)
}

// residual returns the largest |Aβₖ − dₖ|ⱼ, relative to the size of its terms: σⱼΣᵢσᵢ|βₖᵢ| + |dₖ|ⱼ, and negligible·σⱼ,
// for the diagonal σ² of A.
func (l *linear) residual(a, d *linalg.Dense) float64 {
	worst := 0.0
	sd := standardDeviations(a)
	for k := range l.classes {
		b, size := l.coef.Row(k), sizeOf(l.coef.Row(k), sd)
		for j, want := range d.Row(k) {
			r := math.Abs(linalg.Dot(a.Row(j), b) - want)
			if r != 0 {
				r /= sd[j]*(size+negligible) + math.Abs(want)
			}
			worst = max(worst, r)
		}
	}
	return worst
}

func (l *linear) discriminants(dst, row []float64) {
	mustRow(row, len(l.origin))
	s, d := take(len(row))
	l.centered(d, row)
	linalg.MulVec(dst, l.coef, d, 1)
	linalg.Axpy(dst, 1, l.intercept)
	scratchPool.Put(s)
}

// Classes returns the labels, ascending.
func (l *linear) Classes() []int { return clone(l.classes) }

// Features returns p, the length of a row.
func (l *linear) Features() int { return len(l.origin) }

// Scores appends the K functions of a row, δₖ or f̂ₖ, or with costs minus the expected
// costs. O(Kp), no allocation when dst has room. It panics if row does not have p
// values.
func (l *linear) Scores(dst, row []float64) []float64 {
	return scores(dst, row, l, len(l.classes), l.costs)
}

// Predict returns the label with the largest score, the smaller of equals.
func (l *linear) Predict(row []float64) int { return predict(row, l, l.classes, l.costs) }

// PredictRows appends the labels of the rows of x. O(nKp).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], those of the storage.
func (l *linear) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
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

// Costs returns a copy of the K×K costs that decisions are made by, see [Options], nil without.
func (l *linear) Costs() *linalg.Dense { return l.costs.Clone() }

// Origin returns a copy of the point that the model computes about.
func (l *linear) Origin() []float64 { return clone(l.origin) }

// Coef returns the coefficients and the intercepts as functions of x itself: for two
// classes one row, of f = δ₁ − δ₀, which is positive where the larger label is
// predicted, and K rows of the δₖ for more. Costs do not enter.
func (l *linear) Coef() (coef *linalg.Dense, intercept []float64) {
	coef, intercept = l.coef.Clone(), clone(l.intercept)
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
	return clone(l.origin), l.coef.Clone(), clone(l.intercept)
}

// describe returns how the fit of the named model ended and the coefficients.
func (l *linear) describe(name string, r optimize.Report) string {
	if l.coef == nil {
		return name + ", not fitted"
	}
	coef, intercept := l.Coef()
	return sample.Describe(name, l.classes, len(l.origin), r, coef, intercept)
}

// linearRule is linear functions that are the discriminants δₖ of Gaussian classes.
type linearRule struct {
	linear
	priors []float64
}

// Priors returns the class probabilities πₖ.
func (r *linearRule) Priors() []float64 { return clone(r.priors) }

// LogProba appends the logarithms of the K posterior probabilities.
func (r *linearRule) LogProba(dst, row []float64) []float64 {
	return logProba(dst, row, r, len(r.classes))
}

// Proba appends the K posterior probabilities P(k | x).
func (r *linearRule) Proba(dst, row []float64) []float64 {
	return proba(dst, row, r, len(r.classes))
}

// Boundary returns the hyperplane {x: normal·x + offset = 0} between the classes
// labelled class and other, on whose positive side class has the larger
// discriminant (4.9). Costs do not enter.
//
// Error: *[linalg.ClassError] for a label that is not in the model.
func (r *linearRule) Boundary(class, other int) (normal []float64, offset float64, err error) {
	k, m, err := positions(r.classes, class, other)
	if err != nil {
		return nil, 0, err
	}
	normal = clone(r.coef.Row(k))
	linalg.Axpy(normal, -1, r.coef.Row(m))
	return normal, r.intercept[k] - r.intercept[m] - linalg.Dot(normal, r.origin), nil
}
