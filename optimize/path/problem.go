package path

import (
	"cmp"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
	"halfspace/optimize/columnwise"
	"halfspace/optimize/glm"
	"halfspace/optimize/penalty"
)

// nullTol is the tolerance of the fit without penalised features, with which a path
// begins.
const nullTol = 1e-10

// Penalty is λ(α‖β‖₁ + (1−α)/2·‖β‖₂²) with a factor for each feature, or the lasso of
// whole features λ·Σⱼ φⱼ‖β·ⱼ‖₂ over the K coefficients of each.
type Penalty struct {
	L1Ratio float64
	Factors []float64 // by feature; nil is 1, 0 leaves a feature unpenalised
	Grouped bool
}

// Problem is an objective with a penalty that has one scale in the units of its
// design: the family of fits over λ. Its parameters are those of the K scores.
type Problem struct {
	*glm.Objective

	// Instead, where it is not nil, makes single fits in the place of the proximal Newton
	// method: one that needs no Hessian, say. It has the design's parameters, and is given the problem, which
	// another goroutine may have a copy of.
	Instead func(p *Problem, lambda float64, start []float64, c *optimize.Control) ([]float64, optimize.Report, error)

	columns  *columnwise.Solver   // of sparse rows, where one has been needed
	screened *columnwise.Screened // and of one score
	crept    bool                 // descents over them have, and Instead follows

	f       *pinned
	penalty Penalty
	factors []float64      // by parameter of one function, 0 for the intercept
	sizes   optimize.Scale // of the columns
	free    []int          // coordinates without a penalty, of several scores but for those of the last, which change no differences
	noise   float64        // of squared error: the response's about the fit without penalised features

	lengths       []float64 // √Σwx², by coordinate; nil while a likelihood has had no need of them
	leans         []float64 // of squared error bounds on √H_jU(H_UU)⁻¹H_Uⱼ: a step of length 1 along U moves derivatives by it
	responses     float64   // the same: √Σw(y−offset)²
	floor         float64   // see Least
	offsets       float64   // √Σwo² of the offsets
	largestOffset float64   // in size
	leastWeight   float64   // of a row that counts

	most struct{ size, length, lean float64 } // over the columns; the last two are 0 until they are measured

	level     []float64 // the minimum without the penalised features, by the coordinates free
	atNull    float64   // its value
	lambdaMax float64   // by its gradient
}

// Measure makes the units of a design those in which a penalty has one scale: the
// standard deviations of the features (divisor Σw), where there is one, or 1. It goes
// before the objective, which has the units of its design.
//
// Errors: those of [design.Design.Spread].
func Measure(d *design.Design, standardize bool) error {
	unit := make([]float64, d.P)
	for j := range unit {
		unit[j] = 1
	}
	if standardize {
		_, sd, err := d.Spread()
		if err != nil {
			return err
		}
		for j, s := range sd {
			if s > 0 {
				unit[j] = s * d.Unit[j]
			}
		}
	}
	d.SetUnits(unit)
	return nil
}

// New sets up the problem, of an objective without a ridge, and finds the fit without the
// penalised features, starting from the intercepts that level holds, one for each score;
// without an intercept level is not read. exists explains, at a point where that fit did
// not converge or has very large scores, why it has no minimum; the features without a
// penalty are given, and a nil exists explains nothing. An error that wraps
// [optimize.ErrNotConverged] is none here: the fits themselves say how far they come.
func New(o *glm.Objective, p Penalty, level []float64, exists func(theta []float64, free []int) error) (*Problem, error) {
	q := &Problem{Objective: o, penalty: p, f: &pinned{of: o}}
	k, dim := o.Scores(), o.Dim()
	q.factors = make([]float64, dim)
	for j := range o.P {
		if q.factors[j+o.Intercept] = 1; p.Factors != nil {
			q.factors[j+o.Intercept] = p.Factors[j]
		}
	}
	for at := range k * dim {
		switch {
		case q.factors[at%dim] != 0:
		case k > 1 && at >= (k-1)*dim:
			q.f.at = append(q.f.at, at)
		default:
			q.free = append(q.free, at)
		}
	}
	null := make([]float64, k*dim)
	if o.Intercept == 1 {
		for c := range k {
			null[c*dim] = level[c]
		}
		q.shift(null)
	}
	if k > 1 && !q.descends() {
		o.KeepCurvature() // for the certificates, which ask for products at the ends of fits
	}
	o.Gradient(null) // the first pass finds the sizes
	var err error
	if q.sizes, err = o.Scale(); err != nil {
		return nil, err
	}
	sizes, err := o.Sizes()
	if err != nil {
		return nil, err
	}
	q.most.size = linalg.Max(sizes)
	for _, at := range q.f.at {
		q.sizes[at%dim] /= float64(k - 1) // so that the sum is small too
	}
	if err := q.fitNull(null, exists); err != nil {
		return nil, err
	}
	q.measureRows()
	if q.ConstantHessian() {
		q.noise = math.Sqrt(2 * q.atNull / q.Total)
		q.floor = q.f.Value(make([]float64, q.Parameters()))
		q.responses = math.Sqrt(2 * q.floor)
		q.floor *= 1e-12
		if err := q.measureLengths(); err != nil {
			return nil, err
		}
	}
	return q, q.Err()
}

