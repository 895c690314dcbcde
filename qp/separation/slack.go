package separation

import (
	"cmp"
	"math"
	"math/big"

	"halfspace/linalg"
	"halfspace/linalg/exact"
)

// combination is inequalities of unit length and their factors.
type combination struct {
	pairs   []pair
	z       *linalg.Dense // m×D
	length  []float64     // before they had length 1
	factors []float64
}

// newCombination returns room for so many inequalities.
func newCombination(pairs []pair, dim int, factors []float64) *combination {
	return &combination{pairs, linalg.Zeros(len(pairs), dim), make([]float64, len(pairs)), factors}
}

// scale makes the length of inequality k 1.
func (c *combination) scale(k int) {
	c.length[k] = linalg.Norm(c.z.Row(k))
	linalg.Scale(c.z.Row(k), 1/c.length[k])
}

// sum returns Σaᵢzᵢ.
func (c *combination) sum() []float64 {
	s := make([]float64, c.z.Cols)
	linalg.MulTVecAdd(s, c.z, c.factors)
	return s
}

// arrange puts the inequalities into an order.
func (c *combination) arrange(order []int) {
	from := *c
	*c = *newCombination(make([]pair, len(order)), from.z.Cols, make([]float64, len(order)))
	for k, i := range order {
		c.pairs[k], c.length[k], c.factors[k] = from.pairs[i], from.length[i], from.factors[i]
		copy(c.z.Row(k), from.z.Row(i))
	}
}

// overlap returns the proof that inequalities with factors near those of the combination sum
// to 0 and span all; nil where there is none. It changes their order.
//
// Let D of the inequalities be the rows zᵢ of Z, of unit length as all are, and aᵢ > 0 factors
// with Σaᵢzᵢ = ρ. If Z is regular, the factors a − Z⁻ᵀρ of these D make the sum 0, and are
// positive if ‖ρ‖ < σ·min aᵢ for σ the least singular value of Z. A bound on ‖ρ‖ is computed
// with its rounding errors, and σ² ≥ E holds if the Cholesky factor of ZᵀZ − 2E·I exists in
// float64, for E some four times the rounding errors of both (Rump, BIT 46, 2006, Lemma 2.4).
func (d *data) overlap(c *combination) (*Evidence, error) {
	m, dim := c.z.Rows, c.z.Cols
	if m <= dim || !(linalg.Min(c.length) > 0x1p-500) { // so that nothing underflows that matters
		return nil, nil
	}
	// The smallest factors come first: where the inequalities are as few as they can be, the
	// others determine that of the largest one best.
	order := ordered(len(c.pairs), func(a, b int) int { return cmp.Compare(c.factors[a], c.factors[b]) })
	for range min(mostBases, m-dim) {
		c.arrange(order)
		if e, err := d.overlapBy(c); e != nil || err != nil {
			return e, err
		}
		for k := range order {
			order[k] = (k + dim) % m
		}
	}
	return nil, nil
}

// overlapBy is overlap by the equations of the first D inequalities.
func (d *data) overlapBy(c *combination) (*Evidence, error) {
	dim := c.z.Cols
	// A rounded row is within 4·2⁻⁵³ of one of a length near 1 along the exact one.
	const unit = 0x1p-52 // twice the error of an operation
	errors := 2 * unit * float64(dim) * float64(2*dim+20)
	basis := c.z.RowRange(0, dim)
	gram := linalg.Gram(basis, nil, nil, d.Workers)
	for j := range dim {
		gram.Set(j, j, gram.At(j, j)-2*errors)
	}
	factor, err := linalg.NewCholesky(gram)
	if err != nil {
		return nil, nil
	}
	rest := c.sum() // which is made smaller
	factor.Solve(rest)
	along := make([]float64, dim)
	linalg.MulVec(along, basis, rest, d.Workers)
	linalg.Axpy(c.factors[:dim], -1, along)
	left := linalg.Norm(c.sum()) + unit*float64(c.z.Rows+16)*linalg.Sum(c.factors)
	if !(left < math.Sqrt(errors)*linalg.Min(c.factors)) {
		return nil, nil
	}
	s, err := d.newSlack(c)
	if err != nil {
		return nil, err
	}
	e := &Evidence{Kind: Overlap}
	for _, k := range ordered(len(c.pairs), func(a, b int) int { return c.pairs[a].compare(c.pairs[b]) }) {
		q := c.pairs[k]
		e.Multipliers = append(e.Multipliers, Multiplier{Row: q.row, Class: q.own, Other: q.other, Value: Integer{later: s, at: k}})
	}
	return e, nil
}

// newSlack copies the rows of a combination, and its factors as those of the rows' own lengths.
func (d *data) newSlack(c *combination) (*slack, error) {
	rows := &Problem{Classes: d.k, ThroughZero: d.ThroughZero, Workers: d.Workers}
	s, x := &slack{rows: rows, solve: (*slack).multipliers}, linalg.Zeros(len(c.pairs), len(d.columns))
	for k, q := range c.pairs {
		s.factors = append(s.factors, c.factors[k]/c.length[k])
		if err := d.row(x.Row(k), q.row); err != nil {
			return nil, err
		}
		rows.Code, s.pairs = append(rows.Code, q.own), append(s.pairs, pair{k, q.own, q.other})
	}
	rows.X = x
	return s, nil
}

