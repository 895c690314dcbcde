package experiment

import (
	"fmt"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/tail"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

var multinomial = &Experiment{
	Name:    "multinomial",
	Title:   "Three classes at once: the multinomial logit, and three tests of a feature",
	Topic:   "Logistic regression",
	ESL:     "§4.4, §4.4.1",
	Formula: "P(k | x) = exp(βₖ₀ + βₖᵀx)/(1 + Σ exp(βₗ₀ + βₗᵀx)), the last class 0 (4.17, 4.18)",
	run:     runMultinomial,
}

// threeLogits draws three Gaussian classes, whose log-odds are linear, and a feature
// that says nothing.
func threeLogits(n int, seed uint64) (*discriminant.Bayes, *trainingSet, error) {
	b, err := population.Gaussians([][]float64{{-1.2, 0.8}, {1.4, 1.2}, {0.4, -1.6}}, [][][]float64{{{1, .5}, {.5, 1}}}, nil)
	if err != nil {
		return nil, nil, err
	}
	x, y := population.Sample(b, n, seed)
	rng := newRand(seed)
	z := linalg.Zeros(n, 3)
	for i := range n {
		copy(z.Row(i), x.Row(i))
		z.Set(i, 2, rng.NormFloat64())
	}
	return b, &trainingSet{z, y}, nil
}

// columns returns a copy of the first columns of x, and of the others.
func columns(x *linalg.Dense, first int) (head, rest *linalg.Dense) {
	head, rest = linalg.Zeros(x.Rows, first), linalg.Zeros(x.Rows, x.Cols-first)
	for i := range x.Rows {
		copy(head.Row(i), x.Row(i)[:first])
		copy(rest.Row(i), x.Row(i)[first:])
	}
	return head, rest
}

// threeTests returns the statistics of Wald, of the likelihood ratio and of Rao for the
// third feature; all are χ² with two degrees of freedom where it says nothing.
func threeTests(s *trainingSet) (full *logistic.Model, tests [3]float64, err error) {
	full, err = logistic.Fit(s.x, s.y, nil)
	if err != nil {
		return nil, tests, err
	}
	inf, err := inference.Of(full, s.x, s.y, nil)
	if err != nil {
		return nil, tests, err
	}
	var at []int
	for i, t := range inf.Terms {
		if t.Column == 2 {
			at = append(at, i)
		}
	}
	cov, b := linalg.Zeros(len(at), len(at)), make([]float64, len(at))
	for i, k := range at {
		b[i] = inf.Estimate[k]
		for j, l := range at {
			cov.Set(i, j, inf.Covariance.At(k, l))
		}
	}
	c, err := linalg.NewCholesky(cov)
	if err != nil {
		return nil, tests, err
	}
	solved := append([]float64{}, b...)
	c.Solve(solved)
	tests[0] = linalg.Dot(b, solved)
	head, rest := columns(s.x, 2)
	m, err := logistic.Fit(head, s.y, nil)
	if err != nil {
		return nil, tests, err
	}
	smaller, err := inference.Of(m, head, s.y, nil)
	if err != nil {
		return nil, tests, err
	}
	lr, err := inference.LikelihoodRatio(smaller, inf)
	if err != nil {
		return nil, tests, err
	}
	score, err := smaller.Score(rest)
	tests[1], tests[2] = lr.Statistic, score.Statistic
	return full, tests, err
}

func runMultinomial(seed uint64) (*Result, error) {
	b, s, err := threeLogits(300, seed)
	if err != nil {
		return nil, err
	}
	full, tests, err := threeTests(s)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	t := r.table("Log-odds against class 2", "class", "", "β₀", "β₁", "β₂", "β₃")
	coef, intercept := full.Coef()
	for k := range 2 {
		t.Add(fmt.Sprint(k), "fit", intercept[k], coef.At(k, 0), coef.At(k, 1), coef.At(k, 2))
		at := func(x, y float64) float64 { v := b.Scores(nil, []float64{x, y}); return v[k] - v[2] }
		t.Add(fmt.Sprint(k), "population", at(0, 0), at(1, 0)-at(0, 0), at(0, 1)-at(0, 0), 0.0)
	}
	w := r.table("Does the third feature matter? χ² with 2 degrees of freedom", "test", "statistic", "p")
	for k, name := range []string{"Wald", "likelihood ratio", "score (Rao)"} {
		w.Add(name, tests[k], tail.ChiSquare(tests[k], 2))
	}
	head, _ := columns(s.x, 2)
	m, err := logistic.Fit(head, s.y, nil)
	if err != nil {
		return nil, err
	}
	p := decisions("Multinomial logit on two features", m, &trainingSet{head, s.y})
	p.Decision("Bayes", plot.Style{Dash: plot.Dashed, Width: 2}, 3, planeScores(b))
	r.draw("multinomial", p, "The regions and boundaries (solid) of a multinomial logit of three classes on the first two features, the smaller of the two fits, and the boundaries of the Bayes rule (dashed).")
	r.say("One fit for all classes: K − 1 linear log-odds against the last one, which need not say how x is distributed. The population's are linear because its classes share a covariance, and the third feature is noise. "+
		"Three tests ask whether it can go: Wald's looks at the larger fit alone, Rao's at the smaller one alone, the likelihood ratio at both. With ever more rows they come together; with the %d rows here their χ² statistics are %.3f (Wald), %.3f (likelihood ratio) and %.3f (Rao).", len(s.y), tests[0], tests[1], tests[2])
	return r, nil
}
