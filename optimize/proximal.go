package optimize

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize/penalty"
)

// ProximalNewton minimises f(x) + P(x) for a smooth convex f: each step minimises
//
//	gᵀ(z − x) + ½(z − x)ᵀH(z − x) + P(z)
//
// over the working set, by [CoordinateDescent], and then x moves towards z, halving the step until the objective
// falls (Lee, Sun & Saunders, SIAM J. Optim. 24, 2014; Friedman, Hastie & Tibshirani 2010, §3). The working set holds
// the coordinates that are not zero and the worst of those that the penalty does not keep at zero; so the Hessian is
// made for those alone, while the certificate looks at all.
//
// The certificate, of kind "kkt", is max |rⱼ|/Scaleⱼ over the shortest subgradient
// r. Defaults: Tol 1e-8, MaxIter 200. An iteration costs one Grad, at times one
// SubHess, and the descent; O(p + s²) memory for a working set of s.
func ProximalNewton(f SubHessian, x0 []float64, pen penalty.ElasticNet, c *Control) ([]float64, Report, error) {
	return new(Proximal).Minimize(f, x0, pen, c)
}

// Proximal is [ProximalNewton] for many related problems, such as those of a path over λ: it keeps a Hessian, which
// grows where coordinates join, scales it, and makes a new one only when steps with the old one, whose gradients are
// exact all the same, gain too little. The zero value is ready. The problems must share f.
// An f with a method ConstantHessian() bool that reports true needs no new one.
//
// Minimize begins with Grad at x0: an f that remembers its last point saves a path that goes on from where it was a
// pass at each λ. A path that screens its coordinates may leave the gradient 0 where x is 0: such
// a coordinate stays, and the certificate does not speak of it.
type Proximal struct {
	// Model, where it is not nil, minimises the model at x over a set of coordinates, from
	// z = x on, in the place of a Hessian of them: to subgradients of c.Tol in the scales of c.
	// It reports whether it came to these; Hasty ends the run where it did not, as another method is at hand,
	// Patient goes on, as there is none. Models that differ from point to point are minimised to a share of the certificate.
	Model          func(z, x []float64, set []int, pen penalty.ElasticNet, c *Control) bool
	Share          float64
	Hasty, Patient bool

	Rank    int // a bound on that of a Hessian, such as the number of rows; 0 is none
	Workers int // goroutines for models; 0 is GOMAXPROCS

	x   []float64 // where h is the Hessian
	set []int     // of these coordinates, in the order in which they came
	at  []int     // for each coordinate its place in set, or −1
	h   *linalg.Dense

	scale   float64       // the Hessian at the last point is taken to be so many times h
	left    float64       // the share of the certificate that the last step left
	part    *linalg.Dense // h for a subset of its coordinates
	partSet []int
	face    NearFace // of h
}

// Minimize is ProximalNewton.
func (k *Proximal) Minimize(f SubHessian, x0 []float64, pen penalty.ElasticNet, c *Control) ([]float64, Report, error) {
	run, err := Begin(f, x0, c, Defaults{Kind: KindKKT, Tol: 1e-8, MaxIter: 200})
	if err != nil {
		return nil, Report{}, err
	}
	p := len(x0)
	if err := pen.Check(p); err != nil {
		return nil, Report{}, fmt.Errorf("optimize: %w", err)
	}
	s := &proximal{
		Progress: run, f: f, pen: pen, kept: k, x: linalg.Clone(x0), next: make([]float64, p),
	}
	if s.lends, _ = f.(lender); s.lends == nil || k.Model == nil {
		s.lends, s.g, s.gNext = nil, make([]float64, p), linalg.Clone(s.next)
	}
	if c, ok := f.(interface{ ConstantHessian() bool }); ok {
		s.constant = c.ConstantHessian()
	}
	s.held = pen.Value(s.x)
	s.value = s.gradient(&s.g, s.x) + s.held
	s.cert = s.certify(s.g, s.x)
	s.least = s.cert
	for !run.Done(s.x, s.value, s.cert, s.length) {
		if !s.step() {
			run.Stuck()
			break
		}
	}
	if s.err != nil {
		return nil, Report{}, fmt.Errorf("optimize: the Hessian of the working set: %w", s.err)
	}
	return run.Result(s.x)
}

