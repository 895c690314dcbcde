package glm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// The bound without a Hessian of a ridge on all features but few is no less than the excess, and at the minimum as good as a fit's.
func TestARidgeBesideFeaturesWithoutOne(t *testing.T) {
	draws := uint64(24)
	if linalgtest.Slow() {
		draws = 4
	}
	for seed := range draws {
		r := rand.New(rand.NewPCG(seed, 60))
		n, p, k, free := 40+r.IntN(100), 40+r.IntN(80), 2+int(seed%3), 1+r.IntN(3)
		x, labels := linalgtest.LabeledRows(n, p, k)
		for i := range n { // neither means of 0 nor one unit
			for j := range p {
				x.Set(i, j, (x.At(i, j)+float64(j%7))*float64(1+j%5))
			}
		}
		rows := linalg.Rows(x)
		if seed%2 == 1 {
			for i := range x.Data {
				x.Data[i] *= math.Floor(1.5 * r.Float64())
			}
			rows = linalgtest.Sparse(x)
		}
		d, err := design.New(rows, n, "labels", design.Settings{NoIntercept: seed%5 == 4})
		if err != nil {
			t.Fatal(err)
		}
		ridge := ridgeOf(d, math.Pow(10, 4*r.Float64()-2))
		for range free {
			ridge[d.Intercept+r.IntN(p)] = 0
		}
		o := objectiveOf(d, labels, k, ridge)
		t.Run(fmt.Sprintf("%d: %d x %d, %d classes", seed, n, p, k), func(t *testing.T) {
			theta, report, err := o.Minimize(Problem{})
			if err != nil {
				t.Fatalf("%v: %v", report, err)
			}
			exact := objectiveOf(d, labels, k, ridge)
			best, _, err := optimize.Newton(exact, theta, &optimize.Control{Tol: 1e-13, MaxIter: 20})
			if best == nil {
				t.Fatal(err)
			}
			least := exact.Value(best)
			for _, step := range []float64{0, 1e-7, 1e-4, 1e-2, .1} {
				at := linalg.Clone(best)
				for j := range at {
					at[j] += step * r.NormFloat64() / math.Sqrt(float64(p))
				}
				o.evaluate(at)
				b, err := o.boundByFewRows(at, 0)
				excess := o.Value(at) - least
				if err != nil || !(b.Gap >= excess-1e-13*least) || step == 0 && !(b.Gap <= 1e-12*least) {
					t.Errorf("a gap of %g beside an excess of %g of %g, %v", b.Gap, excess, least, err)
				}
			}
		})
	}
}

// objectiveOf returns the objective of labels of k classes.
func objectiveOf(d *design.Design, labels []int, k int, ridge []float64) *Objective {
	y := numbers(labels)
	if k > 2 {
		return NewMulti(d, y, loss.Softmax{K: k}, Contrasts(k), ridge)
	}
	for i := range y {
		y[i] = 2*y[i] - 1
	}
	return New(d, y, loss.Logistic{}, ridge)
}

// The feature without a ridge separates the classes: no bound is finite, whatever the ridge on the others.
func TestNoBoundWhereAFeatureWithoutARidgeSeparates(t *testing.T) {
	x, labels := linalgtest.LabeledRows(60, 50, 2)
	for i, l := range labels {
		x.Set(i, 3, float64(2*l-1)*(1+math.Abs(x.At(i, 3))))
	}
	d, err := design.New(x, 60, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	ridge := ridgeOf(d, 1)
	ridge[1+3] = 0
	o := objectiveOf(d, labels, 2, ridge)
	theta := make([]float64, o.Parameters())
	for _, slope := range []float64{0, 1, 10, 30} {
		theta[1+3] = slope
		o.evaluate(theta)
		if b, err := o.boundByFewRows(theta, 0); err != nil || b.Exists || b.Gap < math.Inf(1) {
			t.Errorf("slope %g: %+v, %v", slope, b, err)
		}
	}
}
