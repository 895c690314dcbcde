package method_test

import (
	"bytes"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// A file whose numbers were changed and its checksums put right is refused, or its model
// gives every row a finite score whose numbers are at most 2⁶⁰ after the steps.
func TestHostileNumbersGiveFiniteScoresOrAreRefused(t *testing.T) {
	linalgtest.SkipSlow(t)
	number := regexp.MustCompile(`[:,\[](-?[0-9][-+.e0-9]*)[,\]}]`)
	files := modelFiles(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		whole := files[name]
		refused, largest := 0, 0x1p60
		if strings.Contains(name, "steps") {
			largest = 0x1p20 // of which steps make products of three
		}
		for _, at := range sampleOf(number.FindAllSubmatchIndex(whole, -1), 120) {
			for _, v := range []string{"1.7e308", "-1.7e308", "1e-308", "3e290"} {
				model, err := method.Load(bytes.NewReader(resealed(slices.Concat(whole[:at[2]], []byte(v), whole[at[3]:]))))
				if err != nil {
					refused++
					continue
				}
				checkFinite(t, name+" with "+v, model, largest)
			}
		}
		if refused == 0 {
			t.Errorf("%s: no number is refused", name)
		}
	}
}

// checkFinite looks at rows of numbers of both signs up to the largest.
func checkFinite(t *testing.T, what string, m *method.Model, largest float64) {
	t.Helper()
	p := len(m.Schema.Features())
	row := make([]float64, p)
	for _, size := range []float64{0, 1, largest} {
		for signs := range 4 {
			for j := range row {
				row[j] = size
				if signs>>(j%2)&1 == 1 {
					row[j] = -size
				}
			}
			var values []float64
			if r := m.Regressor(); r != nil {
				values = []float64{r.Predict(row)}
			} else {
				values = m.Classifier().Scores(nil, row)
				if pr, ok := m.Classifier().(interface {
					Proba(dst, row []float64) []float64
				}); ok && m.HasProba() {
					values = pr.Proba(values, row)
				}
			}
			if k := slices.IndexFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }); k >= 0 {
				t.Fatalf("%s: %v of %v", what, values, row)
			}
		}
	}
}

// The largest numbers that a fit makes, of the smallest columns it takes, are no damage.
func TestFitsAtTheEndsOfTheRangeAreLoaded(t *testing.T) {
	for _, m := range method.All() {
		loaded := 0
		for _, size := range []float64{0x1p-440, 0x1p440} {
			d := methodtest.Clouds(m, 1, 30, 2)
			for i := range d.X.Data {
				d.X.Data[i] *= size
			}
			for i := range d.Y {
				d.Y[i] /= size
			}
			for _, o := range methodtest.Ways(m) {
				model, _ := m.Fit(d, o)
				if model == nil {
					continue
				}
				var b bytes.Buffer
				if err := model.Save(&b); err != nil {
					t.Fatal(err)
				}
				if _, err := method.Load(&b); err != nil {
					t.Errorf("%s at %g: %v", m.Name, size, err)
				}
				loaded++
			}
		}
		if loaded == 0 {
			t.Errorf("%s: no model", m.Name)
		}
	}
}
