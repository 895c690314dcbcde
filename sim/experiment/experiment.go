package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"halfspace/linalg"
	"halfspace/sim"
	"halfspace/sim/dataset"
)

// Experiment is one of the list [All].
type Experiment struct {
	Name    string // as the command line spells it
	Title   string
	Topic   string // of the list: a heading that several share
	ESL     string // sections of The Elements of Statistical Learning, second edition
	Formula string // the formula that it is about
	run     func(seed uint64) (*Result, error)
}

// Result holds the tables, pictures and words of an experiment.
type Result struct {
	Tables  []*sim.Table
	Figures []Figure
	Text    []string // paragraphs
	Files   []File   // data to try out
}

// File is a CSV file of an experiment's data.
type File struct {
	Name string // "exercise.csv"
	data *trainingSet
}

// Write writes features x1, x2, … and the column class.
func (f File) Write(w io.Writer) error {
	c := csv.NewWriter(w)
	d := table(f.data.x, f.data.y)
	c.Write(append(d.Features(), "class"))
	for i, label := range f.data.y {
		var cells []string
		for _, v := range f.data.x.Row(i) {
			cells = append(cells, strconv.FormatFloat(v, 'g', -1, 64))
		}
		c.Write(append(cells, strconv.Itoa(label)))
	}
	c.Flush()
	return c.Error()
}

// Figure is a picture with its file name (without ".svg") and caption.
type Figure struct {
	Name, Caption string
	Picture       Picture
}

// Picture writes itself as SVG.
type Picture interface {
	SVG(w io.Writer) error
}

// Run performs the experiment. The same seed gives the same result.
func (e *Experiment) Run(seed uint64) (*Result, error) {
	r, err := e.run(seed)
	if err != nil {
		return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
	}
	return r, nil
}

// Write prints tables and text.
func (r *Result) Write(w io.Writer, aligned bool) error {
	for _, t := range r.Tables {
		if err := t.Write(w, aligned); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	for _, p := range r.Text {
		if _, err := fmt.Fprintf(w, "%s\n\n", wrap(p, 96)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Result) say(format string, args ...any) {
	r.Text = append(r.Text, fmt.Sprintf(format, args...))
}

func (r *Result) draw(name string, p Picture, format string, args ...any) {
	r.Figures = append(r.Figures, Figure{name, fmt.Sprintf(format, args...), p})
}

func (r *Result) table(title string, head ...string) *sim.Table {
	t := &sim.Table{Title: title, Head: head}
	r.Tables = append(r.Tables, t)
	return t
}

// wrap breaks s into lines of at most width characters.
func wrap(s string, width int) string {
	var b strings.Builder
	used := 0
	for i, word := range strings.Fields(s) {
		switch {
		case i == 0:
		case used+1+utf8.RuneCountInString(word) > width:
			b.WriteByte('\n')
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += utf8.RuneCountInString(word)
	}
	return b.String()
}

// table returns rows and class codes as a data set with features x1, x2, ….
func table(x *linalg.Dense, y []int, names ...string) *dataset.Data {
	s := &dataset.Schema{Label: "class", Names: names}
	for j := range x.Cols {
		s.Columns = append(s.Columns, dataset.Column{Name: fmt.Sprintf("x%d", j+1)})
	}
	return &dataset.Data{X: x, Labels: y, Names: names, Schema: s}
}

// trainingSet is a set of labelled rows.
type trainingSet struct {
	x *linalg.Dense
	y []int
}
