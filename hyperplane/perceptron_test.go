package hyperplane

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// history collects (β₀, β) by epoch.
type history [][]float64

func (h *history) trace(s optimize.Step) error {
	*h = append(*h, slices.Clone(s.X))
	return nil
}

// The steps of three points, worked by hand with ρ = 1 from zero:
//
//	row  x       y   f before    after: β₀, β
//	1    (2, 1)  +1  0      no    1   2  1
//	2    (1, 3)  −1  6 → −6 no    0   1 −2
//	3    (−1,0)  −1  −1→ 1 yes    0   1 −2
//	1    (2, 1)  +1  0      no    1   3 −1
//	2    (1, 3)  −1  1 → −1 no    0   2 −4
//	3            −1  −2→ 2 yes
//	1    (2, 1)  +1  0      no    1   4 −3
//	2    (1, 3)  −1  −4     yes
//	3            −1  −3     yes
//	1    (2, 1)  +1  6      yes, and all others: separated
func TestPerceptronByHand(t *testing.T) {
	x := lt.Rows(t, []float64{2, 1}, []float64{1, 3}, []float64{-1, 0})
	y := []int{1, -1, -1}
	var h history
	m, err := FitPerceptron(x, y, &PerceptronOptions{Trace: h.trace})
	if err != nil {
		t.Fatal(err)
	}
	want := history{{0, 0, 0}, {0, 1, -2}, {0, 2, -4}, {1, 4, -3}, {1, 4, -3}}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("planes by epoch %v, want %v", h, want)
	}
	if m.Updates() != 5 || m.Misclassified() != 0 || m.Report().Status() != optimize.Converged || m.Report().Iterations() != 4 {
		t.Errorf("%d updates, %d misclassified, %+v", m.Updates(), m.Misclassified(), m.Report())
	}
	coef, intercept := m.Coef()
	lt.CloseSlice(t, "coef", coef.Data, []float64{4, -3}, 0)
	lt.CloseSlice(t, "intercept", intercept, []float64{1}, 0)
}

// Rows of a table that is larger than caches are visited as the rule says, in their order and in one
// that is drawn, up to the last.
func TestPerceptronOfLargeTables(t *testing.T) {
	for _, p := range []int{40, 900} {
		r := rand.New(rand.NewPCG(1, uint64(p)))
		x := linalg.Zeros((1<<19)/p+10, p)
		for i := range x.Data {
			x.Data[i] = r.NormFloat64()
		}
		y := make([]int, x.Rows)
		for i := range y {
			y[i] = 2*r.IntN(2) - 1
		}
		for _, o := range []*PerceptronOptions{{MaxEpochs: 1}, {MaxEpochs: 1, Order: Shuffled, Seed: 3}} {
			order := make([]int, x.Rows)
			for i := range order {
				order[i] = i
			}
			if o.Order == Shuffled {
				draw := rand.New(rand.NewPCG(o.Seed, 0))
				draw.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			}
			b0, b := 0.0, make([]float64, p)
			for _, i := range order {
				if s := float64(y[i]); s*(b0+linalg.Dot(x.Row(i), b)) <= 0 {
					b0 += s
					linalg.Axpy(b, s, x.Row(i))
				}
			}
			s, err := newPerceptron(x, y, o)
			if err != nil {
				t.Fatal(err)
			}
			if s.runEpoch(); !s.now.equal(weights{b0, b}) {
				t.Errorf("%d columns, %v: another plane than row by row", p, o.Order)
			}
		}
	}
}

// The same three points by the other rules. Worst: at zero all have y·f = 0 and
// the first moves it; then row 2 has −6. Batch: at zero all are wrong and their
// sum moves it to (1−1−1, 2−1+1, 1−3) = (−1, 2, −2), f = 1, −5, −3.
func TestPerceptronWorstAndBatchByHand(t *testing.T) {
	x := lt.Rows(t, []float64{2, 1}, []float64{1, 3}, []float64{-1, 0})
	y := []int{1, -1, -1}
	var worst, batch history
	if _, err := FitPerceptron(x, y, &PerceptronOptions{Order: Worst, Trace: worst.trace}); err != nil {
		t.Fatal(err)
	}
	if want := (history{{0, 0, 0}, {1, 2, 1}, {0, 1, -2}}); !reflect.DeepEqual(worst[:3], want) {
		t.Errorf("worst: %v, want %v …", worst, want)
	}
	if _, err := FitPerceptron(x, y, &PerceptronOptions{Order: Batch, Trace: batch.trace}); err != nil {
		t.Fatal(err)
	}
	if want := (history{{0, 0, 0}, {-1, 2, -2}, {-1, 2, -2}}); !reflect.DeepEqual(batch, want) {
		t.Errorf("batch: %v, want %v", batch, want)
	}
}

