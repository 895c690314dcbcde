package logistic

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// glmFit is what R's glm and summary print.
type glmFit struct {
	Coef, SE, Z, P   []float64
	Deviance         float64
	NullDeviance     float64 `json:"null_deviance"`
	AIC              float64
	Covariance       []float64
	Working, Pearson []float64
	DevianceResidual []float64 `json:"deviance_residual"`
	Leverage         []float64
}

func glmGolden(t testing.TB, name string) glmFit {
	t.Helper()
	var all map[string]json.RawMessage
	linalgtest.Golden(t, "testdata/glm.json", &all)
	var g glmFit
	if err := json.Unmarshal(all[name], &g); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return g
}

// irisPair returns versicolor (0) and virginica (1).
func irisPair(t testing.TB) (*linalg.Dense, []int) {
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	x, y = linalgtest.Select(x, y, func(i int) bool { return y[i] > 0 })
	for i := range y {
		y[i]--
	}
	return x, y
}

// columns returns the named columns of x.
func columns(t testing.TB, x *linalg.Dense, names []string, want string) *linalg.Dense {
	t.Helper()
	list := strings.Fields(want)
	c := linalg.Zeros(x.Rows, len(list))
	for k, name := range list {
		j := -1
		for l, n := range names {
			if n == name {
				j = l
			}
		}
		if j < 0 {
			t.Fatalf("no column %q in %q", name, names)
		}
		for i := range x.Rows {
			c.Set(i, k, x.At(i, j))
		}
	}
	return c
}

func saHeart(t testing.TB, want string) (*linalg.Dense, []int) {
	t.Helper()
	x, labels, names := linalgtest.Table(t, "SAheart.csv", "chd")
	y, _ := linalgtest.Codes(labels)
	if want == "" {
		return x, y
	}
	return columns(t, x, names, want), y
}

// intercepted returns intercept and coefficients of a two-class model in one
// slice.
func intercepted(m *Model) []float64 {
	c, b := m.Coef()
	return append(b, c.Row(0)...)
}

func mustFit(t testing.TB, x *linalg.Dense, y []int, o *Options) *Model {
	t.Helper()
	m, err := Fit(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestGLM(t *testing.T) {
	heart := func(cols string) func(t *testing.T) (*linalg.Dense, []int) {
		return func(t *testing.T) (*linalg.Dense, []int) { return saHeart(t, cols) }
	}
	table := func(file, label string) func(t *testing.T) (*linalg.Dense, []int) {
		return func(t *testing.T) (*linalg.Dense, []int) {
			x, labels, _ := linalgtest.Table(t, file, label)
			y, _ := linalgtest.Codes(labels)
			return x, y
		}
	}
	for _, c := range []struct {
		name string
		data func(t *testing.T) (*linalg.Dense, []int)
		o    func(x *linalg.Dense) *Options
	}{
		{"iris", func(t *testing.T) (*linalg.Dense, []int) { return irisPair(t) }, nil},
		{"SAheart", heart(""), nil},
		{"SAheart-4.2", heart("sbp tobacco ldl famhist=Present obesity alcohol age"), nil},
		{"SAheart-4.3", heart("tobacco ldl famhist=Present age"), nil},
		{"Pima-tr", table("Pima-tr.csv", "type"), nil},
		{"birthwt", table("birthwt.csv", "low"), nil},
		{"weights", heart("tobacco ldl famhist=Present age"), func(x *linalg.Dense) *Options {
			o := &Options{Weights: make([]float64, x.Rows)}
			for i := range o.Weights {
				o.Weights[i] = float64(i % 3)
			}
			return o
		}},
		{"no-intercept", heart("tobacco ldl famhist=Present age"), func(*linalg.Dense) *Options { return &Options{NoIntercept: true} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, y := c.data(t)
			var o *Options
			if c.o != nil {
				o = c.o(x)
			}
			m := mustFit(t, x, y, o)
			g := glmGolden(t, c.name)
			got := intercepted(m)
			if o != nil && o.NoIntercept {
				got = got[1:]
			}
			linalgtest.CloseSlice(t, "coef", got, g.Coef, 1e-8)
			linalgtest.Close(t, "deviance", 2*m.Report().Objective(), g.Deviance, 1e-10)
			t.Logf("%d iterations, certificate %.2g", m.Report().Iterations(), m.Report().Certificate().Value)
		})
	}
}

func TestOffset(t *testing.T) {
	x, y := saHeart(t, "tobacco ldl famhist=Present age")
	offset := x.Col(nil, 3)
	for i := range offset {
		offset[i] = 0.05 * (offset[i] - 40)
	}
	m := mustFit(t, saColumns(x, 3), y, &Options{Offset: offset})
	linalgtest.CloseSlice(t, "coef", intercepted(m), glmGolden(t, "offset").Coef, 1e-8)
}

// saColumns returns the first k columns of x, as a window.
func saColumns(x *linalg.Dense, k int) *linalg.Dense {
	return &linalg.Dense{Rows: x.Rows, Cols: k, Stride: x.Stride, Data: x.Data}
}

func TestSetosaIsSeparable(t *testing.T) {
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	for i := range y {
		y[i] = min(y[i], 1)
	}
	_, err := Fit(x, y, nil)
	var e *SeparationError
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want a *SeparationError", err)
	}
	checkDirection(t, e, x, y, 2)
	if !e.Complete {
		t.Error("not complete")
	}
	t.Log(err)
}

// checkDirection multiplies the direction out.
func checkDirection(t testing.TB, e *SeparationError, x *linalg.Dense, y []int, k int) {
	t.Helper()
	f := make([]float64, k)
	strict := false
	for i := range x.Rows {
		row := x.Row(i)
		size := linalg.NormInf(e.Coef.Data)
		for c := range k {
			r := c
			if k == 2 {
				r = 0
			}
			f[c] = e.Intercept[r] + linalg.Dot(e.Coef.Row(r), row)
			size = math.Max(size, math.Abs(e.Intercept[r]))
			for j, v := range row {
				size = math.Max(size, math.Abs(v*e.Coef.At(r, j)))
			}
		}
		if k == 2 {
			f[0] = 0
		}
		for c := range k {
			d := f[y[i]] - f[c]
			if d < -1e-8*size {
				t.Fatalf("row %d of class %d: f_y − f_%d = %g", i, y[i], c, d)
			}
			strict = strict || d > 1e-8*size
		}
	}
	if !strict {
		t.Fatal("no strict inequality")
	}
}
