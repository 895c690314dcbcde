package path_test

import (
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/optimize/path"
)

// TestStorageErrorsAreReturned has columns that nearly agree and next to no penalty, so
// that a fit looks for rounding errors at its end, and a feature without a penalty: an
// error of the storage is one of the path, and of a single fit.
func TestStorageErrorsAreReturned(t *testing.T) {
	const n, p = 300, 4
	for _, k := range []int{2, 3} {
		x, labels := linalgtest.LabeledRows(n, p, k)
		y := make([]float64, n)
		for i, l := range labels {
			x.Set(i, 3, x.At(i, 2)+1e-7*x.At(i, 3))
			if y[i] = float64(l); k == 2 {
				y[i] = 2*y[i] - 1
			}
		}
		problem := func(x linalg.Rows) (*path.Problem, error) {
			d, err := design.New(x, n, "labels", design.Settings{Workers: 1})
			if err != nil {
				return nil, err
			}
			if err := path.Measure(d, true); err != nil {
				return nil, err
			}
			o := glm.New(d, y, loss.Logistic{}, nil)
			if k > 2 {
				o = glm.NewMulti(d, y, loss.Softmax{K: k}, nil, nil)
			}
			exists := func([]float64, []int) error { return nil }
			return path.New(o, path.Penalty{L1Ratio: 0.5, Factors: []float64{1, 0, 1, 1}}, make([]float64, o.Scores()), exists)
		}
		linalgtest.EachFailure(t, x, 1, func(x linalg.Rows) error {
			q, err := problem(x)
			if err != nil {
				return err
			}
			return q.Run(path.Settings{Lambdas: []float64{1, 1e-8}, Tol: 1e-9, Add: func(path.Fit) error { return nil }})
		})
		linalgtest.EachFailure(t, x, 1, func(x linalg.Rows) error {
			q, err := problem(x)
			if err != nil {
				return err
			}
			_, _, err = q.Fit(1e-8, nil, &optimize.Control{Tol: 1e-9})
			return err
		})
	}
}

// A pass over sparse rows for the scores of many features is made beside those of the objective: its error
// is one of the path's problem.
func TestErrorsOfScoresByColumnsAreReturned(t *testing.T) {
	const n, p = 300, 6
	x, labels := linalgtest.LabeledRows(n, p, 2)
	y := make([]float64, n)
	for i, l := range labels {
		y[i] = float64(2*l - 1)
		x.Set(i, i%p, 0)
	}
	linalgtest.EachFailure(t, linalgtest.Sparse(x), 1, func(x linalg.Rows) error {
		d, err := design.New(x, n, "labels", design.Settings{Workers: 1})
		if err != nil {
			return err
		}
		q, err := path.New(glm.New(d, y, loss.Logistic{}, nil), path.Penalty{L1Ratio: 1}, []float64{0}, nil)
		if err != nil {
			return err
		}
		theta, _, err := q.Fit(q.LambdaMax()/10, nil, &optimize.Control{Tol: 1e-3})
		if err != nil {
			return err
		}
		for j := range theta {
			theta[j]++
		}
		q.RowsAt(theta)
		return q.Err()
	})
}
