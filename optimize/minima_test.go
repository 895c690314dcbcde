package optimize

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/loss"
)

// problem is a test function with its derivatives, usual start and minimum.
type problem struct {
	name  string
	start []float64
	min   float64
	scale []float64 // nil where all coordinates are alike
	tol   float64   // 0 is the default
	// hess returns f(x) and sets g and h.
	hess func(h *linalg.Dense, g, x []float64) float64
}

func (f *problem) Hess(h *linalg.Dense, g, x []float64) float64 { return f.hess(h, g, x) }

func (f *problem) Grad(g, x []float64) float64 {
	return f.hess(linalg.Zeros(len(x), len(x)), g, x)
}

func (f *problem) Value(x []float64) float64 { return f.Grad(make([]float64, len(x)), x) }

func (f *problem) HessVec(dst, x, v []float64) {
	h := linalg.Zeros(len(x), len(x))
	f.hess(h, make([]float64, len(x)), x)
	linalg.MulVec(dst, h, v, 1)
}

// residual is one term r(x)² of a sum of squares with its first derivatives and,
// by rows, its second.
type residual struct {
	r float64
	j []float64
	h []float64
}

// squares makes Σ rᵢ² a problem: g = 2Σ rᵢ∇rᵢ, H = 2Σ(∇rᵢ∇rᵢᵀ + rᵢ∇²rᵢ).
func squares(terms func(x []float64) []residual) func(h *linalg.Dense, g, x []float64) float64 {
	return func(h *linalg.Dense, g, x []float64) float64 {
		clear(h.Data)
		clear(g)
		sum := 0.0
		for _, t := range terms(x) {
			sum += t.r * t.r
			linalg.Axpy(g, 2*t.r, t.j)
			for i := range x {
				linalg.Axpy(h.Row(i), 2*t.j[i], t.j)
				if t.h != nil {
					linalg.Axpy(h.Row(i), 2*t.r, t.h[i*len(x):(i+1)*len(x)])
				}
			}
		}
		return sum
	}
}

// The functions of Moré, Garbow & Hillstrom, Testing Unconstrained Optimization
// Software, ACM TOMS 7, 1981, by their numbers there.

func rosenbrock(x []float64) []residual { // 1
	return []residual{
		{10 * (x[1] - x[0]*x[0]), []float64{-20 * x[0], 10}, []float64{-20, 0, 0, 0}},
		{1 - x[0], []float64{-1, 0}, nil},
	}
}

func brown(x []float64) []residual { // 4
	return []residual{
		{x[0] - 1e6, []float64{1, 0}, nil},
		{x[1] - 2e-6, []float64{0, 1}, nil},
		{x[0]*x[1] - 2, []float64{x[1], x[0]}, []float64{0, 1, 1, 0}},
	}
}

func beale(x []float64) []residual { // 5
	var terms []residual
	for i, y := range []float64{1.5, 2.25, 2.625} {
		k := float64(i + 1)
		power := math.Pow(x[1], k)
		d := k * math.Pow(x[1], k-1)
		dd := 0.0
		if k > 1 {
			dd = k * (k - 1) * math.Pow(x[1], k-2)
		}
		terms = append(terms, residual{y - x[0]*(1-power), []float64{power - 1, x[0] * d}, []float64{0, d, d, x[0] * dd}})
	}
	return terms
}

func helical(x []float64) []residual { // 7
	q := x[0]*x[0] + x[1]*x[1]
	rho, c := math.Sqrt(q), 2*math.Pi
	theta := math.Atan(x[1]/x[0]) / c
	if x[0] < 0 {
		theta += 0.5
	}
	cross, cube := (x[1]*x[1]-x[0]*x[0])/(c*q*q), rho*q
	twist := 2 * x[0] * x[1] / (c * q * q)
	return []residual{
		{10 * (x[2] - 10*theta), []float64{100 * x[1] / (c * q), -100 * x[0] / (c * q), 10},
			[]float64{-100 * twist, -100 * cross, 0, -100 * cross, 100 * twist, 0, 0, 0, 0}},
		{10 * (rho - 1), []float64{10 * x[0] / rho, 10 * x[1] / rho, 0},
			[]float64{10 * x[1] * x[1] / cube, -10 * x[0] * x[1] / cube, 0, -10 * x[0] * x[1] / cube, 10 * x[0] * x[0] / cube, 0, 0, 0, 0}},
		{x[2], []float64{0, 0, 1}, nil},
	}
}

