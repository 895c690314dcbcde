package method_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/moments"
	"halfspace/linalg/record"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
)

// inParts deals the rows of d to two tables read apart: the first has no row of
// class 2, the second none of class 0, so that class 1 has another code there.
func inParts(d *dataset.Data) []*dataset.Data {
	var rows [2][]int
	for i, k := range d.Labels {
		half := k / 2
		if k == 1 {
			half = i / 3 % 2
		}
		rows[half] = append(rows[half], i)
	}
	var parts []*dataset.Data
	for half, list := range rows {
		p, s := methodtest.Rows(d, list), *d.Schema
		s.Names = d.Names[half : half+2]
		p.Names, p.Schema = s.Names, &s
		for i := range p.Labels {
			p.Labels[i] -= half
		}
		parts = append(parts, p)
	}
	return parts
}

// Models of moments that were gathered in parts, written, read and merged are
// those of the whole table.
func TestMomentsOfPartsAreThoseOfTheWhole(t *testing.T) {
	for _, m := range method.All() {
		if !m.Takes("moments") {
			continue
		}
		d := methodtest.Clouds(m, 1, 90, 3)
		heavy := methodtest.Loaded(m, d)
		heavy.Weights[4] = 0
		for _, d := range []*dataset.Data{d, heavy} {
			for _, o := range []*method.Options{{Alpha: 0.3}, {Divisor: "n", Uniform: true}, {Priors: []float64{0.2, 0.5, 0.3}, Alpha: 0.3, Shrinkage: 0.1, Rank: 1}} {
				var parts []*method.Part
				rows := 0
				for _, half := range inParts(d) {
					p, err := method.Gather(half, 1)
					if err != nil {
						t.Fatal(err)
					}
					var file bytes.Buffer
					if err := p.Save(&file); err != nil {
						t.Fatal(err)
					}
					if p, err = method.LoadPart(&file); err != nil {
						t.Fatal(err)
					}
					rows += p.Rows()
					parts = append(parts, p)
				}
				whole, err := method.MergeParts(parts)
				if err != nil {
					t.Fatal(err)
				}
				want := d.X.Rows
				if d.Weights != nil {
					want-- // one has weight 0
				}
				if whole.Rows() != want || rows != want || fmt.Sprint(whole.Schema.Names) != fmt.Sprint(d.Names) {
					t.Errorf("%d rows of %v in %d of the parts; want %d of %v", whole.Rows(), whole.Schema.Names, rows, want, d.Names)
				}
				methodtest.Taken(m, o)
				a, err := m.FitMoments(whole.Moments, whole.Schema, o)
				if err != nil {
					t.Fatalf("%s: %v", m.Name, err)
				}
				b := methodtest.Must(t, m, d, o)
				u, v := report.Summarize(a, want, 0), report.Summarize(b, want, 0)
				linalgtest.Close(t, m.Name+": objective", float64(u.Objective), float64(v.Objective), 1e-12)
				methodtest.SameNumbers(t, m.Name+": priors", u.Priors, v.Priors, 1e-12)
				for i := range d.X.Rows {
					row := d.X.Row(i)
					linalgtest.CloseSlice(t, m.Name+": scores", a.Classifier().Scores(nil, row), b.Classifier().Scores(nil, row), 1e-12)
				}
			}
		}
	}
}

// The moments of a part are the mean and the sums of squares of its rows.
func TestGatherCountsByHand(t *testing.T) {
	m, _ := method.Named("lda")
	d := methodtest.Loaded(m, methodtest.Clouds(m, 1, 30, 3))
	p, err := method.Gather(d, 2)
	if err != nil {
		t.Fatal(err)
	}
	for k := range d.Names {
		total, mean := 0.0, make([]float64, 3)
		for i, class := range d.Labels {
			if class == k {
				total += d.Weights[i]
				linalg.Axpy(mean, d.Weights[i], d.X.Row(i))
			}
		}
		for j := range mean {
			mean[j] /= total
		}
		linalgtest.CloseSlice(t, "mean", p.Moments.Mean(k), mean, 1e-12)
		linalgtest.Close(t, "weight", p.Moments.Weights()[k], total, 1e-12)
		square := 0.0
		for i, class := range d.Labels {
			if class == k {
				square += d.Weights[i] * (d.X.At(i, 0) - mean[0]) * (d.X.At(i, 1) - mean[1])
			}
		}
		linalgtest.Close(t, "scatter", p.Moments.Scatter(k).At(1, 0), square, 1e-12)
	}
	var bad *linalg.NonFiniteError
	if p, err := method.Gather(changed(d, func(row []float64) { row[2] = math.Inf(1) }), 1); p != nil || !errors.As(err, &bad) {
		t.Errorf("an infinity: %v, %v", p, err)
	}
	var shape *linalg.ShapeError
	ols, _ := method.Named("ols")
	if p, err := method.Gather(methodtest.Clouds(ols, 1, 30, 3), 1); p != nil || !errors.As(err, &shape) {
		t.Errorf("no classes: %v, %v", p, err)
	}
	if p, err := method.Gather(&dataset.Data{X: linalg.Zeros(3, 0)}, 1); p != nil || err == nil {
		t.Errorf("no columns: %v, %v", p, err)
	}
}

