package sim_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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
	"halfspace/linalg/sample"
	"halfspace/logistic"
	"halfspace/logistic/rounds"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/validate"
)

// optionsCase is a fit with the options that the others of a table are changed from.
type optionsCase struct {
	name string
	base any // a pointer to a struct
	fit  func(o any) (any, error)
	same string // fields that are used, but without influence on the fit to these rows
}

// caseOf makes a case of a fit with options of type O.
func caseOf[O, M any](name string, base *O, same string, fit func(o *O) (M, error)) optionsCase {
	return optionsCase{name, base, func(o any) (any, error) { return fit(o.(*O)) }, same}
}

// rows of the cases: three classes and two, not separated, numbers to explain, and folds.
type optionRows struct {
	x, wide  *linalg.Dense
	three, y []int
	z        *linalg.Dense // of which a plane separates y
	r        []float64
	folds    []int
}

func rowsOfOptions() *optionRows {
	d := &optionRows{z: linalg.Zeros(60, 2), r: make([]float64, 60), wide: linalgtest.Normal(5, 60, 20)}
	d.x, d.three = linalgtest.LabeledRows(60, 2, 3)
	for i, k := range d.three {
		d.y, d.folds = append(d.y, min(k, 1)), append(d.folds, i/3%3)
		if i%7 == 0 {
			d.y[i] = 1 - d.y[i]
		}
		row := d.x.Row(i)
		row[0] += float64(i % 5)
		sin, cos := math.Sincos(0.61 * float64(i)) // on two circles
		copy(d.z.Row(i), []float64{cos + 4*float64(d.y[i]), sin + float64(d.y[i])})
		d.r[i] = 1 + row[0] - 0.3*row[1] + float64(i%4)
		for j := range d.wide.Row(i) {
			d.wide.Row(i)[j] += 10 * d.r[i] // so that columns are alike
		}
	}
	return d
}

// moments are those of the rows of three classes.
func (d *optionRows) moments() *moments.ByClass {
	m, err := moments.New(2, false)
	if err == nil {
		err = m.AddRows(d.x, d.three, nil, 1)
	}
	if err != nil {
		panic(err)
	}
	return m
}

// tens and shares are trials and successes.
func (d *optionRows) tens() []float64 { return slices.Repeat([]float64{10}, 60) }

func (d *optionRows) shares() []float64 {
	s := make([]float64, 60)
	for i, k := range d.y {
		s[i] = float64(3 + 4*k)
	}
	return s
}

