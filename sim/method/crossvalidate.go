package method

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/validate"
)

// Setting is a value for an option, as its flag takes it.
type Setting struct{ Name, Value string }

// Label writes the settings of a point as they are given: "C=1 multi=ovr".
func Label(point []Setting) string {
	words := make([]string, len(point))
	for i, s := range point {
		words[i] = s.Name + "=" + s.Value
	}
	return strings.Join(words, " ")
}

// Grid returns all combinations of the values of several options, the last
// varying fastest. Each axis is "name=v1,v2,…". No axes make one empty point.
func Grid(axes ...string) ([][]Setting, error) {
	points := [][]Setting{nil}
	for _, axis := range axes {
		name, values, ok := strings.Cut(axis, "=")
		if !ok || name == "" || values == "" {
			return nil, fmt.Errorf("method: grid %q is not name=value,value,…", axis)
		}
		if slices.ContainsFunc(points[0], func(s Setting) bool { return s.Name == name }) {
			return nil, fmt.Errorf("method: grid %q has an option that another has too", axis)
		}
		var next [][]Setting
		for _, p := range points {
			for _, v := range strings.Split(values, ",") {
				next = append(next, append(p[:len(p):len(p)], Setting{name, v}))
			}
		}
		points = next
	}
	return points, nil
}

// Grid is [Grid] of options that the method takes and values that they can have.
func (m *Method) Grid(o Options, axes ...string) ([][]Setting, error) {
	points, err := Grid(axes...)
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		for _, set := range p {
			if !m.Takes(set.Name) {
				return nil, fmt.Errorf("%s takes no -%s", m.Name, set.Name)
			}
			if err := o.Set(set.Name, set.Value); err != nil {
				return nil, err
			}
		}
	}
	return points, nil
}

// Folds deals the rows of d to k folds, repeats times: by class where there are
// classes.
//
// Errors: those of [validate.RepeatedFolds].
func Folds(d *dataset.Data, k, repeats int, seed uint64) ([][]int, error) {
	if d == nil {
		d = new(dataset.Data)
	}
	y := d.Labels
	if y == nil {
		y = make([]int, d.Len())
	}
	return validate.RepeatedFolds(y, k, repeats, seed)
}

// CV is a cross-validated grid. Loss is the error rate of a classifier and the
// mean squared error of a regression. The slices have an element a point.
type CV struct {
	Points  [][]Setting
	Loss    *validate.CV
	LogLoss *validate.CV // NaN for methods without probabilities
	// Failed is an error of a fold, if one could not be fitted; the loss is then +Inf.
	Failed []error
	// Unconverged tells of the fits that did not converge. They count with the model
	// that they reached.
	Unconverged []Unconverged

	settings []Options
}

// Unconverged says how many fits did not converge, and how far they are from it.
type Unconverged struct {
	Fits  int
	Of    int                  // fits that there are a model of
	Worst optimize.Certificate // whose value is the largest, in tolerances
}

// Best returns the position of the point of the least loss.
func (cv *CV) Best() int { return cv.Loss.Best() }

// OneSE returns the position of the simplest point whose loss is within one standard
// error of the least, see [halfspace/optimize/path.CV.OneSE]: the largest λ, the smallest C, rank, α
// or γ where the points differ in that alone; else the fewest degrees of freedom, the
// mean over the folds of the non-zero coefficients, for ridge regression of the trace
// of the hat matrix.
func (cv *CV) OneSE() int { return cv.Loss.OneSE() }

// At returns the options of the point at position g, with which [Method.Fit] makes its
// model: of [CV.Best] or [CV.OneSE].
func (cv *CV) At(g int) *Options {
	o := cv.settings[g]
	return &o
}

// cvJSON is a CV in JSON, with errors as text.
type cvJSON struct {
	Points        [][]Setting
	Loss, LogLoss *validate.CV
	Failed        []string
	Unconverged   []Unconverged
}

// MarshalJSON writes the losses of all points; errors become text.
func (cv CV) MarshalJSON() ([]byte, error) {
	j := cvJSON{cv.Points, cv.Loss, cv.LogLoss, make([]string, len(cv.Failed)), cv.Unconverged}
	for g, err := range cv.Failed {
		if err != nil {
			j.Failed[g] = err.Error()
		}
	}
	return record.Plain(j)
}

