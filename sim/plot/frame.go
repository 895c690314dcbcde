package plot

import (
	"fmt"
	"math"
	"strconv"
)

// Style is how a line is drawn. The zero value is a thin line in ink.
type Style struct {
	Color Color
	Dash  Dash
	Width float64 // pixels; 0 is 2

	// Levels writes the level of each contour line on it.
	Levels bool

	// Where keeps the parts of a boundary or contour at which it is true; nil keeps
	// all.
	Where func(x, y float64) bool
}

// Dash is a pattern of lines.
type Dash int

const (
	Solid Dash = iota
	Dashed
	Dotted
	DashDot
)

func (s Style) pen() pen {
	width := s.Width
	if !(width > 0) {
		width = 2
	}
	p := pen{color: s.Color, width: width}
	switch s.Dash {
	case Dashed:
		p.dash = []float64{7, 5}
	case Dotted:
		p.dash, p.round = []float64{.1, 2.4 * width}, true
	case DashDot:
		p.dash = []float64{9, 4, 2, 4}
	}
	return p
}

// frame is the area of the axes, on which layers draw.
type frame struct {
	c    canvas
	x, y scale
	size float64 // of markers: 1, or less where there are many
}

// markers draws points, the smaller the more of them the plot has.
func (f *frame) markers(ps []pt, m marker) {
	m.radius *= f.size
	f.c.markers(f.points(ps), m)
}

// far bounds pixels, so that distant points have coordinates of few digits; a line
// to there is bent by less than a pixel within the plot.
const far = 2e5

func (f *frame) point(x, y float64) pt {
	return pt{math.Max(-far, math.Min(far, f.x.pixel(x))), math.Max(-far, math.Min(far, f.y.pixel(y)))}
}

func (f *frame) points(ps []pt) []pt {
	out := make([]pt, 0, len(ps))
	for _, p := range ps {
		if q := f.point(p.x, p.y); q.x == q.x && q.y == q.y {
			out = append(out, q)
		}
	}
	return out
}

func (f *frame) lines(lines [][]pt, p pen) {
	out := make([][]pt, 0, len(lines))
	for _, l := range lines {
		if q := f.points(l); len(q) > 1 {
			out = append(out, q)
		}
	}
	f.c.lines(out, p)
}

// grid returns coordinates with about the given distance in pixels.
func (f *frame) grid(step float64) (xs, ys []float64) {
	along := func(s scale) (v []float64) {
		n := int(math.Ceil(math.Abs(s.hi-s.lo) / step))
		for i := range n + 1 {
			v = append(v, s.value(s.lo+(s.hi-s.lo)*float64(i)/float64(n)))
		}
		return v
	}
	return along(f.x), along(f.y)
}

// contourStep is the distance of the grid that contours are looked for on: a
// closed line smaller than that can be missed.
const contourStep = 4

func pair(x, y []float64) []pt {
	if len(x) != len(y) {
		panic(fmt.Sprintf("plot: %d x but %d y", len(x), len(y)))
	}
	ps := make([]pt, len(x))
	for i := range x {
		ps[i] = pt{x[i], y[i]}
	}
	return ps
}

func extentOf(ps []pt) func(x, y *span) {
	return func(x, y *span) {
		for _, p := range ps {
			if p.x-p.x == 0 && p.y-p.y == 0 && (p.x > 0 || !x.positive) && (p.y > 0 || !y.positive) {
				x.add(p.x)
				y.add(p.y)
			}
		}
	}
}

func (s Style) penKey() *pen {
	p := s.pen()
	return &p
}

// head draws an arrowhead at the end of a line in pixels.
func (f *frame) head(ps []pt, s Style) {
	if len(ps) < 2 {
		return
	}
	tip := ps[len(ps)-1]
	for i := len(ps) - 2; i >= 0; i-- {
		dx, dy := tip.x-ps[i].x, tip.y-ps[i].y
		if d := math.Hypot(dx, dy); d > 1 {
			dx, dy = dx/d, dy/d
			f.c.polygons([][]pt{{tip, {tip.x - 10*dx + 4.5*dy, tip.y - 10*dy - 4.5*dx}, {tip.x - 10*dx - 4.5*dy, tip.y - 10*dy + 4.5*dx}}}, s.Color, 1, false)
			return
		}
	}
}

// levels writes each level on its lines, where it is farthest from the levels before it and
// not at the edge; one for which there is no such place is left out.
func (f *frame) levels(lines [][][]pt, levels []float64) {
	var taken []pt
	for i, level := range levels {
		text := minus(strconv.FormatFloat(level, 'g', 4, 64))
		wide := textWidth(text, noteSize)
		var best pt
		room := 2 * float64(noteSize) // to the nearest level
		for _, l := range lines[i] {
			for _, q := range f.points(l) {
				near := math.Min(300, math.Min(q.x-f.x.lo, f.x.hi-q.x)-wide/2+room)
				near = math.Min(near, math.Min(q.y-f.y.hi, f.y.lo-q.y)-noteSize+room)
				for _, t := range taken {
					near = math.Min(near, math.Max(math.Abs(q.x-t.x)-wide, 1.5*math.Abs(q.y-t.y)))
				}
				if near > room {
					best, room = q, near
				}
			}
		}
		if room > 2*noteSize {
			taken = append(taken, best)
			f.c.text(pt{best.x, best.y + .35*noteSize}, text, textStyle{size: noteSize, anchor: middle, halo: true})
		}
	}
}
