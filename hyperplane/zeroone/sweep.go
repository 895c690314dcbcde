package zeroone

import (
	"cmp"
	"math"
	"slices"
)

// division is a way to divide points: the sum of the gains on the positive side, and the
// points there.
type division struct {
	value float64
	plus  []int
}

// offer keeps a better division; plus is asked for its points.
func (d *division) offer(value float64, plus func() []int) {
	if value < d.value {
		*d = division{value, slices.Clone(plus())}
	}
}

// uniform returns the better of the divisions with all points on one side.
func (s *points) uniform(list []int) division {
	var d division
	d.offer(s.sum(list), func() []int { return list })
	return d
}

func (s *points) sum(list []int) float64 {
	total := 0.0
	for _, i := range list {
		total += s.gain[i]
	}
	return total
}

// free returns the best division of points that can go to either side each.
func (s *points) free(list []int) division {
	var d division
	for _, i := range list {
		if s.gain[i] < 0 {
			d.value += s.gain[i]
			d.plus = append(d.plus, i)
		}
	}
	return d
}

// divideLine divides points of a line by a point, in the order of coordinate a.
func (s *points) divideLine(list []int, a int) division {
	list = slices.Clone(list)
	slices.SortFunc(list, func(i, j int) int { return cmp.Compare(s.at[i][a], s.at[j][a]) })
	best, total, before := s.uniform(list), s.sum(list), 0.0
	for k, i := range list {
		before += s.gain[i]
		best.offer(before, func() []int { return list[:k+1] })
		best.offer(total-before, func() []int { return list[k+1:] })
	}
	return best
}

// spanned is a point in the order by angle: sign is −1 for one behind the pivot.
type spanned struct{ point, sign int }

// sweep turns a line (or plane) about a pivot, whose points are always on it, past the
// others in the order of their angles modulo a half turn; those of one angle are one group.
// For each, on tells the best division of the points on the line, or that another pivot has
// it. The positive side is the left one, or the other.
func (s *points) sweep(best *division, pivot []int, others []spanned, same func(a, b spanned) bool, on func(group []spanned) (division, bool)) {
	total, left, center := s.sum(pivot), 0.0, s.sum(pivot)
	for _, o := range others {
		total += s.gain[o.point]
		if o.sign > 0 {
			left += s.gain[o.point]
		}
	}
	for lo := 0; lo < len(others); {
		hi := lo + 1
		for hi < len(others) && same(others[lo], others[hi]) {
			hi++
		}
		group, after, online := others[lo:hi], left, center
		for _, o := range group {
			left -= float64(max(o.sign, 0)) * s.gain[o.point]
			after -= float64(o.sign) * s.gain[o.point]
			online += s.gain[o.point]
		}
		if d, ok := on(group); ok {
			side := func(want int) func() []int {
				return func() []int {
					list := slices.Clone(d.plus)
					for k, o := range others {
						if is := o.sign; k < lo && -is == want || k >= hi && is == want {
							list = append(list, o.point)
						}
					}
					return list
				}
			}
			best.offer(left+d.value, side(1))
			best.offer(total-left-online+d.value, side(-1))
		}
		left, lo = after, hi
	}
}

// dividePlane divides points of a plane by lines, in the coordinates a and b, which tell
// all of them apart.
func (s *points) dividePlane(list []int, a, b int) division {
	best := s.uniform(list)
	for _, i := range list {
		others := make([]spanned, 0, len(list)-1)
		for _, j := range list {
			if j != i {
				others = append(others, spanned{j, s.ahead(i, j, a, b)})
			}
		}
		order := func(x, y spanned) int { return -x.sign * y.sign * s.turn(i, x.point, y.point, a, b) }
		slices.SortFunc(others, order)
		same := func(x, y spanned) bool { return order(x, y) == 0 }
		s.sweep(&best, []int{i}, others, same, func(group []spanned) (division, bool) {
			line := []int{i}
			for _, o := range group {
				if o.point < i {
					return division{}, false
				}
				line = append(line, o.point)
			}
			if len(line) == 2 {
				return s.free(line), true
			}
			if s.at[line[0]][a] == s.at[line[1]][a] {
				return s.divideLine(line, b), true
			}
			return s.divideLine(line, a), true
		})
	}
	return best
}

// ahead returns 1 where j is above i in coordinate b, or level and to the right, else −1.
func (s *points) ahead(i, j, a, b int) int {
	if c := cmp.Compare(s.at[j][b], s.at[i][b]); c != 0 {
		return c
	}
	return cmp.Compare(s.at[j][a], s.at[i][a])
}

// divideSpace divides points of space by planes.
func (s *points) divideSpace(list []int) division {
	best := s.uniform(list)
	for n, j := range list {
		for _, i := range list[:n] {
			s.turnAbout(&best, list, i, j)
		}
	}
	return best
}

// turnAbout turns a plane about the line through i and j. A plane is divided for the first
// two of its points only.
func (s *points) turnAbout(best *division, list []int, i, j int) {
	axis, others := []int{i, j}, make([]spanned, 0, len(list)-2)
	first, a, b := -1, 0, 1
	for _, k := range list {
		if k == i || k == j {
			continue
		}
		u, v, off := s.projection(i, j, k)
		if !off {
			if k < max(i, j) {
				return
			}
			axis = append(axis, k)
			continue
		}
		if first < 0 {
			first, a, b = k, u, v
		}
		others = append(others, spanned{k, 0})
	}
	if first < 0 { // all points on one line
		best.offerDivision(s.divideLine(axis, s.differing(i, j)))
		return
	}
	level := make(map[int]bool) // in the plane through i, j and first
	for k := range others {
		o := &others[k]
		if o.sign = s.side(i, j, first, o.point); o.sign == 0 {
			level[o.point] = true
			o.sign = s.turn(i, j, o.point, a, b) * s.turn(i, j, first, a, b)
		}
	}
	order := func(x, y spanned) int {
		switch {
		case level[x.point] && level[y.point]:
			return 0
		case level[x.point]:
			return -1
		case level[y.point]:
			return 1
		}
		return -x.sign * y.sign * s.side(i, j, x.point, y.point)
	}
	slices.SortFunc(others, order)
	same := func(x, y spanned) bool { return order(x, y) == 0 }
	s.sweep(best, axis, others, same, func(group []spanned) (division, bool) {
		plane := slices.Clone(axis)
		for _, o := range group {
			if o.point < max(i, j) {
				return division{}, false
			}
			plane = append(plane, o.point)
		}
		if len(plane) == 3 {
			return s.free(plane), true
		}
		u, v, _ := s.projection(i, j, group[0].point)
		return s.dividePlane(plane, u, v), true
	})
}

func (d *division) offerDivision(e division) { d.offer(e.value, func() []int { return e.plus }) }

// projection returns two coordinates in which i, j and k are not on a line, if there are
// any.
func (s *points) projection(i, j, k int) (a, b int, ok bool) {
	for c := range 3 {
		a, b = c, (c+1)%3
		if s.turn(i, j, k, a, b) != 0 {
			return a, b, true
		}
	}
	return 0, 1, false
}

// differing returns the coordinate in which i and j differ most.
func (s *points) differing(i, j int) int {
	most := 0
	for c := range 3 {
		if math.Abs(s.at[i][c]-s.at[j][c]) > math.Abs(s.at[i][most]-s.at[j][most]) {
			most = c
		}
	}
	return most
}
