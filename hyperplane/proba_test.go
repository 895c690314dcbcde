package hyperplane

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
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
			m.list = append(m.list, Machine{Plane: planeAt([]float64{0}, nil, 0)})
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

// coupled is algorithm 2 of Wu, Lin and Weng as it stands there: r[a][b] is the probability of
// a against b.
func coupled(r [][]float64, tol float64, order []int) []float64 {
	k := len(r)
	p, qp := make([]float64, k), make([]float64, k)
	q := linalg.Zeros(k, k)
	for a := range p {
		p[a] = 1 / float64(k)
		for b := range p {
			if a != b {
				q.Set(a, b, -r[b][a]*r[a][b])
				q.Set(a, a, q.At(a, a)+r[b][a]*r[b][a])
			}
		}
	}
	for range max(100, k) {
		pqp, worst := 0.0, 0.0
		for a := range p {
			qp[a] = 0
			for b := range p {
				qp[a] += q.At(a, b) * p[b]
			}
			pqp += p[a] * qp[a]
		}
		for a := range p {
			worst = max(worst, math.Abs(qp[a]-pqp))
		}
		if worst < tol {
			break
		}
		for _, a := range order {
			qpa, value := 0.0, 0.0
			for b := range p {
				qpa += q.At(a, b) * p[b]
				for c := range p {
					value += p[b] * q.At(b, c) * p[c]
				}
			}
			d := (value - qpa) / q.At(a, a)
			p[a] += d
			for b := range p {
				p[b] /= 1 + d
			}
		}
	}
	return p
}

// The probabilities of several classes are those of the algorithm's text, with LIBSVM's
// tolerance and without, for as many classes as fit no small buffer; those of two classes the
// sigmoid's, LIBSVM's kept from 0 and 1, scikit-learn's from the equations.
func TestProbabilitiesAreThoseOfTheText(t *testing.T) {
	for _, k := range []int{2, 3, 4, 16, 17} {
		for _, coupling := range []Coupling{Exact, LIBSVM, Scikit} {
			for seed := range uint64(4) {
				draw := lt.Normal(seed, k*k, 3)
				m := &SVCProba{coupling: coupling}
				m.classes = make([]int, k)
				r, order, tol := make([][]float64, k), make([]int, k), 1e-12
				for a := range r {
					r[a], order[a], m.classes[a] = make([]float64, k), a, a
				}
				if coupling != Exact {
					tol = 0.005 / float64(k)
				}
				row := []float64{1.5}
				m.pairs(func(c, a, b int) {
					m.list = append(m.list, Machine{Plane: plane(t, []float64{draw.At(c, 0)}, draw.At(c, 1))})
					m.platt = append(m.platt, sigmoid{-1 - float64(seed*seed*seed), 0.3 * draw.At(c, 2)})
					f := draw.At(c, 0)*1.5 + draw.At(c, 1)
					p := 1 / (1 + math.Exp(m.platt[c].A*f+m.platt[c].B))
					r[b][a] = min(max(p, 1e-7), 1-1e-7)
					r[a][b] = 1 - r[b][a]
				})
				want := coupled(r, tol, order)
				switch {
				case k == 2 && coupling == Scikit:
					want = coupled(r, tol, []int{1, 0})
				case k == 2 && coupling == LIBSVM:
					want = []float64{r[0][1], r[1][0]}
				case k == 2:
					f := draw.At(0, 0)*1.5 + draw.At(0, 1)
					z := m.platt[0].A*f + m.platt[0].B
					want = []float64{1 / (1 + math.Exp(-z)), 1 / (1 + math.Exp(z))}
				}
				got := m.Proba([]float64{7}, row)
				lt.CloseSlice(t, "probabilities", got[1:], want, 1e-11)
				if got[0] != 7 || len(got) != k+1 {
					t.Errorf("appended to 7: %v", got)
				}
			}
		}
	}
	for coupling, least := range map[Coupling]float64{Exact: math.Exp(-90), LIBSVM: 1e-7} {
		m := &SVCProba{coupling: coupling, platt: []sigmoid{{A: -1}}}
		m.classes, m.list = []int{0, 1}, []Machine{{Plane: plane(t, []float64{1}, 0)}}
		for side, x := range []float64{90, -90} {
			p := m.Proba(nil, []float64{x})
			lt.Close(t, "the less probable class", p[side], least, 1e-9*least)
			lt.Close(t, "the other", p[1-side], 1-least, 0)
		}
	}
}

// Two classes have one plane, whether or not it is said to be one against the rest, and the same
// probabilities.
func TestProbabilitiesOfTwoClassesDoNotDependOnMulti(t *testing.T) {
	for _, coupling := range []Coupling{Exact, LIBSVM, Scikit} {
		var p [2][]float64
		for k, multi := range []Multi{OneVsOne, OneVsRest} {
			m, err := NewSVC([]int{0, 1}, lt.Rows(t, []float64{1, 2}), []float64{3}, &SVCOptions{Multi: multi})
			if err != nil {
				t.Fatal(err)
			}
			proba, err := NewSVCProba(m, [][2]float64{{-0.5, 0.2}}, coupling)
			if err != nil {
				t.Fatal(err)
			}
			p[k] = proba.Proba(nil, []float64{-1, 0.5}) // f = 3
		}
		lt.CloseSlice(t, string(coupling)+", one against the rest", p[1], p[0], 0)
		lt.CloseSlice(t, string(coupling), p[0], []float64{linalg.Sigmoid(-1.3), linalg.Sigmoid(1.3)}, 0.02)
	}
}

