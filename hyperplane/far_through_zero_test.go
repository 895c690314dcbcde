package hyperplane

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// farRows draws rows about a point whose coordinates are from ±mean to ±2·mean, the classes a distance apart in the
// first column, and responses.
func farRows(seed uint64, mean, apart float64) (x *linalg.Dense, y []int, z []float64) {
	r := rand.New(rand.NewPCG(seed, 5))
	n, p := 30+r.IntN(170), 2+r.IntN(4)
	return farAbout(r, n, p, mean, apart)
}

// farAbout draws n such rows of p columns.
func farAbout(r *rand.Rand, n, p int, mean, apart float64) (x *linalg.Dense, y []int, z []float64) {
	x, y, z = linalg.Zeros(n, p), make([]int, n), make([]float64, n)
	for j := range p {
		center := math.Copysign(mean*(1+r.Float64()), r.Float64()-.25)
		for i := range n {
			x.Set(i, j, center+r.NormFloat64())
		}
	}
	for i := range n {
		y[i], z[i] = i%2, r.NormFloat64()
		x.Row(i)[0] += apart * float64(y[i])
	}
	return x, y, z
}

// Products of rows about (10⁸, …) are nearly the same number, and of sums of such rows nothing is left of what rows
// differ in: planes through 0 cost more than none did, at gaps of 1.
func TestPlanesThroughZeroOfRowsFarOff(t *testing.T) {
	for seed := range uint64(9) {
		apart := []float64{0, 2, 10}[seed%3]
		for _, mean := range []float64{1e5, 1e7, 1e8} {
			for _, c := range []float64{1, 100, 1e4} {
				x, y, z := farRows(seed, mean, apart)
				name := fmt.Sprintf("seed %d, means of %g, C = %g", seed, mean, c)
				for _, o := range []*SVCOptions{{C: c, NoIntercept: true}, {C: c, NoIntercept: true, Loss: SquaredHinge}} {
					for what, rows := range map[string]linalg.Rows{"dense": x, "sparse": lt.Sparse(x)} {
						m, err := FitSVC(rows, y, o)
						if err != nil {
							t.Errorf("%s, %v, %s: %v", name, o.Loss, what, err)
							continue
						}
						lt.Close(t, name+": objective", m.Report().Objective(), costOf(x, y, m.Machines()[0].Plane, c, o.Loss), 1e-12)
					}
				}
				if m, err := FitSVR(x, z, &SVROptions{C: c, Epsilon: .1, NoIntercept: true}); err != nil {
					t.Errorf("%s, tube: %v\n%v", name, err, m)
				}
			}
		}
	}
}

// farWide draws n rows of p columns as farRows does.
func farWide(seed uint64, n, p int, mean float64) (x *linalg.Dense, y []int, z []float64) {
	return farAbout(rand.New(rand.NewPCG(seed, 5)), n, p, mean, 1)
}

// Of few rows of many columns the products are those of the means, beside which nothing is left of the others, nor in a sum
// with multipliers that take the means off one another: 69 of these 128 did not converge, at gaps up to 1.
func TestPlanesThroughZeroOfFewRowsFarOff(t *testing.T) {
	for seed := range uint64(4) {
		for _, mean := range []float64{1e2, 1e3, 1e5, 1e8} {
			n, p := 24+10*int(seed), 401-60*int(seed)
			x, y, z := farWide(seed, n, p, mean)
			copy(x.Row(n-1), x.Row(n-2)) // of the other class
			for _, c := range []float64{1e-2, 1, 100, 1e4} {
				name := fmt.Sprintf("%d × %d, means of %g, C = %g", n, p, mean, c)
				if m, err := FitSVC(x, y, &SVCOptions{C: c, NoIntercept: true}); err != nil {
					t.Errorf("%s: %v", name, err)
				} else {
					lt.Close(t, name+": objective", m.Report().Objective(), costOf(x, y, m.Machines()[0].Plane, c, Hinge), 1e-12)
				}
				if _, err := FitSVR(x, z, &SVROptions{C: c, Epsilon: .1, NoIntercept: true}); err != nil {
					t.Errorf("%s, tube: %v", name, err)
				}
			}
		}
	}
}

// A gap may grow by the rounding of Aᵀα as long as it is small beside the objective, and not beside 1.
func TestPlanesThroughZeroOfASmallObjective(t *testing.T) {
	for seed, at := range map[uint64][2]float64{0: {1e4, .01}, 2: {1e3, .1}, 17: {1e3, .1}, 19: {1e3, .01}} {
		x, y, _ := farWide(seed, 100, 1000, at[0])
		if _, err := FitSVC(x, y, &SVCOptions{C: at[1], NoIntercept: true}); err != nil {
			t.Errorf("means of %g, C = %g: %v", at[0], at[1], err)
		}
	}
}

