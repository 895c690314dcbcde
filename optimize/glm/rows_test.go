package glm

// That a model of the Hessian is the Hessian is seen from outside only in the number of
// iterations; this file asks it for its solutions.

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// The systems of the rows solve the Newton equations: for one score and for several,
// with and without an intercept, about an origin, with rows of weight 0.
func TestRowsSolveTheNewtonEquations(t *testing.T) {
	const n, p = 12, 30
	for k := 1; k < 5; k++ {
		for _, noIntercept := range []bool{false, true} {
			x, y, w := linalgtest.Normal(1, n, p), make([]float64, n), make([]float64, n)
			for i := range y {
				x.Row(i)[0] += 50
				x.Row(i)[1] *= 10
				y[i], w[i] = float64(i%max(2, k)), float64(i%4)
			}
			d, err := design.New(x, n, "rows", design.Settings{Weights: w, NoIntercept: noIntercept})
			if err != nil {
				t.Fatal(err)
			}
			o := New(d, y, loss.Logistic{}, ridgeOf(d, 0.3))
			if k > 1 {
				o = NewMulti(d, y, loss.Softmax{K: k}, Contrasts(k), ridgeOf(d, 0.3))
			}
			theta := linalgtest.Normal(2, 1, o.Parameters()).Data
			linalg.Scale(theta, 0.2)
			m := &byRows{o: o}
			m.renew(theta)
			for seed := range uint64(3) {
				u := linalgtest.Normal(seed, 1, len(theta)).Data
				h := make([]float64, len(u))
				o.HessVec(h, theta, u)
				m.Precondition(h)
				linalg.Axpy(h, -1, u)
				if off := linalg.NormInf(h); !(off <= 1e-10) {
					t.Errorf("%d scores, no intercept %v: off by %g", k, noIntercept, off)
				}
			}
		}
	}
}

// A direction whose dual point no product brings nearer to an aim that is below the excess is as good as any:
// conjugate gradients have solved the equations, and go on for nothing.
func TestProductsEndWithTheEquations(t *testing.T) {
	o := classified(t, 40, 300, 3, 1e-3)
	origin := make([]float64, o.Parameters())
	newton, solved := linalg.Clone(o.Gradient(origin)), &byRows{o: o}
	solved.renew(origin)
	solved.Precondition(newton)
	lowest := linalg.Dot(newton, o.Gradient(origin)) / 2
	var spent [2]float64
	for i, most := range []int{80, 8000} {
		o.Work = &optimize.Work{Most: math.Inf(1)}
		s, err := o.dualStep(origin, 1e-20, most)
		if err != nil || s == nil {
			t.Fatal(s, err)
		}
		if fall := s.fall(); !(fall >= 0.85*lowest && fall <= lowest*(1+1e-9)) {
			t.Errorf("the objective falls by %g along the direction, by %g at most", fall, lowest)
		}
		spent[i] = o.Work.Spent
	}
	if spent[1] > spent[0] {
		t.Errorf("%g multiplications where 80 products are allowed, and %g where thousands are", spent[0], spent[1])
	}
}

// Parameters of coordinates have these coordinates, whatever the number of functions, and those of rows of
// weight 0 are 0: the map is private, and a solver that goes astray in it is followed by others.
func TestCoordinatesOfTheRowsComeBack(t *testing.T) {
	for _, k := range []int{2, 4} {
		for _, noIntercept := range []bool{false, true} {
			x, y, w := linalgtest.Normal(1, 12, 30), make([]float64, 12), make([]float64, 12)
			for i := range y {
				y[i], w[i] = float64(i%k), float64(i%5)
			}
			d, err := design.New(x, len(y), "rows", design.Settings{NoIntercept: noIntercept, Weights: w})
			if err != nil {
				t.Fatal(err)
			}
			o := NewMulti(d, y, loss.Softmax{K: k}, Contrasts(k), ridgeOf(d, 0.3))
			m, err := o.newInRows()
			if err != nil || m == nil {
				t.Fatal(m, err)
			}
			gamma := linalgtest.Normal(2, 1, m.own.Parameters()).Data
			for at := range gamma {
				if i := at%m.own.Dim() - m.own.Intercept; i >= 0 && w[i] == 0 {
					gamma[at] = 0
				}
			}
			linalgtest.CloseSlice(t, "coordinates", m.from(m.to(gamma)), gamma, 1e-6)
		}
	}
}

