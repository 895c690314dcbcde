package method_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// elsewhere makes a model of the published numbers of another, as a user would who has them
// from another tool.
func elsewhere(t *testing.T, fitted any, means *linalg.Dense) (any, error) {
	t.Helper()
	switch m := fitted.(type) {
	case *logistic.Model:
		coef, intercept := m.Coef()
		return logistic.New(m.Classes(), coef, intercept)
	case *hyperplane.SVC:
		coef, intercept := m.Coef()
		return hyperplane.NewSVC(m.Classes(), coef, intercept, &hyperplane.SVCOptions{C: m.C()})
	case *hyperplane.SVR:
		coef, intercept := m.Coef()
		return hyperplane.NewSVR(coef.Row(0), intercept[0], &hyperplane.SVROptions{C: m.C(), Epsilon: m.Epsilon()})
	case *hyperplane.Perceptron:
		coef, intercept := m.Coef()
		return hyperplane.NewPerceptron(m.Classes(), coef.Row(0), intercept[0])
	case *discriminant.LDA:
		return discriminant.NewLDA(m.Classes(), m.Priors(), m.Means(), m.Cov())
	case *discriminant.ReducedRank:
		return discriminant.NewReducedRank(m.Classes(), m.Priors(), means, m.Scaling())
	case *discriminant.QDA:
		var densities []*discriminant.Gaussian
		for k := range m.Classes() {
			g, err := discriminant.GaussianOfFactor(m.Means().Row(k), m.Density(k).Factor())
			if err != nil {
				t.Fatal(err)
			}
			densities = append(densities, g)
		}
		return discriminant.NewQDA(m.Classes(), m.Priors(), densities)
	case *regression.Model:
		coef, intercept := m.Coef()
		return regression.New(coef.Row(0), intercept[0], &regression.Options{Lambda: m.Lambda(), L1Ratio: m.L1Ratio()})
	}
	return nil, errors.New("no constructor")
}

func TestModelsOfPublishedNumbersPredictAlike(t *testing.T) {
	x, species, _ := linalgtest.Table(t, "iris.csv", "species")
	three, names := coded(species)
	y := make([]float64, len(three))
	for i := range y {
		y[i] = 2*x.At(i, 0) - x.At(i, 3)
	}
	two, _ := linalg.NewDense(100, 4, slices.Concat(x.Data[:100*4]))
	lda, err := discriminant.FitLDA(x, three, nil)
	if err != nil {
		t.Fatal(err)
	}
	means := lda.Means()
	for _, name := range []string{"logistic", "svc", "perceptron", "lda", "rrlda", "qda", "svr", "ols", "ridge", "lasso"} {
		m, err := method.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		o := &method.Options{}
		if m.Takes("lambda") {
			o.Lambda = 0.5
		}
		d := &dataset.Data{X: x, Labels: three, Names: names}
		switch {
		case m.Regression:
			d = &dataset.Data{X: x, Y: y}
		case name == "perceptron":
			d = &dataset.Data{X: two, Labels: three[:100], Names: names[:2]}
		}
		own, err := m.Fit(d, o)
		if err != nil {
			t.Fatal(name, err)
		}
		fit, err := elsewhere(t, own.Fitted(), means)
		if err != nil {
			t.Fatal(name, err)
		}
		made, err := method.New(own.Schema, nil, fit)
		if err != nil {
			t.Fatal(name, err)
		}
		if r := made.Report(); made.Method.Name != name || r.Status() != optimize.Imported || r.Err(nil) != nil || r.Certificate().Holds() {
			t.Errorf("%s: method %s, %v", name, made.Method.Name, r)
		}
		alike(t, name, own, reread(t, made), x)
	}
}

func alike(t *testing.T, name string, a, b *method.Model, x *linalg.Dense) {
	t.Helper()
	for i := range x.Rows {
		row := x.Row(i)
		if a.Method.Regression {
			if v, w := a.Regressor().Predict(row), b.Regressor().Predict(row); !(math.Abs(v-w) <= 1e-12*(1+math.Abs(v))) {
				t.Errorf("%s, row %d: %v, elsewhere %v", name, i, v, w)
			}
			continue
		}
		if v, w := a.Classifier().Predict(row), b.Classifier().Predict(row); v != w {
			t.Errorf("%s, row %d: class %d, elsewhere %d", name, i, v, w)
		}
		if p, ok := a.Classifier().(sim.Prober); ok {
			u, v := p.Proba(nil, row), b.Classifier().(sim.Prober).Proba(nil, row)
			for k := range u {
				if !(math.Abs(u[k]-v[k]) <= 1e-11) {
					t.Errorf("%s, row %d: probability %v, elsewhere %v", name, i, u[k], v[k])
				}
			}
		}
	}
}

