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

// dense is a Q that is simply there.
type dense struct{ *linalg.Dense }

func (d dense) Len() int { return d.Rows }
func (d dense) Diag(dst []float64) {
	for i := range dst {
		dst[i] = d.At(i, i)
	}
}
func (d dense) Row(dst []float64, i int, cols []int) {
	if cols == nil {
		copy(dst, d.Dense.Row(i))
		return
	}
	for k, j := range cols {
		dst[k] = d.At(i, j)
	}
}

// svm returns the dual of a soft margin on two normal clouds.
func svm(seed uint64, n, p int, sep, c float64) *Problem {
	x := linalgtest.Normal(seed, n, p)
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(1 - 2*(i%2))
		x.Row(i)[0] += s[i] * sep
	}
	return &Problem{Q: &Linear{X: x, Sign: s, Workers: 1}, Linear: slices.Repeat([]float64{-1}, n), Sign: s, Upper: slices.Repeat([]float64{c}, n)}
}

// check recomputes gradient, gap and feasibility from α and v alone.
func check(t *testing.T, p *Problem, r *Result, err error, tol float64) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if r.Report.Status() != optimize.Converged || !r.Report.Certificate().Holds() {
		t.Errorf("report %+v", r.Report)
	}
	g := make([]float64, len(r.Alpha))
	drift := 0.0
	if f, ok := p.Q.(Factored); ok {
		v := make([]float64, f.Rank())
		f.ApplyT(v, r.Alpha)
		linalg.Axpy(v, -1, r.V)
		drift = linalg.Dot(v, v) / 2
		f.Apply(g, r.V)
	} else {
		p.Q.MulVec(g, r.Alpha)
	}
	linalg.Axpy(g, 1, p.Linear)
	gap, kkt := p.Gap(r.Alpha, g, r.Multiplier)
	gap += drift
	scale := max(1, math.Abs(r.Bound))
	if p.Upper != nil && gap > tol*scale {
		t.Errorf("gap %g above %g of %g", gap, tol, scale)
	}
	if p.Upper == nil && kkt > tol*max(1, linalg.NormInf(p.Linear)) {
		t.Errorf("kkt %g", kkt)
	}
	for i, a := range r.Alpha {
		if p.Lower == nil && a < 0 || p.Lower != nil && a < p.Lower[i] || p.Upper != nil && a > p.Upper[i] {
			t.Errorf("α[%d] = %g is outside its bounds", i, a)
		}
	}
	if p.Sign != nil {
		if d := math.Abs(linalg.Dot(p.Sign, r.Alpha) - p.Sum); d > 1e-9*max(1, linalg.NormInf(r.Alpha)) {
			t.Errorf("the equality is missed by %g", d)
		}
	}
}

// solvers are the ways to the same solution. The interior point needs a factor, so
// it is given its own.
var solvers = map[string]func(*Problem, *Options) (*Result, error){
	"Solve": Solve,
	"SMO":   SMO,
	"SMO, Polish": func(p *Problem, o *Options) (*Result, error) {
		r, err := SMO(p, &Options{Tol: 1e-3})
		if err != nil {
			return r, err
		}
		return polish(p, &Options{Tol: o.Tol, Start: r.Alpha})
	},
	"Polish alone": func(p *Problem, o *Options) (*Result, error) {
		return polish(p, &Options{Tol: o.Tol, Start: make([]float64, p.Q.Len())})
	},
}

