package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"math"
	"sync"

	"halfspace/linalg"
)

const (
	maxIndex    = math.MaxInt32 - 1 // keeps counts within 32 bits
	maxFeatures = 1 << 24           // keeps their names, where they are asked for, within 1 GB or so
)

// svmFile gathers the blocks of a LIBSVM file.
type svmFile struct {
	*layout // only the label's part of it
	gathered
	wantLabels bool // false: a first field with a colon is a feature
	zeroBased  bool // indices begin with 0
	blocks     []*svmBlock
	lines      int
	rows       int
	cols       int   // largest index
	stored     int64 // values, zeros between them that a block has written out included
	labels     coder
	scratch    sync.Pool // *[]int32, indices of blocks that turn out not to need them
}

// svmBlock holds the rows of a block: the values of row i are
// vals[ends[i−1]:ends[i]], those of the features 1, 2, … in turn if idx is nil and
// of the features idx otherwise. The layout that is smaller is chosen, so blocks
// take no more memory than the matrix will.
type svmBlock struct {
	part
	vals []float64
	idx  []int32
	ends []int
	cols int
}

// readLIBSVM reads LIBSVM text of so many bytes, 0 if that is not known.
func readLIBSVM(file string, r *bufio.Reader, length int64, o *Options, s *Schema) (*Data, error) {
	f, err := newSVMFile(file, o, s)
	if err != nil {
		return nil, err
	}
	f.length = length
	if err := blocks(r, o.Workers, lastLine, f.parse, f.merge); err != nil {
		return nil, placed(file, f.lines, err)
	}
	return f.data(o)
}

// newSVMFile returns a file without rows.
func newSVMFile(file string, o *Options, s *Schema) (*svmFile, error) {
	l := &layout{file: file, schema: s, numeric: o.Numeric}
	switch {
	case s != nil && s.Offset != "":
		return nil, wrong(file, 0, fmt.Sprintf("LIBSVM text has no column %q, the model's offset", s.Offset))
	case s != nil && !s.numeric():
		return nil, wrong(file, 0, "LIBSVM text has no categorical columns, the model does")
	case s != nil:
		l.numeric = s.Names == nil
		l.classes = newKnown(s.Names, true)
	}
	return &svmFile{layout: l, wantLabels: !o.NoLabels, zeroBased: o.ZeroBased, gathered: gathered{limit: o.maxBytes()}}, nil
}

// parse reads a block. It runs on several goroutines.
func (f *svmFile) parse(text []byte) *svmBlock {
	b := new(svmBlock)
	pairs := bytes.Count(text, []byte{':'})
	vals := f.room(pairs)
	b.text = len(text)
	buf, _ := f.scratch.Get().(*[]int32)
	if buf == nil || cap(*buf) < pairs {
		buf = new([]int32)
		*buf = make([]int32, 0, pairs)
	}
	idx := *buf
	full := int64(0) // Σ of the rows' largest indices
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n')
		line := text
		b.lines++
		if end < 0 {
			text = nil
		} else {
			line, text = text[:end], text[end+1:]
		}
		line, _, _ = bytes.Cut(line, []byte{'#'})
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		rest, reason := f.head(&b.part, line)
		if reason == "" {
			vals, idx, reason = f.pairs(withoutQuery(rest), vals, idx)
		}
		if reason != "" {
			b.err = wrong(f.file, b.lines, reason)
			return b
		}
		b.rows++
		b.ends = append(b.ends, len(vals))
		if n := len(idx); n > 0 && (b.rows == 1 || n > b.ends[b.rows-2]) {
			b.cols = max(b.cols, int(idx[n-1]))
			full += int64(idx[n-1])
		}
	}
	b.vals, b.idx = vals, idx
	if 8*full <= 12*int64(len(vals)) {
		b.fill(int(full))
		f.scratch.Put(buf)
	}
	return b
}

