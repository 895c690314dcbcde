package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/record"
)

// Confusion counts the rows by truth and prediction.
type Confusion struct {
	Classes []int
	Count   [][]int // Count[t][k]: rows of class t that were taken for class k
}

// NewConfusion counts predictions. The classes are ascending.
//
// Errors: *[linalg.ShapeError]; *[linalg.ClassError] for a label that is not in
// the list.
func NewConfusion(classes, predicted, truth []int) (*Confusion, error) {
	if err := sameLen(len(truth), len(predicted)); err != nil {
		return nil, err
	}
	c := &Confusion{Classes: slices.Clone(classes), Count: make([][]int, len(classes))}
	for t := range c.Count {
		c.Count[t] = make([]int, len(classes))
	}
	is, unknown := positions(classes, truth)
	taken, err := positions(classes, predicted)
	if err = cmp.Or(unknown, err); err != nil {
		return nil, wrap(err)
	}
	for i, t := range is {
		c.Count[t][taken[i]]++
	}
	return c, nil
}

// positions returns the position of each label among the classes.
func positions(classes, labels []int) ([]int, error) {
	code := make([]int, len(labels))
	for i, label := range labels {
		var known bool
		if code[i], known = slices.BinarySearch(classes, label); !known {
			return nil, &linalg.ClassError{Class: label, Rows: 1, Reason: "is not in the list of classes"}
		}
	}
	return code, nil
}

// Error returns the share of rows off the diagonal.
func (c *Confusion) Error() float64 {
	n, right := 0, 0
	for t, row := range c.Count {
		right += row[t]
		for _, v := range row {
			n += v
		}
	}
	return float64(n-right) / float64(n)
}

// Recall returns the share of the rows of class t (a position in Classes) that
// were found: NaN if there are none.
func (c *Confusion) Recall(t int) float64 {
	n := 0
	for _, v := range c.Count[t] {
		n += v
	}
	return float64(c.Count[t][t]) / float64(n)
}

// Precision returns the share of the rows taken for class k that are of class k:
// NaN if there are none.
func (c *Confusion) Precision(k int) float64 {
	n := 0
	for _, row := range c.Count {
		n += row[k]
	}
	return float64(c.Count[k][k]) / float64(n)
}

// F1 returns the harmonic mean of precision and recall of class k, 2·right/(of class k +
// taken for k): 0 where none was right, NaN where there is no such row either way.
func (c *Confusion) F1(k int) float64 {
	n := 0
	for t, row := range c.Count {
		n += row[k] + c.Count[k][t]
	}
	return 2 * float64(c.Count[k][k]) / float64(n)
}

// MacroF1 returns the mean of F1 over the classes that it is defined for.
func (c *Confusion) MacroF1() float64 {
	sum, n := 0.0, 0.0
	for k := range c.Count {
		if f := c.F1(k); f == f {
			sum, n = sum+f, n+1
		}
	}
	return sum / n
}

// String returns the counts, rows the truth.
func (c *Confusion) String() string {
	var b strings.Builder
	b.WriteString("truth\\taken for")
	for _, k := range c.Classes {
		fmt.Fprintf(&b, " %7d", k)
	}
	for t, row := range c.Count {
		fmt.Fprintf(&b, "\n%15d", c.Classes[t])
		for _, n := range row {
			fmt.Fprintf(&b, " %7d", n)
		}
	}
	return b.String() + "\n"
}

// MarshalJSON writes classes and counts.
func (c Confusion) MarshalJSON() ([]byte, error) { return record.Plain(c) }

// UnmarshalJSON reads what MarshalJSON wrote.
//
// Error: *[record.DamageError] for counts that are not K×K.
func (c *Confusion) UnmarshalJSON(data []byte) error {
	var read Confusion
	if err := record.ReadPlain(data, &read); err != nil {
		return wrap(err)
	}
	k := len(read.Classes)
	if len(read.Count) != k || slices.ContainsFunc(read.Count, func(row []int) bool { return len(row) != k }) {
		return wrap(&record.DamageError{Reason: fmt.Sprintf("counts that are not those of %d classes", k)})
	}
	*c = read
	return nil
}
