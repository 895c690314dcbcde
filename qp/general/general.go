// Package general solves small dense convex quadratic programs with general linear
// constraints,
//
//	minimise ½xᵀPx + qᵀx  subject to  Gx ≥ h,  Ax = b,
//
// so that a program can be posed as a textbook writes it, such as the primal of a margin:
// x = (β₀, β, ξ) with y(β₀ + βᵀx) ≥ 1 − ξ (ESL 12.8). The fits of this module use package qp,
// which knows the form of their duals and takes them larger.
//
// # Duality
//
// For multipliers λ ≥ 0 of Gx ≥ h and ν of Ax = b the Lagrangian
//
//	L(x, λ, ν) = ½xᵀPx + qᵀx − λᵀ(Gx − h) − νᵀ(Ax − b)
//
// is at most the objective at every feasible x, so its infimum over all x, the dual
// function, is at most the minimum (weak duality). L is convex in x, and the infimum is at
// Px + q = Gᵀλ + Aᵀν, where it is −½xᵀPx + λᵀh + νᵀb. Maximising that over λ ≥ 0 is the Wolfe
// dual (ESL 4.52 for a margin). At the solution both meet (strong duality: the constraints are
// linear), and then, and only then, the conditions of Karush, Kuhn and Tucker hold:
//
//	(1) Gx ≥ h and Ax = b       primal feasibility
//	(2) λ ≥ 0                   dual feasibility
//	(3) Px + q = Gᵀλ + Aᵀν      stationarity
//	(4) λᵢ(Gx − h)ᵢ = 0         complementary slackness
//
// The certificate of a solution is the largest of the residuals of (1), (3) and (4), each
// relative to the size of its terms, or to 1 where that is less, in units of x and of the
// objective in which the largest of h and b and the largest of P and q are 1 at least.
package general

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Problem is minimise ½xᵀPx + qᵀx subject to Gx ≥ h and Ax = b, in n variables. P is
// symmetric and positive semidefinite; G and A may be nil.
type Problem struct {
	P *linalg.Dense // n×n
	Q []float64
	G *linalg.Dense // m×n
	H []float64
	A *linalg.Dense // k×n, its rows linearly independent
	B []float64
}

// Options are the settings of [Solve]. The zero value and nil are the defaults.
type Options struct {
	Tol     float64                   // of the certificate; 0 is 1e-9
	MaxIter int                       // cap on Newton steps; 0 is 100
	Trace   func(optimize.Step) error // called at the start and after each step; X is x
}

// Solution is x with the multipliers λ of Gx ≥ h and ν of Ax = b, and the residuals of the
// four conditions.
type Solution struct {
	X, Lambda, Nu          []float64
	Slack                  []float64 // Gx − h
	PrimalFeasibility      float64   // the largest violation, relative to the terms of its row, see the package
	Stationarity           float64   // the largest |Px + q − Gᵀλ − Aᵀν|, likewise
	ComplementarySlackness float64   // Σ|λᵢ(Gx − h)ᵢ|, relative to 1 + |objective| in its unit
	Primal, Dual           float64   // equal at the solution
	Report                 optimize.Report
}

// Solve finds the solution by Mehrotra's predictor-corrector (Nocedal and Wright 2006,
// algorithm 16.4), from x = 0. O((n+k)³ + mn²) a step, ten to thirty steps as a rule.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[sample.OptionError]; beside
// [optimize.ErrNotConverged] the solution is not nil: no x is feasible, the objective has no
// minimum, or no x has Gx > h strictly, which interior points need.
func Solve(p *Problem, o *Options) (*Solution, error) {
	if o == nil {
		o = new(Options)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("general: %w", err)
	}
	q, u := p.inUnits()
	s := newState(q)
	s.units = u
	err := s.run(o)
	if err != nil {
		err = fmt.Errorf("general: %w", err)
	}
	return s.now, err
}

