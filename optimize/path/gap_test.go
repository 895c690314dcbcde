package path

// A fit ends with a Newton step that is right to all digits: what a gap says beside another, or
// beside large rounding errors, is asked here of its parts.

import (
	"math"
	"math/big"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// problemOf returns that of a lasso of one loss, of labels that the rows hardly tell apart.
func problemOf(t *testing.T, l loss.Batch, p Penalty, s design.Settings) *Problem {
	t.Helper()
	x, labels := linalgtest.LabeledRows(60, 2, 3)
	y := make([]float64, len(labels))
	for i, c := range labels {
		if y[i] = float64(c); l == loss.BatchOf(loss.Logistic{}) {
			y[i] = float64(2*(c%2) - 1)
		}
	}
	d, err := design.New(x, len(y), "labels", s)
	if err != nil {
		t.Fatal(err)
	}
	if err := Measure(d, false); err != nil {
		t.Fatal(err)
	}
	return newMulti(t, d, y, l, p)
}

// The derivatives that a step leaves by the coordinates without a penalty are none of a dual point's:
// the gap is one all the same, for the Newton step, half of it and none, and not several times too large;
// and other derivatives are as far from those of the Newton step as is said, before a pass along the step and after.
func TestGapBesideAnyStep(t *testing.T) {
	for _, l := range []loss.Batch{loss.BatchOf(loss.Logistic{}), loss.Softmax{K: 3}, loss.BatchOf(loss.Squared{})} {
		for _, penalty := range []Penalty{{L1Ratio: 1}, {L1Ratio: 1, Factors: []float64{0, 1}}} {
			p := problemOf(t, l, penalty, design.Settings{})
			lambda, theta := 3*p.LambdaMax(), p.Null()
			for i, j := range p.free {
				theta[j] += 1e-3 / float64(1+i)
			}
			g := make([]float64, len(theta))
			value := p.Grad(g, theta)
			excess := value - p.atNull
			exact, err := p.center(g, theta, p.newtonStep(g, theta))
			if err != nil {
				t.Fatal(err)
			}
			within := func(what string, g []float64, c *centered) {
				r, err := p.roundingAt(value, theta, c)
				for j := range theta {
					if off := math.Abs(g[j] - exact[j]); err != nil || p.elasticNet(1).Factor(j) > 0 && !(off <= r.moved.at(j)) {
						t.Errorf("%T, factors %v, %s: derivative %d is %g off, not %g, %v", l, penalty.Factors, what, j, off, r.moved.at(j), err)
					}
				}
			}
			for _, share := range []float64{1, 0.5, 0} {
				c := p.newtonStep(g, theta)
				if share == 1 && p.levelsAlone() {
					within("without a pass", g, c)
				}
				linalg.Scale(c.d, share)
				g, err := p.center(g, theta, c)
				if err != nil {
					t.Fatal(err)
				}
				if p.levelsAlone() {
					within("after a pass along the step", g, c)
				}
				if err := p.measureAlong(theta, c); err != nil {
					t.Fatal(err)
				}
				within("after all passes", g, c)
				gap, err := p.gapAt(lambda, value, theta, g, c)
				if err != nil || !(gap >= excess*(1-1e-6) && gap <= 6*excess) {
					t.Errorf("%T, factors %v, %g of the step: gap %g for %g, %v", l, penalty.Factors, share, gap, excess, err)
				}
			}
		}
	}
}

// Derivatives by the intercepts that are off by up to e, whatever their signs, turn scores by no more
// than is said, and by as much.
func TestTurnOfIntercepts(t *testing.T) {
	p := problemOf(t, loss.Softmax{K: 3}, Penalty{L1Ratio: 1}, design.Settings{})
	c := p.newtonStep(p.nullGradient(), p.Null())
	e := []float64{1e-3, 4e-3}
	length, turn, err := p.turn(c, e)
	if err != nil {
		t.Fatal(err)
	}
	longest, widest := 0.0, 0.0
	for _, sign := range []float64{1, -1} {
		off := []float64{e[0], sign * e[1]}
		delta := []float64{linalg.Dot(c.inverse.Row(0), off), linalg.Dot(c.inverse.Row(1), off)}
		longest = max(longest, math.Sqrt(linalg.Dot(delta, off)))
		widest = max(widest, max(delta[0], delta[1], 0)-min(delta[0], delta[1], 0))
	}
	linalgtest.Close(t, "turn", turn, widest, 1e-9*widest)
	linalgtest.Close(t, "length", length, longest*math.Sqrt(4./3), 1e-9*longest)
}

// The derivatives by the intercepts of classes on sparse rows are sums in twice the precision, of which
// rounding residuals alone takes digits, and a step along which scores turn.
func TestLevelsAreSummedToTheLastDigit(t *testing.T) {
	const n, k = 4000, 3 // and columns that make a descent over them pay
	x, y := linalgtest.Thinned(3, n, 220, 0.03), make([]float64, n)
	for i := range y {
		y[i] = float64((i + i*i/7) % k)
	}
	d, err := design.New(linalgtest.Sparse(x), n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Measure(d, false); err != nil {
		t.Fatal(err)
	}
	p := newMulti(t, d, y, loss.Softmax{K: k}, Penalty{L1Ratio: 1})
	theta, g := p.Null(), make([]float64, k*p.Dim())
	for at := range theta[:len(theta)-p.Dim()] {
		theta[at] += 0.1 / float64(3+at)
	}
	p.Grad(g, theta)
	c := p.newtonStep(g, theta)
	linalg.Scale(c.d, 0)
	if g, err = p.center(g, theta, c); err != nil {
		t.Fatal(err)
	}
	if err := p.measureAlong(theta, c); err != nil {
		t.Fatal(err)
	}
	r, _ := p.RowsAt(theta)
	c.reach = 0
	moved := &blur{p: p, relative: p.roundingOfSums(0), sums: c.sums, plain: true}
	e := p.lacking(moved, c)
	for i, j := range p.free {
		sum := new(big.Float).SetPrec(200)
		for at := j / p.Dim(); at < len(r); at += k {
			sum.Add(sum, big.NewFloat(r[at]))
		}
		want, _ := sum.Float64()
		linalgtest.Close(t, "sum", c.left[i], want, 1e-15*math.Abs(want))
		if least := float64(k+8) * unit * moved.sum(j); !(e[i]-math.Abs(want) >= least && e[i]-math.Abs(want) <= 3*least) {
			t.Errorf("level %d: errors of %g, for residuals of %g in all", i, e[i]-math.Abs(want), moved.sum(j))
		}
	}
}

// An offset that a score cancels leaves it the rounding errors of the offset, which the divergence has
// their squares of: far from 0 they are most of the gap, and nearer they are nothing.
func TestGapOfLargeOffsets(t *testing.T) {
	for _, l := range []loss.Batch{loss.BatchOf(loss.Logistic{}), loss.BatchOf(loss.Squared{})} {
		for _, far := range []float64{1e8, 1e13} {
			offset := make([]float64, 60)
			for i := range offset {
				offset[i] = far * float64(1+i%7)
			}
			p := problemOf(t, l, Penalty{L1Ratio: 1}, design.Settings{Offset: offset, NoIntercept: true})
			p.responses = 0 // whose errors may be as large
			r, err := p.roundingAt(10, p.Null(), &centered{})
			if err != nil {
				t.Fatal(err)
			}
			if of := 0x1p-53 * 7 * far; !(r.second >= 10*of*of && r.second <= 1e4*of*of) {
				t.Errorf("%T, offsets of %g: %g", l, far, r.second)
			} else if !r.square && !(r.first >= 2*of*10) {
				t.Errorf("%T, offsets of %g: %g along the residuals", l, far, r.first)
			}
		}
	}
}

// Doubts of a Hessian, of sums and of the objective's own digits widen a gap.
func TestDoubtsWidenGaps(t *testing.T) {
	p := problemOf(t, loss.BatchOf(loss.Logistic{}), Penalty{L1Ratio: 1}, design.Settings{})
	theta, g := p.Null(), make([]float64, p.Dim())
	theta[0] += 0.1
	value := p.Grad(g, theta)
	weak, sure := p.newtonStep(g, theta), p.newtonStep(g, theta)
	weak.weak, sure.weak = 0.1, 0
	r, err := p.roundingAt(value, theta, sure)
	if err != nil {
		t.Fatal(err)
	}
	none := &blur{p: p, plain: true}
	curvature := 1 / sure.inverse.At(0, 0)
	linalgtest.Close(t, "derivative that a doubtful factor leaves", p.lacking(none, weak)[0], 0.2*curvature*math.Abs(weak.d[0]), 1e-9)
	_, doubted, _ := p.turn(weak, []float64{1})
	_, turn, _ := p.turn(sure, []float64{1})
	linalgtest.Close(t, "turn by a doubtful factor", doubted, turn*(1+0.2*math.Sqrt(4./3)), 1e-9*turn)
	if one := p.center1(g[0], curvature, nil); !(one.weak >= float64(p.N)*unit) {
		t.Errorf("a sum of %d curvatures is off by %g", p.N, one.weak)
	}
	sure.left, sure.reach = []float64{0}, 0.5
	after, err := p.roundingAt(value, theta, sure)
	if err != nil || !(after.moved.relative > 1.4*r.moved.relative) {
		t.Errorf("derivatives are off by %g, by %g without those of a step: %v", after.moved.relative, r.moved.relative, err)
	}
	lambda := 3 * p.LambdaMax()
	for _, left := range []float64{0, curvature} { // turns the scores by 1
		sure.left = []float64{left}
		gap, err := p.gapAt(lambda, value, theta, make([]float64, p.Dim()), sure)
		if err != nil || math.IsInf(gap, 1) != (left > 0) || !(gap >= 8*unit*value) {
			t.Errorf("a derivative of %g that is left: gap %g, %v", left, gap, err)
		}
	}
	flat := problemOf(t, loss.BatchOf(loss.Logistic{}), Penalty{L1Ratio: 1}, design.Settings{NoIntercept: true})
	value = flat.Grad(flat.nullGradient(), flat.Null())
	if gap, err := flat.gapAt(3*flat.LambdaMax(), value, flat.Null(), flat.nullGradient(), &centered{}); err != nil || !(gap >= 8*unit*value) || !(gap <= 1e-12*value) {
		t.Errorf("objective %g: gap %g, %v", value, gap, err)
	}
}

// No derivative is moved further than the furthest, of columns of very different sizes, and one of the sizes or
// of the lengths is moved as far.
func TestFurthest(t *testing.T) {
	x, labels := linalgtest.LabeledRows(60, 4, 2)
	for i := range x.Rows {
		x.Row(i)[2] *= 1e3
	}
	p := newWalk(t, x, labels, Settings{Tol: 1e-8}).Problem
	for _, measured := range []bool{false, true} {
		if measured {
			if err := p.measureLengths(); err != nil {
				t.Fatal(err)
			}
		}
		for _, b := range []*blur{{relative: 1, plain: true, residuals: 1e9}, {slope: 1, plain: true}, {relative: 1, plain: true, residuals: 1e-3},
			{relative: 2, slope: 3, plain: true, residuals: 1}, {along: 1, plain: true}, {relative: 1, along: 2, slope: 3, residuals: 1}, {turn: 2, plain: true}, {turn: 1, along: 1e3, plain: true}} {
			if b.p = p; !measured && (b.along > 0 || !b.plain) {
				continue
			}
			most := 0.0
			for j := range p.Null() {
				most = max(most, b.at(j))
			}
			if got := b.furthest(); !(got >= most) || !(got <= 1.5*most) {
				t.Errorf("%+v, measured %v: furthest %g, a derivative is moved by %g", *b, measured, got, most)
			}
		}
	}
}

// A step along any coordinates of squared error moves no derivative further than the furthest, though a step
// by the level alone, whose bounds are less, was measured before.
func TestFurthestOfSquaredError(t *testing.T) {
	p := problemOf(t, loss.BatchOf(loss.Squared{}), Penalty{L1Ratio: 1}, design.Settings{})
	if err := p.measureLengths(); err != nil {
		t.Fatal(err)
	}
	level := p.most.lean
	q := *p
	if q.leanAll(); !(q.most.lean > level) || p.most.lean != level {
		t.Errorf("along any coordinates %g, along the level %g", q.most.lean, level)
	}
	for _, p := range []*Problem{p, &q} {
		b := &blur{p: p, along: 1}
		for j := range p.Null() {
			if !(b.furthest() >= b.at(j)) {
				t.Errorf("coordinate %d moves by %g, the furthest by %g", j, b.at(j), b.furthest())
			}
		}
	}
}

// A step moves a derivative no further than its length allows, and than the scores do that turn along it.
func TestStepsMoveDerivativesByTheLesserOfTwoBounds(t *testing.T) {
	x, labels := linalgtest.LabeledRows(60, 4, 2)
	p := newWalk(t, x, labels, Settings{Tol: 1e-8}).Problem
	turned := &blur{p: p, turn: 1e-3, plain: true}
	by := turned.at(1)
	if err := p.measureLengths(); err != nil {
		t.Fatal(err)
	}
	for _, along := range []float64{1e-9, 1e9} {
		b := &blur{p: p, turn: 1e-3, along: along, plain: true, residuals: 1e9}
		linalgtest.Close(t, "moved", b.at(1), min(by, along*p.leans[1]), 1e-15)
	}
	r, err := p.roundingAt(1, p.Null(), p.newtonStep(p.Gradient(p.Null()), p.Null()))
	if err != nil || !(r.moved.turn > 0) || !(r.moved.along > 0) {
		t.Errorf("turn %g, length %g: %v", r.moved.turn, r.moved.along, err)
	}
}

// What a gap allows for rounding of residuals, of the lasso's weight and of sums of more additions than
// a pass has is asked of its parts: a fit never shows it.
func TestAllowancesOfTheGap(t *testing.T) {
	p := problemOf(t, loss.BatchOf(loss.Logistic{}), Penalty{L1Ratio: 1}, design.Settings{})
	residuals := make([]float64, p.N)
	for _, c := range []struct{ certain, least float64 }{{0x1p-52, math.Inf(1)}, {0x1p-50, 4. / 3 * 0x1p50 * (1 - 0x1p-40)}, {0.5, 1}} {
		if residuals[0] = 1 - c.certain; !(p.misfit(residuals) >= c.least) {
			t.Errorf("a residual of 1 − %g, rounded, misfits by %g, at least %g is sure", c.certain, p.misfit(residuals), c.least)
		}
	}
	theta, g := p.Null(), make([]float64, len(p.Null()))
	lambda := p.LambdaMax()
	g[1], g[2] = lambda*(1-0x1p-51), lambda*(1-0x1p-48)
	if terms := len(p.terms(lambda, theta, g, &blur{p: p, sums: make([]float64, len(g))})); terms != 1 {
		t.Errorf("%d derivatives next to λ are looked at, want the one that rounding of λα may pass", terms)
	}
	c := &centered{sumLength: 1000 * p.N}
	r, err := p.roundingAt(1, theta, c)
	if err != nil {
		t.Fatal(err)
	}
	if least := float64(c.sumLength) * unit; !(r.moved.relative >= least) {
		t.Errorf("sums of %d additions round by %g, want at least %g", c.sumLength, r.moved.relative, least)
	}
}

// Without a coordinate that lacks a penalty the passes of a gap leave the derivatives as they are.
func TestGapWithoutFreeCoordinates(t *testing.T) {
	p := problemOf(t, loss.Softmax{K: 3}, Penalty{L1Ratio: 0.5}, design.Settings{NoIntercept: true})
	theta := p.Null()
	theta[0] = 0.01
	value, gap, err := p.gap(p.LambdaMax(), theta, 0, false)
	g := make([]float64, len(theta))
	loss := p.Grad(g, theta)
	want, failed := p.gapAt(p.LambdaMax(), loss, theta, g, p.newtonStep(g, theta))
	if err != nil || failed != nil || value != loss+p.value(p.LambdaMax(), theta) || !(gap > 0) || !(gap <= want) {
		t.Errorf("gap %g of %g, %v; want at most %g, %v", gap, value, err, want, failed)
	}
}

// A step to derivatives that cost nothing may put another coordinate's above its weight: residuals are then scaled as
// well, and the step is not Newton's for the derivatives, so that both changes of the residuals add up.
func TestGapOfAStepThatIsScaled(t *testing.T) {
	const rest = 0.0675
	x := linalgtest.Rows(t, []float64{1, 0, 0.9}, []float64{0, 1, -0.35}, []float64{0, 0, math.Sqrt(rest)})
	d, err := design.New(x, 3, "responses", design.Settings{NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(glm.New(d.At(nil, nil), []float64{1.1, 1.3, 0.46 / math.Sqrt(rest)}, loss.Squared{}, nil), Penalty{L1Ratio: 1}, []float64{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, report, err := p.Fit(1, nil, &optimize.Control{Tol: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	value, gap, err := p.gap(1, []float64{1e-300, 1e-300, 0}, 1e-31, false)
	if excess := value - report.Objective(); err != nil || !(gap >= excess) || !(gap <= 1.2*excess) {
		t.Errorf("gap %g of a point %g above the minimum, %v", gap, excess, err)
	}
}

// newMulti returns the problem of a loss of several scores with a penalty on all features.
func newMulti(t *testing.T, d *design.Design, y []float64, l loss.Batch, pen Penalty) *Problem {
	t.Helper()
	p, err := New(glm.NewMulti(d, y, l, nil, nil), pen, make([]float64, l.Functions()), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A fit without settings has the tolerance that the doc states, of a ridge too.
func TestFitWithoutControl(t *testing.T) {
	for _, l := range []loss.Batch{loss.BatchOf(loss.Squared{}), loss.BatchOf(loss.Logistic{})} {
		for _, ratio := range []float64{0, 0.5, 1} {
			p := problemOf(t, l, Penalty{L1Ratio: ratio}, design.Settings{})
			_, report, err := p.Fit(0.1, nil, nil)
			if c := report.Certificate(); err != nil || c.Tol != 1e-8 || !c.Holds() {
				t.Errorf("%T, L1Ratio %g: %v, %v", l, ratio, report, err)
			}
		}
	}
}
