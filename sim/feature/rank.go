package feature

import (
	"cmp"
	"slices"
	"sort"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// ranked is a column in ascending order, without the rows of weight 0.
type ranked struct {
	values  []float64
	weights []float64 // of the values; nil: all have weight 1
	upto    []float64 // how many rows the values up to and with each stand for, see repeats
}

// repeats returns w, of which a row counts as so many, in units of Σw²/Σw where that is below 1, the
// mean weight by weight: weights of 1/n mean ones, and a light row among others is a part of a row.
func repeats(w []float64) []float64 {
	most, sum, squares := linalg.NormInf(w), 0.0, 0.0
	if most == 0 {
		return w
	}
	for _, v := range w {
		sum += v / most
		squares += v / most * (v / most)
	}
	unit := min(1, most*(squares/sum))
	if unit == 1 {
		return w
	}
	rows := make([]float64, len(w))
	for i, v := range w {
		rows[i] = v / unit
	}
	return rows
}

// rank sorts values, in place where w is nil.
func rank(values, w []float64) *ranked {
	if w == nil {
		slices.Sort(values)
		return &ranked{values: values}
	}
	var order []int
	for i := range values {
		if w[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	r, rows, sum := new(ranked), repeats(w), 0.0
	for _, i := range order {
		sum += rows[i]
		r.values, r.weights, r.upto = append(r.values, values[i]), append(r.weights, w[i]), append(r.upto, sum)
	}
	return r
}

// quantile returns the quantile at k/of of the values, each as often as the rows it stands for: at row
// k(N−1)/of of these N, counted from 0. From the last row of a value to the first of the next the quantile
// is on a straight line.
func (r *ranked) quantile(k, of int) float64 {
	last := len(r.values) - 1
	switch k { // the least and the largest, which may be parts of a row
	case 0:
		return r.values[0]
	case of:
		return r.values[last]
	}
	if r.weights == nil {
		at := int64(k) * int64(last)
		i, rest := at/int64(of), at%int64(of)
		if rest == 0 {
			return r.values[i]
		}
		return between(r.values[i], r.values[i+1], float64(rest)/float64(of))
	}
	at := float64(k) * (r.upto[last] - 1) / float64(of)
	i := sort.Search(last, func(i int) bool { return r.upto[i] > at })
	if beyond := at - (r.upto[i] - 1); i < last && beyond > 0 {
		return between(r.values[i], r.values[i+1], beyond)
	}
	return r.values[i]
}

// between returns the number at the share t of the way from a to b ≥ a. Rounding takes it to
// neither side of them: quantiles of equal values are that value.
func between(a, b, t float64) float64 { return min(max(a*(1-t)+b*t, a), b) }

// mostFrequent returns the first of the values with the largest weight.
func (r *ranked) mostFrequent() (best float64) {
	most, w := 0.0, 0.0
	for i, v := range r.values {
		if i > 0 && v != r.values[i-1] {
			w = 0
		}
		if w += sample.WeightAt(r.weights, i); w > most {
			best, most = v, w
		}
	}
	return best
}

func (r *ranked) mean() (mean float64) {
	sum := 0.0
	for i, v := range r.values {
		w := sample.WeightAt(r.weights, i)
		sum += w
		mean = 2 * (mean/2 + w/sum*(v/2-mean/2)) // halves keep the difference of huge numbers finite
	}
	return mean
}
