package dataset

import (
	"cmp"
	"fmt"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	terms "halfspace/sim/feature"
)

// Data is a table: in memory, but for its rows where [Options].Stream leaves them in the file.
type Data struct {
	X         *linalg.Dense // n×p; nil where the rows are sparse or in a file
	Sparse    *linalg.CSR   // n×p; nil where the rows are dense or in a file
	Stream    *Stream       // n×p, read from the file in each pass; nil where they are in memory
	Documents []string      // n texts of the column of documents, whose terms are among the features; nil without
	Labels    []int         // n class codes 0 … K−1; nil for a numeric response and without labels
	Names     []string      // K labels as the file spells them, by code
	Y         []float64     // n responses, if they are numbers
	Weights   []float64     // n weights from Options.Weights, or nil
	Offset    []float64     // n offsets from Options.Offset, or nil
	Schema    *Schema       // reads new files in the same way
	Extra     []string      // columns of the file that Schema does not know and that were not read
	LeftOut   int           // rows that were left out for a missing cell, see Options.Missing
	Checksum  string        // of the file as it was read: its CRC-32C and its length
	Notes     []string      // what a person may want to know of the reading: row names left out, a column of very many levels
}

// Rows returns the rows, in whichever way they are stored.
func (d *Data) Rows() linalg.Rows {
	switch {
	case d.Sparse != nil:
		return d.Sparse
	case d.Stream != nil:
		return d.Stream
	}
	return d.X
}

// Len returns the number of rows.
func (d *Data) Len() int {
	n, _ := d.Dims()
	return n
}

// Dense returns the rows as a dense matrix, for methods that take nothing else: a copy of
// sparse ones.
//
// Error: *[linalg.SizeError] for a copy of more than 4 GB.
func (d *Data) Dense() (*linalg.Dense, error) { return linalg.ToDense(d.Rows()) }

// Features returns p names: those of Schema, or x1, x2, … without one.
func (d *Data) Features() []string {
	s := d.Schema
	if s == nil {
		_, p := d.Dims()
		s = &Schema{Numbered: p}
	}
	return s.Features()
}

// Dims returns the numbers of rows and of features.
func (d *Data) Dims() (n, p int) { return d.Rows().Dims() }

// WithTerms returns the table with other terms of its documents: those of a schema, or for nil
// those that are found in its own documents, as for a first table. It is for rows that were
// taken from a larger table and are to know nothing of the others: [Read] finds terms and
// their frequencies in all rows. A table without documents comes back as it is.
//
// Errors: those of [terms.FitText].
func (d *Data) WithTerms(s *Schema) (*Data, error) {
	if d.Documents == nil || d.Schema == nil || d.Schema.Text == nil {
		return d, nil
	}
	var plain *linalg.Dense
	if width := d.Schema.plainWidth(); width > 0 {
		plain = linalg.Zeros(d.Len(), width)
		for i := range plain.Rows {
			index, value := d.Sparse.Row(i)
			for k := 0; k < len(index) && int(index[k]) < width; k++ {
				plain.Set(i, int(index[k]), value[k])
			}
		}
	}
	own, schema := *d, *d.Schema
	schema.Text = nil
	if s != nil {
		schema.Text = s.Text
	}
	own.Schema = &schema
	if err := own.addTerms(plain, d.Schema.Text.Name, d.Schema.Text.Terms.Settings()); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return &own, nil
}

// addTerms makes the rows sparse ones that have the terms of the documents behind the features
// in plain. Those of a first table become part of the schema.
func (d *Data) addTerms(plain *linalg.Dense, column string, settings terms.TextSettings) error {
	if d.Schema.Text == nil {
		words, err := terms.FitText(d.Documents, d.Weights, settings)
		if err != nil {
			return fmt.Errorf("column %q: %w", column, err)
		}
		d.Schema.Text = &TextColumn{column, words}
	}
	x, err := d.Schema.Text.Terms.Rows(d.Documents)
	if err == nil {
		d.Sparse, err = linalg.Beside(plain, x)
		d.X = nil
	}
	return err
}

