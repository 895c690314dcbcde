// Package flags declares the options of package dataset as flags of a command line, reads
// flags wherever they stand on one, and says which ones do.
package flags

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"halfspace/sim/dataset"
)

// File declares how a file is read.
func File(fs *flag.FlagSet, o *dataset.Options) {
	fs.Func("format", "csv, libsvm or numpy (default by the file's name)", func(s string) error {
		if o.Format = s; s != "csv" && s != "libsvm" && s != "numpy" {
			return errors.New("want csv or libsvm, or numpy")
		}
		return nil
	})
	fs.BoolVar(&o.NoHeader, "no-header", false, "CSV without a header: columns x1, x2, …, the label last")
	fs.StringVar(&o.Label, "label", "", "name of the label `column` (default the last)")
	mark(fs, &o.Sep, "sep", "separator of CSV cells, `tab` is one (default the first of , ; tab space in the first line)")
	mark(fs, &o.Dec, "dec", "decimal `mark`, . or , (default a point; between semicolons either)")
	fs.BoolVar(&o.Stream, "stream", false, "leave the rows in the file and read it again in each pass, for files larger than memory")
	fs.BoolVar(&o.ZeroBased, "zero-based", false, "LIBSVM indices begin with 0")
}

// mark declares a flag of one character.
func mark(fs *flag.FlagSet, dst *byte, name, usage string) {
	fs.Func(name, usage, func(s string) error {
		if s == "tab" || s == `\t` {
			s = "\t"
		}
		if len(s) != 1 {
			return errors.New("want one character")
		}
		*dst = s[0]
		return nil
	})
}

// Columns declares which columns of a first table are read, and how.
func Columns(fs *flag.FlagSet, o *dataset.Options) {
	list := func(dst *[]string, name, usage string) {
		fs.Func(name, usage, func(s string) error {
			*dst = append(*dst, strings.Split(s, ",")...)
			return nil
		})
	}
	list(&o.Drop, "drop", "`columns` that are no features, comma-separated")
	list(&o.Keep, "keep", "the `columns` that are features (default all)")
	list(&o.Categorical, "categorical", "`columns` whose cells are levels, also where they are numbers")
}

// Weights declares the column of weights.
func Weights(fs *flag.FlagSet, o *dataset.Options) {
	fs.StringVar(&o.Weights, "weights", "", "name of a `column` of frequency weights")
}

// WeightsOf takes the column of weights of a schema, if there is one, unless the command line names another or "".
func WeightsOf(fs *flag.FlagSet, o *dataset.Options, s *dataset.Schema) {
	if s != nil && Given(fs, "weights") == "" {
		o.Weights = s.Weights
	}
}

// Offset declares the column of offsets.
func Offset(fs *flag.FlagSet, o *dataset.Options) {
	fs.StringVar(&o.Offset, "offset", "", "name of a `column` that is added to the log-odds, or to the value of ols, ridge and lasso")
}

// Text declares the column of documents and how its words are counted.
func Text(fs *flag.FlagSet, o *dataset.Options) {
	fs.StringVar(&o.Text, "text", "", "name of a `column` of documents, whose words are features")
	t := &o.TextSettings
	fs.IntVar(&t.NGrams, "text-ngrams", 0, "features are up to so many words in a row (default 1)")
	fs.IntVar(&t.MinDocs, "text-min-docs", 0, "least `number` of documents that have a word (default 1)")
	fs.IntVar(&t.HashBits, "text-hash", 0, "2^`bits` columns by a hash of the words, without a vocabulary")
	fs.BoolVar(&t.Counts, "text-counts", false, "counts of words, not tf-idf")
	fs.BoolVar(&t.Sublinear, "text-sublinear", false, "1 + log of counts")
}

