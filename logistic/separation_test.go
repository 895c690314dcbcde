package logistic_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

func TestSetosaIsSeparable(t *testing.T) {
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	for i := range y {
		y[i] = min(y[i], 1)
	}
	_, err := logistic.Fit(x, y, nil)
	var e *logistic.SeparationError
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want a *SeparationError", err)
	}
	checkDirection(t, e, x, y, 2)
	if !e.Complete {
		t.Error("not complete")
	}
	t.Log(err)
}

// checkDirection multiplies the direction out.
func checkDirection(t testing.TB, e *logistic.SeparationError, x *linalg.Dense, y []int, k int) {
	t.Helper()
	f := make([]float64, k)
	strict := false
	for i := range x.Rows {
		row := x.Row(i)
		size := linalg.NormInf(e.Coef.Data)
		for c := range k {
			r := c
			if k == 2 {
				r = 0
			}
			f[c] = e.Intercept[r] + linalg.Dot(e.Coef.Row(r), row)
			size = math.Max(size, math.Abs(e.Intercept[r]))
			for j, v := range row {
				size = math.Max(size, math.Abs(v*e.Coef.At(r, j)))
			}
		}
		if k == 2 {
			f[0] = 0
		}
		for c := range k {
			d := f[y[i]] - f[c]
			if d < -1e-8*size {
				t.Fatalf("row %d of class %d: f_y − f_%d = %g", i, y[i], c, d)
			}
			strict = strict || d > 1e-8*size
		}
	}
	if !strict {
		t.Fatal("no strict inequality")
	}
}

// planted returns n rows of p features and the scores of k random functions.
func planted(r *rand.Rand, n, p, k int) (*linalg.Dense, [][]float64) {
	x := linalg.Zeros(n, p)
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	b := make([]float64, k*(p+1))
	for j := range b {
		b[j] = r.NormFloat64()
	}
	f := make([][]float64, n)
	for i := range f {
		f[i] = make([]float64, k)
		for c := range k {
			w := b[c*(p+1) : (c+1)*(p+1)]
			f[i][c] = w[0] + linalg.Dot(w[1:], x.Row(i))
		}
	}
	return x, f
}

// separableSet draws completely separable data, or quasi-separable: the last
// feature is positive for some rows of class 1 and 0 for all others, whose
// classes overlap.
func separableSet(r *rand.Rand, k int, quasi bool) (*linalg.Dense, []int) {
	for {
		n, p := 20+r.IntN(80), 1+r.IntN(5)
		x, f := planted(r, n, p, k)
		y := make([]int, n)
		for i := range y {
			y[i] = linalg.ArgMax(f[i])
			if quasi {
				y[i] = r.IntN(k)
			}
		}
		if quasi {
			wide := linalg.Zeros(n, p+1)
			for i := range n {
				copy(wide.Row(i), x.Row(i))
				if y[i] == 1 && r.IntN(3) == 0 {
					wide.Set(i, p, 1+r.Float64())
				}
			}
			wide.Set(0, p, 1)
			y[0] = 1
			x = wide
		}
		if filled(y, k, 1) {
			return x, y
		}
	}
}

func TestSeparable(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 0))
	for round := range linalgtest.Rounds(200, 200) {
		k, quasi := 2+2*(round%2), round%4 >= 2
		x, y := separableSet(r, k, quasi)
		m, err := logistic.Fit(x, y, nil)
		var e *logistic.SeparationError
		if !errors.As(err, &e) || m != nil {
			t.Fatalf("set %d (%d classes, quasi %v, %d × %d): error %v", round, k, quasi, x.Rows, x.Cols, err)
		}
		checkDirection(t, e, x, y, k)
		if !quasi && !e.Complete {
			t.Errorf("set %d: complete separation is not seen", round)
		}
	}
}

// overlappingSet draws data that no hyperplane separates. With near, only one
// row is on the wrong side.
func overlappingSet(r *rand.Rand, k int, near bool) (*linalg.Dense, []int) {
	for {
		n, p := 60+r.IntN(80), 1+r.IntN(4)
		x, f := planted(r, n, p, k)
		y := make([]int, n)
		for i := range y {
			y[i] = linalg.ArgMax(f[i])
		}
		if near {
			// A row of class 0 in the middle of class c, for each c: there f₀ ≥ fₖ,
			// though fₖ ≥ f₀ on all rows of class c, so they are equal on all.
			wide := linalg.Zeros(n+k-1, p)
			copy(wide.Data, x.Data)
			for c := 1; c < k; c++ {
				rows := 0.0
				for i := range n {
					if y[i] == c {
						linalg.Axpy(wide.Row(n+c-1), 1, x.Row(i))
						rows++
					}
				}
				linalg.Scale(wide.Row(n+c-1), 1/rows)
				y = append(y, 0)
			}
			x = wide
		} else {
			for i := range y {
				if r.IntN(4) == 0 {
					y[i] = r.IntN(k)
				}
			}
		}
		if filled(y, k, 3*(p+2)) {
			return x, y
		}
	}
}

