package separation

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/linalg/linalgtest"
)

// small draws rows of few numbers, so that many lie on a plane, of k classes; some are left out, or of both classes.
func small(seed uint64) *Problem {
	r := rand.New(rand.NewPCG(seed, 101))
	n, cols, k := 5+r.IntN(9), 1+r.IntN(3), 2+r.IntN(2)
	x := linalg.Zeros(n, cols)
	p := &Problem{X: x, Code: make([]int, n), Classes: k, ThroughZero: seed%3 == 0, Workers: 1}
	for i := range n {
		p.Code[i] = r.IntN(k)
		for j := range cols {
			x.Set(i, j, float64(r.IntN(4))+float64(p.Code[i]*int(seed%4))/2)
		}
		if seed%6 == 1 && i%4 == 3 {
			p.Code[i] = Left
		}
	}
	if seed%5 == 0 && cols > 1 { // a column that another determines
		for i := range n {
			x.Set(i, 1, 2*x.At(i, 0))
		}
	}
	for c := range k {
		p.Code[c] = c
	}
	return p
}

// counted is the problem as the oracle takes it: without the rows that are left out.
func counted(p *Problem) (*linalg.Dense, []int) {
	var rows [][]float64
	var code []int
	for i, c := range p.Code {
		if c != Left {
			rows, code = append(rows, p.X.(*linalg.Dense).Row(i)), append(code, c)
		}
	}
	x, _ := linalg.FromRows(rows)
	return x, code
}

