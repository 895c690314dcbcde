package inference

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/linalg/tail"
	"halfspace/optimize/glm"
)

// Test is a χ² test of nested models.
type Test struct {
	Statistic float64
	DF        int
	P         float64 // probability of a larger statistic if the smaller model holds
}

func newTest(statistic float64, df int) Test {
	statistic = math.Max(statistic, 0)
	return Test{statistic, df, tail.ChiSquare(statistic, df)}
}

// LikelihoodRatio tests a model against a larger one that contains it, fitted to
// the same rows: twice the difference of the log-likelihoods is χ² with the
// difference of the numbers of parameters. That the columns of the smaller model are
// among those of the larger, or combinations of them, is for the caller to see.
//
// Errors: *[linalg.ShapeError] if the numbers of rows differ or the larger model has no
// more parameters, *[ResponseError] if the rows respond differently; one that wraps
// [ErrNoInference] for an inference without its rows, and for Firth's correction, whose
// penalty differs between the two ([Inference.Drop] keeps that of the larger).
func LikelihoodRatio(smaller, larger *Inference) (Test, error) {
	a, b := smaller.data, larger.data
	if a == nil || b == nil {
		return Test{}, errNoRows
	}
	if a.N != b.N {
		return Test{}, wrap(&linalg.ShapeError{Want: b.N, WantOf: "rows in the larger model", Got: a.N, GotOf: "in the smaller"})
	}
	for _, e := range []*fitted{a, b} {
		if e.firth {
			return Test{}, fmt.Errorf("inference: %w: the penalties of two fits with Firth's correction differ; Drop keeps one", ErrNoInference)
		}
	}
	if i := a.differs(b); i >= 0 {
		return Test{}, wrap(&ResponseError{i})
	}
	df := len(b.theta) - len(a.theta)
	if df <= 0 {
		return Test{}, wrap(&linalg.ShapeError{Want: len(a.theta) + 1, WantOf: "parameters or more in the larger model", Got: len(b.theta), GotOf: "there"})
	}
	return newTest(2*(a.value-b.value), df), nil
}

// ResponseError reports two models that were not fitted to the same responses and
// weights.
type ResponseError struct{ Row int }

func (e *ResponseError) Error() string {
	return fmt.Sprintf("row %d has another response or weight in the other model", e.Row)
}

// differs returns the first row of positive weight whose response or weight is another
// in b, −1 if there is none.
func (e *fitted) differs(b *fitted) int {
	for i := range e.N {
		w := e.Weight(i)
		if w != b.Weight(i) || e.Scores() != b.Scores() {
			return i
		}
		if w > 0 && (e.share != nil && e.share[i] != b.share[i] || e.class != nil && e.class[i] != b.class[i]) {
			return i
		}
	}
	return -1
}

// Drop tests each group of features by the likelihood ratio of the model without
// it, refitted; nil groups are the features one by one. With Firth's correction
// the coefficients are fixed at 0 and the penalty stays that of the full model.
//
// Errors: *[linalg.ShapeError] for a group of no features or one that is not the model's, and
// that of a refit that did not converge.
func (inf *Inference) Drop(groups [][]int) ([]Test, error) {
	if inf.data == nil {
		return nil, errNoRows
	}
	e := inf.data
	if groups == nil {
		for j := range e.P {
			groups = append(groups, []int{j})
		}
	}
	tests := make([]Test, len(groups))
	for i, group := range groups {
		if len(group) == 0 {
			return nil, wrap(&linalg.ShapeError{Want: 1, WantOf: "column needed", Got: 0, GotOf: "to drop"})
		}
		out := make([]bool, e.P)
		for _, j := range group {
			if j < 0 || j >= e.P {
				return nil, wrap(&linalg.ShapeError{Want: e.P, WantOf: "columns", Got: j, GotOf: "is the column to drop"})
			}
			out[j] = true
		}
		var dropped, free []int
		for c := range e.theta {
			if j := c%e.Dim() - e.Intercept; j >= 0 && out[j] {
				dropped = append(dropped, c)
			} else {
				free = append(free, c)
			}
		}
		least, err := e.least(e.without(dropped), free)
		if err != nil {
			return nil, fmt.Errorf("inference: without columns %v: %w", group, err)
		}
		tests[i] = newTest(2*(least-e.value), len(dropped))
	}
	return tests, nil
}

// without returns the point where the quadratic approximation about θ is least with some coordinates at 0. Where these
// are those of a column that another nearly repeats, the latter's coefficients take over theirs.
func (e *fitted) without(dropped []int) []float64 {
	at, m := slices.Clone(e.theta), len(dropped)
	rows, block, price := linalg.Zeros(m, len(at)), linalg.Zeros(m, m), make([]float64, m)
	for k, c := range dropped {
		rows.Set(k, c, 1)
		e.factor.Solve(rows.Row(k)) // a row of the inverse information
		price[k] = at[c]
		for l, d := range dropped[:k+1] {
			block.Set(k, l, rows.At(k, d))
		}
	}
	if factor, err := linalg.NewCholesky(block); err == nil {
		factor.Solve(price)
		for k, v := range price {
			linalg.Axpy(at, -v, rows.Row(k))
		}
	}
	for _, c := range dropped {
		at[c] = 0
	}
	return at
}

