package feature

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/record"
)

// Standardizer maps each feature to (x − mean)/sd, with sd² = Σwᵢ(xᵢ−mean)²/Σwᵢ.
// A constant feature has sd 0 and is only centred.
type Standardizer struct{ mean, sd []float64 }

// FitStandardizer computes means and standard deviations of the columns of x; a
// nil w is all ones. Means of 1e8 and values of 1e-288 or 1e300 are harmless: the columns
// are read about their first row and the squares are scaled. O(np).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError],
// *[linalg.RangeError] for a column whose mean is near the largest number, or whose deviations
// are so small that images of other rows would be.
func FitStandardizer(x *linalg.Dense, w []float64) (*Standardizer, error) {
	sum, err := checkRows(x, w)
	if err != nil {
		return nil, wrap(err)
	}
	s := &Standardizer{make([]float64, x.Cols), make([]float64, x.Cols)}
	largest := make([]float64, x.Cols)
	each := func(use func(w float64, row []float64)) {
		for i := range x.Rows {
			switch {
			case w == nil:
				use(1, x.Row(i))
			case w[i] > 0:
				use(w[i], x.Row(i))
			}
		}
	}
	var first []float64
	each(func(w float64, row []float64) {
		if first == nil {
			first = row
		}
		for j, v := range row {
			s.mean[j] += w / sum * (v/2 - first[j]/2)
		}
	})
	for j := range s.mean {
		s.mean[j] = first[j] + 2*s.mean[j]
	}
	each(func(_ float64, row []float64) {
		for j, v := range row {
			largest[j] = max(largest[j], math.Abs(v/2-s.mean[j]/2))
		}
	})
	each(func(w float64, row []float64) {
		for j, v := range row {
			if largest[j] > 0 {
				d := (v/2 - s.mean[j]/2) / largest[j]
				s.sd[j] += w / sum * d * d
			}
		}
	})
	for j := range s.sd {
		s.sd[j] = 2 * (largest[j] * math.Sqrt(s.sd[j]))
		if same(x, w, j) {
			s.mean[j], s.sd[j] = first[j], 0
		}
		if !(math.Abs(s.mean[j]) < 0x1p1022) { // what is far from it could not be subtracted
			return nil, wrap(&linalg.RangeError{Column: j})
		}
	}
	if j := s.beyond(); j >= 0 {
		return nil, wrap(&linalg.RangeError{Column: j})
	}
	return s, nil
}

// FitScale is [FitStandardizer] of sparse rows, with means of 0: they are divided by the standard
// deviations alone, so that zeros stay zeros, which are not stored. A function with an intercept of
// its own is any function of rows about their means, too. O(stored values + p).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError], *[linalg.RangeError].
func FitScale(x *linalg.CSR, w []float64) (*Standardizer, error) {
	n, p := x.Dims()
	d, err := design.New(x, n, "rows", design.Settings{Weights: w})
	if err != nil {
		return nil, wrap(err)
	}
	_, sd, err := d.Spread()
	if err != nil {
		return nil, wrap(err)
	}
	for j, u := range d.Unit {
		sd[j] *= u
	}
	return &Standardizer{make([]float64, p), sd}, nil
}

// same reports whether column j is constant where the weights are positive: sums
// of rounding errors must not pass for a deviation.
func same(x *linalg.Dense, w []float64, j int) bool {
	first := math.NaN()
	for i := range x.Rows {
		if w != nil && w[i] == 0 {
			continue
		}
		if v := x.At(i, j); first != first {
			first = v
		} else if v != first {
			return false
		}
	}
	return true
}

// NewStandardizer returns the transform (x − mean)/sd with numbers from elsewhere; an sd of 0
// is of a constant feature. It keeps copies.
//
// Errors: *[linalg.ShapeError], *[record.DamageError] for numbers that no fit makes.
func NewStandardizer(mean, sd []float64) (*Standardizer, error) {
	if len(mean) != len(sd) {
		return nil, wrap(&linalg.ShapeError{Want: len(mean), WantOf: "means", Got: len(sd), GotOf: "standard deviations"})
	}
	s := &Standardizer{slices.Clone(mean), slices.Clone(sd)}
	if err := s.check(); err != nil {
		return nil, err
	}
	return s, nil
}

