package draw_test

import (
	"bytes"
	"math"
	"regexp"
	"slices"
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
)

// twoIris are versicolor and virginica with p features.
func twoIris(p int) *dataset.Data {
	all := dataset.Iris()
	d := &dataset.Data{X: linalg.Zeros(100, p), Labels: make([]int, 100), Names: all.Names[1:],
		Schema: &dataset.Schema{Label: "species", Names: all.Names[1:], Columns: all.Schema.Columns[:p]}}
	for i := range 100 {
		copy(d.X.Row(i), all.X.Row(50 + i)[4-p:])
		d.Labels[i] = all.Labels[50+i] - 1
	}
	return d
}

func fitted(t *testing.T, name string, d *dataset.Data, o *method.Options) *method.Model {
	t.Helper()
	m, err := method.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	model, err := m.Fit(d, o)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func svg(t *testing.T, kind string, m *method.Model, d *dataset.Data) string {
	t.Helper()
	p, err := draw.Kind(kind, m, d, "", "")
	if err != nil {
		t.Fatalf("%s of %s: %v", kind, m.Method.Name, err)
	}
	var b bytes.Buffer
	if err := p.SVG(&b); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
		t.Errorf("%s of %s has places that are not finite", kind, m.Method.Name)
	}
	return b.String()
}

// Every kind draws what it names, of the models that have it, and refuses the others.
func TestKinds(t *testing.T) {
	two, three := twoIris(4), dataset.Iris()
	svc, lda := fitted(t, "svc", two, nil), fitted(t, "lda", three, nil)
	logit := fitted(t, "logistic", two, nil)
	for kind, words := range map[string][]string{"margins": {"f(x), positive for virginica", "versicolor"}, "roc": {"area under it 0.99", "by chance"}, "confusion": {"true class"}, "": {"f(x), positive"}} {
		picture := svg(t, kind, svc, two)
		for _, w := range words {
			if !strings.Contains(picture, w) {
				t.Errorf("%q is not in the picture of kind %q", w, kind)
			}
		}
	}
	if !strings.Contains(svg(t, "calibration", logit, two), "if predictions are right") {
		t.Error("no line of right predictions")
	}
	if s := svg(t, "", lda, three); !strings.Contains(s, "second discriminant coordinate") {
		t.Error("four features of three classes are not drawn in discriminant coordinates")
	}
	numeric := &dataset.Data{X: three.X, Y: three.X.Col(nil, 3), Schema: &dataset.Schema{Label: "width", Columns: three.Schema.Columns}}
	if ols := fitted(t, "ridge", numeric, &method.Options{Lambda: 1}); !strings.Contains(svg(t, "residuals", ols, numeric), "fitted width") {
		t.Error("residuals have no axis")
	}
	for _, c := range []struct {
		kind string
		m    *method.Model
		d    *dataset.Data
	}{{"nosuch", svc, two}, {"ld", svc, two}, {"roc", lda, three}, {"margins", lda, three}, {"calibration", svc, two}, {"residuals", svc, two}} {
		if p, err := draw.Kind(c.kind, c.m, c.d, "", ""); err == nil || p != nil {
			t.Errorf("%s of %s is drawn", c.kind, c.m.Method.Name)
		}
	}
	if _, err := draw.Kind("roc", svc, two, "petal_length", ""); err == nil {
		t.Error("a ROC curve over petal_length is drawn")
	}
}

// The path of a method is drawn over its penalty, with the losses that choose one.
func TestPathsAreDrawn(t *testing.T) {
	three, two := dataset.Iris(), twoIris(4)
	numeric := &dataset.Data{X: three.X, Y: three.X.Col(nil, 3), Schema: &dataset.Schema{Label: "width", Columns: three.Schema.Columns}}
	for _, c := range []struct {
		m     *method.Model
		d     *dataset.Data
		words []string // of the path, nil where there is none; the feature that is largest at its end is the first
	}{
		{fitted(t, "logistic", two, nil), two, []string{"petal_width", ">coefficient<", ">λ<"}},
		{fitted(t, "logistic", three, &method.Options{Steps: []feature.Step{feature.Standardize{}}, Lambda: 1}), three, []string{"norm of a feature"}},
		{fitted(t, "svc", two, nil), two, []string{">λ<"}},
		{fitted(t, "ridge", numeric, &method.Options{Lambda: 1}), numeric, []string{"petal_width"}},
		{fitted(t, "rda", three, &method.Options{Alpha: 0.5}), three, nil},
		{fitted(t, "lda", three, nil), three, nil},
	} {
		if c.words == nil {
			if p, err := draw.Kind("path", c.m, c.d, "", ""); err == nil || p != nil {
				t.Errorf("coefficients of %s are drawn", c.m.Method.Name)
			}
		} else {
			picture := svg(t, "path", c.m, c.d)
			for _, w := range c.words {
				if !strings.Contains(picture, w) {
					t.Errorf("%q is not in the path of %s", w, c.m.Method.Name)
				}
			}
		}
		if p, err := draw.Kind("cv", c.m, c.d, "", ""); (err == nil) != c.m.Method.Takes("path") || (p == nil) != (err != nil) {
			t.Errorf("cross-validation of %s: %v", c.m.Method.Name, err)
		}
	}
	ridge, err := method.Named("ridge")
	if err != nil {
		t.Fatal(err)
	}
	many := methodtest.Clouds(ridge, 1, 60, 9)
	if n := strings.Count(svg(t, "path", fitted(t, "ridge", many, &method.Options{Lambda: 1}), many), "<path"); n < 9 {
		t.Errorf("%d lines of 9 features, of which six have names", n)
	}
	for _, w := range []string{"squared error on 10 folds", "± one standard error", ">least<", ">one-SE rule<"} {
		if !strings.Contains(svg(t, "cv", fitted(t, "lasso", numeric, &method.Options{Lambda: 1}), numeric), w) {
			t.Errorf("no %q", w)
		}
	}
}

