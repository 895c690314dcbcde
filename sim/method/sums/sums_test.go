package sums_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/sums"
)

// tables are the parts of a table with a categorical column: the first lacks a level and a
// class, and the reference level of the whole is not in the second.
func tables(t *testing.T) (parts []string, whole string) {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 18))
	dir := t.TempDir()
	const head = "x,color,z,class\n"
	all := head
	for k, colors := range [][]string{{"amber", "blue"}, {"blue", "green"}, {"amber", "blue", "green"}} {
		text := ""
		for range 120 {
			c := r.IntN(len(colors))
			x, z := r.NormFloat64(), 1e5+r.NormFloat64()
			class := []string{"no", "yes", "perhaps"}[min(2, r.IntN(2+min(k, 1)))]
			if x+float64(c) > 1.5 {
				class = "yes"
			}
			text += fmt.Sprintf("%v,%s,%v,%s\n", x, colors[c], z, class)
		}
		path := filepath.Join(dir, fmt.Sprintf("part%d.csv", k))
		if err := os.WriteFile(path, []byte(head+text), 0o600); err != nil {
			t.Fatal(err)
		}
		parts, all = append(parts, path), all+text
	}
	whole = filepath.Join(dir, "whole.csv")
	if err := os.WriteFile(whole, []byte(all), 0o600); err != nil {
		t.Fatal(err)
	}
	return parts, whole
}

