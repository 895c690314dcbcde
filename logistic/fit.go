package logistic

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Fit fits a logistic regression of the labels y on the rows of x; nil options
// are the defaults: maximum likelihood with an intercept.
//
// Errors: *[linalg.ShapeError], *[linalg.SizeError], *[linalg.NonFiniteError],
// *[sample.OptionError], *[sample.WeightError], *[linalg.ClassError] for bad
// input; without a penalty *[linalg.RankError] for columns that depend on the
// others, *[SeparationError] for classes that a hyperplane separates. With an
// error that wraps [optimize.ErrNotConverged] the model is not nil: it is the
// last point.
func Fit(x linalg.Matrix, y []int, o *Options) (*Model, error) {
	if o == nil {
		o = &Options{}
	}
	m, err := fit(x, y, o)
	if err != nil {
		err = fmt.Errorf("logistic: %w", err)
	}
	return m, err
}

func fit(x linalg.Matrix, y []int, o *Options) (*Model, error) {
	dense, ok := x.(*linalg.Dense)
	if !ok && x != nil {
		return nil, fmt.Errorf("a %T is not supported, want a *linalg.Dense", x)
	}
	d, err := newDesign(dense, len(y), "labels", o)
	if err != nil {
		return nil, err
	}
	labels, err := sample.Code(y, o.Classes, o.Weights)
	if err != nil {
		return nil, err
	}
	return fitBinary(d, labels, o)
}

// targets returns the responses 0 and 1.
func targets(code []int) []float64 {
	t := make([]float64, len(code))
	for i, c := range code {
		t[i] = float64(c)
	}
	return t
}

func fitBinary(d *design, labels sample.Labels, o *Options) (*Model, error) {
	if err := o.checkOffset(d.n, 1); err != nil {
		return nil, err
	}
	if err := o.checkStart(d.dim()); err != nil {
		return nil, err
	}
	m, err := d.measure(o.Standardize)
	if err != nil {
		return nil, err
	}
	b := newBinary(d, targets(labels.Code), d.ridges(m, o))
	start := make([]float64, d.dim())
	switch {
	case o.Start != nil && d.intercept == 1:
		d.theta(start, o.Start[0], o.Start[1:])
	case o.Start != nil:
		d.theta(start, 0, o.Start)
	case d.intercept == 1:
		start[0] = math.Log(labels.Count[1] / labels.Count[0])
	}
	theta, report, notConverged := optimize.Newton(b, start, d.control(m, o, 1))
	if theta == nil {
		return nil, notConverged
	}
	if free := d.unpenalised(b.ridge); free != nil && !stopped(report) {
		if err := b.verify(theta, labels.Code, free); err != nil {
			return nil, err
		}
	}
	method := likelihood
	if o.penalised() {
		method = ridge
	}
	coef := linalg.Zeros(1, d.p)
	b0 := d.coef(coef.Row(0), theta)
	return newModel(labels.Classes, coef, []float64{b0}, d.origin, method, report), notConverged
}

// stopped reports whether the caller ended the fit before it could tell.
func stopped(r optimize.Report) bool { return r.Status == optimize.Stopped }

// ridges returns the ridge by parameter of one function, nil without a penalty.
func (d *design) ridges(m *moments, o *Options) []float64 {
	if !o.penalised() {
		return nil
	}
	r := make([]float64, d.dim())
	for j, u := range d.unit {
		s := 1 / u
		if m.sd != nil {
			s = m.sd[j]
		}
		r[j+d.intercept] = o.Lambda * (1 - o.L1Ratio) * o.factor(j) * s * s
	}
	return r
}

// unpenalised returns the features without a penalty; nil if there are none or
// only the intercept.
func (d *design) unpenalised(ridge []float64) []int {
	var free []int
	for j := range d.p {
		if ridge == nil || ridge[j+d.intercept] == 0 {
			free = append(free, j)
		}
	}
	return free
}

// control translates the options for a solver of k functions.
func (d *design) control(m *moments, o *Options, k int) *optimize.Control {
	c := &optimize.Control{Tol: o.tol(), MaxIter: o.MaxIter, Scale: make([]float64, 0, k*d.dim())}
	for range k {
		for _, s := range m.size {
			if s == 0 {
				s = 1 // a column of zeros: its derivative is 0
			}
			c.Scale = append(c.Scale, s)
		}
	}
	if o.Trace != nil {
		c.Trace = d.trace(o.Trace, k)
	}
	return c
}

// trace lets the caller's trace see parameters laid out as Options.Start.
func (d *design) trace(call func(optimize.Step) error, k int) func(optimize.Step) error {
	dim := d.dim()
	public := make([]float64, k*dim)
	return func(s optimize.Step) error {
		for c := range k {
			from, to := s.X[c*dim:(c+1)*dim], public[c*dim:(c+1)*dim]
			b0 := d.coef(to[d.intercept:], from)
			if d.intercept == 1 {
				to[0] = b0 - linalg.Dot(to[1:], d.origin)
			}
		}
		s.X = public
		return call(s)
	}
}

// verify makes sure that the end of an unpenalised fit is a maximum of the
// likelihood: it returns a *[linalg.RankError] or a *[SeparationError] where
// there is none, and nil otherwise. free are the features without a penalty.
//
// At a maximum the Newton step H⁻¹g moves no row. Where the classes are
// separated it still moves rows by about 1, however small the gradient has
// become. Σ wᵢpᵢ(1−pᵢ)(movement)² = gᵀH⁻¹g bounds the movement without a pass over
// the rows; only in doubt is it computed, and only if it is large is the
// question decided by [design.separate].
func (b *binary) verify(theta []float64, code []int, free []int) error {
	if len(free) == b.p {
		free = nil
	}
	c, err := linalg.NewCholesky(b.last.h)
	if err != nil || !independent(b.last.h, c) {
		if err := b.rank(free); err != nil {
			return err
		}
	}
	if err == nil {
		step := slices.Clone(b.last.g)
		c.Solve(step)
		if linalg.Dot(b.last.g, step) <= 0.01*b.last.minWeight || b.widest(step) <= 0.1 {
			return nil
		}
	}
	if e := b.separation(code, [][]float64{make([]float64, b.dim()), theta}); e != nil && free == nil {
		return e
	}
	if f := b.separate(code, 2, free); f != nil {
		if e := b.separation(code, f); e != nil {
			return e
		}
	}
	return nil
}
