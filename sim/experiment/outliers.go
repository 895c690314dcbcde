package experiment

import (
	"fmt"

	"halfspace/linalg"
	"halfspace/sim/method"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

var outliers = &Experiment{
	Name:    "outliers",
	Title:   "Points far on the correct side move least squares, not logistic regression",
	Topic:   "Least squares",
	ESL:     "§4.2, §10.6",
	Formula: "(1 − yf)² against log(1 + e^(−yf))",
	run:     runOutliers,
}

func runOutliers(seed uint64) (*Result, error) {
	b, err := population.Gaussians([][]float64{{-1.2, 0}, {1.2, 0}}, [][][]float64{{{1, 0}, {0, 1}}}, nil)
	if err != nil {
		return nil, err
	}
	x, y := population.SampleClasses(b, []int{60, 60}, seed)
	far, err := population.Gaussian([]float64{9, -6}, [][]float64{{0.3, 0}, {0, 0.3}})
	if err != nil {
		return nil, err
	}
	rng := newRand(seed)
	r := &Result{}
	t := r.table("Error on 200,000 fresh points of the population without outliers", "far points", "least squares", "logistic")
	panels := &plot.Panels{Columns: 2}
	var counts, squares, logits []float64
	fittedThere := 0.0 // by least squares on ±1 without the far points, at their mean
	for _, count := range []int{0, 5, 10, 20, 40} {
		s := &trainingSet{linalg.Zeros(120+count, 2), append(append([]int{}, y...), make([]int, count)...)}
		copy(s.x.Data, x.Data)
		for i := 120; i < s.x.Rows; i++ {
			far.Sample(s.x.Row(i)[:0], rng)
			s.y[i] = 1
		}
		ls, err := fit(table(s.x, s.y, "0", "1"), "indicator", method.Options{})
		if err != nil {
			return nil, err
		}
		lr, err := fit(table(s.x, s.y, "0", "1"), "logistic", method.Options{})
		if err != nil {
			return nil, err
		}
		rates, err := freshErrors(b, []fitted{ls, lr}, 200_000, seed+1000)
		if err != nil {
			return nil, err
		}
		if count == 0 {
			fittedThere = function(ls.model)(9, -6)
		}
		t.Add(fmt.Sprint(count), rates[0], rates[1])
		counts, squares, logits = append(counts, float64(count)), append(squares, rates[0]), append(logits, rates[1])
		if count == 0 || count == 40 {
			p := &plot.Plot{Title: fmt.Sprintf("%d far points of class 1", count), X: plot.Axis{Label: "x₁", Min: -5, Max: 12}, Y: plot.Axis{Label: "x₂", Min: -9, Max: 5},
				Equal: true, Width: 560, Height: 480}
			p.Boundary("least squares", plot.Style{Color: plot.Purple, Width: 2}, function(ls.model))
			p.Boundary("logistic", plot.Style{Color: plot.Green, Dash: plot.Dashed, Width: 2.5}, function(lr.model))
			p.Scatter(s.x, 0, 1, s.y, classNames(2))
			panels.Plots = append(panels.Plots, p)
		}
	}
	r.draw("outliers", panels, "The boundaries of least squares on ±1 and of logistic regression, without and with 40 points of class 1 far beyond it.")
	curve := &plot.Plot{Title: "Error as far points are added", X: plot.Axis{Label: "far points of class 1"}, Y: plot.Axis{Label: "error rate"}}
	curve.Curve("least squares", plot.Style{Color: plot.Purple, Width: 2}, counts, squares)
	curve.Curve("logistic", plot.Style{Color: plot.Green, Dash: plot.Dashed, Width: 2}, counts, logits)
	r.draw("outliers-error", curve, "Error on fresh points of the two classes without the far ones, over how many far points of class 1 were among the rows of the fit.")
	last := len(counts) - 1
	r.say("The added points are on the correct side of any sensible boundary. Squared error punishes a fitted value of %.1f, which least squares on ±1 has in their midst, for not being 1, and turns the line to mend it: "+
		"its error goes from %.1f %% to %.1f %%. The logistic loss is next to nothing there: %.1f %% to %.1f %%.",
		fittedThere, 100*squares[0], 100*squares[last], 100*logits[0], 100*logits[last])
	return r, nil
}
