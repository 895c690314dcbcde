package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"math"
)

type envelope struct {
	Kind    string          `json:"kind"`
	Version int             `json:"version"`
	CRC64   string          `json:"crc64"`
	Body    json.RawMessage `json:"body"`
}

// KindError reports a record of another kind.
type KindError struct{ Want, Got string }

func (e *KindError) Error() string { return fmt.Sprintf("a %q where a %q is needed", e.Got, e.Want) }

// VersionError reports a record that a newer version of the program wrote.
type VersionError struct{ Newest, Got int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("version %d, this program reads versions 1 to %d", e.Got, e.Newest)
}

// ErrUnfitted is wrapped by the error of a model that is asked for its record before
// it was fitted.
var ErrUnfitted = errors.New("a model that was not fitted cannot be saved")

// DamageError reports a record whose numbers do not match their checksum, or do
// not describe a model.
type DamageError struct{ Reason string }

func (e *DamageError) Error() string { return "damaged: " + e.Reason }

// Marshal returns body as a record of the given kind and version.
func Marshal(kind string, version int, body any) ([]byte, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return json.Marshal(envelope{kind, version, sum(b), b})
}

// MarshalFitted is Marshal of the body of a model, and [ErrUnfitted] for one that is
// not fitted.
func MarshalFitted(kind string, version int, fitted bool, body func() any) ([]byte, error) {
	if !fitted {
		return nil, fmt.Errorf("%s: %w", kind, ErrUnfitted)
	}
	return Marshal(kind, version, body())
}

// Unmarshal checks a record and decodes its body, refusing unknown fields. It
// returns the record's version, at most newest.
//
// Errors: *[KindError], *[VersionError], *[DamageError], or encoding/json's.
func Unmarshal(data []byte, kind string, newest int, body any) (version int, err error) {
	var e envelope
	if err := json.Unmarshal(data, &e); err != nil {
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
			return 0, &DamageError{"cut off, or no JSON: " + err.Error()}
		}
		return 0, err
	}
	switch {
	case e.Kind != kind:
		return 0, &KindError{kind, e.Kind}
	case e.Version < 1 || e.Version > newest:
		return 0, &VersionError{newest, e.Version}
	}
	// Indenting or re-wrapping a file does not change its numbers.
	var compact bytes.Buffer
	if err := json.Compact(&compact, e.Body); err != nil {
		return 0, &DamageError{"no body"}
	}
	if got := sum(compact.Bytes()); got != e.CRC64 {
		return 0, &DamageError{fmt.Sprintf("checksum %s, the file says %s", got, e.CRC64)}
	}
	d := json.NewDecoder(&compact)
	d.DisallowUnknownFields()
	return e.Version, d.Decode(body)
}

var table = crc64.MakeTable(crc64.ECMA)

func sum(b []byte) string { return digits(crc64.Checksum(b, table)) }

// digits returns a checksum as it stands in a record.
func digits(sum uint64) string { return fmt.Sprintf("%016x", sum) }

// CheckAffine returns a *[DamageError] where intercept + coef·(x−origin), or a difference of
// two such, can leave the range of floating point at a row x of numbers up to 2⁶⁰, as that
// of no fit does: then every such row has a finite score. A nil origin is 0.
func CheckAffine(coef, origin []float64, intercept float64) error {
	reach := math.Abs(intercept)
	for j, b := range coef {
		distance := 0x1p60
		if origin != nil {
			distance += math.Abs(origin[j])
		}
		reach += math.Abs(b) * distance
	}
	if !(reach < 0x1p1022) {
		return &DamageError{"coefficients with which scores leave the range of floating point"}
	}
	return nil
}
