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
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// clouds returns two normal clouds whose means are sep apart in each coordinate.
func clouds(seed uint64, n, p int, sep float64) (*linalg.Dense, []int) {
	x, y := linalgtest.Normal(seed, n, p), make([]int, n)
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
	linalgtest.CloseSlice(t, what, got.Normal(), want.Normal(), tol)
	linalgtest.Close(t, what+": intercept", got.Intercept(), want.Intercept(), tol)
}

type moreGolden struct {
	Three struct {
		Coef                     [][]float64
		Intercept                []float64
		Predicted, GridPredicted []int
		Grid                     [][]float64
	}
	Weighted struct {
		Dual, Intercept float64
		Coef            []float64
	}
	Liblinear struct {
		C, Intercept float64
		Coef         []float64
	}
	Regression []struct {
		Name                               string
		C, Epsilon, Dual, Slack, Intercept float64
		Coef                               []float64
		Support                            int
	}
}

func TestSVCThreeClassesVoteAsLIBSVM(t *testing.T) {
	var raw struct {
		Three struct {
			Coef          [][]float64
			Intercept     []float64
			Predicted     []int
			Grid          [][]float64
			GridPredicted []int `json:"grid_predicted"`
		}
	}
	linalgtest.Golden(t, "testdata/svc_more.json", &raw)
	g := raw.Three
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	m := mustSVC(t, x, y, nil)
	checkSVC(t, x, y, nil, m)
	got, err := m.PredictRows(nil, x)
	if err != nil || !slices.Equal(got, g.Predicted) {
		t.Errorf("predictions differ: %v", err)
	}
	grid := linalgtest.Rows(t, g.Grid...)
	if got, err = m.PredictRows(got[:0], grid); err != nil || !slices.Equal(got, g.GridPredicted) {
		t.Errorf("predictions on the grid differ: %v\n%v\n%v", err, got, g.GridPredicted)
	}
	// LIBSVM's decision is positive for the first class of a pair, ours for the later.
	coef, intercept := m.Coef()
	for k := range 3 {
		want := slices.Clone(g.Coef[k])
		linalg.Scale(want, -1)
		linalgtest.CloseSlice(t, "plane", coef.Row(k), want, 5e-5)
		linalgtest.Close(t, "intercept", intercept[k], -g.Intercept[k], 5e-5)
	}
	rest := mustSVC(t, x, y, &SVCOptions{Multi: OneVsRest})
	checkSVC(t, x, y, nil, rest)
	for i := range y {
		s := rest.Scores(nil, x.Row(i))
		if rest.Predict(x.Row(i)) != linalg.ArgMax(s) {
			t.Errorf("row %d: predicted %d, scores %v", i, rest.Predict(x.Row(i)), s)
		}
	}
	for k, c := range rest.Machines() {
		two := make([]int, len(y))
		for i, v := range y {
			if v == k {
				two[i] = 1
			}
		}
		samePlane(t, "one against the rest", c.Plane, mustSVC(t, x, two, nil).Machines()[0].Plane, 1e-8)
	}
}

func TestSVCClassWeightsAsLIBSVM(t *testing.T) {
	var g moreGolden
	linalgtest.Golden(t, "testdata/svc_more.json", &g)
	x, y := irisPair(t, 1, 2)
	m := mustSVC(t, x, y, &SVCOptions{ClassWeights: []float64{1, 5}})
	checkSVC(t, x, y, nil, m)
	linalgtest.Close(t, "objective", m.Report().Objective(), g.Weighted.Dual, 1e-8)
	w := make([]float64, len(y))
	for i := range w {
		w[i] = float64(4*(y[i]-1) + 1)
	}
	rows := mustSVC(t, x, y, &SVCOptions{Weights: w})
	samePlane(t, "row weights", rows.Machines()[0].Plane, m.Machines()[0].Plane, 1e-9)
}

