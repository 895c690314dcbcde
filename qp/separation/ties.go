package separation

import (
	"cmp"
	"math/big"

	"halfspace/linalg/exact"
)

// equations are inequalities that hold as equations for every direction that satisfies
// all inequalities, because a positive combination of their z is 0.
type equations struct {
	d           *data
	multipliers map[pair]*big.Int // the combination: all positive
	span        *exact.Span       // of the z
	free        []pair            // independent ones that span it
	z           [][]*big.Int      // theirs
	system      *exact.System     // of their coordinates span.Pivots(); nil until it is needed
}

// newEquations returns those of the rows that are of both classes.
func newEquations(d *data) (*equations, error) {
	e := &equations{d: d, multipliers: map[pair]*big.Int{}, span: exact.NewSpan((d.k - 1) * d.dim)}
	combination := map[pair]*big.Int{}
	for i, c := range d.Code {
		if c == Both && len(combination) < 4*e.size() {
			combination[pair{i, 0, 1}], combination[pair{i, 1, 0}] = big.NewInt(1), big.NewInt(1)
		}
	}
	return e, e.add(combination)
}

// size is the number of parameters of all functions.
func (e *equations) size() int { return (e.d.k - 1) * e.d.dim }

// full reports whether no direction is left but those along which no row moves.
func (e *equations) full() bool { return e.span.Rank() == e.size() }

// none reports whether there are no equations. There can be some that span nothing: a row of
// zeros without an intercept.
func (e *equations) none() bool { return len(e.multipliers) == 0 }

func (q pair) compare(r pair) int { return cmp.Or(q.row-r.row, q.own-r.own, q.other-r.other) }

// pairs returns the inequalities of a combination in order.
func pairs(combination map[pair]*big.Int) []pair {
	list := make([]pair, 0, len(combination))
	for q := range combination {
		list = append(list, q)
	}
	result := make([]pair, len(list))
	for k, at := range ordered(len(list), func(a, b int) int { return list[a].compare(list[b]) }) {
		result[k] = list[at]
	}
	return result
}

// add takes in a combination that is 0 and positive but for the inequalities that are
// equations already: enough of their combination is added to make it positive there.
func (e *equations) add(combination map[pair]*big.Int) error {
	factor := new(big.Int)
	for q, x := range combination {
		if old := e.multipliers[q]; old != nil && x.Sign() <= 0 {
			need := new(big.Int).Neg(x)
			need.Quo(need, old)
			if need.Add(need, big.NewInt(1)); need.Cmp(factor) > 0 {
				factor = need
			}
		}
	}
	if factor.Sign() == 0 {
		factor.SetInt64(1)
	}
	for _, old := range e.multipliers {
		old.Mul(old, factor)
	}
	var fresh []pair
	for _, q := range pairs(combination) {
		x := combination[q]
		if x.Sign() == 0 {
			continue
		}
		if old := e.multipliers[q]; old != nil {
			old.Add(old, x)
			continue
		}
		e.multipliers[q] = new(big.Int).Set(x)
		fresh = append(fresh, q)
	}
	if err := e.tie(fresh); err != nil {
		return err
	}
	all := make([]*big.Int, 0, len(e.multipliers))
	for _, x := range e.multipliers {
		all = append(all, x)
	}
	exact.Reduce(all)
	return nil
}

// tie makes equations of inequalities that are not in the span of the others.
//
//go:noinline // a program would have two copies
func (e *equations) tie(list []pair) error {
	for len(list) > 0 {
		some := list[:min(len(list), e.d.together())]
		vectors, err := e.d.vectors(some)
		if err != nil {
			return err
		}
		for k, z := range vectors {
			if e.span.Add(z) {
				e.free, e.z, e.system = append(e.free, some[k]), append(e.z, z), nil
			}
		}
		list = list[len(some):]
	}
	return nil
}

// satisfy changes the coordinates span.Pivots() of v, and its scale, so that all equations
// hold.
func (e *equations) satisfy(v []*big.Int) []*big.Int {
	if len(e.z) == 0 {
		return v
	}
	pivots := e.span.Pivots()
	rest := append([]*big.Int(nil), v...) // slices.Clone is generic; see Integer
	for _, j := range pivots {
		rest[j] = new(big.Int)
	}
	b := make([]*big.Int, len(e.z))
	for i, z := range e.z {
		b[i] = exact.Dot(z, rest)
		b[i].Neg(b[i])
	}
	if e.system == nil {
		a := make([][]*big.Int, len(e.z))
		for i, z := range e.z {
			for _, j := range pivots {
				a[i] = append(a[i], z[j])
			}
		}
		e.system = exact.NewSystem(a)
	}
	x, den := e.system.Solve(b)
	for j, u := range rest {
		rest[j] = new(big.Int).Mul(u, den)
	}
	for k, j := range pivots {
		rest[j] = x[k]
	}
	exact.Reduce(rest)
	return rest
}
