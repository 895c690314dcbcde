package dataset_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"halfspace/sim/dataset"
)

// numeral returns a number in one of the spellings that files have, of up to 25 digits.
func numeral(r *rand.Rand) string {
	digits := func(most int) string {
		var b strings.Builder
		for range r.IntN(most) {
			b.WriteByte("0000123456789"[r.IntN(13)])
		}
		return b.String()
	}
	s := []string{"", "-", "+"}[r.IntN(3)] + digits(9)
	if r.IntN(4) > 0 {
		s += "." + digits(25)
	}
	s += strconv.Itoa(r.IntN(10))
	if r.IntN(5) == 0 {
		s += fmt.Sprintf("e%d", r.IntN(40)-20)
	}
	return s
}

// Records of nothing but numbers are read as strconv reads numbers, and as the same
// records are read with spaces around their cells, which take another way; ends of lines
// and of the file do not matter.
func TestPlainRecordsAreReadAsOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var plain, spaced strings.Builder
	var want []float64
	plain.WriteString("a,class,b,c\n")
	spaced.WriteString("a,class,b,c\n")
	const rows = 3000
	for i := range rows {
		cells := []string{numeral(r), strconv.Itoa(i % 3), numeral(r), numeral(r)}
		for _, j := range []int{0, 2, 3} {
			v, err := strconv.ParseFloat(cells[j], 64)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, v)
		}
		end := []string{"\n", "\r\n", "\n\n"}[i%3]
		if i == rows-1 {
			end = ""
		}
		plain.WriteString(strings.Join(cells, ",") + end)
		spaced.WriteString(strings.Join(cells, " , ") + end)
	}
	for _, text := range []string{plain.String(), spaced.String()} {
		d, err := dataset.Read("t.csv", strings.NewReader(text), &dataset.Options{Label: "class"})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.X.Data, want) {
			t.Error("other numbers")
		}
		for i, c := range d.Labels {
			if c != i%3 {
				t.Fatalf("row %d is of class %d", i, c)
			}
		}
	}
}

// What is not a plain record is told apart in the middle of plain ones: its line and
// column are named.
func TestPlainRecordsKeepTheErrors(t *testing.T) {
	for bad, want := range map[string]string{
		"1,0,2":       "3 columns",
		"1,0,2,3,4":   "5 columns",
		"1,0,2,":      `column "c"`,
		"1,0,x,3":     `column "b"`,
		"1,0,1e999,3": `column "b"`,
		"1,0,2,3x":    `column "c"`,
		"1,NA,2,3":    "label",
	} {
		text := "a,class,b,c\n1,0,2,3\n4,1,5,6\n" + bad + "\n7,0,8,9\n"
		_, err := dataset.Read("t.csv", strings.NewReader(text), &dataset.Options{Label: "class"})
		if err == nil || !strings.Contains(err.Error(), "t.csv:4") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// The texts of classes, of features and of columns that are not read may be anything: records with them say, or are
// refused for, the same as where a number beside them is quoted.
func TestTextsBesideNumbersAreReadAsOthers(t *testing.T) {
	texts := []string{"a", "b c", "é", "1", "1.0", "-", "3x", "", "NA", "#x", " a", "a ", "\ta", "a\t", `"a"`, `"a,b"`, `a"b`, `""`, "a\rb", "\xff", "a;b"}
	read := func(first, text, sep, end string, drop []string) string {
		row := func(cells ...string) string { return strings.Join(cells, sep) + end }
		table := row("id", "x", "w", "class") + row(text, first, "2", "c") + row("u", first, "4", text) + row("u", "5", "6", "c")
		d, err := dataset.Read("file.csv", strings.NewReader(table), &dataset.Options{Label: "class", Drop: drop, Sep: sep[0]})
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(d.X.Data, d.Labels, d.Names)
	}
	for _, text := range texts {
		for _, sep := range []string{",", ";", "\t", " "} {
			for _, end := range []string{"\n", "\r\n"} {
				for _, drop := range [][]string{nil, {"id"}} {
					want := read(`"1"`, text, sep, end, drop)
					for _, first := range []string{"1", "+1.0", "1e0", strings.Repeat("0", 30) + "1"} {
						if got := read(first, text, sep, end, drop); got != want {
							t.Errorf("%q between %q, before %q, without %q: %s, as others %s", text, sep, end, drop, got, want)
						}
					}
				}
			}
		}
	}
}
