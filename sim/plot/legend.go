package plot

import (
	"fmt"
	"math"
)

const (
	keyWidth = 26 // of a sign in the legend
	keyGap   = 8
	rowStep  = 22
)

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

// below returns the rows of a legend under a plot of w×h pixels, or none where it stands
// to the right: under a narrow plot, and where it would take too much room. It takes at
// most half of the height; of more names the last are counted.
func (p *Plot) below(w, h float64) (rows [][]entry) {
	es := p.legend()
	if w >= 640 && legendWidth(es) < .4*w && rowStep*float64(len(es)) < h-80 {
		return nil
	}
	rows = flow(es, w-32)
	if most := max(1, int(h/2/rowStep)); len(rows) > most {
		left := 0
		for _, row := range rows[most-1:] {
			left += len(row)
		}
		rows = append(rows[:most-1], []entry{{name: fmt.Sprintf("… and %d more", left)}})
	}
	return rows
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

// flow sets legend entries in rows of the given width, cut to it.
func flow(es []entry, width float64) (rows [][]entry) {
	used := math.Inf(1)
	for _, e := range es {
		e.name = ellipsis(e.name, legendSize, width-keyWidth-keyGap)
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

// legendBeside draws the legend to the right of the axes.
func (p *Plot) legendBeside(c canvas, x, y float64) {
	for i, e := range p.legend() {
		drawEntry(c, e, x, y+rowStep*float64(i))
	}
}

// legendBelow draws rows of the legend under the axes.
func legendBelow(c canvas, rows [][]entry, x, y float64) {
	for i, row := range rows {
		at := x
		for _, e := range row {
			drawEntry(c, e, at, y+rowStep*float64(i))
			at += entryWidth(e)
		}
	}
}
