package linalgtest

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"testing"
)

// LogisticLeast returns the penalised negative log-likelihood of f and its minimum, found
// by Newton's method in [digits] bits from f on. code are class numbers; a single function
// is the log-odds of class 1, and of several the one of the reference stays 0 (−1: none
// does, and there is a penalty). Factors multiply λ by feature; nil is 1.
func LogisticLeast(d Fit, code []int, f Affine, reference int, factors []float64) (at, least *big.Float, err error) {
	m := newMinimizer(d, code, f, reference, factors)
	at = m.value(m.theta)
	if err := m.run(); err != nil {
		return at, nil, err
	}
	return at, m.value(m.theta), nil
}

// SquaredLeast returns ½Σw(y−f)² with the penalty of f, and its minimum, found as
// [LogisticLeast] finds it.
func SquaredLeast(d Fit, y []float64, f Affine) (at, least *big.Float, err error) {
	m := newMinimizer(d, nil, f, -1, nil)
	m.y = y
	at = m.value(m.theta)
	if err := m.run(); err != nil {
		return at, nil, err
	}
	return at, m.value(m.theta), nil
}

// minimizer is Newton's method on the parameters that are not held at 0.
type minimizer struct {
	d         Fit
	code      []int
	y         []float64      // of squared error; nil for classes
	x         [][]*big.Float // (1, x − c), by row
	dim       int
	function  []int // of each class, −1 for one that is 0
	theta     []*big.Float
	free      []bool
	l1, ridge []*big.Float // by parameter
	digits    uint         // of gradient and Hessian, in bits
}

func newMinimizer(d Fit, code []int, f Affine, reference int, factors []float64) *minimizer {
	k, p := f.Coef.Rows, f.Coef.Cols
	m := &minimizer{d: d, code: code, dim: p + 1}
	for i := range d.X.Rows {
		row := []*big.Float{number(1)}
		for j, v := range d.X.Row(i) {
			row = append(row, minus(number(v), number(f.origin(j))))
		}
		m.x = append(m.x, row)
	}
	unit, rows := units(d.X, d.W, d.Standardize), []int{0}
	if m.function = []int{-1, 0}; k > 1 {
		m.function, rows = nil, nil
		for c := range k {
			if c == reference {
				m.function = append(m.function, -1)
				continue
			}
			m.function = append(m.function, len(rows))
			rows = append(rows, c)
		}
	}
	for a, c := range rows {
		last := k > 1 && reference < 0 && a == len(rows)-1
		m.theta, m.l1, m.ridge = append(m.theta, number(f.At[c])), append(m.l1, number(0)), append(m.ridge, number(0))
		m.free = append(m.free, !d.NoIntercept && !last)
		for j, b := range f.Coef.Row(c) {
			factor := 1.0
			if factors != nil {
				factor = factors[j]
			}
			l1 := times(times(number(d.Lambda), number(d.L1Ratio)), times(number(unit[j]), number(factor)))
			m.theta, m.l1 = append(m.theta, number(b)), append(m.l1, l1)
			m.ridge = append(m.ridge, times(d.ridge(), times(number(factor), times(number(unit[j]), number(unit[j])))))
			m.free = append(m.free, l1.Sign() == 0 || b != 0)
		}
	}
	m.refine()
	return m
}

// refine gives the rows as many digits more as the least ridge needs beside the squares of the
// largest column: where rows are dependent it alone makes the minimum unique.
func (m *minimizer) refine() {
	least, most := 0, 0
	for _, r := range m.ridge {
		if r.Sign() > 0 {
			least = min(least, r.MantExp(nil))
		}
	}
	for i, row := range m.x {
		for _, v := range row {
			most = max(most, 2*v.MantExp(nil)+number(weight(m.d.W, i)).MantExp(nil))
		}
	}
	m.digits = digits + uint(most-least)
	for _, row := range m.x {
		for _, v := range row {
			v.SetPrec(m.digits)
		}
	}
}

