package linalg_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// The covariance of three points about their mean.
func ExampleGram() {
	x, err := linalg.FromRows([][]float64{{1, 2}, {2, 4}, {3, 9}})
	if err != nil {
		log.Fatal(err)
	}
	mean := []float64{2, 5}
	s := linalg.Gram(x, mean, nil, 0)
	linalg.Scale(s.Data, 1.0/2)
	fmt.Println(s.Row(0))
	fmt.Println(s.Row(1))
	// Output:
	// [1 3.5]
	// [3.5 13]
}

// The products of rows are those of the columns of the transpose, and symmetric to the bit, on
// any number of workers, about an origin too.
func TestGramOfRows(t *testing.T) {
	sizes := [][2]int{{1, 1}, {3, 700}, {40, 511}, {40, 2100}, {530, 1100}}
	if linalgtest.Slow() {
		sizes[4] = [2]int{140, 1100}
	}
	for _, s := range sizes {
		x := linalgtest.Normal(3, s[0], s[1])
		origin, scale := linalgtest.Numbers(x.Cols), linalgtest.Numbers(x.Cols + 1)[1:]
		about := x.Clone()
		for i := range about.Rows {
			for j, v := range about.Row(i) {
				about.Set(i, j, scale[j]*(v-origin[j]))
			}
		}
		want, got := linalg.Zeros(s[0], s[0]), linalg.GramOfRows(about, nil, nil, 1)
		linalg.MulBT(want, about, about, 1)
		linalgtest.CloseSlice(t, fmt.Sprint(s), got.Data, want.Data, 1e-10)
		if !slices.Equal(got.Data, linalg.GramOfRows(x, origin, scale, 3).Data) {
			t.Errorf("%v: three workers give other bits than one", s)
		}
		for i := range got.Rows {
			for j := range i {
				if got.At(i, j) != got.At(j, i) {
					t.Fatalf("%v: elements %d, %d differ from their mirror", s, i, j)
				}
			}
		}
	}
}

func normals(r *rand.Rand, n, p int) *linalg.Dense {
	a := linalg.Zeros(n, p)
	for i := range a.Data {
		a.Data[i] = r.NormFloat64()
	}
	return a
}

// naiveGram sums in the order of the formula and returns beside each element the
// sum of the absolute values of its terms.
func naiveGram(x *linalg.Dense, c, w []float64) (g, abs *linalg.Dense) {
	p := x.Cols
	g, abs = linalg.Zeros(p, p), linalg.Zeros(p, p)
	row := make([]float64, p)
	for i := range x.Rows {
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		copy(row, x.Row(i))
		for j := range c {
			row[j] -= c[j]
		}
		for j := range p {
			for k := range p {
				v := wi * row[j] * row[k]
				g.Data[j*p+k] += v
				abs.Data[j*p+k] += math.Abs(v)
			}
		}
	}
	return g, abs
}

var gramShapes = [][2]int{{1, 1}, {1, 40}, {3, 7}, {5, 8}, {64, 9}, {64, 15}, {65, 16}, {130, 17}, {257, 24}, {300, 31}, {700, 33}, {513, 100}}

func TestGramIsTheSumOfItsFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range gramShapes {
		n, p := s[0], s[1]
		x := normals(r, n, p)
		c, w := normals(r, 1, p).Data, normals(r, 1, n).Data
		for name, a := range map[string]struct{ c, w []float64 }{
			"plain": {}, "centred": {c, nil}, "weighted": {nil, w}, "both": {c, w},
		} {
			t.Run(fmt.Sprintf("%d×%d %s", n, p, name), func(t *testing.T) {
				want, abs := naiveGram(x, a.c, a.w)
				got := linalg.Gram(x, a.c, a.w, 0)
				for i, v := range got.Data {
					if !(math.Abs(v-want.Data[i]) <= float64(n+3)*0x1p-53*abs.Data[i]) {
						t.Fatalf("element %d is %v, want %v", i, v, want.Data[i])
					}
				}
			})
		}
	}
}

// Rows of p values in a wider matrix; dst is a window too. Syrk adds, and only
// to rows and columns of its own.
func TestSyrkStaysInsideItsWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range gramShapes {
		n, p := s[0], s[1]
		wide := normals(r, n, p+3)
		for i := range n {
			wide.Set(i, p, math.NaN())
		}
		x := &linalg.Dense{Rows: n, Cols: p, Stride: p + 3, Data: wide.Data[:(n-1)*(p+3)+p]}
		big := linalg.Zeros(p, p+2)
		for i := range big.Data {
			big.Data[i] = 7
		}
		dst := &linalg.Dense{Rows: p, Cols: p, Stride: p + 2, Data: big.Data}
		linalg.Syrk(dst, x, nil, nil)
		want, abs := naiveGram(x, nil, nil)
		for i := range p {
			for j := range p + 2 {
				got := big.At(i, j)
				switch {
				case j >= p && got != 7:
					t.Fatalf("%d×%d: wrote behind row %d", n, p, i)
				case j/8 > i/8 && j < p && got != 7:
					t.Fatalf("%d×%d: wrote to (%d, %d), above the squares on the diagonal", n, p, i, j)
				case j <= i && !(math.Abs(got-7-want.At(i, j)) <= float64(n+10)*0x1p-53*(7+abs.At(i, j))):
					t.Fatalf("%d×%d: (%d, %d) is %v, want %v", n, p, i, j, got, 7+want.At(i, j))
				}
			}
		}
	}
}