// fill writes out the zeros between the values, so that idx is not needed.
func (b *svmBlock) fill(full int) {
	vals := b.vals
	if full > len(vals) {
		vals = make([]float64, 0, full)
		lo := 0
		for i, hi := range b.ends {
			for k := lo; k < hi; k++ {
				at := int(b.idx[k]) - 1
				if i > 0 {
					at += b.ends[i-1]
				}
				vals = vals[:at+1]
				vals[at] = b.vals[k]
			}
			lo, b.ends[i] = hi, len(vals)
		}
	}
	b.vals, b.idx = vals, nil
}

// head reads the label of a line and returns the text behind it.
func (f *svmFile) head(p *part, line []byte) (rest []byte, reason string) {
	field := word(line)
	rest = line[len(field):]
	pair := bytes.IndexByte(field, ':') >= 0
	switch {
	case !f.wantLabels && pair:
		return line, ""
	case !f.wantLabels:
		return rest, ""
	case pair:
		return nil, quote(field) + " stands where the label should be"
	case f.numeric:
		v, ok := number(field)
		if !ok {
			return nil, "label " + notNumber(field)
		}
		p.y = append(p.y, v)
		return rest, ""
	}
	k, reason := f.code(&p.labels, field)
	p.codes = append(p.codes, int32(k))
	return rest, reason
}

// withoutQuery returns the pairs behind the number of a query, qid:n, which rankings have
// and classifiers do not need.
func withoutQuery(s []byte) []byte {
	t := bytes.TrimLeft(s, " \t")
	if !bytes.HasPrefix(t, []byte("qid:")) {
		return s
	}
	return t[len(word(t)):]
}

// pairs appends the index:value pairs of a line, the indices counted from 1.
func (f *svmFile) pairs(s []byte, vals []float64, idx []int32) ([]float64, []int32, string) {
	last := int64(0)
	for i := 0; ; {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
		if i == len(s) {
			return vals, idx, ""
		}
		start, k := i, int64(0)
		for ; i < len(s) && s[i]-'0' <= 9 && k <= maxIndex; i++ {
			k = 10*k + int64(s[i]-'0')
		}
		switch {
		case k > maxIndex:
			return nil, nil, fmt.Sprintf("an index above %d", maxIndex)
		case i == start || i == len(s) || s[i] != ':':
			return nil, nil, quote(word(s[start:])) + " is not index:value"
		case k == 0 && !f.zeroBased:
			return nil, nil, "index 0; indices count from 1 (-zero-based: from 0)"
		}
		said := k
		if f.zeroBased {
			k++
		}
		if k <= last {
			return nil, nil, fmt.Sprintf("index %d after %d; indices must ascend", said, last+said-k)
		}
		i++
		v, n := scan(s[i:], point)
		end := i + n
		if n <= 0 || end < len(s) && s[end] != ' ' && s[end] != '\t' {
			return nil, nil, fmt.Sprintf("index %d: %s", said, notNumber(word(s[i:])))
		}
		vals, idx = append(vals, v), append(idx, int32(k))
		last, i = k, end
	}
}

// word returns s up to the first space.
func word(s []byte) []byte {
	n := 0
	for n < len(s) && s[n] != ' ' && s[n] != '\t' {
		n++
	}
	return s[:n]
}

// merge adds the next block. Once the matrix would exceed the limit, rows are
// only counted.
func (f *svmFile) merge(b *svmBlock) error {
	if b.err != nil {
		b.err.Line += f.lines
		return b.err
	}
	b.to = f.labels.merge(b.labels.names)
	if len(f.labels.names) > maxClasses {
		return wrong(f.file, 0, tooManyClasses)
	}
	f.lines += b.lines
	f.rows += b.rows
	f.cols = max(f.cols, b.cols)
	f.stored += int64(len(b.vals))
	if min(f.sparseBytes(), f.denseBytes()) > f.limit { // as they are, whatever rows follow
		f.blocks = nil
	} else if b.rows > 0 {
		if b.idx == nil {
			b.vals = f.add(b.vals, b.text)
		}
		f.blocks = append(f.blocks, b)
	}
	return nil
}

// features returns the number of features.
func (f *svmFile) features() int {
	if f.schema != nil {
		return f.schema.plainWidth()
	}
	return f.cols
}

