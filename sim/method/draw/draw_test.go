package draw_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/draw"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/plot"
)

// picture is what an SVG shows: its words, its lines in ink, its regions by colour
// and its points, one list a layer.
type picture struct {
	words   []string
	lines   [][][2]float64
	regions map[string][][2]float64 // centres of the runs
	points  [][][2]float64
}

var pair = regexp.MustCompile(`[ML](-?[\d.]+) (-?[\d.]+)`)

// look reads an SVG, which must be well-formed. The frame of the picture and the
// signs of its legend are left out: they stand outside of the clipped groups.
func look(t *testing.T, m *method.Model, d *dataset.Data, x, y string) picture {
	t.Helper()
	p, err := draw.Model(m, d, x, y)
	if err != nil {
		t.Fatalf("%s: %v", m.Method.Name, err)
	}
	return seen(t, m.Method.Name, p)
}

func seen(t *testing.T, what string, p *plot.Plot) picture {
	t.Helper()
	var b bytes.Buffer
	if err := p.SVG(&b); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if s := b.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
		t.Errorf("%s: places that are not finite", what)
	}
	pic := picture{regions: make(map[string][][2]float64)}
	clipped := false
	for dec := xml.NewDecoder(&b); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return pic
		} else if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		switch e := token.(type) {
		case xml.CharData:
			if s := strings.TrimSpace(string(e)); s != "" {
				pic.words = append(pic.words, s)
			}
		case xml.EndElement:
			if e.Name.Local == "g" {
				clipped = false
			}
		case xml.StartElement:
			a := make(map[string]string)
			for _, v := range e.Attr {
				a[v.Name.Local] = v.Value
			}
			clipped = clipped || e.Name.Local == "g" && a["clip-path"] != ""
			if e.Name.Local == "path" && clipped {
				pic.add(a)
			}
		}
	}
}

var run = regexp.MustCompile(`M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)`)

func (p *picture) add(a map[string]string) {
	number := func(s string) float64 { v, _ := strconv.ParseFloat(s, 64); return v }
	switch {
	case a["fill-opacity"] != "":
		for _, r := range run.FindAllStringSubmatch(a["d"], -1) {
			p.regions[a["fill"]] = append(p.regions[a["fill"]], [2]float64{(number(r[1]) + number(r[3])) / 2, (number(r[2]) + number(r[4])) / 2})
		}
	case a["marker-mid"] != "":
		p.points = append(p.points, places(a["d"]))
	default:
		for _, sub := range strings.SplitAfter(strings.ReplaceAll(a["d"], "M", "\x00M"), "\x00") {
			if ps := places(sub); ps != nil {
				p.lines = append(p.lines, ps)
			}
		}
	}
}

func places(d string) (ps [][2]float64) {
	for _, m := range pair.FindAllStringSubmatch(d, -1) {
		x, _ := strconv.ParseFloat(m[1], 64)
		y, _ := strconv.ParseFloat(m[2], 64)
		ps = append(ps, [2]float64{x, y})
	}
	return ps
}

func (p *picture) says(word string) bool {
	for _, w := range p.words {
		if w == word {
			return true
		}
	}
	return false
}

// axis finds the map from pixels to values: the two ends of the known values. It
// fails where others are not on the line between.
func axis(t *testing.T, what string, pixels, values []float64) func(pixel float64) float64 {
	t.Helper()
	lo, hi := 0, 0
	for i, v := range values {
		if v < values[lo] {
			lo = i
		}
		if v > values[hi] {
			hi = i
		}
	}
	slope := (values[hi] - values[lo]) / (pixels[hi] - pixels[lo])
	at := func(pixel float64) float64 { return values[lo] + slope*(pixel-pixels[lo]) }
	for i, v := range values {
		if d := math.Abs(at(pixels[i]) - v); d > 0.02*math.Abs(slope) { // two hundredths of a pixel
			t.Errorf("%s: point %d stands at %v, is %v", what, i, at(pixels[i]), v)
			return at
		}
	}
	return at
}

