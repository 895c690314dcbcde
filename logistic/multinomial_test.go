package logistic

import (
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

type mnlogit struct {
	Coef, SE, P      [][]float64
	LLF, LLNull, AIC float64
	BIC              float64
}

func mnGolden(t testing.TB, name string) mnlogit {
	var g struct {
		Tool               string
		Iris, Birthwt, Fgl mnlogit
	}
	linalgtest.Golden(t, "testdata/multinom.json", &g)
	return map[string]mnlogit{"iris": g.Iris, "birthwt": g.Birthwt, "fgl": g.Fgl}[name]
}

// mnData returns the data of a golden.
func mnData(t testing.TB, name string) (*linalg.Dense, []int) {
	label := map[string]string{"iris": "species", "birthwt": "race", "fgl": "type"}[name]
	want := map[string]string{"iris": "sepal_width", "birthwt": "age lwt smoke ftv low", "fgl": "Na Si"}[name]
	x, labels, names := linalgtest.Table(t, name+".csv", label)
	y, _ := linalgtest.Codes(labels)
	x = columns(t, x, names, want)
	if name == "fgl" {
		x, y = linalgtest.Select(x, y, func(i int) bool { return y[i] != 1 })
	}
	return x, y
}

func TestMNLogit(t *testing.T) {
	for _, name := range []string{"iris", "birthwt", "fgl"} {
		t.Run(name, func(t *testing.T) {
			x, y := mnData(t, name)
			m, g := mustFit(t, x, y, nil), mnGolden(t, name)
			coef, intercept := m.Coef()
			for k, want := range g.Coef {
				linalgtest.CloseSlice(t, "coef", append(intercept[k:k+1:k+1], coef.Row(k)...), want, 1e-8)
			}
			last := coef.Rows - 1
			linalgtest.CloseSlice(t, "reference", append(intercept[last:], coef.Row(last)...), make([]float64, x.Cols+1), 0)
			linalgtest.Close(t, "log-likelihood", -m.Report().Objective(), g.LLF, 1e-10)
		})
	}
}

// difference returns the parameters of f₁ − f₀.
func difference(m *Model) []float64 {
	coef, intercept := m.Coef()
	d := append([]float64{intercept[1]}, coef.Row(1)...)
	linalg.Axpy(d, -1, append([]float64{intercept[0]}, coef.Row(0)...))
	return d
}

func TestReference(t *testing.T) {
	x, y := mnData(t, "iris")
	last, ref := mustFit(t, x, y, nil), 0
	first := mustFit(t, x, y, &Options{Reference: &ref})
	for i := range x.Rows {
		linalgtest.CloseSlice(t, "probabilities", first.Proba(nil, x.Row(i)), last.Proba(nil, x.Row(i)), 1e-12)
	}
	coef, intercept := first.Coef()
	linalgtest.CloseSlice(t, "reference", append(intercept[:1], coef.Row(0)...), []float64{0, 0}, 0)
	ref = 7
	if _, err := Fit(x, y, &Options{Reference: &ref}); !asError[*linalg.ClassError](err) {
		t.Errorf("reference 7: %v", err)
	}
}

func TestRidgeSumsToZero(t *testing.T) {
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	m := mustFit(t, x, y, &Options{Lambda: 0.1})
	coef, intercept := m.Coef()
	for j := range x.Cols {
		linalgtest.Close(t, "Σ coef", coef.At(0, j)+coef.At(1, j)+coef.At(2, j), 0, 1e-12)
	}
	linalgtest.Close(t, "Σ intercept", sum(intercept), 0, 1e-11)
}