// The simplex method in integers decides alone what the search mostly decides before it.
func TestSimplexDecidesAlone(t *testing.T) {
	kinds := map[Kind]int{}
	for seed := range uint64(linalgtest.Rounds(150, 3000)) {
		p := small(seed)
		d, err := newData(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &search{d: d, sample: &sampled{d: d, at: map[int]int{}}, work: allowance}
		if s.ties, err = newEquations(d); err != nil {
			t.Fatal(err)
		}
		if seed%2 == 0 {
			err = s.begin()
		} else { // unit vectors begin the basis
			_, err = s.sample.add(0)
		}
		if err != nil {
			t.Fatal(err)
		}
		var e *Evidence
		for stage := 0; e == nil; stage++ {
			overlap := s.ties.full()
			if !overlap && !s.ties.none() {
				apart, err := s.apart(uint64(stage))
				if err != nil {
					t.Fatal(err)
				}
				overlap = !apart
			}
			if overlap {
				e = (&Evidence{Kind: Overlap}).with(s.ties)
				break
			}
			known := false
			if e, known, err = s.exactly(nil); err != nil || e == nil && !known || stage > 20 {
				t.Fatalf("seed %d, stage %d: %v, %v, work %g", seed, stage, known, err, s.work)
			}
		}
		x, code := counted(p)
		want := map[linalgtest.Separability]Kind{linalgtest.Overlapping: Overlap, linalgtest.QuasiSeparated: Quasi, linalgtest.CompletelySeparated: Complete}[linalgtest.Separable(x, code, p.Classes, !p.ThroughZero)]
		if e.Kind != want {
			t.Errorf("seed %d: %v, want %v", seed, e.Kind, want)
		}
		if err := e.Verify(p); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		kinds[e.Kind]++
	}
	if len(kinds) != 3 {
		t.Errorf("kinds %v", kinds)
	}
}

// The column that leaves is a unit vector, else the inequality of the least coefficient, or the first
// of those below 0; inequalities are in the order of rows and then of classes.
func TestColumnsThatLeave(t *testing.T) {
	x := &simplex{basis: []column{{free: true}, {pair: pair{4, 0, 1}}, {pair: pair{2, 0, 2}}, {pair: pair{2, 0, 1}}, {pair: pair{1, 0, 1}}}}
	for _, c := range []struct {
		a                 []int64
		at, first         int
		unit              int // position of a unit vector, 0: none
		negative, isFirst bool
	}{
		{[]int64{-9, 1, 0, 2, 3}, -1, -1, 0, true, true},
		{[]int64{-9, -1, -3, -2, 0}, 2, 3, 0, true, true},
		{[]int64{5, -1, -1, -1, 1}, 1, 3, 0, true, true},
		{[]int64{5, -1, 2, 3, 1}, 1, 1, 0, true, true},
		{[]int64{5, -1, 2, 3, 1}, 3, 3, 3, false, false},
		{[]int64{5, -1, 2, -3, 1}, 3, 3, 3, true, true},
		{[]int64{5, -1, 2, 0, 1}, 1, 1, 3, true, true},
	} {
		a := make([]*big.Int, len(c.a))
		for k, v := range c.a {
			a[k] = big.NewInt(v)
			x.basis[k].unit = c.unit > 0 && k == c.unit
		}
		at, negative := x.leaving(a, false)
		first, isFirst := x.leaving(a, true)
		if at != c.at || first != c.first || negative != c.negative || isFirst != c.isFirst {
			t.Errorf("%v, unit %d: %d (%v), first %d (%v); want %d, %d", c.a, c.unit, at, negative, first, isFirst, c.at, c.first)
		}
	}
	order := []pair{{1, 0, 1}, {1, 0, 2}, {2, 1, 0}, {3, 0, 1}}
	for i, q := range order {
		for j, r := range order {
			if (q.compare(r) < 0) != (i < j) {
				t.Errorf("%v beside %v: %d", q, r, q.compare(r))
			}
		}
	}
	if w := worst([]violation{{pair: order[0], lead: 2}, {pair: order[1], lead: -3}, {pair: order[2], lead: -3}}); w != order[1] {
		t.Errorf("worst %v", w)
	}
	if got := solving(10, 61); got != 1000*(1+4) {
		t.Errorf("work %g", got)
	}
}

// rankOf is the rank of rows of rationals.
func rankOf(rows [][]*big.Rat) (rank int) {
	for col := 0; len(rows) > 0 && col < len(rows[0]); col++ {
		at := slices.IndexFunc(rows, func(r []*big.Rat) bool { return r[col].Sign() != 0 })
		if at < 0 {
			continue
		}
		rank++
		pivot := rows[at]
		rows = slices.Delete(slices.Clone(rows), at, at+1)
		for i, r := range rows {
			f := new(big.Rat).Quo(r[col], pivot[col])
			rows[i] = slices.Clone(r)
			for j := range r {
				rows[i][j] = new(big.Rat).Sub(r[j], new(big.Rat).Mul(f, pivot[j]))
			}
		}
	}
	return rank
}

// Columns are independent exactly where their rank says so, with the ones or without.
func TestIndependentColumns(t *testing.T) {
	answers := map[bool]int{}
	for seed := range uint64(200) {
		p := small(seed)
		x := p.X.(*linalg.Dense)
		if seed%4 == 1 { // nearly dependent
			for i := range x.Rows {
				x.Set(i, 0, 1+float64(i%2)*0x1p-50)
			}
		}
		if seed%7 == 2 {
			for i := range p.Code[2:] {
				p.Code[i+2] = Left
			}
		}
		var rows [][]*big.Rat
		for i, c := range p.Code {
			if c == Left {
				continue
			}
			var row []*big.Rat
			if !p.ThroughZero {
				row = append(row, big.NewRat(1, 1))
			}
			for _, v := range x.Row(i) {
				row = append(row, new(big.Rat).SetFloat64(v))
			}
			rows = append(rows, row)
		}
		got, err := Independent(p)
		if want := rankOf(rows) == len(rows[0]); err != nil || got != want {
			t.Errorf("seed %d: independent %v, want %v (%v)", seed, got, want, err)
		}
		answers[got]++
	}
	if min(answers[false], answers[true]) < 20 {
		t.Errorf("answers %v", answers)
	}
}

// Rows of many columns that store the same are evidence where their classes differ.
func TestCoincidentRows(t *testing.T) {
	const n = 760
	x := linalg.Zeros(n, n)
	for i := range n {
		x.Set(i, i, 1+float64(i%5))
		x.Set(i, (i*7+1)%n, 2)
	}
	copy(x.Row(700), x.Row(20))
	copy(x.Row(701), x.Row(33))
	p := &Problem{X: linalgtest.Sparse(x), Code: make([]int, n), Classes: 2}
	at := func() *Evidence { return Coincident(p, p.X.(linalg.Table)) }
	if e := at(); e != nil {
		t.Errorf("rows of one class: %v", e)
	}
	p.Code[20], p.Code[33] = 1, Left
	e := at()
	if e == nil || e.Kind != Undecided || len(e.Multipliers) != 2 || e.Multipliers[0].Row != 20 || e.Multipliers[1].Row != 700 {
		t.Fatalf("rows 20 and 700 coincide: %+v", e)
	}
	if err := e.Verify(p); err != nil {
		t.Error(err)
	}
	if p.Code[700] = Left; at() != nil {
		t.Errorf("rows that are left out: %v", at())
	}
	p.Code[700] = 0
	x.Row(700)[20] += 0x1p-50
	p.X = linalgtest.Sparse(x)
	if at() != nil {
		t.Errorf("rows that differ by a bit: %v", at())
	}
	few := small(1)
	copy(few.X.(*linalg.Dense).Row(1), few.X.(*linalg.Dense).Row(0))
	if e := Coincident(few, few.X.(linalg.Table)); e != nil {
		t.Errorf("of a small table: %v", e)
	}
}

// Origins, units, last bits and extents of the columns are those of sorted values, and the integers of a
// row those of its differences.
func TestColumnsAreMeasured(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 102))
		p := small(seed)
		x := p.X.(*linalg.Dense)
		for i := range x.Data {
			x.Data[i] = math.Ldexp(x.Data[i]*float64(1+r.IntN(7)), r.IntN(20)-10)
			if seed%4 == 2 {
				x.Data[i] += 1000
			}
		}
		d, err := newData(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows, _ := counted(p)
		for j := range d.columns {
			column := slices.Sorted(slices.Values(rows.Col(nil, j)))
			origin := 0.0
			if !p.ThroughZero {
				origin = column[len(column)/2]
			}
			bit, far := noBit, []float64(nil)
			for _, v := range append(column, origin) {
				for b := -1074; b < 64; b++ { // the largest power of two of which v is a multiple
					if q := math.Ldexp(v, -b); v != 0 && q != math.Trunc(q) {
						bit = min(bit, b-1)
						break
					}
				}
			}
			zeros, extent := 0, 0.0
			for _, v := range column {
				far = append(far, math.Abs(v-origin))
				if extent = max(extent, math.Abs(v-origin)); v == origin {
					zeros++
				}
			}
			slices.Sort(far)
			unit := 1.0
			if zeros < len(far) {
				unit = math.Exp2(math.Floor(math.Log2(far[(zeros+len(far))/2])))
			}
			if d.origin[j] != origin || d.unit[j] != unit || d.extent[j] != extent || bit != noBit && d.bit[j] != bit {
				t.Errorf("seed %d: origin %g, unit %g, extent %g, bit %d; want %g, %g, %g, %d", seed, d.origin[j], d.unit[j], d.extent[j], d.bit[j], origin, unit, extent, bit)
			}
		}
		for i, c := range p.Code {
			if c == Left {
				continue
			}
			z := d.integers(x.Row(i))
			if d.first == 1 && z[0].Int64() != 1 {
				t.Errorf("seed %d: the 1 is %v", seed, z[0])
			}
			for j, v := range x.Row(i) {
				got, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(z[j+d.first]), d.bit[j]).Float64()
				if got != v-d.origin[j] {
					t.Errorf("seed %d: %g less %g is %g", seed, v, d.origin[j], got)
				}
			}
		}
	}
	for v, want := range map[float64]int{1: 0, 3: 0, 6: 1, 0.75: -2, -40: 3, 5e-324: -1074, 0x1p-1022: -1022, 0: noBit, 0x1.8p100: 99} {
		if got := lastBit(v); got != want {
			t.Errorf("last bit of %g: %d", v, got)
		}
	}
}

