package plot

import (
	"math"
	"unicode/utf8"
)

func sincosTenth(i int) (sin, cos float64) { return math.Sincos(float64(i) * math.Pi / 5) }

// key is the sign of a layer in the legend.
type key struct {
	line *pen
	mark *marker
}

type entry struct {
	name string
	key  key
}

// legend returns the named layers, each name once, points before lines.
func (p *Plot) legend() []entry {
	var points, lines []entry
	seen := make(map[string]bool)
	for _, l := range p.layers {
		switch {
		case l.name == "" || seen[l.name]:
			continue
		case l.key.line == nil:
			points = append(points, entry{l.name, l.key})
		default:
			lines = append(lines, entry{l.name, l.key})
		}
		seen[l.name] = true
	}
	return append(points, lines...)
}

// below returns the rows of a legend under a plot of width w, or none where it
// stands to the right: under a narrow plot, and where it would take too much room.
func (p *Plot) below(w float64) (rows [][]entry) {
	es := p.legend()
	if w >= 640 && legendWidth(es) < .4*w {
		return nil
	}
	return flow(es, w-32)
}

// textWidth estimates the width of text in a sans-serif font.
func textWidth(s string, size float64) float64 {
	return .56 * size * float64(utf8.RuneCountInString(s))
}

func (p *Plot) size() (w, h int) {
	w, h = p.Width, p.Height
	if w == 0 {
		w = 800
	}
	if h == 0 {
		h = 560
	}
	return w, h
}

const (
	keyWidth = 26 // of a sign in the legend
	keyGap   = 8
	rowStep  = 22
)

// draw lays the plot out in a rectangle of w×h pixels at (left, top), with room
// for at least rows rows of legend under it.
func (p *Plot) draw(c canvas, left, top, w, h float64, rows int) {
	c.polygons([][]pt{{{left, top}, {left + w, top}, {left + w, top + h}, {left, top + h}}}, paper, 1, false)
	x0, y0, x1, y1 := left+16, top+16, left+w-18, top+h-12
	if p.Title != "" {
		y0 += 26
	}
	if p.Y.Label != "" {
		x0 += 22
	}
	if p.X.Label != "" {
		y1 -= 24
	}
	y1 -= 24 // numbers
	below := p.below(w)
	rows = max(rows, len(below))
	y1 -= rowStep * float64(rows)
	es := p.legend()
	if len(es) > 0 && below == nil {
		x1 -= legendWidth(es) + 14
	}
	xs, ys := p.X.span(), p.Y.span()
	for _, l := range p.layers {
		l.extent(&xs, &ys)
	}
	sx, sy := p.X.fit(xs), p.Y.fit(ys)
	sy.lo, sy.hi = y1, y0
	yTicks := sy.ticks(max(3, int((y1-y0)/45)))
	widest := 0.0
	for _, t := range yTicks {
		widest = math.Max(widest, textWidth(t.text, tickSize))
	}
	x0 += widest + 10
	sx.lo, sx.hi = x0, x1
	if p.Equal {
		equalise(&sx, &sy)
		yTicks = sy.ticks(max(3, int((y1-y0)/45)))
	}
	f := &frame{c, sx, sy}
	c.clip(x0, y0, x1, y1)
	p.drawLayers(f, true)
	c.unclip()
	p.axes(f, xTicks(sx), yTicks, left, top, h)
	c.clip(x0, y0, x1, y1)
	p.drawLayers(f, false)
	c.unclip()
	if p.Title != "" {
		size := math.Min(titleSize, titleSize*(left+w-10-x0)/textWidth(p.Title, 1.05*titleSize))
		c.text(pt{x0, top + 26}, p.Title, textStyle{size: size, bold: true})
	}
	for i, row := range below {
		at := left + 16
		for _, e := range row {
			drawEntry(c, e, at, top+h-10-rowStep*float64(rows-1-i))
			at += entryWidth(e)
		}
	}
	if below == nil {
		for i, e := range es {
			drawEntry(c, e, x1+16, y0+12+rowStep*float64(i))
		}
	}
}

func (p *Plot) drawLayers(f *frame, back bool) {
	for _, l := range p.layers {
		if l.back == back {
			l.draw(f)
		}
	}
}

// xTicks takes as many ticks as have room beside one another.
func xTicks(s scale) []tick {
	for n := max(3, int((s.hi-s.lo)/45)); ; n-- {
		ts := s.ticks(n)
		wide := 0.0
		for _, t := range ts {
			wide = math.Max(wide, textWidth(t.text, tickSize)+12)
		}
		if n <= 2 || wide*float64(len(ts)) <= s.hi-s.lo {
			return ts
		}
	}
}

