package method_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// refused tells whether err is of the kind of target and comes without a model.
func refused(t *testing.T, m *method.Method, what string, d *dataset.Data, o *method.Options, target any) {
	t.Helper()
	model, err := m.Fit(d, o)
	if model != nil || !errors.As(err, target) {
		t.Errorf("%s: %s: got a model: %v, and %v", m.Name, what, model != nil, err)
	}
}

// The rows of the table of bad input that every method can meet, each by its name.
// The packages test what only they can.
func TestBadInputOfEveryMethod(t *testing.T) {
	var (
		finite *linalg.NonFiniteError
		shape  *linalg.ShapeError
		weight *linalg.WeightError
		class  *linalg.ClassError
	)
	for _, m := range method.All() {
		o := options(m)
		with := func(change func(d *dataset.Data)) *dataset.Data {
			d := *clouds(m, 1, 30, 3)
			d.X = d.X.Clone()
			change(&d)
			return &d
		}
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			refused(t, m, "NaN or Inf in x", with(func(d *dataset.Data) { d.X.Set(17, 2, v) }), o, &finite)
			if finite != nil && (finite.Row != 17 || finite.Col != 2) {
				t.Errorf("%s: NaN or Inf in x: row %d, column %d", m.Name, finite.Row, finite.Col)
			}
			if m.Regression {
				refused(t, m, "NaN or Inf in y", with(func(d *dataset.Data) { d.Y[5] = v }), o, &finite)
			}
			if m.Name != "perceptron" {
				refused(t, m, "NaN or Inf in weights", with(func(d *dataset.Data) {
					d.Weights = slices.Repeat([]float64{1}, 30)
					d.Weights[3] = v
				}), o, &finite)
			}
		}
		if m.Name != "perceptron" {
			finite = nil
			refused(t, m, "NaN in a row of weight 0", with(func(d *dataset.Data) {
				d.X.Set(17, 2, math.NaN())
				d.Weights = slices.Repeat([]float64{1}, 30)
				d.Weights[17] = 0
			}), o, &finite)
			if finite != nil && (finite.Row != 17 || finite.Col != 2) {
				t.Errorf("%s: NaN in a row of weight 0: row %d, column %d", m.Name, finite.Row, finite.Col)
			}
			refused(t, m, "a negative weight", with(func(d *dataset.Data) {
				d.Weights = slices.Repeat([]float64{1}, 30)
				d.Weights[3] = -1
			}), o, &weight)
			refused(t, m, "no positive weight", with(func(d *dataset.Data) { d.Weights = make([]float64, 30) }), o, &shape)
		}
		refused(t, m, "no rows", with(func(d *dataset.Data) {
			d.X = &linalg.Dense{Cols: 3, Stride: 3}
			d.Labels, d.Y = cut(d.Labels, 0), cut(d.Y, 0)
		}), o, &shape)
		refused(t, m, "no columns", with(func(d *dataset.Data) { d.X = &linalg.Dense{Rows: 30} }), o, &shape)
		refused(t, m, "rows ≠ labels", with(func(d *dataset.Data) { d.Labels, d.Y = cut(d.Labels, 29), cut(d.Y, 29) }), o, &shape)
		refused(t, m, "values missing", with(func(d *dataset.Data) { d.X.Data = d.X.Data[:50] }), o, &shape)
		if m.Regression {
			continue
		}
		refused(t, m, "one class only", with(func(d *dataset.Data) {
			clear(d.Labels)
			d.Names = d.Names[:1]
		}), o, &class)
		refused(t, m, "a class without rows", with(func(d *dataset.Data) {
			for i, k := range d.Labels {
				d.Labels[i] = min(k, len(d.Names)-2)
			}
		}), o, &class)
		refused(t, m, "a label that is no class", with(func(d *dataset.Data) { d.Labels[4] = 9 }), o, &class)
	}
}

// cut keeps the first n values of a list that there is.
func cut[T any](v []T, n int) []T {
	if v == nil {
		return nil
	}
	return v[:n]
}

