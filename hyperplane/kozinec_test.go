package hyperplane

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// One point a class is its own hull: the bisector, without a step. The point (0,
// 0) against the segment from (2, −1) to (2, 3): the closest point of the segment
// is (2, 0), the plane x₁ = 1, scaled to y·f = 1 there.
func TestKozinecOnPaper(t *testing.T) {
	m, err := FitKozinec(lt.Rows(t, []float64{3, 4}, []float64{0, 0}), []int{1, 0}, nil)
	if err != nil || m.Report().Iterations() != 0 {
		t.Fatal(m, err)
	}
	lt.Close(t, "margin", m.Margin(), 2.5, 1e-15)
	lt.CloseSlice(t, "normal", m.Plane().Normal(), []float64{.24, .32}, 1e-15)
	lt.Close(t, "intercept", m.Plane().Intercept(), -1, 1e-15)

	m, err = FitKozinec(lt.Rows(t, []float64{0, 0}, []float64{2, -1}, []float64{2, 3}), []int{0, 1, 1}, &KozinecOptions{Tol: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	lt.Close(t, "margin", m.Margin(), 1, 1e-6)
	if want := plane(t, []float64{1, 0}, -1); !m.Plane().Equal(want, 1e-3) {
		t.Errorf("%v x + %g, want x₁ = 1", m.Plane().Normal(), m.Plane().Intercept())
	}
}

// The margin said is the one that the plane has, and no tighter fit's margin is
// above the bound of a looser one.
func TestKozinecMarginAndBound(t *testing.T) {
	lt.SkipSlow(t)
	for seed := range uint64(5) {
		x, y := separable(seed, 80, 3, 0.3)
		for i := range x.Rows {
			linalg.Axpy(x.Row(i), 1, []float64{1e8, 0, -1e8})
		}
		tight, err := FitKozinec(x, y, &KozinecOptions{Tol: 1e-4, MaxIter: 1_000_000})
		if err != nil {
			t.Fatal(err)
		}
		loose, err := FitKozinec(x, y, &KozinecOptions{Tol: 0.2})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*Kozinec{tight, loose} {
			g, err := m.Plane().Margins(x, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			lt.Close(t, "d₊", g.Plus, m.Margin(), 1e-12)
			lt.Close(t, "d₋", g.Minus, m.Margin(), 1e-12)
			lt.Close(t, "1/‖β‖", 1/m.Plane().Norm(), m.Margin(), 1e-12)
			lt.Close(t, "slab", m.Plane().Slab(), g.Plus+g.Minus, 1e-12)
			lt.Close(t, "gap", m.Report().Certificate().Value, math.Max(0, 1-g.Margin()/m.Bound()), 1e-9)
		}
		if tight.Margin() > loose.Bound()*(1+1e-12) || loose.Margin() < 0.8*tight.Margin() {
			t.Errorf("seed %d: margins %g and %g, bounds %g and %g", seed, tight.Margin(), loose.Margin(), tight.Bound(), loose.Bound())
		}
	}
}

func TestKozinecInseparable(t *testing.T) {
	same := []int{0, 1}
	for name, c := range map[string]struct {
		x *linalg.Dense
		y []int
	}{
		"xor":        {lt.Rows(t, []float64{0, 0}, []float64{1, 1}, []float64{0, 1}, []float64{1, 0}), []int{0, 0, 1, 1}},
		"duplicates": {lt.Rows(t, []float64{2}, []float64{2}), same},
		"inside":     {lt.Rows(t, []float64{-1}, []float64{0}, []float64{4}), []int{3, 8, 3}},
	} {
		m, err := FitKozinec(c.x, c.y, nil)
		if m != nil {
			t.Errorf("%s: %v", name, *m)
		}
		checkInfeasible(t, c.x, c.y, err)
	}
	x, y := lt.Normal(1, 50, 2), make([]int, 50)
	for i := range y {
		y[i] = i % 2
	}
	for _, most := range []int{10, 0} { // steps do not decide
		_, err := FitKozinec(x, y, &KozinecOptions{MaxIter: most})
		checkInfeasible(t, x, y, err)
	}
	stop := errors.New("enough")
	m, err := FitKozinec(x, y, &KozinecOptions{Trace: func(s optimize.Step) error {
		if s.Iteration == 3 {
			return stop
		}
		return nil
	}})
	if m == nil || !errors.Is(err, stop) || m.Report().Iterations() != 3 || m.Report().Status() != optimize.Stopped {
		t.Error(m, err)
	}
}

func TestKozinecRefuses(t *testing.T) {
	x := lt.Rows(t, []float64{0}, []float64{1})
	var shape *linalg.ShapeError
	var finite *linalg.NonFiniteError
	var class *linalg.ClassError
	var option *sample.OptionError
	for name, c := range map[string]struct {
		x  *linalg.Dense
		y  []int
		o  KozinecOptions
		as any
	}{
		"labels":    {x, []int{1}, KozinecOptions{}, &shape},
		"NaN":       {lt.Rows(t, []float64{math.NaN()}, []float64{1}), []int{0, 1}, KozinecOptions{}, &finite},
		"one class": {x, []int{3, 3}, KozinecOptions{}, &class},
		"tol":       {x, []int{0, 1}, KozinecOptions{Tol: -1}, &option},
		"iter":      {x, []int{0, 1}, KozinecOptions{MaxIter: -1}, &option},
		"workers":   {x, []int{0, 1}, KozinecOptions{Workers: -1}, &option},
	} {
		if m, err := FitKozinec(c.x, c.y, &c.o); m != nil || !errors.As(err, c.as) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}

func TestKozinecRecord(t *testing.T) {
	x, y := separable(2, 30, 3, 0.3)
	m, err := FitKozinec(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back Kozinec
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(*m, back) {
		t.Errorf("%+v became %+v, %v", *m, back, err)
	}
	var damage *record.DamageError
	b, _ = record.Marshal(kozinecKind, 1, kozinecRecord{m.TwoClasses.record(), 1, -1})
	if err := new(Kozinec).UnmarshalJSON(b); !errors.As(err, &damage) {
		t.Error(err)
	}
}

func ExampleFitKozinec() {
	x, _ := linalg.FromRows([][]float64{{0, 0}, {2, -1}, {2, 3}})
	m, err := FitKozinec(x, []int{0, 1, 1}, &KozinecOptions{Tol: 1e-3})
	if err != nil {
		panic(err)
	}
	fmt.Printf("margin %.3f, no plane has more than %.3f\n", m.Margin(), m.Bound())
	// Output: margin 1.000, no plane has more than 1.000
}

// The row closest to the other class lies before the foot of the perpendicular on
// the line through it: the point stops at the row, inside its hull.
func TestKozinecStaysInTheHull(t *testing.T) {
	m, err := FitKozinec(lt.Rows(t, []float64{2}, []float64{10}, []float64{0}), []int{1, 1, 0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	lt.Close(t, "margin", m.Margin(), 1, 1e-14)
	lt.Close(t, "bound", m.Bound(), 1, 1e-14)
}
