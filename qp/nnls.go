package qp

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Columns are the columns zⱼ of a non-negative least squares problem. They may be
// far more than anyone would store.
type Columns interface {
	// Len is the length D of a column.
	Len() int
	// Steepest returns a column j of largest zⱼᵀr and that product, −∞ if there are
	// no columns.
	Steepest(r []float64) (j int, product float64)
	// Column sets dst (length D) to column j.
	Column(dst []float64, j int)
}

// NonNegativeOptions are the settings of [NonNegative]. The zero value and nil are the
// defaults.
type NonNegativeOptions struct {
	Tol     float64                   // of the certificate; 0 is 1e-10
	Noise   float64                   // the length at which a residual is rounding error; 0 is 1e-12·‖t‖
	MaxIter int                       // cap on the columns that enter; 0 is 20·D + 100
	Trace   func(optimize.Step) error // called before a column enters: X is the residual
}

// Combination is a non-negative combination of some columns, and what it leaves of
// the target.
type Combination struct {
	Columns  []int     // j with aⱼ > 0, ascending
	Factors  []float64 // their aⱼ
	Residual []float64 // r = t − Σ aⱼzⱼ
	Report   optimize.Report
}

const (
	nnlsTol   = 1e-10
	nnlsNoise = 1e-12 // default of Noise relative to ‖t‖, some thousand roundings
)

// NonNegative finds the a ≥ 0 that minimise ½‖t − Σ aⱼzⱼ‖², by the active sets of
// Lawson & Hanson (Solving Least Squares Problems, 1974, ch. 23). The columns with
// aⱼ > 0 have a QR factorisation, to which an entering column is added by Gram and
// Schmidt's rule, twice, and from which one is taken by plane rotations. A step
// costs one Steepest and O(D²); there are about as many steps as columns in the
// solution.
//
// At the minimum the residual r is orthogonal to the columns in the combination,
// and zⱼᵀr ≤ 0 for all others: either r is 0 and t lies in the cone of the columns,
// or r separates t from the cone (Farkas). The certificate is max zⱼᵀr/‖r‖, which
// anyone can recompute; for ‖r‖ ≤ Noise, where the objective is within Noise²/2 of
// its lower bound 0, it is 0. The objective is ½‖r‖².
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[sample.OptionError]; with
// [optimize.ErrNotConverged] the combination is not nil.
func NonNegative(z Columns, t []float64, o *NonNegativeOptions) (*Combination, error) {
	if o == nil {
		o = &NonNegativeOptions{}
	}
	s, err := newActiveSet(z, t, o)
	if err != nil {
		return nil, fmt.Errorf("qp: %w", err)
	}
	s.run()
	c := s.combination()
	if err := c.Report.Err(s.progress.Cause()); err != nil {
		return c, fmt.Errorf("qp: %w", err)
	}
	return c, nil
}

// activeSet is the state of Lawson and Hanson's method.
type activeSet struct {
	z        Columns
	t        []float64
	noise    float64
	progress *optimize.Progress

	residual []float64
	in       []int     // columns with a > 0, in the order of the factorisation
	a        []float64 // their a
	qr       growingQR // of the columns that are in
}

func newActiveSet(z Columns, t []float64, o *NonNegativeOptions) (*activeSet, error) {
	if n := z.Len(); len(t) != n || n == 0 {
		return nil, &linalg.ShapeError{Want: n, WantOf: "entries of a column", Got: len(t), GotOf: "in the target"}
	}
	if err := linalg.CheckFinite("target", t); err != nil {
		return nil, err
	}
	s := &activeSet{z: z, t: t, residual: linalg.Clone(t)}
	var err error
	d := optimize.Defaults{Kind: optimize.KindKKT, Idle: -1}
	if d.Tol, err = sample.Positive("Tol", o.Tol, nnlsTol); err != nil {
		return nil, err
	}
	if err := sample.NonNegative("Noise", o.Noise); err != nil {
		return nil, err
	}
	if s.noise = o.Noise; s.noise == 0 {
		s.noise = nnlsNoise * linalg.Norm(t)
	}
	if d.MaxIter, err = sample.Count("MaxIter", o.MaxIter, 20*len(t)+100); err != nil {
		return nil, err
	}
	s.progress, err = optimize.Begin(nil, t, &optimize.Control{Trace: o.Trace}, d)
	return s, err
}

// run lets columns enter until none would shorten the residual.
func (s *activeSet) run() {
	j, steepest := s.steepest()
	for !s.progress.Done(s.residual, s.objective(), max(0, steepest), 0) {
		if !s.enter(j) {
			s.progress.Stuck()
			return
		}
		j, steepest = s.steepest()
	}
}

// steepest returns the column that shortens the residual fastest and max zⱼᵀr/‖r‖,
// 0 for a residual of rounding errors.
func (s *activeSet) steepest() (j int, cosine float64) {
	norm := linalg.Norm(s.residual)
	switch {
	case norm-norm != 0:
		return -1, math.NaN()
	case norm <= s.noise || len(s.in) == len(s.t): // as many as the space has dimensions span it
		return -1, 0
	}
	j, product := s.z.Steepest(s.residual)
	return j, product / norm
}

