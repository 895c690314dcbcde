package optimize

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
)

// walk is the bookkeeping that every solver shares: its settings with the
// defaults filled in, the trace, and the report on the point that it stands at.
type walk struct {
	tol     float64
	maxIter int
	scale   []float64 // nil is 1
	trace   func(Step) error
	report  Report
	cause   error // the trace's

	tried     bool // a point, in this iteration
	sawFinite bool // one that was

	best float64 // the smallest certificate so far, and
	idle int     // iterations that bettered neither it nor the objective
	// roams marks a walk whose steps need not lower the objective.
	roams bool
}

// newWalk checks the start and the settings. tol and maxIter are the solver's
// defaults, kind names its certificate.
func newWalk(x0 []float64, c *Control, kind Kind, tol float64, maxIter int) (*walk, error) {
	w := &walk{tol: tol, maxIter: maxIter, best: math.Inf(1)}
	if err := w.set(len(x0), c); err != nil {
		return nil, fmt.Errorf("optimize: %w", err)
	}
	if len(x0) == 0 {
		return nil, fmt.Errorf("optimize: %w", &linalg.ShapeError{Want: 1, WantOf: "coordinate needed", Got: 0, GotOf: "in the start"})
	}
	if err := linalg.CheckFinite("start", x0); err != nil {
		return nil, fmt.Errorf("optimize: %w", err)
	}
	w.report.certificate = Certificate{Kind: kind, Value: math.NaN(), Tol: w.tol}
	return w, nil
}

func (w *walk) set(p int, c *Control) error {
	if c == nil {
		return nil
	}
	if !(c.Tol >= 0) || math.IsInf(c.Tol, 1) {
		return fmt.Errorf("option Tol is %v, want a finite number ≥ 0", c.Tol)
	}
	if c.MaxIter < 0 {
		return fmt.Errorf("option MaxIter is %d, want ≥ 0", c.MaxIter)
	}
	if c.Scale != nil && len(c.Scale) != p {
		return &linalg.ShapeError{Want: p, WantOf: "coordinates", Got: len(c.Scale), GotOf: "scales"}
	}
	for j, s := range c.Scale {
		if !(s > 0) || math.IsInf(s, 1) {
			return fmt.Errorf("option Scale[%d] is %v, want a finite number > 0", j, s)
		}
	}
	if c.Tol > 0 {
		w.tol = c.Tol
	}
	if c.MaxIter > 0 {
		w.maxIter = c.MaxIter
	}
	w.scale, w.trace = c.Scale, c.Trace
	return nil
}

// gradient returns max |gⱼ|/scaleⱼ, NaN if g has one.
func (w *walk) gradient(g []float64) float64 {
	if w.scale == nil {
		return linalg.NormInf(g)
	}
	m := 0.0
	for j, v := range g {
		if a := math.Abs(v) / w.scale[j]; a > m || a != a {
			m = a
		}
	}
	return m
}

// arrive records the point that the walk has come to, the iteration it is, shows
// it to the trace, and reports whether the walk ends here. length is the step
// that led here.
func (w *walk) arrive(x []float64, value, certificate, length float64) bool {
	r := &w.report
	idle := w.idles(value, certificate)
	r.objective, r.certificate.Value = value, certificate
	if !finite(value) || !finite(certificate) {
		r.status = NotFinite
		return true
	}
	if w.trace != nil {
		if w.cause = w.trace(Step{r.iterations, x, value, certificate, length}); w.cause != nil {
			r.status = Stopped
			return true
		}
	}
	if r.certificate.Holds() {
		r.status = Converged
		return true
	}
	if idle {
		r.status = LineSearch
		return true
	}
	if r.iterations == w.maxIter {
		r.status = MaxIterations
		return true
	}
	r.iterations++
	w.tried, w.sawFinite = false, false
	return false
}

// probe reports whether a point that was tried, the objective and the gradient
// there are finite.
func (w *walk) probe(x []float64, value float64, g []float64) bool {
	ok := finite(value) && finite(linalg.NormInf(x)) && finite(w.gradient(g))
	w.tried = true
	w.sawFinite = w.sawFinite || ok
	return ok
}

// idles counts the iterations in which the certificate was not the lowest and
// the objective fell by no more than its last bits, and reports whether there were
// fifty: rounding errors are all that moves.
func (w *walk) idles(value, certificate float64) bool {
	switch {
	case certificate < w.best:
		w.best, w.idle = certificate, 0
	case w.report.objective-value > 0x1p-50*math.Abs(value):
		w.idle = 0
	default:
		w.idle++
	}
	return w.idle > 50 && !w.roams
}

// stuck ends a walk whose last iteration found no point to go to: status
// line_search, or not_finite if every point tried was not finite.
func (w *walk) stuck() {
	w.report.iterations--
	w.report.status = LineSearch
	if w.tried && !w.sawFinite {
		w.report.status = NotFinite
	}
}

// end makes the three results of a solver.
func (w *walk) end(x []float64) ([]float64, Report, error) {
	err := w.report.Err(w.cause)
	if err != nil {
		err = fmt.Errorf("optimize: %w", err)
	}
	return slices.Clone(x), w.report, err
}

func finite(v float64) bool { return v-v == 0 }

// rounding returns the size below which a difference of two objectives near v
// says nothing: they are sums whose rounding errors are that large.
func rounding(v float64) float64 { return math.Abs(v) * 0x1p-40 }

// move sets dst to x + t·d.
func move(dst, x []float64, t float64, d []float64) {
	for j, v := range x {
		dst[j] = v + t*d[j]
	}
}
