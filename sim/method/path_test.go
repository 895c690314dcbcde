package method_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
	"halfspace/sim/validate"
)

// at returns the options of the single fit that a point of a path is.
func at(m *method.Method, o *method.Options, p report.PathPoint) *method.Options {
	own := *o
	switch m.Name {
	case "rda":
		own.Alpha = float64(*p.Alpha)
	case "svc":
		own.C = 1 / float64(*p.Lambda)
	default:
		own.Lambda = float64(*p.Lambda)
	}
	return &own
}

// path returns the points of a path as they are reported.
func path(m *method.Method, d *dataset.Data, o *method.Options, count int) ([]report.PathPoint, error) {
	p, err := m.Path(d, o, count)
	if p == nil {
		return nil, err
	}
	return report.OfPath(m, p, 0).Points, err
}

// pathWays are options under which paths are tried.
func pathWays(m *method.Method) []*method.Options {
	list := []*method.Options{methodtest.Taken(m, &method.Options{Tol: 1e-9})}
	if m.Takes("standardize") {
		list = append(list, methodtest.Taken(m, &method.Options{Tol: 1e-9, Standardize: true}))
	}
	if m.Takes("l1-ratio") {
		list = append(list, &method.Options{Tol: 1e-9, L1Ratio: 0.5})
	}
	if m.Takes("class-weight") {
		list = append(list, methodtest.Taken(m, &method.Options{Tol: 1e-9, ClassWeight: "balanced", NoIntercept: true}))
	}
	if m.Takes("multi") {
		list = append(list, &method.Options{Tol: 1e-9, Multi: "ovr"})
	}
	return list
}

// Each point of a path is the single fit with its penalty: objective,
// coefficients, degrees of freedom and the share of the deviance.
func TestPathPointsAreSingleFits(t *testing.T) {
	for _, name := range method.WithPath() {
		m, err := method.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		d := methodtest.Lopsided(methodtest.Clouds(m, 1, 75, 3))
		tables := []*dataset.Data{d, methodtest.Loaded(m, d)}
		if !m.Regression {
			tables = append(tables, methodtest.TwoClasses(d))
		}
		for _, d := range tables {
			for _, o := range pathWays(m) {
				path, err := path(m, d, o, 5)
				if err != nil || len(path) == 0 || len(path) > 5 {
					t.Fatalf("%s: %d points, %v", name, len(path), err)
				}
				for i, p := range path {
					what := fmt.Sprintf("%s %+v, point %d", name, *o, i)
					model := methodtest.Must(t, m, d, at(m, o, p))
					s := report.Summarize(model, d.X.Rows, 0)
					linalgtest.Close(t, what+": objective", float64(p.Objective), float64(s.Objective), 1e-6)
					if len(p.Coef) != len(s.Coef) {
						t.Fatalf("%s: %d rows of coefficients, want %d", what, len(p.Coef), len(s.Coef))
					}
					for k := range p.Coef {
						methodtest.SameNumbers(t, what+": coefficients", record.Numbers(p.Coef[k]), record.Numbers(s.Coef[k]), 1e-4)
						if name == "svc" {
							a, b := slack(model, d, o, k, p.Coef[k], p.Intercept[k]), slack(model, d, o, k, s.Coef[k], s.Intercept[k])
							linalgtest.Close(t, what+": slack", a, b, 1e-5)
						}
					}
					if name != "svc" {
						methodtest.SameNumbers(t, what+": intercept", p.Intercept, s.Intercept, 1e-4)
					}
					judgePoint(t, what, model, d, o, p, i)
				}
				if first, last := path[0], path[len(path)-1]; name == "rda" && (*first.Alpha != 0 || *last.Alpha != 1) ||
					name != "rda" && !(*first.Lambda > *last.Lambda && first.Alpha == nil) {
					t.Errorf("%s: from %+v to %+v", name, first, last)
				}
			}
		}
	}
}

// slack returns Σ wξ of a plane for machine k. Where every support vector has its
// multiplier at C many intercepts have the least, and rounding chooses among them.
func slack(model *method.Model, d *dataset.Data, o *method.Options, k int, coef []float64, intercept record.Number) float64 {
	machine := model.Fitted().(*hyperplane.SVC).Machines()[k]
	sign, price := machineRows(machine, d, weightsOf(model.Method, d, o))
	sum := 0.0
	for i, s := range sign {
		f := float64(intercept)
		for j, v := range d.X.Row(i) {
			f += coef[j] * v
		}
		if s != 0 {
			sum += price[i] * max(0, 1-s*f)
		}
	}
	return sum
}

