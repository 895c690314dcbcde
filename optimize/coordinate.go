package optimize

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize/penalty"
)

// Quadratic is ½dᵀAd − bᵀd with d = x − At, for a symmetric positive semidefinite
// p×p A. At nil is 0: the least squares problem with Gram matrix A = XᵀWX and b =
// XᵀWy, less the constant ½yᵀWy. Otherwise it is the model that Newton's method has
// of a smooth function with gradient −b and Hessian A at the point At.
type Quadratic struct {
	A  *linalg.Dense
	B  []float64
	At []float64

	Near  *NearFace // of quadratics whose matrices differ little; nil is none
	Names []int     // of the coordinates among these; nil is their numbers

	Workers int // goroutines for products with A and factors; 0 is GOMAXPROCS
	rank    int // a bound on the rank of A; 0 is none
}

// faces returns the solver of the faces that a penalty has.
func (f *Quadratic) faces(pen penalty.ElasticNet, run *Progress) *faces {
	s := &faces{a: f.A, pen: pen, NearFace: f.Near, names: f.Names, workers: f.Workers, tol: run.tol, scale: run.scale, work: run.work}
	if s.NearFace == nil {
		s.NearFace = new(NearFace)
	}
	return s
}

// CoordinateDescent minimises f(x) + P(x) by cyclic coordinate descent in
// the Gram form: a sweep sets each xⱼ to its minimiser given the others,
//
//	xⱼ ← Soft(Aⱼⱼxⱼ − qⱼ, l1ⱼ) / (Aⱼⱼ + l2ⱼ),   q = A(x − At) − b,
//
// and keeps q up to date, so that a coordinate that stays at zero costs a
// comparison. (Friedman, Hastie & Tibshirani, J. Stat. Software 33, 2010, §2.2.)
//
// As soon as sweeps have cost as much as a Cholesky factor on the support would, the signs
// of x are a guess of the face of the minimum, and the linear systems of a few faces lead
// to it from near, those of the start where sweeps have strayed; else the interior of the penalty leads
// to the face. So an ill-conditioned A costs no thousand sweeps.
//
// An iteration is a sweep. The certificate, of kind "kkt", is max |rⱼ|/Scaleⱼ over
// the shortest subgradient r of the whole objective; it is computed from a fresh
// q before it is believed or reported. Defaults: Tol 1e-8, MaxIter 10,000.
// O(p·changed) a sweep, O(p) memory and the factor. A is not written to.
func CoordinateDescent(f *Quadratic, x0 []float64, pen penalty.ElasticNet, c *Control) ([]float64, Report, error) {
	run, err := Begin(f, x0, c, Defaults{Kind: KindKKT, Tol: 1e-8, MaxIter: 10_000})
	if err != nil {
		return nil, Report{}, err
	}
	if err := f.check(len(x0), pen); err != nil {
		return nil, Report{}, fmt.Errorf("optimize: %w", err)
	}
	s := &coordinates{
		Progress: run, nextTry: firstTry, start: x0, faces: f.faces(pen, run), f: f, pen: pen,
		x: linalg.Clone(x0), last: linalg.Clone(x0), q: make([]float64, len(x0)),
	}
	s.refresh()
	s.spent = faceCost(len(s.support()))
	for near := s.faces.strays; !run.Done(s.last, s.value(), s.certify(), 1); near = false {
		if !near || !s.activeSetFromStart() {
			s.sweep()
			s.byFaces()
		}
		if !run.Finite(s.x, s.value(), s.q) || !s.changed {
			run.Stuck()
			break
		}
		copy(s.last, s.x)
	}
	if run.report.status != Converged {
		s.restate()
	}
	return run.Result(s.last)
}

