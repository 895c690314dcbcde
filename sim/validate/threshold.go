package validate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/sim"
)

// Cut is a cut-point between two classes on the scores of a direction: scores
// above it go to the larger label.
type Cut struct {
	At    float64
	Error float64 // weighted error rate on the rows it was chosen on
}

// BestCut returns the cut-point on the scores f of n rows that errs least on
// their labels y, of two classes; nil weights are all ones. Of the cuts with equal
// errors it is the middle of the widest gap between scores, the lowest of equals.
// Weights that are the prices of errors make it the cut of least cost. A direction of
// discrimination needs no Gaussian assumption, the cut-point of LDA does (ESL section
// 4.3, and exercise 4.2). O(n log n).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError],
// *[linalg.ClassError] unless there are two classes.
func BestCut(f []float64, y []int, weights []float64) (Cut, error) {
	c, err := bestCut(f, y, weights)
	return c, wrap(err)
}

func bestCut(f []float64, y []int, w []float64) (Cut, error) {
	if len(f) != len(y) {
		return Cut{}, &linalg.ShapeError{Want: len(f), WantOf: "scores", Got: len(y), GotOf: "labels"}
	}
	if err := linalg.CheckFinite("scores", f); err != nil {
		return Cut{}, err
	}
	total, err := sample.Weights(w, len(f))
	if err != nil {
		return Cut{}, err
	}
	l, err := sample.Code(y, nil, w)
	if err != nil {
		return Cut{}, err
	}
	if l.K() != 2 {
		return Cut{}, thirdClass(l.Classes)
	}
	c := leastErrors(f, l.Code, w)
	c.Error /= total
	return c, nil
}

// leastErrors returns the best cut of scores whose rows have code 0 or 1, with the
// weight of the rows that it gets wrong.
func leastErrors(f []float64, code []int, w []float64) Cut {
	order := make([]int, 0, len(f))
	for i := range f {
		if sample.WeightAt(w, i) > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(f[a], f[b]) })
	// The weight of the smaller label from each score on. Sums from both ends cancel
	// nothing: where no row is wrong they are exactly 0.
	above := make([]float64, len(order)+1)
	for k, i := range slices.Backward(order) {
		above[k] = above[k+1]
		if code[i] == 0 {
			above[k] += sample.WeightAt(w, i)
		}
	}
	// Below the lowest score all rows go to the larger label, above the highest none.
	best := Cut{At: math.Nextafter(f[order[0]], math.Inf(-1)), Error: above[0]}
	width, below := 0.0, 0.0
	rounding := 0x1p-52 * float64(len(order)) // the share by which sums of equal weights can differ
	for k, i := range order {
		if code[i] == 1 {
			below += sample.WeightAt(w, i)
		}
		errs, next := below+above[k+1], f[i]
		if k+1 < len(order) {
			if next = f[order[k+1]]; next == f[i] {
				continue
			}
		}
		if gap := next - f[i]; errs < best.Error*(1-rounding) || errs <= best.Error*(1+rounding) && gap > width {
			best, width = Cut{between(f[i], next), errs}, gap
		}
	}
	return best
}

// between returns a point of [a, b), the middle where rounding allows.
func between(a, b float64) float64 {
	if m := a/2 + b/2; m > a && m < b {
		return m
	}
	return a
}

// Threshold is a classifier of two classes that predicts the larger label where
// f(x) = s₁ − s₀ of the model M is above a threshold other than 0. Its scores are 0 and
// f less the threshold.
type Threshold[M sim.Classifier] struct {
	Model M
	At    float64
}

// AtThreshold returns the model with that threshold on f. The threshold on the
// probability p of the larger label is [Logit](p) where f is the log-odds: in logistic
// regression, and discriminant analysis.
//
// Errors: *[linalg.ShapeError] unless there are two classes, *[linalg.NonFiniteError].
func AtThreshold[M sim.Classifier](m M, at float64) (*Threshold[M], error) {
	err := given(m)
	if err == nil {
		err = cmp.Or(needTwo(m.Classes()), linalg.CheckFinite("threshold", []float64{at}))
	}
	if err != nil {
		return nil, wrap(err)
	}
	return &Threshold[M]{m, at}, nil
}

// Logit returns log p/(1−p), the log-odds of a probability.
func Logit(p float64) float64 { return math.Log(p) - math.Log1p(-p) }

