package regression

import (
	"errors"
	"math"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// DescentOptions are the choices of [FitDescent]. The zero value and nil are the
// defaults.
type DescentOptions struct {
	Rate    float64   // learning rate α; 0 lets a line search find each step
	BFGS    bool      // BFGS with a Wolfe line search instead of gradient descent
	Start   []float64 // (w₀, w); nil is 0
	Weights []float64 // frequency weights
	Tol     float64   // of the certificate; 0 is 1e-6
	MaxIter int       // cap on steps; 0 is 10,000, with BFGS 1000
	Workers int       // goroutines; 0 is GOMAXPROCS

	// Trace is called with the start and after each step: X is (w₀, w), Objective
	// J, Certificate the relative gradient.
	Trace func(optimize.Step) error
}

// FitDescent fits a line or plane of regression, y ≈ w₀ + w·x, by walking down
//
//	J(w₀, w) = (1/n)Σ(y − ŷ)²,  gradient (2/n)Σ(ŷ − y)(1, x),
//
// from Start: w ← w − α·∇J as the textbooks have it, for those who teach it and
// want to draw the walk. Too high a rate diverges and ends with status not_finite;
// a low one, or columns on different scales, takes thousands of steps where
// [FitOLS] takes none. BFGS gathers curvature on its way. J is computed on the rows
// as they are, about no origin.
//
// The certificate is max |∂J/∂wⱼ| over the size that it has by the
// Cauchy-Schwarz inequality at w = 0, (2/n)‖xⱼ‖‖y‖; the Objective is J at the end.
// The coefficients are the last finite ones. O(np) a step.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError],
// *[sample.OptionError] (a Rate with BFGS), and [optimize.ErrNotConverged] with the
// model.
func FitDescent(x *linalg.Dense, y []float64, o *DescentOptions) (*Model, error) {
	if o == nil {
		o = &DescentOptions{}
	}
	m, err := fitDescent(x, y, o)
	return m, wrap(err)
}

func fitDescent(x *linalg.Dense, y []float64, o *DescentOptions) (*Model, error) {
	c, err := newCloud(x, y, &Options{Weights: o.Weights, Workers: o.Workers, NoIntercept: true})
	if err != nil {
		return nil, err
	}
	if err := o.check(x.Cols); err != nil {
		return nil, err
	}
	start := make([]float64, 1+x.Cols)
	copy(start, o.Start)
	j := &meanSquaredError{c, make([]float64, len(y))}
	control := &optimize.Control{Tol: o.Tol, MaxIter: o.MaxIter, Scale: j.scale()}
	var cause error
	if o.Trace != nil {
		control.Trace = func(s optimize.Step) error {
			cause = o.Trace(s)
			return cause
		}
	}
	if control.Tol == 0 {
		control.Tol = 1e-6
	}
	var w []float64
	var r optimize.Report
	if o.BFGS {
		w, r, err = optimize.BFGS(j, start, control)
	} else {
		w, r, err = optimize.GradientDescent(j, start, o.Rate, control)
	}
	if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		return nil, err
	}
	p, bad := hyperplane.NewPlane(w[1:], w[0])
	if bad != nil {
		return nil, bad
	}
	m := &Model{plane: p, df: float64(x.Cols), report: r}
	c.centre()
	if c.measureColumns() == nil && c.spread > 0 && r.Objective()-r.Objective() == 0 {
		m.r2 = 1 - r.Objective()*c.total/c.spread
	}
	return m, r.Err(cause)
}

func (o *DescentOptions) check(p int) error {
	if err := sample.NonNegative("Rate", o.Rate); err != nil {
		return err
	}
	if o.BFGS && o.Rate != 0 {
		return &sample.OptionError{Name: "Rate", Value: o.Rate, Want: "0 with BFGS, which searches its steps"}
	}
	if _, err := sample.Positive("Tol", o.Tol, 1e-6); err != nil {
		return err
	}
	if _, err := sample.Count("MaxIter", o.MaxIter, 1); err != nil {
		return err
	}
	if o.Start != nil && len(o.Start) != p+1 {
		return &linalg.ShapeError{Want: p + 1, WantOf: "coefficients", Got: len(o.Start), GotOf: "in Start"}
	}
	return linalg.CheckFinite("start", o.Start)
}

// meanSquaredError is J as a function of (w₀, w), on the rows as they are.
type meanSquaredError struct {
	c *cloud
	r []float64 // w·(y − ŷ)
}

// scale returns (2/n)‖xⱼ‖‖y‖ for each coefficient, 1 where that is 0.
func (j *meanSquaredError) scale() []float64 {
	scale := append([]float64{math.Sqrt(j.c.total)}, j.c.norms...)
	for k, v := range scale {
		if scale[k] = 2 / j.c.total * v * math.Sqrt(j.c.spread); !(scale[k] > 0) {
			scale[k] = 1
		}
	}
	return scale
}

// Value returns J.
func (j *meanSquaredError) Value(w []float64) float64 {
	sum, _ := j.residuals(w)
	return sum / j.c.total
}

// Grad sets g to ∇J and returns J.
func (j *meanSquaredError) Grad(g, w []float64) float64 {
	sum, intercept := j.residuals(w)
	g[0] = intercept
	linalg.MulTVec(g[1:], j.c.x, j.r, j.c.workers)
	linalg.Scale(g, -2/j.c.total)
	return sum / j.c.total
}

// residuals sets r and returns Σw(y−ŷ)² and Σr.
func (j *meanSquaredError) residuals(w []float64) (squares, sum float64) {
	linalg.MulVec(j.r, j.c.x, w[1:], j.c.workers)
	for i, f := range j.r {
		r := j.c.z[i] - w[0] - f
		j.r[i] = j.c.weight(i) * r
		squares += j.r[i] * r
		sum += j.r[i]
	}
	return squares, sum
}
