package linalgtest

import (
	"math"
	"math/big"

	"halfspace/linalg"
)

// What follows recomputes certificates from the data and published numbers alone,
// sharing no code with the solvers, in arithmetic of digits bits. Each function
// returns a number without a unit that is 0 at the exact solution.

// Affine are functions fₖ(x) = Atₖ + Coefₖ·(x − Origin); a nil Origin is 0.
type Affine struct {
	Coef   *linalg.Dense
	At     []float64
	Origin []float64
}

func (f Affine) origin(j int) float64 {
	if f.Origin == nil {
		return 0
	}
	return f.Origin[j]
}

// at returns fₖ(row).
func (f Affine) at(k int, row []float64) *big.Float {
	var s sum
	s.add(f.At[k])
	for j, b := range f.Coef.Row(k) {
		s.addBig(minus(number(row[j]), number(f.origin(j))), b)
	}
	return s.value()
}

// rounding bounds what evaluating fₖ(row) loses.
func (f Affine) rounding(k int, row []float64) *big.Float {
	var s sum
	s.add(roundings, math.Abs(f.At[k]))
	for j, b := range f.Coef.Row(k) {
		s.addBig(abs(minus(number(row[j]), number(f.origin(j)))), roundings, math.Abs(b))
	}
	return s.value()
}

// roundings is what a few roundings leave of sums of some ten terms.
const roundings = 64 * 0x1p-52

// Fit is what the penalised fits have in common.
type Fit struct {
	X           *linalg.Dense
	W           []float64 // nil is 1
	Offset      []float64 // nil is 0
	Lambda      float64
	L1Ratio     float64
	Standardize bool
	NoIntercept bool
}

func (d Fit) offset(i int) float64 {
	if d.Offset == nil {
		return 0
	}
	return d.Offset[i]
}

// LogisticGradient is the largest |gⱼ|/Σw|xⱼ−cⱼ| (for the intercept 1 in place of
// x−c) of Σ −w·log p(y) + λ(α‖uβ‖₁ + (1−α)/2‖uβ‖²), with the distance from the
// subdifferential where there is a lasso; code are class numbers, and a single
// function is the log-odds of class 1. Offsets are for two classes.
func LogisticGradient(d Fit, code []int, f Affine) float64 {
	n, p, k := d.X.Rows, d.X.Cols, f.Coef.Rows
	unit := units(d.X, d.W, d.Standardize)
	grad, size, total := make([]sum, k*(p+1)), make([]sum, p), sum{}
	for i := range n {
		w := weight(d.W, i)
		if w == 0 {
			continue
		}
		row := d.X.Row(i)
		scores := make([]float64, k)
		for c := range scores {
			s := f.at(c, row)
			scores[c], _ = s.Add(s, number(d.offset(i))).Float64()
		}
		total.add(w)
		dev := make([]*big.Float, p)
		for j, v := range row {
			dev[j] = minus(number(v), number(f.origin(j)))
			size[j].addBig(abs(dev[j]), w)
		}
		for c, r := range missing(scores, code[i]) {
			grad[c*(p+1)].add(w, r)
			for j := range dev {
				grad[c*(p+1)+1+j].addBig(dev[j], w, r)
			}
		}
	}
	worst := 0.0
	for c := range k {
		if !d.NoIntercept {
			worst = max(worst, relative(grad[c*(p+1)].value(), total.value()))
		}
		for j, b := range f.Coef.Row(c) {
			g := d.distance(grad[c*(p+1)+1+j].value(), b, unit[j])
			worst = max(worst, relative(g, size[j].value()))
		}
	}
	return worst
}

// missing is p − 1[y = k] for each function.
func missing(scores []float64, y int) []float64 {
	if len(scores) == 1 {
		if y == 1 {
			return []float64{-1 / (1 + math.Exp(scores[0]))}
		}
		return []float64{1 / (1 + math.Exp(-scores[0]))}
	}
	top, total := math.Inf(-1), 0.0
	for _, s := range scores {
		top = max(top, s)
	}
	r := make([]float64, len(scores))
	for k, s := range scores {
		r[k] = math.Exp(s - top)
		total += r[k]
	}
	others := 0.0
	for k := range r {
		r[k] /= total
		if k != y {
			others += r[k]
		}
	}
	r[y] = -others
	return r
}

