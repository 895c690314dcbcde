package codegen_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/codegen"
	"halfspace/sim/method/methodtest"
)

// variants are the methods with options that change the generated code.
func variants() map[string]func(o *method.Options) {
	v := map[string]func(o *method.Options){}
	for _, m := range method.All() {
		v[m.Name] = func(*method.Options) {}
		if m.Takes("standardize") {
			v[m.Name+"-scaled"] = func(o *method.Options) { o.Standardize = true }
		}
	}
	v["qda-standardized"] = func(o *method.Options) { o.Steps = []feature.Step{feature.Standardize{}} }
	v["lda-standardized"] = v["qda-standardized"]
	v["lda-quantiles"] = func(o *method.Options) { o.Steps = []feature.Step{feature.Quantile{Count: 9}} }
	v["logistic-polynomial"] = func(o *method.Options) {
		o.Steps = []feature.Step{feature.Standardize{}, feature.Expand{}, feature.Standardize{}}
	}
	v["svc-ovr"] = func(o *method.Options) { o.Multi = "ovr" }
	v["svc-probability"] = func(o *method.Options) { o.Probability = true }
	for _, like := range []string{"", "-libsvm", "-scikit"} {
		v["svc-two-probability"+like], v["svc-three-probability"+like] = v["svc-probability"], v["svc-probability"]
	}
	v["svc-ovr-probability"] = func(o *method.Options) { o.Multi, o.Probability = "ovr", true }
	v["indicator-negative"] = func(*method.Options) {}
	v["indicator-softmax"] = func(*method.Options) {}
	v["rrlda-one"] = func(o *method.Options) { o.Rank = 1 }
	return v
}

// module makes a module for a program of generated code, where there is the time and the go tool to build it.
func module(t *testing.T) (dir string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the path")
	}
	dir = t.TempDir()
	methodtest.Put(t, filepath.Join(dir, "go.mod"), "module generated\n\ngo 1.24\n")
	return dir
}

