package rounds

import (
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
)

// Counts are what the first round finds of a part of the rows.
type Counts struct {
	Rows        int            `json:"rows"`
	Classes     []float64      `json:"classes"` // Σw of each class
	LeastWeight float64        `json:"least_weight"`
	Extent      *design.Extent `json:"extent"`
	Mean        []float64      `json:"mean"`
	SD          []float64      `json:"sd"` // with divisor Σw
}

// Survey counts a part of the rows: labels are 0 … classes−1, of which the part may lack some;
// nil weights are all ones. Three passes.
//
// Errors: those of [design.New] and of [design.Design.Spread], *[linalg.ClassError].
func Survey(x linalg.Rows, labels []int, classes int, weights []float64, workers int) (*Counts, error) {
	d, err := design.New(x, len(labels), "labels", design.Settings{Weights: weights, Workers: workers})
	if err != nil {
		return nil, wrap(err)
	}
	c := &Counts{Rows: d.N, Classes: make([]float64, classes), LeastWeight: math.Inf(1)}
	for i, k := range labels {
		if k < 0 || k >= classes {
			return nil, wrap(&linalg.ClassError{Class: k, Reason: fmt.Sprintf("is not one of 0 to %d", classes-1)})
		}
		if w := d.Weight(i); w > 0 {
			c.Classes[k] += w
			c.LeastWeight = min(c.LeastWeight, w)
		}
	}
	if c.Mean, c.SD, err = d.Spread(); err != nil {
		return nil, wrap(err)
	}
	for j, u := range d.Unit {
		c.Mean[j], c.SD[j] = d.Origin[j]+c.Mean[j]*u, c.SD[j]*u
	}
	c.Extent, err = d.Extent()
	return c, wrap(err)
}

// Total returns Σw.
func (c *Counts) Total() float64 { return linalg.Sum(c.Classes) }

// Merge adds the counts of other rows of the same columns and classes.
//
// Error: *[linalg.ShapeError].
func (c *Counts) Merge(o *Counts) error {
	switch {
	case len(c.Mean) != len(o.Mean):
		return wrap(&linalg.ShapeError{Want: len(c.Mean), WantOf: "columns in the first part", Got: len(o.Mean), GotOf: "in another"})
	case len(c.Classes) != len(o.Classes):
		return wrap(&linalg.ShapeError{Want: len(c.Classes), WantOf: "classes in the first part", Got: len(o.Classes), GotOf: "in another"})
	}
	a, b := c.Total(), o.Total()
	for j, m := range o.Mean {
		apart := m - c.Mean[j]
		c.SD[j] = math.Sqrt((a*c.SD[j]*c.SD[j] + b*o.SD[j]*o.SD[j] + a*b/(a+b)*apart*apart) / (a + b))
		c.Mean[j] += b / (a + b) * apart
	}
	linalg.Axpy(c.Classes, 1, o.Classes)
	c.Rows += o.Rows
	c.LeastWeight = min(c.LeastWeight, o.LeastWeight)
	c.Extent.Merge(o.Extent)
	return nil
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("rounds: %w", err)
}
