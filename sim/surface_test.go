package sim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/cpath"
	"halfspace/hyperplane/regression"
	"halfspace/hyperplane/zeroone"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/moments"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	"halfspace/optimize"
	"halfspace/optimize/path"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/validate"
)

// fitted are the types that a fit makes: their zero value refuses to marshal, a fitted one
// comes back from JSON and prints. Nil options are the defaults of every fit.
func fitted(t *testing.T) map[string]any {
	x, y := linalgtest.LabeledRows(60, 3, 2)
	z := linalg.Zeros(60, 1) // far enough apart for a hard margin
	r := x.Col(nil, 0)
	for i := range y {
		z.Set(i, 0, 5*float64(y[i])+float64(i%7)/7)
	}
	all := make(map[string]any)
	add := func(m any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%T: %v", m, err)
		}
		all[typeName(reflect.TypeOf(m).Elem())] = m
	}
	one := func(m any) { add(m, nil) }
	add(discriminant.FitLDA(x, y, nil))
	add(discriminant.FitQDA(x, y, nil))
	add(discriminant.FitReducedRank(x, y, nil))
	add(discriminant.FitIndicator(x, y, nil))
	add(logistic.Fit(x, y, nil))
	p, err := hyperplane.FitPerceptron(z, y, nil)
	add(p, err)
	one(p.Plane())
	add(hyperplane.FitKozinec(z, y, nil))
	add(hyperplane.FitHardMargin(z, y, nil))
	svc, err := hyperplane.FitSVC(x, y, nil)
	add(svc, err)
	add(hyperplane.FitSVCProba(x, y, nil))
	add(hyperplane.FitSVR(x, r, nil))
	add(regression.FitLeastSquares(x, y, nil))
	add(regression.FitOLS(x, r, nil))
	add(validate.Calibrate(svc, x, y))
	add(validate.AtThreshold(svc, 0.5))
	m, err := moments.New(3, false)
	if err == nil {
		err = m.AddRows(x, y, nil, 0)
	}
	add(m, err)
	add(feature.FitStandardizer(x, nil))
	add(feature.FitQuantiles(x, nil, 4))
	add(feature.NewPolynomial(3, 2, false))
	imputer, err := feature.Impute{}.Fit(&feature.Sample{X: x})
	add(imputer, err)
	chain, err := feature.NewChain(imputer)
	add(&chain, err)
	add(feature.FitText([]string{"one word", "another word"}, nil, feature.TextSettings{}))
	lda, _ := method.Named("lda")
	model, err := lda.Fit(dataset.Iris(), nil)
	add(model, err)
	one(model.Schema)
	part, err := method.Gather(dataset.Iris(), 1)
	add(part, err)
	return all
}

// likelihood returns one of four rows at a parameter that is no number.
func likelihood() *logistic.Likelihood {
	x, y := &linalg.Dense{Rows: 4, Cols: 1, Stride: 1, Data: []float64{1, 2, 3, 4}}, []int{0, 1, 0, 1}
	m, err := logistic.Fit(x, y, nil)
	if err != nil {
		panic(err)
	}
	l, err := m.Likelihood(x, y, nil)
	if err != nil {
		panic(err)
	}
	l.Theta[0] = math.NaN()
	return l
}

