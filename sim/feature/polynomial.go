package feature

import (
	"fmt"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

// maxMonomials bounds a polynomial expansion.
const maxMonomials = 1 << 20

// Polynomial maps p features to their monomials of degree 1 to d, the constant
// left out: C(p+d, d)−1 of them, by degree and then in lexicographic order, x₁, x₂,
// x₁², x₁x₂, x₂² for p = d = 2. With interactions only, no feature is in a product
// twice.
type Polynomial struct {
	p, degree    int
	interactions bool
	parent       []int32 // the monomial that this one is a feature times; −1 for degree 1
	factor       []int32 // that feature
}

// NewPolynomial returns the expansion of p features to the given degree.
//
// Errors: *[linalg.ShapeError] if p is not positive, *[sample.OptionError] if the
// degree is not or above 2²⁰, *[linalg.SizeError] for more than 2²⁰ monomials.
func NewPolynomial(p, degree int, interactionsOnly bool) (*Polynomial, error) {
	t, err := newPolynomial(p, degree, interactionsOnly)
	return t, wrap(err)
}

func newPolynomial(p, degree int, interactionsOnly bool) (*Polynomial, error) {
	if p <= 0 {
		return nil, &linalg.ShapeError{Want: 1, WantOf: "column needed", Got: p, GotOf: "columns"}
	}
	if degree <= 0 || degree > maxMonomials {
		return nil, &sample.OptionError{Name: "degree", Value: float64(degree), Want: "positive and at most 2²⁰"}
	}
	t := &Polynomial{p: p, degree: degree, interactions: interactionsOnly}
	lo, hi := 0, 0 // the monomials of the degree before
	for d := range degree {
		if d == 0 {
			if p > maxMonomials {
				return nil, tooLarge(p, degree)
			}
			for j := range p {
				t.parent, t.factor = append(t.parent, -1), append(t.factor, int32(j))
			}
		}
		for m := lo; m < hi; m++ {
			from := int(t.factor[m])
			if interactionsOnly {
				from++
			}
			if len(t.parent)+p-from > maxMonomials {
				return nil, tooLarge(p, degree)
			}
			for j := from; j < p; j++ {
				t.parent, t.factor = append(t.parent, int32(m)), append(t.factor, int32(j))
			}
		}
		lo, hi = hi, len(t.parent)
		if lo == hi {
			break // interactions of more features than there are
		}
	}
	return t, nil
}

// tooLarge says how large the expansion would be.
func tooLarge(p, degree int) error {
	terms := 1.0
	for d := 1; d <= degree && terms < 1e18; d++ {
		terms *= float64(p+d) / float64(d)
	}
	return &linalg.SizeError{Rows: 1, Cols: int(min(terms, 1<<31-1)), Bytes: 8 * terms, Limit: 8 * maxMonomials}
}

// Features returns p, the length of a row.
func (t *Polynomial) Features() int { return t.p }

// Outputs returns the number of monomials.
func (t *Polynomial) Outputs() int { return len(t.parent) }

// Names returns names such as "a", "a*b" and "a^2*b".
func (t *Polynomial) Names(features []string) []string {
	mustLen(t.p, len(features))
	names := make([]string, len(t.parent))
	power := make([]int, t.p)
	for m := range names {
		clear(power)
		for k := m; k >= 0; k = int(t.parent[k]) {
			power[t.factor[k]]++
		}
		var factors []string
		for j, e := range power {
			switch {
			case e == 1:
				factors = append(factors, features[j])
			case e > 1:
				factors = append(factors, fmt.Sprintf("%s^%d", features[j], e))
			}
		}
		names[m] = strings.Join(factors, "*")
	}
	return names
}

// Monomials returns, for each monomial, the one that it is a feature times, −1 for a
// feature by itself, and that feature.
func (t *Polynomial) Monomials() (parent, factor []int) {
	for m, j := range t.factor {
		parent, factor = append(parent, int(t.parent[m])), append(factor, int(j))
	}
	return parent, factor
}

// Apply appends the monomials of row, each from one of a degree less with one
// multiplication.
func (t *Polynomial) Apply(dst, row []float64) []float64 {
	mustLen(t.p, len(row))
	base := len(dst)
	for m, j := range t.factor {
		v := row[j]
		if parent := t.parent[m]; parent >= 0 {
			v *= dst[base+int(parent)]
		}
		dst = append(dst, v)
	}
	return dst
}

// ApplyRows returns the images of the rows of x.
//
// Errors: *[linalg.ShapeError], *[linalg.SizeError].
func (t *Polynomial) ApplyRows(x *linalg.Dense) (*linalg.Dense, error) { return ApplyRows(t, x) }

// String returns the number of monomials.
func (t *Polynomial) String() string {
	return fmt.Sprintf("%d features to %d monomials of degree %d at most", t.p, t.Outputs(), t.degree)
}

type polynomialJSON struct {
	Features     int  `json:"features"`
	Degree       int  `json:"degree"`
	Interactions bool `json:"interactions_only"`
}

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it back bit
// for bit.
func (t *Polynomial) MarshalJSON() ([]byte, error) {
	return record.MarshalFitted(polynomialKind, version, t.p > 0, func() any { return polynomialJSON{t.p, t.degree, t.interactions} })
}

// UnmarshalJSON reads what MarshalJSON wrote, and checks it.
func (t *Polynomial) UnmarshalJSON(b []byte) error {
	var j polynomialJSON
	if _, err := record.Unmarshal(b, polynomialKind, version, &j); err != nil {
		return wrap(err)
	}
	made, err := newPolynomial(j.Features, j.Degree, j.Interactions)
	if err != nil {
		return wrap(&record.DamageError{Reason: err.Error()})
	}
	*t = *made
	return nil
}
