package hyperplane_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// overlapping draws rows of k classes.
func overlapping(k int) (x *linalg.Dense, y []int, response, weights []float64) {
	r := rand.New(rand.NewPCG(uint64(k), 3))
	x = linalg.Zeros(80, 3)
	for i := range 80 {
		y = append(y, r.IntN(k))
		for j := range 3 {
			x.Set(i, j, r.NormFloat64()+float64(y[i]*(j%2))+100*float64(j))
		}
		response = append(response, x.At(i, 0)+r.NormFloat64())
		weights = append(weights, float64(i%3))
	}
	return x, y, response, weights
}

// onACircle draws rows of k classes on a circle, whose planes go near 0.
func onACircle(k int) (x *linalg.Dense, y []int) {
	r := rand.New(rand.NewPCG(uint64(k), 4))
	x = linalg.Zeros(90, 3)
	for i := range 90 {
		y = append(y, i%k)
		angle := 2 * math.Pi * float64(i%k) / float64(k)
		x.Set(i, 0, 6*math.Cos(angle)+r.NormFloat64())
		x.Set(i, 1, 6*math.Sin(angle)+r.NormFloat64())
		x.Set(i, 2, r.NormFloat64())
	}
	return x, y
}

// auditor is a fit, and the audit of its numbers after a change.
type auditor struct {
	fit   optimize.Report
	audit func(change float64) (*optimize.Audit, error)
}

func auditors(t *testing.T) map[string]auditor {
	t.Helper()
	all := map[string]auditor{}
	for _, k := range []int{2, 3} {
		for _, o := range []*hyperplane.SVCOptions{{C: 2}, {C: 0.1, NoIntercept: true}, {C: 1, Multi: hyperplane.OneVsRest}} {
			x, y, _, w := overlapping(k)
			o.Weights = w
			m, err := hyperplane.FitSVC(x, y, o)
			if err != nil {
				t.Fatal(err)
			}
			all[fmt.Sprintf("svc of %d classes, %+v", k, o.Multi)+fmt.Sprint(o.C)] = auditor{m.Report(), func(change float64) (*optimize.Audit, error) {
				if change == 0 {
					return m.Audit(x, y, o)
				}
				coef, intercept := disturbed(m, change, o.NoIntercept)
				other, err := hyperplane.NewSVC(m.Classes(), coef, intercept, o)
				if err != nil {
					return nil, err
				}
				return other.Audit(x, y, o)
			}}
		}
	}
	for _, o := range []*hyperplane.HardMarginOptions{{}, {Multi: hyperplane.OneVsRest}, {NoIntercept: true}} {
		k := 3
		if o.NoIntercept {
			k = 2
		}
		x, y := onACircle(k)
		m, err := hyperplane.FitHardMargin(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprintf("hard margin of %d classes, %v", k, o.Multi)] = auditor{m.Report(), func(change float64) (*optimize.Audit, error) {
			if change == 0 {
				return m.Audit(x, y, o)
			}
			coef, intercept := disturbed(m, change, o.NoIntercept)
			other, err := hyperplane.NewHardMargin(m.Classes(), coef, intercept, o)
			if err != nil {
				return nil, err
			}
			return other.Audit(x, y, o)
		}}
	}
	for _, o := range []*hyperplane.SVROptions{{C: 1, Epsilon: 0.2}, {C: 3}, {C: 1, Epsilon: 0.1, NoIntercept: true}} {
		x, _, response, w := overlapping(2)
		o.Weights = w
		m, err := hyperplane.FitSVR(x, response, o)
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint("svr, ε = ", o.Epsilon)] = auditor{m.Report(), func(change float64) (*optimize.Audit, error) {
			if change == 0 {
				return m.Audit(x, response, o)
			}
			coef, intercept := disturbed(m, change, o.NoIntercept)
			other, err := hyperplane.NewSVR(coef.Row(0), intercept[0], o)
			if err != nil {
				return nil, err
			}
			return other.Audit(x, response, o)
		}}
	}
	return all
}

// disturbed returns the numbers of m with normal ones of a size added to them.
func disturbed(m interface {
	Coef() (*linalg.Dense, []float64)
}, change float64, noIntercept bool) (*linalg.Dense, []float64) {
	r := rand.New(rand.NewPCG(9, 9))
	coef, intercept := m.Coef()
	for i := range coef.Data {
		coef.Data[i] += change * r.NormFloat64()
	}
	for i := range intercept {
		if !noIntercept {
			intercept[i] += change * r.NormFloat64()
		}
	}
	return coef, intercept
}

