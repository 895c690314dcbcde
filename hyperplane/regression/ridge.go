package regression

import (
	"math"

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
// Errors: those of FitOLS; *[sample.OptionError] for a λ < 0 or with L1Ratio. With
// [optimize.ErrNotConverged], where rounding leaves a certificate above its
// tolerance, the model is not nil.
func FitRidge(x *linalg.Dense, y []float64, o *Options) (*Model, error) {
	if o == nil {
		o = &Options{}
	}
	m, err := ridgePath(x, y, []float64{o.Lambda}, o)
	if m == nil {
		return nil, wrap(err)
	}
	return m[0], wrap(err)
}

// RidgePath returns [FitRidge] at each of the given λ, in their order, from one
// singular value decomposition of the centred (and standardised) rows, X = UDVᵀ:
//
//	β(λ) = Σₖ vₖ·dₖuₖᵀy/(dₖ² + λ),  df(λ) = Σₖ dₖ²/(dₖ² + λ)
//
// (ESL 3.47, 3.50). nil asks for o.Count values, from the λ at which the path of
// [ElasticNetPath] starts down to 1e-4 of it (1e-2 for more columns than rows).
// Lambda in o is not used.
//
// The singular values come from XᵀX (from XXᵀ for more columns than rows) if the
// smallest λ > 0 is above 1e-6 of their sum of squares, which covers the rounding
// there, and else from a QR factorisation and Jacobi's rotations of the triangle.
// O(np·min(n, p)) once, then O(np) a λ for its certificate. Memory is O(n + p²) for
// n > 2p or from XᵀX, and else a copy of x.
//
// Errors: those of FitRidge; the models up to the one that failed are returned
// with it.
func RidgePath(x *linalg.Dense, y, lambdas []float64, o *Options) ([]*Model, error) {
	if o == nil {
		o = &Options{}
	}
	path, err := ridgePath(x, y, lambdas, o)
	return path, wrap(err)
}

func ridgePath(x *linalg.Dense, y, lambdas []float64, o *Options) ([]*Model, error) {
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
		if lambdas, err = lambdaGrid(c.lambdaMax(zero, unit, 0), x, o); err != nil {
			return nil, err
		}
	}
	s, err := c.decompose(zero, unit, lambdas)
	if err != nil {
		return nil, err
	}
	var path []*Model
	for _, l := range lambdas {
		m, err := s.fit(l, o)
		if m != nil {
			path = append(path, m)
		}
		if err != nil {
			return path, err
		}
	}
	return path, nil
}

// spectrum is the decomposition of the rows in units, which all λ share.
type spectrum struct {
	c      *cloud
	unit   []float64
	square []float64     // d²
	v      *linalg.Dense // the direction in its row k has
	along  []float64     // the share along[k]/(d²+λ) in β

	orthonormal bool // the directions are, so that along is Vg
}

// gramShare is the least λ, relative to Σd², at which rounding in XᵀX, 2⁻⁵²Σd²,
// leaves β ten digits.
const gramShare = 1e-6

// decompose finds the singular values, if any λ needs them: as roots of the
// eigenvalues of XᵀX or XXᵀ where the smallest λ covers their rounding, which is
// many times faster; else from the rows themselves.
func (c *cloud) decompose(zero *fit, unit, lambdas []float64) (*spectrum, error) {
	s := &spectrum{c: c, unit: unit}
	g := make([]float64, len(unit)) // XᵀWy in units
	for j, u := range unit {
		g[j] = zero.gradient[j] / u
	}
	least, total := math.Inf(1), 0.0
	for _, l := range lambdas {
		if l > 0 {
			least = math.Min(least, l)
		}
	}
	for j, x := range c.norms {
		total += x / unit[j] * (x / unit[j])
	}
	switch {
	case math.IsInf(least, 1):
		return s, nil
	case !(least > gramShare*total):
		return s, s.fromRows(g)
	case c.x.Rows < c.x.Cols:
		return s, s.fromOuter()
	}
	return s, s.fromGram(g)
}

func (s *spectrum) fromRows(g []float64) error {
	a, err := s.c.compact(s.unit)
	if err != nil {
		return err
	}
	svd, err := linalg.NewSVD(a)
	if err != nil {
		return err
	}
	s.v = svd.V
	for k, d := range svd.Values {
		s.square = append(s.square, d*d)
		if d <= linalg.RankTol*s.noise(s.v.Row(k)) {
			s.square[k] = 0 // but for rounding: so is vᵀg
		}
	}
	s.project(g)
	return nil
}

// project sets along to Vg.
func (s *spectrum) project(g []float64) {
	s.orthonormal = true
	s.along = make([]float64, s.v.Rows)
	linalg.MulVec(s.along, s.v, g, s.c.workers)
}

