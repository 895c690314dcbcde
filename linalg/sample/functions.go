package sample

import (
	"halfspace/linalg"
	"halfspace/linalg/record"
)

// Functions returns how many linear functions tell K classes apart: one for two, else K.
func Functions(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// CheckClasses returns an error unless the labels are two or more, ascending.
//
// Error: *[linalg.ClassError].
func CheckClasses(classes []int) error {
	switch len(classes) {
	case 0:
		return &linalg.ClassError{Reason: "is missing: the list of classes is empty"}
	case 1:
		return &linalg.ClassError{Class: classes[0], Reason: "is the only class"}
	}
	return checkAscending(classes)
}

// Ascend reports whether the labels are two or more, ascending.
func Ascend(classes []int) bool { return len(classes) > 1 && descent(classes) == 0 }

// CheckAffine checks that coef and intercept, which come from elsewhere, are that many
// functions f(x) = intercept + coef·x of one feature or more, with numbers that are finite
// and leave scores so.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[record.DamageError].
func CheckAffine(functions int, coef *linalg.Dense, intercept []float64) error {
	switch bad := coef.Check(); {
	case coef == nil:
		return &linalg.ShapeError{Want: functions, WantOf: "functions", Got: 0, GotOf: "rows of coefficients"}
	case bad != nil:
		return bad
	case coef.Rows != functions:
		return &linalg.ShapeError{Want: functions, WantOf: "functions", Got: coef.Rows, GotOf: "rows of coefficients"}
	case len(intercept) != functions:
		return &linalg.ShapeError{Want: functions, WantOf: "functions", Got: len(intercept), GotOf: "intercepts"}
	}
	if err := linalg.CheckFinite("intercept", intercept); err != nil {
		return err
	}
	for k, b := range intercept {
		if err := linalg.CheckFinite("coef", coef.Row(k)); err != nil {
			return err
		}
		if err := record.CheckAffine(coef.Row(k), nil, b); err != nil {
			return err
		}
	}
	return nil
}
