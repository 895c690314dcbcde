package qp

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Matrix is a symmetric positive semidefinite Q of order Len, seen by rows.
type Matrix interface {
	Len() int
	// Diag sets dst (length Len) to the diagonal.
	Diag(dst []float64)
	// Row sets dst[k] to Q[i, cols[k]]; with cols nil, to Q[i, k].
	Row(dst []float64, i int, cols []int)
	// MulVec sets dst to Q·a.
	MulVec(dst, a []float64)
}

// Factored is a Q = AAᵀ whose m×p factor A is at hand.
type Factored interface {
	Matrix
	Rank() int // p, the columns of A
	// Apply sets dst (length m) to A·v.
	Apply(dst, v []float64)
	// ApplyT sets dst (length p) to Aᵀ·r.
	ApplyT(dst, r []float64)
	// AddRow adds f times row i of A to dst (length p).
	AddRow(dst []float64, i int, f float64)
	// Gram returns AᵀDA, p×p, for the diagonal D = diag(d).
	Gram(d []float64) *linalg.Dense
}

// checked is a matrix of this package, which knows whether its parts fit, and whether it
// could be read.
type checked interface {
	Check() error
	failure() error
}

// failure returns the error of a storage that could not be read, nil of matrices and points that are not of this package.
func failure(of any) error {
	if c, ok := of.(checked); ok {
		return c.failure()
	}
	return nil
}

// Problem is  min ½αᵀQα + qᵀα  s.t.  sᵀα = Δ,  l ≤ α ≤ u.
type Problem struct {
	Q      Matrix
	Linear []float64 // q
	Sign   []float64 // s, each ±1; nil: no equality
	Sum    float64   // Δ
	Lower  []float64 // l, finite; nil: 0
	Upper  []float64 // u, +Inf allowed; nil: +Inf
}

// Options are the settings of the solvers. The zero value and nil are the defaults.
//
// MaxIter caps each run of a method, of which [Solve] makes several. By default SMO has 100·m + 10⁶ steps, at most
// 5000 where an interior point has failed; the interior point 100, the augmented Lagrangian 800, and the active set
// and passes of coordinate descent 1000. Trials have caps of their own, if less: the smoothed dual 30 steps, the active set from 0 60 corrections, and
// SMO on products as many as take the time of an interior point. At their end the next method has its turn.
type Options struct {
	Start      []float64                 // where to start, moved into the feasible set if it is outside; nil: as near 0 as may be
	Near       *Result                   // V and Multiplier are those of a problem that differs little, as by its bounds; nil of none
	Tol        float64                   // of the certificate; default 1e-8
	MaxIter    int                       // cap of each run of a method; default: see above
	CacheBytes int                       // SMO's cache of rows of Q; default 64 MB, never less than two rows
	Trace      func(optimize.Step) error // where Solve changes methods both show the iteration, each its own point
}

// Result is a solution with its evidence.
//
// For a [Factored] Q the solvers carry v beside α, because Aᵀα is a sum with much cancellation when α is large: at
// bounds of 1e12 its rounding error is of order 1, while v meets the optimality conditions to 1e-15. The gap between
// the primal objective at v and the dual objective at α is the sum in the package comment plus ½‖v − Aᵀα‖², and that
// is what Gap is.
type Result struct {
	Alpha      []float64
	Gradient   []float64 // Qα + q
	V          []float64 // for a Factored Q: v ≈ Aᵀα, with Gradient = A·v + q (see below); else nil
	Multiplier float64   // b of the equality: 0 ≈ g − b·s on the free variables
	Objective  float64   // f(α), an upper bound of the minimum
	Bound      float64   // f(α) − Gap, a lower bound; −Inf if the gap is not finite
	Gap        float64   // the duality gap, +Inf where an infinite bound is not yet dual feasible
	KKT        float64   // max over i of the reduced gradient's violation, in the units of q
	Report     optimize.Report
}

// FeasibleError reports bounds and an equality that no α meets.
type FeasibleError struct {
	Sum    float64    // the sᵀα that was asked for
	Lo, Hi float64    // what the bounds allow
	Row    int        // a row with l > u, or −1
	Bounds [2]float64 // its bounds
}

func (e *FeasibleError) Error() string {
	if e.Row >= 0 {
		return fmt.Sprintf("variable %d has bounds %g > %g", e.Row, e.Bounds[0], e.Bounds[1])
	}
	return fmt.Sprintf("the bounds allow sums from %g to %g, not %g", e.Lo, e.Hi, e.Sum)
}

const (
	defaultTol   = 1e-8
	defaultCache = 64 << 20
	consistent   = 1e-13 // relative gap at which Aᵀα summed anew replaces the v carried along
	rounded      = 1e-15 // of |Δ| + Σ|α| is rounding
	mostlyOpen   = 0.1   // share of a gap that an open equality has, from which on it is closed
	feasible     = 1e-10 // miss of the equality, relative to |Δ| + Σ|α|, that a method may leave
	negligible   = 1e-24 // of Σ|qᵢuᵢ|: nothing there is left to solve
)

