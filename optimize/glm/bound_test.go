package glm

// Which rows a bound has read, and what leverages it takes, is not seen from outside.

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/loss"
)

// manyParameters returns the likelihood of ten classes with 234 parameters.
func manyParameters(t *testing.T) *Objective {
	const n, p, k = 16000, 25, 10
	x, y := linalgtest.Normal(7, n, p), make([]float64, n)
	for i := range y {
		c := i * 7 % k
		y[i] = float64(c)
		x.Set(i, c, x.At(i, c)+1.5)
		if i%7 == 0 { // rows of the part that the bound takes say much of the last column
			x.Set(i, p-1, 20*x.At(i, p-1))
		}
	}
	d, err := design.New(x, n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return NewMulti(d, y, loss.Softmax{K: k}, Against(k, k-1), nil)
}

// The bound of many parameters is one for its tolerance without a Hessian of all rows, and
// whatever it is made from holds.
func TestBoundByPartOfTheRows(t *testing.T) {
	linalgtest.SkipSlow(t)
	o := manyParameters(t)
	best, report, err := o.Minimize(Problem{})
	if err != nil {
		t.Fatal(err)
	}
	if o.last.h != nil {
		t.Error("the fit has made a Hessian of all rows")
	}
	for seed, size := range []float64{1e-9, 1e-7, 1e-5, 1e-3} {
		theta := linalgtest.Normal(uint64(seed), 1, len(best)).Data
		linalg.Scale(theta, size)
		for at := o.Dim() - 1; at < len(theta); at += o.Dim() {
			theta[at] *= 30
		}
		linalg.Axpy(theta, 1, best)
		o.evaluate(theta)
		above := o.memo.value - report.Objective()
		part, err := o.partBound(theta, 1e6)
		if err != nil {
			t.Fatal(err)
		}
		exact, err := o.exactBound(theta, 0)
		if err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string]Bound{"part": part, "all": exact} {
			if !(b.Gap >= above-1e-9) {
				t.Errorf("%g away, %s of the rows: bound %g, above the minimum %g", size, name, b.Gap, above)
			}
			if tight := 50*above + 1e-8; size < 1e-3 && !(b.Gap <= tight) {
				t.Errorf("%g away, %s of the rows: bound %g, want at most %g", size, name, b.Gap, tight)
			}
		}
	}
}

// Leverages are those by the inverse, of several functions the sum of all of a row's.
func TestLeverages(t *testing.T) {
	o := manyParameters(t)
	n := o.Parameters()
	h := linalg.Zeros(n, n)
	o.Hess(h, make([]float64, n), make([]float64, n))
	b := o.newBeneath(&linearization{h: h, every: 1})
	var got []float64
	if err := o.EachBlock(func(rows *design.Block) {
		if rows.Lo == 0 {
			got = b.leverages(rows, o.Dim())[:3]
		}
	}); err != nil {
		t.Fatal(err)
	}
	factor, err := linalg.NewCholesky(h)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, o.Dim())
	for i := range got {
		if err := o.Row(x, i); err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for at := 0; at < n; at += o.Dim() {
			v := make([]float64, n)
			copy(v[at:], x)
			factor.Solve(v)
			want += 2 * linalg.Dot(v[at:at+o.Dim()], x)
		}
		if !(math.Abs(got[i]/want-1) < 1e-12) {
			t.Errorf("row %d has leverage %g, want %g", i, got[i], want)
		}
	}
}