// proximal is the state of a run.
type proximal struct {
	*Progress
	f     SubHessian
	lends lender // f with models; nil where it does not lend
	pen   penalty.ElasticNet
	kept  *Proximal

	x, g         []float64
	next, gNext  []float64
	value        float64 // f(x) + P(x)
	held, ahead  float64 // P(x) and P(next)
	cert, length float64
	constant     bool    // the Hessian is the same everywhere
	fresh        bool    // the Hessian kept is the one at x
	worn         bool    // it has been seen to gain too little
	scaled       bool    // it has been scaled
	err          error   // the Hessian of the working set would be too large
	unsolved     int     // models that the descent did not solve; where steps may creep, since least
	least        float64 // the certificate when it was halved last
}

// gradient sets g to that at x and returns the value. Steps by models need none of a point that is left.
func (s *proximal) gradient(g *[]float64, x []float64) float64 {
	if s.lends == nil {
		return s.f.Grad(*g, x)
	}
	s.g, s.gNext = nil, nil
	*g = s.lends.Lend(x)
	return s.f.Value(x)
}

// certify returns the certificate at a point with gradient g.
func (s *proximal) certify(g, x []float64) (worst float64) {
	l1 := s.pen.LeastL1()
	for j, v := range x {
		if v == 0 && math.Abs(g[j]) <= l1*s.pen.Factor(j) {
			continue // as most are
		}
		if r := math.Abs(s.pen.ResidualAt(j, g[j], v)) / s.scale.At(j); r > worst || r != r {
			worst = r
		}
	}
	return worst
}

// step moves to a better point and reports whether there is one. A step with an
// old Hessian is made whole or not at all.
func (s *proximal) step() bool {
	set, k := s.workingSet(), s.kept
	if k.Hasty && s.unsolved > 0 || s.unsolved > mostUnsolved && (!s.creeps() || s.unsolved > mostCreeping) {
		return false
	}
	if k.Model != nil {
		s.fresh = true
		foretold := s.modeled(set)
		return s.full(set, foretold) || s.halve(foretold)
	}
	s.fresh = s.fresh || s.constant
	if s.worn && !s.constant || k.h == nil || len(k.at) != len(s.x) {
		s.renew(set)
	} else if out := k.missing(set); out != nil {
		s.extend(out)
	}
	for s.err == nil {
		foretold, ok := s.direction(set)
		if ok && (s.full(set, foretold) || s.fresh && s.halve(foretold)) {
			return true
		}
		if s.fresh {
			break
		}
		s.renew(set)
	}
	return false
}

// creeps reports whether steps may follow each other that models did not solve: by Hessians that differ from
// point to point, and models of the patient.
func (s *proximal) creeps() bool { return s.kept.Patient || s.kept.Model == nil && !s.constant }

// workingSet returns, ascending, the coordinates that may move: those that are not zero, or have no penalty, and of
// the others whose subgradient is above half the tolerance the worst: as many, and fifty at least.
func (s *proximal) workingSet() []int {
	var set []int
	for j, x := range s.x {
		if x != 0 || s.g[j] != 0 && s.pen.Factor(j) == 0 {
			set = append(set, j)
		}
	}
	most, share := max(50, len(set)), 1.0
	if s.kept.Model != nil {
		most, share = max(1000, most), nearly
	}
	set = append(set, s.smallest(most, share, func(j int) (float64, bool) {
		l1, _ := s.pen.Weights(j)
		if r := math.Abs(s.g[j]) - l1; r > 0 && r > s.tol/2*s.scale.At(j) {
			return -r / s.scale.At(j), true
		}
		return 0, share < 1 && math.Abs(s.g[j]) > share*l1
	})...)
	slices.Sort(set)
	return set
}

