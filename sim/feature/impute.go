package feature

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

// Filling says what stands in for a missing number.
type Filling uint8

// The fillings, of the training values that are there, weights counting as repeated rows,
// in units of Σw²/Σw where that is below 1.
const (
	Mean         Filling = iota
	Median               // of an even number of values the mean of the middle two
	MostFrequent         // a training value; of equally frequent numbers the smallest, of levels the first
)

// Impute is the step that fits an [Imputer]: a missing number (NaN) becomes the By of its
// feature, a missing level the most frequent one of its column.
type Impute struct {
	By Filling
	// Indicator adds a feature for each column that has a missing cell in training: 1
	// where it is missing, else 0.
	Indicator bool
}

// Imputer fills in missing values: a NaN in feature j becomes fillⱼ. It may add features
// that are 1 where another was NaN.
type Imputer struct {
	fill  []float64
	marks []int // the features whose gaps are features of their own
}

// Fit computes the values that fill the columns of the sample. O(np log n).
//
// Errors: *[linalg.ShapeError], also for a column without a value; *[linalg.WeightError];
// *[linalg.NonFiniteError] for an infinity; *[sample.OptionError], also for a column of levels whose
// features are not those of a level.
func (o Impute) Fit(s *Sample) (Transform, error) { return made(o.fit(s)) }

func (o Impute) fit(s *Sample) (*Imputer, error) {
	if o.By > MostFrequent {
		return nil, wrap(&sample.OptionError{Name: "By", Value: float64(o.By), Want: "Mean, Median or MostFrequent"})
	}
	if _, err := checkWeights(s.X, s.Weights); err != nil {
		return nil, wrap(err)
	}
	levels := s.Levels
	if levels == nil {
		levels = make([]int, s.X.Cols)
	}
	m := &Imputer{fill: make([]float64, s.X.Cols)}
	from := 0
	for k, count := range levels {
		to := from + max(1, count-1)
		if to > s.X.Cols {
			return nil, wrap(&linalg.ShapeError{Want: s.X.Cols, WantOf: "features", Got: to, GotOf: fmt.Sprintf("in the first %d columns", k+1)})
		}
		gap, err := m.column(s, from, to, count, o.By)
		if err != nil {
			return nil, wrap(err)
		}
		if gap && o.Indicator {
			m.marks = append(m.marks, from)
		}
		from = to
	}
	if from != s.X.Cols {
		return nil, wrap(&linalg.ShapeError{Want: s.X.Cols, WantOf: "features", Got: from, GotOf: "in the columns"})
	}
	return m, nil
}

// NewImputer returns the transform that fills gaps in feature j with fill[j], which comes
// from elsewhere; NaN leaves them as they are. It keeps a copy.
//
// Errors: *[record.DamageError] for no values or one that is infinite.
func NewImputer(fill []float64) (*Imputer, error) {
	if err := damaged(fills(fill), "no values to fill gaps with"); err != nil {
		return nil, err
	}
	return &Imputer{fill: slices.Clone(fill)}, nil
}

// fills reports whether there are values to fill gaps with, none of them infinite.
func fills(fill []float64) bool {
	return len(fill) > 0 && !slices.ContainsFunc(fill, func(v float64) bool { return math.IsInf(v, 0) })
}

// column fills the features from ≤ j < to of one column, which has so many levels, and reports whether it
// has a missing cell. A column of levels is filled as a number, the code of its most frequent level.
func (m *Imputer) column(s *Sample, from, to, levels int, by Filling) (gap bool, err error) {
	if levels > 0 {
		by = MostFrequent
	}
	var values, weights []float64
	for i := range s.X.Rows {
		cells, v := s.X.Row(i)[from:to], 0.0
		for j, cell := range cells {
			if math.IsInf(cell, 0) {
				return false, &linalg.NonFiniteError{What: "x", Row: i, Col: from + j, Value: cell}
			}
			v += float64(j+1) * cell // of a number: itself; of indicators: the code of the level
		}
		switch {
		case s.Weights != nil && s.Weights[i] == 0:
		case v != v:
			gap = true
		case levels > 0 && !isLevel(cells):
			return false, &sample.OptionError{Name: "Levels", Value: float64(levels), Want: fmt.Sprintf("0, for numbers: features %d to %d of row %d are not those of a level", from, to-1, i)}
		default:
			values = append(values, v)
			if s.Weights != nil {
				weights = append(weights, s.Weights[i])
			}
		}
	}
	if values == nil {
		return false, &linalg.ShapeError{Want: 1, WantOf: "value needed", Got: 0, GotOf: fmt.Sprintf("that are not missing in column %d", from)}
	}
	v := fillingOf(rank(values, weights), by)
	if to-from == 1 {
		m.fill[from] = v
	} else if v > 0 {
		m.fill[from+int(v)-1] = 1
	}
	return gap, nil
}

