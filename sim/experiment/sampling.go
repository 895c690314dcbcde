package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/tail"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	"halfspace/sim/plot"
)

var sampling = &Experiment{
	Name:    "sampling",
	Title:   "Drawing the data again and again: bias, standard errors and coverage of a logistic regression",
	Topic:   "Logistic regression",
	ESL:     "§4.4.3",
	Formula: "β̂ → N(β, (XᵀWX)⁻¹); Wald (β̂−β)/se, score gᵀI⁻¹g at β̂₀, likelihood ratio 2(ℓ(β̂) − ℓ(β̂₀))",
	run:     runSampling,
}

// logitTruth is (β₀, β₁, β₂) of the sampling experiment.
var logitTruth = []float64{0.5, 1.5, -1}

// samples are the results of fits to many draws of one design's responses.
type samples struct {
	kept, separated int
	mean, variance  []float64 // of β̂
	se2             []float64 // mean of the squared standard errors
	wald, score, lr int       // draws whose 95 % interval for β₁ covers the truth
	standardized    []float64 // (β̂₁ − β₁)/se

	profiled, profile, apart int // first draws kept; those whose profile interval covers; those where the likelihood ratio says otherwise
}

// profiles is the number of draws whose profile intervals are computed, each some twenty refits.
const profiles = 200

// sampleLogit draws n rows once, and their labels many times.
func sampleLogit(n, draws int, seed uint64) (*samples, error) {
	rng := newRand(seed)
	x, rest, one := linalg.Zeros(n, 2), linalg.Zeros(n, 1), linalg.Zeros(n, 1)
	offset := make([]float64, n)
	for i := range n {
		x.Set(i, 0, rng.NormFloat64())
		x.Set(i, 1, rng.NormFloat64())
		one.Set(i, 0, x.At(i, 0))
		rest.Set(i, 0, x.At(i, 1))
		offset[i] = logitTruth[1] * x.At(i, 0)
	}
	s := &samples{mean: make([]float64, 3), variance: make([]float64, 3), se2: make([]float64, 3)}
	least := tail.ChiSquareQuantile(0.05, 1)
	for range draws {
		y := make([]int, n)
		for i := range y {
			if rng.Float64() < linalg.Sigmoid(logitTruth[0]+linalg.Dot(logitTruth[1:], x.Row(i))) {
				y[i] = 1
			}
		}
		m, err := logistic.Fit(x, y, nil)
		var none *logistic.SeparationError
		if errors.As(err, &none) {
			s.separated++
			continue
		} else if err != nil {
			return nil, err
		}
		full, err := inference.Of(m, x, y, nil)
		if err != nil {
			return nil, err
		}
		// The same with β₁ at its true value, an offset: what score and likelihood ratio test.
		o := &logistic.Options{Offset: offset}
		m0, err := logistic.Fit(rest, y, o)
		if err != nil {
			return nil, err
		}
		null, err := inference.Of(m0, rest, y, o)
		if err != nil {
			return nil, err
		}
		score, err := null.Score(one)
		if err != nil {
			return nil, err
		}
		lr := 2*(full.LogLikelihood-null.LogLikelihood) <= least
		if err := s.addProfile(full, lr); err != nil {
			return nil, err
		}
		s.add(full, score.Statistic <= least, lr)
	}
	for j := range s.mean {
		n := float64(s.kept)
		s.mean[j], s.se2[j] = s.mean[j]/n, s.se2[j]/n
		s.variance[j] = s.variance[j]/n - s.mean[j]*s.mean[j]
	}
	return s, nil
}

// addProfile looks whether the profile interval of a first draw covers, as the likelihood ratio says.
func (s *samples) addProfile(full *inference.Inference, lr bool) error {
	if s.kept >= profiles {
		return nil
	}
	lo, hi, err := full.Profile(1, 0.95)
	if err != nil {
		return err
	}
	covers := lo <= logitTruth[1] && logitTruth[1] <= hi
	s.profiled++
	if covers {
		s.profile++
	}
	if covers != lr {
		s.apart++
	}
	return nil
}