// Parts of other tables are told apart by the column in which they differ.
func TestPartsOfOtherTables(t *testing.T) {
	m, _ := method.Named("lda")
	part := func(columns ...dataset.Column) *method.Part {
		s := &dataset.Schema{Columns: columns, Label: "y", Names: []string{"u", "v", "w"}}
		d := methodtest.Clouds(m, 1, 30, len(s.Features()))
		d.Schema = s
		p, err := method.Gather(d, 1)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b := dataset.Column{Name: "a"}, dataset.Column{Name: "b"}
	yes, no := dataset.Column{Name: "b", Levels: []string{"n", "y"}}, dataset.Column{Name: "b", Levels: []string{"n", "z"}}
	var shape *linalg.ShapeError
	if w, err := method.MergeParts([]*method.Part{part(a, b), part(a, b), part(a)}); w != nil || !errors.As(err, &shape) || shape.Want != 2 || shape.Got != 1 || !strings.Contains(err.Error(), "part 3") {
		t.Errorf("a column less: %v, %v", w, err)
	}
	for what, other := range map[string]*method.Part{"name": part(a, dataset.Column{Name: "c"}), "kind": part(a, yes)} {
		if w, err := method.MergeParts([]*method.Part{part(a, b), other}); w != nil || err == nil || !strings.Contains(err.Error(), "part 2: column 2") {
			t.Errorf("a column of another %s: %v, %v", what, w, err)
		}
	}
	if w, err := method.MergeParts([]*method.Part{part(a, yes), part(a, no)}); w != nil || err == nil || !strings.Contains(err.Error(), `["n" "z"]`) {
		t.Errorf("other levels: %v, %v", w, err)
	}
	if w, err := method.MergeParts([]*method.Part{part(a, b), nil}); w != nil || err == nil || !strings.Contains(err.Error(), "part 2 has no") {
		t.Errorf("without its second part: %v, %v", w, err)
	}
	nameless := part(a, b)
	nameless.Schema.Names = nil
	if w, err := method.MergeParts([]*method.Part{part(a, b), nameless}); w != nil || err == nil || !strings.Contains(err.Error(), "part 2 has classes without") {
		t.Errorf("without the names of its classes: %v, %v", w, err)
	}
	if w, err := method.MergeParts(nil); w != nil || err == nil {
		t.Errorf("no parts: %v, %v", w, err)
	}
	huge := part(a, b)
	d := methodtest.Clouds(m, 1, 30, 2)
	d.X.Data[0] = 1e160
	far, err := method.Gather(d, 1)
	if err == nil { // its square leaves the range of float64
		_, err = method.MergeParts([]*method.Part{huge, far})
	}
	var out *linalg.RangeError
	if !errors.As(err, &out) {
		t.Errorf("1e160: %v", err)
	}
}

// Parts whose documents have other terms, or other weights of the same, have other features; those of hashes
// that are counted have the same.
func TestPartsOfOtherTerms(t *testing.T) {
	part := func(s feature.TextSettings, documents ...string) *method.Part {
		records := [][]string{{"said", "y"}}
		for i, d := range documents {
			records = append(records, []string{d, string(rune('u' + i%2))})
		}
		d, err := dataset.FromRecords(records, &dataset.Options{Text: "said", TextSettings: s})
		if err != nil {
			t.Fatal(err)
		}
		p, err := method.Gather(d, 1)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	weighed, counted, hashed := feature.TextSettings{}, feature.TextSettings{Counts: true}, feature.TextSettings{Counts: true, HashBits: 2}
	for name, c := range map[string]struct {
		a, b    *method.Part
		refused bool
	}{
		"other words":    {part(counted, "one cat", "one one", "cat"), part(counted, "two dog", "two two", "dog"), true},
		"other weights":  {part(weighed, "one cat", "one one", "cat"), part(weighed, "one cat", "one one", "one"), true},
		"other settings": {part(hashed, "one cat", "one one", "cat"), part(feature.TextSettings{Counts: true, HashBits: 2, NGrams: 2}, "one cat", "one one", "cat"), true},
		"the same words": {part(counted, "one cat", "one one", "cat"), part(counted, "one cat", "cat", "one one"), false},
		"hashes":         {part(hashed, "one cat", "one one", "cat"), part(hashed, "two dog", "two two", "dog"), false},
	} {
		if w, err := method.MergeParts([]*method.Part{c.a, c.b}); c.refused != (err != nil && strings.Contains(err.Error(), "part 2: the words of documents")) || c.refused != (w == nil) {
			t.Errorf("%s: %v, %v", name, w, err)
		}
	}
}

// A number in a file that has no moments is named by its row, however many rows were read before it.
func TestMomentsOfAFileNameTheRow(t *testing.T) {
	const row = 66_000 // of 32 features 65,536 rows are copied at a time
	path := filepath.Join(t.TempDir(), "t.svm")
	methodtest.Put(t, path, strings.Repeat("1 1:1\n0 32:1\n", row/2)+"1 3:1e200\n0 1:1\n")
	d, err := dataset.Load(path, &dataset.Options{Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Stream.Close()
	var out *linalg.RangeError
	if _, err := method.Gather(d, 1); !errors.As(err, &out) || out.Row != row || out.Column != 2 {
		t.Errorf("1e200 in row %d: %v", row, err)
	}
}

// Moments that do not go with their schema make no model: a label without rows is
// the error that it is in a table.
func TestMomentsOfAnotherSchema(t *testing.T) {
	for _, m := range method.All() {
		d := methodtest.Clouds(m, 1, 60, 3)
		if !m.Takes("moments") {
			mo, err := moments.New(3, false)
			if err != nil {
				t.Fatal(err)
			}
			if model, err := m.FitMoments(mo, d.Schema, new(method.Options)); model != nil || err == nil || !strings.Contains(err.Error(), m.Name) {
				t.Errorf("%s: %v, %v", m.Name, model, err)
			}
			continue
		}
		d.Weights = make([]float64, d.X.Rows)
		for i, k := range d.Labels {
			if k != 2 {
				d.Weights[i] = 1
			}
		}
		p, err := method.Gather(d, 1)
		if err != nil {
			t.Fatal(err)
		}
		var class *linalg.ClassError
		_, want := m.Fit(d, methodtest.Options(m))
		if model, err := m.FitMoments(p.Moments, p.Schema, methodtest.Options(m)); model != nil || !errors.As(err, &class) || class.Class != 2 ||
			!strings.Contains(err.Error(), `"w"`) || want == nil {
			t.Errorf("%s: a label without rows: %v, %v; in a table %v", m.Name, model, err, want)
		}
		s := *p.Schema
		s.Columns = s.Columns[:2]
		var shape *linalg.ShapeError
		if model, err := m.FitMoments(p.Moments, &s, methodtest.Options(m)); model != nil || !errors.As(err, &shape) {
			t.Errorf("%s: a schema of two columns: %v, %v", m.Name, model, err)
		}
	}
}

// A file of moments that is damaged, of another kind or inconsistent is an error of
// its kind.
func TestDamagedParts(t *testing.T) {
	m, _ := method.Named("lda")
	p, err := method.Gather(methodtest.Clouds(m, 1, 30, 3), 1)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := p.Save(&file); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	if err := p.Save(new(methodtest.Full)); err == nil {
		t.Error("a full disk is no error")
	}
	short := *p.Schema
	short.Names = short.Names[:2]
	narrow := *p.Schema
	narrow.Columns = narrow.Columns[:2]
	with := func(s *dataset.Schema, mo *moments.ByClass) string {
		b, err := record.Marshal("halfspace/moments-of-table", 1, struct {
			Schema  *dataset.Schema  `json:"schema"`
			Moments *moments.ByClass `json:"moments"`
		}{s, mo})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if _, err := method.LoadPart(strings.NewReader(with(p.Schema, p.Moments))); err != nil {
		t.Fatal(err)
	}
	var model bytes.Buffer
	if err := methodtest.Must(t, m, methodtest.Clouds(m, 1, 30, 3), new(method.Options)).Save(&model); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		text string
		as   any
	}{
		"nothing":           {"", new(*record.DamageError)},
		"no JSON":           {"moments", new(*record.DamageError)},
		"a model":           {model.String(), new(*record.KindError)},
		"newer":             {strings.Replace(text, `"version":1`, `"version":2`, 1), new(*record.VersionError)},
		"another digit":     {strings.Replace(text, "0.", "0.1", 1), new(*record.DamageError)},
		"no schema":         {with(nil, p.Moments), new(*record.DamageError)},
		"no moments":        {with(p.Schema, nil), new(*record.DamageError)},
		"two columns":       {with(&narrow, p.Moments), new(*record.DamageError)},
		"unnamed class":     {with(&short, p.Moments), new(*record.DamageError)},
		"cut in the middle": {text[:len(text)/2], nil},
	} {
		got, err := method.LoadPart(strings.NewReader(c.text))
		if got != nil || err == nil || c.as != nil && !errors.As(err, c.as) {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
	if _, err := method.Load(strings.NewReader(text)); !errors.As(err, new(*record.KindError)) {
		t.Errorf("moments are loaded as a model: %v", err)
	}
}
