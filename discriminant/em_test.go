package discriminant_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// partly draws rows of k Gaussian classes, the first few of each with a label.
func partly(seed uint64, k, labelled, unlabelled, p int, apart float64) (x *linalg.Dense, y []int, u *linalg.Dense) {
	r := rand.New(rand.NewPCG(seed, 11))
	draw := func(row []float64, class int) {
		common := r.NormFloat64()
		for j := range row {
			row[j] = r.NormFloat64() + 0.6*common
		}
		row[class%p] += apart
	}
	x, y, u = linalg.Zeros(k*labelled, p), make([]int, k*labelled), linalg.Zeros(unlabelled, p)
	for i := range y {
		y[i] = i % k
		draw(x.Row(i), y[i])
	}
	for i := range u.Rows {
		draw(u.Row(i), r.IntN(k))
	}
	return x, y, u
}

// likelihood returns the log-likelihood of labelled and unlabelled rows under Gaussians
// with one covariance, from the densities alone.
func likelihood(t *testing.T, priors []float64, means, cov, x *linalg.Dense, y []int, u *linalg.Dense) float64 {
	t.Helper()
	var list []discriminant.Density
	classes := make([]int, means.Rows)
	for k := range means.Rows {
		g, err := discriminant.NewGaussian(means.Row(k), cov)
		if err != nil {
			t.Fatal(err)
		}
		list, classes[k] = append(list, g), k
	}
	l := 0.0
	for i, k := range y {
		l += math.Log(priors[k]) + list[k].LogDensity(x.Row(i))
	}
	for i := range u.Rows {
		s := 0.0
		for k, d := range list {
			s += priors[k] * math.Exp(d.LogDensity(u.Row(i)))
		}
		l += math.Log(s)
	}
	return l
}

