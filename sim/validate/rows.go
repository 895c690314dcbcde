package validate

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"sync"

	"halfspace/linalg"
	"halfspace/sim"
)

// rows are rows in memory, dense or sparse, or remote ones: one of the three is set.
type rows struct {
	dense  *linalg.Dense
	sparse *linalg.CSR
	far    *passes
}

// passes are remote rows, with the first error of a pass over them.
type passes struct {
	linalg.Rows
	mu     sync.Mutex
	failed error
}

// readable returns the rows of x: remote ones as they are, whose reader asks for the error in
// the end, and a copy of those of another storage that is not in memory.
func readable(x linalg.Rows) (rows, error) {
	if _, remote := x.(linalg.Remote); remote {
		return rows{far: &passes{Rows: x}}, nil
	}
	return inMemory(x)
}

// err returns the first error of a pass over remote rows.
func (r rows) err() error {
	if r.far == nil {
		return nil
	}
	return r.far.failed
}

// inMemory returns the rows of x, a copy of those of another storage.
func inMemory(x linalg.Rows) (rows, error) {
	if a, ok := x.(*linalg.CSR); ok {
		return rows{sparse: a}, nil
	}
	a, err := linalg.ToDense(x)
	return rows{dense: a}, err
}

// storage returns the rows.
func (r rows) storage() linalg.Rows {
	switch {
	case r.sparse != nil:
		return r.sparse
	case r.far != nil:
		return r.far.Rows
	}
	return r.dense
}

// Len returns the number of rows.
func (r rows) Len() int {
	n, _ := r.storage().Dims()
	return n
}

// rowFunction appends numbers of a model for a row: its scores, or its probabilities. The
// second does so for the stored values of a sparse row; where it is nil the row is copied. The third, where
// it is not nil, sets as many rows of dst, which have so many classes, to those of a block.
type rowFunction struct {
	dense  func(dst, row []float64) []float64
	sparse func(dst []float64, index []int32, value []float64) []float64
	block  func(dst, x *linalg.Dense)
	of     int // classes
}

// each calls visit with the numbers of rows lo ≤ i < hi, one row after the other. The slice is
// v or grown from it, that of the last row written over, and comes back.
func (f rowFunction) each(x rows, lo, hi int, v []float64, visit func(i int, v []float64)) []float64 {
	if x.far != nil {
		err := linalg.Pass(x.far.Rows, lo, hi, func(b *linalg.Block) error {
			v = f.each(rows{dense: b.Dense, sparse: b.CSR}, 0, b.Len(), v, func(i int, v []float64) { visit(b.At+i, v) })
			return nil
		})
		x.far.mu.Lock()
		defer x.far.mu.Unlock()
		x.far.failed = cmp.Or(x.far.failed, err)
		return v
	}
	if x.sparse == nil && f.block != nil {
		for ; lo < hi; lo += linalg.BlockRows {
			part := x.dense.RowRange(lo, min(lo+linalg.BlockRows, hi))
			v = slices.Grow(v[:0], part.Rows*f.of)[:part.Rows*f.of]
			numbers := &linalg.Dense{Rows: part.Rows, Cols: f.of, Stride: f.of, Data: v}
			f.block(numbers, part)
			for i := range part.Rows {
				visit(lo+i, numbers.Row(i))
			}
		}
		return v
	}
	var row []float64
	for i := lo; i < hi; i++ {
		switch {
		case x.sparse == nil:
			v = f.dense(v[:0], x.dense.Row(i))
		case f.sparse != nil:
			index, value := x.sparse.Row(i)
			v = f.sparse(v[:0], index, value)
		default:
			if row == nil {
				_, p := x.sparse.Dims()
				row = make([]float64, p)
			}
			clear(row)
			x.sparse.AddRow(row, i, 1)
			v = f.dense(v[:0], row)
		}
		visit(i, v)
	}
	return v
}

// scoresOf returns the function of m that appends scores.
func scoresOf(m sim.Classifier) rowFunction {
	f := rowFunction{dense: m.Scores}
	if s, ok := m.(sim.SparseScorer); ok {
		f.sparse = s.ScoresSparse
	}
	return f
}

// rowPool holds dense copies of sparse rows.
var rowPool = sync.Pool{New: func() any { return new([]float64) }}

// scoresSparse appends the scores of m for a sparse row, of a dense copy where m takes no other.
func scoresSparse(m sim.Classifier, dst []float64, index []int32, value []float64) []float64 {
	if s, ok := m.(sim.SparseScorer); ok {
		return s.ScoresSparse(dst, index, value)
	}
	row := rowPool.Get().(*[]float64)
	defer rowPool.Put(row)
	*row = linalg.AppendRow((*row)[:0], m.Features(), index, value)
	return m.Scores(dst, *row)
}

// probaOf returns the function of m that appends probabilities.
func probaOf(m sim.Prober) rowFunction {
	f := rowFunction{dense: m.Proba}
	if s, ok := m.(sim.SparseProber); ok {
		f.sparse = s.ProbaSparse
	}
	return f
}

// EachProba calls visit with the probabilities of the classes for the rows of x, one row
// after the other. The slice is that of the last row, written over.
//
// Errors: *[linalg.ShapeError], *[linalg.SizeError] for a storage that cannot be copied, and
// those of the storage.
func EachProba(m sim.Prober, x linalg.Rows, visit func(i int, p []float64)) error {
	if err := suits(m, x); err != nil {
		return wrap(err)
	}
	r, err := readable(x)
	if err != nil {
		return wrap(err)
	}
	probaOf(m).each(r, 0, r.Len(), nil, visit)
	return wrap(r.err())
}

// suits refuses rows that are not as long as the model's, and a model that is nil.
func suits(m sim.Classifier, x linalg.Rows) error {
	if err := given(m); err != nil {
		return err
	}
	p := 0
	if x != nil {
		_, p = x.Dims()
	}
	if p != m.Features() {
		return &linalg.ShapeError{Want: m.Features(), WantOf: "features", Got: p, GotOf: "columns"}
	}
	return nil
}

// given refuses a model that is nil, or a nil pointer.
func given(m sim.Classifier) error {
	v := reflect.ValueOf(m)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return errors.New("no model is given")
	}
	return nil
}
