package rounds_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	"halfspace/logistic/rounds"
	"halfspace/optimize"
)

// parameters are intercept and coefficients of the functions of a model.
func parameters(m *logistic.Model) (theta []float64) {
	coef, intercept := m.Coef()
	for k := range coef.Rows {
		theta = append(append(theta, intercept[k]), coef.Row(k)...)
	}
	return theta
}

// likelihood returns −log-likelihood of rows and its Hessian by all functions' parameters.
func likelihood(t table, classes int, theta []float64) (value float64, h *linalg.Dense) {
	functions, dim := sample.Functions(classes), t.x.Cols+1
	h = linalg.Zeros(len(theta), len(theta))
	for i, y := range t.y {
		x := append([]float64{1}, t.x.Row(i)...)
		f := make([]float64, classes)
		for c := range functions {
			f[classes-functions+c] = linalg.Dot(x, theta[c*dim:(c+1)*dim])
		}
		norm := linalg.LogSumExp(f)
		value += norm - f[y]
		for a := range theta {
			for b := range theta {
				c, d := classes-functions+a/dim, classes-functions+b/dim
				v := -math.Exp(f[c] - norm + f[d] - norm)
				if c == d {
					v += math.Exp(f[c] - norm)
				}
				h.Set(a, b, h.At(a, b)+v*x[a%dim]*x[b%dim])
			}
		}
	}
	return value, h
}

// against returns the parameters of several functions less those of the last.
func against(theta []float64, classes int) []float64 {
	dim := len(theta) / sample.Functions(classes)
	last := append([]float64(nil), theta[len(theta)-dim:]...)
	for at := 0; at < len(theta) && classes > 2; at += dim {
		linalg.Axpy(theta[at:at+dim], -1, last)
	}
	return theta
}

// near draws rows whose first column is about 0 too, so that intercepts at 0 keep their digits.
func near(seed uint64, n, p, k int) table {
	t := drawn(seed, n, p, k, false)
	for i := range n {
		t.x.Set(i, 0, (t.x.At(i, 0)-1e6)/1e3)
	}
	return t
}

// A fit with a prior is least of the later rows' likelihood and the Gaussian, both summed up by
// hand, and its certificate is of that; a prior of a fit with a prior has both.
func TestPriorsStandForEarlierRows(t *testing.T) {
	for _, c := range []struct {
		classes int
		lambda  float64
	}{{3, 2}, {2, 0}, {2, 3}, {3, 0}}[:linalgtest.Rounds(4, 4)] {
		what := fmt.Sprintf("%d classes, λ = %v", c.classes, c.lambda)
		all, o := near(11, 900, 4, c.classes), rounds.Options{Lambda: c.lambda}
		var prior *rounds.Prior
		var sum *linalg.Dense // the Hessians of the parts so far
		var before []float64
		for k := range 3 {
			part := all.part(k, 3)
			m, err := rounds.Fit(part.rows(), c.classes, o, prior)
			if err != nil {
				t.Fatal(what, err)
			}
			theta := parameters(m)
			if cert := m.Report().Certificate(); !cert.Holds() || m.Report().Status() != optimize.Converged || prior != nil && cert.Tol != 1e-14 {
				t.Errorf("%s: %v", what, cert)
			}
			objective := func(theta []float64) float64 {
				value, _ := likelihood(part, c.classes, theta)
				for j, v := range theta {
					if prior == nil && j%5 > 0 {
						value += c.lambda * v * v / 2
					} else if prior != nil {
						apart := append([]float64(nil), theta...)
						linalg.Axpy(apart, -1, before)
						value += (v - before[j]) * linalg.Dot(sum.Row(j), apart) / 2
					}
				}
				return value
			}
			least := objective(theta)
			linalgtest.Close(t, what+": objective", m.Report().Objective(), least, 1e-12)
			r := rand.New(rand.NewPCG(4, uint64(k)))
			for range 40 {
				to := append([]float64(nil), theta...)
				for j := range to {
					to[j] += 1e-5 * r.NormFloat64()
				}
				if f := objective(to); f < least {
					t.Fatalf("%s, part %d: %v beside the minimum, %v there", what, k, f, least)
				}
			}
			_, h := likelihood(part, c.classes, theta)
			if sum == nil {
				for j := range theta {
					if j%5 > 0 {
						h.Set(j, j, h.At(j, j)+c.lambda)
					}
				}
				sum = h
			} else {
				linalg.Axpy(sum.Data, 1, h.Data)
			}
			before = theta
			if prior, err = rounds.Approximate(m, part.rows(), o, prior); err != nil {
				t.Fatal(what, err)
			}
			if prior = copied(t, prior); prior.Rows != 300*(k+1) {
				t.Errorf("%s: a prior of %d rows", what, prior.Rows)
			}
			o = rounds.Options{}
		}
		exact, err := logistic.Fit(all.x, all.y, &logistic.Options{Lambda: c.lambda})
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.CloseSlice(t, what+": an approximation of all rows", against(before, c.classes), against(parameters(exact), c.classes), 0.05)
	}
}

