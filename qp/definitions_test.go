package qp

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// boxed draws a problem of m variables and p columns, each with bounds of its own of which some
// leave no room and, unless bounded, some are infinite, and a feasible point with variables at both bounds.
func boxed(seed uint64, m, p int, equality, bounded bool) *Problem {
	r := rand.New(rand.NewPCG(seed, 61))
	x, s := lt.Normal(seed, m, p), make([]float64, m)
	q := &Problem{Linear: make([]float64, m), Lower: make([]float64, m), Upper: make([]float64, m)}
	for i := range m {
		s[i] = float64(2*r.IntN(2) - 1)
		q.Linear[i], q.Lower[i] = r.NormFloat64(), r.NormFloat64()
		q.Upper[i] = q.Lower[i] + []float64{0, 1, 1, 2, 0.5}[r.IntN(5)]
		if !bounded && r.IntN(3) == 0 {
			q.Upper[i] = math.Inf(1)
		}
	}
	q.Q = &Linear{X: x, Sign: s, Workers: 1}
	if equality {
		q.Sign = s
		for i, l := range q.Lower {
			q.Sum += s[i] * min(l+0.25, q.Upper[i])
		}
	}
	return q
}

// begun is the state of a problem at a point with variables at both bounds and between.
func begun(t *testing.T, p *Problem, seed uint64) *state {
	t.Helper()
	st, err := prepare(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 62))
	for i, lo := range st.lo {
		up := min(st.up[i], lo+3)
		st.alpha[i] = []float64{lo, st.lo[i] + r.Float64()*(up-lo), min(st.up[i], lo+5)}[r.IntN(3)]
	}
	st.refresh()
	return st
}

// Objective, gap, bound, KKT and the certificate are recomputed from their definitions; the
// multiplier is the mean over the free variables, or the middle of what the others leave.
func TestResultIsItsDefinition(t *testing.T) {
	none := 0
	for seed := range uint64(200) {
		p := boxed(seed, 3+int(seed%6), 2, seed%3 > 0, seed%2 == 0)
		st := begun(t, p, seed)
		if seed%4 < 2 { // no variable is free
			for i := range st.alpha {
				if st.alpha[i] = st.lo[i]; seed%8 > 3 && !math.IsInf(st.up[i], 1) && i%2 == 0 {
					st.alpha[i] = st.up[i]
				}
			}
			st.refresh()
		}
		sum, free, below, above := 0.0, 0.0, math.Inf(-1), math.Inf(1)
		for i, a := range st.alpha {
			switch lo, up := st.lo[i], st.up[i]; {
			case lo == up || p.Sign == nil:
			case a > lo && a < up:
				sum, free = sum+st.grad[i]*p.Sign[i], free+1
			case (a == lo) == (p.Sign[i] == 1): // g − b·s ≥ 0 at a lower bound, ≤ 0 at an upper
				above = min(above, st.grad[i]*p.Sign[i])
			default:
				below = max(below, st.grad[i]*p.Sign[i])
			}
		}
		want := 0.0
		switch {
		case free > 0:
			want = sum / free
		case !math.IsInf(below, 0) && !math.IsInf(above, 0):
			want = (below + above) / 2
			none++
		case !math.IsInf(below, 0):
			want = below
		case !math.IsInf(above, 0):
			want = above
		}
		b := st.multiplier()
		lt.Close(t, "b", b, want, 1e-12*(1+math.Abs(want)))

		st.v[0] += 0.5 // a drift of 1/8
		st.follow()
		r := st.result(b)
		gap, kkt, size, open := 0.125, 0.0, 0.0, p.Sum
		v := make([]float64, 2)
		st.f.ApplyT(v, st.alpha)
		f := linalg.Dot(v, v) / 2
		for i, a := range st.alpha {
			left := st.grad[i]
			if p.Sign != nil {
				left -= b * p.Sign[i]
				open -= p.Sign[i] * a
			}
			f += p.Linear[i] * a
			size = max(size, math.Abs(p.Linear[i]))
			if a > p.Lower[i] {
				gap += max(0, left) * (a - p.Lower[i])
				kkt = max(kkt, left)
			}
			if a < p.Upper[i] && left < 0 {
				gap += -left * (p.Upper[i] - a)
				kkt = max(kkt, -left)
			}
		}
		gap += math.Abs(b * open)
		value := gap / max(1, math.Abs(f-gap))
		if !st.bounded {
			value = kkt / max(1, size)
		}
		_, drift := st.values()
		got := []float64{r.Objective, r.KKT, r.Report.Certificate().Value, drift}
		lt.CloseSlice(t, "objective, KKT, certificate, drift", got, []float64{f, kkt, value, 0.125}, 1e-11*(1+math.Abs(f)+value))
		if math.IsInf(gap, 1) {
			if !math.IsInf(r.Gap, 1) || !math.IsInf(r.Bound, -1) {
				t.Errorf("seed %d: gap %g, bound %g", seed, r.Gap, r.Bound)
			}
			continue
		}
		lt.CloseSlice(t, "gap, bound", []float64{r.Gap, r.Bound}, []float64{gap, f - gap}, 1e-11*(1+gap+math.Abs(f)))
	}
	if none < 10 {
		t.Errorf("between two bounds %d times", none)
	}
}

