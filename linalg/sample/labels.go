package sample

import (
	"fmt"
	"slices"

	"halfspace/linalg"
)

// Labels are integer class labels coded by their position in the ascending list
// of classes.
type Labels struct {
	Classes []int     // distinct labels, ascending; K of them
	Code    []int     // for each row, the index of its label in Classes
	Count   []float64 // for each class, the sum of the weights of its rows
}

// K returns the number of classes.
func (l Labels) K() int { return len(l.Classes) }

// Code checks and codes the labels y. A nil classes means the distinct labels
// of the rows with positive weight; otherwise the list is fixed, so that folds of
// one data set agree on K. A nil w is all ones. O(n log K).
//
// Errors: *[linalg.ClassError] if there are fewer than two classes, if a class
// of the list has no row of positive weight, if a label of such a row is not in
// the list, or if the list repeats a label. Rows of weight 0 whose label is not
// in the list get code 0; they count for nothing.
func Code(y, classes []int, w []float64) (Labels, error) {
	weight := func(i int) float64 {
		if w == nil {
			return 1
		}
		return w[i]
	}
	if classes == nil {
		classes = distinct(y, weight)
	} else {
		classes = slices.Sorted(slices.Values(classes))
		for k := 1; k < len(classes); k++ {
			if classes[k] == classes[k-1] {
				return Labels{}, &linalg.ClassError{Class: classes[k], Reason: "is listed twice"}
			}
		}
	}
	l := Labels{Classes: classes, Code: make([]int, len(y)), Count: make([]float64, len(classes))}
	rows := make([]int, len(classes))
	search := finder(classes)
	for i, v := range y {
		k, ok := search(v)
		switch {
		case ok:
			l.Code[i] = k
			l.Count[k] += weight(i)
			if weight(i) > 0 {
				rows[k]++
			}
		case weight(i) > 0:
			return Labels{}, &linalg.ClassError{Class: v, Rows: 1, Reason: "is not in the list of classes"}
		}
	}
	for k, n := range rows {
		if n == 0 {
			return Labels{}, &linalg.ClassError{Class: classes[k], Reason: "has no rows"}
		}
	}
	switch len(classes) {
	case 0:
		return Labels{}, &linalg.ClassError{Reason: "is missing: no rows of positive weight"}
	case 1:
		return Labels{}, &linalg.ClassError{Class: classes[0], Rows: rows[0], Reason: "is the only class"}
	}
	return l, nil
}

// Signs checks the training rows of a fit that tells two classes apart, and returns
// the classes and ±1 for each row, +1 for the larger label. Cells of x are not
// checked. O(n).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError],
// *[linalg.ClassError].
func Signs(x linalg.Matrix, y, classes []int, w []float64) (pair [2]int, sign []float64, err error) {
	n, _, err := Dims(x, len(y), "labels")
	if err != nil {
		return pair, nil, err
	}
	if _, err := Weights(w, n); err != nil {
		return pair, nil, err
	}
	l, err := Code(y, classes, w)
	if err != nil {
		return pair, nil, err
	}
	if l.K() > 2 {
		return pair, nil, TooManyClasses(l.Classes, y)
	}
	sign = make([]float64, n)
	for i, c := range l.Code {
		sign[i] = float64(2*c - 1)
	}
	return [2]int{l.Classes[0], l.Classes[1]}, sign, nil
}

// TooManyClasses is the error of a model of two classes for the labels y of three
// or more.
func TooManyClasses(classes, y []int) error {
	rows := 0
	for _, v := range y {
		if v == classes[2] {
			rows++
		}
	}
	return &linalg.ClassError{Class: classes[2], Rows: rows,
		Reason: fmt.Sprintf("is one too many: this model separates two classes, not %d", len(classes))}
}

// tableSpan is the range of labels up to which a table holds what is known of each:
// rows come in no order that a search could foresee.
const tableSpan = 1 << 12

// finder returns a function that finds the position of a label in the ascending
// list of classes.
func finder(classes []int) func(v int) (k int, ok bool) {
	if len(classes) == 0 || uint(classes[len(classes)-1])-uint(classes[0]) >= tableSpan {
		return func(v int) (int, bool) { return slices.BinarySearch(classes, v) }
	}
	first := uint(classes[0])
	table := make([]int, uint(classes[len(classes)-1])-first+1) // positions from 1 on
	for k, v := range classes {
		table[uint(v)-first] = k + 1
	}
	return func(v int) (int, bool) {
		at := uint(v) - first
		if at >= uint(len(table)) || table[at] == 0 {
			return 0, false
		}
		return table[at] - 1, true
	}
}

// distinct returns the labels of the rows with positive weight, ascending. Labels
// near the first one cost a look-up in a table, runs of others a comparison.
func distinct(y []int, weight func(int) float64) []int {
	var near [tableSpan]bool
	far := make(map[int]struct{})
	for i, v := range y {
		if !(weight(i) > 0) {
			continue
		}
		if at := uint(v) - uint(y[0]) + tableSpan/2; at < tableSpan {
			near[at] = true
		} else if i == 0 || v != y[i-1] || !(weight(i-1) > 0) {
			far[v] = struct{}{}
		}
	}
	var classes []int
	for at, seen := range near {
		if seen {
			classes = append(classes, y[0]+at-tableSpan/2)
		}
	}
	for v := range far {
		classes = append(classes, v)
	}
	slices.Sort(classes)
	return classes
}
