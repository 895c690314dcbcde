package experiment

import (
	"math"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim/population"
)

// Claims that the tables of an experiment cannot judge are judged here.
// In the long test each is counted over 100 seeds, and must hold in 95; fewer are
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
	if n < seeds-seeds/20 {
		t.Errorf("%s in %d of %d seeds", what, n, seeds)
	}
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
}

// With the centroids in a line the middle class's fitted values are nearly constant: on a
// straight line theirs is the highest in a narrow strip at most, and on a parabola between the
// other two.
func TestMaskingAlongTheLine(t *testing.T) {
	count(t, "straight lines leave the middle class a narrow strip, parabolas the middle", func(seed uint64) (bool, error) {
		_, s, err := threeClasses(lineOfThree, seed)
		if err != nil {
			return false, err
		}
		line, err := indicatorsAlong(s, 1)
		if err != nil {
			return false, err
		}
		parabola, err := indicatorsAlong(s, 2)
		if err != nil {
			return false, err
		}
		highest := func(f func(int, float64) float64, at float64) bool { return f(1, at) > max(f(0, at), f(2, at)) }
		strip := 0.0 // of the 8.5 between the outer centroids
		for at := -7.0; at < 7; at += 0.01 {
			if highest(line, at) {
				strip += 0.01
			}
		}
		slope := math.Abs(line(1, 1)-line(1, 0)) / math.Abs(line(2, 1)-line(2, 0))
		return strip < 0.9 && slope < 0.15 && highest(parabola, 0) && !highest(parabola, -5) && !highest(parabola, 5), nil
	})
}

// Classes with one covariance are divided by straight lines that meet in one point.
func TestThreeLinesMeet(t *testing.T) {
	b, err := population.Gaussians([][]float64{{-1.2, 0.8}, {1.4, 1.2}, {0.4, -1.6}}, [][][]float64{{{1, 0.5}, {0.5, 1}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := func(k int, x, y float64) float64 { // of class k against class 2
		s := b.Scores(nil, []float64{x, y})
		return s[k] - s[2]
	}
	var coef [2][3]float64
	for k := range coef {
		at := f(k, 0, 0)
		coef[k] = [3]float64{at, f(k, 1, 0) - at, f(k, 0, 1) - at}
		if far := at + 5*coef[k][1] - 3*coef[k][2]; !(math.Abs(far-f(k, 5, -3)) <= 1e-10*math.Abs(far)) {
			t.Errorf("class %d: %v at (5, -3), %v on a plane", k, f(k, 5, -3), far)
		}
	}
	det := coef[0][1]*coef[1][2] - coef[0][2]*coef[1][1]
	x := (coef[0][2]*coef[1][0] - coef[0][0]*coef[1][2]) / det
	y := (coef[0][0]*coef[1][1] - coef[0][1]*coef[1][0]) / det
	if d := math.Abs(f(0, x, y) - f(1, x, y)); d > 1e-10 {
		t.Errorf("at (%v, %v) classes 0 and 2, and 1 and 2, are as likely, but 0 and 1 differ by %v", x, y, d)
	}
}

// The ridge logistic regression at λ = 1/τ² is the mode of the posterior, and not its mean.
func TestLogisticPrior(t *testing.T) {
	const tau = 0.7
	for seed := range uint64(linalgtest.Rounds(2, 100)) {
		rng := newRand(seed)
		x, y := linalg.Zeros(15, 1), make([]int, 15)
		for i := range y {
			x.Set(i, 0, 2*rng.NormFloat64())
			if rng.Float64() < linalg.Sigmoid(1.5*x.At(i, 0)) {
				y[i] = 1
			}
		}
		m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1 / (tau * tau), NoIntercept: true, Classes: []int{0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		coef, _ := m.Coef()
		density := func(b float64) float64 {
			log := -b * b / (2 * tau * tau)
			for i, k := range y {
				log += float64(k)*b*x.At(i, 0) - linalg.Log1pExp(b*x.At(i, 0))
			}
			return math.Exp(log)
		}
		total, mean := 0.0, 0.0
		for b := -6.0; b < 6; b += 5e-3 {
			total, mean = total+density(b), mean+b*density(b)
		}
		mode := coef.At(0, 0)
		if !(density(mode) > density(mode+1e-3) && density(mode) > density(mode-1e-3)) || math.Abs(mean/total-mode) < 1e-3 {
			t.Errorf("seed %d: ridge fit %v, posterior mean %v, density there %v, beside it %v and %v", seed, mode, mean/total, density(mode), density(mode-1e-3), density(mode+1e-3))
		}
	}
}

// Support vectors on the margin have y − βᵀx = β₀; those inside have it above for class 1 and
// below for class 0.
func TestInterceptsOfSupportVectors(t *testing.T) {
	for seed := range uint64(linalgtest.Rounds(2, 100)) {
		s, err := slipData(seed)
		if err != nil {
			t.Fatal(err)
		}
		m, err := hyperplane.FitSVC(s.x, s.y, nil)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Conditions(0, s.x, s.y, nil)
		if err != nil {
			t.Fatal(err)
		}
		coef, intercept := m.Coef()
		for i, c := range k.Case {
			sign := float64(2*s.y[i] - 1)
			above := sign * (sign - linalg.Dot(coef.Row(0), s.x.Row(i)) - intercept[0])
			if c == hyperplane.OnMargin && math.Abs(above) > 1e-6 || c == hyperplane.Inside && above < -1e-9 {
				t.Errorf("seed %d, row %d, %v: %g", seed, i, c, above)
			}
		}
	}
}
