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

// hilbert returns 1/(i+j+1), of condition about 33^n/4.
func hilbert(n int) *linalg.Dense {
	a := linalg.Zeros(n, n)
	for i := range n {
		for j := range n {
			a.Set(i, j, 1/float64(i+j+1))
		}
	}
	return a
}

// onScales returns SAS with scales from 1e-12 to 1e12.
func onScales(a *linalg.Dense) *linalg.Dense {
	n := a.Rows
	b := linalg.Zeros(n, n)
	s := func(i int) float64 { return math.Pow(10, -12+24*float64(i*7%n)/float64(n)) }
	for i := range n {
		for j := range n {
			b.Set(i, j, a.At(i, j)*s(i)*s(j))
		}
	}
	return b
}

func mustCholesky(t *testing.T, a *linalg.Dense) *linalg.Cholesky {
	t.Helper()
	c, err := linalg.NewCholesky(a)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCholeskyBackwardError(t *testing.T) {
	for _, n := range sizes(t) {
		for name, a := range map[string]*linalg.Dense{
			"random": spd(uint64(n), n),
			"scales": onScales(spd(uint64(n), n)),
			"tiny":   scaled(spd(uint64(n), n), 1e-290),
			"huge":   scaled(spd(uint64(n), n), 1e290),
		} {
			before := slices.Clone(a.Data)
			l := mustCholesky(t, a).L()
			if !slices.Equal(a.Data, before) {
				t.Fatalf("%s, n = %d: the matrix was changed", name, n)
			}
			b := mul(l, trans(l))
			for i := range n {
				for j := range n {
					size := math.Sqrt(a.At(i, i)) * math.Sqrt(a.At(j, j))
					if d := math.Abs(b.At(i, j) - a.At(i, j)); !(d <= float64(n+1)*0x1p-53*size) {
						t.Fatalf("%s, n = %d: (LLᵀ−A)[%d][%d] = %g, √aᵢᵢaⱼⱼ = %g", name, n, i, j, d, size)
					}
					if j > i && l.At(i, j) != 0 {
						t.Fatalf("%s, n = %d: L[%d][%d] = %g", name, n, i, j, l.At(i, j))
					}
				}
			}
		}
	}
}

// The bits of a large factor do not depend on the goroutines that share its work, and it is
// a factor there too.
func TestCholeskyOnGoroutines(t *testing.T) {
	linalgtest.SkipEmulated(t)
	a := spd(5, 700)
	c := mustCholesky(t, a)
	shared, err := linalg.NewCholeskyIn(a.Clone(), 3)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.L().Data, shared.L().Data) {
		t.Error("the factor of three goroutines is another")
	}
	x := linalgtest.Normal(6, 700, 1).Data
	b := make([]float64, 700)
	linalg.MulVec(b, a, x, 1)
	c.Solve(b)
	for i, v := range x {
		linalgtest.Close(t, "x", b[i], v, 1e-7)
	}
}

func TestInverseDiagonal(t *testing.T) {
	most := 530
	if linalgtest.Slow() {
		most = 270
	}
	for _, p := range []int{1, 40, 256, most} {
		c := mustCholesky(t, spd(7, p))
		inverse, got := c.Inverse(), c.InverseDiagonal(1)
		for j, v := range got {
			linalgtest.Close(t, fmt.Sprintf("element %d of %d", j, p), v/inverse.At(j, j), 1, 1e-12)
		}
		if !slices.Equal(got, c.InverseDiagonal(3)) {
			t.Errorf("%d: three goroutines give another diagonal", p)
		}
	}
}

func TestCholeskyReadsTheLowerTriangle(t *testing.T) {
	a := spd(1, 70)
	want := mustCholesky(t, a).L()
	for i := range 70 {
		for j := i + 1; j < 70; j++ {
			a.Set(i, j, math.NaN())
		}
	}
	if got := mustCholesky(t, a).L(); !slices.Equal(got.Data, want.Data) {
		t.Error("the upper triangle matters")
	}
}

func TestCholeskyNotPositiveDefinite(t *testing.T) {
	for _, n := range []int{1, 2, 33, 80} {
		for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
			for _, k := range []int{0, n / 2, n - 1} {
				a := linalg.Identity(n)
				a.Set(k, k, bad)
				_, err := linalg.NewCholesky(a)
				var e *linalg.PivotError
				if !errors.As(err, &e) || e.Pivot != k || e.Value != bad && bad == bad {
					t.Errorf("n = %d, diagonal %d is %v: %v", n, k, bad, err)
				}
				if k == 0 {
					continue
				}
				a = linalg.Identity(n)
				a.Set(k, 0, bad)
				if _, err := linalg.NewCholesky(a); bad != 0 && !errors.As(err, &e) {
					t.Errorf("n = %d, element (%d, 0) is %v: %v", n, k, bad, err)
				}
			}
		}
	}
	var e *linalg.ShapeError
	if _, err := linalg.NewCholesky(linalg.Zeros(3, 2)); !errors.As(err, &e) {
		t.Error(err)
	}
}

