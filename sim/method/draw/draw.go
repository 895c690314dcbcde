// Package draw makes pictures of fitted models: draw.go over two features, path.go over a
// penalty, kinds.go the other ways to look at one, by name.
package draw

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/plot"
	"halfspace/sim/validate"
)

// Model pictures a model over features named x and y of the data, all other
// features held at their means: regions and boundaries of a classifier with the
// rows of d on top, or a regression's line over x with the responses. Empty names
// are the first two features; a regression takes only x.
//
// Rows with a gap in a feature that is shown are left out. Rows lie off the slice, so a point may stand in
// the region of another class than the one predicted for it.
//
// Errors: *[linalg.ShapeError]; features that are not there, or too few.
func Model(m *method.Model, d *dataset.Data, x, y string) (*plot.Plot, error) {
	if err := m.Check(d); err != nil {
		return nil, err
	}
	d, err := m.Coded(d)
	if err != nil {
		return nil, err
	}
	if d.X == nil {
		x, err := d.Dense()
		if err != nil {
			return nil, err
		}
		dense := *d
		dense.X, dense.Sparse, dense.Stream, d = x, nil, nil, &dense
	}
	i, err := featureIndex(d, x, 0)
	if err != nil {
		return nil, err
	}
	names := d.Features()
	p := &plot.Plot{X: plot.Axis{Label: names[i]}}
	at := columnMeans(d)
	if m.Regressor() != nil {
		if y != "" {
			return nil, fmt.Errorf("a picture of a regression has its response upwards, not %s", y)
		}
		addFit(p, m, d, i, at)
		return p, nil
	}
	if len(names) < 2 {
		return nil, fmt.Errorf("a picture of a classifier needs two features, the data have %d", len(names))
	}
	j, err := featureIndex(d, y, 1)
	if err != nil {
		return nil, err
	}
	if i == j {
		return nil, fmt.Errorf("both axes are %s", names[i])
	}
	c := m.Classifier()
	p.Title, p.Y.Label = title(m, "regions and boundary"), names[j]
	p.Regions(func(u, v float64) int {
		at[i], at[j] = u, v
		return c.Predict(at)
	})
	p.Decision("boundary"+others(len(at), 2), plot.Style{Width: 2}, len(m.Schema.Names), func(dst []float64, u, v float64) []float64 {
		at[i], at[j] = u, v
		return c.Scores(dst, at)
	})
	if d = whole(d, i, j); d.Labels != nil {
		p.Scatter(d.X, i, j, d.Labels, m.Schema.Names)
		addMargins(p, m, c, d)
	} else {
		p.Points("rows", plot.Ink, plot.Circle, d.X.Col(nil, i), d.X.Col(nil, j))
	}
	return p, nil
}

// addFit adds the responses over feature i, and the line of a regression with the others at their places.
func addFit(p *plot.Plot, m *method.Model, d *dataset.Data, i int, at []float64) {
	p.Title, p.Y.Label = title(m, "fit over "+p.X.Label), m.Schema.Label
	if d = whole(d, i); d.Y != nil {
		p.Points("rows", plot.Brown, plot.Circle, d.X.Col(nil, i), d.Y)
	}
	r := m.Regressor()
	p.Func("fit"+others(len(at), 1), plot.Style{Width: 2.5}, func(v float64) float64 {
		at[i] = v
		return r.Predict(at)
	})
}

// title names a picture after the model and the words of its kind.
func title(m *method.Model, kind string) string {
	about, _, _ := strings.Cut(m.Method.About, ",") // after it come its penalties
	first, size := utf8.DecodeRuneInString(about)
	return string(unicode.ToUpper(first)) + about[size:] + ": " + kind
}

// others says where the features are that are not on an axis, if there are any.
func others(features, shown int) string {
	if features > shown {
		return ", other features at their means"
	}
	return ""
}

// whole returns the rows of d in which none of the features is missing: a point with a gap
// has no place.
func whole(d *dataset.Data, features ...int) *dataset.Data {
	var rows []int
	for i := range d.X.Rows {
		if !slices.ContainsFunc(features, func(j int) bool { return d.X.At(i, j) != d.X.At(i, j) }) {
			rows = append(rows, i)
		}
	}
	return &dataset.Data{X: validate.TakeRows(d.X, rows), Labels: validate.Take(d.Labels, rows), Y: validate.Take(d.Y, rows)}
}

func featureIndex(d *dataset.Data, name string, otherwise int) (int, error) {
	if name == "" {
		return otherwise, nil
	}
	if i := slices.Index(d.Features(), name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("no feature %q; there are %q", name, d.Features())
}

func columnMeans(d *dataset.Data) []float64 {
	mean, there := make([]float64, d.X.Cols), make([]float64, d.X.Cols)
	for i := range d.X.Rows {
		for j, v := range d.X.Row(i) {
			if v == v { // not a gap
				there[j]++
				mean[j] += (v - mean[j]) / there[j]
			}
		}
	}
	return mean
}
