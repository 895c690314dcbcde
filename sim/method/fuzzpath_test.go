package method_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// fuzzedPaths are the methods with a path of its own: that of rda is fits.
var fuzzedPaths = []string{"logistic", "lasso", "ridge", "svc"}

// FuzzPath fits a path to a small arbitrary table, on the grid of its own or on a
// given one: each point up to an error has a certificate that holds when
// recomputed.
func FuzzPath(f *testing.F) {
	for i := range fuzzedPaths {
		f.Add([]byte{byte(i), 6, 2, 1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 3, 1, 0, 1, 0, 1, 1, 0}, uint8(20), []byte(nil))
		f.Add([]byte{byte(i), 7, 3, 2, 9, 1, 0, 12, 3, 4, 8, 250, 1, 2, 5, 3, 9, 11, 0, 1, 17, 2, 4, 6, 8, 1, 3, 0, 1, 2, 0, 1, 2, 1}, uint8(9), []byte{3, 4, 5})
	}
	f.Fuzz(func(t *testing.T, input []byte, count uint8, grid []byte) {
		if len(input) == 0 {
			return
		}
		name := fuzzedPaths[int(input[0])%len(fuzzedPaths)]
		input = slices.Clone(input)
		input[0] = byte(slices.IndexFunc(method.All(), func(m *method.Method) bool { return m.Name == name }))
		m, d, o := arbitrary(input)
		o.ClassWeight, o.Standardize = "", o.Standardize && name != "svc"
		d.Labels = ranks(d.Labels, d.Weights)
		var lambdas []float64
		for _, b := range grid[:min(len(grid), 30)] {
			lambdas = append(lambdas, numbers[int(b)%len(numbers)])
		}
		start := time.Now()
		models, err := fitPath(name, d, o, int(count)%40, lambdas)
		if took := time.Since(start); took > 10*time.Second {
			t.Fatalf("the path took %v on %s", took, describe(d, o))
		}
		if err != nil && !errors.Is(err, optimize.ErrNotConverged) && !documented(err) {
			t.Fatalf("%T: %v\non %s", errors.Unwrap(err), err, describe(d, o))
		}
		for _, p := range models {
			at := *o
			at.Lambda, at.C, at.Tol = p.lambda, p.lambda, tolerance(o, p.tol)
			for _, f := range recompute(t, m, p.fitted, d, &at) {
				if !f.holds() {
					t.Fatalf("%s, path of %d from %d λ, at %g: %v, with %v\non %s", name, len(models), len(lambdas), p.lambda, f, err, describe(d, o))
				}
			}
		}
	})
}

// ranks numbers the labels of rows that have a weight from 0; the others get the
// first.
func ranks(labels []int, weights []float64) []int {
	var there []int
	for i, y := range labels {
		if weights == nil || weights[i] != 0 {
			there = append(there, y)
		}
	}
	slices.Sort(there)
	there = slices.Compact(there)
	out := make([]int, len(labels))
	for i, y := range labels {
		if at, ok := slices.BinarySearch(there, y); ok {
			out[i] = at
		}
	}
	return out
}

// point is a fit of a path with λ, or C, and the tolerance that is its default.
type point struct {
	fitted      any
	lambda, tol float64
}

// fitPath fits the path of a method; the points are those that say they converged.
func fitPath(name string, d *dataset.Data, o *method.Options, count int, lambdas []float64) (points []point, err error) {
	switch name {
	case "logistic":
		lo := logistic.Options{L1Ratio: o.L1Ratio, Standardize: o.Standardize, NoIntercept: o.NoIntercept,
			Weights: d.Weights, Offset: d.Offset, Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers}
		path, err := logistic.FitPath(d.X, d.Labels, &logistic.PathOptions{Options: lo, Count: count, Lambdas: lambdas})
		if path != nil {
			for _, p := range path.Points {
				points = append(points, point{p.Model, p.Penalty, 1e-3})
			}
		}
		return points, err
	case "svc":
		path, err := hyperplane.SVCPath(d.X, d.Labels, lambdas, &hyperplane.SVCOptions{
			Weights: d.Weights, NoIntercept: o.NoIntercept, Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers})
		for _, m := range converged(path.Models(), err) {
			points = append(points, point{m, m.C(), 1e-7})
		}
		return points, err
	case "lasso", "ridge":
		ro := &regression.Options{Standardize: o.Standardize, NoIntercept: o.NoIntercept, Weights: d.Weights,
			Offset: d.Offset, Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers, Count: count}
		fit := regression.RidgePath
		if name == "lasso" {
			fit, ro.L1Ratio = regression.ElasticNetPath, o.L1Ratio
		}
		path, err := fit(d.X, d.Y, lambdas, ro)
		for _, m := range converged(path.Models(), err) {
			points = append(points, point{m, m.Lambda(), 1e-8})
		}
		return points, err
	}
	panic(name)
}

// converged leaves out the model that an error is about, the last.
func converged[M any](models []M, err error) []M {
	if errors.Is(err, optimize.ErrNotConverged) {
		return models[:len(models)-1]
	}
	return models
}
