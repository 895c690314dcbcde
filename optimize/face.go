package optimize

import (
	"math"
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
	*NearFace
	names []int // of the coordinates by which the base knows them; nil is their numbers

	share float64 // of the diagonal that the face before needed, of this run
	tol   float64 // solutions that conjugate gradients find leave at most half of it,
	scale Scale   // in these units
}

// NearFace holds the face that was factored last, for quadratics whose matrices differ little: it
// preconditions the equations of their faces. Copies may be used at the same time, as they share
// what is not written again. The zero value holds none.
type NearFace struct {
	base *base
	tau  float64 // the share of the diagonal that the face before needed
}

// base is a face that has been factored.
type base struct {
	at     []int // the place of a coordinate by its name, −1 outside the face
	factor *linalg.Cholesky
}

func (b *base) place(name int) int {
	if name < len(b.at) {
		return b.at[name]
	}
	return -1
}

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

// solve overwrites right with (A_SS + l2)⁻¹right, to half the tolerance with the help of a face
// near by where there is one, and reports whether it could. Of a singular matrix a share of the
// diagonal, at most the given one, is added.
func (s *faces) solve(set []int, right []float64, most float64) bool {
	if s.base != nil && s.byConjugates(set, right) {
		return true
	}
	s.base = nil
	factor, tau := s.factor(set, most)
	if factor == nil {
		return false
	}
	factor.Solve(right)
	if tau > singular {
		return true
	}
	s.tau = tau
	last := s.a.Rows - 1
	if s.names != nil {
		last = slices.Max(s.names)
	}
	s.base = &base{slices.Repeat([]int{-1}, last+1), factor}
	for i, j := range set {
		s.base.at[s.name(j)] = i
	}
	return true
}

// byConjugates is solve by conjugate gradients, which the factor of the base preconditions. Of faces
// that differ by some signs the product has as many eigenvalues that are not 1, and of a ridge on a
// path all are within some hundredths of it. Where they would cost more than half a factor, whose
// multiplications take as long, right stays.
func (s *faces) byConjugates(set []int, right []float64) bool {
	padded := make([]float64, s.base.factor.L().Rows)
	c := linalg.NewConjugate(make([]float64, len(set)), slices.Clone(right), func(z []float64) { s.precondition(set, z, padded) })
	x, ax := make([]float64, s.a.Rows), make([]float64, s.a.Rows)
	c.Start()
	n, rows, known := float64(len(set)), float64(s.a.Rows), float64(s.base.factor.L().Rows)
	for range int(n * n * n / 12 / (known*known + rows*rows)) {
		clear(x)
		for i, j := range set {
			x[j] = c.Direction[i]
		}
		linalg.MulVec(ax, s.a, x, 1)
		for i, j := range set {
			_, l2 := s.pen.Weights(j)
			c.Image[i] = ax[j] + l2*x[j]
		}
		curvature := c.Curvature()
		if !(curvature > 0) {
			return false
		}
		c.Step(curvature)
		if s.small(set, c.Left) {
			copy(right, c.X)
			return true
		}
	}
	return false
}

// precondition divides z, by the coordinates of set, by those rows and columns of the inverse of the
// base that it has, and by the diagonal elsewhere.
func (s *faces) precondition(set []int, z, padded []float64) {
	b := s.base
	clear(padded)
	for i, j := range set {
		if at := b.place(s.name(j)); at >= 0 {
			padded[at] = z[i]
		}
	}
	b.factor.Solve(padded)
	for i, j := range set {
		_, l2 := s.pen.Weights(j)
		if at := b.place(s.name(j)); at >= 0 {
			z[i] = padded[at]
		} else if d := s.a.At(j, j) + l2; d > 0 {
			z[i] /= d
		}
	}
}

// small reports whether derivatives by the coordinates of set are at most half of the tolerance.
func (s *faces) small(set []int, left []float64) bool {
	for i, j := range set {
		if !(math.Abs(left[i]) <= s.tol/2*s.scale.At(j)) {
			return false
		}
	}
	return true
}

// facePool holds memory for the part of A on a face: a path asks for hundreds, and
// fresh memory costs more than what is written to it.
var facePool = sync.Pool{New: func() any { return new([]float64) }}

// leastShare is the least share of the diagonal that is added, and shareStep by how much it
// rises until it is enough. A face begins a step below the one before: near faces need much the same.
const leastShare, shareStep = 1e-12, 100

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
	for tau = max(s.tau, s.share/shareStep); tau <= most; tau = max(shareStep*tau, leastShare) {
		if tau > 0 {
			for i := range set {
				a.Set(i, i, a.At(i, i)*(1+tau))
			}
		}
		if factor, err := linalg.NewCholesky(a); err == nil {
			s.share = tau
			return factor, tau
		}
	}
	return nil, tau
}
