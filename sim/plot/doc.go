// Package plot draws pictures of classifiers: regions and decision boundaries
// over points, margins and support vectors, ellipses, paths of iterates, contour
// lines, and curves with error bars.
//
// A [Plot] is a list of layers over two axes. [Plot.SVG] writes it as SVG, in
// colours that follow the reader's light or dark setting, alone or inline in a
// page; [Plot.PNG] as an image. [Panels] sets several plots side by side. The same
// calls give the same bytes.
//
// Colours are those of Okabe and Ito, which colour-blind readers can tell apart,
// and classes differ in shape too. Boundaries are contours of functions, refined
// on the function itself, not edges of pixels.
//
// # Files, in reading order
//
// color.go, canvas.go (the shapes that SVG and pixels take), font.go, textsize.go and
// axis.go (scales and ticks), contour.go and frame.go (functions to lines over the axes),
// region.go (the areas and boundaries of classes), plot.go, layers.go (points, curves,
// …), legend.go, layout.go, panels.go, svg.go, raster.go.
//
// # The life of one picture
//
// Each method of [Plot] adds a layer: its sign in the legend, the range that it
// needs, and a function that draws it. [Plot.SVG] makes a canvas of the plot's size;
// the layout fits the axes into it beside or above the legend, from the ranges of all
// layers, and calls the layers in turn with that frame. Functions are evaluated only
// then, on a grid of the frame's pixels.
package plot