func TestFormsOfTheProblem(t *testing.T) {
	for name, c := range map[string]func(p *Problem){
		"soft margin":   func(*Problem) {},
		"through zero":  func(p *Problem) { p.Sign = nil },
		"row bounds":    func(p *Problem) { p.Upper[3], p.Upper[4], p.Upper[5] = 0, 0.1, 5 },
		"lower bounds":  func(p *Problem) { p.Lower = slices.Repeat([]float64{-0.3}, len(p.Linear)) },
		"sum":           func(p *Problem) { p.Sum = 3.5 },
		"linear terms":  func(p *Problem) { p.Linear[7], p.Linear[8] = 4, -9 },
		"all at bounds": func(p *Problem) { p.Upper = slices.Repeat([]float64{1e-6}, len(p.Linear)) },
	} {
		t.Run(name, func(t *testing.T) {
			p := svm(1, 120, 3, 0.7, 1)
			c(p)
			want := math.NaN()
			for name, solve := range solvers {
				r, err := solve(p, &Options{Tol: 1e-9})
				check(t, p, r, err, 1e-9)
				if want != want {
					want = r.Objective
				}
				linalgtest.Close(t, name, r.Objective, want, 2e-9)
			}
			for name, solve := range map[string]func(*Problem, *Options) (*Result, error){"InteriorPoint": interiorPoint, "SMO": SMO} {
				r, err := solve(p, &Options{Tol: 1e-9, CacheBytes: 1})
				check(t, p, r, err, 1e-9)
				linalgtest.Close(t, name, r.Objective, want, 2e-9)
			}
		})
	}
}

// A brute-force minimum over the faces of a small box.
func TestAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for range 200 {
		m := 2 + rng.IntN(4)
		a := linalg.Zeros(m, m)
		for i := range a.Data {
			a.Data[i] = rng.NormFloat64()
		}
		p := &Problem{Q: dense{linalg.Gram(a, nil, nil, 1)}, Linear: make([]float64, m), Upper: slices.Repeat([]float64{1 + rng.Float64()}, m)}
		for i := range p.Linear {
			p.Linear[i] = rng.NormFloat64()
		}
		if rng.IntN(2) == 0 {
			p.Sign = make([]float64, m)
			for i := range p.Sign {
				p.Sign[i] = float64(1 - 2*rng.IntN(2))
			}
			if rng.IntN(2) == 0 {
				p.Sum = 0.3 * p.Sign[0]
			}
		}
		best := enumerate(p, m)
		for name, solve := range solvers {
			r, err := solve(p, &Options{Tol: 1e-11})
			check(t, p, r, err, 1e-11)
			linalgtest.Close(t, name, r.Objective, best, 1e-9)
		}
	}
}

// enumerate solves the stationarity equations on every face of the box.
func enumerate(p *Problem, m int) float64 {
	best := math.Inf(1)
	q := p.Q.(dense)
	faces := 1
	for range m {
		faces *= 3
	}
	for f := range faces {
		var free []int
		x := make([]float64, m)
		for i, k := 0, f; i < m; i, k = i+1, k/3 {
			switch k % 3 {
			case 1:
				x[i] = p.Upper[i]
			case 2:
				free = append(free, i)
			}
		}
		n := len(free)
		if p.Sign != nil {
			n++
		}
		a, b := linalg.Zeros(max(n, 1), max(n, 1)), make([]float64, n)
		for r, i := range free {
			b[r] = -p.Linear[i] - linalg.Dot(q.Dense.Row(i), x)
			for c, j := range free {
				a.Set(r, c, q.At(i, j))
			}
			if p.Sign != nil {
				a.Set(r, n-1, p.Sign[i])
				a.Set(n-1, r, p.Sign[i])
			}
		}
		if p.Sign != nil {
			b[n-1] = p.Sum - linalg.Dot(p.Sign, x)
		}
		if !gauss(a, b, n) {
			continue
		}
		ok := true
		for r, i := range free {
			x[i] = b[r]
			ok = ok && x[i] >= -1e-12 && x[i] <= p.Upper[i]+1e-12
		}
		if p.Sign != nil && math.Abs(linalg.Dot(p.Sign, x)-p.Sum) > 1e-9 || !ok {
			continue
		}
		g := make([]float64, m)
		p.Q.MulVec(g, x)
		best = min(best, linalg.Dot(x, g)/2+linalg.Dot(p.Linear, x))
	}
	return best
}