// unit is the relative error of one rounding.
const unit = 0x1p-53

// roundingOfSums bounds the relative error of sums over the rows, of so many additions; 0 is those of a pass.
func (p *Problem) roundingOfSums(sumLength int) float64 {
	return float64(cmp.Or(sumLength, p.SumLength(p.Scores()))+p.Scores()+8) * unit
}

// measureRows finds the largest offset, their length, and the least weight.
func (p *Problem) measureRows() {
	p.leastWeight = p.LeastWeight()
	for i, v := range p.Offset {
		if w := p.Weight(i / p.Offsets()); w > 0 {
			p.offsets, p.largestOffset = math.Hypot(p.offsets, math.Sqrt(w)*v), max(p.largestOffset, math.Abs(v))
		}
	}
}

// measureLengths finds the lengths of the columns, by two passes where their spread is not known yet.
func (p *Problem) measureLengths() error {
	mean, sd, err := p.Spread()
	if err != nil {
		return err
	}
	root, rounding := math.Sqrt(p.Total), p.roundingOfSums(0)
	p.lengths = make([]float64, p.Scores()*p.Dim())
	leans := make([]float64, len(p.lengths))
	for at := range leans {
		p.lengths[at], leans[at] = root, root
		if j := at%p.Dim() - p.Intercept; j >= 0 {
			p.lengths[at] = root * math.Hypot(mean[j], sd[j])
			leans[at] = root*math.Abs(mean[j]) + rounding*p.lengths[at]
		}
	}
	p.most.length = linalg.Max(p.lengths)
	if p.leanAll(); p.ConstantHessian() && p.levelsAlone() && p.Intercept == 1 {
		p.leans, p.most.lean = leans, linalg.Max(leans)
	}
	return nil
}

// leanAll lets a step be one along any coordinates: one of length 1 moves a derivative by the length of its column at most.
func (p *Problem) leanAll() { p.leans, p.most.lean = p.lengths, p.most.length }

// kind is that of the certificates of fits.
func (p *Problem) kind() optimize.Kind {
	if p.Proves() {
		return optimize.KindGap
	}
	return optimize.KindKKT
}

// lostInRounding is the share of the size of a derivative below which a penalty is small
// beside rounding errors, for tolerances of some 1e-9.
const lostInRounding = 4e-6

// scale returns the sizes in which derivatives are measured at λ: those of the columns,
// for losses whose derivatives by the score are at most about 1. Squared error has
// derivatives in the unit of the response; they are measured in the weight of the lasso,
// relative to which a dual point has to shrink, so that the duality gap is at most some
// twice the certificate, unless rounding is larger. Where there is neither they are
// measured in 1.
func (p *Problem) scale(lambda float64) optimize.Scale {
	if !p.ConstantHessian() {
		return p.sizes
	}
	scale := make(optimize.Scale, len(p.factors))
	for j, f := range p.factors {
		if f == 0 {
			f = 1
		}
		scale[j] = cmp.Or(max(lambda*p.penalty.L1Ratio*f, lostInRounding*p.noise*p.sizes.At(j)), 1)
	}
	return scale
}

// pinned is an objective of several scores in which coordinates of the last stay 0 that have no penalty,
// the intercept's and features', for adding the same to all scores changes nothing: their derivatives, minus
// the sums of the others', are hidden, and with them the directions in which the objective is flat.
//
// It has methods of a pointer alone, and embeds nothing: programs would have each one twice.
type pinned struct {
	of *glm.Objective
	at []int
}

// Value returns the value.
func (f *pinned) Value(x []float64) float64 { return f.of.Value(x) }

// Hess sets h and g to the derivatives, the last intercept's among them, and returns the value.
func (f *pinned) Hess(h *linalg.Dense, g, x []float64) float64 { return f.of.Hess(h, g, x) }

// SubHess sets h to elements of the Hessian, see [glm.Objective.SubHess].
func (f *pinned) SubHess(h *linalg.Dense, x []float64, rows, cols []int) {
	f.of.SubHess(h, x, rows, cols)
}

// Products returns products with the Hessian, see [glm.Objective.Products].
func (f *pinned) Products(x []float64, set []int) (func(dst, d []float64), []float64, int) {
	return f.of.Products(x, set)
}