// A start is moved into the box and onto the equality; sums that the bounds do not allow are
// refused with what they allow.
func TestStartIsFeasible(t *testing.T) {
	for seed := range uint64(100) {
		p := boxed(seed, 7, 2, seed%4 > 0, seed%2 == 0)
		o := &Options{Start: lt.Normal(seed+5, 1, 7).Data}
		if seed%3 == 0 {
			o = nil
		}
		st, err := prepare(p, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range st.alpha {
			if a < p.Lower[i] || a > p.Upper[i] {
				t.Errorf("seed %d: α = %g outside %g, %g", seed, a, p.Lower[i], p.Upper[i])
			}
			if from := 0.0; p.Sign == nil {
				if o != nil {
					from = o.Start[i]
				}
				lt.Close(t, "the nearest point of the box", a, min(max(from, p.Lower[i]), p.Upper[i]), 0)
			}
		}
		if p.Sign != nil {
			lt.Close(t, "sum", linalg.Dot(p.Sign, st.alpha), p.Sum, 1e-14)
		}
	}
	q := dense{lt.Rows(t, []float64{1, 0}, []float64{0, 1})}
	problem := func(sum float64) *Problem {
		return &Problem{Q: q, Linear: []float64{0, 0}, Sign: []float64{1, -1}, Lower: []float64{1, 2}, Upper: []float64{3, 7}, Sum: sum}
	}
	for sum, want := range map[float64]bool{-6: true, 1: true, -6 - 5e-12: true, 1 + 5e-13: true, -6.001: false, 1.001: false, -7: false, 4: false} {
		_, err := SMO(problem(sum), nil)
		var e *FeasibleError
		if errors.As(err, &e) == want || !want && (e.Lo != -6 || e.Hi != 1 || e.Sum != sum || e.Row != -1) {
			t.Errorf("sum %g: %v", sum, err)
		}
	}
	bad := problem(0)
	bad.Upper[1] = 1
	var e *FeasibleError
	if _, err := SMO(bad, nil); !errors.As(err, &e) || e.Row != 1 || e.Bounds != [2]float64{2, 1} {
		t.Errorf("crossed bounds: %v", err)
	}
}

// SMO's pair is the one of the rule: i of the largest −sg among those that can rise, j of the
// largest decrease among those that can fall; a step goes to the minimum along the pair or to a bound, and
// says what it gained.
func TestPairsOfSMOAreThoseOfTheRule(t *testing.T) {
	for seed := range uint64(150) {
		p := boxed(seed, 8, 3, seed%4 > 0, seed%2 == 0)
		st := begun(t, p, seed)
		w := newSMO(st, 1<<20)
		m := matrixOf(p.Q)
		rises := func(i int, s float64) bool { return s > 0 && st.alpha[i] < st.up[i] || s < 0 && st.alpha[i] > st.lo[i] }
		gi, gj, violation := -1, -1, 0.0
		if p.Sign == nil {
			best := 0.0
			for i, g := range st.grad {
				if !rises(i, -g) {
					continue
				}
				violation = max(violation, math.Abs(g))
				if g*g/m.At(i, i) > best {
					gi, best = i, g*g/m.At(i, i)
				}
			}
		} else {
			top, bottom, best := math.Inf(-1), math.Inf(1), 0.0
			for i, s := range p.Sign {
				if v := -s * st.grad[i]; rises(i, s) && v > top {
					gi, top = i, v
				}
			}
			for j, s := range p.Sign {
				if v := -s * st.grad[j]; gi >= 0 && rises(j, -s) {
					bottom = min(bottom, v)
					d := m.At(gi, gi) + m.At(j, j) - 2*p.Sign[gi]*s*m.At(gi, j)
					if gain := (top - v) * (top - v) / d; top > v && gain > best {
						gj, best = j, gain
					}
				}
			}
			if violation = top - bottom; gj < 0 {
				gi, violation = -1, 0
			}
		}
		i, j, v := w.choose()
		if i != gi || j != gj {
			t.Fatalf("seed %d: pair %d, %d, want %d, %d", seed, i, j, gi, gj)
		}
		lt.Close(t, "violation", v, violation, 1e-12)
		if i < 0 {
			continue
		}
		before := w.objective()
		sum := 0.0
		if p.Sign != nil {
			sum = linalg.Dot(p.Sign, st.alpha)
		}
		if !w.step(i, j) {
			t.Errorf("seed %d: no step", seed)
		}
		carried := append([]float64(nil), st.grad...)
		st.refresh()
		lt.CloseSlice(t, "gradient", carried, st.grad, 1e-11)
		lt.Close(t, "gained", w.gained, before-st.objective(), 1e-9*(1+math.Abs(before)))
		inside := func(k int) bool { return k < 0 || st.alpha[k] > st.lo[k] && st.alpha[k] < st.up[k] }
		for k, a := range st.alpha {
			if a < st.lo[k] || a > st.up[k] {
				t.Errorf("seed %d: α = %g outside its bounds", seed, a)
			}
		}
		left := st.grad[i]
		if p.Sign != nil {
			lt.Close(t, "sum", linalg.Dot(p.Sign, st.alpha), sum, 1e-12*(1+math.Abs(sum)))
			left = p.Sign[i]*st.grad[i] - p.Sign[j]*st.grad[j]
		}
		if inside(i) && inside(j) && math.Abs(left) > 1e-10 {
			t.Errorf("seed %d: slope %g is left between the bounds", seed, left)
		}
	}
}

// A step has moved something where rounding leaves one of its variables as it is.
func TestStepThatMovesOneVariable(t *testing.T) {
	q := dense{lt.Rows(t, []float64{1, 0}, []float64{0, 1})}
	for _, huge := range []int{0, 1} {
		p := &Problem{Q: q, Linear: []float64{0, 0}, Sign: []float64{1, 1}, Upper: slices.Repeat([]float64{1e18}, 2), Sum: 5}
		st, err := prepare(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		st.alpha[huge], st.alpha[1-huge] = 1e17, 2
		copy(st.grad, []float64{1, 1})
		st.grad[huge] = 2
		if w := newSMO(st, 1<<10); !w.step(1-huge, huge) {
			t.Errorf("variable %d of 1e17: no step", huge)
		}
		if st.alpha[huge] != 1e17 || st.alpha[1-huge] != 2.5 {
			t.Errorf("moved to %v", st.alpha)
		}
	}
}

// Only variables at a bound that violate nothing against any other are set aside, and only
// where they are a tenth of all.
func TestVariablesSetAside(t *testing.T) {
	some := 0
	for seed := range uint64(60) {
		p := boxed(seed, 40, 3, seed%3 > 0, true)
		st := begun(t, p, seed)
		if st.s != nil { // about the multiplier, so that many are right
			for i := range st.alpha {
				st.alpha[i] = st.lo[i]
				if st.grad[i] < 0 && i%5 > 0 {
					st.alpha[i] = st.up[i]
				}
			}
		}
		w := newSMO(st, 1<<20)
		keep := map[int]bool{}
		for k := range st.alpha {
			for j := range st.alpha {
				s, u := st.sign(k), st.sign(j)
				v, o := -s*st.grad[k], -u*st.grad[j]
				if st.s == nil {
					o = 0
				}
				if w.canRise(k) && (st.s == nil || w.canFall(j)) && v >= o || w.canFall(k) && (st.s == nil || w.canRise(j)) && v <= o || w.canRise(k) && w.canFall(k) {
					keep[k] = true
				}
			}
		}
		w.shrink()
		want := len(keep)
		if want >= 36 || want < 2 {
			want = 40
		} else {
			some++
		}
		if len(w.active) != want {
			t.Errorf("seed %d: %d variables are active, want %d", seed, len(w.active), want)
			continue
		}
		for at, k := range w.active {
			if want < 40 && !keep[k] || w.position(k) != at {
				t.Errorf("seed %d: %d is kept, at %d of %d", seed, k, w.position(k), at)
			}
		}
	}
	if some < 10 {
		t.Errorf("set aside %d times", some)
	}
}

// Sparse hulls whose steps a cap ends have the best points so far: combinations of the points
// that count, with their difference and a certificate that both prove, also where the multipliers are all 0.
func TestSparseHullsEndEarly(t *testing.T) {
	for seed := range uint64(lt.Rounds(6, 60)) {
		x, sign, weight := lt.Thinned(seed, 100, 250, []float64{0.02, 0.05, 0.1}[seed%3]), make([]float64, 100), make([]float64, 100)
		for i := range sign {
			sign[i], weight[i] = float64(2*(i%2)-1), float64(i%7)
			x.Row(i)[0] += 2 * sign[i]
			if seed%2 == 1 {
				x.Row(i)[1] = 5
			}
		}
		for _, h := range []*Hulls{{Sign: sign}, {Sign: sign, Weight: weight}, {}} {
			l := &Linear{X: lt.Sparse(x), Sign: sign}
			if h.Points = l; h.Sign == nil {
				l.Sign = slices.Repeat([]float64{1}, 100)
			}
			for _, most := range []int{1, 2, 3, 4, 5, 6, 12, 0} {
				n, err := NearestPoints(h, &HullOptions{MaxIter: most})
				if n == nil || most > 0 && most < 6 && err == nil {
					t.Fatalf("seed %d, cap %d: %v, %v", seed, most, n, err)
				}
				sum, w := [2]float64{}, make([]float64, 250)
				for k, i := range n.Points {
					if h.leftOut(i) || !(n.Weights[k] > 0) {
						t.Errorf("seed %d, cap %d: point %d of weight %g", seed, most, i, n.Weights[k])
					}
					sum[h.group(i)] += n.Weights[k]
					l.AddRow(w, i, n.Weights[k])
				}
				groups := 1.0
				if h.Sign != nil {
					groups = 2
				}
				lt.CloseSlice(t, "sums", sum[:], []float64{1, groups - 1}, 1e-12)
				if n.Meet {
					continue
				}
				length := linalg.Norm(w)
				lt.Close(t, "‖w‖", linalg.Norm(n.Difference), length, 1e-7*length)
				lt.Close(t, "objective", n.Report.Objective(), length, 1e-7*length)
				f, largest := make([]float64, 100), 0.0
				l.Apply(f, n.Difference)
				reach := [2]float64{math.Inf(1), math.Inf(1)}
				for i, v := range f {
					if !h.leftOut(i) {
						reach[h.group(i)] = min(reach[h.group(i)], v)
					}
				}
				if h.Sign == nil {
					reach[1] = 0
				}
				for _, i := range n.Points {
					largest = max(largest, linalg.Norm(x.Row(i)))
				}
				lt.CloseSlice(t, "reaches", n.Reach[:], reach[:], 1e-12)
				m, want := reach[0]+reach[1], 1.0
				if m > 0 {
					share := m / length / length
					want = max(0, 1-share*share)
				}
				if got := n.Report.Certificate().Value; !(got >= want-1e-12 && got <= want+1e-12+2e-15*largest/length) {
					t.Errorf("seed %d, cap %d: certificate %g, the points prove %g", seed, most, got, want)
				}
				lt.Close(t, "distance", n.Distance*largest, length, 1e-7*length)
			}
		}
	}
}
