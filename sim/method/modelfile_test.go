package method_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// fixtures are files that this program wrote, one of each method, and what they
// predict. HALFSPACE_WRITE=1 writes those that are missing.
const fixtures = "testdata/models"

func TestModelFilesStayReadable(t *testing.T) {
	iris := dataset.Iris().X
	for _, m := range method.All() {
		path := filepath.Join(fixtures, m.Name+".json")
		expected := filepath.Join(fixtures, m.Name+".predictions")
		if _, err := os.Stat(path); err != nil && os.Getenv("HALFSPACE_WRITE") != "" {
			writeFixture(t, m, path, expected)
		}
		x := iris
		if m.Regression {
			x = methodtest.Iris(t, m).X
		}
		model := predictsAsBefore(t, fixtures, m.Name, func(*method.Model) *linalg.Dense { return x })
		if s := model.Schema.Features(); len(s) != x.Cols {
			t.Errorf("%s: features %q", path, s)
		}
	}
}

// decisions replaces the two scores of a row, label and scores, by their difference:
// versions may write f as (0, f) or as (−f/2, f/2).
func decisions(rows []float64) (out []float64) {
	for i := 0; i+2 < len(rows); i += 3 {
		out = append(out, rows[i], rows[i+2]-rows[i+1])
	}
	return out
}

// The files in categories are of models with levels, weights and offsets, which an
// earlier version fitted to table.csv, and their predictions of its rows.
func TestModelFilesWithCategoriesStayReadable(t *testing.T) {
	dir := filepath.Join(fixtures, "categories")
	for _, m := range method.All() {
		predictsAsBefore(t, dir, m.Name, func(model *method.Model) *linalg.Dense {
			d, err := model.Schema.Load(filepath.Join(dir, "table.csv"), &dataset.Options{NoLabels: true})
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			return d.X
		})
	}
}

// The files in steps have columns with levels and gaps, and steps; their predictions are
// of the rows of table.csv.
func TestModelFilesWithStepsStayReadable(t *testing.T) {
	dir := filepath.Join(fixtures, "steps")
	for name, steps := range chains() {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path + ".json"); err != nil && os.Getenv("HALFSPACE_WRITE") != "" {
			m, err := method.Named("logistic")
			if err != nil {
				t.Fatal(err)
			}
			d, text := gappy(t, m)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			methodtest.Put(t, filepath.Join(dir, "table.csv"), text)
			put(t, methodtest.Must(t, m, d, pipelineOptions(m, steps)), d.X, path+".json", path+".predictions")
		}
		predictsAsBefore(t, dir, name, func(model *method.Model) *linalg.Dense {
			d, err := model.Schema.Load(filepath.Join(dir, "table.csv"), nil)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			return d.X
		})
	}
}

// predictsAsBefore loads dir/name.json and compares what it predicts with
// dir/name.predictions.
func predictsAsBefore(t *testing.T, dir, name string, rows func(*method.Model) *linalg.Dense) *method.Model {
	t.Helper()
	path := filepath.Join(dir, name)
	f, err := os.Open(path + ".json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	model, err := method.Load(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var want []float64
	if b, err := os.ReadFile(path + ".predictions"); err != nil || json.Unmarshal(b, &want) != nil {
		t.Fatalf("%s: %v", path, err)
	}
	got := methodtest.Predictions(model, rows(model))
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", path, len(got), len(want))
	}
	if model.Classifier() != nil && len(model.Schema.Names) == 2 && !model.HasProba() {
		got, want = decisions(got), decisions(want)
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-12*(1+math.Abs(want[i]))) {
			t.Errorf("%s: value %d is %v, was %v", path, i, got[i], want[i])
			break
		}
	}
	return model
}

func writeFixture(t *testing.T, m *method.Method, path, expected string) {
	t.Helper()
	o := methodtest.Options(m)
	o.Standardize = m.Takes("standardize")
	model, _ := methodtest.FitIris(t, m, o)
	x := dataset.Iris().X
	if m.Regression {
		x = methodtest.Iris(t, m).X
	}
	put(t, model, x, path, expected)
}

