package hyperplane

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/optimize"
	"halfspace/qp"
	"halfspace/qp/separation"
)

// The multipliers that a plane implies are the best with those at 0 or the price that are not
// among its nearest rows: of few rows, the best of all.
func TestImpliedMultipliersAreTheBestNearTheEdge(t *testing.T) {
	doubled := 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 71))
		n, p := []int{6, 8, 30}[seed%3], 1+int(seed/3%3)
		x, sign, price, gain, slack := lt.Normal(seed, n, p), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		plane := planeAt(lt.Normal(seed+1, 1, p).Data, nil, r.NormFloat64())
		s := &solver{noIntercept: seed%5 == 0}
		both := seed%4 == 3
		for i := range n {
			sign[i], price[i], gain[i] = float64(2*(i%2)-1), float64(1+r.IntN(3)), 1
			if r.IntN(6) == 0 {
				price[i] = 0
			}
			if both {
				sign[i], gain[i] = 1, r.NormFloat64()
			}
			slack[i] = gain[i] - sign[i]*plane.Value(x.Row(i))
			if seed%7 == 1 && i < n/2 {
				slack[i] = 1e-4 * r.Float64() // all these are near
			}
		}
		price[0], price[1] = 1, 2
		q := &qp.Linear{X: x, Sign: sign}
		alpha, err := s.impliedMultipliers(&sides{q: q, price: price, gain: gain, slack: slack, both: both})
		if err != nil {
			t.Fatal(seed, err)
		}
		var order []int
		for i, c := range price {
			if c > 0 {
				order = append(order, i)
			}
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(slack[i]), math.Abs(slack[j])) })
		edge := 0
		for _, i := range order {
			if math.Abs(slack[i]) < 1e-3 {
				edge++
			}
		}
		near := max(2*(p+1), edge)
		problem := &qp.Problem{Q: q, Linear: slices.Clone(gain), Sign: sign, Lower: make([]float64, n), Upper: make([]float64, n)}
		linalg.Scale(problem.Linear, -1)
		if s.noIntercept {
			problem.Sign = nil
		}
		var want *qp.Result
		for ; want == nil; near *= 2 {
			for k, i := range order {
				problem.Lower[i], problem.Upper[i] = 0, price[i]
				if both {
					problem.Lower[i] = -price[i]
				}
				if k >= near && slack[i] > 0 {
					problem.Lower[i] = price[i]
				} else if k >= near {
					problem.Upper[i] = 0
					problem.Lower[i] = 0
				}
			}
			want, err = qp.Solve(problem, &qp.Options{Tol: 1e-12})
			if e := (*qp.FeasibleError)(nil); want == nil && !errors.As(err, &e) {
				t.Fatal(err)
			}
			if want == nil {
				doubled++
			}
		}
		v, dual, balance := make([]float64, p), 0.0, 0.0
		for i, a := range alpha {
			if a > price[i] || a < 0 && !(both && a >= -price[i]) {
				t.Errorf("seed %d: multiplier %g of %g", seed, a, price[i])
			}
			linalg.Axpy(v, a*sign[i], x.Row(i))
			dual += gain[i] * a
			balance += sign[i] * a
		}
		dual -= linalg.Dot(v, v) / 2
		lt.Close(t, "dual objective", dual, -want.Objective, 1e-8*(1+math.Abs(dual)))
		if !s.noIntercept {
			lt.Close(t, "Σαs", balance, 0, 1e-12)
		}
	}
	if doubled < 3 {
		t.Errorf("%d times more rows were let go", doubled)
	}
}

// Squared slacks imply 2Cξ, of equal sums over the sides.
func TestSquaredSlacksImplyTheirMultipliers(t *testing.T) {
	q := &qp.Linear{X: linalg.Zeros(4, 1), Sign: []float64{1, -1, 1, -1}}
	e := &sides{q: q, price: []float64{1, 2, 3, 0.5}, slack: []float64{1, 1, -2, 2}}
	alpha, err := (&solver{loss: SquaredHinge}).impliedMultipliers(e)
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "balanced", alpha, []float64{2, 4. / 3, 0, 2. / 3}, 1e-15)
	if alpha, err = (&solver{loss: SquaredHinge, noIntercept: true}).impliedMultipliers(e); err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "through 0", alpha, []float64{2, 4, 0, 2}, 0)
}

