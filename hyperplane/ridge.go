package hyperplane

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/penalty"
)

// FitRidge minimises
//
//	½Σ wᵢ(yᵢ − oᵢ − f(xᵢ))² + λ/2·‖β‖²
//
// (ESL 3.41 with its λ), the intercept unpenalised. With Standardize β are the
// coefficients of columns divided by their standard deviation (divisor Σw), which
// is what MASS's lm.ridge does at the same λ and what Hastie and others recommend
// where units differ. At λ = 0 it is [FitOLS]. For many λ see [RidgePath].
//
// The certificate is that of FitOLS, with λβ subtracted. O(np·min(n, p)); memory as for RidgePath.
//
// Errors: those of FitOLS; *[sample.OptionError] for a λ < 0 or with L1Ratio.
func FitRidge(x *linalg.Dense, y []float64, o *RegressionOptions) (*Regression, error) {
	if o == nil {
		o = &RegressionOptions{}
	}
	m, err := ridgePath(x, y, []float64{o.Lambda}, o)
	if err != nil {
		return nil, fmt.Errorf("hyperplane: %w", err)
	}
	return m[0], nil
}

// RidgePath returns [FitRidge] at each of the given λ, in their order, from one
// singular value decomposition of the centred (and standardised) rows, X = UDVᵀ:
//
//	β(λ) = Σₖ vₖ·dₖuₖᵀy/(dₖ² + λ),  df(λ) = Σₖ dₖ²/(dₖ² + λ)
//
// (ESL 3.47, 3.50). nil asks for 100 values, from the λ at which the path of
// [ElasticNetPath] starts down to 1e-4 of it (1e-2 for more columns than rows).
// Lambda in o is not used.
//
// O(np·min(n, p)) once, then O(np) a λ for its certificate. Memory is O(n + p²) if
// n > 2p, by a QR factorisation of blocks of rows, and else a copy of x.
//
// Errors: those of FitRidge.
func RidgePath(x *linalg.Dense, y, lambdas []float64, o *RegressionOptions) ([]*Regression, error) {
	if o == nil {
		o = &RegressionOptions{}
	}
	path, err := ridgePath(x, y, lambdas, o)
	if err != nil {
		return nil, fmt.Errorf("hyperplane: %w", err)
	}
	return path, nil
}

func ridgePath(x *linalg.Dense, y, lambdas []float64, o *RegressionOptions) ([]*Regression, error) {
	if err := o.noL1(); err != nil {
		return nil, err
	}
	for _, l := range lambdas {
		if err := sample.NonNegative("Lambda", l); err != nil {
			return nil, err
		}
	}
	c, err := newCloud(x, y, o)
	if err != nil {
		return nil, err
	}
	zero := c.residuals(make([]float64, x.Cols))
	unit := c.units(o.Standardize)
	if lambdas == nil {
		lambdas = lambdaGrid(c.lambdaMax(zero, unit, 0), x)
	}
	s, err := c.decompose(unit, slices.ContainsFunc(lambdas, func(l float64) bool { return l > 0 }))
	if err != nil {
		return nil, err
	}
	path := make([]*Regression, len(lambdas))
	for k, l := range lambdas {
		if path[k], err = s.fit(l, zero, o); err != nil {
			return nil, err
		}
	}
	return path, nil
}

// spectrum is the decomposition of the rows in units, which all λ share.
type spectrum struct {
	c    *cloud
	unit []float64
	svd  *linalg.SVD
}

// decompose finds the singular values, if any λ needs them.
func (c *cloud) decompose(unit []float64, wanted bool) (*spectrum, error) {
	s := &spectrum{c: c, unit: unit}
	if !wanted {
		return s, nil
	}
	a, err := c.compact(unit)
	if err != nil {
		return nil, err
	}
	s.svd, err = linalg.NewSVD(a)
	return s, err
}

