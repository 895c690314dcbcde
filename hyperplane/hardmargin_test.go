package hyperplane

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// checkHard recomputes margin and duality gap of each machine from its plane, its
// multipliers and the data.
func checkHard(t *testing.T, x *linalg.Dense, y []int, m *HardMargin) {
	t.Helper()
	for _, c := range m.Machines() {
		least := math.Inf(1)
		for i, v := range y {
			if s := signOf(v, &c); s != 0 {
				least = min(least, s*c.Plane.Value(x.Row(i)))
			}
		}
		if !(math.Abs(least-1) <= 1e-6) {
			t.Errorf("the closest row has y·f = %v", least)
		}
		origin := x.Row(c.Support[0]) // Σαy = 0 lets any origin do, and a near one keeps digits
		beta, sum, balance := make([]float64, x.Cols), 0.0, 0.0
		for k, i := range c.Support {
			a := c.Multipliers[k] * signOf(y[i], &c)
			for j, v := range x.Row(i) {
				beta[j] += a * (v - origin[j])
			}
			sum += c.Multipliers[k]
			balance += a
		}
		if !(math.Abs(balance) <= 1e-12*sum) {
			t.Errorf("Σαy = %g of Σα = %g", balance, sum)
		}
		primal := linalg.Dot(c.Plane.beta(), c.Plane.beta()) / 2 / least / least
		dual := sum - linalg.Dot(beta, beta)/2
		if gap := (primal - dual) / primal; !(math.Abs(gap) <= 1e-8) {
			t.Errorf("primal %v, dual %v: gap %g", primal, dual, gap)
		}
		if !c.Report.Certificate().Holds() || c.Report.Status() != optimize.Converged {
			t.Errorf("report %+v", c.Report)
		}
	}
}

// checkInfeasible recomputes the two combinations.
func checkInfeasible(t *testing.T, x *linalg.Dense, y []int, err error) *InfeasibleError {
	t.Helper()
	var e *InfeasibleError
	if !errors.As(err, &e) {
		t.Fatalf("error %v", err)
	}
	d, size := make([]float64, x.Cols), 0.0
	for _, side := range []struct {
		rows   []int
		weight []float64
		sign   float64
	}{{e.Positive, e.PositiveWeights, 1}, {e.Negative, e.NegativeWeights, -1}} {
		sum := 0.0
		for k, i := range side.rows {
			if signOf(y[i], &e.Machine) != side.sign || !(side.weight[k] > 0) {
				t.Errorf("row %d with weight %g on side %g", i, side.weight[k], side.sign)
			}
			sum += side.weight[k]
			linalg.Axpy(d, side.weight[k]*side.sign, x.Row(i))
			size = max(size, linalg.NormInf(x.Row(i)))
		}
		linalgtest.Close(t, "sum of the weights", sum, 1, 1e-12)
	}
	if linalg.NormInf(d) > 1e-14*size || e.Distance > 1e-14 {
		t.Errorf("the combinations differ by %g of %g, stated %g", linalg.NormInf(d), size, e.Distance)
	}
	if err := e.Verify(x, y, nil); err != nil {
		t.Error(err)
	}
	return e
}

func TestHardMarginByHand(t *testing.T) {
	// (1,1), (2,2), (2,0) against (0,0), (1,0), (0,1): a standard example. The
	// plane is x₁ + x₂ = 3/2, the margin √2/4.
	x := linalgtest.Rows(t, []float64{1, 1}, []float64{2, 2}, []float64{2, 0}, []float64{0, 0}, []float64{1, 0}, []float64{0, 1})
	y := []int{1, 1, 1, 0, 0, 0}
	m, err := FitHardMargin(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkHard(t, x, y, m)
	coef, intercept := m.Coef()
	linalgtest.CloseSlice(t, "coef", coef.Row(0), []float64{2, 2}, 1e-12)
	linalgtest.CloseSlice(t, "intercept", intercept, []float64{-3}, 1e-12)
	linalgtest.Close(t, "margin", m.Margin(), math.Sqrt2/4, 1e-12)
	linalgtest.Close(t, "slab", m.Machines()[0].Plane.Slab(), math.Sqrt2/2, 1e-12)
	g, err := m.Machines()[0].Plane.Margins(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "d₊", g.Plus, math.Sqrt2/4, 1e-12)
	linalgtest.Close(t, "d₋", g.Minus, math.Sqrt2/4, 1e-12)
}

// Small integer coordinates give ties, duplicates and points on one line.
func TestHardMarginOnSmallIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	apart, meet := 0, 0
	for range 3000 {
		n, p, top := 2+rng.IntN(9), 1+rng.IntN(4), 2+rng.IntN(4)
		x, y := linalg.Zeros(n, p), make([]int, n)
		for i := range x.Data {
			x.Data[i] = float64(rng.IntN(top))
		}
		for i := range y {
			y[i] = rng.IntN(2)
		}
		y[0], y[1] = 0, 1
		m, err := FitHardMargin(x, y, nil)
		if err == nil {
			checkHard(t, x, y, m)
			apart++
		} else {
			checkInfeasible(t, x, y, err)
			meet++
		}
		if t.Failed() {
			t.Fatalf("x %v, y %v", x, y)
		}
	}
	t.Logf("%d separable, %d not", apart, meet)
}

