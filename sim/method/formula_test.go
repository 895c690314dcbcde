package method_test

import (
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim"
	"halfspace/sim/feature"
	"halfspace/sim/method"
)

// The functions of a model with costs are its discriminants, whose softmax its probabilities are, and not the
// expected costs, about any origin.
func TestFormulasOfModelsWithCosts(t *testing.T) {
	x, y := linalgtest.LabeledRows(90, 3, 3)
	scale, err := feature.FitStandardizer(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &discriminant.Options{Costs: linalgtest.Rows(t, []float64{0, 1, 5}, []float64{2, 0, 1}, []float64{1, 3, 0})}
	lda, err := discriminant.FitLDA(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	reduced, err := discriminant.FitReducedRank(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	qda, err := discriminant.FitQDA(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, fit := range []any{lda, reduced, qda} {
		for _, steps := range []feature.Chain{nil, {scale}} {
			m, err := method.New(nil, steps, fit)
			if err != nil {
				t.Fatal(err)
			}
			f, row := m.Formula(), x.Row(7)
			if len(f.Costs) != 3 || f.Costs[0][2] != 5 {
				t.Errorf("%s: costs %v", m.Method.Name, f.Costs)
			}
			if f.Coef == nil {
				continue
			}
			p := f.At
			for k := range p {
				for j, v := range row {
					p[k] += f.Coef[k][j] * (v - f.Origin[j])
				}
			}
			linalg.Softmax(p)
			linalgtest.CloseSlice(t, m.Method.Name, p, m.Classifier().(sim.Prober).Proba(nil, row), 1e-12)
		}
	}
}

// An indicator regression has the link that it was fitted with, of two classes too.
func TestLinkOfIndicators(t *testing.T) {
	for k := 2; k <= 3; k++ {
		x, y := linalgtest.LabeledRows(60, 2, k)
		for soft, want := range map[bool]method.Link{false: method.Clip, true: method.Softmax} {
			fit, err := discriminant.FitIndicator(x, y, &discriminant.Options{Softmax: soft})
			if err != nil {
				t.Fatal(err)
			}
			m, err := method.New(nil, nil, fit)
			if err != nil {
				t.Fatal(err)
			}
			if f := m.Formula(); f.Link != want || len(f.At) != k {
				t.Errorf("%d classes: link %q of %d functions, want %q", k, f.Link, len(f.At), want)
			}
		}
	}
}
