package hyperplane

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/qp"
)

// u is the relative error that the bounds allow to a product of two vectors.
const u = 0x1p-50

// eighths draws a multiple of 1/8 up to most in size.
func eighths(r *rand.Rand, most int) float64 { return float64(r.IntN(16*most+1)-8*most) / 8 }

// square is ½‖v‖² and its error where v is wrong by a vector of some length.
func square(v []float64, length float64) (half, unsure float64) {
	half = linalg.Dot(v, v) / 2
	return half, length*(math.Sqrt(2*half)+length/2) + u*half
}

// The objectives that bound the minimum of a soft margin are those of the definition, less what
// rounding may have added: on numbers whose sums are exact, so that the difference is all
// that is measured.
func TestEvidenceOfASoftMarginIsItsDefinition(t *testing.T) {
	exactly, plainly, fine := 0, 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 41))
		n, p, scale := 3+r.IntN(4), 1+r.IntN(2), []float64{1, 1, 0x1p11, 0x1p24}[seed%4]
		x, sign, price, alpha := linalg.Zeros(n, p), make([]float64, n), make([]float64, n), make([]float64, n)
		s := &solver{noIntercept: seed%3 == 0, loss: Loss(r.IntN(2)), tol: 1e-7}
		for i := range n {
			sign[i], price[i], alpha[i] = float64(2*(i%2)-1), float64(r.IntN(3)), math.Abs(eighths(r, 1))
			for j := range p {
				x.Set(i, j, scale*eighths(r, 4))
			}
			if price[i] == 0 {
				alpha[i] = 0
			}
		}
		price[0], alpha[0] = 1, 0.5
		q := &qp.Linear{X: x, Sign: sign}
		if seed%2 == 0 {
			q.Origin = make([]float64, p)
			q.Origin[0] = scale * eighths(r, 2)
		}
		plane := planeAt(make([]float64, p), q.Origin, eighths(r, 2))
		for j := range plane.beta() {
			plane.beta()[j] = eighths(r, 1) / scale
		}
		if far := 0x1p20; seed%8 == 1 { // from 0, which f takes back
			plane.offset -= far * plane.beta()[0]
			for i := range n {
				x.Set(i, 0, x.At(i, 0)+far)
			}
		}
		open := []float64{0, 0x1p-10}[r.IntN(2)]
		total, cost, radius, v := 0.0, 0.0, 0.0, make([]float64, p)
		norm := math.Sqrt(linalg.Dot(plane.beta(), plane.beta()))
		for i, a := range alpha {
			total += a
			d := about(plane, x.Row(i))
			linalg.Axpy(v, a*sign[i], d)
			if price[i] > 0 {
				radius = max(radius, linalg.Norm(d))
				if s.loss == SquaredHinge {
					cost += a * a / 4 / price[i]
				}
			}
		}
		half, unsure := square(v, u*radius*total)
		if unsure > 1e-10*total {
			half, unsure = square(v, u*u*radius*total)
			exactly++
		}
		dual := total - cost - half - unsure - u*(total+cost)
		g := s.newSoftGap(q, price, alpha, open)
		lt.Close(t, "radius", g.radius, radius, 1e-15*radius)
		lt.Close(t, "the dual alone", g.dual, dual, 1e-15*(math.Abs(dual)+total+half)+unsure/1e3)

		g.dual += 1e3 * total // so that it is not cut at 0
		e := g.evidence(plane)
		primal, lost, noise := norm*norm/2, 0.0, 0.0
		if norm > 0 {
			noise = u * (1 + math.Abs(plane.offset) + radius*norm)
		}
		for i, c := range price {
			slack := 1 - sign[i]*plane.Value(x.Row(i))
			lt.Close(t, "slack", e.slack[i], slack, 0)
			power := 1 + float64(s.loss)
			primal += c * math.Pow(max(0, slack), power)
			if slack > -noise {
				lost += c * (math.Pow(slack+noise, power) - math.Pow(max(0, slack), power))
			}
		}
		if lost > 1e-10*primal {
			lost = 0
			fine++
		} else {
			plainly++
		}
		lt.Close(t, "primal", e.primal, primal, 1e-15*primal)
		want := g.dual - lost - u*primal - open*(1+radius*math.Sqrt(2*primal))
		lt.Close(t, "dual", e.dual, max(0, want), 4e-16*math.Abs(g.dual)+1e-15*open*(1+radius*math.Sqrt(2*primal))+1e-16*primal)
	}
	if exactly < 50 || plainly < 50 || fine < 20 {
		t.Errorf("%d duals in twice the precision, %d primals, %d without", exactly, fine, plainly)
	}
}

