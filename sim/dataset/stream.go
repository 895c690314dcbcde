package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sort"
	"sync"

	"halfspace/linalg"
)

// Stream is the rows of a file that stay there, see [Options].Stream: [linalg.Rows] whose passes read the file
// again, some hundred kilobytes at a time, and turn text, or the bytes of a .npy, into numbers on a goroutine of
// their own while the caller works on the rows before. It holds 40 bytes for each 128 rows.
//
// A file that is not the one that was opened ends a pass with an error that wraps
// [ErrChanged]: its size and time are compared at the beginning of each pass, and the
// CRC-32C of the bytes of each 128 rows when they are read.
type Stream struct {
	name     string
	file     *os.File
	size     int64
	modified int64 // nanoseconds, not a time.Time, see method.ReadJSON
	n, p     int
	spans    []span
	decoders sync.Pool // of decoder
	runs     sync.Pool // of *run

	recordEnd func(text []byte) int // the length of the first record of text
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
	plain bool   // each record is a row
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
	text   []byte
	picked []byte // some of its records
	block  linalg.Block
	by     decoder
	err    error
}

// Pass reads the rows lo ≤ i < hi, see [linalg.Rows]. A run of rows is decoded while visit
// has the one before.
func (s *Stream) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	return s.pass(lo, hi, s.read, func(b *linalg.Block) error {
		return visitRange(b, lo, hi, visit)
	})
}

// visitRange calls visit with the rows of b that are at lo ≤ i < hi, if there are any.
func visitRange(b *linalg.Block, lo, hi int, visit func(*linalg.Block) error) error {
	part := b.Range(max(lo-b.At, 0), max(0, min(hi-b.At, b.Len())))
	if part.Len() == 0 {
		return nil
	}
	return visit(&part)
}

// pass calls visit with blocks that have the rows lo ≤ i < hi, and perhaps some before and
// behind them, as read makes them of spans.
func (s *Stream) pass(lo, hi int, read func(*run, []span) error, visit func(*linalg.Block) error) error {
	if lo >= hi {
		return nil
	}
	if err := s.unchanged(); err != nil {
		return err
	}
	k := sort.Search(len(s.spans), func(k int) bool { return s.spans[k].first+int(s.spans[k].rows) > lo })
	end := k + sort.Search(len(s.spans)-k, func(i int) bool { return s.spans[k+i].first >= hi })
	runs, done, free := make(chan *run), make(chan struct{}), make(chan *run, 2)
	for range cap(free) {
		r := s.take()
		defer s.runs.Put(r) // when nobody reads into it any more
		free <- r
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(done)
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
			r.err = read(r, s.spans[from:k])
			select {
			case runs <- r:
			case <-done:
				return
			}
		}
	}()
	for r := range runs {
		if r.err != nil {
			return r.err
		}
		if err := visit(&r.block); err != nil {
			return err
		}
		free <- r
	}
	return nil
}

// every is every step-th row of a stream: the others are read, but not decoded.
type every struct {
	*Stream
	step int
}

// Every returns every step-th row, see [linalg.Sampled].
func (s *Stream) Every(step int) linalg.Rows { return every{s, step} }

func (e every) Dims() (n, p int) { return (e.n + e.step - 1) / e.step, e.p }

func (e every) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	return e.pass(lo*e.step, min(e.n, (hi-1)*e.step+1), e.read, func(b *linalg.Block) error {
		return visitRange(b, lo, hi, visit)
	})
}

// read decodes the rows of spans that are wanted.
func (e every) read(r *run, spans []span) error {
	if err := e.fetch(r, spans); err != nil {
		return err
	}
	r.picked = r.picked[:0]
	first, rows := (spans[0].first+e.step-1)/e.step, 0
	for _, q := range spans {
		text := r.text[q.at-spans[0].at:][:q.size]
		for i := q.first; i < q.first+int(q.rows); {
			record := text[:e.recordEnd(text)]
			text = text[len(record):]
			if !q.plain {
				if b, err := r.by.decode(record, 1); err != nil || b.Len() == 0 {
					continue
				}
			}
			if i%e.step == 0 {
				r.picked = append(r.picked, record...)
				rows++
			}
			i++
		}
	}
	return e.decode(r, r.picked, first, rows)
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
	if info.Size() != s.size || info.ModTime().UnixNano() != s.modified {
		return s.changed()
	}
	return nil
}

func (s *Stream) changed() error { return fmt.Errorf("%s: %w", s.name, ErrChanged) }

// read reads the text of spans and decodes their rows.
func (s *Stream) read(r *run, spans []span) error {
	if err := s.fetch(r, spans); err != nil {
		return err
	}
	last := spans[len(spans)-1]
	return s.decode(r, r.text, spans[0].first, last.first+int(last.rows)-spans[0].first)
}

// fetch reads the text of spans.
func (s *Stream) fetch(r *run, spans []span) error {
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
	for _, q := range spans {
		if crc32.Checksum(r.text[q.at-first.at:][:q.size], castagnoli) != q.sum {
			return s.changed()
		}
	}
	return nil
}

// decode sets the block of a run to the rows of text, the first of which is row at.
func (s *Stream) decode(r *run, text []byte, at, rows int) (err error) {
	if r.block, err = r.by.decode(text, rows); err != nil {
		return err
	}
	if r.block.At = at; r.block.Len() != rows {
		return s.changed()
	}
	return nil
}

// counted counts the bytes read, and checks them.
type counted struct {
	io.Reader
	n   int64
	sum uint32 // CRC-32C
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	c.sum = crc32.Update(c.sum, castagnoli, p[:n])
	return n, err
}

// checksum returns the text of the sum and the number of the bytes read.
func (c *counted) checksum() string { return fmt.Sprintf("%08x-%d", c.sum, c.n) }

// stretch is some records of text, parsed.
type stretch[P any] struct {
	size, records int
	sum           uint32
	part          P
}

// maxStretch is how many bytes a stretch has at most, a record aside.
const maxStretch = 1 << 20

// stretchEnd returns the length of the first [linalg.BlockRows] records of text, or of as
// many as come to maxStretch, their number, and whether these are all there.
func (x *Stream) stretchEnd(text []byte) (n, records int, full bool) {
	for ; n < len(text); records++ {
		if records == linalg.BlockRows || n >= maxStretch {
			return n, records, true
		}
		n += x.recordEnd(text[n:])
	}
	return n, records, false
}

// index makes the first pass: it cuts text into stretches, parses them on several
// goroutines, notes where they lie, and gives each to merge, which returns its rows.
func index[P any](x *Stream, again []byte, r *bufio.Reader, text *counted, workers int, parse func([]byte) P, merge func(P) (rows int, err error)) error {
	at := text.n - int64(r.Buffered()) - int64(len(again))
	whole := func(buf []byte) (total int) {
		for {
			n, _, full := x.stretchEnd(buf[total:])
			if !full {
				return total
			}
			total += n
		}
	}
	parseAll := func(text []byte) (all []stretch[P]) {
		for len(text) > 0 {
			n, records, _ := x.stretchEnd(text)
			all = append(all, stretch[P]{n, records, crc32.Checksum(text[:n], castagnoli), parse(text[:n])})
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
			x.spans = append(x.spans, span{at, x.n, int32(t.size), int32(rows), t.sum, rows == t.records})
			at += int64(t.size)
			x.n += rows
		}
		return nil
	})
}
