package method_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	"halfspace/optimize"
	"halfspace/sim/method"
)

// storedFit is a fit of the rows of x in any storage, on one goroutine.
type storedFit struct {
	method string // its name in the registry, "" for what has none
	name   string
	run    func(x linalg.Rows) (any, error)
}

// storedData is rows with all kinds of responses. Columns differ in size, and one lies far
// from 0.
type storedData struct {
	x                        *linalg.Dense
	two, three, apart, folds []int
	number, ones, trials     []float64
}

func newStoredData(n int) *storedData {
	x, two := linalgtest.LabeledRows(n, 4, 2)
	_, three := linalgtest.LabeledRows(n, 4, 3)
	d := &storedData{x: x, two: two, three: three}
	for i := range n {
		r := x.Row(i)
		side := 0
		if r[0]-r[1]+0.5*r[2] > 0 {
			side = 1
		}
		r[0] += float64(2*side - 1) // a gap between the classes of apart
		d.apart, d.folds = append(d.apart, side), append(d.folds, i%3)
		d.number = append(d.number, 2+r[0]-3*r[1]+math.Sin(float64(i)))
		d.ones, d.trials = append(d.ones, float64(1+2*two[i])), append(d.trials, 4)
		r[2], r[3] = 1000*r[2]+30, r[3]+1000
	}
	return d
}

// storedFits are all fits that take rows.
func (d *storedData) storedFits() []storedFit {
	return slices.Concat(d.discriminants(), d.logistics(), d.planes(), d.regressions())
}

func (d *storedData) discriminants() []storedFit {
	one := &discriminant.Options{Workers: 1}
	return []storedFit{
		{"indicator", "", func(x linalg.Rows) (any, error) { return discriminant.FitIndicator(x, d.three, one) }},
		{"lda", "", func(x linalg.Rows) (any, error) { return discriminant.FitLDA(x, d.three, one) }},
		{"qda", "", func(x linalg.Rows) (any, error) { return discriminant.FitQDA(x, d.three, one) }},
		{"rda", "", func(x linalg.Rows) (any, error) {
			return discriminant.FitRDA(x, d.three, &discriminant.Options{Alpha: 0.3, Workers: 1})
		}},
		{"rrlda", "", func(x linalg.Rows) (any, error) { return discriminant.FitReducedRank(x, d.three, one) }},
		{"", "cross-validated rda", func(x linalg.Rows) (any, error) {
			return discriminant.CrossValidateRDA(x, d.three, d.folds, []float64{0, 0.5, 1}, one)
		}},
	}
}

func (d *storedData) logistics() []storedFit {
	fit := func(name string, y []int, o logistic.Options) storedFit {
		o.Workers = 1
		return storedFit{"logistic", name, func(x linalg.Rows) (any, error) { return logistic.Fit(x, y, &o) }}
	}
	path := func(name string, y []int, o logistic.Options) storedFit {
		p := &logistic.PathOptions{Options: o, Count: 6}
		p.Workers, p.Tol = 1, 1e-8
		return storedFit{"", name, func(x linalg.Rows) (any, error) { return logistic.FitPath(x, y, p) }}
	}
	infer := func(o *logistic.Options) func(x linalg.Rows) (any, error) {
		return func(x linalg.Rows) (any, error) {
			m, err := logistic.Fit(x, d.two, o)
			if err != nil {
				return m, err
			}
			return inference.Of(m, x, d.two, o)
		}
	}
	one := &logistic.Options{Workers: 1}
	return []storedFit{
		fit("likelihood", d.two, logistic.Options{}),
		fit("ridge", d.two, logistic.Options{Lambda: 1, Standardize: true}),
		fit("net", d.two, logistic.Options{Lambda: 5, L1Ratio: 0.5, Standardize: true}),
		fit("Firth", d.two, logistic.Options{Firth: true}),
		fit("no intercept", d.two, logistic.Options{NoIntercept: true, Weights: d.ones}),
		fit("three classes", d.three, logistic.Options{}),
		fit("three classes, ridge", d.three, logistic.Options{Lambda: 1, Standardize: true}),
		fit("three classes, grouped", d.three, logistic.Options{Lambda: 5, L1Ratio: 1, Grouped: true, Standardize: true}),
		path("path", d.two, logistic.Options{L1Ratio: 1, Standardize: true}),
		path("path of three classes", d.three, logistic.Options{L1Ratio: 0.5, Standardize: true}),
		{"", "counts", func(x linalg.Rows) (any, error) { return logistic.FitCounts(x, d.ones, d.trials, one) }},
		{"", "cross-validated path", func(x linalg.Rows) (any, error) {
			return logistic.CrossValidate(x, d.two, d.folds, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Workers: 1}, Lambdas: []float64{30, 3}})
		}},
		{"", "inference", infer(one)},
		{"", "inference of Firth", infer(&logistic.Options{Firth: true, Workers: 1})},
	}
}