// Options outside their range are refused, each by its name.
func TestOptionsOutOfRange(t *testing.T) {
	set := map[string]func(o *method.Options, v float64){
		"lambda": func(o *method.Options, v float64) { o.Lambda = v }, "l1-ratio": func(o *method.Options, v float64) { o.L1Ratio = v; o.Lambda = 1 },
		`C`: func(o *method.Options, v float64) { o.C = v }, "epsilon": func(o *method.Options, v float64) { o.Epsilon = v },
		"rate": func(o *method.Options, v float64) { o.Rate = v }, "tol": func(o *method.Options, v float64) { o.Tol = v },
		"alpha": func(o *method.Options, v float64) { o.Alpha = v }, "gamma": func(o *method.Options, v float64) { o.Shrinkage = v },
		"max-iter": func(o *method.Options, v float64) { o.MaxIter = int(v) }, "workers": func(o *method.Options, v float64) { o.Workers = int(v) },
		"max-epochs": func(o *method.Options, v float64) { o.MaxEpochs = int(v) }, "rank": func(o *method.Options, v float64) { o.Rank = int(v) },
	}
	for _, m := range method.All() {
		for name, to := range set {
			if !m.Takes(name) {
				continue
			}
			bad := []float64{-1, math.NaN(), math.Inf(1)}
			if slices.Contains([]string{"max-iter", "workers", "max-epochs", "rank"}, name) {
				bad = bad[:1]
			}
			for _, v := range bad {
				o := options(m)
				to(o, v)
				if model, err := m.Fit(clouds(m, 1, 30, 3), o); model != nil || err == nil || !documented(err) {
					t.Errorf("%s: %s %v: %v", m.Name, name, v, err)
				}
			}
		}
	}
}

// Collinear and constant columns are an error that names them, or are no problem.
func TestConstantAndCollinearColumnsAndFewRows(t *testing.T) {
	for _, m := range method.All() {
		for _, o := range ways(m) {
			for what, change := range map[string]func(row []float64){
				"constant":  func(row []float64) { row[1] = 0.1 },
				"collinear": func(row []float64) { row[2] = 3*row[0] - 0.7*row[1] },
				"twice":     func(row []float64) { row[2] = row[0] },
				"zero":      func(row []float64) { row[1] = 0 },
			} {
				if m.Name == "perceptron" || m.Name == "hardmargin" && what != "constant" {
					continue // classes are then no longer apart
				}
				d := changed(clouds(m, 1, 60, 3), change)
				model, err := m.Fit(d, o)
				var rank *linalg.RankError
				if errors.As(err, &rank) && rank.Rank == 2 && rank.P == 3 && len(rank.Columns) == 1 {
					continue
				}
				judge(t, m, model, err, d, o)
				if err != nil {
					t.Errorf("%s: %s: %v", m.Name, what, err)
				}
			}
			d := clouds(m, 1, 12, 30)
			model, err := m.Fit(d, o)
			judge(t, m, model, err, d, o)
		}
	}
}

// Data of extreme size give the answer that they have at size 1, where the method
// is indifferent to scale, else a certified one; or the named error.
func TestExtremeScales(t *testing.T) {
	for _, m := range method.All() {
		for _, o := range ways(m) {
			for _, size := range []float64{1e-150, 1e-120, 1e-12, 1e12, 1e120, 1e150} {
				d := clouds(m, 1, 60, 3)
				scale := func(row []float64) { linalg.Scale(row, size) }
				big := changed(d, scale)
				model, err := m.Fit(big, o)
				if err == nil || errors.Is(err, optimize.ErrNotConverged) {
					judge(t, m, model, err, big, o)
				} else if !documented(err) {
					t.Errorf("%s at %g: %v", m.Name, size, err)
				}
				if err == nil && free(m, o) && m.Name != "perceptron" {
					agree(t, fmt.Sprint("scaled by ", size), must(t, m, d, o), model, d.X, scale, nil)
				}
				if size >= 1e-12 && size <= 1e12 && err != nil && free(m, o) {
					t.Errorf("%s at %g: %v", m.Name, size, err)
				}
			}
			// Features on scales 1e-12 … 1e12.
			scales := []float64{1e-12, 1, 1e12}
			mixed := func(row []float64) {
				for j := range row {
					row[j] *= scales[j]
				}
			}
			if d := clouds(m, 1, 60, 3); free(m, o) && m.Name != "perceptron" {
				agree(t, "features on scales 1e-12 … 1e12", must(t, m, d, o), must(t, m, changed(d, mixed), o), d.X, mixed, nil)
			}
		}
	}
}

