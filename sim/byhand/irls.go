package byhand

import (
	"fmt"
	"math"
	"strings"

	"halfspace/linalg"
)

// IRLSStep is one step of reweighted least squares: from β the probabilities p, the weights
// W = p(1−p) and the working responses z = Xβ + W⁻¹(y − p), of which the weighted
// regression is the next β (ESL 4.26, 4.27).
type IRLSStep struct {
	Beta, P, W, Z []float64
	Deviance      float64
}

// IRLSSteps are the steps; the last one has the published β.
type IRLSSteps []IRLSStep

// IRLS makes so many steps from β = 0, without a safeguard; y is 1 for the larger of two labels.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError]; one that
// wraps *[linalg.PivotError] where XᵀWX has no factor, beside the steps so far.
func IRLS(x linalg.Rows, y []int, steps int) (IRLSSteps, error) {
	if _, err := fractions(x, len(y)); err != nil {
		return nil, fmt.Errorf("byhand: %w", err)
	}
	sign, err := signs(y)
	if err != nil {
		return nil, fmt.Errorf("byhand: %w", err)
	}
	d, err := linalg.ToDense(x)
	if err != nil {
		return nil, fmt.Errorf("byhand: %w", err)
	}
	beta := make([]float64, d.Cols+1)
	var list IRLSSteps
	for k := 0; ; k++ {
		s := IRLSStep{Beta: append([]float64{}, beta...)}
		h, g := linalg.Zeros(len(beta), len(beta)), make([]float64, len(beta))
		for i := range d.Rows {
			row := append([]float64{1}, d.Row(i)...)
			label := float64(max(sign[i].Sign(), 0))
			f := linalg.Dot(beta, row)
			p := linalg.Sigmoid(f)
			w := p * (1 - p)
			z := f + (label-p)/w
			s.P, s.W, s.Z = append(s.P, p), append(s.W, w), append(s.Z, z)
			s.Deviance += 2 * (linalg.Log1pExp(f) - label*f)
			linalg.Axpy(g, w*z, row)
			for j, v := range row {
				linalg.Axpy(h.Row(j), w*v, row)
			}
		}
		list = append(list, s)
		if k >= steps {
			return list, nil
		}
		c, err := linalg.NewCholesky(h)
		if err == nil {
			err = linalg.CheckFinite("XᵀWz", g)
		}
		if err != nil {
			return list, fmt.Errorf("byhand: step %d: %w", k+1, err)
		}
		c.Solve(g)
		beta = g
	}
}

// String returns a list of the steps.
func (l IRLSSteps) String() string {
	var b strings.Builder
	for k, s := range l {
		fmt.Fprintf(&b, "step %d: β = %s, deviance %.6f\n  p = %s\n  W = %s\n  z = %s\n", k, vector(s.Beta), s.Deviance, vector(s.P), vector(s.W), vector(s.Z))
	}
	return b.String()
}

// vector writes numbers to four digits.
func vector(v []float64) string {
	parts := make([]string, len(v))
	for i, x := range v {
		if math.Abs(x) < 5e-13 {
			x = 0
		}
		parts[i] = fmt.Sprintf("%.4g", x)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
