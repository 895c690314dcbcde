package main

import (
	"encoding/csv"
	"encoding/json"
	"math/big"
	"os"
	"slices"
	"testing"

	"halfspace/linalg/linalgtest"
)

// printed is what `fit -json` prints of a fit without a model, read without the library.
type printed struct {
	Classes  []string
	Pair     []string
	Evidence struct {
		Kind             string
		Origin           []json.Number
		Coef             [][]json.Number
		Intercept        []json.Number
		IntegerCoef      [][]string `json:"integer_coef"`
		IntegerIntercept []string   `json:"integer_intercept"`
		Strict           int
		Ties             []int
		Multipliers      []struct {
			Row, Class, Other int
			Value             string
		}
	}
}

// rational reads a decimal as the number that a float64 stands for, or as an integer.
func rational(t *testing.T, text string, float bool) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	if float {
		f, _ := r.Float64()
		r.SetFloat64(f)
	}
	return r
}

// table reads a CSV whose last column is the label, in rational numbers.
func table(t *testing.T, file string) (x [][]*big.Rat, labels []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		var values []*big.Rat
		for _, cell := range row[:len(row)-1] {
			values = append(values, rational(t, cell, true))
		}
		x, labels = append(x, values), append(labels, row[len(row)-1])
	}
	return x, labels
}

// scores returns the functions of the printed direction at a row, by class.
func (p *printed) scores(t *testing.T, row []*big.Rat) []*big.Rat {
	coef, intercept, float := p.Evidence.IntegerCoef, p.Evidence.IntegerIntercept, false
	for c, list := range p.Evidence.Coef {
		float = true
		coef, intercept = append(coef, nil), append(intercept, p.Evidence.Intercept[c].String())
		for _, v := range list {
			coef[c] = append(coef[c], v.String())
		}
	}
	var f []*big.Rat
	if len(coef) == 1 {
		f = append(f, new(big.Rat))
	}
	for c := range coef {
		s := rational(t, intercept[c], float)
		for j, v := range row {
			d := new(big.Rat).Set(v)
			if p.Evidence.Origin != nil {
				d.Sub(d, rational(t, p.Evidence.Origin[j].String(), true))
			}
			s.Add(s, d.Mul(d, rational(t, coef[c][j], float)))
		}
		f = append(f, s)
	}
	return f
}

// The evidence is multiplied out from the file and the printed JSON alone.
func TestEvidenceRecomputedFromPrintedJSON(t *testing.T) {
	for _, c := range []struct{ method, file, kind string }{
		{"logistic", "sep3.csv", "complete"},
		{"logistic", "sepinfer.csv", "complete"},
		{"logistic", "unixns.csv", "complete"},
		{"hardmargin", "dyadic.csv", "quasi-complete"},
		{"hardmargin", "sensors_notsep.csv", "overlap"},
		{"hardmargin", "ovl1d.csv", "overlap"},
	} {
		file := linalgtest.DataFile(t, c.file)
		r := halfspace(t, "", "", "fit", "-json", "-method", c.method, file)
		var p printed
		if err := json.Unmarshal([]byte(r.stdout), &p); err != nil || r.status != 1 || r.stderr == "" {
			t.Errorf("%s of %s: status %d, %q, %q: %v", c.method, c.file, r.status, r.stdout, r.stderr, err)
			continue
		}
		if p.Evidence.Kind != c.kind {
			t.Errorf("%s of %s: %s, want %s", c.method, c.file, p.Evidence.Kind, c.kind)
		}
		x, labels := table(t, file)
		code := make([]int, len(labels))
		for i, l := range labels {
			code[i] = slices.Index(p.Classes, l)
		}
		if c.kind != "overlap" {
			p.checkDirection(t, c.method+" of "+c.file, x, code)
		}
		if c.kind != "complete" {
			p.checkCombination(t, c.method+" of "+c.file, x, code)
		}
	}
}

func (p *printed) checkDirection(t *testing.T, name string, x [][]*big.Rat, code []int) {
	t.Helper()
	strict := 0
	for i, row := range x {
		f, ahead, tie := p.scores(t, row), false, false
		for k := range f {
			if sign := f[code[i]].Cmp(f[k]); k != code[i] {
				ahead, tie = ahead || sign > 0, tie || sign == 0
				if sign < 0 {
					t.Errorf("%s: row %d prefers class %d", name, i, k)
				}
			}
		}
		if ahead {
			strict++
		}
		if tie != slices.Contains(p.Evidence.Ties, i) {
			t.Errorf("%s: row %d is a tie: %v", name, i, tie)
		}
	}
	if strict != p.Evidence.Strict || strict == 0 {
		t.Errorf("%s: %d rows are strict, not %d", name, strict, p.Evidence.Strict)
	}
}

// checkCombination sums ±value·(1, x) over the multipliers of two classes.
func (p *printed) checkCombination(t *testing.T, name string, x [][]*big.Rat, code []int) {
	t.Helper()
	sum := make([]*big.Rat, len(x[0])+1)
	for j := range sum {
		sum[j] = new(big.Rat)
	}
	for _, m := range p.Evidence.Multipliers {
		v := rational(t, m.Value, false)
		if v.Sign() <= 0 || code[m.Row] != m.Class {
			t.Errorf("%s: multiplier %s of row %d, class %d", name, m.Value, m.Row, m.Class)
		}
		if m.Class == 0 {
			v.Neg(v)
		}
		sum[0].Add(sum[0], v)
		for j, u := range x[m.Row] {
			sum[j+1].Add(sum[j+1], new(big.Rat).Mul(v, u))
		}
	}
	for j, s := range sum {
		if s.Sign() != 0 || len(p.Evidence.Multipliers) == 0 {
			t.Errorf("%s: the combinations differ in coordinate %d", name, j)
		}
	}
}
