package plot

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SVG writes the plot as SVG.
//
// Errors: a size that is negative or beyond 2²⁶ pixels; those of w.
func (p *Plot) SVG(w io.Writer) error { return writeSVG(w, p, p.Title) }

// SVG writes the panels as one SVG.
func (g *Panels) SVG(w io.Writer) error {
	var titles []string
	for _, p := range g.Plots {
		if p.Title != "" {
			titles = append(titles, p.Title)
		}
	}
	return writeSVG(w, g, strings.Join(titles, "; "))
}

// svgCanvas writes elements. Colours are classes, so that a style sheet sets the
// light and the dark form; attributes beside them serve readers without one.
type svgCanvas struct {
	b     bytes.Buffer
	clips []string // rectangles
	marks []marker // those used
}

func writeSVG(w io.Writer, d drawing, title string) error {
	width, height, err := sized(d)
	if err != nil {
		return err
	}
	c := new(svgCanvas)
	d.draw(c, 0, 0, float64(width), float64(height), 0)
	// Clip paths and markers are named after the content: several pictures share a page.
	id := fmt.Sprintf("hs%08x", crc32.ChecksumIEEE(c.b.Bytes()))
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" class="halfspace" viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif">`+"\n", width, height, width, height)
	fmt.Fprintf(&out, "<title>%s</title>\n<style>%s</style>\n<defs>", escape(title), styleSheet())
	for i, r := range c.clips {
		fmt.Fprintf(&out, `<clipPath id="%s-%d">%s</clipPath>`, id, i, r)
	}
	for i, m := range c.marks {
		fmt.Fprintf(&out, `<marker id="%s-m%d" markerUnits="userSpaceOnUse" markerWidth="1" markerHeight="1" overflow="visible">%s</marker>`, id, i, m.svg())
	}
	out.WriteString("</defs>\n")
	out.WriteString(strings.ReplaceAll(c.b.String(), clipMark, id))
	out.WriteString("</svg>\n")
	_, err = w.Write(out.Bytes())
	return err
}

// clipMark stands for the name of the picture until it is known.
const clipMark = "\x00"

// styleSheet sets colours for light and dark.
func styleSheet() string {
	var light, dark, use strings.Builder
	for c, form := range hex {
		fmt.Fprintf(&light, "--hs%d:%s;", c, form[0])
		fmt.Fprintf(&dark, "--hs%d:%s;", c, form[1])
		fmt.Fprintf(&use, ".halfspace .f%d{fill:var(--hs%d)}.halfspace .s%d{stroke:var(--hs%d)}", c, c, c, c)
	}
	return ".halfspace{" + light.String() + "}@media(prefers-color-scheme:dark){.halfspace{" + dark.String() + "}}" + use.String()
}

// num formats a coordinate to a hundredth of a pixel.
func num(v float64) string {
	s := strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
	if s == "-0" {
		return "0"
	}
	return s
}

// escape returns text for XML, without the characters that it cannot hold.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfffe || r == 0xffff || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s))
}

func fill(c Color) string   { return fmt.Sprintf(`class="f%d" fill="%s"`, c, hex[c][0]) }
func stroke(c Color) string { return fmt.Sprintf(`class="s%d" stroke="%s"`, c, hex[c][0]) }

// pathData writes polylines; consecutive points that round to the same place are
// written once.
func pathData(b *bytes.Buffer, lines [][]pt, closed bool) {
	for _, l := range lines {
		last := ""
		for i, p := range l {
			at := num(p.x) + " " + num(p.y)
			switch {
			case i == 0:
				b.WriteString("M")
			case at == last && i+1 < len(l):
				continue
			default:
				b.WriteString("L")
			}
			b.WriteString(at)
			last = at
		}
		if closed {
			b.WriteString("Z")
		}
	}
}

func (c *svgCanvas) polygons(ps [][]pt, col Color, opacity float64, crisp bool) {
	if len(ps) == 0 {
		return
	}
	fmt.Fprintf(&c.b, `<path %s`, fill(col))
	if opacity < 1 {
		fmt.Fprintf(&c.b, ` fill-opacity="%s"`, num(opacity))
	}
	if crisp {
		c.b.WriteString(` shape-rendering="crispEdges"`)
	}
	c.b.WriteString(` d="`)
	if crisp {
		rectangles(&c.b, ps)
	} else {
		pathData(&c.b, ps, true)
	}
	c.b.WriteString("\"/>\n")
}

// rectangles writes upright rectangles shortly.
func rectangles(b *bytes.Buffer, ps [][]pt) {
	for _, r := range ps {
		fmt.Fprintf(b, "M%s %sH%sV%sH%sZ", num(r[0].x), num(r[0].y), num(r[2].x), num(r[2].y), num(r[0].x))
	}
}

