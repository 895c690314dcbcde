package feature_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/sim/feature"
)

var nan = math.NaN()

// rowsOf makes a matrix of rows in which nil is NaN.
func rowsOf(t *testing.T, rows [][]*float64) *linalg.Dense {
	t.Helper()
	out := make([][]float64, len(rows))
	for i, r := range rows {
		for _, v := range r {
			if v == nil {
				out[i] = append(out[i], nan)
			} else {
				out[i] = append(out[i], *v)
			}
		}
	}
	x, err := linalg.FromRows(out)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestImputeEqualsScikitLearn(t *testing.T) {
	var g struct {
		Tool         string
		X, New       [][]*float64
		Mean, Median [][]float64
		MostFrequent [][]float64 `json:"most_frequent"`
	}
	linalgtest.Golden(t, "testdata/impute.json", &g)
	x, fresh := rowsOf(t, g.X), rowsOf(t, g.New)
	for by, want := range map[feature.Filling][][]float64{feature.Mean: g.Mean, feature.Median: g.Median, feature.MostFrequent: g.MostFrequent} {
		m, err := feature.Impute{By: by, Indicator: true}.Fit(&feature.Sample{X: x})
		if err != nil {
			t.Fatal(err)
		}
		if m.Outputs() != len(want[0]) || m.Outputs() != 7 {
			t.Fatalf("%d outputs, want %d", m.Outputs(), len(want[0]))
		}
		for i := range want {
			linalgtest.CloseSlice(t, fmt.Sprint("filling ", by, ", row ", i), m.Apply(nil, fresh.Row(i)), want[i], 1e-14)
		}
		if names := m.Names([]string{"a", "b", "c", "d"}); !slices.Equal(names[4:], []string{"missing(a)", "missing(b)", "missing(c)"}) {
			t.Errorf("names %q", names)
		}
	}
}

// The gaps of a column of levels are filled with its most frequent level, whatever
// stands in for numbers.
func TestImputeLevels(t *testing.T) {
	x, err := linalg.FromRows([][]float64{ // a number, three levels, two levels
		{1, 0, 1, 0}, {2, 0, 1, 1}, {9, 1, 0, 1}, {nan, 0, 0, 1}, {nan, nan, nan, nan}, {nan, 0, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	s := &feature.Sample{X: x, Levels: []int{0, 3, 2}}
	m, err := feature.Impute{Indicator: true}.Fit(s)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Apply(nil, x.Row(4)); !slices.Equal(got, []float64{4, 0, 1, 1, 1, 1, 1}) {
		t.Errorf("filled with %v", got)
	}
	if names := m.Names([]string{"n", "l=b", "l=c", "s=m"}); !slices.Equal(names[4:], []string{"missing(n)", "missing(l=b)", "missing(s=m)"}) {
		t.Errorf("names %q", names)
	}
	s.Weights = []float64{1, 0, 3, 1, 1, 0}
	if m, err = (feature.Impute{By: feature.Median}).Fit(s); err != nil {
		t.Fatal(err)
	}
	if got := m.Apply(nil, x.Row(4)); !slices.Equal(got, []float64{9, 1, 0, 1}) {
		t.Errorf("with weights, filled with %v", got)
	}
	for what, s := range map[string]*feature.Sample{
		"levels of fewer features": {X: x, Levels: []int{0, 3}},
		"levels of more features":  {X: x, Levels: []int{0, 3, 3}},
		"other weights":            {X: x, Weights: []float64{1}},
		"a column without values":  {X: x, Weights: []float64{0, 0, 0, 1, 1, 1}},
	} {
		var shape *linalg.ShapeError
		if _, err := (feature.Impute{}).Fit(s); !errors.As(err, &shape) || !strings.HasPrefix(err.Error(), "feature: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	x = x.Clone()
	x.Set(2, 0, math.Inf(1))
	var infinite *linalg.NonFiniteError
	if _, err := (feature.Impute{}).Fit(&feature.Sample{X: x}); !errors.As(err, &infinite) || infinite.Row != 2 {
		t.Errorf("an infinity: %v", err)
	}
}

// A weight counts a row as often, and a row of weight 0 is none.
func TestStepsCountWeightsAsRows(t *testing.T) {
	x := linalgtest.Normal(3, 40, 3)
	w, repeated := make([]float64, 40), [][]float64{}
	for i := range w {
		if i%7 == 0 {
			x.Set(i, 1, nan)
		}
		x.Set(i, 2, math.Round(x.At(i, 2)))
		w[i] = float64(i % 4)
		for range i % 4 {
			repeated = append(repeated, x.Row(i))
		}
	}
	y, err := linalg.FromRows(repeated)
	if err != nil {
		t.Fatal(err)
	}
	for _, steps := range [][]feature.Step{
		{feature.Impute{}}, {feature.Impute{By: feature.Median}}, {feature.Impute{By: feature.MostFrequent}},
		{feature.Impute{}, feature.Quantile{Count: 7}}, {feature.Impute{}, feature.Quantile{}}, {feature.Impute{}, feature.Standardize{}},
	} {
		a, _, errA := feature.FitSteps(&feature.Sample{X: x, Weights: w}, steps...)
		b, _, errB := feature.FitSteps(&feature.Sample{X: y}, steps...)
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		for i := range x.Rows {
			linalgtest.CloseSlice(t, fmt.Sprintf("%+v, row %d", steps, i), a.Apply(nil, x.Row(i)), b.Apply(nil, x.Row(i)), 1e-12)
		}
	}
}

func TestStepsAreFittedToWhatStepsBeforeThemMade(t *testing.T) {
	x, err := linalg.FromRows([][]float64{{1, nan}, {3, 2}, {nan, 4}})
	if err != nil {
		t.Fatal(err)
	}
	c, z, err := feature.FitSteps(&feature.Sample{X: x, Levels: []int{0, 0}}, feature.Impute{Indicator: true}, feature.Expand{}, feature.Standardize{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Outputs() != 14 || z.Cols != 14 || len(c.Names([]string{"a", "b"})) != 14 {
		t.Errorf("%d outputs", c.Outputs())
	}
	for i := range x.Rows {
		if !slices.Equal(c.Apply(nil, x.Row(i)), z.Row(i)) {
			t.Errorf("row %d is %v, the chain makes %v", i, z.Row(i), c.Apply(nil, x.Row(i)))
		}
	}
	many := linalgtest.Normal(2, 300, 2)
	view, err := feature.View(c, many)
	if err != nil {
		t.Fatal(err)
	}
	if err := linalg.Pass(view, 5, 300, func(b *linalg.Block) error {
		for i := range b.Len() {
			if !slices.Equal(b.AsDense().Row(i), c.Apply(nil, many.Row(b.At+i))) {
				t.Errorf("row %d of the view is %v", b.At+i, b.AsDense().Row(i))
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	row := make([]float64, 0, 14)
	if n := testing.AllocsPerRun(100, func() { row = c.Apply(row[:0], x.Row(1)) }); n != 0 && !linalgtest.Race {
		t.Errorf("%v allocations a row", n)
	}
	if c, z, err := feature.FitSteps(&feature.Sample{X: x}); c != nil || z != x || err != nil {
		t.Errorf("no steps: %v, %v", c, err)
	}
	var shape *linalg.ShapeError
	nothing := feature.StepFunc(func(*feature.Sample) (feature.Transform, error) { return nil, nil })
	if _, _, err := feature.FitSteps(&feature.Sample{X: x}, nothing); !errors.As(err, &shape) {
		t.Errorf("a step that makes nothing: %v", err)
	}
	if _, _, err := feature.FitSteps(&feature.Sample{X: x}, feature.Impute{}, logs(3)); !errors.As(err, &shape) || !strings.HasPrefix(err.Error(), "step 2: ") {
		t.Errorf("a transform of other features: %v", err)
	}
	if _, err := feature.View(c, nil); !errors.As(err, &shape) {
		t.Errorf("a view of nothing: %v", err)
	}
	if _, err := feature.View(c, linalg.Zeros(2, 5)); !errors.As(err, &shape) {
		t.Errorf("a view of other columns: %v", err)
	}
}

// logs is a transform of a user's own: log(1 + x) of so many features.
type logs int

func (l logs) Fit(*feature.Sample) (feature.Transform, error) { return l, nil }

func (l logs) Features() int                    { return int(l) }
func (l logs) Outputs() int                     { return int(l) }
func (l logs) Names(features []string) []string { return features }
func (l logs) MarshalJSON() ([]byte, error)     { return record.Marshal("example/logs", 1, int(l)) }

func (l logs) Apply(dst, row []float64) []float64 {
	for _, v := range row {
		dst = append(dst, math.Log1p(v))
	}
	return dst
}

var ownLogs = feature.Own{Kind: "example/logs", Read: func(b []byte) (feature.Transform, error) {
	var p int
	_, err := record.Unmarshal(b, "example/logs", 1, &p)
	return logs(p), err
}}

// anonymous is a transform without a kind.
type anonymous struct{ logs }

func (anonymous) MarshalJSON() ([]byte, error) { return []byte("7"), nil }

func TestOwnTransformsComeBack(t *testing.T) {
	s, err := feature.FitStandardizer(linalgtest.Normal(1, 20, 2), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := feature.NewChain(logs(2), s)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	back, err := feature.Unmarshal(b, ownLogs)
	if err != nil {
		t.Fatal(err)
	}
	row := []float64{0.5, 3}
	if got, want := back.Apply(nil, row), c.Apply(nil, row); !slices.Equal(got, want) {
		t.Errorf("%v became %v", want, got)
	}
	var kind *record.KindError
	if _, err := feature.Unmarshal(b); !errors.As(err, &kind) || kind.Got != "example/logs" {
		t.Errorf("without the way to read it: %v", err)
	}
	if err := json.Unmarshal(b, new(feature.Chain)); !errors.As(err, &kind) {
		t.Errorf("into a chain: %v", err)
	}
	if one, err := feature.Unmarshal(mustJSON(t, logs(3)), ownLogs); err != nil || one.Features() != 3 {
		t.Errorf("by itself: %v, %v", one, err)
	}
	if _, err := json.Marshal(feature.Chain{anonymous{2}}); err == nil || !strings.Contains(err.Error(), "no kind") {
		t.Errorf("a transform without a kind is written: %v", err)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestImputerComesBack(t *testing.T) {
	x, err := linalg.FromRows([][]float64{{1, nan, 2}, {2, 0.1, nan}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := feature.Impute{Indicator: true}.Fit(&feature.Sample{X: x})
	if err != nil {
		t.Fatal(err)
	}
	back, err := feature.Unmarshal(mustJSON(t, m))
	if err != nil || fmt.Sprint(back) != fmt.Sprint(m) {
		t.Errorf("%v: %v became %v", err, m, back)
	}
	for _, bad := range []string{`{"fill":[]}`, `{"fill":[1],"marks":[1]}`, `{"fill":[1,2],"marks":[1,0]}`, `{"fill":[1],"marks":[-1]}`} {
		var damage *record.DamageError
		b, err := record.Marshal("halfspace/feature/imputer", 1, json.RawMessage(bad))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := feature.Unmarshal(b); !errors.As(err, &damage) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestImputersFromElsewhere(t *testing.T) {
	fill := []float64{1, 2}
	m, err := feature.NewImputer(fill)
	if err != nil {
		t.Fatal(err)
	}
	fill[1] = 7
	linalgtest.CloseSlice(t, "filled", m.Apply(nil, []float64{5, math.NaN()}), []float64{5, 2}, 0)
	left, err := feature.NewImputer([]float64{1, math.NaN()}) // which leaves the gaps of the second feature
	if err != nil {
		t.Fatal(err)
	}
	text, err := left.MarshalJSON()
	if err != nil || !strings.Contains(string(text), `"fill":[1,null]`) {
		t.Fatalf("%s, %v", text, err)
	}
	var read feature.Imputer
	if err := read.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	if row := read.Apply(nil, []float64{math.NaN(), math.NaN()}); row[0] != 1 || row[1] == row[1] {
		t.Errorf("gaps are %v", row)
	}
	for _, bad := range [][]float64{nil, {1, math.Inf(-1)}, {math.Inf(1)}} {
		if _, err := feature.NewImputer(bad); !errors.As(err, new(*record.DamageError)) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// A transform that was not fitted or made has nothing to save.
func TestZeroTransformsAreNotSaved(t *testing.T) {
	for _, zero := range []json.Marshaler{new(feature.Imputer), new(feature.Standardizer), new(feature.Quantiles), new(feature.Polynomial), feature.Chain(nil)} {
		if b, err := zero.MarshalJSON(); !errors.Is(err, record.ErrUnfitted) {
			t.Errorf("%T: %s, %v", zero, b, err)
		}
	}
}
