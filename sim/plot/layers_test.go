package plot

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

// ink is the colour of the layers at hand.
const ink = Purple

// unitPlot is a plot of 0 to 10 both ways with one layer, drawn; at is where its pixels are.
func unitPlot(t *testing.T, add func(p *Plot)) (r *recorder, at func(x, y float64) pt) {
	t.Helper()
	p := &Plot{X: Axis{Min: 0, Max: 10}, Y: Axis{Min: 0, Max: 10}}
	add(p)
	r, left, top, right, bottom := record(p)
	return r, func(x, y float64) pt { return pt{left + (right-left)*x/10, bottom - (bottom-top)*y/10} }
}

func sameLine(got, want []pt) bool {
	if len(got) != len(want) {
		return false
	}
	for i, p := range got {
		if math.Hypot(p.x-want[i].x, p.y-want[i].y) > 1e-6 {
			return false
		}
	}
	return true
}

// Each layer draws its lines where the axes have their points.
func TestLayersDrawWhereTheyAre(t *testing.T) {
	s := Style{Color: ink}
	type line = []pt
	for name, c := range map[string]struct {
		add  func(p *Plot)
		want []line
	}{
		"histogram": {func(p *Plot) { p.Histogram("", s, []float64{-1, 2, 3, 3.5, 4, 8, 9}, 2, 8, 3) }, // 2 to 4, to 6, to 8
			[]line{{{2, 0}, {2, 3}, {4, 3}, {4, 1}, {6, 1}, {6, 1}, {8, 1}, {8, 0}}}},
		"bars":     {func(p *Plot) { p.ErrorBars("", ink, []float64{3}, []float64{5}, []float64{2}) }, []line{{{3, 3}, {3, 7}}}},
		"segments": {func(p *Plot) { p.Segments("", s, []float64{1, 2}, []float64{3, 4}, []float64{5, 6}, []float64{7, 8}) }, []line{{{1, 3}, {5, 7}}, {{2, 4}, {6, 8}}}},
		"path":     {func(p *Plot) { p.Path("", s, []float64{1, 2, 9}, []float64{3, 4, 1}) }, []line{{{1, 3}, {2, 4}, {9, 1}}}},
		"arrow":    {func(p *Plot) { p.Arrow("", s, 1, 2, 3, 4) }, []line{{{1, 2}, {3, 4}}}},
		"across":   {func(p *Plot) { p.HLine("", s, 4) }, []line{{{0, 4}, {10, 4}}}},
		"up":       {func(p *Plot) { p.VLine("", s, 4) }, []line{{{4, 0}, {4, 10}}}},
	} {
		r, at := unitPlot(t, c.add)
		var lines []line
		for _, l := range r.stroked[ink] {
			if len(l) > 2 || math.Hypot(l[0].x-l[1].x, l[0].y-l[1].y) > 6.001 { // the caps of bars are 6 long
				lines = append(lines, l)
			}
		}
		if len(lines) != len(c.want) {
			t.Errorf("%s: %d lines", name, len(lines))
			continue
		}
		for i, want := range c.want {
			pixels := make(line, len(want))
			for k, p := range want {
				pixels[k] = at(p.x, p.y)
			}
			if !sameLine(lines[i], pixels) {
				t.Errorf("%s: %v, want %v", name, lines[i], pixels)
			}
		}
	}
}

