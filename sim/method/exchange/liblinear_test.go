package exchange_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/method"
	"halfspace/sim/method/codegen"
	"halfspace/sim/method/exchange"
)

//go:embed testdata/liblinear.json
var liblinearJSON []byte

// toolCase is a model file and what its tool predicts by it.
type toolCase struct {
	Name, Model string
	Predicted   []float64
	Labels      []string
	Proba       [][]float64
}

func toolCases(t testing.TB, data []byte) (rows [][]float64, cases []toolCase) {
	t.Helper()
	var golden struct {
		Rows  [][]float64
		Cases []toolCase
	}
	if err := json.Unmarshal(data, &golden); err != nil || len(golden.Cases) == 0 {
		t.Fatal(len(golden.Cases), err)
	}
	return golden.Rows, golden.Cases
}

// saved returns the model after a trip through its file.
func saved(t testing.TB, m *method.Model) *method.Model {
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

func TestLIBLINEARAndLIBSVMPredictAsTheirTools(t *testing.T) {
	rows, cases := toolCases(t, liblinearJSON)
	for _, c := range cases {
		m, err := exchange.Read(strings.NewReader(c.Model))
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if s := m.Report().Status(); s != optimize.Imported {
			t.Errorf("%s: status %v", c.Name, s)
		}
		agrees(t, c, saved(t, m), rows)
		if _, err := codegen.Generate(m, "generated"); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// agrees compares predictions, which the tools print to six digits where they are no labels.
func agrees(t *testing.T, c toolCase, m *method.Model, rows [][]float64) {
	t.Helper()
	for i, row := range rows {
		if m.Method.Regression {
			if v := m.Regressor().Predict(row); !(math.Abs(v-c.Predicted[i]) <= 1e-5*math.Abs(v)) {
				t.Errorf("%s, row %d: %v, the tool has %v", c.Name, i, v, c.Predicted[i])
			}
			continue
		}
		k := m.Classifier().Predict(row)
		if label, _ := strconv.ParseFloat(m.Schema.Names[k], 64); label != c.Predicted[i] {
			t.Errorf("%s, row %d: %v, the tool has %v", c.Name, i, label, c.Predicted[i])
		}
		if m.HasProba() != (c.Proba != nil) {
			t.Fatalf("%s: probabilities %v", c.Name, m.HasProba())
		}
		if c.Proba == nil {
			continue
		}
		proba := m.Classifier().(sim.Prober).Proba(nil, row)
		for j, label := range c.Labels {
			for k, name := range m.Schema.Names {
				if name == label && math.Abs(proba[k]-c.Proba[i][j]) > 5.1e-7 {
					t.Errorf("%s, row %d: P(%s) is %v, the tool has %v", c.Name, i, name, proba[k], c.Proba[i][j])
				}
			}
		}
	}
}

// Where f(x) is 0, LIBLINEAR predicts the second of the two classes of its file, and of
// equal scores of K classes the first, as LIBSVM does of as many votes.
func TestTiesGoAsInTheTool(t *testing.T) {
	for text, want := range map[string]string{
		"solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias -1\nw\n1\n":                                                             "-1",
		"solver_type L2R_LR\nnr_class 2\nlabel -1 1\nnr_feature 1\nbias -1\nw\n1\n":                                                             "1",
		"solver_type MCSVM_CS\nnr_class 3\nlabel 9 1 2\nnr_feature 1\nbias -1\nw\n1 1 1\n":                                                      "9",
		"svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 3\nrho -1 1 -1\nlabel 9 1 2\nnr_sv 1 1 1\nSV\n1 1 1:1\n-1 1 1:1\n-1 -1 1:1\n": "9",
		"svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 3\nrho 1 -1 1\nlabel 2 9 1\nnr_sv 1 1 1\nSV\n1 1 1:1\n-1 1 1:1\n-1 -1 1:1\n":  "2",
	} {
		m, err := exchange.Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		zero := []float64{0}
		if got := m.Schema.Names[m.Classifier().Predict(zero)]; got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		x, _ := linalg.FromRows([][]float64{zero})
		if codes, err := m.Classifier().PredictRows(nil, x); err != nil || m.Schema.Names[codes[0]] != want {
			t.Errorf("%q: %v %v, want %s", text, codes, err, want)
		}
	}
}

func TestDamagedModelFilesAreRefusedWithTheLine(t *testing.T) {
	good := "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n1\n2\n3\n"
	svm := "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1 2:2\n-1 1:3\n"
	for _, c := range []struct{ from, old, new, want string }{
		{good, "", "", ""}, {svm, "", "", ""},
		{good, "L2R_LR", "L2R_XX", `line 6: unknown solver "L2R_XX"`},
		{good, "nr_feature 2", "nr_feature 3", "line 9: the file ends after the weights of 3 features, want 4"},
		{good, "nr_feature 2", "nr_feature 999999999999", `"nr_feature" is "999999999999"`},
		{good, "nr_feature 2", "nr_feature 1", "line 9: more weights"},
		{good, "label 1 -1", "label 1 1", "label 1 is there twice"},
		{good, "label 1 -1", "label 1", "1 labels of 2 classes"},
		{good, "label 1 -1\n", "", "0 labels"},
		{good, "nr_class 2", "nr_class 1", "one class"},
		{good, "\n2\n", "\nNaN\n", `line 8: "NaN" is not a finite number`},
		{good, "\n2\n", "\n1e999\n", "line 8: "},
		{good, "\n2\n", "\n1e305\n", "leave the range"},
		{good, "\n2\n", "\n2 2\n", "line 8: 2 weights, want 1"},
		{good, "bias 1\n", "bias 1\nbias 1\n", `line 6: a second entry "bias"`},
		{good, "bias 1\n", "speed 1\n", `line 5: unknown entry "speed"`},
		{good, "bias 1", "bias 0", ""}, {good, "w\n1\n2\n3\n", "w\n1\n2\n", "want 3"}, // a bias of 0 has a weight too
		{strings.Replace(good, "bias 1", "bias 0", 1), "w\n1\n2\n3\n", "w\n1\n2\n", "want 3"},
		{strings.Replace(good, "bias 1", "bias -1", 1), "w\n1\n2\n3\n", "w\n1\n2\n", ""},
		{good, "w\n1\n2\n3\n", "", "line 5: the file ends before its w"},
		{svm, "1 1:1 2:2", "1", ""}, {svm, "1:1 2:2", "1:1 1:2", `"1:2" is not index:value with an index above 1`},
		{svm, "1:1 2:2", "1:1 2", `"2" is not index:value`}, {svm, "1 1:1 2:2", "x 1:1 2:2", `line 9: "x" is not a finite number`},
		{svm, "linear", "rbf", `kernel "rbf"`},
		{svm, "rho 0.5", "rho 0.5 1", `2 values of "rho"`},
		{svm, "nr_sv 1 1", "nr_sv 1 0.5", "0.5 support vectors"},
		{svm, "nr_sv 1 1", "nr_sv 2 1", "3 support vectors by class, 2 in all"},
		{svm, "1:1 2:2", "2:1 1:2", `line 9: "1:2" is not index:value with an index above 2`},
		{svm, "1:1 2:2", "0:1 1:2", `line 9: "0:1"`},
		{svm, "1:1 2:2", "1:1 1048576:2", ""},
		{svm, "1:1 2:2", "1:1 1048800:2", "line 10: 1 planes of 1048800 features"},
		{svm, "-1 1:3\n", "", "line 9: the file ends after 1 support vectors, want 2"},
		{svm, "-1 1:3\n", "-1 1:3\n-1 1:3\n", "line 11: more than 2 support vectors"},
		{svm, "c_svc", "c_svd", "unknown svm_type"},
		{"", "", "", "not a model"},
	} {
		text := strings.Replace(c.from, c.old, c.new, 1)
		_, err := exchange.Read(strings.NewReader(text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", text, err, c.want)
		}
	}
}

func FuzzLIBLINEAR(f *testing.F) {
	_, cases := toolCases(f, liblinearJSON)
	for _, c := range cases {
		f.Add([]byte(c.Model))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := fuzz(t, text); err != nil && strings.Contains(err.Error(), "exchange: LIB") && !strings.Contains(err.Error(), " line ") {
			t.Errorf("an error without a line: %v", err)
		}
	})
}

// fuzz reads a file that may be anything. A model that comes of it can be saved and read
// again, and predicts.
func fuzz(t *testing.T, text []byte) error {
	m, err := exchange.Read(bytes.NewReader(text))
	if err != nil {
		return err
	}
	p := len(m.Schema.Features())
	if p > 1000 {
		return nil
	}
	m = saved(t, m)
	row := make([]float64, p)
	if m.Method.Regression {
		m.Regressor().Predict(row)
		return nil
	}
	if k := m.Classifier().Predict(row); k < 0 || k >= len(m.Schema.Names) {
		t.Fatalf("class %d of %d", k, len(m.Schema.Names))
	}
	return nil
}
