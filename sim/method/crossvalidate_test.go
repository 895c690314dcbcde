package method_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
	"halfspace/sim/validate"
)

// axes are a grid of two points for each method.
var axes = map[string]string{
	"indicator": "workers=1,2", "lda": "divisor=n-k,n", "qda": "priors=uniform,0.2,0.3,0.5", "rda": "alpha=0.1,0.9", "rrlda": "rank=1,2",
	"logistic": "lambda=0.5,20", "perceptron": "rate=1,3", "hardmargin": "standardize=false,true", "svc": "C=0.001,1", "svr": "epsilon=0.1,2",
	"ols": "no-intercept=false,true", "ridge": "lambda=0.5,200", "lasso": "lambda=0.5,30",
}

// points reads a grid; priors have commas in them.
func points(t *testing.T, axis string) [][]method.Setting {
	t.Helper()
	if name, values, _ := strings.Cut(axis, "="); name == "priors" {
		first, rest, _ := strings.Cut(values, ",")
		return [][]method.Setting{{{Name: name, Value: first}}, {{Name: name, Value: rest}}}
	}
	g, err := method.Grid(axis)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Cross-validation is fits without each fold, evaluated on it: losses are means
// over the rows, of which a weight is a repetition, and the standard errors those of glmnet.
func TestCrossValidateIsFoldsFittedOneByOne(t *testing.T) {
	for _, m := range method.All() {
		for _, d := range []*dataset.Data{methodtest.Clouds(m, 1, 62, 3), methodtest.Loaded(m, methodtest.Clouds(m, 1, 62, 3))} {
			if d.Weights != nil {
				d.Weights[5], d.Weights[40] = 0, 0
			}
			o, grid := methodtest.Options(m), points(t, axes[m.Name])
			o.Standardize = m.Takes("standardize")
			folds, err := method.Folds(d, 4, 2, 3)
			if err != nil {
				t.Fatal(err)
			}
			var done []int
			cv, err := m.CrossValidate(d, o, grid, folds, &validate.Options{Workers: 2, Trace: func(s optimize.Step) error { done = append(done, s.Iteration); return nil }})
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			if fmt.Sprint(done) != "[1 2 3 4 5 6 7 8]" {
				t.Errorf("%s: progress %v", m.Name, done)
			}
			for g, p := range grid {
				own := *o
				if err := own.Set(p[0].Name, p[0].Value); err != nil {
					t.Fatal(err)
				}
				loss, logLoss := foldByFold(t, m, d, &own, folds)
				linalgtest.Close(t, m.Name+": loss", cv.Loss.Mean[g], loss[0], 1e-12)
				linalgtest.Close(t, m.Name+": its error", cv.Loss.SE[g], loss[1], 1e-12)
				linalgtest.Close(t, m.Name+": log-loss", cv.LogLoss.Mean[g], logLoss[0], 1e-12)
				linalgtest.Close(t, m.Name+": its error", cv.LogLoss.SE[g], logLoss[1], 1e-12)
				if cv.Failed[g] != nil {
					t.Errorf("%s: %v", m.Name, cv.Failed[g])
				}
			}
		}
	}
}

// foldByFold returns mean and standard error of the loss and of the log-loss.
func foldByFold(t *testing.T, m *method.Method, d *dataset.Data, o *method.Options, folds [][]int) (loss, logLoss [2]float64) {
	t.Helper()
	repeats := float64(len(folds))
	for _, fold := range folds {
		k := slices.Max(fold) + 1
		n, size, losses := 0.0, make([]float64, k), [2][]float64{make([]float64, k), make([]float64, k)}
		for f := range k {
			var in, out []int
			for i, g := range fold {
				if g == f {
					for range int(sample.WeightAt(d.Weights, i)) {
						out = append(out, i)
					}
				} else {
					in = append(in, i)
				}
			}
			r, err := report.Evaluate(methodtest.Must(t, m, methodtest.Rows(d, in), o), methodtest.Rows(d, out))
			if err != nil {
				t.Fatal(err)
			}
			size[f] = float64(len(out))
			n += size[f]
			switch r := r.(type) {
			case *report.Values:
				losses[0][f], losses[1][f] = float64(r.MSE), math.NaN()
			case *report.Classes:
				losses[0][f], losses[1][f] = float64(r.Error), float64(r.LogLoss)
			}
		}
		for which, sum := range []*[2]float64{&loss, &logLoss} {
			mean, square := 0.0, 0.0
			for f, v := range losses[which] {
				mean += size[f] * v / n
			}
			for f, v := range losses[which] {
				square += size[f] * (v - mean) * (v - mean) / n
			}
			sum[0] += mean / repeats
			sum[1] += square / float64(k-1) / repeats
		}
	}
	loss[1], logLoss[1] = math.Sqrt(loss[1]), math.Sqrt(logLoss[1])
	return loss, logLoss
}

// Folds share out each class, and the rows of a regression, as evenly as can be;
// repeats are dealt anew and a seed deals alike.
func TestFoldsShareOutEachClass(t *testing.T) {
	for _, name := range []string{"lda", "ols"} {
		m, _ := method.Named(name)
		d := methodtest.Clouds(m, 1, 61, 3)
		folds, err := method.Folds(d, 5, 2, 9)
		if err != nil {
			t.Fatal(err)
		}
		for _, fold := range folds {
			counts := make(map[int][]int)
			for i, f := range fold {
				class := 0
				if d.Labels != nil {
					class = d.Labels[i]
				}
				if counts[class] == nil {
					counts[class] = make([]int, 5)
				}
				counts[class][f]++
			}
			for class, c := range counts {
				if slices.Max(c)-slices.Min(c) > 1 {
					t.Errorf("%s: class %d has %v rows in the folds", name, class, c)
				}
			}
		}
		again, _ := method.Folds(d, 5, 2, 9)
		if slices.Equal(folds[0], folds[1]) || fmt.Sprint(folds) != fmt.Sprint(again) {
			t.Errorf("%s: two repeats are dealt alike, or one seed in two ways", name)
		}
	}
	lda, _ := method.Named("lda")
	if _, err := method.Folds(methodtest.Clouds(lda, 1, 9, 3), 1, 1, 1); err == nil {
		t.Error("one fold is dealt")
	}
}

// A point of the grid that cannot be fitted has its error and no loss; the others
// are judged. Without any that can there is the error.
func TestPointsThatCannotBeFitted(t *testing.T) {
	logistic, _ := method.Named("logistic")
	d := methodtest.Clouds(logistic, 1, 60, 3)
	folds, err := method.Folds(d, 3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	cv, err := logistic.CrossValidate(d, new(method.Options), points(t, "lambda=-1,2"), folds, &validate.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(cv.Loss.Mean[0], 1) || cv.Failed[0] == nil || cv.Failed[1] != nil || cv.Loss.Best() != 1 {
		t.Errorf("losses %v, failures %v", cv.Loss.Mean, cv.Failed)
	}
	r := methodtest.Decoded(t, report.CrossValidation(cv, logistic, 60, 3, 1))
	if p := r.Points[0]; p.Loss == p.Loss || p.Error != cv.Failed[0].Error() || r.Best != 1 || r.OneSE != 1 {
		t.Errorf("%+v", r)
	}
	if text := methodtest.Lines(t, report.CrossValidation(cv, logistic, 60, 3, 1)); text["lambda=-1"][4] != cv.Failed[0].Error() {
		t.Errorf("%q", text)
	}
	hard, _ := method.Named("hardmargin")
	var plane *hyperplane.InfeasibleError
	if cv, err := hard.CrossValidate(d, new(method.Options), [][]method.Setting{nil}, folds, &validate.Options{Workers: 1}); cv != nil || !errors.As(err, &plane) {
		t.Errorf("overlapping classes: %v, %v", cv, err)
	}
}

// What is not a grid for the method or not folds of the data is an error.
func TestCrossValidateRefuses(t *testing.T) {
	for _, m := range method.All() {
		d := methodtest.Clouds(m, 1, 60, 3)
		folds, err := method.Folds(d, 3, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		other := `C`
		if m.Takes(`C`) {
			other = "lambda"
		}
		one := [][]method.Setting{nil}
		bare := *d
		bare.Labels, bare.Y = nil, nil
		for what, c := range map[string]struct {
			d      *dataset.Data
			points [][]method.Setting
			folds  [][]int
			says   string
		}{
			"an option it does not take":  {d, [][]method.Setting{{{Name: other, Value: "1"}}}, folds, m.Name + " takes no option \"" + other + "\""},
			"a value that is none":        {d, [][]method.Setting{{{Name: "workers", Value: "many"}}}, folds, `"many"`},
			"no points":                   {d, nil, folds, "no point"},
			"no labels":                   {&bare, one, folds, m.Name},
			"folds of more rows":          {d, one, [][]int{append(slices.Clone(folds[0]), 1)}, "61"},
			"folds of fewer rows":         {d, one, [][]int{folds[0][1:]}, "59"},
			"one fold":                    {d, one, [][]int{make([]int, 60)}, "fold"},
			"one repeat of another table": {d, one, [][]int{folds[0], folds[0][1:]}, "59"},
		} {
			cv, err := m.CrossValidate(c.d, methodtest.Options(m), c.points, c.folds, &validate.Options{Workers: 1})
			if cv != nil || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %s: %v, %v", m.Name, what, cv, err)
			}
		}
	}
}

// The simplest point within one standard error has the largest λ, the smallest C or
// rank, whatever the order of the grid; where two options vary, the fewest degrees of
// freedom.
func TestOneSEIsTheSimplest(t *testing.T) {
	for _, c := range []struct {
		name string
		o    method.Options
		axes []string
		// simpler reports whether the first point is simpler than the second; nil asks
		// for the degrees of freedom.
		simpler func(a, b *method.Options) bool
	}{
		{"logistic", method.Options{}, []string{"lambda=1,10,30,60"}, func(a, b *method.Options) bool { return a.Lambda > b.Lambda }},
		{"ridge", method.Options{}, []string{"lambda=30,10,3,1"}, func(a, b *method.Options) bool { return a.Lambda > b.Lambda }},
		{"svc", method.Options{}, []string{"C=10,1,0.1,0.03", "standardize=true"}, func(a, b *method.Options) bool { return a.C < b.C }},
		{"rrlda", method.Options{}, []string{"rank=0,2,1"}, func(a, b *method.Options) bool { return a.Rank != 0 && (b.Rank == 0 || a.Rank < b.Rank) }},
		{"rda", method.Options{Shrinkage: 0.1}, []string{"alpha=1,0.5,0.2,0"}, func(a, b *method.Options) bool { return a.Alpha < b.Alpha }},
		{"rda", method.Options{}, []string{"gamma=1,0.9,0.5"}, func(a, b *method.Options) bool { return a.Shrinkage > b.Shrinkage }},
		{"lasso", method.Options{}, []string{"lambda=0.1,4,30", "l1-ratio=0.5,1"}, nil},
	} {
		m, _ := method.Named(c.name)
		d := methodtest.Clouds(m, 1, 62, 3)
		folds, err := method.Folds(d, 4, 1, 3)
		if err != nil {
			t.Fatal(err)
		}
		grid, err := method.Grid(c.axes...)
		if err != nil {
			t.Fatal(err)
		}
		cv, err := m.CrossValidate(d, &c.o, grid, folds, &validate.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		points, df := make([]method.Options, len(grid)), make([]float64, len(grid))
		for g, p := range grid {
			points[g] = c.o
			for _, s := range p {
				if err := points[g].Set(s.Name, s.Value); err != nil {
					t.Fatal(err)
				}
			}
			if c.simpler == nil {
				df[g] = nonZeroInFolds(t, m, d, &points[g], folds[0])
			}
		}
		want := cv.Best()
		bound := cv.Loss.Mean[want] + cv.Loss.SE[want]
		for g, v := range cv.Loss.Mean {
			if v <= bound && (c.simpler == nil && df[g] < df[want] || c.simpler != nil && c.simpler(&points[g], &points[want])) {
				want = g
			}
		}
		first := slices.Index(cv.Loss.Mean, cv.Loss.Mean[cv.Best()]) // which of equals need not be the simplest
		if got := cv.OneSE(); got != want || want == first {
			t.Errorf("%s %v: %v, want %v; best %v, losses %v ± %v, df %v", c.name, c.axes, grid[got], grid[want], grid[cv.Best()], cv.Loss.Mean, cv.Loss.SE, df)
		}
	}
}

// nonZeroInFolds returns the mean over rows of the non-zero coefficients of the fit
// without their fold.
func nonZeroInFolds(t *testing.T, m *method.Method, d *dataset.Data, o *method.Options, folds []int) (mean float64) {
	t.Helper()
	for f := range slices.Max(folds) + 1 {
		var in []int
		out := 0
		for i, g := range folds {
			if g != f {
				in = append(in, i)
			} else {
				out++
			}
		}
		coef, _, _ := methodtest.Must(t, m, methodtest.Rows(d, in), o).Coef()
		for _, b := range coef.Data {
			if b != 0 {
				mean += float64(out) / float64(len(folds))
			}
		}
	}
	return mean
}

// A fit that does not converge counts with the model it reached; how many there
// were and how far the farthest is from converging is said for each point and in all.
func TestUnconvergedFitsAreMeasured(t *testing.T) {
	m, _ := method.Named("perceptron")
	lda, _ := method.Named("lda")
	d := methodtest.TwoClasses(methodtest.Clouds(lda, 1, 60, 3)) // overlapping
	folds, err := method.Folds(d, 3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	cv, err := m.CrossValidate(d, &method.Options{MaxEpochs: 2}, [][]method.Setting{nil}, folds, &validate.Options{Workers: 1})
	if err != nil || !(cv.Loss.Mean[0] > 0 && cv.Loss.Mean[0] < 1) || cv.Failed[0] != nil {
		t.Errorf("%+v, %v", cv, err)
	}
	if u := cv.Unconverged[0]; u.Fits != 3 || u.Of != 3 || !errors.Is(cv.Converged(), optimize.ErrNotConverged) {
		t.Errorf("%+v, %v", u, cv.Converged())
	}

	m, _ = method.Named("logistic")
	grid, err := method.Grid("max-iter=1,100")
	if err != nil {
		t.Fatal(err)
	}
	o := &method.Options{Lambda: 1}
	cv, err = m.CrossValidate(d, o, grid, folds, &validate.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var worst optimize.Certificate
	for f := range 3 {
		var in []int
		for i, g := range folds[0] {
			if g != f {
				in = append(in, i)
			}
		}
		model, err := m.Fit(methodtest.Rows(d, in), &method.Options{Lambda: 1, MaxIter: 1})
		if !errors.Is(err, optimize.ErrNotConverged) {
			t.Fatalf("converges in one iteration: %v", err)
		}
		if c := model.Report().Certificate(); c.Value > worst.Value {
			worst = c
		}
	}
	if cv.Unconverged[0] != (method.Unconverged{Fits: 3, Of: 3, Worst: worst}) || cv.Unconverged[1] != (method.Unconverged{Of: 3}) {
		t.Errorf("%+v, want %+v", cv.Unconverged, worst)
	}
	for i, f := range folds[0] { // the last becomes the first
		folds[0][i] = 2 - f
	}
	if turned, err := m.CrossValidate(d, o, grid, folds, nil); err != nil || turned.Unconverged[0] != cv.Unconverged[0] {
		t.Errorf("%+v, %v, in another order %+v", turned, err, cv.Unconverged)
	}
	if err := cv.Converged(); !errors.Is(err, optimize.ErrNotConverged) ||
		!strings.Contains(err.Error(), fmt.Sprintf("3 of 6 fits, the farthest at max-iter=1 with %s %.3g above %.3g", worst.Kind, worst.Value, worst.Tol)) {
		t.Errorf("%v", err)
	}
	made := report.CrossValidation(cv, m, 40, 3, 1)
	r, text := methodtest.Decoded(t, made), methodtest.Lines(t, made)
	if n := r.Points[0].NotConverged; n == nil || n.Fits != 3 || n.Of != 3 || float64(n.Certificate.Value) != worst.Value || r.Points[1].NotConverged != nil {
		t.Errorf("%+v", r.Points)
	}
	if !strings.Contains(text["max-iter=1"][4], "3 of 3 fits did not converge") || strings.Contains(text["max-iter=100"][4], "converge") {
		t.Errorf("%q", text)
	}
	cv, err = m.CrossValidate(d, o, grid[1:], folds, &validate.Options{Workers: 2})
	if err != nil || cv.Converged() != nil {
		t.Errorf("%v, %v", err, cv.Converged())
	}
}

func TestGrid(t *testing.T) {
	g, err := method.Grid("alpha=0,1", "gamma=0.5")
	if err != nil || fmt.Sprint(g) != "[[{alpha 0} {gamma 0.5}] [{alpha 1} {gamma 0.5}]]" {
		t.Errorf("%v, %v", g, err)
	}
	if g, err := method.Grid(); err != nil || len(g) != 1 {
		t.Errorf("%v, %v", g, err)
	}
	for _, bad := range []string{"alpha", "=1", "alpha="} {
		if _, err := method.Grid(bad); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}
