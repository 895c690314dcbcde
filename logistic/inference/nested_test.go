package inference_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	lt "halfspace/logistic/internal/logistictest"
)

func TestNested(t *testing.T) {
	g := goldenInference(t).SAheart
	x, y := lt.Heart(t, "sbp tobacco ldl famhist=Present obesity alcohol age")
	full := fitAndInfer(t, x, y, nil)
	linalgtest.Close(t, "BIC", full.BIC, g.BIC[0], 1e-10)
	xs, _ := lt.Heart(t, "tobacco ldl famhist=Present age")
	small := fitAndInfer(t, xs, y, nil)
	test, err := inference.LikelihoodRatio(small, full)
	if err != nil || test.DF != 3 {
		t.Fatal(test, err)
	}
	linalgtest.Close(t, "LRT", test.Statistic, g.LRT[0], 1e-9)
	linalgtest.Close(t, "LRT p", test.P, g.LRTP[0], 1e-9)
	if _, err := inference.LikelihoodRatio(full, small); err == nil {
		t.Error("a larger model as the smaller one")
	}
	if _, err := inference.LikelihoodRatio(small, small); err == nil {
		t.Error("a model as the larger one of itself")
	}
	var response *inference.ResponseError
	for _, row := range []int{7, 0} {
		other := slices.Clone(y)
		other[row] = 1 - other[row]
		if _, err := inference.LikelihoodRatio(small, fitAndInfer(t, x, other, nil)); !errors.As(err, &response) || response.Row != row {
			t.Errorf("another label of row %d: %v", row, err)
		}
		weights := &logistic.Options{Weights: slices.Repeat([]float64{1}, len(y))}
		weights.Weights[row] = 0
		if _, err := inference.LikelihoodRatio(fitAndInfer(t, xs, y, weights), fitAndInfer(t, x, other, weights)); err != nil {
			t.Errorf("another label of row %d, which has no weight: %v", row, err)
		}
	}
	firthed := &logistic.Options{Firth: true}
	if _, err := inference.LikelihoodRatio(fitAndInfer(t, xs, y, firthed), fitAndInfer(t, x, y, firthed)); !errors.Is(err, inference.ErrNoInference) {
		t.Errorf("two penalties: %v", err)
	}
	z, _ := lt.Heart(t, "sbp obesity alcohol")
	rao, err := small.Score(z)
	if err != nil || rao.DF != 3 {
		t.Fatal(rao, err)
	}
	linalgtest.Close(t, "Rao", rao.Statistic, g.Rao[0], 1e-8)
	linalgtest.Close(t, "Rao p", rao.P, g.RaoP[0], 1e-8)
	for j := range 3 {
		one := &linalg.Dense{Rows: z.Rows, Cols: 1, Stride: z.Stride, Data: z.Data[j:]}
		test, err := small.Score(one)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "add", test.Statistic, g.Add[j], 1e-8)
		linalgtest.Close(t, "add p", test.P, g.AddP[j], 1e-8)
	}
	if _, err := small.Score(lt.First(xs, 1)); !lt.Is[*linalg.RankError](err) {
		t.Errorf("a column added twice: %v", err)
	}
	drop, err := full.Drop(nil)
	if err != nil {
		t.Fatal(err)
	}
	for j, test := range drop {
		linalgtest.Close(t, "drop", test.Statistic, g.Drop[j], 1e-8)
		linalgtest.Close(t, "drop p", test.P, g.DropP[j], 1e-8)
	}
	group, err := full.Drop([][]int{{0, 4, 5}})
	if err != nil || group[0].DF != 3 {
		t.Fatal(group, err)
	}
	linalgtest.Close(t, "group", group[0].Statistic, g.LRT[0], 1e-8)
}

