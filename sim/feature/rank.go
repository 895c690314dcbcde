package feature

import (
	"cmp"
	"slices"
	"sort"
)

// ranked is a column in ascending order, without the rows of weight 0.
type ranked struct {
	values []float64
	upto   []float64 // the weight of the values up to and with each; nil: all have weight 1
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
		r.values, r.upto = append(r.values, values[i]), append(r.upto, sum)
	}
	return r
}

// weight returns the weight of value i.
func (r *ranked) weight(i int) float64 {
	switch {
	case r.upto == nil:
		return 1
	case i == 0:
		return r.upto[0]
	}
	return r.upto[i] - r.upto[i-1]
}

// quantile returns the quantile at k/of of the values, each as often as its weight.
func (r *ranked) quantile(k, of int) float64 {
	last := len(r.values) - 1
	if r.upto == nil {
		at := int64(k) * int64(last)
		i, rest := at/int64(of), at%int64(of)
		if rest == 0 {
			return r.values[i]
		}
		t := float64(rest) / float64(of)
		return r.values[i]*(1-t) + r.values[i+1]*t
	}
	at := max(0, float64(k)*(r.upto[last]-1)/float64(of))
	i := float64(int64(at))
	value := func(i float64) float64 { // value i of the repeated ones, from 0
		return r.values[min(last, sort.Search(len(r.upto), func(j int) bool { return r.upto[j] > i }))]
	}
	if at == i {
		return value(i)
	}
	return value(i)*(1-(at-i)) + value(i+1)*(at-i)
}

// mostFrequent returns the first of the values with the largest weight.
func (r *ranked) mostFrequent() (best float64) {
	most, w := 0.0, 0.0
	for i, v := range r.values {
		if i > 0 && v != r.values[i-1] {
			w = 0
		}
		if w += r.weight(i); w > most {
			best, most = v, w
		}
	}
	return best
}

func (r *ranked) mean() (mean float64) {
	sum := 0.0
	for i, v := range r.values {
		w := r.weight(i)
		sum += w
		mean += w / sum * (v - mean)
	}
	return mean
}
