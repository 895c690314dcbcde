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
// there, the ones with a subgradient of half the largest or more, of many those with the largest. A coordinate without a penalty is a group of weight
// 0, or in one; those in no group stay, although the certificate looks at all.
//
// The model is minimised by sweeps over the groups, each a proximal step with a bound Lᵢ of its block of H,
//
//	zᵢ ← argmin ½‖z − (zᵢ − qᵢ/Lᵢ)‖² + P(z)/Lᵢ,   q = g + H(z − x),
//
// which find the groups that are zero (Qin, Scheinberg & Goldfarb, Math. Program. Comput. 5, 2013), and by Newton's
// steps over the others, where P has second derivatives λw(I − uuᵀ)/‖zᵢ‖, u = zᵢ/‖zᵢ‖: columns that are almost
// dependent cost no thousand sweeps. Of many coordinates, where f has a method
//
//	Products(x []float64, set []int) (times func(dst, d []float64), diagonal []float64, most int)
//
// that returns products with the Hessian at x by a set of coordinates, its diagonal, and how many products cost what the
// Hessian does (nil: it is better made), both are made by products, for all groups at once and by conjugate gradients.
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
	part  *penalty.GroupLasso // the groups of the working set
	set   []int               // their coordinates: all that follows is by these
	d, hd []float64           // next − x, and Hd for the Hessian H at x
	h     *linalg.Dense       // H, unless times is set

	times func(dst, d []float64) // multiplies by H; nil where H is made
	diag  []float64              // with times: the diagonal of H
	over  float64                // with times: the multiple of diag that is taken to bound H
	left  int                    // with times: products that are left before H is made after all
	dear  bool                   // products were used up once in this run: H is made at once from then on

	u, bend []float64 // of the penalty's second derivatives, see turn
}