func (d *storedData) planes() []storedFit {
	return []storedFit{
		{"perceptron", "", func(x linalg.Rows) (any, error) {
			m, err := hyperplane.FitPerceptron(x, d.apart, &hyperplane.PerceptronOptions{MaxEpochs: 50, Workers: 1})
			return expected(m, err)
		}},
		{"perceptron", "pocket", func(x linalg.Rows) (any, error) {
			m, err := hyperplane.FitPerceptron(x, d.two, &hyperplane.PerceptronOptions{Pocket: true, MaxEpochs: 3, Workers: 1})
			return expected(m, err)
		}},
		{"", "Kozinec", func(x linalg.Rows) (any, error) {
			m, err := hyperplane.FitKozinec(x, d.apart, &hyperplane.KozinecOptions{Workers: 1, MaxIter: 300})
			return expected(m, err)
		}},
		{"hardmargin", "", func(x linalg.Rows) (any, error) {
			return hyperplane.FitHardMargin(x, d.apart, &hyperplane.HardMarginOptions{Workers: 1})
		}},
		{"svc", "", func(x linalg.Rows) (any, error) {
			return hyperplane.FitSVC(x, d.two, &hyperplane.SVCOptions{Workers: 1})
		}},
		{"svc", "three classes, probabilities", func(x linalg.Rows) (any, error) {
			return hyperplane.FitSVCProba(x, d.three, &hyperplane.SVCProbaOptions{SVCOptions: hyperplane.SVCOptions{Workers: 1}})
		}},
		{"", "svc path", func(x linalg.Rows) (any, error) {
			return hyperplane.SVCPath(x, d.two, []float64{0.1, 1}, &hyperplane.SVCOptions{Workers: 1})
		}},
		{"svr", "", func(x linalg.Rows) (any, error) {
			return hyperplane.FitSVR(x, d.number, &hyperplane.SVROptions{Epsilon: 0.1, Workers: 1})
		}},
	}
}

func (d *storedData) regressions() []storedFit {
	one := &regression.Options{Workers: 1}
	with := func(lambda, ratio float64) *regression.Options {
		return &regression.Options{Lambda: lambda, L1Ratio: ratio, Standardize: true, Workers: 1}
	}
	return []storedFit{
		{"ols", "", func(x linalg.Rows) (any, error) { return regression.FitOLS(x, d.number, one) }},
		{"ols", "normal equations", func(x linalg.Rows) (any, error) { return regression.FitNormalEquations(x, d.number, one) }},
		{"ridge", "", func(x linalg.Rows) (any, error) { return regression.FitRidge(x, d.number, with(3, 0)) }},
		{"lasso", "", func(x linalg.Rows) (any, error) { return regression.FitLasso(x, d.number, with(3, 0)) }},
		{"", "elastic net", func(x linalg.Rows) (any, error) { return regression.FitElasticNet(x, d.number, with(3, 0.5)) }},
		{"", "ridge path", func(x linalg.Rows) (any, error) {
			return regression.RidgePath(x, d.number, []float64{10, 1}, with(0, 0))
		}},
		{"", "lasso path", func(x linalg.Rows) (any, error) {
			return regression.LassoPath(x, d.number, []float64{10, 1}, with(0, 0))
		}},
		{"", "elastic net path", func(x linalg.Rows) (any, error) {
			return regression.ElasticNetPath(x, d.number, []float64{10, 1}, with(0, 0.5))
		}},
		{"", "descent", func(x linalg.Rows) (any, error) {
			m, err := regression.FitDescent(x, d.number, &regression.DescentOptions{MaxIter: 20, Workers: 1})
			return expected(m, err)
		}},
		{"", "BFGS", func(x linalg.Rows) (any, error) {
			return regression.FitDescent(x, d.number, &regression.DescentOptions{BFGS: true, Workers: 1})
		}},
		{"", "summary", func(x linalg.Rows) (any, error) {
			_, s, err := regression.Summarize(x, d.number, one)
			return s, err
		}},
		{"", "least squares", func(x linalg.Rows) (any, error) {
			return regression.FitLeastSquares(x, d.two, &regression.LeastSquaresOptions{Workers: 1})
		}},
	}
}

