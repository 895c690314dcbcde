package discriminant

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/optimize"
)

const eps = 0x1p-52

// rankTol is, per column, the pivot of a scaled covariance under which a column
// counts as determined by the others.
const rankTol = 1e-14

// origin returns the mean of all rows, rounded: the point that a model works
// about, so that means far from 0 cost it no digits.
func (pr *problem) origin() []float64 { return pr.weightedMean(pr.count) }

// weightedMean returns Σwₖμₖ/Σwₖ, rounded.
func (pr *problem) weightedMean(w []float64) []float64 {
	o := clone(pr.m.Origin())
	d := make([]float64, pr.p)
	total := sum(w)
	for k, v := range w {
		linalg.Axpy(d, v/total, pr.m.Deviation(k))
	}
	linalg.Axpy(o, 1, d)
	return o
}

// deviations returns the K×p class means less the origin o. The difference of
// the two origins is taken first: it is exact to rounding.
func (pr *problem) deviations(o []float64) *linalg.Dense {
	shift := clone(pr.m.Origin())
	linalg.Axpy(shift, -1, o)
	d := linalg.Zeros(len(pr.classes), pr.p)
	for k := range pr.classes {
		copy(d.Row(k), shift)
		linalg.Axpy(d.Row(k), 1, pr.m.Deviation(k))
	}
	return d
}

// about returns the weighted mean of the classes, rounded, the rest of that mean, and the K×p class means less the mean.
func (pr *problem) about(w []float64) (origin, rest []float64, dev *linalg.Dense) {
	origin = pr.weightedMean(w)
	dev, rest = pr.deviations(origin), make([]float64, pr.p)
	total := sum(w)
	for k, v := range w {
		linalg.Axpy(rest, v/total, dev.Row(k))
	}
	for k := range w {
		linalg.Axpy(dev.Row(k), -1, rest)
	}
	return origin, rest, dev
}

// pooledCovariance returns the pooled covariance, before ridge and shrinkage.
func (pr *problem) pooledCovariance() *linalg.Dense {
	return divided(pr.m.Within(), pr.pooledDivisor())
}

func (pr *problem) pooledDivisor() float64 { return pr.o.divisor(pr.total, len(pr.classes)) }

// commonCovariance returns the covariance that all classes share, with ridge and
// shrinkage, and its factor.
func (pr *problem) commonCovariance() (*linalg.Dense, spd, error) {
	if err := pr.checkDivisor(-1); err != nil {
		return nil, spd{}, err
	}
	cov, m := pr.pooledCovariance(), mix{common: (1 - pr.o.Shrinkage) / pr.pooledDivisor()}
	m.ridge = regularize(cov, pr.o.Shrinkage, pr.o.Ridge)
	f, err := pr.factor(cov, -1, m)
	return cov, f, err
}

func (pr *problem) classDivisor(k int) float64 { return pr.o.divisor(pr.count[k], 1) }

// divided overwrites s with s/d, and with 0 for d = 0: the rows then show no spread.
func divided(s *linalg.Dense, d float64) *linalg.Dense {
	if d == 0 {
		clear(s.Data)
		return s
	}
	for i := range s.Data {
		s.Data[i] /= d
	}
	return s
}

// regularize applies shrinkage towards σ²I, σ² = tr Σ/p (4.14), and the ridge. It returns what it
// adds to the diagonal.
func regularize(cov *linalg.Dense, shrinkage, ridge float64) float64 {
	p := cov.Rows
	if shrinkage > 0 {
		trace := 0.0
		for j := range p {
			trace += cov.At(j, j)
		}
		linalg.Scale(cov.Data, 1-shrinkage)
		ridge += shrinkage * trace / float64(p)
	}
	for j := range p {
		cov.Set(j, j, cov.At(j, j)+ridge)
	}
	return ridge
}

// largestValues returns, for each column, a bound on how large the values of class k are
// (of all classes for k < 0), which tells spread from rounding.
func (pr *problem) largestValues(k int) []float64 {
	s := make([]float64, pr.p)
	for c := range pr.classes {
		if k >= 0 && c != k {
			continue
		}
		for j, v := range pr.m.Mean(c) {
			s[j] = max(s[j], math.Abs(v))
		}
	}
	return s
}

// borderline is the share of a column that the others must leave for the Cholesky
// factor of a covariance to be good for nine digits.
const borderline = 1e-7

