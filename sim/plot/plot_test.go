package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg/linalgtest"
)

// recorder is a canvas that notes what is drawn.
type recorder struct {
	area    map[Color]float64
	filled  map[Color][][]pt
	stroked map[Color][][]pt
	marked  map[Color][]pt
	texts   map[string]pt
	written []writing
	clips   [][4]float64
}

func (r *recorder) polygons(ps [][]pt, c Color, _ float64, _ bool) {
	for _, p := range ps {
		r.area[c] += math.Abs(areaOf(p))
		r.filled[c] = append(r.filled[c], p)
	}
}

func areaOf(p []pt) (a float64) {
	for i, q := range p {
		n := p[(i+1)%len(p)]
		a += (q.x*n.y - n.x*q.y) / 2
	}
	return a
}

func (r *recorder) lines(ps [][]pt, p pen) { r.stroked[p.color] = append(r.stroked[p.color], ps...) }
func (r *recorder) markers(ps []pt, m marker) {
	r.marked[m.color] = append(r.marked[m.color], ps...)
}
func (r *recorder) text(at pt, s string, t textStyle) {
	r.texts[s] = at
	r.written = append(r.written, writing{at, s, t})
}
func (r *recorder) clip(x0, y0, x1, y1 float64) {
	r.clips = append(r.clips, [4]float64{x0, y0, x1, y1})
}
func (r *recorder) unclip() {}

// record draws p and returns what was drawn and the frame of the axes.
func record(p *Plot) (r *recorder, left, top, right, bottom float64) {
	r = &recorder{area: map[Color]float64{}, filled: map[Color][][]pt{}, stroked: map[Color][][]pt{}, marked: map[Color][]pt{}, texts: map[string]pt{}}
	w, h := p.size()
	p.draw(r, 0, 0, float64(w), float64(h), 0)
	return r, r.clips[0][0], r.clips[0][1], r.clips[0][2], r.clips[0][3]
}

