package hyperplane

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// The same table stored dense and sparse has the same soft margin, to within both bounds:
// with empty rows and columns, duplicates with both labels, two classes and several.
func TestSVCOfSparseRows(t *testing.T) {
	lt.SkipSlow(t)
	for seed, size := range []struct {
		n, p, k int
		share   float64
	}{{60, 10, 2, 0.3}, {300, 400, 2, 0.03}, {240, 260, 2, 0.2}, {300, 350, 3, 0.05}} {
		x := lt.Thinned(uint64(seed+1), size.n, size.p, size.share)
		y := make([]int, size.n)
		for i := range y {
			y[i] = (i + i/7) % size.k
			x.Row(i)[1] = 0
		}
		clear(x.Row(4))
		clear(x.Row(5))
		copy(x.Row(10), x.Row(9))
		y[9], y[10] = 0, 1
		for _, c := range []float64{1e-2, 1, 100} {
			for _, multi := range []Multi{OneVsOne, OneVsRest} {
				o := &SVCOptions{C: c, Multi: multi}
				var models []*SVC
				for _, rows := range []linalg.Rows{x, lt.Sparse(x)} {
					m, err := FitSVC(rows, y, o)
					if err != nil {
						t.Fatalf("%+v, C %g: %v", size, c, err)
					}
					models = append(models, m)
				}
				a, b := models[0].Report(), models[1].Report()
				bound := (a.Certificate().Value + b.Certificate().Value) * math.Max(1, a.Objective())
				if d := math.Abs(a.Objective() - b.Objective()); !(d <= bound+1e-12*a.Objective()) {
					t.Errorf("%+v, C %g: %v dense, %v sparse: %g apart, the bounds allow %g", size, c, a, b, d, bound)
				}
				if size.k > 2 {
					continue
				}
				if gap := gapOf(x, y, models[1]); !(gap <= 1e-6) {
					t.Errorf("%+v, C %g: gap %g", size, c, gap)
				}
			}
		}
	}
}

// dualOf returns the multipliers of a machine for exact arithmetic.
func dualOf(m Machine) lt.Dual {
	return lt.Dual{Support: m.Support, Multipliers: m.Multipliers, Remainders: m.Remainders}
}

// gapOf returns the gap that what a model of two classes 0 and 1 publishes proves, all weights 1.
func gapOf(x *linalg.Dense, y []int, m *SVC) float64 {
	sign, price := make([]float64, len(y)), make([]float64, len(y))
	for i, k := range y {
		sign[i], price[i] = float64(2*k-1), m.C()
	}
	judge, c := lt.SoftMargin, m.Machines()[0]
	if m.Loss() == SquaredHinge {
		judge = lt.SquaredMargin
	}
	return judge(x, sign, price, m.noIntercept, affineOf(c.Plane), dualOf(c))
}

// affineOf returns a plane for exact arithmetic.
func affineOf(p *Plane) lt.Affine {
	origin := p.Origin()
	coef, _ := linalg.NewDense(1, p.Features(), p.Normal())
	return lt.Affine{Coef: coef, At: []float64{p.Value(origin)}, Origin: origin}
}

// Where the classes are apart a price beyond all multipliers changes nothing, neither the
// margin nor by much the work.
func TestSVCOfSparseRowsThatAreApart(t *testing.T) {
	lt.SkipSlow(t)
	const n, p = 350, 3000
	x := lt.Thinned(3, n, p, 0.01)
	y := make([]int, n)
	for i := range y {
		y[i] = i % 2
		if i%11 == 4 {
			y[i] = 0 // rows of zeros
		}
		x.Row(i)[7*(i%40)+y[i]] += 1
	}
	var objective []float64
	for _, c := range []float64{100, 1e5} {
		m, err := FitSVC(lt.Sparse(x), y, &SVCOptions{C: c})
		if err != nil {
			t.Fatalf("C %g: %v", c, err)
		}
		if k := m.Report().Iterations(); k > 300 {
			t.Errorf("C %g: %d steps", c, k)
		}
		objective = append(objective, m.Report().Objective())
	}
	for _, v := range objective {
		if d := math.Abs(v/objective[0] - 1); d > 2e-7 {
			t.Errorf("objectives %v", objective)
		}
	}
}

// Rows of a text file whose columns lie far off are full: they are fitted about their means, as dense ones are. About 0 the
// rounding of rows 1e6 to 1e8 away hid the solutions of most.
func TestFullSparseRowsFarFromZero(t *testing.T) {
	for seed := range uint64(lt.Rounds(20, 500)) {
		r := rand.New(rand.NewPCG(seed, 59))
		n, p := 20+r.IntN(40), 1+r.IntN(6)
		x, y, response := lt.Normal(seed, n, p), make([]int, n), lt.Normal(seed+1000, n, 1).Data
		far := math.Pow(10, 6+2*r.Float64())
		for i := range n {
			y[i] = i % 2
			x.Row(i)[0] += float64(y[i])
			for j := range x.Row(i) {
				x.Row(i)[j] += far
			}
		}
		rows := lt.Sparse(x)
		for _, loss := range []Loss{Hinge, SquaredHinge} {
			o := &SVCOptions{C: math.Pow(10, 4*r.Float64()-2), Loss: loss}
			m, err := FitSVC(rows, y, o)
			if err != nil {
				t.Errorf("seed %d, %v, C %g, %g from 0: %v", seed, loss, o.C, far, err)
				continue
			}
			if gap, bound := gapOf(x, y, m), m.Report().Certificate().Value; !(gap <= bound*(1+1e-6)+0x1p-50) {
				t.Errorf("seed %d, %v: gap %g, %g in the report", seed, loss, gap, bound)
			}
		}
		if _, err := FitSVR(rows, response, &SVROptions{Epsilon: 0.1}); err != nil {
			t.Errorf("seed %d, %g from 0: %v", seed, far, err)
		}
	}
}
