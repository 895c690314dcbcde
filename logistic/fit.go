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
// *[sample.OptionError], *[linalg.WeightError], *[linalg.ClassError] for bad
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
	dense, err := asDense(x)
	if err != nil {
		return nil, err
	}
	d, err := newDesign(dense, len(y), "labels", o)
	if err != nil {
		return nil, err
	}
	r, err := newResponse(y, o)
	if err != nil {
		return nil, err
	}
	switch {
	case o.method() == sparse:
		return fitSparse(d, r, o)
	case r.k() == 2:
		return fitBinary(d, r, o)
	}
	return fitMultinomial(d, r, o)
}

// asDense returns x as the matrix that the solvers read row by row.
func asDense(x linalg.Matrix) (*linalg.Dense, error) {
	dense, ok := x.(*linalg.Dense)
	if !ok && x != nil {
		return nil, fmt.Errorf("a %T is not supported, want a *linalg.Dense", x)
	}
	return dense, nil
}

func fitBinary(d *design, r *response, o *Options) (*Model, error) {
	if err := o.checkVectors(d.n, 1, d.dim()); err != nil {
		return nil, err
	}
	ridges, err := d.ridges(o)
	if err != nil {
		return nil, err
	}
	b := newBinary(d, r.signs(), ridges)
	start := make([]float64, d.dim())
	var h *linalg.Dense
	switch {
	case o.Start != nil:
		d.parameters(start, o.Start)
	default:
		if d.intercept == 1 {
			start[0] = math.Log(r.count[1] / r.count[0])
		}
		if !b.wide() {
			h = b.approach(start)
		}
	}
	minimise := optimize.Newton
	if b.wide() {
		minimise = func(_ optimize.Hessian, x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
			return optimize.LBFGS(b, x, 20, c)
		}
		b.pass(nil, make([]float64, d.dim()), start)
		err = b.finishSizes(b.size)
	} else {
		err = b.prime(start, h)
	}
	if err != nil {
		return nil, err
	}
	c := d.control(b.size, o, 1)
	if o.Trace != nil {
		public := make([]float64, d.dim())
		c.Trace = func(s optimize.Step) error {
			d.public(public, s.X)
			s.X = public
			return o.Trace(s)
		}
	}
	if o.Firth {
		return fitFirth(b, start, c, r)
	}
	theta, report, notConverged := minimise(b, start, c)
	if theta == nil {
		return nil, notConverged
	}
	if free := d.unpenalised(b.ridge); free != nil && report.Status != optimize.Stopped {
		functions := [][]float64{make([]float64, d.dim()), theta}
		if err := d.verify(&b.last, functions, r.code, free); err != nil {
			return nil, err
		}
	}
	return d.binaryModel(theta, r, o.method(), report), notConverged
}

func (d *design) binaryModel(theta []float64, r *response, m method, report optimize.Report) *Model {
	coef := linalg.Zeros(1, d.p)
	b0 := d.coef(coef.Row(0), theta)
	return newModel(r.classes, coef, []float64{b0}, d.origin, m, report)
}

func fitMultinomial(d *design, r *response, o *Options) (*Model, error) {
	k, dim := r.k(), d.dim()
	if o.Firth {
		return nil, &sample.OptionError{Name: "Firth", Value: 1, Want: "false for three classes and more"}
	}
	reference, err := o.reference(r.classes)
	if err != nil {
		return nil, err
	}
	if err := o.checkVectors(d.n, k, k*dim); err != nil {
		return nil, err
	}
	ridges, err := d.ridges(o)
	if err != nil {
		return nil, err
	}
	size, err := d.sizes()
	if err != nil {
		return nil, err
	}
	m := newMultinomial(d, r.code, contrasts(k), ridges)
	functions := make([]float64, k*dim)
	for c := range k {
		switch {
		case o.Start != nil:
			d.parameters(functions[c*dim:(c+1)*dim], o.Start[c*dim:(c+1)*dim])
		case d.intercept == 1:
			functions[c*dim] = math.Log(r.count[c] / d.total)
		}
	}
	gamma := make([]float64, (k-1)*dim)
	m.reduce(gamma, functions)
	control := d.control(size, o, k-1)
	// The derivatives by the K functions are no larger than the length of those
	// by the K−1 contrasts.
	linalg.Scale(control.Scale, 1/math.Sqrt(float64(k-1)))
	if o.Trace != nil {
		public := make([]float64, k*dim)
		control.Trace = func(s optimize.Step) error {
			m.expand(functions, s.X)
			for c := range k {
				d.public(public[c*dim:(c+1)*dim], functions[c*dim:(c+1)*dim])
			}
			s.X = public
			return o.Trace(s)
		}
	}
	var report optimize.Report
	var notConverged error
	if len(gamma) > largeHessian {
		gamma, report, notConverged = m.fitLarge(gamma, size, o, control.Trace)
	} else {
		gamma, report, notConverged = optimize.Newton(m, gamma, control)
	}
	if gamma == nil {
		return nil, notConverged
	}
	m.expand(functions, gamma)
	rows := make([][]float64, k)
	for c := range rows {
		rows[c] = functions[c*dim : (c+1)*dim]
	}
	if free := d.unpenalised(m.ridge); free != nil && report.Status != optimize.Stopped {
		if m.last.h == nil {
			m.Hess(linalg.Zeros(len(gamma), len(gamma)), make([]float64, len(gamma)), gamma)
		}
		if err := d.verify(&m.last, rows, r.code, free); err != nil {
			return nil, err
		}
	}
	report.Certificate.Value = m.certificate(size)
	if !o.penalised() {
		zero := slices.Clone(rows[reference])
		for _, f := range rows {
			linalg.Axpy(f, -1, zero)
		}
	}
	coef, intercept := linalg.Zeros(k, d.p), make([]float64, k)
	for c := range k {
		intercept[c] = d.coef(coef.Row(c), rows[c])
	}
	return newModel(r.classes, coef, intercept, d.origin, o.method(), report), notConverged
}

