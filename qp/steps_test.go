package qp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// productsOf is the state of the problem with the products of its rows in the place of Q.
func productsOf(st *state) *state {
	l := st.q.(*Linear)
	st.q, st.f, st.v = &rowProducts{l, l.Products()}, nil, nil
	st.refresh()
	return st
}

// mehrotra is one step of the predictor-corrector, all equations at once.
type mehrotra struct {
	alpha, v, grad []float64
	b              float64
	a, t, z, w     []float64
}

func (w *ipm) step1(x *linalg.Dense, v []float64) mehrotra {
	m := len(w.alpha)
	total := 0.0
	for i := range m {
		total += w.a[i] * w.z[i]
		if !math.IsInf(w.t[i], 1) {
			total += w.t[i] * w.w[i]
		}
	}
	mu := total / w.pairs
	cz, cw := make([]float64, m), make([]float64, m)
	solve := func(mu float64) (da, dz, dw []float64, db float64) {
		k, rhs := linalg.Zeros(m+1, m+1), make([]float64, m+1)
		for i := range m {
			if w.a[i] == 0 {
				k.Set(i, i, 1)
				continue
			}
			for j := range m {
				if w.a[j] > 0 {
					k.Set(i, j, w.s0(i)*w.s0(j)*linalg.Dot(x.Row(i), x.Row(j)))
				}
			}
			for j, u := range w.alpha { // v + drift = Aᵀα
				rhs[i] -= w.s0(i) * w.s0(j) * linalg.Dot(x.Row(i), x.Row(j)) * u
			}
			rhs[i] += w.b*w.s[i] - w.lin[i] + (mu-cz[i])/w.a[i]
			theta := w.z[i] / w.a[i]
			if !math.IsInf(w.t[i], 1) {
				theta += w.w[i] / w.t[i]
				rhs[i] -= (mu - cw[i]) / w.t[i]
			}
			k.Set(i, i, k.At(i, i)+theta)
			k.Set(i, m, -w.s[i])
			k.Set(m, i, w.s[i])
		}
		if w.state.s == nil {
			k.Set(m, m, 1)
		} else {
			rhs[m] = w.sum - linalg.Dot(w.s, w.alpha)
		}
		gauss(k, rhs, m+1)
		dz, dw = make([]float64, m), make([]float64, m)
		for i, d := range rhs[:m] {
			if w.a[i] > 0 {
				dz[i] = (mu-cz[i]-w.z[i]*d)/w.a[i] - w.z[i]
			}
			if w.a[i] > 0 && !math.IsInf(w.t[i], 1) {
				dw[i] = (mu-cw[i]+w.w[i]*d)/w.t[i] - w.w[i]
			}
		}
		return rhs[:m], dz, dw, rhs[m]
	}
	longest := func(da, dz, dw []float64) float64 {
		step := math.Inf(1)
		for i := range m {
			for _, p := range [][2]float64{{w.a[i], da[i]}, {w.t[i], -da[i]}, {w.z[i], dz[i]}, {w.w[i], dw[i]}} {
				if p[1] < 0 {
					step = min(step, -p[0]/p[1])
				}
			}
		}
		return step
	}
	da, dz, dw, _ := solve(0)
	step, after := min(1, longest(da, dz, dw)), 0.0
	for i := range m {
		after += (w.a[i] + step*da[i]) * (w.z[i] + step*dz[i])
		if w.w[i] > 0 {
			after += (w.t[i] - step*da[i]) * (w.w[i] + step*dw[i])
		}
		cz[i], cw[i] = da[i]*dz[i], -da[i]*dw[i]
	}
	sigma := math.Pow(after/w.pairs/mu, 3)
	da, dz, dw, db := solve(sigma * mu)
	step = min(1, 0.995*longest(da, dz, dw))
	r := mehrotra{alpha: slices.Clone(w.alpha), a: slices.Clone(w.a), t: slices.Clone(w.t), z: slices.Clone(w.z), w: slices.Clone(w.w), b: w.b + step*db}
	linalg.Axpy(r.alpha, step, da)
	linalg.Axpy(r.a, step, da)
	linalg.Axpy(r.t, -step, da)
	linalg.Axpy(r.z, step, dz)
	linalg.Axpy(r.w, step, dw)
	// v goes to Aᵀα by as much of the way.
	r.v = slices.Clone(v)
	linalg.Scale(r.v, 1-step)
	back := make([]float64, x.Cols)
	for i := range m {
		to := w.alpha[i] + da[i]
		linalg.Axpy(back, to*w.s0(i), x.Row(i))
	}
	linalg.Axpy(r.v, step, back)
	r.grad = slices.Clone(w.lin)
	for i := range m {
		r.grad[i] += w.s0(i) * linalg.Dot(x.Row(i), r.v)
	}
	return r
}