// Rao's test of several classes, from probabilities alone: Σₖ gₖ of the features
// added and the information of all terms.
func TestScoreOfThree(t *testing.T) {
	x, y := lt.Several(t, "birthwt")
	small := lt.First(x, 3)
	m := lt.MustFit(t, small, y, nil)
	z := linalg.Zeros(x.Rows, 2)
	for i := range x.Rows {
		copy(z.Row(i), x.Row(i)[3:])
	}
	got, err := mustInfer(t, m, small, y, nil).Score(z)
	if err != nil || got.DF != 4 {
		t.Fatal(got, err)
	}
	dim := x.Cols + 1
	h, g := linalg.Zeros(2*dim, 2*dim), make([]float64, 2*dim)
	for i := range x.Rows {
		row, p := append([]float64{1}, x.Row(i)...), m.Proba(nil, small.Row(i))
		for a := range 2 {
			target := 0.0
			if y[i] == a {
				target = 1
			}
			linalg.Axpy(g[a*dim:(a+1)*dim], target-p[a], row)
			for b := range 2 {
				v := -p[a] * p[b]
				if a == b {
					v += p[a]
				}
				for j, u := range row {
					linalg.Axpy(h.Row(a*dim + j)[b*dim:(b+1)*dim], v*u, row)
				}
			}
		}
	}
	c, err := linalg.NewCholesky(h)
	if err != nil {
		t.Fatal(err)
	}
	step := append([]float64(nil), g...)
	c.Solve(step)
	linalgtest.Close(t, "Rao", got.Statistic, linalg.Dot(g, step), 1e-8)
}

// Rao's test of all features is Σₖ gₖᵀS⁻¹gₖ/πₖ, with the sums gₖ of the centred features over
// class k, the products S of all, and the shares π: n·tr(S_T⁻¹S_B) in the terms of discriminant
// analysis, which is R's anova(…, test = "Rao"). A common offset changes nothing.
func TestScoreOfAllFeatures(t *testing.T) {
	for name, table := range map[string]func() (*linalg.Dense, []int){
		"birthwt": func() (*linalg.Dense, []int) { return lt.Several(t, "birthwt") },
		"SAheart": func() (*linalg.Dense, []int) {
			return lt.Heart(t, "sbp tobacco ldl famhist=Present obesity alcohol age")
		},
	} {
		x, y := table()
		n := float64(x.Rows)
		mean, s := make([]float64, x.Cols), linalg.Zeros(x.Cols, x.Cols)
		for i := range x.Rows {
			linalg.Axpy(mean, 1/n, x.Row(i))
		}
		sums, count := map[int][]float64{}, map[int]float64{}
		for i, k := range y {
			row := append([]float64(nil), x.Row(i)...)
			linalg.Axpy(row, -1, mean)
			if sums[k] == nil {
				sums[k] = make([]float64, x.Cols)
			}
			linalg.Axpy(sums[k], 1, row)
			count[k]++
			for j, v := range row {
				linalg.Axpy(s.Row(j), v, row)
			}
		}
		c, err := linalg.NewCholesky(s)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for k, g := range sums {
			step := append([]float64(nil), g...)
			c.Solve(step)
			want += linalg.Dot(g, step) * n / count[k]
		}
		functions := len(count)
		if functions == 2 {
			functions = 1
		}
		offset := make([]float64, functions*len(y))
		for i := range offset {
			offset[i] = 3
		}
		for _, o := range []*logistic.Options{nil, {Offset: offset}} {
			got, err := fitAndInfer(t, x, y, o).ScoreAll()
			if err != nil || got.DF != (len(count)-1)*x.Cols {
				t.Fatal(got, err)
			}
			linalgtest.Close(t, name, got.Statistic, want, 1e-8*want)
		}
	}
	x, y := lt.IrisPair(t)
	if _, err := fitAndInfer(t, x, y, &logistic.Options{Firth: true}).ScoreAll(); !errors.Is(err, inference.ErrNoInference) {
		t.Errorf("with Firth's correction: %v", err)
	}
}

// An offset that is the same for all rows leaves the deviances alone.
func TestNullDevianceOfLargeOffset(t *testing.T) {
	for name, k := range map[string]int{"two classes": 1, "three classes": 3} {
		x, y := lt.IrisPair(t)
		if k == 3 {
			x, y = lt.Several(t, "iris")
		}
		offset := make([]float64, k*len(y))
		for i := range y {
			offset[k*i] = 1e4
		}
		want := fitAndInfer(t, x, y, nil)
		got := fitAndInfer(t, x, y, &logistic.Options{Offset: offset})
		linalgtest.Close(t, name, got.NullDeviance, want.NullDeviance, 1e-9)
	}
}

