package squared

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/qp"
)

// drawn is a minimizer at some place, of dense rows about an origin or of sparse ones.
func drawn(seed uint64, n, p int) (m *minimizer, x *linalg.Dense) {
	r := rand.New(rand.NewPCG(seed, 7))
	x = lt.Normal(seed, n, p)
	q, price := &qp.Linear{X: x, Sign: make([]float64, n)}, make([]float64, n)
	for i := range n {
		q.Sign[i], price[i] = float64(2*(i%2)-1), []float64{0, 0.1, 2}[r.IntN(3)]
	}
	price[0], price[1] = 0.5, 0.25
	if seed%2 == 0 {
		q.X = lt.Sparse(x)
	} else {
		q.Origin = slices.Repeat([]float64{0.5}, p)
		for i := range n {
			linalg.Axpy(x.Row(i), 1, q.Origin)
		}
	}
	if seed%5 == 0 {
		x.Row(n - 1)[0] = 100 // the longest row has no price
		price[n-1] = 0
		if seed%2 == 0 {
			q.X = lt.Sparse(x)
		}
	}
	m = newMinimizer(&Problem{Rows: q, Price: price, NoLevel: seed%3 == 0}, 1e-10)
	for j := range m.beta {
		m.beta[j] = 0.4 * r.NormFloat64()
	}
	if !m.NoLevel {
		m.level = 0.3 * r.NormFloat64()
	}
	return m, x
}

// row is xᵢ−o.
func (m *minimizer) row(x *linalg.Dense, i int) []float64 {
	d := slices.Clone(x.Row(i))
	if m.Rows.Origin != nil {
		linalg.Axpy(d, -1, m.Rows.Origin)
	}
	return d
}

// pull returns Σ αᵢsᵢ(xᵢ−o) and Σαs.
func (m *minimizer) pull(x *linalg.Dense, alpha []float64) (v []float64, level float64) {
	v = make([]float64, m.p)
	for i, a := range alpha {
		linalg.Axpy(v, a*m.Rows.Sign[i], m.row(x, i))
		level += a * m.Rows.Sign[i]
	}
	return v, level
}

// The bound is above F less the dual objective of any multipliers, and is that without a level.
func TestBoundOfAnyMultipliers(t *testing.T) {
	for seed := range uint64(60) {
		m, x := drawn(seed, 4+int(seed%7), 1+int(seed%4))
		m.measure()
		dual := 0.0
		for i, c := range m.Price {
			if m.alpha[i] = 0; c > 0 {
				m.alpha[i] = float64((seed + uint64(i)) % 3)
				dual += m.alpha[i] - m.alpha[i]*m.alpha[i]/(4*c)
			}
		}
		m.bound()
		back, _ := m.pull(x, m.alpha)
		gap := m.value - (dual - linalg.Dot(back, back)/2)
		if !(m.excess >= gap*(1-1e-12)) || m.NoLevel && !(m.excess <= gap*(1+1e-12)) {
			t.Errorf("seed %d: a bound of %g, F − D = %g", seed, m.excess, gap)
		}
	}
}