func (f *Quadratic) check(p int, pen penalty.ElasticNet) error {
	if err := f.A.Check(); err != nil {
		return err
	}
	if f.A.Rows != p || f.A.Cols != p {
		return fmt.Errorf("the matrix A is %d × %d, want %d × %d as the start is long", f.A.Rows, f.A.Cols, p, p)
	}
	if len(f.B) != p {
		return &linalg.ShapeError{Want: p, WantOf: "coordinates", Got: len(f.B), GotOf: "in b"}
	}
	if f.At != nil && len(f.At) != p {
		return &linalg.ShapeError{Want: p, WantOf: "coordinates", Got: len(f.At), GotOf: "in the centre"}
	}
	for j := range p {
		if d := f.A.At(j, j); !(d >= 0) || math.IsInf(d, 1) {
			return fmt.Errorf("entry A[%d][%d] is %v, want a finite number ≥ 0", j, j, d)
		}
	}
	return pen.Check(p)
}

// coordinates is the state of a run in the Gram form.
type coordinates struct {
	*Progress
	f       *Quadratic
	pen     penalty.ElasticNet
	x, last []float64 // last is the point of the last finite sweep
	q       []float64 // A(x − At) − b
	stale   bool      // q was updated since it was computed

	changed bool    // the last sweep moved x
	spent   float64 // multiplications since the last step on a face
	swept   int     // sweeps since the start
	faces   *faces
	nextTry int       // the sweep from which on an active set is searched for again
	entered bool      // the interior has been tried
	settled int       // sweeps since a sign changed that matters
	set     []int     // the last support
	start   []float64 // where x began
}

// refresh computes q from the columns of A where x differs from At.
func (s *coordinates) refresh() {
	step := make([]float64, len(s.x))
	moved := s.step(step)
	s.work.Spend(Alone, moved, len(s.x))
	s.stale = false
	if 2*moved > len(s.x) {
		linalg.MulVec(s.q, s.f.A, step, s.f.Workers)
		linalg.Axpy(s.q, -1, s.f.B)
		return
	}
	for j, b := range s.f.B {
		s.q[j] = -b
	}
	for j, v := range step {
		if v != 0 {
			linalg.Axpy(s.q, v, s.f.A.Row(j))
		}
	}
}

// step sets d to x − At and returns how many coordinates have moved.
func (s *coordinates) step(d []float64) (moved int) {
	for j, v := range s.x {
		if d[j] = v - s.center(j); d[j] != 0 {
			moved++
		}
	}
	return moved
}

func (s *coordinates) center(j int) float64 {
	if s.f.At == nil {
		return 0
	}
	return s.f.At[j]
}

// value returns ½dᵀAd − bᵀd + P(x) = ½dᵀ(q − b) + P(x).
func (s *coordinates) value() float64 {
	v := 0.0
	for j, x := range s.x {
		v += (x - s.center(j)) * (s.q[j] - s.f.B[j])
	}
	return v/2 + s.pen.Value(s.x)
}

// certify returns the certificate at x, of a fresh q if it would end the run.
func (s *coordinates) certify() float64 {
	c := s.residual()
	if c <= s.tol && s.stale {
		s.refresh()
		c = s.residual()
	}
	return c
}

// restate reports on the point returned from a fresh q: that of the last sweep may
// have kept the rounding errors of a start far away, and a certificate
// that holds is one of convergence.
func (s *coordinates) restate() {
	copy(s.x, s.last)
	s.refresh()
	s.report.certificate.Value = s.residual()
	s.report.judge(s.value(), &s.report.certificate)
}

func (s *coordinates) residual() float64 {
	m := 0.0
	for j, q := range s.q {
		r := math.Abs(s.pen.ResidualAt(j, q, s.x[j])) / s.scale.At(j)
		if r > m || r != r {
			m = r
		}
	}
	return m
}

// sweep minimises over one coordinate after the other.
func (s *coordinates) sweep() {
	s.changed = false
	s.settled++
	for j, x := range s.x {
		next := s.minimizer(j)
		if next == x {
			continue
		}
		if l1, _ := s.pen.Weights(j); l1 > 0 && ((x > 0) != (next > 0) || (x < 0) != (next < 0)) {
			s.settled = 0
		}
		s.changed = true
		s.spent += float64(len(s.x))
		s.moveTo(j, next)
	}
}

