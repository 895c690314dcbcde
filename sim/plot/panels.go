package plot

import "fmt"

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
		rows = max(rows, len(p.below(float64(w), float64(h))))
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

// mostPixels bounds the area of a picture; an image of it takes a gigabyte.
const mostPixels = 1 << 26

// sized returns the size of a drawing that has one.
func sized(d drawing) (w, h int, err error) {
	if w, h = d.size(); w < 1 || h < 1 || w > mostPixels/h {
		return 0, 0, fmt.Errorf("plot: a picture of %d × %d pixels, want at least one and at most %d in all", w, h, mostPixels)
	}
	return w, h, nil
}
