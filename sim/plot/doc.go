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
package plot
