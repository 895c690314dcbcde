package draw

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/plot"
	"halfspace/sim/validate"
)

// Kinds are the pictures that [Kind] draws.
//
//	boundary     regions and boundary over two features, see [Model]; for two features also
//	             the margins, the support vectors and the slacks of a margin
//	ld           the rows in the discriminant coordinates of their classes (K ≥ 3), with
//	             rings around those that the model has wrong
//	margins      how many rows of each of two classes have which f(x)
//	roc          the ROC curve of two classes
//	calibration  how often predicted probabilities of two classes come true
//	confusion    how many rows of each class are taken for which
//	residuals    of a regression, over its fitted values
//	path         coefficients of the model's method over its penalty, the lasso where it has
//	             one, fitted to the rows as the model's steps leave them, with the model's
//	             other options
//	cv           the loss of that path on ten folds, with standard errors, and its choices
var Kinds = []string{"boundary", "ld", "margins", "roc", "calibration", "confusion", "residuals", "path", "cv"}

// Kind draws a model on data. The empty kind is boundary, but for a classifier of more than
// two features, without the name of one to draw, ld, or margins for two classes: a slice
// of many features at their means says little of the rows, which lie off it.
//
// Errors: those of [Model]; a kind that is not one of [Kinds], or not for such a model; data
// without labels for the kinds that need them.
func Kind(kind string, m *method.Model, d *dataset.Data, x, y string) (*plot.Plot, error) {
	if err := m.Check(d); err != nil {
		return nil, err
	}
	d, err := m.Coded(d)
	if err != nil {
		return nil, err
	}
	c := m.Classifier()
	if kind == "" {
		kind = "boundary"
		if _, p := d.Dims(); c != nil && p > 2 && x == "" && y == "" && d.Labels != nil {
			kind = "margins"
			if len(m.Schema.Names) > 2 {
				kind = "ld"
			}
		}
	}
	if kind == "boundary" {
		return Model(m, d, x, y)
	}
	picture, known := pictures[kind]
	switch {
	case !known:
		return nil, fmt.Errorf("no kind of picture %q; there are %s", kind, strings.Join(Kinds, " "))
	case x != "" || y != "":
		return nil, fmt.Errorf("a picture of kind %s has no features on its axes", kind)
	case kind == "residuals" && (m.Regressor() == nil || d.Y == nil):
		return nil, errors.New("residuals need a regression and responses")
	case (kind == "path" || kind == "cv") && d.Labels == nil && d.Y == nil:
		return nil, fmt.Errorf("a picture of kind %s needs labels or responses", kind)
	case !slices.Contains([]string{"residuals", "path", "cv"}, kind) && (c == nil || d.Labels == nil):
		return nil, fmt.Errorf("a picture of kind %s needs a classifier and labels", kind)
	case d.Len() == 0:
		return nil, fmt.Errorf("a picture of kind %s needs rows", kind)
	case len(m.Schema.Names) > 2 && slices.Contains([]string{"margins", "roc", "calibration"}, kind):
		return nil, fmt.Errorf("a picture of kind %s is for two classes, not for %d", kind, len(m.Schema.Names))
	}
	p, err := picture.draw(m, d)
	if err != nil {
		return nil, err
	}
	p.Title = title(m, picture.about)
	return p, nil
}

// pictures are the kinds with the words for their titles, boundary apart.
var pictures = map[string]struct {
	about string
	draw  func(*method.Model, *dataset.Data) (*plot.Plot, error)
}{
	"ld":          {"rows in discriminant coordinates", coordinates},
	"margins":     {"f(x) by class", margins},
	"roc":         {"ROC curve", roc},
	"calibration": {"calibration", calibration},
	"confusion":   {"confusion matrix", confusion},
	"residuals":   {"residuals", residuals},
	"path":        {"coefficients along the path", coefficients},
	"cv":          {"cross-validation along the path", crossValidated},
}

// coordinates draws the rows in the first two discriminant coordinates.
func coordinates(m *method.Model, d *dataset.Data) (*plot.Plot, error) {
	if len(m.Schema.Names) < 3 {
		return nil, errors.New("two classes have one discriminant coordinate: see margins")
	}
	c, _, rows := m.For(d)
	x, err := d.Dense()
	if err != nil {
		return nil, err
	}
	z, err := discriminants(x, d.Labels)
	if err != nil {
		return nil, err
	}
	predicted, err := c.PredictRows(nil, rows)
	if err != nil {
		return nil, err
	}
	p := &plot.Plot{X: plot.Axis{Label: "first discriminant coordinate"}, Y: plot.Axis{Label: "second discriminant coordinate"}}
	p.Scatter(z, 0, 1, d.Labels, m.Schema.Names)
	var wx, wy []float64
	for i, k := range predicted {
		if k != d.Labels[i] {
			wx, wy = append(wx, z.At(i, 0)), append(wy, z.At(i, 1))
		}
	}
	if wx != nil {
		p.Rings("misclassified", wx, wy)
	}
	return p, nil
}

