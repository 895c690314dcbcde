package hyperplane_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
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
				coef, intercept := m.Coef()
				disturb(coef.Data, change)
				if !o.NoIntercept {
					disturb(intercept, change)
				}
				other, err := hyperplane.NewSVC(m.Classes(), coef, intercept, o)
				if err != nil {
					return nil, err
				}
				return other.Audit(x, y, o)
			}}
		}
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
			coef, intercept := m.Coef()
			disturb(coef.Data, change)
			if !o.NoIntercept {
				disturb(intercept, change)
			}
			other, err := hyperplane.NewSVR(coef.Row(0), intercept[0], o)
			if err != nil {
				return nil, err
			}
			return other.Audit(x, response, o)
		}}
	}
	return all
}

func disturb(v []float64, change float64) {
	r := rand.New(rand.NewPCG(9, 9))
	for i := range v {
		v[i] += change * r.NormFloat64()
	}
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
