package qp

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// matrixOf returns Q of a kernel by its rows.
func matrixOf(q Matrix) *linalg.Dense {
	d := linalg.Zeros(q.Len(), q.Len())
	for i := range d.Rows {
		q.Row(d.Row(i), i, nil)
	}
	return d
}

// isMatrix compares all that a Matrix tells of itself with a matrix.
func isMatrix(t *testing.T, q Matrix, want *linalg.Dense, a []float64) {
	t.Helper()
	m := q.Len()
	linalgtest.CloseSlice(t, "rows", matrixOf(q).Data, want.Data, 1e-13)
	diag, some := make([]float64, m), make([]float64, 3)
	q.Diag(diag)
	cols := []int{1, 4, m - 1}
	for i := range m {
		linalgtest.Close(t, "diagonal", diag[i], want.At(i, i), 1e-13)
		q.Row(some, i, cols)
		linalgtest.CloseSlice(t, "columns", some, []float64{want.At(i, 1), want.At(i, 4), want.At(i, m-1)}, 1e-13)
	}
	got, product := make([]float64, m), make([]float64, m)
	q.MulVec(got, a)
	want.MulVec(product, a)
	linalgtest.CloseSlice(t, "product", got, product, 1e-12)
}

func TestLinearIsOneMatrix(t *testing.T) {
	x := linalgtest.Normal(1, 7, 3)
	for name, l := range map[string]*Linear{
		"plain":    {X: x, Sign: []float64{1, -1, 1, 1, -1, -1, 1}},
		"origin":   {X: x, Origin: []float64{3, -1, 0.5}, Sign: []float64{1, -1, 1, 1, -1, -1, 1}},
		"repeated": {X: x, Origin: []float64{3, -1, 0.5}, Sign: append(slices.Repeat([]float64{1}, 7), slices.Repeat([]float64{-1}, 7)...)},
		"blocks":   {X: linalgtest.OddBlocks{X: x}, Origin: []float64{3, -1, 0.5}, Sign: append(slices.Repeat([]float64{1}, 7), slices.Repeat([]float64{-1}, 7)...)},
	} {
		t.Run(name, func(t *testing.T) {
			m := l.Len()
			want := linalg.Zeros(m, m)
			for i := range m {
				for j := range m {
					for k := range 3 {
						c := 0.0
						if l.Origin != nil {
							c = l.Origin[k]
						}
						want.Row(i)[j] += l.Sign[i] * l.Sign[j] * (x.At(i%7, k) - c) * (x.At(j%7, k) - c)
					}
				}
			}
			a := linalgtest.Normal(2, 1, m).Data
			for _, q := range []Matrix{l, &rowProducts{l, l.Products()}} {
				isMatrix(t, q, want, a)
			}
			v, w := make([]float64, 3), make([]float64, 3)
			l.ApplyT(v, a)
			for i, f := range a {
				l.AddRow(w, i, f)
			}
			linalgtest.CloseSlice(t, "Aᵀa", v, w, 1e-13)
			for _, weight := range [][]float64{slices.Repeat([]float64{0.5}, m), append(make([]float64, m-2), 3, 0.5)} {
				g, unit := l.Gram(weight), make([]float64, m)
				for k := range 3 {
					e := make([]float64, 3)
					e[k] = 1
					l.Apply(unit, e)
					for i, d := range weight {
						unit[i] *= d
					}
					l.ApplyT(e, unit)
					linalgtest.CloseSlice(t, "Gram", g.Row(k), e, 1e-12)
				}
			}
		})
	}
}

// One problem, its Q once with a factor and once by its rows alone.
func TestSolveWithoutAFactor(t *testing.T) {
	p := svm(6, 150, 4, 0.5, 1)
	want, err := Solve(p, nil)
	check(t, p, want, err, 1e-8)
	q := *p
	q.Q = dense{matrixOf(p.Q)}
	got, err := Solve(&q, nil)
	check(t, &q, got, err, 1e-8)
	linalgtest.Close(t, "objective", got.Objective, want.Objective, 1e-10)
	linalgtest.CloseSlice(t, "α", got.Alpha, want.Alpha, 1e-6)
	linalgtest.Close(t, "multiplier", got.Multiplier, want.Multiplier, 1e-8)
}