// score returns fₖ of a row.
func (m *minimizer) score(theta []*big.Float, i, function int) *big.Float {
	f := number(0)
	for j, v := range m.x[i] {
		f = plus(f, times(v, theta[function*m.dim+j]))
	}
	return f
}

// chances holds the probabilities of the classes of a row, to all digits also where they are near
// 0 or 1: odds by their largest, to 1 for p itself and to others for 1 − p.
type chances struct{ p, others []*big.Float }

// chances returns the probabilities of a row and −log of that of its own class.
func (m *minimizer) chances(theta []*big.Float, i int) (c chances, loss *big.Float) {
	scores := make([]*big.Float, len(m.function))
	for k, a := range m.function {
		scores[k] = number(0)
		if a >= 0 {
			scores[k].Set(m.score(theta, i, a)) // to as many digits as the probabilities have
		}
		if len(m.function) == 2 && k == 1 {
			scores[k] = plus(scores[k], number(m.d.offset(i)))
		}
	}
	top := slices.MaxFunc(scores, (*big.Float).Cmp)
	total := number(0)
	for _, s := range scores {
		c.p = append(c.p, exponential(minus(s, top)))
		total = plus(total, c.p[len(c.p)-1])
	}
	c.others = zeros(len(c.p))
	for k, p := range c.p {
		c.p[k] = over(p, total).SetPrec(m.digits) // so that 1 − p loses none, and the curvatures of a row sum to 0
	}
	for k := range c.p {
		for l, p := range c.p {
			if l != k {
				c.others[k] = plus(c.others[k], p)
			}
		}
	}
	if own := m.code[i]; scores[own] == top {
		loss = logarithmBeyond1(over(c.others[own], c.p[own]))
	} else {
		loss = plus(logarithm(total), minus(top, scores[own]))
	}
	return c, loss
}

// residual returns f − y of squared error.
func (m *minimizer) residual(theta []*big.Float, i int) *big.Float {
	return minus(plus(m.score(theta, i, 0), number(m.d.offset(i))), number(m.y[i]))
}

// loss returns that of a row.
func (m *minimizer) loss(theta []*big.Float, i int) *big.Float {
	if m.y != nil {
		r := m.residual(theta, i)
		return times(number(0.5), times(r, r))
	}
	_, loss := m.chances(theta, i)
	return loss
}

// slopes returns the first and second derivatives of the loss of a row by its functions.
func (m *minimizer) slopes(i int) (r []*big.Float, v [][]*big.Float) {
	if m.y != nil {
		return []*big.Float{m.residual(m.theta, i)}, [][]*big.Float{{number(1)}}
	}
	chances, _ := m.chances(m.theta, i)
	p := chances.p
	for c, a := range m.function {
		if a < 0 {
			continue
		}
		s := p[c]
		if m.code[i] == c {
			s = minus(number(0), chances.others[c])
		}
		var line []*big.Float
		for e, b := range m.function {
			if b < 0 {
				continue
			}
			second := times(times(p[c], p[e]), number(-1))
			if c == e {
				second = times(p[c], chances.others[c])
			}
			line = append(line, second)
		}
		r, v = append(r, s), append(v, line)
	}
	return r, v
}

func (m *minimizer) value(theta []*big.Float) *big.Float {
	v := number(0)
	for i := range m.x {
		if w := weight(m.d.W, i); w > 0 {
			v = plus(v, times(number(w), m.loss(theta, i)))
		}
	}
	for at, b := range theta {
		v = plus(v, times(m.l1[at], abs(b)))
		v = plus(v, times(times(number(0.5), m.ridge[at]), times(b, b)))
	}
	return v
}

