package logistic

import (
	"fmt"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// FitCounts fits grouped data: row i of x stands for trials[i] trials of which
// successes[i] were of class 1. It is [Fit] on the ungrouped rows, labels 0 and
// 1, with the same errors; *[CountError] for counts that are not 0 ≤ successes ≤
// trials. Weights repeat rows, and so multiply their trials.
func FitCounts(x linalg.Rows, successes, trials []float64, o *Options) (*Model, error) {
	p, err := newCounts(x, successes, trials, o)
	if err != nil {
		return nil, wrap(err)
	}
	m, err := p.fit()
	return m, wrap(err)
}

// CountError reports counts that are not 0 ≤ successes ≤ trials.
type CountError struct {
	Row               int
	Successes, Trials float64
}

func (e *CountError) Error() string {
	return fmt.Sprintf("row %d has %g successes of %g trials", e.Row, e.Successes, e.Trials)
}

// newCounts checks grouped data and options; nil options are the defaults. The weights
// of the problem's rows are those of the options times the trials.
func newCounts(x linalg.Rows, successes, trials []float64, o *Options) (*problem, error) {
	if o == nil {
		o = &Options{}
	}
	n, _, err := sample.Dims(x, len(successes), "successes")
	if err != nil {
		return nil, err
	}
	if _, _, err := sample.Dims(x, len(trials), "trials"); err != nil {
		return nil, err
	}
	if err := sample.Unused(o, "as counts are of the classes 0 and 1, weighed by the trials", "Classes", "ClassWeights"); err != nil {
		return nil, err
	}
	if _, err := sample.Weights(o.Weights, n); err != nil {
		return nil, err
	}
	r, weights, err := groupedResponse(successes, trials, o.Weights)
	if err != nil {
		return nil, err
	}
	d, err := newDesign(x, n, "rows", weights, o)
	if err != nil {
		return nil, err
	}
	return &problem{d: d, r: r, o: o}, o.checkVectors(n, r.functions(), d.Dim())
}

// groupedResponse returns the response of groups of trials, and the weights w (nil: all
// ones) times the trials.
func groupedResponse(successes, trials, w []float64) (*response, []float64, error) {
	if err := linalg.CheckFinite("successes", successes); err != nil {
		return nil, nil, err
	}
	if err := linalg.CheckFinite("trials", trials); err != nil {
		return nil, nil, err
	}
	n := len(trials)
	r := &response{classes: []int{0, 1}, code: make([]int, n), target: make([]float64, n), count: make([]float64, 2)}
	weights := make([]float64, n)
	for i, m := range trials {
		s := successes[i]
		if s < 0 || s > m {
			return nil, nil, &CountError{i, s, m}
		}
		weights[i] = sample.WeightAt(w, i) * m
		r.count[0] += sample.WeightAt(w, i) * (m - s)
		r.count[1] += sample.WeightAt(w, i) * s
		switch s {
		case 0:
			r.code[i] = 0
		case m:
			r.code[i], r.target[i] = 1, 1
		default:
			r.code[i], r.target[i] = -1, s/m
		}
	}
	for k, n := range r.count {
		if n == 0 {
			return nil, nil, &linalg.ClassError{Class: k, Reason: "has no rows"}
		}
	}
	return r, weights, nil
}
