package method_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/validate"
)

// gappy is a table with numbers, levels and gaps, for the method's kind of response.
func gappy(t testing.TB, m *method.Method) (*dataset.Data, string) {
	t.Helper()
	r := rand.New(rand.NewPCG(16, 2))
	var b strings.Builder
	b.WriteString("id,dose,age,site,ward,y\n")
	for i := range 90 {
		k := i % 2
		apart := 0.4
		if m.Name == "perceptron" || m.Name == "hardmargin" {
			apart = 9
		}
		cells := []string{fmt.Sprint(i), fmt.Sprintf("%.3f", r.NormFloat64()+apart*float64(k)), fmt.Sprintf("%.2f", 50+10*r.NormFloat64()),
			[]string{"left", "mid", "right"}[r.IntN(3)], fmt.Sprint(1 + r.IntN(3)), []string{"ill", "well"}[k]}
		if m.Regression {
			cells[5] = fmt.Sprintf("%.3f", r.NormFloat64()+float64(k))
		}
		if apart < 1 && i%9 == 4 {
			cells[1+r.IntN(4)] = []string{"", "NA", "nan"}[r.IntN(3)]
		}
		b.WriteString(strings.Join(cells, ",") + "\n")
	}
	d, err := dataset.Read("t.csv", strings.NewReader(b.String()), &dataset.Options{Numeric: m.Regression, Drop: []string{"id"},
		Categorical: []string{"ward"}, Reference: map[string]string{"site": "mid"}, Missing: dataset.Keep, Unseen: dataset.Reference})
	if err != nil {
		t.Fatal(err)
	}
	return d, b.String()
}

// chains are steps of every kind.
func chains() map[string][]feature.Step {
	gaps := feature.Impute{Indicator: true}
	return map[string][]feature.Step{
		"gaps":       {gaps},
		"scaled":     {feature.Impute{By: feature.Median}, feature.Standardize{}},
		"quantiles":  {gaps, feature.Quantile{Count: 9}},
		"polynomial": {feature.Impute{By: feature.MostFrequent}, feature.Standardize{}, feature.Expand{Degree: 2, InteractionsOnly: true}, feature.Standardize{}},
	}
}

// pipelineOptions penalise where the method can, as the interactions of levels are
// collinear.
func pipelineOptions(m *method.Method, steps []feature.Step) *method.Options {
	return methodtest.Taken(m, &method.Options{Lambda: 1, Shrinkage: 0.5, Epsilon: 0.1, MaxEpochs: 400, Steps: steps})
}

// A model with columns, steps and fit comes back from its file and answers alike to the
// rows of the table, to cells as text and as values, and to one row by names.
func TestPipelinesComeBackAndAnswerAlike(t *testing.T) {
	for _, m := range method.All() {
		d, text := gappy(t, m)
		for name, steps := range chains() {
			if name == "polynomial" && !m.Takes("lambda") && !m.Takes(`C`) {
				continue
			}
			what := m.Name + ", " + name
			model, err := m.Fit(d, pipelineOptions(m, steps))
			var rank *linalg.RankError
			if m.Name == "qda" && errors.As(err, &rank) {
				continue // a class has no gap in a column whose gaps are a feature
			}
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			back := comeBack(t, what, model)
			if !slices.Equal(back.FeatureNames(), model.FeatureNames()) || fmt.Sprint(back.Schema) != fmt.Sprint(model.Schema) {
				t.Errorf("%s: %q of %v became %q of %v", what, model.FeatureNames(), model.Schema, back.FeatureNames(), back.Schema)
			}
			judgePipeline(t, what, model, back, d, text)
			if coef, _, ok := model.Coef(); ok && coef.Cols != len(model.FeatureNames()) {
				t.Errorf("%s: %d coefficients of %q", what, coef.Cols, model.FeatureNames())
			}
		}
	}
}

// comeBack saves and loads a model, and marshals and unmarshals it.
func comeBack(t *testing.T, what string, model *method.Model, own ...feature.Own) *method.Model {
	t.Helper()
	var file bytes.Buffer
	if err := model.Save(&file); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	b, err := json.Marshal(model)
	if err != nil || string(b)+"\n" != file.String() {
		t.Errorf("%s: %v, json.Marshal writes another text than Save", what, err)
	}
	back, err := method.Load(&file, own...)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if own == nil {
		read := new(method.Model)
		if err := json.Unmarshal(b, read); err != nil {
			t.Errorf("%s: json.Unmarshal: %v", what, err)
		} else if again, err := json.Marshal(read); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%s: %v, from JSON it is another model", what, err)
		}
	}
	return back
}

