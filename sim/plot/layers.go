package plot

import (
	"fmt"
	"math"

	"halfspace/linalg"
)

// Points adds markers of one shape and colour. They are the smaller the more points the
// plot has, so that a thousand do not hide one another.
func (p *Plot) Points(name string, c Color, s Shape, x, y []float64) {
	ps := pair(x, y)
	m := marker{s, c, 4.2, true}
	p.add(layer{name: name, key: key{mark: &m}, points: len(ps), extent: extentOf(ps), draw: func(f *frame) { f.markers(ps, m) }})
}

// Scatter adds columns i and j of x as points, in the colour and shape of their
// class: labels are 0 … K−1, and names has one name for each class.
func (p *Plot) Scatter(x *linalg.Dense, i, j int, labels []int, names []string) {
	for k, name := range names {
		var xs, ys []float64
		for r, l := range labels {
			if l == k {
				xs, ys = append(xs, x.At(r, i)), append(ys, x.At(r, j))
			}
		}
		p.Points(name, Class(k), ClassShape(k), xs, ys)
	}
}

// Rings adds circles around points, such as support vectors.
func (p *Plot) Rings(name string, x, y []float64) {
	ps := pair(x, y)
	m := marker{Circle, Ink, 7.5, false}
	p.add(layer{name: name, key: key{mark: &m}, extent: extentOf(ps), draw: func(f *frame) { f.markers(ps, m) }})
}

// Curve adds a line through points.
func (p *Plot) Curve(name string, s Style, x, y []float64) {
	ps := pair(x, y)
	p.add(layer{name: name, key: key{line: s.penKey()}, extent: extentOf(ps), draw: func(f *frame) { f.lines([][]pt{ps}, s.pen()) }})
}

// Histogram adds the outline of how many values lie in each of equal bins from lo to hi,
// over a pale area of its colour; values outside are left out, and fewer bins than one are one.
func (p *Plot) Histogram(name string, s Style, values []float64, lo, hi float64, bins int) {
	bins = max(bins, 1)
	count := make([]float64, bins)
	lo, hi = math.Max(lo, -most), math.Min(hi, most)
	for _, v := range values {
		if v >= lo && v <= hi && hi > lo {
			count[min(int(float64(bins)*((v-lo)/(hi-lo))), bins-1)]++
		}
	}
	x, y := []float64{lo}, []float64{0}
	for b, n := range count {
		left, right := lo+(hi-lo)*(float64(b)/float64(bins)), lo+(hi-lo)*(float64(b+1)/float64(bins))
		x, y = append(x, left, right), append(y, n, n)
	}
	ps := pair(append(x, hi), append(y, 0))
	p.add(layer{name: name, key: key{line: s.penKey()}, extent: extentOf(ps), draw: func(f *frame) {
		f.c.polygons([][]pt{f.points(ps)}, s.Color, regionOpacity, false)
		f.lines([][]pt{ps}, s.pen())
	}})
}

// Cell fills the square of side 1 about (x, y) with ink, the stronger the larger share is,
// from 0 to 1, and writes text in it.
func (p *Plot) Cell(x, y, share float64, text string) {
	p.add(layer{extent: extentOf([]pt{{x - .5, y - .5}, {x + .5, y + .5}}), draw: func(f *frame) {
		a, b := f.point(x-.5, y-.5), f.point(x+.5, y+.5)
		if !(a.x < b.x) || a.y != a.y || b.y != b.y {
			return
		}
		f.c.polygons([][]pt{{a, {b.x, a.y}, b, {a.x, b.y}}}, Ink, .3*math.Max(0, math.Min(share, 1)), false)
		size := math.Min(labelSize, labelSize*.9*(b.x-a.x)/textWidth(text, labelSize))
		f.c.text(pt{(a.x + b.x) / 2, (a.y+b.y)/2 + .35*size}, text, textStyle{size: size, anchor: middle})
	}})
}

