package plot

import (
	"image"
	"math"
	"strings"
	"testing"
)

// Markers grow with their radius, are the same to the left and to the right, and cover about as
// much as a circle.
func TestMarkersHaveTheSizeOfTheirRadius(t *testing.T) {
	for shape := Circle; shape <= Star; shape++ {
		small, lines := marker{shape: shape, radius: 1}.outline()
		large, longer := marker{shape: shape, radius: 10}.outline()
		for i, l := range lines {
			small, large = append(small, l...), append(large, longer[i]...)
		}
		sum := 0.0
		for i, p := range small {
			if q := large[i]; math.Abs(q.x-10*p.x) > 1e-9 || math.Abs(q.y-10*p.y) > 1e-9 || math.Hypot(p.x, p.y) > 1.5 {
				t.Errorf("shape %v: %v of radius 1 is %v of radius 10", shape, p, q)
			}
			sum += p.x
		}
		if !(math.Abs(sum) <= 1e-9) {
			t.Errorf("shape %v leans: %v", shape, small)
		}
		if area := math.Abs(areaOf(large)); lines == nil && shape != Circle && (area < 150 || area > 350) {
			t.Errorf("shape %v covers %v of %v", shape, area, 100*math.Pi)
		}
	}
}

// An arrowhead is 10 long and 9 wide, wherever it points.
func TestArrowheads(t *testing.T) {
	for turn := range 16 {
		p := &Plot{}
		sin, cos := math.Sincos(float64(turn) * math.Pi / 8)
		p.Path("path", Style{Color: Orange}, []float64{0, cos}, []float64{0, sin})
		if r, _, _, _, _ := record(p); !(math.Abs(r.area[Orange]-45) <= 1e-6) {
			t.Errorf("direction %d: a head of %v", turn, r.area[Orange])
		}
	}
}

func TestNotesWithoutAPlaceAreLeftOut(t *testing.T) {
	p := &Plot{}
	p.Curve("c", Style{}, []float64{0, 1}, []float64{0, 1})
	p.Text(Ink, 0.5, 0.5, "seen")
	p.Text(Ink, math.NaN(), 0.5, "lost")
	p.Text(Ink, 0.5, math.NaN(), "lost")
	if s := svgOf(t, p); strings.Contains(s, "lost") || strings.Contains(s, "NaN") || !strings.Contains(s, "seen") {
		t.Error("a note without a place is drawn, or one with a place is not")
	}
}

// Whole lines have round ends and dashes blunt ones, but for those of a round pen: it shows in the
// pixel beside the end of the line.
func TestEndsOfLines(t *testing.T) {
	for _, c := range []struct {
		p     pen
		round bool
	}{{pen{}, true}, {pen{round: true}, true}, {pen{dash: []float64{99, 1}}, false}, {pen{dash: []float64{99, 1}, round: true}, true}} {
		r := newRaster(40, 20, 1)
		c.p.width = 8
		r.lines([][]pt{{{10, 10}, {30, 10}}}, c.p)
		if on, beyond := r.img.RGBAAt(28, 10).A, r.img.RGBAAt(31, 10).A; on == 0 || (beyond != 0) != c.round {
			t.Errorf("%+v: opacity %d on the line, %d beyond its end", c.p, on, beyond)
		}
	}
}

// Text of pictures in pixels begins, has its middle or ends at its anchor, stands on it, and is no
// mirror image: most of an L is the stem that it begins with.
func TestTextStandsAtItsAnchor(t *testing.T) {
	_, width := strokesOf("L", 100)
	for k, first := range map[anchor]float64{start: 0, middle: -width / 2, end: -width} {
		for _, up := range []bool{false, true} {
			c := newRaster(400, 400, 1)
			c.text(pt{200, 200}, "L", textStyle{size: 100, anchor: k, color: Orange, up: up})
			inked, before := image.Rectangle{}, 0
			for y := range 400 {
				for x := range 400 {
					if c.img.RGBAAt(x, y).A == 0 {
						continue
					}
					along, above := float64(x-200), 200-y
					if up {
						along, above = float64(200-y), 200-x
					}
					inked = inked.Union(image.Rect(int(along), above, int(along)+1, above+1))
					if along < first+width/2 {
						before++
					} else {
						before--
					}
				}
			}
			if lo, hi := float64(inked.Min.X)-first, float64(inked.Max.X)-first; lo < -5 || hi > width+5 || inked.Min.Y < -10 || inked.Max.Y < 40 || before <= 0 {
				t.Errorf("anchor %v, up %v: ink at %v, want from %v to %v above 0; %d pixels more before the middle", k, up, inked, first, first+width, before)
			}
		}
	}
}
