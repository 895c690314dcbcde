package moments_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/moments"
)

// labeled returns n rows of p columns in k classes whose means lie apart, scaled
// and shifted.
func labeled(seed uint64, n, p, k int, scale, shift float64) (*linalg.Dense, []int, []float64) {
	x := linalgtest.Normal(seed, n, p)
	r := rand.New(rand.NewPCG(seed, 1))
	y, w := make([]int, n), make([]float64, n)
	for i := range n {
		y[i] = 3*r.IntN(k) - 4
		w[i] = float64(r.IntN(4))
		for j := range p {
			x.Set(i, j, shift+float64(y[i]*(j+1))+scale*x.At(i, j))
		}
	}
	return x, y, w
}

func addRows(t testing.TB, x *linalg.Dense, y []int, w []float64, pooled bool, workers int) *moments.ByClass {
	t.Helper()
	m, err := moments.New(x.Cols, pooled)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.AddRows(x, y, w, workers); err != nil {
		t.Fatal(err)
	}
	return m
}

// twoPass computes the moments of one class by the definition, about its first
// row.
func twoPass(x *linalg.Dense, y []int, w []float64, label int) (weight float64, first, dev []float64, s *linalg.Dense) {
	p := x.Cols
	dev, s = make([]float64, p), linalg.Zeros(p, p)
	for pass := range 2 {
		for i := range x.Rows {
			if y[i] != label || w[i] == 0 {
				continue
			}
			if first == nil {
				first = slices.Clone(x.Row(i))
			}
			d := slices.Clone(x.Row(i))
			linalg.Axpy(d, -1, first)
			if pass == 0 {
				weight += w[i]
				linalg.Axpy(dev, w[i], d)
				continue
			}
			linalg.Axpy(d, -1, dev)
			for a, v := range d {
				linalg.Axpy(s.Row(a), w[i]*v, d)
			}
		}
		if pass == 0 {
			linalg.Scale(dev, 1/weight)
		}
	}
	return weight, first, dev, s
}

func TestAgainstDefinition(t *testing.T) {
	for _, c := range []struct{ scale, shift float64 }{{1, 0}, {1, 1e8}, {1e-7, 0}, {1e6, -1e3}, {1e-130, 0}} {
		x, y, w := labeled(1, 700, 5, 3, c.scale, c.shift)
		if c.scale == 1e-130 {
			for i := range x.Rows {
				linalg.Axpy(x.Row(i), -float64(y[i]), []float64{1, 2, 3, 4, 5})
			}
		}
		m := addRows(t, x, y, w, false, 0)
		pooled := addRows(t, x, y, w, true, 0)
		within := linalg.Zeros(5, 5)
		for k, label := range m.Classes() {
			weight, first, dev, s := twoPass(x, y, w, label)
			linalg.Axpy(within.Data, 1, s.Data)
			linalgtest.Close(t, "weight", m.Weights()[k], weight, 0)
			unit := c.scale * c.scale
			for j := range 5 {
				got := m.Origin()[j] - first[j] + m.Deviation(k)[j]
				linalgtest.Close(t, "mean", got/c.scale, dev[j]/c.scale, 1e-12*math.Max(1, 1/c.scale))
				for l := range 5 {
					linalgtest.Close(t, "scatter", m.Scatter(k).At(j, l)/unit, s.At(j, l)/unit, 1e-13)
				}
			}
		}
		for i, v := range pooled.Within().Data {
			linalgtest.Close(t, "within", v/(c.scale*c.scale), within.Data[i]/(c.scale*c.scale), 1e-13)
			linalgtest.Close(t, "sum of scatters", m.Within().Data[i], within.Data[i], 1e-13)
		}
	}
}

// A class whose first rows are outliers makes a bad centre; a second pass about
// the means found mends it.
func TestBadCentre(t *testing.T) {
	for _, light := range []float64{1, 0x1p-30} {
		for _, pooled := range []bool{false, true} {
			n := 4000
			x, _, _ := labeled(2, n, 2, 1, 1, 0)
			y, w := make([]int, n), make([]float64, n)
			for i := range n {
				w[i] = light
				if i < 8 {
					x.Set(i, 0, 1e7)
				}
			}
			_, _, _, s := twoPass(x, y, w, 0)
			got := addRows(t, x, y, w, pooled, 0).Within()
			for i, v := range s.Data {
				if !(math.Abs(got.Data[i]-v) <= 1e-13*math.Sqrt(s.At(i/2, i/2)*s.At(i%2, i%2))) {
					t.Errorf("pooled %v, weights %g: within[%d] = %v, want %v", pooled, light, i, got.Data[i], v)
				}
			}
		}
	}
}

