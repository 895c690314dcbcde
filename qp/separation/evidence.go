package separation

import (
	"encoding/json"
	"fmt"
	"math/big"
	"sync"

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
	Weak                  // one satisfies all and some strictly: whether one satisfies all strictly is not known
)

var kindNames = [...]string{"undecided", "complete", "quasi-complete", "overlap", "at least quasi-complete"}

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
	IntegerCoef      [][]Integer // nil unless the direction is in integers
	IntegerIntercept []Integer

	Strict      int   // rows with a strict inequality
	Ties        []int // rows with an inequality that is an equation along the direction
	Multipliers []Multiplier
}

// Multiplier is the positive factor of one inequality, that of a row's class against
// another.
type Multiplier struct {
	Row   int     `json:"row"`
	Class int     `json:"class"`
	Other int     `json:"other"`
	Value Integer `json:"value"`
}

// Weights returns the values of the multipliers as shares of their sum over each class, or of
// all (together), rounded: those of two classes' convex combinations. Values that nobody has
// asked for yet are not made.
func (e *Evidence) Weights(together bool) []float64 {
	weights, sum, sums := make([]float64, len(e.Multipliers)), map[int]*big.Int{}, map[int]float64{}
	class := func(m Multiplier) int {
		if together {
			return 0
		}
		return m.Class
	}
	for k, m := range e.Multipliers {
		if s := m.Value.later; s != nil {
			weights[k] = s.factors[m.Value.at]
			sums[class(m)] += weights[k]
			continue
		}
		if sum[class(m)] == nil {
			sum[class(m)] = new(big.Int)
		}
		sum[class(m)].Add(sum[class(m)], m.Value.Int())
	}
	for k, m := range e.Multipliers {
		if m.Value.later != nil {
			weights[k] /= sums[class(m)]
		} else if whole := sum[class(m)]; whole.Sign() != 0 {
			weights[k], _ = new(big.Rat).SetFrac(m.Value.Int(), whole).Float64()
		}
	}
	return weights
}

// Separated reports whether there is a direction.
func (e *Evidence) Separated() bool { return e.Kind == Complete || e.Kind == Quasi || e.Kind == Weak }

// Features returns the number of coefficients of a function of the direction.
func (e *Evidence) Features() int {
	switch {
	case e.Coef != nil:
		return e.Coef.Cols
	case len(e.IntegerCoef) > 0:
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

// Integer is an integer of any size in evidence, whose text is decimal. It holds the words of
// a [big.Int] and not the integer, which prints itself: a program that can print an error with
// evidence would link the conversion of integers to decimals, 48 kB.
type Integer struct {
	negative bool
	words    []big.Word // of the absolute value, lowest first
	later    *slack     // instead of these: the multiplier at, which is made when it is asked for
	at       int
}

// slack is multipliers that float64 has proven to exist, and that are made when one of them is
// asked for.
type slack struct {
	once    sync.Once
	rows    *Problem // those of the inequalities, copied
	pairs   []pair   // by the rows of these
	factors []float64
	solve   func(*slack) []Integer // so that programs which read evidence alone do not hold it
	values  []Integer
}

// value returns multiplier k, 0 if chance deceives [exact.NewSystem].
func (s *slack) value(k int) Integer {
	s.once.Do(func() {
		if s.values = s.solve(s); s.values == nil {
			s.values = make([]Integer, len(s.pairs))
		}
	})
	return s.values[k]
}

// NewInteger returns z.
func NewInteger(z *big.Int) Integer {
	return Integer{negative: z.Sign() < 0, words: append([]big.Word(nil), z.Bits()...)}
}

// newIntegers returns the integers v.
func newIntegers(v []*big.Int) []Integer {
	list := make([]Integer, len(v))
	for i, z := range v {
		list[i] = NewInteger(z)
	}
	return list
}

// Int returns the integer, as one of its own.
func (z Integer) Int() *big.Int {
	if z.later != nil {
		return z.later.value(z.at).Int()
	}
	v := new(big.Int).SetBits(append([]big.Word(nil), z.words...))
	if z.negative {
		v.Neg(v)
	}
	return v
}

// Sign returns −1, 0 or 1.
func (z Integer) Sign() int {
	switch {
	case z.later != nil:
		return 1
	case len(z.words) == 0:
		return 0
	case z.negative:
		return -1
	}
	return 1
}

// MarshalText returns the digits.
func (z Integer) MarshalText() ([]byte, error) { return z.Int().MarshalText() }

// UnmarshalText reads digits. Error: *[record.DamageError].
func (z *Integer) UnmarshalText(text []byte) error {
	v, ok := new(big.Int).SetString(string(text), 10)
	if !ok {
		return &record.DamageError{Reason: fmt.Sprintf("%q is not an integer", text)}
	}
	*z = NewInteger(v)
	return nil
}

// evidenceRecord is the JSON of an Evidence; integers are strings, for readers whose numbers
// are float64.
type evidenceRecord struct {
	Kind             Kind         `json:"kind"`
	Origin           []float64    `json:"origin,omitempty"`
	Coef             [][]float64  `json:"coef,omitempty"`
	Intercept        []float64    `json:"intercept,omitempty"`
	IntegerCoef      [][]Integer  `json:"integer_coef,omitempty"`
	IntegerIntercept []Integer    `json:"integer_intercept,omitempty"`
	Strict           int          `json:"strict"`
	Ties             []int        `json:"ties,omitempty"`
	Multipliers      []Multiplier `json:"multipliers,omitempty"`
}

// MarshalJSON writes the evidence with all that [Evidence.Verify] needs beside the rows.
func (e *Evidence) MarshalJSON() ([]byte, error) {
	r := evidenceRecord{Kind: e.Kind, Origin: e.Origin, Intercept: e.Intercept, IntegerCoef: e.IntegerCoef, IntegerIntercept: e.IntegerIntercept,
		Strict: e.Strict, Ties: e.Ties, Multipliers: e.Multipliers}
	if e.Coef != nil {
		for k := range e.Coef.Rows {
			r.Coef = append(r.Coef, e.Coef.Row(k))
		}
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
	*e = Evidence{Kind: r.Kind, Origin: r.Origin, Intercept: r.Intercept, IntegerCoef: r.IntegerCoef, IntegerIntercept: r.IntegerIntercept,
		Strict: r.Strict, Ties: r.Ties, Multipliers: r.Multipliers}
	var err error
	if r.Coef != nil {
		if e.Coef, err = linalg.FromRows(r.Coef); err != nil {
			return err
		}
	}
	whole := len(e.IntegerCoef)
	for _, row := range e.IntegerCoef {
		if len(row) != e.Features() {
			return broken("functions of %d and %d integers", len(row), e.Features())
		}
	}
	if len(e.Intercept) != len(r.Coef) || len(e.IntegerIntercept) != whole || len(r.Coef) > 0 && whole > 0 {
		return broken("%d and %d functions with %d and %d intercepts, in float64 and in integers", len(r.Coef), whole, len(e.Intercept), len(e.IntegerIntercept))
	}
	return nil
}

func broken(format string, a ...any) error {
	return fmt.Errorf("separation: %w", &record.DamageError{Reason: fmt.Sprintf(format, a...)})
}
