package method

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/sim/dataset"
)

type indicator struct{ noNotes }

func (indicator) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	do, err := o.weighed(d)
	if err != nil {
		return nil, err
	}
	return some(discriminant.FitIndicator(x, d.Labels, do))
}

func (indicator) empty() fitted { return new(discriminant.Indicator) }

func (indicator) formula(m fitted, about []float64) *Formula {
	return aboutOrigin(m.(*discriminant.Indicator), about, Clip)
}

type lda struct{}

// notes has what R's print of an lda shows.
func (lda) notes(m fitted, _ *linalg.Dense) Notes {
	l := m.(*discriminant.LDA)
	n := Notes{Priors: l.Priors(), Means: rowsOf(l.Means())}
	if scaling, proportion, err := l.Scaling(); err == nil {
		n.Scaling, n.Proportion = rowsOf(scaling), proportion
	}
	return n
}

func (lda) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	do, err := o.weighed(d)
	if err != nil {
		return nil, err
	}
	return some(discriminant.FitLDA(x, d.Labels, do))
}

func (lda) fitMoments(m *moments.ByClass, s *dataset.Schema, o *Options) (fitted, error) {
	return some(discriminant.LDAFromMoments(m, o.discriminant(s.Names)))
}

func (lda) empty() fitted { return new(discriminant.LDA) }

func (lda) formula(m fitted, about []float64) *Formula {
	return aboutOrigin(m.(*discriminant.LDA), about, Softmax)
}

// audit compares the estimates with those of the rows.
func (e lda) audit(m fitted, x linalg.Rows, d *dataset.Data, o *Options) (*optimize.Audit, error) {
	f, err := e.fit(x, d, o)
	if f == nil {
		return nil, err
	}
	l, fit := m.(*discriminant.LDA), f.(*discriminant.LDA)
	return residualAudit(fit.Report(), estimates{l.Priors(), l.Means(), []*linalg.Dense{l.Cov()}},
		estimates{fit.Priors(), fit.Means(), []*linalg.Dense{fit.Cov()}})
}

// estimates are priors, class means and covariances, one of each class or one for all.
type estimates struct {
	priors []float64
	means  *linalg.Dense
	covs   []*linalg.Dense
}

// residualAudit judges estimates by the largest relative residual of the equations that define
// them: |π−π̂|/π̂, |μ−μ̂|ⱼ/σ̂ⱼ and |Σ−Σ̂|ᵢⱼ/(σ̂ᵢσ̂ⱼ).
func residualAudit(fit optimize.Report, have, want estimates) (*optimize.Audit, error) {
	if have.means.Cols != want.means.Cols || have.means.Rows != want.means.Rows {
		return nil, &linalg.ShapeError{Want: have.means.Cols, WantOf: "features", Got: want.means.Cols, GotOf: "columns"}
	}
	worst := 0.0
	for k, pi := range want.priors {
		worst = max(worst, math.Abs(have.priors[k]-pi)/pi)
		cov, own := want.covs[min(k, len(want.covs)-1)], have.covs[min(k, len(have.covs)-1)]
		for i := range cov.Rows {
			sd := math.Sqrt(cov.At(i, i))
			worst = max(worst, math.Abs(have.means.At(k, i)-want.means.At(k, i))/sd)
			for j := range cov.Cols {
				worst = max(worst, math.Abs(own.At(i, j)-cov.At(i, j))/(sd*math.Sqrt(cov.At(j, j))))
			}
		}
	}
	c := fit.Certificate()
	c.Value = max(c.Value, worst)
	return optimize.NewAudit(math.NaN(), c, optimize.Report{}), nil
}

type rrlda struct{}

func (rrlda) notes(m fitted, _ *linalg.Dense) Notes {
	r := m.(*discriminant.ReducedRank)
	return Notes{Priors: r.Priors(), Scaling: rowsOf(r.Scaling()), Proportion: r.Proportion()}
}

func (rrlda) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	do, err := o.weighed(d)
	if err != nil {
		return nil, err
	}
	return some(discriminant.FitReducedRank(x, d.Labels, do))
}

// audit compares the functions of the discriminant coordinates with those of the rows: the
// coefficients, which have no basis to choose, by the standard deviations of their features,
// relative to the largest.
func (e rrlda) audit(m fitted, x linalg.Rows, d *dataset.Data, o *Options) (*optimize.Audit, error) {
	have := m.(*discriminant.ReducedRank)
	own := *o
	own.Rank = cmp.Or(o.Rank, have.Rank())
	f, err := e.fit(x, d, &own)
	if f == nil {
		return nil, err
	}
	own.Rank = 0
	l, err := lda{}.fit(x, d, &own)
	if l == nil {
		return nil, err
	}
	want, cov := f.(*discriminant.ReducedRank), l.(*discriminant.LDA).Cov()
	_, a, _ := have.CoefAbout()
	_, b, _ := want.CoefAbout()
	if a.Cols != b.Cols {
		return nil, &linalg.ShapeError{Want: a.Cols, WantOf: "features", Got: b.Cols, GotOf: "columns"}
	}
	off, size := 0.0, 0.0
	for k, pi := range want.Priors() {
		off = max(off, math.Abs(have.Priors()[k]-pi)/pi)
		for j := range b.Cols {
			size = max(size, math.Abs(b.At(k, j))*math.Sqrt(cov.At(j, j)))
		}
	}
	for k := range b.Rows {
		for j := range b.Cols {
			off = max(off, math.Abs(a.At(k, j)-b.At(k, j))*math.Sqrt(cov.At(j, j))/size)
		}
	}
	c := want.Report().Certificate()
	c.Value = max(c.Value, off)
	return optimize.NewAudit(math.NaN(), c, optimize.Report{}), nil
}

