package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"halfspace/linalg"
)

// estimator is as the snippet of doc.go writes it: a class, the settings that it was made
// with, and its fitted attributes, whose names end with "_".
type estimator struct {
	Type   string                     `json:"type"`
	Params map[string]json.RawMessage `json:"params"`
	Fitted map[string]json.RawMessage `json:"fitted"`
}

// found returns the estimator that a search over settings was refitted with, and any other as it is.
func (e *estimator) found() (*estimator, error) {
	if !strings.HasSuffix(e.Type, "SearchCV") {
		return e, nil
	}
	var best *estimator
	if err := e.attribute("best_estimator_", &best); err != nil {
		return nil, e.wrong(err)
	}
	return best, nil
}

// deepest is how many pipelines may be in one another: each is read once more.
const deepest = 8

// split returns the estimator at the end of a pipeline and the steps before it, those of pipelines in it among them.
func (e *estimator) split() (steps []*estimator, last *estimator, err error) {
	return e.splitTo(deepest)
}

func (e *estimator) splitTo(depth int) (steps []*estimator, last *estimator, err error) {
	if e, err = e.found(); err != nil {
		return nil, nil, err
	}
	if e.Type != "Pipeline" {
		return nil, e, nil
	}
	var named [][2]json.RawMessage
	if err := e.param("steps", &named); err != nil {
		return nil, nil, err
	}
	for i, pair := range named {
		var one *estimator
		var none string
		switch {
		case string(pair[1]) == "null", json.Unmarshal(pair[1], &none) == nil && none == "passthrough":
			continue
		case json.Unmarshal(pair[1], &one) != nil || one == nil:
			return nil, nil, e.wrong(fmt.Errorf("step %d is no estimator", i+1))
		}
		if depth == 0 {
			return nil, nil, e.wrong(fmt.Errorf("more than %d pipelines in one another", deepest))
		}
		before, end, err := one.splitTo(depth - 1)
		if err != nil {
			return nil, nil, err
		}
		steps = append(append(steps, before...), end)
	}
	if len(steps) == 0 {
		return nil, nil, e.wrong(errors.New("no steps"))
	}
	at := len(steps) - 1
	return steps[:at:at], steps[at], nil
}

// wrong names the estimator in an error.
func (e *estimator) wrong(err error) error { return fmt.Errorf("%s: %w", quotedName(e.Type), err) }

// quotedName shows a class of Python, quoted where it is none.
func quotedName(name string) string {
	if quoted := quoted(name); quoted != `"`+name+`"` || name == "" {
		return quoted
	}
	return name
}

// param and attribute read a setting and a fitted attribute.
func (e *estimator) param(name string, into any) error { return get(e.Params, name, into) }

func (e *estimator) attribute(name string, into any) error { return get(e.Fitted, name, into) }

func get(from map[string]json.RawMessage, name string, into any) error {
	text, ok := from[name]
	if !ok || string(text) == "null" {
		return fmt.Errorf("no %q", name)
	}
	switch into.(type) {
	case *[]float64, *[][]float64, *[][][]float64:
		if err := whole(text); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

// whole refuses numbers that are null, which are zeros to encoding/json and were NaN to other writers.
func whole(text []byte) error {
	if bytes.Contains(text, []byte("null")) {
		return errors.New("null is no number")
	}
	return nil
}

// setting returns a setting that is text, "" where it is not there or no text.
func (e *estimator) setting(name string) (value string) {
	_ = e.param(name, &value)
	return value
}

// number returns a setting that is a number, or a list of one, or def. Where a search chose it, as RidgeCV does,
// an attribute has it.
func (e *estimator) number(name string, def float64) float64 {
	if chosen, err := e.vector(name + "_"); err == nil && len(chosen) == 1 {
		return chosen[0]
	}
	value, list := def, []float64(nil)
	switch {
	case e.param(name, &value) == nil:
		return value
	case e.param(name, &list) == nil && len(list) == 1:
		return list[0]
	}
	return def
}

// vector returns an attribute that is a list of numbers, or one number.
func (e *estimator) vector(name string) ([]float64, error) {
	var v []float64
	if err := e.attribute(name, &v); err != nil {
		var one float64
		if e.attribute(name, &one) != nil {
			return nil, err
		}
		return []float64{one}, nil
	}
	return v, nil
}

// matrix returns an attribute that is a list of rows, or one row.
func (e *estimator) matrix(name string) (*linalg.Dense, error) {
	var rows [][]float64
	if err := e.attribute(name, &rows); err != nil {
		v, err := e.vector(name)
		if err != nil {
			return nil, err
		}
		rows = [][]float64{v}
	}
	m, err := linalg.FromRows(rows)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, err)
	}
	return m, nil
}

// classes returns the names of the classes as a table would have them.
func (e *estimator) classes() ([]string, error) {
	var values []any
	if err := e.attribute("classes_", &values); err != nil {
		return nil, err
	}
	return spelled(values)
}

// spelled returns labels or levels as text.
func spelled(values []any) ([]string, error) {
	names := make([]string, len(values))
	for k, v := range values {
		switch v := v.(type) {
		case string:
			names[k] = v
		case bool:
			names[k] = map[bool]string{false: "False", true: "True"}[v]
		case float64:
			names[k] = strconv.FormatFloat(v, 'f', -1, 64)
			if math.Abs(v) > 1e15 {
				names[k] = strconv.FormatFloat(v, 'g', -1, 64)
			}
		default:
			return nil, fmt.Errorf("%v is no label", v)
		}
	}
	return trimmed(names), nil
}