// s0 is the sign of a row of A, also without an equality.
func (w *ipm) s0(i int) float64 {
	if l, ok := w.q.(*Linear); ok {
		return l.Sign[i]
	}
	return w.q.(*rowProducts).l.Sign[i]
}

// The interior point's steps, by columns or by products, are those of all equations solved at
// once; and its gap, objective and miss are what they are said to be.
func TestStepsOfTheInteriorPointAreMehrotras(t *testing.T) {
	for seed := range uint64(80) {
		p := boxed(seed, 6, 2, seed%3 > 0, seed%2 == 0)
		x := p.Q.(*Linear).X.(*linalg.Dense)
		st, err := prepare(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if seed%4 > 1 {
			st = productsOf(st)
		}
		w := newIPM(st)
		w.enter()
		v := make([]float64, 2)
		for i, lo := range st.lo {
			if w.a[i] == 0 {
				linalg.Axpy(v, lo*w.s0(i), x.Row(i))
			}
		}
		for k := range 4 {
			want := w.step1(x, v)
			if !w.step() {
				t.Fatalf("seed %d: step %d could not be made", seed, k)
			}
			near := 1e-9
			lt.CloseSlice(t, "α", w.alpha, want.alpha, near)
			lt.CloseSlice(t, "a", w.a, want.a, near)
			lt.CloseSlice(t, "z", w.z, want.z, near*(1+linalg.NormInf(want.z)))
			lt.CloseSlice(t, "gradient", w.grad, want.grad, 1e-8)
			for i, u := range want.t {
				if !math.IsInf(u, 1) {
					lt.CloseSlice(t, "t, w", []float64{w.t[i], w.w[i]}, []float64{u, want.w[i]}, near*(1+want.w[i]))
				}
			}
			lt.Close(t, "b", w.b, want.b, 1e-8*(1+math.Abs(want.b)))
			if t.Failed() {
				t.Fatalf("seed %d, step %d", seed, k)
			}
			v = want.v

			gap, f, miss := w.measure()
			back, sum, size, whole := make([]float64, 2), 0.0, 0.0, 0.0
			for i, a := range w.alpha {
				linalg.Axpy(back, a*w.s0(i), x.Row(i))
				sum, size = sum+w.s[i]*a, size+math.Abs(a)
				left := w.grad[i] - w.b*w.s[i]
				switch {
				case left >= 0:
					whole += left * w.a[i]
				case math.IsInf(w.t[i], 1):
					whole += w.a[i] * w.z[i]
				default:
					whole -= left * w.t[i]
				}
			}
			value := linalg.Dot(v, v)/2 + linalg.Dot(w.lin, w.alpha)
			linalg.Axpy(back, -1, v)
			whole += linalg.Dot(back, back) / 2
			far := 0.0
			if p.Sign != nil {
				far = math.Abs(sum-p.Sum) / max(size, math.Abs(p.Sum))
			}
			lt.CloseSlice(t, "gap, objective, miss", []float64{gap, f, miss}, []float64{whole / math.Abs(value-whole), value, far}, 1e-7*(1+gap))
		}
	}
}

// rounded is the dual with its corners rounded, at v and b.
func (w *smoother) rounded(v []float64, b float64) float64 {
	r := make([]float64, w.m)
	w.f.Apply(r, v)
	f := linalg.Dot(v, v)/2 - b*w.sum
	for i, lo := range w.lo {
		r[i] += w.lin[i]
		if w.s != nil {
			r[i] -= b * w.s[i]
		}
		up := w.up[i]
		if up == lo {
			f -= lo * r[i]
			continue
		}
		a := min(max(w.center[i]-(up-lo)*r[i]/w.omega, lo), up)
		f -= a*r[i] + w.omega/2*(a-w.center[i])*(a-w.center[i])/(up-lo)
	}
	return f
}

// At any point the smoother's multipliers, gap, gradient and slopes are those of the rounded
// dual; a step of Newton's solves the equations, goes where the slope is half at most, and carries r.
func TestSmootherIsTheRoundedDual(t *testing.T) {
	for seed := range uint64(80) {
		p := boxed(seed, 12, 3, seed%3 > 0, true)
		st, err := prepare(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := newSmoother(st)
		lt.Close(t, "the first zone", w.omega, 4*linalg.NormInf(p.Linear), 0)
		for k := range 5 {
			w.clip()
			gap := w.residual()
			want := 0.0
			for i, r := range w.r {
				lo, up := p.Lower[i], p.Upper[i]
				free := w.center[i] - (up-lo)/w.omega*r
				lt.Close(t, "α", w.alpha[i], min(max(free, lo), up), 1e-15)
				if d := (up - lo) / w.omega; w.d[i] != d && free > lo && free < up || w.d[i] != 0 && (free < lo || free > up) {
					t.Errorf("seed %d: d = %g for %g between %g and %g", seed, w.d[i], free, lo, up)
				}
				want += max(r, 0)*(w.alpha[i]-lo) + max(-r, 0)*(up-w.alpha[i])
			}
			lt.Close(t, "gap", gap, want, 1e-12*(1+gap))
			const h = 1e-7
			at := func(dv []float64, db, t float64) float64 {
				v := slices.Clone(w.v)
				linalg.Axpy(v, t, dv)
				return w.rounded(v, w.b+t*db)
			}
			derivative := func(dv []float64, db float64) float64 { return (at(dv, db, h) - at(dv, db, -h)) / (2 * h) }
			for j := range w.v {
				e := make([]float64, len(w.v))
				e[j] = 1
				lt.Close(t, "minus the gradient in v", w.at[1+j], -derivative(e, 0), 1e-6)
			}
			if p.Sign != nil {
				lt.Close(t, "and in −b", w.at[0], derivative(make([]float64, len(w.v)), 1), 1e-6)
			}
			before, v, b := slices.Clone(w.at), slices.Clone(w.v), w.b
			settled, ok := w.newton(gap)
			if !ok {
				t.Fatalf("seed %d: no step", seed)
			}
			foretold := linalg.Dot(w.step, before) // by the slope
			after, b2 := slices.Clone(w.v), w.b
			way := slices.Clone(after)
			linalg.Axpy(way, -1, v)
			step := linalg.Dot(way, w.step[1:]) / linalg.Dot(w.step[1:], w.step[1:])
			if foretold < noStep*gap || math.Abs(step-1) < 1e-9 { // as long as it can be told
				step = 1
			}
			copy(w.v, v)
			w.b = b
			lt.Close(t, "slope at 0", -foretold, derivative(w.step[1:], -w.step[0]), 1e-5*(1+foretold))
			slopeAt := func(t float64) float64 {
				return (at(w.step[1:], -w.step[0], t+h) - at(w.step[1:], -w.step[0], t-h)) / (2 * h)
			}
			if s := slopeAt(step); s > foretold/2+1e-5 || s < -foretold/2-1e-5 && step < 1 {
				t.Errorf("seed %d: slope %g at %g, %g at 0", seed, s, step, -foretold)
			}
			if want := step == 1 && foretold < smallStep*gap; settled != want {
				t.Errorf("seed %d: settled %v after %g of a step that promises %g of %g", seed, settled, step, foretold, gap)
			}
			if wantQuiet := foretold < noStep*gap; (w.quiet > 0) != wantQuiet {
				t.Errorf("seed %d: quiet %d where a step promises %g of %g", seed, w.quiet, foretold, gap)
			}
			copy(w.v, after)
			w.b = b2
			r := make([]float64, w.m)
			w.f.Apply(r, w.v)
			linalg.Axpy(r, 1, p.Linear)
			if p.Sign != nil {
				linalg.Axpy(r, -w.b, p.Sign)
			}
			lt.CloseSlice(t, "r", w.r, r, 1e-11)
			for _, share := range []float64{0, 0.4, 1} { // w.slope is along w.step from here
				lt.Close(t, "slope", w.slope(share), slopeAtFrom(w, share), 1e-5)
			}
			if k%2 == 1 {
				var inside []float64
				for i, r := range w.r {
					if math.Abs(r) < w.omega/2 && p.Lower[i] < p.Upper[i] {
						inside = append(inside, math.Abs(r))
					}
				}
				slices.Sort(inside)
				next, was := w.omega, w.omega
				if len(inside) > 5 {
					if to := max(w.omega/8, 2*inside[5]); to < 0.7*w.omega {
						next = to
					}
				}
				if moved := w.narrowZone(); moved != (next < was) || w.omega != next {
					t.Errorf("seed %d: zone of %d from %g to %g, want %g", seed, len(inside), was, w.omega, next)
				}
			}
		}
	}
}

// slopeAtFrom is the derivative along the smoother's step from its present point.
func slopeAtFrom(w *smoother, t float64) float64 {
	const h = 1e-7
	at := func(t float64) float64 {
		v := slices.Clone(w.v)
		linalg.Axpy(v, t, w.step[1:])
		return w.rounded(v, w.b-t*w.step[0])
	}
	return (at(t+h) - at(t-h)) / (2 * h)
}

// sparseBox is a problem of sparse rows with finite bounds.
func sparseBox(seed uint64, m, p int, equality bool) (*Problem, *linalg.Dense) {
	q := boxed(seed, m, p, equality, true)
	x := lt.Thinned(seed, m, p, 0.5)
	q.Q = &Linear{X: lt.Sparse(x), Sign: q.Q.(*Linear).Sign, Workers: 1}
	return q, x
}

// Newton's equations of a zone, in the columns and in the rows, sparse, copied or not, and dense, are
// those of the rows in it, and both ways solve them.
func TestEquationsOfAZone(t *testing.T) {
	for seed := range uint64(60) {
		m, p := 14, 5
		q, x := sparseBox(seed, m, p, seed%3 > 0)
		l := q.Q.(*Linear)
		if seed/6%2 == 1 {
			l = &Linear{X: x, Sign: l.Sign, Workers: 1}
		}
		if seed/12%2 == 1 && l.X == linalg.Rows(x) { // the same rows about their origin
			l.Origin = lt.Normal(seed, 1, p).Data
			l.X = far(x, l.Origin)
		}
		r := rand.New(rand.NewPCG(seed, 63))
		d := make([]float64, m)
		for i := range d {
			if r.IntN(10) < 3+int(seed%2)*5 {
				d[i] = 0.1 + r.Float64()
			}
		}
		d[1] = 1
		equality := q.Sign != nil
		// (diag(0, I) + (s, A)ᵀD(s, A)); without an equality its first row and column are those of I.
		k := linalg.Zeros(p+1, p+1)
		if !equality {
			k.Set(0, 0, 1)
		}
		for j := 1; j <= p; j++ {
			k.Set(j, j, 1)
		}
		for i, v := range d {
			row := append([]float64{l.Sign[i]}, x.Row(i)...)
			linalg.Scale(row[1:], l.Sign[i])
			if !equality {
				row[0] = 0
			}
			for a, u := range row {
				linalg.Axpy(k.Row(a), v*u, row)
			}
		}
		z := newZone(l, d, equality, new(linalg.CSR))
		at := lt.Normal(seed, 1, p+1).Data
		if !equality {
			at[0] = 0
		}
		// The equations in dv alone are what elimination leaves of those.
		for j := 1; j <= p; j++ {
			f := k.At(j, 0) / k.At(0, 0)
			lt.Close(t, "diagonal", 1/z.scale[j-1], k.At(j, j)-f*k.At(0, j), 1e-12)
		}
		to, want := make([]float64, p), make([]float64, p+1)
		z.apply(to, at[1:])
		balanced := append([]float64{-linalg.Dot(k.Row(0)[1:], at[1:]) / k.At(0, 0)}, at[1:]...)
		k.MulVec(want, balanced)
		lt.CloseSlice(t, "product", to, want[1:], 1e-12)
		solution := slices.Clone(at)
		gauss(k.Clone(), solution, p+1)
		step := make([]float64, p+1)
		if n, ok := z.solve(step, at, 1e-13, 0); !ok || n > 3*p {
			t.Errorf("seed %d: %d conjugate gradients, solved %v", seed, n, ok)
		}
		lt.CloseSlice(t, "solution in the columns", step, solution, 1e-10)
		if n, _ := z.solve(step, at, 1e-13, math.Inf(1)); n != 1 {
			t.Errorf("seed %d: %d conjugate gradients where one is enough", seed, n)
		}
		newRowEquations(z, at).solve(step, 1e-13, 0)
		lt.CloseSlice(t, "solution in the rows", step, solution, 1e-8)
		if !equality && step[0] != 0 {
			t.Errorf("seed %d: −db = %g", seed, step[0])
		}

		// The rows' own equations: (D⁻¹ + AAᵀ)u.
		e := newRowEquations(z, at)
		u, product := lt.Normal(seed+1, 1, len(z.d)).Data, make([]float64, len(z.d))
		e.apply(product, u)
		for a := range z.d {
			sum := u[a] / z.d[a]
			for b := range z.d {
				sum += u[b] * linalg.Dot(z.dense(a, p), z.dense(b, p))
			}
			lt.Close(t, "product in the rows", product[a], sum, 1e-11)
			lt.Close(t, "diagonal in the rows", e.diag[a], 1/z.d[a]+linalg.Dot(z.dense(a, p), z.dense(a, p)), 1e-12)
		}
	}
}

// dense is the row at a position of a zone.
func (z *zone) dense(a, p int) []float64 {
	row := make([]float64, p)
	z.rows.AddRow(row, z.row(a), 1)
	if z.l.Origin != nil {
		linalg.Axpy(row, -1, z.l.Origin)
	}
	return row
}

// far returns the rows of x about 0 where they are about an origin.
func far(x *linalg.Dense, origin []float64) *linalg.Dense {
	x = x.Clone()
	for i := range x.Rows {
		linalg.Axpy(x.Row(i), 1, origin)
	}
	return x
}

// What the augmented Lagrangian tells of its point is recomputed, also where only some
// multipliers have changed, and its end is balanced inside the bounds.
func TestPointsOfTheAugmentedLagrangian(t *testing.T) {
	for seed := range uint64(40) {
		p, x := sparseBox(seed, 30, 6, seed%3 > 0)
		st, err := prepare(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := newLagrangian(st)
		r := rand.New(rand.NewPCG(seed, 64))
		w.v = append(w.v[:0], lt.Normal(seed, 1, 6).Data...)
		w.clip()
		for k := range 30 {
			if k > 0 { // few change, or all
				for range 1 + 29*(k%7/6) {
					i := r.IntN(30)
					w.alpha[i] = p.Lower[i] + r.Float64()*(p.Upper[i]-p.Lower[i])
				}
			}
			w.residual()
			left := slices.Clone(w.v)
			linalg.Scale(left, -1)
			for i, a := range w.alpha {
				linalg.Axpy(left, a*st.q.(*Linear).Sign[i], x.Row(i))
			}
			lt.CloseSlice(t, "Aᵀα − v", w.at[1:], left, 1e-11)
			open := 0.0
			if p.Sign != nil {
				open = linalg.Dot(p.Sign, w.alpha) - p.Sum
			}
			lt.Close(t, "sᵀα − Δ", w.at[0], open, 1e-12)
			square := 0.0
			for j, e := range left {
				square += (e + w.v[j]) * (e + w.v[j])
			}
			lt.Close(t, "f", w.dualObjective(), square/2+linalg.Dot(p.Linear, w.alpha), 1e-10)
			miss := linalg.Dot(left, left) / 2
			if open != 0 {
				miss += open * open / 2 / linalg.Sum(w.d)
			}
			lt.Close(t, "imbalance", w.imbalance(), miss, 1e-9*(1+miss))
		}
		w.spread()
		if p.Sign != nil {
			lt.Close(t, "sum", linalg.Dot(p.Sign, w.alpha), p.Sum, 1e-9)
		}
		for i, a := range w.alpha {
			if a < p.Lower[i]-1e-15 || a > p.Upper[i]+1e-15 {
				t.Errorf("seed %d: α = %g of %g, %g", seed, a, p.Lower[i], p.Upper[i])
			}
		}
	}
}

// The polisher's guess, the violation it looks for, how far a step may go and the partner of
// a variable that it frees are what they are said to be.
func TestPartsOfACorrection(t *testing.T) {
	partners := 0
	for seed := range uint64(150) {
		p := boxed(seed, 9, 3, seed%3 > 0, seed%2 == 0)
		st := begun(t, p, seed)
		w := newPolisher(st, st.multiplier())
		unit, extent := 0.0, 0.0
		left := make([]float64, 9)
		for i, g := range st.grad {
			if left[i] = g; p.Sign != nil {
				left[i] -= w.b * p.Sign[i]
			}
			if p.Lower[i] < p.Upper[i] {
				unit, extent = max(unit, math.Abs(left[i])), max(extent, st.alpha[i]-p.Lower[i])
			}
		}
		was := slices.Clone(st.alpha)
		w.classify()
		for i, a := range was {
			width := min(p.Upper[i]-p.Lower[i], extent)
			want, free := a, false
			switch {
			case width == 0 || a == p.Lower[i] || a-p.Lower[i] < left[i]/unit*width:
				want = p.Lower[i]
			case a == p.Upper[i] || p.Upper[i]-a < -left[i]/unit*width:
				want = p.Upper[i]
			default:
				free = true
			}
			if st.alpha[i] != want || w.mark[i] != free {
				t.Errorf("seed %d: %g between %g and %g becomes %g, free %v; want %g, %v", seed, a, p.Lower[i], p.Upper[i], st.alpha[i], w.mark[i], want, free)
			}
		}
		st.refresh()
		w.listFree()
		worst, violation, count, size := 0, 0.0, 0, 0.0
		for i, a := range st.alpha {
			left[i] = st.grad[i]
			if p.Sign != nil {
				left[i] -= w.b * p.Sign[i]
			}
			if p.Lower[i] == p.Upper[i] {
				continue
			}
			size = max(size, math.Abs(left[i]), math.Abs(p.Linear[i]))
			if left[i] > 0 && a > p.Lower[i] || left[i] < 0 && a < p.Upper[i] {
				if count++; math.Abs(left[i]) > violation {
					worst, violation = i, math.Abs(left[i])
				}
			}
		}
		i, v, n := w.violator()
		if i != worst || v != violation || n != count || w.size != size {
			t.Errorf("seed %d: %d violates by %g, %d in all, of %g; want %d, %g, %d, %g", seed, i, v, n, w.size, worst, violation, count, size)
		}
		if p.Sign != nil {
			miss, total := p.Sum, math.Abs(p.Sum)
			for i, a := range st.alpha {
				miss -= p.Sign[i] * a
				total += math.Abs(a)
			}
			if math.Abs(miss) <= 1e-15*total {
				miss = 0
			}
			lt.Close(t, "missing", w.missing(1e-15), miss, 1e-14)
			if w.balanced() != (math.Abs(miss) <= 1e-12*total) {
				t.Errorf("seed %d: balanced %v where %g is missing", seed, w.balanced(), miss)
			}
			met, most := p.Sum-miss, total-math.Abs(p.Sum)
			for _, off := range []float64{0.5e-12, -3e-12} { // of long multipliers, too
				long := *w
				long.state = w.clone()
				linalg.Scale(long.alpha, 1<<30)
				if long.sum = (met + off*most) * (1 << 30); long.balanced() != (off == 0.5e-12) {
					t.Errorf("seed %d: balanced %v where %g of %g is missing", seed, long.balanced(), off, most)
				}
			}
		} else if !w.balanced() {
			t.Errorf("seed %d: no equality is not balanced", seed)
		}
		room := 0.0
		for i := range st.up {
			room += st.up[i] - st.lo[i]
		}
		if noise := 1e-14 * size * room; !(math.Abs(w.noise()-noise) <= 1e-28*room) && !math.IsInf(noise, 1) {
			t.Errorf("seed %d: noise %g, want %g", seed, w.noise(), noise)
		}

		d := lt.Normal(seed+9, 1, len(w.free)).Data
		step, block := 1.0, -1
		for a, i := range w.free {
			to := st.up[i]
			if d[a] < 0 {
				to = st.lo[i]
			}
			if s := (to - st.alpha[i]) / d[a]; s < step {
				step, block = s, a
			}
		}
		if s, b := w.reach(d, 1); b != block || math.Abs(s-step) > 1e-15 {
			t.Errorf("seed %d: reach %g of %d, want %g of %d", seed, s, b, step, block)
		}

		inside := slices.ContainsFunc(w.free, func(i int) bool { return st.alpha[i] > st.lo[i] && st.alpha[i] < st.up[i] })
		if seed%2 == 1 { // none is free
			clear(w.mark)
			w.listFree()
			inside = false
		}
		before := slices.Clone(w.mark)
		w.release(worst)
		partner, most := -1, math.Inf(-1)
		if p.Sign != nil && !inside {
			up := left[worst]*p.Sign[worst] < 0 // sα of the one rises, of its partner falls
			for j, a := range st.alpha {
				v, can := left[j]*p.Sign[j], a > st.lo[j] && p.Sign[j] > 0 || a < st.up[j] && p.Sign[j] < 0
				if !up {
					v, can = -v, a > st.lo[j] && p.Sign[j] < 0 || a < st.up[j] && p.Sign[j] > 0
				}
				if j != worst && can && v > most {
					partner, most = j, v
				}
			}
		}
		for j, is := range w.mark {
			if want := before[j] || j == worst || j == partner; is != want {
				t.Errorf("seed %d: %d is free %v, want %v, partner %d of %d", seed, j, is, want, partner, worst)
			}
		}
		if partner >= 0 {
			partners++
		}
	}
	if partners < 20 {
		t.Errorf("%d partners", partners)
	}
}

// A price that is moderate is ten times the mean of 1/Qᵢᵢ about; problems that do not begin at 0 have none.
func TestModeratePrice(t *testing.T) {
	q := dense{lt.Rows(t, []float64{1, 0, 0}, []float64{0, 3, 0}, []float64{0, 0, 9})}
	for _, c := range []struct {
		p    Problem
		want [2]float64
	}{
		{Problem{Upper: []float64{5, 7, 0}}, [2]float64{5, 7}},
		{Problem{Upper: []float64{5, 7, 6}}, [2]float64{30. / 13, 7}},
		{Problem{Upper: []float64{5, 7, 6}, Lower: []float64{0, 0, 1}}, [2]float64{}},
		{Problem{Upper: []float64{5, 7, 6}, Lower: []float64{0, 0, -1}}, [2]float64{}},
		{Problem{Upper: []float64{5, 7, 6}, Sign: []float64{1, 1, -1}, Sum: 1}, [2]float64{}},
	} {
		p := c.p
		p.Q, p.Linear = q, slices.Repeat([]float64{-1}, 3)
		w, err := newChain(&p, nil, measured)
		if err != nil {
			t.Fatal(err)
		}
		moderate, largest := w.moderatePrice()
		lt.CloseSlice(t, "moderate and largest price", []float64{moderate, largest}, c.want[:], 1e-14)
	}
}

// Equations whose diagonal had to be raised are solved as if it had not been.
func TestRaisedEquationsAreSolved(t *testing.T) {
	for seed := range uint64(20) {
		p := boxed(seed, 7, 3, seed%2 == 0, true)
		st, err := prepare(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := make([]float64, 7)
		for i := range d {
			d[i] = 0.1 + float64(i)
		}
		solved := func(e equations, n int, raise func()) {
			if !e.factor(d) {
				t.Fatal("no factor")
			}
			rhs := lt.Normal(seed+3, 1, n+1).Data
			if p.Sign == nil {
				rhs[0] = 0
			}
			want, got := slices.Clone(rhs), slices.Clone(rhs)
			e.solve(want)
			raise()
			e.solve(got)
			lt.CloseSlice(t, "solution", got, want, 1e-9*(1+linalg.NormInf(want)))
		}
		thin := &factorEquations{f: st.f, s: st.s}
		raised := func(k *linalg.Dense) *linalg.Cholesky {
			for i := range k.Rows {
				k.Row(i)[i] *= 1.01
			}
			c, err := linalg.NewCholesky(k)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		solved(thin, 3, func() {
			k := linalg.Zeros(4, 4) // (s, A)ᵀD(s, A) + diag(0, 1, …)
			l := p.Q.(*Linear)
			for i, v := range d {
				row := append([]float64{0}, l.X.(*linalg.Dense).Row(i)...)
				linalg.Scale(row, l.Sign[i])
				if p.Sign != nil {
					row[0] = p.Sign[i]
				}
				for a, u := range row {
					linalg.Axpy(k.Row(a), v*u, row)
				}
			}
			for a := range 4 {
				if a > 0 || p.Sign == nil {
					k.Row(a)[a]++
				}
			}
			thin.chol, thin.raised = raised(k), true
		})
		st = productsOf(st)
		wide := newProductEquations(st.q.(*rowProducts), p.Sign != nil)
		solved(wide, 7, func() {
			k := linalg.Zeros(7, 7)
			for i, h := range wide.h {
				for j, g := range wide.h {
					k.Set(i, j, h*g*wide.q.k.At(i, j))
				}
				k.Row(i)[i]++
			}
			wide.chol, wide.raised = raised(k), true
		})
	}
}

// Where the cap ends the steps, the point is the best of those met by the gap and what the equality
// misses, times the objective.
func TestInteriorPointReturnsItsBest(t *testing.T) {
	for seed := range uint64(30) {
		p := boxed(seed, 10, 3, true, seed%2 == 0)
		for most := 1; most < 7; most++ {
			var w *ipm
			best, least := []float64(nil), math.Inf(1)
			st, err := prepare(p, &Options{MaxIter: most, Trace: func(optimize.Step) error {
				_, f, miss := w.measure()
				if merit := w.gap + miss*math.Abs(f); merit < least {
					best, least = slices.Clone(w.alpha), merit
				}
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			w = newIPM(st)
			w.enter()
			r := w.run(1e-14)
			for i := range best {
				best[i] = min(max(best[i], p.Lower[i]), p.Upper[i])
			}
			if r.err != nil {
				lt.CloseSlice(t, "the best point", r.res.Alpha, best, 0)
			}
		}
	}
}

// Free variables beyond the independent rows go to bounds, at constant Aᵀα and sᵀα, in groups where they are many.
func TestPurifiedVariables(t *testing.T) {
	for seed := range uint64(20) {
		p := boxed(seed, 120+100*int(seed), 3, seed%2 == 0, true)
		st, err := prepare(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 65))
		w := newPolisher(st, 0)
		for i := range st.alpha {
			if q := p.Q.(*Linear); seed%4 >= 2 { // their sum is kept, so that not all can be less
				p.Lower[i], p.Upper[i], st.alpha[i] = 0, 1, float64(1+r.IntN(3))/8
				q.X.(*linalg.Dense).Set(i, 0, q.Sign[i])
			} else {
				st.alpha[i] = p.Lower[i] + r.Float64()*(p.Upper[i]-p.Lower[i])
			}
			w.mark[i] = p.Upper[i] > p.Lower[i]
		}
		st.refresh()
		v, sum := slices.Clone(st.v), linalg.Dot(st.q.(*Linear).Sign, st.alpha)
		w.purify()
		w.listFree()
		st.refresh()
		lt.CloseSlice(t, "Aᵀα", st.v, v, 1e-9)
		if p.Sign != nil {
			lt.Close(t, "sᵀα", linalg.Dot(p.Sign, st.alpha), sum, 1e-9)
		}
		if len(w.free) > 4 {
			t.Errorf("seed %d: %d are free", seed, len(w.free))
		}
		for i, a := range st.alpha {
			if a < p.Lower[i] || a > p.Upper[i] || !w.mark[i] && a != p.Lower[i] && a != p.Upper[i] {
				t.Errorf("seed %d: %g of %g, %g, free %v", seed, a, p.Lower[i], p.Upper[i], w.mark[i])
			}
		}
	}
}

// The dual vectors of a basis stay those of its rows, which join and take the places of others, and are made
// anew where they have lost their digits.
func TestBasisKeepsItsDual(t *testing.T) {
	p := boxed(3, 40, 5, true, true)
	st, err := prepare(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := newBasis(st, linalg.Sequence(st.m))
	check := func() {
		t.Helper()
		for e, i := range b.list {
			for f, j := range b.list {
				want := 0.0
				if e == f {
					want = 1
				}
				lt.Close(t, "product", linalg.Dot(b.dual.Row(e), b.rows.Row(j)), want, 1e-9)
			}
			lt.CloseSlice(t, "row", b.in.Row(e), b.rows.Row(i), 0)
		}
	}
	for a := range 30 {
		switch c := b.coordinates(a); {
		case c == nil:
			if !b.join(a) {
				t.Fatalf("%d rows of %d columns are independent", len(b.list)+1, b.rows.Cols)
			}
		default:
			sum := make([]float64, b.rows.Cols)
			most := 0
			for e, v := range c {
				linalg.Axpy(sum, v, b.rows.Row(b.list[e]))
				if math.Abs(v) > math.Abs(c[most]) {
					most = e
				}
			}
			lt.CloseSlice(t, "combination", sum, b.rows.Row(a), 1e-12)
			b.replace(most, a)
		}
		check()
		if a == 20 { // two rounds leave a hundredth squared of a row
			linalg.Scale(b.dual.Data, 1.01)
		}
	}
	if len(b.list) != b.rows.Cols {
		t.Errorf("a basis of %d rows, want %d", len(b.list), b.rows.Cols)
	}
}

// A point is scaled up so that no reduced gradient is below 0, for which q has to be −1.
func TestScaledUp(t *testing.T) {
	p := svm(81, 40, 2, 3, 10)
	for i := range p.Linear {
		p.Linear[i] = -1 - 0x1p-50*float64(i%2)
	}
	for _, scaled := range []bool{false, true} {
		if scaled {
			p.Linear = slices.Repeat([]float64{-1}, 40)
		}
		r, err := polish(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		st, err := prepare(p, &Options{Start: r.Alpha})
		if err != nil {
			t.Fatal(err)
		}
		linalg.Scale(st.v, 1-1e-12)
		st.follow()
		up := st.clone().scaledUp(r.Multiplier).res
		if larger := up.V[0]/st.v[0] - 1; scaled != (larger > 1e-12 && larger < 1e-11) || !scaled && larger != 0 {
			t.Errorf("scaled %v: larger by %g", scaled, larger)
		}
		for i, g := range up.Gradient {
			if left := g - up.Multiplier*p.Sign[i]; scaled && left < 0 && up.Alpha[i] < 10 {
				t.Errorf("reduced gradient %g of α %g", left, up.Alpha[i])
			}
		}
	}
}
