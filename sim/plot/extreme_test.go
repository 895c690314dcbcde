package plot_test

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"halfspace/sim/plot"
)

// Ranges whose widths, ratios or ends are beyond the numbers there are have ticks too, and every
// coordinate of a picture is a number.
func TestPicturesOfExtremeValues(t *testing.T) {
	const most = math.MaxFloat64
	for name, draw := range map[string]func(p *plot.Plot){
		"equal units of 1e308 and 1": func(p *plot.Plot) { p.Equal = true; p.Curve("", plot.Style{}, []float64{0, 1}, []float64{0, 1e308}) },
		"equal units of 1e200 and 1e-200": func(p *plot.Plot) {
			p.Equal = true
			p.Curve("", plot.Style{}, []float64{0, 1e-200}, []float64{0, 1e200})
		},
		"equal decades": func(p *plot.Plot) {
			p.Equal, p.X.Log, p.Y.Log = true, true, true
			p.Curve("", plot.Style{}, []float64{1, 2}, []float64{1e-300, 1e300})
		},
		"one value, the largest":  func(p *plot.Plot) { p.Points("", plot.Blue, plot.Circle, []float64{most}, []float64{-most}) },
		"one value, the smallest": func(p *plot.Plot) { p.Points("", plot.Blue, plot.Circle, []float64{5e-324}, []float64{-5e-324}) },
		"both ends": func(p *plot.Plot) {
			p.Curve("", plot.Style{Dash: plot.Dotted}, []float64{-most, most}, []float64{-most, most})
		},
		"a histogram of both ends": func(p *plot.Plot) { p.Histogram("", plot.Style{}, []float64{-most, 0, most}, -most, most, 3) },
		"a histogram without bins": func(p *plot.Plot) { p.Histogram("", plot.Style{}, []float64{0}, 0, 1, -1) },
		"a cell far off":           func(p *plot.Plot) { p.Cell(1e308, 0, .5, "n") },
		"cells of no number": func(p *plot.Plot) {
			p.Cell(math.NaN(), 0, .5, "n")
			p.Cell(0, math.NaN(), .5, "n")
			p.Cell(0, 0, math.NaN(), "n")
		},
	} {
		p := new(plot.Plot)
		draw(p)
		var b bytes.Buffer
		if err := p.SVG(&b); err != nil {
			t.Fatal(name, err)
		}
		for _, word := range []string{"NaN", "Inf"} {
			if at := strings.Index(b.String(), word); at >= 0 {
				t.Errorf("%s: … %s", name, b.String()[max(0, at-60):at+10])
			}
		}
		if strings.Count(b.String(), "text-anchor") < 2 {
			t.Errorf("%s: no ticks", name)
		}
		if err := p.PNG(io.Discard); err != nil {
			t.Error(name, err)
		}
	}
}

func TestSizesThatNoPictureHas(t *testing.T) {
	for _, size := range [][2]int{{-1, 100}, {100, -1}, {1 << 14, 1 << 14}, {math.MaxInt, math.MaxInt}} {
		p := &plot.Plot{Width: size[0], Height: size[1]}
		g := &plot.Panels{Plots: []*plot.Plot{{Width: 1 << 13, Height: 1 << 13}, {}}}
		for _, write := range []func(io.Writer) error{p.SVG, p.PNG, g.SVG, g.PNG} {
			if err := write(io.Discard); err == nil || !strings.Contains(err.Error(), "pixels") {
				t.Errorf("%v: %v", size, err)
			}
		}
	}
}

// Of many classes few pairs meet, and the others are not looked at: 70 classes beside one another
// have 69 boundaries and 2,415 pairs. One is a strip of half a pixel, narrower than the cells of the grid.
func TestBoundariesOfManyClasses(t *testing.T) {
	const k = 70
	var ends []float64
	for i := range k + 1 {
		ends = append(ends, float64(i))
	}
	ends[31] = 31.95 // the strip from there to 32
	calls := 0
	p := &plot.Plot{X: plot.Axis{Min: 0, Max: k}, Y: plot.Axis{Min: 0, Max: 1}}
	p.Decision("", plot.Style{}, k, func(dst []float64, x, _ float64) []float64 {
		calls++
		f := 0.0 // convex and piecewise linear: its pieces are the scores
		for i := range k {
			dst = append(dst, f+float64(i)*x)
			f -= ends[i+1]
		}
		return dst
	})
	var b bytes.Buffer
	if err := p.SVG(&b); err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, line := range strings.Split(b.String(), "\n") {
		if strings.HasPrefix(line, `<path fill="none" class="s0"`) {
			lines += strings.Count(line, "M")
		}
	}
	if lines != k-1 {
		t.Errorf("%d boundaries, want %d", lines, k-1)
	}
	if calls > 400_000 {
		t.Errorf("%d calls of the scores", calls)
	}
}