// Every method's generated file compiles with nothing but math, gives the class
// of the model on every row of the data, and its scores and probabilities to 1e-12. The
// means of 1e6 would cost digits if the code were not about an origin.
func TestGeneratedCodePredictsAlike(t *testing.T) {
	dir := module(t)
	var imports, calls strings.Builder
	type wanted struct {
		name string
		rows [][]float64
	}
	var want []wanted
	i := 0
	for name, change := range variants() {
		base, _, _ := strings.Cut(name, "-")
		m, err := method.Named(base)
		if err != nil {
			t.Fatal(err)
		}
		o := methodtest.Options(m)
		change(o)
		d := methodtest.Iris(t, m)
		if strings.Contains(name, "-two-") {
			d = methodtest.TwoClasses(d)
		}
		d.X = d.X.Clone()
		for r := range d.X.Rows {
			d.X.Row(r)[0] += 1e6
		}
		if m.Name == "perceptron" && !o.Standardize {
			continue // it needs features of one size
		}
		model, err := m.Fit(d, o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if strings.HasSuffix(name, "-libsvm") {
			model = coupled(t, model, hyperplane.LIBSVM)
		}
		if strings.HasSuffix(name, "-scikit") {
			model = coupled(t, model, hyperplane.Scikit)
		}
		if strings.HasSuffix(name, "-negative") {
			model = negative(t, model)
		}
		if strings.HasSuffix(name, "-softmax") {
			model = made(t, model.Schema)(discriminant.FitIndicator(d.X, d.Labels, &discriminant.Options{Softmax: true}))
		}
		code, err := codegen.Generate(model, "predictor")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pkg := fmt.Sprintf("p%d", i)
		i++
		if err := os.Mkdir(filepath.Join(dir, pkg), 0o755); err != nil {
			t.Fatal(err)
		}
		methodtest.Put(t, filepath.Join(dir, pkg, "predictor.go"), string(code))
		for _, line := range strings.Split(string(code), "\n") {
			if strings.HasPrefix(line, "import ") && line != `import "math"` {
				t.Errorf("%s: %s", name, line)
			}
		}
		fmt.Fprintf(&imports, "\t%s \"generated/%s\"\n", pkg, pkg)
		fmt.Fprintf(&calls, "\tfor _, x := range [][%d]float64{%s} {\n", d.X.Cols, goRows(d.X))
		w := wanted{name: name}
		for r := range d.X.Rows {
			row := d.X.Row(r)
			if reg := model.Regressor(); reg != nil {
				w.rows = append(w.rows, []float64{reg.Predict(row)})
				continue
			}
			out := model.Classifier().Scores([]float64{float64(model.Classifier().Predict(row))}, row)
			if model.HasProba() {
				out = model.Classifier().(sim.Prober).Proba(out, row)
			}
			w.rows = append(w.rows, out)
		}
		fmt.Fprintf(&calls, "\t\tfmt.Print(%s.Predict(&x))\n", pkg)
		if model.Classifier() != nil {
			fmt.Fprintf(&calls, "\t\tfor _, s := range %s.Scores(&x) {\n\t\t\tfmt.Print(\" \", s)\n\t\t}\n", pkg)
		}
		if model.Classifier() != nil && model.HasProba() {
			fmt.Fprintf(&calls, "\t\tfor _, p := range %s.Proba(&x) {\n\t\t\tfmt.Print(\" \", p)\n\t\t}\n", pkg)
		}
		fmt.Fprint(&calls, "\t\tfmt.Println()\n\t}\n")
		want = append(want, w)
	}
	methodtest.Put(t, filepath.Join(dir, "main.go"), "package main\n\nimport (\n\t\"fmt\"\n"+imports.String()+")\n\nfunc main() {\n"+calls.String()+"}\n")
	out := run(t, dir)
	lines := bufio.NewScanner(bytes.NewReader(out))
	for _, w := range want {
		for r, row := range w.rows {
			if !lines.Scan() {
				t.Fatalf("%s: the program stops at row %d", w.name, r)
			}
			cells := strings.Fields(lines.Text())
			if len(cells) != len(row) {
				t.Fatalf("%s: row %d: %q, want %d numbers", w.name, r, lines.Text(), len(row))
			}
			for j, cell := range cells {
				var v float64
				fmt.Sscan(cell, &v)
				if linalgtest.Diff(v, row[j]) > 1e-12 {
					t.Errorf("%s: row %d: %v, the model says %v", w.name, r, v, row[j])
				}
			}
		}
	}
}

// Rows whose values are not all finite have the scores and the class of the model, where some of its functions
// are NaN and where all are.
func TestGeneratedCodeTakesRowsThatAreNotFinite(t *testing.T) {
	dir := module(t)
	inf := math.Inf(1)
	rows := [][]float64{{math.NaN(), 1, 1, 1}, {inf, 1, 1, 1}, {inf, inf, 1, 1}, {1, inf, inf, 1}, {1, inf, 1, inf}, {-inf, 1, inf, 1}}
	var imports, calls, want strings.Builder
	for pkg, multi := range map[string]string{"pairs": "", "rest": "ovr"} {
		svc, _ := method.Named("svc")
		model, _ := methodtest.FitIris(t, svc, &method.Options{C: 1, Multi: multi})
		code, err := codegen.Generate(model, pkg)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, pkg), 0o755); err != nil {
			t.Fatal(err)
		}
		methodtest.Put(t, filepath.Join(dir, pkg, "predictor.go"), string(code))
		fmt.Fprintf(&imports, "\t\"generated/%s\"\n", pkg)
		fmt.Fprintf(&calls, "\tfor _, x := range [][4]float64{{nan, 1, 1, 1}, {inf, 1, 1, 1}, {inf, inf, 1, 1}, {1, inf, inf, 1}, {1, inf, 1, inf}, {-inf, 1, inf, 1}} {\n\t\tfmt.Println(%q, %s.Predict(&x), %s.Scores(&x))\n\t}\n", pkg, pkg, pkg)
		for _, row := range rows {
			fmt.Fprintln(&want, pkg, model.Classifier().Predict(row), model.Classifier().Scores(nil, row))
		}
	}
	methodtest.Put(t, filepath.Join(dir, "main.go"), "package main\n\nimport (\n\t\"fmt\"\n\t\"math\"\n\n"+imports.String()+")\n\nvar nan, inf = math.NaN(), math.Inf(1)\n\nfunc main() {\n"+calls.String()+"}\n")
	if got := string(run(t, dir)); got != want.String() {
		t.Errorf("the program prints\n%swant\n%s", got, want.String())
	}
}

// A generated file imports math where it uses it and nowhere else, or it would not compile.
func TestGeneratedCodeImportsWhatItUses(t *testing.T) {
	models := map[string]*method.Model{}
	for _, m := range method.All() {
		models[m.Name], _ = methodtest.FitIris(t, m, methodtest.Options(m))
	}
	svc, _ := method.Named("svc")
	for _, multi := range []string{"", "ovr"} {
		o := methodtest.Options(svc)
		o.Probability, o.Multi = true, multi
		models["svc with probabilities, "+multi], _ = methodtest.FitIris(t, svc, o)
	}
	for name, missing := range map[string]dataset.Rule{"levels": dataset.LeaveOut, "levels with gaps": dataset.Keep, "gaps": dataset.Keep} {
		columns := &dataset.Options{Categorical: []string{"Encode"}, Missing: missing}
		if name == "gaps" {
			columns = &dataset.Options{Keep: []string{"dose", "age"}, Missing: missing}
		}
		d, err := dataset.Read("t.csv", strings.NewReader(wards), columns)
		if err != nil {
			t.Fatal(err)
		}
		models[name] = methodtest.Must(t, svc, d, &method.Options{C: 1, Steps: []feature.Step{feature.Impute{}}})
	}
	with := 0
	for name, model := range models {
		code, err := codegen.Generate(model, "p")
		if err != nil {
			t.Fatal(name, err)
		}
		imports, uses := bytes.Contains(code, []byte(`import "math"`)), bytes.Contains(code, []byte("math."))
		if imports != uses {
			t.Errorf("%s: imports math: %t, uses it: %t", name, imports, uses)
		}
		if imports {
			with++
		}
	}
	if with == 0 || with == len(models) {
		t.Errorf("%d of %d import math", with, len(models))
	}
}

