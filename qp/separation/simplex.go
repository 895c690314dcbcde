package separation

import (
	"math/big"

	"halfspace/linalg/exact"
)

// simplex decides in exact arithmetic whether there are a ≥ 0 and any b with
//
//	Σ aⱼ(zⱼ, 1) + Σ bᵢ(eᵢ, 0) = (0, 1),
//
// where the e are the equations known so far: the dual simplex method without an
// objective. A basis whose a is not ≥ 0 has a row y of its inverse with y·(0, 1) < 0; the
// basis changes where y·(zⱼ, 1) < 0 for a j, and where there is none v = y separates.
// (Farkas's lemma; Schrijver, Theory of Linear and Integer Programming, §11.3.) Each basis
// costs a pass over the rows and two solutions in integers.
type simplex struct {
	e     *equations
	basis []column
	work  *float64 // left
}

// column is a column of a basis: an inequality, an equation, or where the rank is not full
// a unit vector, whose coefficient is 0.
type column struct {
	pair
	free bool // an equation
	unit bool
	z    []*big.Int
}

// newSimplex completes equations and active inequalities to a basis, by other inequalities
// of the sample and, where these do not do, by unit vectors. Nil where the work does not
// suffice for that and one system.
func newSimplex(e *equations, s *sampled, active []pair, work *float64) (*simplex, error) {
	if solving(float64(e.size()+1), 0) > *work {
		return nil, nil
	}
	x, span, err := startSimplex(e, active, work)
	if err != nil {
		return nil, err
	}
	for _, i := range s.rows {
		if len(x.basis) > e.size() || *work < 0 {
			break
		}
		row := make([]float64, len(e.d.columns))
		if err := e.d.row(row, i); err != nil {
			return nil, err
		}
		integers := e.d.integers(row)
		e.d.pairs(i, func(q pair) {
			x.joinInequality(span, q, e.d.difference(q, integers))
		})
	}
	for j := 0; len(x.basis) <= e.size() && *work >= 0; j++ {
		x.join(span, column{unit: true, z: unitVector(e.size()+1, j)})
	}
	if *work < 0 {
		return nil, nil
	}
	return x, nil
}

// join adds a column to the basis if it is independent and work is left.
func (x *simplex) join(span *exact.Span, c column) {
	if len(x.basis) > x.e.size() || *x.work < 0 {
		return
	}
	*x.work -= float64(len(c.z)) * (madeWork + float64(span.Rank())/spanShare)
	if span.Add(c.z) {
		x.basis = append(x.basis, c)
	}
}

// joinInequality adds one to the basis unless the equations make it one of them.
func (x *simplex) joinInequality(span *exact.Span, q pair, z []*big.Int) {
	if x.e.none() || !x.e.span.Contains(z) {
		x.join(span, column{pair: q, z: extended(z, 1)})
	}
}

// extended returns (z, last).
//
//go:noinline // a program would have three copies
func extended(z []*big.Int, last int64) []*big.Int {
	return append(z[:len(z):len(z)], big.NewInt(last))
}

func unitVector(n, j int) []*big.Int {
	u := zeros(n)
	u[j].SetInt64(1)
	return u
}

// startSimplex returns the basis of the equations and of the active inequalities, as far as
// they are independent, and their span.
func startSimplex(e *equations, active []pair, work *float64) (*simplex, *exact.Span, error) {
	span, x := exact.NewSpan(e.size()+1), &simplex{e: e, work: work}
	for k, z := range e.z {
		x.join(span, column{pair: e.free[k], free: true, z: extended(z, 0)})
	}
	vectors, err := e.d.vectors(active)
	for k := 0; k < len(active) && err == nil; k++ {
		x.joinInequality(span, active[k], vectors[k])
	}
	return x, span, err
}

// combine returns the combination of equations and the active inequalities alone that is 0,
// where there is one and it is positive: its system is as large as they are many, however
// many columns there are. Nil where there is none, or the work does not suffice.
func combine(e *equations, active []pair, work *float64) (map[pair]*big.Int, error) {
	if rank := min(len(e.z)+len(active), e.size()+1); solving(float64(rank), 0) > *work {
		return nil, nil
	}
	x, span, err := startSimplex(e, active, work)
	if err != nil {
		return nil, err
	}
	n := len(x.basis)
	if n == 0 || *work < 0 {
		return nil, nil
	}
	pivots, a := span.Pivots(), make([][]*big.Int, n)
	b := make([]*big.Int, n)
	for i, j := range pivots {
		for _, c := range x.basis {
			a[i] = append(a[i], c.z[j])
		}
		b[i] = big.NewInt(0)
		if j == e.size() {
			b[i].SetInt64(1)
		}
	}
	system := x.affordable(a)
	if system == nil {
		return nil, nil
	}
	v, d := system.Solve(b)
	*work -= float64(n) * float64(n) * float64(digitWork*2*d.BitLen()/digitBits)
	for k, c := range x.basis {
		if v[k].Sign() < 0 && !c.free {
			return nil, nil
		}
	}
	for j := range e.size() + 1 { // the coordinates that are not pivots
		sum, t := new(big.Int), new(big.Int)
		if j == e.size() {
			sum.Neg(d)
		}
		for k, c := range x.basis {
			sum.Add(sum, t.Mul(c.z[j], v[k]))
		}
		if sum.Sign() != 0 {
			return nil, nil
		}
	}
	return x.combination(v), nil
}