func TestAuditOfAPlaneIsItsCertificate(t *testing.T) {
	for name, c := range auditors(t) {
		a, err := c.audit(0)
		if err != nil {
			t.Fatal(name, err)
		}
		r := a.Report
		if r.Status() != optimize.Audited || r.Err(nil) != nil || r.Certificate().Tol != c.fit.Certificate().Tol || r.Certificate().Kind != optimize.KindGap {
			t.Errorf("%s: %v, the fit %v", name, r, c.fit)
		}
		if math.Abs(r.Objective()-c.fit.Objective()) > 1e-13*c.fit.Objective() || math.Abs(r.Certificate().Value-c.fit.Certificate().Value) > 1e-13 {
			t.Errorf("%s: %v, the fit %v", name, r, c.fit)
		}
	}
}

func TestAuditOfAPlaneFromElsewhereBoundsTheExcess(t *testing.T) {
	for name, c := range auditors(t) {
		for _, change := range []float64{1e-12, 1e-5, 1e-3, 0.3} {
			a, err := c.audit(change)
			if err != nil {
				t.Fatal(name, err)
			}
			least := c.fit.Objective() * (1 - c.fit.Certificate().Value)
			objective := a.Report.Objective()
			if a.Excess() < objective-c.fit.Objective()-1e-14*objective || a.Excess() > (objective-least)*(1+1e-9)+1e-12*objective {
				t.Errorf("%s, changed by %g: %v, the least objective is between %v and %v", name, change, a, least, c.fit.Objective())
			}
			if change == 1e-12 && objective > c.fit.Objective()*(1+1e-6) {
				t.Errorf("%s, from plain numbers: %v, the fit has %v", name, a, c.fit)
			}
			if held := a.Report.Certificate().Holds(); held != (a.Report.Err(nil) == nil) || change > 1e-4 && held {
				t.Errorf("%s, changed by %g: %v", name, change, a.Report)
			}
			sum := 0.0
			for _, p := range a.Rows {
				sum += p.Part
			}
			if change > 0.1 && !(sum > 0 && sum <= a.Excess()*(1+1e-6)) {
				t.Errorf("%s, changed by %g: rows of %g in an excess of %g", name, change, sum, a.Excess())
			}
		}
	}
}

// The multipliers that a plane implies are a dual point as good as those of a fit near the
// minimum, and any dual point is a bound.
func TestPlaneAloneImpliesItsMultipliers(t *testing.T) {
	for name, c := range auditors(t) {
		for _, change := range []float64{1e-12, 1e-6, 1e-3, 0.3} {
			a, err := c.audit(change)
			if err != nil {
				t.Fatal(name, err)
			}
			own, both := a.Own, a.Report.Certificate()
			if own.Kind != optimize.KindGap || own.Value < both.Value || change < 1e-5 && own.Value > 1.5*both.Value+1e-12 {
				t.Errorf("%s, changed by %g: %v by itself, %v with a fit", name, change, own, both)
			}
			if change == 1e-12 && !own.Holds() {
				t.Errorf("%s: %v", name, own)
			}
		}
	}
}

