package feature

import (
	"encoding/json"
	"fmt"

	"halfspace/linalg"
	"halfspace/linalg/record"
)

// Transform maps rows of Features values to rows of Outputs values.
// *[Standardizer], *[Quantiles], *[Polynomial] and [Chain] are transforms.
type Transform interface {
	// Features returns the length of a row that goes in.
	Features() int
	// Outputs returns the length of a row that comes out.
	Outputs() int
	// Apply appends the image of row to dst, which does not overlap row.
	Apply(dst, row []float64) []float64
	// Names returns names of the outputs for names of the features.
	Names(features []string) []string
	json.Marshaler
}

// Rows returns the images of the rows of x.
//
// Errors: *[linalg.ShapeError], *[linalg.SizeError].
func Rows(t Transform, x *linalg.Dense) (*linalg.Dense, error) {
	if err := x.Check(); err != nil {
		return nil, wrap(err)
	}
	if x.Cols != t.Features() {
		return nil, wrap(&linalg.ShapeError{Want: t.Features(), WantOf: "features", Got: x.Cols, GotOf: "columns"})
	}
	z, err := linalg.NewDense(x.Rows, t.Outputs(), nil)
	if err != nil {
		return nil, wrap(err)
	}
	linalg.For(x.Rows, 1<<10, 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			t.Apply(z.Row(i)[:0], x.Row(i))
		}
	})
	return z, nil
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("feature: %w", err)
}

func mustLen(want, got int) {
	if want != got {
		panic(fmt.Sprintf("feature: %d features but a row of %d", want, got))
	}
}

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

const (
	standardizerKind = "halfspace/feature/standardizer"
	quantilesKind    = "halfspace/feature/quantiles"
	polynomialKind   = "halfspace/feature/polynomial"
	chainKind        = "halfspace/feature/chain"
	version          = 1
)

// MarshalJSON writes the chain.
func (c Chain) MarshalJSON() ([]byte, error) {
	return record.Marshal(chainKind, version, []Transform(c))
}

// UnmarshalJSON reads what MarshalJSON wrote, and checks it.
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

// damaged returns a record.DamageError if ok is false.
func damaged(ok bool, reason string) error {
	if ok {
		return nil
	}
	return wrap(&record.DamageError{Reason: reason})
}

// finite reports whether v has length n and no NaN or infinity.
func finite(v []float64, n int) bool { return len(v) == n && linalg.CheckFinite("", v) == nil }
