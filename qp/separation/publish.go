package separation

import (
	"math"
	"math/big"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/linalg/sample"
)

// publish returns the evidence of a direction v that satisfies all inequalities, checked:
// in float64 about 0, in float64 about the origin of the search, or in integers, whichever
// of these holds first. Nil if v does not hold either.
func publish(d *data, v []*big.Int, ties *equations) (*Evidence, error) {
	for _, origin := range [][]float64{make([]float64, len(d.columns)), d.origin} {
		e := d.rounded(v, origin)
		if e == nil {
			continue
		}
		found, err := e.signsOf(d, nil)
		if err != nil || e.judge(&found, !ties.none()) {
			return e.with(ties), err
		}
	}
	e := d.whole(v)
	out, err := (&scan{f: newFunctions(d, v), most: 1}).run()
	if err != nil || !e.judge(&out.signs, !ties.none()) {
		return nil, err
	}
	return e.with(ties), nil
}

// judge sets kind, strict rows and ties of a direction by the signs of all inequalities, and reports
// whether it is complete, or quasi-complete as there are equations.
//
//go:noinline // a program would have a copy for each caller
func (e *Evidence) judge(found *signs, equations bool) bool {
	switch e.Strict, e.Ties, e.Kind = found.strict, found.ties, Undecided; {
	case found.negative || found.strict == 0:
	case len(found.ties) == 0:
		e.Kind = Complete
	case equations:
		e.Kind = Quasi
	default:
		e.Kind = Weak
	}
	return e.Kind == Complete || e.Kind == Quasi
}

// with adds the multipliers of equations to the evidence.
func (e *Evidence) with(ties *equations) *Evidence {
	for _, q := range pairs(ties.multipliers) {
		e.Multipliers = append(e.Multipliers, Multiplier{q.row, q.own, q.other, NewInteger(ties.multipliers[q])})
	}
	return e
}

// Check finds out how a direction in float64 does on the rows of p: its kind becomes Complete
// if it satisfies all inequalities strictly, Weak if it satisfies all and some strictly, else
// Undecided, and Strict and Ties are set in any case. Of two classes scores, if it is not nil, is set to f₁ − f₀ at the rows that are not left
// out, as float64 sums. One pass of O(nKp), of sparse rows about 0 of their stored values.
func (e *Evidence) Check(p *Problem, scores []float64) error {
	e.Kind = Undecided
	d, err := unmeasured(p)
	if err != nil {
		return err
	}
	_, cols := p.X.Dims()
	if !e.fits(d) {
		return broken("no direction in float64 for %d columns and %d classes", cols, d.k)
	}
	if err := e.checkOrigin(p.ThroughZero); err != nil {
		return err
	}
	if err := e.checkColumns(d, cols); err != nil {
		return err
	}
	found, err := e.signsOf(d, scores)
	if e.judge(&found, false); err != nil {
		e.Kind = Undecided
	}
	return err
}

// scaleOf returns a power of two by which to multiply v, so that the largest term of a
// coefficient and the extent of its column is about 1.
func (d *data) scaleOf(v []*big.Int) int { return newFunctions(d, v).scale }

// rounded returns the direction in float64 about an origin, nil where a number would not be
// finite.
func (d *data) rounded(v []*big.Int, origin []float64) *Evidence {
	_, p := d.X.Dims()
	scale, rows := d.scaleOf(v), sample.Functions(d.k)
	e := &Evidence{Coef: linalg.Zeros(rows, p), Intercept: make([]float64, rows)}
	for k, j := range d.columns {
		if origin[k] != 0 && e.Origin == nil {
			e.Origin = make([]float64, p)
		}
		if e.Origin != nil {
			e.Origin[j] = origin[k]
		}
	}
	for c := range d.k - 1 {
		to := c + rows - (d.k - 1)
		var level exact.Sum
		for k, j := range d.columns {
			b, _ := exact.Pair(v[c*d.dim+d.first+k], scale-d.bit[k])
			e.Coef.Set(to, j, b)
			level.AddProduct(b, 0, origin[k], -d.origin[k])
		}
		if d.first == 1 {
			level.Add(exact.Pair(v[c*d.dim], scale))
			e.Intercept[to] = level.Value()
		}
	}
	if linalg.CheckFinite("", e.Coef.Data) != nil || linalg.CheckFinite("", e.Intercept) != nil {
		return nil
	}
	return e
}

// whole returns the direction in integers about the origin.
func (d *data) whole(v []*big.Int) *Evidence {
	_, p := d.X.Dims()
	rows := sample.Functions(d.k)
	high := 0
	for _, b := range d.bit {
		high = max(high, b)
	}
	all := zeros(rows * (1 + p)) // of each function the intercept and the coefficients
	for c := range d.k - 1 {
		f := all[(c+rows-(d.k-1))*(1+p):]
		for i, z := range v[c*d.dim : (c+1)*d.dim] {
			to, bit := 0, 0
			if k := i - d.first; k >= 0 {
				to, bit = 1+d.columns[k], d.bit[k]
			}
			f[to].Lsh(z, uint(high-bit))
		}
	}
	exact.Reduce(all)
	e := &Evidence{Origin: make([]float64, p)}
	for k, j := range d.columns {
		e.Origin[j] = d.origin[k]
	}
	for c := range rows {
		f := newIntegers(all[c*(1+p) : (c+1)*(1+p)])
		e.IntegerIntercept, e.IntegerCoef = append(e.IntegerIntercept, f[0]), append(e.IntegerCoef, f[1:])
	}
	return e
}

// fromFloats returns integers for parameters in units of (1, x − origin), in proportion:
// each rounded to so many binary digits of the largest, 0 for all that it has.
func (d *data) fromFloats(p []exact.Sum, digits int) []*big.Int {
	largest := 0.0
	for _, v := range p {
		largest = math.Max(largest, math.Abs(v.Hi))
	}
	quantum := math.Ldexp(powerOfTwo(largest), -digits)
	parts := &common{}
	for i, v := range p {
		bit := 0
		if j := i%d.dim - d.first; j >= 0 {
			_, e := exact.Split(d.unit[j])
			bit = d.bit[j] - e
		}
		hi, lo := v.Hi, v.Lo
		if digits > 0 {
			hi, lo = math.RoundToEven((v.Hi+v.Lo)/quantum)*quantum, 0
		}
		z, at := exact.SumProducts([]float64{hi, lo}, []float64{1, 1})
		parts.add(z, at+bit)
	}
	return parts.integers()
}
