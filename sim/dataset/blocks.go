package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"
	"sync"

	"halfspace/linalg"
)

const (
	firstBlock = 1 << 12 // a file of a few rows costs little
	blockSize  = 1 << 18
)

// maxRecord is how many bytes are in one line, or in one record with quoted line breaks, at most; fewer in tests.
var maxRecord = 1 << 28

// longRecord is the error of a record longer than maxRecord; its value counts the lines before it in its block.
type longRecord int

func (longRecord) Error() string { return "a record of more than 256 MB; is a quote not closed?" }

// placed adds the file to an error of blocks, and the line to a longRecord; lines were merged before it.
func placed(file string, lines int, err error) error {
	if long := longRecord(0); errors.As(err, &long) {
		return wrong(file, lines+int(long)+1, long.Error())
	}
	return named(file, err)
}

// blocks cuts the text of r into blocks, parses them on several goroutines and merges
// the results in the order of the text. A block is as much of a buffer as end says, which
// is 0 where the buffer holds too little. An error of merge stops the reading.
func blocks[R any](r io.Reader, workers int, end func([]byte) int, parse func(text []byte) R, merge func(R) error) error {
	type job struct {
		text []byte
		out  chan R
	}
	workers = linalg.Workers(workers, 64)
	var (
		jobs  = make(chan job, workers)
		queue = make(chan chan R, workers) // the jobs' results in the order of the text
		free  = make(chan []byte, 2*workers+2)
		done  = make(chan struct{})
		wg    sync.WaitGroup
		err   error // of the reader; read once queue is closed
	)
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				j.out <- parse(j.text)
				select {
				case free <- j.text[:0]:
				default:
				}
			}
		}()
	}
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer close(queue)
		defer close(jobs)
		err = cut(r, end, free, func(text []byte) bool {
			j := job{text, make(chan R, 1)}
			select {
			case queue <- j.out:
			case <-done:
				return false
			}
			jobs <- j // a worker always comes: none of them waits for the merging
			return true
		})
	}()
	var failed error
	for out := range queue {
		if part := <-out; failed == nil {
			if failed = merge(part); failed != nil {
				close(done)
			}
		}
	}
	wg.Wait()
	if failed != nil {
		return failed
	}
	return err
}

// cut reads r and hands out blocks, see blocks, until the text ends or send returns
// false. Buffers come from free where it has one.
func cut(r io.Reader, end func([]byte) int, free <-chan []byte, send func([]byte) bool) error {
	var rest []byte // the text behind the block before
	for size := firstBlock; ; size = min(4*size, blockSize) {
		var buf []byte
		select {
		case buf = <-free:
		default:
		}
		if cap(buf) < size+size/4 {
			buf = make([]byte, 0, size+size/4)
		}
		buf = append(buf[:0], rest...)
		whole := 0
		for whole == 0 {
			if len(buf) > maxRecord {
				return longRecord(bytes.Count(buf[:lastRecord(buf)], []byte{'\n'}))
			}
			want := len(buf) + max(size, len(buf))
			var err error
			buf, err = fill(r, buf, want)
			if err == io.EOF {
				if len(buf) > 0 {
					send(buf)
				}
				return nil
			}
			if err != nil {
				return err
			}
			whole = end(buf)
		}
		rest = append(rest[:0], buf[whole:]...)
		if !send(buf[:whole]) {
			return nil
		}
	}
}

// fill appends to buf until it has want bytes.
func fill(r io.Reader, buf []byte, want int) ([]byte, error) {
	if cap(buf) < want {
		buf = append(make([]byte, 0, 2*want), buf...)
	}
	n, err := io.ReadFull(r, buf[len(buf):want])
	buf = buf[:len(buf)+n]
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return buf, err
}

// gathered puts the numbers of blocks one behind the other, so that they are a matrix without
// another copy. That takes the length of the text: once a block of it is read, that tells how many
// numbers to make room for, which is done beside the reading, for memory is slow to come. A block that
// finds no room, of the first quarter of the text or beyond what was expected, keeps its own numbers.
type gathered struct {
	length int64 // bytes of the text; 0 where that is not known
	limit  float64
	read   int64          // bytes of the blocks so far
	count  int            // numbers in them
	coming chan []float64 // all, once it is there
	all    []float64      // room for the whole text
	copies sync.WaitGroup // of blocks to all, to be waited for
	free   sync.Pool      // *[]float64, of blocks whose numbers are in all
}