func powell(x []float64) []residual { // 13
	a, b, s5, s10 := x[1]-2*x[2], x[0]-x[3], math.Sqrt(5), math.Sqrt(10)
	h2, h3 := make([]float64, 16), make([]float64, 16)
	h2[5], h2[6], h2[9], h2[10] = 2, -4, -4, 8
	h3[0], h3[3], h3[12], h3[15] = 2*s10, -2*s10, -2*s10, 2*s10
	return []residual{
		{x[0] + 10*x[1], []float64{1, 10, 0, 0}, nil},
		{s5 * (x[2] - x[3]), []float64{0, 0, s5, -s5}, nil},
		{a * a, []float64{0, 2 * a, -4 * a, 0}, h2},
		{s10 * b * b, []float64{2 * s10 * b, 0, 0, -2 * s10 * b}, h3},
	}
}

func wood(x []float64) []residual { // 14
	s90, s10 := math.Sqrt(90), math.Sqrt(10)
	h0, h2 := make([]float64, 16), make([]float64, 16)
	h0[0], h2[10] = -20, -2*s90
	return []residual{
		{10 * (x[1] - x[0]*x[0]), []float64{-20 * x[0], 10, 0, 0}, h0},
		{1 - x[0], []float64{-1, 0, 0, 0}, nil},
		{s90 * (x[3] - x[2]*x[2]), []float64{0, 0, -2 * s90 * x[2], s90}, h2},
		{1 - x[2], []float64{0, 0, -1, 0}, nil},
		{s10 * (x[1] + x[3] - 2), []float64{0, s10, 0, s10}, nil},
		{(x[1] - x[3]) / s10, []float64{0, 1 / s10, 0, -1 / s10}, nil},
	}
}

// extendedRosenbrock is number 21: pairs of Rosenbrock's valley side by side.
func extendedRosenbrock(x []float64) []residual {
	var terms []residual
	for i := 0; i < len(x); i += 2 {
		for _, t := range rosenbrock(x[i : i+2]) {
			j, h := make([]float64, len(x)), make([]float64, len(x)*len(x))
			copy(j[i:], t.j)
			if t.h != nil {
				h[i*len(x)+i] = t.h[0]
			}
			terms = append(terms, residual{t.r, j, h})
		}
	}
	return terms
}

// ellipse is ½Σ cₖ(aₖᵀ(x − 1))² with c from 1 to the condition number and the
// axes aₖ turned by a reflection, so that no coordinate stands alone.
func ellipse(p int, condition float64) func(h *linalg.Dense, g, x []float64) float64 {
	return func(h *linalg.Dense, g, x []float64) float64 {
		clear(h.Data)
		clear(g)
		sum := 0.0
		for k := range p {
			c := math.Pow(condition, float64(k)/float64(p-1))
			axis := make([]float64, p)
			for j := range axis {
				axis[j] = -2 / float64(p)
			}
			axis[k]++
			z := 0.0
			for j := range axis {
				z += axis[j] * (x[j] - 1)
			}
			sum += c / 2 * z * z
			linalg.Axpy(g, c*z, axis)
			for i := range p {
				linalg.Axpy(h.Row(i), c*axis[i], axis)
			}
		}
		return sum
	}
}

// raised adds a constant.
func raised(hess func(h *linalg.Dense, g, x []float64) float64, by float64) func(h *linalg.Dense, g, x []float64) float64 {
	return func(h *linalg.Dense, g, x []float64) float64 { return hess(h, g, x) + by }
}

// logit is the logistic loss of n rows with an intercept column, features on
// the given scales, and a ridge on all but the intercept.
func logit(n int, scales []float64, ridge float64) func(h *linalg.Dense, g, x []float64) float64 {
	p := len(scales)
	rows := linalgtest.Normal(5, n, p)
	y, f, d, w := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	r := rand.New(rand.NewPCG(6, 0))
	for i := range n {
		row := rows.Row(i)
		row[0] = 1
		y[i] = math.Copysign(1, 0.5+row[1]-row[p-1]+r.NormFloat64())
		for j := range row {
			row[j] *= scales[j]
		}
	}
	return func(h *linalg.Dense, g, x []float64) float64 {
		linalg.MulVec(f, rows, x, 1)
		v := loss.Logistic{}.Rows(d, w, y, f, nil)
		linalg.MulTVec(g, rows, d, 1)
		copy(h.Data, linalg.Gram(rows, nil, w, 1).Data)
		for j := 1; j < p; j++ {
			l := ridge * scales[j] * scales[j]
			v += l / 2 * x[j] * x[j]
			g[j] += l * x[j]
			h.Data[j*p+j] += l
		}
		return v
	}
}