// discriminants returns the first two discriminant coordinates of the rows. Columns that the
// others determine are left out: they add nothing to a coordinate.
func discriminants(x *linalg.Dense, labels []int) (*linalg.Dense, error) {
	r, err := discriminant.FitReducedRank(x, labels, nil)
	var rank *linalg.RankError
	if errors.As(err, &rank) && rank.Rank > 0 {
		rest := linalg.Zeros(x.Rows, x.Cols-len(rank.Columns))
		for i := range x.Rows {
			row := rest.Row(i)[:0]
			for j, v := range x.Row(i) {
				if !slices.Contains(rank.Columns, j) {
					row = append(row, v)
				}
			}
		}
		x = rest
		r, err = discriminant.FitReducedRank(x, labels, nil)
	}
	if r == nil {
		return nil, err
	}
	z := linalg.Zeros(x.Rows, 2)
	for i := range z.Rows {
		copy(z.Row(i), r.Project(nil, x.Row(i)))
	}
	return z, nil
}

// values returns f(x) of all rows for two classes.
func values(c sim.Classifier, rows linalg.Rows) ([]float64, error) {
	n, _ := rows.Dims()
	f := make([]float64, 0, n)
	err := rows.Pass(0, n, func(b *linalg.Block) error {
		var s []float64
		row := make([]float64, c.Features())
		for i := range b.Len() {
			clear(row)
			b.AddRow(row, i, 1)
			s = c.Scores(s[:0], row)
			f = append(f, s[1]-s[0])
		}
		return nil
	})
	return f, err
}

// margins draws histograms of f(x), and the edges of a margin.
func margins(m *method.Model, d *dataset.Data) (*plot.Plot, error) {
	c, _, rows := m.For(d)
	f, err := values(c, rows)
	if err != nil {
		return nil, err
	}
	p := &plot.Plot{X: plot.Axis{Label: fmt.Sprintf("f(x), positive for %s", m.Schema.Names[1])}, Y: plot.Axis{Label: "rows"}}
	// Bins end at the boundary, so that each has rows of one side. Their number is Rice's
	// rule, 2n^⅓.
	lo, hi := min(0, slices.Min(f)), max(0, slices.Max(f))
	if lo == hi {
		hi = 1
	}
	width := (hi - lo) / math.Ceil(2*math.Cbrt(float64(len(f))))
	lo, hi = width*math.Floor(lo/width), width*math.Ceil(hi/width)
	bins := int(math.Round((hi - lo) / width))
	for k, name := range m.Schema.Names {
		var of []float64
		for i, v := range f {
			if d.Labels[i] == k {
				of = append(of, v)
			}
		}
		p.Histogram(name, plot.Style{Color: plot.Class(k), Width: 2}, of, lo, hi, bins)
	}
	p.VLine("boundary, f = 0", plot.Style{Width: 2.5}, 0)
	if _, ok := m.Fitted().(marginModel); ok {
		p.VLine("margins, f = ±1", plot.Style{Dash: plot.Dashed, Width: 1.5}, -1)
		p.VLine("", plot.Style{Dash: plot.Dashed, Width: 1.5}, 1)
	}
	return p, nil
}

func roc(m *method.Model, d *dataset.Data) (*plot.Plot, error) {
	c, _, rows := m.For(d)
	curve, err := validate.ROC(c, rows, d.Labels)
	if err != nil {
		return nil, err
	}
	p := &plot.Plot{X: plot.Axis{Label: "false positive rate"}, Y: plot.Axis{Label: "true positive rate"}, Equal: true}
	var x, y []float64
	for i := range curve.FPR {
		if i > 0 { // rows of one score come together: a slope
			x, y = append(x, curve.FPR[i-1]), append(y, curve.TPR[i-1])
		}
		x, y = append(x, curve.FPR[i]), append(y, curve.TPR[i])
	}
	p.Curve(fmt.Sprintf("area under it %.4g", curve.AUC), plot.Style{Width: 2.5}, x, y)
	p.Curve("by chance", plot.Style{Color: plot.Grey, Dash: plot.Dashed, Width: 1.5}, []float64{0, 1}, []float64{0, 1})
	return p, nil
}

