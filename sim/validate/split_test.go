package validate

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// labels returns counts[k] labels k+5, interleaved.
func labels(counts ...int) (y []int) {
	left := slices.Clone(counts)
	for more := true; more; {
		more = false
		for k := range left {
			if left[k] > 0 {
				left[k]--
				y, more = append(y, k+5), true
			}
		}
	}
	return y
}

func count(y []int, rows []int) map[int]int {
	c := make(map[int]int)
	for _, i := range rows {
		c[y[i]]++
	}
	return c
}

func TestStratifiedSplit(t *testing.T) {
	y := labels(200, 100, 7)
	train, test, err := StratifiedSplit(y, .3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := count(y, test); !reflect.DeepEqual(got, map[int]int{5: 60, 6: 30, 7: 2}) {
		t.Errorf("test set %v", got)
	}
	all := slices.Sorted(slices.Values(slices.Concat(train, test)))
	if len(all) != len(y) || len(slices.Compact(all)) != len(y) || !slices.IsSorted(train) || !slices.IsSorted(test) {
		t.Error("the sets are not a partition in ascending order")
	}
	again, _, _ := StratifiedSplit(y, .3, 1)
	other, _, _ := StratifiedSplit(y, .3, 2)
	if !slices.Equal(train, again) || slices.Equal(train, other) {
		t.Error("the split is not a function of the seed")
	}
	var o *sample.OptionError
	if _, _, err := StratifiedSplit(y, 1.5, 1); !errors.As(err, &o) || o.Value != 1.5 {
		t.Error(err)
	}
}

func TestStratifiedFolds(t *testing.T) {
	y := labels(23, 41, 7, 1)
	const k = 5
	fold, err := StratifiedFolds(y, k, 3)
	if err != nil {
		t.Fatal(err)
	}
	size := make([]int, k)
	byClass := make(map[int][]int)
	for i, f := range fold {
		size[f]++
		if byClass[y[i]] == nil {
			byClass[y[i]] = make([]int, k)
		}
		byClass[y[i]][f]++
	}
	if slices.Max(size)-slices.Min(size) > 1 {
		t.Errorf("sizes of folds %v", size)
	}
	for c, n := range byClass {
		if slices.Max(n)-slices.Min(n) > 1 {
			t.Errorf("class %d has %v rows in the folds", c, n)
		}
	}
	repeated, err := RepeatedFolds(y, k, 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(repeated[0], fold) || slices.Equal(repeated[1], fold) || slices.Equal(repeated[1], repeated[2]) {
		t.Error("repeats are not what they should be")
	}
	if plain, _ := Folds(len(y), k, 3); slices.Equal(plain, fold) {
		t.Error("plain folds are stratified")
	}
	var option *sample.OptionError
	for _, repeats := range []int{-1, 0} {
		if _, err := RepeatedFolds(y, k, repeats, 3); !errors.As(err, &option) {
			t.Errorf("%d repeats: %v", repeats, err)
		}
	}
	var shape *linalg.ShapeError
	if _, err := Folds(-1, k, 3); !errors.As(err, &shape) {
		t.Errorf("folds of −1 rows: %v", err)
	}
	for _, k := range []int{-1, 1, 73} {
		if _, err := StratifiedFolds(y, k, 3); !errors.As(err, &shape) {
			t.Errorf("%d folds of 72 rows: %v", k, err)
		}
	}
	for _, k := range []int{2, 72} {
		if _, err := StratifiedFolds(y, k, 3); err != nil {
			t.Errorf("%d folds of 72 rows: %v", k, err)
		}
	}
}

func TestRows(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{1, 2}, {3, 4}, {5, 6}})
	got := TakeRows(x, []int{2, 0})
	if !slices.Equal(got.Data, []float64{5, 6, 1, 2}) {
		t.Error(got.Data)
	}
	if !slices.Equal(Take([]string{"a", "b", "c"}, []int{2, 0}), []string{"c", "a"}) || Take[int](nil, []int{1}) != nil {
		t.Error("Take")
	}
}
