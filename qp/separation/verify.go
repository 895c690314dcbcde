package separation

import (
	"cmp"
	"math/big"

	"halfspace/linalg/exact"
	"halfspace/linalg/sample"
)

// Verify multiplies the evidence out in integers on the rows of p and returns an error
// where anything that it says does not hold: nothing is taken from the search that found
// it. O(nKp) products of integers, and for overlap O(D³) for D = (K−1)·(p+1) parameters.
//
// Errors: *[record.DamageError] that says what does not hold, those of the problem and of
// its storage.
func (e *Evidence) Verify(p *Problem) error {
	_, cols := p.X.Dims()
	origin := e.Origin
	if origin == nil {
		origin = make([]float64, cols)
	}
	if len(origin) != cols {
		return broken("an origin of %d columns for rows of %d", len(origin), cols)
	}
	if err := e.checkOrigin(p.ThroughZero); err != nil {
		return err
	}
	d, err := newData(p, origin)
	if err != nil {
		return err
	}
	if e.Separated() {
		if err := e.verifyDirection(d); err != nil {
			return err
		}
	}
	switch {
	case e.Kind == Overlap:
		if err = e.verifyMultipliers(d); err != nil {
			break
		}
		var row int
		if row, err = e.strictBeside(d); row >= 0 {
			err = broken("row %d can have an inequality", row)
		}
	case e.Kind == Quasi || len(e.Multipliers) > 0:
		err = e.verifyMultipliers(d)
	}
	return err
}

// checkOrigin returns an error where functions through 0 are about another point.
func (e *Evidence) checkOrigin(throughZero bool) error {
	for j, c := range e.Origin {
		if throughZero && c != 0 {
			return broken("functions through 0 about %g in column %d", c, j)
		}
	}
	return nil
}

// verifyDirection counts the signs of all inequalities.
func (e *Evidence) verifyDirection(d *data) error {
	v, err := e.parameters(d)
	if err != nil {
		return err
	}
	f := newFunctions(d, v)
	strict, at := 0, 0
	return eachRowInOrder(d, func(i int, row []float64) error {
		z := d.integers(row)
		above, tie := false, false
		var against *pair
		d.pairs(i, func(q pair) {
			sign := f.difference(q, z).Sign()
			above, tie = above || sign > 0, tie || sign == 0
			if sign < 0 {
				against = &q
			}
		})
		switch {
		case against != nil:
			return broken("row %d of class %d has more of class %d", i, against.own, against.other)
		case tie && (e.Kind == Complete || at == len(e.Ties) || e.Ties[at] != i):
			return broken("row %d is a tie", i)
		case tie:
			at++
		}
		if above {
			strict++
		}
		return nil
	}, func() error {
		if strict != e.Strict || strict == 0 || at != len(e.Ties) {
			return broken("%d rows are strict and %d ties, not %d and %d", strict, at, e.Strict, len(e.Ties))
		}
		return nil
	})
}

// parameters returns the direction as integers on the rows of integers.
func (e *Evidence) parameters(d *data) ([]*big.Int, error) {
	_, cols := d.X.Dims()
	rows := len(e.IntegerCoef)
	if e.Coef != nil {
		rows = e.Coef.Rows
		if e.Coef.Cols != cols || len(e.Intercept) != rows {
			return nil, broken("%d coefficients for %d columns", e.Coef.Cols, cols)
		}
	}
	if e.Coef == nil && e.Features() != cols {
		return nil, broken("%d coefficients for %d columns", e.Features(), cols)
	}
	if want := sample.Functions(d.k); rows != want || e.Coef == nil && len(e.IntegerIntercept) != rows {
		return nil, broken("%d functions for %d classes", rows, d.k)
	}
	parts := &common{}
	for c := range rows {
		if rows > 1 && c == 0 {
			continue
		}
		if d.first == 1 {
			e.part(parts, c, rows, -1, 0)
		}
		for k, j := range d.columns {
			e.part(parts, c, rows, j, d.bit[k])
		}
	}
	return parts.integers(), e.checkColumns(d, cols)
}

// part adds to parts coefficient j of function c, the intercept for j < 0, less that of the
// first function where there are several, times 2^bit.
func (e *Evidence) part(parts *common, c, rows, j, bit int) {
	value := func(c int) (z *big.Int, exponent int) {
		switch {
		case e.Coef == nil && j < 0:
			return e.IntegerIntercept[c].Int(), 0
		case e.Coef == nil:
			return e.IntegerCoef[c][j].Int(), 0
		case j < 0:
			return exact.SumProducts(e.Intercept[c:c+1], []float64{1})
		}
		return exact.SumProducts(e.Coef.Row(c)[j:j+1], []float64{1})
	}
	z, at := value(c)
	if rows > 1 {
		first, firstAt := value(0)
		low := min(at, firstAt)
		a := new(big.Int).Lsh(z, uint(at-low))
		z, at = a.Sub(a, new(big.Int).Lsh(first, uint(firstAt-low))), low
	}
	parts.add(z, at+bit)
}