// The open sum of multipliers is bounded from above, by next to nothing more than it is.
func TestOpenSum(t *testing.T) {
	s := &solver{}
	lt.Close(t, "open", s.open([]float64{1, 0x1p-80, 1, 3}, []float64{1, 1, -1, 1}), 3+0x1p-80, 0)
	least := 3 * 0x1p-100 * (2 + 0x1p-80)
	if open := s.open([]float64{1, 0x1p-80, 1}, []float64{1, 1, -1}); open < 0x1p-80+least/2 || open > 0x1p-80+2*least {
		t.Errorf("2⁻⁸⁰ is left, and not %g", open)
	}
	if s.noIntercept = true; s.open([]float64{1}, []float64{1}) != 0 {
		t.Error("a plane through 0 has no sum")
	}
}

// The least margins of both sides, the gap and the difference that they prove, and the plane
// between two hulls are what they are said to be: of rows stored dense and sparse, about an origin or 0.
func TestReachGapAndPlaneBetweenHulls(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 72))
		n, p := 12, 1+int(seed%4)
		x, k := lt.Normal(seed, n, p), task{sign: make([]float64, n)}
		through := seed%3 == 0
		var weights []float64
		if seed%2 == 0 {
			weights = make([]float64, n)
		}
		w := lt.Normal(seed+7, 1, p).Data
		linalg.Scale(w, 1/linalg.Norm(w))
		for i := range n {
			if k.sign[i] = float64(2*(i%2) - 1); weights != nil {
				weights[i] = float64(r.IntN(3))
			}
			linalg.Axpy(x.Row(i), 4*k.sign[i], w)
		}
		if weights != nil {
			weights[0], weights[1] = 1, 1
		}
		var rows linalg.Table = x
		var origin []float64
		if seed%4 == 1 {
			rows = lt.Sparse(x)
		} else if !through {
			origin = x.Row(3)
		}
		plane := planeAt(w, origin, r.NormFloat64())
		if through {
			plane.offset = 0
		}
		least := [2]float64{math.Inf(1), math.Inf(1)}
		for i, s := range k.sign {
			if weights == nil || weights[i] > 0 {
				g := 0
				if s > 0 && !through {
					g = 1
				}
				least[g] = min(least[g], s*plane.Value(x.Row(i)))
			}
		}
		if through {
			least[1] = 0
		}
		problem := k.apart(rows, weights, through, 1)
		reach := k.reach(problem, w, origin, plane.offset)
		lt.CloseSlice(t, "reach", reach[:], least[:], 1e-12)
		whole := min(least[0], least[1])
		if through {
			whole = least[0]
		}
		lt.Close(t, "least", k.least(problem, plane), whole, 1e-12)

		d := lt.Normal(seed+9, 1, p).Data
		linalg.Scale(d, 9) // longer than the slab
		slab := 2 * whole / linalg.Norm(w)
		if through {
			slab /= 2
		}
		want := 1 - slab*math.Abs(slab)/linalg.Dot(d, d)
		value, gap := k.exactGap(problem, plane, d)
		lt.Close(t, "gap", gap, max(0, want), 1e-12*(1+math.Abs(want)))
		lt.Close(t, "value", value*whole*whole, linalg.Dot(w, w)/2, 1e-12)

		near := &qp.Nearest{Points: []int{1, 2, 4, 5}, Weights: []float64{0.5, 0.25, 0.5, 0.25}, Difference: make([]float64, p)}
		q := &qp.Linear{X: x, Sign: k.sign, Origin: origin}
		sum := make([]float64, p)
		for a, i := range near.Points {
			share := near.Weights[a] / 0.75
			if through {
				share /= 2
			}
			linalg.Axpy(sum, share*k.sign[i], about(plane, x.Row(i)))
		}
		lt.CloseSlice(t, "difference", k.difference(q, near, through), sum, 1e-12)

		near.Difference, near.Reach = w, k.reach(problem, w, origin, 0)
		m := near.Separation()
		if !(m > 0) {
			t.Fatalf("seed %d: the sides are not apart: %g", seed, m)
		}
		width := 2.0
		if through {
			width = 1
		}
		middle := between(near, origin, width, m, through)
		ends := k.reach(problem, middle.beta(), origin, middle.offset)
		if lt.Close(t, "one side", ends[0], 1, 1e-12); !through {
			lt.Close(t, "the other", ends[1], 1, 1e-12)
		}
	}
}

