package linalgtest

import (
	"math"
	"math/big"

	"halfspace/linalg"
)

// digits is the precision of sums that are recomputed, in bits. Exponents have no
// bound that data could reach, so nothing overflows on the way.
const digits = 320

// sum adds products with digits bits. The zero value is 0.
type sum struct{ v, a, b big.Float }

func (s *sum) init() {
	if s.v.Prec() == 0 {
		s.v.SetPrec(digits)
		s.a.SetPrec(digits)
		s.b.SetPrec(digits)
	}
}

// add adds the product of the factors, which are finite.
func (s *sum) add(factors ...float64) {
	s.init()
	s.a.SetInt64(1)
	for _, f := range factors {
		s.b.SetFloat64(f)
		s.a.Mul(&s.a, &s.b)
	}
	s.v.Add(&s.v, &s.a)
}

// addBig adds v times the factors.
func (s *sum) addBig(v *big.Float, factors ...float64) {
	s.init()
	s.a.Set(v)
	for _, f := range factors {
		s.b.SetFloat64(f)
		s.a.Mul(&s.a, &s.b)
	}
	s.v.Add(&s.v, &s.a)
}

// addProduct adds u·v.
func (s *sum) addProduct(u, v *big.Float) {
	s.init()
	s.a.Mul(u, v)
	s.v.Add(&s.v, &s.a)
}

func (s *sum) value() *big.Float {
	s.init()
	return &s.v
}

func number(v float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(v) }

// The results of plus, minus, times and over have the digits of the operand that has more.
func plus(a, b *big.Float) *big.Float { return new(big.Float).Add(a, b) }

func minus(a, b *big.Float) *big.Float { return new(big.Float).Sub(a, b) }

func times(a, b *big.Float) *big.Float { return new(big.Float).Mul(a, b) }

func over(a, b *big.Float) *big.Float { return new(big.Float).Quo(a, b) }

func abs(a *big.Float) *big.Float { return new(big.Float).SetPrec(digits).Abs(a) }

func largest(a, b *big.Float) *big.Float {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

func squareRoot(a *big.Float) *big.Float {
	if a.Sign() <= 0 {
		return number(0)
	}
	return new(big.Float).SetPrec(digits).Sqrt(a)
}

// relative is |a|/size as a float64, 0 where a is 0.
func relative(a, size *big.Float) float64 {
	switch {
	case a.Sign() == 0:
		return 0
	case size.Sign() == 0:
		return math.Inf(1)
	}
	v, _ := over(abs(a), size).Float64()
	return v
}

// weight returns wᵢ, 1 for a nil w.
func weight(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// center returns Σwx/Σw of each column, exactly.
func center(x *linalg.Dense, w []float64) []*big.Float {
	sums, total := make([]sum, x.Cols), sum{}
	for i := range x.Rows {
		wi := weight(w, i)
		if wi == 0 {
			continue
		}
		total.add(wi)
		for j, v := range x.Row(i) {
			sums[j].add(wi, v)
		}
	}
	c := make([]*big.Float, x.Cols)
	for j := range c {
		c[j] = over(sums[j].value(), total.value())
	}
	return c
}

// norms returns √Σw(x−c)² of each column, and Σw.
func norms(x *linalg.Dense, w []float64, c []*big.Float) (norm []*big.Float, total *big.Float) {
	squares, all := make([]sum, x.Cols), sum{}
	for i := range x.Rows {
		wi := weight(w, i)
		if wi == 0 {
			continue
		}
		all.add(wi)
		for j, v := range x.Row(i) {
			d := minus(number(v), c[j])
			squares[j].addBig(times(d, d), wi)
		}
	}
	norm = make([]*big.Float, x.Cols)
	for j := range norm {
		norm[j] = squareRoot(squares[j].value())
	}
	return norm, all.value()
}

// units returns the factors of coefficients in the penalty: 1, or the standard
// deviations (divisor Σw) of columns about their means.
func units(x *linalg.Dense, w []float64, standardize bool) []float64 {
	u := make([]float64, x.Cols)
	norm, total := norms(x, w, center(x, w))
	for j := range u {
		u[j] = 1
		if standardize && norm[j].Sign() > 0 {
			u[j], _ = over(norm[j], squareRoot(total)).Float64()
		}
	}
	return u
}

func zeros(p int) []*big.Float {
	c := make([]*big.Float, p)
	for j := range c {
		c[j] = number(0)
	}
	return c
}
