package feature

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"halfspace/linalg"
	"halfspace/linalg/record"
)

// Chain applies transforms one after another.
type Chain []Transform

// NewChain returns the chain of the given transforms, those of a chain among them.
//
// Errors: *[linalg.ShapeError] if there are none, if one is nil, or does not take what
// the one before it gives.
func NewChain(ts ...Transform) (Chain, error) {
	var c Chain
	for _, t := range ts {
		c = c.then(t)
	}
	if len(c) == 0 {
		return nil, wrap(&linalg.ShapeError{Want: 1, WantOf: "transform needed", Got: 0, GotOf: "transforms"})
	}
	for i, t := range c {
		switch {
		case t == nil:
			return nil, wrap(&linalg.ShapeError{Want: len(c), WantOf: "transforms needed", Got: i, GotOf: "before one that is nil"})
		case i > 0 && c[i-1].Outputs() != t.Features():
			return nil, wrap(&linalg.ShapeError{Want: c[i-1].Outputs(), WantOf: fmt.Sprintf("outputs of transform %d", i-1), Got: t.Features(), GotOf: "features of the next"})
		}
	}
	return c, nil
}

// then returns the chain with a transform behind it, or those of a chain: a chain in a chain could
// not be read from JSON.
func (c Chain) then(t Transform) Chain {
	if behind, ok := t.(Chain); ok {
		return append(c, behind...)
	}
	return append(c, t)
}

// Features returns the length of a row that goes in; 0 without a transform.
func (c Chain) Features() int {
	if len(c) == 0 {
		return 0
	}
	return c[0].Features()
}

// Outputs returns the length of a row that comes out; 0 without a transform.
func (c Chain) Outputs() int {
	if len(c) == 0 {
		return 0
	}
	return c[len(c)-1].Outputs()
}

// rowPairs holds rows between two transforms: applying a chain allocates nothing.
var rowPairs = sync.Pool{New: func() any { return new([2][]float64) }}

// Apply appends the image of row to dst.
func (c Chain) Apply(dst, row []float64) []float64 {
	between := rowPairs.Get().(*[2][]float64)
	for i, t := range c[:len(c)-1] {
		b := &between[i%2]
		*b = t.Apply((*b)[:0], row)
		row = *b
	}
	dst = c[len(c)-1].Apply(dst, row)
	rowPairs.Put(between)
	return dst
}

// Names returns names of the outputs for names of the features.
func (c Chain) Names(features []string) []string {
	for _, t := range c {
		features = t.Names(features)
	}
	return features
}

// String returns a list of the transforms.
func (c Chain) String() string {
	words := make([]string, len(c))
	for i, t := range c {
		words[i] = fmt.Sprint(t)
	}
	return strings.Join(words, "; ")
}

// MarshalJSON writes the chain. A transform whose JSON has no kind, by which it could be
// read again, is an error.
func (c Chain) MarshalJSON() ([]byte, error) {
	parts := make([]json.RawMessage, len(c))
	for i, t := range c {
		var err error
		if parts[i], err = t.MarshalJSON(); err != nil {
			return nil, err
		}
		if kindOf(parts[i]) == "" {
			return nil, wrap(fmt.Errorf("transform %d: the JSON of a %T has no kind", i, t))
		}
	}
	return record.MarshalFitted(chainKind, version, len(c) > 0, func() any { return parts })
}

// UnmarshalJSON reads what MarshalJSON wrote, and checks it. A chain with a
// transform of a user's own is read by [Unmarshal].
func (c *Chain) UnmarshalJSON(b []byte) error {
	read, err := unmarshalChain(b, nil)
	if err == nil {
		*c = read
	}
	return err
}

func unmarshalChain(b []byte, own []Own) (Chain, error) {
	var parts []json.RawMessage
	if _, err := record.Unmarshal(b, chainKind, version, &parts); err != nil {
		return nil, wrap(err)
	}
	var ts []Transform
	for _, p := range parts {
		t, err := unmarshalPart(p, own)
		if err != nil {
			return nil, err
		}
		ts = append(ts, t)
	}
	c, err := NewChain(ts...)
	if err != nil {
		return nil, wrap(&record.DamageError{Reason: err.Error()})
	}
	return c, nil
}

// Own reads transforms of a user's own, whose JSON has this kind.
type Own struct {
	Kind string
	Read func(b []byte) (Transform, error)
}

// Unmarshal reads a transform of this package, or one of the caller's own. Chains do not
// nest.
//
// Errors: those of [record.Unmarshal] and of own.Read; *[record.KindError].
func Unmarshal(b []byte, own ...Own) (Transform, error) {
	if kindOf(b) == chainKind {
		c, err := unmarshalChain(b, own)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	return unmarshalPart(b, own)
}

func kindOf(b []byte) string {
	var head struct{ Kind string }
	if json.Unmarshal(b, &head) != nil {
		return ""
	}
	return head.Kind
}

func unmarshalPart(b []byte, own []Own) (Transform, error) {
	var t interface {
		Transform
		json.Unmarshaler
	}
	kind := kindOf(b)
	switch kind {
	case imputerKind:
		t = new(Imputer)
	case standardizerKind:
		t = new(Standardizer)
	case quantilesKind:
		t = new(Quantiles)
	case polynomialKind:
		t = new(Polynomial)
	default:
		for _, o := range own {
			if o.Kind == kind {
				return o.Read(b)
			}
		}
		return nil, wrap(&record.KindError{Want: "halfspace/feature", Got: kind})
	}
	if err := t.UnmarshalJSON(b); err != nil {
		return nil, err
	}
	return t, nil
}