// A single feature.
func TestOneFeature(t *testing.T) {
	for _, m := range method.All() {
		d := clouds(m, 1, 60, 1)
		for i, k := range d.Labels {
			d.X.Row(i)[0] += 14 * float64(k)
		}
		for _, o := range ways(m) {
			if m.Name == "logistic" && o.Lambda == 0 {
				continue // separable
			}
			if m.Name == "hardmargin" || m.Name == "perceptron" || m.Name == "rrlda" || o.Multi == "" {
				model := must(t, m, d, o)
				judge(t, m, model, nil, d, o)
			}
		}
	}
}

// A rare class of 5 among 10⁵ rows is found.
func TestRareClass(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 10_000
	}
	r := rand.New(rand.NewPCG(3, 0))
	d := &dataset.Data{X: linalg.Zeros(n, 2), Labels: make([]int, n), Names: []string{"common", "rare"},
		Schema: &dataset.Schema{Columns: []dataset.Column{{Name: "a"}, {Name: "b"}}, Label: "y", Names: []string{"common", "rare"}}}
	for i := range n {
		row := d.X.Row(i)
		row[0], row[1] = r.NormFloat64(), r.NormFloat64()
		if i%(n/5) == 7 {
			d.Labels[i] = 1
			row[0] += 5
		}
	}
	for _, name := range []string{"lda", "qda", "rda", "rrlda", "indicator", "logistic", "svc"} {
		m, err := method.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		o := options(m)
		model, err := m.Fit(d, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := model.Classifier()
		s := c.Scores(nil, []float64{5, 0})
		z := c.Scores(nil, []float64{0, 0})
		if !(s[1]-s[0] > z[1]-z[0]) {
			t.Errorf("%s: scores %v among the rare, %v among the common", name, s, z)
		}
		if n <= 10_000 {
			for _, f := range recompute(t, model.Method, model.Fitted(), d, o) {
				if !f.holds() {
					t.Errorf("%s: %v", name, f)
				}
			}
		}
	}
}

// 10⁴ classes are too many for a plane between each two, which is said before any
// work, and not too many for Gaussian classes.
func TestTenThousandClasses(t *testing.T) {
	const k = 10_000
	d := &dataset.Data{X: linalg.Zeros(2*k, 1), Labels: make([]int, 2*k), Names: make([]string, k),
		Schema: &dataset.Schema{Columns: []dataset.Column{{Name: "a"}}, Label: "y"}}
	for i := range d.Labels {
		d.Labels[i] = i / 2
		d.X.Row(i)[0] = float64(i/2)*10 + float64(i%2)
		d.Names[i/2] = fmt.Sprint(i / 2)
	}
	d.Schema.Names = d.Names
	for _, name := range []string{"svc", "hardmargin"} {
		m, _ := method.Named(name)
		var size *linalg.SizeError
		start := time.Now()
		refused(t, m, "10⁴ classes", d, new(method.Options), &size)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: refused after %v", name, took)
		}
	}
	m, _ := method.Named("lda")
	c := must(t, m, d, new(method.Options)).Classifier()
	if got := c.Predict([]float64{54320.4}); got != 5432 {
		t.Errorf("lda: class %d", got)
	}
}