// Score is Rao's test for adding all columns of z to the model, which is not
// refitted: gᵀI⁻¹g with the gradient and the information of the larger model at
// the smaller one's estimate. O(n(p+q)²), and a copy of (x, z).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError] and *[linalg.RangeError] for
// bad input, *[linalg.SizeError] for a copy of more than 4 GB, *[linalg.RankError] where a
// column of z depends on the others, *[InformationError] where it nearly does, one that
// wraps [ErrNoInference] for Firth's correction.
func (inf *Inference) Score(z linalg.Rows) (Test, error) {
	if inf.data == nil {
		return Test{}, errNoRows
	}
	t, err := inf.data.score(z)
	return t, wrap(err)
}

// ScoreAll is Rao's test of all features: gᵀI⁻¹g at the estimate of the intercepts (and the
// offset) alone, which [LikelihoodRatio] compares with the fit. O(np²).
//
// Errors: *[InformationError] where the information is singular there; one that wraps
// [ErrNoInference] for Firth's correction, or for an inference without its rows.
func (inf *Inference) ScoreAll() (Test, error) {
	if inf.data == nil {
		return Test{}, errNoRows
	}
	t, err := inf.data.scoreAll()
	return t, wrap(err)
}

func (e *fitted) scoreAll() (Test, error) {
	if e.firth {
		return Test{}, errPenalized
	}
	free := e.intercepts()
	at, _, err := e.minimize(e.over(e.null, free), free)
	if err != nil {
		return Test{}, err
	}
	return raoAt(e.Own(), at, e.Design, len(at)-len(free))
}

// raoAt is gᵀI⁻¹g at theta.
func raoAt(f *glm.Objective, theta []float64, d *design.Design, df int) (Test, error) {
	h, g := linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta))
	f.Hess(h, g, theta)
	if err := f.Err(); err != nil {
		return Test{}, err
	}
	factor, err := factorOf(h, d)
	if err != nil || !glm.Independent(h, factor) {
		if err := d.CheckRank(nil); err != nil {
			return Test{}, err
		}
	}
	if err != nil {
		return Test{}, err
	}
	step := slices.Clone(g)
	factor.Solve(step)
	return newTest(linalg.Dot(g, step), df), nil
}

var errPenalized = fmt.Errorf("%w: Rao's test is that of the likelihood without Firth's correction", ErrNoInference)

func (e *fitted) score(z linalg.Rows) (Test, error) {
	_, q, err := sample.Dims(z, e.N, "rows of the model")
	if err != nil {
		return Test{}, err
	}
	if e.firth {
		return Test{}, errPenalized
	}
	if err := sample.Range(z, nil, e.Weights); err != nil {
		return Test{}, err
	}
	d, err := e.beside(z)
	if err != nil {
		return Test{}, err
	}
	m := e.Functions()
	theta := make([]float64, m*d.Dim())
	for k := range m {
		copy(theta[k*d.Dim():], e.theta[k*e.Dim():(k+1)*e.Dim()])
	}
	return raoAt(e.On(d), theta, d, q*m)
}

// beside returns a design of a copy of the model's columns and those of z, the former in
// the model's coordinates.
func (e *fitted) beside(z linalg.Rows) (*design.Design, error) {
	_, q := z.Dims()
	if err := linalg.CheckCopy(e.x, e.N, e.P+q); err != nil {
		return nil, err
	}
	joint := linalg.Zeros(e.N, e.P+q)
	if err := copyRows(joint, 0, e.x); err != nil {
		return nil, err
	}
	if err := copyRows(joint, e.P, z); err != nil {
		return nil, err
	}
	d, err := design.New(joint, e.N, "rows", design.Settings{Weights: e.Weights, Offset: e.Offset, NoIntercept: e.Intercept == 0, Workers: e.Workers})
	if err != nil {
		return nil, err
	}
	return d.At(append(slices.Clone(e.Origin), d.Origin[e.P:]...), append(slices.Clone(e.Unit), d.Unit[e.P:]...)), nil
}

// copyRows copies x to the columns of dst from the given one on.
func copyRows(dst *linalg.Dense, column int, x linalg.Rows) error {
	n, p := x.Dims()
	return linalg.Pass(x, 0, n, func(b *linalg.Block) error {
		for i := range b.Len() {
			b.CopyRow(dst.Row(b.At + i)[column:column+p], i)
		}
		return nil
	})
}

// String returns the statistic, its degrees of freedom and the p-value.
func (r Test) String() string {
	return fmt.Sprintf("statistic %.5g on %d degrees of freedom, p %.4g", r.Statistic, r.DF, r.P)
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (r Test) MarshalJSON() ([]byte, error) { return record.Plain(r) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *Test) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, r) }
