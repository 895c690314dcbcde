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
		if round == 1 {
			if r := fit("a.json"); r.status != 1 || !strings.Contains(r.stderr, "stale") {
				t.Errorf("an old part: %+v", r)
			}
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