// checkColumns returns an error where a column that functions may not use has a
// coefficient, or a function without intercept one.
func (e *Evidence) checkColumns(d *data, cols int) error {
	used := 0
	for j := range cols {
		if used < len(d.columns) && d.columns[used] == j {
			used++
		} else if e.Uses(j) {
			return broken("column %d is not one of the columns in use", j)
		}
	}
	for c := range max(len(e.IntegerCoef), len(e.Intercept)) {
		if d.first == 0 && (e.Coef != nil && e.Intercept[c] != 0 || e.Coef == nil && e.IntegerIntercept[c].Sign() != 0) {
			return broken("function %d has an intercept", c)
		}
	}
	return nil
}

// common is numbers z·2^e on their way to integers of one unit.
type common struct {
	z []*big.Int
	e []int
}

func (c *common) add(z *big.Int, e int) { c.z, c.e = append(c.z, z), append(c.e, e) }

// integers returns the numbers times one power of two.
func (c *common) integers() []*big.Int {
	low, found := 0, false
	for i, e := range c.e {
		if c.z[i].Sign() != 0 && (!found || e < low) {
			low, found = e, true
		}
	}
	v := make([]*big.Int, len(c.z))
	for i, z := range c.z {
		v[i] = new(big.Int)
		if z.Sign() != 0 {
			v[i].Lsh(z, uint(c.e[i]-low))
		}
	}
	return v
}

// difference returns f_own − f_other at a row of integers.
func (f *functions) difference(q pair, z []*big.Int) *big.Int {
	s := exact.Dot(f.v[q.own], z)
	return s.Sub(s, exact.Dot(f.v[q.other], z))
}

// eachRowInOrder calls visit with the rows that are not left out, and end after them.
func eachRowInOrder(d *data, visit func(i int, row []float64) error, end func() error) error {
	var rows []int
	for i, c := range d.Code {
		if c != Left {
			rows = append(rows, i)
		}
	}
	var failed error
	err := d.rowsOf(rows, func(i int, row []float64) {
		if failed == nil {
			failed = visit(i, row)
		}
	})
	if err = cmp.Or(failed, err); err != nil {
		return err
	}
	return end()
}

// verifyMultipliers returns an error unless the combination of inequalities is 0, with positive multipliers.
func (e *Evidence) verifyMultipliers(d *data) error {
	sum := zeros((d.k - 1) * d.dim)
	t := new(big.Int)
	values := make([]*big.Int, len(e.Multipliers))
	for k, m := range e.Multipliers {
		value := m.Value.Int() // made now: of one that is not made yet the sign is only claimed
		if m.Row < 0 || m.Row >= d.n || value.Sign() <= 0 || !d.has(pair{m.Row, m.Class, m.Other}) {
			return broken("multiplier %v of row %d, class %d against %d", value, m.Row, m.Class, m.Other)
		}
		values[k] = value
	}
	for list := e.pairs(); len(list) > 0; {
		vectors, err := d.vectors(list[:min(len(list), d.together())])
		if err != nil {
			return err
		}
		for k, z := range vectors {
			for j, v := range z {
				sum[j].Add(sum[j], t.Mul(v, values[k]))
			}
		}
		list, values = list[len(vectors):], values[len(vectors):]
	}
	for j, v := range sum {
		if v.Sign() != 0 {
			return broken("the combination is not 0 in coordinate %d", j)
		}
	}
	if len(e.Multipliers) == 0 {
		return broken("no multipliers")
	}
	return nil
}

// has reports whether a pair is an inequality of the rows.
func (d *data) has(q pair) (found bool) {
	d.pairs(q.row, func(r pair) { found = found || r == q })
	return found && d.Code[q.row] != Left
}

// strictBeside returns a row of which an inequality can be strict beside those that have multipliers, as it is not in their
// span; −1 where there is none.
func (e *Evidence) strictBeside(d *data) (row int, err error) {
	ties, err := e.equations(d)
	if err != nil || ties.full() {
		return -1, err
	}
	for _, v := range ties.nullVectors() {
		out, err := (&scan{f: newFunctions(d, v), apart: true, most: 1}).run()
		if err != nil {
			return -1, err
		}
		if out.first != nil {
			return out.first.row, nil
		}
	}
	return -1, nil
}

// nullVectors returns independent directions along which all equations hold: as many as
// there are parameters beyond the rank.
func (e *equations) nullVectors() [][]*big.Int {
	pivot := make([]bool, e.size())
	for _, j := range e.span.Pivots() {
		pivot[j] = true
	}
	var list [][]*big.Int
	for j, p := range pivot {
		if !p {
			list = append(list, e.satisfy(unitVector(len(pivot), j)))
		}
	}
	return list
}
