package plot

import "strings"

// glyph is a character of strokes. Each stroke is a letter that says how and then
// points, two base-36 digits each: x from the left, and y, where 4 is the baseline,
// e the height of an x, i that of a capital and 0 the depth of a p; an em is 20.
//
//   - straight lines through the points
//     ~  a curve within the corners, from the first point to the last
//     o  a closed curve within the corners
//     .  a dot
type glyph struct {
	width   int
	strokes string
}

var glyphs = map[rune]glyph{
	' ': {4, ""},
	'a': {8, "o04848e0e -8e84"}, 'b': {8, "o04848e0e -0i04"}, 'c': {8, "~8c6e0e046486"}, 'd': {8, "o04848e0e -8i84"},
	'e': {8, "-0989 ~898e0e046486"}, 'f': {6, "~6i2i2e -2e24 -0e5e"}, 'g': {8, "o04848e0e -8e82 ~828010"}, 'h': {8, "-0i04 ~0a0e8e8a -8a84"},
	'i': {2, "-1e14 .1i"}, 'j': {4, "-3e32 ~323000 .3i"}, 'k': {7, "-0i04 -7e08 -3a74"}, 'l': {2, "-1i14"},
	'm': {12, "-0e04 ~0a0e6e6a -6a64 ~6a6ececa -cac4"}, 'n': {8, "-0e04 ~0a0e8e8a -8a84"}, 'o': {8, "o04848e0e"}, 'p': {8, "-0e00 o04848e0e"},
	'q': {8, "-8e80 o04848e0e"}, 'r': {5, "-0e04 ~0a0e5e"}, 's': {7, "~7c6e0e0979740406"}, 't': {6, "-2i27 ~272464 -0e6e"},
	'u': {8, "-0e08 ~08048488 -8e84"}, 'v': {8, "-0e448e"}, 'w': {12, "-0e346c94ce"}, 'x': {8, "-0e84 -048e"},
	'y': {8, "-0e44 -8e3010"}, 'z': {8, "-0e8e0484"},
	'A': {10, "-045ia4 -2888"}, 'B': {10, "-040i ~0i9i9b0b ~0baba404"}, 'C': {10, "~af8i0i0484a7"}, 'D': {10, "-040i ~0iaia404"},
	'E': {9, "-9i0i0494 -0b7b"}, 'F': {9, "-9i0i04 -0b7b"}, 'G': {10, "~af8i0i0484a7 -a7aa6a"}, 'H': {10, "-040i -a4ai -0baa"},
	'I': {2, "-141i"}, 'J': {6, "-6i68 ~68640408"}, 'K': {10, "-040i -9i0a -3ca4"}, 'L': {8, "-0i0484"},
	'M': {12, "-040i69cic4"}, 'N': {10, "-040ia4ai"}, 'O': {10, "o040iaia4"}, 'P': {9, "-040i ~0i9i9a0a"},
	'Q': {10, "o040iaia4 -68a3"}, 'R': {9, "-040i ~0i9i9a0a -5a94"}, 'S': {9, "~9f8i0i0b9b940407"}, 'T': {10, "-0iai -5i54"},
	'U': {10, "-0i09 ~0904a4a9 -a9ai"}, 'V': {10, "-0i54ai"}, 'W': {14, "-0i447fa4ei"}, 'X': {10, "-0ia4 -04ai"},
	'Y': {10, "-0i5bai -5b54"}, 'Z': {10, "-0iai04a4"},
	'0': {9, "o040i9i94"}, '1': {9, "-1f5i54"}, '2': {9, "~0f0i9i9c04 -0494"}, '3': {9, "-0i8i4c ~4c9c940407"}, '4': {9, "-646i0898"},
	'5': {9, "-8i1i0b ~0b2d9d940407"}, '6': {9, "o04949c0c ~8i0i08"}, '7': {9, "-0i9i34"}, '8': {9, "o1b1i8i8b o04949b0b"}, '9': {9, "o0a9a9i0i ~9e9414"},
	'.': {2, ".14"}, ',': {2, "-1501"}, ':': {2, ".14 .1c"}, ';': {2, "-1501 .1c"}, '-': {5, "-0a5a"}, '−': {9, "-0b9b"}, '+': {8, "-0b8b -4f47"},
	'=': {8, "-0d8d -0989"}, '/': {6, "-046i"}, '(': {5, "~4k1h1542"}, ')': {5, "~1k4h4512"}, '[': {5, "-4k1k1242"}, ']': {5, "-1k4k4212"},
	'%': {12, "o0c0i5i5c o747acac4 -ai24"}, '·': {2, ".1a"}, '×': {7, "-0e77 -077e"}, '±': {8, "-0c8c -4g48 -0484"}, '|': {2, "-1k11"},
	'_': {9, "-0292"}, '*': {8, "-4h49 -0f8b -0b8f"}, '^': {8, "-0e4i8e"}, '<': {8, "-8f0b87"}, '>': {8, "-0f8b07"}, '≤': {8, "-8g0c88 -0484"},
	'≥': {8, "-0g8c08 -0484"}, '!': {2, "-1i19 .14"}, '?': {8, "~0f0i8i8c4b48 .44"}, '\'': {2, "-1i1f"}, '"': {5, "-1i1f -4i4f"},
	'#': {9, "-243i -647i -0898 -0e9e"}, '‖': {5, "-1k11 -4k41"}, '~': {9, "~090e989d"},
	'α': {9, "o04747e0e ~9e7e7494"}, 'β': {9, "-0i00 ~0i8i8c3c ~3c9c940404"}, 'γ': {8, "-0e44 -8e4440"}, 'δ': {8, "o04848d0d ~7i1i2g8b"},
	'ε': {7, "~7e0e0a5a ~5a0a0474"}, 'λ': {8, "-0i2i84 -5b04"}, 'μ': {8, "-0e00 ~08048488 -8e84"}, 'σ': {9, "o04747e0e -4e9e"},
	'ρ': {8, "~000e8e8404"}, 'π': {9, "-0e9e -2e24 -7e74"}, 'θ': {8, "o040i8i84 -0b8b"}, 'φ': {9, "o04949e0e -5i50"}, 'ξ': {7, "-0i7i ~7i0i0c6c ~6c0c047471"},
	'Δ': {10, "-045ia404"}, 'Σ': {9, "-9i0i6b0494"},
}

