package glm

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// classified is a likelihood of k classes on normal rows, in turn, with a ridge unless that is 0.
func classified(t *testing.T, n, p, k int, lambda float64) *Objective {
	t.Helper()
	d, err := design.New(linalgtest.Normal(7, n, p), n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(i % k)
	}
	if lambda == 0 {
		return NewMulti(d, y, loss.Softmax{K: k}, Against(k, 0), nil)
	}
	ridge := slices.Repeat([]float64{lambda}, p+1)
	ridge[0] = 0
	return NewMulti(d, y, loss.Softmax{K: k}, Contrasts(k), ridge)
}

// Whatever costs time is counted, as no less than the multiplications that it makes, and as no more
// than it could cost one by one.
func TestWorkIsCounted(t *testing.T) {
	const n, p, k = 300, 3, 20
	const dim, m, all = p + 1, k - 1, (k - 1) * (p + 1)
	scores := classified(t, n, p, k, 1)
	free := NewMulti(scores.Design, scores.Y, scores.loss, nil, nil)
	likelihood, rows := classified(t, n, p, k, 0), classified(t, 40, 60, 5, 1)
	theta := linalgtest.Normal(8, all, 1).Data
	g, h := make([]float64, k*dim), linalg.Zeros(k*dim, k*dim)
	byRow := &byRows{o: rows}
	some := []int{0, 1, 2, 5, 9, 13}
	for _, c := range []struct {
		what string
		o    *Objective
		made float64
		do   func()
	}{
		{"a gradient", scores, n * k * 2 * dim, func() { scores.Grad(g[:all], theta) }},
		{"a Hessian", scores, n * all * all / 2, func() { scores.Hess(linalg.Zeros(all, all), g[:all], theta) }},
		{"curvatures", free, n * k * exponential / 2, func() { free.curvatureAt(g) }},
		{"a square of the Hessian", free, n * 6 * 6 / 2, func() { free.SubHess(linalg.Zeros(6, 6), g, some, nil) }},
		{"a strip of the Hessian", free, n * 6 * k * dim, func() {
			free.SubHess(linalg.Zeros(6, k*dim), g, some, slices.Collect(count(k*dim)))
		}},
		{"the Hessian of all functions", free, n * k * dim * k * dim / 2, func() { free.Hess(h, g, g) }},
		{"two products", scores, n * k * (exponential + 6*dim), func() {
			for range 2 {
				scores.HessVec(g[:all], theta, theta)
			}
		}},
		{"a diagonal", scores, n * k * m, func() { scores.diagonalAt(theta) }},
		{"a bound by few rows", scores, 80 * 80 * 80 / 2, func() { _, _ = scores.boundByRows(theta, 4*k, nil) }},
		{"a factored Hessian", likelihood, all * all * all / 3, func() {
			likelihood.newBeneath(&linearization{h: linalg.Identity(all), every: 1})
		}},
		{"leverages", likelihood, n * all * all / 2, func() {
			_, _ = likelihood.reaches(theta, theta, &beneath{inverseL: linalg.Identity(all), linearization: &linearization{}}, 0)
		}},
		{"systems of the rows", rows, 5 * 40 * 40 * 40, func() { byRow.renew(make([]float64, rows.Parameters())) }},
		{"a solution by the rows", rows, optimize.Alone * 5 * 40 * 40, func() { byRow.Precondition(make([]float64, rows.Parameters())) }},
	} {
		c.o.Work = &optimize.Work{Most: math.Inf(1)}
		if c.do(); !(c.o.Work.Spent >= c.made && c.o.Work.Spent <= 25*c.made) {
			t.Errorf("%s: counted as %g multiplications, made %g", c.what, c.o.Work.Spent, c.made)
		}
		if c.o.failed != nil {
			t.Fatal(c.o.failed)
		}
	}
}

