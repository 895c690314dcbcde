package logistic

import (
	"fmt"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

const kind, version = "halfspace/logistic", 1

type modelJSON struct {
	Classes   []int           `json:"classes"`
	Features  int             `json:"features"`
	Coef      []float64       `json:"coef"`
	At        []int           `json:"at,omitempty"` // the places of coef, row after row, where the others are 0
	Intercept []float64       `json:"intercept"`
	Origin    []float64       `json:"origin,omitempty"`
	Method    string          `json:"method"`
	Rest      bool            `json:"rest,omitempty"`
	Report    optimize.Report `json:"report"`
}

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it
// back bit for bit.
func (m *Model) MarshalJSON() ([]byte, error) {
	b, err := record.MarshalFitted(kind, version, m.coef != nil, func() any {
		coef, at := stored(m.coef.Copy().Data, m.coef.Cols)
		return modelJSON{m.classes, m.coef.Cols, coef, at, m.intercept, m.origin, m.method.String(), m.rest, m.report}
	})
	return b, wrap(err)
}

// UnmarshalJSON reads what MarshalJSON wrote.
//
// Errors: those of package record, and *[record.DamageError] for numbers that
// do not describe a model.
func (m *Model) UnmarshalJSON(data []byte) error {
	var j modelJSON
	if _, err := record.Unmarshal(data, kind, version, &j); err != nil {
		return wrap(err)
	}
	if err := j.expand(); err != nil {
		return wrap(err)
	}
	if err := j.check(); err != nil {
		return wrap(err)
	}
	read := newModel(j.Classes, &linalg.Dense{Rows: len(j.Intercept), Cols: j.Features, Stride: j.Features, Data: j.Coef},
		j.Intercept, j.Origin, Method(slices.Index(methodNames, j.Method)), j.Report)
	read.rest = j.Rest
	for k, b := range j.Intercept {
		if err := record.CheckAffine(read.coef.Matrix().Row(k), j.Origin, b); err != nil {
			return wrap(err)
		}
	}
	*m = *read
	return nil
}

// manyFeatures is the number of features from which coefficients are saved by their places
// where most are 0, and mostCoefficients bounds what is read.
const manyFeatures, mostCoefficients = 10_000, 1 << 28

// stored returns the coefficients that are saved, and their places where these are not all.
func stored(coef []float64, features int) (values []float64, at []int) {
	if features <= manyFeatures {
		return coef, nil
	}
	for i, v := range coef {
		if v != 0 {
			values, at = append(values, v), append(at, i)
		}
	}
	if 2*len(values) > len(coef) || len(values) == 0 {
		return coef, nil
	}
	return values, at
}

// expand writes out the coefficients that were saved by their places.
func (j *modelJSON) expand() error {
	if j.At == nil {
		return nil
	}
	functions := max(1, len(j.Intercept))
	if len(j.At) != len(j.Coef) || j.Features < 1 || j.Features > mostCoefficients/functions {
		return &record.DamageError{Reason: fmt.Sprintf("%d places of %d coefficients", len(j.At), len(j.Coef))}
	}
	coef := make([]float64, j.Features*functions)
	for k, i := range j.At {
		if i < 0 || i >= len(coef) {
			return &record.DamageError{Reason: fmt.Sprintf("coefficient %d of %d", i, len(coef))}
		}
		coef[i] = j.Coef[k]
	}
	j.Coef, j.At = coef, nil
	return nil
}

func (j *modelJSON) check() error {
	functions, bad := sample.Functions(len(j.Classes)), ""
	switch {
	case !sample.Ascend(j.Classes):
		bad = "fewer than two classes, or they do not ascend"
	case j.Features < 1 || len(j.Coef)%j.Features != 0 || len(j.Coef)/j.Features != functions || len(j.Intercept) != functions:
		bad = fmt.Sprintf("%d coefficients and %d intercepts for %d classes and %d features", len(j.Coef), len(j.Intercept), len(j.Classes), j.Features)
	case j.Origin != nil && len(j.Origin) != j.Features:
		bad = fmt.Sprintf("an origin of %d values for %d features", len(j.Origin), j.Features)
	case j.Rest && functions == 1:
		bad = "two classes, each against the rest"
	case !slices.Contains(methodNames, j.Method):
		bad = fmt.Sprintf("unknown method %q", j.Method)
	}
	if bad != "" {
		return &record.DamageError{Reason: bad}
	}
	return nil
}
