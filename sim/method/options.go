package method

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
)

// Options are the settings of all methods under the names that the command's
// flags and cross-validation grids use. The zero value is every default, and so is nil.
// Each method takes some of them ([Method.Options], [Method.Takes]) and refuses the
// others, but for Steps and Trace, which all take. Where Lambda is 0 an L1Ratio is refused
// too, and Standardize changes nothing: a fit without a penalty is the same on any scale.
type Options struct {
	Priors      []float64 // class priors in the order of the classes; nil: estimated
	Uniform     bool      // equal priors
	Divisor     string    // covariance divisor: "" or "n-k" (unbiased), "n" (maximum likelihood)
	Alpha       float64   // rda: weight of the class covariance against the pooled one
	Shrinkage   float64   // rda: 1−γ, weight of σ̂²I against the pooled covariance
	Rank        int       // rrlda: number of discriminant coordinates; 0: all
	Lambda      float64   // weight of the penalty
	L1Ratio     float64   // share of the lasso in it; for lasso 0 is 1
	C           float64   // svc, svr: cost of slack; 0: 1
	Epsilon     float64   // svr: half height of the tube; 0 is absolute errors
	Rate        float64   // perceptron: ρ; 0: 1
	MaxEpochs   int       // perceptron: cap; 0: its default
	Pocket      bool      // perceptron: publish the best plane met
	Multi       string    // hardmargin, svc with K ≥ 3: "ovo" (or "") or "ovr"
	ClassWeight string    // "" or "balanced": wᵢ multiplied by Σw/(K·Σ of its class)
	Standardize bool      // divide columns by their standard deviation first
	NoIntercept bool
	Firth       bool    // logistic: Firth's correction, for two classes
	Probability bool    // svc: Platt's probabilities, at the price of five more fits
	Tol         float64 // tolerance of the certificate; 0: the method's default
	MaxIter     int     // iteration cap; 0: the method's default
	Workers     int     // goroutines; 0: GOMAXPROCS
	Seed        uint64  // perceptron: a shuffled order of points; 0: as they stand

	// Steps are fitted to the training rows, each to what those before it made of them, and
	// become part of the model; cross-validation fits them within each fold.
	Steps []feature.Step
	// Trace is called once an iteration, and once by a fit that has none, with its end. Its
	// error stops the fit. Cross-validation calls it from one goroutine at a time.
	Trace func(optimize.Step) error

	// Start is a model at which the fit of another begins, of the same features and classes:
	// logistic takes it. The result does not depend on it but for the last digits.
	Start *Model
}

// Defaults are the options of the command where no flag is given: the zero value
// but for the tube of a support vector regression, which has the height that
// LIBSVM and LIBLINEAR give it.
func Defaults() Options { return Options{Epsilon: 0.1} }

// option declares one of them on a flag set.
type option struct {
	name    string
	declare func(o *Options, fs *flag.FlagSet, name string)
}

var options = []option{
	{"priors", func(o *Options, fs *flag.FlagSet, n string) {
		fs.Func(n, "class priors, comma-separated in the order of the classes, or uniform (default estimated)", o.setPriors)
	}},
	{"divisor", func(o *Options, fs *flag.FlagSet, n string) {
		choice(fs, &o.Divisor, n, "divisor of covariances", "n-k", "n")
	}},
	{"alpha", func(o *Options, fs *flag.FlagSet, n string) {
		fs.Float64Var(&o.Alpha, n, o.Alpha, "weight of the class covariance against the pooled one, 0 to 1")
	}},
	{"gamma", func(o *Options, fs *flag.FlagSet, n string) {
		fs.Func(n, "weight of the pooled covariance against a multiple of the identity, 0 to 1 (default 1)", func(s string) error {
			var gamma float64
			if err := parseFloat(&gamma, s); err != nil {
				return err
			}
			if !(gamma >= 0 && gamma <= 1) {
				return fmt.Errorf("want 0 to 1")
			}
			o.Shrinkage = 1 - gamma
			return nil
		})
	}},
	{"rank", func(o *Options, fs *flag.FlagSet, n string) {
		fs.IntVar(&o.Rank, n, o.Rank, "number of discriminant coordinates (default all)")
	}},
	{"lambda", func(o *Options, fs *flag.FlagSet, n string) {
		fs.Float64Var(&o.Lambda, n, o.Lambda, "weight of the penalty")
	}},
	{"l1-ratio", func(o *Options, fs *flag.FlagSet, n string) {
		fs.Float64Var(&o.L1Ratio, n, o.L1Ratio, "share of the lasso in the penalty, 0 to 1 (for the method lasso 0 is 1)")
	}},
	{`C`, func(o *Options, fs *flag.FlagSet, n string) {
		fs.Float64Var(&o.C, n, o.C, "cost of slack (default 1)")
	}},
	{"epsilon", func(o *Options, fs *flag.FlagSet, n string) {
		fs.Float64Var(&o.Epsilon, n, o.Epsilon, "half height of the tube around the regression")
	}},
	{"rate", func(o *Options, fs *flag.FlagSet, n string) {
		fs.Float64Var(&o.Rate, n, o.Rate, "learning rate (default 1)")
	}},
	{"max-epochs", func(o *Options, fs *flag.FlagSet, n string) {
		fs.IntVar(&o.MaxEpochs, n, o.MaxEpochs, "cap on passes over the data")
	}},
	{"pocket", func(o *Options, fs *flag.FlagSet, n string) {
		fs.BoolVar(&o.Pocket, n, o.Pocket, "publish the best plane met: every plane is judged")
	}},
	{"multi", func(o *Options, fs *flag.FlagSet, n string) {
		choice(fs, &o.Multi, n, "three or more classes: one against one, or one against the rest", "ovo", "ovr")
	}},
	{"class-weight", func(o *Options, fs *flag.FlagSet, n string) {
		choice(fs, &o.ClassWeight, n, "give every class the same total weight", "balanced")
	}},
	{"standardize", func(o *Options, fs *flag.FlagSet, n string) {
		fs.BoolVar(&o.Standardize, n, o.Standardize, "divide features by their standard deviation; coefficients come back on the data's scale")
	}},
	{"no-intercept", func(o *Options, fs *flag.FlagSet, n string) {
		fs.BoolVar(&o.NoIntercept, n, o.NoIntercept, "a plane through the origin")
	}},
	{"firth", func(o *Options, fs *flag.FlagSet, n string) {
		fs.BoolVar(&o.Firth, n, o.Firth, "Firth's correction of the likelihood of two classes: finite where they are separated")
	}},
	{"probability", func(o *Options, fs *flag.FlagSet, n string) {
		fs.BoolVar(&o.Probability, n, o.Probability, "fit probabilities too (Platt's sigmoids, five more fits)")
	}},
	{"tol", func(o *Options, fs *flag.FlagSet, n string) {
		fs.Float64Var(&o.Tol, n, o.Tol, "tolerance of the certificate")
	}},
	{"max-iter", func(o *Options, fs *flag.FlagSet, n string) {
		fs.IntVar(&o.MaxIter, n, o.MaxIter, "cap on iterations")
	}},
	{"workers", func(o *Options, fs *flag.FlagSet, n string) {
		fs.IntVar(&o.Workers, n, o.Workers, "goroutines (default one a core)")
	}},
	{"seed", func(o *Options, fs *flag.FlagSet, n string) {
		fs.Uint64Var(&o.Seed, n, o.Seed, "seed of whatever is random (0: nothing is)")
	}},
}