func TestConstantColumnsAreExact(t *testing.T) {
	x, y, w := labeled(3, 100, 3, 2, 1, 0)
	for i := range x.Rows {
		x.Set(i, 1, 0.1)
		x.Set(i, 2, 0.1*float64(y[i]))
	}
	for _, pooled := range []bool{false, true} {
		s := addRows(t, x, y, w, pooled, 0).Within()
		for j := range 3 {
			if s.At(j, 1) != 0 || s.At(j, 2) != 0 {
				t.Errorf("pooled %v: scatter of constant columns %v, %v", pooled, s.At(j, 1), s.At(j, 2))
			}
		}
	}
}

func TestMergedPartsEqualWhole(t *testing.T) {
	x, y, w := labeled(4, 900, 4, 4, 1, 1e8)
	for _, pooled := range []bool{false, true} {
		whole := addRows(t, x, y, w, pooled, 0)
		merged, _ := moments.New(4, pooled)
		single, _ := moments.New(4, pooled)
		several, _ := moments.New(4, pooled)
		for lo := 0; lo < x.Rows; lo += 225 {
			part := addRows(t, x.RowRange(lo, lo+225), y[lo:lo+225], w[lo:lo+225], pooled, 0)
			if err := several.AddRows(x.RowRange(lo, lo+225), y[lo:lo+225], w[lo:lo+225], 0); err != nil {
				t.Fatal(err)
			}
			before := part.Clone()
			if err := merged.Merge(part); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(part, before) {
				t.Error("Merge changed its argument")
			}
		}
		for i := range x.Rows {
			if err := single.Add(x.Row(i), y[i], w[i]); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range []*moments.ByClass{merged, single, several} {
			if !slices.Equal(m.Classes(), whole.Classes()) || !slices.Equal(m.Weights(), whole.Weights()) || !slices.Equal(m.Rows(), whole.Rows()) {
				t.Fatalf("classes %v, weights %v, rows %v", m.Classes(), m.Weights(), m.Rows())
			}
			linalgtest.CloseSlice(t, "within", m.Within().Data, whole.Within().Data, 1e-12)
			for k := range m.Classes() {
				for j := range 4 {
					got := m.Origin()[j] - whole.Origin()[j] + m.Deviation(k)[j]
					linalgtest.Close(t, "mean", got, whole.Deviation(k)[j], 1e-12)
				}
			}
		}
	}
}

// The moments of rows do not depend on their storage, whether or not all are copied at once.
func TestMomentsOfAnyStorage(t *testing.T) {
	for _, n := range []int{500, 66_000} { // of 32 columns 65,536 are copied at a time
		x, y, w := labeled(12, n, 32, 3, 1, 1e6)
		want := addRows(t, x, y, w, false, 0)
		for name, rows := range map[string]linalg.Rows{
			"dense": x, "sparse": linalgtest.Sparse(x), "blocks": linalgtest.OddBlocks{X: x}, "in a file": linalgtest.Remote{Rows: linalgtest.OddBlocks{X: x}},
		} {
			m, _ := moments.New(32, false)
			if err := m.AddAll(rows, y, w, 0); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(m.Classes(), want.Classes()) || !slices.Equal(m.Weights(), want.Weights()) || !slices.Equal(m.Rows(), want.Rows()) {
				t.Fatalf("%s: classes %v, weights %v, rows %v", name, m.Classes(), m.Weights(), m.Rows())
			}
			for k := range m.Classes() {
				linalgtest.CloseSlice(t, name+": mean", m.Mean(k), want.Mean(k), 1e-14)
				linalgtest.CloseSlice(t, name+": scatter", m.Scatter(k).Data, want.Scatter(k).Data, 1e-11*float64(n))
			}
		}
	}
}

func TestBitsDoNotDependOnWorkers(t *testing.T) {
	linalgtest.SkipEmulated(t)
	x, y, w := labeled(5, 6000, 150, 3, 1, 5) // several pieces of work, pooled or not
	for _, pooled := range []bool{false, true} {
		want := addRows(t, x, y, w, pooled, 1)
		for _, workers := range []int{2, 3, 16} {
			if got := addRows(t, x, y, w, pooled, workers); !reflect.DeepEqual(got, want) {
				t.Errorf("pooled %v, %d workers: other bits", pooled, workers)
			}
		}
	}
}

func TestWeightsAreRepeatedRows(t *testing.T) {
	x, y, w := labeled(6, 300, 3, 3, 1, 0)
	var rows [][]float64
	var labels []int
	for i := range x.Rows {
		for range int(w[i]) {
			rows, labels = append(rows, x.Row(i)), append(labels, y[i])
		}
	}
	repeated, err := linalg.FromRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	a, b := addRows(t, x, y, w, false, 0), addRows(t, repeated, labels, nil, false, 0)
	linalgtest.CloseSlice(t, "weights", a.Weights(), b.Weights(), 0)
	for k := range a.Classes() {
		linalgtest.CloseSlice(t, "mean", a.Mean(k), b.Mean(k), 1e-13)
		linalgtest.CloseSlice(t, "scatter", a.Scatter(k).Data, b.Scatter(k).Data, 1e-12)
	}
}

// Labels that no table can hold give the same moments as small ones.
func TestClonesShareNothing(t *testing.T) {
	x, y, w := labeled(8, 30, 2, 2, 1, 0)
	for _, pooled := range []bool{false, true} {
		m, want := addRows(t, x, y, w, pooled, 0), addRows(t, x, y, w, pooled, 0)
		c := m.Clone()
		if err := c.AddRows(x, y, w, 0); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m, want) {
			t.Errorf("pooled %v: rows added to a copy have changed the moments", pooled)
		}
	}
}

