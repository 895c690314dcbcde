package qp

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// sparseSVM returns the dual of a soft margin on rows of which few values are stored,
// with labels that no plane explains. Some rows are empty, unless columns are more than twice as many.
func sparseSVM(seed uint64, n, p int, share, c float64) *Problem {
	x := linalgtest.Thinned(seed, n, p, share)
	s := make([]float64, n)
	for i := range s {
		s[i] = 1
		if linalg.Sum(x.Row(i)[:p/2])+0.3*float64(i%3-1) < 0 {
			s[i] = -1
		}
		if p > 2*n {
			x.Row(i)[i]++
		}
	}
	return &Problem{Q: &Linear{X: linalgtest.Sparse(x), Sign: s, Workers: 2}, Linear: slices.Repeat([]float64{-1}, n), Sign: s, Upper: slices.Repeat([]float64{c}, n)}
}

// patient are thresholds by which the augmented Lagrangian is not left for the rows that it reads.
var patient = thresholdsWith(func(t *thresholds) { t.briefRows = math.Inf(1) })

// The augmented Lagrangian, and of long rows coordinate descent, solve soft margins and tubes, with prices
// of 0 and without an equality, and certify them.
func TestSparseRows(t *testing.T) {
	linalgtest.SkipSlow(t)
	t.Run("short", func(t *testing.T) { testSparseRows(t, 300, "augmented Lagrangian") })
	t.Run("long", func(t *testing.T) { testSparseRows(t, 3000, "dual coordinate descent") })
}

func testSparseRows(t *testing.T, columns int, method string) {
	for _, c := range []float64{1e-3, 0.1, 1, 30, 1e4} {
		for form, change := range map[string]func(*Problem){
			"soft margin":  func(*Problem) {},
			"through zero": func(p *Problem) { p.Sign = nil },
			"deleted rows": func(p *Problem) { p.Upper[3], p.Upper[7], p.Upper[8] = 0, 0, 5*c },
			"another sum":  func(p *Problem) { p.Sum = 2.5 * c },
			"tube": func(p *Problem) {
				l := p.Q.(*Linear)
				both := append(slices.Repeat([]float64{1}, 400), slices.Repeat([]float64{-1}, 400)...)
				p.Q, p.Sign, p.Upper, p.Linear = l.With(both), both, slices.Repeat([]float64{c}, 800), slices.Repeat([]float64{0.1}, 800)
				for i, s := range l.Sign {
					p.Linear[i] -= s
					p.Linear[400+i] += s
				}
			},
		} {
			p := sparseSVM(uint64(math.Float64bits(c)>>40), 400, columns, 0.05, c)
			change(p)
			r, by, err := solve(p, &Options{Tol: 1e-7}, patient)
			if by != method {
				t.Errorf("%s, C %g: by %q", form, c, by)
			}
			check(t, p, r, err, 1e-7)
		}
	}
}

// The augmented Lagrangian solves dense rows of many columns as it does sparse ones, where it takes less time than
// the interior point, to which it leaves the others.
func TestDenseRows(t *testing.T) {
	linalgtest.SkipSlow(t)
	brief := "augmented Lagrangian for some steps"
	for _, c := range []struct {
		c, apart float64
		by       string
	}{{1e-4, 0.02, brief}, {1e-3, 0.02, brief}, {1, 9, brief}, {100, 9, brief}, {1, 0.02, "interior point to a rough gap"}} {
		p := svm(7, 1000, 300, c.apart, c.c)
		r, by, err := solve(p, &Options{Tol: 1e-7}, measured)
		if by != c.by {
			t.Errorf("C %g, means %g apart: by %q after %d steps", c.c, c.apart, by, r.Report.Iterations())
		}
		check(t, p, r, err, 1e-7)
		sparse, l := *p, p.Q.(*Linear)
		sparse.Q = &Linear{X: linalgtest.Sparse(l.X.(*linalg.Dense)), Sign: l.Sign}
		same, err := Solve(&sparse, &Options{Tol: 1e-10})
		check(t, &sparse, same, err, 1e-10)
		linalgtest.Close(t, "objective", r.Objective, same.Objective, 2e-7)
		about := *p
		origin := slices.Repeat([]float64{40}, 300)
		about.Q = &Linear{X: far(l.X.(*linalg.Dense), origin), Origin: origin, Sign: l.Sign}
		if same, by, err = solve(&about, &Options{Tol: 1e-7}, measured); by != c.by {
			t.Errorf("C %g, means %g apart, far from 0: by %q", c.c, c.apart, by)
		}
		check(t, &about, same, err, 1e-7)
		linalgtest.Close(t, "objective", r.Objective, same.Objective, 2e-7)
	}
}

