package optimize

import (
	"errors"
	"fmt"
	"math"

	"halfspace/linalg"
)

// Progress is the bookkeeping that all iterations share: the settings with the
// defaults filled in, the count, the cap, the caller's trace, and the report on the
// present point. [Begin] makes one. A method that knows its certificate at every
// point is the loop
//
//	run, err := Begin(f, x0, c, Defaults{Kind: KindGradient, Tol: 1e-8, MaxIter: 100})
//	for !run.Done(x, value, certificate, length) {
//		if /* no better x among those tried, each shown to run.Finite */ {
//			run.Stuck()
//			break
//		}
//	}
//	return run.Result(x)
//
// One whose certificate costs more than an iteration calls the parts of Done, Show,
// Spent and Count, each when it wants to, and ends the run by End.
type Progress struct {
	tol     float64
	maxIter int
	scale   Scale
	trace   func(Step) error
	until   func(Step) Verdict
	work    *Work
	most    int     // idle iterations; negative: any number
	failing failing // nil: the function cannot fail
	report  Report
	cause   error // of the trace, by which it stopped the run

	tried     bool // a point was tried in this iteration
	sawFinite bool // a finite one was

	best float64 // the smallest certificate so far, and
	idle int     // iterations that bettered neither it nor the objective
}

// failing is a function whose evaluation can fail, as a pass over a file does. It
// keeps its first error, and its values from then on mean nothing.
type failing interface{ Err() error }

// Defaults are the kind of a method's certificate, and the settings that hold where the
// caller leaves them open.
type Defaults struct {
	Kind    Kind
	Tol     float64
	MaxIter int
	// Idle is how many iterations may better neither the certificate nor the objective
	// before rounding counts as all that moves; 0 is 50. Methods whose steps need not
	// lower the objective have a larger one, or a negative one for any number.
	Idle int
}

// Begin checks the start and the settings. f is the function to minimise, or nil;
// where it has a method Err() error, that is asked after every evaluation.
func Begin(f any, x0 []float64, c *Control, d Defaults) (*Progress, error) {
	if c == nil {
		c = &Control{}
	}
	if err := c.check(x0); err != nil {
		return nil, fmt.Errorf("optimize: %w", err)
	}
	p := &Progress{tol: d.Tol, maxIter: d.MaxIter, scale: c.Scale, trace: c.Trace, until: c.Until, work: c.Work, most: d.Idle, best: math.Inf(1)}
	if c.Tol > 0 {
		p.tol = c.Tol
	}
	if c.MaxIter > 0 {
		p.maxIter = c.MaxIter
	}
	p.failing, _ = f.(failing)
	p.report.certificate = Certificate{Kind: d.Kind, Value: math.NaN(), Tol: p.tol}
	return p, nil
}

// Done records the point that the run has come to, shows it to the trace, and
// reports whether the run ends here: because a number there is not finite, by the
// trace, because the certificate holds, by Control.Until, because rounding is all
// that moves, or by the cap. Otherwise the next iteration has begun. length is the
// step that led here.
func (p *Progress) Done(x []float64, value, certificate, length float64) bool {
	idle := p.idles(value, certificate)
	if !finite(value) || !finite(certificate) {
		p.report.objective, p.report.certificate.Value = value, certificate
		p.report.status = NotFinite
		return true
	}
	if p.failed() != nil || p.Show(x, value, certificate, length) {
		return true
	}
	switch {
	case p.report.certificate.Holds():
		p.report.status = Converged
	case p.until != nil && p.until(Step{p.report.iterations, x, value, certificate, length}) != Continue:
		p.report.status = MaxIterations
	case idle:
		p.report.status = LineSearch
	default:
		if p.Spent() {
			return true
		}
		p.Count()
		return false
	}
	return true
}

// Traced reports whether there is a trace: without one a method need not compute numbers
// that only Show takes.
func (p *Progress) Traced() bool { return p.trace != nil }

// Show records the point, shows it to the trace, and reports whether that stopped
// the run.
func (p *Progress) Show(x []float64, value, certificate, length float64) (stopped bool) {
	r := &p.report
	r.objective, r.certificate.Value = value, certificate
	if p.trace == nil {
		return false
	}
	if p.cause = p.trace(Step{r.iterations, x, value, certificate, length}); p.cause != nil {
		r.status = Stopped
	}
	return p.cause != nil
}

// Spent reports whether as many iterations have been made as the cap allows, or all
// work is spent, and if so ends the run with status max_iterations.
func (p *Progress) Spent() bool {
	if p.report.iterations < p.maxIter && !p.work.Done() {
		return false
	}
	p.report.status = MaxIterations
	return true
}

