package method

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"halfspace/hyperplane"
	"halfspace/optimize"
	"halfspace/sim/feature"
)

// Options are the settings of all methods under the names that the command's
// flags and cross-validation grids use. The zero value is every default, and so is nil.
// Each method takes some of them ([Method.Options], [Method.Takes]) and refuses the
// others, but for Steps and Trace, which all take. Where Lambda is 0 an L1Ratio is refused
// too, and Standardize changes nothing: a fit without a penalty is the same on any scale.
type Options struct {
	Priors      []float64 `json:"priors,omitempty"`       // class priors in the order of the classes; nil is estimated
	Uniform     bool      `json:"uniform,omitempty"`      // equal priors
	Divisor     string    `json:"divisor,omitempty"`      // covariance divisor: "" or "n-k" (unbiased), "n" (maximum likelihood)
	Alpha       float64   `json:"alpha,omitempty"`        // rda: weight of the class covariance against the pooled one
	Shrinkage   float64   `json:"shrinkage,omitempty"`    // rda: 1−γ, weight of σ̂²I against the pooled covariance
	Rank        int       `json:"rank,omitempty"`         // rrlda: number of discriminant coordinates; 0 is all
	Lambda      float64   `json:"lambda,omitempty"`       // weight of the penalty
	L1Ratio     float64   `json:"l1_ratio,omitempty"`     // share of the lasso in it; for lasso 0 is 1
	C           float64   `json:"c,omitempty"`            // svc, svr: cost of slack; 0 is 1
	Loss        string    `json:"loss,omitempty"`         // svc: of slack, "hinge" (or "") or "squared-hinge"
	Epsilon     float64   `json:"epsilon,omitempty"`      // svr: half height of the tube; 0 is absolute errors
	Rate        float64   `json:"rate,omitempty"`         // perceptron: ρ; 0 is 1
	MaxEpochs   int       `json:"max_epochs,omitempty"`   // perceptron: cap; 0 is its default
	Pocket      bool      `json:"pocket,omitempty"`       // perceptron: publish the best plane met
	Multi       string    `json:"multi,omitempty"`        // hardmargin, svc with K ≥ 3: "ovo" (or "") or "ovr"
	ClassWeight string    `json:"class_weight,omitempty"` // "" or "balanced": wᵢ multiplied by Σw/(K·Σ of its class)
	Standardize bool      `json:"standardize,omitempty"`  // divide columns by their standard deviation first
	NoIntercept bool      `json:"no_intercept,omitempty"`
	Firth       bool      `json:"firth,omitempty"`       // logistic: Firth's correction, for two classes
	Probability bool      `json:"probability,omitempty"` // svc: Platt's probabilities, at the price of five more fits
	Tol         float64   `json:"tol,omitempty"`         // tolerance of the certificate; 0 is the method's default
	MaxIter     int       `json:"max_iter,omitempty"`    // iteration cap; 0 is the method's default
	Workers     int       `json:"workers,omitempty"`     // goroutines; 0 is GOMAXPROCS
	Seed        uint64    `json:"seed,omitempty"`        // perceptron: a shuffled order of points; 0 is as they stand

	// Steps are fitted to the training rows, each to what those before it made of them, and
	// become part of the model; cross-validation fits them within each fold.
	Steps []feature.Step `json:"-"`
	// Trace is called once an iteration, and once by a fit that has none, with its end. Its
	// error stops the fit. Cross-validation calls it from one goroutine at a time.
	Trace func(optimize.Step) error `json:"-"`

	// Start is a *Model at which the fit of another begins, of the same features and classes:
	// logistic takes it. The result does not depend on it but for the last digits. It is an
	// interface so that programs that load models, with the options in their files, do not link
	// the code that prints one.
	Start interface{ Fitted() any } `json:"-"`
}

// Defaults are the options of the command where no flag is given: the zero value
// but for the tube of a support vector regression, which has the height that
// LIBSVM and LIBLINEAR give it.
func Defaults() Options { return Options{Epsilon: 0.1} }

// option is one of them: its name, its field, and its usage as a flag.
type option struct {
	name  string
	field func(o *Options) any // a pointer, whose type says how the flag is read
	usage string
	words []string                             // of text: what it may be, but for ""
	set   func(o *Options, value string) error // where the type does not say it
}

