package regression_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// randomRegression draws a table, some with columns that nearly agree, far means and exact
// responses, and the options of a lasso or an elastic net.
func randomRegression(r *rand.Rand) (x *linalg.Dense, y []float64, o *regression.Options, name string) {
	n, p := 8+r.IntN(16), 1+r.IntN(5)
	x, y = linalg.Zeros(n, p), make([]float64, n)
	far, noise := 0.0, []float64{1, 1, 0.1, 1e-4}[r.IntN(4)]
	if r.IntN(4) == 0 {
		far = math.Pow(10, 6*r.Float64())
	}
	near := math.Exp(-20 * r.Float64())
	for i := range n {
		row := x.Row(i)
		for j := range row {
			row[j] = r.NormFloat64()
			y[i] += row[j] * float64(j%3-1)
		}
		if p > 2 && n%3 == 0 {
			row[1] = row[0] + near*row[1]
		}
		row[0] += far
		y[i] += far + noise*r.NormFloat64()
	}
	o = &regression.Options{Lambda: math.Exp(8*r.Float64() - 5), L1Ratio: 1, Standardize: r.IntN(2) == 0, NoIntercept: r.IntN(5) == 0}
	name = "lasso"
	if r.IntN(2) == 0 {
		o.L1Ratio, name = 0.01+0.98*r.Float64(), "elastic net"
	}
	if r.IntN(2) == 0 {
		o.Tol = math.Pow(10, -2-8*r.Float64())
	}
	if r.IntN(3) == 0 {
		o.Weights, o.Offset = make([]float64, n), make([]float64, n)
		for i := range o.Weights {
			o.Weights[i], o.Offset[i] = float64(r.IntN(4))*0.7, r.NormFloat64()
		}
		o.Weights[0] = 1
	}
	return x, y, o, name
}

// The minimum of a regression with a lasso part, found in 320 bits, lies within the
// certificate of the published coefficients, alone and on a path, however rough the fit is.
func TestMinimumOfARegressionIsWithinTheCertificate(t *testing.T) {
	looseness, fits, n := map[string][]float64{}, 0, lt.Rounds(100, 5000)
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 18))
		x, y, o, name := randomRegression(r)
		m, err := regression.FitElasticNet(x, y, o)
		if m == nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.IntN(2) == 0 {
			lambdas := []float64{o.Lambda, o.Lambda / 3, o.Lambda / 10}
			var path *regression.Path
			o.Lambda = 0
			path, err = regression.ElasticNetPath(x, y, lambdas, o)
			m, name = path.Points[r.IntN(len(path.Points))].Model, "path, "+name
		}
		if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		o.Lambda = m.Lambda()
		if loose, known := within(t, fmt.Sprintf("seed %d, %s", seed, name), m, x, y, o); known {
			fits++
			looseness[name] = append(looseness[name], loose...)
		}
	}
	if fits < n*9/10 {
		t.Errorf("of %d fits %d have a minimum that is known", n, fits)
	}
	lt.LogLooseness(t, looseness)
}

// within checks a certificate against the minimum in 320 bits, where that is known, and returns how many times the
// excess it is, where there is any.
func within(t *testing.T, what string, m *regression.Model, x *linalg.Dense, y []float64, o *regression.Options) (loose []float64, known bool) {
	f := lt.Fit{X: x, W: o.Weights, Offset: o.Offset, Lambda: o.Lambda, L1Ratio: o.L1Ratio, Standardize: o.Standardize, NoIntercept: o.NoIntercept}
	coef, at := m.Plane().Normal(), m.Plane().Origin()
	published := lt.Affine{Coef: &linalg.Dense{Rows: 1, Cols: x.Cols, Stride: x.Cols, Data: coef}, At: []float64{m.Plane().Value(at)}, Origin: at}
	objective, minimum, err := lt.SquaredLeast(f, y, published)
	if err != nil {
		t.Logf("%s: %v", what, err)
		return nil, false
	}
	excess, _ := new(big.Float).Sub(objective, minimum).Float64()
	value, _ := objective.Float64()
	spread := spreadOf(x, y, o)
	c, size := m.Report().Certificate(), max(value, 0.5e-12*spread)
	if least := roundingOf(y, o); spread <= 16*0x1p-33*least {
		size = max(value, least)
	}
	if c.Kind != optimize.KindGap || !(excess <= c.Value*size*(1+1e-9)) {
		t.Errorf("%s: %g above the minimum %g, %v", what, excess, value, m.Report())
	}
	if d := math.Abs(m.Report().Objective() - value); !(d <= (c.Value+1e-12)*size+0x1p-50*math.Sqrt(size*spread)) { // of y less its mean

		t.Errorf("%s: objective %v, not %v", what, m.Report().Objective(), value)
	}
	if excess > 0 {
		loose = append(loose, c.Value*size/excess)
	}
	return loose, true
}

