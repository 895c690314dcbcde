package hyperplane

import (
	"math"

	"halfspace/linalg"
)

// UpdateBound returns R²·(‖β‖² + β₀²), with R = max ‖(1, xᵢ)‖ and f scaled so
// that min yᵢ·f(xᵢ) = 1. A perceptron that starts at zero, with whatever rate
// and order of single rows, makes at most that many updates on these rows: each
// brings it closer to the plane p (Novikoff 1962; ESL exercise 4.6). It is +Inf
// if p does not separate the classes, and smallest for the plane that separates
// the rows (1, x) through the origin with the widest margin. O(np).
//
// Errors: those of [Plane.Margins].
func UpdateBound(p *Plane, x *linalg.Dense, y []int) (float64, error) {
	m, err := p.Margins(x, y, nil)
	if err != nil {
		return 0, err
	}
	if m.Misclassified > 0 {
		return math.Inf(1), nil
	}
	least, radius := math.Inf(1), 0.0
	for i, f := range m.Functional {
		least = math.Min(least, f)
		radius = math.Max(radius, math.Hypot(1, linalg.Norm(x.Row(i))))
	}
	b := radius * (math.Hypot(p.Intercept(), p.Norm()) / least)
	return b * b, nil
}