// derive returns gradient and Hessian of the part without corners.
func (m *minimizer) derive() (g []*big.Float, h [][]*big.Float) {
	n := len(m.theta)
	g, h = zeros(n), make([][]*big.Float, n)
	for at := range h {
		h[at] = zeros(n)
		for to := range n {
			h[at][to].SetPrec(m.digits)
		}
		g[at] = times(m.ridge[at], m.theta[at])
		h[at][at] = plus(h[at][at], m.ridge[at])
	}
	for i, row := range m.x {
		w := weight(m.d.W, i)
		if w == 0 {
			continue
		}
		slopes, curvatures := m.slopes(i)
		for a, r := range slopes {
			r = times(r, number(w))
			for b, v := range curvatures[a][:a+1] {
				v = times(v, number(w))
				for j, x := range row {
					vx := times(v, x)
					for k, z := range row {
						s := h[a*m.dim+j][b*m.dim+k]
						s.Add(s, times(vx, z))
					}
				}
			}
			for j, x := range row {
				g[a*m.dim+j] = plus(g[a*m.dim+j], times(r, x))
			}
		}
	}
	for at := range h {
		for to := range at {
			h[to][at] = h[at][to]
		}
	}
	return g, h
}

// run minimises; corners are held at 0 until their derivative exceeds the lasso's weight.
func (m *minimizer) run() error {
	for range 400 {
		g, h := m.derive()
		var free []int
		for at, b := range m.theta {
			if m.free[at] {
				free = append(free, at)
				if m.l1[at].Sign() > 0 {
					g[at] = plus(g[at], times(m.l1[at], number(float64(b.Sign()))))
					if b.Sign() == 0 { // it enters
						g[at] = minus(g[at], times(m.l1[at], number(float64(g[at].Sign()))))
					}
				}
			}
		}
		step, decrement, solved := solve(h, g, free)
		if !solved && !slices.ContainsFunc(free, func(at int) bool { return m.l1[at].Sign() > 0 }) {
			return fmt.Errorf("the Hessian is singular")
		}
		value := m.value(m.theta)
		if decrement.Sign() == 0 || value.Sign() > 0 && decrement.Cmp(times(value, new(big.Float).SetMantExp(number(1), -220))) < 0 {
			if !m.enter(g) {
				return nil
			}
			continue
		}
		m.move(free, step, value)
	}
	return fmt.Errorf("no minimum after 400 steps")
}

// enter frees the parameter at 0 whose derivative exceeds the lasso's weight most.
func (m *minimizer) enter(g []*big.Float) bool {
	at, most := -1, number(0)
	for j := range m.theta {
		if !m.free[j] && m.l1[j].Sign() > 0 {
			if excess := minus(abs(g[j]), m.l1[j]); excess.Cmp(times(most, number(1))) > 0 && excess.Cmp(times(m.l1[j], number(0x1p-200))) > 0 {
				at, most = j, excess
			}
		}
	}
	if at >= 0 {
		m.free[at] = true
	}
	return at >= 0
}

// move takes the step, halved until the objective falls; a parameter that would change its
// sign stops at the corner and is held there.
func (m *minimizer) move(free []int, step []*big.Float, value *big.Float) {
	t := number(1)
	stops := -1
	for k, at := range free {
		if b := m.theta[at]; m.l1[at].Sign() > 0 && b.Sign() != 0 && b.Sign()*minus(b, step[k]).Sign() < 0 {
			if share := over(b, step[k]); share.Cmp(t) < 0 {
				t, stops = share, at
			}
		}
	}
	for range 200 {
		next := append([]*big.Float(nil), m.theta...)
		for k, at := range free {
			next[at] = minus(next[at], times(t, step[k]))
		}
		if stops >= 0 {
			next[stops] = number(0)
		}
		if m.value(next).Cmp(value) <= 0 {
			if m.theta = next; stops >= 0 {
				m.free[stops] = false
			}
			return
		}
		t, stops = times(t, number(0.5)), -1
	}
}

// LogLooseness logs how many times the excess over the minimum the bounds on it are, by kind
// of fit.
func LogLooseness(t testing.TB, looseness map[string][]float64) {
	for _, name := range slices.Sorted(maps.Keys(looseness)) {
		v := looseness[name]
		slices.Sort(v)
		t.Logf("%-50s %5d fits, bound/excess: median %.3g, least %.4g", name, len(v), v[len(v)/2], v[0])
	}
}

