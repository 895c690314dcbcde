package logistic

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/path"
)

// PathOptions are the settings of a path of fits over λ. The zero value and nil are the
// defaults.
type PathOptions struct {
	// Of the options of a fit, Lambda, Start, Reference and Firth are refused, and Trace is
	// called once a λ.
	//
	// Tol is the tolerance of every fit's certificate, the duality gap relative to the
	// objective; 0 is 1e-3. The gap is proportional to derivatives, and the excess to their
	// squares. With the default a fit ends with derivatives of at most 1e-5 in the sizes of the
	// columns, for two classes down to 1e-6 in proportion to the square root of the objective,
	// or of less where the gap asks for that: most gaps are then some 1e-5, and the objective is
	// above its minimum by about 1e-8 of itself.
	Options

	// Lambdas is the grid; nil is Count values, evenly spaced on the log scale,
	// from the least λ at which all penalised coefficients are 0 down to MinRatio
	// of it. It is visited in descending order, to its end: the four fields below are for
	// a grid of the path's own, and refused beside a list.
	Lambdas  []float64
	Count    int     // 0 is 100; at most 1,048,576
	MinRatio float64 // 0 is 0.0001, or 0.01 with fewer rows than features

	// A path on the default grid ends early, but not before the fifth λ, after a
	// fit that explains more than MaxDevRatio of the null deviance (0 is 0.99901) or
	// less than 8e-6 of it beyond the one before, and before one that has more than
	// MaxDF features (0 is no limit): glmnet's rules, see [path.Stop].
	MaxDevRatio float64
	MaxDF       int
}

// Path is a sequence of fits over falling λ.
type Path = path.Path[*Model]

// FitPath fits the labels y on the rows of x with an elastic net for a sequence
// of λ, each fit starting from the one before (Friedman, Hastie & Tibshirani,
// J. Stat. Software 33, 2010; ESL §4.4.4 and §18.4). For two classes
// several λ share a pass over the rows, on a copy of x that has the features side
// by side, of a wide table in memory those alone that come near to use.
//
// Errors: those of [Fit] for bad input and for unpenalised features. Where a fit
// does not converge or the Trace stops it, the path up to there is returned with
// the error, which wraps [optimize.ErrNotConverged].
func FitPath(x linalg.Rows, y []int, o *PathOptions) (*Path, error) {
	if o == nil {
		o = &PathOptions{}
	}
	path, err := fitPath(x, y, o)
	return path, wrap(err)
}

func (o *PathOptions) checkPath(p int) error {
	if err := sample.Unused(o, "as a path has a penalty and starts of its own", "Lambda", "Start", "Reference", "Firth"); err != nil {
		return err
	}
	if o.Lambdas != nil {
		if err := sample.Unused(o, "as Lambdas is the grid", "Count", "MinRatio", "MaxDevRatio", "MaxDF"); err != nil {
			return err
		}
	}
	if err := path.CheckCount(o.Count); err != nil {
		return err
	}
	if o.MinRatio != 0 {
		if err := sample.Fraction("MinRatio", o.MinRatio); err != nil {
			return err
		}
	}
	if err := sample.Fraction("MaxDevRatio", o.MaxDevRatio); err != nil {
		return err
	}
	if _, err := sample.Count("MaxDF", o.MaxDF, p); err != nil {
		return err
	}
	if o.Lambdas != nil && len(o.Lambdas) == 0 {
		return &linalg.ShapeError{Want: 1, WantOf: "λ or more needed", Got: 0, GotOf: "in Lambdas"}
	}
	for _, l := range o.Lambdas {
		if _, err := sample.Positive("Lambdas", l, math.NaN()); err != nil || l == 0 {
			return &sample.OptionError{Name: "Lambdas", Value: l, Want: "positive and finite"}
		}
		if err := o.checkPenalty("Lambdas", l); err != nil {
			return err
		}
	}
	return nil
}

func fitPath(x linalg.Rows, y []int, o *PathOptions) (*Path, error) {
	p, err := newProblem(x, y, &o.Options)
	if err != nil {
		return nil, err
	}
	if err := o.checkPath(p.d.P); err != nil {
		return nil, err
	}
	if err := p.readyForPasses(); err != nil {
		return nil, err
	}
	q, err := p.elasticNet(true)
	if err != nil {
		return nil, err
	}
	w := &pathFit{problem: p, q: q, path: &Path{Parameter: "lambda"}}
	err = q.Run(path.Settings{Lambdas: o.Lambdas, Count: o.Count, MinRatio: o.MinRatio,
		Stop: path.Stop{MaxDevRatio: o.MaxDevRatio, MaxDF: o.MaxDF}, Tol: o.Tol, MaxIter: o.MaxIter, Add: w.add, Trace: q.Public(o.Trace)})
	if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		return nil, err
	}
	return w.path, err
}

// pathFit makes models of the fits of a path.
type pathFit struct {
	*problem
	q    *path.Problem
	path *Path // apart from the problem, which is not to be held by it
}

// add appends a fit.
func (w *pathFit) add(f path.Fit) error {
	m := ElasticNet
	if w.o.L1Ratio == 0 {
		m = Ridge
	}
	model, err := w.model(w.q.Symmetric(f.Theta), m, f.Report), f.Report.Err(nil)
	model.coef = linalg.Pack(model.coef.Matrix())
	if len(w.path.Points) > 0 { // a wide path would hold its origin a hundred times
		if first := w.path.Points[0].Model; slices.Equal(first.origin, model.origin) {
			model.origin, model.far = first.origin, first.far
		}
	}
	w.path.Points = append(w.path.Points, path.Point[*Model]{Penalty: f.Lambda, DF: float64(f.DF), DevRatio: f.DevRatio,
		Objective: f.Objective, Report: f.Report, Model: model})
	if err != nil {
		return fmt.Errorf("λ = %g: %w", f.Lambda, err)
	}
	return nil
}