// The bound by products holds and is near the excess where few rows are uncertain, a ridge
// is on all features and rows are too many to change the residuals of all.
func TestBoundByProducts(t *testing.T) {
	const n, p = 3000, 30
	for _, k := range []int{2, 5} {
		x, y := linalgtest.Normal(7, n, p), make([]float64, n)
		for i := range y {
			c := i * 7 % k
			y[i] = float64(c)
			if k == 2 {
				y[i] = 2*y[i] - 1
			}
			x.Set(i, c, 0.1*x.At(i, c)+1.4)
		}
		d, err := design.New(x, n, "labels", design.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		ridge := make([]float64, d.Dim())
		for j := 1; j < len(ridge); j++ {
			ridge[j] = 0.1
		}
		o := New(d, y, loss.Logistic{}, ridge)
		if k > 2 {
			o = NewMulti(d, y, loss.Softmax{K: k}, Contrasts(k), ridge)
		}
		best, report, err := o.Minimize(Problem{Tol: 1e-15})
		if err != nil {
			t.Fatal(err)
		}
		for seed, size := range []float64{1e-7, 1e-6, 1e-5} {
			theta := linalgtest.Normal(uint64(seed), 1, len(best)).Data
			linalg.Scale(theta, size)
			linalg.Axpy(theta, 1, best)
			o.evaluate(theta)
			above := o.memo.value - report.Objective()
			rounding := 1e-14 * o.memo.value
			for _, most := range []float64{1.5, 30} {
				b, _, err := o.boundByProducts(theta, 0.8*most*above, mostProducts)
				if err != nil {
					t.Fatal(err)
				}
				if !(b.Gap >= above-rounding) || !(b.Gap <= most*above+rounding) {
					t.Errorf("%d classes, %g away: bound %g for an aim of %g, above the minimum %g", k, size, b.Gap, 0.8*most*above, above)
				}
			}
		}
	}
}

// The bound in the coordinates of the rows holds and is near the excess, for points in the span
// of the rows and beside it, and so does the bound on the sizes of the terms.
func TestBoundInTheCoordinatesOfTheRows(t *testing.T) {
	const n, p = 40, 300
	for _, k := range []int{2, 5} {
		for _, noIntercept := range []bool{false, true} {
			x, y, w := linalgtest.Normal(7, n, p), make([]float64, n), make([]float64, n)
			for i := range y {
				y[i], w[i] = float64(i*7%k), float64(i%4)
				linalg.Scale(x.Row(i), float64(1+i%5))
			}
			if k == 2 {
				for i := range y {
					y[i] = 2*y[i] - 1
				}
			}
			d, err := design.New(x, n, "labels", design.Settings{Weights: w, NoIntercept: noIntercept})
			if err != nil {
				t.Fatal(err)
			}
			o := New(d, y, loss.Logistic{}, ridgeOf(d, 3))
			if k > 2 {
				o = NewMulti(d, y, loss.Softmax{K: k}, Contrasts(k), ridgeOf(d, 3))
			}
			best, report, err := o.Minimize(Problem{Tol: 1e-15})
			if err != nil {
				t.Fatal(err)
			}
			if o.rows == nil {
				t.Fatal("the plan has no coordinates of the rows")
			}
			for seed, size := range []float64{1e-6, 1e-5, 1e-4} {
				theta := linalgtest.Normal(uint64(seed), 1, len(best)).Data
				linalg.Scale(theta, size)
				linalg.Axpy(theta, 1, best)
				o.evaluate(theta)
				above := o.memo.value - report.Objective()
				o.rows.theta, o.rows.gamma = theta, o.rows.from(theta) // no other bound is asked for
				b, err := o.rows.bound(theta, 1.5*above)
				if err != nil {
					t.Fatal(err)
				}
				rounding := 1e-14 * o.memo.value
				if !(b.Gap >= above-rounding) || !(b.Gap <= 1.5*above+rounding) {
					t.Errorf("%d classes, no intercept %v, %g away: bound %g, above the minimum %g", k, noIntercept, size, b.Gap, above)
				}
				r, err := o.reaches(theta, nil, nil, 0)
				if err != nil {
					t.Fatal(err)
				}
				terms := 0.0
				for c, f := range o.FunctionsOf(theta) {
					makeAbsolute(f)
					terms += linalg.Dot(f, r.sizes[c*o.Dim():(c+1)*o.Dim()])
				}
				if !(o.rows.terms >= terms) || !(o.rows.terms <= 10*terms) {
					t.Errorf("%d classes, no intercept %v: terms of %g are said to be at most %g", k, noIntercept, terms, o.rows.terms)
				}
			}
		}
	}
}

// Each doubt makes a bound larger, by as much as it is worth: that of the factors, of the point's
// distance from where they were made, and of the offsets' rounding.
func TestDoubtsWidenBounds(t *testing.T) {
	x := linalgtest.Normal(5, 40, 3)
	y, offset := make([]float64, 40), make([]float64, 40)
	for i := range y {
		y[i], offset[i] = float64(i%2), 1e3
	}
	of := func(offset []float64) *Objective {
		d, err := design.New(x, len(y), "labels", design.Settings{Offset: offset})
		if err != nil {
			t.Fatal(err)
		}
		return New(d, y, loss.Logistic{}, nil)
	}
	o := of(nil)
	n := o.Parameters()
	theta, h := []float64{.1, .2, -.1, .3}, linalg.Zeros(n, n)
	o.Hess(h, make([]float64, n), theta)
	o.evaluate(theta)
	b := o.newBeneath(&linearization{h: h, every: 1})
	weak := *b
	weak.weak = 0.1
	sure, drifted, doubted := o.boundBy(b, theta, 0, nil), o.boundBy(b, theta, 0.1, nil), o.boundBy(&weak, theta, 0, nil)
	if !(drifted.Decrement > sure.Decrement) || !(doubted.Decrement > 1.1*sure.Decrement) || !(sure.Decrement > 0) {
		t.Errorf("decrements %g, %g after a drift, %g by doubtful factors", sure.Decrement, drifted.Decrement, doubted.Decrement)
	}
	part := *b
	part.linearization = &linearization{h: h, every: 4}
	if got := o.boundBy(&part, theta, 0, nil).Decrement; !(got > 1.9*sure.Decrement) {
		t.Errorf("decrement %g by every fourth row, %g by all", got, sure.Decrement)
	}
	if o.lostInScores(&part, theta, nil) != o.lostInScores(nil, theta, nil) || !(o.lostInScores(b, theta, nil) < o.lostInScores(nil, theta, nil)) {
		t.Error("curvatures of every fourth row, or of no row, bound the rounding of all")
	}
	double := slices.Clone(theta)
	linalg.Scale(double, 2)
	linalgtest.Close(t, "rounding of twice the scores", o.lostInScores(b, double, nil)/o.lostInScores(b, theta, nil), 2, 1e-12)
	found := &reach{o: o, leverage: 1, terms: terms{sizes: make([]float64, n)}}
	exact := o.boundBy(b, theta, 0, found)
	if found.sizes[1] = 1e14; !(o.boundBy(b, theta, 0, found).Decrement > 1.01*exact.Decrement) {
		t.Error("rounding of sums does not count")
	}
	found.sizes[1] = 0
	if found.scores = 1e30; !(o.boundBy(b, theta, 0, found).Decrement > 1.01*exact.Decrement) {
		t.Error("rounding of scores does not count")
	}
	if found.scores = 1e34; !exact.Exists || o.boundBy(b, theta, 0, found).Exists {
		t.Error("rounding of scores turns no row") // though the step found, 0, turns none
	}
	ridged := *o
	if ridged.Ridge = []float64{0, 1e9, 0, 0}; !(ridged.lostInSums(b, theta, nil) > 10*o.lostInSums(b, theta, nil)) {
		t.Error("rounding of a ridge does not count")
	}
	best, _, err := o.Minimize(Problem{})
	if err != nil {
		t.Fatal(err)
	}
	best[1] += 0.02
	o.evaluate(best)
	quick := o.quickBound(best)
	if got, err := o.Bound(best, 0); err != nil || !quick.Exists || !(got.Gap < 0.99*quick.Gap) {
		t.Errorf("%+v, %v, by the Hessian at hand %+v", got, err, quick)
	}
	shifted := of(offset)
	shifted.evaluate(theta)
	if far, near := shifted.lostInScores(b, theta, nil), o.lostInScores(b, theta, nil); !(far > near) || !(near > 0) {
		t.Errorf("scores are off by %g with offsets, %g without", far, near)
	}
}

// A bound that came out as no number, 0·∞ of sums that cannot be judged, proves nothing: it is
// not the gap of 0 that a minimum has.
func TestBoundThatIsNoNumberProvesNothing(t *testing.T) {
	o := classified(t, 20, 2, 3, 1)
	for _, b := range []Bound{o.proven(math.NaN(), 0), o.proven(math.Inf(1), 0), {Gap: math.NaN(), Exists: true}} {
		if c := b.certificate(1, defaultTol); c.Value != 1 {
			t.Errorf("%v is published as %v", b, c)
		}
	}
	if c := o.proven(0, 0).certificate(1, defaultTol); c.Value != 0 {
		t.Errorf("a gap of 0 is published as %v", c)
	}
	if c := (Bound{Gap: 0}).certificate(math.NaN(), defaultTol); c.Value != 1 {
		t.Errorf("of no objective is published %v", c)
	}
}

// The certificate of a ridge of squared error does not depend on the units of the responses, in which a step may
// change scores by any number.
func TestCertificateOfSquaredErrorHasNoUnits(t *testing.T) {
	const n, p = 500, 40
	x, y := linalgtest.Normal(11, n, p), make([]float64, n)
	for i := range y {
		y[i] = x.At(i, 0) - x.At(i, 7) + math.Sin(float64(i))
	}
	d, err := design.New(x, n, "responses", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	judge := func(o *Objective, theta []float64) float64 {
		_, c, err := o.Judge(theta, 1e-13)
		if err != nil {
			t.Fatal(err)
		}
		return c.Value
	}
	o := New(d, y, loss.Squared{}, ridgeOf(d, 1))
	theta, _, err := o.Minimize(Problem{})
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range theta {
		theta[j] = math.Round(v*1e6) / 1e6
	}
	want := judge(New(d, y, loss.Squared{}, ridgeOf(d, 1)), theta)
	if !(want < 1e-9) {
		t.Errorf("a gap of %g by six digits", want)
	}
	large := slices.Clone(y)
	linalg.Scale(large, 1e6)
	linalg.Scale(theta, 1e6)
	linalgtest.Close(t, "gap in other units, as a share", judge(New(d, large, loss.Squared{}, ridgeOf(d, 1)), theta)/want, 1, 1e-6)
}

// The rounding of scores is bounded by the sizes of the columns: of one row that is not 0 that is
// (p+1)u·½√w·Σ|xⱼθⱼ|, whatever its weight, and of squared error twice that; the bound is private, and gaps have it beside larger terms.
func TestRoundingOfTheScoresOfOneRow(t *testing.T) {
	x, theta := linalgtest.Rows(t, []float64{3, -2}, []float64{0, 0}), []float64{0.5, 4}
	for _, w := range []float64{1, 0.01, 400} {
		d, err := design.New(x, 2, "labels", design.Settings{Weights: []float64{w, w}, NoIntercept: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			of   loss.Smooth
			bend float64
		}{{loss.Logistic{}, 0.5}, {loss.Squared{}, 1}} {
			o := New(d, []float64{0, 1}, c.of, nil)
			o.evaluate(theta)
			want := 3 * unit * math.Sqrt(w) * c.bend * (3*theta[0]/o.Unit[0] + 2*theta[1]/o.Unit[1])
			linalgtest.Close(t, "rounding in units of the bound", o.lostInScores(nil, theta, nil)/want, 1, 1e-14)
		}
	}
}

// What it costs to change the derivatives by the intercepts is the length of the Newton steps that do,
// and the largest relative change of a probability by them.
func TestCostOfLeveling(t *testing.T) {
	const n, p = 9, 4
	for seed := range uint64(12) {
		k := 2 + int(seed%3)
		x, y, w := linalgtest.Normal(31, n, p), make([]float64, n), make([]float64, n)
		for i := range y {
			y[i], w[i] = float64(i%k), 1+float64(i%3)
		}
		d, err := design.New(x, n, "labels", design.Settings{Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		o := New(d, y, loss.Logistic{}, ridgeOf(d, 0.1))
		if k > 2 {
			o = NewMulti(d, y, loss.Softmax{K: k}, Contrasts(k), ridgeOf(d, 0.1))
		}
		theta := linalgtest.Normal(seed, 1, o.Parameters()).Data
		h := linalg.Zeros(len(theta), len(theta))
		o.Hess(h, make([]float64, len(theta)), theta)
		newton, err := linalg.NewCholesky(h)
		if err != nil {
			t.Fatal(err)
		}
		o.evaluate(theta)
		r, err := o.takeRows(theta, n*o.k)
		if err != nil {
			t.Fatal(err)
		}
		_, level := r.solve(o.byFunction(o.memo.g))
		squares, turn, follows := 0.0, 0.0, r.mostCurved()
		units := linalg.Zeros(o.k, n*o.k)
		for c := range o.k {
			if c == follows {
				continue
			}
			unit, side := make([]float64, o.k*o.Dim()), make([]float64, len(theta))
			if unit[c*o.Dim()] = 1; follows >= 0 {
				unit[follows*o.Dim()] = -1
			}
			o.reduce(side, unit)
			step := slices.Clone(side)
			newton.Solve(step)
			squares += linalg.Dot(step, side)
			o.expand(unit, step)
			widest, f := 0.0, o.alongRows(unit, 1)
			for i := range n {
				mean, u := 0.0, units.Row(c)[i*o.k:(i+1)*o.k]
				for a, v := range f.Row(i) {
					linalg.Axpy(u, v*math.Sqrt(w[i]), r.c[i].Row(a))
					if o.k > 1 {
						mean += r.p[i*o.k+a] * v
					}
				}
				for _, v := range f.Row(i) {
					widest = max(widest, math.Abs(v-mean))
				}
			}
			turn = math.Hypot(turn, widest)
		}
		for name, l := range map[string]leveling{"solved": level, "of Newton steps": r.judge(units.Clone(), r.toward(follows), follows)} {
			linalgtest.Close(t, name+" length", l.length/math.Sqrt(squares), 1, 1e-9)
			linalgtest.Close(t, name+" turn", l.turn/turn, 1, 1e-9)
		}
		linalg.Scale(units.Data, 1-0.3/math.Sqrt(float64(max(1, o.k-1)))) // changes of 1 are off by .3
		short := r.judge(units.Clone(), r.toward(follows), follows)
		if !(short.length > math.Sqrt(squares)) || !(short.turn > turn) || short.length > 1.5*math.Sqrt(squares) {
			t.Errorf("units that are too short cost %+v, the true ones %g and %g", short, math.Sqrt(squares), turn)
		}
		linalg.Scale(units.Data, 0.3)
		if l := r.judge(units.Clone(), r.toward(follows), follows); !math.IsInf(l.length, 1) || !math.IsInf(l.turn, 1) {
			t.Errorf("units that are no units cost %+v", l)
		}
	}
}

// A block that cannot be read is an error of the bound by products, in whichever pass.
func TestBoundByProductsReturnsErrors(t *testing.T) {
	x, y := linalgtest.Normal(3, 20, 60), make([]float64, 20)
	for i := range y {
		y[i] = float64(2*(i%2) - 1)
	}
	linalgtest.EachFailure(t, x, 1, func(x linalg.Rows) error {
		d, err := design.New(x, len(y), "labels", design.Settings{Workers: 1})
		if err != nil {
			return err
		}
		o, theta := New(d, y, loss.Logistic{}, ridgeOf(d, 1)), make([]float64, 61)
		theta[0] = 0.3
		if o.evaluate(theta); o.failed != nil {
			return o.failed
		}
		_, _, err = o.boundByProducts(theta, 1e-9, mostProducts)
		return err
	})
}

// Rounding is part of what leveling costs: that of products of rows, of sums of residuals and of their
// corrections, however large they are, and of the curvature by the levels.
func TestRoundingOfLeveling(t *testing.T) {
	d, err := design.New(linalgtest.Rows(t, []float64{1}, []float64{-1}), 2, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	o := New(d, []float64{1, -1}, loss.Logistic{}, ridgeOf(d, 1))
	theta := []float64{0, 0}
	o.evaluate(theta)
	step, err := o.dualStep(theta, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.takeRows(theta, 2)
	if err != nil {
		t.Fatal(err)
	}
	const large, steep = 1e9, 1e20
	relative, none := o.roundingOfSums(1), []float64{0, 0}
	s, g := []float64{large, -large}, []float64{0, 2 * large * r.c[0].Data[0]}
	if b := r.bound(theta, g, s, leveling{length: steep}, &reach{o: o, terms: terms{sizes: none}}); !(b.Decrement >= large*relative*steep) {
		t.Errorf("a decrement of %g by large corrections", b.Decrement)
	}
	if b := r.bound(theta, none, none, leveling{length: steep}, &reach{o: o, terms: terms{sizes: []float64{large, 0}}}); !(b.Decrement >= large*relative*steep) {
		t.Errorf("a decrement of %g of a sum of large terms", b.Decrement)
	}
	if step.levels, err = linalg.NewCholesky(linalgtest.Rows(t, []float64{1 / steep / steep})); err != nil {
		t.Fatal(err)
	}
	step.X, step.Left = []float64{0, large}, none
	o.memo.g = []float64{0, large * (0.5 + 1)} // of a curvature and a ridge
	if b := step.bound(&reach{o: o, terms: terms{sizes: none}}, 0); !(b.Decrement >= large*0.25*relative*steep) {
		t.Errorf("a decrement of %g by a large direction", b.Decrement)
	}
	for _, c := range []struct{ least, most float64 }{{1e-3, 1000.1}, {1e-17, math.Inf(1)}} {
		levels, err := linalg.NewCholesky(linalgtest.Rows(t, []float64{1, 0}, []float64{0, c.least}))
		if err != nil {
			t.Fatal(err)
		}
		if f := o.flattest(levels); !(f >= 1/c.least && f <= c.most*1.01) || math.IsInf(f, 1) != math.IsInf(c.most, 1) {
			t.Errorf("an inverse of %g beside a curvature of %g", f, c.least)
		}
	}
	r.inner = linalgtest.Rows(t, []float64{1e30, 1e30}, []float64{1e30, 1e30})
	r.c[0].Data[0], r.c[1].Data[0] = 1, 1
	units := linalgtest.Rows(t, []float64{1, -1}) // which change nothing
	if l := r.judge(units, linalgtest.Rows(t, []float64{0.5}, []float64{-0.5}), -1); !(l.length*l.length >= 4e30*8*unit) {
		t.Errorf("a length of %g beside products of 1e30", l.length)
	}
}

// The curvature of a class that is all but certain is what the others leave, and not a difference.
func TestCurvatureOfCertainRows(t *testing.T) {
	d, err := design.New(linalgtest.Rows(t, []float64{1}, []float64{-1}, []float64{0}), 3, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	o := NewMulti(d, []float64{0, 1, 2}, loss.Softmax{K: 3}, Contrasts(3), ridgeOf(d, 1))
	theta := make([]float64, o.Parameters())
	o.reduce(theta, []float64{60, 0, 0, 0, 0, 0})
	o.evaluate(theta)
	r, err := o.takeRows(theta, 9)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "1 less the probability", r.c[0].Data[0]/(2*math.Exp(-60)), 1, 1e-12)
}

// Rows that are all but certain, whose scores a Newton step moves by more than 1, are left as they are: the
// others bound the excess.
func TestBoundByUncertainRows(t *testing.T) {
	x := linalgtest.Rows(t, []float64{1}, []float64{-1}, []float64{1.5}, []float64{-1.5},
		[]float64{1e-6}, []float64{1e-6}, []float64{-1e-6}, []float64{-1e-6})
	d, err := design.New(x, 8, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	o := New(d, []float64{1, -1, 1, -1, 1, -1, 1, -1}, loss.Logistic{}, nil)
	theta := []float64{0, 23 * d.Unit[0]}
	o.evaluate(theta)
	excess := o.memo.value - 4*math.Ln2
	b, err := o.exactBound(theta, 1e-6)
	if err != nil || !b.Exists || !(b.Gap >= excess && b.Gap < 1e-6) {
		t.Errorf("bound %+v, %v, %g above the minimum", b, err, excess)
	}
}

// The sizes of the terms of derivatives, in the place of the gradient, are those that are found beside
// the sizes of scores.
func TestTermSums(t *testing.T) {
	for _, k := range []int{1, 3} {
		x, labels := linalgtest.LabeledRows(60, 4, max(2, k))
		y, l := make([]float64, len(labels)), loss.BatchOf(loss.Logistic{})
		for i, c := range labels {
			if y[i] = float64(c); k == 1 {
				y[i] = float64(2*c - 1)
			}
		}
		if k > 1 {
			l = loss.Softmax{K: k}
		}
		d, err := design.New(linalgtest.Sparse(x), len(y), "labels", design.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		o := NewMulti(d, y, l, nil, nil)
		theta := linalgtest.Normal(3, 1, o.Parameters()).Row(0)
		want, err := o.Own().reaches(theta, nil, nil, 0)
		for range 2 {
			o.Grad(make([]float64, len(theta)), theta)
			got, failed := o.TermSums(theta)
			if err != nil || failed != nil || !slices.Equal(got, want.sizes) {
				t.Errorf("%d scores: %v, want %v, %v, %v", k, got, want.sizes, err, failed)
			}
		}
		g, fresh := make([]float64, len(theta)), make([]float64, len(theta))
		if o.Grad(g, theta) != o.Own().Grad(fresh, theta) || !slices.Equal(g, fresh) {
			t.Errorf("%d scores: another gradient afterwards", k)
		}
	}
}

// What is beneath a Hessian that only a small ridge makes definite is so whatever the rounding of its sums: the
// step along what the ridge alone tells apart is no shorter than its own, and lengths are no less.
func TestFactorsOfDoubtfulHessiansStayBeneath(t *testing.T) {
	const n = 40
	x, y := linalg.Zeros(n, 3), make([]float64, n)
	for i := range y {
		x.Set(i, i%3, 1)
		y[i] = float64(i % 2)
	}
	d, err := design.New(x, n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	const ridge = 2.2e-12
	o := New(d, y, loss.Logistic{}, []float64{0, ridge, ridge, ridge})
	p, h := o.Parameters(), linalg.Zeros(o.Parameters(), o.Parameters())
	o.Hess(h, make([]float64, p), make([]float64, p))
	u, g, exact := []float64{-1, d.Unit[0], d.Unit[1], d.Unit[2]}, make([]float64, p), 0.0 // all levels less the intercept
	for j := 1; j < p; j++ {
		g[j] = ridge * u[j] // Hu
		exact += g[j] * u[j]
	}
	share := 4 * (o.roundingOfSums(o.P) + float64(p)*unit) * float64(p)
	for _, off := range []float64{-share / 2, 0, share / 2} {
		rounded := h.Clone()
		for j := range p {
			rounded.Set(j, j, h.At(j, j)*(1+off))
		}
		b := o.newBeneath(&linearization{h: rounded, every: 1})
		if b == nil || b.shrunk == 0 {
			t.Fatalf("off by %g: %v", off, b)
		}
		if _, length := b.step(g); !(length*length >= exact*(1-b.weak)) {
			t.Errorf("off by %g: a step of length %g, its own is %g", off, length, math.Sqrt(exact))
		}
		if length := b.length(u); !(length*length >= exact) {
			t.Errorf("off by %g: length %g, at least %g", off, length, math.Sqrt(exact))
		}
	}
}

// A row of weight 0 has no part in a bound, wherever it lies: neither where its scores go along a direction nor how far
// they are from where a Hessian of part of the rows was made.
func TestBoundsLeaveRowsWithoutWeightOut(t *testing.T) {
	const n, p, left = 200, 40, 7
	of := func(at float64) *Objective {
		x, y, w := linalgtest.Normal(13, n, p), make([]float64, n), slices.Repeat([]float64{1}, n)
		for i := range y {
			y[i] = float64(2*(i*i%3%2) - 1)
		}
		linalg.Scale(x.Row(left), at)
		w[left] = 0
		d, err := design.New(x, n, "labels", design.Settings{Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		return New(d, y, loss.Logistic{}, ridgeOf(d, 1))
	}
	near, far := of(1), of(1e9)
	theta, _, err := near.Minimize(Problem{MaxIter: 3})
	if theta == nil {
		t.Fatal(err)
	}
	_, want, err := near.Judge(theta, 0)
	_, got, failed := far.Judge(theta, 0)
	if err != nil || failed != nil || !(want.Value < 1) || got != want {
		t.Errorf("%v, %v, of a row that lies far away %v, %v", want, err, got, failed)
	}
	h := linalg.Zeros(len(theta), len(theta))
	far.gradSampled(h, make([]float64, len(theta)), make([]float64, len(theta)), 2)
	linalg.Scale(theta, 1e-3)
	if far.evaluate(theta); !(far.memo.drift > 0 && far.memo.drift < 0.1) {
		t.Errorf("scores have changed by %g", far.memo.drift)
	}
}

// Where a bound by products is above the aim whatever the Hessian, none is made.
func TestBoundsThatAreOutOfReachMakeNoHessian(t *testing.T) {
	const n, p = 60, 40
	d, err := design.New(linalgtest.Normal(17, n, p), n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(2*(i*i%3%2) - 1)
	}
	o := New(d, y, loss.Logistic{}, ridgeOf(d, 1000))
	theta := make([]float64, o.Parameters())
	if !o.spares() {
		t.Fatal("the plan makes a Hessian")
	}
	for range 2 { // the second is remembered
		b, err := o.Bound(theta, 1e-6)
		if err != nil || !b.Exists || !(b.Gap > 1e-6) || o.last.h != nil {
			t.Errorf("%+v, %v, a Hessian %t", b, err, o.last.h != nil)
		}
	}
}

// Of sparse rows no more than 64 MB are copied for a bound; beyond that products make it.
func TestBoundsCopyFewSparseRows(t *testing.T) {
	const n, p = 2400, 100_000
	start, index, value, y := []int{0}, []int32{}, []float64{}, make([]float64, n)
	for i := range y {
		y[i] = float64(2*(i%2) - 1)
		index, value = append(index, int32(i%11), int32(11+i*37%(p-11))), append(value, 1+float64(i%3), 2)
		start = append(start, len(index))
	}
	x, err := linalg.NewCSR(n, p, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	d, err := design.New(x, n, "labels", design.Settings{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	o := New(d, y, loss.Logistic{}, ridgeOf(d, 100))
	theta := make([]float64, o.Parameters())
	o.evaluate(theta)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b, err := o.boundByFewRows(theta, 1e-9)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; err != nil || !b.Exists || bytes > 1<<26 {
		t.Errorf("%+v, %v, by %d bytes", b, err, bytes)
	}
}
