package exchange_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/exchange"
)

// written fits the methods that LIBLINEAR can hold.
func written(t *testing.T) (x *linalg.Dense, models map[string]*method.Model) {
	t.Helper()
	x, species, _ := linalgtest.Table(t, "iris.csv", "species")
	labels, y := make([]int, len(species)), make([]float64, len(species))
	for i, s := range species {
		labels[i] = map[string]int{"setosa": 0, "versicolor": 1, "virginica": 2}[s]
		y[i] = x.At(i, 0) - 2*x.At(i, 3)
	}
	pair, _ := linalg.NewDense(100, 4, x.Data[200:])
	models = map[string]*method.Model{}
	for name, o := range map[string]*method.Options{"logistic": {Lambda: 1, Standardize: true}, "svc": {Multi: "ovr", Standardize: true}, "lda": nil, "ridge": {Lambda: 1}} {
		m, err := method.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for what, d := range map[string]*dataset.Data{"three": {X: x, Labels: labels, Names: []string{"-4", "1", "7"}}, "two": {X: pair, Labels: labels[:100], Names: []string{"a", "b"}}} {
			if m.Regression {
				d = &dataset.Data{X: x, Y: y}
			}
			if models[name+" of "+what], err = m.Fit(d, o); err != nil {
				t.Fatal(name, err)
			}
		}
	}
	return x, models
}

func TestWrittenModelsPredictAlike(t *testing.T) {
	x, models := written(t)
	for name, m := range models {
		var b bytes.Buffer
		if err := exchange.Write(&b, m, "liblinear"); err != nil {
			t.Fatal(name, err)
		}
		if said := strings.HasPrefix(b.String(), "solver_type L2R_LR\n"); said != (name == "logistic of two") {
			t.Errorf("%s is said to be logistic: %v", name, said)
		}
		read, err := exchange.ReadLIBLINEAR(&b)
		if err != nil {
			t.Fatal(name, err)
		}
		for i := range x.Rows {
			if m.Method.Regression {
				if v, w := m.Regressor().Predict(x.Row(i)), read.Regressor().Predict(x.Row(i)); !(math.Abs(v-w) <= 1e-12*(1+math.Abs(v))) {
					t.Errorf("%s, row %d: %v, read again %v", name, i, v, w)
				}
			} else if v, w := predicted(m, x.Row(i)), read.Schema.Names[read.Classifier().Predict(x.Row(i))]; v != w {
				t.Errorf("%s, row %d: %s, read again %s", name, i, v, w)
			}
		}
	}
}