// spd is a symmetric positive definite matrix LLᵀ, with L⁻¹.
type spd struct {
	chol *linalg.Cholesky
	linv *linalg.Dense
}

func newSPD(chol *linalg.Cholesky) spd { return spd{chol, chol.InverseL(1)} }

// mix is the covariance own·Sₖ + common·S + ridge·I of class k, of its scatter and the sum of all.
type mix struct{ own, common, ridge float64 }

// factor returns the factor of cov, the covariance of class k, or of all classes for k < 0, that m
// describes.
//
// Error: *[linalg.RankError].
func (pr *problem) factor(cov *linalg.Dense, k int, m mix) (spd, error) {
	if pr.x == nil {
		return factorOf(cov, pr.largestValues(k), nil)
	}
	return factorOf(cov, pr.largestValues(k), func() (*moments.Triangle, error) { return pr.triangle(k, m) })
}

// ofClass names the class k whose covariance an error is about; none for k < 0.
func (pr *problem) ofClass(err error, k int) error {
	if rank, ok := err.(*linalg.RankError); ok && k >= 0 {
		return &ClassRankError{pr.classes[k], pr.m.Rows()[k], rank}
	}
	return err
}

// triangle returns the triangle of the covariance that m describes. O(np²).
func (pr *problem) triangle(k int, m mix) (*moments.Triangle, error) {
	var share []float64
	var parts []*moments.Triangle
	if m.own > 0 {
		t, err := pr.scatterTriangle(k)
		if err != nil {
			return nil, err
		}
		share, parts = append(share, m.own), append(parts, t)
	}
	if m.common > 0 {
		t, err := pr.scatterTriangle(-1)
		if err != nil {
			return nil, err
		}
		share, parts = append(share, m.common), append(parts, t)
	}
	return moments.Blend(share, parts, m.ridge)
}

// scatterTriangle returns that of the scatter of class k, or of all classes for k < 0. O(np²).
func (pr *problem) scatterTriangle(k int) (*moments.Triangle, error) {
	if k < 0 {
		return pr.within()
	}
	return moments.TriangleOf(k, pr.x, pr.y, pr.o.Weights, pr.o.Workers)
}

// factorOf returns the factor of cov, a covariance of columns whose values have the given size. If it
// is close to singular, the factor comes from its triangle, a QR factorisation of the rows, which
// rounding spoils far less than their scatter; nil where there are no rows.
//
// Error: *[linalg.RankError].
func factorOf(cov *linalg.Dense, size []float64, triangle func() (*moments.Triangle, error)) (spd, error) {
	if f, ok := safeFactor(cov, size); ok {
		return f, nil
	}
	if triangle == nil || anyFlat(cov, size) {
		return screenedFactor(cov, size)
	}
	t, err := triangle()
	if err == nil {
		err = t.Check()
	}
	if err != nil {
		return spd{}, err
	}
	chol, err := linalg.CholeskyOf(lowerOf(t.R))
	if err != nil {
		return spd{}, linalg.DependentColumn(err, cov.Rows)
	}
	return newSPD(chol), nil
}

// lowerOf returns Rᵀ with the signs that make its diagonal positive.
func lowerOf(r *linalg.Dense) *linalg.Dense {
	l := linalg.Zeros(r.Rows, r.Rows)
	for i := range r.Rows {
		s := math.Copysign(1, r.At(i, i))
		for j := i; j < r.Cols; j++ {
			l.Set(j, i, s*r.At(i, j))
		}
	}
	return l
}

func anyFlat(cov *linalg.Dense, size []float64) bool {
	for j := range cov.Rows {
		if flat(cov, size, j) {
			return true
		}
	}
	return false
}

// flat reports whether the standard deviation of column j is within rounding of 0,
// relative to the values of the column.
func flat(cov *linalg.Dense, size []float64, j int) bool {
	return math.Sqrt(cov.At(j, j)) <= linalg.RankTol*size[j]
}

// safeFactor returns the Cholesky factor, and whether cov is so far from singular
// that the factor needs no further check: Σⱼⱼ(Σ⁻¹)ⱼⱼ is the inverse of the share of
// column j that the others leave.
func safeFactor(cov *linalg.Dense, size []float64) (spd, bool) {
	if anyFlat(cov, size) {
		return spd{}, false
	}
	chol, err := linalg.NewCholesky(cov)
	if err != nil {
		return spd{}, false
	}
	f := newSPD(chol)
	_, longest := f.lengths(standardDeviations(cov))
	return f, longest*longest < 1/borderline
}