// distance is that of 0 from g + ∂penalty at a coefficient b of unit u.
func (d Fit) distance(g *big.Float, b, u float64) *big.Float {
	var s sum
	s.addBig(g, 1)
	s.add(d.Lambda, 1-d.L1Ratio, u, u, b)
	switch kink := times(times(number(d.Lambda), number(d.L1Ratio)), number(u)); {
	case b > 0:
		return s.v.Add(s.value(), kink)
	case b < 0:
		return s.v.Sub(s.value(), kink)
	default:
		if short := minus(abs(s.value()), kink); short.Sign() > 0 {
			return short
		}
		return number(0)
	}
}

// NormalEquations is the largest |Σw·r·(xⱼ−x̄ⱼ) − λuⱼ²βⱼ| of a least squares or
// ridge fit to z = y − offset, relative to ‖xⱼ−x̄ⱼ‖·(‖z‖ + Σ‖xₖ−x̄ₖ‖|βₖ|) +
// λuⱼ‖uβ‖, and |Σw·r| relative to √Σw times the same bracket. Without an
// intercept x̄ is 0.
func NormalEquations(d Fit, y []float64, f Affine) float64 {
	p := d.X.Cols
	c := zeros(p)
	if !d.NoIntercept {
		c = centre(d.X, d.W)
	}
	norm, all := norms(d.X, d.W, c)
	unit := units(d.X, d.W, d.Standardize)
	r, z := d.residuals(y, f)
	beta := f.Coef.Row(0)
	var zz, size, penalty sum
	for i := range r {
		zz.addBig(times(z[i], z[i]), weight(d.W, i))
	}
	size.addBig(squareRoot(zz.value()), 1)
	for j, b := range beta {
		size.addBig(norm[j], math.Abs(b))
		penalty.add(unit[j], unit[j], b, b)
	}
	// The means are published to a few roundings, which moves f by so much.
	var blur sum
	for j, b := range beta {
		blur.addBig(abs(c[j]), roundings, math.Abs(b))
	}
	lost := times(blur.value(), squareRoot(all))
	worst := 0.0
	for j, b := range beta {
		if norm[j].Cmp(times(times(number(roundings), abs(c[j])), squareRoot(all))) < 0 {
			continue // constant but for rounding: its standard deviation is noise
		}
		var g, s sum
		for i := range r {
			g.addBig(times(r[i], minus(number(d.X.At(i, j)), c[j])), weight(d.W, i))
		}
		g.add(-d.Lambda, unit[j], unit[j], b)
		s.addProduct(norm[j], size.value())
		s.addBig(squareRoot(penalty.value()), d.Lambda, unit[j])
		worst = max(worst, beyondLoss(g.value(), times(norm[j], lost), s.value()))
	}
	if !d.NoIntercept {
		var g sum
		for i := range r {
			g.addBig(r[i], weight(d.W, i))
		}
		worst = max(worst, beyondLoss(g.value(), times(squareRoot(all), lost), times(squareRoot(all), size.value())))
	}
	return worst
}

// beyondLoss is what of |g| rounding does not explain, relative to size.
func beyondLoss(g, lost, size *big.Float) float64 {
	if size.Cmp(number(0x1p-1000)) < 0 {
		return 0 // such products have lost their digits
	}
	if left := minus(abs(g), lost); left.Sign() > 0 {
		return relative(left, size)
	}
	return 0
}

// residuals returns z − f and z = y − offset, 0 in rows of weight 0.
func (d Fit) residuals(y []float64, f Affine) (r, z []*big.Float) {
	r, z = zeros(len(y)), zeros(len(y))
	for i, v := range y {
		if weight(d.W, i) != 0 {
			z[i] = minus(number(v), number(d.offset(i)))
			r[i] = minus(z[i], f.at(0, d.X.Row(i)))
		}
	}
	return r, z
}