// multipliers returns them: the factors of the last inequalities as they are, those of the first D
// by a system of as many equations. O(D³), 30 ms for 100 columns; nil if the system is singular modulo its prime.
func (s *slack) multipliers() []Integer {
	d, err := newData(s.rows, nil)
	if err != nil {
		return nil
	}
	values := make([]*big.Int, len(s.pairs))
	dim := (d.k - 1) * d.dim
	a, right, t := make([][]*big.Int, dim), zeros(dim), new(big.Int)
	bit := noBit
	for _, f := range s.factors[dim:] {
		bit = min(bit, lastBit(f))
	}
	for k, q := range s.pairs {
		z, err := d.vector(q)
		switch {
		case err != nil:
			return nil
		case k >= dim:
			values[k] = exact.Integer(new(big.Int), s.factors[k], bit)
			for j, v := range z {
				right[j].Sub(right[j], t.Mul(v, values[k]))
			}
		default:
			for j, v := range z {
				a[j] = append(a[j], v)
			}
		}
	}
	system := exact.NewSystem(a)
	if system == nil {
		return nil
	}
	x, den := system.Solve(right)
	copy(values, x)
	for _, v := range values[dim:] {
		v.Mul(v, den)
	}
	exact.Reduce(values)
	return newIntegers(values)
}

const (
	// manyParameters is the number of them from which on an overlap is looked for in all rows of
	// a sample before its nearest points: those take as many steps.
	manyParameters = 64
	// blockPace is how many products of a Gram matrix are a unit of work.
	blockPace = 40
	// mostProjections is how often factors are projected, floor their least value before that, and
	// enough the one with which they are taken after it.
	mostProjections, floor, enough = 100, 0.25, 0.01
	// mostBases is how many choices of D inequalities are tried in a proof.
	mostBases = 3
)

// overlap returns the proof of an overlap by the inequalities in the combination nearest to 0,
// nil where it has none or the frame has other coordinates than the rows.
func (h *hull) overlap(active []pair, factors []float64) (*Evidence, error) {
	if h.t != nil || len(active) == 0 {
		return nil, nil
	}
	c := newCombination(active, h.Len()-1, factors)
	for k, q := range active {
		h.difference(c.z.Row(k), h.s.at[q.row], q)
		c.scale(k)
	}
	return h.s.d.overlap(c)
}

// Settle answers as [Decide] does, and proves an overlap in float64 where rounding errors leave no
// doubt: some forty times as fast for 100 columns, and in a second for 1,000. The multipliers are
// made when one of them is asked for; until then the evidence holds a copy of their rows.
// Errors: those of Decide.
func Settle(p *Problem) (*Evidence, error) { return answer(p, prove) }

// prove implements [proof].
func prove(s *search, h *hull, active []pair, factors []float64) (*Evidence, error) {
	if h == nil {
		return s.mixed()
	}
	return h.overlap(active, factors)
}

// Mixed returns the proof that two classes overlap where many rows do, nil where it has none: it
// is for tables of so many columns that [Decide] takes long. O(D³) for D parameters.
//
// Errors: those of Decide.
func Mixed(p *Problem) (*Evidence, error) {
	s, err := newSearch(p, allowance)
	if s == nil || err != nil {
		return nil, err
	}
	return s.mixed()
}

// mixed looks for positive factors of all rows of the sample with which they sum to 0: the
// derivatives of a convex loss of zᵢ·v whose slope is at least floor, at its minimum. A step takes
// the part of the factors that is a fit of a plane to them by least squares, with Nesterov's
// momentum (Soviet Math. Dokl. 27, 1983). Without that part they sum to 0. A plane that separates
// the sample ends the search.
func (s *search) mixed() (*Evidence, error) {
	m, dim := len(s.sample.rows), s.d.dim
	cost := float64(m) * float64(dim) * float64(dim) / blockPace
	if s.d.k != 2 || !s.ties.none() || dim < manyParameters || m <= dim || cost > s.work/2 {
		return nil, nil
	}
	s.work -= cost
	c := newCombination(make([]pair, m), dim, make([]float64, m))
	for k, i := range s.sample.rows {
		own := s.d.Code[i]
		c.pairs[k] = pair{i, own, 1 - own}
		linalg.Axpy(c.z.Row(k), float64(2*own-1), s.sample.hi[k])
		c.scale(k)
	}
	factor, err := linalg.NewCholesky(linalg.Gram(c.z, nil, nil, s.d.Workers))
	if err != nil {
		return nil, nil
	}
	at, ahead, fit := make([]float64, m), make([]float64, m), make([]float64, m) // values of zᵢ·v
	for round, since := 0, 0; round < mostProjections; round++ {
		for k, v := range ahead {
			c.factors[k] = max(floor, 1-v)
		}
		plane := c.sum()
		factor.Solve(plane)
		linalg.MulVec(fit, c.z, plane, s.d.Workers)
		linalg.Axpy(c.factors, -1, fit)
		if linalg.Min(c.factors) > enough {
			return s.d.overlap(c)
		}
		linalg.Axpy(ahead, 1, fit)
		if linalg.Min(ahead) > 0 {
			break
		}
		linalg.Axpy(at, -1, ahead)
		if since++; linalg.Dot(at, fit) > 0 { // the last steps lead astray
			since = 0
		}
		momentum := float64(since) / float64(since+3)
		for k, v := range ahead {
			at[k], ahead[k] = v, v-momentum*at[k]
		}
	}
	return nil, nil
}
