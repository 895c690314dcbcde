package columnwise

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/penalty"
)

// Screened is the loss of one score on sparse rows, evaluated over their columns. Its gradient
// looks at the features that the strong rule names for a penalty, and at all where these hold:
// a derivative left out is that of an earlier point, below its weight.
type Screened struct {
	whole    *glm.Objective
	data     data // a field, for what is seen through an interface has the methods of all that it embeds
	at       rowwise
	theta    []float64 // the point of it; none before the first
	g        []float64
	complete bool // g are the derivatives there, of all features

	pen   penalty.ElasticNet // for which near are the features looked at
	tol   float64
	scale optimize.Scale
	near  []int
	all   []int
	err   error
}

// End is a point with all that a duality gap there asks for. The solver writes over it.
type End struct {
	Value     float64   // of the loss
	Gradient  []float64 // of the loss, by parameter
	Residuals []float64 // by row
	Curvature float64   // of all rows, Σv
	Additions int       // by which a row comes into a derivative by a feature, at most
}

// Aim chooses the features that fits from x on look at: which would exceed their weight, if
// derivatives changed by no more than the weight does. All, if these store half of the values:
// features that come late cost one more model. Derivatives hold that are at most tol in scale.
func (s *Screened) Aim(x []float64, pen penalty.ElasticNet, tol float64, scale optimize.Scale) {
	var last penalty.ElasticNet
	if s.complete {
		last = s.pen
	}
	s.pen, s.tol, s.scale, s.near = pen, tol, scale, nil
	for j := range s.data.rows.P {
		at := j + s.data.rows.Intercept
		l1, _ := pen.Weights(at)
		before, _ := last.Weights(at)
		if x[at] != 0 || math.Abs(s.g[at]) >= 2*l1-before {
			s.near = append(s.near, j)
		}
	}
	if !(last.Lambda > 0) || last.L1Ratio != pen.L1Ratio || 2*s.data.stored(s.near) > s.data.columns.Stored() {
		s.near = s.all
	}
}

// Follow makes the next fit look at features by the derivatives at another's last point.
func (s *Screened) Follow(o *Screened) {
	s.theta, s.complete, s.pen = s.theta[:0], o.complete, o.pen
	copy(s.g, o.g)
}

// Value returns the loss.
func (s *Screened) Value(theta []float64) float64 {
	if s.err == nil && !slices.Equal(s.theta, theta) {
		if s.err = s.data.along(s.at.f, theta); s.err == nil {
			s.data.look(&s.at)
			s.theta, s.complete = append(s.theta[:0], theta...), false
		}
	}
	if s.err != nil {
		return math.NaN()
	}
	return s.at.value
}

// SubHess sets h to elements of the Hessian, by passes over the rows.
func (s *Screened) SubHess(h *linalg.Dense, theta []float64, rows, cols []int) {
	s.whole.SubHess(h, theta, rows, cols)
}

// ConstantHessian reports whether the curvatures are the same everywhere.
func (s *Screened) ConstantHessian() bool { return s.whole.ConstantHessian() }

// Err returns the error of the pass that failed.
func (s *Screened) Err() error { return s.err }

// RowsAt returns the derivatives of the loss by the scores and the curvatures of the rows.
func (s *Screened) RowsAt(theta []float64) (r, v []float64) {
	s.Value(theta)
	return s.at.r, s.at.v
}

// Grad sets g to the gradient and returns the loss.
func (s *Screened) Grad(g, theta []float64) float64 {
	copy(g, s.Lend(theta))
	return s.Value(theta)
}

// Lend returns the gradient until the loss is evaluated at another point.
func (s *Screened) Lend(theta []float64) []float64 {
	if s.Value(theta); s.complete {
		return s.g
	}
	if s.data.rows.Intercept == 1 {
		s.g[0] = linalg.Sum(s.at.r)
	}
	s.data.derivatives(s.g, s.at.r, s.near)
	if s.complete = len(s.near) == s.data.rows.P; !s.complete && s.hold(theta) {
		s.data.derivatives(s.g, s.at.r, s.others())
		near := s.near
		s.complete, s.near = true, s.all
		if s.hold(theta) {
			s.near = near
		}
	}
	return s.g
}

// others returns the features that are not looked at.
func (s *Screened) others() []int {
	near, others := s.near, make([]int, 0, len(s.all)-len(s.near))
	for _, j := range s.all {
		if len(near) > 0 && near[0] == j {
			near = near[1:]
		} else {
			others = append(others, j)
		}
	}
	return others
}

// hold reports whether the subgradients by the intercept and the features near are at most tol.
func (s *Screened) hold(theta []float64) bool {
	small := func(at int) bool {
		return math.Abs(s.pen.ResidualAt(at, s.g[at], theta[at])) <= s.tol*s.scale.At(at)
	}
	for _, j := range s.near {
		if !small(j + s.data.rows.Intercept) {
			return false
		}
	}
	return s.data.rows.Intercept == 0 || small(0)
}

// End returns the point theta, nil where the derivatives by all features are not known there.
func (s *Screened) End(theta []float64) *End {
	if !s.complete || !slices.Equal(s.theta, theta) {
		return nil
	}
	return &End{s.at.value, s.g, s.at.r, linalg.Sum(s.at.v), additions(s.data.longest)}
}
