package exchange_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/codegen"
	"halfspace/sim/method/exchange"
)

// snippetCase is a model file that a snippet wrote, and what its tool predicts for the rows of
// the golden, or of its own table.
type snippetCase struct {
	Name               string
	File               json.RawMessage
	Predicted, Classes []string
	Proba              [][]float64
	Columns            []string // of the table; nil is x1, x2, …
	Table              [][]string
}

type snippetGolden struct {
	Rows  [][]float64
	Cases []snippetCase
}

//go:embed testdata/scikit.json
var scikitJSON []byte

func snippetCases(t testing.TB, data []byte) *snippetGolden {
	t.Helper()
	g := new(snippetGolden)
	if err := json.Unmarshal(data, g); err != nil || len(g.Cases) == 0 {
		t.Fatal(len(g.Cases), err)
	}
	return g
}

func TestScikitLearnIsImported(t *testing.T) {
	snippetCases(t, scikitJSON).check(t, exchange.ReadScikit)
}

// The snippet runs here where Python and scikit-learn are.
func TestScikitLearnOfThisMachineIsImported(t *testing.T) {
	const python = "/usr/bin/python3"
	if os.Getenv("HALFSPACE_LONG") == "" || exec.Command(python, "-c", "import sklearn").Run() != nil {
		t.Skip("no scikit-learn, or HALFSPACE_LONG is not set; the golden is its output")
	}
	out, err := exec.Command(python, "testdata/scikit.py", "../../../linalg/linalgtest/testdata").Output()
	if err != nil {
		t.Fatal(err)
	}
	snippetCases(t, out).check(t, exchange.ReadScikit)
}

func TestTheSnippetsOfTheDocumentationAreThoseThatAreTested(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"testdata/snippet.py", "testdata/snippet.R"} {
		code, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(strings.TrimSpace(string(code)), "\n") {
			if !strings.Contains(string(doc), "//\t"+line+"\n") {
				t.Errorf("%s: no line %q in doc.go", name, line)
			}
		}
	}
}

// check wants predictions equal on every row, and values and probabilities to 1e-12.
func (g *snippetGolden) check(t *testing.T, read func(r io.Reader) (*method.Model, error)) {
	t.Helper()
	for _, c := range g.Cases {
		m, err := read(bytes.NewReader(c.File))
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if s := m.Report().Status(); s != optimize.Imported {
			t.Errorf("%s: status %v", c.Name, s)
		}
		m = saved(t, m)
		for i := range c.Predicted {
			row := c.row(t, m, g, i)
			if m.Method.Regression {
				want, _ := strconv.ParseFloat(c.Predicted[i], 64)
				if v := m.Regressor().Predict(row); !(math.Abs(v-want) <= 1e-12*(1+math.Abs(want))) {
					t.Errorf("%s, row %d: %v, the tool has %v", c.Name, i, v, want)
				}
				continue
			}
			if name := m.Schema.Names[m.Classifier().Predict(row)]; name != c.Predicted[i] {
				t.Errorf("%s, row %d: %q, the tool has %q", c.Name, i, name, c.Predicted[i])
			}
			c.probabilities(t, m, row, i)
		}
	}
}

// row returns row i as the model takes it.
func (c *snippetCase) row(t *testing.T, m *method.Model, g *snippetGolden, i int) []float64 {
	t.Helper()
	if c.Table == nil {
		return g.Rows[i]
	}
	columns := c.Columns
	if columns == nil {
		for j := range c.Table[i] {
			columns = append(columns, "x"+strconv.Itoa(j+1))
		}
	}
	encoder, err := m.Encoder(columns)
	if err != nil {
		t.Fatal(c.Name, err)
	}
	row, err := encoder.Row(nil, c.Table[i])
	if err != nil {
		t.Fatal(c.Name, err)
	}
	return row
}

