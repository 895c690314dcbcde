package discriminant

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/linalg/sample"
	"halfspace/optimize/path"
)

// FitRDA fits regularised discriminant analysis (Friedman 1989): QDA with the
// class covariances
//
//	Σₖ(α, γ) = α·Σₖ + (1−α)·(γ·Σ + (1−γ)·σ²I),  σ² = tr Σ/p     (4.13, 4.14)
//
// between those of QDA (α = 1) and the pooled one (α = 0, γ = 1: LDA). The options
// are those of [FitQDA] with Alpha and Shrinkage = 1−γ. One pass over x:
// O(np² + Kp³) and O(Kp²) memory. For a grid of α, gather [moments.ByClass] once
// and call [RDAFromMoments] for each.
//
// Errors: as for [FitQDA].
func FitRDA(x linalg.Rows, y []int, o *Options) (*QDA, error) {
	q, err := fitRows(x, y, o, false, rda)
	return q, wrap(err)
}

// RDAFromMoments is [FitRDA] for rows whose moments are known; Weights and Workers
// are not read. O(Kp³).
func RDAFromMoments(m *moments.ByClass, o *Options) (*QDA, error) {
	q, err := fitMoments(m, nil, nil, o, rda)
	return q, wrap(err)
}

func rda(pr *problem) (*QDA, error) {
	if err := pr.o.unused("Rank", "Softmax"); err != nil {
		return nil, err
	}
	if pr.m.Pooled() {
		return nil, moments.ErrPooled
	}
	alpha, shrinkage := pr.o.Alpha, pr.o.Shrinkage
	if alpha == 0 { // one covariance for all classes, that of LDA
		cov, f, err := pr.commonCovariance()
		return pr.quadratic(0, shrinkage, func(int, *linalg.Dense) (*linalg.Dense, spd, error) { return cov, f, err })
	}
	if err := pr.checkDivisors(); err != nil {
		return nil, err
	}
	if alpha == 1 {
		return pr.quadratic(1, shrinkage, pr.ownCovariance)
	}
	if err := pr.checkDivisor(-1); err != nil {
		return nil, err
	}
	pooled := pr.pooledCovariance()
	regularize(pooled, shrinkage, 0)
	linalg.Scale(pooled.Data, 1-alpha)
	return pr.quadratic(alpha, shrinkage, func(k int, cov *linalg.Dense) (*linalg.Dense, spd, error) {
		pr.blend(cov, k, pooled)
		regularize(cov, 0, pr.o.Ridge)
		f, err := factor(cov, pr.largestValues(k))
		return cov, f, err
	})
}

// blend sets cov to α·Σₖ + common, the share of the pooled covariance.
func (pr *problem) blend(cov *linalg.Dense, k int, common *linalg.Dense) {
	copy(cov.Data, common.Data)
	if d := pr.classDivisor(k); d > 0 {
		linalg.Axpy(cov.Data, pr.o.Alpha/d, pr.m.Scatter(k).Data)
	}
}

// RDACV is a path over α with the weighted error rate of each on rows that were left
// out, NaN where some covariance was singular. A point whose covariances of all rows are
// singular has no model. [path.CV.Best] is the least error, the smallest α of equals.
type RDACV = path.Choice[*QDA]

// CrossValidateRDA estimates the error of [FitRDA] at each α: row i is predicted
// by a model fitted to the rows whose fold differs from folds[i]. The rows are
// passed over once for their moments, fold by fold, and once an α to predict.
// Options are those of FitRDA, Alpha aside; Classes nil is the classes of y.
//
// Errors: as for FitRDA; *[linalg.ShapeError] if the folds do not fit the rows or
// are fewer than two, or there is no α; *[linalg.ClassError] where the other
// folds lack a class; *[ClassRankError] if no α gave a model.
func CrossValidateRDA(x linalg.Rows, y, folds []int, alpha []float64, o *Options) (*RDACV, error) {
	dense, err := linalg.ToDense(x)
	if err != nil {
		return nil, wrap(err)
	}
	c, err := crossValidateRDA(dense, y, folds, alpha, o)
	return c, wrap(err)
}

