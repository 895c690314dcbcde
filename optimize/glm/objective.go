package glm

import (
	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// Objective is the smooth function
//
//	F(θ) = Σ wᵢL(yᵢ, fᵢ) + ½ Σ ridgeⱼθⱼ²,   fᵢ = Q(θ·(1, xᵢ)) + offsetᵢ
//
// of a loss L of K scores a row on a design, for K functions that are combinations Q
// (K×m) of the m functions whose parameters θ are: the identity where Q is nil. Its
// gradient is Xᵀr, r = w∂L/∂f, its Hessian XᵀVX with V = w∂²L/∂f² (for the logistic
// loss ESL 4.21 and 4.25). It implements [optimize.Hessian], [optimize.HessianVec] and
// [optimize.SubHessian], and remembers the last point: derivatives there cost no pass.
//
// One goroutine at a time may use an objective; [Objective.Own] makes another on the
// same rows.
type Objective struct {
	*design.Design
	Y     []float64 // responses; for several functions the index of the class
	Ridge []float64 // by parameter of one function, 0 for the intercept; nil without

	loss   loss.Batch
	k      int           // functions of the loss
	q      *linalg.Dense // Q; nil for the identity
	exact  bool          // scores are summed in twice the precision
	sizes  []float64     // Σ wᵢ|xᵢⱼ| by parameter of one function, from the first pass
	failed error         // of the first pass that could not be made

	memo    memo
	curved  curvature
	curving bool              // passes for a gradient keep the curvatures of the rows and the Hessian's diagonal
	at      *design.Functions // scratch: the functions at the point of the current pass
	coef    *linalg.Dense     // scratch: their coefficients, for exact scores
	full    []float64         // scratch: K functions, K·dim
	last    linearization     // of all rows

	along    *design.Functions // scratch of products with the Hessian, of which a fit makes many
	back     []float64
	products []*product
	part     *linearization // of part of the rows; nil before the first
	recorded []float64      // where the present pass leaves the scores; nil: it does not
	under    factors
}

// Smooth is an objective as solvers see it. A variant of an objective embeds it, so that
// it has these methods and no others.
type Smooth interface {
	optimize.Hessian
	optimize.SubHessian
	ConstantHessian() bool
	Err() error
}

// memo holds the value and, where it is known, the gradient at the last point.
type memo struct {
	theta []float64
	value float64
	g     []float64 // nil if only the value is known
	drift float64   // the largest change of a score since the Hessian of part of the rows
}

// New returns the objective of a smooth loss of one score; y is by row, and the ridge by
// parameter, the intercept's first, in the units of the design (nil is none). It keeps
// both, and writes to neither.
func New(d *design.Design, y []float64, l loss.Smooth, ridge []float64) *Objective {
	return newObjective(d, y, loss.BatchOf(l), nil, ridge)
}

// NewMulti returns the objective of a loss of K scores, as a function of the
// combinations contrast (K×m) of functions; nil is the K functions themselves.
func NewMulti(d *design.Design, y []float64, l loss.Batch, contrast *linalg.Dense, ridge []float64) *Objective {
	return newObjective(d, y, l, contrast, ridge)
}

func newObjective(d *design.Design, y []float64, l loss.Batch, contrast *linalg.Dense, ridge []float64) *Objective {
	k := l.Functions()
	return &Objective{Design: d, Y: y, Ridge: ridge, loss: l, k: k, q: contrast,
		at: d.NewFunctions(k), full: make([]float64, k*d.Dim())}
}

// Own returns the objective with memory of its own.
func (o *Objective) Own() *Objective {
	f := newObjective(o.Design, o.Y, o.loss, o.q, o.Ridge)
	f.exact, f.sizes = o.exact, o.sizes
	if o.exact {
		f.coef = linalg.Zeros(o.k, o.P)
	}
	return f
}

// On returns the objective, without a ridge, on another design of as many rows.
func (o *Objective) On(d *design.Design) *Objective { return newObjective(d, o.Y, o.loss, o.q, nil) }

// InTwicePrecision returns the objective with scores that are summed in twice the
// working precision, for coefficients whose terms cancel. A pass costs some ten times
// as much.
func (o *Objective) InTwicePrecision() *Objective {
	f := o.Own()
	f.exact, f.coef = true, linalg.Zeros(o.k, o.P)
	return f
}

// Unpenalized returns the objective without its ridge.
func (o *Objective) Unpenalized() *Objective {
	f := o.Own()
	f.Ridge = nil
	return f
}

// Functions returns the number m of functions that the parameters are those of.
func (o *Objective) Functions() int {
	if o.q == nil {
		return o.k
	}
	return o.q.Cols
}

// Scores returns the number K of scores of a row.
func (o *Objective) Scores() int { return o.k }

// ConstantHessian reports whether the Hessian is the same everywhere, as that of squared
// error is.
func (o *Objective) ConstantHessian() bool { return loss.ConstantCurvature(o.loss) }

// Loss returns the loss.
func (o *Objective) Loss() loss.Batch { return o.loss }

// Parameters returns the number of parameters.
func (o *Objective) Parameters() int { return o.Functions() * o.Dim() }

// keep makes err the error of the objective if it is the first, and returns it.
func (o *Objective) keep(err error) error {
	if o.failed == nil {
		o.failed = err
	}
	return err
}

// keepIf is keep of an error, and returns nil without one.
func (o *Objective) keepIf(err error) error {
	if err == nil {
		return nil
	}
	return o.keep(err)
}

// Err returns the first error of a pass: values since then are NaN.
func (o *Objective) Err() error { return o.failed }

// curvature is the second derivatives of the rows at a point, as the loss has them.
type curvature struct {
	theta, v []float64
	diagonal []float64 // of the Hessian there; nil if not known
}