// Of columns that lie far off, one is so large that the share of it which counts as nothing is much beside the others: they
// stay as they are, and the objective is the same whatever its size.
func TestPlanesThroughZeroOfALargeColumnBesideOthers(t *testing.T) {
	const n, p = 100, 300
	x, y := lt.Normal(0, n, p), make([]int, n)
	for i := range n {
		y[i] = i % 2
		for j := 1; j < p; j++ {
			x.Row(i)[j] += 1000
		}
		x.Row(i)[0] *= 1e5
	}
	var objective [2]float64
	for k := range objective {
		m, err := FitSVC(x, y, &SVCOptions{C: 1, NoIntercept: true})
		if err != nil {
			t.Error(err)
		}
		objective[k] = m.Report().Objective()
		for i := range n {
			x.Row(i)[0] *= 100
		}
	}
	lt.Close(t, "objective", objective[1], objective[0], 1e-6)
}

// costOf is the objective of a plane in long arithmetic.
func costOf(x *linalg.Dense, y []int, plane *Plane, c float64, loss Loss) float64 {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	sum := number(0)
	for _, b := range plane.Normal() {
		sum.Add(sum, new(big.Float).Mul(number(b), number(b/2)))
	}
	for i, label := range y {
		slack := number(1)
		for j, b := range plane.Normal() {
			slack.Sub(slack, new(big.Float).Mul(number(b), number(float64(2*label-1)*x.At(i, j))))
		}
		v, _ := slack.Float64()
		sum.Add(sum, number(c*loss.of(v)))
	}
	v, _ := sum.Float64()
	return v
}

// Where no number of digits would do, the model is not worse than no plane, and says how far it may be off.
func TestPlanesThroughZeroCostNoMoreThanNone(t *testing.T) {
	for seed := range uint64(6) {
		for _, loss := range []Loss{Hinge, SquaredHinge} {
			x, y, _ := farRows(seed, 1e12, 0)
			m, err := FitSVC(x, y, &SVCOptions{C: 1e9, NoIntercept: true, Loss: loss})
			if m == nil {
				t.Fatal(err)
			}
			f, none := costOf(x, y, m.Machines()[0].Plane, 1e9, loss), 1e9*float64(len(y))
			if !(f <= none*(1+1e-12)) || (err == nil) != m.Report().Certificate().Holds() {
				t.Errorf("seed %d, %v: %g, and %g of no plane, with %v, %v", seed, loss, f, none, m.Report().Certificate(), err)
			}
		}
	}
}

// At a large price slacks of the rounding of β are most of the objective, and of planes that are scaled up to be without
// any one in a dozen is.
func TestPlanesThroughZeroOfTwoRowsFarOff(t *testing.T) {
	x := lt.Rows(t, []float64{793870.628916554 - 0.1554736754624173, 2.3477016338378894e+06 - 0.15547367557883263},
		[]float64{793870.628916554 - 1.0763119180919603, 2.3477016338378894e+06 - 1.0763119184412062})
	m, err := FitSVC(x, []int{0, 1}, &SVCOptions{C: 9.15e4, NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	lt.Close(t, "objective", m.Report().Objective(), costOf(x, []int{0, 1}, m.Machines()[0].Plane, 9.15e4, Hinge), 1e-12)
}

// Of rows that are few and long the products have lost what they differ in, as rows have that are stored sparse.
func TestLongTubesThroughZeroOfRowsFarOff(t *testing.T) {
	for seed, mean := range []float64{1e5, 1e6, 1e7} {
		r := rand.New(rand.NewPCG(uint64(seed), 6))
		x, z := linalg.Zeros(20, 210), make([]float64, 20)
		for j := range x.Cols {
			center := mean * (r.Float64() - .3)
			for i := range x.Rows {
				x.Set(i, j, center+r.NormFloat64())
				z[i] = r.NormFloat64()
			}
		}
		for what, rows := range map[string]linalg.Rows{"dense": x, "sparse": lt.Sparse(x)} {
			if _, err := FitSVR(rows, z, &SVROptions{C: 1, Epsilon: .1, NoIntercept: true}); err != nil {
				t.Errorf("means of %g, %s: %v", mean, what, err)
			}
		}
	}
}