// The likelihood rises at every iteration, the report has it, and at the end no
// parameter that is moved a little raises it: the derivatives vanish.
func TestUnlabeledRowsMaximizeTheLikelihood(t *testing.T) {
	for seed := range uint64(lt.Rounds(3, 60)) {
		k, p := 2+int(seed%2), 2+int(seed%3)
		x, y, u := partly(seed, k, 12, 150, p, 3)
		last := math.Inf(1)
		m, err := discriminant.FitLDAUnlabeled(x, y, u, &discriminant.UnlabeledOptions{Trace: func(s optimize.Step) error {
			if s.Objective > last+1e-9*math.Abs(last) {
				t.Errorf("seed %d, iteration %d: the objective rose from %v to %v", seed, s.Iteration, last, s.Objective)
			}
			last = s.Objective
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if c := m.Report().Certificate(); c.Kind != optimize.KindStationary || !c.Holds() {
			t.Errorf("seed %d: %v", seed, m.Report())
		}
		priors, means, cov := m.Priors(), m.Means(), m.Cov()
		at := func() float64 { return likelihood(t, priors, means, cov, x, y, u) }
		top := at()
		lt.Close(t, "objective", m.Report().Objective(), -top, 1e-10*math.Abs(top))
		check := func(what string, v *float64, and *float64, sign float64) {
			const h = 1e-4
			d := [2]float64{}
			for s, by := range []float64{-h, h} {
				*v += by
				if and != nil && and != v {
					*and += sign * by
				}
				d[s] = at()
				*v -= by
				if and != nil && and != v {
					*and -= sign * by
				}
			}
			if slope := (d[1] - d[0]) / (2 * h); math.Abs(slope) > 1e-3 || d[0] > top || d[1] > top {
				t.Errorf("seed %d: the likelihood has slope %g in %s, %g and %g beside %g", seed, slope, what, d[0]-top, d[1]-top, top)
			}
		}
		for c := range k {
			for j := range p {
				check(fmt.Sprintf("mean %d,%d", c, j), &means.Row(c)[j], nil, 0)
			}
			check(fmt.Sprintf("prior %d", c), &priors[c], &priors[(c+1)%k], -1)
		}
		for i := range p {
			for j := range i + 1 {
				check(fmt.Sprintf("covariance %d,%d", i, j), &cov.Row(i)[j], &cov.Row(j)[i], 1)
			}
		}
	}
}

// Few labelled rows leave the line uncertain, and many unlabelled ones from Gaussian
// classes settle it: the error falls on average, by more than three standard errors.
func TestUnlabeledRowsHelp(t *testing.T) {
	sets := max(20, lt.Rounds(20, 400)) // fewer leave the standard error too large
	mean, square := 0.0, 0.0
	for seed := range uint64(sets) {
		x, y, u := partly(seed+1000, 2, 5, 300, 3, 2.5)
		test, truth, _ := partly(seed+5000, 2, 500, 1, 3, 2.5)
		wrong := func(m *discriminant.LDA) (rate float64) {
			for i := range truth {
				if m.Predict(test.Row(i)) != truth[i] {
					rate += 1 / float64(len(truth))
				}
			}
			return rate
		}
		alone, err := discriminant.FitLDA(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		with, err := discriminant.FitLDAUnlabeled(x, y, u, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := (wrong(alone) - wrong(with)) / float64(sets)
		mean, square = mean+d, square+d*d*float64(sets)
	}
	if se := math.Sqrt((square - mean*mean) / float64(sets)); !(mean > 3*se) {
		t.Errorf("unlabelled rows lower the error by %v ± %v", mean, se)
	}
}

func TestUnlabeledRowsThatAreRefused(t *testing.T) {
	x, y, u := partly(1, 2, 10, 20, 2, 2)
	var shape *linalg.ShapeError
	for _, none := range []linalg.Rows{nil, (*linalg.Dense)(nil)} {
		for _, rows := range [][2]linalg.Rows{{none, u}, {x, none}} {
			if _, err := discriminant.FitLDAUnlabeled(rows[0], y, rows[1], nil); !errors.As(err, &shape) {
				t.Errorf("no rows: %v", err)
			}
		}
	}
	if _, err := discriminant.FitLDAUnlabeled(x, y, linalg.Zeros(3, 5), nil); !errors.As(err, &shape) {
		t.Errorf("rows of another length: %v", err)
	}
	var number *linalg.NonFiniteError
	u.Set(7, 1, math.NaN())
	if _, err := discriminant.FitLDAUnlabeled(x, y, u, nil); !errors.As(err, &number) {
		t.Errorf("a NaN: %v", err)
	}
	u.Set(7, 1, 0)
	m, err := discriminant.FitLDAUnlabeled(x, y, u, &discriminant.UnlabeledOptions{MaxIter: 1})
	if m == nil || !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("one iteration: %v, %v", m, err)
	}
	var one [2]*discriminant.LDA
	for k, workers := range []int{1, 3} {
		if one[k], err = discriminant.FitLDAUnlabeled(x, y, u, &discriminant.UnlabeledOptions{Workers: workers}); err != nil {
			t.Fatal(err)
		}
	}
	lt.CloseSlice(t, "means with other workers", one[1].Means().Data, one[0].Means().Data, 0)
	b, err := one[0].MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	back := new(discriminant.LDA)
	if err := back.UnmarshalJSON(b); err != nil || back.Report().Status() != optimize.Converged {
		t.Errorf("from JSON: %v, %v", back.Report(), err)
	}
}

// Labelled rows of weight 0 count for nothing, also where a class has no others.
func TestUnlabeledRowsBesideAClassOfWeight0(t *testing.T) {
	x, y, u := partly(3, 3, 10, 40, 2, 3)
	w, kept := make([]float64, len(y)), linalg.Zeros(0, 2)
	var labels []int
	for i, k := range y {
		if k != 1 {
			w[i] = 1
			kept.Rows, kept.Data, labels = kept.Rows+1, append(kept.Data, x.Row(i)...), append(labels, k)
		}
	}
	got, err := discriminant.FitLDAUnlabeled(x, y, u, &discriminant.UnlabeledOptions{Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	want, err := discriminant.FitLDAUnlabeled(kept, labels, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	lt.Close(t, "objective", got.Report().Objective(), want.Report().Objective(), 1e-10)
	lt.CloseSlice(t, "priors", got.Priors(), want.Priors(), 1e-7)
	lt.CloseSlice(t, "means", got.Means().Data, want.Means().Data, 1e-7)
}

// Three labelled rows a class on a line and four without a label: each iteration weighs
// the latter by their probabilities.
func ExampleFitLDAUnlabeled() {
	x, err := linalg.FromRows([][]float64{{0}, {1}, {2}, {4}, {5}, {6}})
	if err != nil {
		fmt.Println(err)
		return
	}
	u, err := linalg.FromRows([][]float64{{2.5}, {2.7}, {6.5}, {7}})
	if err != nil {
		fmt.Println(err)
		return
	}
	y := []int{0, 0, 0, 1, 1, 1}
	alone, err := discriminant.FitLDA(x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	with, err := discriminant.FitLDAUnlabeled(x, y, u, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("means %.2f, with unlabelled rows %.2f\n", alone.Means().Data, with.Means().Data)
	fmt.Printf("P(1 | x = 3) %.3f, with unlabelled rows %.3f\n", alone.Proba(nil, []float64{3})[1], with.Proba(nil, []float64{3})[1])
	// Output:
	// means [1.00 5.00], with unlabelled rows [1.63 5.67]
	// P(1 | x = 3) 0.500, with unlabelled rows 0.091
}

// Rows so far from a class that their share in it leaves the range of a float64 are fitted.
func TestUnlabeledRowsFarFromAClass(t *testing.T) {
	for distance := 4.0; distance < 60; distance++ {
		rng := rand.New(rand.NewPCG(uint64(distance), 1))
		draw := func(n int) *linalg.Dense {
			x := linalg.Zeros(n, 1)
			for i := range n {
				x.Set(i, 0, distance*float64(i%2)+rng.NormFloat64())
			}
			return x
		}
		m, err := discriminant.FitLDAUnlabeled(draw(10), []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, draw(40), nil)
		if err != nil {
			t.Errorf("classes %v apart: %v", distance, err)
		} else if means := m.Means(); !(math.Abs(means.At(1, 0)-means.At(0, 0)-distance) <= 1.5) {
			t.Errorf("classes %v apart: means %v and %v", distance, means.At(0, 0), means.At(1, 0))
		}
	}
}

// An unlabelled row that is nearly impossible in a class and has a tiny value is no error: that share of it does not count.
func TestTinySharesOfTinyValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x, y, u := linalg.Zeros(40, 2), make([]int, 40), linalg.Zeros(20, 2)
	for i := range y {
		y[i] = i % 2
		x.Set(i, 0, r.NormFloat64()+20*float64(y[i]))
		x.Set(i, 1, r.NormFloat64())
	}
	for i := range u.Rows {
		u.Set(i, 0, r.NormFloat64()+20*float64(i%2))
		u.Set(i, 1, 1e-120)
	}
	if m, err := discriminant.FitLDAUnlabeled(x, y, u, nil); err != nil {
		t.Error(m, err)
	}
}