// screenedFactor returns the Cholesky factor, or a *[linalg.RankError] for the
// columns that are flat or that the others determine to within rounding.
func screenedFactor(cov *linalg.Dense, size []float64) (spd, error) {
	screen := cov.Clone()
	for j := range screen.Rows {
		if flat(cov, size, j) {
			screen.Set(j, j, 0)
		}
	}
	piv, err := linalg.NewPivotedCholesky(screen, rankTol)
	if err != nil {
		return spd{}, err
	}
	if r := piv.Rank(); r < cov.Rows {
		columns := clone(piv.Perm[r:])
		slices.Sort(columns)
		return spd{}, &linalg.RankError{Rank: r, P: cov.Rows, Columns: columns}
	}
	chol, err := linalg.NewCholesky(cov)
	if err != nil {
		return spd{}, linalg.DependentColumn(err, cov.Rows)
	}
	return newSPD(chol), nil
}

// sizeOf returns Σσⱼ|vⱼ|.
//
//go:noinline // a program would have a copy for each caller
func sizeOf(v, sd []float64) (size float64) {
	for j, u := range v {
		size += sd[j] * math.Abs(u)
	}
	return size
}

// standardDeviations returns the square roots of the diagonal.
func standardDeviations(cov *linalg.Dense) []float64 {
	sd := make([]float64, cov.Rows)
	for j := range sd {
		sd[j] = math.Sqrt(cov.At(j, j))
	}
	return sd
}

// negligible is a distance in standard deviations that counts as 0. A large ridge
// makes standard deviations so long that squares of smaller distances underflow.
const negligible = 1e-100

// residualTol is the tolerance of the certificates of closed forms.
const residualTol = 1e-12

// meanRounding bounds the error of the mean of class k, which is dev from the model's
// origin: the mean was rounded at the size of its distance from the moments' origin.
// The error is relative to the standard deviation plus |dev|, the largest over the
// columns; below 1e-8 it is reported as 0, because the rows themselves are rounded as
// much where classes are that narrow.
func (pr *problem) meanRounding(k int, origin, dev []float64, cov *linalg.Dense) float64 {
	const harmless = 1e-8
	worst := 0.0
	for j, d := range dev {
		moved := math.Abs(pr.m.Origin()[j]-origin[j]) + math.Abs(pr.m.Deviation(k)[j])
		worst = max(worst, eps*moved/(math.Sqrt(cov.At(j, j))+math.Abs(d)))
	}
	if worst <= harmless {
		return 0
	}
	return worst
}

// widths returns the size of the values, about the moments' origin, that the class means are sums of, by column.
func (pr *problem) widths() []float64 {
	within := pr.m.Within()
	size := make([]float64, pr.p)
	for j := range size {
		size[j] = math.Sqrt(within.At(j, j) / pr.total)
		for k := range pr.classes {
			size[j] = max(size[j], math.Abs(pr.m.Deviation(k)[j]))
		}
	}
	return size
}

// meansRounding bounds the error of the means of values of such a size in coordinates that f spheres.
func (f spd) meansRounding(size []float64) float64 {
	sum, _ := f.lengths(size)
	return 16 * eps * sum
}

// lengths returns the sum and the largest of sizeⱼ‖L⁻¹eⱼ‖, the lengths of such values of the columns in coordinates
// that f spheres. The squares of those of 1 are the diagonal of the inverse.
func (f spd) lengths(size []float64) (sum, most float64) {
	inv := make([]float64, len(size))
	for i := range inv {
		for j, v := range f.linv.Row(i)[:i+1] {
			inv[j] += v * v
		}
	}
	for j, v := range inv {
		d := size[j] * math.Sqrt(v)
		sum, most = sum+d, max(most, d)
	}
	return sum, most
}

// directReport returns the report of a closed form: direct, or line_search where
// rounding leaves a residual above the tolerance, as weights from 1e-30 to 1e30 may.
//
//go:noinline // a program would have half a dozen copies
func directReport(objective, residual float64) optimize.Report {
	return optimize.Report{}.Certify(objective, optimize.Certificate{Kind: optimize.KindResidual, Value: residual, Tol: residualTol})
}

