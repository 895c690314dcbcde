package logistic_test

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

func TestCrossValidate(t *testing.T) {
	x, y := lt.Heart(t, "")
	folds := make([]int, len(y))
	for i := range folds {
		folds[i] = i % 5
	}
	o := &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Standardize: true, Tol: 1e-7}, Count: 20}
	cv, err := logistic.CrossValidate(x, y, folds, o)
	if err != nil {
		t.Fatal(err)
	}
	best, one := cv.CV.Best(), cv.CV.OneSE()
	if one > best || best == 0 || cv.CV.Mean[one] > cv.CV.Mean[best]+cv.CV.SE[best] {
		t.Errorf("best %d, one standard error %d", best, one)
	}
	// By hand: each row's deviance by the fit without its fold.
	deviance := 0.0
	for f := range 5 {
		in, labels := linalgtest.Select(x, y, func(i int) bool { return folds[i] != f })
		m := lt.MustFit(t, in, labels, &logistic.Options{L1Ratio: 1, Standardize: true, Lambda: cv.Path.Points[10].Penalty})
		out, labels := linalgtest.Select(x, y, func(i int) bool { return folds[i] == f })
		for i, label := range labels {
			deviance -= 2 * m.LogProba(nil, out.Row(i))[label] / float64(len(y))
		}
	}
	linalgtest.Close(t, "left out", cv.CV.Mean[10], deviance, 1e-6)
	if _, err := logistic.CrossValidate(x, y, folds[1:], o); !lt.Is[*linalg.ShapeError](err) {
		t.Errorf("folds: %v", err)
	}
	lonely := slices.Clone(y)
	for i := range lonely {
		lonely[i] = 0
		if folds[i] == 2 {
			lonely[i] = y[i]
		}
	}
	if _, err := logistic.CrossValidate(x, lonely, folds, o); !lt.Is[*linalg.ClassError](err) {
		t.Errorf("a fold with all of a class: %v", err)
	}
}

// Rows of weight 0 are deleted, with a fold that has no others.
func TestCrossValidateDeletedFold(t *testing.T) {
	x, y := lt.IrisPair(t)
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
	a, err := logistic.CrossValidate(x, y, folds, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Weights: w}, Lambdas: lambdas})
	if err != nil {
		t.Fatal(err)
	}
	b, err := logistic.CrossValidate(xs, ys, rest, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1}, Lambdas: lambdas})
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "deviance", a.CV.Mean, b.CV.Mean, 1e-6)
	linalgtest.CloseSlice(t, "SE", a.CV.SE, b.CV.SE, 1e-6)
}

// A path without a λ is an error, whether the caller gives none or a limit on the
// features ends it before the first.
func TestCrossValidateWithoutLambda(t *testing.T) {
	x, y := lt.IrisPair(t)
	folds := make([]int, len(y))
	for i := range folds {
		folds[i] = i % 4
	}
	for name, o := range map[string]*logistic.PathOptions{
		"none":  {Options: logistic.Options{L1Ratio: 1}, Lambdas: []float64{}},
		"MaxDF": {Options: logistic.Options{L1Ratio: 1, PenaltyFactor: []float64{0, 0, 0, 1}}, MaxDF: 1},
	} {
		if cv, err := logistic.CrossValidate(x, y, folds, o); !lt.Is[*linalg.ShapeError](err) || cv != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The deviance is −2·log p a left-out row, its error that of a mean over folds of
// unequal size, and the rule of one standard error takes the largest λ within it.
func TestCrossValidateByHand(t *testing.T) {
	x, y := lt.IrisPair(t)
	folds := make([]int, len(y))
	for i := range folds {
		folds[i] = min(i%7, 3) // the last is four times the others
	}
	lambdas := []float64{20, 10, 4, 1, 0.3, 0.1}
	cv, err := logistic.CrossValidate(x, y, folds, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Tol: 1e-11}, Lambdas: lambdas})
	if err != nil {
		t.Fatal(err)
	}
	deviance, se := make([]float64, len(lambdas)), make([]float64, len(lambdas))
	for k, lambda := range lambdas {
		var mean, size [4]float64
		for f := range mean {
			xs, ys := linalgtest.Select(x, y, func(i int) bool { return folds[i] != f })
			m, err := logistic.Fit(xs, ys, &logistic.Options{Lambda: lambda, L1Ratio: 1, Tol: 1e-11})
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
	linalgtest.CloseSlice(t, "deviance", cv.CV.Mean, deviance, 1e-6)
	linalgtest.CloseSlice(t, "SE", cv.CV.SE, se, 1e-6)
	best := slices.Index(deviance, slices.Min(deviance))
	one := slices.IndexFunc(deviance, func(d float64) bool { return d <= deviance[best]+se[best] })
	if cv.CV.Best() != best || cv.CV.OneSE() != one || one == best {
		t.Errorf("best %d and %d within an error, want %d and %d", cv.CV.Best(), cv.CV.OneSE(), best, one)
	}
}
