package path

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// classified is a lasso of k classes on n rows of some features.
func classified(t *testing.T, n, k, features int) *Problem {
	t.Helper()
	return classifiedAbout(t, 0, n, k, features)
}

// classifiedAbout adds a number to all values.
func classifiedAbout(t *testing.T, shift float64, n, k, features int) *Problem {
	t.Helper()
	x, y := linalgtest.Normal(9, n, features), make([]float64, n)
	for i := range x.Data {
		x.Data[i] += shift
	}
	for i := range y {
		y[i] = float64(i % k)
		x.Row(i)[i%3] += float64(i % k)
	}
	d, err := design.New(x, n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return newMulti(t, d, y, loss.Softmax{K: k}, Penalty{L1Ratio: 1})
}

// A fit has a limit of its own, with which a second one does not begin where the first has ended; the
// start is part of the fit, whether that is one with a ridge or by larger penalties.
func TestStartsSpendTheWorkOfTheFit(t *testing.T) {
	const k = 12
	for _, n := range []int{25 * k, 4 * k} {
		p := classified(t, n, k, 3)
		lambda := 1e-3 * p.LambdaMax()
		var spent [2]float64
		for i := range spent {
			if _, _, err := classified(t, n, k, 3).Fit(lambda, nil, &optimize.Control{Tol: 1e-6}); err != nil {
				t.Fatal(err)
			}
			_, _, _ = p.Fit(lambda, nil, &optimize.Control{Tol: 1e-6})
			spent[i] = p.Work.Spent
		}
		if !(spent[0] > 1e6 && math.Abs(spent[1]/spent[0]-1) < .2) {
			t.Errorf("two fits to %d rows spend %v", n, spent)
		}
		p.Work = &optimize.Work{Spent: 1}
		if start := p.ridgeStart(p.solver(), lambda, &optimize.Control{}); !slices.Equal(start, p.Null()) {
			t.Errorf("%d rows: the start goes on though all work is spent", n)
		}
		if _, _, err := p.Fit(lambda, nil, &optimize.Control{Tol: 1e-6, MaxIter: 100}); p.Work != nil {
			t.Errorf("%d rows: a cap of iterations leaves another limit, %v", n, err)
		}
	}
}

// A trace that returns an error ends a fit on the way to its start too, which a cap of iterations holds for as well: the
// passes of one iteration are not those of a start.
func TestStartsEndWithTheFit(t *testing.T) {
	const k = 12
	stop := errors.New("stop")
	for _, n := range []int{25 * k, 4 * k} {
		y := make([]float64, n)
		for i := range y {
			y[i] = float64(i % k)
		}
		blocks := func(c optimize.Control, ends error) int {
			read := 0
			d, err := design.New(linalgtest.Watched{Rows: classified(t, n, k, 3).Rows(), Watch: func(*linalg.Block) error {
				read++
				return nil
			}}, n, "labels", design.Settings{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			p := newMulti(t, d, y, loss.Softmax{K: k}, Penalty{L1Ratio: 1})
			read, c.Tol = 0, 1e-6
			if theta, _, err := p.Fit(1e-5*p.LambdaMax(), nil, &c); !errors.Is(err, ends) || theta == nil {
				t.Errorf("%d rows: %v", n, err)
			}
			return read
		}
		calls := 0
		whole := blocks(optimize.Control{}, nil)
		stopped := blocks(optimize.Control{Trace: func(optimize.Step) error {
			if calls++; calls == 2 {
				return stop
			}
			return nil
		}}, stop)
		if short := blocks(optimize.Control{MaxIter: 1}, optimize.ErrNotConverged); calls != 2 || 2*stopped > whole || 2*short > whole {
			t.Errorf("%d rows: %d blocks are read, %d to an error of the trace, its call %d, %d for one iteration", n, whole, stopped, calls, short)
		}
	}
}

// Twelve separated classes in more coordinates than a start may have, at a small penalty: from the fit without features
// the steps of the proximal Newton method are halved ten times, as their curvatures foretell nothing of the minimum. That
// took 3.9e10 multiplications, 2.1e10 from a start near a hundredth of the largest penalty, and 1.3e9 from near the end.
func TestSeparatedClassesBeginNearTheirEnd(t *testing.T) {
	const n, k, features = 60, 12, 220
	p := classified(t, n, k, features)
	if p.dense() {
		t.Fatal("a start may have all coordinates")
	}
	if _, _, err := p.Fit(1e-5*p.LambdaMax(), nil, &optimize.Control{Tol: 1e-6}); err != nil {
		t.Fatal(err)
	}
	if p.Work.Spent > 4e9 {
		t.Errorf("%.3g multiplications", p.Work.Spent)
	}
}

// Two separated classes and next to no penalty: each step of the proximal Newton method leaves a third of the
// objective, however well its model is minimised. With all models to a hundredth of the derivatives that took
// 1.7e10 multiplications; to what the step before has left, once the descents go by many faces, it takes 1.2e9.
func TestModelsOfSeparatedClassesAreMinimizedAsFarAsTheyAreTrue(t *testing.T) {
	const n, features = 150, 300
	x, y := linalgtest.Normal(9, n, features), make([]float64, n)
	for i := range y {
		y[i] = float64(2*(i%2) - 1)
	}
	d, err := design.New(x, n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(glm.New(d, y, loss.Logistic{}, nil), Penalty{L1Ratio: 1}, make([]float64, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Fit(1e-9*p.LambdaMax(), nil, &optimize.Control{Tol: 1e-6}); err != nil {
		t.Fatal(err)
	}
	if p.Work.Spent > 4e9 {
		t.Errorf("%.3g multiplications", p.Work.Spent)
	}
}

// spendthrift is a loss of which each pass spends all.
type spendthrift struct {
	loss.Softmax
	p *Problem // nil spends nothing
}

func (l *spendthrift) Rows(dst, v, y, f, w []float64) float64 {
	if l.p != nil {
		l.p.Work.Spent = math.Inf(1)
	}
	return l.Softmax.Rows(dst, v, y, f, w)
}

// Fits and those of a path end once their work is spent.
func TestFitsEndOnceWorkIsSpent(t *testing.T) {
	p := classified(t, 200, 5, 3)
	l := &spendthrift{Softmax: loss.Softmax{K: 5}}
	p = newMulti(t, p.Design, p.Y, l, Penalty{L1Ratio: 1})
	l.p = p
	lambda := p.LambdaMax() / 2
	if _, r, _ := p.Fit(lambda, nil, &optimize.Control{Tol: 1e-8}); r.Status() != optimize.MaxIterations {
		t.Errorf("a fit ends with status %v", r.Status())
	}
	if err := p.Run(Settings{Lambdas: []float64{lambda}, Add: func(Fit) error { return nil }}); !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("a path ends with %v", err)
	}
}

// The fits of a path share no limit.
func TestFitsOfAPathHaveTheirOwnWork(t *testing.T) {
	p, seen := classified(t, 200, 5, 3), []*optimize.Work{}
	err := p.Run(Settings{Count: 10, Add: func(Fit) error {
		seen = append(seen, p.Work)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range seen {
		if !(w.Spent > 0) || slices.Contains(seen[:i], w) {
			t.Errorf("fit %d has spent %g of a limit that is shared: %t", i, w.Spent, slices.Contains(seen[:i], w))
		}
	}
}

// A ridge has all coordinates, here 2,640, for which no Hessian by all of them is made: with one a fit took
// 1.4e10 multiplications, and ended with a gap of 1e-5.
func TestRidgesOfManyCoordinatesMakeNoHessian(t *testing.T) {
	p := classified(t, 60, 12, 220)
	p.penalty.L1Ratio = 0
	fit := func(tol float64) (theta []float64, r optimize.Report, err error) {
		err = p.Run(Settings{Lambdas: []float64{1}, Tol: tol, Add: func(f Fit) error {
			theta, r = slices.Clone(f.Theta), f.Report
			return nil
		}})
		return theta, r, err
	}
	theta, report, err := fit(1e-3)
	if err != nil || p.Work.Spent > 1e9 {
		t.Errorf("%.3g multiplications, %v", p.Work.Spent, err)
	}
	if c := report.Certificate(); !(c.Value <= ridgeExcess) || c.Tol != 1e-3 {
		t.Errorf("the certificate of a ridge is %v", c)
	}
	if _, c, err := p.Judge(1, theta, 1e-3); err != nil || !c.Holds() {
		t.Errorf("the dual problem says %v of a ridge, %v", c, err)
	}
	_, fine, err := fit(1e-7)
	if err != nil || fine.Objective() > report.Objective() || fine.Certificate().Value >= report.Certificate().Value {
		t.Errorf("a smaller tolerance leaves %v, a larger one %v, %v", fine, report, err)
	}
}

// A path of ridges with more features than rows, here 1,600, is one of single fits, and makes no Hessian either: of
// 20 MB.
func TestRidgePathsOfManyCoordinatesMakeNoHessian(t *testing.T) {
	p := classified(t, 60, 2, 1600)
	signs := slices.Clone(p.Y)
	for i := range signs {
		signs[i] = 2*signs[i] - 1
	}
	q, err := New(glm.New(p.Design, signs, loss.Logistic{}, nil), Penalty{}, []float64{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var fits []Fit
	err = q.Run(Settings{Count: 20, MinRatio: 1e-3, Tol: 1e-5, Add: func(f Fit) error {
		fits = append(fits, f)
		return nil
	}})
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; err != nil || len(fits) < 15 || made > 15<<20 {
		t.Errorf("%d fits, %d bytes, %v", len(fits), made, err)
	}
	for _, f := range fits {
		ridge := make([]float64, 1601)
		for j := range ridge[1:] {
			ridge[j+1] = f.Lambda
		}
		_, alone, err := glm.New(p.Design, signs, loss.Logistic{}, ridge).Minimize(glm.Problem{Tol: 1e-10})
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "objective", f.Objective, alone.Objective(), 1e-8*f.Objective)
	}
}

// An elastic net with more features than rows uses most of its coordinates, here of 1,600, by which Hessians take
// 2.6e9 to 6e9 multiplications. Descents over columns come to the same minimum, also of columns about a mean.
func TestElasticNetsOfManyCoordinatesGoOverColumns(t *testing.T) {
	linalgtest.SkipSlow(t)
	for _, shift := range []float64{0, 1000} {
		for k, features := range map[int]int{8: 200, 2: 1600} {
			p := classifiedAbout(t, shift, 60, k, features)
			if k == 2 {
				var err error
				signs := slices.Clone(p.Y)
				for i := range signs {
					signs[i] = 2*signs[i] - 1
				}
				if p, err = New(glm.New(p.Design, signs, loss.Logistic{}, nil), Penalty{L1Ratio: 0.05}, []float64{0}, nil); err != nil {
					t.Fatal(err)
				}
			}
			p.penalty.L1Ratio = 0.05
			c := &optimize.Control{Tol: 1e-9}
			theta, report, err := p.Fit(0.1, nil, c)
			if err != nil || p.Work.Spent > 5e8 {
				t.Errorf("%d classes: %.3g multiplications, %v", k, p.Work.Spent, err)
			}
			closer := &optimize.Control{Tol: 1e-12, Scale: p.scale(0.1)} // Newton's method has something left to do
			_, newton, err := p.solver().Minimize(p.f, theta, p.elasticNet(0.1), closer)
			if err != nil {
				t.Fatal(err)
			}
			linalgtest.Close(t, "objective", report.Objective(), newton.Objective(), 1e-9)
		}
	}
}

// Along a path of elastic nets with a small share of the lasso fits come to use most of the features, here 1,600, on 60
// rows: batches, whose Hessian has as many coordinates as there are rows at most, leave them to descents over columns.
// Objectives are those of single fits, and derivatives of squared error need to be as small as the ridge part asks, not
// beside the lasso's weight.
func TestPathsOfManyCoordinatesGoOverColumns(t *testing.T) {
	linalgtest.SkipSlow(t)
	const count = 20
	for _, squared := range []bool{false, true} {
		p := classified(t, 60, 2, 1600)
		signs, l := slices.Clone(p.Y), loss.Smooth(loss.Logistic{})
		for i := range signs {
			signs[i] = 2*signs[i] - 1
		}
		if squared {
			l = loss.Squared{}
		}
		for _, ratio := range []float64{0.02, 0.9} {
			q, err := New(glm.New(p.Design, signs, l, nil), Penalty{L1Ratio: ratio}, []float64{0}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if near := q.derivativeNear(1, q.Null(), q.atNull, 1e-8); squared && near < 1e-5*(1-ratio)/ratio {
				t.Errorf("l1 ratio %g: derivatives of %g", ratio, near)
			}
			most := 0
			err = q.Run(Settings{Count: count, MinRatio: 1e-2, Tol: 1e-7, Add: func(f Fit) error {
				most = max(most, f.DF)
				alone, err := New(glm.New(p.Design, signs, l, nil), Penalty{L1Ratio: ratio}, []float64{0}, nil)
				if err != nil {
					return err
				}
				_, report, err := alone.Fit(f.Lambda, nil, &optimize.Control{Tol: 1e-7})
				linalgtest.Close(t, "objective", f.Objective, report.Objective(), 2e-7*f.Objective)
				return err
			}})
			if err != nil {
				t.Fatal(err)
			}
			if wide := ratio < 0.5; wide && most < 300 || (q.columns != nil) != wide {
				t.Errorf("squared error %t, l1 ratio %g: %d features, a copy by columns: %t", squared, ratio, most, q.columns != nil)
			}
		}
	}
}

// Once descents over columns have crept, the solver of the caller's makes the fits that follow.
func TestFitsAfterOneThatCreptAreMadeInstead(t *testing.T) {
	linalgtest.SkipSlow(t)
	x, y := linalgtest.Neighbors(7, 60, 600), linalgtest.Numbers(60)
	d, err := design.New(x, 60, "responses", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(glm.New(d, y, loss.Squared{}, nil), Penalty{L1Ratio: .01}, []float64{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Instead = func(q *Problem, lambda float64, start []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		return q.solver().Minimize(q.f, start, q.elasticNet(lambda), c)
	}
	err = p.Run(Settings{Lambdas: []float64{3, 1, .3, .1}, Tol: 1e-8, Add: func(Fit) error { return nil }})
	if err != nil || !p.crept {
		t.Errorf("descents have crept: %t, %v", p.crept, err)
	}
}

// A start needs no proof: a fit with a ridge that rounding alone keeps from its certificate is one, as near the minimum
// as another.
func TestStartsNeedNoProof(t *testing.T) {
	linalgtest.SkipSlow(t)
	const n, k, features = 3000, 6, 4
	x, means, y := linalgtest.Normal(9, n, features), linalgtest.Normal(10, k, features), make([]float64, n)
	for i := range y {
		y[i] = float64(i % k)
		for j, m := range means.Row(i % k) {
			x.Row(i)[j] = math.Round(2*x.Row(i)[j]) + 10*m
			x.Row(i)[j] *= math.Pow(1000, float64(j)-2)
		}
	}
	d, err := design.New(x, n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	p := newMulti(t, d, y, loss.Softmax{K: k}, Penalty{L1Ratio: 0.5})
	const lambda = 1e-30
	o := p.ridged(lambda)
	theta, report, err := o.Minimize(glm.Problem{Tol: startTol})
	if err == nil || report.Status() != optimize.LineSearch {
		t.Fatal(report, err)
	}
	if start := p.ridgeStart(p.solver(), lambda, &optimize.Control{}); !slices.Equal(start, slices.Concat(o.FunctionsOf(theta)...)) {
		t.Error("the start is another one")
	}
}

// Sparse rows of few coordinates are fitted as dense ones are, and of many over a copy by columns, which creeps
// where columns depend on each other.
func TestSparseClassesOfFewFeaturesMakeNoCopy(t *testing.T) {
	const n, k = 200, 3
	for features, copies := range map[int]bool{fewCoordinates / k: false, fewCoordinates/k + 1: true} {
		y := make([]float64, n)
		for i := range y {
			y[i] = float64((i + i*i/7) % k)
		}
		d, err := design.New(linalgtest.Sparse(linalgtest.Thinned(3, n, features, 0.1)), n, "labels", design.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		p := newMulti(t, d, y, loss.Softmax{K: k}, Penalty{L1Ratio: 1})
		if _, _, err := p.Fit(p.LambdaMax()/4, nil, &optimize.Control{Tol: 1e-8}); err != nil || copies != (p.columns != nil) {
			t.Errorf("%d features: a copy is %v, want %v; %v", features, p.columns != nil, copies, err)
		}
	}
}

// A lasso of whole features that uses many coordinates, here 1,415 of 3,200, makes no Hessian by them, with which a fit
// took 1.9e11 multiplications.
func TestGroupsOfManyCoordinatesMakeNoHessian(t *testing.T) {
	p := classified(t, 120, 8, 400)
	p.penalty.Grouped = true
	theta, report, err := p.Fit(0.3, nil, &optimize.Control{Tol: 1e-6})
	if err != nil || p.Work.Spent > 1e10 {
		t.Errorf("%.3g multiplications, %v", p.Work.Spent, err)
	}
	if _, c, err := p.Judge(0.3, theta, 1e-6); err != nil || !c.Holds() {
		t.Errorf("the dual problem says %v of %v, %v", c, report, err)
	}
}

// A path of lassos goes over a copy by columns from ten classes on: Hessians have as many rows as all classes use features.
func TestPathsOfLassosOfManyClassesGoOverColumns(t *testing.T) {
	for _, classes := range []int{9, 10} {
		p, last := classified(t, 120, classes, 170), Fit{}
		err := p.Run(Settings{Lambdas: []float64{4, 3, 2}, Tol: 1e-4, Add: func(f Fit) error { last = f; return nil }})
		if err != nil || last.DF == 0 || (p.columns != nil) != (classes == 10) {
			t.Errorf("%d classes: a copy is %t, %d features, %v", classes, p.columns != nil, last.DF, err)
		}
	}
}

// A lasso of next to nothing on many more columns than rows begins at one with a larger weight: from nothing, models take in
// ever more columns, of which the minimum has few. Two classes took 2.2e9 multiplications, and take 1.8e8.
func TestManyColumnsBeginNearTheirEnd(t *testing.T) {
	const n, features = 60, 1500
	x, labels := linalgtest.LabeledRows(n, features, 2)
	p, err := New(logistic(t, x, labels, false, design.Settings{}), Penalty{L1Ratio: 1}, []float64{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Fit(1e-7*p.LambdaMax(), nil, &optimize.Control{Tol: 1e-8}); err != nil {
		t.Fatal(err)
	}
	if !(p.Work.Spent < 6e8) {
		t.Errorf("%g multiplications", p.Work.Spent)
	}
}