// put writes a model and its predictions of the rows of x.
func put(t *testing.T, model *method.Model, x *linalg.Dense, path, expected string) {
	t.Helper()
	var b bytes.Buffer
	if err := model.Save(&b); err != nil {
		t.Fatal(err)
	}
	values, err := json.Marshal(methodtest.Predictions(model, x))
	if err != nil {
		t.Fatal(err)
	}
	methodtest.Put(t, path, b.String())
	methodtest.Put(t, expected, string(values)+"\n")
}

// modelFiles returns the file of each method and those with steps.
func modelFiles(t testing.TB) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	for _, pattern := range []string{"*.json", filepath.Join("steps", "*.json")} {
		paths, err := filepath.Glob(filepath.Join(fixtures, pattern))
		if err != nil || len(paths) < 4 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			if files[path], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	return files
}

// However a file is damaged, it does not load, or it loads as the same numbers.
func TestDamagedModelFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	flips := 2000
	if testing.Short() {
		flips = 200
	}
	files := modelFiles(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		whole := files[name]
		text := bytes.TrimSpace(whole)
		step := 1 + len(text)/500
		for n := 0; n < len(text); n += step {
			if model, err := method.Load(bytes.NewReader(text[:n])); err == nil || model != nil {
				t.Fatalf("%s: cut to %d of %d bytes, it loads", name, n, len(text))
			}
		}
		original := saved(t, name, whole)
		for range flips {
			b := bytes.Clone(whole)
			at, bit := r.IntN(len(text)), r.IntN(8)
			b[at] ^= 1 << bit
			model, err := method.Load(bytes.NewReader(b))
			if err != nil {
				if model != nil {
					t.Errorf("%s: a model with %v", name, err)
				}
				continue
			}
			var back bytes.Buffer
			if err := model.Save(&back); err != nil || !bytes.Equal(back.Bytes(), original) {
				t.Errorf("%s: bit %d of byte %d flipped, it loads as another model", name, bit, at)
			}
		}
		var version *record.VersionError
		newer := regexp.MustCompile(`"version":[123]`).ReplaceAll(whole, []byte(`"version":4`))
		if _, err := method.Load(bytes.NewReader(newer)); !errors.As(err, &version) {
			t.Errorf("%s: from a newer version: %v", name, err)
		}
		inner := regexp.MustCompile(`("model":\{"kind":"[^"]*","version":)1`)
		newer = resealed(inner.ReplaceAll(whole, []byte("${1}2")))
		if _, err := method.Load(bytes.NewReader(newer)); !errors.As(err, &version) {
			t.Errorf("%s: with a model from a newer version: %v", name, err)
		}
	}
}

