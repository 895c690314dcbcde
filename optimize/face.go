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
	a   *linalg.Dense
	pen penalty.ElasticNet
	*nearFace
	names []int // of the coordinates, ascending, by which the base knows them; nil is their numbers
}

// nearFace holds the face that was factored last. Quadratics of which one matrix has the
// elements may share it.
type nearFace struct {
	base *base
	tau  float64 // the share of the diagonal that the face before needed
}

// base is a face that has been factored.
type base struct {
	at     []int     // the place of a coordinate by its name, −1 outside the face
	l2     []float64 // the weights of the ridge
	factor *linalg.Cholesky
}

func (b *base) place(name int) int {
	if name < len(b.at) {
		return b.at[name]
	}
	return -1
}

// baseShare is the share of its coordinates by which another face may differ to be solved
// through the factor of a base, at n² multiplications for each.
const baseShare = 1. / 16

// singular is the share of the diagonal that a face may need and still tell its minimum: a
// lasso of an even number of classes has minima on faces where adding a constant to the
// coefficients of a feature changes nothing. The minimum is then found to such a share.
const singular = 1e-10

func (s *faces) name(j int) int {
	if s.names == nil {
		return j
	}
	return s.names[j]
}

// solve overwrites right with (A_SS + l2)⁻¹right, through the factor of a face near by where
// there is one, and reports whether it could. Of a singular matrix a share of the diagonal, at
// most the given one, is added.
func (s *faces) solve(set []int, right []float64, most float64) bool {
	if s.base != nil && s.fromBase(set, right) {
		return true
	}
	s.base = nil
	factor, tau := s.factor(set, most)
	if factor == nil {
		return false
	}
	if tau > singular {
		factor.Solve(right)
		return true
	}
	s.tau = tau
	b := &base{slices.Repeat([]int{-1}, s.name(s.a.Rows-1)+1), make([]float64, len(set)), factor}
	for i, j := range set {
		b.at[s.name(j)] = i
		_, b.l2[i] = s.pen.Weights(j)
	}
	s.base = b
	factor.Solve(right)
	return true
}

// fromBase is solve through the factor of the base; where that does not do, right stays.
func (s *faces) fromBase(set []int, right []float64) bool {
	b, n := s.base, len(s.base.l2)
	r, come, more := make([]float64, n), []int(nil), []float64(nil)
	local, stays := s.local(), make([]bool, n)
	for i, j := range set {
		at := b.place(s.name(j))
		if at < 0 {
			come, more = append(come, j), append(more, right[i])
			continue
		}
		if _, l2 := s.pen.Weights(j); l2 != b.l2[at] {
			return false
		}
		r[at], stays[at] = right[i], true
	}
	var gone []int
	for i, in := range stays {
		if !in {
			gone = append(gone, i)
		}
	}
	if float64(len(gone)+len(come)) > baseShare*float64(n) ||
		!b.factor.SolveNear(r, more, gone, s.part(local, come), s.part(come, come)) {
		return false
	}
	for i, j := range set {
		if at := b.place(s.name(j)); at >= 0 {
			right[i] = r[at]
		} else {
			right[i], more = more[0], more[1:]
		}
	}
	return true
}

// local returns the coordinates of the base, −1 for one that this quadratic does not have.
func (s *faces) local() []int {
	local := slices.Repeat([]int{-1}, len(s.base.l2))
	for j := range s.a.Rows {
		if at := s.base.place(s.name(j)); at >= 0 {
			local[at] = j
		}
	}
	return local
}

// part returns rows and columns of A + l2, with 0 in rows of negative numbers: as their
// coordinates are held, these change no solution, only which systems are seen to be positive.
func (s *faces) part(rows, cols []int) *linalg.Dense {
	a := linalg.Zeros(len(rows), len(cols))
	for i, j := range rows {
		if j < 0 {
			continue
		}
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

// factor returns that of A_SS + l2, with the share of the diagonal, at most the given one,
// that is added where it is singular; or nil.
func (s *faces) factor(set []int, most float64) (factor *linalg.Cholesky, tau float64) {
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
	for tau = s.tau; tau <= most; tau = max(100*tau, 1e-12) {
		if tau > 0 {
			for i := range set {
				a.Set(i, i, a.At(i, i)*(1+tau))
			}
		}
		if factor, err := linalg.NewCholesky(a); err == nil {
			return factor, tau
		}
	}
	return nil, tau
}
