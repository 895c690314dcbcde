package method_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// Columns that depend on one another exactly, to within rounding or nearly give a model
// or a documented error, and so does the inference after the fit. No error speaks of the
// arithmetic inside.
func TestErrorsOfDependentColumnsSpeakOfTheTable(t *testing.T) {
	for _, m := range method.All() {
		r := rand.New(rand.NewPCG(3, 7))
		tables, ways := 12, append(methodtest.Ways(m), &method.Options{})
		if m.Name == "logistic" { // whose inference reads the information
			tables = 240
		}
		for i := range tables {
			d, o := dependent(m, r), ways[i%len(ways)]
			model, err := m.Fit(d, o)
			if model == nil {
				checkSpeaks(t, m, d, err)
				continue
			}
			inf, err := model.Infer(d, o)
			if inf != nil && err != nil {
				t.Errorf("%s: inference and %v", m.Name, err)
			}
			checkSpeaks(t, m, d, err)
		}
	}
}

func checkSpeaks(t *testing.T, m *method.Method, d *dataset.Data, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var pivot *linalg.PivotError
	said := err.Error()
	if errors.As(err, &pivot) || strings.Contains(said, "pivot") || strings.Contains(said, "not positive definite") || !documented(err) {
		t.Errorf("%s: %v\n%v", m.Name, err, d.X.Data)
	}
}

// dependent returns a table, of weighted rows for some methods, with columns that differ
// from a constant, or from a multiple of another column, by an amount of any size.
func dependent(m *method.Method, r *rand.Rand) *dataset.Data {
	n, p := 8+r.IntN(16), 2+r.IntN(5)
	d := methodtest.Clouds(m, r.Uint64(), n, p)
	for range 1 + r.IntN(3) {
		j, k, kind := r.IntN(p), r.IntN(p), r.IntN(4)
		gap, size := math.Pow(10, -float64(r.IntN(18))), math.Pow(10, float64(r.IntN(20)-8))
		for i := range n {
			row := d.X.Row(i)
			switch kind {
			case 0:
				row[j] = size * (1 + gap*row[j])
			case 1:
				row[j] = size * (row[k] + gap*row[j])
			case 2:
				row[j] = size * math.Round(2*row[j])
			case 3:
				row[j] = size*row[k] + gap*r.NormFloat64()
			}
		}
	}
	if m.Takes("weights") && r.IntN(3) == 0 {
		for range n {
			d.Weights = append(d.Weights, math.Pow(10, float64(r.IntN(12)-6)))
		}
	}
	return d
}

// The points of a path of rda have models where single fits of them have, and their digits.
func TestPathOfNearlyDependentColumns(t *testing.T) {
	for _, part := range []float64{0x1p-12, 0x1p-28} { // of the scatter rounding has a few digits left, or none
		pathIsFits(t, part)
	}
}

func pathIsFits(t *testing.T, part float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 7))
	x, y := linalg.Zeros(60, 3), make([]int, 60)
	for i := range y {
		y[i] = i % 3
		a, b, c := math.Round(99*r.NormFloat64())+99*float64(y[i]), math.Round(99*r.NormFloat64()), r.NormFloat64()
		copy(x.Row(i), []float64{a, b, a + b + part*c})
	}
	m, err := method.Named("rda")
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Data{X: x, Labels: y}
	p, err := m.Path(d, nil, 4)
	if err != nil || len(p.Points) != 4 {
		t.Fatal(p, err)
	}
	for _, point := range p.Points {
		one, err := m.Fit(d, &method.Options{Alpha: point.Penalty})
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.CloseSlice(t, "predictions", methodtest.Predictions(point.Model, x), methodtest.Predictions(one, x), 0)
		linalgtest.Close(t, "objective", point.Objective, one.Report().Objective(), 1e-12*math.Abs(one.Report().Objective()))
	}
}
