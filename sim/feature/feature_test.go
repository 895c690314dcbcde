package feature

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

type golden struct {
	X, New, Quantiles, Small [][]float64
	W, Mean, SD              []float64
	WeightedMean             []float64 `json:"weighted_mean"`
	WeightedSD               []float64 `json:"weighted_sd"`
	Poly                     map[string]struct {
		Names []string
		Row   []float64
	}
}

func load(t *testing.T) (g golden, x *linalg.Dense) {
	linalgtest.Golden(t, "testdata/feature.json", &g)
	x, err := linalg.FromRows(g.X)
	if err != nil {
		t.Fatal(err)
	}
	return g, x
}

func TestStandardizerEqualsScikitLearn(t *testing.T) {
	g, x := load(t)
	s, err := FitStandardizer(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "mean", s.Mean(), g.Mean, 1e-14)
	linalgtest.CloseSlice(t, "sd", s.SD(), g.SD, 1e-12)
	s, err = FitStandardizer(x, g.W)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "weighted mean", s.Mean(), g.WeightedMean, 1e-14)
	linalgtest.CloseSlice(t, "weighted sd", s.SD(), g.WeightedSD, 1e-12)
}

func TestStandardizerWeightsAreRepeats(t *testing.T) {
	g, x := load(t)
	var rows [][]float64
	for i, w := range g.W {
		for range int(w) {
			rows = append(rows, g.X[i])
		}
	}
	repeated, err := linalg.FromRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	a, errA := FitStandardizer(x, g.W)
	b, errB := FitStandardizer(repeated, nil)
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "mean", a.mean, b.mean, 1e-14)
	linalgtest.CloseSlice(t, "sd", a.sd, b.sd, 1e-13)
}

func TestStandardizerScales(t *testing.T) {
	base := linalgtest.Normal(1, 100, 1).Data
	want := meanSD(base)
	for _, c := range []struct{ scale, shift, tol float64 }{{1e-288, 0, 1e-12}, {1e300, 0, 1e-12}, {1, 1e8, 1e-7}, {1e-12, 0, 1e-12}, {2e307, 0, 1e-12}} {
		x := linalg.Zeros(100, 1)
		for i, v := range base {
			x.Data[i] = c.scale*v + c.shift
		}
		s, err := FitStandardizer(x, nil)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, fmt.Sprintf("mean at scale %g", c.scale), (s.mean[0]-c.shift)/c.scale, want[0], c.tol)
		linalgtest.Close(t, fmt.Sprintf("sd at scale %g", c.scale), s.sd[0]/c.scale, want[1], c.tol)
	}
	x, _ := linalg.FromRows([][]float64{{.1}, {.1}, {.1}})
	if s, _ := FitStandardizer(x, nil); s.sd[0] != 0 || s.Apply(nil, []float64{.1})[0] != 0 {
		t.Errorf("constant column: mean %v, sd %v", s.mean, s.sd)
	}
}

func meanSD(v []float64) []float64 {
	mean, sq := 0.0, 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sq += (x - mean) * (x - mean) / float64(len(v))
	}
	return []float64{mean, math.Sqrt(sq)}
}

