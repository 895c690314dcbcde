package plot_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"halfspace/discriminant"
	"halfspace/sim/dataset"
	"halfspace/sim/plot"
)

// Fisher's irises by petal length and width, and where LDA divides them.
func Example() {
	iris := dataset.Iris()
	x, err := iris.X.Clone(), error(nil)
	x.Cols, x.Data = 2, x.Data[2:] // a window on the last two columns
	m, err := discriminant.FitLDA(x, iris.Labels, nil)
	if err != nil {
		log.Fatal(err)
	}
	p := &plot.Plot{Title: "LDA on irises", X: plot.Axis{Label: "petal length, cm"}, Y: plot.Axis{Label: "petal width, cm"}}
	p.Regions(func(x, y float64) int { return m.Predict([]float64{x, y}) })
	p.Scatter(x, 0, 1, iris.Labels, iris.Names)
	p.Decision("boundary", plot.Style{}, 3, func(dst []float64, x, y float64) []float64 {
		return m.Scores(dst, []float64{x, y})
	})
	dir, err := os.MkdirTemp("", "plot")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	f, err := os.Create(filepath.Join(dir, "iris.svg"))
	if err != nil {
		log.Fatal(err)
	}
	if err := p.SVG(f); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(f.Name())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Count(string(text), "<marker "), "kinds of points")
	// Output: 3 kinds of points
}

// Panels set plots side by side.
func ExamplePanels() {
	left := &plot.Plot{Title: "hinge", X: plot.Axis{Label: "y·f", Min: -2, Max: 2}}
	left.Func("", plot.Style{Color: plot.Blue}, func(m float64) float64 { return max(0, 1-m) })
	right := &plot.Plot{Title: "squared", X: plot.Axis{Label: "y·f", Min: -2, Max: 2}}
	right.Func("", plot.Style{Color: plot.Orange}, func(m float64) float64 { return (1 - m) * (1 - m) })
	var b strings.Builder
	if err := (&plot.Panels{Plots: []*plot.Plot{left, right}}).SVG(&b); err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.String()[:93])
	// Output: <svg xmlns="http://www.w3.org/2000/svg" class="halfspace" viewBox="0 0 960 440" width="960" h
}
