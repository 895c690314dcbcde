package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func refDot(a, b []float64) (s, abs float64) {
	for i := range a {
		s += a[i] * b[i]
		abs += math.Abs(a[i] * b[i])
	}
	return s, abs
}

func TestDot(t *testing.T) {
	each(t, func(t *testing.T) {
		eachOperand(t, func(r *rand.Rand, n, off int, spoil bool, fill func(int) float64) {
			a, b := guarded(n, off, fill), guarded(n, r.IntN(8), fill)
			if spoil {
				special(r, a.v)
			}
			want, abs := refDot(a.v, b.v)
			same(t, Dot(a.v, b.v), want, abs, n, "length %d", n)
		})
	})
}

func TestAxpy(t *testing.T) {
	each(t, func(t *testing.T) {
		eachOperand(t, func(r *rand.Rand, n, off int, spoil bool, fill func(int) float64) {
			dst, x := guarded(n, off, fill), guarded(n, r.IntN(8), fill)
			if spoil {
				special(r, x.v)
			}
			old := append([]float64(nil), dst.v...)
			alpha := r.NormFloat64()
			Axpy(dst.v, alpha, x.v)
			dst.check(t)
			for i, got := range dst.v {
				same(t, got, old[i]+alpha*x.v[i], math.Abs(old[i])+math.Abs(alpha*x.v[i]), 2, "length %d, %d", n, i)
			}
		})
	})
}

func TestMulVec(t *testing.T) {
	each(t, func(t *testing.T) {
		eachOperand(t, func(r *rand.Rand, p, off int, spoil bool, fill func(int) float64) {
			n, gap, inc := r.IntN(12), r.IntN(3), 1+r.IntN(3)
			x, b := guardedRows(n, p, gap, off, fill), guarded(p, r.IntN(8), fill)
			if n > 0 && spoil {
				special(r, x.v[:p])
			}
			dst := guarded(max(0, (n-1)*inc+1), r.IntN(8), func(int) float64 { return guardNaN })
			MulVec(dst.v, inc, x.v, p+gap, n, b.v)
			dst.check(t)
			for i, got := range dst.v {
				if i%inc != 0 {
					if math.Float64bits(got) != math.Float64bits(guardNaN) {
						t.Fatalf("write between results at %d, inc %d", i, inc)
					}
					continue
				}
				want, abs := refDot(x.v[i/inc*(p+gap):][:p], b.v)
				same(t, got, want, abs, p, "%d×%d, row %d", n, p, i/inc)
			}
		})
	})
}

// The first row on the wrong side is the one that the products of Dot say, one by one.
func TestFirstWrong(t *testing.T) {
	each(t, func(t *testing.T) {
		eachOperand(t, func(r *rand.Rand, p, off int, spoil bool, fill func(int) float64) {
			n, gap := r.IntN(12), r.IntN(3)
			if p == 100 { // several calls into assembly
				n = 2*callRows(p) + r.IntN(callRows(p))
			}
			x, b := guardedRows(n, p, gap, off, fill), guarded(p, r.IntN(8), fill)
			sign, at := guarded(n, r.IntN(8), func(int) float64 { return 1 }), r.NormFloat64()
			flip, wrong := r.IntN(n+1), n
			for i := range n {
				f := at + Dot(b.v, x.v[i*(p+gap):])
				if (f < 0) != (i == flip) {
					sign.v[i] = -1
				}
				if i == flip || f == 0 || f != f {
					wrong = min(wrong, i)
				}
			}
			switch {
			case !spoil || p == 0 || n == 0:
			case r.IntN(2) == 0: // a NaN is on no side
				x.v[0], wrong = math.NaN(), 0
			default: // nor is 0
				at, wrong = -Dot(b.v, x.v), 0
			}
			if got := FirstWrong(sign.v, x.v, p+gap, b.v, at); got != wrong {
				t.Errorf("%d×%d: the first row on the wrong side is %d, want %d", n, p, got, wrong)
			}
		})
	})
}

