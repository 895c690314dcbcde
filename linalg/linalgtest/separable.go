package linalgtest

import (
	"math"
	"math/big"

	"halfspace/linalg"
)

// Separability says how hyperplanes separate classes.
type Separability uint8

// The three answers of [Separable].
const (
	Overlapping Separability = iota
	QuasiSeparated
	CompletelySeparated
)

func (s Separability) String() string {
	return [...]string{"overlap", "quasi-complete", "complete"}[s]
}

// Separable decides in exact arithmetic how K functions of the rows of x, with labels
// 0 … K−1, separate the classes, by two linear programs over v with z the differences of a
// row's own function and another's:
//
//	max Σ z·v  subject to  z·v ≥ 0, Σ z·v ≤ 1;    max t  subject to  z·v ≥ t, t ≤ 1.
//
// The first is 0 where no v has z·v ≥ 0 for all z and > 0 for one (Stiemke's alternative),
// the second where none has z·v > 0 for all. The simplex method keeps its tableau in
// integers (Edmonds, 1967) and follows Bland's rule, so it ends. It is slow, simple, and
// shares nothing with the library.
func Separable(x *linalg.Dense, y []int, k int, intercept bool) Separability {
	z := differencesOf(x, y, k, intercept)
	dim := len(z[0])
	sum := make([]*big.Int, dim)
	for j := range sum {
		sum[j] = new(big.Int)
		for _, row := range z {
			sum[j].Add(sum[j], row[j])
		}
	}
	weak := newTableau(dim)
	for _, row := range z {
		weak.require(negated(row), 0)
	}
	weak.require(sum, 1)
	if !weak.positive(sum) {
		return Overlapping
	}
	strict := newTableau(dim + 1)
	last := make([]*big.Int, dim+1)
	for j := range last {
		last[j] = new(big.Int)
	}
	last[dim].SetInt64(1)
	for _, row := range z {
		strict.require(append(negated(row), big.NewInt(1)), 0)
	}
	strict.require(last, 1)
	if strict.positive(last) {
		return CompletelySeparated
	}
	return QuasiSeparated
}

func negated(v []*big.Int) []*big.Int {
	n := make([]*big.Int, len(v), len(v)+1)
	for i, z := range v {
		n[i] = new(big.Int).Neg(z)
	}
	return n
}

// differencesOf returns the z as integers, each column in a unit of its own.
func differencesOf(x *linalg.Dense, y []int, k int, intercept bool) [][]*big.Int {
	n, p := x.Dims()
	rows := make([][]*big.Int, n)
	for i := range rows {
		if intercept {
			rows[i] = append(rows[i], big.NewInt(1))
		}
	}
	for j := range p {
		low := 1 << 20
		for i := range n {
			if v := x.At(i, j); v != 0 {
				fraction, e := math.Frexp(v)
				for e -= 53; math.Mod(math.Ldexp(fraction, 53), 2) == 0; {
					fraction, e = fraction/2, e+1
				}
				low = min(low, e)
			}
		}
		for i := range n {
			z := new(big.Int)
			if v := x.At(i, j); v != 0 {
				f, _ := new(big.Float).SetMantExp(big.NewFloat(v), -low).Int(z)
				z = f
			}
			rows[i] = append(rows[i], z)
		}
	}
	var all [][]*big.Int
	for i, row := range rows {
		for c := range k {
			if c == y[i] {
				continue
			}
			z := make([]*big.Int, (k-1)*len(row))
			for j := range z {
				z[j] = new(big.Int)
			}
			for j, v := range row {
				if y[i] > 0 {
					z[(y[i]-1)*len(row)+j].Set(v)
				}
				if c > 0 {
					z[(c-1)*len(row)+j].Neg(v)
				}
			}
			all = append(all, z)
		}
	}
	return all
}

// tableau is a linear program a·v ≤ b with b ≥ 0 and v of any sign, each of its numbers as
// one variable less another that all have in common. Elements are integers over the common
// denominator.
type tableau struct {
	free  int
	rows  [][]*big.Int // slack = b − a·v: the coefficients of the non-basic variables, then b
	den   *big.Int
	basic []int // variables of the rows
	non   []int // and of the columns
}

func newTableau(free int) *tableau {
	t := &tableau{free: free, den: big.NewInt(1)}
	for j := range free + 1 {
		t.non = append(t.non, j)
	}
	return t
}

func (t *tableau) require(a []*big.Int, b int64) {
	t.basic = append(t.basic, t.free+1+len(t.rows))
	t.rows = append(t.rows, append(withCommon(a), big.NewInt(b)))
}

// withCommon returns the coefficients a of a row and that of the variable in common.
func withCommon(a []*big.Int) []*big.Int {
	sum := new(big.Int)
	for _, z := range a {
		sum.Sub(sum, z)
	}
	return append(append(make([]*big.Int, 0, len(a)+2), a...), sum)
}

// positive reports whether the maximum of c·v is above 0.
func (t *tableau) positive(c []*big.Int) bool {
	goal := append(withCommon(negated(c)), new(big.Int))
	t.rows = append(t.rows, goal) // the last row is the objective: −c, and its value at the end
	last := len(t.rows) - 1
	for {
		column := -1
		for j := range t.non {
			if t.rows[last][j].Sign() < 0 && (column < 0 || t.non[j] < t.non[column]) {
				column = j
			}
		}
		if column < 0 {
			return t.rows[last][len(t.non)].Sign() > 0
		}
		row := t.ratio(column, last)
		if row < 0 {
			panic("linalgtest: a bounded program without bound")
		}
		t.pivot(row, column)
	}
}

// ratio returns the row that limits a column, the one of the least variable among several.
func (t *tableau) ratio(column, rows int) int {
	best, a, b := -1, new(big.Int), new(big.Int)
	m := len(t.non)
	for i := range rows {
		if t.rows[i][column].Sign() <= 0 {
			continue
		}
		if best < 0 {
			best = i
			continue
		}
		a.Mul(t.rows[i][m], t.rows[best][column])
		b.Mul(t.rows[best][m], t.rows[i][column])
		if c := a.Cmp(b); c < 0 || c == 0 && t.basic[i] < t.basic[best] {
			best = i
		}
	}
	return best
}

// pivot exchanges the variables of a row and a column.
func (t *tableau) pivot(row, column int) {
	p := t.rows[row][column]
	a := new(big.Int)
	for i, r := range t.rows {
		if i == row {
			continue
		}
		f := r[column]
		next := make([]*big.Int, len(r))
		for j := range r {
			if j == column {
				next[j] = new(big.Int).Neg(f)
				continue
			}
			next[j] = new(big.Int).Mul(r[j], p)
			next[j].Sub(next[j], a.Mul(f, t.rows[row][j]))
			next[j].Quo(next[j], t.den)
		}
		t.rows[i] = next
	}
	old := t.den
	t.den = new(big.Int).Set(p)
	t.rows[row][column] = new(big.Int).Set(old)
	t.basic[row], t.non[column] = t.non[column], t.basic[row]
}