func TestHardMarginKeepsItsPlaneWithoutOtherRows(t *testing.T) {
	x, y := irisPair(t, 0, 2)
	m, err := FitHardMargin(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkHard(t, x, y, m)
	support := m.Support()
	for name, keep := range map[string]func(i int) bool{
		"support alone": func(i int) bool { return slices.Contains(support, i) },
		"half":          func(i int) bool { return i%2 == 0 || slices.Contains(support, i) },
	} {
		x2, y2 := linalgtest.Select(x, y, keep)
		m2, err := FitHardMargin(x2, y2, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := make([]float64, len(y))
		for i := range w {
			if keep(i) {
				w[i] = 3
			}
		}
		m3, err := FitHardMargin(x, y, &HardMarginOptions{Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range []*HardMargin{m2, m3} {
			a, b := m.Machines()[0].Plane, other.Machines()[0].Plane
			linalgtest.CloseSlice(t, name, b.Normal(), a.Normal(), 1e-10)
			linalgtest.Close(t, name, b.Intercept(), a.Intercept(), 1e-10)
		}
	}
}

func TestHardMarginFarAndLarge(t *testing.T) {
	x, y := irisPair(t, 0, 1)
	want, err := FitHardMargin(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ scale, shift, tol float64 }{
		"×1e8":      {1e8, 0, 1e-9},
		"×1e-8":     {1e-8, 0, 1e-9},
		"×1e130":    {1e130, 0, 1e-9},
		"mean 1e8":  {1, 1e8, 1e-6},
		"mean −1e6": {1, -1e6, 1e-8},
	} {
		z := x.Clone()
		for i := range z.Data {
			z.Data[i] = z.Data[i]*c.scale + c.shift
		}
		m, err := FitHardMargin(z, y, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		linalgtest.Close(t, name, m.Margin()/c.scale, want.Margin(), c.tol)
	}
}

func TestHardMarginOfFewPoints(t *testing.T) {
	x := linalgtest.Rows(t, []float64{3, -1}, []float64{0, 3})
	m, err := FitHardMargin(x, []int{7, -2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "one point a class", m.Margin(), 2.5, 1e-12)
	for name, rows := range map[string][][]float64{
		"all points equal":       {{1, 2}, {1, 2}, {1, 2}, {1, 2}},
		"all points 0":           {{0, 0}, {0, 0}, {0, 0}, {0, 0}},
		"duplicates both labels": {{1, 2}, {1, 2}, {5, 2}, {-5, 2}},
		"between":                {{1, 1}, {0, 0}, {-1, -1}, {9, 9}},
	} {
		x := linalgtest.Rows(t, rows...)
		_, err := FitHardMargin(x, []int{0, 1, 0, 1}, nil)
		if name == "between" {
			_, err = FitHardMargin(x, []int{0, 1, 0, 0}, nil)
			checkInfeasible(t, x, []int{0, 1, 0, 0}, err)
			continue
		}
		checkInfeasible(t, x, []int{0, 1, 0, 1}, err)
	}
}

// thin returns n rows of which 3 are closest to the plane x₁ = 0.
func thin(n int) (*linalg.Dense, []int) {
	x, y := linalgtest.Normal(9, n, 3), make([]int, n)
	for i := range y {
		y[i] = i % 2
		x.Row(i)[0] = float64(2*y[i]-1) * (2 + math.Abs(x.At(i, 0)))
	}
	copy(x.Row(0), []float64{-1, 0, 0})
	copy(x.Row(1), []float64{1, 3, 0})
	copy(x.Row(3), []float64{1, -3, 0})
	return x, y
}

func TestHardMarginThreeSupportVectorsOfMany(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 5_000
	}
	x, y := thin(n)
	m, err := FitHardMargin(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkHard(t, x, y, m)
	if !slices.Equal(m.Support(), []int{0, 1, 3}) {
		t.Errorf("support %v", m.Support())
	}
	linalgtest.Close(t, "margin", m.Margin(), 1, 1e-12)
	linalgtest.CloseSlice(t, "α", m.Machines()[0].Multipliers, []float64{0.5, 0.25, 0.25}, 1e-12)
}

func TestHardMarginOverlapHasEvidence(t *testing.T) {
	n := 2000
	x, y := linalgtest.Normal(1, n, 20), make([]int, n)
	for i := range y {
		y[i] = i % 2
	}
	_, err := FitHardMargin(x, y, nil)
	checkInfeasible(t, x, y, err)
}

// Evidence is judged on as many weights as there are labels.
func TestInfeasibleVerifiesAsManyWeightsAsLabels(t *testing.T) {
	x, y := linalgtest.Rows(t, []float64{0}, []float64{1}, []float64{2}), []int{0, 1, 0}
	_, err := FitHardMargin(x, y, nil)
	e := checkInfeasible(t, x, y, err)
	for n, want := range map[int]bool{0: false, 2: false, 3: true, 4: false} {
		weights := slices.Repeat([]float64{1}, n)
		var shape *linalg.ShapeError
		if err := e.Verify(x, y, weights); (err == nil) != want || !want && (!errors.As(err, &shape) || shape.Want != 3 || shape.Got != n) {
			t.Errorf("%d weights: %v", n, err)
		}
	}
}

func TestHardMarginOfThreeClasses(t *testing.T) {
	x := linalgtest.Rows(t, []float64{0, 0}, []float64{0, 1}, []float64{5, 0}, []float64{5, 1}, []float64{2, 9}, []float64{3, 8})
	y := []int{3, 3, 5, 5, 9, 9}
	for _, multi := range []Multi{OneVsOne, OneVsRest} {
		m, err := FitHardMargin(x, y, &HardMarginOptions{Multi: multi})
		if err != nil {
			t.Fatal(err)
		}
		checkHard(t, x, y, m)
		got, err := m.PredictRows(nil, x)
		if err != nil || !slices.Equal(got, y) {
			t.Errorf("%v: %v, %v", multi, got, err)
		}
		if len(m.Machines()) != 3 {
			t.Errorf("%d machines", len(m.Machines()))
		}
	}
	xi, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	yi, _ := linalgtest.Codes(labels)
	_, err := FitHardMargin(xi, yi, nil)
	if e := checkInfeasible(t, xi, yi, err); e.Machine.Negative != 1 || e.Machine.Positive != 2 {
		t.Errorf("%v", err)
	}
}

func TestHardMarginStops(t *testing.T) {
	x, y := irisPair(t, 0, 1)
	m, err := FitHardMargin(x, y, &HardMarginOptions{MaxIter: 1})
	if !errors.Is(err, optimize.ErrNotConverged) || m == nil || m.Report().Status() != optimize.MaxIterations {
		t.Errorf("cap: %v", err)
	}
	enough := errors.New("enough")
	m, err = FitHardMargin(x, y, &HardMarginOptions{Trace: func(s optimize.Step) error {
		if s.Iteration >= 1 {
			return enough
		}
		return nil
	}})
	if !errors.Is(err, enough) || m == nil || m.Report().Status() != optimize.Stopped || m.Report().Iterations() > 3 {
		t.Errorf("trace: %v", err)
	}
}

func TestHardMarginBadInput(t *testing.T) {
	x := linalgtest.Rows(t, []float64{0}, []float64{1})
	y := []int{0, 1}
	var shape *linalg.ShapeError
	var finite *linalg.NonFiniteError
	var class *linalg.ClassError
	for name, c := range map[string]struct {
		x  *linalg.Dense
		y  []int
		o  *HardMarginOptions
		as any
	}{
		"no x":         {nil, y, nil, &shape},
		"labels":       {x, []int{0, 1, 1}, nil, &shape},
		"one class":    {x, []int{1, 1}, nil, &class},
		"class absent": {x, y, &HardMarginOptions{Classes: []int{0, 1, 2}}, &class},
		"weights":      {x, y, &HardMarginOptions{Weights: []float64{1}}, &shape},
		"NaN weight":   {x, y, &HardMarginOptions{Weights: []float64{1, math.NaN()}}, &finite},
		"NaN":          {linalgtest.Rows(t, []float64{0}, []float64{math.NaN()}), y, nil, &finite},
	} {
		m, err := FitHardMargin(c.x, c.y, c.o)
		if m != nil || !errors.As(err, c.as) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, o := range []*HardMarginOptions{{Tol: -1}, {MaxIter: -1}, {Workers: -1}, {Multi: 9}, {Weights: []float64{1, -1}}} {
		if m, err := FitHardMargin(x, y, o); m != nil || err == nil {
			t.Errorf("%+v accepted", o)
		}
	}
}

func TestHardMarginRecord(t *testing.T) {
	x, y := irisPair(t, 0, 1)
	m, err := FitHardMargin(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back HardMargin
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(m, &back) {
		t.Errorf("%+v became %+v", m, &back)
	}
}

// Features of a thousandth and of thousands, as measurements in different units are:
// the margin is 1e-8 of the rows' lengths, and inner products of rows hold none of
// its digits.
func TestHardMarginOfUnscaledFeatures(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	const n, p = 300, 20
	x, y := linalg.Zeros(n, p), make([]int, n)
	for i := range n {
		for f := 0.0; math.Abs(f) < 0.5; {
			f = 0
			for j, v := range x.Row(i) {
				v = r.NormFloat64()
				f += v * math.Cos(float64(j))
				x.Set(i, j, v*math.Pow(10, -3+float64(j)/3))
			}
			y[i] = 0
			if f > 0 {
				y[i] = 1
			}
		}
	}
	m, err := FitHardMargin(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if share := m.Margin() / 5000; !(share > 1e-8 && share < 1e-6) {
		t.Errorf("margin %v", m.Margin())
	}
	c := m.Machines()[0]
	sign := make([]float64, n)
	for i, v := range y {
		sign[i] = float64(2*v - 1)
	}
	origin, at := c.Plane.Origin(), c.Plane.Value(c.Plane.Origin())
	f := linalgtest.Affine{Coef: &linalg.Dense{Rows: 1, Cols: p, Stride: p, Data: c.Plane.beta()}, At: []float64{at}, Origin: origin}
	if gap := linalgtest.HardMargin(x, sign, false, f, linalgtest.Dual{Support: c.Support, Multipliers: c.Multipliers}); !(gap <= 1e-8) {
		t.Errorf("recomputed gap %g", gap)
	}
}

// Labels at random on many columns are told to overlap before the hulls' nearest points meet, which
// takes about as many steps as there are columns.
func TestHardMarginEndsEarlyWhereManyColumnsOverlap(t *testing.T) {
	const cols = 90
	x := linalgtest.Normal(3, 4*cols, cols)
	y := make([]int, x.Rows)
	for i := range y {
		y[i] = i * i % 7 % 2
	}
	steps := 0
	_, err := FitHardMargin(x, y, &HardMarginOptions{Trace: func(s optimize.Step) error { steps = s.Iteration; return nil }})
	if e := checkInfeasible(t, x, y, err); len(e.Positive)+len(e.Negative) != x.Rows || steps > cols*2/3 {
		t.Errorf("%v, after %d steps", e, steps)
	}
}

// Whether a plane separates the rows does not depend on the basis of the columns.
func TestAnotherBasisHasTheSameVerdict(t *testing.T) {
	verdicts := map[string]int{}
	answer := func(err error) string {
		var e *InfeasibleError
		switch {
		case err == nil || errors.Is(err, optimize.ErrNotConverged):
			return "separated"
		case errors.As(err, &e):
			return "not separated"
		}
		return err.Error()
	}
	rounds := linalgtest.Rounds(150, 2000)
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 15))
		x, y := linalgtest.Dyadic(r, 6+r.IntN(20), 2+r.IntN(3)), []int(nil)
		for i := range x.Rows {
			y = append(y, i%2)
			x.Set(i, 0, x.At(i, 0)+float64(i%2*r.IntN(8)))
		}
		_, err := FitHardMargin(x, y, nil)
		_, other := FitHardMargin(linalgtest.Mixed(t, r, x), y, nil)
		if answer(err) != answer(other) {
			t.Errorf("seed %d: %v, in the other basis %v", seed, err, other)
		}
		verdicts[answer(err)]++
	}
	if few := rounds / 4; verdicts["separated"] < few || verdicts["not separated"] < few || len(verdicts) > 2 {
		t.Errorf("verdicts %v", verdicts)
	}
}