// UnmarshalJSON reads what MarshalJSON wrote. The options of a point are then the
// defaults with its settings.
func (cv *CV) UnmarshalJSON(b []byte) error {
	var j cvJSON
	if err := record.ReadPlain(b, &j); err != nil {
		return fmt.Errorf("method: %w", err)
	}
	n := len(j.Points)
	for _, c := range []*validate.CV{j.Loss, j.LogLoss} {
		if c == nil || len(c.Mean) != n || len(c.SE) != n || len(j.Failed) != n || len(j.Unconverged) != n {
			return fmt.Errorf("method: a cross-validation of %d points without the losses of each", n)
		}
	}
	read := CV{Points: j.Points, Loss: j.Loss, LogLoss: j.LogLoss, Failed: make([]error, len(j.Failed)), Unconverged: j.Unconverged,
		settings: make([]Options, len(j.Points))}
	for g, text := range j.Failed {
		if text != "" {
			read.Failed[g] = errors.New(text)
			read.Loss.Mean[g], read.LogLoss.Mean[g] = math.Inf(1), math.Inf(1) // which JSON has as null
		}
	}
	for g, p := range j.Points {
		if err := read.settings[g].setAll(p); err != nil {
			return fmt.Errorf("method: %w", err)
		}
	}
	*cv = read
	return nil
}

// String returns a table of the points, with the best and the simplest within one
// standard error of it.
func (cv *CV) String() string {
	if cv.Loss == nil {
		return "no points"
	}
	t := &sim.Table{Head: []string{"point", "loss", "se", ""}}
	for g, p := range cv.Points {
		mark := ""
		switch {
		case cv.Failed[g] != nil:
			mark = cv.Failed[g].Error()
		case g == cv.Best():
			mark = "best"
		case g == cv.OneSE():
			mark = "one se"
		}
		t.Add(Label(p), cv.Loss.Mean[g], cv.Loss.SE[g], mark)
	}
	var b strings.Builder
	t.Write(&b, true)
	return b.String()
}

// Converged returns nil if all fits converged, else an error that wraps
// [optimize.ErrNotConverged] and says how many did not and how far the farthest is
// from it.
func (cv *CV) Converged() error {
	var all Unconverged
	where := ""
	for g, u := range cv.Unconverged {
		if u.Fits > 0 && (all.Fits == 0 || farther(u.Worst, all.Worst)) {
			all.Worst, where = u.Worst, Label(cv.Points[g])
		}
		all.Fits += u.Fits
		all.Of += u.Of
	}
	if all.Fits == 0 {
		return nil
	}
	if where != "" {
		where = " at " + where
	}
	return fmt.Errorf("%w: %d of %d fits, the farthest%s with %s %.3g above %.3g", optimize.ErrNotConverged,
		all.Fits, all.Of, where, all.Worst.Kind, all.Worst.Value, all.Worst.Tol)
}

// CrossValidate fits the method on the complement of each fold, at each point of
// the grid, with the other options as o has them, and measures the loss on the
// fold, a mean over its rows by their weights; see [validate.CrossValidate] for folds and the
// other options, of which the weights are those of d.
//
// Options.Steps are fitted within each fold, and the terms of [dataset.Data.Documents] and their
// frequencies are those of the rows outside it. An error of Options.Trace ends all folds and
// comes back wrapped.
//
// Errors: no points; folds that are not one a row, or fewer than two; an option that
// the method does not take or a value it cannot read; and the fit's error if no
// point of the grid can be fitted.
func (m *Method) CrossValidate(d *dataset.Data, o *Options, points [][]Setting, folds [][]int, co *validate.Options) (*CV, error) {
	d, err := m.divisible(d)
	if err != nil {
		return nil, err
	}
	for _, fold := range folds {
		if len(fold) != d.Len() {
			return nil, fmt.Errorf("%s: %w", m.Name, &linalg.ShapeError{Want: d.Len(), WantOf: "rows", Got: len(fold), GotOf: "folds of rows"})
		}
	}
	settings, err := m.settings(o, points)
	if err != nil {
		return nil, err
	}
	trials, stopped := gate(settings)
	n := len(points)
	cv := &CV{Points: points, Failed: make([]error, n), Unconverged: make([]Unconverged, n), settings: settings}
	var mu sync.Mutex
	own := validate.Options{Weights: d.Weights}
	if co != nil {
		own.Workers, own.Trace = co.Workers, co.Trace
	}
	r, err := validate.CrossValidate(func(train, test []int) ([]float64, error) {
		a, err := subset(d, train, nil)
		if err != nil {
			return nil, err
		}
		b, err := subset(d, test, a.Schema)
		if err != nil {
			return nil, err
		}
		measured := make([]float64, 3*n)
		for g := range settings {
			t := m.trial(a, b, &trials[g])
			measured[g], measured[n+g], measured[2*n+g] = t.loss, t.logLoss, t.df
			mu.Lock()
			cv.count(g, &t)
			mu.Unlock()
			if err := stopped(); err != nil {
				return nil, err
			}
		}
		return measured, nil
	}, &own, folds...)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(cv.Failed, nil) {
		return nil, cv.Failed[0]
	}
	cv.Loss, cv.LogLoss = r.Slice(0, n), r.Slice(n, 2*n)
	cv.Loss.Complexity = r.Slice(2*n, 3*n).Mean
	if order := ordering(points); order != nil {
		for g := range settings {
			cv.Loss.Complexity[g] = order(&settings[g])
		}
	}
	cv.LogLoss.Complexity = cv.Loss.Complexity
	return cv, nil
}