// given reports whether the named option has another value than its default, which is
// the command's too.
func (o *Options) given(name string) bool {
	switch name {
	case "priors":
		return o.Priors != nil || o.Uniform
	case "divisor":
		return o.Divisor != ""
	case "alpha":
		return o.Alpha != 0
	case "gamma":
		return o.Shrinkage != 0
	case "rank":
		return o.Rank != 0
	case "lambda":
		return o.Lambda != 0
	case "l1-ratio":
		return o.L1Ratio != 0
	case `C`:
		return o.C != 0
	case "epsilon":
		return o.Epsilon != 0 && o.Epsilon != Defaults().Epsilon
	case "rate":
		return o.Rate != 0
	case "max-epochs":
		return o.MaxEpochs != 0
	case "pocket":
		return o.Pocket
	case "multi":
		return o.Multi != ""
	case "class-weight":
		return o.ClassWeight != ""
	case "firth":
		return o.Firth
	case "probability":
		return o.Probability
	case "standardize":
		return o.Standardize
	case "no-intercept":
		return o.NoIntercept
	case "tol":
		return o.Tol != 0
	case "max-iter":
		return o.MaxIter != 0
	case "seed":
		return o.Seed != 0
	}
	return o.Workers != 0 // "workers"
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

// Declare adds the named options to a flag set; with no names, all of them.
func (o *Options) Declare(fs *flag.FlagSet, names ...string) {
	for _, opt := range options {
		if names == nil || slices.Contains(names, opt.name) {
			opt.declare(o, fs, opt.name)
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
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	o.Declare(fs, name)
	if fs.Lookup(name) == nil {
		return fmt.Errorf("method: no option %q", name)
	}
	if err := fs.Set(name, value); err != nil {
		return fmt.Errorf("method: option %s: %q: %w", name, value, err)
	}
	return nil
}

// choice declares an option that takes one of a few words; "" is its default.
func choice(fs *flag.FlagSet, dst *string, name, usage string, words ...string) {
	fs.Func(name, usage+": "+strings.Join(words, " or "), func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("want %s", strings.Join(words, " or "))
		}
		*dst = s
		return nil
	})
}

func parseFloat(dst *float64, s string) (err error) {
	*dst, err = strconv.ParseFloat(s, 64)
	return err
}

func (o *Options) setPriors(s string) error {
	o.Priors, o.Uniform = nil, s == "uniform"
	if o.Uniform {
		return nil
	}
	for _, part := range strings.Split(s, ",") {
		var v float64
		if err := parseFloat(&v, part); err != nil {
			return err
		}
		o.Priors = append(o.Priors, v)
	}
	return nil
}

// classWeights returns the weight of each class of d: nil for ones, or where o asks for it
// that which gives all classes the same total, Σw/(K·Σ of the class).
func (o *Options) classWeights(d *dataset.Data) ([]float64, error) {
	if o.ClassWeight == "" {
		return nil, nil
	}
	l, err := sample.Code(d.Labels, codes(d.Names), d.Weights)
	if err != nil {
		return nil, err
	}
	total, w := linalg.Sum(l.Count), make([]float64, l.K())
	for k, c := range l.Count {
		w[k] = total / (float64(l.K()) * c)
	}
	return w, nil
}
