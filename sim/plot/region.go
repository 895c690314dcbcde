package plot

import "math"

// cellSize is the height of the cells of regions, in pixels, and the width at
// which classes are looked up.
const cellSize = 2

// regions fills runs of cells of one class, row by row, as one path a class.
func (f *frame) regions(classify func(x, y float64) int) {
	left, right := f.x.lo, f.x.hi
	top, bottom := math.Min(f.y.lo, f.y.hi), math.Max(f.y.lo, f.y.hi)
	var order []int // classes as they appear
	runs := make(map[int][][]pt)
	for y := top; y < bottom; y += cellSize {
		end := math.Min(y+cellSize, bottom)
		at := f.y.value((y + end) / 2)
		class := func(px float64) int { return classify(f.x.value(px), at) }
		start, was := left, class(left)
		emit := func(x float64) {
			if was >= 0 && x > start {
				if runs[was] == nil {
					order = append(order, was)
				}
				runs[was] = append(runs[was], []pt{{start, y}, {x, y}, {x, end}, {start, end}})
			}
			start = x
		}
		for x := left; x < right; {
			next := math.Min(x+cellSize, right)
			if is := class(next); is != was {
				lo, hi := x, next
				for hi-lo > .05 {
					if m := (lo + hi) / 2; class(m) == was {
						lo = m
					} else {
						hi = m
					}
				}
				emit(hi)
				was = is
			}
			x = next
		}
		emit(right)
	}
	for _, k := range order {
		f.c.polygons(runs[k], Class(k), regionOpacity, true)
	}
}

// fewClasses are as many as have every pair looked at.
const fewClasses = 8

// meeting returns the pairs of classes that can meet in a cell of a grid of so many columns: those
// with the largest score at a corner of it or the second, which one that is the largest only
// between the corners has as a rule. Nil is every pair, of few classes.
func meeting(grid [][]float64, columns, k int) map[[2]int]bool {
	if k <= fewClasses {
		return nil
	}
	top := make([][2]int, len(grid))
	for i, v := range grid {
		first, second := 0, 1
		if v[1] > v[0] {
			first, second = 1, 0
		}
		for c := 2; c < k; c++ {
			if v[c] > v[first] {
				first, second = c, first
			} else if v[c] > v[second] {
				second = c
			}
		}
		top[i] = [2]int{first, second}
	}
	pairs := make(map[[2]int]bool)
	for i := columns + 1; i < len(grid); i++ {
		var corners []int
		for _, at := range []int{i, i - 1, i - columns, i - columns - 1} {
			corners = append(corners, top[at][0], top[at][1])
		}
		for _, a := range corners {
			for _, b := range corners {
				pairs[[2]int{a, b}] = true
			}
		}
	}
	return pairs
}

// decision draws the lines where two scores are the largest and equal.
func (f *frame) decision(s Style, k int, scores func(dst []float64, x, y float64) []float64) {
	xs, ys := f.grid(contourStep)
	grid := make([][]float64, 0, len(xs)*len(ys))
	for _, y := range ys {
		for _, x := range xs {
			grid = append(grid, scores(make([]float64, 0, k), x, y))
		}
	}
	pairs := meeting(grid, len(xs), k)
	buf := make([]float64, 0, k)
	for a := range k {
		for b := a + 1; b < k; b++ {
			if pairs != nil && !pairs[[2]int{a, b}] {
				continue
			}
			g := &field{xs: xs, ys: ys, v: make([]float64, len(grid))}
			for i, v := range grid {
				g.v[i] = v[a] - v[b]
			}
			lines := g.contour(0, func(x, y float64) float64 {
				buf = scores(buf[:0], x, y)
				return buf[a] - buf[b]
			})
			f.lines(keep(lines, func(x, y float64) bool {
				buf = scores(buf[:0], x, y)
				top := math.Max(buf[a], buf[b])
				for c, v := range buf {
					if c != a && c != b && v > top {
						return false
					}
				}
				return s.Where == nil || s.Where(x, y)
			}), s.pen())
		}
	}
}
