package logistic

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/penalty"
)

// PathOptions are the settings of a path of fits over λ. The zero value and a nil
// pointer are the defaults.
type PathOptions struct {
	// Lambda, Start and Firth are not used; Trace is called once a λ. Tol 0 is 1e-5,
	// for two classes down to a tenth of it as the likelihood falls: the objective
	// then is some 1e-8 of itself above the least, up to 1e-6 near as many features as
	// rows. For more classes it is 1e-6 where there are far more features, and up to
	// 1e-4 of what it is without them where separated classes let it come near 0.
	Options

	// Lambdas is the grid; nil is Count values, evenly spaced on the log scale,
	// from the least λ at which all penalised coefficients are 0 down to MinRatio
	// of it. It is visited in descending order.
	Lambdas  []float64
	Count    int     // 0 is 100
	MinRatio float64 // 0 is 0.0001, or 0.01 with fewer rows than features

	// A path on the default grid ends early, but not before the fifth λ, after a
	// fit that explains more than MaxDevRatio of the null deviance (0 is 0.999) or
	// less than 8e-6 of it beyond the one before, and before one that has more than
	// MaxDF features (0 is no limit). These are glmnet's rules; its gain is 1e-5, and
	// the smaller one keeps every λ that glmnet's tolerance lets it reach.
	MaxDevRatio float64
	MaxDF       int
}

const (
	defaultPathTol = 1e-5
	leastGain      = 8e-6
	leastPoints    = 5
)

// Path is a sequence of fits of one model over falling λ.
type Path struct {
	Points []Point
}

// Point is one fit of a path.
type Point struct {
	Lambda    float64
	DF        int     // features with a non-zero coefficient
	DevRatio  float64 // share of the null deviance that the fit explains; 0 if there is none
	Objective float64
	Model     *Model // its Report holds the certificate
}

// FitPath fits the labels y on the rows of x with an elastic net for a sequence
// of λ, each fit starting from the one before (Friedman, Hastie & Tibshirani,
// J. Stat. Software 33, 2010; ESL 4.4.4 and 18.4). For two classes
// several λ share a pass over the rows, on a copy of x that has the features side
// by side.
//
// Errors: those of [Fit] for bad input and for unpenalised features. Where a fit
// does not converge or the Trace stops it, the path up to there is returned with
// the error, which wraps [optimize.ErrNotConverged].
func FitPath(x linalg.Matrix, y []int, o *PathOptions) (*Path, error) {
	if o == nil {
		o = &PathOptions{}
	}
	path, err := fitPath(x, y, o)
	return path, wrap(err)
}

func (o *PathOptions) checkPath(p int) error {
	if o.Firth {
		return &sample.OptionError{Name: "Firth", Value: 1, Want: "false for a path"}
	}
	if _, err := sample.Count("Count", o.Count, 100); err != nil {
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
	}
	return nil
}

func fitPath(x linalg.Matrix, y []int, o *PathOptions) (*Path, error) {
	dense, err := asDense(x)
	if err != nil {
		return nil, err
	}
	d, err := newDesign(dense, len(y), "labels", &o.Options)
	if err != nil {
		return nil, err
	}
	if err := o.checkPath(d.p); err != nil {
		return nil, err
	}
	r, err := newResponse(y, &o.Options)
	if err != nil {
		return nil, err
	}
	c, err := newComposite(d, r, &o.Options)
	if err != nil {
		return nil, err
	}
	grid, err := c.grid(o)
	if err != nil {
		return nil, err
	}
	w := &pathWalk{composite: c, o: o, lambdas: grid, tol: o.Tol}
	if w.tol == 0 {
		w.tol = defaultPathTol
	}
	if err := w.nullDeviance(); err != nil {
		return nil, err
	}
	if err = w.walk(); err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		return nil, err
	}
	return &w.path, err
}

// grid returns the λ in descending order. Error: *[linalg.RangeError].
func (c *composite) grid(o *PathOptions) ([]float64, error) {
	if o.Lambdas != nil {
		l := slices.Sorted(slices.Values(o.Lambdas))
		slices.Reverse(l)
		return l, nil
	}
	count, ratio := o.Count, o.MinRatio
	if count == 0 {
		count = 100
	}
	if ratio == 0 {
		ratio = 1e-4
		if c.n < c.p {
			ratio = 1e-2
		}
	}
	largest := c.lambdaMax(&o.Options)
	if math.IsInf(largest, 0) {
		at, most := 0, 0.0
		for i, g := range c.g {
			if c.factors[i] > 0 && math.Abs(g)/c.factors[i] > most {
				at, most = i%c.dim(), math.Abs(g)/c.factors[i]
			}
		}
		return nil, &linalg.RangeError{Column: at - c.design.intercept}
	}
	if largest == 0 { // no column says anything about y: any λ does
		largest = 1
	}
	l := make([]float64, count)
	for k := range l {
		l[k] = largest
		if k > 0 {
			l[k] = largest * math.Pow(ratio, float64(k)/float64(count-1))
		}
	}
	return l, nil
}

