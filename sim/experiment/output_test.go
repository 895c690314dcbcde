package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"halfspace/linalg/linalgtest"
	"halfspace/sim/dataset"
)

// A file of an experiment is read back bit for bit.
func TestFilesAreReadBack(t *testing.T) {
	s := separable(20, 0.6, 1)
	s.x.Data[0], s.x.Data[1], s.x.Data[2] = 1.0/3, -1e-300, 12345678901234567
	var b bytes.Buffer
	if err := (File{"s.csv", s}).Write(&b); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Read("s.csv", &b, nil)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(d.Features(), d.Schema.Label, d.Names, d.Labels) != fmt.Sprint([]string{"x1", "x2"}, "class", []string{"0", "1"}, s.y) {
		t.Errorf("%v, %s, %v, %v", d.Features(), d.Schema.Label, d.Names, d.Labels)
	}
	linalgtest.CloseSlice(t, "x", d.X.Data, s.x.Data, 0)
	if err := (File{"s.csv", s}).Write(new(room)); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a full disk: %v", err)
	}
}

// room is a writer with room for so many bytes.
type room int

func (r *room) Write(b []byte) (int, error) {
	if len(b) > int(*r) {
		return 0, io.ErrShortWrite
	}
	*r -= room(len(b))
	return len(b), nil
}

// A result prints all its tables and words, in lines that a terminal holds, or says
// that it could not, wherever the room ends.
func TestResultsArePrintedWhole(t *testing.T) {
	r := new(Result)
	r.table("Margins", `C`, "margin").Add("one", 0.25)
	r.say("%s", strings.Repeat("größer als γ ", 60))
	r.say("The end.")
	var b bytes.Buffer
	if err := r.Write(&b, true); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if !strings.HasPrefix(text, "Margins\n  C    margin\n  one  0.2500\n\n") || !strings.HasSuffix(text, "\n\nThe end.\n\n") {
		t.Errorf("%s", text)
	}
	if got := strings.Join(strings.Fields(text), " "); strings.Count(got, "größer als γ") != 60 {
		t.Errorf("%s", got)
	}
	long := 0
	for _, line := range strings.Split(text, "\n") {
		n := utf8.RuneCountInString(line)
		if n > 96 {
			t.Errorf("%d characters: %s", n, line)
		}
		long = max(long, n)
	}
	if long < 96-len("größer") {
		t.Errorf("the longest line has %d characters", long)
	}
	for _, r := range []*Result{r, {Tables: r.Tables}} {
		b.Reset()
		if err := r.Write(&b, true); err != nil {
			t.Fatal(err)
		}
		for n := range b.Len() {
			left := room(n)
			if err := r.Write(&left, true); !errors.Is(err, io.ErrShortWrite) {
				t.Fatalf("room for %d of %d bytes: %v", n, b.Len(), err)
			}
		}
	}
}

// svgText is a picture that writes itself, or fails.
type svgText string

func (s svgText) SVG(w io.Writer) error {
	if s == "" {
		return io.ErrUnexpectedEOF
	}
	_, err := io.WriteString(w, string(s))
	return err
}

// A page has its pictures inline, and is refused where one cannot be.
func TestPageOfPictures(t *testing.T) {
	page := func(p Picture) (string, error) {
		r := new(Result)
		r.draw("p", p, "a < b")
		var b strings.Builder
		err := WritePage(&b, 7, []Entry{{&Experiment{Name: "one", Title: "One"}, r}})
		return b.String(), err
	}
	text, err := page(svgText(`<svg viewBox="0 0 300 90" width="300" height="90"><path/></svg>`))
	if err != nil || !strings.Contains(text, `<div class="plots"><svg viewBox="0 0 300 90" width="300"`) || !strings.Contains(text, "Seed 7.") ||
		!strings.Contains(text, "<code>halfspace demo -seed 7 -out DIR one</code>") || !strings.Contains(text, `<a href="p.svg" download>`) || !strings.Contains(text, "a &lt; b") || !strings.Contains(text, `<section id="one" aria-labelledby="one-title">`) {
		t.Errorf("%v: %s", err, text)
	}
	if _, err := page(svgText("")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a picture that fails: %v", err)
	}
}

// The page sets its tables' numbers with the minus of the axes and keeps each number and its
// unit together; a table of more than three columns has the head of its column at every cell.
func TestPageOfTables(t *testing.T) {
	r := new(Result)
	r.table("From -1 to 5 %", "loss", "x/y").Add("0-1 log-loss", "-2.5e-08, -.5")
	r.table("", "a", "b", "", "d").Add("-Inf", "1e-300", "x", "24 °")
	r.say("95 %% of demo -seed 1")
	var b strings.Builder
	if err := WritePage(&b, 1, []Entry{{&Experiment{Name: "one"}, r}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<table><caption>From −1 to 5\u00a0%</caption>", `<th scope="col">x/` + "\u2060y</th>", "<td>0-1 log-loss</td><td>−2.5e−08, −.5</td>",
		`<table class="wide">`, `<td data-name="a">−Inf</td><td data-name="b">1e−300</td><td>x</td><td data-name="d">24` + "\u00a0°</td>",
		"<p>95\u00a0% of demo -seed 1</p>",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.String())
		}
	}
}
