package path

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// CV is the loss of each point of a grid on rows that it was not fitted to.
type CV struct {
	Mean []float64 // over the rows of all folds; NaN for a point that some fold has no fit of
	SE   []float64 // standard error of Mean, from its spread over the folds

	// Complexity has a number for each point, larger for more complex models, NaN where
	// it is not known. nil is a grid from the simplest model to the most complex, as a
	// path is.
	Complexity []float64
}

// NewCV returns the mean over folds of the losses of a fold, loss[f][g] at point g on
// rows of total weight size[f], and its standard error: with F folds
//
//	Mean = Σ size·loss/Σ size,  SE² = Σ size·(loss − Mean)²/(Σ size·(F−1))
//
// as glmnet has them. A fold without losses at the end of the grid makes NaN there.
func NewCV(loss [][]float64, size []float64) *CV {
	total, grid := linalg.Sum(size), 0
	for _, l := range loss {
		grid = max(grid, len(l))
	}
	at := func(f, g int) float64 {
		if g < len(loss[f]) {
			return loss[f][g]
		}
		return math.NaN()
	}
	c := &CV{Mean: make([]float64, grid), SE: make([]float64, grid)}
	for g := range grid {
		for f := range loss {
			c.Mean[g] += size[f] * at(f, g) / total
		}
		spread := 0.0
		for f := range loss {
			d := at(f, g) - c.Mean[g]
			spread += size[f] * d * d / total
		}
		c.SE[g] = math.Sqrt(spread / float64(len(loss)-1))
	}
	return c
}

// Slice returns the points lo ≤ g < hi, for grids of several kinds of loss one after
// another.
func (c *CV) Slice(lo, hi int) *CV {
	s := &CV{Mean: c.Mean[lo:hi], SE: c.SE[lo:hi]}
	if c.Complexity != nil {
		s.Complexity = c.Complexity[lo:hi]
	}
	return s
}

// Best returns the point of the smallest mean loss, the simplest of equal ones; −1 if
// every mean is NaN.
func (c *CV) Best() int {
	best := -1
	for g, m := range c.Mean {
		if m == m && (best < 0 || m < c.Mean[best] || m == c.Mean[best] && c.complexity(g) < c.complexity(best)) {
			best = g
		}
	}
	return best
}

// OneSE returns the simplest point whose mean loss is at most one standard error, its
// own at the best point, above the smallest: as good as the best within the error of
// measurement (L. Breiman et al., Classification and Regression Trees, 1984, §3.4.3;
// ESL §7.10). Of equally simple points it is the one of smaller loss. −1 if every mean
// is NaN.
func (c *CV) OneSE() int {
	choice := c.Best()
	if choice < 0 {
		return -1
	}
	bound := c.Mean[choice] + c.SE[choice]
	for g, m := range c.Mean {
		a, b := c.complexity(g), c.complexity(choice)
		if m <= bound && (a < b || a == b && m < c.Mean[choice]) {
			choice = g
		}
	}
	return choice
}

func (c *CV) complexity(g int) float64 {
	switch {
	case c.Complexity == nil:
		return float64(g)
	case c.Complexity[g] != c.Complexity[g]:
		return math.Inf(1)
	}
	return c.Complexity[g]
}

// String returns a table of the losses, with the two choices marked.
func (c *CV) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%6s %12s %12s\n", "point", "mean loss", "se")
	for g := range c.Mean {
		fmt.Fprintf(&b, "%6d %12.5g %12.4g%s\n", g, c.Mean[g], c.SE[g], c.mark(g))
	}
	return b.String()
}

func (c *CV) mark(g int) string {
	switch g {
	case c.Best():
		return "  best"
	case c.OneSE():
		return "  one se"
	}
	return ""
}

