package path

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/optimize"
)

// defaultTol is the tolerance of the gap of a path's fits where the caller has none: what
// derivatives of glmnet's order of accuracy prove of nearly all fits. Most gaps are some 1e-5,
// for a gap is proportional to derivatives, and their squares are the excess.
const defaultTol = 1e-3

// Run fits one λ after the other, each from those before (Friedman, Hastie &
// Tibshirani, J. Stat. Software 33, 2010; ESL §18.4), and hands the fits to
// Settings.Add. For one score several λ share a pass over the rows, on a copy of x
// that has the features side by side, of a wide table those that come near to use. Of rows in a file
// there is no copy that is larger than these allow.
//
// Errors: one that wraps [optimize.ErrNotConverged] where a fit does not converge,
// *[linalg.RangeError] for a λmax that is infinite, those of Add and of the storage.
func (p *Problem) Run(s Settings) error {
	grid, err := p.grid(s)
	if err != nil {
		return err
	}
	if err := p.copyMany(false); err != nil {
		return err
	}
	w := &walk{Problem: p, s: s, lambdas: grid, tol: s.Tol}
	switch {
	case w.tol > 0:
	case p.Proves():
		w.tol = defaultTol
	default:
		w.tol = usualDerivative
	}
	w.progress, err = optimize.Begin(p.Objective, p.Null(), &optimize.Control{Trace: s.Trace}, optimize.Defaults{Kind: w.kind(), Tol: w.tol})
	if err != nil {
		return err
	}
	if w.nullValue, err = p.nullDeviance(); err != nil {
		return err
	}
	theta := p.Null()
	if p.batched() {
		b, err := newBatches(w)
		if err != nil {
			return err
		}
		if end, err := b.run(); end || err != nil {
			return err
		}
		theta = b.last().theta
		if p.wide() {
			if err := p.copyColumns(); err != nil {
				return err
			}
		}
	}
	return w.oneByOne(theta)
}

// oneByOne fits the λ that are left, from theta on: over the columns of sparse rows two at a time.
func (w *walk) oneByOne(theta []float64) error {
	lanes, err := w.lanes()
	if err != nil {
		return err
	}
	past, loss := []held{hold(math.Inf(1), theta)}, w.atNull
	for len(w.lambdas) > 0 {
		fits, errs := make([]Fit, min(len(lanes), len(w.lambdas))), make([]error, len(lanes))
		linalg.For(len(fits), 1, w.Workers, func(i, _ int) {
			l, lambda := &lanes[i], w.lambdas[i]
			l.Work = optimize.WorkOn(w.N, w.P, w.s.MaxIter)
			c := &optimize.Control{Tol: w.tol, MaxIter: w.s.MaxIter, Scale: w.scale(lambda), Work: l.Work}
			next := w.foretell(past, lambda)
			var report optimize.Report
			if w.smooth() {
				next, report, errs[i] = l.ridge(lambda, next, c)
			} else {
				next, report, errs[i] = l.solve(&l.solver, lambda, next, loss, c)
			}
			if next != nil {
				fits[i] = l.ended(w.fit(lambda, next, report))
			}
		})
		for i, f := range fits {
			if err := errs[i]; err != nil && !(f.Theta != nil && w.s.Judges) {
				return fmt.Errorf("λ = %g: %w", w.lambdas[0], err)
			}
			if end, err := w.add(f); end || err != nil {
				return err
			}
			loss = f.Objective - w.value(f.Lambda, f.Theta)
			past = append([]held{hold(f.Lambda, f.Theta)}, past[:min(len(past), 2)]...)
		}
		if last := lanes[len(fits)-1]; len(fits) > 1 {
			lanes[0].screened.Follow(last.screened)
		}
	}
	return nil
}

// lane is a problem that fits one λ after the other, beside others.
type lane struct {
	*Problem
	solver optimize.Proximal
}

// lanes returns as many as fits go side by side: the descents of one leave other workers idle.
//
// Errors: those of the storage.
func (w *walk) lanes() ([]lane, error) {
	lanes := []lane{{Problem: w.Problem, solver: optimize.Proximal{Workers: w.Workers}}}
	if w.Scores() > 1 || !w.overColumns() {
		return lanes, nil
	}
	if err := w.copyColumns(); err != nil {
		return nil, err
	}
	return append(lanes, lane{Problem: w.twin(), solver: optimize.Proximal{Workers: w.Workers}}), nil
}

// nullDeviance returns the objective of the intercepts alone, between which and 0
// deviance ratios are measured. The last digits of their fit change no ratio, so one that
// ends above its tolerance is taken.
func (p *Problem) nullDeviance() (float64, error) {
	if p.levelsAlone() {
		return p.atNull, nil
	}
	theta := make([]float64, p.Parameters())
	var levels []int
	for _, at := range p.free {
		if p.Intercept == 1 && at%p.Dim() == 0 {
			levels = append(levels, at)
		}
	}
	if levels == nil {
		return p.f.Value(theta), p.Err()
	}
	report, err := p.fitOver(theta, levels)
	if errors.Is(err, optimize.ErrNotConverged) {
		err = nil
	}
	return report.Objective(), err
}

// Path is a sequence of fits of one model M, from the most to the least penalised.
type Path[M any] struct {
	Parameter string // of the penalty: "lambda", or "alpha" of a regularised discriminant analysis
	Points    []Point[M]
}

// Point is one fit of a path.
type Point[M any] struct {
	Penalty   float64 // the value of Path.Parameter
	DF        float64 // features with a non-zero coefficient; of a ridge regression the trace of the hat matrix
	DevRatio  float64 // share of the null deviance that the fit explains, R² of a regression; NaN where there is none
	Objective float64 // penalty included
	Report    optimize.Report
	Model     M
}

// Penalties returns the grid of the path.
func (p *Path[M]) Penalties() []float64 {
	grid := make([]float64, len(p.Points))
	for k, point := range p.Points {
		grid[k] = point.Penalty
	}
	return grid
}

// Models returns the models of the path, nil for a nil path.
func (p *Path[M]) Models() []M {
	if p == nil {
		return nil
	}
	models := make([]M, len(p.Points))
	for k, point := range p.Points {
		models[k] = point.Model
	}
	return models
}

// String returns a table with a line for each point, as R's print of a glmnet.
func (p *Path[M]) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%8s %10s %12s %12s\n", "df", "dev.ratio", p.Parameter, "objective")
	for _, q := range p.Points {
		fmt.Fprintf(&b, "%8.4g %10.4f %12.5g %12.6g\n", q.DF, q.DevRatio, q.Penalty, q.Objective)
	}
	return b.String()
}

// MarshalJSON writes the points with their models; UnmarshalJSON reads them back.
func (p Path[M]) MarshalJSON() ([]byte, error) { return record.Plain(p) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Path[M]) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, p) }
