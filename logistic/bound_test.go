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

// reference is the class whose function is 0 in a fit, −1 if none is.
func referenceOf(k int, o *logistic.Options) int {
	if o.Lambda > 0 || k == 2 {
		return -1
	}
	return k - 1
}

// randomFit draws a table and options: columns of other sizes, and some that nearly agree.
func randomFit(r *rand.Rand) (x *linalg.Dense, y []int, o *logistic.Options, name string) {
	n, p, k := 12+r.IntN(12), 1+r.IntN(3), 2+r.IntN(2)
	x, y = linalg.Zeros(n, p), make([]int, n)
	for i := range n {
		row := x.Row(i)
		for j := range row {
			row[j] = r.NormFloat64()
		}
		y[i] = i % k
		row[0] += 0.5 * float64(y[i])
	}
	o = &logistic.Options{Tol: 1e-14}
	name = "likelihood"
	if r.IntN(2) == 0 {
		o.Lambda, name = math.Exp(8*r.Float64()-6), "ridge"
		if o.Standardize = r.IntN(2) == 0; o.Standardize {
			name = "ridge, standardized"
		}
	}
	if p > 1 && r.IntN(3) == 0 {
		near := math.Exp(-25 * r.Float64())
		for i := range n {
			x.Set(i, 1, x.At(i, 0)+near*x.At(i, 1))
		}
		name += ", near-copies"
	}
	if r.IntN(3) == 0 {
		o.Weights = make([]float64, n)
		for i := range o.Weights {
			o.Weights[i] = float64(r.IntN(4))
		}
	}
	if k == 2 && r.IntN(4) == 0 {
		o.Offset = make([]float64, n)
		for i := range o.Offset {
			o.Offset[i] = r.NormFloat64()
		}
	}
	o.NoIntercept = r.IntN(5) == 0
	if r.IntN(3) == 0 {
		o.Tol = math.Pow(10, -4-10*r.Float64())
	}
	return x, y, o, fmt.Sprintf("%d classes, %s", k, name)
}

// least returns the objective of a model and its minimum in 320 bits.
func least(m *logistic.Model, x *linalg.Dense, y []int, o *logistic.Options) (at, minimum *big.Float, err error) {
	fit := linalgtest.Fit{X: x, W: o.Weights, Offset: o.Offset, Lambda: o.Lambda, L1Ratio: o.L1Ratio, Standardize: o.Standardize, NoIntercept: o.NoIntercept}
	return linalgtest.LogisticLeast(fit, y, affine(m), referenceOf(len(m.Classes()), o), nil)
}

// The minimum, found in 320 bits, lies within the certificate of the published
// coefficients, whether or not it holds.
func TestMinimumIsWithinTheCertificate(t *testing.T) {
	looseness, fits := map[string][]float64{}, 0
	for seed := range uint64(linalgtest.Rounds(60, 5000)) {
		x, y, o, name := randomFit(rand.New(rand.NewPCG(seed, 14)))
		m, err := logistic.Fit(x, y, o)
		if m == nil || len(m.Classes()) <= slices.Max(y) {
			continue // separated, dependent, or a class has no rows that count
		}
		at, minimum, e := least(m, x, y, o)
		c := m.Report().Certificate()
		if e != nil {
			if err == nil {
				t.Errorf("seed %d, %s: %v, though %v", seed, name, e, c)
			}
			continue
		}
		fits++
		excess, _ := new(big.Float).Sub(at, minimum).Float64()
		objective, _ := at.Float64()
		linalgtest.Close(t, "objective", m.Report().Objective()/objective, 1, 1e-12)
		if c.Kind != optimize.KindGap || !(excess <= c.Value*objective*(1+1e-9)) {
			t.Errorf("seed %d, %s: %g above the minimum %g, %v", seed, name, excess, objective, c)
		}
		if excess > 0 {
			looseness[name] = append(looseness[name], c.Value*objective/excess)
		}
	}
	if fits < linalgtest.Rounds(60, 5000)/2 {
		t.Errorf("only %d fits", fits)
	}
	linalgtest.LogLooseness(t, looseness)
}

// Maximum likelihood does not depend on the basis of the columns: the two objectives differ
// by no more than the two bounds, and the verdict is the same. Products of the tables are
// exact.
func TestAnotherBasisHasTheSameMinimum(t *testing.T) {
	verdicts := map[string]int{}
	for seed := range uint64(linalgtest.Rounds(150, 2000)) {
		r := rand.New(rand.NewPCG(seed, 15))
		n, p, k := 15+r.IntN(40), 2+r.IntN(3), 2+r.IntN(2)
		x, y := linalgtest.Dyadic(r, n, p), make([]int, n)
		for i := range y {
			y[i] = i % k
			x.Set(i, 0, x.At(i, 0)+float64(y[i])/2*float64(r.IntN(4)))
		}
		xa := linalgtest.Mixed(t, r, x)
		one, err := logistic.Fit(x, y, nil)
		two, other := logistic.Fit(xa, y, nil)
		switch {
		case answer(err) != answer(other):
			t.Errorf("seed %d: %v, in the other basis %v", seed, err, other)
		case one != nil && two != nil:
			f, g := one.Report(), two.Report()
			most := f.Certificate().Value*f.Objective() + g.Certificate().Value*g.Objective() + 0x1p-42*f.Objective() // sums of n terms
			if d := math.Abs(f.Objective() - g.Objective()); !(d <= most) {
				t.Errorf("seed %d: %v and %v, %g apart", seed, f, g, d)
			}
		}
		verdicts[answer(err)]++
	}
	t.Log(verdicts)
}

