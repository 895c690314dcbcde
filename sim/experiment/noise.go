package experiment

import (
	"errors"
	"fmt"
	"math"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

var noise = &Experiment{
	Name:  "noise",
	Title: "One bad point: the hard margin collapses, the soft one holds",
	run:   runNoise,
}

// noiseCases are a clean separable set and the same with points spoilt.
func noiseCases(seed uint64) (names []string, sets []*trainingSet, fresh *trainingSet, err error) {
	b, err := population.Gaussians([][]float64{{-1, 0}, {1, 0}}, [][][]float64{{{0.08, 0}, {0, 0.5}}}, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	x, y := population.SampleClasses(b, []int{40, 40}, seed)
	with := func(rows [][]float64, labels []int) *trainingSet {
		s := &trainingSet{linalg.Zeros(80+len(rows), 2), append(append([]int{}, y...), labels...)}
		copy(s.x.Data, x.Data)
		for i, row := range rows {
			copy(s.x.Row(80+i), row)
		}
		return s
	}
	noisy, err := closeTo(x, y)
	if err != nil {
		return nil, nil, nil, err
	}
	xNew, yNew := population.Sample(b, 20_000, seed+1000)
	return []string{"clean", "one noisy point", "several outliers", "contradictory labels"},
		[]*trainingSet{
			with(nil, nil),
			with([][]float64{noisy}, []int{0}),
			with([][]float64{{0.8, 0.5}, {1.05, -0.3}, {-0.9, 0.3}, {1.2, 0.8}}, []int{0, 0, 1, 0}),
			with([][]float64{x.Row(0), x.Row(45)}, []int{1, 0}),
		}, &trainingSet{xNew, yNew}, nil
}

// closeTo returns a point on class 0's side of every row of class 1, but 0.4
// margins away from one of them: with it in class 0 the margin is at most a fifth.
func closeTo(x *linalg.Dense, y []int) ([]float64, error) {
	m, err := hyperplane.FitHardMargin(x, y, nil)
	if err != nil {
		return nil, err
	}
	plane := m.Machines()[0].Plane
	normal := plane.Normal()
	for _, i := range m.Support() {
		if y[i] == 1 {
			point := append([]float64{}, x.Row(i)...)
			linalg.Axpy(point, -0.4*m.Margin()/plane.Norm(), normal)
			return point, nil
		}
	}
	return nil, errors.New("no support vector in class 1")
}

// noiseFit is one model on one of the sets.
type noiseFit struct {
	plane    *hyperplane.Plane
	support  int // −1: the model has none
	margin   float64
	training float64 // accuracies
	fresh    float64
	turned   float64 // degrees from the plane on the clean set
}

var noiseModels = []string{"perceptron", "svc, C = 10⁶", "svc, C = 1"}

// fitNoise fits the models to every set; the first set is the clean one.
func fitNoise(sets []*trainingSet, fresh *trainingSet) ([][]noiseFit, error) {
	all := make([][]noiseFit, len(sets))
	for i, s := range sets {
		for k := range noiseModels {
			f, err := fitNoisy(k, s, fresh)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				f.turned = degrees(f.plane.Normal(), all[0][k].plane.Normal())
			}
			all[i] = append(all[i], *f)
		}
	}
	return all, nil
}

func fitNoisy(model int, s, fresh *trainingSet) (*noiseFit, error) {
	f := &noiseFit{support: -1}
	var m sim.Classifier
	if model == 0 {
		p, err := hyperplane.FitPerceptron(s.x, s.y, &hyperplane.PerceptronOptions{MaxEpochs: 500})
		if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			return nil, err
		}
		f.plane, m = p.Plane(), p
		if f.margin, err = marginOf(f.plane, s); err != nil {
			return nil, err
		}
	} else {
		p, err := hyperplane.FitSVC(s.x, s.y, &hyperplane.SVCOptions{C: []float64{1e6, 1}[model-1]})
		if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			return nil, err
		}
		f.plane, m, f.support, f.margin = p.Machines()[0].Plane, p, len(p.Support()), p.Margin()
	}
	training, err := errorOf(m, s.x, s.y)
	if err != nil {
		return nil, err
	}
	wrong, err := errorOf(m, fresh.x, fresh.y)
	f.training, f.fresh = 1-training, 1-wrong
	return f, err
}

// degrees returns the angle between two normals.
func degrees(a, b []float64) float64 {
	c := linalg.Dot(a, b) / linalg.Norm(a) / linalg.Norm(b)
	return 180 / math.Pi * math.Acos(math.Max(-1, math.Min(1, c)))
}

func runNoise(seed uint64) (*Result, error) {
	names, sets, fresh, err := noiseCases(seed)
	if err != nil {
		return nil, err
	}
	all, err := fitNoise(sets, fresh)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	t := r.table("Planes on clean and on spoilt data", "data", "model", "margin", "support vectors", "training accuracy", "fresh accuracy", "turned by")
	panels := &plot.Panels{Columns: 2}
	for i, s := range sets {
		p := &plot.Plot{Title: names[i], X: plot.Axis{Label: "x₁", Min: -2.3, Max: 2.3}, Y: plot.Axis{Label: "x₂", Min: -2.2, Max: 2.2}, Equal: true, Width: 560, Height: 460}
		for k, f := range all[i] {
			support := "–"
			if f.support >= 0 {
				support = fmt.Sprint(f.support)
			}
			t.Add(names[i], noiseModels[k], f.margin, support, f.training, f.fresh, fmt.Sprintf("%.1f°", f.turned))
			style := []plot.Style{{Color: plot.Sky, Width: 2, Dash: plot.Dotted}, {Color: plot.Purple, Width: 2, Dash: plot.Dashed}, {Width: 2.5}}[k]
			p.Boundary(noiseModels[k], style, func(x, y float64) float64 { return f.plane.Value([]float64{x, y}) })
		}
		p.Scatter(s.x, 0, 1, s.y, classNames(2))
		panels.Plots = append(panels.Plots, p)
	}
	r.draw("noise", panels, "Three models on the clean set, with one noisy point, with outliers, and with two rows that occur with both labels.")
	refused, err := refusals(sets)
	if err != nil {
		return nil, err
	}
	r.say("One point of class 0 near class 1 leaves the classes separable, and the hard margin (C = 10⁶) has to go round it: its margin falls from %.2f to %.2f and the accuracy on fresh points of the clean population falls from %.2f %% to %.2f %%. "+
		"At C = 1 the point pays its slack instead: the margin goes from %.2f to %.2f and the accuracy from %.2f %% to %.2f %%. "+
		"The perceptron never settles where the classes overlap, and its last plane can be far off. The hard margin itself refuses %d of the four sets: those on which convex combinations of both classes coincide.",
		all[0][1].margin, all[1][1].margin, 100*all[0][1].fresh, 100*all[1][1].fresh,
		all[0][2].margin, all[1][2].margin, 100*all[0][2].fresh, 100*all[1][2].fresh, refused)
	return r, nil
}

// refusals counts the sets that have no separating plane.
func refusals(sets []*trainingSet) (n int, err error) {
	for _, s := range sets {
		_, err := hyperplane.FitHardMargin(s.x, s.y, nil)
		var none *hyperplane.InfeasibleError
		if errors.As(err, &none) {
			n++
		} else if err != nil {
			return 0, err
		}
	}
	return n, nil
}