func TestCholeskySolves(t *testing.T) {
	for _, n := range sizes(t) {
		a := spd(uint64(n), n)
		c := mustCholesky(t, a)
		tol := 1e-13 / 3 * norm1(a) * norm1(c.Inverse())
		want := linalgtest.Normal(5, n, 3)
		b := mul(a, want)
		for j := range 3 {
			x := b.Col(nil, j)
			c.Solve(x)
			linalgtest.CloseSlice(t, fmt.Sprintf("solution, n = %d", n), x, want.Col(nil, j), tol)
		}
		f := b.Clone()
		c.SolveMatrix(b)
		if d := maxDiff(b, want); !(d <= tol) {
			t.Errorf("n = %d: SolveMatrix is off by %g", n, d)
		}
		c.Forward(f)
		if d := maxDiff(f, mul(trans(c.L()), want)); !(d <= tol*norm(c.L())) {
			t.Errorf("n = %d: Forward is off by %g", n, d)
		}
		if d := maxDiff(mul(c.InverseL(2), c.L()), linalg.Identity(n)); !(d <= tol) {
			t.Errorf("n = %d: L⁻¹L−I is %g", n, d)
		}
		if d := maxDiff(mul(c.Inverse(), a), linalg.Identity(n)); !(d <= tol) {
			t.Errorf("n = %d: A⁻¹A−I is %g", n, d)
		}
	}
}

func TestCholeskyLogDet(t *testing.T) {
	a := onScales(spd(3, 60))
	want := 0.0
	e, err := linalg.SymEigenValues(spd(3, 60))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range e {
		want += math.Log(v) + 2*math.Ln10*(-12+24*float64(i*7%60)/60)
	}
	linalgtest.Close(t, "log det", mustCholesky(t, a).LogDet(), want, 1e-11)
}

func TestCholeskyUpdate(t *testing.T) {
	for _, n := range sizes(t) {
		a := spd(uint64(n), n)
		v := linalgtest.Normal(7, 1, n).Data
		b := a.Clone()
		for i := range n {
			linalg.Axpy(b.Row(i), v[i], v)
		}
		c := mustCholesky(t, a)
		c.Update(v)
		if d := maxDiff(mul(c.L(), trans(c.L())), b); !(d <= 1e-14*norm(b)) {
			t.Errorf("n = %d: updated LLᵀ is off by %g", n, d)
		}
	}
	whole, last := mustCholesky(t, spd(3, 5)), mustCholesky(t, spd(3, 5))
	whole.Update([]float64{0, 0, 3, -1, 2})
	if last.Update([]float64{3, -1, 2}); !slices.Equal(whole.L().Data, last.L().Data) {
		t.Error("an update by the last values differs from one by all")
	}
}

func norm1(a *linalg.Dense) float64 {
	m := 0.0
	for j := range a.Cols {
		s := 0.0
		for _, v := range a.Col(nil, j) {
			s += math.Abs(v)
		}
		m = max(m, s)
	}
	return m
}

func TestPivotedCholeskyFindsTheRank(t *testing.T) {
	for _, rank := range []int{1, 2, 7, 20} {
		x := mul(linalgtest.Normal(1, 50, rank), linalgtest.Normal(2, rank, 20))
		a := onScales(linalg.Gram(x, nil, nil, 1))
		c, err := linalg.NewPivotedCholesky(a, 1e-13)
		if err != nil {
			t.Fatal(err)
		}
		if c.Rank() != rank {
			t.Errorf("rank %d, found %d, pivots %g", rank, c.Rank(), c.Pivots)
		}
		perm := slices.Sorted(slices.Values(c.Perm))
		for i, j := range perm {
			if i != j {
				t.Fatalf("%d is not a permutation", c.Perm)
			}
		}
		for k := range c.Pivots[1:] {
			if c.Pivots[k+1] > c.Pivots[k]*(1+1e-12) {
				t.Errorf("pivots increase: %g", c.Pivots)
			}
		}
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		a := linalg.Identity(4)
		a.Set(2, 2, bad)
		c, err := linalg.NewPivotedCholesky(a, 1e-13)
		if err != nil || c.Rank() != 3 || c.Perm[3] != 2 {
			t.Errorf("diagonal %v: rank %d, %v", bad, c.Rank(), err)
		}
	}
	var e *linalg.ShapeError
	if _, err := linalg.NewPivotedCholesky(linalg.Zeros(3, 2), 0); !errors.As(err, &e) {
		t.Error(err)
	}
}

func ExampleCholesky() {
	a, _ := linalg.FromRows([][]float64{{4, 2}, {2, 5}})
	c, err := linalg.NewCholesky(a)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := []float64{8, 12}
	c.Solve(b)
	fmt.Println(c.L().Data, b)
	_, err = linalg.NewCholesky(&linalg.Dense{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 2, 2, 1}})
	fmt.Println(err)
	// Output:
	// [2 0 1 2] [1 2]
	// not positive definite: column 1, less what those before it determine, leaves -3
}

// The third column is the sum of the first two, on another scale.
func ExamplePivotedCholesky() {
	x, _ := linalg.FromRows([][]float64{{1, 4, 5e9}, {2, 1, 3e9}, {3, 5, 8e9}, {4, 2, 6e9}})
	c, err := linalg.NewPivotedCholesky(linalg.Gram(x, nil, nil, 0), 1e-10)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("rank", c.Rank(), "of", len(c.Perm))
	// Output: rank 2 of 3
}
