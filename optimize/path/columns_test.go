package path

// The copy of the rows by features has no public face: a path that sums wrongly over it
// converges all the same, by its general solver. So these tests are inside.

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// Rows whose number of values wraps to a small one in 32 bits are not copied by features.
func TestManyRowsAreNotCopiedByFeatures(t *testing.T) {
	d := &design.Design{N: 1 << 16, P: 1<<16 + 1, Intercept: 1}
	p := &Problem{Objective: glm.NewMulti(d, nil, loss.Softmax{K: 10}, nil, nil), penalty: Penalty{L1Ratio: 1}}
	if err := p.copyMany(false); err != nil || p.columns != nil {
		t.Errorf("%v, %v", p.columns, err)
	}
}

// signs returns the labels 0 and 1 as −1 and 1.
func signs(labels []int) []float64 {
	y := make([]float64, len(labels))
	for i, c := range labels {
		y[i] = float64(2*c - 1)
	}
	return y
}

// logistic returns the objective of a lasso of two classes.
func logistic(t *testing.T, x linalg.Rows, labels []int, standardize bool, s design.Settings) *glm.Objective {
	t.Helper()
	d, err := design.New(x, len(labels), "labels", s)
	if err != nil {
		t.Fatal(err)
	}
	if err := Measure(d, standardize); err != nil {
		t.Fatal(err)
	}
	return glm.New(d, signs(labels), loss.Logistic{}, nil)
}

// columnsOf returns the copy of an objective's rows.
func columnsOf(t *testing.T, o *glm.Objective) *columns {
	t.Helper()
	c, err := newColumns(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A Hessian by features is the one by rows, whichever features are in use.
func TestByFeature(t *testing.T) {
	for _, noIntercept := range []bool{false, true} {
		x, labels := linalgtest.LabeledRows(300, 21, 2)
		s := design.Settings{NoIntercept: noIntercept, Weights: make([]float64, 300), Offset: make([]float64, 300)}
		for i := range 300 {
			s.Weights[i], s.Offset[i] = float64(i%3), math.Sin(float64(i))
			x.Row(i)[2] += 1000 // moves the origin
		}
		for _, rows := range []linalg.Rows{x, linalgtest.OddBlocks{X: x}} {
			o := logistic(t, rows, labels, true, s)
			c, k := columnsOf(t, o), o.Intercept
			set := linalg.Sequence(k)
			for i, j := range []int{20, 3, 2, 0, 7, 8, 9, 10, 11, 12} {
				c.use(i, j)
				set = append(set, j+k)
				at, full := make([]float64, len(set)), make([]float64, o.Dim())
				for m, j := range set {
					at[m] = math.Cos(float64(m+i)) / 4
					full[j] = at[m]
				}
				c.setCurvature(at)
				n := len(set)
				h, want := linalg.Zeros(n, n), linalg.Zeros(n, n)
				c.hessian(h, n)
				o.SubHess(want, full, set, nil)
				linalgtest.Close(t, "hessian", apart(h, want), 0, 1e-9)
				from := n / 2
				h, want = linalg.Zeros(n-from, n), linalg.Zeros(n-from, n)
				c.hessianRows(h, from)
				o.SubHess(want, full, set[from:], set)
				linalgtest.Close(t, "rows of the hessian", apart(h, want), 0, 1e-9)
			}
		}
	}
}

// Features brought near stand behind those in use, and these stay. Of a wide table no others
// are copied, also about an origin that is not 0.
func TestBringNear(t *testing.T) {
	for _, rows := range []int{2, 300} {
		for _, origin := range []float64{0, 1e5} {
			testBringNear(t, rows, origin)
		}
	}
}

func testBringNear(t *testing.T, rows int, origin float64) {
	x, labels := linalgtest.LabeledRows(rows, 30, 2)
	for i := range rows {
		linalg.Axpy(x.Row(i), origin, slices.Repeat([]float64{1}, 30))
	}
	o := logistic(t, x, labels, false, design.Settings{})
	row := make([]float64, o.Dim())
	if err := o.Row(row, rows-1); err != nil {
		t.Fatal(err)
	}
	c := columnsOf(t, o)
	if all := c.held == 30; all != (rows == 300) {
		t.Errorf("%d of 30 features of %d rows are held", c.held, rows)
	}
	c.need([]int{7, 3})
	c.use(0, 7)
	c.use(1, 3)
	for _, want := range [][]int{{4, 0, 29}, {28, 29, 5, 4, 1}, {}, {2, 8}} {
		hi := c.bringNear(2, want)
		got := slices.Sorted(slices.Values(c.feature[2:hi]))
		if slices.Sort(want); !slices.Equal(got, want) || c.feature[0] != 7 || c.feature[1] != 3 {
			t.Errorf("features %v, want 7, 3 and %v", c.feature[:hi], want)
		}
		for i, j := range c.feature {
			last := c.blocks[len(c.blocks)-1]
			if c.row[j] != i || i < c.held && math.Abs(last.At(i, last.Cols-1)-row[j+1]) > 1e-9 {
				t.Errorf("%d rows: row %d is not feature %d", rows, i, j)
			}
		}
	}
	if rows == 2 && c.held != 10 {
		t.Errorf("%d features are held, want 10", c.held)
	}
}

// apart returns the largest difference of elements, relative to the largest one.
func apart(a, b *linalg.Dense) float64 {
	d := slices.Clone(a.Data)
	linalg.Axpy(d, -1, b.Data)
	return linalg.NormInf(d) / linalg.NormInf(b.Data)
}