// Shares of what the penalty holds back: from nearly on a gradient is next to it, within aboutToJoin
// of it about to pass it.
const nearly, aboutToJoin = 0.95, 0.3

// smallest returns, ascending, the most coordinates of smallest size, of equal ones the first,
// among those with a penalty that are 0, with a gradient above a share of what the penalty holds back, and may be taken.
func (s *proximal) smallest(most int, share float64, rank func(j int) (size float64, may bool)) []int {
	var set []int
	share *= s.pen.LeastL1()
	for j, x := range s.x {
		if factor := s.pen.Factor(j); x != 0 || factor == 0 || math.Abs(s.g[j]) <= share*factor {
			continue // as most are
		}
		if _, may := rank(j); may {
			set = append(set, j)
		}
	}
	if len(set) <= most {
		return set
	}
	linalg.SortFunc(set, func(i, j int) int {
		a, _ := rank(i)
		b, _ := rank(j)
		return cmp.Or(cmp.Compare(a, b), i-j)
	})
	slices.Sort(set[:most])
	return set[:most]
}

// missing returns the coordinates of set that h does not have.
func (k *Proximal) missing(set []int) []int {
	var out []int
	for _, j := range set {
		if k.at[j] < 0 {
			out = append(out, j)
		}
	}
	return out
}

// renew makes the Hessian at x, unless that would be too large.
func (s *proximal) renew(set []int) {
	k := s.kept
	k.x, k.set, k.at = linalg.Clone(s.x), nil, slices.Repeat([]int{-1}, len(s.x))
	k.part, k.face, k.scale = nil, NearFace{dear: k.face.dear}, 1
	s.extend(set)
	s.fresh, s.worn = true, false
}

// extend adds the coordinates out to the Hessian, at the point that it was made
// for, so that it stays positive semidefinite, unless it would be too large.
func (s *proximal) extend(out []int) {
	k := s.kept
	old, cols := len(k.set), []int(nil)
	if s.err = linalg.CheckSquare(old + len(out)); s.err != nil {
		return
	}
	k.set = append(k.set, s.withNear(out)...)
	for i, j := range k.set[old:] {
		k.at[j] = old + i
	}
	k.widen(old, len(k.set))
	if old > 0 {
		cols = k.set
	}
	s.f.SubHess(k.h.RowRange(old, k.h.Rows), k.x, k.set[old:], cols)
	for i := old; i < k.h.Rows; i++ {
		for j, v := range k.h.Row(i)[:i] {
			k.h.Set(j, i, v)
		}
	}
}

// widen makes h n×n and keeps its first rows and columns. It has room for more, as coordinates join
// by and by.
func (k *Proximal) widen(old, n int) {
	h := k.h
	if h == nil || n > h.Stride {
		room := min(n+n/4, len(k.at))
		if linalg.CheckSquare(room) != nil {
			room = n
		}
		h = linalg.Zeros(room, room)
		for i := range old {
			copy(h.Row(i), k.h.Row(i))
		}
	}
	k.h = &linalg.Dense{Rows: n, Cols: n, Stride: h.Stride, Data: h.Data}
}

// withNear returns set, and those coordinates about to join it that the Hessian does not
// have, the nearest of them if there are many.
func (s *proximal) withNear(set []int) []int {
	return slices.Concat(set, s.smallest(max(10, len(set)/4), 1-aboutToJoin, func(j int) (float64, bool) {
		l1, _ := s.pen.Weights(j)
		held := l1 - math.Abs(s.g[j])
		return held, held >= 0 && held < aboutToJoin*l1 && s.kept.at[j] < 0
	}))
}

// over returns the coordinates of a model for those of set, and the Hessian kept for them: all that
// it has, unless they are many more. What is not of set stays 0 but where the model knows better.
func (k *Proximal) over(set []int) ([]int, *linalg.Dense) {
	if len(k.set) <= 2*len(set) {
		return k.set, k.h
	}
	return set, k.sub(set)
}