func saved(t *testing.T, name string, file []byte) []byte {
	t.Helper()
	model, err := method.Load(bytes.NewReader(file))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var b bytes.Buffer
	if err := model.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Numbers that pass their checksum are refused, or make a model that can be used: lists
// that are too short or too long, null and 1e999 for a number, numbers for text.
func TestWrongNumbersWithRightChecksums(t *testing.T) {
	linalgtest.SkipSlow(t)
	list := regexp.MustCompile(`\[-?[0-9][^\[\]]*\]`)
	number := regexp.MustCompile(`[:,\[](-?[0-9][-+.e0-9]*)`)
	files := modelFiles(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		whole := files[name]
		loads := 0
		try := func(what string, b []byte) {
			t.Helper()
			sealed := resealed(b)
			if sealed == nil {
				return // no JSON
			}
			model, err := method.Load(bytes.NewReader(sealed))
			if err != nil {
				if model != nil {
					t.Errorf("%s: %s: a model with %v", name, what, err)
				}
				return
			}
			loads++
			use(t, model)
		}
		for _, at := range sampleOf(list.FindAllIndex(whole, -1), 60) {
			values := strings.Split(string(whole[at[0]+1:at[1]-1]), ",")
			for what, text := range map[string]string{
				"a list cut short": strings.Join(values[1:], ","), "a list too long": strings.Join(append(values, "1"), ","),
				"an empty list": "", "a null": strings.Join(append([]string{"null"}, values[1:]...), ","),
				"1e999": strings.Join(append([]string{"1e999"}, values[1:]...), ","), "text": strings.Join(append([]string{`"a"`}, values[1:]...), ","),
			} {
				try(what, slices.Concat(whole[:at[0]+1], []byte(text), whole[at[1]-1:]))
			}
		}
		for _, at := range sampleOf(number.FindAllSubmatchIndex(whole, -1), 60) {
			for _, v := range []string{"null", "-1", "0", "1e308", "99999999999", "1.5", "[]", "{}"} {
				try("a number of "+v, slices.Concat(whole[:at[2]], []byte(v), whole[at[3]:]))
			}
		}
		t.Logf("%s: %d changed files are models", name, loads)
	}
}

// sampleOf returns at most n of the list, evenly.
func sampleOf[T any](list []T, n int) []T {
	if testing.Short() {
		n /= 6
	}
	if len(list) <= n {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

// Gigabytes of zeros are refused without reading them.
func TestZerosWithoutEnd(t *testing.T) {
	z := &zeros{}
	if _, err := method.Load(z); err == nil || z.read > 1<<20 {
		t.Errorf("%v after %d bytes", err, z.read)
	}
}

type zeros struct{ read int }

func (z *zeros) Read(b []byte) (int, error) {
	clear(b)
	z.read += len(b)
	return len(b), nil
}

func TestSavedModelsPredictBitForBit(t *testing.T) {
	for _, m := range method.All() {
		o := methodtest.Options(m)
		o.Standardize = m.Takes("standardize")
		model, d := methodtest.FitIris(t, m, o)
		var b bytes.Buffer
		if err := model.Save(&b); err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		back, err := method.Load(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		if back.Method != m || !slices.Equal(back.Schema.Names, d.Names) || !slices.Equal(back.Schema.Features(), d.Features()) {
			t.Errorf("%s: became a %s for %v, %v", m.Name, back.Method.Name, back.Schema.Names, back.Schema.Features())
		}
		want, got := methodtest.Predictions(model, d.X), methodtest.Predictions(back, d.X)
		for i := range want {
			if math.Float64bits(want[i]) != math.Float64bits(got[i]) {
				t.Errorf("%s: value %d: %v became %v", m.Name, i, want[i], got[i])
				break
			}
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	lda, err := method.Named("lda")
	if err != nil {
		t.Fatal(err)
	}
	model, _ := methodtest.FitIris(t, lda, new(method.Options))
	var b bytes.Buffer
	if err := model.Save(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	var (
		damage  *record.DamageError
		version *record.VersionError
		kind    *record.KindError
	)
	for _, c := range []struct {
		name, text string
		as         any
	}{
		{"empty", "", &damage},
		{"zeros", strings.Repeat("\x00", 1<<20), &damage},
		{"another number", strings.Replace(text, "0.", "0.1", 1), &damage},
		{"newer", strings.Replace(text, `"version":3`, `"version":4`, 1), &version},
		{"another kind", strings.Replace(text, `"kind":"halfspace"`, `"kind":"else"`, 1), &kind},
	} {
		if m, err := method.Load(strings.NewReader(c.text)); m != nil && err == nil || !errors.As(err, c.as) {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	broken := errors.New("broken")
	for _, n := range []int{0, 1, 100} {
		r := io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(broken))
		if _, err := method.Load(r); !errors.Is(err, broken) {
			t.Errorf("a reader that fails after %d bytes: %v", n, err)
		}
	}
	for n := range len(text) - 2 {
		if _, err := method.Load(strings.NewReader(text[:n])); err == nil {
			t.Fatalf("truncated to %d of %d bytes, it loads", n, len(text))
		}
	}
}
