package logistic_test

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

func TestGLM(t *testing.T) {
	heart := func(cols string) func(t *testing.T) (*linalg.Dense, []int) {
		return func(t *testing.T) (*linalg.Dense, []int) { return lt.Heart(t, cols) }
	}
	table := func(file, label string) func(t *testing.T) (*linalg.Dense, []int) {
		return func(t *testing.T) (*linalg.Dense, []int) {
			x, labels, _ := linalgtest.Table(t, file, label)
			y, _ := linalgtest.Codes(labels)
			return x, y
		}
	}
	for _, c := range []struct {
		name string
		data func(t *testing.T) (*linalg.Dense, []int)
		o    func(x *linalg.Dense) *logistic.Options
	}{
		{"iris", func(t *testing.T) (*linalg.Dense, []int) { return lt.IrisPair(t) }, nil},
		{"SAheart", heart(""), nil},
		{"SAheart-4.2", heart("sbp tobacco ldl famhist=Present obesity alcohol age"), nil},
		{"SAheart-4.3", heart("tobacco ldl famhist=Present age"), nil},
		{"Pima-tr", table("Pima-tr.csv", "type"), nil},
		{"birthwt", table("birthwt.csv", "low"), nil},
		{"weights", heart("tobacco ldl famhist=Present age"), func(x *linalg.Dense) *logistic.Options {
			o := &logistic.Options{Weights: make([]float64, x.Rows)}
			for i := range o.Weights {
				o.Weights[i] = float64(i % 3)
			}
			return o
		}},
		{"no-intercept", heart("tobacco ldl famhist=Present age"), func(*linalg.Dense) *logistic.Options { return &logistic.Options{NoIntercept: true} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, y := c.data(t)
			var o *logistic.Options
			if c.o != nil {
				o = c.o(x)
			}
			m := lt.MustFit(t, x, y, o)
			g := lt.Golden[lt.GLM](t, "testdata/glm.json", c.name)
			got := lt.Intercepted(m)
			if o != nil && o.NoIntercept {
				got = got[1:]
			}
			linalgtest.CloseSlice(t, "coef", got, g.Coef, 1e-8)
			linalgtest.Close(t, "deviance", 2*m.Report().Objective(), g.Deviance, 1e-10)
			t.Logf("%d iterations, certificate %.2g", m.Report().Iterations(), m.Report().Certificate().Value)
		})
	}
}

func TestOffset(t *testing.T) {
	x, y := lt.Heart(t, "tobacco ldl famhist=Present age")
	offset := x.Col(nil, 3)
	for i := range offset {
		offset[i] = 0.05 * (offset[i] - 40)
	}
	m := lt.MustFit(t, lt.First(x, 3), y, &logistic.Options{Offset: offset})
	linalgtest.CloseSlice(t, "coef", lt.Intercepted(m), lt.Golden[lt.GLM](t, "testdata/glm.json", "offset").Coef, 1e-8)
}

func TestMNLogit(t *testing.T) {
	for _, name := range []string{"iris", "birthwt", "fgl"} {
		t.Run(name, func(t *testing.T) {
			x, y := lt.Several(t, name)
			m, g := lt.MustFit(t, x, y, nil), lt.Golden[lt.MNLogit](t, "testdata/multinom.json", name)
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

type glmnetPath struct {
	Name        string
	Alpha       float64
	Standardize bool
	Lambda      []float64
	Objective   []float64
	Support     []float64
	DevRatio    []float64 `json:"dev_ratio"`
	Last        []float64
}

func pathData(t testing.TB, name string) (*linalg.Dense, []int) {
	if name == "SAheart" {
		return lt.Heart(t, "")
	}
	x, labels, _ := linalgtest.Table(t, name+".csv", "type")
	y, _ := linalgtest.Codes(labels)
	return x, y
}

func TestGlmnet(t *testing.T) {
	var golden struct{ Paths []glmnetPath }
	linalgtest.Golden(t, "testdata/glmnet.json", &golden)
	for i, g := range golden.Paths {
		if testing.Short() && i%4 > 1 {
			continue
		}
		x, y := pathData(t, g.Name)
		path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: g.Alpha, Standardize: g.Standardize, Tol: 1e-9}, Lambdas: g.Lambda})
		if err != nil {
			t.Fatalf("%s, α = %g, standardize %v: %v", g.Name, g.Alpha, g.Standardize, err)
		}
		if len(path.Points) != len(g.Lambda) {
			t.Fatalf("%s, α = %g: %d of %d points", g.Name, g.Alpha, len(path.Points), len(g.Lambda))
		}
		if last := path.Points[len(path.Points)-1].Model; len(last.Classes()) == 2 { // of more classes glmnet's are not unique
			coef, intercept := last.Coef()
			linalgtest.CloseSlice(t, "last coefficients", append(intercept, coef.Row(0)...), g.Last, 1e-6)
		}
		scale := columnSD(x)
		if !g.Standardize {
			for j := range scale {
				scale[j] = 1
			}
		}
		worst, excess := 0.0, math.Inf(-1)
		for k, p := range path.Points {
			objective, kkt := elasticNetKKT(p.Model, x, y, p.Penalty, g.Alpha, scale)
			linalgtest.Close(t, "objective", p.Objective, objective, 1e-12)
			// glmnet fits the first λ of a ridge as if it were infinite.
			if k > 0 || g.Alpha > 0 {
				linalgtest.Close(t, "deviance ratio", p.DevRatio, g.DevRatio[k], 1e-6)
			}
			worst, excess = math.Max(worst, kkt), math.Max(excess, objective/g.Objective[k]-1)
			// The lasso of several classes is not unique within a feature.
			if support := p.DF; g.Alpha > 0 && support != g.Support[k] {
				t.Errorf("%s, α = %g, standardize %v, λ = %g: %g features, glmnet has %g", g.Name, g.Alpha, g.Standardize, p.Penalty, support, g.Support[k])
			}
		}
		t.Logf("%s, α = %g, standardize %v: %d λ, KKT residual ≤ %.2g, objective ≤ glmnet's·(1 %+.1e)", g.Name, g.Alpha, g.Standardize, len(path.Points), worst, excess)
		if worst > 1e-9 || excess > 1e-9 {
			t.Errorf("KKT residual %g, objective worse by %g", worst, excess)
		}
	}
}
