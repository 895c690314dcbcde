// Package onecolumn solves the soft margin of rows of one number without the steps of a solver, in O(n log n).
package onecolumn

import (
	"cmp"
	"math"
	"slices"

	"halfspace/qp"
)

// SoftMargin returns multipliers, β and b₀ of the soft margin of rows of one number: the minimum of
//
//	½β² + φ(β),  φ(β) = min over b₀ of Σ cᵢ[1 − sᵢ(βxᵢ + b₀)]₊,
//
// for prices cᵢ ≥ 0 and the signs of q; b₀ is 0 without a level. It is exact but for rounding, of
// which the caller sees in the gap how much it is worth. O(n log n), and O(n) for each of some ten β.
//
// For a given β the best b₀ is a weighted quantile of the points sᵢ − βxᵢ where slacks begin. Those
// of either sign are in the order of x, so that a merge finds it, and with it a line that touches φ,
// which is convex and piecewise linear. The least point of ½β² above two such lines, with the minimum between
// them, is the next β, until φ is no higher than the lines there: Kelley's method (1960).
func SoftMargin(q *qp.Linear, price []float64, level bool) (alpha []float64, beta, b0 float64) {
	signed := make([]float64, q.Len())
	q.Apply(signed, one)
	alpha = make([]float64, len(price))
	if !level {
		return alpha, throughZero(alpha, signed, price), 0
	}
	points, most, first, last := make([]point, len(price)), 0.0, 0, len(price)
	for i, c := range price {
		if s := q.Sign[i]; c > 0 && s > 0 {
			points[first] = point{signed[i], c, i}
			first++
			most += c
		} else if c > 0 {
			last--
			points[last] = point{-signed[i], c, i}
		}
	}
	l := &line{points[:first], points[last:], most}
	if len(l.plus)+len(l.minus) == 0 {
		return alpha, 0, 0
	}
	byFall(l.plus)
	byFall(l.minus)
	right := l.touch(0)
	if right.slope > 0 {
		beta, b0 = l.solve(alpha, right)
		return alpha, beta, b0
	}
	l.spread(alpha, right)
	l.mirror()
	left := l.touch(0)
	if left.slope > 0 {
		clear(alpha)
		beta, b0 = l.solve(alpha, left)
		return alpha, -beta, b0
	}
	if share := right.slope / (left.slope + right.slope); share > 0 { // the sum of αsx is 0
		other := make([]float64, len(alpha))
		l.spread(other, left)
		mix(alpha, other, share)
	}
	return alpha, 0, right.level
}

var one = []float64{1}

// throughZero sets the multipliers without a level and returns β: at β = 1/sᵢxᵢ the row's slack ends
// with its multiplier, so that Σαsx, which is β at the minimum, falls as β grows.
func throughZero(alpha, signed, price []float64) float64 {
	sum := 0.0
	for i, c := range price {
		sum += c * signed[i]
	}
	side := math.Copysign(1, sum)
	ends := make([]point, 0, len(price)) // rows whose slack ends at a β on that side, the first first
	beta := 0.0
	for i, c := range price {
		if side*signed[i] > 0 && c > 0 {
			ends = append(ends, point{side * signed[i], c, i})
		} else {
			alpha[i] = c
			beta += c * side * signed[i]
		}
	}
	byFall(ends)
	for _, p := range slices.Backward(ends) {
		if end := 1 / p.x; beta+p.price*p.x >= end {
			alpha[p.row] = min(max(0, (end-beta)/p.x), p.price)
			return side * max(beta, end)
		}
		alpha[p.row] = p.price
		beta += p.price * p.x
	}
	return side * beta
}

// line is the rows of a soft margin of one number, of either sign by falling x.
type line struct {
	plus, minus []point
	most        float64 // Σ price of plus
}

type point struct {
	x, price float64
	row      int
}

// byFall sorts points by falling x.
func byFall(points []point) {
	slices.SortFunc(points, func(a, b point) int {
		if a.x != b.x {
			return cmp.Compare(b.x, a.x)
		}
		return a.row - b.row
	})
}

// mirror puts −x in the place of x.
func (l *line) mirror() {
	for _, side := range [][]point{l.plus, l.minus} {
		for i := range side {
			side[i].x = -side[i].x
		}
		slices.Reverse(side)
	}
}

// tangent is a line that touches φ at some β ≥ 0, and the multipliers that make it.
type tangent struct {
	beta, level  float64 // where, and the best b₀ there
	value, slope float64 // φ, and Σαsx, by which it falls
	plus, minus  int     // the rows of sign + before it and of sign − from it on have no multiplier
	kink         int     // the sign of the last row that is none of these, whose slack begins at b₀
	part         float64 // and its multiplier
}

// even is the difference of sums of prices, relative to them, that is rounding.
const even = 1e-13