func (p *Problem) check() error {
	if p == nil || p.P == nil || len(p.Q) == 0 {
		return &linalg.ShapeError{Want: 1, WantOf: "variable needed", Got: 0, GotOf: "variables"}
	}
	n := len(p.Q)
	for _, part := range []struct {
		name string
		m    *linalg.Dense
		rows int
		v    []float64
	}{{"P", p.P, n, p.Q}, {"G", p.G, len(p.H), p.H}, {"A", p.A, len(p.B), p.B}} {
		if part.m == nil && part.rows == 0 {
			continue
		}
		if part.m == nil || part.m.Rows != part.rows {
			got := 0
			if part.m != nil {
				got = part.m.Rows
			}
			return &linalg.ShapeError{Want: part.rows, WantOf: "values beside " + part.name, Got: got, GotOf: "rows"}
		}
		if part.m.Cols != n {
			return &linalg.ShapeError{Want: n, WantOf: "variables", Got: part.m.Cols, GotOf: "columns of " + part.name}
		}
		if part.rows > 0 {
			if err := part.m.Check(); err != nil {
				return err
			}
		}
		if err := part.m.CheckFinite(); err != nil {
			return err
		}
		if err := linalg.CheckFinite("beside "+part.name, part.v); err != nil {
			return err
		}
	}
	for i := range n {
		for j := range i {
			if p.P.At(i, j) != p.P.At(j, i) {
				return &sample.OptionError{Name: fmt.Sprintf("P[%d,%d] − P[%d,%d]", i, j, j, i), Value: p.P.At(i, j) - p.P.At(j, i), Want: "0"}
			}
		}
	}
	return nil
}

// units are powers of two in which a program is solved: that of h, b and x, and that of the objective.
type units struct{ side, value float64 }

// unit returns the power of two at or below the largest |v|, 1 for zeros.
func unit(v ...[]float64) float64 {
	largest := linalg.NormInf(slices.Concat(v...))
	if largest == 0 {
		return 1
	}
	_, e := math.Frexp(largest)
	return math.Ldexp(1, e-1)
}

// inUnits returns the program in its units.
func (p *Problem) inUnits() (*Problem, *units) {
	u := &units{side: min(1, unit(p.H, p.B))}
	q := &Problem{p.P.Clone(), slices.Clone(p.Q), p.G, slices.Clone(p.H), p.A, slices.Clone(p.B)}
	linalg.Scale(q.P.Data, u.side)
	u.value = min(1, unit(q.P.Data, q.Q)) * u.side
	linalg.Scale(q.P.Data, u.side/u.value)
	linalg.Scale(q.Q, u.side/u.value)
	linalg.Scale(q.H, 1/u.side)
	linalg.Scale(q.B, 1/u.side)
	return q, u
}

// restore returns a solution in units as one of the program as it was given.
func (u *units) restore(r *Solution) *Solution {
	linalg.Scale(r.X, u.side)
	linalg.Scale(r.Slack, u.side)
	linalg.Scale(r.Lambda, u.value/u.side)
	linalg.Scale(r.Nu, u.value/u.side)
	r.Primal *= u.value
	r.Dual *= u.value
	return r
}

// state is an interior point: s > 0 and λ > 0.
type state struct {
	p            *Problem
	units        *units
	x, lambda    []float64
	s, nu        []float64
	dual, primal []float64 // residuals: Px + q − Gᵀλ − Aᵀν and Gx − s − h
	equal        []float64 // Ax − b
	now          *Solution
}

func newState(p *Problem) *state {
	s := &state{p: p, x: make([]float64, len(p.Q)), lambda: make([]float64, len(p.H)), s: make([]float64, len(p.H)), nu: make([]float64, len(p.B)),
		dual: make([]float64, len(p.Q)), primal: make([]float64, len(p.H)), equal: make([]float64, len(p.B))}
	if p.G == nil {
		p = &Problem{p.P, p.Q, linalg.Zeros(0, len(p.Q)), nil, p.A, p.B}
	}
	if p.A == nil {
		p = &Problem{p.P, p.Q, p.G, p.H, linalg.Zeros(0, len(p.Q)), nil}
	}
	s.p = p
	size := 10.0 // well inside
	for _, v := range slices.Concat(p.H, p.Q) {
		size = math.Max(size, math.Abs(v))
	}
	for i := range s.s {
		s.s[i], s.lambda[i] = size, size
	}
	return s
}

// run takes steps until the certificate holds.
func (s *state) run(o *Options) error {
	g, err := optimize.Begin(nil, s.x, &optimize.Control{Tol: o.Tol, MaxIter: o.MaxIter, Trace: o.Trace},
		optimize.Defaults{Kind: optimize.KindKKT, Tol: 1e-9, MaxIter: 100})
	if err != nil {
		return err
	}
	length := 0.0
	for {
		s.now = s.units.restore(s.solution())
		done := g.Done(s.now.X, s.now.Primal, max(s.now.PrimalFeasibility, s.now.Stationarity, s.now.ComplementarySlackness), length)
		s.now.Report = g.Report()
		if done {
			return s.now.Report.Err(g.Cause())
		}
		if length, err = s.step(); err != nil {
			g.End(optimize.LineSearch)
			s.now.Report = g.Report()
			return s.now.Report.Err(err)
		}
	}
}

