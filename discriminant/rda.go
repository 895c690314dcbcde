package discriminant

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/path"
)

// FitRDA fits regularised discriminant analysis (Friedman 1989; ESL §4.3.1): QDA with the
// class covariances
//
//	Σₖ(α, γ) = α·Σₖ + (1−α)·(γ·Σ + (1−γ)·σ²I),  σ² = tr Σ/p     (4.13, 4.14)
//
// between those of QDA (α = 1) and the pooled one (α = 0, γ = 1: LDA). The options
// are those of [FitQDA] with Alpha and Shrinkage = 1−γ. One pass over x:
// O(np² + Kp³) and O(Kp²) memory. For a grid of α, [FitRDAPath] makes it once.
//
// Errors: as for [FitQDA].
func FitRDA(x linalg.Rows, y []int, o *Options) (*QDA, error) {
	alpha := 0.0
	if o != nil {
		alpha = o.Alpha
	}
	q, err := fitRows(x, y, o, false, alpha, rda)
	return q, wrap(err)
}

// FitRDAPath is [FitRDA] at each α of a list, with one pass over x for the moments of all; Alpha is refused. Other storage
// than a *[linalg.Dense] is copied. With an error it returns the models before the α that has it, and with
// [optimize.ErrNotConverged] that of this α too.
func FitRDAPath(x linalg.Rows, y []int, alpha []float64, o *Options) ([]*QDA, error) {
	dense, err := linalg.ToDense(x)
	if err != nil {
		return nil, wrap(err)
	}
	if o, err = o.weighed(dense, y); err != nil {
		return nil, wrap(err)
	}
	if err := sample.Unused(o, "as the list of α stands for it", "Alpha"); err != nil {
		return nil, wrap(err)
	}
	var m *moments.ByClass
	var models []*QDA
	for _, a := range alpha {
		own := *o
		own.Alpha = a
		if m == nil {
			if err := own.refuse(dense, y, a); err != nil {
				return nil, wrap(fmt.Errorf("α = %g: %w", a, err))
			}
			if m, err = momentsOf(dense, y, o, false); err != nil {
				return nil, wrap(err)
			}
		}
		q, err := fitMoments(m, dense, y, &own, rda)
		if q != nil {
			models = append(models, q)
		}
		if err != nil {
			return models, wrap(fmt.Errorf("α = %g: %w", a, err))
		}
	}
	return models, nil
}