// fromGram uses XᵀX = VᵀD²V.
func (s *spectrum) fromGram(g []float64) error {
	gram := linalg.Gram(s.c.x, s.c.origin, s.c.w, s.c.workers)
	for j, u := range s.unit {
		row := gram.Row(j)
		for k, v := range s.unit {
			row[k] = row[k] / u / v
		}
	}
	e, err := linalg.SymEigen(gram)
	if err != nil {
		return err
	}
	s.square, s.v = e.Values, e.Vectors
	s.project(g)
	return nil
}

// fromOuter uses XXᵀ = UᵀD²U: β = Xᵀ(XXᵀ + λ)⁻¹y, in which no d is divided by.
func (s *spectrum) fromOuter() error {
	a, err := s.c.compact(s.unit)
	if err != nil {
		return err
	}
	outer := linalg.Zeros(a.Rows, a.Rows)
	linalg.MulBT(outer, a, a, s.c.workers)
	e, err := linalg.SymEigen(outer)
	if err != nil {
		return err
	}
	s.square, s.v = e.Values, linalg.Zeros(a.Rows, a.Cols)
	linalg.MulAdd(s.v, 1, e.Vectors, a)
	y := s.c.moved().Data
	for i := range y {
		y[i] *= math.Sqrt(s.c.weight(i))
	}
	s.along = make([]float64, a.Rows)
	linalg.MulVec(s.along, e.Vectors, y, s.c.workers)
	return nil
}

// compact returns a matrix A with AᵀA = XᵀWX of the centred rows in units: a p×p
// triangle for n > 2p, else the n rows.
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
		a = c.rows()
	}
	for i := range a.Rows {
		row := a.Row(i)
		for j, u := range unit {
			row[j] /= u
		}
	}
	return a, nil
}

// fit returns the model at λ.
func (s *spectrum) fit(lambda float64, o *Options) (*Model, error) {
	own := *o
	own.Lambda = lambda
	p := len(s.unit)
	beta := make([]float64, p)
	var df float64
	if lambda == 0 {
		m, err := fitOLS(s.c.x, s.c.z, &Options{NoIntercept: o.NoIntercept, MinNorm: o.MinNorm, Weights: o.Weights, Workers: o.Workers})
		if m == nil {
			return nil, err
		}
		beta, df = m.plane.Normal(), m.df
	} else {
		df = s.shrink(beta, lambda)
	}
	f := s.c.residuals(beta)
	gamma := s.scaled(beta)
	residual := s.c.normalResidual(f, lambda, s.unit, gamma)
	if s.orthonormal && lambda > 0 && residual > directTol {
		s.refine(beta, gamma, f, lambda)
		f = s.c.residuals(beta)
		gamma = s.scaled(beta)
		residual = s.c.normalResidual(f, lambda, s.unit, gamma)
	}
	// Columns of sizes that no decomposition spans leave a residual: status line_search.
	r := optimize.Report{}.Certify(f.rss/2+lambda/2*linalg.Dot(gamma, gamma),
		optimize.Certificate{Kind: optimize.KindResidual, Value: residual, Tol: directTol})
	m, err := s.c.newModel(beta, &own, df, f, r)
	if err != nil {
		return nil, err
	}
	return m, r.Err(nil)
}

// scaled returns the coefficients of the columns in units.
func (s *spectrum) scaled(beta []float64) []float64 {
	gamma := make([]float64, len(beta))
	for j, b := range beta {
		gamma[j] = s.unit[j] * b
	}
	return gamma
}

// refine is one step of iterative refinement: what beta leaves of the normal
// equations is solved for by the same decomposition.
func (s *spectrum) refine(beta, gamma []float64, f *fit, lambda float64) {
	left := make([]float64, len(beta))
	for j, u := range s.unit {
		left[j] = f.gradient[j]/u - lambda*gamma[j]
	}
	along := make([]float64, s.v.Rows)
	linalg.MulVec(along, s.v, left, s.c.workers)
	step := make([]float64, len(beta))
	for k, d := range s.square {
		linalg.Axpy(step, along[k]/(d+lambda), s.v.Row(k))
	}
	for j, v := range step {
		beta[j] += v / s.unit[j]
	}
}

// shrink sets beta to β(λ) and returns the degrees of freedom.
func (s *spectrum) shrink(beta []float64, lambda float64) (df float64) {
	for k, d := range s.square {
		if d > 0 {
			linalg.Axpy(beta, s.along[k]/(d+lambda), s.v.Row(k))
			df += d / (d + lambda)
		}
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

// lambdaGrid returns o.Count values from top down to 1e-4 of it, 1e-2 for more
// columns than rows, in equal ratios.
func lambdaGrid(top float64, x *linalg.Dense, o *Options) ([]float64, error) {
	count, err := sample.Count("Count", o.Count, 100)
	if err != nil {
		return nil, err
	}
	least := 1e-4
	if x.Rows < x.Cols {
		least = 1e-2
	}
	if top == 0 { // no column says anything about y: any λ does
		top = 1
	}
	grid := make([]float64, count)
	for k := range grid {
		grid[k] = top * math.Pow(least, float64(k)/float64(max(1, count-1)))
	}
	return grid, nil
}