// objective returns ½‖r‖².
func (s *activeSet) objective() float64 { return linalg.Dot(s.residual, s.residual) / 2 }

// combination states the point at which the steps ended.
func (s *activeSet) combination() *Combination {
	order := linalg.Sequence(len(s.in))
	linalg.SortFunc(order, func(k, l int) int { return s.in[k] - s.in[l] })
	c := &Combination{Residual: s.residual, Report: s.progress.Report()}
	for _, k := range order {
		c.Columns, c.Factors = append(c.Columns, s.in[k]), append(c.Factors, s.a[k])
	}
	return c
}

// enter lets aⱼ become positive and goes to the least squares solution over the
// columns that are in, dropping those whose a would become negative on the way. It
// reports whether the column could enter: it cannot if it is in already, or depends
// on those that are, or would leave at once, which makes its zⱼᵀr a rounding error.
func (s *activeSet) enter(j int) bool {
	if slices.Contains(s.in, j) {
		return false
	}
	z := make([]float64, len(s.t))
	s.z.Column(z, j)
	if !s.add(j, z) {
		return false
	}
	if linalg.Dot(z, s.t) <= 0 { // z is now what the others leave of it
		s.drop(len(s.in) - 1)
		return false
	}
	for {
		target := s.qr.leastSquares(s.t)
		step, blocking := 1.0, -1
		for k, b := range target {
			if b <= 0 && s.a[k] <= step*(s.a[k]-b) {
				step, blocking = s.a[k]/(s.a[k]-b), k
			}
		}
		if blocking < 0 {
			s.a = target
			s.updateResidual()
			return len(target) > 0
		}
		for k := range s.a {
			s.a[k] += step * (target[k] - s.a[k])
		}
		s.drop(blocking)
	}
}

// add appends column j, which it overwrites, to the factorisation, and reports
// whether it is independent of the others.
func (s *activeSet) add(j int, z []float64) bool {
	if !s.qr.add(z) {
		return false
	}
	s.in, s.a = append(s.in, j), append(s.a, 0)
	return true
}

// drop takes the column at position k out of the combination.
func (s *activeSet) drop(k int) {
	s.in = slices.Delete(s.in, k, k+1)
	s.a = slices.Delete(s.a, k, k+1)
	s.qr.drop(k)
}

// updateResidual sets the residual to the part of t that is orthogonal to the
// columns that are in.
func (s *activeSet) updateResidual() {
	copy(s.residual, s.t)
	s.qr.project(s.residual)
}

// growingQR is the factorisation Z = QR of independent columns that come and go, O(Dk) a
// change of k columns of length D.
type growingQR struct {
	q [][]float64
	r [][]float64 // r[j] is column j of the triangle R
}

// add appends the column z, which it overwrites, by Gram and Schmidt's rule, twice. It reports
// whether z is independent of the others; else the factorisation is as before.
func (f *growingQR) add(z []float64) bool {
	norm := linalg.Norm(z)
	r := make([]float64, len(f.q)+1)
	for range 2 {
		for i, q := range f.q {
			c := linalg.Dot(q, z)
			linalg.Axpy(z, -c, q)
			r[i] += c
		}
	}
	left := linalg.Norm(z)
	if !(left > linalg.RankTol*norm) {
		return false
	}
	linalg.Scale(z, 1/left)
	r[len(f.q)] = left
	f.q, f.r = append(f.q, z), append(f.r, r)
	return true
}

// drop takes the column at position k out and restores the triangle by plane rotations.
func (f *growingQR) drop(k int) {
	f.r = slices.Delete(f.r, k, k+1)
	for i := k; i < len(f.r); i++ {
		h := math.Hypot(f.r[i][i], f.r[i][i+1])
		c, sn := f.r[i][i]/h, f.r[i][i+1]/h
		for _, col := range f.r[i:] {
			col[i], col[i+1] = c*col[i]+sn*col[i+1], c*col[i+1]-sn*col[i]
		}
		f.r[i] = f.r[i][:i+1]
		q0, q1 := f.q[i], f.q[i+1]
		for l, v := range q0 {
			q0[l], q1[l] = c*v+sn*q1[l], c*q1[l]-sn*v
		}
	}
	f.q = f.q[:len(f.r)]
}

// leastSquares returns the a that minimise ‖t − Za‖.
func (f *growingQR) leastSquares(t []float64) []float64 {
	a := make([]float64, len(f.q))
	for i := range a {
		a[i] = linalg.Dot(f.q[i], t)
	}
	for i := len(a) - 1; i >= 0; i-- {
		a[i] /= f.r[i][i]
		linalg.Axpy(a[:i], -a[i], f.r[i][:i])
	}
	return a
}

// project takes from r its part in the span of the columns, twice: rounding leaves some of it
// the first time.
func (f *growingQR) project(r []float64) {
	for range 2 {
		for _, q := range f.q {
			linalg.Axpy(r, -linalg.Dot(q, r), q)
		}
	}
}
