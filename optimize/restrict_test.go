package optimize_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// wells is Σ cosh(aᵢ·x) of the rows aᵢ of a, counting what it is asked for.
type wells struct {
	a           *linalg.Dense
	whole, part int // Hessians
	err         error
	asked       []float64 // the point of the last call
}

func (w *wells) Value(x []float64) float64 { return w.Grad(make([]float64, len(x)), x) }

func (w *wells) Grad(g, x []float64) float64 {
	clear(g)
	w.asked = slices.Clone(x)
	v := 0.0
	for i := range w.a.Rows {
		f := linalg.Dot(w.a.Row(i), x)
		v += math.Cosh(f)
		linalg.Axpy(g, math.Sinh(f), w.a.Row(i))
	}
	return v
}

func (w *wells) Err() error { return w.err }

func (w *wells) second(x []float64, j, k int) float64 {
	v := 0.0
	for i := range w.a.Rows {
		row := w.a.Row(i)
		v += math.Cosh(linalg.Dot(row, x)) * row[j] * row[k]
	}
	return v
}

// withHess and withSubHess are the two kinds of second derivatives.
type withHess struct{ *wells }

func (w withHess) Hess(h *linalg.Dense, g, x []float64) float64 {
	w.whole++
	for j := range x {
		for k := range x {
			h.Set(j, k, w.second(x, j, k))
		}
	}
	return w.Grad(g, x)
}

type withSubHess struct{ *wells }

func (w withSubHess) SubHess(h *linalg.Dense, x []float64, rows, cols []int) {
	w.part++
	if cols == nil {
		cols = rows
	}
	for a, j := range rows {
		for b, k := range cols {
			h.Set(a, b, w.second(x, j, k))
		}
	}
}

type withBoth struct {
	withHess
	sub withSubHess
}

func (w withBoth) SubHess(h *linalg.Dense, x []float64, rows, cols []int) {
	w.sub.SubHess(h, x, rows, cols)
}

// newWells returns wells in four coordinates, as a Hessian, a SubHessian and both.
func newWells() (*wells, map[string]optimize.Gradient) {
	w := &wells{a: linalgtest.Normal(5, 9, 4)}
	return w, map[string]optimize.Gradient{"Hess": withHess{w}, "SubHess": withSubHess{w}, "both": withBoth{withHess{w}, withSubHess{w}}}
}

// TestRestrictDerivatives compares the derivatives by the free coordinates with
// differences, and the points at which the function is asked.
func TestRestrictDerivatives(t *testing.T) {
	at := []float64{0.3, -0.2, 0.5, 0.1}
	w, kinds := newWells()
	for name, f := range kinds {
		for _, free := range [][]int{{2}, {3, 1}, {0, 2, 3}} {
			what := fmt.Sprintf("%s, free %v", name, free)
			r := optimize.Restrict(f, at, free)
			x, g := make([]float64, len(free)), make([]float64, len(free))
			h := linalg.Zeros(len(free), len(free))
			whole := slices.Clone(at)
			for i, j := range free {
				x[i] = 0.1 * float64(i+1)
				whole[j] = x[i]
			}
			w.whole, w.part = 0, 0
			v := r.Hess(h, g, x)
			if wantPart := name == "SubHess" || name == "both" && len(free) <= 2; (w.part == 1) != wantPart || (w.whole == 1) == wantPart {
				t.Errorf("%s: %d whole Hessians and %d of parts", what, w.whole, w.part)
			}
			if !slices.Equal(w.asked, whole) || !slices.Equal(r.At(x), whole) {
				t.Errorf("%s: asked at %v, want %v, At %v", what, w.asked, whole, r.At(x))
			}
			for i := range free {
				const step = 1e-5
				up, down := slices.Clone(x), slices.Clone(x)
				up[i] += step
				down[i] -= step
				gUp, gDown := make([]float64, len(free)), make([]float64, len(free))
				vUp, vDown := r.Grad(gUp, up), r.Grad(gDown, down)
				linalgtest.Close(t, what+" gradient", g[i], (vUp-vDown)/(2*step), 1e-7)
				for k := range free {
					linalgtest.Close(t, what+" Hessian", h.At(k, i), (gUp[k]-gDown[k])/(2*step), 1e-7)
				}
			}
			if r.Value(x) != v || !slices.Equal(at, []float64{0.3, -0.2, 0.5, 0.1}) {
				t.Errorf("%s: value %v or %v, at %v", what, v, r.Value(x), at)
			}
		}
	}
}

// TestRestrictMinimize: at the minimum the free derivatives are 0, each in its scale,
// and the other coordinates are as they were; Hold moves them.
func TestRestrictMinimize(t *testing.T) {
	_, kinds := newWells()
	for name, f := range kinds {
		at, free := []float64{0.3, -0.2, 0.5, 0.1}, []int{2, 0}
		r := optimize.Restrict(f, at, free)
		for range 2 {
			x, rep, err := r.Minimize(&optimize.Control{Tol: 1e-10, Scale: []float64{1e-3, math.MaxFloat64, 1, math.MaxFloat64}})
			if err != nil || len(x) != 4 || x[1] != at[1] || x[3] != at[3] {
				t.Fatalf("%s: %v, %+v, %v", name, x, rep, err)
			}
			g := make([]float64, 4)
			if v := f.Grad(g, x); v != rep.Objective() || math.Abs(g[0]) > 1e-13 || math.Abs(g[2]) > 1e-10 || math.Abs(g[1]) < 1e-3 {
				t.Errorf("%s: derivatives %v, objective %v, %+v", name, g, v, rep)
			}
			at[1], at[3] = 1, -0.4
			r.Hold(at)
		}
	}
}

func TestRestrictWithoutFreeCoordinates(t *testing.T) {
	w, kinds := newWells()
	at := []float64{0.3, -0.2, 0.5, 0.1}
	x, rep, err := optimize.Restrict(kinds["Hess"], at, nil).Minimize(nil)
	if err != nil || rep.Status() != optimize.Direct || rep.Objective() != w.Value(at) || !slices.Equal(x, at) {
		t.Errorf("%v, %+v, %v", x, rep, err)
	}
	if _, rep, err := optimize.Restrict(kinds["Hess"], []float64{math.NaN(), 0, 0, 0}, nil).Minimize(nil); !errors.Is(err, optimize.ErrNotConverged) || rep.Certificate().Holds() {
		t.Errorf("where there is no value: %+v, %v", rep, err)
	}
	w.err = errors.New("broken")
	for name, f := range kinds {
		for _, free := range [][]int{nil, {1, 2}} {
			if x, rep, err := optimize.Restrict(f, at, free).Minimize(nil); x != nil || rep != (optimize.Report{}) || !errors.Is(err, w.err) || errors.Is(err, optimize.ErrNotConverged) {
				t.Errorf("%s, free %v, a pass that fails: %v, %+v, %v", name, free, x, rep, err)
			}
		}
	}
}
