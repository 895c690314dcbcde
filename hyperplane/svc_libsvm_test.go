package hyperplane

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// tableOf reads a data set with two classes coded in byte order.
func tableOf(t testing.TB, file, label string) (*linalg.Dense, []int) {
	x, labels, _ := linalgtest.Table(t, file, label)
	y, _ := linalgtest.Codes(labels)
	return x, y
}

// standardised returns x with columns of mean 0 and standard deviation 1.
func standardised(x *linalg.Dense) *linalg.Dense {
	z := x.Clone()
	n := float64(x.Rows)
	for j := range x.Cols {
		c := x.Col(nil, j)
		mean, square := 0.0, 0.0
		for _, v := range c {
			mean += v / n
		}
		for _, v := range c {
			square += (v - mean) * (v - mean) / n
		}
		for i, v := range c {
			z.Set(i, j, (v-mean)/math.Sqrt(square))
		}
	}
	return z
}

func TestSVCAgainstLIBSVM(t *testing.T) {
	var golden struct {
		Sets map[string][]struct {
			C, Dual, Slack, Intercept float64
			Coef                      []float64
			Support                   int
		}
	}
	linalgtest.Golden(t, "testdata/svc_libsvm.json", &golden)
	for name, data := range map[string]func(t testing.TB) (*linalg.Dense, []int){
		"iris 0 1": func(t testing.TB) (*linalg.Dense, []int) { return irisPair(t, 0, 1) },
		"iris 0 2": func(t testing.TB) (*linalg.Dense, []int) { return irisPair(t, 0, 2) },
		"iris 1 2": func(t testing.TB) (*linalg.Dense, []int) { return irisPair(t, 1, 2) },
		"crabs":    func(t testing.TB) (*linalg.Dense, []int) { return tableOf(t, "crabs.csv", "sp") },
		"Pima-tr":  func(t testing.TB) (*linalg.Dense, []int) { return tableOf(t, "Pima-tr.csv", "type") },
		"SAheart standardised": func(t testing.TB) (*linalg.Dense, []int) {
			x, y := tableOf(t, "SAheart.csv", "chd")
			return standardised(x), y
		},
	} {
		t.Run(name, func(t *testing.T) {
			x, y := data(t)
			for _, g := range golden.Sets[name] {
				m, err := FitSVC(x, y, &SVCOptions{C: g.C})
				if err != nil {
					t.Errorf("C %g: %v", g.C, err)
					continue
				}
				checkSVC(t, x, y, nil, m)
				libsvm{g.Dual, g.Slack, g.Coef, g.Support}.check(t, g.C, m)
			}
		})
	}
}

// libsvm is a golden soft margin. Slack is the relative gap between LIBSVM's own
// primal and dual: its kernel is in single precision.
type libsvm struct {
	dual, slack float64
	coef        []float64
	support     int
}

func (g libsvm) check(t *testing.T, c float64, m *SVC) {
	t.Helper()
	got, scale := m.Report().Objective(), math.Max(1, m.Report().Objective())
	coef, _ := m.Coef()
	apart := make([]float64, len(g.coef))
	for j := range apart {
		apart[j] = coef.At(0, j) - g.coef[j]
	}
	// LIBSVM's multipliers are feasible: no dual objective is above the optimum, and
	// half the squared distance of its plane from the optimal one is below its gap.
	if got < g.dual-1e-12*scale {
		t.Errorf("C %g: objective %v below LIBSVM's dual %v", c, got, g.dual)
	}
	if d := linalg.Norm(apart); d > math.Sqrt(2*g.slack*scale)*1.01+1e-7 && g.slack < 0.1 {
		t.Errorf("C %g: planes differ by %g, LIBSVM's gap is %g", c, d, g.slack)
	}
	if g.slack <= 5e-6 {
		linalgtest.Close(t, "objective", got, g.dual, 1e-8)
		if n := len(m.Support()); n != g.support {
			t.Errorf("C %g: %d support vectors, LIBSVM has %d", c, n, g.support)
		}
	}
	if g.slack <= 2.5e-8 {
		linalgtest.CloseSlice(t, "plane", coef.Row(0), g.coef, 1e-6)
	}
}
