// Package numpy reads the arrays that NumPy and SciPy save: .npy, and .npz with several of them
// (numpy.savez, scipy.sparse.save_npz).
package numpy

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"halfspace/linalg"
)

// Array is an array of numbers or, of kind 'S' or 'U', of texts: row after row.
type Array struct {
	Shape []int
	Data  []float64
	Texts []string // nil for numbers
}

// Len returns the number of values.
func (a *Array) Len() int { return max(len(a.Data), len(a.Texts)) }

// Archive is the arrays of a .npz by their names.
type Archive map[string]*Array

const (
	magic     = "\x93NUMPY"
	maxHeader = 1 << 20
)

// What the dictionary of a .npy says (NEP 1). They are compiled where a file is read:
// programs that read none do without the package.
const (
	descr   = `'descr':\s*'([<>|=]?)([a-zA-Z])(\d+)'`
	fortran = `'fortran_order':\s*(True|False)`
	shape   = `'shape':\s*\(([^)]*)\)`
)

// Header is what a .npy says of its values, which follow it.
type Header struct {
	Shape   []int
	Fortran bool // columns lie side by side, not rows
	Width   int  // bytes of a value
	kind    string
	order   binary.ByteOrder
}

// ReadHeader reads the header of a .npy.
//
// Errors: those of the reader, and of a file that is no array.
func ReadHeader(r io.Reader) (*Header, error) {
	var begin [8]byte
	switch _, err := io.ReadFull(r, begin[:]); {
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return nil, err
	case err != nil || string(begin[:6]) != magic:
		return nil, fmt.Errorf("not a NumPy array")
	}
	size := 2
	if begin[6] > 1 {
		size = 4
	}
	var length [4]byte
	if _, err := io.ReadFull(r, length[:size]); err != nil {
		return nil, fmt.Errorf("the array is cut off: %w", err)
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxHeader {
		return nil, fmt.Errorf("a header of %d bytes", n)
	}
	head := make([]byte, n)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, fmt.Errorf("the array is cut off: %w", err)
	}
	return parse(string(head))
}

// parse reads the dictionary of a header.
func parse(head string) (*Header, error) {
	d, f, s := regexp.MustCompile(descr).FindStringSubmatch(head), regexp.MustCompile(fortran).FindStringSubmatch(head), regexp.MustCompile(shape).FindStringSubmatch(head)
	if d == nil || f == nil || s == nil {
		return nil, unread(fmt.Sprintf("an array of %.60q is not of numbers or text", head))
	}
	width, err := strconv.Atoi(d[3])
	if err != nil || width == 0 || width > maxHeader {
		return nil, fmt.Errorf("values of %s bytes", d[3])
	}
	h := &Header{Fortran: f[1] == "True", Width: width, kind: d[2], order: binary.LittleEndian}
	for _, part := range strings.Split(s[1], ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSuffix(part, "L")) // as Python 2 wrote a long
		if err != nil || n < 0 {
			return nil, fmt.Errorf("a shape of %q", s[1])
		}
		h.Shape = append(h.Shape, n)
	}
	if h.kind == "U" {
		h.Width *= 4
	}
	if d[1] == ">" {
		h.order = binary.BigEndian
	}
	return h, nil
}

// Number returns the function that reads a value from its bytes, nil where the values are no
// numbers.
func (h *Header) Number() func([]byte) float64 {
	return numberOf(h.kind, h.Width, h.order)
}

// Unread returns the error of values that are of no type which is read.
func (h *Header) Unread() error {
	return unread(fmt.Sprintf("values of type %s%d are not read", h.kind, h.Width))
}

// unread is the error of an array of no type that is read, which may be left out.
type unread string

func (e unread) Error() string { return string(e) }

// Read reads a .npy of at most limit bytes of numbers.
//
// Errors: those of the reader, *[linalg.SizeError], and of a file that is no array of
// numbers or text.
func Read(r io.Reader, limit float64) (*Array, error) {
	b := bufio.NewReader(r)
	h, err := ReadHeader(b)
	if err != nil {
		return nil, err
	}
	if h.Number() == nil && h.kind != "U" && h.kind != "S" {
		return nil, h.Unread()
	}
	a, count := &Array{Shape: h.Shape}, 1.0
	for _, n := range h.Shape {
		count *= float64(n)
	}
	if need := count * float64(max(8, h.Width)); need > limit {
		rows := append(h.Shape, 1)[0]
		return nil, &linalg.SizeError{Rows: rows, Cols: int(min(count/float64(rows), math.MaxInt32)), Bytes: need, Limit: limit}
	}
	if err := a.fill(b, h, int(count)); err != nil {
		return nil, err
	}
	if h.Fortran && len(a.Shape) == 2 {
		a.transpose()
	}
	return a, nil
}

