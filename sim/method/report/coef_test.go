package report_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/report"
)

// Coefficients of very many features are those that are not 0, and come back.
func TestCoefOfManyFeatures(t *testing.T) {
	for _, p := range []int{3, 10_000, 10_001} {
		c := report.Coef{make([]float64, p), make([]float64, p)}
		c[0][1], c[1][p-1] = 0.5, -2
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if sparse := strings.HasPrefix(string(b), `{"p":10001,"rows":[{"index":[1],"value":[0.5]},{"index":[10000],"value":[-2]}]}`); sparse != (p > 10_000) {
			t.Errorf("%d features: %.80s", p, b)
		}
		var back report.Coef
		if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, c) {
			t.Errorf("%d features do not come back: %v", p, err)
		}
	}
	var back report.Coef
	for _, bad := range []string{`{"p":3,"rows":[{"index":[3],"value":[1]}]}`, `{"p":3,"rows":[{"index":[1]}]}`, `{"p":-1}`, `{"p":99999999999,"rows":[{}]}`, `{"p":4611686018427387904,"rows":[{},{},{},{}]}`, `{`, `3`} {
		if json.Unmarshal([]byte(bad), &back) == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// Planes between each two of many classes have more coefficients than the data have values: they are
// printed and saved from where they are, and nobody holds their text.
func TestManyPlanesAreWrittenAsTheyAre(t *testing.T) {
	const n, p, k = 36, 12_000, 12
	start, index, value, labels := []int{0}, []int32(nil), []float64(nil), make([]int, n)
	for i := range n {
		for j := i % 7; j < p; j += 7 {
			index, value = append(index, int32(j)), append(value, math.Sqrt(float64(1+(i*j)%11)))
		}
		start, labels[i] = append(start, len(value)), i%k
	}
	x, err := linalg.NewCSR(n, p, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := method.Named("svc")
	model, err := m.Fit(&dataset.Data{Sparse: x, Labels: labels}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, write := range map[string]func(w io.Writer) error{
		"saved":   model.Save,
		"printed": func(w io.Writer) error { return report.WriteJSON(w, report.Summarize(model, n, 0)) },
	} {
		var before, after runtime.MemStats
		var c counter
		runtime.ReadMemStats(&before)
		err := write(&c)
		runtime.ReadMemStats(&after)
		if made, most := after.TotalAlloc-before.TotalAlloc, uint64(8*p*k*(k-1)/2); err != nil || uint64(c) < most || made > most {
			t.Errorf("%s: %d bytes of text take %d of memory, want at most %d; %v", what, c, made, most, err)
		}
	}
}

// counter counts the bytes that are written.
type counter int

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }

// Of very many features the print names those that tell for each class, the largest first; a
// coefficient of 0 tells for none.
func TestMostTellingFeatures(t *testing.T) {
	x, y := linalg.Zeros(40, 10_001), make([]int, 40)
	d := &dataset.Data{X: x, Labels: y, Names: []string{"no", "yes"}, Schema: &dataset.Schema{Label: "y", Names: []string{"no", "yes"}}}
	for j := range x.Cols {
		name := fmt.Sprintf("f%d", j)
		d.Schema.Columns = append(d.Schema.Columns, dataset.Column{Name: name})
	}
	for i := range y {
		y[i] = i % 2
		x.Set(i, 7, float64(y[i])+0.5*float64(i%3))
		x.Set(i, 11, 1.5*float64(y[i])+0.5*float64(i%5))
		x.Set(i, 13, -float64(y[i])+0.5*float64(i%3))
	}
	m, _ := method.Named("logistic")
	model, err := m.Fit(d, &method.Options{Lambda: 1, L1Ratio: 1})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	summary := report.Summarize(model, x.Rows, 0)
	if err := summary.Write(&b, true); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	if !regexp.MustCompile(`(?m)no +f13 -[.\d]+$`).MatchString(s) || !regexp.MustCompile(`(?m)yes +f(7 [.\d]+, f11|11 [.\d]+, f7) [.\d]+$`).MatchString(s) {
		t.Error(s)
	}

	var back report.Summary // from a file, which does not say what the functions are called
	if data, err := json.Marshal(summary); err != nil || json.Unmarshal(data, &back) != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := back.Write(&b, true); err != nil || !regexp.MustCompile(`(?m)estimate +f(7|11) `).MatchString(b.String()) {
		t.Error(b.String(), err)
	}
}

// A regression without a falling feature has no row for them.
func TestMostTellingFeaturesOfARegression(t *testing.T) {
	d := &dataset.Data{X: linalg.Zeros(9, 10_001)}
	for i := range d.X.Rows {
		d.X.Set(i, 7, float64(i))
		d.Y = append(d.Y, float64(i))
	}
	m, _ := method.Named("lasso")
	model, err := m.Fit(d, &method.Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := report.Summarize(model, 9, 0).Write(&b, false); err != nil || !strings.Contains(b.String(), "estimate\tx8 ") || strings.Contains(b.String(), "\n\t\n") {
		t.Errorf("%v in\n%s", err, b.String())
	}
}