// stored returns the cells that are not 0.
func stored(x *linalg.Dense) (*linalg.CSR, error) {
	start, index, value := []int{0}, []int32(nil), []float64(nil)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if v != 0 {
				index, value = append(index, int32(j)), append(value, v)
			}
		}
		start = append(start, len(value))
	}
	return linalg.NewCSR(x.Rows, x.Cols, start, index, value)
}

// Beside a prior of a column far from 0 later rows are read about its origin, also where one of them is sparse and
// does not store the column: the model is that of the same rows stored whole.
func TestLaterRowsMayLackAColumnFarFromZero(t *testing.T) {
	for classes := 2; classes <= 3; classes++ {
		all := near(14, 300, 3, classes)
		for i := range all.y {
			all.x.Set(i, 0, 105+5*math.Tanh(all.x.At(i, 0)))
		}
		first, later := all.part(0, 2), all.part(1, 2)
		later.x = later.x.Clone()
		later.x.Set(7, 0, 0)
		o := rounds.Options{Lambda: 1}
		m, err := rounds.Fit(first.rows(), classes, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		prior, err := rounds.Approximate(m, first.rows(), o, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := rounds.Fit(later.rows(), classes, rounds.Options{}, prior)
		if err != nil {
			t.Fatal(err)
		}
		sparse := later.rows()
		if sparse.X, err = stored(later.x); err != nil {
			t.Fatal(err)
		}
		got, err := rounds.Fit(sparse, classes, rounds.Options{}, prior)
		if err != nil {
			t.Errorf("%d classes: %v", classes, err)
			continue
		}
		linalgtest.CloseSlice(t, fmt.Sprintf("%d classes", classes), parameters(got), parameters(want), 1e-9)
		linalgtest.Close(t, "objective", got.Report().Objective(), want.Report().Objective(), 1e-12)
		before, err := rounds.Approximate(want, later.rows(), rounds.Options{}, prior)
		if err != nil {
			t.Fatal(err)
		}
		after, err := rounds.Approximate(got, sparse, rounds.Options{}, prior)
		if err != nil {
			t.Errorf("%d classes, both parts: %v", classes, err)
			continue
		}
		linalgtest.CloseSlice(t, "the point of both parts", after.Theta, before.Theta, 1e-9)
	}
}

// With two classes the Gaussian is a ridge on other columns: those of the rows times the
// inverse of its factor.
func TestPriorsAreRidgesOfOtherColumns(t *testing.T) {
	all := near(12, 500, 3, 2)
	first, second := all.part(0, 2), all.part(1, 2)
	o := rounds.Options{Lambda: 2}
	m, err := rounds.Fit(first.rows(), 2, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	prior, err := rounds.Approximate(m, first.rows(), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	theta := parameters(m)
	_, h := likelihood(first, 2, theta)
	for j := 1; j < 4; j++ {
		h.Set(j, j, h.At(j, j)+2)
	}
	factor, err := linalg.NewCholesky(h)
	if err != nil {
		t.Fatal(err)
	}
	inverse, z, offset := factor.InverseL(1), linalg.Zeros(250, 4), make([]float64, 250)
	for i := range offset {
		x := append([]float64{1}, second.x.Row(i)...)
		offset[i] = linalg.Dot(x, theta)
		for j := range 4 {
			z.Set(i, j, linalg.Dot(inverse.Row(j), x))
		}
	}
	want, err := logistic.Fit(z, second.y, &logistic.Options{Lambda: 1, NoIntercept: true, Offset: offset, Tol: 1e-17})
	if err != nil {
		t.Fatal(err)
	}
	got, err := rounds.Fit(second.rows(), 2, rounds.Options{}, prior)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "objective", got.Report().Objective(), want.Report().Objective(), 1e-12)
	phi, _ := want.Coef()
	apart := make([]float64, 4)
	linalg.MulTVecAdd(apart, inverse, phi.Row(0))
	linalg.Axpy(apart, 1, theta)
	linalgtest.CloseSlice(t, "coefficients", parameters(got), apart, 1e-8)
}

func TestPriorsRefuse(t *testing.T) {
	all := near(13, 200, 3, 2)
	m, err := logistic.Fit(all.x, all.y, nil)
	if err != nil {
		t.Fatal(err)
	}
	prior, err := rounds.Approximate(m, all.rows(), rounds.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := prior.Check(); err != nil {
		t.Error(err)
	}
	for what, change := range map[string]func(p *rounds.Prior){"no rows": func(p *rounds.Prior) { p.Rows = 0 }, "one class": func(p *rounds.Prior) { p.Classes = 1 },
		"no extent": func(p *rounds.Prior) { p.Extent = nil }, "no columns": func(p *rounds.Prior) { p.Extent.Sum = nil }, "a short point": func(p *rounds.Prior) { p.Theta = p.Theta[1:] }} {
		p := copied(t, prior)
		if change(p); p.Check() == nil {
			t.Errorf("a prior of %s", what)
		}
	}
	for what, o := range map[string]rounds.Options{"a ridge": {Lambda: 1}, "class weights": {Balanced: true}, "no intercept": {NoIntercept: true}} {
		if _, err := rounds.Fit(all.rows(), 2, o, prior); err == nil {
			t.Errorf("%s beside a prior", what)
		}
	}
	var shape *linalg.ShapeError
	other := near(13, 200, 4, 2)
	if _, err := rounds.Fit(other.rows(), 2, rounds.Options{}, prior); !errors.As(err, &shape) {
		t.Errorf("another number of columns: %v", err)
	}
	if _, err := rounds.Fit(all.rows(), 3, rounds.Options{}, prior); !errors.As(err, &shape) {
		t.Errorf("another number of classes: %v", err)
	}
	if _, err := rounds.Approximate(m, other.rows(), rounds.Options{}, nil); !errors.As(err, &shape) {
		t.Errorf("rows of other columns: %v", err)
	}
	counts, err := rounds.Survey(all.rows(), 2)
	if err != nil {
		t.Fatal(err)
	}
	s, err := rounds.Begin(counts, rounds.Options{}, prior)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	damaged := *prior
	damaged.Classes = 3
	if s.Prior = &damaged; !errors.As(s.Check(), &shape) {
		t.Errorf("a state beside the prior of another number of classes: %v", s.Check())
	}
	lasso, err := logistic.Fit(all.x, all.y, &logistic.Options{Lambda: 1, L1Ratio: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rounds.Approximate(lasso, all.rows(), rounds.Options{}, nil); err == nil {
		t.Error("a Gaussian of a lasso")
	}
	early, _ := logistic.Fit(all.x, all.y, &logistic.Options{MaxIter: 1})
	if _, err := rounds.Approximate(early, all.rows(), rounds.Options{}, nil); !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("a Gaussian of no minimum: %v", err)
	}
	for what, damage := range map[string]func(p *rounds.Prior){
		"parameters":  func(p *rounds.Prior) { p.Theta = p.Theta[1:] },
		"a Hessian":   func(p *rounds.Prior) { p.Hessian = p.Hessian[1:] },
		"definite":    func(p *rounds.Prior) { p.Hessian[0] = -1 },
		"columns":     func(p *rounds.Prior) { p.Extent.Lo = p.Extent.Lo[1:] },
		"an extent":   func(p *rounds.Prior) { p.Extent = nil },
		"two classes": func(p *rounds.Prior) { p.Classes = 1 },
	} {
		bad := copied(t, prior)
		damage(bad)
		if err := bad.Check(); err == nil {
			t.Errorf("a prior without %s", what)
		}
		if _, err := rounds.Fit(all.rows(), 2, rounds.Options{}, bad); err == nil {
			t.Errorf("a fit with a prior without %s", what)
		}
	}
	short := all.rows()
	short.Offset = make([]float64, 1)
	if _, err := rounds.Fit(short, 2, rounds.Options{}, nil); !errors.As(err, &shape) {
		t.Errorf("one offset: %v", err)
	}
	if _, err := rounds.Fit(all.rows(), 2, rounds.Options{Lambda: 1, Standardize: true, Balanced: true}, nil); err == nil {
		t.Error("standard deviations with class weights")
	}
}
