package columnwise_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/columnwise"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/optimize/penalty"
)

// task is a fit to sparse rows.
type task struct {
	x       *linalg.Dense
	y       []float64
	loss    loss.Smooth
	s       design.Settings
	penalty penalty.ElasticNet
}

// drawn returns a task with many shapes.
func drawn(seed int) task {
	r := rand.New(rand.NewPCG(uint64(seed), 9))
	n, p := 20+r.IntN(150), 1+r.IntN(60)
	t := task{x: linalgtest.Thinned(uint64(seed), n, p, []float64{0.05, 0.3, 0.9}[seed%3]), y: make([]float64, n)}
	if seed%4 == 1 { // a column far from 0 without zeros
		for i := range n {
			t.x.Set(i, 0, 1000+r.NormFloat64())
		}
	}
	t.loss = loss.Logistic{}
	if seed%5 == 2 {
		t.loss = loss.Squared{}
	}
	for i := range t.y {
		f := r.NormFloat64()
		for j, v := range t.x.Row(i) {
			f += v * float64(j%3-1)
		}
		t.y[i] = f
		if seed%5 != 2 {
			t.y[i] = math.Copysign(1, f)
		}
	}
	t.s = design.Settings{NoIntercept: seed%6 == 3, Workers: 1 + seed%3}
	if seed%3 == 1 {
		t.s.Weights, t.s.Offset = make([]float64, n), make([]float64, n)
		for i := range n {
			t.s.Weights[i], t.s.Offset[i] = float64(i%4)/2, r.NormFloat64()
		}
	}
	t.penalty = penalty.ElasticNet{Lambda: float64(n) * math.Pow(10, -1-3*r.Float64()), L1Ratio: []float64{1, 0.5, 0.9}[seed%3]}
	for j := range p + 1 {
		t.penalty.Factors = append(t.penalty.Factors, []float64{1, 1, 0.5, 2}[j%4])
	}
	if t.s.NoIntercept {
		t.penalty.Factors = t.penalty.Factors[1:]
	} else {
		t.penalty.Factors[0] = 0
	}
	return t
}

// objective returns the loss on some rows of the task, in units that are those of any storage.
func (k task) objective(t *testing.T, x linalg.Rows) *glm.Objective {
	t.Helper()
	d, err := design.New(x, len(k.y), "rows", k.s)
	if err != nil {
		t.Fatal(err)
	}
	unit := make([]float64, d.P)
	for j := range unit {
		unit[j] = 1 + float64(j%3)
	}
	d.SetUnits(unit)
	return glm.New(d, k.y, k.loss, nil)
}

// solver is the proximal Newton method over the columns of one score.
type solver struct {
	models *columnwise.Solver
	loss   *columnwise.Screened
}

func newSolver(o *glm.Objective) (*solver, error) {
	models, err := columnwise.New(o)
	if err != nil {
		return nil, err
	}
	return &solver{models, models.Screen(o)}, nil
}

func (s *solver) Minimize(start []float64, pen penalty.ElasticNet, c *optimize.Control) ([]float64, optimize.Report, error) {
	if c == nil {
		c = &optimize.Control{Tol: 1e-8}
	}
	s.loss.Aim(start, pen, c.Tol, c.Scale)
	newton := optimize.Proximal{Share: 0.05, Model: func(z, x []float64, set []int, pen penalty.ElasticNet, c *optimize.Control) bool {
		r, v := s.loss.RowsAt(x)
		return s.models.Minimize(z, r, v, set, pen, c)
	}}
	return newton.Minimize(s.loss, start, pen, c)
}

// Of sparse rows of all shapes the minimum is that of the same rows stored dense, by another
// method, and the certificate is the subgradient there.
func TestSparseRowsHaveTheMinimumOfDenseOnes(t *testing.T) {
	crept := 0
	for seed := range linalgtest.Rounds(60, 3000) {
		k := drawn(seed)
		dense, sparse := k.objective(t, k.x), k.objective(t, linalgtest.Sparse(k.x))
		s, err := newSolver(sparse)
		if err != nil {
			t.Fatal(err)
		}
		start := make([]float64, sparse.Dim())
		scale, err := sparse.Sizes()
		if err != nil {
			t.Fatal(err)
		}
		for j := range scale {
			scale[j] += 1
		}
		c := &optimize.Control{Tol: 1e-10, Scale: scale}
		_, want, err := optimize.ProximalNewton(dense, start, k.penalty, c)
		var theta []float64
		var got optimize.Report
		if err == nil {
			theta, got, err = s.Minimize(start, k.penalty, c)
		}
		if creeps := errors.Is(err, optimize.ErrNotConverged); creeps && 30*crept <= seed {
			crept++ // columns that are nearly dependent are another method's
			continue
		}
		if err != nil {
			t.Fatal(seed, err)
		}
		linalgtest.Close(t, fmt.Sprint(seed, " objective"), got.Objective(), want.Objective(), 1e-9*(1+size(scale, theta)))
		g := make([]float64, len(theta))
		value := sparse.Grad(g, theta) + k.penalty.Value(theta)
		linalgtest.Close(t, fmt.Sprint(seed, " value"), got.Objective(), value, 1e-12*(1+value))
		for j, v := range g {
			if r := math.Abs(k.penalty.ResidualAt(j, v, theta[j])) / scale[j]; r > got.Certificate().Value+1e-12 {
				t.Errorf("%d: subgradient %d is %g beside a certificate of %v", seed, j, r, got.Certificate())
			}
		}
	}
}

