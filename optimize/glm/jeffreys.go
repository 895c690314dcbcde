package glm

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
)

// Jeffreys is Firth's objective for the logistic loss, the negative log-likelihood less
// half the log-determinant of the information I = XᵀVX (Jeffreys' prior; Firth,
// Biometrika 1993; Heinze & Schemper, Statistics in Medicine 2002):
//
//	f(θ) − ½ log det I,   vᵢ = wᵢpᵢ(1−pᵢ),
//
// with the information by the coefficients on the scale of the data, so that values do not depend on
// the units of the design.
// Its gradient has w(p − t) + h(p − ½) in place of the residual w(p − t), with
// h = v·xᵀI⁻¹x the leverages of V^½X. With the derivatives v′ = v(1−2p) and
// v″ = v(1−6p(1−p)) by the score, its Hessian times u is Xᵀr for
//
//	rᵢ = (vᵢ − ½v″ᵢxᵢᵀI⁻¹xᵢ)aᵢ + ½v′ᵢxᵢᵀI⁻¹TI⁻¹xᵢ,   a = Xu,   T = Σ v′ᵢaᵢxᵢxᵢᵀ.
//
// Either costs O(np²). I is a model of the Hessian that costs nothing more than the
// gradient. It implements [optimize.HessianVec] and [optimize.Preconditioned].
type Jeffreys struct {
	o *Objective

	units float64 // Σ log u: half of what log det I is more on the data's scale than in units

	theta  []float64 // the last point
	value  float64
	g      []float64        // the gradient there; nil before there is a point
	info   *linalg.Dense    // I
	factor *linalg.Cholesky // of I at the last point where it is not singular
	slope  []float64        // ½v′ of the rows
	curve  []float64        // their v − ½v″xᵀI⁻¹x

	basis *linalg.Cholesky // L of the coordinates Lᵀθ, in which o is; nil for θ
}

// NewJeffreys returns Firth's objective for one of the logistic loss.
func NewJeffreys(o *Objective) *Jeffreys {
	f := &Jeffreys{o: o, info: linalg.Zeros(o.Dim(), o.Dim()), slope: make([]float64, o.N), curve: make([]float64, o.N)}
	for _, u := range o.Unit {
		f.units += math.Log(u)
	}
	return f
}

// Err returns the first error of a pass.
func (f *Jeffreys) Err() error { return f.o.failed }

// Value returns the objective; +Inf where the information is singular. O(np²).
func (f *Jeffreys) Value(theta []float64) float64 {
	f.moveTo(theta)
	return f.value
}

// Grad sets g to the gradient and returns the objective. O(np²).
func (f *Jeffreys) Grad(g, theta []float64) float64 {
	f.moveTo(theta)
	copy(g, f.g)
	return f.value
}

// moveTo makes theta the last point.
func (f *Jeffreys) moveTo(theta []float64) {
	if f.g != nil && slices.Equal(theta, f.theta) {
		return
	}
	f.theta, f.g = linalg.Clone(theta), make([]float64, len(theta))
	at := f.turned(theta)
	f.value = f.o.Hess(f.info, f.g, at)
	factor, err := linalg.NewCholesky(f.info)
	if err != nil {
		f.value, f.g[0] = math.Inf(1), math.NaN()
		return
	}
	f.factor = factor
	f.value -= factor.LogDet()/2 + f.units
	form, eta := f.forms(nil, factor.InverseL(f.o.Workers)), f.o.alongRows(at, 1).Data
	for i, q := range form {
		t := eta[i] + f.o.OffsetOf(i, 0)
		p, not := linalg.Sigmoid(t), linalg.Sigmoid(-t)
		v := f.o.Weight(i) * p * not
		f.slope[i] = v * (not - p) / 2
		f.curve[i] = v * (1 - q*(1-6*p*not)/2)
		form[i] = -f.slope[i] * q
	}
	f.addBack(f.g, form)
	if f.basis != nil {
		f.value -= f.basis.LogDet() / 2
	}
}