func gauss(a *linalg.Dense, b []float64, n int) bool {
	for k := range n {
		piv := k
		for i := k; i < n; i++ {
			if math.Abs(a.At(i, k)) > math.Abs(a.At(piv, k)) {
				piv = i
			}
		}
		if math.Abs(a.At(piv, k)) < 1e-9 {
			return false
		}
		for j := range n {
			x, y := a.At(k, j), a.At(piv, j)
			a.Set(k, j, y)
			a.Set(piv, j, x)
		}
		b[k], b[piv] = b[piv], b[k]
		for i := range n {
			if i == k {
				continue
			}
			f := a.At(i, k) / a.At(k, k)
			for j := k; j < n; j++ {
				a.Set(i, j, a.At(i, j)-f*a.At(k, j))
			}
			b[i] -= f * b[k]
		}
	}
	for k := range n {
		b[k] /= a.At(k, k)
	}
	return true
}

// A v beside Aᵀα is paid for: the gap is that of the pair.
func TestGapCountsTheDrift(t *testing.T) {
	p := svm(14, 60, 3, 0.5, 1)
	st, err := prepare(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range st.alpha {
		st.alpha[i] = 0.5
	}
	st.refresh()
	base := st.result(0).Gap
	st.v[1] += 3
	moved, _ := p.Gap(st.alpha, st.grad, 0)
	linalgtest.Close(t, "the drift's share", st.result(0).Gap-moved, 4.5, 1e-12)
	linalgtest.Close(t, "before", base, moved, 1e-12)
}

func TestPolisherCountsCorrections(t *testing.T) {
	p := svm(7, 300, 5, 0.5, 1)
	shown := 0
	r, err := polish(p, &Options{Trace: func(s optimize.Step) error {
		if s.Iteration != shown {
			t.Errorf("correction %d is shown as %d", shown, s.Iteration)
		}
		shown++
		return nil
	}})
	check(t, p, r, err, 1e-8)
	if n := r.Report.Iterations(); n < 5 || shown != n+1 {
		t.Errorf("%d corrections, %d shown", n, shown)
	}
	r, err = polish(p, &Options{MaxIter: 4})
	if !errors.Is(err, optimize.ErrNotConverged) || r.Report.Status() != optimize.MaxIterations || r.Report.Iterations() != 4 {
		t.Errorf("cap: %+v, %v", r.Report, err)
	}
}

// The methods of a solution count as one: where one takes over it shows the
// iteration at which the last has ended, and the report has the steps of all.
func TestSolveCountsTheStepsOfAllMethods(t *testing.T) {
	hard := svm(5, 300, 4, 3, 1)
	hard.Upper = nil // no finite bounds: interior point and polisher
	wide := svm(6, 60, 300, 0.5, 10)
	for name, c := range map[string]struct {
		p       *Problem
		methods int
	}{"smoothed dual": {svm(21, 1500, 5, 0.5, 1), 2}, "interior point": {hard, 2}, "pairs, shown now and then": {wide, 1}} {
		last, methods := 0, 1
		r, err := Solve(c.p, &Options{Trace: func(s optimize.Step) error {
			switch {
			case s.Iteration == last && s.Iteration > 0:
				methods++
			case s.Iteration < last:
				t.Errorf("%s: iteration %d is shown after %d", name, s.Iteration, last)
			}
			last = s.Iteration
			return nil
		}})
		if err != nil || r.Report.Iterations() < last || r.Report.Iterations() == 0 || methods < c.methods {
			t.Errorf("%s: %v, %+v, last shown %d, methods %d", name, err, r.Report, last, methods)
		}
	}
}

// The shape of the problem and its bounds decide which stage solves it, and all the
// steps that were shown count.
func TestSolveChoosesAStage(t *testing.T) {
	tall, wide, free := svm(3, 400, 4, 0.5, 1), svm(4, 60, 300, 0.5, 1), svm(3, 400, 4, 3, 1)
	free.Upper = nil
	near, err := Solve(tall, nil)
	if err != nil {
		t.Fatal(err)
	}
	linalg.Scale(near.Alpha, 1-0x1p-20) // its own certificate does not hold any more
	for what, c := range map[string]struct {
		p     *Problem
		start []float64
		by    string
	}{
		"many rows":                 {tall, nil, "Newton on the smoothed dual"},
		"many rows, a good start":   {tall, near.Alpha, "polisher from the caller's start"},
		"many rows, a bad start":    {tall, slices.Repeat([]float64{1}, 400), "Newton on the smoothed dual"},
		"few rows for the columns":  {svm(5, 90, 4, 0.5, 1), nil, "interior point to a rough gap"},
		"no upper bounds":           {free, nil, "interior point to a rough gap"},
		"more columns than rows":    {wide, nil, "interior point to a rough gap"},
		"and few steps":             {svm(4, 60, 300, 0.5, 1e-3), nil, "SMO for some steps"},
		"no factor, but the matrix": {&Problem{Q: square(wide.Q), Linear: wide.Linear, Sign: wide.Sign, Upper: wide.Upper}, nil, "SMO to a rough gap"},
	} {
		last := 0
		r, by, err := solve(c.p, &Options{Start: c.start, Trace: func(s optimize.Step) error {
			if s.Iteration < last {
				t.Errorf("%s: iteration %d after %d", what, s.Iteration, last)
			}
			last = s.Iteration
			return nil
		}}, thresholdsWith(func(t *thresholds) { t.alwaysThin = 100 }))
		if err != nil || by != c.by || r.Report.Iterations() != last {
			t.Errorf("%s: by %q after %d steps, the last shown is %d, %v", what, by, r.Report.Iterations(), last, err)
		}
	}
}

// thresholdsWith returns the measured thresholds with a change.
func thresholdsWith(set func(*thresholds)) thresholds {
	t := measured
	set(&t)
	return t
}

// square returns Q as a matrix that is simply there.
func square(q Matrix) dense {
	d := dense{linalg.Zeros(q.Len(), q.Len())}
	for i := range q.Len() {
		q.Row(d.Dense.Row(i), i, nil)
	}
	return d
}

// A stage that fails farther from the solution than one before it leaves that one's
// result, for which all the steps count; the caller's end is the last word.
func TestSolveKeepsTheSmallerGap(t *testing.T) {
	c, err := newChain(svm(6, 50, 3, 0.5, 1), nil, measured)
	if err != nil {
		t.Fatal(err)
	}
	ended := func(gap float64, s optimize.Status, steps int) outcome {
		for range steps {
			c.progress.Count()
		}
		c.progress.End(s)
		r := c.clone().result(0)
		r.Gap = gap
		return outcome{res: r, err: r.Report.Err(nil)}
	}
	c.keep(ended(math.NaN(), optimize.LineSearch, 0))
	near := ended(1, optimize.LineSearch, 10)
	c.keep(near)
	c.keep(ended(2, optimize.MaxIterations, 20))
	if c.best.res != near.res || c.best.res.Report.Iterations() != 30 || !errors.Is(c.best.err, optimize.ErrNotConverged) {
		t.Errorf("%+v, %v", c.best.res.Report, c.best.err)
	}
	nearer := ended(0.5, optimize.LineSearch, 40)
	if c.keep(nearer); c.best.res != nearer.res {
		t.Error("a smaller gap was not kept")
	}
	stopped := ended(3, optimize.Stopped, 50)
	if c.keep(stopped); c.best.res != stopped.res {
		t.Error("the caller's end is not the last word")
	}
}

// diagonal is a Q without other entries.
type diagonal []float64

func (d diagonal) Len() int           { return len(d) }
func (d diagonal) Diag(dst []float64) { copy(dst, d) }
func (d diagonal) Row(dst []float64, i int, cols []int) {
	clear(dst)
	for k := range dst {
		if cols == nil && k == i || cols != nil && cols[k] == i {
			dst[k] = d[i]
		}
	}
}
func (d diagonal) MulVec(dst, a []float64) {
	for i, v := range d {
		dst[i] = v * a[i]
	}
}

// Without a linear term 0 is the solution, whatever the bounds; with a sum sparse rows are left to SMO.
func TestNoLinearTerm(t *testing.T) {
	for _, upper := range [][]float64{nil, slices.Repeat([]float64{1}, 60)} {
		p := &Problem{Q: svm(7, 60, 3, 0.5, 1).Q, Linear: make([]float64, 60), Upper: upper}
		r, by, err := solve(p, nil, measured)
		if err != nil || by != "" || r.Report.Iterations() != 0 || linalg.NormInf(r.Alpha) != 0 {
			t.Errorf("by %q: %v, %v", by, r.Report, err)
		}
	}
	p := sparseSVM(7, 60, 5000, 0.05, 1)
	p.Linear, p.Sign, p.Sum = make([]float64, 60), slices.Repeat([]float64{1}, 60), 3
	r, by, err := solve(p, nil, measured)
	check(t, p, r, err, 1e-8)
	if by != "SMO to a rough gap" || !(r.Objective > 0) {
		t.Errorf("by %s: %v", by, r.Report)
	}
}

// More free variables than the polisher has equations for: SMO goes on to the
// tolerance. On paper αᵢ = (1 + b)/Qᵢᵢ, and b = −½ halves the sum.
func TestSolveGoesOnWithoutThePolisher(t *testing.T) {
	few := thresholdsWith(func(t *thresholds) { t.mostFree = 300 })
	d, sum := make(diagonal, few.mostFree+100), 0.0
	for i := range d {
		d[i] = 1 + float64(i%7)
		sum += 0.5 / d[i]
	}
	p := &Problem{Q: d, Linear: slices.Repeat([]float64{-1}, len(d)), Upper: slices.Repeat([]float64{2}, len(d)), Sign: slices.Repeat([]float64{1}, len(d)), Sum: sum}
	r, by, err := solve(p, &Options{Tol: 1e-5}, few)
	check(t, p, r, err, 1e-5)
	if by != "SMO to the tolerance" {
		t.Errorf("by %s", by)
	}
	linalgtest.Close(t, "b", r.Multiplier, -0.5, 1e-2)
}

// After the augmented Lagrangian alone SMO takes all the steps that it needs, and begins where the chain did unless
// the Lagrangian has come below that.
func TestSMOAfterTheAugmentedLagrangian(t *testing.T) {
	const n = 250
	p := sparseSVM(71, n, 300, 0.05, 1e4)
	half, all := slices.Repeat([]float64{1e-3}, n), slices.Repeat([]float64{1e4}, n)
	for what, best := range map[string]struct {
		alpha     []float64
		objective float64
		begins    []float64
	}{"above the start": {all, 7e6, make([]float64, n)}, "not a number": {all, math.NaN(), make([]float64, n)}, "below the start": {half, -1e-3, half}} {
		var first []float64
		c, err := newChain(p, &Options{Tol: 1e-7, Trace: func(s optimize.Step) error {
			if first == nil {
				first = slices.Clone(s.X)
			}
			return nil
		}}, thresholdsWith(func(t *thresholds) { t.alwaysThin, t.widestThin, t.spareSteps = 100, 200, 1 }))
		if err != nil {
			t.Fatal(err)
		}
		at := c.at(&Result{Alpha: best.alpha, Gradient: c.grad, V: c.v})
		at.refresh()
		at.progress.End(optimize.LineSearch)
		c.best = at.finish(0)
		c.best.res.Objective = best.objective
		r := c.pairsRough()
		if r.err != nil || r.res.Report.Iterations() < 1000 || !slices.Equal(first, best.begins) {
			t.Errorf("%s: %v after a start at %g …, %v", what, r.res.Report, first[:2], r.err)
		}
	}
	c, err := newChain(svm(5, 90, 4, 0.5, 1), nil, measured)
	if err != nil {
		t.Fatal(err)
	}
	if r := c.interiorRough(); r.err != nil || linalg.NormInf(c.alpha) != 0 {
		t.Errorf("the interior point moves the chain's start to %v, %v", c.alpha, r.err)
	}
}
