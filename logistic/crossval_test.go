package logistic_test

import (
	"errors"
	"math"
	"math/rand/v2"
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

// Rows that are left out are multiplied in blocks, by several workers: the losses are those
// of row by row, of the same bits for any workers, with offsets and rows of weight 0 or 2.
func TestCrossValidateInBlocks(t *testing.T) {
	for _, k := range []int{2, 3} {
		rng := rand.New(rand.NewPCG(31, uint64(k)))
		n, scores := 900, k
		if k == 2 {
			scores = 1
		}
		x, y, folds := linalg.Zeros(n, 4), make([]int, n), make([]int, n)
		o := &logistic.PathOptions{Options: logistic.Options{L1Ratio: 0.7, Tol: 1e-10, Weights: make([]float64, n), Offset: make([]float64, n*scores)}, Lambdas: []float64{30, 8}}
		for i := range n {
			for j := range 4 {
				x.Set(i, j, 3+rng.NormFloat64())
			}
			y[i], folds[i], o.Weights[i] = rng.IntN(k), rng.IntN(2), float64(rng.IntN(3))
			x.Data[i*4] += float64(y[i])
		}
		for i := range o.Offset {
			o.Offset[i] = rng.NormFloat64() / 2
		}
		o.Workers = 1
		cv, err := logistic.CrossValidate(x, y, folds, o)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.CloseSlice(t, "deviance", cv.CV.Mean, devianceByRow(t, x, y, folds, o), 1e-8)
		o.Workers = 4
		again, err := logistic.CrossValidate(x, y, folds, o)
		if err != nil || !slices.Equal(again.CV.Mean, cv.CV.Mean) {
			t.Errorf("K = %d: losses %v with four workers, %v with one, %v", k, again.CV.Mean, cv.CV.Mean, err)
		}
	}
}

// devianceByRow is the mean deviance of two folds, from fits to the other one.
func devianceByRow(t *testing.T, x *linalg.Dense, y, folds []int, o *logistic.PathOptions) []float64 {
	mean, total := make([]float64, len(o.Lambdas)), linalg.Sum(o.Weights)
	for f := range 2 {
		rest := *o
		rest.Weights = slices.Clone(o.Weights)
		for i := range y {
			if folds[i] == f {
				rest.Weights[i] = 0
			}
		}
		p, err := logistic.FitPath(x, y, &rest)
		if err != nil {
			t.Fatal(err)
		}
		for l, m := range p.Models() {
			for i := range y {
				if folds[i] != f {
					continue
				}
				s := m.Scores(nil, x.Row(i))
				k := len(o.Offset) / len(y)
				linalg.Axpy(s[len(s)-k:], 1, o.Offset[i*k:(i+1)*k])
				mean[l] += 2 * o.Weights[i] * (linalg.LogSumExp(s) - s[y[i]]) / total
			}
		}
	}
	return mean
}

// The deviances of a path's models are the sums of −2·w·log p of their rows one by one, from
// dense rows and from sparse ones, whose columns may be far from 0.
func TestDeviancesOfRowsOneByOne(t *testing.T) {
	const n, p = 301, 7
	for _, k := range []int{2, 3} {
		x := linalgtest.Normal(uint64(k), n, p)
		rng := rand.New(rand.NewPCG(uint64(k), 5))
		functions := k * (k - 1) / 2
		y, w, offset := make([]int, n), make([]float64, n), make([]float64, n*functions)
		for i := range y {
			row := x.Row(i)
			for j := range row {
				if row[j] < 0.5 {
					row[j] = 0
				}
			}
			row[0] += 50
			y[i], w[i] = rng.IntN(k), float64(rng.IntN(3))
			if row[1] > 0 {
				y[i] = 0
			}
		}
		for i := range offset {
			offset[i] = rng.NormFloat64()
		}
		for name, rows := range map[string]linalg.Rows{"dense": x, "sparse": linalgtest.Sparse(x)} {
			path, err := logistic.FitPath(rows, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1}, Count: 9})
			if err != nil {
				t.Fatal(err)
			}
			models := path.Models()
			got, err := logistic.Deviances(models, rows, y, &logistic.Options{Weights: w, Offset: offset})
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float64, len(models))
			for m, model := range models {
				for i := range y {
					f := model.Scores(nil, x.Row(i))
					linalg.Axpy(f[k-functions:], 1, offset[i*functions:(i+1)*functions])
					want[m] += 2 * w[i] * (linalg.LogSumExp(f) - f[y[i]])
				}
			}
			linalgtest.CloseSlice(t, name, got, want, 1e-11)
		}
	}
}

