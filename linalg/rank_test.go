package linalg_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// dependent reports whether err is a RankError of that rank with these columns.
func dependent(err error, rank int, cols ...int) bool {
	var e *linalg.RankError
	return errors.As(err, &e) && e.Rank == rank && slices.Equal(e.Columns, cols)
}

// rankCases are matrices of six columns of which the given ones are determined
// by those before them, with an intercept.
var rankCases = []struct {
	name string
	set  func(r []float64)
	cols []int
}{
	{"independent", func([]float64) {}, nil},
	{"constant", func(r []float64) { r[3] = 7.1 }, []int{3}},
	{"constant 0", func(r []float64) { r[0] = 0 }, []int{0}},
	{"duplicate", func(r []float64) { r[4] = r[1] }, []int{4}},
	{"sum", func(r []float64) { r[5] = r[0] + r[2] - 3*r[4] }, []int{5}},
	{"sum with intercept", func(r []float64) { r[1] = 5 - 2*r[0] }, []int{1}},
	{"two", func(r []float64) { r[2] = r[0] + r[1]; r[5] = r[3] - r[2] }, []int{2, 5}},
	{"mean 1e8", func(r []float64) { r[2] += 1e8 }, nil},
	{"means 1e8", func(r []float64) { r[1] += 1e8; r[2] -= 1e8; r[4] += 1e8 }, nil},
	{"sum of means 1e8", func(r []float64) { r[1] += 1e8; r[2] += 1e8; r[4] = r[1] + r[2] }, []int{4}},
	{"constant 1e8 to rounding", func(r []float64) { r[3] = 1e8 + math.Copysign(1.5e-8, r[3]) }, []int{3}},
	{"constant to the tolerance", func(r []float64) { r[3] = 1.1 + math.Copysign(0.9e-12, r[3]) }, []int{3}},
	{"not constant to the tolerance", func(r []float64) { r[3] = 1 + math.Copysign(2e-12, r[3]) }, nil},
	{"copy of what was rounded at 1e8", func(r []float64) { r[3] = r[1]; r[1] += 1e8 }, []int{3}},
	{"1e-6 off", func(r []float64) { r[3] = r[0] - r[1] + 1e-6*r[3] }, nil},
	{"1e-10 off", func(r []float64) { r[3] = r[0] - r[1] + 1e-10*r[3] }, nil},
	{"1e-14 off", func(r []float64) { r[3] = r[0] - r[1] + 1e-14*r[3] }, []int{3}},
	{"1e-5 off at 1e8", func(r []float64) { r[1] += 1e8; r[3] = r[1] + 1e-5*r[3] }, nil},
	{"1e-9 off at 1e8", func(r []float64) { r[1] += 1e8; r[3] = r[1] + 1e-9*r[3] }, []int{3}},
}

func TestCheckRank(t *testing.T) {
	for _, c := range rankCases {
		for _, scale := range []float64{1, 1e12, 1e-12, 1e150, 1e-150} {
			x := linalgtest.Normal(3, 300, 6)
			for i := range x.Rows {
				c.set(x.Row(i))
			}
			x = scaleColumns(x, func(j int) float64 { return math.Pow(scale, float64(j%3-1)) })
			w := make([]float64, x.Rows)
			for i := range w {
				w[i] = float64(i % 3)
				if i%3 == 0 { // a row that does not count hides nothing
					linalg.Axpy(x.Row(i), 1, linalgtest.Normal(uint64(i), 1, 6).Data)
				}
			}
			err := linalg.CheckRank(x, w, true, 2)
			if c.cols == nil && err != nil || c.cols != nil && !dependent(err, 6-len(c.cols), c.cols...) {
				t.Errorf("%s, scale %g: %v", c.name, scale, err)
			}
		}
	}
}

// Only the ratios of weights matter.
func TestCheckRankWeights(t *testing.T) {
	x := linalgtest.Normal(8, 100, 3)
	for i := range x.Rows {
		r := x.Row(i)
		r[0] += 1e6
		r[2] = r[0] + 1e-8*r[2]
	}
	for _, unit := range []float64{1e-14, 1, 1e14} {
		w := filled(100, func(i int) float64 { return unit * float64(1+i%3) })
		if err := linalg.CheckRank(x, w, true, 1); err != nil {
			t.Errorf("weights of %g, 1e-8 off at 1e6: %v", unit, err)
		}
		y := x.Clone()
		for i := range y.Rows {
			y.Row(i)[2] = y.Row(i)[0] + 1e-10*float64(i%7)
		}
		if err := linalg.CheckRank(y, w, true, 1); !dependent(err, 2, 2) {
			t.Errorf("weights of %g, 1e-10 off at 1e6: %v", unit, err)
		}
	}
}