func crossValidateRDA(x *linalg.Dense, y, folds []int, alpha []float64, o *Options) (*RDACV, error) {
	if o == nil {
		o = new(Options)
	}
	if len(alpha) == 0 {
		return nil, &linalg.ShapeError{Want: 1, WantOf: "alpha needed", Got: 0, GotOf: "given"}
	}
	for _, a := range alpha {
		if err := sample.Fraction("Alpha", a); err != nil {
			return nil, err
		}
	}
	parts, err := splitFolds(x, y, folds, o)
	if err != nil {
		return nil, err
	}
	whole, err := momentsOf(x, y, o, false)
	if err != nil {
		return nil, err
	}
	c := &RDACV{Path: &path.Path[*QDA]{Parameter: "alpha"}, CV: path.CV{Mean: make([]float64, len(alpha)), SE: make([]float64, len(alpha)), Complexity: slices.Clone(alpha)}}
	var singular error
	for i, a := range alpha {
		var rank *ClassRankError
		if c.CV.Mean[i], c.CV.SE[i], err = foldError(x, y, parts, a, o); errors.As(err, &rank) {
			singular = fmt.Errorf("alpha %g: %w", a, err)
		} else if err != nil {
			return nil, err
		}
		own, point := *o, path.Point[*QDA]{Penalty: a, DF: math.NaN(), DevRatio: math.NaN()}
		own.Alpha = a
		if point.Model, err = RDAFromMoments(whole, &own); point.Model != nil {
			point.Report = point.Model.Report()
			point.Objective = point.Report.Objective()
		} else if !errors.As(err, &rank) {
			return nil, err
		}
		c.Path.Points = append(c.Path.Points, point)
	}
	if c.CV.Best() < 0 {
		return nil, singular
	}
	return c, nil
}

// fold is the rows of one fold and the moments of all others.
type fold struct {
	rows   []int
	others *moments.ByClass
}

func splitFolds(x *linalg.Dense, y, folds []int, o *Options) ([]fold, error) {
	if _, _, err := sample.Dims(x, len(y), "labels"); err != nil {
		return nil, err
	}
	if len(folds) != x.Rows {
		return nil, &linalg.ShapeError{Want: x.Rows, WantOf: "rows", Got: len(folds), GotOf: "folds"}
	}
	ids := slices.Compact(slices.Sorted(slices.Values(folds)))
	if len(ids) < 2 {
		return nil, &linalg.ShapeError{Want: 2, WantOf: "folds needed", Got: len(ids), GotOf: "given"}
	}
	if _, err := sample.Weights(o.Weights, x.Rows); err != nil {
		return nil, err
	}
	l, err := sample.Code(y, o.Classes, o.Weights)
	if err != nil {
		return nil, err
	}
	parts, each := make([]fold, len(ids)), make([]*moments.ByClass, len(ids))
	for f, id := range ids {
		parts[f].rows, each[f], err = foldMoments(x, y, folds, id, o)
		if err != nil {
			return nil, err
		}
	}
	for f := range parts {
		if parts[f].others, err = mergeOthers(each, f); err != nil {
			return nil, err
		}
		if _, err := sample.Code(parts[f].others.Classes(), l.Classes, nil); err != nil {
			return nil, fmt.Errorf("without fold %d: %w", ids[f], err)
		}
	}
	return parts, nil
}

// foldMoments returns the rows of one fold and their moments: the other rows get
// weight 0, which spares a copy.
func foldMoments(x *linalg.Dense, y, folds []int, id int, o *Options) ([]int, *moments.ByClass, error) {
	var rows []int
	w := make([]float64, x.Rows)
	for i, f := range folds {
		if f != id {
			continue
		}
		rows = append(rows, i)
		w[i] = sample.WeightAt(o.Weights, i)
	}
	m, err := moments.New(x.Cols, false)
	if err != nil {
		return nil, nil, err
	}
	return rows, m, m.AddRows(x, y, w, o.Workers)
}

// mergeOthers returns the moments of all folds but one.
func mergeOthers(each []*moments.ByClass, but int) (*moments.ByClass, error) {
	others, err := moments.New(each[0].Features(), false)
	if err != nil {
		return nil, err
	}
	for g, m := range each {
		if g == but {
			continue
		}
		if err := others.Merge(m); err != nil {
			return nil, err
		}
	}
	return others, nil
}

// foldError returns the error rate over all folds at one α and its standard
// error; NaN with a ClassRankError.
func foldError(x *linalg.Dense, y []int, parts []fold, alpha float64, o *Options) (rate, se float64, err error) {
	opt := *o
	opt.Alpha = alpha
	var rates [][]float64
	var weights []float64
	classes := make([]int, x.Rows)
	for _, part := range parts {
		q, err := fitMoments(part.others, nil, nil, &opt, rda)
		if q == nil {
			return math.NaN(), math.NaN(), err
		}
		class := classes[:len(part.rows)]
		q.predictAt(class, x, part.rows, o.Workers)
		bad, all := 0.0, 0.0
		for i, at := range part.rows {
			w := sample.WeightAt(o.Weights, at)
			all += w
			if class[i] != y[at] {
				bad += w
			}
		}
		if all > 0 {
			rates, weights = append(rates, []float64{bad / all}), append(weights, all)
		}
	}
	cv := path.NewCV(rates, weights)
	return cv.Mean[0], cv.SE[0], nil
}
