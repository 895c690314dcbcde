package hyperplane

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/optimize"
)

// The points of a path have λ = 1/C, the features with a coefficient of any machine, and the
// report of their model, whose margin is 1/‖β‖.
func TestPointsOfASVCPath(t *testing.T) {
	x, y := clouds(7, 40, 4, 0.6)
	for i := range y {
		x.Set(i, 1, 0) // no machine uses it
	}
	y[0], y[5] = 2, 2
	path, err := SVCPath(x, y, []float64{0.1, 4}, &SVCOptions{Loss: SquaredHinge})
	if err != nil || path.Parameter != "lambda" || len(path.Points) != 2 {
		t.Fatalf("%v, %v", path, err)
	}
	for k, c := range []float64{0.1, 4} {
		p := path.Points[k]
		lt.CloseSlice(t, "λ, df", []float64{p.Penalty, p.DF}, []float64{1 / c, 3}, 0)
		if p.Model.C() != c || p.Model.Loss() != SquaredHinge || p.Objective != p.Model.Report().Objective() || !math.IsNaN(p.DevRatio) {
			t.Errorf("C %g: %+v", c, p)
		}
		lt.Close(t, "margin", p.Model.Margin()*p.Model.Machines()[0].Plane.Norm(), 1, 1e-15)
	}
	for _, c := range []float64{math.Inf(1), 0} {
		if _, err := SVCPath(x, y, []float64{1, c}, nil); err == nil {
			t.Errorf("C = %g", c)
		}
	}
	if p, err := SVCPath(x, y, []float64{1, 2}, &SVCOptions{MaxIter: 1}); !errors.Is(err, optimize.ErrNotConverged) || p == nil || len(p.Points) != 1 {
		t.Errorf("models up to the one that failed: %v, %v", p, err)
	}
}

