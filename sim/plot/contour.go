package plot

import (
	"math"
)

// field holds a function at the corners of a grid of cells.
type field struct {
	xs, ys []float64
	v      []float64 // row by row: v[j*len(xs)+i] = f(xs[i], ys[j])
}

func (f *field) at(i, j int) float64 { return f.v[j*len(f.xs)+i] }

// newField evaluates f at given coordinates.
func newField(xs, ys []float64, f func(x, y float64) float64) *field {
	g := &field{xs, ys, make([]float64, 0, len(xs)*len(ys))}
	for _, y := range ys {
		for _, x := range xs {
			g.v = append(g.v, f(x, y))
		}
	}
	return g
}

// edge names a side of a cell: the one from corner (i, j) to the right, or up.
type edge struct {
	i, j int
	up   bool
}

// contour returns the lines f = level as polylines, closed ones ending where they
// begin. Marching squares: each cell whose corners lie on both sides of the level
// has a piece of line between two of its sides, two pieces at a saddle, where the
// value in the middle decides. A crossing is interpolated linearly between two
// corners and then refined on f itself. Corners at NaN have no line near them.
func (g *field) contour(level float64, f func(x, y float64) float64) [][]pt {
	c := contourer{g: g, level: level, f: f, links: make(map[edge][]edge), cross: make(map[edge]pt)}
	for j := 0; j+1 < len(g.ys); j++ {
		for i := 0; i+1 < len(g.xs); i++ {
			c.cell(i, j)
		}
	}
	return c.trace()
}

type contourer struct {
	g     *field
	level float64
	f     func(x, y float64) float64
	order []edge // sides with a crossing, in the order found
	links map[edge][]edge
	cross map[edge]pt
}

// cell links the crossings on the sides of a cell.
func (c *contourer) cell(i, j int) {
	g := c.g
	v := [4]float64{g.at(i, j), g.at(i+1, j), g.at(i+1, j+1), g.at(i, j+1)}
	index := 0
	for k := range v {
		if v[k] != v[k] {
			return
		}
		if v[k] > c.level {
			index |= 1 << k
		}
	}
	bottom, right, top, left := edge{i, j, false}, edge{i + 1, j, true}, edge{i, j + 1, false}, edge{i, j, true}
	switch index {
	case 1, 14:
		c.link(left, bottom)
	case 2, 13:
		c.link(bottom, right)
	case 3, 12:
		c.link(left, right)
	case 4, 11:
		c.link(right, top)
	case 6, 9:
		c.link(bottom, top)
	case 7, 8:
		c.link(left, top)
	case 5, 10:
		middle := c.f((g.xs[i]+g.xs[i+1])/2, (g.ys[j]+g.ys[j+1])/2)
		if (middle > c.level) == (index == 5) {
			c.link(left, top)
			c.link(bottom, right)
		} else {
			c.link(left, bottom)
			c.link(right, top)
		}
	}
}

func (c *contourer) link(a, b edge) {
	for _, e := range []edge{a, b} {
		if _, ok := c.cross[e]; !ok {
			c.cross[e] = c.crossing(e)
			c.order = append(c.order, e)
		}
	}
	c.links[a] = append(c.links[a], b)
	c.links[b] = append(c.links[b], a)
}

// crossing returns the point on a side where f is the level, by false position
// with halved ends (the Illinois method), to 1e-6 of the side.
func (c *contourer) crossing(e edge) pt {
	g := c.g
	a := pt{g.xs[e.i], g.ys[e.j]}
	b, vb := a, 0.0
	if e.up {
		b.y, vb = g.ys[e.j+1], g.at(e.i, e.j+1)
	} else {
		b.x, vb = g.xs[e.i+1], g.at(e.i+1, e.j)
	}
	va := g.at(e.i, e.j) - c.level
	vb -= c.level
	at := func(t float64) pt { return pt{a.x + t*(b.x-a.x), a.y + t*(b.y-a.y)} }
	lo, hi, side := 0.0, 1.0, 0
	t := .5
	for range 30 {
		if !math.IsInf(va, 0) && !math.IsInf(vb, 0) && va != vb {
			t = (lo*vb - hi*va) / (vb - va)
		} else {
			t = (lo + hi) / 2
		}
		p := at(t)
		v := c.f(p.x, p.y) - c.level
		switch {
		case v != v || hi-lo < 1e-6:
			return p
		case (v > 0) == (va > 0):
			lo, va = t, v
			if side == 1 {
				vb /= 2
			}
			side = 1
		default:
			hi, vb = t, v
			if side == -1 {
				va /= 2
			}
			side = -1
		}
		if v == 0 {
			return p
		}
	}
	return at(t)
}

// trace joins linked crossings to polylines: first those with an open end, then
// the closed ones.
func (c *contourer) trace() [][]pt {
	used := make(map[[2]edge]bool)
	var lines [][]pt
	walk := func(start edge) {
		line := []pt{c.cross[start]}
		at := start
		for {
			moved := false
			for _, next := range c.links[at] {
				if !used[[2]edge{at, next}] {
					used[[2]edge{at, next}], used[[2]edge{next, at}] = true, true
					line = append(line, c.cross[next])
					at, moved = next, true
					break
				}
			}
			if !moved {
				break
			}
		}
		if len(line) > 1 {
			lines = append(lines, line)
		}
	}
	for _, e := range c.order {
		if len(c.links[e]) == 1 {
			walk(e)
		}
	}
	for _, e := range c.order {
		walk(e)
	}
	return lines
}

// keep returns the parts of polylines where ok holds; where it changes between two
// points, the place is bisected.
func keep(lines [][]pt, ok func(x, y float64) bool) [][]pt {
	var kept [][]pt
	for _, line := range lines {
		var part []pt
		was := false
		for i, p := range line {
			is := ok(p.x, p.y)
			if i > 0 && is != was {
				m := bisect(line[i-1], p, was, ok)
				if is {
					part = []pt{m}
				} else {
					kept = append(kept, append(part, m))
					part = nil
				}
			}
			if is {
				part = append(part, p)
			}
			was = is
		}
		if len(part) > 1 {
			kept = append(kept, part)
		}
	}
	return kept
}

func bisect(a, b pt, atA bool, ok func(x, y float64) bool) pt {
	for range 30 {
		m := pt{(a.x + b.x) / 2, (a.y + b.y) / 2}
		if ok(m.x, m.y) == atA {
			a = m
		} else {
			b = m
		}
	}
	return a
}
