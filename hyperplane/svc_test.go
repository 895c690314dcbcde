package hyperplane

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// irisPair returns the rows of two iris species, coded 0 setosa, 1 versicolor,
// 2 virginica.
func irisPair(t testing.TB, a, b int) (*linalg.Dense, []int) {
	x, labels, _ := lt.Table(t, "iris.csv", "species")
	y, _ := lt.Codes(labels)
	return lt.Select(x, y, func(i int) bool { return y[i] == a || y[i] == b })
}

// checkSVC recomputes the certificate of every machine from its multipliers, its
// plane and the data alone: the conditions, and the gap between the primal
// objective at the plane and the dual objective at the multipliers.
func checkSVC(t *testing.T, x *linalg.Dense, y []int, weights []float64, m *SVC) {
	t.Helper()
	total := 0.0
	for k, c := range m.Machines() {
		if s := c.Report.Status(); s != optimize.Converged && s != optimize.Direct { // of one row a class
			t.Errorf("report %+v", c.Report)
		}
		r, err := m.Conditions(k, x, y, weights)
		if err != nil {
			t.Fatal(err)
		}
		gap := (r.Primal - r.Dual) / math.Max(1, math.Abs(r.Primal))
		if tol := c.Report.Certificate().Tol; !(gap <= tol) || !(gap >= -1e-9) {
			t.Errorf("primal %v, dual %v: gap %g", r.Primal, r.Dual, gap)
		}
		for name, v := range map[string]float64{"stationarity": r.Stationarity, "primal feasibility": r.PrimalFeasibility,
			"dual feasibility": r.DualFeasibility} {
			if !(v <= 1e-9) {
				t.Errorf("%s %g", name, v)
			}
		}
		if !(r.ComplementarySlackness <= 1e-6) {
			t.Errorf("complementary slackness %g", r.ComplementarySlackness)
		}
		total += r.Primal
	}
	lt.Close(t, "objective", m.Report().Objective(), total, 1e-9)
}

func signOf(label int, c *Machine) float64 {
	switch {
	case label == c.Positive:
		return 1
	case label == c.Negative || c.Rest:
		return -1
	}
	return 0
}

// clouds returns two normal clouds whose means are sep apart in each coordinate.
func clouds(seed uint64, n, p int, sep float64) (*linalg.Dense, []int) {
	x, y := lt.Normal(seed, n, p), make([]int, n)
	for i := range y {
		y[i] = i % 2
		for j := range x.Row(i) {
			x.Row(i)[j] += sep * float64(y[i])
		}
	}
	return x, y
}

