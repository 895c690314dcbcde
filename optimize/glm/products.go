package glm

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize/loss"
)

// mostProducts is the number of products with the Hessian, each a pass over the rows, after
// which the bound by them is as small as it gets.
const mostProducts = 12

// dualStep is a direction d of a ridge on all features whose dual point, p∘(1−u) of the
// probabilities p with u the scores along d, is near the best: an approximate Newton step
// that leaves no derivative by the intercepts.
type dualStep struct {
	*linalg.Conjugate // of (H + Λ)d = g, with the diagonal as the metric
	o                 *jacobi
	levels            *linalg.Cholesky
	theta             []float64
}

// boundByProducts is the bound for a ridge on all features by a direction that conjugate
// gradients make. O(npK) for each of a few passes.
func (o *Objective) boundByProducts(theta []float64, aim float64) (Bound, error) {
	s := &dualStep{o: &jacobi{Objective: o}, theta: theta}
	s.o.renew(theta)
	if o.failed != nil || !s.factorLevels() {
		return unproven(), o.failed
	}
	s.Conjugate = linalg.NewConjugate(make([]float64, len(theta)), slices.Clone(o.memo.g), s.o.Precondition)
	s.Start()
	for range mostProducts {
		s.advance()
		if !(s.squares() > aim) {
			break
		}
	}
	s.levelOut()
	r, err := o.reaches(theta, s.X, nil, 0)
	if err != nil {
		return Bound{}, err
	}
	return s.bound(r), nil
}

// factorLevels factors the part of the Hessian by the intercepts, Qᵀ(Σ wᵢVᵢ)Q, and reports
// whether there is one to divide by.
func (s *dualStep) factorLevels() bool {
	o := s.o
	if o.Intercept == 0 {
		return true
	}
	h := &linalg.Dense{Rows: 1, Cols: 1, Stride: 1}
	if _, softmax := o.loss.(loss.Softmax); softmax {
		h = o.meanCurvature(o.probabilities(s.theta))
	} else {
		h.Data = []float64{linalg.Sum(o.curvatureAt(s.theta))}
	}
	var err error
	s.levels, err = linalg.NewCholesky(h)
	return err == nil
}

// advance is one step of conjugate gradients.
func (s *dualStep) advance() {
	s.o.HessVec(s.Image, s.theta, s.Direction)
	if curvature := s.Curvature(); curvature > 0 {
		s.Step(curvature)
	}
}

// levelOut moves the intercepts so that no derivative by them is left, and takes the
// derivatives that are from a product.
func (s *dualStep) levelOut() {
	levels, _ := s.level()
	for c, v := range levels {
		s.X[c*s.o.Dim()] += v
	}
	s.o.HessVec(s.Image, s.theta, s.X)
	for j, g := range s.o.memo.g {
		s.Left[j] = g - s.Image[j]
	}
}

// level returns the step of the intercepts by the derivatives left, and their product.
func (s *dualStep) level() (step []float64, product float64) {
	if s.levels == nil {
		return nil, 0
	}
	left := make([]float64, s.o.Functions())
	for c := range left {
		left[c] = s.Left[c*s.o.Dim()]
	}
	step = slices.Clone(left)
	s.levels.Solve(step)
	return step, linalg.Dot(step, left)
}

// squares returns dᵀXᵀVXd + Σ vⱼ²/λⱼ for the derivatives v by the features at the dual
// point, with what the intercepts' step to come adds.
func (s *dualStep) squares() float64 {
	_, squares := s.level()
	dim := s.o.Dim()
	for j, d := range s.X {
		if s.o.Intercept == 1 && j%dim == 0 {
			squares += d * (s.o.memo.g[j] - s.Left[j])
			continue
		}
		ridge := s.o.Ridge[j%dim]
		v := s.Left[j] + ridge*d
		squares += d*(s.o.memo.g[j]-s.Left[j]-ridge*d) + v*v/ridge
	}
	return squares
}

// bound returns the bound by the direction, with the rounding of the sums and of the scores
// that r has the sizes of.
func (s *dualStep) bound(r *reach) Bound {
	o, dim := s.o, s.o.Dim()
	relative, lost, most := 2*o.roundingOfSums(o.k), 0.0, 1.0
	for j, h := range o.diagonal {
		if j%dim < o.Intercept {
			continue
		}
		e := relative*r.size(j) + 4*unit*o.Ridge[j%dim]*math.Abs(s.theta[j])
		lost += e * e / o.Ridge[j%dim]
		most += h / o.Ridge[j%dim]
	}
	if s.levels != nil {
		off := make([]float64, o.Functions())
		for c := range off {
			off[c] = math.Abs(s.Left[c*dim]) + relative*r.size(c*dim)
		}
		solved := s.levels.InverseL(o.Workers)
		shortest := linalg.Dot(solved.Data, solved.Data)
		lost += linalg.Dot(off, off) * shortest * most
	}
	nu := math.Sqrt(max(0, s.squares())) + math.Sqrt(lost) + o.lostInScores(nil, s.theta, r)
	if !(r.widest < 1) {
		return Bound{Gap: math.Inf(1), Decrement: nu, Independent: true}
	}
	return Bound{Gap: kappa(r.widest) * nu * nu, Decrement: nu, Exists: true, Independent: true}
}
