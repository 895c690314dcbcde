package optimize

import (
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/optimize/penalty"
)

// GroupNewton minimises f(x) + P(x) for a smooth convex f and a group lasso P: each step minimises
//
//	gᵀ(z − x) + ½(z − x)ᵀH(z − x) + P(z)
//
// over a working set of groups, and then x moves towards z, halving the step until the objective falls
// (cf. [ProximalNewton]). The set holds the groups that are not zero and, of those that the penalty does not keep
// there, the ones with a subgradient of half the largest or more. A coordinate without a penalty is a group of weight
// 0, or in one; those in no group stay, although the certificate looks at all.
//
// The model is minimised by sweeps over the groups, each a proximal step with a bound Lᵢ of its block of H,
//
//	zᵢ ← Prox(zᵢ − qᵢ/Lᵢ, 1/Lᵢ),   q = g + H(z − x),
//
// which find the groups that are zero (Qin, Scheinberg & Goldfarb, Math. Program. Comput. 5, 2013), and by Newton's
// steps over the others, where P has second derivatives λw(I − uuᵀ)/‖zᵢ‖, u = zᵢ/‖zᵢ‖: columns that are almost
// dependent cost no thousand sweeps.
//
// The certificate, of kind "kkt", is max |rⱼ|/Scaleⱼ over the shortest subgradient r. Defaults: Tol 1e-8, MaxIter
// 1,000. An iteration costs a Grad or more, one SubHess, and a few O(s³) for the s coordinates of the set, at most
// some 5,000; O(p + s²) memory.
//
// Errors: those of [penalty.GroupLasso.Check]; one that wraps [ErrNotConverged], beside the last point; that of a function
// that fails.
func GroupNewton(f SubHessian, x0 []float64, pen *penalty.GroupLasso, c *Control) ([]float64, Report, error) {
	run, err := Begin(f, x0, c, Defaults{Kind: KindKKT, Tol: 1e-8, MaxIter: 1000})
	if err != nil {
		return nil, Report{}, err
	}
	if err := pen.Check(len(x0)); err != nil {
		return nil, Report{}, fmt.Errorf("optimize: %w", err)
	}
	s := &grouped{Progress: run, f: f, pen: pen, x: linalg.Clone(x0), g: linalg.Clone(x0), r: linalg.Clone(x0)}
	s.value = f.Grad(s.g, s.x) + pen.Value(s.x)
	s.cert = s.residual(pen, s.g, s.x)
	for !run.Done(s.x, s.value, s.cert, s.length) {
		if !s.step() {
			run.Stuck()
			break
		}
	}
	return run.Result(s.x)
}

// grouped is the state of a run.
type grouped struct {
	*Progress
	f           SubHessian
	pen         *penalty.GroupLasso
	x, g        []float64
	next, gNext []float64 // of a model the point, and its derivatives there by the working set
	r           []float64
	value, cert float64
	length      float64

	first int                 // group to look at for the next working set
	part  *penalty.GroupLasso // the groups of the working set,
	set   []int               // their coordinates,
	h     *linalg.Dense       // the Hessian by these at x,
	d     []float64           // and next − x
}

// residual returns the certificate at a point with gradient g, and sets r.
func (s *grouped) residual(pen *penalty.GroupLasso, g, x []float64) float64 {
	pen.Residual(s.r, g, x)
	return s.largest(s.r)
}

// step moves x and reports whether a step was found.
func (s *grouped) step() bool {
	s.choose()
	foretold := s.model() - s.part.Value(s.x)
	for t := 1.0; t > 0x1p-100 && s.failed() == nil && !s.work.Done(); t /= 2 {
		v := s.f.Grad(s.gNext, s.next)
		if s.Finite(s.next, v, s.gNext) {
			v += s.pen.Value(s.next)
			noise, cert := rounding(s.value), s.residual(s.pen, s.gNext, s.next)
			if foretold < -noise && v <= s.value+armijo*t*foretold || cert < s.cert && v <= s.value+noise {
				copy(s.x, s.next)
				copy(s.g, s.gNext)
				s.value, s.cert, s.length = v, cert, t
				return true
			}
		}
		for j, x := range s.x {
			s.next[j] = x + (s.next[j]-x)/2
		}
	}
	return false
}

// widestModel is about the most coordinates of a working set: where more want to move, others do the next time.
const widestModel = 5000

// nearWorst is the share of the largest subgradient of the groups at zero from which on such a group may move.
const nearWorst = 0.5

// choose makes the working set, and its Hessian at x.
func (s *grouped) choose() {
	s.residual(s.pen, s.g, s.x)
	least := s.tol / 2
	for j, x := range s.x {
		if s.r[j] = math.Abs(s.r[j]) / s.scale.At(j); x == 0 {
			least = max(least, nearWorst*s.r[j])
		}
	}
	s.part, s.set = &penalty.GroupLasso{Lambda: s.pen.Lambda}, nil
	from, n := s.first, len(s.pen.Groups)
	for k := range n {
		at := (from + k) % n
		if len(s.set) >= widestModel {
			s.first = at
			break
		}
		if group := s.pen.Groups[at]; penalty.Norm(s.x, group) > 0 || penalty.Norm(s.r, group) >= least {
			s.part.Groups, s.part.Weights = append(s.part.Groups, group), append(s.part.Weights, s.pen.Weight(at))
			s.set = append(s.set, group...)
		}
	}
	s.h, s.d = linalg.Zeros(len(s.set), len(s.set)), make([]float64, len(s.set))
	s.f.SubHess(s.h, s.x, s.set, nil)
}