// sub returns the Hessian kept for a subset of its coordinates.
func (k *Proximal) sub(set []int) *linalg.Dense {
	if k.part != nil && slices.Equal(k.partSet, set) {
		return k.part
	}
	h := linalg.Zeros(len(set), len(set))
	k.part, k.partSet = h, slices.Clone(set)
	at := make([]int, len(set))
	for a, i := range set {
		at[a] = k.at[i]
	}
	for a, i := range at {
		row, from := h.Row(a), k.h.Row(i)
		for b, j := range at {
			row[b] = from[j]
		}
	}
	return h
}

// modelSweeps bounds the descent on a model: one that takes more is better made anew.
const modelSweeps = 250

// nearEnough is the share of the certificate to which models are minimised as a rule.
const nearEnough = 1e-2

// mostUnsolved is how many descents on an exact Hessian may use their sweeps up before rounding
// counts as all that is left: of fewer rows than columns and next to no penalty, say.
const mostUnsolved = 3

// mostCreeping is mostUnsolved for steps that may creep, as long as the certificate is not
// halved: of 28 rows, 35 features and next to no penalty, a hundred such steps lowered the objective by 4 %.
const mostCreeping = 10

// direction sets next to the point that minimises the model on the working set, and
// returns the decrease gᵀd + P(x + d) − P(x), negative, that the step d there foretells.
func (s *proximal) direction(set []int) (foretold float64, ok bool) {
	set, h := s.kept.over(set)
	n, scale := len(set), s.kept.scale // by which the model is divided
	at, b, over := make([]float64, n), make([]float64, n), s.pen
	over.Lambda, over.Factors = over.Lambda/scale, make([]float64, n)
	c := &Control{Tol: max(s.tol/10, s.modelShare()*s.cert) / scale, MaxIter: modelSweeps, Scale: make(Scale, n), Work: s.work}
	for i, j := range set {
		at[i], b[i] = s.x[j], -s.g[j]/scale
		c.Scale[i], over.Factors[i] = s.scale.At(j), s.pen.Factor(j)
	}
	z, r, err := CoordinateDescent(&Quadratic{A: h, B: b, At: at, Near: &s.kept.face, Names: set, Workers: s.kept.Workers, rank: s.kept.Rank}, at, over, c)
	if err != nil && !errors.Is(err, ErrNotConverged) {
		s.tried = true // the Hessian is not finite
		return 0, false
	}
	if r.status == MaxIterations {
		s.unsolved++
	}
	copy(s.next, s.x)
	for i, j := range set {
		s.next[j] = z[i]
		foretold += s.g[j] * (z[i] - at[i])
	}
	s.ahead = s.pen.Value(s.next)
	return foretold + s.ahead - s.held, true
}

// modelShare returns the share of the certificate to which a model is minimised. Where descents are dear that is what
// the last step has left, for a model that is no truer is not worth more: at most [loosest], as for steps of [NewtonCG]. Where classes are
// separated, and next to nothing is penalised, each step leaves half.
func (s *proximal) modelShare() float64 {
	if !s.kept.face.dear || s.constant {
		return nearEnough
	}
	return min(max(nearEnough, s.kept.left), loosest)
}

// modeled sets next to the point that Model finds, and returns the decrease that it foretells.
func (s *proximal) modeled(set []int) (foretold float64) {
	copy(s.next, s.x)
	if !s.kept.Model(s.next, s.x, set, s.pen, &Control{Tol: s.modelTol(), Scale: s.scale}) {
		s.unsolved++
	}
	s.ahead = s.pen.Value(s.next)
	foretold = s.ahead - s.held
	for j, x := range s.x { // also of coordinates that the model moved and are not in the set
		foretold += s.g[j] * (s.next[j] - x)
	}
	return foretold
}