// Missing declares the rule of missing cells, which are empty, NA or NaN. Where they can
// be imputed, that is [dataset.Keep] and leaves them to a step of the model.
func Missing(fs *flag.FlagSet, o *dataset.Options, impute bool) {
	rules := map[string]dataset.Rule{"refuse": dataset.Refuse, "drop": dataset.LeaveOut}
	if impute {
		rules["impute"] = dataset.Keep
	}
	words := strings.Join(slices.Sorted(maps.Keys(rules)), " or ")
	fs.Func("na", "`rule` of missing cells (empty, NA, NaN): "+words+" (default an error)", func(s string) (err error) {
		rule, ok := rules[s]
		if o.Missing = rule; !ok {
			err = fmt.Errorf("want %s", words)
		}
		return err
	})
}

// Choice declares a flag that is one of some words.
func Choice(fs *flag.FlagSet, name, value string, words []string, usage string) *string {
	list := strings.Join(words, ", ")
	fs.Func(name, usage+": "+list, func(s string) error {
		if value = s; !slices.Contains(words, s) {
			return errors.New("want one of " + list)
		}
		return nil
	})
	return &value
}

// All returns the names of the flags that the command line has.
func All(fs *flag.FlagSet) (names []string) {
	fs.Visit(func(g *flag.Flag) { names = append(names, g.Name) })
	return names
}

// Given returns the first of the named flags that the command line has, or "".
func Given(fs *flag.FlagSet, names ...string) string {
	for _, name := range All(fs) {
		if slices.Contains(names, name) {
			return name
		}
	}
	return ""
}

// Replaces returns the argument that is the file which one of the named flags says to write, or the file that
// two of them do, or "".
func Replaces(fs *flag.FlagSet, args []string, names ...string) string {
	written := make(map[string]bool)
	for _, name := range All(fs) {
		path := filepath.Clean(fs.Lookup(name).Value.String())
		out, err := os.Stat(path)
		if err == nil && !out.Mode().IsRegular() || !slices.Contains(names, name) {
			continue
		}
		if written[path] {
			return path
		}
		written[path] = true
		for _, arg := range args {
			if in, err := os.Stat(arg); err == nil && os.SameFile(in, out) {
				return arg
			}
		}
	}
	return ""
}

// Distinct refuses arguments of which two are one file.
func Distinct(args []string) error {
	files := make([]os.FileInfo, len(args)) // nil, which is the same as no other, for what is no file
	for k, arg := range args {
		files[k], _ = os.Stat(arg)
		if slices.ContainsFunc(files[:k], func(other os.FileInfo) bool { return os.SameFile(other, files[k]) }) {
			return fmt.Errorf("%s is given twice", arg)
		}
	}
	return nil
}

// ToStandard reports whether one of the named flags says to write to standard output, "-".
func ToStandard(fs *flag.FlagSet, names ...string) bool {
	return slices.ContainsFunc(All(fs), func(name string) bool { return slices.Contains(names, name) && fs.Lookup(name).Value.String() == "-" })
}

// Parse reads flags wherever they stand among the arguments, up to "--".
func Parse(fs *flag.FlagSet, args []string) (rest []string, err error) {
	for len(args) > 0 {
		if args[0] == "--" {
			return append(rest, args[1:]...), nil
		}
		if !strings.HasPrefix(args[0], "-") || args[0] == "-" {
			rest, args = append(rest, args[0]), args[1:]
			continue
		}
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		// Parse stops at the first argument that is no flag, or behind a "--".
		if used := len(args) - fs.NArg(); args[used-1] == "--" {
			return append(rest, fs.Args()...), nil
		}
		args = fs.Args()
	}
	return rest, nil
}

// OfRows returns the names of the flags that say how rows are read.
func OfRows() (names []string) {
	fs, o := flag.NewFlagSet("", flag.ContinueOnError), new(dataset.Options)
	File(fs, o)
	Columns(fs, o)
	Missing(fs, o, true)
	Weights(fs, o)
	Offset(fs, o)
	Text(fs, o)
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

// Version says which build of a command this is.
func Version(command string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return command + " " + info.Main.Version + " " + info.GoVersion
	}
	return command
}
