package linalg_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

func mustQR(t testing.TB, x *linalg.Dense) *linalg.QR {
	t.Helper()
	q, err := linalg.NewQR(x)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// scaleColumns returns a copy of x with column j times f(j).
func scaleColumns(x *linalg.Dense, f func(j int) float64) *linalg.Dense {
	x = x.Clone()
	for i := range x.Rows {
		for j := range x.Cols {
			x.Set(i, j, x.At(i, j)*f(j))
		}
	}
	return x
}

// kahan returns Kahan's triangle, whose last column looks independent to
// pivoting without being far from the others.
func kahan(n int, theta float64) *linalg.Dense {
	a := linalg.Zeros(n, n)
	s, c := math.Sincos(theta)
	for i := range n {
		f := math.Pow(s, float64(i))
		a.Set(i, i, f)
		for j := i + 1; j < n; j++ {
			a.Set(i, j, -f*c)
		}
	}
	return a
}

func TestQRBackwardError(t *testing.T) {
	for _, n := range sizes(t) {
		for _, p := range []int{1, 2, 7, 40, 65} {
			x := linalgtest.Normal(uint64(n*p), n, p)
			for name, x := range map[string]*linalg.Dense{
				"random":      x,
				"columns":     scaleColumns(x, func(j int) float64 { return math.Pow(10, float64(37*j%301-150)) }),
				"rows":        trans(scaleColumns(trans(x), func(i int) float64 { return math.Pow(10, float64(37*i%301-150)) })),
				"rank 2":      mul(linalgtest.Normal(1, n, 2), linalgtest.Normal(2, 2, p)),
				"zero":        linalg.Zeros(n, p),
				"ones":        ones(n, p),
				"subnormal":   scaled(x.Clone(), 1e-310),
				"almost huge": scaled(x.Clone(), 1e306),
			} {
				checkQR(t, fmt.Sprintf("%s, %d × %d", name, n, p), x)
			}
		}
	}
	for _, n := range []int{5, 12, 30} {
		checkQR(t, "Hilbert", hilbert(n))
		checkQR(t, "Kahan", kahan(n, 1.2))
	}
}

// checkQR verifies that QR = XP in each column relative to that column, that Q
// is orthogonal and that the diagonal of R does not grow.
func checkQR(t *testing.T, name string, x *linalg.Dense) {
	t.Helper()
	before := slices.Clone(x.Data)
	q := mustQR(t, x)
	if !slices.Equal(x.Data, before) {
		t.Fatalf("%s: x was changed", name)
	}
	n, p := x.Dims()
	r := q.R()
	if r.Rows != min(n, p) || r.Cols != p {
		t.Fatalf("%s: R is %d × %d", name, r.Rows, r.Cols)
	}
	last := 1.0
	for k := range r.Rows {
		size := linalg.Norm(x.Col(nil, q.Perm()[k]))
		if size == 0 {
			continue
		}
		share := math.Abs(r.At(k, k)) / size
		if !(share <= last*(1+1e-6)+1e-15) {
			t.Errorf("%s: %g of pivot %d is left, but %g of the one before", name, share, k, last)
		}
		last = share
	}
	for j := range p {
		// In the unit of the column, so that no size of the data hides an error.
		want := x.Col(nil, q.Perm()[j])
		unit := linalg.NormInf(want)
		if unit == 0 {
			unit = 1
		}
		got := make([]float64, n)
		for i := range r.Rows {
			got[i] = r.At(i, j) / unit
			if i > j && got[i] != 0 {
				t.Fatalf("%s: R[%d][%d] = %g", name, i, j, got[i])
			}
		}
		q.MulQ(got)
		for i := range got {
			got[i] -= want[i] / unit
		}
		tol := 1e-14 * math.Sqrt(float64(n))
		if unit < 0x1p-1022 {
			tol = math.Max(tol, 1e-13+4*math.SmallestNonzeroFloat64/unit)
		}
		if d := linalg.NormInf(got); !(d <= tol) {
			t.Errorf("%s: column %d of QR−XP is %g of its size", name, j, d)
			return
		}
	}
	for i := range n {
		e := make([]float64, n)
		e[i] = 1
		q.MulQ(e)
		if d := math.Abs(linalg.Norm(e) - 1); !(d <= 1e-13) {
			t.Errorf("%s: Qe%d has length 1 + %g", name, i, d)
		}
		q.MulQT(e)
		e[i]--
		if d := linalg.NormInf(e); !(d <= 1e-13) {
			t.Errorf("%s: QᵀQe%d−e%d is %g", name, i, i, d)
		}
	}
}

func TestQRRank(t *testing.T) {
	for _, s := range []struct {
		n, p, rank int
	}{{30, 8, 3}, {30, 8, 8}, {8, 30, 5}, {8, 30, 8}, {1, 4, 1}, {4, 1, 1}, {300, 40, 39}} {
		x := mul(linalgtest.Normal(1, s.n, s.rank), linalgtest.Normal(2, s.rank, s.p))
		for _, base := range []float64{1, 1e-12, 1e5} {
			q := mustQR(t, scaleColumns(x, func(j int) float64 { return math.Pow(base, float64(j%3-1)) }))
			if q.Rank() != s.rank || len(q.Dependent()) != s.p-s.rank {
				t.Errorf("%d × %d of rank %d, scale %g: rank %d, dependent %d", s.n, s.p, s.rank, base, q.Rank(), q.Dependent())
			}
		}
	}
	if q := mustQR(t, linalg.Zeros(3, 2)); q.Rank() != 0 || !slices.Equal(q.Dependent(), []int{0, 1}) {
		t.Errorf("zero: rank %d, dependent %d", q.Rank(), q.Dependent())
	}
	x := linalgtest.Normal(3, 9, 4)
	for i := range x.Rows {
		x.Row(i)[0] = 0
	}
	if q := mustQR(t, x); q.Rank() != 3 || !slices.Equal(q.Dependent(), []int{0}) {
		t.Errorf("zero column: rank %d, dependent %d", q.Rank(), q.Dependent())
	}
	if q := mustQR(t, linalg.Identity(2)); q.Dependent() != nil {
		t.Errorf("identity: dependent %d", q.Dependent())
	}
}

func TestQRRankNearDependence(t *testing.T) {
	for _, c := range []struct {
		off  float64
		rank int
	}{{1e-6, 4}, {1e-10, 4}, {1e-14, 3}, {0, 3}} {
		x := linalgtest.Normal(9, 100, 4)
		for i := range x.Rows {
			r := x.Row(i)
			r[2] = r[0] - r[1] + c.off*r[2]
		}
		if q := mustQR(t, x); q.Rank() != c.rank {
			t.Errorf("column off by %g: rank %d, want %d", c.off, q.Rank(), c.rank)
		}
	}
}

// The condition of Hilbert matrices shows in R: the last diagonal element falls
// like the distance to the nearest singular matrix.
func TestQRHilbert(t *testing.T) {
	for _, n := range []int{3, 6, 9} {
		h := hilbert(n)
		q := mustQR(t, h)
		if q.Rank() != n {
			t.Errorf("n = %d: rank %d", n, q.Rank())
		}
		b := make([]float64, n)
		for i := range b { // Σⱼ h[i][j], summed from the small end
			for j := n - 1; j >= 0; j-- {
				b[i] += h.At(i, j)
			}
		}
		x := make([]float64, n)
		if rss := q.Solve(x, b); rss > 1e-14 {
			t.Errorf("n = %d: residual %g", n, rss)
		}
		// Condition numbers 5.24e2, 1.50e7, 4.93e11 (Higham, table 28.1).
		linalgtest.CloseSlice(t, "solution", x, ones(1, n).Data, 1e-15*[]float64{3: 5.24e2, 6: 1.5e7, 9: 4.93e11}[n])
	}
	if q := mustQR(t, hilbert(14)); q.Rank() >= 14 {
		t.Errorf("n = 14, condition 1e19: rank %d", q.Rank())
	}
}

func TestQRSolve(t *testing.T) {
	x, y := linalgtest.Normal(1, 60, 7), linalgtest.Normal(2, 60, 1).Data
	for i := range x.Rows {
		x.Row(i)[4] = 3*x.Row(i)[1] - x.Row(i)[6]
	}
	q := mustQR(t, x)
	keep := slices.Clone(y)
	for name, solve := range map[string]func(dst, y []float64) float64{"basic": q.Solve, "minimum norm": q.SolveMinNorm} {
		b := make([]float64, 7)
		rss := solve(b, y)
		if !slices.Equal(y, keep) {
			t.Fatalf("%s: y was changed", name)
		}
		r := slices.Clone(y)
		for i := range r {
			r[i] -= linalg.Dot(x.Row(i), b)
		}
		linalgtest.Close(t, name+": residual", rss, linalg.Norm(r), 1e-14)
		g := make([]float64, 7)
		linalg.MulTVec(g, x, r, 1)
		if d := linalg.NormInf(g); d > 1e-12 {
			t.Errorf("%s: Xᵀr is %g", name, d)
		}
		switch name {
		case "basic":
			if d := q.Dependent(); len(d) != 1 || b[d[0]] != 0 {
				t.Errorf("dependent %d, coefficients %g", d, b)
			}
		default:
			// The null space is spanned by (0, 3, 0, 0, −1, 0, −1).
			if d := 3*b[1] - b[4] - b[6]; !(math.Abs(d) <= 1e-14) {
				t.Errorf("the solution has a part %g in the null space", d)
			}
		}
	}
}

func TestQRSolveWide(t *testing.T) {
	x, y := linalgtest.Normal(3, 5, 12), linalgtest.Normal(4, 5, 1).Data
	b := make([]float64, 12)
	if rss := mustQR(t, x).SolveMinNorm(b, y); rss != 0 {
		t.Errorf("residual %g", rss)
	}
	fit := make([]float64, 5)
	x.MulVec(fit, b)
	linalgtest.CloseSlice(t, "fit", fit, y, 1e-14)
	// b lies in the row space: b = Xᵀc.
	if rss := mustQR(t, trans(x)).Solve(make([]float64, 5), b); rss > 1e-14 {
		t.Errorf("%g of the solution is outside the row space", rss)
	}
	for _, unit := range []float64{0x1p600, 0x1p-600} { // exact, and its squares leave the range
		scaled, v := x.Clone(), make([]float64, 12)
		linalg.Scale(scaled.Data, unit)
		mustQR(t, scaled).SolveMinNorm(v, y)
		linalg.Scale(v, unit)
		linalgtest.CloseSlice(t, fmt.Sprintf("in units of %g", 1/unit), v, b, 1e-15)
	}
	clear(b)
	if rss := mustQR(t, linalg.Zeros(5, 12)).SolveMinNorm(b, y); rss != linalg.Norm(y) || linalg.NormInf(b) != 0 {
		t.Errorf("zero matrix: residual %g, solution %g", rss, b)
	}
}

func TestQRBadInput(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := linalgtest.Normal(1, 9, 4)
		x.Set(5, 2, bad)
		var e *linalg.NonFiniteError
		if _, err := linalg.NewQR(x); !errors.As(err, &e) || e.Row != 5 || e.Col != 2 {
			t.Error(err)
		}
		if _, err := linalg.NewSVD(x); !errors.As(err, &e) || e.Row != 5 || e.Col != 2 {
			t.Error(err)
		}
		if _, err := linalg.NewTallQR(x, nil, nil, nil, 1); !errors.As(err, &e) || e.Row != 5 || e.Col != 2 {
			t.Error(err)
		}
		if err := linalg.CheckRank(x, nil, true, 1); !errors.As(err, &e) || e.Row != 5 || e.Col != 2 {
			t.Error(err)
		}
	}
	var e *linalg.ShapeError
	if _, err := linalg.NewQR(nil); !errors.As(err, &e) {
		t.Error(err)
	}
}

func ExampleQR() {
	x, _ := linalg.FromRows([][]float64{{1, 1, 2}, {1, 2, 4}, {1, 3, 6}, {1, 4, 8}})
	q, err := linalg.NewQR(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := make([]float64, 3)
	rss := q.SolveMinNorm(b, []float64{6, 5, 7, 10})
	fmt.Println("rank", q.Rank(), "dependent", len(q.Dependent()))
	fmt.Printf("%.2f, residual %.4f\n", b, rss)
	// Output:
	// rank 2 dependent 1
	// [3.50 0.28 0.56], residual 2.0494
}
