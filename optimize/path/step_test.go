package path

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// drawnProblem is a lasso or an elastic net of a loss on rows whose columns differ in size by up to a million times,
// and of which the first may be the indicators of two levels, which an intercept makes dependent.
func drawnProblem(t *testing.T, r *rand.Rand, l loss.Batch, n, p int, levels bool) *Problem {
	t.Helper()
	x, y := linalg.Zeros(n, p), make([]float64, n)
	for j := range p {
		size := math.Pow(10, 6*r.Float64()-3)
		for i := range n {
			x.Set(i, j, size*r.NormFloat64())
		}
	}
	if p > 2 && levels {
		for i := range n {
			level := float64(r.IntN(2))
			x.Set(i, 0, level)
			x.Set(i, 1, 1-level)
		}
	}
	for i := range y {
		switch k := l.Functions(); {
		case l == loss.BatchOf(loss.Squared{}):
			y[i] = r.NormFloat64() + x.At(i, 0)
		case k == 1:
			y[i] = float64(2*r.IntN(2) - 1)
		default:
			y[i] = float64((i + r.IntN(2)) % k)
		}
	}
	s := design.Settings{NoIntercept: r.IntN(4) == 0}
	if r.IntN(3) == 0 {
		s.Weights, s.Offset = make([]float64, n), make([]float64, n*l.Functions())
		for i := range n {
			s.Weights[i] = float64(r.IntN(3))
		}
		for i := range s.Offset {
			s.Offset[i] = r.NormFloat64()
		}
	}
	d, err := design.New(x, n, "labels", s)
	if err != nil {
		t.Fatal(err)
	}
	if err := Measure(d, false); err != nil {
		t.Fatal(err)
	}
	penalty := Penalty{L1Ratio: 1 - float64(r.IntN(3))/3}
	if penalty.Grouped = l.Functions() > 1 && r.IntN(3) == 0; penalty.Grouped {
		penalty.L1Ratio = 1
	}
	return newMulti(t, d, y, l, penalty)
}

// The gap by a step is one beside minima and away from them, whatever coefficients are 0, and beside a minimum
// it is of the size of the excess.
func TestGapByStep(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	losses := []loss.Batch{loss.BatchOf(loss.Logistic{}), loss.BatchOf(loss.Squared{}), loss.Softmax{K: 3}, loss.Softmax{K: 4}}
	sharp := make([]int, len(losses))
	draws := linalgtest.Rounds(40, 5000)
	for draw := range draws * len(losses) {
		at := draw % len(losses)
		p := drawnProblem(t, r, losses[at], 40+r.IntN(60), 1+r.IntN(5), r.IntN(3) == 0)
		lambda := p.LambdaMax() * math.Pow(10, -1-8*r.Float64())
		best, _, _ := p.Fit(lambda, nil, &optimize.Control{Tol: 1e-13})
		value := func(theta []float64) float64 { return p.Objective.Value(theta) + p.value(lambda, theta) }
		least := value(best)
		for _, off := range []float64{0, 1e-8, 1e-4, 1e-2, 1} {
			theta := linalg.Clone(best)
			for j := range theta {
				if theta[j] *= 1 + off*r.NormFloat64(); off == 1 && r.IntN(3) == 0 {
					theta[j] = 0
				}
			}
			p.shift(theta)
			excess, rounding := value(theta)-least, 1e-13*value(theta)
			gap, err := p.gapByStep(lambda, theta, 0)
			if err != nil || !(gap >= excess-rounding) {
				t.Errorf("%T, λ %g of λmax, %g away: gap %g for an excess of %g, %v", losses[at], lambda/p.LambdaMax(), off, gap, excess, err)
			}
			wanted, _ := p.costless(lambda, value(theta), theta, p.Gradient(theta), 0)
			for j := range p.Dim() {
				sum, size := 0.0, 0.0
				for at := j; at < len(wanted); at += p.Dim() {
					sum, size = sum+wanted[at], size+math.Abs(wanted[at])
				}
				if p.Scores() > 1 && math.Abs(sum) > 1e-12*size { // never of NaN
					t.Errorf("%T: derivatives by all classes of feature %d sum to %g of %g", losses[at], j, sum, size)
				}
			}
			if off == 1e-4 && gap <= 4*excess+rounding {
				sharp[at]++
			}
		}
	}
	for i, l := range losses {
		if sharp[i] < draws/2 {
			t.Errorf("%T: of %d gaps beside a minimum %d are of the size of the excess", l, draws, sharp[i])
		}
	}
}

