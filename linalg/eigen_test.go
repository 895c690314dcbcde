package linalg_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// checkEigen verifies that the vectors are orthonormal and that each value with
// its vector solves the equation, both to 1e-13.
func checkEigen(t *testing.T, name string, a *linalg.Dense) *linalg.Eigen {
	t.Helper()
	e, err := linalg.SymEigen(a)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	n := a.Rows
	if !slices.IsSorted(e.Values) {
		t.Errorf("%s: values are not ascending", name)
	}
	if d := maxDiff(mul(e.Vectors, trans(e.Vectors)), linalg.Identity(n)); !(d <= 2e-14) {
		t.Errorf("%s, n = %d: VVᵀ−I is %g", name, n, d)
	}
	// ‖A‖₂, which is what the Frobenius norm would flatter.
	size := max(math.Abs(e.Values[0]), math.Abs(e.Values[n-1]))
	rest := mul(e.Vectors, a)
	for k, v := range e.Values {
		linalg.Axpy(rest.Row(k), -v, e.Vectors.Row(k))
		if d := linalg.Norm(rest.Row(k)); !(d <= 2e-14*size) {
			t.Errorf("%s, n = %d: Av−λv is %g for value %d, %g; ‖A‖ = %g", name, n, d, k, v, size)
			break
		}
	}
	v, err := linalg.SymEigenValues(a)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for k := range v {
		if !(math.Abs(v[k]-e.Values[k]) <= 1e-13*size) {
			t.Errorf("%s, n = %d: value %d is %g alone and %g with its vector", name, n, k, v[k], e.Values[k])
		}
	}
	return e
}

// tridiag returns the symmetric tridiagonal matrix with the given elements.
func tridiag(n int, d, e func(i int) float64) *linalg.Dense {
	a := linalg.Zeros(n, n)
	for i := range n {
		a.Set(i, i, d(i))
		if i > 0 {
			a.Set(i, i-1, e(i-1))
			a.Set(i-1, i, e(i-1))
		}
	}
	return a
}

func constant(v float64) func(int) float64 { return func(int) float64 { return v } }

// withValues returns VᵀΛV for random orthonormal V.
func withValues(seed uint64, values []float64) *linalg.Dense {
	q, err := linalg.NewQR(linalgtest.Normal(seed, len(values), len(values)))
	if err != nil {
		panic(err)
	}
	v := linalg.Identity(len(values))
	for k := range v.Rows {
		q.MulQ(v.Row(k))
	}
	a := mul(trans(v), diag(values), v)
	linalg.Symmetrize(a)
	return a
}

func filled(n int, f func(k int) float64) []float64 {
	v := make([]float64, n)
	for k := range v {
		v[k] = f(k)
	}
	return v
}

