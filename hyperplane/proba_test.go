package hyperplane

import (
	"math"
	"reflect"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

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
		lt.Close(t, "sum", p[0]+p[1], 1, 1e-15)
		loss -= math.Log(p[v])
		base += math.Ln2
	}
	if loss > 0.8*base {
		t.Errorf("log-loss %g, of a coin %g", loss, base)
	}
	if p := mustSVC(t, x, y, nil).Proba(nil, x.Row(0)); !math.IsNaN(p[0]) {
		t.Errorf("probabilities nobody asked for: %v", p)
	}
	xi, labels, _ := lt.Table(t, "iris.csv", "species")
	yi, _ := lt.Codes(labels)
	for _, multi := range []Multi{OneVsOne, OneVsRest} {
		m := mustSVC(t, xi, yi, &SVCOptions{Probability: true, Multi: multi})
		wrong := 0
		for i := range yi {
			p := m.Proba(nil, xi.Row(i))
			lt.Close(t, "sum", p[0]+p[1]+p[2], 1, 1e-9)
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
	lt.CloseSlice(t, "p", m.Proba(nil, []float64{1}), want, 1e-9)
}