func problems() []*problem {
	nan := math.NaN() // a minimum that is not known in closed form
	alternating := make([]float64, 20)
	for i := range alternating {
		alternating[i] = []float64{-1.2, 1}[i%2]
	}
	return []*problem{
		{name: "Rosenbrock", start: []float64{-1.2, 1}, hess: squares(rosenbrock)},
		// Near its minimum the values of this one are all rounding errors.
		{name: "Rosenbrock above 1e8", start: []float64{-1.2, 1}, min: 1e8, hess: raised(squares(rosenbrock), 1e8)},
		{name: "Brown badly scaled", start: []float64{1, 1}, hess: squares(brown), scale: []float64{1, 1e6}},
		{name: "Beale", start: []float64{1, 1}, hess: squares(beale)},
		{name: "helical valley", start: []float64{-1, 0, 0}, hess: squares(helical)},
		{name: "Powell singular", start: []float64{3, -1, 0, 1}, hess: squares(powell)},
		{name: "Wood", start: []float64{-3, -1, -3, -1}, hess: squares(wood)},
		{name: "extended Rosenbrock", start: alternating, hess: squares(extendedRosenbrock)},
		{name: "quadratic, condition 10", start: []float64{5, -3, 2, 0}, hess: ellipse(4, 10)},
		// The rounding of x alone moves this gradient by 1e-6.
		{name: "quadratic, condition 1e10", start: []float64{5, -3, 2, 0}, hess: ellipse(4, 1e10), tol: 1e-5},
		{name: "logistic", start: make([]float64, 4), min: nan, hess: logit(200, []float64{1, 1, 1, 1}, 0), scale: []float64{200, 160, 160, 160}},
		{name: "logistic with ridge", start: make([]float64, 4), min: nan, hess: logit(200, []float64{1, 1, 1, 1}, 3), scale: []float64{200, 160, 160, 160}},
		{name: "logistic, scales 1e-12 to 1e12", start: make([]float64, 4), min: nan, hess: logit(200, []float64{1, 1e-12, 1e12, 1}, 0),
			scale: []float64{200, 160e-12, 160e12, 160}},
	}
}

// TestDerivativesOfTheProblems checks every gradient against differences of the value and
// every Hessian against differences of the gradient, at the start and around it.
func TestDerivativesOfTheProblems(t *testing.T) {
	for _, f := range problems() {
		p := len(f.start)
		for k, shift := range []float64{0, 0.1, 0.5} {
			x := slices.Clone(f.start)
			noise := linalgtest.Normal(uint64(k), 1, p).Row(0)
			for j := range x {
				x[j] += shift * noise[j] / f.unit(j)
			}
			f.checkDerivatives(t, x)
		}
	}
}

// unit returns the size of coordinate j's derivative beside coordinate 0's.
func (f *problem) unit(j int) float64 {
	if f.scale == nil {
		return 1
	}
	return f.scale[j] / f.scale[0]
}

func (f *problem) checkDerivatives(t *testing.T, x []float64) {
	t.Helper()
	p := len(x)
	g, h := make([]float64, p), linalg.Zeros(p, p)
	gUp, gDown := make([]float64, p), make([]float64, p)
	f.Hess(h, g, x)
	largest := 0.0 // entries far below the largest drown in its rounding
	for i := range p {
		for j := range p {
			largest = max(largest, math.Abs(h.At(i, j)/f.unit(i)/f.unit(j)))
		}
	}
	for j := range p {
		step := 1e-5 / f.unit(j)
		up, down := slices.Clone(x), slices.Clone(x)
		up[j] += step
		down[j] -= step
		vUp, vDown := f.Grad(gUp, up), f.Grad(gDown, down)
		width := up[j] - down[j]
		if err := math.Abs((vUp-vDown)/width - g[j]); err > 1e-8*(math.Abs(g[j])+f.unit(j)*(largest+1))+4e-16*math.Abs(vUp)/width {
			t.Errorf("%s at %v: gradient[%d] is %v, by differences %v", f.name, x, j, g[j], (vUp-vDown)/width)
		}
		for i := range p {
			slope := (gUp[i] - gDown[i]) / width
			if err := math.Abs(slope-h.At(i, j)) / f.unit(i) / f.unit(j); err > 1e-6*(1+largest)+1e-15*math.Abs(gUp[i])/width {
				t.Errorf("%s at %v: Hessian[%d][%d] is %v, by differences %v", f.name, x, i, j, h.At(i, j), slope)
			}
			if h.At(i, j) != h.At(j, i) && linalgtest.Diff(h.At(i, j), h.At(j, i)) > 1e-12 {
				t.Errorf("%s: Hessian[%d][%d] is %v, [%d][%d] %v", f.name, i, j, h.At(i, j), j, i, h.At(j, i))
			}
		}
	}
}