// The rounding of the margins of rows up to 10 from 0 is 2e-12 of these objectives. A smaller tolerance has them in twice the
// precision.
func TestTolerancesBelowTheRoundingOfMarginsAreMet(t *testing.T) {
	x := lt.Rows(t, []float64{-0.2, -10}, []float64{-0.2, 0}, []float64{-0.2, 10}, []float64{0.2, -10}, []float64{0.2, 0}, []float64{0.2, 10})
	m, err := FitSVC(x, []int{0, 0, 0, 1, 1, 1}, &SVCOptions{C: 100, Tol: 1e-12})
	if err != nil {
		t.Error(m, err)
	}
	z, y := lt.Rows(t, []float64{-10}, []float64{-10}, []float64{10}, []float64{10}), []float64{-50, -50, 50, 50}
	tube, err := FitSVR(z, y, &SVROptions{C: 100, Epsilon: 0.1, Tol: 1e-12})
	if err != nil {
		t.Error(tube, err)
	}
}

// By hand: ½‖(3, 4)‖² = 12.5, and a vector of length 2 adds up to 2·5 + 2²/2.
func TestErrorsOfSumsOnPaper(t *testing.T) {
	half, unsure := halfOf([]float64{3, 4}, 2)
	lt.CloseSlice(t, "half a square", []float64{half, unsure}, []float64{12.5, 12 + 12.5*u}, 0)

	// β = 4, slacks 1, −0.25, −0.5 and −1 at prices 1, 2, 4 and 8, wrong by 0.5 each.
	p, slack, price := planeAt([]float64{4}, nil, 0), []float64{1, -0.25, -0.5, -1}, []float64{1, 2, 4, 8}
	for loss, want := range map[Loss][2]float64{Hinge: {9, 1*0.5 + 2*0.25}, SquaredHinge: {9, 1.25 + 2*0.0625}} {
		f, unsure := (&softGap{loss: loss, price: price}).primal(p, slack, 0.5)
		lt.CloseSlice(t, loss.String(), []float64{f, unsure}, want[:], 0)
	}
	// Residuals 2, −3, 0.75, 0.5 and 9 of a tube of 1 at prices 1, 2, 4, 8 and 0: 8 + 1·1 + 2·2, and the
	// first four but one are within 0.25 of beyond it.
	tube := &tube{epsilon: 1, price: []float64{1, 2, 4, 8, 0}}
	f, unsure := tube.primal(p, []float64{2, -3, 0.875, 0.75, 9}, 0.25)
	lt.CloseSlice(t, "tube", []float64{f, unsure}, []float64{13, 0.25 * 7}, 0)

	for _, c := range []struct{ primal, dual, want float64 }{{2, 1, 0.5}, {2, 3, 0.5}, {3, 3, 0}, {0, 0, 0}, {1e-291, 0, 0.1}} {
		lt.Close(t, "gap", relativeGap(c.primal, c.dual), c.want, 1e-16)
	}
}

