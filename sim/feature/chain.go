package feature

import (
	"encoding/json"
	"fmt"

	"halfspace/linalg"
	"halfspace/linalg/record"
)

// Chain applies transforms one after another.
type Chain []Transform

// NewChain returns the chain of the given transforms.
//
// Errors: *[linalg.ShapeError] if there are none, or if one does not take what the
// one before it gives.
func NewChain(ts ...Transform) (Chain, error) {
	if len(ts) == 0 {
		return nil, wrap(&linalg.ShapeError{Want: 1, WantOf: "transform needed", Got: 0, GotOf: "transforms"})
	}
	for i := 1; i < len(ts); i++ {
		if out, in := ts[i-1].Outputs(), ts[i].Features(); out != in {
			return nil, wrap(&linalg.ShapeError{Want: out, WantOf: fmt.Sprintf("outputs of transform %d", i-1), Got: in, GotOf: "features of the next"})
		}
	}
	return Chain(ts), nil
}

// Features returns the length of a row that goes in.
func (c Chain) Features() int { return c[0].Features() }

// Outputs returns the length of a row that comes out.
func (c Chain) Outputs() int { return c[len(c)-1].Outputs() }

// Apply appends the image of row to dst. It allocates one row for each transform
// but the last.
func (c Chain) Apply(dst, row []float64) []float64 {
	for _, t := range c[:len(c)-1] {
		row = t.Apply(make([]float64, 0, t.Outputs()), row)
	}
	return c[len(c)-1].Apply(dst, row)
}

// Names returns names of the outputs for names of the features.
func (c Chain) Names(features []string) []string {
	for _, t := range c {
		features = t.Names(features)
	}
	return features
}

// MarshalJSON writes the chain.
func (c Chain) MarshalJSON() ([]byte, error) {
	return record.Marshal(chainKind, version, []Transform(c))
}

// UnmarshalJSON reads the record that MarshalJSON wrote, and checks it.
func (c *Chain) UnmarshalJSON(b []byte) error {
	var parts []json.RawMessage
	if _, err := record.Unmarshal(b, chainKind, version, &parts); err != nil {
		return wrap(err)
	}
	var ts []Transform
	for _, p := range parts {
		t, err := unmarshalPart(p)
		if err != nil {
			return err
		}
		ts = append(ts, t)
	}
	made, err := NewChain(ts...)
	if err != nil {
		return wrap(&record.DamageError{Reason: err.Error()})
	}
	*c = made
	return nil
}

// Unmarshal reads a transform of any kind. Chains do not nest.
//
// Errors: those of [record.Unmarshal].
func Unmarshal(b []byte) (Transform, error) {
	if kindOf(b) == chainKind {
		var c Chain
		if err := c.UnmarshalJSON(b); err != nil {
			return nil, err
		}
		return c, nil
	}
	return unmarshalPart(b)
}

func kindOf(b []byte) string {
	var head struct{ Kind string }
	if json.Unmarshal(b, &head) != nil {
		return ""
	}
	return head.Kind
}

func unmarshalPart(b []byte) (Transform, error) {
	var t interface {
		Transform
		json.Unmarshaler
	}
	switch kind := kindOf(b); kind {
	case standardizerKind:
		t = new(Standardizer)
	case quantilesKind:
		t = new(Quantiles)
	case polynomialKind:
		t = new(Polynomial)
	default:
		return nil, wrap(&record.KindError{Want: "halfspace/feature", Got: kind})
	}
	if err := t.UnmarshalJSON(b); err != nil {
		return nil, err
	}
	return t, nil
}
