package hyperplane

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// The plane without some rows, which is fitted from that of all, has the least objective of the
// others: that of a fit which begins at 0. Rows without a multiplier leave the plane as it is.
func TestPlaneWithoutSomeRows(t *testing.T) {
	same, refitted := 0, 0
	for seed := range uint64(linalgtest.Rounds(60, 3000)) {
		r := rand.New(rand.NewPCG(seed, 0x0f01d))
		n, p := 3+r.IntN(40), 1+r.IntN(6)
		x := &linalg.Dense{Rows: n, Cols: p, Stride: p, Data: make([]float64, n*p)}
		sign, price := make([]float64, n), make([]float64, n)
		c := []float64{1e-3, 1, 100}[r.IntN(3)]
		for i := range n {
			price[i], sign[i] = c, -1
			if i == 0 || r.IntN(3) == 0 {
				sign[i] = 1
			}
			for j := range p {
				x.Set(i, j, r.NormFloat64()+sign[i])
			}
		}
		s, err := newSolver(r.IntN(2) == 0, defaultTol, 0, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.loss = Loss(r.IntN(2))
		q := s.kernel(x, sign, nil)
		whole, alpha, err := s.softMargin(q, price, nil)
		if err != nil {
			t.Fatal(seed, err)
		}
		from := r.IntN(n)
		out := func(i int) bool { return i >= from && i < from+1+n/5 }
		plane, _, err := s.without(out, q, price, alpha, alpha, &whole)
		if err != nil {
			t.Fatal(seed, err)
		}
		if same++; plane != whole.Plane {
			same--
			refitted++
		}
		for i := range price {
			if out(i) {
				price[i] = 0
			}
		}
		alone, alpha, err := s.softMargin(q, price, nil)
		if err != nil {
			t.Fatal(seed, err)
		}
		e := s.newSoftGap(q, price, alpha, 0).evidence(plane)
		if got, least := e.primal, alone.Report.Objective(); got-least > 2*defaultTol*got+1e-12*c*float64(n) {
			t.Errorf("seed %d: objective %.12g, a fit from 0 has %.12g", seed, got, least)
		}
	}
	if same == 0 || refitted == 0 {
		t.Errorf("%d planes stayed, %d were fitted", same, refitted)
	}
}

// The gradient of a sigmoid's loss is 0 to rounding, whatever the scores are: in units of the
// weights, about the mean score by weight and in units of the largest.
func TestSigmoidsOfAnyScoresAreStationary(t *testing.T) {
	for seed := range uint64(linalgtest.Rounds(2000, 100_000)) {
		r := rand.New(rand.NewPCG(seed, 0x5160))
		n := 2 + r.IntN(30)
		score, sign, w := make([]float64, n), make([]float64, n), make([]float64, n)
		scale, tail, apart := math.Pow(10, float64(r.IntN(17)-8)), 4*r.Float64(), 3*r.NormFloat64()
		for i := range n {
			sign[i], w[i] = float64(1-2*r.IntN(2)), float64(r.IntN(4))
			score[i] = scale * (math.Pow(math.Abs(r.NormFloat64()), tail)*r.NormFloat64() + apart*sign[i])
			if r.IntN(4) == 0 {
				score[i] = score[0]
			}
		}
		w[0]++
		s, err := fitSigmoid(score, sign, w)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var plus, minus, total, mean float64
		for i, v := range w {
			if total, mean = total+v, mean+v*score[i]; sign[i] > 0 {
				plus += v
			} else {
				minus += v
			}
		}
		mean /= total
		level, slope := 0.0, 0.0
		for i, f := range score {
			target := 1 / (minus + 2)
			if sign[i] > 0 {
				target = (plus + 1) / (plus + 2)
			}
			e := w[i] * (s.prob(f) - target)
			level += e
			slope += e * (f - mean) / linalg.NormInf(score)
		}
		if math.Abs(level) > 1e-6*total || math.Abs(slope) > 1e-6*total {
			t.Errorf("seed %d, %d scores of %g: gradient %g, %g", seed, n, scale, level, slope)
		}
	}
}

// A plane without some rows need come no nearer than that of all rows has: its fit then takes fewer steps, and
// is no failure.
func TestPlaneWithoutRowsIsAsNearAsTheWhole(t *testing.T) {
	n, steps := 300, 0
	x, sign, price := linalgtest.Normal(3, n, 20), make([]float64, n), make([]float64, n)
	for i := range sign {
		sign[i], price[i] = float64(2*(i%2)-1), 1e3
	}
	s, err := newSolver(false, defaultTol, 0, 1, func(optimize.Step) error { steps++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	q := s.kernel(x, sign, nil)
	whole, alpha, err := s.softMargin(q, price, nil)
	if err != nil {
		t.Fatal(err)
	}
	took := func() int {
		steps = 0
		if _, _, err := s.without(func(i int) bool { return i < 12 }, q, price, alpha, make([]float64, n), &whole); err != nil {
			t.Error(err)
		}
		return steps
	}
	near := took()
	whole.Report = whole.Report.Certify(1, optimize.Certificate{Kind: optimize.KindGap, Value: 0.5, Tol: defaultTol})
	if far := took(); !(far < near) {
		t.Errorf("%d steps to the gap of a machine far from its minimum, %d to the tolerance", far, near)
	}
}