// ElasticNetGap is the duality gap of ½Σw·r² + λ(α‖uβ‖₁ + (1−α)/2·‖uβ‖²) relative to the
// objective (not less than 1e-12 of that without coefficients), less what rounding
// the coefficients explains. The dual point is the centred residual, for α = 1
// shrunk until it is feasible to within that rounding, else charged
// (|x̃ⱼᵀr| − λαuⱼ)₊²/(2λ(1−α)uⱼ²) a column.
func ElasticNetGap(d Fit, y []float64, f Affine) float64 {
	c := zeros(d.X.Cols)
	if !d.NoIntercept {
		c = centre(d.X, d.W)
	}
	unit := units(d.X, d.W, d.Standardize)
	r, z := d.residuals(y, f)
	if !d.NoIntercept {
		mean(r, d.W)
		mean(z, d.W)
	}
	var rr, rz, zz, primal sum
	for i := range r {
		w := weight(d.W, i)
		rr.addBig(times(r[i], r[i]), w)
		rz.addBig(times(r[i], z[i]), w)
		zz.addBig(times(z[i], z[i]), w)
	}
	// The intercept is worth what centring the residual takes away.
	plain, _ := d.residuals(y, f)
	for i := range plain {
		primal.addBig(times(plain[i], plain[i]), weight(d.W, i), 0.5)
	}
	norm, total := norms(d.X, d.W, c)
	var size sum // ‖z‖ + Σ‖xⱼ‖|βⱼ|
	size.addBig(squareRoot(zz.value()), 1)
	for j, b := range f.Coef.Row(0) {
		size.addBig(norm[j], math.Abs(b))
	}
	// Residuals lose that much of their size and of the responses'.
	var lost sum
	for i, v := range y {
		lost.add(weight(d.W, i), v, v)
		lost.add(weight(d.W, i), d.offset(i), d.offset(i))
	}
	loss := times(number(roundings), new(big.Float).SetPrec(digits).Add(size.value(), squareRoot(lost.value())))
	slack := times(loss, new(big.Float).SetPrec(digits).Add(size.value(), loss))
	shrink, ridge := number(1), times(number(d.Lambda), minus(number(1), number(d.L1Ratio)))
	var charge sum
	for j, b := range f.Coef.Row(0) {
		var g sum
		for i := range r {
			g.addBig(times(r[i], minus(number(d.X.At(i, j)), c[j])), weight(d.W, i))
		}
		primal.add(d.Lambda, d.L1Ratio, unit[j], math.Abs(b))
		primal.addBig(ridge, unit[j], unit[j], b, b, 0.5)
		least := minus(abs(g.value()), times(norm[j], loss))
		constant := norm[j].Cmp(times(times(number(roundings), abs(c[j])), squareRoot(total))) < 0 // but for rounding
		bound := times(times(number(d.Lambda), number(d.L1Ratio)), number(unit[j]))
		if constant || least.Cmp(bound) <= 0 {
			continue
		}
		if ridge.Sign() > 0 {
			excess := over(minus(least, bound), number(unit[j]))
			charge.addBig(over(times(excess, excess), ridge), 0.5)
		} else if s := over(bound, least); s.Cmp(shrink) < 0 {
			shrink = s
		}
	}
	// θ = s·r: D = s·r·z − ½s²‖r‖².
	dual := minus(times(shrink, rz.value()), times(number(0.5), times(times(shrink, shrink), rr.value())))
	dual = minus(dual, charge.value())
	if dual.Sign() < 0 {
		dual = number(0) // the dual point 0 knows better
	}
	floor := times(zz.value(), number(0.5e-12))
	scale := primal.value()
	if scale.Cmp(floor) < 0 {
		scale = floor
	}
	gap := minus(minus(primal.value(), dual), slack)
	if gap.Sign() < 0 {
		return 0
	}
	return relative(gap, scale)
}

// mean subtracts the weighted mean.
func mean(v []*big.Float, w []float64) {
	var s, total sum
	for i := range v {
		s.addBig(v[i], weight(w, i))
		total.add(weight(w, i))
	}
	m := over(s.value(), total.value())
	for i := range v {
		if weight(w, i) != 0 {
			v[i] = minus(v[i], m)
		}
	}
}

// Dual is what a support vector machine publishes beside its plane.
type Dual struct {
	Support     []int
	Multipliers []float64
}

// at spreads the multipliers over n rows.
func (d Dual) at(n int) []float64 {
	a := make([]float64, n)
	for k, i := range d.Support {
		a[i] = d.Multipliers[k]
	}
	return a
}

// combination is v = Σaᵢ(xᵢ − Origin) and what rounding the multipliers loses of it.
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

