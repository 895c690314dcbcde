package method_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"halfspace/sim/method/methodtest"
)

// goCommand runs the go command in the module's root.
func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes here")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the path")
	}
	c := exec.Command("go", args...)
	c.Dir = filepath.Join("..", "..")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// heavy are the packages, with those below them, that no model and no program
// that loads models needs.
var heavy = strings.Fields(`text/template html go image net encoding/gob encoding/csv
	halfspace/sim/plot halfspace/sim/experiment halfspace/sim/method/report halfspace/sim/method/codegen halfspace/sim/method/draw`)

// TestImportsStaySmall holds the imports of the model packages and of sim/method.
// fmt links os into every program; of these packages only sim/dataset, which opens
// files, may name it.
func TestImportsStaySmall(t *testing.T) {
	var models []string
	for pkg := range strings.FieldsSeq(goCommand(t, "list", "./linalg/...", "./optimize/...", "./qp/...", "./discriminant/...", "./logistic/...", "./hyperplane/...")) {
		if !strings.HasSuffix(pkg, "test") { // part of tests
			models = append(models, pkg)
		}
	}
	for what, of := range map[string][]string{"a model package": models, "sim/method": {"./sim/method"}} {
		list := goCommand(t, append([]string{"list", "-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`}, of...)...)
		for line := range strings.Lines(list) {
			words := strings.Fields(line)
			pkg, imports := words[0], words[1:]
			if slices.ContainsFunc(heavy, func(h string) bool { return pkg == h || strings.HasPrefix(pkg, h+"/") }) {
				t.Errorf("%s links %s", what, pkg)
			}
			if !strings.HasPrefix(pkg, "halfspace/") {
				continue
			}
			if slices.Contains(imports, `unsafe`) || slices.Contains(imports, "os") && pkg != "halfspace/sim/dataset" {
				t.Errorf("%s imports %s", pkg, imports)
			}
		}
	}
}

// TestProgramsStaySmall builds programs without symbols and compares them with
// one that prints a line. The limits are 1.13 and 1.5 MB of 2²⁰ bytes: 0.23 of
// the latter are the exact decision whether classes are separated, a third of them math/big,
// 0.14 the bounds that prove how far a fit is above its minimum, 0.16 the kernels and methods
// of sparse rows, 0.02 those of wide tables and 0.04 audits of coefficients, which every
// program that fits has. Integers are printed in decimals, 40 kB, by programs that ask for the
// text of evidence and not by all that can fit.
func TestProgramsStaySmall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the limits are those of linux/amd64")
	}
	dir := t.TempDir()
	build := func(name, imports, body string) []byte {
		source, program := filepath.Join(dir, name+".go"), filepath.Join(dir, name)
		methodtest.Put(t, source, "package main\n\nimport (\n"+imports+"\n)\n\nfunc main() {\n"+body+"\n}\n")
		goCommand(t, "build", "-trimpath", "-ldflags=-s -w", "-o", program, source)
		code, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	hello := len(build("hello", `"fmt"`, `fmt.Println("hello")`))
	for _, c := range []struct {
		name, imports, body string
		limit               int
	}{
		{"load", `"fmt"; "os"; "halfspace/sim"; "halfspace/sim/method"`, `
			m, err := method.Load(os.Stdin)
			if err != nil { panic(err) }
			row := make([]float64, len(m.Schema.Features()))
			if r := m.Regressor(); r != nil { fmt.Println(r.Predict(row)); return }
			fmt.Println(m.Classifier().Predict(row))
			if m.HasProba() { fmt.Println(m.Classifier().(sim.Prober).Proba(nil, row)) }`, 113 << 20 / 100},
		{"fit", `"fmt"; "halfspace/linalg"; "halfspace/logistic"`, `
			x, _ := linalg.NewDense(4, 1, []float64{1, 2, 3, 4})
			m, err := logistic.Fit(x, []int{0, 1, 0, 1}, nil)
			if err != nil { panic(err) }
			fmt.Println(m.Proba(nil, []float64{2}))`, 150 << 20 / 100},
	} {
		code := build(c.name, c.imports, c.body)
		if c.name == "fit" && bytes.Contains(code, []byte("math/big.nat.itoa")) {
			t.Error("fit: prints integers in decimals")
		}
		if more := len(code) - hello; more > c.limit {
			t.Errorf("%s: %d bytes more than a program that prints a line; at most %d", c.name, more, c.limit)
		} else {
			t.Logf("%s: %d bytes more", c.name, more)
		}
	}
}