// Func adds the graph of f over the whole width. The axis x needs a range of its
// own or from another layer.
func (p *Plot) Func(name string, s Style, f func(x float64) float64) {
	p.add(layer{name: name, key: key{line: s.penKey()}, draw: func(fr *frame) {
		xs, _ := fr.grid(1.5)
		ps := make([]pt, len(xs))
		for i, x := range xs {
			ps[i] = pt{x, f(x)}
		}
		fr.lines([][]pt{ps}, s.pen())
	}, extent: func(x, y *span) {
		lo, hi := p.X.Min, p.X.Max
		if !(lo < hi) {
			lo, hi = x.min, x.max
		}
		for i := range 201 {
			if v := lo + (hi-lo)*float64(i)/200; v >= lo {
				y.add(f(v))
			}
		}
	}})
}

// ErrorBars adds markers at (x, y) with bars from y−e to y+e.
func (p *Plot) ErrorBars(name string, c Color, x, y, e []float64) {
	ps := pair(x, y)
	es := pair(x, e)
	m := marker{Circle, c, 3.5, true}
	bar := pen{color: c, width: 1.4}
	p.add(layer{name: name, key: key{mark: &m, line: &bar}, extent: func(sx, sy *span) {
		for i, q := range ps {
			sx.add(q.x)
			sy.add(q.y-es[i].y, q.y+es[i].y)
		}
	}, draw: func(f *frame) {
		var bars [][]pt
		for i, q := range ps {
			a, b := f.point(q.x, q.y-es[i].y), f.point(q.x, q.y+es[i].y)
			if a.x != a.x || a.y != a.y || b.y != b.y {
				continue
			}
			bars = append(bars, []pt{a, b}, []pt{{a.x - 3, a.y}, {a.x + 3, a.y}}, []pt{{b.x - 3, b.y}, {b.x + 3, b.y}})
		}
		f.c.lines(bars, bar)
		f.c.markers(f.points(ps), m)
	}})
}

// Regions fills the plane in pale colours by the class, 0 … K−1, that classify
// gives each place; a negative one is left out. The cells are two pixels high, their
// ends found by bisection.
func (p *Plot) Regions(classify func(x, y float64) int) {
	p.add(layer{back: true, draw: func(f *frame) { f.regions(classify) }})
}

// Boundary adds the line f = 0.
func (p *Plot) Boundary(name string, s Style, f func(x, y float64) float64) {
	p.Contour(name, s, f, 0)
}

// Contour adds the lines f = level for each of the levels, with the levels on them if
// s.Levels.
func (p *Plot) Contour(name string, s Style, f func(x, y float64) float64, levels ...float64) {
	p.add(layer{name: name, key: key{line: s.penKey()}, draw: func(fr *frame) {
		xs, ys := fr.grid(contourStep)
		g := newField(xs, ys, f)
		all := make([][][]pt, len(levels))
		for i, level := range levels {
			all[i] = g.contour(level, f)
			if s.Where != nil {
				all[i] = keep(all[i], s.Where)
			}
			fr.lines(all[i], s.pen())
		}
		if s.Levels {
			fr.levels(all, levels)
		}
	}})
}

// Decision adds the lines between the classes of the largest of k scores, which
// scores appends to dst: for each pair of classes, the places where their scores
// are equal and no other is larger.
func (p *Plot) Decision(name string, s Style, k int, scores func(dst []float64, x, y float64) []float64) {
	p.add(layer{name: name, key: key{line: s.penKey()}, draw: func(f *frame) { f.decision(s, k, scores) }})
}

// Margin adds the plane normal·x + intercept = 0 with dashed lines at ±1.
func (p *Plot) Margin(name string, s Style, normal [2]float64, intercept float64) {
	f := func(x, y float64) float64 { return normal[0]*x + normal[1]*y + intercept }
	p.Boundary(name, s, f)
	s.Dash, s.Width = Dashed, 1.3
	p.Contour("", s, f, -1, 1)
}

