package report_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
)

// An audit names its objective, bounds and rows, with the labels that there are.
func TestAuditsInWords(t *testing.T) {
	d := dataset.Iris()
	m, _ := methodtest.FitIris(t, must(method.Named("lda")), new(method.Options))
	own := optimize.Certificate{Kind: optimize.KindGap, Value: 0.5, Tol: 1e-9}
	for name, c := range map[string]struct {
		value     float64
		bias      float64
		none      error
		unlabeled bool
		says      []string
		not       []string
	}{
		"ours": {8, 0, nil, false, []string{"lda on 150 rows: audited, ", "objective 8, the minimum is at least 6: an excess of at most 2", "by the coefficients alone: ", "normal: off by 0.25",
			"149\tvirginica\t0.25", "0\tsetosa\t0.125", "row\tlabel\tpart of the excess"}, []string{"LIBLINEAR", "no solution"}},
		"LIBLINEAR's": {8, 1.5, nil, false, []string{"lda by LIBLINEAR's objective, bias 1.5, on 150 rows"}, nil},
		"no minimum":  {8, 0, errors.New("the classes\nare separated"), false, []string{"there is no solution: the classes", "objective 8\n"}, []string{"the minimum is at least"}},
		"no labels":   {8, 0, nil, true, []string{"149\t\t0.25"}, []string{"virginica"}},
		"no value":    {math.NaN(), 0, nil, false, nil, []string{"objective"}},
	} {
		a := optimize.NewAudit(c.value, own)
		a, err := a.Against(func() (optimize.Refit, error) {
			parts := make([]float64, 150)
			parts[149], parts[0] = 0.25, 0.125
			fit := optimize.Elsewhere().Certify(6, optimize.Certificate{Kind: optimize.KindGap, Tol: 1e-9})
			return optimize.Refit{Report: fit, Parts: parts, NoMinimum: c.none}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		a.Equations = []optimize.Equation{{Name: "normal", Residual: 0.25}}
		data := *d
		if c.unlabeled {
			data.Labels = nil
		}
		var b bytes.Buffer
		if err := report.NewAudit(m, &data, a, c.bias).Write(&b, false); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.says {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, b.String())
			}
		}
		for _, bad := range c.not {
			if strings.Contains(b.String(), bad) {
				t.Errorf("%s: %q in\n%s", name, bad, b.String())
			}
		}
		lost := errors.New("no space left")
		for _, rows := range []int{0, 2} {
			r := report.NewAudit(m, &data, a, c.bias)
			r.Rows = r.Rows[:rows]
			if err := r.Write(full{lost}, false); !errors.Is(err, lost) {
				t.Errorf("%s: %d rows, written nowhere: %v", name, rows, err)
			}
		}
	}
}

// full is a writer that takes nothing.
type full struct{ err error }

func (w full) Write([]byte) (int, error) { return 0, w.err }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A line of a cross-validation says whether its point is chosen and what went wrong there.
func TestRemarksOfACrossValidation(t *testing.T) {
	r := &report.CV{Method: "svc", N: 9, Folds: 3, Repeats: 1, Loss: "error", Best: 1, OneSE: 2, Points: make([]report.CVPoint, 5)}
	r.Points[3].Error = "fold 2: no rows"
	r.Points[0].NotConverged = &report.NotConverged{Fits: 2, Of: 3}
	r.Points[1].NotConverged = &report.NotConverged{Fits: 1, Of: 3}
	var b bytes.Buffer
	if err := r.Write(&b, false); err != nil {
		t.Fatal(err)
	}
	var remarks []string
	for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n")[2:] {
		cells := strings.Split(line, "\t")
		remark, _, _ := strings.Cut(cells[len(cells)-1], ",")
		remarks = append(remarks, remark)
	}
	if want := []string{"2 of 3 fits did not converge", "best; 1 of 3 fits did not converge", "simplest within one se", "fold 2: no rows", "0"}; !slices.Equal(remarks[len(remarks)-5:], want) {
		t.Errorf("%q, want %q", remarks, want)
	}
}