// small are the characters that are others at six tenths of the size, lowered or
// raised by so many units.
var small = func() map[rune]struct {
	of rune
	by float64
} {
	m := make(map[rune]struct {
		of rune
		by float64
	})
	add := func(chars, of string, by float64) {
		to := []rune(of)
		for i, r := range []rune(chars) {
			m[r] = struct {
				of rune
				by float64
			}{to[i], by}
		}
	}
	add("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+−", -3)
	add("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+−", 6.5)
	return m
}()

// alike are characters that others stand for.
var alike = strings.NewReplacer("–", "-", "—", "-", "’", "'", "‘", "'", "“", "\"", "”", "\"", "\u00a0", " ", "µ", "μ", "…", "...", "`", "'")

// unknown stands for characters that the font lacks.
var unknown = glyph{8, "-04848g0g04"}

// strokesOf returns text as lines from its left end on the baseline, y down, and
// its width.
func strokesOf(s string, size float64) (lines [][]pt, width float64) {
	em := size / 20
	for _, r := range alike.Replace(s) {
		shrink, up := 1.0, 0.0
		if v, ok := small[r]; ok {
			r, shrink, up = v.of, .6, v.by
		}
		g, ok := glyphs[r]
		if !ok {
			g = unknown
		}
		for _, l := range g.lines() {
			for i, p := range l {
				l[i] = pt{width + p.x*shrink*em, -(p.y*shrink + up) * em}
			}
			lines = append(lines, l)
		}
		width += (float64(g.width)*shrink + 2.8*(shrink+1)/2) * em
	}
	return lines, width
}

// lines decodes the strokes of a glyph, y up from the baseline.
func (g glyph) lines() [][]pt {
	var lines [][]pt
	for _, s := range strings.Fields(g.strokes) {
		var ps []pt
		for i := 1; i+1 < len(s); i += 2 {
			ps = append(ps, pt{float64(digit(s[i])), float64(digit(s[i+1]) - 4)})
		}
		switch s[0] {
		case '~':
			ps = rounded(ps, false)
		case 'o':
			ps = rounded(ps, true)
		case '.':
			ps = append(ps, pt{ps[0].x, ps[0].y + .3})
		}
		lines = append(lines, ps)
	}
	return lines
}

func digit(c byte) int {
	if c >= 'a' {
		return int(c-'a') + 10
	}
	return int(c - '0')
}

// rounded cuts the corners of a line three times (G. M. Chaikin, An Algorithm for
// High-Speed Curve Generation, 1974).
func rounded(ps []pt, closed bool) []pt {
	for range 3 {
		var out []pt
		n := len(ps)
		if !closed {
			out = append(out, ps[0])
			n--
		}
		for i := range n {
			a, b := ps[i], ps[(i+1)%len(ps)]
			out = append(out, pt{.75*a.x + .25*b.x, .75*a.y + .25*b.y}, pt{.25*a.x + .75*b.x, .25*a.y + .75*b.y})
		}
		if !closed {
			out = append(out, ps[len(ps)-1])
		}
		ps = out
	}
	if closed {
		ps = append(ps, ps[0])
	}
	return ps
}