// A picture of a classifier has every row where it is, marked as its class, a
// boundary at which the two largest scores are equal, and around every place the
// colour of the class that is predicted there, the other features at their means.
func TestPicturesOfClassifiers(t *testing.T) {
	pictures := 2
	if testing.Short() {
		pictures = 1
	}
	for _, m := range method.All() {
		if m.Regression {
			continue
		}
		o := methodtest.Options(m)
		o.Standardize = m.Takes("standardize")
		d := methodtest.Clouds(m, 1, 60, 3)
		model := methodtest.Must(t, m, d, o)
		for _, axes := range [][4]any{{"c", "a", 2, 0}, {"", "", 0, 1}}[:pictures] {
			i, j := axes[2].(int), axes[3].(int)
			p := look(t, model, d, axes[0].(string), axes[1].(string))
			for _, word := range append([]string{titled(m, "regions and boundary"), d.Features()[i], d.Features()[j], "boundary, other features at their means"}, d.Names...) {
				if !p.says(word) {
					t.Errorf("%s: %q is not in %q", m.Name, word, p.words)
				}
			}
			if len(p.points) != len(d.Names) {
				t.Fatalf("%s: %d sets of points for %d classes", m.Name, len(p.points), len(d.Names))
			}
			var px, py, x, y []float64
			for k, layer := range p.points {
				for _, at := range layer {
					px, py = append(px, at[0]), append(py, at[1])
				}
				for r, class := range d.Labels {
					if class == k {
						x, y = append(x, d.X.At(r, i)), append(y, d.X.At(r, j))
					}
				}
				if len(px) != len(x) {
					t.Fatalf("%s: %d points up to class %d, want %d", m.Name, len(px), k, len(x))
				}
			}
			u, v := axis(t, m.Name+": x", px, x), axis(t, m.Name+": y", py, y)
			judgePlane(t, model, d, i, j, p, u, v)
		}
	}
}

// judgePlane compares boundaries and regions with the scores at their places.
func judgePlane(t *testing.T, model *method.Model, d *dataset.Data, i, j int, p picture, u, v func(float64) float64) {
	t.Helper()
	name, row := model.Method.Name, methodtest.Means(d)
	scores := func(px, py float64) []float64 {
		row[i], row[j] = u(px), v(py)
		return model.Classifier().Scores(nil, row)
	}
	predict := func(px, py float64) int {
		scores(px, py)
		return model.Classifier().Predict(row)
	}
	near := 0
	for _, line := range p.lines {
		for _, at := range line {
			// The two largest scores differ by no more than what a pixel changes.
			s := scores(at[0], at[1])
			first, second := math.Inf(-1), math.Inf(-1)
			for _, f := range s {
				first, second = max(first, f), max(second, min(first, f))
			}
			step := 0.0
			for _, d := range [][2]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
				for k, f := range scores(at[0]+d[0], at[1]+d[1]) {
					step = max(step, math.Abs(f-s[k]))
				}
			}
			if first-second > 4*step+1e-9 {
				t.Fatalf("%s: a boundary where the scores are %v", name, s)
			}
			near++
		}
	}
	if near < 20 {
		t.Errorf("%s: a boundary of %d places", name, near)
	}
	color, seen := make(map[int]string), 0
	for fill, runs := range p.regions {
		for n, at := range runs {
			k := predict(at[0], at[1])
			if n == 0 {
				if color[k] != "" {
					t.Fatalf("%s: class %d has two colours", name, k)
				}
				color[k] = fill
			}
			if color[k] != fill {
				t.Fatalf("%s: class %d at %v in the colour of another", name, k, at)
			}
			seen++
		}
	}
	if len(color) < 2 || seen < 100 {
		t.Errorf("%s: %d regions of %d runs", name, len(color), seen)
	}
}

// titled is the title of a picture of a method: a capital, and nothing of its penalties.
func titled(m *method.Method, kind string) string {
	about := strings.Split(m.About, ",")[0]
	return strings.ToUpper(about[:1]) + about[1:] + ": " + kind
}

