package experiment

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"halfspace/discriminant"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

// fitted is a classifier under the name that tables and pictures give it.
type fitted struct {
	name  string
	model sim.Classifier
}

// fit fits the named method with the given options, whether or not it converges
// (a perceptron on overlapping classes does not).
func fit(d *dataset.Data, name string, o method.Options) (fitted, error) {
	m, err := method.Named(name)
	if err != nil {
		return fitted{}, err
	}
	model, err := m.Fit(d, &o)
	if model == nil {
		return fitted{}, fmt.Errorf("%s: %w", name, err)
	}
	return fitted{name, model.Classifier()}, nil
}

// sayUnconverged says which of the fits did not converge, and how far the farthest
// is from it.
func (r *Result) sayUnconverged(models []fitted) {
	var names []string
	var worst optimize.Certificate
	count := 0
	for _, m := range models {
		c := m.model.Report().Certificate()
		if c.Holds() {
			continue
		}
		count++
		if !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
		if count == 1 || c.Value > worst.Value {
			worst = c
		}
	}
	if count > 0 {
		r.say("Not converged: %d of these fits (%s), with %s up to %.3g, tolerance %.3g.",
			count, strings.Join(names, ", "), worst.Kind, worst.Value, worst.Tol)
	}
}

// freshErrors returns the error rate of each model on n new points from a
// population, the same points for all.
func freshErrors(b *discriminant.Bayes, models []fitted, n int, seed uint64) ([]float64, error) {
	const block = 100_000
	wrong := make([]int, len(models))
	var labels []int
	for done := 0; done < n; done += block {
		x, y := population.Sample(b, min(block, n-done), seed+uint64(done/block))
		for k, m := range models {
			var err error
			if labels, err = m.model.PredictRows(labels[:0], x); err != nil {
				return nil, err
			}
			for i, l := range labels {
				if l != y[i] {
					wrong[k]++
				}
			}
		}
	}
	rate := make([]float64, len(models))
	for k := range rate {
		rate[k] = float64(wrong[k]) / float64(n)
	}
	return rate, nil
}

// function returns f(x, y) of a two-class model over the plane.
func function(m sim.Classifier) func(x, y float64) float64 {
	row, s := make([]float64, 2), make([]float64, 0, 2)
	return func(x, y float64) float64 {
		row[0], row[1] = x, y
		s = m.Scores(s[:0], row)
		return s[1] - s[0]
	}
}

// regions returns the class of each place, for [plot.Plot.Regions].
func regions(m sim.Classifier) func(x, y float64) int {
	row := make([]float64, 2)
	return func(x, y float64) int {
		row[0], row[1] = x, y
		return m.Predict(row)
	}
}

// lineStyles tell the lines of several models apart, without their colours too. Blue and
// orange are the colours of the two classes, so no model has them.
var lineStyles = []plot.Style{
	{Color: plot.Ink, Width: 2.5},
	{Color: plot.Green, Width: 2},
	{Color: plot.Purple, Width: 2, Dash: plot.Dashed},
	{Color: plot.Brown, Width: 2, Dash: plot.DashDot},
	{Color: plot.Amber, Width: 2.5, Dash: plot.Dotted},
	{Color: plot.Grey, Width: 2, Dash: plot.Dashed},
}

// planeScores returns the scores of a model over the plane, for
// [plot.Plot.Decision].
func planeScores(m sim.Classifier) func(dst []float64, x, y float64) []float64 {
	row := make([]float64, 2)
	return func(dst []float64, x, y float64) []float64 {
		row[0], row[1] = x, y
		return m.Scores(dst, row)
	}
}

// classNames returns "class 0", "class 1", ….
func classNames(k int) []string {
	names := make([]string, k)
	for i := range names {
		names[i] = fmt.Sprintf("class %d", i)
	}
	return names
}

// newRand returns the generator of a seed for draws that are not from a population.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 99)) }
