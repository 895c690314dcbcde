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
// A matrix that is not a *[linalg.Dense] is used through its products where two
// classes have a ridge on every feature: p products with unit vectors measure the
// columns, and two serve each gradient and each step of conjugate gradients, in
// O(n + p) memory. For everything else, maximum likelihood among it, whose ranks
// and separations are matters of columns and rows, it is copied: n·p values, 4 GB
// at most.
//
// Errors: *[linalg.ShapeError], *[linalg.SizeError], *[linalg.NonFiniteError],
// *[sample.OptionError], *[linalg.WeightError], *[linalg.ClassError] for bad
// input, *[linalg.RangeError] for columns whose coefficients a float64 cannot
// hold; without a penalty *[linalg.RankError] for columns that depend on the
// others, *[SeparationError] for classes that a hyperplane separates. With an
// error that wraps [optimize.ErrNotConverged] the model is not nil: it is the
// last point.
func Fit(x linalg.Matrix, y []int, o *Options) (*Model, error) {
	if o == nil {
		o = &Options{}
	}
	m, err := fit(x, y, o)
	return m, wrap(err)
}

func fit(x linalg.Matrix, y []int, o *Options) (*Model, error) {
	dense, ok := x.(*linalg.Dense)
	if !ok && x != nil {
		return fitMatrix(x, y, o)
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
		return representable(fitSparse(d, r, o))
	case r.k() == 2:
		return representable(fitBinary(d, r, o))
	}
	return representable(fitMultinomial(d, r, o))
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
	start, foretold, err := b.begin(r, o)
	if err != nil {
		return nil, err
	}
	c := d.control(b.size, o, 1)
	c.Trace = d.trace(o.Trace)
	if o.Firth {
		if d.p > maxFirth {
			return nil, &sample.OptionError{Name: "Firth", Value: 1, Want: fmt.Sprintf("false for %d features, more than %d", d.p, maxFirth)}
		}
		return fitFirth(b, start, c, r)
	}
	theta, report, notConverged := b.minimise(start, foretold, c)
	if theta == nil {
		return nil, notConverged
	}
	if free := d.unpenalised(b.ridge); free != nil && report.Status() != optimize.Stopped {
		moving, err := d.verify(&b.last, b.functions(theta), r.code, free)
		if err != nil {
			return nil, err
		}
		if moving && report.Status() == optimize.Converged {
			theta, report, notConverged = d.settle(b, &b.last, theta, report, c)
		}
	}
	if notConverged == nil && o.penalised() {
		report = d.charge(report, b.functions(theta), b.size)
		notConverged = report.Err(nil)
	} else if !o.penalised() && report.Status() != optimize.Stopped {
		theta, report, notConverged = d.sharpen(b, theta, report, c, b.functions(theta), b.size)
	}
	return d.binaryModel(theta, r, o.method(), report), notConverged
}

// functions returns the parameters of both classes' functions, of which the first is 0.
func (b *binary) functions(theta []float64) [][]float64 {
	return [][]float64{make([]float64, b.dim()), theta}
}

// cold returns the parameters of the intercept alone, for a mean offset.
func (b *binary) cold(r *response) []float64 {
	theta := make([]float64, b.dim())
	if b.intercept == 1 {
		theta[0] = math.Log(r.count[1]/r.count[0]) - b.meanOffset(0, 1)
	}
	return theta
}

// begin returns where the iteration starts, and whether part of the rows foretold
// that, and makes the first pass there.
func (b *binary) begin(r *response, o *Options) (theta []float64, foretold bool, err error) {
	theta = b.cold(r)
	if o.Start != nil {
		b.parameters(theta, o.Start)
	}
	if b.wide() {
		b.pass(nil, make([]float64, b.dim()), theta)
		return theta, false, b.finishSizes(b.size)
	}
	var h *linalg.Dense
	atCold := 0.0
	if o.Start == nil {
		h, atCold = b.approach(theta)
	}
	err = b.prime(theta, h)
	if err == nil && h != nil && !(b.primed.value <= 2*atCold) {
		theta, h = b.cold(r), nil // part of the rows misled about the whole
		err = b.prime(theta, nil)
	}
	return theta, h != nil, err
}