func classifierCases(d *optionRows) []optionsCase {
	type o = discriminant.Options
	type l = logistic.Options
	type p = logistic.PathOptions
	reference := 0
	return []optionsCase{
		caseOf("FitLDA", &o{}, "", func(v *o) (*discriminant.LDA, error) { return discriminant.FitLDA(d.x, d.three, v) }),
		caseOf("FitQDA", &o{}, "", func(v *o) (*discriminant.QDA, error) { return discriminant.FitQDA(d.x, d.three, v) }),
		caseOf("FitRDA", &o{Alpha: 0.5}, "", func(v *o) (*discriminant.QDA, error) { return discriminant.FitRDA(d.x, d.three, v) }),
		caseOf("FitReducedRank", &o{}, "", func(v *o) (*discriminant.ReducedRank, error) { return discriminant.FitReducedRank(d.x, d.three, v) }),
		caseOf("FitIndicator", &o{}, "", func(v *o) (*discriminant.Indicator, error) { return discriminant.FitIndicator(d.x, d.three, v) }),
		caseOf("LDAFromMoments", &o{}, "", func(v *o) (*discriminant.LDA, error) { return discriminant.LDAFromMoments(d.moments(), v) }),
		caseOf("QDAFromMoments", &o{}, "", func(v *o) (*discriminant.QDA, error) { return discriminant.QDAFromMoments(d.moments(), v) }),
		caseOf("RDAFromMoments", &o{Alpha: 0.5}, "", func(v *o) (*discriminant.QDA, error) { return discriminant.RDAFromMoments(d.moments(), v) }),
		caseOf("ReducedRankFromMoments", &o{}, "", func(v *o) (*discriminant.ReducedRank, error) {
			return discriminant.ReducedRankFromMoments(d.moments(), v)
		}),
		caseOf("CrossValidateRDA", &o{}, "", func(v *o) (*discriminant.RDACV, error) {
			return discriminant.CrossValidateRDA(d.x, d.three, d.folds, []float64{0.5, 1}, v)
		}),
		caseOf("FitLDAUnlabeled", &discriminant.UnlabeledOptions{}, "", func(v *discriminant.UnlabeledOptions) (*discriminant.LDA, error) {
			return discriminant.FitLDAUnlabeled(d.x, d.three, linalgtest.Normal(6, 20, 2), v)
		}),
		caseOf("logistic.Fit of two classes", &l{}, "", func(v *l) (*logistic.Model, error) { return logistic.Fit(d.x, d.y, v) }),
		caseOf("logistic.Fit of three classes", &l{}, "", func(v *l) (*logistic.Model, error) { return logistic.Fit(d.x, d.three, v) }),
		caseOf("logistic.Fit about a reference", &l{Reference: &reference}, "", func(v *l) (*logistic.Model, error) { return logistic.Fit(d.x, d.three, v) }),
		caseOf("logistic.Fit with Firth's correction", &l{Firth: true}, "", func(v *l) (*logistic.Model, error) { return logistic.Fit(d.x, d.y, v) }),
		caseOf("logistic.Fit of a ridge", &l{Lambda: 1}, "", func(v *l) (*logistic.Model, error) { return logistic.Fit(d.x, d.y, v) }),
		caseOf("logistic.Fit of a lasso", &l{Lambda: 1, L1Ratio: 1}, "", func(v *l) (*logistic.Model, error) { return logistic.Fit(d.x, d.three, v) }),
		caseOf("logistic.FitCounts", &l{}, "", func(v *l) (*logistic.Model, error) { return logistic.FitCounts(d.x, d.shares(), d.tens(), v) }),
		caseOf("logistic.FitPath", &p{Count: 9, Options: l{L1Ratio: 1}}, "", func(v *p) (*logistic.Path, error) { return logistic.FitPath(d.x, d.three, v) }),
		caseOf("logistic.FitPath at given λ", &p{Lambdas: []float64{2, 1}, Options: l{L1Ratio: 1}}, "", func(v *p) (*logistic.Path, error) { return logistic.FitPath(d.x, d.three, v) }),
		roundsCase(d),
		caseOf("validate.CrossValidate", &validate.Options{}, "", func(o *validate.Options) (*validate.CV, error) {
			return validate.CrossValidate(func(train, test []int) ([]float64, error) { return []float64{float64(test[0])}, nil }, o, d.three)
		}),
		caseOf("logistic.CrossValidate", &p{Count: 9, Options: l{L1Ratio: 1}}, "", func(v *p) (*logistic.CV, error) { return logistic.CrossValidate(d.x, d.three, d.folds, v) }),
	}
}

// roundsCase is a fit in rounds to rows that one machine has.
func roundsCase(d *optionRows) optionsCase {
	return caseOf("rounds", &rounds.Options{Lambda: 1}, "", func(o *rounds.Options) (*logistic.Model, error) {
		return rounds.Fit(&rounds.Table{X: d.x, Labels: d.three}, 3, *o, nil)
	})
}