// Sizes whose product leaves an int (on 386 already these) are an error, not a
// panic.
func TestSizesThatOverflow(t *testing.T) {
	for _, x := range []*linalg.Dense{
		{Rows: 1 << 20, Cols: 1 << 20, Stride: 1 << 20, Data: make([]float64, 8)},
		{Rows: 1 << 16, Cols: 1 << 15, Stride: 1 << 16, Data: make([]float64, 8)},
		{Rows: math.MaxInt, Cols: 2, Stride: 2, Data: make([]float64, 8)},
		{Rows: 2, Cols: math.MaxInt, Stride: math.MaxInt, Data: make([]float64, 8)},
		{Rows: 3, Cols: 2, Stride: math.MaxInt, Data: make([]float64, 8)},
		{Rows: 3, Cols: 2, Stride: 1, Data: make([]float64, 8)},
		{Rows: -3, Cols: -2, Stride: -2, Data: make([]float64, 8)},
	} {
		for _, m := range method.All() {
			d := &dataset.Data{X: x, Labels: make([]int, 8), Y: make([]float64, 8), Names: []string{"a", "b"}, Schema: &dataset.Schema{}}
			model, err := m.Fit(d, options(m))
			var shape *linalg.ShapeError
			var size *linalg.SizeError
			if model != nil || !errors.As(err, &shape) && !errors.As(err, &size) {
				t.Errorf("%s: %d × %d, stride %d: %v", m.Name, x.Rows, x.Cols, x.Stride, err)
			}
		}
	}
}

// Every iterative fit of the packages stops where it is told to: after MaxIter, and
// when its Trace returns an error.
func TestEveryFitStops(t *testing.T) {
	d := clouds(method.All()[0], 1, 60, 3)
	logit, _ := method.Named("logistic")
	two := twoOf(clouds(logit, 1, 60, 3))
	hard, _ := method.Named("hardmargin")
	apart := irisFor(t, hard)
	ridge, _ := method.Named("ridge")
	line := clouds(ridge, 1, 60, 3)
	wide := clouds(ridge, 1, 20, 40)
	type reported interface{ Report() optimize.Report }
	logisticFit := func(d *dataset.Data, o logistic.Options) func(int, func(optimize.Step) error) (reported, error) {
		return func(cap int, trace func(optimize.Step) error) (reported, error) {
			own := o
			own.MaxIter, own.Trace = cap, trace
			m, err := logistic.Fit(d.X, d.Labels, &own)
			return m, err
		}
	}
	elastic := func(d *dataset.Data, ratio float64) func(int, func(optimize.Step) error) (reported, error) {
		return func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := regression.FitElasticNet(d.X, d.Y, &regression.Options{Lambda: .5, L1Ratio: ratio, MaxIter: cap, Trace: trace})
			return m, err
		}
	}
	perceptron := func(order hyperplane.PerceptronOrder) func(int, func(optimize.Step) error) (reported, error) {
		return func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := hyperplane.FitPerceptron(two.X, two.Labels, &hyperplane.PerceptronOptions{Order: order, MaxEpochs: cap, Trace: trace})
			return m, err
		}
	}
	descent := func(bfgs bool) func(int, func(optimize.Step) error) (reported, error) {
		return func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := regression.FitDescent(line.X, line.Y, &regression.DescentOptions{BFGS: bfgs, MaxIter: cap, Trace: trace})
			return m, err
		}
	}
	for name, fit := range map[string]func(cap int, trace func(optimize.Step) error) (reported, error){
		"logistic, two classes":        logisticFit(two, logistic.Options{}),
		"logistic, two classes, ridge": logisticFit(two, logistic.Options{Lambda: 1}),
		"logistic, two classes, lasso": logisticFit(two, logistic.Options{Lambda: 1, L1Ratio: 1}),
		"logistic, Firth":              logisticFit(two, logistic.Options{Firth: true}),
		"logistic, three classes":      logisticFit(d, logistic.Options{}),
		"logistic, three, elastic net": logisticFit(d, logistic.Options{Lambda: 1, L1Ratio: .5}),
		"lasso":                        elastic(line, 1),
		"lasso, wide":                  elastic(wide, 1),
		"elastic net, wide":            elastic(wide, .3),
		"perceptron":                   perceptron(hyperplane.Cyclic),
		"perceptron, batch":            perceptron(hyperplane.Batch),
		"gradient descent":             descent(false),
		"BFGS":                         descent(true),
		"hard margin": func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := hyperplane.FitHardMargin(apart.X, apart.Labels, &hyperplane.HardMarginOptions{MaxIter: cap, Trace: trace})
			return m, err
		},
		"Kozinec": func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := hyperplane.FitKozinec(apart.X, apart.Labels, &hyperplane.KozinecOptions{Tol: 1e-6, MaxIter: cap, Trace: trace})
			return m, err
		},
		"svc": func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := hyperplane.FitSVC(two.X, two.Labels, &hyperplane.SVCOptions{MaxIter: cap, Trace: trace})
			return m, err
		},
		"svr": func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := hyperplane.FitSVR(line.X, line.Y, &hyperplane.SVROptions{Epsilon: .1, MaxIter: cap, Trace: trace})
			return m, err
		},
	} {
		calls := 0
		if m, err := fit(1, func(optimize.Step) error { calls++; return nil }); !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("%s: capped at 1: %v", name, err)
		} else if r := m.Report(); r.Iterations() > 1 || r.Status() == optimize.Converged || calls > 4 {
			t.Errorf("%s: capped at 1: %+v after %d calls", name, r, calls)
		}
		stop := errors.New("enough")
		for _, at := range []int{1, 2, 3} {
			calls := 0
			m, err := fit(0, func(optimize.Step) error {
				if calls++; calls >= at {
					return stop
				}
				return nil
			})
			switch {
			case calls < at:
				t.Logf("%s: done before call %d", name, at)
			case !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged):
				t.Errorf("%s: stopped at %d: %v", name, at, err)
			case calls > at:
				t.Errorf("%s: stopped at %d, called %d times", name, at, calls)
			case m.Report().Status() != optimize.Stopped:
				t.Errorf("%s: stopped at %d: %+v", name, at, m.Report())
			}
		}
	}
}

