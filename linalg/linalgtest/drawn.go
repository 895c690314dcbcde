package linalgtest

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
)

// Clustered returns n rows of 40 features in 30 clusters, of 6 classes: data whose Hessian
// no model by the scores alone foretells.
func Clustered(n int) (*linalg.Dense, []int) {
	x, f, b := Normal(5, n, 40), Normal(6, n, 6), Normal(7, 6, 40)
	centers, y := Normal(8, 30, 40), make([]int, n)
	for i := range y {
		linalg.Scale(x.Row(i), 0.2)
		linalg.Axpy(x.Row(i), 1, centers.Row(i%30))
		for c := range 6 {
			f.Row(i)[c] += linalg.Dot(b.Row(c), x.Row(i)) / 3
		}
		y[i] = linalg.ArgMax(f.Row(i))
	}
	return x, y
}

// WithRareFeatures returns n rows of 100 features of two classes; half of the features are
// 0 or 1000, ever more rarely, so that a part of the rows does not know them.
func WithRareFeatures(n int) (*linalg.Dense, []int) {
	x, y := LabeledRows(n, 100, 2)
	u := Normal(1, n, 1).Data
	for i := range y {
		for j := 50; j < 100; j++ {
			v := x.At(i, j) - 0.035*float64(j-10)
			x.Set(i, j, max(0, math.Copysign(1e3, v)))
			if v > 0 && u[i] > -1.5 {
				y[i] = j % 2
			}
		}
	}
	return x, y
}

// Dyadic returns n×p multiples of 2⁻¹² below 8 in size.
func Dyadic(r *rand.Rand, n, p int) *linalg.Dense {
	x := linalg.Zeros(n, p)
	for i := range x.Data {
		x.Data[i] = math.Round(r.NormFloat64()*0x1p12) / 0x1p12
	}
	return x
}

// Mixed returns x in another basis of its columns, exactly: times a matrix of integers and powers of two with a
// condition of up to 1e8 or so, of which column j may be a near-copy of column i. It takes what [Dyadic] returns.
func Mixed(t testing.TB, r *rand.Rand, x *linalg.Dense) *linalg.Dense {
	t.Helper()
	n, p := x.Dims()
	a, xa := linalg.Identity(p), linalg.Zeros(n, p)
	for range p {
		i, j := r.IntN(p), r.IntN(p)
		if i != j {
			linalg.Axpy(a.Row(i), float64(r.IntN(9)-4), a.Row(j))
		}
	}
	if i, j := r.IntN(p), r.IntN(p); i != j {
		s := math.Ldexp(1, -r.IntN(24))
		for k := range p {
			a.Set(k, j, a.At(k, i)+s*a.At(k, j))
		}
	}
	linalg.MulAdd(xa, 1, x, a)
	for i := range n {
		for j := range p {
			s := number(0)
			for c := range p {
				s = plus(s, times(number(x.At(i, c)), number(a.At(c, j))))
			}
			if s.Cmp(big.NewFloat(xa.At(i, j))) != 0 {
				t.Fatal("the product is not exact")
			}
		}
	}
	return xa
}

// Neighbors returns n rows of p columns, each of which is nearly the one before: .995 of it and .1 of a number of its own.
func Neighbors(seed uint64, n, p int) *linalg.Dense {
	x := Normal(seed, n, p)
	for i := range n {
		row := x.Row(i)
		for j := 1; j < p; j++ {
			row[j] = .995*row[j-1] + .1*row[j]
		}
	}
	return x
}

// Numbers returns n numbers of both signs.
func Numbers(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Sin(float64(3*i + 1))
	}
	return v
}

// Sum is a sum made by a plain loop, with that of its absolute terms: what a kernel's
// result is compared with.
type Sum struct{ Value, Size float64 }

// From returns a sum that begins with a term.
func From(v float64) Sum { return Sum{v, math.Abs(v)} }

// Add adds a term.
func (s *Sum) Add(v float64) { s.Value += v; s.Size += math.Abs(v) }

// Near fails the test unless got is the sum but for rounding.
func (s Sum) Near(t testing.TB, what string, got float64) {
	t.Helper()
	if !(math.Abs(got-s.Value) <= 1e-14*s.Size) {
		t.Errorf("%s: got %v, want %v of terms of %v", what, got, s.Value, s.Size)
	}
}
