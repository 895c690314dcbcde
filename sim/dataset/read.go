package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"halfspace/linalg"
)

// Load reads a file; "-" is standard input.
func Load(path string, o *Options) (*Data, error) { return load(path, o, nil) }

// Read reads a table from r. The name stands in errors ("-" as "standard input")
// and decides the format where o does not. Gzipped text is recognised by its first bytes.
func Read(name string, r io.Reader, o *Options) (*Data, error) { return read(name, r, o, nil) }

// Load reads a file as the schema says; "-" is standard input.
//
// A column of the schema that the file lacks and a level or label that the
// schema does not know are errors; columns that the schema does not know are not
// read and named in Data.Extra. Without a header, columns are x1, x2, … as they
// were for the first table.
func (s *Schema) Load(path string, o *Options) (*Data, error) { return load(path, o, s) }

// Read is Load for text that is not in a file.
func (s *Schema) Read(name string, r io.Reader, o *Options) (*Data, error) {
	return read(name, r, o, s)
}

func load(path string, o *Options, s *Schema) (*Data, error) {
	if o != nil && o.Stream && path != "-" {
		return open(path, o, s)
	}
	if path == "-" {
		return read("-", os.Stdin, o, s)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(path, f, o, s)
}

func read(name string, r io.Reader, o *Options, s *Schema) (*Data, error) {
	if o == nil {
		o = new(Options)
	}
	format, err := formatOf(name, o.Format)
	if err != nil {
		return nil, err
	}
	if name == "-" {
		name = "standard input"
	}
	if err := o.check(name, format, s); err != nil {
		return nil, err
	}
	if o.Stream {
		return nil, wrong(name, 0, notAgain)
	}
	text := &counted{Reader: r}
	d, err := readFormat(name, format, text, o, s)
	if err == nil {
		d.Checksum = text.checksum()
	}
	return d, err
}

// readFormat reads a table whose format is known.
func readFormat(name, format string, r *counted, o *Options, s *Schema) (*Data, error) {
	b, packed, err := plain(name, r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if format == "numpy" {
		return readNumPy(name, b, o, s)
	}
	if err := begin(name, b); err != nil {
		return nil, err
	}
	length := int64(0)
	if !packed {
		length = lengthOf(r.Reader)
	}
	if format == "libsvm" {
		return readLIBSVM(name, b, length, o, s)
	}
	return readCSV(name, b, length, o, s)
}

// open is load of a file whose rows stay there.
func open(path string, o *Options, s *Schema) (*Data, error) {
	format, err := formatOf(path, o.Format)
	if err != nil {
		return nil, err
	}
	if err := o.check(path, format, s); err != nil {
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
	return d, nil
}

const notAgain = "only a regular file can be read in passes; save it first"

// openFile makes the first pass over a file.
func openFile(f *os.File, format string, o *Options, s *Schema) (*Data, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	x := &Stream{name: f.Name(), file: f, size: info.Size(), modified: info.ModTime().UnixNano()}
	if !info.Mode().IsRegular() {
		return nil, wrong(x.name, 0, notAgain)
	}
	text := &counted{Reader: f}
	r := bufio.NewReader(text)
	head, err := r.Peek(2)
	switch {
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("%s: %w", x.name, err)
	case string(head) == "\x1f\x8b" || string(head) == "PK":
		return nil, wrong(x.name, 0, "a packed file cannot be read in passes; unpack it first")
	case format != "numpy":
		if err := begin(x.name, r); err != nil {
			return nil, err
		}
	}
	var d *Data
	switch format {
	case "csv":
		d, err = x.indexCSV(r, text, o, s)
	case "libsvm":
		d, err = x.indexLIBSVM(r, text, o, s)
	default:
		d, err = x.indexNumPy(r, text, o, s)
	}
	if err != nil {
		return nil, named(x.name, err)
	}
	d.Stream, d.Checksum = x, text.checksum()
	return d, x.unchanged()
}

// plain returns a reader of the text of a file, and whether it was gzipped. Of the two
// bytes that begin a gzip stream one is enough, and none in a file that is named
// for it: such a stream is cut off.
func plain(name string, r io.Reader) (b *bufio.Reader, packed bool, err error) {
	b = bufio.NewReader(wholeReader{r})
	begin, _ := b.Peek(len(magic))
	if !strings.HasPrefix(magic, string(begin)) || len(begin) == 0 && !strings.HasSuffix(name, ".gz") {
		return b, false, nil
	}
	z, err := gzip.NewReader(b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errCutOff
	}
	return bufio.NewReader(wholeReader{members{z, b}}), true, err
}

const magic = "\x1f\x8b" // with which a gzip stream begins

// members reads the streams that are one behind the other in packed. What follows them has to begin as another
// does: a [gzip.Reader] by itself takes less than a header of other bytes for one that is cut off.
type members struct {
	*gzip.Reader
	packed *bufio.Reader
}

func (m members) Read(p []byte) (int, error) {
	for { // a stream may have no text
		m.Multistream(false)
		n, err := m.Reader.Read(p)
		if err != io.EOF {
			return n, err
		}
		next, err := m.packed.Peek(len(magic))
		switch {
		case len(next) == 0:
			return n, err
		case !strings.HasPrefix(magic, string(next)):
			return n, errors.New("other bytes follow the gzip stream")
		}
		if err := m.Reset(m.packed); err != nil || n > 0 {
			return n, err
		}
	}
}

// lengthOf returns about how many bytes of text r has, 0 if it does not say.
func lengthOf(r io.Reader) int64 {
	switch r := r.(type) {
	case *os.File:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	case interface{ Len() int }:
		return int64(r.Len())
	}
	return 0
}

// errCutOff reports a stream that ends before it says that it does.
var errCutOff = fmt.Errorf("the file is cut off: %w", io.ErrUnexpectedEOF)

// wholeReader returns errCutOff for the io.ErrUnexpectedEOF of a gzip stream or a
// connection: readers above, as io.ReadFull, mean an ordinary end by that error.
type wholeReader struct{ io.Reader }

func (r wholeReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == io.ErrUnexpectedEOF {
		err = errCutOff
	}
	return n, err
}

const byteOrderMark = "\xef\xbb\xbf"

// begin skips a byte order mark, and refuses text in other codes or without line feeds.
func begin(name string, r *bufio.Reader) error {
	text, _ := r.Peek(r.Size())
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return wrong(name, 1, "UTF-16 text; save it as UTF-8")
	case bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') >= 0 && bytes.IndexByte(text, '\r') < len(text)-1:
		return wrong(name, 1, "lines end with carriage returns alone; make them line feeds (tr '\\r' '\\n')")
	case bytes.HasPrefix(text, []byte(byteOrderMark)):
		r.Discard(len(byteOrderMark))
	}
	return nil
}

func formatOf(name, format string) (string, error) {
	switch format {
	case "csv", "libsvm", "numpy":
		return format, nil
	case "":
		switch filepath.Ext(strings.TrimSuffix(name, ".gz")) {
		case ".svm", ".libsvm":
			return "libsvm", nil
		case ".npy", ".npz":
			return "numpy", nil
		}
		return "csv", nil
	}
	return "", fmt.Errorf("%s: format %q is neither csv nor libsvm nor numpy", name, format)
}

// ReadFile reads a file by load, or stdin for "-", and puts the path before an error of load.
func ReadFile[T any](path string, stdin io.Reader, load func(io.Reader) (T, error)) (v T, err error) {
	if path == "-" {
		return load(stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return v, err
	}
	defer f.Close()
	if v, err = load(f); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return v, err
}

// ReadFiles is [ReadFile] of several.
func ReadFiles[T any](paths []string, stdin io.Reader, load func(io.Reader) (T, error)) (all []T, err error) {
	for _, path := range paths {
		v, err := ReadFile(path, stdin, load)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// WriteFile writes a file. It appears under its name only when it is complete, and a
// link's target under the target's, there before or not; a path that is no regular file
// (/dev/null, a pipe) is written to as it is.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	mode := os.FileMode(0o666) // less the bits of the umask
	old, err := os.Stat(path)  // of what links lead to, also where that has no name, as the pipe of /dev/stdout
	if err == nil {
		if !old.Mode().IsRegular() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			return errors.Join(write(f), f.Close())
		}
		mode = old.Mode().Perm()
	}
	if path, err = target(path); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".halfspace-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	f, err := os.OpenFile(filepath.Join(dir, "file"), os.O_WRONLY|os.O_CREATE, mode)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// target returns the path that symbolic links lead to, whether there is a file or not.
func target(path string) (string, error) {
	for range 40 { // as many as Linux follows
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", fmt.Errorf("%s: too many links", path)
}

// WriteLIBSVM writes the rows of d as LIBSVM text, with indices that count from 1, the labels
// as the file spelled them or the responses, and the values to the last bit.
//
// Errors: those of w; a label that would be read as another, *[linalg.NonFiniteError] for a missing value.
func (d *Data) WriteLIBSVM(w io.Writer) error {
	n, _ := d.Dims()
	for _, name := range d.Names {
		if name == "" || strings.ContainsAny(name, "#:") || strings.ContainsFunc(name, unicode.IsSpace) {
			return fmt.Errorf("dataset: LIBSVM text has no label %q", name)
		}
	}
	out := bufio.NewWriter(w)
	var line []byte
	err := linalg.Pass(d.Rows(), 0, n, func(b *linalg.Block) error {
		for i := range b.Len() {
			line = line[:0]
			switch {
			case d.Labels != nil:
				line = append(line, d.Names[d.Labels[b.At+i]]...)
			case d.Y != nil:
				line = strconv.AppendFloat(line, d.Y[b.At+i], 'g', -1, 64)
			default:
				line = append(line, '0')
			}
			columns, values := b.Row(i)
			for j, v := range values {
				if columns != nil {
					j = int(columns[j])
				}
				if v-v != 0 {
					return &linalg.NonFiniteError{What: "x", Row: b.At + i, Col: j, Value: v}
				}
				if v != 0 {
					line = strconv.AppendInt(append(line, ' '), int64(j+1), 10)
					line = strconv.AppendFloat(append(line, ':'), v, 'g', -1, 64)
				}
			}
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
	return cmp.Or(err, out.Flush())
}

//go:embed iris.csv
var iris []byte

// BuiltIn returns the text of a built-in table as a file, or nil: "iris".
func BuiltIn(name string) []byte {
	if name != "iris" {
		return nil
	}
	return bytes.Clone(iris)
}

// Iris returns Fisher's 150 irises: sepal and petal length and width in cm, 50
// each of setosa, versicolor and virginica (R. A. Fisher, The Use of Multiple
// Measurements in Taxonomic Problems, Annals of Eugenics 7, 1936).
func Iris() *Data {
	d, err := Read("iris.csv", bytes.NewReader(iris), nil)
	if err != nil {
		panic(err) // the file is part of the package
	}
	return d
}
