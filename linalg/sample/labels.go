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
	Code    []int     // for each row, the index of its label in Classes; the labels themselves where they are these
	Count   []float64 // for each class, the sum of the weights of its rows
}

// K returns the number of classes.
func (l Labels) K() int { return len(l.Classes) }

// Code checks and codes the labels y. A nil classes means the distinct labels
// of the rows with positive weight; otherwise the list is fixed, so that folds of
// one data set agree on K. It ascends, as results and options by class do: one in another order
// may be meant for weights in that order. A nil w is all ones. O(n log K).
//
// Errors: *[linalg.ClassError] if there are fewer than two classes, if a class
// of the list has no row of positive weight, if a label of such a row is not in
// the list, or if the list does not ascend. Rows of weight 0 whose label is not
// in the list get code 0; they count for nothing.
func Code(y, classes []int, w []float64) (Labels, error) {
	if classes == nil {
		classes = Distinct(y, w)
	} else if err := checkAscending(classes); err != nil {
		return Labels{}, err
	}
	classes = slices.Clone(classes)
	l := Labels{Classes: classes, Code: y, Count: make([]float64, len(classes))}
	rows, copied := make([]int, len(classes)), false
	index := NewIndex(classes)
	for i, v := range y {
		weight := WeightAt(w, i)
		k, ok := index.Position(v)
		if !ok {
			k = 0
		}
		if k != v {
			if !copied {
				l.Code, copied = slices.Clone(y), true
			}
			l.Code[i] = k
		}
		switch {
		case ok:
			l.Count[k] += weight
			if weight > 0 {
				rows[k]++
			}
		case weight > 0:
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
func Signs(x linalg.Rows, y, classes []int, w []float64) (pair [2]int, sign []float64, err error) {
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

// WeighClasses returns the weights w of rows with the labels y times those of their classes: w
// itself where classWeights is nil. The list of classes is that of [Code].
//
// Errors: those of [Weights], [Code] and [Labels.Weigh].
func WeighClasses(y, classes []int, w, classWeights []float64) ([]float64, error) {
	if classWeights == nil {
		return w, nil
	}
	if _, err := Weights(w, len(y)); err != nil {
		return nil, err
	}
	l, err := Code(y, classes, w)
	if err != nil {
		return nil, err
	}
	return l.Weigh(w, classWeights)
}

// Weigh returns the weights of the rows, w (nil: ones) times that of the row's class; nil
// class weights are ones.
//
// Errors: *[linalg.ShapeError] for other than K class weights, *[OptionError] for one that
// is not positive and finite.
func (l Labels) Weigh(w, classWeights []float64) ([]float64, error) {
	if classWeights != nil && len(classWeights) != l.K() {
		return nil, &linalg.ShapeError{Want: l.K(), WantOf: "classes", Got: len(classWeights), GotOf: "class weights"}
	}
	for k, v := range classWeights {
		if !(v > 0) || v-v != 0 {
			return nil, &OptionError{Name: fmt.Sprintf("ClassWeights[%d]", k), Value: v, Want: "positive and finite"}
		}
	}
	out := make([]float64, len(l.Code))
	for i, k := range l.Code {
		out[i] = WeightAt(w, i)
		if classWeights != nil {
			out[i] *= classWeights[k]
		}
	}
	return out, nil
}

// checkAscending returns an error for a list of classes that does not ascend.
func checkAscending(classes []int) error {
	if k := descent(classes); k > 0 {
		return &linalg.ClassError{Class: classes[k], Reason: "is no larger than the class before it: the list of classes must ascend"}
	}
	return nil
}

// descent returns the position of the first class that is no larger than the one before it, 0 if
// there is none.
func descent(classes []int) int {
	for k := 1; k < len(classes); k++ {
		if classes[k] <= classes[k-1] {
			return k
		}
	}
	return 0
}