// state is a problem with every vector present, and a point of its feasible set.
type state struct {
	q           Matrix
	f           Factored  // q if it is one, else nil
	v           []float64 // Aᵀα where f is not nil
	m           int
	lin, s      []float64 // s nil: no equality
	sum         float64   // Δ
	lo, up      []float64
	alpha, grad []float64
	diag        []float64
	bounded     bool // every bound is finite: the gap can certify
	tol         float64
	least       float64 // gaps below tol times this are 0: the objective can be
	maxIter     int     // the caller's cap for each method; 0: its own
	progress    *optimize.Progress
}

// prepare checks p and o and returns a feasible start with its gradient.
func prepare(p *Problem, o *Options) (*state, error) {
	if o == nil {
		o = &Options{}
	}
	if p == nil || p.Q == nil {
		return nil, errors.New("a problem without Q")
	}
	if q, ok := p.Q.(checked); ok {
		if err := q.Check(); err != nil {
			return nil, err
		}
	}
	m := p.Q.Len()
	st := &state{q: p.Q, m: m, lin: p.Linear, s: p.Sign, sum: p.Sum, lo: p.Lower, up: p.Upper, maxIter: o.MaxIter}
	var err error
	if st.tol, err = sample.Positive("Tol", o.Tol, defaultTol); err != nil {
		return nil, err
	}
	_, badCap := sample.Count("MaxIter", o.MaxIter, 1)
	_, badCache := sample.Count("CacheBytes", o.CacheBytes, 1)
	if err := cmp.Or(badCap, badCache); err != nil {
		return nil, err
	}
	if st.lo == nil {
		st.lo = make([]float64, m)
	}
	if st.up == nil {
		st.up = slices.Repeat([]float64{math.Inf(1)}, m)
	}
	if err := st.check(p, o); err != nil {
		return nil, err
	}
	if err := st.start(o.Start); err != nil {
		return nil, err
	}
	if err := st.begin(o.Trace); err != nil {
		return nil, err
	}
	st.diag = make([]float64, m)
	st.q.Diag(st.diag)
	if err := linalg.CheckFinite("diagonal of Q", st.diag); err != nil {
		return nil, err
	}
	for i, q := range st.lin {
		if u := st.up[i]; !math.IsInf(u, 1) {
			st.least += math.Abs(q) * max(math.Abs(u), math.Abs(st.lo[i]))
		}
	}
	st.least *= negligible
	st.grad = make([]float64, m)
	if f, ok := p.Q.(Factored); ok {
		st.f, st.v = f, make([]float64, f.Rank())
	}
	st.refresh()
	return st, nil
}

// begin makes the bookkeeping that all methods share; each allows itself iterations.
func (st *state) begin(trace func(optimize.Step) error) (err error) {
	kind := optimize.KindGap
	if !st.bounded {
		kind = optimize.KindKKT
	}
	st.progress, err = optimize.Begin(nil, st.alpha, &optimize.Control{Trace: trace}, optimize.Defaults{Kind: kind, Tol: st.tol})
	return err
}

func (st *state) check(p *Problem, o *Options) error {
	if st.m <= 0 {
		return &linalg.ShapeError{Want: 1, WantOf: "variable needed", Got: st.m, GotOf: "variables"}
	}
	for _, v := range []struct {
		name string
		v    []float64
		none bool
	}{{"linear terms", st.lin, false}, {"signs", st.s, st.s == nil}, {"lower bounds", st.lo, false},
		{"upper bounds", st.up, false}, {"start values", o.Start, o.Start == nil}} {
		if !v.none && len(v.v) != st.m {
			return &linalg.ShapeError{Want: st.m, WantOf: "variables", Got: len(v.v), GotOf: v.name}
		}
	}
	for _, v := range []struct {
		name string
		v    []float64
	}{{"linear term", st.lin}, {"lower bound", st.lo}, {"start", o.Start}} {
		if err := linalg.CheckFinite(v.name, v.v); err != nil {
			return err
		}
	}
	for i, s := range st.s {
		if s != 1 && s != -1 {
			return &sample.OptionError{Name: fmt.Sprintf("Sign[%d]", i), Value: s, Want: "1 or −1"}
		}
	}
	if math.IsNaN(p.Sum) || math.IsInf(p.Sum, 0) {
		return &sample.OptionError{Name: "Sum", Value: p.Sum, Want: "finite"}
	}
	st.bounded = true
	for i, u := range st.up {
		switch {
		case u != u:
			return &linalg.NonFiniteError{What: "upper bound", Row: i, Col: -1, Value: u}
		case u < st.lo[i]:
			return &FeasibleError{Row: i, Bounds: [2]float64{st.lo[i], u}}
		case math.IsInf(u, 1):
			st.bounded = false
		}
	}
	return nil
}