var options = []option{
	{name: "priors", field: func(o *Options) any { return &o.Priors }, set: (*Options).setPriors,
		usage: "class priors, comma-separated in the order of the classes, or uniform (default estimated)"},
	{name: "divisor", field: func(o *Options) any { return &o.Divisor }, usage: "divisor of covariances", words: []string{"n-k", "n"}},
	{name: "alpha", field: func(o *Options) any { return &o.Alpha }, usage: "weight of the class covariance against the pooled one, 0 to 1"},
	{name: "gamma", field: func(o *Options) any { return &o.Shrinkage }, set: (*Options).setGamma,
		usage: "weight of the pooled covariance against a multiple of the identity, 0 to 1 (default 1)"},
	{name: "rank", field: func(o *Options) any { return &o.Rank }, usage: "number of discriminant coordinates (default all)"},
	{name: "lambda", field: func(o *Options) any { return &o.Lambda }, usage: "weight of the penalty"},
	{name: "l1-ratio", field: func(o *Options) any { return &o.L1Ratio }, usage: "share of the lasso in the penalty, 0 to 1 (for the method lasso 0 is 1)"},
	{name: `C`, field: func(o *Options) any { return &o.C }, usage: "cost of slack (default 1)"},
	{name: "loss", field: func(o *Options) any { return &o.Loss }, usage: "of slack", words: []string{"hinge", "squared-hinge"}},
	{name: "epsilon", field: func(o *Options) any { return &o.Epsilon }, usage: "half height of the tube around the regression"},
	{name: "rate", field: func(o *Options) any { return &o.Rate }, usage: "learning rate (default 1)"},
	{name: "max-epochs", field: func(o *Options) any { return &o.MaxEpochs }, usage: "cap on passes over the data"},
	{name: "pocket", field: func(o *Options) any { return &o.Pocket }, usage: "publish the best plane met: every plane is judged"},
	{name: "multi", field: func(o *Options) any { return &o.Multi }, usage: "three or more classes: one against one, or one against the rest", words: []string{"ovo", "ovr"}},
	{name: "class-weight", field: func(o *Options) any { return &o.ClassWeight }, usage: "give every class the same total weight", words: []string{"balanced"}},
	{name: "standardize", field: func(o *Options) any { return &o.Standardize }, usage: "divide features by their standard deviation; coefficients come back on the data's scale"},
	{name: "no-intercept", field: func(o *Options) any { return &o.NoIntercept }, usage: "a plane through the origin"},
	{name: "firth", field: func(o *Options) any { return &o.Firth }, usage: "Firth's correction of the likelihood of two classes: finite where they are separated"},
	{name: "probability", field: func(o *Options) any { return &o.Probability }, usage: "fit probabilities too (Platt's sigmoids, five more fits)"},
	{name: "tol", field: func(o *Options) any { return &o.Tol }, usage: "tolerance of the certificate"},
	{name: "max-iter", field: func(o *Options) any { return &o.MaxIter }, usage: "cap on iterations"},
	{name: "workers", field: func(o *Options) any { return &o.Workers }, usage: "goroutines (default one a core)"},
	{name: "seed", field: func(o *Options) any { return &o.Seed }, usage: "seed of whatever is random (0: nothing is)"},
}

// Flags is where options are declared, a *flag.FlagSet: programs that load models do not link the
// package.
type Flags interface {
	Float64Var(p *float64, name string, value float64, usage string)
	IntVar(p *int, name string, value int, usage string)
	Uint64Var(p *uint64, name string, value uint64, usage string)
	BoolVar(p *bool, name string, value bool, usage string)
	Func(name, usage string, set func(string) error)
}

// declare adds the option, of o, to a flag set.
func (opt *option) declare(o *Options, fs Flags) {
	if opt.set != nil {
		fs.Func(opt.name, opt.usage, func(s string) error { return opt.set(o, s) })
		return
	}
	switch p := opt.field(o).(type) {
	case *float64:
		fs.Float64Var(p, opt.name, *p, opt.usage)
	case *int:
		fs.IntVar(p, opt.name, *p, opt.usage)
	case *uint64:
		fs.Uint64Var(p, opt.name, *p, opt.usage)
	case *bool:
		fs.BoolVar(p, opt.name, *p, opt.usage)
	case *string:
		words := strings.Join(opt.words, " or ")
		fs.Func(opt.name, opt.usage+": "+words, func(s string) error {
			if !slices.Contains(opt.words, s) {
				return fmt.Errorf("want %s", words)
			}
			*p = s
			return nil
		})
	}
}

// given reports whether the named option is not 0.
func (o *Options) given(name string) bool {
	if name == "priors" && o.Uniform {
		return true
	}
	return slices.ContainsFunc(options, func(opt option) bool {
		return opt.name == name && !reflect.ValueOf(opt.field(o)).Elem().IsZero()
	})
}

// complexity has the options that order models by themselves, with a number that is
// larger for the more complex.
var complexity = map[string]func(o *Options) float64{
	"alpha":  func(o *Options) float64 { return o.Alpha },
	"gamma":  func(o *Options) float64 { return -o.Shrinkage },
	"lambda": func(o *Options) float64 { return -o.Lambda },
	`C`:      func(o *Options) float64 { return cmp.Or(o.C, 1) },
	"rank": func(o *Options) float64 {
		if o.Rank == 0 {
			return math.Inf(1)
		}
		return float64(o.Rank)
	},
}

