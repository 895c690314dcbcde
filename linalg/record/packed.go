package record

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// Packed is numbers that marshal as base64 of their bytes, little-endian: 10.7 characters each,
// where decimals have some 20, and infinities and NaN among them.
type Packed []float64

// MarshalJSON writes the base64.
func (v Packed) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(b))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Packed) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return err
	}
	if len(b)%8 != 0 {
		return fmt.Errorf("record: %d bytes are no numbers of 8 bytes each", len(b))
	}
	*v = make(Packed, 0, len(b)/8)
	for ; len(b) > 0; b = b[8:] {
		*v = append(*v, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return nil
}
