package experiment

import (
	"fmt"
	"math"
	"slices"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/sim/plot"
)

var prior = &Experiment{
	Name:    "prior",
	Title:   "A ridge is a Gaussian prior: its fit is the most probable β",
	Topic:   "Least squares",
	ESL:     "§3.4.1, exercise 3.6",
	Formula: "−log p(β | y) = Σ(y − f)²/2σ² + ‖β‖²/2τ² + const, least at the ridge λ = σ²/τ²",
	run:     runPrior,
}

// priorDraw draws β ~ N(0, τ²I), rows, and y = βᵀx + N(0, σ²).
func priorDraw(n, p int, tau, sigma float64, seed uint64) (x *linalg.Dense, y, beta []float64) {
	rng := newRand(seed)
	x, y, beta = linalg.Zeros(n, p), make([]float64, n), make([]float64, p)
	for j := range beta {
		beta[j] = tau * rng.NormFloat64()
	}
	for i := range y {
		common := rng.NormFloat64()
		for j := range beta {
			x.Set(i, j, 0.7*rng.NormFloat64()+0.7*common)
		}
		y[i] = linalg.Dot(beta, x.Row(i)) + sigma*rng.NormFloat64()
	}
	return x, y, beta
}

// ridgeRisk returns the mean over draws of ‖β̂ − β‖² for ridges of the given multiples of
// σ²/τ².
func ridgeRisk(multiples []float64, draws int, seed uint64) ([]float64, error) {
	const n, p, tau, sigma = 25, 8, 0.8, 2.0
	risk := make([]float64, len(multiples))
	for d := range draws {
		x, y, beta := priorDraw(n, p, tau, sigma, seed+uint64(d)*7919)
		for k, c := range multiples {
			m, err := regression.FitRidge(x, y, &regression.Options{Lambda: c * sigma * sigma / tau / tau, NoIntercept: true})
			if err != nil {
				return nil, err
			}
			coef, _ := m.Coef()
			off := slices.Clone(beta)
			linalg.Axpy(off, -1, coef.Row(0))
			risk[k] += linalg.Dot(off, off) / float64(draws)
		}
	}
	return risk, nil
}

// posteriorSlope returns the largest derivative of −log p(β | y) at the ridge fit, by
// differences of the density itself.
func posteriorSlope(seed uint64) (slope float64, err error) {
	const tau, sigma = 0.8, 2.0
	x, y, _ := priorDraw(25, 3, tau, sigma, seed)
	m, err := regression.FitRidge(x, y, &regression.Options{Lambda: sigma * sigma / tau / tau, NoIntercept: true})
	if err != nil {
		return 0, err
	}
	minusLog := func(b []float64) float64 {
		v := linalg.Dot(b, b) / (2 * tau * tau)
		for i := range y {
			d := y[i] - linalg.Dot(b, x.Row(i))
			v += d * d / (2 * sigma * sigma)
		}
		return v
	}
	coef, _ := m.Coef()
	b := slices.Clone(coef.Row(0))
	for j := range b {
		const h = 1e-4
		at := b[j]
		b[j] = at + h
		up := minusLog(b)
		b[j] = at - h
		slope = math.Max(slope, math.Abs(up-minusLog(b))/(2*h))
		b[j] = at
	}
	return slope, nil
}

func runPrior(seed uint64) (*Result, error) {
	multiples := []float64{0, 0.1, 0.2, 0.5, 1, 2, 5, 10}
	risk, err := ridgeRisk(multiples, 400, seed)
	if err != nil {
		return nil, err
	}
	slope, err := posteriorSlope(seed)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	t := r.table("Mean of ‖β̂ − β‖² over 400 draws of β from the prior", "λ in units of σ²/τ²", "risk")
	for k, c := range multiples {
		t.Add(fmt.Sprint(c), risk[k])
	}
	p := &plot.Plot{Title: "Risk of the ridge", X: plot.Axis{Label: "λ in units of σ²/τ²", Log: true}, Y: plot.Axis{Label: "mean ‖β̂ − β‖²"}}
	p.Curve("25 rows, 8 features", plot.Style{Color: plot.Green, Width: 2}, multiples[1:], risk[1:])
	p.VLine("λ = σ²/τ²", plot.Style{Dash: plot.Dashed, Width: 1.5}, 1)
	r.draw("prior", p, "Mean squared error of ridge coefficients over the penalty λ, for true coefficients drawn from the prior. The ridge that the prior asks for, λ = σ²/τ², has the least risk over draws from that prior.")
	best := slices.Index(risk, slices.Min(risk))
	r.say("With noise N(0, σ²) and a prior β ~ N(0, τ²I), minus the log of the posterior density is the penalised sum of squares over σ², up to a constant, with λ = σ²/τ². So the ridge fit is the posterior's mode (MAP), "+
		"and, as the posterior is Gaussian, its mean: the derivatives of the density there are %.0e. The mean has the least expected squared error, and among the ridges tried the least risk, %.3f, is at λ = %g σ²/τ²; without a ridge it is %.3f. "+
		"For logistic regression the same prior gives the ridge λ = 1/τ²: the mode again, but no longer the mean.", slope, risk[best], multiples[best], risk[0])
	return r, nil
}
