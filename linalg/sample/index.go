package sample

import "slices"

// widestTable is the range of labels up to which a table has an entry for each: rows
// come in no order that the branches of a search could foresee.
const widestTable = 1 << 16

// Distinct returns the labels of the rows of positive weight, ascending; a nil w
// is all ones. O(n) where they lie close together, as they nearly always do.
func Distinct(y []int, w []float64) []int {
	counts := func(i int) bool { return WeightAt(w, i) > 0 }
	first := 0
	for first < len(y) && !counts(first) {
		first++
	}
	if first == len(y) {
		return nil
	}
	lo, hi := y[first], y[first]
	for i, v := range y {
		if counts(i) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	var labels []int
	span := uint(hi) - uint(lo)
	if span >= widestTable {
		seen := make(map[int]struct{})
		for i, v := range y {
			if counts(i) {
				seen[v] = struct{}{}
			}
		}
		for v := range seen {
			labels = append(labels, v)
		}
		slices.Sort(labels)
		return labels
	}
	seen := make([]bool, span+1)
	for i, v := range y {
		if counts(i) {
			seen[v-lo] = true
		}
	}
	for v, found := range seen {
		if found {
			labels = append(labels, lo+v)
		}
	}
	return labels
}

// Index finds the positions of labels in a list of classes.
type Index struct {
	classes []int
	table   []int32 // position + 1 of label classes[0] + i, 0 for none; nil where the classes are far apart
}

// NewIndex returns the index of an ascending list of classes, which it keeps.
func NewIndex(classes []int) Index {
	x := Index{classes: classes}
	if k := len(classes); k > 0 {
		if span := uint(classes[k-1]) - uint(classes[0]); span < widestTable {
			x.table = make([]int32, span+1)
			for k, v := range classes {
				x.table[v-classes[0]] = int32(k + 1)
			}
		}
	}
	return x
}

// Position returns the position of a label, and whether it is in the list.
func (x *Index) Position(label int) (k int, ok bool) {
	if x.table == nil {
		return slices.BinarySearch(x.classes, label)
	}
	at := uint(label) - uint(x.classes[0])
	if at >= uint(len(x.table)) {
		return 0, false
	}
	k = int(x.table[at]) - 1
	return k, k >= 0
}
