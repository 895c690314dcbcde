package glm

// Bounds by sums over the rows and over the columns are compared, which a fit never does.

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/loss"
)

// cancelling returns a few rows of dyadic numbers of the size, and offsets that the scores of
// coefficients of the size take off again but for some units.
func cancelling(r *rand.Rand, size, coef float64) (x *linalg.Dense, code []int, offset []float64) {
	const n, p = 6, 12
	x, code, offset = linalg.Zeros(n, p), make([]int, n), make([]float64, n)
	beta := linalgtest.Normal(r.Uint64(), 1, p).Data
	for i := range code {
		code[i] = i % 2
		for j := range p {
			x.Set(i, j, math.Round(r.NormFloat64()*0x1p12)/0x1p12*size)
		}
		offset[i] = r.NormFloat64() - coef*linalg.Dot(x.Row(i), beta)
	}
	return x, code, offset
}

// Where rounding is all that is left of a bound, that in the coordinates of the rows is no less than
// the excess in 320 bits, and of the size of the bound by sums over the columns; rounding of the kernel
// matrix leaves it more.
func TestRoundingInTheCoordinatesOfTheRows(t *testing.T) {
	compared := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		size := math.Ldexp(1, r.IntN(40)-20)
		coef, lambda := math.Pow(10, 12*r.Float64()-3)/size, math.Pow(10, 6*r.Float64()-4)*size*size
		x, code, offset := cancelling(r, size, coef)
		d, err := design.New(x, len(code), "labels", design.Settings{Offset: offset, NoIntercept: seed%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		y := numbers(code)
		for i := range y {
			y[i] = 2*y[i] - 1
		}
		o := New(d, y, loss.Logistic{}, ridgeOf(d, lambda))
		theta, _, _ := o.Minimize(Problem{Tol: 1e-26}) // to the last digit, which proves less
		m, err := o.newInRows()
		if m == nil {
			t.Fatal("no coordinates of the rows: ", err)
		}
		o.evaluate(theta)
		s, err := o.dualStep(theta, 0, mostProducts)
		if err != nil || s == nil {
			continue // no row is uncertain
		}
		found, err := o.reaches(theta, s.X, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		m.theta, m.gamma = theta, m.from(theta) // no other bound is asked for
		b, err := m.bound(theta, 0)
		if err != nil {
			t.Fatal(err)
		}
		other := s.bound(found, found.widest).Decrement
		if !b.Exists || other > 1e-6 {
			continue // too certain to place the level
		}
		compared++
		if !(b.Decrement >= other/4) || !(b.Decrement <= 10*other) {
			t.Errorf("seed %d: a decrement of %g by rows, %g by columns", seed, b.Decrement, other)
		}
		if above := excess(t, d, linalgtest.Fit{X: x, Offset: offset, Lambda: lambda}, code, theta); !(b.Gap >= above) {
			t.Errorf("seed %d: %g above the minimum, bound %g", seed, above, b.Gap)
		}
	}
	if compared < 25 {
		t.Errorf("only %d points have bounds", compared)
	}
}

// excess returns the distance from the minimum in 320 bits of the log-odds with the parameters.
func excess(t *testing.T, d *design.Design, fit linalgtest.Fit, code []int, theta []float64) float64 {
	f := linalgtest.Affine{Coef: linalg.Zeros(1, d.P), At: []float64{0}, Origin: d.Origin}
	copy(f.At, theta[:d.Intercept])
	for j, u := range d.Unit { // a power of two
		f.Coef.Set(0, j, theta[d.Intercept+j]/u)
	}
	fit.NoIntercept = d.Intercept == 0
	at, least, err := linalgtest.LogisticLeast(fit, code, f, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	above, _ := at.Sub(at, least).Float64()
	return above
}

// The bound of squared error, whose residuals are of any size, allows for the rounding of sums of them.
func TestRoundingOfLargeResiduals(t *testing.T) {
	const n, p, large = 60, 200, 1e9
	x := linalgtest.Normal(8, n, p)
	d, err := design.New(x, n, "responses", design.Settings{NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	y := linalgtest.Normal(9, 1, n).Data
	linalg.Scale(y, large)
	o := New(d, y, loss.Squared{}, ridgeOf(d, 1e4))
	if !o.spares() {
		t.Fatal("the bound of another plan")
	}
	theta, _, err := o.Minimize(Problem{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.reaches(theta, nil, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	want, err := o.boundByRows(theta, n, r)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := o.findFewRows(theta, math.Inf(1)); err != nil || !(got.Gap >= want.Gap/2) {
		t.Errorf("gap %g, %v, of few residuals below that of all, %g", got.Gap, err, want.Gap)
	}
}
