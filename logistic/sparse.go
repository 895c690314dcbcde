package logistic

import (
	"errors"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/optimize/penalty"
)

// composite is a likelihood and an elastic net: what fits with a lasso part and
// paths minimise. Its coordinates are those in which the penalty has one scale:
// the coefficients of the standardised features, or of the features as they are.
type composite struct {
	*design
	r       *response
	f       *remembering
	k       int       // functions: 1 for two classes, K for more
	factors []float64 // of the penalty, by coordinate; 0 for the intercepts
	size    []float64 // of derivatives, by parameter of one function
	scale   []float64
	null    []float64 // the least likelihood without the penalised coefficients
	atNull  float64   // its value
	g       []float64 // and gradient
	zero    []float64 // the function of the first of two classes
}

// newComposite takes the data in.
func newComposite(d *design, r *response, o *Options) (*composite, error) {
	c := &composite{design: d, r: r, k: r.functions(), zero: make([]float64, d.dim())}
	return c, c.setUp(o)
}

// setUp checks the options and finds the fit without penalised features.
func (c *composite) setUp(o *Options) error {
	d, r := c.design, c.r
	if err := o.checkVectors(d.n, c.k, c.k*d.dim()); err != nil {
		return err
	}
	unit := make([]float64, d.p)
	for j := range unit {
		unit[j] = 1
	}
	if o.Standardize {
		_, sd, err := d.spread()
		if err != nil {
			return err
		}
		for j, s := range sd {
			if s > 0 {
				unit[j] = s * d.unit[j]
			}
		}
	}
	for j, u := range unit {
		if d.unit[j]/u < 0x1p-970 {
			return &linalg.RangeError{Column: j} // derivatives lose their digits
		}
	}
	copy(d.unit, unit)
	d.about(d.origin)
	size, err := d.sizes()
	if err != nil {
		return err
	}
	c.size, c.scale = size, d.control(size, o, c.k).Scale
	for range c.k {
		for j := -d.intercept; j < d.p; j++ {
			f := 0.0
			if j >= 0 {
				f = o.factor(j)
			}
			c.factors = append(c.factors, f)
		}
	}
	if c.k == 1 {
		c.f = &remembering{SubHessian: newBinary(d, r.signs(), nil), pinned: -1}
		return c.minimiseNull()
	}
	c.f = &remembering{SubHessian: newMultinomial(d, r.code, functions(c.k), nil), pinned: -1}
	if d.intercept == 1 {
		c.f.pinned = (c.k - 1) * d.dim()
		for k := range c.k {
			c.scale[k*d.dim()] /= float64(c.k - 1) // so that the sum is small too
		}
	}
	return c.minimiseNull()
}

// remembering keeps the last point's value and gradient: one fit of a path ends
// where the next begins.
//
// Of K functions the last intercept can stay 0, for adding a constant to all
// changes nothing: its derivative, minus the sum of the others', is hidden, and
// with it the one direction in which the likelihood is flat.
type remembering struct {
	optimize.SubHessian
	pinned int // coordinate whose derivative is hidden; −1 is none
	x, g   []float64
	value  float64
}

// Grad sets g to the gradient and returns the value.
func (m *remembering) Grad(g, x []float64) float64 {
	if m.x == nil || !slices.Equal(m.x, x) {
		m.value = m.SubHessian.Grad(g, x)
		if m.pinned >= 0 {
			g[m.pinned] = 0
		}
		m.x, m.g = append(m.x[:0], x...), append(m.g[:0], g...)
	}
	copy(g, m.g)
	return m.value
}

// minimiseNull finds the fit without the penalised features, from the classes'
// log-odds less the mean offsets.
func (c *composite) minimiseNull() error {
	dim := c.dim()
	c.null, c.g = make([]float64, c.k*dim), make([]float64, c.k*dim)
	var free []int
	for j, f := range c.factors {
		if f == 0 && j != c.f.pinned {
			free = append(free, j)
		}
	}
	if c.intercept == 1 {
		for k := range c.k {
			if c.k == 1 {
				c.null[0] = math.Log(c.r.count[1]/c.r.count[0]) - c.meanOffset(0, 1)
			} else {
				c.null[k*dim] = math.Log(c.r.count[k]/c.r.count[c.k-1]) - c.meanOffset(k, c.k) + c.meanOffset(c.k-1, c.k)
			}
		}
	}
	if len(free) == 0 || len(free) == max(1, c.k-1)*c.intercept && c.offset == nil {
		c.atNull = c.f.Grad(c.g, c.null)
		return nil
	}
	null, report, err := optimize.Restrict(c.f, c.null, free).Minimize(&optimize.Control{Tol: defaultTolExact, Scale: c.scale})
	if null == nil {
		return err
	}
	c.null = null
	c.atNull = c.f.Grad(c.g, c.null)
	if report.Status() == optimize.Converged && c.widestNull() < 20 {
		return nil
	}
	if err := c.unbounded(err); !errors.Is(err, optimize.ErrNotConverged) {
		return err
	}
	return nil // extreme offsets: the fit itself says how far it comes from here
}