// filled reports whether every class has at least m rows.
func filled(y []int, k, m int) bool {
	rows := make([]int, k)
	for _, c := range y {
		rows[c]++
	}
	return slices.Min(rows) >= m
}

func TestOverlapping(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 0))
	for round := range linalgtest.Rounds(200, 200) {
		k, near := 2+2*(round%2), round%4 >= 2
		x, y := overlappingSet(r, k, near)
		m, err := logistic.Fit(x, y, nil)
		if err != nil {
			t.Fatalf("set %d (%d classes, near %v, %d × %d): %v", round, k, near, x.Rows, x.Cols, err)
		}
		if c := m.Report().Certificate(); !c.Holds() {
			t.Errorf("set %d: certificate %v", round, c)
		}
	}
}

func TestOnePointFromSeparable(t *testing.T) {
	// On a line: separable but for the row at d, of class 0 beyond the first row
	// of class 1.
	for _, d := range []float64{1, 0.1, 1e-3, 1e-6} {
		x, _ := linalg.FromRows([][]float64{{-2}, {-1}, {d}, {0}, {1}, {2}})
		y := []int{0, 0, 0, 1, 1, 1}
		m, err := logistic.Fit(x, y, nil)
		if err != nil {
			t.Errorf("d = %g: %v", d, err)
			continue
		}
		linalgtest.Close(t, "certificate", m.Report().Certificate().Value, 0, 1e-10)
	}
	// With d = 0 it is quasi-separable, below completely.
	for _, d := range []float64{0, -0.1} {
		x, _ := linalg.FromRows([][]float64{{-2}, {-1}, {d}, {0}, {1}, {2}})
		y := []int{0, 0, 0, 1, 1, 1}
		_, err := logistic.Fit(x, y, nil)
		var e *logistic.SeparationError
		if !errors.As(err, &e) || e.Complete != (d < 0) {
			t.Errorf("d = %g: %v", d, err)
			continue
		}
		checkDirection(t, e, x, y, 2)
	}
}

// One value far out makes the certificate easy, and hides from a test relative to
// the column what the other rows say.
func TestSeparationWithOutlier(t *testing.T) {
	overlap := []float64{1, 3, 2, 4, 2.5, 1.5}
	near, _ := linalg.NewDense(6, 1, overlap)
	y := []int{0, 0, 1, 1, 0, 1}
	want := lt.Intercepted(lt.MustFit(t, near, y, nil)) // a row with p = 1 changes nothing
	for _, far := range []float64{1e6, 1e10, 1e12, 1e15} {
		x, _ := linalg.NewDense(7, 1, append(slices.Clone(overlap), far))
		linalgtest.CloseSlice(t, "coef", lt.Intercepted(lt.MustFit(t, x, append(slices.Clone(y), 1), nil)), want, 1e-8)
		if m, err := logistic.Fit(x, append(slices.Clone(y), 0), nil); err != nil {
			t.Errorf("%g on the other side: %v, %v", far, m, err)
		}
		x, _ = linalg.NewDense(5, 2, []float64{1, 1, 2, -1, 3, 1, 4, -1, far, 0})
		first := &linalg.Dense{Rows: 5, Cols: 1, Stride: 2, Data: x.Data}
		_, alone := logistic.Fit(first, []int{0, 0, 1, 1, 1}, nil)
		_, lasso := logistic.Fit(x, []int{0, 0, 1, 1, 1}, &logistic.Options{Lambda: 1, L1Ratio: 1, PenaltyFactor: []float64{0, 1}})
		for _, err := range []error{alone, lasso} {
			var e *logistic.SeparationError
			if !errors.As(err, &e) || !e.Complete {
				t.Errorf("separable with %g: %v", far, err)
				continue
			}
			for i := range x.Rows {
				if f := e.Intercept[0] + e.Coef.At(0, 0)*x.At(i, 0); (f > 0) != (i > 1) {
					t.Errorf("with %g: f = %g in row %d", far, f, i)
				}
			}
		}
	}
}

