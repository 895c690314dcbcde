package method_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/logistic"
)

// gridShapes are tables of many forms: an estimator that is fast on one of them can be
// slow on another.
var gridShapes = []struct {
	name    string
	n, p, k int
	cell    func(r *rand.Rand, column float64) float64 // column is uniform in [0, 1), one for each
}{
	{"tall", 200_000, 20, 2, normalCell},
	{"million", 1_000_000, 8, 2, normalCell},
	{"square", 2_000, 2_000, 2, normalCell},
	{"wide", 200, 5_000, 2, func(r *rand.Rand, _ float64) float64 {
		if r.Float64() < 0.01 {
			return r.Float64()
		}
		return 0
	}},
	{"widegauss", 300, 20_000, 2, normalCell},
	{"widescaled", 1_000, 3_000, 2, scaledCell},
	{"scaled", 20_000, 50, 2, scaledCell},
	{"shifted", 20_000, 50, 2, func(r *rand.Rand, c float64) float64 { return r.NormFloat64() + math.Pow(10, 5*c) }},
	{"correlated", 20_000, 100, 2, normalCell}, // and then mixed
	{"correlatedmany", 3_000, 1_000, 2, normalCell},
	{"counts", 10_000, 300, 2, func(r *rand.Rand, c float64) float64 { return math.Floor(-2 * (c + 0.2) * math.Log(1-r.Float64())) }},
	{"binary", 20_000, 200, 2, func(r *rand.Rand, c float64) float64 { return max(0, math.Copysign(1, c/2+0.02-r.Float64())) }},
	{"medium", 5_000, 500, 2, normalCell},
	{"small", 200, 10, 2, normalCell},
	{"classes10", 20_000, 50, 10, normalCell},
	{"classes50", 10_000, 30, 50, normalCell},
	{"classeswide", 500, 2_000, 5, normalCell},
	{"classesscaled", 5_000, 40, 5, scaledCell},
	{"classessquare", 1_000, 1_000, 10, normalCell},
	{"rare", 20_000, 40, 2, normalCell},
	{"rareclasses", 20_000, 40, 20, normalCell},
}

// rarity is how much lower than those of the first class the scores of class c are in a shape, in units of log(c+1):
// so that 3 of 100 rows are of the second of two classes, and 1 of 250 of the rarest of twenty.
var rarity = map[string]float64{"rare": 8, "rareclasses": 2}

func normalCell(r *rand.Rand, _ float64) float64 { return r.NormFloat64() }

func scaledCell(r *rand.Rand, c float64) float64 { return r.NormFloat64() * math.Pow(10, 8*c-4) }

// gridTable draws a shape: rows, the classes by the largest of noisy linear scores of
// some columns, and the first score as a response of standard deviation 1.
func gridTable(at int) (x *linalg.Dense, class []int, y []float64) {
	s := gridShapes[at]
	r := rand.New(rand.NewPCG(1, uint64(at)))
	x, class, y = linalg.Zeros(s.n, s.p), make([]int, s.n), make([]float64, s.n)
	column := make([]float64, s.p)
	for j := range column {
		column[j] = r.Float64()
	}
	mix := linalg.Zeros(5, s.p)
	for i := range mix.Data {
		mix.Data[i] = r.NormFloat64()
	}
	for i := range s.n {
		for j := range x.Row(i) {
			x.Row(i)[j] = s.cell(r, column[j])
		}
		if strings.HasPrefix(s.name, "correlated") {
			linalg.Scale(x.Row(i), 0.1)
			for f := range 5 {
				linalg.Axpy(x.Row(i), r.NormFloat64(), mix.Row(f))
			}
		}
	}
	slope := linalg.Zeros(s.k, s.p)
	for j := range s.p {
		sd := spreadOf(x.Col(nil, j))
		for c := range s.k {
			if sd > 0 && r.Float64() < max(0.05, 20/float64(s.p)) {
				slope.Set(c, j, r.NormFloat64()/sd)
			}
		}
	}
	scores := linalg.Zeros(s.n, s.k)
	linalg.MulBT(scores, x, slope, 0)
	for c := range s.k {
		mean := linalg.Sum(scores.Col(nil, c)) / float64(s.n)
		for i := range s.n {
			scores.Row(i)[c] -= mean
		}
	}
	first := scores.Col(nil, 0)
	unit := spreadOf(first)
	for i := range class {
		linalg.Scale(scores.Row(i), 2/unit)
		for c := range s.k {
			scores.Row(i)[c] -= math.Log(-math.Log(1-r.Float64())) + rarity[s.name]*math.Log(float64(c+1))
		}
		class[i], y[i] = linalg.ArgMax(scores.Row(i)), first[i]/unit+r.NormFloat64()/2
	}
	return x, class, y
}

