package engine

import (
	"fmt"
	"math"
	"slices"

	"halfspace/discriminant"
	"halfspace/sim/population"
)

var unit, narrow = [][][]float64{{{1, 0}, {0, 1}}}, [][][]float64{{{0.35, 0}, {0, 0.35}}}

// truth returns the population of a preset. All classes are Gaussian but those of xor,
// which have two heaps each.
func truth(preset string) (*discriminant.Bayes, error) {
	switch preset {
	case "two":
		return population.Gaussians([][]float64{{-1.2, -0.8}, {1.2, 0.8}}, unit, nil)
	case "three":
		return population.Gaussians([][]float64{{-2, -1.5}, {2, -1.5}, {0, 2}}, unit, nil)
	case "overlap":
		return population.Gaussians([][]float64{{-0.5, 0}, {0.5, 0.3}}, [][][]float64{{{1.4, 0.6}, {0.6, 1}}, {{1, -0.5}, {-0.5, 1.2}}}, nil)
	case "separable", "outlier":
		return population.Gaussians([][]float64{{-1.7, -1}, {1.7, 1}}, narrow, nil)
	case "line":
		return population.Gaussians([][]float64{{-3, -3}, {0, 0}, {3, 3}}, unit, nil)
	case "exercise":
		return population.Gaussians([][]float64{{0, 0}, {2, 2}}, [][][]float64{{{1, 0.5}, {0.5, 1}}, {{1, -0.3}, {-0.3, 1}}}, nil)
	case "xor":
		a, err := population.Mixture([]float64{0.5, 0.5}, [][]float64{{-1.5, -1.5}, {1.5, 1.5}}, narrow)
		if err != nil {
			return nil, err
		}
		b, err := population.Mixture([]float64{0.5, 0.5}, [][]float64{{-1.5, 1.5}, {1.5, -1.5}}, narrow)
		if err != nil {
			return nil, err
		}
		return discriminant.NewBayes([]int{0, 1}, []discriminant.Density{a, b}, nil, nil)
	}
	return nil, fmt.Errorf("no population is known of these points: the preset is %q", preset)
}

// draw makes a table of about f.Draw points, as many of each class, rounded to thousandths
// so that files hold them exactly. The preset outlier has one point more.
func (f *fit) draw() error {
	b, err := truth(f.Preset)
	if err != nil {
		return err
	}
	k := len(b.Classes())
	x, y := population.SampleClasses(b, slices.Repeat([]int{max(1, f.Draw/k)}, k), f.Seed)
	for i, label := range y {
		row := x.Row(i)
		f.Table = append(f.Table, math.Round(1000*row[0])/1000, math.Round(1000*row[1])/1000, float64(label), 0)
	}
	if f.Preset == "outlier" {
		f.Table = append(f.Table, -3.4, -2.6, 1, 0)
	}
	return nil
}