// A row's values must not depend on how many rows there are.
func TestAffine(t *testing.T) {
	each(t, func(t *testing.T) {
		eachOperand(t, func(r *rand.Rand, p, off int, spoil bool, fill func(int) float64) {
			n, k, gap := r.IntN(12), r.IntN(12), r.IntN(3)
			if p%100 == 7 {
				k = callClasses + r.IntN(2*callClasses)
			}
			x, b := guardedRows(n, p, gap, off, fill), guardedRows(k, p, 2-gap, r.IntN(8), fill)
			origin, at := guarded(p, r.IntN(8), fill), guarded(k, r.IntN(8), fill)
			if n > 0 && spoil {
				special(r, x.v[:p])
			}
			dst := guardedRows(n, k, gap, r.IntN(8), nil)
			if !Affine(dst.v, k+gap, x.v, p+gap, n, origin.v, b.v, p+2-gap, at.v) {
				if level == AVX512 && n*k*p > 0 {
					t.Fatalf("%d×%d, %d functions: not done", n, p, k)
				}
				return
			}
			dst.check(t)
			alone := make([]float64, k)
			for i := range n {
				row := x.v[i*(p+gap):][:p]
				Affine(alone, k, row, p, 1, origin.v, b.v, p+2-gap, at.v)
				for c, got := range dst.v[i*(k+gap):][:k] {
					if math.Float64bits(got) != math.Float64bits(alone[c]) {
						t.Fatalf("%d×%d, %d functions: (%d, %d) is %v, alone %v", n, p, k, i, c, got, alone[c])
					}
					want, abs := at.v[c], math.Abs(at.v[c])
					for j, v := range row {
						term := b.v[c*(p+2-gap)+j] * (v - origin.v[j])
						want += term
						abs += math.Abs(term)
					}
					same(t, got, want, abs, p+1, "%d×%d, %d functions, (%d, %d)", n, p, k, i, c)
				}
				for _, v := range dst.v[i*(k+gap)+k:][:min(gap, len(dst.v)-i*(k+gap)-k)] {
					if math.Float64bits(v) != math.Float64bits(guardNaN) {
						t.Fatalf("%d×%d, %d functions: write behind row %d", n, p, k, i)
					}
				}
			}
		})
	})
}

func TestMulTVec(t *testing.T) {
	each(t, func(t *testing.T) {
		eachOperand(t, func(r *rand.Rand, p, off int, spoil bool, fill func(int) float64) {
			n, gap := r.IntN(12), r.IntN(3)
			x, w := guardedRows(n, p, gap, off, fill), guarded(n, r.IntN(8), fill)
			if n > 0 && spoil {
				special(r, x.v[:p])
			}
			dst := guarded(p, r.IntN(8), fill)
			old := append([]float64(nil), dst.v...)
			MulTVec(dst.v, x.v, p+gap, w.v)
			dst.check(t)
			for j, got := range dst.v {
				want, abs := old[j], math.Abs(old[j])
				for i, v := range w.v {
					want += v * x.v[i*(p+gap)+j]
					abs += math.Abs(v * x.v[i*(p+gap)+j])
				}
				same(t, got, want, abs, n, "%d×%d, column %d", n, p, j)
			}
		})
	})
}

func TestAddAbs(t *testing.T) {
	each(t, func(t *testing.T) {
		eachOperand(t, func(r *rand.Rand, p, off int, spoil bool, fill func(int) float64) {
			n, gap := r.IntN(12), r.IntN(3)
			x := guardedRows(n, p, gap, off, fill)
			if n > 0 && spoil {
				special(r, x.v[:p])
			}
			dst := guarded(p, r.IntN(8), func(i int) float64 { return math.Abs(fill(i)) })
			old := append([]float64(nil), dst.v...)
			// A NaN to which something is added keeps its bits, so another guard is needed.
			behind := &dst.all[len(dst.all)-guard]
			*behind = 1
			AddAbs(dst.v, x.v, p+gap, n)
			if *behind != 1 {
				t.Fatalf("%d×%d: write behind the end", n, p)
			}
			*behind = guardNaN
			dst.check(t)
			for j, got := range dst.v {
				want := old[j]
				for i := range n {
					want += math.Abs(x.v[i*(p+gap)+j])
				}
				same(t, got, want, want, n, "%d×%d, column %d", n, p, j)
			}
		})
	})
}

