package method

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/optimize"
	"halfspace/optimize/path"
	"halfspace/sim/dataset"
)

// Method is a model by name, an entry of the registry.
type Method struct {
	Name       string
	About      string
	Regression bool     // numeric response; otherwise classes
	Options    []string // names of the options it takes

	weighted bool // it takes weights
	offset   bool // it takes an offset
	scales   bool // it standardizes by itself
	starts   bool // it can begin at a model

	entry entry
}

// entry is a method's own code. It is an interface, and not a struct of functions,
// because a linker leaves out the methods of an interface that a program never
// calls: one that only loads models holds no solver.
type entry interface {
	// fit fits the rows of x, which are those of d or standardised from them, to the
	// labels or responses of d.
	fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error)
	// audit judges a model by the method's objective.
	audit(m fitted, x linalg.Rows, d *dataset.Data, o *Options) (*optimize.Audit, error)
	// empty returns a model to unmarshal into.
	empty() fitted
	// formula returns the formula of a model of this method about a point, nil for
	// the model's own origin.
	formula(m fitted, about []float64) *Formula
	// notes returns the numbers that the method reports beside the formula; coef are the
	// model's coefficients on the scale of the data, nil if it is not linear.
	notes(m fitted, coef [][]float64) Notes
}

// An entry may do more.
type (
	// momentsEntry fits merged moments, whose classes are codes of the schema's labels.
	momentsEntry interface {
		fitMoments(m *moments.ByClass, s *dataset.Schema, o *Options) (fitted, error)
	}
	// pathEntry fits models from the most to the least penalised, each from the one
	// before: at the penalties of a grid, nil for count of its own. The options are as for
	// fit, without the one that sweeps names; parameter is the name of the penalty.
	pathEntry interface {
		path(x linalg.Rows, d *dataset.Data, o *Options, grid []float64, count int) ([]pathFit, error)
		parameter() string
		sweeps() string
	}
	// lossesEntry has paths whose models share passes over rows: its losses are Σ w·loss over
	// the rows for each of them.
	lossesEntry interface {
		losses(models []fitted, x linalg.Rows, d *dataset.Data, workers int) ([]float64, error)
	}
	// inferenceEntry computes standard errors, nil where the model has none.
	inferenceEntry interface {
		infer(m fitted, d *dataset.Data, o *Options) (*Inference, error)
	}
	// owningEntry has models of a type that other methods have too, and knows its own.
	owningEntry interface {
		owns(m fitted) bool
	}
	// probaEntry has models of a second type, with probabilities, in which one of the first is left
	// where the text that it reads has none.
	probaEntry interface {
		withProba() fitted
		without(f fitted) fitted
	}
	// keepingEntry has models that keep some of their options, which it sets.
	keepingEntry interface {
		keep(m fitted, o *Options)
	}
	// citingEntry has errors of its own that speak of classes or columns by number.
	citingEntry interface {
		cites(err error) (classes, columns []int)
	}
)

// pathFit is a point of an entry's path.
type pathFit struct {
	penalty, df, devRatio float64
	model                 fitted
}

// fitted is the interface of every model.
type fitted interface {
	Features() int
	Report() optimize.Report
	json.Marshaler
	json.Unmarshaler
}

// pathFits returns the points of a path of a model's package.
func pathFits[M fitted](p *path.Path[M], err error) ([]pathFit, error) {
	if p == nil {
		return nil, err
	}
	var points []pathFit
	for _, q := range p.Points {
		points = append(points, pathFit{q.Penalty, q.DF, q.DevRatio, q.Model})
	}
	return points, err
}

// some turns the result of a Fit into a fitted, keeping a nil model nil.
func some[M any, P interface {
	*M
	fitted
}](m P, err error) (fitted, error) {
	if m == nil {
		return nil, err
	}
	return m, err
}

// Takes reports whether the method takes the option, or, under their names,
// weights, an offset, a start, moments in place of rows, or a path.
func (m *Method) Takes(option string) bool {
	switch option {
	case "weights":
		return m.weighted
	case "offset":
		return m.offset
	case "start":
		return m.starts
	case "moments":
		_, ok := m.entry.(momentsEntry)
		return ok
	case "path":
		_, ok := m.entry.(pathEntry)
		return ok
	}
	return slices.Contains(m.Options, option)
}

// named adds to an error of a fit the names of the columns and classes that it
// speaks of by number.
func (m *Method) named(err error, classes []string, columns func() []string) error {
	if err == nil {
		return nil
	}
	var said []string
	say := func(what string, k int, names []string) {
		if k >= 0 && k < len(names) && names[k] != strconv.Itoa(k) {
			said = append(said, fmt.Sprintf("%s %d is %q", what, k, names[k]))
		}
	}
	citedClasses, citedColumns := m.cited(err)
	for _, k := range citedClasses {
		say("class", k, classes)
	}
	if len(citedColumns) > 0 {
		names := columns()
		for _, j := range citedColumns[:min(10, len(citedColumns))] {
			say("column", j, names)
		}
	}
	if said == nil {
		return err
	}
	return fmt.Errorf("%w (%s)", err, strings.Join(said, ", "))
}

// cited returns the classes and columns that an error speaks of by number.
func (m *Method) cited(err error) (classes, columns []int) {
	if e, ok := m.entry.(citingEntry); ok {
		classes, columns = e.cites(err)
	}
	if class := (*linalg.ClassError)(nil); errors.As(err, &class) {
		classes = []int{class.Class}
	}
	if rank := (*linalg.RankError)(nil); errors.As(err, &rank) {
		columns = rank.Columns
	}
	if cell := (*linalg.NonFiniteError)(nil); errors.As(err, &cell) && cell.What == "x" {
		columns = []int{cell.Col}
	}
	if far := (*linalg.RangeError)(nil); errors.As(err, &far) && (far.What == "x" || far.What == "") {
		columns = []int{far.Column}
	}
	return classes, columns
}

// refuse returns an error if the options have one that the method does not take, or if the
// method is none of the registry.
func (m *Method) refuse(o *Options) error {
	if m == nil || m.entry == nil {
		return errors.New("method: a method has to come from Named or All")
	}
	for _, opt := range options {
		if !o.given(opt.name) || m.Takes(opt.name) || opt.name == "epsilon" && o.Epsilon == Defaults().Epsilon {
			continue
		}
		if opt.name == "class-weight" && !m.Regression {
			return fmt.Errorf("%s takes no option %q: every row keeps its distance, whatever it costs", m.Name, opt.name)
		}
		return fmt.Errorf("%s takes no option %q", m.Name, opt.name)
	}
	if o.Start != nil && !m.starts {
		return fmt.Errorf("%s takes no start", m.Name)
	}
	return nil
}

// codes are the labels of that many classes, so that a subset of the rows
// is fitted for the same classes.
func codes[T any](classes []T) []int { return linalg.Sequence(len(classes)) }

// noNotes is part of the entries that add nothing.
type noNotes struct{}

func (noNotes) notes(fitted, [][]float64) Notes { return Notes{} }
