package logistic_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/optimize"
)

// randomLasso makes a lasso or an elastic net of the fit that randomFit draws.
func randomLasso(r *rand.Rand, o *logistic.Options, p int) string {
	o.Lambda, o.L1Ratio = math.Exp(7*r.Float64()-5), 1
	name := "lasso"
	if r.IntN(2) == 0 {
		o.L1Ratio, name = 0.01+0.98*r.Float64(), "elastic net"
	}
	if o.Standardize = r.IntN(2) == 0; o.Standardize {
		name += ", standardized"
	}
	if r.IntN(3) == 0 {
		name += ", factors"
		for range p {
			o.PenaltyFactor = append(o.PenaltyFactor, 0.5+r.Float64())
		}
	}
	o.Tol = 0
	if r.IntN(2) == 0 {
		o.Tol = math.Pow(10, -3-8*r.Float64())
	}
	return name
}

// The minimum of a fit with a lasso part, found in 320 bits, lies within the certificate of
// the published coefficients, however early the fit was stopped.
func TestMinimumOfALassoIsWithinTheCertificate(t *testing.T) {
	looseness, fits, held := map[string][]float64{}, 0, 0
	for seed := range uint64(linalgtest.Rounds(80, 5000)) {
		r := rand.New(rand.NewPCG(seed, 15))
		x, y, o, _ := randomFit(r)
		name := randomLasso(r, o, x.Cols)
		if r.IntN(2) == 0 {
			o.MaxIter = 1 + r.IntN(4)
		}
		m, err := logistic.Fit(x, y, o)
		if m == nil || len(m.Classes()) <= slices.Max(y) {
			continue
		}
		f := linalgtest.Fit{X: x, W: o.Weights, Offset: o.Offset, Lambda: o.Lambda, L1Ratio: o.L1Ratio, Standardize: o.Standardize, NoIntercept: o.NoIntercept}
		at, minimum, e := linalgtest.LogisticLeast(f, y, affine(m), -1, o.PenaltyFactor)
		c := m.Report().Certificate()
		if e != nil {
			t.Logf("seed %d, %s: %v", seed, name, e)
			continue
		}
		fits++
		if err == nil {
			held++
		} else if o.MaxIter == 0 {
			t.Errorf("seed %d, %s: %v", seed, name, err)
		}
		excess, _ := new(big.Float).Sub(at, minimum).Float64()
		objective, _ := at.Float64()
		linalgtest.Close(t, "objective", m.Report().Objective()/objective, 1, 1e-12)
		if c.Kind != optimize.KindGap || c.Holds() != (err == nil) || !(excess <= c.Value*objective*(1+1e-9)) {
			t.Errorf("seed %d, %s: %g above the minimum %g, %v", seed, name, excess, objective, c)
		}
		if excess > 0 {
			name = fmt.Sprintf("%d classes, %s", len(m.Classes()), name)
			looseness[name] = append(looseness[name], c.Value*objective/excess)
		}
	}
	if n := linalgtest.Rounds(80, 5000); fits < n/2 || held < fits/2 {
		t.Errorf("of %d fits %d have a minimum that is known, %d converged", n, fits, held)
	}
	t.Logf("%d fits, %d converged", fits, held)
	linalgtest.LogLooseness(t, looseness)
}

// So does the minimum of every fit of a path, whose certificates cost no pass.
func TestMinimumOfAPathIsWithinTheCertificates(t *testing.T) {
	looseness, fits, n := map[string][]float64{}, 0, linalgtest.Rounds(40, 5000)
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 16))
		x, y, o, _ := randomFit(r)
		name := randomLasso(r, o, x.Cols)
		if o.Lambda = 0; r.IntN(4) == 0 {
			o.L1Ratio, name = 0, "ridge"
		}
		if o.PenaltyFactor != nil && r.IntN(2) == 0 {
			o.PenaltyFactor[0] = 0
		}
		path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: *o, Count: 5, MinRatio: math.Pow(10, -4*r.Float64())})
		if path == nil || len(path.Points) == 0 {
			continue // separated by a feature without a penalty, or a class has no rows that count
		}
		k := r.IntN(len(path.Points))
		m, c := path.Points[k].Model, path.Points[k].Report.Certificate()
		if len(m.Classes()) <= slices.Max(y) {
			continue
		}
		f := linalgtest.Fit{X: x, W: o.Weights, Offset: o.Offset, Lambda: path.Points[k].Penalty, L1Ratio: o.L1Ratio, Standardize: o.Standardize, NoIntercept: o.NoIntercept}
		at, minimum, e := linalgtest.LogisticLeast(f, y, affine(m), -1, o.PenaltyFactor)
		if e != nil {
			continue // of three classes a feature without a penalty leaves a constant open
		}
		fits++
		excess, _ := new(big.Float).Sub(at, minimum).Float64()
		objective, _ := at.Float64()
		linalgtest.Close(t, "objective", path.Points[k].Objective/objective, 1, max(1e-12, rounded(m, x)/objective))
		if c.Kind != optimize.KindGap || !c.Holds() || !(excess <= c.Value*objective*(1+1e-9)) {
			t.Errorf("seed %d, %s: %g above the minimum %g, %v, %v", seed, name, excess, objective, c, err)
		}
		if excess > 0 {
			name = fmt.Sprintf("path of %d classes, %s", len(m.Classes()), name)
			looseness[name] = append(looseness[name], c.Value*objective/excess)
		}
	}
	if fits < n/2 {
		t.Errorf("of %d paths %d have a minimum that is known", n, fits)
	}
	linalgtest.LogLooseness(t, looseness)
}

