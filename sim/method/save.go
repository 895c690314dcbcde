package method

import (
	"encoding/json"
	"fmt"
	"io"

	"halfspace/linalg/record"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
)

// modelJSON is the body of a model's file. Version 1 had a scale in place of steps, version 2
// no objective.
type modelJSON struct {
	Method string                `json:"method"`
	Schema *dataset.Schema       `json:"schema"`
	Scale  *feature.Standardizer `json:"scale,omitempty"`
	Steps  json.RawMessage       `json:"steps,omitempty"`
	Model  json.RawMessage       `json:"model"`
	Meant  *Options              `json:"objective,omitempty"`
}

const (
	kind         = "halfspace"
	modelVersion = 3
)

// MarshalJSON writes the model: columns, steps and fit, with a version and a checksum.
func (m *Model) MarshalJSON() ([]byte, error) {
	if m.fit == nil {
		return nil, fmt.Errorf("method: %w", record.ErrUnfitted)
	}
	j := modelJSON{Method: m.Method.Name, Schema: m.Schema, Meant: m.meant}
	var err error
	if m.steps != nil {
		j.Steps, err = m.steps.MarshalJSON()
	}
	if err == nil {
		j.Model, err = m.fit.MarshalJSON()
	}
	if err != nil {
		return nil, fmt.Errorf("method: %w", err)
	}
	return record.Marshal(kind, modelVersion, j)
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
	var j modelJSON
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
		if f := e.withProba(); f.UnmarshalJSON(b) == nil {
			return f, nil
		}
	}
	f := m.entry.empty()
	return f, f.UnmarshalJSON(b)
}

// Save writes the model and a line end, see [Model.MarshalJSON].
func (m *Model) Save(w io.Writer) error {
	b, err := m.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
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