// A margin of two features has its slab and a ring for every row on it or inside, and no
// fewer than support vectors; the slacks are as many as rows inside. On standardised
// features the picture is of the data's own.
func TestMarginsAreDrawn(t *testing.T) {
	d := twoIris(2)
	for _, o := range []*method.Options{{C: 1}, {C: 1, Steps: []feature.Step{feature.Standardize{}}}} {
		m := fitted(t, "svc", d, o)
		inside := 0
		for i, k := range d.Labels {
			s := m.Classifier().Scores(nil, d.X.Row(i))
			if float64(2*k-1)*(s[1]-s[0]) < 1-1e-6 {
				inside++
			}
		}
		picture := svg(t, "", m, d)
		for _, w := range []string{"margins", "slack", "on the margin or inside"} {
			if !strings.Contains(picture, ">"+w+"<") {
				t.Errorf("no %q", w)
			}
		}
		on := 0
		for i, k := range d.Labels {
			s := m.Classifier().Scores(nil, d.X.Row(i))
			if float64(2*k-1)*(s[1]-s[0]) <= 1+1e-6 {
				on++
			}
		}
		rings := look(t, m, d, "", "").points
		if inside < 5 || len(rings[len(rings)-1]) != on {
			t.Errorf("%d rows inside, %d there or on the margin, %d rings", inside, on, len(rings[len(rings)-1]))
		}
	}
	m := fitted(t, "svc", d, &method.Options{C: 1})
	pic := look(t, m, d, "", "")
	pixels := append(slices.Clone(pic.points[0]), pic.points[1]...)
	of := func(c int) func(pixel float64) float64 {
		var at []float64
		for _, p := range pixels {
			at = append(at, p[c])
		}
		return axis(t, d.Features()[c], at, d.X.Col(nil, c)) // rows are sorted by class
	}
	x, y, slacks := of(0), of(1), 0
	for _, line := range pic.lines {
		if len(line) != 2 || !slices.Contains(pixels, line[0]) {
			continue
		}
		slacks++
		s := m.Classifier().Scores(nil, []float64{x(line[1][0]), y(line[1][1])})
		linalgtest.Close(t, "size of f where a slack ends", math.Abs(s[1]-s[0]), 1, 0.02)
	}
	if slacks < 5 {
		t.Errorf("%d slacks", slacks)
	}
	if s := svg(t, "", fitted(t, "lda", d, nil), d); strings.Contains(s, ">slack<") {
		t.Error("LDA has slacks")
	}
	corners := &dataset.Data{X: linalgtest.Rows(t, []float64{0, 0}, []float64{1, 1}, []float64{0, 1}, []float64{1, 0}), Labels: []int{0, 0, 1, 1}, Names: d.Names, Schema: d.Schema}
	if pic := look(t, fitted(t, "svc", corners, &method.Options{C: 1}), corners, "", ""); pic.says("slack") || !pic.says("on the margin or inside") {
		t.Error("rows have ways to margins that are nowhere, or none is inside")
	}
}

// A constant column takes nothing from the picture in discriminant coordinates.
func TestConstantColumnsAreLeftOutOfCoordinates(t *testing.T) {
	three := dataset.Iris()
	wide := &dataset.Data{X: linalg.Zeros(150, 5), Labels: three.Labels, Names: three.Names,
		Schema: &dataset.Schema{Label: "species", Names: three.Names, Columns: append([]dataset.Column{{Name: "constant"}}, three.Schema.Columns...)}}
	for i := range 150 {
		copy(wide.X.Row(i), append([]float64{7}, three.X.Row(i)...))
	}
	o := &method.Options{Lambda: 1}
	// Places differ by rounding; the tenth part of a pixel is left.
	places := regexp.MustCompile(`\.\d+|id="[^"]*"|hs[0-9a-f]{8}`)
	got, want := svg(t, "", fitted(t, "logistic", wide, o), wide), svg(t, "", fitted(t, "logistic", three, o), three)
	if places.ReplaceAllString(got, "") != places.ReplaceAllString(want, "") {
		t.Error("the picture differs")
	}
}

