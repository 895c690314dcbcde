package hyperplane

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// The error of several machines states what their report states.
func TestErrorsOfSeveralMachines(t *testing.T) {
	x, y := lt.Normal(4, 90, 8), make([]int, 90)
	for i := range y {
		y[i] = i % 3
		x.Row(i)[0] += 6 * float64(y[i])
	}
	enough, calls := errors.New("enough"), 0
	stop := func(after int) func(optimize.Step) error {
		calls = 0
		return func(optimize.Step) error {
			if calls++; calls > after {
				return enough
			}
			return nil
		}
	}
	hard := func(o HardMarginOptions) (optimize.Report, error) {
		m, err := FitHardMargin(x, y, &o)
		return m.Report(), err
	}
	soft := func(o SVCOptions) (optimize.Report, error) {
		m, err := FitSVC(x, y, &o)
		return m.Report(), err
	}
	for name, fit := range map[string]func() (optimize.Report, error){
		"hard margin, cap":   func() (optimize.Report, error) { return hard(HardMarginOptions{MaxIter: 1, Tol: 1e-15}) },
		"hard margin, trace": func() (optimize.Report, error) { return hard(HardMarginOptions{Trace: stop(2)}) },
		"svc, cap":           func() (optimize.Report, error) { return soft(SVCOptions{MaxIter: 1}) },
		"svc, trace":         func() (optimize.Report, error) { return soft(SVCOptions{Trace: stop(2)}) },
	} {
		r, err := fit()
		var cause error
		if strings.HasSuffix(name, "trace") {
			cause = enough
		}
		want := r.Err(cause)
		if want == nil || err == nil || err.Error() != "hyperplane: "+want.Error() || cause != nil && !errors.Is(err, cause) {
			t.Errorf("%s: %v, the report %v", name, err, want)
		}
	}
}

// A pair of classes of 20 rows is solved without the buffers of passes over large tables, with which it
// takes 1600 allocations.
func TestPairsOfManyClassesTakeFewAllocations(t *testing.T) {
	const classes, pairs = 20, 190
	x, y := lt.Normal(3, 20*classes, 10), make([]int, 20*classes)
	for i := range y {
		y[i] = i % classes
		x.Row(i)[y[i]%10] += 2 * float64(1+y[i]/10)
	}
	allocs := testing.AllocsPerRun(1, func() {
		if _, err := FitSVC(x, y, &SVCOptions{Workers: 1}); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 175*pairs {
		t.Errorf("%g allocations a pair", allocs/pairs)
	}
}

// Machines of several classes end alike side by side and one after the other, as a trace has them, on paths and
// with their probabilities.
func TestMachinesSideBySideAreThoseInOrder(t *testing.T) {
	const classes = 5
	x, y := lt.Normal(6, 60*classes, 4), make([]int, 60*classes)
	for i := range y {
		y[i] = i % classes
		x.Row(i)[y[i]%4] += 1.5
	}
	quiet := func(optimize.Step) error { return nil }
	for _, multi := range []Multi{OneVsOne, OneVsRest} {
		for _, loss := range []Loss{Hinge, SquaredHinge} {
			all := func(o SVCOptions) (text []string) {
				o.Multi, o.Loss = multi, loss
				path, err := SVCPath(x, y, []float64{0.1, 1}, &o)
				if err != nil {
					t.Fatal(err)
				}
				proba, err := FitSVCProba(x, y, &SVCProbaOptions{SVCOptions: o, Seed: 2})
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range []json.Marshaler{path.Points[0].Model, path.Points[1].Model, proba} {
					b, err := m.MarshalJSON()
					if err != nil {
						t.Fatal(err)
					}
					text = append(text, string(b))
				}
				return text
			}
			want := all(SVCOptions{Workers: 1})
			for name, o := range map[string]SVCOptions{"side by side": {Workers: 3}, "with a trace": {Workers: 3, Trace: quiet}} {
				if got := all(o); !slices.Equal(got, want) {
					t.Errorf("%v, %v, %s: other models than one after the other", multi, loss, name)
				}
			}
		}
	}
}

// The labels of many rows are those of each row, where planes by the hundred take some rows at a time too.
func TestManyPlanesPredictRowsAsEachRow(t *testing.T) {
	x, y := clouds(9, 120, 2, 1)
	for i := range y {
		y[i] = 3 * (i % 40)
		x.Set(i, 0, x.At(i, 0)+float64(y[i]))
	}
	m := mustSVC(t, x, y, nil)
	if len(m.list) <= fewPlanes {
		t.Fatalf("%d planes", len(m.list))
	}
	many := lt.Normal(4, 700, 2)
	linalg.Scale(many.Data, 60)
	for name, rows := range map[string]linalg.Rows{"dense": many, "sparse": lt.Sparse(many)} {
		labels, err := m.PredictRows([]int{7}, rows)
		if err != nil || len(labels) != 701 || labels[0] != 7 {
			t.Fatal(name, len(labels), err)
		}
		for i, label := range labels[1:] {
			if want := m.Predict(many.Row(i)); label != want {
				t.Errorf("%s: row %d is %d, and %d by itself", name, i, label, want)
			}
		}
	}
	many.Set(300, 1, math.NaN())
	if _, err := m.PredictRows(nil, many); err == nil {
		t.Error("a NaN has a label")
	}
}