// roundingOf returns ½Σw(2⁻³⁶(|y| + |offset|))².
func roundingOf(y []float64, o *regression.Options) (least float64) {
	for i, v := range y {
		size := math.Abs(v)
		if o.Offset != nil {
			size += math.Abs(o.Offset[i])
		}
		least += sample.WeightAt(o.Weights, i) / 2 * math.Pow(0x1p-36*size, 2)
	}
	return least
}

// spreadOf returns Σw(z−z̄)² of z = y − offset, or Σwz² without an intercept.
func spreadOf(x *linalg.Dense, y []float64, o *regression.Options) float64 {
	null := lt.Fit{X: linalg.Zeros(x.Rows, 1), W: o.Weights, Offset: o.Offset, Lambda: 1, NoIntercept: o.NoIntercept}
	_, least, err := lt.SquaredLeast(null, y, lt.Affine{Coef: linalg.Zeros(1, 1), At: []float64{0}})
	if err != nil {
		panic(err)
	}
	half, _ := least.Float64()
	return 2 * half
}

// randomClosedForm draws a fit in closed form of a table that randomRegression draws, some without any noise
// and with columns that agree up to a part in 1e12.
func randomClosedForm(r *rand.Rand) (x *linalg.Dense, y []float64, o *regression.Options, name string) {
	x, y, o, _ = randomRegression(r)
	*o = regression.Options{Weights: o.Weights, Offset: o.Offset, NoIntercept: o.NoIntercept, Standardize: o.Standardize, Lambda: math.Exp(30*r.Float64() - 25)}
	if x.Cols > 1 && r.IntN(3) == 0 {
		near := math.Exp(-27 * r.Float64())
		for i := range y {
			x.Set(i, 1, x.At(i, 0)+near*x.At(i, 1))
		}
	}
	if r.IntN(4) == 0 {
		for i, row := range y {
			y[i] = row - row + linalg.Sum(x.Row(i))
		}
	}
	names := []string{"least squares", "normal equations", "ridge", "ridge path", "line"}
	if name = names[r.IntN(len(names))]; name[0] != 'r' {
		o.Lambda, o.Standardize = 0, false
	}
	return x, y, o, name
}

// closedForm fits by name.
func closedForm(x *linalg.Dense, y []float64, o *regression.Options, name string) (*regression.Model, error) {
	switch name {
	case "least squares":
		return regression.FitOLS(x, y, o)
	case "normal equations":
		return regression.FitNormalEquations(x, y, o)
	case "line":
		return regression.FitLine(x.Col(nil, 0), y, o)
	case "ridge":
		return regression.FitRidge(x, y, o)
	}
	lambdas, own := make([]float64, 9), *o
	for k := range lambdas {
		lambdas[k] = o.Lambda * math.Pow(2, float64(8-k))
	}
	own.Lambda = 0
	path, err := regression.RidgePath(x, y, lambdas, &own)
	if len(path.Points) < 9 {
		return nil, err
	}
	return path.Points[8].Model, err
}

