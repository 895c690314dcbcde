package discriminant

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/linalg/sample"
)

// problem is the input of every fit: checked options and moments.
type problem struct {
	o       *Options
	m       *moments.ByClass
	classes []int
	count   []float64 // weights of the classes
	total   float64
	priors  []float64
	costs   *linalg.Dense
	p       int
	x       *linalg.Dense // the rows that m describes; nil where they are gone
	y       []int
	within  func() (*moments.Triangle, error) // of all classes together, factored once
	audited bool                              // a fit is what an audit compares a model with
}

// newProblem takes moments and the rows x and y that they describe, nil if unknown.
func newProblem(m *moments.ByClass, x *linalg.Dense, y []int, o *Options) (*problem, error) {
	if o == nil {
		o = new(Options)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, &linalg.ShapeError{Want: 1, WantOf: "row needed", Got: 0, GotOf: "rows"}
	}
	// Each class of the moments stands for all its rows.
	l, err := sample.Code(m.Classes(), o.Classes, m.Weights())
	if err != nil {
		var ce *linalg.ClassError
		if !errors.As(err, &ce) {
			return nil, err
		}
		if k := slices.Index(m.Classes(), ce.Class); k >= 0 {
			ce.Rows = m.Rows()[k]
		}
		return nil, err
	}
	pr := &problem{o: o, m: m, classes: l.Classes, count: l.Count, total: sum(l.Count), p: m.Features(), x: x, y: y}
	pr.within = sync.OnceValues(func() (*moments.Triangle, error) {
		return moments.TriangleOf(-1, x, y, o.Weights, o.Workers)
	})
	if pr.priors, err = o.resolvePriors(l.Count); err != nil {
		return nil, err
	}
	pr.costs, err = checkCosts(o.Costs, l.K())
	return pr, err
}

// fitRows fits the moments of rows, to covariances that are alpha parts those of the classes, unless rows are too few;
// pooled moments have one scatter matrix for all classes.
func fitRows[M any](x linalg.Rows, y []int, o *Options, pooled bool, alpha float64, fit func(*problem) (M, error)) (model M, err error) {
	o, err = o.weighed(x, y)
	if err != nil {
		return model, err
	}
	n, p := x.Dims()
	if n <= max(p, copiedValues/p) {
		if x, err = linalg.ToDense(x); err != nil {
			return model, err
		}
	}
	if err := o.refuse(x, y, alpha); err != nil {
		return model, err
	}
	return fitAll(x, y, o, pooled, fit)
}

// fitAll is fitRows however few they are.
func fitAll[M any](x linalg.Rows, y []int, o *Options, pooled bool, fit func(*problem) (M, error)) (model M, err error) {
	m, err := momentsOf(x, y, o, pooled)
	if err != nil {
		return model, err
	}
	dense, _ := x.(*linalg.Dense)
	return fitMoments(m, dense, y, o, fit)
}

// refuse returns the error of covariances of no more rows than columns, which are singular without a ridge: rows tell
// which columns the others determine in O(n²p), and a few copies of them, where moments take O(np²) and O(p²) memory.
func (o *Options) refuse(rows linalg.Rows, y []int, alpha float64) error {
	x, ok := rows.(*linalg.Dense)
	if !ok || x.Rows > x.Cols || o.Ridge > 0 || o.Shrinkage > 0 {
		return nil
	}
	if err := sample.Range(x, nil, o.Weights); err != nil {
		return err
	}
	counts, err := momentsOf(linalg.Zeros(x.Rows, 1), y, o, true)
	if err != nil {
		return err
	}
	pr, err := newProblem(counts, x, y, o)
	if err != nil {
		return err
	}
	k := -1 // the pooled covariance
	if err = pr.checkDivisor(k); alpha > 0 {
		k, err = 0, pr.checkDivisors() // that of the first class
	}
	if err != nil {
		return err
	}
	t, err := pr.triangle(k, mix{own: alpha, common: 1 - alpha})
	if err != nil {
		return err
	}
	return pr.ofClass(t.Check(), k)
}

