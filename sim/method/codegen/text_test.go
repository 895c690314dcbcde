package codegen_test

import (
	"strings"
	"testing"

	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/codegen"
	"halfspace/sim/method/methodtest"
)

// generated returns the code of a logistic regression on the wards, in one space between words.
func generated(t *testing.T, missing, unseen dataset.Rule, steps ...feature.Step) string {
	t.Helper()
	d, err := dataset.Read("t.csv", strings.NewReader(wards), &dataset.Options{Categorical: []string{"Encode"},
		Reference: map[string]string{"ward \"A\"\nx": "mid"}, Missing: missing, Unseen: unseen})
	if err != nil {
		t.Fatal(err)
	}
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	code, err := codegen.Generate(methodtest.Must(t, m, d, &method.Options{Lambda: 1, Steps: steps}), "p")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(code)), " ")
}

// Columns have fields of their own and places in a row, levels all but the reference; steps have
// their numbers, and only what is used is written.
func TestGeneratedTextOfColumnsAndSteps(t *testing.T) {
	kept := generated(t, dataset.Keep, dataset.Reference, feature.Impute{Indicator: true}, feature.Quantile{Count: 4}, feature.Standardize{})
	for _, want := range []string{
		`type Row struct { Dose float64 // "dose"; NaN is missing Age float64 // "age"; NaN is missing WardAX string // "ward \"A\"\nx": "mid", "left", "right"; "" is missing Encode_2 string //`,
		`x[0] = r.Dose x[1] = r.Age switch cell(r.WardAX) { case "mid": case "left": x[2] = 1 case "right": x[3] = 1 case "", "NA", "NaN", "nan", "NAN", "Nan", "NAn", "nAN", "nAn", "naN": for j := 2; j < 4; j++ { x[j] = math.NaN() } }`,
		`switch cell(r.Encode_2) { case "1": case "2": x[4] = 1 case "3": x[5] = 1 case "", "NA", "NaN", "nan", "NAN", "Nan", "NAn", "nAN", "nAn", "naN": for j := 4; j < 6; j++`,
		`// the first of its column.`, `var marks0 = [...]int{0, 1, 2, 4}`, `var knots1 = [10][4]float64{ {0.2, 1.1, 1.5, 2.5}, {44, 50, 55, 61},`,
		`z0 := step0(x) z1 := step1(&z0) return z1 }`, `func place(`,
	} {
		if !strings.Contains(kept, want) {
			t.Errorf("no %s in\n%s", want, kept)
		}
	}
	strict := generated(t, dataset.LeaveOut, dataset.Refuse, feature.Standardize{}, feature.Expand{Degree: 2})
	for _, bad := range []string{"math.NaN()", "func place(", "the first of its column"} {
		if strings.Contains(strict, bad) {
			t.Errorf("%s in\n%s", bad, strict)
		}
	}
	if want := `has no level `; !strings.Contains(strict, want) {
		t.Errorf("no %s in\n%s", want, strict)
	}
}

// A constant feature is centred alone, of more than ten levels ten are spelled, and more than a
// thousand columns have no struct.
func TestGeneratedTextAtItsBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("c,level,y\n")
	for i := range 24 {
		b.WriteString("5," + string(rune('a'+i%12)) + "," + string("no yes"[3*(i/5%2):][:2]) + "\n")
	}
	d, err := dataset.Read("t.csv", strings.NewReader(b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := method.Named("logistic")
	text := func(d *dataset.Data, steps ...feature.Step) string {
		code, err := codegen.Generate(methodtest.Must(t, m, d, &method.Options{Lambda: 1, Steps: steps}), "p")
		if err != nil {
			t.Fatal(err)
		}
		return string(code)
	}
	got := text(d, feature.Standardize{}, feature.Quantile{Count: 3})
	if !strings.Contains(got, `"h", "i", "j", …`) || strings.Contains(got, `"j", "k"`) || !strings.Contains(got, "{1, 0.27") {
		t.Error(got)
	}
	for columns, structs := range map[int]bool{1000: true, 1001: false} {
		var b strings.Builder
		for j := range columns {
			b.WriteString("c" + strings.Repeat("x", j%7) + string(rune('a'+j%26)) + strings.Repeat("z", j/26) + ",")
		}
		b.WriteString("y\n")
		for i := range 4 {
			b.WriteString(strings.Repeat(string(rune('0'+i))+",", columns) + string(rune('0'+i%2)) + "\n")
		}
		d, err := dataset.Read("t.csv", strings.NewReader(b.String()), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(text(d), "type Row struct"); got != structs {
			t.Errorf("%d columns: struct %t", columns, got)
		}
	}
}

// A level that has spaces around it or zeros behind a point is told from the one without them.
func TestGeneratedTextOfSpellings(t *testing.T) {
	d, err := dataset.Read("t.csv", strings.NewReader("k,y\n2,u\n2.0,v\n\" 2\",u\nnan,v\n2,v\n2.5,u\n"), &dataset.Options{Categorical: []string{"k"}, Missing: dataset.Keep})
	if err != nil {
		t.Fatal(err)
	}
	m, _ := method.Named("logistic")
	code, err := codegen.Generate(methodtest.Must(t, m, d, &method.Options{Lambda: 1, Steps: []feature.Step{feature.Impute{}}}), "p")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(code)), " ")
	if want := `switch cell(r.K, " 2", "2.0") { case " 2": case "2": x[0] = 1 case "2.0": x[1] = 1 case "2.5": x[2] = 1 case "", "NA",`; !strings.Contains(text, want) {
		t.Errorf("no %s in\n%s", want, code)
	}
}