// smallTable is the number of values up to which a matrix is dense in any case.
const smallTable = 1 << 16

// sparse reports whether at most a third of the values is stored: the matrix is then a
// sparse one, which takes half as much memory again for each.
func (f *svmFile) sparse() bool {
	all := float64(f.rows) * float64(f.features())
	return all > smallTable && 3*float64(f.stored) <= all
}

// columnBytes is about the memory of a feature's name and of its place in a schema.
const columnBytes = 64

// bytes returns the memory of the matrix of the rows so far. It can fall: rows of few values
// may make a sparse matrix of a dense one.
func (f *svmFile) bytes() float64 {
	if f.sparse() {
		return f.sparseBytes()
	}
	return f.denseBytes()
}

// sparseBytes returns that of a sparse matrix and of its schema, which may be larger: one row can name
// the last of millions of features.
func (f *svmFile) sparseBytes() float64 {
	b := 12*float64(f.stored) + 8*float64(f.rows)
	if f.schema == nil {
		b += columnBytes * float64(f.cols)
	}
	return b
}

func (f *svmFile) denseBytes() float64 { return 8 * float64(f.rows) * float64(f.features()) }

// data puts the blocks together.
func (f *svmFile) data(o *Options) (*Data, error) {
	d, err := f.responses(o)
	if err != nil {
		return nil, err
	}
	if err := f.matrix(d, f.features(), o.Workers); err != nil {
		return nil, fmt.Errorf("%s: %w", f.file, err)
	}
	return d, nil
}

// responses returns all but the rows.
func (f *svmFile) responses(o *Options) (*Data, error) {
	switch {
	case f.rows == 0:
		return nil, wrong(f.file, 0, "no rows")
	case f.cols == 0 && f.schema == nil:
		return nil, wrong(f.file, 0, "no features")
	}
	names, place := order(f.labels.names)
	s, p := f.schema, f.features()
	if s == nil && p > maxFeatures {
		return nil, tooManyFeatures(f.file, p)
	}
	if f.bytes() > f.limit {
		return nil, fmt.Errorf("%s: %w", f.file, &linalg.SizeError{Rows: f.rows, Cols: p, Bytes: f.bytes(), Limit: f.limit})
	}
	d := new(Data)
	if s == nil {
		s, d.Notes = &Schema{Numbered: p, Names: names, Strict: o.Strict}, spellings(f.labels.names, names, place)
	}
	d.Names, d.Schema = s.Names, s
	if f.cols > p {
		if d.Extra = []string{fmt.Sprintf("indices %d to %d", p+1, f.cols)}; s.Strict {
			return nil, wrong(f.file, 0, "columns that the model does not know: "+d.Extra[0])
		}
	}
	for _, b := range f.blocks {
		d.Labels = f.relabel(d.Labels, b.codes, b.to, place, f.rows)
		d.Y = gather(d.Y, b.y, f.rows)
	}
	return d, nil
}

// matrix sets the rows of d, p columns of them.
func (f *svmFile) matrix(d *Data, p, workers int) (err error) {
	rows, stored := make([]int, len(f.blocks)+1), make([]int, len(f.blocks)+1)
	for i, b := range f.blocks {
		rows[i+1] = rows[i] + b.rows
	}
	each := func(body func(i int, b *svmBlock)) {
		linalg.For(len(f.blocks), 1, workers, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				body(i, f.blocks[i])
			}
		})
	}
	if !f.sparse() {
		if d.X, err = f.dense(f.rows, p, f.cols <= p); err == nil {
			each(func(i int, b *svmBlock) {
				b.expand(d.X.RowRange(rows[i], rows[i+1]))
				b.vals, b.idx = nil, nil
			})
		}
		return err
	}
	f.copies.Wait()
	each(func(i int, b *svmBlock) { stored[i+1] = b.within(p) })
	for i := range f.blocks {
		stored[i+1] += stored[i]
	}
	total := stored[len(f.blocks)]
	start, index, value := make([]int, f.rows+1), linalg.Room[int32](total), linalg.Room[float64](total)
	start[f.rows] = total
	each(func(i int, b *svmBlock) {
		lo, hi := stored[i], stored[i+1]
		b.copyTo(start[rows[i]:rows[i+1]], lo, index[lo:hi], value[lo:hi], p)
		b.vals, b.idx = nil, nil
	})
	d.Sparse, err = linalg.NewCSR(f.rows, p, start, index, value)
	return err
}