// One value out of range is found wherever it stands, and nothing outside v.
func TestInRange(t *testing.T) {
	const lo, hi = 0x1p-450, 0x1p450
	each(t, func(t *testing.T) {
		for _, n := range lengths(t) {
			v := guarded(n, n%5, func(i int) float64 {
				return []float64{lo, -lo, hi, -hi, 0, math.Copysign(0, -1), 1}[i%7]
			})
			if !InRange(v.v, lo, hi) {
				t.Fatalf("%d values in range are refused", n)
			}
			for at, good := range v.v {
				for _, bad := range []float64{math.Nextafter(lo, 0), -math.Nextafter(hi, 1e300), 5e-324, 1e308, math.NaN(), math.Inf(1), math.Inf(-1)} {
					v.v[at] = bad
					if InRange(v.v, lo, hi) {
						t.Fatalf("%v at %d of %d is in range", bad, at, n)
					}
				}
				v.v[at] = good
			}
		}
		long := make([]float64, 2*callValues+9)
		for _, at := range []int{0, callValues - 1, callValues, len(long) - 1} {
			long[at] = hi * 2
			if InRange(long, lo, hi) {
				t.Errorf("%v at %d is in range", long[at], at)
			}
			long[at] = 0
		}
		if !InRange(long, lo, hi) {
			t.Error("many zeros are refused")
		}
		if !InRange([]float64{5e-324, math.MaxFloat64, 1, 2, 3, 4, 5}, 0, math.MaxFloat64) {
			t.Error("finite numbers are refused")
		}
	})
}

func TestTile(t *testing.T) {
	each(t, func(t *testing.T) {
		eachOperand(t, func(r *rand.Rand, m, off int, spoil bool, fill func(int) float64) {
			if m > 64 && r.IntN(4) != 0 {
				return
			}
			mr, nr, gap := 1+r.IntN(8), 1+r.IntN(16), r.IntN(4)
			if r.IntN(2) == 0 {
				mr, nr = 8, 16
			}
			a := guarded(m*PanelCols, off, fill)
			ra, ka, av := 1, PanelCols, a.v
			switch r.IntN(3) {
			case 0: // the right half of a panel
				av = a.v[min(8, len(a.v)):]
			case 1: // rows of a matrix
				a = guardedRows(TileRows, m, 5, off, fill)
				ra, ka, av = m+5, 1, a.v
			}
			b := guarded(m*PanelCols, r.IntN(8), fill)
			if spoil {
				special(r, b.v)
			}
			ldc := nr + gap
			c := guardedRows(mr, nr, gap, r.IntN(8), fill)
			old := append([]float64(nil), c.v...)
			Tile(c.v, ldc, mr, nr, av, ra, ka, b.v, m, b.v, 64)
			c.check(t)
			for i := range mr {
				for j := range ldc {
					k := i*ldc + j
					if j >= nr {
						if k < len(c.v) && math.Float64bits(c.v[k]) != math.Float64bits(guardNaN) {
							t.Fatalf("write between rows at %d, %d of %d×%d", i, j, mr, nr)
						}
						continue
					}
					want, abs := 0.0, math.Abs(old[k])
					for l := range m {
						v := av[l*ka+i*ra] * b.v[l*PanelCols+j]
						want += v
						abs += math.Abs(v)
					}
					same(t, c.v[k], old[k]+want, abs, m+1, "m=%d %d×%d strides %d %d, %d, %d", m, mr, nr, ra, ka, i, j)
				}
			}
		})
	})
}

func TestPack(t *testing.T) {
	each(t, func(t *testing.T) {
		eachOperand(t, func(r *rand.Rand, m, off int, spoil bool, fill func(int) float64) {
			cols, gap := 1+r.IntN(16), r.IntN(4)
			x := guardedRows(m, cols, gap, off, fill)
			if m > 0 && spoil {
				special(r, x.v[:cols])
			}
			origin, w := guarded(cols, r.IntN(8), fill), guarded(m, r.IntN(8), fill)
			var o, u []float64
			if r.IntN(2) == 0 {
				o = origin.v
			}
			if r.IntN(2) == 0 {
				u = w.v
			}
			dst, wdst := guarded(m*PanelCols, r.IntN(8), nil), guarded(m*PanelCols, r.IntN(8), nil)
			Pack(dst.v, wdst.v, x.v, cols+gap, m, cols, o, u)
			dst.check(t)
			wdst.check(t)
			for i := range m {
				for j := range PanelCols {
					want := 0.0
					if j < cols {
						want = x.v[i*(cols+gap)+j]
					}
					if j < cols && o != nil {
						want -= o[j]
					}
					got := dst.v[i*PanelCols+j]
					if got != want && !(got != got && want != want) {
						t.Fatalf("%d×%d, %d, %d: got %v, want %v", m, cols, i, j, got, want)
					}
					if u == nil {
						continue
					}
					want *= u[i]
					got = wdst.v[i*PanelCols+j]
					if got != want && !(got != got && want != want) {
						t.Fatalf("%d×%d, %d, %d weighted: got %v, want %v", m, cols, i, j, got, want)
					}
				}
			}
		})
	})
}