// So are those of a regression.
func TestEvidenceOfATubeIsItsDefinition(t *testing.T) {
	exactly, plainly := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 42))
		n, p, scale := 3+r.IntN(4), 1+r.IntN(2), []float64{1, 1, 0x1p11, 0x1p24}[seed%4]
		x, price, a, y := linalg.Zeros(n, p), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			price[i], a[i], y[i] = float64(r.IntN(3)), eighths(r, 1), eighths(r, 4)
			for j := range p {
				x.Set(i, j, scale*eighths(r, 4))
			}
			if price[i] == 0 {
				a[i] = 0
			}
		}
		price[0], a[0] = 2, 0.5
		tb := &tube{q: &qp.Linear{X: x, Sign: slices.Repeat([]float64{1}, n)}, y: y, price: price, epsilon: float64(seed%3) / 2, level: eighths(r, 1), tol: defaultTol}
		plane := planeAt(make([]float64, p), nil, eighths(r, 2))
		for j := range plane.beta() {
			plane.beta()[j] = eighths(r, 1) / scale
		}
		if far := 0x1p20; seed%4 == 0 { // from 0, which the level takes up
			plane.offset, tb.level = plane.offset+far, tb.level+far
			for i := range y {
				y[i] += far
			}
		}
		open := []float64{0, 0x1p-10}[r.IntN(2)]
		primal, dual, short := tb.objectives(plane, a, open)

		total, linear, radius, largest, v := 0.0, 0.0, 0.0, 0.0, make([]float64, p)
		for i, m := range a {
			total += math.Abs(m)
			linear += m*(y[i]-tb.level) - tb.epsilon*math.Abs(m)
			linalg.Axpy(v, m, x.Row(i))
			if price[i] > 0 {
				radius, largest = max(radius, linalg.Norm(x.Row(i))), max(largest, math.Abs(y[i]-tb.level))
			}
		}
		norm := linalg.Norm(plane.beta())
		noise := u * (math.Abs(plane.offset) + math.Abs(tb.level) + largest + radius*norm)
		value, beyond := norm*norm/2, 0.0
		near, nearer := 0.0, 0.0 // prices of rows beyond the tube, or as good as
		for i, c := range price {
			out := math.Abs(y[i]-plane.Value(x.Row(i))) - tb.epsilon
			value += c * max(0, out)
			if out > -noise {
				near += c
			}
			if out > -u*tb.epsilon {
				nearer += c
			}
			if math.Abs(a[i]) < c {
				beyond = max(beyond, out)
			}
		}
		unsure := noise * near
		if unsure > 1e-10*value {
			unsure = u * tb.epsilon * nearer
			exactly++
		} else {
			plainly++
		}
		half, missed := square(v, u*radius*total)
		if missed > 1e-10*total {
			half, missed = square(v, u*u*radius*total)
		}
		want := linear - half - missed - unsure - u*(value+(largest+tb.epsilon)*total)
		if open > 0 {
			want -= open * (largest + radius*math.Sqrt(2*value))
		}
		size := total*(largest+tb.epsilon) + half + open*radius*math.Sqrt(2*value)
		lt.Close(t, "primal", primal, value, 1e-15*value)
		lt.Close(t, "dual", dual, max(0, want), 3e-16*size+(missed+unsure)/1e3)
		lt.Close(t, "short", short, beyond, 0)
	}
	if exactly < 50 || plainly < 50 {
		t.Errorf("%d primals in twice the precision, %d without", exactly, plainly)
	}
}

// A mended sum Σαy is 0 but for what the bound says, and no multiplier leaves its bounds or
// changes by more than rounding; those at a bound stay.
func TestMendedMultipliers(t *testing.T) {
	changed := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 43))
		n := 4 + r.IntN(8)
		alpha, sign, bound := make([]float64, n), make([]float64, n), make([]float64, n)
		sum := 0.0
		for i := range n {
			sign[i], bound[i] = float64(2*(i%2)-1), 1+r.Float64()
			alpha[i] = []float64{0, bound[i], bound[i] * r.Float64(), 1e-3 * r.Float64()}[r.IntN(4)]
			sum += alpha[i] * sign[i]
		}
		k := r.IntN(n)
		sign[k], alpha[k], bound[k] = 1, 1.5, 2
		sum = 0
		for i := range n {
			if i != k {
				sum += alpha[i] * sign[i]
			}
		}
		if alpha[k] = math.Abs(sum) * (1 + 1e-15*r.Float64()); sum > 0 {
			sign[k] = -1
		}
		if bound[k] = 2 * alpha[k]; alpha[k] == 0 {
			continue
		}
		was := append([]float64(nil), alpha...)
		open := mend(alpha, sign, bound)
		exact, total := new(big.Float).SetPrec(500), 0.0
		for i, a := range alpha {
			exact.Add(exact, big.NewFloat(sign[i]*a))
			total += a
			if a < 0 || a > bound[i] || (was[i] == 0 || was[i] == bound[i]) && a != was[i] || math.Abs(a-was[i]) > 1.0001e-12*was[i] {
				t.Errorf("seed %d: %v became %v of %v", seed, was[i], a, bound[i])
			}
			if a != was[i] {
				changed++
			}
		}
		left, _ := exact.Abs(exact).Float64()
		if least := float64(n) * 0x1p-100 * total; open < left || open > left+2*least || open < least/2 || left > 1e-25*total {
			t.Errorf("seed %d: Σαy = %g, bounded by %g", seed, left, open)
		}
	}
	if changed < 50 {
		t.Errorf("%d multipliers changed", changed)
	}
	if open := mend([]float64{1, 2}, nil, nil); open != 0 {
		t.Errorf("without an equality %g", open)
	}
	// Σαy = 2⁻³⁶ is more than rounding: each gives 1e-12 of itself.
	alpha := []float64{1, 2, 1 + 0x1p-36}
	lt.Close(t, "left", mend(alpha, []float64{1, -1, 1}, []float64{9, 9, 9}), 0x1p-36-4e-12, 1e-15)
	lt.CloseSlice(t, "mended", alpha, []float64{1 - 1e-12, 2 + 2e-12, 1 + 0x1p-36 - 1e-12}, 1e-15)
}

