package linalg

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ShapeError reports two counts that do not fit together, such as the rows of
// x and the number of labels.
type ShapeError struct {
	Want   int    // the count that was expected
	WantOf string // the things counted, "rows"
	Got    int    // the count that was found
	GotOf  string // the things counted, "labels"
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%d %s but %d %s", e.Want, e.WantOf, e.Got, e.GotOf)
}

// NonFiniteError reports a NaN or an infinity in the input.
type NonFiniteError struct {
	What  string  // "x", "y", "weights", "offset"
	Row   int     // from 0
	Col   int     // from 0; −1 where What is a vector
	Value float64 // the NaN or infinity
}

func (e *NonFiniteError) Error() string {
	if e.Col < 0 {
		return fmt.Sprintf("%s: row %d is %v", e.What, e.Row, e.Value)
	}
	return fmt.Sprintf("%s: row %d, column %d is %v", e.What, e.Row, e.Col, e.Value)
}

// WeightError reports a negative weight.
type WeightError struct {
	Row   int // from 0
	Value float64
}

func (e *WeightError) Error() string { return fmt.Sprintf("weight of row %d is %g", e.Row, e.Value) }

// RangeError reports a number, or a column or vector of them, so large, or so
// small without being 0, that products leave the range of a float64. Multiplying
// the whole column or vector by a power of two cures that.
type RangeError struct {
	What   string  // "x", "y", "weights"; "" is x
	Row    int     // of Value, from 0
	Column int     // of x, from 0
	Value  float64 // the number; 0 where the column or vector as a whole is out of range
}

func (e *RangeError) Error() string {
	of, number := fmt.Sprintf("column %d", e.Column), fmt.Sprintf("x: row %d, column %d", e.Row, e.Column)
	if e.What != "" && e.What != "x" {
		of, number = e.What, fmt.Sprintf("%s: row %d", e.What, e.Row)
	}
	if e.Value == 0 {
		return fmt.Sprintf("the squares of %s leave the range of floating point; rescale it", of)
	}
	return fmt.Sprintf("%s is %g, and products of such numbers leave the range of floating point; rescale %s", number, e.Value, of)
}

// ClassError reports labels from which no classifier can be fitted: a single
// class, a class without rows (or whose rows all have weight 0), a label that is
// not in the list of classes.
type ClassError struct {
	Class  int    // the label in question
	Rows   int    // how many rows carry it (with positive weight)
	Reason string // "is the only class", "has no rows", …
}

func (e *ClassError) Error() string {
	return fmt.Sprintf("class %d (%d rows) %s", e.Class, e.Rows, e.Reason)
}

// RankError reports columns that depend linearly on the others (a constant
// column depends on the intercept).
type RankError struct {
	Rank    int   // numerical rank, relative to the scale of the columns
	P       int   // number of columns
	Columns []int // columns, from 0, that the others determine

	// Left is how far the columns named are from dependence: the largest part of one, about its
	// mean with an intercept and relative to its length, that those before it leave. 0 where
	// that is not known, or none.
	Left float64
}

// leftByRounding is the part of a column that a few roundings leave.
const leftByRounding = 1e-14

func (e *RankError) Error() string {
	text := fmt.Sprintf("rank %d of %d columns; the others determine columns %s", e.Rank, e.P, ListColumns(e.Columns))
	if e.Left > leftByRounding {
		text += fmt.Sprintf(", but for %.1g of their length", e.Left)
	}
	return text
}

// ListColumns names the first ten of columns, for the text of an error.
func ListColumns(columns []int) string {
	var names []string
	for i, c := range columns {
		if i == 10 {
			names = append(names, fmt.Sprintf("… (%d in all)", len(columns)))
			break
		}
		names = append(names, strconv.Itoa(c))
	}
	return strings.Join(names, ", ")
}

// PivotError reports the pivot at which a matrix was found not to be positive
// definite.
type PivotError struct {
	Pivot int     // index of the pivot, from 0
	Value float64 // its value, ≤ 0 or NaN
}

func (e *PivotError) Error() string {
	return fmt.Sprintf("not positive definite: column %d, less what those before it determine, leaves %g", e.Pivot, e.Value)
}

// DependentColumn returns err; for a *[PivotError] that the Gram matrix or the covariance
// of p columns met, the *[RankError] that says so of the columns.
func DependentColumn(err error, p int) error {
	if e, ok := err.(*PivotError); ok {
		return &RankError{Rank: p - 1, P: p, Columns: []int{e.Pivot}}
	}
	return err
}

// SizeError reports a matrix that this platform or the caller's limit cannot
// hold.
type SizeError struct {
	Rows, Cols int
	Bytes      float64 // the memory that it needs
	Limit      float64 // the memory that it may take
}

// maxSquare bounds square matrices that a method makes for itself, in bytes: 4 GB, or
// what half of a 32-bit address space holds. Most methods make three or four of them.
const maxSquare = min(math.MaxInt/2, 1<<32)

// CheckSquare returns a *[SizeError] for a square matrix of n rows that no method
// should try to make: on 64 bits more than 23,170. Every n×n buffer whose n comes from
// the data is asked for through it, so that a table of many columns is refused by name
// and size, not by the runtime.
//
//go:noinline // a program would have some thirty copies
func CheckSquare(n int) error {
	if need := 8 * float64(n) * float64(n); need > maxSquare {
		return &SizeError{Rows: n, Cols: n, Bytes: need, Limit: maxSquare}
	}
	return nil
}

// CheckSquares returns a *[SizeError] for so many square matrices of n rows at once, as
// many classes have, that they would take more than four of the largest may, or half of
// a 32-bit address space.
func CheckSquares(count, n int) error {
	if err := CheckSquare(n); err != nil {
		return err
	}
	const limit = min(math.MaxInt/2, 4*float64(maxSquare))
	if need := 8 * float64(count) * float64(n) * float64(n); need > limit {
		return &SizeError{Rows: count * n, Cols: n, Bytes: need, Limit: limit}
	}
	return nil
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("a dense matrix of %d × %d needs %.3g GB, the limit is %.3g GB", e.Rows, e.Cols, e.Bytes/1e9, e.Limit/1e9)
}

// mustLen panics with both lengths if a vector of a kernel has the wrong one.
func mustLen(op string, want, got int) {
	if want != got {
		panicLen(op, want, got)
	}
}

// mustAgree is mustLen of the three pairs of lengths that a product has.
func mustAgree(op string, want1, got1, want2, got2, want3, got3 int) {
	mustLen(op, want1, got1)
	mustLen(op, want2, got2)
	mustLen(op, want3, got3)
}

// panicLen is apart so that mustLen costs a comparison.
//
//go:noinline
func panicLen(op string, want, got int) {
	panic(fmt.Sprintf("linalg: %s: length %d but %d", op, want, got))
}
