package path_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/optimize/path"
)

// squared returns a task of squared error without an intercept, whose first features
// matter.
func squared(n, p int, ratio float64) task {
	x, y := linalgtest.Normal(5, n, p), linalgtest.Normal(6, n, 1).Data
	for i := range y {
		y[i] += 5*x.At(i, 0) - 3*x.At(i, 1) + 2*x.At(i, p/2)
	}
	return task{"squared", x, y, design.Settings{NoIntercept: true}, false, one(loss.Squared{}), path.Penalty{L1Ratio: ratio}}
}

// The value and gradient of a fit are those of the objective, but for features that
// bounds spared a look: these are given no less, and no more than the penalty holds.
func TestFitsKnowTheirGradient(t *testing.T) {
	spared := 0
	for _, size := range [][2]int{{300, 20}, {60, 2000}} {
		c := squared(size[0], size[1], 1)
		p, objective := c.problem(t), c.problem(t).Objective
		err := p.Run(path.Settings{Count: 30, MinRatio: 0.2, Tol: 1e-9, Stop: never, Add: func(f path.Fit) error {
			if f.Gradient == nil {
				t.Fatalf("λ = %g: no gradient", f.Lambda)
			}
			g := make([]float64, len(f.Theta))
			linalgtest.Close(t, "value", f.Value, objective.Grad(g, f.Theta), 1e-12)
			for j, v := range f.Gradient {
				if math.Abs(v) <= f.Lambda && math.Abs(g[j]) < math.Abs(v)*(1-1e-6) {
					spared++
				} else if !(math.Abs(v-g[j]) <= 1e-9*f.Lambda) {
					t.Errorf("λ = %g: derivative %d is %g, not %g", f.Lambda, j, v, g[j])
				}
			}
			return nil
		}})
		if err != nil {
			t.Error(err)
		}
	}
	if spared == 0 {
		t.Error("bounds spared nothing: these data show nothing")
	}
}

