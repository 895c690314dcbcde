package qp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// tube is the dual of a regression within ε = 0.1 of n rows of one column, on
// responses of a few values as far apart as 1e8, at a price of 1e12: hundreds of
// variables are free where the polisher begins, and meet their bounds one by one.
func tube(n int) *Problem {
	r := rand.New(rand.NewPCG(805, 9))
	values := []float64{0, 1, -1, 2, -3, 0.1, 1e8, 1e8 + 1, 5, 1e-7}
	x := linalg.Zeros(2*n, 1)
	p := &Problem{Linear: make([]float64, 2*n), Sign: make([]float64, 2*n), Upper: slices.Repeat([]float64{1e12}, 2*n)}
	for i := range n {
		v, y := r.NormFloat64(), values[r.IntN(len(values))]-2e7
		x.Data[i], x.Data[n+i] = v, v
		p.Sign[i], p.Sign[n+i] = 1, -1
		p.Linear[i], p.Linear[n+i] = 0.1-y, 0.1+y
	}
	p.Q = &Linear{X: x, Sign: p.Sign}
	return p
}

// The equations of many free variables are solved through their few columns before
// they become the work of seconds.
func TestPolisherSavesWork(t *testing.T) {
	linalgtest.SkipSlow(t)
	p := tube(600)
	st, err := prepare(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := newIPM(st)
	w.enter()
	r := w.run(measured.interiorGap)
	polish := newPolisher(st.at(r.res), r.res.Multiplier)
	polish.run()
	if polish.work > 1e9 {
		t.Errorf("%.2g multiplications", polish.work)
	}
	if got, err := Solve(p, nil); err != nil || !(got.Report.Certificate().Value <= 1e-8) {
		t.Errorf("%+v, %v", got.Report, err)
	}
}

func TestBlockInBothForms(t *testing.T) {
	for _, equality := range []bool{true, false} {
		p := svm(4, 200, 3, 0.5, 1)
		if !equality {
			p.Sign = nil
		}
		st, err := prepare(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := newPolisher(st, 0)
		for i := range 150 {
			w.free = append(w.free, i)
		}
		exact := newBlock(w.state, w.free, w.saves(150*150*150/3))
		w.work = exactEffort
		narrow := newBlock(w.state, w.free, w.saves(150*150*150/3))
		if exact == nil || narrow == nil || exact.b != nil || narrow.b == nil {
			t.Fatalf("equality %v: forms %v, %v", equality, exact, narrow)
		}
		// A right side that M itself makes, so that the answer is known.
		r := rand.New(rand.NewPCG(1, 2))
		want := make([]float64, p.Q.(*Linear).Rank())
		for j := range want {
			want[j] = r.NormFloat64()
		}
		x := make([]float64, st.m)
		st.f.Apply(x, want)
		right := make([]float64, 150)
		grad := make([]float64, st.m)
		narrow.addProduct(grad, x[:150], 1)
		copy(right, grad)
		other := make([]float64, st.m)
		exact.addProduct(other, x[:150], 1)
		for i := range right {
			if !(math.Abs(grad[i]-other[i]) <= 1e-11*linalg.NormInf(other)) {
				t.Fatalf("equality %v: Qd is %g and %g at %d", equality, grad[i], other[i], i)
			}
		}
		linalg.Scale(right, 0x1p-40) // what is small is solved, too
		followed := newBlock(w.state, w.free[:140], false)
		mark := make([]bool, st.m)
		for i := range 150 {
			mark[i] = i%40 != 7
		}
		if !followed.adapt(mark) {
			t.Fatal("variables leave and join, and the equations do not follow")
		}
		for i := range 150 {
			mark[i] = true
		}
		if !followed.adapt(mark) || len(followed.free) != 150 {
			t.Fatalf("equations of %d variables, want 150", len(followed.free))
		}
		for _, k := range []*block{exact, narrow, followed} {
			x := make([]float64, 150)
			for a, i := range k.free {
				x[a] = right[i]
			}
			k.solve(x)
			checkEquations(t, k, equality, x, right)
			if equality {
				checkEquations(t, k, equality, k.solveSigns(), st.s)
			}
		}
	}
}

// Equations that creep have an ever smaller proximal term, as far as rounding allows; those that have adapted, or go through
// B, are made anew instead, and the others stay as they are.
func TestEquationsAreSharpened(t *testing.T) {
	st, err := prepare(svm(4, 200, 3, 0.5, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	free := []int{2, 3, 5}
	k, right := newBlock(st, free, false), make([]float64, st.m)
	before := k.delta
	if !k.sharpen(false) || k.delta != before {
		t.Errorf("equations that do not creep have δ = %g, not %g", k.delta, before)
	}
	for _, i := range free {
		right[i] = float64(i)
	}
	for range 10 {
		if !k.sharpen(true) {
			t.Fatalf("no equations for δ = %g", k.delta)
		}
		x := []float64{2, 3, 5}
		k.solve(x)
		checkEquations(t, k, true, x, right)
	}
	if least := 3 * 0x1p-50 * k.scale; k.delta < least || k.delta >= 10*least {
		t.Errorf("δ = %g, want %g or a little more", k.delta, least)
	}
	if k.drop(0); k.sharpen(true) {
		t.Error("equations that a variable has left")
	}
	if k = newBlock(st, free, false); !k.add(7) || k.sharpen(true) {
		t.Error("equations that a variable has joined")
	}
	if k = newBlock(st, free, true); k.sharpen(true) {
		t.Error("equations through B")
	}
}

// Where Q has no curvature the free variables go to a bound, however small a step the proximal term allows on large
// columns: after three corrections hardly more of them are free than there are independent rows.
func TestPolisherLeavesNoFlatDirection(t *testing.T) {
	for _, unit := range []float64{1, 1e3, 1e6} {
		for _, equality := range []bool{true, false} {
			p := svm(4, 200, 3, 0.5, 1)
			linalg.Scale(p.Q.(*Linear).X.(*linalg.Dense).Data, unit)
			if !equality {
				p.Sign = nil
			}
			st, err := prepare(p, nil)
			if err != nil {
				t.Fatal(err)
			}
			w := newPolisher(st, 0)
			for i := range 40 {
				st.alpha[i], w.mark[i] = 0.5, true
			}
			w.refresh()
			w.listFree()
			if !w.minimize() || !w.minimize() || !w.minimize() || len(w.free) > 10 {
				t.Errorf("unit %g, equality %v: %d variables of 40 stay free beside 3 columns", unit, equality, len(w.free))
			}
		}
	}
}

// The curvature of a flat direction is that of the rounding of d, 1e-32 of |A|²|d|², and not that of Q, 1e-16.
func TestCurvatureOfAFlatDirection(t *testing.T) {
	for seed := range uint64(20) {
		p := svm(seed, 12, 3, 0.5, 1)
		linalg.Scale(p.Q.(*Linear).X.(*linalg.Dense).Data, 1e8)
		st, err := prepare(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		k := newBlock(st, linalg.Sequence(12), seed%2 == 0)
		d := slices.Clone(p.Linear)
		for range 2 { // what the first leaves of the rows is rounding
			k.solve(d)
			linalg.Scale(d, k.delta)
		}
		if c, size := k.curvature(d), k.scale*linalg.Dot(d, d); !(c >= 0 && c < 1e-26*size) {
			t.Errorf("seed %d: curvature %g where rounding is %g", seed, c, 1e-32*size)
		}
	}
}

// checkEquations reports where Mx is not the right side, of all variables.
func checkEquations(t *testing.T, k *block, equality bool, x, right []float64) {
	t.Helper()
	left, sum, size := make([]float64, k.m), 0.0, 0.0 // Mx
	k.addProduct(left, x, 1)
	for a, i := range k.free {
		sum += k.sign(i) * x[a]
		size = max(size, math.Abs(right[i]))
	}
	for a, i := range k.free {
		left[i] += k.delta * x[a]
		if equality {
			left[i] += k.scale * k.sign(i) * sum
		}
		if !(math.Abs(left[i]-right[i]) <= 1e-12*size) {
			t.Fatalf("equality %v, B %v: Mx is %g, not %g, at %d", equality, k.b != nil, left[i], right[i], i)
		}
	}
}

// A correction costs the square of the free variables, not the cube: the equations follow.
func TestEquationsFollowCorrections(t *testing.T) {
	p := svm(3, 3000, 120, 0.5, 1)
	solved, err := Solve(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	st, err := prepare(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := newPolisher(st.at(solved), solved.Multiplier)
	some := 0
	for i := range w.alpha {
		if w.inside(i) {
			if some++; some%3 == 0 {
				w.alpha[i] = 0
			}
		}
	}
	w.refresh()
	end := w.run()
	f := float64(len(w.free))
	if steps := float64(end.res.Report.Iterations()); steps < f || !(w.work < steps*f*f*f/6) {
		t.Errorf("%g corrections of %g free variables cost %g multiplications", steps, f, w.work)
	}
	check(t, p, end.res, end.err, 1e-12)
}