func TestCheckRankRange(t *testing.T) {
	huge, _ := linalg.FromRows([][]float64{{1.7e308, 1}, {1e308, 2}, {1.2e308, 7}, {1.6e308, 3}})
	for _, intercept := range []bool{false, true} {
		if err := linalg.CheckRank(huge, nil, intercept, 1); err != nil {
			t.Errorf("intercept %v: %v", intercept, err)
		}
	}
	if err := linalg.CheckRank(huge, []float64{1e-320, 2e-320, 1e-320, 1e-320}, true, 1); err != nil {
		t.Errorf("tiny weights: %v", err)
	}
	huge.Set(1, 0, -1.7e308)
	var e *linalg.RangeError
	if err := linalg.CheckRank(huge, nil, true, 1); !errors.As(err, &e) || e.Column != 0 {
		t.Errorf("a range of 3.4e308: %v", err)
	}
	var we *linalg.WeightError
	if err := linalg.CheckRank(huge, []float64{1, 1, -1, 1}, true, 1); !errors.As(err, &we) || we.Row != 2 {
		t.Errorf("a negative weight: %v", err)
	}
}

func TestCheckRankWithoutIntercept(t *testing.T) {
	x := linalgtest.Normal(1, 50, 4)
	for i := range x.Rows {
		x.Row(i)[1] = 4
	}
	if err := linalg.CheckRank(x, nil, false, 1); err != nil {
		t.Errorf("one constant column: %v", err)
	}
	for i := range x.Rows {
		x.Row(i)[3] = -1e-9
	}
	if err := linalg.CheckRank(x, nil, false, 1); !dependent(err, 3, 3) {
		t.Errorf("two constant columns: %v", err)
	}
	for i := range x.Rows {
		x.Row(i)[0] = 0
	}
	if err := linalg.CheckRank(x, nil, false, 1); !dependent(err, 2, 0, 3) {
		t.Errorf("a column of zeros: %v", err)
	}
}

func TestCheckRankFewRows(t *testing.T) {
	x := linalgtest.Normal(2, 4, 6)
	if err := linalg.CheckRank(x, nil, false, 1); !dependent(err, 4, 4, 5) {
		t.Error(err)
	}
	if err := linalg.CheckRank(x, nil, true, 1); !dependent(err, 3, 3, 4, 5) {
		t.Error(err)
	}
	one := linalgtest.Normal(2, 1, 2)
	if err := linalg.CheckRank(one, nil, true, 1); !dependent(err, 0, 0, 1) {
		t.Error(err)
	}
	if err := linalg.CheckRank(x, make([]float64, 4), false, 1); !dependent(err, 0, 0, 1, 2, 3, 4, 5) {
		t.Errorf("weights of 0: %v", err)
	}
}

// A small part in a large column is not lost among the other columns, and a
// chain of dependences that no single column shows is seen.
func TestCheckRankKahan(t *testing.T) {
	if err := linalg.CheckRank(kahan(60, 1.2), nil, false, 1); err != nil {
		t.Errorf("condition 1e7 or so: %v", err)
	}
	// Unit diagonal, determinant 1, and smallest singular value about 2⁻ⁿ. At 45
	// only the pivoted order shows that, at 60 the given one does too.
	for _, n := range []int{45, 60} {
		a := linalg.Identity(n)
		for i := range n {
			for j := i + 1; j < n; j++ {
				a.Set(i, j, -1)
			}
		}
		var e *linalg.RankError
		if err := linalg.CheckRank(a, nil, false, 1); !errors.As(err, &e) || e.Rank != n-1 {
			t.Errorf("condition 2^%d: %v", n, err)
		} else if n == 45 { // without the column named the others are independent
			kept := linalg.Zeros(n, n-1)
			for i := range n {
				copy(kept.Row(i), slices.Delete(slices.Clone(a.Row(i)), e.Columns[0], e.Columns[0]+1))
			}
			if err := linalg.CheckRank(kept, nil, false, 1); err != nil {
				t.Errorf("without column %d: %v", e.Columns[0], err)
			}
		}
	}
}

func TestCheckRankHilbert(t *testing.T) {
	if err := linalg.CheckRank(hilbert(7), nil, false, 1); err != nil {
		t.Error(err)
	}
	var e *linalg.RankError
	if err := linalg.CheckRank(hilbert(16), nil, false, 1); !errors.As(err, &e) {
		t.Error(err)
	}
}

