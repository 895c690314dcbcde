package report_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
)

// The report has the points in JSON, and in print with their coefficients where
// there are few.
func TestPathReport(t *testing.T) {
	for _, name := range method.WithPath() {
		m, _ := method.Named(name)
		for _, d := range []*dataset.Data{methodtest.Clouds(m, 1, 60, 3), methodtest.Clouds(m, 1, 60, 13)} {
			if !m.Regression {
				d = methodtest.TwoClasses(d)
			}
			fits, err := m.Path(d, methodtest.Taken(m, &method.Options{L1Ratio: 1}), 4)
			if err != nil {
				t.Fatal(err)
			}
			made := report.OfPath(m, fits, 0.5)
			path, r, text := made.Points, methodtest.Decoded(t, made), methodtest.Lines(t, made)
			if len(r.Points) != len(fits.Points) || r.FitSeconds != 0.5 || r.Method != name ||
				fmt.Sprint(r.Features) != fmt.Sprint(d.Features()) || fmt.Sprint(r.Classes) != fmt.Sprint(d.Names) {
				t.Errorf("%s: %d points of %d in %v s, %s of %v for %v", name, len(r.Points), len(fits.Points), r.FitSeconds, r.Method, r.Features, r.Classes)
			}
			for i, p := range r.Points {
				if fmt.Sprint(numbersOf(p)) != fmt.Sprint(numbersOf(path[i])) {
					t.Errorf("%s: point %d became %v", name, i, numbersOf(p))
				}
				key := path[i].Lambda
				if name == "rda" {
					key = path[i].Alpha
				}
				line := sim.Number(float64(*key))
				if text[line] == nil {
					t.Fatalf("%s: no line for %s in %v", name, line, text)
				}
				at := 0
				if p.DF == p.DF { // a number that no point has is left out
					at++
				}
				if p.DevRatio == p.DevRatio {
					methodtest.Cell(t, name, text, line, at, float64(p.DevRatio))
					at++
				}
				methodtest.Cell(t, name, text, line, at, float64(p.Objective))
				if name == "rda" || d.X.Cols > 12 {
					if len(text[line]) != at+1 {
						t.Errorf("%s: %v", name, text[line])
					}
					continue
				}
				methodtest.Cell(t, name, text, line, at+1, float64(p.Intercept[0]))
				for j, b := range p.Coef[0] {
					methodtest.Cell(t, name, text, line, at+2+j, float64(b))
				}
			}
			want := map[string]string{"rda": "objective", "svc": "df objective"}[name]
			head := strings.Join(text[map[bool]string{true: "alpha", false: "lambda"}[name == "rda"]], " ")
			if !strings.HasPrefix(head, cmp.Or(want, "df dev. ratio objective")) {
				t.Errorf("%s: head %q", name, head)
			}
		}
	}
	if text := methodtest.Lines(t, new(report.Path)); len(text) == 0 {
		t.Error("a report of no points prints nothing")
	}
}

// The coefficients of a path of very many features are unpacked one fit after the other, as they are written.
func TestPathOfManyFeatures(t *testing.T) {
	const n, p = 60, 30_000
	start, index, value, labels := []int{0}, []int32(nil), []float64(nil), make([]int, n)
	for i := range n {
		labels[i] = i % 2
		index, value = append(index, int32(labels[i]+i%3), int32(5+i*7)), append(value, 1+float64(i%5), 1)
		start = append(start, len(index))
	}
	x, err := linalg.NewCSR(n, p, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := method.Named("logistic")
	d := &dataset.Data{Sparse: x, Labels: labels}
	path, err := m.Path(d, &method.Options{L1Ratio: 1}, 40)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := report.OfPath(m, path, 0)
	runtime.ReadMemStats(&after)
	if made, names := after.TotalAlloc-before.TotalAlloc, uint64(p*32); made > names+8*p {
		t.Errorf("a report of %d fits takes %d bytes", len(path.Points), made)
	}
	var b bytes.Buffer
	whole, err := json.Marshal(r)
	if err := errors.Join(err, report.WriteJSON(&b, r)); err != nil || strings.TrimSpace(b.String()) != string(whole) {
		t.Errorf("the text in pieces is another, %v: %.200s", err, b.String())
	}
	var back report.Path
	if err := json.Unmarshal(whole, &back); err != nil || len(back.Points) != len(path.Points) {
		t.Fatalf("%d points, %v", len(back.Points), err)
	}
	for i, point := range path.Points {
		coef, intercept, _ := point.Model.Coef()
		methodtest.SameNumbers(t, "coefficients", record.Numbers(back.Points[i].Coef[0]), record.Numbers(coef.Row(0)), 0)
		methodtest.SameNumbers(t, "intercept", back.Points[i].Intercept, record.Numbers(intercept), 0)
	}
}

func numbersOf(p report.PathPoint) []any {
	var v [2]float64
	for i, n := range []*record.Number{p.Lambda, p.Alpha} {
		if n != nil {
			v[i] = float64(*n)
		}
	}
	return []any{v, p.DF, p.DevRatio, p.Objective, p.Intercept, p.Coef}
}
