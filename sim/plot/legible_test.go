package plot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// writing is a text as it is drawn.
type writing struct {
	at   pt
	text string
	textStyle
}

// box is where a text stands, by the estimate of its width.
func (w writing) box() (x0, y0, x1, y1 float64) {
	wide := textWidth(w.text, w.size)
	if w.bold {
		wide *= 1.05
	}
	before := [...]float64{0, .5, 1}[w.anchor] * wide
	if w.up {
		return w.at.x - .75*w.size, w.at.y + before - wide, w.at.x + .2*w.size, w.at.y + before
	}
	return w.at.x - before, w.at.y - .75*w.size, w.at.x - before + wide, w.at.y + .2*w.size
}

// luminance of a colour, and contrast of two, as WCAG 2.1 defines them.
func luminance(rgb [3]float64) float64 {
	for i, v := range rgb {
		if v /= 255; v <= 0.04045 {
			rgb[i] = v / 12.92
		} else {
			rgb[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2]
}

func contrast(a, b [3]float64) float64 {
	la, lb := luminance(a), luminance(b)
	return (math.Max(la, lb) + 0.05) / (math.Min(la, lb) + 0.05)
}

func channels(c Color, dark bool) [3]float64 {
	r, g, b := c.rgb(dark)
	return [3]float64{float64(r), float64(g), float64(b)}
}

// Lines and points stand out from the paper, and text from regions and cells too, light and
// dark.
func TestContrast(t *testing.T) {
	for _, dark := range []bool{false, true} {
		back := channels(paper, dark)
		for c := Ink; c <= Grey; c++ {
			if v := contrast(channels(c, dark), back); v < 3 {
				t.Errorf("colour %d, dark %v: contrast %.2f", c, dark, v)
			}
			for _, tint := range []struct {
				of      Color
				opacity float64
			}{{c, regionOpacity}, {Ink, 0.3}} {
				var under [3]float64
				for i, v := range channels(tint.of, dark) {
					under[i] = tint.opacity*v + (1-tint.opacity)*back[i]
				}
				if v := contrast(channels(Ink, dark), under); v < 4.5 {
					t.Errorf("ink on %d at %v, dark %v: contrast %.2f", tint.of, tint.opacity, dark, v)
				}
			}
		}
		if v := contrast(channels(Grey, dark), back); v < 4.5 {
			t.Errorf("grey notes, dark %v: contrast %.2f", dark, v)
		}
	}
}

// No text leaves the picture or overlaps another, however long the names are, however many
// they are, whatever letters they have, and wherever the data lie.
func TestTextHasRoom(t *testing.T) {
	words := []string{"class", "甲の深さ", "Länge", "a name that nobody would give to a class but somebody does", "β̂₁", "W", "0.0001"}
	r := rand.New(rand.NewPCG(4, 4))
	name := func() string {
		var parts []string
		for range 1 + r.IntN(6) {
			parts = append(parts, words[r.IntN(len(words))])
		}
		return strings.Join(parts, " ")
	}
	for i := range 300 {
		p := &Plot{Title: name(), Width: []int{480, 800}[r.IntN(2)], Height: 300 + r.IntN(300), Equal: r.IntN(4) == 0}
		p.X, p.Y = Axis{Label: name(), Log: r.IntN(4) == 0}, Axis{Label: name(), Log: r.IntN(4) == 0}
		at, scale := r.NormFloat64()*math.Pow(10, r.Float64()*8-4), math.Pow(10, r.Float64()*16-8)
		for k := range 1 + r.IntN(40)*r.IntN(2) {
			x, y := make([]float64, 5), make([]float64, 5)
			for j := range x {
				x[j], y[j] = at+scale*r.NormFloat64(), scale*r.NormFloat64()
			}
			p.Points(fmt.Sprint(k, " ", name()), Class(k), ClassShape(k), x, y)
		}
		if r.IntN(4) == 0 {
			k := 2 + r.IntN(12)
			p.X, p.Y = Axis{Min: .5, Max: float64(k) + .5}, Axis{Min: .5, Max: float64(k) + .5}
			for range k {
				p.X.Names, p.Y.Names = append(p.X.Names, name()), append(p.Y.Names, name())
			}
		}
		legible(t, fmt.Sprintf("plot %d", i), p)
	}
}

// Text that has room at the least size is shrunk to it, and not cut.
func TestShrunkTextIsWhole(t *testing.T) {
	for n := range 200 {
		s := strings.Repeat("x", n)
		if got, size := fitText(s, 17, 1.05*textWidth(s, 17)*(0.75+float64(n)/1000), 1.05); got != s || size > 17 {
			t.Errorf("%d letters: %q, size %v", n, got, size)
		}
	}
}

// legible reports texts of a plot that overlap or leave it.
func legible(t *testing.T, name string, p *Plot) {
	t.Helper()
	drawn, left, top, right, bottom := record(p)
	w, h := p.size()
	if right-left < 100 || bottom-top < 50 {
		t.Errorf("%s: the axes have %v × %v pixels", name, right-left, bottom-top)
	}
	for i, a := range drawn.written {
		x0, y0, x1, y1 := a.box()
		if x0 < 0 || y0 < 0 || x1 > float64(w) || y1 > float64(h) {
			t.Errorf("%s: %q leaves the picture: %.0f to %.0f of %d, %.0f to %.0f of %d", name, a.text, x0, x1, w, y0, y1, h)
		}
		for _, b := range drawn.written[:i] {
			u0, v0, u1, v1 := b.box()
			if x0 < u1-.5 && u0 < x1-.5 && y0 < v1-.5 && v0 < y1-.5 {
				t.Errorf("%s: %q lies over %q", name, a.text, b.text)
			}
		}
	}
}

// The more points a plot has, the smaller they are, down to a size that can be seen.
func TestManyPointsAreSmall(t *testing.T) {
	last := math.Inf(1)
	for _, n := range []int{10, 600, 2000, 1000000} {
		p := &Plot{}
		p.Points("", Blue, Circle, make([]float64, n), make([]float64, n))
		c := &sizes{recorder{area: map[Color]float64{}, filled: map[Color][][]pt{}, stroked: map[Color][][]pt{}, marked: map[Color][]pt{}, texts: map[string]pt{}}, 0}
		p.draw(c, 0, 0, 800, 560, 0)
		if c.radius > last || c.radius < 1.5 || n > 1000 && c.radius > 3 || n == 10 && c.radius < 4 {
			t.Errorf("%d points have radius %v, fewer %v", n, c.radius, last)
		}
		last = c.radius
	}
}

// sizes notes the radius of markers.
type sizes struct {
	recorder
	radius float64
}

func (s *sizes) markers(_ []pt, m marker) { s.radius = m.radius }

// The levels of contour lines stand on them, apart from one another, and a cell's text in
// its middle.
func TestLevelsAndCells(t *testing.T) {
	p := &Plot{X: Axis{Min: -3, Max: 3}, Y: Axis{Min: -3, Max: 3}, Equal: true}
	p.Contour("", Style{Levels: true}, func(x, y float64) float64 { return math.Hypot(x, y) }, 1, 2)
	p.Cell(0, 0, 1, "middle")
	p.Points("", Blue, Circle, []float64{0, 1}, []float64{0, 0})
	drawn, _, _, _, _ := record(p)
	middle := drawn.marked[Blue][0]
	unit := drawn.marked[Blue][1].x - middle.x
	for text, c := range map[string]struct{ radius, size float64 }{"1": {1, noteSize}, "2": {2, noteSize}, "middle": {0, labelSize}} {
		at, ok := drawn.texts[text]
		d := math.Hypot(at.x-middle.x, at.y-.35*c.size-middle.y)
		if !ok || math.Abs(d-c.radius*unit) > 1 {
			t.Errorf("%q stands at %v, %v from the middle; a unit is %v", text, at, d, unit)
		}
	}
	legible(t, "contours", p)
}

// Names along an axis that are too long are cut to the room of those that are shown, as long as this allows.
func TestNamesFillTheirRoom(t *testing.T) {
	a, s := Axis{}, scale{min: 0.5, max: 30.5, hi: 300}
	for i := range 30 {
		a.Names = append(a.Names, fmt.Sprintf("iiiiiiiiiiiiiiiiiiiiiiii %d", i))
	}
	ticks := a.named(s)
	for k, shown := range ticks[1:] {
		room := s.pixel(shown.at) - s.pixel(ticks[k].at) - 12
		if wide := textWidth(shown.text, tickSize); !(wide <= room) || !(wide >= room-textWidth("i ", tickSize)) {
			t.Errorf("%q is %.1f wide, in a room of %.1f", shown.text, wide, room)
		}
	}
}
