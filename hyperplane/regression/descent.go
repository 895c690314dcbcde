package regression

import (
	"cmp"
	"math"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// DescentOptions are the settings of [FitDescent]. The zero value and nil are the
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
// with Weights (1/Σv)Σv(y − ŷ)² for the weights v of the rows, from Start: w ← w − α·∇J as the textbooks have it, for those who teach it and
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
func FitDescent(x linalg.Rows, y []float64, o *DescentOptions) (*Model, error) {
	return door(x, y, o, fitDescent)
}

func fitDescent(x linalg.Rows, y []float64, o *DescentOptions) (*Model, error) {
	j, err := newMeanSquaredError(x, y, o)
	if err != nil {
		return nil, err
	}
	if err := o.check(j.P); err != nil {
		return nil, err
	}
	start := make([]float64, 1+j.P)
	copy(start, o.Start)
	control := &optimize.Control{Tol: cmp.Or(o.Tol, 1e-6), MaxIter: o.MaxIter, Scale: j.scale, Trace: o.Trace}
	var theta []float64
	var r optimize.Report
	if o.BFGS {
		theta, r, err = optimize.BFGS(j, start, control)
	} else {
		theta, r, err = optimize.GradientDescent(j, start, o.Rate, control)
	}
	if theta == nil {
		return nil, err
	}
	plane, bad := hyperplane.NewPlane(theta[1:], theta[0])
	if bad != nil {
		return nil, bad
	}
	m := &Model{plane: plane, df: float64(j.P), report: r}
	if end := r.Objective(); j.variance > 0 && end-end == 0 {
		m.r2 = 1 - end/j.variance
	}
	return m, err
}

// meanSquaredError is J as a function of (w₀, w): the objective of squared error with
// weights that add up to 2, on the rows as they are.
type meanSquaredError struct {
	*glm.Objective
	scale    []float64 // sizes of its derivatives
	variance float64   // of y
}

// newMeanSquaredError checks the training data.
func newMeanSquaredError(x linalg.Rows, y []float64, o *DescentOptions) (*meanSquaredError, error) {
	workers, err := sample.Count("Workers", o.Workers, 0)
	if err != nil {
		return nil, err
	}
	n, _, err := sample.Dims(x, len(y), "responses")
	if err != nil {
		return nil, err
	}
	total, err := sample.Weights(o.Weights, n)
	if err != nil {
		return nil, err
	}
	if err := sample.Vector("y", y, o.Weights); err != nil {
		return nil, err
	}
	shares := make([]float64, n)
	for i := range shares {
		shares[i] = 2 * sample.WeightAt(o.Weights, i) / total
	}
	d, err := design.New(x, n, "responses", design.Settings{Weights: shares, Workers: workers})
	if err != nil {
		return nil, err
	}
	_, mean, sd, err := d.Centered()
	if err != nil {
		return nil, err
	}
	w := &meanSquaredError{Objective: glm.New(d.At(nil, nil), y, loss.Squared{}, nil)}
	square, ybar := 0.0, d.Mean(y)
	for i, v := range y {
		square += shares[i] / 2 * v * v
		w.variance += shares[i] / 2 * (v - ybar) * (v - ybar)
	}
	w.scale = make([]float64, d.Dim())
	for j := range w.scale {
		size := 1.0
		if j > 0 {
			size = math.Hypot(mean[j-1], sd[j-1])
		}
		w.scale[j] = cmp.Or(2*size*math.Sqrt(square), 1)
	}
	return w, nil
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