// LIBLINEAR penalises the intercept as one more coefficient: its problem is ours
// without intercept on rows with a 1 appended.
func TestSVCExplainsLIBLINEAR(t *testing.T) {
	var g moreGolden
	linalgtest.Golden(t, "testdata/svc_more.json", &g)
	x, y := tableOf(t, "SAheart.csv", "chd")
	x = standardised(x)
	one := linalg.Zeros(x.Rows, x.Cols+1)
	for i := range x.Rows {
		copy(one.Row(i), x.Row(i))
		one.Row(i)[x.Cols] = 1
	}
	m := mustSVC(t, one, y, &SVCOptions{C: g.Liblinear.C, NoIntercept: true})
	checkSVC(t, one, y, nil, m)
	coef, _ := m.Coef()
	linalgtest.CloseSlice(t, "LIBLINEAR", coef.Row(0), append(g.Liblinear.Coef, g.Liblinear.Intercept), 1e-6)
	ours := mustSVC(t, x, y, &SVCOptions{C: g.Liblinear.C})
	own, intercept := ours.Coef()
	objective := func(beta []float64, b float64) float64 {
		s := linalg.Dot(beta, beta) / 2
		for i, v := range y {
			s += g.Liblinear.C * math.Max(0, 1-float64(2*v-1)*(b+linalg.Dot(beta, x.Row(i))))
		}
		return s
	}
	a, b := objective(own.Row(0), intercept[0]), objective(g.Liblinear.Coef, g.Liblinear.Intercept)
	if !(a < b) {
		t.Errorf("our objective %v, at LIBLINEAR's plane %v", a, b)
	}
}