// Fits by columns know theirs too. Where the penalty is small, derivatives that are large beside it
// leave a small gap, and a fit goes no further.
func TestSparseFitsEndByTheirGap(t *testing.T) {
	const tol = 1e-6
	c := squared(300, 40, 1)
	c.x = linalgtest.Sparse(linalgtest.Thinned(5, 300, 40, 0.1))
	objective, largest := c.problem(t).Objective, 0.0
	err := c.problem(t).Run(path.Settings{Count: 30, MinRatio: 1e-3, Tol: tol, Stop: never, Add: func(f path.Fit) error {
		if !f.Report.Certificate().Holds() || f.Report.Certificate().Tol != tol {
			t.Errorf("λ = %g: %v", f.Lambda, f.Report.Certificate())
		}
		g := make([]float64, len(f.Theta))
		linalgtest.Close(t, "value", f.Value, objective.Grad(g, f.Theta), 1e-12)
		linalgtest.CloseSlice(t, "gradient", f.Gradient, g, 1e-9)
		for j, v := range f.Theta {
			if v != 0 {
				largest = max(largest, math.Abs(math.Abs(g[j])-f.Lambda)/f.Lambda)
			}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !(largest > 3*tol) {
		t.Errorf("derivatives differ from λ by up to %g of it", largest)
	}
}

// A tolerance below rounding is met by no fit, whether its iterations end or it comes to
// rest. Where Add judges, it sees them all, and the path goes on from those that it
// takes; else the first is the path's error.
func TestAddJudges(t *testing.T) {
	for _, size := range [][2]int{{300, 20}, {40, 200}} {
		for _, s := range []path.Settings{{}, {Judges: true}, {MaxIter: 2, Judges: true}} {
			added, refused := 0, errors.New("refused")
			s.Lambdas, s.Tol = []float64{6, 4, 3, 2}, 1e-22 // with several features each, whose residual rounds to 0 nowhere
			s.Add = func(f path.Fit) error {
				if added++; f.Report.Status() == optimize.Converged || f.Lambda == 2 {
					return refused
				}
				return nil
			}
			err := squared(size[0], size[1], 1).problem(t).Run(s)
			if s.Judges && (added != 4 || !errors.Is(err, refused)) || !s.Judges && (added > 0 || !errors.Is(err, optimize.ErrNotConverged)) {
				t.Errorf("%v, at most %d iterations, judges %v: %v after %d fits", size, s.MaxIter, s.Judges, err, added)
			}
		}
	}
}

// A solver of the caller's makes the single fits, and those that batches give up.
func TestInstead(t *testing.T) {
	p := squared(40, 200, 1).problem(t)
	var asked, tols []float64
	p.Instead = func(_ *path.Problem, lambda float64, start []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		asked, tols = append(asked, lambda), append(tols, c.Tol)
		return start, optimize.Report{}.Certify(1, optimize.Certificate{Tol: c.Tol}), nil
	}
	if _, r, err := p.Fit(3, nil, &optimize.Control{Tol: 0.5}); !errors.Is(err, optimize.ErrNotConverged) || !(r.Certificate().Value > 0.5) {
		t.Error(r, err) // it moves nothing, whatever it says
	}
	linalgtest.CloseSlice(t, "tolerances that fall until the gap holds", tols, []float64{0.125, 0.125e-2, 0.125e-4, 0.125e-6}, 1e-12)
	err := p.Run(path.Settings{Lambdas: []float64{10, 0.01}, Tol: 1e-22, MaxIter: 1, Judges: true, Add: func(path.Fit) error { return nil }})
	if asked = slices.Compact(asked); err != nil || !slices.Equal(asked, []float64{3, 10, 0.01}) {
		t.Errorf("asked for %v, %v", asked, err)
	}
}

// However small λ is, a fit to dense rows that are as many as the columns costs no more than some products of all columns
// with each other, and has its certificate. (By sweeps and faces alone it cost 59 and 84 at 10⁻⁵ and 10⁻⁶ of λmax.)
func TestNoFitOfSquaredErrorIsDear(t *testing.T) {
	const n, products = 200, 30
	for _, ratio := range []float64{1, .3} {
		p := squared(n, n, ratio).problem(t)
		for _, share := range []float64{.1, 1e-3, 1e-4, 1e-5, 1e-6} {
			_, r, err := p.Fit(share*p.LambdaMax(), nil, &optimize.Control{Tol: 1e-8})
			if cost := p.Work.Spent / (n * n * n); err != nil || cost > products {
				t.Errorf("ℓ₁ %g, %g of λmax: %g products, %v", ratio, share, cost, r)
			}
		}
	}
}

// A lasso of squared error on sparse rows, fewer than the columns, begins near its minimum where λ is small: descents over the
// columns from nothing creep.
func TestSquaredErrorOfSparseRowsBeginsNear(t *testing.T) {
	linalgtest.SkipEmulated(t)
	const n, features = 100, 5000
	c := squared(n, features, 1)
	x := c.x.(*linalg.Dense)
	for i := range x.Data {
		if i*7%10 > 0 {
			x.Data[i] = 0
		}
	}
	c.x = linalgtest.Sparse(x)
	var spent [2]float64
	for k := range spent {
		p := c.problem(t)
		var start []float64
		if k > 0 {
			start = p.Null()
		}
		_, r, err := p.Fit(1e-6*p.LambdaMax(), start, &optimize.Control{Tol: 1e-8})
		if spent[k] = p.Work.Spent; err != nil {
			t.Error(r, err)
		}
	}
	if spent[0] > spent[1]/2 {
		t.Errorf("%g multiplications, from nothing %g", spent[0], spent[1])
	}
}

// Smaller derivatives are asked for only where the last ones were reached.
func TestUnreachedDerivativesEndAFit(t *testing.T) {
	p, fits := squared(40, 200, 1).problem(t), 0
	p.Instead = func(_ *path.Problem, _ float64, start []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		fits++
		return start, optimize.Report{}.Certify(1, optimize.Certificate{Value: 2 * c.Tol, Tol: c.Tol}), nil
	}
	if _, _, err := p.Fit(3, nil, &optimize.Control{Tol: 0.5}); fits != 1 || !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("%d fits, %v", fits, err)
	}
}

// A row of weight 0 does not count where its numbers overflow in the units of a path.
func TestOverflowInRowOfWeightZero(t *testing.T) {
	c := squared(50, 3, 1)
	x := c.x.(*linalg.Dense)
	for i := range x.Rows {
		x.Row(i)[0] *= 1e-3
	}
	copy(x.Row(7), []float64{math.MaxFloat64, -math.MaxFloat64, 1e300})
	c.standardize, c.settings.Weights = true, make([]float64, 50)
	for i := range c.settings.Weights {
		c.settings.Weights[i] = 1
	}
	c.settings.Weights[7] = 0
	for _, f := range run(t, c.problem(t), path.Settings{Count: 10, MinRatio: 0.1, Tol: 1e-9, Stop: never}) {
		if !f.Report.Certificate().Holds() || f.Theta[1] != f.Theta[1] {
			t.Errorf("λ = %g: %v, %+v", f.Lambda, f.Theta, f.Report)
		}
	}
}

// A gap that is no number proves nothing: at parameters whose objective is beyond float64, or is
// none, no certificate holds.
func TestGapThatIsNoNumberProvesNothing(t *testing.T) {
	c := task{x: linalgtest.Normal(3, 20, 2), y: linalgtest.Normal(4, 20, 1).Data, penalty: path.Penalty{L1Ratio: 1}}
	for name, objective := range map[string]func(*design.Design, []float64) *glm.Objective{"squared": one(loss.Squared{}), "logistic": one(loss.Logistic{})} {
		if c.objective = objective; name == "logistic" {
			for i, v := range c.y {
				c.y[i] = math.Copysign(1, v)
			}
		}
		for _, v := range []float64{1e200, math.NaN(), math.Inf(1)} {
			value, certificate, err := c.problem(t).Judge(1, []float64{v, 0, v}, 1e-8)
			if err != nil || certificate.Holds() {
				t.Errorf("%s at %g: %v, objective %g, %v", name, v, certificate, value, err)
			}
		}
	}
}
