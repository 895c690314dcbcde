package method_test

import (
	"errors"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// Collinear and constant columns are an error that names them, or are no problem.
func TestConstantAndCollinearColumnsAndFewRows(t *testing.T) {
	linalgtest.SkipSlow(t)
	for _, m := range method.All() {
		for _, o := range methodtest.Ways(m) {
			for what, change := range map[string]func(row []float64){
				"constant":  func(row []float64) { row[1] = 0.1 },
				"collinear": func(row []float64) { row[2] = 3*row[0] - 0.7*row[1] },
				"twice":     func(row []float64) { row[2] = row[0] },
				"zero":      func(row []float64) { row[1] = 0 },
			} {
				if m.Name == "perceptron" || m.Name == "hardmargin" && what != "constant" {
					continue // classes are then no longer apart
				}
				d := changed(methodtest.Clouds(m, 1, 60, 3), change)
				model, err := m.Fit(d, o)
				var rank *linalg.RankError
				if errors.As(err, &rank) && rank.Rank == 2 && rank.P == 3 && len(rank.Columns) == 1 {
					continue
				}
				judge(t, m, model, err, d, o)
				if err != nil {
					t.Errorf("%s: %s: %v", m.Name, what, err)
				}
			}
			d := methodtest.Clouds(m, 1, 12, 30)
			model, err := m.Fit(d, o)
			judge(t, m, model, err, d, o)
		}
	}
}

// A single feature.
func TestOneFeature(t *testing.T) {
	for _, m := range method.All() {
		d := methodtest.Clouds(m, 1, 60, 1)
		for i, k := range d.Labels {
			d.X.Row(i)[0] += 14 * float64(k)
		}
		for _, o := range methodtest.Ways(m) {
			if m.Name == "logistic" && o.Lambda == 0 {
				continue // separable
			}
			if m.Name == "hardmargin" || m.Name == "perceptron" || m.Name == "rrlda" || o.Multi == "" {
				model := methodtest.Must(t, m, d, o)
				judge(t, m, model, nil, d, o)
			}
		}
	}
}
