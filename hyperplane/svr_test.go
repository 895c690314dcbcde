package hyperplane

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/qp"
)

// tubeData returns one column of a data set as response to others.
func tubeData(t *testing.T, name string) (*linalg.Dense, []float64) {
	x, column, scale := (*linalg.Dense)(nil), 3, 1.0
	if name == "age of SAheart" {
		x, _ = tableOf(t, "SAheart.csv", "chd")
		x, column, scale = standardized(x), 8, 10
	} else {
		x, _, _ = lt.Table(t, "iris.csv", "species")
	}
	y := x.Col(nil, column)
	linalg.Scale(y, scale)
	z := linalg.Zeros(x.Rows, column)
	for i := range x.Rows {
		copy(z.Row(i), x.Row(i)[:column])
	}
	return z, y
}

// checkSVR recomputes the gap from the plane, the multipliers and the data.
func checkSVR(t *testing.T, x *linalg.Dense, y []float64, m *SVR) {
	t.Helper()
	if m.Report().Status() != optimize.Converged {
		t.Errorf("report %+v", m.Report())
	}
	beta, dual, balance := make([]float64, x.Cols), 0.0, 0.0
	alpha := m.Multipliers()
	for k, i := range m.Support() {
		// About a row of the support, which Σ(α*−α) = 0 allows.
		for j, v := range x.Row(i) {
			beta[j] += alpha[k] * (v - x.At(m.support[0], j))
		}
		dual += alpha[k]*(y[i]-y[m.support[0]]) - m.Epsilon()*math.Abs(alpha[k])
		balance += alpha[k]
		if !(math.Abs(alpha[k]) <= m.C()*(1+1e-12)) {
			t.Errorf("|α*−α| = %g above C", alpha[k])
		}
	}
	dual -= linalg.Dot(beta, beta) / 2
	b := m.Plane()
	primal := linalg.Dot(b.beta(), b.beta()) / 2
	for i, v := range y {
		r := math.Abs(v - m.Predict(x.Row(i)))
		primal += m.C() * math.Max(0, r-m.Epsilon())
		if r < m.Epsilon()*(1-1e-9) && slices.Contains(m.support, i) {
			t.Errorf("row %d is inside the tube, |r| = %g, and in the support", i, r)
		}
	}
	if gap := (primal - dual) / math.Max(1, primal); !(gap <= m.Report().Certificate().Tol && gap > -1e-9) {
		t.Errorf("primal %v, dual %v: gap %g", primal, dual, gap)
	}
	lt.Close(t, "objective", m.Report().Objective(), primal, 1e-9)
	if !(math.Abs(balance) <= 1e-9*m.C()) {
		t.Errorf("Σ(α*−α) = %g", balance)
	}
}

func TestSVRAgainstLIBSVM(t *testing.T) {
	var g moreGolden
	lt.Golden(t, "testdata/svc_more.json", &g)
	for _, c := range g.Regression {
		t.Run(c.Name, func(t *testing.T) {
			x, y := tubeData(t, c.Name)
			m, err := FitSVR(x, y, &SVROptions{C: c.C, Epsilon: c.Epsilon})
			if err != nil {
				t.Fatal(err)
			}
			checkSVR(t, x, y, m)
			scale := math.Max(1, c.Dual)
			if got := m.Report().Objective(); got < c.Dual-1e-11*scale || c.Slack < 5e-6 && got > c.Dual+2e-8*scale {
				t.Errorf("C %g ε %g: objective %v, LIBSVM's dual %v", c.C, c.Epsilon, got, c.Dual)
			}
			if len(m.Support()) != c.Support {
				t.Errorf("C %g ε %g: %d support vectors, LIBSVM %d", c.C, c.Epsilon, len(m.Support()), c.Support)
			}
			coef, _ := m.Coef()
			d := 0.0
			for j, v := range c.Coef {
				d = math.Hypot(d, v-coef.At(0, j))
			}
			if d > 1e-6 && d > 1.01*math.Sqrt(2*c.Slack*scale) {
				t.Errorf("C %g ε %g: planes differ by %g", c.C, c.Epsilon, d)
			}
		})
	}
}