// HessVec sets dst to the product of the Hessian at theta with u. O(np²).
func (f *Jeffreys) HessVec(dst, theta, u []float64) {
	f.moveTo(theta)
	a, form := f.o.alongRows(f.turned(u), 1).Data, make([]float64, f.o.N)
	for i, s := range f.slope {
		form[i] = 2 * s * a[i]
	}
	t, err := f.o.Gram(form)
	if f.o.keepIf(err); f.o.failed != nil {
		dst[0] = math.NaN()
		return
	}
	f.factor.SolveMatrix(t)
	t = t.Transposed()
	f.factor.SolveMatrix(t)
	form = f.forms(t, nil)
	for i, s := range f.slope {
		form[i] = f.curve[i]*a[i] + s*form[i]
	}
	clear(dst)
	f.addBack(dst, form)
}

// addBack turns g, adds Xᵀr to it and turns it back.
func (f *Jeffreys) addBack(g, r []float64) {
	if f.o.failed == nil {
		linalg.Axpy(g, 1, f.o.backOf(&linalg.Dense{Rows: len(r), Cols: 1, Stride: 1, Data: r}))
	}
	if f.basis != nil {
		f.basis.L().MulVec(g, linalg.Clone(g))
	}
}

// turned returns the coordinates of theta that o is in.
func (f *Jeffreys) turned(theta []float64) []float64 {
	if f.basis == nil {
		return theta
	}
	dst := make([]float64, len(theta))
	linalg.MulTVecAdd(dst, f.basis.L(), theta)
	return dst
}

// stripRows is the number of rows of a triangular matrix whose zeros are multiplied.
const stripRows = 32

// forms returns xᵢᵀMxᵢ, or where m is nil ‖Lxᵢ‖² for a lower triangular L. O(np²).
func (f *Jeffreys) forms(m, l *linalg.Dense) []float64 {
	dst, p := make([]float64, f.o.N), f.info.Rows
	f.eachRow(func(b *design.Block, x, image *linalg.Dense) {
		left := x
		if m != nil {
			linalg.MulAdd(image, 1, x, m)
		} else {
			left = image
			part := func(a *linalg.Dense, lo, hi int) *linalg.Dense {
				return &linalg.Dense{Rows: a.Rows, Cols: hi - lo, Stride: p, Data: a.Data[lo:]}
			}
			for lo := 0; lo < p; lo += stripRows {
				hi := min(lo+stripRows, p)
				linalg.MulBTAdd(part(image, lo, hi), 1, part(x, 0, hi), part(l.RowRange(lo, hi), 0, hi))
			}
		}
		for i := range x.Rows {
			dst[b.Lo+i] = linalg.Dot(left.Row(i), image.Row(i))
		}
	})
	return dst
}

// eachRow calls visit with the rows of each block, and as large a matrix of zeros.
func (f *Jeffreys) eachRow(visit func(b *design.Block, x, image *linalg.Dense)) {
	f.o.keepIf(f.o.EachRow(func() func(*design.Block) {
		size := min(linalg.BlockRows, f.o.N)
		rows, images := linalg.Zeros(size, f.info.Rows), linalg.Zeros(size, f.info.Rows)
		return func(b *design.Block) {
			x, image := rows.RowRange(0, b.Len()), images.RowRange(0, b.Len())
			for i := range x.Rows {
				b.Row(x.Row(i), i)
				clear(image.Row(i))
			}
			visit(b, x, image)
		}
	}))
}

// turn takes coordinates in which the information at the last point is 1: there the information of
// near-copies, and its determinant, is not the rounding errors of sums. It makes a copy of the rows, where
// there is room.
func (f *Jeffreys) turn() {
	if f.factor == nil || f.basis != nil || linalg.CheckCopy(f.o.Rows(), f.o.N, f.info.Rows) != nil {
		return
	}
	z := linalg.Zeros(f.o.N, f.info.Rows)
	f.eachRow(func(b *design.Block, x, _ *linalg.Dense) {
		for i := range x.Rows {
			linalg.SolveLower(f.factor.L(), x.Row(i))
			copy(z.Row(b.Lo+i), x.Row(i))
		}
	})
	if f.o.failed == nil {
		d := f.o.Of(z)
		d.Intercept = 0
		f.o, f.basis, f.g = f.o.On(d), f.factor, nil
	}
}

