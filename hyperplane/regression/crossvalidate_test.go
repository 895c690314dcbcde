package regression_test

import (
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// MinNorm is for λ = 0 alone: where the path of all rows ends before, those of the folds go without it.
func TestFoldsOfAPathThatEndsBeforeItsLeastNormAreFitted(t *testing.T) {
	x, labels := linalgtest.LabeledRows(40, 3, 4)
	y, folds := make([]float64, 40), make([]int, 40)
	for i, l := range labels {
		y[i], folds[i] = float64(l), i%4
		x.Set(i, 2, x.At(i, 1))
	}
	o := &regression.Options{L1Ratio: 1, MinNorm: true, MaxIter: 1, Tol: 1e-15}
	cv, err := regression.CrossValidate(x, y, []float64{1, 0.1, 0}, folds, o)
	if cv == nil || !errors.Is(err, optimize.ErrNotConverged) || len(cv.CV.Mean) == 3 {
		t.Fatalf("%v, %v", cv, err)
	}
	o.MaxIter, o.Tol = 0, 0
	if cv, err = regression.CrossValidate(x, y, []float64{1, 0.1, 0}, folds, o); err != nil || math.IsNaN(cv.CV.Mean[2]) {
		t.Errorf("%v, %v", cv, err)
	}
}

// A fold whose path ends early has losses of the λ that it has fits of, in whatever order these were given.
func TestLossesOfAPathThatEndsEarlyAreThoseOfItsPenalties(t *testing.T) {
	x, labels := linalgtest.LabeledRows(60, 3, 4)
	y, folds := make([]float64, 60), make([]int, 60)
	for i, l := range labels {
		y[i], folds[i] = float64(l), i%2
	}
	lambdas := []float64{0.1, 10, 1}
	for _, ratio := range []float64{0, 1} {
		whole, err := regression.CrossValidate(x, y, lambdas, folds, &regression.Options{L1Ratio: ratio})
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		part, err := regression.CrossValidate(x, y, lambdas, folds, &regression.Options{L1Ratio: ratio, Trace: func(optimize.Step) error {
			if calls++; calls == 8 { // the second λ of the last fold
				return errors.New("enough")
			}
			return nil
		}})
		if part == nil {
			t.Fatal(err)
		}
		for k, mean := range part.CV.Mean {
			if mean == mean {
				linalgtest.Close(t, "mean loss", mean, whole.CV.Mean[k], 1e-12)
			}
		}
		lacking := int(2 - 2*ratio) // a ridge goes by the order given, a lasso from the largest
		if !math.IsNaN(part.CV.Mean[lacking]) || math.IsNaN(part.CV.Mean[1]) || math.IsNaN(part.CV.Mean[2-lacking]) {
			t.Errorf("L1Ratio %g: losses %v of %v, %v", ratio, part.CV.Mean, lambdas, err)
		}
	}
}

// The models of a fold share one pass over the rows: one of 16 penalties makes no more passes than one of 2, and its losses
// are those of the rows one by one, dense and sparse.
func TestModelsOfAFoldShareAPass(t *testing.T) {
	const n = 300
	x, y := linalgtest.Thinned(14, n, 40, 0.2), linalgtest.Numbers(n)
	folds, o := make([]int, n), &regression.Options{L1Ratio: 1, Workers: 1, Weights: make([]float64, n), Offset: linalgtest.Numbers(n)}
	for i := range y {
		y[i] += 5 + x.At(i, 1) - 2*x.At(i, 3)
		folds[i], o.Weights[i] = i%2, float64(i%3)
	}
	lambdas := []float64{40, 38, 36, 34, 32, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10}
	var passes [2]int64
	for k := range passes {
		rows := counted{spread(t, x, 40), new(atomic.Int64)}
		cv, err := regression.CrossValidate(rows, y, lambdas[:2+14*k], folds, o)
		if err != nil {
			t.Fatal(err)
		}
		passes[k] = rows.passes.Load()
		if k == 1 {
			dense, err := regression.CrossValidate(x, y, lambdas, folds, o)
			if err != nil {
				t.Fatal(err)
			}
			linalgtest.CloseSlice(t, "dense and sparse", cv.CV.Mean, dense.CV.Mean, 1e-5)
			linalgtest.Close(t, "one by one", dense.CV.Mean[5], lossOneByOne(t, x, y, lambdas[5], folds, *o), 1e-5)
		}
	}
	if passes[1] > passes[0]+2 {
		t.Errorf("%d passes for 2 penalties, %d for 16", passes[0], passes[1])
	}
}

// lossOneByOne is the mean loss at a λ of the rows of two folds, by fits to the other one.
func lossOneByOne(t *testing.T, x *linalg.Dense, y []float64, lambda float64, folds []int, o regression.Options) float64 {
	sum, total, weights := 0.0, 0.0, o.Weights
	for fold := range 2 {
		o.Lambda, o.Weights = lambda, slices.Clone(weights)
		for i, f := range folds {
			if f == fold {
				o.Weights[i] = 0
			}
		}
		m, err := regression.FitElasticNet(x, y, &o)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range folds {
			if f == fold {
				r := y[i] - o.Offset[i] - m.Predict(x.Row(i))
				sum, total = sum+weights[i]*r*r, total+weights[i]
			}
		}
	}
	return sum / total
}
