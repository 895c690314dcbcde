package experiment

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"halfspace/linalg/linalgtest"
)

// No model beats the Bayes rule, and QDA, whose family has the true one, comes
// within half a point. On n points the standard error of an error e is √(e(1−e)/n),
// and that of the difference of two at most √2 times as much; three of those are
// exceeded by a model as good as Bayes with probability 0.0013.
func TestExercise(t *testing.T) {
	const n = 100_000
	truth, err := twoGaussians(0)
	if err != nil {
		t.Fatal(err)
	}
	for seed := uint64(1); seed <= 5; seed++ {
		_, _, models, err := fitFive(truth, seed)
		if err != nil {
			t.Fatal(err)
		}
		rates, err := freshErrors(truth, models, n, seed+1000)
		if err != nil {
			t.Fatal(err)
		}
		bayes := rates[0]
		for k, m := range models[1:] {
			e := rates[k+1]
			if e < bayes-3*math.Sqrt(2*bayes*(1-bayes)/n) {
				t.Errorf("seed %d: %s has error %v, below the Bayes error %v", seed, m.name, e, bayes)
			}
			if m.name == "qda" && e > bayes+0.005 {
				t.Errorf("seed %d: qda has error %v, Bayes %v", seed, e, bayes)
			}
		}
	}
}

// A perceptron on overlapping classes goes on for ever; what stopped it is said.
func TestFitsThatDoNotConvergeAreSaid(t *testing.T) {
	truth, err := twoGaussians(0)
	if err != nil {
		t.Fatal(err)
	}
	_, _, models, err := fitFive(truth, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{}
	r.sayUnconverged(models)
	wrong := 0.0
	for _, m := range models {
		if m.name == "perceptron" {
			wrong = m.model.Report().Certificate().Value
		}
	}
	if want := fmt.Sprintf("Not converged: 1 of these fits (perceptron), with misclassified up to %.3g, tolerance 0.", wrong); len(r.Text) != 1 || r.Text[0] != want {
		t.Errorf("%q, want %q", r.Text, want)
	}
	r = &Result{}
	if r.sayUnconverged(models[:1]); r.Text != nil {
		t.Errorf("of the Bayes rule: %q", r.Text)
	}
}

// quick are the experiments that take less than a tenth of a second.
var quick = []*Experiment{fisher, reduced, irls, lasso, perceptron, scaling, cost, noise, losses, descent, separation, codings, margin, tube, multinomial, fewest, slips}

// Every experiment's pictures are well-formed XML, the page holds them all, and a second run
// gives the same bytes again. The short test leaves out those that draw 100,000 points and
// more, and only the long one runs these twice.
func TestAllExperiments(t *testing.T) {
	render := func(list []*Experiment, run func(*Experiment) (*Result, error)) ([]byte, []Entry) {
		var entries []Entry
		var b bytes.Buffer
		for _, e := range list {
			r, err := run(e)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Write(&b, true); err != nil {
				t.Fatal(err)
			}
			entries = append(entries, Entry{e, r})
		}
		if err := WritePage(&b, 1, entries); err != nil {
			t.Fatal(err)
		}
		return b.Bytes(), entries
	}
	again := func(e *Experiment) (*Result, error) { return e.Run(1) }
	twice := quick[:linalgtest.Rounds(len(quick), len(quick))]
	if linalgtest.Rounds(1, 100) == 100 { // the long test
		twice = All
	}
	first, entries := render(twice, firstRun)
	if second, _ := render(twice, again); !bytes.Equal(first, second) {
		t.Error("a second run with the same seed differs")
	}
	if !testing.Short() && len(twice) < len(All) {
		first, entries = render(All, firstRun)
	}
	if n := bytes.Count(first, []byte(` width="480" height=`)); n < len(entries) || n != bytes.Count(first, []byte("<svg ")) {
		t.Errorf("%d pictures are narrow enough for two to stand beside one another", n)
	}
	names := make(map[string]bool)
	for _, e := range entries {
		if len(e.Figures) == 0 || len(e.Text) == 0 {
			t.Errorf("%s: %d figures, %d paragraphs", e.Name, len(e.Figures), len(e.Text))
		}
		if !bytes.Contains(first, []byte(`<section id="`+e.Name+`"`)) {
			t.Errorf("%s is not on the page", e.Name)
		}
		for _, f := range e.Figures {
			if names[f.Name] {
				t.Errorf("two figures are called %s", f.Name)
			}
			names[f.Name] = true
			wellFormed(t, f)
		}
	}
}

func wellFormed(t *testing.T, f Figure) {
	t.Helper()
	var b bytes.Buffer
	if err := f.Picture.SVG(&b); err != nil {
		t.Errorf("%s: %v", f.Name, err)
		return
	}
	if s := b.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
		t.Errorf("%s has coordinates that are not finite", f.Name)
	}
	d := xml.NewDecoder(&b)
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			return
		}
	}
}

func TestNamed(t *testing.T) {
	if list, err := Named("exercise"); err != nil || len(list) != 1 || list[0] != exercise {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := Named("nosuch"); err == nil || !strings.Contains(err.Error(), "exercise") {
		t.Errorf("an unknown name: %v", err)
	}
	if list, _ := Named(); len(list) != len(All) {
		t.Errorf("%d of %d experiments", len(list), len(All))
	}
}

func Example() {
	list, err := Named("losses")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := list[0].Run(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(list[0].Title)
	r.Tables[0].Write(os.Stdout, true)
	// Output:
	// What a margin costs: the loss functions
	// Loss at the margin y·f
	//   loss                   −3     −1       0     0.5       1       2        4
	//   0-1                 1.000  1.000   1.000       0       0       0        0
	//   perceptron          3.000  1.000       0       0       0       0        0
	//   hinge               4.000  2.000   1.000  0.5000       0       0        0
	//   squared, (1 − yf)²  16.00  4.000   1.000  0.2500       0   1.000    9.000
	//   logistic            3.049  1.313  0.6931  0.4741  0.3133  0.1269  0.01815
}
