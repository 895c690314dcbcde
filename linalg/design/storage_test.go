package design_test

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// passes are methods that read the rows.
var passes = map[string]func(d *design.Design) error{
	"New":       func(d *design.Design) error { return nil },
	"EachBlock": func(d *design.Design) error { return d.EachBlock(func(*design.Block) {}) },
	"EachRow": func(d *design.Design) error {
		return d.EachRow(func() func(*design.Block) { return func(*design.Block) {} })
	},
	"Sizes":    func(d *design.Design) error { _, err := d.Sizes(); return err },
	"Spread":   func(d *design.Design) error { _, _, err := d.Spread(); return err },
	"Centered": func(d *design.Design) error { _, _, _, err := d.Centered(); return err },
	"Gram":     func(d *design.Design) error { _, err := d.Gram(linalgtest.Numbers(d.N)); return err },
	"SubGram": func(d *design.Design) error {
		return d.SubGram(linalg.Zeros(1, 1), linalgtest.Numbers(d.N), []int{1}, nil)
	},
	"Margins": func(d *design.Design) error { return d.Margins(make([]float64, d.N), linalgtest.Numbers(d.Dim())) },
	"Widest":  func(d *design.Design) error { _, err := d.Widest(linalgtest.Numbers(d.Dim())); return err },
	"TermSizes": func(d *design.Design) error {
		return d.TermSizes(make([]float64, d.N), [][]float64{linalgtest.Numbers(d.Dim())})
	},
	"Rounding": func(d *design.Design) error {
		_, err := d.Rounding([][]float64{linalgtest.Numbers(d.Dim()), make([]float64, d.Dim())})
		return err
	},
	"Columns":      func(d *design.Design) error { _, err := d.Columns(nil); return err },
	"some Columns": func(d *design.Design) error { _, err := d.Columns([]int{1}); return err },
	"ByColumn":     func(d *design.Design) error { _, err := d.ByColumn(); return err },
	"Weighted":     func(d *design.Design) error { _, err := d.Weighted(); return err },
	"CheckRank":    func(d *design.Design) error { return d.CheckRank(nil) },
	"Kernel":       func(d *design.Design) error { _, err := d.Kernel(linalgtest.Numbers(d.P)); return err },
	"Back": func(d *design.Design) error {
		_, err := d.Back(&linalg.Dense{Rows: d.N, Cols: 1, Stride: 1, Data: linalgtest.Numbers(d.N)})
		return err
	},
	"ExactBack": func(d *design.Design) error { return d.ExactBack(make([]float64, d.P), linalgtest.Numbers(d.N)) },
	"Extent":    func(d *design.Design) error { _, err := d.Extent(); return err },
	"Range":     func(d *design.Design) error { return d.Range() },
	"Subset":    func(d *design.Design) error { _, err := d.Subset([]int{1}); return err },
	"Turned":    func(d *design.Design) error { _, err := d.Turned(linalg.Zeros(1+d.P, 2)); return err },
	"Row":       func(d *design.Design) error { return d.Row(make([]float64, d.Dim()), d.N-1) },
	"Thin":      func(d *design.Design) error { _, err := d.Thin(3); return err },
	"thinnest":  func(d *design.Design) error { _, err := d.Thin(200); return err },
}

// An error of the storage comes back from every method, whichever block it is.
func TestStorageErrors(t *testing.T) {
	for _, c := range sources(500, 3) {
		c.x.Set(0, 0, 1e150) // out of range: its row has weight 0, or it is the error
		if c.s.Weights == nil {
			c.x.Set(0, 0, 1)
		}
		for i := range c.x.Rows {
			c.x.Set(i, 2, 5) // a constant is measured twice
		}
		for name, method := range passes {
			if name == "CheckRank" {
				continue // a constant has none, see below
			}
			t.Run(c.name+", "+name, func(t *testing.T) {
				linalgtest.EachFailure(t, c.rows, 1, func(x linalg.Rows) error {
					d, err := design.New(x, 500, "rows", design.Settings{Weights: c.s.Weights, NoIntercept: c.s.NoIntercept, Workers: 1})
					if err != nil {
						return err
					}
					return method(d)
				})
			})
		}
	}
	x := linalgtest.Normal(3, 500, 3)
	linalgtest.EachFailure(t, x, 1, func(x linalg.Rows) error {
		d, err := design.New(x, 500, "rows", design.Settings{Workers: 1})
		if err != nil {
			return err
		}
		return d.CheckRank(nil)
	})
}

// So it does where several goroutines read: the first error in the order of the rows, though
// all later blocks fail as well.
func TestStorageErrorsOfSeveralWorkers(t *testing.T) {
	c := sources(6000, 40)[3]
	for _, workers := range []int{1, 2, 3, 16} {
		failing := false
		rows := linalgtest.Watched{Rows: c.rows, Watch: func(b *linalg.Block) error {
			if failing && b.At >= 2000 {
				return failure(b.At)
			}
			return nil
		}}
		d, err := design.New(rows, 6000, "rows", design.Settings{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		failing = true
		for name, method := range passes {
			var at failure
			if err := method(d); name != "New" && (!errors.As(err, &at) || name != "Row" && at > 2200) {
				t.Errorf("%s with %d workers: %v", name, workers, err)
			}
		}
		failing = false // a design can be read again
		if h, err := d.Gram(linalgtest.Numbers(d.N)); err != nil || math.IsNaN(h.At(0, 0)) {
			t.Errorf("afterwards: %v", err)
		}
	}
}

// failure is the error of a block.
type failure int

func (failure) Error() string { return "unreadable" }

// Copies by column of rows that may not be copied are an error that says how large they would be, of sparse rows
// also where the first of them, which tell how many values a row has, are short.
func TestColumnsOfRemoteRowsAreBounded(t *testing.T) {
	const n, p, short = 400, 200, 300
	x := linalg.Zeros(n, p)
	for i := range n {
		x.Set(i, i%p, 1)
		for j := 0; i >= short && j < p; j += 10 {
			x.Set(i, (i+j)%p, 1)
		}
	}
	for name, rows := range map[string]linalg.Rows{"sparse": linalgtest.Sparse(x), "dense": linalgtest.Normal(1, n, 5)} {
		for _, method := range []string{"ByColumn", "Kernel"} {
			for most, fits := range map[float64]bool{8 * 1000: false, 8 * 2300: true} {
				d, err := design.New(linalgtest.Remote{Rows: rows, Most: most}, n, "rows", design.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				size := (*linalg.SizeError)(nil)
				if err := passes[method](d); (err == nil) != fits || !fits && (!errors.As(err, &size) || !errors.Is(err, linalg.ErrRemote)) {
					t.Errorf("%s of %s rows, of which %g bytes may be copied: %v", method, name, most, err)
				}
			}
		}
	}
}