// So it does for closed forms, with columns that nearly agree or are far from 0 and exact responses. Beside
// dependent columns a ridge of next to nothing has the residual of its equations.
func TestMinimumOfAClosedFormIsWithinTheCertificate(t *testing.T) {
	looseness, converged, n := map[string][]float64{}, 0, lt.Rounds(250, 5000)
	for seed := range uint64(n) {
		x, y, o, name := randomClosedForm(rand.New(rand.NewPCG(seed, 19)))
		m, err := closedForm(x, y, o, name)
		if m == nil || m.Report().Certificate().Kind == optimize.KindResidual {
			_, err := regression.FitOLS(x, y, &regression.Options{Weights: o.Weights, NoIntercept: o.NoIntercept})
			if rank := (*linalg.RankError)(nil); !errors.As(err, &rank) && name != "normal equations" || o.Lambda > 1e-6 {
				t.Errorf("seed %d, %s: %v", seed, name, err)
			}
			continue
		}
		if err == nil {
			converged++
		} else if !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("seed %d, %s: %v", seed, name, err)
		}
		if name == "line" {
			x = &linalg.Dense{Rows: x.Rows, Cols: 1, Stride: x.Stride, Data: x.Data}
		}
		loose, _ := within(t, fmt.Sprintf("seed %d, %s", seed, name), m, x, y, o)
		looseness[name] = append(looseness[name], loose...)
	}
	if converged < n*9/10 {
		t.Errorf("of %d fits %d have converged", n, converged)
	}
	lt.LogLooseness(t, looseness)
}

// Least squares does not depend on the basis of the columns: two objectives differ by no more than the two
// certificates say.
func TestAnotherBasisHasTheSameLeastSquares(t *testing.T) {
	for seed := range uint64(lt.Rounds(300, 2000)) {
		r := rand.New(rand.NewPCG(seed, 15))
		x := lt.Dyadic(r, 15+r.IntN(40), 2+r.IntN(3))
		xa, y := lt.Mixed(t, r, x), make([]float64, x.Rows)
		o := &regression.Options{NoIntercept: r.IntN(4) == 0}
		if r.IntN(2) == 0 {
			o.Weights, o.Offset = make([]float64, x.Rows), make([]float64, x.Rows)
		}
		for i := range y {
			y[i] = x.At(i, 1) + r.NormFloat64()
			if o.Weights != nil {
				o.Weights[i], o.Offset[i] = float64(1+r.IntN(3)), r.NormFloat64()
			}
		}
		one, err := regression.FitOLS(x, y, o)
		two, other := regression.FitOLS(xa, y, o)
		if err != nil || other != nil {
			t.Errorf("seed %d: %v, in the other basis %v", seed, err, other)
			continue
		}
		f, g := one.Report(), two.Report()
		if d := math.Abs(f.Objective() - g.Objective()); !(d <= f.Certificate().Value*f.Objective()+g.Certificate().Value*g.Objective()) {
			t.Errorf("seed %d: %v and %v, %g apart", seed, f, g, d)
		}
	}
}

// Of correlated columns sweeps along a path of elastic nets creep: fits by the rows go on there, and make the ones that
// follow. Any number of workers comes to the same bits.
func TestPathsWhereDescentsCreepGoOnByRows(t *testing.T) {
	x, y := lt.Neighbors(7, 60, 600), lt.Numbers(60)
	lambdas, last := []float64{10, 3, 1, .3, .1, .03, .01}, ""
	for _, workers := range []int{1, 2, 4} {
		p, err := regression.ElasticNetPath(x, y, lambdas, &regression.Options{L1Ratio: .01, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		bits := ""
		for k, q := range p.Points {
			coef, _ := q.Model.Coef()
			bits += fmt.Sprintln(q.Objective, coef.Data)
			alone, err := regression.FitElasticNet(x, y, &regression.Options{Lambda: lambdas[k], L1Ratio: .01})
			if err != nil {
				t.Fatal(err)
			}
			lt.Close(t, "objective", q.Objective, alone.Report().Objective(), 1e-9*q.Objective)
			if k > 1 && q.Report.Iterations() > 4 {
				t.Errorf("λ = %g: %d iterations", q.Penalty, q.Report.Iterations())
			}
		}
		if last != "" && bits != last {
			t.Errorf("%d workers come to other bits", workers)
		}
		last = bits
	}
}

// A lasso on columns of which two are alike leaves the face on which they would grow without end.
func TestLassoOfColumnsAlike(t *testing.T) {
	x := lt.Rows(t, []float64{0, 0, -1, -1}, []float64{0, 0, -1, -1}, []float64{0, 0, -1, -1}, []float64{0, 3, 0, 0}, []float64{-3, 0, 0, 0})
	m, err := regression.FitLasso(x, []float64{4, 4, 4, 3, -4}, &regression.Options{Lambda: 1, Standardize: true})
	if err != nil {
		t.Error(m.Report(), err)
	}
}