// mul returns Mv, or Mᵀv.
func mul(m *linalg.Dense, v []float64, transposed bool) []float64 {
	if transposed {
		dst := make([]float64, m.Cols)
		for i := range m.Rows {
			linalg.Axpy(dst, v[i], m.Row(i))
		}
		return dst
	}
	dst := make([]float64, m.Rows)
	for i := range dst {
		dst[i] = linalg.Dot(m.Row(i), v)
	}
	return dst
}

// solution measures the present point.
func (s *state) solution() *Solution {
	p := s.p
	px, gx, ax := mul(p.P, s.x, false), mul(p.G, s.x, false), mul(p.A, s.x, false)
	gl, an := mul(p.G, s.lambda, true), mul(p.A, s.nu, true)
	r := &Solution{X: slices.Clone(s.x), Lambda: slices.Clone(s.lambda), Nu: slices.Clone(s.nu), Slack: make([]float64, len(gx))}
	square := linalg.Dot(px, s.x)
	r.Primal = square/2 + linalg.Dot(p.Q, s.x)
	r.Dual = -square/2 + linalg.Dot(p.H, s.lambda) + linalg.Dot(p.B, s.nu)
	for j := range px {
		s.dual[j] = px[j] + p.Q[j] - gl[j] - an[j]
		r.Stationarity = math.Max(r.Stationarity, math.Abs(s.dual[j])/(1+math.Abs(px[j])+math.Abs(p.Q[j])+math.Abs(gl[j])+math.Abs(an[j])))
	}
	for i, v := range gx {
		r.Slack[i] = v - p.H[i]
		s.primal[i] = r.Slack[i] - s.s[i]
		r.PrimalFeasibility = math.Max(r.PrimalFeasibility, -r.Slack[i]/(1+math.Abs(v)+math.Abs(p.H[i])))
		r.ComplementarySlackness += math.Abs(s.lambda[i]*r.Slack[i]) / (1 + math.Abs(r.Primal))
	}
	for i, v := range ax {
		s.equal[i] = v - p.B[i]
		r.PrimalFeasibility = math.Max(r.PrimalFeasibility, math.Abs(s.equal[i])/(1+math.Abs(v)+math.Abs(p.B[i])))
	}
	return r
}

// step makes a predictor and a corrector step, and returns how much of it was taken.
func (s *state) step() (float64, error) {
	k, err := s.factor()
	if err != nil {
		return 0, err
	}
	m := float64(len(s.s))
	mu := linalg.Dot(s.s, s.lambda) / math.Max(m, 1)
	target := make([]float64, len(s.s))
	for i := range target {
		target[i] = -s.s[i] * s.lambda[i]
	}
	dx, ds, dl, dn := s.direction(k, target)
	if m > 0 {
		after := s.products(ds, dl, min(most(s.s, ds), most(s.lambda, dl), 1)) / m
		sigma := math.Pow(after/mu, 3)
		for i := range target {
			target[i] += sigma*mu - ds[i]*dl[i]
		}
		dx, ds, dl, dn = s.direction(k, target)
		if a := s.length(ds, dl); s.products(ds, dl, a)/m > 0.9*mu {
			// The corrector can go in circles; a step towards the center does not.
			for i := range target {
				target[i] = 0.3*mu - s.s[i]*s.lambda[i]
			}
			dx, ds, dl, dn = s.direction(k, target)
		}
	}
	a := s.length(ds, dl)
	linalg.Axpy(s.x, a, dx)
	linalg.Axpy(s.s, a, ds)
	linalg.Axpy(s.lambda, a, dl)
	linalg.Axpy(s.nu, a, dn)
	return a, nil
}

// length returns how much of a step keeps s and λ positive.
func (s *state) length(ds, dl []float64) float64 {
	return min(0.995*min(most(s.s, ds), most(s.lambda, dl)), 1)
}

// products returns sᵀλ after the share a of a step.
func (s *state) products(ds, dl []float64, a float64) float64 {
	sum := 0.0
	for i := range ds {
		sum += (s.s[i] + a*ds[i]) * (s.lambda[i] + a*dl[i])
	}
	return sum
}

// most returns how far v can go along d before an element reaches 0.
func most(v, d []float64) float64 {
	a := math.Inf(1)
	for i, x := range d {
		if x < 0 {
			a = math.Min(a, -v[i]/x)
		}
	}
	return a
}

