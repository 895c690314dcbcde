// Package dataset reads tables into memory: CSV and LIBSVM text, plain or
// gzipped, with class labels coded as integers, categorical columns as
// indicators, and a [Schema] that reads new files in the same way.
//
// # CSV
//
// Cells are separated by the first of comma, semicolon, tab and space that the first
// line has, or by [Options].Sep; between semicolons a decimal comma is one, elsewhere
// [Options].Dec makes it one. A cell may be quoted with ", a quote inside it
// doubled, and a quoted cell may contain line breaks. A byte order mark, CRLF
// line ends, blank lines and spaces around cells are fine. The first line names
// the columns unless [Options].NoHeader is set, when they are x1, x2, … and the
// last is the label. A first column without a name holds names of rows, as R and
// pandas write them, and is left out; Data.Notes says so.
//
// A column is numeric if all its cells are finite decimal numbers and
// categorical if none of them is a number. A categorical column with levels
// l₀ < l₁ < … (byte order) becomes the indicator columns "name=l₁", "name=l₂", …:
// treatment coding against l₀. Everything else is an error with line and column:
// numbers and text in one column, an empty cell, NA, NaN, an infinity. Lines that
// begin with # are refused (quote the cell if it is data).
//
// Plain text, CSV and LIBSVM alike, does not say where it ends: a file cut off between rows,
// or within the last cell so that a number or label is left, reads as the shorter table.
// Gzipped text does, and a cut anywhere is an error.
//
// [Options] leave columns out, take numbers for levels, choose the reference level
// and give the rule of missing cells. The schema keeps those rules for later tables.
//
// # Rows from elsewhere
//
// [FromRecords] reads what encoding/csv returns. An [Encoder] turns rows of text or
// values into rows of features one at a time, for a program that serves predictions;
// [Schema.SparseRow] does so where a column has documents.
//
// # LIBSVM text
//
// One row a line: the label, then index:value pairs with indices from 1 in
// ascending order; features without a pair are 0. Features are named x1, x2, …, xp, where p
// is the largest index of the file. The matrix is sparse where it has
// more than 65,536 values and at most a third of them is stored, else dense; one that would
// exceed [Options].MaxBytes is read to its end and refused with a *[linalg.SizeError] that
// states the size.
//
// # Labels
//
// Class labels are coded 0 … K−1. If every label of the file is an integer they
// are ordered as numbers, and different spellings of a number ("1", "+1", "1.0")
// are one class, which Data.Notes says; otherwise by the bytes of their text. Data.Names has
// the spelling that came first.
//
// # Errors
//
// An error in the text is an *[Error] with file, line and column:
//
//	iris.csv:12: column "petal_width": "abc" is not a number
//
// A gzip stream or a connection that ends too early is an error that wraps
// io.ErrUnexpectedEOF, however many rows came before.
//
// # Cost
//
// The text is read in blocks of about 256 kB that are parsed on
// [Options].Workers goroutines; the table does not depend on their number. Where the
// length of the text is known (plain files, readers with a method Len) and all columns are
// numbers, peak memory is the matrix, a thirtieth of it and a few blocks; otherwise at most
// twice the matrix and a few blocks.
//
// With [Options].Stream the rows stay in the file, and a [Stream] turns its text into numbers
// again in each pass: memory is O(n) for labels, O(p) for each block under way, and a pass
// costs what reading the text does. Of a .npy the rows are read by their offsets; columns that lie
// side by side (Fortran order) and packed files are refused.
//
// # Files, in reading order
//
// number.go (text to numbers), error.go, labels.go (text to codes), schema.go and
// data.go (the result), encoder.go (one row to features), blocks.go (text to blocks of
// whole records and their numbers to one array, a record to cells), layout.go (the header's meaning),
// part.go (a block to numbers), table.go (blocks to a table), stream.go (rows that stay
// in their file), csv.go, libsvm.go and array.go (the formats), read.go (Load and Read, whole files out, the built-in table).
//
// # The life of one call
//
// [Read] unpacks the text and goes by the format. CSV: the first record becomes a
// layout, which gives each column its role; blocks cuts the rest after line ends and
// parses the blocks on several goroutines, each into a part; a table takes the parts
// in order, settles which columns are categorical, and at the end writes the matrix.
// LIBSVM text has no header; its blocks are put one behind the other.
package dataset