func (rrlda) fitMoments(m *moments.ByClass, s *dataset.Schema, o *Options) (fitted, error) {
	return some(discriminant.ReducedRankFromMoments(m, o.discriminant(s.Names)))
}

func (rrlda) empty() fitted { return new(discriminant.ReducedRank) }

func (rrlda) formula(m fitted, about []float64) *Formula {
	return aboutOrigin(m.(*discriminant.ReducedRank), about, Softmax)
}

type qda struct{ quadratic }

func (qda) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	do, err := o.weighed(d)
	if err != nil {
		return nil, err
	}
	return some(discriminant.FitQDA(x, d.Labels, do))
}

func (e qda) audit(m fitted, x linalg.Rows, d *dataset.Data, o *Options) (*optimize.Audit, error) {
	fit, err := e.fit(x, d, o)
	if fit == nil {
		return nil, err
	}
	return residualAudit(fit.Report(), estimatesOf(m.(*discriminant.QDA)), estimatesOf(fit.(*discriminant.QDA)))
}

// estimatesOf returns the estimates of a quadratic model.
func estimatesOf(q *discriminant.QDA) estimates {
	e := estimates{priors: q.Priors(), means: q.Means()}
	for k := range q.Classes() {
		e.covs = append(e.covs, q.Density(k).Cov())
	}
	return e
}

func (qda) fitMoments(m *moments.ByClass, s *dataset.Schema, o *Options) (fitted, error) {
	return some(discriminant.QDAFromMoments(m, o.discriminant(s.Names)))
}

type rda struct{ quadratic }

func (rda) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	do, err := o.weighed(d)
	if err != nil {
		return nil, err
	}
	return some(discriminant.FitRDA(x, d.Labels, do))
}

func (rda) fitMoments(m *moments.ByClass, s *dataset.Schema, o *Options) (fitted, error) {
	return some(discriminant.RDAFromMoments(m, o.discriminant(s.Names)))
}

func (rda) parameter() string { return "alpha" }

func (rda) sweeps() string { return "alpha" }

// path goes from α = 0, lda, to α = 1, qda, in equal steps.
func (r rda) path(x linalg.Rows, d *dataset.Data, o *Options, grid []float64, count int) ([]pathFit, error) {
	do, err := o.weighed(d)
	if err != nil {
		return nil, err
	}
	scaled := *d
	if scaled.Weights, err = sample.WeighClasses(d.Labels, do.Classes, do.Weights, do.ClassWeights); err != nil {
		return nil, err
	}
	if scaled.X, err = linalg.ToDense(x); err != nil {
		return nil, err
	}
	scaled.Sparse = nil
	part, err := Gather(&scaled, o.Workers)
	if err != nil {
		return nil, err
	}
	for i := range count {
		if len(grid) < count {
			grid = append(grid, float64(i)/float64(max(1, count-1)))
		}
	}
	var points []pathFit
	for _, alpha := range grid {
		own := *o
		own.Alpha = alpha
		m, err := r.fitMoments(part.Moments, d.Schema, &own)
		if err != nil {
			return points, fmt.Errorf("α = %g: %w", own.Alpha, err)
		}
		points = append(points, pathFit{own.Alpha, math.NaN(), math.NaN(), m})
	}
	return points, nil
}

// quadratic is the common part of qda and rda, whose model is a
// *[discriminant.QDA].
type quadratic struct{}

func (quadratic) empty() fitted { return new(discriminant.QDA) }

// formula has the class covariances' factors, and log πₖ − ½ log |Σₖ| at the means.
func (quadratic) formula(m fitted, about []float64) *Formula {
	q := m.(*discriminant.QDA)
	f := &Formula{Rule: Argmax, Link: Softmax}
	for k := range q.Classes() {
		d := q.Density(k)
		origin, deviation := d.MeanAbout()
		f.Origin, f.Mean = origin, append(f.Mean, deviation)
		l := d.Factor()
		f.L = append(f.L, rowsOf(l))
		at := math.Log(q.Priors()[k])
		for i := range l.Rows {
			at -= math.Log(l.At(i, i))
		}
		f.At = append(f.At, at)
	}
	return f
}

func (quadratic) notes(m fitted, _ *linalg.Dense) Notes {
	q := m.(*discriminant.QDA)
	return Notes{Priors: q.Priors(), Means: rowsOf(q.Means())}
}

func (quadratic) cites(err error) (classes, columns []int) {
	if rank := (*discriminant.ClassRankError)(nil); errors.As(err, &rank) {
		classes = []int{rank.Class}
	}
	return classes, nil
}

// discriminant are the options for moments of rows with those class names.
func (o *Options) discriminant(names []string) *discriminant.Options {
	do := &discriminant.Options{Priors: o.Priors, Uniform: o.Uniform, Alpha: o.Alpha, Shrinkage: o.Shrinkage, Rank: o.Rank,
		Classes: codes(names), Workers: o.Workers, Trace: o.Trace}
	if o.Divisor == "n" {
		do.Divisor = discriminant.MLE
	}
	return do
}

// weighed are the options for the rows of d.
func (o *Options) weighed(d *dataset.Data) (*discriminant.Options, error) {
	do := o.discriminant(d.Names)
	do.Weights = d.Weights
	var err error
	do.ClassWeights, err = o.classWeights(d)
	return do, err
}
