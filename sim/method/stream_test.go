package method_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/report"
)

// streamed returns a table in memory and the same in its file.
func streamed(t *testing.T, path string, o dataset.Options) (whole, far *dataset.Data) {
	t.Helper()
	whole, err := dataset.Load(path, &o)
	if err != nil {
		t.Fatal(err)
	}
	o.Stream = true
	if far, err = dataset.Load(path, &o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Stream.Close() })
	return whole, far
}

// Fits and predictions from a file are those from memory.
func TestStreamedFitsAreThoseInMemory(t *testing.T) {
	iris := filepath.Join(t.TempDir(), "iris.csv")
	head, rows, _ := strings.Cut(string(dataset.BuiltIn("iris")), "\n")
	if err := os.WriteFile(iris, []byte(head+"\n"+strings.Repeat(rows, 10)), 0o600); err != nil {
		t.Fatal(err)
	}
	heart := linalgtest.DataFile(t, "SAheart.csv")
	for _, c := range []struct {
		name, path, method string
		data               dataset.Options
		o                  method.Options
	}{
		{"maximum likelihood", heart, "logistic", dataset.Options{}, method.Options{}},
		{"an offset and weights", heart, "logistic", dataset.Options{Offset: "ldl", Weights: "tobacco"}, method.Options{}},
		{"ridge", heart, "logistic", dataset.Options{}, method.Options{Lambda: 3, Standardize: true}},
		{"least squares", heart, "ols", dataset.Options{Numeric: true, Label: "ldl", Weights: "tobacco"}, method.Options{}},
		{"ridge regression", heart, "ridge", dataset.Options{Numeric: true, Label: "ldl"}, method.Options{Lambda: 3, Standardize: true}},
		{"three classes, ridge", iris, "logistic", dataset.Options{}, method.Options{Lambda: 1}},
	} {
		whole, far := streamed(t, c.path, c.data)
		m, err := method.Named(c.method)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Fit(whole, &c.o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Fit(far, &c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		linalgtest.Close(t, c.name+": objective", got.Report().Objective(), want.Report().Objective(), 1e-12)
		if cert := got.Report().Certificate(); !(cert.Value <= cert.Tol) {
			t.Errorf("%s: %v", c.name, cert)
		}
		b, b0, _ := got.Coef()
		wb, wb0, _ := want.Coef()
		for k := range wb0 {
			linalgtest.CloseSlice(t, c.name, append(b.Row(k), b0[k]), append(wb.Row(k), wb0[k]), 1e-9)
		}
		sameEvaluation(t, c.name, got, far, whole)
	}
}

// sameEvaluation compares the predictions and scores of a model for two storages.
func sameEvaluation(t *testing.T, what string, m *method.Model, far, whole *dataset.Data) {
	t.Helper()
	got, err := report.Evaluate(m, far)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	want, err := report.Evaluate(m, whole)
	if err != nil {
		t.Fatal(err)
	}
	switch got := got.(type) {
	case *report.Classes:
		want := want.(*report.Classes)
		linalgtest.Close(t, what+": log-loss", float64(got.LogLoss), float64(want.LogLoss), 1e-14)
		linalgtest.Close(t, what+": error", float64(got.Error), float64(want.Error), 0)
	case *report.Values:
		linalgtest.Close(t, what+": mse", float64(got.MSE), float64(want.(*report.Values).MSE), 1e-14)
	}
}

// A start that part of the rows would foretell is done without where they are too many to be
// copied.
func TestStreamsTooLargeForParts(t *testing.T) {
	linalgtest.SkipSlow(t)
	r := rand.New(rand.NewPCG(2, 18))
	x, y := linalg.Zeros(130_000, 3), make([]int, 130_000)
	for i := range y {
		for j := range x.Cols {
			x.Set(i, j, r.NormFloat64())
		}
		if x.At(i, 0)+r.NormFloat64() > 0 {
			y[i] = 1
		}
	}
	three := slices.Clone(y)
	for i := range three {
		if x.At(i, 1)+r.NormFloat64() > 1 {
			three[i] = 2
		}
	}
	for _, labels := range [][]int{y, three} {
		for _, lambda := range []float64{0, 1} {
			want, err := logistic.Fit(x, labels, &logistic.Options{Lambda: lambda})
			if err != nil {
				t.Fatal(err)
			}
			got, err := logistic.Fit(linalgtest.Remote{Rows: x, Most: 1000 * 8}, labels, &logistic.Options{Lambda: lambda})
			if err != nil {
				t.Fatal(err)
			}
			linalgtest.Close(t, "objective", got.Report().Objective(), want.Report().Objective(), 1e-12)
		}
	}
	// Ten classes: parts lead the way, of which the largest would be too large.
	ten := make([]int, len(y))
	for i := range ten {
		ten[i] = int(min(9, max(0, 5+2*x.At(i, 0)+r.NormFloat64())))
	}
	got, err := logistic.Fit(linalgtest.Remote{Rows: x, Most: 1000 * 8}, ten, &logistic.Options{Lambda: 1})
	if err != nil || !got.Report().Certificate().Holds() {
		t.Errorf("ten classes: %v", err)
	}
}

// Moments of a file are those of its rows, in pieces or in one.
func TestStreamedMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 18))
	var text strings.Builder
	text.WriteString("a,")
	for j := range 120 {
		fmt.Fprintf(&text, "b%d,", j)
	}
	text.WriteString("y\n")
	for i := range 3000 { // more than are held at a time
		fmt.Fprintf(&text, "%d,", i%17)
		for range 120 {
			fmt.Fprintf(&text, "%d,", r.IntN(100))
		}
		fmt.Fprintf(&text, "%d\n", i*i%3)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	whole, far := streamed(t, path, dataset.Options{Weights: "a", Drop: []string{"a"}})
	want, err := method.Gather(whole, 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := method.Gather(far, 1)
	if err != nil {
		t.Fatal(err)
	}
	lda, err := method.Named("lda")
	if err != nil {
		t.Fatal(err)
	}
	a, err := lda.FitMoments(got.Moments, got.Schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := lda.FitMoments(want.Moments, want.Schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	ca, ia, _ := a.Coef()
	cb, ib, _ := b.Coef()
	linalgtest.CloseSlice(t, "coefficients", append(ca.Data, ia...), append(cb.Data, ib...), 1e-12)
}

// Methods that need the rows in memory say so of a file that is too large to be copied.
func TestLargeStreamsAreRefused(t *testing.T) {
	_, far := streamed(t, linalgtest.DataFile(t, "SAheart.csv"), dataset.Options{})
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Fit(far, &method.Options{Lambda: 1, L1Ratio: 1}); err != nil {
		t.Errorf("a lasso of few rows: %v", err)
	}
	var size *linalg.SizeError
	if err := linalg.CheckCopy(far.Rows(), 1<<20, 100); !errors.As(err, &size) || !errors.Is(err, linalg.ErrRemote) || !strings.Contains(report.WayOut(err), "-stream") {
		t.Errorf("a large copy: %v", err)
	}
}

// An audit reads the rows of a file through the steps of the model.
func TestStreamedAuditGoesThroughSteps(t *testing.T) {
	whole, far := streamed(t, linalgtest.DataFile(t, "SAheart.csv"), dataset.Options{})
	m, err := method.Named("svc")
	if err != nil {
		t.Fatal(err)
	}
	fit, err := m.Fit(whole, &method.Options{Standardize: true})
	if err != nil {
		t.Fatal(err)
	}
	a, err := fit.Audit(far, nil)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "objective", a.Report.Objective(), fit.Report().Objective(), 1e-12)
}

// Folds take rows in any order, and steps are fitted to rows in memory: those of a file are
// read once.
func TestStreamedFoldsAndSteps(t *testing.T) {
	whole, far := streamed(t, linalgtest.DataFile(t, "SAheart.csv"), dataset.Options{})
	m, err := method.Named("lda")
	if err != nil {
		t.Fatal(err)
	}
	folds, err := method.Folds(whole, 4, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	loss := func(d *dataset.Data) float64 {
		cv, err := m.CrossValidate(d, nil, [][]method.Setting{nil}, folds, nil)
		if err != nil {
			t.Fatal(err)
		}
		return cv.Loss.Mean[0]
	}
	linalgtest.Close(t, "loss", loss(far), loss(whole), 0)
	if m, err = method.Named("logistic"); err != nil {
		t.Fatal(err)
	}
	path := func(d *dataset.Data) float64 {
		c, err := m.CrossValidatePath(d, nil, 5, folds[0])
		if err != nil {
			t.Fatal(err)
		}
		return c.CV.Mean[c.CV.Best()]
	}
	linalgtest.Close(t, "loss of a path", path(far), path(whole), 1e-12)
	if m, err = method.Named("svc"); err != nil {
		t.Fatal(err)
	}
	fit := func(d *dataset.Data) float64 {
		model, err := m.Fit(d, &method.Options{Standardize: true})
		if err != nil {
			t.Fatal(err)
		}
		return model.Report().Objective()
	}
	linalgtest.Close(t, "objective", fit(far), fit(whole), 1e-12)
}