// Ellipse adds the ellipse (x−mean)ᵀΣ⁻¹(x−mean) = c for Σ = cov: for a Gaussian the
// contour that holds the share 1−exp(−c/2), .95 for c = 5.99.
func (p *Plot) Ellipse(name string, s Style, mean [2]float64, cov [2][2]float64, c float64) {
	// Σ = LLᵀ maps the unit circle to the ellipse.
	l11 := math.Sqrt(cov[0][0])
	l21 := cov[1][0] / l11
	l22 := math.Sqrt(math.Max(0, cov[1][1]-l21*l21))
	const n = 120
	var ps []pt
	for i := range n + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		r := math.Sqrt(c)
		ps = append(ps, pt{mean[0] + r*l11*cos, mean[1] + r*(l21*cos+l22*sin)})
	}
	p.add(layer{name: name, key: key{line: s.penKey()}, extent: extentOf(ps), draw: func(f *frame) { f.lines([][]pt{ps}, s.pen()) }})
}

// Segments adds separate lines from (x0, y0) to (x1, y1), such as slacks.
func (p *Plot) Segments(name string, s Style, x0, y0, x1, y1 []float64) {
	a, b := pair(x0, y0), pair(x1, y1)
	if len(a) != len(b) {
		panic(fmt.Sprintf("plot: %d starts but %d ends", len(a), len(b)))
	}
	var lines [][]pt
	for i := range a {
		lines = append(lines, []pt{a[i], b[i]})
	}
	p.add(layer{name: name, key: key{line: s.penKey()}, extent: func(x, y *span) { extentOf(a)(x, y); extentOf(b)(x, y) },
		draw: func(f *frame) { f.lines(lines, s.pen()) }})
}

// Path adds a line through points with a dot at each and an arrowhead at the last,
// such as the iterates of a solver.
func (p *Plot) Path(name string, s Style, x, y []float64) {
	ps := pair(x, y)
	m := marker{Circle, s.Color, 3, true}
	p.add(layer{name: name, key: key{line: s.penKey(), mark: &m}, extent: extentOf(ps), draw: func(f *frame) {
		f.lines([][]pt{ps}, s.pen())
		q := f.points(ps)
		f.c.markers(q, m)
		f.head(q, s)
	}})
}

// Arrow adds an arrow.
func (p *Plot) Arrow(name string, s Style, x0, y0, x1, y1 float64) {
	ps := []pt{{x0, y0}, {x1, y1}}
	p.add(layer{name: name, key: key{line: s.penKey()}, extent: extentOf(ps), draw: func(f *frame) {
		f.lines([][]pt{ps}, s.pen())
		f.head(f.points(ps), s)
	}})
}

// HLine adds a line across the whole plot.
func (p *Plot) HLine(name string, s Style, y float64) {
	p.add(layer{name: name, key: key{line: s.penKey()}, extent: func(_, sy *span) { sy.add(y) }, draw: func(f *frame) {
		if at := f.y.pixel(y); at-at == 0 {
			f.c.lines([][]pt{{{f.x.lo, at}, {f.x.hi, at}}}, s.pen())
		}
	}})
}

// VLine adds a line up the whole plot.
func (p *Plot) VLine(name string, s Style, x float64) {
	p.add(layer{name: name, key: key{line: s.penKey()}, extent: func(sx, _ *span) { sx.add(x) }, draw: func(f *frame) {
		if at := f.x.pixel(x); at-at == 0 {
			f.c.lines([][]pt{{{at, f.y.lo}, {at, f.y.hi}}}, s.pen())
		}
	}})
}

// Text adds a note just above (x, y).
func (p *Plot) Text(c Color, x, y float64, s string) {
	p.add(layer{extent: extentOf([]pt{{x, y}}), draw: func(f *frame) {
		at := f.point(x, y)
		if at.x != at.x || at.y != at.y {
			return
		}
		f.c.text(pt{at.x, at.y - 8}, s, textStyle{size: noteSize, anchor: middle, color: c, halo: true})
	}})
}