// A direction that does not separate the rows is not taken for evidence, however far apart it says they are.
func TestSettlingDoesNotBelieveADirection(t *testing.T) {
	x, k := lt.Rows(t, []float64{0, 0}, []float64{0, 1}, []float64{2, 0}, []float64{2, 1}), task{sign: []float64{-1, -1, 1, 1}}
	problem := k.apart(x, nil, false, 1)
	right := &qp.Nearest{Points: []int{0, 2}, Weights: []float64{1, 1}, Difference: []float64{2, 0}, Reach: [2]float64{0, 4}}
	near, origin, err := k.settle(Machine{}, x, problem, right, nil, 1e-8)
	if err != nil || near != right || origin != nil {
		t.Errorf("the right direction: %v about %v, %v", near, origin, err)
	}
	wrong := &qp.Nearest{Points: []int{0, 3}, Weights: []float64{1, 1}, Difference: []float64{0, 1}, Reach: [2]float64{0, 1}}
	near, origin, err = k.settle(Machine{}, x, problem, wrong, nil, 1e-8)
	if err != nil || near == wrong {
		t.Fatalf("the wrong direction: %v, %v", near, err)
	}
	plane := between(near, origin, 2, near.Separation(), false)
	lt.CloseSlice(t, "β", plane.Normal(), []float64{1, 0}, 1e-12)
	lt.Close(t, "least margin", k.least(problem, plane), 1, 1e-12)
	if c := near.Report.Certificate(); !(c.Value < 1e-12) || c.Tol != 1e-8 {
		t.Errorf("certificate %v", c)
	}
	x.Set(3, 0, -3) // inside no hull, but no line separates it from its like
	x.Set(3, 1, 0.5)
	x.Set(0, 0, -2)
	none := (*InfeasibleError)(nil)
	if near, _, err := k.settle(Machine{Negative: 4, Positive: 6}, x, problem, wrong, nil, 1e-8); !errors.As(err, &none) || none.Machine.Positive != 6 {
		t.Errorf("classes that overlap: %v, %v", near, err)
	} else if err := none.Verify(x, []int{4, 4, 6, 6}, nil); err != nil {
		t.Error(err)
	}
}