// widestNull returns the largest score of the null fit.
func (c *composite) widestNull() float64 {
	widest := 0.0
	for k := range c.k {
		widest = max(widest, c.widest(c.null[k*c.dim():(k+1)*c.dim()]))
	}
	return widest
}

// unbounded explains a fit of the unpenalised features that did not converge, or
// whose scores are very large: a *[linalg.RankError], a *[SeparationError], or
// otherwise err.
func (c *composite) unbounded(err error) error {
	var free []int
	for j := range c.p {
		if c.factors[j+c.intercept] == 0 {
			free = append(free, j)
		}
	}
	if e := c.rank(free); e != nil {
		return e
	}
	if e := c.separated(c.r.code, c.functions(c.null), free); e != nil {
		return e
	}
	return err
}

// functions returns the parameters of each class's function: of two classes the
// first has none.
func (c *composite) functions(theta []float64) [][]float64 {
	functions, dim := make([][]float64, 0, c.r.k()), c.dim()
	if c.k == 1 {
		functions = append(functions, c.zero)
	}
	for k := range c.k {
		functions = append(functions, theta[k*dim:(k+1)*dim])
	}
	return functions
}

// elasticNet returns the penalty.
func (c *composite) elasticNet(lambda, ratio float64) penalty.ElasticNet {
	return penalty.ElasticNet{Lambda: lambda, L1Ratio: ratio, Factors: c.factors}
}

// lambdaMax returns the least λ at which the null fit is the fit.
func (c *composite) lambdaMax(o *Options) float64 {
	if o.Grouped && c.k > 1 {
		return c.groupLasso(1).LambdaMax(c.g)
	}
	return c.elasticNet(1, o.L1Ratio).LambdaMax(c.g)
}

// groupLasso returns the lasso of whole features.
func (c *composite) groupLasso(lambda float64) penalty.GroupLasso {
	pen, dim := penalty.GroupLasso{Lambda: lambda}, c.dim()
	for j := c.intercept; j < dim; j++ {
		if c.factors[j] == 0 {
			continue
		}
		group := make([]int, c.k)
		for k := range group {
			group[k] = k*dim + j
		}
		pen.Groups, pen.Weights = append(pen.Groups, group), append(pen.Weights, c.factors[j])
	}
	return pen
}

// model returns the model with parameters theta, and an error that wraps
// [optimize.ErrNotConverged] where rounding denies the report.
func (c *composite) model(theta []float64, m method, report optimize.Report) (*Model, error) {
	functions := c.functions(theta)
	report = c.charge(report, functions, c.size)
	if c.k == 1 {
		return c.binaryModel(theta, c.r, m, report), report.Err(nil)
	}
	coef, intercept := linalg.Zeros(c.k, c.p), make([]float64, c.k)
	for k := range c.k {
		intercept[k] = c.coef(coef.Row(k), functions[k])
	}
	if c.design.intercept == 1 {
		centre(intercept)
	}
	return newModel(c.r.classes, coef, intercept, c.origin, m, report), report.Err(nil)
}

// fitSparse fits with a penalty that has a lasso part.
func fitSparse(d *design, r *response, o *Options) (*Model, error) {
	c, err := newComposite(d, r, o)
	if err != nil {
		return nil, err
	}
	start := slices.Clone(c.null)
	if o.Start != nil && o.Lambda < c.lambdaMax(o) {
		for k, dim := 0, d.dim(); k < c.k; k++ {
			d.parameters(start[k*dim:(k+1)*dim], o.Start[k*dim:(k+1)*dim])
		}
		if c.f.pinned >= 0 {
			last := start[c.f.pinned]
			for k := range c.k {
				start[k*d.dim()] -= last
			}
		}
	}
	control := &optimize.Control{Tol: o.tol(), MaxIter: o.MaxIter, Scale: c.scale, Trace: c.trace(o.Trace)}
	var theta []float64
	var report optimize.Report
	if o.Grouped && c.k > 1 {
		theta, report, err = optimize.ProximalGradient(c.f, start, c.groupLasso(o.Lambda), control)
	} else {
		theta, report, err = optimize.ProximalNewton(c.f, start, c.elasticNet(o.Lambda, o.L1Ratio), control)
	}
	if theta == nil {
		return nil, err
	}
	m, e := c.model(theta, sparse, report)
	if err == nil {
		err = e
	}
	return m, err
}

// trace lets the caller's trace see parameters laid out as Options.Start.
func (d *design) trace(call func(optimize.Step) error) func(optimize.Step) error {
	if call == nil {
		return nil
	}
	dim := d.dim()
	return func(s optimize.Step) error {
		public := make([]float64, len(s.X))
		for at := 0; at < len(public); at += dim {
			d.public(public[at:at+dim], s.X[at:at+dim])
		}
		s.X = public
		return call(s)
	}
}