// ways are the options that say how a fit is made. The others say what it minimises, or which
// estimates it makes.
var ways = []string{"rate", "max-epochs", "pocket", "probability", "tol", "max-iter", "workers", "seed"}

// take sets the options that say what a fit minimises to those of another, but for some.
func (o *Options) take(from *Options, but func(name string) bool) {
	for _, opt := range options {
		if slices.Contains(ways, opt.name) || but(opt.name) {
			continue
		}
		if reflect.ValueOf(opt.field(o)).Elem().Set(reflect.ValueOf(opt.field(from)).Elem()); opt.name == "priors" {
			o.Priors, o.Uniform = slices.Clone(from.Priors), from.Uniform
		}
	}
}

// objective returns the options by which a model is judged: those of o that are named or not 0,
// and its own in place of the others.
func (m *Model) objective(own, o *Options, given []string) (*Options, error) {
	all := new(Options)
	if o != nil {
		*all = *o
	}
	set := func(name string) bool { return slices.Contains(given, name) || all.given(name) }
	other := func(name string, same bool) error {
		if same || !set(name) {
			return nil
		}
		return fmt.Errorf("%s: the model has another %q, which an audit cannot change; fit it anew", m.Method.Name, name)
	}
	err := cmp.Or(other("multi", all.multi() == own.multi() || len(m.Schema.Names) < 3),
		other("standardize", all.Standardize == own.Standardize || m.Method.scales))
	ratio := set("l1-ratio")
	if all.take(own, set); all.Lambda == 0 && !ratio {
		all.L1Ratio = 0
	}
	return all, err
}

// Declare adds the named options to a flag set; with no names, all of them.
func (o *Options) Declare(fs Flags, names ...string) {
	for k := range options {
		if names == nil || slices.Contains(names, options[k].name) {
			options[k].declare(o, fs)
		}
	}
}

// OptionNames lists the names of all options.
func OptionNames() []string {
	names := make([]string, len(options))
	for i, opt := range options {
		names[i] = opt.name
	}
	return names
}

// Set sets one option by name, as its flag would.
func (o *Options) Set(name, value string) error {
	one := setter{value: value}
	if o.Declare(&one, name); !one.found {
		return fmt.Errorf("method: no option %q", name)
	}
	if one.err != nil {
		return fmt.Errorf("method: option %s: %q: %w", name, value, one.err)
	}
	return nil
}

// setter sets the option that is declared in it to a value.
type setter struct {
	value string
	found bool
	err   error
}

// Func calls set with the value.
func (s *setter) Func(_, _ string, set func(string) error) { s.found, s.err = true, set(s.value) }

// Float64Var and the others read the value as the package flag does.
func (s *setter) Float64Var(p *float64, _ string, _ float64, _ string) {
	v, err := strconv.ParseFloat(s.value, 64)
	assign(s, p, v, err)
}

func (s *setter) IntVar(p *int, _ string, _ int, _ string) {
	v, err := strconv.ParseInt(s.value, 0, strconv.IntSize)
	assign(s, p, int(v), err)
}

func (s *setter) Uint64Var(p *uint64, _ string, _ uint64, _ string) {
	v, err := strconv.ParseUint(s.value, 0, 64)
	assign(s, p, v, err)
}

func (s *setter) BoolVar(p *bool, _ string, _ bool, _ string) {
	v, err := strconv.ParseBool(s.value)
	assign(s, p, v, err)
}

// assign sets *p to a value that was read.
func assign[T any](s *setter, p *T, v T, err error) {
	if s.found = true; errors.Is(err, strconv.ErrRange) {
		s.err = errors.New("value out of range")
	} else if err != nil {
		s.err = errors.New("parse error")
	} else {
		*p = v
	}
}

func (o *Options) setGamma(s string) error {
	gamma, err := strconv.ParseFloat(s, 64)
	if err == nil && !(gamma >= 0 && gamma <= 1) {
		err = errors.New("want 0 to 1")
	}
	if err == nil {
		o.Shrinkage = 1 - gamma
	}
	return err
}

func (o *Options) setPriors(s string) error {
	o.Priors, o.Uniform = nil, s == "uniform"
	if o.Uniform {
		return nil
	}
	for part := range strings.SplitSeq(s, ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return err
		}
		o.Priors = append(o.Priors, v)
	}
	return nil
}

func (o *Options) multi() hyperplane.Multi {
	if o.Multi == "ovr" {
		return hyperplane.OneVsRest
	}
	return hyperplane.OneVsOne
}