// LIBLINEAR reads labels into 32 bits.
func TestLabelsThatLIBLINEARCannotReadAreNotWritten(t *testing.T) {
	svc, err := method.Named("svc")
	if err != nil {
		t.Fatal(err)
	}
	x, y := linalgtest.LabeledRows(20, 2, 2)
	for large, refused := range map[string]bool{"2147483647": false, "2147483648": true, "-2147483649": true} {
		m, err := svc.Fit(&dataset.Data{X: x, Labels: y, Names: []string{"1", large}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := exchange.WriteLIBLINEAR(new(bytes.Buffer), m); refused != (err != nil && strings.Contains(err.Error(), large)) {
			t.Errorf("label %s: %v", large, err)
		}
	}
}

// A classifier by squared hinge loss comes back as one, of two classes and of three.
func TestWrittenLossIsRead(t *testing.T) {
	x, labels := linalgtest.LabeledRows(60, 2, 3)
	for k := 2; k <= 3; k++ {
		some, code := linalgtest.Select(x, labels, func(i int) bool { return labels[i] < k })
		svc, err := method.Named("svc")
		if err != nil {
			t.Fatal(err)
		}
		m, err := svc.Fit(&dataset.Data{X: some, Labels: code, Names: []string{"a", "b", "c"}[:k]}, &method.Options{Loss: "squared-hinge", Multi: "ovr"})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := exchange.WriteLIBLINEAR(&b, m); err != nil {
			t.Fatal(err)
		}
		read, err := exchange.ReadLIBLINEAR(&b)
		if err != nil {
			t.Fatal(err)
		}
		if fit, ok := read.Fitted().(*hyperplane.SVC); !ok || fit.Loss() != hyperplane.SquaredHinge {
			t.Errorf("of %d classes a %T is read", k, read.Fitted())
		}
	}
}

// predicted returns a label as LIBLINEAR has it.
func predicted(m *method.Model, row []float64) string {
	k := m.Classifier().Predict(row)
	if _, err := strconv.Atoi(m.Schema.Names[k]); err != nil {
		return strconv.Itoa(k)
	}
	return m.Schema.Names[k]
}

func TestLIBLINEARPredictsByWrittenModels(t *testing.T) {
	tool, err := exec.LookPath("liblinear-predict")
	if os.Getenv("HALFSPACE_LONG") == "" || err != nil {
		t.Skip("no liblinear-predict, or HALFSPACE_LONG is not set")
	}
	x, models := written(t)
	dir := t.TempDir()
	var rows strings.Builder
	for i := range x.Rows {
		rows.WriteString("0")
		for j, v := range x.Row(i) {
			fmt.Fprintf(&rows, " %d:%.17g", j+1, v)
		}
		rows.WriteString("\n")
	}
	data, model, out := filepath.Join(dir, "d"), filepath.Join(dir, "m"), filepath.Join(dir, "o")
	if err := os.WriteFile(data, []byte(rows.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, m := range models {
		if err := dataset.WriteFile(model, func(w io.Writer) error { return exchange.WriteLIBLINEAR(w, m) }); err != nil {
			t.Fatal(err)
		}
		if text, err := exec.Command(tool, data, model, out).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", name, err, text)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for i, word := range strings.Fields(string(text)) {
			if m.Method.Regression {
				if v, _ := strconv.ParseFloat(word, 64); !(math.Abs(v-m.Regressor().Predict(x.Row(i))) <= 1e-5*(1+math.Abs(v))) {
					t.Errorf("%s, row %d: LIBLINEAR has %s", name, i, word)
				}
			} else if want := predicted(m, x.Row(i)); word != want {
				t.Errorf("%s, row %d: %s, LIBLINEAR has %s", name, i, want, word)
			}
		}
	}
}

func TestCoefficientsAreWrittenWithTheirNames(t *testing.T) {
	_, models := written(t)
	m := models["logistic of three"]
	var b bytes.Buffer
	if err := exchange.Write(&b, m, "csv"); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 6 || strings.Join(rows[0], " ") != "feature -4 1 7" || rows[1][0] != "(Intercept)" || rows[3][0] != "x2" {
		t.Fatal(rows, err)
	}
	coef, intercept, _ := m.Coef()
	for k := range intercept {
		if v, _ := strconv.ParseFloat(rows[1][k+1], 64); v != intercept[k] {
			t.Errorf("intercept %d: %s", k, rows[1][k+1])
		}
		for j := range 4 {
			if v, _ := strconv.ParseFloat(rows[j+2][k+1], 64); v != coef.At(k, j) {
				t.Errorf("coefficient %d of %d: %s", j, k, rows[j+2][k+1])
			}
		}
	}
}

func TestWriteRefusesWhatHasNoPlaceInTheFile(t *testing.T) {
	x, species, _ := linalgtest.Table(t, "iris.csv", "species")
	labels := make([]int, len(species))
	for i := range labels {
		labels[i] = i / 50
	}
	d := &dataset.Data{X: x, Labels: labels, Names: []string{"a", "b", "c"}}
	for name, kind := range map[string]string{"qda": "csv", "svc": "liblinear", "lda": "xml"} {
		m, _ := method.Named(name)
		fit, err := m.Fit(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := exchange.Write(&bytes.Buffer{}, fit, kind); err == nil {
			t.Errorf("%s was written as %s", name, kind)
		}
	}
}

// Coefficients of what steps make of the columns are not those of the columns, whatever the names are.
func TestWriteRefusesStepsThatKeepNames(t *testing.T) {
	x, _ := linalgtest.LabeledRows(30, 2, 2)
	y := make([]float64, x.Rows)
	for i := range y {
		y[i] = x.At(i, 0) - 2*x.At(i, 1) + float64(i%3)
	}
	ridge, err := method.Named("ridge")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		steps   []feature.Step
		refused bool
	}{
		{"quantiles", []feature.Step{feature.Quantile{}}, true},
		{"scaled twice", []feature.Step{feature.Standardize{}, feature.Standardize{KeepOrigin: true}}, true},
		{"filled and scaled", []feature.Step{feature.Impute{}, feature.Standardize{}}, false},
		{"filled", []feature.Step{feature.Impute{}}, false},
	} {
		m, err := ridge.Fit(&dataset.Data{X: x, Y: y}, &method.Options{Lambda: 1, Steps: c.steps})
		if err != nil {
			t.Fatal(c.name, err)
		}
		for _, kind := range []string{"liblinear", "csv"} {
			if err := exchange.Write(new(bytes.Buffer), m, kind); c.refused != (err != nil) {
				t.Errorf("%s as %s: %v", c.name, kind, err)
			}
		}
	}
}

// LIBLINEAR knows no offset, by which a model would predict otherwise.
func TestLIBLINEARHasNoOffset(t *testing.T) {
	x, y := linalgtest.LabeledRows(30, 2, 2)
	logistic, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Data{X: x, Labels: y, Offset: make([]float64, x.Rows), Names: []string{"1", "2"},
		Schema: &dataset.Schema{Columns: []dataset.Column{{Name: "a"}, {Name: "b"}}, Names: []string{"1", "2"}, Offset: "known"}}
	m, err := logistic.Fit(d, &method.Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := exchange.WriteLIBLINEAR(new(bytes.Buffer), m); err == nil || !strings.Contains(err.Error(), `"known"`) {
		t.Error(err)
	}
}

// A support vector classifier with probabilities of one class against the rest is no logistic regression.
func TestProbabilitiesMakeNoLogisticRegression(t *testing.T) {
	x, y := linalgtest.LabeledRows(60, 2, 3)
	svc, err := method.Named("svc")
	if err != nil {
		t.Fatal(err)
	}
	m, err := svc.Fit(&dataset.Data{X: x, Labels: y, Names: []string{"1", "2", "3"}}, &method.Options{Multi: "ovr", Probability: true})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := exchange.WriteLIBLINEAR(&b, m); err != nil || !strings.HasPrefix(b.String(), "solver_type MCSVM_CS\n") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// Coefficients do not tell decisions by costs.
func TestModelsWithCostsAreNotWritten(t *testing.T) {
	x, y := linalgtest.LabeledRows(60, 2, 3)
	lda, err := discriminant.FitLDA(x, y, &discriminant.Options{Costs: linalgtest.Rows(t, []float64{0, 1, 1}, []float64{1, 0, 1}, []float64{1, 9, 0})})
	if err != nil {
		t.Fatal(err)
	}
	m, err := method.New(nil, nil, lda)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"liblinear", "csv"} {
		if err := exchange.Write(new(bytes.Buffer), m, kind); err == nil || !strings.Contains(err.Error(), "costs") {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if err := exchange.Write(new(bytes.Buffer), m, "halfspace"); err != nil {
		t.Error(err)
	}
}