// A picture of a regression has the responses as points and f along the feature.
func TestPicturesOfRegressions(t *testing.T) {
	for _, m := range method.All() {
		if !m.Regression {
			continue
		}
		d := methodtest.Clouds(m, 1, 40, 3)
		model := methodtest.Must(t, m, d, methodtest.Options(m))
		p := look(t, model, d, "b", "")
		for _, word := range []string{titled(m, "fit over b"), "b", "y", "rows", "fit, other features at their means"} {
			if !p.says(word) {
				t.Errorf("%s: %q is not in %q", m.Name, word, p.words)
			}
		}
		if len(p.points) != 1 || len(p.points[0]) != 40 || len(p.lines) != 1 {
			t.Fatalf("%s: %d sets of points, %d lines", m.Name, len(p.points), len(p.lines))
		}
		var px, py []float64
		for _, at := range p.points[0] {
			px, py = append(px, at[0]), append(py, at[1])
		}
		u, v := axis(t, m.Name+": x", px, d.X.Col(nil, 1)), axis(t, m.Name+": y", py, d.Y)
		row := methodtest.Means(d)
		for _, at := range p.lines[0] {
			row[1] = u(at[0])
			linalgtest.Close(t, m.Name+": f", v(at[1]), model.Regressor().Predict(row), 2e-3)
		}
		if len(p.lines[0]) < 20 {
			t.Errorf("%s: a line of %d places", m.Name, len(p.lines[0]))
		}
		bare := *d
		bare.Y = nil
		if p := look(t, model, &bare, "", ""); len(p.points) != 0 || p.says("rows") || !p.says("a") || len(p.lines) != 1 {
			t.Errorf("%s: without responses: %d sets of points, %q", m.Name, len(p.points), p.words)
		}
	}
}

// Rows without labels are points of one kind.
func TestPicturesWithoutLabels(t *testing.T) {
	m, _ := method.Named("qda")
	d := methodtest.Clouds(m, 1, 60, 2)
	model := methodtest.Must(t, m, d, methodtest.Options(m))
	d.Labels = nil
	if p := look(t, model, d, "", ""); len(p.points) != 1 || len(p.points[0]) != 60 || !p.says("rows") || p.says("u") {
		t.Errorf("%d sets of points, %q", len(p.points), p.words)
	}
}

// Rows with a gap in a feature of the picture are left out, and the means are of the
// values that are there.
func TestDrawRowsWithGaps(t *testing.T) {
	for _, name := range []string{"logistic", "ridge"} {
		m, _ := method.Named(name)
		d := methodtest.Clouds(m, 1, 60, 3)
		for _, i := range []int{3, 8, 9} {
			d.X.Row(i)[0] = math.NaN()
		}
		d.X.Row(20)[2] = math.NaN()
		o := methodtest.Options(m)
		o.Steps = []feature.Step{feature.Impute{}}
		p := look(t, methodtest.Must(t, m, d, o), d, "", "")
		count := 0
		for _, points := range p.points {
			count += len(points)
		}
		if count != 57 {
			t.Errorf("%s: %d points", name, count)
		}
	}
}

func TestDrawRefuses(t *testing.T) {
	for _, m := range method.All() {
		d := methodtest.Clouds(m, 1, 60, 3)
		model := methodtest.Must(t, m, d, methodtest.Options(m))
		for _, c := range []struct{ x, y, says string }{
			{"nosuch", "", `no feature "nosuch"; there are ["a" "b" "c"]`},
			{"", "nosuch", `nosuch`},
			{"b", "b", "b"},
		} {
			if p, err := draw.Model(model, d, c.x, c.y); p != nil || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: over %q and %q: %v", m.Name, c.x, c.y, err)
			}
		}
		var shape *linalg.ShapeError
		if p, err := draw.Model(model, methodtest.Clouds(m, 1, 60, 4), "", ""); p != nil || !errors.As(err, &shape) || shape.Got != 4 {
			t.Errorf("%s: four features: %v", m.Name, err)
		}
		d = methodtest.Clouds(m, 1, 60, 1)
		for i, k := range d.Labels {
			d.X.Row(i)[0] += 20 * float64(k)
		}
		p, err := draw.Model(methodtest.Must(t, m, d, methodtest.Options(m)), d, "", "")
		if m.Regression && err != nil || !m.Regression && (p != nil || err == nil || !strings.Contains(err.Error(), "two features")) {
			t.Errorf("%s: over one feature: %v", m.Name, err)
		}
	}
}