// A function is drawn over the whole width, and the axis of a function alone holds its values.
func TestFunctionsAreDrawnOverTheWidth(t *testing.T) {
	r, at := unitPlot(t, func(p *Plot) { p.Func("", Style{Color: ink}, func(x float64) float64 { return x * x / 10 }) })
	l := r.stroked[ink][0]
	if !sameLine([]pt{l[0], l[len(l)-1]}, []pt{at(0, 0), at(10, 10)}) {
		t.Errorf("from %v to %v", l[0], l[len(l)-1])
	}
	for _, q := range l {
		x := (q.x - at(0, 0).x) / (at(10, 0).x - at(0, 0).x) * 10
		if !(math.Abs(q.y-at(0, x*x/10).y) <= 1e-6) {
			t.Errorf("%v is not on the line", q)
		}
	}
	p := &Plot{X: Axis{Min: 2, Max: 4}}
	p.Func("", Style{Color: ink}, func(x float64) float64 { return 100 * x })
	r, _, top, _, bottom := record(p)
	l = r.stroked[ink][0] // from 200 to 400, padded by a twentieth
	if from, to := (bottom-l[0].y)/(bottom-top), (bottom-l[len(l)-1].y)/(bottom-top); math.Abs(from-.05/1.1) > 1e-9 || math.Abs(to-1.05/1.1) > 1e-9 {
		t.Errorf("from %g to %g of the height", from, to)
	}
}

// Every point of an ellipse has the distance asked for, and they go all the way round.
func TestEllipsesHaveTheirDistance(t *testing.T) {
	mean, cov := [2]float64{4, 6}, [2][2]float64{{1, 0.6}, {0.6, 0.5}}
	r, at := unitPlot(t, func(p *Plot) { p.Ellipse("", Style{Color: ink}, mean, cov, 4) })
	det, area := cov[0][0]*cov[1][1]-cov[0][1]*cov[1][0], 0.0
	unit := at(1, 0).x - at(0, 0).x
	for _, q := range r.stroked[ink][0] {
		dx, dy := (q.x-at(4, 0).x)/unit, (at(0, 6).y-q.y)/(at(0, 0).y-at(0, 1).y)
		if d := (cov[1][1]*dx*dx - 2*cov[0][1]*dx*dy + cov[0][0]*dy*dy) / det; !(math.Abs(d-4) <= 1e-6) {
			t.Errorf("a point at distance %g", d)
		}
	}
	area = areaOf(r.stroked[ink][0]) / unit / (at(0, 0).y - at(0, 1).y)
	if want := 4 * math.Pi * math.Sqrt(det); !(math.Abs(math.Abs(area)-want) <= 0.01*want) {
		t.Errorf("area %g, want %g", area, want)
	}
}

// A cell is a square of side 1 with its text in the middle, smaller where it would not fit.
func TestCellsAndNotes(t *testing.T) {
	r, at := unitPlot(t, func(p *Plot) { p.Cell(3, 4, 0.5, "7") })
	a, b := at(2.5, 3.5), at(3.5, 4.5)
	if want := math.Abs((b.x - a.x) * (b.y - a.y)); math.Abs(r.area[Ink]-want) > 1e-6*want {
		t.Errorf("area %g, want %g", r.area[Ink], want)
	}
	for _, text := range []string{"7", "a long text for a cell"} {
		r, _ := unitPlot(t, func(p *Plot) { p.Cell(3, 4, 0.5, text) })
		w := r.written[len(r.written)-1]
		for _, v := range r.written {
			if v.text == text {
				w = v
			}
		}
		fits := textWidth(text, w.size) <= 0.9*(b.x-a.x)+1e-9
		if math.Abs(w.at.x-(a.x+b.x)/2) > 1e-6 || math.Abs(w.at.y-.35*w.size-(a.y+b.y)/2) > 1e-6 || !fits || w.size > labelSize || text == "7" && w.size != labelSize {
			t.Errorf("%q at %v of size %g", text, w.at, w.size)
		}
	}
	r, at = unitPlot(t, func(p *Plot) { p.Text(ink, 3, 4, "note") })
	if q, p := r.texts["note"], at(3, 4); math.Hypot(q.x-p.x, q.y-(p.y-8)) > 1e-6 {
		t.Errorf("a note at %v above %v", q, p)
	}
}

