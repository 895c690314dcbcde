package design_test

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// farRows returns rows far from 0, and weights of which one is 0, as that row is out of the way.
func farRows(n, p int, mean float64) (*linalg.Dense, []float64) {
	x, w := linalgtest.Normal(3, n, p), make([]float64, n)
	for i := range n {
		w[i] = float64((i + 2) % 3)
		for j := range p {
			x.Row(i)[j] += mean * math.Sin(float64(j+1))
		}
	}
	x.Row(1)[0] = -1e3 * mean
	return x, w
}

// Functions of a leveled design are those of the design, and their coordinates as long as scaled
// coefficients, the level apart; they are those of the rows themselves in sums, products and parts.
func TestLeveledFunctionsAreTheSame(t *testing.T) {
	const n, p, mean = 300, 5, 0x1p20
	x, w := farRows(n, p, mean)
	d, err := design.New(x, n, "rows", design.Settings{NoIntercept: true, Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	scale := []float64{1, 2, 0.5, 1, 3}
	l := d.Leveled(scale)
	if l == nil {
		t.Fatal("the means are far from 0")
	}
	beta := linalgtest.Numbers(2 * p)
	theta := linalg.Clone(beta)
	for at := range theta {
		theta[at] *= d.Unit[at%p]
	}
	phi := linalg.Clone(theta)
	l.From(phi)
	for c := range 2 {
		squares, want := math.Pow(phi[c*p]/l.Length, 2), 0.0
		for j := range p {
			want += math.Pow(theta[c*p+j]/scale[j], 2)
			if j > 0 {
				squares += phi[c*p+j] * phi[c*p+j]
			}
		}
		linalgtest.Close(t, "squares", squares, want, 1e-12)
		got, exact := make([]float64, n), make([]float64, n)
		if err := l.Rows.Margins(got, phi[c*p:(c+1)*p]); err != nil {
			t.Fatal(err)
		}
		if err := d.Margins(exact, theta[c*p:(c+1)*p]); err != nil {
			t.Fatal(err)
		}
		for i, f := range got {
			if w[i] > 0 && !(math.Abs(f-exact[i]) <= 1e-14*mean*float64(p)*linalg.NormInf(beta)) {
				t.Fatalf("function %d of row %d is %v, not %v", c, i, f, exact[i])
			}
		}
	}
	l.To(phi)
	linalgtest.CloseSlice(t, "back", phi, theta, 1e-7)
	checkLevelColumn(t, l.Rows)
}

// checkLevelColumn compares sums of a leveled design with those of its rows (a, z).
func checkLevelColumn(t *testing.T, d *design.Design) {
	rows, err := d.Weighted()
	if err != nil {
		t.Fatal(err)
	}
	v := make([]float64, d.N) // Weighted has the weights already
	r := linalg.Zeros(d.N, 2)
	for i := range v {
		v[i] = d.Weight(i)
		r.Row(i)[0], r.Row(i)[1] = math.Sqrt(v[i])*math.Sin(float64(i)), math.Sqrt(v[i])*math.Cos(float64(i))
	}
	want := linalg.Gram(rows, nil, nil, 1)
	h, err := d.Gram(v)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "Gram", h.Data, want.Data, 1e-13)
	sub := linalg.Zeros(2, 2)
	if err := d.SubGram(sub, v, []int{0, 2}, nil); err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "SubGram", sub.Data, []float64{want.At(0, 0), want.At(0, 2), want.At(2, 0), want.At(2, 2)}, 1e-13)
	for _, k := range []int{1, 2, 12} {
		r := linalg.Zeros(d.N, k)
		for i := range r.Data {
			r.Data[i] = math.Sin(float64(i))
		}
		sums := linalg.Zeros(k, d.Dim())
		linalg.MulTAdd(sums, 1, r, rows)
		for i := range r.Data {
			r.Data[i] *= math.Sqrt(v[i/k])
		}
		back, err := d.Back(r)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.CloseSlice(t, "Back", back, sums.Data, 1e-12)
		f, theta := d.NewFunctions(k), linalgtest.Numbers(k*d.Dim())
		for c := range k {
			f.Set(d, c, theta[c*d.Dim():(c+1)*d.Dim()])
		}
		scores, exact, of := linalg.Zeros(d.N, k), linalg.Zeros(d.N, k), linalg.Zeros(d.N, k)
		e := exactly(d, theta, k)
		linalg.MulBTAdd(of, 1, rows, &linalg.Dense{Rows: k, Cols: d.Dim(), Stride: d.Dim(), Data: theta})
		err = d.EachRow(func() func(*design.Block) {
			return func(b *design.Block) {
				b.AlongAll(scores.RowRange(b.Lo, b.Hi), f)
				b.ExactScores(exact.RowRange(b.Lo, b.Hi), e)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range scores.Data {
			scores.Data[i] *= math.Sqrt(v[i/k])
			exact.Data[i] *= math.Sqrt(v[i/k])
		}
		linalgtest.CloseSlice(t, "exact scores", exact.Data, of.Data, 1e-12)
		linalgtest.CloseSlice(t, "scores", scores.Data, of.Data, 1e-12)
	}
	part, err := d.Thin(7)
	if err != nil {
		t.Fatal(err)
	}
	few, err := part.Weighted()
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "part of the rows", few.Row(2), rows.Row(14), 0)
}

// exactly returns k functions of a design for scores in twice the precision.
func exactly(d *design.Design, theta []float64, k int) *design.Exact {
	coef, levels := linalg.Zeros(k, d.P), make([]float64, k)
	for c := range levels {
		levels[c] = d.Coef(coef.Row(c), theta[c*d.Dim():(c+1)*d.Dim()])
	}
	return d.Exactly(coef, levels)
}

// A design whose means are near 0, that has an intercept, few features or numbers out of range is
// left as it is.
func TestNearOrUnusableRowsAreNotLeveled(t *testing.T) {
	ones := []float64{1, 1, 1}
	of := func(x *linalg.Dense) *design.Level {
		d, err := design.New(x, x.Rows, "rows", design.Settings{NoIntercept: true})
		if err != nil {
			t.Fatal(err)
		}
		return d.Leveled(ones[:x.Cols])
	}
	far, _ := farRows(200, 3, 1e6)
	copy(far.Row(1), far.Row(0))
	if of(far) == nil {
		t.Error("rows far from 0 are not leveled")
	}
	near, _ := farRows(200, 3, 10)
	if of(near) != nil {
		t.Error("rows near 0 are leveled")
	}
	column := linalg.Zeros(200, 1)
	for i := range column.Data {
		column.Data[i] = 1e6 + float64(i%7)
	}
	if of(column) != nil {
		t.Error("one feature is leveled")
	}
	for _, v := range []float64{math.NaN(), 1e200, 1e-200, 4e5, -1e6} {
		x := far.Clone()
		x.Row(57)[1] = v
		if of(x) != nil {
			t.Errorf("rows with %v are leveled", v)
		}
	}
}

// Means are far from 0 if they are beside the deviations of the rows: one row tells none.
func TestLevelNeedsMeansFarFrom0(t *testing.T) {
	const n = 640
	x := linalg.Zeros(n, 2)
	for _, c := range []struct {
		mean float64
		far  bool
	}{{16, false}, {64, true}} {
		for i := range n {
			x.Row(i)[0], x.Row(i)[1] = c.mean+math.Sin(float64(i)), math.Cos(float64(i)) // deviations of √½
		}
		d, err := design.New(x, n, "rows", design.Settings{NoIntercept: true})
		if err != nil {
			t.Fatal(err)
		}
		if l := d.Leveled(d.Unit); (l != nil) != c.far {
			t.Errorf("means of %g beside deviations of 1: a basis %v, want %v", c.mean, l != nil, c.far)
		}
	}
}
