package hyperplane

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// exactMinimum returns the minimum of ½‖β‖² + ΣC·max(0, target − sign·f) in rational
// arithmetic: the one among all divisions of the rows into those with α = 0, at the price
// and between whose multipliers satisfy the conditions. Of an infinite price none is there.
func exactMinimum(x *linalg.Dense, sign, target, price []float64) *big.Rat {
	n := len(sign)
	kernel := make([][]*big.Rat, n)
	for i := range n {
		kernel[i] = make([]*big.Rat, n)
		for j := range n {
			kernel[i][j] = new(big.Rat)
			for k := range x.Cols {
				kernel[i][j].Add(kernel[i][j], rat(x.At(i, k), x.At(j, k), sign[i], sign[j]))
			}
		}
	}
	state := make([]int, n)
	for {
		if f := minimumOf(kernel, sign, target, price, state, x.Cols); f != nil {
			return f
		}
		k := 0
		for ; k < n && state[k] == 2; k++ {
			state[k] = 0
		}
		if k == n {
			return nil
		}
		state[k]++
	}
}

func rat(factors ...float64) *big.Rat {
	r := big.NewRat(1, 1)
	for _, f := range factors {
		r.Mul(r, new(big.Rat).SetFloat64(f))
	}
	return r
}

// minimumOf returns the objective if the rows of state 1 can be inside their bounds, those
// of state 0 at 0 and those of state 2 at the price.
func minimumOf(kernel [][]*big.Rat, sign, target, price []float64, state []int, p int) *big.Rat {
	var free []int
	for i, s := range state {
		switch {
		case s == 1:
			free = append(free, i)
		case s == 2 && math.IsInf(price[i], 1):
			return nil
		}
	}
	f := len(free)
	if f == 0 || f > p+1 { // some solution has a free row, and few
		return nil
	}
	a := make([][]*big.Rat, f+1) // (K s; sᵀ 0)(α, b) = (target − K·at price, −Σ at price)
	for r := range a {
		a[r] = make([]*big.Rat, f+2)
		for c := range a[r] {
			a[r][c] = new(big.Rat)
		}
	}
	for r, i := range free {
		for c, j := range free {
			a[r][c].Set(kernel[i][j])
		}
		a[r][f].Set(rat(sign[i]))
		a[f][r].Set(rat(sign[i]))
		a[r][f+1].Set(rat(target[i]))
		for j, s := range state {
			if s == 2 {
				a[r][f+1].Sub(a[r][f+1], new(big.Rat).Mul(kernel[i][j], rat(price[j])))
			}
		}
	}
	for j, s := range state {
		if s == 2 {
			a[f][f+1].Sub(a[f][f+1], rat(price[j], sign[j]))
		}
	}
	if !eliminate(a) {
		return nil
	}
	alpha, b := make([]*big.Rat, len(sign)), a[f][f+1]
	for i, s := range state {
		alpha[i] = new(big.Rat)
		if s == 2 {
			alpha[i] = rat(price[i])
		}
	}
	for r, i := range free {
		if alpha[i] = a[r][f+1]; alpha[i].Sign() < 0 || !math.IsInf(price[i], 1) && alpha[i].Cmp(rat(price[i])) > 0 {
			return nil
		}
	}
	value := new(big.Rat)
	for i, s := range state {
		margin := new(big.Rat).Mul(b, rat(sign[i]))
		for j := range alpha {
			margin.Add(margin, new(big.Rat).Mul(kernel[i][j], alpha[j]))
		}
		slack := new(big.Rat).Sub(rat(target[i]), margin)
		if s == 0 && slack.Sign() > 0 || s == 2 && slack.Sign() < 0 {
			return nil
		}
		if s == 2 {
			value.Add(value, slack.Mul(slack, rat(price[i])))
		}
		for j := range alpha {
			t := new(big.Rat).Mul(kernel[i][j], alpha[j])
			value.Add(value, t.Mul(t, new(big.Rat).Mul(alpha[i], big.NewRat(1, 2))))
		}
	}
	return value
}

