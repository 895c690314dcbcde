package inference

import (
	"errors"
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/optimize/glm"
)

// ErrNoInference is wrapped by the error of [Of] where standard errors would be wrong.
var ErrNoInference = errors.New("no standard errors")

// errNoRows is the error of what needs the rows of an inference that was read from JSON.
var errNoRows = fmt.Errorf("inference: %w: it was read from JSON, which holds no rows", ErrNoInference)

// InformationError reports an information that is singular to within rounding at the
// maximum of the likelihood: the columns nearly depend on one another, or probabilities
// within rounding of 0 and 1 leave too few rows that count. Without Column the others have
// their standard errors; a penalty or Firth's correction gives a model of all.
type InformationError struct {
	Column int // a column that the ones before it nearly determine, from 0; −1 is the intercept
}

func (e *InformationError) Error() string {
	of := "the intercept"
	if e.Column >= 0 {
		of = fmt.Sprintf("column %d", e.Column)
	}
	return fmt.Sprintf("the information is singular to within rounding at %s; leave it out, or fit with a penalty or Firth's correction", of)
}

// factorOf returns the factor of the information h of a model of d.
//
// Error: *[InformationError].
func factorOf(h *linalg.Dense, d *design.Design) (*linalg.Cholesky, error) {
	factor, err := linalg.NewCholesky(h)
	if pivot := (*linalg.PivotError)(nil); errors.As(err, &pivot) {
		return nil, &InformationError{pivot.Pivot%d.Dim() - d.Intercept}
	}
	return factor, err
}

// fitted is the negative log-likelihood of the rows, its minimum and the information
// there.
type fitted struct {
	*glm.Objective
	responses
	x      linalg.Rows
	firth  bool      // the function minimised has Firth's penalty too
	theta  []float64 // the minimum
	null   []float64 // near that of the intercepts alone
	value  float64   // of the function minimised, at the minimum
	scale  []float64 // sizes that the derivatives by theta are measured in
	factor *linalg.Cholesky
}

// responses are the responses of the rows, and the constants that a likelihood leaves
// out.
type responses struct {
	share    []float64 // two classes: t, the share of the larger label among the trials of a row
	class    []int     // three and more: the index of the class
	binomial float64   // Σ w log of the binomial coefficients; 0 for rows of one trial
	rows     float64   // observations: Σw, of groups without the trials
}

// labels returns the responses of rows with one label each.
func labels(f *logistic.Likelihood) responses {
	r := responses{rows: f.Total}
	if f.Scores() > 1 {
		for _, c := range f.Y {
			r.class = append(r.class, int(c))
		}
		return r
	}
	for _, sign := range f.Y {
		r.share = append(r.share, (1+sign)/2)
	}
	return r
}

// counts returns the responses of groups of trials, whose weights are nil for all ones.
func counts(successes, trials, weights []float64) responses {
	r := responses{share: make([]float64, len(trials))}
	for i, m := range trials {
		s, w := successes[i], sample.WeightAt(weights, i)
		if m > 0 {
			r.share[i] = s / m
		}
		if m > 0 && w > 0 {
			a, _ := math.Lgamma(m + 1)
			b, _ := math.Lgamma(s + 1)
			c, _ := math.Lgamma(m - s + 1)
			r.binomial += w * (a - b - c)
			r.rows += w
		}
	}
	return r
}

// newFitted returns the state of a model on its rows.
//
// Errors: those of a pass over the rows; one that wraps [ErrNoInference] where the
// likelihood has no minimum at the model.
func newFitted(f *logistic.Likelihood, x linalg.Rows, r responses, firth bool) (*fitted, error) {
	e := &fitted{Objective: f.Objective, responses: r, x: x, firth: firth, theta: f.Theta, null: f.Null}
	return e, e.linearize()
}

// linearize factors the information at theta and checks that the gradient is small
// there.
func (e *fitted) linearize() error {
	size, err := e.Sizes()
	if err != nil {
		return err
	}
	e.scale = nil
	for range e.Functions() {
		for _, s := range size {
			if s == 0 {
				s = 1
			}
			e.scale = append(e.scale, s)
		}
	}
	p := len(e.theta)
	if err := linalg.CheckSquare(p); err != nil {
		return err
	}
	h, g, value, err := e.derivatives(e.theta)
	if err != nil {
		return err
	}
	e.value = value
	for i, v := range g {
		if c := math.Abs(v) / e.scale[i]; !(c <= 1e-6) {
			return fmt.Errorf("%w: the model does not maximise the likelihood of these data: certificate %.3g", ErrNoInference, c)
		}
	}
	e.factor, err = factorOf(h, e.Design)
	return err
}

// restricted is the function that a model minimises, of some of the parameters.
type restricted interface {
	Hold(theta []float64) // sets all parameters
	Minimize(c *optimize.Control) (theta []float64, r optimize.Report, err error)
}

// over returns the function that the model minimises, of the parameters free, the others held as
// theta has them. It has memory of its own, so that any number of goroutines may use an
// inference.
func (e *fitted) over(theta []float64, free []int) restricted {
	if e.firth {
		return glm.RestrictJeffreys(e.Own(), theta, free)
	}
	return optimize.Restrict(e.Own(), theta, free)
}

// about returns the same with another origin.
func (e *fitted) about(origin []float64) (*fitted, error) {
	d, moved := e.At(origin, e.Unit), *e
	moved.Objective, moved.theta = e.On(d), append([]float64(nil), e.theta...)
	for k := range e.Functions() {
		e.MoveTo(d, moved.theta[k*e.Dim():(k+1)*e.Dim()])
	}
	return &moved, moved.linearize()
}

