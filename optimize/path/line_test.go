package path

// The start of a fit changes no result, only its cost, and no data lead a solver to
// given coefficients: so these tests are inside.

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// The next fit begins on the line through the last two, where coefficients stay 0 or on
// their side of it, unless they have no penalty; the line is followed no farther than twice the distance.
func TestExtrapolate(t *testing.T) {
	at, before := []float64{3, -3, 1, 0, 2, 5}, hold(8, []float64{2, -1, 4, 1, 0, 5})
	for _, c := range []struct {
		next float64
		want []float64
	}{
		{4, []float64{4, -5, 0, 0, 2, 5}},   // as far as from 8 to 6
		{5, []float64{3.5, -4, 0, 0, 2, 5}}, // half as far: 1 − 3/2 has changed its sign
		{5.5, []float64{3.25, -3.5, 0.25, 0, 2, 5}},
		{6, at},
		{2, []float64{5, -7, 0, 0, 2, 5}},
		{1.9, at}, // too far
	} {
		if got := extrapolate(slices.Clone(at), before, []float64{1}, c.next, 6, 8); !slices.Equal(got, c.want) {
			t.Errorf("at λ = %g: %v, want %v", c.next, got, c.want)
		}
	}
	want := []float64{4, -5, -2, 0, 2, 5}
	if got := extrapolate(slices.Clone(at), before, []float64{1, 1, 0}, 4, 6, 8); !slices.Equal(got, want) {
		t.Errorf("with a coefficient that has no penalty: %v, want %v", got, want)
	}
	for _, oneBefore := range []float64{6, math.NaN()} {
		if got := extrapolate(slices.Clone(at), before, []float64{1}, 4, 6, oneBefore); !slices.Equal(got, at) {
			t.Errorf("%v without a line, want %v", got, at)
		}
	}
	if got := before.coefficient(2); got != 4 || before.coefficient(4) != 0 {
		t.Errorf("a fit that is held has %g and %g, want 4 and 0", got, before.coefficient(4))
	}
}

// No fit is called converged where rounding its coefficients moves derivatives by more
// than the tolerance.
func TestRoundingDeniesConvergence(t *testing.T) {
	x := linalgtest.Rows(t, []float64{-3, -3, -3}, []float64{-3, -3, -3}, []float64{5, 5, 5.000000000000009})
	var converged optimize.Report
	if err := json.Unmarshal([]byte(`{"status":"converged","iterations":1,"objective":0,"certificate":{"kind":"kkt","value":0,"tol":1e-8}}`), &converged); err != nil {
		t.Fatal(err)
	}
	d, err := design.New(x, 3, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := New(glm.New(d, []float64{1, -1, -1}, loss.Logistic{}, nil), Penalty{L1Ratio: 1}, []float64{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	three := newMulti(t, d, []float64{1, 0, 2}, loss.Softmax{K: 3}, Penalty{L1Ratio: 1})
	for _, test := range []struct {
		theta []float64
		want  optimize.Status
	}{
		{[]float64{0, 3e8, -3e8, 0}, optimize.LineSearch}, // large terms that cancel
		{[]float64{0, 3e8, 0, 0}, optimize.Converged},     // large terms that make certain
		{[]float64{0, 3, -3, 0}, optimize.Converged},
	} {
		if got, err := two.certify(test.theta, converged); err != nil || got.Status() != test.want {
			t.Errorf("%v: %v, want %v, %v", test.theta, got, test.want, err)
		}
		if got, err := three.certify(slices.Concat(test.theta, make([]float64, 4), []float64{-99, 0, 0, 0}), converged); err != nil || got.Status() != test.want {
			t.Errorf("%v among three: %v, want %v, %v", test.theta, got, test.want, err)
		}
	}
}

// The fits of batches are those that the general solver finds one by one.
func TestBatchesAreOneByOne(t *testing.T) {
	for _, size := range [][2]int{{300, 20}, {60, 200}} {
		x, labels := linalgtest.LabeledRows(size[0], size[1], 2)
		s := Settings{Count: 25, MinRatio: 0.02, Tol: 1e-9, Stop: Stop{MaxDevRatio: 1}}
		batched, single := newWalk(t, x, labels, s), newWalk(t, x, labels, s)
		if _, err := batched.batches(t).run(); err != nil {
			t.Fatal(err)
		}
		if err := single.oneByOne(single.Null()); err != nil {
			t.Fatal(err)
		}
		if len(batched.fits) != 25 || len(single.fits) != 25 {
			t.Fatalf("%d and %d fits", len(batched.fits), len(single.fits))
		}
		for k, f := range batched.fits {
			g := single.fits[k]
			if f.Lambda != g.Lambda || f.DF != g.DF {
				t.Errorf("λ = %g with %d features, one by one %g with %d", f.Lambda, f.DF, g.Lambda, g.DF)
			}
			linalgtest.Close(t, "objective", f.Objective/g.Objective, 1, 1e-10)
			linalgtest.Close(t, "deviance ratio", f.DevRatio, g.DevRatio, 1e-8)
			linalgtest.CloseSlice(t, "parameters", f.Theta, g.Theta, 1e-4)
			if kkt := residualOf(batched.Problem, x, f.Lambda, f.Theta); !(kkt <= 1e-9) {
				t.Errorf("λ = %g: KKT residual %g", f.Lambda, kkt)
			}
		}
	}
}

// Where the loss has become small beside that of the intercepts, so have the derivatives to which fits go one by one:
// an objective that is small is as near its minimum, relative to it, as a large one.
func TestDerivativesFallWithTheLoss(t *testing.T) {
	x, labels := linalgtest.LabeledRows(200, 200, 2)
	usual := Settings{Count: 40, MinRatio: 1e-4, Tol: defaultTol, Stop: Stop{MaxDevRatio: 1}}
	tight := usual
	tight.Tol = 1e-9
	loose, exact := newWalk(t, x, labels, usual), newWalk(t, x, labels, tight)
	for _, w := range []*testWalk{loose, exact} {
		w.penalty.L1Ratio = 0.1
		if err := w.oneByOne(w.Null()); err != nil {
			t.Fatal(err)
		}
	}
	for k, f := range loose.fits {
		if excess := f.Objective/exact.fits[k].Objective - 1; !(excess <= 3e-6) {
			t.Errorf("λ = %g: %g above the minimum, in relation to it", f.Lambda, excess)
		}
	}
}
