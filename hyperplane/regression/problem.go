package regression

import (
	"math"
	"slices"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/exact"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// problem is the checked data of a fit. Without the intercept, which is never penalised
// and follows from the rest, least squares is about x−c and z alone: the columns and the
// response less their weighted means.
type problem struct {
	*design.Design // about the means, in the units in which coefficients are penalised

	o      *Options
	y      []float64      // the caller's
	z      []float64      // y less the offset and its mean
	mean   float64        // the weighted mean of y less the offset; 0 without intercept
	beyond float64        // the mean of what is left then, for an implied origin has no level
	spread float64        // Σw·z²
	least  float64        // the least objective that certificates are relative to
	norms  []float64      // ‖√w(x−c)‖, by column, in units
	f      *glm.Objective // ½Σw(z−f)², with a level above the means unless the origin is implied
	last   *residuals     // of the coefficients last measured
	copied *linalg.Dense  // see dense

	shared   bool          // several λ share the products
	products *linalg.Dense // see multiply
	shown    int           // closed forms that the trace has seen
}

// newProblem checks the training data and the options that all regressions share.
func newProblem(x linalg.Rows, y []float64, o *Options) (*problem, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	d, err := design.New(x, len(y), "responses", design.Settings{Weights: o.Weights, NoIntercept: o.NoIntercept, Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	p := &problem{o: o, y: y}
	var rest []float64
	if p.z, rest, err = response(y, o); err != nil {
		return nil, err
	}
	var mean []float64
	if p.Design, mean, p.norms, err = d.Centered(); err != nil {
		return nil, err
	}
	if o.Standardize {
		p.SetUnits(units(p.norms))
	}
	for j, sd := range p.norms {
		if o.NoIntercept {
			sd = math.Hypot(mean[j], sd)
		}
		p.norms[j] = math.Sqrt(p.Total) * sd / p.Unit[j]
	}
	if !o.NoIntercept {
		p.mean = d.Mean(p.z)
	}
	for i := range p.z {
		if p.z[i] -= p.mean; rest != nil {
			p.z[i] += rest[i]
		}
	}
	if p.Implied() {
		p.beyond = d.Mean(p.z)
	}
	rounding := 0.0
	for i := range p.z {
		p.z[i] -= p.beyond
		p.spread += p.Weight(i) * p.z[i] * p.z[i]
		if w := p.Weight(i); w > 0 {
			size := math.Abs(y[i])
			if o.Offset != nil {
				size += math.Abs(o.Offset[i])
			}
			rounding += w * (unit * size) * (unit * size)
		}
	}
	if p.least = 0.5e-12 * p.spread; p.spread <= 16*rounding { // nothing but the rounding of y
		p.least = faint * faint / 2 * rounding
	}
	leveled := *p.Design
	if !o.NoIntercept && !p.Implied() {
		leveled.Intercept = 1
	}
	p.f = glm.New(&leveled, p.z, loss.Squared{}, nil)
	return p, nil
}

// leveled returns the parameters of f for coefficients without a level.
func (p *problem) leveled(theta []float64) []float64 {
	return append(make([]float64, p.f.Intercept, 1+p.P), theta...)
}

// response returns y less the offset, a copy, and what rounding leaves of it: where both are far from 0
// that is much beside the deviations from the mean. The rest is nil without an offset.
func response(y []float64, o *Options) (z, rest []float64, err error) {
	if err := sample.Vector("y", y, o.Weights); err != nil {
		return nil, nil, err
	}
	z = slices.Clone(y)
	if o.Offset == nil {
		return z, nil, nil
	}
	if len(o.Offset) != len(y) {
		return nil, nil, &linalg.ShapeError{Want: len(y), WantOf: "rows", Got: len(o.Offset), GotOf: "offsets"}
	}
	if err := sample.Vector("offset", o.Offset, o.Weights); err != nil {
		return nil, nil, err
	}
	rest = make([]float64, len(y))
	for i, v := range y {
		z[i], rest[i] = exact.TwoSum(v, -o.Offset[i])
	}
	return z, rest, linalg.CheckFinite("y less the offset", z)
}

// units returns the standard deviations, 1 for a constant column.
func units(sd []float64) []float64 {
	unit := slices.Clone(sd)
	for j, s := range unit {
		if s == 0 {
			unit[j] = 1
		}
	}
	return unit
}

// dense returns all rows as they are stored, for a factorisation: a copy, made once,
// unless they are dense.
func (p *problem) dense() (*linalg.Dense, error) {
	var err error
	if p.copied == nil {
		p.copied, err = p.Columns(nil)
	}
	return p.copied, err
}

// residuals are the sums over the rows at some coefficients in units.
type residuals struct {
	theta    []float64
	level    float64   // of the function at the means, above that of the response
	rss      float64   // Σw·r², r = z − θ·x
	gradient []float64 // Σw·r·x, by coefficient
	sum      float64   // Σw·r; of an implied origin see residualSum
	exact    bool      // gradient and sum are those in twice the precision
	sharp    bool      // rss is
	size     float64   // ‖z‖ + Σ‖xⱼ‖·|θⱼ|, which bounds the terms that r is a difference of
}

// at measures coefficients: one pass over the rows, unless they are those of the last
// call. O(np).
func (p *problem) at(theta []float64) (*residuals, error) {
	if p.last != nil && slices.Equal(p.last.theta, theta) {
		return p.last, nil
	}
	g := make([]float64, p.f.Dim())
	value := p.f.Grad(g, p.leveled(theta))
	if err := p.f.Err(); err != nil {
		return nil, err
	}
	p.last = p.residuals(theta, value, g[p.f.Intercept:])
	if p.f.Intercept == 1 {
		p.last.sum = -g[0]
	}
	return p.last, nil
}

// residualSum returns Σ w(θ·x − z): 0 but for rounding.
func (p *problem) residualSum(theta []float64) (float64, error) {
	var sum exact.Sum
	rest, _ := p.f.RowsAt(p.leveled(theta))
	for _, r := range rest {
		sum.Add(r, 0)
	}
	return sum.Value(), p.f.Err()
}

// residuals turns the objective and its gradient at theta, −Σw·r·x, into residuals.
func (p *problem) residuals(theta []float64, value float64, g []float64) *residuals {
	r := &residuals{theta: slices.Clone(theta), rss: 2 * value, gradient: slices.Clone(g), size: math.Sqrt(p.spread)}
	linalg.Scale(r.gradient, -1)
	for j, length := range p.lengths() {
		r.size += length * math.Abs(theta[j])
	}
	return r
}

// public returns a trace of parameters in a design about the origin that shows the caller's the plain
// intercept and the coefficients on the data's scale.
func (p *problem) public(d *design.Design) func(optimize.Step) error {
	if p.o.Trace == nil {
		return nil
	}
	return func(s optimize.Step) error {
		public := make([]float64, 1+p.P)
		level := d.Coef(public[1:], s.X)
		public[0] = p.mean + level - linalg.Dot(public[1:], p.Origin)
		s.X = public
		return p.o.Trace(s)
	}
}

// objective returns that of the coefficients of r beside a ridge of weight lambda, and a bound on its rounding error
// as a sum of squares. Residuals are those of scores in twice the precision where rounding these moves it.
func (p *problem) objective(r *residuals, lambda float64) (value, blur float64, err error) {
	terms := float64(p.P + 4)
	if !r.sharp && unit*r.size > min(blurred, blurredTerms/terms)*math.Sqrt(r.rss) {
		missing := *p.f.Design
		missing.Offset = slices.Clone(p.z)
		linalg.Scale(missing.Offset, -1)
		f := glm.New(&missing, make([]float64, p.N), loss.Squared{}, nil).InTwicePrecision()
		r.rss, r.sharp = 2*f.Value(p.leveled(r.theta)), true
		err = f.Err()
	}
	off := p.rounded(r)
	ridge := math.Sqrt(lambda/2) * linalg.Norm(r.theta) // its square may be in range where that of the length is not
	value = r.rss/2 + ridge*ridge + p.Total/2*off*off
	if !r.sharp {
		blur = terms * unit * r.size * math.Sqrt(r.rss)
	}
	return value, blur + p.sumRounding(1)*value, err
}

const (
	unit = 0x1p-53 // the relative error of one rounding
	// blurred is the error of an objective that is known well enough where all terms of a score are rounded as
	// one of their size, and blurredTerms where each is.
	blurred, blurredTerms = 0x1p-44, 0.1 * directTol
	// faint is the number of roundings of responses and offsets that the residuals of a response count as whose
	// deviations are rounding errors: at the default tolerances a level may then be off by a few, as one that is
	// published is.
	faint = 0x1p17
)

// metric bounds lengths √(vᵀM⁻¹v) by the matrix M of the normal equations at a ridge.
type metric struct {
	inverse []float64                 // the diagonal of the inverse of a matrix near M
	share   float64                   // the square of this times that matrix is beneath M
	length  func(v []float64) float64 // √(vᵀM⁻¹v) by that matrix; it may overwrite v
}

// ridgeMetric is that of the ridge alone, λ in the place of M.
func (p *problem) ridgeMetric(lambda float64) *metric {
	return &metric{slices.Repeat([]float64{1 / lambda}, p.P), 1, func(v []float64) float64 { return linalg.Norm(v) / math.Sqrt(lambda) }}
}

// directTol is the tolerance of the certificate of a closed form.
const directTol = 1e-10

// direct returns the model of a closed form for a ridge of weight lambda. Its certificate is the gap by m, or without
// one [problem.normalResidual].
func (p *problem) direct(theta []float64, lambda, df float64, m *metric) (*Model, error) {
	r, err := p.at(theta)
	if err != nil {
		return nil, err
	}
	value, c, err := p.certify(r, lambda, m)
	if err != nil {
		return nil, err
	}
	report := optimize.Report{}.Certify(value, c)
	fit, err := p.model(r, lambda, df, report)
	if err != nil {
		return nil, err
	}
	if err := report.Err(nil); err != nil {
		return fit, err
	}
	coef, intercept := fit.Coef()
	p.shown++
	return fit, report.Show(p.o.Trace, p.shown-1, append(intercept, coef.Row(0)...))
}

// certify returns the objective and the certificate of the coefficients of r.
func (p *problem) certify(r *residuals, lambda float64, m *metric) (float64, optimize.Certificate, error) {
	value, blur, err := p.objective(r, lambda)
	if m == nil || err != nil {
		return value, optimize.Certificate{Kind: optimize.KindResidual, Value: p.normalResidual(r, lambda), Tol: directTol}, err
	}
	excess, err := p.excess(r, lambda, m)
	return value, optimize.GapOf(excess+blur, max(value, p.least), directTol), err
}

// excess bounds how far the objective at the coefficients of r is above its minimum, as the documentation of
// the package proves.
func (p *problem) excess(r *residuals, lambda float64, m *metric) (float64, error) {
	whole := p.lengths()
	terms, scores := p.sumRounding(1)*math.Sqrt(r.rss), float64(p.P+4)*unit*r.size
	if r.exact {
		terms, scores = math.Pow(float64(p.N+p.P)*unit, 2)*r.size, float64(p.P+4)*unit*scores
	}
	sum, off := r.sum, math.Abs(p.rounded(r))
	if p.Implied() {
		var err error
		if sum, err = p.residualSum(r.theta); err != nil {
			return 0, err
		}
	}
	left, lost, slant := slices.Clone(r.gradient), 0.0, 0.0
	for j, t := range r.theta {
		from := p.Origin[j] / p.Unit[j]
		if p.Implied() {
			left[j] += sum * from
		}
		left[j] -= lambda * t
		spread := math.Sqrt(m.inverse[j])
		lost += spread * (terms*whole[j] + 4*unit*(math.Abs(r.gradient[j])+lambda*math.Abs(t)))
		slant += spread * p.sumRounding(1) * math.Hypot(p.norms[j], math.Sqrt(p.Total)*from)
	}
	length := (m.length(left)+lost)/m.share + scores
	if p.o.NoIntercept {
		return length * length / 2, nil
	}
	level := math.Abs(sum)/math.Sqrt(p.Total) + terms + scores + math.Sqrt(p.Total)*off
	return (length*length + level*level) / 2 / max(0, 1-slant/m.share), nil
}

// sumRounding bounds the relative error of sums over the rows, of so many values by column.
func (p *problem) sumRounding(values int) float64 { return float64(p.SumLength(values)+8) * unit }

// lengths returns those of the columns as sums have them.
func (p *problem) lengths() []float64 {
	whole := slices.Clone(p.norms)
	for j := range whole {
		if p.Implied() {
			whole[j] = math.Hypot(whole[j], math.Sqrt(p.Total)*p.Origin[j]/p.Unit[j])
		}
	}
	return whole
}

// normalResidual returns max |Σw·r·xⱼ − λθⱼ| relative to the sizes of the terms that it
// is the difference of, ‖xⱼ‖·size + λ‖θ‖: 0 at the solution of the normal equations, a
// few roundings at a good answer whatever the condition of x.
func (p *problem) normalResidual(r *residuals, lambda float64) float64 {
	worst, ridge := 0.0, lambda*linalg.Norm(r.theta)
	for j, g := range r.gradient {
		size := p.norms[j]*r.size + ridge
		if v := math.Abs(g-lambda*r.theta[j]) / size; size > 0 && !(v <= worst) {
			worst = v
		}
	}
	return worst
}

// offLevel returns an objective, and its certificate, relative to least at least, where the level is off
// from the best one, beside which they are known: ½Σw times the square of the difference is more.
func (p *problem) offLevel(value, least float64, c optimize.Certificate, off float64) (float64, optimize.Certificate) {
	more := p.Total / 2 * off * off
	return value + more, optimize.GapOf(c.Value*max(value, least)+more, max(value+more, least), c.Tol)
}

// ofWhole returns a gap relative to the least objective at least as one relative to the objective.
func ofWhole(value, least float64, c optimize.Certificate) optimize.Certificate {
	if c.Kind == optimize.KindGap {
		c = optimize.GapOf(c.Value*max(value, least), value, c.Tol)
	}
	return c
}

// roundLevel is offLevel for a level that is only near the best: along it the objective is a parabola,
// whose slope is at most √(2·gap·Σw).
func (p *problem) roundLevel(value, least float64, c optimize.Certificate, off float64) (float64, optimize.Certificate) {
	if size := max(value, least); size > 0 {
		c.Value += math.Sqrt(2*c.Value*size*p.Total) * math.Abs(off) / size
	}
	return p.offLevel(value, least, c, off)
}

// published returns the level of the model with the coefficients of r, at the means, or about 0 where
// sparse rows are stored so.
func (p *problem) published(r *residuals) float64 {
	level := p.mean + (p.beyond + r.level)
	if p.Implied() {
		for j, c := range p.Origin {
			level -= r.theta[j] / p.Unit[j] * c
		}
	}
	return level
}

// rounded returns how far that is from where the sum without rounding is.
func (p *problem) rounded(r *residuals) float64 {
	var off exact.Sum
	off.Add(p.published(r), 0)
	for _, v := range []float64{p.mean, p.beyond, r.level} {
		off.Add(-v, 0)
	}
	for j, c := range p.Origin {
		if p.Implied() {
			off.AddProduct(r.theta[j]/p.Unit[j], 0, c, 0)
		}
	}
	return off.Value()
}

// model returns the model with the coefficients of r. Error: *[linalg.NonFiniteError]
// where coefficients overflow.
func (p *problem) model(r *residuals, lambda, df float64, report optimize.Report) (*Model, error) {
	beta := make([]float64, p.P)
	p.Coef(beta, r.theta)
	origin := p.Origin
	if p.o.NoIntercept || p.Implied() { // rows that are stored about 0 are predicted there
		origin = nil
	}
	plane, err := hyperplane.NewPlaneAt(beta, origin, p.published(r))
	if err == nil {
		err = plane.InRange()
	}
	if err != nil {
		return nil, err
	}
	m := &Model{plane: plane, lambda: lambda, l1Ratio: p.o.L1Ratio, df: df, report: report}
	if p.spread > 0 && nonZero(r.theta) > 0 {
		m.r2 = 1 - r.rss/p.spread
	}
	return m, nil
}

// nonZero counts coefficients that are not zero.
func nonZero(v []float64) float64 {
	n := 0.0
	for _, x := range v {
		if x != 0 {
			n++
		}
	}
	return n
}

// weightedResponse returns √w·z.
func (p *problem) weightedResponse() []float64 {
	b := make([]float64, p.N)
	for i, z := range p.z {
		if w := p.Weight(i); w > 0 {
			b[i] = math.Sqrt(w) * z
		}
	}
	return b
}
