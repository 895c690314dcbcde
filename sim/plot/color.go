package plot

import "fmt"

// Color is one of the colours of the package. They have a light and a dark form,
// and are told apart by colour-blind readers (M. Okabe and K. Ito, Color Universal
// Design, 2008). Each stands out from the paper by a contrast of 3 or more, Ink by 4.5 or
// more from the regions of classes too (Web Content Accessibility Guidelines 2.1, 1.4.3
// and 1.4.11); the pale ones of Okabe and Ito are darker for that.
type Color int

const (
	Ink Color = iota // text, axes, the reference that others are compared with
	Blue
	Orange
	Green
	Purple
	Amber
	Sky
	Brown
	Grey
	paper // the background
	rule  // grid lines
)

// hex holds the light and the dark form of each colour.
var hex = [...][2]string{
	Ink:    {"#1d2430", "#e4e7ec"},
	Blue:   {"#0072b2", "#4ba3e3"},
	Orange: {"#d55e00", "#f0843c"},
	Green:  {"#008a64", "#2fc298"},
	Purple: {"#b0579a", "#dc8fc4"},
	Amber:  {"#a06f00", "#eab63e"},
	Sky:    {"#3898d0", "#8accf2"},
	Brown:  {"#8a5a2b", "#c69a6a"},
	Grey:   {"#6b7380", "#949caa"},
	paper:  {"#fdfdfb", "#14171c"},
	rule:   {"#e4e6ea", "#2c323b"},
}

// classColors is the order in which classes and series take colours.
var classColors = [...]Color{Blue, Orange, Green, Purple, Amber, Sky, Brown, Grey}

// Class returns the colour of the class at position k; from eight classes on,
// colours repeat and only shapes differ.
func Class(k int) Color { return classColors[k%len(classColors)] }

// rgb returns the light or the dark form.
func (c Color) rgb(dark bool) (r, g, b uint8) {
	form := 0
	if dark {
		form = 1
	}
	fmt.Sscanf(hex[c][form], "#%02x%02x%02x", &r, &g, &b)
	return r, g, b
}

// Shape is the form of a marker.
type Shape int

const (
	Circle Shape = iota
	Square
	Triangle
	Diamond
	Cross
	Plus
	Down // triangle
	Star
)

// ClassShape returns the marker of the class at position k, such that no two of
// 64 classes have both colour and shape in common.
func ClassShape(k int) Shape {
	const n = int(Star) + 1
	return Shape((k + k/n) % n)
}