// fewRowsOf returns 12 rows of 30 columns with responses of −1 and 1 in turn.
func fewRowsOf(t *testing.T) (*design.Design, []float64) {
	t.Helper()
	x, y := linalgtest.Normal(1, 12, 30), make([]float64, 12)
	for i := range y {
		y[i] = float64(2*(i%2) - 1)
	}
	d, err := design.New(x, len(y), "rows", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return d, y
}

// Objectives of ridges that are multiples of each other share the kernel matrix and its factor, and others do not.
func TestRidgesShareTheirKernel(t *testing.T) {
	d, y := fewRowsOf(t)
	whole, other := New(d, y, loss.Logistic{}, nil), ridgeOf(d, 2)
	other[3] = 5
	for i, ridge := range [][]float64{ridgeOf(d, 0.3), ridgeOf(d, 7), other, ridgeOf(d, 0.01)} {
		o, own := whole.Ridged(ridge), New(d, y, loss.Logistic{}, ridge)
		before := whole.kin.l
		l, err := o.kernelFactor()
		want, failed := own.kernelFactor()
		if err != nil || failed != nil || (whole.kin.l == before) != (i == 1) {
			t.Fatalf("ridge %d: %v, %v, the factor is the last one's: %v", i, err, failed, whole.kin.l == before)
		}
		linalgtest.CloseSlice(t, "factor", l.Data, want.Data, 1e-12*linalg.NormInf(want.Data))
		linalgtest.CloseSlice(t, "kernel", o.kernelMatrix().Data, own.kernelMatrix().Data, 1e-13*linalg.NormInf(own.kernelMatrix().Data))
	}
}

// As many classes as rows make an intercept no more costly than the factors of the classes.
func TestSystemsOfTheRowsOfManyClassesTakeInterceptsCheaply(t *testing.T) {
	linalgtest.SkipSlow(t)
	const k = 120
	x, y := linalgtest.Normal(1, k, 7), make([]float64, k)
	for i := range y {
		y[i] = float64(i)
	}
	took := func(noIntercept bool) time.Duration {
		d, err := design.New(x, k, "labels", design.Settings{NoIntercept: noIntercept, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		o := NewMulti(d, y, loss.Softmax{K: k}, Contrasts(k), ridgeOf(d, 0.3))
		m := &byRows{o: o}
		best := time.Hour
		for range 3 {
			begin := time.Now()
			m.renew(make([]float64, o.Parameters()))
			best = min(best, time.Since(begin))
		}
		return best
	}
	var with, without time.Duration
	for range 10 { // other programs may take the processor from one of them
		if with, without = took(false), took(true); with <= 3*without {
			return
		}
	}
	t.Errorf("with intercepts %v, without %v", with, without)
}

// The diagonal has the ridge, beside which the curvature of a column of a small unit is
// nothing.
func TestDiagonalHasTheRidge(t *testing.T) {
	x, y := linalgtest.LabeledRows(50, 60, 2)
	for i := range y {
		x.Row(i)[0] *= 1e-6
	}
	d, err := design.New(x, len(y), "rows", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range y {
		y[i] = 2*y[i] - 1
	}
	o := New(d, numbers(y), loss.Logistic{}, ridgeOf(d, 1))
	m := &diagonal{o: o}
	m.renew(make([]float64, o.Parameters()))
	h, g := linalg.Zeros(o.Dim(), o.Dim()), make([]float64, o.Dim())
	o.Hess(h, g, make([]float64, o.Dim()))
	for j, inverse := range m.inverse {
		if ratio := h.At(j, j) * inverse; !(math.Abs(math.Log(ratio)) <= math.Log(3)) {
			t.Errorf("parameter %d: the Hessian's element is %g times the estimate", j, ratio)
		}
	}
}

func numbers(y []int) []float64 {
	v := make([]float64, len(y))
	for i, c := range y {
		v[i] = float64(c)
	}
	return v
}

// A solver that goes on from another stage makes the model of its first point, although the
// rule of the stage before is gone.
func TestTruncatedNewtonMakesItsOwnModel(t *testing.T) {
	d, y := fewRowsOf(t)
	for name, m := range map[string]func(o *Objective) *model{
		"systems of the rows": func(o *Objective) *model { return (&byRows{o: o}).model() },
		"the diagonal":        func(o *Objective) *model { return (&jacobi{o: o}).model() },
	} {
		o := New(d, y, loss.Logistic{}, ridgeOf(d, 0.3))
		_, report, err := m(o).solve(make([]float64, o.Parameters()), &optimize.Control{Tol: 1e-9})
		if err != nil || !report.Certificate().Holds() {
			t.Errorf("%s: %v, %v", name, report, err)
		}
	}
}

// A strong ridge is a proof long before derivatives are as small as a weak one needs them.
func TestStrongRidgesEndWhereTheyAreAProof(t *testing.T) {
	x, y := linalgtest.LabeledRows(600, 60, 2)
	for i := range y {
		y[i] = 2*y[i] - 1
	}
	d, err := design.New(x, len(y), "rows", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	_, report, err := New(d, numbers(y), loss.Logistic{}, ridgeOf(d, 1000)).Minimize(Problem{})
	if err != nil {
		t.Fatal(err)
	}
	if gap := report.Certificate().Value; gap < 1e-15 {
		t.Errorf("%v: the derivatives were made smaller than they need be", report)
	}
}

// sparseTable returns 600 sparse rows of 400 columns, of which the first are the most frequent, and
// the responses −1 and 1.
func sparseTable(t *testing.T) (*design.Design, []float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 1))
	x, y := linalg.Zeros(600, 400), make([]float64, 600)
	for i := range y {
		y[i] = float64(2*(i%2) - 1)
		for j := range x.Cols {
			if r.Float64() < 1/float64(1+j/4) {
				x.Set(i, j, 1+0.1*r.Float64())
			}
		}
	}
	d, err := design.New(linalgtest.Sparse(x), len(y), "rows", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return d, y
}

func TestASparseFitEndsWhereTheRidgeAloneIsAProof(t *testing.T) {
	d, y := sparseTable(t)
	o := New(d, y, loss.Logistic{}, ridgeOf(d, 3))
	var left []float64 // by iteration, twice a bound on the excess relative to the objective
	c := &optimize.Control{Tol: 1e-6 / spared, Trace: func(s optimize.Step) error {
		levels, slopes := o.leftLengths(o.Gradient(s.X))
		left = append(left, (slopes*slopes+levels*levels*o.pull())/s.Objective)
		return nil
	}}
	if _, _, err := (&jacobi{o: o, early: o.spares()}).newton(make([]float64, o.Parameters()), c); !errors.Is(err, optimize.ErrNotConverged) {
		t.Fatal(err)
	}
	last := len(left) - 1
	if left[last] > 1e-12 || left[last-1] < 1e-12 {
		t.Errorf("the ridge leaves %.2g at the last steps of a fit to 1e-12", left)
	}
}

func TestTheStepOfTheInterceptCountsBesideFrequentColumns(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 2))
		x, y := linalg.Zeros(200, 900), make([]float64, 200)
		for i := range y {
			y[i] = float64(2*(i%2) - 1)
			for j := range x.Cols {
				if r.Float64() < 0.2 {
					x.Set(i, j, 1)
				}
			}
		}
		d, err := design.New(linalgtest.Sparse(x), len(y), "rows", design.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		o := New(d, y, loss.Logistic{}, ridgeOf(d, 30))
		if o.sizes, err = d.Sizes(); err != nil {
			t.Fatal(err)
		}
		theta, _, err := (&jacobi{o: o}).newton(make([]float64, o.Parameters()), &optimize.Control{Tol: 1e-6 / spared})
		if theta == nil {
			t.Fatal(err)
		}
		if _, c, err := o.Judge(theta, 1e-12); err != nil || !c.Holds() {
			t.Errorf("seed %d: steps end where the gap is %.2g of the objective (%v)", seed, c.Value, err)
		}
	}
}

func TestAModelOfTheHessianIsMadeAnewWhereRowsBendOtherwise(t *testing.T) {
	d, y := sparseTable(t)
	m := &jacobi{o: New(d, y, loss.Logistic{}, ridgeOf(d, 1))}
	at := func(level float64) []float64 {
		theta := make([]float64, m.o.Parameters())
		theta[0] = level
		m.renew(theta)
		return slices.Clone(m.diagonal)
	}
	first := at(0)
	if near := at(0.3); !slices.Equal(near, first) { // p(1−p) is .2445 there, .25 at 0
		t.Error("the model was made anew for rows whose curvature changed by 2 %")
	}
	far, want := at(1), m.o.diagonalAt(append([]float64{1}, make([]float64, m.o.Parameters()-1)...))
	if slices.Equal(far, first) || !slices.Equal(far, want) { // .1966
		t.Error("the model was left as it was for rows whose curvature changed by a fifth")
	}
}

// Columns that most rows have are alike in all of them, which the diagonal does not tell: their
// correlations save products.
func TestFrequentColumnsAreCorrelatedInTheModel(t *testing.T) {
	d, y := sparseTable(t)
	products := func(common *correlations) int {
		o := New(d, y, loss.Logistic{}, ridgeOf(d, 0.01))
		o.common = common
		n, m := 0, (&jacobi{o: o}).model()
		divide := m.divide
		m.divide = func(d []float64) {
			n++
			divide(d)
		}
		if _, _, err := m.solve(make([]float64, o.Parameters()), &optimize.Control{Tol: 1e-9}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if with, without := products(nil), products(new(correlations)); with > without*2/3 {
		t.Errorf("%d products with correlations, %d without", with, without)
	}
}

// A kernel matrix that overflows has no factors: a step is then along the gradient.
func TestSystemsOfTheRowsThatOverflow(t *testing.T) {
	x := linalgtest.Rows(t, []float64{1e130, 1, 0}, []float64{-1e130, 2, 1}, []float64{1e130, 3, 5})
	for k := 2; k <= 3; k++ {
		d, err := design.New(x, 3, "labels", design.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for j := range d.Unit {
			d.Unit[j] = 1
		}
		m := &byRows{o: NewMulti(d, []float64{0, 1, float64(k - 1)}, loss.Softmax{K: k}, Contrasts(k), []float64{0, 1e-130, 1, 1})}
		m.renew(make([]float64, m.o.Parameters()))
		g := linalgtest.Normal(3, 1, m.o.Parameters()).Data
		kept := slices.Clone(g)
		if m.Precondition(g); !slices.Equal(g, kept) {
			t.Errorf("%d classes: %v became %v", k, kept, g)
		}
	}
}
