package linalg_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// checkSVD verifies that V is orthonormal and spans the rows of x, and that the
// images of its vectors are orthogonal with the values as lengths.
func checkSVD(t *testing.T, name string, x *linalg.Dense) *linalg.SVD {
	t.Helper()
	before := slices.Clone(x.Data)
	s, err := linalg.NewSVD(x)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !slices.Equal(x.Data, before) {
		t.Fatalf("%s: x was changed", name)
	}
	n, p := x.Dims()
	k := min(n, p)
	if len(s.Values) != k || s.V.Rows != k || s.V.Cols != p {
		t.Fatalf("%s: %d values, V is %d × %d", name, len(s.Values), s.V.Rows, s.V.Cols)
	}
	if d := maxDiff(mul(s.V, trans(s.V)), linalg.Identity(k)); !(d <= 1e-13) {
		t.Errorf("%s: VVᵀ−I is %g", name, d)
	}
	unit := max(s.Values[0], math.SmallestNonzeroFloat64)
	us := mul(x, trans(s.V)) // UΣ
	for i := range us.Rows {
		for j := range us.Cols {
			us.Set(i, j, us.At(i, j)/unit)
		}
	}
	g := mul(trans(us), us)
	for i := range k {
		if s.Values[i] < 0 || i > 0 && s.Values[i] > s.Values[i-1] {
			t.Fatalf("%s: values %g", name, s.Values)
		}
		for j := range k {
			want := 0.0
			if i == j {
				want = s.Values[i] / unit * s.Values[i] / unit
			}
			if d := math.Abs(g.At(i, j) - want); !(d <= 1e-13) {
				t.Fatalf("%s: element (%d, %d) of (XV)ᵀXV is off by %g", name, i, j, d)
			}
		}
	}
	rest := mul(us, s.V)
	for i := range n {
		for j := range p {
			if d := math.Abs(rest.At(i, j) - x.At(i, j)/unit); !(d <= 1e-13) {
				t.Fatalf("%s: X−XVᵀV is %g at (%d, %d)", name, d, i, j)
			}
		}
	}
	return s
}

func TestSVD(t *testing.T) {
	for _, n := range sizes(t) {
		for _, p := range []int{1, 2, 7, 40} {
			x := linalgtest.Normal(uint64(n), n, p)
			for name, x := range map[string]*linalg.Dense{
				"random":  x,
				"rank 2":  mul(linalgtest.Normal(1, n, 2), linalgtest.Normal(2, 2, p)),
				"zero":    linalg.Zeros(n, p),
				"ones":    ones(n, p),
				"columns": scaleColumns(x, func(j int) float64 { return math.Pow(10, float64(37*j%301-150)) }),
				"tiny":    scaled(x.Clone(), 1e-300),
				"huge":    scaled(x.Clone(), 1e300),
			} {
				checkSVD(t, fmt.Sprintf("%s, %d × %d", name, n, p), x)
			}
		}
	}
}

// Scaling the columns costs the small values no digits: those of XD with D of
// condition 1e24 are compared with the exact ones of a matrix with orthogonal
// columns.
func TestSVDKeepsSmallValues(t *testing.T) {
	q := mustQR(t, linalgtest.Normal(1, 40, 8))
	x := linalg.Zeros(40, 8)
	for j := range 8 {
		e := make([]float64, 40)
		e[j] = 1
		q.MulQ(e)
		for i, v := range e {
			x.Set(i, j, v*math.Pow(10, float64(12-24*j/7)))
		}
	}
	s := checkSVD(t, "scaled orthogonal columns", x)
	for j, v := range s.Values {
		want := math.Pow(10, float64(12-24*j/7))
		linalgtest.Close(t, "value", v/want, 1, 1e-14)
	}
}

// Whatever units columns and their values are in, a few sweeps of rotations do.
func TestSVDOfManyUnits(t *testing.T) {
	linalgtest.SkipSlow(t)
	n := 300
	x := linalgtest.Normal(1, n, n)
	big := linalgtest.Normal(2, n, n)
	for i, v := range big.Data {
		if v > 1.6 {
			x.Data[i] *= 1e6
		}
	}
	checkSVD(t, "values of many units", scaleColumns(x, func(j int) float64 { return math.Pow(10, float64(4*(j*7%5)-8)) }))
}

func TestSVDHilbert(t *testing.T) {
	// det H₅ = 1/266716800000, and the condition is 4.8e5.
	s := checkSVD(t, "Hilbert", hilbert(5))
	det := 266716800000.0
	for _, v := range s.Values {
		det *= v
	}
	linalgtest.Close(t, "determinant", det, 1, 4.8e5*0x1p-52)
	linalgtest.Close(t, "largest", s.Values[0], 1.5670506910982307, 1e-15)
}

func ExampleSVD() {
	x, _ := linalg.FromRows([][]float64{{3, 0}, {0, 0}, {4, 0}, {0, 2}})
	s, err := linalg.NewSVD(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Values, s.V.Data)
	// Output: [5 2] [1 0 0 1]
}

// Values longer than a float64 are infinite, as those of SymEigen are; the vectors
// and the values in range are those of a smaller matrix, tall or not.
func TestSVDBeyondRange(t *testing.T) {
	for _, n := range []int{4, 5, 40} {
		small := ones(n, 2)
		for i := range n {
			small.Set(i, 1, math.Sin(float64(i)))
		}
		big := scaled(small.Clone(), 0x1p1023)
		for i := range n {
			big.Set(i, 1, big.At(i, 1)*0x1p-40)
			small.Set(i, 1, small.At(i, 1)*0x1p-40)
		}
		want := checkSVD(t, "small", small)
		got, err := linalg.NewSVD(big)
		if err != nil {
			t.Fatalf("%d rows: %v", n, err)
		}
		if !math.IsInf(got.Values[0], 1) {
			t.Errorf("%d rows: values %g", n, got.Values)
		}
		linalgtest.Close(t, "the value in range", got.Values[1]*0x1p-1023, want.Values[1], 1e-14)
		linalgtest.CloseSlice(t, "V", got.V.Data, want.V.Data, 1e-14)
	}
}
