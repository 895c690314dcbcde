package experiment

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/sim"
)

// Every sentence of every text and caption is of one of four kinds, and is listed in sentences
// with its kind: a new or changed sentence fails the test until someone has asked what it claims.
type kind uint8

const (
	says   kind = iota // defines, cites, or says what is drawn: claims nothing about a draw
	here               // tells numbers of this draw, which the run has computed
	always             // holds for every draw: a theorem, an identity, or fixed data
	mostly             // holds for 95 draws of 100 at least
)

// sentence is known by how it begins, with # for numbers. Its condition is checked on every
// draw, for a sentence of several claims on all of them.
type sentence struct {
	begins string
	kind   kind
	holds  func(d *drawn) bool
}

// drawn is one run, the sentence at hand, and the numbers that it quotes.
type drawn struct {
	tables []*sim.Table
	text   string
	n      []float64
}

// at returns a number of a table.
func (d *drawn) at(table, row, col int) float64 {
	return number(d.tables[table].Rows[row][col])
}

func number(cell string) float64 {
	v, err := strconv.ParseFloat(strings.TrimSuffix(strings.ReplaceAll(cell, "−", "-"), "°"), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// column returns some rows of a column.
func (d *drawn) column(table, col int, rows ...int) []float64 {
	var v []float64
	for i := range d.tables[table].Rows {
		if len(rows) == 0 || slices.Contains(rows, i) {
			v = append(v, d.at(table, i, col))
		}
	}
	return v
}

// falls reports that no value is above the one before it, but for the rounding of a table.
func falls(v []float64) bool {
	for i := 1; i < len(v); i++ {
		if !(v[i] <= v[i-1]*(1+1e-3)) {
			return false
		}
	}
	return true
}

var (
	sentenceEnd = regexp.MustCompile(`([.!?]) +([A-ZΣΦ“(β])`)
	numeral     = regexp.MustCompile(`[−-]?\d+([.,]\d+)*(e[+-]?\d+)?`)
)

// sentencesOf divides paragraphs and captions.
func sentencesOf(r *Result) []string {
	var list []string
	text := slices.Clone(r.Text)
	for _, f := range r.Figures {
		text = append(text, f.Caption)
	}
	for _, p := range text {
		list = append(list, strings.Split(sentenceEnd.ReplaceAllString(p, "$1\n$2"), "\n")...)
	}
	return list
}

var (
	runMutex  sync.Mutex
	firstRuns = make(map[string]*Result) // of seed 1, which several tests look at
)

// firstRun runs an experiment with seed 1, once.
func firstRun(e *Experiment) (*Result, error) {
	runMutex.Lock()
	defer runMutex.Unlock()
	if r := firstRuns[e.Name]; r != nil {
		return r, nil
	}
	r, err := e.Run(1)
	firstRuns[e.Name] = r
	return r, err
}

// In the long test every sentence is tried on 100 draws. If what it says held with probability
// 0.99 a draw, fewer than 95 of 100 would be seen with probability 0.0005; a claim that held in
// nine of ten would be found out with probability 0.94.
func TestEverySentence(t *testing.T) {
	linalgtest.SkipSlow(t)
	for _, e := range All {
		seeds := 1
		switch n := linalgtest.Rounds(1, 100); {
		case n == 1 && !slices.Contains(quick, e):
			continue
		case n == 100:
			seeds = n
		}
		t.Run(e.Name, func(t *testing.T) { testSentences(t, e, seeds) })
	}
}

func testSentences(t *testing.T, e *Experiment, seeds int) {
	list := sentences[e.Name]
	seen, misses := make([]bool, len(list)), make([][]string, len(list))
	for seed := 1; seed <= seeds; seed++ {
		r, err := firstRun(e)
		if seed > 1 {
			r, err = e.Run(uint64(seed))
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		for _, s := range sentencesOf(r) {
			k := slices.IndexFunc(list, func(l sentence) bool {
				return strings.HasPrefix(numeral.ReplaceAllString(s, "#"), l.begins)
			})
			if k < 0 {
				t.Errorf("seed %d: nobody has asked what this claims: %q", seed, s)
				continue
			}
			seen[k] = true
			d := &drawn{tables: r.Tables, text: s}
			for _, v := range numeral.FindAllString(s, -1) {
				d.n = append(d.n, number(strings.ReplaceAll(v, ",", "")))
			}
			if list[k].holds != nil && !list[k].holds(d) {
				misses[k] = append(misses[k], fmt.Sprintf("seed %d: %s", seed, s))
			}
		}
	}
	for k, l := range list {
		if m := len(misses[k]); m > seeds/20 || m > 0 && l.kind == always {
			t.Errorf("%q fails for %d of %d draws: %s", l.begins, m, seeds, misses[k][0])
		}
		if !seen[k] {
			t.Errorf("no text has %q", l.begins)
		}
		if (l.kind == always || l.kind == mostly) != (l.holds != nil) {
			t.Errorf("%q has a condition although it claims nothing, or none although it claims something", l.begins)
		}
	}
}