func judgePipeline(t *testing.T, what string, model, back *method.Model, d *dataset.Data, text string) {
	t.Helper()
	want := methodtest.Predictions(model, d.X)
	if !sameBits(methodtest.Predictions(back, d.X), want) {
		t.Errorf("%s: other predictions after the file", what)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	columns := strings.Split(lines[0], ",")
	enc, err := back.Encoder(columns)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	x := linalg.Zeros(d.X.Rows, d.X.Cols)
	for i, line := range lines[1:] {
		cells, byName := strings.Split(line, ","), map[string]any{}
		row, err := enc.Row(nil, cells)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for j, c := range cells {
			byName[columns[j]] = c
		}
		if one, err := back.Row(nil, byName); err != nil || !sameBits(one, row) {
			t.Errorf("%s: row %d by names is %v, %v", what, i, one, err)
		}
		copy(x.Row(i), row)
	}
	if !sameBits(methodtest.Predictions(back, x), want) {
		t.Errorf("%s: other predictions of encoded rows", what)
	}
	c, r, rows := back.For(d)
	if r != nil {
		all, err := r.PredictRows(nil, rows)
		if err != nil || !sameBits(all, want) {
			t.Errorf("%s: all rows at once: %v", what, err)
		}
		return
	}
	e, err := validate.Evaluate(c, rows, d.Labels)
	if err != nil || e.N != d.X.Rows {
		t.Errorf("%s: evaluated: %v", what, err)
	}
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(u, v float64) bool { return math.Float64bits(u) == math.Float64bits(v) })
}

// The fit behind steps is the fit to what they make of the rows.
func TestStepsAreTheFitToTheirImage(t *testing.T) {
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	d, _ := gappy(t, m)
	steps := []feature.Step{feature.Impute{Indicator: true}, feature.Quantile{Count: 5}, feature.Standardize{}}
	model := methodtest.Must(t, m, d, &method.Options{Lambda: 1, Steps: steps})
	chain, z, err := feature.FitSteps(&feature.Sample{X: d.X, Levels: []int{0, 0, 3, 3}}, steps...)
	if err != nil {
		t.Fatal(err)
	}
	bare := methodtest.Must(t, m, &dataset.Data{X: z, Labels: d.Labels, Names: d.Names}, &method.Options{Lambda: 1})
	if got, want := model.FeatureNames(), chain.Names(d.Features()); !slices.Equal(got, want) || len(got) != z.Cols {
		t.Errorf("names %q, want %q", got, want)
	}
	if !sameBits(methodtest.Predictions(model, d.X), methodtest.Predictions(bare, z)) {
		t.Error("other predictions than the fit to the image")
	}
	// The standardiser at the end is folded into the coefficients and the formula.
	coef, intercept, _ := model.Coef()
	f, c := model.Formula(), model.Classifier()
	for i := range d.X.Rows {
		row := chain[:2].Apply(nil, d.X.Row(i))
		s := c.Scores(nil, d.X.Row(i))
		linalgtest.Close(t, "by coefficients", intercept[0]+linalg.Dot(coef.Row(0), row), s[1]-s[0], 1e-12)
		at := f.At[0]
		for j, b := range f.Coef[0] {
			at += b * (row[j] - f.Origin[j])
		}
		linalgtest.Close(t, "by the formula", at, s[1]-s[0], 1e-12)
	}
}

