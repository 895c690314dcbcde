package moments

import (
	"fmt"
	"math"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/record"
)

const (
	momentsKind    = "halfspace/moments"
	momentsVersion = 1
)

// Bounds of the numbers in a file, so that sums of them stay in the range of a
// float64.
const (
	mostSquare    = 1e304
	mostDeviation = 1e152
)

type momentsJSON struct {
	Features int                `json:"features"`
	Pooled   bool               `json:"pooled"`
	Origin   []float64          `json:"origin"`
	Classes  []classMomentsJSON `json:"classes"`
	Within   []float64          `json:"within,omitempty"`
}

type classMomentsJSON struct {
	Label     int       `json:"label"`
	Rows      int       `json:"rows"`
	Weight    float64   `json:"weight"`
	Deviation []float64 `json:"deviation"`
	Scatter   []float64 `json:"scatter,omitempty"`
}

// MarshalJSON writes a record of kind "halfspace/moments"; symmetric matrices
// are written as their lower triangle, row by row.
func (m *ByClass) MarshalJSON() ([]byte, error) {
	return record.MarshalFitted(momentsKind, momentsVersion, m.p > 0, func() any {
		j := momentsJSON{m.p, m.pooled, m.origin, make([]classMomentsJSON, len(m.class)), packScatter(m.within)}
		for k := range m.class {
			c := &m.class[k]
			j.Classes[k] = classMomentsJSON{c.label, c.rows, c.weight, c.dev, packScatter(c.scatter)}
		}
		return j
	})
}

// UnmarshalJSON reads a record that MarshalJSON wrote, bit for bit.
//
// Errors: those of record.Unmarshal; *record.DamageError where the numbers do
// not describe moments.
func (m *ByClass) UnmarshalJSON(data []byte) error {
	var j momentsJSON
	if _, err := record.Unmarshal(data, momentsKind, momentsVersion, &j); err != nil {
		return err
	}
	r, err := j.moments()
	if err != nil {
		return &record.DamageError{Reason: err.Error()}
	}
	*m = *r
	return nil
}

func (j *momentsJSON) moments() (*ByClass, error) {
	p := j.Features
	if p <= 0 || p > 1<<20 {
		return nil, fmt.Errorf("%d features", p)
	}
	m := &ByClass{p: p, pooled: j.Pooled}
	var err error
	if j.Pooled {
		if m.within, err = unpackScatter(j.Within, p); err != nil {
			return nil, err
		}
	}
	if len(j.Classes) == 0 {
		return m, nil
	}
	if err := checkVector("origin", j.Origin, p); err != nil {
		return nil, err
	}
	m.origin = j.Origin
	for k, c := range j.Classes {
		switch {
		case k > 0 && c.Label <= j.Classes[k-1].Label:
			return nil, fmt.Errorf("class %d after class %d", c.Label, j.Classes[k-1].Label)
		case c.Rows <= 0 || !(c.Weight > 0) || math.IsInf(c.Weight, 1):
			return nil, fmt.Errorf("class %d has %d rows of weight %g", c.Label, c.Rows, c.Weight)
		}
		if err := checkVector("deviation", c.Deviation, p); err != nil {
			return nil, err
		}
		cm := classMoments{label: c.Label, rows: c.Rows, weight: c.Weight, dev: c.Deviation}
		if !j.Pooled {
			if cm.scatter, err = unpackScatter(c.Scatter, p); err != nil {
				return nil, err
			}
		}
		m.class = append(m.class, cm)
	}
	return m, nil
}

func checkVector(what string, v []float64, n int) error {
	if len(v) != n {
		return &linalg.ShapeError{Want: n, WantOf: "values of " + what, Got: len(v), GotOf: "in the file"}
	}
	for i, x := range v {
		if !(math.Abs(x) <= mostDeviation) {
			return &linalg.RangeError{What: what, Row: i, Value: x}
		}
	}
	return nil
}

// packScatter is PackLower, nil for no matrix.
func packScatter(a *linalg.Dense) []float64 {
	if a == nil {
		return nil
	}
	return linalg.PackLower(a)
}

// unpackScatter returns the symmetric matrix that packScatter wrote.
func unpackScatter(v []float64, p int) (*linalg.Dense, error) {
	a, err := linalg.UnpackLower(v, p)
	if err != nil {
		return nil, err
	}
	for i := range p {
		switch v := a.At(i, i); {
		case v < 0:
			return nil, fmt.Errorf("the sum of squares of column %d is negative", i)
		case v > mostSquare:
			return nil, &linalg.RangeError{Column: i}
		}
	}
	linalg.Symmetrize(a)
	return a, nil
}

// String returns the number of features and the rows of each class.
func (m *ByClass) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "moments of %d features", m.p)
	for _, c := range m.class {
		fmt.Fprintf(&b, ", class %d: %d rows", c.label, c.rows)
	}
	return b.String()
}
