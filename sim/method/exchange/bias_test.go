package exchange_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/exchange"
)

// LIBLINEAR's own fits are near the minimum of its own objective, whose intercept is penalised,
// and further from that of ours.
func TestLIBLINEARIsJudgedByItsOwnObjective(t *testing.T) {
	x, species, _ := linalgtest.Table(t, "iris.csv", "species")
	_, cases := toolCases(t, liblinearJSON)
	seen := 0
	for _, c := range cases {
		var o *method.Options
		switch c.Name {
		case "liblinear -s 7, two":
			o = &method.Options{Lambda: 1}
		case "liblinear -s 3, two":
			o = &method.Options{C: 1}
		default:
			continue
		}
		seen++
		m, err := exchange.Read(strings.NewReader(c.Model))
		if err != nil {
			t.Fatal(err)
		}
		labels := make([]int, len(species))
		for i, s := range species {
			for k, name := range m.Schema.Names {
				if name == map[string]string{"versicolor": "-1", "virginica": "1"}[s] {
					labels[i] = k
				}
			}
		}
		pair, _ := linalg.NewDense(100, 4, x.Data[200:])
		d := &dataset.Data{X: pair, Labels: labels[50:], Names: m.Schema.Names}
		own, err := exchange.Audit(m, d, o, 1)
		if err != nil {
			t.Fatal(c.Name, err)
		}
		meant, err := m.WithObjective(o)
		if err != nil {
			t.Fatal(err)
		}
		if a, err := exchange.Audit(meant, d, nil, 1); err != nil || a.Report.Objective() != own.Report.Objective() {
			t.Errorf("%s: by the model's own options %v, %v, with them given %v", c.Name, a, err, own)
		}
		ours, err := exchange.Audit(m, d, o, 0)
		if err != nil {
			t.Fatal(c.Name, err)
		}
		_, intercept, _ := m.Coef()
		if more := own.Report.Objective() - ours.Report.Objective(); !(math.Abs(more-intercept[0]*intercept[0]/2) <= 1e-10*own.Report.Objective()) {
			t.Errorf("%s: the bias costs %v, want half of %v squared", c.Name, more, intercept[0])
		}
		if a, b := own.Excess()/own.Report.Objective(), ours.Excess()/ours.Report.Objective(); !(a < 0.01) || !(a < b) {
			t.Errorf("%s: %g above the minimum of its own objective, %g above ours", c.Name, a, b)
		}
		if _, err := exchange.Audit(m, d, o, -1); err == nil {
			t.Error("a bias of -1 was taken")
		}
	}
	if seen != 2 {
		t.Fatalf("%d of 2 cases", seen)
	}
}