// BestThreshold returns the model with the threshold of least cost on the rows of x,
// which it should not have been fitted to: price[k] is the cost of a row of class k that
// is taken for the other. See [BestCut].
//
// Errors: those of [ROC] and [BestCut].
func BestThreshold[M sim.Classifier](m M, x linalg.Rows, y []int, price [2]float64) (*Threshold[M], error) {
	rows, larger, err := twoClasses(m, x, y)
	if err != nil {
		return nil, wrap(err)
	}
	f, w := decisions(m, rows), make([]float64, len(y))
	for i, label := range y {
		if w[i] = price[0]; label == larger {
			w[i] = price[1]
		}
	}
	cut, err := BestCut(f, y, w)
	if err != nil {
		return nil, err
	}
	return &Threshold[M]{m, cut.At}, nil
}

// Classes returns the two labels, ascending.
func (t *Threshold[M]) Classes() []int { return t.Model.Classes() }

// Features returns p, the length of a row.
func (t *Threshold[M]) Features() int { return t.Model.Features() }

// Report says how the fit of the model ended.
func (t *Threshold[M]) Report() optimize.Report { return t.Model.Report() }

// Scores appends 0 and f(x) less the threshold, or two NaN.
func (t *Threshold[M]) Scores(dst, row []float64) []float64 {
	return t.moved(len(dst), t.Model.Scores(dst, row))
}

// ScoresSparse is Scores of a sparse row, see [sim.SparseScorer]; a model that takes none scores a dense copy.
func (t *Threshold[M]) ScoresSparse(dst []float64, index []int32, value []float64) []float64 {
	return t.moved(len(dst), scoresSparse(t.Model, dst, index, value))
}

// moved returns dst, in which the scores of the model from n on have become those at the threshold.
func (t *Threshold[M]) moved(n int, dst []float64) []float64 {
	f := dst[n+1] - dst[n] - t.At
	if dst[n], dst[n+1] = 0, f; f != f {
		dst[n] = f
	}
	return dst
}

// Predict returns the larger label where f(x) is above the threshold, else the smaller.
func (t *Threshold[M]) Predict(row []float64) int {
	var room [2]float64
	return t.side(t.Scores(room[:0], row))
}

// PredictSparse is Predict of a sparse row, see ScoresSparse.
func (t *Threshold[M]) PredictSparse(index []int32, value []float64) int {
	var room [2]float64
	return t.side(t.ScoresSparse(room[:0], index, value))
}

// side returns the label of a row with the given scores.
func (t *Threshold[M]) side(s []float64) int {
	if s[1] > 0 {
		return t.Classes()[1]
	}
	return t.Classes()[0]
}

// PredictRows appends the labels of the rows of x.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError].
func (t *Threshold[M]) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	dst, err := sample.PredictRows(dst, x, t.Features(), t)
	return dst, wrap(err)
}

// String returns the threshold and the model.
func (t *Threshold[M]) String() string {
	return fmt.Sprintf("threshold %.6g on f of\n%v", t.At, t.Model)
}

// MarshalJSON writes threshold and model; UnmarshalJSON reads them back.
func (t Threshold[M]) MarshalJSON() ([]byte, error) {
	if given(t.Model) != nil {
		return nil, wrap(record.ErrUnfitted)
	}
	return record.Plain(t)
}

// UnmarshalJSON reads what MarshalJSON wrote.
//
// Errors: those of the model, *[record.DamageError] without one of two classes.
func (t *Threshold[M]) UnmarshalJSON(data []byte) error {
	var read Threshold[M]
	if err := record.ReadPlain(data, &read); err != nil {
		return wrap(err)
	}
	if given(read.Model) != nil || needTwo(read.Model.Classes()) != nil {
		return wrap(&record.DamageError{Reason: "a threshold without a model of two classes"})
	}
	*t = read
	return nil
}

// thirdClass returns the error for more classes than two.
func thirdClass(classes []int) error {
	return &linalg.ClassError{Class: classes[2], Reason: "is a third class"}
}

// String returns the cut-point and its error.
func (r Cut) String() string {
	return fmt.Sprintf("cut at %.6g, error %.4g", r.At, r.Error)
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (r Cut) MarshalJSON() ([]byte, error) { return record.Plain(r) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *Cut) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, r) }