func (c *svgCanvas) strokeAttributes(p pen) {
	fmt.Fprintf(&c.b, `fill="none" %s stroke-width="%s" stroke-linejoin="round"`, stroke(p.color), num(p.width))
	if p.dash != nil {
		var parts []string
		for _, d := range p.dash {
			parts = append(parts, num(d))
		}
		fmt.Fprintf(&c.b, ` stroke-dasharray="%s"`, strings.Join(parts, " "))
	}
	if p.round {
		c.b.WriteString(` stroke-linecap="round"`)
	}
}

func (c *svgCanvas) lines(ps [][]pt, p pen) {
	if len(ps) == 0 {
		return
	}
	c.b.WriteString("<path ")
	c.strokeAttributes(p)
	c.b.WriteString(` d="`)
	pathData(&c.b, ps, false)
	c.b.WriteString("\"/>\n")
}

// markers writes the points as the corners of an invisible line, which have the
// marker: short, and each point is drawn whole over those before it.
func (c *svgCanvas) markers(ps []pt, m marker) {
	if len(ps) == 0 {
		return
	}
	k := slices.Index(c.marks, m)
	if k < 0 {
		k = len(c.marks)
		c.marks = append(c.marks, m)
	}
	ref := fmt.Sprintf("url(#%s-m%d)", clipMark, k)
	fmt.Fprintf(&c.b, `<path fill="none" marker-start="%s" marker-mid="%s" marker-end="%s" d="`, ref, ref, ref)
	for i, p := range ps {
		c.b.WriteString("ML"[min(i, 1):min(i, 1)+1] + num(p.x) + " " + num(p.y))
	}
	if len(ps) == 1 {
		fmt.Fprintf(&c.b, "L%s %s", num(ps[0].x), num(ps[0].y)) // a line needs two ends
	}
	c.b.WriteString("\"/>\n")
}

// svg returns the marker about 0.
func (m marker) svg() string {
	var b bytes.Buffer
	polygon, strokes := m.outline()
	switch {
	case strokes != nil:
		fmt.Fprintf(&b, `<path fill="none" %s stroke-width="2" d="`, stroke(m.color))
		pathData(&b, strokes, false)
		b.WriteString(`"/>`)
		return b.String()
	case polygon != nil:
		b.WriteString(`<path d="`)
		pathData(&b, [][]pt{polygon}, true)
		b.WriteString(`"`)
	default:
		fmt.Fprintf(&b, `<circle r="%s"`, num(m.radius))
	}
	if m.filled {
		fmt.Fprintf(&b, ` class="f%d s%d" fill="%s" stroke="%s" stroke-width=".8"/>`, m.color, paper, hex[m.color][0], hex[paper][0])
	} else {
		fmt.Fprintf(&b, ` fill="none" %s stroke-width="1.5"/>`, stroke(m.color))
	}
	return b.String()
}

func shifted(lines [][]pt, by pt) [][]pt {
	out := make([][]pt, len(lines))
	for i, l := range lines {
		for _, p := range l {
			out[i] = append(out[i], pt{p.x + by.x, p.y + by.y})
		}
	}
	return out
}

func (c *svgCanvas) text(at pt, s string, t textStyle) {
	fmt.Fprintf(&c.b, `<text x="%s" y="%s" font-size="%s"`, num(at.x), num(at.y), num(t.size))
	if t.anchor != start {
		fmt.Fprintf(&c.b, ` text-anchor="%s"`, []string{"", "middle", "end"}[t.anchor])
	}
	if t.bold {
		c.b.WriteString(` font-weight="600"`)
	}
	if t.up {
		fmt.Fprintf(&c.b, ` transform="rotate(-90 %s %s)"`, num(at.x), num(at.y))
	}
	if t.halo {
		fmt.Fprintf(&c.b, ` class="f%d s%d" fill="%s" stroke="%s" stroke-width="3" paint-order="stroke"`, t.color, paper, hex[t.color][0], hex[paper][0])
	} else {
		c.b.WriteString(" " + fill(t.color))
	}
	fmt.Fprintf(&c.b, ">%s</text>\n", escape(s))
}

func (c *svgCanvas) clip(x0, y0, x1, y1 float64) {
	fmt.Fprintf(&c.b, "<g clip-path=\"url(#%s-%d)\">\n", clipMark, len(c.clips))
	c.clips = append(c.clips, fmt.Sprintf(`<rect x="%s" y="%s" width="%s" height="%s"/>`, num(x0), num(y0), num(x1-x0), num(y1-y0)))
}

func (c *svgCanvas) unclip() { c.b.WriteString("</g>\n") }
