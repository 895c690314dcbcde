package hyperplane

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// drawSquared draws rows of one of some kinds, labels of two classes and weights, and a C.
func drawSquared(seed uint64) (x *linalg.Dense, y []int, o *SVCOptions) {
	r := rand.New(rand.NewPCG(seed, 17))
	n, p := 2+r.IntN(60), 1+r.IntN(12)
	if r.IntN(3) == 0 {
		n, p = p+1, n
	}
	x, y = lt.Thinned(seed+1, n, p, []float64{1, 0.3}[r.IntN(2)]), make([]int, n)
	for i := range n {
		y[i] = r.IntN(2)
		if r.IntN(2) == 0 {
			x.Row(i)[0] += 2 * float64(y[i])
		}
		if i > 0 && r.IntN(6) == 0 {
			copy(x.Row(i), x.Row(i-1))
		}
	}
	y[0], y[1] = 0, 1
	o = &SVCOptions{Loss: SquaredHinge, C: math.Pow(10, 9*r.Float64()-4), NoIntercept: r.IntN(5) == 0, Weights: make([]float64, n)}
	for i := range o.Weights {
		o.Weights[i] = float64(r.IntN(4)) / 2
	}
	o.Weights[0], o.Weights[1] = 1, 1
	return x, y, o
}

// The certificate is a bound where the multipliers' rows, of 1e10 to 1e25, cancel to some 1e-20 of them.
func TestSquaredHingeOnLongRowsThatCancel(t *testing.T) {
	fits, seeds := 0, uint64(lt.Rounds(60, 3000))
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 91))
		const n = 8
		x, y, sign, price := linalg.Zeros(n, 2), make([]int, n), make([]float64, n), make([]float64, n)
		unit := math.Pow(10, 10+15*r.Float64())
		one := []float64{unit * r.NormFloat64(), unit * r.NormFloat64()}
		for i := range n {
			copy(x.Row(i), one)
			y[i], price[i] = i%2, math.Pow(10, 6*r.Float64()-1)
			sign[i] = float64(2*y[i] - 1)
		}
		m, err := FitSVC(x, y, &SVCOptions{Loss: SquaredHinge, C: 1, NoIntercept: true, Weights: price})
		if err != nil {
			continue
		}
		fits++
		c := m.Machines()[0]
		if gap, bound := lt.SquaredMargin(x, sign, price, true, affineOf(c.Plane), dualOf(c)), c.Report.Certificate().Value; !(gap <= bound*(1+1e-6)+0x1p-52) {
			t.Errorf("seed %d, rows of %.0e: gap %g, %g in the report", seed, unit, gap, bound)
		}
	}
	if fits < int(seeds)/2 {
		t.Errorf("%d fits of %d", fits, seeds)
	}
}

// Classes that columns of 1e8 hold apart leave slacks α/2C of some 1e-17, which no row has digits for.
func TestSquaredHingeOfLargeColumnsThatSeparate(t *testing.T) {
	for _, n := range []int{20, 200} {
		for _, c := range []float64{0.01, 1, 100} {
			for _, large := range []int{2, 5} {
				r := rand.New(rand.NewPCG(uint64(n), 3))
				x, y, sign, price := linalg.Zeros(n, 5), make([]int, n), make([]float64, n), make([]float64, n)
				for i := range n {
					y[i], sign[i], price[i] = i%2, float64(2*(i%2)-1), c
					for j := range x.Cols {
						v := r.NormFloat64() + 6*float64(y[i])
						if j < large {
							v *= 1e8
						}
						x.Set(i, j, v)
					}
				}
				for _, rows := range []linalg.Rows{x, lt.Sparse(x)} {
					m, err := FitSVC(rows, y, &SVCOptions{Loss: SquaredHinge, C: c})
					if err != nil {
						t.Errorf("%d rows, C = %g, %d large columns: %v", n, c, large, err)
						continue
					}
					k := m.Machines()[0]
					if gap, bound := lt.SquaredMargin(x, sign, price, false, affineOf(k.Plane), dualOf(k)), k.Report.Certificate().Value; !(gap <= bound*(1+1e-6)+0x1p-52) {
						t.Errorf("%d rows, C = %g, %d large columns: gap %g, %g in the report", n, c, large, gap, bound)
					}
				}
			}
		}
	}
}

