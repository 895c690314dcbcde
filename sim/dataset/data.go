package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"halfspace/linalg"
)

// Data is a table in memory.
type Data struct {
	X        *linalg.Dense // n×p
	Features []string      // p names, those of Schema
	Labels   []int         // n class codes 0 … K−1; nil for a numeric response and without labels
	Names    []string      // K labels as the file spells them, by code
	Y        []float64     // n responses, if they are numbers
	Weights  []float64     // n weights from Options.Weights, or nil
	Offset   []float64     // n offsets from Options.Offset, or nil
	Schema   *Schema       // reads new files in the same way
	Extra    []string      // columns of the file that Schema did not ask for and that were not read
}

// Options says how to read a table. The zero value and a nil pointer read by
// the file's name: labelled classes, a header in CSV.
type Options struct {
	Format   string  // "csv" or "libsvm"; "" is libsvm for names in .svm and .libsvm (.gz aside), else csv
	NoHeader bool    // CSV without a header: columns x1, x2, …, the last one the label
	Label    string  // name of the label column; "" is the last one, or the schema's
	Numeric  bool    // the label is a numeric response; a schema knows by itself
	NoLabels bool    // do not read labels: there may be none
	Weights  string  // name of a numeric column with weights, which is no feature
	Offset   string  // name of a numeric column with an offset, which is no feature
	MaxBytes float64 // largest matrix; 0 is 16e9 bytes, or what the platform can address
	Workers  int     // goroutines; 0 is GOMAXPROCS
}

func (o *Options) maxBytes() float64 {
	if o.MaxBytes > 0 {
		return o.MaxBytes
	}
	const most = int(^uint(0) >> 1) // 2 GB where int has 32 bits
	return min(16e9, float64(most))
}

// Load reads a file; "-" is standard input.
func Load(path string, o *Options) (*Data, error) { return load(path, o, nil) }

// Read reads a table from r. The name stands in errors ("-" as "standard input")
// and decides the format where o does not. Gzipped text is recognised by its first bytes.
func Read(name string, r io.Reader, o *Options) (*Data, error) { return read(name, r, o, nil) }

func load(path string, o *Options, s *Schema) (*Data, error) {
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
	b, err := plain(name, r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch bom, _ := b.Peek(3); {
	case string(bom) == "\xef\xbb\xbf":
		b.Discard(3)
	case bytes.HasPrefix(bom, []byte("\xff\xfe")), bytes.HasPrefix(bom, []byte("\xfe\xff")):
		return nil, &Error{name, 1, 0, "UTF-16 text; save it as UTF-8"}
	}
	if format == "libsvm" {
		return readLIBSVM(name, b, o, s)
	}
	return readCSV(name, b, o, s)
}

// plain returns a reader of the text of a file that may be gzipped. Of the two
// bytes that begin a gzip stream one is enough, and none in a file that is named
// for it: such a stream is cut off.
func plain(name string, r io.Reader) (*bufio.Reader, error) {
	const magic = "\x1f\x8b"
	b := bufio.NewReader(wholeReader{r})
	begin, _ := b.Peek(len(magic))
	if !strings.HasPrefix(magic, string(begin)) || len(begin) == 0 && !strings.HasSuffix(name, ".gz") {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errCutOff
	}
	return bufio.NewReader(wholeReader{z}), err
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

func formatOf(name, format string) (string, error) {
	switch format {
	case "csv", "libsvm":
		return format, nil
	case "":
		switch filepath.Ext(strings.TrimSuffix(name, ".gz")) {
		case ".svm", ".libsvm":
			return "libsvm", nil
		}
		return "csv", nil
	}
	return "", fmt.Errorf("%s: format %q is neither csv nor libsvm", name, format)
}

// allocate returns the n×p matrix of a file, or a *linalg.SizeError with the
// file's name if it would be larger than the limit.
func allocate(file string, n, p int, limit float64) (*linalg.Dense, error) {
	if need := 8 * float64(n) * float64(p); need > limit {
		return nil, fmt.Errorf("%s: %w", file, &linalg.SizeError{Rows: n, Cols: p, Bytes: need, Limit: limit})
	}
	x, err := linalg.NewDense(n, p, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return x, nil
}

//go:embed iris.csv
var iris []byte

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
