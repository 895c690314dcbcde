package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/plot"
)

// What cannot be fitted or measured is the error of an experiment, never a figure
// in its tables.
func TestSpoiltDataAreAnError(t *testing.T) {
	good := separable(20, 0.6, 1)
	spoilt := &trainingSet{good.x.Clone(), good.y}
	spoilt.x.Set(3, 1, math.NaN())
	wide := &trainingSet{linalg.Zeros(4, 3), []int{0, 1, 0, 1}}
	svc, err := fit(table(good.x, good.y, "0", "1"), "svc", method.Options{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := twoGaussians(0)
	if err != nil {
		t.Fatal(err)
	}
	ten, err := rdaPopulation(4, 4)
	if err != nil {
		t.Fatal(err)
	}
	folds := make([]int, len(good.y))
	for i := range folds {
		folds[i] = i / 2 % 2
	}
	nan, shape := new(*linalg.NonFiniteError), new(*linalg.ShapeError)
	for what, c := range map[string]struct {
		as   any
		call func() error
	}{
		"fit":      {nan, func() error { _, err := fit(table(spoilt.x, spoilt.y, "0", "1"), "lda", method.Options{}); return err }},
		"cost":     {nan, func() error { _, err := fitCost(spoilt, 1, nil); return err }},
		"closest":  {nan, func() error { _, err := closeTo(spoilt.x, spoilt.y); return err }},
		"noise":    {nan, func() error { _, err := fitNoise([]*trainingSet{good, spoilt}, good); return err }},
		"svc":      {nan, func() error { _, err := fitNoisy(1, spoilt, good); return err }},
		"refusals": {nan, func() error { _, err := refusals([]*trainingSet{good, spoilt}); return err }},
		"planes":   {nan, func() error { _, err := manyPlanes(new(Result), spoilt, 1); return err }},
		"orders":   {nan, func() error { return orders(new(Result), spoilt, 1) }},
		"path":     {nan, func() error { _, err := pathLogLoss(spoilt.x, spoilt.y, folds, []float64{1}); return err }},
		"scaling": {nan, func() error {
			_, _, err := scalings()[1].apply(spoilt, good)
			return err
		}},
		"quantiles": {nan, func() error { _, _, err := scalings()[2].apply(spoilt, good); return err }},
		"Bayes rule, other features": {shape, func() error {
			_, err := freshErrors(ten, []fitted{{"Bayes", two}}, 10, 1)
			return err
		}},
		"fresh rows, other features": {shape, func() error { _, err := fitNoisy(2, good, wide); return err }},
		"errors, other features":     {shape, func() error { _, err := errorOf(svc.model, wide.x, wide.y); return err }},
		"margins, other features": {shape, func() error {
			p, err := hyperplane.NewPlane([]float64{1, 2}, 0)
			if err != nil {
				return err
			}
			_, err = marginOf(p, wide)
			return err
		}},
		"transformed, other features": {shape, func() error {
			f, err := feature.FitStandardizer(good.x, nil)
			if err != nil {
				return err
			}
			_, _, err = transformed(f, wide, good)
			return err
		}},
	} {
		if err := c.call(); !errors.As(err, c.as) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := fit(table(good.x, good.y, "0", "1"), "nosuch", method.Options{}); err == nil {
		t.Error("a method that is not there is fitted")
	}
	if _, err := gaussian2(0, 0, 1, -1); err == nil {
		t.Error("a Gaussian has a negative variance")
	}
	if _, _, _, err := compareLDALogistic(two, 1, 10, 1); err == nil || !strings.Contains(err.Error(), "lda") {
		t.Errorf("two points: %v", err)
	}
	why := errors.New("no reason")
	failing := &Experiment{Name: "failing", run: func(uint64) (*Result, error) { return new(Result), why }}
	if r, err := failing.Run(1); r != nil || !errors.Is(err, why) || !strings.Contains(err.Error(), "experiment failing") {
		t.Errorf("%v, %v", r, err)
	}
}

// A file of an experiment is read back bit for bit.
func TestFilesAreReadBack(t *testing.T) {
	s := separable(20, 0.6, 1)
	s.x.Data[0], s.x.Data[1], s.x.Data[2] = 1.0/3, -1e-300, 12345678901234567
	var b bytes.Buffer
	if err := (File{"s.csv", s}).Write(&b); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Read("s.csv", &b, nil)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(d.Features, d.Schema.Label, d.Names, d.Labels) != fmt.Sprint([]string{"x1", "x2"}, "class", []string{"0", "1"}, s.y) {
		t.Errorf("%v, %s, %v, %v", d.Features, d.Schema.Label, d.Names, d.Labels)
	}
	linalgtest.CloseSlice(t, "x", d.X.Data, s.x.Data, 0)
	if err := (File{"s.csv", s}).Write(new(room)); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a full disk: %v", err)
	}
}

// room is a writer with room for so many bytes.
type room int

func (r *room) Write(b []byte) (int, error) {
	if len(b) > int(*r) {
		return 0, io.ErrShortWrite
	}
	*r -= room(len(b))
	return len(b), nil
}

// A result prints all its tables and words, in lines that a terminal holds, or says
// that it could not, wherever the room ends.
func TestResultsArePrintedWhole(t *testing.T) {
	r := new(Result)
	r.table("Margins", `C`, "margin").Add("one", 0.25)
	r.say("%s", strings.Repeat("größer als γ ", 60))
	r.say("The end.")
	var b bytes.Buffer
	if err := r.Write(&b, true); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if !strings.HasPrefix(text, "Margins\n  C    margin\n  one  0.2500\n\n") || !strings.HasSuffix(text, "\n\nThe end.\n\n") {
		t.Errorf("%s", text)
	}
	if got := strings.Join(strings.Fields(text), " "); strings.Count(got, "größer als γ") != 60 {
		t.Errorf("%s", got)
	}
	long := 0
	for _, line := range strings.Split(text, "\n") {
		n := utf8.RuneCountInString(line)
		if n > 96 {
			t.Errorf("%d characters: %s", n, line)
		}
		long = max(long, n)
	}
	if long < 96-len("größer") {
		t.Errorf("the longest line has %d characters", long)
	}
	for _, r := range []*Result{r, {Tables: r.Tables}} {
		b.Reset()
		if err := r.Write(&b, true); err != nil {
			t.Fatal(err)
		}
		for n := range b.Len() {
			left := room(n)
			if err := r.Write(&left, true); !errors.Is(err, io.ErrShortWrite) {
				t.Fatalf("room for %d of %d bytes: %v", n, b.Len(), err)
			}
		}
	}
}

// svgText is a picture that writes itself, or fails.
type svgText string

func (s svgText) SVG(w io.Writer) error {
	if s == "" {
		return io.ErrUnexpectedEOF
	}
	_, err := io.WriteString(w, string(s))
	return err
}

// A page has its pictures inline, and is refused where one cannot be.
func TestPageOfPictures(t *testing.T) {
	page := func(p Picture) (string, error) {
		r := new(Result)
		r.draw("p", p, "a < b")
		var b strings.Builder
		err := WritePage(&b, 7, []Entry{{&Experiment{Name: "one", Title: "One"}, r}})
		return b.String(), err
	}
	text, err := page(svgText(`<svg viewBox="0 0 300 90" width="300" height="90"><path/></svg>`))
	if err != nil || !strings.Contains(text, `<svg style="min-width:200px" viewBox="0 0 300 90"`) || !strings.Contains(text, "Seed 7.") ||
		!strings.Contains(text, "a &lt; b") || !strings.Contains(text, `<section id="one">`) {
		t.Errorf("%v: %s", err, text)
	}
	if _, err := page(svgText("")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a picture that fails: %v", err)
	}
	if _, err := page(svgText("<svg><path/></svg>")); err == nil || !strings.Contains(err.Error(), "without a width") {
		t.Errorf("a picture without a width: %v", err)
	}
}

// Full Newton steps from zero reach the maximum of the likelihood on classes that
// overlap, and break down on classes that do not.
func TestFullSteps(t *testing.T) {
	s, err := costData(1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := logistic.Fit(s.x, s.y, nil)
	if err != nil {
		t.Fatal(err)
	}
	deviance, diverged := fullSteps(s.x, s.y, []float64{0, 0, 0}, 12)
	if diverged || len(deviance) != 13 {
		t.Fatalf("%v, diverged %v", deviance, diverged)
	}
	linalgtest.Close(t, "at zero", deviance[0], 2*math.Ln2*float64(len(s.y)), 1e-12)
	linalgtest.Close(t, "least", deviance[12], 2*m.Report().Objective(), 1e-9)
	apart := separable(20, 2, 1)
	if d, diverged := fullSteps(apart.x, apart.y, []float64{0, 0, 0}, 2000); !diverged {
		t.Errorf("separable classes: deviance %v after %d steps", d[len(d)-1], len(d))
	}
	if v := maxFinite([]float64{1, math.Inf(1), 3, math.NaN(), 2}); v != 3 {
		t.Errorf("the largest finite one of 1, ∞, 3, NaN, 2 is %v", v)
	}
}

// Gradient descent on a mean of squares converges just below the rate that
// divergence gives, 2 over the largest eigenvalue, and diverges just above.
func TestDivergenceIsWhereDescentDiverges(t *testing.T) {
	x := linalg.Zeros(30, 1)
	for i := range x.Rows {
		x.Set(i, 0, math.Sin(float64(i))+0.5)
	}
	rate, err := divergence(x)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ factor, most, least float64 }{{0.98, 1e-3, 0}, {1.02, math.Inf(1), 1e3}} {
		w := [2]float64{1, 1} // towards 0
		for range 2000 {
			var g [2]float64
			for i := range x.Rows {
				f := w[0] + w[1]*x.At(i, 0)
				g[0] += 2 * f / float64(x.Rows)
				g[1] += 2 * f * x.At(i, 0) / float64(x.Rows)
			}
			w[0], w[1] = w[0]-c.factor*rate*g[0], w[1]-c.factor*rate*g[1]
		}
		if size := math.Hypot(w[0], w[1]); !(size <= c.most && size >= c.least) {
			t.Errorf("at %v of the rate the iterates are %v from the minimum", c.factor, size)
		}
	}
}

// The planes of the noise experiment are compared by their angle, and the slack of
// the cost experiment is what the margins of its rows lack.
func TestAnglesAndSlack(t *testing.T) {
	for _, c := range []struct {
		b    []float64
		want float64
	}{{[]float64{0, 3}, 90}, {[]float64{5, 5}, 45}, {[]float64{-2, 0}, 180}, {[]float64{7, 0}, 0}} {
		linalgtest.Close(t, "degrees", degrees([]float64{2, 0}, c.b), c.want, 1e-12)
	}
	s, err := costData(3)
	if err != nil {
		t.Fatal(err)
	}
	p := new(plot.Plot)
	f, err := fitCost(s, 0.5, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := hyperplane.FitSVC(s.x, s.y, &hyperplane.SVCOptions{C: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	coef, intercept := m.Coef()
	slack, inside, wrong := 0.0, 0, 0
	for i, k := range s.y {
		f := float64(2*k-1) * (intercept[0] + linalg.Dot(coef.Row(0), s.x.Row(i)))
		if f < 1-1e-9 {
			slack += 1 - f
			inside++
		}
		if f < 0 {
			wrong++
		}
	}
	linalgtest.Close(t, "slack", f.slack, slack, 1e-6)
	linalgtest.Close(t, "margin", f.margin, 1/linalg.Norm(coef.Row(0)), 1e-12)
	if f.inside != inside || f.training != float64(wrong)/float64(len(s.y)) || f.c != 0.5 || f.support < inside {
		t.Errorf("%+v; %d inside, %d wrong", f, inside, wrong)
	}
	wellFormed(t, Figure{"cost", "", p})
}