func mustSVC(t testing.TB, x *linalg.Dense, y []int, o *SVCOptions) *SVC {
	t.Helper()
	m, err := FitSVC(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func samePlane(t *testing.T, what string, got, want *Plane, tol float64) {
	t.Helper()
	lt.CloseSlice(t, what, got.Normal(), want.Normal(), tol)
	lt.Close(t, what+": intercept", got.Intercept(), want.Intercept(), tol)
}

func TestSVCByHand(t *testing.T) {
	// −1 and 1 with a point of the wrong label at 0.5. C = 1/4: everything at its
	// bound or balanced; worked out from the conditions.
	x := lt.Rows(t, []float64{-1}, []float64{1}, []float64{0.5}, []float64{-0.5})
	y := []int{0, 1, 0, 1}
	m := mustSVC(t, x, y, &SVCOptions{C: 0.25})
	checkSVC(t, x, y, nil, m)
	// All α = C: β = ¼(1 + 1 − ½ − ½) = ¼, and b = 0 by symmetry: no row is free and b is
	// the middle of its interval.
	coef, intercept := m.Coef()
	lt.CloseSlice(t, "coef", coef.Row(0), []float64{0.25}, 1e-12)
	lt.CloseSlice(t, "intercept", intercept, []float64{0}, 1e-12)
	r, err := m.Conditions(0, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "ξ", r.Slack, []float64{0.75, 0.75, 1.125, 1.125}, 1e-12)
	lt.CloseSlice(t, "α", r.Alpha, []float64{0.25, 0.25, 0.25, 0.25}, 1e-12)
	lt.CloseSlice(t, "μ", r.Mu, []float64{0, 0, 0, 0}, 1e-12)
	if r.Misclassified != 2 || !slices.Equal(r.Case, []MarginCase{Inside, Inside, Inside, Inside}) {
		t.Errorf("%d misclassified, %v", r.Misclassified, r.Case)
	}
}

// Hinge loss and ridge penalty λ = 1/C: 0 ∈ ∂ with subgradient weights α/C, and a
// subgradient descent that comes close to the same objective from above.
func TestSVCIsHingePlusRidge(t *testing.T) {
	x, y := clouds(4, 200, 4, 0.6)
	const c = 0.1
	m := mustSVC(t, x, y, &SVCOptions{C: c})
	r, err := m.Conditions(0, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	coef, intercept := m.Coef()
	lambda := 1 / c
	g, g0 := make([]float64, 4), 0.0 // of Σ[1−yf]₊ + λ/2‖β‖²
	linalg.Axpy(g, lambda, coef.Row(0))
	for i, a := range r.Alpha {
		w := a / c
		if w < 0 || w > 1 || r.Margin[i] > 1+1e-9 && w != 0 || r.Margin[i] < 1-1e-9 && w != 1 {
			t.Errorf("row %d: %g is no subgradient weight at y·f = %g", i, w, r.Margin[i])
		}
		s := float64(2*y[i] - 1)
		linalg.Axpy(g, -w*s, x.Row(i))
		g0 -= w * s
	}
	if linalg.NormInf(g) > 1e-9*lambda || math.Abs(g0) > 1e-9 {
		t.Errorf("the subgradient is %v, %v", g, g0)
	}
	objective := func(b0 float64, b []float64, d []float64) (f, d0 float64) {
		f = lambda / 2 * linalg.Dot(b, b)
		copy(d, b)
		linalg.Scale(d, lambda)
		for i, v := range y {
			s := float64(2*v - 1)
			if h := 1 - s*(b0+linalg.Dot(b, x.Row(i))); h > 0 {
				f += h
				linalg.Axpy(d, -s, x.Row(i))
				d0 -= s
			}
		}
		return f, d0
	}
	b0, b, d := 0.0, make([]float64, 4), make([]float64, 4)
	lowest := math.Inf(1)
	for k := range 20000 {
		f, d0 := objective(b0, b, d)
		lowest = min(lowest, f)
		rate := 1 / (lambda * float64(k+10))
		linalg.Axpy(b, -rate, d)
		b0 -= rate * d0
	}
	best, _ := objective(intercept[0], coef.Row(0), d)
	lt.Close(t, "objective", best*c, m.Report().Objective(), 1e-10)
	if lowest < best*(1-1e-12) || lowest > best*1.001 {
		t.Errorf("subgradient descent came to %v, the optimum is %v", lowest, best)
	}
}

func TestSVCPathIsTheFits(t *testing.T) {
	x, y := clouds(7, 300, 5, 0.4)
	cs := []float64{0.001, 0.01, 0.03, 0.1, 1, 10, 0.5}
	fits, err := SVCPath(x, y, cs, nil)
	path := fits.Models()
	if err != nil || len(path) != len(cs) {
		t.Fatal(len(path), err)
	}
	for k, c := range cs {
		checkSVC(t, x, y, nil, path[k])
		samePlane(t, "path", path[k].Machines()[0].Plane, mustSVC(t, x, y, &SVCOptions{C: c}).Machines()[0].Plane, 1e-7)
	}
	if _, err := SVCPath(x, y, nil, nil); err == nil {
		t.Error("an empty path")
	}
	if _, err := SVCPath(x, y, []float64{1, -1}, nil); err == nil {
		t.Error("a negative C")
	}
}

// The fits of a path take few steps from the plane before, and pairs of classes their rows from the first fit.
func TestSVCPathTakesFewSteps(t *testing.T) {
	x, y := clouds(7, 3000, 5, 0.4)
	for i := range y {
		y[i] += i / 1500 * 2
	}
	cs := []float64{0.01, 0.012}
	fits, err := SVCPath(x, y, cs, nil)
	if err != nil {
		t.Fatal(err)
	}
	alone := mustSVC(t, x, y, &SVCOptions{C: cs[1]})
	if own, first := fits.Points[1].Report.Iterations(), alone.Report().Iterations(); 3*own > first {
		t.Errorf("%d steps, %d without a fit before", own, first)
	}
	f, err := newSVCFit(x, y, &SVCOptions{})
	if err != nil {
		t.Fatal(err)
	}
	kernels := func() (a, b *qp.Linear) {
		_, a = f.task(0)
		_, b = f.task(0)
		return a, b
	}
	if a, b := kernels(); a == b {
		t.Error("a single fit keeps its copies of two classes")
	}
	f.remember()
	if a, b := kernels(); a != b {
		t.Error("a path makes its copies of two classes anew")
	}
}

func TestSVCStops(t *testing.T) {
	x, y := clouds(9, 200, 3, 0.3)
	m, err := FitSVC(x, y, &SVCOptions{MaxIter: 2})
	if !errors.Is(err, optimize.ErrNotConverged) || m == nil || m.Report().Status() != optimize.MaxIterations || m.Report().Iterations() > 2 {
		t.Errorf("cap: %v", err)
	}
	for i := range y {
		y[i] = i % 3
	}
	enough, calls := errors.New("enough"), 0
	m, err = FitSVC(x, y, &SVCOptions{Trace: func(optimize.Step) error {
		if calls++; calls > 4 {
			return enough
		}
		return nil
	}})
	if !errors.Is(err, enough) || !errors.Is(err, optimize.ErrNotConverged) || m == nil || m.Report().Status() != optimize.Stopped || calls != 5 {
		t.Fatalf("trace: %v after %d calls", err, calls)
	}
	m.Predict(x.Row(0))
	// The machines whose turn did not come have no result, and so has the whole.
	list := m.Machines()
	for k, want := range []optimize.Status{optimize.Stopped, optimize.None, optimize.None} {
		if list[k].Report.Status() != want {
			t.Errorf("machine %d is %v, want %v", k, list[k].Report.Status(), want)
		}
	}
	if c := m.Report().Certificate(); c.Holds() || !math.IsNaN(c.Value) {
		t.Errorf("certificate %+v", c)
	}
}

func TestSVCBadInput(t *testing.T) {
	x := lt.Rows(t, []float64{0}, []float64{1}, []float64{2})
	y := []int{0, 1, 1}
	var shape *linalg.ShapeError
	var finite *linalg.NonFiniteError
	var class *linalg.ClassError
	var option *sample.OptionError
	nan := math.NaN()
	for name, c := range map[string]struct {
		x  *linalg.Dense
		y  []int
		o  *SVCOptions
		as any
	}{
		"no x":          {nil, y, nil, &shape},
		"labels":        {x, []int{0, 1}, nil, &shape},
		"one class":     {x, []int{1, 1, 1}, nil, &class},
		"weighted away": {x, y, &SVCOptions{Weights: []float64{0, 1, 1}}, &class},
		"class absent":  {x, y, &SVCOptions{Classes: []int{0, 1, 2}}, &class},
		"weights":       {x, y, &SVCOptions{Weights: []float64{1}}, &shape},
		"class weights": {x, y, &SVCOptions{ClassWeights: []float64{1}}, &shape},
		"NaN weight":    {x, y, &SVCOptions{Weights: []float64{1, nan, 1}}, &finite},
		"NaN":           {lt.Rows(t, []float64{0}, []float64{nan}, []float64{1}), y, nil, &finite},
		"overflow":      {x, y, &SVCOptions{C: 1e300, Weights: []float64{1e100, 1, 1}}, &option},
	} {
		m, err := FitSVC(c.x, c.y, c.o)
		if m != nil || !errors.As(err, c.as) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, o := range []*SVCOptions{{C: -1}, {C: nan}, {Tol: -1}, {MaxIter: -1}, {Workers: -1}, {Multi: 9},
		{Weights: []float64{1, -1, 1}}, {ClassWeights: []float64{1, 0}}} {
		if m, err := FitSVC(x, y, o); m != nil || err == nil {
			t.Errorf("%+v accepted", o)
		}
	}
	r := []float64{1, 2, 3}
	for _, o := range []*SVROptions{{C: -1}, {Epsilon: -1}, {Epsilon: nan}, {Tol: nan}, {MaxIter: -1}, {Workers: -1}, {Weights: []float64{0, 0, 0}}} {
		if m, err := FitSVR(x, r, o); m != nil || err == nil {
			t.Errorf("%+v accepted", o)
		}
	}
	if m, err := FitSVR(x, []float64{1, nan, 2}, nil); m != nil || !errors.As(err, &finite) {
		t.Errorf("NaN response: %v", err)
	}
	m := mustSVC(t, x, y, nil)
	if _, err := m.PredictRows(nil, lt.Rows(t, []float64{1, 2})); !errors.As(err, &shape) {
		t.Errorf("two columns: %v", err)
	}
	if _, err := m.Conditions(1, x, y, nil); err == nil {
		t.Error("machine 1 of 1")
	}
	if s := m.Scores(nil, []float64{nan}); !math.IsNaN(s[0]) || !math.IsNaN(s[1]) {
		t.Errorf("scores of NaN %v", s)
	}
}

func TestSVCDoesNotDependOnWorkersOrWriteInputs(t *testing.T) {
	x, y := clouds(10, 3000, 8, 0.3)
	before, labels := x.Clone(), slices.Clone(y)
	one := mustSVC(t, x, y, &SVCOptions{Workers: 1})
	three := mustSVC(t, x, y, &SVCOptions{Workers: 3})
	if !reflect.DeepEqual(one, three) {
		t.Error("the bits depend on the workers")
	}
	if !reflect.DeepEqual(before, x) || !slices.Equal(labels, y) {
		t.Error("the input was written to")
	}
}

func TestSVCRecord(t *testing.T) {
	x, labels, _ := lt.Table(t, "iris.csv", "species")
	y, _ := lt.Codes(labels)
	for _, o := range []*SVCOptions{nil, {Multi: OneVsRest, C: 3, ClassWeights: []float64{1, 2, 3}}} {
		m := mustSVC(t, x, y, o)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back SVC
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m, &back) {
			t.Errorf("%+v became %+v", m, &back)
		}
		if err := json.Unmarshal(b[:len(b)-9], &back); err == nil {
			t.Error("a truncated record was read")
		}
	}
	r, err := FitSVR(x, x.Col(nil, 0), &SVROptions{Epsilon: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back SVR
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(r, &back) {
		t.Errorf("%v: %+v became %+v", err, r, &back)
	}
	var wrong HardMargin
	if err := json.Unmarshal(b, &wrong); err == nil {
		t.Error("an SVR was read as a hard margin")
	}
}

func TestSVCPredictAllocatesNothing(t *testing.T) {
	x, labels, _ := lt.Table(t, "iris.csv", "species")
	y, _ := lt.Codes(labels)
	m := mustSVCProba(t, x, y, nil)
	dst, row := make([]float64, 0, 3), x.Row(0)
	if n := testing.AllocsPerRun(100, func() {
		m.Predict(row)
		m.Scores(dst, row)
		m.Proba(dst, row)
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// The intercept is the middle of the interval that the margins leave it, also where rounding leaves a multiplier
// of 1e-18 in the place of 0.
func TestInterceptIsTheMiddleDespiteRounding(t *testing.T) {
	for _, c := range []struct {
		rows   [][]float64
		y      []int
		lo, hi float64
	}{
		{[][]float64{{-1, 3, 0}, {2, 0, 2}, {3, -3, 3}, {1, 2, -1}, {-2, -2, 1}}, []int{0, 1, 1, 0, 0}, -0.995, -0.985},
		{[][]float64{{3, -1}, {-1, 3}, {2, 0}, {-2, -1}, {-3, 3}}, []int{0, 1, 1, 1, 1}, 0.999, 1.002},
	} {
		x, _ := linalg.FromRows(c.rows)
		m, err := FitSVC(x, c.y, &SVCOptions{C: 0.001})
		if err != nil {
			t.Fatal(err)
		}
		lt.Close(t, "intercept", m.list[0].Plane.Intercept(), (c.lo+c.hi)/2, 1e-9)
	}
}

// Where columns are so large that slacks are below rounding, the squared hinge loss is fitted twice, and the steps of both count.
func TestStepsWithoutSlackCount(t *testing.T) {
	for _, seed := range []uint64{25, 26, 34} {
		x, y := clouds(seed, 6+int(seed%20), 1+int(seed%4), 6)
		linalg.Scale(x.Data, math.Pow(10, 4+float64(seed%9)))
		last := optimize.Step{}
		o := &SVCOptions{Loss: SquaredHinge, C: math.Pow(10, float64(seed%7)-2), Trace: func(s optimize.Step) error { last = s; return nil }}
		m, err := FitSVC(x, y, o)
		if m == nil || m.Report().Iterations() != last.Iteration {
			t.Errorf("seed %d: %v after step %d, %v", seed, m, last.Iteration, err)
		}
		o.Trace = func(s optimize.Step) error {
			if s.Iteration == last.Iteration {
				return errors.New("enough")
			}
			return nil
		}
		if m, _ = FitSVC(x, y, o); m == nil || m.Report().Status() != optimize.Stopped {
			t.Errorf("seed %d: %v, stopped at step %d", seed, m, last.Iteration)
		}
	}
}
