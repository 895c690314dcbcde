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
	head, err := b.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("exchange: %w", err)
	}
	switch head = bytes.TrimLeft(head, " \t\r\n"); {
	case bytes.HasPrefix(head, []byte("solver_type")):
		return ReadLIBLINEAR(b)
	case bytes.HasPrefix(head, []byte("svm_type")):
		return ReadLIBSVM(b)
	case bytes.HasPrefix(head, []byte(`{"scikit-learn"`)):
		return ReadScikit(b)
	case bytes.HasPrefix(head, []byte(`{"R"`)):
		return ReadR(b)
	case bytes.HasPrefix(head, []byte("{")):
		return method.Load(b)
	}
	return nil, errors.New("exchange: not a model of halfspace, LIBLINEAR or LIBSVM, nor one that a snippet of package exchange wrote")
}