// gate returns the settings for the trials: for one goroutine, as the folds are the
// parallel work, and with a trace that they call one at a time, and no more once it has
// returned an error, which stopped returns.
func gate(settings []Options) (trials []Options, stopped func() error) {
	var mu sync.Mutex
	var failed error
	trials = slices.Clone(settings)
	for g := range trials {
		trials[g].Workers = 1
		if trace := trials[g].Trace; trace != nil {
			trials[g].Trace = func(s optimize.Step) error {
				mu.Lock()
				defer mu.Unlock()
				if failed == nil {
					failed = trace(s)
				}
				return failed
			}
		}
	}
	return trials, func() error {
		mu.Lock()
		defer mu.Unlock()
		return failed
	}
}

// settings returns the options at each point.
func (m *Method) settings(o *Options, points [][]Setting) ([]Options, error) {
	if len(points) == 0 {
		return nil, errors.New("method: a grid with no point")
	}
	if o == nil {
		o = new(Options)
	}
	if err := m.refuse(o); err != nil {
		return nil, err
	}
	settings := make([]Options, len(points))
	for g, p := range points {
		settings[g] = *o
		for _, s := range p {
			if !m.Takes(s.Name) {
				return nil, fmt.Errorf("%s takes no option %q", m.Name, s.Name)
			}
		}
		if err := settings[g].setAll(p); err != nil {
			return nil, err
		}
	}
	return settings, nil
}

// setAll sets the options of a point.
func (o *Options) setAll(point []Setting) error {
	for _, s := range point {
		if err := o.Set(s.Name, s.Value); err != nil {
			return err
		}
	}
	return nil
}

// ordering returns the complexity of a point if the points differ in one option
// alone and it says which model is the simpler, or nil.
func ordering(points [][]Setting) func(*Options) float64 {
	value := func(p []Setting, name string) (value string) {
		for _, s := range p {
			if s.Name == name {
				value = s.Value
			}
		}
		return value
	}
	first, varying := points[0], ""
	for _, p := range points {
		for _, s := range slices.Concat(first, p) {
			if s.Name == varying || value(p, s.Name) == value(first, s.Name) {
				continue
			}
			if varying != "" {
				return nil
			}
			varying = s.Name
		}
	}
	return complexity[varying]
}

// count adds a trial at point g. Its results do not depend on which fold came first.
func (cv *CV) count(g int, t *trial) {
	if t.err != nil {
		err := fmt.Errorf("without a fold: %w", t.err)
		if was := cv.Failed[g]; was == nil || err.Error() < was.Error() {
			cv.Failed[g] = err
		}
		return
	}
	u := &cv.Unconverged[g]
	u.Of++
	if t.converged {
		return
	}
	u.Fits++
	if u.Fits == 1 || farther(t.certificate, u.Worst) {
		u.Worst = t.certificate
	}
}

// farther reports whether a is farther above its tolerance than b; NaN is farthest.
func farther(a, b optimize.Certificate) bool {
	u, v := a.Value/a.Tol, b.Value/b.Tol
	return u > v || v == v && u != u
}

// trial is a fit and its losses on the rows that it was not fitted to.
type trial struct {
	loss, logLoss, df float64
	converged         bool
	certificate       optimize.Certificate
	err               error // there is no model, or it cannot be measured
}

// trial fits to a and measures on b.
func (m *Method) trial(a, b *dataset.Data, o *Options) trial {
	t := trial{loss: math.Inf(1), logLoss: math.Inf(1), df: math.NaN()}
	model, err := m.Fit(a, o)
	t.converged = err == nil
	if model == nil {
		t.err = err
		return t
	}
	t.df, t.certificate = model.df(), model.Report().Certificate()
	if t.loss, t.err = model.meanLoss(b, false); t.err == nil {
		t.logLoss = math.NaN()
		if model.HasProba() {
			t.logLoss, t.err = model.meanLoss(b, true)
		}
	}
	return t
}

// meanLoss returns the mean over the rows of d, by their weights, of their losses.
func (m *Model) meanLoss(d *dataset.Data, log bool) (mean float64, err error) {
	losses, err := m.losses(d, log)
	if err != nil {
		return math.Inf(1), err
	}
	total := 0.0
	for i, loss := range losses {
		if w := sample.WeightAt(d.Weights, i); w > 0 {
			mean, total = mean+w*loss, total+w
		}
	}
	return mean / total, nil
}

// df returns the degrees of freedom of the model: the model's own if it counts them,
// otherwise the non-zero coefficients; NaN for a model without coefficients.
func (m *Model) df() float64 {
	if own, ok := m.fit.(interface{ DF() float64 }); ok {
		return own.DF()
	}
	if l, ok := m.fit.(sim.Linear); ok {
		coef, _ := l.Coef()
		return nonZero(coef)
	}
	return math.NaN()
}
