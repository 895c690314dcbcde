package report_test

import (
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
	"halfspace/sim/validate"
)

// The report has the points in their order, in JSON and in print.
func TestCVReport(t *testing.T) {
	for name, c := range map[string]struct{ loss, axis string }{"svc": {"error", "C=0.001,1"}, "lasso": {"mse", "lambda=0.5,30"}} {
		m, _ := method.Named(name)
		d := methodtest.Clouds(m, 1, 62, 3)
		folds, err := method.Folds(d, 4, 2, 3)
		if err != nil {
			t.Fatal(err)
		}
		grid, err := method.Grid(c.axis, "standardize=false,true")
		if err != nil {
			t.Fatal(err)
		}
		cv, err := m.CrossValidate(d, new(method.Options), grid, folds, &validate.Options{Workers: 0})
		if err != nil {
			t.Fatal(err)
		}
		made := report.CrossValidation(cv, m, 62, 4, 2)
		text, r := methodtest.Lines(t, made), methodtest.Decoded(t, made)
		if r.Method != name || r.N != 62 || r.Folds != 4 || r.Repeats != 2 || r.Loss != c.loss || len(r.Points) != 4 {
			t.Errorf("%+v", r)
		}
		best := 0
		for g, p := range r.Points {
			if cv.Loss.Mean[g] < cv.Loss.Mean[best] {
				best = g
			}
			label := grid[g][0].Name + "=" + grid[g][0].Value + " " + grid[g][1].Name + "=" + grid[g][1].Value
			if p.Options[grid[g][0].Name] != grid[g][0].Value || p.Options["standardize"] != grid[g][1].Value || len(p.Options) != 2 || p.Error != "" {
				t.Errorf("%s: point %d is %+v, want %v", name, g, p, grid[g])
			}
			linalgtest.Close(t, name+": loss", float64(p.Loss), cv.Loss.Mean[g], 0)
			linalgtest.Close(t, name+": se", float64(p.SE), cv.Loss.SE[g], 0)
			methodtest.Cell(t, name, text, label, 0, cv.Loss.Mean[g])
			methodtest.Cell(t, name, text, label, 1, cv.Loss.SE[g])
		}
		first := cv.OneSE()
		if r.Best != best || r.OneSE != first {
			t.Errorf("%s: best %d, within one se %d; want %d, %d of %v ± %v", name, r.Best, r.OneSE, best, first, cv.Loss.Mean, cv.Loss.SE)
		}
		marks := 0
		for _, cells := range text {
			if n := len(cells); n > 2 && (cells[n-1] == "best" || cells[n-1] == "simplest within one se") {
				marks++
			}
		}
		if marks != 1 && first == best || marks != 2 && first != best {
			t.Errorf("%s: %d marks in %q", name, marks, text)
		}
		if err := r.Write(new(methodtest.Full), true); err == nil {
			t.Error("a full disk is no error")
		}
	}
}
