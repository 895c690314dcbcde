package sums

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/logistic/rounds"
	"halfspace/sim/dataset"
)

// union returns the schema of a table that has all the levels and classes of its parts, and
// the counts of each part as that schema codes them.
//
// Errors: columns that differ, or reference levels that were chosen, name and part named.
func union(parts []*Part) (*dataset.Schema, []*rounds.Counts, error) {
	all := *parts[0].Schema
	all.Columns, all.Numbered = slices.Clone(all.All()), 0
	lists, ok := make([][]string, len(parts)), true
	for i, p := range parts {
		columns := p.Schema.All()
		if len(columns) != len(all.Columns) {
			return nil, nil, p.wrong(&linalg.ShapeError{Want: len(all.Columns), WantOf: "columns in " + parts[0].Name, Got: len(columns), GotOf: "here"})
		}
		if s := p.Schema; s.Weights != all.Weights || s.Offset != all.Offset {
			return nil, nil, p.wrong(fmt.Errorf("weights in %q and offset in %q, in %s in %q and %q", s.Weights, s.Offset, parts[0].Name, all.Weights, all.Offset))
		}
		for j, c := range columns {
			if of := &all.Columns[j]; c.Name != of.Name || (c.Levels == nil) != (of.Levels == nil) {
				return nil, nil, p.wrong(fmt.Errorf("column %d is %s, in %s it is %s", j+1, kind(c), parts[0].Name, kind(*of)))
			} else if c.Levels != nil {
				if of.Levels, ok = levels(of.Levels, c.Levels); !ok {
					return nil, nil, p.wrong(fmt.Errorf("column %q has the reference level %q, in parts before it another", c.Name, c.Levels[0]))
				}
			}
		}
		lists[i] = p.Schema.Names
	}
	names, code := dataset.Union(lists...)
	all.Names = names
	counts := make([]*rounds.Counts, len(parts))
	for i, p := range parts {
		counts[i] = recode(p.Counts, p.Schema, &all)
		counts[i].Classes = make([]float64, len(names))
		for k, w := range p.Counts.Classes {
			counts[i].Classes[code[i][k]] = w
		}
	}
	return &all, counts, all.Check()
}

// levels returns the levels of a column in two parts. A reference that is not a part's first in byte
// order was chosen, and stays the reference; ok is false where another was chosen in each.
func levels(a, b []string) (all []string, ok bool) {
	all = slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
	chosenBefore, chosenHere := a[0] != slices.Min(a), b[0] != slices.Min(b)
	reference := all[0]
	if chosenBefore {
		reference = a[0]
	} else if chosenHere {
		reference = b[0]
	}
	all = slices.DeleteFunc(all, func(l string) bool { return l == reference })
	return slices.Insert(all, 0, reference), !chosenBefore || !chosenHere || a[0] == b[0]
}

func kind(c dataset.Column) string {
	if c.Levels == nil {
		return fmt.Sprintf("%q, of numbers,", c.Name)
	}
	return fmt.Sprintf("%q, of levels,", c.Name)
}

// recode returns the counts of a part's columns as another schema codes the same columns:
// indicators of other levels, against another reference.
func recode(c *rounds.Counts, from, to *dataset.Schema) *rounds.Counts {
	r := &rounds.Counts{Rows: c.Rows, LeastWeight: c.LeastWeight, Extent: &design.Extent{Rows: c.Extent.Rows}}
	add := func(mean, sd, first, lo, hi, sum float64) {
		r.Mean, r.SD = append(r.Mean, mean), append(r.SD, sd)
		e := r.Extent
		e.First, e.Lo, e.Hi, e.Sum = append(e.First, first), append(e.Lo, lo), append(e.Hi, hi), append(e.Sum, sum)
	}
	at := 0
	for j, column := range from.All() {
		if column.Levels == nil {
			e := c.Extent
			add(c.Mean[at], c.SD[at], e.First[at], e.Lo[at], e.Hi[at], e.Sum[at])
			at++
			continue
		}
		own := column.Levels[1:]
		for _, level := range to.Columns[j].Levels[1:] {
			share := 0.0
			if k := slices.Index(own, level); k >= 0 {
				share = c.Mean[at+k]
			} else if level == column.Levels[0] {
				share = max(0, 1-linalg.Sum(c.Mean[at:at+len(own)]))
			}
			lo, hi := 0.0, 0.0
			if share > 0 {
				hi = 1
			}
			add(share, math.Sqrt(share*(1-share)), 0, lo, hi, share*c.Extent.Rows)
		}
		at += len(own)
	}
	return r
}