// Long operands are cut into several calls.
func TestLong(t *testing.T) {
	each(t, func(t *testing.T) {
		n := 6*callValues + 37
		r := rand.New(rand.NewPCG(3, 4))
		fill := func(int) float64 { return r.NormFloat64() }
		a, b := guarded(n, 3, fill), guarded(n, 5, fill)
		want, abs := refDot(a.v, b.v)
		same(t, Dot(a.v, b.v), want, abs, n, "Dot")
		old := append([]float64(nil), a.v...)
		Axpy(a.v, 0.5, b.v)
		a.check(t)
		for i := range a.v {
			same(t, a.v[i], old[i]+0.5*b.v[i], math.Abs(old[i])+math.Abs(b.v[i]), 2, "Axpy")
		}
		for _, p := range []int{3, n / 5} {
			rows := n / p
			dst := guarded(rows, 1, nil)
			sizes := guarded(p, 1, func(int) float64 { return 1 })
			AddAbs(sizes.v, b.v, p, rows)
			sizes.check(t)
			for _, j := range []int{0, p / 2, p - 1} {
				want := 1.0
				for i := range rows {
					want += math.Abs(b.v[i*p+j])
				}
				same(t, sizes.v[j], want, want, rows, "AddAbs, %d columns", p)
			}
			MulVec(dst.v, 1, b.v, p, rows, a.v[:p])
			dst.check(t)
			for i, got := range dst.v {
				if want := Dot(b.v[i*p:][:p], a.v[:p]); got != want {
					t.Fatalf("MulVec, p = %d: row %d is %v, want %v", p, i, got, want)
				}
			}
			apart := make([]float64, 3*rows)
			MulVec(apart, 3, b.v, p, rows, a.v[:p])
			for i, got := range apart {
				if want := dst.v[i/3]; i%3 == 0 && got != want || i%3 > 0 && got != 0 {
					t.Fatalf("MulVec three apart, p = %d: number %d is %v, want %v", p, i, got, want)
				}
			}
			s := guarded(p, 2, func(int) float64 { return 0 })
			MulTVec(s.v, b.v, p, dst.v)
			s.check(t)
			for j, got := range s.v {
				want, abs := 0.0, 0.0
				for i, v := range dst.v {
					want += v * b.v[i*p+j]
					abs += math.Abs(v * b.v[i*p+j])
				}
				same(t, got, want, abs, rows, "MulTVec, p = %d, column %d", p, j)
			}
		}
	})
}

// The result must not depend on where the operands lie.
func TestAlignmentKeepsBits(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, n := range lengths(t) {
			var first uint64
			for off := range 8 {
				r := rand.New(rand.NewPCG(5, 6))
				fill := func(int) float64 { return r.NormFloat64() }
				a, b := guarded(n, off, fill), guarded(n, 7-off, fill)
				bits := math.Float64bits(Dot(a.v, b.v))
				if off == 0 {
					first = bits
				} else if bits != first {
					t.Fatalf("length %d: bits depend on the alignment", n)
				}
			}
		}
	})
}

// Scoring one row must give the bits of scoring many.
func TestMulVecRowsAreDots(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		fill := func(int) float64 { return r.NormFloat64() }
		for _, p := range lengths(t) {
			n := 1 + r.IntN(9)
			x, b, dst := guarded(n*p, 0, fill), guarded(p, 0, fill), make([]float64, n)
			MulVec(dst, 1, x.v, p, n, b.v)
			for i, got := range dst {
				if want := Dot(x.v[i*p:][:p], b.v); got != want {
					t.Fatalf("%d×%d, row %d: MulVec gives %v, Dot %v", n, p, i, got, want)
				}
			}
		}
	})
}