// start sets alpha to the given point (nil: 0) moved into the box and then, variable by variable, onto the equality.
func (st *state) start(from []float64) error {
	st.alpha = make([]float64, st.m)
	copy(st.alpha, from)
	lo, hi := 0.0, 0.0
	for i := range st.alpha {
		st.alpha[i] = min(max(st.alpha[i], st.lo[i]), st.up[i])
		if st.s != nil {
			a, b := st.s[i]*st.lo[i], st.s[i]*st.up[i]
			lo, hi = lo+min(a, b), hi+max(a, b)
		}
	}
	if st.s == nil {
		return nil
	}
	if size := math.Abs(st.sum); st.sum < lo-1e-12*max(size, math.Abs(lo)) || st.sum > hi+1e-12*max(size, math.Abs(hi)) {
		return &FeasibleError{Sum: st.sum, Lo: lo, Hi: hi, Row: -1}
	}
	// Two passes: the second takes what rounding left of the first.
	for range 2 {
		st.balance()
	}
	return nil
}

// balance moves variables in order until sᵀα = Δ but for rounding: a variable that takes up that would leave its bound.
func (st *state) balance() {
	miss := st.missing(rounded)
	for i := 0; i < st.m && miss != 0; i++ {
		old := st.alpha[i]
		st.alpha[i] = min(max(old+st.s[i]*miss, st.lo[i]), st.up[i])
		miss -= st.s[i] * (st.alpha[i] - old)
	}
}

// missing returns Δ − sᵀα, of a sum in twice the working precision, and 0 where that is at most a
// share of |Δ| + Σ|α|.
func (st *state) missing(share float64) float64 {
	if st.s == nil {
		return 0
	}
	size, miss := math.Abs(st.sum), exact.Sum{Hi: st.sum}
	for i, a := range st.alpha {
		size += math.Abs(a)
		miss.Add(-st.s[i]*a, 0)
	}
	if v := miss.Value(); math.Abs(v) > share*size {
		return v
	}
	return 0
}

// spread takes what is missing in the equality from the variables inside their bounds, by their room.
func (st *state) spread() {
	for range 10 {
		miss, room := st.missing(0), 0.0
		for i, a := range st.alpha {
			room += min(a-st.lo[i], st.up[i]-a)
		}
		if miss == 0 || room == 0 {
			return
		}
		share := min(1, math.Abs(miss)/room)
		for i, a := range st.alpha {
			st.alpha[i] = a + math.Copysign(share*min(a-st.lo[i], st.up[i]-a), miss*st.s[i])
		}
	}
}

// refresh recomputes v and the gradient from alpha. One product with Q.
func (st *state) refresh() {
	if st.f == nil {
		st.q.MulVec(st.grad, st.alpha)
		linalg.Axpy(st.grad, 1, st.lin)
		return
	}
	st.f.ApplyT(st.v, st.alpha)
	st.follow()
}

// follow recomputes the gradient from v.
func (st *state) follow() {
	st.f.Apply(st.grad, st.v)
	linalg.Axpy(st.grad, 1, st.lin)
}

// objective returns f(α) where v is Aᵀα.
func (st *state) objective() float64 {
	if st.f != nil {
		return linalg.Dot(st.v, st.v)/2 + linalg.Dot(st.lin, st.alpha)
	}
	return (linalg.Dot(st.alpha, st.grad) + linalg.Dot(st.alpha, st.lin)) / 2
}

// resum sets v to Aᵀα anew, so that what is published are the multipliers' own v
// and gradient, unless the rounding error of that sum costs a good part of the
// gap. The multiplier of the equality is b().
func (st *state) resum(b func() float64) {
	if st.f == nil {
		return
	}
	carried := st.result(b())
	v, g := linalg.Clone(st.v), linalg.Clone(st.grad)
	st.refresh()
	fresh := st.result(b())
	if !(fresh.Gap <= max(carried.Gap, consistent*math.Abs(fresh.Bound)) ||
		fresh.Gap <= 10*carried.Gap && fresh.Report.Certificate().Holds() && (!st.bounded || st.small(fresh.Gap, fresh.Bound, st.tol))) {
		copy(st.v, v) // the methods that go on from here hold these
		copy(st.grad, g)
	}
}

// values returns f(α), whatever v is, and ½‖v − Aᵀα‖².
func (st *state) values() (f, drift float64) {
	if st.f == nil {
		return st.objective(), 0
	}
	d := make([]float64, len(st.v))
	st.f.ApplyT(d, st.alpha)
	f = linalg.Dot(d, d)/2 + linalg.Dot(st.lin, st.alpha)
	linalg.Axpy(d, -1, st.v)
	return f, linalg.Dot(d, d) / 2
}

