package linalgtest

import (
	"math"
	"math/big"

	"halfspace/linalg"
)

// Dual holds the multipliers of a support vector machine.
type Dual struct {
	Support     []int
	Multipliers []float64
	Remainders  []float64 // second words of the multipliers, or nil
}

// byRow returns the multipliers of n rows, 0 for the rows that are no support.
func (d Dual) byRow(n int) []float64 {
	a := make([]float64, n)
	for k, v := range d.Multipliers {
		a[d.Support[k]] = v
	}
	return a
}

// combination returns v = Σaᵢ(xᵢ − Origin) and a bound on the rounding of the
// multipliers in it.
func (f Affine) combination(x *linalg.Dense, a []float64) (v, loss []*big.Float) {
	sums, sizes := make([]sum, x.Cols), make([]sum, x.Cols)
	for i, m := range a {
		if m == 0 {
			continue
		}
		for j, u := range x.Row(i) {
			d := minus(number(u), number(f.origin(j)))
			sums[j].addBig(d, m)
			sizes[j].addBig(abs(d), math.Abs(m), roundings)
		}
	}
	for j := range sums {
		v, loss = append(v, sums[j].value()), append(loss, sizes[j].value())
	}
	return v, loss
}

func square(v []*big.Float) *big.Float {
	var s sum
	for _, x := range v {
		s.addProduct(x, x)
	}
	return s.value()
}

// total is Σa.
func total(a []float64) *big.Float {
	var s sum
	for _, v := range a {
		s.add(v)
	}
	return s.value()
}

// Machine is the result of recomputing a tube from its plane and its multipliers. Numbers are relative to max(1, primal objective).
type Machine struct {
	Gap     float64 // primal − dual objective, less the rounding of f and α
	Balance float64 // |Σαy|·max(1, |f(origin)|), the price of breaking the equality; for a tube |Σa|, as y is about f(origin)
	Box     float64 // largest excess over 0 ≤ α ≤ price, relative to the price
}

// parts are sums from which a Machine is made.
type parts struct {
	norm, slack, eased sum // ½‖β‖² and the price of slacks, also of those beyond rounding
	dual, worth        sum // the linear part of the dual, and the price of breaking the equality
}

func (s *parts) machine(f Affine, x *linalg.Dense, a []float64) Machine {
	for _, b := range f.Coef.Row(0) {
		s.norm.add(0.5, b, b)
	}
	var eased sum
	eased.addBig(s.dual.value(), 1)
	v, loss := f.combination(x, a)
	for j := range v {
		if left := minus(abs(v[j]), loss[j]); left.Sign() > 0 {
			eased.addBig(times(left, left), -0.5)
		}
	}
	scale := largest(number(1), plus(s.norm.value(), s.slack.value()))
	var m Machine
	least := plus(s.norm.value(), s.eased.value())
	m.Gap, _ = over(minus(least, eased.value()), scale).Float64()
	m.Balance = relative(s.worth.value(), scale)
	return m
}

// unbalanced adds the price of Σa ≠ 0, beyond rounding, for an intercept of the given
// size.
func (s *parts) unbalanced(a []float64, intercept float64) {
	var lost sum
	for _, v := range a {
		lost.add(roundings, math.Abs(v))
	}
	if left := minus(abs(total(a)), lost.value()); left.Sign() > 0 {
		s.worth.addBig(left, math.Max(1, math.Abs(intercept)))
	}
}

// miss adds a slack of the given price.
func (s *parts) miss(slack, rounding *big.Float, price float64) {
	if slack.Sign() > 0 {
		s.slack.addBig(slack, price)
	}
	if left := minus(slack, rounding); left.Sign() > 0 {
		s.eased.addBig(left, price)
	}
}

// SoftMargin is the bound that a plane and its multipliers prove, in exact arithmetic and with no
// allowance for rounding, on how far
//
//	P = ½‖β‖² + Σ priceᵢ·max(0, 1 − signᵢf(xᵢ))
//
// is above its minimum, relative to it: P − D for D = Σα − ½‖Σαy(x−c)‖², c the origin of f, and with
// an intercept |Σαy|·(1 + R√(2P)), R the largest ‖x−c‖, as at the minimum |b| ≤ 1 + R‖β‖. It is 1
// where a multiplier is not in 0 ≤ α ≤ price. A P below 1e-290, where prices underflow, counts as that.
// Rows of sign 0 take no part.
func SoftMargin(x *linalg.Dense, sign, price []float64, noIntercept bool, f Affine, d Dual) float64 {
	return softMargin(x, sign, price, noIntercept, f, d, false)
}

// SquaredMargin is SoftMargin for squared slacks, D less Σα²/(4 price). Multipliers have no bound
// above.
func SquaredMargin(x *linalg.Dense, sign, price []float64, noIntercept bool, f Affine, d Dual) float64 {
	return softMargin(x, sign, price, noIntercept, f, d, true)
}

