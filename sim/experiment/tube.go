package experiment

import (
	"fmt"
	"math"

	"halfspace/hyperplane"
	"halfspace/hyperplane/cpath"
	"halfspace/linalg"
	"halfspace/sim/plot"
)

var tube = &Experiment{
	Name:    "tube",
	Title:   "Support vector regression: a tube around a line",
	Topic:   "Separating planes",
	ESL:     "§12.3.6",
	Formula: "min ½‖β‖² + CΣ max(0, |y − f| − ε) (12.36, 12.37)",
	run:     runTube,
}

func runTube(seed uint64) (*Result, error) {
	x, y := noisyLine(40, newRand(seed))
	y[3] += 6 // one far off
	r := &Result{}
	t := r.table("Tubes of three heights, C = 1", "ε", "slope", "rows inside", "on the tube", "beyond", "largest residual of the conditions", "primal − dual")
	panels := &plot.Panels{Columns: 2}
	var inside [3]int
	var slopes [3]float64
	for n, epsilon := range []float64{0.1, 0.5, 1.2} {
		m, err := hyperplane.FitSVR(x, y, &hyperplane.SVROptions{Epsilon: epsilon})
		if err != nil {
			return nil, err
		}
		k, err := m.Conditions(x, y, nil)
		if err != nil {
			return nil, err
		}
		var counts [3]int
		var sx, sy []float64
		for i, a := range k.Alpha {
			switch {
			case a == 0:
				counts[0]++
			case math.Abs(a) < m.C():
				counts[1]++
			default:
				counts[2]++
			}
			if a != 0 {
				sx, sy = append(sx, x.At(i, 0)), append(sy, y[i])
			}
		}
		slope, at := m.Plane().Normal()[0], m.Plane().Intercept()
		t.Add(epsilon, slope, counts[0], counts[1], counts[2], fmt.Sprintf("%.1e", math.Max(k.Stationarity, math.Max(k.DualFeasibility, k.ComplementarySlackness))), fmt.Sprintf("%.1e", math.Abs(k.Primal-k.Dual)))
		inside[n], slopes[n] = counts[0], slope
		if n == 0 {
			continue
		}
		p := &plot.Plot{Title: fmt.Sprintf("ε = %g", epsilon), X: plot.Axis{Label: "x"}, Y: plot.Axis{Label: "y"}, Width: 560, Height: 440}
		p.Points("data", plot.Brown, plot.Circle, x.Col(nil, 0), y)
		p.Func("f", plot.Style{Width: 2.5}, func(v float64) float64 { return at + slope*v })
		for _, side := range []float64{-1, 1} {
			p.Func([]string{"f ± ε", ""}[int(side+1)/2], plot.Style{Dash: plot.Dashed, Width: 1.5}, func(v float64) float64 { return at + slope*v + side*epsilon })
		}
		p.Rings("support vectors", sx, sy)
		panels.Plots = append(panels.Plots, p)
	}
	r.draw("tube", panels, "Support vector regression for two half-heights ε: the line, its tube f ± ε (dashed), and the rows on its edge or outside (rings), which alone determine the line.")
	r.say("Rows strictly inside the tube have no multiplier, and the wider the tube, the more there are: %d, %d and %d of 40. A row beyond pulls with the force C whatever its distance, also the one that has been moved up by 6. The slopes are %.2f, %.2f and %.2f; the population has 2.",
		inside[0], inside[1], inside[2], slopes[0], slopes[1], slopes[2])
	return r, tubePath(r, x, y)
}

// tubePath draws the slope on the exact path over C.
func tubePath(r *Result, x *linalg.Dense, y []float64) error {
	path, err := cpath.FitSVR(x, y, 0.5, &cpath.Options{MinC: 1e-3, MaxC: 10})
	if err != nil {
		return err
	}
	var cs, slopes []float64
	for k, a := range path.Points[:len(path.Points)-1] { // on a logarithmic axis the pieces are bent
		b := path.Points[k+1]
		for t := 0.0; t < 1; t += 1.0 / 16 {
			cs, slopes = append(cs, a.C+t*(b.C-a.C)), append(slopes, a.Beta[0]+t*(b.Beta[0]-a.Beta[0]))
		}
	}
	p := &plot.Plot{Title: "The slope over C, ε = 0.5", X: plot.Axis{Label: `C`, Log: true}, Y: plot.Axis{Label: "slope"}}
	p.Curve("slope", plot.Style{Color: plot.Ink, Width: 2}, cs, slopes)
	r.draw("tube-path", p, "The slope of the line over C, the price of leaving the tube, on the exact path: a line in C between two breakpoints, which the logarithmic axis bends.")
	first, last := path.Points[0], path.Points[len(path.Points)-1]
	r.say("As for the classifier, the fit is piecewise linear in C. From C = %g to %g there are %d breakpoints, the slope goes from %.3f to %.2f, and %d rows at first and %d at last are outside the tube; "+
		"the duality gap of this path, apart from the fits of the table, is at most %.0e of the objective at the breakpoints and half-way between them.", first.C, last.C, len(path.Points), first.Beta[0], last.Beta[0], first.Inside, last.Inside, path.Gap)
	return nil
}