// More columns than rows: SMO and Polish, the interior point not being for it.
func TestSolveWide(t *testing.T) {
	p := svm(7, 40, 300, 0.1, 1)
	r, err := Solve(p, nil)
	check(t, p, r, err, 1e-8)
	ip, err := interiorPoint(p, nil)
	check(t, p, ip, err, 1e-8)
	linalgtest.Close(t, "objective", r.Objective, ip.Objective, 1e-7)
}

// Infinite bounds: the hard margin's dual.
func TestSolveWithoutUpperBounds(t *testing.T) {
	p := svm(8, 60, 3, 6, 1)
	p.Upper = nil
	want := math.NaN()
	for name, solve := range solvers {
		r, err := solve(p, &Options{})
		check(t, p, r, err, 1e-8)
		if want != want {
			want = r.Objective
		}
		linalgtest.Close(t, name, r.Objective, want, 1e-7)
	}
}

func TestInteriorPointStops(t *testing.T) {
	p := svm(2, 400, 5, 0.3, 10)
	for name, solve := range map[string]func(*Problem, *Options) (*Result, error){"InteriorPoint": interiorPoint, "Solve": Solve} {
		r, err := solve(p, &Options{MaxIter: 3})
		if !errors.Is(err, optimize.ErrNotConverged) || r == nil || r.Report.Status() != optimize.MaxIterations || r.Report.Iterations() != 3 {
			t.Errorf("%s: cap: %v", name, err)
		}
		stop, calls := errors.New("enough"), 0
		r, err = solve(p, &Options{Trace: func(s optimize.Step) error {
			if s.Iteration != calls || len(s.X) != 400 {
				t.Errorf("%s: step %d is called %d, X has %d values", name, calls, s.Iteration, len(s.X))
			}
			if calls++; calls == 5 {
				return stop
			}
			return nil
		}})
		if !errors.Is(err, stop) || r == nil || r.Report.Status() != optimize.Stopped || calls != 5 {
			t.Errorf("%s: trace: %v", name, err)
		}
		for _, a := range r.Alpha {
			if !(a >= 0 && a <= 10) {
				t.Fatalf("%s: α = %g", name, a)
			}
		}
	}
}

// A wrong guess is corrected, and what lies at a bound lies there exactly.
func TestPolishIsExact(t *testing.T) {
	p := svm(9, 300, 4, 0.5, 2)
	r, err := interiorPoint(p, &Options{Tol: 1e-3})
	check(t, p, r, err, 1e-3)
	start := slices.Clone(r.Alpha)
	for i := range 10 {
		start[i] = 2 - start[i]
	}
	exact, err := polish(p, &Options{Start: start, Tol: 1e-12})
	check(t, p, exact, err, 1e-12)
	free := 0
	for _, a := range exact.Alpha {
		if a > 0 && a < 2 {
			free++
			if a < 1e-9 || a > 2-1e-9 {
				t.Errorf("α = %g is neither at a bound nor clear of it", a)
			}
		}
	}
	if free > 5 {
		t.Errorf("%d free multipliers in %d dimensions", free, 4)
	}
	if !slices.Equal(start[10:], r.Alpha[10:]) {
		t.Error("the start was written to")
	}
}

// Far from 0, without an equality that would let the origin move, and with bounds
// of 1e12 no digits are left: it finishes, says so, and stays inside the bounds.
func TestSolveSaysWhatItCannotDo(t *testing.T) {
	p := svm(12, 30, 3, 0.3, 1e12)
	x := p.Q.(*Linear).X.(*linalg.Dense)
	for i := range x.Data {
		x.Data[i] = math.Round(x.Data[i]) + 1e4
	}
	p.Sign = nil
	r, err := Solve(p, nil)
	if r == nil {
		t.Fatal(err)
	}
	if (err == nil) != r.Report.Certificate().Holds() || err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("%v with %+v", err, r.Report)
	}
	for _, a := range r.Alpha {
		if !(a >= 0 && a <= 1e12) {
			t.Fatalf("α = %g", a)
		}
	}
}