// results are what fits, tests and scores say: any value of theirs marshals, NaN too, and
// prints.
func results() []any {
	nan := math.NaN()
	c := optimize.Certificate{Kind: optimize.KindGap, Value: nan, Tol: 1e-8}
	return []any{
		&c, new(optimize.Report), new(optimize.Audit), &path.CV{Mean: []float64{1, nan}, SE: []float64{0.1, math.Inf(1)}},
		&path.Path[*logistic.Model]{Parameter: "lambda", Points: []path.Point[*logistic.Model]{{Penalty: 1, DevRatio: nan}}},
		&path.Choice[*logistic.Model]{Path: &path.Path[*logistic.Model]{}},
		&discriminant.Quadric{Linear: []float64{nan}}, likelihood(),
		&inference.Inference{AIC: nan}, &inference.Residuals{Fitted: []float64{nan}}, &inference.Test{P: nan},
		&hyperplane.TubeConditions{Primal: nan}, &cpath.Path{Gap: nan, Points: []cpath.Point{{C: nan, Beta: []float64{1}}}}, &zeroone.Minimum{Errors: nan, Wrong: []int{3}}, &hyperplane.Conditions{Primal: nan, Case: []hyperplane.MarginCase{hyperplane.Inside}}, &hyperplane.Margins{Plus: math.Inf(1)},
		&regression.Summary{F: nan, Residuals: []float64{1}},
		&validate.Evaluation{LogLoss: nan, Confusion: &validate.Confusion{Classes: []int{0, 1}, Count: [][]int{{1, 2}, {3, 4}}}},
		&validate.Confusion{Classes: []int{3}, Count: [][]int{{1}}}, &validate.Curve{Threshold: []float64{math.Inf(1), 2}, AUC: nan},
		&validate.PRCurve{Average: nan}, &validate.McNemarTest{P: nan}, &validate.Cut{Error: nan}, &validate.Bin{SE: nan},
		&method.CV{Points: [][]method.Setting{nil}, Loss: &path.CV{Mean: []float64{1}, SE: []float64{nan}}, LogLoss: &path.CV{Mean: []float64{nan}, SE: []float64{nan}},
			Failed: []error{nil}, Unconverged: make([]method.Unconverged, 1)},
	}
}

// parts are structs whose numbers other types marshal and print, and reports whose JSON
// has tags of its own; reportTypes have a Write in place of a String.
const (
	parts = "path.Point optimize.Part optimize.Equation optimize.Refit hyperplane.Machine hyperplane.TwoClasses regression.Term inference.Term validate.Map dataset.Column dataset.Data " +
		"method.Figure method.Formula method.Inference method.Notes method.Setting method.Term method.Unconverged method.Method " +
		"report.Summary report.Term report.Classes report.Values report.CV report.CVPoint report.Path report.PathPoint report.Certificate report.NotConverged report.Failure report.Coef report.Audit report.AuditedRow report.Equation dataset.TextColumn sim.Table " +
		"cpath.Point byhand.PerceptronStep byhand.MarginCase byhand.IRLSStep byhand.IRLSSteps byhand.PerceptronSteps byhand.MarginCases byhand.FisherSteps"
	// options and what is given to a fit; their zero value is the default.
	options = "discriminant.Options hyperplane.HardMarginOptions hyperplane.KozinecOptions hyperplane.PerceptronOptions hyperplane.SVCOptions " +
		"discriminant.UnlabeledOptions cpath.Options zeroone.Options rounds.Options hyperplane.SVCProbaOptions hyperplane.SVROptions regression.DescentOptions regression.LeastSquaresOptions regression.Options logistic.Options " +
		"logistic.PathOptions validate.Options dataset.Options method.Options feature.Expand feature.Impute feature.Own feature.Quantile feature.Sample feature.Standardize feature.TextSettings " +
		"optimize.Control optimize.Defaults optimize.Scale optimize.Sample optimize.Stage optimize.Step optimize.Work path.Folds"
	// tools hold rows, densities or work under way, which a user of a model does not keep.
	tools = "discriminant.Bayes discriminant.Gaussian discriminant.Mixture discriminant.Sphering optimize.Progress optimize.Proximal " +
		"optimize.NearFace optimize.Quadratic optimize.Restricted path.Fit path.Penalty path.Problem path.Settings path.Stop dataset.Encoder dataset.Stream rounds.State rounds.Answer rounds.Counts rounds.Table rounds.Prior sums.Prior sums.Source sums.Part sums.State sums.Progress columnwise.Solver columnwise.Screened columnwise.End rowwise.Solver moments.Triangle numpy.Array numpy.Header"
)

// typeName is the name of a type with its package's, without type arguments.
func typeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:] + "." + name
}