// within returns how many values of a block are not 0 and in one of the first p columns.
func (b *svmBlock) within(p int) (n int) {
	lo := 0
	for _, hi := range b.ends {
		for k, v := range b.vals[lo:hi] {
			if b.idx != nil {
				k = int(b.idx[lo+k]) - 1
			}
			if k < p && v != 0 {
				n++
			}
		}
		lo = hi
	}
	return n
}

// copyTo copies those values, the first of which is value at of the matrix.
func (b *svmBlock) copyTo(start []int, at int, index []int32, value []float64, p int) {
	n, lo := 0, 0
	for i, hi := range b.ends {
		start[i] = at + n
		for k, v := range b.vals[lo:hi] {
			if b.idx != nil {
				k = int(b.idx[lo+k]) - 1
			}
			if k < p && v != 0 {
				index[n], value[n] = int32(k), v
				n++
			}
		}
		lo = hi
	}
}

func tooManyFeatures(file string, p int) error {
	return wrong(file, 0, fmt.Sprintf("%d features; at most %d are read", p, maxFeatures))
}

// expand writes the rows of a block into x; indices beyond its columns are left
// out.
func (b *svmBlock) expand(x *linalg.Dense) {
	lo := 0
	for i, hi := range b.ends {
		row := x.Row(i)
		if b.idx == nil {
			place(row, b.vals[lo:hi])
		} else {
			for k := lo; k < hi; k++ {
				if j := int(b.idx[k]) - 1; j < len(row) {
					row[j] = b.vals[k]
				}
			}
		}
		lo = hi
	}
}

// indexLIBSVM makes the first pass over LIBSVM text.
func (x *Stream) indexLIBSVM(r *bufio.Reader, text *counted, o *Options, s *Schema) (*Data, error) {
	f, err := newSVMFile(x.name, o, s)
	if err != nil {
		return nil, err
	}
	f.limit = math.Inf(1)
	x.recordEnd = func(text []byte) int { return cmp.Or(bytes.IndexByte(text, '\n')+1, len(text)) }
	err = index(x, nil, r, text, o.Workers, f.parse, func(b *svmBlock) (int, error) {
		err := f.merge(b)
		b.vals, b.idx, b.ends, b.labels = nil, nil, nil, coder{}
		return b.rows, err
	})
	if err != nil {
		return nil, placed(x.name, f.lines, err)
	}
	d, err := f.responses(o)
	if err != nil {
		return nil, err
	}
	x.p = f.features()
	sparse := f.sparse()
	later := *o
	later.Strict = false
	x.decoders.New = func() any {
		own, _ := newSVMFile(x.name, &later, d.Schema)
		return &svmDecoder{own, sparse}
	}
	return d, nil
}

// svmDecoder decodes LIBSVM text.
type svmDecoder struct {
	*svmFile
	isSparse bool
}

func (c *svmDecoder) decode(text []byte, _ int) (linalg.Block, error) {
	b := c.parse(text)
	if b.err != nil {
		return linalg.Block{}, b.err
	}
	p := c.features()
	if !c.isSparse || b.rows == 0 { // a sparse matrix has a row
		x := linalg.Zeros(b.rows, p)
		b.expand(x)
		return linalg.Block{Dense: x}, nil
	}
	stored := b.within(p)
	start, idx, value := make([]int, b.rows+1), make([]int32, stored), make([]float64, stored)
	start[b.rows] = stored
	b.copyTo(start[:b.rows], 0, idx, value, p)
	x, err := linalg.NewCSR(b.rows, p, start, idx, value)
	return linalg.Block{CSR: x}, err
}
