package regression

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/optimize/path"
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
// For y ~ N(f, σ²) and a prior βⱼ ~ N(0, τ²) it is the posterior's mode (MAP) and mean at
// λ = σ²/τ² (ESL §3.4.1, exercise 3.6).
//
// The certificate is that of FitOLS. O(np·min(n, p)); memory O(n + p²), or
// a copy of x for fewer rows than columns, and that of RidgePath where its decomposition is
// needed. More than 500 sparse rows of more than 2000 features are fitted by passes over their
// stored values in O(n + p) memory, by Newton's method with conjugate gradients, and fewer where
// their equations are nearly dependent; the certificate is then a
// bound on the excess of the objective, relative to it (package optimize/glm), and the degrees
// of freedom are NaN.
//
// Errors: those of FitOLS; *[sample.OptionError] for a λ < 0 or with L1Ratio. With
// [optimize.ErrNotConverged], where rounding leaves a certificate above its
// tolerance, the model is not nil.
func FitRidge(x linalg.Rows, y []float64, o *Options) (*Model, error) {
	if o == nil {
		o = &Options{}
	}
	if err := cmp.Or(o.single("Standardize"), o.closed("L1Ratio")); err != nil {
		return nil, wrap(err)
	}
	m, err := ridgePath(x, y, []float64{o.Lambda}, o)
	if m == nil {
		return nil, wrap(err)
	}
	return m[0], wrap(err)
}

// RidgePath returns [FitRidge] at each of the given λ, in their order: up to eight by a
// factor of the normal equations each, where their condition allows, and more from one
// singular value decomposition of the centred (and standardised) rows, X = UDVᵀ:
//
//	β(λ) = Σₖ vₖ·dₖuₖᵀy/(dₖ² + λ),  df(λ) = Σₖ dₖ²/(dₖ² + λ)
//
// (ESL 3.47, 3.50). nil asks for o.Count values, from 1000·max |Σw(x−c)(z−m)| in units of the standard
// deviation of z (without an intercept the root of its mean square), as glmnet's, down to 1e-4 of it (1e-2
// for more columns than rows).
// Lambda in o is refused, and Trace is called once a λ, or at each iteration where rows are too large for equations.
//
// The singular values come from XᵀX (from XXᵀ for more columns than rows) if the
// smallest λ > 0 is above 1e-6 of their sum of squares, which covers the rounding
// there, and else from a QR factorisation and Jacobi's rotations of the triangle.
// O(np·min(n, p)) once, then O(np) a λ for its certificate. Memory is O(n + p²) for
// n > 2p or from XᵀX, and else a copy of x.
//
// Errors: those of FitRidge; the models up to the one that failed are returned
// with it.
func RidgePath(x linalg.Rows, y, lambdas []float64, o *Options) (*Path, error) {
	if o == nil {
		o = &Options{}
	}
	if err := cmp.Or(o.family(lambdas), o.closed("L1Ratio")); err != nil {
		return nil, wrap(err)
	}
	return pathOf(ridgePath(x, y, lambdas, o))
}

func ridgePath(x linalg.Rows, y, lambdas []float64, o *Options) ([]*Model, error) {
	if err := checkGrid(lambdas); err != nil {
		return nil, err
	}
	p, err := newProblem(x, y, o)
	if err != nil {
		return nil, err
	}
	if lambdas == nil {
		if lambdas, err = p.ridges(); err != nil {
			return nil, err
		}
	}
	if err := p.refuseCap(slices.Max(lambdas)); err != nil {
		return nil, err
	}
	p.shared = len(lambdas) > 1
	s := &spectrum{problem: p, lambdas: lambdas}
	var fits []*Model
	for _, l := range lambdas {
		fit := s.fit
		if l > 0 && p.vast() {
			fit = p.fitVast
		}
		m, err := fit(l)
		if m != nil {
			fits = append(fits, m)
		}
		if err != nil {
			return fits, err
		}
	}
	return fits, nil
}

// ridges returns the λ of a path of its own, which are the same in all units of the response.
func (p *problem) ridges() ([]float64, error) {
	zero, err := p.at(make([]float64, p.P))
	if err != nil {
		return nil, err
	}
	largest := penalty.ElasticNet{}.LambdaMax(zero.gradient)
	if p.spread > 0 {
		largest /= math.Sqrt(p.spread / p.Total)
	}
	return p.grid(largest), nil
}

// grid returns the λ of a path of its own.
func (p *problem) grid(largest float64) []float64 {
	return path.Grid(largest, p.o.Count, 0, p.N < p.P)
}

// spectrum is the decomposition of the rows in units, which all λ share.
type spectrum struct {
	*problem
	lambdas []float64
	made    bool // by decompose

	square []float64     // d²
	v      *linalg.Dense // the direction in its row k has
	along  []float64     // the share along[k]/(d²+λ) in the coefficients

	orthonormal bool // the directions are, so that along is Vg

	compacted *linalg.Dense // see compact
	under     *system       // see triangle
}

