package plot

import (
	"cmp"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
)

// pngScale is the number of pixels of an image for one of the plot.
const pngScale = 2

// PNG writes the plot as an image in the light colours, two pixels for one of the
// plot's.
//
// Errors: those of [Plot.SVG].
func (p *Plot) PNG(w io.Writer) error { return paint(w, p) }

// PNG writes the panels as one image.
func (g *Panels) PNG(w io.Writer) error { return paint(w, g) }

func paint(to io.Writer, d drawing) error {
	w, h, err := sized(d)
	if err != nil {
		return err
	}
	c := newRaster(w*pngScale, h*pngScale, pngScale)
	d.draw(c, 0, 0, float64(w), float64(h), 0)
	return png.Encode(to, c.img)
}

// raster is a canvas of pixels.
type raster struct {
	img   *image.RGBA
	scale float64
	clips image.Rectangle
	cover []float64 // of one row
}

func newRaster(w, h int, scale float64) *raster {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	return &raster{img, scale, img.Rect, make([]float64, w)}
}

func (c *raster) clip(x0, y0, x1, y1 float64) {
	at := func(v float64) int { return int(math.Round(v * c.scale)) }
	c.clips = image.Rect(at(x0), at(y0), at(x1), at(y1)).Intersect(c.img.Rect)
}

func (c *raster) unclip() { c.clips = c.img.Rect }

// side is a side of a polygon in pixels, from its upper end down.
type side struct {
	x0, y0, x1, y1 float64
	wind           int
}

// subrows is the number of lines on which a row of pixels is sampled; across, the
// cover is exact.
const subrows = 4

// polygons fills the places that the polygons wind around, in any direction.
func (c *raster) polygons(ps [][]pt, col Color, opacity float64, _ bool) {
	var sides []side
	for _, poly := range ps {
		for i, a := range poly {
			b := poly[(i+1)%len(poly)]
			s := side{a.x * c.scale, a.y * c.scale, b.x * c.scale, b.y * c.scale, 1}
			if s.y0 > s.y1 {
				s = side{s.x1, s.y1, s.x0, s.y0, -1}
			}
			if s.y0 < s.y1 && s.y1 > float64(c.clips.Min.Y) && s.y0 < float64(c.clips.Max.Y) {
				sides = append(sides, s)
			}
		}
	}
	slices.SortFunc(sides, func(a, b side) int { return cmp.Compare(a.y0, b.y0) })
	r, g, b := col.rgb(false)
	var active []side
	for y := c.clips.Min.Y; y < c.clips.Max.Y; y++ {
		for len(sides) > 0 && sides[0].y0 < float64(y+1) {
			active, sides = append(active, sides[0]), sides[1:]
		}
		active = slices.DeleteFunc(active, func(s side) bool { return s.y1 <= float64(y) })
		if len(active) == 0 {
			if len(sides) == 0 {
				return
			}
			continue
		}
		if lo, hi := c.row(y, active); lo < hi {
			c.blend(y, lo, hi, color.RGBA{r, g, b, 255}, opacity)
		}
	}
}

// crossing is where a side meets a line of samples.
type crossingAt struct {
	x    float64
	wind int
}

// row adds up the cover of the pixels of row y, and returns their range.
func (c *raster) row(y int, active []side) (lo, hi int) {
	lo, hi = c.clips.Max.X, c.clips.Min.X
	var at []crossingAt
	for k := range subrows {
		sy := float64(y) + (float64(k)+.5)/subrows
		at = at[:0]
		for _, s := range active {
			if s.y0 <= sy && sy < s.y1 {
				at = append(at, crossingAt{s.x0 + (sy-s.y0)/(s.y1-s.y0)*(s.x1-s.x0), s.wind})
			}
		}
		slices.SortFunc(at, func(a, b crossingAt) int { return cmp.Compare(a.x, b.x) })
		wind := 0
		for i, a := range at {
			if wind != 0 {
				l, h := c.span(at[i-1].x, a.x)
				lo, hi = min(lo, l), max(hi, h)
			}
			wind += a.wind
		}
	}
	return lo, hi
}

// span adds the cover of [x0, x1] on one line of samples.
func (c *raster) span(x0, x1 float64) (lo, hi int) {
	x0, x1 = math.Max(x0, float64(c.clips.Min.X)), math.Min(x1, float64(c.clips.Max.X))
	if !(x0 < x1) {
		return c.clips.Max.X, c.clips.Min.X
	}
	lo, hi = int(x0), int(math.Ceil(x1))
	for x := lo; x < hi; x++ {
		c.cover[x] += (math.Min(x1, float64(x+1)) - math.Max(x0, float64(x))) / subrows
	}
	return lo, hi
}