func TestSymEigenOnHardMatrices(t *testing.T) {
	sizes := []int{1, 2, 3, 21, 24, 25, 26, 49, 64, 101, 300}
	switch {
	case linalgtest.Slow():
		sizes = sizes[:9]
	case testing.Short():
		sizes = sizes[:10]
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes {
		h := float64(n-1) / 2
		outer := linalg.Zeros(n, n)
		for i := range n {
			for j := range n {
				outer.Set(i, j, float64(i+1)*float64(j+1))
			}
		}
		graded := linalg.Zeros(n, n)
		for i := range n {
			for j := range i + 1 {
				graded.Set(i, j, r.NormFloat64()*math.Pow(10, -150+300*float64(i+j)/float64(2*n)))
			}
		}
		linalg.Symmetrize(graded)
		reversed := linalg.Zeros(n, n)
		for i := range n {
			for j := range n {
				reversed.Set(i, j, graded.At(n-1-i, n-1-j))
			}
		}
		flip := linalg.Zeros(n, n)
		for i := range n {
			flip.Set(i, n-1-i, 1)
		}
		for name, a := range map[string]*linalg.Dense{
			"random":           symmetric(uint64(n), n),
			"zero":             linalg.Zeros(n, n),
			"identity":         linalg.Identity(n),
			"ones":             mul(ones(n, 1), ones(1, n)),
			"rank one":         outer,
			"flip":             flip,
			"graded":           graded,
			"graded, reversed": reversed,
			"Wilkinson W+":     tridiag(n, func(i int) float64 { return math.Abs(float64(i) - h) }, constant(1)),
			"Wilkinson W-":     tridiag(n, func(i int) float64 { return float64(i) - h }, constant(1)),
			"glued Wilkinson": tridiag(n, func(i int) float64 { return math.Abs(float64(i%21) - 10) }, func(i int) float64 {
				if i%21 == 20 {
					return 1e-14
				}
				return 1
			}),
			"1 2 1":            tridiag(n, constant(2), constant(1)),
			"1 2 1 negative":   tridiag(n, constant(2), constant(-1)),
			"zero diagonal":    tridiag(n, constant(0), constant(1)),
			"tiny couplings":   tridiag(n, constant(1), constant(1e-160)),
			"Clement":          tridiag(n, constant(0), func(i int) float64 { return math.Sqrt(float64((i + 1) * (n - 1 - i))) }),
			"clustered at 1":   withValues(7, filled(n, func(k int) float64 { return 1 + 1e-14*float64(k) })),
			"one large":        withValues(8, filled(n, func(k int) float64 { return 1e-16 + math.Floor(float64(k+1)/float64(n)) })),
			"two clusters":     withValues(9, filled(n, func(k int) float64 { return float64(k%2) + 1e-15*float64(k) })),
			"geometric":        withValues(10, filled(n, func(k int) float64 { return math.Pow(10, -16*float64(k)/float64(n)) })),
			"huge":             scaled(symmetric(3, n), 1e305),
			"tiny":             scaled(symmetric(4, n), 1e-300),
			"random, repeated": mul(linalg.Identity(n), withValues(11, filled(n, func(k int) float64 { return float64(r.IntN(4)) }))),
		} {
			checkEigen(t, name, a)
		}
	}
}

func ones(n, p int) *linalg.Dense {
	a := linalg.Zeros(n, p)
	for i := range a.Data {
		a.Data[i] = 1
	}
	return a
}

func scaled(a *linalg.Dense, s float64) *linalg.Dense {
	linalg.Scale(a.Data, s)
	return a
}

func TestSymEigenOnRandomMatrices(t *testing.T) {
	for _, n := range sizes(t) {
		checkEigen(t, "random", symmetric(uint64(n), n))
	}
}

// Tridiagonal matrices whose elements are drawn from few values, of very
// different sizes, meet every way of deflation.
func TestSymEigenOnRandomTridiagonals(t *testing.T) {
	count := 300
	if testing.Short() {
		count = 60
	}
	r := rand.New(rand.NewPCG(5, 99))
	all := []float64{0, 1, -1, 2, 1e-8, 1e-16, -1e-15, 1e-200, 1e8, 1 + 0x1p-52, 1e-160, 0.5, 1e16}
	for range count {
		n, few := 1+r.IntN(90), all[:1+r.IntN(len(all))]
		period := 1 + r.IntN(2*n)
		d, e := make([]float64, period), make([]float64, period)
		for i := range d {
			d[i], e[i] = few[r.IntN(len(few))], few[r.IntN(len(few))]
			if r.IntN(4) == 0 {
				d[i] = r.NormFloat64()
			}
		}
		checkEigen(t, "tridiagonal", tridiag(n, func(i int) float64 { return d[i%period] }, func(i int) float64 { return e[i%period] }))
	}
}

// The bits do not depend on how many goroutines there are.
func TestSymEigenWorkers(t *testing.T) {
	linalgtest.SkipEmulated(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	a := symmetric(2, 300)
	var first *linalg.Eigen
	for _, workers := range []int{1, 2, 3, 16} {
		runtime.GOMAXPROCS(workers)
		e, err := linalg.SymEigen(a)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = e
		}
		if !slices.Equal(e.Values, first.Values) || !slices.Equal(e.Vectors.Data, first.Vectors.Data) {
			t.Errorf("%d workers give other bits", workers)
		}
	}
}

func TestSymEigenKnownValues(t *testing.T) {
	n := 100
	e := checkEigen(t, "1 2 1", tridiag(n, constant(2), constant(-1)))
	for k, v := range e.Values {
		s := math.Sin(float64(k+1) * math.Pi / float64(2*(n+1)))
		linalgtest.Close(t, "value", v, 4*s*s, 4e-15)
	}
	// Wilkinson's W₂₁⁺ has pairs that agree to 14 digits (The Algebraic Eigenvalue
	// Problem, p. 309).
	e = checkEigen(t, "W21+", tridiag(21, func(i int) float64 { return math.Abs(float64(i) - 10) }, constant(1)))
	linalgtest.Close(t, "largest", e.Values[20], 10.746194182903393, 1e-15)
	linalgtest.Close(t, "second", e.Values[19], 10.746194182903322, 1e-15)
	linalgtest.Close(t, "smallest", e.Values[0], -1.1254415221199841, 1e-14)
}

func TestSymEigenReadsTheLowerTriangle(t *testing.T) {
	a := symmetric(1, 30)
	want, _ := linalg.SymEigen(a)
	for i := range 30 {
		for j := i + 1; j < 30; j++ {
			a.Set(i, j, math.NaN())
		}
	}
	before := slices.Clone(a.Data)
	got, err := linalg.SymEigen(a)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Vectors.Data, want.Vectors.Data) {
		t.Error("the upper triangle matters")
	}
	for i, v := range a.Data {
		if v != before[i] && v == v {
			t.Fatal("the matrix was changed")
		}
	}
}

