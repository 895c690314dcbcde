package byhand

import (
	"fmt"
	"math"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// FisherSteps are the steps to Fisher's coordinates (ESL §4.3.3, p. 114).
type FisherSteps struct {
	M      *linalg.Dense // 1. K×p class centroids, the labels ascending
	W      *linalg.Dense //    p×p covariance within the classes, divisor N − K
	Root   *linalg.Dense // 2. W^(−1/2), from W's eigenvectors
	MStar  *linalg.Dense //    M* = M·W^(−1/2)
	BStar  *linalg.Dense // 3. covariance of the rows of M*, weighted by the shares of the classes
	Values []float64     //    its eigenvalues, descending
	VStar  *linalg.Dense //    its eigenvectors, in rows
	V      *linalg.Dense // 4. vₗ = W^(−1/2)v*ₗ, in rows: Zₗ = vₗᵀx
}

// Fisher computes them.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError] for one class
// only; one that says that W is singular.
func Fisher(x linalg.Rows, y []int) (*FisherSteps, error) {
	_, err := fractions(x, len(y))
	var d *linalg.Dense
	if err == nil {
		d, err = linalg.ToDense(x)
	}
	var labels sample.Labels
	if err == nil {
		labels, err = sample.Code(y, nil, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("byhand: %w", err)
	}
	k := labels.K()
	counts := make([]float64, k)
	s := &FisherSteps{M: linalg.Zeros(k, d.Cols)}
	for i, c := range labels.Code {
		counts[c]++
		linalg.Axpy(s.M.Row(c), 1, d.Row(i))
	}
	for c, n := range counts {
		linalg.Scale(s.M.Row(c), 1/n)
	}
	n := float64(len(y))
	deviations := d.Clone()
	ones := make([]float64, len(y))
	for i, c := range labels.Code {
		linalg.Axpy(deviations.Row(i), -1, s.M.Row(c))
		ones[i] = 1 / (n - float64(k))
	}
	s.W = scatter(deviations, ones)
	if s.Root, err = inverseRoot(s.W); err != nil {
		return nil, fmt.Errorf("byhand: %w", err)
	}
	s.MStar = linalg.Zeros(k, d.Cols)
	linalg.MulAdd(s.MStar, 1, s.M, s.Root)
	centered, mean := s.MStar.Clone(), make([]float64, d.Cols)
	for c := range k {
		counts[c] /= n
		linalg.Axpy(mean, counts[c], s.MStar.Row(c))
	}
	for c := range k {
		linalg.Axpy(centered.Row(c), -1, mean)
	}
	s.BStar = scatter(centered, counts)
	e, err := linalg.SymEigen(s.BStar)
	if err != nil {
		return nil, fmt.Errorf("byhand: %w", err)
	}
	rank := min(k-1, d.Cols)
	s.VStar, s.V = linalg.Zeros(rank, d.Cols), linalg.Zeros(rank, d.Cols)
	for l := range rank {
		s.Values = append(s.Values, e.Values[d.Cols-1-l])
		copy(s.VStar.Row(l), e.Vectors.Row(d.Cols-1-l))
	}
	linalg.MulAdd(s.V, 1, s.VStar, s.Root)
	return s, nil
}

// scatter returns Σ wᵢaᵢaᵢᵀ over the rows of a.
func scatter(a *linalg.Dense, w []float64) *linalg.Dense {
	s := linalg.Zeros(a.Cols, a.Cols)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			linalg.Axpy(s.Row(j), w[i]*v, a.Row(i))
		}
	}
	return s
}

// inverseRoot returns Σ vₖvₖᵀ/√dₖ for the eigenvectors of w.
func inverseRoot(w *linalg.Dense) (*linalg.Dense, error) {
	e, err := linalg.SymEigen(w)
	if err != nil {
		return nil, err
	}
	scale := make([]float64, len(e.Values))
	for k, v := range e.Values {
		if !(v > 1e-13*e.Values[len(e.Values)-1]) {
			return nil, fmt.Errorf("the covariance within the classes is singular: an eigenvalue of %g beside %g", v, e.Values[len(e.Values)-1])
		}
		scale[k] = 1 / math.Sqrt(v)
	}
	return scatter(e.Vectors, scale), nil
}

// String lists the matrices.
func (s *FisherSteps) String() string {
	var b strings.Builder
	for _, m := range []struct {
		name string
		m    *linalg.Dense
	}{{"M, the centroids", s.M}, {"W, the covariance within the classes", s.W}, {"W^(−1/2)", s.Root}, {"M* = M·W^(−1/2)", s.MStar}, {"B*, the covariance of M*", s.BStar}, {"V*, its eigenvectors in rows", s.VStar}, {"V = V*·W^(−1/2), the coordinates' coefficients in rows", s.V}} {
		fmt.Fprintf(&b, "%s:\n", m.name)
		for i := range m.m.Rows {
			fmt.Fprintf(&b, "  %s\n", vector(m.m.Row(i)))
		}
	}
	fmt.Fprintf(&b, "eigenvalues of B*: %s\n", vector(s.Values))
	return b.String()
}
