package separation

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/qp"
)

// hull is the columns (z/‖z‖, 1) of the sampled inequalities in the coordinates of a frame,
// less their parts along the inequalities that are known to be equations. Where a
// combination a ≥ 0 of them reaches (0, 1), 0 is in the convex hull of the z and no
// direction has z·v > 0 for all; else the residual of non-negative least squares is −v and
// the widest margin (Lawson & Hanson, Solving Least Squares Problems, 1974, ch. 23, least
// distance programming). It is an approximation: exact arithmetic has the last word.
type hull struct {
	*frame
	s       *sampled
	width   int         // coordinates of a function
	tied    [][]float64 // orthonormal: the directions of the equations
	length  []float64   // by row and class, of what is left of z; 0 leaves the pair out
	classes int
	work    *float64 // left
}

// pace is how many products of float64 numbers are a unit of work.
const pace = 10

const (
	// along is the share of a z below which what is left of it beside the equations may be
	// rounding error.
	along = 1e-8
	// plainly is the share of its square above which the difference of squares will do.
	plainly = 1e-4
)

// newHull returns the hull of the inequalities of the sample in a frame, beside equations.
func newHull(s *sampled, f *frame, ties []pair, work *float64) *hull {
	h := &hull{frame: f, s: s, classes: s.d.k, work: work}
	if len(h.z) > 0 {
		h.width = len(h.z[0])
	}
	z := make([]float64, (s.d.k-1)*h.width)
	for _, q := range ties {
		h.difference(z, s.at[q.row], q)
		h.tie(z)
	}
	h.length = make([]float64, len(s.rows)*h.classes)
	for k := range s.rows {
		h.measure(k, z)
	}
	return h
}

// measure sets the lengths of the differences at sampled row k. Products with the equations
// are taken once for each function.
func (h *hull) measure(k int, z []float64) {
	row := h.z[k]
	parts := make([]float64, len(h.tied)*h.classes) // by equation and class
	for e, q := range h.tied {
		h.values(parts[e*h.classes:(e+1)*h.classes], q, row)
	}
	square := linalg.Dot(row, row)
	*h.work -= float64(len(h.tied)*len(z)) / pace
	h.s.d.pairs(h.s.rows[k], func(q pair) {
		whole := square
		if q.own > 0 && q.other > 0 {
			whole *= 2
		}
		left := whole
		for e := q.own; e < len(parts); e += h.classes {
			v := parts[e] - parts[e-q.own+q.other]
			left -= v * v
		}
		length := math.Sqrt(max(0, left))
		if left < plainly*whole {
			h.difference(z, k, q)
			h.project(z)
			length = linalg.Norm(z)
			*h.work -= float64(4*len(h.tied)*len(z)) / pace
		}
		if length > along*math.Sqrt(whole) {
			h.length[k*h.classes+q.other] = length
		}
	})
}

// values sets f to the values of the functions 1 … K−1 of parameters v at a row.
func (h *hull) values(f, v, row []float64) {
	linalg.MulVec(f[1:], &linalg.Dense{Rows: h.classes - 1, Cols: h.width, Stride: h.width, Data: v}, row, 1)
}

// difference sets z to f_own − f_other at sampled row k, by the parameters of the functions.
func (h *hull) difference(z []float64, k int, q pair) {
	clear(z)
	if q.own > 0 {
		copy(z[(q.own-1)*h.width:q.own*h.width], h.z[k])
	}
	if q.other > 0 {
		linalg.Axpy(z[(q.other-1)*h.width:q.other*h.width], -1, h.z[k])
	}
}

// project takes from z its part along the equations.
func (h *hull) project(z []float64) {
	for range 2 {
		for _, q := range h.tied {
			linalg.Axpy(z, -linalg.Dot(q, z), q)
		}
	}
}

// tie makes z one of the equations; it overwrites z.
func (h *hull) tie(z []float64) {
	norm := linalg.Norm(z)
	h.project(z)
	if left := linalg.Norm(z); left > 1e-13*norm {
		q := make([]float64, len(z))
		linalg.Axpy(q, 1/left, z)
		h.tied = append(h.tied, q)
	}
}

// Len is the length of a column.
func (h *hull) Len() int { return (h.classes-1)*h.width + 1 }

// pairOf returns the inequality of column j.
func (h *hull) pairOf(j int) pair {
	q := pair{row: h.s.rows[j/h.classes], own: h.s.d.Code[h.s.rows[j/h.classes]], other: j % h.classes}
	if q.own == Both {
		q.own = 1 - q.other
	}
	return q
}

// Column sets dst to column j.
func (h *hull) Column(dst []float64, j int) {
	z := dst[:len(dst)-1]
	h.difference(z, j/h.classes, h.pairOf(j))
	h.project(z)
	linalg.Scale(z, 1/h.length[j])
	dst[len(z)] = 1
}

// Steepest returns the column of the largest product with r, which is orthogonal to the
// equations.
func (h *hull) Steepest(r []float64) (int, float64) {
	best, most := -1, math.Inf(-1)
	f, last := make([]float64, h.classes), r[len(r)-1]
	for k, z := range h.z {
		h.values(f, r, z)
		h.s.d.pairs(h.s.rows[k], func(q pair) {
			length := h.length[k*h.classes+q.other]
			if length == 0 {
				return
			}
			if v := (f[q.own]-f[q.other])/length + last; v > most {
				best, most = k*h.classes+q.other, v
			}
		})
	}
	return best, most
}

// noMargin is the margin, of columns of length 1, below which a direction is not worth
// trying.
const noMargin = 1e-13

// nearest returns the direction of the widest margin, parameters of the functions 1 … K−1
// in the frame, nil where there is none to speak of or the work is spent, and the
// inequalities in the combination that is nearest to 0 with their factors.
func (h *hull) nearest() (v []float64, active []pair, factors []float64) {
	target := make([]float64, h.Len())
	target[len(target)-1] = 1
	step := float64(len(target)*(len(h.z)+3*len(target))+len(h.z)*h.classes) / pace
	most := int(min(max(0, *h.work/step), float64(20*len(target)+100)))
	if most == 0 {
		return nil, nil, nil
	}
	c, _ := qp.NonNegative(h, target, &qp.NonNegativeOptions{Noise: noMargin, MaxIter: most})
	if c == nil {
		return nil, nil, nil
	}
	*h.work -= step * float64(c.Report.Iterations())
	for _, j := range c.Columns {
		active = append(active, h.pairOf(j))
	}
	if !(linalg.Norm(c.Residual) > noMargin) {
		return nil, active, c.Factors
	}
	v = c.Residual[:len(target)-1]
	linalg.Scale(v, -1/linalg.NormInf(c.Residual))
	return v, active, c.Factors
}

// parameters returns the functions with coordinates v in the frame in terms of
// (1, x − origin) in units, as sums of two float64.
func (h *hull) parameters(v []float64) []exact.Sum {
	dim := h.s.d.dim
	p := make([]exact.Sum, (h.classes-1)*dim)
	for c := range h.classes - 1 {
		for r, u := range v[c*h.width : (c+1)*h.width] {
			if h.t == nil {
				p[c*dim+r] = exact.Sum{Hi: u}
				continue
			}
			for j, t := range h.t[r] {
				product := u * t
				p[c*dim+j].Add(product, math.FMA(u, t, -product))
			}
		}
	}
	return p
}