// multiplier is a function whose Hessian by many coordinates costs more than products with it.
type multiplier interface {
	Products(x []float64, set []int) (times func(dst, d []float64), diagonal []float64, most int)
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

// widestModel is about the most coordinates of a working set with a Hessian: where more want to move, others do the next time.
const widestModel = 5000

// nearWorst is the share of the largest subgradient of the groups at zero from which on such a group may move.
const nearWorst = 0.5

// fewestJoin is how many groups at zero may move at least, else as many as are not, those with the largest subgradients: of columns that
// are alike all have one, and few stay. (Measured, processor seconds of paths of .999 alike columns without it, with 20 and with 50: 200 × 1,000,
// 3 classes, 7.3, .25 and .28; 300 × 300, 5 classes, 4.0, .8 and 1.2; of independent ones the same.)
const fewestJoin = 20

// choose makes the working set, and its Hessian at x or products with that.
func (s *grouped) choose() {
	s.residual(s.pen, s.g, s.x)
	for j := range s.x {
		s.r[j] = math.Abs(s.r[j]) / s.scale.At(j)
	}
	var zero []float64 // subgradients of groups at zero
	for _, group := range s.pen.Groups {
		if penalty.Norm(s.x, group) == 0 {
			zero = append(zero, penalty.Norm(s.r, group))
		}
	}
	linalg.Sort(zero)
	least, joining := s.tol/2, max(fewestJoin, len(s.pen.Groups)-len(zero))
	if n := len(zero); n > 0 {
		least = max(least, nearWorst*zero[n-1], zero[max(0, n-joining)])
	}
	f, multiplies := s.f.(multiplier)
	if s.gather(least, multiplies); multiplies && !(s.dear && len(s.set) <= widestModel) {
		if s.times, s.diag, s.left = f.Products(s.x, s.set); s.times != nil {
			return
		}
		s.gather(least, false)
	}
	s.curve()
}

// gather makes the working set one of the groups with a subgradient from least on, all of them or as many as a model may have.
func (s *grouped) gather(least float64, all bool) {
	s.part, s.set = &penalty.GroupLasso{Lambda: s.pen.Lambda}, nil
	from, n := s.first, len(s.pen.Groups)
	for k := range n {
		at := (from + k) % n
		if len(s.set) >= widestModel && !all {
			s.first = at
			break
		}
		if group := s.pen.Groups[at]; penalty.Norm(s.x, group) > 0 || penalty.Norm(s.r, group) >= least {
			s.part.Groups, s.part.Weights = append(s.part.Groups, group), append(s.part.Weights, s.pen.Weight(at))
			s.set = append(s.set, group...)
		}
	}
	s.d, s.hd = make([]float64, len(s.set)), make([]float64, len(s.set))
}

// curve makes the Hessian.
func (s *grouped) curve() {
	s.h, s.times = linalg.Zeros(len(s.set), len(s.set)), nil
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
	for _, j := range s.set {
		s.gNext[j] = s.g[j]
	}
	value = s.part.Value(s.x)
	for range modelRounds {
		if s.times != nil && s.left <= 0 && n <= widestModel {
			s.dear = true
			s.curve()
		}
		if s.times != nil {
			for range togethers {
				value = s.together(value)
			}
		} else {
			s.work.Spend(n, n, n)               // of products and sweeps that cost what a factor does
			for range min(1+n/48, mostSweeps) { // which cost what a step on a face does, cf. faceCost
				s.sweep()
			}
			value = s.derive()
		}
		if s.residual(s.part, s.gNext, s.next) <= s.aim() || s.work.Done() {
			break
		}
		value = s.face(value)
	}
	return value
}

// groupsEnough is the share of the certificate to which models of groups are minimised. (Measured, processor seconds of paths with
// 0.01 and 0.05: 500 × 2,000, columns by twenties within 0.1, 10 classes 8.4 and 6.5; 1,000 × 4,000, 5 classes 2.3 and 1.7;
// 10,000 × 150, 10 classes 7.4 and 6.1.)
const groupsEnough = 0.05

// aim returns the subgradient to which a model is minimised.
func (s *grouped) aim() float64 { return max(s.tol/10, groupsEnough*s.cert) }

// derive computes the derivatives of the model at next and returns its value, less that at x without the penalty.
func (s *grouped) derive() (value float64) {
	for i, j := range s.set {
		s.d[i] = s.next[j] - s.x[j]
	}
	s.multiply(s.hd, s.d)
	for i, j := range s.set {
		s.gNext[j] = s.g[j] + s.hd[i]
		value += s.d[i] * (s.g[j] + s.hd[i]/2)
	}
	return value + s.part.Value(s.next)
}

// multiply sets dst to the product of the Hessian with d.
func (s *grouped) multiply(dst, d []float64) {
	if s.left--; s.times != nil {
		s.times(dst, d)
		return
	}
	linalg.MulVec(dst, s.h, d, 1)
}

// togethers is how many steps of all groups at once find the groups that are zero, before one on the face of the others. (Measured
// on 500 × 2,000, columns by twenties within 0.1, 10 classes: 9.6 s of a path with three, 12.4 with one.)
const togethers = 3

// mostDoublings bounds those of the multiple of the diagonal that bounds the Hessian, for a step.
const mostDoublings = 12

// together makes a proximal step for all groups at once, from where the model has a value, and returns that at its end.
// Where the model does not fall the diagonal bounds less than it was taken to.
func (s *grouped) together(value float64) float64 {
	from, g := s.next, s.gNext
	s.over = max(s.over, 2) // second derivatives of classes by a feature: their rows sum to 0
	for range mostDoublings {
		s.next, s.gNext = linalg.Clone(from), linalg.Clone(g)
		s.sweep()
		if v := s.derive(); v <= value {
			return v
		}
		s.over *= 2
	}
	s.next = from
	return s.derive()
}

// sweep makes a proximal step for one group after the other, or with products for all of them.
func (s *grouped) sweep() {
	at := 0
	for k, group := range s.part.Groups {
		bound := 0x1p-500 // of the largest eigenvalue
		for i, j := range group {
			if s.times != nil {
				bound = max(bound, s.over*s.diag[at+i])
				continue
			}
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
	d := make([]float64, len(s.set))
	for i, j := range s.set {
		d[i] = -s.r[j]
	}
	if s.turn(); s.times != nil {
		return s.conjugates(d)
	}
	a, at := s.h.Clone(), 0
	for k, group := range s.part.Groups {
		u := s.u[at : at+len(group)]
		for i, ui := range u {
			row := a.Row(at + i)[at:]
			linalg.Axpy(row[:len(u)], -s.bend[k]*ui, u)
			row[i] += s.bend[k]
			row[i] *= 1 + singular
		}
		at += len(u)
	}
	factor, err := linalg.NewCholeskyIn(a, 1)
	if err != nil {
		return nil
	}
	factor.Solve(d)
	return d
}

// turn finds the second derivatives b(I − uuᵀ) of the penalty at next.
func (s *grouped) turn() {
	s.u, s.bend = s.u[:0], s.bend[:0]
	for k, group := range s.part.Groups {
		size := max(penalty.Norm(s.next, group), 0x1p-500)
		for _, j := range group {
			s.u = append(s.u, s.next[j]/size)
		}
		s.bend = append(s.bend, s.part.Lambda*s.part.Weights[k]/size)
	}
}

// mostConjugates bounds those of a step. Where columns are almost dependent longer steps lead beyond groups that become
// zero. (Measured on 2,000 × 300, columns by twenties within 0.03 of each other, 5 classes: 35 s of a path with 60, 81 with 150.)
const mostConjugates = 60

// conjugates solves the equations of a step by conjugate gradients, to a part of what the model is minimised to.
func (s *grouped) conjugates(right []float64) []float64 {
	const part = 0.3
	c := linalg.NewConjugate(make([]float64, len(right)), right, s.precondition)
	c.Start()
	c.Run(mostConjugates, func(to, d []float64) {
		s.multiply(to, d)
		at := 0
		for k, group := range s.part.Groups {
			u, d, b := s.u[at:at+len(group)], d[at:at+len(group)], s.bend[k]
			along := linalg.Dot(u, d)
			for i, v := range d {
				to[at] += b * (v - along*u[i])
				at++
			}
		}
	}, func(steps int) bool {
		for i, j := range s.set {
			s.r[j] = c.Left[i]
		}
		return steps > 0 && s.largest(s.r) <= part*s.aim()
	})
	return c.X
}

// precondition divides by the second derivatives of the penalty and, in the place of the Hessian, the mean of its diagonal for each
// group, which leaves derivatives of classes by a feature summing to 0.
func (s *grouped) precondition(z []float64) {
	at := 0
	for k, group := range s.part.Groups {
		u, z, h := s.u[at:at+len(group)], z[at:at+len(group)], 0x1p-500
		for i := range group {
			h += s.diag[at+i] / float64(len(group))
		}
		along, b := linalg.Dot(u, z), s.bend[k]
		for i, v := range z {
			z[i] = (v + along*u[i]*b/h) / (h + b)
		}
		at += len(u)
	}
}