func (c *snippetCase) probabilities(t *testing.T, m *method.Model, row []float64, i int) {
	t.Helper()
	if m.HasProba() != (c.Proba != nil) {
		t.Fatalf("%s: probabilities %v", c.Name, m.HasProba())
	}
	if c.Proba == nil {
		return
	}
	proba := m.Classifier().(sim.Prober).Proba(nil, row)
	for j, class := range c.Classes {
		for k, name := range m.Schema.Names {
			if name == class && !(math.Abs(proba[k]-c.Proba[i][j]) <= 1e-12) {
				t.Errorf("%s, row %d: P(%s) is %v, the tool has %v", c.Name, i, name, proba[k], c.Proba[i][j])
			}
		}
	}
}

func TestDamagedEstimatorsAreRefusedByName(t *testing.T) {
	good := `{"scikit-learn":"1.2","model":{"type":"Pipeline","params":{"steps":[["s",{"type":"StandardScaler","params":{},"fitted":{"mean_":[1,2],"scale_":[1,2],"n_features_in_":2}}],
		["m",{"type":"LogisticRegression","params":{},"fitted":{"classes_":["a","b"],"coef_":[[1,2]],"intercept_":[0],"n_features_in_":2}}]]},"fitted":{"n_features_in_":2}}}`
	for _, open := range []string{`{`, "{\n    "} { // an editor may put the names on lines of their own
		if _, err := exchange.Read(strings.NewReader(open + good[1:])); err != nil {
			t.Fatal(err)
		}
	}
	const scaler = `{"type":"StandardScaler","params":{},"fitted":{"mean_":[1,2],"scale_":[1,2],"n_features_in_":2}}`
	encoder := func(dropped string) string {
		return `{"type":"OneHotEncoder","params":{},"fitted":{"categories_":[["u","v"],["w"]],"drop_idx_":[` + dropped + `,null],"n_features_in_":2}}`
	}
	for _, c := range []struct{ old, new, want string }{
		{scaler, scaler + `],["e",` + encoder("1"), `"x1" is no column of the table any more`},
		{scaler, encoder("2"), `"x1": level 2 of 2 is dropped`},
		{scaler, encoder("-1"), `"x1": level -1 of 2 is dropped`},
		{`"LogisticRegression"`, `"RandomForestClassifier"`, "RandomForestClassifier: this estimator cannot be imported"},
		{`"StandardScaler"`, `"PCA"`, "PCA: the step PCA cannot be imported"},
		{`"StandardScaler"`, `"P\u0007"`, `"P\a"`},
		{`"coef_"`, `"other_"`, `LogisticRegression: no "coef_"`},
		{`[[1,2]]`, `[[1,"2"]]`, `"coef_"`},
		{`[[1,2]]`, `[[1],[2,3]]`, `"coef_"`},
		{`[[1,2]]`, `[[1,2,3]]`, "2 features but 3"},
		{`"scale_":[1,2]`, `"scale_":[1,0]`, "scale 0"},
		{`"scale_":[1,2]`, `"scale_":[1]`, "1 scales"},
		{`["m",{"type"`, `["n",3],["m",{"type"`, "step 2 is no estimator"},
		{`"LogisticRegression","params":{},"fitted":{"classes_":["a","b"]`, `"Perceptron","params":{},"fitted":{"classes_":["a","b","c"]`, "3 functions but 1"},
		{`[[1,2]]`, `[[1,null]]`, `"coef_": null is no number`},
		{`"intercept_":[0]`, `"intercept_":[null]`, `"intercept_": null is no number`},
		{`"LogisticRegression","params":{},"fitted":{"classes_":["a","b"],"coef_":[[1,2]],"intercept_":[0]`,
			`"SVC","params":{"kernel":"linear","break_ties":true},"fitted":{"classes_":["a","b","c"],"coef_":[[1,2],[1,2],[1,2]],"intercept_":[0,0,0]`, "break_ties=True"},
		{`"a","b"`, `"a","a"`, `labels are "a"`},
		{`"a","b"`, `"a"`, "only class"},
		{`"a","b"`, `"a",[]`, "no label"},
		{`"fitted":{"n_features_in_":2}}}`, `"fitted":{"n_features_in_":-2}}}`, "-2 features"},
		{`"fitted":{"n_features_in_":2}}}`, `"fitted":{"n_features_in_":2}}`, "unexpected end"},
		{`"fitted":{"n_features_in_":2}}}`, `"fitted":{"n_features_in_":100000000}}}`, "100000000 features"},
		{`"model"`, `"modle"`, `no "model"`},
		{`"classes_":["a"`, `"classes_":["a" x`, `line 2, column 75: invalid character 'x'`},
		{`"params":{"steps"`, "\n\"params\":[],\"other\":{\"steps\"", `line 2, column 10: json: cannot unmarshal array`},
	} {
		_, err := exchange.Read(strings.NewReader(strings.Replace(good, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
}

// A StandardScaler(with_mean=False) has means: scikit-learn took the scales about them.
func TestScalersThatDoNotCenterAreImported(t *testing.T) {
	for params, want := range map[string]float64{`{}`: 0, `{"with_mean":true}`: 0, `{"with_mean":false}`: 2} {
		m, err := exchange.Read(strings.NewReader(`{"scikit-learn":"1","model":{"type":"Pipeline","fitted":{"n_features_in_":1},"params":{"steps":[
			["s",{"type":"StandardScaler","params":` + params + `,"fitted":{"mean_":[4],"scale_":[2],"n_features_in_":1}}],
			["m",{"type":"LinearRegression","params":{},"fitted":{"coef_":[1],"intercept_":0,"n_features_in_":1}}]]}}}`))
		if err != nil {
			t.Fatal(err)
		}
		if v := m.Regressor().Predict([]float64{4}); v != want {
			t.Errorf("%s: f(4) is %v, want %v", params, v, want)
		}
	}
}

// pipelineOf returns a file of steps and a regression with these coefficients.
func pipelineOf(names, steps, coef string) io.Reader {
	return strings.NewReader(`{"scikit-learn":"1","model":{"type":"Pipeline","fitted":{"feature_names_in_":` + names + `},"params":{"steps":[` + steps + `,
		["m",{"type":"LinearRegression","params":{},"fitted":{"coef_":` + coef + `,"intercept_":0}}]]}}}`)
}

// valueOf returns what a regression predicts of cells.
func valueOf(t *testing.T, from io.Reader, columns []string, cells ...string) float64 {
	t.Helper()
	m, err := exchange.Read(from)
	if err != nil {
		t.Fatal(err)
	}
	m = saved(t, m)
	encoder, err := m.Encoder(columns)
	if err != nil {
		t.Fatal(err)
	}
	row, err := encoder.Row(nil, cells)
	if err != nil {
		t.Fatal(err)
	}
	return m.Regressor().Predict(row)
}

// A OneHotEncoder that saw missing cells has a level of them, NaN or None: where gaps are kept, as
// they are if an imputer fills other columns or there are none, a gap is that level.
func TestMissingCellsThatAreALevelAreThatLevel(t *testing.T) {
	const imputer, encoder = `["n",{"type":"SimpleImputer","params":{"missing_values":"NaN"},"fitted":{"statistics_":[7]}},["a"]]`, `["o",{"type":"OneHotEncoder","params":{%s},"fitted":{"categories_":[["u",%s]]%s}},["g"]]`
	for _, c := range []struct {
		params, level, dropped, coef string
		want                         float64
	}{
		{``, `"NaN"`, ``, "[1,10,20]", 27}, {``, `null`, ``, "[1,10,20]", 27}, {`"handle_unknown":"ignore"`, `"NaN"`, ``, "[1,10,20]", 27},
		{``, `"NaN"`, `,"drop_idx_":[0]`, "[1,20]", 27}, {``, `"NaN"`, `,"drop_idx_":[1]`, "[1,10]", 7},
		{`"handle_unknown":"ignore"`, `"v"`, ``, "[1,10,20]", 7},
	} {
		one := fmt.Sprintf(encoder, c.params, c.level, c.dropped)
		both := `["c",{"type":"ColumnTransformer","params":{},"fitted":{"transformers_":[` + imputer + `,` + one + `]}}]`
		if v := valueOf(t, pipelineOf(`["a","g"]`, both, c.coef), []string{"a", "g"}, "", ""); v != c.want {
			t.Errorf("%s: f is %v, want %v", one, v, c.want)
		}
	}
	alone := `["c",{"type":"ColumnTransformer","params":{},"fitted":{"transformers_":[` + fmt.Sprintf(encoder, ``, `"NaN"`, ``) + `]}}]`
	if v := valueOf(t, pipelineOf(`["g"]`, alone, "[10,20]"), []string{"g"}, ""); v != 20 {
		t.Errorf("an encoder alone: f is %v, want 20", v)
	}
}

// Python keeps the spaces around the cells of a table, as the Adult data have them, and readers here do not.
func TestSpacesAroundNamesDoNotCount(t *testing.T) {
	steps := `["c",{"type":"ColumnTransformer","params":{},"fitted":{"transformers_":[["o",{"type":"OneHotEncoder","params":{"handle_unknown":"ignore"},"fitted":{"categories_":[[" Private"," Self "]]}},[" work"]]]}}]`
	for _, cell := range []string{"Private", " Private"} {
		if v := valueOf(t, pipelineOf(`[" work"]`, steps, "[10,20]"), []string{"work"}, cell); v != 10 {
			t.Errorf("%q: f is %v, want 10", cell, v)
		}
	}
	m, err := exchange.Read(strings.NewReader(`{"scikit-learn":"1","model":{"type":"LogisticRegression","params":{},"fitted":{"classes_":[" <=50K"," >50K"],"coef_":[[1]],"intercept_":[0],"n_features_in_":1}}}`))
	if err != nil || !slices.Equal(m.Schema.Names, []string{"<=50K", ">50K"}) {
		t.Errorf("labels %q: %v", m.Schema.Names, err)
	}
	r := `{"R":["R"],"class":["glm"],"names":["(Intercept)","work Self"],"terms":["work"],"levels":[" <=50K"," >50K"],"xlevels":{"work":[" Private"," Self"]},"link":["binomial","logit"],"coef":[1,2]}`
	if m, err = exchange.Read(strings.NewReader(r)); err != nil {
		t.Fatal(err)
	}
	d, err := m.Schema.Read("adult.csv", strings.NewReader("work,y\n Self, >50K\n\" Self\",<=50K\n"), &dataset.Options{NoLabels: true})
	if err != nil || d.X.At(0, 0) != 1 || d.X.At(1, 0) != 1 || m.Schema.Names[1] != ">50K" {
		t.Errorf("%v, labels %q, %v", d, m.Schema.Names, err)
	}
}

// What a ColumnTransformer does with the columns that it does not name stands behind its transformers, by positions, which
// versions 1.5 and 1.6 have in a list of their own: text in the file.
func TestRemaindersOfColumnTransformers(t *testing.T) {
	const identity = `{"type":"FunctionTransformer","params":{"func":null,"inverse_func":null},"fitted":{}}`
	for _, c := range []struct {
		rest, coef string
		want       float64
	}{
		{`"drop","[0, 2]"`, "[1]", 3}, {`"drop",[0,2]`, "[1]", 3}, {`"drop",["a","c"]`, "[1]", 3}, {`"drop","slice(1, 3, None)"`, "[1]", 3},
		{`"passthrough","[0, 2]"`, "[1,10,100]", 423}, {identity + `,"[0, 2]"`, "[1,10,100]", 423}, {identity + `,[0,2]`, "[1,10,100]", 423},
		{identity + `,"[2]"`, "[1,10]", 43},
	} {
		steps := `["c",{"type":"ColumnTransformer","params":{},"fitted":{"transformers_":[["p","passthrough",["b"]],["remainder",` + c.rest + `]]}}]`
		if v := valueOf(t, pipelineOf(`["a","b","c"]`, steps, c.coef), []string{"a", "b", "c"}, "2", "3", "4"); v != c.want {
			t.Errorf("%s: f is %v, want %v", c.rest, v, c.want)
		}
	}
	steps := `["c",{"type":"ColumnTransformer","params":{},"fitted":{"transformers_":[["p","passthrough","[0]"]]}}]`
	if v := valueOf(t, pipelineOf(`["a","[0]"]`, steps, "[10]"), []string{"[0]"}, "3"); v != 30 {
		t.Errorf("a column named [0]: f is %v, want 30", v)
	}
}

// An encoder that refuses unknown levels refuses them also beside one that makes zeros of its own.
func TestUnknownLevelsAreEachEncodersOwn(t *testing.T) {
	const encoder = `["%s",{"type":"OneHotEncoder","params":{%s},"fitted":{"categories_":[["u","v"]]}},["%s"]]`
	const zeros, refuse = `"handle_unknown":"ignore"`, `"handle_unknown":"error"`
	for _, c := range []struct {
		first, second string
		row           string
		want          float64 // NaN is an error
	}{
		{zeros, refuse, "u,v", 1001}, {zeros, refuse, "w,v", 1000}, {zeros, refuse, "u,w", math.NaN()}, {refuse, zeros, "w,v", math.NaN()}, {refuse, zeros, "v,w", 10},
		{zeros, `"handle_unknown":"infrequent_if_exist"`, "w,w", 0}, {zeros, zeros, "w,w", 0}, {refuse, refuse, "w,u", math.NaN()}, {refuse, refuse, "u,w", math.NaN()},
	} {
		steps := `["c",{"type":"ColumnTransformer","params":{},"fitted":{"transformers_":[` + fmt.Sprintf(encoder, "o", c.first, "g") + `,` + fmt.Sprintf(encoder, "e", c.second, "h") + `]}}]`
		m, err := exchange.Read(pipelineOf(`["g","h"]`, steps, "[1,10,100,1000]"))
		if err != nil {
			t.Fatal(err)
		}
		m = saved(t, m)
		if code, err := codegen.Generate(m, "generated"); err != nil || strings.Count(string(code), "\tdefault:\n") != strings.Count(c.first+c.second, "error") {
			t.Errorf("%s, %s: %v in\n%s", c.first, c.second, err, code)
		}
		cells := strings.Split(c.row, ",")
		row, err := m.Schema.Row(nil, map[string]any{"g": cells[0], "h": cells[1]})
		if (err != nil) != (c.want != c.want) || err == nil && m.Regressor().Predict(row) != c.want {
			t.Errorf("%s, %s: %s is %v, %v, want f %v", c.first, c.second, c.row, row, err, c.want)
		}
		if d, other := m.Schema.Read("t.csv", strings.NewReader("g,h\n"+c.row+"\n"), &dataset.Options{NoLabels: true}); (other != nil) != (err != nil) || err == nil && !slices.Equal(d.X.Row(0), row) {
			t.Errorf("%s, %s: a table of %s: %v, a row: %v", c.first, c.second, c.row, other, err)
		}
	}
}

// Where some columns are imputed, a gap in another is an error of the row, as it is one of scikit-learn's.
func TestGapsOfColumnsThatAreNotImputedAreErrors(t *testing.T) {
	steps := `["c",{"type":"ColumnTransformer","params":{},"fitted":{"transformers_":[["n",{"type":"SimpleImputer","params":{"missing_values":"NaN"},"fitted":{"statistics_":[7]}},["a"]],
		["o",{"type":"OneHotEncoder","params":{},"fitted":{"categories_":[["u","v"]]}},["g"]],["p","passthrough",["b"]]]}}]`
	m, err := exchange.Read(pipelineOf(`["a","g","b"]`, steps, "[1,10,20,100]"))
	if err != nil {
		t.Fatal(err)
	}
	m = saved(t, m)
	if _, err := codegen.Generate(m, "generated"); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		row  string
		want float64 // NaN is an error
	}{{"1,u,2", 211}, {",v,2", 227}, {"1,u,", math.NaN()}, {"1,,2", math.NaN()}} {
		d, err := m.Schema.Read("new.csv", strings.NewReader("a,g,b\n"+c.row+"\n"), &dataset.Options{NoLabels: true})
		if err != nil {
			t.Fatal(c.row, err)
		}
		v, err := m.Regressor().PredictRows(nil, d.Rows())
		if c.want != c.want && err == nil || c.want == c.want && (err != nil || v[0] != c.want) {
			t.Errorf("%s: %v, %v, want %v", c.row, v, err, c.want)
		}
	}
}

// A level may have any name, and be that of the reference of levels that all have indicators.
func TestALevelMayBeNamedOther(t *testing.T) {
	steps := `["o",{"type":"OneHotEncoder","params":{"handle_unknown":"ignore"},"fitted":{"categories_":[["(other)","x"]]}}]`
	for cell, want := range map[string]float64{"(other)": 10, "x": 20, "y": 0} {
		if v := valueOf(t, pipelineOf(`["g"]`, steps, "[10,20]"), []string{"g"}, cell); v != want {
			t.Errorf("%s: f is %v, want %v", cell, v, want)
		}
	}
}

// The second of two ColumnTransformers that keep the names of the table means the columns by their
// names, wherever the first put them.
func TestColumnsKeepTheirNamesBehindAColumnTransformer(t *testing.T) {
	steps := `["c",{"type":"ColumnTransformer","params":{},"fitted":{"transformers_":[["p","passthrough",["b","a"]]]}}],
		["d",{"type":"ColumnTransformer","params":{},"fitted":{"transformers_":[["p","passthrough",["a"]],["q","passthrough",["b"]]]}}]`
	if v := valueOf(t, pipelineOf(`["a","b"]`, steps, "[1,10]"), []string{"a", "b"}, "2", "3"); v != 32 {
		t.Errorf("f(2, 3) is %v, want 32", v)
	}
}

// The output of a transformer that has a weight is multiplied by it.
func TestWeightsOfTransformersAreRefused(t *testing.T) {
	for weights, refused := range map[string]bool{`null`: false, `{}`: false, `{"a":2}`: true, `7`: true} {
		steps := `["c",{"type":"ColumnTransformer","params":{"transformer_weights":` + weights + `},"fitted":{"transformers_":[["a","passthrough",["u"]],["b","passthrough",["v"]]]}}]`
		_, err := exchange.ReadScikit(pipelineOf(`["u","v"]`, steps, `[1,2]`))
		if refused != (err != nil && strings.Contains(err.Error(), "transformer_weights cannot be imported")) {
			t.Errorf("%s: %v", weights, err)
		}
	}
}

// A model that is read can be saved and read again: of means near the largest number, coefficients make more.
func TestScoresBeyondTheRangeAreRefused(t *testing.T) {
	const file = `{"scikit-learn":"1","model":{"type":"Pipeline","params":{"steps":[["s",{"type":"StandardScaler","params":{},"fitted":{"mean_":[1e300],"scale_":[1]}}],
		["m",{"type":"LinearRegression","params":{},"fitted":{"coef_":[%s],"intercept_":0}}]]},"fitted":{"n_features_in_":1}}}`
	for coef, want := range map[string]bool{"1e4": true, "1e9": false} {
		m, err := exchange.Read(strings.NewReader(fmt.Sprintf(file, coef)))
		if want != (err == nil) {
			t.Errorf("coef %s: %v", coef, err)
		}
		if err == nil {
			saved(t, m)
		}
	}
}

// A search over settings is the estimator that it was refitted with, and a pipeline in another its steps.
func TestSearchesAndPipelinesInPipelines(t *testing.T) {
	const fit = `{"type":"LinearRegression","params":{},"fitted":{"coef_":[10],"intercept_":1,"n_features_in_":1}}`
	const scaled = `{"type":"Pipeline","params":{"steps":[["s",{"type":"StandardScaler","params":{},"fitted":{"mean_":[4],"scale_":[2]}}],["m",%s]]},"fitted":{"n_features_in_":1}}`
	const search = `{"type":"GridSearchCV","params":{},"fitted":{"best_estimator_":%s}}`
	for _, c := range []struct {
		model string
		want  float64
	}{
		{fmt.Sprintf(search, fit), 61}, {fmt.Sprintf(search, fmt.Sprintf(scaled, fit)), 11}, {fmt.Sprintf(scaled, fmt.Sprintf(search, fit)), 11},
		{fmt.Sprintf(scaled, fmt.Sprintf(search, fmt.Sprintf(scaled, fit))), -14}, // (1 − 4)/2 by way of the two scalers
		{fmt.Sprintf(`{"type":"Pipeline","params":{"steps":[["p",%s],["m",%s]]},"fitted":{"n_features_in_":1}}`,
			`{"type":"Pipeline","params":{"steps":[["q","passthrough"],["s",{"type":"StandardScaler","params":{},"fitted":{"mean_":[4],"scale_":[2]}}]]}}`, fit), 11},
	} {
		if v := valueOf(t, strings.NewReader(`{"scikit-learn":"1","model":`+c.model+`}`), []string{"x1"}, "6"); v != c.want {
			t.Errorf("%s: f(6) is %v, want %v", c.model, v, c.want)
		}
	}
	deep := fit
	for range 9 {
		deep = `{"type":"Pipeline","params":{"steps":[["m",` + deep + `]]},"fitted":{"n_features_in_":1}}`
	}
	for model, want := range map[string]string{
		deep: "Pipeline: more than 8 pipelines in one another",
		`{"type":"GridSearchCV","params":{"refit":false},"fitted":{"n_features_in_":1}}`:                `GridSearchCV: no "best_estimator_"`,
		`{"type":"CalibratedClassifierCV","params":{},"fitted":{"n_features_in_":1}}`:                   "CalibratedClassifierCV: this estimator cannot be imported",
		fmt.Sprintf(search, `{"type":"OneVsRestClassifier","params":{},"fitted":{"n_features_in_":1}}`): "OneVsRestClassifier: this estimator cannot be imported",
	} {
		if _, err := exchange.Read(strings.NewReader(`{"scikit-learn":"1","model":` + model + `}`)); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", model, err, want)
		}
	}
}

// Where a class has fewer directions than features, scikit-learn's probabilities are those of
// rounding errors, which no other arithmetic repeats.
func TestSingularClassesOfScikitLearnAreRefused(t *testing.T) {
	for s, want := range map[string]string{"1e-3": "", "1e-30": `class "b" has a singular covariance`, "0": "a variance of 0"} {
		_, err := exchange.Read(strings.NewReader(`{"scikit-learn":"1","model":{"type":"QuadraticDiscriminantAnalysis","params":{},"fitted":{"n_features_in_":2,"classes_":["a","b"],
			"priors_":[0.5,0.5],"means_":[[0,0],[1,1]],"rotations_":[[[1,0],[0,1]],[[0.6,0.8],[0.8,-0.6]]],"scalings_":[[1,2],[3,` + s + `]]}}}`))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func FuzzScikit(f *testing.F) {
	for _, c := range snippetCases(f, scikitJSON).Cases {
		f.Add([]byte(c.File))
	}
	f.Fuzz(func(t *testing.T, text []byte) { _ = fuzz(t, text) })
}