func TestFarLabels(t *testing.T) {
	x, y, w := labeled(10, 200, 2, 3, 1, 0)
	near := addRows(t, x, y, w, false, 0)
	far := slices.Clone(y)
	to := map[int]int{-4: math.MinInt, -1: 0, 2: math.MaxInt}
	for i, v := range y {
		far[i] = to[v]
	}
	m := addRows(t, x, far, w, false, 0)
	if !slices.Equal(m.Classes(), []int{math.MinInt, 0, math.MaxInt}) || !slices.Equal(m.Weights(), near.Weights()) {
		t.Fatalf("classes %v, weights %v", m.Classes(), m.Weights())
	}
	for k := range 3 {
		linalgtest.CloseSlice(t, "scatter", m.Scatter(k).Data, near.Scatter(k).Data, 0)
	}
}

func BenchmarkAddRows(b *testing.B) {
	x, y, _ := labeled(9, 100000, 100, 10, 1, 0)
	for _, c := range []struct {
		name   string
		pooled bool
	}{{"pooled", true}, {"classes", false}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m, _ := moments.New(x.Cols, c.pooled)
				if err := m.AddRows(x, y, nil, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestTriangle(t *testing.T) {
	x, y, w := labeled(11, 300, 4, 3, 1, 1e8)
	m := addRows(t, x, y, w, false, 0)
	for k := -1; k < 3; k++ {
		triangle, err := moments.TriangleOf(k, x, y, w, 0)
		if err != nil || triangle.Check() != nil {
			t.Fatal(err, triangle.Check())
		}
		r, want := triangle.R, m.Within()
		if k >= 0 {
			want = m.Scatter(k)
		}
		for i := range 4 {
			for j := range 4 {
				linalgtest.Close(t, "RᵀR", linalg.Dot(r.Col(nil, i), r.Col(nil, j)), want.At(i, j), 1e-12)
			}
		}
	}
	// A sum of scatters and of a multiple of the unit matrix.
	own, _ := moments.TriangleOf(1, x, y, w, 0)
	all, _ := moments.TriangleOf(-1, x, y, w, 0)
	b, err := moments.Blend([]float64{3, 0.25}, []*moments.Triangle{own, all}, 7)
	if err != nil || b.Check() != nil {
		t.Fatal(err, b.Check())
	}
	for i := range 4 {
		for j := range 4 {
			want := 3*m.Scatter(1).At(i, j) + m.Within().At(i, j)/4
			if i == j {
				want += 7
			}
			linalgtest.Close(t, "blend", linalg.Dot(b.R.Col(nil, i), b.R.Col(nil, j)), want, 1e-12)
		}
	}
	// A dependence that only the stored digits of the sum break.
	for i := range x.Rows {
		x.Set(i, 3, x.At(i, 0)+x.At(i, 1))
	}
	var rank *linalg.RankError
	if r, err := moments.TriangleOf(-1, x, y, w, 0); err != nil || !errors.As(r.Check(), &rank) || !slices.Equal(rank.Columns, []int{3}) {
		t.Errorf("a sum of columns: %v, %v", err, r.Check())
	}
	for _, err := range []error{triangleError(3, x, y, w), triangleError(0, x, y[1:], w), triangleError(0, nil, nil, nil)} {
		if shape := (*linalg.ShapeError)(nil); !errors.As(err, &shape) {
			t.Errorf("rows that do not fit: %v", err)
		}
	}
}

func triangleError(k int, x *linalg.Dense, y []int, w []float64) error {
	_, err := moments.TriangleOf(k, x, y, w, 0)
	return err
}

// Rows that are fewer than the columns stay as they are: a triangle beside them would have the size of a scatter.
func TestTrianglesOfFewRowsAreTheRows(t *testing.T) {
	const n, p = 7, 900
	x, y, w := labeled(3, n, p, 2, 1, 5)
	m := addRows(t, x, y, w, true, 0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	of, err := moments.TriangleOf(-1, x, y, w, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := moments.Blend([]float64{0.5}, []*moments.Triangle{of}, 0)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 8*p*p/4 {
		t.Errorf("%d bytes for %d × %d values", got, n, p)
	}
	for j := 0; j < p; j += 37 {
		want := m.Within().At(p-1, j)
		linalgtest.Close(t, "RᵀR", linalg.Dot(of.R.Col(nil, p-1), of.R.Col(nil, j)), want, 1e-12)
		linalgtest.Close(t, "blend", linalg.Dot(b.R.Col(nil, p-1), b.R.Col(nil, j)), want/2, 1e-12)
	}
	var rank *linalg.RankError
	if errors.As(b.Check(), &rank); rank == nil || rank.Rank != of.R.Rows-2 {
		t.Errorf("%v", b.Check())
	}
}

func TestRelabeledPartsMergeToTheWhole(t *testing.T) {
	x := linalgtest.Normal(1, 60, 3)
	y := make([]int, 60)
	for i := range y {
		y[i] = i % 3
	}
	gather := func(lo, hi int, code map[int]int) *moments.ByClass {
		m, err := moments.New(3, false)
		if err != nil {
			t.Fatal(err)
		}
		part := make([]int, hi-lo)
		for i := range part {
			part[i] = code[y[lo+i]]
		}
		if err := m.AddRows(x.RowRange(lo, hi), part, nil, 1); err != nil {
			t.Fatal(err)
		}
		return m
	}
	same := map[int]int{0: 0, 1: 1, 2: 2}
	other := map[int]int{0: 2, 1: 0, 2: 1}
	back := map[int]int{2: 0, 0: 1, 1: 2}
	whole, merged := gather(0, 60, same), gather(0, 30, same)
	part, err := gather(30, 60, other).Relabel(func(l int) int { return back[l] })
	if err != nil {
		t.Fatal(err)
	}
	if err := merged.Merge(part); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(merged.Classes(), whole.Classes()) || !slices.Equal(merged.Rows(), whole.Rows()) {
		t.Fatalf("classes %v, rows %v", merged.Classes(), merged.Rows())
	}
	for k := range 3 {
		linalgtest.CloseSlice(t, "mean", merged.Mean(k), whole.Mean(k), 1e-14)
		linalgtest.CloseSlice(t, "scatter", merged.Scatter(k).Data, whole.Scatter(k).Data, 1e-13)
	}
	var ce *linalg.ClassError
	if _, err := whole.Relabel(func(int) int { return 7 }); !errors.As(err, &ce) || ce.Class != 7 {
		t.Errorf("one label for all: %v", err)
	}
}