// A direction is the same in integers, in float64 to rounding, and from float64 to the digits asked for.
func TestDirectionsInAllForms(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 103))
		p := small(seed)
		x := p.X.(*linalg.Dense)
		for i := range x.Data {
			x.Data[i] = math.Ldexp(x.Data[i], 3*(i%x.Cols)) + 0.5
		}
		d, err := newData(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		size := (d.k - 1) * d.dim
		v, floats := make([]*big.Int, size), make([]exact.Sum, size)
		for j := range v {
			v[j] = big.NewInt(r.Int64N(1<<60) - 1<<59)
			floats[j] = exact.Sum{Hi: r.NormFloat64(), Lo: 0x1p-60 * r.NormFloat64()}
		}
		zero := make([]float64, x.Cols)
		near, whole := d.rounded(v, d.origin), d.whole(v)
		plain := d.rounded(v, zero)
		if plain.Origin != nil || !slices.Equal(whole.Origin, d.origin) {
			t.Errorf("seed %d: origins %v and %v, want none and %v", seed, plain.Origin, whole.Origin, d.origin)
		}
		long, short := d.fromFloats(floats, 0), d.fromFloats(floats, 20)
		at := func(w []*big.Int, c, i int) float64 { // f of class c at row i, in some scale
			if c == 0 {
				return 0
			}
			f, _ := new(big.Float).SetInt(exact.Dot(w[(c-1)*d.dim:c*d.dim], d.integers(x.Row(i)))).Float64()
			return f
		}
		published := func(e *Evidence, c, i int) float64 {
			if e.Coef != nil {
				if e.Coef.Rows == 1 {
					if c--; c < 0 {
						return 0
					}
				}
				f := e.Intercept[c]
				for j, u := range x.Row(i) {
					if e.Origin != nil {
						u -= e.Origin[j]
					}
					f += e.Coef.At(c, j) * u
				}
				return f
			}
			if len(e.IntegerCoef) == 1 {
				if c--; c < 0 {
					return 0
				}
			}
			f := new(big.Float).SetInt(e.IntegerIntercept[c].Int())
			for j, b := range e.IntegerCoef[c] {
				u := new(big.Float).Mul(new(big.Float).SetInt(b.Int()), big.NewFloat(x.At(i, j)-e.Origin[j]))
				f.Add(f, u)
			}
			g, _ := f.Float64()
			return g
		}
		inUnits := func(c, i int) float64 {
			if c == 0 {
				return 0
			}
			f := 0.0
			for j, s := range floats[(c-1)*d.dim : c*d.dim] {
				u := 1.0
				if j >= d.first {
					u = (x.At(i, j-d.first) - d.origin[j-d.first]) / d.unit[j-d.first]
				}
				f += s.Value() * u
			}
			return f
		}
		for name, c := range map[string]struct {
			got, want func(c, i int) float64
			near      float64
		}{
			"float64 about the origin": {func(c, i int) float64 { return published(near, c, i) }, func(c, i int) float64 { return at(v, c, i) }, 1e-13},
			"float64 about 0":          {func(c, i int) float64 { return published(plain, c, i) }, func(c, i int) float64 { return at(v, c, i) }, 1e-11},
			"integers":                 {func(c, i int) float64 { return published(whole, c, i) }, func(c, i int) float64 { return at(v, c, i) }, 1e-13},
			"from float64":             {func(c, i int) float64 { return at(long, c, i) }, inUnits, 1e-13},
			"from 20 digits":           {func(c, i int) float64 { return at(short, c, i) }, inUnits, 2e-5},
		} {
			top, scale := 0.0, 0.0
			for k := 1; k < d.k; k++ {
				for i := range p.Code {
					if w := math.Abs(c.want(k, i)); w > top {
						top, scale = w, c.got(k, i)/c.want(k, i)
					}
				}
			}
			if !(scale > 0) {
				t.Fatalf("seed %d, %s: scale %g", seed, name, scale)
			}
			for k := range d.k {
				for i := range p.Code {
					linalgtest.Close(t, name, c.got(k, i)/scale/top, c.want(k, i)/top, c.near)
				}
			}
		}
	}
}

