package validate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// TakeRows returns a copy of the given rows of x.
func TakeRows(x *linalg.Dense, rows []int) *linalg.Dense {
	return x.Select(rows).(*linalg.Dense)
}

// Take returns a copy of the given elements of v, nil for a nil v.
func Take[T any](v []T, rows []int) []T {
	if v == nil {
		return nil
	}
	c := make([]T, len(rows))
	for i, r := range rows {
		c[i] = v[r]
	}
	return c
}

// StratifiedSplit cuts the rows into a training and a test set, ascending. Of
// each class of Nₖ rows, test·Nₖ, rounded, are drawn for the test set.
//
// Errors: *[sample.OptionError] if test is not between 0 and 1.
func StratifiedSplit(y []int, test float64, seed uint64) (train, held []int, err error) {
	if err := sample.Fraction("test", test); err != nil {
		return nil, nil, wrap(err)
	}
	for _, rows := range shuffled(y, seed, 0) {
		n := int(math.Round(test * float64(len(rows))))
		held, train = append(held, rows[:n]...), append(train, rows[n:]...)
	}
	slices.Sort(train)
	slices.Sort(held)
	return train, held, nil
}

// shuffled returns the rows of each class in random order, the classes
// ascending.
func shuffled(y []int, seed, stream uint64) [][]int {
	classes := slices.Compact(slices.Sorted(slices.Values(y)))
	rows := make([][]int, len(classes))
	for i, v := range y {
		k, _ := slices.BinarySearch(classes, v)
		rows[k] = append(rows[k], i)
	}
	r := rand.New(rand.NewPCG(seed, stream))
	for _, c := range rows {
		r.Shuffle(len(c), func(i, j int) { c[i], c[j] = c[j], c[i] })
	}
	return rows
}

// Folds deals n rows in random order to k folds and returns the fold of each row.
// The sizes of folds differ by at most one.
//
// Errors: *[linalg.ShapeError] unless 2 ≤ k ≤ n.
func Folds(n, k int, seed uint64) ([]int, error) {
	return StratifiedFolds(make([]int, max(0, n)), k, seed)
}

// StratifiedFolds is [Folds] for labelled rows: also the number of rows of a
// class in two folds differs by at most one. O(n log n).
func StratifiedFolds(y []int, k int, seed uint64) ([]int, error) {
	return stratifiedFolds(y, k, seed, 0)
}

// RepeatedFolds returns several independent assignments of the rows to k
// stratified folds; the first is that of [StratifiedFolds].
//
// Errors: those of [Folds], *[sample.OptionError] unless there is one repeat or more.
func RepeatedFolds(y []int, k, repeats int, seed uint64) ([][]int, error) {
	if repeats < 1 {
		return nil, wrap(&sample.OptionError{Name: "repeats", Value: float64(repeats), Want: "1 or more"})
	}
	folds := make([][]int, repeats)
	for r := range folds {
		var err error
		if folds[r], err = stratifiedFolds(y, k, seed, uint64(r)); err != nil {
			return nil, err
		}
	}
	return folds, nil
}

func stratifiedFolds(y []int, k int, seed, stream uint64) ([]int, error) {
	if k < 2 {
		return nil, wrap(&linalg.ShapeError{Want: 2, WantOf: "folds needed", Got: k, GotOf: "folds"})
	}
	if k > len(y) {
		return nil, wrap(&linalg.ShapeError{Want: k, WantOf: "folds", Got: len(y), GotOf: "rows"})
	}
	fold := make([]int, len(y))
	next := 0
	for _, rows := range shuffled(y, seed, stream) {
		for _, i := range rows {
			fold[i] = next % k
			next++
		}
	}
	return fold, nil
}

// GroupFolds deals groups of rows to k folds, all rows of a group to one: the fold of
// each row. groups names the group of each row. The largest group goes first, to the
// fold with the fewest rows so far, equal ones in random order.
//
// Errors: *[linalg.ShapeError] unless 2 ≤ k ≤ the number of groups.
func GroupFolds(groups []int, k int, seed uint64) ([]int, error) {
	rows := shuffled(groups, seed, 0)
	if k < 2 {
		return nil, wrap(&linalg.ShapeError{Want: 2, WantOf: "folds needed", Got: k, GotOf: "folds"})
	}
	if k > len(rows) {
		return nil, wrap(&linalg.ShapeError{Want: k, WantOf: "folds", Got: len(rows), GotOf: "groups"})
	}
	r := rand.New(rand.NewPCG(seed, 1))
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	slices.SortStableFunc(rows, func(a, b []int) int { return len(b) - len(a) })
	fold, size := make([]int, len(groups)), make([]int, k)
	for _, group := range rows {
		least := slices.Index(size, slices.Min(size))
		size[least] += len(group)
		for _, i := range group {
			fold[i] = least
		}
	}
	return fold, nil
}

// wrap names the package in an error.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("validate: %w", err)
}