func TestNumbersFromElsewhereAreChecked(t *testing.T) {
	ones := linalg.Zeros(1, 2)
	for what, c := range map[string]struct {
		classes   []int
		coef      *linalg.Dense
		intercept []float64
		want      any
	}{
		"one class":   {[]int{1}, ones, []float64{0}, new(*linalg.ClassError)},
		"no class":    {nil, ones, []float64{0}, new(*linalg.ClassError)},
		"descending":  {[]int{2, 1}, ones, []float64{0}, new(*linalg.ClassError)},
		"twice":       {[]int{1, 1}, ones, []float64{0}, new(*linalg.ClassError)},
		"three":       {[]int{1, 2, 3}, ones, []float64{0}, new(*linalg.ShapeError)},
		"no coef":     {[]int{1, 2}, nil, []float64{0}, new(*linalg.ShapeError)},
		"no columns":  {[]int{1, 2}, linalg.Zeros(1, 0), []float64{0}, new(*linalg.ShapeError)},
		"intercepts":  {[]int{1, 2}, ones, nil, new(*linalg.ShapeError)},
		"NaN":         {[]int{1, 2}, ones, []float64{math.NaN()}, new(*linalg.NonFiniteError)},
		"Inf":         {[]int{1, 2}, &linalg.Dense{Rows: 1, Cols: 1, Stride: 1, Data: []float64{math.Inf(1)}}, []float64{0}, new(*linalg.NonFiniteError)},
		"overflowing": {[]int{1, 2}, &linalg.Dense{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1e300}}, []float64{0}, new(*record.DamageError)},
	} {
		_, err := logistic.New(c.classes, c.coef, c.intercept)
		if !errors.As(err, c.want) {
			t.Errorf("logistic.New, %s: %v", what, err)
		}
		if _, err := hyperplane.NewSVC(c.classes, c.coef, c.intercept, nil); !errors.As(err, c.want) {
			t.Errorf("hyperplane.NewSVC, %s: %v", what, err)
		}
	}
	if _, err := discriminant.NewLDA([]int{0, 1}, []float64{.5, .5}, linalg.Zeros(2, 2), linalg.Zeros(2, 2)); err == nil {
		t.Error("a covariance of zeros was taken")
	}
	if _, err := discriminant.NewLDA([]int{0, 1}, []float64{.5, .6}, linalg.Zeros(2, 2), linalg.Zeros(2, 2)); err == nil {
		t.Error("priors that sum to 1.1 were taken")
	}
	if _, err := regression.New([]float64{1}, 0, &regression.Options{Lambda: -1}); err == nil {
		t.Error("λ = -1 was taken")
	}
}

// Each function of LIBLINEAR's models of three classes tells its class from the rest.
func TestOneVsRestProbabilitiesAreSigmoidsOverTheirSum(t *testing.T) {
	coef, _ := linalg.NewDense(3, 1, []float64{1, -2, 800})
	m, err := logistic.NewOneVsRest([]int{0, 1, 2}, coef, []float64{0.5, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	sigma := func(f float64) float64 { return 1 / (1 + math.Exp(-f)) }
	p := m.Proba(nil, []float64{-1})
	sum := sigma(-0.5) + sigma(2)
	for k, want := range []float64{sigma(-0.5) / sum, sigma(2) / sum, 0} {
		if !(math.Abs(p[k]-want) <= 1e-15) {
			t.Errorf("P(%d) is %v, want %v", k, p[k], want)
		}
		if l := m.LogProba(nil, []float64{-1})[k]; k < 2 && math.Abs(math.Exp(l)-want) > 1e-15 || k == 2 && math.Abs(l+800+math.Log(sum)) > 1e-10 {
			t.Errorf("log P(%d) is %v", k, l)
		}
		if s := m.ProbaSparse(nil, []int32{0}, []float64{-1})[k]; s != p[k] {
			t.Errorf("sparse P(%d) is %v, dense %v", k, s, p[k])
		}
	}
}

// coded returns labels as positions in the sorted list of their names.
func coded(labels []string) (codes []int, names []string) {
	names = slices.Compact(slices.Sorted(slices.Values(labels)))
	for _, l := range labels {
		k, _ := slices.BinarySearch(names, l)
		codes = append(codes, k)
	}
	return codes, names
}

// reread returns the model after a trip through its file.
func reread(t *testing.T, m *method.Model) *method.Model {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	read, err := method.Load(&b)
	if err != nil {
		t.Fatal(err)
	}
	return read
}
