package hyperplane

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// rosenblatt is the rule as its documentation states it, one plane after the other.
type rosenblatt struct {
	planes  [][]float64 // (β₀, β) by epoch
	plane   []float64   // published
	updates int
	cost    float64 // of the pocket's plane
}

func byTheRule(x *linalg.Dense, y []int, o *PerceptronOptions) (r rosenblatt) {
	n, p := x.Dims()
	rng, w, rate := rand.New(rand.NewPCG(o.Seed, 0)), make([]float64, p+1), o.Rate
	if rate == 0 {
		rate = 1
	}
	if o.Start != nil {
		w = append([]float64{o.Start.Intercept()}, o.Start.Normal()...)
	}
	if o.Random {
		if b := rng.NormFloat64(); !o.NoIntercept {
			w[0] = b
		}
		for j := range p {
			w[j+1] = rng.NormFloat64()
		}
	}
	f := func(w []float64, i int) float64 {
		return float64(2*y[i]-1) * (w[0] + linalg.Dot(w[1:], x.Row(i)))
	}
	weight := func(i int) float64 {
		if o.ClassWeights == nil {
			return 1
		}
		return o.ClassWeights[y[i]]
	}
	cost := func(w []float64) (c float64) {
		for i := range n {
			if !(f(w, i) > 0) {
				c += weight(i)
			}
		}
		return c
	}
	r.cost = math.Inf(1)
	meet := func() {
		if c := cost(w); o.Pocket && c < r.cost {
			r.cost, r.plane = c, slices.Clone(w)
		}
	}
	move := func(i int) {
		s := rate * weight(i) * float64(2*y[i]-1)
		if !o.NoIntercept {
			w[0] += s
		}
		linalg.Axpy(w[1:], s, x.Row(i))
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	sum, visits := make([]float64, p+1), 0.0
	visited := func() {
		linalg.Axpy(sum, 1, w)
		visits++
	}
	meet()
	r.planes = append(r.planes, slices.Clone(w))
	for range o.MaxEpochs {
		before := r.updates
		switch o.Order {
		case Worst, Batch:
			worst, wrong := 0, []int(nil)
			for i := range n {
				if f(w, i) < f(w, worst) {
					worst = i
				}
				if !(f(w, i) > 0) {
					wrong = append(wrong, i)
				}
			}
			if o.Order == Worst && wrong != nil {
				wrong = []int{worst}
			}
			for _, i := range wrong {
				move(i)
			}
			if wrong != nil {
				r.updates++
			}
			visited()
		default:
			if o.Order == Shuffled {
				rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
			}
			for _, i := range order {
				if !(f(w, i) > 0) {
					meet()
					move(i)
					r.updates++
				}
				visited()
			}
		}
		meet()
		r.planes = append(r.planes, slices.Clone(w))
		mean := slices.Clone(sum)
		linalg.Scale(mean, 1/visits)
		if o.Average {
			r.plane = mean
		}
		if r.updates == before && (!o.Average || cost(mean) == 0) {
			break
		}
	}
	if r.plane == nil {
		r.plane = w
	}
	return r
}

// In every order, from any start, with any of the planes published, the fit is the rule.
func TestPerceptronIsTheRule(t *testing.T) {
	cycles, ends := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 111))
		n, p := 4+r.IntN(12), 1+r.IntN(3)
		x, y := linalg.Zeros(n, p), make([]int, n)
		for i := range n {
			y[i] = r.IntN(2)
			for j := range p { // halves, so that sums are exact
				x.Set(i, j, float64(r.IntN(9)-4)/2+float64(int(seed%3)*(2*y[i]-1)))
			}
		}
		y[0], y[1] = 0, 1
		o := &PerceptronOptions{Order: PerceptronOrder(seed % 4), MaxEpochs: 1 + r.IntN(200), NoIntercept: r.IntN(4) == 0, Rate: []float64{0, 0.5, 2}[r.IntN(3)]}
		switch r.IntN(3) {
		case 0:
			o.Pocket = true
		case 1:
			o.Average = true
		}
		if o.ClassWeights = [][]float64{nil, {1, 2}}[r.IntN(2)]; o.Order == Shuffled {
			o.Seed = seed
		}
		switch r.IntN(3) {
		case 0:
			o.Random, o.Seed = true, seed+1
		case 1:
			o.Start = planeAt(make([]float64, p), nil, 0.5)
			o.Start.beta()[0] = -1.5
		}
		want := byTheRule(x, y, o)
		m, err := FitPerceptron(x, y, o)
		if m == nil {
			t.Fatal(seed, err)
		}
		epochs := len(want.planes) - 1
		got := append([]float64{m.Plane().Intercept()}, m.Plane().Normal()...)
		wrong, criterion, size := 0, 0.0, 1+linalg.NormInf(want.plane)
		for i, label := range y {
			if f := float64(2*label-1) * m.Plane().Value(x.Row(i)); !(f > 0) {
				wrong++
				if criterion -= f; o.ClassWeights != nil {
					criterion -= f * (o.ClassWeights[label] - 1)
				}
			}
		}
		for j, v := range want.plane {
			if !(math.Abs(got[j]-v) <= 1e-12*size*float64(epochs)) {
				t.Fatalf("seed %d, %+v: plane %v, want %v", seed, o, got, want.plane)
			}
		}
		rep := m.Report()
		if m.Updates() != want.updates || rep.Iterations() != epochs || m.Misclassified() != wrong || rep.Certificate().Value != float64(wrong)/float64(n) || math.Abs(rep.Objective()-criterion) > 1e-10*(1+criterion) {
			t.Errorf("seed %d, %+v: %d updates, %v, %d wrong; want %d, %d epochs, %d, criterion %g", seed, o, m.Updates(), rep, m.Misclassified(), want.updates, epochs, wrong, criterion)
		}
		if (err == nil) != (rep.Status() == optimize.Converged) || err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("seed %d: %v with %v", seed, rep, err)
		}
		if err == nil {
			ends++
		}
		if o.Order == Shuffled || o.Random { // drawn planes do not come back
			continue
		}
		// The first plane that comes back, and after how many epochs.
		first, period := len(want.planes), 0
		for e := 1; e < len(want.planes) && period == 0; e++ {
			for b := range e {
				if slices.Equal(want.planes[b], want.planes[e]) {
					first, period = b, e-b
				}
			}
		}
		switch c := m.Cycle(); {
		case c > 0 && c != period:
			t.Errorf("seed %d: cycle %d, want %d", seed, c, period)
		case c > 0:
			cycles++
		case err != nil && period > 0 && m.evidence != nil && len(m.Evidence().Multipliers) > 0 && 4*(first+period+1) < epochs:
			t.Errorf("seed %d: planes repeat every %d epochs from %d on, and that is not said after %d", seed, period, first, epochs)
		}
	}
	if cycles < 15 || ends < 50 {
		t.Errorf("%d cycles, %d ends", cycles, ends)
	}
}