// A mean of 1e8 beside a variance of 1 costs no digits about the mean.
// Goroutines share the columns of few long rows.
func TestGramOfManyColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 8))
	x, c := normals(r, 70, 530), normals(r, 1, 530).Data
	w := make([]float64, x.Rows)
	for i := range w {
		w[i] = r.Float64()
	}
	g := linalg.Gram(x, c, w, 3)
	for _, at := range [][2]int{{0, 0}, {529, 0}, {0, 529}, {127, 128}, {128, 127}, {511, 512}, {529, 529}, {300, 7}} {
		want := 0.0
		for i := range x.Rows {
			want += w[i] * (x.At(i, at[0]) - c[at[0]]) * (x.At(i, at[1]) - c[at[1]])
		}
		linalgtest.Close(t, fmt.Sprint(at), g.At(at[0], at[1]), want, 1e-12)
	}
}

func TestGramAboutAnOrigin(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	n, p := 1000, 20
	x, y := normals(r, n, p), linalg.Zeros(n, p)
	for i := range x.Data {
		x.Data[i] = math.Round(x.Data[i]*1024) / 1024
		y.Data[i] = x.Data[i] + 1e8
	}
	c := make([]float64, p)
	for j := range c {
		c[j] = 1e8
	}
	want, got := linalg.Gram(x, nil, nil, 0), linalg.Gram(y, c, nil, 0)
	for i, v := range got.Data {
		if v != want.Data[i] {
			t.Fatalf("element %d is %v, without the mean %v", i, v, want.Data[i])
		}
	}
}

func TestBitsDoNotDependOnWorkers(t *testing.T) {
	linalgtest.SkipEmulated(t)
	r := rand.New(rand.NewPCG(7, 8))
	n, p := 20_000, 37
	x := normals(r, n, p)
	c, w, b, e := normals(r, 1, p).Data, normals(r, 1, n).Data, normals(r, 1, p).Data, normals(r, 1, n).Data
	k := normals(r, 11, p)
	many := normals(r, 90, 530) // columns, which goroutines share
	gram := linalg.Gram(many, nil, nil, 1)
	for j := range gram.Rows {
		gram.Data[j*gram.Stride+j] += 1
	}
	factor, err := linalg.NewCholesky(gram)
	if err != nil {
		t.Fatal(err)
	}
	run := func(workers int) []float64 {
		out := append([]float64(nil), linalg.Gram(x, c, w, workers).Data...)
		out = append(out, linalg.Gram(many, many.Row(3), w[:many.Rows], workers).Data...)
		out = append(out, factor.InverseL(workers).Data...)
		xb, xe, xk := make([]float64, n), make([]float64, p), linalg.Zeros(n, 11)
		linalg.MulVec(xb, x, b, workers)
		linalg.MulTVec(xe, x, e, workers)
		linalg.MulBT(xk, x, k, workers)
		return append(append(append(out, xb...), xe...), xk.Data...)
	}
	want := run(1)
	for _, workers := range []int{2, 3, 16} {
		for i, v := range run(workers) {
			if math.Float64bits(v) != math.Float64bits(want[i]) {
				t.Fatalf("%d workers: value %d is %v, one worker gives %v", workers, i, v, want[i])
			}
		}
	}
}

func TestSmallCallsDoNotAllocate(t *testing.T) {
	if linalgtest.Race {
		t.Skip("the race detector lets pools forget")
	}
	r := rand.New(rand.NewPCG(9, 10))
	x := normals(r, 64, 30)
	g, w, c, out := linalg.Zeros(30, 30), normals(r, 1, 64).Data, normals(r, 1, 30).Data, make([]float64, 64)
	scores, k := linalg.Zeros(64, 5), normals(r, 5, 30)
	for name, f := range map[string]func(){
		"Syrk":    func() { linalg.Syrk(g, x, c, w) },
		"MulVec":  func() { linalg.MulVec(out, x, c, 0) },
		"MulTVec": func() { linalg.MulTVec(c, x, out, 0) },
		"MulBT":   func() { linalg.MulBT(scores, x, k, 0) },
		"MulTAdd": func() { linalg.MulTAdd(g, 1e-3, x, x) },
	} {
		if a := testing.AllocsPerRun(50, f); a >= 1 {
			t.Errorf("%s allocates %g times", name, a)
		}
	}
}