// The slacks, the value, the active rows with their multipliers and the bound on the excess
// are what they are said to be, at any place.
func TestPlaceIsMeasured(t *testing.T) {
	for seed := range uint64(60) {
		m, x := drawn(seed, 4+int(seed%7), 1+int(seed%4))
		m.measure()
		m.bound()
		value, radius, alpha := linalg.Dot(m.beta, m.beta)/2, 0.0, make([]float64, m.n)
		var active []int
		for i, c := range m.Price {
			slack := 1 - m.Rows.Sign[i]*(linalg.Dot(m.beta, m.row(x, i))+m.level)
			lt.Close(t, "slack", m.slack[i], slack, 1e-13*(1+math.Abs(slack)))
			if c == 0 {
				continue
			}
			radius = max(radius, linalg.Norm(m.row(x, i)))
			if slack > 0 {
				value += c * slack * slack
				active, alpha[i] = append(active, i), 2*c*slack
			}
		}
		if !slices.Equal(active, m.active) {
			t.Errorf("seed %d: active %v, want %v", seed, m.active, active)
		}
		lt.CloseSlice(t, "multipliers", m.alpha, alpha, 1e-13)
		back, left := m.pull(x, alpha)
		if m.NoLevel {
			left = 0
		}
		apart := 0.0
		for j, v := range back {
			apart += (v - m.beta[j]) * (v - m.beta[j])
		}
		excess := 0.0
		for range 200 { // to its fixed point
			beta := min(math.Sqrt(2*value), linalg.Norm(m.beta)+math.Sqrt(2*excess))
			excess = apart/2 + math.Abs(left)*(math.Abs(m.level)+1+radius*beta)
		}
		lt.CloseSlice(t, "value, Σαs, excess", []float64{m.value, m.left, m.excess, m.relative()}, []float64{value, left, excess, excess / value}, 1e-12*(1+excess))
	}
	m := &minimizer{}
	if m.relative() != 0 {
		t.Errorf("an excess of 0 over 0 is %g", m.relative())
	}
}

// The equations of the active rows, in the rows or the columns, have the minimum of their
// quadratic: β = Σαs(x−o), Σαs = 0, and α = 2c(1 − s·f) there.
func TestEquationsHoldAtTheirSolution(t *testing.T) {
	for seed := range uint64(60) {
		m, x := drawn(seed, 5+int(seed%9), 1+int(seed%11))
		m.measure()
		if len(m.active) == 0 {
			continue
		}
		to, own := m.solve()
		alpha := make([]float64, m.n)
		for k, i := range m.active {
			alpha[i] = own[k]
			lt.Close(t, "multiplier", own[k], 2*m.Price[i]*to.slack[i], 1e-11)
		}
		v, left := m.pull(x, alpha)
		lt.CloseSlice(t, "β", to.beta, v, 1e-10)
		if !m.NoLevel {
			lt.Close(t, "Σαs", left, 0, 1e-11)
		} else if to.level != 0 {
			t.Errorf("seed %d: level %g", seed, to.level)
		}
		lt.Close(t, "value", to.value, m.valueOf(to), 0)

		// It is kept where its multipliers are above 0 and no other row with a price has slack.
		kept, next := true, []int(nil)
		for i, c := range m.Price {
			if slices.Contains(m.active, i) {
				kept = kept && alpha[i] >= 0
				if alpha[i] > 0 {
					next = append(next, i)
				}
			} else if c > 0 && to.slack[i] > 0 {
				kept, next = false, append(next, i)
				alpha[i] = 2 * c * to.slack[i]
			}
		}
		if m.keeps(to, own) != kept {
			t.Errorf("seed %d: kept %v, want %v: %v, slacks %v, active %v", seed, !kept, kept, own, to.slack, m.active)
		}
		m.accept(to, own)
		for i, a := range alpha {
			alpha[i] = max(0, a)
		}
		if !slices.Equal(m.active, next) {
			t.Errorf("seed %d: active %v, want %v", seed, m.active, next)
		}
		lt.CloseSlice(t, "multipliers", m.alpha, alpha, 0)
	}
}