// equalise widens the range of one axis until a unit is as long on both.
func equalise(x, y *scale) {
	ux, uy := (x.max-x.min)/math.Abs(x.hi-x.lo), (y.max-y.min)/math.Abs(y.hi-y.lo)
	widen := func(s *scale, by float64) {
		mid, half := (s.min+s.max)/2, (s.max-s.min)/2*by
		s.min, s.max = mid-half, mid+half
	}
	if ux < uy {
		widen(x, uy/ux)
	} else {
		widen(y, ux/uy)
	}
}

// axes draws grid lines, the frame, numbers and labels.
func (p *Plot) axes(f *frame, xt, yt []tick, left, top, h float64) {
	x0, x1, y0, y1 := f.x.lo, f.x.hi, f.y.hi, f.y.lo
	var grid, marks [][]pt
	for _, t := range xt {
		at := f.x.pixel(t.at)
		grid = append(grid, []pt{{at, y0}, {at, y1}})
		marks = append(marks, []pt{{at, y1}, {at, y1 + 5}})
		f.c.text(pt{at, y1 + 20}, t.text, textStyle{size: tickSize, anchor: middle})
	}
	for _, t := range yt {
		at := f.y.pixel(t.at)
		grid = append(grid, []pt{{x0, at}, {x1, at}})
		marks = append(marks, []pt{{x0 - 5, at}, {x0, at}})
		f.c.text(pt{x0 - 8, at + .35*tickSize}, t.text, textStyle{size: tickSize, anchor: end})
	}
	f.c.lines(grid, pen{color: rule, width: 1, opacity: 1})
	f.c.lines(append(marks, []pt{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}, {x0, y0}}), pen{color: Grey, width: 1, opacity: 1})
	if p.X.Label != "" {
		f.c.text(pt{(x0 + x1) / 2, y1 + 42}, p.X.Label, textStyle{size: labelSize, anchor: middle})
	}
	if p.Y.Label != "" {
		f.c.text(pt{left + 22, (y0 + y1) / 2}, p.Y.Label, textStyle{size: labelSize, anchor: middle, up: true})
	}
}

func entryWidth(e entry) float64 {
	return keyWidth + keyGap + textWidth(e.name, legendSize) + 18
}

func legendWidth(es []entry) float64 {
	w := 0.0
	for _, e := range es {
		w = math.Max(w, entryWidth(e)-18)
	}
	return w
}

// flow sets legend entries in rows of the given width.
func flow(es []entry, width float64) (rows [][]entry) {
	used := math.Inf(1)
	for _, e := range es {
		if w := entryWidth(e); used+w > width {
			rows, used = append(rows, []entry{e}), w
		} else {
			rows[len(rows)-1] = append(rows[len(rows)-1], e)
			used += w
		}
	}
	return rows
}

// drawEntry draws an entry of the legend whose middle line is at y.
func drawEntry(c canvas, e entry, x, y float64) {
	if e.key.line != nil {
		c.lines([][]pt{{{x, y}, {x + keyWidth, y}}}, *e.key.line)
	}
	if e.key.mark != nil {
		m := *e.key.mark
		m.radius = math.Min(m.radius, 7)
		c.markers([]pt{{x + keyWidth/2, y}}, m)
	}
	c.text(pt{x + keyWidth + keyGap, y + .35*legendSize}, e.name, textStyle{size: legendSize})
}

// Panels is a row or a block of plots.
type Panels struct {
	Columns int // 0 is all in one row
	Plots   []*Plot
}

// arrange returns the size of the whole and of the cells, those of the first plot.
func (g *Panels) arrange() (cols, w, h int) {
	cols = g.Columns
	if cols <= 0 || cols > len(g.Plots) {
		cols = len(g.Plots)
	}
	w, h = 480, 440
	if len(g.Plots) > 0 && g.Plots[0].Width > 0 && g.Plots[0].Height > 0 {
		w, h = g.Plots[0].Width, g.Plots[0].Height
	}
	return cols, w, h
}

func (g *Panels) size() (w, h int) {
	cols, w, h := g.arrange()
	if cols == 0 {
		return w, h
	}
	return cols * w, (len(g.Plots) + cols - 1) / cols * h
}

func (g *Panels) draw(c canvas, left, top, _, _ float64, _ int) {
	cols, w, h := g.arrange()
	rows := 0
	for _, p := range g.Plots {
		rows = max(rows, len(p.below(float64(w))))
	}
	for i, p := range g.Plots {
		p.draw(c, left+float64(i%cols*w), top+float64(i/cols*h), float64(w), float64(h), rows)
	}
}

// drawing is a plot or panels.
type drawing interface {
	size() (w, h int)
	draw(c canvas, left, top, w, h float64, rows int)
}