// Measured from the median, by units of 2e-15, one column hides what the others
// show; the direction that is left has to hold in every row.
func TestEvidenceBesideOutliers(t *testing.T) {
	x, _ := linalg.NewDense(6, 3, []float64{1, 1, 1, 1e8 + 1, 1 + 2e-15, -3, 5, 1, 1, 1, 1e8, 1e8, 1e8 + 2, 1, -3, 2, 5, 1e8})
	y := []int{2, 2, 0, 0, 0, 1}
	_, err := logistic.Fit(x, y, nil)
	var e *logistic.SeparationError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	strict := 0
	for i, own := range y {
		var f [3]*big.Float
		largest := 0.0
		for k := range f {
			f[k] = new(big.Float).SetPrec(300).SetFloat64(e.Intercept[k])
			for j, v := range x.Row(i) {
				c := e.Coef.At(k, j)
				largest = max(largest, math.Abs(c*v))
				term := new(big.Float).SetPrec(300).SetFloat64(c)
				f[k].Add(f[k], term.Mul(term, new(big.Float).SetFloat64(v)))
			}
		}
		above := false
		for k := range f {
			lead, _ := new(big.Float).Sub(f[own], f[k]).Float64()
			if lead < -1e-12*largest {
				t.Errorf("row %d: class %d leads by %g, terms of %g", i, k, -lead, largest)
			}
			above = above || lead > 1e-9*largest
		}
		if above {
			strict++
		}
	}
	if strict == 0 || e.Rows == 0 {
		t.Errorf("%d rows lead, %v", strict, e)
	}
}

func TestSeparationNamesColumns(t *testing.T) {
	x := linalgtest.Normal(5, 80, 4)
	y := make([]int, 80)
	for i := range y {
		y[i] = i % 2
		// Column 2 separates: a dummy that only class 1 has.
		x.Set(i, 2, 0)
		if i%8 == 1 {
			x.Set(i, 2, 1)
		}
	}
	_, err := logistic.Fit(x, y, nil)
	var e *logistic.SeparationError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if len(e.Columns) != 1 || e.Columns[0] != 2 || e.Rows != 10 || e.Complete {
		t.Errorf("%v", e)
	}
	// The dummy alone unpenalised: still separated. Penalised: not.
	_, err = logistic.Fit(x, y, &logistic.Options{Lambda: 1, PenaltyFactor: []float64{1, 1, 0, 1}})
	if !errors.As(err, &e) || len(e.Columns) != 1 || e.Columns[0] != 2 {
		t.Errorf("unpenalised dummy: %v", err)
	}
	if m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1, PenaltyFactor: []float64{0, 0, 1, 0}}); err != nil || !m.Report().Certificate().Holds() {
		t.Errorf("penalised dummy: %v", err)
	}
}

// As many classes as rows, or half as many whose rows lie together, are separated by the
// distances to their means, and the fit says so at once: Newton's method on 998 parameters
// took more than a minute. A column that depends on others is still called that.
func TestAsManyClassesAsRowsAreSeparated(t *testing.T) {
	for _, each := range []int{1, 2} {
		const k = 300
		x, y := linalgtest.Normal(5, k*each, 1), make([]int, k*each)
		for i := range y {
			y[i] = i % k
			x.Set(i, 0, x.At(y[i], 0))
		}
		_, err := logistic.Fit(x, y, nil)
		var e *logistic.SeparationError
		if !errors.As(err, &e) || !e.Complete {
			t.Fatalf("%d rows of each class: %v, want a complete separation", each, err)
		}
		checkDirection(t, e, x, y, k)
	}
	x, y := linalg.Zeros(5, 2), []int{0, 1, 2, 3, 4}
	for i := range y {
		copy(x.Row(i), []float64{float64(i * i), float64(3 * i * i)})
	}
	_, err := logistic.Fit(x, y, nil)
	var rank *linalg.RankError
	if !errors.As(err, &rank) {
		t.Errorf("a column thrice another: %v, want a rank", err)
	}
}

// No offset changes whether classes are separated. One of 10⁴ leaves rows whose probabilities
// are 0 and 1 in float64: they have no curvature, and no derivative says that they move.
func TestOffsetsHideNoSeparation(t *testing.T) {
	x := linalg.Zeros(7, 3)
	for i := range x.Data {
		x.Data[i] = -3
	}
	x.Set(4, 0, 5)
	x.Set(4, 2, 5)
	x.Set(5, 1, 5)
	x.Set(6, 0, 5)
	for _, far := range []float64{0, 100, 1e4, 1e8} {
		_, err := logistic.Fit(x, []int{0, 0, 0, 1, 0, 0, 0}, &logistic.Options{Offset: []float64{-1, -1, far, 0, 0, 0, 0}})
		if s := (*logistic.SeparationError)(nil); !errors.As(err, &s) {
			t.Errorf("an offset of %g: %v, of classes that are quasi-completely separated", far, err)
		}
	}
}