// A direction of conjugate gradients lowers the gradient of the quadratic by the share asked
// for; along a direction the slope and the bend are derivatives of F, and the search leaves
// little of the slope.
func TestDirectionsGoDown(t *testing.T) {
	for seed := range uint64(60) {
		m, x := drawn(seed, 8+int(seed%5), 1+int(seed%6))
		m.measure()
		if len(m.active) == 0 {
			continue
		}
		m.bound()
		m.share, m.tol = 1e-6, 1e-30
		m.approximate()
		if m.share != leastShare || !m.conjugate {
			t.Errorf("seed %d: the next share is %g, conjugate gradients %v", seed, m.share, m.conjugate)
		}
		// (diag(0, I) + Σd(1, x−o)(1, x−o)ᵀ)(db, dβ) + ∇F
		along := make([]float64, m.n)
		for _, i := range m.active {
			along[i] = 2 * m.Price[i] * m.Rows.Sign[i] * (linalg.Dot(m.dir.beta, m.row(x, i)) + m.dir.level)
		}
		left, level := m.pull(x, along)
		for j := range left {
			left[j] += m.dir.beta[j] + m.beta[j] - m.back[j]
		}
		if level -= m.left; m.NoLevel {
			level = m.dir.level
		}
		whole := math.Hypot(math.Abs(m.left), math.Sqrt(linalg.Dot(m.back, m.back)+linalg.Dot(m.beta, m.beta)))
		if size := math.Hypot(level, linalg.Norm(left)); size > 1e-4*whole {
			t.Errorf("seed %d: %g of the gradient is left of %g", seed, size, whole)
		}

		m.Rows.Apply(m.dir.rows, m.dir.beta)
		linalg.Axpy(m.dir.rows, m.dir.level, m.Rows.Sign)
		at := func(step float64) float64 {
			to := &point{beta: slices.Clone(m.beta), level: m.level + step*m.dir.level, slack: make([]float64, m.n)}
			linalg.Axpy(to.beta, step, m.dir.beta)
			m.evaluate(to)
			return to.value
		}
		for _, step := range []float64{0, 0.3, 0.9} {
			const h = 1e-5
			slope, bend := m.slope(step)
			lt.Close(t, "slope", slope, (at(step+h)-at(step-h))/(2*h), 1e-6*(1+math.Abs(slope)))
			up, _ := m.slope(step + h)
			down, _ := m.slope(step - h)
			if _, before := m.slope(step - h); before == bend { // else a kink lies between
				lt.Close(t, "bend", bend, (up-down)/(2*h), 1e-4*(1+bend))
			}
		}
		first, _ := m.slope(0)
		before, place := m.value, slices.Clone(m.beta)
		for _, scale := range []float64{1, 1e-6, 1e6} { // the best step is about 1/scale
			copy(m.beta, place)
			linalg.Scale(m.dir.beta, scale)
			linalg.Scale(m.dir.rows, scale)
			wasLevel, dLevel := m.level, m.dir.level
			m.dir.level *= scale
			m.measure()
			m.search()
			if slope, _ := m.slope(0); math.Abs(slope) > -1.01*slopeLeft*scale*first || m.value > before {
				t.Errorf("seed %d, direction times %g: slope %g of %g, value %g of %g", seed, scale, slope, scale*first, m.value, before)
			}
			linalg.Scale(m.dir.beta, 1/scale)
			linalg.Scale(m.dir.rows, 1/scale)
			m.level, m.dir.level = wasLevel, dLevel
		}
	}
}

// A start at the solution is where the steps begin; one without active rows, or worse than 0, is
// not taken.
func TestStartIsTakenWhereItIsBetter(t *testing.T) {
	m, _ := drawn(1, 60, 5)
	best, err := Minimize(m.Problem, &Options{Tol: 1e-13})
	if err != nil || best.Report.Iterations() < 2 {
		t.Fatal(best.Report, err)
	}
	lone := make([]float64, m.n)
	lone[0] = 1
	for name, c := range map[string]struct {
		start []float64
		same  bool // the first place is 0
	}{"the solution": {best.Alpha, false}, "zeros": {make([]float64, m.n), true}, "none": {nil, true}, "one row": {lone, true}} {
		var first []float64
		r, err := Minimize(m.Problem, &Options{Tol: 1e-13, Start: c.start, Trace: func(s optimize.Step) error {
			if first == nil {
				first = slices.Clone(s.X)
			}
			return nil
		}})
		if err != nil || r.Report.Status() != optimize.Converged {
			t.Fatal(name, r, err)
		}
		if c.same != (linalg.Norm(first) == 0) {
			t.Errorf("%s: begins at %v", name, first)
		}
		if name == "the solution" {
			lt.CloseSlice(t, "the first place", first, best.Beta, 1e-9)
			if r.Report.Iterations() > 1 {
				t.Errorf("from the solution %v", r.Report)
			}
		}
	}
}