// A sigmoid is the minimum of Platt's sum with targets by the weights of both sides, also
// where scores are far from 0 or small; scores that are alike have slope 0.
func TestSigmoidOfWeightedScores(t *testing.T) {
	for seed := range uint64(40) {
		draw := lt.Normal(seed, 12, 2)
		score, sign, w := draw.Col(nil, 0), make([]float64, 12), make([]float64, 12)
		shift, unit := []float64{0, 1e3, -50}[seed%3], []float64{1, 1e-6, 1e4}[seed/3%3]
		plus, minus := 0.0, 0.0
		for i := range sign {
			if sign[i], w[i] = -1, float64(i%4); draw.At(i, 1)+draw.At(i, 0) > 0.5 {
				sign[i] = 1
				plus += w[i]
			} else {
				minus += w[i]
			}
			score[i] = unit * (score[i] + shift)
		}
		weights := w
		if seed%2 == 0 {
			weights, plus, minus = nil, 0, 0
			for i, s := range sign {
				w[i] = 1
				plus, minus = plus+(1+s)/2, minus+(1-s)/2
			}
		}
		s, err := fitSigmoid(score, sign, weights)
		if err != nil {
			t.Fatal(seed, err)
		}
		slope, level, size := 0.0, 0.0, 0.0
		for i, f := range score {
			target := 1 / (minus + 2)
			if sign[i] > 0 {
				target = (plus + 1) / (plus + 2)
			}
			left := w[i] * (1/(1+math.Exp(s.A*f+s.B)) - target)
			slope += left * (f/unit - shift)
			level += left
			size += w[i]
		}
		if !(math.Abs(slope) <= 2e-5*size && math.Abs(level) <= 2e-5*size) {
			t.Errorf("seed %d: %v has gradient %g, %g", seed, s, slope, level)
		}
	}
	s, err := fitSigmoid([]float64{3, 3, 3, 3}, []float64{1, 1, 1, -1}, []float64{1, 1, 0, 1}) // targets ¾, ¾, ⅓
	if p := 1 / (1 + math.Exp(s.B)); err != nil || s.A != 0 || math.Abs(p-11./18) > 1e-15 {
		t.Errorf("of equal scores %+v, %v: %v", s, err, p)
	}
}

// The folds have each side's rows in turn: by number they differ by one at most, together and by side.
func TestFoldsOfSigmoidsAreEven(t *testing.T) {
	sign := []float64{1, -1, -1, 1, -1, -1, -1, 1, 1, -1, -1, -1, 1}
	fold := stratify(sign, nil, 4)
	for _, count := range [][plattFolds]int{countFolds(fold, sign, -1), countFolds(fold, sign, 1), countFolds(fold, sign, 0)} {
		least, most := len(sign), 0
		for _, c := range count {
			least, most = min(least, c), max(most, c)
		}
		if most > least+1 {
			t.Errorf("%v rows by fold", count)
		}
	}
	if other := stratify(sign, nil, 5); reflect.DeepEqual(fold, other) || !reflect.DeepEqual(fold, stratify(sign, nil, 4)) {
		t.Errorf("seed 4 draws %v, seed 5 %v", fold, other)
	}
}

// A row of weight 0 is the row deleted for the sigmoids too, whose folds the other rows are dealt to.
func TestSigmoidsOfDeletedRows(t *testing.T) {
	x, w, y := lt.Normal(3, 60, 2), make([]float64, 60), make([]int, 60)
	var kept []int
	var labels []int
	for i := range y {
		if x.Row(i)[0]+2*x.Row(i)[1]*float64(i%2) > 0 {
			y[i] = 1
		}
		if i%3 != 1 {
			kept, labels, w[i] = append(kept, i), append(labels, y[i]), 1
		}
	}
	whole, err := FitSVCProba(x, y, &SVCProbaOptions{SVCOptions: SVCOptions{Weights: w}})
	if err != nil {
		t.Fatal(err)
	}
	few, err := FitSVCProba(x.Select(kept), labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "A, B", []float64{whole.platt[0].A, whole.platt[0].B}, []float64{few.platt[0].A, few.platt[0].B}, 1e-4)
}

// countFolds counts the rows of a side by fold, of side 0 all.
func countFolds(fold []int, sign []float64, side float64) (count [plattFolds]int) {
	for i, k := range fold {
		if sign[i]*side >= 0 {
			count[k]++
		}
	}
	return count
}

func TestNewSVCProbaRefuses(t *testing.T) {
	m, err := NewSVC([]int{0, 1}, lt.Rows(t, []float64{1, 2}), []float64{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var shape *linalg.ShapeError
	if p, err := NewSVCProba(m, make([][2]float64, 2), Exact); p != nil || !errors.As(err, &shape) || shape.Want != 1 || shape.Got != 2 {
		t.Errorf("two sigmoids for a machine: %v, %v", p, err)
	}
	var finite *linalg.NonFiniteError
	if p, err := NewSVCProba(m, [][2]float64{{1, math.NaN()}}, Exact); p != nil || !errors.As(err, &finite) {
		t.Errorf("a sigmoid of NaN: %v, %v", p, err)
	}
	var option *sample.OptionError
	if p, err := NewSVCProba(m, [][2]float64{{1, 0}}, "sklearn"); p != nil || !errors.As(err, &option) || option.Name != "Coupling" {
		t.Errorf("a coupling that there is not: %v, %v", p, err)
	}
	p, err := NewSVCProba(m, [][2]float64{{-2, 0.5}}, LIBSVM)
	if err != nil {
		t.Fatal(err)
	}
	if ab, c := p.Sigmoids(); c != LIBSVM || !reflect.DeepEqual(ab, [][2]float64{{-2, 0.5}}) {
		t.Errorf("%v, %v", ab, c)
	}
}
