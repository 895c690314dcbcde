package rounds_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	"halfspace/logistic/rounds"
	"halfspace/optimize"
	"halfspace/optimize/glm"
)

// table is labeled rows.
type table struct {
	x *linalg.Dense
	y []int
	w []float64
	o []float64 // offsets, as many a row as there are functions
}

func (t table) rows() *rounds.Table {
	return &rounds.Table{X: t.x, Labels: t.y, Weights: t.w, Offset: t.o, Workers: 1}
}

// part returns every parts-th row from row first on, or consecutive ones.
func (t table) part(k, parts int) table {
	lo, hi := k*t.x.Rows/parts, (k+1)*t.x.Rows/parts
	p := table{x: t.x.RowRange(lo, hi), y: t.y[lo:hi]}
	if t.w != nil {
		p.w = t.w[lo:hi]
	}
	if k := len(t.o) / len(t.y); k > 0 {
		p.o = t.o[lo*k : hi*k]
	}
	return p
}

// drawn draws rows of k classes, sorted by class where parts are to lack classes. One column
// lies far from 0, in units of its own.
func drawn(seed uint64, n, p, k int, sorted bool) table {
	r := rand.New(rand.NewPCG(seed, 18))
	b := linalg.Zeros(k, p)
	for i := range b.Data {
		b.Data[i] = r.NormFloat64() / math.Sqrt(float64(p))
	}
	t := table{x: linalg.Zeros(n, p), y: make([]int, n)}
	for i := range n {
		row := t.x.Row(i)
		for j := range row {
			row[j] = r.NormFloat64()
		}
		best := math.Inf(-1)
		for c := range k {
			if s := linalg.Dot(b.Row(c), row) - math.Log(-math.Log(r.Float64())); s > best {
				best, t.y[i] = s, c
			}
		}
		row[0] = 1e6 + 1e3*row[0]
	}
	if sorted {
		at := 0
		s := table{x: linalg.Zeros(n, p), y: make([]int, n)}
		for c := range k {
			for i, y := range t.y {
				if y == c {
					copy(s.x.Row(at), t.x.Row(i))
					s.y[at] = c
					at++
				}
			}
		}
		return s
	}
	return t
}