// The heavier side is scaled to the lighter; sums that differ by rounding stay.
func TestBalancedMultipliers(t *testing.T) {
	for _, c := range []struct{ alpha, sign, want []float64 }{
		{[]float64{1, 2, 3, 0}, []float64{1, 1, -1, -1}, []float64{1, 2, 3, 0}},
		{[]float64{1, 3, 2, 0}, []float64{1, 1, -1, -1}, []float64{0.5, 1.5, 2, 0}},
		{[]float64{1, 3, 2, 0}, []float64{-1, -1, 1, 1}, []float64{0.5, 1.5, 2, 0}},
		{[]float64{1, 1, 2 + 1e-12}, []float64{1, 1, -1}, []float64{1, 1, 2 + 1e-12}},
		{[]float64{1, 1, 0}, []float64{1, 1, -1}, []float64{0, 0, 0}},
		{[]float64{4, -1, -1}, nil, []float64{2, -1, -1}},
		{[]float64{1, -4}, nil, []float64{1, -1}},
	} {
		got := append([]float64(nil), c.alpha...)
		balance(got, c.sign)
		lt.CloseSlice(t, "balanced", got, c.want, 0)
	}
}

// Second words of multipliers have an exact sum Σαy within the bound that goes with them.
func TestBoundOfTheSumOfTwoWords(t *testing.T) {
	tried := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 44))
		n := 6
		x, sign, price := lt.Normal(seed, n, 2), make([]float64, n), slices.Repeat([]float64{1e6}, n)
		for i := range n {
			sign[i] = float64(2*(i%2) - 1)
			x.Set(i, 1, 1e6*x.At(i, 1))
			x.Set(i, 0, x.At(i, 0)+3*sign[i]+1e-3*r.Float64())
		}
		s := solver{tol: 1e-7}
		q := s.kernel(x, sign, nil)
		m, alpha, _ := s.softMargin(q, price, nil)
		g := s.newSoftGap(q, price, alpha, 1)
		fine := g.inTwoWords(m.Plane)
		if fine == g {
			continue
		}
		tried++
		exact, total := new(big.Float).SetPrec(500), 0.0
		for i, a := range alpha {
			exact.Add(exact, big.NewFloat(sign[i]*a))
			exact.Add(exact, big.NewFloat(sign[i]*fine.low[i]))
			total += a
		}
		left, _ := exact.Abs(exact).Float64()
		if slop := float64(n) * 0x1p-100 * total; !(fine.open >= left && fine.open <= left+2*slop && fine.open >= slop/2) {
			t.Errorf("seed %d: Σαy = %g, bounded by %g", seed, left, fine.open)
		}
	}
	if tried < 20 {
		t.Errorf("second words %d times", tried)
	}
}

// Prices and slacks of a tenth, a hundred thousand times: their plain sums are 5e-13 of themselves off, many times the gap. The
// sums of the definition are taken by pairs here.
func TestGapsOfManyRowsHoldBesideTheirSums(t *testing.T) {
	const n = 100_000
	x, y, w := linalg.Zeros(n, 1), make([]int, n), make([]float64, n)
	for i := range n {
		y[i], w[i] = i%2, 0.1
		x.Set(i, 0, 0.1)
		if i%10 == 0 {
			x.Set(i, 0, 0.7*float64(y[i])-0.3)
		}
	}
	var byPairs func(terms []float64) float64
	byPairs = func(terms []float64) float64 {
		if n := len(terms); n > 1 {
			return byPairs(terms[:n/2]) + byPairs(terms[n/2:])
		}
		return terms[0]
	}
	for _, loss := range []Loss{Hinge, SquaredHinge} {
		m, err := FitSVC(x, y, &SVCOptions{C: 0.1, Loss: loss, Weights: w, Tol: 1e-12})
		if err != nil {
			t.Error(err)
			continue
		}
		terms, p := make([]float64, n), m.Machines()[0].Plane
		for i := range terms {
			terms[i] = 0.1 * w[i] * loss.of(1-float64(2*y[i]-1)*p.Value(x.Row(i)))
		}
		value, r := byPairs(terms)+p.Norm()*p.Norm()/2, m.Report()
		if off := math.Abs(r.Objective()/value - 1); !(off <= r.Certificate().Value+1e-15) {
			t.Errorf("%v: %v, off by %g", loss, r, off)
		}
	}
	residuals := make([]float64, n)
	for i := range residuals {
		residuals[i] = 0.1
	}
	tube := &tube{price: w}
	if value, _ := tube.primal(plane(t, []float64{0}, 0), residuals, 0); math.Abs(value/1000-1) > 1e-15 {
		t.Errorf("%g of a tube", value)
	}
}