func TestSMOShrinksAndLooksAgain(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 600
	}
	p := svm(10, n, 5, 0.8, 1)
	small, err := SMO(p, &Options{CacheBytes: 1 << 16})
	check(t, p, small, err, 1e-8)
	large, err := SMO(p, nil)
	check(t, p, large, err, 1e-8)
	linalgtest.Close(t, "objective", small.Objective, large.Objective, 1e-7)
	exact, err := Solve(p, nil)
	check(t, p, exact, err, 1e-8)
	linalgtest.Close(t, "objective", large.Objective, exact.Objective, 1e-7)
}

// Whatever was set aside, rightly or not, the end is that of the whole problem.
func TestSMOLooksAtWhatItSetAside(t *testing.T) {
	p := svm(13, 200, 3, 0.4, 1)
	want, err := Solve(p, nil)
	check(t, p, want, err, 1e-8)
	st, err := prepare(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := newSMO(st, defaultCache)
	w.c.shrink([]int{0, 1, 2, 3, 50, 99, 100, 101})
	w.active = w.c.cols
	r := w.run(1e-8)
	check(t, p, r.res, r.err, 1e-8)
	linalgtest.Close(t, "objective", r.res.Objective, want.Objective, 1e-7)
	if looked := w.certified(1e-8); !looked || len(w.active) != 200 {
		t.Errorf("the last look was at %d of 200 variables", len(w.active))
	}
}

func TestCacheKeepsTheActiveColumns(t *testing.T) {
	q := dense{linalg.Gram(linalgtest.Normal(11, 20, 9), nil, nil, 1)}
	c := newCache(q, 8*9*3)
	want := func(i int) {
		t.Helper()
		row := c.row(i)
		for k, j := range c.cols {
			if row[k] != q.At(i, j) {
				t.Fatalf("row %d, column %d: %g, want %g", i, j, row[k], q.At(i, j))
			}
		}
	}
	for i := range 9 {
		want(i)
		want(max(0, i-2))
	}
	held := func() (n int) {
		for _, r := range c.rows {
			if r != nil {
				n++
			}
		}
		return n
	}
	if held() != 3 {
		t.Errorf("%d rows held, there is room for 3", held())
	}
	c.shrink([]int{0, 3, 4, 8})
	for i := range 9 {
		want(i)
	}
	if held() <= 3 {
		t.Errorf("%d short rows held", held())
	}
	c.unshrink()
	for i := range 9 {
		want(i)
	}
}

// Where rounding drives the steps away, they end at the best point that they passed.
func TestIncumbent(t *testing.T) {
	st := &state{alpha: []float64{1}, v: []float64{2}}
	w := &ipm{state: st, v: st.v, best: incumbent{merit: math.Inf(1)}}
	for _, merit := range []float64{5, 3, 4} {
		st.alpha[0], st.v[0] = merit, 2*merit
		w.best.keep(st.alpha, st.v, 3*merit, merit)
	}
	w.back()
	if st.alpha[0] != 3 || st.v[0] != 6 || w.b != 9 {
		t.Errorf("α %v, v %v, b %v are not those of merit 3", st.alpha, st.v, w.b)
	}
}

// A diagonal that is raised is that of the matrix, of which the factor that failed has left nothing.
func TestRaisedDiagonalIsThatOfTheMatrix(t *testing.T) {
	k := &linalg.Dense{Rows: 2, Cols: 2, Stride: 2, Data: []float64{4, 4, 4, 4 * (1 - 0x1p-53)}}
	chol, raised := raise(linalg.Zeros(2, 2), k, mostRaised, 1)
	if chol == nil || !raised {
		t.Fatal("not raised")
	}
	x := []float64{8, 8}
	chol.Solve(x)
	if sum := x[0] + x[1]; !(math.Abs(sum-2) <= 1e-12) {
		t.Errorf("x adds up to %v, not 2", sum)
	}
}
