package rounds

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/sample"
)

// Table is a part of the rows.
type Table struct {
	X       linalg.Rows
	Labels  []int     // 0 … K−1
	Weights []float64 // nil is all ones
	Offset  []float64 // added to f: one a row for two classes, K a row for more; nil is 0
	Workers int       // goroutines; 0 is GOMAXPROCS
}

// check refuses labels and offsets that are none.
func (t *Table) check(classes int) error {
	for _, k := range t.Labels {
		if k < 0 || k >= classes {
			return &linalg.ClassError{Class: k, Reason: fmt.Sprintf("is not one of 0 to %d", classes-1)}
		}
	}
	return sample.Offsets(t.Offset, len(t.Labels), sample.Functions(classes))
}

// absent reports whether no row counts: the part adds nothing.
func (t *Table) absent() bool {
	return len(t.Weights) > 0 && len(t.Weights) == len(t.Labels) && !slices.ContainsFunc(t.Weights, func(w float64) bool { return w != 0 })
}

// design returns that of the rows.
func (t *Table) design(s design.Settings) (*design.Design, error) {
	s.Workers = t.Workers
	return design.New(t.X, len(t.Labels), "labels", s)
}

// Counts are what the first round finds of a part of the rows.
type Counts struct {
	Rows        int            `json:"rows"`
	Classes     []float64      `json:"classes"`      // Σw of each class
	LeastWeight float64        `json:"least_weight"` // that is not 0
	Extent      *design.Extent `json:"extent"`
	Mean        []float64      `json:"mean"`
	SD          []float64      `json:"sd"` // with divisor Σw
}

// Survey counts a part of the rows, which may lack some of the classes, and may have no row that counts.
// Three passes.
//
// Errors: those of [design.New] and of [design.Design.Spread], *[linalg.ClassError].
func Survey(t *Table, classes int) (*Counts, error) {
	if err := t.check(classes); err != nil {
		return nil, wrap(err)
	}
	own := design.Settings{Weights: t.Weights}
	if t.absent() { // its cells are checked nevertheless
		own.Weights = nil
	}
	d, err := t.design(own)
	if err != nil {
		return nil, wrap(err)
	}
	c := &Counts{Rows: d.N, Classes: make([]float64, classes), LeastWeight: math.MaxFloat64}
	if t.absent() {
		c.Mean, c.SD, c.Extent = make([]float64, d.P), make([]float64, d.P), design.EmptyExtent(d.P)
		_, _, err = d.Spread()
		return c, wrap(err)
	}
	c.LeastWeight = d.LeastWeight()
	for i, k := range t.Labels {
		c.Classes[k] += d.Weight(i)
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
		switch {
		case b == 0:
			continue
		case a == 0:
			c.Mean[j], c.SD[j] = m, o.SD[j]
			continue
		}
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

// mostParameters bounds the Hessian of an answer to 100 MB.
const mostParameters = 5000

// CheckSize returns a *[linalg.SizeError] for more parameters than answers can have.
func CheckSize(classes, p int) error {
	q := float64(classes-1) * float64(p+1)
	if q > mostParameters {
		rows := int(min(q, math.MaxInt32))
		return wrap(fmt.Errorf("%.0f parameters, parts have at most %d; one file of any length is fitted in passes (-stream): %w", q, mostParameters, &linalg.SizeError{Rows: rows, Cols: rows, Bytes: 4 * q * q, Limit: 4 * mostParameters * mostParameters}))
	}
	return nil
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("rounds: %w", err)
}