func spreadOf(v []float64) float64 {
	mean, square := linalg.Sum(v)/float64(len(v)), 0.0
	for _, x := range v {
		square += (x - mean) * (x - mean)
	}
	return math.Sqrt(square / float64(len(v)))
}

// gridFits are the estimators, each with the shapes that it is for.
var gridFits = []struct {
	name string
	fits func(n, p, k int) bool
	fit  func(x *linalg.Dense, class []int, y []float64) error
}{
	{"ridge-logistic-0.01", always, ridgeLogistic(0.01)},
	{"ridge-logistic-1", always, ridgeLogistic(1)},
	{"ridge-logistic-100", always, ridgeLogistic(100)},
	{"lasso-0.01", func(n, p, k int) bool { return moderate(n, p, k) && n > 20*p }, lasso(0.01)},
	{"lasso-path", moderate, logisticPath(1)},
	{"enet-path", moderate, logisticPath(0.5)},
	{"lda", func(n, p, _ int) bool { return n > 5*p }, func(x *linalg.Dense, class []int, _ []float64) error {
		_, err := discriminant.FitLDA(x, class, nil)
		return err
	}},
	{"svc-0.01", twoClasses, softMargin(hyperplane.SVCOptions{C: 0.01})},
	{"svc-1", twoClasses, softMargin(hyperplane.SVCOptions{C: 1})},
	{"svc-100", twoClasses, softMargin(hyperplane.SVCOptions{C: 100})},
	{"svc-squared-1", always, softMargin(hyperplane.SVCOptions{C: 1, Loss: hyperplane.SquaredHinge, Multi: hyperplane.OneVsRest})},
	{"svc-squared-100", always, softMargin(hyperplane.SVCOptions{C: 100, Loss: hyperplane.SquaredHinge, Multi: hyperplane.OneVsRest})},
	{"svc-rest", func(_, _, k int) bool { return k > 2 }, softMargin(hyperplane.SVCOptions{C: 0.01, Multi: hyperplane.OneVsRest})},
	{"svr", twoClasses, func(x *linalg.Dense, _ []int, y []float64) error {
		_, err := hyperplane.FitSVR(x, y, &hyperplane.SVROptions{Epsilon: 0.1})
		return err
	}},
	{"ridge", func(_, _, k int) bool { return k == 2 }, func(x *linalg.Dense, _ []int, y []float64) error {
		_, err := regression.FitRidge(x, y, &regression.Options{Lambda: 1})
		return err
	}},
	{"lasso-reg-path", twoClasses, func(x *linalg.Dense, _ []int, y []float64) error {
		_, err := regression.LassoPath(x, y, nil, &regression.Options{Standardize: true})
		return err
	}},
}

func always(_, _, _ int) bool { return true }

func moderate(n, p, _ int) bool { return n <= 20_000 && n*p <= 6_000_000 }

func twoClasses(n, p, k int) bool { return k == 2 && moderate(n, p, k) }

func ridgeLogistic(lambda float64) func(*linalg.Dense, []int, []float64) error {
	return penalizedFit(logistic.Options{Lambda: lambda})
}

func lasso(lambda float64) func(*linalg.Dense, []int, []float64) error {
	return penalizedFit(logistic.Options{Lambda: lambda, L1Ratio: 1})
}

func penalizedFit(o logistic.Options) func(*linalg.Dense, []int, []float64) error {
	return func(x *linalg.Dense, class []int, _ []float64) error {
		_, err := logistic.Fit(x, class, &o)
		return err
	}
}

func logisticPath(ratio float64) func(*linalg.Dense, []int, []float64) error {
	return func(x *linalg.Dense, class []int, _ []float64) error {
		_, err := logistic.FitPath(x, class, &logistic.PathOptions{Options: logistic.Options{L1Ratio: ratio, Standardize: true}})
		return err
	}
}

func softMargin(o hyperplane.SVCOptions) func(*linalg.Dense, []int, []float64) error {
	return func(x *linalg.Dense, class []int, _ []float64) error {
		_, err := hyperplane.FitSVC(x, class, &o)
		return err
	}
}

// BenchmarkGrid fits every shape by every estimator that is for it: a cliff, a shape on
// which one is slow beside others of as many numbers, shows without another tool. A fit
// that does not converge, or gives another error, fails its cell.
func BenchmarkGrid(b *testing.B) {
	for at, s := range gridShapes {
		b.Run(s.name, func(b *testing.B) {
			x, class, y := gridTable(at)
			for _, f := range gridFits {
				if !f.fits(s.n, s.p, s.k) {
					continue
				}
				b.Run(f.name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if err := f.fit(x, class, y); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}
