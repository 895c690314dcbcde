package glm_test

import (
	"errors"
	"math"
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
		copies, labels := linalgtest.LabeledRows(300, 4, k)
		for i := range labels {
			copies.Set(i, 3, copies.At(i, 2)+1e-7*copies.At(i, 3))
		}
		failEach(t, copies, labels, k)
	}
	far, labels := linalgtest.LabeledRows(40, 1, 2)
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

// An objective whose pass has failed keeps its first error, has no value from then on, and
// every call says so.
func TestFailedObjective(t *testing.T) {
	lost, worse := errors.New("lost"), errors.New("lost again")
	for _, s := range settings {
		x, y := linalgtest.Normal(21, fewRows, fewColumns), make([]float64, fewRows)
		for i := range y {
			y[i] = s.response(i)
		}
		var fails error
		storage := linalgtest.Watched{Rows: x, Watch: func(b *linalg.Block) error {
			if b.At < linalg.BlockRows {
				return nil // the second block fails
			}
			return fails
		}}
		calls := map[string]func(o *glm.Objective, theta []float64) (v float64, err error){
			"Value": func(o *glm.Objective, theta []float64) (float64, error) { return o.Value(theta), nil },
			"Grad": func(o *glm.Objective, theta []float64) (float64, error) {
				return o.Grad(make([]float64, len(theta)), theta), nil
			},
			"Hess": func(o *glm.Objective, theta []float64) (float64, error) {
				return o.Hess(linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta)), theta), nil
			},
			"Certificate": func(o *glm.Objective, theta []float64) (float64, error) { return o.Certificate(theta), nil },
			"CertifyByGradient": func(o *glm.Objective, theta []float64) (float64, error) {
				v, c, err := o.CertifyByGradient(theta, 1)
				return v + c.Value, err
			},
			"Sizes": func(o *glm.Objective, _ []float64) (float64, error) { _, err := o.Sizes(); return math.NaN(), err },
			"Scale": func(o *glm.Objective, _ []float64) (float64, error) { _, err := o.Scale(); return math.NaN(), err },
			"Bound": func(o *glm.Objective, theta []float64) (float64, error) {
				_, err := o.Bound(theta, 0)
				return math.NaN(), err
			},
			"RowsEvery": func(o *glm.Objective, _ []float64) (float64, error) { _, err := o.RowsEvery(3); return math.NaN(), err },
		}
		if s.scores == 1 {
			calls["GradSampled"] = func(o *glm.Objective, theta []float64) (float64, error) {
				return o.GradSampled(linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta)), theta, 2), nil
			}
			calls["HessVec"] = func(o *glm.Objective, theta []float64) (float64, error) {
				dst := make([]float64, len(theta))
				o.HessVec(dst, theta, theta)
				return dst[0], nil
			}
			calls["Jeffreys"] = func(o *glm.Objective, theta []float64) (float64, error) {
				v := glm.NewJeffreys(o).Value(theta)
				return v - v, nil // infinite where the information is singular
			}
			calls["Jeffreys.HessVec"] = func(o *glm.Objective, theta []float64) (float64, error) {
				dst := make([]float64, len(theta))
				glm.NewJeffreys(o).HessVec(dst, theta, theta)
				return dst[0], nil
			}
		}
		fails = nil
		d, err := design.New(storage, fewRows, "responses", design.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if o := s.loss(d, y, nil); o.Functions() == s.scores {
			calls["SubHess"] = func(o *glm.Objective, theta []float64) (float64, error) {
				h := linalg.Zeros(2, 2)
				o.SubHess(h, theta, []int{0, len(theta) - 1}, nil)
				return h.Data[0], nil
			}
		}
		for first, call := range calls {
			for then, after := range calls {
				o := s.loss(d, y, nil)
				theta := point(o)
				fails = lost
				if v, err := call(o, theta); v == v || err != nil && err != lost || o.Err() != lost {
					t.Errorf("%s: %s is %v, %v, the objective's error %v", s.name, first, v, err, o.Err())
				}
				fails = worse
				if v, err := after(o, theta); v == v || err != nil && err != lost && err != worse || o.Err() != lost {
					t.Errorf("%s: %s after %s is %v, %v, the objective's error %v", s.name, then, first, v, err, o.Err())
				}
			}
		}
	}
}