func TestFold(t *testing.T) {
	g, x := load(t)
	s, err := FitStandardizer(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	coef := linalgtest.Normal(2, 3, x.Cols)
	intercept := []float64{1, -2, 3}
	c, b := s.Fold(coef, intercept)
	for _, row := range g.New {
		z := s.Apply(nil, row)
		for k := range intercept {
			linalgtest.Close(t, "f(x)", b[k]+linalg.Dot(c.Row(k), row), intercept[k]+linalg.Dot(coef.Row(k), z), 1e-10)
		}
	}
}

func TestQuantilesEqualScikitLearn(t *testing.T) {
	g, x := load(t)
	q, err := FitQuantiles(x, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range g.New {
		linalgtest.CloseSlice(t, fmt.Sprintf("row %d", i), q.Apply(nil, row), g.Quantiles[i], 1e-11)
	}
	small, err := linalg.FromRows(g.X[:5])
	if err != nil {
		t.Fatal(err)
	}
	small.Cols = 3
	if q, err = FitQuantiles(small, nil, 0); err != nil { // 100 quantiles of 5 rows are 5
		t.Fatal(err)
	}
	for i, row := range g.New {
		linalgtest.CloseSlice(t, fmt.Sprintf("5 rows, row %d", i), q.Apply(nil, row[:3]), g.Small[i], 1e-11)
	}
	if v := q.Apply(nil, []float64{math.NaN(), math.Inf(1), math.Inf(-1)}); v[0] == v[0] || v[1] != 1 || v[2] != 0 {
		t.Errorf("NaN, +Inf, −Inf go to %v", v)
	}
}

func TestPolynomialEqualsScikitLearn(t *testing.T) {
	g, _ := load(t)
	for name, want := range g.Poly {
		var p, d int
		var interactions bool
		if _, err := fmt.Sscan(strings.ToLower(name), &p, &d, &interactions); err != nil {
			t.Fatal(err)
		}
		poly, err := NewPolynomial(p, d, interactions)
		if err != nil {
			t.Fatal(err)
		}
		if got := poly.Apply(nil, []float64{2, 3, 5, 7}[:p]); !reflect.DeepEqual(got, want.Row) {
			t.Errorf("%s: %v, want %v", name, got, want.Row)
		}
		for k := range want.Names {
			want.Names[k] = strings.ReplaceAll(want.Names[k], " ", "*")
		}
		if got := poly.Names([]string{"a", "b", "c", "d"}[:p]); !reflect.DeepEqual(got, want.Names) {
			t.Errorf("%s: %v, want %v", name, got, want.Names)
		}
	}
}

// transforms returns one of each kind for the golden rows.
func transforms(t *testing.T) ([]Transform, *linalg.Dense) {
	_, x := load(t)
	s, err1 := FitStandardizer(x, nil)
	q, err2 := FitQuantiles(x, nil, 10)
	p, err3 := NewPolynomial(x.Cols, 2, false)
	c, err4 := NewChain(q, p)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	return []Transform{s, q, p, c}, x
}

func TestJSONRoundTrip(t *testing.T) {
	ts, x := transforms(t)
	for _, tr := range ts {
		b, err := json.Marshal(tr)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Unmarshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(tr, again) {
			t.Errorf("%T does not survive JSON", tr)
		}
		// A digit that changed is noticed.
		for i, c := range b {
			if c >= '1' && c <= '8' {
				bad := append([]byte(nil), b...)
				bad[i]++
				if _, err := Unmarshal(bad); err == nil {
					t.Errorf("%T: %s is taken", tr, bad[max(0, i-20):i+20])
					break
				}
			}
		}
		want, err := ApplyRows(tr, x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ApplyRows(again, x)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%T: other values after JSON: %v", tr, err)
		}
		if want.Cols != tr.Outputs() || len(tr.Names(strings.Split("abcde", ""))) != tr.Outputs() {
			t.Errorf("%T: %d columns, %d outputs", tr, want.Cols, tr.Outputs())
		}
	}
}

func TestBadRecords(t *testing.T) {
	var damage *record.DamageError
	var kind *record.KindError
	for _, c := range []struct {
		kind string
		body any
	}{
		{standardizerKind, standardizerJSON{}},
		{standardizerKind, standardizerJSON{[]float64{1}, []float64{1, 2}}},
		{standardizerKind, standardizerJSON{[]float64{1}, []float64{-1}}},
		{quantilesKind, quantilesJSON{2, []float64{1, 2, 3}}},
		{quantilesKind, quantilesJSON{2, []float64{1, 2}}},
		{quantilesKind, quantilesJSON{1, []float64{2, 1}}},
		{quantilesKind, quantilesJSON{-1, []float64{2, 1}}},
		{polynomialKind, polynomialJSON{0, 2, false}},
		{polynomialKind, polynomialJSON{2, 0, false}},
		{polynomialKind, polynomialJSON{100000, 3, false}},
		{polynomialKind, polynomialJSON{1, 1 << 30, false}},
		{chainKind, []int{}},
	} {
		b, err := record.Marshal(c.kind, version, c.body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Unmarshal(b); !errors.As(err, &damage) {
			t.Errorf("%s: %v", b, err)
		}
	}
	b, _ := record.Marshal("halfspace/logistic", 1, nil)
	if _, err := Unmarshal(b); !errors.As(err, &kind) {
		t.Error(err)
	}
	if _, err := Unmarshal([]byte("not JSON")); err == nil {
		t.Error("text is taken")
	}
}

func TestErrors(t *testing.T) {
	var shape *linalg.ShapeError
	var size *linalg.SizeError
	var nonFinite *linalg.NonFiniteError
	var option *sample.OptionError
	var weight *linalg.WeightError
	x := linalg.Zeros(3, 2)
	check := func(what string, err error, target any) {
		t.Helper()
		if !errors.As(err, target) || !strings.HasPrefix(err.Error(), "feature: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := FitStandardizer(nil, nil)
	check("no matrix", err, &shape)
	_, err = FitStandardizer(x, []float64{1})
	check("weights of another length", err, &shape)
	_, err = FitStandardizer(x, []float64{1, -1, 1})
	check("negative weight", err, &weight)
	_, err = FitQuantiles(nil, nil, 0)
	check("no matrix", err, &shape)
	_, err = FitQuantiles(x, nil, -1)
	check("negative count", err, &option)
	_, err = FitQuantiles(x, nil, 1)
	check("one quantile", err, &shape)
	_, err = NewPolynomial(0, 1, false)
	check("no features", err, &shape)
	_, err = NewPolynomial(1, -1, false)
	check("negative degree", err, &option)
	_, err = NewPolynomial(10_000, 2, false)
	check("too many monomials", err, &size)
	s, _ := FitStandardizer(x, nil)
	_, err = s.ApplyRows(linalg.Zeros(3, 5))
	check("rows of another length", err, &shape)
	p, _ := NewPolynomial(3, 2, true)
	_, err = NewChain(s, p)
	check("chain that does not fit", err, &shape)
	_, err = NewChain()
	check("empty chain", err, &shape)
	x.Set(1, 1, math.NaN())
	_, err = FitStandardizer(x, nil)
	check("NaN", err, &nonFinite)
	_, err = FitQuantiles(x, nil, 0)
	check("NaN", err, &nonFinite)
	if nonFinite.Row != 1 || nonFinite.Col != 1 {
		t.Errorf("NaN found at %d, %d", nonFinite.Row, nonFinite.Col)
	}
	defer func() {
		if r := recover(); r != "feature: 2 features but a row of 3" {
			t.Errorf("panic %v", r)
		}
	}()
	s.Apply(nil, []float64{1, 2, 3})
}

func TestApplyAllocatesNothing(t *testing.T) {
	ts, x := transforms(t)
	for _, tr := range ts[:3] {
		dst := make([]float64, 0, tr.Outputs())
		if n := testing.AllocsPerRun(10, func() { tr.Apply(dst, x.Row(0)) }); n != 0 {
			t.Errorf("%T: %v allocations", tr, n)
		}
	}
}