// Next to no penalty rounding errors of derivatives are larger than it, and fits prove their minimum all the same.
func TestNextToNoLassoConverges(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, l := range []loss.Batch{loss.BatchOf(loss.Logistic{}), loss.BatchOf(loss.Squared{}), loss.Softmax{K: 4}, loss.Softmax{K: 5}} {
		for range linalgtest.Rounds(3, 200) {
			p := drawnProblem(t, r, l, 4000, 6, false)
			p.penalty.L1Ratio = 1
			for _, share := range []float64{1e-9, 1e-11, 1e-13} {
				if _, report, err := p.Fit(share*p.LambdaMax(), nil, &optimize.Control{Tol: 1e-8}); err != nil {
					t.Errorf("%T, %g of λmax: %v, %v", l, share, report, err)
				}
			}
		}
	}
}

// On columns of amounts beside others of units, rounding errors of derivatives are a small share of a penalty that
// is felt, yet the dual point that they allow costs this share of the penalty, and the fit proves its minimum by a step.
func TestLassoOfAmountsConverges(t *testing.T) {
	const n = 4000
	r := rand.New(rand.NewPCG(4, 2))
	x, y := linalg.Zeros(n, 4), make([]float64, n)
	for i := range n {
		row, level := x.Row(i), 1e6*r.ExpFloat64()
		for j := range 3 {
			row[j] = math.Round(level * (1 + 0.3*r.NormFloat64()))
		}
		row[3] = r.NormFloat64()
		y[i] = math.Copysign(1, row[3]+1e-6*(row[0]-row[1])+r.NormFloat64())
	}
	d, err := design.New(x, n, "labels", design.Settings{})
	if err == nil {
		err = Measure(d, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(glm.New(d, y, loss.Logistic{}, nil), Penalty{L1Ratio: 1}, []float64{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, lambda := range []float64{100, 300, 600} {
		theta, report, err := p.Fit(lambda, nil, &optimize.Control{Tol: 1e-9})
		if err != nil || theta[1] == 0 || theta[4] == 0 {
			t.Errorf("λ %g: %v, %v, coefficients %v", lambda, report, err, theta)
		}
	}
}

// The indicators of all levels depend on the intercept, and as many of their coefficients as are positive may be negative:
// beside columns of amounts the fit proves its minimum by a step of those that do not.
func TestLassoOfAllLevelsConverges(t *testing.T) {
	linalgtest.SkipSlow(t)
	const n, levels, amounts = 10_000, 24, 8
	for k := 1; k <= 6; k += 5 {
		r := rand.New(rand.NewPCG(4, 2))
		x, y := linalg.Zeros(n, levels+amounts), make([]float64, n)
		for i := range n {
			row, level := x.Row(i), r.IntN(levels)
			row[level] = 1
			for j := levels; j < len(row); j++ {
				row[j] = math.Round(1e3 * r.ExpFloat64() * r.ExpFloat64())
			}
			y[i] = float64((level + r.IntN(k+1) + int(row[levels]/300)) % max(2, k))
			if k == 1 {
				y[i] = 2*y[i] - 1
			}
		}
		d, err := design.New(x, n, "labels", design.Settings{})
		if err == nil {
			err = Measure(d, false)
		}
		if err != nil {
			t.Fatal(err)
		}
		var l loss.Batch = loss.Softmax{K: k}
		if k == 1 {
			l = loss.BatchOf(loss.Logistic{})
		}
		p := newMulti(t, d, y, l, Penalty{L1Ratio: 1})
		for _, lambda := range []float64{1, 0.1, 0.01, 0.001} {
			if _, report, err := p.Fit(lambda, nil, &optimize.Control{Tol: 1e-8}); err != nil {
				t.Errorf("%d classes, λ %g: %v, %v", k, lambda, report, err)
			}
		}
	}
}
