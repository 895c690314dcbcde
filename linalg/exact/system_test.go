package exact_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg/exact"
)

// integers returns n×n integers of up to so many bits, each of either sign.
func integers(r *rand.Rand, n, bits int) [][]*big.Int {
	a := make([][]*big.Int, n)
	for i := range a {
		a[i] = make([]*big.Int, n)
		for j := range a[i] {
			z := new(big.Int)
			for range bits/60 + 1 {
				z.Lsh(z, 60)
				z.Add(z, big.NewInt(r.Int64N(1<<60)))
			}
			z.Rsh(z, uint(60*(bits/60+1)-r.IntN(bits)-1))
			if r.IntN(2) == 0 {
				z.Neg(z)
			}
			a[i][j] = z
		}
	}
	return a
}

func TestSolutionsMultipliedOut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for round := range 200 {
		n, most := 1+r.IntN(8), 150
		if round%10 == 0 { // elements of many words, and of too many
			most = 1300
		}
		a := integers(r, n, 1+r.IntN(most))
		b := integers(r, n, 1+r.IntN(80))[0]
		s := exact.NewSystem(a)
		if s == nil {
			continue
		}
		for _, transposed := range []bool{false, true} {
			if transposed {
				s = s.Transposed()
			}
			x, d := s.Solve(b)
			if d.Sign() <= 0 {
				t.Fatalf("round %d: denominator %v", round, d)
			}
			for i := range n {
				row := make([]*big.Int, n)
				for j := range row {
					row[j] = a[i][j]
					if transposed {
						row[j] = a[j][i]
					}
				}
				if exact.Dot(row, x).Cmp(new(big.Int).Mul(d, b[i])) != 0 {
					t.Fatalf("round %d, transposed %v: equation %d of %d does not hold", round, transposed, i, n)
				}
			}
		}
	}
}

func TestSingularSystemsAndSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for range 100 {
		n := 2 + r.IntN(6)
		a := integers(r, n, 100)
		for j := range n { // the last row is the sum of the others
			a[n-1][j] = new(big.Int)
			for i := range n - 1 {
				a[n-1][j].Add(a[n-1][j], a[i][j])
			}
		}
		if exact.NewSystem(a) != nil {
			t.Fatal("a singular matrix has an inverse")
		}
		s := exact.NewSpan(n)
		for i, row := range a {
			if got := s.Add(row); got != (i < n-1) {
				t.Fatalf("row %d of %d is independent: %v", i, n, got)
			}
		}
		if s.Rank() != n-1 || !s.Contains(a[0]) {
			t.Fatalf("rank %d of %d", s.Rank(), n)
		}
	}
	for times := range int64(5) { // a span is one modulo 2⁶¹ − 1
		v := new(big.Int).Mul(big.NewInt(times), big.NewInt(1<<61-1))
		if s := exact.NewSpan(1); s.Add([]*big.Int{v}) || s.Add([]*big.Int{v.Neg(v)}) {
			t.Errorf("%d times the prime is not 0", times)
		}
	}
}

func TestFloatsAsIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	values := []float64{0, 1, -1, 0.1, math.SmallestNonzeroFloat64, -math.MaxFloat64, 0x1p-1022, 3 * 0x1p-1074}
	for range 1000 {
		values = append(values, math.Ldexp(r.NormFloat64(), r.IntN(400)-200))
	}
	for _, v := range values {
		m, e := exact.Split(v)
		if m%2 == 0 && m != 0 || math.Ldexp(float64(m), e) != v {
			t.Fatalf("%v = %d·2^%d", v, m, e)
		}
		z := exact.Integer(new(big.Int), v, e-3)
		if got, _ := exact.Pair(z, e-3); got != v {
			t.Fatalf("%v comes back as %v", v, got)
		}
	}
	for range 1000 {
		z := integers(r, 1, 300)[0][0]
		hi, lo := exact.Pair(z, -280)
		back := exact.Integer(new(big.Int), hi, -1100)
		back.Add(back, exact.Integer(new(big.Int), lo, -1100))
		back.Sub(back, new(big.Int).Lsh(z, 1100-280))
		if z.Sign() != 0 && back.BitLen() > z.BitLen()+820-104 {
			t.Fatalf("%v is %v + %v", z, hi, lo)
		}
	}
}

func TestReduceDividesByTheCommonFactor(t *testing.T) {
	v := []*big.Int{big.NewInt(-12), new(big.Int), big.NewInt(30)}
	if exact.Reduce(v); v[0].Int64() != -2 || v[1].Sign() != 0 || v[2].Int64() != 5 {
		t.Errorf("%v", v)
	}
}

