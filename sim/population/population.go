package population

import (
	"fmt"
	"math/rand/v2"

	"halfspace/discriminant"
	"halfspace/linalg"
)

// Gaussians returns the population of K classes 0 … K−1 with the given means and
// p×p covariances, which is also the Bayes rule for it. One covariance is shared
// by all classes; nil priors are uniform.
//
// Errors: those of [discriminant.NewGaussian] and [discriminant.NewBayes], and
// *[linalg.ShapeError].
func Gaussians(means [][]float64, covs [][][]float64, priors []float64) (*discriminant.Bayes, error) {
	if len(covs) != 1 && len(covs) != len(means) {
		return nil, fmt.Errorf("population: %w", &linalg.ShapeError{Want: len(means), WantOf: "means", Got: len(covs), GotOf: "covariances"})
	}
	classes := make([]int, len(means))
	densities := make([]discriminant.Density, len(means))
	for k, mean := range means {
		g, err := gaussian(mean, covs[k%len(covs)])
		if err != nil {
			return nil, fmt.Errorf("population: class %d: %w", k, err)
		}
		classes[k], densities[k] = k, g
	}
	b, err := discriminant.NewBayes(classes, densities, priors, nil)
	if err != nil {
		return nil, fmt.Errorf("population: %w", err)
	}
	return b, nil
}

func gaussian(mean []float64, cov [][]float64) (*discriminant.Gaussian, error) {
	s, err := linalg.FromRows(cov)
	if err != nil {
		return nil, err
	}
	return discriminant.NewGaussian(mean, s)
}

// Sample draws n rows from a population: for each a class by the priors, then
// the row. O(n) draws.
func Sample(b *discriminant.Bayes, n int, seed uint64) (x *linalg.Dense, y []int) {
	r := rand.New(rand.NewPCG(seed, 0))
	x, y = linalg.Zeros(n, b.Features()), make([]int, n)
	for i := range n {
		_, y[i] = b.Sample(x.Row(i)[:0], r)
	}
	return x, y
}

// SampleClasses draws counts[k] rows from class k of a population, class after
// class.
func SampleClasses(b *discriminant.Bayes, counts []int, seed uint64) (x *linalg.Dense, y []int) {
	r := rand.New(rand.NewPCG(seed, 0))
	n := 0
	for _, c := range counts {
		n += c
	}
	x = linalg.Zeros(n, b.Features())
	for k, class := range b.Classes() {
		d := b.Density(k)
		for range counts[k] {
			d.Sample(x.Row(len(y))[:0], r)
			y = append(y, class)
		}
	}
	return x, y
}