// ConstantHessian reports whether the Hessian is the same everywhere.
func (f *pinned) ConstantHessian() bool { return f.of.ConstantHessian() }

// Err returns the first error of a pass.
func (f *pinned) Err() error { return f.of.Err() }

// Grad sets g to the gradient and returns the value.
func (f *pinned) Grad(g, x []float64) float64 {
	copy(g, f.Lend(x))
	return f.of.Value(x)
}

// Lend returns the gradient until the next pass.
func (f *pinned) Lend(x []float64) []float64 {
	g := f.of.Gradient(x)
	for _, at := range f.at {
		g[at] = 0
	}
	return g
}

// shift subtracts each pinned coordinate from those of all scores.
//
//go:noinline // a program would have dozens of copies
func (p *Problem) shift(theta []float64) {
	for _, pin := range p.f.at {
		last := theta[pin]
		for at := pin % p.Dim(); at < len(theta); at += p.Dim() {
			theta[at] -= last
		}
	}
}

// Symmetric returns the parameters of the K functions at theta, of which those without a penalty sum to 0
// over the functions of several scores.
func (p *Problem) Symmetric(theta []float64) [][]float64 {
	functions := p.FunctionsOf(linalg.Clone(theta))
	for _, pin := range p.f.at {
		sum := 0.0
		for _, f := range functions {
			sum += f[pin%p.Dim()]
		}
		for _, f := range functions {
			f[pin%p.Dim()] -= sum / float64(len(functions))
		}
	}
	return functions
}

// fitNull moves theta, of the intercepts, to the minimum over the coordinates without a penalty.
func (p *Problem) fitNull(theta []float64, exists func(theta []float64, free []int) error) error {
	g, levels := make([]float64, len(theta)), max(1, p.Scores()-1)*p.Intercept
	closed := len(p.free) == 0 || len(p.free) == levels && p.Offset == nil && p.closed(g, theta)
	var report optimize.Report
	if !closed {
		var err error
		if report, err = p.fitOver(theta, p.free); err != nil && report.Status() == optimize.None {
			return err
		}
	}
	p.atNull = p.f.Grad(g, theta)
	for _, j := range p.free {
		p.level = append(p.level, theta[j])
	}
	if p.lambdaMax = p.elasticNet(1).LambdaMax(g); p.grouped() {
		p.lambdaMax = p.groupLasso(1).LambdaMax(g)
	}
	if p.Err() != nil || exists == nil || closed || p.levelsAlone() { // each class has rows
		return p.Err()
	}
	widest, err := p.widest(theta)
	if err != nil || report.Status() == optimize.Converged && widest < 20 {
		return err
	}
	var features []int // without a penalty
	for _, at := range p.free {
		if j := at - p.Intercept; j >= 0 && at < p.Dim() {
			features = append(features, j)
		}
	}
	return exists(theta, features)
}

// closed reports whether the intercepts that the caller gave are the fit without
// features: their derivatives, in g, are then 0 but for rounding.
func (p *Problem) closed(g, theta []float64) bool {
	p.f.Grad(g, theta)
	for at := 0; at < len(g); at += p.Dim() {
		if !(math.Abs(g[at]) <= 1e-12*p.Total) {
			return false
		}
	}
	return true
}

// fitOver moves theta to the minimum over some coordinates.
func (p *Problem) fitOver(theta []float64, free []int) (optimize.Report, error) {
	x, report, err := optimize.Restrict(p.f, theta, free).Minimize(&optimize.Control{Tol: nullTol, Scale: p.sizes})
	if x != nil {
		copy(theta, x)
	}
	return report, err
}

// widest returns the largest score at theta, without offsets.
func (p *Problem) widest(theta []float64) (float64, error) {
	widest, dim := 0.0, p.Dim()
	for at := 0; at < len(theta); at += dim {
		w, err := p.Widest(theta[at : at+dim])
		if err != nil {
			return 0, err
		}
		widest = max(widest, w)
	}
	return widest, nil
}

// elasticNet returns the penalty at λ.
//
//go:noinline // a program would have dozens of copies
func (p *Problem) elasticNet(lambda float64) penalty.ElasticNet {
	return penalty.ElasticNet{Lambda: lambda, L1Ratio: p.penalty.L1Ratio, Factors: p.factors}
}

// grouped reports whether the lasso is that of whole features.
func (p *Problem) grouped() bool { return p.penalty.Grouped && p.Scores() > 1 }

