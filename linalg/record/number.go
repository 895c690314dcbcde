package record

import (
	"encoding/json"
	"math"
	"strconv"
)

// Number is a float64 of a report: it marshals as a JSON number, or as null
// where JSON has none (NaN and the infinities), and reads null as NaN.
type Number float64

// MarshalJSON writes the number, or null.
func (v Number) MarshalJSON() ([]byte, error) { return v.Append(nil), nil }

// Append appends the number, or null, to text.
func (v Number) Append(text []byte) []byte {
	if v-v != 0 {
		return append(text, "null"...)
	}
	size := math.Abs(float64(v))
	if size == 0 || 1e-6 <= size && size < 1e21 {
		return strconv.AppendFloat(text, float64(v), 'f', -1, 64)
	}
	text = strconv.AppendFloat(text, float64(v), 'e', -1, 64)
	if n := len(text); text[n-2] == '0' && text[n-3] == '-' { // e-09 is e-9, as encoding/json has it
		text = append(text[:n-2], text[n-1])
	}
	return text
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
