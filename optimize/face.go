package optimize

import (
	"slices"
	"sync"

	"halfspace/linalg"
	"halfspace/optimize/penalty"
)

// faces solves the linear systems of the faces of a penalised quadratic, on which some
// coordinates are free.
type faces struct {
	a    *linalg.Dense
	pen  penalty.ElasticNet
	base *base // the last that was factored for solve
}

// base is a face that has been factored.
type base struct {
	set    []int
	at     []int // the place of a coordinate in set, −1 outside it
	factor *linalg.Cholesky
}

// baseShare is the share of its coordinates by which another face may differ to be solved
// through the factor of a base, at n² multiplications for each.
const baseShare = 1. / 16

// solve overwrites right with (A_SS + l2)⁻¹right, through the factor of a face near by where
// there is one, and reports whether it could.
func (s *faces) solve(set []int, right []float64) bool {
	if s.base != nil && s.fromBase(set, right) {
		return true
	}
	s.base = &base{slices.Clone(set), make([]int, s.a.Rows), s.factor(set, 0)}
	for j := range s.base.at {
		s.base.at[j] = -1
	}
	for i, j := range set {
		s.base.at[j] = i
	}
	if s.base.factor == nil {
		s.base = nil
		return false
	}
	s.base.factor.Solve(right)
	return true
}

// fromBase is solve through the factor of the base; where that does not do, right stays.
func (s *faces) fromBase(set []int, right []float64) bool {
	b := s.base
	r, come, more := make([]float64, len(b.set)), []int(nil), []float64(nil)
	stays := make([]bool, len(b.set))
	for i, j := range set {
		if at := b.at[j]; at >= 0 {
			r[at], stays[at] = right[i], true
		} else {
			come, more = append(come, j), append(more, right[i])
		}
	}
	var gone []int
	for i, in := range stays {
		if !in {
			gone = append(gone, i)
		}
	}
	if float64(len(gone)+len(come)) > baseShare*float64(len(b.set)) ||
		!b.factor.SolveNear(r, more, gone, s.part(b.set, come), s.part(come, come)) {
		return false
	}
	for i, j := range set {
		if at := b.at[j]; at >= 0 {
			right[i] = r[at]
		} else {
			right[i], more = more[0], more[1:]
		}
	}
	return true
}

// part returns rows and columns of A + l2.
func (s *faces) part(rows, cols []int) *linalg.Dense {
	a := linalg.Zeros(len(rows), len(cols))
	for i, j := range rows {
		for m, l := range cols {
			a.Data[i*a.Stride+m] = s.a.At(j, l)
			if _, l2 := s.pen.Weights(j); l == j {
				a.Data[i*a.Stride+m] += l2
			}
		}
	}
	return a
}

// facePool holds memory for the part of A on a face: a path asks for hundreds, and
// fresh memory costs more than what is written to it.
var facePool = sync.Pool{New: func() any { return new([]float64) }}

// factor returns that of A_SS + l2, of which a share of the diagonal below most is added
// where it is singular, or nil.
func (s *faces) factor(set []int, most float64) *linalg.Cholesky {
	n := len(set)
	part := facePool.Get().(*[]float64)
	defer facePool.Put(part)
	*part = slices.Grow((*part)[:0], n*n)
	a := &linalg.Dense{Rows: n, Cols: n, Stride: n, Data: (*part)[:n*n]}
	for i, j := range set {
		row, to := s.a.Row(j), a.Row(i)
		for m, l := range set[:i+1] {
			to[m] = row[l]
		}
		_, l2 := s.pen.Weights(j)
		a.Set(i, i, row[j]+l2)
	}
	for tau := 0.0; tau <= most; tau = max(100*tau, 1e-12) {
		if tau > 0 {
			for i := range set {
				a.Set(i, i, a.At(i, i)*(1+tau))
			}
		}
		if factor, err := linalg.NewCholesky(a); err == nil {
			return factor
		}
	}
	return nil
}
