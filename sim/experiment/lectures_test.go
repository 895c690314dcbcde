package experiment

import (
	"math"
	"slices"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim/population"
)

// Least squares has LDA's direction whatever the codes, (4.56) holds, and its half-way cut
// is LDA's for classes of one size; the criteria with and without the reward for separated
// centroids have their minima where the text says.
func TestCodingClaims(t *testing.T) {
	b, err := gaussianPair()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(linalgtest.Rounds(5, 100)) {
		rng := newRand(seed)
		counts := []int{10 + rng.IntN(50), 10 + rng.IntN(50)}
		if seed%2 == 0 {
			counts[1] = counts[0]
		}
		x, y := population.SampleClasses(b, counts, seed)
		lo := rng.NormFloat64()
		c, err := compareCoding(&trainingSet{x, y}, lo, lo+math.Exp(rng.NormFloat64()))
		if err != nil {
			t.Fatal(err)
		}
		equal := counts[0] == counts[1]
		if c.angle > 1e-5 || c.formula > 1e-10 || c.along > 1e-5 || c.rule > 0 || equal && c.differ > 0 || equal != (math.Abs(c.cut-c.ldaCut) < 1e-9*linalg.Norm(c.beta)) {
			t.Errorf("seed %d, %v rows: %+v", seed, counts, c)
		}
		_, s, err := threeClasses([][]float64{{-2, -1.5}, {2, -1.5}, {0, 2}}, seed)
		if err != nil {
			t.Fatal(err)
		}
		a, err := antipenalize(s)
		if err != nil {
			t.Fatal(err)
		}
		if worst := slices.Max(slices.Concat(a.within[:], a.total[:], a.lda[:])); worst > 1e-11 {
			t.Errorf("seed %d: %+v", seed, a)
		}
	}
}

// The ridge that the prior asks for has the least risk of those tried, and is the mode of
// the posterior.
func TestPriorClaims(t *testing.T) {
	for seed := range uint64(linalgtest.Rounds(2, 20)) {
		multiples := []float64{0, 0.2, 1, 5}
		risk, err := ridgeRisk(multiples, 200, seed)
		if err != nil {
			t.Fatal(err)
		}
		if best := slices.Index(risk, slices.Min(risk)); multiples[best] != 1 {
			t.Errorf("seed %d: risks %v", seed, risk)
		}
		if slope, err := posteriorSlope(seed); err != nil || slope > 1e-6 {
			t.Errorf("seed %d: slope %g at the mode, %v", seed, slope, err)
		}
	}
}

// Dot products give the same function, the support points alone have the same slab, and least
// squares errs on a quarter of the separable sets at least.
func TestMarginClaims(t *testing.T) {
	count(t, "least squares errs on five of twenty separable sets", func(seed uint64) (bool, error) {
		s := separable(20, 0.6, seed)
		m, err := hyperplane.FitHardMargin(s.x, s.y, nil)
		if err != nil {
			return false, err
		}
		if off, err := dotProductForm(m, s); err != nil || off > 1e-8 {
			t.Errorf("seed %d: dot products are off by %g, %v", seed, off, err)
		}
		wrong, _, _, err := leastSquaresErrs(seed)
		if err != nil {
			return false, err
		}
		var rows [][]float64
		var labels []int
		for _, i := range m.Machines()[0].Support {
			rows, labels = append(rows, s.x.Row(i)), append(labels, s.y[i])
		}
		x, err := linalg.FromRows(rows)
		if err != nil {
			return false, err
		}
		alone, err := hyperplane.FitHardMargin(x, labels, nil)
		if err != nil {
			return false, err
		}
		if a, b := alone.Margin(), m.Margin(); !(math.Abs(a-b) <= 1e-7*b) {
			t.Errorf("seed %d: margin %v of all rows, %v of the support points alone", seed, b, a)
		}
		return wrong >= 5, nil
	})
}

// With many rows the three tests of a feature that says nothing agree, to a twentieth.
func TestMultinomialClaims(t *testing.T) {
	count(t, "Wald, likelihood ratio and score within a twentieth of one another", func(seed uint64) (bool, error) {
		_, s, err := threeLogits(6000, seed)
		if err != nil {
			return false, err
		}
		_, tests, err := threeTests(s)
		return slices.Max(tests[:])-slices.Min(tests[:]) < 0.05*(1+slices.Max(tests[:])), err
	})
}

// Maximum likelihood is biased away from 0, less with more rows, and its intervals cover
// the truth about as often as they say.
func TestSamplingClaims(t *testing.T) {
	linalgtest.SkipSlow(t)
	for seed := range uint64(linalgtest.Rounds(1, 20)) {
		few, err := sampleLogit(40, 400, seed)
		if err != nil {
			t.Fatal(err)
		}
		many, err := sampleLogit(400, 400, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*samples{few, many} {
			// The interval is what the test does not reject; the shares of half of the draws
			// and of all differ with a standard error of 0.012.
			apart := float64(s.profile)/float64(s.profiled) - float64(s.lr)/float64(s.kept)
			if s.apart != 0 || s.profiled != min(profiles, s.kept) || math.Abs(apart) > 0.05 {
				t.Errorf("seed %d: of %d profile intervals %d cover, %d against the likelihood ratio", seed, s.profiled, s.profile, s.apart)
			}
		}
		if bias := few.mean[1] - logitTruth[1]; !(bias > 0.05 && math.Abs(many.mean[1]-logitTruth[1]) < bias) {
			t.Errorf("seed %d: means of β̂₁ %v and %v", seed, few.mean[1], many.mean[1])
		}
		for name, covers := range map[string]int{"Wald": many.wald, "score": many.score, "likelihood ratio": many.lr} {
			// The standard error from 400 draws is 0.011.
			if c := float64(covers) / float64(many.kept); !(math.Abs(c-0.95) <= 0.045) {
				t.Errorf("seed %d: %s covers %v", seed, name, c)
			}
		}
		for j := range 3 {
			if ratio := many.se2[j] / many.variance[j]; ratio < 0.7 || ratio > 1.4 {
				t.Errorf("seed %d: mean squared standard error %g, variance %g", seed, many.se2[j], many.variance[j])
			}
		}
	}
}

// The right formulas give what is measured, and the slips do not.
func TestSlips(t *testing.T) {
	for seed := range uint64(linalgtest.Rounds(5, 100)) {
		s, err := slipData(seed)
		if err != nil {
			t.Fatal(err)
		}
		list, err := allSlips(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range list {
			if !(math.Abs(one.value-one.truth) <= 1e-6*(1+math.Abs(one.truth))) || math.Abs(one.wrong-one.truth) < 0.05 {
				t.Errorf("seed %d: %+v", seed, one)
			}
		}
		if low, high, err := supports(s); err != nil || low <= high {
			t.Errorf("seed %d: %d and %d support vectors, %v", seed, low, high, err)
		}
	}
}