// A column of 0 and 1e8 beside small integers leaves Newton's equations without the digits of the others: what they
// hold for the minimum is up to a third above it, in one order of the rows and not in another. The nearest points of the
// rows with edges are found by QR, and are the minimum.
func TestSquaredHingeBesideAColumnOf1e8(t *testing.T) {
	for seed := range uint64(lt.Rounds(60, 3000)) {
		r := rand.New(rand.NewPCG(seed, 57))
		n, p := 10+r.IntN(8), 13+r.IntN(4)
		x, y, sign, price := linalg.Zeros(n, p), make([]int, n), make([]float64, n), make([]float64, n)
		c := math.Pow(10, 2*r.Float64()-1)
		for i := range n {
			y[i], price[i] = i%2, c
			sign[i] = float64(2*y[i] - 1)
			if r.IntN(3) == 0 {
				continue
			}
			for j := range p {
				x.Set(i, j, float64(r.IntN(5)-2))
			}
			x.Set(i, 2, 1e8)
		}
		m, err := FitSVC(x, y, &SVCOptions{C: c, Loss: SquaredHinge})
		if err != nil {
			t.Errorf("seed %d, %d × %d, C %g: %v", seed, n, p, c, err)
			continue
		}
		k := m.Machines()[0]
		if gap, bound := lt.SquaredMargin(x, sign, price, false, affineOf(k.Plane), dualOf(k)), k.Report.Certificate().Value; !(gap <= bound*(1+1e-6)+0x1p-50) {
			t.Errorf("seed %d: gap %g, %g in the report", seed, gap, bound)
		}
	}
}

// The certificate and optimality are recomputed in exact arithmetic: dense, sparse, with weights
// of 0, duplicates with both labels, more columns than rows; the same in either storage.
func TestSquaredHingeIsOptimal(t *testing.T) {
	for seed := range lt.Rounds(120, 4000) {
		x, y, o := drawSquared(uint64(seed))
		sign, price := make([]float64, len(y)), make([]float64, len(y))
		for i := range y {
			sign[i], price[i] = float64(2*y[i]-1), o.C*o.Weights[i]
		}
		var objective, bound []float64
		for _, rows := range []linalg.Rows{x, lt.Sparse(x)} {
			m, err := FitSVC(rows, y, o)
			if err != nil {
				t.Errorf("seed %d: %v", seed, err)
				break
			}
			c := m.Machines()[0]
			if gap := lt.SquaredMargin(x, sign, price, o.NoIntercept, affineOf(c.Plane), dualOf(c)); !(gap <= 1e-7) {
				t.Errorf("seed %d: gap %g", seed, gap)
			}
			k, err := m.Conditions(0, rows, y, o.Weights)
			if err != nil {
				t.Fatal(err)
			}
			if !(k.Stationarity <= 1e-5) || !(k.ComplementarySlackness <= 1e-3) || k.DualFeasibility > 0 ||
				!(math.Abs(k.Primal-k.Dual) <= 1e-6*math.Max(1, k.Primal)) {
				t.Errorf("seed %d: %v, dual feasibility %g", seed, k, k.DualFeasibility)
			}
			a, err := m.Audit(rows, y, o)
			if err != nil || !a.Report.Certificate().Holds() {
				t.Errorf("seed %d: audit %v, %v", seed, a, err)
			}
			objective = append(objective, m.Report().Objective())
			bound = append(bound, m.Report().Certificate().Value*m.Report().Objective())
		}
		if len(objective) == 2 && !(math.Abs(objective[0]-objective[1]) <= bound[0]+bound[1]+1e-12*objective[0]) {
			t.Errorf("seed %d: objectives %v, bounds %v", seed, objective, bound)
		}
	}
}