// sign returns sᵢ, 1 without an equality.
func (st *state) sign(i int) float64 {
	if st.s == nil {
		return 1
	}
	return st.s[i]
}

// width is the number of columns of the matrix that a product with Q goes through.
func (st *state) width() float64 {
	if st.f != nil {
		return float64(st.f.Rank())
	}
	return float64(st.m)
}

// reduced returns rᵢ = gᵢ − b·sᵢ; b is 0 without an equality.
func (st *state) reduced(i int, b float64) float64 { return st.grad[i] - b*st.sign(i) }

// Gap returns the duality gap of α with gradient g at the multiplier b, and the
// largest violation of the KKT conditions: the reduced gradient where α can move
// against it. Row i adds max(r, 0)(α − l) + max(−r, 0)(u − α), and an equality that α
// misses |b|·|sᵀα − Δ|. Both are NaN where α or its gradient are not finite.
func (p *Problem) Gap(alpha, g []float64, b float64) (gap, kkt float64) {
	gap = math.Abs(b * (&state{alpha: alpha, s: p.Sign, sum: p.Sum}).missing(0))
	for i, a := range alpha {
		r, lo, up := g[i], 0.0, math.Inf(1)
		if p.Sign != nil {
			r -= b * p.Sign[i]
		}
		if r-r != 0 || a-a != 0 {
			return math.NaN(), math.NaN()
		}
		if p.Lower != nil {
			lo = p.Lower[i]
		}
		if p.Upper != nil {
			up = p.Upper[i]
		}
		if r > 0 && a > lo {
			gap += r * (a - lo)
			kkt = max(kkt, r)
		} else if r < 0 && a < up {
			gap -= r * (up - a)
			kkt = max(kkt, -r)
		}
	}
	return gap, kkt
}

// result states α with the evidence for it at the multiplier b. A finite gap certifies; where bounds
// are infinite the KKT violation does, relative to the largest |q|. Whatever ended the
// steps but the caller, they have converged if the certificate holds and only then.
func (st *state) result(b float64) *Result {
	f, drift := st.values()
	r := &Result{Alpha: st.alpha, Gradient: st.grad, V: st.v, Multiplier: b, Objective: f}
	p := &Problem{Sign: st.s, Sum: st.sum, Lower: st.lo, Upper: st.up}
	r.Gap, r.KKT = p.Gap(st.alpha, st.grad, r.Multiplier)
	r.Gap += drift
	r.Bound = r.Objective - r.Gap
	c := st.progress.Report().Certificate()
	if c.Value = r.Gap / max(1, math.Abs(r.Bound)); !st.bounded {
		c.Value = r.KKT / max(1, linalg.NormInf(st.lin))
	}
	r.Report = st.progress.Report().Certify(r.Objective, c)
	return r
}

// outcome is what a solver hands to the next.
type outcome struct {
	res   *Result // nil where it gave up
	err   error
	exact bool // the KKT conditions hold to rounding: there is nothing left to do
}

// small reports whether a gap is within tol of the objective itself. The published certificate measures it against
// max(1, |objective|), which says nothing where features of 1e8 make the objective 1e-17.
func (st *state) small(gap, bound, tol float64) bool {
	return gap <= tol*max(math.Abs(bound), st.least)
}

// closed returns the result at the point. Where most of its gap is what the method has left of the equality, by its
// tolerance, that is taken from the variables inside their bounds first, if the gap is smaller then.
func (st *state) closed(b float64) *Result {
	r := st.result(b)
	if open := math.Abs(b * st.missing(0)); open > max(mostlyOpen*r.Gap, consistent*math.Abs(r.Bound)) && st.missing(feasible) == 0 {
		old := st.at(r)
		st.spread()
		if st.f == nil {
			st.refresh()
		}
		st.resum(func() float64 { return b })
		if end := st.result(b); end.Gap < r.Gap {
			r = end
		} else {
			copy(st.alpha, old.alpha)
			copy(st.grad, old.grad)
			copy(st.v, old.v)
		}
	}
	return r
}

// finish states the result of a method that has ended.
func (st *state) finish(b float64) outcome {
	r := st.closed(b)
	if err := r.Report.Err(st.progress.Cause()); err != nil {
		return outcome{res: r, err: fmt.Errorf("qp: %w", err)}
	}
	return outcome{res: r}
}

// clone returns the state of the same problem at a copy of the point.
func (st *state) clone() *state {
	return st.at(&Result{Alpha: st.alpha, Gradient: st.grad, V: st.v})
}

// at returns a state of the same problem at r's point.
func (st *state) at(r *Result) *state {
	c := *st
	c.alpha, c.grad, c.v = linalg.Clone(r.Alpha), linalg.Clone(r.Gradient), linalg.Clone(r.V)
	return &c
}