func circleAt(r float64) func(x, y float64) float64 {
	return func(x, y float64) float64 { return x*x + y*y - r*r }
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		min, max float64
		n        int
		want     string
	}{
		{0, 1, 5, "0 0.2 0.4 0.6 0.8 1.0"},
		{-3.2, 5.1, 6, "−2 0 2 4"},
		{0, 1, 10, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0"},
		{17, 913, 5, "200 400 600 800"},
		{.00012, .00057, 5, "2×10⁻⁴ 3×10⁻⁴ 4×10⁻⁴ 5×10⁻⁴"},
		{-2e6, 3e6, 5, "−2×10⁶ −1×10⁶ 0 1×10⁶ 2×10⁶ 3×10⁶"},
		{1e8, 1e8 + 1, 2, "100000000.0 100000000.5 100000001.0"},
	} {
		var got []string
		for _, k := range (scale{min: c.min, max: c.max}).ticks(c.n) {
			got = append(got, k.text)
			if k.at < c.min-1e-9*(c.max-c.min) || k.at > c.max+1e-9*(c.max-c.min) {
				t.Errorf("[%v, %v]: tick %v outside", c.min, c.max, k.at)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("[%v, %v], %d ticks: %s, want %s", c.min, c.max, c.n, s, c.want)
		}
	}
	for _, c := range []struct {
		min, max float64
		want     string
	}{{-2, 1, "0.01 0.1 1 10"}, {0, 1.5, "1 2 5 10 20"}, {-9, 9, "10⁻⁹ 10⁻⁵ 10⁻¹ 10³ 10⁷"}, {4.5, 6, "5×10⁴ 10⁵ 2×10⁵ 5×10⁵ 10⁶"}} {
		var got []string
		for _, k := range (scale{min: c.min, max: c.max, log: true}).ticks(6) {
			got = append(got, k.text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("decades %v to %v: %s, want %s", c.min, c.max, s, c.want)
		}
	}
}

// A contour runs on the function, not beside it: all points of a circle's are at
// its radius to 1e-6 of a cell, and it is one closed line.
func TestContourIsTrue(t *testing.T) {
	var xs []float64
	for i := range 33 {
		xs = append(xs, -2+float64(i)/8)
	}
	f := circleAt(1.3)
	lines := newField(xs, xs, f).contour(0, f)
	if len(lines) != 1 || lines[0][0] != lines[0][len(lines[0])-1] {
		t.Fatalf("%d lines, want one that is closed", len(lines))
	}
	for _, p := range lines[0] {
		linalgtest.Close(t, "radius", math.Hypot(p.x, p.y), 1.3, 1e-6)
	}
	linalgtest.Close(t, "area", math.Abs(areaOf(lines[0])), math.Pi*1.3*1.3, .01)

	saddle := func(x, y float64) float64 { return x*y - .01 }
	if lines := newField(xs, xs, saddle).contour(0, saddle); len(lines) != 2 {
		t.Errorf("a hyperbola has %d branches", len(lines))
	}
	// In one cell with a saddle, the lines cut off the corners that the middle
	// differs from.
	for _, shift := range []float64{.2, -.2} {
		f := func(x, y float64) float64 {
			if x < 2 || x > 4 || y < 6 || y > 8 {
				return math.NaN()
			}
			return (x-3)*(y-7) + shift
		}
		lines := newField([]float64{2, 4}, []float64{6, 8}, f).contour(0, f)
		if len(lines) != 2 {
			t.Errorf("saddle of middle %v: %d lines", shift, len(lines))
		}
		for _, l := range lines {
			if m := (pt{(l[0].x+l[1].x)/2 - 3, (l[0].y+l[1].y)/2 - 7}); m.x*m.y*shift > 0 || len(l) != 2 {
				t.Errorf("saddle of middle %v: line %v", shift, l)
			}
		}
	}
	step := func(x, y float64) float64 { return math.Copysign(1, x-.3) }
	for _, l := range newField(xs, xs, step).contour(0, step) {
		for _, p := range l {
			linalgtest.Close(t, "place of a jump", p.x, .3, 1e-6)
		}
	}
	wide := func(x, y float64) float64 {
		if x < -.01 {
			return math.Inf(-1)
		}
		return math.Inf(1)
	}
	for _, p := range newField(xs, xs, wide).contour(0, wide)[0] {
		linalgtest.Close(t, "place of a jump between infinities", p.x, -.01, 1e-6)
	}
	nan := func(x, y float64) float64 {
		if y > 0 {
			return math.NaN()
		}
		return x - .01
	}
	for _, l := range newField(xs, xs, nan).contour(0, nan) {
		for _, p := range l {
			if p.y > 0 {
				t.Fatalf("a line at %v, where the function is NaN", p)
			}
		}
	}
	half := keep(lines, func(x, y float64) bool { return y > .5 })
	for _, l := range half {
		for _, p := range l {
			if p.y < .5-1e-6 {
				t.Errorf("%v is kept", p)
			}
		}
	}
	ends := [2]float64{half[0][0].y, half[len(half)-1][len(half[len(half)-1])-1].y}
	linalgtest.CloseSlice(t, "where the kept part ends", ends[:], []float64{.5, .5}, 1e-6)
}

// Three classes with one covariance meet in one point, and the lines between
// them are the deciding halves only.
func TestDecision(t *testing.T) {
	centers := []pt{{0, 0}, {4, 0}, {0, 4}}
	p := &Plot{X: Axis{Min: -2, Max: 6}, Y: Axis{Min: -2, Max: 6}}
	p.Decision("", Style{Color: Purple}, 3, func(dst []float64, x, y float64) []float64 {
		for _, c := range centers {
			dst = append(dst, -(x-c.x)*(x-c.x)-(y-c.y)*(y-c.y))
		}
		return dst
	})
	r, left, top, right, bottom := record(p)
	if len(r.stroked[Purple]) != 3 {
		t.Fatalf("%d lines", len(r.stroked[Purple]))
	}
	for _, l := range r.stroked[Purple] {
		for i, q := range l {
			l[i] = pt{-2 + 8*(q.x-left)/(right-left), 6 - 8*(q.y-top)/(bottom-top)}
		}
		a, b := l[0], l[len(l)-1]
		if math.Hypot(a.x-2, a.y-2) > math.Hypot(b.x-2, b.y-2) {
			a, b = b, a
		}
		linalgtest.CloseSlice(t, "where lines meet", []float64{a.x, a.y}, []float64{2, 2}, 1e-3)
		if math.Abs(b.x+2) > 1e-6 && math.Abs(b.y+2) > 1e-6 && math.Abs(b.x-6) > 1e-6 && math.Abs(b.y-6) > 1e-6 {
			t.Errorf("a line ends at %v inside the plot", b)
		}
	}
}

func TestRegions(t *testing.T) {
	p := &Plot{X: Axis{Min: -2, Max: 2}, Y: Axis{Min: -2, Max: 2}}
	p.Regions(func(x, y float64) int {
		switch {
		case x*x+y*y < 1:
			return 1
		case x > 1.9:
			return -1
		}
		return 0
	})
	r, left, top, right, bottom := record(p)
	unit := (right - left) * (bottom - top) / 16
	linalgtest.Close(t, "area of a disc", r.area[Class(1)]/unit, math.Pi, 1e-3)
	linalgtest.Close(t, "area around it", r.area[Class(0)]/unit, 15.6-math.Pi, 1e-3)
}

func TestEqual(t *testing.T) {
	for _, high := range []float64{1, 10} {
		p := &Plot{Equal: true}
		p.Points("", Blue, Circle, []float64{0, 2}, []float64{0, 2 * high})
		r, left, top, right, bottom := record(p)
		a, b := r.marked[Blue][0], r.marked[Blue][1]
		linalgtest.Close(t, "a unit along x", (b.x-a.x)*high, a.y-b.y, 1e-12)
		for _, q := range []pt{a, b} {
			if q.x < left || q.x > right || q.y < top || q.y > bottom {
				t.Errorf("height %v: a point at %v, axes %v to %v and %v to %v", high, q, left, right, top, bottom)
			}
		}
	}
}

// The legend stands beside the axes or under them, never on the data, and lists
// each name once, points first.
func TestLegend(t *testing.T) {
	for _, width := range []int{800, 480} {
		p := &Plot{Width: width, Height: 400, X: Axis{Label: "x"}, Y: Axis{Label: "y"}}
		p.Curve("line", Style{}, []float64{0, 1}, []float64{0, 1})
		p.Points("points", Blue, Circle, []float64{0, 1}, []float64{0, 1})
		p.Curve("line", Style{}, []float64{0, 1}, []float64{1, 0})
		r, _, _, right, bottom := record(p)
		for _, name := range []string{"line", "points"} {
			at, ok := r.texts[name]
			if !ok || at.x < right && at.y < bottom+40 {
				t.Errorf("width %d: %q stands at %v, axes end at %v, %v", width, name, at, right, bottom)
			}
		}
		if es := p.legend(); len(es) != 2 || es[0].name != "points" {
			t.Errorf("legend %v", es)
		}
	}
	long := &Plot{}
	long.Curve(strings.Repeat("very ", 12)+"long", Style{}, []float64{0, 1}, []float64{0, 1})
	if _, _, _, right, _ := record(long); right < 700 {
		t.Errorf("a long name leaves axes of %v pixels", right)
	}
}

// everything has each kind of layer.
func everything() *Plot {
	p := &Plot{Title: "All <kinds> & \"sorts\"\x01\uffff", X: Axis{Label: "x₁"}, Y: Axis{Label: "x₂"}}
	p.Regions(func(x, y float64) int {
		if x > y {
			return 1
		}
		return 0
	})
	x := linalgtest.Normal(1, 40, 3)
	labels := make([]int, 40)
	for i := range labels {
		labels[i] = i % 9
	}
	p.Scatter(x, 0, 2, labels, strings.Split("abcdefghi", ""))
	p.Rings("rings", []float64{0}, []float64{0})
	p.Curve("curve", Style{Dash: Dotted}, []float64{-1, 0, math.NaN(), 1}, []float64{0, 1, 1, 0})
	p.Func("func", Style{Dash: DashDot}, math.Sin)
	p.ErrorBars("bars", Green, []float64{0, 1}, []float64{0, 1}, []float64{.1, .2})
	p.Boundary("boundary", Style{Where: func(x, y float64) bool { return x > 0 }}, circleAt(1))
	p.Contour("contour", Style{Dash: Dashed}, circleAt(0), .5, 1, 2)
	p.Decision("decision", Style{}, 2, func(dst []float64, x, y float64) []float64 { return append(dst, x, y) })
	p.Margin("margin", Style{Color: Sky}, [2]float64{1, 1}, -.2)
	p.Ellipse("ellipse", Style{}, [2]float64{0, 0}, [2][2]float64{{1, .5}, {.5, 2}}, 5.99)
	p.Segments("segments", Style{}, []float64{0}, []float64{0}, []float64{1}, []float64{1})
	p.Path("path", Style{Color: Orange}, []float64{0, 1, 1}, []float64{0, 0, 1})
	p.Arrow("arrow", Style{}, 0, 0, 1, -1)
	p.HLine("hline", Style{}, 1)
	p.VLine("vline", Style{}, 1)
	p.Text(Ink, 0, 0, "a <note>")
	return p
}

func svgOf(t *testing.T, d interface{ SVG(io.Writer) error }) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.SVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSVG(t *testing.T) {
	s := svgOf(t, everything())
	d := xml.NewDecoder(strings.NewReader(s))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("not XML: %v", err)
		}
	}
	for _, bad := range []string{"NaN", "Inf", "\x00", "\x01", "\uffff", "<kinds>", "<note>"} {
		if strings.Contains(s, bad) {
			t.Errorf("the SVG has %q", bad)
		}
	}
	if s != svgOf(t, everything()) {
		t.Error("the same plot gives other bytes")
	}
	// Pictures inline in one page must not share names.
	ids := regexp.MustCompile(` id="([^"]*)"`)
	other := everything()
	other.HLine("", Style{}, .5)
	a, b := ids.FindAllString(s, -1), ids.FindAllString(svgOf(t, other), -1)
	if len(a) == 0 || slices.ContainsFunc(a, func(id string) bool { return slices.Contains(b, id) }) {
		t.Errorf("names %v and %v", a, b)
	}
	for _, want := range []string{"prefers-color-scheme:dark", `viewBox="0 0 800 560"`, "stroke-dasharray"} {
		if !strings.Contains(s, want) {
			t.Errorf("the SVG has no %q", want)
		}
	}
	if g := svgOf(t, &Panels{Columns: 2, Plots: []*Plot{everything(), everything(), everything()}}); !strings.Contains(g, `viewBox="0 0 960 880"`) {
		t.Errorf("three panels in two columns are %s", g[:200])
	}
}