// The frame's coordinates are T times the rows, and its columns are well conditioned, where the
// rows' own differ in their last digits.
func TestFrameOfNearCopies(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 104))
		n, cols := 30, 2+r.IntN(3)
		x := linalgtest.Normal(seed, n, cols)
		for i := range n {
			x.Set(i, 1, x.At(i, 0)+1e-12*x.At(i, 1))
		}
		p := &Problem{X: x, Code: make([]int, n), Classes: 2, ThroughZero: seed%2 == 0}
		d, err := newData(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &sampled{d: d, at: map[int]int{}}
		for i := range n - 5 {
			if _, err := s.add(i); err != nil {
				t.Fatal(err)
			}
		}
		f := newFrame(s)
		if f.t == nil || len(f.t) != d.dim {
			t.Fatalf("seed %d: %d columns of %d", seed, len(f.t), d.dim)
		}
		if any, err := s.add(n-5, n-4, 3); !any || err != nil || len(s.rows) != n-3 {
			t.Errorf("rows joined: %v, %v, %d", any, err, len(s.rows))
		}
		if f = f.follow(s); len(f.z) != n-3 || f.began != n-5 {
			t.Errorf("seed %d: %d rows of %d", seed, len(f.z), f.began)
		}
		gram := linalg.Zeros(d.dim, d.dim)
		for a, i := range s.rows {
			for c, row := range f.t {
				sum := new(big.Float).SetPrec(400)
				for j, u := range row {
					z := big.NewFloat(1)
					if j >= d.first {
						z = new(big.Float).SetPrec(400).Sub(big.NewFloat(x.At(i, j-d.first)), big.NewFloat(d.origin[j-d.first]))
						z.Quo(z, big.NewFloat(d.unit[j-d.first]))
					}
					sum.Add(sum, new(big.Float).SetPrec(400).Mul(big.NewFloat(u), z))
				}
				want, _ := sum.Float64()
				linalgtest.Close(t, "T·z", f.z[a][c], want, 1e-14*(1+math.Abs(want)))
			}
			if a < n-5 {
				weight := 1 / max(1, linalg.NormInf(s.hi[a]))
				for c := range f.t {
					linalg.Axpy(gram.Row(c), weight*weight*f.z[a][c], f.z[a])
				}
			}
		}
		for c := range d.dim {
			for e := range c {
				if cosine := math.Abs(gram.At(c, e)) / math.Sqrt(gram.At(c, c)*gram.At(e, e)); cosine > 1e-3 {
					t.Errorf("seed %d: cosine %g of columns %d and %d", seed, cosine, c, e)
				}
			}
		}
	}
}

