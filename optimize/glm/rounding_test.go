package glm

// Bounds by sums over the rows and over the columns are compared, which a fit never does.

import (
	"math"
	"math/rand/v2"
	"slices"
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

// The bound in the coordinates of two rows ±a, whose derivatives cancel, is the allowance for rounding: its
// parts, and the bound on the sizes of the terms, are worked out here. A dual point leaves a row that is
// all but certain, here for its weight, as it is. Gaps have all that beside larger terms.
func TestPartsOfTheRoundingInTheCoordinatesOfTheRows(t *testing.T) {
	for _, c := range []struct{ x, weight, lambda, slope, level, offset, along float64 }{
		{x: 0.5, weight: 4, lambda: 4, slope: 2},
		{x: 2, weight: 1, lambda: 0.25, slope: 1, level: 64},
		{x: 2, weight: 0.5, lambda: 0.25, slope: 1, level: 0.5, offset: 1 << 20},
		{x: 4, weight: 1, lambda: 1, slope: 1, level: 3, along: 5},
		{x: 1, weight: 0x1p-70, lambda: 0x1p20, slope: 0x1p-80, level: 3},
		{x: 1, weight: 0x1p-70, lambda: 0x1p20, slope: 0x1p-80, level: 3, along: 5},
	} {
		s := design.Settings{Weights: []float64{c.weight, c.weight}, Offset: []float64{c.offset, c.offset}}
		d, err := design.New(linalgtest.Rows(t, []float64{c.x}, []float64{-c.x}), 2, "responses", s)
		if err != nil {
			t.Fatal(err)
		}
		x := c.x / d.Unit[0]
		residual := c.lambda * c.slope / (2 * c.weight * x) // -+: less than the derivative of the ridge, no more
		score := c.level + c.offset
		o := New(d, []float64{score + x*c.slope + residual, score - x*c.slope - residual}, loss.Squared{}, []float64{0, c.lambda})
		m, err := o.newInRows()
		if m == nil {
			t.Fatal("no coordinates of the rows: ", err)
		}
		levels, err := linalg.NewCholesky(linalgtest.Rows(t, []float64{2 * c.weight}))
		if err != nil {
			t.Fatal(err)
		}
		theta, u := []float64{c.level, c.slope}, linalgtest.Rows(t, []float64{c.along}, []float64{c.along})
		o.evaluate(theta)
		b := m.boundAlong(theta, u, levels)

		length, root := x/math.Sqrt(c.lambda), c.slope*math.Sqrt(c.lambda)
		bent := c.weight * c.along
		if c.weight*length*length < negligible {
			bent = 0
		}
		sum := 2 * (c.weight*residual + bent)
		linalgtest.Close(t, "sizes of the terms", m.terms/(root*length*sum+c.level*sum), 1, 1e-12)
		if c.along != 0 {
			continue // the bound is more than rounding
		}
		size := math.Abs(c.level) + length*root + c.offset
		lost := 22*length*sum + 4*root + 2*math.Sqrt(2*c.weight)*size + 22*sum*math.Sqrt((1+2*c.weight*length*length)/(2*c.weight))
		linalgtest.Close(t, "rounding in units of the bound", b.Decrement/(lost*unit), 1, 1e-12)
	}
}

// Rows of one class have no minimum, for the intercept has no ridge, and no dual point: not where one
// leaves the derivative by the intercept as it is, for what changes that moves probabilities too. Of
// two classes it costs what the intercept is off.
func TestDualPointsAreLeveled(t *testing.T) {
	d, err := design.New(linalgtest.Rows(t, []float64{1}, []float64{-1}), 2, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, second := range []float64{1, -1} {
		o := New(d, []float64{1, second}, loss.Logistic{}, ridgeOf(d, 1))
		theta, still := []float64{0, 0}, []float64{0, 0}
		if second < 0 {
			if theta, _, err = o.Minimize(Problem{}); err != nil {
				t.Fatal(err)
			}
		}
		least, moved := o.Value(theta), slices.Clone(theta)
		moved[0] += 1e-3
		excess := o.Value(moved) - least
		o.evaluate(moved)
		g := slices.Clone(o.memo.g)
		byProducts, err := o.dualStep(moved, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := o.takeRows(moved, 2)
		if err != nil {
			t.Fatal(err)
		}
		_, level := r.solve(g)
		m, err := o.newInRows()
		if err != nil {
			t.Fatal(err)
		}
		o.evaluate(moved)
		byProducts.X, byProducts.Left = still, g
		for name, b := range map[string]Bound{
			"products":    byProducts.bound(nil, 0),
			"few rows":    r.bound(moved, g, still, level, nil),
			"coordinates": m.boundAlong(moved, linalg.Zeros(2, 1), byProducts.levels),
		} {
			if second > 0 && (b.Exists || b.Gap < math.Inf(1)) {
				t.Errorf("%s: a minimum within %g", name, b.Gap)
			}
			if second < 0 && !(b.Gap >= excess && b.Gap <= 10*excess) {
				t.Errorf("%s: bound %g, %g above the minimum", name, b.Gap, excess)
			}
		}
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
	if got, err := o.newBoundByFewRows(theta, math.Inf(1)); err != nil || !(got.Gap >= want.Gap/2) {
		t.Errorf("gap %g, %v, of few residuals below that of all, %g", got.Gap, err, want.Gap)
	}
}