func softMargin(x *linalg.Dense, sign, price []float64, noIntercept bool, f Affine, d Dual, squared bool) float64 {
	alpha, low := d.byRow(x.Rows), Dual{Support: d.Support, Multipliers: d.Remainders}.byRow(x.Rows)
	var primal, dual, open sum
	v, radius := make([]sum, x.Cols), number(0)
	for _, b := range f.Coef.Row(0) {
		primal.add(0.5, b, b)
	}
	for i, y := range sign {
		if y == 0 || price[i] == 0 && alpha[i] == 0 {
			continue
		}
		row, a, far := x.Row(i), plus(number(alpha[i]), number(low[i])), sum{}
		if a.Sign() < 0 || (!squared || price[i] == 0) && a.Cmp(number(price[i])) > 0 {
			return 1
		}
		slack := largest(number(0), minus(number(1), times(number(y), f.at(0, row))))
		dual.addBig(a, 1)
		if squared {
			slack = times(slack, slack)
			dual.addBig(over(times(a, a), number(4*price[i])), -1)
		}
		primal.addBig(slack, price[i])
		open.addBig(a, y)
		for j, u := range row {
			u := minus(number(u), number(f.origin(j)))
			v[j].addBig(times(a, u), y)
			far.addProduct(u, u)
		}
		radius = largest(radius, squareRoot(far.value()))
	}
	for j := range v {
		dual.addBig(times(v[j].value(), v[j].value()), -0.5)
	}
	gap := minus(primal.value(), dual.value())
	if !noIntercept {
		reach := plus(number(1), times(radius, squareRoot(times(number(2), primal.value()))))
		gap = plus(gap, times(abs(open.value()), reach))
	}
	return relative(gap, largest(primal.value(), number(1e-290)))
}

func beyond(alpha, price float64) float64 {
	if price == 0 {
		if alpha != 0 {
			return math.Inf(1)
		}
		return 0
	}
	if math.IsInf(price, 1) {
		return max(0, -alpha)
	}
	return max(0, -alpha/price, alpha/price-1)
}

// Tube recomputes ½‖β‖² + Σ priceᵢ·max(0, |y − f| − ε) and its dual Σya − εΣ|a| −
// ½‖Σax‖², a = α* − α.
func Tube(x *linalg.Dense, y, price []float64, epsilon float64, noIntercept bool, f Affine, d Dual) Machine {
	a := d.byRow(x.Rows)
	level := 0.0
	var s parts
	if !noIntercept {
		level = f.At[0]    // Σa is 0 but for rounding: keep its factor small
		s.unbalanced(a, 0) // the intercept less level
	}
	box := 0.0
	for i, v := range y {
		row := x.Row(i)
		r := abs(minus(number(v), f.at(0, row)))
		s.miss(minus(r, number(epsilon)), f.rounding(0, row), price[i])
		s.dual.addBig(minus(number(v), number(level)), a[i])
		s.dual.add(-epsilon, math.Abs(a[i]))
		box = max(box, beyond(math.Abs(a[i]), price[i]))
	}
	m := s.machine(f, x, a)
	m.Box = box
	return m
}

// HardMargin is the gap of the widest plane, relative to its ½‖β‖² after scaling to
// min yf = 1 (to within a few roundings of f), against the best multiple of the dual
// point α; or with an intercept |Σαy|/Σα, if that is larger. It is 1 if the plane
// does not separate the rows. Rows of sign 0 take no part.
func HardMargin(x *linalg.Dense, sign []float64, noIntercept bool, f Affine, d Dual) float64 {
	primal := hardPrimal(x, sign, f)
	if primal == nil {
		return 1
	}
	alpha := d.byRow(x.Rows)
	signed := make([]float64, x.Rows)
	var all sum
	for i, s := range sign {
		all.add(alpha[i], math.Abs(s))
		signed[i] = s * alpha[i]
	}
	v, _ := f.combination(x, signed)
	dual := over(times(all.value(), all.value()), square(v))
	unequal := 0.0
	if !noIntercept {
		unequal = relative(total(signed), all.value())
	}
	if primal.Cmp(dual) < 0 {
		return unequal // the roundings that were allowed for
	}
	return max(relative(minus(primal, dual), primal), unequal)
}

// hardPrimal is ‖β‖² after scaling to min yf = 1, to within a few roundings of f; nil if
// the plane does not separate the rows.
func hardPrimal(x *linalg.Dense, sign []float64, f Affine) *big.Float {
	var least *big.Float
	var bb sum
	for i, s := range sign {
		if s == 0 {
			continue
		}
		var m sum
		m.addBig(f.at(0, x.Row(i)), s)
		m.addBig(f.rounding(0, x.Row(i)), 1)
		if least == nil || m.value().Cmp(least) < 0 {
			least = m.value()
		}
	}
	if least == nil || least.Sign() <= 0 {
		return nil
	}
	for _, b := range f.Coef.Row(0) {
		bb.add(b, b)
	}
	return over(bb.value(), times(least, least))
}
