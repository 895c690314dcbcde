package linalg_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// storages returns the same rows in all ways that they can be stored.
func storages(n, p int) (x *linalg.Dense, all map[string]linalg.Rows) {
	wide := linalgtest.Normal(uint64(n+p), n, p+3)
	window := &linalg.Dense{Rows: n, Cols: p, Stride: wide.Stride, Data: wide.Data[2:]}
	for i := range n {
		for j, v := range window.Row(i) {
			if v < -0.5 || i%7 == 3 { // some zeros, and whole rows of them
				window.Set(i, j, 0)
			}
		}
	}
	x = window.Clone()
	return x, map[string]linalg.Rows{
		"dense": x, "window": window, "odd blocks": linalgtest.OddBlocks{X: x}, "odd blocks of a window": linalgtest.OddBlocks{X: window},
		"sparse": linalgtest.Sparse(x),
	}
}

// eachBlock calls check with the blocks of all storages of some sizes, and of parts of
// them.
func eachBlock(t *testing.T, check func(t *testing.T, x *linalg.Dense, b *linalg.Block)) {
	for _, size := range [][2]int{{1, 1}, {3, 2}, {300, 1}, {37, 9}, {500, 17}, {5, 150}} {
		x, all := storages(size[0], size[1])
		for name, rows := range all {
			t.Run(name, func(t *testing.T) {
				err := rows.Pass(0, x.Rows, func(b *linalg.Block) error {
					check(t, x.RowRange(b.At, b.At+b.Len()), b)
					if b.Len() < 3 {
						return nil
					}
					part := b.Range(1, b.Len()-1)
					check(t, x.RowRange(part.At, part.At+part.Len()), &part)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// A pass hands out the rows asked for, in order, and the errors of its visitor.
func TestPass(t *testing.T) {
	x, all := storages(1000, 3)
	stop := errors.New("enough")
	for name, rows := range all {
		if n, p := rows.Dims(); n != 1000 || p != 3 {
			t.Errorf("%s: %d×%d", name, n, p)
		}
		for _, c := range [][2]int{{0, 1000}, {0, 0}, {17, 17}, {5, 6}, {36, 38}, {127, 129}, {300, 999}, {999, 1000}} {
			next := c[0]
			err := rows.Pass(c[0], c[1], func(b *linalg.Block) error {
				m, p := b.Dims()
				if b.At != next || m == 0 || m != b.Len() || p != 3 {
					t.Errorf("%s, %v: %d×%d from %d, want %d", name, c, m, p, b.At, next)
				}
				row := make([]float64, 3)
				for i := range m {
					if b.CopyRow(row, i); !slices.Equal(row, x.Row(next)) {
						t.Errorf("%s, %v: row %d is %v, want %v", name, c, next, row, x.Row(next))
					}
					next++
				}
				return nil
			})
			if next != c[1] || err != nil {
				t.Errorf("%s, %v: ends at %d, %v", name, c, next, err)
			}
		}
		visits := 0
		err := rows.Pass(0, 1000, func(b *linalg.Block) error {
			if visits++; visits == 2 {
				return stop
			}
			return nil
		})
		if err != stop || visits != 2 {
			t.Errorf("%s: %v after %d visits", name, err, visits)
		}
	}
}

// Products of a block with vectors and matrices are those of plain loops, added to what
// was there.
func TestBlockProducts(t *testing.T) {
	eachBlock(t, func(t *testing.T, x *linalg.Dense, b *linalg.Block) {
		m, p := x.Dims()
		beta, r := linalgtest.Numbers(p), linalgtest.Numbers(m)
		f, g := slices.Repeat([]float64{math.NaN()}, m), slices.Repeat([]float64{0.5}, p)
		b.MulVec(f, beta)
		b.AddTVec(g, r)
		for i := range m {
			var want linalgtest.Sum
			for j, v := range x.Row(i) {
				want.Add(v * beta[j])
			}
			want.Near(t, "MulVec", f[i])
		}
		for j := range p {
			want := linalgtest.From(0.5)
			for i := range m {
				want.Add(x.At(i, j) * r[i])
			}
			want.Near(t, "AddTVec", g[j])
		}
		for _, k := range []int{1, 2, 5} {
			coef, resid := &linalg.Dense{Rows: p, Cols: k, Stride: k, Data: linalgtest.Numbers(p * k)}, &linalg.Dense{Rows: m, Cols: k, Stride: k, Data: linalgtest.Numbers(m * k)}
			scores, back := linalg.Zeros(m, k), &linalg.Dense{Rows: k, Cols: p, Stride: p + 1, Data: make([]float64, k*(p+1))}
			for i := range scores.Data {
				scores.Data[i] = 0.25
			}
			for i := range back.Data {
				back.Data[i] = 0.125
			}
			byRow, alike := linalg.Zeros(k, p), &linalg.Dense{Rows: m, Cols: k, Stride: k, Data: slices.Clone(scores.Data)}
			linalg.Transpose(byRow, coef)
			b.AddScores(scores, byRow)
			b.AddScoresByColumn(alike, coef)
			b.AddBack(back, resid)
			for c := range k {
				for i := range m {
					want := linalgtest.From(0.25)
					for j, v := range x.Row(i) {
						want.Add(v * coef.At(j, c))
					}
					want.Near(t, "AddScores", scores.At(i, c))
					want.Near(t, "AddScoresByColumn", alike.At(i, c))
				}
				for j := range p {
					want := linalgtest.From(0.125)
					for i := range m {
						want.Add(resid.At(i, c) * x.At(i, j))
					}
					want.Near(t, "AddBack", back.At(c, j))
				}
				if back.Data[c*(p+1)+p] != 0.125 {
					t.Error("AddBack writes between rows")
				}
			}
		}
	})
}

// A Gram matrix is summed into the lower triangle, sizes of columns with weights or
// without.
func TestBlockSums(t *testing.T) {
	eachBlock(t, func(t *testing.T, x *linalg.Dense, b *linalg.Block) {
		m, p := x.Dims()
		v, h := linalgtest.Numbers(m), linalg.Zeros(p, p)
		for i := range h.Data {
			h.Data[i] = 2
		}
		b.AddGram(h, v)
		for j := range p {
			for k := range j + 1 {
				want := linalgtest.From(2)
				for i := range m {
					want.Add(v[i] * x.At(i, j) * x.At(i, k))
				}
				want.Near(t, "AddGram", h.At(j, k))
			}
		}
		for _, w := range [][]float64{nil, v} {
			size := slices.Repeat([]float64{3}, p)
			b.AddAbs(size, w)
			for j := range p {
				want := linalgtest.From(3)
				for i := range m {
					if w == nil {
						want.Add(math.Abs(x.At(i, j)))
					} else {
						want.Add(w[i] * math.Abs(x.At(i, j)))
					}
				}
				want.Near(t, "AddAbs", size[j])
			}
		}
		for _, shape := range [][2]int{{1, 1}, {2, 2}, {1, 3}} { // functions, and the stride of their weights
			functions, stride := shape[0], shape[1]
			curvatures, squares := &linalg.Dense{Rows: m, Cols: functions, Stride: stride, Data: linalgtest.Numbers(m * stride)}, linalg.Zeros(p, functions)
			squares.Data[0] = 5
			b.AddSquares(squares, curvatures)
			for j := range p {
				for k := range functions {
					want := linalgtest.From(0)
					if j+k == 0 {
						want = linalgtest.From(5)
					}
					for i := range m {
						want.Add(curvatures.At(i, k) * x.At(i, j) * x.At(i, j))
					}
					want.Near(t, "AddSquares", squares.At(j, k))
				}
			}
		}
	})
}

// Rows, columns and transposes are copied as they are stored.
func TestBlockCopies(t *testing.T) {
	eachBlock(t, func(t *testing.T, x *linalg.Dense, b *linalg.Block) {
		m, p := x.Dims()
		if got := b.AsDense(); got.Rows != m || got.Cols != p || !slices.Equal(got.Clone().Data, x.Clone().Data) {
			t.Error("AsDense has other rows")
		}
		column := slices.Repeat([]float64{7}, 3*m)
		for j := range p {
			b.CopyColumn(column, 3, j)
			for i := range m {
				if column[3*i] != x.At(i, j) || column[3*i+1] != 7 || column[3*i+2] != 7 {
					t.Fatalf("CopyColumn of %d: %v", j, column[3*i:3*i+3])
				}
			}
		}
		for _, c := range [][4]int{{0, 0, m, p}, {m / 2, p / 2, m - m/2, p - p/2}, {m - 1, 0, 1, p}, {0, p - 1, m, 1}} {
			row, col, rows, cols := c[0], c[1], c[2], c[3]
			dst := &linalg.Dense{Rows: cols, Cols: rows, Stride: rows + 2, Data: slices.Repeat([]float64{7}, cols*(rows+2))}
			b.CopyTransposed(dst, row, col)
			for j := range cols {
				for i := range rows {
					if dst.At(j, i) != x.At(row+i, col+j) {
						t.Fatalf("CopyTransposed: (%d, %d) is %v, want %v", j, i, dst.At(j, i), x.At(row+i, col+j))
					}
				}
				if dst.Data[j*dst.Stride+rows] != 7 {
					t.Fatal("CopyTransposed writes between rows")
				}
			}
		}
	})
}

// A part of a block is a window on the same values.
func TestBlockParts(t *testing.T) {
	eachBlock(t, func(t *testing.T, x *linalg.Dense, b *linalg.Block) {
		row := make([]float64, x.Cols)
		for step := 1; step < 9; step++ {
			for first := range step + 2 {
				part := b.Every(first, step)
				want := 0
				for i := first; i < x.Rows; i += step {
					if part.CopyRow(row, want); !slices.Equal(row, x.Row(i)) {
						t.Fatalf("every %d from %d: row %d is not row %d", step, first, want, i)
					}
					want++
				}
				if m, p := part.Dims(); m != want || part.Len() != want || p != x.Cols {
					t.Fatalf("every %d from %d: %d×%d of %d rows", step, first, m, p, x.Rows)
				}
				if want > 0 && b.CSR == nil && &part.Dense.Row(0)[0] != &b.Dense.Row(first)[0] {
					t.Fatal("a copy")
				}
				if want > 1 { // a part of a part
					last := part.Range(want-1, want)
					if last.CopyRow(row, 0); !slices.Equal(row, x.Row(first+(want-1)*step)) {
						t.Fatal("the last row of a part is another one")
					}
				}
			}
		}
	})
}

// A value out of the range is found wherever it stands; 0 is in every range.
func TestBlockInRange(t *testing.T) {
	x, all := storages(300, 5)
	for i := range x.Data {
		x.Data[i] = math.Copysign(1+math.Abs(x.Data[i]), x.Data[i])
	}
	x.Set(3, 3, 0)
	in := func(rows linalg.Rows) bool {
		ok := true
		if err := rows.Pass(0, x.Rows, func(b *linalg.Block) error { ok = ok && b.InRange(0.5, 100); return nil }); err != nil {
			t.Fatal(err)
		}
		return ok
	}
	for _, name := range []string{"dense", "odd blocks"} {
		if !in(all[name]) {
			t.Errorf("%s: out of range", name)
		}
		for _, v := range []float64{0.25, -0.25, 101, -101, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64} {
			for _, at := range []int{0, 4, 5, 640, 1498, 1499} {
				before := x.Data[at]
				x.Data[at] = v
				if in(all[name]) {
					t.Errorf("%s: %v at %d is in range", name, v, at)
				}
				x.Data[at] = before
			}
		}
	}
}

// Rows become a matrix: a dense one is that itself, others are copied, and an error of
// the storage comes back.
func TestToDense(t *testing.T) {
	x, all := storages(700, 3)
	for name, rows := range all {
		got, err := linalg.ToDense(rows)
		if err != nil || !slices.Equal(got.Clone().Data, x.Data) {
			t.Errorf("%s: other rows, %v", name, err)
		}
		if a, ok := rows.(*linalg.Dense); ok && got != a {
			t.Errorf("%s: a copy", name)
		}
	}
	lost := errors.New("lost")
	rows := linalgtest.Watched{Rows: x, Watch: func(b *linalg.Block) error {
		if b.At > 300 {
			return lost
		}
		return nil
	}}
	if _, err := linalg.ToDense(rows); !errors.Is(err, lost) {
		t.Errorf("%v", err)
	}
	var size *linalg.SizeError
	if _, err := linalg.ToDense(vast{rows}); !errors.As(err, &size) || size.Rows != 1<<20 {
		t.Errorf("2⁴⁰ values: %v", err)
	}
}

func TestCopiesAreMadeUpToTheLimit(t *testing.T) {
	var size *linalg.SizeError
	most := min(1<<29, math.MaxInt/8) // 4 GB, of which 32 bits have addresses for half
	rows := linalgtest.Remote{Rows: linalg.Zeros(11, 1), Most: 80}
	if err := linalg.CheckCopy(rows, 2, 5); err != nil {
		t.Error(err)
	}
	if err := linalg.CheckCopy(rows, 11, 1); !errors.Is(err, linalg.ErrRemote) || !errors.As(err, &size) || size.Bytes != 88 || size.Limit != 80 {
		t.Error(err)
	}
	if err := linalg.CheckCopy(rows.Rows, most, 1); err != nil {
		t.Error(err)
	}
	if err := linalg.CheckCopy(rows.Rows, most+1, 1); errors.Is(err, linalg.ErrRemote) || !errors.As(err, &size) {
		t.Error(err)
	}
}

// vast is a storage that cannot be copied.
type vast struct{ linalg.Rows }

func (vast) Dims() (n, p int) { return 1 << 20, 1 << 20 }

// blocks is a storage whose pass hands out the given blocks.
type blocks []linalg.Block

func (blocks) Dims() (n, p int) { return 6, 2 }

func (b blocks) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	for i := range b {
		if err := visit(&b[i]); err != nil {
			return err
		}
	}
	return nil
}

// A storage that leaves rows out, hands them out in another order, more of them or longer
// ones is an error, and none of a row that is not the next is seen.
func TestPassRefusesWrongBlocks(t *testing.T) {
	block := func(at, rows, cols int) linalg.Block { return linalg.Block{At: at, Dense: linalg.Zeros(rows, cols)} }
	for name, c := range map[string]struct {
		blocks blocks
		seen   int
		ok     bool
	}{
		"right":       {blocks{block(0, 4, 2), block(4, 0, 2), block(4, 2, 2)}, 6, true},
		"ends early":  {blocks{block(0, 4, 2)}, 4, false},
		"nothing":     {blocks{}, 0, false},
		"gap":         {blocks{block(0, 2, 2), block(3, 3, 2)}, 2, false},
		"again":       {blocks{block(0, 4, 2), block(3, 3, 2)}, 4, false},
		"too many":    {blocks{block(0, 4, 2), block(4, 3, 2)}, 4, false},
		"wrong order": {blocks{block(3, 3, 2), block(0, 3, 2)}, 0, false},
		"narrow":      {blocks{block(0, 3, 1), block(3, 3, 2)}, 0, false},
	} {
		seen := 0
		err := linalg.Pass(c.blocks, 0, 6, func(b *linalg.Block) error { seen += b.Len(); return nil })
		var e *linalg.ShapeError
		if seen != c.seen || (err == nil) != c.ok || err != nil && !errors.As(err, &e) {
			t.Errorf("%s: %d rows seen, %v", name, seen, err)
		}
	}
}
