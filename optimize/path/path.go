package path

import (
	"fmt"
	"math"
	"slices"

	"halfspace/optimize"
)

// defaultTol is the tolerance of a path's fits where the caller has none: glmnet's
// order of accuracy. See [Settings.Tol].
const defaultTol = 1e-5

// Settings are what a path takes from the options of its caller, checked.
type Settings struct {
	// Lambdas is the grid, in any order; nil is Count values (0: 100), evenly spaced on
	// the log scale from [Problem.LambdaMax] down to MinRatio of it (0: 0.0001, or 0.01
	// with fewer rows than features).
	Lambdas  []float64
	Count    int
	MinRatio float64

	// A path on the default grid ends early: see [Stop].
	Stop Stop

	// Tol is the tolerance of the certificate, the shortest subgradient in the sizes of
	// the columns; 0 is 1e-5, and for one score down to a tenth of it as the objective
	// falls, so that the objective's error stays small beside it.
	Tol     float64
	MaxIter int

	// Add takes in the fits, in the order of falling λ; its error ends the path. It sees
	// those that did not converge only where it is to judge them: the path then goes on
	// from those that it takes.
	Add    func(Fit) error
	Judges bool

	// Trace is called once a λ, after Add; its error stops the path.
	Trace func(optimize.Step) error
}

// Fit is one fit of a path, as a solver sees it.
type Fit struct {
	Lambda    float64
	Theta     []float64 // parameters of the K scores, for reading during the call of Add alone
	DF        int       // features with a non-zero coefficient
	DevRatio  float64   // share of the null deviance that the fit explains; 0 if there is none
	Objective float64   // penalty included

	// Value and Gradient are those of the objective without penalty, where the path knows
	// them better than the objective's memo: a nil Gradient costs no pass. Derivatives that
	// bounds prove to be held by the penalty are given the largest size that it holds.
	Value    float64
	Gradient []float64

	Report optimize.Report
}

// Run fits one λ after the other, each from those before (Friedman, Hastie &
// Tibshirani, J. Stat. Software 33, 2010; ESL 18.4), and hands the fits to
// Settings.Add. For one score several λ share a pass over the rows, on a copy of x
// that has the features side by side.
//
// Errors: one that wraps [optimize.ErrNotConverged] where a fit does not converge,
// *[linalg.RangeError] for a λmax that is infinite, those of Add and of the storage.
func (p *Problem) Run(s Settings) error {
	grid, err := p.grid(s)
	if err != nil {
		return err
	}
	w := &walk{Problem: p, s: s, lambdas: grid, tol: s.Tol}
	if w.tol == 0 {
		w.tol = defaultTol
	}
	w.progress, err = optimize.Begin(p.Objective, p.null, &optimize.Control{Trace: s.Trace}, optimize.Defaults{Kind: optimize.KindKKT, Tol: w.tol})
	if err != nil {
		return err
	}
	if w.nullValue, err = p.nullDeviance(); err != nil {
		return err
	}
	theta := p.null
	if p.Scores() == 1 {
		b, err := newBatches(w)
		if err != nil {
			return err
		}
		if end, err := b.run(); end || err != nil {
			return err
		}
		theta = b.last().theta
	}
	return w.oneByOne(theta)
}

// walk is the state of a path: the λ that are left, and what the fits before tell.
type walk struct {
	*Problem
	s         Settings
	lambdas   []float64 // those to come
	tol       float64
	nullValue float64            // the objective of the intercepts alone
	progress  *optimize.Progress // counts the fits
	devRatio  float64            // of the last fit
}

// oneByOne fits the λ that are left, from theta on.
func (w *walk) oneByOne(theta []float64) error {
	var solver optimize.Proximal
	var before []float64
	last, oneBefore := math.NaN(), math.NaN()
	for _, lambda := range slices.Clone(w.lambdas) {
		start := extrapolate(theta, before, lambda, last, oneBefore)
		c := &optimize.Control{Tol: w.tol, MaxIter: w.s.MaxIter, Scale: w.scale(lambda)}
		next, report, err := w.minimize(&solver, lambda, start, c)
		if err != nil && !(next != nil && w.s.Judges) {
			return fmt.Errorf("λ = %g: %w", lambda, err)
		}
		if last == last {
			before = theta
		}
		theta, last, oneBefore = next, lambda, last
		if end, err := w.add(w.fit(lambda, theta, report)); end || err != nil {
			return err
		}
	}
	return nil
}

// fit describes a fit at λ.
func (w *walk) fit(lambda float64, theta []float64, report optimize.Report) Fit {
	f := Fit{Lambda: lambda, Theta: theta, DF: w.df(theta), Objective: report.Objective(), Report: w.certify(theta, report)}
	if w.nullValue > 0 {
		f.DevRatio = 1 - (f.Objective-w.value(lambda, theta))/w.nullValue
	}
	return f
}

// add hands a fit to the caller and reports whether the path ends with it, or before
// it.
func (w *walk) add(f Fit) (end bool, err error) {
	automatic := w.s.Lambdas == nil
	if automatic && w.s.Stop.tooMany(f) {
		return true, nil
	}
	w.lambdas = w.lambdas[1:]
	if err := w.s.Add(f); err != nil {
		return true, err
	}
	if w.progress.Show(f.Theta, f.Objective, f.Report.Certificate().Value, 1) {
		return true, w.progress.Report().Err(w.progress.Cause())
	}
	w.progress.Count()
	gain := f.DevRatio - w.devRatio
	w.devRatio = f.DevRatio
	return automatic && w.s.Stop.enough(f, gain, w.progress.Report().Iterations()), nil
}

// df counts the features with a non-zero coefficient.
func (p *Problem) df(theta []float64) int {
	df, dim := 0, p.Dim()
	for j := p.Intercept; j < dim; j++ {
		for at := j; at < len(theta); at += dim {
			if theta[at] != 0 {
				df++
				break
			}
		}
	}
	return df
}

// nullDeviance returns the objective of the intercepts alone, between which and 0
// deviance ratios are measured.
func (p *Problem) nullDeviance() (float64, error) {
	if p.unpenalized() == nil {
		return p.atNull, nil
	}
	theta := make([]float64, len(p.null))
	var levels []int
	for at := 0; at < len(theta); at += p.Dim() {
		if p.Intercept == 1 && at != p.f.at {
			levels = append(levels, at)
		}
	}
	if levels == nil {
		return p.f.Value(theta), p.Err()
	}
	report, err := p.fitOver(theta, levels)
	return report.Objective(), err
}

// farthest bounds how many times the distance between two fits the line through
// them is followed.
const farthest = 2

// extrapolate returns where the line through the fits at the last two λ comes to at
// the next one; coefficients that would change sign, or are 0, are 0. Without a fit
// before the last one it is the last one.
func extrapolate(at, before []float64, lambda, last, oneBefore float64) []float64 {
	next := slices.Clone(at)
	if before == nil || !(oneBefore > last) {
		return next
	}
	t := (last - lambda) / (oneBefore - last)
	if t > farthest {
		return next
	}
	for j, v := range at {
		if b := before[j]; v*b > 0 {
			if next[j] = v + t*(v-b); next[j]*v <= 0 {
				next[j] = 0
			}
		}
	}
	return next
}