// modelTol is the tolerance of the next model by Model: a part of the certificate. An exact model
// is minimised to the end as soon as the working set has the coordinates that the first one calls for.
func (s *proximal) modelTol() float64 {
	switch {
	case !s.constant:
		return max(s.tol/4, s.kept.Share*s.cert)
	case s.length == 0:
		return max(exactShare*s.tol, firstShare*s.cert)
	}
	return exactShare * s.tol
}

// The shares of the first exact model, of the certificate, and of others, of the tolerance: the rest is left to rounding.
const firstShare, exactShare = 0.005, 0.8

// full tries the whole step.
func (s *proximal) full(set []int, foretold float64) bool {
	v := s.gradient(&s.gNext, s.next)
	if !s.Finite(s.next, v, s.gNext) {
		return false
	}
	v += s.ahead
	noise, cert := rounding(s.value), s.certify(s.gNext, s.next)
	falls := foretold < -noise && v <= s.value+armijo*foretold
	if !falls && !((cert < s.cert || s.kept.Model != nil) && v <= s.value+noise) { // a screen finds coordinates at the end
		return false
	}
	s.worn = cert > s.patience(len(set))*s.cert
	s.rescale(set)
	s.accept(v, cert, 1)
	return true
}

// rescale scales the Hessian kept by what the first step of a run has met, for curvatures fall
// along a path, most of them alike: the gradient has changed by y along the step d, and c·h
// foretells its dᵀy if c = dᵀy/dᵀhd. Later steps correct what no scale does.
func (s *proximal) rescale(set []int) {
	if s.scaled || s.constant || s.kept.Model != nil {
		return
	}
	s.scaled = true
	set, h := s.kept.over(set)
	d, hd, met := make([]float64, len(set)), make([]float64, len(set)), 0.0
	for i, j := range set {
		d[i] = s.next[j] - s.x[j]
		met += d[i] * (s.gNext[j] - s.g[j])
	}
	linalg.MulVec(hd, h, d, 1)
	if c := met / linalg.Dot(d, hd); c > 0 && !math.IsInf(c, 1) {
		s.kept.scale = c
	}
}

// patience returns the factor by which a step with an old Hessian has to lower the certificate. A new one costs as
// much as some r more gradients (its products run in blocks, twenty in the time of one that waits for memory) and
// squares the certificate; where r is large, slow steps are cheaper.
func (s *proximal) patience(set int) float64 {
	k := float64(set)
	r := k * k / (40 * (k + float64(len(s.x))))
	return min(math.Pow(0.01, 1/(1+r)), 0.5)
}

const halvings = 50 // a step of 2⁻⁵⁰ no longer changes the point

// halve tries the steps ½, ¼, … by Value, and where curvatures have vanished, as beside offsets that are far on the
// wrong side, so much shorter ones that they do not foretell a fall to less than 0.
func (s *proximal) halve(foretold float64) bool {
	if !(foretold < -rounding(s.value)) {
		return false
	}
	t, shorter := 1.0, 0.5
	if s.value > 0 {
		shorter = min(shorter, s.value/(-armijo*foretold))
	}
	for range halvings {
		t *= shorter
		for j, x := range s.x {
			s.next[j] = x + (s.next[j]-x)*shorter
		}
		shorter = 0.5
		v := s.f.Value(s.next)
		if s.ahead = s.pen.Value(s.next); !s.Finite(s.next, v, nil) || v+s.ahead > s.value+armijo*t*foretold {
			continue
		}
		if v = s.gradient(&s.gNext, s.next); s.Finite(s.next, v, s.gNext) {
			s.worn = true
			s.accept(v+s.ahead, s.certify(s.gNext, s.next), t)
			return true
		}
	}
	return false
}

func (s *proximal) accept(value, cert, length float64) {
	s.kept.left = cert / s.cert
	s.x, s.next = s.next, s.x
	s.g, s.gNext = s.gNext, s.g
	s.held, s.ahead = s.ahead, s.held
	s.value, s.cert, s.length, s.fresh = value, cert, length, false
	if cert < s.least/2 && s.creeps() {
		s.least, s.unsolved = cert, 0
	}
}
