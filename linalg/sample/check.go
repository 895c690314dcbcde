package sample

import (
	"fmt"
	"reflect"

	"halfspace/linalg"
)

// OptionError reports an option outside its range.
type OptionError struct {
	Name  string  // field name, "Lambda"
	Value float64 // as given
	Want  string  // "≥ 0 and finite"
	Given bool    // the option is no number, and Value says nothing
}

func (e *OptionError) Error() string {
	if e.Given {
		return fmt.Sprintf("%s is given, want %s", e.Name, e.Want)
	}
	return fmt.Sprintf("%s is %g, want %s", e.Name, e.Value, e.Want)
}

// EnoughRows refuses statistics of rows repeated by their weights, which sum to total, if there are fewer
// of these than coefficients: weights such as 1/n are shares of a mean, and not of repeated rows.
//
// Error: *[OptionError].
func EnoughRows(total float64, coefficients int) error {
	if total < float64(coefficients) {
		return &OptionError{Name: "the sum of Weights", Value: total, Want: fmt.Sprintf("≥ %d, the number of coefficients: weights count as repeated rows", coefficients)}
	}
	return nil
}

// Dims returns the dimensions of x and checks them against the lengths of the
// caller's vectors: rows is the number of labels or responses, and rowsOf is the word
// for them in an error. Dense matrices are checked with [linalg.Dense.Check].
//
// Errors: *[linalg.ShapeError], *[linalg.SizeError].
func Dims(x linalg.Rows, rows int, rowsOf string) (n, p int, err error) {
	if d, ok := x.(*linalg.Dense); ok {
		if err := d.Check(); err != nil {
			return 0, 0, err
		}
	} else if x == nil {
		return 0, 0, &linalg.ShapeError{Want: 1, WantOf: "row needed", Got: 0, GotOf: "rows"}
	}
	n, p = x.Dims()
	switch {
	case n <= 0:
		err = &linalg.ShapeError{Want: 1, WantOf: "row needed", Got: n, GotOf: "rows"}
	case p <= 0:
		err = &linalg.ShapeError{Want: 1, WantOf: "column needed", Got: p, GotOf: "columns"}
	case rows != n:
		err = &linalg.ShapeError{Want: n, WantOf: "rows", Got: rows, GotOf: rowsOf}
	}
	return n, p, err
}

// Weights checks frequency weights: nil, or n finite values ≥ 0 of which one is
// positive. It returns their sum, n for nil.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError].
func Weights(w []float64, n int) (sum float64, err error) {
	if w == nil {
		return float64(n), nil
	}
	if len(w) != n {
		return 0, &linalg.ShapeError{Want: n, WantOf: "rows", Got: len(w), GotOf: "weights"}
	}
	if err := linalg.CheckWeights(w); err != nil {
		return 0, err
	}
	if sum = linalg.Sum(w); sum-sum != 0 {
		return 0, &linalg.NonFiniteError{What: "weights summed up", Row: n - 1, Col: -1, Value: sum}
	}
	if sum == 0 {
		return 0, &linalg.ShapeError{Want: 1, WantOf: "row of positive weight needed", Got: 0, GotOf: "such rows"}
	}
	return sum, nil
}

// WeightAt returns the weight of row i: 1 where w is nil.
func WeightAt(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// Positive resolves an option that reads 0 as its default and must otherwise be
// positive and finite. Error: *[OptionError].
func Positive(name string, v, def float64) (float64, error) {
	switch {
	case v == 0:
		return def, nil
	case v > 0 && v-v == 0:
		return v, nil
	}
	return 0, &OptionError{Name: name, Value: v, Want: "positive and finite (0 for the default)"}
}

// NonNegative checks an option that must be ≥ 0 and finite. Error:
// *[OptionError].
func NonNegative(name string, v float64) error {
	if v >= 0 && v-v == 0 {
		return nil
	}
	return &OptionError{Name: name, Value: v, Want: "≥ 0 and finite"}
}

// Fraction checks an option that must lie in [0, 1]. Error: *[OptionError].
func Fraction(name string, v float64) error {
	if v >= 0 && v <= 1 {
		return nil
	}
	return &OptionError{Name: name, Value: v, Want: "between 0 and 1"}
}

// Count resolves an option that counts (MaxIter, Workers): 0 is the default, a
// negative one an *[OptionError].
func Count(name string, v, def int) (int, error) {
	switch {
	case v == 0:
		return def, nil
	case v > 0:
		return v, nil
	}
	return 0, &OptionError{Name: name, Value: float64(v), Want: "positive (0 for the default)"}
}

// Unused refuses the named fields of options, a pointer to a struct, that are not their zero
// value; why completes the sentence "want 0, …". Error: *[OptionError].
func Unused(options any, why string, names ...string) error {
	fields := reflect.ValueOf(options).Elem()
	for _, name := range names {
		v := fields.FieldByName(name)
		if v.IsZero() {
			continue
		}
		e := &OptionError{Name: name, Want: "0, " + why}
		switch {
		case v.CanFloat():
			e.Value = v.Float()
		case v.CanInt():
			e.Value = float64(v.Int())
		default:
			e.Given, e.Want = true, "none, "+why
		}
		return e
	}
	return nil
}