// eliminate solves equations, right-hand side last, in place.
func eliminate(a [][]*big.Rat) bool {
	for k := range a {
		pivot := k
		for pivot < len(a) && a[pivot][k].Sign() == 0 {
			pivot++
		}
		if pivot == len(a) {
			return false
		}
		a[k], a[pivot] = a[pivot], a[k]
		inverse := new(big.Rat).Inv(a[k][k])
		for c := k; c < len(a[k]); c++ {
			a[k][c].Mul(a[k][c], inverse)
		}
		for r := range a {
			if r == k || a[r][k].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Set(a[r][k])
			for c := k; c < len(a[r]); c++ {
				a[r][c].Sub(a[r][c], new(big.Rat).Mul(factor, a[k][c]))
			}
		}
	}
	return true
}

// exactObjective returns the objective of a plane in rational arithmetic.
func exactObjective(x *linalg.Dense, sign, price []float64, p *Plane) *big.Rat {
	value := new(big.Rat)
	for _, b := range p.beta() {
		value.Add(value, rat(0.5, b, b))
	}
	for i, s := range sign {
		f := exactValue(p, x.Row(i))
		slack := f.Sub(rat(1), f.Mul(f, rat(s)))
		if slack.Sign() > 0 {
			value.Add(value, slack.Mul(slack, rat(price[i])))
		}
	}
	return value
}

// exactValue returns f(row).
func exactValue(p *Plane, row []float64) *big.Rat {
	f := rat(p.offset)
	for j, b := range p.beta() {
		d := rat(row[j])
		if p.origin != nil {
			d.Sub(d, rat(p.origin[j]))
		}
		f.Add(f, d.Mul(d, rat(b)))
	}
	return f
}

// The certificate of a soft margin bounds how far the objective of the published plane is
// above the least one, both in exact arithmetic: with prices from 1e-6 to 1e12, weights,
// duplicates with both labels, columns of any scale and far from 0.
func TestSVCCertificateIsABound(t *testing.T) {
	cases, looseness := linalgtest.Rounds(60, 5000), map[string][]float64{}
	rng := rand.New(rand.NewPCG(15, 3))
	converged, unknown := 0, 0
	for k := range cases {
		n, p := 3+rng.IntN(3), 1+rng.IntN(2)
		x, y, w := linalg.Zeros(n, p), make([]int, n), make([]float64, n)
		for j := range p {
			scale, shift := math.Pow(10, float64(rng.IntN(7)-3)), 0.0
			if rng.IntN(4) == 0 {
				shift = 1e5 * scale
			}
			for i := range n {
				x.Row(i)[j] = scale*math.Round(8*rng.NormFloat64())/8 + shift
			}
		}
		for i := range y {
			y[i], w[i] = rng.IntN(2), float64(1+rng.IntN(3))
		}
		y[0], y[1] = 0, 1
		if rng.IntN(3) == 0 {
			copy(x.Row(1), x.Row(0))
		}
		c := math.Pow(10, float64(rng.IntN(19)-6))
		m, err := FitSVC(x, y, &SVCOptions{C: c, Weights: w})
		if m == nil {
			t.Fatalf("case %d: %v", k, err)
		}
		if err == nil {
			converged++
		}
		sign, price := make([]float64, n), make([]float64, n)
		for i := range sign {
			sign[i], price[i] = float64(2*y[i]-1), c*w[i]
		}
		least := exactMinimum(x, sign, slices.Repeat([]float64{1}, n), price)
		if least == nil {
			unknown++
			continue
		}
		own := exactObjective(x, sign, price, m.Machines()[0].Plane)
		excess, _ := new(big.Rat).Quo(new(big.Rat).Sub(own, least), own).Float64()
		if bound := m.Report().Certificate().Value; !(excess <= bound) {
			t.Errorf("case %d, %d × %d, C %g: %g above the minimum, certified %g (%v)", k, n, p, c, excess, bound, err)
		} else if excess > 0 {
			looseness["soft margin"] = append(looseness["soft margin"], bound/excess)
		}
	}
	linalgtest.LogLooseness(t, looseness)
	t.Logf("%d of %d converged, %d minima are unknown", converged, cases, unknown)
	if 10*converged < 9*cases || unknown > cases/2 {
		t.Errorf("%d of %d converged, %d minima are unknown", converged, cases, unknown)
	}
}

