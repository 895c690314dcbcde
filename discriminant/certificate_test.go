package discriminant

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/moments"
	"halfspace/optimize"
)

// unequal draws a few rows of two classes, with weights of the given sizes.
func unequal(seed uint64, sizes []float64) (r *rand.Rand, x *linalg.Dense, y []int, w []float64) {
	r = rand.New(rand.NewPCG(seed, 3))
	n, p := 6+r.IntN(6), 1+r.IntN(3)
	x, y, w = linalg.Zeros(n, p), make([]int, n), make([]float64, n)
	for i := range x.Data {
		x.Data[i] = []float64{0, 1, -1, 2, -3, 5, 0.1, 1e-7, r.NormFloat64(), 1e8}[r.IntN(10)]
	}
	for i := range y {
		y[i], w[i] = r.IntN(2), sizes[r.IntN(len(sizes))]
	}
	return r, x, y, w
}

// Weights from 0 to 1e30 leave closed forms with fewer digits than their tolerance
// asks for: a fit without error has a certificate that holds.
func TestNoErrorMeansThatTheCertificateHolds(t *testing.T) {
	sizes := []float64{0, 0.5, 1, 2, 1e-30, 1e30, 1e15, 1e6}
	failed := make(map[string]int)
	for seed := range uint64(3000) {
		_, x, y, w := unequal(seed, sizes)
		o, half := &Options{Weights: w}, &Options{Weights: w, Alpha: 0.5}
		type reported interface{ Report() optimize.Report }
		for name, fit := range map[string]func() (reported, bool, error){
			"indicator":    func() (reported, bool, error) { m, err := FitIndicator(x, y, o); return m, m != nil, err },
			"LDA":          func() (reported, bool, error) { m, err := FitLDA(x, y, o); return m, m != nil, err },
			"QDA":          func() (reported, bool, error) { m, err := FitQDA(x, y, o); return m, m != nil, err },
			"RDA":          func() (reported, bool, error) { m, err := FitRDA(x, y, half); return m, m != nil, err },
			"reduced rank": func() (reported, bool, error) { m, err := FitReducedRank(x, y, o); return m, m != nil, err },
		} {
			m, ok, err := fit()
			if !ok {
				if err == nil {
					t.Fatalf("%s, seed %d: neither model nor error", name, seed)
				}
				continue
			}
			c := m.Report().Certificate()
			if holds := c.Value <= c.Tol; holds != (err == nil) || !holds && !errors.Is(err, optimize.ErrNotConverged) {
				t.Errorf("%s, seed %d: certificate %.3g, tolerance %.3g, error %v", name, seed, c.Value, c.Tol, err)
			} else if !holds {
				failed[name]++
			}
		}
	}
	// Zeros in place of residuals would hold everywhere. RDA has QDA's; the
	// indicator regression has a test of its own.
	for _, name := range []string{"LDA", "QDA", "reduced rank"} {
		if failed[name] == 0 {
			t.Errorf("%s: no certificate was above its tolerance", name)
		}
	}
}

// The certificate of an indicator regression sees coefficients that are off.
func TestIndicatorCertificateSeesErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	x, y := linalg.Zeros(60, 3), make([]int, 60)
	for i := range y {
		y[i] = i % 3
		for j := range 3 {
			x.Set(i, j, r.NormFloat64()+float64(y[i]*j))
		}
	}
	m, err := momentsOf(x, y, new(Options), true)
	if err != nil {
		t.Fatal(err)
	}
	pr, err := newProblem(m, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := indicator(pr)
	if err != nil {
		t.Fatal(err)
	}
	equations, err := pr.regression()
	if err != nil {
		t.Fatal(err)
	}
	if !f.report.Certificate().Holds() || f.report.Status() != optimize.Direct {
		t.Errorf("report %+v", f.report)
	}
	f.coef.Set(1, 2, f.coef.At(1, 2)*(1+1e-9))
	if f.report = f.certify(pr, equations); f.report.Certificate().Holds() || f.report.Status() != optimize.LineSearch {
		t.Errorf("report %+v of a wrong coefficient", f.report)
	}
	f.coef.Set(1, 2, 2*f.coef.At(1, 2))
	f.report = f.certify(pr, equations)
	want := 0.0 // of Σᵢ xx·b = n·d, relative to the terms by Cauchy and Schwarz
	for j := range 3 {
		left, terms := equations.xy.At(1, j), math.Abs(equations.xy.At(1, j))
		for i, b := range f.coef.Row(1) {
			left -= equations.xx.At(j, i) * b
			terms += math.Sqrt(equations.xx.At(j, j)*equations.xx.At(i, i)) * math.Abs(b)
		}
		want = max(want, math.Abs(left)/terms)
	}
	linalgtest.Close(t, "certificate", f.report.Certificate().Value, want, 1e-12*want)
}

// Weights from 0.5 to 1e30 in one sample: the classes' means and covariances are
// those recomputed in 320 bits, also where one class outweighs the other so far that
// all its rows lie within a rounding of the other's distance.
func TestDensitiesUnderUnequalWeights(t *testing.T) {
	sizes, shares := []float64{0, 0.5, 1, 2, 1e30, 1e15, 1e6}, []float64{0, 0.3, 0.5, 1}
	held, failed := make(map[string]int), make(map[string]int)
	for seed := range uint64(1500) {
		r, x, y, w := unequal(seed, sizes)
		p := x.Cols
		o := &Options{Weights: w, Alpha: shares[r.IntN(4)], Shrinkage: shares[r.IntN(2)]}
		summed := *o // moments hold the weights
		summed.Weights = nil
		merged, _ := moments.New(p, false)
		for i := range x.Rows {
			if err := merged.Add(x.Row(i), y[i], w[i]); err != nil {
				t.Fatal(err)
			}
		}
		for name, fit := range map[string]func() (*QDA, error){
			"fitted": func() (*QDA, error) { return FitRDA(x, y, o) }, "from moments": func() (*QDA, error) { return RDAFromMoments(merged, &summed) },
		} {
			q, err := fit()
			switch {
			case errors.Is(err, optimize.ErrNotConverged):
				failed[name]++
				continue
			case err != nil:
				continue
			}
			held[name]++
			g := linalgtest.Classes(x, y, w, 2, false)
			for k := range 2 {
				d := q.Density(k)
				origin, dev := d.MeanAbout()
				if v := g.Density(k, o.Alpha, o.Shrinkage, d.Factor(), origin, dev); !(v <= 1e-7) {
					t.Errorf("%s, seed %d, class %d: mean and covariance are off by %.3g, certificate %.3g", name, seed, k, v, q.Report().Certificate().Value)
				}
			}
		}
	}
	if held["fitted"] < 800 || held["from moments"] < 600 || failed["from moments"] == 0 {
		t.Errorf("held %v, failed %v", held, failed)
	}
}