// The columns of a hull have the length that is left beside the equations, and the steepest is the one of
// the largest product.
func TestColumnsOfAHull(t *testing.T) {
	for seed := range uint64(60) {
		p := small(seed)
		d, err := newData(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &sampled{d: d, at: map[int]int{}}
		for i := range p.Code {
			if _, err := s.add(i); err != nil {
				t.Fatal(err)
			}
		}
		var ties []pair
		if seed%2 == 0 {
			d.pairs(s.rows[0], func(q pair) { ties = append(ties, q) })
		}
		work := 1e9
		h := newHull(s, newFrame(s), ties, &work)
		if work >= 1e9 && len(ties) > 0 {
			t.Errorf("seed %d: no work", seed)
		}
		r := linalgtest.Normal(seed, 1, h.Len()).Data
		last := len(r) - 1
		h.project(r[:last])
		best, most := -1, math.Inf(-1)
		for k, i := range s.rows {
			d.pairs(i, func(q pair) {
				z := make([]float64, last)
				h.difference(z, k, q)
				whole := linalg.Norm(z)
				if want := 0.0; true {
					if q.own > 0 {
						want += linalg.Dot(h.z[k], h.z[k])
					}
					if q.other > 0 {
						want += linalg.Dot(h.z[k], h.z[k])
					}
					linalgtest.Close(t, "difference", whole*whole, want, 1e-12*(1+want))
				}
				h.project(z)
				left := linalg.Norm(z)
				j := k*h.classes + q.other
				if left <= 1e-8*whole {
					left = 0
				}
				linalgtest.Close(t, "length", h.length[j], left, 1e-9*whole)
				if h.pairOf(j) != q {
					t.Errorf("seed %d: column %d is %v, want %v", seed, j, h.pairOf(j), q)
				}
				if left == 0 {
					return
				}
				column := make([]float64, last+1)
				h.Column(column, j)
				for c, u := range z {
					linalgtest.Close(t, "column", column[c], u/left, 1e-9)
				}
				if column[last] != 1 {
					t.Errorf("seed %d: the last is %g", seed, column[last])
				}
				if v := linalg.Dot(column, r); v > most+1e-12 {
					best, most = j, v
				}
			})
		}
		if j, v := h.Steepest(r); best >= 0 && (j != best && math.Abs(v-most) > 1e-9 || math.Abs(v-most) > 1e-9) {
			t.Errorf("seed %d: column %d of %g, want %d of %g", seed, j, v, best, most)
		}
	}
}

// An overlap whose multipliers leave a row an inequality of its own is none; one whose rows all lie where
// they span is.
func TestOverlapOfAPartIsNone(t *testing.T) {
	x := linalgtest.Rows(t, []float64{0, 0}, []float64{0, 0}, []float64{1, 0})
	p := &Problem{X: x, Code: []int{0, 1, 1}, Classes: 2}
	one := NewInteger(big.NewInt(1))
	e := &Evidence{Kind: Overlap, Multipliers: []Multiplier{{0, 0, 1, one}, {1, 1, 0, one}}}
	if err := e.Verify(p); err == nil {
		t.Error("row 2 is on the positive side of a plane through the others")
	}
	x.Set(2, 0, 0)
	if err := e.Verify(p); err != nil {
		t.Errorf("rows that all coincide: %v", err)
	}
	p.Code[2] = Left
	x.Set(2, 0, 1)
	if err := e.Verify(p); err != nil {
		t.Errorf("a row that is left out: %v", err)
	}
	for _, row := range []int{-1, 3} {
		if e.Multipliers[0].Row = row; e.Verify(p) == nil {
			t.Errorf("row %d of 3 has a multiplier", row)
		}
	}
	e.Multipliers[0].Row = 0
	e.Multipliers = append(e.Multipliers, Multiplier{1, 1, 0, NewInteger(new(big.Int))})
	if e.Verify(p) == nil {
		t.Error("a multiplier is 0")
	}
}

// Codes and columns that are none are refused by every question.
func TestProblemsThatDoNotFitAreRefused(t *testing.T) {
	x := linalgtest.Normal(1, 3, 2)
	for name, c := range map[string]struct {
		p  Problem
		ok bool
	}{
		"two classes":               {Problem{Code: []int{0, 1, Both}, Classes: 2}, true},
		"a row left out":            {Problem{Code: []int{0, 1, Left}, Classes: 2, Columns: []int{0, 1}}, true},
		"class 2 of 2":              {Problem{Code: []int{0, 1, 2}, Classes: 2}, false},
		"class −3":                  {Problem{Code: []int{0, 1, -3}, Classes: 2}, false},
		"both of three":             {Problem{Code: []int{0, 1, Both}, Classes: 3}, false},
		"two codes":                 {Problem{Code: []int{0, 1}, Classes: 2}, false},
		"a column beyond":           {Problem{Code: []int{0, 1, 1}, Classes: 2, Columns: []int{2}}, false},
		"a column before the first": {Problem{Code: []int{0, 1, 1}, Classes: 2, Columns: []int{-1}}, false},
	} {
		c.p.X = x
		if _, err := Decide(&c.p); (err == nil) != c.ok {
			t.Errorf("%s: decided, %v", name, err)
		}
		if _, err := Mixed(&c.p); (err == nil) != c.ok {
			t.Errorf("%s: mixed, %v", name, err)
		}
		if _, err := Independent(&c.p); (err == nil) != c.ok {
			t.Errorf("%s: independent, %v", name, err)
		}
	}
}

// The widest margin is between convex combinations of the rows, and no row is nearer along it than they
// are: from whatever rows the search begins.
func TestWidestMarginOnAnyRows(t *testing.T) {
	found := 0
	for seed := range uint64(300) {
		p := small(seed)
		x := p.X.(*linalg.Dense)
		e, err := Decide(p)
		if err != nil {
			t.Fatal(err)
		}
		if p.Classes != 2 || e.Kind != Complete {
			continue
		}
		found++
		r := rand.New(rand.NewPCG(seed, 105))
		var start []int
		var weights []float64
		for i, c := range p.Code { // one of either class at least
			if c != Left && (i < 2 || r.IntN(3) == 0) {
				start, weights = append(start, i), append(weights, 0.1+r.Float64())
			}
		}
		m, err := WidestMargin(p, start, weights)
		if err != nil || m == nil {
			t.Fatalf("seed %d: %v, %v", seed, m, err)
		}
		w, sum := make([]float64, x.Cols), [2]float64{}
		for k, i := range m.Rows {
			s := float64(2*p.Code[i] - 1)
			if !(m.Weights[k] > 0) {
				t.Errorf("seed %d: weight %g", seed, m.Weights[k])
			}
			sum[p.Code[i]] += m.Weights[k]
			linalg.Axpy(w, s*m.Weights[k], x.Row(i))
		}
		if p.ThroughZero {
			sum[0] += sum[1]
			sum[1] = 1
		}
		linalgtest.CloseSlice(t, "sums", sum[:], []float64{1, 1}, 1e-14)
		linalgtest.CloseSlice(t, "difference", m.Difference, w, 1e-13)
		square := linalg.Dot(w, w)
		reach := [2]float64{math.Inf(1), math.Inf(1)}
		for i, c := range p.Code {
			if c != Left {
				g := c
				if p.ThroughZero {
					g = 0
				}
				reach[g] = min(reach[g], float64(2*c-1)*linalg.Dot(w, x.Row(i)))
			}
		}
		if p.ThroughZero {
			reach[1] = 0
		}
		linalgtest.Close(t, "the rows are as far apart", reach[0]+reach[1], square, 1e-12*(1+square))
	}
	if found < 30 {
		t.Errorf("%d margins", found)
	}
}

// The sign of a sum of many terms, whose coefficients lose their last digits in two float64 all the
// same way, is that of the integers, whose sum is 1: in two words it is far below 0.
func TestSignsThatTwoWordsMiss(t *testing.T) {
	const p, low = 64, 6152618134063236095
	x := linalg.Zeros(2, p)
	for i := range x.Data {
		x.Data[i] = 1
	}
	d, err := newData(&Problem{X: x, Code: []int{0, 1}, Classes: 2, ThroughZero: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	long := new(big.Int).Lsh(big.NewInt(1), 116)
	long.Add(long, big.NewInt(low))
	v, sum := slices.Repeat([]*big.Int{long}, p), new(big.Int)
	v[p-1] = sum.Sub(big.NewInt(1), sum.Mul(long, big.NewInt(p-1)))
	f := newFunctions(d, v)
	s, size := make([]float64, 2), make([]float64, 2)
	f.scores(s, size, x.Row(1))
	q := pair{row: 1, own: 1}
	if sign, near := f.sign(q, x.Row(1), s, size, exact.Sum{}, nil); sign != 1 {
		t.Errorf("sign %d, %g in two words", sign, near)
	}
}

// The sign of a sum is not taken from two words where so many terms round down that they hide it: 1,024 of 53 bits, each
// with as much below the last digit of the sum as half of it but one, beside terms of 1 and −1 and nearly their sum.
func TestSignsOfManyTermsThatRoundDown(t *testing.T) {
	const terms, short = 1024, 175_000
	x := linalg.Zeros(2, terms+3)
	e := &Evidence{Coef: linalg.Zeros(1, x.Cols), Intercept: []float64{0}}
	row, coef, sum := x.Row(0), e.Coef.Data, uint64(0)
	row[0], coef[0], row[terms+1], coef[terms+1] = 1, 1, -1, 1
	for j := 1; j <= terms; j++ {
		v := uint64(1<<53 - 1 - 1<<bits.Len(uint(j-1))>>1)
		sum += v
		row[j], coef[j] = math.Ldexp(float64(v), -80), 0x1p-26
	}
	row[terms+2], coef[terms+2] = math.Ldexp(-float64(sum-short), 22-106), 0x1p-22
	x.Set(1, 0, 1) // a row of f = 1
	p := &Problem{X: x, Code: []int{0, 1}, Classes: 2, ThroughZero: true}
	if err := e.Check(p, nil); err != nil || e.Kind != Undecided || e.Strict != 1 {
		t.Errorf("f is above 0 at a row of class 0: %v, %d rows strictly, %v", e.Kind, e.Strict, err)
	}
	d, err := newData(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := e.parameters(d)
	if err != nil {
		t.Fatal(err)
	}
	f, s, size := newFunctions(d, v), make([]float64, 2), make([]float64, 2)
	f.scores(s, size, row)
	if sign, near := f.sign(pair{row: 0, own: 1}, row, s, size, exact.Sum{}, nil); sign != 1 {
		t.Errorf("sign %d, %g in two words", sign, near)
	}
}

// Columns that are all of them, and an origin of zeros, leave sparse rows as they are stored: a fit names both.
func TestAllColumnsAboutZerosAreTakenAsStored(t *testing.T) {
	x := linalg.Zeros(2, 5)
	x.Set(0, 3, 2)
	e := &Evidence{Origin: make([]float64, 5), Coef: linalg.Zeros(1, 5), Intercept: []float64{-1}}
	e.Coef.Set(0, 3, 1)
	p := &Problem{X: linalgtest.Sparse(x), Code: []int{1, 0}, Classes: 2, Columns: []int{0, 1, 2, 3, 4}}
	d, err := unmeasured(p)
	if err != nil {
		t.Fatal(err)
	}
	v := plainVisitor{plain: newPlain(d, e), whole: d.wholeRow(), row: make([]float64, 5)}
	err = linalg.Pass(p.X, 0, 2, func(b *linalg.Block) error {
		if columns, values := v.entries(b, 0); !slices.Equal(columns, []int32{3}) || !slices.Equal(values, []float64{2}) {
			t.Errorf("columns %v of values %v", columns, values)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Check(p, nil); err != nil || e.Kind != Complete || e.Strict != 2 {
		t.Errorf("%v, %d rows strictly, %v", e.Kind, e.Strict, err)
	}
}

// Of many columns few rows are kept for typical values, and few states for the pieces of a pass.
func TestManyColumnsTakeLittleMemory(t *testing.T) {
	const n, p = 20_000, 100_000
	start, code := make([]int, n+1), make([]int, n)
	for i := range n {
		start[i+1] = i + 1
	}
	x, err := linalg.NewCSR(n, p, start, make([]int32, n), slices.Repeat([]float64{1}, n))
	if err != nil {
		t.Fatal(err)
	}
	d, err := unmeasured(&Problem{X: x, Code: code, Classes: 2})
	if err != nil {
		t.Fatal(err)
	}
	pieces := 0
	err = eachStored(d, func() *int { return new(int) }, func() func(*int, *linalg.Block, int) { return func(*int, *linalg.Block, int) {} }, func(*int) { pieces++ })
	if err != nil || pieces > 45 {
		t.Errorf("%d pieces, %v", pieces, err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := d.setTypical(nil); err != nil || d.origin[0] != 1 || d.origin[1] != 0 {
		t.Errorf("origin %g, %g, %v", d.origin[0], d.origin[1], err)
	}
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 50<<20 {
		t.Errorf("%d MB", made>>20)
	}
}

// Without parameters there are no functions to ask for, and no margin.
func TestNoParametersAreRefused(t *testing.T) {
	x, code := linalgtest.Normal(1, 3, 2), []int{0, 1, 1}
	var shape *linalg.ShapeError
	for _, columns := range [][]int{{}, {1, 0}, {1, 1}} {
		if _, err := Decide(&Problem{X: x, Code: code, Classes: 2, ThroughZero: true, Columns: columns}); !errors.As(err, &shape) {
			t.Errorf("columns %v: %v", columns, err)
		}
	}
	p := &Problem{X: x, Code: code, Classes: 2, Columns: []int{}}
	if e, err := Decide(p); err != nil || e.Kind != Overlap || e.Verify(p) != nil {
		t.Errorf("an intercept alone: %v, %v", e, err)
	}
	if m, err := WidestMargin(p, []int{0, 1}, []float64{1, 1}); m != nil || err != nil {
		t.Errorf("an intercept alone: %v, %v", m, err)
	}
}

// A margin whose products would take more work than a decision may is not looked for.
func TestWidestMarginCountsTheProductsOfItsRows(t *testing.T) {
	const n, p = 130, 6000
	x, code, weights := linalg.Zeros(n, p), make([]int, n), slices.Repeat([]float64{1}, n)
	for i := range n {
		x.Set(i, i, 1)
		code[i] = i % 2
	}
	for rows, want := range map[int]bool{20: true, n: false} {
		q := &Problem{X: x.RowRange(0, rows), Code: code[:rows], Classes: 2}
		m, err := WidestMargin(q, linalg.Sequence(rows), weights[:rows])
		if err != nil || (m != nil) != want {
			t.Errorf("%d rows of %d columns: %v, %v", rows, p, m != nil, err)
		}
	}
}

// Parts of rows that are not in memory and would be too large are left out.
func TestRemoteRowsAreDecidedWithoutParts(t *testing.T) {
	x, code := linalgtest.Normal(5, 4000, 2), make([]int, 4000)
	for i := range code {
		if x.At(i, 0)+x.At(i, 1) > 0.1 {
			code[i] = 1
		}
	}
	e, err := Decide(&Problem{X: linalgtest.Remote{Rows: x, Most: 80}, Code: code, Classes: 2})
	if err != nil || e.Kind != Complete {
		t.Errorf("%v, %v", e, err)
	}
}

// Rows of both classes make equations, whether or not the first sample has them.
func TestRowsOfBothClassesBesideTheSample(t *testing.T) {
	const p, mixed = 30, 16
	n := 2 * (sampleRows + sampleShare*(p+1)) // of which the sample has every other
	r := rand.New(rand.NewPCG(8, 106))
	x, code := linalg.Zeros(n, p), make([]int, n)
	for i := range n {
		row, lead := x.Row(i), 0.0
		for math.Abs(lead) < 8 {
			lead = 0
			for j := range row {
				row[j] = float64(r.IntN(17) - 8)
				lead += row[j] * float64(1+j%3)
			}
		}
		if code[i] = 0; lead > 0 {
			code[i] = 1
		}
		if i%2 == 1 && i < 2*mixed { // on the plane
			row[0] -= lead
			code[i] = Both
		}
	}
	q := &Problem{X: x, Code: code, Classes: 2, Spent: 0.998}
	e, err := Decide(q)
	if err != nil || e.Kind != Quasi {
		t.Fatalf("%v, %v", e.Kind, err)
	}
	if err := e.Verify(q); err != nil {
		t.Error(err)
	}
}
