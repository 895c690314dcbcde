package plot

import (
	"math"
	"strconv"
	"strings"
)

// Axis is one of the two axes of a plot.
type Axis struct {
	Label    string
	Min, Max float64 // range; equal for the range of the data and a little more
	Log      bool    // logarithmic; the range must be positive

	// Names stand at 1, 2, … in place of numbers; one with no room ends in an ellipsis, and
	// where even that has none, some are left out.
	Names []string
}

// tick is a mark on an axis.
type tick struct {
	at   float64
	text string
}

// scale maps a range to pixels.
type scale struct {
	min, max float64 // of the data, as logarithms on a logarithmic axis
	lo, hi   float64 // pixels
	log      bool
}

func (s scale) pixel(v float64) float64 {
	if s.log {
		v = math.Log10(v)
	}
	return s.lo + (v-s.min)/(s.max-s.min)*(s.hi-s.lo)
}

func (s scale) value(pixel float64) float64 {
	v := s.min + (pixel-s.lo)/(s.hi-s.lo)*(s.max-s.min)
	if s.log {
		return math.Pow(10, v)
	}
	return v
}

// span is the range that data take; on a logarithmic axis, positive ones.
type span struct {
	min, max float64
	positive bool
}

func (a Axis) span() span { return span{math.Inf(1), math.Inf(-1), a.Log} }

func (s *span) add(vs ...float64) {
	for _, v := range vs {
		if v-v == 0 && (v > 0 || !s.positive) {
			s.min, s.max = math.Min(s.min, v), math.Max(s.max, v)
		}
	}
}

// most bounds the ends of a range and what is added to them, so that its width is finite.
const most = math.MaxFloat64 / 8

// fit returns the scale of the axis for data of the given span.
func (a Axis) fit(data span) scale {
	given := a.Min < a.Max
	switch {
	case given:
		data.min, data.max = a.Min, a.Max
	case data.min > data.max && a.Log:
		data.min, data.max = 1, 10
	case data.min > data.max:
		data.min, data.max = 0, 1
	}
	if a.Log {
		data.min = math.Log10(math.Min(math.Max(data.min, 1e-280), 1e280))
		data.max = math.Log10(math.Min(math.Max(data.max, 1e-280), 1e280))
	}
	data.min, data.max = math.Min(math.Max(data.min, -most), most), math.Min(math.Max(data.max, -most), most)
	largest := math.Max(math.Abs(data.min), math.Abs(data.max))
	pad := 0.0
	switch width := data.max - data.min; {
	case largest == 0:
		pad = .5
	case width <= 1e-9*largest: // one number, but for rounding
		pad = .05 * largest
	case !given:
		pad = .05 * width
	}
	if data.max+pad == data.min-pad { // one number that is too small for a part of it
		pad = .5
	}
	return scale{min: data.min - pad, max: data.max + pad, log: a.Log}
}

// ticks returns at most about n round numbers within the scale, all with the same
// number of decimals and, where they are very large or small, power of ten.
func (s scale) ticks(n int) []tick {
	if s.log {
		return s.decades(n)
	}
	step := roundStep((s.max - s.min) / float64(n))
	largest := math.Max(math.Abs(s.min), math.Abs(s.max))
	decimals, e := -exponent(step), 0
	if largest >= 1e6 || largest < 1e-3 {
		if d := exponent(largest) - exponent(step); d < 6 {
			decimals, e = d, exponent(largest)
		}
	}
	var ts []tick
	for k := math.Ceil(s.min/step - 1e-9); k*step <= s.max+1e-9*step; k++ {
		ts = append(ts, tick{k * step, number(k*step, max(0, decimals), e)})
	}
	return ts
}

// named returns the names within the scale, each in the room that it has: its share of a
// horizontal axis, or a third of a vertical one.
func (a Axis) named(s scale) (ts []tick) {
	unit, least, room := math.Abs(s.hi-s.lo)/(s.max-s.min), 1.2*tickSize, math.Abs(s.hi-s.lo)/3
	every := max(1, int(math.Ceil(least/unit)))
	if s.hi > s.lo {
		widest := 0.0
		for _, name := range a.Names {
			widest = math.Max(widest, textWidth(name, tickSize)+12)
		}
		every = max(1, int(math.Ceil(math.Min(widest, 36)/unit)))
		room = float64(every)*unit - 12
	}
	for i := 0; i < len(a.Names); i += every {
		if at := float64(i + 1); at >= s.min && at <= s.max {
			ts = append(ts, tick{at, ellipsis(a.Names[i], tickSize, room)})
		}
	}
	return ts
}

// exponent returns ⌊log₁₀ v⌋ for a number that may be rounded down from a power of
// ten.
func exponent(v float64) int { return int(math.Floor(math.Log10(v) + 1e-9)) }

// roundStep returns the smallest of 1, 2, 5 times a power of ten that is at least
// v.
func roundStep(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 1
	}
	e := math.Floor(math.Log10(v))
	p := math.Pow(10, e)
	for _, m := range []float64{1, 2, 5} {
		if m*p >= v*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// number formats v as a number with the given decimals times 10ᵉ.
func number(v float64, decimals, e int) string {
	if v == 0 {
		return "0"
	}
	s := minus(strconv.FormatFloat(v/math.Pow(10, float64(e)), 'f', decimals, 64))
	if e != 0 {
		s += "×10" + superscript(e)
	}
	return s
}

// minus sets the true minus sign.
func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

func superscript(e int) string {
	return strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(strconv.Itoa(e))
}

// decades returns powers of ten, with 2 and 5 times them where there are few.
func (s scale) decades(n int) []tick {
	lo, hi := int(math.Ceil(math.Max(s.min, -307)-1e-9)), int(math.Floor(math.Min(s.max, 307)+1e-9))
	every := max(1, (hi-lo+n)/n)
	plain := s.min >= -3-1e-9 && s.max <= 5
	var ts []tick
	for e := lo - 1; e <= hi; e++ {
		for _, m := range []float64{1, 2, 5} {
			at := math.Log10(m) + float64(e)
			if at < s.min-1e-9 || at > s.max+1e-9 || m > 1 && (hi-lo >= 3 || n < 3*(hi-lo+1)) || m == 1 && (e-lo)%every != 0 {
				continue
			}
			ts = append(ts, tick{m * math.Pow(10, float64(e)), power(m, e, plain)})
		}
	}
	return ts
}

// power formats m·10ᵉ.
func power(m float64, e int, plain bool) string {
	switch {
	case plain || e == 0 || e == 1:
		return strconv.FormatFloat(m*math.Pow(10, float64(e)), 'f', max(0, -e), 64)
	case m == 1:
		return "10" + superscript(e)
	}
	return strconv.Itoa(int(m)) + "×10" + superscript(e)
}
