package feature

import (
	"cmp"
	"slices"
	"sort"

	"halfspace/linalg/sample"
)

// ranked is a column in ascending order, without the rows of weight 0.
type ranked struct {
	values  []float64
	weights []float64 // of the values; nil: all have weight 1
	upto    []float64 // the weight of the values up to and with each
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
	r, sum := new(ranked), 0.0
	for _, i := range order {
		sum += w[i]
		r.values, r.weights, r.upto = append(r.values, values[i]), append(r.weights, w[i]), append(r.upto, sum)
	}
	return r
}

// quantile returns the quantile at k/of of the values, each as often as its weight.
func (r *ranked) quantile(k, of int) float64 {
	last := len(r.values) - 1
	if r.weights == nil {
		at := int64(k) * int64(last)
		i, rest := at/int64(of), at%int64(of)
		if rest == 0 {
			return r.values[i]
		}
		return between(r.values[i], r.values[i+1], float64(rest)/float64(of))
	}
	at := max(0, float64(k)*(r.upto[last]-1)/float64(of))
	i := float64(int64(at))
	value := func(i float64) float64 { // value i of the repeated ones, from 0
		return r.values[min(last, sort.Search(len(r.upto), func(j int) bool { return r.upto[j] > i }))]
	}
	if at == i {
		return value(i)
	}
	return between(value(i), value(i+1), at-i)
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