// expected takes away the error of a fit that is not to converge.
func expected(m any, err error) (any, error) {
	if errors.Is(err, optimize.ErrNotConverged) {
		return m, nil
	}
	return m, err
}

// numbersOf returns all numbers that a fit says of the rows of x.
func numbersOf(t *testing.T, fit any, x *linalg.Dense) (all []float64) {
	t.Helper()
	switch m := fit.(type) {
	case interface {
		Scores(dst, row []float64) []float64
	}:
		for i := range x.Rows {
			all = m.Scores(all, x.Row(i))
		}
	case interface{ Predict(row []float64) float64 }:
		for i := range x.Rows {
			all = append(all, m.Predict(x.Row(i)))
		}
	case *logistic.Path:
		for _, p := range m.Points {
			all = append(append(all, p.Penalty, p.DevRatio), numbersOf(t, p.Model, x)...)
		}
	case *logistic.CV:
		all = slices.Concat(m.CV.Mean, m.CV.SE, numbersOf(t, m.Path, x))
	case *inference.Inference:
		all = slices.Concat(m.Estimate, m.SE, m.P, m.Covariance.Data, []float64{m.Deviance, m.NullDeviance, m.AIC, m.Pearson})
	case *discriminant.RDACV:
		all = slices.Concat(m.CV.Mean, m.CV.SE)
	case *regression.Summary:
		all = slices.Concat(m.Covariance.Data, m.Residuals, []float64{m.RSS, m.TSS, m.R2, m.F, m.FP})
	case *regression.Path:
		for _, one := range m.Models() {
			all = append(all, numbersOf(t, one, x)...)
		}
	case *hyperplane.Path:
		for _, one := range m.Models() {
			all = append(all, numbersOf(t, one, x)...)
		}
	default:
		t.Fatalf("%T: what does it say?", fit)
	}
	return all
}

// Every fit of a storage that is not dense is the fit of the dense one; the table knows
// every method.
func TestEveryFitOfOtherStorage(t *testing.T) {
	d, known := newStoredData(400), map[string]bool{}
	for _, f := range d.storedFits() {
		known[f.method] = true
		t.Run(f.method+" "+f.name, func(t *testing.T) {
			want, err := f.run(d.x)
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.run(linalgtest.OddBlocks{X: d.x})
			if err != nil {
				t.Fatal(err)
			}
			linalgtest.CloseSlice(t, "numbers", numbersOf(t, got, d.x), numbersOf(t, want, d.x), 1e-6)
			if r, ok := got.(interface{ Report() optimize.Report }); ok {
				dense := want.(interface{ Report() optimize.Report }).Report()
				linalgtest.Close(t, "objective", r.Report().Objective(), dense.Objective(), 1e-8)
				if r.Report().Status() != dense.Status() {
					t.Errorf("%v, of dense rows %v", r.Report().Status(), dense.Status())
				}
			}
		})
	}
	for _, m := range method.All() {
		if !known[m.Name] {
			t.Errorf("%s is not in the table", m.Name)
		}
	}
}

// A block that cannot be read is an error of every fit, whenever it was to be read, and no
// model is beside it; beside that of a ridge path there may be the models before it.
func TestEveryFitOfUnreadableStorage(t *testing.T) {
	d := newStoredData(300) // three blocks
	for _, f := range d.storedFits() {
		t.Run(f.method+" "+f.name, func(t *testing.T) {
			linalgtest.EachFailure(t, d.x, 2, func(x linalg.Rows) error {
				fit, err := f.run(x)
				if v := reflect.ValueOf(fit); err != nil && v.Kind() == reflect.Pointer && !v.IsNil() && f.name != "ridge path" {
					t.Errorf("%v beside %v", fit, err)
				}
				if err != nil && !strings.Contains(err.Error(), ": ") {
					t.Errorf("%q does not say where it is from", err)
				}
				return err
			})
		})
	}
}
