package glm_test

import (
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// TestStorageErrorsAreReturned has columns that nearly agree, so that a fit looks for
// rounding errors at its end, and a value that dwarfs the others, so that it goes on until
// rows rest: an error of the storage there is one of the fit.
func TestStorageErrorsAreReturned(t *testing.T) {
	for _, k := range []int{2, 3} {
		copies, labels := linalgtest.Labelled(300, 4, k)
		for i := range labels {
			copies.Set(i, 3, copies.At(i, 2)+1e-7*copies.At(i, 3))
		}
		failEach(t, copies, labels, k)
	}
	far, labels := linalgtest.Labelled(40, 1, 2)
	far.Set(0, 0, 1e11)
	failEach(t, far, labels, 2)
}

// failEach fits K classes by maximum likelihood, one unreadable block after the other.
func failEach(t *testing.T, x *linalg.Dense, labels []int, k int) {
	t.Helper()
	y := make([]float64, len(labels))
	for i, l := range labels {
		if y[i] = float64(l); k == 2 {
			y[i] = 2*y[i] - 1
		}
	}
	linalgtest.EachFailure(t, x, 1+len(y)/100, func(x linalg.Rows) error {
		d, err := design.New(x, len(y), "labels", design.Settings{Workers: 1})
		if err != nil {
			return err
		}
		o := glm.New(d, y, loss.Logistic{}, nil)
		if k > 2 {
			o = glm.NewMulti(d, y, loss.Softmax{K: k}, glm.Against(k, 0), nil)
		}
		_, _, err = o.Minimize(glm.Problem{Start: make([]float64, o.Parameters()), Tol: 1e-10})
		return err
	})
}
