package glm

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// commonCauses returns 1,200 rows of 150 columns that five causes move, with so much noise
// besides, and classes.
func commonCauses(t *testing.T, noise float64) *Objective {
	t.Helper()
	const n, p, causes = 1200, 150, 5
	r := rand.New(rand.NewPCG(3, 5))
	normal := func(rows, cols int, size float64) *linalg.Dense {
		a := linalg.Zeros(rows, cols)
		for i := range a.Data {
			a.Data[i] = size * r.NormFloat64()
		}
		return a
	}
	x := normal(n, p, noise)
	linalg.MulAdd(x, 1, normal(n, causes, 1), normal(causes, p, 1))
	for i := range n {
		x.Set(i, p/2, 0) // an empty column hides nothing
	}
	y := make([]float64, n)
	for i := range y {
		if y[i] = 1; x.At(i, 0)+x.At(i, 1)+r.NormFloat64() < 0 {
			y[i] = -1
		}
	}
	d, err := design.New(x, n, "rows", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return New(d, y, loss.Logistic{}, ridgeOf(d, 1))
}

// condition returns that of the Hessian at 0 in the metric of the model.
func condition(t *testing.T, d *diagonal) float64 {
	t.Helper()
	o := d.o
	theta := make([]float64, o.Parameters())
	d.renew(theta)
	h, g := linalg.Zeros(o.Dim(), o.Dim()), make([]float64, o.Dim())
	o.Hess(h, g, theta)
	inverse := linalg.Identity(o.Dim())
	for j := range inverse.Rows {
		d.Precondition(inverse.Row(j))
	}
	c, err := linalg.NewCholesky(h)
	if err != nil {
		t.Fatal(err)
	}
	e, err := linalg.SymDefEigen(inverse, c.Inverse()) // M⁻¹v = λH⁻¹v
	if err != nil {
		t.Fatal(err)
	}
	return e.Values[len(e.Values)-1] / e.Values[0]
}

func TestLeadingDirectionsMakeTheModelOfCommonCausesANearOne(t *testing.T) {
	o := commonCauses(t, 0.1)
	l := o.findLeading()
	if l == nil || len(l.by) < 5 || len(l.by) > 12 {
		t.Fatalf("leading directions of five causes: %v", l)
	}
	if with, without := condition(t, &diagonal{o: o, leading: l}), condition(t, &diagonal{o: o}); with > 100 || without < 1e4 {
		t.Errorf("condition %.3g by leading directions, %.3g by the diagonal", with, without)
	}
}

func TestNoDirectionLeadsWhereAllAreAlike(t *testing.T) {
	o := commonCauses(t, 100)
	if l := o.findLeading(); l != nil && len(l.by) > 0 {
		t.Errorf("%d directions lead in rows of noise", len(l.by))
	}
}

func TestFitsOfCommonCausesTakeFewSteps(t *testing.T) {
	o := commonCauses(t, 0.1)
	d := &diagonal{o: o}
	theta, report, err := d.lbfgs(make([]float64, o.Parameters()), &optimize.Control{Tol: 1e-9})
	if theta == nil {
		t.Fatal(err)
	}
	found := d.leading
	_, _, _ = d.lbfgs(theta, &optimize.Control{Tol: 1e-9})
	if d.leading != found {
		t.Error("the directions were looked for again")
	}
	if _, c, err := o.Judge(theta, 1e-12); err != nil || !c.Holds() || report.Iterations() > 70 {
		t.Errorf("%d steps, gap %.2g (%v)", report.Iterations(), c.Value, err)
	}
}

func TestKernelOfSomeRowsIsThatOfTheWeightedRows(t *testing.T) {
	o := commonCauses(t, 1)
	weights := make([]float64, o.N)
	for i := range weights {
		weights[i] = float64(i % 4)
	}
	for _, intercept := range []bool{true, false} {
		d, err := design.New(o.Rows(), o.N, "rows", design.Settings{Weights: weights, NoIntercept: !intercept})
		if err != nil {
			t.Fatal(err)
		}
		const step = 77
		scale := linalgtest.Normal(2, 1, d.Dim()).Data
		k, err := New(d, o.Y, loss.Logistic{}, nil).kernelOfSome(step, scale)
		if err != nil {
			t.Fatal(err)
		}
		part, err := d.Thin(step)
		if err != nil {
			t.Fatal(err)
		}
		z, err := part.Weighted()
		if err != nil {
			t.Fatal(err)
		}
		want := linalg.GramOfRows(z, nil, scale, 1)
		for i, v := range want.Data {
			if math.Abs(k.Data[i]-v) > 1e-12*math.Abs(want.At(1, 1)) {
				t.Fatalf("intercept %t: product %d is %g, want %g", intercept, i, k.Data[i], v)
			}
		}
	}
}