// What is left of the rows ends the augmented Lagrangian, within a zone's last products.
func TestAugmentedLagrangianForSomeRows(t *testing.T) {
	p := svm(7, 600, 250, 0.02, 1)
	st, err := prepare(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []float64{1e4, 1e5} {
		w, left := newLagrangian(st.clone()), most
		w.left = &left
		if r := w.run(1e-9); r.res.Report.Status() != optimize.LineSearch || left > 0 || left < -6*600 {
			t.Errorf("%v: %g of %g rows are left", r.res.Report, left, most)
		}
	}
}

// A start that is nearly right saves steps.
func TestAugmentedLagrangianFromAStart(t *testing.T) {
	p := sparseSVM(5, 2000, 1000, 0.02, 1)
	cold, err := Solve(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Upper {
		p.Upper[i] *= 1.05
	}
	start := make([]float64, 2000)
	linalg.Axpy(start, 1.05, cold.Alpha)
	warm, err := Solve(p, &Options{Start: start})
	check(t, p, warm, err, 1e-8)
	if 4*warm.Report.Iterations() > 3*cold.Report.Iterations() {
		t.Errorf("%d steps, %d without the start", warm.Report.Iterations(), cold.Report.Iterations())
	}
}

// Coordinate descent ends where the caller says so, and goes on from a start.
func TestDualCoordinateDescentEnds(t *testing.T) {
	p := sparseSVM(3, 200, 2000, 0.02, 1)
	whole, by, err := solve(p, nil, measured)
	check(t, p, whole, err, 1e-8)
	if by != "dual coordinate descent" {
		t.Fatalf("by %q", by)
	}
	if r, err := Solve(p, &Options{MaxIter: 3}); !errors.Is(err, optimize.ErrNotConverged) ||
		r.Report.Status() != optimize.MaxIterations || r.Report.Iterations() != 3 || !(r.Gap > whole.Gap) {
		t.Errorf("%v, %v", r.Report, err)
	}
	enough, shown := errors.New("enough"), 0
	r, err := Solve(p, &Options{Trace: func(s optimize.Step) error {
		if shown++; shown == 4 {
			return enough
		}
		return nil
	}})
	if !errors.Is(err, enough) || r.Report.Status() != optimize.Stopped || shown != 4 {
		t.Errorf("%v, %v after %d", r.Report, err, shown)
	}
	hard := *p
	hard.Upper = nil
	r, by, err = solve(&hard, nil, measured)
	if check(t, &hard, r, err, 1e-8); by == "dual coordinate descent" {
		t.Error("it has a turn where prices are infinite")
	}
	warm, err := Solve(p, &Options{Start: whole.Alpha})
	check(t, p, warm, err, 1e-8)
	if 2*warm.Report.Iterations() > whole.Report.Iterations() {
		t.Errorf("%d passes from the solution, %d from 0", warm.Report.Iterations(), whole.Report.Iterations())
	}
}

// The bits of a solution do not depend on the number of workers.
func TestAugmentedLagrangianOnAnyWorkers(t *testing.T) {
	linalgtest.SkipSlow(t)
	var first *Result
	for _, workers := range []int{1, 2, 3} {
		p := sparseSVM(8, 3000, 5000, 0.004, 1)
		p.Q.(*Linear).Workers = workers
		r, err := Solve(p, nil)
		check(t, p, r, err, 1e-8)
		if first == nil {
			first = r
		}
		for i, a := range r.Alpha {
			if a != first.Alpha[i] {
				t.Fatalf("%d workers: α[%d] is %v, with one %v", workers, i, a, first.Alpha[i])
			}
		}
	}
}

// Where classes are apart and columns are of all frequencies the equations of small gaps are
// those of the rows: they take few steps.
func TestAugmentedLagrangianToASmallGap(t *testing.T) {
	linalgtest.SkipSlow(t)
	const n, p = 400, 4000
	x := linalgtest.Thinned(21, n, p, 0.01)
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(2*(i%2) - 1)
		for j := range 30 {
			x.Row(i)[j*j] += 0.3 // columns that most rows have
		}
	}
	for c, most := range map[float64]int{100: 200, 1e5: 600} {
		r, by, err := solve(&Problem{Q: &Linear{X: linalgtest.Sparse(x), Sign: s}, Linear: slices.Repeat([]float64{-1}, n), Sign: s, Upper: slices.Repeat([]float64{c}, n)}, &Options{Tol: 1e-11}, patient)
		if k := r.Report.Iterations(); err != nil || by != "augmented Lagrangian" || k > most {
			t.Errorf("C %g: %v after %d steps by %s: %v", c, r.Report, k, by, err)
		}
	}
}

// Where conjugate gradients solve the equations neither in the columns nor in the rows, the zone
// becomes wider and stays so, and the equations those in the columns.
func TestZonesWhoseEquationsAreNotSolvedBecomeWider(t *testing.T) {
	const n = 1200
	start, index, value := []int{0}, []int32{}, []float64{}
	for i := range n { // each row meets the next, so that conjugate gradients take a step for each
		index, value = append(index, int32(i), int32(i+1)), append(value, 1, -1)
		start = append(start, len(index))
	}
	x, err := linalg.NewCSR(n, n+1, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	c, err := newChain(&Problem{Q: &Linear{X: x, Sign: slices.Repeat([]float64{1}, n)}, Linear: slices.Repeat([]float64{-1}, n), Upper: slices.Repeat([]float64{1}, n)}, nil, measured)
	if err != nil {
		t.Fatal(err)
	}
	w := newLagrangian(c.state)
	z := newZone(w.l, slices.Repeat([]float64{1e12}, n), false, nil)
	w.at[n/2] = 1
	for k, want := range []float64{4, 4, 4, 8, 16} {
		if w.solve(z, 0); w.omega != want || w.stiff != (want == 4) {
			t.Fatalf("after %d failures ω is %g, in the rows: %v", k+1, w.omega, w.stiff)
		}
	}
	w.newly, w.most = 1, 0
	if w.moveCenter(); w.omega != 16 {
		t.Errorf("the next center has ω %g", w.omega)
	}
}

// Hulls of sparse rows of many columns, of which most are in the solution, take fewer steps
// than there are rows in it.
func TestNearestPointsOfManySparseRows(t *testing.T) {
	linalgtest.SkipSlow(t)
	const n, p = 500, 5000
	x := linalgtest.Thinned(4, n, p, 0.006)
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(2*(i%2) - 1)
		x.Row(i)[i]++
	}
	for _, sign := range [][]float64{s, nil} {
		near, err := NearestPoints(&Hulls{Points: &Linear{X: linalgtest.Sparse(x), Sign: s}, Sign: sign}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if steps := near.Report.Iterations(); 2*steps > len(near.Points) || len(near.Points) < n/2 {
			t.Errorf("%d points after %d steps", len(near.Points), steps)
		}
		m := near.Separation() / linalg.Norm(near.Difference)
		d := make([]float64, p)
		gamma := make([]float64, n)
		for k, i := range near.Points {
			gamma[i] = near.Weights[k]
		}
		(&Linear{X: x, Sign: s}).ApplyT(d, gamma)
		if gap := 1 - m*m/linalg.Dot(d, d); !(gap <= 1e-8 && gap > -1e-12) {
			t.Errorf("gap %g, certificate %g", gap, near.Report.Certificate().Value)
		}
	}
}

// A trace that stops them says so in an error of this package, as that of other hulls.
func TestTracesThatStopSparseHulls(t *testing.T) {
	const n, p = 20, 250
	x, sign, enough := linalgtest.Thinned(4, n, p, 0.02), make([]float64, n), errors.New("enough")
	for i := range sign {
		sign[i] = float64(2*(i%2) - 1)
		x.Row(i)[i]++
	}
	for _, rows := range []linalg.Rows{x, linalgtest.Sparse(x)} {
		h := &Hulls{Points: &Linear{X: rows, Sign: sign}, Sign: sign}
		near, err := NearestPoints(h, &HullOptions{Trace: func(optimize.Step) error { return enough }})
		if near == nil || !errors.Is(err, enough) || near.Report.Status() != optimize.Stopped {
			t.Fatalf("%T: %v, %v", rows, near, err)
		}
		if text := err.Error(); !strings.HasPrefix(text, "qp: ") || strings.Count(text, "qp: ") != 1 {
			t.Errorf("%T: %v", rows, err)
		}
	}
}

// Where no prices lead to points that are near enough, Wolfe's algorithm finds them: of factors whose levels carry the plane.
func TestNearestPointsWherePricesDoNotServe(t *testing.T) {
	if os.Getenv("HALFSPACE_LONG") == "" {
		t.Skip("a test of 10 s")
	}
	const n, p, factors = 20_000, 500, 10
	r := rand.New(rand.NewPCG(5, 6))
	w, x, s := linalgtest.Normal(7, 1, p).Row(0), linalg.Zeros(n, p), make([]float64, n)
	for i := range s {
		score := 0.0
		for f := range factors {
			j := f*p/factors + r.IntN(p/factors)
			x.Set(i, j, 1)
			score += w[j]
		}
		s[i] = math.Copysign(1, score)
	}
	near, err := NearestPoints(&Hulls{Points: &Linear{X: linalgtest.Sparse(x), Sign: s}, Sign: s}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if gap := 1 - math.Pow(near.Separation()/linalg.Dot(near.Difference, near.Difference), 2); !(gap <= 1e-8) || len(near.Points) < p/2 {
		t.Errorf("%d points, gap %g", len(near.Points), gap)
	}
}

// Sparse rows have no origin but 0.
func TestSparseRowsAboutAnOriginAreRefused(t *testing.T) {
	x, s := linalgtest.Sparse(linalgtest.Thinned(3, 4, 3, 0.5)), slices.Repeat([]float64{1}, 4)
	l := &Linear{X: x, Sign: s, Origin: []float64{0, 1, 0}}
	if r, err := Solve(&Problem{Q: l, Linear: slices.Repeat([]float64{-1}, 4), Upper: s}, nil); err == nil {
		t.Errorf("solved about an origin: %v", r.Report)
	}
	if near, err := NearestPoints(&Hulls{Points: l}, nil); err == nil {
		t.Errorf("nearest points about an origin: %v", near.Report)
	}
}

// Moderate prices that many multipliers reach are left before their problem is solved.
func TestPricesThatManyReachAreLeftSoon(t *testing.T) {
	p := sparseSVM(9, 2000, 300, 0.03, 100)
	c, err := newChain(p, &Options{Tol: 1e-6}, measured)
	if err != nil {
		t.Fatal(err)
	}
	e := c.rise(1, 10, 0, func(*state, float64) bool { return false })
	steps := c.progress.Report().Iterations()
	if t.Logf("%d steps, %d multipliers reach the price", steps, e.at.reaching(reached)); steps > 10 || e.inside || e.ended {
		t.Errorf("left after %d steps: %+v", steps, e)
	}
}

// Products with the columns take their sums of pieces from those before them: a fit of many sparse
// columns makes thousands, each of them as long as a row of the dense matrix.
func TestSumsOfPiecesAreUsedAgain(t *testing.T) {
	const n, p = 600, 20_000
	start, index, value := []int{0}, []int32(nil), []float64(nil)
	for i := range n {
		for j := range int32(2) {
			index, value = append(index, j*(p-1)), append(value, float64(i%5+1))
		}
		start = append(start, len(index))
	}
	x, err := linalg.NewCSR(n, p, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 3} {
		l := &Linear{X: x, Sign: slices.Repeat([]float64{1}, n), Workers: workers}
		dst, r := make([]float64, p), slices.Repeat([]float64{1}, n)
		product := func() { l.ApplyT(dst, r) }
		product()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 10 {
			product()
		}
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 8*p {
			t.Errorf("%d workers: ten products make %d bytes", workers, made)
		}
		if dst[0] != 3*n || dst[p-1] != 3*n || dst[1] != 0 {
			t.Errorf("%d workers: %v, %v, want %v", workers, dst[0], dst[p-1], 3*n)
		}
	}
}

// A center whose point is predicted well takes no step of Newton's method: 58 are made where each does.
func TestGoodPredictionsTakeNoStep(t *testing.T) {
	const n, p = 600, 900
	x := linalgtest.Thinned(8, n, p, 0.03)
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(2*(i%2) - 1)
	}
	r, by, err := solve(&Problem{Q: &Linear{X: linalgtest.Sparse(x), Sign: s}, Linear: slices.Repeat([]float64{-1}, n), Sign: s, Upper: slices.Repeat([]float64{1}, n)}, &Options{Tol: 1e-12}, measured)
	if k := r.Report.Iterations(); err != nil || by != "augmented Lagrangian" || k > 50 {
		t.Errorf("%v after %d steps by %s: %v", r.Report, k, by, err)
	}
}
