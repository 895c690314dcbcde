package qp

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// exactly computes the objective of a soft margin about 0 in 400 bits.
type exactly struct {
	x    *linalg.Dense
	sign []float64
}

func precise(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }

// objective returns ½‖Σ αᵢsᵢxᵢ‖² − Σα.
func (e exactly) objective(alpha []*big.Float) *big.Float {
	f, half := precise(0), precise(0.5)
	for j := range e.x.Cols {
		v := precise(0)
		for i, a := range alpha {
			v.Add(v, precise(0).Mul(a, precise(e.sign[i]*e.x.At(i, j))))
		}
		f.Add(f, v.Mul(v, precise(0).Mul(v, half)))
	}
	for _, a := range alpha {
		f.Sub(f, a)
	}
	return f
}

// feasible returns α, and an α near it that meets the equality, by the variables inside their
// bounds; ok where they have the room.
func (e exactly) feasible(alpha []float64, price float64) (own, near []*big.Float, ok bool) {
	miss := precise(0)
	for i, a := range alpha {
		own, near = append(own, precise(a)), append(near, precise(a))
		miss.Add(miss, precise(e.sign[i]*a))
	}
	for i, a := range alpha {
		if a > 0 && a < price {
			step := precise(0).Mul(miss, precise(-e.sign[i]))
			most := precise(min(a, price-a) / 2)
			if low := precise(0).Neg(most); step.Cmp(most) > 0 {
				step = most
			} else if step.Cmp(low) < 0 {
				step = low
			}
			near[i].Add(near[i], step)
			miss.Add(miss, precise(0).Mul(step, precise(e.sign[i])))
		}
	}
	return own, near, miss.Sign() == 0
}

// rounding bounds what the rounding of reduced gradients and of Aᵀα changes in the gap of a result.
func (e exactly) rounding(r *Result, price float64) float64 {
	total, gap := 0.0, 0.0
	for i, a := range r.Alpha {
		row := e.x.Row(i)
		size := 1 + math.Abs(r.Multiplier) + linalg.Norm(row)*linalg.Norm(r.V)
		total += a * linalg.Norm(row)
		gap += a * size
		if r.Gradient[i]-r.Multiplier*e.sign[i] < 0x1p-50*size {
			gap += (price - a) * size
		}
	}
	return 0x1p-50*gap + 0x1p-50*total*(math.Sqrt(r.Gap)+0x1p-50*total)
}

// The gap that a method states is at least the excess of its α over the least objective of an α that
// meets the equality exactly, near those of all methods, in 400 bits. The level of rows far from 0
// is large, and what α misses of the equality has its price.
func TestGapCoversWhatTheEqualityMisses(t *testing.T) {
	methods := []struct {
		name  string
		solve func(*Problem, *Options) (*Result, error)
	}{{"Solve", Solve}, {"SMO", SMO}, {"interior point", interiorPoint}, {"polisher", polish}, {"smoothed", newton}, {"lagrangian", augmented}}
	compared, certified := map[string]int{}, 0
	for seed := range uint64(40) {
		n, p := 24, 2
		unit, price := math.Pow(10, float64(seed%5)*3-6), math.Pow(10, float64(seed%8)*2-2)
		x, e := lt.Normal(seed, n, p), exactly{sign: make([]float64, n)}
		for i := range n {
			e.sign[i] = float64(i%2*2 - 1)
			for j := range p {
				x.Row(i)[j] = unit * (x.At(i, j) + 3*e.sign[i]*float64(seed%3) + 1000)
			}
		}
		e.x = x
		var results []*Result
		var points []*big.Float
		least := precise(math.Inf(1))
		for _, m := range methods {
			l := &Linear{X: x, Sign: e.sign, Workers: 1}
			if m.name == "lagrangian" {
				l.X = lt.Sparse(x)
			}
			r, _ := m.solve(&Problem{Q: l, Linear: slices.Repeat([]float64{-1}, n), Sign: e.sign, Upper: slices.Repeat([]float64{price}, n)},
				&Options{Tol: 1e-12, MaxIter: 20000})
			if r == nil {
				continue
			}
			own, near, ok := e.feasible(r.Alpha, price)
			results, points = append(results, r), append(points, e.objective(own))
			compared[m.name]++
			if f := e.objective(near); ok && f.Cmp(least) < 0 {
				least = f
			}
		}
		for k, r := range results {
			if r.Report.Certificate().Holds() {
				certified++
			}
			excess, _ := precise(0).Sub(points[k], least).Float64()
			if allowed := e.rounding(r, price); !(excess <= r.Gap+allowed) {
				t.Errorf("unit %g, C %g, %v: gap %g and %g of rounding, excess %g", unit, price, r.Report, r.Gap, allowed, excess)
			}
		}
	}
	for _, m := range methods {
		if compared[m.name] < 30 {
			t.Errorf("%s: %d results", m.name, compared[m.name])
		}
	}
	if certified < 100 {
		t.Errorf("%d certified", certified)
	}
}

