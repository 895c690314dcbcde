package glm

import (
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

// partSteps are the distances between the rows of parts that foretell the whole, the
// smallest part first: primes, because rows often come in turns.
var partSteps = [...]int{251, 67, 17, 7}

const (
	// A part needs leastPartRows rows for each parameter to say something of the whole,
	// and leastPartValues values to be worth the set-up.
	leastPartRows   = 15
	leastPartValues = 1 << 16
	// partTol is as near as a sample of that size comes to the fit of all rows.
	partTol = 3e-3
)

// approach moves theta to near the minimum by fits to part of the rows, where there are
// so many that a few steps on all of them cost more than the fits, and makes the first
// pass there. It returns the Hessian that the last part foretells, nil if there was none.
//
// It is for one score: parts of the rows are fitted by Newton's method.
func (o *Objective) approach(theta []float64) (*linalg.Dense, error) {
	cold := slices.Clone(theta)
	h, atCold, err := o.fitParts(theta)
	if err != nil || h == nil {
		return nil, err
	}
	o.evaluate(theta)
	if !(o.memo.value <= 2*atCold) && o.failed == nil {
		copy(theta, cold) // part of the rows misled about the whole
		return nil, nil
	}
	return h, o.failed
}

// fitParts moves theta to the fit of one part after the other. atStart is what the first
// says of the objective where theta was.
func (o *Objective) fitParts(theta []float64) (h *linalg.Dense, atStart float64, err error) {
	for k, step := range partSteps {
		rows := o.N / step
		// A seventh of the rows is worth its passes only where no smaller part was large
		// enough.
		if rows < leastPartRows*o.Dim() || rows*o.Dim() < leastPartValues || k == len(partSteps)-1 && h != nil {
			continue
		}
		if o.partTooLarge(step) != nil {
			break // the smaller parts have to do
		}
		part, err := o.Part(step)
		if err != nil {
			return nil, 0, err
		}
		if !part.varies() {
			continue
		}
		hp := linalg.Zeros(len(theta), len(theta))
		at := part.Hess(hp, make([]float64, len(theta)), theta)
		scale, err := part.Scale()
		if err != nil {
			break
		}
		if h == nil {
			atStart = at * (o.Total / part.Total)
		}
		near, report, _ := optimize.Newton(part, theta, &optimize.Control{Tol: partTol, MaxIter: 10, Scale: scale})
		if !(report.Certificate().Value < 1e-2) {
			break
		}
		// A part can miss a rare level altogether; its Hessian is then singular, and the
		// next larger part is tried.
		_, hp, _ = part.linearize(near)
		if factor, err := linalg.NewCholesky(hp); err != nil || !Independent(hp, factor) {
			continue
		}
		copy(theta, near)
		h = hp
		linalg.Scale(h.Data, float64(step))
	}
	return h, atStart, nil
}

// varies reports whether rows of positive weight have different responses.
func (o *Objective) varies() bool {
	first := -1
	for i, y := range o.Y {
		switch {
		case !(o.Weight(i) > 0):
		case first < 0:
			first = i
		case y != o.Y[first]:
			return true
		}
	}
	return false
}

// sampledHessian is an objective with a Hessian of part of the rows as the model that
// L-BFGS needs: at first the one that foretold the start, and from the first pass on,
// unless the objective rises there, one of one row in every. It implements
// [optimize.Preconditioned].
type sampledHessian struct {
	Smooth
	o      *Objective
	factor *linalg.Cholesky
	every  int  // rows between those of the better Hessian
	better bool // it is there
	start  float64
}

// newSampledHessian begins at theta, whose gradient the objective knows.
func newSampledHessian(o *Objective, factor *linalg.Cholesky) *sampledHessian {
	return &sampledHessian{Smooth: o, o: o, factor: factor, every: o.sparsity(), start: o.memo.value}
}

// sparsity returns how many rows apart those should be that the Hessian of a ridge
// is made from. With all of them it costs what p/50 gradients do (measured at p =
// 100, where reading the rows is what a gradient costs). With m rows each step of
// L-BFGS shrinks the gradient by about √(m/p) (Marchenko and Pastur's spread of
// the eigenvalues), which makes n/m = p/50 near the best, and m no less than 50p.
func (o *Objective) sparsity() int { return min(o.P, o.N/o.P) / 50 }

// Precondition overwrites d with M⁻¹d.
func (m *sampledHessian) Precondition(d []float64) { m.factor.Solve(d) }

// Grad sets g to the gradient and returns the objective. The first pass that it has to
// make brings the better Hessian along.
func (m *sampledHessian) Grad(g, theta []float64) float64 {
	if m.better || slices.Equal(m.o.memo.theta, theta) {
		return m.o.Grad(g, theta)
	}
	h := linalg.Zeros(len(g), len(g))
	v := m.o.GradSampled(h, g, theta, m.every)
	if v <= m.start {
		if f, err := linalg.NewCholesky(h); err == nil {
			m.factor, m.better = f, true
		}
	}
	return v
}
