package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"halfspace/sim/method"
)

// Read reads a model file of one of the formats that this package knows, which its first
// word tells, or one that [method.Model.Save] wrote.
//
// Errors have the line, or for JSON the name of the field.
func Read(r io.Reader) (*method.Model, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(256)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("exchange: %w", err)
	}
	const space = " \t\r\n"
	head = bytes.TrimLeft(head, space)
	object := bytes.HasPrefix(head, []byte("{"))
	first := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("{")), space) // the first name, wherever an editor put it
	switch {
	case bytes.HasPrefix(head, []byte("solver_type")):
		return ReadLIBLINEAR(b)
	case bytes.HasPrefix(head, []byte("svm_type")):
		return ReadLIBSVM(b)
	case object && bytes.HasPrefix(first, []byte(`"scikit-learn"`)):
		return ReadScikit(b)
	case object && bytes.HasPrefix(first, []byte(`"R"`)):
		return ReadR(b)
	case object:
		return method.Load(b)
	}
	return nil, errors.New("exchange: not a model of halfspace, LIBLINEAR or LIBSVM, nor one that a snippet of package exchange wrote")
}
