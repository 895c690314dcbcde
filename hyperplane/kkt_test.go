package hyperplane

import (
	"math"
	"testing"

	"halfspace/linalg"
)

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

func TestNamesOfUnknownConstants(t *testing.T) {
	if s := Inside.String() + " " + MarginCase(7).String(); s != "inside MarginCase(7)" {
		t.Error(s)
	}
}
