package plot

import (
	"math"
)

// canvas takes the shapes of a plot: it is SVG or pixels. Coordinates are pixels, y
// down.
type canvas interface {
	// polygons fills closed polygons; crisp ones share edges without a seam.
	polygons(ps [][]pt, c Color, opacity float64, crisp bool)
	// lines strokes polylines.
	lines(ps [][]pt, p pen)
	// markers draws one marker at each point.
	markers(ps []pt, m marker)
	text(at pt, s string, t textStyle)
	// clip keeps the shapes up to unclip within a rectangle.
	clip(x0, y0, x1, y1 float64)
	unclip()
}

type pen struct {
	color Color
	width float64
	dash  []float64
	round bool // ends of dashes
}

// marker is a shape of a given radius: filled with a thin edge in the colour of
// the paper, or only its outline.
type marker struct {
	shape  Shape
	color  Color
	radius float64
	filled bool
}

type anchor int

const (
	start anchor = iota
	middle
	end
)

type textStyle struct {
	size   float64
	anchor anchor
	color  Color
	bold   bool
	up     bool // turned to read upwards
	halo   bool // an edge in the colour of the paper
}

const (
	titleSize     = 17
	labelSize     = 15
	tickSize      = 14
	legendSize    = 14
	noteSize      = 13
	regionOpacity = .2
)

// outline returns the polygon of a marker about 0, nil for a circle, and for
// strokes (Cross, Plus) whether it is made of lines.
func (m marker) outline() (polygon []pt, strokes [][]pt) {
	r := m.radius
	switch m.shape {
	case Square:
		a := .86 * r
		return []pt{{-a, -a}, {a, -a}, {a, a}, {-a, a}}, nil
	case Triangle:
		a := 1.15 * r
		return []pt{{0, -a}, {a, .75 * a}, {-a, .75 * a}}, nil
	case Down:
		a := 1.15 * r
		return []pt{{0, a}, {-a, -.75 * a}, {a, -.75 * a}}, nil
	case Diamond:
		a := 1.25 * r
		return []pt{{0, -a}, {a, 0}, {0, a}, {-a, 0}}, nil
	case Star:
		var ps []pt
		for i := range 10 {
			a := 1.4 * r
			if i%2 == 1 {
				a = .6 * r
			}
			sin, cos := math.Sincos(float64(i) * math.Pi / 5)
			ps = append(ps, pt{a * sin, -a * cos})
		}
		return ps, nil
	case Cross:
		a := .85 * r
		return nil, [][]pt{{{-a, -a}, {a, a}}, {{-a, a}, {a, -a}}}
	case Plus:
		a := 1.15 * r
		return nil, [][]pt{{{-a, 0}, {a, 0}}, {{0, -a}, {0, a}}}
	}
	return nil, nil
}

// pt is a point, in data or in pixels.
type pt struct{ x, y float64 }
