package design_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// Blocks are all rows in their order, each about the origin and in units.
func TestEachBlock(t *testing.T) {
	for _, c := range sources(1000, 7) {
		d := c.design(t, 0)
		next, got, one := 0, make([]float64, d.Dim()), make([]float64, d.Dim())
		err := d.EachBlock(func(b *design.Block) {
			if b.Lo != next || b.Len() != b.Hi-b.Lo || b.Len() > linalg.BlockRows || b.Len() == 0 {
				t.Errorf("%s: rows %d to %d after %d", c.name, b.Lo, b.Hi, next)
			}
			if w := b.Weights(); (w == nil) != (d.Weights == nil) || w != nil && !slices.Equal(w, d.Weights[b.Lo:b.Hi]) {
				t.Errorf("%s: weights %v", c.name, w)
			}
			part := linalg.Zeros(3, b.Len()-1)
			b.Transpose(part, 1, 2)
			for i := range part.Cols {
				want := row(d, c.x, b.Lo+1+i)[d.Intercept:]
				for j := range part.Rows {
					if part.At(j, i) != want[2+j] {
						t.Fatalf("%s: feature %d of row %d is %v in the transpose, want %v", c.name, 2+j, b.Lo+1+i, part.At(j, i), want[2+j])
					}
				}
			}
			for i := range b.Len() {
				want := row(d, c.x, next)
				b.Row(got, i)
				if err := d.Row(one, next); err != nil || !slices.Equal(got, want) || !slices.Equal(one, want) {
					t.Fatalf("%s: row %d is %v and %v, want %v, %v", c.name, next, got, one, want, err)
				}
				next++
			}
		})
		if err != nil || next != 1000 {
			t.Errorf("%s: ends at %d, %v", c.name, next, err)
		}
	}
}

// A row comes into a sum by the additions of its piece and those of the pieces.
func TestSumLength(t *testing.T) {
	d, err := design.New(linalg.Zeros(60, 2), 60, "rows", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.SumLength(1); got != 60+1 {
		t.Errorf("%d additions", got)
	}
}

// Each row is visited once by one of the goroutines.
func TestEachRow(t *testing.T) {
	for _, c := range sources(3000, 40) {
		var mu sync.Mutex
		visits := make([]int, 3000)
		err := c.design(t, 3).EachRow(func() func(*design.Block) {
			return func(b *design.Block) {
				mu.Lock()
				defer mu.Unlock()
				for i := b.Lo; i < b.Hi; i++ {
					visits[i]++
				}
			}
		})
		if err != nil || slices.Min(visits) != 1 || slices.Max(visits) != 1 {
			t.Errorf("%s: rows are visited %d to %d times, %v", c.name, slices.Min(visits), slices.Max(visits), err)
		}
	}
}

// The bits of all sums are those of one worker.
func TestWorkers(t *testing.T) {
	linalgtest.SkipEmulated(t)
	for _, c := range sources(6000, 40) {
		var want []float64
		for _, workers := range []int{1, 2, 3, 16} {
			d := c.design(t, workers)
			var got []float64
			keep := func(v []float64, err error) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, v...)
			}
			keep(d.Origin, nil)
			keep(d.Unit, nil)
			keep(d.Sizes())
			mean, sd, err := d.Spread()
			keep(mean, err)
			keep(sd, nil)
			h, err := d.Gram(linalgtest.Numbers(d.N))
			keep(h.Data, err)
			part := linalg.Zeros(2, 3)
			keep(part.Data, d.SubGram(part, linalgtest.Numbers(d.N), []int{0, 5}, []int{1, 39, 2}))
			f := make([]float64, d.N)
			keep(f, d.Margins(f, linalgtest.Numbers(d.Dim())))
			keep(f, d.TermSizes(f, [][]float64{linalgtest.Numbers(d.Dim())}))
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d workers come to other bits", c.name, workers)
			}
		}
	}
}

// Scores are functions of the rows and offsets, and add back to derivatives.
func TestScores(t *testing.T) {
	for _, c := range sources(500, 6) {
		for _, k := range []int{1, 3, 8, 9, 16, 17} {
			c.s.Offset = linalgtest.Numbers(500 * k)
			d := c.design(t, 0)
			dim := d.Dim()
			theta, f := linalgtest.Numbers(k*dim), d.NewFunctions(k)
			for a := range k {
				f.Set(d, a, theta[a*dim:(a+1)*dim])
			}
			r := &linalg.Dense{Rows: 500, Cols: k, Stride: k, Data: linalgtest.Numbers(500 * k)}
			g, scores, along := make([]float64, k*dim), linalg.Zeros(500, k), linalg.Zeros(500, k)
			err := d.EachBlock(func(b *design.Block) {
				b.Scores(scores.RowRange(b.Lo, b.Hi), f)
				if k == 1 {
					b.Along(along.RowRange(b.Lo, b.Hi), f)
				} else {
					b.AlongAll(along.RowRange(b.Lo, b.Hi), f)
				}
				b.AddBack(g, r.RowRange(b.Lo, b.Hi))
			})
			if err != nil {
				t.Fatal(err)
			}
			d.FinishBack(g, k, nil)
			back := make([]linalgtest.Sum, k*dim)
			for i := range 500 {
				x := row(d, c.x, i)
				for a := range k {
					var want linalgtest.Sum
					for j, v := range x {
						want.Add(v * theta[a*dim+j])
						back[a*dim+j].Add(v * r.At(i, a))
					}
					want.Near(t, c.name, along.At(i, a))
					want.Add(d.OffsetOf(i, a))
					want.Near(t, c.name, scores.At(i, a))
				}
			}
			for j, want := range back {
				want.Near(t, c.name+", back", g[j])
			}
		}
	}
}