// fill reads the count values behind a header.
func (a *Array) fill(r io.Reader, h *Header, count int) error {
	number, width := h.Number(), h.Width
	if number != nil {
		a.Data = []float64{}
	}
	piece := max(1, min(count, 1<<14, 1<<20/width))
	buf := make([]byte, piece*width)
	for done := 0; done < count; {
		m := min(piece, count-done)
		b := buf[:m*width]
		if _, err := io.ReadFull(r, b); err != nil {
			return fmt.Errorf("the array is cut off: %w", err)
		}
		for ; len(b) > 0; b = b[width:] {
			if number != nil {
				a.Data = append(a.Data, number(b))
			} else {
				a.Texts = append(a.Texts, text(b[:width], h.kind, h.order))
			}
		}
		done += m
	}
	return nil
}

// numberOf returns the function that reads a number, nil for types that are none.
func numberOf(kind string, width int, order binary.ByteOrder) func([]byte) float64 {
	switch kind + strconv.Itoa(width) {
	case "f8":
		return func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }
	case "f4":
		return func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }
	case "i8":
		return func(b []byte) float64 { return float64(int64(order.Uint64(b))) }
	case "i4":
		return func(b []byte) float64 { return float64(int32(order.Uint32(b))) }
	case "i2":
		return func(b []byte) float64 { return float64(int16(order.Uint16(b))) }
	case "i1":
		return func(b []byte) float64 { return float64(int8(b[0])) }
	case "u8":
		return func(b []byte) float64 { return float64(order.Uint64(b)) }
	case "u4":
		return func(b []byte) float64 { return float64(order.Uint32(b)) }
	case "u2":
		return func(b []byte) float64 { return float64(order.Uint16(b)) }
	case "u1", "b1":
		return func(b []byte) float64 { return float64(b[0]) }
	}
	return nil
}

// text returns a text without the zeros that fill it up.
func text(b []byte, kind string, order binary.ByteOrder) string {
	if kind == "S" {
		return string(bytes.TrimRight(b, "\x00"))
	}
	var t strings.Builder
	for ; len(b) > 0; b = b[4:] {
		if r := order.Uint32(b); r != 0 {
			t.WriteRune(rune(r))
		}
	}
	return t.String()
}

// transpose makes columns that lie side by side rows.
func (a *Array) transpose() {
	n, p := a.Shape[0], a.Shape[1]
	if len(a.Data) == 0 { // texts, or no rows or columns
		return
	}
	to := linalg.Zeros(n, p)
	linalg.Transpose(to, &linalg.Dense{Rows: p, Cols: n, Stride: n, Data: a.Data})
	a.Data = to.Data
}

// ReadArchive reads a .npz whose arrays have at most limit bytes of numbers each. Members that
// are no array of numbers or text are left out.
func ReadArchive(r io.ReaderAt, size int64, limit float64) (Archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	all := Archive{}
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		m, err := f.Open()
		if err != nil {
			return nil, err
		}
		a, err := Read(m, limit)
		if err == nil || errors.As(err, new(unread)) {
			_, err = io.Copy(io.Discard, m) // to the end, where the checksum is compared
		}
		m.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if a != nil {
			all[name] = a
		}
	}
	return all, nil
}

// Sparse returns the matrix that scipy.sparse.save_npz saved, by rows or by columns; nil for
// another archive. One by columns may have more rows than the file has numbers: at most limit bytes are
// taken for them.
//
// Errors: those of [linalg.NewCSR], *[linalg.SizeError]; a format other than csr and csc, which tocsr() makes.
func (z Archive) Sparse(limit float64) (*linalg.CSR, error) {
	start, index, value, dims, format := z["indptr"], z["indices"], z["data"], z["shape"], z["format"]
	if start == nil || index == nil || value == nil || dims == nil || format == nil {
		if format != nil {
			return nil, fmt.Errorf("a sparse matrix that is not csr or csc, or whose values are of no type that is read; save it by tocsr()")
		}
		return nil, nil
	}
	if len(dims.Data) != 2 || len(format.Texts) != 1 {
		return nil, fmt.Errorf("a sparse matrix without two dimensions or a format")
	}
	n, p := int(dims.Data[0]), int(dims.Data[1])
	byColumn := format.Texts[0] == "csc"
	if byColumn {
		n, p = p, n
	} else if format.Texts[0] != "csr" {
		return nil, fmt.Errorf("a sparse matrix of format %q; save it by tocsr()", format.Texts[0])
	}
	if need := 8*float64(p) + 12*float64(len(value.Data)); byColumn && need > limit {
		return nil, &linalg.SizeError{Rows: p, Cols: n, Bytes: need, Limit: limit}
	}
	starts, indices := make([]int, len(start.Data)), make([]int32, len(index.Data))
	for i, v := range start.Data {
		starts[i] = int(v)
	}
	for k, v := range index.Data {
		indices[k] = int32(v)
	}
	sortRows(starts, indices, value.Data)
	a, err := linalg.NewCSR(n, p, starts, indices, value.Data)
	if err == nil && byColumn {
		a = a.Transposed(0)
	}
	return a, err
}