// A label that no model knows has no probability, in a row that counts; lengths that do not
// fit are refused.
func TestDeviancesOfOtherRows(t *testing.T) {
	x, y := lt.IrisPair(t)
	models := []*logistic.Model{lt.MustFit(t, x, y, &logistic.Options{Lambda: 1})}
	_, p := x.Dims()
	strange := slices.Clone(y)
	strange[3] = 77
	w := slices.Repeat([]float64{1}, len(y))
	if d, err := logistic.Deviances(models, x, strange, nil); err != nil || !math.IsInf(d[0], 1) {
		t.Errorf("an unknown label: %v, %v", d, err)
	}
	w[3] = 0
	if d, err := logistic.Deviances(models, x, strange, &logistic.Options{Weights: w}); err != nil || !(d[0] < math.Inf(1)) {
		t.Errorf("an unknown label of weight 0: %v, %v", d, err)
	}
	if d, err := logistic.Deviances(nil, x, y, nil); len(d) != 0 || err != nil {
		t.Errorf("no models: %v, %v", d, err)
	}
	far := x.Clone()
	for i := range y {
		far.Row(i)[0] += 100
	}
	narrow := linalg.Zeros(len(y), 1)
	copy(narrow.Data, x.Col(nil, 0))
	for name, other := range map[string]linalg.Rows{"origin": far, "features": narrow} {
		m := lt.MustFit(t, other, y, &logistic.Options{Lambda: 1})
		if d, err := logistic.Deviances(append(models, m), x, y, nil); err == nil {
			t.Errorf("models of other %s: %v", name, d)
		}
	}
	for name, try := range map[string]func() ([]float64, error){
		"labels":  func() ([]float64, error) { return logistic.Deviances(models, x, y[1:], nil) },
		"columns": func() ([]float64, error) { return logistic.Deviances(models, linalg.Zeros(len(y), p+1), y, nil) },
		"weights": func() ([]float64, error) {
			return logistic.Deviances(models, x, y, &logistic.Options{Weights: w[1:]})
		},
		"offsets": func() ([]float64, error) {
			return logistic.Deviances(models, x, y, &logistic.Options{Offset: w[1:]})
		},
	} {
		if _, err := try(); !lt.Is[*linalg.ShapeError](err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		off := slices.Repeat([]float64{1}, len(y))
		off[5] = bad
		if d, err := logistic.Deviances(models, x, y, &logistic.Options{Weights: off}); err == nil {
			t.Errorf("a weight of %g: %v", bad, d)
		}
		if d, err := logistic.Deviances(models, x, y, &logistic.Options{Offset: off}); (err == nil) != (bad == -1) {
			t.Errorf("an offset of %g: %v, %v", bad, d, err)
		}
	}
}

// Rows without numbers have no deviance, and the error names the cell.
func TestDeviancesOfRowsThatAreNoNumbers(t *testing.T) {
	x, y := lt.IrisPair(t)
	models := []*logistic.Model{lt.MustFit(t, x, y, &logistic.Options{Lambda: 1})}
	gap := x.Clone()
	gap.Set(5, 2, math.NaN())
	var cell *linalg.NonFiniteError
	if d, err := logistic.Deviances(models, gap, y, nil); !errors.As(err, &cell) || cell.Row != 5 || cell.Col != 2 || d != nil {
		t.Errorf("a cell that is NaN: %v, %v", d, err)
	}
}