func calibration(m *method.Model, d *dataset.Data) (*plot.Plot, error) {
	c, _, rows := m.For(d)
	prober, ok := c.(sim.Prober)
	if !ok {
		return nil, fmt.Errorf("%s has no probabilities", m.Method.Name)
	}
	bins, err := validate.Calibration(prober, rows, d.Labels, 10)
	if err != nil {
		return nil, err
	}
	var x, y, se []float64
	for _, b := range bins {
		x, y, se = append(x, b.Predicted), append(y, b.Observed), append(se, b.SE)
	}
	p := &plot.Plot{X: plot.Axis{Label: "mean predicted probability of " + m.Schema.Names[1], Min: -0.03, Max: 1.03}, Y: plot.Axis{Label: "share of rows that are " + m.Schema.Names[1], Min: -0.03, Max: 1.03}, Equal: true}
	p.Curve("if predictions are right", plot.Style{Color: plot.Grey, Dash: plot.Dashed, Width: 1.5}, []float64{0, 1}, []float64{0, 1})
	p.ErrorBars("ten bins ± one standard error", plot.Ink, x, y, se)
	return p, nil
}

// manyClasses are so many that a cell has no room for a number, and of 0 is left out: cells are the
// square of them.
const manyClasses = 100

// confusion writes the counts into a grid, the truth downwards as in the table of eval, the
// cells the darker the larger their share of the true class. Where names have no room they
// are numbered, and the legend tells the numbers.
func confusion(m *method.Model, d *dataset.Data) (*plot.Plot, error) {
	c, _, rows := m.For(d)
	e, err := validate.Evaluate(c, rows, d.Labels)
	if err != nil {
		return nil, err
	}
	names := slices.Clone(m.Schema.Names)
	k, longest := len(names), 0
	for _, name := range names {
		longest = max(longest, utf8.RuneCountInString(name))
	}
	numbered := k*(longest+2) > 64 // letters in the width of the picture
	p := &plot.Plot{X: plot.Axis{Label: "predicted class", Min: 0.5, Max: float64(k) + 0.5}, Y: plot.Axis{Label: "true class", Min: 0.5, Max: float64(k) + 0.5}}
	for t, counts := range e.Confusion.Count {
		of := 0
		for _, n := range counts {
			of += n
		}
		for g, n := range counts {
			if n == 0 && k > manyClasses {
				continue
			}
			p.Cell(float64(g+1), float64(k-t), float64(n)/float64(max(of, 1)), fmt.Sprint(n))
		}
	}
	for i, name := range names {
		if numbered {
			names[i] = fmt.Sprint(i + 1)
			p.Points(fmt.Sprintf("%d: %s", i+1, name), plot.Class(i), plot.ClassShape(i), nil, nil)
		}
	}
	p.X.Names, p.Y.Names = names, slices.Clone(names)
	slices.Reverse(p.Y.Names)
	return p, nil
}

func residuals(m *method.Model, d *dataset.Data) (*plot.Plot, error) {
	_, r, rows := m.For(d)
	fitted, err := r.PredictRows(nil, rows)
	if err != nil {
		return nil, err
	}
	rest := slices.Clone(d.Y)
	linalg.Axpy(rest, -1, fitted)
	p := &plot.Plot{X: plot.Axis{Label: "fitted " + m.Schema.Label}, Y: plot.Axis{Label: "residual"}}
	p.Points("rows", plot.Brown, plot.Circle, fitted, rest)
	p.HLine("", plot.Style{Width: 1.5}, 0)
	return p, nil
}

// marginModel is a model whose f is ±1 on its margins.
type marginModel interface{ Machines() []hyperplane.Machine }

// addMargins draws the margins of a model of two classes and two features, rings around the
// rows on them or inside, and each slack as the way to the margin of the row's class.
func addMargins(p *plot.Plot, m *method.Model, c sim.Classifier, d *dataset.Data) {
	if _, ok := m.Fitted().(marginModel); !ok || len(m.Schema.Names) != 2 || d.X.Cols != 2 {
		return
	}
	row, s := make([]float64, 2), make([]float64, 0, 2)
	f := func(x, y float64) float64 {
		row[0], row[1] = x, y
		s = c.Scores(s[:0], row)
		return s[1] - s[0]
	}
	p.Contour("margins", plot.Style{Dash: plot.Dashed, Width: 1.3}, f, -1, 1)
	var rx, ry, x0, y0, x1, y1 []float64
	for i, k := range d.Labels {
		sign, x, y := float64(2*k-1), d.X.At(i, 0), d.X.At(i, 1)
		slack := 1 - sign*f(x, y)
		if slack < -1e-6 {
			continue
		}
		rx, ry = append(rx, x), append(ry, y)
		if at := f(x, y); slack > 1e-6 { // f is affine: one step along its gradient
			gx, gy := f(x+1, y)-at, f(x, y+1)-at
			step := sign * slack / (gx*gx + gy*gy)
			if !math.IsInf(step, 0) { // f is not the same everywhere
				x0, y0, x1, y1 = append(x0, x), append(y0, y), append(x1, x+step*gx), append(y1, y+step*gy)
			}
		}
	}
	if x0 != nil {
		p.Segments("slack", plot.Style{Color: plot.Purple, Width: 1.2}, x0, y0, x1, y1)
	}
	p.Rings("on the margin or inside", rx, ry)
}