// A price of 1e12 leaves no digits in slacks; multipliers have them, as they come from the equations.
func TestMultipliersOfHugePrices(t *testing.T) {
	x, sign := lt.Normal(3, 20, 4), make([]float64, 20)
	for i := range sign {
		sign[i] = float64(2*(i%2) - 1)
		x.Row(i)[0] += 4 * sign[i]
	}
	r, err := Minimize(&Problem{Rows: &qp.Linear{X: x, Sign: sign}, Price: slices.Repeat([]float64{1e12}, 20)}, nil)
	if err != nil || r.Report.Status() != optimize.Converged || r.Report.Iterations() > 20 {
		t.Fatal(r.Report, err)
	}
	v, level := make([]float64, 4), 0.0
	for i, a := range r.Alpha {
		linalg.Axpy(v, a*sign[i], x.Row(i))
		level += a * sign[i]
	}
	lt.CloseSlice(t, "β", v, r.Beta, 1e-12)
	lt.Close(t, "Σαs", level, 0, 1e-12*linalg.Sum(r.Alpha))
}

// Of a run that a trace or the cap ends the place is the last shown, with its objective.
func TestStepsThatAreEnded(t *testing.T) {
	m, _ := drawn(7, 40, 3)
	for cap := 1; cap < 4; cap++ {
		shown, objective := 0, 0.0
		r, err := Minimize(m.Problem, &Options{Tol: 1e-15, MaxIter: cap, Trace: func(s optimize.Step) error {
			shown, objective = shown+1, s.Objective
			return nil
		}})
		if err != nil || r.Report.Iterations() > cap || shown != r.Report.Iterations()+1 || objective != r.Report.Objective() {
			t.Errorf("cap %d: %v, shown %d times, %v", cap, r.Report, shown, err)
		}
	}
	enough := errors.New("enough")
	r, err := Minimize(m.Problem, &Options{Trace: func(s optimize.Step) error {
		if s.Iteration == 1 {
			return enough
		}
		return nil
	}})
	if err != nil || r.Report.Status() != optimize.Stopped || r.Report.Iterations() != 1 {
		t.Errorf("%v, %v", r.Report, err)
	}
}

// A slack that rounding explains does not keep a solution from being one: of rows of length 64, β of
// length 32 and a level of 15 it is 2⁻⁴⁸·2064.
func TestSlackOfRoundingIsNone(t *testing.T) {
	for slack, kept := range map[float64]bool{0x1p-48 * 2063: true, 0x1p-48 * 2065: false, -1: true} {
		p := &Problem{Rows: &qp.Linear{X: lt.Rows(t, []float64{1}, []float64{1}, []float64{1}), Sign: []float64{1, -1, 1}}, Price: []float64{1, 1, 0}}
		m := newMinimizer(p, 1e-10)
		m.radius, m.active = 64, []int{0}
		to := &point{beta: []float64{-32}, level: -15, slack: []float64{5, slack, 7}}
		if got := m.keeps(to, []float64{1}); got != kept {
			t.Errorf("slack %g: kept %v", slack, got)
		}
		if m.keeps(to, []float64{-1e-300}) {
			t.Error("a multiplier below 0 is kept")
		}
	}
}

// The products of active rows are made of these alone until as many have been made as all rows have, and
// are the same afterwards; never of more rows than are factored.
func TestProductsOfActiveRowsAreMadeOnce(t *testing.T) {
	const n = 40
	m, x := drawn(3, n, 50)
	m.active = []int{3, 7, 8, 20, 21, 22, 30, 35}
	for call := range 30 {
		rows, _ := m.rows()
		k, want := m.productsOf(rows), linalg.Zeros(8, 8)
		for a, i := range m.active {
			for b, j := range m.active {
				want.Row(a)[b] = linalg.Dot(m.row(x, i), m.row(x, j))
			}
		}
		lt.CloseSlice(t, "products", k.Data, want.Data, 1e-12)
		if made := min(64*(call+1), n*n); m.made != made {
			t.Fatalf("call %d: %d made, want %d", call, m.made, made)
		}
	}
}