// Multipliers below 0 are no point of the dual, in which these would prove that 4.5 is the least objective. It is 0.5.
func TestMultipliersBelowZeroProveNothing(t *testing.T) {
	x, y, o := lt.Rows(t, []float64{-1}, []float64{1}, []float64{10}), []int{0, 1, 1}, &SVCOptions{C: 10}
	m, err := FitSVC(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	c := &m.list[0]
	c.Plane, c.Support, c.Multipliers, c.Remainders = plane(t, []float64{3}, 0), []int{0, 1, 2}, []float64{2.25, 2.75, -0.5}, nil
	a, err := m.Audit(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	if a.Own.Holds() || !(a.Minimum <= 0.5*(1+1e-12)) {
		t.Errorf("%v, by itself %v", a, a.Own)
	}
	text, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if err, damage := new(SVC).UnmarshalJSON(text), (*record.DamageError)(nil); !errors.As(err, &damage) {
		t.Errorf("a file of a multiplier below 0: %v", err)
	}
}

// A certificate that is undecided says 1, whatever it was.
func TestUndecidedReportsSayNothing(t *testing.T) {
	x, y := clouds(3, 20, 2, 4)
	m, err := FitHardMargin(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := unknown(m.Report())
	if c := r.Certificate(); c.Value != 1 || c.Tol != m.Report().Certificate().Tol || r.Objective() != m.Report().Objective() || r.Status().String() != "undecided" {
		t.Errorf("%v", r)
	}
	if got := prospect(nil); got != "" {
		t.Errorf("prospect %q of no evidence", got)
	}
}

// Multipliers say that no plane separates the classes, though it is not decided whether one does but
// for rows that lie on it.
func TestMultipliersAreNoProspect(t *testing.T) {
	some := make([]separation.Multiplier, 2)
	for _, c := range []struct {
		e    separation.Evidence
		want string
	}{
		{separation.Evidence{Kind: separation.Undecided}, ""},
		{separation.Evidence{Kind: separation.Undecided, Multipliers: some}, ", and no plane separates the classes"},
		{separation.Evidence{Kind: separation.Quasi, Multipliers: some}, ", and no plane separates the classes"},
		{separation.Evidence{Kind: separation.Overlap, Multipliers: some}, ", and no plane separates the classes"},
		{separation.Evidence{Kind: separation.Complete}, ", though a plane separates the classes"},
	} {
		if got := prospect(&c.e); got != c.want {
			t.Errorf("%v, %d multipliers: %q, want %q", c.e.Kind, len(c.e.Multipliers), got, c.want)
		}
	}
}

// Planes beyond floating point are told by the column that takes them there.
func TestPlanesOutOfRange(t *testing.T) {
	var e *linalg.RangeError
	for _, c := range []struct {
		plane  Plane
		column int // −1: in range
	}{
		{*planeAt([]float64{1, -2, 1}, nil, 0), -1},
		{*planeAt([]float64{1, math.Inf(1), math.NaN()}, nil, 0), 1},
		{*planeAt([]float64{1, 1, math.NaN()}, nil, 0), 2},
		{*planeAt([]float64{1, -1e300, 1e299}, nil, 0), 1},                       // scores overflow, the intercept does not
		{*planeAt([]float64{1e10, -1e200}, []float64{1e10, -1e200}, 0), 1},       // the intercept does
		{*planeAt([]float64{1, 1e140}, []float64{1e10, -1e140}, -1), -1},         // far off, but not too far
		{*planeAt([]float64{1, 1e140}, []float64{1e10, -1e140}, math.Inf(1)), 1}, // the offset
	} {
		err := c.plane.InRange()
		if errors.As(err, &e) != (c.column >= 0) || c.column >= 0 && e.Column != c.column {
			t.Errorf("%v: %v", c.plane, err)
		}
	}
}

// A record with numbers that no fit makes is damaged.
func TestDamagedRecordsOfClassifiers(t *testing.T) {
	x, y := clouds(3, 20, 2, 4)
	p := mustSVCProba(t, x, y, nil)
	for name, change := range map[string]func(m *SVCProba){
		"no change": func(*SVCProba) {}, "a price of 0": func(m *SVCProba) { m.c = 0 }, "a negative price": func(m *SVCProba) { m.c = -1 },
		"loss": func(m *SVCProba) { m.loss = 2 }, "a class weight": func(m *SVCProba) { m.classWeights = []float64{1} },
		"two sigmoids": func(m *SVCProba) { m.platt = make([]sigmoid, 2) }, "coupling": func(m *SVCProba) { m.coupling = "by chance" },
		"LIBSVM": func(m *SVCProba) { m.coupling = LIBSVM }, "scikit-learn": func(m *SVCProba) { m.coupling = Scikit },
		"class weights": func(m *SVCProba) { m.classWeights = []float64{1, 2} },
	} {
		own := *p
		change(&own)
		b, err := json.Marshal(&own)
		if err != nil {
			t.Fatal(name, err)
		}
		bad := !slices.Contains([]string{"no change", "LIBSVM", "scikit-learn", "class weights"}, name)
		var back SVCProba
		if err := json.Unmarshal(b, &back); errors.As(err, new(*record.DamageError)) != bad || (err != nil) != bad {
			t.Errorf("%s: %v", name, err)
		}
	}
	tube, err := FitSVR(x, x.Col(nil, 0), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(m *SVR){
		"a price of 0": func(m *SVR) { m.c = 0 }, "ε": func(m *SVR) { m.epsilon = -1 }, "support": func(m *SVR) { m.support = m.support[1:] },
	} {
		own := *tube
		change(&own)
		b, err := json.Marshal(&own)
		if err != nil {
			t.Fatal(name, err)
		}
		if err := json.Unmarshal(b, new(SVR)); !errors.As(err, new(*record.DamageError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	k, err := FitKozinec(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	k.bound = -1
	b, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, new(Kozinec)); !errors.As(err, new(*record.DamageError)) {
		t.Errorf("a bound of −1: %v", err)
	}
	perceptron, err := FitPerceptron(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, counts := range [][3]int{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}} {
		own := *perceptron
		own.updates, own.misclassified, own.cycle = counts[0], counts[1], counts[2]
		if b, err = json.Marshal(&own); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, new(Perceptron)); !errors.As(err, new(*record.DamageError)) {
			t.Errorf("counts %v: %v", counts, err)
		}
	}
}

// Rows of one side alone have the plane that is constant.
func TestPlaneOfOneSide(t *testing.T) {
	x := lt.Rows(t, []float64{3}, []float64{5}, []float64{7})
	for _, c := range []struct {
		sign, price []float64
		offset      float64 // 0: none
	}{
		{[]float64{1, 1, -1}, []float64{1, 2, 0}, 1},
		{[]float64{-1, -1, 1}, []float64{1, 2, 0}, -1},
		{[]float64{1, 1, -1}, []float64{1, 2, 1}, 0},
		{[]float64{1, 1, -1}, []float64{0, 0, 0}, 0},
		{[]float64{1, 1, -1}, []float64{0, 1, 0}, 1},
	} {
		plane, alpha := betweenRows(&qp.Linear{X: x, Sign: c.sign}, c.price, Hinge, make([]float64, len(c.price)))
		if (plane == nil) != (c.offset == 0) {
			t.Fatalf("prices %v: %v", c.price, plane)
		}
		if plane != nil && (plane.offset != c.offset || plane.beta()[0] != 0 || linalg.NormInf(alpha) != 0) {
			t.Errorf("prices %v: %v, multipliers %v", c.price, plane, alpha)
		}
	}
}

// In closed form the plane of two rows has no gap, and a row that its price does not hold is on
// its margin; two that are alike are as far on either side.
func TestClosedFormsHaveNoGap(t *testing.T) {
	exact, each := 0, [3]int{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 73))
		n := 3
		x, sign, price := lt.Normal(seed, n, 1+int(seed%3)), []float64{1, -1, -1}, make([]float64, n)
		price[0], price[1] = []float64{0.1, 0.1, 5}[r.IntN(3)], []float64{0.1, 0.2, 5}[r.IntN(3)]
		through := seed%2 == 0
		if through && seed%4 == 0 {
			sign[1] = 1
		}
		if through && seed%10 == 0 {
			price[1] = 0
		}
		q := &qp.Linear{X: x, Sign: sign}
		closed := func(q *qp.Linear, price []float64) (*Plane, []float64) {
			return betweenRows(q, price, Hinge, make([]float64, len(price)))
		}
		if through {
			closed = throughZero
		}
		plane, alpha := closed(q, price)
		if plane == nil {
			continue
		}
		exact++
		s := &solver{noIntercept: through, tol: 1e-7}
		e := s.newSoftGap(q, price, alpha, 0).evidence(plane)
		if e.gap() > 1e-9 {
			t.Errorf("seed %d: gap %g", seed, e.gap())
		}
		for i, a := range alpha {
			if a < 0 || a > price[i] {
				t.Errorf("seed %d: multiplier %g of %g", seed, a, price[i])
			}
		}
		if through {
			continue
		}
		lt.Close(t, "Σαy", alpha[0], alpha[1], 0)
		switch {
		case alpha[0] < price[0]:
			lt.Close(t, "a slack that is not paid for", e.slack[0], 0, 1e-12)
			each[0]++
		case alpha[1] < price[1]:
			lt.Close(t, "a slack that is not paid for", e.slack[1], 0, 1e-12)
			each[1]++
		default:
			lt.Close(t, "slacks", e.slack[0], e.slack[1], 1e-12)
			each[2]++
		}
	}
	if exact < 299 || slices.Min(each[:]) < 10 {
		t.Errorf("%d closed forms, by case %v", exact, each)
	}
}

// The rows of an audit are those with the largest parts of the excess, which are what they are said to be
// for the multipliers of a fit.
func TestPartsOfAnAuditByRow(t *testing.T) {
	x, y := clouds(5, 60, 2, 0.5)
	sign, response := make([]float64, 60), make([]float64, 60)
	for i, v := range y {
		sign[i] = float64(2*v - 1)
		response[i] = x.At(i, 0) - x.At(i, 1) + math.Sin(float64(i))
	}
	check := func(name string, a *optimize.Audit, parts []float64) {
		t.Helper()
		sorted := slices.Clone(parts)
		slices.Sort(sorted)
		slices.Reverse(sorted)
		if len(a.Rows) == 0 {
			t.Errorf("%s: no rows", name)
		}
		for k, p := range a.Rows {
			lt.Close(t, name+": part", p.Part, parts[p.Row], 1e-5*sorted[0])
			lt.Close(t, name+": in order", p.Part, sorted[k], 1e-5*sorted[0])
		}
	}
	spread := func(support []int, multipliers []float64) []float64 {
		alpha := make([]float64, 60)
		for k, i := range support {
			alpha[i] = multipliers[k]
		}
		return alpha
	}
	for _, loss := range []Loss{Hinge, SquaredHinge} {
		o := &SVCOptions{C: 2, Loss: loss, Tol: 1e-10}
		fit := mustSVC(t, x, y, o)
		other, err := NewSVC([]int{0, 1}, lt.Rows(t, []float64{1, 0.3}), []float64{0.2}, o)
		if err != nil {
			t.Fatal(err)
		}
		a, err := other.Audit(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		alpha, parts := spread(fit.list[0].Support, fit.list[0].Multipliers), make([]float64, 60)
		for i, m := range alpha {
			left := 1 - sign[i]*(0.2+x.At(i, 0)+0.3*x.At(i, 1))
			if parts[i] = 2*max(0, left) - m*left; loss == SquaredHinge {
				parts[i] = 2*max(0, left)*max(0, left) - m*left + m*m/8
			}
		}
		check(loss.String(), a, parts)
	}
	through, err := NewPerceptron([]int{0, 1}, []float64{1, 0.3}, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	a, err := through.Audit(x, y, &PerceptronOptions{ClassWeights: []float64{0.5, 3}})
	if err != nil {
		t.Fatal(err)
	}
	parts, sum := make([]float64, 60), 0.0
	for i, s := range sign {
		parts[i] = -s * (0.2 + x.At(i, 0) + 0.3*x.At(i, 1)) * []float64{0.5, 3}[y[i]]
		sum += max(0, parts[i])
	}
	check("perceptron", a, parts)
	lt.Close(t, "the criterion", a.Report.Objective(), sum, 1e-12*sum)
	o := &SVROptions{C: 3, Epsilon: 0.25, Tol: 1e-10}
	tube, err := FitSVR(x, response, o)
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewSVR([]float64{0.5, 0.1}, 0.3, o)
	if err != nil {
		t.Fatal(err)
	}
	if a, err = other.Audit(x, response, o); err != nil {
		t.Fatal(err)
	}
	for i, m := range spread(tube.support, tube.multipliers) {
		r := response[i] - 0.3 - 0.5*x.At(i, 0) - 0.1*x.At(i, 1)
		parts[i] = 3*max(0, math.Abs(r)-0.25) - m*r + 0.25*math.Abs(m)
	}
	check("tube", a, parts)
	for i := range y {
		linalg.Axpy(x.Row(i), 9*sign[i], []float64{1, 0.5})
	}
	hard, err := FitHardMargin(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	tilted, err := NewHardMargin([]int{0, 1}, lt.Rows(t, []float64{1, 1.5}), []float64{0.2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, err = tilted.Audit(x, y, nil); err != nil {
		t.Fatal(err)
	}
	margin, least := make([]float64, 60), math.Inf(1)
	for i := range y {
		margin[i] = sign[i] * (0.2 + x.At(i, 0) + 1.5*x.At(i, 1))
		least = min(least, margin[i])
	}
	for i, m := range spread(hard.list[0].Support, hard.list[0].Multipliers) {
		parts[i] = m * (margin[i]/least - 1)
	}
	check("hard margin", a, parts)
	lt.Close(t, "the audit's objective", a.Report.Objective(), (1+1.5*1.5)/least/least/2, 1e-12)
}

// The distance of combinations that coincide is what rounding of their weights leaves, relative to the largest of their rows.
func TestDistanceOfCombinationsThatCoincide(t *testing.T) {
	for _, unit := range []float64{1e-9, 1, 1e9} {
		x := lt.Rows(t, []float64{0.1 * unit, 0}, []float64{3 * unit, 0.7 * unit}, []float64{-unit, 2.3 * unit}, []float64{0.4 * unit, 0.9 * unit}, []float64{50 * unit, 50 * unit})
		y := []int{0, 0, 0, 1, 0}
		_, err := FitHardMargin(x, y, nil)
		none := (*InfeasibleError)(nil)
		if !errors.As(err, &none) {
			t.Fatal(err)
		}
		d, largest := make([]float64, 2), 0.0
		for k, i := range none.Positive {
			linalg.Axpy(d, none.PositiveWeights[k], x.Row(i))
			largest = max(largest, linalg.Norm(x.Row(i)))
		}
		for k, i := range none.Negative {
			linalg.Axpy(d, -none.NegativeWeights[k], x.Row(i))
			largest = max(largest, linalg.Norm(x.Row(i)))
		}
		lt.Close(t, "distance", none.Distance, linalg.Norm(d)/largest, 1e-16)
		if !(none.Distance < 1e-15) {
			t.Errorf("rows of %g: distance %g", unit, none.Distance)
		}
	}
}