// saved sends a part through its file.
func saved(t *testing.T, p *sums.Part, err error) *sums.Part {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Save(&b); err != nil {
		t.Fatal(err)
	}
	read, err := sums.LoadPart(&b)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func survey(t *testing.T, path string) *sums.Part {
	t.Helper()
	d, err := dataset.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := sums.Survey(d, filepath.Base(path), 1)
	return saved(t, p, err)
}

func answer(t *testing.T, s *sums.State, path string, stream bool) *sums.Part {
	t.Helper()
	d, err := s.Schema.Load(path, &dataset.Options{Stream: stream})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Answer(d, filepath.Base(path), 1)
	return saved(t, p, err)
}

// again returns the state that an error asks for, through its file.
func again(t *testing.T, err error) *sums.State {
	t.Helper()
	var a *sums.AgainError
	if !errors.As(err, &a) {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := a.State.Save(&b); err != nil {
		t.Fatal(err)
	}
	s, err := sums.LoadState(&b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPartsFitTheWholeTable(t *testing.T) {
	paths, whole := tables(t)
	d, err := dataset.Load(whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*method.Options{{}, {Lambda: 2, Standardize: true}, {ClassWeight: "balanced"}, {Lambda: 1, NoIntercept: true}} {
		want, err := m.Fit(d, o)
		if err != nil {
			t.Fatal(err)
		}
		var parts []*sums.Part
		for _, path := range paths {
			parts = append(parts, survey(t, path))
		}
		var s *sums.State
		var got *method.Model
		for err = nil; got == nil; {
			if got, err = sums.Reduce(parts, o, func() (*sums.State, error) { return s, nil }); got != nil {
				break
			}
			s = again(t, err)
			for k, path := range paths {
				parts[len(paths)-1-k] = answer(t, s, path, k == 1)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if g, w := fmt.Sprint(got.Schema.Names, got.FeatureNames()), fmt.Sprint(want.Schema.Names, want.FeatureNames()); g != w {
			t.Errorf("columns %s, want %s", g, w)
		}
		linalgtest.Close(t, "objective", got.Report().Objective(), want.Report().Objective(), 1e-12)
		if c := got.Report().Certificate(); !c.Holds() {
			t.Errorf("certificate %v", c)
		}
		b, _, _ := got.Coef()
		wb, _, _ := want.Coef()
		linalgtest.CloseSlice(t, "coefficients", b.Data, wb.Data, 1e-8)
		// The model is meant for the objective that the parts were merged for, by which an audit of the whole judges it.
		if g, w := got.Objective(), want.Objective(); !reflect.DeepEqual(g, w) {
			t.Errorf("meant for %+v, want %+v", g, w)
		}
		if a, err := got.Audit(d, nil); err != nil || !(a.Report.Certificate().Value < 1e-11) {
			t.Errorf("%+v: %v, %v", o, a, err)
		}
	}
}

// Parts that are not those of the round are refused by name, row count and checksum.
func TestPartsAreRefusedByName(t *testing.T) {
	paths, whole := tables(t)
	var parts []*sums.Part
	for _, path := range paths {
		parts = append(parts, survey(t, path))
	}
	o := &method.Options{Lambda: 1}
	none := func() (*sums.State, error) { return nil, errors.New("no state") }
	said := func(what string, err error, words ...string) {
		t.Helper()
		for _, w := range words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v does not say %q", what, err, w)
				return
			}
		}
	}
	_, err := sums.Reduce(append(parts, parts[1]), o, none)
	said("a part twice, first round", err, "part1.csv", "120 rows", parts[1].Checksum, "twice")
	_, err = sums.Reduce(nil, o, none)
	said("no parts", err, "no parts")
	for _, bad := range []*method.Options{{Lambda: 1, L1Ratio: 0.5}, {Firth: true}, {Start: new(method.Model)}} {
		_, err = sums.Reduce(parts, bad, none)
		said("options", err, "sums")
	}
	_, err = sums.Reduce(parts, o, none)
	s := again(t, err)
	state := func() (*sums.State, error) { return s, nil }
	answers := []*sums.Part{answer(t, s, paths[0], false), answer(t, s, paths[1], false), answer(t, s, paths[2], false)}
	_, err = sums.Reduce(answers[:2], o, state)
	said("a part missing", err, "part2.csv", "120 rows", parts[2].Checksum, "missing")
	_, err = sums.Reduce(append(answers[:3:3], answers[0]), o, state)
	said("a part twice", err, "part0.csv", "twice")
	_, err = sums.Reduce([]*sums.Part{answers[0], parts[1], answers[2]}, o, state)
	said("a part of the first round", err, "part1.csv", "stale")
	_, err = sums.Reduce([]*sums.Part{answers[0], {Source: answers[1].Source, State: answers[1].State}, answers[2]}, o, state)
	said("a part without an answer", err, "part1.csv", "without sums")
	_, err = sums.Reduce([]*sums.Part{parts[0], answers[1], parts[2]}, o, state)
	said("an answer in the first round", err, "part1.csv", "answers a state")
	_, err = sums.Reduce(answers, &method.Options{Lambda: 2}, state)
	said("other options", err, "begun with")
	_, err = sums.Reduce(answers, o, state)
	s2 := again(t, err)
	_, err = sums.Reduce([]*sums.Part{answer(t, s2, paths[0], false), answers[1], answer(t, s2, paths[2], false)}, o, func() (*sums.State, error) { return s2, nil })
	said("a stale part", err, "part1.csv", "stale", "round 2")
	d, err := s.Schema.Load(whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Answer(d, "whole.csv", 0)
	said("other data", err, "whole.csv", "360 rows")
	text, err := os.ReadFile(paths[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(paths[1], text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1], 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err = s.Schema.Load(paths[1], nil); err != nil {
		t.Fatal(err)
	}
	_, err = s.Answer(d, "part1.csv", 0)
	said("truncated data", err, "part1.csv", "119 rows")
	other := filepath.Join(t.TempDir(), "other.csv")
	if err := os.WriteFile(other, []byte("x,color,zz,class\n1,blue,2,no\n2,green,3,yes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = sums.Reduce([]*sums.Part{parts[0], survey(t, other)}, o, none)
	said("other columns", err, "other.csv", `"zz"`)
}

// A fit that is saved stands for its rows beside later ones, which its schema reads.
func TestPriorsAreFiles(t *testing.T) {
	paths, whole := tables(t)
	load := func(s *dataset.Schema, path string) *dataset.Data {
		t.Helper()
		d, err := s.Load(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	all, o := load(nil, whole), &method.Options{Lambda: 2, ClassWeight: "balanced"}
	want, err := m.Fit(all, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := sums.Keep(want, all, o, nil)(&b); err != nil {
		t.Fatal(err)
	}
	prior, err := sums.LoadPrior(&b)
	if err != nil {
		t.Fatal(err)
	}
	if note := prior.Note(); !strings.Contains(note, "360 earlier rows") || !strings.Contains(note, "approximation") {
		t.Error(note)
	}
	later := load(prior.Columns(), paths[0]) // without green, and without a class
	got, err := sums.Fit(m, later, &method.Options{}, prior)
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Report().Certificate(); !c.Holds() || fmt.Sprint(got.Schema.Names, got.FeatureNames()) != fmt.Sprint(want.Schema.Names, want.FeatureNames()) {
		t.Errorf("%v, classes %v, features %v", c, got.Schema.Names, got.FeatureNames())
	}
	b1, _, _ := got.Coef()
	b0, _, _ := want.Coef()
	for j, v := range b0.Data {
		if d := b1.Data[j] - v; d == 0 || d > 0.5 || d < -0.5 {
			t.Errorf("coefficient %d: %v, of the earlier rows %v", j, b1.Data[j], v)
		}
	}
	if _, err := sums.Fit(m, load(nil, paths[0]), &method.Options{}, prior); err == nil || !strings.Contains(err.Error(), "schema") {
		t.Errorf("rows of other columns: %v", err)
	}
	if _, err := sums.Fit(m, later, o, prior); err == nil {
		t.Error("a ridge beside a prior")
	}
	lda, err := method.Named("lda")
	if err != nil {
		t.Fatal(err)
	}
	other, err := lda.Fit(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sums.Approximate(other, all, o, nil); err == nil || !strings.Contains(err.Error(), "lda") {
		t.Errorf("a prior of another method: %v", err)
	}
}

// Where a fit began does not matter to the Gaussian that stands for its rows.
func TestPriorsOfFitsFromAStart(t *testing.T) {
	_, whole := tables(t)
	d, err := dataset.Load(whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	fit, err := m.Fit(d, &method.Options{Lambda: 2})
	if err != nil {
		t.Fatal(err)
	}
	o := &method.Options{Lambda: 2, Start: fit}
	prior, err := sums.Approximate(fit, d, o, nil)
	if err != nil || prior.Gaussian.Rows != d.Len() || o.Start != fit {
		t.Errorf("%v, %v, start %v", prior, err, o.Start)
	}
}

// An offset is a column of every part, or of none.
func TestPartsHaveOffsets(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(2, 18))
	text := ""
	for range 200 {
		x, o := r.NormFloat64(), r.NormFloat64()
		y := "no"
		if x+2*o+r.NormFloat64() > 0 {
			y = "yes"
		}
		text += fmt.Sprintf("%v,%v,%s\n", x, o, y)
	}
	path := filepath.Join(dir, "t.csv")
	if err := os.WriteFile(path, []byte("x,o,class\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Load(path, &dataset.Options{Offset: "o"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Fit(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := sums.Survey(d, "t.csv", 1)
	parts := []*sums.Part{saved(t, first, err)}
	if _, err := sums.Reduce(parts, nil, nil); err == nil || err.Error() != "round 1 after 0 iterations: evaluate 1 part at the state and come again" {
		t.Error(err)
	}
	var s *sums.State
	var got *method.Model
	for got == nil {
		if got, err = sums.Reduce(parts, &method.Options{}, func() (*sums.State, error) { return s, nil }); got == nil {
			s = again(t, err)
			parts[0] = answer(t, s, path, false)
		}
	}
	linalgtest.Close(t, "objective", got.Report().Objective(), want.Report().Objective(), 1e-12)
	none, err := dataset.Load(path, &dataset.Options{Drop: []string{"o"}})
	if err != nil {
		t.Fatal(err)
	}
	none.Checksum = "other"
	second, err := sums.Survey(none, "u.csv", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sums.Reduce([]*sums.Part{saved(t, first, nil), second}, &method.Options{}, nil); err == nil || !strings.Contains(err.Error(), "u.csv") || !strings.Contains(err.Error(), "offset") {
		t.Errorf("a part without the offset: %v", err)
	}
}

// files are saved parts of both rounds and states.
func files(t testing.TB) [][]byte {
	d := dataset.Iris()
	d.Checksum = "1-2"
	p, err := sums.Survey(d, "iris.csv", 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = sums.Reduce([]*sums.Part{p}, &method.Options{Lambda: 1}, nil)
	var a *sums.AgainError
	if !errors.As(err, &a) {
		t.Fatal(err)
	}
	q, err := a.State.Answer(d, "iris.csv", 1)
	if err != nil {
		t.Fatal(err)
	}
	logistic, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	m, err := logistic.Fit(d, &method.Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for _, save := range []func(io.Writer) error{p.Save, q.Save, a.State.Save, sums.Keep(m, d, &method.Options{Lambda: 1}, nil)} {
		var b bytes.Buffer
		if err := save(&b); err != nil {
			t.Fatal(err)
		}
		all = append(all, b.Bytes())
	}
	return all
}

// A part's file has some 5.4 bytes for each element of the Hessian, whatever the rows are: the
// table of the README, which -v prints.
func TestBytesOfParts(t *testing.T) {
	for _, c := range []struct{ classes, p int }{{2, 30}, {2, 100}, {2, 1000}, {10, 30}, {10, 100}} {
		if testing.Short() && c.p*c.classes > 500 {
			continue
		}
		d := &dataset.Data{X: linalgtest.Normal(1, 3*c.classes, c.p), Schema: &dataset.Schema{}, Checksum: "1-2"}
		for j := range c.p {
			d.Schema.Columns = append(d.Schema.Columns, dataset.Column{Name: fmt.Sprint("x", j+1)})
		}
		for k := range c.classes {
			d.Schema.Names = append(d.Schema.Names, fmt.Sprint(k))
			d.Labels = append(d.Labels, k, k, k)
		}
		d.Names = d.Schema.Names
		first, err := sums.Survey(d, "part", 1)
		if err != nil {
			t.Fatal(err)
		}
		_, err = sums.Reduce([]*sums.Part{first}, &method.Options{Lambda: 1}, nil)
		s := again(t, err)
		later, err := s.Answer(d, "part", 1)
		if err != nil {
			t.Fatal(err)
		}
		var bytes [3]int
		for k, save := range []func(io.Writer) error{first.Save, later.Save, s.Save} {
			var n written
			if err := save(&n); err != nil {
				t.Fatal(err)
			}
			bytes[k] = int(n)
		}
		q := (c.classes - 1) * (c.p + 1)
		t.Logf("%d classes, %d features: first round %d bytes, a later round %d, the state %d", c.classes, c.p, bytes[0], bytes[1], bytes[2])
		if most := 5.4*float64(q*q) + 40*float64(q) + 1000; float64(bytes[1]) > most {
			t.Errorf("%d bytes for %d parameters, want at most %.0f", bytes[1], q, most)
		}
		if most := 150*c.p + 2000; bytes[0] > most || bytes[2] > most+20*q {
			t.Errorf("%d and %d bytes of the first round and the state", bytes[0], bytes[2])
		}
	}
}

// written counts bytes.
type written int

func (w *written) Write(p []byte) (int, error) {
	*w += written(len(p))
	return len(p), nil
}

// loads reads a file as a part, as a state and as a prior, and lets a round be made of what it is.
func loads(file []byte) error {
	part, err := sums.LoadPart(bytes.NewReader(file))
	if err == nil {
		sums.Reduce([]*sums.Part{part}, &method.Options{Lambda: 1}, func() (*sums.State, error) { return nil, errors.New("none") })
		return nil
	}
	s, other := sums.LoadState(bytes.NewReader(file))
	if other == nil {
		d := dataset.Iris()
		s.Parts = []sums.Source{{Name: "iris.csv", Rows: d.Len()}}
		s.Answer(d, "iris.csv", 1)
		return nil
	}
	prior, third := sums.LoadPrior(bytes.NewReader(file))
	if third == nil {
		sums.Fit(nil, dataset.Iris(), &method.Options{MaxIter: 3}, prior)
		return nil
	}
	return errors.Join(err, other, third)
}

func TestDamagedFilesAreErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for k, file := range files(t) {
		if err := loads(file); err != nil {
			t.Fatal(k, err)
		}
		for range 200 {
			bad := bytes.Clone(file)
			bad[r.IntN(len(bad)-1)] ^= byte(1 + r.IntN(255))
			if err := loads(bad); err == nil {
				t.Errorf("file %d: a changed byte was not noticed", k)
			}
			var damage *record.DamageError
			if err := loads(file[:r.IntN(len(file)-2)]); !errors.As(err, &damage) {
				t.Errorf("file %d: cut off: %v", k, err)
			}
		}
	}
	if err := loads([]byte(`{"kind":"halfspace","version":1}`)); err == nil {
		t.Error("a model is no part")
	}
}

// A part is refused if anything of it is missing or of other rows than the rest.
func TestPartsOfUnfitNumbersAreErrors(t *testing.T) {
	paths, _ := tables(t)
	first := survey(t, paths[0])
	_, err := sums.Reduce([]*sums.Part{first, survey(t, paths[1])}, &method.Options{Lambda: 1}, nil)
	s := again(t, err)
	second := answer(t, s, paths[0], false)
	counts := *first.Counts
	counts.Rows++
	for what, change := range map[string]func(one, two *sums.Part){
		"no name":               func(one, two *sums.Part) { one.Name, two.Name = "", "" },
		"no rows":               func(one, two *sums.Part) { one.Rows, two.Rows = 0, 0 },
		"a checksum of lines":   func(one, two *sums.Part) { one.Checksum, two.Checksum = "1\n2", "1\n2" },
		"columns in an answer":  func(one, two *sums.Part) { one.State, two.Schema = "s", first.Schema },
		"counts in an answer":   func(one, two *sums.Part) { one.Answer, two.Counts = second.Answer, first.Counts },
		"other rows":            func(one, two *sums.Part) { one.Rows++; two.Rows++ },
		"counts of other rows":  func(one, two *sums.Part) { one.Counts = &counts; two.Rows-- },
		"no columns, no answer": func(one, two *sums.Part) { one.Schema, two.Answer = nil, nil },
		"no counts, no state":   func(one, two *sums.Part) { one.Counts, two.State = nil, "" },
		"other columns":         func(one, two *sums.Part) { one.Schema, two.State = s.Schema, "" },
	} {
		one, two := *first, *second
		change(&one, &two)
		for _, p := range []*sums.Part{&one, &two} {
			var b bytes.Buffer
			if err := p.Save(&b); err != nil {
				continue
			}
			var damage *record.DamageError
			if _, err := sums.LoadPart(&b); !errors.As(err, &damage) {
				t.Errorf("%s: %v, state %q", what, err, p.State)
			}
		}
	}
}

// Files with right checksums and any numbers load or are errors, and never panic.
func FuzzFiles(f *testing.F) {
	for _, file := range files(f) {
		var e struct {
			Kind string
			Body json.RawMessage
		}
		if err := json.Unmarshal(file, &e); err != nil {
			f.Fatal(err)
		}
		f.Add(e.Kind, []byte(e.Body))
	}
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		if file, err := record.Marshal(kind, 1, json.RawMessage(body)); err == nil {
			loads(file)
		}
	})
}

// States and priors whose columns or classes are other than their numbers are damaged.
func TestStatesAndPriorsFitTogether(t *testing.T) {
	paths, whole := tables(t)
	_, err := sums.Reduce([]*sums.Part{survey(t, paths[0]), survey(t, paths[1])}, &method.Options{Lambda: 1}, nil)
	state := again(t, err)
	d, err := dataset.Load(whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	o := &method.Options{Lambda: 2}
	fit, err := m.Fit(d, o)
	if err != nil {
		t.Fatal(err)
	}
	prior, err := sums.Approximate(fit, d, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(s *dataset.Schema) *dataset.Schema{
		"no columns": func(*dataset.Schema) *dataset.Schema { return nil },
		"a column less": func(s *dataset.Schema) *dataset.Schema {
			s.Columns = s.Columns[1:]
			return s
		},
		"a class less": func(s *dataset.Schema) *dataset.Schema {
			s.Names = s.Names[1:]
			return s
		},
	} {
		var damage *record.DamageError
		var b bytes.Buffer
		columns, s := *state.Schema, *state
		if s.Schema = change(&columns); s.Save(&b) == nil {
			if _, err := sums.LoadState(&b); !errors.As(err, &damage) {
				t.Errorf("a state with %s: %v", what, err)
			}
		}
		p := *prior
		columns = *prior.Schema
		b.Reset()
		if p.Schema = change(&columns); p.Save(&b) == nil {
			if _, err := sums.LoadPrior(&b); !errors.As(err, &damage) {
				t.Errorf("a prior with %s: %v", what, err)
			}
		}
	}
	var damage *record.DamageError
	var b bytes.Buffer
	s := *state
	if s.Parts = nil; s.Save(&b) == nil {
		if _, err := sums.LoadState(&b); !errors.As(err, &damage) {
			t.Errorf("a state without parts: %v", err)
		}
	}
	later, err := prior.Columns().Load(paths[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	renamed := *later
	renamed.Names = []string{"no", "perhaps", "yes!"}
	if _, err := sums.Fit(m, &renamed, &method.Options{}, prior); err == nil || !strings.Contains(err.Error(), "schema") {
		t.Errorf("rows of other classes: %v", err)
	}
}

// Nil options are the defaults, and data that are none or have no schema an error.
func TestNothingGiven(t *testing.T) {
	_, whole := tables(t)
	d, err := dataset.Load(whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	part, err := sums.Survey(d, "whole", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sums.Reduce([]*sums.Part{part}, nil, nil); !errors.As(err, new(*sums.AgainError)) {
		t.Error(err)
	}
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	fit, err := m.Fit(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	prior, err := sums.Approximate(fit, d, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sums.Fit(m, d, nil, prior); err != nil {
		t.Error(err)
	}
	for _, none := range []*dataset.Data{nil, {X: d.X, Labels: d.Labels, Names: d.Names}} {
		if _, err := sums.Survey(none, "none", 1); err == nil {
			t.Error("a part of no data, or of no schema")
		}
		if _, err := sums.Fit(m, none, nil, prior); err == nil {
			t.Error("a fit of no data, or of no schema")
		}
	}
}

// A reference level that is not the first in byte order was chosen, and is that of the whole table.
func TestPartsKeepAChosenReference(t *testing.T) {
	paths, whole := tables(t)
	load := func(path, reference string) *dataset.Data {
		t.Helper()
		o := &dataset.Options{}
		if reference != "" {
			o.Reference = map[string]string{"color": reference}
		}
		d, err := dataset.Load(path, o)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	read := func(references ...string) (parts []*sums.Part) {
		t.Helper()
		for i, reference := range references {
			p, err := sums.Survey(load(paths[i], reference), filepath.Base(paths[i]), 1)
			parts = append(parts, saved(t, p, err))
		}
		return parts
	}
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	o := &method.Options{Lambda: 1}
	want, err := m.Fit(load(whole, "blue"), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, references := range [][]string{{"blue", "blue", "blue"}, {"", "", "blue"}} {
		_, err := sums.Reduce(read(references...), o, nil)
		var got *method.Model
		for got == nil {
			s := again(t, err)
			answers := make([]*sums.Part, len(paths))
			for i, path := range paths {
				answers[i] = answer(t, s, path, false)
			}
			if got, err = sums.Reduce(answers, o, func() (*sums.State, error) { return s, nil }); err != nil && got != nil {
				t.Fatal(err)
			}
		}
		if fmt.Sprint(got.FeatureNames()) != fmt.Sprint(want.FeatureNames()) {
			t.Errorf("%q: features %q, of the whole %q", references, got.FeatureNames(), want.FeatureNames())
		}
		linalgtest.Close(t, "objective", got.Report().Objective(), want.Report().Objective(), 1e-12)
	}
	if _, err := sums.Reduce(read("blue", "green"), o, nil); err == nil || !strings.Contains(err.Error(), "part1.csv") || !strings.Contains(err.Error(), `"green"`) {
		t.Errorf("two references: %v", err)
	}
}

// Merging changes no part: the same parts have the same next state as often as they are merged.
func TestMergingChangesNoPart(t *testing.T) {
	paths, _ := tables(t)
	paths = paths[1:]
	bytesOf := func(save func(io.Writer) error) string {
		t.Helper()
		var b bytes.Buffer
		if err := save(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	parts := []*sums.Part{survey(t, paths[0]), survey(t, paths[1])}
	_, err := sums.Reduce(parts, &method.Options{}, nil)
	s := again(t, err)
	for s != nil {
		for i, path := range paths {
			parts[i] = answer(t, s, path, false)
		}
		before := bytesOf(parts[0].Save)
		next, m, err := s.Next(parts)
		if err != nil {
			t.Fatal(err)
		}
		second, n, err := s.Next(parts)
		if err != nil || (m == nil) != (n == nil) || next != nil && bytesOf(next.Save) != bytesOf(second.Save) || bytesOf(parts[0].Save) != before {
			t.Fatalf("round %d: another next state of the same parts, or a part that was changed: %v", s.Rounds.Round, err)
		}
		s = next
	}
}

// Later rows of large weights converge beside a prior: the tolerance is none that its rounding errors exceed.
func TestPriorsOfHeavyRowsConverge(t *testing.T) {
	d, err := dataset.Load(linalgtest.DataFile(t, "fgl.csv"), &dataset.Options{Weights: "Si"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []int{2, 3, 4} {
		var rows [2][]int
		for i := range d.Len() {
			rows[min(1, i%step)] = append(rows[min(1, i%step)], i)
		}
		earlier, later := methodtest.Rows(d, rows[1]), methodtest.Rows(d, rows[0])
		o := &method.Options{Lambda: 0.1}
		prior, err := sums.Approximate(methodtest.Must(t, m, earlier, o), earlier, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := sums.Fit(m, later, nil, prior)
		if fit == nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Errorf("every %d rows are later: %v, %v", step, fit.Report().Certificate(), err)
		}
	}
}

// Later rows have an offset where the earlier ones have one, and only there.
func TestLaterRowsHaveTheOffsetOfThePrior(t *testing.T) {
	records := [][]string{{"a", "o", "class"}, {"1", "1", "x"}, {"2", "0.5", "y"}, {"3", "2", "x"}, {"4", "-1", "y"}, {"2", "2", "x"}}
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	o := &method.Options{Lambda: 1}
	for _, column := range []string{"", "o"} {
		options := &dataset.Options{Offset: column}
		if column == "" {
			options.Drop = []string{"o"}
		}
		d, err := dataset.FromRecords(records, options)
		if err != nil {
			t.Fatal(err)
		}
		prior, err := sums.Approximate(methodtest.Must(t, m, d, o), d, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sums.Fit(m, d, nil, prior); err != nil {
			t.Error(err)
		}
		other := *d
		if other.Offset = nil; column == "" {
			other.Offset = make([]float64, d.Len())
		}
		if _, err := sums.Fit(m, &other, nil, prior); err == nil || !strings.Contains(err.Error(), "offset") {
			t.Errorf("offset in %q, of other rows: %v", column, err)
		}
	}
}
