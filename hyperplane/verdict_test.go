package hyperplane_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/qp/separation"
)

// separates reports whether a plane has all rows strictly on the side of their class, in
// exact arithmetic, about the origin that it is published with.
func separates(t *testing.T, plane *hyperplane.Plane, x *linalg.Dense, y []int) bool {
	t.Helper()
	text, err := json.Marshal(plane)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Normal, Origin []float64
		Offset         float64
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	e := &separation.Evidence{Origin: r.Origin, Coef: &linalg.Dense{Rows: 1, Cols: len(r.Normal), Stride: len(r.Normal), Data: r.Normal}, Intercept: []float64{r.Offset}}
	if err := e.Check(&separation.Problem{X: x, Code: y, Classes: 2}, nil); err != nil {
		t.Fatal(err)
	}
	return e.Kind == separation.Complete
}

// checkVerdicts fits hard margin, Kozinec's plane and the perceptron to two classes and
// compares with the answer of the exact linear program. It returns how many hard margins were
// undecided or did not converge.
func checkVerdicts(t *testing.T, name any, x *linalg.Dense, y []int, want linalgtest.Separability) (open int) {
	t.Helper()
	apart := want == linalgtest.CompletelySeparated
	judge := func(method string, plane *hyperplane.Plane, report optimize.Report, err error) {
		var infeasible *hyperplane.InfeasibleError
		switch {
		case errors.As(err, &infeasible):
			if verified := infeasible.Verify(x, y, nil); apart || verified != nil || !strings.Contains(err.Error(), "no plane separates") {
				t.Errorf("%v: %s: %v, verified %v, the linear program says %v", name, method, err, verified, want)
			}
			if k := infeasible.Evidence.Kind; k.String() != want.String() {
				t.Errorf("%v: %s: %v, want %v", name, method, k, want)
			}
		case err == nil:
			if report.Status() != optimize.Converged || !apart || !separates(t, plane, x, y) {
				t.Errorf("%v: %s: %v, but the linear program says %v", name, method, report, want)
			}
		case errors.Is(err, optimize.ErrNotConverged):
			if method == "hard margin" { // Kozinec's rule may take more steps than it has
				open++
			}
		default:
			t.Errorf("%v: %s: %v", name, method, err)
		}
	}
	if h, err := hyperplane.FitHardMargin(x, y, nil); h != nil {
		judge("hard margin", h.Machines()[0].Plane, h.Report(), err)
	} else {
		judge("hard margin", nil, optimize.Report{}, err)
	}
	if k, err := hyperplane.FitKozinec(x, y, nil); k != nil {
		judge("Kozinec", k.Plane(), k.Report(), err)
	} else {
		judge("Kozinec", nil, optimize.Report{}, err)
	}
	p, err := hyperplane.FitPerceptron(x, y, &hyperplane.PerceptronOptions{MaxEpochs: 30})
	if p == nil || p.Evidence() == nil || p.Evidence().Kind.String() != want.String() {
		t.Errorf("%v: perceptron: %v, %+v, want %v", name, err, p, want)
		return open
	}
	if err := p.Evidence().Verify(&separation.Problem{X: x, Code: y, Classes: 2}); err != nil {
		t.Errorf("%v: perceptron: %v", name, err)
	}
	if (err == nil) != (p.Misclassified() == 0) || apart && p.Cycle() > 0 || err == nil && !separates(t, p.Plane(), x, y) {
		t.Errorf("%v: perceptron: %v with %d rows wrong, cycle %d", name, err, p.Misclassified(), p.Cycle())
	}
	return open
}

func TestVerdictsOfPlanesAreThoseOfTheExactLinearProgram(t *testing.T) {
	tables, open, seen := linalgtest.Rounds(150, 3000), 0, map[linalgtest.Separability]int{}
	fitted := 0
	for seed := range uint64(tables) {
		d := linalgtest.Thin(rand.New(rand.NewPCG(seed, 16)))
		if d.K > 2 {
			continue
		}
		fitted++
		want := linalgtest.Separable(d.X, d.Y, 2, true)
		seen[want]++
		open += checkVerdicts(t, seed, d.X, d.Y, want)
	}
	// Near-copies can have a widest margin that no coefficients in float64 come near.
	if open*12 > fitted || len(seen) < 3 {
		t.Errorf("of %d tables %d open, %v", fitted, open, seen)
	}
	t.Logf("of %d tables %d open, %v", fitted, open, seen)
}

// A time stamp of 1e12 beside a flag that separates: whether a plane does is no matter of
// units, and its margin is in the caller's.
func TestPlaneBesideTimeStamps(t *testing.T) {
	for _, name := range []string{"unixms.csv", "unixns.csv"} {
		x, labels, _ := linalgtest.Table(t, name, "y")
		y, _ := linalgtest.Codes(labels)
		m, err := hyperplane.FitHardMargin(x, y, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		linalgtest.Close(t, name+": margin", m.Margin(), 0.5, 1e-6)
		checkVerdicts(t, name, x, y, linalgtest.CompletelySeparated)
	}
}

// While the plane rests and its mean does not separate yet, no plane comes back.
func TestAveragedPerceptronHasNoCycleOnSeparableRows(t *testing.T) {
	for seed := range uint64(60) {
		x, y := linalgtest.Normal(seed, 30, 2), make([]int, 30)
		for i := range y {
			if x.At(i, 0)+0.3*x.At(i, 1) > 0.1 {
				y[i] = 1
			}
		}
		for _, epochs := range []int{0, 40} {
			m, err := hyperplane.FitPerceptron(x, y, &hyperplane.PerceptronOptions{Average: true, MaxEpochs: epochs})
			if m == nil || m.Cycle() != 0 || err == nil && m.Misclassified() > 0 {
				t.Fatalf("seed %d: %v, cycle %d", seed, err, m.Cycle())
			}
		}
	}
}