// count yields 0, 1, …, n−1.
func count(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// A fit has its own limit, unless it is part of another or the caller has set a cap; the next fit of the
// objective does not begin with what the last has spent.
func TestFitsHaveTheirOwnWork(t *testing.T) {
	o := classified(t, 300, 3, 20, 1)
	var spent [2]float64
	for i := range spent {
		if _, _, err := o.Minimize(Problem{}); err != nil {
			t.Fatal(err)
		}
		spent[i] = o.Work.Spent
		o.memo, o.last, o.curved = memo{}, linearization{}, curvature{}
	}
	if spent[0] != spent[1] || !(spent[0] > 0) || o.Work.Most != optimize.WorkOn(300, 3, 0).Most {
		t.Errorf("spent %v", spent)
	}
	if o.Own().Work != nil || o.InTwicePrecision().Work != o.Work {
		t.Error("the same rows of another fit count, or scores in twice the precision do not")
	}
	b := &basis{linalg.Identity(o.Dim()), o.Design}
	if f, err := b.at(o, make([]float64, o.Parameters())); err != nil || f.Work != o.Work {
		t.Error("an objective in a basis does not count", err)
	}
	shared := &optimize.Work{Spent: 1}
	if _, r, _ := o.Minimize(Problem{Work: shared}); r.Status() != optimize.MaxIterations || o.Work != shared {
		t.Errorf("a fit within one that has spent all: %v", r.Status())
	}
	if _, _, err := o.Minimize(Problem{MaxIter: 1000}); err != nil || o.Work != nil {
		t.Errorf("a cap of iterations leaves another limit: %v, %v", o.Work, err)
	}
}

// Derivatives and their corrections are those of one function after the other: a bound by few rows takes
// the gradient of all of them once.
func TestABoundByFewRowsTakesLittleMemory(t *testing.T) {
	if linalgtest.Race {
		t.Skip("with the race detector, pools forget at random")
	}
	const n, p, k = 60, 10_000, 20
	o := classified(t, n, p, k, 1)
	theta := make([]float64, o.Parameters())
	o.evaluate(theta)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := o.boundByRows(theta, k, nil)
	runtime.ReadMemStats(&after)
	if numbers := (after.TotalAlloc - before.TotalAlloc) / 8; err != nil || numbers > 4*k*p { // 6 with derivatives of all functions side by side
		t.Errorf("%v, %d numbers for %d parameters", err, numbers, len(theta))
	}
}

// The bound of hundreds of classes makes no matrix of a row, which costs 8K³ multiplications: 5.1e8 here, where products take 4e7.
func TestBoundOfManyClassesTakesNoRow(t *testing.T) {
	o := classified(t, 400, 1, 400, 10)
	theta, _, err := o.Minimize(Problem{})
	if err != nil {
		t.Fatal(err)
	}
	o.evaluate(theta)
	o.Work = &optimize.Work{Most: math.Inf(1)}
	b, err := o.newBoundByFewRows(theta, 1e-12*o.memo.value)
	if err != nil || !(b.Gap <= 1e-12*o.memo.value) || o.Work.Spent > 3e8 {
		t.Errorf("%v, %v: %.3g multiplications", b, err, o.Work.Spent)
	}
}

// separated is a likelihood of k classes that planes separate, with a ridge, on normal rows whose columns have sizes
// that fall by a power.
func separated(t *testing.T, n, p, k int, lambda, power float64) *Objective {
	t.Helper()
	o := classified(t, n, p, k, lambda)
	x, truth := o.Rows().(*linalg.Dense), linalgtest.Normal(8, k, p)
	for i := range n {
		row, best := x.Row(i), math.Inf(-1)
		for j := range row {
			row[j] *= math.Pow(float64(1+j), -power)
		}
		for c := range k {
			if f := linalg.Dot(row, truth.Row(c)); f > best {
				best, o.Y[i] = f, float64(c)
			}
		}
	}
	d, err := design.New(x, n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	o = NewMulti(d, o.Y, o.loss, o.q, o.Ridge)
	o.Work = &optimize.Work{Most: math.Inf(1)}
	return o
}

// Ten separated classes and next to no ridge: far from the minimum the Hessian knows of few rows. Newton's steps within
// a region, which was measured in its model, were 38 and took 2.5e9 multiplications; by a line search 17 take 1.7e9.
func TestStepsToSeparatedClassesAreLong(t *testing.T) {
	linalgtest.SkipSlow(t)
	m := &modeled{o: separated(t, 2000, 100, 10, 1e-6, 2), share: 1}
	scale, err := m.o.Scale()
	if err != nil {
		t.Fatal(err)
	}
	_, r, err := m.model().solve(make([]float64, m.o.Parameters()), &optimize.Control{Tol: 1e-7, Scale: scale})
	if err != nil || r.Iterations() > 30 || m.o.Work.Spent > 2.2e9 {
		t.Errorf("%v, %.3g multiplications, %v", r, m.o.Work.Spent, err)
	}
}

// L-BFGS creeps to separated classes, however good the model that leads it was: 1,044 iterations took 8.2e9
// multiplications where 600 were thought to cost what Newton's method does. Left where they would be more than 64, the fit takes 2.7e9.
func TestSeparatedClassesAreLeftToNewton(t *testing.T) {
	linalgtest.SkipSlow(t)
	o := separated(t, 1200, 230, 10, 1e-5, 0)
	if o.Parameters() <= factorable {
		t.Fatal("a Hessian is factored")
	}
	_, r, err := o.Minimize(Problem{Work: o.Work})
	if err != nil || o.Work.Spent > 4e9 {
		t.Errorf("%v, %.3g multiplications, %v", r, o.Work.Spent, err)
	}
}

// Products with the Hessian are tried before it is factored: L-BFGS and Newton's method took 8.0e9 multiplications, half
// of a processor second, where conjugate gradients take 1.1e9.
func TestProductsAreTriedBeforeTheHessianOfSeparatedClasses(t *testing.T) {
	linalgtest.SkipSlow(t)
	o := separated(t, 1500, 100, 12, 1e-3, 0)
	if o.Parameters() > factorable {
		t.Fatal("no Hessian is factored")
	}
	_, r, err := o.Minimize(Problem{Work: o.Work})
	if err != nil || o.Work.Spent > 3e9 {
		t.Errorf("%v, %.3g multiplications, %v", r, o.Work.Spent, err)
	}
}

// Classes of few rows each, and next to no ridge: conjugate gradients led by a model by class take hundreds of products a
// step, where a Hessian costs some fifty. The fit took 3.9e9 multiplications by them, and 1.5e9 where they are left.
func TestProductsAreLeftForTheHessianOfManyClasses(t *testing.T) {
	linalgtest.SkipSlow(t)
	o := classified(t, 200, 1, 200, 1e-6)
	o.Work = &optimize.Work{Most: math.Inf(1)}
	_, r, err := o.Minimize(Problem{Work: o.Work})
	if err != nil || o.Work.Spent > 2.5e9 {
		t.Errorf("%v, %.3g multiplications, %v", r, o.Work.Spent, err)
	}
}

// Values a million times the others: Newton's steps are many, and a Hessian leads several of them. With one made for each step,
// after 700 by the model by class that crept, the fit took 1.4e10 multiplications, and 2.6e9 with those kept.
func TestHessiansOfOutlyingClassesAreKept(t *testing.T) {
	linalgtest.SkipSlow(t)
	o := classified(t, 120, 4, 90, 1)
	x := o.Rows().(*linalg.Dense)
	for i := 0; i < x.Rows; i += 20 {
		linalg.Scale(x.Row(i), 1e6)
	}
	d, err := design.New(x, x.Rows, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for j, u := range d.Unit {
		o.Ridge[j+1] = 1 / u / u
	}
	o = NewMulti(d, o.Y, o.loss, o.q, o.Ridge)
	o.Work = &optimize.Work{Most: math.Inf(1)}
	_, r, err := o.Minimize(Problem{Work: o.Work})
	if err != nil || o.Work.Spent > 6e9 {
		t.Errorf("%v, %.3g multiplications, %v", r, o.Work.Spent, err)
	}
}

// The likelihood of many features takes the work of some two Hessians, as many as prove it: Newton's method made seven.
func TestLikelihoodOfManyFeaturesMakesFewHessians(t *testing.T) {
	const n, p = 4000, 300
	d, err := design.New(linalgtest.Normal(7, n, p), n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(1 - 2*(i%2))
	}
	o, work := New(d, y, loss.Logistic{}, nil), &optimize.Work{Most: math.Inf(1)}
	_, report, err := o.Minimize(Problem{Work: work})
	if hessians := work.Spent / (n * p * p / 2); err != nil || hessians > 3 {
		t.Errorf("%v, %v: the work of %g Hessians", report, err, hessians)
	}
}
