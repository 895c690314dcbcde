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
// returns the record's version, at most newest. A [json.RawMessage] of the body can be a part of
// data. One pass over a record as it was written finds its checksum, and one its members; they
// are found again in the parts that decode themselves.
//
// Errors: *[KindError], *[VersionError], *[DamageError], or encoding/json's.
func Unmarshal(data []byte, kind string, newest int, body any) (version int, err error) {
	e, whole := asWritten(data)
	if !whole {
		if e, err = anyhow(data); err != nil {
			return 0, err
		}
	}
	switch {
	case e.Kind != kind:
		return 0, &KindError{kind, e.Kind}
	case e.Version < 1 || e.Version > newest:
		return 0, &VersionError{newest, e.Version}
	case e.Body == nil:
		return 0, &DamageError{"no body"}
	}
	if got := sum(e.Body); !whole && got != e.CRC64 {
		return 0, &DamageError{fmt.Sprintf("checksum %s, the file says %s", got, e.CRC64)}
	}
	return e.Version, Decode(e.Body, body)
}

// asWritten returns the members of a record whose text is that of Marshal, to the checksum of its
// body, and reports whether it is.
func asWritten(data []byte) (e envelope, whole bool) {
	const before = `,"body":`
	head, body, _ := bytes.Cut(data, []byte(before))
	body, whole = bytes.CutSuffix(bytes.TrimSuffix(body, []byte("\n")), []byte("}"))
	whole = whole && json.Unmarshal(append(head[:len(head):len(head)], '}'), &e) == nil && e.Body == nil && e.CRC64 == sum(body)
	e.Body = body
	return e, whole
}

// anyhow returns the members of a record, however it is laid out: indenting or wrapping a file again
// does not change its numbers, so its body becomes compact.
func anyhow(data []byte) (e envelope, err error) {
	if err := json.Unmarshal(data, &e); err != nil {
		if _, syntax := err.(*json.SyntaxError); syntax {
			err = &DamageError{"cut off, or no JSON: " + err.Error()}
		}
		return e, err
	}
	var compact bytes.Buffer
	if json.Compact(&compact, e.Body) != nil {
		e.Body = nil
	} else {
		e.Body = compact.Bytes()
	}
	return e, nil
}

func sum(b []byte) string { return digits(crc64.Checksum(b, crc64.MakeTable(crc64.ECMA))) }

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
