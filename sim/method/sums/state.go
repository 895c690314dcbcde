package sums

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"math"
	"slices"

	"halfspace/linalg/record"
	"halfspace/logistic/rounds"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// State is where all parts stand: the point at which each is to be evaluated next.
type State struct {
	Schema *dataset.Schema
	Parts  []Source
	Rounds *rounds.State
}

const stateKind = "halfspace/sums-state"

type stateJSON struct {
	Schema *dataset.Schema `json:"schema"`
	Parts  []Source        `json:"parts"`
	Rounds *rounds.State   `json:"rounds"`
}

// Save writes the state and a line end.
func (s *State) Save(w io.Writer) error { return save(w, stateKind, stateJSON(*s)) }

// LoadState reads a state that Save wrote, of at most 1 GB.
//
// Errors: *[record.KindError], *[record.VersionError], *[record.DamageError].
func LoadState(r io.Reader) (*State, error) {
	var j stateJSON
	if err := load(r, stateKind, &j); err != nil {
		return nil, err
	}
	s := State(j)
	if s.Schema == nil || s.Parts == nil || s.Rounds.Check() != nil ||
		s.Schema.Width() != len(s.Rounds.All.Mean) || len(s.Schema.Names) != len(s.Rounds.All.Classes) {
		return nil, fmt.Errorf("sums: %w", &record.DamageError{Reason: "a state whose numbers do not fit together"})
	}
	return &s, nil
}

// id tells a state from others.
func (s *State) id() (string, error) {
	b, err := json.Marshal(stateJSON(*s))
	return fmt.Sprintf("%016x", crc64.Checksum(b, crc64.MakeTable(crc64.ECMA))), err
}

// Progress is where the iteration is, as a program reads it.
type Progress struct {
	Status    string        `json:"status"`
	Round     int           `json:"round"`
	Iteration int           `json:"iteration"`
	Objective record.Number `json:"objective"` // where the iteration was last; NaN before the first answers
}

func (p *Progress) String() string {
	text := fmt.Sprintf("round %d after %s", p.Round, sim.Count(p.Iteration, "iteration"))
	if v := float64(p.Objective); v == v {
		text += fmt.Sprintf(", objective %.10g", v)
	}
	return text
}

// Write prints it.
func (p *Progress) Write(w io.Writer, _ bool) error {
	_, err := fmt.Fprintln(w, p)
	return err
}

// Progress returns where the state is.
func (e *AgainError) Progress() *Progress {
	r := e.State.Rounds
	p := &Progress{"again", r.Round, r.Iteration, record.Number(r.Value)}
	if r.Round == 1 {
		p.Objective = record.Number(math.NaN())
	}
	return p
}

// AgainError says that a fit needs another round: each part is to be evaluated at the state.
type AgainError struct{ State *State }

func (e *AgainError) Error() string {
	return fmt.Sprintf("%v: evaluate %s at the state and come again", e.Progress(), sim.Count(len(e.State.Parts), "part"))
}

// Answer makes the part of a round: d is data that were read by the state's schema. Of the
// zero state it is that of the first round, see [Survey].
//
// Errors: data that are not those of one of the first round's parts; those of
// [rounds.State.Answer].
func (s *State) Answer(d *dataset.Data, name string, workers int) (*Part, error) {
	if s.Schema == nil {
		return Survey(d, name, workers)
	}
	if err := check(d); err != nil {
		return nil, err
	}
	source := Source{name, d.Len(), d.Checksum}
	if !slices.ContainsFunc(s.Parts, source.same) {
		return nil, fmt.Errorf("sums: %v is none of the parts that were counted first: it has changed since, or is another", source)
	}
	id, err := s.id()
	if err != nil {
		return nil, err
	}
	a, err := s.Rounds.Answer(table(d, workers))
	if err != nil {
		return nil, err
	}
	return &Part{Source: source, State: id, Answer: a}, nil
}

// Begin merges the parts of the first round.
//
// Errors: parts that were computed twice, that answer a state, or whose columns differ, by
// their names; those of [rounds.Begin].
func Begin(parts []*Part, o rounds.Options) (*State, error) {
	if len(parts) == 0 {
		return nil, errors.New("sums: no parts")
	}
	s := new(State)
	for _, p := range parts {
		if p.State != "" {
			return nil, fmt.Errorf("sums: part %v answers a state, others are of the first round", p.Source)
		}
		if k := slices.IndexFunc(s.Parts, p.same); k >= 0 {
			return nil, twice(p.Source, s.Parts[k])
		}
		s.Parts = append(s.Parts, p.Source)
	}
	var counts []*rounds.Counts
	var err error
	if s.Schema, counts, err = union(parts); err != nil {
		return nil, fmt.Errorf("sums: %w", err)
	}
	for _, c := range counts[1:] {
		if err := counts[0].Merge(c); err != nil {
			return nil, err
		}
	}
	s.Rounds, err = rounds.Begin(counts[0], o, nil)
	return s, err
}