// The margins of a plane are where f is −1 and 1, and levels stand on their lines, far from one
// another.
func TestMarginsAndLevels(t *testing.T) {
	r, at := unitPlot(t, func(p *Plot) { p.Margin("", Style{Color: ink}, [2]float64{1, 0}, -5) })
	seen := map[float64]bool{}
	for _, l := range r.stroked[ink] {
		for _, q := range l {
			seen[math.Round(1e6*(q.x-at(0, 0).x)/(at(1, 0).x-at(0, 0).x))/1e6] = true
		}
	}
	if len(seen) != 3 || !seen[4] || !seen[5] || !seen[6] {
		t.Errorf("lines at x = %v", seen)
	}
	f := func(x, y float64) float64 { return math.Hypot(x-5, y-5) }
	r, at = unitPlot(t, func(p *Plot) { p.Contour("", Style{Color: ink, Levels: true}, f, 1, 2, 3, 4) })
	var places []pt
	for _, level := range []float64{1, 2, 3, 4} {
		q, ok := r.texts[fmt.Sprint(level)]
		if !ok {
			continue
		}
		q.y -= .35 * noteSize
		x, y := 10*(q.x-at(0, 0).x)/(at(10, 0).x-at(0, 0).x), 10*(at(0, 0).y-q.y)/(at(0, 0).y-at(0, 10).y)
		if !(math.Abs(f(x, y)-level) <= 0.01) {
			t.Errorf("level %g stands at %g", level, f(x, y))
		}
		for _, p := range places {
			if math.Abs(p.x-q.x) < 2*noteSize && 1.5*math.Abs(p.y-q.y) < 2*noteSize {
				t.Errorf("levels at %v and %v touch", p, q)
			}
		}
		places = append(places, q)
	}
	if len(places) < 3 {
		t.Errorf("levels at %v", places)
	}
}

// Pens have their dashes: dots as far apart as they are wide, and a width of 2 by default.
func TestPensOfStyles(t *testing.T) {
	for _, c := range []struct {
		style Style
		width float64
		dash  []float64
		round bool
	}{{Style{}, 2, nil, false}, {Style{Width: 3}, 3, nil, false}, {Style{Dash: Dashed}, 2, []float64{7, 5}, false},
		{Style{Dash: Dotted, Width: 5}, 5, []float64{.1, 12}, true}, {Style{Dash: DashDot}, 2, []float64{9, 4, 2, 4}, false}} {
		if p := c.style.pen(); p.width != c.width || fmt.Sprint(p.dash) != fmt.Sprint(c.dash) || p.round != c.round {
			t.Errorf("%+v: %+v", c.style, p)
		}
	}
}

// A legend has a sign of each layer and its name behind it, in rows of one height.
func TestLegendEntriesStandInRows(t *testing.T) {
	for _, width := range []int{800, 480} { // beside the axes, and below them
		p := &Plot{Width: width, Height: 400}
		p.Curve("line", Style{Color: Purple}, []float64{0, 1}, []float64{0, 1})
		p.Points("points", Blue, Circle, []float64{0, 1}, []float64{0, 1})
		p.ErrorBars("bars", Green, []float64{0, 1}, []float64{0, 1}, []float64{.1, .2})
		r, _, _, _, _ := record(p)
		sign := func(name string) pt {
			at := r.texts[name]
			return pt{at.x - keyGap, at.y - .35*legendSize}
		}
		lastLine := func(c Color) []pt { return r.stroked[c][len(r.stroked[c])-1] }
		for name, line := range map[string][]pt{"line": lastLine(Purple), "bars": lastLine(Green)} {
			if end := sign(name); !sameLine(line, []pt{{end.x - keyWidth, end.y}, end}) {
				t.Errorf("width %d: the line of %q is %v, its text at %v", width, name, line, r.texts[name])
			}
		}
		for name, c := range map[string]Color{"points": Blue, "bars": Green} {
			mark, end := r.marked[c][len(r.marked[c])-1], sign(name)
			if !sameLine([]pt{mark}, []pt{{end.x - keyWidth/2, end.y}}) {
				t.Errorf("width %d: the mark of %q is %v, its text at %v", width, name, mark, r.texts[name])
			}
		}
		es := p.legend()
		for i := 1; i < len(es); i++ {
			a, b := r.texts[es[i-1].name], r.texts[es[i].name]
			if dx, dy := b.x-a.x, b.y-a.y; width == 800 && (dx != 0 || math.Abs(dy-rowStep) > 1e-9) || width == 480 && (dy != 0 || math.Abs(dx-entryWidth(es[i-1])) > 1e-9) {
				t.Errorf("width %d: entries at %v and %v", width, a, b)
			}
		}
	}
}