// D at β₀ = −1, β = (1, 0) over (3, 0)+ right, (0, 0)+ wrong by 1, (1, 5)− on
// the plane, (4, 1)− wrong by 3: D = 4, three of four rows misclassified.
func TestPerceptronCriterion(t *testing.T) {
	x := lt.Rows(t, []float64{3, 0}, []float64{0, 0}, []float64{1, 5}, []float64{4, 1})
	var first optimize.Step
	stop := errors.New("enough")
	m, err := FitPerceptron(x, []int{1, 1, 0, 0}, &PerceptronOptions{Start: plane(t, []float64{1, 0}, -1), Trace: func(s optimize.Step) error {
		first = s
		return stop
	}})
	if !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged) || m == nil || m.Report().Status() != optimize.Stopped {
		t.Fatalf("%v, %v", m, err)
	}
	lt.CloseSlice(t, "D, share", []float64{first.Objective, first.Certificate, m.Report().Objective()}, []float64{4, .75, 4}, 0)
}

// A trace that stops the fit at a plane without errors has stopped it all the same.
func TestPerceptronStoppedAtTheEnd(t *testing.T) {
	stop := errors.New("enough")
	m, err := FitPerceptron(lt.Rows(t, []float64{1}, []float64{-1}), []int{1, 0}, &PerceptronOptions{Trace: func(s optimize.Step) error {
		if s.Certificate == 0 {
			return stop
		}
		return nil
	}})
	if !errors.Is(err, stop) || m == nil || m.Report().Status() != optimize.Stopped || m.Misclassified() != 0 || m.Report().Iterations() != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}

// D is the sum of the perceptron's loss over all rows.
func TestPerceptronCriterionIsItsLoss(t *testing.T) {
	x, sign := lt.Normal(14, 40, 3), make([]float64, 40)
	y, f := make([]int, 40), make([]float64, 40)
	for i := range y {
		y[i] = i % 2
		sign[i] = float64(2*y[i] - 1)
	}
	if _, err := FitPerceptron(x, y, &PerceptronOptions{MaxEpochs: 5, Trace: func(s optimize.Step) error {
		p := plane(t, s.X[1:], s.X[0])
		for i := range f {
			f[i] = p.Value(x.Row(i))
		}
		lt.Close(t, "D", s.Objective, loss.Rows(loss.Perceptron{}, nil, sign, f, nil), 1e-13)
		return nil
	}}); !errors.Is(err, optimize.ErrNotConverged) {
		t.Error(err)
	}
}

// separable draws n rows of p normal features whose distance from a plane through
// the origin is at least gap.
func separable(seed uint64, n, p int, gap float64) (*linalg.Dense, []int) {
	x := lt.Normal(seed, n, p)
	y := make([]int, n)
	for i := range y {
		row := x.Row(i)
		y[i] = i % 2
		row[0] = (math.Abs(row[0]) + gap) * float64(2*y[i]-1)
	}
	return x, y
}

