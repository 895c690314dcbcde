package logistic

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// Rows of weight 0 are deleted, with a fold that has no others.
func TestCrossValidateDeletedFold(t *testing.T) {
	x, y := irisPair(t)
	folds, w := make([]int, len(y)), make([]float64, len(y))
	for i := range folds {
		folds[i], w[i] = i%4, 1
		if folds[i] == 3 {
			w[i] = 0
		}
	}
	xs, ys := linalgtest.Select(x, y, func(i int) bool { return w[i] > 0 })
	var rest []int
	for i, f := range folds {
		if w[i] > 0 {
			rest = append(rest, f)
		}
	}
	lambdas := []float64{10, 3, 1}
	a, err := CrossValidate(x, y, folds, &PathOptions{Options: Options{L1Ratio: 1, Weights: w}, Lambdas: lambdas})
	if err != nil {
		t.Fatal(err)
	}
	b, err := CrossValidate(xs, ys, rest, &PathOptions{Options: Options{L1Ratio: 1}, Lambdas: lambdas})
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "deviance", a.Deviance, b.Deviance, 1e-6)
	linalgtest.CloseSlice(t, "SE", a.SE, b.SE, 1e-6)
}

// A path without a λ is an error, whether the caller gives none or a limit on the
// features ends it before the first.
func TestCrossValidateWithoutLambda(t *testing.T) {
	x, y := irisPair(t)
	folds := make([]int, len(y))
	for i := range folds {
		folds[i] = i % 4
	}
	for name, o := range map[string]*PathOptions{
		"none":  {Options: Options{L1Ratio: 1}, Lambdas: []float64{}},
		"MaxDF": {Options: Options{L1Ratio: 1, PenaltyFactor: []float64{0, 0, 0, 1}}, MaxDF: 1},
	} {
		if cv, err := CrossValidate(x, y, folds, o); !asError[*linalg.ShapeError](err) || cv != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The deviance is −2·log p a left-out row, its error that of a mean over folds of
// unequal size, and the rule of one standard error takes the largest λ within it.
func TestCrossValidateByHand(t *testing.T) {
	x, y := irisPair(t)
	folds := make([]int, len(y))
	for i := range folds {
		folds[i] = min(i%7, 3) // the last is four times the others
	}
	lambdas := []float64{20, 10, 4, 1, 0.3, 0.1}
	cv, err := CrossValidate(x, y, folds, &PathOptions{Options: Options{L1Ratio: 1, Tol: 1e-11}, Lambdas: lambdas})
	if err != nil {
		t.Fatal(err)
	}
	deviance, se := make([]float64, len(lambdas)), make([]float64, len(lambdas))
	for k, lambda := range lambdas {
		var mean, size [4]float64
		for f := range mean {
			xs, ys := linalgtest.Select(x, y, func(i int) bool { return folds[i] != f })
			m, err := Fit(xs, ys, &Options{Lambda: lambda, L1Ratio: 1, Tol: 1e-11})
			if err != nil {
				t.Fatal(err)
			}
			for i := range y {
				if folds[i] == f {
					mean[f] -= 2 * math.Log(m.Proba(nil, x.Row(i))[slices.Index(m.Classes(), y[i])])
					size[f]++
				}
			}
			deviance[k] += mean[f] / float64(len(y))
			mean[f] /= size[f]
		}
		for f, m := range mean {
			se[k] += size[f] / float64(len(y)) * (m - deviance[k]) * (m - deviance[k]) / 3
		}
		se[k] = math.Sqrt(se[k])
	}
	linalgtest.CloseSlice(t, "deviance", cv.Deviance, deviance, 1e-6)
	linalgtest.CloseSlice(t, "SE", cv.SE, se, 1e-6)
	best := slices.Index(deviance, slices.Min(deviance))
	one := slices.IndexFunc(deviance, func(d float64) bool { return d <= deviance[best]+se[best] })
	if cv.Best != best || cv.OneSE != one || one == best {
		t.Errorf("best %d and %d within an error, want %d and %d", cv.Best, cv.OneSE, best, one)
	}
}
