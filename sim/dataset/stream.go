package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"sort"
	"sync"
	"time"

	"halfspace/linalg"
)

// Stream is the rows of a file that stay there, see [Options].Stream: [linalg.Rows] whose passes read the file
// again, some hundred kilobytes at a time, and turn text into numbers on a goroutine of
// their own while the caller works on the rows before. It holds 32 bytes for each 128 rows.
//
// A file that is not the one that was opened ends a pass with an error that wraps
// [ErrChanged]: its size and time are compared at the beginning of each pass, and the
// CRC-32C of the bytes of each 128 rows when they are read.
type Stream struct {
	name     string
	file     *os.File
	size     int64
	modified time.Time
	n, p     int
	spans    []span
	decoders sync.Pool // of decoder
	runs     sync.Pool // of *run
}

// ErrChanged is wrapped by the errors of passes over a file that has changed since it was
// opened.
var ErrChanged = errors.New("the file has changed since it was opened")

// maxStreamCopy is how many bytes of a stream's rows are copied into memory at most, by
// methods that cannot do without.
const maxStreamCopy = 1 << 28

// MaxCopy returns the bytes up to which copies of the rows are made, see [linalg.Remote].
func (s *Stream) MaxCopy() float64 { return maxStreamCopy }

// span is the text of some rows.
type span struct {
	at    int64 // of its first byte
	first int   // row
	size  int32 // bytes
	rows  int32
	sum   uint32 // CRC-32C
}

// decoder turns the text of n rows into a block of them, which is valid until the next
// call. One goroutine at a time uses it.
type decoder interface {
	decode(text []byte, n int) (linalg.Block, error)
}

// castagnoli is the polynomial that processors have an instruction for.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Dims returns the numbers of rows and of features.
func (s *Stream) Dims() (n, p int) { return s.n, s.p }

// Close closes the file. Passes fail from then on.
func (s *Stream) Close() error { return s.file.Close() }

// runBytes is how much text is read and decoded at a time.
const runBytes = 1 << 18

// run is the rows of consecutive spans.
type run struct {
	text  []byte
	block linalg.Block
	by    decoder
	err   error
}

// Pass reads the rows lo ≤ i < hi, see [linalg.Rows]. A run of rows is decoded while visit
// has the one before.
func (s *Stream) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	if lo >= hi {
		return nil
	}
	if err := s.unchanged(); err != nil {
		return err
	}
	k := sort.Search(len(s.spans), func(k int) bool { return s.spans[k].first+int(s.spans[k].rows) > lo })
	end := k + sort.Search(len(s.spans)-k, func(i int) bool { return s.spans[k+i].first >= hi })
	runs, done, free := make(chan *run), make(chan struct{}), make(chan *run, 2)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(done)
	for range cap(free) {
		r := s.take()
		defer s.runs.Put(r)
		free <- r
	}
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer close(runs)
		for k < end {
			var r *run
			select {
			case r = <-free:
			case <-done:
				return
			}
			from := k
			for k++; k < end && s.spans[k].at-s.spans[from].at < runBytes; k++ {
			}
			r.err = s.read(r, s.spans[from:k])
			select {
			case runs <- r:
			case <-done:
				return
			}
			if r.err != nil {
				return
			}
		}
	}()
	for r := range runs {
		if r.err != nil {
			return r.err
		}
		from, m := r.block.At, r.block.Len()
		if b := r.block.Range(max(lo-from, 0), min(hi-from, m)); b.Len() > 0 {
			if err := visit(&b); err != nil {
				return err
			}
		}
		free <- r
	}
	return nil
}

// take returns a run with a decoder.
func (s *Stream) take() *run {
	if r, ok := s.runs.Get().(*run); ok {
		return r
	}
	return &run{by: s.decoders.Get().(decoder)}
}

// unchanged compares the file with the one that was opened.
func (s *Stream) unchanged() error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != s.size || !info.ModTime().Equal(s.modified) {
		return s.changed()
	}
	return nil
}

func (s *Stream) changed() error { return fmt.Errorf("%s: %w", s.name, ErrChanged) }