// moveTo changes one coordinate, and q with it.
func (s *coordinates) moveTo(j int, next float64) {
	s.work.Spend(Alone, 1, len(s.x))
	linalg.Axpy(s.q, next-s.x[j], s.f.A.Row(j))
	s.x[j], s.stale = next, true
}

// minimizer returns the best value for coordinate j.
func (s *coordinates) minimizer(j int) float64 {
	x, q := s.x[j], s.q[j]
	l1, l2 := s.pen.Weights(j)
	if x == 0 && math.Abs(q) <= l1 {
		return 0
	}
	return minimizer(x, q, s.f.A.At(j, j), l1, l2)
}

// minimizer returns the z that minimises q(z − x) + ½d(z − x)² + l1|z| + ½l2·z²: 0
// too where the slope exceeds l1 by rounding alone, as it does at λmax. Without any
// curvature that is 0 where the penalty outweighs the slope; where it does not, no z is
// better than all others, and x is returned.
func minimizer(x, q, d, l1, l2 float64) float64 {
	if d+l2 == 0 {
		if l1 > 0 && math.Abs(q) <= l1 {
			return 0
		}
		return x
	}
	v := float64(d*x) - q
	if l1 > 0 && math.Abs(v) <= l1*(1+0x1p-48) {
		return 0
	}
	return penalty.Soft(v, l1) / (d + l2)
}

// activeSetFromStart is activeSet from the signs of the start, if a face near by has been factored. Where columns are
// almost dependent, sweeps change signs of the start that are right.
func (s *coordinates) activeSetFromStart() bool {
	if s.faces.base == nil {
		return false
	}
	before := s.x
	if s.x = linalg.Clone(s.start); !slices.Equal(s.x, before) {
		s.refresh()
	}
	if len(s.support()) == 0 || !s.activeSet() {
		s.x = before
		s.refresh()
		return false
	}
	return true
}

// byFaces goes to the minimum by way of the faces of the penalty, on which the signs are held,
// once sweeps have cost as much as a step there: from face to face by what each says of
// the signs, and where that does not end, by way of the interior. Where rounding hides even this, and signs have settled,
// it minimises over the coordinates that are not zero. Those that would change
// sign become zero and the rest is solved again: after at most as many rounds as
// there are coordinates x is the minimiser on a face, and a face that was left
// does not come back.
func (s *coordinates) byFaces() {
	s.swept++
	set := s.support()
	if len(set) == 0 || s.spent < faceCost(len(set)) {
		return
	}
	if s.swept >= s.nextTry {
		switch {
		case s.activeSet():
			s.spent = 0
			return
		case s.nextTry == firstTry && !s.faces.strays && s.activeSetFromStart():
			s.faces.strays = true
			return
		case !s.entered && s.spent >= mostFactors*faceCost(len(s.x)):
			if s.entered = true; s.byInterior() {
				s.changed, s.settled = true, 0
			}
		}
		s.nextTry = 2 * s.swept
		set = s.support()
	}
	if !s.entered || s.settled < 2 {
		return
	}
	for crossed := true; crossed && len(set) > 0; set = s.support() {
		s.spent -= faceCost(len(set))
		d := s.faceDirection(set)
		crossed = d != nil && s.along(set, d)
	}
	s.spent = max(s.spent, -faceCost(len(set)))
}

// firstTry is the sweep after which an active set is searched for, and mostSets bounds those of a search.
const firstTry, mostSets = 2, 20

// mostFactors is how many factors of all coordinates sweeps and faces may cost before the interior is tried, which takes some
// fifteen. (Measured, processor seconds of lassos by squared error on 2,000 × 2,000 and on
// 1,000 × 3,000 columns of scales from 10⁻⁴ to 10⁴, where sweeps and faces alone did not converge in 55 or took 10 to 30:
// 2 to 5, and 2 to 9. Entered at the first face that fails, a path of two classes on 300 × 20,000 takes 39 and not .7.)
const mostFactors = 2