func TestCheckRankOnManyRows(t *testing.T) {
	n := 50000
	if testing.Short() {
		n = 5000
	}
	x := linalgtest.Normal(4, n, 8)
	for i := range n {
		r := x.Row(i)
		r[6] = 1e4 + 0.1*r[0] + 0.3*r[2] - r[5]
	}
	var text string
	for _, workers := range []int{1, 2, 3, 16} {
		err := linalg.CheckRank(x, nil, true, workers)
		if !dependent(err, 7, 6) {
			t.Errorf("%d workers: %v", workers, err)
		}
		if text != "" && text != fmt.Sprint(err) {
			t.Errorf("%d workers: %v", workers, err)
		}
		text = fmt.Sprint(err)
	}
}

// A Gram matrix proves columns independent that are so by far, and never ones that rounding may
// tell apart: that of values which are large beside their deviations is larger.
func TestIndependentGram(t *testing.T) {
	x := linalgtest.Normal(3, 60, 4)
	for _, c := range []struct {
		near, beside float64
		want         bool
	}{{1, 1, true}, {2e-3, 1, true}, {2e-3, 1e8, false}, {1, 1e9, true}, {1, 1e13, false}, {1e-9, 1, false}, {0, 1, false}} {
		y := x.Clone()
		for i := range 60 {
			y.Set(i, 3, y.At(i, 0)-2*y.At(i, 1)+c.near*x.At(i, 3))
		}
		g, size := linalg.Zeros(4, 4), make([]float64, 4)
		linalg.MulTAdd(g, 1, y, y)
		for i := range 60 {
			for j, v := range y.Row(i) {
				size[j] = max(size[j], c.beside*math.Abs(v))
			}
		}
		if got := linalg.IndependentGram(g, size, 60); got != c.want {
			t.Errorf("%g apart, values of %g deviations: %v", c.near, c.beside, got)
		}
	}
}

func ExampleCheckRank() {
	x, _ := linalg.FromRows([][]float64{
		{1, 10, 11, 5},
		{2, 10, 12, 5},
		{3, 30, 33, 5},
		{4, 20, 24, 5},
		{5, 70, 75, 5},
	})
	fmt.Println(linalg.CheckRank(x, nil, true, 0))
	// Output: rank 2 of 4 columns; the others determine columns 2, 3
}

// What varies by 1e-13 of its values is constant, if there is an intercept, and what
// varies by 1e-11 is not; another column's dependence is measured about the means.
func TestCheckRankOfNearlyConstantColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, c := range []struct {
		spread   float64
		constant bool
	}{{1e-5, true}, {1e-3, false}} {
		x := linalg.Zeros(50, 3)
		for i := range 50 {
			v := r.NormFloat64()
			copy(x.Row(i), []float64{1e8 + v, 1e8 + c.spread*r.NormFloat64(), 1e8 + v + 1e-5*r.NormFloat64()})
		}
		var e *linalg.RankError
		err := linalg.CheckRank(x, nil, true, 0)
		if errors.As(err, &e) != c.constant || c.constant && !slices.Equal(e.Columns, []int{1}) {
			t.Errorf("1e8 ± %g: %v", c.spread, err)
		}
	}
}

// The error says how far the columns are from a dependence, where that is more than rounding.
func TestRankErrorSaysHowFarColumnsAreFromDependence(t *testing.T) {
	for k, difference := range []float64{0, 1e-13, 5e-13, 0, 1e-13, 5e-13} {
		x, scale := linalg.Zeros(40, 2), []float64{1, 0x1p10}[k/3]
		r := rand.New(rand.NewPCG(3, 1))
		for i := range x.Rows {
			v := scale * r.NormFloat64()
			x.Set(i, 0, v)
			x.Set(i, 1, v+scale*difference*r.NormFloat64())
		}
		var e *linalg.RankError
		if err := linalg.CheckRank(x, nil, true, 1); !errors.As(err, &e) {
			t.Fatalf("%g: %v", difference, err)
		}
		if says := strings.Contains(e.Error(), "but for"); says != (difference > 0) || difference > 0 && !(e.Left > difference/2 && e.Left < 2*difference) {
			t.Errorf("columns that differ by %g: left %g, %v", difference, e.Left, e)
		}
	}
}

// Weights that are not one a row are refused, of few rows as of many.
func TestCondensedRefusesOtherNumbersOfWeights(t *testing.T) {
	for _, n := range []int{2, 9} {
		if r, err := linalg.Condensed(linalgtest.Normal(1, n, 4), make([]float64, n-1), 1); r != nil || !errors.As(err, new(*linalg.ShapeError)) {
			t.Errorf("%d rows: %v, %v", n, r, err)
		}
	}
}
