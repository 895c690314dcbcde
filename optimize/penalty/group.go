package penalty

import (
	"fmt"
	"math"
)

// GroupLasso is λ·Σ_g w_g‖β_g‖₂ over disjoint groups of coefficients: a group
// enters or leaves as a whole. Coefficients in no group are not penalised. Nil
// Weights are √|g| (Yuan & Lin 2006; ESL §3.8.4).
type GroupLasso struct {
	Lambda  float64
	Groups  [][]int
	Weights []float64
}

// Check returns an error unless λ is finite and ≥ 0, the groups are not empty,
// within 0 … p−1 and disjoint, and the weights, if any, one a group and ≥ 0.
func (l *GroupLasso) Check(p int) error {
	if !(l.Lambda >= 0) || math.IsInf(l.Lambda, 1) {
		return fmt.Errorf("lambda is %v, want a finite number ≥ 0", l.Lambda)
	}
	seen := make([]bool, p)
	for k, group := range l.Groups {
		if len(group) == 0 {
			return fmt.Errorf("group %d is empty", k)
		}
		for _, j := range group {
			if j < 0 || j >= p {
				return fmt.Errorf("group %d names coefficient %d of %d", k, j, p)
			}
			if seen[j] {
				return fmt.Errorf("group %d names coefficient %d, which is in a group already", k, j)
			}
			seen[j] = true
		}
	}
	return checkFactors(l.Weights, len(l.Groups), "groups", "group weights")
}

// Weight returns w_g of group k.
func (l *GroupLasso) Weight(k int) float64 {
	if l.Weights == nil {
		return math.Sqrt(float64(len(l.Groups[k])))
	}
	return l.Weights[k]
}

// Norm returns ‖b_g‖₂.
func Norm(b []float64, group []int) float64 {
	s, n := 0.0, 0.0
	for _, j := range group {
		s += b[j] * b[j]
	}
	if s > 0x1p-900 && s < 0x1p900 {
		return math.Sqrt(s)
	}
	for _, j := range group {
		n = math.Hypot(n, b[j])
	}
	return n
}

// Value returns P(b).
func (l *GroupLasso) Value(b []float64) float64 {
	s := 0.0
	for k, group := range l.Groups {
		s += l.Weight(k) * Norm(b, group)
	}
	return l.Lambda * s
}

// Shrink shortens b_g by t, to zero at least.
func Shrink(b []float64, group []int, t float64) {
	n := Norm(b, group)
	s := 0.0
	if n > t {
		s = 1 - t/n
	}
	for _, j := range group {
		b[j] *= s
	}
}

// Residual sets dst_g to g_g + λw_g·b_g/‖b_g‖, and where b_g = 0 to g_g
// shortened by λw_g.
func (l *GroupLasso) Residual(dst, g, b []float64) {
	copy(dst, g)
	for k, group := range l.Groups {
		t, n := l.Lambda*l.Weight(k), Norm(b, group)
		if n == 0 {
			Shrink(dst, group, t)
			continue
		}
		for _, j := range group {
			dst[j] += t * (b[j] / n)
		}
	}
}

// LambdaMax returns max ‖g_g‖/w_g over the penalised groups, rounded up to where
// their residuals are 0.
func (l *GroupLasso) LambdaMax(g []float64) float64 {
	m := 0.0
	for k, group := range l.Groups {
		if w := l.Weight(k); w > 0 {
			n := Norm(g, group)
			m = roundUp(max(m, n/w), func(lambda float64) bool { return lambda*w < n })
		}
	}
	return m
}

var (
	_ Penalty = ElasticNet{}
	_ Penalty = (*GroupLasso)(nil)
)
