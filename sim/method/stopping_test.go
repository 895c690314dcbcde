package method_test

import (
	"errors"
	"testing"

	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// Every iterative fit of the packages stops where it is told to: after MaxIter, and
// when its Trace returns an error.
func TestEveryFitStops(t *testing.T) {
	d := methodtest.Clouds(method.All()[0], 1, 60, 3)
	logit, _ := method.Named("logistic")
	two := methodtest.TwoClasses(methodtest.Clouds(logit, 1, 60, 3))
	hard, _ := method.Named("hardmargin")
	apart := methodtest.Iris(t, hard)
	ridge, _ := method.Named("ridge")
	line := methodtest.Clouds(ridge, 1, 60, 3)
	wide := methodtest.Clouds(ridge, 1, 20, 200)
	alike := methodtest.Clouds(ridge, 1, 60, 20) // a lasso of columns that differ ends at once
	for i, y := range alike.Y {
		for j := range alike.X.Row(i) {
			alike.X.Row(i)[j] += 3 * y
		}
	}
	type reported interface{ Report() optimize.Report }
	logisticFit := func(d *dataset.Data, o logistic.Options) func(int, func(optimize.Step) error) (reported, error) {
		return func(cap int, trace func(optimize.Step) error) (reported, error) {
			own := o
			own.MaxIter, own.Trace = cap, trace
			m, err := logistic.Fit(d.X, d.Labels, &own)
			return m, err
		}
	}
	elastic := func(d *dataset.Data, ratio float64) func(int, func(optimize.Step) error) (reported, error) {
		return func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := regression.FitElasticNet(d.X, d.Y, &regression.Options{Lambda: .5, L1Ratio: ratio, MaxIter: cap, Trace: trace})
			return m, err
		}
	}
	perceptron := func(order hyperplane.PerceptronOrder) func(int, func(optimize.Step) error) (reported, error) {
		return func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := hyperplane.FitPerceptron(two.X, two.Labels, &hyperplane.PerceptronOptions{Order: order, MaxEpochs: cap, Trace: trace})
			return m, err
		}
	}
	descent := func(bfgs bool) func(int, func(optimize.Step) error) (reported, error) {
		return func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := regression.FitDescent(line.X, line.Y, &regression.DescentOptions{BFGS: bfgs, MaxIter: cap, Trace: trace})
			return m, err
		}
	}
	for name, fit := range map[string]func(cap int, trace func(optimize.Step) error) (reported, error){
		"logistic, two classes":        logisticFit(two, logistic.Options{}),
		"logistic, two classes, ridge": logisticFit(two, logistic.Options{Lambda: 1}),
		"logistic, two classes, lasso": logisticFit(two, logistic.Options{Lambda: 1, L1Ratio: 1}),
		"logistic, Firth":              logisticFit(two, logistic.Options{Firth: true}),
		"logistic, three classes":      logisticFit(d, logistic.Options{}),
		"logistic, three, elastic net": logisticFit(d, logistic.Options{Lambda: 1, L1Ratio: .5}),
		"lasso":                        elastic(alike, 1),
		"lasso, wide":                  elastic(wide, 1),
		"elastic net, wide":            elastic(wide, .6),
		"perceptron":                   perceptron(hyperplane.Cyclic),
		"perceptron, batch":            perceptron(hyperplane.Batch),
		"gradient descent":             descent(false),
		"BFGS":                         descent(true),
		"hard margin": func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := hyperplane.FitHardMargin(apart.X, apart.Labels, &hyperplane.HardMarginOptions{MaxIter: cap, Trace: trace})
			return m, err
		},
		"Kozinec": func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := hyperplane.FitKozinec(apart.X, apart.Labels, &hyperplane.KozinecOptions{Tol: 1e-6, MaxIter: cap, Trace: trace})
			return m, err
		},
		"svc": func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := hyperplane.FitSVC(two.X, two.Labels, &hyperplane.SVCOptions{MaxIter: cap, Trace: trace})
			return m, err
		},
		"svr": func(cap int, trace func(optimize.Step) error) (reported, error) {
			m, err := hyperplane.FitSVR(line.X, line.Y, &hyperplane.SVROptions{Epsilon: .1, MaxIter: cap, Trace: trace})
			return m, err
		},
	} {
		calls := 0
		if m, err := fit(1, func(optimize.Step) error { calls++; return nil }); !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("%s: capped at 1: %v", name, err)
		} else if r := m.Report(); r.Iterations() > 1 || r.Status() == optimize.Converged || calls > 4 {
			t.Errorf("%s: capped at 1: %+v after %d calls", name, r, calls)
		}
		stop := errors.New("enough")
		for _, at := range []int{1, 2, 3} {
			calls := 0
			m, err := fit(0, func(optimize.Step) error {
				if calls++; calls >= at {
					return stop
				}
				return nil
			})
			switch {
			case calls == 0:
				t.Errorf("%s: the trace is not called", name)
			case calls < at:
				t.Logf("%s: done before call %d", name, at)
			case !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged):
				t.Errorf("%s: stopped at %d: %v", name, at, err)
			case calls > at:
				t.Errorf("%s: stopped at %d, called %d times", name, at, calls)
			case m.Report().Status() != optimize.Stopped:
				t.Errorf("%s: stopped at %d: %+v", name, at, m.Report())
			}
		}
	}
}