// kernel is the factor of K = P + GᵀS⁻¹ΛG, and of AK⁻¹Aᵀ.
type kernel struct {
	k, schur *linalg.Cholesky
	solved   *linalg.Dense // K⁻¹Aᵀ
}

func (s *state) factor() (*kernel, error) {
	p, n := s.p, len(s.x)
	k := p.P.Clone()
	for i := range s.s {
		row, w := p.G.Row(i), s.lambda[i]/s.s[i]
		for j, v := range row {
			if v != 0 {
				linalg.Axpy(k.Row(j), w*v, row)
			}
		}
	}
	for i := range p.A.Rows { // changes nothing on Ax = b, and makes K definite where that is
		for j, v := range p.A.Row(i) {
			linalg.Axpy(k.Row(j), v, p.A.Row(i))
		}
	}
	largest := 0.0
	for j := range n {
		largest = math.Max(largest, k.At(j, j))
	}
	for j := range n { // a direction without curvature or constraint
		k.Set(j, j, k.At(j, j)+1e-14*k.At(j, j)+1e-300*largest)
	}
	c, err := linalg.NewCholesky(k)
	if err != nil || p.A.Rows == 0 {
		return &kernel{k: c}, err
	}
	f := &kernel{k: c, solved: linalg.Zeros(n, p.A.Rows)}
	for i := range p.A.Rows {
		for j, v := range p.A.Row(i) {
			f.solved.Set(j, i, v)
		}
	}
	c.SolveMatrix(f.solved)
	schur := linalg.Zeros(p.A.Rows, p.A.Rows)
	linalg.MulAdd(schur, 1, p.A, f.solved)
	f.schur, err = linalg.NewCholesky(schur)
	return f, err
}

// direction solves the Newton equations with S∆λ + Λ∆s = target, and mends twice what
// rounding leaves of stationarity and of the equations: near the solution Λ/S spans many
// orders of magnitude.
func (s *state) direction(k *kernel, target []float64) (dx, ds, dl, dn []float64) {
	p := s.p
	dx, ds, dl, dn = s.solve(k, s.dual, s.primal, s.equal, target)
	none := make([]float64, len(target))
	for range 2 {
		dual := mul(p.P, dx, false)
		linalg.Axpy(dual, -1, mul(p.G, dl, true))
		linalg.Axpy(dual, -1, mul(p.A, dn, true))
		linalg.Axpy(dual, 1, s.dual)
		equal := mul(p.A, dx, false)
		linalg.Axpy(equal, 1, s.equal)
		x, slack, l, n := s.solve(k, dual, none, equal, none)
		linalg.Axpy(dx, 1, x)
		linalg.Axpy(ds, 1, slack)
		linalg.Axpy(dl, 1, l)
		linalg.Axpy(dn, 1, n)
	}
	return dx, ds, dl, dn
}

// solve solves P∆x − Gᵀ∆λ − Aᵀ∆ν = −dual, G∆x − ∆s = −primal, A∆x = −equal and
// S∆λ + Λ∆s = target.
func (s *state) solve(k *kernel, dual, primal, equal, target []float64) (dx, ds, dl, dn []float64) {
	p := s.p
	w := make([]float64, len(target))
	for i := range w {
		w[i] = (target[i] - s.lambda[i]*primal[i]) / s.s[i]
	}
	dx = mul(p.G, w, true)
	linalg.Axpy(dx, -1, dual)
	linalg.Axpy(dx, -1, mul(p.A, equal, true)) // of the term AᵀA in K
	k.k.Solve(dx)
	dn = make([]float64, len(s.nu))
	if k.schur != nil {
		for i := range dn {
			dn[i] = -equal[i] - linalg.Dot(p.A.Row(i), dx)
		}
		k.schur.Solve(dn)
		linalg.Axpy(dx, 1, mul(k.solved, dn, false))
	}
	ds = mul(p.G, dx, false)
	linalg.Axpy(ds, 1, primal)
	dl = make([]float64, len(ds))
	for i := range dl {
		dl[i] = (target[i] - s.lambda[i]*ds[i]) / s.s[i]
	}
	return dx, ds, dl, dn
}

// String returns the objective, the size of the problem and the report.
func (r *Solution) String() string {
	return fmt.Sprintf("objective %.6g, %d variables, %d constraints: %v", r.Primal, len(r.X), len(r.Lambda)+len(r.Nu), r.Report)
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (r Solution) MarshalJSON() ([]byte, error) { return record.Plain(r) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *Solution) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, r) }
