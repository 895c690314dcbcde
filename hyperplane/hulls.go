package hyperplane

import (
	"fmt"
	"slices"

	"halfspace/linalg"
	"halfspace/qp"
)

// InfeasibleError says that no plane separates two classes, and shows why: a convex
// combination of rows of one class that coincides with one of the other. Two
// sets of points are separable or have such a pair, never both.
//
// For planes through 0 (ThroughZero) it is the weights of both classes together
// that sum to 1, and the combinations coincide as multiples of convex ones: there is such a
// plane or such a pair. One class may have no rows in it; then 0 is in the hull of
// the other.
type InfeasibleError struct {
	Machine                          Machine // the labels on either side
	Positive, Negative               []int   // rows
	PositiveWeights, NegativeWeights []float64
	Distance                         float64 // between the combinations, relative to the largest row met
	ThroughZero                      bool    // the plane was to pass through 0
}

func (e *InfeasibleError) Error() string {
	other := fmt.Sprint(e.Machine.Negative)
	if e.Machine.Rest {
		other = "the rest"
	}
	plane, sort := "plane", "convex"
	if e.ThroughZero {
		plane, sort = "plane through 0", "positive"
	}
	return fmt.Sprintf("no %s separates class %d from %s: %s combinations of %d and %d rows coincide to %.1e",
		plane, e.Machine.Positive, other, sort, len(e.Positive), len(e.Negative), e.Distance)
}

// infeasible states the combinations of the task's rows that coincide.
func (t task) infeasible(c Machine, near *qp.Nearest, throughZero bool) *InfeasibleError {
	e := &InfeasibleError{Machine: c, Distance: near.Distance, ThroughZero: throughZero}
	for k, i := range near.Points {
		if t.sign[i] > 0 {
			e.Positive, e.PositiveWeights = append(e.Positive, t.row(i)), append(e.PositiveWeights, near.Weights[k])
		} else {
			e.Negative, e.NegativeWeights = append(e.Negative, t.row(i)), append(e.NegativeWeights, near.Weights[k])
		}
	}
	return e
}

// between returns the plane half-way between the supporting planes of two hulls, or
// the one through the origin, with f = (width/m)·w·(x−c) + const.
func between(near *qp.Nearest, origin []float64, width, m float64, throughOrigin bool) *Plane {
	p := &Plane{beta: slices.Clone(near.Difference), origin: origin}
	linalg.Scale(p.beta, width/m)
	if !throughOrigin {
		middle := near.Separation()/2 - near.Reach[0]
		p.offset = 0 - width*middle/m
	}
	return p
}