// refitTol is the tolerance of fits to some of the parameters, for derivatives by them; refitExcess is by how much twice
// the log-likelihood may miss its largest value where rounding hides smaller derivatives.
const refitTol, refitExcess = 1e-10, 1e-8

// control returns the settings of a fit to some of the parameters.
func (e *fitted) control() *optimize.Control {
	return &optimize.Control{Tol: refitTol, Scale: e.scale}
}

// intercepts returns the positions of the intercepts among the parameters.
func (e *fitted) intercepts() (at []int) {
	for k := range e.Functions() * e.Intercept {
		at = append(at, k*e.Dim())
	}
	return at
}

// least returns the least value of the function that the model minimises over the
// parameters free, the others held as at has them.
func (e *fitted) least(at []float64, free []int) (float64, error) {
	_, value, err := e.minimize(e.over(at, free), free)
	return value, err
}

// minimize returns where a function of the parameters free is least, and its value there. Rounding may end the steps
// before derivatives are as small as they are to be, as in columns far from 0. The value is then some ½gᵀH⁻¹g above the
// least, which tests and intervals can do with where it is as small.
func (e *fitted) minimize(f restricted, free []int) (theta []float64, value float64, err error) {
	theta, report, err := f.Minimize(e.control())
	if report.Status() != optimize.LineSearch {
		return theta, report.Objective(), err
	}
	h, g, _, bad := e.derivatives(theta)
	if bad != nil {
		return theta, report.Objective(), bad
	}
	part, step := linalg.Zeros(len(free), len(free)), make([]float64, len(free))
	for a, i := range free {
		step[a] = g[i]
		for b, j := range free {
			part.Set(a, b, h.At(i, j))
		}
	}
	along := linalg.Clone(step)
	if factor, bad := linalg.NewCholesky(part); bad == nil {
		if factor.Solve(step); linalg.Dot(along, step) <= refitExcess {
			err = nil
		}
	}
	return theta, report.Objective(), err
}

// derivatives returns the information at theta, and the derivatives and the value of the function that the model minimises.
func (e *fitted) derivatives(theta []float64) (h *linalg.Dense, g []float64, value float64, err error) {
	own := e.Own()
	h, g = linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta))
	value = own.Hess(h, g, theta)
	if e.firth {
		value = glm.NewJeffreys(own).Grad(g, theta)
	}
	return h, g, value, own.Err()
}

// covariance returns the inverse information on the data's scale.
func (e *fitted) covariance() *linalg.Dense {
	p := len(e.theta)
	v := linalg.Gram(e.factor.InverseL(e.Workers), nil, nil, e.Workers)
	public := make([]float64, p)
	for range 2 { // once by rows, once by columns
		for i := range p {
			row := v.Row(i)
			e.ToPublic(public, row)
			copy(row, public)
		}
		t := linalg.Zeros(p, p)
		for i := range p {
			v.Col(t.Row(i), i)
		}
		v = t
	}
	return v
}

// saturated returns the least that the negative log-likelihood of the responses can be.
func (e *fitted) saturated() float64 {
	s := 0.0
	for i, t := range e.share {
		if w := e.Weight(i); w > 0 && t > 0 && t < 1 {
			s -= w * (t*math.Log(t) + (1-t)*math.Log1p(-t))
		}
	}
	return s
}

// each calls visit with the rows of positive weight, in order: row i of the data, which
// is one of the block's, with the probabilities of the classes.
func (e *fitted) each(visit func(b *design.Block, i int, p []float64)) error {
	f := e.FunctionsAt(e.theta)
	k := len(f.Levels)
	scores, p := linalg.Zeros(linalg.BlockRows, k), make([]float64, max(2, k))
	return e.EachBlock(func(b *design.Block) {
		at := scores.RowRange(0, b.Len())
		b.Scores(at, f)
		for i := range at.Rows {
			if !(e.Weight(b.Lo+i) > 0) {
				continue
			}
			if k == 1 {
				p[0], p[1] = linalg.Sigmoid(-at.At(i, 0)), linalg.Sigmoid(at.At(i, 0))
			} else {
				copy(p, at.Row(i))
				linalg.Softmax(p)
			}
			visit(b, b.Lo+i, p)
		}
	})
}

// pearson returns Pearson's χ², Σ w Σₖ (tₖ−pₖ)²/pₖ: for two classes
// Σ w(t−p)²/(p(1−p)).
func (e *fitted) pearson() (float64, error) {
	s := 0.0
	err := e.each(func(_ *design.Block, i int, p []float64) {
		if e.class == nil {
			r := pearson(e.share[i], p)
			s += e.Weight(i) * r * r
			return
		}
		// Σₖ (tₖ−pₖ)²/pₖ = 1/p_y − 1.
		y := e.class[i]
		rest := 0.0
		for k, v := range p {
			if k != y {
				rest += v
			}
		}
		s += e.Weight(i) * rest / p[y]
	})
	return s, err
}

// pearson returns (t − p)/√(p(1−p)) of a row, where p = 0 or 1 too if t is so.
func pearson(t float64, p []float64) float64 {
	switch t {
	case 0:
		return -math.Sqrt(p[1] / p[0])
	case 1:
		return math.Sqrt(p[0] / p[1])
	}
	return (t - p[1]) / math.Sqrt(p[0]*p[1])
}