func TestSymEigenBadInput(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, n := range []int{1, 2, 40} {
			a := symmetric(1, n)
			a.Set(n-1, n/2, bad)
			_, err := linalg.SymEigen(a)
			var nf *linalg.NonFiniteError
			if !errors.As(err, &nf) || nf.Row != n-1 || nf.Col != n/2 {
				t.Errorf("n = %d, %v: %v", n, bad, err)
			}
			if _, err = linalg.SymEigenValues(a); !errors.As(err, &nf) {
				t.Errorf("n = %d, %v: %v", n, bad, err)
			}
		}
	}
	var se *linalg.ShapeError
	if _, err := linalg.SymEigen(linalg.Zeros(2, 3)); !errors.As(err, &se) {
		t.Error(err)
	}
}

func TestSymEigenBeyondTheRange(t *testing.T) {
	a := ones(40, 40)
	linalg.Scale(a.Data, math.MaxFloat64)
	e, err := linalg.SymEigen(a)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(e.Values[39], 1) || math.Abs(e.Values[38]) > 1e-13*math.MaxFloat64 {
		t.Errorf("values %g", e.Values)
	}
	if d := maxDiff(mul(e.Vectors, trans(e.Vectors)), linalg.Identity(40)); !(d <= 2e-14) {
		t.Errorf("VVᵀ−I is %g", d)
	}
}

func TestSymEigenSignIsFixed(t *testing.T) {
	e, err := linalg.SymEigen(symmetric(6, 50))
	if err != nil {
		t.Fatal(err)
	}
	for k := range 50 {
		v := e.Vectors.Row(k)
		if m := linalg.NormInf(v); !slices.Contains(v, m) {
			t.Errorf("vector %d has its largest entry negative", k)
		}
	}
}

func ExampleSymEigen() {
	a, _ := linalg.FromRows([][]float64{{2, 1}, {1, 2}})
	e, err := linalg.SymEigen(a)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", e.Values)
	fmt.Printf("%.4f\n", e.Vectors.Row(1))
	// Output:
	// [1.0000 3.0000]
	// [0.7071 0.7071]
}
