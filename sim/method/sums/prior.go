package sums

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"halfspace/linalg/record"
	"halfspace/logistic"
	"halfspace/logistic/rounds"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// Prior is a fit that stands for its rows, as a Gaussian: beside later rows it is an
// approximation of the fit of all, see [rounds.Prior].
type Prior struct {
	Schema   *dataset.Schema
	Gaussian *rounds.Prior
}

const priorKind = "halfspace/sums-prior"

type priorJSON struct {
	Schema   *dataset.Schema `json:"schema"`
	Gaussian *rounds.Prior   `json:"gaussian"`
}

// Approximate returns the prior that stands for the rows of d, to which the model was fitted
// with the options given, and for the prior that the fit had itself, or nil.
//
// Errors: those of [rounds.Approximate]; a model that is no logistic regression of the rows as
// they are.
func Approximate(m *method.Model, d *dataset.Data, o *method.Options, earlier *Prior) (*Prior, error) {
	fit, ok := m.Fitted().(*logistic.Model)
	if m.Fitted() == nil {
		return nil, errors.New("sums: a model that was not fitted")
	}
	if !ok {
		return nil, fmt.Errorf("sums: a Gaussian stands for logistic regressions, not for %s", m.Method.Name)
	}
	if o != nil { // where the fit began is no part of its minimum
		found := *o
		found.Start = nil
		o = &found
	}
	own, workers, err := settings(o)
	if err == nil {
		err = check(d)
	}
	if err != nil {
		return nil, err
	}
	var g *rounds.Prior
	if earlier != nil {
		g = earlier.Gaussian
	}
	if g, err = rounds.Approximate(fit, table(d, workers), own, g); err != nil {
		return nil, err
	}
	return &Prior{m.Schema, g}, nil
}

// Keep returns a function that writes what [Approximate] returns.
func Keep(m *method.Model, d *dataset.Data, o *method.Options, earlier *Prior) func(w io.Writer) error {
	return func(w io.Writer) error {
		p, err := Approximate(m, d, o, earlier)
		if err != nil {
			return err
		}
		return p.Save(w)
	}
}

// Columns returns the schema that later rows are read by, nil of a nil prior.
func (p *Prior) Columns() *dataset.Schema {
	if p == nil {
		return nil
	}
	return p.Schema
}

// CheckOffset refuses a column of offsets of later rows that is not that of the earlier ones, by
// whose schema the model would be read; "" is none given. A nil prior refuses none.
func (p *Prior) CheckOffset(column string) error {
	switch {
	case p == nil || column == "" || column == p.Schema.Offset:
		return nil
	case p.Schema.Offset == "":
		return fmt.Errorf("sums: later rows with an offset, column %q: the earlier rows of the prior have none", column)
	}
	return fmt.Errorf("sums: later rows with their offset in column %q: that of the earlier rows of the prior is in %q", column, p.Schema.Offset)
}

// Fit fits a method to d: a logistic regression to later rows, read by the prior's schema, and
// to the prior; without one, nil, it is that of [method.Method]. Of the options a fit with a
// prior has Tol, MaxIter and Workers.
//
// Errors: those of [rounds.Fit]; data of other columns or classes.
func Fit(m *method.Method, d *dataset.Data, o *method.Options, p *Prior) (*method.Model, error) {
	if p == nil {
		return m.Fit(d, o)
	}
	own, workers, err := settings(o)
	if err == nil {
		err = check(d)
	}
	if err != nil {
		return nil, err
	}
	if !slices.Equal(d.Names, p.Schema.Names) || !slices.Equal(d.Schema.Features(), p.Schema.Features()) {
		return nil, errors.New("sums: the rows were not read by the prior's schema")
	}
	if (d.Offset != nil) != (p.Schema.Offset != "") {
		return nil, errors.New("sums: later rows have an offset where the earlier ones of the prior have one, and only there")
	}
	fit, err := rounds.Fit(table(d, workers), len(d.Names), own, p.Gaussian)
	if fit == nil {
		return nil, err
	}
	model, bad := method.New(p.Schema, nil, fit)
	if bad != nil {
		return nil, bad
	}
	return model, err
}

// Note says in a line what the prior makes of a fit; nothing of a nil prior.
func (p *Prior) Note() string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("halfspace: a Gaussian stands for the %d earlier rows: an approximation of the fit of all rows; objective and certificate are of the later rows and the Gaussian\n", p.Gaussian.Rows)
}

// Save writes the prior and a line end.
func (p *Prior) Save(w io.Writer) error { return save(w, priorKind, priorJSON(*p)) }

// LoadPrior reads a prior that Save wrote, of at most 1 GB.
//
// Errors: *[record.KindError], *[record.VersionError], *[record.DamageError].
func LoadPrior(r io.Reader) (*Prior, error) {
	var j priorJSON
	if err := load(r, priorKind, &j); err != nil {
		return nil, err
	}
	if j.Schema == nil || j.Gaussian.Check() != nil || j.Schema.Width() != len(j.Gaussian.Extent.Sum) || len(j.Schema.Names) != j.Gaussian.Classes {
		return nil, fmt.Errorf("sums: %w", &record.DamageError{Reason: "a prior whose numbers do not fit together"})
	}
	return (*Prior)(&j), nil
}
