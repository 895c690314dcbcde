package method

import (
	"bytes"
	"io"

	"halfspace/linalg/record"
)

// version is that of the files of parts.
const version = 1

// maxFile bounds the bytes that readJSON reads: a model of 10⁶ coefficients has some
// 25 MB.
const maxFile = 1 << 30

// readJSON reads one JSON object of bounded size. The first byte decides whether
// the rest is worth reading.
func readJSON(r io.Reader) ([]byte, error) {
	var first [1]byte
	if _, err := io.ReadFull(r, first[:]); err != nil {
		return nil, &record.DamageError{Reason: "empty"}
	}
	if first[0] != '{' {
		return nil, &record.DamageError{Reason: "not a JSON object"}
	}
	var b bytes.Buffer
	b.WriteByte('{')
	n, err := io.Copy(&b, io.LimitReader(r, maxFile))
	if err == nil && n == maxFile {
		err = &record.DamageError{Reason: "larger than 1 GB"}
	}
	return b.Bytes(), err
}