// fixtures are files that this program wrote, one of each method, and what they
// predict. HALFSPACE_WRITE=1 writes those that are missing.
const fixtures = "testdata/models"

func TestModelFilesStayReadable(t *testing.T) {
	iris := dataset.Iris().X
	for _, m := range method.All() {
		path := filepath.Join(fixtures, m.Name+".json")
		expected := filepath.Join(fixtures, m.Name+".predictions")
		if _, err := os.Stat(path); err != nil && os.Getenv("HALFSPACE_WRITE") != "" {
			writeFixture(t, m, path, expected)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		model, err := method.Load(f)
		f.Close()
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var want []float64
		if b, err := os.ReadFile(expected); err != nil || json.Unmarshal(b, &want) != nil {
			t.Fatalf("%s: %v", expected, err)
		}
		x := iris
		if m.Regression {
			x = irisFor(t, m).X
		}
		got := predictions(model, x)
		if len(got) != len(want) {
			t.Errorf("%s: %d values, want %d", path, len(got), len(want))
			continue
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12*(1+math.Abs(want[i])) {
				t.Errorf("%s: value %d is %v, was %v", path, i, got[i], want[i])
				break
			}
		}
		if s := model.Schema.Features(); len(s) != x.Cols {
			t.Errorf("%s: features %q", path, s)
		}
	}
}

func writeFixture(t *testing.T, m *method.Method, path, expected string) {
	t.Helper()
	o := options(m)
	o.Standardize = m.Takes("standardize")
	model, _ := fit(t, m, o)
	x := dataset.Iris().X
	if m.Regression {
		x = irisFor(t, m).X
	}
	var b bytes.Buffer
	if err := model.Save(&b); err != nil {
		t.Fatal(err)
	}
	values, err := json.Marshal(predictions(model, x))
	if err == nil {
		err = os.MkdirAll(fixtures, 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o644)
	}
	if err == nil {
		err = os.WriteFile(expected, append(values, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// fixture returns the file of a method.
func fixture(t *testing.T, m *method.Method) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(fixtures, m.Name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// However a file is damaged, it does not load, or it loads as the same numbers.
func TestDamagedModelFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	flips := 2000
	if testing.Short() {
		flips = 200
	}
	for _, m := range method.All() {
		whole := fixture(t, m)
		text := bytes.TrimSpace(whole)
		step := 1 + len(text)/500
		for n := 0; n < len(text); n += step {
			if model, err := method.Load(bytes.NewReader(text[:n])); err == nil || model != nil {
				t.Fatalf("%s: cut to %d of %d bytes, it loads", m.Name, n, len(text))
			}
		}
		original := saved(t, m, whole)
		for range flips {
			b := bytes.Clone(whole)
			at, bit := r.IntN(len(text)), r.IntN(8)
			b[at] ^= 1 << bit
			model, err := method.Load(bytes.NewReader(b))
			if err != nil {
				if model != nil {
					t.Errorf("%s: a model with %v", m.Name, err)
				}
				continue
			}
			var back bytes.Buffer
			if err := model.Save(&back); err != nil || !bytes.Equal(back.Bytes(), original) {
				t.Errorf("%s: bit %d of byte %d flipped, it loads as another model", m.Name, bit, at)
			}
		}
		var version *record.VersionError
		newer := bytes.Replace(whole, []byte(`"version":1`), []byte(`"version":2`), 1)
		if _, err := method.Load(bytes.NewReader(newer)); !errors.As(err, &version) {
			t.Errorf("%s: from a newer version: %v", m.Name, err)
		}
		inner := regexp.MustCompile(`("model":\{"kind":"[^"]*","version":)1`)
		newer = resealed(inner.ReplaceAll(whole, []byte("${1}2")))
		if _, err := method.Load(bytes.NewReader(newer)); !errors.As(err, &version) {
			t.Errorf("%s: with a model from a newer version: %v", m.Name, err)
		}
	}
}

func saved(t *testing.T, m *method.Method, file []byte) []byte {
	t.Helper()
	model, err := method.Load(bytes.NewReader(file))
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	var b bytes.Buffer
	if err := model.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Numbers that pass their checksum and describe no model are refused too: lists
// that are too short or too long, null and 1e999 for a number, numbers for text.
func TestWrongNumbersWithRightChecksums(t *testing.T) {
	list := regexp.MustCompile(`\[-?[0-9][^\[\]]*\]`)
	number := regexp.MustCompile(`[:,\[](-?[0-9][-+.e0-9]*)`)
	for _, m := range method.All() {
		whole := fixture(t, m)
		loads := 0
		try := func(what string, b []byte) {
			t.Helper()
			sealed := resealed(b)
			if sealed == nil {
				return // no JSON
			}
			model, err := method.Load(bytes.NewReader(sealed))
			if err != nil {
				if model != nil {
					t.Errorf("%s: %s: a model with %v", m.Name, what, err)
				}
				return
			}
			loads++
			use(t, model)
		}
		for _, at := range sampleOf(list.FindAllIndex(whole, -1), 60) {
			values := strings.Split(string(whole[at[0]+1:at[1]-1]), ",")
			for what, text := range map[string]string{
				"a list cut short": strings.Join(values[1:], ","), "a list too long": strings.Join(append(values, "1"), ","),
				"an empty list": "", "a null": strings.Join(append([]string{"null"}, values[1:]...), ","),
				"1e999": strings.Join(append([]string{"1e999"}, values[1:]...), ","), "text": strings.Join(append([]string{`"a"`}, values[1:]...), ","),
			} {
				try(what, slices.Concat(whole[:at[0]+1], []byte(text), whole[at[1]-1:]))
			}
		}
		for _, at := range sampleOf(number.FindAllSubmatchIndex(whole, -1), 60) {
			for _, v := range []string{"null", "-1", "0", "1e308", "99999999999", "1.5", "[]", "{}"} {
				try("a number of "+v, slices.Concat(whole[:at[2]], []byte(v), whole[at[3]:]))
			}
		}
		t.Logf("%s: %d changed files are models", m.Name, loads)
	}
}

// sampleOf returns at most n of the list, evenly.
func sampleOf[T any](list []T, n int) []T {
	if testing.Short() {
		n /= 6
	}
	if len(list) <= n {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

// Gigabytes of zeros are refused without reading them.
func TestZerosWithoutEnd(t *testing.T) {
	z := &zeros{}
	if _, err := method.Load(z); err == nil || z.read > 1<<20 {
		t.Errorf("%v after %d bytes", err, z.read)
	}
}

type zeros struct{ read int }

func (z *zeros) Read(b []byte) (int, error) {
	clear(b)
	z.read += len(b)
	return len(b), nil
}

// Far rows have finite probabilities that sum to 1.
func TestScoresOfTenThousand(t *testing.T) {
	for _, m := range method.All() {
		if m.Regression {
			continue
		}
		model := must(t, m, clouds(m, 1, 60, 3), options(m))
		p, ok := model.Classifier().(interface {
			Proba(dst, row []float64) []float64
		})
		if !ok || !model.HasProba() {
			continue
		}
		for _, far := range []float64{1e4, -1e4, 1e8, -1e8, 1e100, -1e100} {
			total := 0.0
			for _, v := range p.Proba(nil, []float64{far, -far, far}) {
				total += v
			}
			if !(math.Abs(total-1) < 1e-12) {
				t.Errorf("%s: at %g probabilities sum to %v", m.Name, far, total)
			}
		}
	}
}

// Classes that coincide: the evidence of a hard margin that cannot be, of a
// perceptron without end, and a soft margin with a huge price of slack.
func TestDuplicatesWithBothLabels(t *testing.T) {
	x, err := linalg.FromRows([][]float64{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, 1}, {2, 1}, {1, 2}, {2, 2}})
	if err != nil {
		t.Fatal(err)
	}
	y := []int{0, 0, 0, 0, 1, 1, 1, 1}
	var infeasible *hyperplane.InfeasibleError
	if _, err := hyperplane.FitHardMargin(x, y, nil); !errors.As(err, &infeasible) {
		t.Errorf("hard margin: %v", err)
	} else if why := combinations(infeasible, x, y); why != "" {
		t.Errorf("hard margin: %s", why)
	}
	if m, err := hyperplane.FitPerceptron(x, y, nil); m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Misclassified() == 0 {
		t.Errorf("perceptron: %v", err)
	}
	for _, c := range []float64{1, 1e6, 1e12} {
		m, err := hyperplane.FitSVC(x, y, &hyperplane.SVCOptions{C: c})
		if m == nil || err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("C = %g: %v", c, err)
		}
	}
	if m, err := discriminant.FitLDA(x, y, nil); err != nil || m.Predict([]float64{2, 2}) != 1 {
		t.Errorf("lda: %v", err)
	}
}

// combinations checks that two convex combinations coincide, relative to the
// largest row; for planes through 0 their weights sum to 1 together.
func combinations(e *hyperplane.InfeasibleError, x *linalg.Dense, y []int) string {
	point, radius, total := make([]float64, x.Cols), 0.0, 0.0
	for i := range x.Rows {
		radius = max(radius, linalg.Norm(x.Row(i)))
	}
	side := func(rows []int, weights []float64, sign float64, label int) string {
		if !e.ThroughZero {
			total = 0
		}
		for k, i := range rows {
			if label >= 0 && y[i] != label || !(weights[k] >= 0) {
				return fmt.Sprintf("row %d of class %d with weight %v", i, y[i], weights[k])
			}
			total += weights[k]
			linalg.Axpy(point, sign*weights[k], x.Row(i))
		}
		if math.Abs(total-1) > 1e-9 && (sign < 0 || !e.ThroughZero) {
			return fmt.Sprintf("weights sum to %v", total)
		}
		return ""
	}
	negative := e.Machine.Negative
	if e.Machine.Rest {
		negative = -1 // any other class
	}
	if why := side(e.Positive, e.PositiveWeights, 1, e.Machine.Positive) + side(e.Negative, e.NegativeWeights, -1, negative); why != "" {
		return why
	}
	if d := linalg.Norm(point); d > 1e-9*radius {
		return fmt.Sprintf("the combinations are %v apart", d)
	}
	return ""
}