// blend mixes a colour into a row by its cover, which it clears.
func (c *raster) blend(y, lo, hi int, col color.RGBA, opacity float64) {
	for x := lo; x < hi; x++ {
		a := math.Min(1, c.cover[x]) * opacity
		c.cover[x] = 0
		px := c.img.Pix[c.img.PixOffset(x, y):]
		mix := func(old, new uint8) uint8 { return uint8(float64(old) + a*(float64(new)-float64(old)) + .5) }
		px[0], px[1], px[2], px[3] = mix(px[0], col.R), mix(px[1], col.G), mix(px[2], col.B), 255
	}
}

func (c *raster) lines(ps [][]pt, p pen) {
	c.polygons(outlines(dashed(ps, p.dash), p.width, p.dash == nil || p.round), p.color, 1, false)
}

// outlines returns polygons that cover lines of a given width: a rectangle for
// each piece and a disc at each corner, and at the ends if they are round. All turn
// the same way, so that they add up.
func outlines(lines [][]pt, width float64, round bool) [][]pt {
	var out [][]pt
	h := width / 2
	for _, l := range lines {
		for i := 1; i < len(l); i++ {
			a, b := l[i-1], l[i]
			d := math.Hypot(b.x-a.x, b.y-a.y)
			if d > 0 {
				nx, ny := h*(b.y-a.y)/d, -h*(b.x-a.x)/d
				out = append(out, []pt{{a.x + nx, a.y + ny}, {b.x + nx, b.y + ny}, {b.x - nx, b.y - ny}, {a.x - nx, a.y - ny}})
			}
			if i+1 < len(l) || round {
				out = append(out, disc(b, h))
			}
		}
		if round && len(l) > 0 {
			out = append(out, disc(l[0], h))
		}
	}
	return out
}

func disc(at pt, r float64) []pt {
	n := max(8, min(32, int(6*r)))
	ps := make([]pt, n)
	for i := range ps {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		ps[i] = pt{at.x + r*cos, at.y + r*sin}
	}
	return ps
}

// dashed cuts lines by a pattern of lengths on and off; nil leaves them whole.
func dashed(lines [][]pt, pattern []float64) [][]pt {
	if pattern == nil {
		return lines
	}
	var out [][]pt
	for _, l := range lines {
		k, left := 0, pattern[0]
		part := []pt{l[0]}
		for i := 1; i < len(l); i++ {
			a, b := l[i-1], l[i]
			d := math.Hypot(b.x-a.x, b.y-a.y)
			done := 0.0
			for d-done > left {
				done += left
				m := pt{a.x + (b.x-a.x)*done/d, a.y + (b.y-a.y)*done/d}
				if k%2 == 0 {
					out = append(out, append(part, m))
				}
				part = []pt{m}
				k++
				left = pattern[k%len(pattern)]
			}
			left -= d - done
			part = append(part, b)
		}
		if k%2 == 0 {
			out = append(out, part)
		}
	}
	return out
}

func (c *raster) markers(ps []pt, m marker) {
	polygon, strokes := m.outline()
	if polygon == nil {
		polygon = disc(pt{}, m.radius)
		if m.radius > 3 {
			polygon = disc(pt{}, m.radius+.02) // the polygon lies within its circle
		}
	}
	edge := append(slices.Clone(polygon), polygon[0])
	for _, at := range ps {
		switch {
		case strokes != nil:
			c.polygons(outlines(shifted(strokes, at), 2, false), m.color, 1, false)
		case m.filled:
			c.polygons(shifted([][]pt{polygon}, at), m.color, 1, false)
			c.polygons(outlines(shifted([][]pt{edge}, at), .8, true), paper, 1, false)
		default:
			c.polygons(outlines(shifted([][]pt{edge}, at), 1.5, true), m.color, 1, false)
		}
	}
}

func (c *raster) text(at pt, s string, t textStyle) {
	lines, width := strokesOf(s, t.size)
	switch t.anchor {
	case middle:
		at.x, at.y = along(at, -width/2, t.up)
	case end:
		at.x, at.y = along(at, -width, t.up)
	}
	for _, l := range lines {
		for i, p := range l {
			if t.up {
				p = pt{p.y, -p.x}
			}
			l[i] = pt{at.x + p.x, at.y + p.y}
		}
	}
	weight := .085 * t.size
	if t.bold {
		weight *= 1.5
	}
	if t.halo {
		c.polygons(outlines(lines, weight+3, true), paper, 1, false)
	}
	c.polygons(outlines(lines, weight, true), t.color, 1, false)
}

// along moves a point along a line of text.
func along(at pt, by float64, up bool) (x, y float64) {
	if up {
		return at.x, at.y - by
	}
	return at.x + by, at.y
}
