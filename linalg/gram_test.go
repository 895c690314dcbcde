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
	r := rand.New(rand.NewPCG(7, 8))
	n, p := 20_000, 37
	x := normals(r, n, p)
	c, w, b, e := normals(r, 1, p).Data, normals(r, 1, n).Data, normals(r, 1, p).Data, normals(r, 1, n).Data
	k := normals(r, 11, p)
	run := func(workers int) []float64 {
		out := append([]float64(nil), linalg.Gram(x, c, w, workers).Data...)
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

// The three products, against the triple loop.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, s := range [][3]int{{1, 1, 1}, {3, 5, 2}, {8, 16, 8}, {9, 17, 7}, {30, 4, 64}, {100, 33, 10}, {65, 100, 26}, {300, 20, 3}, {17, 700, 19}} {
		n, p, q := s[0], s[1], s[2]
		a, b, at, bt := normals(r, n, p), normals(r, p, q), linalg.Zeros(p, n), linalg.Zeros(q, p)
		for i := range n {
			for j := range p {
				at.Set(j, i, a.At(i, j))
			}
		}
		for i := range p {
			for j := range q {
				bt.Set(j, i, b.At(i, j))
			}
		}
		start := normals(r, n, q)
		for _, alpha := range []float64{1, -1, 0.5} {
			c1, c2, c3 := start.Clone(), start.Clone(), start.Clone()
			linalg.MulAdd(c1, alpha, a, b)
			linalg.MulTAdd(c2, alpha, at, b)
			linalg.MulBTAdd(c3, alpha, a, bt)
			for i := range n {
				for j := range q {
					want, abs := start.At(i, j), math.Abs(start.At(i, j))
					for k := range p {
						v := alpha * a.At(i, k) * b.At(k, j)
						want += v
						abs += math.Abs(v)
					}
					for name, c := range map[string]*linalg.Dense{"MulAdd": c1, "MulTAdd": c2, "MulBTAdd": c3} {
						if !(math.Abs(c.At(i, j)-want) <= float64(p+3)*0x1p-53*abs) {
							t.Fatalf("%s %d×%d×%d: (%d, %d) is %v, want %v", name, n, p, q, i, j, c.At(i, j), want)
						}
					}
				}
			}
		}
		c := linalg.Zeros(n, q)
		linalg.MulBT(c, a, bt, 0)
		for i := range n {
			for j := range q {
				want := linalg.Dot(a.Row(i), bt.Row(j))
				if !(math.Abs(c.At(i, j)-want) <= float64(2*p)*0x1p-53*linalg.Norm(a.Row(i))*linalg.Norm(bt.Row(j))) {
					t.Fatalf("MulBT %d×%d×%d: (%d, %d) is %v, want %v", n, p, q, i, j, c.At(i, j), want)
				}
			}
		}
	}
}

// The forms of Xᵀr and Xb agree, and add where they say so.
func TestProductsWithVectors(t *testing.T) {
	x := linalgtest.Normal(82, 300, 7)
	r, b := linalgtest.Normal(83, 1, 300).Row(0), linalgtest.Normal(84, 1, 7).Row(0)
	into, added, each := make([]float64, 7), slices.Clone(b), make([]float64, 7)
	x.MulTVec(into, r)
	linalg.MulTVecAdd(added, x, r)
	f := make([]float64, 300)
	x.MulVec(f, b)
	for j := range each {
		each[j] = linalg.Dot(x.Col(nil, j), r)
		linalgtest.Close(t, "MulTVec", into[j], each[j], 1e-13)
		linalgtest.Close(t, "MulTVecAdd", added[j], b[j]+each[j], 1e-13)
	}
	linalgtest.Close(t, "rᵀ(Xb) = (Xᵀr)ᵀb", linalg.Dot(r, f), linalg.Dot(into, b), 1e-13)
}