// room returns no numbers and room for n.
func (g *gathered) room(n int) []float64 {
	if cells, _ := g.free.Get().(*[]float64); cells != nil && cap(*cells) >= n {
		return (*cells)[:0]
	}
	return make([]float64, 0, n)
}

// add returns where the numbers of the next block are from now on, which had so many bytes of
// text. It is called in the order of the text.
func (g *gathered) add(cells []float64, text int) []float64 {
	if g.length == 0 { // of a stream there may be more numbers than an int counts
		return cells
	}
	at := g.count
	g.count += len(cells)
	g.read += int64(text)
	if g.coming == nil && blockSize < g.read && g.read < g.length {
		const spare = 1 + 1./32
		most := float64(g.count) * float64(g.length) / float64(g.read) * spare
		g.coming = make(chan []float64, 1)
		go func() { g.coming <- linalg.Room[float64](int(min(most, g.limit/8))) }()
	}
	if g.all == nil && g.coming != nil {
		select {
		case g.all = <-g.coming:
		default:
			if 4*g.read > g.length {
				g.all = <-g.coming
			}
		}
	}
	if g.count > len(g.all) {
		return cells
	}
	own := g.all[at:g.count]
	g.copies.Add(1)
	go func() {
		defer g.copies.Done()
		copy(own, cells)
		g.free.Put(&cells)
	}()
	return own
}

// dense returns an n×p matrix. If the numbers gathered are its rows they are in their place there,
// or in a block that has kept them; otherwise it is zero. A matrix that would be larger than the limit is a
// *[linalg.SizeError].
func (g *gathered) dense(n, p int, rows bool) (*linalg.Dense, error) {
	g.copies.Wait()
	if g.all == nil && g.coming != nil {
		g.all = <-g.coming
	}
	need := 8 * float64(n) * float64(p)
	switch {
	case need > g.limit:
		return nil, &linalg.SizeError{Rows: n, Cols: p, Bytes: need, Limit: g.limit}
	case rows && g.count == n*p && g.count <= len(g.all):
		return linalg.NewDense(n, p, g.all[:g.count:g.count])
	}
	return linalg.NewDense(n, p, linalg.Room[float64](n*p))
}

// place copies the numbers of a block to dst, unless add has put them there.
func place(dst, cells []float64) {
	if len(cells) > 0 && &dst[0] != &cells[0] {
		copy(dst, cells)
	}
}

// lastLine returns the length of buf up to and with its last line end, 0 if there is
// none.
func lastLine(buf []byte) int { return bytes.LastIndexByte(buf, '\n') + 1 }

// lastRecord is lastLine of text in which a line end inside double quotes is part of its
// record: one before which the number of quotes is odd. buf starts outside quotes.
func lastRecord(buf []byte) int {
	end := bytes.LastIndexByte(buf, '\n')
	odd := end >= 0 && bytes.Count(buf[:end], []byte{'"'})%2 == 1
	for odd && end >= 0 {
		prev := bytes.LastIndexByte(buf[:end], '\n')
		odd = bytes.Count(buf[prev+1:end], []byte{'"'})%2 == 0
		end = prev
	}
	return end + 1
}

// recordEnd returns the length of the first record of text with its line end.
func recordEnd(text []byte) int {
	end, odd := 0, false
	for {
		i := bytes.IndexByte(text[end:], '\n')
		if i < 0 {
			return len(text)
		}
		odd = odd != (bytes.Count(text[end:end+i], []byte{'"'})%2 == 1)
		end += i + 1
		if !odd {
			return end
		}
	}
}

// blankLine returns the length of the first line of text with its end if it is blank, else 0.
func blankLine(text []byte, sep byte) int {
	line := text[:cmp.Or(bytes.IndexByte(text, '\n')+1, len(text))]
	if !blank(line, sep) {
		return 0
	}
	return len(line)
}