// readingCases read a table in each format, and by its schema.
func readingCases(t *testing.T) []optionsCase {
	type o = dataset.Options
	dir := t.TempDir()
	save := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const text = "a;w;c;note;y\n1;2;p;one word;1\n2,5;1;q;two words;0\n3;1;r;another word;1\n"
	table := save("t.csv", text)
	svm := save("t.svm", "1 1:2 3:4\n0 2:1 3:1\n1 1:1\n")
	header := fmt.Sprintf("%-117s\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }")
	numpy := save("t.npy", "\x93NUMPY\x01\x00"+string([]byte{byte(len(header)), 0})+header+string(make([]byte, 24))+"\x00\x00\x00\x00\x00\x00\xf0?")
	csv, err := dataset.Load(table, &o{Drop: []string{"w"}})
	if err != nil {
		t.Fatal(err)
	}
	libsvm, err := dataset.Load(svm, nil)
	if err != nil {
		t.Fatal(err)
	}
	records := make([][]string, 0, 4)
	for line := range strings.Lines(text) {
		records = append(records, strings.Split(strings.TrimSpace(line), ";"))
	}
	load := func(file string, by *dataset.Schema) func(v *o) (*dataset.Data, error) {
		return func(v *o) (*dataset.Data, error) {
			if by != nil {
				return by.Load(file, v)
			}
			return dataset.Load(file, v)
		}
	}
	// A schema knows whether labels are numbers, and a table of one format needs no name of it.
	return []optionsCase{
		caseOf("CSV", &o{}, "", load(table, nil)),
		caseOf("CSV by a schema", &o{}, "Numeric", load(table, csv.Schema)),
		caseOf("CSV with documents", &o{Text: "note"}, "", load(table, nil)),
		caseOf("LIBSVM text", &o{}, "Format", load(svm, nil)),
		caseOf("LIBSVM text by a schema", &o{}, "Format Numeric", load(svm, libsvm.Schema)),
		caseOf("NumPy", &o{}, "", load(numpy, nil)),
		caseOf("records", &o{Dec: ','}, "", func(v *o) (*dataset.Data, error) { return dataset.FromRecords(records, v) }),
	}
}

func planeCases(d *optionRows) []optionsCase {
	type c = hyperplane.SVCOptions
	type pc = hyperplane.PerceptronOptions
	start, err := hyperplane.NewPlane([]float64{0, 1}, 0)
	if err != nil {
		panic(err)
	}
	perceptron := func(v *pc) (*hyperplane.Perceptron, error) { return hyperplane.FitPerceptron(d.x, d.y, v) }
	return []optionsCase{
		caseOf("FitPerceptron", &pc{MaxEpochs: 4}, "", perceptron),
		caseOf("FitPerceptron from a plane", &pc{Start: start, MaxEpochs: 4}, "", perceptron),
		caseOf("FitPerceptron, shuffled", &pc{Order: hyperplane.Shuffled, Start: start, MaxEpochs: 4}, "", perceptron),
		caseOf("cpath.Fit", &cpath.Options{MaxC: 2}, "", func(v *cpath.Options) (*cpath.Path, error) { return cpath.Fit(d.x, d.y, v) }),
		caseOf("zeroone.Minimize", &zeroone.Options{}, "", func(v *zeroone.Options) (*zeroone.Minimum, error) { return zeroone.Minimize(d.x, d.y, v) }),
		caseOf("FitKozinec", &hyperplane.KozinecOptions{}, "", func(v *hyperplane.KozinecOptions) (*hyperplane.Kozinec, error) {
			return hyperplane.FitKozinec(d.z, d.y, v)
		}),
		caseOf("FitHardMargin", &hyperplane.HardMarginOptions{}, "", func(v *hyperplane.HardMarginOptions) (*hyperplane.HardMargin, error) {
			return hyperplane.FitHardMargin(d.z, d.y, v)
		}),
		caseOf("FitSVC", &c{}, "", func(v *c) (*hyperplane.SVC, error) { return hyperplane.FitSVC(d.x, d.three, v) }),
		caseOf("SVCPath", &c{}, "", func(v *c) (*hyperplane.Path, error) { return hyperplane.SVCPath(d.x, d.three, []float64{1, 2}, v) }),
		caseOf("CrossValidateSVC", &c{}, "", func(v *c) (*hyperplane.CV, error) {
			return hyperplane.CrossValidateSVC(d.x, d.three, []float64{1, 2}, d.folds, v)
		}),
		caseOf("FitSVCProba", &hyperplane.SVCProbaOptions{}, "", func(v *hyperplane.SVCProbaOptions) (*hyperplane.SVCProba, error) {
			return hyperplane.FitSVCProba(d.x, d.three, v)
		}),
		caseOf("FitSVR", &hyperplane.SVROptions{}, "", func(v *hyperplane.SVROptions) (*hyperplane.SVR, error) { return hyperplane.FitSVR(d.x, d.r, v) }),
	}
}