// isLevel reports whether the features of a column of levels are those of one: zeros, or a single 1 among them.
func isLevel(cells []float64) bool {
	sum := 0.0
	for _, v := range cells {
		if v != 0 && v != 1 {
			return false
		}
		sum += v
	}
	return sum <= 1
}

func fillingOf(r *ranked, by Filling) float64 {
	switch by {
	case Median:
		return r.quantile(1, 2)
	case MostFrequent:
		return r.mostFrequent()
	}
	return r.mean()
}

// Features returns p, the length of a row.
func (m *Imputer) Features() int { return len(m.fill) }

// Outputs returns p and the number of features that say what was missing.
func (m *Imputer) Outputs() int { return len(m.fill) + len(m.marks) }

// Fill returns the values that stand in for missing ones, NaN where these are left.
func (m *Imputer) Fill() []float64 { return slices.Clone(m.fill) }

// Marks returns the features whose gaps are features of their own: behind the p
// features, in this order. For a column of levels it is the first of its features.
func (m *Imputer) Marks() []int { return slices.Clone(m.marks) }

// Names returns the names as they are, and "missing(name)" for a feature that says what
// was missing.
func (m *Imputer) Names(features []string) []string {
	mustLen(len(m.fill), len(features))
	names := slices.Clone(features)
	for _, j := range m.marks {
		names = append(names, "missing("+features[j]+")")
	}
	return names
}

// Apply appends the row with its gaps filled, and 1 or 0 for each mark.
func (m *Imputer) Apply(dst, row []float64) []float64 {
	mustLen(len(m.fill), len(row))
	for j, v := range row {
		if v != v {
			v = m.fill[j]
		}
		dst = append(dst, v)
	}
	for _, j := range m.marks {
		mark := 0.0
		if row[j] != row[j] {
			mark = 1
		}
		dst = append(dst, mark)
	}
	return dst
}

// ApplyRows returns the rows of x with their gaps filled.
//
// Errors: *[linalg.ShapeError].
func (m *Imputer) ApplyRows(x *linalg.Dense) (*linalg.Dense, error) { return ApplyRows(m, x) }

// String returns the number of features.
func (m *Imputer) String() string {
	return fmt.Sprintf("gaps of %d features filled, %d marked", len(m.fill), len(m.marks))
}

type imputerJSON struct {
	Fill  []record.Number `json:"fill"` // null is a gap that is left
	Marks []int           `json:"marks,omitempty"`
}

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it back bit
// for bit.
func (m *Imputer) MarshalJSON() ([]byte, error) {
	return record.MarshalFitted(imputerKind, version, m.fill != nil, func() any { return imputerJSON{record.Numbers(m.fill), m.marks} })
}

// UnmarshalJSON reads what MarshalJSON wrote, and checks it.
func (m *Imputer) UnmarshalJSON(b []byte) error {
	var j imputerJSON
	if _, err := record.Unmarshal(b, imputerKind, version, &j); err != nil {
		return wrap(err)
	}
	p := len(j.Fill)
	fill := make([]float64, p)
	for k, v := range j.Fill {
		fill[k] = float64(v)
	}
	ok := fills(fill) && slices.IsSorted(j.Marks) && (len(j.Marks) == 0 || j.Marks[0] >= 0 && j.Marks[len(j.Marks)-1] < p)
	if err := damaged(ok, "no values to fill gaps with"); err != nil {
		return err
	}
	*m = Imputer{fill, j.Marks}
	return nil
}