// RDAFromMoments is [FitRDA] for rows whose moments are known; Weights and
// ClassWeights are refused. O(Kp³).
func RDAFromMoments(m *moments.ByClass, o *Options) (*QDA, error) {
	q, err := fromMoments(m, o, rda)
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
	if alpha == 0 {
		return pr.common(shrinkage)
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
	m := mix{common: (1 - alpha) * (1 - shrinkage) / pr.pooledDivisor(), ridge: (1 - alpha) * regularize(pooled, shrinkage, 0)}
	linalg.Scale(pooled.Data, 1-alpha)
	return pr.quadratic(alpha, shrinkage, func(k int, cov *linalg.Dense) (*linalg.Dense, spd, error) {
		m := m
		copy(cov.Data, pooled.Data)
		if d := pr.classDivisor(k); d > 0 {
			m.own = alpha / d
			linalg.Axpy(cov.Data, m.own, pr.m.Scatter(k).Data)
		}
		m.ridge += regularize(cov, 0, pr.o.Ridge)
		f, err := pr.factor(cov, k, m)
		return cov, f, err
	})
}

// RDACV is a path over α with the weighted error rate of each on rows that were left
// out, NaN where some covariance was singular. A point whose covariances of all rows are
// singular has no model. [path.CV.Best] is the least error, the smallest α of equals.
type RDACV = path.Choice[*QDA]

// CrossValidateRDA estimates the error of [FitRDA] at each α: row i is predicted
// by a model fitted to the rows whose fold differs from folds[i]. The rows are
// passed over twice for their moments, in all and by fold, and once an α to predict;
// other storage than a *[linalg.Dense] is copied. The moments of F folds take O(F·K·p²) memory. Options are those of FitRDA; Alpha is refused, and Classes nil is the classes of y.
//
// Errors: as for FitRDA; *[linalg.ShapeError] if the folds do not fit the rows or
// are fewer than two, or there is no α; *[linalg.ClassError] where the other
// folds lack a class; *[linalg.RankError], in a *[ClassRankError] for α > 0, if no α gave a
// model. With [optimize.ErrNotConverged] the result is not nil: rounding left the
// certificate of some fit above its tolerance, or the trace ended it, and it has the α before.
func CrossValidateRDA(x linalg.Rows, y, folds []int, alpha []float64, o *Options) (*RDACV, error) {
	dense, err := linalg.ToDense(x)
	if err != nil {
		return nil, wrap(err)
	}
	c, err := crossValidateRDA(dense, y, folds, alpha, o)
	return c, wrap(err)
}

func crossValidateRDA(x *linalg.Dense, y, folds []int, alpha []float64, o *Options) (*RDACV, error) {
	counted := o // whose weights the errors have
	o, err := o.weighed(x, y)
	if err != nil {
		return nil, err
	}
	if err := sample.Unused(o, "as the list of α stands for it", "Alpha"); err != nil {
		return nil, err
	}
	if len(alpha) == 0 {
		return nil, &linalg.ShapeError{Want: 1, WantOf: "alpha needed", Got: 0, GotOf: "given"}
	}
	for _, a := range alpha {
		if err := sample.Fraction("Alpha", a); err != nil {
			return nil, err
		}
	}
	whole, err := momentsOf(x, y, o, false)
	if err != nil {
		return nil, err
	}
	parts, err := splitFolds(x, y, folds, o)
	if err != nil {
		return nil, err
	}
	v := &rdaFolds{x: x, y: y, o: o, parts: parts, whole: whole}
	if counted != nil {
		v.weights = counted.Weights
	}
	c := &RDACV{Path: &path.Path[*QDA]{Parameter: "alpha"}}
	for _, a := range alpha {
		point, rate, se, err := v.at(a)
		switch {
		case errors.Is(err, optimize.ErrNotConverged):
			return c, err // of the trace
		case err != nil:
			return nil, err
		}
		c.Path.Points = append(c.Path.Points, point)
		c.CV.Mean, c.CV.SE, c.CV.Complexity = append(c.CV.Mean, rate), append(c.CV.SE, se), append(c.CV.Complexity, a)
	}
	if c.CV.Best() < 0 {
		return nil, v.singular
	}
	return c, v.loose
}

// rdaFolds is a cross-validation of RDA under way.
type rdaFolds struct {
	x       *linalg.Dense
	y       []int
	weights []float64 // of the errors
	o       *Options
	parts   []fold
	whole   *moments.ByClass

	singular error // of the last fit without a model
	loose    error // of the first fit that rounding left above its tolerance
}

// fit fits the moments of all rows but some at one α; nil where a covariance is singular.
func (v *rdaFolds) fit(m *moments.ByClass, but []int, alpha float64) (*QDA, error) {
	own := *v.o
	own.Alpha, own.Weights = alpha, make([]float64, v.x.Rows)
	for i := range own.Weights {
		own.Weights[i] = sample.WeightAt(v.o.Weights, i)
	}
	for _, i := range but {
		own.Weights[i] = 0
	}
	q, err := fitMoments(m, v.x, v.y, &own, rda)
	var rank *linalg.RankError
	switch {
	case err == nil:
	case errors.As(err, &rank):
		v.singular = fmt.Errorf("alpha %g: %w", alpha, err)
	case q != nil && q.report.Err(nil) != nil:
		v.loose = cmp.Or(v.loose, fmt.Errorf("alpha %g: %w", alpha, err))
	default:
		return nil, err
	}
	return q, nil
}

// at returns the fit to all rows at one α, and the error rate over all folds with its
// standard error, NaN where the covariance of a fold is singular.
func (v *rdaFolds) at(alpha float64) (p path.Point[*QDA], rate, se float64, err error) {
	p = path.Point[*QDA]{Penalty: alpha, DF: math.NaN(), DevRatio: math.NaN()}
	if p.Model, err = v.fit(v.whole, nil, alpha); err != nil {
		return p, 0, 0, err
	}
	if p.Model != nil {
		p.Report = p.Model.Report()
		p.Objective = p.Report.Objective()
	}
	var rates [][]float64
	var weights []float64
	classes := make([]int, v.x.Rows)
	for _, part := range v.parts {
		q, err := v.fit(part.others, part.rows, alpha)
		if q == nil {
			return p, math.NaN(), math.NaN(), err
		}
		class := classes[:len(part.rows)]
		q.predictAt(class, v.x, part.rows, v.o.Workers)
		bad, all := 0.0, 0.0
		for i, at := range part.rows {
			w := sample.WeightAt(v.weights, at)
			all += w
			if class[i] != v.y[at] {
				bad += w
			}
		}
		if all > 0 {
			rates, weights = append(rates, []float64{bad / all}), append(weights, all)
		}
	}
	cv := path.NewCV(rates, weights)
	return p, cv.Mean[0], cv.SE[0], nil
}

// fold is the rows of one fold and the moments of all others.
type fold struct {
	rows   []int
	others *moments.ByClass
}

func splitFolds(x *linalg.Dense, y, folds []int, o *Options) ([]fold, error) {
	if len(folds) != x.Rows {
		return nil, &linalg.ShapeError{Want: x.Rows, WantOf: "rows", Got: len(folds), GotOf: "folds"}
	}
	ids := sample.Distinct(folds, nil)
	if len(ids) < 2 {
		return nil, &linalg.ShapeError{Want: 2, WantOf: "folds needed", Got: len(ids), GotOf: "given"}
	}
	l, err := sample.Code(y, o.Classes, o.Weights)
	if err != nil {
		return nil, err
	}
	if err := linalg.CheckSquares(2*len(ids)*l.K(), x.Cols); err != nil {
		return nil, err
	}
	parts, each := make([]fold, len(ids)), make([]*moments.ByClass, len(ids))
	for i, id := range folds {
		f, _ := slices.BinarySearch(ids, id)
		parts[f].rows = append(parts[f].rows, i)
	}
	for f, part := range parts {
		if each[f], err = foldMoments(x, y, part.rows, o); err != nil {
			return nil, err
		}
	}
	if err := mergeOthers(parts, each); err != nil {
		return nil, err
	}
	for f := range parts {
		if _, err := sample.Code(parts[f].others.Classes(), l.Classes, nil); err != nil {
			return nil, fmt.Errorf("without fold %d: %w", ids[f], err)
		}
	}
	return parts, nil
}

// foldMoments returns the moments of the rows of a fold.
func foldMoments(x *linalg.Dense, y, rows []int, o *Options) (*moments.ByClass, error) {
	own, labels := *o, make([]int, len(rows))
	if o.Weights != nil {
		own.Weights = make([]float64, len(rows))
	}
	for k, i := range rows {
		labels[k] = y[i]
		if o.Weights != nil {
			own.Weights[k] = o.Weights[i]
		}
	}
	return momentsOf(x.Select(rows), labels, &own, false)
}

// mergeOthers sets for each fold the moments of all others: of those behind it, gathered from the last one
// on, and of those before it.
func mergeOthers(parts []fold, each []*moments.ByClass) error {
	behind, err := moments.New(each[0].Features(), false)
	if err != nil {
		return err
	}
	before := behind.Clone()
	for f, own := range slices.Backward(each) {
		parts[f].others = behind.Clone()
		if err := behind.Merge(own); err != nil {
			return err
		}
	}
	for f, own := range each {
		if err := errors.Join(parts[f].others.Merge(before), before.Merge(own)); err != nil {
			return err
		}
	}
	return nil
}