// coupled returns a model whose probabilities are coupled as another program does.
func coupled(t *testing.T, model *method.Model, c hyperplane.Coupling) *method.Model {
	t.Helper()
	p := model.Fitted().(*hyperplane.SVCProba)
	ab, _ := p.Sigmoids()
	other, err := hyperplane.NewSVCProba(&p.SVC, ab, c)
	if err != nil {
		t.Fatal(err)
	}
	made, err := method.New(model.Schema, model.Steps(), other)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// negative returns a regression of class indicators from elsewhere, whose values are all below 0 where petals
// are longer than 2 cm.
func negative(t *testing.T, model *method.Model) *method.Model {
	t.Helper()
	return made(t, model.Schema)(discriminant.NewIndicator([]int{0, 1, 2}, linalgtest.Rows(t, []float64{0, 0, -1, 0}, []float64{0, 0, -1.5, 0}, []float64{0, 0, -2, 0}), []float64{2, 2, 2}))
}

// made returns a model of the layer below that has the names of a schema.
func made(t *testing.T, s *dataset.Schema) func(fit any, err error) *method.Model {
	return func(fit any, err error) *method.Model {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		model, err := method.New(s, nil, fit)
		if err != nil {
			t.Fatal(err)
		}
		return model
	}
}

// run runs the program in a folder.
func run(t *testing.T, dir string) []byte {
	t.Helper()
	c := exec.Command("go", "run", ".")
	c.Dir = dir
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return out
}

const wards = `dose,age,"ward ""A""
x",Encode,y
0.5,50,left,1,ill
,61,right,2,well
1.5,47,NA,1,ill
2.5,,left,3,well
0.7,55,mid,2,ill
1.9,49,right,3,well
1.1,58,mid,,ill
0.2,44,left,2,well
2.2,60,right,1,ill
1.4,52,mid,3,well
`

// rows of the table as structs, in some with cells that are spelled otherwise, the last with a level that the table lacks.
const wardRows = `
	{0.5, 50, "left", "1"}, {nan, 61, "right", "2.00"}, {1.5, 47, "nAN", "1.0"}, {2.5, nan, " left\t", "3"}, {0.7, 55, "mid", "2"},
	{1.9, 49, "right", "3"}, {1.1, 58, "mid", "NA"}, {0.2, 44, "left", "2"}, {2.2, 60, "right", "1"}, {1.4, 52, "mid", "3"},
	{1, 50, "top", "1"},
`

// The generated struct takes a row as it comes, with text and gaps, through the model's
// steps; what the model refuses, it refuses.
func TestGeneratedCodeTakesTheRawRow(t *testing.T) {
	dir := module(t)
	d, err := dataset.Read("t.csv", strings.NewReader(wards), &dataset.Options{Categorical: []string{"Encode"},
		Reference: map[string]string{"ward \"A\"\nx": "mid"}, Missing: dataset.Keep, Unseen: dataset.Reference})
	if err != nil {
		t.Fatal(err)
	}
	gaps := feature.Impute{Indicator: true}
	var imports, calls strings.Builder
	var want []string
	for i, steps := range [][]feature.Step{{gaps}, {feature.Impute{By: feature.Median}, feature.Standardize{}},
		{gaps, feature.Quantile{Count: 4}, feature.Expand{InteractionsOnly: true}}, {gaps, feature.Standardize{}, feature.Expand{Degree: 3}, feature.Standardize{}}} {
		m, err := method.Named("logistic")
		if err != nil {
			t.Fatal(err)
		}
		model := methodtest.Must(t, m, d, &method.Options{Lambda: 1, Steps: steps})
		code, err := codegen.Generate(model, "predictor")
		if err != nil {
			t.Fatal(err)
		}
		pkg := fmt.Sprintf("p%d", i)
		if err := os.Mkdir(filepath.Join(dir, pkg), 0o755); err != nil {
			t.Fatal(err)
		}
		methodtest.Put(t, filepath.Join(dir, pkg, "predictor.go"), string(code))
		fmt.Fprintf(&imports, "\t%s \"generated/%s\"\n", pkg, pkg)
		fmt.Fprintf(&calls, "\tfor _, r := range []%s.Row{%s} {\n\t\tx, err := r.Encode()\n\t\tif err != nil {\n\t\t\tpanic(err)\n\t\t}\n\t\tfmt.Println(%s.Classes[%s.Predict(&x)], %s.Proba(&x)[1])\n\t}\n", pkg, wardRows, pkg, pkg, pkg)
		c := model.Classifier().(sim.Prober)
		rows := d.X.Clone()
		last, err := model.Row(nil, map[string]any{"dose": 1, "age": 50, "ward \"A\"\nx": "top", "Encode": 1})
		if err != nil {
			t.Fatal(err)
		}
		for k := range rows.Rows + 1 {
			row := last
			if k < rows.Rows {
				row = rows.Row(k)
			}
			want = append(want, fmt.Sprintf("%s %.12g", d.Names[c.Predict(row)], c.Proba(nil, row)[1]))
		}
	}
	strict, err := dataset.Read("t.csv", strings.NewReader("a,b,y\n1,p,u\n2,q,v\n4,p,u\n3,q,v\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	lda, _ := method.Named("logistic")
	code, err := codegen.Generate(methodtest.Must(t, lda, strict, &method.Options{Lambda: 1}), "strict")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "strict"), 0o755); err != nil {
		t.Fatal(err)
	}
	methodtest.Put(t, filepath.Join(dir, "strict", "predictor.go"), string(code))
	fmt.Fprint(&calls, "\tfor _, r := range []strict.Row{{1, \"p\"}, {nan, \"p\"}, {1, \"\"}, {1, \"r\"}} {\n\t\t_, err := r.Encode()\n\t\tfmt.Println(err)\n\t}\n")
	want = append(want, "<nil>", "a is not a finite number", `"b" is missing`, `"b" has no level r`)
	methodtest.Put(t, filepath.Join(dir, "main.go"), "package main\n\nimport (\n\t\"fmt\"\n\t\"math\"\n\n\t\"generated/strict\"\n"+imports.String()+")\n\nvar nan = math.NaN()\n\nfunc main() {\n"+calls.String()+"}\n")
	got := strings.Split(strings.TrimSpace(string(run(t, dir))), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i, line := range got {
		class, p, isRow := strings.Cut(line, " ")
		var v float64
		if _, err := fmt.Sscan(p, &v); err == nil && isRow {
			line = fmt.Sprintf("%s %.12g", class, v)
		}
		if line != want[i] {
			t.Errorf("line %d: %s, want %s", i, line, want[i])
		}
	}
}

// A step of a user's own has no code, and says so.
func TestGenerateRefusesOwnSteps(t *testing.T) {
	m, _ := method.Named("lda")
	model, _ := methodtest.FitIris(t, m, &method.Options{Steps: []feature.Step{feature.StepFunc(func(s *feature.Sample) (feature.Transform, error) {
		q, err := feature.FitQuantiles(s.X, nil, 5)
		return own{q}, err
	})}})
	if _, err := codegen.Generate(model, "iris"); err == nil || !strings.Contains(err.Error(), "step 1, a codegen_test.own, has no code") {
		t.Errorf("%v", err)
	}
}

type own struct{ feature.Transform }

func goRows(x *linalg.Dense) string {
	var b strings.Builder
	for i := range x.Rows {
		b.WriteString("{")
		for _, v := range x.Row(i) {
			fmt.Fprintf(&b, "%v, ", v)
		}
		b.WriteString("}, ")
	}
	return b.String()
}

func TestGenerateRefusesNames(t *testing.T) {
	m, _ := method.Named("lda")
	model, _ := methodtest.FitIris(t, m, new(method.Options))
	for _, bad := range []string{"", "a b", "9", "_", "func"} {
		if _, err := codegen.Generate(model, bad); err == nil {
			t.Errorf("%q is taken for a package name", bad)
		}
	}
}

// Scores of a model with costs are those of its decisions, which its functions do not have.
func TestGenerateRefusesCosts(t *testing.T) {
	d, o := dataset.Iris(), &discriminant.Options{Costs: linalgtest.Rows(t, []float64{0, 1, 1}, []float64{1, 0, 1}, []float64{1, 9, 0})}
	model := made(t, d.Schema)
	for _, m := range []*method.Model{model(discriminant.FitLDA(d.X, d.Labels, o)), model(discriminant.FitQDA(d.X, d.Labels, o))} {
		if _, err := codegen.Generate(m, "iris"); err == nil || !strings.Contains(err.Error(), "costs") {
			t.Errorf("%s: %v", m.Method.Name, err)
		}
	}
}