// A cross-validated path of probabilities is judged by the log-loss, one of scores by errors, a
// regression by squares.
func TestLossOfACrossValidatedPath(t *testing.T) {
	for name, loss := range map[string]string{"logistic": "log_loss", "svc": "error", "lasso": "mse"} {
		m, _ := method.Named(name)
		d := methodtest.Clouds(m, 1, 60, 3)
		if !m.Regression {
			d = methodtest.TwoClasses(d)
		}
		folds, err := method.Folds(d, 3, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		c, err := m.CrossValidatePath(d, methodtest.Taken(m, &method.Options{L1Ratio: 1}), 4, folds[0])
		if err != nil {
			t.Fatal(err)
		}
		r := report.CrossValidatedPath(c, m, 60, 3)
		if r.Loss != loss || r.Best != c.CV.Best() || r.OneSE != c.CV.OneSE() || len(r.Points) != len(c.Path.Points) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A model that did not converge shows the evidence that its classes are not apart; one that did has
// none to show.
func TestEvidenceIsOfFitsThatDidNotConverge(t *testing.T) {
	m := must(method.Named("perceptron"))
	d := methodtest.TwoClasses(methodtest.Clouds(m, 1, 60, 2))
	for _, shift := range []float64{0, 100} {
		apart := *d
		apart.X, apart.Labels = d.X.Clone(), slices.Clone(d.Labels)
		for i, k := range d.Labels {
			apart.X.Set(i, 0, apart.X.At(i, 0)+shift*float64(k))
			if shift == 0 && i%5 == 0 {
				apart.Labels[i] = 1 - k
			}
		}
		model, _ := m.Fit(&apart, new(method.Options)) // with an error where the classes overlap
		if s := report.Summarize(model, 60, 0); (s.Status == optimize.Converged) != (shift > 0) || (s.Evidence == nil) != (shift > 0) {
			t.Errorf("shift %g: %v, evidence %v", shift, s.Status, s.Evidence)
		}
	}
}

// The discriminants of an LDA are numbered from one, as R does.
func TestDiscriminantsAreNumbered(t *testing.T) {
	m, _ := methodtest.FitIris(t, must(method.Named("lda")), new(method.Options))
	var b bytes.Buffer
	if err := report.Summarize(m, 150, 0).Write(&b, false); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); strings.Count(s, "\tLD1\tLD2\n") != 2 {
		t.Error(s)
	}
}

// Reports of data without names have the labels for names: of evidence, of rows and in a confusion matrix.
func TestReportsOfDataWithoutNames(t *testing.T) {
	iris := dataset.Iris()
	d := &dataset.Data{X: iris.X, Labels: make([]int, len(iris.Labels))}
	for i, k := range iris.Labels {
		d.Labels[i] = 10*k + 3
	}
	hard, perceptron := must(method.Named("hardmargin")), must(method.Named("perceptron"))
	m, err := hard.Fit(d, nil)
	if m != nil || err == nil {
		t.Fatal(m, err)
	}
	if f := report.Fail("hardmargin", d, err); f == nil || !slices.Equal(f.Classes, []string{"3", "13", "23"}) || !slices.Equal(f.Pair, []string{"13", "23"}) {
		t.Errorf("%v", f)
	}
	two := &dataset.Data{X: d.X.RowRange(50, 150), Labels: d.Labels[50:]}
	m, err = perceptron.Fit(two, &method.Options{MaxEpochs: 20})
	if m == nil {
		t.Fatal(err)
	}
	a, err := m.Audit(two, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := report.NewAudit(m, two, a, 0)
	if len(r.Rows) == 0 || r.Failure == nil || !slices.Equal(r.Failure.Pair, []string{"13", "23"}) {
		t.Errorf("%+v", r)
	}
	for _, row := range r.Rows {
		if want := map[bool]string{true: "13", false: "23"}[row.Row < 50]; row.Label != want {
			t.Errorf("row %d is of %q, want %q", row.Row, row.Label, want)
		}
	}
	e, err := report.Evaluate(m, two)
	if c, ok := e.(*report.Classes); err != nil || !ok || !slices.Equal(c.Classes, []string{"13", "23"}) {
		t.Errorf("%v, %v", e, err)
	}
}