func regressionCases(d *optionRows) []optionsCase {
	type o = regression.Options
	grid := []float64{1, 2}
	fit := func(f func(linalg.Rows, []float64, *o) (*regression.Model, error)) func(*o) (*regression.Model, error) {
		return func(v *o) (*regression.Model, error) { return f(d.x, d.r, v) }
	}
	along := func(f func(linalg.Rows, []float64, []float64, *o) (*regression.Path, error), lambdas []float64) func(*o) (*regression.Path, error) {
		return func(v *o) (*regression.Path, error) { return f(d.wide, d.r, lambdas, v) }
	}
	descent := func(v *regression.DescentOptions) (*regression.Model, error) {
		return regression.FitDescent(d.x, d.r, v)
	}
	// No column depends on the others, as MinNorm wants, and one iteration ends a path of few columns.
	return []optionsCase{
		caseOf("FitOLS", &o{}, "MinNorm", fit(regression.FitOLS)),
		caseOf("FitLine", &o{}, "", func(v *o) (*regression.Model, error) { return regression.FitLine(d.x.Col(nil, 0), d.r, v) }),
		caseOf("FitNormalEquations", &o{}, "", fit(regression.FitNormalEquations)),
		caseOf("Summarize", &o{}, "", func(v *o) (*regression.Summary, error) { _, s, err := regression.Summarize(d.x, d.r, v); return s, err }),
		caseOf("FitRidge", &o{Lambda: 1}, "", fit(regression.FitRidge)),
		caseOf("FitRidge at 0", &o{}, "MinNorm", fit(regression.FitRidge)),
		caseOf("FitLasso", &o{Lambda: 1}, "", func(v *o) (*regression.Model, error) { return regression.FitLasso(d.wide, d.r, v) }),
		caseOf("FitLasso at 0", &o{}, "MinNorm Tol MaxIter", fit(regression.FitLasso)),
		caseOf("FitElasticNet", &o{Lambda: 1, L1Ratio: 0.5}, "", func(v *o) (*regression.Model, error) { return regression.FitElasticNet(d.wide, d.r, v) }),
		caseOf("RidgePath", &o{}, "", along(regression.RidgePath, nil)),
		caseOf("RidgePath at given λ", &o{}, "", along(regression.RidgePath, grid)),
		caseOf("LassoPath", &o{}, "MaxIter", along(regression.LassoPath, nil)),
		caseOf("ElasticNetPath", &o{L1Ratio: 0.5}, "MaxIter", along(regression.ElasticNetPath, grid)),
		caseOf("regression.CrossValidate", &o{L1Ratio: 0.5}, "", func(v *o) (*regression.CV, error) {
			return regression.CrossValidate(d.wide, d.r, nil, d.folds, v)
		}),
		caseOf("FitLeastSquares", &regression.LeastSquaresOptions{}, "MinNorm", func(v *regression.LeastSquaresOptions) (*regression.LeastSquares, error) {
			return regression.FitLeastSquares(d.x, d.y, v)
		}),
		caseOf("FitDescent", &regression.DescentOptions{}, "", descent),
		caseOf("FitDescent by BFGS", &regression.DescentOptions{BFGS: true}, "", descent),
	}
}

