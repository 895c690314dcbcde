package optimize

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
)

// Stage is the turn of one method in a [Run].
type Stage struct {
	Name string // for readers of a plan

	// When reports whether the stage has its turn. r is the report on the point x
	// reached so far, of status None before anything was certified; v is the verdict
	// by which the last stage was left, Continue if it ended by itself. A nil When
	// gives the stage its turn unless the run has converged.
	When func(x []float64, r Report, v Verdict) bool

	// Solve goes on from x, to which it does not write, and returns what a solver of
	// this package returns. c has the caller's Tol and Scale, the iterations that are
	// left (0: nobody has set a cap), a Trace and an Until: a solver takes it as it is,
	// or a copy with other settings. A Solve that only finds a start returns it with
	// the zero Report; that start is not certified, counted or shown.
	Solve func(x []float64, c *Control) ([]float64, Report, error)

	// Until, where it is not nil, is asked after each iteration but the last, and ends
	// the stage unless it answers Continue. Step.Iteration counts from the stage's start.
	Until func(Step) Verdict
}

// Run minimises by one stage after the other, each from where the last has come to,
// until certify says of the point to be published that its certificate holds.
//
// certify returns the objective and the certificate that the report will state, or
// the error of a pass over the data that failed. It is called at the result of each
// stage, unless its rule has ended it and another follows in any case; so an objective
// that remembers its last point spares the passes.
//
// The iterations of all stages count, are shown to c.Trace as one sequence (of the
// stages' starts only the first), and are bounded together by c.MaxIter, where 0
// leaves each stage its own cap, and by c.Work; c.Until is not asked, as each stage has its own. The status follows by [Report.Certify] from that of the
// last stage. A stage that leads to a point whose objective or certificate is not
// finite, or that was given its turn at a certificate that held and leaves one that
// does not, is undone but for its iterations.
//
// Run returns the last finite point and an error that wraps [ErrNotConverged], as
// solvers do, or no point and an error: of wrong arguments, or that of a stage or of
// certify as it is.
func Run(x0 []float64, c *Control, certify func(x []float64) (float64, Certificate, error), stages ...Stage) ([]float64, Report, error) {
	if c == nil {
		c = &Control{}
	}
	if err := c.check(x0); err != nil {
		return nil, Report{}, fmt.Errorf("optimize: %w", err)
	}
	r := &relay{control: c, certify: certify, x: x0, n: len(x0)}
	for i, s := range stages {
		if !r.wants(s) {
			continue
		}
		if r.spent() {
			break
		}
		r.onward = i+1 < len(stages) && stages[i+1].When == nil
		if err := r.turn(s); err != nil {
			return nil, Report{}, err
		}
		if r.report.status == Stopped {
			break
		}
	}
	return r.result()
}

// relay is the state of a Run.
type relay struct {
	control *Control
	certify func(x []float64) (float64, Certificate, error)

	x         []float64 // the last finite point; nil while a stage has its turn, if most of it is 0:
	n         int       // of so many coordinates
	held      []float64 // the place of each that is not, and its value
	report    Report    // on x
	certified bool      // report has x's own certificate
	verdict   Verdict   // on the last stage
	left      bool      // x is where its rule ended a stage: the report is not x's own, but its status is
	onward    bool      // another stage follows the present one unless that converges
	shown     bool      // the trace has seen the start
	cause     error     // why the last stage was stopped
}

// wants reports whether the stage has its turn.
func (r *relay) wants(s Stage) bool {
	if s.When != nil {
		return s.When(r.point(), r.report, r.verdict)
	}
	return r.report.status != Converged
}

// point returns the last finite point.
//
//go:noinline // programs would have a copy of the function for each caller
func (r *relay) point() []float64 {
	if r.x == nil {
		r.x = make([]float64, r.n)
		for i := 0; i < len(r.held); i += 2 {
			r.x[int(r.held[i])] = r.held[i+1]
		}
	}
	return r.x
}

// A point is held by the coordinates that are not 0 where they are one in so many at most.
const mostHeld = 8

