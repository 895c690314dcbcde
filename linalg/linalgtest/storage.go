package linalgtest

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"

	"halfspace/linalg"
)

// Remote is rows of which so many bytes may be copied, as those of a file are. It implements [linalg.Remote].
type Remote struct {
	linalg.Rows
	Most float64
}

// MaxCopy returns Most.
func (r Remote) MaxCopy() float64 { return r.Most }

// OddBlocks is a storage of rows that is not a *[linalg.Dense]: it hands out x in blocks
// of 37 and of 301 rows in turn, cut short where a pass begins or ends.
type OddBlocks struct{ X *linalg.Dense }

// Dims returns the dimensions of x.
func (o OddBlocks) Dims() (n, p int) { return o.X.Dims() }

// Pass implements [linalg.Rows].
func (o OddBlocks) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	const short, long = 37, 301
	for lo < hi {
		end := lo/(short+long)*(short+long) + short
		if end <= lo {
			end += long
		}
		end = min(end, hi)
		if err := visit(&linalg.Block{At: lo, Dense: o.X.RowRange(lo, end)}); err != nil {
			return err
		}
		lo = end
	}
	return nil
}

// Watched is a storage that asks Watch before it hands out a block: its error is one of
// the storage. Passes may run at the same time, and so may calls of Watch.
type Watched struct {
	linalg.Rows
	Watch func(b *linalg.Block) error
}

// Pass implements [linalg.Rows].
func (w Watched) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	return w.Rows.Pass(lo, hi, func(b *linalg.Block) error {
		if err := w.Watch(b); err != nil {
			return err
		}
		return visit(b)
	})
}

// EachFailure fits x again and again, each time with another one of the blocks that fit
// reads unreadable once, from the first on in strides, which are longer where programs run
// slowly, and demands the error of the storage each time, and none where all blocks are read. fit must read on
// one goroutine.
func EachFailure(t testing.TB, x linalg.Rows, stride int, fit func(x linalg.Rows) error) {
	t.Helper()
	unreadable := errors.New("unreadable")
	without := func(k int) (read int, err error) {
		err = fit(Watched{Rows: x, Watch: func(*linalg.Block) error {
			if read++; read == k {
				return unreadable
			}
			return nil
		}})
		return read, err
	}
	blocks, err := without(0)
	if blocks == 0 || err != nil {
		t.Fatalf("%d blocks are read: %v", blocks, err)
	}
	if Slow() {
		stride *= 4
	}
	for k := 1; k <= blocks; k += stride {
		if _, err := without(k); !errors.Is(err, unreadable) {
			t.Errorf("without block %d of %d: %v", k, blocks, err)
		}
	}
}

// Sparse returns the values of x that are not 0 as a sparse matrix.
func Sparse(x *linalg.Dense) *linalg.CSR {
	start, index, value := []int{0}, []int32{}, []float64{}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if v != 0 {
				index, value = append(index, int32(j)), append(value, v)
			}
		}
		start = append(start, len(value))
	}
	a, err := linalg.NewCSR(x.Rows, x.Cols, start, index, value)
	if err != nil {
		panic(err)
	}
	return a
}

// Thinned returns an n×p matrix in which about a share of the values is not 0, some rows
// and columns hold nothing and one column a single value.
func Thinned(seed uint64, n, p int, share float64) *linalg.Dense {
	x, r := Normal(seed, n, p), rand.New(rand.NewPCG(seed, 2))
	for i := range n {
		for j := range p {
			if r.Float64() > share || i%11 == 4 || j%9 == 5 || j == p-1 && i != n/2 {
				x.Set(i, j, 0)
			}
		}
	}
	if p > 1 {
		x.Set(n/2, p-1, 3)
	}
	return x
}

// Held returns the bytes that the program holds after a collection of its garbage.
func Held() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