// gramShare is the least λ, relative to Σd², at which rounding in XᵀX, 2⁻⁵²Σd²,
// leaves the coefficients ten digits.
const gramShare = 1e-6

// decompose finds the singular values, if any λ needs them: as roots of the
// eigenvalues of XᵀX or XXᵀ where the smallest λ covers their rounding, which is
// many times faster; else from the rows themselves.
func (s *spectrum) decompose() error {
	if s.made {
		return nil
	}
	s.made = true
	least := math.Inf(1)
	for _, l := range s.lambdas {
		if l > 0 {
			least = math.Min(least, l)
		}
	}
	if total := linalg.Dot(s.norms, s.norms); !(least > gramShare*total) {
		return s.fromRows()
	}
	return s.fromProducts()
}

func (s *spectrum) fromRows() error {
	a, err := s.compact()
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
	return s.project()
}

// project sets along to Vg, g = XᵀWz.
func (s *spectrum) project() error {
	zero, err := s.at(make([]float64, s.P))
	if err != nil {
		return err
	}
	s.orthonormal = true
	s.along = make([]float64, s.v.Rows)
	linalg.MulVec(s.along, s.v, zero.gradient, s.Workers)
	return nil
}

// fromProducts uses XᵀX = VᵀD²V, or XXᵀ = UᵀD²U: θ = Xᵀ(XXᵀ + λ)⁻¹z, in which no d is
// divided by.
func (s *spectrum) fromProducts() error {
	products, err := s.multiply()
	if err != nil {
		return err
	}
	e, err := linalg.SymEigen(products)
	if err != nil {
		return err
	}
	s.square, s.v = e.Values, e.Vectors
	if !s.byRow() {
		return s.project()
	}
	rows, err := s.Weighted()
	if err != nil {
		return err
	}
	s.v = linalg.Zeros(rows.Rows, rows.Cols)
	linalg.MulAdd(s.v, 1, e.Vectors, rows)
	s.along = make([]float64, rows.Rows)
	linalg.MulVec(s.along, e.Vectors, s.weightedResponse(), s.Workers)
	return nil
}

// compact returns a matrix A with AᵀA = XᵀWX of the rows in units: a p×p triangle for
// n > 2p, made once, which callers only read, else the n rows.
func (s *spectrum) compact() (*linalg.Dense, error) {
	if s.N <= 2*s.P {
		return s.Weighted()
	}
	if s.compacted != nil {
		return s.compacted, nil
	}
	x, err := s.dense()
	if err != nil {
		return nil, err
	}
	t, err := linalg.NewTallQR(x, nil, s.Origin, s.Weights, s.Workers)
	if err != nil {
		return nil, err
	}
	a := t.R()
	for i := range a.Rows {
		row := a.Row(i)
		for j, u := range s.Unit {
			row[j] /= u
		}
	}
	s.compacted = a
	return a, nil
}

// fit returns the model at λ. Columns of sizes that no decomposition spans leave a
// residual: status line_search.
func (s *spectrum) fit(lambda float64) (*Model, error) {
	if lambda == 0 {
		return s.fitOLS()
	}
	if len(s.lambdas) <= fewLambdas {
		if m, err := s.fitSystem(lambda); m != nil || err != nil {
			return m, err
		}
		if m, err := s.fitTriangle(lambda); m != nil || err != nil {
			return m, err
		}
	}
	if err := s.decompose(); err != nil {
		return nil, err
	}
	theta := make([]float64, s.P)
	df := s.shrink(theta, lambda)
	r, err := s.at(theta)
	if err != nil {
		return nil, err
	}
	m, c, err := s.judge(r, lambda)
	if err != nil {
		return nil, err
	}
	if s.orthonormal && !c.Holds() {
		s.refine(theta, r, lambda)
	}
	return s.direct(theta, lambda, df, m)
}

// judge returns the metric by which the certificate of the coefficients of r holds, if any: that of the
// decomposition, or that of a triangle. There is none for dependent columns where λ is no more than their
// rounding errors.
func (s *spectrum) judge(r *residuals, lambda float64) (*metric, optimize.Certificate, error) {
	m := s.metric(lambda)
	_, c, err := s.certify(r, lambda, m)
	if c.Holds() || err != nil {
		return m, c, err
	}
	if !s.byRow() { // else the triangle is that of the rows
		e, err := s.triangle(lambda)
		if err != nil {
			return m, c, err
		}
		if e.factor != nil {
			m = e.columnMetric()
			if _, c, err = s.certify(r, lambda, m); err != nil {
				return m, c, err
			}
		}
	}
	if !c.Holds() && slices.Contains(s.square, 0) {
		m = nil
		_, c, err = s.certify(r, lambda, m)
	}
	return m, c, err
}

// hidden bounds the rounding errors of the products of columns, relative to λ.
func (s *spectrum) hidden(lambda float64) float64 {
	return float64(s.P) * (s.sumRounding(s.P) + 4*float64(s.P)*unit) * linalg.Dot(s.norms, s.norms) / lambda
}

