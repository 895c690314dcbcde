package hyperplane

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// tableOf reads a data set with two classes coded in byte order.
func tableOf(t testing.TB, file, label string) (*linalg.Dense, []int) {
	x, labels, _ := lt.Table(t, file, label)
	y, _ := lt.Codes(labels)
	return x, y
}

// standardized returns x with columns of mean 0 and standard deviation 1.
func standardized(x *linalg.Dense) *linalg.Dense {
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
	lt.Golden(t, "testdata/svc_libsvm.json", &golden)
	for name, data := range map[string]func(t testing.TB) (*linalg.Dense, []int){
		"iris 0 1": func(t testing.TB) (*linalg.Dense, []int) { return irisPair(t, 0, 1) },
		"iris 0 2": func(t testing.TB) (*linalg.Dense, []int) { return irisPair(t, 0, 2) },
		"iris 1 2": func(t testing.TB) (*linalg.Dense, []int) { return irisPair(t, 1, 2) },
		"crabs":    func(t testing.TB) (*linalg.Dense, []int) { return tableOf(t, "crabs.csv", "sp") },
		"Pima-tr":  func(t testing.TB) (*linalg.Dense, []int) { return tableOf(t, "Pima-tr.csv", "type") },
		"SAheart standardised": func(t testing.TB) (*linalg.Dense, []int) {
			x, y := tableOf(t, "SAheart.csv", "chd")
			return standardized(x), y
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
				if _, intercept := m.Coef(); g.Slack <= 2.5e-8 {
					lt.Close(t, "intercept", intercept[0], g.Intercept, 2e-5) // kernels of LIBSVM are in single precision
				}
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
		lt.Close(t, "objective", got, g.dual, 1e-8)
		if n := len(m.Support()); n != g.support {
			t.Errorf("C %g: %d support vectors, LIBSVM has %d", c, n, g.support)
		}
	}
	if g.slack <= 2.5e-8 {
		lt.CloseSlice(t, "plane", coef.Row(0), g.coef, 1e-6)
	}
}

type moreGolden struct {
	Three struct {
		Coef                     [][]float64
		Intercept                []float64
		Predicted, GridPredicted []int
		Grid                     [][]float64
	}
	Weighted struct {
		Dual, Intercept float64
		Coef            []float64
	}
	Liblinear struct {
		C, Intercept float64
		Coef         []float64
	}
	Regression []struct {
		Name                               string
		C, Epsilon, Dual, Slack, Intercept float64
		Coef                               []float64
		Support                            int
	}
}

func TestSVCThreeClassesVoteAsLIBSVM(t *testing.T) {
	var raw struct {
		Three struct {
			Coef          [][]float64
			Intercept     []float64
			Predicted     []int
			Grid          [][]float64
			GridPredicted []int `json:"grid_predicted"`
		}
	}
	lt.Golden(t, "testdata/svc_more.json", &raw)
	g := raw.Three
	x, labels, _ := lt.Table(t, "iris.csv", "species")
	y, _ := lt.Codes(labels)
	m := mustSVC(t, x, y, nil)
	checkSVC(t, x, y, nil, m)
	got, err := m.PredictRows(nil, x)
	if err != nil || !slices.Equal(got, g.Predicted) {
		t.Errorf("predictions differ: %v", err)
	}
	grid := lt.Rows(t, g.Grid...)
	if got, err = m.PredictRows(got[:0], grid); err != nil || !slices.Equal(got, g.GridPredicted) {
		t.Errorf("predictions on the grid differ: %v\n%v\n%v", err, got, g.GridPredicted)
	}
	// LIBSVM's decision is positive for the first class of a pair, ours for the later.
	coef, intercept := m.Coef()
	for k := range 3 {
		want := slices.Clone(g.Coef[k])
		linalg.Scale(want, -1)
		lt.CloseSlice(t, "plane", coef.Row(k), want, 5e-5)
		lt.Close(t, "intercept", intercept[k], -g.Intercept[k], 5e-5)
	}
	rest := mustSVC(t, x, y, &SVCOptions{Multi: OneVsRest})
	checkSVC(t, x, y, nil, rest)
	for i := range y {
		s := rest.Scores(nil, x.Row(i))
		if rest.Predict(x.Row(i)) != linalg.ArgMax(s) {
			t.Errorf("row %d: predicted %d, scores %v", i, rest.Predict(x.Row(i)), s)
		}
	}
	for k, c := range rest.Machines() {
		two := make([]int, len(y))
		for i, v := range y {
			if v == k {
				two[i] = 1
			}
		}
		samePlane(t, "one against the rest", c.Plane, mustSVC(t, x, two, nil).Machines()[0].Plane, 1e-8)
	}
}

func TestSVCClassWeightsAsLIBSVM(t *testing.T) {
	var g moreGolden
	lt.Golden(t, "testdata/svc_more.json", &g)
	x, y := irisPair(t, 1, 2)
	m := mustSVC(t, x, y, &SVCOptions{ClassWeights: []float64{1, 5}})
	checkSVC(t, x, y, nil, m)
	lt.Close(t, "objective", m.Report().Objective(), g.Weighted.Dual, 1e-8)
	coef, intercept := m.Coef()
	lt.CloseSlice(t, "plane", append(intercept, coef.Row(0)...), append([]float64{g.Weighted.Intercept}, g.Weighted.Coef...), 2e-4)
	w := make([]float64, len(y))
	for i := range w {
		w[i] = float64(4*(y[i]-1) + 1)
	}
	rows := mustSVC(t, x, y, &SVCOptions{Weights: w})
	samePlane(t, "row weights", rows.Machines()[0].Plane, m.Machines()[0].Plane, 1e-9)
}

// LIBLINEAR penalises the intercept as one more coefficient: its problem is ours
// without intercept on rows with a 1 appended.
func TestSVCExplainsLIBLINEAR(t *testing.T) {
	var g moreGolden
	lt.Golden(t, "testdata/svc_more.json", &g)
	x, y := tableOf(t, "SAheart.csv", "chd")
	x = standardized(x)
	one := linalg.Zeros(x.Rows, x.Cols+1)
	for i := range x.Rows {
		copy(one.Row(i), x.Row(i))
		one.Row(i)[x.Cols] = 1
	}
	m := mustSVC(t, one, y, &SVCOptions{C: g.Liblinear.C, NoIntercept: true})
	checkSVC(t, one, y, nil, m)
	coef, _ := m.Coef()
	lt.CloseSlice(t, "LIBLINEAR", coef.Row(0), append(g.Liblinear.Coef, g.Liblinear.Intercept), 1e-6)
	ours := mustSVC(t, x, y, &SVCOptions{C: g.Liblinear.C})
	own, intercept := ours.Coef()
	objective := func(beta []float64, b float64) float64 {
		s := linalg.Dot(beta, beta) / 2
		for i, v := range y {
			s += g.Liblinear.C * math.Max(0, 1-float64(2*v-1)*(b+linalg.Dot(beta, x.Row(i))))
		}
		return s
	}
	a, b := objective(own.Row(0), intercept[0]), objective(g.Liblinear.Coef, g.Liblinear.Intercept)
	if !(a < b) {
		t.Errorf("our objective %v, at LIBLINEAR's plane %v", a, b)
	}
}
