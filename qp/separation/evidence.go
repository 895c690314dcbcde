package separation

import (
	"encoding/json"
	"fmt"
	"math/big"

	"halfspace/linalg"
	"halfspace/linalg/record"
)

// Kind is an answer.
type Kind uint8

const (
	Undecided Kind = iota // the search was given up
	Complete              // a direction satisfies all inequalities strictly
	Quasi                 // one satisfies all, some as equations, and none does better than that
	Overlap               // none satisfies all but those along which no row has an inequality
)

var kindNames = []string{"undecided", "complete", "quasi-complete", "overlap"}

// String returns the name of the answer: "quasi-complete".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// MarshalText returns the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a name. Error: *[record.DamageError].
func (k *Kind) UnmarshalText(text []byte) error {
	for i, name := range kindNames {
		if name == string(text) {
			*k = Kind(i)
			return nil
		}
	}
	return &record.DamageError{Reason: fmt.Sprintf("no verdict is called %q", text)}
}

// Evidence is an answer with its proof, which [Evidence.Verify] multiplies out in
// integers.
//
// A direction is functions fₖ(x) = interceptₖ + coefₖ·(x − Origin), of which two classes
// have one, f₁ − f₀, and more have K. It is published as float64 numbers where those
// satisfy all inequalities exactly, differences of coefficients taken exactly; else as
// integers, which always exist.
//
// Multipliers show what no direction can do: Σ Value·(f_class − f_other)(x_row) = 0 for all
// functions f, each Value is positive, so none of these inequalities can be strict unless
// another is violated. With a row's inequalities among them no direction separates
// completely, with enough of them to determine all functions none separates at all. Of two
// classes with an intercept they are convex combinations of rows of either class, divided
// by their sums, that coincide.
type Evidence struct {
	Kind Kind

	Origin           []float64     // p values; nil is 0
	Coef             *linalg.Dense // 1×p for two classes, else K×p; nil without a direction in float64
	Intercept        []float64
	IntegerCoef      [][]*big.Int // nil unless the direction is in integers
	IntegerIntercept []*big.Int

	Strict      int   // rows with a strict inequality
	Ties        []int // rows with an inequality that is an equation along the direction
	Multipliers []Multiplier
}

// Multiplier is the positive factor of one inequality, that of a row's class against
// another.
type Multiplier struct {
	Row, Class, Other int
	Value             *big.Int
}

// Separated reports whether there is a direction.
func (e *Evidence) Separated() bool { return e.Kind == Complete || e.Kind == Quasi }

// Features returns the number of coefficients of a function of the direction.
func (e *Evidence) Features() int {
	switch {
	case e.Coef != nil:
		return e.Coef.Cols
	case e.IntegerCoef != nil:
		return len(e.IntegerCoef[0])
	}
	return 0
}

// Uses reports whether the direction has a coefficient of feature j that is not 0.
func (e *Evidence) Uses(j int) bool {
	for c := range e.Intercept {
		if e.Coef.At(c, j) != 0 {
			return true
		}
	}
	for _, row := range e.IntegerCoef {
		if row[j].Sign() != 0 {
			return true
		}
	}
	return false
}

// multiplierRecord and evidenceRecord are the JSON of an Evidence; integers are strings, for
// readers whose numbers are float64.
type multiplierRecord struct {
	Row   int    `json:"row"`
	Class int    `json:"class"`
	Other int    `json:"other"`
	Value string `json:"value"`
}

type evidenceRecord struct {
	Kind             Kind               `json:"kind"`
	Origin           []float64          `json:"origin,omitempty"`
	Coef             [][]float64        `json:"coef,omitempty"`
	Intercept        []float64          `json:"intercept,omitempty"`
	IntegerCoef      [][]string         `json:"integer_coef,omitempty"`
	IntegerIntercept []string           `json:"integer_intercept,omitempty"`
	Strict           int                `json:"strict"`
	Ties             []int              `json:"ties,omitempty"`
	Multipliers      []multiplierRecord `json:"multipliers,omitempty"`
}

// MarshalJSON writes the evidence with all that [Evidence.Verify] needs beside the rows.
func (e *Evidence) MarshalJSON() ([]byte, error) {
	r := evidenceRecord{Kind: e.Kind, Origin: e.Origin, Intercept: e.Intercept, Strict: e.Strict, Ties: e.Ties,
		IntegerIntercept: digits(e.IntegerIntercept)}
	if e.Coef != nil {
		for k := range e.Coef.Rows {
			r.Coef = append(r.Coef, e.Coef.Row(k))
		}
	}
	for _, row := range e.IntegerCoef {
		r.IntegerCoef = append(r.IntegerCoef, digits(row))
	}
	for _, m := range e.Multipliers {
		r.Multipliers = append(r.Multipliers, multiplierRecord{m.Row, m.Class, m.Other, m.Value.String()})
	}
	return json.Marshal(r)
}

// UnmarshalJSON reads what MarshalJSON wrote. Errors: those of encoding/json,
// *[record.DamageError].
func (e *Evidence) UnmarshalJSON(data []byte) error {
	var r evidenceRecord
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	*e = Evidence{Kind: r.Kind, Origin: r.Origin, Intercept: r.Intercept, Strict: r.Strict, Ties: r.Ties}
	var err error
	if r.Coef != nil {
		if e.Coef, err = linalg.FromRows(r.Coef); err != nil {
			return err
		}
	}
	if e.IntegerIntercept, err = integers(r.IntegerIntercept); err != nil {
		return err
	}
	for _, row := range r.IntegerCoef {
		z, err := integers(row)
		if err != nil {
			return err
		}
		e.IntegerCoef = append(e.IntegerCoef, z)
	}
	for _, m := range r.Multipliers {
		z, err := integers([]string{m.Value})
		if err != nil {
			return err
		}
		e.Multipliers = append(e.Multipliers, Multiplier{m.Row, m.Class, m.Other, z[0]})
	}
	return nil
}

// digits returns integers in decimal.
func digits(v []*big.Int) []string {
	if v == nil {
		return nil
	}
	s := make([]string, len(v))
	for i, z := range v {
		s[i] = z.String()
	}
	return s
}

func integers(s []string) ([]*big.Int, error) {
	if s == nil {
		return nil, nil
	}
	v := make([]*big.Int, len(s))
	for i, text := range s {
		z, ok := new(big.Int).SetString(text, 10)
		if !ok {
			return nil, &record.DamageError{Reason: fmt.Sprintf("%q is not an integer", text)}
		}
		v[i] = z
	}
	return v, nil
}