func twice(a, b Source) error {
	return fmt.Errorf("sums: %v is the same data as %s: a part was computed twice", a, b.Name)
}

// Next merges the answers of all parts, in the order of the first round, and returns the next
// state or, at the end, the model.
//
// Errors: parts that were computed twice, that are missing or that answer another state, by
// their names; those of [rounds.State.Next], beside the model where it has not converged.
func (s *State) Next(parts []*Part) (*State, *method.Model, error) {
	id, err := s.id()
	if err != nil {
		return nil, nil, err
	}
	place := make([]*Part, len(s.Parts))
	for _, p := range parts {
		k := slices.IndexFunc(s.Parts, p.same)
		switch {
		case p.State != id:
			return nil, nil, fmt.Errorf("sums: part %v does not answer this state (round %d): it is stale", p.Source, s.Rounds.Round)
		case k < 0:
			return nil, nil, fmt.Errorf("sums: part %v was not counted in the first round", p.Source)
		case p.Answer.Check() != nil:
			return nil, nil, p.wrong(p.Answer.Check())
		case place[k] != nil:
			return nil, nil, twice(p.Source, place[k].Source)
		}
		place[k] = p
	}
	if k := slices.Index(place, nil); k >= 0 {
		return nil, nil, fmt.Errorf("sums: part %v is missing", s.Parts[k])
	}
	all := copied(place[0].Answer)
	for _, p := range place[1:] {
		if err := all.Merge(p.Answer); err != nil {
			return nil, nil, p.wrong(err)
		}
	}
	next, fit, err := s.Rounds.Next(all)
	if next != nil {
		return &State{s.Schema, s.Parts, next}, nil, nil
	}
	if fit == nil {
		return nil, nil, err
	}
	m, bad := method.New(s.Schema, nil, fit)
	if bad == nil {
		m, bad = m.WithObjective(objective(s.Rounds.Options))
	}
	if bad != nil {
		return nil, nil, bad
	}
	return nil, m, err
}

// copied returns an answer of its own numbers, to which others are added.
func copied(a *rounds.Answer) *rounds.Answer {
	own, of := *a, *a.Sums
	of.Gradient, of.Hessian, of.Sizes = slices.Clone(of.Gradient), of.Hessian.Clone(), slices.Clone(of.Sizes)
	own.Sums, own.Values = &of, slices.Clone(a.Values)
	if a.Reach != nil {
		r := *a.Reach
		r.Sizes = slices.Clone(r.Sizes)
		own.Reach = &r
	}
	return &own
}

// objective returns the options of a model that say what a fit in rounds minimises.
func objective(o rounds.Options) *method.Options {
	own := &method.Options{Lambda: o.Lambda, Standardize: o.Standardize, NoIntercept: o.NoIntercept}
	if o.Balanced {
		own.ClassWeight = "balanced"
	}
	return own
}

// settings returns the options of a fit in rounds, nil are the defaults, and its goroutines.
func settings(o *method.Options) (own rounds.Options, workers int, err error) {
	if o == nil {
		o = new(method.Options)
	}
	if o.L1Ratio != 0 || o.Firth || o.Start != nil || len(o.Steps) > 0 {
		return own, 0, errors.New("sums: a lasso part, Firth's correction, a start and steps need the rows, not their sums")
	}
	return rounds.Options{Lambda: o.Lambda, Standardize: o.Standardize, NoIntercept: o.NoIntercept, Balanced: o.ClassWeight != "", Tol: o.Tol, MaxIter: o.MaxIter}, o.Workers, nil
}

// Reduce takes the parts of a round: those of the first begin a fit with the options given, and
// those that answer a state, which is read then, go on from there.
//
// Errors: *[AgainError] with the state of the next round; those of [Begin] and [State.Next];
// options that a fit in rounds does not have, or others than it was begun with.
func Reduce(parts []*Part, o *method.Options, state func() (*State, error)) (*method.Model, error) {
	own, _, err := settings(o)
	if err != nil {
		return nil, err
	}
	var next *State
	var m *method.Model
	if len(parts) == 0 || parts[0].State == "" {
		next, err = Begin(parts, own)
	} else if next, err = state(); err == nil {
		if next.Rounds.Options != own {
			return nil, fmt.Errorf("sums: options %+v, the fit was begun with %+v", own, next.Rounds.Options)
		}
		next, m, err = next.Next(parts)
	}
	if err == nil && next != nil {
		err = &AgainError{next}
	}
	return m, err
}