// The certificate of a regression bounds the same, with tubes of any height.
func TestSVRCertificateIsABound(t *testing.T) {
	cases, looseness := linalgtest.Rounds(60, 5000), map[string][]float64{}
	rng := rand.New(rand.NewPCG(15, 4))
	for k := range cases {
		n, p := 2+rng.IntN(2), 1+rng.IntN(2)
		x, y := linalg.Zeros(n, p), make([]float64, n)
		for i := range y {
			for j := range p {
				x.Set(i, j, math.Pow(10, float64(3*j))*math.Round(8*rng.NormFloat64())/8)
			}
			y[i] = 1e3 + math.Round(16*rng.NormFloat64())/16
		}
		c, epsilon := math.Pow(10, float64(rng.IntN(13)-4)), math.Round(4*rng.Float64())/8
		m, err := FitSVR(x, y, &SVROptions{C: c, Epsilon: epsilon})
		if m == nil {
			t.Fatalf("case %d: %v", k, err)
		}
		twice := linalg.Zeros(2*n, p)
		sign, target := slices.Repeat([]float64{1}, 2*n), make([]float64, 2*n)
		for i := range y {
			copy(twice.Row(i), x.Row(i))
			copy(twice.Row(n+i), x.Row(i))
			sign[n+i], target[i], target[n+i] = -1, y[i]-epsilon, -y[i]-epsilon
		}
		least := exactMinimum(twice, sign, target, slices.Repeat([]float64{c}, 2*n))
		if least == nil {
			t.Fatalf("case %d has no minimum", k)
		}
		own := new(big.Rat)
		for _, b := range m.plane.beta() {
			own.Add(own, rat(0.5, b, b))
		}
		for i, v := range y {
			out := new(big.Rat).Sub(exactValue(m.plane, x.Row(i)), rat(v))
			if out.Sub(out.Abs(out), rat(epsilon)); out.Sign() > 0 {
				own.Add(own, out.Mul(out, rat(c)))
			}
		}
		if own.Sign() == 0 {
			continue
		}
		excess, _ := new(big.Rat).Quo(new(big.Rat).Sub(own, least), own).Float64()
		if bound := m.Report().Certificate().Value; !(excess <= bound) {
			t.Errorf("case %d, %d × %d, C %g, ε %g: %g above the minimum, certified %g (%v)", k, n, p, c, epsilon, excess, bound, err)
		} else if excess > 0 {
			looseness["tube"] = append(looseness["tube"], bound/excess)
		}
	}
	linalgtest.LogLooseness(t, looseness)
}

// The certificate of a hard margin bounds how much longer its normal is than the shortest
// that separates the classes as widely.
func TestHardMarginCertificateIsABound(t *testing.T) {
	cases, looseness := linalgtest.Rounds(60, 5000), map[string][]float64{}
	rng := rand.New(rand.NewPCG(15, 5))
	for k := range cases {
		n, p := 3+rng.IntN(5), 1+rng.IntN(2)
		x, y, sign := linalg.Zeros(n, p), make([]int, n), make([]float64, n)
		for i := range y {
			y[i] = i % 2
			sign[i] = float64(2*y[i] - 1)
			for j := range p {
				x.Set(i, j, math.Pow(10, float64(3*j))*(math.Round(64*rng.NormFloat64())/64+float64(rng.IntN(3)*y[i])))
			}
		}
		m, err := FitHardMargin(x, y, nil)
		least := exactMinimum(x, sign, slices.Repeat([]float64{1}, n), slices.Repeat([]float64{math.Inf(1)}, n))
		if m == nil {
			if least != nil {
				t.Errorf("case %d has a margin: %v", k, err)
			}
			continue
		}
		plane := m.list[0].Plane
		var widest *big.Rat
		for i, s := range sign {
			f := exactValue(plane, x.Row(i))
			if f.Mul(f, rat(s)); widest == nil || f.Cmp(widest) < 0 {
				widest = f
			}
		}
		own := new(big.Rat)
		for _, b := range plane.beta() {
			own.Add(own, rat(0.5, b, b))
		}
		own.Quo(own, new(big.Rat).Mul(widest, widest))
		excess, _ := new(big.Rat).Quo(new(big.Rat).Sub(own, least), own).Float64()
		if bound := m.Report().Certificate().Value; widest.Sign() <= 0 || !(excess <= bound) {
			t.Errorf("case %d, %d × %d: %g longer, certified %g (%v)", k, n, p, excess, bound, err)
		} else if excess > 0 {
			looseness["hard margin"] = append(looseness["hard margin"], bound/excess)
		}
	}
	linalgtest.LogLooseness(t, looseness)
}
