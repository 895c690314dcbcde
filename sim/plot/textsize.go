package plot

import (
	"math"
	"strings"
	"unicode"
)

// textWidth estimates the width of text in a sans-serif font: .56 of its size a character,
// once that for the wide ones of East Asia, none for a mark on the character before.
func textWidth(s string, size float64) float64 {
	width := 0.0
	for _, r := range s {
		width += runeWidth(r)
	}
	return width * size
}

func runeWidth(r rune) float64 {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul), r >= 0x1f300:
		return 1.05
	}
	return .56
}

// leastSize is the size below which text is cut rather than shrunk.
const leastSize = 12

// fitText shrinks text of the given size to a width, down to leastSize, and then cuts it.
// wide is how much wider than ordinary letters those of its weight are.
func fitText(s string, size, width, wide float64) (string, float64) {
	if needs := wide * textWidth(s, size); needs > width {
		size = math.Max(leastSize, size*width/needs)
	}
	return ellipsis(s, wide*size, width), size
}

// ellipsis returns text that a width has room for: as it is, or its beginning and "…".
func ellipsis(s string, size, width float64) string {
	if textWidth(s, size) <= width*(1+1e-9) { // a width that was computed from this one may be rounded
		return s
	}
	used := textWidth("…", size)
	for i, r := range s {
		if used += runeWidth(r) * size; used > width {
			return strings.TrimRightFunc(s[:i], unicode.IsSpace) + "…"
		}
	}
	return s
}