// Fits one after the other, which look at some of the columns, are those of solvers that look
// at all; and neither the number of workers nor the start changes them.
func TestNextFitIsTheFit(t *testing.T) {
	for seed := range 6 {
		k := drawn(3*seed + 2)
		var paths [][]float64
		for _, workers := range []int{1, 4} {
			k.s.Workers = workers
			o := k.objective(t, linalgtest.Sparse(k.x))
			fresh := func() *solver {
				s, err := newSolver(o)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			s, theta := fresh(), make([]float64, o.Dim())
			for _, share := range []float64{10, 5, 4, 3, 2, 8} {
				pen := k.penalty
				pen.Lambda *= share
				next, report, err := s.Minimize(theta, pen, &optimize.Control{Tol: 1e-7})
				if err != nil {
					t.Fatal(err)
				}
				_, alone, err := fresh().Minimize(make([]float64, o.Dim()), pen, &optimize.Control{Tol: 1e-7})
				if err != nil {
					t.Fatal(err)
				}
				linalgtest.Close(t, fmt.Sprint(seed, share), report.Objective(), alone.Objective(), 1e-6*(1+alone.Objective()))
				theta = next
				paths = append(paths, next)
			}
		}
		for i, theta := range paths[:6] {
			if !slices.Equal(theta, paths[6+i]) {
				t.Errorf("%d: other bits with more workers", seed)
			}
		}
	}
}

// A cap on the iterations ends a fit with the error that says so, a storage that fails with
// its own.
func TestFitsThatEndEarly(t *testing.T) {
	k := drawn(8)
	o := k.objective(t, linalgtest.Sparse(k.x))
	s, err := newSolver(o)
	if err != nil {
		t.Fatal(err)
	}
	k.penalty.Lambda /= 100
	theta, report, err := s.Minimize(make([]float64, o.Dim()), k.penalty, &optimize.Control{MaxIter: 1, Tol: 1e-12})
	if !errors.Is(err, optimize.ErrNotConverged) || theta == nil || report.Status() != optimize.MaxIterations || report.Iterations() != 1 {
		t.Errorf("%v after %v", err, report)
	}
	if _, _, err := s.Minimize(theta, penalty.Lasso(-1), nil); err == nil {
		t.Error("a negative weight")
	}
	linalgtest.EachFailure(t, linalgtest.Sparse(k.x), 1, func(x linalg.Rows) error {
		d, err := design.New(x, len(k.y), "rows", k.s)
		if err != nil {
			return err
		}
		s, err := newSolver(glm.New(d, k.y, k.loss, nil))
		if err != nil {
			return err
		}
		_, _, err = s.Minimize(make([]float64, d.Dim()), k.penalty, nil)
		return err
	})
}

// size is what a subgradient of 1 in units of scale is to an objective.
func size(scale, theta []float64) (sum float64) {
	for j, x := range theta {
		sum += scale[j] * math.Abs(x)
	}
	return sum
}

// A fit that starts elsewhere than at the last end has a rule for the columns to look at that
// does not hold there: the columns left out are judged at the end, and come back.
func TestColumnsLeftOutComeBack(t *testing.T) {
	for seed := range 8 {
		k := drawn(3*seed + 2)
		o := k.objective(t, linalgtest.Sparse(k.x))
		s, err := newSolver(o)
		if err != nil {
			t.Fatal(err)
		}
		theta, _, err := s.Minimize(make([]float64, o.Dim()), k.penalty, nil)
		if err != nil {
			t.Fatal(err)
		}
		start, half := make([]float64, o.Dim()), o.Dim()/2
		copy(start[half:], theta[half:])
		k.penalty.Lambda *= 1.5
		theta, report, err := s.Minimize(start, k.penalty, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := make([]float64, o.Dim())
		o.Grad(g, theta)
		for j, v := range g {
			if r := math.Abs(k.penalty.ResidualAt(j, v, theta[j])); r > report.Certificate().Value+1e-12 {
				t.Errorf("%d: subgradient %d is %g beside a certificate of %v", seed, j, r, report.Certificate())
			}
		}
	}
}

// From far away a whole step of Newton's method overshoots, and shares of it are taken.
func TestStartsFarAwayHaveTheSameMinimum(t *testing.T) {
	shares := 0
	for seed := range 10 {
		k := drawn(seed + seed/2 + 1) // not of the most sparse rows, whose columns are nearly dependent
		o := k.objective(t, linalgtest.Sparse(k.x))
		s, err := newSolver(o)
		if err != nil {
			t.Fatal(seed, err)
		}
		_, near, err := s.Minimize(make([]float64, o.Dim()), k.penalty, nil)
		if err != nil {
			t.Fatal(seed, err)
		}
		theta, far, err := s.Minimize(linalgtest.Normal(uint64(seed), 1, o.Dim()).Row(0), k.penalty, &optimize.Control{Trace: func(p optimize.Step) error {
			if p.Length < 1 {
				shares++
			}
			return nil
		}})
		if err != nil {
			t.Fatal(seed, err)
		}
		value := o.Value(theta) + k.penalty.Value(theta)
		linalgtest.Close(t, fmt.Sprint(seed, " value"), far.Objective(), value, 1e-12*(1+value))
		linalgtest.Close(t, fmt.Sprint(seed, " minimum"), value, near.Objective(), 1e-6*(1+value))
	}
	if shares < 10 {
		t.Errorf("%d steps were shares", shares)
	}
}