// Where a trace has ended one of the planes, those after it are not begun, though it would let them.
func TestPlanesAfterAnEndedOneAreNotBegun(t *testing.T) {
	x, y := lt.Normal(3, 60, 3), make([]int, 60)
	for i := range y {
		y[i] = i % 3
		x.Row(i)[i%3] += 9
	}
	calls := 0
	m, err := FitHardMargin(x, y, &HardMarginOptions{Trace: func(optimize.Step) error {
		if calls++; calls == 1 {
			return errors.New("enough")
		}
		return nil
	}})
	if m == nil || err == nil || calls != 1 {
		t.Fatalf("%d calls: %v, %v", calls, m, err)
	}
	for k, want := range []optimize.Status{optimize.Stopped, optimize.None, optimize.None} {
		if got := m.list[k].Report.Status(); got != want {
			t.Errorf("plane %d is %v, want %v", k, got, want)
		}
	}
}

// An error says that planes repeat where they do, and nothing of it elsewhere.
func TestErrorsOfPlanesThatRepeat(t *testing.T) {
	x := lt.Rows(t, []float64{0, 0}, []float64{1, 1}, []float64{0, 1}, []float64{1, 0})
	for most, repeats := range map[int]bool{1: false, 50: true} {
		m, err := FitPerceptron(x, []int{0, 0, 1, 1}, &PerceptronOptions{MaxEpochs: most})
		if err == nil || strings.Contains(err.Error(), "repeat") != repeats || (m.Cycle() > 0) != repeats {
			t.Errorf("after %d epochs, cycle %d: %v", most, m.Cycle(), err)
		}
	}
}

// The rows closest to their plane are taken by side, and rows of weight 0 are none.
func TestClosestRows(t *testing.T) {
	margin, sign := []float64{3, 1, 2, 5, 1, 4}, []float64{1, 1, -1, -1, 1, -1}
	for _, c := range []struct{ weight, want []float64 }{
		{nil, []float64{0, 1, 1, 0, 1, 1}}, {[]float64{1, 0, 2, 1, 1, 0}, []float64{1, 0, 1, 1, 1, 0}},
	} {
		lt.CloseSlice(t, "closest", closest(margin, sign, c.weight, 2), c.want, 0)
	}
}

// passes counts the passes over a table.
type passes struct {
	linalg.Table
	made int
}

func (p *passes) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	p.made++
	return p.Table.Pass(lo, hi, visit)
}

// Planes that go round have all been judged: more epochs read the rows for the pocket no more.
func TestPocketJudgesPlanesOnce(t *testing.T) {
	x, y := lt.Rows(t, []float64{1, 2}, []float64{1, 2}, []float64{3, 1}), []int{0, 1, 1}
	made := map[int]int{}
	for _, most := range []int{500, 5000} {
		rows := &passes{Table: x}
		m, err := FitPerceptron(rows, y, &PerceptronOptions{Pocket: true, MaxEpochs: most, Workers: 1})
		if m == nil || m.Cycle() == 0 || m.Misclassified() != 1 {
			t.Fatal(m, err)
		}
		made[most] = rows.made
	}
	if made[500] != made[5000] {
		t.Error("passes by the cap of epochs:", made)
	}
}