// copiedValues is how many values of rows that are not dense are copied, 16 MB: a small table is
// then at hand where a covariance is close to singular.
const copiedValues = 1 << 21

// fromMoments fits moments of rows that are gone, and with them their weights.
func fromMoments[M any](m *moments.ByClass, o *Options, fit func(*problem) (M, error)) (model M, err error) {
	if o == nil {
		o = new(Options)
	}
	if err := sample.Unused(o, "as moments hold the weights of their rows", "Weights", "ClassWeights"); err != nil {
		return model, err
	}
	return fitMoments(m, nil, nil, o, fit)
}

// fitMoments fits moments; x and y are the rows that they describe, nil if unknown.
func fitMoments[M any](m *moments.ByClass, x *linalg.Dense, y []int, o *Options, fit func(*problem) (M, error)) (model M, err error) {
	pr, err := newProblem(m, x, y, o)
	if err != nil {
		return model, err
	}
	return fit(pr)
}

// weighed checks options and rows, and returns the options with the weights of classes in
// those of the rows.
func (o *Options) weighed(x linalg.Rows, y []int) (*Options, error) {
	if o == nil {
		return new(Options), new(Options).checkRows(x, y)
	}
	if err := o.checkRows(x, y); err != nil {
		return nil, err
	}
	own, err := *o, error(nil)
	own.Weights, err = sample.WeighClasses(y, o.Classes, o.Weights, o.ClassWeights)
	return &own, err
}

// checkRows checks options and rows.
func (o *Options) checkRows(x linalg.Rows, y []int) error {
	if err := o.check(); err != nil {
		return err
	}
	n, _, err := sample.Dims(x, len(y), "labels")
	if err != nil {
		return err
	}
	_, err = sample.Weights(o.Weights, n)
	return err
}

// momentsOf makes the pass over the rows.
func momentsOf(x linalg.Rows, y []int, o *Options, pooled bool) (*moments.ByClass, error) {
	_, p := x.Dims()
	m, err := moments.New(p, pooled)
	if err != nil {
		return nil, err
	}
	return m, m.AddAll(x, y, o.Weights, o.Workers)
}

// divisor returns the number that a scatter about groups means, of rows of the given
// weight, is divided by: positive, or 0 if the rows do not outnumber the means.
func (o *Options) divisor(weight float64, groups int) float64 {
	if o.Divisor == MLE {
		return weight
	}
	return max(0, weight-float64(groups))
}

// checkDivisor returns a *[linalg.ClassError] if the divisor N − K of the covariance
// of class k (−1: of the pooled one) is lost: the rows outnumber the means, but their
// weights sum to no more than the number of means, to within rounding.
func (pr *problem) checkDivisor(k int) error {
	e := &linalg.ClassError{Class: pr.classes[0], Rows: sum(pr.m.Rows()), Reason: "and the others weigh hardly more than their number, if that: there is no N − K to divide by, as the divisor MLE has N"}
	weight, groups := pr.total, len(pr.classes)
	if k >= 0 {
		e = &linalg.ClassError{Class: pr.classes[k], Rows: pr.m.Rows()[k], Reason: "weighs hardly more than 1, if that: there is no Nₖ − 1 to divide by, as the divisor MLE has Nₖ"}
		weight, groups = pr.count[k], 1
	}
	if d := weight - float64(groups); pr.o.Divisor == MLE || e.Rows <= groups || d > lostDivisor*weight {
		return nil
	}
	return e
}

// checkDivisors is checkDivisor for every class.
func (pr *problem) checkDivisors() error {
	for k := range pr.classes {
		if err := pr.checkDivisor(k); err != nil {
			return err
		}
	}
	return nil
}

// lostDivisor is the share of a weight below which its difference from a number of
// means has lost half its digits.
const lostDivisor = 1e-8

// wrap adds the package's name.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("discriminant: %w", err)
}