// Features returns p, the length of a row.
func (s *Standardizer) Features() int { return len(s.mean) }

// Outputs returns p.
func (s *Standardizer) Outputs() int { return len(s.mean) }

// Names returns the names as they are.
func (s *Standardizer) Names(features []string) []string { return slices.Clone(features) }

// Mean returns the means.
func (s *Standardizer) Mean() []float64 { return slices.Clone(s.mean) }

// SD returns the standard deviations, 0 for constant features.
func (s *Standardizer) SD() []float64 { return slices.Clone(s.sd) }

// scale returns the divisor of feature j.
func (s *Standardizer) scale(j int) float64 {
	if s.sd[j] == 0 {
		return 1
	}
	return s.sd[j]
}

// Apply appends (xⱼ − meanⱼ)/sdⱼ.
func (s *Standardizer) Apply(dst, row []float64) []float64 {
	mustLen(len(s.mean), len(row))
	for j, v := range row {
		dst = append(dst, (v-s.mean[j])/s.scale(j))
	}
	return dst
}

// ApplyStored appends the images of the values that a sparse row stores, whose columns are in index. Where
// [AsScale] returns s the images of the others are 0.
func (s *Standardizer) ApplyStored(dst []float64, index []int32, value []float64) []float64 {
	for k, j := range index {
		dst = append(dst, (value[k]-s.mean[j])/s.scale(int(j)))
	}
	return dst
}

// ApplyRows returns the standardised rows of x.
//
// Errors: *[linalg.ShapeError].
func (s *Standardizer) ApplyRows(x *linalg.Dense) (*linalg.Dense, error) { return ApplyRows(s, x) }

// Fold returns coefficients and intercepts for features as they were, from those
// for standardised ones: βⱼ/sdⱼ and b₀ − Σ βⱼ·meanⱼ/sdⱼ, so that
// intercept + coef·x is the same function.
func (s *Standardizer) Fold(coef *linalg.Dense, intercept []float64) (*linalg.Dense, []float64) {
	mustLen(len(s.mean), coef.Cols)
	c, b := coef.Clone(), slices.Clone(intercept)
	for k := range c.Rows {
		row := c.Row(k)
		for j := range row {
			row[j] /= s.scale(j)
		}
		b[k] -= linalg.Dot(row, s.mean)
	}
	return c, b
}

// String returns the number of features.
func (s *Standardizer) String() string {
	return fmt.Sprintf("%d features standardized", len(s.mean))
}

type standardizerJSON struct {
	Mean []float64 `json:"mean"`
	SD   []float64 `json:"sd"`
}

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it back bit
// for bit.
func (s *Standardizer) MarshalJSON() ([]byte, error) {
	return record.MarshalFitted(standardizerKind, version, s.mean != nil, func() any { return standardizerJSON{s.mean, s.sd} })
}

// UnmarshalJSON reads what MarshalJSON wrote, and checks it.
func (s *Standardizer) UnmarshalJSON(b []byte) error {
	var j standardizerJSON
	if _, err := record.Unmarshal(b, standardizerKind, version, &j); err != nil {
		return wrap(err)
	}
	read := Standardizer{j.Mean, j.SD}
	if err := read.check(); err != nil {
		return err
	}
	*s = read
	return nil
}

// check returns an error for numbers that no fit makes.
func (s *Standardizer) check() error {
	p := len(s.mean)
	if err := damaged(p > 0 && finite(s.mean, p) && finite(s.sd, p) && slices.Min(s.sd) >= 0, "no means and standard deviations"); err != nil {
		return err
	}
	if j := s.beyond(); j >= 0 {
		return damaged(false, fmt.Sprintf("a standard deviation of %g", s.sd[j]))
	}
	return nil
}

// beyond returns the first column whose standard deviation is so small that numbers of some size
// have images near the largest number, -1 without one.
func (s *Standardizer) beyond() int {
	for j, mean := range s.mean {
		if !((0x1p60+math.Abs(mean))/s.scale(j) < 0x1p1022) {
			return j
		}
	}
	return -1
}
