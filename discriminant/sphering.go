package discriminant

import "halfspace/linalg"

// Sphering is the map x* = D^−½Uᵀ(x−c) with Σ = UDUᵀ: in the new coordinates the
// common covariance is the identity, and LDA is the nearest centroid, but for the
// priors. (Section 4.3.2.) It is immutable.
type Sphering struct {
	origin []float64
	m      *linalg.Dense // D^−½Uᵀ, p×p
}

// Sphering returns the map that spheres the model's covariance, about the mean of
// the training rows. Coordinates are ordered by falling variance of x along them.
// O(p³).
func (l *LDA) Sphering() (*Sphering, error) {
	// With Σ = LLᵀ and L = UD^½Vᵀ the map is VᵀL⁻¹. That spheres whatever the scales
	// of the columns are, where eigenvectors of Σ would be right to 2⁻⁵² of their
	// largest entry only.
	svd, err := linalg.NewSVD(l.chol.L())
	if err != nil {
		return nil, wrap(err)
	}
	m := linalg.Zeros(len(l.origin), len(l.origin))
	linalg.MulAdd(m, 1, svd.V, l.chol.InverseL())
	return &Sphering{l.origin, m}, nil
}

// Matrix returns D^−½Uᵀ.
func (s *Sphering) Matrix() *linalg.Dense { return s.m.Clone() }

// Transform appends the sphered row to dst. O(p²). It panics if row does not have
// p values.
func (s *Sphering) Transform(dst, row []float64) []float64 {
	mustRow(row, len(s.origin))
	dst, out := extend(dst, len(row))
	w := scratchPool.Get().(*scratch)
	d := w.take(len(row))
	copy(d, row)
	linalg.Axpy(d, -1, s.origin)
	linalg.MulVec(out, s.m, d, 1)
	scratchPool.Put(w)
	return dst
}