// rounded returns how far rounding of the coefficients moves the objective of rows of weight
// 1, whose losses change by at most 1 with each score: Σᵢⱼₖ |βⱼₖ xᵢⱼ|·2⁻⁵³.
func rounded(m *logistic.Model, x *linalg.Dense) (sum float64) {
	coef, _ := m.Coef()
	for k := range coef.Rows {
		for i := range x.Rows {
			for j, v := range x.Row(i) {
				sum += math.Abs(coef.At(k, j)*v) * 0x1p-53
			}
		}
	}
	return sum
}

// Adding the same to the coefficients that all classes have of a feature without a penalty changes
// nothing. Fits do not drift along that, and publish those that sum to 0.
func TestFeaturesWithoutAPenaltyOfSeveralClasses(t *testing.T) {
	fits := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 16))
		n, p := 12+r.IntN(20), 4+r.IntN(20)
		x, y := linalg.Zeros(n, p), make([]int, n)
		o := &logistic.Options{Lambda: math.Exp(4*r.Float64() - 3), L1Ratio: 1, NoIntercept: r.IntN(2) == 0, PenaltyFactor: make([]float64, p)}
		for i := range x.Data {
			x.Data[i] = r.NormFloat64() * float64(r.IntN(2))
		}
		for i := range y {
			y[i] = r.IntN(3)
		}
		for j := range o.PenaltyFactor {
			o.PenaltyFactor[j] = []float64{0, 0.001, 1, 2}[r.IntN(4)]
		}
		sparse, err := logistic.Fit(linalgtest.Sparse(x), y, o)
		if errors.As(err, new(*logistic.SeparationError)) || errors.As(err, new(*linalg.RankError)) || errors.As(err, new(*linalg.ClassError)) {
			continue
		}
		dense, other := logistic.Fit(x, y, o)
		if err != nil || other != nil {
			t.Errorf("seed %d: %v, %v", seed, err, other)
			continue
		}
		fits++
		for _, m := range []*logistic.Model{sparse, dense} {
			coef, _ := m.Coef()
			for j, f := range o.PenaltyFactor {
				if sum := coef.At(0, j) + coef.At(1, j) + coef.At(2, j); f == 0 && math.Abs(sum) > 1e-12*linalg.NormInf(coef.Data) {
					t.Errorf("seed %d: coefficients of feature %d sum to %g", seed, j, sum)
				}
			}
		}
		if a, b := sparse.Report().Objective(), dense.Report().Objective(); math.Abs(a-b) > 2e-8*b {
			t.Errorf("seed %d: objectives %.10g of sparse rows and %.10g of dense ones", seed, a, b)
		}
	}
	if fits < 20 {
		t.Errorf("%d fits", fits)
	}
}

// Where a class is rare its intercept is known less well than others, and turns all derivatives by what rounding leaves of
// its own: by more than a small lasso holds of them. The minimum is proven all the same.
func TestLassoOfRareClassesConverges(t *testing.T) {
	const n, p, classes = 3000, 5, 10
	for seed := range uint64(linalgtest.Rounds(3, 30)) {
		x, y, r := linalgtest.Normal(seed, n, p), make([]int, n), rand.New(rand.NewPCG(seed, 5))
		for i := range y {
			best := math.Inf(-1)
			for k := range classes { // class k has about 1/k² of the rows
				score := 0.7*float64(k%3)*x.At(i, k%p) - 2*math.Log(float64(k+1)) - math.Log(-math.Log(r.Float64()))
				if score > best {
					best, y[i] = score, k
				}
			}
		}
		for _, o := range []*logistic.Options{{Lambda: 1e-3, L1Ratio: 1}, {Lambda: 3e-4, L1Ratio: 0.9}, {Lambda: 1e-3, L1Ratio: 1, Standardize: true},
			{Lambda: 1e-3, L1Ratio: 1, Grouped: true}} {
			if m, err := logistic.Fit(x, y, o); err != nil {
				t.Errorf("seed %d, λ %g: %v, %v", seed, o.Lambda, m.Report(), err)
			}
		}
	}
}
