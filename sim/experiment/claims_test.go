package experiment

import (
	"testing"

	"halfspace/sim"
	"halfspace/sim/method"
	"halfspace/sim/population"
	"halfspace/sim/validate"
)

// The sentences of the experiments claim that something happens nearly always.
// Over 100 seeds each claim is counted. If it held with probability 0.99 per
// seed, fewer than 95 of 100 would be seen with probability 0.0005; a claim that
// held in nine of ten seeds would be found out with probability 0.94.
const enough = 95

func count(t *testing.T, what string, holds func(seed uint64) (bool, error)) {
	t.Helper()
	if testing.Short() {
		t.Skip("100 seeds")
	}
	n := 0
	for seed := range uint64(100) {
		ok, err := holds(seed + 1)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			n++
		}
	}
	if n < enough {
		t.Errorf("%s in %d of 100 seeds", what, n)
	}
}

func TestNoiseClaims(t *testing.T) {
	count(t, "the hard margin halves, the soft one keeps two thirds and does no worse on fresh points", func(seed uint64) (bool, error) {
		_, sets, fresh, err := noiseCases(seed)
		if err != nil {
			return false, err
		}
		all, err := fitNoise(sets[:2], fresh)
		if err != nil {
			return false, err
		}
		hard, soft := all[1][1], all[1][2]
		return hard.margin < all[0][1].margin/2 && soft.margin > all[0][2].margin*2/3 && soft.fresh >= hard.fresh, nil
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
	// A is a claim about the average: in a single set either may win.
	var lda, logistic float64
	if !testing.Short() {
		b, err := gaussianPair()
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(100) {
			_, _, rates, err := compareLDALogistic(b, 100, 20_000, seed+1)
			if err != nil {
				t.Fatal(err)
			}
			lda, logistic = lda+rates[1]/100, logistic+rates[2]/100
		}
		if lda > logistic {
			t.Errorf("Gaussian classes: mean error of LDA %v, of logistic regression %v", lda, logistic)
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