// The loss of a cross-validation is the share of the rows, by their weights, that models of the
// other folds misclassify.
func TestCrossValidationOfSVCIsByHand(t *testing.T) {
	x, y := clouds(3, 60, 2, 0.4)
	folds, w := make([]int, 60), make([]float64, 60)
	for i := range y {
		folds[i], w[i] = i%3, float64(i%4)
		if i%20 == 7 {
			y[i] = 2
		}
	}
	cs := []float64{0.01, 1, 50}
	for _, weights := range [][]float64{nil, w} {
		cv, err := CrossValidateSVC(x, y, cs, folds, &SVCOptions{Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		all := weights
		if all == nil {
			all = slices.Repeat([]float64{1}, 60)
		}
		for k, c := range cs {
			wrong, total := 0.0, linalg.Sum(all)
			for f := range 3 {
				train := slices.Clone(all)
				for i := range train {
					if folds[i] == f {
						train[i] = 0
					}
				}
				m := mustSVC(t, x, y, &SVCOptions{C: c, Weights: train})
				for i := range y {
					if folds[i] == f && m.Predict(x.Row(i)) != y[i] {
						wrong += all[i]
					}
				}
			}
			lt.Close(t, fmt.Sprintf("share wrong at C = %g", c), cv.CV.Mean[k], wrong/total, 1e-12)
		}
		whole := mustSVC(t, x, y, &SVCOptions{C: 1, Weights: weights}).Report().Objective()
		lt.Close(t, "objective of all rows", cv.Path.Points[1].Objective, whole, 1e-6*whole)
	}
	if _, err := CrossValidateSVC(x, y, cs, folds[:9], nil); err == nil {
		t.Error("nine folds of 60 rows")
	}
	if _, err := CrossValidateSVC(x, y, nil, folds, nil); err == nil {
		t.Error("no C")
	}
}

// A model that was never fitted says so in words and has no JSON.
func TestModelsThatWereNotFitted(t *testing.T) {
	for want, m := range map[string]interface {
		fmt.Stringer
		json.Marshaler
	}{
		"support vector classifier, not fitted": new(SVC), "support vector regression, not fitted": new(SVR),
		"optimal separating hyperplane, not fitted": new(HardMargin), "plane between two classes, not fitted": new(Kozinec), "no plane": new(Plane),
	} {
		if m.String() != want {
			t.Errorf("%q, want %q", m, want)
		}
		if b, err := m.MarshalJSON(); err == nil {
			t.Errorf("%s: %s", want, b)
		}
	}
	x, y := clouds(3, 20, 2, 4)
	hard, err := FitHardMargin(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	tube, err := FitSVR(x, x.Col(nil, 0), nil)
	if err != nil {
		t.Fatal(err)
	}
	perceptron, err := FitPerceptron(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []fmt.Stringer{mustSVC(t, x, y, nil), hard, tube, perceptron, perceptron.Plane()} {
		if s := m.String(); strings.Contains(s, "not fitted") || s == "no plane" || len(s) < 20 {
			t.Errorf("%T: %q", m, s)
		}
	}
	if s := Hinge.String() + " " + SquaredHinge.String() + " " + Loss(2).String() + " " + OneVsRest.String() + " " + Multi(2).String() + " " + Batch.String() + " " + PerceptronOrder(4).String(); s != "hinge squared-hinge Loss(2) ovr Multi(2) batch PerceptronOrder(4)" {
		t.Error(s)
	}
}

// A record whose parts do not fit together is damaged.
func TestRecordsOfMachinesThatDoNotFit(t *testing.T) {
	plane := plane(t, []float64{1, 2}, 3)
	one := machineRecord{Plane: plane, Support: []int{0, 4}, Multipliers: []float64{1, 2}, Remainders: []float64{0, 0}}
	good := func(k int, multi Multi, machines int) machinesRecord {
		r := machinesRecord{Multi: multi, Machines: slices.Repeat([]machineRecord{one}, machines)}
		for c := range k {
			r.Classes = append(r.Classes, 3*c)
		}
		return r
	}
	for _, r := range []machinesRecord{good(2, OneVsOne, 1), good(2, OneVsRest, 1), good(4, OneVsOne, 6), good(4, OneVsRest, 4)} {
		m, err := r.machines()
		if err != nil || len(m.list) != len(r.Machines) || !slices.Equal(m.list[0].Support, one.Support) {
			t.Errorf("%d classes, %d planes: %v", len(r.Classes), len(r.Machines), err)
		}
	}
	spoil := func(change func(m *machineRecord)) machinesRecord {
		r := good(3, OneVsRest, 3)
		change(&r.Machines[2])
		return r
	}
	equal := good(3, OneVsRest, 3)
	equal.Classes[2] = equal.Classes[1]
	for name, r := range map[string]machinesRecord{
		"no classes": good(0, OneVsOne, 0), "no classes against the rest": good(0, OneVsRest, 0), "a class": good(1, OneVsOne, 1), "another multi": good(3, 2, 3), "too few planes": good(4, OneVsOne, 5), "too many": good(2, OneVsOne, 2),
		"a plane a class of one against one": good(4, OneVsOne, 4), "equal classes": equal,
		"no plane":           spoil(func(m *machineRecord) { m.Plane = nil }),
		"another dimension":  spoil(func(m *machineRecord) { m.Plane = planeAt([]float64{1}, nil, 0) }),
		"a multiplier less":  spoil(func(m *machineRecord) { m.Multipliers = []float64{1} }),
		"rows that descend":  spoil(func(m *machineRecord) { m.Support = []int{4, 0} }),
		"a row twice":        spoil(func(m *machineRecord) { m.Support = []int{4, 4} }),
		"a negative row":     spoil(func(m *machineRecord) { m.Support = []int{-1, 4} }),
		"a remainder less":   spoil(func(m *machineRecord) { m.Remainders = []float64{1} }),
		"a remainder, alone": spoil(func(m *machineRecord) { m.Support, m.Multipliers, m.Remainders = nil, nil, []float64{1} }),
	} {
		if _, err := r.machines(); !errors.As(err, new(*record.DamageError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One against one has at most 2²⁰ planes: 1448 classes have 1,047,628, one more 1,049,076.
func TestTooManyPlanes(t *testing.T) {
	var size *linalg.SizeError
	labels := func(k int) (y []int) {
		for c := range k {
			y = append(y, c)
		}
		return y
	}
	for k, refused := range map[int]bool{1448: false, 1449: true} {
		x := linalg.Zeros(k, 1)
		_, l, err := prepareClasses(x, labels(k), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = divide(l, OneVsOne)
		_, elsewhere := planesElsewhere(k, x, nil, OneVsOne)
		for _, err := range []error{err, elsewhere} {
			if errors.As(err, &size) != refused || refused && (size.Bytes != 8*1049076 || size.Limit != 8<<20 || size.Rows != k || size.Cols != k) {
				t.Errorf("%d classes: %v, %+v", k, err, size)
			}
		}
		if d, err := divide(l, OneVsRest); err != nil || len(d.pairs) != k {
			t.Errorf("%d classes against the rest: %v", k, err)
		}
	}
}

// A row on the plane of two classes is of the one with the smaller label.
func TestARowOnAPlaneHasTheVoteOfTheSmallerLabel(t *testing.T) {
	m, err := NewSVC([]int{2, 4, 6}, lt.Rows(t, []float64{1, 0}, []float64{0, 1}, []float64{1, 1}), []float64{0, 1, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "votes", m.Scores(nil, []float64{0, 0}), []float64{1, 0, 2}, 0)
	lt.CloseSlice(t, "votes on the plane of 2 and 6", m.Scores(nil, []float64{-1, -1}), []float64{2, 1, 0}, 0)
}

// What comes from elsewhere is checked as a fit's own options and data are.
func TestPlanesFromElsewhereAreChecked(t *testing.T) {
	coef := lt.Rows(t, []float64{1, 2}, []float64{3, 4}, []float64{5, 6})
	b := []float64{7, 8, 9}
	for _, multi := range []Multi{OneVsOne, OneVsRest} {
		m, err := NewSVC([]int{2, 4, 6}, coef, b, &SVCOptions{Multi: multi, C: 3, ClassWeights: []float64{1, 2, 3}, Loss: SquaredHinge, NoIntercept: true})
		if err != nil || m.C() != 3 || m.Loss() != SquaredHinge || len(m.Machines()) != 3 || m.Report().Status() != optimize.Imported {
			t.Fatalf("%v, %v", m, err)
		}
		back, intercept := m.Coef()
		lt.CloseSlice(t, "coefficients", back.Data, coef.Data, 0)
		lt.CloseSlice(t, "intercepts", intercept, b, 0)
		if m := m.Machines()[1]; multi == OneVsOne && (m.Negative != 2 || m.Positive != 6 || m.Rest) || multi == OneVsRest && (m.Positive != 4 || !m.Rest) {
			t.Errorf("%v: %+v", multi, m)
		}
	}
	two := coef.RowRange(0, 1)
	for name, f := range map[string]func() (*SVC, error){
		"one class":          func() (*SVC, error) { return NewSVC([]int{2}, two, b[:1], nil) },
		"classes descending": func() (*SVC, error) { return NewSVC([]int{2, 1}, two, b[:1], nil) },
		"two planes":         func() (*SVC, error) { return NewSVC([]int{1, 2}, coef.RowRange(0, 2), b[:2], nil) },
		"an intercept more":  func() (*SVC, error) { return NewSVC([]int{1, 2}, two, b[:2], nil) },
		"three for four":     func() (*SVC, error) { return NewSVC([]int{1, 2, 3, 4}, coef, b, nil) },
		"multi":              func() (*SVC, error) { return NewSVC([]int{1, 2}, two, b[:1], &SVCOptions{Multi: 2}) },
		"loss":               func() (*SVC, error) { return NewSVC([]int{1, 2}, two, b[:1], &SVCOptions{Loss: 2}) },
		"a negative price":   func() (*SVC, error) { return NewSVC([]int{1, 2}, two, b[:1], &SVCOptions{C: -1}) },
		"a class weight":     func() (*SVC, error) { return NewSVC([]int{1, 2}, two, b[:1], &SVCOptions{ClassWeights: []float64{1}}) },
		"a class weight of 0": func() (*SVC, error) {
			return NewSVC([]int{1, 2}, two, b[:1], &SVCOptions{ClassWeights: []float64{1, 0}})
		},
	} {
		if m, err := f(); m != nil || err == nil {
			t.Errorf("%s: %v", name, m)
		}
	}
	if _, err := NewSVR([]float64{1}, 2, &SVROptions{Epsilon: -1}); err == nil {
		t.Error("a negative tube")
	}
}

// About an origin a sparse row has the value and the sides of the same row stored dense.
func TestSparseRowsAboutAnOrigin(t *testing.T) {
	x := lt.Thinned(5, 40, 6, 0.4)
	sparse := lt.Sparse(x)
	for _, origin := range [][]float64{nil, {1, -2, 0, 3, 0.5, 7}} {
		p, err := NewPlaneAt([]float64{2, 1, -1, 0.5, 3, -0.25}, origin, 0.75)
		if err != nil {
			t.Fatal(err)
		}
		two, err := NewTwoClasses([]int{3, 8}, p, optimize.Report{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Rows {
			columns, values := sparse.Entries(i)
			f := p.Value(x.Row(i))
			lt.CloseSlice(t, "f", []float64{p.ValueSparse(columns, values), p.valueOf(columns, values), p.valueOf(nil, x.Row(i))}, []float64{f, f, f}, 1e-13)
			if two.PredictSparse(columns, values) != two.Predict(x.Row(i)) {
				t.Errorf("row %d has two sides", i)
			}
			lt.CloseSlice(t, "scores", two.ScoresSparse(nil, columns, values), []float64{0, f}, 1e-13)
			each := make([]float64, 6)
			eachAbout(origin, columns, values, func(j int, v float64) { each[j] = v })
			lt.CloseSlice(t, "x−c", each, about(p, x.Row(i)), 0)
		}
	}
}

// A row on the plane is of the smaller class, and a NaN is not of the larger.
func TestRowsOnThePlane(t *testing.T) {
	two, err := NewTwoClasses([]int{3, 8}, plane(t, []float64{1}, 0), optimize.Report{})
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[float64]int{0: 3, 5e-324: 8, -5e-324: 3} {
		if got := two.Predict([]float64{x}); got != want {
			t.Errorf("f = %g: %d", x, got)
		}
	}
	for _, classes := range [][]int{{1}, {1, 1}, {2, 1}, {1, 2, 3}} {
		if _, err := NewTwoClasses(classes, two.Plane(), optimize.Report{}); err == nil {
			t.Errorf("classes %v", classes)
		}
	}
	g, err := two.Plane().Margins(lt.Rows(t, []float64{0}, []float64{1}, []float64{0}), []int{3, 8, 8}, nil)
	if err != nil || g.Misclassified != 2 {
		t.Errorf("rows on the plane: %v, %v", g, err)
	}
}

// A fold that holds all rows of a class is refused before anything is fitted.
func TestFoldsThatHoldAClassAreRefusedFirst(t *testing.T) {
	x, y, folds := linalg.Zeros(6, 1), []int{0, 0, 1, 1, 2, 2}, []int{0, 1, 0, 1, 1, 1}
	o := &SVCOptions{Trace: func(optimize.Step) error { t.Error("a step"); return nil }}
	_, err := CrossValidateSVC(x, y, []float64{1}, folds, o)
	var class *linalg.ClassError
	if !errors.As(err, &class) || class.Class != 2 || err.Error() != "hyperplane: without fold 1: class 2 (0 rows) has no rows" {
		t.Errorf("the error is %v", err)
	}
}

// Along a path the multipliers that none reached its price are the solution for higher prices, which takes no step beyond
// the point that is shown; a price of some that are reached does.
func TestPricesThatNoMultiplierReachesChangeNothing(t *testing.T) {
	for sep, changes := range map[float64]bool{4: false, 0.2: true} {
		for _, multi := range []Multi{OneVsOne, OneVsRest} {
			x, y := clouds(7, 90, 4, sep)
			steps := 0
			o := &SVCOptions{Multi: multi, Trace: func(s optimize.Step) error { steps += min(1, s.Iteration); return nil }}
			if _, err := SVCPath(x, y, []float64{50}, o); err != nil {
				t.Fatal(err)
			}
			first := steps
			steps = 0
			path, err := SVCPath(x, y, []float64{50, 60, 90, 1e4}, o)
			if err != nil {
				t.Fatal(err)
			}
			if (steps > first) != changes {
				t.Errorf("separation %g: %d steps for the first price and %d for all", sep, first, steps)
			}
			for _, p := range path.Points {
				alone := mustSVC(t, x, y, &SVCOptions{C: p.Model.C(), Multi: multi})
				lt.Close(t, "objective", p.Objective/alone.Report().Objective(), 1, 1e-7)
			}
		}
	}
}

// Multipliers that reach no price are the solution for every larger one, with the same plane: it is proven, not found again.
func TestPathBeyondAllMultipliersSolvesNothing(t *testing.T) {
	x, y := clouds(12, 200, 3, 6)
	p, err := SVCPath(x, y, []float64{1e-4, 1e3, 1e4, 1e5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := p.Points[1].Model
	for _, point := range p.Points[2:] {
		m := point.Model
		if m.report.Status() != optimize.Direct || &m.list[0].Multipliers[0] != &first.list[0].Multipliers[0] ||
			&m.list[0].Support[0] != &first.list[0].Support[0] || m.list[0].Plane != first.list[0].Plane {
			t.Errorf("C = %g: %v", m.c, m.report)
		}
	}
	if s := p.Points[1].Model.report.Status(); s == optimize.Direct {
		t.Error("the first of them needs a solver")
	}
}

// Prices that have underflowed leave multipliers of 0, which reach no price and are the start for the
// next; a price that no ratio leads to begins without them.
func TestPathFromPricesThatUnderflow(t *testing.T) {
	x, y := clouds(12, 40, 2, 1)
	o := &SVCOptions{Weights: slices.Repeat([]float64{0.25}, 40)}
	p, err := SVCPath(x, y, []float64{5e-324, 1e-320, 1}, o)
	if err != nil {
		t.Fatal(err)
	}
	alone := mustSVC(t, x, y, &SVCOptions{C: 1, Weights: o.Weights})
	lt.Close(t, "objective", p.Points[2].Objective, alone.Report().Objective(), 1e-7*alone.Report().Objective())
}

// Hundreds of classes have pairs by the ten thousand, of a few rows each: a point of a path asks for little more memory than
// its planes are.
func TestManyPairsOfFewRowsTakeLittleMemory(t *testing.T) {
	const classes, points = 60, 20
	r := rand.New(rand.NewPCG(8, 1))
	x, y := linalg.Zeros(3*classes, 1), make([]int, 3*classes)
	for i := range y {
		x.Data[i], y[i] = math.Round(9*r.NormFloat64()), i%classes
	}
	cs := make([]float64, points)
	for i := range cs {
		cs[i] = math.Pow(10, float64(i)/4-3)
	}
	path := func(cs []float64) func() {
		return func() {
			if _, err := SVCPath(x, y, cs, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, first := testing.AllocsPerRun(3, path(cs)), testing.AllocsPerRun(3, path(cs[:1]))
	if each := (all - first) / (points - 1) / (classes * (classes - 1) / 2); each > 15 {
		t.Errorf("%.1f allocations for a pair at a price", each)
	}
}

// Machines between classes that have all their rows outside a fold are those of all rows: a fold takes them from there.
func TestMachinesWithoutRowsOfAFoldAreThoseOfAllRows(t *testing.T) {
	x, y := clouds(11, 40, 2, 1)
	w := slices.Repeat([]float64{1}, 40)
	for i := range y {
		y[i] = i % 8
		x.Set(i, 0, x.At(i, 0)+float64(y[i]%3))
		if i < 12 && y[i] < 4 {
			w[i] = 0
		}
	}
	cs := []float64{0.1, 1, 30}
	for _, o := range []SVCOptions{{}, {Loss: SquaredHinge}, {NoIntercept: true}, {ClassWeights: []float64{1, 2, 1, 2, 1, 2, 1, 2}}} {
		whole, err := svcPath(x, y, cs, &o, nil)
		if err != nil {
			t.Fatal(err)
		}
		o.Weights = w
		want, err := svcPath(x, y, cs, &o, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := svcPath(x, y, cs, &o, whole)
		if err != nil {
			t.Fatal(err)
		}
		same := 0
		for k := range cs {
			for i, m := range got[k].list {
				if m.Plane == whole[k].list[i].Plane {
					same++
				}
				if a, b := fmt.Sprint(m.Plane, m.Support, m.Multipliers, m.Report), fmt.Sprint(want[k].list[i].Plane, want[k].list[i].Support, want[k].list[i].Multipliers, want[k].list[i].Report); a != b {
					t.Errorf("C = %g, machine %d: %s, not %s", cs[k], i, a, b)
				}
				lt.CloseSlice(t, "normal", m.Plane.Normal(), want[k].list[i].Plane.Normal(), 0)
			}
		}
		if same != 6*len(cs) {
			t.Errorf("%d machines are those of all rows", same)
		}
	}
}