// touch returns the tangent at β ≥ 0, from the right for 0. As b₀ grows, slacks of sign + end, and of sign −
// begin, at sᵢ − βxᵢ.
func (l *line) touch(beta float64) tangent {
	t := tangent{beta: beta}
	next := func() (at float64, side int) {
		at, side = math.Inf(1), 0
		if t.plus < len(l.plus) {
			at, side = 1-beta*l.plus[t.plus].x, 1
		}
		if t.minus < len(l.minus) {
			if v := -1 - beta*l.minus[t.minus].x; v <= at {
				at, side = v, -1
			}
		}
		return at, side
	}
	for passed := 0.0; ; {
		at, side := next()
		var c float64
		if side > 0 {
			c = l.plus[t.plus].price
			t.plus++
		} else {
			c = l.minus[t.minus].price
			t.minus++
		}
		if more := t.plus < len(l.plus) || t.minus < len(l.minus); more && passed+c < l.most*(1-even) {
			passed += c
			continue
		}
		t.level, t.kink, t.part = at, side, min(max(0, l.most-passed), c)
		if passed+c <= l.most*(1+even) { // any b₀ up to the next point is as good
			if end, more := next(); more != 0 {
				t.level += (end - at) / 2
			}
			t.part = c
		}
		if side > 0 {
			t.part = c - t.part
		}
		break
	}
	l.each(t, func(p point, s, a float64) {
		t.value += p.price * max(0, 1-s*(beta*p.x+t.level))
		t.slope += a * s * p.x
	})
	return t
}

// each calls visit with the rows that can have a multiplier or a slack, their sign and multiplier.
func (l *line) each(t tangent, visit func(p point, sign, a float64)) {
	plus, minus := l.plus[t.plus:], l.minus[:t.minus]
	if t.kink > 0 {
		visit(l.plus[t.plus-1], 1, t.part)
	} else {
		visit(minus[t.minus-1], -1, t.part)
		minus = minus[:t.minus-1]
	}
	for _, p := range plus {
		visit(p, 1, p.price)
	}
	for _, p := range minus {
		visit(p, -1, p.price)
	}
}

// spread adds the multipliers of t to alpha.
func (l *line) spread(alpha []float64, t tangent) {
	l.each(t, func(p point, _, a float64) { alpha[p.row] += a })
}

// at returns the height of the tangent at β.
func (t *tangent) at(beta float64) float64 { return t.value - t.slope*(beta-t.beta) }

// mostTangents ends a search that rounding leads in circles.
const mostTangents = 200

// solve sets alpha and returns β > 0 and b₀, from the tangent at 0, which falls. Multipliers of
// two tangents in proportion are those of all between them, where their Σαsx is β. A tangent is
// known to the last digits of its value: the one above is to be near.
func (l *line) solve(alpha []float64, low tangent) (beta, b0 float64) {
	high := l.touch(min(low.slope, math.Sqrt(2*low.value))) // ½β² is no more than the objective at 0
	for range mostTangents {
		var share float64 // of low
		beta, share = lowest(low, high)
		mid, near := l.touch(beta), high.beta <= 4*beta
		floor := max(low.at(beta), high.at(beta))
		switch {
		case near && mid.value-floor <= even*(beta*beta/2+floor), beta <= low.beta, beta >= high.beta:
			return l.between(alpha, low, high, mid, share)
		case mid.slope <= beta:
			high = mid
		default:
			low = mid
		}
		if near {
			continue
		}
		if above := l.touch(2 * beta); above.slope <= above.beta {
			high = above
		} else {
			low = above
		}
	}
	return math.NaN(), math.NaN()
}

// between sets alpha to a share of the multipliers of low and the rest of high, and returns β and
// b₀ of the tangent at, in more digits where rows of both signs have other multipliers in one than in the other: these
// are on their margins.
func (l *line) between(alpha []float64, low, high, at tangent, share float64) (beta, b0 float64) {
	if share < 1 {
		l.spread(alpha, high)
	}
	other := make([]float64, len(alpha))
	l.spread(other, low)
	var on [2]*point
	for k, side := range [][]point{l.plus, l.minus} {
		for i, p := range side {
			if alpha[p.row] != other[p.row] {
				on[k] = &side[i]
			}
		}
	}
	mix(alpha, other, share)
	if share == 0 || share == 1 || on[0] == nil || on[1] == nil {
		return at.beta, at.level
	}
	beta = 2 / (on[0].x - on[1].x)
	return beta, 1 - beta*on[0].x
}

// mix moves multipliers by a share of the way to others: none leaves its bounds by rounding, and one
// that is at its price in both stays there.
func mix(alpha, other []float64, share float64) {
	for i, b := range other {
		a := alpha[i]
		alpha[i] = min(a+share*(b-a), max(a, b))
	}
}

// lowest returns the least point of ½β² above both tangents, between them, and the share of low
// in the multipliers there.
func lowest(low, high tangent) (beta, share float64) {
	fall := low.slope - high.slope
	cross := low.beta + (low.value-high.value-high.slope*(high.beta-low.beta))/fall
	switch {
	case !(low.slope > cross):
		return low.slope, 1
	case high.slope >= cross:
		return high.slope, 0
	}
	return cross, (cross - high.slope) / fall
}