func TestSVRAgainstLIBSVM(t *testing.T) {
	var g moreGolden
	linalgtest.Golden(t, "testdata/svc_more.json", &g)
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

// tubeData returns one column of a data set as response to others.
func tubeData(t *testing.T, name string) (*linalg.Dense, []float64) {
	x, column, scale := (*linalg.Dense)(nil), 3, 1.0
	if name == "age of SAheart" {
		x, _ = tableOf(t, "SAheart.csv", "chd")
		x, column, scale = standardised(x), 8, 10
	} else {
		x, _, _ = linalgtest.Table(t, "iris.csv", "species")
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
		if math.Abs(alpha[k]) > m.C()*(1+1e-12) {
			t.Errorf("|α*−α| = %g above C", alpha[k])
		}
	}
	dual -= linalg.Dot(beta, beta) / 2
	b := m.Plane()
	primal := linalg.Dot(b.beta, b.beta) / 2
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
	linalgtest.Close(t, "objective", m.Report().Objective(), primal, 1e-9)
	if math.Abs(balance) > 1e-9*m.C() {
		t.Errorf("Σ(α*−α) = %g", balance)
	}
}

func TestSVCByHand(t *testing.T) {
	// −1 and 1 with a point of the wrong label at 0.5. C = 1/4: everything at its
	// bound or balanced; worked out from the conditions.
	x := linalgtest.Rows(t, []float64{-1}, []float64{1}, []float64{0.5}, []float64{-0.5})
	y := []int{0, 1, 0, 1}
	m := mustSVC(t, x, y, &SVCOptions{C: 0.25})
	checkSVC(t, x, y, nil, m)
	// All α = C: β = ¼(1 + 1 − ½ − ½) = ¼, and b = 0 by symmetry: no row is free and b is
	// the middle of its interval.
	coef, intercept := m.Coef()
	linalgtest.CloseSlice(t, "coef", coef.Row(0), []float64{0.25}, 1e-12)
	linalgtest.CloseSlice(t, "intercept", intercept, []float64{0}, 1e-12)
	r, err := m.Conditions(0, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "ξ", r.Slack, []float64{0.75, 0.75, 1.125, 1.125}, 1e-12)
	linalgtest.CloseSlice(t, "α", r.Alpha, []float64{0.25, 0.25, 0.25, 0.25}, 1e-12)
	linalgtest.CloseSlice(t, "μ", r.Mu, []float64{0, 0, 0, 0}, 1e-12)
	if r.Misclassified != 2 || !slices.Equal(r.Case, []MarginCase{Inside, Inside, Inside, Inside}) {
		t.Errorf("%d misclassified, %v", r.Misclassified, r.Case)
	}
}

func TestSVCThreeCases(t *testing.T) {
	x, y := irisPair(t, 1, 2)
	m := mustSVC(t, x, y, nil)
	r, err := m.Conditions(0, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	var count [3]int
	for a, c := range r.Case {
		count[c]++
		switch {
		case c == Outside && (r.Margin[a] < 1 || r.Slack[a] != 0),
			c == OnMargin && math.Abs(r.Margin[a]-1) > 1e-9,
			c == Inside && r.Margin[a] > 1+1e-9:
			t.Errorf("row %d is %v with y·f = %v, ξ = %v", a, c, r.Margin[a], r.Slack[a])
		}
	}
	wrong := 0
	for i := range y {
		if m.Predict(x.Row(i)) != y[i] {
			wrong++
		}
	}
	if count[OnMargin] == 0 || count[OnMargin]+count[Inside] != len(m.Support()) || r.Misclassified != wrong {
		t.Errorf("cases %v, support %d, misclassified %d, wrong %d", count, len(m.Support()), r.Misclassified, wrong)
	}
}

// Weak duality: any feasible α is below any plane. Strong: they meet.
func TestSVCDuality(t *testing.T) {
	x, y := clouds(3, 80, 3, 0.5)
	m := mustSVC(t, x, y, nil)
	best := m.Report().Objective()
	for step := range 20 {
		a := float64(step) / 20
		beta, dual := make([]float64, 3), 0.0
		for i, v := range y {
			linalg.Axpy(beta, a*float64(2*v-1), x.Row(i)) // Σαy = 0: the classes are of one size
			dual += a
		}
		if dual -= linalg.Dot(beta, beta) / 2; dual > best {
			t.Errorf("dual %v above the optimum %v", dual, best)
		}
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
	linalgtest.Close(t, "objective", best*c, m.Report().Objective(), 1e-10)
	if lowest < best*(1-1e-12) || lowest > best*1.001 {
		t.Errorf("subgradient descent came to %v, the optimum is %v", lowest, best)
	}
}

func TestSVCWeightsAreRepeatedRows(t *testing.T) {
	x, y := clouds(5, 60, 2, 0.7)
	w := make([]float64, len(y))
	var rows [][]float64
	var labels []int
	for i := range w {
		w[i] = float64(i % 4)
		for range i % 4 {
			rows, labels = append(rows, x.Row(i)), append(labels, y[i])
		}
	}
	m := mustSVC(t, x, y, &SVCOptions{Weights: w})
	checkSVC(t, x, y, w, m)
	again := mustSVC(t, linalgtest.Rows(t, rows...), labels, nil)
	samePlane(t, "repeated", again.Machines()[0].Plane, m.Machines()[0].Plane, 1e-8)
}

func TestSVCHardCases(t *testing.T) {
	x, y := clouds(6, 100, 3, 0.4)
	far, big := x.Clone(), x.Clone()
	for i := range x.Data {
		far.Data[i] += 1e8
		big.Data[i] *= 1e8
	}
	twice := linalg.Zeros(200, 3)
	both := make([]int, 200)
	for i := range 200 {
		copy(twice.Row(i), x.Row(i/2))
		both[i] = i % 2
	}
	same := linalg.Zeros(10, 2)
	for i := range same.Data {
		same.Data[i] = 3
	}
	apart, ya := irisPair(t, 0, 1)
	bigApart := apart.Clone()
	linalg.Scale(bigApart.Data, 1e8)
	for name, c := range map[string]struct {
		x *linalg.Dense
		y []int
		c float64
	}{
		"duplicates with both labels": {twice, both, 1},
		"and C = 1e12":                {twice, both, 1e12},
		"all points equal":            {same, []int{0, 1, 1, 0, 1, 0, 0, 1, 0, 0}, 1},
		"C = 1e12 on overlap":         {x, y, 1e12},
		"features ×1e8":               {big, y, 1},
		"features ×1e8, separable":    {bigApart, ya, 1},
		"means of 1e8":                {far, y, 1},
		"one point a class":           {linalgtest.Rows(t, []float64{1, 0}, []float64{0, 1}), []int{0, 1}, 1},
		"C = 1e-12: all at bound":     {x, y, 1e-12},
		"separable, C = 1e12":         {apart, ya, 1e12},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := FitSVC(c.x, c.y, &SVCOptions{C: c.c})
			if err != nil {
				t.Fatal(err)
			}
			checkSVC(t, c.x, c.y, nil, m)
		})
	}
	// A separable problem with a large C is the hard margin; so is one of features ×1e8.
	hard, err := FitHardMargin(apart, ya, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := hard.Machines()[0].Plane
	samePlane(t, "hard margin", mustSVC(t, apart, ya, &SVCOptions{C: 1e12}).Machines()[0].Plane, want, 1e-8)
	scaled, err := mustSVC(t, bigApart, ya, nil).Machines()[0].Plane.Scaled(1)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range scaled.Normal() {
		linalgtest.Close(t, "×1e8", v*1e8, want.Normal()[j], 1e-8)
	}
}

// Small integer coordinates give ties, duplicates, points on one line and no free
// support vector; C and scales vary as widely as the certificate can be checked.
func TestSVCOnSmallIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	for range 1500 {
		n, p, top := 2+rng.IntN(20), 1+rng.IntN(6), 2+rng.IntN(4)
		x, y, r := linalg.Zeros(n, p), make([]int, n), make([]float64, n)
		for i := range x.Data {
			x.Data[i] = float64(rng.IntN(top))
		}
		for i := range y {
			y[i], r[i] = rng.IntN(2), float64(rng.IntN(5))
		}
		y[0], y[1] = 0, 1
		c := math.Pow(10, float64(rng.IntN(9)-3))
		m, err := FitSVC(x, y, &SVCOptions{C: c, NoIntercept: rng.IntN(4) == 0})
		if err != nil {
			t.Fatalf("x %v, y %v, C %g: %v", x, y, c, err)
		}
		checkSVC(t, x, y, nil, m)
		s, err := FitSVR(x, r, &SVROptions{C: min(c, 1e3), Epsilon: []float64{0, 0.1, 1}[rng.IntN(3)]})
		if err != nil {
			t.Fatalf("x %v, y %v, C %g: %v", x, r, c, err)
		}
		checkSVR(t, x, r, s)
		if t.Failed() {
			t.Fatalf("x %v, y %v, r %v, C %g, ε %g", x, y, r, c, s.Epsilon())
		}
	}
}

func TestSVCManyRowsFewSupportVectors(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 5_000
	}
	x, y := thin(n)
	m := mustSVC(t, x, y, &SVCOptions{C: 1e4})
	checkSVC(t, x, y, nil, m)
	if !slices.Equal(m.Support(), []int{0, 1, 3}) {
		t.Errorf("support %v", m.Support())
	}
}