// What cannot be drawn is left out; nothing else suffers.
func TestStrangeData(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, vs := range [][]float64{nil, {nan}, {inf, -inf}, {5}, {1e300, -1e300}, {1e-300, 2e-300}, {1e8, 1e8 + 1e-7}, {0, 0, 0}, {-1, 0, 3}} {
		for _, log := range []bool{false, true} {
			p := &Plot{X: Axis{Log: log}, Y: Axis{Log: log}, Title: "t", Width: 120, Height: 100}
			p.Points("p", Blue, Circle, vs, vs)
			p.Curve("c", Style{Dash: Dashed}, vs, vs)
			p.ErrorBars("e", Blue, vs, vs, vs)
			p.HLine("h", Style{}, append(vs, 1)[0])
			p.Func("f", Style{}, func(x float64) float64 { return 1 / x })
			p.Boundary("b", Style{}, func(x, y float64) float64 { return x - y })
			p.Regions(func(x, y float64) int { return 0 })
			if s := svgOf(t, p); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
				t.Errorf("%v, log %v: NaN or Inf in the SVG", vs, log)
			}
			if p.Width, p.Height = 100, 80; p.PNG(io.Discard) != nil {
				t.Error("no PNG")
			}
		}
	}
	svgOf(t, &Plot{})
	svgOf(t, &Panels{})
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteError(t *testing.T) {
	if err := everything().SVG(failing{}); err == nil {
		t.Error("a failed write of SVG is not told")
	}
	if err := (&Plot{Width: 100, Height: 100}).PNG(failing{}); err == nil {
		t.Error("a failed write of PNG is not told")
	}
}