// Machine is the result of recomputing a support vector machine from its plane and
// its multipliers. Numbers are relative to max(1, primal objective).
type Machine struct {
	Gap     float64 // primal − dual objective, less what rounding f and α explains
	Balance float64 // |Σαy|·max(1, |f(origin)|), what breaking the equality is worth; for a tube |Σa|, as y is about f(origin)
	Box     float64 // largest excess over 0 ≤ α ≤ price, relative to the price
}

// parts are sums from which a Machine is made.
type parts struct {
	norm, slack, eased sum // ½‖β‖² and the price of slacks, also of those beyond rounding
	dual, worth        sum // the linear part of the dual, and what breaking the equality is worth
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
	primal := new(big.Float).SetPrec(digits).Add(s.norm.value(), s.slack.value())
	scale := number(1)
	if primal.Cmp(scale) > 0 {
		scale = primal
	}
	var m Machine
	least := new(big.Float).SetPrec(digits).Add(s.norm.value(), s.eased.value())
	m.Gap, _ = over(minus(least, eased.value()), scale).Float64()
	m.Balance = relative(s.worth.value(), scale)
	return m
}

// unbalanced records what Σa ≠ 0 is worth, beyond rounding, for an intercept of the
// given size.
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

// SoftMargin recomputes ½‖β‖² + Σ priceᵢ·max(0, 1 − signᵢf(xᵢ)) and its dual. Rows of
// sign 0 take no part.
func SoftMargin(x *linalg.Dense, sign, price []float64, noIntercept bool, f Affine, d Dual) Machine {
	alpha := d.at(x.Rows)
	signed := make([]float64, x.Rows)
	var s parts
	box := 0.0
	for i, y := range sign {
		if y == 0 {
			continue
		}
		row := x.Row(i)
		s.miss(minus(number(1), times(number(y), f.at(0, row))), f.rounding(0, row), price[i])
		s.dual.add(alpha[i])
		signed[i] = y * alpha[i]
		box = max(box, beyond(alpha[i], price[i]))
	}
	if !noIntercept {
		s.unbalanced(signed, f.At[0])
	}
	m := s.machine(f, x, signed)
	m.Box = box
	return m
}

func beyond(alpha, price float64) float64 {
	if price == 0 {
		if alpha != 0 {
			return math.Inf(1)
		}
		return 0
	}
	return max(0, -alpha/price, alpha/price-1)
}