// minimise runs the method that suits the number of features and, with a ridge on
// them all, what is known of the Hessian.
func (b *binary) minimise(theta []float64, foretold bool, c *optimize.Control) ([]float64, optimize.Report, error) {
	switch {
	case b.wide():
		return optimize.LBFGS(b, theta, 20, c)
	case foretold && b.unpenalised(b.ridge) == nil:
		return b.follow(theta, c)
	}
	return optimize.Newton(b, theta, c)
}

// meanOffset returns the weighted mean of value c of the k offsets of a row.
func (d *design) meanOffset(c, k int) float64 {
	if d.offset == nil {
		return 0
	}
	mean := 0.0
	for i := range d.n {
		mean += d.weight(i) / d.total * d.offset[i*k+c]
	}
	return mean
}

func (d *design) binaryModel(theta []float64, r *response, m method, report optimize.Report) *Model {
	coef := linalg.Zeros(1, d.p)
	b0 := d.coef(coef.Row(0), theta)
	return newModel(r.classes, coef, []float64{b0}, d.origin, m, report)
}

func fitMultinomial(d *design, r *response, o *Options) (*Model, error) {
	k := r.k()
	if o.Firth {
		return nil, &sample.OptionError{Name: "Firth", Value: 1, Want: "false for three classes and more"}
	}
	reference, err := o.reference(r.classes)
	if err != nil {
		return nil, err
	}
	if err := o.checkVectors(d.n, k, k*d.dim()); err != nil {
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
	q := contrasts(k)
	if !o.penalised() {
		q = against(k, reference)
	}
	m := newMultinomial(d, r.code, q, ridges)
	free := d.unpenalised(m.ridge)
	if free != nil && m.large() {
		// Dependence costs Newton's method one Hessian to see, and the other many passes.
		if err := d.rank(free); err != nil {
			return nil, err
		}
	}
	control := m.settings(size, o)
	gamma, report, notConverged := m.minimise(m.begin(r, o), size, o, control)
	if gamma == nil {
		return nil, notConverged
	}
	refused := report.Status() != optimize.Converged // the last gradient may be of a point that was refused
	if free != nil && report.Status() != optimize.Stopped {
		if m.last.h == nil {
			m.Hess(linalg.Zeros(len(gamma), len(gamma)), make([]float64, len(gamma)), gamma)
		}
		moving, err := d.verify(&m.last, m.functions(gamma), r.code, free)
		if err != nil {
			return nil, err
		}
		if moving && !m.large() && report.Status() == optimize.Converged {
			gamma, report, notConverged = d.settle(m, &m.last, gamma, report, control)
			refused = true
		}
	}
	if !o.penalised() && !m.large() && report.Status() != optimize.Stopped {
		gamma, report, notConverged = d.sharpen(m, gamma, report, control, m.functions(gamma), size)
		refused = refused || d.exact
	}
	if refused {
		m.Grad(make([]float64, len(gamma)), gamma)
	}
	certificate := report.Certificate()
	certificate.Value = m.certificate(size)
	stuck := report.Status() == optimize.LineSearch
	report = optimize.NewReport(report.Status(), report.Iterations(), report.Objective(), certificate)
	if stuck {
		report = report.Certify(report.Objective(), certificate) // the solver's measure is the smaller
	}
	if notConverged != nil && report.Status() != optimize.Stopped {
		notConverged = report.Err(nil) // the solver's said its own certificate
	}
	rows := m.functions(gamma)
	if notConverged == nil && o.penalised() {
		report = d.charge(report, rows, size)
		notConverged = report.Err(nil)
	}
	coef, intercept := linalg.Zeros(k, d.p), make([]float64, k)
	for c := range k {
		intercept[c] = d.coef(coef.Row(c), rows[c])
	}
	return newModel(r.classes, coef, intercept, d.origin, o.method(), report), notConverged
}

// begin returns where the iteration starts: at the caller's point or at the
// intercepts alone.
func (m *multinomial) begin(r *response, o *Options) []float64 {
	dim := m.dim()
	functions := make([]float64, m.k*dim)
	for c := range m.k {
		switch {
		case o.Start != nil:
			m.parameters(functions[c*dim:(c+1)*dim], o.Start[c*dim:(c+1)*dim])
		case m.intercept == 1:
			functions[c*dim] = math.Log(r.count[c]/m.total) - m.meanOffset(c, m.k)
		}
	}
	if m.zero >= 0 {
		zero := slices.Clone(functions[m.zero*dim : (m.zero+1)*dim])
		for c := range m.k {
			linalg.Axpy(functions[c*dim:(c+1)*dim], -1, zero)
		}
	}
	gamma := make([]float64, (m.k-1)*dim)
	m.reduce(gamma, functions)
	return gamma
}

// settings translates the options. The derivatives by the K functions are no
// larger than the length of those by the K−1 contrasts, or their sum where one class
// is the reference.
func (m *multinomial) settings(size []float64, o *Options) *optimize.Control {
	c := m.control(size, o, m.k-1)
	share := 1 / float64(m.k-1)
	if m.zero < 0 {
		share = math.Sqrt(share)
	}
	linalg.Scale(c.Scale, share)
	if trace := m.trace(o.Trace); trace != nil {
		functions := make([]float64, m.k*m.dim())
		c.Trace = func(s optimize.Step) error {
			m.expand(functions, s.X)
			s.X = functions
			return trace(s)
		}
	}
	return c
}

// large reports whether the parameters are too many for the full Hessian.
func (m *multinomial) large() bool { return (m.k-1)*m.dim() > largeHessian }

// minimise runs the method that suits the number of parameters.
func (m *multinomial) minimise(gamma, size []float64, o *Options, c *optimize.Control) ([]float64, optimize.Report, error) {
	if m.large() {
		return m.fitLarge(gamma, size, o, c)
	}
	return optimize.Newton(m, gamma, c)
}

// functions returns the parameters of the K functions.
func (m *multinomial) functions(gamma []float64) [][]float64 {
	dim := m.dim()
	all, rows := make([]float64, m.k*dim), make([][]float64, m.k)
	m.expand(all, gamma)
	for c := range rows {
		rows[c] = all[c*dim : (c+1)*dim]
	}
	return rows
}

// certificate returns max |gₖⱼ|/sizeⱼ over the derivatives by the K functions at
// the last point, which sum to 0.
func (m *multinomial) certificate(size []float64) float64 {
	dim := m.dim()
	g := make([]float64, m.k*dim)
	m.expand(g, m.last.g)
	if m.zero >= 0 {
		zero := g[m.zero*dim : (m.zero+1)*dim]
		for c := range m.k {
			if c != m.zero {
				linalg.Axpy(zero, -1, g[c*dim:(c+1)*dim])
			}
		}
	}
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
// returns the Hessian that the last part foretells, nil if there was none, and
// what the first says of the objective where theta was.
func (b *binary) approach(theta []float64) (h *linalg.Dense, atStart float64) {
	for _, step := range partSteps {
		if rows := b.n / step; rows < 15*b.dim() || rows*b.dim() < 1<<16 {
			continue
		}
		// A seventh of the rows is worth its passes only where no smaller part was large
		// enough.
		if step == partSteps[len(partSteps)-1] && h != nil {
			break
		}
		part := newBinary(b.thinned(step), thin(b.sign, 1, step), slices.Clone(b.ridge))
		if !part.mixed() {
			continue
		}
		for j := range part.ridge {
			part.ridge[j] /= float64(step)
		}
		if part.prime(theta, nil) != nil {
			break
		}
		if h == nil {
			atStart = part.primed.value * (b.total / part.total)
		}
		// As near as a sample of this size comes to all rows.
		near, report, _ := optimize.Newton(part, theta, &optimize.Control{Tol: 3e-3, MaxIter: 10, Scale: part.control(part.size, &Options{}, 1).Scale})
		if !(report.Certificate().Value < 1e-2) {
			break
		}
		// Rows without a column's rare values say nothing of it.
		if factor, err := linalg.NewCholesky(part.last.h); err != nil || !independent(part.last.h, factor) {
			continue
		}
		copy(theta, near)
		h = part.last.h
		linalg.Scale(h.Data, float64(step))
	}
	return h, atStart
}

// mixed reports whether rows of positive weight are of both classes.
func (b *binary) mixed() bool {
	var seen [2]bool
	for i, y := range b.sign {
		if b.weight(i) > 0 {
			seen[0], seen[1] = seen[0] || y < 1, seen[1] || y > -1
		}
	}
	return seen[0] && seen[1]
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
	return d.ridgesBy(sd, o)
}

// ridgesBy is ridges for given standard deviations in units, nil without
// standardising.
func (d *design) ridgesBy(sd []float64, o *Options) ([]float64, error) {
	r := make([]float64, d.dim())
	for j, u := range d.unit {
		s := 1 / u
		if sd != nil && sd[j] > 0 {
			s = sd[j] // a constant is left as it is
		}
		share := o.Lambda * (1 - o.L1Ratio) * o.factor(j)
		r[j+d.intercept] = share * s * s
		if share > 0 && r[j+d.intercept] == 0 {
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
// there is none. Otherwise it reports whether a Newton step still moves rows. free
// are the features without a penalty.
//
// At a maximum the Newton step H⁻¹g moves no row. Where the classes are
// separated it still moves rows by about 1, however small the gradient has
// become. Σ wᵢpᵢ(1−pᵢ)(movement)² = gᵀH⁻¹g bounds the movement without a pass over
// the rows; only in doubt is it computed, and only if it is large is the
// question decided by [design.separated].
func (d *design) verify(last *linearisation, functions [][]float64, code []int, free []int) (moving bool, err error) {
	if len(free) == d.p {
		free = nil
	}
	factor, err := linalg.NewCholesky(last.h)
	moving = err != nil || d.moving(last, factor)
	if moving || !independent(last.h, factor) {
		// Units hide a column that is constant but for rounding, from the factor as from
		// what looks for a direction.
		if err := d.rank(free); err != nil {
			return false, err
		}
	}
	if !moving {
		return false, nil
	}
	if e := d.separated(code, functions, free); e != nil {
		return false, e
	}
	return true, nil
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

// settle goes on from the end of a fit whose certificate holds although rows
// still move: where one value of x dwarfs the others, so does the size that its
// column's derivative is measured in.
func (d *design) settle(f optimize.Hessian, last *linearisation, theta []float64, report optimize.Report, c *optimize.Control) ([]float64, optimize.Report, error) {
	tight := *c
	for range 6 {
		if c.MaxIter > 0 && report.Iterations() == c.MaxIter {
			break
		}
		tight.Tol *= 1e-3
		next, more, err := optimize.Newton(f, theta, after(&tight, report.Iterations()))
		if next == nil {
			break
		}
		certificate := more.Certificate()
		certificate.Tol = c.Tol
		theta, report = next, plus(more, report.Iterations()).Certify(more.Objective(), certificate)
		if more.Status() == optimize.Stopped {
			return theta, report, err
		}
		if factor, err := linalg.NewCholesky(last.h); err != nil || !d.moving(last, factor) {
			break
		}
	}
	return theta, report, report.Err(nil)
}
