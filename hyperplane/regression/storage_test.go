package regression_test

import (
	"errors"
	"strings"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// fits are all fits of many columns.
var fits = map[string]func(x linalg.Rows, y []float64) ([]*regression.Model, error){
	"ols":    withOptions(regression.FitOLS, regression.Options{}),
	"normal": withOptions(regression.FitNormalEquations, regression.Options{}),
	"ridge":  withOptions(regression.FitRidge, regression.Options{Lambda: 1, Standardize: true}),
	"lasso":  withOptions(regression.FitLasso, regression.Options{Lambda: 3}),
	"net":    withOptions(regression.FitElasticNet, regression.Options{Lambda: 3, L1Ratio: .4, NoIntercept: true}),
	"summary": func(x linalg.Rows, y []float64) ([]*regression.Model, error) {
		m, _, err := regression.Summarize(x, y, nil)
		return []*regression.Model{m}, err
	},
	"descent": func(x linalg.Rows, y []float64) ([]*regression.Model, error) {
		m, err := regression.FitDescent(x, y, &regression.DescentOptions{BFGS: true, Tol: 1e-12})
		return []*regression.Model{m}, err
	},
	"ridge path": func(x linalg.Rows, y []float64) ([]*regression.Model, error) {
		return models(regression.RidgePath(x, y, []float64{1e-9, 10}, nil)) // from the rows
	},
	"lasso path": func(x linalg.Rows, y []float64) ([]*regression.Model, error) {
		return models(regression.LassoPath(x, y, []float64{20, 5, 0}, nil))
	},
}

func withOptions(fit func(linalg.Rows, []float64, *regression.Options) (*regression.Model, error), o regression.Options) func(linalg.Rows, []float64) ([]*regression.Model, error) {
	return func(x linalg.Rows, y []float64) ([]*regression.Model, error) {
		m, err := fit(x, y, &o)
		return []*regression.Model{m}, err
	}
}

// shifted returns rows far from 0.
func shifted(n, p int) (*linalg.Dense, []float64) {
	x, y := lt.Normal(3, n, p), lt.Normal(4, n, 1).Data
	for i := range y {
		row := x.Row(i)
		y[i] += 2*row[0] - row[p-1]
		for j := range row {
			row[j] += 100 * float64(j)
		}
	}
	return x, y
}

// A fit of rows that come in blocks of any size is that of a dense matrix.
func TestFitsOfAnyStorage(t *testing.T) {
	x, y := shifted(500, 7)
	for name, fit := range fits {
		want, err := fit(x, y)
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := fit(lt.OddBlocks{X: x}, y)
		if err != nil || len(got) != len(want) {
			t.Fatal(name, len(got), err)
		}
		for k, m := range got {
			lt.CloseSlice(t, name, m.Plane().Normal(), want[k].Plane().Normal(), 1e-7)
			lt.Close(t, name+" objective", m.Report().Objective(), want[k].Report().Objective(), 1e-9)
		}
	}
}

// The error of a pass that fails is that of the fit, at whichever pass that is.
func TestFailingStorage(t *testing.T) {
	x, y := shifted(500, 7)
	broken := errors.New("the disk is gone")
	for name, fit := range fits {
		for pass := 1; ; pass++ {
			passes := 0
			got, err := fit(lt.Watched{Rows: lt.OddBlocks{X: x}, Watch: func(b *linalg.Block) error {
				if b.At == 0 {
					passes++
				}
				if passes >= pass && b.At > 0 {
					return broken
				}
				return nil
			}}, y)
			if passes < pass {
				break // a fit of so many passes is whole
			}
			if !errors.Is(err, broken) || len(got) > 0 && got[len(got)-1] != nil && !strings.HasSuffix(name, "path") {
				t.Errorf("%s, pass %d: %v, %v", name, pass, got, err)
			}
		}
	}
}