// Precondition overwrites d with I⁻¹d, for I at the last point where it was not singular.
func (f *Jeffreys) Precondition(d []float64) {
	if f.basis == nil {
		f.factor.Solve(d)
		return
	}
	linalg.SolveLower(f.basis.L(), d)
	f.factor.Solve(d)
	linalg.SolveLowerT(f.basis.L(), d)
}

// Minimize finds the minimum from theta.
func (f *Jeffreys) Minimize(theta []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	return f.minimize(f, theta, c)
}

// led is f as a function of all parameters or of some.
type led interface {
	optimize.HessianVec
	optimize.Preconditioned
}

// creeping is the number of steps led by the information from which on Newton's steps are tried: one
// takes some ten products with the Hessian, of which each costs as much as a gradient.
const creeping = 100

// minimize finds the minimum from x by L-BFGS led by the information, O(np²) a step, and where
// that creeps or is stuck by Newton's method with conjugate gradients.
func (f *Jeffreys) minimize(of led, x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	scored := optimize.Stage{Name: "L-BFGS led by the information", Until: optimize.Pace(c.Tol, 0, patience, creeping),
		Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
			return optimize.LBFGS(of, x, pairsKept, c)
		}}
	newton := optimize.Stage{Name: "Newton with conjugate gradients",
		Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
			of.Value(x)
			f.turn()
			return optimize.NewtonCG(of, x, c)
		}}
	return optimize.Run(x, c, func(x []float64) (float64, optimize.Certificate, error) {
		g, worst := make([]float64, len(x)), 0.0
		value := of.Grad(g, x)
		for j, v := range g {
			worst = max(worst, math.Abs(v)/c.Scale.At(j))
		}
		return value, optimize.Certificate{Kind: optimize.KindGradient, Value: worst, Tol: c.Tol}, f.Err()
	}, scored, newton)
}

// RestrictedJeffreys is Firth's objective as a function of some parameters, the others held.
type RestrictedJeffreys struct {
	*optimize.Restricted
	f    *Jeffreys
	free []int

	whole *linalg.Cholesky // of the information of which part is that by the free parameters
	part  *linalg.Cholesky
}

// RestrictJeffreys returns Firth's objective for one of the logistic loss, as a function of the
// parameters free, the others held as at has them.
func RestrictJeffreys(o *Objective, at []float64, free []int) *RestrictedJeffreys {
	f := NewJeffreys(o)
	return &RestrictedJeffreys{Restricted: optimize.Restrict(f, at, free), f: f, free: free}
}

// HessVec sets dst to the product of the Hessian at x with u. O(np²).
func (s *RestrictedJeffreys) HessVec(dst, x, u []float64) {
	all := make([]float64, s.f.info.Rows)
	for i, j := range s.free {
		all[j] = u[i]
	}
	s.f.HessVec(all, s.At(x), all)
	for i, j := range s.free {
		dst[i] = all[j]
	}
}

// Precondition overwrites d with the solution of the equations of the free parameters' information.
func (s *RestrictedJeffreys) Precondition(d []float64) {
	if s.whole != s.f.factor {
		s.whole = s.f.factor
		rows := s.whole.L()
		if s.f.basis != nil {
			rows = linalg.Zeros(rows.Rows, rows.Cols)
			linalg.MulAdd(rows, 1, s.f.basis.L(), s.whole.L())
		}
		some := linalg.Zeros(len(s.free), rows.Cols)
		for i, j := range s.free {
			copy(some.Row(i), rows.Row(j))
		}
		part := linalg.GramOfRows(some, nil, nil, s.f.o.Workers)
		var err error
		if s.part, err = linalg.NewCholesky(part); err != nil { // of near-copies any model near it leads
			s.part, _ = steadied(part)
		}
	}
	s.part.Solve(d)
}

// Minimize finds the minimum over the free parameters, from where they are; it returns all
// parameters. c.Scale is that of all of them.
func (s *RestrictedJeffreys) Minimize(c *optimize.Control) ([]float64, optimize.Report, error) {
	return s.MinimizeBy(c, func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		return s.f.minimize(s, x, c)
	})
}
