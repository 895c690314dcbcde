package plot

// Plot is a picture with two axes. Layers are drawn in the order in which they
// were added, regions first of all.
type Plot struct {
	Title         string
	X, Y          Axis
	Equal         bool // one unit has the same length on both axes
	Width, Height int  // pixels; 0 is 800 × 560
	layers        []layer
}

// layer is something drawn over the axes.
type layer struct {
	name   string // in the legend; "" is none
	key    key    // its sign there
	back   bool   // drawn below the grid
	points int    // markers that it draws
	extent func(x, y *span)
	draw   func(f *frame)
}

func (p *Plot) add(l layer) {
	if l.extent == nil {
		l.extent = func(x, y *span) {}
	}
	p.layers = append(p.layers, l)
}

// key is the sign of a layer in the legend.
type key struct {
	line *pen
	mark *marker
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
