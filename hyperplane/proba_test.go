package hyperplane

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

func mustSVCProba(t *testing.T, x *linalg.Dense, y []int, o *SVCProbaOptions) *SVCProba {
	t.Helper()
	m, err := FitSVCProba(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSVCProbabilities(t *testing.T) {
	x, y := clouds(8, 400, 2, 1)
	o := &SVCProbaOptions{Seed: 3}
	m := mustSVCProba(t, x, y, o)
	again := mustSVCProba(t, x, y, o)
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
	if _, ok := any(mustSVC(t, x, y, nil)).(interface {
		Proba(dst, row []float64) []float64
	}); ok {
		t.Error("probabilities nobody asked for")
	}
	xi, labels, _ := lt.Table(t, "iris.csv", "species")
	yi, _ := lt.Codes(labels)
	for _, multi := range []Multi{OneVsOne, OneVsRest} {
		m := mustSVCProba(t, xi, yi, &SVCProbaOptions{SVCOptions: SVCOptions{Multi: multi}})
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
	m := &SVCProba{SVC: SVC{machines: machines{classes: []int{0, 1, 2}}}}
	for a := range 3 {
		for b := a + 1; b < 3; b++ {
			m.list = append(m.list, Machine{Plane: &Plane{beta: []float64{0}}})
			m.platt = append(m.platt, sigmoid{0, math.Log(want[a] / want[b])})
		}
	}
	lt.CloseSlice(t, "p", m.Proba(nil, []float64{1}), want, 1e-9)
}

// A record of a classifier with probabilities reads as one with them and as one
// without; one without does not become one with.
func TestSVCProbaRecord(t *testing.T) {
	x, labels, _ := lt.Table(t, "iris.csv", "species")
	y, _ := lt.Codes(labels)
	m := mustSVCProba(t, x, y, nil)
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back SVCProba
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(m, &back) {
		t.Errorf("%+v became %+v, %v", m, &back, err)
	}
	var plain SVC
	if err := json.Unmarshal(b, &plain); err != nil || !reflect.DeepEqual(&m.SVC, &plain) {
		t.Errorf("%+v became %+v, %v", m.SVC, &plain, err)
	}
	if b, err = json.Marshal(&plain); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &back); err == nil {
		t.Error("probabilities out of a record without them")
	}
}

// A stopped fit has a model, in which a machine without a sigmoid says ½.
func TestStoppedSVCProbaHasAModel(t *testing.T) {
	x, y := clouds(8, 400, 2, 1)
	o := &SVCProbaOptions{SVCOptions: SVCOptions{Trace: func(optimize.Step) error { return errors.New("enough") }}}
	m, err := FitSVCProba(x, y, o)
	if !errors.Is(err, optimize.ErrNotConverged) || m == nil {
		t.Fatal(m, err)
	}
	lt.CloseSlice(t, "p", m.Proba(nil, x.Row(0)), []float64{0.5, 0.5}, 0)
}

// The trace sees the steps of the five fits behind the probabilities, and can end them: the
// classifier is then made, and says ½.
func TestTraceEndsTheFitsOfProbabilities(t *testing.T) {
	x, y := linalg.Zeros(60, 2), make([]int, 60)
	for i := range y {
		y[i] = i % 2
		x.Set(i, 0, math.Sin(float64(7*i))+float64(y[i]))
		x.Set(i, 1, math.Cos(float64(5*i)))
	}
	steps := 0
	count := func(optimize.Step) error { steps++; return nil }
	if _, err := FitSVC(x, y, &SVCOptions{Trace: count}); err != nil {
		t.Fatal(err)
	}
	alone, enough := steps, errors.New("enough")
	steps = 0
	m, err := FitSVCProba(x, y, &SVCProbaOptions{SVCOptions: SVCOptions{Trace: func(optimize.Step) error {
		if steps++; steps > alone {
			return enough
		}
		return nil
	}}})
	if m == nil || !errors.Is(err, enough) || !errors.Is(err, optimize.ErrNotConverged) || steps != alone+1 {
		t.Fatalf("%d steps beside %d: %v, %v", steps, alone, m, err)
	}
	if p := m.Proba(nil, x.Row(0)); m.Report().Status() != optimize.Converged || p[0] != 0.5 || p[1] != 0.5 {
		t.Errorf("%v, probabilities %v", m.Report(), p)
	}
}

// Where every sigmoid of one class against the rest rounds to 0, the probabilities are
// still those of its quotients.
func TestProbabilitiesFarFromEveryClass(t *testing.T) {
	m := &SVCProba{}
	m.classes, m.multi = []int{0, 1, 2}, OneVsRest
	for k := range 3 {
		plane, err := NewPlane([]float64{-1}, float64(k)/2)
		if err != nil {
			t.Fatal(err)
		}
		m.list = append(m.list, Machine{Plane: plane})
		m.platt = append(m.platt, sigmoid{A: -1})
	}
	e := math.Sqrt(math.E)
	for _, x := range []float64{30, 700, 800, 1e10} {
		lt.CloseSlice(t, "probabilities", m.Proba(nil, []float64{x}), []float64{1 / (1 + e + e*e), e / (1 + e + e*e), e * e / (1 + e + e*e)}, 1e-6)
	}
	m.platt[0].A, m.platt[1].A, m.platt[2].A = -1e305, -1e305, -1e305
	lt.CloseSlice(t, "probabilities of scores without end", m.Proba(nil, []float64{1e10}), []float64{1. / 3, 1. / 3, 1. / 3}, 1e-15)
}
