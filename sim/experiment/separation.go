package experiment

import (
	"errors"
	"fmt"

	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

var separation = &Experiment{
	Name:    "separation",
	Title:   "What maximum likelihood does on separable data",
	Topic:   "Logistic regression",
	ESL:     "§4.4, exercise 4.5",
	Formula: "ℓ(sβ) → 0 as s → ∞ where a plane separates the classes",
	run:     runSeparation,
}

func runSeparation(seed uint64) (*Result, error) {
	b, err := population.Gaussians([][]float64{{-2, -1}, {2, 1}}, [][][]float64{{{0.5, 0}, {0, 0.5}}}, nil)
	if err != nil {
		return nil, err
	}
	x, y := population.SampleClasses(b, []int{30, 30}, seed)
	r := &Result{}
	_, err = logistic.Fit(x, y, nil)
	var sep *logistic.SeparationError
	if !errors.As(err, &sep) {
		return nil, fmt.Errorf("the classes overlap at this seed: %w", err)
	}
	t := r.table("Ridge ever weaker", "λ", "‖β‖", "log-likelihood", "β₂/β₁")
	p := &plot.Plot{Title: "Fitted probability 1/2 and 0.9 as the ridge vanishes", X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true, Width: 800, Height: 560}
	var norms []float64
	for k, lambda := range []float64{10, 1, 0.01, 0.0001} {
		m, err := logistic.Fit(x, y, &logistic.Options{Lambda: lambda})
		if err != nil {
			return nil, err
		}
		coef, _ := m.Coef()
		norm := linalg.Norm(coef.Row(0))
		norms = append(norms, norm)
		t.Add(lambda, norm, lambda/2*norm*norm-m.Report().Objective(), coef.At(0, 1)/coef.At(0, 0))
		s := lineStyles[k+1]
		p.Boundary(fmt.Sprintf("λ = %g", lambda), s, function(m))
		s.Width = 1
		p.Contour("", s, function(m), 2.1972245773362196) // log-odds of 0.9
	}
	p.Scatter(x, 0, 1, y, classNames(2))
	r.draw("separation", p, "Ridge logistic regression on classes that a line separates, at falling λ: boundaries, P = ½ (bold), and the lines of probability 0.9 (thin), which close in on the boundary as the coefficients grow.")
	firth, err := logistic.Fit(x, y, &logistic.Options{Firth: true})
	if err != nil {
		return nil, err
	}
	coef, _ := firth.Coef()
	r.say("The classes can be separated, so multiplying a separating plane by a larger number always raises the likelihood, and it has no maximum: the fit is refused, with a "+
		"direction that separates all %d rows. With a ridge there is an answer, but the weaker the ridge the longer β: from %.2f at λ = 10 to %.1f at 10⁻⁴. "+
		"Firth's penalised likelihood stays finite by itself: ‖β‖ = %.2f.",
		sep.Rows, norms[0], norms[len(norms)-1], linalg.Norm(coef.Row(0)))
	return r, nil
}
