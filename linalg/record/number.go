package record

import (
	"encoding/json"
	"math"
)

// Number is a float64 of a report: it marshals as a JSON number, or as null
// where JSON has none (NaN and the infinities), and reads null as NaN.
type Number float64

// MarshalJSON writes the number, or null.
func (v Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (v *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*v = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(v))
}

// Numbers returns v as Numbers.
func Numbers(v []float64) []Number {
	n := make([]Number, len(v))
	for i, x := range v {
		n[i] = Number(x)
	}
	return n
}