func TestPerceptronSeparates(t *testing.T) {
	x, y := separable(3, 300, 5, 0.1)
	for _, o := range []PerceptronOptions{
		{}, {Order: Shuffled, Seed: 4}, {Order: Worst}, {Order: Batch}, {Rate: 1e-3}, {Random: true, Seed: 5},
		{Pocket: true}, {Average: true}, {Average: true, Order: Shuffled}, {Average: true, Order: Batch}, {Pocket: true, Order: Worst},
	} {
		name := fmt.Sprintf("%v pocket %v average %v", o.Order, o.Pocket, o.Average)
		m, err := FitPerceptron(x, y, &o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !m.Report().Certificate().Holds() {
			t.Errorf("%s: %+v", name, m.Report())
		}
		g, err := m.Plane().Margins(x, y, nil)
		if err != nil || g.Misclassified != 0 || g.Margin() <= 0 {
			t.Errorf("%s: %d misclassified, %v", name, g.Misclassified, err)
		}
		pred, err := m.PredictRows(nil, x)
		if err != nil || !slices.Equal(pred, y) {
			t.Errorf("%s: the labels predicted are not those of the rows, %v", name, err)
		}
	}
}

func TestPerceptronRateOnlyScalesFromZero(t *testing.T) {
	x, y := separable(6, 100, 3, 0.05)
	one, err1 := FitPerceptron(x, y, nil)
	quarter, err2 := FitPerceptron(x, y, &PerceptronOptions{Rate: 0.25})
	if err1 != nil || err2 != nil || one.Updates() != quarter.Updates() || !one.Plane().Equal(quarter.Plane(), 1e-15) {
		t.Error(err1, err2, one.Updates(), quarter.Updates())
	}
}

// xor cannot be separated: the integer planes come back to where they were.
func TestPerceptronSaysCycle(t *testing.T) {
	x := lt.Rows(t, []float64{0, 0}, []float64{1, 1}, []float64{0, 1}, []float64{1, 0})
	y := []int{0, 0, 1, 1}
	for _, order := range []PerceptronOrder{Cyclic, Worst, Batch} {
		var h history
		m, err := FitPerceptron(x, y, &PerceptronOptions{Order: order, MaxEpochs: 50, Trace: h.trace})
		if m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Report().Status() != optimize.MaxIterations || m.Report().Iterations() != 50 {
			t.Fatalf("%v: %v, %v", order, m, err)
		}
		if m.Cycle() == 0 || !slices.Equal(h[50], h[50-m.Cycle()]) {
			t.Errorf("%v: cycle %d", order, m.Cycle())
		}
		if m.Misclassified() == 0 {
			t.Errorf("%v: nothing misclassified", order)
		}
	}
	m, err := FitPerceptron(x, y, &PerceptronOptions{Order: Shuffled, MaxEpochs: 50})
	if m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Cycle() != 0 {
		t.Errorf("shuffled: %v, %v", m, err)
	}
}

// The pocket never has more rows wrong than any plane at the end of an epoch.
func TestPerceptronPocket(t *testing.T) {
	x := lt.Normal(8, 400, 3)
	y := make([]int, x.Rows)
	for i := range y {
		if x.At(i, 0)+0.5*x.At(i, 1)+0.7*x.At(i, 2) > 0 != (i%10 == 0) {
			y[i] = 1
		}
	}
	least := math.Inf(1)
	see := func(s optimize.Step) error { least = min(least, s.Certificate); return nil }
	for _, o := range []PerceptronOptions{{}, {Order: Shuffled, Seed: 1}, {Order: Worst}, {Order: Batch}} {
		o.MaxEpochs, o.Pocket, o.Trace, least = 30, true, see, math.Inf(1)
		m, err := FitPerceptron(x, y, &o)
		if m == nil || !errors.Is(err, optimize.ErrNotConverged) {
			t.Fatal(m, err)
		}
		g, err := m.Plane().Margins(x, y, nil)
		if err != nil || g.Misclassified != m.Misclassified() || m.Report().Certificate().Value > least {
			t.Errorf("%v: %d said, %d counted, an epoch ended with %g", o.Order, m.Misclassified(), g.Misclassified, 400*least)
		}
		if o.Order < Worst && m.Misclassified() > 60 { // the other two make 30 steps only
			t.Errorf("%v: %d of 400 misclassified with a tenth of the labels wrong", o.Order, m.Misclassified())
		}
	}
}

// The mean of the planes, taken from a trace that sees every visit: one row an
// epoch of the batch rule is one visit.
func TestPerceptronAverage(t *testing.T) {
	x := lt.Normal(9, 40, 2)
	y := make([]int, x.Rows)
	for i := range y {
		y[i] = i % 2
	}
	for _, order := range []PerceptronOrder{Worst, Batch} {
		var h history
		m, err := FitPerceptron(x, y, &PerceptronOptions{Order: order, Average: true, MaxEpochs: 25, Trace: h.trace})
		if m == nil || !errors.Is(err, optimize.ErrNotConverged) {
			t.Fatal(m, err)
		}
		mean := make([]float64, 3)
		for _, w := range h[1:] {
			linalg.Axpy(mean, 1./25, w)
		}
		lt.CloseSlice(t, order.String(), append([]float64{m.Plane().Intercept()}, m.Plane().Normal()...), mean, 1e-13)
	}
	// Row by row: the planes after each visit, from the prefixes of one epoch.
	m, _ := FitPerceptron(x, y, &PerceptronOptions{Average: true, MaxEpochs: 1})
	mean := make([]float64, 3)
	w := make([]float64, 3)
	for i := range y {
		s := float64(2*y[i] - 1)
		if z := append([]float64{1}, x.Row(i)...); s*linalg.Dot(w, z) <= 0 {
			linalg.Axpy(w, s, z)
		}
		linalg.Axpy(mean, 1./40, w)
	}
	lt.CloseSlice(t, "cyclic", append([]float64{m.Plane().Intercept()}, m.Plane().Normal()...), mean, 1e-13)
}

func TestPerceptronReproducible(t *testing.T) {
	x := lt.Normal(10, 200, 4)
	y := make([]int, x.Rows)
	for i := range y {
		y[i] = i % 2
	}
	fit := func(workers int, seed uint64) string {
		m, _ := FitPerceptron(x, y, &PerceptronOptions{Order: Shuffled, Random: true, Seed: seed, MaxEpochs: 5, Workers: workers, Pocket: true})
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if a := fit(1, 7); a != fit(1, 7) || a != fit(3, 7) || a == fit(1, 8) {
		t.Error("the same seed does not make the same model, or another seed does")
	}
}

func TestPerceptronRefuses(t *testing.T) {
	x := lt.Rows(t, []float64{0, 1}, []float64{1, 0}, []float64{2, 2})
	y := []int{0, 1, 1}
	bad := lt.Rows(t, []float64{0, 1}, []float64{1, math.Inf(1)}, []float64{math.NaN(), 2})
	away, err := NewPlaneAt([]float64{1e200, 1}, []float64{1e200, 0}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var far *linalg.RangeError
	var shape *linalg.ShapeError
	var finite *linalg.NonFiniteError
	var class *linalg.ClassError
	var option *sample.OptionError
	for name, c := range map[string]struct {
		x  *linalg.Dense
		y  []int
		o  PerceptronOptions
		as any
	}{
		"nil x":         {nil, nil, PerceptronOptions{}, &shape},
		"labels":        {x, y[:2], PerceptronOptions{}, &shape},
		"Inf":           {bad, y, PerceptronOptions{}, &finite},
		"one class":     {x, []int{3, 3, 3}, PerceptronOptions{}, &class},
		"three classes": {x, []int{1, 2, 3}, PerceptronOptions{}, &class},
		"class list":    {x, y, PerceptronOptions{Classes: []int{0, 2}}, &class},
		"missing class": {x, y, PerceptronOptions{Classes: []int{0, 1, 2}}, &class},
		"rate":          {x, y, PerceptronOptions{Rate: -1}, &option},
		"rate NaN":      {x, y, PerceptronOptions{Rate: math.NaN()}, &option},
		"epochs":        {x, y, PerceptronOptions{MaxEpochs: -1}, &option},
		"workers":       {x, y, PerceptronOptions{Workers: -1}, &option},
		"order":         {x, y, PerceptronOptions{Order: 9}, &option},
		"two answers":   {x, y, PerceptronOptions{Pocket: true, Average: true}, &option},
		"two starts":    {x, y, PerceptronOptions{Random: true, Start: plane(t, []float64{1, 1}, 0)}, &option},
		"far start":     {x, y, PerceptronOptions{Start: away}, &far},
		"start":         {x, y, PerceptronOptions{Start: plane(t, []float64{1}, 0)}, &shape},
	} {
		if m, err := FitPerceptron(c.x, c.y, &c.o); m != nil || !errors.As(err, c.as) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	if _, err := FitPerceptron(bad, y, nil); err == nil || err.Error() != "hyperplane: x: row 1, column 1 is +Inf" {
		t.Error(err)
	}
}

// A plane within range that has no scores on the rows themselves says so, and not that its epochs were too few.
func TestPerceptronWithoutScores(t *testing.T) {
	x := lt.Rows(t, []float64{0x1p440, 0x1p439}, []float64{0x1p439, -0x1p440}, []float64{0x1p440, 0x1p440}, []float64{0x1p438, 0x1p440})
	m, err := FitPerceptron(x, []int{0, 1, 1, 0}, &PerceptronOptions{Rate: 1e100, MaxEpochs: 5})
	if m == nil || m.Report().Status() != optimize.NotFinite || !strings.Contains(err.Error(), "overflow") {
		t.Errorf("%v, %v", m, err)
	}
}

// A huge rate makes a plane overflow: the last finite one comes back.
func TestPerceptronOverflow(t *testing.T) {
	x := lt.Rows(t, []float64{1.5e8}, []float64{1e8}, []float64{-1e8})
	m, err := FitPerceptron(x, []int{1, 1, 0}, &PerceptronOptions{Rate: 1e300, Order: Batch})
	if m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Report().Status() != optimize.NotFinite || m.Plane().Normal()[0] != 0 || !strings.Contains(err.Error(), "overflow") {
		t.Fatal(m, err)
	}
	if b, err := json.Marshal(m); err != nil {
		t.Error(string(b), err)
	}
}

func TestPerceptronRecord(t *testing.T) {
	x := lt.Normal(12, 60, 3)
	y := make([]int, x.Rows)
	for i := range y {
		y[i] = 10 * (i % 2)
	}
	m, _ := FitPerceptron(x, y, &PerceptronOptions{MaxEpochs: 3, Rate: 1. / 3})
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back Perceptron
	m.evidence = nil // it is about rows that the record does not have
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(*m, back) {
		t.Errorf("%+v became %+v, %v", *m, back, err)
	}
	var damage *record.DamageError
	for _, r := range []perceptronRecord{
		{twoClassesRecord: twoClassesRecord{Classes: []int{1, 1}, Plane: m.plane}},
		{twoClassesRecord: twoClassesRecord{Classes: []int{1}, Plane: m.plane}},
		{twoClassesRecord: twoClassesRecord{Classes: []int{0, 1}}},
		{twoClassesRecord: m.TwoClasses.record(), Updates: -1},
	} {
		b, err := record.Marshal(perceptronKind, 1, r)
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Perceptron).UnmarshalJSON(b); !errors.As(err, &damage) {
			t.Errorf("%s: %v", b, err)
		}
	}
}

func TestPerceptronPredictsWithoutAllocating(t *testing.T) {
	x, y := separable(13, 50, 4, 0.2)
	m, err := FitPerceptron(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	scores, labels := make([]float64, 0, 2), make([]int, x.Rows)
	if n := testing.AllocsPerRun(10, func() {
		scores = m.Scores(scores[:0], x.Row(0))
		m.Predict(x.Row(1))
		labels, _ = m.PredictRows(labels[:0], x)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if f := m.Plane().Value(x.Row(0)); scores[1]-scores[0] != f {
		t.Errorf("scores %v, f %v", scores, f)
	}
	if s := m.Scores(nil, []float64{1, math.NaN(), 0, 0}); s[0] == s[0] || s[1] == s[1] {
		t.Errorf("scores of a NaN: %v", s)
	}
	if _, err := m.PredictRows(nil, lt.Normal(1, 2, 3)); err == nil {
		t.Error("three columns for four features")
	}
}

func ExampleFitPerceptron() {
	x, _ := linalg.FromRows([][]float64{{2, 1}, {1, 3}, {-1, 0}})
	m, err := FitPerceptron(x, []int{1, -1, -1}, nil)
	if err != nil {
		panic(err)
	}
	coef, intercept := m.Coef()
	fmt.Println(intercept, coef.Row(0), "after", m.Updates(), "updates")
	fmt.Println(m.Predict([]float64{3, 0}))
	// Output:
	// [1] [4 -3] after 5 updates
	// 1
}

func BenchmarkPerceptron(b *testing.B) {
	x := lt.Normal(1, 100_000, 100)
	y := make([]int, x.Rows)
	beta := lt.Normal(2, 1, 100).Data
	noise := lt.Normal(3, 1, x.Rows).Data
	for i := range y {
		if linalg.Dot(beta, x.Row(i))+10*noise[i] > 0 {
			y[i] = 1
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if m, _ := FitPerceptron(x, y, &PerceptronOptions{MaxEpochs: 10}); m == nil {
			b.Fatal("no model")
		}
	}
}

// The sum behind the mean of planes overflows though no plane at the end of an epoch does:
// the last one comes back and can be saved.
func TestPerceptronAverageOverflow(t *testing.T) {
	x := lt.Rows(t, []float64{1.7e8}, []float64{-1.7e8}, []float64{1e-100}, []float64{-2e-100})
	m, err := FitPerceptron(x, []int{1, 1, 0, 0}, &PerceptronOptions{Rate: 1e300, Average: true, MaxEpochs: 40})
	if m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Report().Status() != optimize.NotFinite {
		t.Fatal(m, err)
	}
	var back Perceptron
	if b, err := json.Marshal(m); err != nil || json.Unmarshal(b, &back) != nil {
		t.Error(string(b), err)
	}
}

// Data that cannot be separated: the end at the cap, with the count of wrong rows.
func TestPerceptronCap(t *testing.T) {
	x, y := lt.Normal(35, 60, 2), make([]int, 60)
	for i := range y {
		y[i] = i % 2
	}
	for _, pocket := range []bool{false, true} {
		m, err := FitPerceptron(x, y, &PerceptronOptions{MaxEpochs: 7, Pocket: pocket})
		if m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Report().Status() != optimize.MaxIterations || m.Report().Iterations() != 7 {
			t.Fatalf("pocket %v: %v", pocket, err)
		}
		g, err := m.Plane().Margins(x, y, nil)
		if err != nil || g.Misclassified != m.Misclassified() || m.Misclassified() == 0 {
			t.Errorf("pocket %v: %d rows misclassified, it says %d, %v", pocket, g.Misclassified, m.Misclassified(), err)
		}
	}
}
