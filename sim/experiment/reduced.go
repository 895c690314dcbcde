package experiment

import (
	"fmt"
	"slices"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/sim/dataset"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

var reduced = &Experiment{
	Name:    "reduced",
	Title:   "Reduced-rank LDA: canonical coordinates of iris, and error by rank",
	Topic:   "Classes as Gaussians",
	ESL:     "§4.3.3",
	Formula: "max aᵀBa subject to aᵀWa = 1 (4.16)",
	run:     runReduced,
}

func runReduced(seed uint64) (*Result, error) {
	r := &Result{}
	proportion, err := irisCoordinates(r)
	if err != nil {
		return nil, err
	}
	best, full, err := errorByRank(r, seed)
	if err != nil {
		return nil, err
	}
	r.say("In iris the first discriminant coordinate holds %.1f %% of the variance between the classes, so one number a flower nearly tells the species. "+
		"The ten simulated classes have centroids in a three-dimensional subspace of twenty dimensions: with %d coordinates the error on fresh points is %.1f %%, with all nine %.1f %%, "+
		"because the other coordinates carry the noise of the estimated centroids.", 100*proportion, best.rank, 100*best.error, 100*full)
	return r, nil
}

func irisCoordinates(r *Result) (proportion float64, err error) {
	d := dataset.Iris()
	m, err := discriminant.FitReducedRank(d.X, d.Labels, nil)
	if err != nil {
		return 0, err
	}
	z := linalg.Zeros(d.X.Rows, m.Rank())
	for i := range z.Rows {
		m.Project(z.Row(i)[:0], d.X.Row(i))
	}
	p := &plot.Plot{Title: "Iris in its discriminant coordinates", X: plot.Axis{Label: "first coordinate"}, Y: plot.Axis{Label: "second coordinate"}}
	p.Scatter(z, 0, 1, d.Labels, d.Names)
	c := m.Centroids()
	p.Points("centroids", plot.Ink, plot.Plus, c.Col(nil, 0), c.Col(nil, 1))
	r.draw("reduced-iris", p, "The flowers in the two discriminant coordinates of their species (canonical variates); the covariance pooled within the species is the identity.")
	t := r.table("Discriminant coordinates of iris", "coordinate", "singular value", "proportion of trace")
	for i, s := range m.SingularValues() {
		t.Add(fmt.Sprint(i+1), s, m.Proportion()[i])
	}
	return m.Proportion()[0], nil
}

type rankError struct {
	rank  int
	error float64
}

// errorByRank fits every rank to ten classes in twenty dimensions.
func errorByRank(r *Result, seed uint64) (best rankError, full float64, err error) {
	const k, p, inner = 10, 20, 3
	means := make([][]float64, k)
	for c := range means {
		means[c] = make([]float64, p)
		for j := range inner {
			// The vertices of a grid, in the first three dimensions.
			means[c][j] = 2.2 * float64((c+1)/[]int{1, 3, 9}[j]%3-1)
		}
	}
	cov := make([][]float64, p)
	for i := range cov {
		cov[i] = make([]float64, p)
		cov[i][i] = 1
	}
	b, err := population.Gaussians(means, [][][]float64{cov}, nil)
	if err != nil {
		return best, 0, err
	}
	x, y := population.SampleClasses(b, slices.Repeat([]int{15}, k), seed)
	xNew, yNew := population.Sample(b, 20_000, seed+1000)
	var ranks, training, fresh []float64
	t := r.table("Error by rank, ten simulated classes", "rank", "training", "20,000 fresh points")
	for rank := 1; rank < k; rank++ {
		m, err := discriminant.FitReducedRank(x, y, &discriminant.Options{Rank: rank})
		if err != nil {
			return best, 0, err
		}
		train, err := errorOf(m, x, y)
		if err != nil {
			return best, 0, err
		}
		e, err := errorOf(m, xNew, yNew)
		if err != nil {
			return best, 0, err
		}
		ranks, training, fresh = append(ranks, float64(rank)), append(training, train), append(fresh, e)
		t.Add(fmt.Sprint(rank), train, e)
		if rank == 1 || e < best.error {
			best = rankError{rank, e}
		}
	}
	plt := &plot.Plot{Title: "Error by the number of discriminant coordinates", X: plot.Axis{Label: "rank"}, Y: plot.Axis{Label: "error rate"}}
	plt.Curve("training", plot.Style{Color: plot.Green, Width: 2}, ranks, training)
	plt.Curve("fresh points", plot.Style{Width: 2.5}, ranks, fresh)
	r.draw("reduced-rank", plt, "Errors on the training rows and on fresh points over how many discriminant coordinates LDA may use: ten classes of 15 points in %d dimensions, the true centroids in a subspace of %d.", p, inner)
	return best, fresh[len(fresh)-1], nil
}