// blank reports whether there is nothing but spaces in a line. Tabs that separate cells are none: the line is
// a row of missing values.
func blank(line []byte, sep byte) bool {
	return len(bytes.TrimSpace(line)) == 0 && (sep != '\t' || bytes.IndexByte(line, sep) < 0)
}

// lineEnd returns the length of the line end that s begins with, 0 at the end of the text
// and −1 where there is none.
func lineEnd(s []byte) int {
	switch {
	case len(s) == 0:
		return 0
	case s[0] == '\n' || s[0] == '\r' && len(s) == 1:
		return 1
	case s[0] == '\r' && s[1] == '\n':
		return 2
	}
	return -1
}

// cellEnds reports whether a cell ends before s.
func cellEnds(s []byte, sep byte) bool {
	return len(s) == 0 || s[0] == sep || lineEnd(s) >= 0
}

// split cuts a record that is no line of a comment into cells, or says what is wrong with it.
func split(rec []byte, sep byte) (cells [][]byte, reason string) {
	if len(rec) > 0 && rec[0] == '#' {
		return nil, commentHint
	}
	for {
		cell, n, reason := cutCell(rec, sep)
		if reason != "" {
			return nil, reason
		}
		cells = append(cells, cell)
		if n == len(rec) || rec[n] != sep {
			return cells, ""
		}
		rec = rec[n+1:]
	}
}

// isSpace reports whether c stands around cells and does not count.
func isSpace(c, sep byte) bool { return (c == ' ' || c == '\t') && c != sep }

// cutCell returns the cell that text begins with, without the spaces around it, and the length
// up to the separator or the line end behind it, or says what is wrong with it. The cell is a
// window on text, or a copy where a quote stands for itself.
func cutCell(text []byte, sep byte) (cell []byte, n int, reason string) {
	for n < len(text) && isSpace(text[n], sep) {
		n++
	}
	if n < len(text) && text[n] == '"' {
		cell, k := unquote(text[n:], sep)
		if k == 0 {
			return nil, 0, "a quote that is not closed, or text after a closing quote"
		}
		return cell, n + k, ""
	}
	start := n
	for ; n < len(text) && text[n] != sep && text[n] != '\n'; n++ {
		if text[n] == '"' {
			return nil, 0, "a quote inside a cell that is not quoted"
		}
	}
	if n > start && text[n-1] == '\r' && (n == len(text) || text[n] == '\n') {
		n--
	}
	end := n
	for end > start && isSpace(text[end-1], sep) {
		end--
	}
	return text[start:end], n, ""
}

// unquote reads a quoted cell and the spaces after it. It returns the text and
// the number of bytes up to the separator or the line end, 0 if the cell is not one.
func unquote(rec []byte, sep byte) (cell []byte, n int) {
	copied := false
	for i := 1; ; {
		k := bytes.IndexByte(rec[i:], '"')
		if k < 0 {
			return nil, 0
		}
		if i+k+1 < len(rec) && rec[i+k+1] == '"' {
			cell, copied = append(cell, rec[i:i+k+1]...), true
			i += k + 2
			continue
		}
		if copied {
			cell = append(cell, rec[i:i+k]...)
		} else {
			cell = rec[i : i+k : i+k]
		}
		n = i + k + 1
		for n < len(rec) && isSpace(rec[n], sep) {
			n++
		}
		if !cellEnds(rec[n:], sep) {
			return nil, 0
		}
		return cell, n
	}
}

// separator returns the separator of cells: the given one, or for 0 that of the first
// record, outside quotes. A comma that is the decimal mark comes behind semicolons and tabs.
func separator(given, dec byte, first []byte) byte {
	if given != 0 {
		return given
	}
	order := ",;\t "
	if dec == ',' {
		order = ";\t, "
	}
	best, quoted := len(order), false
	for _, c := range bytes.TrimSpace(first) {
		if c == '"' {
			quoted = !quoted
		} else if i := strings.IndexByte(order, c); i >= 0 && i < best && !quoted {
			best = i
		}
	}
	return (order + ",")[best]
}