// values are values of the fields of options by name, other than their zero and the bases'. The
// key with a type's name is that of the type alone.
func (d *optionRows) values() map[string]any {
	one := slices.Repeat([]float64{1}, 60)
	weights, offset := slices.Clone(one), slices.Clone(one)
	for i := range weights {
		weights[i], offset[i] = float64(i%3), float64(i%4)/8
	}
	last := 1
	costs := linalg.Zeros(3, 3)
	for i := range costs.Data {
		costs.Data[i] = float64(i % 4 * i)
	}
	plane, err := hyperplane.NewPlane([]float64{1, 0.1}, 0.1)
	if err != nil {
		panic(err)
	}
	return map[string]any{
		"dataset.Options.Format": "libsvm", "NoHeader": true, "dataset.Options.Label": "a", "Numeric": true, "NoLabels": true, "Sep": byte(','), "Dec": byte('.'),
		"ZeroBased": true, "dataset.Options.Text": "c", "TextSettings": feature.TextSettings{Counts: true}, "dataset.Options.Weights": "w", "dataset.Options.Offset": "w",
		"Keep": []string{"a"}, "Drop": []string{"a"}, "Categorical": []string{"a"}, "dataset.Options.Reference": map[string]string{"c": "q"},
		"Unseen": dataset.Reference, "Strict": true, "Missing": dataset.Keep, "Stream": true, "MaxBytes": 8.0,
		"Classes": []int{0, 1, 9}, "Weights": weights, "ClassWeights": []float64{1, 2, 3}, "Priors": []float64{0.2, 0.3, 0.5}, "Uniform": true,
		"Costs": costs, "Divisor": discriminant.MLE, "Ridge": 0.1, "Alpha": 0.25, "Shrinkage": 0.5, "Rank": 1, "Softmax": true,
		"Workers": -1, "Lambda": 3.0, "L1Ratio": 0.25, "PenaltyFactor": []float64{1, 2}, "Grouped": true, "Standardize": true, "Balanced": true, "NoIntercept": true,
		"Offset": offset, "Reference": &last, "Firth": true, "Start": []float64{1, 2, 3}, "Tol": 0.037, "MaxIter": 1, "Trace": d.trace(),
		"Lambdas": []float64{3, 0.3}, "Count": 4, "MinRatio": 0.5, "MaxDevRatio": 0.01, "MaxDF": 1, "Rate": 1e-3, "Order": hyperplane.Batch,
		"hyperplane.PerceptronOptions.Start": plane, "Random": true, "Seed": uint64(5), "MaxEpochs": 1, "Pocket": true, "Average": true, "EveryUpdate": true, "Multi": hyperplane.OneVsRest, "Loss": hyperplane.SquaredHinge,
		`C`: 3.0, "Epsilon": 0.7, "MinNorm": true, "BFGS": true, "hyperplane.PerceptronOptions.Rate": 3.0, "MinC": 0.5, "MaxC": 3.0, "MaxEvents": 1,
	}
}

// errTraced is the error of the trace that is among the values.
var errTraced = errors.New("seen by the trace")

func (d *optionRows) trace() any { return func(optimize.Step) error { return errTraced } }

// outcome is everything that a fit says.
func outcome(m any, err error) string {
	b, failed := json.Marshal(m)
	return fmt.Sprintf("%s %v %v", b, failed, err)
}

// optionFields are the fields of a struct of options, with those of the struct that it embeds.
func optionFields(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous {
			names = append(names, optionFields(f.Type)...)
		} else {
			names = append(names, f.Name)
		}
	}
	return names
}

// A list of classes in another order is refused by every fit: weights, priors and costs beside it
// would be given in that order.
func TestClassesAscend(t *testing.T) {
	d := rowsOfOptions()
	tried := 0
	for _, c := range slices.Concat(classifierCases(d), planeCases(d), regressionCases(d)) {
		base := reflect.ValueOf(c.base).Elem()
		if !slices.Contains(optionFields(base.Type()), "Classes") || c.name == "logistic.FitCounts" { // which refuses any
			continue
		}
		changed := reflect.New(base.Type())
		changed.Elem().Set(base)
		changed.Elem().FieldByName("Classes").Set(reflect.ValueOf([]int{1, 0}))
		_, err := c.fit(changed.Interface())
		var class *linalg.ClassError
		if !errors.As(err, &class) || !strings.Contains(err.Error(), "must ascend") {
			t.Errorf("%s: %v", c.name, err)
		}
		tried++
	}
	if tried < 25 {
		t.Errorf("%d fits", tried)
	}
}