// judgePoint counts degrees of freedom and deviance from the model of a point.
func judgePoint(t *testing.T, what string, model *method.Model, d *dataset.Data, o *method.Options, p report.PathPoint, i int) {
	t.Helper()
	features := make(map[int]bool)
	for _, row := range p.Coef {
		for j, b := range row {
			if b != 0 {
				features[j] = true
			}
		}
	}
	switch name := model.Method.Name; name {
	case "rda":
		if p.DF == p.DF || p.DevRatio == p.DevRatio || p.Coef != nil {
			t.Errorf("%s: %+v", what, p)
		}
	case "svc":
		if float64(p.DF) != float64(len(features)) || p.DevRatio == p.DevRatio {
			t.Errorf("%s: %v degrees of freedom for %d features, share %v", what, p.DF, len(features), p.DevRatio)
		}
	case "logistic":
		if float64(p.DF) != float64(len(features)) {
			t.Errorf("%s: %v degrees of freedom for %d features", what, p.DF, len(features))
		}
		if d.Offset == nil && !o.NoIntercept {
			deviance, null := methodtest.Deviances(model, d)
			linalgtest.Close(t, what+": dev_ratio", float64(p.DevRatio), 1-deviance/null, 1e-6)
		}
		if i == 0 && o.L1Ratio > 0 && (p.DF != 0 || math.Abs(float64(p.DevRatio)) > 1e-9) {
			t.Errorf("%s: starts with %v features, %v of the deviance", what, p.DF, p.DevRatio)
		}
	default:
		if name == "lasso" && float64(p.DF) != float64(len(features)) {
			t.Errorf("%s: %v degrees of freedom for %d coefficients", what, p.DF, len(features))
		}
		if d.Offset == nil && d.Weights == nil && !o.NoIntercept {
			r, err := report.Evaluate(model, d)
			if err != nil {
				t.Fatal(err)
			}
			linalgtest.Close(t, what+": dev_ratio", float64(p.DevRatio), float64(r.(*report.Values).R2), 1e-6)
		}
	}
}

