package experiment

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"halfspace/hyperplane"
	"halfspace/hyperplane/cpath"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/sim/plot"
)

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

// Captions hold wherever the pictures stand: beside one another on a wide screen, below one
// another on a telephone. And each says enough to be read without the text, with names on
// both axes of its plots.
func TestCaptionsStandAlone(t *testing.T) {
	linalgtest.SkipSlow(t) // it runs all experiments
	place := regexp.MustCompile(`(?i)\b(left|right|below|beside one|upper|lower)\b`)
	for _, e := range All {
		r, err := firstRun(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Figures {
			for _, word := range place.FindAllString(f.Caption, -1) {
				if f.Name != "slips" && word != "right" || strings.Contains(f.Caption, "(right)") {
					t.Errorf("the caption of %s tells a place: %q", f.Name, word)
				}
			}
			if len(f.Caption) < 60 {
				t.Errorf("the caption of %s is too short to tell it: %q", f.Name, f.Caption)
			}
			for _, p := range plotsOf(f.Picture) {
				if p.X.Label == "" || p.Y.Label == "" {
					t.Errorf("%s: an axis has no name", f.Name)
				}
			}
		}
	}
}

// plotsOf returns the plots of a picture.
func plotsOf(p Picture) []*plot.Plot {
	if g, ok := p.(*plot.Panels); ok {
		return g.Plots
	}
	return []*plot.Plot{p.(*plot.Plot)}
}

// Half-way along a piece of the path over C the drawn share of C is that of a fit there.
func TestSharesBetweenBreakpoints(t *testing.T) {
	s, err := costData(1)
	if err != nil {
		t.Fatal(err)
	}
	path, err := cpath.Fit(s.x, s.y, &cpath.Options{MinC: 0.01, MaxC: 100})
	if err != nil {
		t.Fatal(err)
	}
	wide := 0 // the widest piece
	for k := range path.Points[1:] {
		if path.Points[k+1].C/path.Points[k].C > path.Points[wide+1].C/path.Points[wide].C && path.Points[k+1].C < 10 {
			wide = k
		}
	}
	for _, row := range path.Points[wide].Elbow {
		cs, share := shares(path.Points, row)
		at := 20*wide + 10
		m, err := hyperplane.FitSVC(s.x, s.y, &hyperplane.SVCOptions{C: cs[at]})
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Conditions(0, s.x, s.y, nil)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "share of C", share[at], k.Alpha[row]/cs[at], 1e-6)
	}
}