// long is a problem of few long sparse rows, and the same of dense ones.
func long(seed uint64, price float64) (sparse, dense *Problem) {
	const n, p = 80, 500
	x := lt.Thinned(seed, n, p, 0.05)
	sign := make([]float64, n)
	for i := range sign {
		sign[i] = float64(2*(i%3%2) - 1)
	}
	of := func(rows linalg.Rows) *Problem {
		return &Problem{Rows: &qp.Linear{X: rows, Sign: sign}, Price: slices.Repeat([]float64{price}, n), NoLevel: seed%3 == 0}
	}
	return of(lt.Sparse(x)), of(x)
}

// begun is the bookkeeping of a fit.
func begun(t *testing.T, p *Problem) *optimize.Progress {
	run, err := optimize.Begin(nil, p.Price, &optimize.Control{}, optimize.Defaults{Kind: optimize.KindGap, Tol: defaultTol, MaxIter: defaultSteps})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Coordinate descent of long sparse rows comes to the minimum that Newton's method has of dense ones.
func TestCoordinateDescentOfLongRows(t *testing.T) {
	for seed := range uint64(12) {
		sparse, dense := long(seed, []float64{1e-4, 0.1, 1, 0}[seed%4])
		want, err := Minimize(dense, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, run := newMinimizer(sparse, defaultTol), begun(t, sparse)
		m.begin(nil)
		if !m.descends() || !m.descend(run) || m.descends() {
			t.Fatalf("seed %d: no turn, or a second", seed)
		}
		if m.relative() > m.tol {
			t.Errorf("seed %d: excess %g of %g after %d passes", seed, m.excess, m.value, run.Report().Iterations())
		}
		lt.Close(t, "F", m.value, want.Report.Objective(), 1e-9*m.value)
		lt.CloseSlice(t, "β", m.beta, want.Beta, 1e-4*linalg.NormInf(want.Beta))
		if m.conjugate = false; !m.descends() {
			t.Error("no second turn where conjugate gradients take too long")
		}
	}
}

// A turn of coordinate descent that ends early leaves the better of two places, and ends where the
// caller says so.
func TestCoordinateDescentEnds(t *testing.T) {
	sparse, dense := long(1, 1)
	whole, err := Minimize(sparse, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, run := newMinimizer(sparse, defaultTol), begun(t, sparse)
	m.begin(nil)
	copy(m.beta, whole.Beta)
	m.level = whole.Level
	m.measure()
	least := m.value
	m.maxIter = 1
	if m.descend(run) || run.Report().Status() != optimize.MaxIterations || m.value != least {
		t.Errorf("%v, F %g from %g", run.Report(), m.value, least)
	}
	m = newMinimizer(sparse, defaultTol)
	m.begin(nil)
	most := m.value
	m.maxIter = 8
	if m.descend(begun(t, sparse)) || !(m.value < most/2) {
		t.Errorf("F %g after some passes, %g before", m.value, most)
	}
	m.begin(whole.Alpha)
	lt.CloseSlice(t, "α", m.at.Alpha, whole.Alpha, 0)
	v, _ := m.pull(dense.Rows.X.(*linalg.Dense), whole.Alpha)
	lt.CloseSlice(t, "v", m.at.V, v, 1e-14)
	if r, err := Minimize(sparse, &Options{MaxIter: 2}); err != nil || r.Report.Status() != optimize.MaxIterations || r.Report.Iterations() != 2 {
		t.Errorf("%v, %v", r.Report, err)
	}
	shown := 0
	r, err := Minimize(sparse, &Options{Trace: func(optimize.Step) error {
		if shown++; shown == 3 {
			return errors.New("enough")
		}
		return nil
	}})
	at := &point{beta: r.Beta, level: r.Level, slack: make([]float64, m.n)}
	m.evaluate(at)
	if err != nil || shown != 3 || r.Report.Status() != optimize.Stopped || r.Report.Objective() != at.value {
		t.Errorf("%v, %v after %d", r.Report, err, shown)
	}
	if again, err := Minimize(sparse, &Options{Start: whole.Alpha}); err != nil || 2*again.Report.Iterations() > whole.Report.Iterations() {
		t.Errorf("%v from the solution, %v from 0", again.Report, whole.Report)
	}
}