// No option is ignored in silence: each changes something that the fit says, or is refused by
// name. A field that is added needs a value here, and a type of options a fit.
func TestNoOptionIsIgnored(t *testing.T) {
	d := rowsOfOptions()
	values := d.values()
	cases := slices.Concat(classifierCases(d), planeCases(d), regressionCases(d), readingCases(t))
	var types []string
	for _, c := range cases {
		base := reflect.ValueOf(c.base).Elem()
		of := typeName(base.Type())
		types = append(types, of)
		plain := outcome(c.fit(c.base))
		for _, name := range optionFields(base.Type()) {
			value, ok := values[of+"."+name]
			if !ok {
				value, ok = values[name]
			}
			if !ok {
				t.Errorf("%s.%s has no value in this test", of, name)
				continue
			}
			if reflect.DeepEqual(value, base.FieldByName(name).Interface()) {
				continue
			}
			changed := reflect.New(base.Type())
			changed.Elem().Set(base)
			changed.Elem().FieldByName(name).Set(reflect.ValueOf(value))
			m, err := c.fit(changed.Interface())
			var refused *sample.OptionError
			var length *linalg.ShapeError
			if name == "ClassWeights" && errors.As(err, &length) { // of two classes
				changed.Elem().FieldByName(name).Set(reflect.ValueOf([]float64{2, 1}))
				m, err = c.fit(changed.Interface())
			}
			if errors.As(err, &refused) && refused.Name == name {
				continue
			}
			if same := outcome(m, err) == plain; same != slices.Contains(strings.Fields(c.same), name) {
				t.Errorf("%s with %s of %v: ignored %v, error %v", c.name, name, value, same, err)
			}
		}
	}
	for _, name := range strings.Fields(options) {
		if strings.HasSuffix(name, "Options") && !slices.Contains(types, name) && name != "method.Options" { // of which the next test is
			t.Errorf("no fit with %s is in this test", name)
		}
	}
}

// The same of the options of methods by name.
func TestNoOptionOfAMethodIsIgnored(t *testing.T) {
	values := map[string]any{
		"Priors": []float64{0.2, 0.8}, "Uniform": true, "Divisor": "n", "Alpha": 0.25, "Shrinkage": 0.5, "Rank": 7, "Lambda": 3.0, "L1Ratio": 0.25,
		`C`: 3.0, "Epsilon": 0.7, "Rate": 3.0, "MaxEpochs": 1, "Pocket": true, "Loss": "squared-hinge", "Multi": "ovr", "ClassWeight": "balanced", "Standardize": true,
		"NoIntercept": true, "Firth": true, "Probability": true, "Tol": 0.037, "MaxIter": 1, "Workers": -1, "Seed": uint64(5),
		"Steps": []feature.Step{feature.Expand{Degree: 2}}, "Trace": new(optionRows).trace(),
	}
	d := rowsOfOptions()
	first, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	if values["Start"], err = first.Fit(&dataset.Data{X: d.x, Labels: d.y}, &method.Options{Lambda: 0.1}); err != nil {
		t.Fatal(err)
	}
	for _, m := range method.All() {
		base := method.Options{Lambda: 1}
		if !m.Takes("lambda") {
			base.Lambda = 0
		}
		table := &dataset.Data{X: d.x, Labels: d.y, Y: d.r}
		switch m.Name {
		case "hardmargin":
			table.X = d.z
		case "lasso": // of columns that differ it ends after one iteration
			table.X = d.wide
		}
		said := func(o method.Options) string {
			model, err := m.Fit(table, &o)
			var b bytes.Buffer
			if model != nil {
				err = errors.Join(err, model.Save(&b))
			}
			return fmt.Sprintf("%s %v", b.String(), err)
		}
		plain := said(base)
		for _, name := range optionFields(reflect.TypeOf(base)) {
			value, ok := values[name]
			if !ok {
				t.Errorf("method.Options.%s has no value in this test", name)
				continue
			}
			changed := base
			reflect.ValueOf(&changed).Elem().FieldByName(name).Set(reflect.ValueOf(value))
			if said(changed) == plain {
				t.Errorf("%s ignores %s of %v", m.Name, name, value)
			}
		}
	}
}