// A penalised bias adds its penalty to the objective and leaves the offsets of the rows in it.
func TestBiasLeavesOffsets(t *testing.T) {
	x, _ := linalg.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6})
	d := &dataset.Data{X: x, Labels: []int{0, 1, 0, 1, 0, 1}, Offset: []float64{1, -2, 3, -1, 2, 0}}
	logistic, _ := method.Named("logistic")
	m, err := logistic.Fit(d, &method.Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	ours, err := exchange.Audit(m, d, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	biased, err := exchange.Audit(m, d, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, intercept, _ := m.Coef()
	linalgtest.Close(t, "objective", biased.Report.Objective(), ours.Report.Objective()+intercept[0]*intercept[0]/2, 1e-12)
}

// A sparse table is judged as a dense one is. Tables without rows are errors.
func TestBiasOfSparseTables(t *testing.T) {
	x := linalgtest.Thinned(1, 40, 3, 0.5)
	labels := make([]int, 40)
	for i := range labels {
		labels[i] = i % 2
	}
	m, err := exchange.Read(strings.NewReader("solver_type L2R_LR\nnr_class 2\nlabel 0 1\nnr_feature 3\nbias 2\nw\n0.1\n-0.2\n0.3\n0.05\n"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := exchange.Audit(m, &dataset.Data{X: x, Labels: labels}, nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := exchange.Audit(m, &dataset.Data{Sparse: linalgtest.Sparse(x), Labels: labels}, nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "objective", got.Report.Objective(), want.Report.Objective(), 1e-13)
	codes := make([]int, 40) // of the model's names "1" and "0"
	for i, l := range labels {
		codes[i] = 1 - l
	}
	coded, err := exchange.Audit(m, &dataset.Data{X: x, Labels: codes, Schema: m.Schema}, nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "objective of codes", coded.Report.Objective(), want.Report.Objective(), 0)
	for _, none := range []*dataset.Data{nil, {}, {X: &linalg.Dense{}}} {
		if _, err := exchange.Audit(m, none, nil, 1); err == nil {
			t.Errorf("%v: no error", none)
		}
	}
}

// A file that says what its tool minimised brings the objective with it.
func TestImportedModelsAreMeantForTheirToolsObjective(t *testing.T) {
	scikit := func(kind, params, fitted string) string {
		return `{"scikit-learn":"1","model":{"type":"` + kind + `","params":{` + params + `},"fitted":{"n_features_in_":1,"coef_":[[1]],"intercept_":[0],"classes_":["a","b"]` + fitted + `}}}`
	}
	glmnet := func(class, more string) string {
		return `{"R":["R"],"class":["` + class + `","glmnet"],"names":["(Intercept)","x"],"levels":["a","b"],"coef":[0,1],` + more + `}`
	}
	price := `"` + `C` + `":0.5`
	for _, c := range []struct{ name, file, want string }{
		{"ridge", scikit("LogisticRegression", price+`,"penalty":"l2","class_weight":"balanced"`, ""), `"lambda":2,"class_weight":"balanced"`},
		{"lasso", scikit("LogisticRegression", price+`,"penalty":"l1","fit_intercept":false`, ""), `"lambda":2,"l1_ratio":1,"no_intercept":true`},
		{"a pair of several", scikit("LogisticRegression", price+`,"penalty":"l2","multi_class":"multinomial"`, ""), `"lambda":1`},
		{"likelihood", scikit("LogisticRegression", price+`,"penalty":null`, ""), ``},
		{"likelihood through 0", scikit("LogisticRegression", price+`,"penalty":null,"fit_intercept":false`, ""), `"no_intercept":true`},
		{"unknown weights", scikit("LogisticRegression", price+`,"penalty":"l2","class_weight":{"a":2}`, ""), ``},
		{"a negative price", scikit("LogisticRegression", `"`+`C`+`":-2,"penalty":"l2"`, ""), ``},
		{"a price of next to nothing", scikit("LogisticRegression", `"`+`C`+`":1e-320,"penalty":"l1"`, ""), ``},
		{"a ratio above 1", scikit("LogisticRegression", price+`,"penalty":"elasticnet","l1_ratio":1.5`, ""), ``},
		{"a ratio below 0", scikit("LogisticRegression", price+`,"penalty":"elasticnet","l1_ratio":-0.5`, ""), ``},
		{"descent", scikit("SGDClassifier", `"alpha":0.01,"loss":"log_loss","penalty":"l2"`, `,"t_":501,"n_iter_":5`), `"lambda":1`},
		{"hinge", scikit("SGDClassifier", `"alpha":0.01,"loss":"hinge","penalty":"l2"`, `,"t_":501,"n_iter_":5`), `"c":1,"multi":"ovr"`},
		{"hinge, lasso", scikit("SGDClassifier", `"alpha":0.01,"loss":"hinge","penalty":"l1"`, `,"t_":501,"n_iter_":5`), ``},
		{"squared hinge", scikit("LinearSVC", price+`,"loss":"squared_hinge"`, ""), `"c":0.5,"loss":"squared-hinge","multi":"ovr"`},
		{"squared hinge, lasso", scikit("LinearSVC", price+`,"loss":"squared_hinge","penalty":"l1"`, ""), ``},
		{"machine", scikit("SVC", price+`,"kernel":"linear"`, ""), `"c":0.5`},
		{"a ridge of a list", scikit("Ridge", `"alpha":[3]`, ""), `"lambda":3`},
		{"glmnet", glmnet("lognet", `"penalty":[3,0.5]`), `"lambda":3,"l1_ratio":0.5,"standardize":true`},
		{"glmnet as it is", glmnet("elnet", `"penalty":[3],"scaled":["FALSE"],"call":["","x","y"]`), `"lambda":3,"l1_ratio":1`},
		{"glmnet's weights", glmnet("lognet", `"penalty":[3],"call":["","x","y","weights"]`), ``},
	} {
		m, err := exchange.Read(strings.NewReader(c.file))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text, err := m.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Body struct{ Objective json.RawMessage }
		}
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatal(err)
		}
		if got := string(bytes.Trim(file.Body.Objective, "{}")); got != c.want {
			t.Errorf("%s: %s, want %s in %.200s", c.name, got, c.want, text)
		}
	}
}

// A machine goes through 0 where its file says that it has no intercept.
func TestMachinesThroughZero(t *testing.T) {
	for _, params := range []string{`"loss":"hinge"`, `"loss":"hinge","fit_intercept":true`, `"loss":"hinge","fit_intercept":false`} {
		m, err := exchange.Read(strings.NewReader(`{"scikit-learn":"1","model":{"type":"LinearSVC","params":{` + params +
			`},"fitted":{"n_features_in_":1,"coef_":[[1]],"intercept_":[0],"classes_":["a","b"]}}}`))
		if err != nil {
			t.Fatal(err)
		}
		text, err := m.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if through := strings.Contains(string(text), `"no_intercept":true`); through != strings.Contains(params, "false") {
			t.Errorf("%s: %s", params, text)
		}
	}
}

// A regression has the penalty that a search chose.
func TestRegressionsHaveTheChosenPenalty(t *testing.T) {
	for _, c := range []struct{ kind, params, fitted, want string }{
		{"ElasticNet", `"alpha":2,"l1_ratio":0.25`, "", `"lambda":2,"l1_ratio":0.25`},
		{"ElasticNetCV", `"l1_ratio":[0.1,0.9]`, `,"alpha_":2,"l1_ratio_":0.9`, `"lambda":2,"l1_ratio":0.9`},
		{"RidgeCV", `"alphas":[1,2]`, `,"alpha_":2`, `"lambda":2`},
		{"Ridge", `"alpha":[2]`, "", `"lambda":2`},
	} {
		m, err := exchange.Read(strings.NewReader(`{"scikit-learn":"1","model":{"type":"` + c.kind + `","params":{` + c.params + `},"fitted":{"n_features_in_":1,"coef_":[1],"intercept_":0` + c.fitted + `}}}`))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := m.MarshalJSON(); err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("%s: no %s in %.300s, %v", c.kind, c.want, text, err)
		}
	}
}