// compact returns a matrix A with AᵀA = XᵀWX of the centred rows in units: a p×p
// triangle, or the n rows where they are few.
func (c *cloud) compact(unit []float64) (*linalg.Dense, error) {
	n, p := c.x.Dims()
	var a *linalg.Dense
	if n > 2*p {
		t, err := linalg.NewTallQR(c.x, nil, c.origin, c.w, c.workers)
		if err != nil {
			return nil, err
		}
		a = t.R()
	} else {
		a = linalg.Zeros(n, p)
		for i := range n {
			if w := c.weight(i); w > 0 {
				c.row(a.Row(i), i)
				linalg.Scale(a.Row(i), math.Sqrt(w))
			}
		}
	}
	for i := range a.Rows {
		row := a.Row(i)
		for j, u := range unit {
			row[j] /= u
		}
	}
	return a, nil
}

// fit returns the model at λ; zero is the fit of no coefficients, whose gradient
// is Xᵀ W(z−m).
func (s *spectrum) fit(lambda float64, zero *fit, o *RegressionOptions) (*Regression, error) {
	own := *o
	own.Lambda = lambda
	p := len(s.unit)
	beta := make([]float64, p)
	df := float64(p)
	if lambda == 0 {
		m, err := fitOLS(s.c.x, s.c.z, &RegressionOptions{NoIntercept: o.NoIntercept, MinNorm: o.MinNorm, Weights: o.Weights, Workers: o.Workers})
		if err != nil {
			return nil, err
		}
		beta, df = m.plane.beta, m.df
	} else {
		df = s.shrink(beta, lambda, zero.gradient)
	}
	f := s.c.residuals(beta)
	gamma := make([]float64, p)
	for j, b := range beta {
		gamma[j] = s.unit[j] * b
	}
	r := optimize.Report{Status: optimize.Direct, Objective: f.rss/2 + lambda/2*linalg.Dot(gamma, gamma), Certificate: optimize.Certificate{
		Kind: "residual", Value: s.c.normalResidual(f, lambda, s.unit, gamma), Tol: directTol}}
	return s.c.newRegression(beta, &own, df, f, r)
}

// shrink sets beta to β(λ) = Σ vₖ·(vₖᵀg)/(dₖ²+λ), g = XᵀWy in units, and returns
// the degrees of freedom.
func (s *spectrum) shrink(beta []float64, lambda float64, gradient []float64) (df float64) {
	g := make([]float64, len(beta))
	for j := range g {
		g[j] = gradient[j] / s.unit[j]
	}
	for k, d := range s.svd.Values {
		v := s.svd.V.Row(k)
		if d <= linalg.RankTol*s.noise(v) {
			continue // a value of 0 but for rounding: vᵀg is 0 too
		}
		linalg.Axpy(beta, linalg.Dot(v, g)/(d*d+lambda), v)
		df += d * d / (d*d + lambda)
	}
	for j := range beta {
		beta[j] /= s.unit[j]
	}
	return df
}

// noise returns ‖(‖xⱼ‖vⱼ)ⱼ‖, what rounding in the columns is relative to in the
// singular value of v.
func (s *spectrum) noise(v []float64) float64 {
	sum := 0.0
	for j, x := range s.c.norms {
		sum = math.Hypot(sum, x/s.unit[j]*v[j])
	}
	return sum
}

// lambdaMax returns the λ at which the path starts: the least one at which all
// coefficients are zero.
func (c *cloud) lambdaMax(zero *fit, unit []float64, ratio float64) float64 {
	g := make([]float64, len(unit))
	for j := range g {
		g[j] = zero.gradient[j] / unit[j]
	}
	return penalty.ElasticNet{L1Ratio: ratio}.LambdaMax(g)
}

// lambdaGrid returns 100 values from top down to 1e-4 of it, 1e-2 for more
// columns than rows, in equal ratios.
func lambdaGrid(top float64, x *linalg.Dense) []float64 {
	const count = 100
	least := 1e-4
	if x.Rows < x.Cols {
		least = 1e-2
	}
	if top == 0 { // no column says anything about y: any λ does
		top = 1
	}
	grid := make([]float64, count)
	for k := range grid {
		grid[k] = top * math.Pow(least, float64(k)/(count-1))
	}
	return grid
}