// activeSet moves to the minimum by guesses of its face: it solves for the coordinates of one,
// drops those whose sign comes out as another, takes in those that the penalty does not hold at
// zero, and so on until there is none. (The primal-dual active set method, a Newton's method for the
// conditions of the minimum: Hintermüller, Ito & Kunisch, SIAM J. Optim. 13, 2002.) That
// takes few guesses from near the minimum (along the path of a lasso of 2000 × 2000, of which
// each fit changes dozens of signs, 4 to 10), and may take them in circles from afar: where the
// number of wrong signs does not fall, or on a singular face the objective has risen, it reports false, and x stays.
func (s *coordinates) activeSet() bool {
	start, before, least, failures := linalg.Clone(s.x), s.value(), math.MaxInt, 0
	sign := make([]float64, len(s.x))
	for j, x := range start {
		if x != 0 {
			sign[j] = math.Copysign(1, x)
		}
	}
	for range mostSets {
		set := s.held(sign)
		if s.beyondRank(set) || s.work.Done() || !s.solveFace(set, sign) {
			break
		}
		wrong := s.correctSigns(sign)
		if wrong == 0 {
			if !(s.value() <= before+rounding(before)) {
				break
			}
			s.changed = true
			return true
		}
		if wrong < least {
			least, failures = wrong, 0
		} else if failures++; failures > 2 {
			break
		}
	}
	copy(s.x, start)
	s.refresh()
	return false
}

// held returns the coordinates that a face with the given signs lets move.
func (s *coordinates) held(sign []float64) []int {
	s.set = s.set[:0]
	for j, v := range sign {
		if l1, l2 := s.pen.Weights(j); v != 0 || l1 == 0 && s.f.A.At(j, j)+l2 > 0 {
			s.set = append(s.set, j)
		}
	}
	return s.set
}

// beyondRank reports whether a lasso has its minimum on a smaller face: on this one A is singular.
func (s *coordinates) beyondRank(set []int) bool {
	return s.f.rank > 0 && len(set) > s.f.rank && s.pen.L1Ratio == 1
}

// solveFace moves x to the minimum over the face of the signs, from the point with those of
// start, and reports whether it could.
func (s *coordinates) solveFace(set []int, sign []float64) bool {
	for j, v := range sign {
		if v == 0 && s.x[j] != 0 {
			if l1, _ := s.pen.Weights(j); l1 > 0 {
				s.moveTo(j, 0)
			}
		}
	}
	right := make([]float64, len(set))
	for i, j := range set {
		l1, l2 := s.pen.Weights(j)
		right[i] = -(s.q[j] + l1*sign[j] + l2*s.x[j])
	}
	s.spent += faceCost(len(set))
	if !s.faces.solve(set, right, singular) {
		return false
	}
	for i, j := range set {
		s.x[j] += right[i]
	}
	s.refresh()
	return true
}

// correctSigns makes the signs what x and its derivatives say, and returns how many were
// wrong.
func (s *coordinates) correctSigns(sign []float64) (wrong int) {
	for j, v := range sign {
		l1, _ := s.pen.Weights(j)
		switch {
		case l1 == 0:
		case v == 0 && math.Abs(s.q[j]) > l1*(1+0x1p-40):
			sign[j] = -math.Copysign(1, s.q[j])
			wrong++
		case v*s.x[j] < 0:
			sign[j] = 0
			wrong++
		}
	}
	return wrong
}

// support returns the coordinates that are not zero, until it is called again.
//
//go:noinline // a program would have several copies
func (s *coordinates) support() []int {
	s.set = s.set[:0]
	for j, x := range s.x {
		if x != 0 {
			s.set = append(s.set, j)
		}
	}
	return s.set
}

// byInterior moves to the minimum by the interior of the penalty, and the face of the signs that come to show there. It
// reports whether x has moved.
func (s *coordinates) byInterior() bool {
	start, before := linalg.Clone(s.x), s.value()
	p := s.faces.enter(s.x, s.f.At, s.f.B)
	for p.advance() {
		if !p.settled() {
			continue
		}
		p.leave(s.x)
		if s.refresh(); s.activeSet() {
			return true
		}
	}
	p.leave(s.x)
	if s.refresh(); s.value() < before {
		return true
	}
	copy(s.x, start)
	s.refresh()
	return false
}