// Sums of products are those of rationals: as an integer and a power of two, and to some 100 bits.
func TestSumsOfProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	for round := range 300 {
		a, b := make([]float64, 1+r.IntN(6)), make([]float64, 6)
		var sum exact.Sum
		want, size := new(big.Rat), 0.0
		for i := range a {
			a[i], b[i] = math.Ldexp(r.NormFloat64(), r.IntN(80)-40), math.Ldexp(r.NormFloat64(), r.IntN(80)-40)
			if i > 0 && round%3 == 0 { // the products cancel
				a[i], b[i] = -a[i-1], b[i-1]*(1+0x1p-40)
			}
			if r.IntN(6) == 0 {
				a[i] = 0
			}
			low := b[i] * 0x1p-60
			sum.AddProduct(a[i], 0, b[i], low)
			want.Add(want, new(big.Rat).Mul(rational(a[i]), rational(b[i])))
			size += math.Abs(a[i] * b[i])
			sum.Add(0, -a[i]*low)
		}
		z, e := exact.SumProducts(a, b)
		got := new(big.Rat).SetInt(z)
		if scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))); e < 0 {
			got.Quo(got, scale)
		} else {
			got.Mul(got, scale)
		}
		if got.Cmp(want) != 0 {
			t.Errorf("Σ %v·%v is %v·2^%d, want %v", a, b[:len(a)], z, e, want)
		}
		got.Add(rational(sum.Hi), rational(sum.Lo))
		if miss, _ := got.Sub(got, want).Float64(); !(math.Abs(miss) <= 0x1p-98*size) {
			t.Errorf("Σ %v·%v is %v, off by %g", a, b[:len(a)], sum, miss)
		}
	}
}

func rational(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// A sum of products of numbers in two words each has the digits of twice the working precision.
func TestProductsOfTwoWords(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 200 {
		var sum exact.Sum
		want, size := new(big.Float).SetPrec(400), 0.0
		for range 1 + r.IntN(10) {
			a, b := r.NormFloat64(), r.NormFloat64()
			low, tail := a*(r.Float64()-0.5)*0x1p-52, b*(r.Float64()-0.5)*0x1p-52
			sum.AddProduct(a, low, b, tail)
			x := new(big.Float).SetPrec(400).Add(big.NewFloat(a), big.NewFloat(low))
			y := new(big.Float).SetPrec(400).Add(big.NewFloat(b), big.NewFloat(tail))
			want.Add(want, x.Mul(x, y))
			size += math.Abs(a * b)
		}
		got := new(big.Float).SetPrec(400).Add(big.NewFloat(sum.Hi), big.NewFloat(sum.Lo))
		if off, _ := got.Sub(got, want).Float64(); !(math.Abs(off) <= 50*size*0x1p-104) {
			t.Fatalf("a sum of size %g is off by %g", size, off)
		}
		if v, _ := want.Float64(); !(math.Abs(sum.Value()-v) <= 0x1p-52*math.Abs(v)+50*size*0x1p-104) {
			t.Fatalf("%g, want %g", sum.Value(), v)
		}
	}
}

// A number that the denominator is said to be near saves digits and changes no solution, whatever it is: the denominator
// itself, one that lacks a factor or has one too many, one that has nothing to do with it, or that of another right-hand side.
func TestSolutionsNearANumber(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(12)
		a := integers(r, n, 1+r.IntN(140))
		first := exact.NewSystem(a)
		if first == nil {
			continue
		}
		b := integers(r, n, 1+r.IntN(40))[0]
		want, d := first.Solve(b)
		product := new(big.Int).Mul(d, d)
		for _, near := range []*big.Int{d, new(big.Int).Div(d, big.NewInt(7)), new(big.Int).Mul(d, big.NewInt(77)), big.NewInt(1), product.Add(product, d)} {
			s := exact.NewSystem(a)
			if s.Near = near; near.Sign() == 0 {
				s.Near = nil
			}
			for _, s := range []*exact.System{s, s, first, s.Transposed().Transposed()} {
				if x, e := s.Solve(b); !slices.EqualFunc(x, want, equal) || !equal(e, d) {
					t.Fatalf("seed %d, near %v: %v over %v, want %v over %v", seed, near, x, e, want, d)
				}
			}
		}
	}
}

func equal(a, b *big.Int) bool { return a.Cmp(b) == 0 }