// copied sends a value through its JSON, as files do.
func copied[T any](t *testing.T, v *T) *T {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	c := new(T)
	if err := json.Unmarshal(b, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// fit carries out all rounds.
func fit(t *testing.T, all table, parts, classes int, o rounds.Options) (*logistic.Model, int, error) {
	t.Helper()
	var counts *rounds.Counts
	for k := range parts {
		p := all.part(k, parts)
		c, err := rounds.Survey(p.rows(), classes)
		if err != nil {
			t.Fatal(err)
		}
		if c = copied(t, c); counts == nil {
			counts = c
		} else if err := counts.Merge(c); err != nil {
			t.Fatal(err)
		}
	}
	s, err := rounds.Begin(counts, o, nil)
	if err != nil {
		return nil, 0, err
	}
	for {
		s = copied(t, s)
		var sum *rounds.Answer
		for k := range parts {
			p := all.part(k, parts)
			a, err := s.Answer(p.rows())
			if err != nil {
				t.Fatal(err)
			}
			if a = copied(t, a); sum == nil {
				sum = a
			} else if err := sum.Merge(a); err != nil {
				t.Fatal(err)
			}
		}
		next, m, err := s.Next(sum)
		if next == nil {
			return m, s.Round, err
		}
		s = next
	}
}

// balanced are the weights of classes that give each the same total.
func balanced(t table, classes int, wanted bool) []float64 {
	if !wanted {
		return nil
	}
	count, total := make([]float64, classes), 0.0
	for i, k := range t.y {
		w := sample.WeightAt(t.w, i)
		count[k] += w
		total += w
	}
	for k, c := range count {
		count[k] = total / (float64(classes) * c)
	}
	return count
}

func TestRoundsReachTheFitOfAllRows(t *testing.T) {
	for _, c := range []struct {
		name       string
		classes, p int
		o          rounds.Options
		sorted     bool
		weighted   bool
		offset     bool
	}{
		{"ridge", 2, 6, rounds.Options{Lambda: 1}, false, false, false},
		{"a ridge of standardized columns, classes in turn", 2, 6, rounds.Options{Lambda: 3, Standardize: true}, true, false, false},
		{"maximum likelihood", 2, 6, rounds.Options{}, false, true, false},
		{"maximum likelihood without an intercept", 2, 4, rounds.Options{NoIntercept: true}, false, false, false},
		{"four classes, classes in turn", 4, 5, rounds.Options{}, true, false, false},
		{"four classes, ridge", 4, 5, rounds.Options{Lambda: 0.5}, false, true, false},
		{"classes of the same weight, an offset", 2, 5, rounds.Options{Balanced: true}, true, true, true},
		{"four classes of the same weight, offsets, ridge", 4, 5, rounds.Options{Balanced: true, Lambda: 0.5}, true, false, true},
		{"a ridge of almost nothing", 3, 3, rounds.Options{Lambda: 1e-9}, false, false, false},
	} {
		all := drawn(7, 700, c.p, c.classes, c.sorted)
		if c.weighted {
			all.w = make([]float64, len(all.y))
			for i := range all.w {
				all.w[i] = float64(i % 4)
			}
		}
		if c.offset {
			all.o = make([]float64, len(all.y)*sample.Functions(c.classes))
			for i := range all.o {
				all.o[i] = math.Sin(float64(i))
			}
		}
		want, err := logistic.Fit(all.x, all.y, &logistic.Options{Lambda: c.o.Lambda, Standardize: c.o.Standardize, NoIntercept: c.o.NoIntercept, Tol: 1e-17,
			Weights: all.w, ClassWeights: balanced(all, c.classes, c.o.Balanced), Offset: all.o})
		if err != nil {
			t.Fatal(c.name, err)
		}
		wb, wb0 := want.Coef()
		for _, parts := range []int{7, 1, 2, 50}[:linalgtest.Rounds(4, 4)] {
			what := fmt.Sprintf("%s, %d parts", c.name, parts)
			m, last, err := fit(t, all, parts, c.classes, c.o)
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			cert := m.Report().Certificate()
			if m.Report().Status() != optimize.Converged || !cert.Holds() || cert.Kind != optimize.KindGap {
				t.Errorf("%s: %v", what, m.Report())
			}
			linalgtest.Close(t, what, m.Report().Objective(), want.Report().Objective(), 1e-12)
			b, b0 := m.Coef()
			linalgtest.CloseSlice(t, what, b.Data, wb.Data, 1e-8)
			linalgtest.CloseSlice(t, what+": intercepts", b0, wb0, 1e-8)
			if last > m.Report().Iterations()+2 {
				t.Errorf("%s: %d rounds for %d iterations", what, last, m.Report().Iterations())
			}
		}
	}
}

// hard are fits whose rounds need more than full steps and curvatures.
func hard(t *testing.T, all table, o rounds.Options, extra int) {
	t.Helper()
	want, err := logistic.Fit(all.x, all.y, &logistic.Options{Lambda: o.Lambda})
	if err != nil {
		t.Fatal(err)
	}
	m, last, err := fit(t, all, 4, 2, o)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "objective", m.Report().Objective(), want.Report().Objective(), 1e-12)
	wb, _ := want.Coef()
	b, _ := m.Coef()
	linalgtest.CloseSlice(t, "coefficients", b.Data, wb.Data, 1e-8)
	if iterations := m.Report().Iterations(); last > iterations+1+extra {
		t.Errorf("%d rounds for %d iterations", last, iterations)
	}
	if last < m.Report().Iterations()+1 {
		t.Errorf("%d rounds for %d iterations", last, m.Report().Iterations())
	}
}

// A step that is too long is shortened by the values at its halves: of few rows in a rare
// class the curvature at the start says nothing.
func TestRoundsShortenSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 18))
	all := table{x: linalg.Zeros(2000, 1), y: make([]int, 2000)}
	for i := range all.y {
		all.x.Set(i, 0, 1e-3*r.NormFloat64())
	}
	for i := range 3 {
		all.x.Set(700*i, 0, 10)
		all.y[700*i] = min(i, 1)
	}
	all.y[333] = 1
	for _, lambda := range []float64{0, 1e-3} {
		hard(t, all, rounds.Options{Lambda: lambda}, 2)
	}
}

