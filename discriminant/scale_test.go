package discriminant_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// Within the classes on a scale of 1e-7, between them on one of 1; far from 0;
// on scales from 1e-12 to 1e12; at the ends of the range of squares: the answer is
// that of the same data on an even scale.
func TestScalesAndShifts(t *testing.T) {
	x, y := gaussians(12, 300, 3, 3, 0)
	base := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	quad := must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, nil))
	for name, c := range map[string]struct {
		scale [3]float64
		shift float64
		tol   float64
	}{
		"scales":      {[3]float64{1e-12, 1, 1e12}, 0, 1e-11},
		"1e-130":      {[3]float64{1e-130, 1e-130, 1e-130}, 0, 1e-11},
		"1e130":       {[3]float64{1e130, 1e130, 1e130}, 0, 1e-11},
		"2²⁷ + x":     {[3]float64{1, 1, 1}, 1 << 27, 1e-6},
		"1e8 + 1e4·x": {[3]float64{1e4, 1e4, 1e4}, 1e8, 1e-10},
	} {
		z := x.Clone()
		for i := range z.Rows {
			for j := range 3 {
				z.Set(i, j, z.At(i, j)*c.scale[j]+c.shift)
			}
		}
		l, err := discriminant.FitLDA(z, y, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		q := must[*discriminant.QDA](t)(discriminant.FitQDA(z, y, nil))
		for i := range x.Rows {
			linalgtest.CloseSlice(t, name, l.LogProba(nil, z.Row(i)), base.LogProba(nil, x.Row(i)), c.tol)
			linalgtest.CloseSlice(t, name, q.LogProba(nil, z.Row(i)), quad.LogProba(nil, x.Row(i)), 10*c.tol)
		}
	}
}

func TestNarrowClasses(t *testing.T) {
	// Multiples of 2⁻⁴⁰ about integers: moving a class is exact, so the covariance
	// must not change by a bit beyond rounding.
	x, y := gaussians(13, 300, 3, 3, 0)
	near, far := x.Clone(), x.Clone()
	for i := range x.Rows {
		for j := range 3 {
			v := math.Round(x.At(i, j)*(1<<17)) / (1 << 40)
			near.Set(i, j, v)
			far.Set(i, j, v+float64(y[i]*(j+1)))
		}
	}
	a := must[*discriminant.LDA](t)(discriminant.FitLDA(near, y, nil)).Cov()
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(far, y, nil))
	b := l.Cov()
	for i, v := range a.Data {
		if !(math.Abs(v-b.Data[i]) <= 1e-13*math.Abs(a.At(i/3, i/3))) {
			t.Errorf("covariance %v, %v apart", v, b.Data[i])
		}
	}
	if wrong := errorsOf(t, l, far, y); wrong != 0 || !l.Report().Certificate().Holds() {
		t.Errorf("%d errors, report %+v", wrong, l.Report())
	}
}

// An invertible affine map of the features, another order of the rows and other
// names of the classes change no probability.
func TestInvariance(t *testing.T) {
	x, y := gaussians(26, 200, 3, 3, 0.6)
	r := rand.New(rand.NewPCG(9, 9))
	a := linalgtest.Normal(27, 3, 3)
	mapped, order := linalg.Zeros(200, 3), r.Perm(200)
	shuffled, sy, flipped := linalg.Zeros(200, 3), make([]int, 200), make([]int, 200)
	for i := range x.Rows {
		linalg.MulVec(mapped.Row(i), a, x.Row(i), 1)
		linalg.Axpy(mapped.Row(i), 1, []float64{10, -20, 30})
		copy(shuffled.Row(i), x.Row(order[i]))
		sy[i], flipped[i] = y[order[i]], -7*y[i]
	}
	for method, fit := range fits {
		o := &discriminant.Options{Alpha: 0.4, Softmax: true}
		m := must[any](t)(fit(x, y, o)).(scorer)
		affine := must[any](t)(fit(mapped, y, o)).(scorer)
		renamed := must[any](t)(fit(x, flipped, o)).(scorer)
		closeModels(t, method+" on shuffled rows", must[any](t)(fit(shuffled, sy, o)), m, x, 1e-12)
		for i := range x.Rows {
			p := m.Proba(nil, x.Row(i))
			linalgtest.CloseSlice(t, method+" after an affine map", affine.Proba(nil, mapped.Row(i)), p, 1e-11)
			slices.Reverse(p)
			linalgtest.CloseSlice(t, method+" with other labels", renamed.Proba(nil, x.Row(i)), p, 1e-12)
		}
	}
}

// In another basis of the columns, exact and of a condition of up to 1e8, the verdict is the same, and
// probabilities but for 1e-6.
func TestAnotherBasisHasTheSameProbabilities(t *testing.T) {
	for seed := range uint64(linalgtest.Rounds(150, 2000)) {
		r := rand.New(rand.NewPCG(seed, 15))
		n, p, k := 25+r.IntN(40), 2+r.IntN(3), 2+r.IntN(2)
		x, y := linalgtest.Dyadic(r, n, p), make([]int, n)
		for i := range y {
			y[i] = i % k
			x.Set(i, 0, x.At(i, 0)+float64(y[i])/2*float64(r.IntN(4)))
		}
		xa := linalgtest.Mixed(t, r, x)
		for _, method := range []string{"lda", "qda"} {
			one, err := fits[method](x, y, nil)
			two, other := fits[method](xa, y, nil)
			if err != nil || other != nil {
				t.Errorf("seed %d: %s: %v, in the other basis %v", seed, method, err, other)
				continue
			}
			for i := range n {
				linalgtest.CloseSlice(t, method, two.(scorer).Proba(nil, xa.Row(i)), one.(scorer).Proba(nil, x.Row(i)), 1e-6)
			}
		}
	}
}

// Scores of ±1e4, and of ±1e300.
func TestHugeScores(t *testing.T) {
	x, y := gaussians(16, 90, 2, 3, 0)
	for i := range x.Rows {
		x.Set(i, 0, x.At(i, 0)+150*float64(y[i]))
	}
	for method, fit := range fits {
		m, err := fit(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, ok := m.(interface {
			Scores(dst, row []float64) []float64
			Proba(dst, row []float64) []float64
		})
		if !ok {
			t.Fatalf("%s has no probabilities", method)
		}
		logs, hasLogs := m.(interface {
			LogProba(dst, row []float64) []float64
		})
		for _, row := range [][]float64{x.Row(0), x.Row(1), x.Row(2), {-1e4, 3}, {1e150, -1e150}, {-1e300, 1}, {1e303, 1e303}} {
			p, total := c.Proba(nil, row), 0.0
			for _, v := range p {
				if !(v >= 0 && v <= 1) {
					t.Errorf("%s: probabilities %v of %v", method, p, row)
				}
				total += v
			}
			linalgtest.Close(t, method+": sum of probabilities", total, 1, 1e-14)
			if s := c.Scores(nil, row); method != "indicator" && slices.Max(s)-slices.Min(s) < 1e4 && row[0] == x.At(0, 0) {
				t.Errorf("%s: scores %v are no test", method, s)
			}
			if !hasLogs {
				continue
			}
			for k, v := range logs.LogProba(nil, row) {
				if !(v <= 0) || math.IsInf(v, 0) && math.Abs(row[0]) < 1e100 {
					t.Errorf("%s: log-probability %d of %v is %v", method, k, row, v)
				}
			}
		}
	}
}
