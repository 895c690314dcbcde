package experiment

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// cell returns a number of a table by the first cell of its row.
func cell(t *testing.T, r *Result, table int, row string, column int) float64 {
	t.Helper()
	for _, cells := range r.Tables[table].Rows {
		if cells[0] == row {
			v, err := strconv.ParseFloat(cells[column], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("table %d has no row %q", table, row)
	return 0
}

// No model beats the Bayes rule, and QDA, whose family has the true one, comes
// within half a point. With 10⁶ points the standard error is 0.00027; three of
// them are exceeded by a model as good as Bayes with probability 0.0013.
func TestExercise(t *testing.T) {
	for seed := range uint64(5) {
		r, err := exercise.Run(seed + 1)
		if err != nil {
			t.Fatal(err)
		}
		bayes := cell(t, r, 0, "Bayes", 2)
		for _, m := range []string{"lda", "qda", "logistic", "perceptron", "svc"} {
			if e := cell(t, r, 0, m, 2); e < bayes-3*math.Sqrt2*0.00027 {
				t.Errorf("seed %d: %s has error %v, below the Bayes error %v", seed+1, m, e, bayes)
			}
		}
		if e := cell(t, r, 0, "qda", 2); e > bayes+0.005 {
			t.Errorf("seed %d: qda has error %v, Bayes %v", seed+1, e, bayes)
		}
		if testing.Short() {
			break
		}
	}
}

// Every experiment gives the same bytes again, its pictures are well-formed XML,
// and the page holds them all.
func TestAllExperiments(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every experiment twice")
	}
	render := func() ([]byte, []Entry) {
		var entries []Entry
		var b bytes.Buffer
		for _, e := range All {
			r, err := e.Run(1)
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
	first, entries := render()
	if second, _ := render(); !bytes.Equal(first, second) {
		t.Error("a second run with the same seed differs")
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
	list, err := Named("exercise")
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
	r.Tables[0].Rows = r.Tables[0].Rows[:1]
	r.Tables[0].Write(os.Stdout, true)
	// Output:
	// Five classifiers and the Bayes rule on two Gaussian classes
	// Error on the 120 test points, and on 1,000,000 fresh ones
	//   model  test error  fresh error         se
	//   Bayes     0.07500      0.07840  0.0002688
}
