package moments

import "slices"

// labelIndex finds the position of a label in the ascending list of those that
// occur: by a table where they lie close together, as they nearly always do.
type labelIndex struct {
	labels []int
	lowest int
	table  []int32 // position of lowest + i; nil where the labels are far apart
}

// widestTable is the range of labels up to which a table is kept.
const widestTable = 1 << 16

// newLabelIndex returns the index of the labels of the rows with positive weight.
func newLabelIndex(y []int, w []float64) labelIndex {
	lo, hi, found := 0, 0, false
	for i, v := range y {
		switch {
		case w != nil && w[i] == 0:
		case !found:
			lo, hi, found = v, v, true
		default:
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if !found {
		return labelIndex{}
	}
	if span := uint(hi) - uint(lo); span < widestTable {
		return tableIndex(y, w, lo, int(span)+1)
	}
	seen := make(map[int]struct{})
	for i, v := range y {
		if w == nil || w[i] > 0 {
			seen[v] = struct{}{}
		}
	}
	var x labelIndex
	for v := range seen {
		x.labels = append(x.labels, v)
	}
	slices.Sort(x.labels)
	return x
}

func tableIndex(y []int, w []float64, lowest, span int) labelIndex {
	x := labelIndex{lowest: lowest, table: make([]int32, span)}
	for i, v := range y {
		if w == nil || w[i] > 0 {
			x.table[v-lowest] = 1
		}
	}
	for v, present := range x.table {
		if present != 0 {
			x.table[v] = int32(len(x.labels))
			x.labels = append(x.labels, lowest+v)
		}
	}
	return x
}

// position returns the position of a label that occurs.
func (x *labelIndex) position(label int) int {
	if x.table != nil {
		return int(x.table[label-x.lowest])
	}
	k, _ := slices.BinarySearch(x.labels, label)
	return k
}