// modelRounds bounds the rounds of sweeps and steps on faces for a model.
const modelRounds = 50

// mostSweeps bounds the sweeps before a step: with more than 500 coordinates they read the Hessian from memory. (Measured
// with 4,000, by 5 classes on 1,000 rows of 4,000 features: a fit at 10⁻² of λmax took over 45 s with n/48, 32 with 10.)
const mostSweeps = 10

// model sets next to the minimum of the model, or as far as it gets, and returns the value there.
func (s *grouped) model() (value float64) {
	s.next, s.gNext = linalg.Clone(s.x), make([]float64, len(s.x))
	n := len(s.set)
	for range modelRounds {
		s.work.Spend(n, n, n)               // of products and sweeps that cost what a factor does
		for range min(1+n/48, mostSweeps) { // which cost what a step on a face does, cf. faceCost
			s.sweep()
		}
		value = s.derive()
		if s.residual(s.part, s.gNext, s.next) <= max(s.tol/10, nearEnough*s.cert) || s.work.Done() {
			break
		}
		value = s.face(value)
	}
	return value
}

// derive computes the derivatives of the model at next and returns its value, less that at x without the penalty.
func (s *grouped) derive() (value float64) {
	hd := make([]float64, len(s.d))
	for i, j := range s.set {
		s.d[i] = s.next[j] - s.x[j]
	}
	linalg.MulVec(hd, s.h, s.d, 1)
	for i, j := range s.set {
		s.gNext[j] = s.g[j] + hd[i]
		value += s.d[i] * (s.g[j] + hd[i]/2)
	}
	return value + s.part.Value(s.next)
}

// sweep makes a proximal step for one group after the other.
func (s *grouped) sweep() {
	at := 0
	for k, group := range s.part.Groups {
		bound := 0x1p-500 // of the largest eigenvalue
		for i, j := range group {
			row, sum := s.h.Row(at+i), 0.0
			for _, v := range row[at : at+len(group)] {
				sum += math.Abs(v)
			}
			bound = max(bound, sum)
			s.gNext[j] = s.g[j] + linalg.Dot(row, s.d)
		}
		for _, j := range group {
			s.next[j] -= s.gNext[j] / bound
		}
		penalty.Shrink(s.next, group, s.part.Lambda*s.part.Weights[k]/bound)
		for _, j := range group {
			s.d[at] = s.next[j] - s.x[j]
			at++
		}
	}
}

// mostFaces bounds the steps in a row after which a model may have risen.
const mostFaces = 10

// face makes Newton's steps over the groups that are not zero until the model falls below the value: a group that becomes
// zero costs the others, that depend on it, what the next step corrects. Where they do not lead below, it halves the
// first; where none does, next stays. It returns the value there.
func (s *grouped) face(value float64) float64 {
	start, first := s.next, s.newton()
	most := value + rounding(value)
	for d, i := first, 0; d != nil && i < mostFaces; d, i = s.newton(), i+1 {
		if v := s.place(s.next, d, 1); v <= most {
			return v
		}
		s.residual(s.part, s.gNext, s.next)
	}
	for t := 0.5; first != nil && t > 1e-3; t /= 2 {
		if v := s.place(start, first, t); v <= most {
			return v
		}
	}
	s.next = start
	return s.derive()
}

// place sets next to from + td, but for groups that would come to lie on the other side of zero, which become
// zero, and returns the value of the model.
func (s *grouped) place(from, d []float64, t float64) float64 {
	s.next = linalg.Clone(from)
	i := 0
	for k, group := range s.part.Groups {
		ahead := 0.0
		for _, j := range group {
			s.next[j] += t * d[i]
			ahead += from[j] * s.next[j]
			i++
		}
		if ahead <= 0 && s.part.Weights[k] > 0 {
			penalty.Shrink(s.next, group, math.Inf(1))
		}
	}
	return s.derive()
}

// newton returns the step by the coordinates of the set, next to nothing by those of groups that are zero; nil where
// its equations have no solution.
func (s *grouped) newton() []float64 {
	a, d := s.h.Clone(), make([]float64, len(s.set))
	for i, j := range s.set {
		d[i] = -s.r[j]
	}
	at := 0
	for k, group := range s.part.Groups {
		size := max(penalty.Norm(s.next, group), 0x1p-500)
		bend := s.part.Lambda * s.part.Weights[k] / size
		for i, j := range group {
			row := a.Row(at + i)[at:]
			for l, m := range group {
				row[l] -= bend * (s.next[j] / size) * (s.next[m] / size)
			}
			row[i] += bend
			row[i] *= 1 + singular
		}
		at += len(group)
	}
	factor, err := linalg.NewCholeskyIn(a, 1)
	if err != nil {
		return nil
	}
	factor.Solve(d)
	return d
}