// solvers are those of smooth functions.
var solvers = []struct {
	name string
	run  func(f *problem, x0 []float64, c *Control) ([]float64, Report, error)
}{
	{"Newton", func(f *problem, x0 []float64, c *Control) ([]float64, Report, error) { return Newton(f, x0, c) }},
	{"NewtonCG", func(f *problem, x0 []float64, c *Control) ([]float64, Report, error) { return NewtonCG(f, x0, c) }},
	{"BFGS", func(f *problem, x0 []float64, c *Control) ([]float64, Report, error) { return BFGS(f, x0, c) }},
	{"LBFGS", func(f *problem, x0 []float64, c *Control) ([]float64, Report, error) { return LBFGS(f, x0, 0, c) }},
	{"GradientDescent", func(f *problem, x0 []float64, c *Control) ([]float64, Report, error) {
		return GradientDescent(f, x0, 0, c)
	}},
}

// most is the number of iterations that a solver may take on the problems: about what
// it does take on the hardest.
var most = map[string]int{"Newton": 45, "NewtonCG": 100, "BFGS": 70, "LBFGS": 85}

// TestSolversReachTheMinima runs every solver on every problem. All but gradient descent have to
// converge; that has to come down.
func TestSolversReachTheMinima(t *testing.T) {
	for _, f := range problems() {
		for _, s := range solvers {
			start := slices.Clone(f.start)
			last := math.Inf(1)
			x, rep, err := s.run(f, start, &Control{Tol: f.tol, Scale: f.scale, MaxIter: 2000, Trace: func(s Step) error {
				if s.Objective > last+rounding(last) {
					t.Errorf("%s: iteration %d rises from %v to %v", f.name, s.Iteration, last, s.Objective)
				}
				last = s.Objective
				return nil
			}})
			t.Logf("%s, %s: %v after %d, objective %.3g, certificate %.2g", f.name, s.name, rep.Status(), rep.Iterations(), rep.Objective(), rep.Certificate().Value)
			if !slices.Equal(start, f.start) {
				t.Errorf("%s, %s: the start was written to", f.name, s.name)
			}
			if s.name == "GradientDescent" {
				if err != nil && rep.Status() != MaxIterations && rep.Status() != LineSearch || !(rep.Objective() < f.Value(f.start)) {
					t.Errorf("%s, %s: %+v, %v", f.name, s.name, rep, err)
				}
			} else if err != nil {
				t.Errorf("%s, %s: %v", f.name, s.name, err)
			} else if rep.Objective() > f.min+1e-10 {
				t.Errorf("%s, %s: objective %v at %v, want %v", f.name, s.name, rep.Objective(), x, f.min)
			} else if rep.Iterations() > most[s.name] {
				t.Errorf("%s, %s: %d iterations", f.name, s.name, rep.Iterations())
			}
			f.checkReport(t, s.name, x, rep)
		}
	}
}

// checkReport recomputes what the report claims at the point returned.
func (f *problem) checkReport(t *testing.T, solver string, x []float64, rep Report) {
	t.Helper()
	g := make([]float64, len(x))
	v := f.Grad(g, x)
	for j := range g {
		if f.scale != nil {
			g[j] /= f.scale[j]
		}
	}
	if linalgtest.Diff(v, rep.Objective()) > 1e-14 || linalgtest.Diff(linalg.NormInf(g), rep.Certificate().Value) > 1e-14 {
		t.Errorf("%s, %s: objective %v and gradient %v at the point, reported %v and %v",
			f.name, solver, v, linalg.NormInf(g), rep.Objective(), rep.Certificate().Value)
	}
}
