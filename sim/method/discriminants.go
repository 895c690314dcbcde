package method

import (
	"errors"
	"math"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/optimize"
	"halfspace/sim/dataset"
)

// closed is part of the entries whose models judge themselves by the equations of a closed form.
type closed struct{}

func (closed) audit(m fitted, x linalg.Rows, d *dataset.Data, o *Options) (*optimize.Audit, error) {
	return o.audit(m.(interface {
		Audit(x linalg.Rows, y []int, o *discriminant.Options) (*optimize.Audit, error)
	}).Audit, x, d)
}

// audit calls of, the Audit of a model, for the rows of d with the options that o has for them.
func (o *Options) audit(of func(linalg.Rows, []int, *discriminant.Options) (*optimize.Audit, error), x linalg.Rows, d *dataset.Data) (*optimize.Audit, error) {
	do, err := o.weighed(d)
	if err != nil {
		return nil, err
	}
	return of(x, d.Labels, do)
}

type indicator struct {
	noNotes
	closed
}

func (indicator) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	do, err := o.weighed(d)
	if err != nil {
		return nil, err
	}
	return some(discriminant.FitIndicator(x, d.Labels, do))
}

func (indicator) empty() fitted { return new(discriminant.Indicator) }

func (indicator) formula(m fitted, about []float64) *Formula {
	f, link := m.(*discriminant.Indicator), Clip
	if f.Softmax() {
		link = Softmax
	}
	return aboutOrigin(f, about, link)
}

type lda struct{ closed }

// notes has what R's print of an lda shows.
func (lda) notes(m fitted, _ [][]float64) Notes {
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

type rrlda struct{ closed }

func (rrlda) notes(m fitted, _ [][]float64) Notes {
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

func (qda) fitMoments(m *moments.ByClass, s *dataset.Schema, o *Options) (fitted, error) {
	return some(discriminant.QDAFromMoments(m, o.discriminant(s.Names)))
}

// owns tells qda's models from those of rda, which are of the same type.
func (qda) owns(m fitted) bool { return m.(*discriminant.QDA).Alpha() == 1 }

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

// keep sets the α and the shrinkage of the model.
func (rda) keep(m fitted, o *Options) {
	if q := m.(*discriminant.QDA); o.Alpha == 0 && o.Shrinkage == 0 {
		o.Alpha, o.Shrinkage = q.Alpha(), q.Shrinkage()
	}
}

// audit judges at the α and the shrinkage of the options, also where both are 0: keep has set those of the
// model where none are given.
func (rda) audit(m fitted, x linalg.Rows, d *dataset.Data, o *Options) (*optimize.Audit, error) {
	return o.audit(m.(*discriminant.QDA).AuditAt, x, d)
}

func (rda) parameter() string { return "alpha" }

func (rda) sweeps() string { return "alpha" }

// path goes from α = 0, lda, to α = 1, qda, in equal steps.
func (rda) path(x linalg.Rows, d *dataset.Data, o *Options, grid []float64, count int) ([]pathFit, error) {
	do, err := o.weighed(d)
	if err != nil {
		return nil, err
	}
	for i := range count {
		if len(grid) < count {
			grid = append(grid, float64(i)/float64(max(1, count-1)))
		}
	}
	do.Alpha = 0
	models, err := discriminant.FitRDAPath(x, d.Labels, grid, do)
	var points []pathFit
	for i, m := range models {
		points = append(points, pathFit{grid[i], math.NaN(), math.NaN(), m})
	}
	return points, err
}

// quadratic is the common part of qda and rda, whose model is a
// *[discriminant.QDA].
type quadratic struct{ closed }

func (quadratic) empty() fitted { return new(discriminant.QDA) }

// formula has the class covariances' factors, and log πₖ − ½ log |Σₖ| at the means.
func (quadratic) formula(m fitted, about []float64) *Formula {
	q := m.(*discriminant.QDA)
	f := &Formula{Rule: Argmax, Link: Softmax, Costs: rowsOf(q.Costs())}
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

func (quadratic) notes(m fitted, _ [][]float64) Notes {
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