// certificate returns max |gₖⱼ|/sizeⱼ over the derivatives by the K functions at
// the last point.
func (m *multinomial) certificate(size []float64) float64 {
	dim := m.dim()
	g := make([]float64, m.k*dim)
	m.expand(g, m.last.g)
	worst := 0.0
	for i, v := range g {
		if s := size[i%dim]; s > 0 {
			worst = max(worst, math.Abs(v)/s)
		}
	}
	return worst
}

// wide reports whether two classes are fitted by L-BFGS: every feature has a
// ridge, and there are so many that their Hessian is beyond O(n + p²) of memory
// worth having. Measured at n = 500, where Newton's method is the slower one from
// some thousand features on.
func (b *binary) wide() bool {
	return b.dim() > widestNewton && b.unpenalised(b.ridge) == nil
}

const widestNewton = 1500

// approach moves theta to near the solution by fits to part of the rows, where
// there are so many that a few steps on all of them cost more than the fits. It
// returns the Hessian that the last part foretells, nil if there was none.
func (b *binary) approach(theta []float64) (h *linalg.Dense) {
	for step := 64; step > 1; step /= 4 {
		if rows := b.n / step; rows < 15*b.dim() || rows*b.dim() < 1<<16 {
			continue
		}
		part := newBinary(b.thinned(step), thin(b.sign, step), slices.Clone(b.ridge))
		for j := range part.ridge {
			part.ridge[j] /= float64(step)
		}
		if part.prime(theta, nil) != nil {
			return nil
		}
		// As near as a sample of this size comes to all rows.
		near, report, _ := optimize.Newton(part, theta, &optimize.Control{Tol: 1e-3, MaxIter: 10, Scale: part.control(part.size, &Options{}, 1).Scale})
		if !(report.Certificate.Value < 1e-2) {
			return nil
		}
		copy(theta, near)
		h = part.last.h
		linalg.Scale(h.Data, float64(step))
	}
	return h
}

// ridges returns the ridge by parameter of one function, nil without a penalty.
// Error: *[linalg.RangeError].
func (d *design) ridges(o *Options) ([]float64, error) {
	if !o.penalised() {
		return nil, nil
	}
	var sd []float64
	if o.Standardize {
		var err error
		if _, sd, err = d.spread(); err != nil {
			return nil, err
		}
	}
	r := make([]float64, d.dim())
	for j, u := range d.unit {
		s := 1 / u
		if sd != nil {
			s = sd[j]
		}
		share := o.Lambda * (1 - o.L1Ratio) * o.factor(j)
		r[j+d.intercept] = share * s * s
		if share > 0 && s > 0 && r[j+d.intercept] == 0 {
			return nil, &linalg.RangeError{Column: j} // a penalty that rounds to none
		}
	}
	return r, nil
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
func (d *design) control(size []float64, o *Options, k int) *optimize.Control {
	c := &optimize.Control{Tol: o.tol(), MaxIter: o.MaxIter, Scale: make([]float64, 0, k*d.dim())}
	for range k {
		for _, s := range size {
			c.Scale = append(c.Scale, positive(s))
		}
	}
	return c
}

// positive returns the size of a column, 1 for one of zeros, whose derivative is
// 0 too.
func positive(size float64) float64 {
	if size == 0 {
		return 1
	}
	return size
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
func (d *design) verify(last *linearisation, functions [][]float64, code []int, free []int) error {
	if len(free) == d.p {
		free = nil
	}
	factor, err := linalg.NewCholesky(last.h)
	if err != nil || !independent(last.h, factor) {
		if err := d.rank(free); err != nil {
			return err
		}
	}
	if err == nil && !d.moving(last, factor) {
		return nil
	}
	if free == nil {
		if e := d.separation(code, functions); e != nil {
			return e
		}
	}
	if f := d.separate(code, len(functions), free); f != nil {
		if e := d.separation(code, f); e != nil {
			return e
		}
	}
	return nil
}

// moving reports whether the next Newton step still moves a row's score.
func (d *design) moving(last *linearisation, factor *linalg.Cholesky) bool {
	step := slices.Clone(last.g)
	factor.Solve(step)
	if linalg.Dot(last.g, step) <= 0.01*last.minWeight {
		return false
	}
	for dim := d.dim(); len(step) > 0; step = step[dim:] {
		if d.widest(step[:dim]) > 0.1 {
			return true
		}
	}
	return false
}