// Allow lets another method go on from where the last has ended, for that many
// iterations more.
func (p *Progress) Allow(iterations int) {
	p.maxIter = p.report.iterations + min(iterations, math.MaxInt-p.report.iterations)
	p.report.status = None
}

// Count counts an iteration.
func (p *Progress) Count() {
	p.report.iterations++
	p.tried, p.sawFinite = false, false
}

// Finite reports whether a point that was tried, the objective and the gradient
// there (nil: not computed) are finite. A function that has failed is not.
func (p *Progress) Finite(x []float64, value float64, g []float64) bool {
	ok := finite(value) && finite(linalg.NormInf(x)) && finite(p.largest(g)) && p.failed() == nil
	p.tried = true
	p.sawFinite = p.sawFinite || ok
	return ok
}

// failed returns the function's error.
//
//go:noinline // a program would have thirty copies
func (p *Progress) failed() error {
	if p.failing == nil {
		return nil
	}
	return p.failing.Err()
}

// usualIdle is the number of idle iterations that monotone methods may make.
const usualIdle = 50

// idles counts the iterations in which the certificate was not the lowest and
// the objective fell by no more than its last bits, and reports whether there were
// so many that rounding errors must be all that moves.
func (p *Progress) idles(value, certificate float64) bool {
	switch {
	case certificate < p.best:
		p.best, p.idle = certificate, 0
	case p.report.objective-value > 0x1p-50*math.Abs(value):
		p.idle = 0
	default:
		p.idle++
	}
	return p.most >= 0 && p.idle > max(p.most, usualIdle)
}

// Stuck ends a run whose last iteration, which Done began, found no point to go
// to: status line_search, not_finite if every point tried was not finite, or max_iterations
// where it looked no further as all work was spent.
//
//go:noinline // a program would have thirty copies
func (p *Progress) Stuck() {
	p.report.iterations--
	p.report.status = LineSearch
	if p.tried && !p.sawFinite {
		p.report.status = NotFinite
	} else if p.work.Done() {
		p.report.status = MaxIterations
	}
}

// End ends the run with the status that the method claims, which [Report.Certify]
// judges.
func (p *Progress) End(s Status) { p.report.status = s }

// Report returns the report on the point last shown.
func (p *Progress) Report() Report { return p.report }

// Cause returns the error by which the trace stopped the run, nil if it did not.
func (p *Progress) Cause() error { return p.cause }

// Result makes the three results of a solver, which has no further use for x: not a copy is
// returned. A function that has failed leaves its error and no point.
func (p *Progress) Result(x []float64) ([]float64, Report, error) {
	if err := p.failed(); err != nil {
		return nil, Report{}, err
	}
	return x, p.report, p.work.end(p.report, p.cause)
}

// largest returns max |gⱼ|/scaleⱼ, NaN if g has one.
func (p *Progress) largest(g []float64) float64 { return p.largestTo(math.Inf(1), g) }

// largestTo is largest, or any derivative of more than enough.
func (p *Progress) largestTo(enough float64, g []float64) float64 {
	if p.scale == nil {
		return linalg.NormInf(g)
	}
	m := 0.0
	for ; m <= enough && len(g) >= len(p.scale); g = g[len(p.scale):] {
		for j, s := range p.scale {
			if a := math.Abs(g[j]) / s; a > m || a != a {
				m = a
			}
		}
	}
	return m
}

// unscale multiplies dⱼ by factor/Scaleⱼ²: the inverse Hessian of a function
// that is the same in every coordinate once xⱼ is measured in 1/Scaleⱼ.
func (p *Progress) unscale(d []float64, factor float64) {
	for j := range d {
		s := p.scale.At(j)
		d[j] = d[j] * factor / s / s
	}
}

// sumOfSquares returns Σ (vⱼ/Scaleⱼ)².
func (p *Progress) sumOfSquares(v []float64) float64 {
	if p.scale == nil {
		return linalg.Dot(v, v)
	}
	s := 0.0
	for j, x := range v {
		x /= p.scale.At(j)
		s += x * x
	}
	return s
}

// rounding returns the size below which a difference of two objectives near v
// says nothing: they are sums whose rounding errors are that large.
func rounding(v float64) float64 { return math.Abs(v) * 0x1p-40 }

// along sets dst to x + t·d.
func along(dst, x []float64, t float64, d []float64) {
	for j, v := range x {
		dst[j] = v + t*d[j]
	}
}

// errSpent is the cause of a run that its work ended.
var errSpent = errors.New("all the work of a fit without a cap of iterations (MaxIter) is spent")

// end returns the error of a run with a report, nil of one that has converged.
func (w *Work) end(r Report, cause error) error {
	if cause == nil && r.status == MaxIterations && w.Done() {
		cause = errSpent
	}
	if err := r.Err(cause); err != nil {
		return fmt.Errorf("optimize: %w", err)
	}
	return nil
}
