package separation

import (
	"cmp"
	"math"
	"math/big"

	"halfspace/linalg"
	"halfspace/linalg/exact"
)

// A violation is an inequality that functions do not satisfy.
type violation struct {
	pair
	lead float64 // f_own − f_other, relative to the size of the row
}

// outcome is how functions do on all rows.
type outcome struct {
	worst []violation     // some of the violations, of each class those of the rows with the worst, one a row
	least map[int]float64 // by class the lead of the last that was kept, where as many were as are wanted
	first *pair           // the first violation
	signs
}

// scan says which violations a pass over the rows looks for.
type scan struct {
	f        *functions
	offset   *big.Int // nil, or negative: f_own − f_other + offset < 0 violates
	strictly bool     // equations violate
	apart    bool     // all that are not equations violate, whichever way round
	most     int      // rows kept of a class
}

// run makes the pass. O(nKp) but for the rows whose signs only integers can tell.
func (c *scan) run() (*outcome, error) {
	total := &outcome{}
	d := c.f.d
	err := eachRow(d, func() *visitor {
		return &visitor{s: make([]float64, d.k), size: make([]float64, d.k), near: c.f.scaled(c.offset)}
	}, c.visit,
		func(v *visitor) {
			total.worst = append(total.worst, v.found.worst...)
			if total.first == nil {
				total.first = v.found.first
			}
			total.add(&v.found.signs)
		})
	total.keep(c.most)
	return total, err
}

// visitor is the state of a scan in one piece of the rows. It has no [big.Int], as programs keep
// all that types of generic functions lead to; see [Integer].
type visitor struct {
	s, size []float64
	near    exact.Sum // the offset, scaled as the functions are
	found   outcome
}

func (c *scan) visit(v *visitor, i int, row []float64) {
	c.f.scores(v.s, v.size, row)
	strict, tie := false, false
	var worst violation // of the row
	violated := false
	c.f.d.pairs(i, func(q pair) {
		sign, lead := c.f.sign(q, row, v.s, v.size, exact.Sum{}, nil)
		strict, tie = strict || sign > 0, tie || sign == 0
		v.found.negative = v.found.negative || sign < 0
		if !c.violates(v, q, row, sign) {
			return
		}
		if v.found.first == nil {
			v.found.first = &q
		}
		if c.apart {
			lead = -math.Abs(lead)
		}
		if !violated || lead < worst.lead { // of equal ones the first
			worst, violated = violation{q, lead}, true
		}
	})
	if violated {
		worst.lead /= c.f.d.rowSize(row)
		if least, full := v.found.least[worst.own]; !full || worst.lead < least {
			v.found.worst = append(v.found.worst, worst)
		}
		if len(v.found.worst) > 4*c.most*c.f.d.k {
			v.found.keep(c.most)
		}
	}
	if strict {
		v.found.strict++
	}
	if tie {
		v.found.ties = append(v.found.ties, i)
	}
}

// violates reports whether the inequality of a pair, whose difference has the given sign,
// is one that the scan looks for.
func (c *scan) violates(v *visitor, q pair, row []float64, sign int) bool {
	switch {
	case sign == 0:
		return c.strictly
	case c.apart || sign < 0:
		return true
	case c.offset == nil:
		return false
	}
	below, _ := c.f.sign(q, row, v.s, v.size, v.near, c.offset)
	return below < 0
}

// keep leaves the worst violations of each class.
func (o *outcome) keep(most int) {
	all, count := o.worst, map[int]int{}
	o.worst, o.least = nil, map[int]float64{}
	for _, at := range ordered(len(all), func(i, j int) int {
		a, b := &all[i], &all[j]
		return cmp.Or(cmp.Compare(a.lead, b.lead), a.row-b.row, a.other-b.other)
	}) {
		v := all[at]
		if count[v.own]++; count[v.own] <= most {
			o.worst = append(o.worst, v)
		}
		if count[v.own] == most {
			o.least[v.own] = v.lead
		}
	}
}

// rowSize returns the size of (1, x − origin) in typical distances.
func (d *data) rowSize(row []float64) float64 {
	size := float64(d.first)
	for j, v := range row {
		size += math.Abs(v-d.origin[j]) / d.unit[j]
	}
	return size
}

// ordered returns the indices 0 ≤ k < n in an order, equal ones as they come. The integers that it
// sorts are one type, so programs hold one sort and not one for each type of element.
func ordered(n int, compare func(a, b int) int) []int {
	order := linalg.Sequence(n)
	linalg.SortFunc(order, compare)
	return order
}