func TestUnequalLengths(t *testing.T) {
	defer func() {
		if r := recover(); r != "plot: 2 x but 1 y" {
			t.Errorf("panic %v", r)
		}
	}()
	new(Plot).Curve("", Style{}, []float64{1, 2}, []float64{1})
}

func TestPNG(t *testing.T) {
	small := func() *Plot {
		p := everything()
		p.Width, p.Height = 300, 200
		return p
	}
	var a, b bytes.Buffer
	if err := errors.Join(small().PNG(&a), small().PNG(&b)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the same plot gives other bytes")
	}
	img, err := png.Decode(&a)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(img.Bounds()); got != "(0,0)-(600,400)" {
		t.Errorf("image %s", got)
	}
}

// Pixels are covered in proportion to the area of a polygon, and polygons that
// overlap count once.
func TestRasterArea(t *testing.T) {
	ink := func(ps ...[]pt) (sum float64) {
		c := newRaster(40, 40, 1)
		c.polygons([][]pt{{{0, 0}, {40, 0}, {40, 40}, {0, 40}}}, paper, 1, false)
		r0, _, _ := paper.rgb(false)
		r1, _, _ := Ink.rgb(false)
		c.polygons(ps, Ink, 1, false)
		for i := 0; i < len(c.img.Pix); i += 4 {
			sum += (float64(r0) - float64(c.img.Pix[i])) / (float64(r0) - float64(r1))
		}
		return sum
	}
	triangle := []pt{{3.3, 4.1}, {33.7, 10.2}, {12.5, 36.4}}
	linalgtest.Close(t, "area of a triangle", ink(triangle), math.Abs(areaOf(triangle)), .003)
	turned := slices.Clone(triangle)
	slices.Reverse(turned)
	linalgtest.Close(t, "area of it twice", ink(triangle, triangle), math.Abs(areaOf(triangle)), .003)
	linalgtest.Close(t, "area of it turned", ink(turned), math.Abs(areaOf(triangle)), .003)
	linalgtest.Close(t, "area of a disc", ink(disc(pt{20, 20}, 12)), math.Abs(areaOf(disc(pt{20, 20}, 12))), .003)
	outside := []pt{{-30, 10}, {20, 10}, {20, 30}, {-30, 30}}
	linalgtest.Close(t, "area within the image", ink(outside), 400, .001)
	line := outlines([][]pt{{{5, 5}, {30, 5}, {30, 30}}}, 2, false)
	linalgtest.Close(t, "area of a bent line", ink(line...), 2*50+math.Pi/4-1+1.02, .02)
}