// The degrees of freedom of ridge regression are the trace of the matrix that
// makes ŷ of y, less 1 for the intercept: Σᵢ ∂ŷᵢ/∂yᵢ by the fit to each unit vector.
func TestRidgePathCountsTheTrace(t *testing.T) {
	m, _ := method.Named("ridge")
	d := methodtest.Clouds(m, 1, 20, 3)
	path, err := path(m, d, new(method.Options), 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range path {
		trace := -1.0
		for i := range d.Y {
			unit := *d
			unit.Y = make([]float64, len(d.Y))
			unit.Y[i] = 1
			trace += methodtest.Must(t, m, &unit, &method.Options{Lambda: float64(*p.Lambda)}).Regressor().Predict(d.X.Row(i))
		}
		linalgtest.Close(t, "df", float64(p.DF), trace, 1e-10)
	}
}

func TestPathRefuses(t *testing.T) {
	for _, m := range method.All() {
		d := methodtest.Clouds(m, 1, 60, 3)
		if !slices.Contains(method.WithPath(), m.Name) {
			if p, err := m.Path(d, new(method.Options), 5); p != nil || err == nil || !strings.Contains(err.Error(), m.Name+" has no path") {
				t.Errorf("%s: %v, %v", m.Name, p, err)
			}
			continue
		}
		bare := *d
		bare.Labels, bare.Y = nil, nil
		nan := changed(d, func(row []float64) { row[1] = math.NaN() })
		var bad *linalg.NonFiniteError
		if p, err := m.Path(&bare, new(method.Options), 5); p != nil || err == nil {
			t.Errorf("%s: without labels: %v, %v", m.Name, p, err)
		}
		if p, err := m.Path(d, new(method.Options), 0); p != nil || err == nil || !strings.Contains(err.Error(), "0 models") {
			t.Errorf("%s: no points: %v, %v", m.Name, p, err)
		}
		for _, o := range pathWays(m) {
			if p, err := m.Path(nan, o, 5); p != nil || !errors.As(err, &bad) || bad.Col != 1 {
				t.Errorf("%s: a NaN: %v, %v", m.Name, p, err)
			}
		}
		if p, err := path(m, d, new(method.Options), 1); err != nil || len(p) != 1 {
			t.Errorf("%s: one point: %v, %v", m.Name, p, err)
		}
		if !m.Regression {
			lacks := *d
			lacks.Labels = make([]int, d.X.Rows)
			for i := range lacks.Labels {
				lacks.Labels[i] = 2 * (i % 2)
			}
			var class *linalg.ClassError
			for _, o := range pathWays(m) {
				if p, err := m.Path(&lacks, o, 5); p != nil || !errors.As(err, &class) || !strings.Contains(err.Error(), `"v"`) {
					t.Errorf("%s: without class v: %v, %v", m.Name, p, err)
				}
			}
		}
	}
}

// A path that stops short says after how many fits, and has the points before; one
// that has the fit that did not converge as well says which, and how far it is.
func TestPathThatDoesNotConverge(t *testing.T) {
	for name, last := range map[string]bool{"logistic": false, "lasso": true, "svc": true} {
		m, _ := method.Named(name)
		d := methodtest.Clouds(m, 1, 200, 8)
		fits, err := m.Path(d, methodtest.Taken(m, &method.Options{L1Ratio: 1, MaxIter: 1, Tol: 1e-14}), 50)
		if !errors.Is(err, optimize.ErrNotConverged) || fits == nil || len(fits.Points) == 0 || len(fits.Points) == 50 ||
			!strings.Contains(err.Error(), fmt.Sprintf("the path ends after %d of at most 50 fits", len(fits.Points))) {
			t.Fatalf("%s: %+v, %v", name, fits, err)
		}
		made := report.OfPath(m, fits, 0)
		points, text := methodtest.Decoded(t, made).Points, methodtest.Lines(t, made)
		for i, p := range points {
			c := fits.Points[i].Report.Certificate()
			stopped := last && i == len(points)-1
			if (p.Certificate != nil) != stopped || stopped && (p.Status != "max_iterations" || float64(p.Certificate.Value) != c.Value) {
				t.Errorf("%s: point %d of %d: %q, %+v", name, i, len(points), p.Status, p.Certificate)
			}
			line := text[sim.Number(float64(*p.Lambda))]
			if stopped != strings.Contains(line[len(line)-1], fmt.Sprintf("max_iterations, %s %.2g", c.Kind, c.Value)) {
				t.Errorf("%s: point %d is printed as %q", name, i, line)
			}
		}
	}
}

// A class without the rows for a covariance of its own ends the path of RDA at
// the α that needs one.
func TestRDAPathSaysWhereItEnds(t *testing.T) {
	m, _ := method.Named("rda")
	path, err := path(m, methodtest.Lopsided(methodtest.Clouds(m, 1, 60, 5)), new(method.Options), 3)
	if len(path) != 2 || err == nil || !strings.Contains(err.Error(), "α = 1") || !strings.Contains(err.Error(), `class 1 is "v"`) {
		t.Errorf("%d points, %v", len(path), err)
	}
}

// Behind steps that make other features of the columns the points of a path of rda are single fits too.
func TestRDAPathBehindStepsOfMoreFeatures(t *testing.T) {
	m, err := method.Named("rda")
	if err != nil {
		t.Fatal(err)
	}
	d, folds := methodtest.Clouds(m, 1, 90, 2), make([]int, 90)
	d.Weights = make([]float64, 90)
	for i := range folds {
		d.Weights[i], folds[i] = float64(1+i%2), i/3%3
	}
	o := &method.Options{Steps: []feature.Step{feature.Expand{}}, ClassWeight: "balanced"}
	choice, err := m.CrossValidatePath(d, o, 3, folds)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range choice.Path.Points {
		single := *o
		single.Alpha = float64(k) / 2
		want := methodtest.Must(t, m, d, &single)
		linalgtest.Close(t, fmt.Sprintf("objective at α = %g", p.Penalty), p.Objective, want.Report().Objective(), 1e-12*want.Report().Objective())
		if got := methodtest.Predictions(p.Model, d.X); p.Penalty != single.Alpha || !slices.Equal(got, methodtest.Predictions(want, d.X)) {
			t.Errorf("α = %g, point %d: other predictions", p.Penalty, k)
		}
		sum, weight := 0.0, 0.0
		for fold := range 3 {
			held := part(d, func(i int) bool { return folds[i] == fold })
			c := methodtest.Must(t, m, part(d, func(i int) bool { return folds[i] != fold }), &single).Classifier()
			losses, err := validate.LogLosses(c.(sim.Prober), held.X, held.Labels)
			if err != nil {
				t.Fatal(err)
			}
			sum, weight = sum+linalg.Dot(held.Weights, losses), weight+linalg.Sum(held.Weights)
		}
		linalgtest.Close(t, fmt.Sprintf("loss at α = %g", p.Penalty), choice.CV.Mean[k], sum/weight, 1e-12)
	}
}

// The losses of a path count the rows left out by their weights, with their offsets, behind
// steps that know the other rows alone.
func TestPathLossesOfRowsLeftOut(t *testing.T) {
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	const n = 60
	r := rand.New(rand.NewPCG(3, 4))
	d := &dataset.Data{X: linalgtest.Normal(4, n, 3), Labels: make([]int, n), Weights: make([]float64, n), Offset: make([]float64, n)}
	folds := make([]int, n)
	for i := range n {
		d.Weights[i], d.Offset[i], folds[i] = float64(r.IntN(3)), r.NormFloat64(), i%3
		if d.X.At(i, 0)+r.NormFloat64() > 0 {
			d.Labels[i] = 1
		}
	}
	o := &method.Options{L1Ratio: 0.5, Tol: 1e-9, Steps: []feature.Step{feature.Standardize{}}}
	choice, err := m.CrossValidatePath(d, o, 4, folds)
	if err != nil {
		t.Fatal(err)
	}
	single := *o
	single.Lambda = choice.Path.Points[3].Penalty
	sum, weight := 0.0, 0.0
	for fold := range 3 {
		train, held := part(d, func(i int) bool { return folds[i] != fold }), part(d, func(i int) bool { return folds[i] == fold })
		model, err := m.Fit(train, &single)
		if err != nil {
			t.Fatal(err)
		}
		c, _, x := model.For(held)
		losses, err := validate.LogLosses(c.(sim.Prober), x, held.Labels)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range losses {
			sum, weight = sum+held.Weights[i]*l, weight+held.Weights[i]
		}
	}
	linalgtest.Close(t, "loss", choice.CV.Mean[3], sum/weight, 1e-6)
}

// part returns the rows of d that are kept.
func part(d *dataset.Data, keep func(i int) bool) *dataset.Data {
	var rows []int
	for i := range d.Labels {
		if keep(i) {
			rows = append(rows, i)
		}
	}
	return &dataset.Data{X: validate.TakeRows(d.X, rows), Labels: validate.Take(d.Labels, rows),
		Weights: validate.Take(d.Weights, rows), Offset: validate.Take(d.Offset, rows)}
}

// Folds of a path of C are fitted at the C of the path's points.
func TestFoldsOfAPathOfMachinesHaveItsPrices(t *testing.T) {
	m, err := method.Named("svc")
	if err != nil {
		t.Fatal(err)
	}
	d, folds := methodtest.Clouds(m, 1, 60, 2), make([]int, 60)
	for i := range folds {
		folds[i] = i % 2
	}
	o := &method.Options{Tol: 1e-9}
	choice, err := m.CrossValidatePath(d, o, 4, folds)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range choice.Path.Points {
		wrong := 0.0
		for fold := range 2 {
			train, held := part(d, func(i int) bool { return folds[i] != fold }), part(d, func(i int) bool { return folds[i] == fold })
			c, _, x := methodtest.Must(t, m, train, &method.Options{Tol: 1e-9, C: 1 / p.Penalty}).For(held)
			for i, label := range held.Labels {
				if c.Predict(x.(*linalg.Dense).Row(i)) != label {
					wrong++
				}
			}
		}
		linalgtest.Close(t, fmt.Sprintf("error rate at C = %g", 1/p.Penalty), choice.CV.Mean[k], wrong/60, 1e-15)
	}
}

// Weights are rows that repeat, in the fits of a path without a fold and in the losses of the rows in it.
func TestCrossValidatedPathsCountWeights(t *testing.T) {
	for _, name := range []string{"logistic", "lasso", "ridge", "rda", "svc"} {
		m, err := method.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		const n = 60
		d, folds := methodtest.Clouds(m, 1, n, 2), make([]int, n)
		d.Weights = make([]float64, n)
		var rows, again []int // the rows that repeat, and their folds
		for i := range n {
			d.Weights[i], folds[i] = float64(1+i%4), i/3%3
			for range 1 + i%4 {
				rows, again = append(rows, i), append(again, i/3%3)
			}
		}
		repeated := &dataset.Data{X: validate.TakeRows(d.X, rows), Labels: validate.Take(d.Labels, rows), Y: validate.Take(d.Y, rows), Names: d.Names, Schema: d.Schema}
		o := new(method.Options)
		if m.Takes("tol") {
			o.Tol = 1e-10
		}
		got, err := m.CrossValidatePath(d, o, 4, folds)
		if err != nil {
			t.Fatal(name, err)
		}
		want, err := m.CrossValidatePath(repeated, o, 4, again)
		if err != nil {
			t.Fatal(name, err)
		}
		linalgtest.CloseSlice(t, name+": losses", got.CV.Mean, want.CV.Mean, 1e-6*(1+linalg.NormInf(want.CV.Mean)))
	}
}
