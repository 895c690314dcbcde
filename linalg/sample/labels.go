package sample

import (
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
	for i, v := range y {
		k, ok := slices.BinarySearch(classes, v)
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

// distinct returns the labels of the rows with positive weight, ascending. Runs
// of one label and labels seen before cost a comparison or a map look-up.
func distinct(y []int, weight func(int) float64) []int {
	seen := make(map[int]struct{})
	for i, v := range y {
		if weight(i) > 0 && (i == 0 || v != y[i-1] || !(weight(i-1) > 0)) {
			seen[v] = struct{}{}
		}
	}
	classes := make([]int, 0, len(seen))
	for v := range seen {
		classes = append(classes, v)
	}
	slices.Sort(classes)
	return classes
}