func TestFittedTypesMarshalAndPrint(t *testing.T) {
	for name, m := range fitted(t) {
		zero := reflect.New(reflect.TypeOf(m).Elem()).Interface()
		if b, err := json.Marshal(zero); err == nil && name != "feature.Chain" {
			t.Errorf("the zero %s marshals as %s", name, b)
		}
		_ = fmt.Sprint(zero) // which does not panic
		b, err := json.Marshal(m)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		back := reflect.New(reflect.TypeOf(m).Elem()).Interface()
		if err := json.Unmarshal(b, back); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if again, err := json.Marshal(back); err != nil || string(again) != string(b) {
			t.Errorf("%s came back as %s, %v; was %s", name, again, err, b)
		}
		if s, ok := m.(fmt.Stringer); !ok || len(s.String()) < 4 || strings.Contains(s.String(), "0xc0") {
			t.Errorf("%s prints as %v", name, m)
		}
	}
}

func TestResultsMarshalAndPrint(t *testing.T) {
	for _, r := range results() {
		name := typeName(reflect.TypeOf(r).Elem())
		b, err := json.Marshal(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		back := reflect.New(reflect.TypeOf(r).Elem()).Interface()
		if err := json.Unmarshal(b, back); err != nil {
			t.Errorf("%s: %v in %s", name, err, b)
		} else if again, err := json.Marshal(back); err != nil || string(again) != string(b) {
			t.Errorf("%s came back as %s, %v; was %s", name, again, err, b)
		}
		for _, v := range []any{r, reflect.New(reflect.TypeOf(r).Elem()).Interface()} {
			if s, ok := v.(fmt.Stringer); !ok || strings.Contains(s.String(), "%!") {
				t.Errorf("%s prints as %v", name, v)
			}
			if _, err := json.Marshal(v); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A result that comes as a value prints as one.
func TestValuesPrint(t *testing.T) {
	for _, v := range []any{optimize.Certificate{}, optimize.Report{}, inference.Test{}, validate.Cut{}, validate.Bin{}, hyperplane.Inside} {
		if _, ok := v.(fmt.Stringer); !ok {
			t.Errorf("%T prints its fields", v)
		}
	}
}

// Every exported struct of the packages that a user of models meets is in one of the
// lists, so that a type that is added and forgotten fails here.
func TestEveryExportedTypeIsListed(t *testing.T) {
	known := make(map[string]int)
	for name := range fitted(t) {
		known[name]++
	}
	for _, r := range results() {
		known[typeName(reflect.TypeOf(r).Elem())]++
	}
	for _, name := range strings.Fields(parts + " " + options + " " + tools) {
		known[name]++
	}
	for name, n := range known {
		if n > 1 {
			t.Errorf("%s is in %d lists", name, n)
		}
	}
	met := make(map[string]bool)
	for _, dir := range []string{"../discriminant", "../logistic", "../hyperplane", "../optimize", "../linalg/moments", "."} {
		for _, name := range exportedStructs(t, dir) {
			met[name] = true
			if known[name] == 0 {
				t.Errorf("%s is in no list of this test: does its zero value refuse to marshal, does it come back from JSON, does it print?", name)
			}
		}
	}
	for name := range known {
		if !met[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

// exportedStructs returns the structs and lists that the packages below a folder export,
// errors and the packages of other trades aside.
func exportedStructs(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		skip := " testdata internal glm loss penalty plot experiment population methodtest logistictest "
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.Contains(skip, " "+d.Name()+" "):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.TypeSpec)
			if !ok || !s.Name.IsExported() || s.Assign.IsValid() || strings.HasSuffix(s.Name.Name, "Error") {
				return true
			}
			switch s.Type.(type) {
			case *ast.StructType, *ast.ArrayType:
				names = append(names, f.Name.Name+"."+s.Name.Name)
			}
			return true
		})
		return nil
	})
	if err = errors.Join(err); err != nil || len(names) == 0 {
		t.Fatal(len(names), err)
	}
	return names
}
