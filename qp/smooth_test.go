package qp

import (
	"errors"
	"math"
	"math/rand/v2"

	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// smoothed runs Newton's method and the polisher alone, and returns the steps of the
// former: where the polisher takes over, it shows the same iteration again.
func smoothed(t *testing.T, p *Problem) (r outcome, steps int) {
	t.Helper()
	last := -1
	c, err := newChain(p, &Options{Trace: func(s optimize.Step) error {
		if s.Iteration == last {
			steps = last
		}
		last = s.Iteration
		return nil
	}}, measured)
	if err != nil {
		t.Fatal(err)
	}
	if !c.smooths() {
		return outcome{}, 0
	}
	if r = c.smooth(); r.res == nil {
		steps = c.progress.Report().Iterations()
	}
	return r, steps
}

func TestSmoothReachesTheSolution(t *testing.T) {
	for name, c := range map[string]func(p *Problem){
		"soft margin":  func(*Problem) {},
		"through zero": func(p *Problem) { p.Sign = nil },
		"origin":       func(p *Problem) { p.Q.(*Linear).Origin = []float64{1, -2, 0.5, 3, 0} },
		"row bounds": func(p *Problem) {
			for i := range p.Upper {
				p.Upper[i] = float64(i % 4)
			}
		},
		"lower bounds": func(p *Problem) { p.Lower = slices.Repeat([]float64{-0.3}, len(p.Linear)) },
		"sum":          func(p *Problem) { p.Sum = 3.5 },
		"cheap":        func(p *Problem) { p.Upper = slices.Repeat([]float64{1e-3}, len(p.Linear)) },
		"dear":         func(p *Problem) { p.Upper = slices.Repeat([]float64{1e5}, len(p.Linear)) },
		"tiny rows":    func(p *Problem) { linalg.Scale(p.Q.(*Linear).X.(*linalg.Dense).Data, 1e-3); linalg.Scale(p.Upper, 1e6) },
	} {
		t.Run(name, func(t *testing.T) {
			p := svm(21, 1500, 5, 0.5, 1)
			c(p)
			r, it := smoothed(t, p)
			if r.res == nil {
				t.Fatalf("gave up after %d steps", it)
			}
			check(t, p, r.res, r.err, 1e-8)
			if all := r.res.Report.Iterations(); it == 0 || it > 15 || all > 40 {
				t.Errorf("%d steps, %d with corrections", it, all)
			}
			want, err := interiorPoint(p, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, err = polish(p, &Options{Start: want.Alpha})
			check(t, p, want, err, 1e-8)
			linalgtest.Close(t, "objective", r.res.Objective, want.Objective, 1e-8)
		})
	}
}

// Where the mean of a rare class is one of the other's rows, weighted by no more than the price, v = 0 is the
// solution: found at once, with no more free multipliers than can be independent. Where the rare class is farther off a
// first step shows that it is not.
func TestRareClassNeedsNoPlane(t *testing.T) {
	for _, c := range []struct {
		plus  float64 // sign of the rare class
		every int     // one row in so many is of it
		off   float64
		zero  bool
	}{{1, 20, 0.3, true}, {-1, 10, 1, true}, {1, 4, 0.5, true}, {1, 20, 6, false}, {-1, 4, 3, false}, {1, 2, 0, false}} {
		p := svm(31, 2000, 6, 0, 1)
		for i := range p.Sign {
			if p.Sign[i] = -c.plus; i%c.every == 0 {
				p.Sign[i] = c.plus
				p.Q.(*Linear).X.(*linalg.Dense).Row(i)[0] += c.off
			}
		}
		r, by, err := solve(p, &Options{Tol: 1e-8}, measured)
		check(t, p, r, err, 1e-8)
		free := 0
		for _, a := range r.Alpha {
			if a > 0 && a < 1 {
				free++
			}
		}
		at0 := by == "Newton on the smoothed dual at 0"
		if at0 != c.zero || at0 != (linalg.Norm(r.V) < 1e-6) || free > 7 {
			t.Errorf("%+v: by %s, v of length %g, %d free", c, by, linalg.Norm(r.V), free)
		}
		chain, err := newChain(p, nil, measured)
		if err != nil {
			t.Fatal(err)
		}
		if first := c.every > 2 && !c.zero; chain.mostlyOne() != (c.every > 2) {
			t.Errorf("%+v: the turn is %v", c, chain.mostlyOne())
		} else if end := chain.atZero(); first && (end.res != nil || chain.progress.Report().Iterations() > 1) {
			t.Errorf("%+v: v = 0 is left after %d steps", c, chain.progress.Report().Iterations())
		}
	}
}

// What it carries along stays what it is: r = Av + q − b·s at every step.
func TestSmoothCarriesTheGradient(t *testing.T) {
	p := svm(26, 600, 4, 0.5, 1)
	for i := range 600 {
		p.Q.(*Linear).X.(*linalg.Dense).Row(i)[1] += 2 // b is not 0
	}
	st, err := prepare(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := newSmoother(st)
	for range 4 {
		w.clip()
		if _, ok := w.newton(w.residual()); !ok {
			t.Fatal("no step")
		}
		want := make([]float64, 600)
		st.f.Apply(want, w.v)
		linalg.Axpy(want, 1, st.lin)
		linalg.Axpy(want, -w.b, st.s)
		linalgtest.CloseSlice(t, "r", w.r, want, 1e-12)
	}
	if math.Abs(w.b) < 0.1 {
		t.Errorf("b = %g", w.b)
	}
}

// Wherever the caller ends it, α meets the equality.
func TestSmoothStopsFeasible(t *testing.T) {
	p := svm(27, 600, 4, 0.3, 1)
	p.Sum = 5
	stop := errors.New("enough")
	for last := range 12 {
		calls := 0
		r, err := Solve(p, &Options{Trace: func(optimize.Step) error {
			if calls++; calls > last {
				return stop
			}
			return nil
		}})
		if r == nil {
			t.Fatal(err)
		}
		if miss := linalg.Dot(p.Sign, r.Alpha) - 5; !(math.Abs(miss) <= 1e-9) {
			t.Errorf("stopped at call %d: the equality is missed by %g", last, miss)
		}
	}
}

// Where it is not meant to work it makes no step; the others solve the problem.
func TestSmoothGivesUp(t *testing.T) {
	for name, c := range map[string]func(p *Problem){
		"an infinite bound": func(p *Problem) { p.Upper[7] = math.Inf(1) },
		"no linear terms":   func(p *Problem) { clear(p.Linear); p.Sum = 2 },
	} {
		p := svm(22, 300, 5, 0.5, 1)
		c(p)
		if r, it := smoothed(t, p); r.res != nil || it != 0 {
			t.Errorf("%s: %d steps", name, it)
		}
		r, err := Solve(p, nil)
		check(t, p, r, err, 1e-8)
	}
	if r, _ := smoothed(t, svm(22, 40, 5, 0.5, 1)); r.res != nil {
		t.Error("40 variables in 5 dimensions")
	}
}

// The zone never holds fewer variables than can be free, and less of the rest.
func TestSmoothNarrows(t *testing.T) {
	p := svm(23, 900, 4, 0.5, 1)
	p.Upper[0] = 0
	st, err := prepare(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &smoother{state: st, omega: 4, r: linalgtest.Normal(1, 1, 900).Data}
	w.r[0] = 0 // without room: it does not count
	zone := func() (n int) {
		for i, r := range w.r {
			if i > 0 && math.Abs(r) <= w.omega/2 {
				n++
			}
		}
		return n
	}
	for narrowed := 0; ; narrowed++ {
		before := w.omega
		if !w.narrowZone() {
			if narrowed == 0 || zone() > 4*6 || w.omega != before {
				t.Errorf("%d in the zone after %d times", zone(), narrowed)
			}
			return
		}
		if w.omega < before/zoneRatio || w.omega > 0.7*before || zone() <= 6 {
			t.Fatalf("ω from %g to %g, %d in the zone", before, w.omega, zone())
		}
	}
}

func TestSolveBitsDoNotDependOnWorkers(t *testing.T) {
	p := svm(24, 12000, 50, 0.5, 1)
	p.Q.(*Linear).Origin = make([]float64, 50)
	var want *Result
	for _, workers := range []int{1, 2, 5} {
		p.Q.(*Linear).Workers = workers
		r, err := Solve(p, nil)
		check(t, p, r, err, 1e-8)
		if want == nil {
			want = r
		}
		if !slices.Equal(r.Alpha, want.Alpha) || !slices.Equal(r.V, want.V) || r.Multiplier != want.Multiplier {
			t.Errorf("%d workers: other bits", workers)
		}
	}
}

// Few weights that are not 0: the rows are brought together first.
func TestLinearGramOfSomeRows(t *testing.T) {
	x, d := linalgtest.Normal(5, 9000, 7), make([]float64, 9000)
	r := rand.New(rand.NewPCG(5, 5))
	for range 3000 {
		d[r.IntN(len(d))] = r.Float64()
	}
	l := &Linear{X: x, Origin: linalgtest.Normal(6, 1, 7).Data, Sign: slices.Repeat([]float64{1}, 9000)}
	want := linalg.Gram(x, l.Origin, d, 1)
	linalgtest.CloseSlice(t, "Gram", l.Gram(d).Data, want.Data, 1e-12)
	clear(d)
	linalgtest.CloseSlice(t, "of no rows", l.Gram(d).Data, make([]float64, 49), 0)
}

// A variable that leaves the equations leaves those of the others as if it had
// never been there.
func TestBlockDrops(t *testing.T) {
	p := svm(25, 200, 6, 0.5, 1)
	st, err := prepare(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	free := make([]int, 100)
	for i := range free {
		free[i] = i
	}
	k := newBlock(st, free, false)
	for _, a := range []int{99, 0, 50, 51, 1} {
		if !k.drop(a) {
			t.Fatalf("cannot drop %d", a)
		}
		m := k.square()
		for i := range m.Rows {
			m.Row(i)[i] += k.delta
		}
		l, made := k.chol.L(), linalg.Zeros(m.Rows, m.Rows)
		for i := range m.Rows {
			for j := range m.Rows {
				made.Set(i, j, linalg.Dot(l.Row(i), l.Row(j)))
			}
			linalgtest.CloseSlice(t, "LLᵀ", made.Row(i), m.Row(i), 1e-12)
		}
	}
}

// counted counts the products with all rows.
type counted struct {
	*Linear
	products *int
	rows     *int // that were copied
}

func (c counted) AddRow(dst []float64, i int, f float64) {
	*c.rows++
	c.Linear.AddRow(dst, i, f)
}

func (c counted) Apply(dst, v []float64) {
	*c.products++
	c.Linear.Apply(dst, v)
}

func (c counted) ApplyT(dst, r []float64) {
	*c.products++
	c.Linear.ApplyT(dst, r)
}

// The solution of a problem of other bounds leaves few variables to the solver, and few products with
// all rows; one that is wrong leaves the solution what it is.
func TestNeighborsLeaveFewVariables(t *testing.T) {
	for name, change := range map[string]func(p *Problem){
		"soft margin":  func(*Problem) {},
		"through zero": func(p *Problem) { p.Sign = nil },
		"lower bounds": func(p *Problem) { p.Lower = slices.Repeat([]float64{-0.3}, len(p.Linear)) },
		"sum":          func(p *Problem) { p.Sum = 3.5 },
		"fixed":        func(p *Problem) { clear(p.Upper[:100]) },
	} {
		products, rows := 0, 0
		pose := func(price float64) *Problem {
			p := svm(5, 4000, 5, 0.5, price)
			p.Q = counted{p.Q.(*Linear), &products, &rows}
			change(p)
			return p
		}
		near, _, err := solve(pose(1), nil, measured)
		if err != nil {
			t.Fatal(name, err)
		}
		p := pose(1.15)
		products = 0
		want, _, err := solve(p, &Options{Tol: 1e-10}, measured)
		check(t, p, want, err, 1e-10)
		cold := products
		products = 0
		r, by, err := solve(p, &Options{Tol: 1e-10, Near: near}, measured)
		check(t, p, r, err, 1e-10)
		if by != stages[0].name || 2*products > cold || r.Report.Iterations() > nearRounds {
			t.Errorf("%s: %s in %d steps, %d products where there were %d", name, by, r.Report.Iterations(), products, cold)
		}
		linalgtest.Close(t, name, r.Objective/want.Objective, 1, 1e-11)
		wrong := &Result{V: linalgtest.Normal(9, 1, 5).Data, Multiplier: 50}
		r, _, err = solve(p, &Options{Tol: 1e-10, Near: wrong}, measured)
		check(t, p, r, err, 1e-10)
		linalgtest.Close(t, name+", far from its neighbour", r.Objective/want.Objective, 1, 1e-11)
		enough := errors.New("enough")
		r, _, err = solve(p, &Options{Tol: 1e-10, Near: near, Trace: func(optimize.Step) error { return enough }}, measured)
		if !errors.Is(err, enough) || r.Report.Status() != optimize.Stopped {
			t.Errorf("%s: %v, %v", name, r.Report, err)
		}
	}
}

// Along prices most solutions are found beside those before, of rows whose entries have long tails, some of them a thousand
// times as large as others, and of columns whose units differ by as much, at prices whose rounding leaves gradients few digits.
func TestNeighborsOfRowsOfManySizes(t *testing.T) {
	for name, resize := range map[string]func(i, j int, u float64) float64{
		"long tails": func(_, _ int, u float64) float64 { return 1 / math.Sqrt(1-u) },
		"units":      func(_, j int, _ float64) float64 { return math.Pow(10, float64(j%9)-4) },
	} {
		for _, first := range []float64{1, 1e-3, 1e3}[:linalgtest.Rounds(3, 3)] {
			var near *Result
			beside, price, prices := 0, first, 8
			for range prices {
				p := svm(5, 6000, 30, 0.3, price)
				x, u := p.Q.(*Linear).X.(*linalg.Dense), rand.New(rand.NewPCG(6, 6))
				for i := range x.Rows {
					for j := range x.Row(i) {
						x.Row(i)[j] *= resize(i, j, u.Float64())
					}
				}
				o := &Options{Near: near}
				if near != nil {
					o.Start = linalg.Clone(near.Alpha)
					linalg.Scale(o.Start, 1.15)
				}
				r, by, err := solve(p, o, measured)
				check(t, p, r, err, 1e-8)
				if by == stages[0].name {
					beside++
				}
				near, price = r, price*1.15
			}
			if beside < prices-2 {
				t.Errorf("%s, prices from %g: %d of %d solutions beside those before", name, first, beside, prices)
			}
		}
	}
}

// Where the rows of a rare class lie among the others f is −1 of nearly all, on the corner of which they lie: the
// neighbour tells the bounds of none, and few rows are copied to see that.
func TestNeighborsOnTheMarginTellNothing(t *testing.T) {
	products, rows := 0, 0
	pose := func(price float64) *Problem {
		p := svm(5, 4000, 2, 0, price)
		for i := range p.Sign {
			p.Sign[i] = -1
			if i%80 == 0 {
				p.Sign[i] = 1
			}
		}
		p.Q = counted{p.Q.(*Linear), &products, &rows}
		return p
	}
	for _, price := range []float64{0.3, 1} {
		near, _, err := solve(pose(price), nil, measured)
		if err != nil {
			t.Fatal(err)
		}
		start := linalg.Clone(near.Alpha)
		linalg.Scale(start, 1.15)
		c, err := newChain(pose(1.15*price), &Options{Near: near, Start: start}, measured)
		if err != nil {
			t.Fatal(err)
		}
		rows = 0
		if c.beside(); rows > 3000 {
			t.Errorf("price %g: %d rows copied", price, rows)
		}
	}
}