// A plane that does not separate the classes is told from classes that no plane separates.
func TestAuditOfAHardMarginOnOtherRows(t *testing.T) {
	x, y := onACircle(2)
	m, err := hyperplane.FitHardMargin(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	turned, err := hyperplane.NewHardMargin([]int{0, 1}, &linalg.Dense{Rows: 1, Cols: 3, Stride: 3, Data: []float64{0, 1, 0}}, []float64{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := turned.Audit(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	best := m.Report().Objective()
	if !math.IsInf(a.Report.Objective(), 1) || a.Report.Certificate().Value != 1 || a.NoMinimum != nil || math.Abs(a.Minimum-best) > 1e-7*best || len(a.Rows) == 0 {
		t.Errorf("a plane across the classes: %v", a)
	}
	if v := -float64(2*y[a.Rows[0].Row]-1) * x.At(a.Rows[0].Row, 1); v != a.Rows[0].Part {
		t.Errorf("the part of row %d is %v, its distance on the wrong side %v", a.Rows[0].Row, a.Rows[0].Part, v)
	}
	y[4] = 1 - y[4]
	y[7] = 1 - y[7]
	if a, err = m.Audit(x, y, nil); err != nil {
		t.Fatal(err)
	}
	none := (*hyperplane.InfeasibleError)(nil)
	if !errors.As(a.NoMinimum, &none) || none.Verify(x, y, nil) != nil || a.Report.Err(nil) == nil || !math.IsNaN(a.Minimum) {
		t.Errorf("no plane separates: %v, of the minimum %v", a, a.Minimum)
	}
}

// The minimum that an audit of a hard margin states by itself is none above the true one, also for
// margins of 1e-8 between rows far from 0, where weights whose sum is 1 to rounding move a point by
// more than the last digits of the margin. Between a and b on one side and c on the other, which is
// nearest to a point between them, it is 2‖b−a‖²/det(b−a, c−a)².
func TestAuditOfANarrowMarginStatesNoMoreThanTheMinimum(t *testing.T) {
	normal, y := []float64{0.6, 0.8}, []int{0, 0, 1}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		x := linalg.Zeros(3, 2)
		for i, along := range []float64{-r.Float64(), r.Float64(), 0} {
			away := 1e-8 * float64(y[i])
			x.Set(i, 0, 5+normal[0]*away-normal[1]*along)
			x.Set(i, 1, 5+normal[1]*away+normal[0]*along)
		}
		exactly := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
		minus := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
		times := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
		from := func(i, j int) *big.Rat { return minus(exactly(x.At(i, j)), exactly(x.At(0, j))) }
		det := minus(times(from(1, 0), from(2, 1)), times(from(1, 1), from(2, 0)))
		square := new(big.Rat).Add(times(from(1, 0), from(1, 0)), times(from(1, 1), from(1, 1)))
		least := new(big.Rat).Quo(times(exactly(2), square), times(det, det))

		intercept := -0.6*linalg.Dot(normal, x.Row(0)) - 0.4*linalg.Dot(normal, x.Row(2))
		m, err := hyperplane.NewHardMargin([]int{0, 1}, linalgtest.Rows(t, normal), []float64{intercept}, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Audit(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		stated := times(exactly(a.Report.Objective()), minus(exactly(1), exactly(a.Own.Value)))
		if above, _ := minus(new(big.Rat).Quo(stated, least), exactly(1)).Float64(); above > 1e-14 || above < -1e-9 {
			t.Errorf("seed %d: %v, a minimum above the true one by %g of it", seed, a.Own, above)
		}
	}
}

// The perceptron's audit counts rows, and says by evidence whether any plane does better.
func TestAuditOfAPerceptronSaysWhetherAPlaneSeparates(t *testing.T) {
	x, y := onACircle(2)
	m, err := hyperplane.FitPerceptron(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Audit(x, y, nil)
	if err != nil || a.Report.Err(nil) != nil || a.Own != m.Report().Certificate() || a.Report.Objective() != m.Report().Objective() || a.NoMinimum != nil {
		t.Fatalf("%v %v, the fit %v", a, err, m.Report())
	}
	coef, intercept := m.Coef()
	for _, mixed := range []bool{false, true} {
		if mixed {
			y[4], y[7] = 1-y[4], 1-y[7]
		}
		coef.Row(0)[0] *= -1
		other, err := hyperplane.NewPerceptron([]int{0, 1}, coef.Row(0), intercept[0])
		if err != nil {
			t.Fatal(err)
		}
		a, err := other.Audit(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		wrong, d := 0, 0.0
		for i, label := range y {
			if f := float64(2*label-1) * (intercept[0] + linalg.Dot(coef.Row(0), x.Row(i))); f <= 0 {
				wrong++
				d -= f
			}
		}
		c := a.Report.Certificate()
		if c.Kind != optimize.KindMisclassified || c.Value != float64(wrong)/90 || c.Holds() || math.Abs(a.Report.Objective()-d) > 1e-12*d || a.Minimum != 0 || len(a.Rows) == 0 {
			t.Errorf("%v, but %d rows of %g are wrong", a, wrong, d)
		}
		if none := (*hyperplane.InfeasibleError)(nil); mixed != errors.As(a.NoMinimum, &none) || mixed && none.Verify(x, y, nil) != nil {
			t.Errorf("classes mixed: %v, but %v", mixed, a)
		}
	}
}

// The certificate of a model that has multipliers of two words is its own in an audit too.
func TestAuditHasMultipliersOfTwoWords(t *testing.T) {
	x, y := linalgtest.Normal(0, 12, 3), make([]int, 12)
	for i := range 12 {
		y[i] = i % 2
		for j, v := range x.Row(i) {
			x.Set(i, j, 1e10*(1000+v))
		}
	}
	for _, loss := range []hyperplane.Loss{hyperplane.Hinge, hyperplane.SquaredHinge} {
		o := &hyperplane.SVCOptions{C: 1e4, Loss: loss, NoIntercept: true}
		m, err := hyperplane.FitSVC(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Audit(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		if m.Machines()[0].Remainders == nil || !a.Own.Holds() {
			t.Errorf("%v: fitted to %v, the audit says %v", loss, m.Report().Certificate(), a.Own)
		}
	}
}