// patience is how many bases, for each column, are tried before the least index is chosen
// among several (Bland's rule), which cannot return to a basis.
const patience = 3

// run changes the basis until it has an answer: a direction v that satisfies the equations
// with z·v > 0 for all other inequalities, or that is 0 for some where there are equations;
// or a combination for more of them. Both are nil where the work is spent.
func (x *simplex) run() (v []*big.Int, combination map[pair]*big.Int, err error) {
	var near *big.Int // the determinant, but for a factor
	for round := 0; ; round++ {
		system := x.system()
		if system == nil {
			return nil, nil, nil
		}
		system.Near = near
		a := x.solve(system, len(x.basis)-1)
		leaving, negative := x.leaving(a, round > patience*len(x.basis))
		if leaving < 0 {
			return nil, x.combination(a), nil
		}
		if *x.work < 0 {
			return nil, nil, nil
		}
		y := x.solve(system.Transposed(), leaving)
		if !negative {
			for _, u := range y {
				u.Neg(u)
			}
		}
		v, offset := y[:len(y)-1], y[len(y)-1]
		c := scan{f: newFunctions(x.e.d, v), offset: offset, strictly: x.e.none(), most: 1}
		out, err := c.run()
		*x.work -= float64(x.e.d.n*x.e.d.k*x.e.d.dim) / scanShare
		if err != nil {
			return nil, nil, err
		}
		if out.first == nil {
			return v, nil, nil
		}
		entering := *out.first
		if round <= patience*len(x.basis) {
			entering = worst(out.worst)
		}
		z, err := x.e.d.vector(entering)
		if err != nil {
			return nil, nil, err
		}
		x.basis[leaving] = column{pair: entering, z: extended(z, 1)}
		near = exact.Dot(y, x.basis[leaving].z) // by which the determinant changes, times the denominator of y
		near.Abs(near)
	}
}

const (
	// scanShare is how many elements of the rows a pass takes in a unit of work.
	scanShare = 2
	// digitWork is the work of an element of a system for each of the digits, of so many bits,
	// that its solution is lifted to.
	digitWork, digitBits = 2, 61
	// spanShare is how many products modulo a prime are a unit of work, and madeWork the work of
	// one integer of a row.
	spanShare, madeWork = 2, 10
)

// worst returns the violation of least lead.
func worst(list []violation) pair {
	best := list[0]
	for _, v := range list {
		if v.lead < best.lead {
			best = v
		}
	}
	return best.pair
}

// system returns the system of the basis, nil where solving it would take more than the
// work that is left.
func (x *simplex) system() *exact.System {
	a := make([][]*big.Int, len(x.basis))
	for i := range a {
		for _, c := range x.basis {
			a[i] = append(a[i], c.z[i])
		}
	}
	return x.affordable(a)
}

// affordable returns the system of a matrix, nil where solving it would take more than the
// work that is left.
func (x *simplex) affordable(a [][]*big.Int) *exact.System {
	most, n := 0, float64(len(a))
	for _, row := range a {
		for _, z := range row {
			most = max(most, z.BitLen())
		}
	}
	if solving(n, most) > *x.work {
		return nil
	}
	*x.work -= n * n * n
	return exact.NewSystem(a)
}

// solving is the work of a system of n equations in integers of so many bits.
func solving(n float64, bits int) float64 { return n * n * n * float64(1+digitWork*2*bits/digitBits) }

// solve returns the solution for a unit vector on the right, times its denominator.
func (x *simplex) solve(s *exact.System, j int) []*big.Int {
	n := len(x.basis)
	a, d := s.Solve(unitVector(n, j))
	*x.work -= float64(n) * float64(n) * float64(digitWork*2*d.BitLen()/digitBits)
	return a
}

// leaving returns the position in the basis of a column whose coefficient may not be as it
// is, the one that is most below 0 or the one of the first row, and whether it is negative;
// −1 where there is none.
func (x *simplex) leaving(a []*big.Int, first bool) (at int, negative bool) {
	at = -1
	for k, c := range x.basis {
		switch sign := a[k].Sign(); {
		case c.free || sign == 0 || sign > 0 && !c.unit:
		case c.unit:
			return k, sign < 0
		case at < 0 || !first && a[k].Cmp(a[at]) < 0 || first && c.compare(x.basis[at].pair) < 0:
			at = k
		}
	}
	return at, true
}

// combination returns the coefficients of the inequalities and the equations.
func (x *simplex) combination(a []*big.Int) map[pair]*big.Int {
	m := map[pair]*big.Int{}
	for k, c := range x.basis {
		if a[k].Sign() == 0 {
			continue
		}
		if old := m[c.pair]; old != nil {
			old.Add(old, a[k])
			continue
		}
		m[c.pair] = new(big.Int).Set(a[k])
	}
	return m
}