// metric returns that of the decomposition, or of the ridge alone where it has no orthonormal directions or λ is
// as small as its rounding errors.
func (s *spectrum) metric(lambda float64) *metric {
	hidden := s.hidden(lambda)
	if !s.orthonormal || !(hidden < 0.75) {
		return s.ridgeMetric(lambda)
	}
	m := &metric{inverse: make([]float64, s.P), share: math.Sqrt(1 - hidden)}
	beside := 4 * float64(s.P) * unit // of what is along the directions, by rounding
	for j := range m.inverse {
		along, rest := 0.0, 1.0
		for k, d := range s.square {
			v := s.v.At(k, j) * s.v.At(k, j)
			along, rest = along+v/(d+lambda), rest-v
		}
		m.inverse[j] = along + (max(0, rest)+beside)/lambda
	}
	m.length = func(v []float64) float64 {
		whole := linalg.Dot(v, v)
		along, rest := 0.0, whole
		for k, d := range s.square {
			c := linalg.Dot(s.v.Row(k), v)
			along, rest = along+c*c/(d+lambda), rest-c*c
		}
		return math.Sqrt(along + (max(0, rest)+beside*whole)/lambda)
	}
	return m
}

// sureColumn is the least share of the length of a column that those before leave it in the
// rows with √λ beneath them at which steps of refinement gain two digits each or more, and degrees of
// freedom have nine.
const sureColumn = 1e-7

// fitTriangle fits by the triangle R of a QR factorisation of the rows, or for fewer rows than
// columns of their transpose, with √λ beneath them: RᵀR is the matrix of the normal equations, of
// which R has twice the digits that a factor of their products has. The model is nil where
// columns are too nearly dependent all the same, or where the eigenvalues of the products
// serve. O(np·min(n, p)): some tens of times less than the rotations for singular values.
func (s *spectrum) fitTriangle(lambda float64) (*Model, error) {
	if lambda > gramShare*linalg.Dot(s.norms, s.norms) {
		return nil, nil
	}
	e, err := s.triangle(lambda)
	if err != nil || !e.sure() {
		return nil, err
	}
	theta, err := e.coefficients()
	if theta == nil {
		return nil, err
	}
	return e.direct(theta, e.df())
}

// triangle returns the equations at λ by that triangle, without a factor where it is singular.
func (s *spectrum) triangle(lambda float64) (*system, error) {
	if e := s.under; e != nil && e.lambda == lambda {
		return e, nil
	}
	a, err := s.compact()
	if err != nil {
		return nil, err
	}
	if s.byRow() {
		a = a.Transposed()
	}
	stacked := linalg.Zeros(a.Rows+a.Cols, a.Cols)
	for i := range a.Rows {
		copy(stacked.Row(i), a.Row(i))
	}
	for j := range a.Cols {
		stacked.Set(a.Rows+j, j, math.Sqrt(lambda))
	}
	t, err := linalg.NewTallQR(stacked, nil, nil, nil, s.Workers)
	if err != nil {
		return nil, err
	}
	s.under = &system{problem: s.problem, lambda: lambda, root: slices.Repeat([]float64{1}, a.Cols), triangle: true}
	s.under.factor, _ = linalg.CholeskyOf(lowerOf(t.R()))
	return s.under, nil
}

// sure reports whether the columns of a triangle leave one another sureColumn of themselves.
func (s *system) sure() bool {
	if s.factor == nil {
		return false
	}
	l := s.factor.L()
	for j := range l.Rows {
		if !(l.At(j, j) >= sureColumn*linalg.Norm(l.Row(j))) {
			return false
		}
	}
	return true
}

// refine is one step of iterative refinement: the residual of the normal equations is
// solved for by the same decomposition.
func (s *spectrum) refine(theta []float64, r *residuals, lambda float64) {
	left := slices.Clone(r.gradient)
	linalg.Axpy(left, -lambda, theta)
	along := make([]float64, s.v.Rows)
	linalg.MulVec(along, s.v, left, s.Workers)
	for k, d := range s.square {
		linalg.Axpy(theta, along[k]/(d+lambda), s.v.Row(k))
	}
}

// shrink sets theta to the coefficients at λ and returns the degrees of freedom.
func (s *spectrum) shrink(theta []float64, lambda float64) (df float64) {
	for k, d := range s.square {
		if d > 0 {
			linalg.Axpy(theta, s.along[k]/(d+lambda), s.v.Row(k))
			df += d / (d + lambda)
		}
	}
	return df
}

// noise returns ‖(‖xⱼ‖vⱼ)ⱼ‖, the size of the terms of Xv: the rounding of the columns is
// a part of it, and of the singular value of v.
func (s *spectrum) noise(v []float64) float64 {
	sum := 0.0
	for j, x := range s.norms {
		sum = math.Hypot(sum, x*v[j])
	}
	return sum
}