// solve returns H⁻¹g for the free parameters and gᵀH⁻¹g. What rounding may leave of the pivot of a
// dependent column counts as one: the step is then next to 0 where the derivatives agree with the
// dependence, and so far along it where they do not that the equations are not solved.
func solve(h [][]*big.Float, g []*big.Float, free []int) (step []*big.Float, decrement *big.Float, solved bool) {
	n := len(free)
	a, off := make([][]*big.Float, n), number(0)
	for i, r := range free {
		for _, c := range free {
			a[i] = append(a[i], new(big.Float).Set(h[r][c]))
		}
		a[i] = append(a[i], new(big.Float).Set(g[r]))
		off = largest(off, abs(g[r]))
	}
	solved = true
	for k, at := range free {
		rounding := 60 - int(h[at][at].Prec())
		least := new(big.Float).SetMantExp(h[at][at], rounding)
		if least.Sign() == 0 {
			least = new(big.Float).SetMantExp(number(1), rounding)
		}
		if a[k][k].Cmp(least) <= 0 {
			a[k][k] = least
			solved = solved && abs(a[k][n]).Cmp(new(big.Float).SetMantExp(off, rounding)) <= 0
		}
		for i := k + 1; i < n; i++ {
			f := over(a[i][k], a[k][k])
			for j := k; j <= n; j++ {
				a[i][j] = minus(a[i][j], times(f, a[k][j]))
			}
		}
	}
	step, decrement = zeros(n), number(0)
	for k := n - 1; k >= 0; k-- {
		s := a[k][n]
		for j := k + 1; j < n; j++ {
			s = minus(s, times(a[k][j], step[j]))
		}
		step[k] = over(s, a[k][k])
		decrement = plus(decrement, times(step[k], g[free[k]]))
	}
	return step, decrement, solved
}

var ln2 = logarithmOf2()

// logarithmOf2 returns Σ 1/(k·2ᵏ).
func logarithmOf2() *big.Float {
	s := number(0)
	for k := int64(1); k < digits+20; k++ {
		s = plus(s, over(new(big.Float).SetMantExp(number(1), int(-k)), number(float64(k))))
	}
	return s
}

// exponential returns exp(x) for x ≤ 1, 0 far below the range that matters: a sum with less would
// be shifted by as many bits.
func exponential(x *big.Float) *big.Float {
	v, _ := x.Float64()
	if v < -1e5 {
		return number(0)
	}
	k := math.Round(v / math.Ln2)
	r := minus(x, times(ln2, number(k)))
	const halvings = 16
	r = new(big.Float).SetMantExp(r, -halvings)
	s, term := number(1), number(1)
	for j := 1.0; j < 20; j++ {
		term = over(times(term, r), number(j))
		s = plus(s, term)
	}
	for range halvings {
		s = times(s, s)
	}
	return new(big.Float).SetMantExp(s, int(k))
}

// logarithm returns log x for x ≥ 1, by Halley's method from the float64.
func logarithm(x *big.Float) *big.Float {
	fraction := new(big.Float).SetPrec(digits)
	e := x.MantExp(fraction)
	v, _ := fraction.Float64()
	y := number(math.Log(v))
	for range 4 {
		z := exponential(y)
		y = plus(y, over(times(number(2), minus(fraction, z)), plus(fraction, z)))
	}
	return plus(y, times(ln2, number(float64(e))))
}

// logarithmBeyond1 returns log(1+x) for x ≥ 0, to all digits also where x is small.
func logarithmBeyond1(x *big.Float) *big.Float {
	const small = -40
	if x.Sign() == 0 || x.MantExp(nil) > small {
		return logarithm(plus(number(1), x))
	}
	s, power := number(0), number(-1)
	for k := 1; -k*small < digits+20; k++ {
		power = times(power, minus(number(0), x))
		s = plus(s, over(power, number(float64(k))))
	}
	return s
}
