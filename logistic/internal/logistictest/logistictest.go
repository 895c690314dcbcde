// Package logistictest is what the tests of logistic and its packages share: tables,
// golden numbers and fits.
package logistictest

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
)

// IrisPair returns versicolor (0) and virginica (1).
func IrisPair(t testing.TB) (*linalg.Dense, []int) {
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	x, y = linalgtest.Select(x, y, func(i int) bool { return y[i] > 0 })
	for i := range y {
		y[i]--
	}
	return x, y
}

// Coded returns a table whose labels are coded in byte order, with the columns whose
// names want lists; all of them if it is empty.
func Coded(t testing.TB, file, label, want string) (*linalg.Dense, []int) {
	t.Helper()
	x, labels, names := linalgtest.Table(t, file, label)
	y, _ := linalgtest.Codes(labels)
	if want == "" {
		return x, y
	}
	list := strings.Fields(want)
	c := linalg.Zeros(x.Rows, len(list))
	for k, name := range list {
		j := slices.Index(names, name)
		if j < 0 {
			t.Fatalf("no column %q in %q", name, names)
		}
		for i := range x.Rows {
			c.Set(i, k, x.At(i, j))
		}
	}
	return c, y
}

// Heart returns columns of the South African heart disease data and whether each man
// has the disease.
func Heart(t testing.TB, want string) (*linalg.Dense, []int) {
	t.Helper()
	return Coded(t, "SAheart.csv", "chd", want)
}

// Several returns the data of three classes and more of a golden of [MNLogit].
func Several(t testing.TB, name string) (*linalg.Dense, []int) {
	t.Helper()
	label := map[string]string{"iris": "species", "birthwt": "race", "fgl": "type"}[name]
	want := map[string]string{"iris": "sepal_width", "birthwt": "age lwt smoke ftv low", "fgl": "Na Si"}[name]
	x, y := Coded(t, name+".csv", label, want)
	if name == "fgl" {
		x, y = linalgtest.Select(x, y, func(i int) bool { return y[i] != 1 })
	}
	return x, y
}

// First returns the first k columns of x, as a window.
func First(x *linalg.Dense, k int) *linalg.Dense {
	return &linalg.Dense{Rows: x.Rows, Cols: k, Stride: x.Stride, Data: x.Data}
}

// Menarche returns the ages, successes and trials of grouped data.
func Menarche(t testing.TB) (x *linalg.Dense, successes, trials []float64) {
	t.Helper()
	x, total, _ := linalgtest.Table(t, "menarche.csv", "Total")
	for i, s := range total {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		trials = append(trials, v)
		successes = append(successes, x.At(i, 1))
	}
	return First(x, 1), successes, trials
}

// MustFit is [logistic.Fit] of data that it has to fit.
func MustFit(t testing.TB, x linalg.Rows, y []int, o *logistic.Options) *logistic.Model {
	t.Helper()
	m, err := logistic.Fit(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Intercepted returns intercept and coefficients of a model of two classes in one slice.
func Intercepted(m *logistic.Model) []float64 {
	c, b := m.Coef()
	return append(b, c.Row(0)...)
}

// Sum returns Σ vᵢ.
func Sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

// Is reports whether err is, or wraps, an error of type E.
func Is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// GLM is what R's glm and summary print.
type GLM struct {
	Coef, SE, Z, P   []float64
	Deviance         float64
	NullDeviance     float64 `json:"null_deviance"`
	AIC              float64
	Covariance       []float64
	Working, Pearson []float64
	DevianceResidual []float64 `json:"deviance_residual"`
	Leverage         []float64
}

// MNLogit is what statsmodels' MNLogit prints.
type MNLogit struct {
	Coef, SE, P      [][]float64
	LLF, LLNull, AIC float64
	BIC              float64
}

// Golden returns the numbers of one fit in a file of goldens, a GLM or an MNLogit.
func Golden[T any](t testing.TB, file, name string) (g T) {
	t.Helper()
	var all map[string]json.RawMessage
	linalgtest.Golden(t, file, &all)
	if err := json.Unmarshal(all[name], &g); err != nil {
		t.Fatalf("%s of %s: %v", name, file, err)
	}
	return g
}