// Options says how to read a table. The zero value and a nil pointer read by the file's
// name: labelled classes, a header in CSV. An option that a format has no use for is an
// error: LIBSVM text and NumPy arrays have no names of columns, separators or levels.
type Options struct {
	Format   string // "csv", "libsvm" or "numpy"; "" is libsvm for names in .svm and .libsvm, numpy for .npy and .npz (.gz aside), else csv
	NoHeader bool   // CSV without a header: columns x1, x2, …, the last one the label
	Label    string // name of the label column; "" is the last one, or the schema's
	Numeric  bool   // the label is a numeric response; a schema knows by itself
	NoLabels bool   // do not read labels: there may be none

	// Sep is the separator of CSV cells: 0 is the first of comma, semicolon, tab and space that
	// the first line has outside quotes, a comma behind tab where it is the decimal mark. Dec is the decimal mark, '.' or ',': 0 is a point, and between
	// semicolons either.
	Sep, Dec  byte
	ZeroBased bool // LIBSVM indices begin with 0

	// Text is the name of a column of documents, of which the terms are features, behind the
	// others: the rows are then sparse. A schema knows its own.
	Text         string
	TextSettings terms.TextSettings

	Weights string // name of a numeric column with weights, which is no feature
	Offset  string // name of a numeric column with an offset, which is no feature

	// Columns of a first table; a schema knows its own and refuses these.
	Keep        []string          // the columns that are features; nil is all
	Drop        []string          // columns that are no features
	Categorical []string          // columns whose cells are levels, also where they are numbers
	Reference   map[string]string // the reference level of a column; otherwise it is the first in byte order
	Unseen      Rule              // of a level that the first table lacks, in later ones: Refuse or Reference
	Strict      bool              // later tables may have no columns that the first lacks

	// Missing is the rule of cells that are empty, NA or NaN: Refuse, LeaveOut or, in
	// columns of features, Keep. A schema has its own, Keep or Refuse, which LeaveOut overrules.
	Missing Rule

	// Stream leaves the rows in the file: [Load] reads it in one pass and keeps labels, weights
	// and offsets, O(n) memory, and Data.Stream reads the rows again in each pass. It is for
	// plain files, not for packed ones, pipes, archives, and documents.
	Stream bool

	MaxBytes float64 // largest matrix; 0 is 16e9 bytes, or all that the platform can address
	Workers  int     // goroutines; 0 is GOMAXPROCS
}

// check refuses values that options cannot have, and options that a format, or the schema, has
// no use for. The format records is that of [FromRecords].
func (o *Options) check(file, format string, s *Schema) error {
	switch {
	case o.Missing != Refuse && o.Missing != LeaveOut && o.Missing != Keep:
		return fmt.Errorf("dataset: missing cells: no rule %q", o.Missing)
	case o.Sep == '"' || o.Sep == '\n' || o.Sep == '\r':
		return fmt.Errorf("dataset: %q cannot separate cells", o.Sep)
	case o.Dec != 0 && o.Dec != '.' && o.Dec != ',' || o.Dec != 0 && o.Dec == o.Sep:
		return fmt.Errorf("dataset: %q cannot be the decimal mark", o.Dec)
	case o.Unseen != Refuse && o.Unseen != Reference:
		return fmt.Errorf("dataset: levels never seen: no rule %q", o.Unseen)
	}
	_, bad := sample.Count("Workers", o.Workers, 0)
	err := cmp.Or(bad, sample.NonNegative("MaxBytes", o.MaxBytes))
	refuse := func(why string, names ...string) { err = cmp.Or(err, sample.Unused(o, why, names...)) }
	if s != nil {
		refuse("which columns are read, and how, is the schema's to say", "Keep", "Drop", "Categorical", "Reference", "Text", "TextSettings", "Unseen", "Strict")
		if o.Missing == Keep {
			refuse("the schema says whether missing cells are kept", "Missing")
		}
	}
	if o.Text == "" {
		refuse("there is no column of documents", "TextSettings")
	}
	named := []string{"NoHeader", "Label", "Sep", "Dec", "Text", "Weights", "Offset", "Keep", "Drop", "Categorical", "Reference", "Unseen"}
	if o.Stream && o.Missing == Keep {
		refuse("missing values cannot be filled in passes; leave the rows out (-na drop)", "Missing")
	}
	switch format {
	case "csv":
		refuse("only LIBSVM text has indices", "ZeroBased")
	case "libsvm":
		refuse("LIBSVM text has no named columns", named...)
		refuse("LIBSVM text has no missing cells", "Missing")
	case "numpy":
		refuse("NumPy arrays have no named columns", named...)
		refuse("NumPy arrays have no indices", "ZeroBased")
		if o.Missing == LeaveOut {
			refuse("rows of NumPy arrays are not left out", "Missing")
		}
	case "records":
		refuse("records are cells in memory", "Format", "Sep", "ZeroBased", "Stream")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func (o *Options) maxBytes() float64 {
	if o.MaxBytes > 0 {
		return o.MaxBytes
	}
	const most = int(^uint(0) >> 1) // 2 GB where int has 32 bits
	return min(16e9, float64(most))
}