// The longest of the steps 1, ½, ¼ … is taken that brings a ten-thousandth of the decrease that its slope
// foretells, penalty and all; half of the shortest tried where none does, and a whole one where
// objectives differ by rounding.
func TestSharesOfAStep(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 18))
	all := table{x: linalg.Zeros(40, 2), y: make([]int, 40)}
	for i := range all.y {
		all.x.Set(i, 0, float64(2*r.IntN(2)-1))
		all.x.Set(i, 1, float64(2*r.IntN(2)-1))
		all.y[i] = r.IntN(4) * int(all.x.At(i, 0)+1) / 4
	}
	counts, err := rounds.Survey(all.rows(), 2)
	if err != nil {
		t.Fatal(err)
	}
	start, err := rounds.Begin(counts, rounds.Options{Lambda: 8}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// after returns the state after the round of a state whose objectives, of 1, ½, ¼ … of the step, are changed.
	after := func(s *rounds.State, change func(k int, penalty float64) float64) *rounds.State {
		a, err := s.Answer(all.rows())
		if err != nil {
			t.Fatal(err)
		}
		for k := range 9 {
			b := shareOf(s, k)
			if v := change(k, 4*(b[1]*b[1]+b[2]*b[2])); k == 0 {
				a.Sums.Value = v
			} else {
				a.Values[k-1] = v
			}
		}
		next, _, err := s.Next(a)
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	a, err := start.Answer(all.rows())
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := start.Next(a)
	if err != nil {
		t.Fatal(err)
	}
	for long := range 10 {
		next := after(s, func(k int, penalty float64) float64 {
			foretold := math.Ldexp(-s.Slope, -k) * 1e-4
			if k < long {
				return s.Value - 0.9*foretold - penalty
			}
			return s.Value - 1.1*foretold - penalty
		})
		if got := next.Theta; long > 0 {
			linalgtest.CloseSlice(t, fmt.Sprintf("1/2^%d of the step", long), got, shareOf(s, long), 1e-15)
		} else {
			linalgtest.CloseSlice(t, "the point that the next step is from", next.Base, s.Theta, 0)
		}
	}
	s.Slope = -s.Value * 0x1p-41
	for off, whole := range map[float64]bool{0x1p-41: true, 0x1p-39: false} {
		next := after(s, func(_ int, penalty float64) float64 { return s.Value*(1+off) - penalty })
		if linalg.Dot(next.Base, next.Base) == linalg.Dot(s.Theta, s.Theta) != whole {
			t.Errorf("a step to %g more: taken %v", off, !whole)
		}
	}
}

// shareOf returns the point at 1/2ᵏ of a state's step.
func shareOf(s *rounds.State, k int) []float64 {
	x := append([]float64(nil), s.Base...)
	linalg.Scale(x, 1-math.Ldexp(1, -k))
	linalg.Axpy(x, math.Ldexp(1, -k), s.Theta)
	return x
}

// sloped draws rows that mostly lie far from the plane between two classes.
func sloped() table {
	r := rand.New(rand.NewPCG(6, 18))
	all := table{x: linalg.Zeros(400, 2), y: make([]int, 400)}
	for i := range all.y {
		all.x.Set(i, 0, 160*r.Float64()-80)
		all.x.Set(i, 1, r.NormFloat64())
		u := r.Float64()
		if all.x.At(i, 0)+math.Log(u/(1-u)) > 0 {
			all.y[i] = 1
		}
	}
	return all
}

// Where rows far from the plane have no curvature to speak of, the reach of the step proves
// what the curvatures do not.
func TestRoundsProveByReach(t *testing.T) {
	for _, lambda := range []float64{0, 1e-6} {
		hard(t, sloped(), rounds.Options{Lambda: lambda}, 1)
	}
}

// lastState returns the state of the round in which the fit of sloped rows ends, by the reach of a step, and the answer.
func lastState(t *testing.T, all table) (*rounds.State, *rounds.Answer) {
	t.Helper()
	counts, err := rounds.Survey(all.rows(), 2)
	if err != nil {
		t.Fatal(err)
	}
	s, err := rounds.Begin(counts, rounds.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for {
		a, err := s.Answer(all.rows())
		if err != nil {
			t.Fatal(err)
		}
		next, _, err := s.Next(a)
		if err != nil {
			t.Fatal(err)
		}
		if next == nil {
			if s.Reaching == nil || a.Reach == nil {
				t.Fatal("the fit has ended without a reach")
			}
			return s, a
		}
		s = next
	}
}

// The bound by the reach of a step is of the point where it begins: where the objective rises by the step, by its
// rounding errors, that point is published with its own objective, in a fit that converges and in one that is cut short.
func TestRoundsPublishThePointOfTheBound(t *testing.T) {
	s, a := lastState(t, sloped())
	_, end, err := s.Next(a)
	if err != nil {
		t.Fatal(err)
	}
	a.Sums.Value = s.Value * (1 + 0x1p-42)
	for _, tol := range []float64{0, 1e-300} {
		cut := *s
		if cut.Options.Tol = tol; tol > 0 {
			cut.Options.MaxIter = s.Iteration + 1
		}
		_, m, err := cut.Next(a)
		if m == nil || (err == nil) != (tol == 0) || m.Report().Certificate().Holds() != (tol == 0) {
			t.Fatalf("tolerance %g: %v", tol, err)
		}
		if got := m.Report().Objective(); got != s.Value {
			t.Errorf("tolerance %g: objective %v, where the step begins %v", tol, got, s.Value)
		}
		got, _ := m.Coef()
		after, _ := end.Coef()
		for j, v := range got.Row(0) {
			step := after.At(0, j) * (s.Base[j+1]/s.Theta[j+1] - 1)
			linalgtest.Close(t, fmt.Sprintf("tolerance %g: coefficient %d, in steps", tol, j), (v-after.At(0, j))/step, 1, 1e-3)
		}
	}
}

// A state from a file, of which the Hessian has lost a column, has no step whose reach is known.
func TestStatesOfNoCurvatureHaveNoReach(t *testing.T) {
	all := sloped()
	s, _ := lastState(t, all)
	for j := range 3 {
		s.Reaching.Hessian.Set(2, j, 0)
		s.Reaching.Hessian.Set(j, 2, 0)
	}
	if a, err := copied(t, s).Answer(all.rows()); err != nil || a.Reach.Leverage != math.MaxFloat64 {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestRoundsTellOfSeparation(t *testing.T) {
	for _, classes := range []int{2, 3} {
		r := rand.New(rand.NewPCG(3, uint64(classes)))
		all := table{x: linalg.Zeros(120, 3), y: make([]int, 120)}
		for i := range all.y {
			all.y[i] = i % classes
			row := all.x.Row(i)
			for j := range row {
				row[j] = r.NormFloat64()
			}
			row[i%classes] += 12
		}
		m, _, err := fit(t, all, 5, classes, rounds.Options{})
		var e *logistic.SeparationError
		if m != nil || !errors.As(err, &e) || !e.Complete || e.Rows != 120 {
			t.Errorf("%d classes: %v", classes, err)
			continue
		}
		for i, y := range all.y {
			f := make([]float64, classes)
			for c := range e.Coef.Rows {
				at := c
				if classes == 2 {
					at = 1
				}
				f[at] = e.Intercept[c]
				for j, v := range all.x.Row(i) {
					f[at] += e.Coef.At(c, j) * (v - e.Origin[j])
				}
			}
			for c, v := range f {
				if c != y && !(f[y] > v) {
					t.Fatalf("%d classes: row %d of class %d has scores %v", classes, i, y, f)
				}
			}
		}
	}
}

// Rows of weight 0 are none of the rows that are separated, wherever they lie.
func TestSeparatedRowsAreThoseOfPositiveWeight(t *testing.T) {
	for classes := 2; classes <= 3; classes++ {
		all := table{x: linalg.Zeros(60, 3), y: make([]int, 60), w: make([]float64, 60)}
		for i := range all.y {
			all.y[i], all.w[i] = i%classes, 1
			copy(all.x.Row(i), []float64{math.Sin(float64(i)), math.Cos(float64(i * i)), math.Sin(float64(3 * i))})
			at := all.y[i]
			if i%5 == 0 {
				at, all.w[i] = classes-1-at, 0
			}
			all.x.Set(i, at, all.x.At(i, at)+12)
		}
		var e *logistic.SeparationError
		if _, _, err := fit(t, all, 3, classes, rounds.Options{}); !errors.As(err, &e) || !e.Complete || e.Rows != 48 {
			t.Errorf("%d classes: %v", classes, err)
		}
	}
}

// Of classes that are separated but for ties the Hessian is at last not positive definite beyond doubt:
// no step has a reach then, and the fit ends without a proof.
func TestRoundsEndWhereNoStepHasAReach(t *testing.T) {
	all := table{x: linalg.Zeros(22, 2), y: []int{0, 1, 1, 2, 1, 1, 0, 1, 2, 2, 0, 2, 0, 0, 1, 0, 0, 0, 2, 2, 0, 2}, w: []float64{1, 2, 1, 1, 2, 2, 1, 0, 0, 1, 2, 0, 2, 0, 0, 2, 2, 2, 2, 2, 1, 1}}
	copy(all.x.Data, []float64{2, 1, 2, 0, 2, 1, 0, 2, 2, 0, 2, 2, 2, 0, 1, 1, 0, 2, 2, 2, 2, 2, 2, 0, 0, 2, 0, 0, 1, 2, 1, 1, 1, 2, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1})
	if m, _, err := fit(t, all, 3, 3, rounds.Options{}); m == nil || !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("classes with ties: %v", err)
	}
}

// Of classes that are separated but for ties the Hessian of a later round has no factor, although no column
// determines another.
func TestLaterRoundsKnowNoRank(t *testing.T) {
	all := table{x: linalg.Zeros(13, 3), y: []int{0, 1, 2, 2, 2, 1, 0, 2, 2, 0, 0, 2, 2}}
	copy(all.x.Data, []float64{0, 0, 1, 0, 0, 2, 1, 0, 0, 2, 1, 0, 1, 1, 2, 1, 0, 0, 0, 1, 2, 1, 1, 2, 1, 0, 2, 0, 2, 2, 0, 1, 2, 1, 0, 1, 2, 1, 2})
	if err := linalg.CheckRank(all.x, nil, true, 1); err != nil {
		t.Fatal(err)
	}
	for parts := 1; parts <= 3; parts++ {
		if m, _, err := fit(t, all, parts, 3, rounds.Options{}); m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Report().Certificate().Holds() {
			t.Errorf("%d parts: %v", parts, err)
		}
	}
}

// Rows of weight 0 are deleted rows: parts of nothing else, first, within and last, leave every bit as it was.
func TestPartsOfNoWeightAddNothing(t *testing.T) {
	for _, c := range []struct {
		classes int
		o       rounds.Options
	}{{2, rounds.Options{Lambda: 1, Standardize: true}}, {3, rounds.Options{}}, {3, rounds.Options{Balanced: true}}, {2, rounds.Options{}}} {
		some := drawn(4, 90, 2, c.classes, false)
		all := table{x: linalg.Zeros(150, 2), y: make([]int, 150), w: make([]float64, 150), o: make([]float64, 150*sample.Functions(c.classes))}
		kept := table{x: linalg.Zeros(90, 2), y: some.y, w: make([]float64, 90)}
		at := 0
		for i := range 150 {
			all.x.Set(i, 0, 1e9)
			if part := i / 30; part == 1 || part == 2 || part == 4-c.classes%2 {
				copy(all.x.Row(i), some.x.Row(at))
				copy(kept.x.Row(at), some.x.Row(at))
				all.y[i], all.w[i], kept.w[at] = some.y[at], float64(1+i%2), float64(1+i%2)
				at++
			}
		}
		kept.o = make([]float64, 90*sample.Functions(c.classes))
		want, _, err := fit(t, kept, 3, c.classes, c.o)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := fit(t, all, 5, c.classes, c.o)
		if err != nil {
			t.Fatal(err)
		}
		wb, wb0 := want.Coef()
		b, b0 := got.Coef()
		linalgtest.CloseSlice(t, "coefficients", b.Data, wb.Data, 1e-14)
		linalgtest.CloseSlice(t, "intercepts", b0, wb0, 1e-14)
		if !got.Report().Certificate().Holds() || got.Report().Objective() != want.Report().Objective() {
			t.Errorf("%v, without the parts of no weight %v", got.Report(), want.Report())
		}
	}
	none := drawn(4, 30, 2, 2, false)
	none.w = make([]float64, 30)
	var shape *linalg.ShapeError
	if _, _, err := fit(t, none, 2, 2, rounds.Options{}); !errors.As(err, &shape) {
		t.Errorf("no weight in any part: %v", err)
	}
	none.x.Set(3, 1, math.NaN())
	var cell *linalg.NonFiniteError
	if _, err := rounds.Survey(none.rows(), 2); !errors.As(err, &cell) {
		t.Errorf("a cell that is no number: %v", err)
	}
}

func TestRoundsRefuse(t *testing.T) {
	all := drawn(1, 60, 3, 2, false)
	twice := table{x: linalg.Zeros(60, 4), y: all.y}
	for i := range 60 {
		copy(twice.x.Row(i), all.x.Row(i))
		twice.x.Set(i, 3, all.x.At(i, 1))
	}
	var rank *linalg.RankError
	if m, _, err := fit(t, twice, 3, 2, rounds.Options{}); err == nil || m != nil && m.Report().Status() == optimize.Converged || !errors.As(err, &rank) && !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("a column twice: %v", err)
	}
	if m, _, err := fit(t, all, 3, 2, rounds.Options{MaxIter: 1}); m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Report().Status() != optimize.MaxIterations {
		t.Errorf("one iteration: %v", err)
	}
	var class *linalg.ClassError
	if _, _, err := fit(t, all, 3, 3, rounds.Options{}); !errors.As(err, &class) || class.Class != 2 {
		t.Errorf("a class without rows: %v", err)
	}
	for _, o := range []rounds.Options{{Lambda: -1}, {Tol: -1}, {Tol: math.NaN()}, {MaxIter: -1}} {
		var option *sample.OptionError
		if _, _, err := fit(t, all, 3, 2, o); !errors.As(err, &option) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	// The log-odds alone are the fit with a column that says nothing.
	for name, value := range map[string]float64{"zeros": 0, "a constant": 3.1} {
		constant := table{x: linalg.Zeros(60, 1), y: all.y}
		for i := range constant.x.Data {
			constant.x.Data[i] = value
		}
		if m, _, err := fit(t, constant, 3, 2, rounds.Options{}); m != nil || !errors.As(err, &rank) || rank.Columns[0] != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	var size *linalg.SizeError
	if err := rounds.CheckSize(10, 1000); !errors.As(err, &size) || !strings.Contains(err.Error(), "9009 parameters, parts have at most 5000") {
		t.Errorf("9,009 parameters: %v", err)
	}
	// 2³², 0 in an int of 32 bits.
	if err := rounds.CheckSize(4097, 1<<20-1); !errors.As(err, &size) {
		t.Errorf("4,294,967,296 parameters: %v", err)
	}
	if err := rounds.CheckSize(2, 4999); err != nil {
		t.Errorf("5,000 parameters: %v", err)
	}
	one, err := rounds.Survey(all.rows(), 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []func(c *rounds.Counts){func(c *rounds.Counts) { c.Mean = c.Mean[1:] }, func(c *rounds.Counts) { c.Classes = c.Classes[1:] }} {
		other := copied(t, one)
		bad(other)
		var shape *linalg.ShapeError
		if err := copied(t, one).Merge(other); !errors.As(err, &shape) {
			t.Errorf("counts of another shape: %v", err)
		}
	}
	if _, err := rounds.Survey(all.rows(), 1); !errors.As(err, &class) {
		t.Errorf("a label that is none: %v", err)
	}
	s, err := rounds.Begin(one, rounds.Options{Lambda: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Answer(twice.rows()); err == nil {
		t.Error("a part with a column more")
	}
	half := all.part(0, 2)
	a, err := s.Answer(half.rows())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Next(a); err == nil {
		t.Error("answers of half of the rows")
	}
	if a, err = s.Answer(all.rows()); err != nil {
		t.Fatal(err)
	}
	clear(a.Sums.Hessian.Data)
	a.Sums.Hessian.Set(0, 0, 1e-5)
	a.Sums.Gradient[0] = 1e308
	if next, m, err := s.Next(a); next != nil || m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Report().Certificate().Holds() {
		t.Errorf("a step that overflows: %v, %v", m, err)
	}
}

// States, counts and answers whose numbers do not fit together are errors, one change at a time.
func TestNumbersThatDoNotFitTogether(t *testing.T) {
	all := drawn(1, 60, 3, 2, false)
	counts, err := rounds.Survey(all.rows(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := counts.Check(); err != nil {
		t.Error(err)
	}
	weighted := all
	weighted.w = make([]float64, 60)
	for i := range weighted.w {
		weighted.w[i] = float64(i%3) / 2
	}
	if c, err := rounds.Survey(weighted.rows(), 2); err != nil || c.LeastWeight != 0.5 || linalg.Sum(c.Classes) != 30 || c.Check() != nil {
		t.Errorf("weights of 0, ½ and 1: %+v, %v", c, err)
	}
	for what, change := range map[string]func(c *rounds.Counts){
		"no extent": func(c *rounds.Counts) { c.Extent = nil }, "no rows": func(c *rounds.Counts) { c.Rows = 0 },
		"no means": func(c *rounds.Counts) { c.Mean = nil }, "no weight": func(c *rounds.Counts) { c.LeastWeight = 0 },
		"a weight that is no number": func(c *rounds.Counts) { c.LeastWeight = math.NaN() }, "a deviation less": func(c *rounds.Counts) { c.SD = c.SD[1:] },
		"a sum less": func(c *rounds.Counts) { c.Extent.Sum = c.Extent.Sum[1:] },
	} {
		c := copied(t, counts)
		if change(c); c.Check() == nil {
			t.Errorf("counts: %s", what)
		}
	}
	if (*rounds.Counts)(nil).Check() == nil || (*rounds.Answer)(nil).Check() == nil || new(rounds.Answer).Check() == nil || (*rounds.State)(nil).Check() == nil {
		t.Error("nothing is taken")
	}
	state, err := rounds.Begin(counts, rounds.Options{Lambda: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := len(state.Theta)
	sums := func(gradient, sizes int) *glm.Sums {
		return &glm.Sums{Gradient: make([]float64, gradient), Sizes: make([]float64, sizes)}
	}
	for what, c := range map[string]struct {
		change func(s *rounds.State)
		ok     bool
	}{
		"as it is":             {func(s *rounds.State) {}, true},
		"a base":               {func(s *rounds.State) { s.Base = make([]float64, q) }, true},
		"a short base":         {func(s *rounds.State) { s.Base = make([]float64, q-1) }, false},
		"a short point":        {func(s *rounds.State) { s.Theta = s.Theta[1:] }, false},
		"a reach":              {func(s *rounds.State) { s.Base, s.Reaching = make([]float64, q), sums(q, q) }, true},
		"a reach from nowhere": {func(s *rounds.State) { s.Reaching = sums(q, q) }, false},
		"a short gradient":     {func(s *rounds.State) { s.Base, s.Reaching = make([]float64, q), sums(q-1, q) }, false},
		"short sizes":          {func(s *rounds.State) { s.Base, s.Reaching = make([]float64, q), sums(q, q-1) }, false},
		"a negative ridge":     {func(s *rounds.State) { s.Options.Lambda = -1 }, false},
		"no counts":            {func(s *rounds.State) { s.All = nil }, false},
	} {
		s := copied(t, state)
		if c.change(s); (s.Check() == nil) != c.ok {
			t.Errorf("a state: %s: %v", what, s.Check())
		}
	}
}

// Answers of parts add up: sums, values and sizes, the separation only where it is that of both;
// and those to other states are refused.
func TestAnswersAddUp(t *testing.T) {
	answer := func(separated bool) *rounds.Answer {
		return &rounds.Answer{Sums: &glm.Sums{Rows: 3, Value: 2, Gradient: []float64{1, 2}, Sizes: []float64{3, 4}, Hessian: linalg.Identity(2)}, Values: []float64{5, 6},
			Reach: &glm.Reach{Sizes: []float64{7}}, Separated: separated}
	}
	for _, both := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		a := answer(both[0])
		if err := a.Merge(answer(both[1])); err != nil {
			t.Fatal(err)
		}
		if a.Separated != (both[0] && both[1]) || a.Values[1] != 12 || a.Sums.Rows != 6 || a.Sums.Value != 4 || a.Sums.Gradient[1] != 4 || a.Sums.Sizes[0] != 6 {
			t.Errorf("%v: %+v, %+v", both, a, a.Sums)
		}
	}
	for what, change := range map[string]func(a *rounds.Answer){
		"a value less": func(a *rounds.Answer) { a.Values = a.Values[1:] }, "no reach": func(a *rounds.Answer) { a.Reach = nil },
		"another reach":       func(a *rounds.Answer) { a.Reach.Sizes = []float64{1, 2} },
		"a parameter less":    func(a *rounds.Answer) { a.Sums.Gradient = a.Sums.Gradient[1:] },
		"sizes of one column": func(a *rounds.Answer) { a.Sums.Sizes = a.Sums.Sizes[1:] },
	} {
		b := answer(true)
		change(b)
		var shape *linalg.ShapeError
		if err := answer(true).Merge(b); !errors.As(err, &shape) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