func TestSVRByHand(t *testing.T) {
	// Three points of a line of slope 1 within a tube of ½: the flattest f that stays
	// in it has slope ½ and passes ½ below the last and ½ above the first.
	x := lt.Rows(t, []float64{0}, []float64{1}, []float64{2})
	m, err := FitSVR(x, []float64{0, 1, 2}, &SVROptions{C: 100, Epsilon: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	checkSVR(t, x, []float64{0, 1, 2}, m)
	coef, intercept := m.Coef()
	lt.CloseSlice(t, "coef", coef.Row(0), []float64{0.5}, 1e-10)
	lt.CloseSlice(t, "intercept", intercept, []float64{0.5}, 1e-10)
	lt.CloseSlice(t, "α*−α", m.Multipliers(), []float64{-0.25, 0.25}, 1e-10)
	if !slices.Equal(m.Support(), []int{0, 2}) {
		t.Errorf("support %v", m.Support())
	}
	// A tube as wide as the data needs no slope at all.
	m, err = FitSVR(x, []float64{0, 1, 2}, &SVROptions{Epsilon: 1})
	if err != nil {
		t.Fatal(err)
	}
	coef, intercept = m.Coef()
	lt.CloseSlice(t, "coef", coef.Row(0), []float64{0}, 1e-10)
	lt.CloseSlice(t, "intercept", intercept, []float64{1}, 1e-10)
}

func TestSVRFarAndWeighted(t *testing.T) {
	x, y := tubeData(t, "petal width of iris")
	w := make([]float64, len(y))
	for i := range w {
		w[i] = float64(i % 3)
	}
	want, err := FitSVR(x, y, &SVROptions{Epsilon: 0.1, Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	var again, moved []float64
	for i, v := range y {
		for range i % 3 {
			rows, again, moved = append(rows, x.Row(i)), append(again, v), append(moved, v+1e6)
		}
	}
	z := lt.Rows(t, rows...)
	m, err := FitSVR(z, again, &SVROptions{Epsilon: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	samePlane(t, "weights", m.Plane(), want.Plane(), 1e-8)
	if m, err = FitSVR(z, moved, &SVROptions{Epsilon: 0.1}); err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "far", m.Plane().Normal(), want.Plane().Normal(), 1e-6)
	lt.Close(t, "far", m.Plane().Intercept(), want.Plane().Intercept()+1e6, 1e-9)
}

// Responses of 1e12 leave a prediction four decimals. The certificate is that of the
// plane as published, in exact arithmetic, so it says how far that is from the optimum.
func TestSVRCertificateIsThePublishedPlanes(t *testing.T) {
	x, noise := lt.Normal(5, 80, 3), lt.Normal(6, 80, 1)
	for _, level := range []float64{0, 1e6, 1e12} {
		y := make([]float64, x.Rows)
		for i := range y {
			y[i] = level + x.At(i, 0) + noise.Data[i]
		}
		m, err := FitSVR(x, y, nil)
		if m == nil {
			t.Fatal(err)
		}
		primal, dual := 0.0, 0.0
		beta := make([]float64, x.Cols)
		for i, v := range y {
			left, _ := new(big.Rat).Sub(rat(v), exactValue(m.Plane(), x.Row(i))).Float64()
			primal += math.Abs(left)
		}
		for k, i := range m.Support() {
			linalg.Axpy(beta, m.Multipliers()[k], x.Row(i))
			dual += m.Multipliers()[k] * (y[i] - level)
		}
		normal := m.Plane().Normal()
		primal += linalg.Dot(normal, normal) / 2
		dual -= linalg.Dot(beta, beta) / 2
		r := m.Report()
		lt.Close(t, "objective", r.Objective(), primal, 1e-12)
		if gap := math.Abs(primal-dual) / math.Max(1, primal); math.Abs(gap-r.Certificate().Value) > 1e-10 {
			t.Errorf("level %g: gap %g, reported %g", level, gap, r.Certificate().Value)
		}
		if converged := r.Status() == optimize.Converged; converged != r.Certificate().Holds() || converged != (err == nil) ||
			converged != (level < 1e12) || err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("level %g: %+v, %v", level, r, err)
		}
	}
}

// In a tube of next to no width both multipliers of a row may be large; a row for
// which they are equal but for rounding is no support vector.
func TestNarrowTube(t *testing.T) {
	x := lt.Rows(t, []float64{-1, -1, -1}, []float64{1, -1, -1}, []float64{-1, -1, -1})
	m, err := FitSVR(x, []float64{1e8, 1e8 + 1, 1e8 + 1}, &SVROptions{C: 100, Epsilon: 1e-300, Weights: []float64{0.001, 2, 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Support(), []int{0, 2}) {
		t.Errorf("support vectors %v, multipliers %v", m.Support(), m.Multipliers())
	}
	sum := 0.0
	for _, a := range m.Multipliers() {
		sum += a
	}
	lt.Close(t, "Σ(α*−α)", sum, 0, 1e-13)
}

// Few rows with responses near 1000 that a tube nearly holds converge, however much a unit
// beyond it costs: the last digit of the intercept is 1e-13.
func TestSVRNearlyHeldByItsTubeConverges(t *testing.T) {
	failed := 0
	cases := lt.Rounds(150, 3000)
	for seed := range uint64(cases) {
		r := rand.New(rand.NewPCG(seed, 14))
		n, p := 3+r.IntN(6), 1+r.IntN(4)
		x, y := lt.Normal(seed, n, p), make([]float64, n)
		epsilon := math.Pow(10, -3*r.Float64())
		for i := range y {
			y[i] = 1000 + epsilon*(1+0.1*r.Float64())*2*(r.Float64()-0.5)
		}
		o := &SVROptions{C: math.Pow(10, 12*r.Float64()), Epsilon: epsilon}
		m, err := FitSVR(x, y, o)
		if err != nil {
			failed++
			t.Logf("seed %d, %d×%d, C %.1g, ε %.2g: %v", seed, n, p, o.C, epsilon, err)
			continue
		}
		if primal := tubeObjective(m, x, y); !(math.Abs(primal-m.Report().Objective()) <= 1e-6*primal+1e-12*o.C) {
			t.Errorf("seed %d: objective %g, reported %g", seed, primal, m.Report().Objective())
		}
	}
	if failed > cases/100 { // those whose tube is too small by rounding alone say so
		t.Errorf("%d of %d have not converged", failed, cases)
	}
}

// Rows that touch a tube that holds all of them may be beyond it by the rounding of f, which costs more than all else
// where prices are high. The plane is one whose tube holds them for certain.
func TestSVRHeldByItsTubeConverges(t *testing.T) {
	for seed := range uint64(lt.Rounds(200, 3000)) {
		r := rand.New(rand.NewPCG(seed, 15))
		n, p := 3+r.IntN(30), 1+r.IntN(4)
		x, y, w := lt.Normal(seed, n, p), make([]float64, n), make([]float64, n)
		unit := []float64{1, 1e3, 1e6}[seed%3] // the objective is its inverse squared
		for i := range y {
			y[i] = x.At(i, 0) + r.NormFloat64()
			w[i] = math.Pow(10, 4*r.Float64())
			linalg.Scale(x.Row(i), unit)
		}
		o := &SVROptions{C: math.Pow(10, 4*r.Float64()), Epsilon: 3, Weights: w, NoIntercept: seed%2 > 0}
		if m, err := FitSVR(x, y, o); err != nil {
			t.Errorf("seed %d, %d×%d, unit %g, C %.1g: %v", seed, n, p, unit, o.C, err)
		} else if primal := tubeObjective(m, x, y); !(primal <= m.Report().Objective()*(1+1e-6)) {
			t.Errorf("seed %d: objective %g, reported %g", seed, primal, m.Report().Objective())
		}
	}
}

// tubeObjective returns ½‖β‖² + CΣ max(0, |y − f| − ε).
func tubeObjective(m *SVR, x *linalg.Dense, y []float64) float64 {
	coef, _ := m.Coef()
	value := linalg.Dot(coef.Row(0), coef.Row(0)) / 2
	for i, v := range y {
		value += m.C() * max(0, math.Abs(v-m.Predict(x.Row(i)))-m.Epsilon())
	}
	return value
}

// A plane that meets all rows is as near to them as its coefficients can be: at a huge C the rounding of
// their sums would cost more than all else.
func TestSVRMeetsRowsAtAHugePrice(t *testing.T) {
	for seed := range uint64(3) {
		x, y := lt.Normal(seed, 60, 1000), make([]float64, 60)
		for i := range y {
			y[i] = x.At(i, 0) + x.At(i, 1)
		}
		if m, err := FitSVR(x, y, &SVROptions{C: 2e6}); err != nil {
			t.Error(m.Report(), err)
		}
	}
}

// Without a tube, large columns take as few steps as others.
func TestSVRWithoutATubeOnLargeColumns(t *testing.T) {
	for seed := range uint64(lt.Rounds(40, 1000)) {
		r := rand.New(rand.NewPCG(seed, 16))
		n, p := 8+r.IntN(20), 1+r.IntN(3)
		x, y := lt.Normal(seed, n, p), make([]float64, n)
		for i := range y {
			y[i] = x.At(i, 0) + r.NormFloat64()
		}
		linalg.Scale(x.Data, []float64{1e6, 1e7, 1e8, 1e9}[seed%4])
		if m, err := FitSVR(x, y, &SVROptions{C: 100}); err != nil || m.Report().Iterations() > 50 {
			t.Errorf("seed %d, %d×%d: %v, %v", seed, n, p, m.Report(), err)
		}
	}
}

// Products of few long rows have no digits of the columns beside one that is 10⁷ times as large, by which the rows are met.
func TestLongRowsWithALargeColumn(t *testing.T) {
	const n, p = 100, 300
	x, y, labels := lt.Normal(0, n, p), lt.Normal(100, n, 1).Data, make([]int, n)
	for i := range n {
		x.Row(i)[0] *= 1e7
		labels[i] = i % 2
	}
	if _, err := FitSVR(x, y, &SVROptions{C: 1, Epsilon: 0.1}); err != nil {
		t.Error(err)
	}
	if _, err := FitSVC(x, labels, &SVCOptions{C: 1.0 / p}); err != nil {
		t.Error(err)
	}
}

// A rough solution is refined to a good one, of a tube and of none.
func TestSVRIsRefined(t *testing.T) {
	for _, o := range []SVROptions{{C: 0.001}, {C: 0.001, Epsilon: 0.3}} {
		const n, p = 200, 500
		x, y := lt.Normal(3, n, p), make([]float64, n)
		for i := range y {
			y[i] = x.At(i, 0) + x.At(i, 1)
		}
		s := &solver{tol: 1e-9}
		m := &SVR{c: o.C, epsilon: o.Epsilon}
		price := m.prices(n, nil)
		dual, q := m.dual(s, x, y, price, 0)
		rough := make([]float64, len(dual.Linear))
		plane := planeAt(make([]float64, p), nil, 0)
		q.ApplyT(plane.beta(), rough)
		tube := tube{q: q.With(slices.Repeat([]float64{1}, n)), y: y, price: price, epsilon: o.Epsilon}
		e := tube.refined(s, dual, plane, &qp.Result{Alpha: rough})
		if !(e.gap() < 1e-9) || linalg.NormInf(e.alpha) > o.C {
			t.Errorf("%+v: gap %g", o, e.gap())
		}
	}
}

// All steps of runs that solve one problem count, also those of a run that met numbers which are not finite, where others did not.
func TestStepsOfAllRunsCount(t *testing.T) {
	run := func(s optimize.Status, steps int) optimize.Report {
		p, err := optimize.Begin(nil, []float64{0}, nil, optimize.Defaults{})
		if err != nil {
			t.Fatal(err)
		}
		for range steps {
			p.Count()
		}
		p.End(s)
		return p.Report()
	}
	bad, good, open, stopped := run(optimize.NotFinite, 3), run(optimize.Converged, 4), run(optimize.LineSearch, 5), run(optimize.Stopped, 6)
	for _, c := range []struct {
		runs  []optimize.Report
		steps int
		want  optimize.Status
	}{
		{[]optimize.Report{bad}, 3, optimize.NotFinite}, {[]optimize.Report{bad, good}, 7, optimize.Converged}, {[]optimize.Report{good, bad}, 7, optimize.Converged},
		{[]optimize.Report{bad, open, bad}, 11, optimize.LineSearch}, {[]optimize.Report{bad, open, stopped}, 14, optimize.Stopped},
	} {
		var tube tube
		for _, r := range c.runs {
			tube.count(new(solver), r)
		}
		if r := together(tube.runs...); r.Iterations() != c.steps || r.Status() != c.want {
			t.Errorf("%v of %v", r, c.runs)
		}
	}
}

// The steps of a fit that is refined, or repeated with a narrower tube, are counted through and end at the
// objective of the problem. The trace's error comes back although the plane was certified already.
func TestTraceOfARefinedFit(t *testing.T) {
	enough := errors.New("enough")
	for k, draw := range []uint64{4, 13, 15} {
		r := rand.New(rand.NewPCG(draw, 1))
		n, p := 3+r.IntN(10), 1+r.IntN(30)
		x, y := lt.Normal(draw, n, p), make([]float64, n)
		for i := range y {
			y[i] = 1000 + x.At(i, 0)
		}
		o := SVROptions{Epsilon: 0.1 * float64(r.IntN(2)), C: math.Pow(10, 4+float64(r.IntN(12)))}
		for stop, done := 1, false; !done; stop++ {
			count, last := 0, optimize.Step{}
			o.Trace = func(s optimize.Step) error {
				if count++; s.Iteration < last.Iteration {
					t.Errorf("%d: step %d comes after %d", k, s.Iteration, last.Iteration)
				}
				if last = s; count == stop {
					return enough
				}
				return nil
			}
			m, err := FitSVR(x, y, &o)
			switch done = count < stop; {
			case done:
				lt.Close(t, "last objective", last.Objective, -m.Report().Objective(), 1e-3*m.Report().Objective())
				if n := m.Report().Iterations(); n != last.Iteration {
					t.Errorf("%d: %d iterations, and the last step is number %d", k, n, last.Iteration)
				}
			case !errors.Is(err, enough) || m.Report().Status() != optimize.Stopped:
				t.Errorf("%d: the trace's error at step %d came back as %v, %v", k, stop, err, m.Report())
			}
		}
	}
}