// The marker of an SVG has the corners of its outline, to two decimals.
func TestMarkersOfSVGHaveTheirOutline(t *testing.T) {
	for shape := Circle; shape <= Star; shape++ {
		m := marker{shape, Ink, 3.3333, true}
		polygon, strokes := m.outline()
		want := `<circle r="3.33"`
		if polygon != nil {
			strokes = [][]pt{polygon}
		}
		if strokes != nil {
			want = ` d="`
			for _, l := range strokes {
				for i, q := range l {
					want += fmt.Sprintf("%c%s %s", "ML"[min(i, 1)], num(q.x), num(q.y))
				}
			}
			if polygon != nil {
				want += "Z"
			}
			want += `"`
		}
		if s := m.svg(); !strings.Contains(s, want) {
			t.Errorf("shape %d: %s has no %s", shape, s, want)
		}
	}
	var b bytes.Buffer
	rectangles(&b, [][]pt{{{1.004, 2.006}, {5, 2.006}, {5, -7.125}, {1.004, -7.125}}})
	if s := b.String(); s != "M1 2.01H5V-7.13H1Z" {
		t.Error(s)
	}
}

// Pixels and values are one another's inverse, with logarithms too.
func TestScalesComeBack(t *testing.T) {
	for _, s := range []scale{{0, 10, 50, 450, false}, {-2, 3, 400, 20, true}} {
		for _, at := range []float64{50, 123, 400} {
			if got := s.pixel(s.value(at)); !(math.Abs(got-at) <= 1e-9) {
				t.Errorf("%+v: pixel %g comes back as %g", s, at, got)
			}
		}
	}
	if s := (scale{-2, 3, 400, 20, true}); !(math.Abs(s.pixel(10)-(400-380*3./5)) <= 1e-9) {
		t.Errorf("10 is at %g", s.pixel(10))
	}
}

// An arrowhead is a triangle at the end: 10 long, 9 wide, and symmetric about the way there.
func TestArrowheadsPointAlongTheWay(t *testing.T) {
	for _, to := range [][2]float64{{9, 2}, {1, 8}, {5, 9}, {8, 5}} {
		r, at := unitPlot(t, func(p *Plot) { p.Arrow("", Style{Color: ink}, 5, 5, to[0], to[1]) })
		from, tip := at(5, 5), at(to[0], to[1])
		d := math.Hypot(tip.x-from.x, tip.y-from.y)
		ux, uy := (tip.x-from.x)/d, (tip.y-from.y)/d
		want := []pt{tip, {tip.x - 10*ux + 4.5*uy, tip.y - 10*uy - 4.5*ux}, {tip.x - 10*ux - 4.5*uy, tip.y - 10*uy + 4.5*ux}}
		if heads := r.filled[ink]; len(heads) != 1 || !sameLine(heads[0], want) {
			t.Errorf("to %v: %v, want %v", to, heads, want)
		}
	}
}

// Dots of a width below 0 would go backwards without an end.
func TestPensOfNoWidthHaveTheDefault(t *testing.T) {
	for _, width := range []float64{0, -1, math.NaN()} {
		if p := (Style{Dash: Dotted, Width: width}).pen(); p.width != 2 || !(p.dash[1] > 0) {
			t.Errorf("%g: %+v", width, p)
		}
	}
}