func TestSVCPathIsTheFits(t *testing.T) {
	x, y := clouds(7, 300, 5, 0.4)
	cs := []float64{0.001, 0.01, 0.03, 0.1, 1, 10, 0.5}
	path, err := SVCPath(x, y, cs, nil)
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

func TestSVCProbabilities(t *testing.T) {
	x, y := clouds(8, 400, 2, 1)
	o := &SVCOptions{Probability: true, Seed: 3}
	m := mustSVC(t, x, y, o)
	again := mustSVC(t, x, y, o)
	if !reflect.DeepEqual(m.platt, again.platt) {
		t.Error("the same seed, another sigmoid")
	}
	loss, base := 0.0, 0.0
	for i, v := range y {
		p := m.Proba(nil, x.Row(i))
		linalgtest.Close(t, "sum", p[0]+p[1], 1, 1e-15)
		loss -= math.Log(p[v])
		base += math.Ln2
	}
	if loss > 0.8*base {
		t.Errorf("log-loss %g, of a coin %g", loss, base)
	}
	if p := mustSVC(t, x, y, nil).Proba(nil, x.Row(0)); !math.IsNaN(p[0]) {
		t.Errorf("probabilities nobody asked for: %v", p)
	}
	xi, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	yi, _ := linalgtest.Codes(labels)
	for _, multi := range []Multi{OneVsOne, OneVsRest} {
		m := mustSVC(t, xi, yi, &SVCOptions{Probability: true, Multi: multi})
		wrong := 0
		for i := range yi {
			p := m.Proba(nil, xi.Row(i))
			linalgtest.Close(t, "sum", p[0]+p[1]+p[2], 1, 1e-9)
			if linalg.ArgMax(p) != yi[i] {
				wrong++
			}
		}
		if wrong > 15 {
			t.Errorf("%v: the most probable class is wrong for %d", multi, wrong)
		}
	}
}

// The sigmoid's targets and stationarity, recomputed.
func TestSigmoidIsStationary(t *testing.T) {
	score := []float64{-2, -1, 0.5, 1, 3, -0.2}
	sign := []float64{-1, -1, -1, 1, 1, 1}
	s, err := fitSigmoid(score, sign, nil)
	if err != nil {
		t.Fatal(err)
	}
	ga, gb := 0.0, 0.0
	for i, f := range score {
		target := 0.2
		if sign[i] > 0 {
			target = 0.8
		}
		ga += (s.prob(f) - target) * f
		gb += s.prob(f) - target
	}
	if math.Abs(ga) > 1e-6 || math.Abs(gb) > 1e-6 || s.A >= 0 {
		t.Errorf("%+v: gradient %g, %g", s, ga, gb)
	}
}

// Pairwise probabilities that agree with one another are those of their p.
func TestCouplingRecoversConsistentProbabilities(t *testing.T) {
	want := []float64{0.2, 0.3, 0.5}
	m := &SVC{machines: machines{classes: []int{0, 1, 2}}}
	for a := range 3 {
		for b := a + 1; b < 3; b++ {
			m.list = append(m.list, Machine{Plane: &Plane{beta: []float64{0}}})
			m.platt = append(m.platt, sigmoid{0, math.Log(want[a] / want[b])})
		}
	}
	linalgtest.CloseSlice(t, "p", m.Proba(nil, []float64{1}), want, 1e-9)
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
}

func TestSVCBadInput(t *testing.T) {
	x := linalgtest.Rows(t, []float64{0}, []float64{1}, []float64{2})
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
		"NaN":           {linalgtest.Rows(t, []float64{0}, []float64{nan}, []float64{1}), y, nil, &finite},
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
	if _, err := m.PredictRows(nil, linalgtest.Rows(t, []float64{1, 2})); !errors.As(err, &shape) {
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
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	for _, o := range []*SVCOptions{nil, {Multi: OneVsRest, C: 3, ClassWeights: []float64{1, 2, 3}}, {Probability: true}} {
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
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	m := mustSVC(t, x, y, &SVCOptions{Probability: true})
	dst, row := make([]float64, 0, 3), x.Row(0)
	if n := testing.AllocsPerRun(100, func() {
		m.Predict(row)
		m.Scores(dst, row)
		m.Proba(dst, row)
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func TestSVRByHand(t *testing.T) {
	// Three points of a line of slope 1 within a tube of ½: the flattest f that stays
	// in it has slope ½ and passes ½ below the last and ½ above the first.
	x := linalgtest.Rows(t, []float64{0}, []float64{1}, []float64{2})
	m, err := FitSVR(x, []float64{0, 1, 2}, &SVROptions{C: 100, Epsilon: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	checkSVR(t, x, []float64{0, 1, 2}, m)
	coef, intercept := m.Coef()
	linalgtest.CloseSlice(t, "coef", coef.Row(0), []float64{0.5}, 1e-10)
	linalgtest.CloseSlice(t, "intercept", intercept, []float64{0.5}, 1e-10)
	linalgtest.CloseSlice(t, "α*−α", m.Multipliers(), []float64{-0.25, 0.25}, 1e-10)
	if !slices.Equal(m.Support(), []int{0, 2}) {
		t.Errorf("support %v", m.Support())
	}
	// A tube as wide as the data needs no slope at all.
	m, err = FitSVR(x, []float64{0, 1, 2}, &SVROptions{Epsilon: 1})
	if err != nil {
		t.Fatal(err)
	}
	coef, intercept = m.Coef()
	linalgtest.CloseSlice(t, "coef", coef.Row(0), []float64{0}, 1e-10)
	linalgtest.CloseSlice(t, "intercept", intercept, []float64{1}, 1e-10)
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
	z := linalgtest.Rows(t, rows...)
	m, err := FitSVR(z, again, &SVROptions{Epsilon: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	samePlane(t, "weights", m.Plane(), want.Plane(), 1e-8)
	if m, err = FitSVR(z, moved, &SVROptions{Epsilon: 0.1}); err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "far", m.Plane().Normal(), want.Plane().Normal(), 1e-6)
	linalgtest.Close(t, "far", m.Plane().Intercept(), want.Plane().Intercept()+1e6, 1e-9)
}

// One row far outside moved the origin of both columns, and multipliers that broke
// Σαy = 0 by 1e-7 passed for a bound. The plane is that of rows 2 and 3: their
// difference is (0, 2), so ‖β‖ = 1 and the objective ½.
func TestSVCFarRowAndConstantColumn(t *testing.T) {
	x := linalgtest.Rows(t, []float64{-1, 2}, []float64{-1, 2}, []float64{-1, -1}, []float64{-1, -3}, []float64{-1, 2}, []float64{-1, 1.00000001e8})
	m, err := FitSVC(x, []int{0, 0, 0, 1, 0, 0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "objective", m.Report().Objective(), 0.5, 1e-8)
	coef, _ := m.Coef()
	linalgtest.CloseSlice(t, "plane", coef.Row(0), []float64{0, -1}, 1e-7)
	linalgtest.CloseSlice(t, "multipliers", m.Machines()[0].Multipliers, []float64{.5, .5}, 1e-7)
}

// Multipliers that are not the model's break the conditions by name.
func TestSVCConditionsNoticeOtherMultipliers(t *testing.T) {
	x, y := clouds(8, 80, 2, 0.3)
	m := mustSVC(t, x, y, nil)
	k, err := m.Conditions(0, x, y, nil)
	if err != nil || k.ComplementarySlackness > 1e-8 || k.Stationarity > 1e-8 {
		t.Fatalf("%+v, %v", k, err)
	}
	c := &m.list[0]
	worst, most := 0, 0.0
	for at, i := range c.Support {
		if k.Slack[i] > most {
			worst, most = at, k.Slack[i]
		}
	}
	c.Multipliers[worst] /= 2 // α = C/2, so μ = C/2 meets a slack
	if k, err = m.Conditions(0, x, y, nil); err != nil || math.Abs(k.ComplementarySlackness-most/2) > 1e-8 || k.Stationarity < 1e-4 {
		t.Errorf("μξ = %g, want %g; stationarity %g, %v", k.ComplementarySlackness, most/2, k.Stationarity, err)
	}
}

// What Σαy misses 0 by is worth at least that much of the dual.
func TestSVCCertificateChargesTheBalance(t *testing.T) {
	x := linalgtest.Rows(t, []float64{-2}, []float64{-1}, []float64{1}, []float64{2})
	sign, price := []float64{-1, -1, 1, 1}, []float64{1, 1, 1, 1}
	q := &qp.Linear{X: x, Sign: sign}
	plane, err := NewPlane([]float64{1}, 0) // the hard margin, α = ½ at ±1
	if err != nil {
		t.Fatal(err)
	}
	for _, miss := range []float64{0, 1e-5} {
		e := newSoftGap(q, price, []float64{0, .5, .5 + miss, 0}, false).evidence(plane)
		linalgtest.Close(t, "gap", relativeGap(e.primal, e.dual), miss, 1e-9)
	}
}

// A slack of a rounding error costs 1e-3 where C is 1e12: the plane is published
// with that row on the margin, and neither the given plane nor the multipliers
// change while it is judged.
func TestSVCPublishesThePlaneOfTheSmallerGap(t *testing.T) {
	x := linalgtest.Rows(t, []float64{-2}, []float64{-1}, []float64{1}, []float64{2})
	q := &qp.Linear{X: x, Sign: []float64{-1, -1, 1, 1}}
	alpha := []float64{0, .5, .5, 0}
	for _, c := range []struct{ price, short, published float64 }{{1e12, 1e-15, 1 + 1e-15 + 1e-14}, {1, 1e-15, 1 - 1e-15}, {1e12, 0.1, 0.9}} {
		price := []float64{c.price, c.price, c.price, c.price}
		given, err := NewPlane([]float64{1 - c.short}, 0)
		if err != nil {
			t.Fatal(err)
		}
		g := newSoftGap(q, price, alpha, false)
		e := publish(g, given, 1e-8)
		linalgtest.Close(t, "β", e.plane.beta[0], c.published, 5e-16)
		if again := g.evidence(e.plane); again.primal != e.primal || again.dual != e.dual {
			t.Errorf("price %g: published with %g and %g, the plane has %g and %g", c.price, e.primal, e.dual, again.primal, again.dual)
		}
		if given.beta[0] != 1-c.short || alpha[1] != .5 {
			t.Errorf("price %g: judging changed the plane to %v, the multipliers to %v", c.price, given, alpha)
		}
	}
}

// Columns as tables have them: means of 1e5, heavy tails, scales from 1e-6 to 1e6,
// a trend. The normal equations of the interior point are singular to rounding
// here, and the solution is one of many.
func TestSVCColumnsAsTheyAre(t *testing.T) {
	for _, size := range []struct{ n, p int }{{300, 12}, {2000, 4}, {2000, 12}} {
		for _, seed := range []uint64{1, 7, 9} {
			if testing.Short() && size.n > 300 {
				continue
			}
			r := rand.New(rand.NewPCG(seed, 5))
			x, y := linalg.Zeros(size.n, size.p), make([]int, size.n)
			for i := range y {
				y[i] = r.IntN(2)
				for j := range size.p {
					v := r.NormFloat64()
					x.Set(i, j, []float64{1e5 + v, math.Exp(3 * v), 1e-6 * v, 1e6 * r.Float64(), 1e4 + float64(i), v}[j%6])
				}
				if x.At(i, 1) > 1 {
					y[i] = 1
				}
			}
			last := 0
			o := &SVCOptions{Trace: func(s optimize.Step) error {
				if s.Iteration < last {
					t.Errorf("%d × %d, seed %d: iteration %d after %d", size.n, size.p, seed, s.Iteration, last)
				}
				last = s.Iteration
				return nil
			}}
			if _, err := FitSVC(x, y, &SVCOptions{C: 100, Trace: o.Trace}); err != nil && !errors.Is(err, optimize.ErrNotConverged) {
				t.Error(err)
			}
			last = 0
			m := mustSVC(t, x, y, o)
			if got := m.Report().Iterations(); got != last || got > 2000 {
				t.Errorf("%d × %d, seed %d: %d iterations, the last that was shown is %d", size.n, size.p, seed, got, last)
			}
			c := m.Machines()[0]
			sign, price := make([]float64, size.n), make([]float64, size.n)
			for i, v := range y {
				sign[i], price[i] = float64(2*v-1), 1
			}
			origin := c.Plane.Origin()
			coef, _ := linalg.NewDense(1, size.p, c.Plane.Normal())
			plane := linalgtest.Affine{Coef: coef, At: []float64{c.Plane.Value(origin)}, Origin: origin}
			f := linalgtest.SoftMargin(x, sign, price, false, plane, linalgtest.Dual{Support: c.Support, Multipliers: c.Multipliers})
			if !(f.Gap <= 2e-8 && f.Balance <= 1e-6 && f.Box <= 1e-12) {
				t.Errorf("%d × %d, seed %d: %+v", size.n, size.p, seed, f)
			}
		}
	}
}