// Of three classes too, a test is of models of the same labels and weights, and Pearson's χ² is
// Σ w(1/p − 1) for the probabilities p of the rows' own classes.
func TestSeveralClassesOfOtherRows(t *testing.T) {
	x, y := linalgtest.LabeledRows(60, 2, 3)
	w := make([]float64, len(y))
	for i := range w {
		w[i] = float64(1 + i%3)
	}
	small := linalg.Zeros(x.Rows, 1)
	for i := range x.Rows {
		small.Set(i, 0, x.At(i, 0))
	}
	smaller, larger := fitAndInfer(t, small, y, &logistic.Options{Weights: w}), fitAndInfer(t, x, y, &logistic.Options{Weights: w})
	if test, err := inference.LikelihoodRatio(smaller, larger); err != nil || test.DF != 2 {
		t.Errorf("%+v, %v", test, err)
	}
	labels, weights := slices.Clone(y), slices.Clone(w)
	labels[7], weights[5] = (labels[7]+1)%3, 9
	var other *inference.ResponseError
	if _, err := inference.LikelihoodRatio(fitAndInfer(t, small, labels, &logistic.Options{Weights: w}), larger); !errors.As(err, &other) || other.Row != 7 {
		t.Errorf("another label: %v", err)
	}
	if _, err := inference.LikelihoodRatio(fitAndInfer(t, small, y, &logistic.Options{Weights: weights}), larger); !errors.As(err, &other) || other.Row != 5 {
		t.Errorf("another weight: %v", err)
	}
	m, err := logistic.Fit(x, y, &logistic.Options{Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	chi := 0.0
	for i, k := range y {
		chi += w[i] * (1/m.Proba(nil, x.Row(i))[k] - 1)
	}
	linalgtest.Close(t, "Pearson's χ²", larger.Pearson, chi, 1e-9*chi)
}

// A column that another nearly repeats has large coefficients beside it. Without the one the other takes over: the refit
// does not start where those of the other stand alone.
func TestDropOfANearCopy(t *testing.T) {
	for seed := range uint64(linalgtest.Rounds(60, 600)) {
		r := rand.New(rand.NewPCG(seed, 78))
		n, k := 40+r.IntN(40), 2+int(seed%2)
		x, y := linalgtest.Normal(seed, n, 3), make([]int, n)
		for i := range y {
			x.Set(i, 2, x.At(i, 0)+1e-4*x.At(i, 2))
			if y[i] = r.IntN(k); x.At(i, 0) > 0.5 && r.IntN(3) > 0 {
				y[i] = k - 1
			}
		}
		o := &logistic.Options{Firth: k == 2}
		inf := fitAndInfer(t, x, y, o)
		drop, err := inf.Drop(nil)
		if err != nil {
			t.Errorf("seed %d, %d classes: %v", seed, k, err)
			continue
		}
		if k == 3 {
			lr, err := inference.LikelihoodRatio(fitAndInfer(t, lt.First(x, 2), y, o), inf)
			if err != nil {
				t.Fatal(err)
			}
			linalgtest.Close(t, "likelihood ratio", drop[2].Statistic, lr.Statistic, 1e-8*(1+lr.Statistic))
		}
	}
}

// A column to add is tested about an origin of its own: far from 0 the test is that of the column about 0. Of
// multiples of 2⁻²⁰ no digit is lost there.
func TestScoreOfAColumnFarFromZero(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 21))
	for classes := 2; classes <= 3; classes++ {
		x, y, noise := linalg.Zeros(200, 2), make([]int, 200), make([]float64, 200)
		for i := range y {
			y[i], noise[i] = i%classes, math.Round(0x1p20*r.NormFloat64())/0x1p20
			copy(x.Row(i), []float64{r.NormFloat64() + float64(y[i]), r.NormFloat64()})
			noise[i] += float64(y[i])
		}
		inf := fitAndInfer(t, x, y, nil)
		want, err := inf.Score(&linalg.Dense{Rows: 200, Cols: 1, Stride: 1, Data: noise})
		if err != nil || !(want.Statistic > 1) {
			t.Fatal(want, err)
		}
		for _, far := range []float64{1e6, -1e8, 1e8} {
			z := linalg.Zeros(200, 1)
			for i, v := range noise {
				z.Set(i, 0, far+v)
			}
			got, err := inf.Score(z)
			if err != nil {
				t.Errorf("%d classes, about %g: %v", classes, far, err)
				continue
			}
			linalgtest.Close(t, fmt.Sprintf("%d classes, about %g", classes, far), got.Statistic, want.Statistic, 1e-6*want.Statistic)
		}
	}
}
