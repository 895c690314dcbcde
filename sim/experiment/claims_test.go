package experiment

import (
	"math"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/method"
	"halfspace/sim/population"
	"halfspace/sim/validate"
)

// The sentences of the experiments claim that something happens nearly always.
// In the long test each claim is counted over 100 seeds, and must hold in 95; fewer are
// drawn otherwise. If it held with probability 0.99 per
// seed, fewer than 95 of 100 would be seen with probability 0.0005; a claim that
// held in nine of ten seeds would be found out with probability 0.94.
func count(t *testing.T, what string, holds func(seed uint64) (bool, error)) {
	t.Helper()
	seeds, n := linalgtest.Rounds(2, 100), 0
	for seed := range uint64(seeds) {
		ok, err := holds(seed + 1)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			n++
		}
	}
	if n < seeds-max(1, seeds/20) {
		t.Errorf("%s in %d of %d seeds", what, n, seeds)
	}
}

func TestNoiseClaims(t *testing.T) {
	count(t, "the hard margin halves and turns more than the soft one, which keeps two thirds and does no worse on fresh points", func(seed uint64) (bool, error) {
		_, sets, fresh, err := noiseCases(seed)
		if err != nil {
			return false, err
		}
		all, err := fitNoise(sets[:2], fresh)
		if err != nil {
			return false, err
		}
		hard, soft := all[1][1], all[1][2]
		return hard.halfWidth < all[0][1].halfWidth/2 && hard.turned > soft.turned && soft.halfWidth > all[0][2].halfWidth*2/3 && soft.fresh >= hard.fresh, nil
	})
	count(t, "the hard margin refuses two of the four sets", func(seed uint64) (bool, error) {
		_, sets, _, err := noiseCases(seed)
		if err != nil {
			return false, err
		}
		n, err := refusals(sets)
		return n == 2, err
	})
}

// From zero, the deviance's distance from its minimum is about squared by each step near the
// end: its exponent grows by half at least.
func TestIRLSClaims(t *testing.T) {
	b, err := gaussianPair()
	if err != nil {
		t.Fatal(err)
	}
	count(t, "each step near the minimum about squares what is left", func(seed uint64) (bool, error) {
		x, y := population.SampleClasses(b, []int{100, 100}, seed)
		var values []float64
		m, err := logistic.Fit(x, y, &logistic.Options{Trace: func(s optimize.Step) error {
			values = append(values, s.Objective)
			return nil
		}})
		if err != nil {
			return false, err
		}
		least, squared := m.Report().Objective(), 0
		for i := 1; i < len(values); i++ {
			if before, after := 2*(values[i-1]-least), 2*(values[i]-least); before < 0.1 && before > 1e-5 {
				if after > math.Pow(before, 1.5) {
					return false, nil
				}
				squared++
			}
		}
		return squared > 0, nil
	})
}

// Gradient descent on the squared error of a sigmoid depends on where it starts; on
// cross-entropy it does not.
func TestLandscapeClaims(t *testing.T) {
	count(t, "squared error of a sigmoid is stuck far out, cross-entropy is not", func(seed uint64) (bool, error) {
		squared, entropy := landscapes(seed)
		end := func(f func(a, b float64) float64, start [2]float64) float64 {
			w0, w1 := descend(f, start, 10_000)
			return f(w0[len(w0)-1], w1[len(w1)-1])
		}
		far, near := [2]float64{8, -6}, [2]float64{0, 0}
		return end(squared, far) > end(squared, near)+0.1 && math.Abs(end(entropy, far)-end(entropy, near)) < 1e-6, nil
	})
}

// With the middle centroid off the line no class is masked: indicator regression finds two
// thirds of the middle class at least, but errs more than LDA by two points.
func TestIndicatorsAreBiasedWithoutMasking(t *testing.T) {
	count(t, "indicator regression errs by two points more than LDA, and masks nothing", func(seed uint64) (bool, error) {
		b, s, err := threeClasses(offTheLine, seed)
		if err != nil {
			return false, err
		}
		x, y := population.Sample(b, 5000, seed+1000)
		var errs, recall [2]float64
		for k, name := range []string{"indicator", "lda"} {
			m, err := fit(table(s.x, s.y, "0", "1", "2"), name, method.Options{})
			if err != nil {
				return false, err
			}
			e, err := validate.Evaluate(m.model, x, y)
			if err != nil {
				return false, err
			}
			errs[k], recall[k] = e.Error, e.Confusion.Recall(1)
		}
		return errs[0] > errs[1]+0.02 && recall[0] > 2.0/3, nil
	})
}

func TestCostClaims(t *testing.T) {
	count(t, "margin and support vectors fall from C = 0.01 over 1 to 100", func(seed uint64) (bool, error) {
		s, err := costData(seed)
		if err != nil {
			return false, err
		}
		var f [3]*costFit
		for i, c := range []float64{0.01, 1, 100} {
			if f[i], err = fitCost(s, c, nil); err != nil {
				return false, err
			}
		}
		return f[0].margin > f[1].margin && f[1].margin > f[2].margin &&
			f[0].support > f[1].support && f[1].support >= f[2].support && f[2].slack > 0, nil
	})
}

func TestMaskingClaims(t *testing.T) {
	count(t, "indicator regression finds less than a fifth of the middle class, LDA more than nine tenths", func(seed uint64) (bool, error) {
		b, s, err := threeClasses(lineOfThree, seed)
		if err != nil {
			return false, err
		}
		x, y := population.Sample(b, 2000, seed+1000)
		recall := func(m sim.Classifier) (float64, error) {
			e, err := validate.Evaluate(m, x, y)
			if err != nil {
				return 0, err
			}
			return e.Confusion.Recall(1), nil
		}
		indicator, err := fit(table(s.x, s.y, "0", "1", "2"), "indicator", method.Options{})
		if err != nil {
			return false, err
		}
		lda, err := fit(table(s.x, s.y, "0", "1", "2"), "lda", method.Options{})
		if err != nil {
			return false, err
		}
		a, err := recall(indicator.model)
		if err != nil {
			return false, err
		}
		l, err := recall(lda.model)
		return a < 0.2 && l > 0.9, err
	})
}

func TestLDALogisticClaims(t *testing.T) {
	// A is a claim about the average: in a single set either may win. Its standard error over
	// 400 sets is a third of the difference.
	if !testing.Short() {
		b, err := gaussianPair()
		if err != nil {
			t.Fatal(err)
		}
		e, err := efficiency(b, max(40, linalgtest.Rounds(40, 4000)), 1)
		if err != nil {
			t.Fatal(err)
		}
		if !(e.difference < -2*e.se) {
			t.Errorf("Gaussian classes: LDA's mean error minus that of logistic regression %v ± %v", e.difference, e.se)
		}
	}
	count(t, "on the mixture logistic regression and the SVC beat LDA by a point", func(seed uint64) (bool, error) {
		b, err := mixturePair()
		if err != nil {
			return false, err
		}
		_, _, rates, err := compareLDALogistic(b, 100, 20_000, seed)
		if err != nil {
			return false, err
		}
		return rates[2] < rates[1]-0.01 && rates[3] < rates[1]-0.01, nil
	})
}