func BenchmarkDot(b *testing.B) {
	for _, n := range []int{4, 10, 30, 100, 1000} {
		x := make([]float64, n)
		for _, l := range Levels() {
			b.Run(fmt.Sprintf("%d/%v", n, l), func(b *testing.B) {
				defer Use(Use(l))
				for b.Loop() {
					Dot(x, x)
				}
			})
		}
	}
}

func BenchmarkAxpy(b *testing.B) {
	for _, n := range []int{4, 10, 30, 100, 1000} {
		x, y := make([]float64, n), make([]float64, n)
		for _, l := range Levels() {
			b.Run(fmt.Sprintf("%d/%v", n, l), func(b *testing.B) {
				defer Use(Use(l))
				for b.Loop() {
					Axpy(y, 0.5, x)
				}
			})
		}
	}
}

func BenchmarkTile(b *testing.B) {
	x := make([]float64, 256*PanelCols)
	c := make([]float64, TileRows*PanelCols)
	for _, l := range Levels() {
		b.Run(l.String(), func(b *testing.B) {
			defer Use(Use(l))
			for b.Loop() {
				Tile(c, PanelCols, TileRows, PanelCols, x, 1, PanelCols, x, 256, nil, 0)
			}
			b.ReportMetric(float64(b.N)*256*128*2/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}

// Slices that are too short panic before assembly reads behind them, and a tile of no rows,
// columns or terms writes nothing.
func TestShortSlicesPanic(t *testing.T) {
	one := func(n int) []float64 { return make([]float64, n) }
	panics := func(f func()) (panicked bool) {
		defer func() { panicked = recover() != nil }()
		f()
		return false
	}
	const n, p, k = 5, 4, 3
	affine := func(dst, x, b int) func() {
		return func() { Affine(one(dst), k, one(x), p, n, one(p), one(b), p, one(k)) }
	}
	tile := func(c, a, b int) func() {
		return func() {
			Tile(one(c), PanelCols, TileRows, PanelCols, one(a), 1, TileRows, one(b), n, nil, 0)
		}
	}
	each(t, func(t *testing.T) {
		if panics(affine(n*k, n*p, k*p)) || panics(tile(TileRows*PanelCols, n*TileRows, n*PanelCols)) {
			t.Error("slices that are long enough panic")
		}
		for what, f := range map[string]func(){
			"affine's dst": affine(n*k-1, n*p, k*p), "affine's x": affine(n*k, n*p-1, k*p), "affine's b": affine(n*k, n*p, k*p-1),
			"a tile's c": tile(TileRows*PanelCols-1, n*TileRows, n*PanelCols), "a tile's a": tile(TileRows*PanelCols, n*TileRows-1, n*PanelCols),
			"a tile's b": tile(TileRows*PanelCols, n*TileRows, n*PanelCols-1),
		} {
			if !panics(f) {
				t.Errorf("%s: a value less does not panic", what)
			}
		}
		Tile(nil, 1, 0, 1, nil, 1, 1, nil, 1, nil, 0)
		Tile(nil, 1, 1, 0, nil, 1, 1, nil, 1, nil, 0)
		Tile(nil, 1, 1, 1, nil, 1, 1, nil, 0, nil, 0)
	})
}

// The largest of each of many rows, which are taken in several pieces, is the first of equals.
func TestArgMaxOfManyRows(t *testing.T) {
	const k, stride = 5, 7
	n := 2*callRows(k) + 3
	r := rand.New(rand.NewPCG(6, 4))
	x := make([]float64, (n-1)*stride+k)
	for i := range x {
		x[i] = float64(r.IntN(4))
	}
	each(t, func(t *testing.T) {
		dst := make([]int, n)
		if !ArgMax(dst, x, stride, k) {
			return
		}
		for i, got := range dst {
			row, want := x[i*stride:i*stride+k], 0
			for j, v := range row {
				if v > row[want] {
					want = j
				}
			}
			if got != want {
				t.Fatalf("row %d of %v: %d, want %d", i, row, got, want)
			}
		}
		if ArgMax(nil, nil, stride, k) || ArgMax(dst[:1], x, stride, 0) {
			t.Error("a largest of nothing")
		}
	})
}