func TestDashes(t *testing.T) {
	got := dashed([][]pt{{{0, 0}, {10, 0}, {10, 10}}}, []float64{6, 2})
	want := [][]pt{{{0, 0}, {6, 0}}, {{8, 0}, {10, 0}, {10, 4}}, {{10, 6}, {10, 10}}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("dashes %v, want %v", got, want)
	}
}

func TestFont(t *testing.T) {
	for r, g := range glyphs {
		for _, l := range g.lines() {
			if len(l) < 2 {
				t.Errorf("%q has a stroke of %d points", r, len(l))
			}
			for _, p := range l {
				if p.x < 0 || p.x > float64(g.width) || p.y < -4 || p.y > 16 {
					t.Errorf("%q has a point at %v, width %d", r, p, g.width)
				}
			}
		}
	}
	for r := ' ' + 1; r < 0x7f; r++ {
		if _, ok := glyphs[r]; !ok && !strings.ContainsRune("$&@\\`{}", r) {
			t.Errorf("no glyph for %q", r)
		}
	}
	_, one := strokesOf("x", 20)
	_, two := strokesOf("xx", 20)
	linalgtest.Close(t, "width of two letters", two, 2*one, 1e-12)
}

func BenchmarkSVG(b *testing.B) {
	p := everything()
	b.ReportAllocs()
	for b.Loop() {
		if err := p.SVG(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