// Tube recomputes ½‖β‖² + Σ priceᵢ·max(0, |y − f| − ε) and its dual Σya − εΣ|a| −
// ½‖Σax‖², a = α* − α.
func Tube(x *linalg.Dense, y, price []float64, epsilon float64, noIntercept bool, f Affine, d Dual) Machine {
	a := d.at(x.Rows)
	level := 0.0
	var s parts
	if !noIntercept {
		level = f.At[0]    // Σa is 0 but for rounding: keep what it multiplies small
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
// min yf = 1 (to within a few roundings of f), against the dual point α scaled as
// well as it can be; or with an intercept |Σαy|/Σα, if that is larger. It is 1 if the plane does not
// separate the rows. Rows of sign 0 take no part.
func HardMargin(x *linalg.Dense, sign []float64, noIntercept bool, f Affine, d Dual) float64 {
	alpha := d.at(x.Rows)
	signed := make([]float64, x.Rows)
	var least *big.Float
	var all, bb sum
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
		all.add(alpha[i])
		signed[i] = s * alpha[i]
	}
	if least == nil || least.Sign() <= 0 {
		return 1
	}
	for _, b := range f.Coef.Row(0) {
		bb.add(b, b)
	}
	primal := over(bb.value(), times(least, least)) // twice
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

// Groups are class moments recomputed: means, counts and covariances.
type Groups struct {
	Count  []float64
	Mean   [][]*big.Float
	Pooled [][]*big.Float
	Each   [][][]*big.Float
}

// blur is what rounding does to the means of classes k and 0 in column j, of rows
// that spread by sd.
func (g *Groups) blur(k, j int, sd *big.Float) *big.Float {
	n := 0.0
	for _, c := range g.Count {
		n += c
	}
	var s sum
	s.addBig(sd, roundings, math.Sqrt(n))
	s.addBig(abs(g.Mean[k][j]), roundings)
	s.addBig(abs(g.Mean[0][j]), roundings)
	return s.value()
}

// Classes recomputes the moments of K classes with divisors N−K and Nₖ−1, or N and
// Nₖ for mle.
func Classes(x *linalg.Dense, code []int, w []float64, k int, mle bool) *Groups {
	p := x.Cols
	g := &Groups{Count: make([]float64, k)}
	var pooled, all = make([]sum, p*p), sum{}
	for c := range k {
		var count sum
		scatter := make([]sum, p*p)
		mine := make([]float64, x.Rows)
		for i, l := range code {
			if l == c {
				mine[i] = weight(w, i)
				count.add(mine[i])
				all.add(mine[i])
			}
		}
		mu := centre(x, mine)
		for i, m := range mine {
			if m == 0 {
				continue
			}
			dev := make([]*big.Float, p)
			for j, v := range x.Row(i) {
				dev[j] = minus(number(v), mu[j])
			}
			for a := range p {
				for b := range p {
					v := times(dev[a], dev[b])
					scatter[a*p+b].addBig(v, m)
					pooled[a*p+b].addBig(v, m)
				}
			}
		}
		g.Count[c], _ = count.value().Float64()
		divisor := minus(count.value(), number(1))
		if mle {
			divisor = count.value()
		}
		g.Mean, g.Each = append(g.Mean, mu), append(g.Each, divided(scatter, p, divisor))
	}
	divisor := minus(all.value(), number(float64(k)))
	if mle {
		divisor = all.value()
	}
	g.Pooled = divided(pooled, p, divisor)
	return g
}

// divided lays p×p sums out as a matrix over a divisor, 0 where there is none: one
// row shows no spread.
func divided(s []sum, p int, divisor *big.Float) [][]*big.Float {
	m := make([][]*big.Float, p)
	for a := range m {
		m[a] = make([]*big.Float, p)
		for b := range m[a] {
			if m[a][b] = number(0); divisor.Sign() > 0 {
				m[a][b] = over(s[a*p+b].value(), divisor)
			}
		}
	}
	return m
}

// mixed is α·Σₖ + (1−α)·((1−s)Σ + s·tr(Σ)/p·I).
func (g *Groups) mixed(k int, alpha, shrinkage float64) [][]*big.Float {
	p := len(g.Mean[k])
	var trace sum
	for j := range p {
		trace.addBig(g.Pooled[j][j], 1)
	}
	out := make([][]*big.Float, p)
	for a := range out {
		out[a] = make([]*big.Float, p)
		for b := range out[a] {
			var s sum
			if alpha > 0 {
				s.addBig(g.Each[k][a][b], alpha)
			}
			s.addBig(g.Pooled[a][b], 1-alpha, 1-shrinkage)
			if a == b {
				s.addBig(over(trace.value(), number(float64(p))), 1-alpha, shrinkage)
			}
			out[a][b] = s.value()
		}
	}
	return out
}

// Discriminant is how well affine functions are those of LDA: the largest
// |Σ(βₖ−β₀) − (μₖ−μ₀)|ⱼ/(sdⱼ·Σ sd|βₖ−β₀| + |μₖ−μ₀|ⱼ), and half-way between two
// means the difference of the functions from log πₖ/π₀, relative to the
// functions there.
func (g *Groups) Discriminant(f Affine, prior []float64) float64 {
	worst := 0.0
	p := f.Coef.Cols
	sd := make([]*big.Float, p)
	for j := range sd {
		sd[j] = squareRoot(g.Pooled[j][j])
	}
	for k := 1; k < f.Coef.Rows; k++ {
		var size, half, scale sum
		beta := make([]*big.Float, p)
		half.add(f.At[k])
		half.add(-f.At[0])
		half.add(math.Log(prior[0]) - math.Log(prior[k]))
		scale.add(1 + math.Abs(f.At[k]) + math.Abs(f.At[0]) + math.Abs(math.Log(prior[0])) + math.Abs(math.Log(prior[k])))
		for j := range p {
			bk, b0 := f.Coef.At(k, j), f.Coef.At(0, j)
			beta[j] = minus(number(bk), number(b0))
			size.addBig(sd[j], math.Abs(bk)+math.Abs(b0))
			mid := times(number(0.5), new(big.Float).SetPrec(digits).Add(g.Mean[k][j], g.Mean[0][j]))
			mid = minus(mid, number(f.origin(j)))
			half.addProduct(mid, beta[j])
			scale.addBig(abs(mid), math.Abs(bk)+math.Abs(b0))
		}
		var blur sum
		for j := range p {
			blur.addBig(g.blur(k, j, sd[j]), math.Abs(f.Coef.At(k, j))+math.Abs(f.Coef.At(0, j)))
		}
		if left := minus(abs(half.value()), blur.value()); left.Sign() > 0 {
			worst = max(worst, relative(left, scale.value()))
		}
		for a := range p {
			var r, s sum
			for b := range p {
				r.addProduct(g.Pooled[a][b], beta[b])
			}
			gap := minus(g.Mean[k][a], g.Mean[0][a])
			r.addBig(gap, -1)
			s.addProduct(sd[a], size.value())
			s.addBig(abs(minus(g.Mean[k][a], number(f.origin(a)))), 1)
			s.addBig(abs(minus(g.Mean[0][a], number(f.origin(a)))), 1)
			if left := minus(abs(r.value()), g.blur(k, a, sd[a])); left.Sign() > 0 {
				worst = max(worst, relative(left, s.value()))
			}
		}
	}
	return worst
}

// Density is how well a lower triangle L and a mean about an origin are those of
// class k in quadratic discriminant analysis: |LLᵀ − Σₖ| relative to the standard
// deviations, |mean − μₖ| relative to those and its distance from the origin.
func (g *Groups) Density(k int, alpha, shrinkage float64, l *linalg.Dense, origin, deviation []float64) float64 {
	worst, cov := 0.0, g.mixed(k, alpha, shrinkage)
	for a := range cov {
		for b := range cov {
			var s sum
			for j := 0; j <= min(a, b); j++ {
				s.add(l.At(a, j), l.At(b, j))
			}
			s.addBig(cov[a][b], -1)
			worst = max(worst, relative(s.value(), squareRoot(times(cov[a][a], cov[b][b]))))
		}
		var d, size sum
		d.add(origin[a])
		d.add(deviation[a])
		d.addBig(g.Mean[k][a], -1)
		size.addBig(squareRoot(cov[a][a]), 1)
		size.add(math.Abs(deviation[a]))
		worst = max(worst, relative(d.value(), size.value()))
	}
	return worst
}

// Directions is how well the columns of v solve Bv = λWv with vᵀWv = 1, where W is
// the pooled covariance and B that of the means with the priors: the residual
// relative to sdⱼ·Σ sd|v|·(λ₁+1), and |vᵢᵀWvⱼ − δᵢⱼ| to Σ sd|vᵢ|·Σ sd|vⱼ|.
func (g *Groups) Directions(v *linalg.Dense, values, prior []float64) float64 {
	worst, p := 0.0, v.Rows
	mu := make([]*big.Float, p)
	for j := range mu {
		var s sum
		for k := range prior {
			s.addBig(g.Mean[k][j], prior[k])
		}
		mu[j] = s.value()
	}
	w, length := make([][]*big.Float, v.Cols), make([]sum, v.Cols)
	for c := range w {
		for a := range p {
			length[c].addBig(squareRoot(g.Pooled[a][a]), math.Abs(v.At(a, c)))
		}
		w[c] = make([]*big.Float, p)
		for a := range p {
			var s sum
			for b := range p {
				s.addBig(g.Pooled[a][b], v.At(b, c))
			}
			w[c][a] = s.value()
		}
		var along []*big.Float
		for k := range prior {
			var s sum
			for j := range p {
				s.addBig(minus(g.Mean[k][j], mu[j]), v.At(j, c))
			}
			along = append(along, s.value())
		}
		for a := range p {
			var r sum
			for k := range prior {
				r.addBig(times(minus(g.Mean[k][a], mu[a]), along[k]), prior[k])
			}
			r.addBig(w[c][a], -values[c])
			size := times(times(squareRoot(g.Pooled[a][a]), length[c].value()), number(values[0]+1))
			worst = max(worst, relative(r.value(), size))
		}
	}
	for c := range w {
		for e := range w {
			var s sum
			for a := range p {
				s.addBig(w[c][a], v.At(a, e))
			}
			if c == e {
				s.add(-1)
			}
			worst = max(worst, relative(s.value(), times(length[c].value(), length[e].value())))
		}
	}
	return worst
}
