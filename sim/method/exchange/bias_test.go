package exchange_test

import (
	"math"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/exchange"
)

// LIBLINEAR's own fits are near the minimum of its own objective, whose intercept is penalised,
// and further from that of ours.
func TestLIBLINEARIsJudgedByItsOwnObjective(t *testing.T) {
	x, species, _ := linalgtest.Table(t, "iris.csv", "species")
	_, cases := toolCases(t, liblinearJSON)
	seen := 0
	for _, c := range cases {
		var o *method.Options
		switch c.Name {
		case "liblinear -s 7, two":
			o = &method.Options{Lambda: 1}
		case "liblinear -s 3, two":
			o = &method.Options{C: 1}
		default:
			continue
		}
		seen++
		m, err := exchange.Read(strings.NewReader(c.Model))
		if err != nil {
			t.Fatal(err)
		}
		labels := make([]int, len(species))
		for i, s := range species {
			for k, name := range m.Schema.Names {
				if name == map[string]string{"versicolor": "-1", "virginica": "1"}[s] {
					labels[i] = k
				}
			}
		}
		pair, _ := linalg.NewDense(100, 4, x.Data[200:])
		d := &dataset.Data{X: pair, Labels: labels[50:], Names: m.Schema.Names}
		own, err := exchange.Audit(m, d, o, 1)
		if err != nil {
			t.Fatal(c.Name, err)
		}
		ours, err := exchange.Audit(m, d, o, 0)
		if err != nil {
			t.Fatal(c.Name, err)
		}
		_, intercept, _ := m.Coef()
		if more := own.Report.Objective() - ours.Report.Objective(); math.Abs(more-intercept[0]*intercept[0]/2) > 1e-10*own.Report.Objective() {
			t.Errorf("%s: the bias costs %v, want half of %v squared", c.Name, more, intercept[0])
		}
		if a, b := own.Excess()/own.Report.Objective(), ours.Excess()/ours.Report.Objective(); !(a < 0.01) || !(a < b) {
			t.Errorf("%s: %g above the minimum of its own objective, %g above ours", c.Name, a, b)
		}
		if _, err := exchange.Audit(m, d, o, -1); err == nil {
			t.Error("a bias of -1 was taken")
		}
	}
	if seen != 2 {
		t.Fatalf("%d of 2 cases", seen)
	}
}