// Cross-validation fits the steps to the rows that are not in the fold: its losses are
// those of fits to the folds' complements, made by hand.
func TestCrossValidationFitsStepsWithinFolds(t *testing.T) {
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	d, _ := gappy(t, m)
	folds, err := method.Folds(d, 5, 1, 7)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var seen []int
	spy := feature.StepFunc(func(s *feature.Sample) (feature.Transform, error) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, s.X.Rows)
		if len(s.Labels) != s.X.Rows || len(s.Levels) != 4 {
			t.Errorf("%d labels of %d rows, levels %v", len(s.Labels), s.X.Rows, s.Levels)
		}
		return feature.Impute{}.Fit(s)
	})
	points, err := method.Grid("lambda=0.1,1,10")
	if err != nil {
		t.Fatal(err)
	}
	cv, err := m.CrossValidate(d, &method.Options{Steps: []feature.Step{spy, feature.Quantile{}, feature.Standardize{}}}, points, folds, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) != 15 || slices.Contains(seen, d.X.Rows) {
		t.Errorf("the steps were fitted to %v rows", seen)
	}
	wrong := 0.0
	for f := range 5 {
		var train, test []int
		for i, g := range folds[0] {
			if g == f {
				test = append(test, i)
			} else {
				train = append(train, i)
			}
		}
		model := methodtest.Must(t, m, methodtest.Rows(d, train), cv.At(1))
		for _, i := range test {
			if model.Classifier().Predict(d.X.Row(i)) != d.Labels[i] {
				wrong++
			}
		}
	}
	if !(math.Abs(cv.Loss.Mean[1]-wrong/90) <= 1e-12) {
		t.Errorf("error rate %v, by hand %v", cv.Loss.Mean[1], wrong/90)
	}
	if o := cv.At(cv.OneSE()); o.Lambda != 10 || len(o.Steps) != 3 {
		t.Errorf("the options of the simplest point are %+v", o)
	}
}

// logs is a transform of a user's own.
type logs int

func (l logs) Fit(s *feature.Sample) (feature.Transform, error) { return logs(s.X.Cols), nil }
func (l logs) Features() int                                    { return int(l) }
func (l logs) Outputs() int                                     { return int(l) }
func (l logs) Names(features []string) []string                 { return features }
func (l logs) MarshalJSON() ([]byte, error)                     { return record.Marshal("example/logs", 1, int(l)) }

func (l logs) Apply(dst, row []float64) []float64 {
	for _, v := range row {
		dst = append(dst, math.Log1p(math.Abs(v)))
	}
	return dst
}

func TestOwnStepsAreGivenAgainWhenLoading(t *testing.T) {
	m, err := method.Named("lda")
	if err != nil {
		t.Fatal(err)
	}
	d := methodtest.Iris(t, m)
	model := methodtest.Must(t, m, d, &method.Options{Steps: []feature.Step{logs(0)}})
	own := feature.Own{Kind: "example/logs", Read: func(b []byte) (feature.Transform, error) {
		var p int
		_, err := record.Unmarshal(b, "example/logs", 1, &p)
		return logs(p), err
	}}
	back := comeBack(t, "with logarithms", model, own)
	if !sameBits(methodtest.Predictions(back, d.X), methodtest.Predictions(model, d.X)) {
		t.Error("other predictions after the file")
	}
	var file bytes.Buffer
	if err := model.Save(&file); err != nil {
		t.Fatal(err)
	}
	var kind *record.KindError
	if m, err := method.Load(&file); m != nil || !errors.As(err, &kind) || kind.Got != "example/logs" || !strings.HasPrefix(err.Error(), "method: ") {
		t.Errorf("without the way to read it: %v", err)
	}
}

// Any number of goroutines may encode rows and ask one model.
func TestManyGoroutinesAskOnePipeline(t *testing.T) {
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	d, text := gappy(t, m)
	model := methodtest.Must(t, m, d, pipelineOptions(m, chains()["polynomial"]))
	lines := strings.Split(strings.TrimSpace(text), "\n")
	enc, err := model.Encoder(strings.Split(lines[0], ","))
	if err != nil {
		t.Fatal(err)
	}
	c := model.Classifier().(sim.Prober)
	want := methodtest.Predictions(model, d.X)
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var row, p []float64
			for i, line := range lines[1:] {
				row, err := enc.Row(row[:0], strings.Split(line, ","))
				if err != nil {
					t.Error(err)
					return
				}
				if p = c.Proba(p[:0], row); !sameBits(p, want[5*i+3:5*i+5]) {
					t.Errorf("row %d: %v, want %v", i, p, want[5*i+3:5*i+5])
				}
			}
		}()
	}
	wg.Wait()
	row := slices.Clone(d.X.Row(4))
	var dst []float64
	dst = c.Proba(dst, row)
	if n := testing.AllocsPerRun(100, func() { dst = c.Proba(dst[:0], row) }); n != 0 && !linalgtest.Race {
		t.Errorf("%v allocations a prediction", n)
	}
}