// Margins are one function of all rows, the widest of them is of positive weight, and
// term sizes are those of the larger function.
func TestMargins(t *testing.T) {
	for _, c := range sources(500, 6) {
		d := c.design(t, 2)
		functions := [][]float64{linalgtest.Numbers(d.Dim()), make([]float64, d.Dim())}
		for j := range functions[1] {
			functions[1][j] = math.Cos(float64(5 * j))
		}
		f, size, widest := make([]float64, 500), make([]float64, 500), 0.0
		if err := d.Margins(f, functions[0]); err != nil {
			t.Fatal(err)
		}
		if err := d.TermSizes(size, functions); err != nil {
			t.Fatal(err)
		}
		for i := range f {
			var sums [2]linalgtest.Sum
			for j, v := range row(d, c.x, i) {
				for a := range sums {
					sums[a].Add(v * functions[a][j])
				}
			}
			sums[0].Near(t, c.name, f[i])
			linalgtest.Close(t, c.name, size[i], max(sums[0].Size, sums[1].Size), 1e-14)
			if d.Weight(i) > 0 {
				widest = max(widest, math.Abs(f[i]))
			}
		}
		if got, err := d.Widest(functions[0]); got != widest || err != nil {
			t.Errorf("%s: widest %v, want %v, %v", c.name, got, widest, err)
		}
	}
}

// A deleted row may hold any finite number: its scores are finite, in both precisions, and
// nothing of it is in a sum.
func TestDeletedRow(t *testing.T) {
	for _, c := range sources(300, 3) {
		x := c.x.Clone()
		w := make([]float64, 300)
		for i := range w {
			w[i] = 1
		}
		w[200] = 0
		copy(x.Row(200), []float64{math.MaxFloat64, -1e300, 1e-300})
		d, err := design.New(x, 300, "rows", design.Settings{Weights: w, NoIntercept: c.s.NoIntercept})
		if err != nil {
			t.Fatal(err)
		}
		theta := linalgtest.Numbers(d.Dim())
		for j := range theta {
			theta[j] *= 1e10
		}
		f := make([]float64, 300)
		if err := d.Margins(f, theta); err != nil || f[200]-f[200] != 0 {
			t.Errorf("%s: a deleted row has the score %v, %v", c.name, f[200], err)
		}
		coef, exact := linalg.Zeros(1, 3), linalg.Zeros(300, 1)
		e := d.Exactly(coef, []float64{d.Coef(coef.Data, theta)})
		if err := d.EachBlock(func(b *design.Block) { b.ExactScores(exact.RowRange(b.Lo, b.Hi), e) }); err != nil {
			t.Fatal(err)
		}
		if exact.Data[200] != 0 {
			t.Errorf("%s: a deleted row has the score %v in twice the precision", c.name, exact.Data[200])
		}
		for i, v := range exact.Data {
			if i != 200 {
				linalgtest.Close(t, c.name, f[i]/1e10, v/1e10, 1e-9)
			}
		}
		gram, err := d.Gram(w)
		if err != nil {
			t.Fatal(err)
		}
		for j := range d.Dim() {
			for k := range d.Dim() {
				var want linalgtest.Sum
				for i := range 300 {
					if r := row(d, x, i); w[i] > 0 {
						want.Add(r[j] * r[k])
					}
				}
				want.Near(t, c.name, gram.At(j, k))
			}
		}
	}
}

// nothing counts no rows.
type nothing struct{}

func (nothing) Reset()            {}
func (nothing) Add(*design.Block) {}

// The rows of a design are divided into an even number of pieces, one about a given origin as one
// that has looked for its own.
func TestPieces(t *testing.T) {
	x := linalgtest.Normal(2, 5000, 80)
	for name, rows := range map[string]linalg.Rows{"dense": x, "sparse": linalgtest.Sparse(linalgtest.Thinned(2, 5000, 80, 0.3))} {
		found, err := design.New(rows, 5000, "rows", design.Settings{NoIntercept: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, values := range []int{1, 80, 800} {
			var pieces []int
			for _, d := range []*design.Design{found, design.About(rows, nil, 2)} {
				count := 0
				if err := design.Reduce(d, values, func() nothing { return nothing{} }, func(nothing) { count++ }); err != nil {
					t.Fatal(err)
				}
				pieces = append(pieces, count)
			}
			if pieces[0] != pieces[1] || pieces[0]%2 != 0 {
				t.Errorf("%s rows, %d sums a column: %d and %d pieces", name, values, pieces[0], pieces[1])
			}
		}
	}
}