// lend is point for a stage.
func (r *relay) lend() []float64 {
	x, stored := r.point(), 0
	for _, v := range x {
		if v != 0 {
			stored++
		}
	}
	if mostHeld*stored > r.n {
		return x
	}
	r.x, r.held = nil, r.held[:0]
	for j, v := range x {
		if v != 0 {
			r.held = append(r.held, float64(j), v)
		}
	}
	return x
}

// spent reports whether the iterations or the work are used up, and if so says that this is why
// a run that has not converged ends.
func (r *relay) spent() bool {
	if (r.control.MaxIter == 0 || r.report.iterations < r.control.MaxIter) && !r.control.Work.Done() {
		return false
	}
	if r.report.status != Converged {
		r.report.status = MaxIterations
	}
	return true
}

// turn runs the stage and keeps its result if it is better than none.
func (r *relay) turn(s Stage) error {
	x, now, err := s.Solve(r.lend(), r.lead(s))
	if err != nil && !errors.Is(err, ErrNotConverged) {
		return err
	}
	if now.status == None {
		r.restart(x)
		return nil
	}
	if r.cause != nil {
		now.status = Stopped
	} else if now.status == Stopped {
		r.cause = err
	}
	now.iterations += r.report.iterations
	if r.onward && r.verdict != Continue && r.cause == nil && finite(now.objective) {
		r.x, r.report, r.certified, r.left = x, now, false, true
		return nil
	}
	objective, certificate, err := r.certify(x)
	if err != nil {
		return err
	}
	now.judge(objective, &certificate)
	switch stopped := now.status == Stopped; {
	case !finite(objective) || !finite(certificate.Value):
		if stopped {
			r.report.status = Stopped
		} else if !r.certified && !r.left {
			r.report.status = NotFinite
		}
		r.report.iterations = now.iterations
	case r.report.status == Converged && now.status != Converged && !stopped:
		r.report.iterations = now.iterations
	default:
		r.x, r.report, r.certified, r.left = x, now, true, false
	}
	return nil
}

// restart lets the next stage begin at x, of which nothing is known.
func (r *relay) restart(x []float64) {
	if slices.Equal(x, r.point()) {
		return
	}
	r.x, r.certified, r.left = x, false, false
	if r.report.status != None {
		r.report.status = LineSearch
	}
}

// lead returns the control under which the stage runs.
func (r *relay) lead(s Stage) *Control {
	c := *r.control
	if c.MaxIter > 0 {
		c.MaxIter -= r.report.iterations
	}
	if c.Trace != nil {
		c.Trace = r.show
	}
	r.verdict, c.Until = Continue, nil
	if s.Until != nil {
		c.Until = func(step Step) Verdict {
			r.verdict = s.Until(step)
			return r.verdict
		}
	}
	return &c
}

// show forwards a step to the caller's trace, its iteration counted from the first
// stage on.
func (r *relay) show(s Step) error {
	if s.Iteration == 0 && r.shown {
		return nil
	}
	r.shown = true
	s.Iteration += r.report.iterations
	r.cause = r.control.Trace(s)
	return r.cause
}

// result certifies a point that no stage has certified, and makes the three results.
func (r *relay) result() ([]float64, Report, error) {
	if !r.certified {
		objective, certificate, err := r.certify(r.point())
		if err != nil {
			return nil, Report{}, err
		}
		if r.report.judge(objective, &certificate); !finite(objective) || !finite(certificate.Value) {
			r.report.status = NotFinite
		}
	}
	return linalg.Clone(r.point()), r.report, r.control.Work.end(r.report, r.cause)
}

// Pace returns a rule for Stage.Until that leaves a stage as TooSlow: once it has
// made patience iterations since iteration from, and at the pace at which the
// certificate has fallen since then (as a geometric sequence) it would take more
// than most others to come down to tol.
//
//go:noinline // programs would have a copy of the function for each caller
func Pace(tol float64, from, patience int, most float64) func(Step) Verdict {
	first := 0.0
	return func(s Step) Verdict {
		made := s.Iteration - from
		if made == 0 {
			first = s.Certificate
		}
		if made >= patience && float64(made)*math.Log(s.Certificate/tol) > most*math.Log(first/s.Certificate) {
			return TooSlow
		}
		return Continue
	}
}
