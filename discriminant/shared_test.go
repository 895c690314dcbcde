package discriminant_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// unused are the options that a fit refuses.
var unused = map[string]string{
	"indicator": "Priors Uniform Costs Divisor Alpha Shrinkage Rank", "lda": "Alpha Rank Softmax", "qda": "Alpha Shrinkage Rank Softmax",
	"rda": "Rank Softmax", "rrlda": "Alpha Softmax",
}

// taken returns the options without those that a fit refuses.
func taken(fit string, o *discriminant.Options) *discriminant.Options {
	if o == nil {
		return nil
	}
	own := *o
	for _, name := range strings.Fields(unused[fit]) {
		reflect.ValueOf(&own).Elem().FieldByName(name).SetZero()
	}
	return &own
}

// fits are all the fits, for tests of their common properties. They ignore the options
// that a fit refuses.
var fits = make(map[string]fitter)

func init() {
	for name, fit := range strict {
		fits[name] = func(x *linalg.Dense, y []int, o *discriminant.Options) (any, error) { return fit(x, y, taken(name, o)) }
	}
}

type fitter = func(x *linalg.Dense, y []int, o *discriminant.Options) (any, error)

// strict are the fits as they are.
var strict = map[string]fitter{
	"lda": func(x *linalg.Dense, y []int, o *discriminant.Options) (any, error) {
		return discriminant.FitLDA(x, y, o)
	},
	"qda": func(x *linalg.Dense, y []int, o *discriminant.Options) (any, error) {
		return discriminant.FitQDA(x, y, o)
	},
	"rda": func(x *linalg.Dense, y []int, o *discriminant.Options) (any, error) {
		return discriminant.FitRDA(x, y, o)
	},
	"rrlda": func(x *linalg.Dense, y []int, o *discriminant.Options) (any, error) {
		return discriminant.FitReducedRank(x, y, o)
	},
	"indicator": func(x *linalg.Dense, y []int, o *discriminant.Options) (any, error) {
		return discriminant.FitIndicator(x, y, o)
	},
}

func isNil(m any) bool {
	switch v := m.(type) {
	case *discriminant.LDA:
		return v == nil
	case *discriminant.QDA:
		return v == nil
	case *discriminant.ReducedRank:
		return v == nil
	case *discriminant.Indicator:
		return v == nil
	}
	return m == nil
}

// must returns a value or fails the test.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// gaussians draws n rows of p features in k classes with means about sep apart
// and a common covariance of correlation ½.
func gaussians(seed uint64, n, p, k int, sep float64) (*linalg.Dense, []int) {
	r := rand.New(rand.NewPCG(seed, 3))
	means := linalg.Zeros(k, p)
	for i := range means.Data {
		means.Data[i] = sep * r.NormFloat64()
	}
	x, y := linalg.Zeros(n, p), make([]int, n)
	for i := range n {
		y[i] = i % k
		common := r.NormFloat64()
		for j := range p {
			x.Set(i, j, means.At(y[i], j)+math.Sqrt(0.5)*(common+r.NormFloat64()))
		}
	}
	return x, y
}

func iris(t testing.TB) (*linalg.Dense, []int) {
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	return x, y
}

type classifier interface {
	Predict(row []float64) int
	Proba(dst, row []float64) []float64
	PredictRows(dst []int, x linalg.Rows) ([]int, error)
}

func errorsOf(t *testing.T, m classifier, x *linalg.Dense, y []int) int {
	t.Helper()
	got, err := m.PredictRows(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, c := range got {
		if c != y[i] {
			wrong++
		}
	}
	return wrong
}

// scorer is the interface that all models share.
type scorer interface {
	classifier
	Scores(dst, row []float64) []float64
	Classes() []int
	Features() int
}

// closeModels compares the scores of two models on rows.
func closeModels(t *testing.T, what string, a, b any, x *linalg.Dense, tol float64) {
	t.Helper()
	f, g := a.(scorer), b.(scorer)
	if !slices.Equal(f.Classes(), g.Classes()) || f.Features() != g.Features() {
		t.Errorf("%s: classes %v and %v", what, f.Classes(), g.Classes())
		return
	}
	for i := range x.Rows {
		u, v := f.Proba(nil, x.Row(i)), g.Proba(nil, x.Row(i))
		for k := range u {
			if d := linalgtest.Diff(u[k], v[k]); d > tol {
				t.Errorf("%s: row %d, class %d: %v and %v differ by %.2g > %.2g", what, i, k, u[k], v[k], d, tol)
				return
			}
		}
	}
}
