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
	Name:    "noise",
	Title:   "One bad point: the hard margin collapses, the soft one holds",
	Topic:   "Separating planes",
	ESL:     "§4.5.2, §12.2",
	Formula: "min ½‖β‖², yᵢf(xᵢ) ≥ 1 (4.48), and with slack (12.8)",
	run:     runNoise,
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

// closeTo returns a point that is 0.4 margins away from a row of class 1, along a
// direction turned from the normal as far as leaves the classes separable with the point
// in class 0: the margin is then at most a fifth, and the plane has to turn.
func closeTo(x *linalg.Dense, y []int) ([]float64, error) {
	m, err := hyperplane.FitHardMargin(x, y, nil)
	if err != nil {
		return nil, err
	}
	normal := m.Machines()[0].Plane.Normal()
	for angle := 50.0; angle >= 0; angle -= 10 {
		sin, cos := math.Sincos(angle * math.Pi / 180)
		d := []float64{cos*normal[0] - sin*normal[1], sin*normal[0] + cos*normal[1]}
		point := foremost(x, y, d)
		linalg.Axpy(point, -0.4*m.Margin()/linalg.Norm(d), d)
		spoilt := linalg.Zeros(x.Rows+1, 2)
		copy(spoilt.Data, x.Data)
		copy(spoilt.Row(x.Rows), point)
		_, err := hyperplane.FitHardMargin(spoilt, append(append([]int{}, y...), 0), nil)
		var none *hyperplane.InfeasibleError
		if err == nil || !errors.As(err, &none) {
			return point, err
		}
	}
	return nil, errors.New("no place for a point that leaves the classes separable")
}

// foremost returns a copy of the row of class 1 that lies least far along d.
func foremost(x *linalg.Dense, y []int, d []float64) []float64 {
	var point []float64
	for i := range y {
		if y[i] == 1 && (point == nil || x.Dot(i, d) < linalg.Dot(point, d)) {
			point = x.Row(i)
		}
	}
	return append([]float64{}, point...)
}

// noiseFit is one model on one of the sets.
type noiseFit struct {
	plane     *hyperplane.Plane
	support   []int   // nil: the model has none
	least     float64 // the least geometric margin
	halfWidth float64 // 1/‖β‖ of a margin; 0: the model has none
	training  float64 // accuracies
	fresh     float64
	turned    float64 // degrees from the plane on the clean set
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
	f := &noiseFit{}
	var m sim.Classifier
	if model == 0 {
		p, err := hyperplane.FitPerceptron(s.x, s.y, &hyperplane.PerceptronOptions{MaxEpochs: 500})
		if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			return nil, err
		}
		f.plane, m = p.Plane(), p
	} else {
		p, err := hyperplane.FitSVC(s.x, s.y, &hyperplane.SVCOptions{C: []float64{1e6, 1}[model-1]})
		if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			return nil, err
		}
		f.plane, m, f.support, f.halfWidth = p.Machines()[0].Plane, p, p.Support(), p.Margin()
	}
	var err error
	if f.least, err = marginOf(f.plane, s); err != nil {
		return nil, err
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
	t := r.table("Planes on clean and on spoilt data", "data", "model", "least distance", "half-width 1/‖β‖", "support vectors", "training accuracy", "fresh accuracy", "turned by")
	panels := &plot.Panels{Columns: 2}
	for i, s := range sets {
		for k, f := range all[i] {
			support, half := "–", "–"
			if k > 0 {
				support, half = fmt.Sprint(len(f.support)), fmt.Sprintf("%.4f", f.halfWidth)
				panels.Plots = append(panels.Plots, drawNoise(names[i]+": "+noiseModels[k], s, f, all[i][0].plane))
			}
			t.Add(names[i], noiseModels[k], f.least, half, support, f.training, f.fresh, fmt.Sprintf("%.1f°", f.turned))
		}
	}
	r.draw("noise", panels, "Planes, margins (dashed) and support vectors (rings) of C = 10⁶ and of C = 1, with the perceptron's plane, on the clean set and on spoilt ones. A cross marks each spoilt row.")
	refused, err := refusals(sets)
	if err != nil {
		return nil, err
	}
	clean, bad := all[0], all[1]
	r.say("One point of class 0 near class 1, aside of the way across, leaves the classes separable, and the hard margin (C = 10⁶) has to go round it: its half-width falls from %.3f to %.3f, the plane turns by %.0f°, and "+
		"the accuracy on fresh points of the clean population goes from %.2f %% to %.2f %%. "+
		"At C = 1 the point pays its slack instead: half-width %.3f and %.3f, turned by %.0f°, accuracy %.2f %% and %.2f %%. "+
		"Half-width is 1/‖β‖, half the slab between the dashed lines; the least distance of a row is the same for a hard margin, but less for a soft one, which lets rows inside. "+
		"The perceptron never settles where the classes overlap, and its last plane can be far off. The hard margin itself refuses %d of the four sets: those on which convex combinations of both classes coincide.",
		clean[1].halfWidth, bad[1].halfWidth, bad[1].turned, 100*clean[1].fresh, 100*bad[1].fresh,
		clean[2].halfWidth, bad[2].halfWidth, bad[2].turned, 100*clean[2].fresh, 100*bad[2].fresh, refused)
	return r, nil
}

// drawNoise draws a plane with its margins and support vectors, and marks the rows after
// the eighty clean ones.
func drawNoise(title string, s *trainingSet, f noiseFit, perceptron *hyperplane.Plane) *plot.Plot {
	p := &plot.Plot{Title: title, X: plot.Axis{Label: "x₁", Min: -2.3, Max: 2.3}, Y: plot.Axis{Label: "x₂", Min: -2.2, Max: 2.2}, Equal: true, Width: 560, Height: 460}
	p.Boundary("perceptron", plot.Style{Color: plot.Purple, Width: 2, Dash: plot.Dotted}, func(x, y float64) float64 { return perceptron.Value([]float64{x, y}) })
	p.Margin("plane and margins", plot.Style{Width: 2.5}, [2]float64(f.plane.Normal()), f.plane.Intercept())
	p.Scatter(s.x, 0, 1, s.y, classNames(2))
	var x, y []float64
	for _, i := range f.support {
		x, y = append(x, s.x.At(i, 0)), append(y, s.x.At(i, 1))
	}
	p.Rings("support vectors", x, y)
	if bad := s.x.RowRange(80, s.x.Rows); bad.Rows > 0 {
		p.Points("spoilt", plot.Ink, plot.Cross, bad.Col(nil, 0), bad.Col(nil, 1))
	}
	return p
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