// groupLasso returns the lasso of whole features at λ. What has no penalty is in groups of weight 0, without the
// pinned coordinates.
//
//go:noinline // a program would have four copies
func (p *Problem) groupLasso(lambda float64) *penalty.GroupLasso {
	pen := &penalty.GroupLasso{Lambda: lambda, Weights: p.factors}
	for j, f := range p.factors {
		group := make([]int, p.Scores())
		for k := range group {
			group[k] = k*len(p.factors) + j
		}
		if f == 0 {
			group = group[:len(group)-1]
		}
		pen.Groups = append(pen.Groups, group)
	}
	return pen
}

// objective returns that of theta at λ.
func (p *Problem) objective(lambda float64, theta []float64) float64 {
	return p.f.Value(theta) + p.value(lambda, theta)
}

// value returns the penalty of theta at λ.
func (p *Problem) value(lambda float64, theta []float64) float64 {
	if p.grouped() {
		return p.groupLasso(lambda).Value(theta)
	}
	return p.elasticNet(lambda).Value(theta)
}

// LambdaMax returns the least λ at which the fit without penalised features is the fit.
func (p *Problem) LambdaMax() float64 { return p.lambdaMax }

// Null returns the fit without the penalised features.
//
//go:noinline // programs would have eight copies
func (p *Problem) Null() []float64 { return p.scattered(p.free, p.level) }

// scattered returns all coordinates, of which some are as given and the others 0.
//
//go:noinline // programs would have a copy of the function for each caller
func (p *Problem) scattered(at []int, values []float64) []float64 {
	all := make([]float64, p.Parameters())
	for i, j := range at {
		all[j] = values[i]
	}
	return all
}

// levelsAlone reports whether no feature lacks a penalty.
func (p *Problem) levelsAlone() bool { return len(p.free) == max(1, p.Scores()-1)*p.Intercept }

// rank is the most that a Hessian has.
func (p *Problem) rank() int { return p.N * max(1, p.Scores()-1) }

// The numbers of features of one score and of coordinates of several classes up to which sparse rows are fitted as
// dense ones are, those of one score where so large a share of their values is stored: descents over columns that lie
// far from 0, or depend on each other as the indicators of all levels do, creep.
// (Measured on 20,000 to 50,000 rows, λ .01 to 100, processor seconds by Hessians and over columns: 7 classes and 54
// columns, a survey of land, .8 to 3 and 1.4 to 13; 4 and 125 columns of indicators and amounts .6 to 1.6 and .8 to 28;
// 8 and 250 counts 1.3 to 9.3 and .4 to 4. Two classes and 255 columns of indicators and amounts .4 to .9 and .3 to 5.3,
// squared error .2 and .5 to 3.9; 250 counts .13 to .18 and .08 to .15.)
const fewFeatures, fewCoordinates, enough = 300, 600, 1. / 6

// descends reports whether models of fits to sparse rows are minimised over a copy by columns.
//
//go:noinline // a program would have several copies
func (p *Problem) descends() bool {
	if !p.Sparse() || !p.copies() {
		return false
	}
	if p.Scores() > 1 {
		return p.Scores()*p.P > fewCoordinates
	}
	return p.P > fewFeatures || p.Share() < enough
}

// copies reports whether the values that are stored may be copied: of rows in a file, as many as it allows.
func (p *Problem) copies() bool {
	_, remote := p.Rows().(linalg.Remote)
	return !remote || linalg.CheckCopy(p.Rows(), p.N, 1+int(p.Share()*float64(p.P))) == nil
}

// overColumns reports whether sparse rows want a copy by columns, or others have one, and the loss is one that [columnwise] knows.
func (p *Problem) overColumns() bool {
	return (p.descends() || p.columns != nil) && !p.grouped() && !p.smooth() && (p.Scores() == 1 || p.Proves())
}

// RowsAt is that of the objective, over the columns where the problem has a copy by them.
func (p *Problem) RowsAt(theta []float64) (r, v []float64) {
	if p.screened != nil {
		return p.screened.RowsAt(theta)
	}
	return p.Objective.RowsAt(theta)
}

// Err returns the first error of a pass, of the objective or over its columns.
//
//go:noinline // a program would have dozens of copies
func (p *Problem) Err() error {
	if p.screened != nil {
		if err := p.screened.Err(); err != nil {
			return err
		}
	}
	return p.Objective.Err()
}

// smooth reports whether fits have a ridge alone and, so, all features: the plan for smooth objectives
// knows when a Hessian by so many pays. Dense rows of one score have batches, which share one, unless the
// features are more than the rows. (Measured, processor seconds of 100 fits: 500 × 2,000 2.8 in batches and .5,
// 1,900 × 2,000 2.3 and .7.)
func (p *Problem) smooth() bool {
	return p.penalty.L1Ratio == 0 && p.Proves() && !p.ConstantHessian() && (p.Scores() > 1 || p.Sparse() || p.N < p.P)
}