// A variable inside its bounds makes good what the equality misses, unless that costs more in its own
// reduced gradient.
func TestOpenEqualityIsClosed(t *testing.T) {
	for own, want := range map[float64]float64{1: 2e-12, 6: 1e-12} {
		st, err := prepare(&Problem{Q: &Linear{X: linalg.Zeros(3, 1), Sign: slices.Repeat([]float64{1}, 3)}, Linear: []float64{own, 0, -2},
			Sign: []float64{1, 1, -1}, Sum: 2e-12, Upper: slices.Repeat([]float64{1}, 3)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		copy(st.alpha, []float64{1e-12, 1, 1})
		st.refresh()
		r := st.finish(1).res
		lt.Close(t, "gap", r.Gap, (own-1)*want+(2e-12-want), 1e-20)
		lt.CloseSlice(t, "α", r.Alpha, []float64{want, 1, 1}, 1e-20)
	}
}

// A start whose sum is off by rounding leaves a variable at its bound, from which it could make that good.
func TestRoundingOfTheEqualityStays(t *testing.T) {
	start := []float64{0, 0.1, 0.2, 0.3} // 0.6 and 5.6e-18, which is 2.8e-17 more than the constant 0.6
	st, err := prepare(&Problem{Q: &Linear{X: linalg.Zeros(4, 1), Sign: slices.Repeat([]float64{1}, 4)}, Linear: make([]float64, 4),
		Sign: []float64{-1, 1, 1, 1}, Sum: 0.6, Upper: slices.Repeat([]float64{1}, 4)}, &Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "α", st.alpha, start, 0)
	lt.Close(t, "missing", st.missing(0), -0x1p-55, 1e-20)
}

// Where v is not Aᵀα, as at the end of the augmented Lagrangian, the objective is that at α in 400 bits, but for
// the rounding of its sums, and the bound is below the objective of a nearer α.
func TestObjectiveAndBoundHoldBesideAnotherV(t *testing.T) {
	apart := 0.0
	for seed := range uint64(12) {
		const n = 120
		price := math.Pow(10, float64(seed%6)-2)
		p := sparseSVM(seed, n, 220, 0.05, price)
		l := p.Q.(*Linear)
		x, err := linalg.ToDense(l.X)
		if err != nil {
			t.Fatal(err)
		}
		e := exactly{x: x, sign: p.Sign}
		r, by, err := solve(p, &Options{Tol: 1e-4}, patient)
		if err != nil || by != "augmented Lagrangian" {
			t.Fatalf("by %s, %v", by, err)
		}
		nearer, err := Solve(&Problem{Q: square(l), Linear: p.Linear, Sign: p.Sign, Upper: p.Upper}, &Options{Tol: 1e-12})
		if err != nil {
			t.Fatal(err)
		}
		f := func(alpha []float64) float64 {
			own, _, _ := e.feasible(alpha, price)
			v, _ := e.objective(own).Float64()
			return v
		}
		at, least, rounding := f(r.Alpha), f(nearer.Alpha), 1e-14*linalg.Sum(r.Alpha)
		if math.Abs(r.Objective-at) > rounding || r.Bound > least+rounding {
			t.Errorf("C %g: objective %v, at α %v, bound %v of a minimum of at most %v", price, r.Objective, at, r.Bound, least)
		}
		v := make([]float64, l.Rank())
		l.ApplyT(v, r.Alpha)
		linalg.Axpy(v, -1, r.V)
		apart = max(apart, linalg.Norm(v))
	}
	if apart < 1e-6 {
		t.Errorf("‖Aᵀα − v‖ is %g at most", apart)
	}
}
