package codegen_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim"
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
	// The command refuses this, a program may ask for it.
	v["qda-standardized"] = func(o *method.Options) { o.Standardize = true }
	v["lda-standardized"] = v["qda-standardized"]
	v["svc-ovr"] = func(o *method.Options) { o.Multi = "ovr" }
	v["rrlda-one"] = func(o *method.Options) { o.Rank = 1 }
	return v
}

// Every method's generated file compiles with nothing but math, gives the class
// of the model on every row of the data, and its probabilities to 1e-12. The
// means of 1e6 would cost digits if the code were not about an origin.
func TestGeneratedCodePredictsAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the path")
	}
	dir := t.TempDir()
	methodtest.Put(t, filepath.Join(dir, "go.mod"), "module generated\n\ngo 1.24\n")
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
			out := []float64{float64(model.Classifier().Predict(row))}
			if model.HasProba() {
				out = model.Classifier().(sim.Prober).Proba(out, row)
			}
			w.rows = append(w.rows, out)
		}
		fmt.Fprintf(&calls, "\t\tfmt.Print(%s.Predict(&x))\n", pkg)
		if model.Classifier() != nil && model.HasProba() {
			fmt.Fprintf(&calls, "\t\tfor _, p := range %s.Proba(&x) {\n\t\t\tfmt.Print(\" \", p)\n\t\t}\n", pkg)
		}
		fmt.Fprint(&calls, "\t\tfmt.Println()\n\t}\n")
		want = append(want, w)
	}
	methodtest.Put(t, filepath.Join(dir, "main.go"), "package main\n\nimport (\n\t\"fmt\"\n"+imports.String()+")\n\nfunc main() {\n"+calls.String()+"}\n")
	c := exec.Command("go", "run", ".")
	c.Dir = dir
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
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