// Labels that change sides leave the minimum as it is; so do a common unit of the columns with C
// in its square, and rows that stand twice at half the C.
func TestSquaredHingeIsInvariant(t *testing.T) {
	for seed := range lt.Rounds(30, 500) {
		x, y, o := drawSquared(uint64(seed) + 5000)
		o.Tol, o.C = 1e-12, math.Min(o.C, 100)
		value := func(x *linalg.Dense, y []int, o *SVCOptions) float64 {
			m, err := FitSVC(x, y, o)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return m.Report().Objective()
		}
		want := value(x, y, o)
		same := func(what string, got float64) {
			t.Helper()
			lt.Close(t, what, got, want, 1e-11)
		}
		swapped, unit, twice := make([]int, len(y)), x.Clone(), *o
		for i, c := range y {
			swapped[i] = 1 - c
		}
		same("labels", value(x, swapped, o))
		linalg.Scale(unit.Data, 0x1p20)
		scaled := *o
		scaled.C = o.C * 0x1p-40
		same("unit", 0x1p40*value(unit, y, &scaled))
		rows, labels := linalg.Zeros(2*x.Rows, x.Cols), append(append([]int(nil), y...), y...)
		copy(rows.Data, x.Data)
		copy(rows.Data[len(x.Data):], x.Data)
		twice.C, twice.Weights = o.C/2, append(append([]float64(nil), o.Weights...), o.Weights...)
		same("repeated rows", value(rows, labels, &twice))
	}
}

// A dual point of a squared hinge has no bound, so that its certificate is not a hinge's, and a
// model comes back from its file with its loss.
func TestSquaredHingeIsKept(t *testing.T) {
	x, y, o := drawSquared(3)
	m, err := FitSVC(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back SVC
	if err := json.Unmarshal(b, &back); err != nil || back.Loss() != SquaredHinge {
		t.Fatalf("%v came back, %v", back.Loss(), err)
	}
	if _, err := FitSVC(x, y, &SVCOptions{Loss: 2}); err == nil {
		t.Error("a loss that there is not is fitted")
	}
	hinge := *o
	hinge.Loss = Hinge
	a, err := m.Audit(x, y, &hinge)
	if err != nil || a.Report.Certificate().Holds() {
		t.Errorf("the fit of the squared hinge passes for that of the hinge: %v, %v", a, err)
	}
	path, err := SVCPath(x, y, []float64{0.01, 1, 100}, &SVCOptions{Loss: SquaredHinge, Tol: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range []float64{0.01, 1, 100} {
		one, err := FitSVC(x, y, &SVCOptions{Loss: SquaredHinge, C: c, Tol: 1e-10})
		if err != nil {
			t.Fatal(err)
		}
		lt.Close(t, "objective on the path", path.Points[k].Objective, one.Report().Objective(), 1e-9)
	}
}

// scikit-learn 1.2.1's LinearSVC(loss="squared_hinge", dual=False, tol=1e-14, intercept_scaling=1e4),
// whose penalty on the intercept is 1e-8 of ours on a coefficient.
func TestSquaredHingeIsLinearSVC(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{0, 0, 2}, {3, -3, -2}, {2, 3, -2}, {-1, 3, -1}, {-2, 2, -2}, {-1, 1, 0},
		{-3, -3, 3}, {2, 2, 0}, {2, -1, 0}, {2, -3, -1}, {-3, 0, 3}, {-3, -1, -1}})
	y := []int{0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0}
	for _, c := range []struct{ c, b0, b1, b2, intercept, objective float64 }{
		{0.1, 0.2520821437245556, -0.13821890576540058, -0.17320679654129115, -0.1432002982976214, 0.5585540176022368},
		{10, 0.33074186303722775, -0.24249313727637173, -0.32998299171600615, -0.10084398353612861, 47.55639579832949},
	} {
		m, err := FitSVC(x, y, &SVCOptions{Loss: SquaredHinge, C: c.c})
		if err != nil {
			t.Fatal(err)
		}
		coef, intercept := m.Coef()
		for j, want := range []float64{c.b0, c.b1, c.b2} {
			lt.Close(t, "coefficient", coef.At(0, j), want, 1e-7)
		}
		lt.Close(t, "intercept", intercept[0], c.intercept, 1e-6)
		lt.Close(t, "objective", m.Report().Objective(), c.objective, 1e-12)
	}
}
