package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"halfspace/linalg/linalgtest"
)

// Rounds over two files end with exit status 0 and the model of the whole, and ask for more
// with 3.
func TestSumsOfPartsFitTheWhole(t *testing.T) {
	text, err := os.ReadFile(linalgtest.DataFile(t, "SAheart.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	dir := write(t, "a.csv", strings.Join(lines[:200], ""))
	if err := os.WriteFile(filepath.Join(dir, "b.csv"), []byte(lines[0]+strings.Join(lines[200:], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	fit := func(parts ...string) result {
		return halfspace(t, dir, "", append([]string{"fit", "-sums", "-method", "logistic", "-json", "-o", "s.json"}, parts...)...)
	}
	at := []string{}
	for round := 0; ; round++ {
		for _, part := range []string{"a", "b"} {
			ok(t, dir, append(append([]string{"sums", "-o", part + ".json"}, at...), part+".csv")...)
		}
		r := fit("a.json", "b.json")
		if r.status == 0 {
			want := decode(t, ok(t, "", "fit", "-json", "-method", "logistic", linalgtest.DataFile(t, "SAheart.csv")))
			got := decode(t, r.stdout)
			linalgtest.Close(t, "objective", got["objective"].(float64), want["objective"].(float64), 1e-12)
			if got["status"] != "converged" || fmt.Sprint(got["features"]) != fmt.Sprint(want["features"]) || got["n"] != want["n"] {
				t.Errorf("%v", got)
			}
			break
		}
		if r.status != 3 || decode(t, r.stdout)["status"] != "again" || !strings.Contains(r.stderr, "come again") || strings.Count(r.stderr, "\n") != 1 {
			t.Fatalf("round %d: %+v", round, r)
		}
		if unknown := decode(t, r.stdout)["objective"] == nil; unknown != (round == 0) || unknown == strings.Contains(r.stderr, "objective") {
			t.Errorf("round %d: %+v", round, r)
		}
		if round == 1 {
			if r := fit("a.json"); r.status != 1 || !strings.Contains(r.stderr, "stale") {
				t.Errorf("an old part: %+v", r)
			}
			refusedParts(t, dir, fit)
		}
		if round > 20 {
			t.Fatal("more than 20 rounds")
		}
		at = []string{"-at", "s.json"}
	}
	if out := ok(t, dir, "predict", "s.json", "a.csv"); strings.Count(out, "\n") != 200 {
		t.Errorf("predictions of the model: %d lines", strings.Count(out, "\n"))
	}
	if r := halfspace(t, dir, "", "fit", "-sums", "-method", "lda", "-o", "s.json", "a.json"); r.status != 2 {
		t.Errorf("another method: %+v", r)
	}
	if r := halfspace(t, dir, "", "fit", "-sums", "-method", "logistic", "a.json"); r.status != 2 {
		t.Errorf("no state: %+v", r)
	}
}

// refusedParts tries parts that are repeated, missing, or left half-written where their writer was
// killed, of which the others are as they should be.
func refusedParts(t *testing.T, dir string, fit func(parts ...string) result) {
	t.Helper()
	whole, err := os.ReadFile(filepath.Join(dir, "b.json"))
	if err != nil {
		t.Fatal(err)
	}
	ok(t, dir, "sums", "-o", "a2.json", "-at", "s.json", "a.csv")
	ok(t, dir, "sums", "-o", "b2.json", "-at", "s.json", "b.csv")
	for name, text := range map[string]string{"half.json": string(whole[:len(whole)/2]), "empty.json": "", "cut.json": string(whole[:len(whole)-3]) + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := fit("a2.json", name); r.status != 1 || !strings.Contains(r.stderr, name) || !strings.Contains(r.stderr, "damaged") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := fit("a2.json", "b2.json", "a2.json"); r.status != 1 || !strings.Contains(r.stderr, "a.csv") || !strings.Contains(r.stderr, "twice") {
		t.Errorf("a part twice: %+v", r)
	}
	if r := fit("a2.json"); r.status != 1 || !strings.Contains(r.stderr, "b.csv") || !strings.Contains(r.stderr, "missing") {
		t.Errorf("a part missing: %+v", r)
	}
	state, err := os.ReadFile(filepath.Join(dir, "s.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "half.json"), state[:len(state)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if r := halfspace(t, dir, "", "sums", "-at", "half.json", "a.csv"); r.status != 1 || !strings.Contains(r.stderr, "half.json") || !strings.Contains(r.stderr, "damaged") {
		t.Errorf("half of a state: %+v", r)
	}
}

// A fit of more rows begins at an earlier one, or has it in the place of its rows.
func TestLaterRows(t *testing.T) {
	data := linalgtest.DataFile(t, "SAheart.csv")
	text, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	dir := write(t, "a.csv", strings.Join(lines[:300], ""))
	if err := os.WriteFile(filepath.Join(dir, "b.csv"), []byte(lines[0]+strings.Join(lines[300:], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	fit := []string{"fit", "-json", "-method", "logistic"}
	with := func(args ...string) map[string]any { return decode(t, ok(t, dir, append(fit[:4:4], args...)...)) }
	ok(t, dir, "fit", "-method", "lda", "-o", "l.json", data)
	with("-o", "m.json", "-save-prior", "p.json", "a.csv")
	whole, started := with("-o", "w.json", data), with("-start", "m.json", data)
	linalgtest.Close(t, "objective", started["objective"].(float64), whole["objective"].(float64), 1e-13)
	r := halfspace(t, dir, "", "fit", "-json", "-method", "logistic", "-prior", "p.json", "-stream", "-o", "later.json", "b.csv")
	if later := decode(t, r.stdout); r.status != 0 || later["status"] != "converged" || later["table"] != nil || !strings.Contains(r.stderr, "299 earlier rows") {
		t.Errorf("%+v", r)
	}
	// Of two thirds of the way the Gaussian leaves little: the objective of all rows is near its minimum.
	excess := func(model string) float64 {
		return decode(t, ok(t, dir, "audit", "-json", model, data))["objective"].(float64) - whole["objective"].(float64)
	}
	if a, b := excess("later.json"), excess("m.json"); a > b/10 {
		t.Errorf("excess %v of the later fit, %v of the earlier", a, b)
	}
	for _, c := range []struct {
		args   []string
		status int
		said   string
	}{
		{[]string{"-method", "lda", "-start", "m.json", data}, 2, "takes no -start"},
		{[]string{"-method", "lda", "-prior", "p.json", data}, 2, "takes no -prior"},
		{[]string{"-method", "logistic", "-sums", "-o", "s.json", "-prior", "p.json", "a.json"}, 2, "rows"},
		{[]string{"-method", "logistic", "-prior", "m.json", "b.csv"}, 1, "m.json"},
		{[]string{"-method", "logistic", "-prior", "p.json", "-lambda", "1", "b.csv"}, 1, "Lambda"},
		{[]string{"-method", "logistic", "-start", "m.json", "-drop", "age", data}, 1, "features"},
		{[]string{"-method", "logistic", "-start", "l.json", data}, 1, "LDA"},
		{[]string{"-method", "logistic", "-lambda", "1", "-l1-ratio", "1", "-save-prior", "q.json", data}, 1, "lasso"},
	} {
		if r := halfspace(t, dir, "", append([]string{"fit"}, c.args...)...); r.status != c.status || !strings.Contains(r.stderr, c.said) {
			t.Errorf("%q: %+v", c.args, r)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "q.json")); err == nil {
		t.Error("a file of a fit without a Gaussian")
	}
}

// A fit that did not converge stands for no rows: no model, no file, one line.
func TestNoPriorOfAFitThatDidNotConverge(t *testing.T) {
	dir := t.TempDir()
	r := halfspace(t, dir, "", "fit", "-method", "logistic", "-max-iter", "1", "-o", "m.json", "-save-prior", "p.json", linalgtest.DataFile(t, "SAheart.csv"))
	if r.status != 1 || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "a Gaussian stands for a minimum: not converged") {
		t.Errorf("%+v", r)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("files %v, %v", files, err)
	}
}

// Later rows count by the column of weights of the earlier ones, unless the command line says that they count once.
func TestLaterRowsHaveWeights(t *testing.T) {
	dir := write(t, "w.csv", "a,w,class\n1,1,x\n2,3,y\n3,2,x\n4,5,y\n2,2,x\n")
	fit := func(args ...string) float64 {
		return decode(t, ok(t, dir, append([]string{"fit", "-json", "-method", "logistic"}, append(args, "w.csv")...)...))["objective"].(float64)
	}
	fit("-lambda", "1", "-weights", "w", "-save-prior", "p.json")
	known, said, once := fit("-prior", "p.json"), fit("-prior", "p.json", "-weights", "w"), fit("-prior", "p.json", "-weights", "")
	if known != said || known == once {
		t.Errorf("objective %v, with -weights w %v, without weights %v", known, said, once)
	}
}

// A file that is fitted and judged without being read into memory.
func TestStreamsOnTheCommandLine(t *testing.T) {
	data := linalgtest.DataFile(t, "SAheart.csv")
	dir := t.TempDir()
	want := decode(t, ok(t, dir, "fit", "-json", "-method", "logistic", "-o", "m.json", data))
	got := decode(t, ok(t, dir, "fit", "-json", "-method", "logistic", "-stream", data))
	linalgtest.Close(t, "deviance", got["deviance"].(float64), want["deviance"].(float64), 1e-12)
	if a, b := decode(t, ok(t, dir, "eval", "-json", "m.json", data)), decode(t, ok(t, dir, "eval", "-json", "-stream", "m.json", data)); fmt.Sprint(a["confusion"], a["log_loss"]) != fmt.Sprint(b["confusion"], b["log_loss"]) {
		t.Errorf("%v, in memory %v", b, a)
	}
	if a, b := ok(t, dir, "predict", "-proba", "m.json", data), ok(t, dir, "predict", "-proba", "-stream", "m.json", data); a != b {
		t.Error("predictions differ")
	}
}

// Later rows have the offset of the earlier ones, or none where those have none.
func TestLaterRowsHaveTheOffset(t *testing.T) {
	dir := write(t, "o.csv", "a,o,q,class\n1,1,2,x\n2,0.5,1,y\n3,2,0,x\n4,-1,3,y\n2,2,1,x\n")
	fit := func(args ...string) result {
		return halfspace(t, dir, "", append([]string{"fit", "-json", "-method", "logistic"}, append(args, "o.csv")...)...)
	}
	for prior, args := range map[string][]string{"none.json": {"-drop", "o,q"}, "o.json": {"-drop", "q", "-offset", "o"}} {
		if r := fit(append(args, "-lambda", "1", "-save-prior", prior)...); r.status != 0 {
			t.Fatal(r)
		}
	}
	if r := fit("-prior", "none.json", "-offset", "o", "-o", "m.json"); r.status != 1 || !strings.Contains(r.stderr, `"o"`) || !strings.Contains(r.stderr, "have none") {
		t.Errorf("an offset of later rows alone: %+v", r)
	}
	if r := fit("-prior", "o.json", "-offset", "q", "-o", "m.json"); r.status != 1 || !strings.Contains(r.stderr, `"q"`) || !strings.Contains(r.stderr, `"o"`) {
		t.Errorf("another offset: %+v", r)
	}
	known, said := fit("-prior", "o.json"), fit("-prior", "o.json", "-offset", "o", "-o", "m.json")
	if known.status != 0 || said.status != 0 || decode(t, known.stdout)["objective"] != decode(t, said.stdout)["objective"] {
		t.Errorf("%+v, with -offset o %+v", known, said)
	}
	if model, err := os.ReadFile(filepath.Join(dir, "m.json")); err != nil || !strings.Contains(string(model), `"offset":"o"`) {
		t.Errorf("%v: %s", err, model)
	}
}

// A part has the offset of the first round in each, which no other column replaces; the name of its labels is its own.
func TestPartsKeepTheOffsetOfTheFirstRound(t *testing.T) {
	dir := write(t, "o.csv", "a,o,q,class\n1,1,2,x\n2,0.5,1,y\n3,2,0,x\n4,-1,3,y\n2,2,1,x\n")
	ok(t, dir, "sums", "-offset", "o", "-drop", "q", "-o", "a.json", "o.csv")
	if r := halfspace(t, dir, "", "fit", "-sums", "-method", "logistic", "-lambda", "1", "-o", "s.json", "a.json"); r.status != 3 {
		t.Fatal(r)
	}
	if r := halfspace(t, dir, "", "sums", "-at", "s.json", "-offset", "q", "-o", "b.json", "o.csv"); r.status != 2 || !strings.Contains(r.stderr, "takes no -offset") {
		t.Errorf("%+v", r)
	}
	state, err := os.ReadFile(filepath.Join(dir, "s.json"))
	if err != nil {
		t.Fatal(err)
	}
	r := halfspace(t, dir, "", "sums", "-at", "s.json", "-o", "s.json", "o.csv")
	if after, err := os.ReadFile(filepath.Join(dir, "s.json")); err != nil || string(after) != string(state) || r.status != 2 || !strings.Contains(r.stderr, "s.json would be replaced") {
		t.Errorf("the state is to be the part: %v, %+v", err, r)
	}
	ok(t, dir, "sums", "-at", "s.json", "-label", "class", "-o", "b.json", "o.csv")
}
