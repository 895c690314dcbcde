package plot

import (
	"math"
)

// draw lays the plot out in a rectangle of w×h pixels at (left, top), with room
// for at least rows rows of legend under it.
func (p *Plot) draw(c canvas, left, top, w, h float64, rows int) {
	c.polygons([][]pt{{{left, top}, {left + w, top}, {left + w, top + h}, {left, top + h}}}, paper, 1, false)
	below := p.below(w, h)
	f := p.frame(c, left, top, w, h-rowStep*float64(max(rows, len(below))), below == nil)
	x0, x1, y0, y1 := f.x.lo, f.x.hi, f.y.hi, f.y.lo
	c.clip(x0, y0, x1, y1)
	p.drawLayers(f, true)
	c.unclip()
	p.axes(f, left, left+w)
	c.clip(x0, y0, x1, y1)
	p.drawLayers(f, false)
	c.unclip()
	if p.Title != "" {
		title, size := fitText(p.Title, titleSize, left+w-10-x0, 1.05)
		c.text(pt{x0, top + 26}, title, textStyle{size: size, bold: true})
	}
	if below == nil {
		p.legendBeside(c, x1+16, y0+12)
	} else {
		legendBelow(c, below, left+16, top+h-10-rowStep*float64(max(rows, len(below))-1))
	}
}

// frame fits the axes into a rectangle, beside the legend if that stands to the
// right.
func (p *Plot) frame(c canvas, left, top, w, h float64, beside bool) *frame {
	x0, y0, x1, y1 := left+26, top+16, left+w-18, top+h-36
	if p.Title != "" {
		y0 += 26
	}
	if p.Y.Label != "" {
		x0 += 22
	}
	if p.X.Label != "" {
		y1 -= 24
	}
	if es := p.legend(); beside && len(es) > 0 {
		x1 -= legendWidth(es) + 14
	}
	xs, ys := p.X.span(), p.Y.span()
	for _, l := range p.layers {
		l.extent(&xs, &ys)
	}
	f := &frame{c: c, x: p.X.fit(xs), y: p.Y.fit(ys)}
	f.y.lo, f.y.hi = y1, y0
	f.x.lo, f.x.hi = x0, x1
	equal := p.Equal && p.X.Log == p.Y.Log // a unit and a power of ten have no common length
	if equal {
		equalize(&f.x, &f.y)
	}
	widest := 0.0
	for _, t := range p.yTicks(f.y) {
		widest = math.Max(widest, textWidth(t.text, tickSize))
	}
	f.x.lo += widest
	if equal {
		equalize(&f.x, &f.y)
	}
	points := 1
	for _, l := range p.layers {
		points += l.points
	}
	f.size = math.Max(.45, math.Min(1, math.Sqrt(math.Max(0, (x1-f.x.lo)*(y1-y0)/pointArea/float64(points)))))
	return f
}

// pointArea is the area for each point, in pixels, from which on markers have their full size.
const pointArea = 400

func (p *Plot) drawLayers(f *frame, back bool) {
	for _, l := range p.layers {
		if l.back == back {
			l.draw(f)
		}
	}
}

func (p *Plot) yTicks(s scale) []tick {
	if p.Y.Names != nil {
		return p.Y.named(s)
	}
	return s.ticks(max(3, int((s.lo-s.hi)/45)))
}

// xTicks takes as many ticks as have room beside one another.
func (p *Plot) xTicks(s scale) []tick {
	if p.X.Names != nil {
		return p.X.named(s)
	}
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

// equalize widens the range of one axis until a unit is as long on both.
func equalize(x, y *scale) {
	ux, uy := (x.max-x.min)/math.Abs(x.hi-x.lo), (y.max-y.min)/math.Abs(y.hi-y.lo)
	widen := func(s *scale, by float64) {
		mid, half := s.min/2+s.max/2, math.Min((s.max-s.min)/2*by, most)
		s.min, s.max = mid-half, mid+half
	}
	if ux < uy {
		widen(x, uy/ux)
	} else {
		widen(y, ux/uy)
	}
}

// axes draws grid lines, the frame, numbers and labels, from left to right at most.
func (p *Plot) axes(f *frame, left, right float64) {
	x0, x1, y0, y1 := f.x.lo, f.x.hi, f.y.hi, f.y.lo
	var grid, marks [][]pt
	for _, t := range p.xTicks(f.x) {
		at := f.x.pixel(t.at)
		grid = append(grid, []pt{{at, y0}, {at, y1}})
		marks = append(marks, []pt{{at, y1}, {at, y1 + 5}})
		if at+textWidth(t.text, tickSize)/2 <= right {
			f.c.text(pt{at, y1 + 20}, t.text, textStyle{size: tickSize, anchor: middle})
		}
	}
	for _, t := range p.yTicks(f.y) {
		at := f.y.pixel(t.at)
		grid = append(grid, []pt{{x0, at}, {x1, at}})
		marks = append(marks, []pt{{x0 - 5, at}, {x0, at}})
		f.c.text(pt{x0 - 8, at + .35*tickSize}, t.text, textStyle{size: tickSize, anchor: end})
	}
	f.c.lines(grid, pen{color: rule, width: 1})
	f.c.lines(append(marks, []pt{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}, {x0, y0}}), pen{color: Grey, width: 1})
	if p.X.Label != "" {
		label, size := fitText(p.X.Label, labelSize, x1-x0, 1)
		f.c.text(pt{(x0 + x1) / 2, y1 + 42}, label, textStyle{size: size, anchor: middle})
	}
	if p.Y.Label != "" {
		label, size := fitText(p.Y.Label, labelSize, y1-y0, 1)
		f.c.text(pt{left + 22, (y0 + y1) / 2}, label, textStyle{size: size, anchor: middle, up: true})
	}
}