// pathWalk is the state of a path.
type pathWalk struct {
	*composite
	o         *PathOptions
	lambdas   []float64
	tol       float64
	nullValue float64 // of the intercepts alone
	saturated float64
	path      Path
}

// nullDeviance sets the values that deviance ratios are measured between.
func (w *pathWalk) nullDeviance() error {
	w.nullValue = w.atNull
	features := slices.IndexFunc(w.factors[w.design.intercept:w.dim()], func(f float64) bool { return f == 0 })
	if features < 0 {
		return nil
	}
	var free []int
	for k := range w.k {
		if w.design.intercept == 1 && k*w.dim() != w.f.pinned {
			free = append(free, k*w.dim())
		}
	}
	_, report, err := optimize.Restrict(w.f, make([]float64, len(w.null)), free).Minimize(&optimize.Control{Tol: defaultTolExact, Scale: w.scale})
	w.nullValue = report.Objective()
	return err
}

// walk fits one λ after the other.
func (w *pathWalk) walk() error {
	theta, lambdas := w.null, w.lambdas
	if w.k == 1 {
		s := newStretch(w)
		done, end, err := s.walk()
		if end || err != nil {
			return err
		}
		theta, lambdas = s.last().theta, lambdas[done:]
	}
	var solver optimize.Proximal
	var before []float64
	for k, lambda := range lambdas {
		start := theta
		if k > 1 {
			start = foretell(theta, before, lambda, lambdas[k-1], lambdas[k-2])
		}
		before = theta
		control := &optimize.Control{Tol: w.tol, MaxIter: w.o.MaxIter, Scale: w.scale}
		var next []float64
		var report optimize.Report
		var err error
		if w.o.Grouped && w.k > 1 {
			next, report, err = optimize.ProximalGradient(w.f, start, w.groupLasso(lambda), control)
		} else {
			next, report, err = solver.Minimise(w.f, start, w.elasticNet(lambda, w.o.L1Ratio), control)
		}
		if err != nil {
			return fmt.Errorf("λ = %g: %w", lambda, err)
		}
		theta = next
		p, err := w.point(lambda, theta, report)
		if err != nil {
			return err
		}
		if end, err := w.add(p, theta); end || err != nil {
			return err
		}
	}
	return nil
}

// point returns the point of a fit. Error: *[linalg.RangeError], or one that wraps
// [optimize.ErrNotConverged] where rounding denies the report.
func (w *pathWalk) point(lambda float64, theta []float64, report optimize.Report) (p Point, err error) {
	var pen penalty.Penalty = w.elasticNet(lambda, w.o.L1Ratio)
	if w.o.Grouped && w.k > 1 {
		pen = w.groupLasso(lambda)
	}
	p = Point{Lambda: lambda, Objective: report.Objective(), DF: w.df(theta)}
	if null := w.nullValue - w.saturated; null > 0 {
		p.DevRatio = 1 - (report.Objective()-pen.Value(theta)-w.saturated)/null
	}
	m := sparse
	if w.o.L1Ratio == 0 {
		m = ridge
	}
	if p.Model, err = representable(w.model(theta, m, report)); err != nil {
		err = fmt.Errorf("λ = %g: %w", lambda, err)
	}
	return p, err
}

// add appends a point and reports whether the path ends with it, or before it.
func (w *pathWalk) add(p Point, theta []float64) (end bool, err error) {
	automatic := w.o.Lambdas == nil
	if automatic && w.o.MaxDF > 0 && p.DF > w.o.MaxDF {
		return true, nil
	}
	w.path.Points = append(w.path.Points, p)
	report := p.Model.report
	if w.o.Trace != nil {
		step := optimize.Step{Iteration: len(w.path.Points) - 1, X: theta, Objective: report.Objective(), Certificate: report.Certificate().Value, Length: 1}
		if err := w.trace(w.o.Trace)(step); err != nil {
			return true, optimize.NewReport(optimize.Stopped, len(w.path.Points), 0, report.Certificate()).Err(err)
		}
	}
	if !automatic || len(w.path.Points) < leastPoints {
		return false, nil
	}
	limit := w.o.MaxDevRatio
	if limit == 0 {
		limit = 0.999
	}
	before := w.path.Points[len(w.path.Points)-2].DevRatio
	return p.DevRatio > limit || p.DevRatio-before < leastGain, nil
}

// df counts the features with a non-zero coefficient.
func (w *pathWalk) df(theta []float64) int {
	df, dim := 0, w.dim()
	for j, v := range theta[w.intercept:dim] {
		for at := w.intercept + j + dim; v == 0 && at < len(theta); at += dim {
			v = theta[at]
		}
		if v != 0 {
			df++
		}
	}
	return df
}

// farthest bounds how many times the distance between two fits the line through
// them is followed.
const farthest = 2

// foretell returns where the line through the fits at the last two λ comes to at
// the next one; coefficients that would change sign, or are 0, are 0.
func foretell(at, before []float64, lambda, last, oneBefore float64) []float64 {
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
