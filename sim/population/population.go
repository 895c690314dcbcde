package population

import (
	"fmt"
	"math/rand/v2"

	"halfspace/discriminant"
	"halfspace/linalg"
)

// Gaussian returns the density N(mean, cov).
//
// Errors: those of [discriminant.NewGaussian].
func Gaussian(mean []float64, cov [][]float64) (*discriminant.Gaussian, error) {
	s, err := linalg.FromRows(cov)
	if err != nil {
		return nil, fmt.Errorf("population: %w", err)
	}
	return discriminant.NewGaussian(mean, s)
}

// Mixture returns the density Σ wᵢφ(x; μᵢ, Σᵢ) with the given weights, means and
// covariances. One covariance is shared by all parts. A class of it is one of the
// densities of [discriminant.NewBayes].
//
// Errors: those of [discriminant.NewGaussian] and [discriminant.NewMixture], and
// *[linalg.ShapeError].
func Mixture(weights []float64, means [][]float64, covs [][][]float64) (*discriminant.Mixture, error) {
	if err := oneEach(means, covs); err != nil {
		return nil, err
	}
	parts := make([]*discriminant.Gaussian, len(means))
	for i, mean := range means {
		var err error
		if parts[i], err = Gaussian(mean, covs[i%len(covs)]); err != nil {
			return nil, fmt.Errorf("population: part %d: %w", i, err)
		}
	}
	return discriminant.NewMixture(weights, parts)
}

// oneEach refuses covariances that are neither one nor one a mean.
func oneEach(means [][]float64, covs [][][]float64) error {
	if len(covs) != 1 && len(covs) != len(means) {
		return fmt.Errorf("population: %w", &linalg.ShapeError{Want: len(means), WantOf: "means", Got: len(covs), GotOf: "covariances"})
	}
	return nil
}

// Gaussians returns the population of K classes 0 … K−1 with the given means and
// p×p covariances, which is also the Bayes rule for it. One covariance is shared
// by all classes; nil priors are uniform.
//
// Errors: those of [discriminant.NewGaussian] and [discriminant.NewBayes], and
// *[linalg.ShapeError].
func Gaussians(means [][]float64, covs [][][]float64, priors []float64) (*discriminant.Bayes, error) {
	if err := oneEach(means, covs); err != nil {
		return nil, err
	}
	classes := make([]int, len(means))
	densities := make([]discriminant.Density, len(means))
	for k, mean := range means {
		g, err := Gaussian(mean, covs[k%len(covs)])
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
// class. It panics for another number of counts than of classes, and for one below 0.
func SampleClasses(b *discriminant.Bayes, counts []int, seed uint64) (x *linalg.Dense, y []int) {
	classes := b.Classes()
	if len(counts) != len(classes) {
		panic(fmt.Sprintf("population: %d classes but %d counts", len(classes), len(counts)))
	}
	r := rand.New(rand.NewPCG(seed, 0))
	n := 0
	for k, c := range counts {
		if c < 0 {
			panic(fmt.Sprintf("population: %d rows of class %d", c, classes[k]))
		}
		n += c
	}
	x = linalg.Zeros(n, b.Features())
	for k, class := range classes {
		d := b.Density(k)
		for range counts[k] {
			d.Sample(x.Row(len(y))[:0], r)
			y = append(y, class)
		}
	}
	return x, y
}
