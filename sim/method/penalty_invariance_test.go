package method_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// penalized are the fits whose objective depends on the unit and the axes of the columns.
var penalized = []struct {
	name    string
	l1Ratio float64
	axes    bool    // the penalty knows the axes
	power   float64 // of a common unit, by which its weight grows
	price   bool    // the weight is that of the loss, and the objective that of lengths
}{
	{"logistic", 0, false, 2, false},
	{"logistic", 1, true, 1, false},
	{"ridge", 0, false, 2, false},
	{"lasso", 1, true, 1, false},
	{"svc", 0, false, 2, true},
	{"svr", 0, false, 2, true},
	{"hardmargin", 0, false, 2, true},
}

// dyadicClouds draws multiples of 2⁻¹², so that they are rotated and multiplied exactly below.
func dyadicClouds(r *rand.Rand, m *method.Method) *dataset.Data {
	d := methodtest.Clouds(m, r.Uint64(), 30, 4)
	if !m.Regression {
		d = methodtest.TwoClasses(d)
	}
	for i := range d.X.Rows {
		row := d.X.Row(i)
		for j, v := range row {
			row[j] = math.Round(v*0x1p12) / 0x1p12
		}
		if m.Name == "hardmargin" {
			row[0] += 20 * float64(d.Labels[i])
		}
	}
	return d
}

// The least objective of a fit with a penalty is the same for rotated rows (signs and orders
// of columns where the penalty knows the axes), and in a common unit where the weight of the
// penalty follows: the two objectives differ by at most the two certificates.
func TestPenaltiesFollowRotationsAndUnits(t *testing.T) {
	for _, c := range penalized {
		m, err := method.Named(c.name)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(linalgtest.Rounds(4, 300)) {
			r := rand.New(rand.NewPCG(seed, 19))
			d := dyadicClouds(r, m)
			o := methodtest.Taken(m, &method.Options{Lambda: math.Exp(6*r.Float64() - 3), L1Ratio: c.l1Ratio, C: math.Exp(4*r.Float64() - 2), Epsilon: 0.1})
			signs, order := []float64{1, -1, 1, -1}, r.Perm(4)
			turned := changed(d, func(row []float64) {
				from := append([]float64(nil), row...)
				for j := range row {
					row[j] = signs[j] * from[order[j]]
				}
				if !c.axes { // by a matrix of Hadamard's, whose rows have length 1
					a, b, e, f := row[0], row[1], row[2], row[3]
					row[0], row[1], row[2], row[3] = (a+b+e+f)/2, (a-b+e-f)/2, (a+b-e-f)/2, (a-b-e+f)/2
				}
			})
			const unit = 3.0
			larger, follows := changed(d, func(row []float64) { linalg.Scale(row, unit) }), *o
			follows.Lambda *= math.Pow(unit, c.power)
			follows.C /= math.Pow(unit, c.power)
			scale := 1.0
			if c.price {
				scale = unit * unit
			}
			what := fmt.Sprintf("%s, l1-ratio %g, seed %d", c.name, c.l1Ratio, seed)
			base := methodtest.Must(t, m, d, o).Report()
			for _, other := range []struct {
				name string
				d    *dataset.Data
				o    *method.Options
				by   float64
			}{{"turned", turned, o, 1}, {"in another unit", larger, &follows, scale}} {
				report := methodtest.Must(t, m, other.d, other.o).Report()
				apart := math.Abs(other.by*report.Objective()/base.Objective() - 1)
				if bound := base.Certificate().Value + report.Certificate().Value + 1e-12; !(apart <= bound) {
					t.Errorf("%s, %s: the objectives are %g apart, the certificates %v and %v", what, other.name, apart, base.Certificate(), report.Certificate())
				}
			}
		}
	}
}
