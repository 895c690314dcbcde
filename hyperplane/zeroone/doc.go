// Package zeroone minimises the number of errors itself: it finds, of all planes in one, two
// or three dimensions, one with the least total weight of rows with y·f(x) ≤ 0. Surrogate
// losses exist because this is hard: the time grows with nᵖ (ESL §4.5, §10.6; Johnson and
// Preparata 1978 show that no method is polynomial in p as well).
//
// # How
//
// Rows of one place are one point, with the cost of either side. A plane that divides the
// points can be moved, without passing over any, until p of them that span it lie on it; so
// the planes through p points are enough, if for each all ways are tried in which the points
// on it can go to either side. Those are the divisions of these points within the plane, by
// lines, and within a line by a point: the same problem in one dimension less. For each p−1
// points the others are sorted by angle about the line (or point) through them, and a plane
// that turns about it passes them one by one: O(n² log n) in the plane, O(n³ log n) in space.
//
// The order by angle is that of signs of determinants of the coordinates, computed in
// floating point where its error bound allows, and else in integers: the minimum is exact
// for the numbers given, whichever points coincide or lie on a line or a plane.
//
// # Files, in reading order
//
// orient.go (signs of determinants), sweep.go (divisions of points), zeroone.go (rows,
// labels and the plane).
package zeroone