// MarshalJSON writes the losses; a number that JSON cannot hold is null.
func (c CV) MarshalJSON() ([]byte, error) { return record.Plain(c) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
//
// Error: *[record.DamageError] for lists of different lengths.
func (c *CV) UnmarshalJSON(data []byte) error {
	var read CV
	if err := record.ReadPlain(data, &read); err != nil {
		return err
	}
	if n := len(read.Mean); len(read.SE) != n || read.Complexity != nil && len(read.Complexity) != n {
		return &record.DamageError{Reason: fmt.Sprintf("%d losses, %d standard errors, %d complexities", n, len(read.SE), len(read.Complexity))}
	}
	*c = read
	return nil
}

// Choice is a path of all rows with the cross-validated loss of its points.
type Choice[M any] struct {
	Path *Path[M]
	CV   CV
}

// Best returns the point of the smallest loss.
func (c *Choice[M]) Best() *Point[M] { return c.at(c.CV.Best()) }

// OneSE returns the most penalised point whose loss is within one standard error of the
// smallest, see [CV.OneSE].
func (c *Choice[M]) OneSE() *Point[M] { return c.at(c.CV.OneSE()) }

// at returns point g, nil for none.
func (c *Choice[M]) at(g int) *Point[M] {
	if g < 0 {
		return nil
	}
	return &c.Path.Points[g]
}

// String returns the two choices, as R's print of a cv.glmnet.
func (c *Choice[M]) String() string {
	if c.Path == nil || c.CV.Best() < 0 {
		return "no fit was validated\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %12s %6s %12s %12s %8s\n", "", c.Path.Parameter, "point", "mean loss", "se", "df")
	for k, g := range []int{c.CV.Best(), c.CV.OneSE()} {
		p := c.Path.Points[g]
		fmt.Fprintf(&b, "%-8s %12.5g %6d %12.5g %12.4g %8.4g\n", []string{"best", "one se"}[k], p.Penalty, g, c.CV.Mean[g], c.CV.SE[g], p.DF)
	}
	return b.String()
}

// MarshalJSON writes the path and the losses; UnmarshalJSON reads them back.
func (c Choice[M]) MarshalJSON() ([]byte, error) { return record.Plain(c) }

// UnmarshalJSON reads what MarshalJSON wrote.
//
// Error: *[record.DamageError] for losses that are not one a point of the path.
func (c *Choice[M]) UnmarshalJSON(data []byte) error {
	var read Choice[M]
	if err := record.ReadPlain(data, &read); err != nil {
		return err
	}
	points := 0
	if read.Path != nil {
		points = len(read.Path.Points)
	}
	if len(read.CV.Mean) != points {
		return &record.DamageError{Reason: fmt.Sprintf("%d losses of a path of %d points", len(read.CV.Mean), points)}
	}
	*c = read
	return nil
}

// Folds are the rows of a cross-validation, fold by fold.
type Folds struct {
	Names   []int     // of the folds, ascending
	Weights []float64 // of all rows, one each
	Row     []int     // the fold of each row

	ended error // of the trace
}

// NewFolds checks the folds of n rows: folds[i] names that of row i, and rows of weight
// 0 (nil is 1 for all) count for no fold.
//
// Error: *[linalg.ShapeError] for a list of another length, and for fewer than two
// folds.
func NewFolds(n int, folds []int, weights []float64) (*Folds, error) {
	if len(folds) != n {
		return nil, &linalg.ShapeError{Want: n, WantOf: "rows", Got: len(folds), GotOf: "folds"}
	}
	f := &Folds{Row: folds, Weights: weights}
	if weights == nil {
		f.Weights = slices.Repeat([]float64{1}, n)
	} else if len(weights) != n {
		return nil, &linalg.ShapeError{Want: n, WantOf: "rows", Got: len(weights), GotOf: "weights"}
	}
	for i, name := range folds {
		if f.Weights[i] > 0 {
			f.Names = append(f.Names, name)
		}
	}
	slices.Sort(f.Names)
	if f.Names = slices.Compact(f.Names); len(f.Names) < 2 {
		return nil, &linalg.ShapeError{Want: 2, WantOf: "folds or more needed", Got: len(f.Names), GotOf: "there"}
	}
	return f, nil
}

// Split returns the weights of all rows with those of the fold 0, and with all others
// 0.
func (f *Folds) Split(name int) (train, held []float64) {
	train, held = make([]float64, len(f.Row)), make([]float64, len(f.Row))
	for i, w := range f.Weights {
		if f.Row[i] == name {
			held[i] = w
		} else {
			train[i] = w
		}
	}
	return train, held
}

// Trace returns a trace for the fits of a cross-validation that calls the given one, until that returns an
// error: this ends them all.
func (f *Folds) Trace(trace func(optimize.Step) error) func(optimize.Step) error {
	if trace == nil {
		return nil
	}
	return func(s optimize.Step) error {
		if f.ended == nil {
			f.ended = trace(s)
		}
		return f.ended
	}
}

// HoldClasses refuses folds outside which a class of the labels y has no row of positive weight, before
// anything is fitted. nil classes are those of all rows.
//
// Errors: those of [sample.Code].
func (f *Folds) HoldClasses(y, classes []int) error {
	l, err := sample.Code(y, classes, f.Weights)
	if err != nil {
		return err
	}
	for _, name := range f.Names {
		train, _ := f.Split(name)
		if _, err := sample.Code(y, l.Classes, train); err != nil {
			return fmt.Errorf("without fold %d: %w", name, err)
		}
	}
	return nil
}

// CrossValidate fits a path to all rows and, at the same penalties, to the rows outside
// each fold. fit fits rows of the given weights, nil for those of all rows, on a grid, nil
// for its own, which gives it no more points than that, and losses returns Σ w·loss over the rows of
// weights w for each point of a path.
//
// An error that wraps [optimize.ErrNotConverged] stands beside a result, in which points
// without a fit in some fold have no loss. Once the trace of f has returned an error no other
// fold is fitted. Other errors name the fold.
func CrossValidate[M any](f *Folds, fit func(w, grid []float64) (*Path[M], error), losses func(p *Path[M], w []float64) ([]float64, error)) (*Choice[M], error) {
	whole, failed := fit(nil, nil)
	if whole == nil || failed != nil && !errors.Is(failed, optimize.ErrNotConverged) {
		return nil, failed
	}
	switch {
	case len(whole.Points) > 0:
	case failed == nil:
		return nil, &linalg.ShapeError{Want: 1, WantOf: "penalty or more needed", Got: 0, GotOf: "on the path"}
	default:
		return &Choice[M]{Path: whole}, failed
	}
	loss, size := make([][]float64, len(f.Names)), make([]float64, len(f.Names))
	for k, name := range f.Names {
		if f.ended != nil {
			break
		}
		train, held := f.Split(name)
		p, err := fit(train, whole.Penalties())
		if err != nil && (p == nil || !errors.Is(err, optimize.ErrNotConverged)) {
			return nil, fmt.Errorf("without fold %d: %w", name, err)
		}
		if err != nil && failed == nil {
			failed = fmt.Errorf("without fold %d: %w", name, err)
		}
		if loss[k], err = losses(p, held); err != nil {
			return nil, fmt.Errorf("fold %d: %w", name, err)
		}
		size[k] = linalg.Sum(held)
		linalg.Scale(loss[k], 1/size[k])
	}
	c := &Choice[M]{Path: whole, CV: *NewCV(loss, size)}
	c.CV.Mean, c.CV.SE = fill(c.CV.Mean, len(whole.Points)), fill(c.CV.SE, len(whole.Points))
	c.CV.Complexity = whole.Penalties()
	if whole.Parameter == "lambda" {
		linalg.Scale(c.CV.Complexity, -1)
	}
	return c, failed
}

// fill returns v with NaN up to n values.
func fill(v []float64, n int) []float64 {
	for len(v) < n {
		v = append(v, math.NaN())
	}
	return v
}
