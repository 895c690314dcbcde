package glm

// A model of the Hessian is seen from outside only in the number of iterations; this
// file asks it for the products that L-BFGS asks for.

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// A model of the Hessian is the Hessian where all probabilities are equal, and for
// normal classes foretells at the solution what the Hessian does.
func TestScoreModel(t *testing.T) {
	x, y := linalgtest.Normal(3, 4000, 6), make([]float64, 4000)
	w := make([]float64, len(y))
	for i := range y {
		c := i % 4
		y[i], w[i] = float64(c), float64(1+i%3)
		x.Set(i, c, x.At(i, c)+2)
		x.Set(i, 4, 1e3*(x.At(i, 4)+x.At(i, 5)))
	}
	d, err := design.New(x, len(y), "labels", design.Settings{Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	ridge := make([]float64, d.Dim())
	for j, u := range d.Unit {
		ridge[j+1] = 3000 / u / u
	}
	m := NewMulti(d, y, loss.Softmax{K: 4}, Contrasts(4), ridge)
	theta, err1 := make([]float64, m.Parameters()), error(nil)
	h, g := linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta))
	for _, within := range []float64{1e-9, 0.2} {
		m.Hess(h, g, theta)
		factor, err := linalg.NewCholesky(h)
		if err != nil {
			t.Fatal(err)
		}
		model, err := newScoreModel(m, theta, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(5) {
			v := linalgtest.Normal(seed, 1, len(theta)).Data
			by, like := slices.Clone(v), slices.Clone(v)
			factor.Solve(by)
			model.Solve(like)
			if got, want := 2*linalg.Dot(v, like), linalg.Dot(v, by); !(math.Abs(got/want-1) <= within) {
				t.Errorf("%g, the Hessian's %g", got, want)
			}
		}
		theta, _, err1 = optimize.Newton(m, theta, nil)
		if theta == nil {
			t.Fatal(err1)
		}
	}
}

// A model by class is the Hessian without the blocks of two classes, in contrasts that sum to 0, those of a class times the
// logarithmic mean of its weight and the one that is expected, in units of the latter.
func TestClassModel(t *testing.T) {
	const k, n, p = 5, 600, 3
	x, y := linalgtest.Normal(11, n, p), make([]float64, n)
	w := make([]float64, n)
	for i := range y {
		y[i], w[i] = float64(i%k), float64(1+i%3)
	}
	d, err := design.New(x, n, "labels", design.Settings{Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	ridge := []float64{0, 3, 20, 100}
	m, functions := NewMulti(d, y, loss.Softmax{K: k}, Contrasts(k), ridge), NewMulti(d, y, loss.Softmax{K: k}, nil, ridge)
	theta := linalgtest.Normal(12, 1, m.Parameters()).Data
	at, dim := slices.Concat(m.FunctionsOf(theta)...), m.Dim()
	full := linalg.Zeros(len(at), len(at))
	functions.Hess(full, make([]float64, len(at)), at)
	prob, own, expected := m.probabilities(theta), make([]float64, k), make([]float64, k)
	for i, c := range y {
		own[int(c)] += w[i]
		linalg.Axpy(expected, w[i], prob.Row(i))
	}
	for a := range at {
		for b := range at {
			if a/dim != b/dim {
				full.Set(a, b, 0)
				continue
			}
			by := 0.0
			if a == b {
				by = ridge[a%dim]
			}
			c := a / dim
			full.Set(a, b, by+(full.At(a, b)-by)*(own[c]-expected[c])/math.Log(own[c]/expected[c])/expected[c])
		}
	}
	model, err := newClassModel(m, theta, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := linalgtest.Normal(13, 1, len(theta)).Data
	v := make([]float64, len(theta))
	image := make([]float64, len(at))
	linalg.MulVec(image, full, slices.Concat(m.FunctionsOf(want)...), 1)
	m.reduce(v, image)
	model.Solve(v)
	for j := range v {
		if !(math.Abs(2*v[j]-want[j]) <= 1e-10) {
			t.Errorf("parameter %d: %g, want %g", j, 2*v[j], want[j])
		}
	}
}

// Where classes are expected nowhere, the model by class leads to where they are, not e¹⁰⁰ beyond that.
func TestClassModelLeadsOutOfTheTail(t *testing.T) {
	const k, n = 40, 200
	y, w := make([]float64, n), make([]float64, n)
	for i := range y {
		if y[i], w[i] = float64(i%k), 1; i%k < 2 {
			w[i] = 1e-3
		}
	}
	d, err := design.New(linalgtest.Normal(11, n, 1), n, "labels", design.Settings{Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	m := NewMulti(d, y, loss.Softmax{K: k}, Contrasts(k), []float64{0, 3})
	at := linalg.Zeros(k, 2)
	at.Set(0, 0, -100)
	at.Set(1, 0, -60)
	theta, step := make([]float64, m.Parameters()), make([]float64, m.Parameters())
	m.reduce(theta, at.Data)
	model, err := newClassModel(m, theta, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.Grad(step, theta)
	model.Solve(step)
	before := m.Value(theta)
	linalg.Axpy(theta, -1, step)
	if after := m.Value(theta); !(after < before) || linalg.NormInf(step) > 200 {
		t.Errorf("a step of %g from %g to %g", linalg.NormInf(step), before, after)
	}
}

// L-BFGS with models by class takes few iterations for many classes of unlike rows.
func TestManyClassesTakeFewIterations(t *testing.T) {
	linalgtest.SkipSlow(t)
	const k, n, p = 30, 4000, 30
	x, y := linalgtest.Normal(21, n, p), make([]float64, n)
	centers, noise := linalgtest.Normal(22, k, p), linalgtest.Normal(23, n, k)
	for i := range y {
		best := math.Inf(-1)
		for c := range k {
			if f := linalg.Dot(centers.Row(c), x.Row(i))/3 + noise.At(i, c); f > best {
				best, y[i] = f, float64(c)
			}
		}
	}
	d, err := design.New(x, n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	o := NewMulti(d, y, loss.Softmax{K: k}, Contrasts(k), append([]float64{0}, slices.Repeat([]float64{0.1}, p)...))
	_, report, err := o.Minimize(Problem{})
	if err != nil || report.Iterations() > 70 {
		t.Errorf("%d iterations, %v", report.Iterations(), err)
	}
}

// Newton's method by conjugate gradients takes over where L-BFGS with models by class creeps: the rare
// values of many classes of few rows are all but separated.
func TestCreepingClassesAreLeft(t *testing.T) {
	linalgtest.SkipSlow(t)
	const k, n, p = 60, 2000, 16
	x, y := linalgtest.Normal(31, n, p), make([]float64, n)
	centers, noise := linalgtest.Normal(32, k, p), linalgtest.Normal(33, n, k)
	for i := range y {
		best, row := math.Inf(-1), x.Row(i)
		for j, v := range row {
			row[j] = 0
			if v > 0.1*float64(j) {
				row[j] = 1
			}
		}
		for c := range k {
			if f := linalg.Dot(centers.Row(c), row) + noise.At(i, c); f > best {
				best, y[i] = f, float64(c)
			}
		}
	}
	for c := range k { // no class is without rows
		y[c] = float64(c)
	}
	d, err := design.New(x, n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	o := NewMulti(d, y, loss.Softmax{K: k}, Contrasts(k), append([]float64{0}, slices.Repeat([]float64{0.01}, p)...))
	_, report, err := o.Minimize(Problem{})
	if err != nil || report.Iterations() > 60 {
		t.Errorf("%d iterations, %v", report.Iterations(), err)
	}
}

// The derivatives by the functions of all classes sum to 0, whichever of them is 0, and are those by theta.
func TestDerivativesByFunction(t *testing.T) {
	const k = 3
	for r := range k {
		free := classified(t, 12, 2, k, 0)
		o := NewMulti(free.Design, free.Y, free.loss, Against(k, r), nil)
		g := make([]float64, o.Parameters())
		o.Grad(g, linalgtest.Normal(42, 1, len(g)).Data)
		all, back := o.byFunction(g), make([]float64, len(g))
		for j := range o.Dim() {
			sum := 0.0
			for c := range k {
				sum += all[c*o.Dim()+j]
			}
			linalgtest.Close(t, "sum of the derivatives", sum, 0, 1e-12)
		}
		o.reduce(back, all)
		linalgtest.CloseSlice(t, "derivatives by theta", back, g, 1e-12)
	}
}