// read reads the text of spans and decodes their rows.
func (s *Stream) read(r *run, spans []span) error {
	first, last := spans[0], spans[len(spans)-1]
	size := int(last.at - first.at + int64(last.size))
	if cap(r.text) < size {
		r.text = make([]byte, size+size/4)
	}
	r.text = r.text[:size]
	if n, err := s.file.ReadAt(r.text, first.at); n < size {
		if err == io.EOF {
			return s.changed()
		}
		return err
	}
	rows := 0
	for _, q := range spans {
		if crc32.Checksum(r.text[q.at-first.at:][:q.size], castagnoli) != q.sum {
			return s.changed()
		}
		rows += int(q.rows)
	}
	var err error
	r.block, err = r.by.decode(r.text, rows)
	r.block.At = first.first
	if m := 0; err == nil {
		if m, _ = r.block.Dims(); m != rows {
			return s.changed()
		}
	}
	return err
}

// open is load of a file whose rows stay there.
func open(path string, o *Options, s *Schema) (*Data, error) {
	format, err := formatOf(path, o.Format)
	if err != nil {
		return nil, err
	}
	if err := o.check(s); err != nil {
		return nil, err
	}
	if o.Text != "" || s != nil && s.Text != nil {
		return nil, wrong(path, 0, "a column of documents is read into memory, not in passes")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	d, err := openFile(f, format, o, s)
	if err != nil {
		f.Close()
		return nil, err
	}
	d.Features = d.Schema.Features()
	return d, nil
}

const notAgain = "only a regular file can be read in passes; save it first"

// openFile makes the first pass over a file.
func openFile(f *os.File, format string, o *Options, s *Schema) (*Data, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	x := &Stream{name: f.Name(), file: f, size: info.Size(), modified: info.ModTime()}
	if !info.Mode().IsRegular() {
		return nil, wrong(x.name, 0, notAgain)
	}
	text := &counted{Reader: f}
	r := bufio.NewReader(text)
	begin, err := r.Peek(4)
	switch {
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("%s: %w", x.name, err)
	case bytes.HasPrefix(begin, []byte("\x1f\x8b")) || bytes.HasPrefix(begin, []byte("PK")):
		return nil, wrong(x.name, 0, "a packed file cannot be read in passes; unpack it first")
	case bytes.HasPrefix(begin, []byte(byteOrderMark)):
		r.Discard(len(byteOrderMark))
	case bytes.HasPrefix(begin, []byte("\xff\xfe")), bytes.HasPrefix(begin, []byte("\xfe\xff")):
		return nil, wrong(x.name, 1, "UTF-16 text; save it as UTF-8")
	}
	var d *Data
	switch format {
	case "csv":
		d, err = x.indexCSV(r, text, o, s)
	case "libsvm":
		d, err = x.indexLIBSVM(r, text, o, s)
	default:
		err = wrong(x.name, 0, "NumPy files are read into memory, not in passes")
	}
	if err != nil {
		return nil, named(x.name, err)
	}
	d.Stream = x
	return d, x.unchanged()
}

// counted counts the bytes read.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// stretch is some records of text, parsed.
type stretch[P any] struct {
	size int
	sum  uint32
	part P
}

// maxStretch is how many bytes a stretch has at most, a record aside.
const maxStretch = 1 << 20

// stretchEnd returns a function that returns the length of the first [linalg.BlockRows]
// records of text, or of as many as come to maxStretch, and whether these are all there.
func stretchEnd(recordEnd func([]byte) int) func(text []byte) (n int, full bool) {
	return func(text []byte) (n int, full bool) {
		for records := 0; n < len(text); records++ {
			if records == linalg.BlockRows || n >= maxStretch {
				return n, true
			}
			n += recordEnd(text[n:])
		}
		return n, false
	}
}

// index makes the first pass: it cuts text into stretches, parses them on several
// goroutines, notes where they lie, and gives each to merge, which returns its rows.
func index[P any](x *Stream, again []byte, r *bufio.Reader, text *counted, workers int, recordEnd func([]byte) int, parse func([]byte) P, merge func(P) (rows int, err error)) error {
	at := text.n - int64(r.Buffered()) - int64(len(again))
	end := stretchEnd(recordEnd)
	whole := func(buf []byte) (total int) {
		for {
			n, full := end(buf[total:])
			if !full {
				return total
			}
			total += n
		}
	}
	parseAll := func(text []byte) (all []stretch[P]) {
		for len(text) > 0 {
			n, _ := end(text)
			all = append(all, stretch[P]{n, crc32.Checksum(text[:n], castagnoli), parse(text[:n])})
			text = text[n:]
		}
		return all
	}
	return blocks(io.MultiReader(bytes.NewReader(again), r), workers, whole, parseAll, func(all []stretch[P]) error {
		for _, t := range all {
			rows, err := merge(t.part)
			if err != nil {
				return err
			}
			x.spans = append(x.spans, span{at, x.n, int32(t.size), int32(rows), t.sum})
			at += int64(t.size)
			x.n += rows
		}
		return nil
	})
}

// indexCSV makes the first pass over CSV.
func (x *Stream) indexCSV(r *bufio.Reader, text *counted, o *Options, s *Schema) (*Data, error) {
	t, again, err := readHeader(x.name, r, o, s)
	if err != nil {
		return nil, err
	}
	t.limit = math.Inf(1)
	err = index(x, again, r, text, o.Workers, recordEnd, t.parse, func(p *part) (int, error) {
		err := t.merge(p)
		p.cells, p.slots, p.labels = nil, nil, coder{}
		return p.rows, err
	})
	if err != nil {
		return nil, err
	}
	d, err := t.responses(o)
	if err != nil {
		return nil, err
	}
	if d.Schema.Missing == Keep && s == nil {
		return nil, wrong(x.name, 0, "missing values cannot be filled in passes; leave the rows out (-na drop)")
	}
	later := &Options{NoHeader: o.NoHeader, Label: o.Label, NoLabels: o.NoLabels, Weights: o.Weights, Offset: o.Offset, Dec: o.Dec}
	if o.Missing == LeaveOut {
		later.Missing = LeaveOut
	}
	l, err := newLayout(x.name, t.header, later, d.Schema)
	if err != nil {
		return nil, err
	}
	l.sep, l.marks = t.sep, t.marks
	x.p = d.Schema.plainWidth()
	x.decoders.New = func() any { return &csvDecoder{table: table{layout: l}} }
	return d, nil
}

// csvDecoder decodes CSV.
type csvDecoder struct {
	table
	part  *part
	dense linalg.Dense
}

func (c *csvDecoder) decode(text []byte, n int) (linalg.Block, error) {
	if c.part == nil || cap(c.part.cells) < n*len(c.column) {
		c.part = c.newPart(n + n/4)
	}
	c.part.reset()
	if c.parseInto(c.part, text); c.part.err != nil {
		return linalg.Block{}, c.part.err
	}
	p := c.table.schema.plainWidth()
	if c.schema.numeric() {
		c.dense = linalg.Dense{Rows: c.part.rows, Cols: p, Stride: p, Data: c.part.cells}
	} else {
		if cap(c.dense.Data) < n*p {
			c.dense.Data = make([]float64, (n+n/4)*p)
		}
		c.dense = linalg.Dense{Rows: c.part.rows, Cols: p, Stride: p, Data: c.dense.Data[:c.part.rows*p]}
		clear(c.dense.Data)
		c.expand(&c.dense, c.part, c.schema)
	}
	return linalg.Block{Dense: &c.dense}, nil
}

// indexLIBSVM makes the first pass over LIBSVM text.
func (x *Stream) indexLIBSVM(r *bufio.Reader, text *counted, o *Options, s *Schema) (*Data, error) {
	f, err := newSVMFile(x.name, o, s)
	if err != nil {
		return nil, err
	}
	f.limit = math.Inf(1)
	lineEnd := func(text []byte) int { return cmp.Or(bytes.IndexByte(text, '\n')+1, len(text)) }
	err = index(x, nil, r, text, o.Workers, lineEnd, f.parse, func(b *svmBlock) (int, error) {
		err := f.merge(b)
		b.vals, b.idx, b.ends, b.labels = nil, nil, nil, coder{}
		return b.rows, err
	})
	if err != nil {
		return nil, err
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
	if !c.isSparse {
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