// band is the number of rows of a triangle that are multiplied at a time, up to the
// end of the last of them: nearly all zeros are left out.
const band = 32

// factorResidual returns the largest |Σ − LLᵀ| relative to the standard
// deviations of its row and column. O(p³/3).
func factorResidual(cov, l *linalg.Dense) float64 {
	p := cov.Rows
	s, v := take(p * (p + band))
	llt := &linalg.Dense{Rows: p, Cols: p, Stride: p, Data: v[:p*p]}
	clear(llt.Data)
	for lo := 0; lo < p; lo += band { // columns of L, from the diagonal on, as rows
		rest, n := p-lo, min(band, p-lo)
		u := &linalg.Dense{Rows: n, Cols: rest, Stride: rest, Data: v[p*p:]}
		for i := range rest {
			for j, x := range l.Row(lo + i)[lo : lo+n] {
				u.Data[j*rest+i] = x
			}
		}
		linalg.Syrk(&linalg.Dense{Rows: rest, Cols: rest, Stride: p, Data: llt.Data[lo*(p+1):]}, u, nil, nil)
	}
	worst := 0.0
	sd := standardDeviations(cov)
	for i := range p {
		row, si := cov.Row(i), sd[i]
		for j, u := range llt.Row(i)[:i+1] {
			if d := math.Abs(row[j] - u); !(d <= worst*(si*sd[j])) { // spares most divisions
				worst = max(worst, d/(si*sd[j]))
			}
		}
	}
	scratchPool.Put(s)
	return worst
}

// window returns rows lo ≤ i < hi of the first columns of a.
func window(a *linalg.Dense, lo, hi, columns int) *linalg.Dense {
	w := a.RowRange(lo, hi)
	w.Cols = columns
	return w
}

// scatterTrace returns tr(S·Σ⁻¹), Σ⁻¹ = L⁻ᵀL⁻¹: the sum of the squared Mahalanobis
// distances of the rows that S is the scatter of. O(p³/3).
func scatterTrace(s, linv *linalg.Dense) float64 {
	p := s.Rows
	w, room := take(p * p)
	inv := &linalg.Dense{Rows: p, Cols: p, Stride: p, Data: room}
	clear(inv.Data)
	for lo := 0; lo < p; lo += band {
		hi := min(lo+band, p)
		linalg.Syrk(window(inv, 0, hi, hi), window(linv, lo, hi, hi), nil, nil)
	}
	trace := 0.0
	for i := range p {
		trace += 2*linalg.Dot(inv.Row(i)[:i], s.Row(i)[:i]) + inv.At(i, i)*s.At(i, i)
	}
	scratchPool.Put(w)
	return trace
}

// trace returns tr(S·Σ⁻¹), Σ = LLᵀ, of the scatter S of class k, or of all classes for k < 0: the sum of the squared
// Mahalanobis distances of its rows. Where Σ is close to singular, rounding of S alone may be more than that, and the
// sum is of the squares of L⁻¹Rᵀ for RᵀR = S, as long as the rows are there.
func (pr *problem) trace(k int, f spd) float64 {
	scatter, n := (*linalg.Dense)(nil), pr.total
	if k < 0 {
		scatter = pr.m.Within()
	} else {
		scatter, n = pr.m.Scatter(k), pr.count[k]
	}
	if _, longest := f.lengths(standardDeviations(scatter)); pr.x != nil && !(longest*longest < n/borderline) {
		if t, err := pr.scatterTriangle(k); err == nil {
			z := linalg.Zeros(pr.p, t.R.Rows) // L⁻¹Rᵀ
			for j := range pr.p {
				t.R.Col(z.Row(j), j)
			}
			f.chol.Forward(z)
			return linalg.Dot(z.Data, z.Data)
		}
	}
	return scatterTrace(scatter, f.linv)
}

// negLogLikelihood returns minus the joint log-likelihood of Gaussian classes
// with the covariance that f is the factor of, at the class means.
func (pr *problem) negLogLikelihood(f spd) float64 {
	s := pr.total * (float64(pr.p)*math.Log(2*math.Pi) + f.chol.LogDet()) / 2
	s += pr.trace(-1, f) / 2
	for k, n := range pr.count {
		s -= n * math.Log(pr.priors[k])
	}
	return s
}