// The counts of the confusion matrix stand in the order of the table that eval prints, under the names
// of the classes where those have room, and else under numbers that the legend tells.
func TestConfusionMatrixHasNames(t *testing.T) {
	three := dataset.Iris()
	picture := svg(t, "confusion", fitted(t, "lda", three, nil), three)
	places := map[string][2]float64{}
	for _, m := range regexp.MustCompile(`<text x="([0-9.]+)" y="([0-9.]+)"[^>]*>(\d+)<`).FindAllStringSubmatch(picture, -1) {
		x, _ := strconv.ParseFloat(m[1], 64)
		y, _ := strconv.ParseFloat(m[2], 64)
		places[m[3]] = [2]float64{x, y}
	}
	right, down := places["2"], places["1"] // 48 of versicolor are right, 2 taken for virginica; 1 of virginica is taken for versicolor
	if middle := places["48"]; len(places) != 6 || right[1] != middle[1] || right[0] <= middle[0] || down[0] != middle[0] || down[1] <= middle[1] {
		t.Errorf("counts stand at %v", places)
	}
	if n := strings.Count(picture, ">virginica<"); n != 2 {
		t.Errorf("virginica stands %d times beside the matrix", n)
	}
	long := dataset.Iris()
	long.Names = []string{"setosa, with a name that has no room", "versicolor", "virginica"}
	long.Schema.Names = long.Names
	if picture := svg(t, "confusion", fitted(t, "lda", long, nil), long); !strings.Contains(picture, "1: setosa, with a name that has no room<") {
		t.Error("a long name is not in the legend")
	}
}

// The histograms of the margins are of the rows of their classes and have bins that end at the
// boundary, and in discriminant coordinates as many rows have a ring as are misclassified.
func TestRowsAreDrawnAsTheyAre(t *testing.T) {
	d := twoIris(2)
	d.X, d.Labels = &linalg.Dense{Rows: 80, Cols: 2, Stride: 2, Data: d.X.Data[40:]}, d.Labels[20:]
	p, err := draw.Kind("margins", fitted(t, "svc", d, nil), d, "", "")
	if err != nil {
		t.Fatal(err)
	}
	var area []float64
	lines := seen(t, "margins", p).lines
	for _, line := range lines {
		if len(line) > 2 {
			area = append(area, 0)
			for k, at := range line[1:] {
				area[len(area)-1] += (at[0] - line[k][0]) * (line[0][1] - line[k][1])
			}
			boundary := lines[len(lines)-3][0][0]
			if !slices.ContainsFunc(line, func(at [2]float64) bool { return math.Abs(at[0]-boundary) < 0.02 }) {
				t.Errorf("no bin ends at the boundary, %v: %v", boundary, line)
			}
		}
	}
	if len(area) != 2 || linalgtest.Diff(area[0]/area[1], 30.0/50) > 1e-3 {
		t.Errorf("areas %v, want two in proportion 30 to 50", area)
	}

	three, wrong := dataset.Iris(), 0
	m := fitted(t, "lda", three, nil)
	for i, k := range three.Labels {
		if m.Classifier().Predict(three.X.Row(i)) != k {
			wrong++
		}
	}
	if p, err = draw.Kind("ld", m, three, "", ""); err != nil {
		t.Fatal(err)
	}
	points := seen(t, "ld", p).points
	if rings := points[len(points)-1]; wrong == 0 || len(rings) != wrong {
		t.Errorf("%d rings, %d rows are misclassified", len(rings), wrong)
	}
}

// Data without names are drawn by their labels, which name the classes.
func TestDataWithoutNamesAreDrawn(t *testing.T) {
	d := twoIris(4)
	bare := &dataset.Data{X: d.X, Labels: make([]int, len(d.Labels))}
	for i, k := range d.Labels {
		bare.Labels[i] = 3 + 4*k
	}
	m := fitted(t, "lda", bare, nil)
	named := *bare
	named.Labels, named.Names = d.Labels, []string{"3", "7"}
	for _, kind := range []string{"", "boundary", "margins", "roc", "calibration", "confusion"} {
		if svg(t, kind, m, bare) != svg(t, kind, m, &named) {
			t.Errorf("%q: another picture than with names", kind)
		}
	}
}

// No rows, lists of other lengths and no model are no picture, and panic nowhere.
func TestDataOfOtherLengthsAreNotDrawn(t *testing.T) {
	d := twoIris(3)
	m := fitted(t, "logistic", d, nil)
	for what, bad := range map[string]*dataset.Data{"no rows": {X: linalg.Zeros(0, 3), Labels: []int{}},
		"labels": {X: d.X, Labels: d.Labels[:3]}, "offsets": {X: d.X, Labels: d.Labels, Offset: []float64{1}}} {
		for _, kind := range []string{"", "margins", "roc", "calibration", "confusion"} {
			if _, err := draw.Kind(kind, m, bad, "", ""); err == nil {
				t.Errorf("%s: a picture of kind %q", what, kind)
			}
		}
	}
	if _, err := draw.Kind("", new(method.Model), d, "", ""); err == nil {
		t.Error("a picture of no model")
	}
}
