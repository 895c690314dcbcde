package method

import (
	"encoding/json"
	"fmt"
	"io"

	"halfspace/linalg/record"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
)

// modelJSON is the body of a model's file, of any model to write and of its text to read. Version 1 had
// a scale in place of steps, version 2 no objective.
type modelJSON[T any] struct {
	Method string                `json:"method"`
	Schema *dataset.Schema       `json:"schema"`
	Scale  *feature.Standardizer `json:"scale,omitempty"`
	Steps  json.RawMessage       `json:"steps,omitempty"`
	Model  T                     `json:"model"`
	Meant  *Options              `json:"objective,omitempty"`
}

const (
	kind         = "halfspace"
	modelVersion = 3
)

// record returns the columns, steps and fit of the model as a record.
func (m *Model) record() (t *record.Text, err error) {
	if m.fit == nil {
		return nil, fmt.Errorf("method: %w", record.ErrUnfitted)
	}
	j := modelJSON[any]{Method: m.Method.Name, Schema: m.Schema, Meant: m.meant}
	if large, ok := m.fit.(interface{ Record() *record.Text }); ok {
		j.Model = large.Record()
	} else {
		var text json.RawMessage
		text, err = m.fit.MarshalJSON()
		j.Model = text
	}
	if err == nil && m.steps != nil {
		j.Steps, err = m.steps.MarshalJSON()
	}
	if err != nil {
		return nil, fmt.Errorf("method: %w", err)
	}
	return record.NewText(kind, modelVersion, true, func() any { return j }), nil
}

// MarshalJSON writes the model: columns, steps and fit, with a version and a checksum.
func (m *Model) MarshalJSON() ([]byte, error) {
	t, err := m.record()
	if err != nil {
		return nil, err
	}
	return t.MarshalJSON()
}

// UnmarshalJSON reads what MarshalJSON wrote, of this version or an earlier one. A model
// with a step of a user's own is read by [Load].
func (m *Model) UnmarshalJSON(b []byte) error {
	read, err := readModel(b, nil)
	if err != nil {
		return fmt.Errorf("method: %w", err)
	}
	*m = *read
	return nil
}

func readModel(b []byte, own []feature.Own) (*Model, error) {
	var j modelJSON[json.RawMessage]
	version, err := record.Unmarshal(b, kind, modelVersion, &j)
	if err != nil {
		return nil, err
	}
	m := &Model{Schema: j.Schema, meant: j.Meant}
	if m.Method, err = Named(j.Method); err != nil {
		return nil, err
	}
	switch {
	case version == 1 && j.Steps != nil || version > 1 && j.Scale != nil:
		return nil, &record.DamageError{Reason: "steps of another version"}
	case j.Scale != nil:
		m.steps = feature.Chain{j.Scale}
	case j.Steps != nil:
		t, err := feature.Unmarshal(j.Steps, own...)
		if err != nil {
			return nil, err
		}
		var ok bool
		if m.steps, ok = t.(feature.Chain); !ok {
			return nil, &record.DamageError{Reason: "steps that are no chain"}
		}
	}
	if m.fit, err = m.Method.unmarshal(j.Model); err != nil {
		return nil, err
	}
	if m.meant != nil {
		if err := m.Method.refuse(m.meant); err != nil {
			return nil, &record.DamageError{Reason: err.Error()}
		}
	}
	if err := m.check(); err != nil {
		return nil, &record.DamageError{Reason: err.Error()}
	}
	if err := m.checkScale(); err != nil {
		return nil, err
	}
	return m, nil
}

// unmarshal reads a model of the method, with probabilities if it has them.
func (m *Method) unmarshal(b []byte) (fitted, error) {
	if e, ok := m.entry.(probaEntry); ok {
		f := e.withProba()
		err := f.UnmarshalJSON(b)
		if own := e.without(f); err != nil && own.Features() > 0 {
			return own, nil
		}
		return f, err
	}
	f := m.entry.empty()
	return f, f.UnmarshalJSON(b)
}

// Save writes the model and a line end, see [Model.MarshalJSON]. It holds no text of the planes of
// many classes, which is longer than they are.
func (m *Model) Save(w io.Writer) error {
	t, err := m.record()
	if err != nil {
		return err
	}
	if err := t.WriteJSON(w); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// Load reads a model that Save wrote, of this version or an earlier one. It reads at most
// 1 GB. Steps of a user's own need the way to read them.
//
// Errors: *[record.KindError], *[record.VersionError], *[record.DamageError], and
// those of encoding/json and of own.
func Load(r io.Reader, own ...feature.Own) (*Model, error) {
	b, err := ReadJSON(r)
	if err != nil {
		return nil, err
	}
	m, err := readModel(b, own)
	if err != nil {
		return nil, fmt.Errorf("method: %w", err)
	}
	return m, nil
}
