package flags_test

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"halfspace/sim/dataset"
	"halfspace/sim/dataset/flags"
)

func parse(line string) (*dataset.Options, error) {
	o, fs := new(dataset.Options), flag.NewFlagSet("", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	flags.File(fs, o)
	flags.Columns(fs, o)
	flags.Missing(fs, o, true)
	return o, fs.Parse(strings.Fields(line))
}

func TestFlagsStandAnywhere(t *testing.T) {
	for line, want := range map[string]struct {
		label string
		rest  []string
	}{
		"":                    {},
		"a -label y b":        {"y", []string{"a", "b"}},
		"- -label y":          {"y", []string{"-"}},
		"a -label y -- -b --": {"y", []string{"a", "-b", "--"}},
		"a -- -label y":       {"", []string{"a", "-label", "y"}},
	} {
		o, fs := new(dataset.Options), flag.NewFlagSet("", flag.ContinueOnError)
		flags.File(fs, o)
		if rest, err := flags.Parse(fs, strings.Fields(line)); err != nil || o.Label != want.label || !slices.Equal(rest, want.rest) {
			t.Errorf("%q: label %q, rest %q, %v", line, o.Label, rest, err)
		}
	}
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	if rest, err := flags.Parse(fs, []string{"a", "-none"}); err == nil {
		t.Errorf("%q", rest)
	}
}

func TestFlagsSetOptions(t *testing.T) {
	for line, want := range map[string]dataset.Options{
		"": {},
		"-sep ; -dec , -no-header -label y -format csv": {Sep: ';', Dec: ',', NoHeader: true, Label: "y", Format: "csv"},
		"-sep tab":                    {Sep: '\t'},
		"-sep \\t -zero-based":        {Sep: '\t', ZeroBased: true},
		"-drop a,b -drop c -keep d":   {Drop: []string{"a", "b", "c"}, Keep: []string{"d"}},
		"-categorical zip -na impute": {Categorical: []string{"zip"}, Missing: dataset.Keep},
		"-na drop":                    {Missing: dataset.LeaveOut},
	} {
		if o, err := parse(line); err != nil || !reflect.DeepEqual(*o, want) {
			t.Errorf("%q: %+v, %v", line, o, err)
		}
	}
	for _, line := range []string{"-sep ab", "-na guess", "-format xml", "-dec ,,"} {
		if o, err := parse(line); err == nil {
			t.Errorf("%q: %+v", line, o)
		}
	}
}

func TestFlagsThatAreGiven(t *testing.T) {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Float64("b", 0, "")
	fs.Bool("a", false, "")
	word := flags.Choice(fs, "word", "x", []string{"x", "y"}, "of two")
	if *word != "x" {
		t.Error(*word)
	}
	if err := fs.Parse(strings.Fields("-b 0 -a=false -word y")); err != nil || *word != "y" {
		t.Errorf("%s, %v", *word, err)
	}
	if all, one, none := flags.All(fs), flags.Given(fs, "c", "b", "word"), flags.Given(fs, "c"); !slices.Equal(all, []string{"a", "b", "word"}) || one != "b" || none != "" {
		t.Error(all, one, none)
	}
	if err := fs.Parse([]string{"-word", "z"}); err == nil || !strings.Contains(err.Error(), "x, y") {
		t.Error(err)
	}
}

// A file that is read is found by whatever name it is to be written: by the flags that are named alone.
func TestFilesThatWouldBeReplaced(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, name := range []string{a, b} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other, none := dir+"/./a", filepath.Join(dir, "none")
	for _, c := range []struct {
		out, start string
		args       []string
		want       string
	}{
		{a, "", []string{none, b, other}, other},
		{a, "", []string{none, b, "-"}, ""},
		{none, "", []string{none, a}, ""},
		{"", a, []string{a}, ""},
		{a, a, []string{b}, ""},
		{dir, "", []string{dir}, ""},
	} {
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		fs.String("o", "", "")
		fs.String("start", "", "")
		if err := fs.Parse([]string{"-o", c.out, "-start", c.start}); err != nil {
			t.Fatal(err)
		}
		if got := flags.Replaces(fs, c.args, "o", "fix"); got != c.want {
			t.Errorf("-o %q -start %q %q: %q would be replaced, want %q", c.out, c.start, c.args, got, c.want)
		}
	}
	for _, c := range []struct{ out, fix, want string }{{none, dir + "/./none", none}, {a, a, a}, {a, none, ""}, {"-", "-", "-"}, {dir, dir, ""}} {
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		fs.String("o", "", "")
		fs.String("fix", "", "")
		if err := fs.Parse([]string{"-o", c.out, "-fix", c.fix}); err != nil {
			t.Fatal(err)
		}
		if got := flags.Replaces(fs, []string{b}, "o", "fix"); got != c.want {
			t.Errorf("-o %q -fix %q: %q would be replaced, want %q", c.out, c.fix, got, c.want)
		}
	}
}