// answer says what an error is of. A fit that did not converge has none.
func answer(err error) string {
	var separation *logistic.SeparationError
	var rank *linalg.RankError
	switch {
	case errors.As(err, &separation) && separation.Complete:
		return "completely separated"
	case errors.As(err, &separation):
		return "separated"
	case errors.As(err, &rank):
		return "dependent"
	case err == nil:
		return "a maximum"
	}
	return err.Error()
}

// Classes that a difference of near-copies separates exactly are never said to have a
// maximum, however near the copies are.
func TestSeparatedNearCopiesNeverConverge(t *testing.T) {
	for _, bits := range []int{10, 23, 33, 36} { // 1e-3, 1e-7, 1e-10, 1e-11 apart
		verdicts := map[string]int{}
		for seed := range uint64(linalgtest.Rounds(40, 400)) {
			r := rand.New(rand.NewPCG(seed, uint64(bits)))
			n, p := 8+r.IntN(20), 2+r.IntN(2)
			x, y := linalgtest.Dyadic(r, n, p), make([]int, n)
			for i := range n {
				apart := float64(1 + r.IntN(8))
				if r.IntN(2) == 0 {
					apart, y[i] = -apart, 1
				}
				if i < 2 {
					apart, y[i] = float64(1-2*i), i
				}
				x.Set(i, 1, x.At(i, 0)+math.Ldexp(apart, -bits))
			}
			m, err := logistic.Fit(x, y, nil)
			if err == nil {
				t.Errorf("2⁻%d apart, seed %d: %v", bits, seed, m.Report())
			}
			if v := answer(err); len(v) < 30 {
				verdicts[v]++
			} else {
				verdicts["not converged"]++
			}
		}
		t.Logf("2⁻%d apart: %v", bits, verdicts)
	}
}

// A table of near-copies: the fit is at the minimum, 1.50165, or says how far above it.
func TestNearCopiesWithAMaximum(t *testing.T) {
	x, labels, _ := linalgtest.Table(t, "nearcopies.csv", "y")
	y, _ := linalgtest.Codes(labels)
	m, err := logistic.Fit(x, y, nil)
	if m == nil {
		t.Fatal(err)
	}
	at, minimum, e := least(m, x, y, &logistic.Options{})
	if e != nil {
		t.Fatal(e)
	}
	r, excess := m.Report(), new(big.Float).Sub(at, minimum)
	above, _ := excess.Float64()
	if c := r.Certificate(); c.Holds() != (err == nil) || !(c.Value <= 1e-10) || !(above <= c.Value*r.Objective()) {
		t.Errorf("%v, %g above the minimum: %v", r, above, err)
	}
	linalgtest.Close(t, "objective", r.Objective(), 1.5016492242183395, 1e-9)
}

// A ridge whose plan makes no Hessian has a tolerance that is within its reach.
func TestDefaultToleranceFollowsThePlan(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	for p, want := range map[int]float64{3: 1e-14, 40: 1e-12} {
		x, y := linalgtest.Dyadic(r, 60, p), make([]int, 60)
		for i := range y {
			y[i] = i % 2
		}
		m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1})
		if err != nil {
			t.Fatal(err)
		}
		if c := m.Report().Certificate(); c.Tol != want || !c.Holds() {
			t.Errorf("%d features: %v, want the tolerance %g", p, c, want)
		}
	}
}

// Two or three rows 1e7 or 1e8 far out, classes of one row each beside a common one and a ridge: rare
// classes have intercepts of next to no curvature there, and the bound has to say so. The first four
// are draws whose certificate is too small where it leaves out what that costs.
func TestBoundBesideRareClassesAndRowsFarOut(t *testing.T) {
	draws := []uint64{1046, 1539, 3229, 5228}
	for seed := range uint64(linalgtest.Rounds(20, 5000)) {
		draws = append(draws, seed)
	}
	values, converged := []float64{-3, 5, .1, 1, 0, -3, -3}, 0
	for _, seed := range draws {
		r := rand.New(rand.NewPCG(seed, 7))
		n, p, k := 6+r.IntN(4), 3+r.IntN(4), 3+r.IntN(3)
		far, column := math.Pow(10, float64(7+r.IntN(2)))+1, r.IntN(p)
		x, y := linalg.Zeros(n, p), make([]int, n)
		for i := range n {
			for j, row := 0, x.Row(i); j < p; j++ {
				if row[j] = values[r.IntN(len(values))]; j == column && r.IntN(4) == 0 {
					row[j] = far
				}
			}
		}
		for i := range y {
			if y[i] = r.IntN(k); i < k {
				y[i] = i
			} else {
				y[i] = 0
			}
		}
		o := &logistic.Options{Lambda: math.Pow(10, float64(-1+r.IntN(2))), Workers: 1}
		m, err := logistic.Fit(x, y, o)
		if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err == nil {
			converged++
		}
		c := m.Report().Certificate().Value
		if excess := linalgtest.LogisticExcess(linalgtest.Fit{X: x, Lambda: o.Lambda}, y, affine(m), -1, c); !(excess <= c) {
			t.Errorf("seed %d: %g above the minimum, the certificate says %g", seed, excess, c)
		}
	}
	if converged < len(draws)/2 {
		t.Errorf("%d of %d fits converged", converged, len(draws))
	}
}