func (s *samples) add(full *inference.Inference, score, lr bool) {
	s.kept++
	for j, b := range full.Estimate {
		s.mean[j] += b
		s.variance[j] += b * b
		s.se2[j] += full.SE[j] * full.SE[j]
	}
	z := (full.Estimate[1] - logitTruth[1]) / full.SE[1]
	s.standardized = append(s.standardized, z)
	for _, c := range []struct {
		covers bool
		count  *int
	}{{math.Abs(z) <= tail.NormalQuantile(0.025), &s.wald}, {score, &s.score}, {lr, &s.lr}} {
		if c.covers {
			*c.count++
		}
	}
}

func runSampling(seed uint64) (*Result, error) {
	r := &Result{}
	const draws = 1000
	e := r.table(fmt.Sprintf("Estimates over %d draws", draws), "rows", "parameter", "truth", "mean of β̂", "standard deviation of β̂", "root mean square of se")
	c := r.table("Coverage of 95 % intervals for β₁", "rows", "Wald", "score", "likelihood ratio", fmt.Sprintf("profile (%d draws)", profiles), "draws without a maximum")
	panels := &plot.Panels{Columns: 2}
	var bias [2]float64
	apart := 0
	for k, n := range []int{40, 400} {
		s, err := sampleLogit(n, draws, seed)
		if err != nil {
			return nil, err
		}
		for j, name := range []string{"β₀", "β₁", "β₂"} {
			e.Add(fmt.Sprint(n), name, logitTruth[j], s.mean[j], math.Sqrt(s.variance[j]), math.Sqrt(s.se2[j]))
		}
		of := func(count int) float64 { return float64(count) / float64(s.kept) }
		c.Add(fmt.Sprint(n), of(s.wald), of(s.score), of(s.lr), float64(s.profile)/float64(s.profiled), s.separated)
		apart += s.apart
		bias[k] = s.mean[1] - logitTruth[1]
		panels.Plots = append(panels.Plots, againstNormal(fmt.Sprintf("%d rows", n), s.standardized))
	}
	r.draw("sampling", panels, "The share of draws in which (β̂₁ − β₁)/se is at most a value, and the same of N(0, 1), which the interval of Wald trusts, from 40 rows and from 400.")
	r.say("Likelihood theory is about many rows: β̂ is then near normal around the truth with the inverse information as covariance. With 40 rows β̂₁ is too large by %.2f on average, with 400 by %.2f: maximum likelihood is biased away from 0, by an amount of the order 1/n. "+
		"The profile interval of a parameter is the set of values that the likelihood ratio does not reject, so in the end it covers as often; computed apart, the two disagree on %d of %d draws. The standard error of a coverage near 95 %% from %d draws is %.1f points. Draws on which a plane separates the classes have no maximum and are left out.", bias[0], bias[1], apart, 2*profiles, draws, 100*math.Sqrt(0.95*0.05/draws))
	return r, nil
}

// againstNormal draws the distribution function of values over that of the normal.
func againstNormal(title string, values []float64) *plot.Plot {
	sorted := slices.Sorted(slices.Values(values))
	p := &plot.Plot{Title: title, X: plot.Axis{Label: "(β̂₁ − β₁)/se", Min: -4, Max: 4}, Y: plot.Axis{Label: "share of draws below", Min: 0, Max: 1}, Width: 560, Height: 400}
	share := make([]float64, len(sorted))
	for i := range share {
		share[i] = (float64(i) + 0.5) / float64(len(share))
	}
	p.Curve("draws", lineStyles[1], sorted, share)
	p.Func("N(0, 1)", plot.Style{Dash: plot.Dashed, Width: 2}, func(z float64) float64 { return tail.Normal(-z) })
	return p
}
